//! The three-way merge of one file of a memory: the version in the agent's folder (*ours*), the one on the branch
//! (*theirs*), and the one from which both started (*base*). Pure, no I/O.
//!
//! The extension determines how a file is merged:
//!
//! - `.jsonl` and `.ndjson` are merged by records, and no record that either side appended is lost;
//! - `.json` is merged by key path;
//! - other UTF-8 text is merged by lines, and what both sides inserted at one place is kept;
//! - binary files, JSON that does not parse, and files that are too large are taken whole from ours, as a conflict.
//!
//! Where both sides changed the same thing, ours wins, and the merge is reported as a conflict. A file that one side
//! did not touch keeps the exact bytes of the other. Merging a result again with either of its sides changes nothing;
//! for text that was merged by lines, this is only certain if lines are neither repeated nor moved.

mod difference;
mod json;
mod merged;
mod records;
mod style;
#[cfg(test)]
mod tests;
mod text;
mod value;

use std::path::Path;

use merged::Merged;

use crate::error::Result;

/// Merges one file. `path` names its format; `base` is `None` if it is not known, and empty if both sides added the
/// file.
///
/// If a version does not have that format, the whole file is a conflict, and the result is ours.
///
/// # Errors
/// That of `check`, which is called between the steps of the merge.
pub(crate) fn merge(
    path: &str,
    base: Option<&[u8]>,
    ours: &[u8],
    theirs: &[u8],
    check: &dyn Fn() -> Result<()>,
) -> Result<Merged> {
    if ours == theirs || base == Some(theirs) {
        return Ok(Merged::clean(ours));
    }
    if base == Some(ours) {
        return Ok(Merged::clean(theirs));
    }
    Ok(merge_contents(path, base, ours, theirs, check)?.unwrap_or_else(|| Merged::conflict(ours)))
}

/// The most bytes and lines of other files that are merged.
const MAX_BYTES: u64 = 32 << 20;
const MAX_LINES: usize = 500_000;
/// The byte order mark, in UTF-8.
const MARK: &str = "\u{feff}";

/// Merges versions that differ from each other; `None` if one of them is too large, or does not have the format of the
/// file.
fn merge_contents(
    path: &str,
    base: Option<&[u8]>,
    ours: &[u8],
    theirs: &[u8],
    check: &dyn Fn() -> Result<()>,
) -> Result<Option<Merged>> {
    let (Some(ours), Some(theirs)) = (text_of(ours), text_of(theirs)) else { return Ok(None) };
    let base = match base.map(text_of) {
        Some(None) => return Ok(None),
        base => base.flatten(),
    };
    let format = Format::of(path);
    let is_too_large = |text: &str| {
        is_too_large(path, text.len() as u64) || memchr::memchr_iter(b'\n', text.as_bytes()).count() > MAX_LINES
    };
    if [Some(ours), Some(theirs), base].into_iter().flatten().any(is_too_large) {
        return Ok(None);
    }
    if format == Format::Json {
        // An empty file is no JSON.
        return json::merge(base.filter(|base| !base.is_empty()), ours, theirs, check);
    }
    // The mark is no part of the first line, which may get another place.
    let is_marked = is_marked(base, ours, theirs);
    let [ours, theirs] = [ours, theirs].map(without_mark);
    let base = base.map(without_mark);
    let mut merged = match format {
        Format::Records => records::merge(base, ours, theirs, check).map(Some)?,
        _ => text::merge(base, ours, theirs, check)?,
    };
    if let Some(merged) = merged.as_mut().filter(|_| is_marked) {
        merged.bytes.splice(..0, MARK.bytes());
    }
    Ok(merged)
}

/// Returns whether a version of so many bytes is too large to be merged, so that it need not be read.
pub(crate) fn is_too_large(path: &str, bytes: u64) -> bool {
    bytes > if Format::of(path) == Format::Json { json::MAX_BYTES } else { MAX_BYTES }
}

/// Returns whether the merged text starts with a byte order mark: as the side has it that changed this.
fn is_marked(base: Option<&str>, ours: &str, theirs: &str) -> bool {
    let [ours, theirs] = [ours, theirs].map(|text| text.starts_with(MARK));
    match base.map(|base| base.starts_with(MARK)) {
        Some(base) if base == ours => theirs,
        Some(_) => ours,
        None => ours || theirs,
    }
}

fn without_mark(text: &str) -> &str {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// What a file is made of, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// One JSON value on each line.
    Records,
    /// One JSON value.
    Json,
    /// Lines.
    Text,
}

impl Format {
    pub(crate) fn of(path: &str) -> Self {
        let extension = Path::new(path).extension().map(|extension| extension.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("jsonl" | "ndjson") => Format::Records,
            Some("json") => Format::Json,
            _ => Format::Text,
        }
    }
}

/// A file as text; `None` if it is binary: not in UTF-8, or with a zero byte.
pub(crate) fn text_of(content: &[u8]) -> Option<&str> {
    str::from_utf8(content).ok().filter(|text| !text.contains('\0'))
}
