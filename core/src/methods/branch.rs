//! `branch.*`

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{MethodGroup, method, methods, params};
use crate::branch::{self, Memory, PrunedSnapshots, PushOptions, Retention, Rollback, SnapshotList, Source, operation};
use crate::error::Result;
use crate::store::Store;

pub(super) const GROUP: MethodGroup = MethodGroup {
    name: "branch",
    about: "Files of an agent, kept on a git branch",
    entries: methods! {
        ParseConfig, Checkout, Validate, Push, Pack, Unpack, TakeSnapshot, ListSnapshots, RollBack, Prune,
        ReadPrompt, WriteWorkflow, MatchPath, MergeFile
    },
};

params! {
    /// Reads the configuration of memories and returns each with its folder, its branch and its limits.
    ///
    /// Without an `id`, a memory is called `default`. Its branch is `memory/ID`, unless `branch-name` says otherwise.
    struct ParseConfig {
        /// The configuration: its value (a boolean, an object or a list), an object that has it under `repo-memory` or
        /// `tools.repo-memory`, or a text in YAML or JSON with one of them, such as a workflow with front matter.
        /// Default: `true`.
        config: Option<Value>,
    }
}

method! {
    ParseConfig = operation::PARSE_CONFIG => branch::Memories, LOCK_FREE |self, store| {
        store.branches().parse_config(self.config.unwrap_or_default())
    }
}

