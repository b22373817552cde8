//! The files in the memory root that are not rebuilt: those that a consolidation wrote, and those that people changed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::artifacts;
use crate::disk::{Disk, Kind};
use crate::error::Result;
use crate::home::{Home, Layout};
use crate::rollouts::database::{State, all, execute};
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::{Connection, params};

/// The maximum depth of files below the root.
pub(crate) const MAX_DEPTH: usize = 8;
/// The maximum number of files that are looked at.
const MAX_FILES: usize = 10_000;
/// Files up to this size are compared by their contents, in bytes; larger ones by size and time.
const MAX_BYTES: u64 = 4 << 20;
/// The files of a consolidation: these, and everything in this folder.
const CONSOLIDATED: [&str; 2] = [Layout::MEMORY, Layout::MEMORY_SUMMARY];
const SKILLS: &str = "skills/";

/// The digests of files, by their paths below the root.
pub(crate) type Files = BTreeMap<String, String>;

/// When the files were in a state.
#[derive(Debug, Clone, Copy)]
pub(crate) enum When {
    /// After the last consolidation that succeeded.
    Left,
    /// When the consolidation that runs was claimed.
    Claimed,
}

impl When {
    const fn as_str(self) -> &'static str {
        match self {
            When::Left => "left",
            When::Claimed => "claimed",
        }
    }
}

/// True if consolidations write this file.
pub(crate) fn is_consolidated(path: &str) -> bool {
    CONSOLIDATED.contains(&path) || path.starts_with(SKILLS)
}

/// The files in the root that are not rebuilt from the database.
///
/// # Errors
/// `IOError` if the root is a link.
pub(crate) fn files(home: &Home, state: &State) -> Result<Files> {
    let root = home.layout().memories()?;
    let disk = state.disk();
    // Through a link, the files of others would be read.
    disk.entries(&root)?;
    let ours: BTreeSet<String> = state.read(|connection| artifacts::names(home, connection))?;
    let mut found = Files::new();
    let mut folders = vec![(PathBuf::new(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let names = disk.list_foreign(&root.join(&folder)).ok().flatten().unwrap_or_default();
        for name in &names {
            let relative = folder.join(name);
            let Some(text) = relative.to_str() else { continue };
            // A name that looks like a secret is stored nowhere.
            let is_secret = || home.redactor().admit("path", text).is_err();
            if is_passed_over(text, depth) || ours.contains(text) || found.len() >= MAX_FILES || is_secret() {
                continue;
            }
            let path = root.join(&relative);
            let kind = disk.stat_foreign_entry(&path).ok().flatten().map(|stat| stat.kind);
            match kind {
                Some(Kind::Folder) if depth < MAX_DEPTH => folders.push((relative, depth + 1)),
                Some(Kind::File) => {
                    found.extend(digest(disk, &root, text).map(|digest| (text.to_owned(), digest)));
                }
                _ => {}
            }
        }
    }
    Ok(found)
}

/// Hidden files, such as a repository that keeps the history of the root, temporary ones, and the folders of older programs.
fn is_passed_over(path: &str, depth: usize) -> bool {
    let name = Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_litter = name.contains(".md.") && name.ends_with(".tmp");
    name.starts_with('.') || is_litter || (depth == 0 && (name == "user" || is_bucket(name)))
}

/// True if a name is that of an older program's folder for one working folder: a SHA-256 in hex, or the beginning of one.
pub(crate) fn is_bucket(name: &str) -> bool {
    [16, 64].contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn digest(disk: &Disk, root: &Path, path: &str) -> Option<String> {
    match disk.read_plain(root, path, MAX_BYTES) {
        Ok(bytes) => bytes.as_deref().map(artifacts::digest),
        Err(_) => {
            let stat = disk.stat_foreign_entry(&root.join(path)).ok().flatten()?;
            Some(format!("{} {}", stat.size, stat.modified))
        }
    }
}

/// True if the root is a folder, and no link.
pub(crate) fn is_folder(home: &Home, state: &State) -> Result<bool> {
    let stat = state.disk().stat(&home.layout().memories()?);
    Ok(matches!(stat, Ok(Some(stat)) if stat.kind == Kind::Folder))
}

/// The text of a file; `None` if it cannot be read.
pub(crate) fn text(disk: &Disk, root: &Path, path: &str) -> Option<String> {
    let bytes = disk.read_plain(root, path, MAX_BYTES).ok()??;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The files as they were.
pub(crate) fn recorded(connection: &Connection, when: When) -> Result<Files, Failure> {
    let sql = "SELECT path, digest FROM root_file WHERE state = ?1";
    all(connection, sql, [when.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Records how the files are.
pub(crate) fn record(connection: &Connection, when: When, files: &Files) -> Result<(), Failure> {
    execute(connection, "DELETE FROM root_file WHERE state = ?1", [when.as_str()])?;
    for (path, digest) in files {
        let sql = "INSERT INTO root_file (state, path, digest) VALUES (?1, ?2, ?3)";
        execute(connection, sql, params![when.as_str(), path, digest])?;
    }
    Ok(())
}

/// The paths that were added, removed or changed between two states. A file that was set aside may be removed by anyone: that
/// changes no memory.
pub(crate) fn difference(before: &Files, after: &Files) -> BTreeSet<String> {
    let changed = |(path, digest): &(&String, &String)| before.get(*path) != Some(*digest);
    let added = after.iter().filter(changed).map(|(path, _)| path.clone());
    let is_memory = |path: &&String| !after.contains_key(*path) && !artifacts::is_set_aside(path);
    let removed = before.keys().filter(is_memory).cloned();
    added.chain(removed).collect()
}
