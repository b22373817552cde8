//! The configuration: the options of the store override the environment, which overrides the file.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::cluster::ClusterHost;
use super::rollouts_config::{self, RolloutsConfig};
use super::sources::{Sources, in_range, option_of};
use super::{Environment, Options};
use crate::disk::Policy;
use crate::error::{Error, Result};
use crate::safety::Allowance;

/// The largest value of `summaryMaxBytes`: a record may take `safety::MAX_RECORD_BYTES` as JSON, including its ids and
/// tags.
const MAX_SUMMARY_BYTES: u32 = 1_000_000;

/// The largest value of `summariesMaxBytes`: somewhat less than the largest file of summaries that is read.
const MAX_SUMMARIES_BYTES: u32 = 240 << 20;

/// The largest number of files that can be indexed, and the largest size of one: an index counts them with 24 bits, and the
/// offsets in a file with 32.
const MAX_INDEXED_FILES: u32 = 1_000_000;
const MAX_INDEXED_BYTES: u32 = 64 << 20;

/// The longest name of a branch, in bytes, as for a workspace.
const MAX_BRANCH_BYTES: usize = 1 << 10;
/// The value of `memory.inheritFrom` that means the repository's default branch.
pub(crate) const DEFAULT_BRANCH: &str = "default";
/// Its value with which no branch inherits.
const NO_BRANCH: &str = "none";

/// Whether branches share one memory (spec 000, "Configurable branch-scoping policy").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub enum BranchScope {
    /// Each branch has a separate memory.
    #[default]
    PerBranch,
    /// All branches and linked work trees of a repository share one memory.
    SharedRepo,
}

/// What identifies the memory of a detached HEAD.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub enum DetachedHead {
    /// The commit (spec 000).
    #[default]
    Commit,
    /// The branch that the environment of a CI job names, and the commit where it names none.
    Branch,
}

/// When hooks synchronize the memory of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub enum SyncTime {
    /// Never.
    #[default]
    Off,
    /// At the beginning and the end of a session.
    Session,
}

/// How the memory of repositories is synchronized, if it is.
#[derive(Debug, Clone)]
pub struct SyncConfig {
    /// The branch of the remote.
    pub branch: String,
    /// Whether step summaries are too.
    pub summaries: bool,
    /// Whether the global items are too.
    pub global_items: bool,
    /// When hooks do.
    pub auto: SyncTime,
}

/// A configured value that debug output does not show, since it may contain a password or tell what one looks like.
#[derive(Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(transparent)]
pub struct Hidden<T>(pub T);

impl<T> fmt::Debug for Hidden<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[hidden]")
    }
}

/// Where working contexts are stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AdapterChoice {
    /// In files under the home.
    #[default]
    File,
    /// In memory, until the process ends.
    Memory,
    /// In one SQLite database under the home.
    Sqlite,
    /// On the Redis server with this URL (`redis://`, `rediss://` or `redis+unix://`), which may contain a password.
    Redis(Hidden<String>),
}

impl AdapterChoice {
    /// Parses the value of the option `place`.
    fn parse(place: &str, text: &str) -> Result<Self> {
        match text {
            "file" => Ok(AdapterChoice::File),
            "memory" => Ok(AdapterChoice::Memory),
            "sqlite" => Ok(AdapterChoice::Sqlite),
            _ if ["redis://", "rediss://", "redis+unix://"].iter().any(|scheme| text.starts_with(scheme)) => {
                Ok(AdapterChoice::Redis(Hidden(text.to_owned())))
            }
            _ => Err(Error::validation(format!(
                "{place} must be file, memory, sqlite or the URL of a Redis server (redis://…, rediss://… for TLS, or \
                 redis+unix://…)"
            ))),
        }
    }
}

/// Where recallable items are stored (spec 004).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum ItemsBackend {
    /// In `items.jsonl`, one item per line.
    #[default]
    Jsonl,
    /// In the SQLite database `items.sqlite`.
    Sqlite,
}

/// Which files of a work tree are indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexConfig {
    /// Whether repositories inside the work tree, such as submodules, belong to it.
    pub submodules: bool,
    /// Whether maps and symbols are of the files below the workspace alone.
    pub subtree: bool,
    /// The maximum number of files.
    pub max_files: usize,
    /// The maximum size of a file that is read, in bytes.
    pub max_file_bytes: u32,
}

