//! Recallable items: small memories that come back when they matter (spec 004).
//!
//! An item belongs to a repository, to a folder in it, or to the user. Those of a repository are in `items.jsonl` in its folder
//! `.codex/memory`, one per line, and may be kept in git. How often items are used, and the index of their texts, are under the
//! home, so that a recall changes no file of the repository.

mod archive;
mod backend;
mod collection;
mod draft;
mod expiry;
pub mod factory;
mod foreign;
mod jsonl;
mod legacy;
pub mod migrate;
mod place;
mod preamble;
mod recall;
mod record;
mod room;
#[cfg(feature = "sqlite")]
mod sqlite;
mod standing;
mod store;
mod synced;
mod transfer;
mod trust;
mod undo;
mod usage;

/// The names of the operations, as the methods and the handle have them.
pub(crate) mod operation {
    pub(crate) const ADD: &str = "items.add";
    pub(crate) const GET: &str = "items.get";
    pub(crate) const LIST: &str = "items.list";
    pub(crate) const UPDATE: &str = "items.update";
    pub(crate) const ARCHIVE: &str = "items.archive";
    pub(crate) const RESTORE: &str = "items.restore";
    pub(crate) const REMOVE: &str = "items.remove";
    pub(crate) const RECALL: &str = "items.recall";
    pub(crate) const USED: &str = "items.used";
    pub(crate) const TRUST: &str = "items.trust";
    pub(crate) const SWEEP: &str = "items.sweep";
    pub(crate) const STATS: &str = "items.stats";
    pub(crate) const EXPORT: &str = "items.export";
    pub(crate) const IMPORT: &str = "items.import";
    pub(crate) const MIGRATE: &str = "items.migrate";
    pub(crate) const MIGRATE_LEGACY: &str = "items.migrateLegacy";
}

/// Internals for the tests.
#[cfg(feature = "testing")]
pub(crate) mod testing {
    /// Forgets what this process knows of items, as if it had just started.
    pub fn forget() {
        super::collection::forget();
        super::usage::forget();
    }
}

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

pub use draft::{ItemDraft, ItemPatch};
#[cfg(feature = "sqlite")]
pub use factory::SqliteMemoryStore;
pub use factory::{JsonlMemoryStore, RecallContext, recall_for};
pub use legacy::{MigratedLegacy, SkippedLegacy};
pub use migrate::Migrated;
pub use preamble::CountTokens;
pub use recall::{Recall, RecallQuery, Recalled};
pub use record::{Counters, Item, ItemType, RelevanceHints, Scope, Status};
pub(crate) use room::ItemsRoom;
pub use store::{Filter, MemoryStore, ScopeStats, Stats};
pub use transfer::{Import, Imported, OnConflict, Skipped};

use place::{Place, Places};
use store::{ItemStore, not_found};

use crate::disk::Stored;
use crate::error::{Error, Result};
use crate::home::Home;
use crate::repo::{Location, Workspace};
use crate::room::{is_generated, may_be_shortened, named};

/// How many ids a message names.
const MAX_NAMED: usize = 20;

/// Which items are trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// All of them, now and later.
    Folder,
    /// Only those that were added from this home.
    AddedHere,
    /// As before: only look.
    Preview,
}

/// What `items.trust` trusts.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "TrustedItems")]
#[non_exhaustive]
pub struct TrustResult {
    /// The files of items, absolute.
    pub files: Vec<String>,
    /// The items in them that say what the user wants or is.
    pub standing: Vec<Stored<Item>>,
}

/// The items that apply to a workspace: those of its repository, of a folder and those above it, and the global ones. Returned
/// by [`Store::items`](crate::Store::items).
///
/// See [how to bring back a memory when it matters](crate::recipes#how-do-i-bring-back-a-memory-only-when-it-matters).
#[derive(Debug, Clone)]
pub struct Items {
    home: Home,
    workspace: Workspace,
    dir: Option<PathBuf>,
}

impl Items {
    pub(crate) fn new(home: &Home, workspace: Workspace) -> Self {
        Items { home: home.clone(), workspace, dir: None }
    }

    setters! {
        /// The folder for items of the scope `dir`, relative to the workspace or absolute. Default: the workspace.
        in_dir(dir: impl Into<Option<PathBuf>>) => dir = dir.into();
    }

