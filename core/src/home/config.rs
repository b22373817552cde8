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
    /// How much recency counts, from 0 to 1.
    pub recency_weight: f32,
    /// How much frequent use counts, from 0 to 1.
    pub frequency_weight: f32,
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
    /// The branch whose records other branches inherit, or `default`.
    pub inherit_from: Option<String>,
    /// The maximum number of summaries in a context pack: the newest.
    pub max_summaries_in_context: usize,
    /// The maximum number of summaries that a repository keeps.
    pub summaries_max_entries: usize,
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
}

/// The keys of `config.toml` that this version knows, under `[memory]`.
const MEMORY_KEYS: &[&str] = &[
    "branchScope",
    "inheritFrom",
    "maxSummariesInContext",
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
const RECALL_KEYS: &[&str] = &["minRepoCandidates", "limit", "maxChars", "recencyWeight", "frequencyWeight"];

/// Those under `[index]`. The option of `submodules` is `indexSubmodules`.
const INDEX_KEYS: &[&str] = &["submodules", "subtree", "maxFiles", "maxFileBytes"];

/// Those under `[branch]`. The option of `attempts` is `branchAttempts`.
const BRANCH_KEYS: &[&str] = &["attempts"];
/// The maximum number of attempts.
const MAX_BRANCH_ATTEMPTS: u32 = 1_000;

impl Config {
    /// The configuration, and the keys of the file at `path` that this version does not know.
    pub(super) fn new(
        path: &Path,
        file: Option<&[u8]>,
        environment: &Environment,
        options: Options,
    ) -> Result<(Self, Vec<String>)> {
        let ([file, working, items, recall, index, rollouts_of_file, branch], skipped) =
            file.map_or_else(|| Ok(Default::default()), |bytes| read(path, bytes))?;
        let rollouts = RolloutsConfig::new(path, &options, &rollouts_of_file)?;
        let adapter = match (options.adapter, environment.get("WORKING_ADAPTER"), working.adapter) {
            (Some(Hidden(adapter)), _, _) => AdapterChoice::parse("adapter", &adapter)?,
            (None, Some(adapter), _) => AdapterChoice::parse("WORKING_ADAPTER", adapter.to_str().unwrap_or_default())?,
            (None, None, Some(Hidden(adapter))) => {
                let place = format!("{}: working.adapter", path.display());
                AdapterChoice::parse(&place, &adapter).map_err(|refused| refused.at(path))?
            }
            (None, None, None) => AdapterChoice::default(),
        };
        for (key, options, file, most) in [
            ("summaryMaxBytes", options.summary_max_bytes, file.summary_max_bytes, MAX_SUMMARY_BYTES),
            ("summariesMaxBytes", options.summaries_max_bytes, file.summaries_max_bytes, MAX_SUMMARIES_BYTES),
        ] {
            check_at_most(key, options, most)?;
            check_at_most(&format!("memory.{key}"), file, most)
                .map_err(|refused| Error::validation(format!("{}: {}", path.display(), refused.message())).at(path))?;
        }
        let redis_hosts = match (options.redis_hosts, working.redis_hosts) {
            (Some(hosts), _) => cluster_hosts("redisHosts", &hosts)?,
            (None, Some(hosts)) => {
                let place = format!("{}: working.redisHosts", path.display());
                cluster_hosts(&place, &hosts).map_err(|refused| refused.at(path))?
            }
            (None, None) => Vec::new(),
        };
        // A relative path in the file is relative to the folder of the file.
        let home = path.parent().unwrap_or(path);
        let redis_ca_file = options.redis_ca_file.or_else(|| working.redis_ca_file.map(|file| home.join(file)));
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
        let inherit_from = match (options.inherit_from, environment.get("MEMORY_INHERIT_FROM"), file.inherit_from) {
            (Some(branch), _, _) => Some(branch_name("inheritFrom", branch)?),
            (None, Some(branch), _) => {
                let branch = branch.to_str().unwrap_or_default().to_owned();
                Some(branch_name("MEMORY_INHERIT_FROM", branch)?)
            }
            (None, None, Some(branch)) => {
                let place = format!("{}: memory.inheritFrom", path.display());
                Some(branch_name(&place, branch).map_err(|refused| refused.at(path))?)
            }
            (None, None, None) => None,
        };
        let millis = |value: Option<u32>, default: u64| Duration::from_millis(value.map_or(default, u64::from));
        let count =
            |value: Option<u32>, default: usize| value.and_then(|value| usize::try_from(value).ok()).unwrap_or(default);
        let mut redaction_patterns = file.redaction_patterns.unwrap_or_default();
        redaction_patterns.0.extend(options.redaction_patterns.unwrap_or_default().0);
        let allow = options.allow.unwrap_or_default();
        for (index, allowance) in allow.iter().enumerate() {
            allowance.check(&format!("allow[{index}]"))?;
        }
        let backend = match (options.items_backend, environment.get("CODEX_MEMORY_BACKEND").map(|it| it.to_str())) {
            (Some(backend), _) => backend,
            (None, Some(Some("jsonl"))) => ItemsBackend::Jsonl,
            (None, Some(Some("sqlite"))) => ItemsBackend::Sqlite,
            (None, Some(_)) => return Err(Error::validation("CODEX_MEMORY_BACKEND must be jsonl or sqlite")),
            (None, None) => items.items_backend.unwrap_or_default(),
        };
        for (key, option, file, most) in [
            ("maxContentChars", options.items_max_content_chars, items.items_max_content_chars, MAX_CONTENT_CHARS),
            ("limit", options.recall_limit, recall.recall_limit, MAX_RECALL_LIMIT),
            ("maxFiles", options.index_max_files, index.index_max_files, MAX_INDEXED_FILES),
            ("maxFileBytes", options.index_max_file_bytes, index.index_max_file_bytes, MAX_INDEXED_BYTES),
        ] {
            let table = match key {
                "limit" => "recall",
                "maxContentChars" => "items",
                _ => "index",
            };
            check_at_most(&format!("{table}{}{}", key[..1].to_uppercase(), &key[1..]), option, most)?;
            check_at_most(&format!("{table}.{key}"), file, most)
                .map_err(|refused| Error::validation(format!("{}: {}", path.display(), refused.message())).at(path))?;
        }
        let weight = |key: &str, option: Option<f64>, of_file: Option<f64>| match option.or(of_file) {
            None => Ok(DEFAULT_WEIGHT),
            #[allow(clippy::cast_possible_truncation, reason = "a weight needs no more digits")]
            Some(weight) if (0.0..=1.0).contains(&weight) => Ok(weight as f32),
            Some(_) if option.is_some() => {
                let name = format!("recall{}{}", key[..1].to_uppercase(), &key[1..]);
                Err(Error::validation(format!("{name} must be a number from 0 to 1")))
            }
            Some(_) => {
                let refused = format!("{}: recall.{key} must be a number from 0 to 1", path.display());
                Err(Error::validation(refused).at(path))
            }
        };
        let items = ItemsConfig {
            backend,
            max_content_chars: count(options.items_max_content_chars.or(items.items_max_content_chars), 240),
            min_repo_candidates: count(options.recall_min_repo_candidates.or(recall.recall_min_repo_candidates), 8),
            recall_limit: count(options.recall_limit.or(recall.recall_limit), 8),
            recall_max_chars: count(options.recall_max_chars.or(recall.recall_max_chars), 1_200),
            recency_weight: weight("recencyWeight", options.recall_recency_weight, recall.recall_recency_weight)?,
            frequency_weight: weight(
                "frequencyWeight",
                options.recall_frequency_weight,
                recall.recall_frequency_weight,
            )?,
            is_temporary: options.temporary.unwrap_or_default(),
            repo_files: ItemFiles::named(environment, "REPO"),
            home_files: ItemFiles::named(environment, "HOME"),
        };
        let config = Config {
            branch_scope: options.branch_scope.or(scope_in_environment).or(file.branch_scope).unwrap_or_default(),
            inherit_from,
            max_summaries_in_context: count(options.max_summaries_in_context.or(file.max_summaries_in_context), 10),
            summaries_max_entries: count(options.summaries_max_entries.or(file.summaries_max_entries), 100),
            summaries_max_bytes: count(options.summaries_max_bytes.or(file.summaries_max_bytes), 1_048_576),
            summary_max_bytes: count(options.summary_max_bytes.or(file.summary_max_bytes), 65_536),
            lock_timeout: millis(options.lock_timeout_ms.or(file.lock_timeout_ms), 5_000),
            append_timeout: millis(options.append_timeout_ms.or(file.append_timeout_ms), 1_000),
            files: Policy {
                lock_stale: millis(options.lock_stale_ms.or(file.lock_stale_ms), 10_000),
                strong_atomicity: options.strong_atomicity.or(file.strong_atomicity).unwrap_or_default(),
            },
            redaction_patterns,
            allow,
            adapter,
            redis_prefix: options.redis_prefix.or(working.redis_prefix).unwrap_or_else(|| "{loopmem}:".to_owned()),
            redis_hosts,
            redis_ca_file,
            adapter_timeout: millis(options.adapter_timeout_ms.or(working.adapter_timeout_ms), 30_000),
            checkpoints: CheckpointLimits {
                entries: options
                    .checkpoints_max_entries
                    .or(working.checkpoints_max_entries)
                    .map(|most| usize::try_from(most).unwrap_or(usize::MAX)),
                age_ms: options.checkpoints_max_age_ms.or(working.checkpoints_max_age_ms),
            },
            items,
            index: IndexConfig {
                submodules: options.index_submodules.or(index.index_submodules).unwrap_or_default(),
                subtree: options.index_subtree.or(index.index_subtree).unwrap_or_default(),
                max_files: count(options.index_max_files.or(index.index_max_files), 100_000),
                max_file_bytes: options.index_max_file_bytes.or(index.index_max_file_bytes).unwrap_or(1 << 20),
            },
            rollouts,
            branch_attempts: attempts(path, options.branch_attempts, branch.branch_attempts)?,
        };
        Ok((config, skipped))
    }
}

/// How often a memory is tried to be pushed, by the option, else by the file at `path`.
fn attempts(path: &Path, option: Option<u32>, in_file: Option<u32>) -> Result<u32> {
    let check = |name: &str, value: u32| match value {
        1..=MAX_BRANCH_ATTEMPTS => Ok(value),
        _ => Err(Error::validation(format!("{name} is {value}; it must be from 1 to {MAX_BRANCH_ATTEMPTS}"))),
    };
    match (option, in_file) {
        (Some(value), _) => check("branchAttempts", value),
        (None, Some(value)) => {
            check(&format!("{}: branch.attempts", path.display()), value).map_err(|refused| refused.at(path))
        }
        (None, None) => Ok(10),
    }
}

/// Checks the name of a branch; whether there is one is not known here.
fn branch_name(place: &str, branch: String) -> Result<String> {
    if branch.is_empty() || branch.len() > MAX_BRANCH_BYTES || branch.chars().any(char::is_control) {
        return Err(Error::validation(format!(
            "{place} must be the name of a branch, or `default` for the repository's default branch"
        )));
    }
    Ok(branch)
}

fn cluster_hosts(place: &str, hosts: &[String]) -> Result<Vec<ClusterHost>> {
    hosts.iter().map(|host| ClusterHost::parse(place, host)).collect()
}

/// How much recency and frequent use count by default.
const DEFAULT_WEIGHT: f32 = 0.05;

fn check_at_most(key: &str, value: Option<u32>, most: u32) -> Result<()> {
    match value {
        Some(value) if value > most => Err(Error::validation(format!("{key} is {value}; it must be at most {most}"))),
        _ => Ok(()),
    }
}

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
}

