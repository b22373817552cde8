//! The trash: records that were removed or replaced, kept in `trash.jsonl` until they are brought back or expire.
//!
//! A room writes a record here before it removes or replaces it, under the lock of its own file, so that a crash between
//! both leaves the record in both places and never in none. The lock of a trash is the last that is taken.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use chrono::DateTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::disk::{Fields, JournalEdit, JournalFile, Limits, Line, Row, Stored, refuse_newer};
use crate::error::{Error, ErrorKind, Result};
use crate::finding::Examination;
use crate::home::{ForeignRecord, Home};
use crate::safety::{Sealed, SealedObject, Timestamp, Trusted};

/// What one trash keeps at most; beyond it the oldest entries are dropped.
const LIMITS: Limits = Limits { entries: 10_000, bytes: 32 << 20 };
const MILLISECONDS_OF_A_DAY: i64 = 24 * 60 * 60 * 1_000;

/// About the bytes of an entry beside its record.
const MEMBERS: usize = 512;

/// Whether a trash can keep records of these lengths, together.
pub(crate) fn holds(lengths: impl Iterator<Item = usize>) -> bool {
    let (entries, bytes) = lengths.fold((0, 0), |(entries, bytes), length| (entries + 1, bytes + length + MEMBERS));
    entries <= LIMITS.entries && bytes <= LIMITS.bytes
}

/// Refuses to remove or replace more records at once than a trash keeps, if there is one.
///
/// # Errors
/// `ValidationError`.
pub(crate) fn refuse_too_many(home: &Home, lengths: impl Iterator<Item = usize>) -> Result<()> {
    if home.config().trash_keep_days == 0 || holds(lengths) { Ok(()) } else { Err(too_many()) }
}

fn too_many() -> Error {
    Error::validation(format!(
        "the trash keeps at most {} records of {} bytes in all, and more would be removed or replaced; nothing was changed. With \
         purge, records are removed for good, and with trash.keepDays = 0 nothing is kept",
        LIMITS.entries, LIMITS.bytes
    ))
}

/// Why a record is in the trash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[non_exhaustive]
pub enum Reason {
    /// It was removed.
    Removed,
    /// Another version took its place.
    Replaced,
}

impl Reason {
    fn word(self) -> &'static str {
        match self {
            Reason::Removed => "removed",
            Reason::Replaced => "replaced",
        }
    }
}

/// An entry of a trash, without its record, which only its room can read.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entry {
    /// Identifies the entry.
    pub(crate) id: String,
    /// The room that the record is from.
    pub(crate) room: String,
    /// The kind of record, as its room names it.
    pub(crate) kind: String,
    /// The record's id.
    pub(crate) record_id: String,
    /// Why it is here.
    pub(crate) reason: Reason,
    /// When it was removed or replaced, RFC 3339 in UTC.
    pub(crate) at: String,
    /// Read by [`record_of`]. A line without one is damaged.
    #[serde(rename = "record")]
    _record: Whole,
}

/// The members of an object, which are not kept.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Whole {}

impl Line for Entry {
    const VERSION: u64 = 1;
}

const RECORD: &str = "record";

/// The record of an entry, as it was stored but for white space between its tokens.
///
/// # Errors
/// `ParseError` if the entry has none.
pub(crate) fn record_of(entry: &Stored<Entry>) -> Result<Sealed<()>> {
    let record = SealedObject::of(entry).ok().and_then(|mut members| members.take(RECORD));
    record.ok_or_else(|| Error::new(ErrorKind::Parse, "an entry of the trash has no record").about(&entry.id))
}

const FOLDER: &str = "folder";

/// The folder of an entry, if it has one.
pub(crate) fn folder_of(entry: &Stored<Entry>) -> Option<PathBuf> {
    SealedObject::of(entry).ok()?.read(FOLDER)
}

/// An entry in an archive.
const IN_ARCHIVE: ForeignRecord = ForeignRecord {
    keys: &["v", "id", "room", "kind", "recordId", "runId", FOLDER, "reason", "at", RECORD],
    ids: &["id", "recordId", "runId"],
    generated: &["at"],
};
/// The record of such an entry, of whatever room.
const RECORD_IN_ARCHIVE: ForeignRecord = ForeignRecord {
    keys: &[],
    ids: &[],
    generated: &["id", "createdAt", "updatedAt", "created_at", "updated_at", "timestamp"],
};

