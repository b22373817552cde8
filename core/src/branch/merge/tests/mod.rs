//! Tests of the merge: its rules, and what holds for any versions.

mod cancelling;
mod properties;
mod rules;

use super::merged::Merged;

/// Merges one file, in a call that is not cancelled.
fn merge(path: &str, base: Option<&[u8]>, ours: &[u8], theirs: &[u8]) -> Merged {
    super::merge(path, base, ours, theirs, &|| Ok(())).unwrap()
}
