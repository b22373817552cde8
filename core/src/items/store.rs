//! The rules of items, over any storage: how they are added, changed and archived, and how their counts are joined.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::backend::{Backend, Change, Decide, Records, retrying};
use super::draft::{ItemDraft, ItemPatch};
use super::expiry;
use super::jsonl::JsonlBackend;
use super::place::Place;
use super::record::{Item, ItemType, Scope, Status};
use super::trust::{StatedItems, TrustFile};
use super::usage::{Sum, Sums, Usage};
use crate::disk::Stored;
use crate::error::{Error, ErrorKind, Result};
use crate::home::{Home, ItemsBackend, Layout};
use crate::mutex::lock;
use crate::safety::{SealedObject, Timestamp, Trusted};
use crate::trash::{Discarded, Reason, Trash, record_of as record_of_entry};
use crate::warning::Warning;

/// The name of the room, and of the kind of its records, in the trash.
pub(super) const ROOM: &str = "items";
pub(super) const KIND: &str = "item";

/// A store of items: one file or database (spec 004, "API Sketch").
pub trait MemoryStore: Debug + Send + Sync {
    /// Adds an item and returns it as stored.
    ///
    /// # Errors
    /// `ValidationError` naming the field; `SecretRefused` naming the rule and the field, unless the draft is forced;
    /// `LockAcquisitionError`, `FormatTooNew`, `IOError`.
    fn add(&self, draft: ItemDraft) -> Result<Stored<Item>>;

    /// Returns the item with this id; `None` if there is none.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `FormatTooNew`, `IOError`.
    fn get(&self, id: &str) -> Result<Option<Stored<Item>>>;

    /// Returns the items that match `filter`, in the order in which they were added.
    ///
    /// # Errors
    /// Those of [`get`](Self::get).
    fn list(&self, filter: &Filter) -> Result<Vec<Stored<Item>>>;

    /// Changes the item with this id and returns it as stored. Fields that the patch omits keep their values.
    ///
    /// # Errors
    /// `NotFound`, and those of [`add`](Self::add).
    fn update(&self, id: &str, patch: ItemPatch) -> Result<Stored<Item>>;

    /// Archives the item with this id: it is kept, but not recalled.
    ///
    /// # Errors
    /// `NotFound`, and those of [`get`](Self::get); `RenameError`.
    fn archive(&self, id: &str) -> Result<Stored<Item>>;

    /// Makes an archived item active again. If it has expired, it no longer expires.
    ///
    /// # Errors
    /// As [`archive`](Self::archive).
    fn restore(&self, id: &str) -> Result<Stored<Item>>;

    /// Removes the item with this id. Returns whether there was one.
    ///
    /// # Errors
    /// Those of [`get`](Self::get); `RenameError`.
    fn remove(&self, id: &str) -> Result<bool>;

    /// Counts that items were used. Returns how many of the ids are in this store.
    ///
    /// # Errors
    /// Those of [`get`](Self::get).
    fn used(&self, ids: &[&str]) -> Result<usize>;

    /// Archives the items that have expired, and returns them.
    ///
    /// # Errors
    /// As [`archive`](Self::archive).
    fn sweep(&self) -> Result<Vec<Stored<Item>>>;

    /// Counts the items.
    ///
    /// # Errors
    /// Those of [`get`](Self::get).
    fn stats(&self) -> Result<Stats>;
}

optional_fields! {
    /// Filters of items. An item has to match all of them.
    #[derive(Debug, Clone, Default)]
    #[non_exhaustive]
    pub struct Filter {
        /// Only items of this scope.
        pub scope: Scope,
        /// Only items with this status.
        pub status: Status,
        /// Only items of this type.
        pub item_type: ItemType,
        /// Only items with this tag.
        pub tag: String,
        /// Only items with this text in their content, tags or hints, ignoring case.
        pub text: String,
    }
}

impl Filter {
    /// Every item.
    pub fn all() -> Self {
        Filter::default()
    }

    /// Refuses a filter that every item matches.
    pub(super) fn refuse_all(&self) -> Result<()> {
        match self.is_of_all() {
            true => {
                let message = "pass an id, scope, status, type, tag or text, to say which items are removed";
                Err(Error::validation(message))
            }
            false => Ok(()),
        }
    }

    /// True if it is none.
    pub(crate) fn is_of_all(&self) -> bool {
        let Filter { scope, status, item_type, tag, text } = self;
        scope.is_none() && status.is_none() && item_type.is_none() && tag.is_none() && text.is_none()
    }

