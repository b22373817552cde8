//! The handle of a store's memories on branches: every operation, as one call.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::address::BranchSource;
use super::checkout::{self, BranchCheckout};
use super::config::{self, BranchMemories, BranchMemory};
use super::pack::{self, BranchPacked, BranchUnpacked};
use super::publish::BranchPush;
use super::push::{self, BranchPushOptions};
use super::snapshots::{BranchRetention, BranchSnapshot, Snapshots};
use super::validate::{self, BranchValidation};
use super::{glob, prompt, workflow};
use crate::error::Result;
use crate::home::{Home, check_path};

/// The memories on git branches.
#[derive(Debug, Clone)]
pub struct Branches {
    home: Home,
}

impl Branches {
    pub(crate) fn new(home: &Home) -> Self {
        Branches { home: home.clone() }
    }

    /// Reads the configuration of memories: its value, an object that has it under `repo-memory` or
    /// `tools.repo-memory`, or a text in YAML or JSON with one of them, such as a workflow with front matter.
    ///
    /// # Errors
    /// `ValidationError` naming the key.
    pub fn parse_config(&self, config: Value) -> Result<BranchMemories> {
        self.home.call("branch.parseConfig", |home| config::parse(home.layout(), config))
    }

    /// The section of a prompt that tells an agent about the memories of a configuration; empty if it has none.
    ///
    /// # Errors
    /// Those of [`parse_config`](Self::parse_config).
    pub fn prompt(&self, config: Value) -> Result<String> {
        self.home.call("branch.prompt", |home| Ok(prompt::prompt(&config::parse(home.layout(), config)?)))
    }

    /// Reads one memory: its configuration, or what [`parse_config`](Self::parse_config) returned for it.
    ///
    /// # Errors
    /// Those of [`parse_config`](Self::parse_config); `ValidationError` for none or several memories.
    pub fn parse_entry(&self, entry: Value) -> Result<BranchMemory> {
        self.home.call("branch.parseConfig", |home| config::one(home.layout(), entry))
    }

    /// Brings the folder of a memory up to date with its branch. Unpushed changes in the folder stay, merged with the
    /// branch as a push merges them. If the branch does not exist, the folder is created, and the first push creates
    /// the branch. The folder is that of the memory, or `directory`. Progress counts two steps.
    ///
    /// # Errors
    /// `NotFound` if there is no branch and none may be created, or no repository or remote; `ValidationError`;
    /// `GitError` if the repository cannot be reached or read; `LockAcquisitionError`, `IOError`, `FormatTooNew`,
    /// `ParseError`, `Cancelled`.
    pub fn checkout(
        &self,
        memory: &BranchMemory,
        directory: Option<&Path>,
        source: &BranchSource,
    ) -> Result<BranchCheckout> {
        self.home
            .call("branch.checkout", |home| checkout::checkout(home, memory, &folder(home, memory, directory)?, source))
    }

    /// Checks the files in the folder of a memory, or in `directory`, against the rules of the memory, and returns
    /// every fault.
    ///
    /// # Errors
    /// `NotFound` if the folder does not exist; `ValidationError` if it is a link; `IOError`, `Cancelled`.
    pub fn validate(&self, memory: &BranchMemory, directory: Option<&Path>) -> Result<BranchValidation> {
        self.home.call("branch.validate", |home| validate::validate(home, memory, &folder(home, memory, directory)?))
    }

    /// Commits the files in the folder of a memory, or in `directory`, to its branch, merged with what others pushed
    /// meanwhile, and brings the folder up to date. If others are faster each time, or the repository cannot be
    /// reached, the commit waits beside the folder for the next push. Progress counts three steps.
    ///
    /// # Errors
    /// `ValidationError` naming the files that break a rule, also together with those of others; `GitError` for a
    /// commit that has to wait, retryable unless the repository does not take it; `SecretRefused` for a secret in a
    /// file that is not text; those of [`checkout`](Self::checkout).
    pub fn push(
        &self,
        memory: &BranchMemory,
        directory: Option<&Path>,
        options: &BranchPushOptions,
    ) -> Result<BranchPush> {
        self.home.call("branch.push", |home| push::push(home, memory, &folder(home, memory, directory)?, options))
    }

    /// Writes an artifact of the files in the folder of a memory, or in `directory`, without secrets: a tar file,
    /// compressed by its ending `.tar.zst`, `.tar.gz` or `.tar`. It says which memory it is and which commit its files
    /// come from. Contents that the artifact `since` has are left out. The same files give the same bytes.
    ///
    /// # Errors
    /// `NotFound` if the folder does not exist; `ValidationError` for another ending, and for files that are too large;
    /// `SecretRefused` for a secret in a path, or in a file that is not text; `ParseError` for `since`; `IOError`,
    /// `Cancelled`.
    pub fn pack(
        &self,
        memory: &BranchMemory,
        directory: Option<&Path>,
        artifact: &Path,
        since: Option<&Path>,
    ) -> Result<BranchPacked> {
        self.home.call("branch.pack", |home| {
            for (name, path) in [("artifactPath", Some(artifact)), ("since", since)] {
                path.map_or(Ok(()), |path| check_path(name, path).and_then(|()| home.admit_path(name, path)))?;
            }
            pack::pack(home, memory, &folder(home, memory, directory)?, artifact, since)
        })
    }

