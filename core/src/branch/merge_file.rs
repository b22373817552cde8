//! The merge of three versions of one file, for git, which calls `loopmem merge-driver`.

use std::io;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::merge::Format;
use super::tree::redaction::sealed;
use super::{Branches, merge, operation};
use crate::disk::Kind;
use crate::error::{Error, Result};
use crate::home::{Home, check_path};
use crate::safety::beginning;

/// The largest version that is read, in bytes. A merge of JSON has a limit of its own.
const MAX_BYTES: u64 = 64 << 20;
/// The most records that are named, and the longest name, in bytes.
const MAX_RECORDS: usize = 100;
const MAX_ID_BYTES: usize = 200;

/// The outcome of the merge of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
#[schemars(inline)]
pub enum MergeOutcome {
    /// The changes of both sides are in the file.
    Merged,
    /// Both sides changed the same thing, and that of ours was kept; or the versions cannot be merged, and the file was left as
    /// it is.
    Conflict,
    /// The name is not that of a file of records. It was left as it is.
    OtherFormat,
}

/// A file that was merged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MergedFile")]
#[non_exhaustive]
pub struct MergedFile {
    /// The outcome.
    pub outcome: MergeOutcome,
    /// The ids of the records that both sides changed, at most 100.
    pub records: Vec<String>,
}

impl MergedFile {
    fn of(outcome: MergeOutcome) -> Self {
        MergedFile { outcome, records: Vec::new() }
    }
}

impl Branches {
    /// Merges what `theirs` changed since `base` into the file `ours`, by records for `.jsonl` and `.ndjson` and by keys for
    /// `.json`, as a push does. `path` is the name of the file, which says its format; without it, that of `ours` does.
    ///
    /// Where both sides changed the same thing, ours is kept, and the result is a conflict. Secrets in what is written are
    /// redacted. No other file is written, and `ours` is replaced as a whole or not at all.
    ///
    /// # Errors
    /// `ValidationError` for a version that is not a file; `SecretRefused`, `Cancelled`, `IOError`.
    pub fn merge_file(&self, base: &Path, ours: &Path, theirs: &Path, path: Option<&str>) -> Result<MergedFile> {
        self.home.call(operation::MERGE_FILE, |home| merge_file(home, base, ours, theirs, path))
    }
}

fn merge_file(home: &Home, base: &Path, ours: &Path, theirs: &Path, path: Option<&str>) -> Result<MergedFile> {
    let read = |name: &str, path: &Path| {
        check_path(name, path)?;
        home.admit_path(name, path)?;
        version(home, path)
    };
    let (before, our_content, their_content) = (read("base", base)?, read("ours", ours)?, read("theirs", theirs)?);
    let of_ours = ours.to_string_lossy();
    let path = path.unwrap_or(&of_ours);
    if Format::of(path) == Format::Text {
        return Ok(MergedFile::of(MergeOutcome::OtherFormat));
    }
    let (Some(before), Some(our_content), Some(their_content)) = (before, our_content, their_content) else {
        return Ok(MergedFile::of(MergeOutcome::Conflict));
    };
    let merged = merge::merge(path, Some(&before), &our_content, &their_content, &home.cancel_check())?;
    if merged.bytes != our_content {
        let Some(text) = merge::text_of(&merged.bytes) else { return Ok(MergedFile::of(MergeOutcome::Conflict)) };
        home.disk().replace_file(ours, &sealed(home, path, text))?;
    }
    let outcome = if merged.is_conflict { MergeOutcome::Conflict } else { MergeOutcome::Merged };
    let shown = |id: &String| beginning(&home.redactor().scrub(id), MAX_ID_BYTES).to_owned();
    Ok(MergedFile { outcome, records: merged.records.iter().take(MAX_RECORDS).map(shown).collect() })
}

/// The content of a version; `None` if it is too large to be merged.
fn version(home: &Home, path: &Path) -> Result<Option<Vec<u8>>> {
    let disk = home.disk();
    let not_a_file = || Error::validation(format!("{} is not a file", path.display())).at(path);
    // Through a link, another file than the one that is named would be replaced.
    if disk.stat_plain(path)?.is_none_or(|stat| stat.kind != Kind::File) {
        return Err(not_a_file());
    }
    match disk.read_foreign(path, MAX_BYTES) {
        Ok(content) => content.map(Some).ok_or_else(not_a_file),
        Err(cause) if cause.kind() == io::ErrorKind::FileTooLarge => Ok(None),
        Err(cause) => Err(Error::io("read", path, &cause)),
    }
}