    /// The same filter for stored items, in which secrets were replaced by placeholders.
    pub(super) fn redacted(&self, home: &Home) -> Self {
        let scrub = |text: &String| home.redactor().scrub(text).into_owned();
        Filter {
            tag: self.tag.as_ref().map(scrub),
            text: self.text.as_ref().map(|it| scrub(it).to_lowercase()),
            ..*self
        }
    }

    /// True if an item matches, given that the text is lower-cased.
    pub(super) fn matches(&self, item: &Item, place: &Place) -> bool {
        let hints = &item.relevance_hints;
        let texts = || {
            let lists = [&item.tags, &hints.files, &hints.crates, &hints.langs];
            std::iter::once(&item.content).chain(lists.into_iter().flatten())
        };
        self.scope.is_none_or(|scope| place.scope_of(item.scope) == scope)
            && self.status.is_none_or(|status| item.status == status)
            && self.item_type.is_none_or(|item_type| item.item_type == item_type)
            && self.tag.as_ref().is_none_or(|tag| item.tags.contains(tag))
            && self.text.as_ref().is_none_or(|text| texts().any(|own| own.to_lowercase().contains(text)))
    }
}

/// A new item is compared with the others of a store of so many items at most.
const MAX_COMPARED: usize = 2_000;

/// How many items there are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ItemStats")]
#[non_exhaustive]
pub struct Stats {
    /// All items.
    pub items: usize,
    /// Those that are active and have not expired.
    pub active: usize,
    /// Those that are archived.
    pub archived: usize,
    /// Those that are active but have expired.
    pub expired: usize,
    /// Records that are not items, and are kept as they are; `doctor.check` lists them.
    pub damaged: usize,
    /// Records with the id of another one that was changed later; only that one counts.
    pub duplicates: usize,
    /// Active items with the text of another one.
    pub repeated: usize,
    /// The counts of each scope that has items.
    pub scopes: BTreeMap<String, ScopeStats>,
}

/// How many items of a scope there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ItemScopeStats")]
#[non_exhaustive]
pub struct ScopeStats {
    /// Those that are active and have not expired.
    pub active: usize,
    /// Those that are archived.
    pub archived: usize,
    /// Those that are active but have expired.
    pub expired: usize,
}

impl Stats {
    /// Adds those of another store.
    pub(super) fn absorb(&mut self, other: Stats) {
        self.items += other.items;
        self.active += other.active;
        self.archived += other.archived;
        self.expired += other.expired;
        self.damaged += other.damaged;
        self.duplicates += other.duplicates;
        self.repeated += other.repeated;
        for (scope, counts) in other.scopes {
            let own = self.scopes.entry(scope).or_default();
            own.active += counts.active;
            own.archived += counts.archived;
            own.expired += counts.expired;
        }
    }
}

/// A store that is kept in an [`ItemStore`].
pub(super) trait OfItems {
    fn store(&self) -> &ItemStore;
}

impl OfItems for ItemStore {
    fn store(&self) -> &ItemStore {
        self
    }
}

/// The store at one place.
#[derive(Debug, Clone)]
pub(super) struct ItemStore {
    home: Home,
    pub(super) backend: Arc<dyn Backend>,
    usage: Usage,
    trust: TrustFile,
}

impl ItemStore {
    pub(super) fn at(home: &Home, place: &Place) -> Result<Self> {
        if let Some(refused) = &place.refused {
            return Err(refused.clone());
        }
        let (usage, trust) = (Usage::new(&place.state), TrustFile::new(&place.state));
        let backend: Arc<dyn Backend> = match place.backend {
            ItemsBackend::Jsonl => Arc::new(JsonlBackend::new(home, place.clone())),
            #[cfg(feature = "sqlite")]
            ItemsBackend::Sqlite => Arc::new(super::sqlite::SqliteBackend::new(home, place.clone())),
            #[cfg(not(feature = "sqlite"))]
            ItemsBackend::Sqlite => {
                let message =
                    "this build of loopmem does not include SQLite (cargo feature `sqlite`); use the backend jsonl";
                return Err(Error::new(ErrorKind::Unsupported, message));
            }
        };
        Ok(ItemStore { home: home.clone(), backend, usage, trust })
    }