/// The configuration of recallable items.
#[derive(Debug, Clone)]
pub struct ItemsConfig {
    /// Where they are stored.
    pub backend: ItemsBackend,
    /// The maximum length of an item's content, in Unicode scalar values.
    pub max_content_chars: usize,
    /// How many items of the repository and its folders must match before a recall leaves out the global ones.
    pub min_repo_candidates: usize,
    /// The maximum number of items that a recall returns.
    pub recall_limit: usize,
    /// The maximum length of a recall's preamble, in Unicode scalar values.
    pub recall_max_chars: usize,
    /// The maximum length of the standing items in a recall's preamble, in Unicode scalar values.
    pub standing_chars: usize,
    /// The score that a recalled item must at least have, from 0 to 1.
    pub recall_min_score: f64,
    /// How much recency counts, from 0 to 1.
    pub recency_weight: f32,
    /// How much frequent use counts, from 0 to 1.
    pub frequency_weight: f32,
    /// Whether a recall finds words of a similar meaning, too.
    pub with_near_words: bool,
    /// How much vectors count; `None` for the default.
    pub vector_weight: Option<f32>,
    /// Whether items are bypassed.
    pub is_temporary: bool,
    /// The files that the environment names instead of those in the repository.
    pub repo_files: ItemFiles,
    /// The files that the environment names instead of those in the Codex home.
    pub home_files: ItemFiles,
}

/// Files of items that the environment names.
#[derive(Debug, Clone, Default)]
pub struct ItemFiles {
    /// Instead of `items.jsonl`.
    pub jsonl: Option<PathBuf>,
    /// Instead of `items.sqlite`.
    pub sqlite: Option<PathBuf>,
}

impl ItemFiles {
    fn named(environment: &Environment, scope: &str) -> Self {
        let file = |kind: &str| environment.get(&format!("CODEX_MEMORY_{scope}_{kind}")).map(PathBuf::from);
        ItemFiles { jsonl: file("JSONL"), sqlite: file("DB") }
    }
}

/// The largest value of `items.maxContentChars`.
const MAX_CONTENT_CHARS: u32 = 100_000;
/// The largest value of `recall.limit`.
pub const MAX_RECALL_LIMIT: u32 = 1_000;

/// How many checkpoints of a job are kept, and for how long. The newest one is always kept.
#[derive(Debug, Clone, Copy, Default)]
pub struct CheckpointLimits {
    /// The maximum number.
    pub entries: Option<usize>,
    /// The maximum age, in milliseconds.
    pub age_ms: Option<u64>,
}

/// The configuration of an open home.
#[derive(Debug, Clone)]
pub struct Config {
    /// Whether branches share one memory, unless a call overrides it.
    pub branch_scope: BranchScope,
    /// What identifies the memory of a detached HEAD.
    pub detached: DetachedHead,
    /// Whether records may have fields of the host's own beside the known ones.
    pub allow_unknown_fields: bool,
    /// Whether a write to a hash under which nothing was ever stored is refused.
    pub known_repos_only: bool,
    /// The branch whose records other branches inherit, or `default`; `None` if they inherit nothing.
    pub inherit_from: Option<String>,
    /// The maximum number of summaries in a context pack: the newest.
    pub max_summaries_in_context: usize,
    /// The maximum number of summaries that a repository keeps.
    pub summaries_max_entries: usize,
    /// Whether summaries that are removed to make room for newer ones are kept in a file beside them.
    pub summaries_archive: bool,
    /// The maximum size of a repository's file of summaries, in bytes.
    pub summaries_max_bytes: usize,
    /// The maximum length of a summary, in bytes of UTF-8.
    pub summary_max_bytes: usize,
    /// The maximum wait for a lock.
    pub lock_timeout: Duration,
    /// The maximum wait for the lock of an append.
    pub append_timeout: Duration,
    /// How files are locked and replaced on file systems with limitations.
    pub files: Policy,
    /// The user's patterns.
    pub redaction_patterns: Hidden<Vec<String>>,
    /// False positives of rules.
    pub allow: Vec<Allowance>,
    /// Where working contexts are stored.
    pub adapter: AdapterChoice,
    /// The prefix of every key on a Redis server.
    pub redis_prefix: String,
    /// The hosts of the Redis cluster, in addition to the host of the URL.
    pub redis_hosts: Vec<ClusterHost>,
    /// The certificates to trust for TLS instead of the system's.
    pub redis_ca_file: Option<PathBuf>,
    /// The maximum wait for one response of a Redis server or of the host's adapter.
    pub adapter_timeout: Duration,
    /// How many checkpoints of a job are kept, and for how long.
    pub checkpoints: CheckpointLimits,
    /// Recallable items.
    pub items: ItemsConfig,
    /// The index of a repository's files.
    pub index: IndexConfig,
    /// What past sessions leave.
    pub rollouts: RolloutsConfig,
    /// How often a memory on a branch is tried to be pushed.
    pub branch_attempts: u32,
    /// How the memory of repositories is synchronized.
    pub sync: SyncConfig,
    /// For how many days the trash keeps records; 0 turns it off.
    pub trash_keep_days: u32,
    /// Whether it keeps those that were replaced too.
    pub keep_replaced: bool,
}

