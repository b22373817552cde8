//! Scopes in an archive: every value and every item of a list is one record, which names its scope.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use super::adapter::{Adapter, SealedJson, Write, stored};
use super::entry::MemoryEntry;
use super::key::{Key, Scope};
use super::trail::TrailEntry;
use super::{Working, checkpoint, storage, undo};
use crate::disk::{Fields, Json, Mode, WaitOptions};
use crate::error::{Error, ErrorKind, Result};
use crate::home::{ForeignRecord, Home, RepoHash};
use crate::room::{Arrival, Brought, Export, Findable, KeptAside, Owner, Portable, Source};
use crate::safety::{Numbers, Sealed, SealedObject, Timestamp};
use crate::trash;

const CONTEXT: &str = "context";
const TRAIL: &str = "trail";
const LOG: &str = "log";
const CHECKPOINT: &str = "checkpoint";
const VALUE: &str = "value";
const ITEM: &str = "item";
const TRASH: &str = "trash";
/// A context is redacted as the patch that sets it.
const PATCH: &str = "patch";
const METADATA: &str = "metadata";

const TRAIL_ENTRY: ForeignRecord = ForeignRecord {
    keys: &["id", "operation", PATCH, "remove", "source", "time", "timestamp", "replaced"],
    ids: &["id"],
    generated: &["time"],
};
const LOG_ENTRY: ForeignRecord = ForeignRecord { keys: &["id", "content", METADATA], ids: &["id"], generated: &[] };

/// One record of a scope.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part<'p> {
    #[serde(borrow)]
    scope_id: Cow<'p, str>,
    /// That of a checkpoint.
    timestamp: Option<u64>,
    #[serde(borrow)]
    value: &'p RawValue,
}

/// Everything in a scope.
#[derive(Debug, Default)]
struct Parts {
    context: Option<SealedJson>,
    trail: Vec<SealedJson>,
    log: Vec<SealedJson>,
    checkpoints: BTreeMap<u64, SealedJson>,
    /// The value under a key of the host's own that is called like the scope.
    value: Option<SealedJson>,
    /// The list under that key.
    items: Vec<SealedJson>,
}

impl Parts {
    /// Those of a stored scope.
    fn stored(adapter: &dyn Adapter, wait: &WaitOptions, scope: &Scope) -> Result<Self> {
        let whole = |json: Json| Ok(Sealed::whole(&json)?);
        let list = |key: Key| adapter.list(wait, &key, None)?.into_iter().map(whole).collect::<Result<Vec<_>>>();
        let context = adapter.get(wait, &Key::Context(scope.clone()))?.map(whole).transpose()?;
        let mut checkpoints = BTreeMap::new();
        for timestamp in stored(scope, &mut |key| adapter.get(wait, key))? {
            if let Some(json) = adapter.get(wait, &Key::Checkpoint(scope.clone(), timestamp))? {
                checkpoints.insert(timestamp, whole(json)?);
            }
        }
        let (trail, log) = (list(Key::Trail(scope.clone()))?, list(Key::Logs(scope.clone()))?);
        let (value, items) = match adapter.has_own_keys() {
            true => {
                let value = adapter.get(wait, &Key::Value(scope.clone()))?.map(whole).transpose()?;
                (value, list(Key::List(scope.clone()))?)
            }
            false => (None, Vec::new()),
        };
        Ok(Parts { context, trail, log, checkpoints, value, items })
    }

    fn count(&self) -> usize {
        let values = usize::from(self.context.is_some()) + usize::from(self.value.is_some());
        values + self.trail.len() + self.log.len() + self.checkpoints.len() + self.items.len()
    }