    /// The stores at `places`.
    pub(super) fn all_at<'p>(home: &Home, places: impl Iterator<Item = &'p Place>) -> Result<Vec<Self>> {
        places.map(|place| ItemStore::at(home, place)).collect()
    }

    /// Where it is.
    pub(super) fn place(&self) -> &Place {
        self.backend.place()
    }

    /// Its home.
    pub(super) fn home(&self) -> &Home {
        &self.home
    }

    /// The counts of its items.
    pub(super) fn sums(&self) -> Result<Arc<Sums>> {
        self.usage.read(&self.home)
    }

    /// The counts of how often its items are recalled and used.
    pub(super) fn usage(&self) -> &Usage {
        &self.usage
    }

    /// Which of its items the user stated.
    pub(super) fn stated(&self) -> Result<StatedItems> {
        if self.place().is_own { Ok(StatedItems::all()) } else { self.trust.read(&self.home) }
    }

    /// The trust in its items.
    pub(super) fn trust(&self) -> &TrustFile {
        &self.trust
    }

    /// Notes that the user stated a standing item here, or had stated what it was before. The item is stored in any case.
    fn note_stated(&self, item: &Item, before: Option<&Item>) {
        if self.place().is_own || !item.is_standing() {
            return;
        }
        let noted = self.trust.read(&self.home).and_then(|stated| {
            let is_stated = before.is_none_or(|before| stated.has_noted(before));
            let missing = Some(item).filter(|item| is_stated && !stated.has_noted(item));
            self.trust.note(&self.home, missing.into_iter())
        });
        if let Err(error) = noted {
            Warning::new("an item was stored, but is not known to be stated by the user; change it to repeat that")
                .because(&error)
                .at(&self.place().file)
                .emit(self.home.redactor());
        }
    }

    /// All items, without their counts.
    pub(super) fn items(&self) -> Result<Vec<Stored<Item>>> {
        retrying(|| self.backend.state()?.items(&self.place().file))
    }

    /// Another active item with the text of this one.
    fn same_text(&self, item: &Item) -> Result<Option<Stored<Item>>> {
        let text = serde_json::to_string(&item.content).unwrap_or_default();
        let finder = memchr::memmem::Finder::new(text.as_bytes());
        let place = &self.place().file;
        let found = retrying(|| self.backend.state()?.items_with(place, |line| finder.find(line).is_some()))?;
        let is_same = |it: &Stored<Item>| it.id != item.id && it.status == Status::Active && it.says_the_same_as(item);
        Ok(found.into_iter().find(is_same))
    }

    /// True if it has an item with this id.
    pub(super) fn has(&self, id: &str) -> Result<bool> {
        Ok(self.backend.state()?.find(id).is_some())
    }

    /// Those of `ids` that it has an item with, and the others.
    pub(super) fn known<'i>(&self, ids: &[&'i str]) -> Result<(Vec<&'i str>, Vec<&'i str>)> {
        let state = self.backend.state()?;
        Ok(ids.iter().partition(|id| state.find(id).is_some()))
    }

    /// Counts one use of each of these items, durably.
    pub(super) fn count_uses(&self, ids: &[&str], at: u64) -> Result<()> {
        self.usage.add(&self.home, &uses(ids, at))
    }

    /// Takes back what [`count_uses`](Self::count_uses) has counted.
    pub(super) fn take_back_uses(&self, ids: &[&str], at: u64) -> Result<()> {
        self.usage.take_back(&self.home, uses(ids, at))
    }

    /// Makes the changes that `decide` returns, and returns the answer that comes with them.
    pub(super) fn edit<T: Send + 'static>(
        &self,
        decide: impl FnOnce(&mut dyn Records) -> Result<(Vec<Change>, T)> + Send + 'static,
    ) -> Result<T> {
        refuse_temporary(&self.home)?;
        let answer = Arc::new(Mutex::new(None));
        let answered = Arc::clone(&answer);
        let decide: Decide = Box::new(move |records| {
            let (changes, value) = decide(records)?;
            *lock(&answered) = Some(value);
            Ok(changes)
        });
        self.backend.edit(decide)?;
        let answer = lock(&answer).take();
        answer.ok_or_else(|| Error::internal("a change ended without an answer"))
    }

    /// What was removed or replaced of its items.
    pub(super) fn trash(&self) -> Trash {
        Trash::at(&self.home, Layout::items_trash(&self.place().state))
    }

    /// An item for the trash.
    pub(super) fn discarded(&self, item: &Stored<Item>) -> Result<Discarded> {
        let discarded = Discarded::new(ROOM, KIND, &item.text(|it| &it.id), item)?;
        match &self.place().folder {
            Some(folder) => discarded.in_folder(&self.home, folder),
            None => Ok(discarded),
        }
    }

    /// Removes every item that `is_meant`, and returns how many. They go to the trash or, for good, are removed from it too.
    pub(super) fn discard(
        &self,
        is_purge: bool,
        is_meant: impl Fn(&Item) -> bool + Send + Sync + 'static,
    ) -> Result<usize> {
        let ids: Vec<String> = self.items()?.iter().filter(|it| is_meant(it)).map(|it| it.id.clone()).collect();
        let is_meant = Arc::new(is_meant);
        let mut gone = BTreeSet::new();
        // Nothing is created to find that there is nothing to remove.
        if !ids.is_empty() {
            let (store, is_still_meant) = (self.clone(), Arc::clone(&is_meant));
            gone = self.edit(move |records| {
                let (mut discarded, mut gone) = (Vec::new(), BTreeSet::new());
                for id in ids {
                    let Some(item) = records.find(&id)?.filter(|item| is_still_meant(item)) else { continue };
                    discarded.push(store.discarded(&item)?);
                    gone.insert(id);
                }
                if !is_purge {
                    store.trash().put(Reason::Removed, discarded)?;
                }
                Ok((gone.iter().cloned().map(Change::Remove).collect(), gone))
            })?;
        }
        if is_purge {
            gone.extend(self.purge_trash(&*is_meant)?);
            self.backend.clear()?;
            self.usage.forget(&self.home, gone.clone())?;
            self.trust.forget(&self.home, gone.clone())?;
        }
        Ok(gone.len())
    }

    /// Removes what `is_meant` from the trash, and returns the ids.
    fn purge_trash(&self, is_meant: &dyn Fn(&Item) -> bool) -> Result<BTreeSet<String>> {
        let (mut entries, mut ids) = (BTreeSet::new(), BTreeSet::new());
        for entry in self.trash().entries()? {
            // What cannot be read cannot be brought back either.
            if Stored::<Item>::parse(record_of_entry(&entry)?).is_ok_and(|item| is_meant(&item)) {
                ids.insert(entry.record_id.clone());
                entries.insert(entry.id.clone());
            }
        }
        self.trash().purge(move |entry| entries.contains(&entry.id))?;
        Ok(ids)
    }

    /// Sets the status of the item with this id. An item that has it already stays as it is, with its date.
    fn set_status(&self, id: &str, status: Status) -> Result<Stored<Item>> {
        let now = expiry::now(&self.home);
        let is_unchanged = move |item: &Item| item.status == status;
        let changed = self.change(id, is_unchanged, false, move |record| {
            let text = |name: &str| record.read::<String>(name);
            let created = text("created_at").and_then(|created| expiry::millis(&created));
            let expires = text("expiry").and_then(|expiry| expiry::stored(&expiry, created));
            if status == Status::Active && expires.is_some_and(|expires| expires <= now) {
                // Otherwise it would still not be recalled, and be archived again by the next sweep.
                record.take("expiry");
            }
            Ok(record.set("status", &status.as_str())?)
        });
        Ok(changed?.1)
    }

    /// Changes the item with this id, unless `is_unchanged`. The trash keeps the old version if `is_kept`. Returns what was stored,
    /// and the item.
    fn change(
        &self,
        id: &str,
        is_unchanged: impl FnOnce(&Item) -> bool + Send + 'static,
        is_kept: bool,
        change: impl FnOnce(&mut SealedObject) -> Result<()> + Send + 'static,
    ) -> Result<(Stored<Item>, Stored<Item>)> {
        let (id, home) = (id.to_owned(), self.home.clone());
        // Read before, since nothing may fail once the change is stored.
        let sums = self.sums()?;
        let store = self.clone();
        let (old, stored) = self.edit(move |records| {
            let old = records.find(&id)?.ok_or_else(|| not_found(&home, &id))?;
            if is_unchanged(&old) {
                return Ok((Vec::new(), (old.clone(), old)));
            }
            let mut record = members_of(&home, &old)?;
            change(&mut record)?;
            let changed = Stored::from(record.clone().record::<Item>()?);
            if changed.json().get() == old.json().get() {
                return Ok((Vec::new(), (old.clone(), old)));
            }
            record.set("updated_at", &later(home.timestamp(), &old.updated_at))?;
            let stored = Stored::from(record.record::<Item>()?);
            if is_kept {
                store.trash().put(Reason::Replaced, vec![store.discarded(&old)?])?;
            }
            Ok((vec![Change::Set(stored.clone())], (old, stored)))
        })?;
        Ok((old, join(stored, self.place(), &sums)?))
    }
}

