//! The configuration: the options of the store override the environment, which overrides the file.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::cluster::ClusterHost;
use super::{Environment, Options};
use crate::disk::Policy;
use crate::error::{Error, Result};

/// The largest value of `summaryMaxBytes`: a record may take `safety::MAX_RECORD_BYTES` as JSON, including its ids and
/// tags.
const MAX_SUMMARY_BYTES: u32 = 1_000_000;

/// The largest value of `summariesMaxBytes`: somewhat less than the largest file of summaries that is read.
const MAX_SUMMARIES_BYTES: u32 = 240 << 20;

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

/// Where working contexts are stored.
#[derive(Clone, PartialEq, Eq, Default)]
pub enum AdapterChoice {
    /// In files under the home.
    #[default]
    File,
    /// In memory, until the process ends.
    Memory,
    /// In one SQLite database under the home.
    Sqlite,
    /// On the Redis server with this URL (`redis://`, `rediss://` or `redis+unix://`), which may contain a password.
    Redis(String),
}

impl AdapterChoice {
    /// Parses the value of the option `place`.
    fn parse(place: &str, text: &str) -> Result<Self> {
        match text {
            "file" => Ok(AdapterChoice::File),
            "memory" => Ok(AdapterChoice::Memory),
            "sqlite" => Ok(AdapterChoice::Sqlite),
            _ if ["redis://", "rediss://", "redis+unix://"].iter().any(|scheme| text.starts_with(scheme)) => {
                Ok(AdapterChoice::Redis(text.to_owned()))
            }
            _ => Err(Error::validation(format!(
                "{place} must be file, memory, sqlite or the URL of a Redis server (redis://…, rediss://… for TLS, or \
                 redis+unix://…)"
            ))),
        }
    }
}

impl fmt::Debug for AdapterChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AdapterChoice::File => "File",
            AdapterChoice::Memory => "Memory",
            AdapterChoice::Sqlite => "Sqlite",
            AdapterChoice::Redis(_) => "Redis",
        })
    }
}

/// How many checkpoints of a job are kept, and for how long. The newest one is always kept.
#[derive(Debug, Clone, Copy, Default)]
pub struct CheckpointLimits {
    /// The maximum number.
    pub entries: Option<usize>,
    /// The maximum age, in milliseconds.
    pub age_ms: Option<u64>,
}

/// The configuration of an open home.
#[derive(Clone)]
pub struct Config {
    /// Whether branches share one memory, unless a call overrides it.
    pub branch_scope: BranchScope,
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
    pub redaction_patterns: Vec<String>,
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
}

/// The keys of `config.toml` that this version knows, under `[memory]`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct MemoryTable {
    branch_scope: Option<BranchScope>,
    max_summaries_in_context: Option<u32>,
    summaries_max_entries: Option<u32>,
    summaries_max_bytes: Option<u32>,
    summary_max_bytes: Option<u32>,
    lock_timeout_ms: Option<u32>,
    append_timeout_ms: Option<u32>,
    lock_stale_ms: Option<u32>,
    strong_atomicity: Option<bool>,
    redaction_patterns: Option<Vec<String>>,
    /// Keys of a newer version. They cannot be distinguished from misspelt keys, so a warning is logged.
    #[serde(flatten)]
    unknown: HashMap<String, toml::Value>,
}

/// The keys of `config.toml` that this version knows, under `[working]`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WorkingTable {
    adapter: Option<String>,
    redis_prefix: Option<String>,
    redis_hosts: Option<Vec<String>>,
    redis_ca_file: Option<PathBuf>,
    adapter_timeout_ms: Option<u32>,
    checkpoints_max_entries: Option<u32>,
    checkpoints_max_age_ms: Option<u64>,
    #[serde(flatten)]
    unknown: HashMap<String, toml::Value>,
}