    /// Adds a record of an archive.
    fn add(&mut self, home: &Home, kind: &str, part: &Part<'_>) -> Result<()> {
        match (kind, part.timestamp) {
            (CONTEXT, _) if self.context.is_none() => self.context = Some(context(home, part.value)?),
            (TRAIL, _) => {
                let entry = home.seal_foreign(part.value, &TRAIL_ENTRY)?.value()?;
                serde_json::from_str::<TrailEntry>(entry.json().get()).map_err(|_| damaged())?;
                self.trail.push(entry);
            }
            (LOG, _) => self.log.push(log_entry(home, part.value)?),
            (CHECKPOINT, Some(timestamp)) if !self.checkpoints.contains_key(&timestamp) => {
                self.checkpoints.insert(timestamp, context(home, part.value)?);
            }
            (VALUE, _) if self.value.is_none() => self.value = Some(storage::sealed(home, &part.scope_id, part.value)?),
            (ITEM, _) => {
                let item: storage::Item = serde_json::from_str(part.value.get()).map_err(|_| damaged())?;
                self.items.push(item.restored(home, &part.scope_id)?);
            }
            _ => return Err(damaged()),
        }
        Ok(())
    }

    /// The writes that make this of a scope that has a part of it, as after a crash, or nothing; `None` if it has anything else.
    fn missing_to(&self, scope: &Scope, here: &Parts) -> Result<Option<Vec<Write>>> {
        let is_same = |one: &SealedJson, other: &SealedJson| one.json().get() == other.json().get();
        let begins_with = |all: &[SealedJson], some: &[SealedJson]| {
            some.len() <= all.len() && some.iter().zip(all).all(|(one, other)| is_same(one, other))
        };
        let has = |(timestamp, json): (&u64, &SealedJson)| {
            self.checkpoints.get(timestamp).is_some_and(|own| is_same(own, json))
        };
        let is_in = |it: &Option<SealedJson>, own: &Option<SealedJson>| {
            it.as_ref().is_none_or(|it| own.as_ref().is_some_and(|own| is_same(own, it)))
        };
        let is_part = is_in(&here.context, &self.context)
            && is_in(&here.value, &self.value)
            && begins_with(&self.items, &here.items)
            && begins_with(&self.trail, &here.trail)
            && begins_with(&self.log, &here.log)
            && here.checkpoints.iter().all(has);
        if !is_part {
            return Ok(None);
        }
        let mut writes = Vec::new();
        for (timestamp, json) in self.checkpoints.iter().filter(|(it, _)| !here.checkpoints.contains_key(it)) {
            writes.push(Write::Set(Key::Checkpoint(scope.clone(), *timestamp), json.clone()));
        }
        if !writes.is_empty() {
            let timestamps: Vec<u64> = self.checkpoints.keys().copied().collect();
            writes.push(Write::Set(Key::Checkpoints(scope.clone()), checkpoint::list(&timestamps)?));
        }
        let push = |key: Key| move |json: &SealedJson| Write::Push(key.clone(), json.clone());
        if let Some(value) = self.value.clone().filter(|_| here.value.is_none()) {
            writes.push(Write::Set(Key::Value(scope.clone()), value));
        }
        writes.extend(self.items.iter().skip(here.items.len()).map(push(Key::List(scope.clone()))));
        writes.extend(self.log.iter().skip(here.log.len()).map(push(Key::Logs(scope.clone()))));
        writes.extend(self.trail.iter().skip(here.trail.len()).map(push(Key::Trail(scope.clone()))));
        // With the entries of its trail, even if it is the same.
        let is_trail_whole = here.trail.len() == self.trail.len();
        let context = self.context.clone().filter(|_| here.context.is_none() || !is_trail_whole);
        writes.extend(context.map(|json| Write::Set(Key::Context(scope.clone()), json)));
        Ok(Some(writes))
    }
}

