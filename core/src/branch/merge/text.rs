//! The merge of text by lines.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::difference::{Hunk, difference};
use super::merged::Merged;
use crate::error::Result;

/// Merges text; `None` if the versions cannot be merged.
///
/// Of each line of base, the side counts that changed it. What both sides insert at the same place, such as the end, is kept,
/// theirs first. If one side removed a line and the other changed it, the change stays; if both changed it, that is a
/// conflict, and ours stays.
pub(super) fn merge(
    base: Option<&str>,
    ours: &str,
    theirs: &str,
    check: &dyn Fn() -> Result<()>,
) -> Result<Option<Merged>> {
    let Some(base) = base else { return Ok(longer(ours, theirs).map(Merged::clean)) };
    match merge_appended(base, ours, theirs) {
        Some(merged) => Ok(Some(merged)),
        None => merge_lines(base, ours, theirs, check).map(Some),
    }
}

/// The side that begins with all lines of the other; `None` if neither does.
fn longer<'t>(ours: &'t str, theirs: &'t str) -> Option<&'t str> {
    if terminated(ours).starts_with(&*terminated(theirs)) {
        return Some(ours);
    }
    terminated(theirs).starts_with(&*terminated(ours)).then_some(theirs)
}

/// Merges versions to which both sides only appended; `None` if a side did anything else. If one tail begins or ends
/// with the other, it contains both.
fn merge_appended(base: &str, ours: &str, theirs: &str) -> Option<Merged> {
    let (our_text, their_text) = (terminated(ours), terminated(theirs));
    let (our_tail, their_tail) = (tail(base, &our_text)?, tail(base, &their_text)?);
    if includes(our_tail, their_tail) {
        return Some(Merged::clean(ours));
    }
    if includes(their_tail, our_tail) {
        return Some(Merged::clean(theirs));
    }
    Some(Merged::clean([&*their_text, our_tail].concat()))
}

/// A text with a line break after its last line, of the kind that follows its first line.
fn terminated(text: &str) -> Cow<'_, str> {
    if text.is_empty() || text.ends_with('\n') {
        return Cow::Borrowed(text);
    }
    let has_return = text.split_once('\n').is_some_and(|(line, _)| line.ends_with('\r'));
    Cow::Owned([text, if has_return { "\r\n" } else { "\n" }].concat())
}

/// The lines of a text after those of base; `None` if it does not begin with them. The last line of base may lack its
/// line break.
fn tail<'t>(base: &str, text: &'t str) -> Option<&'t str> {
    let tail = text.strip_prefix(base)?;
    if base.is_empty() || base.ends_with('\n') {
        return Some(tail);
    }
    tail.strip_prefix("\r\n").or_else(|| tail.strip_prefix('\n'))
}

/// Returns whether lines begin or end with other lines. The tail of an earlier merge's result ends with the tail of ours.
fn includes(lines: &str, others: &str) -> bool {
    lines.starts_with(others) || lines.strip_suffix(others).is_some_and(|rest| rest.is_empty() || rest.ends_with('\n'))
}

/// Merges versions line by line.
fn merge_lines(base: &str, ours: &str, theirs: &str, check: &dyn Fn() -> Result<()>) -> Result<Merged> {
    let texts = [base, ours, theirs].map(terminated);
    let mut numbers = HashMap::new();
    let mut versions = [const { Version { lines: Vec::new(), numbers: Vec::new() } }; 3];
    for (text, version) in texts.iter().zip(&mut versions) {
        for line in text.split_inclusive('\n') {
            check()?;
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            version.numbers.push(*numbers.entry(line).or_insert(next));
            version.lines.push(line);
        }
    }
    let [base_lines, our_lines, their_lines] = &versions;
    let hunks = [our_lines, their_lines].map(|side| difference(&base_lines.numbers, &side.numbers, check));
    let [our_hunks, their_hunks] = hunks;
    let mut merge = Merge { base: &base_lines.lines, merged: Vec::new(), is_conflict: false };
    merge.run([(&our_lines.lines, our_hunks?), (&their_lines.lines, their_hunks?)], check)?;
    let mut text = merge.merged.concat();
    let [_, our_text, their_text] = &texts;
    if text == **our_text {
        ours.clone_into(&mut text);
    } else if text == **their_text {
        theirs.clone_into(&mut text);
    } else if !ours.ends_with('\n') && !theirs.ends_with('\n') {
        let end = text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n')).map_or(text.len(), str::len);
        text.truncate(end);
    }
    Ok(Merged { bytes: text.into_bytes(), is_conflict: merge.is_conflict })
}

