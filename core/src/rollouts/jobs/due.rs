//! Whether a thread is due, and why not: one list of conditions, which a claim requires and an explanation reports.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::output::{OutputRow, StoredOutput};
use super::{IS_CLAIMED, IS_WAITING, Job, running};
use crate::error::{Error, Result};
use crate::home::RolloutsConfig;
use crate::rollouts::database::{State, first, next};
use crate::rollouts::threads::{ThreadRow, admit_thread_id, is_forgotten};
use crate::rollouts::{Rollouts, time};
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::{Connection, Row, ToSql};

/// The reason for which a thread is or is not extracted.
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
    /// Its last change was extracted.
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

/// SQL: the conditions of a claim, in the order in which a user would ask, each with the reason if it does not hold. They
/// are never null, and include that of the index `thread_open`. Need the values of [`Due`].
fn conditions() -> [(Reason, String); 12] {
    const HAS_CHANGED: &str = "ifnull(input_watermark < updated_at, 1)";
    [
        (Reason::Running, format!("NOT {IS_CLAIMED}")),
        (Reason::Polluted, "mode <> 'polluted'".to_owned()),
        (Reason::Disabled, "mode = 'enabled'".to_owned()),
        (Reason::Archived, "is_archived = 0".to_owned()),
        (Reason::NotInteractive, "source IN (SELECT value FROM json_each(:sources))".to_owned()),
        (Reason::TranscriptMissing, "is_missing = 0".to_owned()),
        (Reason::UpToDate, "ifnull(success_watermark < updated_at, 1)".to_owned()),
        (Reason::Reset, "ifnull(settled_at < updated_at, 1)".to_owned()),
        (Reason::NotIdle, "updated_at <= :newest".to_owned()),
        (Reason::TooOld, "updated_at >= :oldest".to_owned()),
        (Reason::Exhausted, format!("({HAS_CHANGED} OR attempts < :attempts)")),
        (Reason::Backoff, format!("({HAS_CHANGED} OR NOT {IS_WAITING})")),
    ]
}

/// SQL: whether all conditions hold but those with these reasons.
pub(crate) fn holds_but_for(exceptions: &[Reason]) -> String {
    let kept = conditions().into_iter().filter(|(reason, _)| !exceptions.contains(reason));
    kept.map(|(_, condition)| condition).collect::<Vec<_>>().join(" AND ")
}

/// SQL: whether the condition with this reason does not hold.
pub(crate) fn fails(reason: Reason) -> String {
    let condition = conditions().into_iter().find(|(of, _)| *of == reason);
    condition.map_or_else(|| "0".to_owned(), |(_, condition)| format!("NOT ({condition})"))
}

/// SQL: the number of the first condition that does not hold; null if all do.
fn first_failing() -> String {
    let cases = conditions().into_iter().enumerate();
    let cases: String = cases.map(|(number, (_, holds))| format!(" WHEN NOT ({holds}) THEN {number}")).collect();
    format!("CASE{cases} END")
}

/// The time and the configuration that decide whether a thread is due.
pub(crate) struct Due {
    now: i64,
    oldest: i64,
    newest: i64,
    attempts: u32,
    /// The sources of threads that are extracted, as a JSON list.
    sources: String,
}

impl Due {
    /// At the time `now`.
    pub(crate) fn at(now: i64, config: &RolloutsConfig) -> Result<Self> {
        let (oldest, newest) = (now.saturating_sub(config.max_age), now.saturating_sub(config.min_idle));
        Ok(Due { now, oldest, newest, attempts: config.attempts, sources: json_list(&config.interactive_sources)? })
    }

    /// The values of these and of those parameters of a statement that it contains.
    pub(crate) fn values<'v>(
        &'v self,
        sql: &str,
        more: &[(&'static str, &'v dyn ToSql)],
    ) -> Vec<(&'static str, &'v dyn ToSql)> {
        let of_conditions: [(&'static str, &dyn ToSql); 5] = [
            (":now", &self.now),
            (":oldest", &self.oldest),
            (":newest", &self.newest),
            (":attempts", &self.attempts),
            (":sources", &self.sources),
        ];
        of_conditions.into_iter().filter(|(name, _)| sql.contains(name)).chain(more.iter().copied()).collect()
    }

    /// The number of threads that are due.
    pub(crate) fn count(&self, connection: &Connection) -> Result<u32, Failure> {
        let sql = format!("SELECT count(*) FROM thread WHERE {}", holds_but_for(&[]));
        first(connection, &sql, self.values(&sql, &[]).as_slice())
    }
}

pub(crate) fn json_list<T: Serialize>(list: &[T]) -> Result<String> {
    serde_json::to_string(list).map_err(|cause| Error::internal("a list of texts is not JSON").because(cause))
}

