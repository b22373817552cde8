//! Stage 1: which threads are due, who extracts their memory, and what came of it.

use schemars::JsonSchema;
use serde::Serialize;

use super::database::State;
use super::job::{self, Claim, Failed, IS_CLAIMED, IS_WAITING, Kind};
use super::output::{self, Stage1Output};
use super::thread::{Mode, ThreadRow, admit_thread_id};
use super::time;
use crate::disk::Stored;
use crate::error::{Error, Result};
use crate::home::{Home, RolloutsConfig};
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::{Connection, Row, named_params};

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
        "thread.updated_at BETWEEN :oldest AND :newest
         AND thread.is_archived = 0 AND thread.is_missing = 0 AND thread.mode = 'enabled'
         AND thread.source IN (SELECT value FROM json_each(:sources))
         AND thread.id NOT IN (SELECT value FROM json_each(:excluded))
         AND (thread.settled_at IS NULL OR thread.settled_at < thread.updated_at)
         AND (output.source_updated_at IS NULL OR output.source_updated_at < thread.updated_at)
         AND (job.success_watermark IS NULL OR job.success_watermark < thread.updated_at)
         AND (job.key IS NULL OR (NOT {IS_CLAIMED}
             AND (job.input_watermark < thread.updated_at OR (job.attempts < :attempts AND NOT {IS_WAITING}))))"
    )
}

/// SQL: the tables that decide whether a thread is due.
const FROM: &str = "thread
    LEFT JOIN job ON job.kind = 'memory_stage1' AND job.key = thread.id
    LEFT JOIN output ON output.thread_id = thread.id";

/// A thread that is due: its id, when it changed last, and its transcript.
type DueThread = (String, i64, String);

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
        self.select(connection, "", None, limit)
    }

    /// Those of `seen` that are still due, in the same order.
    fn still(&self, connection: &Connection, seen: &[DueThread]) -> Result<Vec<DueThread>, Failure> {
        let ids = seen.iter().map(|(id, ..)| id.as_str()).collect::<Vec<_>>();
        let ids = json_list(&ids)?;
        self.select(connection, "AND thread.id IN (SELECT value FROM json_each(:ids))", Some(&ids), u32::MAX)
    }

    fn select(
        &self,
        connection: &Connection,
        condition: &str,
        ids: Option<&str>,
        limit: u32,
    ) -> Result<Vec<DueThread>, Failure> {
        let sql = format!(
            "SELECT thread.id, thread.updated_at, thread.rollout_path FROM {FROM} WHERE {} {condition}
             ORDER BY thread.updated_at DESC, thread.id DESC LIMIT :limit",
            is_due()
        );
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        let mut query = connection.prepare_cached(&sql)?;
        let mut values = named_params! {
            ":now": self.now, ":oldest": self.oldest, ":newest": self.newest, ":attempts": self.attempts,
            ":sources": self.sources, ":excluded": self.excluded, ":limit": limit,
        }
        .to_vec();
        if let Some(ids) = &ids {
            values.push((":ids", ids));
        }
        let rows = query.query_map(values.as_slice(), read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The sources of threads that are extracted, as a JSON list.
    pub(super) fn sources(&self) -> &str {
        &self.sources
    }

    /// The number of threads that are due.
    pub(super) fn count(&self, connection: &Connection) -> Result<u32, Failure> {
        let sql = format!("SELECT count(*) FROM {FROM} WHERE {}", is_due());
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
    let free = |connection: &Connection| -> Result<u32, Failure> {
        let free = config.max_running.saturating_sub(job::running(connection, Kind::Stage1, now)?);
        Ok(free.min(limit.unwrap_or(u32::MAX)))
    };
    let state = State::of(home)?;
    // Most calls find nothing to do: that takes no exclusive lock, and creates no database.
    let seen = state.read(|connection| match free(connection)? {
        0 => Ok(Vec::new()),
        free => due.threads(connection, free),
    })?;
    if seen.is_empty() {
        return Ok(Stage1Claims { claims: Vec::new() });
    }
    let lease_until = job::lease_until(now, config.lease);
    let claims = state.write(|transaction| {
        let free = free(transaction)?;
        let mut found = due.still(transaction, &seen)?;
        if found.len() < seen.len() {
            // Another worker got some of them meanwhile.
            found = due.threads(transaction, free)?;
        }
        found.truncate(usize::try_from(free).unwrap_or(usize::MAX));
        let mut claims = Vec::new();
        for (id, updated_at, rollout_path) in found {
            let token = home.new_id();
            job::claim(
                transaction,
                &Claim {
                    kind: Kind::Stage1,
                    key: &id,
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
    let id = admit_thread_id(home, "threadId", id)?;
    let id = id.as_str();
    let now = time::now(home);
    owner(home, id, token, now, |transaction, job| {
        let source = job.claimed_watermark.unwrap_or(job.input_watermark);
        job::succeed(transaction, Kind::Stage1, id, now, source)?;
        // Its mode may have changed since it was claimed.
        let is_enabled = ThreadRow::find(transaction, id)?.is_some_and(|thread| thread.mode == Mode::Enabled);
        let changed = match (is_enabled, output.is_empty()) {
            (false, _) => false,
            (true, true) => output::remove(transaction, id)?.is_some(),
            (true, false) => output::store(transaction, id, source, now, output)?,
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
    let id = admit_thread_id(home, "threadId", id)?;
    let id = id.as_str();
    let config = &home.config().rollouts;
    let reason = home.redact("reason", reason);
    let now = time::now(home);
    let retry_at = job::retry_at(now, config.retry_delay, retry_after_secs);
    owner(home, id, token, now, |transaction, job| {
        job::fail(transaction, Kind::Stage1, id, job, (now, retry_at), config.attempts, short(&reason)).map(Into::into)
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
    let now = time::now(home);
    owner(home, id, token, now, |transaction, _| job::release(transaction, Kind::Stage1, id))
}

/// The number of threads that are due, at most as many as may be worked on.
pub(super) fn count_due(home: &Home) -> Result<u32> {
    let due = Due::new(&home.config().rollouts, time::now(home), &[])?;
    State::of(home)?.read(|connection| due.count(connection))
}

/// Renews the lease of a claimed thread.
pub(super) fn heartbeat(home: &Home, id: &str, token: &str) -> Result<i64> {
    let id = admit_thread_id(home, "threadId", id)?;
    let id = id.as_str();
    let config = &home.config().rollouts;
    let now = time::now(home);
    owner(home, id, token, now, |transaction, job| {
        // Another worker may have got the slot of a lease that had run out.
        if !job.is_claimed && job::running(transaction, Kind::Stage1, now)? >= config.max_running {
            return Err(job::lost(Kind::Stage1, id, "the lease ran out and its slot was given away").into());
        }
        let until = job::lease_until(now, config.lease);
        job::renew(transaction, Kind::Stage1, id, now, until)?;
        Ok(until)
    })
}

/// Runs `body` as the owner of a claim. Without one, nothing is created or written.
fn owner<T>(
    home: &Home,
    id: &str,
    token: &str,
    now: i64,
    body: impl FnOnce(&Connection, &job::Job) -> Result<T, Failure>,
) -> Result<T> {
    let state = State::of(home)?;
    if !state.exists() {
        return Err(job::lost(Kind::Stage1, id, "there is no such claim"));
    }
    state.write(|transaction| {
        let job = job::owned(transaction, Kind::Stage1, id, token, now)?;
        body(transaction, &job)
    })
}