/// The entry that another home has stored as `json`, of a record that belongs to `folder` here.
///
/// # Errors
/// `FormatTooNew`; `SecretRefused`, `ValidationError` and `ParseError` for one that cannot be brought back.
pub(crate) fn foreign(home: &Home, archive: &Path, json: &RawValue, folder: Option<&Path>) -> Result<Stored<Entry>> {
    let damaged = || Error::new(ErrorKind::Parse, "an entry of a trash in an archive is damaged");
    let mut members: Fields = serde_json::from_str(json.get()).map_err(|_| damaged())?;
    if let Some(version) = members.get("v") {
        refuse_newer(archive, "v of a removed record", version.get(), Entry::VERSION)?;
    }
    let record = members.remove(RECORD).ok_or_else(damaged)?;
    let members = serde_json::value::to_raw_value(&members).map_err(|_| damaged())?;
    let mut entry = home.seal_foreign(&members, &IN_ARCHIVE)?;
    // An entry from the future would outlive everything here.
    let at = entry.read::<String>("at").and_then(|at| DateTime::parse_from_rfc3339(&at).ok()).ok_or_else(damaged)?;
    let now = i64::try_from(home.milliseconds()).unwrap_or(i64::MAX);
    entry.set("at", &Timestamp::from_unix_millis(at.timestamp_millis().min(now)))?;
    match folder.map(|folder| sealed_folder(home, folder)).transpose()? {
        Some(folder) if folder.get(FOLDER).is_some() => entry.overlay(folder),
        _ => drop(entry.take(FOLDER)),
    }
    entry.set(RECORD, &home.seal_foreign(&record, &RECORD_IN_ARCHIVE)?)?;
    Ok(Stored::from(entry.record::<Entry>()?))
}

/// The member with the path of a folder; none if it cannot be stored as it is.
fn sealed_folder(home: &Home, folder: &Path) -> Result<SealedObject> {
    let Some(text) = folder.to_str() else { return Ok(SealedObject::default()) };
    let (sealed, found) = home.redactor().seal(&BTreeMap::from([(FOLDER, text)]), &[FOLDER])?;
    Ok(if found.into_list().is_empty() { sealed } else { SealedObject::default() })
}

/// A record on its way to the trash.
#[derive(Debug)]
pub(crate) struct Discarded {
    members: SealedObject,
    record: Sealed<()>,
}

impl Discarded {
    /// A `record` of a room, with its kind and its id.
    ///
    /// # Errors
    /// `ValidationError` if it is too long.
    pub(crate) fn new(
        room: &'static str,
        kind: &'static str,
        id: &impl Trusted,
        record: &impl Trusted,
    ) -> Result<Discarded> {
        let mut members = SealedObject::default();
        members.set("room", &room)?;
        members.set("kind", &kind)?;
        members.set("recordId", id)?;
        // Without line ends between its tokens, which another program may have written.
        Ok(Discarded { members, record: Sealed::whole(record)? })
    }

    /// The length of its record, in bytes.
    pub(crate) fn length(&self) -> usize {
        self.record.json().get().len()
    }

    /// Adds what the room needs to find the place of the record.
    ///
    /// # Errors
    /// `ValidationError` for what cannot be written as JSON.
    pub(crate) fn with(mut self, name: &'static str, value: &impl Trusted) -> Result<Discarded> {
        self.members.set(name, value)?;
        Ok(self)
    }

    /// Adds the path of a folder, as [`folder_of`] reads it. It is not added if it cannot be stored as it is: then the record
    /// cannot be brought back, but it can be read.
    ///
    /// # Errors
    /// `ValidationError` for what cannot be written as JSON.
    pub(crate) fn in_folder(mut self, home: &Home, folder: &Path) -> Result<Discarded> {
        self.members.overlay(sealed_folder(home, folder)?);
        Ok(self)
    }

    fn into_line(self, home: &Home, reason: Reason) -> Result<Row<Stored<Entry>>> {
        let mut line = SealedObject::default();
        line.set("v", &Entry::VERSION)?;
        line.set("id", &home.new_id())?;
        line.overlay(self.members);
        line.set("reason", &reason.word())?;
        line.set("at", &home.timestamp())?;
        line.set(RECORD, &self.record)?;
        Ok(Row::Parsed(Stored::parse(line.value()?)?))
    }
}

/// What became of entries of another home.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Joined {
    /// How many were added.
    pub(crate) added: usize,
    /// For how many there is no room.
    pub(crate) left: usize,
}

/// One trash: a file beside those whose records it keeps.
#[derive(Debug, Clone)]
pub(crate) struct Trash {
    home: Home,
    path: PathBuf,
}