/// A thread with its job, and why it is or is not extracted.
pub(crate) struct Explained {
    pub(crate) thread: ThreadRow,
    pub(crate) job: Option<Job>,
    pub(crate) reason: Reason,
    /// The number of threads that are being worked on.
    running: u32,
}

/// Calls `body` for each thread that `filter` selects, the one that changed last first.
pub(crate) fn each(
    connection: &Connection,
    config: &RolloutsConfig,
    now: i64,
    (filter, values): (&str, &[(&'static str, &dyn ToSql)]),
    mut body: impl FnMut(Explained) -> Result<()>,
) -> Result<(), Failure> {
    let running = running(connection, now)?;
    let sql = format!(
        "SELECT {}, {}, {} FROM thread WHERE {filter} ORDER BY updated_at DESC, id DESC",
        ThreadRow::columns(),
        Job::columns(),
        first_failing()
    );
    let reasons = conditions().map(|(reason, _)| reason);
    let read = |row: &Row<'_>| {
        let at = &mut 0;
        let (thread, job) = (ThreadRow::read(row, at)?, Job::read(row, at)?.if_any());
        let failing: Option<u8> = next(row, at)?;
        let reason = match failing.and_then(|number| reasons.get(usize::from(number)).copied()) {
            Some(reason) => reason,
            None if running >= config.max_running => Reason::CapReached,
            None => Reason::Due,
        };
        Ok(Explained { thread, job, reason, running })
    };
    let due = Due::at(now, config)?;
    for explained in connection.prepare_cached(&sql)?.query_map(due.values(&sql, values).as_slice(), read)? {
        body(explained?)?;
    }
    Ok(())
}

impl Explained {
    /// The thread with this id.
    fn find(connection: &Connection, config: &RolloutsConfig, now: i64, id: &str) -> Result<Option<Self>, Failure> {
        let mut found = None;
        each(connection, config, now, ("id = :id", &[(":id", &id)]), |explained| {
            found = Some(explained);
            Ok(())
        })?;
        Ok(found)
    }

    /// The reason in a sentence.
    fn detail(&self, config: &RolloutsConfig) -> String {
        let Explained { thread, job, running, .. } = self;
        let (at, text) = (thread.updated_at, time::text);
        let job_text = |value: fn(&Job) -> Option<i64>| job.as_ref().and_then(value).map(text).unwrap_or_default();
        let hours = |millis: i64| millis / 3_600_000;
        let cause = || {
            let error = job.as_ref().and_then(|job| job.last_error.as_deref());
            error.unwrap_or("the worker did not come back")
        };
        match self.reason {
            Reason::Running => format!("a worker has it until {}", job_text(|job| job.lease_until)),
            Reason::Disabled | Reason::Polluted => format!("its mode can be changed with {}", Rollouts::SET_MODE),
            Reason::Archived => "archived sessions are not extracted".to_owned(),
            Reason::NotInteractive => {
                let known = config.interactive_sources.join(", ");
                format!("its source is {}; those that are extracted are {known}", thread.source)
            }
            Reason::TranscriptMissing => format!("{} is gone", thread.rollout_path),
            Reason::UpToDate => format!("it has not changed since {}, and that was extracted", text(at)),
            Reason::Reset => format!("it has not changed since {}, before the reset", text(at)),
            Reason::NotIdle => {
                let (idle, due) = (hours(config.min_idle), text(at.saturating_add(config.min_idle)));
                format!("it changed at {}; it is due {idle} hours later, at {due}", text(at))
            }
            Reason::TooOld => {
                format!("it changed last at {}, more than {} days ago", text(at), hours(config.max_age) / 24)
            }
            Reason::Exhausted => {
                let (attempts, retry) = (job.as_ref().map_or(0, |job| job.attempts), Rollouts::RETRY);
                format!("{attempts} attempts failed, and it has not changed since; see {retry}: {}", cause())
            }
            Reason::Backoff => format!("it failed and is tried again at {}: {}", job_text(|job| job.retry_at), cause()),
            Reason::CapReached => {
                format!("the cap is reached: {running} of {} threads are claimed", config.max_running)
            }
            Reason::Due => "it can be claimed; newer threads come first".to_owned(),
            Reason::Forgotten | Reason::NotRegistered => String::new(),
        }
    }
}

/// The state of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// The number of attempts left before the input changes.
    pub retries_left: u32,
    /// The reason for which the last attempt failed; null if it did not.
    pub last_error: Option<String>,
}

impl JobState {
    /// `newest` is when its input changed last.
    pub(crate) fn of(job: Job, newest: i64, config: &RolloutsConfig) -> Self {
        let retries_left = job.retries_left(newest, config.attempts);
        JobState {
            status: job.status.unwrap_or_default(),
            worker_id: job.worker_id,
            started_at: job.started_at.map(time::text),
            lease_until: job.lease_until.map(time::text),
            finished_at: job.finished_at.map(time::text),
            retry_at: job.retry_at.filter(|_| retries_left > 0).map(time::text),
            retries_left,
            last_error: job.last_error,
        }
    }
}

/// The reason for which a thread is or is not extracted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ThreadExplanation")]
#[non_exhaustive]
pub struct Explanation {
    /// True if it can be claimed now.
    pub eligible: bool,
    /// The reason.
    pub reason: Reason,
    /// The same in a sentence.
    pub detail: String,
    /// The job that extracts it; null if it was never claimed.
    pub job: Option<JobState>,
    /// The extracted memory; null if nothing is stored.
    pub output: Option<StoredOutput>,
}

/// One thread of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListedThread {
    /// The thread.
    pub thread_id: String,
    /// When it changed last.
    pub updated_at: String,
    /// Its working folder; empty if it is unknown.
    pub cwd: String,
    /// The reason for which it is or is not extracted.
    pub reason: Reason,
    /// The same in a sentence.
    pub detail: String,
}

