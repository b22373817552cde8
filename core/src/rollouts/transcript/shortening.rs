//! Long texts in a record that is too long to be kept: their middle is left out, as it would not be shown anyway.

use std::ops::Range;

/// How much is kept of the beginning and the end of a text, in bytes of its JSON: more than any entry shows of it.
const HEAD: usize = 48 << 10;
const TAIL: usize = 24 << 10;
/// What is put in place of the middle, around the number of bytes that it had.
const MARK: (&str, &str) = ("[... ", " bytes left out ...]");
/// More than the longest mark has, in bytes.
const MAX_MARK: usize = 64;
/// The most bytes that a mark may name; more are a text that looks like one.
const MAX_LEFT_OUT: usize = 1 << 50;
/// The longest escape, in bytes.
const MAX_ESCAPE: usize = 6;

/// Leaves out the middle of each long string in a record, the last of which may not have ended. Returns its new length.
pub(super) fn shorten(record: &mut [u8]) -> usize {
    let (mut read, mut written) = (0, 0);
    let mut keep = |record: &mut [u8], part: Range<usize>| {
        let length = part.len();
        record.copy_within(part, written);
        written += length;
        written
    };
    while read < record.len() {
        let opened = memchr::memchr(b'"', &record[read..]).map_or(record.len(), |at| read + at + 1);
        keep(record, read..opened);
        let closed = end_of_string(record, opened);
        let (head, tail) = (cut(record, opened, opened + HEAD), cut(record, opened, closed.saturating_sub(TAIL)));
        if closed - opened > HEAD + TAIL + MAX_MARK && tail > head {
            let middle = &record[head..tail];
            let skipped = middle.len() + left_out(middle);
            let mark = format!("{}{skipped}{}", MARK.0, MARK.1);
            let at = keep(record, opened..head);
            record[at..at + mark.len()].copy_from_slice(mark.as_bytes());
            keep(record, at..at + mark.len());
            keep(record, tail..closed);
        } else {
            keep(record, opened..closed);
        }
        // With the quotation mark at its end.
        read = record.len().min(closed + 1);
        keep(record, closed..read);
    }
    written
}

/// How many bytes were left out before in a part of a text, beyond its own length.
pub(super) fn left_out(part: &[u8]) -> usize {
    let number = || {
        let from = memchr::memmem::find(part, MARK.0.as_bytes())? + MARK.0.len();
        let digits = part[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number: usize = std::str::from_utf8(&part[from..from + digits]).ok()?.parse().ok()?;
        let is_mark = number <= MAX_LEFT_OUT && part[from + digits..].starts_with(MARK.1.as_bytes());
        is_mark.then(|| number.saturating_sub(MARK.0.len() + digits + MARK.1.len()))
    };
    number().unwrap_or(0)
}

/// The place of the quotation mark that ends a string; the end of the record if none does.
fn end_of_string(record: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(skipped) = record.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += skipped;
        if record[at] == b'"' {
            return at;
        }
        at += 2;
    }
    record.len()
}

/// The last place up to `at` in a string at which it can be cut: between two characters, and in no escape.
fn cut(record: &[u8], from: usize, at: usize) -> usize {
    let at = at.clamp(from, record.len());
    let recent = from.max(at.saturating_sub(MAX_ESCAPE - 1))..at;
    if let Some(slash) = memchr::memrchr(b'\\', &record[recent.clone()]).map(|found| recent.start + found) {
        let slashes = record[from..=slash].iter().rev().take_while(|byte| **byte == b'\\').count();
        // One of an even number is itself escaped.
        let length = if record.get(slash + 1) == Some(&b'u') { MAX_ESCAPE } else { 2 };
        if slashes % 2 == 1 && slash + length > at {
            return slash;
        }
    }
    let is_inside = |at: &usize| record.get(*at).is_some_and(|byte| byte & 0xC0 == 0x80);
    (from..=at).rev().find(|at| !is_inside(at)).unwrap_or(at)
}
