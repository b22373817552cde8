//! Why a thread is or is not extracted, and how far all of them are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::consolidation::{ClaimOutcome, claimable};
use super::database::State;
use super::job::{self, IS_CLAIMED, IS_WAITING, Job, Subject, time_text};
use super::output::{OutputRow, StoredOutput};
use super::stage1::{Due, IS_OPEN};
use super::thread::{Mode, ThreadRow, admit_thread_id, is_forgotten};
use super::{legacy, time};
use crate::error::Result;
use crate::home::{Home, RolloutsConfig};
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::{Connection, Row, named_params};

/// Why a thread is or is not extracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
#[schemars(inline)]
pub enum Reason {
    /// It is due.
    Due,
    /// It is due, but as many threads as may be are being worked on.
    CapReached,
    /// A worker has it.
    Running,
    /// What was extracted is of its last change.
    UpToDate,
    /// It changed too recently.
    NotIdle,
    /// It changed too long ago.
    TooOld,
    /// It was archived.
    Archived,
    /// Its transcript is gone.
    TranscriptMissing,
    /// The session was not interactive, or was started by another agent.
    NotInteractive,
    /// Its memory is disabled.
    Disabled,
    /// It is polluted.
    Polluted,
    /// It failed, and waits for the next attempt.
    Backoff,
    /// It failed too often, and waits for a change.
    Exhausted,
    /// It was cleared by a reset, and waits for a change.
    Reset,
    /// It was forgotten.
    Forgotten,
    /// It is not registered.
    NotRegistered,
}

/// The state of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct JobState {
    /// `pending`, `running`, `done` or `failed`.
    pub status: String,
    /// The worker that claimed it last; null if it was never claimed.
    pub worker_id: Option<String>,
    /// When it was claimed last.
    pub started_at: Option<String>,
    /// When the claim ends; null if there is none. If this is in the past, the worker did not come back.
    pub lease_until: Option<String>,
    /// When the last claim ended.
    pub finished_at: Option<String>,
    /// When the next attempt may begin after a failure.
    pub retry_at: Option<String>,
    /// How many attempts are left before the input changes.
    pub retries_left: u32,
    /// Why the last attempt failed; null if it did not.
    pub last_error: Option<String>,
}

impl JobState {
    fn of(job: &Job, config: &RolloutsConfig) -> Self {
        JobState {
            status: job.status.clone(),
            worker_id: job.worker_id.clone(),
            started_at: time_text(job.started_at),
            lease_until: time_text(job.lease_until),
            finished_at: time_text(job.finished_at),
            retry_at: time_text(job.retry_at),
            retries_left: config.attempts.saturating_sub(job.attempts),
            last_error: job.last_error.clone(),
        }
    }
}

/// Why a thread is or is not extracted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ThreadExplanation")]
#[non_exhaustive]
pub struct Explanation {
    /// Whether it can be claimed now.
    pub eligible: bool,
    /// Why, or why not.
    pub reason: Reason,
    /// The same in a sentence.
    pub detail: String,
    /// The job that extracts it; null if it was never claimed.
    pub job: Option<JobState>,
    /// What was extracted; null if nothing is stored.
    pub output: Option<StoredOutput>,
}

/// Explains why a thread is or is not extracted.
pub(super) fn explain(home: &Home, id: &str) -> Result<Explanation> {
    let id = admit_thread_id(home, "threadId", id)?;
    let id = id.as_str();
    let config = &home.config().rollouts;
    let now = time::now(home);
    let explained = State::of(home)?.read(|connection| {
        let Some((thread, job)) = ThreadRow::find_with_job(connection, id, now)? else {
            let unknown = if is_forgotten(connection, id)? { forgotten() } else { not_registered() };
            return Ok(Some(unknown));
        };
        let output = OutputRow::find(connection, &thread)?;
        let running = job::running(connection, now)?;
        let source = output.as_ref().map(|output| output.source_updated_at);
        let (reason, detail) = reason(&thread, job.as_ref(), source, running, config, now);
        Ok(Some(Explanation {
            eligible: reason == Reason::Due,
            reason,
            detail,
            job: job.as_ref().map(|job| JobState::of(job, config)),
            output: output.map(Into::into),
        }))
    })?;
    Ok(explained.unwrap_or_else(not_registered))
}