/// Everything in all scopes, or in these, and the trash of all.
///
/// # Errors
/// `Unsupported` if the adapter cannot list the scopes; those of the adapter and of the trash.
pub(super) fn export(working: &Working, from: &Source<'_>) -> Result<Export> {
    let (home, wait) = (&working.home, working.home.wait_options());
    let check = home.cancel_check();
    let mut export = Export::default();
    for scope in working.adapter.scopes(wait)? {
        check()?;
        if from.scopes.is_some_and(|scopes| !scopes.iter().any(|it| it == scope.as_str())) {
            continue;
        }
        let _lease = working.adapter.lease(home, wait, &scope, Mode::Shared)?;
        let parts = Parts::stored(&*working.adapter, wait, &scope)?;
        let id = undo::sealed_id(home, &scope)?;
        let mut add = |kind, timestamp: Option<u64>, value: &SealedJson| -> Result<()> {
            let mut record = SealedObject::default();
            record.set("scopeId", &id)?;
            if let Some(timestamp) = timestamp {
                record.set("timestamp", &timestamp)?;
            }
            record.set("value", value)?;
            export.records.push(Portable::of(Owner::Home, kind, &record)?);
            Ok(())
        };
        parts.context.iter().try_for_each(|json| add(CONTEXT, None, json))?;
        parts.trail.iter().try_for_each(|json| add(TRAIL, None, json))?;
        parts.log.iter().try_for_each(|json| add(LOG, None, json))?;
        parts.value.iter().try_for_each(|json| add(VALUE, None, json))?;
        parts.items.iter().try_for_each(|json| add(ITEM, None, json))?;
        let mut checkpoints = parts.checkpoints.iter();
        checkpoints.try_for_each(|(timestamp, json)| add(CHECKPOINT, Some(*timestamp), json))?;
    }
    let trash = from.with_trash.then(|| undo::trash(home).entries()).transpose()?;
    for entry in trash.unwrap_or_default() {
        export.records.push(Portable::of(Owner::Home, TRASH, &entry)?);
    }
    Ok(export)
}

/// What a search finds of a scope: its context, one value on each line, and the entries of its log.
pub(super) fn findable(portable: &Portable) -> Option<Findable> {
    let Part { scope_id, value, .. } = serde_json::from_str(portable.record.get()).ok()?;
    // A repository's own context is named after it.
    let of_repo = RepoHash::parse(&scope_id).ok().map(Owner::Repo);
    let title = match &*portable.kind {
        _ if of_repo.is_some() => String::new(),
        LOG => format!("log of {scope_id}"),
        _ => scope_id.to_string(),
    };
    let owner = of_repo.unwrap_or(Owner::Home);
    let found = match &*portable.kind {
        CONTEXT => {
            let values: Fields = serde_json::from_str(value.get()).ok()?;
            let lines: Vec<String> = values.iter().map(|(name, value)| format!("{name}: {}", value.get())).collect();
            Findable::new(owner, CONTEXT, &*scope_id, lines.join("\n"))
        }
        LOG => {
            let entry: MemoryEntry = serde_json::from_str(value.get()).ok()?;
            #[allow(clippy::cast_possible_truncation, reason = "milliseconds")]
            let time = Timestamp::from_unix_millis(entry.metadata.timestamp as i64).to_string();
            Findable { time: Some(time), ..Findable::new(owner, LOG, entry.id, entry.content) }
        }
        _ => return None,
    };
    Some(Findable { title, ..found })
}

