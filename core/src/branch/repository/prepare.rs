//! The repository beside a memory: made, freed of what could lead git elsewhere, and tidied when it has many packs.

use std::path::Path;

use super::objects::{Objects, PACKS};
use super::remote::Remote;
use crate::disk::{Disk, Guard, Kind};
use crate::error::{Error, ErrorKind, Result};
use crate::safety::SealedText;

/// The configuration of the repository. Other settings in it could run programs. Checked objects are
/// always kept as a pack. A memory is small: more threads would cost more than they save.
const CONFIG: &str = "[core]
\trepositoryformatversion = 0
\tbare = true
\thooksPath = /dev/null
\tfsync = all
[fetch]
\tfsckObjects = true
[pack]
\tthreads = 1
[gc]
\tauto = 0
[maintenance]
\tauto = false
";
/// The largest configuration that is looked at, in bytes.
const MAX_CONFIG_BYTES: u64 = 64 << 10;
/// The list of the commits whose parents were not fetched.
const SHALLOW: &str = "shallow";
/// The largest list that is looked at, in bytes: that of a million commits.
const MAX_SHALLOW_BYTES: u64 = 41 << 20;
/// The size of a ref: an id and a line break.
const REF_BYTES: u64 = 41;
/// Locks that git leaves in the repository when it is killed, and with which it would not start again.
const LOCKS: [&str; 4] = ["shallow.lock", "packed-refs.lock", "config.lock", "HEAD.lock"];
/// The prefixes of packs that git, `git repack` or libgit2 did not finish.
const UNFINISHED: [&str; 3] = ["tmp_", ".tmp-", "pack_git2_"];
/// The folders without which there is no repository.
const FOLDERS: [&str; 3] = [PACKS, "objects/info", "refs/heads"];
/// The files and folders of loopmem, none of which may be a link.
const OWN: [&str; 11] = [
    "HEAD",
    "FETCH_HEAD",
    "packed-refs",
    SHALLOW,
    "objects",
    PACKS,
    "objects/info",
    "info",
    "refs",
    "refs/heads",
    "refs/loopmem",
];
/// The branch of the repository, which it never has.
const HEAD: &str = "ref: refs/heads/none\n";
/// Files that could lead git to other settings, programs or contents. loopmem never writes them.
const PLANTED: [&str; 6] = [
    "commondir",
    "gitdir",
    "config.worktree",
    "info/grafts",
    "objects/info/alternates",
    "objects/info/http-alternates",
];

/// Opens the repository at `path`, creates it if necessary, and corrects its configuration.
pub(crate) fn prepare(disk: &Disk, guard: &Guard, path: &Path) -> Result<Objects> {
    if disk.stat(path)?.is_none() {
        // Under another name, so that one that is half made is never used.
        let unfinished = path.with_extension("new");
        for folder in FOLDERS {
            disk.make_folder(&unfinished.join(folder))?;
        }
        write_settings(disk, guard, &unfinished)?;
        disk.move_new(guard, &unfinished, path)?;
    }
    for name in OWN {
        let place = path.join(name);
        match disk.stat(&place)? {
            Some(stat) if stat.kind == Kind::Link => {
                let message =
                    format!("{} is a link, which loopmem does not follow; remove {}", place.display(), path.display());
                return Err(Error::new(ErrorKind::Git, message).at(&place));
            }
            None if FOLDERS.contains(&name) => disk.make_folder(&place)?,
            _ => {}
        }
    }
    for name in LOCKS.iter().chain(&PLANTED) {
        disk.remove(guard, &path.join(name))?;
    }
    let shallow = path.join(SHALLOW);
    let is_whole = disk.read_if_there(&shallow, MAX_SHALLOW_BYTES)?.is_none_or(|text| are_ids(&text));
    if !is_whole {
        disk.remove(guard, &shallow)?;
    }
    // All of them can be fetched again. Without the list of the commits whose parents are missing, git cannot follow them.
    clear_refs(disk, guard, &path.join("refs/loopmem"), is_whole)?;
    let packs = path.join(PACKS);
    for name in disk.list_foreign(&packs).ok().flatten().unwrap_or_default() {
        if UNFINISHED.iter().any(|prefix| name.as_encoded_bytes().starts_with(prefix.as_bytes())) {
            disk.remove(guard, &packs.join(&name))?;
        }
    }
    write_settings(disk, guard, path)?;
    Objects::open(path)?.ok_or_else(|| {
        let message = format!("{} is not a git repository; remove it, and the next call makes another", path.display());
        Error::new(ErrorKind::Git, message).at(path)
    })
}

fn write_settings(disk: &Disk, guard: &Guard, path: &Path) -> Result<()> {
    for (name, text) in [("HEAD", HEAD), ("config", CONFIG)] {
        let place = path.join(name);
        if disk.read_if_there(&place, MAX_CONFIG_BYTES)?.is_none_or(|written| written != text.as_bytes()) {
            disk.put_text(guard, &place, &SealedText::from(text))?;
        }
    }
    Ok(())
}

/// Removes locks and damaged refs, which a git that was ended or a power failure may have left: git would not start again.
/// Removes all refs unless `keeps` the others.
fn clear_refs(disk: &Disk, guard: &Guard, folder: &Path, keeps: bool) -> Result<()> {
    for name in disk.list_foreign(folder).ok().flatten().unwrap_or_default() {
        let place = folder.join(&name);
        match disk.stat(&place)? {
            Some(stat) if stat.kind == Kind::Folder => clear_refs(disk, guard, &place, keeps)?,
            Some(stat) if keeps && stat.kind == Kind::File && is_ref(disk, &place, stat.size)? => {}
            Some(_) => disk.remove(guard, &place)?,
            None => {}
        }
    }
    Ok(())
}

/// Returns whether a file of this size is a ref that leads to a commit.
fn is_ref(disk: &Disk, path: &Path, size: u64) -> Result<bool> {
    let is_lock = path.extension().is_some_and(|extension| extension == "lock");
    Ok(!is_lock && size == REF_BYTES && disk.read_if_there(path, REF_BYTES)?.is_some_and(|text| are_ids(&text)))
}

/// Returns whether a file of git consists of whole lines with ids, as a list of commits or a ref does.
fn are_ids(text: &[u8]) -> bool {
    let is_id =
        |line: &[u8]| line.len() == 40 && line.iter().all(u8::is_ascii_hexdigit) && line.iter().any(|it| *it != b'0');
    text.strip_suffix(b"\n").is_some_and(|lines| lines.split(|byte| *byte == b'\n').all(is_id))
}

/// The number of packs at which git would join them too.
const MAX_PACKS: usize = 50;

/// Joins the packs if there are many. Returns whether that was tried: the repository has to be opened again.
pub(crate) fn tidy(disk: &Disk, remote: &Remote<'_>, objects: &Objects) -> Result<bool> {
    let names = disk.list_foreign(&objects.path().join(PACKS)).ok().flatten().unwrap_or_default();
    let packs = names.iter().filter(|name| name.as_encoded_bytes().ends_with(b".pack"));
    if packs.count() < MAX_PACKS {
        return Ok(false);
    }
    match remote.repack(objects) {
        Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
        // Nothing is lost if git cannot: it only takes more space.
        _ => Ok(true),
    }
}