fn forgotten() -> Explanation {
    let detail = "it was forgotten, and is not extracted again".to_owned();
    Explanation { eligible: false, reason: Reason::Forgotten, detail, job: None, output: None }
}

fn not_registered() -> Explanation {
    let detail = "no thread with this id is registered; rollouts.scan registers those with a transcript".to_owned();
    Explanation { eligible: false, reason: Reason::NotRegistered, detail, job: None, output: None }
}

/// The same conditions as those of a claim, in the order in which a user would ask. `output` is the time of the last change
/// that the stored output is of.
pub(super) fn reason(
    thread: &ThreadRow,
    job: Option<&Job>,
    output: Option<i64>,
    running: u32,
    config: &RolloutsConfig,
    now: i64,
) -> (Reason, String) {
    let at = thread.updated_at;
    let text = time::text;
    let hours = |millis: i64| millis / 3_600_000;
    let newest = output.max(job.and_then(|job| job.success_watermark));
    let attempted = job.filter(|job| job.input_watermark >= at);
    match (thread.mode, job) {
        (_, Some(job)) if job.is_claimed => {
            let until = job.lease_until.map(text).unwrap_or_default();
            return (Reason::Running, format!("a worker has it until {until}"));
        }
        (Mode::Disabled, _) => return (Reason::Disabled, "its mode is disabled; see rollouts.setMode".to_owned()),
        (Mode::Polluted, _) => return (Reason::Polluted, "its mode is polluted; see rollouts.setMode".to_owned()),
        (Mode::Enabled, _) => {}
    }
    if thread.is_archived {
        return (Reason::Archived, "it is archived".to_owned());
    }
    if !config.interactive_sources.contains(&thread.source) {
        let known = config.interactive_sources.join(", ");
        let detail = format!("its source is {}; those that are extracted are {known}", thread.source);
        return (Reason::NotInteractive, detail);
    }
    if thread.is_missing {
        return (Reason::TranscriptMissing, format!("{} is gone", thread.rollout_path));
    }
    if newest.is_some_and(|newest| newest >= at) {
        return (Reason::UpToDate, format!("it has not changed since {}, and that was extracted", text(at)));
    }
    if thread.settled_at.is_some_and(|settled| settled >= at) {
        return (Reason::Reset, format!("it has not changed since {}, before the reset", text(at)));
    }
    if at > now.saturating_sub(config.min_idle) {
        let due = at.saturating_add(config.min_idle);
        return (
            Reason::NotIdle,
            format!("it changed at {}; it is due {} hours later, at {}", text(at), hours(config.min_idle), text(due)),
        );
    }
    if at < now.saturating_sub(config.max_age) {
        let days = hours(config.max_age) / 24;
        return (Reason::TooOld, format!("it changed last at {}, more than {days} days ago", text(at)));
    }
    if let Some(job) = attempted {
        let why = job.last_error.as_deref().unwrap_or("the worker did not come back");
        if job.attempts >= config.attempts {
            return (
                Reason::Exhausted,
                format!("{} attempts failed, and it has not changed since; see rollouts.retry: {why}", job.attempts),
            );
        }
        if job.is_waiting {
            let retry = job.retry_at.map(text).unwrap_or_default();
            return (Reason::Backoff, format!("it failed and is tried again at {retry}: {why}"));
        }
    }
    if running >= config.max_running {
        return (
            Reason::CapReached,
            format!("the cap is reached: {running} of {} threads are claimed", config.max_running),
        );
    }
    (Reason::Due, "it can be claimed; newer threads come first".to_owned())
}