/// The keys of `config.toml` that this version knows, under `[memory]`.
const MEMORY_KEYS: &[&str] = &[
    "branchScope",
    "detached",
    "inheritFrom",
    "maxSummariesInContext",
    "summariesArchive",
    "summariesMaxEntries",
    "summariesMaxBytes",
    "summaryMaxBytes",
    "lockTimeoutMs",
    "appendTimeoutMs",
    "lockStaleMs",
    "strongAtomicity",
    "redactionPatterns",
];
/// Those under `[working]`.
const WORKING_KEYS: &[&str] = &[
    "adapter",
    "redisPrefix",
    "redisHosts",
    "redisCaFile",
    "adapterTimeoutMs",
    "checkpointsMaxEntries",
    "checkpointsMaxAgeMs",
];
/// Those under `[items]`. The option of `maxContentChars` is `itemsMaxContentChars`.
const ITEMS_KEYS: &[&str] = &["backend", "maxContentChars"];
/// Those under `[recall]`, with options called likewise.
const RECALL_KEYS: &[&str] = &[
    "minRepoCandidates",
    "limit",
    "maxChars",
    "standingChars",
    "minScore",
    "nearWords",
    "recencyWeight",
    "frequencyWeight",
];

/// Those under `[index]`. The option of `submodules` is `indexSubmodules`.
const INDEX_KEYS: &[&str] = &["submodules", "subtree", "maxFiles", "maxFileBytes"];

/// Those under `[branch]`. The option of `attempts` is `branchAttempts`.
const BRANCH_KEYS: &[&str] = &["attempts"];
/// Those under `[sync]`. The option of `branch` is `syncBranch`.
const SYNC_KEYS: &[&str] = &["branch", "summaries", "globalItems", "auto"];
/// Those under `[trash]`. The option of `keepDays` is `trashKeepDays`.
const TRASH_KEYS: &[&str] = &["keepDays"];
/// The maximum number of attempts.
const MAX_BRANCH_ATTEMPTS: u32 = 1_000;

impl Config {
    /// Whether what is recalled or searched for matches by near words too: `recall.nearWords`.
    pub fn with_near_words(&self) -> bool {
        self.items.with_near_words
    }

