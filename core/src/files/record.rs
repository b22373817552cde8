//! A file as a record: in the trash, in an archive, and on its way to another repository.

use std::time::SystemTime;

use chrono::DateTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::folder::{FoundFile, MAX_FILE_BYTES, Place};
use super::path::{ROOT, ToolPath};
use crate::disk::{Line, Stored};
use crate::error::{Error, Result};
use crate::home::ForeignRecord;
use crate::room::RecordKind;
use crate::trash::Discarded;

/// The name of the room.
pub(super) const ROOM: &str = "files";
/// The one kind of its records.
pub(super) const KIND: &str = "file";
pub(super) const KINDS: &str = "files";
pub(super) static RECORD_KINDS: &[RecordKind] =
    &[RecordKind { name: KINDS, doc: "Files that a model keeps by itself." }];

/// The members of a record that came from another home. Its path is checked as a path.
pub(super) const FOREIGN: ForeignRecord = ForeignRecord { keys: KEYS, ids: &[], generated: &["modifiedAt"] };
const KEYS: &[&str] = &["v", "path", "content", "modifiedAt"];

/// A file with its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FileRecord {
    /// Its path, which begins with `/memories/`.
    pub(super) path: String,
    /// Its text.
    pub(super) content: String,
    /// When it was changed last, RFC 3339 in UTC.
    pub(super) modified_at: String,
}

impl Line for FileRecord {
    const VERSION: u64 = 1;
}

impl FileRecord {
    /// The record of a file; `None` if it is gone or not text.
    ///
    /// # Errors
    /// `IOError`; those of sealing it.
    pub(super) fn read(place: &Place, file: &FoundFile) -> Result<Option<Stored<FileRecord>>> {
        let Some(content) = place.text_of(file)? else { return Ok(None) };
        let modified_at = file.modified_at();
        let record = FileRecord { path: file.path.clone(), content, modified_at };
        Ok(Some(Stored::from(place.home().seal_value(&record, KEYS)?.record::<FileRecord>()?)))
    }

    /// Its path, if it is one of a file.
    ///
    /// # Errors
    /// `ValidationError`, `SecretRefused`.
    pub(super) fn tool_path(&self, place: &Place) -> Result<ToolPath<'_>> {
        let path = ToolPath::parse(place.home(), &self.path)?;
        if path.is_root() || path.plain() != self.path || self.content.len() > MAX_FILE_BYTES {
            return Err(Error::validation(format!("a record of a file has no path below {ROOT}, or is too long")));
        }
        Ok(path)
    }

    /// When it was changed last. Another program may have written no time.
    pub(super) fn modified(&self) -> Option<SystemTime> {
        DateTime::parse_from_rfc3339(&self.modified_at).ok().map(SystemTime::from)
    }

    /// What makes it another version.
    pub(super) fn version(&self) -> String {
        serde_json::json!([self.path, self.content]).to_string()
    }
}

/// A record for the trash.
///
/// # Errors
/// `ValidationError` if it is too long.
pub(super) fn discarded(record: &Stored<FileRecord>) -> Result<Discarded> {
    Discarded::new(ROOM, KIND, &record.text(|it| &it.path), record)
}
