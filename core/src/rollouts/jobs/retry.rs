//! Making what failed due again, once its cause is fixed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::due::{ALL, Explained, Reason, each};
use super::{Job, Subject, refill};
use crate::error::Result;
use crate::rollouts::database::State;
use crate::rollouts::threads::{ThreadRow, admit_thread_id, not_registered};
use crate::rollouts::{Rollouts, time};

/// The threads that are due again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RetriedRollouts")]
#[non_exhaustive]
pub struct Retried {
    /// The threads, in the order of their ids.
    pub thread_ids: Vec<String>,
    /// True if the consolidation is.
    pub consolidation: bool,
}

impl Rollouts {
    pub(crate) const RETRY: &str = "rollouts.retry";

    /// Makes sessions that failed due again: their attempts are refilled and their waits end. Without `thread_ids`, all
    /// that failed, and the consolidation.
    ///
    /// # Errors
    /// `NotFound`; those of [`status`](Self::status).
    pub fn retry(&self, thread_ids: Option<&[&str]>) -> Result<Retried> {
        self.home.call(Self::RETRY, |home| {
            for id in thread_ids.into_iter().flatten() {
                admit_thread_id(home, "threadIds", id)?;
            }
            let now = time::now(home);
            let state = State::of(home)?;
            // Nothing is created to find that nothing failed.
            if !state.exists() {
                let first = thread_ids.and_then(<[&str]>::first);
                return first.map_or_else(|| Ok(Retried::default()), |id| Err(not_registered(id)));
            }
            state.write(|transaction| {
                for id in thread_ids.into_iter().flatten() {
                    ThreadRow::named(transaction, id)?;
                }
                let mut failed = Vec::new();
                each(transaction, &home.config().rollouts, now, ALL, |it| {
                    if thread_ids.is_none_or(|ids| ids.contains(&it.thread.id.as_str())) && has_failed(&it) {
                        failed.push(it.thread);
                    }
                    Ok(())
                })?;
                let mut retried = Retried::default();
                for thread in failed {
                    refill(transaction, thread.subject(), now)?;
                    retried.thread_ids.push(thread.id);
                }
                retried.thread_ids.sort();
                retried.consolidation = thread_ids.is_none() && refill(transaction, Subject::All, now)?;
                Ok(retried)
            })
        })
    }
}

/// True if a thread would be due if it had not failed, or if its worker had come back.
fn has_failed(it: &Explained) -> bool {
    match it.reason {
        Reason::Backoff | Reason::Exhausted => true,
        Reason::Due | Reason::CapReached => it.job.as_ref().is_some_and(Job::is_stale),
        _ => false,
    }
}
