//! The progress of all threads, and of the consolidation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::due::{ALL, Due, JobState, Reason, each, fails, holds_but_for};
use super::output::OutputRow;
use super::{Job, Subject};
use crate::error::Result;
use crate::home::{Home, RolloutsConfig};
use crate::rollouts::consolidation::{self, ClaimOutcome, claimable, legacy};
use crate::rollouts::database::{State, find, first, next};
use crate::rollouts::{Rollouts, jobs, time};
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::{Connection, Row};

/// The number of threads in each state. A thread may be in several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

/// The number of jobs of threads in each state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ConsolidationState {
    /// The outcome that a claim would have now.
    pub outcome: ClaimOutcome,
    /// The number of sessions that it would read.
    pub inputs: u32,
    /// Its job; null if there was never anything to consolidate.
    pub job: Option<JobState>,
}

/// The progress of all threads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RolloutsStatus")]
#[non_exhaustive]
pub struct Status {
    /// The threads by state.
    pub threads: ThreadCounts,
    /// The jobs of threads by state.
    pub jobs: JobCounts,
    /// The number of threads that are being worked on.
    pub running: u32,
    /// The maximum number of them.
    pub cap: u32,
    /// When the next thread becomes due: it has been idle for long enough, its wait after a failure is over, or the lease of
    /// its worker ends. Null if none is going to be.
    pub next_due: Option<String>,
    /// The consolidation.
    pub consolidation: ConsolidationState,
    /// The memory root.
    pub root: String,
    /// True if an older program left a memory that `rollouts.migrateLegacyRoot` would move.
    pub legacy_root: bool,
}

impl Rollouts {
    pub(crate) const STATUS: &str = "rollouts.status";

    /// The state of all sessions and of the consolidation.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `ParseError`, `FormatTooNew`, `IOError`.
    pub fn status(&self) -> Result<Status> {
        self.home.call(Self::STATUS, status)
    }
}

fn status(home: &Home) -> Result<Status> {
    let config = &home.config().rollouts;
    let now = time::now(home);
    let due = Due::at(now, config)?;
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
        status.threads = threads(connection, &due)?;
        status.running = jobs::running(connection, now)?;
        status.jobs = count_jobs(connection, config, now)?;
        status.next_due = next_due(connection, config, &due)?.map(time::text);
        let job = Job::find(connection, Subject::All, now)?;
        let inputs = consolidation::selected(connection, config, now)?.len();
        status.consolidation = ConsolidationState {
            outcome: claimable(job.as_ref(), config),
            inputs: u32::try_from(inputs).unwrap_or(u32::MAX),
            job: job.map(|job| JobState::of(job.clone(), job.input_watermark, config)),
        };
        Ok(())
    })?;
    Ok(status)
}

/// The states overlap: an archived thread may be too old as well.
fn threads(connection: &Connection, due: &Due) -> Result<ThreadCounts, Failure> {
    let sum = |condition: String| format!("ifnull(sum({condition}), 0)");
    let with_output = format!("SELECT count(*) FROM thread JOIN {}", OutputRow::OF_THREAD);
    let sql = [
        "SELECT count(*)".to_owned(),
        sum(holds_but_for(&[])),
        format!("({with_output})"),
        format!("({with_output} WHERE output.source_updated_at >= thread.updated_at)"),
        sum(fails(Reason::NotIdle)),
        sum(fails(Reason::TooOld)),
        sum(fails(Reason::NotInteractive)),
        sum("mode = 'enabled'".to_owned()),
        sum("mode NOT IN ('enabled', 'polluted')".to_owned()),
        sum(fails(Reason::Polluted)),
        sum(fails(Reason::Archived)),
        sum(fails(Reason::TranscriptMissing)),
        "(SELECT count(*) FROM forgotten) FROM thread".to_owned(),
    ]
    .join(", ");
    let read = |row: &Row<'_>| {
        let at = &mut 0;
        Ok(ThreadCounts {
            registered: next(row, at)?,
            due: next(row, at)?,
            extracted: next(row, at)?,
            up_to_date: next(row, at)?,
            not_idle: next(row, at)?,
            too_old: next(row, at)?,
            not_interactive: next(row, at)?,
            enabled: next(row, at)?,
            disabled: next(row, at)?,
            polluted: next(row, at)?,
            archived: next(row, at)?,
            missing: next(row, at)?,
            forgotten: next(row, at)?,
        })
    };
    Ok(find(connection, &sql, due.values(&sql, &[]).as_slice(), read)?.unwrap_or_default())
}

fn count_jobs(connection: &Connection, config: &RolloutsConfig, now: i64) -> Result<JobCounts, Failure> {
    let mut jobs = JobCounts::default();
    each(connection, config, now, ALL, |it| {
        let counted = match (it.reason, it.job) {
            (Reason::Running, _) => &mut jobs.running,
            (Reason::Backoff, _) => &mut jobs.failed,
            (Reason::Exhausted, _) => &mut jobs.exhausted,
            (_, Some(job)) if job.is("running") => &mut jobs.stale,
            (_, Some(job)) if job.is("done") => &mut jobs.done,
            _ => return Ok(()),
        };
        *counted += 1;
        Ok(())
    })?;
    Ok(jobs)
}

/// When the first thread becomes due that is not due yet.
fn next_due(connection: &Connection, config: &RolloutsConfig, due: &Due) -> Result<Option<i64>, Failure> {
    // A change since the last claim refills the attempts and ends a wait, but it has to be idle for long enough too.
    let sql = format!(
        "SELECT min(CASE
             WHEN {} THEN max(lease_until, updated_at + :idle)
             WHEN {} THEN retry_at
             WHEN {} THEN updated_at + :idle END)
         FROM thread WHERE {}",
        fails(Reason::Running),
        fails(Reason::Backoff),
        fails(Reason::NotIdle),
        holds_but_for(&[Reason::Running, Reason::Backoff, Reason::NotIdle])
    );
    first(connection, &sql, due.values(&sql, &[(":idle", &config.min_idle)]).as_slice())
}
