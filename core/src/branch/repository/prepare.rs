//! The repository beside a memory: made, freed of what could lead git elsewhere, made again if it is damaged, and tidied when it
//! has many packs.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::objects::{Objects, PACKS};
use super::remote::{Remote, verify_packs};
use crate::disk::{Disk, Guard, Kind};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::safety::SealedText;
use crate::warning::Warning;

/// The configuration of the repository. Other settings in it could run programs. Checked objects are always kept as a pack,
/// with one index and nothing else that is derived from it. A memory is small: more threads would cost more than they save.
const CONFIG: &str = "[core]
\trepositoryformatversion = 0
\tbare = true
\thooksPath = /dev/null
\tfsync = all
\tmultiPackIndex = false
\tcommitGraph = false
[fetch]
\tfsckObjects = true
\twriteCommitGraph = false
[pack]
\tthreads = 1
\tindexVersion = 2
\twriteReverseIndex = false
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
/// The refs of what was fetched.
const REFS: &str = "refs/loopmem";
/// The folders without which there is no repository.
const FOLDERS: [&str; 3] = [PACKS, "objects/info", "refs/heads"];
/// The other folders of loopmem.
const MORE_FOLDERS: [&str; 4] = ["objects", "info", "refs", REFS];
/// The files of loopmem.
const FILES: [&str; 3] = ["HEAD", "config", SHALLOW];
/// The branch of the repository, which it never has.
const HEAD: &str = "ref: refs/heads/none\n";
/// Files that could lead git to other settings, programs, contents or refs, by folder. loopmem never needs them.
const PLANTED: [(&str, &[&str]); 3] = [
    ("", &["commondir", "gitdir", "config.worktree", "packed-refs", "FETCH_HEAD"]),
    ("info", &["grafts", "attributes", "exclude"]),
    ("objects/info", &["alternates", "http-alternates", "commit-graph", "packs"]),
];
/// Locks that git leaves in the repository when it is killed, and with which it would not start again.
const LOCK: &[u8] = b".lock";
/// The name of a repository that is half made, and of one that is to replace a damaged one.
const UNFINISHED: &str = "new";
const REPLACEMENT: &str = "replacement";

/// Opens the repository at `path`, creates it if necessary, and corrects its configuration.
pub(crate) fn prepare(disk: &Arc<Disk>, guard: &Guard, path: &Path) -> Result<Objects> {
    if disk.stat(path)?.is_none() && !take_place(disk, guard, &path.with_extension(REPLACEMENT), path)? {
        // Under another name, so that one that is half made is never used.
        let unfinished = path.with_extension(UNFINISHED);
        for folder in FOLDERS {
            disk.make_folder(&unfinished.join(folder))?;
        }
        write_settings(disk, guard, &unfinished)?;
        disk.move_new(guard, &unfinished, path)?;
    }
    if has_other_folders(disk, path)? {
        return replace(disk, guard, path);
    }
    let expected = FILES.iter().map(|name| (name, Kind::File));
    let expected = expected.chain(MORE_FOLDERS.iter().chain(&FOLDERS).map(|name| (name, Kind::Folder)));
    for (name, expected) in expected {
        let place = path.join(name);
        match disk.stat(&place)?.map(|stat| stat.kind) {
            Some(kind) if kind == expected => {}
            None if FOLDERS.contains(name) => disk.make_folder(&place)?,
            None => {}
            Some(Kind::Link) => {
                let message =
                    format!("{} is a link, which loopmem does not follow; remove {}", place.display(), path.display());
                return Err(Error::new(ErrorKind::Git, message).at(&place));
            }
            // A pipe, for which git would wait, or a file where a folder should be.
            Some(_) => {
                disk.remove(guard, &place)?;
                if FOLDERS.contains(name) {
                    disk.make_folder(&place)?;
                }
            }
        }
    }
    for planted in planted(disk, path) {
        disk.remove(guard, &planted)?;
    }
    remove_derived(disk, guard, &path.join(PACKS))?;
    write_settings(disk, guard, path)?;
    open(disk, guard, path)
}

