//! The files of an agent, validated and kept on a git branch (spec 002).
//!
//! A configuration (`config`) names memories. Each has a folder in which an agent works, and a branch on which that
//! folder is kept between runs. A checkout brings the folder up to date with the branch, a push commits it: both merge
//! three versions of the folder (`tree`, `merge`): that of the last checkout, the folder itself, and the branch now.
//! The commit that the folder comes from is recorded beside it, with a repository of the contents (`repository`), in
//! which snapshots of a branch are tags. An artifact passes the files on to another job (`artifact`). Contents and
//! commits are read by `git` and packed with libgit2; the network is the user's own git's.

mod artifact;
mod checkout;
mod config;
mod exchange;
mod merge;
mod merge_file;
mod push;
mod repository;
mod tree;

use std::path::{Path, PathBuf};

pub use artifact::{Packed, Unpacked};
pub use checkout::{Checkout, Conflict};
pub use config::glob::matches;
pub use config::prompt::Prompt;
pub use config::workflow::Workflow;
pub use config::{CleanUp, Compression, Memories, Memory, SnapshotPolicy, SnapshotTime};
pub(crate) use exchange::{Files, Texts};
pub use merge_file::{MergeOutcome, MergedFile};
pub use push::{Push, PushOptions};
pub use repository::address::Source;
pub use repository::snapshots::{PrunedSnapshots, Retention, Rollback, Snapshot, SnapshotList};
pub use tree::fault::{Fault, Rule};
pub use tree::folder::File;
pub use tree::validate::Validation;

use crate::error::{Error, Result};
use crate::home::{Home, check_path};
use crate::room::Room;

/// The names of the operations, as the methods and the handle have them.
pub(crate) mod operation {
    pub(crate) const PARSE_CONFIG: &str = "branch.parseConfig";
    pub(crate) const CHECKOUT: &str = "branch.checkout";
    pub(crate) const VALIDATE: &str = "branch.validate";
    pub(crate) const PUSH: &str = "branch.push";
    pub(crate) const PACK: &str = "branch.pack";
    pub(crate) const UNPACK: &str = "branch.unpack";
    pub(crate) const SNAPSHOT: &str = "branch.snapshot";
    pub(crate) const SNAPSHOTS: &str = "branch.snapshots";
    pub(crate) const ROLLBACK: &str = "branch.rollback";
    pub(crate) const PRUNE: &str = "branch.prune";
    pub(crate) const PROMPT: &str = "branch.prompt";
    pub(crate) const WORKFLOW: &str = "branch.workflow";
    pub(crate) const MATCH: &str = "branch.match";
    pub(crate) const MERGE_FILE: &str = "branch.mergeFile";
}

/// The memories on git branches.
#[derive(Debug, Clone)]
pub struct Branches {
    home: Home,
}

impl Branches {
    pub(crate) fn new(home: &Home) -> Self {
        Branches { home: home.clone() }
    }
}

/// The path of a folder that a call names, without `.` and doubled slashes.
///
/// # Errors
/// `ValidationError` for one inside a `.git`; `SecretRefused`.
fn named_folder(home: &Home, folder: impl AsRef<Path>) -> Result<PathBuf> {
    check_path("directory", folder.as_ref())?;
    home.admit_path("directory", folder.as_ref())?;
    let folder: PathBuf = home.current_folder()?.join(folder).components().collect();
    if folder.iter().any(|part| part == ".git") {
        let message = format!(
            "directory {} is in the folder of a git repository that belongs to git; use another one",
            folder.display()
        );
        return Err(Error::validation(message).at(&folder));
    }
    Ok(folder)
}

/// The room in the registry. It stores nothing in a home: each folder has its state beside it.
#[derive(Debug)]
pub(crate) struct BranchRoom;

impl Room for BranchRoom {}