    /// Brings the files of an artifact to the folder of its memory, or to `directory`. Files that are the same are not
    /// written, and what was changed in the folder stays. Everything in the artifact is checked before the first file
    /// is written.
    ///
    /// # Errors
    /// `ParseError` for anything but an artifact; `NotFound` if there is none, or an earlier one has to be unpacked
    /// first; `Conflict` if both changed the same; `FormatTooNew`, `IOError`, `Cancelled`.
    pub fn unpack(&self, artifact: &Path, directory: Option<&Path>) -> Result<BranchUnpacked> {
        self.home.call("branch.unpack", |home| {
            check_path("artifactPath", artifact)?;
            home.admit_path("artifactPath", artifact)?;
            let directory = directory.map(|directory| named(home, directory)).transpose()?;
            pack::unpack(home, artifact, directory)
        })
    }

    /// Makes a snapshot of the branch of a memory, as it is in its repository: a tag `BRANCH/NAME`. Its default name is
    /// the time.
    ///
    /// # Errors
    /// `Conflict` if there is one of this name; `NotFound` if the branch does not exist; those of
    /// [`checkout`](Self::checkout).
    pub fn snapshot(&self, memory: &BranchMemory, tag: Option<&str>, source: &BranchSource) -> Result<BranchSnapshot> {
        self.home.call("branch.snapshot", |home| open(home, memory, source)?.make(tag))
    }

    /// The snapshots of the branch of a memory, newest first.
    ///
    /// # Errors
    /// Those of [`checkout`](Self::checkout).
    pub fn snapshots(&self, memory: &BranchMemory, source: &BranchSource) -> Result<Vec<BranchSnapshot>> {
        self.home.call("branch.snapshots", |home| open(home, memory, source)?.list())
    }

    /// Sets the files of the branch of a memory back to a snapshot, by a commit on top of what it has, and returns that
    /// commit; `None` if the files are the same. The next checkout or push of the folder changes its files.
    ///
    /// # Errors
    /// `NotFound` if there is no such snapshot; those of [`checkout`](Self::checkout).
    pub fn rollback(&self, memory: &BranchMemory, tag: &str, source: &BranchSource) -> Result<Option<String>> {
        self.home.call("branch.rollback", |home| {
            Ok(open(home, memory, source)?.roll_back(tag)?.map(|commit| commit.to_string()))
        })
    }

    /// Removes the snapshots that are not kept, and returns their names, newest first.
    ///
    /// # Errors
    /// Those of [`checkout`](Self::checkout).
    pub fn prune(
        &self,
        memory: &BranchMemory,
        retention: BranchRetention,
        source: &BranchSource,
    ) -> Result<Vec<String>> {
        self.home.call("branch.prune", |home| open(home, memory, source)?.prune(retention))
    }

    /// The steps of a workflow that check the memories of a configuration out, upload them, and push them, as YAML;
    /// empty if it has none.
    ///
    /// # Errors
    /// Those of [`parse_config`](Self::parse_config).
    pub fn workflow(&self, config: Value) -> Result<String> {
        self.home.call("branch.workflow", |home| Ok(workflow::workflow(&config::parse(home.layout(), config)?)))
    }

    /// Whether a pattern matches the path of a file, which is relative to the folder of the memory. It has to match the
    /// whole path. `*` is any text without `/`, `**` any text at all, and every other character stands for itself.
    ///
    /// # Errors
    /// `ValidationError` for a pattern that is too long.
    pub fn matches(&self, pattern: &str, path: &str) -> Result<bool> {
        self.home.call("branch.match", |_| glob::matches(pattern, path))
    }
}

/// The folder of a memory, unless another one is named.
fn folder(home: &Home, memory: &BranchMemory, named: Option<&Path>) -> Result<PathBuf> {
    self::named(home, named.unwrap_or(Path::new(&memory.directory)))
}

fn named(home: &Home, folder: &Path) -> Result<PathBuf> {
    check_path("directory", folder)?;
    home.admit_path("directory", folder)?;
    // Without `.` and doubled slashes.
    let folder: PathBuf = home.current_folder()?.join(folder).components().collect();
    Ok(folder)
}

/// The snapshots of a memory.
fn open<'h>(home: &'h Home, memory: &'h BranchMemory, source: &BranchSource) -> Result<Snapshots<'h>> {
    Snapshots::open(home, memory, &folder(home, memory, None)?, source)
}
