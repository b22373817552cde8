//! Copies items from one backend to the other.

use schemars::JsonSchema;
use serde::Serialize;

use super::Items;
use super::backend::Change;
use super::place::Places;
use super::store::{ItemStore, refuse_temporary};
use crate::error::Result;
use crate::home::ItemsBackend;

/// The result of a migration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "MigratedItems")]
#[non_exhaustive]
pub struct Migrated {
    /// Items that were copied.
    pub copied: usize,
    /// Items that the target has already, and records that are not items.
    pub skipped: usize,
}

impl Items {
    /// Copies the items of all scopes from the other backend to this one, byte for byte and in their order. The source stays as
    /// it is; what the target has already stays too.
    ///
    /// # Errors
    /// `Unsupported` if this build does not include the backend; those of [`list`](Self::list) and [`add`](Self::add).
    pub fn migrate(&self, to: ItemsBackend) -> Result<Migrated> {
        self.call("items.migrate", |items| {
            refuse_temporary(&items.home)?;
            let from = match to {
                ItemsBackend::Jsonl => ItemsBackend::Sqlite,
                ItemsBackend::Sqlite => ItemsBackend::Jsonl,
            };
            let places = |backend| Places::in_backend(&items.home, &items.workspace, items.dir.as_deref(), backend);
            let mut migrated = Migrated::default();
            for (from, to) in places(from)?.all().zip(places(to)?.all()) {
                let (source, target) = (ItemStore::at(&items.home, from)?, ItemStore::at(&items.home, to)?);
                let one = copy(&source, &target)?;
                migrated.copied += one.copied;
                migrated.skipped += one.skipped;
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

    let (source, target) = (JsonlMemoryStore::open(jsonl_path)?, SqliteMemoryStore::open(sqlite_path)?);
    copy(source.store(), target.store())
}

/// Copies the items of one store.
fn copy(source: &ItemStore, target: &ItemStore) -> Result<Migrated> {
    let items = source.items()?;
    let damaged = source.backend.state()?.damaged();
    if items.is_empty() {
        return Ok(Migrated { copied: 0, skipped: damaged });
    }
    // Counts belong to a store, so they are copied as well.
    let sums = source.sums()?;
    let mut counts: Vec<_> = items.iter().filter_map(|item| Some((item.id.clone(), sums.of(&item.id)?))).collect();
    let known = target.sums()?;
    counts.retain(|(id, _)| known.of(id).is_none());
    let migrated = target.edit(move |records| {
        let (mut changes, mut skipped) = (Vec::new(), damaged);
        for item in items {
            match records.find(&item.id)? {
                Some(_) => skipped += 1,
                None => changes.push(Change::Add(item)),
            }
        }
        let copied = changes.len();
        Ok((changes, Migrated { copied, skipped }))
    })?;
    target.usage().add(target.home(), &counts)?;
    Ok(migrated)
}
