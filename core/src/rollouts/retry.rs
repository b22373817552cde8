//! Making what failed due again, once its cause is mended.

use schemars::JsonSchema;
use serde::Serialize;

use super::database::State;
use super::job::{self, Subject};
use super::thread::{ThreadRow, admit_thread_id, no_threads};
use super::time;
use crate::error::Result;
use crate::home::Home;
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::Connection;

/// What is due again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RetriedRollouts")]
#[non_exhaustive]
pub struct Retried {
    /// The threads, in the order of their ids.
    pub thread_ids: Vec<String>,
    /// Whether the consolidation is.
    pub consolidation: bool,
}

/// Refills the attempts of failed threads and ends their waits. Without `ids`, of all that failed and of the consolidation.
pub(super) fn retry(home: &Home, ids: Option<&[&str]>) -> Result<Retried> {
    for id in ids.into_iter().flatten() {
        admit_thread_id(home, "threadIds", id)?;
    }
    let now = time::now(home);
    let state = State::of(home)?;
    // Nothing is created to find that nothing failed.
    if !state.exists() {
        return match ids.and_then(<[&str]>::first) {
            Some(id) => Err(no_threads(id)),
            None => Ok(Retried::default()),
        };
    }
    state.write(|transaction| {
        let threads = match ids {
            Some(ids) => ids.iter().map(|id| ThreadRow::named(transaction, id)).collect::<Result<_, _>>()?,
            None => unfinished(transaction)?,
        };
        let mut retried = Retried::default();
        for thread in threads {
            if job::refill(transaction, thread.subject(), now)? {
                retried.thread_ids.push(thread.id);
            }
        }
        retried.thread_ids.sort();
        retried.consolidation = ids.is_none() && job::refill(transaction, Subject::All, now)?;
        Ok(retried)
    })
}

/// The threads whose jobs have not ended with success.
fn unfinished(connection: &Connection) -> Result<Vec<ThreadRow>, Failure> {
    let sql = format!("SELECT {} FROM thread WHERE status IN ('failed', 'running')", ThreadRow::COLUMNS);
    let mut query = connection.prepare_cached(&sql)?;
    Ok(query.query_map([], ThreadRow::read)?.collect::<Result<_, _>>()?)
}