/// Opens the repository at `path`, whose files are those of loopmem. Without a list that says which commits lack their parents,
/// git cannot follow them; all refs can be fetched again.
fn open(disk: &Arc<Disk>, guard: &Guard, path: &Path) -> Result<Objects> {
    let objects = Objects::open(disk, path);
    let shallow = path.join(SHALLOW);
    let list = disk.read_if_there(&shallow, MAX_SHALLOW_BYTES);
    let is_whole =
        list.is_ok_and(|list| list.is_none_or(|text| are_ids(&text) && ids_in(&text).all(|id| objects.has_commit(id))));
    if !is_whole {
        disk.remove(guard, &shallow)?;
    }
    clear_refs(disk, guard, &path.join(REFS), &|id| is_whole && objects.has_commit(id))?;
    Ok(objects)
}

/// Returns whether there are folders in the place of files, which could not be replaced.
fn has_other_folders(disk: &Disk, path: &Path) -> Result<bool> {
    let packs = path.join(PACKS);
    let in_packs = disk.list_foreign(&packs).ok().flatten().unwrap_or_default();
    let files = FILES.iter().map(|name| path.join(name)).chain(planted(disk, path));
    for place in files.chain(in_packs.iter().map(|name| packs.join(name))) {
        if disk.stat(&place)?.is_some_and(|stat| stat.kind == Kind::Folder) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Replaces the repository by one with all objects that can be read, and keeps the damaged one beside it.
///
/// # Errors
/// `IOError`, `GitError`.
pub(crate) fn replace(disk: &Arc<Disk>, guard: &Guard, path: &Path) -> Result<Objects> {
    let replacement = path.with_extension(REPLACEMENT);
    if disk.has_entry(&replacement) {
        // Of a call that was killed.
        disk.quarantine(guard, &replacement)?;
    }
    let objects = prepare(disk, guard, &replacement)?;
    // An intact pack may have a damaged index.
    let are_intact: Vec<bool> = packs(disk, path).iter().map(|pack| objects.add_pack(pack)).collect();
    if are_intact.contains(&false) {
        objects.add_all(path)?;
    }
    if let Some(lost) = disk.sync_files(&replacement, objects.written_files()?)?.first() {
        return Err(Error::io("sync", lost, &std::io::ErrorKind::NotFound.into()));
    }
    drop(objects);
    let kept = disk.quarantine(guard, path)?;
    let message = "the repository beside a memory was damaged and is made again; the damaged one is kept";
    disk.warn(Warning::new(message).at(&kept));
    take_place(disk, guard, &replacement, path)?;
    open(disk, guard, path)
}

/// Returns whether git finds damage in the packs, all of which it reads.
///
/// # Errors
/// `GitError` if git cannot be run; `Cancelled`.
pub(crate) fn is_damaged(home: &Home, disk: &Disk, path: &Path) -> Result<bool> {
    let indexes = packs(disk, path).into_iter().map(|pack| pack.with_extension("idx")).filter(|it| disk.has_entry(it));
    let indexes: Vec<OsString> = indexes.map(PathBuf::into_os_string).collect();
    Ok(!indexes.is_empty() && !verify_packs(home, path, indexes)?)
}

/// The files of the repository that loopmem does not need.
fn planted(disk: &Disk, path: &Path) -> Vec<PathBuf> {
    let in_folder = |(folder, planted): (&str, &[&str])| {
        let folder = path.join(folder);
        let names = disk.list_foreign(&folder).ok().flatten().unwrap_or_default();
        let is_planted =
            |name: &OsString| planted.iter().any(|planted| name == planted) || name.as_encoded_bytes().ends_with(LOCK);
        names.into_iter().filter(is_planted).map(|name| folder.join(name)).collect::<Vec<_>>()
    };
    PLANTED.into_iter().flat_map(in_folder).collect()
}

/// Moves the replacement to its place. Returns whether there is one.
fn take_place(disk: &Disk, guard: &Guard, replacement: &Path, path: &Path) -> Result<bool> {
    Ok(disk.stat(replacement)?.is_some() && disk.move_new(guard, replacement, path)?)
}

/// The packs of a repository.
fn packs(disk: &Disk, path: &Path) -> Vec<PathBuf> {
    let folder = path.join(PACKS);
    let names = disk.list_foreign(&folder).ok().flatten().unwrap_or_default();
    names.iter().map(|name| folder.join(name)).filter(|path| path.extension().is_some_and(|it| it == "pack")).collect()
}

/// Removes what git, `git repack` or libgit2 did not finish, and what is derived from packs and their indexes.
fn remove_derived(disk: &Disk, guard: &Guard, folder: &Path) -> Result<()> {
    for name in disk.list_foreign(folder).ok().flatten().unwrap_or_default() {
        let place = folder.join(&name);
        if !is_needed(&name) || disk.stat(&place)?.is_some_and(|stat| stat.kind != Kind::File) {
            disk.remove(guard, &place)?;
        }
    }
    Ok(())
}

/// Returns whether this is the name of a pack or its index.
fn is_needed(name: &OsStr) -> bool {
    let extension = Path::new(name).extension();
    name.as_encoded_bytes().starts_with(b"pack-") && extension.is_some_and(|it| it == "pack" || it == "idx")
}

fn write_settings(disk: &Disk, guard: &Guard, path: &Path) -> Result<()> {
    for (name, text) in [("HEAD", HEAD), ("config", CONFIG)] {
        let place = path.join(name);
        let written = disk.read_if_there(&place, MAX_CONFIG_BYTES).ok().flatten();
        if written.is_none_or(|written| written != text.as_bytes()) {
            disk.put_text(guard, &place, &SealedText::from(text))?;
        }
    }
    Ok(())
}

/// Removes locks and refs, which a git that was ended or a power failure may have left: git would not start again. Refs to what
/// `has` stay.
fn clear_refs(disk: &Disk, guard: &Guard, folder: &Path, has: &dyn Fn(&str) -> bool) -> Result<()> {
    for name in disk.list_foreign(folder).ok().flatten().unwrap_or_default() {
        let place = folder.join(&name);
        match disk.stat(&place)? {
            Some(stat) if stat.kind == Kind::Folder => clear_refs(disk, guard, &place, has)?,
            Some(stat) if stat.kind == Kind::File && is_ref(disk, &place, stat.size, has)? => {}
            Some(_) => disk.remove(guard, &place)?,
            None => {}
        }
    }
    Ok(())
}

/// Returns whether a file of this size is a ref that leads to what `has`.
fn is_ref(disk: &Disk, path: &Path, size: u64, has: &dyn Fn(&str) -> bool) -> Result<bool> {
    let is_lock = path.extension().is_some_and(|extension| extension == "lock");
    let is_of_size = !is_lock && size == REF_BYTES;
    let text = if is_of_size { disk.read_if_there(path, REF_BYTES)? } else { None };
    Ok(text.is_some_and(|text| are_ids(&text) && ids_in(&text).all(has)))
}

/// Returns whether a file of git consists of whole lines with ids, as a list of commits or a ref does.
fn are_ids(text: &[u8]) -> bool {
    let is_id =
        |line: &[u8]| line.len() == 40 && line.iter().all(u8::is_ascii_hexdigit) && line.iter().any(|it| *it != b'0');
    text.strip_suffix(b"\n").is_some_and(|lines| lines.split(|byte| *byte == b'\n').all(is_id))
}

/// The ids in such a file.
fn ids_in(text: &[u8]) -> impl Iterator<Item = &str> {
    text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).filter_map(|line| std::str::from_utf8(line).ok())
}

/// The number of packs at which git would join them too.
const MAX_PACKS: usize = 50;

/// Joins the packs if there are many. Returns whether that was tried: the repository has to be opened again.
pub(crate) fn tidy(disk: &Disk, remote: &Remote<'_>, objects: &Objects) -> Result<bool> {
    if packs(disk, objects.path()).len() < MAX_PACKS {
        return Ok(false);
    }
    match remote.repack(objects) {
        Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
        // Nothing is lost if git cannot: it only takes more space.
        _ => Ok(true),
    }
}
