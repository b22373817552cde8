//! The registered threads, each with the reason why it is or is not extracted.

use schemars::JsonSchema;
use serde::Serialize;

use super::database::State;
use super::reason::{Reason, each};
use super::time;
use crate::error::{Error, Result};
use crate::home::Home;

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
        let mut listed = Listed::default();
        each(connection, config, now, |thread, _, reason, detail| {
            check()?;
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