/// Some of the registered threads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ThreadList")]
#[non_exhaustive]
pub struct Listed {
    /// The threads, the one that changed last first.
    pub threads: Vec<ListedThread>,
    /// The total number.
    pub total: u64,
}

/// The number of threads that are returned by default.
const LIMIT: u32 = 50;

impl Rollouts {
    pub(crate) const EXPLAIN: &str = "rollouts.explain";
    pub(crate) const LIST: &str = "rollouts.list";

    /// The reason for which a session is or is not extracted.
    ///
    /// # Errors
    /// Those of [`status`](Self::status).
    pub fn explain(&self, thread_id: &str) -> Result<Explanation> {
        self.home.call(Self::EXPLAIN, |home| {
            let id = admit_thread_id(home, "threadId", thread_id)?;
            let (config, now) = (&home.config().rollouts, time::now(home));
            let state = State::of(home)?;
            let id = &ThreadRow::whole_id(&state, id.as_str())?;
            let explained = state.read(|connection| {
                let Some(found) = Explained::find(connection, config, now, id)? else {
                    return Ok(is_forgotten(connection, id)?.then(forgotten));
                };
                let output = OutputRow::find(connection, &found.thread)?;
                Ok(Some(Explanation {
                    eligible: found.reason == Reason::Due,
                    reason: found.reason,
                    detail: found.detail(config),
                    job: found.job.map(|job| JobState::of(job, found.thread.updated_at, config)),
                    output: output.map(Into::into),
                }))
            })?;
            Ok(explained.unwrap_or_else(not_registered))
        })
    }

    /// The registered sessions with one of these reasons, by default all, each with why it is or is not extracted. At most
    /// `limit` (50) are returned, the one that changed last first.
    ///
    /// # Errors
    /// `ValidationError` for a limit of 0; those of [`status`](Self::status).
    pub fn list(&self, reasons: Option<&[Reason]>, limit: Option<u32>) -> Result<Listed> {
        self.home.call(Self::LIST, |home| {
            if limit == Some(0) {
                return Err(Error::validation("limit must be at least 1"));
            }
            let limit = usize::try_from(limit.unwrap_or(LIMIT)).unwrap_or(usize::MAX);
            let (config, now, check) = (&home.config().rollouts, time::now(home), home.cancel_check());
            State::of(home)?.read(|connection| {
                let mut listed = Listed::default();
                each(connection, config, now, ALL, |it| {
                    check()?;
                    if reasons.is_some_and(|reasons| !reasons.contains(&it.reason)) {
                        return Ok(());
                    }
                    listed.total += 1;
                    if listed.threads.len() < limit {
                        let (updated_at, detail) = (time::text(it.thread.updated_at), it.detail(config));
                        let ThreadRow { id: thread_id, cwd, .. } = it.thread;
                        listed.threads.push(ListedThread { thread_id, updated_at, cwd, reason: it.reason, detail });
                    }
                    Ok(())
                })?;
                Ok(listed)
            })
        })
    }
}

/// A filter that selects all threads.
pub(crate) const ALL: (&str, &[(&str, &dyn ToSql)]) = ("true", &[]);

/// The explanation of a thread of which nothing is stored.
fn unknown(reason: Reason, detail: &str) -> Explanation {
    Explanation { eligible: false, reason, detail: detail.to_owned(), job: None, output: None }
}

fn forgotten() -> Explanation {
    unknown(Reason::Forgotten, "it was forgotten, and is not extracted again")
}

fn not_registered() -> Explanation {
    let detail = format!("no thread with this id is registered; {} registers those with a transcript", Rollouts::SCAN);
    unknown(Reason::NotRegistered, &detail)
}
