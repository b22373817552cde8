//! Jobs: who works on what until when, and how often it may be tried again.
//!
//! A claim spends an attempt, so a crashed worker also uses one up. While its lease runs, nothing else can claim the
//! job; afterwards anyone may. Each write of a worker names the token of its claim, and nothing is written once another
//! claim replaced it.

pub(crate) mod answer;
pub(crate) mod due;
pub(crate) mod input;
pub(crate) mod output;
mod retry;
pub(crate) mod stage1;
mod status;

pub use due::{Explanation, JobState, Listed, ListedThread, Reason};
pub use input::Input;
pub use output::{Answer, Stage1Output, StoredOutput};
pub use retry::Retried;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
pub use stage1::{Completed, Stage1Claim, Stage1Claims, Work};
pub use status::{ConsolidationState, JobCounts, Status, ThreadCounts};

use super::database::{execute, find, first, row};
use super::time;
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::safety::beginning;
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::{Connection, ToSql, named_params};

/// The subject of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject<'s> {
    /// A thread, whose memory is extracted: the number of its row, and its id.
    Thread(i64, &'s str),
    /// The memory of all threads, which is consolidated.
    All,
}

impl Subject<'_> {
    /// The table that has the job.
    const fn table(self) -> &'static str {
        match self {
            Subject::Thread(..) => "thread",
            Subject::All => "consolidation",
        }
    }

    /// The number of its row.
    const fn number(self) -> i64 {
        match self {
            Subject::Thread(number, _) => number,
            Subject::All => 1,
        }
    }
}

/// True if the lease of a running job, or the wait of a failed one, is not over: `:now` is before its end, and not so long
/// before its start that the clock must have jumped back.
macro_rules! lasts {
    ($from:literal, $until:literal) => {
        concat!("(", $until, " > :now AND :now >= 2 * ", $from, " - ", $until, ")")
    };
}

/// SQL: whether a job is claimed and its lease is not over. Needs `:now`.
pub(crate) const IS_CLAIMED: &str =
    concat!("ifnull(status = 'running' AND ", lasts!("renewed_at", "lease_until"), ", 0)");
/// SQL: whether a job waits after a failure. Needs `:now`.
pub(crate) const IS_WAITING: &str = concat!("ifnull(", lasts!("finished_at", "retry_at"), ", 0)");

row! {
    /// A job as stored.
    #[derive(Debug, Clone)]
    struct Job {
        /// `None` if it was never due or claimed.
        status: Option<String> = "status",
        worker_id: Option<String> = "worker_id",
        token: Option<String> = "ownership_token",
        started_at: Option<i64> = "started_at",
        lease_until: Option<i64> = "lease_until",
        finished_at: Option<i64> = "finished_at",
        retry_at: Option<i64> = "retry_at",
        attempts: u32 = "attempts",
        last_error: Option<String> = "last_error",
        input_watermark: i64 = "ifnull(input_watermark, 0)",
        claimed_watermark: Option<i64> = "claimed_watermark",
        success_watermark: Option<i64> = "success_watermark",
        is_claimed: bool = IS_CLAIMED,
        is_waiting: bool = IS_WAITING,
    }
}

impl Job {
    /// The job that works on this; `None` if there never was anything to do.
    pub(crate) fn find(connection: &Connection, subject: Subject<'_>, now: i64) -> Result<Option<Self>, Failure> {
        let sql = format!("SELECT {} FROM {} WHERE number = :number", Job::columns(), subject.table());
        let values = named_params! { ":number": subject.number(), ":now": now };
        Ok(find(connection, &sql, values, |row| Job::read(row, &mut 0))?.and_then(Job::if_any))
    }

    /// The job, unless it was never due or claimed.
    pub(crate) fn if_any(self) -> Option<Self> {
        self.status.is_some().then_some(self)
    }

    /// True if its status is `status`.
    pub(crate) fn is(&self, status: &str) -> bool {
        self.status.as_deref() == Some(status)
    }

    /// True if a worker claimed it and did not come back in time.
    pub(crate) fn is_stale(&self) -> bool {
        self.is("running") && !self.is_claimed
    }

    /// The number of attempts left before the input changes, which changed last at `newest`.
    pub(crate) fn retries_left(&self, newest: i64, attempts: u32) -> u32 {
        match self.claimed_watermark {
            // What changed since the claim has refilled them.
            Some(claimed) if claimed < newest => attempts,
            _ => attempts.saturating_sub(self.attempts),
        }
    }