impl Trash {
    /// The trash at `path`; nothing is read or created yet.
    pub(crate) fn at(home: &Home, path: PathBuf) -> Self {
        Trash { home: home.clone(), path }
    }

    /// Its home.
    pub(crate) fn home(&self) -> &Home {
        &self.home
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps records, all or none of them; durable when this returns. Entries that have expired are dropped. With
    /// `trash.keepDays` 0, nothing is kept.
    ///
    /// # Errors
    /// `ValidationError` for more records than a trash keeps. `LockAcquisitionError`, `FormatTooNew`, `IOError`,
    /// `RenameError`: then nothing may be removed or replaced.
    pub(crate) fn put(&self, reason: Reason, discarded: Vec<Discarded>) -> Result<()> {
        let is_off = self.home.config().trash_keep_days == 0;
        if discarded.is_empty() || is_off && self.is_empty()? {
            return Ok(());
        }
        let discarded = if is_off { Vec::new() } else { discarded };
        let home = self.home.clone();
        self.file().update(self.home.wait_options(), move |journal| {
            let mut lines = unexpired(&home, journal.lines())?;
            let count = discarded.len();
            let added: Vec<_> = discarded.into_iter().map(|it| it.into_line(&home, reason)).collect::<Result<_>>()?;
            let kept = lines.len();
            drop_versions(&mut lines, &added)?;
            if let ([one], true) = (&*added, kept == journal.lines().len() && kept == lines.len()) {
                return Ok((vec![JournalEdit::Append(one.clone(), LIMITS)], ()));
            }
            lines.extend(added);
            LIMITS.prune(&mut lines);
            if lines.len() < count {
                return Err(too_many());
            }
            Ok((vec![JournalEdit::Replace(lines)], ()))
        })
    }

    /// The entries that have not expired, oldest first.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `FormatTooNew`, `IOError`.
    pub(crate) fn entries(&self) -> Result<Vec<Stored<Entry>>> {
        let journal = self.file().read(self.home.wait_options())?;
        let lines = unexpired(&self.home, journal.lines())?;
        lines.iter().map(|row| row.record().map(Cow::into_owned)).collect()
    }

    /// Adds entries of another home that have not expired, in the order of time, but for those that are here: the latest for which
    /// there is room. With `trash.keepDays` 0, none is.
    ///
    /// # Errors
    /// As [`put`](Self::put).
    pub(crate) fn add(&self, entries: Vec<Stored<Entry>>, dry_run: bool) -> Result<Joined> {
        let entries: Vec<_> = entries.into_iter().map(Row::Parsed).collect();
        let entries = unexpired(&self.home, &entries)?;
        if entries.is_empty() || self.home.config().trash_keep_days == 0 {
            return Ok(Joined::default());
        }
        let home = self.home.clone();
        let joined = move |lines: &[Row<Stored<Entry>>]| {
            let (mut added, here) = (missing(lines, &entries)?, unexpired(&home, lines)?);
            let (all, left) = (added.len(), LIMITS.without(&here));
            sort_by_time(&mut added)?;
            left.prune(&mut added);
            // One is always kept.
            if left.entries == 0 || added.iter().map(Row::line_bytes).sum::<usize>() > left.bytes {
                added.clear();
            }
            let count = added.len();
            let mut lines = [here, added].concat();
            sort_by_time(&mut lines)?;
            Ok::<_, Error>((lines, Joined { added: count, left: all - count }))
        };
        if dry_run {
            return Ok(joined(self.file().read(self.home.wait_options())?.lines())?.1);
        }
        self.file().update(self.home.wait_options(), move |journal| {
            let (lines, joined) = joined(journal.lines())?;
            let edit = (joined.added > 0).then_some(JournalEdit::Replace(lines));
            Ok((edit.into_iter().collect(), joined))
        })
    }

    /// Removes the entries that `is_meant`, and returns whether there were any.
    ///
    /// # Errors
    /// As [`put`](Self::put).
    pub(crate) fn take_out(&self, is_meant: impl Fn(&Entry) -> bool + Send + 'static) -> Result<()> {
        self.without(is_meant, false).map(drop)
    }

    /// Removes the entries that `is_meant` so that no byte of them is left, nor of any damaged one. Returns whether there were
    /// any.
    ///
    /// # Errors
    /// As [`put`](Self::put).
    pub(crate) fn purge(&self, is_meant: impl Fn(&Entry) -> bool + Send + 'static) -> Result<bool> {
        let was_any = self.without(is_meant, true)?;
        self.file().clear_beside(self.home.wait_options())?;
        Ok(was_any)
    }

    fn without(&self, is_meant: impl Fn(&Entry) -> bool + Send + 'static, is_purge: bool) -> Result<bool> {
        if self.is_empty()? {
            return Ok(false);
        }
        self.file().update(self.home.wait_options(), move |journal| {
            let mut lines = Vec::new();
            for row in journal.lines() {
                if !is_meant(&*row.record()?) {
                    lines.push(row.clone());
                }
            }
            let is_any_meant = lines.len() < journal.lines().len();
            // Damaged lines go to a file that is removed then.
            let is_replaced = is_any_meant || is_purge && !journal.is_whole();
            Ok((is_replaced.then_some(JournalEdit::Replace(lines)).into_iter().collect(), is_any_meant))
        })
    }

    /// Removes the whole trash, so that nothing of it is left.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `IOError`.
    pub(crate) fn erase(&self) -> Result<()> {
        self.file().erase(self.home.wait_options())
    }

    /// The error for an entry whose record its room cannot read.
    pub(crate) fn unreadable(&self, entry: &Entry) -> Error {
        Error::parse(&self.path, "the record of an entry of the trash cannot be read").about(&entry.id)
    }

    /// Checks the file. With `fix`, its intact entries are recovered.
    ///
    /// # Errors
    /// `Cancelled`. Other errors become findings.
    pub(crate) fn examine(&self, fix: bool) -> Result<Examination> {
        self.file().examine(self.home.wait_options(), fix)
    }

    fn is_empty(&self) -> Result<bool> {
        let known = self.file().peek(self.home.wait_options())?;
        Ok(known.is_some_and(|journal| journal.lines().is_empty() && journal.is_whole()))
    }

    fn file(&self) -> JournalFile<'_, Entry> {
        JournalFile::new(self.home.disk(), self.path.clone(), self.home.config().lock_timeout)
    }
}

