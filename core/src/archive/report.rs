//! What calls report: what is in an archive, and what was brought from one.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::home::RepoHash;
use crate::room::Brought;

/// An archive that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ExportedArchive")]
#[non_exhaustive]
pub struct Exported {
    /// Its path.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The number of repositories, each branch and work tree counted, of which it has something.
    pub repositories: usize,
    /// What it has, by rooms.
    pub rooms: Vec<ExportedRoom>,
    /// What could not be read, and why.
    pub faults: Vec<String>,
}

/// The records of one room in an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ExportedRoom {
    /// The room: `memory`. What every room shares of a repository is that of `repo`: its names and its trash.
    pub room: Cow<'static, str>,
    /// The number of records.
    pub records: usize,
    /// The number of damaged records that were left out; `doctor.check` lists them.
    pub skipped: usize,
}

/// What was brought from an archive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ImportedArchive")]
#[non_exhaustive]
pub struct Imported {
    /// What was brought, by rooms.
    pub rooms: Vec<Brought>,
    /// The repositories in the archive, each branch and work tree counted.
    pub identities: Vec<ImportedRepo>,
    /// The number of lines of the archive that are damaged.
    pub skipped: usize,
}

/// A repository whose memory was brought from an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ImportedRepo {
    /// The hash under which it was stored there.
    pub from_repo_hash: RepoHash,
    /// The one under which it is stored here.
    pub repo_hash: RepoHash,
    /// Its folder here; null if that is not known.
    pub path: Option<String>,
    /// Its branch; null if it has none, if all branches share the memory, or if that is not known.
    pub branch: Option<String>,
}