/// One use of each of these items, at this time in milliseconds since 1970.
fn uses(ids: &[&str], at: u64) -> Vec<(String, Sum)> {
    ids.iter().map(|id| ((*id).to_owned(), Sum { seen: 0, used: 1, at: Some(at) })).collect()
}

/// An item of `place` with its counts.
pub(super) fn join(stored: Stored<Item>, place: &Place, sums: &Sums) -> Result<Stored<Item>> {
    // Another program may have counted in the item itself.
    let sum = Sum::of(&stored.counters).and(sums.of(&stored.id).unwrap_or_default());
    let mut record = SealedObject::of(&stored)?;
    let scope = place.scope_of(stored.scope);
    if scope != stored.scope {
        record.set("scope", &scope.as_str())?;
    }
    record.set("counters", &sum.sealed()?)?;
    Ok(Stored::from(record.record::<Item>()?))
}

/// The record of an item with this id, created and updated at these times, in the order of the data model.
pub(super) fn record_of(
    id: &(impl Trusted + ?Sized),
    [created, updated]: [Timestamp; 2],
    scope: Scope,
    status: Status,
    item_type: ItemType,
) -> Result<SealedObject> {
    let mut record = SealedObject::default();
    record.set("id", id)?;
    record.set("created_at", &created)?;
    record.set("updated_at", &updated)?;
    record.set("scope", &scope.as_str())?;
    record.set("status", &status.as_str())?;
    record.set("type", &item_type.as_str())?;
    record.set("content", &"")?;
    record.set::<[u64]>("tags", &[])?;
    record.set("relevance_hints", &SealedObject::default())?;
    Ok(record)
}

