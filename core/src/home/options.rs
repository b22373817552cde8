//! The options of a store.

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::input::read_input;
use super::{BranchScope, Environment, Hidden, ItemsBackend};
use crate::error::{Error, Result};
use crate::safety::Allowance;
use crate::setters::{milliseconds, strings};

/// The options of a store. All are optional; unknown keys are rejected.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[non_exhaustive]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    /// The folder in which everything is stored. Default: `CODEX_TOOLLOOP_HOME`, else `~/.codex-toolloop`.
    #[schemars(with = "Option<String>", extend("format" = "path"))]
    pub(crate) home: Option<PathBuf>,
    /// The Codex home: global recallable items are in its folder `memory`, and what rollouts left in its folder `memories`.
    /// Default: `CODEX_HOME`, else `~/.codex`.
    #[schemars(with = "Option<String>", extend("format" = "path"))]
    pub(crate) codex_home: Option<PathBuf>,
    /// The folder with the folders of the memories that are kept on git branches. Default: `/tmp/gh-aw/repo-memory`.
    #[schemars(with = "Option<String>", extend("format" = "path"))]
    pub(crate) branch_memory_root: Option<PathBuf>,
    /// Whether each branch has a separate memory or all branches share one. Default: `MEMORY_BRANCH_SCOPE`, else
    /// `perBranch`.
    pub(crate) branch_scope: Option<BranchScope>,
    /// The branch whose records other branches inherit, unless they have records with the same id or title of their own;
    /// `default` is the repository's default branch. What is written is never inherited. Only for repositories that are
    /// named by their folder, if each branch has a separate memory. Default: `MEMORY_INHERIT_FROM`, else none.
    pub(crate) inherit_from: Option<String>,
    /// The maximum number of summaries in a context pack: the newest. Default: 10.
    pub(crate) max_summaries_in_context: Option<u32>,
    /// The maximum number of summaries that a repository keeps; beyond it the oldest are removed. Default: 100.
    pub(crate) summaries_max_entries: Option<u32>,
    /// The maximum size of a repository's file of summaries, in bytes; beyond it the oldest are removed. At most
    /// 251,658,240. Default: 1,048,576.
    pub(crate) summaries_max_bytes: Option<u32>,
    /// The maximum length of a summary, in bytes of UTF-8; at most 1,000,000. Default: 65,536.
    pub(crate) summary_max_bytes: Option<u32>,
    /// The maximum wait for a lock, in milliseconds. Default: 5,000.
    pub(crate) lock_timeout_ms: Option<u32>,
    /// The maximum wait for the lock of an append, in milliseconds. Default: 1,000.
    pub(crate) append_timeout_ms: Option<u32>,
    /// How long a lock file must be unchanged, in milliseconds, before it is taken over from an owner of unknown state.
    /// Only used on file systems without locks. Default: 10,000.
    pub(crate) lock_stale_ms: Option<u32>,
    /// Whether a write fails with `RenameError` if a file cannot be replaced atomically, such as a bind-mounted file.
    /// Otherwise, the file is overwritten in place, protected by a complete copy beside it. Default: false.
    pub(crate) strong_atomicity: Option<bool>,
    /// Regular expressions; what they match is redacted before anything is stored. Added to those of `config.toml`.
    #[schemars(with = "Option<Vec<String>>")]
    pub(crate) redaction_patterns: Option<Hidden<Vec<String>>>,
    /// False positives of rules, in addition to what `redaction.toml` allows.
    pub(crate) allow: Option<Vec<Allowance>>,
    /// Where working contexts are stored: `file`, `memory`, `sqlite`, or the URL of a Redis server. Default:
    /// `WORKING_ADAPTER`, else `file`.
    #[schemars(with = "Option<String>")]
    pub(crate) adapter: Option<Hidden<String>>,
    /// The prefix of every key on a Redis server. Braces in it keep all keys with this prefix on one node of a cluster.
    /// Default: `{loopmem}:`.
    pub(crate) redis_prefix: Option<String>,
    /// The hosts of the Redis cluster, as `HOST` or `HOST:PORT`, in addition to the host of the URL. A redirection to
    /// any other host is an error, since that host would receive the password. Default: none.
    pub(crate) redis_hosts: Option<Vec<String>>,
    /// A PEM file of certificates to trust for `rediss://` URLs instead of the system's. Default: those that the system
    /// trusts.
    #[schemars(with = "Option<String>", extend("format" = "path"))]
    pub(crate) redis_ca_file: Option<PathBuf>,
    /// The maximum wait for one response of a Redis server or of the host's adapter, in milliseconds. Default: 30,000.
    pub(crate) adapter_timeout_ms: Option<u32>,
    /// The maximum number of checkpoints that are kept of a job; beyond it the oldest are removed. Default: all.
    pub(crate) checkpoints_max_entries: Option<u32>,
    /// The maximum age of a checkpoint, in milliseconds. Older ones are removed when the next one is saved; the newest
    /// is always kept. Default: no limit.
    pub(crate) checkpoints_max_age_ms: Option<u64>,
    /// Where recallable items are stored. Default: `CODEX_MEMORY_BACKEND`, else `jsonl`.
    pub(crate) items_backend: Option<ItemsBackend>,
    /// The maximum length of an item's content, in Unicode scalar values; at most 100,000. Default: 240.
    pub(crate) items_max_content_chars: Option<u32>,
    /// How many items of the repository and its folders must match before a recall leaves out the global ones. Default:
    /// 8.
    pub(crate) recall_min_repo_candidates: Option<u32>,
    /// The maximum number of items that a recall returns, at most 1,000. Default: 8.
    pub(crate) recall_limit: Option<u32>,
    /// The maximum length of a recall's preamble, in Unicode scalar values. Default: 1,200.
    pub(crate) recall_max_chars: Option<u32>,
    /// How much better a recall ranks an item that was changed just now than an old one that matches as well, from 0 to
    /// 1. Default: 0.05.
    pub(crate) recall_recency_weight: Option<f64>,
    /// How much better a recall ranks an item that is used often than one never used that matches as well, from 0 to 1.
    /// Default: 0.05.
    pub(crate) recall_frequency_weight: Option<f64>,
    /// Whether recallable items are bypassed: none is read, and writing one is an error. Default: false.
    pub(crate) temporary: Option<bool>,
    /// Whether the index of a repository's files includes the repositories inside its work tree, such as submodules.
    /// Default: false.
    pub(crate) index_submodules: Option<bool>,
    /// Whether maps and symbols are of the files below the workspace alone, and not of the whole repository. Default: false.
    pub(crate) index_subtree: Option<bool>,
    /// The maximum number of files that are indexed of a repository; at most 1,000,000. Default: 100,000.
    pub(crate) index_max_files: Option<u32>,
    /// The maximum size of a file that is indexed, in bytes; of larger ones, the path alone is known. At most 67,108,864.
    /// Default: 1,048,576.
    pub(crate) index_max_file_bytes: Option<u32>,
    /// How long a session must have been idle before its memory is extracted, in hours. Default: 12.
    pub(crate) rollouts_min_idle_hours: Option<u32>,
    /// How long ago a session may have changed last, in days, for its memory to be extracted. Default: 30.
    pub(crate) rollouts_max_age_days: Option<u32>,
    /// The maximum number of sessions whose memory is being extracted, by all processes together; at most 10,000. Default:
    /// 64.
    pub(crate) rollouts_max_running: Option<u32>,
    /// How long a claim lasts without a heartbeat, in seconds; at least 1. Default: 3,600.
    pub(crate) rollouts_lease_secs: Option<u32>,
    /// How often a session may be claimed before it changes; at least 1. Default: 3.
    pub(crate) rollouts_attempts: Option<u32>,
    /// How long a failed session or consolidation waits for the next attempt, in seconds. Default: 3,600.
    pub(crate) rollouts_retry_delay_secs: Option<u32>,
    /// The maximum number of sessions that one consolidation reads; at most 1,000. Default: 64.
    pub(crate) rollouts_consolidation_inputs: Option<u32>,
    /// For how long the memory of a session that is not used is consolidated, in days. Default: 30.
    pub(crate) rollouts_max_unused_days: Option<u32>,
    /// The maximum length of what changed since the last consolidation, in Unicode scalar values. Default: 60,000.
    pub(crate) rollouts_diff_max_chars: Option<u32>,
    /// The maximum length of a transcript that a model is asked to read, in tokens of three bytes; at most 10,000,000. Each
    /// failed attempt halves it. Default: 100,000.
    pub(crate) rollouts_input_max_tokens: Option<u32>,
    /// The sources of sessions whose memory is extracted. Default: `cli`, `vscode` and `claude`.
    pub(crate) rollouts_interactive_sources: Option<Vec<String>>,
    /// Whether a context pack leaves out what sessions in other repositories left. Default: false.
    pub(crate) rollouts_same_repo: Option<bool>,
    /// How often a memory on a git branch is tried to be pushed while others push to it; from 1 to 1,000. Default: 10.
    pub(crate) branch_attempts: Option<u32>,
    /// For tests: a fixed RFC 3339 time for this store's clock.
    pub(crate) clock: Option<String>,
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

    /// Options with this home and default values otherwise.
    pub fn at(home: impl Into<PathBuf>) -> Self {
        Options { home: Some(home.into()), ..Options::default() }
    }

    setters! {
        /// The folder in which everything is stored.
        home(folder: impl Into<PathBuf>) => home = Some(folder.into());
        /// The Codex home, with the folders of global recallable items and of what rollouts left.
        codex_home(folder: impl Into<PathBuf>) => codex_home = Some(folder.into());
        /// The folder with the folders of the memories that are kept on git branches.
        branch_memory_root(folder: impl Into<PathBuf>) => branch_memory_root = Some(folder.into());
        /// Whether each branch has a separate memory or all branches share one.
        branch_scope(scope: BranchScope) => branch_scope = Some(scope);
        /// The branch whose records other branches inherit; `default` is the repository's default branch.
        inherit_from(branch: impl Into<String>) => inherit_from = Some(branch.into());
        /// The maximum number of summaries in a context pack: the newest.
        max_summaries_in_context(entries: u32) => max_summaries_in_context = Some(entries);
        /// The maximum number of summaries that a repository keeps; beyond it the oldest are removed.
        summaries_max_entries(entries: u32) => summaries_max_entries = Some(entries);
        /// The maximum size of a repository's file of summaries, in bytes; beyond it the oldest are removed.
        summaries_max_bytes(bytes: u32) => summaries_max_bytes = Some(bytes);
        /// The maximum length of a summary, in bytes of UTF-8.
        summary_max_bytes(bytes: u32) => summary_max_bytes = Some(bytes);
        /// The maximum wait for a lock, to the millisecond.
        lock_timeout(timeout: Duration) => lock_timeout_ms = Some(milliseconds(timeout));
        /// The maximum wait for the lock of an append, to the millisecond.
        append_timeout(timeout: Duration) => append_timeout_ms = Some(milliseconds(timeout));
        /// How long a lock file must be unchanged before it is taken over from an owner of unknown state. Only used on
        /// file systems without locks.
        lock_stale_after(age: Duration) => lock_stale_ms = Some(milliseconds(age));
        /// Whether a write fails with `RenameError` if a file cannot be replaced atomically, instead of being
        /// overwritten in place.
        strong_atomicity(is_strong: bool) => strong_atomicity = Some(is_strong);
        /// Regular expressions; what they match is redacted before anything is stored.
        redaction_patterns(patterns: impl IntoIterator<Item: Into<String>>) =>
            redaction_patterns = strings(patterns).map(Hidden);
        /// False positives of rules.
        allow(allowances: impl Into<Vec<Allowance>>) => allow = Some(allowances.into());
        /// Where working contexts are stored: `file`, `memory`, `sqlite`, or the URL of a Redis server.
        adapter(name: impl Into<String>) => adapter = Some(Hidden(name.into()));
        /// The prefix of every key on a Redis server.
        redis_prefix(prefix: impl Into<String>) => redis_prefix = Some(prefix.into());
        /// The hosts of the Redis cluster, as `HOST` or `HOST:PORT`, in addition to the host of the URL.
        redis_hosts(hosts: impl IntoIterator<Item: Into<String>>) => redis_hosts = strings(hosts);
        /// A PEM file of certificates to trust for `rediss://` URLs instead of the system's.
        redis_ca_file(file: impl Into<PathBuf>) => redis_ca_file = Some(file.into());
        /// The maximum wait for one response of a Redis server or of the host's adapter, to the millisecond.
        adapter_timeout(timeout: Duration) => adapter_timeout_ms = Some(milliseconds(timeout));
        /// The maximum number of checkpoints that are kept of a job; beyond it the oldest are removed.
        checkpoints_max_entries(entries: u32) => checkpoints_max_entries = Some(entries);
        /// The maximum age of a checkpoint, to the millisecond. Older ones are removed when the next one is saved; the
        /// newest is always kept.
        checkpoints_max_age(age: Duration) =>
            checkpoints_max_age_ms = Some(u64::try_from(age.as_millis()).unwrap_or(u64::MAX));
        /// Where recallable items are stored.
        items_backend(backend: ItemsBackend) => items_backend = Some(backend);
        /// The maximum length of an item's content, in Unicode scalar values.
        items_max_content_chars(characters: u32) => items_max_content_chars = Some(characters);
        /// How many items of the repository and its folders must match before a recall leaves out the global ones.
        recall_min_repo_candidates(items: u32) => recall_min_repo_candidates = Some(items);
        /// The maximum number of items that a recall returns.
        recall_limit(items: u32) => recall_limit = Some(items);
        /// The maximum length of a recall's preamble, in Unicode scalar values.
        recall_max_chars(characters: u32) => recall_max_chars = Some(characters);
        /// How much better a recall ranks an item that was changed just now than an old one, from 0 to 1.
        recall_recency_weight(weight: f64) => recall_recency_weight = Some(weight);
        /// How much better a recall ranks an item that is used often than one never used, from 0 to 1.
        recall_frequency_weight(weight: f64) => recall_frequency_weight = Some(weight);
        /// Whether recallable items are bypassed: none is read, and writing one is an error.
        temporary(is_temporary: bool) => temporary = Some(is_temporary);
        /// Whether the index of a repository's files includes the repositories inside its work tree, such as submodules.
        index_submodules(is_included: bool) => index_submodules = Some(is_included);
        /// Whether maps and symbols are of the files below the workspace alone.
        index_subtree(is_alone: bool) => index_subtree = Some(is_alone);
        /// The maximum number of files that are indexed of a repository.
        index_max_files(files: u32) => index_max_files = Some(files);
        /// The maximum size of a file that is indexed, in bytes.
        index_max_file_bytes(bytes: u32) => index_max_file_bytes = Some(bytes);
        /// How long a session must have been idle before its memory is extracted, in hours.
        rollouts_min_idle_hours(hours: u32) => rollouts_min_idle_hours = Some(hours);
        /// How long ago a session may have changed last, in days, for its memory to be extracted.
        rollouts_max_age_days(days: u32) => rollouts_max_age_days = Some(days);
        /// The maximum number of sessions whose memory is being extracted, by all processes together.
        rollouts_max_running(sessions: u32) => rollouts_max_running = Some(sessions);
        /// How long a claim lasts without a heartbeat, in seconds.
        rollouts_lease_secs(seconds: u32) => rollouts_lease_secs = Some(seconds);
        /// How often a session may be claimed before it changes.
        rollouts_attempts(attempts: u32) => rollouts_attempts = Some(attempts);
        /// How long a failed session or consolidation waits for the next attempt, in seconds.
        rollouts_retry_delay_secs(seconds: u32) => rollouts_retry_delay_secs = Some(seconds);
        /// The maximum number of sessions that one consolidation reads.
        rollouts_consolidation_inputs(sessions: u32) => rollouts_consolidation_inputs = Some(sessions);
        /// For how long the memory of a session that is not used is consolidated, in days.
        rollouts_max_unused_days(days: u32) => rollouts_max_unused_days = Some(days);
        /// The maximum length of what changed since the last consolidation, in Unicode scalar values.
        rollouts_diff_max_chars(characters: u32) => rollouts_diff_max_chars = Some(characters);
        /// The maximum length of a transcript that a model is asked to read, in tokens of three bytes.
        rollouts_input_max_tokens(tokens: u32) => rollouts_input_max_tokens = Some(tokens);
        /// The sources of sessions whose memory is extracted.
        rollouts_interactive_sources(sources: impl IntoIterator<Item: Into<String>>) =>
            rollouts_interactive_sources = strings(sources);
        /// Whether a context pack leaves out what sessions in other repositories left.
        rollouts_same_repo(is_alone: bool) => rollouts_same_repo = Some(is_alone);
        /// How often a memory on a git branch is tried to be pushed.
        branch_attempts(attempts: u32) => branch_attempts = Some(attempts);
        /// A fixed RFC 3339 time for this store's clock.
        #[cfg(any(test, feature = "testing"))]
        clock(instant: impl Into<String>) => clock = Some(instant.into());
    }
}
