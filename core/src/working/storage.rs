//! The adapter of a store as an object: the five functions of the specification (spec 003), on the keys under which working
//! memory is stored and on keys of the caller's own.
//!
//! What these functions write is what the other functions of this room read, so they keep its promises: everything is
//! redacted, a context is written with an entry in its trail, and a checkpoint with its entry in the list of checkpoints.
//! What would break one of them is refused.
//!
//! A key of the caller's own is in the scope of the same name, with whose lock it is written. The items of its list have ids:
//! after a lost connection, a server says by them whether an item was added.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::adapter::{SealedJson, Write, damaged, stored};
use super::context::Context;
use super::entry::MemoryEntryDraft;
use super::key::{Key, Scope};
use super::trail::{Change, Operation, TrailEntry, rebuild};
use super::{Working, checkpoint, members, names, undo};
use crate::disk::{Fields, Json, Mode, Raw};
use crate::error::{Error, ErrorKind, Result};
use crate::home::{ForeignRecord, Home, read_input};
use crate::logger::Level;
use crate::safety::{Redactor, Sealed, SealedObject, Trusted};

/// A context is redacted as the patch that sets it.
const PATCH: &str = "patch";

/// The adapter of a store: values and lists by key.
///
/// ```
/// # let folder = tempfile::tempdir().map_err(|e| loopmem::Error::validation(e.to_string()))?;
/// # let store = loopmem::Store::open(loopmem::Options::at(folder.path()))?;
/// let adapter = store.adapter();
/// adapter.set("context:job-1", &serde_json::json!({ "step": "plan" }))?;
/// adapter.push("queue", &"src/parser.rs")?;
///
/// assert_eq!(store.working().get_context("job-1")?.json().get(), r#"{"step":"plan"}"#);
/// assert_eq!(adapter.get_list("queue")?[0].get(), r#""src/parser.rs""#);
/// # Ok::<(), loopmem::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct AdapterHandle(Working);

/// What a caller's key stands for.
enum Place {
    /// A key of working memory.
    Known(Key),
    /// A key of the caller's own.
    Own(Scope),
}

impl Place {
    /// Validates a caller's key.
    ///
    /// # Errors
    /// `ValidationError` and `SecretRefused`, as for the id of a scope; `ValidationError` for a checkpoint without its timestamp.
    fn admit(redactor: &Redactor, key: &str) -> Result<Self> {
        let scope = |id: &str| Scope::admit(redactor, "key", id);
        let known = match key.split_once(':') {
            Some(("context", id)) => Key::Context(scope(id)?),
            Some(("logs", id)) => Key::Logs(scope(id)?),
            Some(("trail", id)) => Key::Trail(scope(id)?),
            Some(("checkpoints", id)) => Key::Checkpoints(scope(id)?),
            Some(("checkpoint", rest)) => {
                let parts = rest.rsplit_once(':').and_then(|(job, time)| Some((job, time.parse().ok()?)));
                let (job, timestamp) = parts.ok_or_else(|| {
                    Error::validation(
                        "the key of a checkpoint is `checkpoint:JOB:TIMESTAMP`, with milliseconds since 1970",
                    )
                })?;
                Key::Checkpoint(scope(job)?, timestamp)
            }
            _ => return Ok(Place::Own(scope(key)?)),
        };
        Ok(Place::Known(known))
    }

    fn scope(&self) -> &Scope {
        match self {
            Place::Known(key) => key.scope(),
            Place::Own(scope) => scope,
        }
    }
}

impl AdapterHandle {
    /// The adapter that stores `working`.
    pub(crate) fn new(working: Working) -> Self {
        AdapterHandle(working)
    }

    /// Returns the value under a key; `None` if there is none, or a list.
    ///
    /// # Errors
    /// `ValidationError` and `SecretRefused` for an invalid key; `LockAcquisitionError`, `ParseError`, `AdapterError`,
    /// `IOError`.
    pub fn get(&self, key: &str) -> Result<Option<Box<RawValue>>> {
        self.call_on(names::ADAPTER_GET, key, Mode::Shared, |working, place| {
            let key = match place {
                Place::Known(Key::Logs(_) | Key::Trail(_)) => return Ok(None),
                Place::Known(key) => key,
                Place::Own(scope) => Key::Value(scope),
            };
            Ok(working.adapter.get(working.home.wait_options(), &key)?.map(|json| (*json).to_owned()))
        })
    }

