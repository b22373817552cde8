//! The transcripts below a folder. Links are followed: a folder with many sessions is often on another disk.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use foldhash::{HashSet, HashSetExt as _};

use crate::disk::{Disk, Kind, Stamp};
use crate::error::Result;
use crate::rollouts::transcript::Format;

/// The maximum depth of transcripts below their root.
const MAX_DEPTH: usize = 8;

/// A folder with transcripts.
pub(super) struct Root {
    pub(super) folder: PathBuf,
    pub(super) kinds: Vec<Format>,
    /// True if its sessions are archived; `None` if that is not known.
    pub(super) is_archived: Option<bool>,
}

/// The entries below a root, relative to it.
#[derive(Default)]
pub(super) struct Listing {
    pub(super) found: Vec<(OsString, Format)>,
    /// Folders that could not be listed.
    pub(super) unlisted: Vec<PathBuf>,
}

/// What was listed, by the paths without links: each folder and each file counts once, so that cycles of links
/// end.
pub(super) struct Visited {
    folders: HashSet<(PathBuf, Vec<Format>)>,
    files: HashSet<PathBuf>,
}

impl Visited {
    pub(super) fn new() -> Self {
        Visited { folders: HashSet::new(), files: HashSet::new() }
    }

    /// Lists the transcripts below a root; `None` if it cannot be listed. Of a transcript and its compressed copy, the first
    /// counts if `has_session` holds for it.
    ///
    /// # Errors
    /// The error of `check`.
    pub(super) fn list(
        &mut self,
        disk: &Disk,
        root: &Root,
        has_session: &dyn Fn(&Path, Format) -> bool,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Option<Listing>> {
        let mut listing = Listing::default();
        let place = |path: &Path| disk.canonical(path).unwrap_or_else(|_| path.to_owned());
        let mut folders = vec![(PathBuf::new(), place(&root.folder), 0)];
        let mut links: VecDeque<(PathBuf, usize)> = VecDeque::new();
        loop {
            // Links come last, so that what is below the root has its own path.
            let next = folders.pop().or_else(|| {
                let (link, depth) = links.pop_front()?;
                let place = place(&root.folder.join(&link));
                Some((link, place, depth))
            });
            let Some((folder, place, depth)) = next else { break };
            check()?;
            if !self.folders.insert((place.clone(), root.kinds.clone())) {
                continue;
            }
            let names = match disk.list_foreign(&root.folder.join(&folder)) {
                Ok(Some(names)) => names,
                // Without the folder there are no transcripts, if there is the one above it.
                Ok(None) if depth == 0 => {
                    let above = root.folder.parent().map(|above| disk.list_foreign(above));
                    let is_gone = matches!(above, Some(Ok(Some(_)))) && !is_link(disk, &root.folder);
                    return Ok(is_gone.then_some(listing));
                }
                Ok(None) => continue,
                // What is in it is not known.
                Err(_) if depth > 0 => {
                    listing.unlisted.push(folder);
                    continue;
                }
                _ => return Ok(None),
            };
            let is_there = |name: &OsStr| names.binary_search_by(|it| it.as_os_str().cmp(name)).is_ok();
            for name in &names {
                let relative = folder.join(name);
                if let Some(format) = Format::of(&relative) {
                    let original = name.as_bytes().strip_suffix(b".zst").map(OsStr::from_bytes);
                    if !root.kinds.contains(&format) || original.is_some_and(is_there) {
                        continue;
                    }
                    let mut copy = name.clone();
                    copy.push(".zst");
                    let is_replaced =
                        original.is_none() && is_there(&copy) && !has_session(&root.folder.join(&relative), format);
                    let chosen = if is_replaced { folder.join(copy) } else { relative };
                    listing.found.push((chosen.into_os_string(), format));
                    continue;
                }
                if depth == MAX_DEPTH {
                    continue;
                }
                let path = root.folder.join(&relative);
                match disk.stat_foreign_entry(&path).ok().flatten().map(|stat| stat.kind) {
                    Some(Kind::Folder) => folders.push((relative, place.join(name), depth + 1)),
                    Some(Kind::Link) => match disk.stat_foreign(&path) {
                        Ok(Some(stat)) if stat.kind == Kind::Folder => links.push_back((relative, depth + 1)),
                        Ok(Some(_)) => {}
                        // Such as one to a disk that is not mounted.
                        Ok(None) | Err(_) => listing.unlisted.push(relative),
                    },
                    _ => {}
                }
            }
        }
        Ok(Some(listing))
    }

    /// The stamp of a transcript that is a link to a file; `None` if it is not a link, or if the file
    /// is found at another path too.
    pub(super) fn stamp_of_link(&mut self, disk: &Disk, path: &Path, kinds: &[Format]) -> Option<Stamp> {
        let is_file = matches!(disk.stat_foreign(path), Ok(Some(stat)) if stat.kind == Kind::File);
        if !is_file || !is_link(disk, path) {
            return None;
        }
        let target = disk.canonical(path).ok()?;
        let is_listed = || {
            let folder = target.parent().is_some_and(|it| self.folders.contains(&(it.to_owned(), kinds.to_owned())));
            folder && Format::of(&target).is_some_and(|format| kinds.contains(&format))
        };
        (!is_listed() && self.files.insert(target.clone())).then(|| disk.stamp_of(path))?
    }
}

fn is_link(disk: &Disk, path: &Path) -> bool {
    matches!(disk.stat_foreign_entry(path), Ok(Some(stat)) if stat.kind == Kind::Link)
}
