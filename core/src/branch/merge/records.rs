//! The merge of files of records, one JSON value on each line.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::fmt;

use super::json;
use super::merged::Merged;
use super::value::{Kind, Value};
use crate::error::Result;

/// Merges files of records.
///
/// A record is identified by its `id` if no version has that id twice, and by its text otherwise, as is a line that is
/// not JSON: a writer may have died before its end, which must not cost others their records. Lines are kept byte for
/// byte: first those of theirs in its order, then the additions of ours in its order.
pub(super) fn merge(base: Option<&str>, ours: &str, theirs: &str, check: &dyn Fn() -> Result<()>) -> Result<Merged> {
    let mut ids = HashMap::new();
    let base_records = read(base.unwrap_or_default(), &mut ids, check)?;
    let (our_records, their_records) = (read(ours, &mut ids, check)?, read(theirs, &mut ids, check)?);
    // Blank lines and white space around a record are no changes.
    if is_same(&base_records, &their_records) {
        return Ok(Merged::clean(ours));
    }
    if is_same(&base_records, &our_records) {
        return Ok(Merged::clean(theirs));
    }
    merge_records(&base_records, &our_records, &their_records, check)
}

/// A record of a version.
struct Record<'t> {
    /// Its line, without the line break.
    line: &'t str,
    /// Its line, without the white space around the value.
    text: &'t str,
    /// Its id, if it is an object with an id.
    id: Option<Id<'t>>,
}

/// The member `id` of a record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Id<'t> {
    /// A number, as it is spelled.
    Number(&'t str),
    /// The contents of a string.
    String(Cow<'t, str>),
}

impl fmt::Display for Id<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Number(number) => f.write_str(number),
            Id::String(string) => f.write_str(string),
        }
    }
}

/// Parses a version. `ids` caches the id by text, because most records are in all three versions.
fn read<'t>(
    version: &'t str,
    ids: &mut HashMap<&'t str, Option<Id<'t>>>,
    check: &dyn Fn() -> Result<()>,
) -> Result<Vec<Record<'t>>> {
    let lines = version.split('\n').map(|line| (line, line.trim_matches([' ', '\t', '\r'])));
    let records = lines.filter(|(_, text)| !text.is_empty()).map(|(line, text)| {
        check()?;
        let id = match ids.entry(text) {
            Entry::Occupied(known) => known.into_mut(),
            // A merge takes many times the memory of a record.
            Entry::Vacant(unknown) if text.len() as u64 > json::MAX_BYTES => unknown.insert(None),
            Entry::Vacant(unknown) => unknown.insert(Value::parse(text, check)?.and_then(id)),
        };
        Ok(Record { line, text, id: id.clone() })
    });
    records.collect()
}

/// The id of a record; `None` if it is not an object with an id.
fn id(value: Value<'_>) -> Option<Id<'_>> {
    let Kind::Object(mut members) = value.kind else { return None };
    match members.remove("id")?.value.kind {
        Kind::Number(number) => Some(Id::Number(number)),
        Kind::String(string) => Some(Id::String(string)),
        _ => None,
    }
}

/// Returns whether two versions have the same records in the same order.
fn is_same(one: &[Record<'_>], other: &[Record<'_>]) -> bool {
    one.iter().map(|record| record.text).eq(other.iter().map(|record| record.text))
}

/// The identity of a record across the versions.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key<'r> {
    /// An id that no version has twice.
    Id(&'r Id<'r>),
    /// The text of any other record.
    Text(&'r str),
}

/// The ids that a version has more than once, which therefore identify no record.
fn repeated<'r>(versions: [&'r [Record<'r>]; 3]) -> HashSet<&'r Id<'r>> {
    let mut repeated = HashSet::new();
    for version in versions {
        let mut seen = HashSet::new();
        repeated.extend(version.iter().filter_map(|record| record.id.as_ref()).filter(|id| !seen.insert(*id)));
    }
    repeated
}

/// The copies of one record in a version.
#[derive(Clone, Copy, Default)]
struct Copies<'r> {
    /// Their number.
    count: usize,
    /// One of them.
    record: Option<&'r Record<'r>>,
}

/// The copies of one record in each version.
#[derive(Default)]
struct Slot<'r> {
    base: Copies<'r>,
    ours: Copies<'r>,
    theirs: Copies<'r>,
}

/// The way in which a record is written.
struct Resolution<'r> {
    /// The merged line; `None` if each copy keeps its line.
    line: Option<Cow<'r, str>>,
    /// The number of copies of theirs that are skipped before the first that is written.
    skip_theirs: usize,
    /// The number of copies of ours that are skipped before the first that is written in addition to those of theirs.
    skip_ours: usize,
    /// True if something of theirs was overridden.
    is_conflict: bool,
}