/// As [`params!`], with the memory that a call is about. `directory` stands for the key of its folder, and `source` for
/// those of its repository.
macro_rules! of_memory {
    (@with [$($head:tt)*] [$($fields:tt)*] directory, $($rest:tt)*) => {
        of_memory! { @with [$($head)*] [$($fields)*
            /// The folder. Default: that of the memory.
            #[schemars(extend("format" = "path"))]
            directory: Option<String>,
        ] $($rest)* }
    };
    (@with [$($head:tt)*] [$($fields:tt)*] source, $($rest:tt)*) => {
        of_memory! { @with [$($head)*] [$($fields)*
            /// The folder of a repository with the remote. Default: the current folder, unless the memory names a
            /// repository.
            #[schemars(extend("format" = "path"))]
            repo_dir: Option<String>,
            /// The URL or the path of the repository with the branch, or the name of a remote of the repository. Default:
            /// the repository that the memory names, or else the only remote, or `origin`.
            remote: Option<String>,
        ] $($rest)* }
    };
    (@with [$($head:tt)*] [$($fields:tt)*] $(#[$doc:meta])* $field:ident: $type:ty, $($rest:tt)*) => {
        of_memory! { @with [$($head)*] [$($fields)* $(#[$doc])* $field: $type,] $($rest)* }
    };
    (@with [$($head:tt)*] [$($fields:tt)*]) => {
        params! {
            $($head)* {
                /// The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the memory `default`.
                entry: Option<Value>,
                $($fields)*
            }
        }
    };
    ($(#[$doc:meta])* struct $params:ident { $($fields:tt)* }) => {
        of_memory! { @with [$(#[$doc])* struct $params] [] $($fields)* }
    };
}

/// The memory that a call is about; without one, that of the configuration `true`.
fn memory(store: &Store, entry: Option<Value>) -> Result<Memory> {
    store.branches().parse_entry(entry.unwrap_or_default())
}

fn source(repo_dir: Option<String>, remote: Option<String>) -> Source {
    Source { repo_dir: repo_dir.map(Into::into), remote, ..Source::new() }
}

of_memory! {
    /// Brings the folder of a memory up to date with its branch, and returns the commit that its files come from.
    ///
    /// Unpushed changes in the folder stay: they are merged with the branch as `branch.push` merges them. If the branch
    /// does not exist, the folder is created, and the first push creates the branch; if `create-orphan` is false, that
    /// is an error. The user's own git does the network work. Reports its progress in two steps.
    struct Checkout {
        directory,
        source,
        /// The commit of the branch whose files the folder gets, as an earlier checkout returned it; a push merges them with
        /// what came later. Default: the newest.
        at: Option<String>,
    }
}

method! {
    Checkout = operation::CHECKOUT => branch::Checkout, WRITES |self, store| {
        let memory = memory(store, self.entry)?;
        let directory = self.directory.as_deref().map(Path::new);
        let source = source(self.repo_dir, self.remote);
        match &self.at {
            Some(commit) => store.branches().checkout_at(&memory, directory, &source, commit),
            None => store.branches().checkout(&memory, directory, &source),
        }
    }
}

of_memory! {
    /// Checks the files in the folder of a memory against its rules, and returns every fault with its path, rule and
    /// limit.
    ///
    /// `branch.push` makes the same checks first. In addition, it looks for secrets in the files, and checks the files
    /// together with those that others have pushed; so does this method if `merged` is true.
    struct Validate {
        directory,
        source,
        /// Whether the files are also checked as a push would leave them on the branch: merged with what others pushed, which
        /// is fetched. Nothing is pushed. Default: `false`.
        merged: Option<bool>,
    }
}

method! {
    Validate = operation::VALIDATE => branch::Validation |self, store| {
        let memory = memory(store, self.entry)?;
        let directory = self.directory.as_deref().map(Path::new);
        match self.merged {
            Some(true) => store.branches().validate_merged(&memory, directory, &source(self.repo_dir, self.remote)),
            _ => store.branches().validate(&memory, directory),
        }
    }
}

of_memory! {
    /// Commits the files in the folder of a memory to its branch, merged with what others pushed meanwhile, and brings
    /// the folder up to date.
    ///
    /// Removed and renamed files are removed and renamed on the branch too. Where both sides changed the same thing,
    /// the folder wins, and `conflicts` says where the other version is. Secrets in texts are redacted. Nothing is
    /// pushed if a file breaks a rule, alone or together with those of others. If the repository cannot be reached or
    /// does not take the push, or others are faster every time, the call fails with a `GitError`, and the commit waits
    /// beside the folder for the next push. A cancelled call may have pushed (`mayBeStored`). Reports its progress in
    /// three steps.
    struct Push {
        directory,
        source,
        /// The commit that the files come from, as `branch.checkout` returned it on another machine, or `none` if it returned
        /// null. Default: that of the last checkout or push of this folder.
        base: Option<String>,
        /// The id of the run, for the message of the commit, at most 200 bytes.
        run_id: Option<String>,
        /// The message of the commit, at most 4,000 bytes. Default: `Update repo memory from workflow run ID`.
        message: Option<String>,
    }
}

method! {
    Push = operation::PUSH => branch::Push, WRITES, REDACTS |self, store| {
        let memory = memory(store, self.entry)?;
        let directory = self.directory.as_deref().map(Path::new);
        let source = source(self.repo_dir, self.remote);
        let options = PushOptions { source, base: self.base, run_id: self.run_id, message: self.message };
        store.branches().push(&memory, directory, &options)
    }
}

of_memory! {
    /// Writes an artifact of the files in the folder of a memory: one file that passes them on to another job or
    /// machine.
    ///
    /// It is a tar file that names the memory, the commit that its files come from, and every file with its hash.
    /// Secrets in texts are redacted. The same files give the same bytes.
    struct Pack {
        directory,
        /// The path of the artifact, which ends in `.tar.zst`, `.tar.gz` or `.tar`. An existing one is replaced.
        #[schemars(extend("format" = "path"))]
        artifact_path: String,
        /// The path of an earlier artifact, whose contents are left out.
        #[schemars(extend("format" = "path"))]
        since: Option<String>,
    }
}

method! {
    Pack = operation::PACK => branch::Packed, WRITES, REDACTS |self, store| {
        let memory = memory(store, self.entry)?;
        let (directory, since) = (self.directory.as_deref().map(Path::new), self.since.as_deref().map(Path::new));
        store.branches().pack(&memory, directory, Path::new(&self.artifact_path), since)
    }
}

params! {
    /// Brings the files of an artifact to the folder of its memory.
    ///
    /// Files that are the same are not written, changes in the folder stay, and the next `branch.push` knows the commit
    /// that the files come from. Everything in the artifact is checked before the first file is written.
    struct Unpack {
        /// The path of the artifact.
        #[schemars(extend("format" = "path"))]
        artifact_path: String,
        /// The folder. Default: that of the artifact's memory on this machine.
        #[schemars(extend("format" = "path"))]
        directory: Option<String>,
    }
}

method! {
    Unpack = operation::UNPACK => branch::Unpacked, WRITES |self, store| {
        let directory = self.directory.as_deref().map(Path::new);
        store.branches().unpack(Path::new(&self.artifact_path), directory)
    }
}

of_memory! {
    /// Makes a snapshot of the branch of a memory, as it is in its repository.
    ///
    /// It is the tag `BRANCH/NAME` of the repository. It does not have unpushed changes.
    struct TakeSnapshot {
        /// The name: 1 to 100 letters, digits, `-`, `_` and `.`. Default: the time, such as `20250131T120000Z`.
        tag: Option<String>,
        source,
    }
}

method! {
    TakeSnapshot = operation::SNAPSHOT => branch::Snapshot, WRITES |self, store| {
        let memory = memory(store, self.entry)?;
        store.branches().snapshot(&memory, self.tag.as_deref(), &source(self.repo_dir, self.remote))
    }
}

of_memory! {
    /// Returns the snapshots of the branch of a memory, newest first.
    struct ListSnapshots {
        source,
    }
}

method! {
    ListSnapshots = operation::SNAPSHOTS => SnapshotList |self, store| {
        let memory = memory(store, self.entry)?;
        let snapshots = store.branches().snapshots(&memory, &source(self.repo_dir, self.remote))?;
        Ok(SnapshotList { snapshots })
    }
}

of_memory! {
    /// Sets the files of the branch of a memory back to a snapshot, by a commit on top of what the branch has.
    ///
    /// Nothing is lost: the commits in between stay. The next checkout or push of the folder changes its files.
    struct RollBack {
        /// The name of the snapshot.
        tag: String,
        source,
    }
}

method! {
    RollBack = operation::ROLLBACK => Rollback, WRITES |self, store| {
        let memory = memory(store, self.entry)?;
        let commit = store.branches().rollback(&memory, &self.tag, &source(self.repo_dir, self.remote))?;
        Ok(Rollback { commit })
    }
}

of_memory! {
    /// Removes snapshots of the branch of a memory: all but the newest, or those of a certain age. Without a limit, it
    /// removes none.
    struct Prune {
        /// How many of the newest are kept.
        keep: Option<u32>,
        /// The maximum age of those that are kept, in days.
        max_age_days: Option<u32>,
        source,
    }
}

method! {
    Prune = operation::PRUNE => PrunedSnapshots, WRITES |self, store| {
        let memory = memory(store, self.entry)?;
        let retention = Retention { keep: self.keep, max_age_days: self.max_age_days };
        let removed = store.branches().prune(&memory, retention, &source(self.repo_dir, self.remote))?;
        Ok(PrunedSnapshots { removed })
    }
}

params! {
    /// Returns the section of a prompt that describes memories to an agent: folders, branches, limits and patterns.
    struct ReadPrompt {
        /// The configuration, as for `branch.parseConfig`. Default: `true`.
        config: Option<Value>,
    }
}

method! {
    ReadPrompt = operation::PROMPT => branch::Prompt, LOCK_FREE |self, store| {
        Ok(branch::Prompt { text: store.branches().prompt(self.config.unwrap_or_default())? })
    }
}

params! {
    /// Returns the steps of a workflow of GitHub Actions that check memories out before an agent runs, upload them
    /// after it, and validate and push them in a job of their own. They call the command `loopmem`.
    struct WriteWorkflow {
        /// The configuration, as for `branch.parseConfig`. Default: `true`.
        config: Option<Value>,
    }
}

method! {
    WriteWorkflow = operation::WORKFLOW => branch::Workflow, LOCK_FREE |self, store| {
        Ok(branch::Workflow { yaml: store.branches().workflow(self.config.unwrap_or_default())? })
    }
}

/// Whether a pattern matches a path.
#[derive(Debug, Serialize, JsonSchema)]
struct PatternMatch {
    /// Whether it does.
    #[serde(rename = "match")]
    is_match: bool,
}

params! {
    /// Returns whether a pattern matches the path of a file, which is relative to the folder of the memory.
    ///
    /// The pattern has to match the whole path, case-sensitively. `*` is any text without `/`, `**` any text at all,
    /// and every other character stands for itself.
    struct MatchPath {
        /// The pattern, at most 4,096 bytes.
        pattern: String,
        /// The path, with `/` between its parts.
        path: String,
    }
}

method! {
    MatchPath = operation::MATCH => PatternMatch, LOCK_FREE |self, store| {
        Ok(PatternMatch { is_match: store.branches().matches(&self.pattern, &self.path)? })
    }
}

params! {
    /// Merges what others changed in a file of records since both sides started from the same version, as a push does: `.jsonl`
    /// and `.ndjson` by records, `.json` by keys. It is for git: see `loopmem merge-driver`.
    ///
    /// Where both sides changed the same thing, ours is kept, and the outcome is `conflict`. Secrets in what is written are
    /// redacted. A file with another ending is left as it is.
    struct MergeFile {
        /// The file with the version from which both sides started; an empty one if there is none.
        #[schemars(extend("format" = "path"))]
        base: String,
        /// The file with the version of this side, which is replaced.
        #[schemars(extend("format" = "path"))]
        ours: String,
        /// The file with the version of the others.
        #[schemars(extend("format" = "path"))]
        theirs: String,
        /// The name of the file, whose ending says how it is merged. Default: that of `ours`.
        path: Option<String>,
    }
}

method! {
    MergeFile = operation::MERGE_FILE => branch::MergedFile, WRITES |self, store| {
        let [base, ours, theirs] = [&self.base, &self.ours, &self.theirs].map(Path::new);
        store.branches().merge_file(base, ours, theirs, self.path.as_deref())
    }
}
