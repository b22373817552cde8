//! Conventions, decisions and notes of a repository: `memory.json` (spec 000, "Memory data model").
//!
//! The three kinds share one upsert: a draft with the id of a stored record updates it and keeps `createdAt` and the
//! fields that the draft omits; any other draft creates a new record. The fields of each kind are defined in `record`.

mod draft;
mod import;
mod list;
mod record;
mod room;

use std::path::Path;
use std::sync::Arc;

pub use draft::{ConventionDraft, DecisionDraft, MemoryDraft, NoteDraft, UserContent};
pub(crate) use list::Listed;
pub use list::{Filter, Kind};
pub use record::{Convention, Decision, FieldDefault, MemoryKind, Note, NoteSource, Record};
pub(crate) use room::MemoryRoom;

use crate::disk::{Document, DocumentFile, DocumentSchema, Edit, Reader, RecordIndex, Row, Stored};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::repo::Repo;
use crate::safety::{Admitted, SealedObject, Timestamp};
use crate::warm::{self, Source};

/// The indices of the kinds in [`MemorySchema::SECTIONS`].
const CONVENTIONS: usize = 0;
const DECISIONS: usize = 1;
const NOTES: usize = 2;

/// A snapshot of a repository's conventions, decisions and notes. Cheap to clone.
#[derive(Debug, Clone)]
pub struct RepoMemory(Arc<MemoryDocument>);

type MemoryDocument = Document<MemorySchema>;

/// The schema of `memory.json`.
#[derive(Debug)]
pub struct MemorySchema;

impl DocumentSchema for MemorySchema {
    type Record = Record;
    const VERSION: u64 = 1;
    const SECTIONS: &'static [&'static str] = &["conventions", "decisions", "notes"];

    fn reader(section: usize) -> Reader<Record> {
        match section {
            CONVENTIONS => |json| Stored::read(json).map(Record::Convention),
            DECISIONS => |json| Stored::read(json).map(Record::Decision),
            _ => |json| Stored::read(json).map(Record::Note),
        }
    }

    fn id(record: &Record) -> &str {
        record.id()
    }
}

impl RepoMemory {
    /// The conventions, oldest first.
    ///
    /// # Errors
    /// `Internal`, which would be a bug: a record that was read before cannot be read again.
    pub fn conventions(&self) -> Result<Vec<Stored<Convention>>> {
        self.of_kind()
    }

    /// The decisions, oldest first.
    ///
    /// # Errors
    /// `Internal`, which would be a bug: a record that was read before cannot be read again.
    pub fn decisions(&self) -> Result<Vec<Stored<Decision>>> {
        self.of_kind()
    }

    /// The notes, oldest first.
    ///
    /// # Errors
    /// `Internal`, which would be a bug: a record that was read before cannot be read again.
    pub fn notes(&self) -> Result<Vec<Stored<Note>>> {
        self.of_kind()
    }

    fn of_kind<K: MemoryKind>(&self) -> Result<Vec<Stored<K>>> {
        let rows = self.0.section(K::SECTION).iter();
        rows.filter_map(|row| row.record().map(|record| K::of(&record).cloned()).transpose()).collect()
    }

    /// What it was read from, for a text that is made of it; `None` when nothing is stored.
    pub(crate) fn source(&self) -> Source {
        warm::source(&self.0, self.rows().next().is_none())
    }

    /// The records of one section, oldest first.
    pub(crate) fn section(&self, section: usize) -> &[Row<Record>] {
        self.0.section(section)
    }

    /// Every record and its kind, in the order of the file.
    fn rows(&self) -> impl Iterator<Item = (Kind, &Row<Record>)> {
        let kinds = [(Kind::Convention, CONVENTIONS), (Kind::Decision, DECISIONS), (Kind::Note, NOTES)];
        kinds.into_iter().flat_map(|(kind, section)| self.section(section).iter().map(move |row| (kind, row)))
    }
}

/// The memory of one repository.
#[derive(Debug, Clone)]
pub struct Memory {
    repo: Repo,
}

impl Repo {
    /// Its conventions, decisions and notes.
    pub fn memory(&self) -> Memory {
        Memory { repo: self.clone() }
    }
}

impl Memory {
    /// Returns all records; none if nothing is stored.
    ///
    /// While the file is cached, a read costs a lock, a `stat` and an `Arc`.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `ParseError`, `FormatTooNew`, `IOError`.
    pub fn get(&self) -> Result<RepoMemory> {
        self.repo.call("memory.get", read)
    }

    /// Stores a convention, a decision or a note, and returns it as stored.
    ///
    /// If the draft has the id of a stored record, that record is updated and keeps the fields that the draft omits;
    /// otherwise a new record is created. Secrets are redacted.
    ///
    /// # Errors
    /// `ValidationError`, `SecretRefused` for an id that looks like a secret, `Conflict` if a record of another kind
    /// has the id, and those of [`get`](Self::get); then nothing was written. `IOError` and `RenameError` from writing.
    pub fn upsert<D: MemoryDraft>(&self, draft: D) -> Result<Stored<D::Kind>> {
        self.repo.store(D::OPERATION, |repo| upsert(repo, draft.into_content(repo.home().redactor())?))
    }

