//! Removing summaries, and bringing them back from the trash.

use chrono::{DateTime, Utc};

use super::archive::name;
use super::{Summaries, Summary, Time, dated, file, old_file, within_limits};
use crate::disk::{Journal, JournalEdit, JournalFile, Row, Stored};
use crate::error::{Error, ErrorKind, Result};
use crate::repo::Repo;
use crate::room::TrashOf;
use crate::trash::{Discarded, Entry, Reason, record_of};

/// The name of the room.
pub(super) const ROOM: &str = "summary";
/// The one kind of its records.
const KIND: &str = "summary";

/// Which summaries are removed: those that match every given filter.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Which<'a> {
    /// The one with this id, as a search returns it: `RUN/STEP@TIME`.
    pub id: Option<&'a str>,
    /// Those of this run.
    pub run_id: Option<&'a str>,
    /// Those of this step.
    pub step_id: Option<&'a str>,
    /// Those before this time, RFC 3339.
    pub before: Option<&'a str>,
}

impl<'a> Which<'a> {
    setters! {
        /// The one with this id, as a search returns it: `RUN/STEP@TIME`.
        id(id: impl Into<Option<&'a str>>) => id = id.into();
        /// Those of this run.
        run(run_id: impl Into<Option<&'a str>>) => run_id = run_id.into();
        /// Those of this step.
        step(step_id: impl Into<Option<&'a str>>) => step_id = step_id.into();
        /// Those before this time, RFC 3339.
        before(before: impl Into<Option<&'a str>>) => before = before.into();
    }
}

impl Summaries {
    /// Removes the summaries that match every given filter; the trash keeps them for `trash.keepDays`. Returns how many there
    /// were.
    ///
    /// # Errors
    /// `ValidationError` without any filter, and for a time that is not RFC 3339; `SecretRefused` for an id that looks like a
    /// secret and that no summary has; those of [`list`](Self::list); `RenameError`.
    pub fn remove(&self, which: Which<'_>) -> Result<usize> {
        self.repo.call(Self::REMOVE, |repo| remove(repo, which, false))
    }

    /// As [`remove`](Self::remove), for good: with those in the trash that match, and everything damaged that was set aside of
    /// the file.
    ///
    /// # Errors
    /// Those of [`remove`](Self::remove).
    pub fn purge(&self, which: Which<'_>) -> Result<usize> {
        self.repo.call(Self::REMOVE, |repo| remove(repo, which, true))
    }
}

/// What is removed, without borrowing.
#[derive(Debug, Clone)]
struct Removed {
    id: Option<String>,
    run_id: Option<String>,
    step_id: Option<String>,
    before: Option<Time>,
}

impl Removed {
    fn of(which: Which<'_>) -> Result<Self> {
        let Which { id, run_id, step_id, before } = which;
        if id.is_none() && run_id.is_none() && step_id.is_none() && before.is_none() {
            return Err(Error::validation("pass id, runId, stepId or before, to say which summaries are removed"));
        }
        let time = |text: &str| DateTime::parse_from_rfc3339(text).map(|time| time.with_timezone(&Utc));
        let before = before
            .map(time)
            .transpose()
            .map_err(|_| Error::validation("before is not an RFC 3339 time such as 2026-12-31T00:00:00Z"))?;
        let [id, run_id, step_id] = [id, run_id, step_id].map(|it| it.map(str::to_owned));
        Ok(Removed { id, run_id, step_id, before })
    }

    fn is_meant(&self, time: Option<Time>, it: &Summary) -> bool {
        self.id.as_ref().is_none_or(|id| *id == name(it))
            && self.run_id.as_ref().is_none_or(|run| *run == it.run_id)
            && self.step_id.as_ref().is_none_or(|step| *step == it.step_id)
            && self.before.is_none_or(|before| time.is_some_and(|time| time < before))
    }

    /// The lines that are removed, and the others.
    fn split(&self, journal: &Journal<Summary>) -> Result<[Vec<Row<Stored<Summary>>>; 2]> {
        let (mut removed, mut kept) = (Vec::new(), Vec::new());
        for (time, row) in dated(journal.lines(), |_| true)? {
            let summary = row.record()?;
            let is_meant = self.is_meant(time, &summary);
            if is_meant { &mut removed } else { &mut kept }.push(row.clone());
        }
        Ok([removed, kept])
    }
}

/// Removes summaries, and returns how many.
///
/// # Errors
/// See [`Summaries::remove`](super::Summaries::remove).
fn remove(repo: &Repo, which: Which<'_>, is_purge: bool) -> Result<usize> {
    let (home, removed) = (repo.home(), Removed::of(which)?);
    let mut count = 0;
    for one in [file(repo, home.config().lock_timeout), old_file(repo)] {
        count += remove_from(&one, repo, &removed, is_purge)?;
    }
    if is_purge {
        count += purge(repo, &removed)?;
    }
    if count == 0 {
        for (name, id) in [("id", which.id), ("runId", which.run_id), ("stepId", which.step_id)] {
            id.map_or(Ok(()), |id| home.redactor().admit(name, id))?;
        }
    }
    Ok(count)
}

/// Removes summaries from one of their files, and returns how many.
fn remove_from(file: &JournalFile<'_, Summary>, repo: &Repo, removed: &Removed, is_purge: bool) -> Result<usize> {
    let (wait, trash) = (repo.home().wait_options(), repo.trash());
    // Nothing is created to find that there is nothing to remove.
    let is_any = match file.peek(wait)? {
        Some(journal) => !removed.split(&journal)?[0].is_empty() || is_purge && !journal.is_whole(),
        None => true,
    };
    let mut count = 0;
    if is_any {
        let removed = removed.clone();
        count = file.update(wait, move |journal| {
            let [gone, kept] = removed.split(journal)?;
            // Damaged lines go to a file that is removed then.
            if gone.is_empty() && (!is_purge || journal.is_whole()) {
                return Ok((Vec::new(), 0));
            }
            if !is_purge {
                trash.put(Reason::Removed, gone.iter().map(discarded).collect::<Result<_>>()?)?;
            }
            Ok((vec![JournalEdit::Replace(kept)], gone.len()))
        })?;
    }
    if is_purge {
        file.clear_beside(wait)?;
    }
    Ok(count)
}

/// Removes those in the trash too, and returns how many.
fn purge(repo: &Repo, removed: &Removed) -> Result<usize> {
    let mut ids = Vec::new();
    for entry in repo.trash().entries()?.iter().filter(|entry| entry.room == ROOM) {
        let summary = Stored::<Summary>::parse(record_of(entry)?);
        let is_meant = |it: &Stored<Summary>| {
            let time = DateTime::parse_from_rfc3339(&it.timestamp).ok().map(|time| time.with_timezone(&Utc));
            removed.is_meant(time, it)
        };
        // What cannot be read cannot be brought back either.
        if summary.is_ok_and(|it| is_meant(&it)) {
            ids.push(entry.id.clone());
        }
    }
    let count = ids.len();
    repo.trash().purge(move |entry| ids.contains(&entry.id))?;
    Ok(count)
}

/// A stored summary for the trash.
pub(super) fn discarded(row: &Row<Stored<Summary>>) -> Result<Discarded> {
    let summary = row.record()?;
    let discarded = Discarded::new(ROOM, KIND, &summary.text(|it| &it.step_id), row)?;
    discarded.with("runId", &summary.text(|it| &it.run_id))
}

/// Puts the summary of `entry` back, in the order of time.
///
/// # Errors
/// See [`KeepsTrash::restore`](crate::room::KeepsTrash::restore).
pub(super) fn restore(place: &TrashOf, entry: &Stored<Entry>) -> Result<()> {
    let unreadable = || place.trash().unreadable(entry);
    let repo = place.of_repo().filter(|_| entry.kind == KIND).ok_or_else(unreadable)?;
    let summary = Stored::<Summary>::parse(record_of(entry)?).map_err(|_| unreadable())?;
    let owned = repo.clone();
    file(repo, repo.home().config().lock_timeout).update(repo.home().wait_options(), move |journal| {
        let own = summary.json().get();
        if journal.lines().iter().any(|row| row.json().get() == own) {
            return Ok((Vec::new(), ()));
        }
        let restored = [Row::Parsed(summary.clone())];
        let mut all = dated(&restored, |_| true)?;
        all.extend(dated(journal.lines(), |_| true)?);
        all.sort_by_key(|(time, _)| *time);
        let lines = within_limits(&owned, all.into_iter().map(|(_, row)| row.clone()).collect())?;
        if !lines.iter().any(|row| row.json().get() == own) && !owned.home().config().summaries_archive {
            let message = "the repository keeps newer summaries in its place; raise memory.summariesMaxEntries or \
                           memory.summariesMaxBytes to bring this one back";
            return Err(Error::new(ErrorKind::Conflict, message).about(&summary.step_id));
        }
        Ok((vec![JournalEdit::Replace(lines)], ()))
    })
}