/// Merges parsed versions.
fn merge_records<'r>(
    base: &'r [Record<'r>],
    ours: &'r [Record<'r>],
    theirs: &'r [Record<'r>],
    check: &dyn Fn() -> Result<()>,
) -> Result<Merged> {
    let repeated = repeated([base, ours, theirs]);
    let key = |record: &'r Record<'r>| match &record.id {
        Some(id) if !repeated.contains(id) => Key::Id(id),
        _ => Key::Text(record.text),
    };
    let mut slots: HashMap<Key<'_>, Slot<'_>> = HashMap::new();
    for record in base {
        check()?;
        slots.entry(key(record)).or_default().base.add(record);
    }
    for record in ours {
        check()?;
        slots.entry(key(record)).or_default().ours.add(record);
    }
    for record in theirs {
        check()?;
        slots.entry(key(record)).or_default().theirs.add(record);
    }
    let resolved = slots.into_iter().map(|(key, slot)| Ok((key, slot.resolve(key, check)?)));
    let mut resolutions = resolved.collect::<Result<HashMap<_, _>>>()?;

    let mut text = String::new();
    for record in theirs {
        if let Some(resolution) = resolutions.get_mut(&key(record)) {
            write(&mut text, record, resolution.line.as_deref(), &mut resolution.skip_theirs);
        }
    }
    for record in ours {
        if let Some(resolution) = resolutions.get_mut(&key(record)) {
            write(&mut text, record, resolution.line.as_deref(), &mut resolution.skip_ours);
        }
    }
    let is_conflict = |record: &&'r Record<'r>| resolutions.get(&key(record)).is_some_and(|it| it.is_conflict);
    let ids = ours.iter().filter(is_conflict).filter_map(|record| record.id.as_ref());
    let records: Vec<String> = ids.map(Id::to_string).collect();
    Ok(Merged { is_conflict: !records.is_empty(), records, ..Merged::clean(text) })
}

/// Writes a record, unless this copy is to be skipped.
fn write(text: &mut String, record: &Record<'_>, line: Option<&str>, skip: &mut usize) {
    if *skip > 0 {
        *skip -= 1;
        return;
    }
    text.push_str(line.unwrap_or(record.line));
    text.push('\n');
}

impl<'r> Copies<'r> {
    /// Counts a copy.
    fn add(&mut self, record: &'r Record<'r>) {
        self.count += 1;
        self.record = Some(record);
    }
}

impl<'r> Slot<'r> {
    /// Merges the copies of the record.
    ///
    /// Of the copies of a side, the last ones are written: if a side appended some, it is those.
    fn resolve(&self, key: Key<'_>, check: &dyn Fn() -> Result<()>) -> Result<Resolution<'r>> {
        let (count, line, is_conflict) = match key {
            Key::Text(_) => (self.merged_count(), None, false),
            Key::Id(_) => {
                let (line, is_conflict) = self.merged_line(check)?;
                (usize::from(line.is_some()), line, is_conflict)
            }
        };
        let skip_theirs = self.theirs.count.saturating_sub(count);
        let skip_ours = self.ours.count.saturating_sub(count.saturating_sub(self.theirs.count));
        Ok(Resolution { line, skip_theirs, skip_ours, is_conflict })
    }

    /// The number of copies of a record without an id in the result.
    ///
    /// Copies that both sides added count once, and so do copies that both removed. If one side added copies and the
    /// other removed some, the count of the side that added wins. Subtracting the removed copies was considered; but
    /// then merging the result with ours again would add the copies of ours once more.
    fn merged_count(&self) -> usize {
        let (base, ours, theirs) = (self.base.count, self.ours.count, self.theirs.count);
        if ours > base || theirs > base { ours.max(theirs) } else { ours.min(theirs) }
    }

    /// The line of a record with an id, or `None` if it was removed, and whether something of theirs was overridden.
    fn merged_line(&self, check: &dyn Fn() -> Result<()>) -> Result<(Option<Cow<'r, str>>, bool)> {
        check()?;
        let base = self.base.record;
        Ok(match (self.ours.record, self.theirs.record) {
            (Some(ours), Some(theirs)) => {
                // Both lines have been parsed before, so the fallback is never used.
                let merged = merge_lines(base, ours, theirs, check)?.unwrap_or((Cow::Borrowed(ours.line), true));
                (Some(merged.0), merged.1)
            }
            (ours, theirs) => {
                let is_untouched = |record: &&Record<'_>| base.is_some_and(|base| base.text == record.text);
                let record = ours.or(theirs).filter(|record| !is_untouched(record));
                (record.map(|record| Cow::Borrowed(record.line)), false)
            }
        })
    }
}

/// Merges two records with the same id: returns the line of the side that changed it, or both merged by key path.
fn merge_lines<'r>(
    base: Option<&Record<'_>>,
    ours: &Record<'r>,
    theirs: &Record<'r>,
    check: &dyn Fn() -> Result<()>,
) -> Result<Option<(Cow<'r, str>, bool)>> {
    let base = base.map(|base| base.text);
    if ours.text == theirs.text || base == Some(ours.text) {
        return Ok(Some((Cow::Borrowed(theirs.line), false)));
    }
    if base == Some(theirs.text) {
        return Ok(Some((Cow::Borrowed(ours.line), false)));
    }
    json::merge_text(base, ours.line, theirs.line, check)
}
