//! Items in an archive: the global ones, and those of the repositories whose folders are there.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use super::backend::Change;
use super::place::{Place, Places};
use super::record::{Item, Status};
use super::store::{Filter, ItemStore, KIND, MemoryStore, ROOM, refuse_temporary};
use super::transfer::{Import, Ready, read};
use super::usage::Sum;
use crate::disk::{Kind, Stored};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::repo::Workspace;
use crate::room::{Arrival, Brought, Export, Findable, KeptAside, Owner, Portable, Source};
use crate::trash::{Reason, foreign, refuse_too_many};

const TRASH: &str = "trash";

/// The items of these folders and, of a whole home, the global ones, each with its counts and what the trash has.
///
/// # Errors
/// `LockAcquisitionError`, `FormatTooNew`, `IOError`. A folder whose repository is broken is named instead.
pub(super) fn export(from: &Source<'_>) -> Result<Export> {
    let (mut export, mut seen) = (Export::default(), BTreeSet::new());
    let (home, backend) = (from.home, from.home.config().items.backend);
    if home.layout().codex_home().is_ok() {
        let global = Place::global(home, backend)?;
        seen.insert(global.file.clone());
        if from.is_whole {
            add(&mut export, from, &global, &Owner::Home)?;
        }
    }
    for folder in from.folders {
        home.wait_options().cancel.check()?;
        let places = match Places::of(home, &Workspace::at(folder), None) {
            Ok(places) => places,
            Err(error) => {
                export.faults.push(unreachable_items(home, folder, error)?);
                continue;
            }
        };
        for place in places.local() {
            let Some(of) = place.folder.as_ref().filter(|_| seen.insert(place.file.clone())) else { continue };
            add(&mut export, from, place, &Owner::Folder(of.clone()))?;
        }
    }
    Ok(export)
}

fn add(export: &mut Export, from: &Source<'_>, place: &Place, owner: &Owner) -> Result<()> {
    let store = ItemStore::at(from.home, place)?;
    for item in MemoryStore::list(&store, &Filter::all())? {
        export.records.push(Portable::of(owner.clone(), KIND, &item)?);
    }
    export.skipped += MemoryStore::stats(&store)?.damaged;
    let trash = from.with_trash.then(|| store.trash().entries()).transpose()?;
    for entry in trash.unwrap_or_default() {
        export.records.push(Portable::of(owner.clone(), TRASH, &entry)?);
    }
    Ok(())
}

/// Why the items of a folder cannot be reached, if that is because of what the folder is.
fn unreachable_items(home: &Home, folder: &Path, error: Error) -> Result<String> {
    match error.kind() {
        ErrorKind::Git | ErrorKind::Validation | ErrorKind::SecretRefused | ErrorKind::Io => {
            let fault = format!("the items of {}: {}", folder.display(), error.message());
            Ok(home.redactor().scrub(&fault).into_owned())
        }
        _ => Err(error),
    }
}

/// Brings items, each with its counts, to the store of their folder.
///
/// # Errors
/// `Unsupported` for a store that was opened as temporary; those of an import.
pub(super) fn import(owner: &Owner, records: &[Portable], into: &Arrival<'_>) -> Result<Brought> {
    let home = into.home;
    refuse_temporary(home)?;
    let place = match owner {
        Owner::Home => Ok(Place::global(home, home.config().items.backend)?),
        Owner::Folder(folder) => place_in(home, folder).map_err(|error| (folder, error)),
        Owner::Repo(_) => return Ok(Brought { skipped: records.len(), ..Brought::default() }),
    };
    let place = match place {
        Ok(place) => place,
        Err((folder, error)) => {
            let faults = vec![unreachable_items(home, folder, error)?];
            return Ok(Brought { skipped: records.len(), faults, ..Brought::default() });
        }
    };
    let store = ItemStore::at(home, &place)?;
    let import = Import::new().force(true).of_any_length();
    let (check, mut brought, mut ready, mut removed) =
        (home.cancel_check(), Brought::default(), Vec::new(), Vec::new());
    for portable in records {
        check()?;
        match &*portable.kind {
            KIND => match read(home, &import, portable.record.get().as_bytes()) {
                Ok(item) => ready.push(item),
                Err(error) => brought.skip(error.at(into.archive))?,
            },
            TRASH => match foreign(home, into.archive, &portable.record, place.folder.as_deref()) {
                Ok(entry) if entry.room == ROOM => removed.push(entry),
                Ok(_) => brought.skipped += 1,
                Err(error) => brought.skip(error)?,
            },
            _ => brought.skipped += 1,
        }
    }
    brought.absorb(merge(&store, ready, into.dry_run)?);
    brought.joined(removed.len(), store.trash().add(removed, into.dry_run)?);
    Ok(brought)
}

