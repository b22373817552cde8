//! The options of a store.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::input::read_input;
use super::{BranchScope, Environment};
use crate::error::{Error, Result};

/// The options of a store. All are optional; unknown keys are rejected.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[non_exhaustive]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    /// The folder in which everything is stored. Default: `CODEX_TOOLLOOP_HOME`, else `~/.codex-toolloop`.
    #[schemars(with = "Option<String>", extend("format" = "path"))]
    pub(crate) home: Option<PathBuf>,
    /// The root of memories from past runs and of recallable items. Reserved for a later version. Default:
    /// `CODEX_HOME`, else `~/.codex`.
    #[schemars(with = "Option<String>", extend("format" = "path"))]
    pub(crate) codex_home: Option<PathBuf>,
    /// The root of files kept on a branch. Reserved for a later version. Default: `/tmp/gh-aw/repo-memory`.
    #[schemars(with = "Option<String>", extend("format" = "path"))]
    pub(crate) branch_memory_root: Option<PathBuf>,
    /// Whether each branch has a separate memory or all branches share one. Default: `MEMORY_BRANCH_SCOPE`, else
    /// `perBranch`.
    pub(crate) branch_scope: Option<BranchScope>,
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
    pub(crate) redaction_patterns: Option<Vec<String>>,
    /// Where working contexts are stored: `file`, `memory`, `sqlite`, or the URL of a Redis server. Default:
    /// `WORKING_ADAPTER`, else `file`.
    pub(crate) adapter: Option<String>,
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
    /// For tests: a fixed RFC 3339 time for this store's clock.
    pub(crate) clock: Option<String>,
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("home", &self.home)
            .field("branch_scope", &self.branch_scope)
            .field("redaction_patterns", &self.redaction_patterns.as_ref().map(Vec::len))
            .finish_non_exhaustive()
    }
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

    /// Options with this home and default values otherwise.
    pub fn at(home: impl Into<PathBuf>) -> Self {
        Options { home: Some(home.into()), ..Options::default() }
    }

    /// The folder in which everything is stored.
    #[must_use]
    pub fn home(mut self, folder: impl Into<PathBuf>) -> Self {
        self.home = Some(folder.into());
        self
    }

    /// The root of memories from past runs and of recallable items. Reserved for a later version.
    #[must_use]
    pub fn codex_home(mut self, folder: impl Into<PathBuf>) -> Self {
        self.codex_home = Some(folder.into());
        self
    }

    /// The root of files kept on a branch. Reserved for a later version.
    #[must_use]
    pub fn branch_memory_root(mut self, folder: impl Into<PathBuf>) -> Self {
        self.branch_memory_root = Some(folder.into());
        self
    }

    /// Whether each branch has a separate memory or all branches share one.
    #[must_use]
    pub fn branch_scope(mut self, scope: BranchScope) -> Self {
        self.branch_scope = Some(scope);
        self
    }

    /// The maximum number of summaries in a context pack: the newest.
    #[must_use]
    pub fn max_summaries_in_context(mut self, entries: u32) -> Self {
        self.max_summaries_in_context = Some(entries);
        self
    }

    /// The maximum number of summaries that a repository keeps; beyond it the oldest are removed.
    #[must_use]
    pub fn summaries_max_entries(mut self, entries: u32) -> Self {
        self.summaries_max_entries = Some(entries);
        self
    }

    /// The maximum size of a repository's file of summaries, in bytes; beyond it the oldest are removed.
    #[must_use]
    pub fn summaries_max_bytes(mut self, bytes: u32) -> Self {
        self.summaries_max_bytes = Some(bytes);
        self
    }

    /// The maximum length of a summary, in bytes of UTF-8.
    #[must_use]
    pub fn summary_max_bytes(mut self, bytes: u32) -> Self {
        self.summary_max_bytes = Some(bytes);
        self
    }

    /// The maximum wait for a lock, to the millisecond.
    #[must_use]
    pub fn lock_timeout(mut self, timeout: Duration) -> Self {
        self.lock_timeout_ms = Some(milliseconds(timeout));
        self
    }

    /// The maximum wait for the lock of an append, to the millisecond.
    #[must_use]
    pub fn append_timeout(mut self, timeout: Duration) -> Self {
        self.append_timeout_ms = Some(milliseconds(timeout));
        self
    }

    /// How long a lock file must be unchanged before it is taken over from an owner of unknown state. Only used on file
    /// systems without locks.
    #[must_use]
    pub fn lock_stale_after(mut self, age: Duration) -> Self {
        self.lock_stale_ms = Some(milliseconds(age));
        self
    }

    /// Whether a write fails with `RenameError` if a file cannot be replaced atomically, instead of being overwritten
    /// in place.
    #[must_use]
    pub fn strong_atomicity(mut self, is_strong: bool) -> Self {
        self.strong_atomicity = Some(is_strong);
        self
    }

    /// Regular expressions; what they match is redacted before anything is stored.
    #[must_use]
    pub fn redaction_patterns(mut self, patterns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.redaction_patterns = Some(patterns.into_iter().map(Into::into).collect());
        self
    }

    /// Where working contexts are stored: `file`, `memory`, `sqlite`, or the URL of a Redis server.
    #[must_use]
    pub fn adapter(mut self, name: impl Into<String>) -> Self {
        self.adapter = Some(name.into());
        self
    }

    /// The prefix of every key on a Redis server.
    #[must_use]
    pub fn redis_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.redis_prefix = Some(prefix.into());
        self
    }

    /// The hosts of the Redis cluster, as `HOST` or `HOST:PORT`, in addition to the host of the URL.
    #[must_use]
    pub fn redis_hosts(mut self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.redis_hosts = Some(hosts.into_iter().map(Into::into).collect());
        self
    }

    /// A PEM file of certificates to trust for `rediss://` URLs instead of the system's.
    #[must_use]
    pub fn redis_ca_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.redis_ca_file = Some(file.into());
        self
    }

    /// The maximum wait for one response of a Redis server or of the host's adapter, to the millisecond.
    #[must_use]
    pub fn adapter_timeout(mut self, timeout: Duration) -> Self {
        self.adapter_timeout_ms = Some(milliseconds(timeout));
        self
    }

    /// The maximum number of checkpoints that are kept of a job; beyond it the oldest are removed.
    #[must_use]
    pub fn checkpoints_max_entries(mut self, entries: u32) -> Self {
        self.checkpoints_max_entries = Some(entries);
        self
    }

    /// The maximum age of a checkpoint, to the millisecond. Older ones are removed when the next one is saved; the
    /// newest is always kept.
    #[must_use]
    pub fn checkpoints_max_age(mut self, age: Duration) -> Self {
        self.checkpoints_max_age_ms = Some(u64::try_from(age.as_millis()).unwrap_or(u64::MAX));
        self
    }

    /// A fixed RFC 3339 time for this store's clock.
    #[cfg(any(test, feature = "testing"))]
    #[must_use]
    pub fn clock(mut self, instant: impl Into<String>) -> Self {
        self.clock = Some(instant.into());
        self
    }
}

/// Saturates: the longest duration that an option can hold is practically infinite.
fn milliseconds(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}
