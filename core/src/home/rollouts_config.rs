//! The configuration of rollouts: when sessions are due, how long they are claimed, and how much of them is read.

use std::path::Path;

use super::Options;
use crate::error::{Error, Result};

/// The keys under `[rollouts]`. The option of `minIdleHours` is `rolloutsMinIdleHours`.
pub(super) const KEYS: &[&str] = &[
    "minIdleHours",
    "maxAgeDays",
    "maxRunning",
    "leaseSecs",
    "attempts",
    "retryDelaySecs",
    "consolidationInputs",
    "maxUnusedDays",
    "diffMaxChars",
    "inputMaxTokens",
    "interactiveSources",
    "sameRepo",
];
/// The maximum number of sources, and their maximum length in bytes.
const MAX_SOURCES: usize = 100;
const MAX_SOURCE_BYTES: usize = 100;
const MS_PER_SECOND: i64 = 1_000;
const MS_PER_HOUR: i64 = 3_600 * MS_PER_SECOND;
const MS_PER_DAY: i64 = 24 * MS_PER_HOUR;

/// See `docs/ROLLOUTS.md`.
#[derive(Debug, Clone)]
pub struct RolloutsConfig {
    /// How long a session must have been idle, in milliseconds.
    pub min_idle: i64,
    /// How long ago a session may have changed last, in milliseconds.
    pub max_age: i64,
    /// The maximum number of sessions that are claimed at once.
    pub max_running: u32,
    /// How long a claim lasts without a heartbeat, in milliseconds.
    pub lease: i64,
    /// How often a session may be claimed before it changes.
    pub attempts: u32,
    /// How long a failed job waits, in milliseconds.
    pub retry_delay: i64,
    /// The maximum number of sessions that one consolidation reads.
    pub consolidation_inputs: u32,
    /// How long the memory of a session that is not used is consolidated, in milliseconds.
    pub max_unused: i64,
    /// The maximum length of the diff of a consolidation, in Unicode scalar values.
    pub diff_max_chars: usize,
    /// The maximum length of a transcript, in tokens of three bytes.
    pub input_max_tokens: u32,
    /// The sources of sessions whose memory is extracted.
    pub interactive_sources: Vec<String>,
    /// Whether a context pack leaves out what sessions in other repositories left.
    pub same_repo: bool,
}

impl RolloutsConfig {
    /// The configuration by the options, else by the file at `path`.
    pub(super) fn new(path: &Path, options: &Options, file: &Options) -> Result<Self> {
        let number = |key: &str, pick: fn(&Options) -> Option<u32>, range: (u32, u32), default: u32| {
            let refused = |name: String, value: u32| {
                let (least, most) = range;
                Error::validation(format!("{name} is {value}; it must be from {least} to {most}"))
            };
            let is_valid = |value: u32| (range.0..=range.1).contains(&value);
            match (pick(options), pick(file)) {
                (Some(value), _) if !is_valid(value) => Err(refused(option(key), value)),
                (_, Some(value)) if !is_valid(value) => {
                    Err(refused(format!("{}: rollouts.{key}", path.display()), value).at(path))
                }
                (value, in_file) => Ok(value.or(in_file).unwrap_or(default)),
            }
        };
        const ANY: (u32, u32) = (0, u32::MAX);
        const MILLION: u32 = 1_000_000;
        let hours = number("minIdleHours", |it| it.rollouts_min_idle_hours, (0, MILLION), 12)?;
        let days = number("maxAgeDays", |it| it.rollouts_max_age_days, (0, MILLION), 30)?;
        let unused = number("maxUnusedDays", |it| it.rollouts_max_unused_days, (0, MILLION), 30)?;
        let lease = number("leaseSecs", |it| it.rollouts_lease_secs, (1, 365 * 86_400), 3_600)?;
        let delay = number("retryDelaySecs", |it| it.rollouts_retry_delay_secs, (0, 365 * 86_400), 3_600)?;
        let chars = number("diffMaxChars", |it| it.rollouts_diff_max_chars, ANY, 60_000)?;
        let sources = options.rollouts_interactive_sources.as_ref().or(file.rollouts_interactive_sources.as_ref());
        let sources = sources.cloned().unwrap_or_else(|| ["cli", "vscode", "claude"].map(str::to_owned).to_vec());
        if sources.len() > MAX_SOURCES || sources.iter().any(|it| it.is_empty() || it.len() > MAX_SOURCE_BYTES) {
            let name = match options.rollouts_interactive_sources {
                Some(_) => option("interactiveSources"),
                None => format!("{}: rollouts.interactiveSources", path.display()),
            };
            let most = format!("at most {MAX_SOURCES} names of sources, each of 1 to {MAX_SOURCE_BYTES} bytes");
            return Err(Error::validation(format!("{name} must be {most}")));
        }
        Ok(RolloutsConfig {
            min_idle: i64::from(hours) * MS_PER_HOUR,
            max_age: i64::from(days) * MS_PER_DAY,
            max_running: number("maxRunning", |it| it.rollouts_max_running, (0, 10_000), 64)?,
            lease: i64::from(lease) * MS_PER_SECOND,
            attempts: number("attempts", |it| it.rollouts_attempts, (1, 1_000), 3)?,
            retry_delay: i64::from(delay) * MS_PER_SECOND,
            consolidation_inputs: number("consolidationInputs", |it| it.rollouts_consolidation_inputs, (1, 1_000), 64)?,
            max_unused: i64::from(unused) * MS_PER_DAY,
            diff_max_chars: usize::try_from(chars).unwrap_or(usize::MAX),
            input_max_tokens: number(
                "inputMaxTokens",
                |it| it.rollouts_input_max_tokens,
                (1_000, 10_000_000),
                100_000,
            )?,
            interactive_sources: sources,
            same_repo: options.rollouts_same_repo.or(file.rollouts_same_repo).unwrap_or_default(),
        })
    }
}

/// The name of the option for a key.
fn option(key: &str) -> String {
    format!("rollouts{}{}", key[..1].to_uppercase(), &key[1..])
}
