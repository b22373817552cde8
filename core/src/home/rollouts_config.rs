//! The configuration of rollouts: when sessions are due, how long they are claimed, and how much of them is read.

use std::path::{Path, PathBuf};

use super::Options;
use super::input::check_path;
use super::sources::Sources;
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
    "root",
    "sameRepo",
    "with",
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
    /// The memory root that `config.toml` names. That which counts is in the layout.
    pub root: Option<PathBuf>,
    /// Whether a context pack leaves out what sessions in other repositories left.
    pub same_repo: bool,
    /// The program that is the model of a run without commands.
    pub with: Option<String>,
}

impl RolloutsConfig {
    pub(super) fn new(from: &Sources<'_>) -> Result<Self> {
        const MILLION: u32 = 1_000_000;
        const YEAR: u32 = 365 * 86_400;
        let hours = from.number("rollouts.minIdleHours", |it| it.rollouts_min_idle_hours, 0..=MILLION, 12)?;
        let days = from.number("rollouts.maxAgeDays", |it| it.rollouts_max_age_days, 0..=MILLION, 30)?;
        let unused = from.number("rollouts.maxUnusedDays", |it| it.rollouts_max_unused_days, 0..=MILLION, 30)?;
        let lease = from.number("rollouts.leaseSecs", |it| it.rollouts_lease_secs, 1..=YEAR, 3_600)?;
        let delay = from.number("rollouts.retryDelaySecs", |it| it.rollouts_retry_delay_secs, 0..=YEAR, 3_600)?;
        let inputs = |it: &Options| it.rollouts_consolidation_inputs;
        let tokens = |it: &Options| it.rollouts_input_max_tokens;
        let sources = |it: &Options| it.rollouts_interactive_sources.clone();
        let sources = from.checked("rollouts.interactiveSources", None, sources, |name, sources: Vec<String>| {
            let is_valid = |source: &String| (1..=MAX_SOURCE_BYTES).contains(&source.len());
            if sources.len() > MAX_SOURCES || !sources.iter().all(is_valid) {
                let most = format!("at most {MAX_SOURCES} names of sources, each of 1 to {MAX_SOURCE_BYTES} bytes");
                return Err(Error::validation(format!("{name} must be {most}")));
            }
            Ok(sources)
        })?;
        // A relative path in the file is relative to the folder of the file.
        let root = from.file.rollouts_root.as_deref();
        let root = root.map(|root| root_in(from.path, root).map_err(|refused| refused.at(from.path))).transpose()?;
        Ok(RolloutsConfig {
            min_idle: i64::from(hours) * MS_PER_HOUR,
            max_age: i64::from(days) * MS_PER_DAY,
            max_running: from.number("rollouts.maxRunning", |it| it.rollouts_max_running, 0..=10_000, 64)?,
            lease: i64::from(lease) * MS_PER_SECOND,
            attempts: from.number("rollouts.attempts", |it| it.rollouts_attempts, 1..=1_000, 3)?,
            retry_delay: i64::from(delay) * MS_PER_SECOND,
            consolidation_inputs: from.number("rollouts.consolidationInputs", inputs, 1..=1_000, 64)?,
            max_unused: i64::from(unused) * MS_PER_DAY,
            diff_max_chars: from.count(|it| it.rollouts_diff_max_chars, 60_000),
            input_max_tokens: from.number("rollouts.inputMaxTokens", tokens, 1_000..=10_000_000, 100_000)?,
            interactive_sources: sources.unwrap_or_else(|| ["cli", "vscode", "claude"].map(str::to_owned).to_vec()),
            root,
            same_repo: from.get(|it| it.rollouts_same_repo).unwrap_or(true),
            with: from.checked("rollouts.with", None, |it| it.rollouts_with.clone(), check_model)?,
        })
    }
}

/// The programs that bring a model along. The last one has several, of which one is named behind a colon.
const MODELS: [&str; 4] = ["claude", "codex", "gemini", "ollama"];

/// A program that brings a model along, and its model, if that is named: `ollama:llama3.2`.
///
/// # Errors
/// `ValidationError` naming `name` for any other word.
pub fn model_of<'w>(name: &str, word: &'w str) -> Result<(&'w str, Option<&'w str>)> {
    let (program, model) = word.split_once(':').map_or((word, None), |(program, model)| (program, Some(model)));
    // One that begins with `-` would be an option.
    let is_name = |model: &str| {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"._-:/".contains(&byte);
        model.bytes().all(is_part) && model.starts_with(|first: char| first.is_ascii_alphanumeric())
    };
    let [.., with_models] = MODELS;
    let needs_model = program == with_models;
    match MODELS.contains(&program) && needs_model == model.is_some() && model.is_none_or(is_name) {
        true => Ok((program, model)),
        false => Err(Error::validation(format!("{name} must be claude, codex, gemini or ollama:MODEL"))),
    }
}

fn check_model(name: &str, word: String) -> Result<String> {
    model_of(name, &word).map(drop)?;
    Ok(word)
}

/// The memory root that the file at `path` names.
fn root_in(path: &Path, root: &Path) -> Result<PathBuf> {
    let name = format!("{}: rollouts.root", path.display());
    check_path(&name, root)?;
    if root.starts_with("~") {
        return Err(Error::validation(format!("{name} must be a path; write the user's home folder instead of ~")));
    }
    Ok(path.parent().unwrap_or(path).join(root))
}
