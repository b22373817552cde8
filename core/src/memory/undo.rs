//! Records in the trash: how they get there and back.

use std::sync::Arc;

use serde_json::value::to_raw_value;

use super::document::{Kind, MemorySchema, RECORD_KINDS, Record, rows};
use super::stored::{file, own};
use crate::disk::{DocumentSchema, Edit, Json, RecordIndex, Recorded, Row, Stored};
use crate::error::{Error, ErrorKind, Result};
use crate::repo::Repo;
use crate::room::{Counts, Forget, TrashOf, is_unreadable};
use crate::trash::{Discarded, Entry, Reason, record_of};

/// The name of the room.
pub(super) const ROOM: &str = "memory";

/// A stored record for the trash.
pub(super) fn discarded(row: &Row<Record>) -> Result<Discarded> {
    let record = row.record()?;
    // It is stored already, and may be kept even if the current rules would reject it.
    let id = to_raw_value(record.id()).map_err(|cause| Error::internal("an id is not a text").because(cause))?;
    Discarded::new(ROOM, record.kind().name(), &Json::stored(id), row)
}

/// Removes all records with their file, and returns how many there were.
///
/// # Errors
/// See [`KeepsRecords::forget`](crate::room::KeepsRecords::forget).
pub(super) fn forget(repo: &Repo, how: Forget) -> Result<Counts> {
    let (file, wait, trash) = (file(repo), repo.home().wait_options(), repo.trash());
    let memory = match own(repo) {
        Ok(memory) => memory,
        Err(error) if how == Forget::Purge && is_unreadable(&error) => Arc::default(),
        Err(error) => return Err(error),
    };
    let mut removed = Counts::zero(RECORD_KINDS);
    rows(&memory).for_each(|(kind, _)| removed.add(kind.plural(), 1));
    match how {
        Forget::DryRun => return Ok(removed),
        Forget::Purge => {
            file.erase(wait)?;
            return Ok(removed);
        }
        Forget::ToTrash if removed.total() == 0 => {}
        Forget::ToTrash => file.update(wait, move |memory| {
            trash.put(Reason::Removed, rows(memory).map(|(_, row)| discarded(row)).collect::<Result<_>>()?)?;
            let all = Kind::ALL.iter().map(|kind| kind.section());
            let places = all.flat_map(|section| {
                (0..memory.section(section).len()).map(move |index| RecordIndex { section, index })
            });
            Ok((places.map(Edit::Remove).collect(), ()))
        })?,
    }
    file.remove_if_empty(wait)?;
    Ok(removed)
}

/// Puts the record of `entry` back.
///
/// # Errors
/// See [`KeepsTrash::restore`](crate::room::KeepsTrash::restore).
pub(super) fn restore(place: &TrashOf, entry: &Stored<Entry>) -> Result<()> {
    let unreadable = || place.trash().unreadable(entry);
    let (Some(repo), Some(kind)) = (place.of_repo(), Kind::ALL.iter().find(|kind| kind.name() == entry.kind)) else {
        return Err(unreadable());
    };
    let record = MemorySchema::reader(kind.section())(&Json::from(record_of(entry)?)).map_err(|_| unreadable())?;
    let (kind, reason, trash) = (*kind, entry.reason, place.trash().clone());
    file(repo).update(repo.home().wait_options(), move |memory| {
        let Some((index, present)) = memory.find(record.id())? else {
            return Ok((vec![Edit::Add(kind.section(), Row::Parsed(record))], ()));
        };
        if present.json().get() == record.json().get() {
            return Ok((Vec::new(), ()));
        }
        if reason == Reason::Removed || index.section != kind.section() {
            let (id, there) = (record.id(), present.record()?.kind().name());
            let message = format!(
                "there is a {there} with the id {id} again; remove it first (loopmem memory rm {id}), and then bring this one \
                 back"
            );
            return Err(Error::new(ErrorKind::Conflict, message).about(id));
        }
        trash.put(Reason::Replaced, vec![discarded(present)?])?;
        Ok((vec![Edit::Change(index, Row::Parsed(record))], ()))
    })
}
