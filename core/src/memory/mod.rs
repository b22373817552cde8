//! Conventions, decisions and notes of a repository: `memory.json` (spec 000, "Memory data model").
//!
//! The three kinds share one upsert: a draft with the id of a stored record updates it and keeps `createdAt` and the
//! fields that the draft omits; any other draft creates a new record. The kinds are defined in `document`, the fields of
//! each in `record` and `draft`.

mod archive;
mod document;
mod draft;
mod import;
mod inherit;
mod list;
mod record;
mod room;
mod stored;
mod synced;
mod undo;

use std::path::Path;
use std::sync::Arc;

pub use document::{Kind, Record, RepoMemory};
pub(crate) use draft::Draft;
pub use draft::{ConventionDraft, DecisionDraft, MemoryDraft, NoteDraft};
pub use list::Filter;
pub use record::{Convention, Decision, Note, NoteSource};
pub(crate) use room::MemoryRoom;

/// Exports for the tests of files.
#[cfg(feature = "testing")]
pub(crate) mod testing {
    pub use super::document::MemorySchema;
}

use document::{MemoryDocument, MemoryKind, rows};
use draft::{FieldDefault, UserContent};
use stored::file;

use crate::disk::{Edit, RecordIndex, Row, Stored};
use crate::error::{Error, ErrorKind, Result};
use crate::home::{Home, check_key};
use crate::repo::Repo;
use crate::room::{Fragment, MIN_PREFIX, is_generated, may_be_shortened, named};
use crate::safety::{Admitted, SealedObject, Timestamp};
use crate::trash::Reason;
use crate::warning::Warning;

/// The conventions, decisions and notes of one repository, returned by [`Repo::memory`].
///
/// See [how to remember something and read it back](crate::recipes#how-do-i-remember-something-and-read-it-back).
#[derive(Debug, Clone)]
pub struct Memory {
    repo: Repo,
}

impl Repo {
    /// The conventions, decisions and notes of this repository.
    pub fn memory(&self) -> Memory {
        Memory { repo: self.clone() }
    }
}

impl Memory {
    pub(crate) const GET: &str = "memory.get";
    pub(crate) const LIST: &str = "memory.list";
    pub(crate) const REMOVE: &str = "memory.remove";

    /// Returns all records; none if nothing is stored. With [`Options::inherit_from`](crate::Options::inherit_from) they
    /// include those of another branch that this one has not overridden.
    ///
    /// While the file is cached, a read costs a lock, a `stat` and an `Arc`.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `ParseError`, `FormatTooNew`, `IOError`.
    pub fn get(&self) -> Result<RepoMemory> {
        self.repo.call(Self::GET, inherit::read)
    }

    /// The memory that this one inherits from, to change or remove an inherited record there.
    ///
    /// # Errors
    /// `NotFound` if it inherits nothing; those of [`get`](Self::get).
    pub fn inherited(&self) -> Result<Memory> {
        self.repo.call(Self::GET, |repo| {
            let source = inherit::source(repo)?.ok_or_else(|| {
                Error::new(ErrorKind::NotFound, "this memory inherits no records from another branch; see inheritFrom")
            })?;
            Ok(Memory { repo: source.repo })
        })
    }

    /// Stores a convention, a decision or a note, and returns it as stored.
    ///
    /// If the draft has the id of a stored record, that record is updated and keeps the fields that the draft omits;
    /// otherwise a new record is created. Secrets are redacted. With
    /// [`Options::keep_replaced`](crate::Options::keep_replaced), the trash keeps the version before an update.
    ///
    /// # Errors
    /// `ValidationError`, `SecretRefused` for an id that looks like a secret, `Conflict` if a record of another kind
    /// has the id, and those of [`get`](Self::get); then nothing was written. `IOError` and `RenameError` from writing.
    pub fn upsert<D: MemoryDraft>(&self, draft: D) -> Result<Stored<D::Kind>> {
        self.repo.call_write(D::OPERATION, |repo| upsert::<D>(repo, draft.into_content(repo.home())?))
    }

    /// Removes the record of any kind with this id; the trash keeps it for `trash.keepDays`. Returns whether there was one.
    ///
    /// # Errors
    /// `Conflict` for a record that is [inherited](Self::inherited); those of [`get`](Self::get); `SecretRefused` if no record has the id and it looks like a secret; `IOError` and
    /// `RenameError` from writing.
    pub fn remove(&self, id: &str) -> Result<bool> {
        self.remove_or_purge(id, false)
    }

    /// Removes the record of any kind with this id for good, with every version of it in the trash, and everything damaged
    /// that was set aside of the file. Returns whether there was anything of it.
    ///
    /// # Errors
    /// Those of [`remove`](Self::remove).
    pub fn purge(&self, id: &str) -> Result<bool> {
        self.remove_or_purge(id, true)
    }

