//! The options of a store.

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::input::read_input;
use super::{BranchScope, DetachedHead, Environment, Hidden, ItemsBackend, SyncTime};
use crate::error::{Error, Result};
use crate::safety::Allowance;
use crate::setters::milliseconds;

/// Defines the options: their fields, which JSON sets, and their setters. A setter has the name, the type and the comment of
/// the field, unless it is written out.
macro_rules! options {
    ($($(#[doc = $doc:literal])* $(#[schemars $schema:tt])? $field:ident: $type:ty $(=> { $($setter:tt)* })?;)*) => {
        /// The options of a store. All are optional; unknown keys are rejected.
        #[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
        #[non_exhaustive]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct Options {
            $($(#[doc = $doc])* $(#[schemars $schema])? pub(crate) $field: Option<$type>,)*
        }

        impl Options {
            $(setter! { [$($doc)*] $field: $type $(=> { $($setter)* })? })*
        }
    };
}

macro_rules! setter {
    ([$($doc:literal)*] $field:ident: $type:ty) => {
        setter! { [$($doc)*] $field: $type => { $field(value: $type) = value } }
    };
    ([$($doc:literal)*] $field:ident: $type:ty => { $setter:ident($value:ident: $argument:ty) = $set:expr }) => {
        setter! { [] $field: $type => { $(#[doc = $doc])* $setter($value: $argument) = $set } }
    };
    ([$($_:literal)*] $field:ident: $type:ty => {
        $(#[doc = $doc:literal])+ $setter:ident($value:ident: $argument:ty) = $set:expr
    }) => {
        $(#[doc = $doc])+
        #[must_use]
        pub fn $setter(mut self, $value: $argument) -> Self {
            self.$field = Some($set);
            self
        }
    };
}

options! {
    /// The folder in which everything is stored. Default: `CODEX_TOOLLOOP_HOME`, else `~/.codex-toolloop`.
    #[schemars(with = "Option<String>", extend("format" = "path"))]
    home: PathBuf => { home(folder: impl Into<PathBuf>) = folder.into() };
    /// The Codex home: global recallable items are in its folder `memory`, and what rollouts left in its folder `memories`.
    /// Default: `CODEX_HOME`, else `~/.codex`.
    #[schemars(with = "Option<String>", extend("format" = "path"))]
    codex_home: PathBuf => { codex_home(folder: impl Into<PathBuf>) = folder.into() };
    /// The folder with the folders of the memories that are kept on git branches. Default: `/tmp/gh-aw/repo-memory`.
    #[schemars(with = "Option<String>", extend("format" = "path"))]
    branch_memory_root: PathBuf => { branch_memory_root(folder: impl Into<PathBuf>) = folder.into() };
    /// Whether each branch has a separate memory or all branches share one. Default: `MEMORY_BRANCH_SCOPE`, else
    /// `perBranch`.
    branch_scope: BranchScope;
    /// What identifies the memory of a detached HEAD: its `commit`, or the `branch` that the environment of a CI job names.
    /// Default: `MEMORY_DETACHED`, else `commit`.
    detached: DetachedHead;
    /// The branch whose records other branches inherit, unless they have records with the same id or title of their own;
    /// `default` is the repository's default branch, `none` turns it off. What is written is never inherited. Only for
    /// repositories that are named by their folder, if each branch has a separate memory. Default: `MEMORY_INHERIT_FROM`,
    /// else `default`.
    inherit_from: String => { inherit_from(branch: impl Into<String>) = branch.into() };
    /// The maximum number of summaries in a context pack: the newest. Default: 10.
    max_summaries_in_context: u32;
    /// The maximum number of summaries that a repository keeps; beyond it the oldest are removed. Default: 100.
    summaries_max_entries: u32;
    /// Whether summaries that are removed to make room for newer ones are kept in a file beside them, where a search finds them.
    /// Default: false.
    summaries_archive: bool;
    /// The maximum size of a repository's file of summaries, in bytes; beyond it the oldest are removed. At most
    /// 251,658,240. Default: 1,048,576.
    summaries_max_bytes: u32;
    /// The maximum length of a summary, in bytes of UTF-8; at most 1,000,000. Default: 65,536.
    summary_max_bytes: u32;
    /// The maximum wait for a lock, in milliseconds. Default: 5,000.
    lock_timeout_ms: u32 => {
        /// The maximum wait for a lock, to the millisecond.
        lock_timeout(timeout: Duration) = milliseconds(timeout)
    };
    /// The maximum wait for the lock of an append, in milliseconds. Default: 1,000.
    append_timeout_ms: u32 => {
        /// The maximum wait for the lock of an append, to the millisecond.
        append_timeout(timeout: Duration) = milliseconds(timeout)
    };
    /// How long a lock file must be unchanged, in milliseconds, before it is taken over from an owner of unknown state.
    /// Only used on file systems without locks. Default: 10,000.
    lock_stale_ms: u32 => {
        /// How long a lock file must be unchanged before it is taken over from an owner of unknown state. Only used on
        /// file systems without locks.
        lock_stale_after(age: Duration) = milliseconds(age)
    };
    /// Whether a write fails with `RenameError` if a file cannot be replaced atomically, such as a bind-mounted file.
    /// Otherwise, the file is overwritten in place, protected by a complete copy beside it. Default: false.
    strong_atomicity: bool;
    /// Regular expressions; what they match is redacted before anything is stored. Added to those of `config.toml`.
    #[schemars(with = "Option<Vec<String>>")]
    redaction_patterns: Hidden<Vec<String>> => {
        redaction_patterns(patterns: impl IntoIterator<Item: Into<String>>) =
            Hidden(patterns.into_iter().map(Into::into).collect())
    };
    /// False positives of rules, in addition to what `redaction.toml` allows.
    allow: Vec<Allowance> => { allow(allowances: impl Into<Vec<Allowance>>) = allowances.into() };
    /// Where working contexts are stored: `file`, `memory`, `sqlite`, or the URL of a Redis server. Default:
    /// `WORKING_ADAPTER`, else `file`.
    #[schemars(with = "Option<String>")]
    adapter: Hidden<String> => { adapter(name: impl Into<String>) = Hidden(name.into()) };
    /// The prefix of every key on a Redis server. Braces in it keep all keys with this prefix on one node of a cluster.
    /// Default: `{loopmem}:`.
    redis_prefix: String => { redis_prefix(prefix: impl Into<String>) = prefix.into() };
    /// The hosts of the Redis cluster, as `HOST` or `HOST:PORT`, in addition to the host of the URL. A redirection to
    /// any other host is an error, since that host would receive the password. Default: none.
    redis_hosts: Vec<String> => {
        redis_hosts(hosts: impl IntoIterator<Item: Into<String>>) = hosts.into_iter().map(Into::into).collect()
    };
    /// A PEM file of certificates to trust for `rediss://` URLs instead of the system's. Default: those that the system
    /// trusts.
    #[schemars(with = "Option<String>", extend("format" = "path"))]
    redis_ca_file: PathBuf => { redis_ca_file(file: impl Into<PathBuf>) = file.into() };
    /// The maximum wait for one response of a Redis server or of the host's adapter, in milliseconds. Default: 30,000.
    adapter_timeout_ms: u32 => {
        /// The maximum wait for one response of a Redis server or of the host's adapter, to the millisecond.
        adapter_timeout(timeout: Duration) = milliseconds(timeout)
    };
    /// The maximum number of checkpoints that are kept of a job; beyond it the oldest are removed. Default: all.
    checkpoints_max_entries: u32;
    /// The maximum age of a checkpoint, in milliseconds. Older ones are removed when the next one is saved; the newest
    /// is always kept. Default: no limit.
    checkpoints_max_age_ms: u64 => {
        /// The maximum age of a checkpoint, to the millisecond. Older ones are removed when the next one is saved; the
        /// newest is always kept.
        checkpoints_max_age(age: Duration) = u64::try_from(age.as_millis()).unwrap_or(u64::MAX)
    };
    /// Where recallable items are stored. Default: `CODEX_MEMORY_BACKEND`, else `jsonl`.
    items_backend: ItemsBackend;
    /// The maximum length of an item's content, in Unicode scalar values; at most 100,000. Default: 240.
    items_max_content_chars: u32;
    /// How many items of the repository and its folders must match before a recall leaves out the global ones. Default:
    /// 8.
    recall_min_repo_candidates: u32;
    /// The maximum number of items that a recall returns, at most 1,000. Default: 8.
    recall_limit: u32;
    /// The maximum length of a recall's preamble, in Unicode scalar values. Default: 1,200.
    recall_max_chars: u32;
    /// The maximum length of the standing items in a recall's preamble, and in a context pack, in Unicode scalar values. Default:
    /// 1,000.
    recall_standing_chars: u32;
    /// The score that a recalled item must at least have, from 0 to 1. Default: 0.15.
    recall_min_score: f64;
    /// Whether a recall also finds items with words of a similar meaning, such as `postgres` for `database`. Default: true.
    recall_near_words: bool;
    /// How much vectors count in relation to words, from 0 to 10. It is the weight of a vector that matches fully where all
    /// others match not at all; with closer ones, or more words, they count less. Default: 3.
    recall_vector_weight: f64;
    /// How much better a recall ranks an item that was changed just now than an old one that matches as well, from 0 to
    /// 1. Default: 0.05.
    recall_recency_weight: f64;
    /// How much better a recall ranks an item that is used often than one never used that matches as well, from 0 to 1.
    /// Default: 0.05.
    recall_frequency_weight: f64;
    /// Whether recallable items are bypassed: none is read, and writing one is an error. Default: false.
    temporary: bool;
    /// Whether the index of a repository's files includes the repositories inside its work tree, such as submodules.
    /// Default: false.
    index_submodules: bool;
    /// Whether maps and symbols are of the files below the workspace alone, and not of the whole repository. Default: false.
    index_subtree: bool;
    /// The maximum number of files that are indexed of a repository; at most 1,000,000. Default: 100,000.
    index_max_files: u32;
    /// The maximum size of a file that is indexed, in bytes; of larger ones, the path alone is known. At most 67,108,864.
    /// Default: 1,048,576.
    index_max_file_bytes: u32;
    /// How long a session must have been idle before its memory is extracted, in hours. Default: 12.
    rollouts_min_idle_hours: u32;
    /// How long ago a session may have changed last, in days, for its memory to be extracted. Default: 30.
    rollouts_max_age_days: u32;
    /// The maximum number of sessions whose memory is being extracted, by all processes together; at most 10,000. Default:
    /// 64.
    rollouts_max_running: u32;
    /// How long a claim lasts without a heartbeat, in seconds; at least 1. Default: 3,600.
    rollouts_lease_secs: u32;
    /// How often a session may be claimed before it changes; at least 1. Default: 3.
    rollouts_attempts: u32;
    /// How long a failed session or consolidation waits for the next attempt, in seconds. Default: 3,600.
    rollouts_retry_delay_secs: u32;
    /// The maximum number of sessions that one consolidation reads; at most 1,000. Default: 64.
    rollouts_consolidation_inputs: u32;
    /// For how long the memory of a session that is not used is consolidated, in days. Default: 30.
    rollouts_max_unused_days: u32;
    /// The maximum length of what changed since the last consolidation, in Unicode scalar values. Default: 60,000.
    rollouts_diff_max_chars: u32;
    /// The maximum length of a transcript that a model is asked to read, in tokens of three bytes; at most 10,000,000. Each
    /// failed attempt halves it. Default: 100,000.
    rollouts_input_max_tokens: u32;
    /// The sources of sessions whose memory is extracted. Default: `cli`, `vscode` and `claude`.
    rollouts_interactive_sources: Vec<String> => {
        rollouts_interactive_sources(sources: impl IntoIterator<Item: Into<String>>) = sources.into_iter().map(Into::into).collect()
    };
    /// The memory root: the folder for what past sessions left. Default: `memories` in the Codex home.
    #[schemars(with = "Option<String>", extend("format" = "path"))]
    rollouts_root: PathBuf => { rollouts_root(folder: impl Into<PathBuf>) = folder.into() };
    /// Whether a context pack leaves out what sessions in other repositories left, but for what is about the user. Default:
    /// true.
    rollouts_same_repo: bool;
    /// The program that `rollouts.run` uses as the model unless it is given commands: `claude`, `codex`, `gemini` or
    /// `ollama:MODEL`. Default: none.
    rollouts_with: String => { rollouts_with(word: impl Into<String>) = word.into() };
    /// The maximum number of attempts to push a memory on a git branch while others push to it; from 1 to 1,000.
    /// Default: 10.
    branch_attempts: u32;
    /// The branch of the remote on which the memory of a repository is synchronized. Default: `memory/loopmem`.
    sync_branch: String => { sync_branch(branch: impl Into<String>) = branch.into() };
    /// Whether step summaries are synchronized too. Default: false.
    sync_summaries: bool;
    /// Whether the global items are synchronized too, unless that was said for a repository. Everybody who can read its remote
    /// can read them, and what others put there applies in all repositories. Default: false.
    sync_global_items: bool;
    /// When hooks synchronize the memory of a repository that it is switched on for: `off`, or at the beginning and the end of
    /// a `session`. Default: `off`.
    sync_auto: SyncTime;
    /// For how many days records that were removed or replaced are kept in the trash, so that `undo.restore` can bring them
    /// back; 0 turns the trash off. Default: 30.
    trash_keep_days: u32;
    /// Whether records that a call replaces go to the trash too, and not only those that it removes. Default: false; the
    /// command line sets it, but for `loopmem call`.
    keep_replaced: bool;
    /// Whether records may have any fields of the host's own beside the known ones, and not only those in `extra`. A key that
    /// looks like a misspelt one is refused all the same. Default: false.
    allow_unknown_fields: bool;
    /// Whether a write to a `repoHash` is refused if nothing was ever stored under it, as under one that was mistyped. Default:
    /// false; the command line sets it, but for `loopmem call` and with `--create`.
    known_repos_only: bool;
    /// For tests: a fixed RFC 3339 time for this store's clock.
    clock: String => { clock(instant: impl Into<String>) = instant.into() };
}

impl Options {
    /// Parses options from JSON, as bindings pass them. The empty string means no options.
    ///
    /// # Errors
    /// `ValidationError` naming the option.
    pub fn from_json(json: &str) -> Result<Self> {
        if json.trim().is_empty() {
            return Ok(Options::default());
        }
        read_input(json).map_err(|refused: Error| Environment::of_the_process().scrubbed(refused.in_operation("open")))
    }

    /// The fixed RFC 3339 time of the store's clock, if a test sets one.
    #[doc(hidden)]
    pub fn now(&self) -> Option<&str> {
        self.clock.as_deref()
    }

    /// Whether items are bypassed: see [`temporary`](Self::temporary).
    #[doc(hidden)]
    pub fn is_temporary(&self) -> bool {
        self.temporary == Some(true)
    }

    /// Keeps what is replaced, unless an option says otherwise.
    #[doc(hidden)]
    #[must_use]
    pub fn keep_replaced_by_default(mut self) -> Self {
        self.keep_replaced.get_or_insert(true);
        self
    }

    /// Options with this home and default values otherwise.
    pub fn at(home: impl Into<PathBuf>) -> Self {
        Options { home: Some(home.into()), ..Options::default() }
    }
}
