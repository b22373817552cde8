//! Removing what sessions left: of one session for good, or of all of them.

use schemars::JsonSchema;
use serde::Serialize;

use super::artifacts;
use super::database::State;
use super::thread::{ThreadRow, admit_thread_id};
use super::{consolidation, job, output, time};
use crate::error::Result;
use crate::home::Home;
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::{Connection, OptionalExtension as _, params};

/// What was removed of one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ForgottenThread")]
#[non_exhaustive]
pub struct Forgotten {
    /// Whether it was forgotten now: false if it was forgotten before.
    pub forgotten: bool,
    /// Whether it was registered. If not, it is never registered.
    pub registered: bool,
    /// The files that were removed, relative to the memory root.
    pub removed: Vec<String>,
}

/// What was cleared.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ResetRollouts")]
#[non_exhaustive]
pub struct Reset {
    /// How many outputs.
    pub outputs: u64,
    /// How many jobs.
    pub jobs: u64,
    /// The files that were removed, relative to the memory root.
    pub removed: Vec<String>,
}

/// Forgets one session.
pub(super) fn forget(home: &Home, id: &str) -> Result<Forgotten> {
    let id = admit_thread_id(home, "threadId", id)?;
    let id = id.as_str();
    let now = time::now(home);
    let state = State::of(home)?;
    let (forgotten, registered) = state.erase(|transaction| {
        let sql = "INSERT INTO forgotten (thread_id, forgotten_at) VALUES (?1, ?2) ON CONFLICT (thread_id) DO NOTHING";
        let is_new = transaction.prepare_cached(sql)?.execute(params![id, now])? > 0;
        let thread = ThreadRow::find(transaction, id)?;
        let removed = match &thread {
            Some(thread) => output::remove(transaction, thread)?,
            None => None,
        };
        let read: Option<i64> = transaction
            .prepare_cached("SELECT source_updated_at FROM consolidation_input WHERE thread_id = ?1 LIMIT 1")?
            .query_row([id], |row| row.get(0))
            .optional()?;
        for sql in [
            "DELETE FROM thread WHERE id = ?1",
            // That it was there is shown in the next diff, and nothing of what it said.
            "UPDATE consolidation_input SET text = '' WHERE thread_id = ?1",
            "UPDATE transcript SET thread_id = NULL, reason = 'forgotten' WHERE thread_id = ?1",
        ] {
            transaction.prepare_cached(sql)?.execute([id])?;
        }
        tidy(transaction)?;
        let was_read: bool = transaction
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM consolidated WHERE thread_id = ?1)")?
            .query_row([id], |row| row.get(0))?;
        let source = removed.map(|output| output.source_updated_at).or(read).or(was_read.then_some(0));
        source.map_or(Ok(()), |source| job::enqueue_consolidation(transaction, source))?;
        Ok((is_new, thread.is_some()))
    })?;
    let materialized = artifacts::materialize(home, &state, Some(id))?;
    Ok(Forgotten { forgotten, registered, removed: materialized.removed })
}

/// Removes outputs without a thread, which a repair may have left, and what the index keeps of those that were removed.
fn tidy(connection: &Connection) -> Result<(), Failure> {
    let orphans = "DELETE FROM output WHERE number NOT IN (SELECT output FROM thread WHERE output IS NOT NULL)";
    let sql = match connection.prepare_cached(orphans)?.execute([])? {
        0 => "INSERT INTO output_text (output_text) VALUES ('optimize')",
        _ => "INSERT INTO output_text (output_text) VALUES ('rebuild')",
    };
    connection.execute_batch(sql)?;
    Ok(())
}

/// Clears outputs and jobs.
pub(super) fn reset(home: &Home, is_extracted_again: bool) -> Result<Reset> {
    let state = State::of(home)?;
    let is_any = state.read(|connection| {
        let sql = "SELECT EXISTS (SELECT 1 FROM thread) OR EXISTS (SELECT 1 FROM consolidation)";
        Ok(connection.prepare_cached(sql)?.query_row([], |row| row.get::<_, bool>(0))?)
    })?;
    if !is_any {
        return Ok(Reset::default());
    }
    let (outputs, jobs) = state.erase(|transaction| clear(transaction, is_extracted_again))?;
    let materialized = artifacts::materialize(home, &state, None)?;
    Ok(Reset { outputs, jobs, removed: materialized.removed })
}

fn clear(connection: &Connection, is_extracted_again: bool) -> Result<(u64, u64), Failure> {
    let settle = match is_extracted_again {
        true => "UPDATE thread SET settled_at = NULL",
        false => "UPDATE thread SET settled_at = nullif(max(ifnull(settled_at, -1), ifnull(input_watermark, -1)), -1)",
    };
    connection.prepare_cached(settle)?.execute([])?;
    connection.execute_batch("INSERT INTO output_text (output_text) VALUES ('delete-all')")?;
    let outputs = connection.prepare_cached("DELETE FROM output")?.execute([])?;
    let jobs = "SELECT (SELECT count(*) FROM thread WHERE status IS NOT NULL) + (SELECT count(*) FROM consolidation)";
    let jobs: u32 = connection.prepare_cached(jobs)?.query_row([], |row| row.get(0))?;
    connection.prepare_cached("DELETE FROM consolidation")?.execute([])?;
    connection
        .prepare_cached(
            "UPDATE thread SET output = NULL, status = NULL, worker_id = NULL, ownership_token = NULL, started_at = NULL,
                 renewed_at = NULL, lease_until = NULL, finished_at = NULL, retry_at = NULL, attempts = 0, last_error = NULL,
                 input_watermark = NULL, claimed_watermark = NULL, success_watermark = NULL",
        )?
        .execute([])?;
    for sql in ["DELETE FROM consolidation_input", "DELETE FROM root_file WHERE state = 'claimed'"] {
        connection.prepare_cached(sql)?.execute([])?;
    }
    // What was consolidated before has to go all the same.
    if !consolidation::withdrawn(connection)?.is_empty() {
        job::enqueue_consolidation(connection, 1)?;
    }
    Ok((outputs as u64, jobs.into()))
}