/// The lines of a version, and their numbers: equal ones have the same.
struct Version<'t> {
    lines: Vec<&'t str>,
    numbers: Vec<u32>,
}

/// One change of a side: lines of base, and what it has in their place.
#[derive(Debug, Clone)]
struct Edit<'l, 't> {
    base: Range<usize>,
    lines: &'l [&'t str],
}

impl Edit<'_, '_> {
    fn is_insertion(&self) -> bool {
        self.base.is_empty()
    }

    /// Whether it has other lines in the place of lines of base.
    fn is_replacement(&self) -> bool {
        !self.base.is_empty() && !self.lines.is_empty()
    }

    /// Whether it is an insertion, or the change or removal of one line.
    fn is_of_a_line(&self) -> bool {
        self.is_insertion() || (self.base.len() == 1 && self.lines.len() <= 1)
    }
}

/// The edits of a side, in order.
type Edits<'l, 't> = [Edit<'l, 't>];

/// A merge of lines.
struct Merge<'l, 't> {
    base: &'l [&'t str],
    merged: Vec<&'t str>,
    is_conflict: bool,
}

impl<'l, 't> Merge<'l, 't> {
    /// Merges the hunks of ours and theirs, given with the lines of both.
    fn run(&mut self, sides: [(&'l [&'t str], Vec<Hunk>); 2], check: &dyn Fn() -> Result<()>) -> Result<()> {
        let [ours, theirs] = sides.map(|(lines, hunks)| {
            let edit = |hunk: Hunk| Edit { base: hunk.base, lines: lines.get(hunk.lines).unwrap_or_default() };
            hunks.into_iter().map(edit).collect::<Vec<_>>()
        });
        let (mut ours, mut theirs, mut at) = (&*ours, &*theirs, 0);
        while let Some(start) = [ours.first(), theirs.first()].into_iter().flatten().map(|edit| edit.base.start).min() {
            check()?;
            // Edits that touch each other are merged together.
            let mut end = start;
            let (mut our_count, mut their_count) = (0, 0);
            loop {
                let grown = (reach(ours, &mut our_count, &mut end), reach(theirs, &mut their_count, &mut end));
                if grown == (false, false) {
                    break;
                }
            }
            let (our_group, our_rest) = ours.split_at(our_count);
            let (their_group, their_rest) = theirs.split_at(their_count);
            self.keep(at..start);
            self.group(start..end, our_group, their_group);
            (ours, theirs, at) = (our_rest, their_rest, end);
        }
        self.keep(at..self.base.len());
        Ok(())
    }

    /// Merges edits that touch each other. Whatever is done in a conflict has to be done again if its result is merged with
    /// either side.
    fn group(&mut self, range: Range<usize>, ours: &Edits<'l, 't>, theirs: &Edits<'l, 't>) {
        if includes_edits(ours, theirs) {
            return self.version(range, ours);
        }
        if includes_edits(theirs, ours) {
            return self.version(range, theirs);
        }
        let split = |edits: &Edits<'l, 't>| edits.iter().flat_map(|edit| self.split(edit)).collect::<Vec<_>>();
        let (our_parts, mut their_parts) = (split(ours), split(theirs));
        let mut merge = Merge { base: self.base, merged: Vec::new(), is_conflict: false };
        merge.line_by_line(range.clone(), &our_parts, &their_parts);
        if merge.is_conflict {
            merge.merged.clear();
            if our_parts.iter().chain(&their_parts).all(Edit::is_of_a_line) {
                their_parts.retain(|edit| !is_inserted_by(edit, ours));
                merge.line_by_line(range, &our_parts, &their_parts);
            } else {
                merge.version(range, ours);
            }
        }
        self.merged.append(&mut merge.merged);
        self.is_conflict |= merge.is_conflict;
    }

    /// Splits a replacement into one for each line where that is clear: there are as many lines, or those of base resemble
    /// the first or the last ones.
    fn split(&self, edit: &Edit<'l, 't>) -> Vec<Edit<'l, 't>> {
        let Edit { base, lines } = edit;
        let pairs = base.len().min(lines.len());
        let resemble = |from: usize, lines_from: usize| {
            let all = base.clone().skip(from).zip(lines.iter().skip(lines_from)).take(pairs);
            all.into_iter().all(|(line, other)| self.base.get(line).is_some_and(|line| is_similar(line, other)))
        };
        let (last, last_line) = (base.len() - pairs, lines.len() - pairs);
        let (from, from_line) = match edit {
            _ if edit.is_insertion() => return vec![edit.clone()],
            _ if base.len() == lines.len() || pairs == 0 || resemble(0, 0) => (0, 0),
            _ if resemble(last, last_line) => (last, last_line),
            _ => return vec![edit.clone()],
        };
        let single = |line: usize, lines: Range<usize>| Edit {
            base: base.start + line..base.start + line + 1,
            lines: edit.lines.get(lines).unwrap_or_default(),
        };
        let inserted = |at: usize, lines: Range<usize>| Edit {
            base: base.start + at..base.start + at,
            lines: edit.lines.get(lines).unwrap_or_default(),
        };
        let mut edits = Vec::new();
        edits.extend((from_line > 0).then(|| inserted(0, 0..from_line)));
        edits.extend((0..from).map(|line| single(line, 0..0)));
        edits.extend((0..pairs).map(|pair| single(from + pair, from_line + pair..from_line + pair + 1)));
        edits.extend((from + pairs..base.len()).map(|line| single(line, 0..0)));
        let rest = from_line + pairs;
        edits.extend((rest < lines.len()).then(|| inserted(base.len(), rest..lines.len())));
        edits
    }

    /// Merges edits in a range, line by line of base.
    fn line_by_line(&mut self, range: Range<usize>, mut ours: &Edits<'l, 't>, mut theirs: &Edits<'l, 't>) {
        let mut at = range.start;
        loop {
            let is_here =
                |edits: &Edits<'_, '_>| edits.first().is_some_and(|it| it.is_insertion() && it.base.start == at);
            let (our_count, their_count) = (usize::from(is_here(ours)), usize::from(is_here(theirs)));
            let (our_insertion, their_insertion);
            (our_insertion, ours) = ours.split_at(our_count);
            (their_insertion, theirs) = theirs.split_at(their_count);
            self.insert(our_insertion, their_insertion);
            if at >= range.end {
                return;
            }
            // The lines of base that one edit of either side, or several that overlap, stand for.
            let (mut end, mut our_count, mut their_count) = (at + 1, 0, 0);
            loop {
                let grown = (overlap(ours, &mut our_count, &mut end), overlap(theirs, &mut their_count, &mut end));
                if grown == (false, false) {
                    break;
                }
            }
            let (our_edits, their_edits);
            (our_edits, ours) = ours.split_at(our_count);
            (their_edits, theirs) = theirs.split_at(their_count);
            self.overlapping(at..end, our_edits, their_edits);
            at = end;
        }
    }

    /// Merges edits of the same lines of base.
    fn overlapping(&mut self, range: Range<usize>, ours: &Edits<'l, 't>, theirs: &Edits<'l, 't>) {
        let replaces = |edits: &Edits<'_, '_>| edits.iter().any(Edit::is_replacement);
        let (winner, other) = match (replaces(ours), replaces(theirs)) {
            (true, true) => {
                self.is_conflict |= !is_same(ours, theirs);
                return self.version(range, ours);
            }
            (false, true) => (theirs, ours),
            (false, false) if ours.is_empty() => (theirs, ours),
            _ => (ours, theirs),
        };
        self.version(range, winner);
        // What the other side inserted between the lines that were replaced.
        for insertion in other.iter().filter(|edit| edit.is_insertion()) {
            self.merged.extend(insertion.lines);
        }
    }

    /// Inserts the lines of both sides at one place, theirs first. If those of a side begin or end with the other's, they
    /// include them.
    fn insert(&mut self, ours: &Edits<'l, 't>, theirs: &Edits<'l, 't>) {
        let lines = |edits: &Edits<'l, 't>| edits.first().map_or(&[][..], |edit| edit.lines);
        let (ours, theirs) = (lines(ours), lines(theirs));
        let includes = |lines: &[&str], others: &[&str]| lines.starts_with(others) || lines.ends_with(others);
        if !includes(ours, theirs) {
            self.merged.extend(theirs);
        }
        if includes(ours, theirs) || !includes(theirs, ours) {
            self.merged.extend(ours);
        }
    }

    /// Writes a range as a side has it.
    fn version(&mut self, range: Range<usize>, edits: &Edits<'l, 't>) {
        let mut at = range.start;
        for edit in edits {
            self.keep(at..edit.base.start);
            self.merged.extend(edit.lines);
            at = edit.base.end;
        }
        self.keep(at..range.end);
    }

    /// Writes lines of base.
    fn keep(&mut self, lines: Range<usize>) {
        self.merged.extend(self.base.get(lines).unwrap_or_default());
    }
}

