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
    match base {
        Some(base) => merge_lines(base, ours, theirs, check).map(Some),
        None => Ok(longer(ours, theirs).map(Merged::clean)),
    }
}

/// The side that begins with all lines of the other; `None` if neither does.
fn longer<'t>(ours: &'t str, theirs: &'t str) -> Option<&'t str> {
    let [our_text, their_text] = terminated([ours, theirs], None);
    if our_text.starts_with(&*their_text) {
        return Some(ours);
    }
    their_text.starts_with(&*our_text).then_some(theirs)
}

/// Texts with a line break after the last line of each: `line_break`, or else that of its first line, or of other texts.
fn terminated<'t, const N: usize>(texts: [&'t str; N], line_break: Option<&str>) -> [Cow<'t, str>; N] {
    let first = |text: &str| match text.split_once('\n')? {
        (line, _) if line.ends_with('\r') => Some("\r\n"),
        _ => Some("\n"),
    };
    let of_others = texts.iter().find_map(|text| first(text)).unwrap_or("\n");
    texts.map(|text| match text {
        text if text.is_empty() || text.ends_with('\n') => Cow::Borrowed(text),
        text => Cow::Owned([text, line_break.or(first(text)).unwrap_or(of_others)].concat()),
    })
}

/// The line break that a side has after base, which lacks it.
fn break_after(base: &str, sides: [&str; 2]) -> Option<&'static str> {
    let break_of = |side: &str| {
        let rest = side.strip_prefix(base)?;
        ["\r\n", "\n"].into_iter().find(|line_break| rest.starts_with(line_break))
    };
    if base.is_empty() || base.ends_with('\n') { None } else { sides.into_iter().find_map(break_of) }
}

/// Merges versions line by line.
fn merge_lines(base: &str, ours: &str, theirs: &str, check: &dyn Fn() -> Result<()>) -> Result<Merged> {
    let line_break = break_after(base, [ours, theirs]);
    let texts = terminated([base, ours, theirs], line_break);
    // Equal lines have equal numbers, which are compared instead of them.
    let (mut numbers, mut lines) = (HashMap::new(), Vec::new());
    let mut versions = [const { Vec::new() }; 3];
    for (text, version) in texts.iter().zip(&mut versions) {
        for line in text.split_inclusive('\n') {
            check()?;
            let next = u32::try_from(lines.len()).unwrap_or(u32::MAX);
            let number = *numbers.entry(line).or_insert(next);
            if number == next {
                lines.push(line);
            }
            version.push(number);
        }
    }
    let [base_lines, our_lines, their_lines] = &versions;
    let mut merge = Merge { lines: &lines, base: base_lines, check, merged: Vec::new(), is_conflict: false };
    merge.run(&edits(base_lines, our_lines, check)?, &edits(base_lines, their_lines, check)?)?;
    let mut text = String::new();
    for line in &merge.merged {
        check()?;
        text.push_str(merge.line(*line));
    }
    let [_, our_text, their_text] = &texts;
    if text == **our_text {
        ours.clone_into(&mut text);
    } else if text == **their_text {
        theirs.clone_into(&mut text);
    } else if !ours.ends_with('\n') && !theirs.ends_with('\n') {
        let line = text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n')).unwrap_or(&text);
        // In another merge, the line must get the same line break again.
        if terminated([line], line_break) == [text.as_str()] {
            text.truncate(line.len());
        }
    }
    Ok(Merged::of(text, merge.is_conflict))
}

/// One change of a side: lines of base, and the numbers of those that it has in their place.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Edit<'l> {
    base: Range<usize>,
    lines: &'l [u32],
}

impl Edit<'_> {
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
type Edits<'l> = [Edit<'l>];

/// The edits that make `side` of base.
fn edits<'l>(base: &[u32], side: &'l [u32], check: &dyn Fn() -> Result<()>) -> Result<Vec<Edit<'l>>> {
    let edit = |hunk: Hunk| Edit { base: hunk.base, lines: side.get(hunk.lines).unwrap_or_default() };
    Ok(difference(base, side, check)?.into_iter().map(edit).collect())
}

/// A merge of lines. Each of its loops calls `check`, and looks at every line a bounded number of times.
struct Merge<'l> {
    /// The line of each number.
    lines: &'l [&'l str],
    base: &'l [u32],
    check: &'l dyn Fn() -> Result<()>,
    merged: Vec<u32>,
    is_conflict: bool,
}

