//! Stage 1: which threads are due, who extracts their memory, and what came of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::due::{Due, holds_but_for, json_list};
use super::output::{self, Stage1Output};
use super::{Failed, FailedJob, Job, Subject};
use crate::disk::Stored;
use crate::error::Result;
use crate::home::Home;
use crate::rollouts::database::{State, all, execute};
use crate::rollouts::threads::{Mode, ThreadRow, admit_thread_id};
use crate::rollouts::{Rollouts, consolidation, jobs, time};
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::{Connection, Row, params};

/// A thread that a worker may work on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Stage1Claim {
    /// The thread.
    pub thread_id: String,
    /// Proves that the claim is the caller's: pass it to each call about the claim.
    pub ownership_token: String,
    /// When the claim ends unless it is renewed.
    pub lease_until: String,
    /// When the thread changed last: what the extracted memory is of.
    pub source_updated_at: String,
    /// The path of its transcript.
    pub rollout_path: String,
}

/// The claims of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Stage1Claims {
    /// The threads that were claimed, the newest first.
    pub claims: Vec<Stage1Claim>,
}

/// The result of a completed claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CompletedStage1")]
#[non_exhaustive]
pub struct Completed {
    /// Whether the output was stored: false if it is empty, or older than what is stored.
    pub stored: bool,
}

/// Whose claim a call is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work<'w> {
    /// That of a thread.
    Stage1(&'w str),
    /// That of the consolidation.
    Consolidation,
}

impl Rollouts {
    pub(crate) const CLAIM_STAGE1: &str = "rollouts.claimStage1";
    pub(crate) const HEARTBEAT: &str = "rollouts.heartbeat";
    pub(crate) const COMPLETE_STAGE1: &str = "rollouts.completeStage1";
    pub(crate) const FAIL_STAGE1: &str = "rollouts.failStage1";

    /// Claims up to `limit` sessions whose memory is due to be extracted, the newest first, never the caller's own.
    ///
    /// # Errors
    /// `ValidationError`, `SecretRefused`; `LockAcquisitionError`, `Cancelled`, `ParseError`, `FormatTooNew`, `IOError`.
    pub fn claim_stage1(&self, worker_id: &str, limit: Option<u32>, current: Option<&str>) -> Result<Stage1Claims> {
        self.home.call(Self::CLAIM_STAGE1, |home| {
            current.map_or(Ok(()), |id| admit_thread_id(home, "currentThreadId", id).map(drop))?;
            claim(home, worker_id, limit, current.as_slice())
        })
    }

    /// Renews a claim, and returns its new end.
    ///
    /// # Errors
    /// `LeaseLost` if the claim is not the caller's anymore; those of [`claim_stage1`](Self::claim_stage1).
    pub fn heartbeat(&self, work: Work<'_>, ownership_token: &str) -> Result<String> {
        self.home.call(Self::HEARTBEAT, |home| {
            let until = match work {
                Work::Stage1(id) => heartbeat(home, id, ownership_token),
                Work::Consolidation => consolidation::heartbeat(home, ownership_token),
            };
            until.map(time::text)
        })
    }

    /// Stores a model's answer about a claimed session: a JSON object, or a JSON string that contains one. An output with
    /// empty texts is a success that removes what was stored of the session.
    ///
    /// # Errors
    /// `LeaseLost` if the claim is not the caller's anymore: nothing was written. `ValidationError` for an output without
    /// its texts; those of [`claim_stage1`](Self::claim_stage1).
    pub fn complete_stage1(&self, thread_id: &str, ownership_token: &str, output: &RawValue) -> Result<Completed> {
        self.home.call(Self::COMPLETE_STAGE1, |home| {
            complete(home, thread_id, ownership_token, &Stage1Output::read(home, output)?)
        })
    }

    /// Records that the work on a claimed session failed. It is tried again after `retry_after_secs`, by default as
    /// configured.
    ///
    /// # Errors
    /// Those of [`heartbeat`](Self::heartbeat).
    pub fn fail_stage1(
        &self,
        thread_id: &str,
        ownership_token: &str,
        reason: &str,
        retry_after_secs: Option<u32>,
    ) -> Result<FailedJob> {
        self.home.call(Self::FAIL_STAGE1, |home| {
            fail(home, thread_id, ownership_token, &Failed::now(home, reason, retry_after_secs))
        })
    }
}

