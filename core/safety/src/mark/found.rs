//! What rules found in a text: ranges that are ordered, merged if they overlap, and replaced.

use std::ops::Range;

use crate::mark::tag::{self, Key};
use crate::rules;
use crate::text::bytes::slice;

/// How much on either side of a finding is searched again, in bytes.
const EDGE: usize = 2048;

/// What a rule found, before findings are merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found<'r> {
    pub(crate) rule: &'r str,
    pub(crate) place: Range<usize>,
    /// The secret itself, where the text writes it differently: encoded, escaped or in pieces. The tag is made of it, so
    /// that equal secrets have equal tags however they are written.
    pub(crate) secret: Option<Vec<u8>>,
}

impl<'r> Found<'r> {
    pub(crate) fn new(rule: &'r str, place: Range<usize>) -> Self {
        Found { rule, place, secret: None }
    }

    pub(crate) fn with_secret(self, secret: Vec<u8>) -> Self {
        Found { secret: Some(secret), ..self }
    }

    /// The secret, in `text` or as it would be written plainly.
    pub(crate) fn written_plainly<'t>(&'t self, text: &'t [u8]) -> &'t [u8] {
        self.secret.as_deref().unwrap_or(slice(text, self.place.clone()))
    }

    pub(crate) fn shifted_back_by(self, offset: usize) -> Self {
        Found { place: self.place.start - offset..self.place.end - offset, ..self }
    }

    pub(crate) fn shifted_by(self, offset: usize) -> Self {
        Found { place: self.place.start + offset..self.place.end + offset, ..self }
    }
}

/// A secret's place in a text, the rule that found it, and its tag. Never its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding<'r> {
    /// The rule's id, such as `github-pat`.
    pub rule: &'r str,
    /// The range of the secret, in UTF-8 bytes.
    pub place: Range<usize>,
    /// Ten hex digits; equal secrets have equal tags.
    pub tag: String,
}

impl Finding<'_> {
    /// The placeholder that replaces the secret.
    pub fn placeholder(&self) -> String {
        tag::placeholder(self.rule, &self.tag)
    }
}

/// What was found in `text`, with tags made with `key`.
pub(crate) fn tagged<'r>(text: &[u8], found: Vec<Found<'r>>, key: &Key) -> Vec<Finding<'r>> {
    let tag = |found: &Found<'_>| key.tag(found.written_plainly(text));
    found.into_iter().map(|found| Finding { rule: found.rule, tag: tag(&found), place: found.place }).collect()
}

/// Appends `text` to `out`, with its secrets replaced.
pub(crate) fn replace(text: &[u8], found: &[Finding<'_>], out: &mut Vec<u8>) {
    let mut copied = 0;
    for finding in found {
        out.extend_from_slice(slice(text, copied..finding.place.start));
        out.extend_from_slice(finding.placeholder().as_bytes());
        copied = finding.place.end;
    }
    out.extend_from_slice(slice(text, copied..text.len()));
}

/// Whether `place` overlaps none of `holes`, which are sorted and disjoint.
pub(crate) fn is_disjoint(place: &Range<usize>, holes: &[Range<usize>]) -> bool {
    let next = holes.partition_point(|hole| hole.end <= place.start);
    holes.get(next).is_none_or(|hole| hole.start >= place.end)
}

pub(crate) fn sorted_ranges(places: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut places: Vec<_> = places.collect();
    places.sort_unstable_by_key(|place| place.start);
    places
}

/// The parts of `whole` outside `taken`, which are sorted and disjoint.
pub(crate) fn gaps(whole: Range<usize>, taken: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut gaps = Vec::new();
    let mut start = whole.start;
    for taken in taken {
        gaps.push(start..taken.start.max(start));
        start = taken.end.max(start);
    }
    gaps.push(start..whole.end);
    gaps
}

/// The lines at both ends of `rest`, next to a secret that was replaced and may have hidden another one; all of `rest`
/// if it is short. No detector looks further around what it finds.
pub(crate) fn edges(text: &[u8], rest: Range<usize>) -> Vec<Range<usize>> {
    let lines = slice(text, rest.clone());
    if lines.len() <= 4 * EDGE {
        return vec![rest];
    }
    let head = memchr::memchr(b'\n', slice(lines, EDGE..2 * EDGE)).map(|step| EDGE + step + 1);
    let tail = memchr::memrchr(b'\n', slice(lines, lines.len() - 2 * EDGE..lines.len() - EDGE));
    match (head, tail.map(|step| lines.len() - 2 * EDGE + step + 1)) {
        (Some(head), Some(tail)) => vec![rest.start..rest.start + head, rest.start + tail..rest.end],
        _ => vec![rest],
    }
}

/// Merges overlapping findings. A merged finding has the most specific rule; among equally specific ones, that of the
/// finding that starts first and is longest. Its tag is made of what was decoded or put
/// together, if that is most of it: of the most specific rule, then the longest, then the one with the least noise. Findings are extended to character boundaries.
pub(crate) fn merge<'r>(text: &[u8], mut found: Vec<Found<'r>>) -> Vec<Found<'r>> {
    for Found { place, .. } in &mut found {
        place.start = character_around(text, place.start).map_or(place.start, |it| it.start);
        place.end = character_around(text, place.end).map_or(place.end, |it| it.end);
    }
    found
        .sort_by(|a, b| a.place.start.cmp(&b.place.start).then(b.place.end.cmp(&a.place.end)).then(a.rule.cmp(b.rule)));
    // A finding, with the precedence and the length of the finding that its secret is from.
    let mut merged: Vec<(Found<'r>, usize, usize)> = Vec::with_capacity(found.len());
    for found in found {
        let (precedence, length) = (rules::precedence(found.rule), found.place.len());
        match merged.last_mut() {
            Some((last, known, written)) if found.place.start < last.place.end => {
                last.place.end = last.place.end.max(found.place.end);
                let is_shorter = |secret: &[u8], other: &[u8]| (secret.len(), secret) < (other.len(), other);
                let is_better = match (&found.secret, &last.secret) {
                    (Some(secret), Some(other)) => {
                        (precedence, *written) < (*known, length)
                            || (precedence == *known && length == *written && is_shorter(secret, other))
                    }
                    (secret, _) => secret.is_some(),
                };
                if precedence < rules::precedence(last.rule) {
                    last.rule = found.rule;
                }
                if is_better {
                    last.secret = found.secret;
                    (*known, *written) = (precedence, length);
                }
            }
            _ => merged.push((found, precedence, length)),
        }
    }
    let whole = merged.into_iter().map(|(found, _, written)| match 2 * written < found.place.len() {
        true => Found { secret: None, ..found },
        false => found,
    });
    whole.collect()
}

/// The character that contains byte `at`; `None` at a character boundary and in bytes that are not UTF-8.
pub(crate) fn character_around(text: &[u8], at: usize) -> Option<Range<usize>> {
    if !matches!(text.get(at)?, 0x80..=0xbf) {
        return None;
    }
    let starts = (1..4).filter_map(|back| at.checked_sub(back));
    starts.flat_map(|start| (at + 1..=start + 4).map(move |end| start..end)).find(|it| {
        let character = text.get(it.clone()).and_then(|bytes| std::str::from_utf8(bytes).ok());
        character.is_some_and(|character| character.chars().count() == 1)
    })
}
