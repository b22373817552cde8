//! Why one thread is or is not extracted, with its job and its output.

use schemars::JsonSchema;
use serde::Serialize;

use super::database::State;
use super::job::{self, Job, time_text};
use super::output::{OutputRow, StoredOutput};
use super::reason::{Reason, reason};
use super::thread::{ThreadRow, admit_thread_id, is_forgotten};
use super::time;
use crate::error::Result;
use crate::home::{Home, RolloutsConfig};

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
    /// `newest` is when its input changed last.
    pub(super) fn of(job: &Job, newest: i64, config: &RolloutsConfig) -> Self {
        let retries_left = job.retries_left(newest, config.attempts);
        JobState {
            status: job.status.clone(),
            worker_id: job.worker_id.clone(),
            started_at: time_text(job.started_at),
            lease_until: time_text(job.lease_until),
            finished_at: time_text(job.finished_at),
            retry_at: time_text(job.retry_at.filter(|_| retries_left > 0)),
            retries_left,
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
            job: job.as_ref().map(|job| JobState::of(job, thread.updated_at, config)),
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
