//! Jobs: who works on what until when, and how often it may be tried again.
//!
//! A claim spends an attempt, so a crashed worker also uses one up. While its lease runs, nothing else can claim the
//! job; afterwards anyone may. Each write of a worker names the token of its claim, and nothing is written once another
//! claim replaced it.

use super::time;
use crate::error::{Error, ErrorKind, Result};
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::{Connection, OptionalExtension as _, Row, named_params, params};

/// The key of the one consolidation.
pub(super) const GLOBAL: &str = "global";

/// What a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Extracts the memory of a thread, whose id is the key.
    Stage1,
    /// Consolidates the memory of all threads.
    Consolidation,
}

impl Kind {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Kind::Stage1 => "memory_stage1",
            Kind::Consolidation => "memory_consolidate_global",
        }
    }
}

/// Whether the lease of a running job, or the wait of a failed one, is not over: `:now` is before its end, and not so long
/// before its start that the clock must have jumped back.
macro_rules! lasts {
    ($from:literal, $until:literal) => {
        concat!("(", $until, " > :now AND :now >= 2 * ", $from, " - ", $until, ")")
    };
}

/// SQL: whether a job is claimed and its lease is not over. Needs `:now`.
pub(super) const IS_CLAIMED: &str =
    concat!("(job.status = 'running' AND ", lasts!("job.renewed_at", "job.lease_until"), ")");
/// SQL: whether a job waits after a failure. Needs `:now`.
pub(super) const IS_WAITING: &str =
    concat!("(job.retry_at IS NOT NULL AND ", lasts!("job.finished_at", "job.retry_at"), ")");

/// A job as stored.
#[derive(Debug, Clone)]
pub(super) struct Job {
    pub(super) status: String,
    pub(super) worker_id: Option<String>,
    pub(super) token: Option<String>,
    pub(super) started_at: Option<i64>,
    pub(super) lease_until: Option<i64>,
    pub(super) finished_at: Option<i64>,
    pub(super) retry_at: Option<i64>,
    pub(super) attempts: u32,
    pub(super) last_error: Option<String>,
    pub(super) input_watermark: i64,
    pub(super) claimed_watermark: Option<i64>,
    pub(super) success_watermark: Option<i64>,
    /// Whether it is claimed and the lease is not over.
    pub(super) is_claimed: bool,
    /// Whether it waits after a failure.
    pub(super) is_waiting: bool,
}

impl Job {
    /// The job of this kind with this key.
    pub(super) fn find(connection: &Connection, kind: Kind, key: &str, now: i64) -> Result<Option<Self>, Failure> {
        let sql = format!(
            "SELECT status, worker_id, ownership_token, started_at, lease_until, finished_at, retry_at, attempts, last_error,
                 input_watermark, claimed_watermark, success_watermark, ifnull({IS_CLAIMED}, 0), ifnull({IS_WAITING}, 0)
             FROM job WHERE kind = :kind AND key = :key"
        );
        let read = |row: &Row<'_>| {
            Ok(Job {
                status: row.get(0)?,
                worker_id: row.get(1)?,
                token: row.get(2)?,
                started_at: row.get(3)?,
                lease_until: row.get(4)?,
                finished_at: row.get(5)?,
                retry_at: row.get(6)?,
                attempts: row.get(7)?,
                last_error: row.get(8)?,
                input_watermark: row.get(9)?,
                claimed_watermark: row.get(10)?,
                success_watermark: row.get(11)?,
                is_claimed: row.get(12)?,
                is_waiting: row.get(13)?,
            })
        };
        let mut query = connection.prepare_cached(&sql)?;
        Ok(query.query_row(named_params! { ":kind": kind.as_str(), ":key": key, ":now": now }, read).optional()?)
    }

    /// Whether all attempts for its input are spent.
    pub(super) fn is_exhausted(&self, attempts: u32) -> bool {
        self.attempts >= attempts && self.claimed_watermark.is_some_and(|claimed| claimed >= self.input_watermark)
    }
}

/// A claim to record.
pub(super) struct Claim<'c> {
    pub(super) kind: Kind,
    pub(super) key: &'c str,
    pub(super) worker_id: &'c str,
    pub(super) token: &'c str,
    pub(super) now: i64,
    pub(super) lease_until: i64,
    pub(super) watermark: i64,
}

/// Records a claim. It spends one of the attempts, which are refilled if the input is newer than that of the claim before.
pub(super) fn claim(connection: &Connection, claim: &Claim<'_>) -> Result<(), Failure> {
    connection
        .prepare_cached(
            "INSERT INTO job (kind, key, status, worker_id, ownership_token, started_at, renewed_at, lease_until, attempts,
                 input_watermark, claimed_watermark)
             VALUES (:kind, :key, 'running', :worker, :token, :now, :now, :until, 1, :watermark, :watermark)
             ON CONFLICT (kind, key) DO UPDATE SET status = 'running', worker_id = :worker, ownership_token = :token,
                 started_at = :now, renewed_at = :now, lease_until = :until, finished_at = NULL, retry_at = NULL,
                 attempts = iif(ifnull(claimed_watermark < :watermark, 1), 0, attempts) + 1,
                 input_watermark = max(input_watermark, :watermark), claimed_watermark = :watermark",
        )?
        .execute(named_params! {
            ":kind": claim.kind.as_str(), ":key": claim.key, ":worker": claim.worker_id, ":token": claim.token,
            ":now": claim.now, ":until": claim.lease_until, ":watermark": claim.watermark,
        })?;
    Ok(())
}

