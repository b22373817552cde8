//! The memory of an older program, which kept it in `memories/user/memory` and in a folder for each working folder.

use std::ffi::OsStr;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::artifacts;
use super::root::is_bucket;
use crate::disk::{Kind, Mode};
use crate::error::Result;
use crate::home::{Home, Layout};
use crate::rollouts::Rollouts;
use crate::rollouts::database::{State, meta, set_meta};

/// The number that says whether the memory was moved: 0 if that was begun, 1 if it is done.
const MOVED: &str = "legacy_root_moved";

/// The result of the migration of an older memory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MigratedLegacyRoot")]
#[non_exhaustive]
pub struct MigratedLegacyRoot {
    /// The new paths of the entries that were moved, relative to the memory root.
    pub moved: Vec<String>,
    /// The entries that were not moved because the root has one of the same name already.
    pub skipped: Vec<String>,
    /// The reason for which nothing was moved; null if something was.
    pub reason: Option<String>,
}

/// The memory root, and the folder with the older memory.
fn folders(home: &Home) -> Result<(PathBuf, PathBuf)> {
    let root = home.layout().memories()?;
    let old = root.join("user").join("memory");
    Ok((root, old))
}

/// The reason for which the older memory is not moved; `None` if it is to be.
fn obstacle(home: &Home, state: &State) -> Result<Option<&'static str>> {
    let (root, old) = folders(home)?;
    let disk = state.disk();
    if disk.entries(&old)?.is_empty() {
        return Ok(Some("there is nothing in memories/user/memory"));
    }
    match state.read(|connection| meta(connection, MOVED))? {
        None => {}
        // It was interrupted, so some of it is in the root already.
        Some(0) => return Ok(None),
        Some(_) => return Ok(Some("it was moved before")),
    }
    let ours = state.read(|connection| artifacts::names(home, connection))?;
    let is_expected = |name: &str, kind: Kind| match kind {
        // Such as a repository that keeps the history of the root.
        _ if name.starts_with('.') => true,
        Kind::Folder => name == "user" || is_bucket(name) || name == Layout::ROLLOUT_SUMMARIES,
        _ => ours.contains(name),
    };
    let entries = disk.entries(&root)?;
    let is_other = entries.iter().any(|(name, stat)| name.to_str().is_none_or(|name| !is_expected(name, stat.kind)));
    // What was rebuilt from the database is no memory of the root's own.
    let summaries = disk.entries(&root.join(Layout::ROLLOUT_SUMMARIES))?;
    let is_ours = |name: &str| ours.contains(&format!("{}/{name}", Layout::ROLLOUT_SUMMARIES));
    let is_other = is_other || summaries.iter().any(|(name, _)| name.to_str().is_none_or(|name| !is_ours(name)));
    Ok(is_other.then_some("the memory root holds other files, which would be mixed with it"))
}

/// True if there is an older memory that can be moved.
pub(crate) fn is_waiting(home: &Home, state: &State) -> Result<bool> {
    let (_, old) = folders(home)?;
    Ok(state.disk().has_entry(&old) && obstacle(home, state).is_ok_and(|obstacle| obstacle.is_none()))
}

impl Rollouts {
    pub(crate) const MIGRATE_LEGACY_ROOT: &str = "rollouts.migrateLegacyRoot";

    /// Moves the memory of an older program from `memories/user/memory` to the memory root, once, if the root holds no other
    /// memory. Nothing is overwritten, and the folders for single working folders stay where they are.
    ///
    /// # Errors
    /// Those of [`materialize`](Self::materialize).
    pub fn migrate_legacy_root(&self) -> Result<MigratedLegacyRoot> {
        self.home.call(Self::MIGRATE_LEGACY_ROOT, migrate)
    }
}

fn migrate(home: &Home) -> Result<MigratedLegacyRoot> {
    let (root, old) = folders(home)?;
    let state = State::of(home)?;
    let disk = state.disk();
    let refused =
        |reason: &str| MigratedLegacyRoot { reason: Some(reason.to_owned()), ..MigratedLegacyRoot::default() };
    if let Some(reason) = obstacle(home, &state)? {
        return Ok(refused(reason));
    }
    let guard = disk.lock(&root, Mode::Exclusive, home.wait_options(), home.config().lock_timeout)?;
    if let Some(reason) = obstacle(home, &state)? {
        return Ok(refused(reason));
    }
    state.write(|transaction| set_meta(transaction, MOVED, 0))?;
    let mut migrated = MigratedLegacyRoot::default();
    for (name, _) in disk.entries(&old)? {
        let from = old.join(&name);
        let is_reserved = name == Layout::RAW_MEMORIES || name == Layout::ROLLOUT_SUMMARIES;
        let is_moved = !is_reserved && disk.move_new(&guard, &from, &root.join(&name))?;
        let name = shown(home, &name);
        if is_moved { migrated.moved.push(name) } else { migrated.skipped.push(name) }
    }
    state.write(|transaction| set_meta(transaction, MOVED, 1))?;
    if migrated.moved.is_empty() {
        migrated.reason = Some("the memory root holds everything of these names already".to_owned());
    }
    Ok(migrated)
}

/// A name in a result.
fn shown(home: &Home, name: &OsStr) -> String {
    home.redactor().scrub(&name.to_string_lossy()).into_owned()
}