fn sort_by_time(lines: &mut Vec<Row<Stored<Entry>>>) -> Result<()> {
    let mut dated = Vec::with_capacity(lines.len());
    for row in lines.drain(..) {
        dated.push((row.record()?.at.clone(), row));
    }
    dated.sort_by(|(one, _), (other, _)| one.cmp(other));
    lines.extend(dated.into_iter().map(|(_, row)| row));
    Ok(())
}

/// The entries that are not among `lines`, each once.
fn missing(lines: &[Row<Stored<Entry>>], entries: &[Row<Stored<Entry>>]) -> Result<Vec<Row<Stored<Entry>>>> {
    let mut known = HashSet::new();
    for row in lines {
        known.insert(row.record()?.id.clone());
    }
    let mut missing = Vec::new();
    for row in entries {
        if known.insert(row.record()?.id.clone()) {
            missing.push(row.clone());
        }
    }
    Ok(missing)
}

/// Drops those lines that have the same version of a record as one of `added`, such as one that is removed again because it
/// could not be removed before.
fn drop_versions(lines: &mut Vec<Row<Stored<Entry>>>, added: &[Row<Stored<Entry>>]) -> Result<()> {
    let mut versions = HashMap::new();
    for row in added {
        let entry = row.record()?.into_owned();
        versions.insert((entry.room.clone(), entry.record_id.clone()), record_of(&entry)?);
    }
    let mut kept = Vec::with_capacity(lines.len());
    for row in lines.drain(..) {
        let entry = row.record()?;
        let version = versions.get(&(entry.room.clone(), entry.record_id.clone()));
        if !version.is_some_and(|it| record_of(&entry).is_ok_and(|own| own.json().get() == it.json().get())) {
            drop(entry);
            kept.push(row);
        }
    }
    *lines = kept;
    Ok(())
}

/// The lines that are younger than `trash.keepDays`. One without a time never expires.
fn unexpired(home: &Home, lines: &[Row<Stored<Entry>>]) -> Result<Vec<Row<Stored<Entry>>>> {
    let now = i64::try_from(home.milliseconds()).unwrap_or(i64::MAX);
    let kept_for = i64::from(home.config().trash_keep_days).saturating_mul(MILLISECONDS_OF_A_DAY);
    let mut left = Vec::new();
    for row in lines {
        let at = DateTime::parse_from_rfc3339(&row.record()?.at).ok();
        let is_expired = |at: DateTime<_>| now.saturating_sub(at.timestamp_millis()) >= kept_for;
        if !at.is_some_and(is_expired) {
            left.push(row.clone());
        }
    }
    Ok(left)
}
