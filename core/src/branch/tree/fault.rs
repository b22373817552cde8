//! The rules for the files of a memory, and the faults of files that break them.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rule for the files of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
#[non_exhaustive]
pub enum Rule {
    /// A file is at most as large as configured.
    FileSize,
    /// There are at most as many files as configured.
    FileCount,
    /// One push makes the files larger by at most as much as configured.
    PatchSize,
    /// All files together are at most as large as configured.
    TotalSize,
    /// A file has one of the configured extensions.
    Extension,
    /// The name of a file is valid on every system, and differs from the others by more than upper and lower case.
    FileName,
    /// There are no symbolic links.
    Symlink,
    /// There is no `.git` at any depth.
    GitFolder,
    /// There are only regular files and folders.
    FileType,
    /// A path does not contain a secret, nor does a file that is not text.
    Secret,
    /// The patterns of a campaign begin with its id.
    CampaignPattern,
    /// A campaign has a folder.
    CampaignFolder,
    /// A JSON file of a campaign is well-formed.
    CampaignJson,
    /// A campaign has a cursor with the fields of spec 002.
    CampaignCursor,
    /// A campaign has snapshots of its metrics with the fields of spec 002.
    CampaignMetrics,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// A file, or a set of files, that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BranchFault")]
#[non_exhaustive]
pub struct Fault {
    /// The path of the file, relative to the folder of the memory; null if it is about all files or about the
    /// configuration.
    pub path: Option<String>,
    /// The broken rule.
    pub rule: Rule,
    /// The largest value that the rule allows; null if that is not a number.
    pub limit: Option<u64>,
    /// The problem, and what to do about it.
    pub message: String,
}

impl Fault {
    /// The fault of a file, or of all files without a path.
    pub(crate) fn new(path: Option<&str>, rule: Rule, limit: Option<u64>, message: impl Into<String>) -> Fault {
        Fault { path: path.map(str::to_owned), rule, limit, message: message.into() }
    }
}