    /// Adds an item and returns it as stored.
    ///
    /// # Errors
    /// Those of [`MemoryStore::add`]; `GitError` for a broken repository.
    pub fn add(&self, draft: ItemDraft) -> Result<Stored<Item>> {
        self.call(operation::ADD, |items| {
            // What applies everywhere needs no repository.
            let place = match draft.scope() {
                Scope::Global if items.workspace.is_current() && items.dir.is_none() => {
                    Place::global(&items.home, items.home.config().items.backend)?
                }
                scope => items.places()?.of_scope(&items.home, scope)?,
            };
            ItemStore::at(&items.home, &place)?.add(draft)
        })
    }

    /// Where an item applies if that is not said: in the folder that was set by [`in_dir`](Self::in_dir), else in the git
    /// repository of the workspace, else everywhere.
    ///
    /// # Errors
    /// `ValidationError` for a folder that does not exist, `GitError` for a broken repository.
    pub fn default_scope(&self) -> Result<Scope> {
        if self.dir.is_some() {
            return Ok(Scope::Dir);
        }
        let location = Location::of(&self.home, &self.workspace)?;
        Ok(if location.git_dir.is_some() { Scope::Repo } else { Scope::Global })
    }

    /// Returns the item with this id.
    ///
    /// # Errors
    /// `NotFound`; those of [`MemoryStore::get`].
    pub fn get(&self, id: &str) -> Result<Stored<Item>> {
        self.call(operation::GET, |items| {
            let id = items.whole_id(id)?;
            for store in items.stores()? {
                if let Some(item) = store.get(&id)? {
                    return Ok(item);
                }
            }
            Err(items.no_such(&id))
        })
    }

    /// Returns the items that match `filter`: those of the repository, of folders, the nearest first, and the global ones; oldest
    /// first in each of them.
    ///
    /// # Errors
    /// Those of [`MemoryStore::list`].
    pub fn list(&self, filter: &Filter) -> Result<Vec<Stored<Item>>> {
        self.call(operation::LIST, |items| {
            let mut found = Vec::new();
            for store in items.stores()? {
                found.extend(store.list(filter)?);
            }
            Ok(found)
        })
    }

    /// Changes the item with this id and returns it as stored. Fields that the patch omits keep their values.
    ///
    /// # Errors
    /// Those of [`MemoryStore::update`].
    pub fn update(&self, id: &str, patch: ItemPatch) -> Result<Stored<Item>> {
        self.call(operation::UPDATE, |items| {
            let id = items.whole_id(id)?;
            items.store_of(&id)?.update(&id, patch)
        })
    }

    /// Archives the item with this id: it is kept, but not recalled.
    ///
    /// # Errors
    /// Those of [`MemoryStore::archive`].
    pub fn archive(&self, id: &str) -> Result<Stored<Item>> {
        self.call(operation::ARCHIVE, |items| {
            let id = items.whole_id(id)?;
            items.store_of(&id)?.archive(&id)
        })
    }

    /// Makes an archived item active again. If it has expired, it no longer expires.
    ///
    /// # Errors
    /// Those of [`MemoryStore::restore`].
    pub fn restore(&self, id: &str) -> Result<Stored<Item>> {
        self.call(operation::RESTORE, |items| {
            let id = items.whole_id(id)?;
            items.store_of(&id)?.restore(&id)
        })
    }

    /// Removes the item with this id; the trash keeps it for `trash.keepDays`. Returns whether there was one.
    ///
    /// # Errors
    /// Those of [`MemoryStore::remove`].
    pub fn remove(&self, id: &str) -> Result<bool> {
        self.call(operation::REMOVE, |items| {
            store::refuse_temporary(&items.home)?;
            let id = items.whole_id(id)?;
            for store in items.stores()? {
                if store.remove(&id)? {
                    return Ok(true);
                }
            }
            items.home.redactor().admit("id", &id)?;
            Ok(false)
        })
    }

    /// Removes every item that matches `filter`; the trash keeps them for `trash.keepDays`. Returns how many there were.
    ///
    /// # Errors
    /// `ValidationError` for a filter that every item matches; those of [`MemoryStore::remove`].
    pub fn remove_matching(&self, filter: &Filter) -> Result<usize> {
        self.call(operation::REMOVE, |items| items.discard(filter, false))
    }