/// The job that was claimed with this token.
///
/// # Errors
/// `LeaseLost` if the claim ended, or another one replaced it.
pub(super) fn owned(connection: &Connection, kind: Kind, key: &str, token: &str, now: i64) -> Result<Job, Failure> {
    let job = Job::find(connection, kind, key, now)?;
    let is_owner = |job: &Job| job.status == "running" && job.token.as_deref() == Some(token);
    let why = match &job {
        Some(job) if is_owner(job) => "",
        Some(job) if job.status == "running" => "another worker has claimed it since",
        Some(_) => "the claim was completed or failed before",
        None => "there is no such claim",
    };
    job.filter(is_owner).ok_or_else(|| lost(kind, key, why).into())
}

/// The error for a worker that owns nothing.
pub(super) fn lost(kind: Kind, key: &str, why: &str) -> Error {
    let what = match kind {
        Kind::Stage1 => format!("the claim of the thread {key}"),
        Kind::Consolidation => "the claim of the consolidation".to_owned(),
    };
    let message = format!("{what} does not belong to this ownershipToken: {why}; nothing was written; drop this work");
    let error = Error::new(ErrorKind::LeaseLost, message);
    if kind == Kind::Stage1 { error.about(key) } else { error }
}

/// Makes the lease of an owned job last until `until`.
pub(super) fn renew(connection: &Connection, kind: Kind, key: &str, now: i64, until: i64) -> Result<(), Failure> {
    connection
        .prepare_cached("UPDATE job SET renewed_at = ?3, lease_until = ?4 WHERE kind = ?1 AND key = ?2")?
        .execute(params![kind.as_str(), key, now, until])?;
    Ok(())
}

/// Ends an owned job with success.
pub(super) fn succeed(connection: &Connection, kind: Kind, key: &str, now: i64, watermark: i64) -> Result<(), Failure> {
    connection
        .prepare_cached(
            "UPDATE job SET status = 'done', ownership_token = NULL, lease_until = NULL, finished_at = ?3, retry_at = NULL,
                 attempts = 0, last_error = NULL, success_watermark = ?4 WHERE kind = ?1 AND key = ?2",
        )?
        .execute(params![kind.as_str(), key, now, watermark])?;
    Ok(())
}

/// Ends an owned job as if it had not been claimed: the attempt is not spent.
pub(super) fn release(connection: &Connection, kind: Kind, key: &str) -> Result<(), Failure> {
    connection
        .prepare_cached(
            "UPDATE job SET status = 'pending', ownership_token = NULL, lease_until = NULL, attempts = max(attempts - 1, 0)
             WHERE kind = ?1 AND key = ?2",
        )?
        .execute([kind.as_str(), key])?;
    Ok(())
}

/// The result of a failed attempt.
#[derive(Debug, Clone)]
pub(super) struct Failed {
    pub(super) retries_left: u32,
    pub(super) retry_at: Option<i64>,
}

/// Ends an owned job with a failure, for a reason without secrets.
pub(super) fn fail(
    connection: &Connection,
    kind: Kind,
    key: &str,
    job: &Job,
    times: (i64, i64),
    attempts: u32,
    reason: &str,
) -> Result<Failed, Failure> {
    let (now, retry_at) = times;
    connection
        .prepare_cached(
            "UPDATE job SET status = 'failed', ownership_token = NULL, lease_until = NULL, finished_at = ?3, retry_at = ?4,
                 last_error = ?5 WHERE kind = ?1 AND key = ?2",
        )?
        .execute(params![kind.as_str(), key, now, retry_at, reason])?;
    // What changed meanwhile has refilled them.
    let is_refilled = job.claimed_watermark.is_some_and(|claimed| claimed < job.input_watermark);
    let retries_left = if is_refilled { attempts } else { attempts.saturating_sub(job.attempts) };
    Ok(Failed { retries_left, retry_at: (retries_left > 0).then_some(retry_at) })
}

/// Makes the consolidation due: its input is newer than before, even if this part of it is older.
pub(super) fn enqueue_consolidation(connection: &Connection, watermark: i64) -> Result<(), Failure> {
    connection
        .prepare_cached(
            "INSERT INTO job (kind, key, status, attempts, input_watermark) VALUES (?1, ?2, 'pending', 0, ?3)
             ON CONFLICT (kind, key) DO UPDATE SET status = iif(status = 'done', 'pending', status),
                 input_watermark = iif(?3 > input_watermark, ?3, input_watermark + 1)",
        )?
        .execute(params![Kind::Consolidation.as_str(), GLOBAL, watermark])?;
    Ok(())
}

/// The number of claimed jobs of a kind whose lease is not over.
pub(super) fn running(connection: &Connection, kind: Kind, now: i64) -> Result<u32, Failure> {
    let sql = format!(
        "SELECT count(*) FROM job WHERE kind = :kind AND status = 'running' AND lease_until > :now AND {IS_CLAIMED}"
    );
    let mut query = connection.prepare_cached(&sql)?;
    Ok(query.query_row(named_params! { ":kind": kind.as_str(), ":now": now }, |row| row.get(0))?)
}

/// The end of a lease that begins now.
pub(super) fn lease_until(now: i64, lease: i64) -> i64 {
    now.saturating_add(lease)
}

/// When a job that fails now is tried again.
pub(super) fn retry_at(now: i64, delay: i64, asked_secs: Option<u32>) -> i64 {
    now.saturating_add(asked_secs.map_or(delay, |seconds| i64::from(seconds) * 1_000))
}

/// A time as text, if there is one.
pub(super) fn time_text(at: Option<i64>) -> Option<String> {
    at.map(time::text)
}