    /// Sets the value under a key and returns it as stored. Secrets in it are redacted.
    ///
    /// A context and a checkpoint must be objects. The change of a context is recorded in its trail, and a checkpoint in the
    /// list of checkpoints. If that list is set, the checkpoints that it leaves out are deleted.
    ///
    /// # Errors
    /// As [`get`](Self::get); `ValidationError` for a list, for a value that is not what the key requires, and for one that cannot
    /// be serialized as JSON.
    pub fn set(&self, key: &str, value: &(impl Serialize + ?Sized)) -> Result<Box<RawValue>> {
        let value = to_raw_value(value).map_err(unwritable)?;
        self.call_on(names::ADAPTER_SET, key, Mode::Exclusive, |working, place| {
            let json = match place {
                Place::Known(Key::Context(scope)) => working.replace_context(&scope, &value),
                Place::Known(Key::Checkpoint(job, timestamp)) => working.put_checkpoint(&job, timestamp, &value),
                Place::Known(Key::Checkpoints(job)) => working.keep_checkpoints(&job, &value),
                Place::Known(key) => Err(is_list(&key)),
                Place::Own(scope) => working.put_value(scope, &value),
            }?;
            Ok((*json).to_owned())
        })
    }

    /// Deletes the value and the list under a key; returns whether there was one. With a context, its trail is deleted; the trash
    /// keeps the context, as that of a deleted scope.
    ///
    /// The trail is deleted only with its context: with the key of a trail, this does nothing.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn del(&self, key: &str) -> Result<bool> {
        self.call_on(names::ADAPTER_DEL, key, Mode::Exclusive, |working, place| match place {
            Place::Known(Key::Context(scope)) => working.delete_context(&scope),
            Place::Known(Key::Checkpoint(job, timestamp)) => working.remove_checkpoint(&job, timestamp),
            Place::Known(Key::Checkpoints(job)) => working.change_checkpoints(&job, Vec::new()),
            Place::Known(Key::Trail(_)) => Ok(false),
            Place::Known(key) => working.delete_keys(key.scope(), None, &key),
            Place::Own(scope) => {
                working.delete_keys(&scope, Some(Key::Value(scope.clone())), &Key::List(scope.clone()))
            }
        })
    }

    /// Appends an item to the list under a key and returns it as stored. Secrets in it are redacted.
    ///
    /// An item of `logs:SCOPE` is an entry, which is completed as [`add_log`](Working::add_log) does. An item of `trail:SCOPE`
    /// must be an entry that leads to the context as it is.
    ///
    /// # Errors
    /// As [`get`](Self::get); `ValidationError` for a value, for an item that is not what the key requires, and for one that cannot
    /// be serialized as JSON; `Conflict` for an entry of a trail that does not lead to the context.
    pub fn push(&self, key: &str, item: &(impl Serialize + ?Sized)) -> Result<Box<RawValue>> {
        let item = to_raw_value(item).map_err(unwritable)?;
        self.call_on(names::ADAPTER_PUSH, key, Mode::Exclusive, |working, place| {
            let json = match place {
                Place::Known(Key::Logs(scope)) => working.push_log(&scope, draft(&item)?),
                Place::Known(Key::Trail(scope)) => working.push_trail(&scope, &item),
                Place::Known(key) => Err(is_value(&key)),
                Place::Own(scope) => working.push_item(scope, &item),
            }?;
            Ok((*json).to_owned())
        })
    }

    /// Returns the items of the list under a key, oldest first; an empty list if there is no list.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn get_list(&self, key: &str) -> Result<Vec<Box<RawValue>>> {
        self.call_on(names::ADAPTER_GET_LIST, key, Mode::Shared, |working, place| {
            let list = |key: &Key| working.adapter.list(working.home.wait_options(), key, None);
            match place {
                Place::Known(key @ (Key::Logs(_) | Key::Trail(_))) => {
                    Ok(list(&key)?.into_iter().map(|json| (*json).to_owned()).collect())
                }
                Place::Known(_) => Ok(Vec::new()),
                Place::Own(scope) => {
                    let key = Key::List(scope);
                    let items = list(&key)?;
                    if !working.adapter.has_own_keys() {
                        return Ok(items.into_iter().map(|json| (*json).to_owned()).collect());
                    }
                    let item = |json: Json| serde_json::from_str::<Item>(json.get()).map(|item| item.item);
                    let items: serde_json::Result<Vec<_>> = items.into_iter().map(item).collect();
                    items.map_err(|_| damaged(&key, "has an item that loopmem did not write"))
                }
            }
        })
    }

    /// Runs `body` as the operation of this name, with the lease of the key's scope.
    fn call_on<T>(
        &self,
        operation: &str,
        key: &str,
        mode: Mode,
        body: impl FnOnce(&Working, Place) -> Result<T>,
    ) -> Result<T> {
        self.0.call(operation, |working| {
            let place = Place::admit(working.home.redactor(), key)?;
            let wait = working.home.wait_options();
            let _lease = working.adapter.lease(&working.home, wait, place.scope(), mode)?;
            body(working, place)
        })
    }
}