    /// Removes the item with this id for good: with its counts, every version of it in the trash, and everything damaged that
    /// was set aside of its file. Returns whether there was anything of it.
    ///
    /// # Errors
    /// Those of [`MemoryStore::remove`].
    pub fn purge(&self, id: &str) -> Result<bool> {
        self.call(operation::REMOVE, |items| {
            store::refuse_temporary(&items.home)?;
            let mut was_any = false;
            let id = items.whole_id(id)?;
            for store in items.stores()? {
                let wanted = id.clone();
                was_any |= store.discard(true, move |item| item.id == wanted)? > 0;
            }
            if !was_any {
                items.home.redactor().admit("id", &id)?;
            }
            Ok(was_any)
        })
    }

    /// As [`purge`](Self::purge), of every item that matches `filter`. Returns how many there were.
    ///
    /// # Errors
    /// Those of [`remove_matching`](Self::remove_matching).
    pub fn purge_matching(&self, filter: &Filter) -> Result<usize> {
        self.call(operation::REMOVE, |items| items.discard(filter, true))
    }

    /// Whether there is an item with this id, for a dry run of its removal.
    pub(crate) fn has(&self, id: &str) -> Result<bool> {
        self.call(operation::REMOVE, |items| {
            let id = items.whole_id(id)?;
            for store in items.stores()? {
                if store.has(&id)? {
                    return Ok(true);
                }
            }
            items.home.redactor().admit("id", &id)?;
            Ok(false)
        })
    }

    /// Counts the items that [`remove_matching`](Self::remove_matching) would remove.
    ///
    /// # Errors
    /// Those of [`remove_matching`](Self::remove_matching).
    pub fn count_matching(&self, filter: &Filter) -> Result<usize> {
        self.call(operation::REMOVE, |items| {
            filter.refuse_all()?;
            Ok(items.list(filter)?.len())
        })
    }

    fn discard(&self, filter: &Filter, is_purge: bool) -> Result<usize> {
        filter.refuse_all()?;
        store::refuse_temporary(&self.home)?;
        let mut count = 0;
        for store in self.stores()? {
            let (filter, place) = (filter.redacted(&self.home), store.place().clone());
            let discarded = store.discard(is_purge, move |item| filter.matches(item, &place));
            count += discarded.map_err(|failed| failed.after_some(count, "items of other stores were removed"))?;
        }
        Ok(count)
    }

    /// Recalls the items that matter for a prompt.
    ///
    /// # Errors
    /// `ValidationError` for a limit that is too large; `LockAcquisitionError`, `FormatTooNew`, `GitError`, `IOError`.
    pub fn recall(&self, query: &RecallQuery) -> Result<Recall> {
        self.call(operation::RECALL, |items| recall::recall(&items.home, || items.places(), query))
    }

    /// Counts that items were used. Returns how many of them exist.
    ///
    /// # Errors
    /// Those of [`MemoryStore::used`].
    pub fn used(&self, ids: &[&str]) -> Result<usize> {
        self.call(operation::USED, |items| {
            store::refuse_temporary(&items.home)?;
            let ids: Vec<String> = ids.iter().map(|id| items.whole_id(id)).collect::<Result<_>>()?;
            let (mut rest, mut counted): (Vec<&str>, _) = (ids.iter().map(String::as_str).collect(), 0);
            rest.sort_unstable();
            rest.dedup();
            let mut uses = Vec::new();
            // An id means the nearest item that has it, as in `get`.
            for store in items.stores()? {
                let (known, others) = store.known(&rest)?;
                uses.push((store, known));
                rest = others;
            }
            let at = items.home.milliseconds();
            for (done, (store, ids)) in uses.iter().enumerate() {
                if let Err(failed) = store.count_uses(ids, at) {
                    // A repeated call would count them again.
                    let before = uses.iter().take(done);
                    let left = before.filter(|(store, ids)| store.take_back_uses(ids, at).is_err());
                    let left: Vec<&str> = left.flat_map(|(_, ids)| ids.iter().copied()).collect();
                    return Err(match left.is_empty() {
                        true => failed,
                        false => failed.after(&format!("the uses of {} were counted", items.named(&left))),
                    });
                }
                counted += ids.len();
            }
            Ok(counted)
        })
    }

