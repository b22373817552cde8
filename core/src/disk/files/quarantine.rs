//! Damaged data, kept beside its data file so that nothing is lost: unfinished lines in `NAME.torn`, damaged files in
//! `NAME.damaged`, `NAME.damaged-2` and so on. The exclusive lock must be held for everything here.

use std::path::{Path, PathBuf};

use super::text;
use crate::disk::Disk;
use crate::disk::fs::names::beside;
use crate::disk::fs::seam::if_there;
use crate::disk::fs::writing;
use crate::disk::locks::lock::Guard;
use crate::error::{Error, Result};

/// Adds the `parts` of a journal that are not whole lines to its `NAME.torn`. That file is rewritten, since appending to one
/// whose last sync failed would not be safe.
pub(in crate::disk) fn keep_tail(disk: &Disk, guard: &Guard, data: &Path, parts: &[&[u8]]) -> Result<PathBuf> {
    let kept_at = beside(data, ".torn");
    disk.settle(guard, &kept_at)?;
    let mut kept = disk.read_data(&kept_at, text::MAX_LIST_BYTES)?.unwrap_or_default();
    kept.reserve_exact(parts.iter().map(|part| part.len()).sum::<usize>() + 1);
    parts.iter().for_each(|part| kept.extend_from_slice(part));
    if !kept.ends_with(b"\n") {
        kept.push(b'\n');
    }
    disk.put_bare(guard, &kept_at, &kept).inspect_err(|_| disk.sweep_again(data))?;
    Ok(kept_at)
}

/// Keeps a copy of a damaged file, unless an earlier, interrupted run has already made one.
pub(in crate::disk) fn keep_copy(disk: &Disk, guard: &Guard, data: &Path, bytes: &[u8]) -> Result<PathBuf> {
    let is_copy = |there: &Path| {
        disk.read_if_there(there, text::MAX_LIST_BYTES).is_ok_and(|there| there.as_deref() == Some(bytes))
    };
    let (kept_at, is_there) = free_name(disk, data, is_copy)?;
    if is_there {
        writing::sync_file(&*disk.fs, &kept_at)?;
        writing::sync_folder(&*disk.fs, writing::folder_of(&kept_at)?)?;
    } else {
        disk.put_bare(guard, &kept_at, bytes).inspect_err(|_| disk.sweep_again(data))?;
    }
    Ok(kept_at)
}

/// Moves a file from which nothing can be recovered out of the way.
pub(in crate::disk) fn move_away(disk: &Disk, data: &Path) -> Result<PathBuf> {
    let (kept_at, _) = free_name(disk, data, |_| false)?;
    disk.fs.rename(data, &kept_at).map_err(|cause| Error::io("move aside", data, &cause))?;
    writing::sync_folder(&*disk.fs, writing::folder_of(data)?)?;
    Ok(kept_at)
}

/// Whether the name of a data file followed by `suffix` is that of a quarantined file.
pub(in crate::disk) fn is_quarantined_name(suffix: &str) -> bool {
    let number = suffix.strip_prefix(".damaged-");
    [".torn", ".damaged"].contains(&suffix) || number.is_some_and(|number| number.bytes().all(|it| it.is_ascii_digit()))
}

/// The first free name for a damaged file, or that of an existing file that `serves`; and whether it exists.
fn free_name(disk: &Disk, data: &Path, serves: impl Fn(&Path) -> bool) -> Result<(PathBuf, bool)> {
    numbered_name(disk, data, ".damaged", serves)
}

/// The first free name of those that end in `suffix`, `suffix-2` and so on.
pub(in crate::disk) fn unused_name(disk: &Disk, data: &Path, suffix: &str) -> Result<PathBuf> {
    numbered_name(disk, data, suffix, |_| false).map(|(name, _)| name)
}

fn numbered_name(disk: &Disk, data: &Path, suffix: &str, serves: impl Fn(&Path) -> bool) -> Result<(PathBuf, bool)> {
    let mut name = beside(data, suffix);
    for number in 2_u64.. {
        let stat = if_there(disk.fs.stat_path(&name)).map_err(|cause| Error::io("stat", &name, &cause))?;
        match stat {
            None => break,
            Some(_) if serves(&name) => return Ok((name, true)),
            Some(_) => name = beside(data, &format!("{suffix}-{number}")),
        }
    }
    Ok((name, false))
}
