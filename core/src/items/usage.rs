//! How often items were recalled and used: `counters.jsonl`, under the home, so that a recall changes no file that a team keeps
//! in git.
//!
//! Each line adds to the counts of one item. When the file has become long, it is replaced by one line for each item.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use foldhash::HashMap;
use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_64;

use super::expiry;
use super::record::Counters;
use crate::disk::{
    Json, Line, LineEdit, LineFile, LineIndex, LineRef, LineSnapshot, Recent, Stored, WaitOptions, read_record,
};
use crate::error::{Error, ErrorKind, Result};
use crate::finding::Examination;
use crate::home::Home;
use crate::safety::{Sealed, SealedObject, Timestamp};
use crate::warning::Warning;

/// The size in bytes at which the file is replaced by sums.
const MAX_BYTES: u64 = 256 << 10;
/// How many files of counts a process remembers.
const CAPACITY: usize = 64;

/// The longest wait for the lock to count that an item was recalled.
const MAX_WAIT: Duration = Duration::from_millis(200);

/// The counts that a line adds to an item.
#[derive(Debug, Clone, Deserialize)]
struct Added {
    id: String,
    #[serde(default)]
    seen: u64,
    #[serde(default)]
    used: u64,
    /// When it was last used, in milliseconds since 1970.
    #[serde(default)]
    at: Option<u64>,
}

impl Added {
    fn sum(&self) -> Sum {
        Sum { seen: self.seen, used: self.used, at: self.at }
    }
}

impl Line for Added {
    const VERSION: u64 = 1;
}

/// The sum of the lines of a file.
#[derive(Debug, Clone, Default)]
pub(super) struct Sums {
    snapshot: Arc<LineSnapshot>,
    /// By the hash of the id.
    sums: HashMap<u64, (Box<str>, Sum)>,
}

/// The counts of one item.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) seen: u64,
    pub(super) used: u64,
    /// When it was last used, in milliseconds since 1970.
    pub(super) at: Option<u64>,
}

impl Sum {
    /// As they are part of an item.
    pub(super) fn sealed(self) -> Result<SealedObject> {
        let mut counters = SealedObject::default();
        counters.set("seen_count", &self.seen)?;
        counters.set("used_count", &self.used)?;
        if let Some(at) = self.at {
            counters.set("last_used_at", &timestamp(at))?;
        }
        Ok(counters)
    }

    /// Both together.
    pub(super) fn and(self, other: Sum) -> Self {
        Sum {
            seen: self.seen.saturating_add(other.seen),
            used: self.used.saturating_add(other.used),
            at: self.at.max(other.at),
        }
    }

    /// The difference that makes `self` at least `other`.
    pub(super) fn missing_to(self, other: Sum) -> Option<Sum> {
        let (seen, used) = (other.seen.saturating_sub(self.seen), other.used.saturating_sub(self.used));
        (seen + used > 0).then_some(Sum { seen, used, at: other.at.filter(|_| used > 0) })
    }

    /// Those that are stored in an item.
    pub(super) fn of(counters: &Counters) -> Self {
        let at = counters.last_used_at.as_deref().and_then(expiry::millis).and_then(|at| u64::try_from(at).ok());
        Sum { seen: counters.seen_count, used: counters.used_count, at }
    }
}

fn timestamp(millis: u64) -> Timestamp {
    Timestamp::from_unix_millis(i64::try_from(millis).unwrap_or(0))
}

/// The counts of the items of one store.
#[derive(Debug, Clone)]
pub(super) struct Usage {
    path: PathBuf,
}

/// The sums of the process.
static KEPT: Recent<Arc<Sums>> = Recent::new(CAPACITY);

/// Forgets all sums.
#[cfg(feature = "testing")]
pub(super) fn forget() {
    KEPT.clear();
}

impl Usage {
    /// The counts in the folder of a store under the home.
    pub(super) fn new(folder: &std::path::Path) -> Self {
        Usage { path: folder.join("counters.jsonl") }
    }