    /// Trusts the items of the repository and of folders, now and later: those that say what the user wants or is then apply
    /// without being asked for, regardless of who wrote them.
    ///
    /// # Errors
    /// Those of [`MemoryStore::get`].
    pub fn trust(&self, how: Trust) -> Result<TrustResult> {
        self.call(operation::TRUST, |items| {
            store::refuse_temporary(&items.home)?;
            let mut trusted = TrustResult::default();
            for store in items.stores()? {
                let place = store.place();
                if place.is_own || !items.home.disk().has_entry(&place.file) {
                    continue;
                }
                trusted.standing.extend(store.items()?.into_iter().filter(|item| item.is_standing()));
                match how {
                    Trust::Preview => {}
                    Trust::Folder => store.trust().set_folder(&items.home, true)?,
                    Trust::AddedHere => store.trust().set_folder(&items.home, false)?,
                }
                trusted.files.push(place.file.display().to_string());
            }
            Ok(trusted)
        })
    }

    /// Archives the items that have expired, and returns them.
    ///
    /// # Errors
    /// Those of [`MemoryStore::sweep`].
    pub fn sweep(&self) -> Result<Vec<Stored<Item>>> {
        self.call(operation::SWEEP, |items| {
            store::refuse_temporary(&items.home)?;
            let mut swept = Vec::new();
            for store in items.stores()? {
                match store.sweep() {
                    Ok(more) => swept.extend(more),
                    Err(failed) if swept.is_empty() => return Err(failed),
                    Err(failed) => {
                        let ids: Vec<&str> = swept.iter().map(|item: &Stored<Item>| item.id.as_str()).collect();
                        return Err(failed.after(&format!("{} were archived", items.named(&ids))));
                    }
                }
            }
            Ok(swept)
        })
    }

    /// Counts the items.
    ///
    /// # Errors
    /// Those of [`MemoryStore::stats`].
    pub fn stats(&self) -> Result<Stats> {
        self.call(operation::STATS, |items| {
            let mut stats = Stats::default();
            for store in items.stores()? {
                stats.absorb(store.stats()?);
            }
            Ok(stats)
        })
    }

    fn call<T>(&self, operation: &str, body: impl FnOnce(&Items) -> Result<T>) -> Result<T> {
        self.home.call(operation, |home| body(&Items { home: home.clone(), ..self.clone() }))
    }

    fn places(&self) -> Result<Places> {
        Places::of(&self.home, &self.workspace, self.dir.as_deref())
    }

    /// Ids for a message.
    fn named(&self, ids: &[&str]) -> String {
        backend::first_of(ids, MAX_NAMED, |id| self.home.redactor().quote(id))
    }

    /// The stores that apply; none if items are bypassed.
    fn stores(&self) -> Result<Vec<ItemStore>> {
        let places = self.places()?;
        if self.home.config().items.is_temporary {
            return Ok(Vec::new());
        }
        ItemStore::all_at(&self.home, places.all())
    }

    /// The id that `id` names: itself, or the only generated one of an item here that begins with it.
    ///
    /// # Errors
    /// `Conflict` if several begin with it; those of [`list`](Self::list).
    fn whole_id(&self, id: &str) -> Result<String> {
        let stores = self.stores()?;
        for store in &stores {
            if store.has(id)? {
                return Ok(id.to_owned());
            }
        }
        // Only to find what was quoted in part: chosen ids are shown whole.
        if !may_be_shortened(id) {
            return Ok(id.to_owned());
        }
        let mut ids = Vec::new();
        for store in stores {
            ids.extend(store.list(&Filter::all())?.iter().map(|item| item.id.clone()));
        }
        let generated = ids.iter().map(String::as_str).filter(|id| is_generated(id));
        Ok(named(id, generated)?.unwrap_or(id).to_owned())
    }

    /// The store with the item of this id.
    fn store_of(&self, id: &str) -> Result<ItemStore> {
        store::refuse_temporary(&self.home)?;
        for store in self.stores()? {
            if store.has(id)? {
                return Ok(store);
            }
        }
        Err(self.no_such(id))
    }

    fn no_such(&self, id: &str) -> Error {
        match self.home.redactor().admit("id", id) {
            Ok(()) => not_found(&self.home, id),
            Err(refused) => refused.into(),
        }
    }
}