/// How many threads are in which state. A thread may be in several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ThreadCounts")]
#[non_exhaustive]
pub struct ThreadCounts {
    /// All that are registered.
    pub registered: u32,
    /// Those that can be claimed, but for the cap.
    pub due: u32,
    /// Those of which a memory is stored.
    pub extracted: u32,
    /// Those whose memory is of their last change.
    pub up_to_date: u32,
    /// Those that changed too recently.
    pub not_idle: u32,
    /// Those that changed too long ago.
    pub too_old: u32,
    /// Those that were not interactive, or were started by another agent.
    pub not_interactive: u32,
    /// Those whose memory may be extracted.
    pub enabled: u32,
    /// Those whose memory is disabled.
    pub disabled: u32,
    /// Those that are polluted.
    pub polluted: u32,
    /// Those that are archived.
    pub archived: u32,
    /// Those whose transcript is gone.
    pub missing: u32,
    /// Those that were forgotten.
    pub forgotten: u32,
}

/// How many jobs of threads are in which state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "JobCounts")]
#[non_exhaustive]
pub struct JobCounts {
    /// A worker has them.
    pub running: u32,
    /// Their worker did not come back in time.
    pub stale: u32,
    /// They succeeded.
    pub done: u32,
    /// They failed, and attempts are left.
    pub failed: u32,
    /// They failed, and no attempt is left before the thread changes.
    pub exhausted: u32,
}

/// The state of the consolidation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ConsolidationState {
    /// What a claim would come to now.
    pub outcome: ClaimOutcome,
    /// How many sessions it would read.
    pub inputs: u32,
    /// Its job; null if there was never anything to consolidate.
    pub job: Option<JobState>,
}

/// How far all threads are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RolloutsStatus")]
#[non_exhaustive]
pub struct Status {
    /// The threads by state.
    pub threads: ThreadCounts,
    /// The jobs of threads by state.
    pub jobs: JobCounts,
    /// How many threads are being worked on.
    pub running: u32,
    /// How many may be.
    pub cap: u32,
    /// When the next thread becomes due: it has been idle for long enough, its wait after a failure is over, or the lease of
    /// its worker ends. Null if none is going to be.
    pub next_due: Option<String>,
    /// The consolidation.
    pub consolidation: ConsolidationState,
    /// The memory root.
    pub root: String,
    /// Whether an older program left a memory that `rollouts.migrateLegacyRoot` would move.
    pub legacy_root: bool,
}

/// Counts threads and jobs by state.
pub(super) fn status(home: &Home) -> Result<Status> {
    let config = &home.config().rollouts;
    let now = time::now(home);
    let due = Due::new(config, now, &[])?;
    let state = State::of(home)?;
    let root = home.layout().memories()?;
    let mut status = Status {
        threads: ThreadCounts::default(),
        jobs: JobCounts::default(),
        running: 0,
        cap: config.max_running,
        next_due: None,
        consolidation: ConsolidationState { outcome: ClaimOutcome::Clean, inputs: 0, job: None },
        root: home.redactor().scrub(&root.to_string_lossy()).into_owned(),
        legacy_root: legacy::is_waiting(home, &state)?,
    };
    state.read(|connection| {
        status.threads = threads(connection, config, due.sources(), now)?;
        status.threads.due = due.count(connection)?;
        status.running = job::running(connection, now)?;
        status.jobs = jobs(connection, config.attempts, status.running, now)?;
        status.next_due = next_due(connection, config, due.sources(), now)?.map(time::text);
        let job = Job::find(connection, Subject::All, now)?;
        let inputs = super::consolidation::selected(connection, config, now)?.len();
        let inputs = u32::try_from(inputs).unwrap_or(u32::MAX);
        status.consolidation = ConsolidationState {
            outcome: claimable(job.as_ref(), config),
            inputs,
            job: job.as_ref().map(|job| JobState::of(job, config)),
        };
        Ok(())
    })?;
    Ok(status)
}