/// The later one of a time and a stored one: a clock that was set back must not make an older version the current one.
fn later(now: Timestamp, stored: &str) -> Timestamp {
    let stored = expiry::millis(stored).map(Timestamp::from_unix_millis);
    stored.filter(|stored| *stored > now).unwrap_or(now)
}

/// The members of a stored item that is to be changed. It was parsed before, but its unknown fields are only checked here.
fn members_of(home: &Home, item: &Stored<Item>) -> Result<SealedObject> {
    let damaged = |what: &str| Error::new(ErrorKind::Parse, what.to_owned()).about(&item.id);
    home.redactor().check(item.json()).map_err(|fault| damaged(fault.message()))?;
    SealedObject::of(item).map_err(|_| damaged("a key occurs twice in the item; remove one of them"))
}

pub(super) fn not_found(home: &Home, id: &str) -> Error {
    let shown = home.redactor().quote(id);
    Error::new(ErrorKind::NotFound, format!("there is no item {shown}; items.list shows the ids"))
}

/// Refuses to write while items are bypassed.
pub(super) fn refuse_temporary(home: &Home) -> Result<()> {
    if home.config().items.is_temporary {
        let message = "this store was opened as temporary, so no item is written; open another one to write";
        return Err(Error::new(ErrorKind::Unsupported, message));
    }
    Ok(())
}

impl<S: OfItems + Debug + Send + Sync> MemoryStore for S {
    fn add(&self, draft: ItemDraft) -> Result<Stored<Item>> {
        let store = self.store();
        refuse_temporary(&store.home)?;
        let content = draft.content.sealed(&store.home, store.home.config().items.max_content_chars, false)?;
        let (home, scope, item_type) = (store.home.clone(), draft.scope, draft.item_type);
        let stored = store.edit(move |_| {
            let mut record = record_of(&home.new_id(), [home.timestamp(); 2], scope, Status::Active, item_type)?;
            content.apply(&mut record)?;
            let stored = Stored::from(record.record::<Item>()?);
            Ok((vec![Change::Add(stored.clone())], stored))
        })?;
        store.note_stated(&stored, None);
        // Whether there is one is no reason to fail, nor to read a large store at each addition: its statistics count them.
        if store.backend.state().is_ok_and(|state| state.len() <= MAX_COMPARED)
            && let Ok(Some(other)) = store.same_text(&stored)
        {
            Warning::new("another item has the same text").about(&other.id).emit(store.home.redactor());
        }
        join(stored, store.place(), &Sums::default())
    }

    fn get(&self, id: &str) -> Result<Option<Stored<Item>>> {
        let store = self.store();
        let found = retrying(|| store.backend.state()?.find_item(&store.place().file, id))?;
        found.map(|stored| join(stored, store.place(), &*store.sums()?)).transpose()
    }