/// Claims up to `limit` threads that are due, without those `excluded`.
pub(crate) fn claim(home: &Home, worker: &str, limit: Option<u32>, excluded: &[&str]) -> Result<Stage1Claims> {
    let config = &home.config().rollouts;
    let worker = home.redactor().admit_id("workerId", worker)?;
    let now = time::now(home);
    let (due, excluded) = (Due::at(now, config)?, json_list(excluded)?);
    let state = State::of(home)?;
    // Nothing is created to find that nothing is registered.
    if !state.exists() {
        return Ok(Stage1Claims { claims: Vec::new() });
    }
    let claims = state.write(|transaction| {
        let free = config.max_running.saturating_sub(jobs::running(transaction, now)?);
        let most = free.min(limit.unwrap_or(u32::MAX));
        if most == 0 {
            return Ok(Vec::new());
        }
        let sql = format!(
            "SELECT number, id, updated_at, rollout_path FROM thread
             WHERE {} AND id NOT IN (SELECT value FROM json_each(:excluded))
             ORDER BY updated_at DESC, id DESC LIMIT :limit",
            holds_but_for(&[])
        );
        let values = due.values(&sql, &[(":excluded", &excluded), (":limit", &most)]);
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
        let found: Vec<(i64, String, i64, String)> = all(transaction, &sql, values.as_slice(), read)?;
        let claim = |(number, thread_id, updated_at, rollout_path): (i64, String, i64, String)| {
            let subject = Subject::Thread(number, &thread_id);
            let claim = jobs::claim(transaction, home, subject, worker.as_str(), now, updated_at)?;
            Ok(Stage1Claim {
                thread_id,
                ownership_token: claim.token,
                lease_until: time::text(claim.lease_until),
                source_updated_at: time::text(updated_at),
                rollout_path,
            })
        };
        found.into_iter().map(claim).collect()
    })?;
    Ok(Stage1Claims { claims })
}

/// Stores a model's output of a claimed thread.
pub(crate) fn complete(home: &Home, id: &str, token: &str, output: &Stored<Stage1Output>) -> Result<Completed> {
    owner(home, id, token, |transaction, thread, job, now| {
        // Its mode changed since it was claimed. It is due again if that is undone.
        if thread.mode != Mode::Enabled {
            jobs::release(transaction, thread.subject())?;
            return Ok(Completed { stored: false });
        }
        let source = job.claimed_watermark.unwrap_or(job.input_watermark);
        jobs::succeed(transaction, thread.subject(), now, source)?;
        let changed = match output.is_empty() {
            true => output::remove(transaction, thread)?.is_some(),
            false => output::store(transaction, thread, source, now, output)?,
        };
        if changed {
            jobs::enqueue_consolidation(transaction, source)?;
        }
        Ok(Completed { stored: changed && !output.is_empty() })
    })
}

/// Records that the work on a claimed thread failed.
pub(crate) fn fail(home: &Home, id: &str, token: &str, failed: &Failed) -> Result<FailedJob> {
    owner(home, id, token, |transaction, thread, job, _| {
        let retries_left = job.retries_left(thread.updated_at, home.config().rollouts.attempts);
        jobs::fail(transaction, thread.subject(), retries_left, failed)
    })
}

/// Renews the lease of a claimed thread.
pub(crate) fn heartbeat(home: &Home, id: &str, token: &str) -> Result<i64> {
    owner(home, id, token, |transaction, thread, job, now| {
        // Another worker may have got the slot of a lease that had run out.
        if !job.is_claimed && jobs::running(transaction, now)? >= home.config().rollouts.max_running {
            let why = "the lease ran out and its slot was given away";
            return Err(jobs::lost(thread.subject(), why).into());
        }
        jobs::renew(transaction, home, thread.subject(), now)
    })
}

/// Gives a claimed thread back that was not worked on: the attempt is not spent.
pub(crate) fn release(home: &Home, id: &str, token: &str) -> Result<()> {
    owner(home, id, token, |transaction, thread, _, _| jobs::release(transaction, thread.subject()))
}

/// Gives a claimed thread back whose transcript is gone: it is due again when it is found again.
pub(crate) fn release_missing(home: &Home, id: &str, token: &str, path: &str) -> Result<()> {
    owner(home, id, token, |transaction, thread, _, _| {
        jobs::release(transaction, thread.subject())?;
        // Another one may have been registered since the claim.
        let sql = "UPDATE thread SET is_missing = 1 WHERE number = ?1 AND rollout_path = ?2";
        execute(transaction, sql, params![thread.number, path])?;
        // If it comes back as it was, a scan registers it all the same.
        execute(transaction, "UPDATE transcript SET modified = 0 WHERE path = ?1", [path]).map(drop)
    })
}

/// The number of threads that are due.
pub(crate) fn count_due(home: &Home) -> Result<u32> {
    let due = Due::at(time::now(home), &home.config().rollouts)?;
    State::of(home)?.read(|connection| due.count(connection))
}

/// Runs `body` as the owner of a claim. Without one, nothing is created or written.
fn owner<T>(
    home: &Home,
    id: &str,
    token: &str,
    body: impl FnOnce(&Connection, &ThreadRow, &Job, i64) -> Result<T, Failure>,
) -> Result<T> {
    let id = admit_thread_id(home, "threadId", id)?;
    let id = id.as_str();
    let now = time::now(home);
    let state = State::of(home)?;
    let unclaimed = || jobs::lost(Subject::Thread(0, id), jobs::NO_CLAIM);
    if !state.exists() {
        return Err(unclaimed());
    }
    state.write(|transaction| {
        let thread = ThreadRow::find(transaction, id)?.ok_or_else(unclaimed)?;
        let job = jobs::owned(transaction, thread.subject(), token, now)?;
        body(transaction, &thread, &job, now)
    })
}