    /// Removes the record of any kind with this id. Returns whether there was one.
    ///
    /// # Errors
    /// Those of [`get`](Self::get); `SecretRefused` if no record has the id and it looks like a secret; `IOError` and
    /// `RenameError` from writing.
    pub fn remove(&self, id: &str) -> Result<bool> {
        self.repo.call("memory.remove", |repo| {
            // Do not create the home if nothing is stored.
            let is_empty = |memory: Arc<MemoryDocument>| RepoMemory(memory).rows().next().is_none();
            let wait = repo.home().wait();
            let is_removed = !file(repo).peek(wait)?.is_some_and(is_empty) && {
                let id = id.to_owned();
                file(repo).update(wait, move |memory| match memory.find(&id)? {
                    Some((spot, _)) => Ok((vec![Edit::Remove(spot)], true)),
                    None => Ok((Vec::new(), false)),
                })?
            };
            // A stored record can be removed even if the current rules would reject its id.
            if !is_removed {
                repo.home().redactor().admit("id", id)?;
            }
            Ok(is_removed)
        })
    }
}

fn file(repo: &Repo) -> DocumentFile<'_, MemorySchema> {
    let home = repo.home();
    DocumentFile::new(home.disk(), home.layout().memory(repo.hash()), home.config().lock_timeout)
}

fn read(repo: &Repo) -> Result<RepoMemory> {
    file(repo).read(repo.home().wait()).map(RepoMemory)
}

fn upsert<K: MemoryKind>(repo: &Repo, UserContent { id, fields, words }: UserContent) -> Result<Stored<K>> {
    let home = repo.home();
    let redactor = home.redactor();
    // Validate and redact, which may be slow, before the lock is taken and the folder is created.
    let id = id.map(|id| redactor.admit_id(&format!("{}.id", K::NAME), &id)).transpose()?;
    let known: Vec<&str> = K::FIELDS.iter().map(|(name, _)| *name).collect();
    let mut draft = redactor.seal(&fields, &known)?;
    for (name, word) in words {
        draft.set(name, &word)?;
    }
    if let Some(missing) = K::missing(&draft) {
        let is_new = match &id {
            Some(id) => match file(repo).peek(home.wait())? {
                Some(memory) => memory.find(id.as_str())?.is_none(),
                None => false,
            },
            None => true,
        };
        if is_new {
            return Err(missing_field::<K>(missing));
        }
    }
    let path = home.layout().memory(repo.hash());
    let (home, wait) = (home.clone(), repo.home().wait());
    file(repo).update(wait, move |memory| {
        let old = stored_under::<K>(memory, id.as_ref().map(Admitted::as_str))?;
        let spot = old.map(|(spot, _)| spot);
        let now = home.timestamp();
        let mut record = match old {
            Some((_, old)) => {
                let mut record = members_of(&home, &path, old)?;
                record.overlay(draft);
                record
            }
            None => new_record::<K>(&home, id, draft, now)?,
        };
        record.set("updatedAt", &now)?;
        let stored = Stored::from(record.record::<K>()?);
        let row = Row::Parsed(K::into_record(stored.clone()));
        let edit = match spot {
            Some(spot) => Edit::Change(spot, row),
            None => Edit::Add(K::SECTION, row),
        };
        Ok((vec![edit], stored))
    })
}

/// The members of a stored record that is to be updated. It was parsed before, but its unknown fields are only checked
/// here.
fn members_of(home: &Home, path: &Path, row: &Row<Record>) -> Result<SealedObject> {
    let record = row.record()?;
    let damaged = |what: &str| Error::parse(path, what).about(record.id());
    home.redactor().check(row.json()).map_err(|fault| damaged(fault.message()))?;
    SealedObject::of(row).map_err(|_| damaged("a key occurs twice in the record"))
}

/// The record that a draft with this id updates, and its index.
fn stored_under<'m, K: MemoryKind>(
    memory: &'m MemoryDocument,
    id: Option<&str>,
) -> Result<Option<(RecordIndex, &'m Row<Record>)>> {
    let Some(id) = id else { return Ok(None) };
    match memory.find(id)? {
        Some((spot, _)) if spot.section != K::SECTION => Err(Error::new(
            ErrorKind::Conflict,
            format!("the id is already used by one of the {}; choose another", MemorySchema::SECTIONS[spot.section]),
        )
        .about(id)),
        found => Ok(found),
    }
}

/// A new record, with its fields in the order in which they are stored.
fn new_record<K: MemoryKind>(
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
    for (name, default) in K::FIELDS {
        match (draft.take(name), default) {
            (Some(value), _) => record.set(name, &value)?,
            (None, FieldDefault::Required) => return Err(missing_field::<K>(name)),
            (None, FieldDefault::EmptyList) => record.set::<[u64]>(name, &[])?,
            (None, FieldDefault::Word(word)) => record.set(name, word)?,
        }
    }
    record.set("createdAt", &now)?;
    record.overlay(draft);
    Ok(record)
}

fn missing_field<K: MemoryKind>(field: &str) -> Error {
    Error::validation(format!("{}.{field} is missing; a new {} requires it", K::NAME, K::NAME))
}