/// Counts the next edits that begin at `end` or before it, which they may move. Returns whether there are more.
fn reach(edits: &Edits<'_, '_>, count: &mut usize, end: &mut usize) -> bool {
    let before = *count;
    while let Some(edit) = edits.get(*count).filter(|edit| edit.base.start <= *end) {
        (*count, *end) = (*count + 1, edit.base.end.max(*end));
    }
    *count > before
}

/// As [`reach`], for edits that begin before `end`.
fn overlap(edits: &Edits<'_, '_>, count: &mut usize, end: &mut usize) -> bool {
    let before = *count;
    while let Some(edit) = edits.get(*count).filter(|edit| edit.base.start < *end) {
        (*count, *end) = (*count + 1, edit.base.end.max(*end));
    }
    *count > before
}

/// Returns whether edits of lines of base have what others do too: they remove the same lines or more, and insert the same
/// ones or more. So has the result of an earlier merge.
fn includes_edits(edits: &Edits<'_, '_>, others: &Edits<'_, '_>) -> bool {
    let is_pure = |edits: &Edits<'_, '_>| edits.iter().all(Edit::is_insertion);
    if is_pure(edits) && is_pure(others) {
        return others.is_empty();
    }
    let mut removals = edits.iter().peekable();
    let mut is_within = |other: &Edit<'_, '_>| {
        while removals.next_if(|edit| edit.base.end < other.base.end).is_some() {}
        other.is_insertion() || removals.peek().is_some_and(|edit| edit.base.start <= other.base.start)
    };
    let mut lines = edits.iter().flat_map(|edit| edit.lines);
    others.iter().all(&mut is_within)
        && others.iter().flat_map(|edit| edit.lines).all(|wanted| lines.any(|line| line == wanted))
}