    /// The configuration, and the keys of the file at `path` that this version does not know.
    pub(super) fn new(
        path: &Path,
        file: Option<&[u8]>,
        environment: &Environment,
        options: Options,
    ) -> Result<(Self, Vec<String>)> {
        let (file, skipped) = file.map_or_else(|| Ok(Default::default()), |bytes| read(path, bytes))?;
        let from = Sources { environment, options: &options, file: &file, path };
        let rollouts = RolloutsConfig::new(&from)?;
        let adapter = |it: &Options| it.adapter.clone().map(|adapter| adapter.0);
        let adapter =
            from.checked("working.adapter", from.variable("WORKING_ADAPTER"), adapter, |place, adapter| {
                AdapterChoice::parse(place, &adapter)
            })?;
        let summary_max_bytes =
            from.number("memory.summaryMaxBytes", |it| it.summary_max_bytes, ..=MAX_SUMMARY_BYTES, 65_536)?;
        let summaries_max_bytes =
            from.number("memory.summariesMaxBytes", |it| it.summaries_max_bytes, ..=MAX_SUMMARIES_BYTES, 1_048_576)?;
        let redis_hosts = from.checked(
            "working.redisHosts",
            None,
            |it| it.redis_hosts.clone(),
            |place, hosts| hosts.iter().map(|host| ClusterHost::parse(place, host)).collect(),
        )?;
        // A relative path in the file is relative to the folder of the file.
        let home = path.parent().unwrap_or(path);
        let of_file = || file.redis_ca_file.as_ref().map(|file| home.join(file));
        let redis_ca_file = options.redis_ca_file.clone().or_else(of_file);
        if let Some(file) = &redis_ca_file {
            let bytes = file.as_os_str().as_encoded_bytes();
            if bytes.is_empty() || bytes.contains(&0) {
                return Err(Error::validation("redisCaFile must be the path of a file, without NUL characters"));
            }
        }
        let scope_in_environment = match environment.get("MEMORY_BRANCH_SCOPE").map(|scope| scope.to_str()) {
            None => None,
            Some(Some("perBranch")) => Some(BranchScope::PerBranch),
            Some(Some("sharedRepo")) => Some(BranchScope::SharedRepo),
            Some(_) => return Err(Error::validation("MEMORY_BRANCH_SCOPE must be perBranch or sharedRepo")),
        };
        let detached_in_environment = match environment.get("MEMORY_DETACHED").map(|detached| detached.to_str()) {
            None => None,
            Some(Some("commit")) => Some(DetachedHead::Commit),
            Some(Some("branch")) => Some(DetachedHead::Branch),
            Some(_) => return Err(Error::validation("MEMORY_DETACHED must be commit or branch")),
        };
        let inherited = from.variable("MEMORY_INHERIT_FROM");
        let inherit_from = from.checked("memory.inheritFrom", inherited, |it| it.inherit_from.clone(), branch_name)?;
        let inherit_from = inherit_from.unwrap_or_else(|| DEFAULT_BRANCH.to_owned());
        let inherit_from = Some(inherit_from).filter(|branch| branch != NO_BRANCH);
        let patterns = [&file, &options].map(|it| it.redaction_patterns.clone().unwrap_or_default().0);
        let allow = options.allow.clone().unwrap_or_default();
        for (index, allowance) in allow.iter().enumerate() {
            allowance.check(&format!("allow[{index}]"))?;
        }
        let backend = match (options.items_backend, environment.get("CODEX_MEMORY_BACKEND").map(|it| it.to_str())) {
            (Some(backend), _) => backend,
            (None, Some(Some("jsonl"))) => ItemsBackend::Jsonl,
            (None, Some(Some("sqlite"))) => ItemsBackend::Sqlite,
            (None, Some(_)) => return Err(Error::validation("CODEX_MEMORY_BACKEND must be jsonl or sqlite")),
            (None, None) => file.items_backend.unwrap_or_default(),
        };
        let content = |it: &Options| it.items_max_content_chars;
        let max_content_chars = from.number("items.maxContentChars", content, ..=MAX_CONTENT_CHARS, 240)?;
        let recall_limit = from.number("recall.limit", |it| it.recall_limit, ..=MAX_RECALL_LIMIT, 8)?;
        let max_files = from.number("index.maxFiles", |it| it.index_max_files, ..=MAX_INDEXED_FILES, 100_000)?;
        let file_bytes = |it: &Options| it.index_max_file_bytes;
        let share = |name: &str, share: f64| match share {
            0.0..=1.0 => Ok(share),
            _ => Err(Error::validation(format!("{name} must be a number from 0 to 1"))),
        };
        #[allow(clippy::cast_possible_truncation, reason = "a weight needs no more digits")]
        let weight = |name: &str, weight: f64| share(name, weight).map(|weight| weight as f32);
        #[allow(clippy::cast_possible_truncation, reason = "a weight needs no more digits")]
        let vector_weight = |name: &str, weight: f64| match weight {
            0.0..=10.0 => Ok(weight as f32),
            _ => Err(Error::validation(format!("{name} must be a number from 0 to 10"))),
        };
        let vector_weight = from.checked("recall.vectorWeight", None, |it| it.recall_vector_weight, vector_weight)?;
        let min_score = from.checked("recall.minScore", None, |it| it.recall_min_score, share)?;
        let recency = from.checked("recall.recencyWeight", None, |it| it.recall_recency_weight, weight)?;
        let frequency = from.checked("recall.frequencyWeight", None, |it| it.recall_frequency_weight, weight)?;
        let size = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        let items = ItemsConfig {
            backend,
            max_content_chars: size(max_content_chars),
            min_repo_candidates: from.count(|it| it.recall_min_repo_candidates, 8),
            recall_limit: size(recall_limit),
            recall_max_chars: from.count(|it| it.recall_max_chars, 1_200),
            standing_chars: from.count(|it| it.recall_standing_chars, 1_000),
            recall_min_score: min_score.unwrap_or(DEFAULT_MIN_SCORE),
            recency_weight: recency.unwrap_or(DEFAULT_WEIGHT),
            frequency_weight: frequency.unwrap_or(DEFAULT_WEIGHT),
            vector_weight,
            with_near_words: from.get(|it| it.recall_near_words).unwrap_or(true),
            is_temporary: options.temporary.unwrap_or_default(),
            repo_files: ItemFiles::named(environment, "REPO"),
            home_files: ItemFiles::named(environment, "HOME"),
        };
        let attempts = from.checked(
            "branch.attempts",
            None,
            |it| it.branch_attempts,
            |name, value| in_range(name, value, &(1..=MAX_BRANCH_ATTEMPTS)),
        )?;
        let config = Config {
            branch_scope: options.branch_scope.or(scope_in_environment).or(file.branch_scope).unwrap_or_default(),
            detached: options.detached.or(detached_in_environment).or(file.detached).unwrap_or_default(),
            allow_unknown_fields: from.get(|it| it.allow_unknown_fields).unwrap_or_default(),
            known_repos_only: from.get(|it| it.known_repos_only).unwrap_or_default(),
            inherit_from,
            max_summaries_in_context: from.count(|it| it.max_summaries_in_context, 10),
            summaries_archive: from.get(|it| it.summaries_archive).unwrap_or_default(),
            summaries_max_entries: from.count(|it| it.summaries_max_entries, 100),
            summaries_max_bytes: size(summaries_max_bytes),
            summary_max_bytes: size(summary_max_bytes),
            lock_timeout: from.millis(|it| it.lock_timeout_ms, 5_000),
            append_timeout: from.millis(|it| it.append_timeout_ms, 1_000),
            files: Policy {
                lock_stale: from.millis(|it| it.lock_stale_ms, 10_000),
                strong_atomicity: from.get(|it| it.strong_atomicity).unwrap_or_default(),
            },
            redaction_patterns: Hidden(patterns.concat()),
            allow,
            adapter: adapter.unwrap_or_default(),
            redis_prefix: from.get(|it| it.redis_prefix.clone()).unwrap_or_else(|| "{loopmem}:".to_owned()),
            redis_hosts: redis_hosts.unwrap_or_default(),
            redis_ca_file,
            adapter_timeout: from.millis(|it| it.adapter_timeout_ms, 30_000),
            checkpoints: CheckpointLimits {
                entries: from.get(|it| it.checkpoints_max_entries).map(size),
                age_ms: from.get(|it| it.checkpoints_max_age_ms),
            },
            items,
            index: IndexConfig {
                submodules: from.get(|it| it.index_submodules).unwrap_or_default(),
                subtree: from.get(|it| it.index_subtree).unwrap_or_default(),
                max_files: size(max_files),
                max_file_bytes: from.number("index.maxFileBytes", file_bytes, ..=MAX_INDEXED_BYTES, 1 << 20)?,
            },
            rollouts,
            branch_attempts: attempts.unwrap_or(10),
            sync: SyncConfig {
                branch: from.get(|it| it.sync_branch.clone()).unwrap_or_else(|| "memory/loopmem".to_owned()),
                summaries: from.get(|it| it.sync_summaries).unwrap_or_default(),
                global_items: from.get(|it| it.sync_global_items).unwrap_or_default(),
                auto: from.get(|it| it.sync_auto).unwrap_or_default(),
            },
            trash_keep_days: from.get(|it| it.trash_keep_days).unwrap_or(30),
            keep_replaced: from.get(|it| it.keep_replaced).unwrap_or_default(),
        };
        Ok((config, skipped))
    }
}

