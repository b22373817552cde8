//! Jobs: who works on what until when, and how often it may be tried again.
//!
//! A claim spends an attempt, so a crashed worker also uses one up. While its lease runs, nothing else can claim the
//! job; afterwards anyone may. Each write of a worker names the token of its claim, and nothing is written once another
//! claim replaced it.

use super::time;
use crate::error::{Error, ErrorKind, Result};
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::{Connection, OptionalExtension as _, Row, ToSql, named_params, params};

/// What a job works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject<'s> {
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

/// Whether the lease of a running job, or the wait of a failed one, is not over: `:now` is before its end, and not so long
/// before its start that the clock must have jumped back.
macro_rules! lasts {
    ($from:literal, $until:literal) => {
        concat!("(", $until, " > :now AND :now >= 2 * ", $from, " - ", $until, ")")
    };
}

/// SQL: whether a job is claimed and its lease is not over. Needs `:now`.
pub(super) const IS_CLAIMED: &str = concat!("(status = 'running' AND ", lasts!("renewed_at", "lease_until"), ")");
/// SQL: whether a job waits after a failure. Needs `:now`.
pub(super) const IS_WAITING: &str = concat!("(retry_at IS NOT NULL AND ", lasts!("finished_at", "retry_at"), ")");

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
    /// The job that works on this; `None` if there never was anything to do.
    pub(super) fn find(connection: &Connection, subject: Subject<'_>, now: i64) -> Result<Option<Self>, Failure> {
        let sql = format!("SELECT {} FROM {} WHERE number = :number", Job::columns(), subject.table());
        let mut query = connection.prepare_cached(&sql)?;
        let values = named_params! { ":number": subject.number(), ":now": now };
        Ok(query.query_row(values, |row| Job::read(row, 0)).optional()?.flatten())
    }

    /// SQL: the columns of a job. Needs `:now`.
    pub(super) fn columns() -> String {
        format!(
            "status, worker_id, ownership_token, started_at, lease_until, finished_at, retry_at, attempts, last_error,
             input_watermark, claimed_watermark, success_watermark, ifnull({IS_CLAIMED}, 0), ifnull({IS_WAITING}, 0)"
        )
    }

    /// Reads the columns, of which the first is number `at`; `None` if the job was never due or claimed.
    pub(super) fn read(row: &Row<'_>, at: usize) -> Result<Option<Self>, crate::sqlite::rusqlite::Error> {
        let Some(status) = row.get(at)? else { return Ok(None) };
        Ok(Some(Job {
            status,
            worker_id: row.get(at + 1)?,
            token: row.get(at + 2)?,
            started_at: row.get(at + 3)?,
            lease_until: row.get(at + 4)?,
            finished_at: row.get(at + 5)?,
            retry_at: row.get(at + 6)?,
            attempts: row.get(at + 7)?,
            last_error: row.get(at + 8)?,
            input_watermark: row.get(at + 9)?,
            claimed_watermark: row.get(at + 10)?,
            success_watermark: row.get(at + 11)?,
            is_claimed: row.get(at + 12)?,
            is_waiting: row.get(at + 13)?,
        }))
    }

    /// How many attempts are left before the input changes, which changed last at `newest`.
    pub(super) fn retries_left(&self, newest: i64, attempts: u32) -> u32 {
        match self.claimed_watermark {
            // What changed since the claim has refilled them.
            Some(claimed) if claimed < newest => attempts,
            _ => attempts.saturating_sub(self.attempts),
        }
    }

    /// Whether all attempts for its input are spent.
    pub(super) fn is_exhausted(&self, attempts: u32) -> bool {
        self.attempts >= attempts && self.claimed_watermark.is_some_and(|claimed| claimed >= self.input_watermark)
    }
}

/// A claim to record.
pub(super) struct Claim<'c> {
    pub(super) subject: Subject<'c>,
    pub(super) worker_id: &'c str,
    pub(super) token: &'c str,
    pub(super) now: i64,
    pub(super) lease_until: i64,
    pub(super) watermark: i64,
}

/// Records a claim. It spends one of the attempts, which are refilled if the input is newer than that of the claim before.
pub(super) fn claim(connection: &Connection, claim: &Claim<'_>) -> Result<(), Failure> {
    let sql = format!(
        "UPDATE {} SET status = 'running', worker_id = :worker, ownership_token = :token, started_at = :now, renewed_at = :now,
             lease_until = :until, finished_at = NULL, retry_at = NULL,
             attempts = iif(ifnull(claimed_watermark < :watermark, 1), 0, attempts) + 1,
             input_watermark = max(ifnull(input_watermark, :watermark), :watermark), claimed_watermark = :watermark
         WHERE number = :number",
        claim.subject.table()
    );
    connection.prepare_cached(&sql)?.execute(named_params! {
        ":number": claim.subject.number(), ":worker": claim.worker_id, ":token": claim.token, ":now": claim.now,
        ":until": claim.lease_until, ":watermark": claim.watermark,
    })?;
    Ok(())
}

