//! Removing everything that a room keeps for a repository.

use crate::disk::{JournalEdit, JournalFile, Line, Row, Stored};
use crate::error::{Error, ErrorKind, Result};
use crate::repo::Repo;
use crate::trash::{Discarded, Reason};

/// How the records of a repository are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forget {
    /// They are only counted.
    DryRun,
    /// They go to the trash of the repository.
    ToTrash,
    /// For good: nothing of them is left, not even what is damaged.
    Purge,
}

/// Removes all lines of a journal with its file, and returns how many there were. `discarded` is a line for the trash.
///
/// # Errors
/// Those of the journal and of the trash; a file that cannot be read is an error, unless it is purged.
pub(crate) fn forget_lines<L: Line>(
    file: &JournalFile<'_, L>,
    repo: &Repo,
    how: Forget,
    discarded: fn(&Row<Stored<L>>) -> Result<Discarded>,
) -> Result<usize> {
    let (wait, trash) = (repo.home().wait_options(), repo.trash());
    let count = match file.read(wait) {
        Ok(journal) => journal.lines().len(),
        Err(error) if how == Forget::Purge && is_unreadable(&error) => 0,
        Err(error) => return Err(error),
    };
    match how {
        Forget::DryRun => return Ok(count),
        Forget::Purge => {
            file.erase(wait)?;
            return Ok(count);
        }
        Forget::ToTrash if count == 0 => {}
        Forget::ToTrash => file.update(wait, move |journal| {
            trash.put(Reason::Removed, journal.lines().iter().map(discarded).collect::<Result<_>>()?)?;
            Ok((vec![JournalEdit::Replace(Vec::new())], ()))
        })?,
    }
    file.remove_if_empty(wait)?;
    Ok(count)
}

/// Whether a file is damaged, or was written by a newer version, so that its records cannot be counted.
pub(crate) fn is_unreadable(error: &Error) -> bool {
    [ErrorKind::Parse, ErrorKind::FormatTooNew].contains(&error.kind())
}
