//! The registered threads, each with the reason why it is or is not extracted.

use schemars::JsonSchema;
use serde::Serialize;

use super::database::State;
use super::explain::{Reason, reason};
use super::job::{self, Job};
use super::output::OutputRow;
use super::thread::ThreadRow;
use super::time;
use crate::error::{Error, Result};
use crate::home::Home;
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::{Connection, Row, named_params};

/// How many threads are returned, unless the caller says so.
const LIMIT: u32 = 50;

/// One thread of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListedThread {
    /// The thread.
    pub thread_id: String,
    /// When it changed last.
    pub updated_at: String,
    /// Its working folder; empty if it is unknown.
    pub cwd: String,
    /// Why it is or is not extracted.
    pub reason: Reason,
    /// The same in a sentence.
    pub detail: String,
}

/// Some of the registered threads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ThreadList")]
#[non_exhaustive]
pub struct Listed {
    /// The threads, the one that changed last first.
    pub threads: Vec<ListedThread>,
    /// How many there are in all.
    pub total: u64,
}

/// The threads with one of these reasons, by default all.
pub(super) fn list(home: &Home, reasons: Option<&[Reason]>, limit: Option<u32>) -> Result<Listed> {
    if limit == Some(0) {
        return Err(Error::validation("limit must be at least 1"));
    }
    let limit = usize::try_from(limit.unwrap_or(LIMIT)).unwrap_or(usize::MAX);
    let config = &home.config().rollouts;
    let now = time::now(home);
    let check = home.cancel_check();
    State::of(home)?.read(|connection| {
        let running = job::running(connection, now)?;
        let mut listed = Listed::default();
        each(connection, now, |thread, job, source| {
            check()?;
            let (reason, detail) = reason(&thread, job.as_ref(), source, running, config, now);
            if reasons.is_some_and(|reasons| !reasons.contains(&reason)) {
                return Ok(());
            }
            listed.total += 1;
            if listed.threads.len() < limit {
                listed.threads.push(ListedThread {
                    thread_id: thread.id,
                    updated_at: time::text(thread.updated_at),
                    cwd: thread.cwd,
                    reason,
                    detail,
                });
            }
            Ok(())
        })?;
        Ok(listed)
    })
}

/// Calls `body` for each thread, the one that changed last first, with its job and what its output is of.
fn each(
    connection: &Connection,
    now: i64,
    mut body: impl FnMut(ThreadRow, Option<Job>, Option<i64>) -> Result<()>,
) -> Result<(), Failure> {
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
        body(thread, job, source)?;
    }
    Ok(())
}