#[derive(Default, Deserialize)]
struct File {
    #[serde(default)]
    memory: MemoryTable,
    #[serde(default)]
    working: WorkingTable,
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("branch_scope", &self.branch_scope)
            .field("max_summaries_in_context", &self.max_summaries_in_context)
            .field("summaries_max_entries", &self.summaries_max_entries)
            .field("summaries_max_bytes", &self.summaries_max_bytes)
            .field("summary_max_bytes", &self.summary_max_bytes)
            .field("lock_timeout", &self.lock_timeout)
            .field("append_timeout", &self.append_timeout)
            .field("files", &self.files)
            .field("redaction_patterns", &self.redaction_patterns.len())
            .field("adapter", &self.adapter)
            .field("redis_prefix", &self.redis_prefix)
            .field("redis_hosts", &self.redis_hosts)
            .field("redis_ca_file", &self.redis_ca_file)
            .field("adapter_timeout", &self.adapter_timeout)
            .field("checkpoints", &self.checkpoints)
            .finish()
    }
}

impl Config {
    /// The configuration, and the keys of the file at `path` that this version does not know.
    pub(super) fn new(
        path: &Path,
        file: Option<&[u8]>,
        environment: &Environment,
        options: Options,
    ) -> Result<(Self, Vec<String>)> {
        let (File { memory: file, working }, mut skipped) = match file {
            Some(bytes) => read(path, bytes)?,
            None => Default::default(),
        };
        skipped.extend(file.unknown.keys().map(|key| format!("memory.{key}")));
        skipped.extend(working.unknown.keys().map(|key| format!("working.{key}")));
        let adapter = match (options.adapter, environment.get("WORKING_ADAPTER"), working.adapter) {
            (Some(adapter), _, _) => AdapterChoice::parse("adapter", &adapter)?,
            (None, Some(adapter), _) => AdapterChoice::parse("WORKING_ADAPTER", adapter.to_str().unwrap_or_default())?,
            (None, None, Some(adapter)) => {
                let place = format!("{}: working.adapter", path.display());
                AdapterChoice::parse(&place, &adapter).map_err(|refused| refused.at(path))?
            }
            (None, None, None) => AdapterChoice::default(),
        };
        for (key, options, file, most) in [
            ("summaryMaxBytes", options.summary_max_bytes, file.summary_max_bytes, MAX_SUMMARY_BYTES),
            ("summariesMaxBytes", options.summaries_max_bytes, file.summaries_max_bytes, MAX_SUMMARIES_BYTES),
        ] {
            check_bytes(key, options, most)?;
            check_bytes(&format!("memory.{key}"), file, most)
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
        let millis = |value: Option<u32>, default: u64| Duration::from_millis(value.map_or(default, u64::from));
        let count =
            |value: Option<u32>, default: usize| value.and_then(|value| usize::try_from(value).ok()).unwrap_or(default);
        let mut redaction_patterns = file.redaction_patterns.unwrap_or_default();
        redaction_patterns.extend(options.redaction_patterns.unwrap_or_default());
        let config = Config {
            branch_scope: options.branch_scope.or(scope_in_environment).or(file.branch_scope).unwrap_or_default(),
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
        };
        Ok((config, skipped))
    }
}

fn cluster_hosts(place: &str, hosts: &[String]) -> Result<Vec<ClusterHost>> {
    hosts.iter().map(|host| ClusterHost::parse(place, host)).collect()
}

/// No record could be as large as a larger value would allow.
fn check_bytes(key: &str, value: Option<u32>, most: u32) -> Result<()> {
    match value {
        Some(bytes) if bytes > most => Err(Error::validation(format!("{key} is {bytes}; it must be at most {most}"))),
        _ => Ok(()),
    }
}

/// The contents of the file, and its tables that this version does not know.
fn read(path: &Path, bytes: &[u8]) -> Result<(File, Vec<String>)> {
    let refused = |message: String| Error::validation(format!("{}: {message}", path.display())).at(path);
    let text = std::str::from_utf8(bytes).map_err(|_| refused("the file is not UTF-8".to_owned()))?;
    let reader = || {
        toml::Deserializer::parse(text)
            .map_err(|cause| refused(format!("the file is not valid TOML: {}", cause.message())))
    };
    // Tables of newer versions, whose contents may not fit any type here.
    let tables = HashMap::<String, IgnoredAny>::deserialize(reader()?).unwrap_or_default();
    let unknown = tables.into_keys().filter(|key| !["memory", "working"].contains(&key.as_str())).collect();
    let file: File = serde_path_to_error::deserialize(reader()?)
        .map_err(|fault| refused(format!("{} has an invalid value; check its type and its range", fault.path())))?;
    Ok((file, unknown))
}