    fn remove_or_purge(&self, id: &str, is_purge: bool) -> Result<bool> {
        self.repo.call(Self::REMOVE, |repo| {
            // Do not create the home if nothing is stored.
            let is_empty = |memory: Arc<MemoryDocument>| rows(&memory).next().is_none();
            let wait = repo.home().wait_options();
            let removed = if file(repo).peek(wait)?.is_some_and(is_empty) {
                None
            } else {
                let id = id.to_owned();
                let trash = repo.trash();
                // A chosen id that begins like another one names nothing else.
                file(repo).update(wait, move |memory| match existing(memory, &id, is_generated)? {
                    Some((index, row)) => {
                        let discarded = if is_purge { Vec::new() } else { vec![undo::discarded(row)?] };
                        trash.put(Reason::Removed, discarded)?;
                        Ok((vec![Edit::Remove(index)], Some(row.record()?.id().to_owned())))
                    }
                    None => Ok((Vec::new(), None)),
                })?
            };
            let mut is_removed = removed.is_some();
            if is_purge {
                file(repo).clear_beside(wait)?;
                let id = removed.unwrap_or_else(|| id.to_owned());
                is_removed |= repo.trash().purge(move |entry| entry.room == undo::ROOM && entry.record_id == id)?;
            }
            // A stored record can be removed even if the current rules would reject its id.
            if !is_removed {
                repo.home().redactor().admit("id", id)?;
                if let Some(source) = inherit::source(repo)?
                    && existing(&source.memory, id, is_generated)?.is_some()
                {
                    return Err(is_inherited(id, source.branch));
                }
            }
            Ok(is_removed)
        })
    }
}

/// The error for a record that cannot be removed from this branch, since it is another one's.
fn is_inherited(id: &str, branch: &str) -> Error {
    let message = format!(
        "the record {id} is inherited from branch {branch}; with `inherited` (--inherited) it is removed there"
    );
    Error::new(ErrorKind::Conflict, message).about(id)
}

fn upsert<D: MemoryDraft>(
    repo: &Repo,
    UserContent { id, fields, unknown, words }: UserContent,
) -> Result<Stored<D::Kind>> {
    let kind = D::Kind::KIND;
    let home = repo.home();
    let redactor = home.redactor();
    // Validate and redact, which may be slow, before the lock is taken and the folder is created.
    let admit = |id: &str| redactor.admit_id(&format!("{}.id", kind.name()), id);
    let mut id = id.as_deref().map(admit).transpose()?;
    if let Some(given) = id.as_ref().map(Admitted::as_str).filter(|given| may_be_shortened(given))
        && let Some(whole) = shortened(repo, given)?
    {
        id = Some(admit(&whole)?);
    }
    // As they are stored.
    let unknown: Vec<String> = unknown.iter().map(|name| redactor.scrub(name).into_owned()).collect();
    let known: Vec<&str> = D::FIELDS.iter().map(|(name, _)| *name).collect();
    let mut draft = home.seal(&fields, &known)?;
    for (name, word) in words {
        draft.set(name, &word)?;
    }
    let path = home.layout().memory(repo.hash());
    let is_complete =
        D::FIELDS.iter().all(|(name, default)| *default != FieldDefault::Required || draft.get(name).is_some());
    // Refused before the lock is taken, if nothing may still change the record.
    let memory = match &id {
        _ if is_complete && unknown.is_empty() => None,
        Some(_) => file(repo).peek(home.wait_options())?,
        None => Some(Arc::default()),
    };
    if let Some(memory) = memory {
        let stored = id.as_ref().map(|id| existing(&memory, id.as_str(), is_generated)).transpose()?.flatten();
        check_fields::<D>(home, &path, stored.map(|(_, row)| row), &unknown, &draft)?;
    }
    let trash = repo.trash();
    let (home, wait) = (home.clone(), repo.home().wait_options());
    let (stored, resembles) = file(repo).update(wait, move |memory| {
        let old = stored_under(kind, memory, id.as_ref().map(Admitted::as_str))?;
        check_fields::<D>(&home, &path, old.map(|(_, row)| row), &unknown, &draft)?;
        let index = old.map(|(index, _)| index);
        let now = home.timestamp();
        let resembles = match (&old, &id) {
            (None, Some(id)) => ids(memory)?.into_iter().find(|other| other.starts_with(id.as_str())),
            _ => None,
        };
        let mut record = match old {
            Some((_, old)) => {
                let mut record = members_of(&home, &path, old)?;
                if home.config().keep_replaced {
                    trash.put(Reason::Replaced, vec![undo::discarded(old)?])?;
                }
                record.overlay(draft);
                record
            }
            None => new_record::<D>(&home, id, draft, now)?,
        };
        record.set("updatedAt", &now)?;
        let stored = Stored::from(record.record::<D::Kind>()?);
        let row = Row::Parsed(D::Kind::into_record(stored.clone()));
        let edit = match index {
            Some(index) => Edit::Change(index, row),
            None => Edit::Add(kind.section(), row),
        };
        Ok((vec![edit], (stored, resembles)))
    })?;
    let record = D::Kind::into_record(stored.clone());
    Fragment::warn_if_too_long(repo.home(), record.id(), &record.words().collect::<Vec<_>>());
    if let Some(other) = resembles {
        Warning::new("a new record was stored; the id of another one begins with its id").about(&other).emit(redactor);
    }
    Ok(stored)
}