impl Working {
    /// Replaces a whole context; its trail records that.
    fn replace_context(&self, scope: &Scope, value: &RawValue) -> Result<Json> {
        let patch = context(&self.home, value)?;
        let (home, key) = (self.home.clone(), Key::Context(scope.clone()));
        let json = self.update(scope, move |read| {
            let remove = members(&key, read(&key)?)?.names()?;
            let change =
                Change { operation: Operation::UpdateContext, patch: &patch, remove: Some(&remove), source: None };
            let entry = change.entry(&home)?.value()?;
            let next = patch.clone().value()?;
            let (json, trail) = (Json::from(&next), Key::Trail(key.scope().clone()));
            Ok((vec![Write::Set(key.clone(), next), Write::Push(trail, entry)], json))
        })?;
        self.log(Level::Debug, "Context updated for", scope, None);
        Ok(json)
    }

    /// Deletes a context and its trail, and keeps the context in the trash.
    fn delete_context(&self, scope: &Scope) -> Result<bool> {
        let key = Key::Context(scope.clone());
        let context = self.adapter.get(self.home.wait_options(), &key)?;
        let Some(context) = context else { return Ok(false) };
        if self.adapter.is_lasting() {
            undo::keep(&self.home, scope, &context)?;
        }
        self.update(scope, move |read| {
            let is_there = read(&key)?.is_some();
            let writes = vec![Write::Del(key.clone()), Write::Del(Key::Trail(key.scope().clone()))];
            Ok(if is_there { (writes, true) } else { (Vec::new(), false) })
        })
    }

    /// Adds an entry to a trail, if it leads to the context as it is.
    fn push_trail(&self, scope: &Scope, item: &RawValue) -> Result<Json> {
        const ENTRY: ForeignRecord = ForeignRecord {
            keys: &["id", "operation", PATCH, "remove", "source", "time", "timestamp", "replaced"],
            ids: &["id"],
            generated: &["time"],
        };
        let invalid = || Error::validation("item is not an entry of a trail, as working.history returns them");
        let entry = self.home.seal_foreign(item, &ENTRY).map_err(|_| invalid())?.value()?;
        serde_json::from_str::<TrailEntry>(entry.json().get()).map_err(|_| invalid())?;
        let (key, trail) = (Key::Context(scope.clone()), Key::Trail(scope.clone()));
        let json = Json::from(&entry);
        let raw: Raw<TrailEntry> = Raw::from(json.clone());
        self.update(scope, move |read| {
            let context = read(&key)?;
            let members = members(&key, context.clone())?;
            if !is_result(key.scope(), &raw, &members)? {
                let message = "the entry does not lead to the context that is stored; set the context first";
                return Err(Error::new(ErrorKind::Conflict, message).about(key.scope().as_str()));
            }
            // Written again, since writing it commits its trail.
            let context = Context::read(&key, context)?;
            let writes = vec![
                Write::Set(key.clone(), Sealed::whole(context.stored())?),
                Write::Push(trail.clone(), entry.clone()),
            ];
            Ok((writes, ()))
        })?;
        Ok(json)
    }

