//! Stage 1: which threads are due, who extracts their memory, and what came of it.

use schemars::JsonSchema;
use serde::Serialize;

use super::database::State;
use super::job::{self, Claim, Failed, IS_CLAIMED, IS_WAITING, Job, Subject};
use super::output::{self, Stage1Output};
use super::thread::{Mode, ThreadRow, admit_thread_id};
use super::time;
use crate::disk::Stored;
use crate::error::{Error, Result};
use crate::home::{Home, RolloutsConfig};
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::{Connection, Row, named_params, params};

/// A thread that a worker may work on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Stage1Claims {
    /// The threads that were claimed, the newest first.
    pub claims: Vec<Stage1Claim>,
}

/// What a completed claim left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "CompletedStage1")]
#[non_exhaustive]
pub struct Completed {
    /// Whether the output was stored: false if it is empty, or older than what is stored.
    pub stored: bool,
}

/// What a failed attempt left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FailedJob")]
#[non_exhaustive]
pub struct FailedJob {
    /// How many attempts are left before the input changes.
    pub retries_left: u32,
    /// When the next one may begin; null if none is left.
    pub retry_at: Option<String>,
}

impl From<Failed> for FailedJob {
    fn from(failed: Failed) -> Self {
        FailedJob { retries_left: failed.retries_left, retry_at: job::time_text(failed.retry_at) }
    }
}

/// SQL: whether a thread is due. Needs the parameters of [`Due`].
fn is_due() -> String {
    format!(
        "updated_at BETWEEN :oldest AND :newest AND {IS_OPEN}
         AND source IN (SELECT value FROM json_each(:sources)) AND id NOT IN (SELECT value FROM json_each(:excluded))
         AND (status IS NULL OR (NOT {IS_CLAIMED}
             AND (input_watermark < updated_at OR (attempts < :attempts AND NOT {IS_WAITING}))))"
    )
}

/// SQL: whether something of a thread may still have to be extracted, now or later. Begins with the condition of the index
/// `thread_open`.
pub(super) const IS_OPEN: &str =
    "is_archived = 0 AND is_missing = 0 AND mode = 'enabled' AND ifnull(success_watermark < updated_at, 1)
     AND ifnull(settled_at < updated_at, 1)";

/// A thread that is due.
struct DueThread {
    number: i64,
    id: String,
    updated_at: i64,
    rollout_path: String,
}

fn json_list<T: Serialize>(list: &[T]) -> Result<String> {
    serde_json::to_string(list).map_err(|cause| Error::internal("a list of texts is not JSON").because(cause))
}

/// What decides whether a thread is due, besides the database.
pub(super) struct Due {
    now: i64,
    oldest: i64,
    newest: i64,
    attempts: u32,
    sources: String,
    excluded: String,
}

impl Due {
    /// Now, without the threads `excluded`.
    pub(super) fn new(config: &RolloutsConfig, now: i64, excluded: &[&str]) -> Result<Self> {
        let sources = json_list(&config.interactive_sources)?;
        let (oldest, newest) = (now.saturating_sub(config.max_age), now.saturating_sub(config.min_idle));
        Ok(Due { now, oldest, newest, attempts: config.attempts, sources, excluded: json_list(excluded)? })
    }

    /// The threads that are due, the newest first, at most `limit`.
    fn threads(&self, connection: &Connection, limit: u32) -> Result<Vec<DueThread>, Failure> {
        let sql = format!(
            "SELECT number, id, updated_at, rollout_path FROM thread WHERE {}
             ORDER BY updated_at DESC, id DESC LIMIT :limit",
            is_due()
        );
        let read = |row: &Row<'_>| {
            Ok(DueThread { number: row.get(0)?, id: row.get(1)?, updated_at: row.get(2)?, rollout_path: row.get(3)? })
        };
        let mut query = connection.prepare_cached(&sql)?;
        let rows = query.query_map(
            named_params! {
                ":now": self.now, ":oldest": self.oldest, ":newest": self.newest, ":attempts": self.attempts,
                ":sources": self.sources, ":excluded": self.excluded, ":limit": limit,
            },
            read,
        )?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The sources of threads that are extracted, as a JSON list.
    pub(super) fn sources(&self) -> &str {
        &self.sources
    }

    /// The number of threads that are due.
    pub(super) fn count(&self, connection: &Connection) -> Result<u32, Failure> {
        let sql = format!("SELECT count(*) FROM thread WHERE {}", is_due());
        let mut query = connection.prepare_cached(&sql)?;
        let count = query.query_row(
            named_params! {
                ":now": self.now, ":oldest": self.oldest, ":newest": self.newest, ":attempts": self.attempts,
                ":sources": self.sources, ":excluded": self.excluded,
            },
            |row| row.get(0),
        )?;
        Ok(count)
    }
}