    fn file<'h>(&self, home: &'h Home) -> LineFile<'h> {
        LineFile::private(home.disk(), self.path.clone(), home.config().lock_timeout)
    }

    /// The counts of all items.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `FormatTooNew`, `IOError`.
    pub(super) fn read(&self, home: &Home) -> Result<Arc<Sums>> {
        let snapshot = self.file(home).read(home.wait_options())?;
        let known = KEPT.take(&self.path).unwrap_or_default();
        let sums = if Arc::ptr_eq(&known.snapshot, &snapshot) {
            known
        } else {
            Arc::new(self.sum(home, Arc::unwrap_or_clone(known), snapshot)?)
        };
        KEPT.put(&self.path, Arc::clone(&sums));
        Ok(sums)
    }

    /// The sums of `snapshot`, which may have the lines that `known` is the sum of, and more.
    fn sum(&self, home: &Home, known: Sums, snapshot: Arc<LineSnapshot>) -> Result<Sums> {
        let begins = |new: &[LineRef], old: &[LineRef]| {
            new.len() >= old.len() && new.iter().zip(old).all(|(new, old)| new.hash == old.hash)
        };
        let before = known.snapshot.chunks();
        let is_longer = before.len() <= snapshot.chunks().len()
            && before
                .iter()
                .zip(snapshot.chunks())
                .all(|(old, new)| old.id() == new.id() || begins(new.lines(), old.lines()));
        let mut sums = if is_longer { known.sums } else { HashMap::default() };
        for (at, chunk) in snapshot.chunks().iter().enumerate() {
            let done = before.get(at).filter(|_| is_longer).map_or(0, |old| old.lines().len());
            if done == chunk.lines().len() {
                continue;
            }
            for (_, added) in self.lines(home, &snapshot, at, done)? {
                let (_, sum) = sums
                    .entry(xxh3_64(added.id.as_bytes()))
                    .or_insert_with(|| (added.id.as_str().into(), Sum::default()));
                *sum = sum.and(added.sum());
            }
        }
        Ok(Sums { snapshot, sums })
    }

    /// The lines of a chunk from the one with this number on, with their numbers. A line that is damaged or of a newer format is not worth an error: the
    /// doctor reports it.
    fn lines(
        &self,
        home: &Home,
        snapshot: &LineSnapshot,
        chunk: usize,
        from: usize,
    ) -> Result<Vec<(usize, Stored<Added>)>> {
        let texts = snapshot.texts(home.disk(), chunk)?.into_iter().enumerate().skip(from);
        let read = |(line, text): (usize, Option<Vec<u8>>)| Some((line, read_record(&self.path, line, &text?).ok()?));
        Ok(texts.filter_map(read).collect())
    }

    /// Counts that these items were recalled; an id that cannot be stored is not counted. The counts survive the end of the
    /// process, but not necessarily a power loss.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    pub(super) fn seen(&self, home: &Home, ids: &[&str]) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let wait = home.wait_options();
        // The answer is ready already, so it is not held back for a count.
        let wait = WaitOptions::new(Some(wait.timeout.unwrap_or(MAX_WAIT).min(MAX_WAIT)), wait.cancel.clone());
        let seen = Sum { seen: 1, ..Sum::default() };
        let length = self.file(home).append_lazily(&wait, || {
            Ok(ids.iter().filter_map(|id| Some(Json::from(line(home, id, seen).ok()?))).collect())
        })?;
        if length > MAX_BYTES {
            self.shorten(home);
        }
        Ok(())
    }

    /// Adds to the counts of items, durably.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    pub(super) fn add(&self, home: &Home, added: &[(String, Sum)]) -> Result<()> {
        if added.is_empty() {
            return Ok(());
        }
        let lines = added.iter().map(|(id, sum)| Ok(LineEdit::Append(Json::from(line(home, id, *sum)?))));
        let edits = lines.collect::<Result<Vec<_>>>()?;
        self.file(home).update(home.wait_options(), move |_| Ok((edits, ())))?;
        self.shorten(home);
        Ok(())
    }

    /// Removes what [`add`](Self::add) has added.
    ///
    /// # Errors
    /// `Conflict` if another process has summed the lines up since; those of [`read`](Self::read).
    pub(super) fn take_back(&self, home: &Home, mut added: Vec<(String, Sum)>) -> Result<()> {
        if added.is_empty() {
            return Ok(());
        }
        let (usage, home_of_change) = (self.clone(), home.clone());
        self.file(home).update(&home.wait_options().to_finish(), move |draft| {
            let snapshot = draft.snapshot();
            let mut edits = Vec::new();
            // They are among the last lines.
            for chunk in (0..snapshot.chunks().len()).rev() {
                for (line, text) in usage.lines(&home_of_change, &snapshot, chunk, 0)?.into_iter().rev() {
                    let is_of_line = |(id, sum): &(String, Sum)| *id == text.id && *sum == text.sum();
                    if let Some(at) = added.iter().position(is_of_line) {
                        added.swap_remove(at);
                        edits.push(LineEdit::Remove(LineIndex { chunk, line }));
                    }
                }
                if added.is_empty() {
                    return Ok((edits, ()));
                }
            }
            Err(Error::new(ErrorKind::Conflict, "another process has summed up the counts of items").at(&usage.path))
        })
    }

    /// Adds what is missing for the counts to be at least `wanted`, durably. Others may do the same at once: what one of them
    /// has added, no other adds again.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    pub(super) fn raise(&self, home: &Home, wanted: Vec<(String, Sum)>) -> Result<()> {
        if wanted.is_empty() {
            return Ok(());
        }
        let (usage, home_of_change) = (self.clone(), home.clone());
        self.file(home).update(home.wait_options(), move |draft| {
            let known = usage.sum(&home_of_change, Sums::default(), Arc::new(draft.snapshot()))?;
            let missing = |(id, wanted): &(String, Sum)| {
                let missing = known.of(id).unwrap_or_default().missing_to(*wanted)?;
                Some(line(&home_of_change, id, missing).map(|line| LineEdit::Append(Json::from(line))))
            };
            Ok((wanted.iter().filter_map(missing).collect::<Result<Vec<_>>>()?, ()))
        })?;
        self.shorten(home);
        Ok(())
    }

    /// Removes the counts of these items, and what was set aside of the file.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    pub(super) fn forget(&self, home: &Home, ids: BTreeSet<String>) -> Result<()> {
        if !self.read(home)?.is_empty() {
            let (usage, home_of_change) = (self.clone(), home.clone());
            self.file(home).update(home.wait_options(), move |draft| {
                let snapshot = draft.snapshot();
                let mut edits = Vec::new();
                for chunk in 0..snapshot.chunks().len() {
                    for (line, added) in usage.lines(&home_of_change, &snapshot, chunk, 0)? {
                        if ids.contains(&added.id) {
                            edits.push(LineEdit::Remove(LineIndex { chunk, line }));
                        }
                    }
                }
                Ok((edits, ()))
            })?;
        }
        self.file(home).clear_beside(home.wait_options())
    }

    /// Replaces a long file by the sums of its lines. What was counted before is stored in any case, so a failure is no
    /// error.
    fn shorten(&self, home: &Home) {
        if let Err(error) = self.try_to_shorten(home) {
            let warning = Warning::new("the counts of items could not be summed up; they are still complete");
            warning.because(&error).at(&self.path).emit(home.redactor());
        }
    }

    fn try_to_shorten(&self, home: &Home) -> Result<()> {
        let sums = self.read(home)?;
        if sums.snapshot.file_bytes() <= MAX_BYTES.max(sums.sums.len() as u64 * 256) {
            return Ok(());
        }
        let (usage, home_of_change) = (self.clone(), home.clone());
        self.file(home).update(home.wait_options(), move |draft| {
            let home = home_of_change;
            let snapshot = Arc::new(draft.snapshot());
            let sums = usage.sum(&home, Sums::default(), Arc::clone(&snapshot))?;
            let mut all: Vec<_> = sums.sums.into_values().collect();
            all.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
            let mut edits = Vec::new();
            // Lines that were not understood stay.
            for chunk in 0..snapshot.chunks().len() {
                let summed = usage.lines(&home, &snapshot, chunk, 0)?.into_iter();
                edits.extend(summed.map(|(line, _)| LineEdit::Remove(LineIndex { chunk, line })));
            }
            for (id, sum) in all {
                edits.push(LineEdit::Append(Json::from(line(&home, &id, sum)?)));
            }
            Ok((edits, ()))
        })
    }

    /// Checks the file; with `fix`, recovers every intact line.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(super) fn examine(&self, home: &Home, fix: bool) -> Result<Examination> {
        let read = |number: usize, line: &[u8]| read_record::<Added>(&self.path, number, line).map(drop);
        self.file(home).examine(home.wait_options(), fix, &read)
    }
}

impl Sums {
    /// The counts of an item.
    pub(super) fn of(&self, id: &str) -> Option<Sum> {
        self.of_hash(xxh3_64(id.as_bytes()))
    }

    /// True if nothing was ever counted.
    pub(super) fn is_empty(&self) -> bool {
        self.sums.is_empty()
    }

    /// The counts of the item whose id has this hash.
    pub(super) fn of_hash(&self, hash: u64) -> Option<Sum> {
        self.sums.get(&hash).map(|(_, sum)| *sum)
    }
}

fn line(home: &Home, id: &str, sum: Sum) -> Result<Sealed<Added>> {
    let mut line = SealedObject::default();
    line.set("id", &home.redactor().admit_id("id", id)?)?;
    if sum.seen > 0 {
        line.set("seen", &sum.seen)?;
    }
    if sum.used > 0 {
        line.set("used", &sum.used)?;
    }
    if let Some(at) = sum.at {
        line.set("at", &at)?;
    }
    Ok(line.record()?)
}