impl<'l> Merge<'l> {
    /// Merges the edits of both sides.
    fn run<'e>(&mut self, mut ours: &'e Edits<'l>, mut theirs: &'e Edits<'l>) -> Result<()> {
        let mut at = 0;
        while let Some(start) = [ours.first(), theirs.first()].into_iter().flatten().map(|edit| edit.base.start).min() {
            // Edits that touch each other are merged together.
            let mut end = start;
            let [our_group, their_group] = self.take([&mut ours, &mut theirs], &mut end, usize::le)?;
            self.keep(at..start);
            self.group(start..end, our_group, their_group)?;
            at = end;
        }
        self.keep(at..self.base.len());
        Ok(())
    }

    /// Takes the first edits of both sides: those that begin before `end`, or at it with `le`. They may move it.
    fn take<'e>(
        &self,
        sides: [&mut &'e Edits<'l>; 2],
        end: &mut usize,
        is_within: fn(&usize, &usize) -> bool,
    ) -> Result<[&'e Edits<'l>; 2]> {
        let mut counts = [0, 0];
        loop {
            let before = counts;
            for (side, count) in sides.iter().zip(&mut counts) {
                while let Some(edit) = side.get(*count).filter(|edit| is_within(&edit.base.start, end)) {
                    (self.check)()?;
                    (*count, *end) = (*count + 1, edit.base.end.max(*end));
                }
            }
            if counts == before {
                break;
            }
        }
        let [our_count, their_count] = counts;
        let [ours, theirs] = sides;
        let (our_edits, their_edits);
        (our_edits, *ours) = ours.split_at(our_count);
        (their_edits, *theirs) = theirs.split_at(their_count);
        Ok([our_edits, their_edits])
    }

    /// Merges edits that touch each other. Whatever is done in a conflict has to be done again if its result is merged with
    /// either side.
    fn group(&mut self, range: Range<usize>, ours: &Edits<'l>, theirs: &Edits<'l>) -> Result<()> {
        let (our_parts, mut their_parts) = (self.split(ours)?, self.split(theirs)?);
        let [our_changes, their_changes] =
            [&our_parts, &their_parts].map(|parts| parts.iter().filter(|edit| !edit.is_insertion()));
        // If only their insertions differ, those at each place are compared.
        if !our_changes.eq(their_changes) {
            for (edits, others) in [(ours, theirs), (theirs, ours)] {
                if self.removes(edits, others)? && self.has_lines(edits, others)? {
                    return self.version(range, edits);
                }
            }
        }
        let mut merge = Merge { merged: Vec::new(), is_conflict: false, ..*self };
        merge.line_by_line(range.clone(), &our_parts, &their_parts)?;
        if merge.is_conflict {
            merge.merged.clear();
            if our_parts.iter().chain(&their_parts).all(Edit::is_of_a_line) {
                let insertions: Vec<_> = their_parts.iter().filter(|edit| edit.is_insertion()).cloned().collect();
                if self.has_lines(ours, &insertions)? {
                    their_parts.retain(|edit| !edit.is_insertion());
                }
                merge.line_by_line(range, &our_parts, &their_parts)?;
            } else {
                merge.version(range, ours)?;
            }
        }
        self.merged.append(&mut merge.merged);
        self.is_conflict |= merge.is_conflict;
        Ok(())
    }

    /// Returns whether edits remove the lines of base that others do.
    fn removes(&self, edits: &Edits<'l>, others: &Edits<'l>) -> Result<bool> {
        let mut edits = edits.iter().peekable();
        for other in others.iter().filter(|other| !other.is_insertion()) {
            (self.check)()?;
            while edits.next_if(|edit| edit.base.end < other.base.end).is_some() {
                (self.check)()?;
            }
            if edits.peek().is_none_or(|edit| edit.base.start > other.base.start) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns whether edits have the lines of others, in the same order. So has the result of an earlier merge.
    fn has_lines(&self, edits: &Edits<'l>, others: &Edits<'l>) -> Result<bool> {
        let mut wanted = others.iter().flat_map(|edit| edit.lines).peekable();
        for line in edits.iter().flat_map(|edit| edit.lines) {
            (self.check)()?;
            wanted.next_if_eq(&line);
        }
        Ok(wanted.peek().is_none())
    }

    /// Splits each replacement into one for each line where that is clear: there are as many lines, or those of base
    /// resemble the first or the last ones.
    fn split(&self, edits: &Edits<'l>) -> Result<Vec<Edit<'l>>> {
        let mut parts = Vec::new();
        for edit in edits {
            (self.check)()?;
            let Edit { base, lines } = edit;
            let pairs = base.len().min(lines.len());
            let (last, last_line) = (base.len() - pairs, lines.len() - pairs);
            let (from, from_line) = match edit {
                _ if base.len() == lines.len() || pairs == 0 || self.resemble(edit, 0, 0)? => (0, 0),
                _ if self.resemble(edit, last, last_line)? => (last, last_line),
                _ => {
                    parts.push(edit.clone());
                    continue;
                }
            };
            let part = |base: Range<usize>, of: Range<usize>| Edit { base, lines: lines.get(of).unwrap_or_default() };
            let rest = from_line + pairs;
            parts.extend((from_line > 0).then(|| part(base.start..base.start, 0..from_line)));
            for (number, line) in base.clone().enumerate() {
                (self.check)()?;
                let of = match number.checked_sub(from) {
                    Some(pair) if pair < pairs => from_line + pair..from_line + pair + 1,
                    _ => 0..0,
                };
                parts.push(part(line..line + 1, of));
            }
            parts.extend((rest < lines.len()).then(|| part(base.end..base.end, rest..lines.len())));
        }
        Ok(parts)
    }

    /// Returns whether the lines of base and those in their place look alike, from one of each on.
    fn resemble(&self, edit: &Edit<'l>, from: usize, from_line: usize) -> Result<bool> {
        let of_base = self.base.get(edit.base.clone()).unwrap_or_default();
        for (line, other) in of_base.iter().skip(from).zip(edit.lines.iter().skip(from_line)) {
            (self.check)()?;
            if !is_similar(self.line(*line), self.line(*other)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Merges edits in a range, line by line of base.
    fn line_by_line<'e>(
        &mut self,
        range: Range<usize>,
        mut ours: &'e Edits<'l>,
        mut theirs: &'e Edits<'l>,
    ) -> Result<()> {
        let mut at = range.start;
        loop {
            (self.check)()?;
            let inserted = |edits: &mut &Edits<'l>| match edits.split_first() {
                Some((first, rest)) if first.is_insertion() && first.base.start == at => {
                    *edits = rest;
                    first.lines
                }
                _ => &[],
            };
            self.insert(inserted(&mut ours), inserted(&mut theirs));
            if at >= range.end {
                return Ok(());
            }
            // The lines of base that one edit of either side, or several that overlap, stand for.
            let mut end = at + 1;
            let [our_edits, their_edits] = self.take([&mut ours, &mut theirs], &mut end, usize::lt)?;
            self.overlapping(at..end, our_edits, their_edits)?;
            at = end;
        }
    }

    /// Merges edits of the same lines of base.
    fn overlapping(&mut self, range: Range<usize>, ours: &Edits<'l>, theirs: &Edits<'l>) -> Result<()> {
        let replaces = |edits: &Edits<'l>| edits.iter().any(Edit::is_replacement);
        let (winner, other) = match (replaces(ours), replaces(theirs)) {
            (true, true) => {
                self.is_conflict |= ours != theirs;
                return self.version(range, ours);
            }
            (false, true) => (theirs, ours),
            (false, false) if ours.is_empty() => (theirs, ours),
            _ => (ours, theirs),
        };
        self.version(range, winner)?;
        // What the other side inserted between the lines that were replaced.
        for insertion in other.iter().filter(|edit| edit.is_insertion()) {
            (self.check)()?;
            self.merged.extend(insertion.lines);
        }
        Ok(())
    }

    /// Inserts the lines of both sides at one place, theirs first. A side that has both in this order may be the result of
    /// an earlier merge, and counts as both.
    fn insert(&mut self, ours: &[u32], theirs: &[u32]) {
        let (is_in_ours, is_in_theirs) = (ours.starts_with(theirs), theirs.ends_with(ours));
        if !is_in_ours {
            self.merged.extend(theirs);
        }
        if is_in_ours || !is_in_theirs {
            self.merged.extend(ours);
        }
    }

    /// Writes a range as a side has it.
    fn version(&mut self, range: Range<usize>, edits: &Edits<'l>) -> Result<()> {
        let mut at = range.start;
        for edit in edits {
            (self.check)()?;
            self.keep(at..edit.base.start);
            self.merged.extend(edit.lines);
            at = edit.base.end;
        }
        self.keep(at..range.end);
        Ok(())
    }

    /// Writes lines of base.
    fn keep(&mut self, lines: Range<usize>) {
        self.merged.extend(self.base.get(lines).unwrap_or_default());
    }

    fn line(&self, number: u32) -> &'l str {
        usize::try_from(number).ok().and_then(|number| self.lines.get(number)).copied().unwrap_or_default()
    }
}

/// Returns whether a line looks like a changed one: they begin and end alike in most of their bytes.
fn is_similar(line: &str, other: &str) -> bool {
    let (line, other) = (line.trim().as_bytes(), other.trim().as_bytes());
    let start = line.iter().zip(other).take_while(|(one, other)| one == other).count();
    let rest = line.iter().skip(start).rev().zip(other.iter().skip(start).rev());
    let end = rest.take_while(|(one, other)| one == other).count();
    2 * (start + end) > line.len().max(other.len())
}