/// Claims up to `limit` threads that are due.
pub(super) fn claim(home: &Home, worker: &str, limit: Option<u32>, excluded: &[&str]) -> Result<Stage1Claims> {
    let config = &home.config().rollouts;
    let worker = home.redactor().admit_id("workerId", worker)?;
    let now = time::now(home);
    let due = Due::new(config, now, excluded)?;
    let state = State::of(home)?;
    // Nothing is created to find that nothing is registered.
    if !state.exists() {
        return Ok(Stage1Claims { claims: Vec::new() });
    }
    let lease_until = job::lease_until(now, config.lease);
    let claims = state.write(|transaction| {
        let free = config.max_running.saturating_sub(job::running(transaction, now)?);
        let found = match free.min(limit.unwrap_or(u32::MAX)) {
            0 => Vec::new(),
            most => due.threads(transaction, most)?,
        };
        let mut claims = Vec::new();
        for DueThread { number, id, updated_at, rollout_path } in found {
            let token = home.new_id();
            job::claim(
                transaction,
                &Claim {
                    subject: Subject::Thread(number, &id),
                    worker_id: worker.as_str(),
                    token: token.as_str(),
                    now,
                    lease_until,
                    watermark: updated_at,
                },
            )?;
            claims.push(Stage1Claim {
                thread_id: id,
                ownership_token: token.as_str().to_owned(),
                lease_until: time::text(lease_until),
                source_updated_at: time::text(updated_at),
                rollout_path,
            });
        }
        Ok(claims)
    })?;
    Ok(Stage1Claims { claims })
}

/// Stores what a model made of a claimed thread.
pub(super) fn complete(home: &Home, id: &str, token: &str, output: &Stored<Stage1Output>) -> Result<Completed> {
    let now = time::now(home);
    owner(home, id, token, now, |transaction, thread, job| {
        // Its mode changed since it was claimed. It is due again if that is undone.
        if thread.mode != Mode::Enabled {
            job::release(transaction, thread.subject())?;
            return Ok(Completed { stored: false });
        }
        let source = job.claimed_watermark.unwrap_or(job.input_watermark);
        job::succeed(transaction, thread.subject(), now, source)?;
        let changed = match output.is_empty() {
            true => output::remove(transaction, thread)?.is_some(),
            false => output::store(transaction, thread, source, now, output)?,
        };
        if changed {
            job::enqueue_consolidation(transaction, source)?;
        }
        Ok(Completed { stored: changed && !output.is_empty() })
    })
}

/// Records that the work on a claimed thread failed.
pub(super) fn fail(
    home: &Home,
    id: &str,
    token: &str,
    reason: &str,
    retry_after_secs: Option<u32>,
) -> Result<FailedJob> {
    let config = &home.config().rollouts;
    let reason = home.redact("reason", reason);
    let now = time::now(home);
    let times = (now, job::retry_at(now, config.retry_delay, retry_after_secs));
    owner(home, id, token, now, |transaction, thread, job| {
        let retries_left = job.retries_left(thread.updated_at, config.attempts);
        job::fail(transaction, thread.subject(), times, retries_left, short(&reason)).map(Into::into)
    })
}

/// The longest reason of a failure that is kept, in bytes.
const MAX_REASON_BYTES: usize = 2_000;

/// The beginning of a reason.
pub(super) fn short(reason: &str) -> &str {
    &reason[..reason.floor_char_boundary(MAX_REASON_BYTES)]
}

/// Gives a claimed thread back that was not worked on: the attempt is not spent.
pub(super) fn release(home: &Home, id: &str, token: &str) -> Result<()> {
    owner(home, id, token, time::now(home), |transaction, thread, _| job::release(transaction, thread.subject()))
}

/// Gives a claimed thread back whose transcript is gone: it is due again when it is found again.
pub(super) fn release_missing(home: &Home, id: &str, token: &str, path: &str) -> Result<()> {
    owner(home, id, token, time::now(home), |transaction, thread, _| {
        job::release(transaction, thread.subject())?;
        // Another one may have been registered since the claim.
        transaction
            .prepare_cached("UPDATE thread SET is_missing = 1 WHERE number = ?1 AND rollout_path = ?2")?
            .execute(params![thread.number, path])?;
        // If it comes back as it was, a scan registers it all the same.
        transaction.prepare_cached("UPDATE transcript SET modified = 0 WHERE path = ?1")?.execute([path])?;
        Ok(())
    })
}

/// The number of threads that are due, at most as many as may be worked on.
pub(super) fn count_due(home: &Home) -> Result<u32> {
    let due = Due::new(&home.config().rollouts, time::now(home), &[])?;
    State::of(home)?.read(|connection| due.count(connection))
}

/// Renews the lease of a claimed thread.
pub(super) fn heartbeat(home: &Home, id: &str, token: &str) -> Result<i64> {
    let config = &home.config().rollouts;
    let now = time::now(home);
    owner(home, id, token, now, |transaction, thread, job| {
        // Another worker may have got the slot of a lease that had run out.
        if !job.is_claimed && job::running(transaction, now)? >= config.max_running {
            return Err(job::lost(thread.subject(), "the lease ran out and its slot was given away").into());
        }
        let until = job::lease_until(now, config.lease);
        job::renew(transaction, thread.subject(), now, until)?;
        Ok(until)
    })
}

/// Runs `body` as the owner of a claim. Without one, nothing is created or written.
fn owner<T>(
    home: &Home,
    id: &str,
    token: &str,
    now: i64,
    body: impl FnOnce(&Connection, &ThreadRow, &Job) -> Result<T, Failure>,
) -> Result<T> {
    let id = admit_thread_id(home, "threadId", id)?;
    let id = id.as_str();
    let state = State::of(home)?;
    let unclaimed = || job::lost(Subject::Thread(0, id), job::NO_CLAIM);
    if !state.exists() {
        return Err(unclaimed());
    }
    state.write(|transaction| {
        let (thread, job) = ThreadRow::find_with_job(transaction, id, now)?.ok_or_else(unclaimed)?;
        let job = job::of_owner(job, thread.subject(), token)?;
        body(transaction, &thread, &job)
    })
}