/// The generated id, of a record here or of one that is inherited, that begins with `id`.
fn shortened(repo: &Repo, id: &str) -> Result<Option<String>> {
    let mut all = match file(repo).peek(repo.home().wait_options())? {
        Some(memory) => ids(&memory)?,
        None => Vec::new(),
    };
    // Without their locks, which would take this call's place in the order of calls.
    for hash in repo.parent().into_iter().flat_map(|parent| &parent.hashes) {
        if let Some(memory) = file(&Repo::at(repo.home(), hash)).peek(repo.home().wait_options())? {
            all.extend(ids(&memory)?);
        }
    }
    let candidates = all.iter().map(String::as_str).filter(|other| is_generated(other) || *other == id);
    Ok(named(id, candidates)?.map(str::to_owned))
}

/// The ids of all records.
fn ids(memory: &MemoryDocument) -> Result<Vec<String>> {
    rows(memory).map(|(_, row)| Ok(row.record()?.id().to_owned())).collect()
}

/// The record whose id is `id`, or the only one whose id begins with it, of those that are `shown` in part.
fn existing<'m>(
    memory: &'m MemoryDocument,
    id: &str,
    shown: impl Fn(&str) -> bool,
) -> Result<Option<(RecordIndex, &'m Row<Record>)>> {
    if let Some(found) = memory.find(id)? {
        return Ok(Some(found));
    }
    if id.chars().count() < MIN_PREFIX {
        return Ok(None);
    }
    let ids = ids(memory)?;
    match named(id, ids.iter().map(String::as_str).filter(|id| shown(id)))? {
        Some(whole) => memory.find(whole),
        None => Ok(None),
    }
}

/// The members of a stored record that is to be updated. It was parsed before, but its unknown fields are only checked
/// here.
fn members_of(home: &Home, path: &Path, row: &Row<Record>) -> Result<SealedObject> {
    let record = row.record()?;
    let damaged = |what: &str| Error::parse(path, what).about(record.id());
    home.redactor().check(row.json()).map_err(|fault| damaged(fault.message()))?;
    SealedObject::of(row).map_err(|_| damaged("a key occurs twice in the record"))
}

/// The record that a draft of this kind with this id updates, and its index.
fn stored_under<'m>(
    kind: Kind,
    memory: &'m MemoryDocument,
    id: Option<&str>,
) -> Result<Option<(RecordIndex, &'m Row<Record>)>> {
    let Some(id) = id else { return Ok(None) };
    // A chosen id may begin like another one.
    match existing(memory, id, is_generated)? {
        Some((index, other)) if index.section != kind.section() => Err(Error::new(
            ErrorKind::Conflict,
            format!("the id is already used by one of the {}; choose another", other.record()?.kind().plural()),
        )
        .about(id)),
        found => Ok(found),
    }
}

/// Refuses fields that are neither known nor those of the `stored` record, which may be passed as it was read, and a new record
/// without its required fields.
fn check_fields<D: MemoryDraft>(
    home: &Home,
    path: &Path,
    stored: Option<&Row<Record>>,
    unknown: &[String],
    draft: &SealedObject,
) -> Result<()> {
    if !unknown.is_empty() {
        let members = stored.map(|row| members_of(home, path, row)).transpose()?.unwrap_or_default();
        let known: Vec<&str> = ["id"].into_iter().chain(D::FIELDS.iter().map(|(name, _)| *name)).collect();
        for name in unknown.iter().filter(|name| members.get(name).is_none()) {
            check_key(D::Kind::KIND.name(), name, &known, home.config().allow_unknown_fields)?;
        }
    }
    let is_missing = |(name, default): &&(&str, _)| *default == FieldDefault::Required && draft.get(name).is_none();
    match D::FIELDS.iter().find(is_missing) {
        Some((missing, _)) if stored.is_none() => Err(missing_field(D::Kind::KIND, missing)),
        _ => Ok(()),
    }
}

/// A new record, with its fields in the order in which they are stored.
fn new_record<D: MemoryDraft>(
    home: &Home,
    id: Option<Admitted>,
    mut draft: SealedObject,
    now: Timestamp,
) -> Result<SealedObject> {
    let mut record = SealedObject::default();
    match id {
        Some(id) => record.set("id", &id)?,
        None => record.set("id", &home.new_id())?,
    }
    for (name, default) in D::FIELDS {
        match (draft.take(name), default) {
            (Some(value), _) => record.set(name, &value)?,
            (None, FieldDefault::Required) => return Err(missing_field(D::Kind::KIND, name)),
            (None, FieldDefault::Absent) => {}
            (None, FieldDefault::EmptyList) => record.set::<[u64]>(name, &[])?,
            (None, FieldDefault::Word(word)) => record.set(name, word)?,
        }
    }
    record.set("createdAt", &now)?;
    record.overlay(draft);
    Ok(record)
}

fn missing_field(kind: Kind, field: &str) -> Error {
    let kind = kind.name();
    Error::validation(format!("{kind}.{field} is missing; a new {kind} requires it"))
}
