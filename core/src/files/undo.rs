//! Removing files, and bringing them back from the trash.

use super::folder::{Change, Found, Place};
use super::path::{ROOT, ToolPath};
use super::record::{FileRecord, KIND, KINDS, RECORD_KINDS, ROOM, discarded};
use crate::disk::{Stat, Stored};
use crate::error::{Error, ErrorKind, Result};
use crate::room::{Counts, Forget, TrashOf};
use crate::safety::SealedText;
use crate::trash::{Discarded, Entry, Reason, record_of};

/// Removes a file or a folder.
///
/// # Errors
/// See [`Files::remove`](super::Files::remove).
pub(super) fn remove(place: &Place, path: &ToolPath<'_>, is_purge: bool) -> Result<String> {
    if path.is_root() {
        return Err(Error::validation("Cannot delete the /memories directory itself"));
    }
    let missing = || Error::new(ErrorKind::NotFound, format!("The path {path} does not exist"));
    // No lock file is created to find that there is nothing to remove.
    let is_there = !matches!(place.find(path)?, Found::Nothing);
    if is_there {
        let change = place.lock()?;
        let is_folder = match place.find(path)? {
            Found::Nothing => return Err(missing()),
            found => matches!(found, Found::Folder { .. }),
        };
        if !is_purge {
            place.trash().put(Reason::Removed, records(place, path)?)?;
        }
        change.remove(&place.full(path)?, is_folder)?;
    }
    let was_in_trash = is_purge && purge(place, path)?;
    if is_there || was_in_trash { Ok(format!("Successfully deleted {path}")) } else { Err(missing()) }
}

/// The files at a path and below it, for the trash. What is not text cannot be brought back.
fn records(place: &Place, path: &ToolPath<'_>) -> Result<Vec<Discarded>> {
    let mut records = Vec::new();
    for file in place.files(path)? {
        if let Some(record) = FileRecord::read(place, &file)? {
            records.push(discarded(&record)?);
        }
    }
    Ok(records)
}

/// Removes what the trash has of a path, and returns whether it had anything.
fn purge(place: &Place, path: &ToolPath<'_>) -> Result<bool> {
    let plain = path.plain();
    place.trash().purge(move |entry| {
        let below = entry.record_id.strip_prefix(&plain);
        entry.room == ROOM && below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
    })
}

/// Removes all files of a place, and returns how many there were.
///
/// # Errors
/// See [`KeepsRecords::forget`](crate::room::KeepsRecords::forget).
pub(super) fn forget(place: &Place, how: Forget) -> Result<Counts> {
    let mut removed = Counts::zero(RECORD_KINDS);
    removed.add(KINDS, place.all()?.len());
    if how != Forget::DryRun {
        let mut to_trash = || match how {
            Forget::ToTrash => {
                place.trash().put(Reason::Removed, records(place, &ToolPath::parse(place.home(), ROOT)?)?)
            }
            _ => Ok(()),
        };
        place.whole().remove(place.home().wait_options(), |_| true, &mut to_trash)?;
        place.home().disk().remove_tree(&place.staging())?;
    }
    Ok(removed)
}

/// Puts the file of `entry` back.
///
/// # Errors
/// See [`KeepsTrash::restore`](crate::room::KeepsTrash::restore).
pub(super) fn restore(of: &TrashOf, entry: &Stored<Entry>) -> Result<()> {
    let unreadable = || of.trash().unreadable(entry);
    let place = of.of_repo().map_or_else(|| Place::global(of.trash().home()), Place::of_repo);
    let record = Stored::<FileRecord>::parse(record_of(entry)?).map_err(|_| unreadable())?;
    if entry.kind != KIND {
        return Err(unreadable());
    }
    let path = record.tool_path(&place).map_err(|_| unreadable())?;
    let change = place.lock()?;
    let text = place.seal(&path, &record.content)?;
    let there = match place.find(&path)? {
        Found::Nothing => return put(&place, &change, (&path, &record), None, &text),
        Found::File { stat, text: Ok(there), .. } => (stat, there),
        _ => return Err(occupied(&path)),
    };
    match there {
        (_, there) if there == text.as_str() => Ok(()),
        (stat, _) if entry.reason == Reason::Replaced => {
            place.trash().put(Reason::Replaced, records(&place, &path)?)?;
            put(&place, &change, (&path, &record), Some(stat), &text)
        }
        _ => Err(occupied(&path)),
    }
}

fn put(
    place: &Place,
    change: &Change<'_>,
    (path, record): (&ToolPath<'_>, &FileRecord),
    expected: Option<Stat>,
    text: &SealedText,
) -> Result<()> {
    let is_put = change.put_dated(&place.full(path)?, expected, text, record.modified())?;
    if is_put { Ok(()) } else { Err(occupied(path)) }
}

fn occupied(path: &ToolPath<'_>) -> Error {
    let message =
        format!("there is something else at {path} again; rename or remove it first, and then bring the file back");
    Error::new(ErrorKind::Conflict, message).about(path.plain())
}