/// Returns whether an edit inserts lines that a replacement at the same place has too.
fn is_inserted_by(edit: &Edit<'_, '_>, others: &Edits<'_, '_>) -> bool {
    let at = edit.base.start;
    let first = others.partition_point(|other| other.base.end < at);
    let touching = others.iter().skip(first).take_while(|other| other.base.start <= at);
    let mut replacements = touching.filter(|other| other.is_replacement());
    edit.is_insertion() && replacements.any(|other| other.lines.windows(edit.lines.len()).any(|it| it == edit.lines))
}

/// Returns whether edits are the same.
fn is_same(edits: &Edits<'_, '_>, others: &Edits<'_, '_>) -> bool {
    edits.len() == others.len()
        && edits.iter().zip(others).all(|(one, other)| one.base == other.base && one.lines == other.lines)
}

/// Returns whether a line looks like a changed one: they begin and end alike in most of their bytes.
fn is_similar(line: &str, other: &str) -> bool {
    let (line, other) = (line.trim().as_bytes(), other.trim().as_bytes());
    let start = line.iter().zip(other).take_while(|(one, other)| one == other).count();
    let rest = line.iter().skip(start).rev().zip(other.iter().skip(start).rev());
    let end = rest.take_while(|(one, other)| one == other).count();
    2 * (start + end) > line.len().max(other.len())
}
