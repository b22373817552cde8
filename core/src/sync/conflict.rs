//! What a run could not bring together.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A record or a file of which not everything could be brought together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SyncConflict")]
#[non_exhaustive]
pub struct Conflict {
    /// The file on the branch.
    pub file: String,
    /// The record's id; null for the whole file.
    pub id: Option<String>,
    /// What happened, and what was done.
    pub what: String,
}