/// The store of a folder, which has to exist.
fn place_in(home: &Home, folder: &Path) -> Result<Place> {
    if !matches!(home.disk().kind_of(folder), Ok(Some(Kind::Folder))) {
        let message = "the folder is not there; create it or clone the repository, and import the archive again, or say with \
                       pathMap (--map) where it is now";
        return Err(Error::validation(message).at(folder));
    }
    let places = Places::of(home, &Workspace::at(folder), None)?;
    let place = places.dirs.first().unwrap_or(&places.repo);
    place.refused.clone().map_or(Ok(place.clone()), Err)
}

/// What has to be done to bring items to a store.
#[derive(Default)]
struct Plan {
    changes: Vec<Change>,
    /// For the trash.
    discarded: Vec<Stored<Item>>,
    counts: Vec<(String, Sum)>,
    brought: Brought,
}

impl Plan {
    /// `find` returns the item with an id. With `keeps_ours`, what is here stays, whatever is newer.
    fn new(
        items: Vec<Ready>,
        keeps_ours: bool,
        mut find: impl FnMut(&str) -> Result<Option<Stored<Item>>>,
    ) -> Result<Plan> {
        let (mut plan, mut seen) = (Plan::default(), BTreeSet::new());
        for Ready { item, counters, .. } in items {
            let id = item.value().id.clone();
            if !seen.insert(id.clone()) {
                plan.brought.skipped += 1;
                continue;
            }
            plan.counts.extend(counters.map(|sum| (id.clone(), sum)));
            let theirs = Stored::from(item);
            match find(&id)? {
                None => {
                    plan.brought.copied += 1;
                    plan.changes.push(Change::Set(theirs));
                }
                Some(ours) if is_same(&ours, &theirs) => plan.brought.deduplicated += 1,
                Some(ours) => {
                    let is_theirs = keeps_ours || ours.changed_at() >= theirs.changed_at();
                    plan.brought.kept_aside.push(KeptAside { kind: KIND.into(), id, is_theirs });
                    if is_theirs {
                        plan.discarded.push(theirs);
                    } else {
                        plan.brought.merged += 1;
                        plan.discarded.push(ours);
                        plan.changes.push(Change::Set(theirs));
                    }
                }
            }
        }
        plan.counts.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        Ok(plan)
    }
}

/// Whether both are the same, however another program wrote them and whatever their counts are.
fn is_same(one: &Stored<Item>, other: &Stored<Item>) -> bool {
    let members = |item: &Stored<Item>| {
        let mut members: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(item.json().get()).unwrap_or_default();
        members.retain(|name, value| name != "counters" && !value.is_null());
        members
    };
    one.json().get() == other.json().get() || members(one) == members(other)
}

fn merge(store: &ItemStore, items: Vec<Ready>, dry_run: bool) -> Result<Brought> {
    // Without a trash, what is here stays.
    let keeps_ours = store.home().config().trash_keep_days == 0;
    if items.is_empty() {
        return Ok(Brought::default());
    }
    if dry_run {
        let known: HashMap<String, Stored<Item>> =
            store.items()?.into_iter().map(|item| (item.id.clone(), item)).collect();
        let plan = Plan::new(items, keeps_ours, |id| Ok(known.get(id).cloned()))?;
        refuse_too_many(store.home(), plan.discarded.iter().map(|item| item.json().get().len()))?;
        return Ok(plan.brought);
    }
    let of_change = store.clone();
    let (brought, counts) = store.edit(move |records| {
        let plan = Plan::new(items, keeps_ours, |id| records.find(id))?;
        let discarded = plan.discarded.iter().map(|item| of_change.discarded(item)).collect::<Result<_>>()?;
        of_change.trash().put(Reason::Replaced, discarded)?;
        Ok((plan.changes, (plan.brought, plan.counts)))
    })?;
    store
        .usage()
        .raise(store.home(), counts)
        .map_err(|failed| failed.after("the items were imported, and importing again adds their counts"))?;
    Ok(brought)
}

/// What a search finds of an item: one that is active and has not expired.
pub(super) fn findable(home: &Home, portable: &Portable) -> Option<Findable> {
    let it: Item = portable.read().filter(|_| portable.kind == KIND)?;
    let now = i64::try_from(home.milliseconds()).unwrap_or(i64::MAX);
    if !it.is_recallable() || it.status != Status::Active || it.expires_at().is_some_and(|expires| expires <= now) {
        return None;
    }
    let found = Findable::new(portable.owner.clone(), it.item_type.as_str(), it.id, it.content);
    Some(Findable { tags: it.tags, files: it.relevance_hints.files, time: Some(it.updated_at), ..found })
}
