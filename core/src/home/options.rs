//! What a store may be opened with, as every binding passes it, and as a Rust program sets it.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::input::read_input;
use super::{BranchScope, Environment};
use crate::error::{Error, Result};

/// What a store may be opened with. Everything has a default; unknown keys are refused.
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[non_exhaustive]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    /// The folder that holds everything. Default: `CODEX_TOOLLOOP_HOME`, else `~/.codex-toolloop`.
    #[schemars(with = "Option<String>", extend("format" = "path"))]
    pub(crate) home: Option<PathBuf>,
    /// The root of memories from past runs and of recallable items, whose methods come with a later version. Default: `CODEX_HOME`, else `~/.codex`.
    #[schemars(with = "Option<String>", extend("format" = "path"))]
    pub(crate) codex_home: Option<PathBuf>,
    /// The root of files kept on a branch, whose methods come with a later version. Default: `/tmp/gh-aw/repo-memory`.
    #[schemars(with = "Option<String>", extend("format" = "path"))]
    pub(crate) branch_memory_root: Option<PathBuf>,
    /// Whose memory a branch reads and writes. Default: `MEMORY_BRANCH_SCOPE`, else `perBranch`.
    pub(crate) branch_scope: Option<BranchScope>,
    /// How many of the newest summaries a context pack takes. Default: 10.
    pub(crate) max_summaries_in_context: Option<u32>,
    /// How many summaries a repository keeps; beyond it the oldest go. Default: 100.
    pub(crate) summaries_max_entries: Option<u32>,
    /// How long the file of a repository's summaries may grow, in bytes; beyond it the oldest go. At most 251,658,240.
    /// Default: 1,048,576.
    pub(crate) summaries_max_bytes: Option<u32>,
    /// The longest summary, in bytes of UTF-8; at most 1,000,000. Default: 65,536.
    pub(crate) summary_max_bytes: Option<u32>,
    /// The longest wait for a lock, in milliseconds. Default: 5,000.
    pub(crate) lock_timeout_ms: Option<u32>,
    /// The longest wait for the lock of an append, in milliseconds. Default: 1,000.
    pub(crate) append_timeout_ms: Option<u32>,
    /// How long a lock file must stand still, in milliseconds, before it is taken over from an owner of whom nothing is
    /// known; only where the file system has no locks of its own. Default: 10,000.
    pub(crate) lock_stale_ms: Option<u32>,
    /// Whether a write fails with `RenameError` where a file cannot be replaced at once, such as one that is mounted by
    /// itself. Otherwise it is copied over, with a whole copy beside it until that is done. Default: false.
    pub(crate) strong_atomicity: Option<bool>,
    /// Regular expressions; what they match is redacted before anything is stored. Those of `config.toml` count too.
    pub(crate) redaction_patterns: Option<Vec<String>>,
    /// Where working contexts are kept: `file`, `memory`, `sqlite`, or the URL of a Redis server. Default:
    /// `WORKING_ADAPTER`, else `file`.
    pub(crate) adapter: Option<String>,
    /// What stands before every key on a Redis server. Braces in it keep the keys of one prefix on one node of a cluster.
    /// Default: `{loopmem}:`.
    pub(crate) redis_prefix: Option<String>,
    /// Hosts of the Redis cluster besides the URL's own, as `HOST` or `HOST:PORT`. Keys that have moved to any other host
    /// are an error: it would be sent the password. Default: none.
    pub(crate) redis_hosts: Option<Vec<String>>,
    /// A file of certificates as PEM, which are trusted in place of the system's when the URL begins with `rediss://`.
    /// Default: those that the system trusts.
    #[schemars(with = "Option<String>", extend("format" = "path"))]
    pub(crate) redis_ca_file: Option<PathBuf>,
    /// The longest wait for one answer of an adapter that is the host's own object or a server, in milliseconds. Default:
    /// 30,000.
    pub(crate) adapter_timeout_ms: Option<u32>,
    /// How many checkpoints of a job are kept; beyond it the oldest go. Default: all.
    pub(crate) checkpoints_max_entries: Option<u32>,
    /// How old a checkpoint may become, in milliseconds, before the next one that is saved takes it away; the newest stays.
    /// Default: any age.
    pub(crate) checkpoints_max_age_ms: Option<u64>,
    /// For tests: an RFC 3339 time at which this store's clock stands still.
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
    /// Reads options from JSON, as every binding passes them; the empty text is no options.
    ///
    /// # Errors
    /// `ValidationError` naming the option.
    pub fn from_json(json: &str) -> Result<Self> {
        if json.trim().is_empty() {
            return Ok(Options::default());
        }
        read_input(json).map_err(|refused: Error| Environment::of_the_process().scrubbed(refused.in_operation("open")))
    }

    /// The RFC 3339 time at which the store's clock stands still, if a test lets it.
    #[doc(hidden)]
    pub fn now(&self) -> Option<&str> {
        self.clock.as_deref()
    }

    /// Options with this home and every default.
    pub fn at(home: impl Into<PathBuf>) -> Self {
        Options { home: Some(home.into()), ..Options::default() }
    }

    /// The folder that holds everything.
    #[must_use]
    pub fn home(mut self, folder: impl Into<PathBuf>) -> Self {
        self.home = Some(folder.into());
        self
    }

    /// The root of memories from past runs and of recallable items.
    #[must_use]
    pub fn codex_home(mut self, folder: impl Into<PathBuf>) -> Self {
        self.codex_home = Some(folder.into());
        self
    }

    /// The root of files kept on a branch.
    #[must_use]
    pub fn branch_memory_root(mut self, folder: impl Into<PathBuf>) -> Self {
        self.branch_memory_root = Some(folder.into());
        self
    }

    /// Whose memory a branch reads and writes.
    #[must_use]
    pub fn branch_scope(mut self, scope: BranchScope) -> Self {
        self.branch_scope = Some(scope);
        self
    }

    /// How many of the newest summaries a context pack takes.
    #[must_use]
    pub fn max_summaries_in_context(mut self, entries: u32) -> Self {
        self.max_summaries_in_context = Some(entries);
        self
    }

    /// How many summaries a repository keeps; beyond it the oldest are removed.
    #[must_use]
    pub fn summaries_max_entries(mut self, entries: u32) -> Self {
        self.summaries_max_entries = Some(entries);
        self
    }

    /// The longest file of a repository's summaries, in bytes; beyond it the oldest are removed.
    #[must_use]
    pub fn summaries_max_bytes(mut self, bytes: u32) -> Self {
        self.summaries_max_bytes = Some(bytes);
        self
    }

    /// The longest summary, in bytes of UTF-8.
    #[must_use]
    pub fn summary_max_bytes(mut self, bytes: u32) -> Self {
        self.summary_max_bytes = Some(bytes);
        self
    }

    /// The longest wait for a lock, to the millisecond.
    #[must_use]
    pub fn lock_timeout(mut self, timeout: Duration) -> Self {
        self.lock_timeout_ms = Some(milliseconds(timeout));
        self
    }

    /// The longest wait for the lock of an append, to the millisecond.
    #[must_use]
    pub fn append_timeout(mut self, timeout: Duration) -> Self {
        self.append_timeout_ms = Some(milliseconds(timeout));
        self
    }

    /// How long a lock file must not have changed before it is taken over from an owner of which nothing is known; only where the
    /// file system has no locks of its own.
    #[must_use]
    pub fn lock_stale_after(mut self, age: Duration) -> Self {
        self.lock_stale_ms = Some(milliseconds(age));
        self
    }

    /// Whether a write fails with `RenameError` where a file cannot be replaced in one step, instead of copying over it.
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

    /// Where working contexts are kept: `file`, `memory`, `sqlite`, or the URL of a Redis server.
    #[must_use]
    pub fn adapter(mut self, name: impl Into<String>) -> Self {
        self.adapter = Some(name.into());
        self
    }

    /// What every key on a Redis server begins with.
    #[must_use]
    pub fn redis_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.redis_prefix = Some(prefix.into());
        self
    }

    /// Hosts of the Redis cluster besides the URL's own, as `HOST` or `HOST:PORT`.
    #[must_use]
    pub fn redis_hosts(mut self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.redis_hosts = Some(hosts.into_iter().map(Into::into).collect());
        self
    }

    /// A PEM file of certificates that are trusted instead of the system's for a `rediss://` URL.
    #[must_use]
    pub fn redis_ca_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.redis_ca_file = Some(file.into());
        self
    }

    /// The longest wait for one answer of an adapter that is the host's own or a server, to the millisecond.
    #[must_use]
    pub fn adapter_timeout(mut self, timeout: Duration) -> Self {
        self.adapter_timeout_ms = Some(milliseconds(timeout));
        self
    }

    /// How many checkpoints of a job are kept; beyond it the oldest are removed.
    #[must_use]
    pub fn checkpoints_max_entries(mut self, entries: u32) -> Self {
        self.checkpoints_max_entries = Some(entries);
        self
    }

    /// How old a checkpoint may become before the next one that is saved removes it, to the millisecond; the newest stays.
    #[must_use]
    pub fn checkpoints_max_age(mut self, age: Duration) -> Self {
        self.checkpoints_max_age_ms = Some(u64::try_from(age.as_millis()).unwrap_or(u64::MAX));
        self
    }

    /// An RFC 3339 time at which this store's clock stands still.
    #[cfg(any(test, feature = "testing"))]
    #[must_use]
    pub fn clock(mut self, instant: impl Into<String>) -> Self {
        self.clock = Some(instant.into());
        self
    }
}

/// The longest duration that an option can hold is as good as for ever.
fn milliseconds(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}