    /// Writes a checkpoint and adds it to the list of checkpoints.
    fn put_checkpoint(&self, job: &Scope, timestamp: u64, value: &RawValue) -> Result<Json> {
        let value = context(&self.home, value)?.value()?;
        let (of, json) = (job.clone(), Json::from(&value));
        self.update(job, move |read| {
            let key = Key::Checkpoint(of.clone(), timestamp);
            read(&key)?;
            let mut timestamps = stored(&of, read)?;
            if let Err(place) = timestamps.binary_search(&timestamp) {
                timestamps.insert(place, timestamp);
            }
            let list = Write::Set(Key::Checkpoints(of.clone()), checkpoint::list(&timestamps)?);
            Ok((vec![Write::Set(key, value.clone()), list], ()))
        })?;
        self.log(Level::Info, "Checkpoint saved for", job, Some(timestamp));
        Ok(json)
    }

    /// Deletes the checkpoints that are not in this list.
    fn keep_checkpoints(&self, job: &Scope, value: &RawValue) -> Result<Json> {
        let kept: Option<Vec<u64>> = serde_json::from_str(value.get()).ok();
        let kept = kept.filter(|kept| kept.is_sorted_by(|one, next| one < next)).ok_or_else(|| {
            Error::validation("value must be a list of the timestamps of checkpoints, each once and in ascending order")
        })?;
        let list = Json::from(&checkpoint::list(&kept)?);
        self.change_checkpoints(job, kept)?;
        Ok(list)
    }

    /// Deletes the checkpoints that are not in `kept`; returns whether there were any before.
    fn change_checkpoints(&self, job: &Scope, kept: Vec<u64>) -> Result<bool> {
        let of = job.clone();
        self.update(job, move |read| {
            let before = stored(&of, read)?;
            if let Some(missing) = kept.iter().find(|timestamp| !before.contains(timestamp)) {
                let message = format!("there is no checkpoint {missing}; set `checkpoint:JOB:{missing}` first");
                return Err(Error::validation(message));
            }
            let list = Key::Checkpoints(of.clone());
            let mut writes = match (before.is_empty(), kept.is_empty()) {
                (true, _) => Vec::new(),
                (_, true) => vec![Write::Del(list)],
                (_, false) => vec![Write::Set(list, checkpoint::list(&kept)?)],
            };
            let gone = before.iter().filter(|timestamp| !kept.contains(timestamp));
            writes.extend(gone.map(|timestamp| Write::Del(Key::Checkpoint(of.clone(), *timestamp))));
            Ok((writes, !before.is_empty()))
        })
    }

    fn put_value(&self, scope: Scope, value: &RawValue) -> Result<Json> {
        let sealed = sealed(&self.home, scope.as_str(), value)?;
        let (key, json) = (Key::Value(scope.clone()), Json::from(&sealed));
        self.update(&scope, move |read| {
            // A server then shows after a lost connection whether it was written.
            read(&key)?;
            Ok((vec![Write::Set(key.clone(), sealed.clone())], ()))
        })?;
        Ok(json)
    }

    fn push_item(&self, scope: Scope, item: &RawValue) -> Result<Json> {
        let sealed = sealed(&self.home, scope.as_str(), item)?;
        let json = Json::from(&sealed);
        let stored = match self.adapter.has_own_keys() {
            true => with_id(&self.home.new_id(), &sealed)?,
            false => sealed,
        };
        self.adapter.write(self.home.wait_options(), Write::Push(Key::List(scope), stored))?;
        Ok(json)
    }