    /// True if all attempts for its input are spent.
    pub(crate) fn is_exhausted(&self, attempts: u32) -> bool {
        self.attempts >= attempts && self.claimed_watermark.is_some_and(|claimed| claimed >= self.input_watermark)
    }
}

/// A claim that was recorded.
pub(crate) struct Claim {
    pub(crate) token: String,
    pub(crate) lease_until: i64,
}

/// Records a claim. It spends one of the attempts, which are refilled if the input is newer than that of the claim before.
pub(crate) fn claim(
    connection: &Connection,
    home: &Home,
    subject: Subject<'_>,
    worker: &str,
    now: i64,
    watermark: i64,
) -> Result<Claim, Failure> {
    let token = home.new_id().as_str().to_owned();
    let lease_until = lease_until(home, now);
    let sql = format!(
        "UPDATE {} SET status = 'running', worker_id = :worker, ownership_token = :token, started_at = :now, renewed_at = :now,
             lease_until = :until, finished_at = NULL, retry_at = NULL,
             attempts = iif(ifnull(claimed_watermark < :watermark, 1), 0, attempts) + 1,
             input_watermark = max(ifnull(input_watermark, :watermark), :watermark), claimed_watermark = :watermark
         WHERE number = :number",
        subject.table()
    );
    let values = named_params! {
        ":number": subject.number(), ":worker": worker, ":token": token, ":now": now, ":until": lease_until,
        ":watermark": watermark,
    };
    execute(connection, &sql, values)?;
    Ok(Claim { token, lease_until })
}

/// The job that was claimed with this token.
///
/// # Errors
/// `LeaseLost` if the claim ended, or another one replaced it.
pub(crate) fn owned(connection: &Connection, subject: Subject<'_>, token: &str, now: i64) -> Result<Job, Failure> {
    Ok(of_owner(Job::find(connection, subject, now)?, subject, token)?)
}

/// This job, if it was claimed with this token.
///
/// # Errors
/// As [`owned`].
pub(crate) fn of_owner(job: Option<Job>, subject: Subject<'_>, token: &str) -> Result<Job> {
    let is_owner = |job: &Job| job.is("running") && job.token.as_deref() == Some(token);
    let why = match &job {
        Some(job) if is_owner(job) => "",
        Some(job) if job.is("running") => "another worker has claimed it since",
        Some(_) => "the claim has ended",
        None => NO_CLAIM,
    };
    job.filter(is_owner).ok_or_else(|| lost(subject, why))
}

/// The reason for which a token owns nothing, if nothing was claimed.
pub(crate) const NO_CLAIM: &str = "there is no such claim";

/// The error for a worker that owns nothing.
pub(crate) fn lost(subject: Subject<'_>, why: &str) -> Error {
    let what = match subject {
        Subject::Thread(_, id) => format!("the claim of the thread {id}"),
        Subject::All => "the claim of the consolidation".to_owned(),
    };
    let message = format!("{what} does not belong to this ownershipToken: {why}; nothing was written; drop this work");
    let error = Error::new(ErrorKind::LeaseLost, message);
    match subject {
        Subject::Thread(_, id) => error.about(id),
        Subject::All => error,
    }
}

/// Changes the job that works on this.
fn update(
    connection: &Connection,
    subject: Subject<'_>,
    assignments: &str,
    values: &[(&str, &dyn ToSql)],
) -> Result<(), Failure> {
    let sql = format!("UPDATE {} SET {assignments} WHERE number = :number", subject.table());
    let number = subject.number();
    let values: Vec<_> = values.iter().copied().chain([(":number", &number as &dyn ToSql)]).collect();
    execute(connection, &sql, values.as_slice()).map(drop)
}

/// Renews the lease of an owned job, and returns its end.
pub(crate) fn renew(connection: &Connection, home: &Home, subject: Subject<'_>, now: i64) -> Result<i64, Failure> {
    let until = lease_until(home, now);
    let assignments = "renewed_at = :now, lease_until = :until";
    update(connection, subject, assignments, &[(":now", &now), (":until", &until)])?;
    Ok(until)
}

