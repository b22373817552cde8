//! How far all threads are, and the consolidation.

use schemars::JsonSchema;
use serde::Serialize;

use super::consolidation::{self, ClaimOutcome, claimable};
use super::database::State;
use super::explain::JobState;
use super::job::{self, IS_CLAIMED, IS_WAITING, Job, Subject};
use super::output::OutputRow;
use super::reason::{Reason, each};
use super::stage1::{Due, IS_OPEN};
use super::{legacy, time};
use crate::error::Result;
use crate::home::{Home, RolloutsConfig};
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::{Connection, Row, named_params};

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
    /// They failed, and wait for the next attempt.
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
        status.jobs = jobs(connection, config, now)?;
        status.next_due = next_due(connection, config, due.sources(), now)?.map(time::text);
        let job = Job::find(connection, Subject::All, now)?;
        let inputs = consolidation::selected(connection, config, now)?.len();
        let inputs = u32::try_from(inputs).unwrap_or(u32::MAX);
        status.consolidation = ConsolidationState {
            outcome: claimable(job.as_ref(), config),
            inputs,
            job: job.as_ref().map(|job| JobState::of(job, job.input_watermark, config)),
        };
        Ok(())
    })?;
    Ok(status)
}

/// The states overlap: an archived thread may be too old as well.
fn threads(connection: &Connection, config: &RolloutsConfig, sources: &str, now: i64) -> Result<ThreadCounts, Failure> {
    let sql = format!(
        "SELECT count(*), ifnull(sum(mode = 'enabled'), 0), ifnull(sum(mode = 'polluted'), 0),
            ifnull(sum(is_archived), 0), ifnull(sum(is_missing), 0),
            (SELECT count(*) FROM thread JOIN {output}), (SELECT count(*) FROM forgotten),
            (SELECT count(*) FROM thread JOIN {output} WHERE output.source_updated_at >= thread.updated_at),
            ifnull(sum(updated_at > :newest), 0), ifnull(sum(updated_at < :oldest), 0),
            ifnull(sum(source NOT IN (SELECT value FROM json_each(:sources))), 0)
        FROM thread",
        output = OutputRow::OF_THREAD
    );
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
    let mut query = connection.prepare_cached(&sql)?;
    Ok(query.query_row(named_params! { ":oldest": oldest, ":newest": newest, ":sources": sources }, read)?)
}

fn jobs(connection: &Connection, config: &RolloutsConfig, now: i64) -> Result<JobCounts, Failure> {
    let mut jobs = JobCounts::default();
    each(connection, config, now, |_, job, reason, _| {
        let counted = match (reason, job) {
            (Reason::Running, _) => &mut jobs.running,
            (Reason::Backoff, _) => &mut jobs.failed,
            (Reason::Exhausted, _) => &mut jobs.exhausted,
            (_, Some(job)) if job.status == "running" => &mut jobs.stale,
            (_, Some(job)) if job.status == "done" => &mut jobs.done,
            _ => return Ok(()),
        };
        *counted += 1;
        Ok(())
    })?;
    Ok(jobs)
}

/// When the first thread becomes due that is not due yet.
fn next_due(connection: &Connection, config: &RolloutsConfig, sources: &str, now: i64) -> Result<Option<i64>, Failure> {
    // A change since the last claim refills the attempts and ends a wait, but it has to be idle for long enough too.
    let sql = format!(
        "SELECT min(CASE
             WHEN {IS_CLAIMED} THEN max(lease_until, updated_at + :idle)
             WHEN {IS_WAITING} AND input_watermark >= updated_at THEN retry_at
             WHEN updated_at > :newest THEN updated_at + :idle END)
         FROM thread WHERE (attempts < :attempts OR input_watermark < updated_at) AND updated_at >= :oldest AND {IS_OPEN}
             AND source IN (SELECT value FROM json_each(:sources))"
    );
    let values = named_params! {
        ":now": now, ":idle": config.min_idle, ":newest": now.saturating_sub(config.min_idle),
        ":attempts": config.attempts, ":oldest": now.saturating_sub(config.max_age), ":sources": sources,
    };
    Ok(connection.prepare_cached(&sql)?.query_row(values, |row| row.get(0))?)
}