    /// Deletes a list and a value of a scope; returns whether there was one.
    fn delete_keys(&self, scope: &Scope, value: Option<Key>, list: &Key) -> Result<bool> {
        let is_listed = !self.adapter.list(self.home.wait_options(), list, Some(1))?.is_empty();
        let list = list.clone();
        self.update(scope, move |read| {
            let is_there = value.as_ref().map(&mut *read).transpose()?.flatten().is_some();
            let mut writes: Vec<Write> = value.iter().filter(|_| is_there).cloned().map(Write::Del).collect();
            writes.extend(is_listed.then(|| Write::Del(list.clone())));
            Ok((writes, is_there || is_listed))
        })
    }
}

/// An item of a list of the caller's own, as it is stored.
#[derive(Deserialize)]
pub(super) struct Item {
    id: String,
    item: Box<RawValue>,
}

impl Item {
    /// The item that another home has stored under this key.
    pub(super) fn restored(&self, home: &Home, key: &str) -> Result<SealedJson> {
        with_id(&home.redactor().admit_id("id", &self.id)?, &sealed(home, key, &self.item)?)
    }
}

fn with_id(id: &impl Trusted, item: &SealedJson) -> Result<SealedJson> {
    let mut stored = SealedObject::default();
    stored.set("id", id)?;
    stored.set("item", item)?;
    Ok(stored.value()?)
}

/// Redacts what is stored under a key of the caller's own, whose name may reveal that it is a secret.
pub(super) fn sealed(home: &Home, key: &str, value: &RawValue) -> Result<SealedJson> {
    let mut named = home.seal_value(&BTreeMap::from([(key, value)]), &[])?;
    named.take(key).ok_or_else(|| {
        let message = "the key looks like a secret; choose one that does not, since keys are not redacted";
        Error::new(ErrorKind::SecretRefused, message)
    })
}

/// Redacts a whole context.
fn context(home: &Home, value: &RawValue) -> Result<SealedObject> {
    serde_json::from_str::<Fields>(value.get())
        .map_err(|_| Error::validation("value must be an object whose keys are unique, since a context is one"))?;
    let mut content = home.seal_value(&BTreeMap::from([(PATCH, value)]), &[PATCH])?;
    Ok(content.take_object(PATCH)?)
}

/// The draft of a log entry.
fn draft(item: &RawValue) -> Result<MemoryEntryDraft> {
    if !item.get().starts_with('{') {
        return Err(Error::validation("item must be an object: an entry of a log"));
    }
    read_input(item.get())
}

/// Whether a change, made once more, leaves the context as it is.
fn is_result(scope: &Scope, entry: &Raw<TrailEntry>, context: &SealedObject) -> Result<bool> {
    let parsed: TrailEntry = entry.read()?;
    let change = rebuild(scope, std::slice::from_ref(entry))?;
    let next = match parsed.operation {
        Operation::RestoreCheckpoint => change,
        Operation::UpdateContext => {
            let mut next = context.clone();
            next.remove_all(&parsed.remove);
            next.overlay(change);
            next
        }
    };
    // Null counts as missing there.
    let names = |of: &SealedObject| -> Result<Vec<String>> {
        let mut names: Vec<String> = serde_json::from_str(of.names()?.json().get()).map_err(unwritable)?;
        names.sort();
        Ok(names)
    };
    Ok(names(&next)? == names(context)? && context.first_difference(&next).is_none())
}

fn is_list(key: &Key) -> Error {
    match key {
        Key::Trail(_) => Error::validation("a trail is written with its context; set `context:SCOPE`"),
        _ => Error::validation("a log is a list; add to it with push"),
    }
}

fn is_value(key: &Key) -> Error {
    match key {
        Key::Checkpoints(_) => {
            Error::validation("the list of checkpoints is written with them; set `checkpoint:JOB:TIMESTAMP`")
        }
        Key::Checkpoint(..) => Error::validation("a checkpoint is a value; set it"),
        _ => Error::validation("a context is a value; set it"),
    }
}

fn unwritable(cause: serde_json::Error) -> Error {
    Error::validation("the value cannot be serialized as JSON").because(cause)
}