/// The job that was claimed with this token.
///
/// # Errors
/// `LeaseLost` if the claim ended, or another one replaced it.
pub(super) fn owned(connection: &Connection, subject: Subject<'_>, token: &str, now: i64) -> Result<Job, Failure> {
    Ok(of_owner(Job::find(connection, subject, now)?, subject, token)?)
}

/// This job, if it was claimed with this token.
///
/// # Errors
/// As [`owned`].
pub(super) fn of_owner(job: Option<Job>, subject: Subject<'_>, token: &str) -> Result<Job> {
    let is_owner = |job: &Job| job.status == "running" && job.token.as_deref() == Some(token);
    let why = match &job {
        Some(job) if is_owner(job) => "",
        Some(job) if job.status == "running" => "another worker has claimed it since",
        Some(_) => "the claim has ended",
        None => NO_CLAIM,
    };
    job.filter(is_owner).ok_or_else(|| lost(subject, why))
}

/// Why a token owns nothing, if nothing was claimed.
pub(super) const NO_CLAIM: &str = "there is no such claim";

/// The error for a worker that owns nothing.
pub(super) fn lost(subject: Subject<'_>, why: &str) -> Error {
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
    connection.prepare_cached(&sql)?.execute(values.as_slice())?;
    Ok(())
}

/// Makes the lease of an owned job last until `until`.
pub(super) fn renew(connection: &Connection, subject: Subject<'_>, now: i64, until: i64) -> Result<(), Failure> {
    let assignments = "renewed_at = :now, lease_until = :until";
    update(connection, subject, assignments, &[(":now", &now), (":until", &until)])
}

/// Ends an owned job with success.
pub(super) fn succeed(connection: &Connection, subject: Subject<'_>, now: i64, watermark: i64) -> Result<(), Failure> {
    let assignments =
        "status = 'done', ownership_token = NULL, lease_until = NULL, finished_at = :now, retry_at = NULL,
        attempts = 0, last_error = NULL, success_watermark = :watermark";
    update(connection, subject, assignments, &[(":now", &now), (":watermark", &watermark)])
}

/// Ends an owned job as if it had not been claimed: the attempt is not spent.
pub(super) fn release(connection: &Connection, subject: Subject<'_>) -> Result<(), Failure> {
    let assignments =
        "status = 'pending', worker_id = NULL, ownership_token = NULL, started_at = NULL, lease_until = NULL,
        attempts = max(attempts - 1, 0)";
    update(connection, subject, assignments, &[])
}

/// Refills the attempts of a job that failed, or whose worker did not come back, and ends its wait. Returns whether it was
/// such a job.
pub(super) fn refill(connection: &Connection, subject: Subject<'_>, now: i64) -> Result<bool, Failure> {
    let sql = format!(
        "UPDATE {} SET status = 'pending', ownership_token = NULL, lease_until = NULL, retry_at = NULL, attempts = 0
         WHERE number = :number AND (status = 'failed' OR status = 'running' AND NOT {IS_CLAIMED})",
        subject.table()
    );
    let values = named_params! { ":number": subject.number(), ":now": now };
    Ok(connection.prepare_cached(&sql)?.execute(values)? > 0)
}

/// The result of a failed attempt.
#[derive(Debug, Clone)]
pub(super) struct Failed {
    pub(super) retries_left: u32,
    pub(super) retry_at: Option<i64>,
}

/// Ends an owned job with a failure, for a reason without secrets. `times` are now and when it is tried again.
pub(super) fn fail(
    connection: &Connection,
    subject: Subject<'_>,
    times: (i64, i64),
    retries_left: u32,
    reason: &str,
) -> Result<Failed, Failure> {
    let (now, retry_at) = times;
    let assignments =
        "status = 'failed', ownership_token = NULL, lease_until = NULL, finished_at = :now, retry_at = :retry,
        last_error = :reason";
    update(connection, subject, assignments, &[(":now", &now), (":retry", &retry_at), (":reason", &reason)])?;
    Ok(Failed { retries_left, retry_at: (retries_left > 0).then_some(retry_at) })
}

/// Makes the consolidation due: its input is newer than before, even if this part of it is older.
pub(super) fn enqueue_consolidation(connection: &Connection, watermark: i64) -> Result<(), Failure> {
    connection
        .prepare_cached(
            "INSERT INTO consolidation (number, status, input_watermark) VALUES (?1, 'pending', ?2)
             ON CONFLICT (number) DO UPDATE SET status = iif(status = 'done', 'pending', status),
                 input_watermark = iif(?2 > input_watermark, ?2, input_watermark + 1)",
        )?
        .execute(params![Subject::All.number(), watermark])?;
    Ok(())
}

/// The number of claimed threads whose lease is not over.
pub(super) fn running(connection: &Connection, now: i64) -> Result<u32, Failure> {
    let sql = format!("SELECT count(*) FROM thread WHERE status = 'running' AND lease_until > :now AND {IS_CLAIMED}");
    let mut query = connection.prepare_cached(&sql)?;
    Ok(query.query_row(named_params! { ":now": now }, |row| row.get(0))?)
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
