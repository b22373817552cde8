//! Why a thread is or is not extracted: the conditions of a claim, for one thread, in words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::job::{self, Job};
use super::output::OutputRow;
use super::thread::{Mode, ThreadRow};
use super::time;
use crate::error::Result;
use crate::home::RolloutsConfig;
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
        (Mode::Disabled, _) => return (Reason::Disabled, "its mode can be changed with rollouts.setMode".to_owned()),
        (Mode::Polluted, _) => return (Reason::Polluted, "its mode can be changed with rollouts.setMode".to_owned()),
        (Mode::Enabled, _) => {}
    }
    if thread.is_archived {
        return (Reason::Archived, "archived sessions are not extracted".to_owned());
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

/// Calls `body` for each thread, the one that changed last first, with its job, the reason and its sentence.
pub(super) fn each(
    connection: &Connection,
    config: &RolloutsConfig,
    now: i64,
    mut body: impl FnMut(ThreadRow, Option<&Job>, Reason, String) -> Result<()>,
) -> Result<(), Failure> {
    let running = job::running(connection, now)?;
    let sql = format!(
        "SELECT {}, output.source_updated_at, {} FROM thread LEFT JOIN {} ORDER BY updated_at DESC, id DESC",
        ThreadRow::COLUMNS,
        Job::columns(),
        OutputRow::OF_THREAD
    );
    let mut query = connection.prepare_cached(&sql)?;
    let read =
        |row: &Row<'_>| Ok((ThreadRow::read(row)?, Job::read(row, ThreadRow::WIDTH + 1)?, row.get(ThreadRow::WIDTH)?));
    for row in query.query_map(named_params! { ":now": now }, read)? {
        let (thread, job, source) = row?;
        let (reason, detail) = reason(&thread, job.as_ref(), source, running, config, now);
        body(thread, job.as_ref(), reason, detail)?;
    }
    Ok(())
}