/// The states overlap: an archived thread may be too old as well.
fn threads(connection: &Connection, config: &RolloutsConfig, sources: &str, now: i64) -> Result<ThreadCounts, Failure> {
    let sql = "SELECT count(*), ifnull(sum(mode = 'enabled'), 0), ifnull(sum(mode = 'polluted'), 0),
            ifnull(sum(is_archived), 0), ifnull(sum(is_missing), 0),
            (SELECT count(*) FROM output), (SELECT count(*) FROM forgotten),
            (SELECT count(*) FROM output JOIN thread AS of ON of.output = output.number
             WHERE output.source_updated_at >= of.updated_at),
            ifnull(sum(updated_at > :newest), 0), ifnull(sum(updated_at < :oldest), 0),
            ifnull(sum(source NOT IN (SELECT value FROM json_each(:sources))), 0)
        FROM thread";
    let (oldest, newest) = (now.saturating_sub(config.max_age), now.saturating_sub(config.min_idle));
    let read = |row: &Row<'_>| {
        let (registered, enabled, polluted): (u32, u32, u32) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(ThreadCounts {
            registered,
            due: 0,
            extracted: row.get(5)?,
            up_to_date: row.get(7)?,
            not_idle: row.get(8)?,
            too_old: row.get(9)?,
            not_interactive: row.get(10)?,
            enabled,
            disabled: registered.saturating_sub(enabled + polluted),
            polluted,
            archived: row.get(3)?,
            missing: row.get(4)?,
            forgotten: row.get(6)?,
        })
    };
    let mut query = connection.prepare_cached(sql)?;
    Ok(query.query_row(named_params! { ":oldest": oldest, ":newest": newest, ":sources": sources }, read)?)
}

fn jobs(connection: &Connection, attempts: u32, running: u32, now: i64) -> Result<JobCounts, Failure> {
    let sql = format!(
        "SELECT ifnull(sum(status = 'running' AND NOT {IS_CLAIMED} AND attempts < :attempts), 0),
            ifnull(sum(status = 'done'), 0), ifnull(sum(status = 'failed' AND attempts < :attempts), 0),
            ifnull(sum((status = 'failed' OR status = 'running' AND NOT {IS_CLAIMED}) AND attempts >= :attempts), 0)
         FROM thread"
    );
    let read = |row: &Row<'_>| {
        Ok(JobCounts { running, stale: row.get(0)?, done: row.get(1)?, failed: row.get(2)?, exhausted: row.get(3)? })
    };
    let mut query = connection.prepare_cached(&sql)?;
    Ok(query.query_row(named_params! { ":attempts": attempts, ":now": now }, read)?)
}

/// When the first thread becomes due that is not due yet.
fn next_due(connection: &Connection, config: &RolloutsConfig, sources: &str, now: i64) -> Result<Option<i64>, Failure> {
    const OF_SOURCES: &str = "source IN (SELECT value FROM json_each(:sources))";
    let idle: Option<i64> = connection
        .prepare_cached(&format!(
            "SELECT min(updated_at) FROM thread WHERE updated_at > :newest AND {IS_OPEN} AND {OF_SOURCES}"
        ))?
        .query_row(named_params! { ":newest": now.saturating_sub(config.min_idle), ":sources": sources }, |row| {
            row.get(0)
        })?;
    let again: Option<i64> = connection
        .prepare_cached(&format!(
            "SELECT min(CASE WHEN {IS_CLAIMED} THEN lease_until WHEN {IS_WAITING} THEN retry_at END) FROM thread
             WHERE attempts < :attempts AND updated_at >= :oldest AND {IS_OPEN} AND {OF_SOURCES}"
        ))?
        .query_row(
            named_params! {
                ":now": now, ":attempts": config.attempts, ":oldest": now.saturating_sub(config.max_age),
                ":sources": sources,
            },
            |row| row.get(0),
        )?;
    Ok(idle.map(|at| at.saturating_add(config.min_idle)).into_iter().chain(again).min())
}