/// What the file sets in each of its tables, in the order of [`File`], and its keys that this version does not know. A key of a newer version cannot be distinguished from a misspelt one.
fn read(path: &Path, bytes: &[u8]) -> Result<([Options; 7], Vec<String>)> {
    let refused = |message: String| Error::validation(format!("{}: {message}", path.display())).at(path);
    let text = std::str::from_utf8(bytes).map_err(|_| refused("the file is not UTF-8".to_owned()))?;
    let invalid = |place: &str| refused(format!("{place} has an invalid value; check its type and its range"));
    let reader = || {
        toml::Deserializer::parse(text)
            .map_err(|cause| refused(format!("the file is not valid TOML: {}", cause.message())))
    };
    // Tables of newer versions, whose contents may not fit any type here.
    let tables = HashMap::<String, IgnoredAny>::deserialize(reader()?).unwrap_or_default();
    let known = ["memory", "working", "items", "recall", "index", "rollouts", "branch"];
    let mut unknown: Vec<_> = tables.into_keys().filter(|key| !known.contains(&key.as_str())).collect();
    let File { memory, working, items, recall, index, rollouts, branch } =
        serde_path_to_error::deserialize(reader()?).map_err(|fault| invalid(&fault.path().to_string()))?;
    let mut settings = |name: &str, table: Table, keys: &[&str], is_prefixed: bool| {
        let (known, others): (Table, Table) = table.into_iter().partition(|(key, _)| keys.contains(&key.as_str()));
        unknown.extend(others.into_iter().map(|(key, _)| format!("{name}.{key}")));
        if let Some(place) = known.iter().find_map(|(key, value)| datetime(format!("{name}.{key}"), value)) {
            return Err(invalid(&place));
        }
        // One by one, so that the key of the file is known if its value is refused.
        let mut options = Table::new();
        for (key, value) in known {
            let option =
                if is_prefixed { format!("{name}{}{}", key[..1].to_uppercase(), &key[1..]) } else { key.clone() };
            let one = Table::from_iter([(option.clone(), value.clone())]);
            let read: std::result::Result<Options, _> = serde_path_to_error::deserialize(one);
            read.map_err(|fault| {
                let within = fault.path().to_string();
                invalid(&format!("{name}.{key}{}", within.strip_prefix(option.as_str()).unwrap_or_default()))
            })?;
            options.insert(option, value);
        }
        serde_path_to_error::deserialize(options).map_err(|fault| invalid(&format!("{name}.{}", fault.path())))
    };
    let settings = [
        settings("memory", memory, MEMORY_KEYS, false)?,
        settings("working", working, WORKING_KEYS, false)?,
        settings("items", items, ITEMS_KEYS, true)?,
        settings("recall", recall, RECALL_KEYS, true)?,
        settings("index", index, INDEX_KEYS, true)?,
        settings("rollouts", rollouts, rollouts_config::KEYS, true)?,
        settings("branch", branch, BRANCH_KEYS, true)?,
    ];
    Ok((settings, unknown))
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