/// Checks the name of a branch; whether there is one is not known here.
fn branch_name(place: &str, branch: String) -> Result<String> {
    if branch.is_empty() || branch.len() > MAX_BRANCH_BYTES || branch.chars().any(char::is_control) {
        return Err(Error::validation(format!(
            "{place} must be the name of a branch, `default` for the repository's default branch, or `none`"
        )));
    }
    Ok(branch)
}

/// The score below which an item is not recalled by default: of questions about something else, most return nothing then, and the
/// right answer is hardly ever lost.
const DEFAULT_MIN_SCORE: f64 = 0.15;

/// How much recency and frequent use count by default.
const DEFAULT_WEIGHT: f32 = 0.05;

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    memory: Table,
    #[serde(default)]
    working: Table,
    #[serde(default)]
    items: Table,
    #[serde(default)]
    recall: Table,
    #[serde(default)]
    index: Table,
    #[serde(default)]
    rollouts: Table,
    #[serde(default)]
    branch: Table,
    #[serde(default)]
    sync: Table,
    #[serde(default)]
    trash: Table,
}

/// What the file sets, and its keys that this version does not know. A key of a newer version cannot be distinguished from
/// a misspelt one.
fn read(path: &Path, bytes: &[u8]) -> Result<(Options, Vec<String>)> {
    let refused = |message: String| Error::validation(format!("{}: {message}", path.display())).at(path);
    let text = std::str::from_utf8(bytes).map_err(|_| refused("the file is not UTF-8".to_owned()))?;
    let invalid = |place: &str| refused(format!("{place} has an invalid value; check its type and its range"));
    let reader = || {
        toml::Deserializer::parse(text).map_err(|cause| {
            let before = cause.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let (line, column) =
                (before.matches('\n').count() + 1, before.chars().rev().take_while(|c| *c != '\n').count() + 1);
            refused(format!("line {line}, column {column} is not valid TOML: {}", cause.message()))
        })
    };
    // Tables of newer versions, whose contents may not fit any type here.
    let tables = HashMap::<String, IgnoredAny>::deserialize(reader()?).unwrap_or_default();
    let known = ["memory", "working", "items", "recall", "index", "rollouts", "branch", "sync", "trash"];
    let mut unknown: Vec<_> = tables.into_keys().filter(|key| !known.contains(&key.as_str())).collect();
    let File { memory, working, items, recall, index, rollouts, branch, sync, trash } =
        serde_path_to_error::deserialize(reader()?).map_err(|fault| invalid(&fault.path().to_string()))?;
    let mut options = Table::new();
    for (name, table, keys) in [
        ("memory", memory, MEMORY_KEYS),
        ("working", working, WORKING_KEYS),
        ("items", items, ITEMS_KEYS),
        ("recall", recall, RECALL_KEYS),
        ("index", index, INDEX_KEYS),
        ("rollouts", rollouts, rollouts_config::KEYS),
        ("branch", branch, BRANCH_KEYS),
        ("sync", sync, SYNC_KEYS),
        ("trash", trash, TRASH_KEYS),
    ] {
        for (key, value) in table {
            let place = format!("{name}.{key}");
            if !keys.contains(&key.as_str()) {
                unknown.push(place);
                continue;
            }
            if let Some(place) = datetime(place.clone(), &value) {
                return Err(invalid(&place));
            }
            // One by one, so that the key of the file is known if its value is refused.
            let option = option_of(&place);
            let one = Table::from_iter([(option.clone(), value.clone())]);
            let read: std::result::Result<Options, _> = serde_path_to_error::deserialize(one);
            read.map_err(|fault| {
                let within = fault.path().to_string();
                invalid(&format!("{place}{}", within.strip_prefix(option.as_str()).unwrap_or_default()))
            })?;
            options.insert(option, value);
        }
    }
    let options = serde_path_to_error::deserialize(options).map_err(|fault| invalid(&fault.path().to_string()))?;
    Ok((options, unknown))
}

/// The place of the first date or time in a value, which would be read as a text.
fn datetime(place: String, value: &Value) -> Option<String> {
    match value {
        Value::Datetime(_) => Some(place),
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(index, item)| datetime(format!("{place}[{index}]"), item))
        }
        _ => None,
    }
}
