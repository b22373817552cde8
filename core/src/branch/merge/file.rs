//! The merge of one file, in the format that its extension names.

use std::path::Path;

use super::merged::Merged;
use super::{json, records, text};

/// Merges one file. `path` names its format; `base` is `None` if it is not known, and empty if both sides added the
/// file.
///
/// If a version does not have that format, the whole file is a conflict, and the result is ours.
pub(crate) fn merge(path: &str, base: Option<&[u8]>, ours: &[u8], theirs: &[u8]) -> Merged {
    if ours == theirs || base == Some(theirs) {
        return Merged::clean(ours);
    }
    if base == Some(ours) {
        return Merged::clean(theirs);
    }
    merge_contents(path, base, ours, theirs).unwrap_or_else(|| Merged::conflict(ours))
}

/// Merges versions that differ from each other; `None` if one of them does not have the format of the file.
fn merge_contents(path: &str, base: Option<&[u8]>, ours: &[u8], theirs: &[u8]) -> Option<Merged> {
    let base = base.map(str::from_utf8).transpose().ok()?;
    let ours = str::from_utf8(ours).ok()?;
    let theirs = str::from_utf8(theirs).ok()?;
    if [base.unwrap_or_default(), ours, theirs].iter().any(|text| text.contains('\0')) {
        return None;
    }
    match extension(path).as_str() {
        "jsonl" | "ndjson" => Some(records::merge(base, ours, theirs)),
        // An empty file is no JSON.
        "json" => json::merge(base.filter(|base| !base.is_empty()), ours, theirs),
        _ => text::merge(base, ours, theirs),
    }
}

/// The extension of a path in lower case; empty if it has none.
fn extension(path: &str) -> String {
    Path::new(path).extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}