/// Ends an owned job with success.
pub(crate) fn succeed(connection: &Connection, subject: Subject<'_>, now: i64, watermark: i64) -> Result<(), Failure> {
    let assignments =
        "status = 'done', ownership_token = NULL, lease_until = NULL, finished_at = :now, retry_at = NULL,
        attempts = 0, last_error = NULL, success_watermark = :watermark";
    update(connection, subject, assignments, &[(":now", &now), (":watermark", &watermark)])
}

/// Ends an owned job as if it had not been claimed: the attempt is not spent.
pub(crate) fn release(connection: &Connection, subject: Subject<'_>) -> Result<(), Failure> {
    let assignments =
        "status = 'pending', worker_id = NULL, ownership_token = NULL, started_at = NULL, lease_until = NULL,
        attempts = max(attempts - 1, 0)";
    update(connection, subject, assignments, &[])
}

/// Refills the attempts of a job that failed, or whose worker did not come back, and ends its wait. Returns whether it was
/// such a job.
pub(crate) fn refill(connection: &Connection, subject: Subject<'_>, now: i64) -> Result<bool, Failure> {
    let sql = format!(
        "UPDATE {} SET status = 'pending', ownership_token = NULL, lease_until = NULL, retry_at = NULL, attempts = 0
         WHERE number = :number AND (status = 'failed' OR status = 'running' AND NOT {IS_CLAIMED})",
        subject.table()
    );
    let values = named_params! { ":number": subject.number(), ":now": now };
    Ok(execute(connection, &sql, values)? > 0)
}

/// The state after a failed attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "FailedJob")]
#[non_exhaustive]
pub struct FailedJob {
    /// The number of attempts left before the input changes.
    pub retries_left: u32,
    /// When the next one may begin; null if none is left.
    pub retry_at: Option<String>,
}

/// The reason and the time of a failed attempt.
pub(crate) struct Failed {
    /// Without secrets.
    reason: String,
    now: i64,
    retry_at: i64,
}

impl Failed {
    /// An attempt that fails now. It is tried again after `retry_after_secs`, by default as configured.
    pub(crate) fn now(home: &Home, reason: &str, retry_after_secs: Option<u32>) -> Self {
        let now = time::now(home);
        let delay = retry_after_secs.map_or(home.config().rollouts.retry_delay, |seconds| i64::from(seconds) * 1_000);
        let reason = short(&home.redact("reason", reason)).to_owned();
        Failed { reason, now, retry_at: now.saturating_add(delay) }
    }
}

/// The longest reason of a failure that is kept, in bytes.
const MAX_REASON_BYTES: usize = 2_000;

/// The beginning of a redacted reason.
pub(crate) fn short(reason: &str) -> &str {
    beginning(reason, MAX_REASON_BYTES)
}

/// Ends an owned job with a failure.
pub(crate) fn fail(
    connection: &Connection,
    subject: Subject<'_>,
    retries_left: u32,
    Failed { reason, now, retry_at }: &Failed,
) -> Result<FailedJob, Failure> {
    let assignments =
        "status = 'failed', ownership_token = NULL, lease_until = NULL, finished_at = :now, retry_at = :retry,
        last_error = :reason";
    update(connection, subject, assignments, &[(":now", now), (":retry", retry_at), (":reason", reason)])?;
    Ok(FailedJob { retries_left, retry_at: (retries_left > 0).then(|| time::text(*retry_at)) })
}

/// Makes the consolidation due: its input is newer than before, even if this part of it is older.
pub(crate) fn enqueue_consolidation(connection: &Connection, watermark: i64) -> Result<(), Failure> {
    let sql = "INSERT INTO consolidation (number, status, input_watermark) VALUES (?1, 'pending', ?2)
         ON CONFLICT (number) DO UPDATE SET status = iif(status = 'done', 'pending', status),
             input_watermark = iif(?2 > input_watermark, ?2, input_watermark + 1)";
    execute(connection, sql, (Subject::All.number(), watermark)).map(drop)
}

/// The number of claimed threads whose lease is not over.
pub(crate) fn running(connection: &Connection, now: i64) -> Result<u32, Failure> {
    let sql = format!("SELECT count(*) FROM thread WHERE status = 'running' AND lease_until > :now AND {IS_CLAIMED}");
    first(connection, &sql, named_params! { ":now": now })
}

/// The end of a lease that begins now.
fn lease_until(home: &Home, now: i64) -> i64 {
    now.saturating_add(home.config().rollouts.lease)
}