/// Brings scopes. One that has anything else here stays as it is, and the trash keeps the context of the archive.
///
/// # Errors
/// `Conflict` for a scope that is changed meanwhile; those of the adapter.
pub(super) fn import(working: &Working, records: &[Portable], into: &Arrival<'_>) -> Result<Brought> {
    let (home, check) = (into.home, into.home.cancel_check());
    let (mut brought, mut scopes, mut removed) = (Brought::default(), BTreeMap::new(), Vec::new());
    for portable in records {
        check()?;
        if portable.kind == TRASH {
            match trash::foreign(home, into.archive, &portable.record, None) {
                Ok(entry) if entry.room == undo::ROOM => removed.push(entry),
                Ok(_) => brought.skipped += 1,
                Err(error) => brought.skip(error)?,
            }
            continue;
        }
        let added = serde_json::from_str(portable.record.get()).map_err(|_| damaged()).and_then(|part: Part<'_>| {
            let scope = Scope::admit(home.redactor(), "scopeId", &part.scope_id)?;
            scopes.entry(scope).or_insert_with(Parts::default).add(home, &portable.kind, &part)
        });
        added.or_else(|error| brought.skip(error))?;
    }
    for (scope, mut parts) in scopes {
        check()?;
        if parts.context.is_none() {
            // They are of the changes of a context.
            brought.skipped += std::mem::take(&mut parts.trail).len();
        }
        bring(working, scope, &parts, into, &mut brought)
            .map_err(|failed| failed.after_some(brought.written(), "other scopes were imported"))?;
    }
    brought.joined(removed.len(), undo::trash(home).add(removed, into.dry_run)?);
    Ok(brought)
}

fn bring(working: &Working, scope: Scope, parts: &Parts, into: &Arrival<'_>, brought: &mut Brought) -> Result<()> {
    let (home, wait) = (into.home, into.home.wait_options());
    let _lease = working.adapter.lease(home, wait, &scope, Mode::Exclusive)?;
    let here = Parts::stored(&*working.adapter, wait, &scope)?;
    let Some(writes) = parts.missing_to(&scope, &here)? else {
        if let Some(context) = parts.context.as_ref().filter(|_| !into.dry_run && working.adapter.is_lasting()) {
            undo::keep(home, &scope, &Json::from(context))?;
        }
        let id = scope.as_str().to_owned();
        brought.kept_aside.push(KeptAside { kind: undo::KIND.into(), id, is_theirs: true });
        return Ok(());
    };
    brought.deduplicated += here.count();
    brought.copied += parts.count() - here.count();
    if into.dry_run || writes.is_empty() {
        return Ok(());
    }
    let before = here.context.map(|json| json.json().get().to_owned());
    let of = scope.clone();
    working.update(&scope, move |read| {
        let context = read(&Key::Context(of.clone()))?;
        let context = context.map(|json| Sealed::whole(&json)).transpose()?;
        if context.as_ref().map(|json| json.json().get()) != before.as_deref() {
            let message = "the scope is being changed by another program; import the archive again when that has ended";
            return Err(Error::new(ErrorKind::Conflict, message).about(of.as_str()));
        }
        Ok((writes.clone(), ()))
    })
}

/// The context that another home has stored.
fn context(home: &Home, json: &RawValue) -> Result<SealedJson> {
    let patch = BTreeMap::from([(PATCH, json)]);
    let patch = to_raw_value(&patch).map_err(|_| damaged())?;
    let of = ForeignRecord { keys: &[PATCH], ids: &[], generated: &[] };
    Ok(home.seal_foreign(&patch, &of)?.take_object(PATCH)?.value()?)
}

fn log_entry(home: &Home, json: &RawValue) -> Result<SealedJson> {
    #[derive(Deserialize)]
    struct Entry {
        metadata: Fields,
    }
    let mut entry = home.seal_foreign(json, &LOG_ENTRY)?;
    let mut metadata = entry.take_object(METADATA)?;
    let given: Entry = serde_json::from_str(json.get()).map_err(|_| damaged())?;
    // No rule may mistake the digits of a vector for a secret.
    for name in ["timestamp", "embedding"] {
        if let Some(numbers) = given.metadata.get(name) {
            metadata.set(name, &Numbers::read(numbers.to_owned())?)?;
        }
    }
    entry.set(METADATA, &metadata)?;
    let entry = entry.value()?;
    serde_json::from_str::<MemoryEntry>(entry.json().get()).map_err(|_| damaged())?;
    Ok(entry)
}

fn damaged() -> Error {
    Error::new(ErrorKind::Parse, "a record of an archive is damaged")
}