    fn list(&self, filter: &Filter) -> Result<Vec<Stored<Item>>> {
        let store = self.store();
        let filter = filter.redacted(&store.home);
        let items: Vec<_> = store.items()?.into_iter().filter(|item| filter.matches(item, store.place())).collect();
        if items.is_empty() {
            return Ok(items);
        }
        let sums = store.sums()?;
        items.into_iter().map(|item| join(item, store.place(), &sums)).collect()
    }

    fn update(&self, id: &str, patch: ItemPatch) -> Result<Stored<Item>> {
        let store = self.store();
        let is_reworded = patch.content.is_some();
        let content = patch.sealed(&store.home, store.home.config().items.max_content_chars, true)?;
        let is_kept = store.home.config().keep_replaced;
        let (old, changed) = store.change(id, |_| false, is_kept, move |record| content.apply(record))?;
        // Another field of what a clone brought may be changed; what it says is still not the user's.
        store.note_stated(&changed, Some(&*old).filter(|_| !is_reworded));
        Ok(changed)
    }

    fn archive(&self, id: &str) -> Result<Stored<Item>> {
        self.store().set_status(id, Status::Archived)
    }

    fn restore(&self, id: &str) -> Result<Stored<Item>> {
        self.store().set_status(id, Status::Active)
    }

    fn remove(&self, id: &str) -> Result<bool> {
        let store = self.store();
        refuse_temporary(&store.home)?;
        // Nothing is created to find that there is nothing to remove.
        if !store.has(id)? {
            return Ok(false);
        }
        let (id, of_change) = (id.to_owned(), store.clone());
        store.edit(move |records| {
            let Some(item) = records.find(&id)? else { return Ok((Vec::new(), false)) };
            of_change.trash().put(Reason::Removed, vec![of_change.discarded(&item)?])?;
            Ok((vec![Change::Remove(id)], true))
        })
    }

    fn used(&self, ids: &[&str]) -> Result<usize> {
        let store = self.store();
        refuse_temporary(&store.home)?;
        let (mut known, _) = store.known(ids)?;
        known.sort_unstable();
        known.dedup();
        store.count_uses(&known, store.home.milliseconds())?;
        Ok(known.len())
    }

    fn sweep(&self) -> Result<Vec<Stored<Item>>> {
        let store = self.store();
        refuse_temporary(&store.home)?;
        let now = expiry::now(&store.home);
        let is_active = |item: &Stored<Item>| item.status == Status::Active;
        // Nothing is created to find that there is nothing to sweep.
        if store.backend.state()?.expired(now).next().is_none() {
            return Ok(Vec::new());
        }
        let (home, sums) = (store.home.clone(), store.sums()?);
        let swept = store.edit(move |records| {
            let (mut changes, mut swept) = (Vec::new(), Vec::new());
            for old in records.expired(now)?.into_iter().filter(is_active) {
                let mut record = members_of(&home, &old)?;
                record.set("status", &Status::Archived.as_str())?;
                record.set("updated_at", &later(home.timestamp(), &old.updated_at))?;
                let stored = Stored::from(record.record::<Item>()?);
                swept.push(stored.clone());
                changes.push(Change::Set(stored));
            }
            Ok((changes, swept))
        })?;
        swept.into_iter().map(|item| join(item, store.place(), &sums)).collect()
    }

    fn stats(&self) -> Result<Stats> {
        let store = self.store();
        let now = expiry::now(&store.home);
        let items = store.items()?;
        let (damaged, duplicates) = {
            let state = store.backend.state()?;
            (state.damaged(), state.superseded())
        };
        let mut stats = Stats { items: items.len(), damaged, duplicates, ..Stats::default() };
        let mut texts = HashSet::new();
        for item in &items {
            let is_expired = item.expires_at().is_some_and(|expires| expires <= now);
            let scope = store.place().scope_of(item.scope).as_str().to_owned();
            let of_scope = stats.scopes.entry(scope).or_default();
            let (all, of_scope) = match (item.status, is_expired) {
                (Status::Archived, _) => (&mut stats.archived, &mut of_scope.archived),
                (Status::Active, true) => (&mut stats.expired, &mut of_scope.expired),
                (Status::Active, false) => (&mut stats.active, &mut of_scope.active),
            };
            *all += 1;
            *of_scope += 1;
            if item.status == Status::Active && !texts.insert(item.content.trim()) {
                stats.repeated += 1;
            }
        }
        Ok(stats)
    }
}
