//! Copies items from one backend to the other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::backend::Change;
use super::place::Places;
use super::store::{ItemStore, refuse_temporary};
use super::{Items, operation};
use crate::error::Result;
use crate::home::ItemsBackend;

/// The result of a migration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MigratedItems")]
#[non_exhaustive]
pub struct Migrated {
    /// Items that were copied.
    pub copied: usize,
    /// Records that were not copied: the sum of the following ones.
    pub skipped: usize,
    /// Items that the target has already.
    pub present: usize,
    /// Records that are not items; `doctor.check` lists them.
    pub damaged: usize,
    /// Records with the id of another one that was changed later, which was copied.
    pub duplicates: usize,
}

impl Migrated {
    /// Adds those of another store.
    fn absorb(&mut self, other: Migrated) {
        self.copied += other.copied;
        self.skipped += other.skipped;
        self.present += other.present;
        self.damaged += other.damaged;
        self.duplicates += other.duplicates;
    }
}

impl Items {
    /// Copies the items of all scopes from the other backend to this one, byte for byte and in their order. The source stays as
    /// it is; what the target has already stays too.
    ///
    /// # Errors
    /// `Unsupported` if this build does not include the backend; those of [`list`](Self::list) and [`add`](Self::add).
    pub fn migrate(&self, to: ItemsBackend) -> Result<Migrated> {
        self.call(operation::MIGRATE, |items| {
            refuse_temporary(&items.home)?;
            let from = match to {
                ItemsBackend::Jsonl => ItemsBackend::Sqlite,
                ItemsBackend::Sqlite => ItemsBackend::Jsonl,
            };
            let places = |backend| Places::in_backend(&items.home, &items.workspace, items.dir.as_deref(), backend);
            let mut migrated = Migrated::default();
            let (from, to) = (places(from)?, places(to)?);
            for from in from.all() {
                // A file that the environment names may stand for several places in one backend only.
                let Some(to) = to.all().find(|to| to.folder == from.folder) else { continue };
                let copied = ItemStore::at(&items.home, from)
                    .and_then(|from| copy(&from, &ItemStore::at(&items.home, to)?))
                    .map_err(|failed| {
                        failed.after_some(migrated.copied, "items were copied; repeating the call copies the others")
                    })?;
                migrated.absorb(copied);
            }
            Ok(migrated)
        })
    }
}

/// Copies the items of a file of JSON lines to a SQLite database (spec 004, "Migration"). The file stays as it is; what the
/// database has already stays too.
///
/// # Errors
/// Those of [`Items::migrate`].
#[cfg(feature = "sqlite")]
pub fn migrate_jsonl_to_sqlite(
    jsonl_path: impl AsRef<std::path::Path>,
    sqlite_path: impl AsRef<std::path::Path>,
) -> Result<Migrated> {
    use super::factory::{JsonlMemoryStore, SqliteMemoryStore};
    use super::store::OfItems as _;

    let (source, target) = (JsonlMemoryStore::open(jsonl_path)?, SqliteMemoryStore::open(sqlite_path)?);
    copy(source.store(), target.store())
}

/// Copies the items of one store.
fn copy(source: &ItemStore, target: &ItemStore) -> Result<Migrated> {
    let items = source.items()?;
    let (damaged, duplicates) = {
        let state = source.backend.state()?;
        (state.damaged(), state.superseded())
    };
    if items.is_empty() {
        return Ok(Migrated { skipped: damaged + duplicates, damaged, duplicates, ..Migrated::default() });
    }
    // Counts belong to a store, so they are copied as well.
    let sums = source.sums()?;
    let stated = source.stated()?;
    let noted: Vec<_> = items.iter().filter(|item| stated.has(item) && item.is_standing()).cloned().collect();
    let counts: Vec<_> = items.iter().filter_map(|item| Some((item.id.clone(), sums.of(&item.id)?))).collect();
    let migrated = target.edit(move |records| {
        let (mut changes, mut present) = (Vec::new(), 0);
        for item in items {
            match records.find(&item.id)? {
                Some(_) => present += 1,
                None => changes.push(Change::Add(item)),
            }
        }
        let (copied, skipped) = (changes.len(), present + damaged + duplicates);
        Ok((changes, Migrated { copied, skipped, present, damaged, duplicates }))
    })?;
    target
        .usage()
        .raise(target.home(), counts)
        .map_err(|failed| failed.after("the items were copied, and repeating the call copies their counts"))?;
    if !target.place().is_own {
        target.trust().note(target.home(), noted.iter().map(|item| &**item))?;
    }
    Ok(migrated)
}
