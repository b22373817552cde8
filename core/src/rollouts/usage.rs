//! How often the memory of sessions is used: what is used stays, and is consolidated first.

use std::collections::BTreeSet;

use super::database::State;
use super::thread::admit_thread_id;
use super::time;
use crate::error::Result;
use crate::home::Home;
use crate::sqlite::rusqlite::params;

/// Counts that the memory of these threads was used, each once.
pub(super) fn record(home: &Home, ids: &[&str]) -> Result<usize> {
    let ids: BTreeSet<&str> = ids.iter().copied().collect();
    ids.iter().try_for_each(|id| admit_thread_id(home, "threadIds", id).map(drop))?;
    let now = time::now(home);
    let state = State::of(home)?;
    // Nothing is created to find that there is no such memory.
    let is_any = state.read(|connection| {
        let mut query =
            connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM thread WHERE id = ?1 AND output IS NOT NULL)")?;
        for id in &ids {
            if query.query_row([id], |row| row.get(0))? {
                return Ok(true);
            }
        }
        Ok(false)
    })?;
    if !is_any {
        return Ok(0);
    }
    state.write(|transaction| {
        let mut update = transaction.prepare_cached(
            "UPDATE output SET usage_count = usage_count + 1, last_usage = max(ifnull(last_usage, ?2), ?2)
             WHERE (number, thread) = (SELECT output, number FROM thread WHERE id = ?1)",
        )?;
        let mut counted = 0;
        for id in &ids {
            counted += update.execute(params![id, now])?;
        }
        Ok(counted)
    })
}
