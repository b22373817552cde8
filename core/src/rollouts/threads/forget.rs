//! Removing the memory of one session for good, or that of all of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ThreadRow, admit_thread_id};
use crate::error::Result;
use crate::rollouts::consolidation::artifacts::{self, Purpose};
use crate::rollouts::consolidation::{self, citations};
use crate::rollouts::database::{State, execute, find, first, without_a_job};
use crate::rollouts::jobs::{self, output};
use crate::rollouts::{Rollouts, time};
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::{Connection, params};

/// The result of forgetting one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ForgottenThread")]
#[non_exhaustive]
pub struct Forgotten {
    /// Whether it was forgotten now: false if it was forgotten before.
    pub forgotten: bool,
    /// True if it was registered. If not, it is never registered.
    pub registered: bool,
    /// The files that were removed, relative to the memory root.
    pub removed: Vec<String>,
}

/// The result of a reset.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ResetRollouts")]
#[non_exhaustive]
pub struct Reset {
    /// The number of outputs.
    pub outputs: u64,
    /// The number of jobs.
    pub jobs: u64,
    /// The files that were removed, relative to the memory root.
    pub removed: Vec<String>,
}

impl Rollouts {
    pub(crate) const FORGET: &str = "rollouts.forget";
    pub(crate) const RESET: &str = "rollouts.reset";

    /// Removes everything that is stored of a session, and its files. It is never extracted again.
    ///
    /// # Errors
    /// Those of [`materialize`](Self::materialize).
    pub fn forget(&self, thread_id: &str) -> Result<Forgotten> {
        self.home.call(Self::FORGET, |home| {
            let id = admit_thread_id(home, "threadId", thread_id)?;
            let now = time::now(home);
            let state = State::of(home)?;
            let id = &*ThreadRow::whole_id(&state, id.as_str())?;
            artifacts::check_root(home, &state)?;
            let is_cited = consolidation::cited(home, &state)?.contains(id);
            let (forgotten, registered) = state.erase(|transaction| erase(transaction, id, now, is_cited))?;
            let materialized = artifacts::materialize(home, &state, Purpose::Forget(id)).map_err(|failed| {
                failed.after("the session was forgotten; repeating the call removes what is left of its files")
            })?;
            Ok(Forgotten { forgotten, registered, removed: materialized.removed })
        })
    }

    /// Clears outputs and jobs, and the files made of them. Sessions, their modes and what was forgotten stay. A session is
    /// extracted again when it changes, or at once if `reextract` is true.
    ///
    /// # Errors
    /// Those of [`materialize`](Self::materialize).
    pub fn reset(&self, reextract: bool) -> Result<Reset> {
        self.home.call(Self::RESET, |home| {
            let state = State::of(home)?;
            let sql = "SELECT EXISTS (SELECT 1 FROM thread) OR EXISTS (SELECT 1 FROM consolidation)";
            if !state.read(|connection| first(connection, sql, []))? {
                return Ok(Reset::default());
            }
            artifacts::check_root(home, &state)?;
            let (outputs, jobs) = state.erase(|transaction| clear(transaction, reextract))?;
            let materialized = artifacts::materialize(home, &state, Purpose::Clear).map_err(|failed| {
                failed.after("outputs and jobs were cleared; rollouts.materialize removes the files")
            })?;
            Ok(Reset { outputs, jobs, removed: materialized.removed })
        })
    }
}

/// Removes what the database has of a thread. Returns whether it was forgotten now, and whether it was registered. If a file
/// cites it, the next consolidation has to remove that.
fn erase(connection: &Connection, id: &str, now: i64, is_cited: bool) -> Result<(bool, bool), Failure> {
    let sql = "INSERT INTO forgotten (thread_id, forgotten_at) VALUES (?1, ?2) ON CONFLICT (thread_id) DO NOTHING";
    let is_new = execute(connection, sql, params![id, now])? > 0;
    let thread = ThreadRow::find(connection, id)?;
    let removed = thread.as_ref().map_or(Ok(None), |thread| output::remove(connection, thread))?;
    let sql = "SELECT source_updated_at FROM consolidation_input WHERE thread_id = ?1 LIMIT 1";
    let read: Option<i64> = find(connection, sql, [id], |row| row.get(0))?;
    for sql in [
        "DELETE FROM thread WHERE id = ?1",
        // The next diff shows that it existed, and none of its text.
        "UPDATE consolidation_input SET text = '' WHERE thread_id = ?1",
        "UPDATE transcript SET thread_id = NULL, reason = 'forgotten' WHERE thread_id = ?1",
    ] {
        execute(connection, sql, [id])?;
    }
    tidy(connection)?;
    if is_cited {
        citations::record(connection, id)?;
    }
    let was_read: bool = first(connection, "SELECT EXISTS (SELECT 1 FROM consolidated WHERE thread_id = ?1)", [id])?;
    let source = removed.map(|output| output.source_updated_at).or(read).or(was_read.then_some(0));
    source.map_or(Ok(()), |source| jobs::enqueue_consolidation(connection, source))?;
    Ok((is_new, thread.is_some()))
}

/// Removes outputs without a thread, which a repair may have left, and what the index keeps of those that were removed.
fn tidy(connection: &Connection) -> Result<(), Failure> {
    let orphans = "DELETE FROM output WHERE number NOT IN (SELECT output FROM thread WHERE output IS NOT NULL)";
    let sql = match execute(connection, orphans, [])? {
        0 => "INSERT INTO output_text (output_text) VALUES ('optimize')",
        _ => "INSERT INTO output_text (output_text) VALUES ('rebuild')",
    };
    connection.execute_batch(sql)?;
    Ok(())
}

/// Clears outputs and jobs, and counts them.
fn clear(connection: &Connection, is_extracted_again: bool) -> Result<(u64, u64), Failure> {
    let settle = match is_extracted_again {
        true => "UPDATE thread SET settled_at = NULL",
        false => "UPDATE thread SET settled_at = nullif(max(ifnull(settled_at, -1), ifnull(input_watermark, -1)), -1)",
    };
    execute(connection, settle, [])?;
    connection.execute_batch("INSERT INTO output_text (output_text) VALUES ('delete-all')")?;
    let outputs = execute(connection, "DELETE FROM output", [])?;
    let jobs = "SELECT (SELECT count(*) FROM thread WHERE status IS NOT NULL) + (SELECT count(*) FROM consolidation)";
    let jobs: u32 = first(connection, jobs, [])?;
    for sql in [
        "DELETE FROM consolidation",
        &format!("UPDATE thread SET output = NULL, {}", without_a_job()),
        "DELETE FROM consolidation_input",
        "DELETE FROM root_file WHERE state = 'claimed'",
    ] {
        execute(connection, sql, [])?;
    }
    // What was consolidated before has to go all the same.
    if !consolidation::withdrawn(connection)?.is_empty() {
        jobs::enqueue_consolidation(connection, 1)?;
    }
    Ok((outputs as u64, jobs.into()))
}
