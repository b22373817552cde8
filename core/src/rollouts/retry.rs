//! Making what failed due again, once its cause is fixed.

use schemars::JsonSchema;
use serde::Serialize;

use super::database::State;
use super::job::{self, Job, Subject};
use super::reason::{Reason, each};
use super::thread::{ThreadRow, admit_thread_id, no_threads};
use super::time;
use crate::error::Result;
use crate::home::Home;

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
        for id in ids.into_iter().flatten() {
            ThreadRow::named(transaction, id)?;
        }
        let mut failed = Vec::new();
        each(transaction, &home.config().rollouts, now, |thread, job, reason, _| {
            let is_wanted = ids.is_none_or(|ids| ids.contains(&thread.id.as_str()));
            if is_wanted && has_failed(job, reason) {
                failed.push(thread);
            }
            Ok(())
        })?;
        let mut retried = Retried::default();
        for thread in failed {
            job::refill(transaction, thread.subject(), now)?;
            retried.thread_ids.push(thread.id);
        }
        retried.thread_ids.sort();
        retried.consolidation = ids.is_none() && job::refill(transaction, Subject::All, now)?;
        Ok(retried)
    })
}

/// Whether a thread would be due if it had not failed, or if its worker had come back.
fn has_failed(job: Option<&Job>, reason: Reason) -> bool {
    let is_stale = job.is_some_and(|job| job.status == "running" && !job.is_claimed);
    match reason {
        Reason::Backoff | Reason::Exhausted => true,
        Reason::Due | Reason::CapReached => is_stale,
        _ => false,
    }
}
