//! Conventions, decisions and notes of a repository: `memory.json` (spec 000, "Memory data model").
//!
//! The three kinds share one upsert: a draft with the id of a stored record changes it, keeping what the draft leaves
//! out and `createdAt`; any other draft makes a new record. `record` says what each kind is made of.

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
pub use record::{Convention, Decision, MemoryKind, Note, NoteSource, FieldDefault, Record};
pub(crate) use room::MemoryRoom;

use crate::disk::{Document, DocumentFile, DocumentSchema, Edit, Reader, RecordIndex, Row, Stored};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::repo::Repo;
use crate::safety::{Admitted, SealedObject, Timestamp};

/// The places of the kinds in [`MemorySchema::SECTIONS`].
const CONVENTIONS: usize = 0;
const DECISIONS: usize = 1;
const NOTES: usize = 2;

/// A repository's conventions, decisions and notes, as they were when they were read. Cheap to clone.
#[derive(Debug, Clone)]
pub struct RepoMemory(Arc<MemoryDocument>);

type MemoryDocument = Document<MemorySchema>;

/// What `memory.json` is made of.
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
    /// As [`Row::record`].
    pub fn conventions(&self) -> Result<Vec<Stored<Convention>>> {
        self.of_kind()
    }

    /// The decisions, oldest first.
    ///
    /// # Errors
    /// As [`Row::record`].
    pub fn decisions(&self) -> Result<Vec<Stored<Decision>>> {
        self.of_kind()
    }

    /// The notes, oldest first.
    ///
    /// # Errors
    /// As [`Row::record`].
    pub fn notes(&self) -> Result<Vec<Stored<Note>>> {
        self.of_kind()
    }

    fn of_kind<K: MemoryKind>(&self) -> Result<Vec<Stored<K>>> {
        let rows = self.0.section(K::SECTION).iter();
        rows.filter_map(|row| row.record().map(|record| K::of(&record).cloned()).transpose()).collect()
    }

    /// The records of one section, oldest first.
    pub(crate) fn section(&self, section: usize) -> &[Row<Record>] {
        self.0.section(section)
    }

    /// Every record, in the order of the file, and the kind of its section.
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
    /// Everything stored; empty for a repository that nothing was stored for.
    ///
    /// Warm, the answer is shared with every other reader: a lock, a `stat` and an `Arc`.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `ParseError`, `FormatTooNew`, `IOError`.
    pub fn get(&self) -> Result<RepoMemory> {
        self.repo.call("memory.get", read)
    }

    /// Stores a convention, a decision or a note, and returns it as stored.
    ///
    /// A draft with the id of a stored record changes that one and keeps what the draft leaves out; any other makes a new
    /// one. Secrets in it are redacted.
    ///
    /// # Errors
    /// `ValidationError`, `SecretRefused` for an id that looks like a secret, `Conflict` when another kind of record has
    /// the id, and those of [`get`](Self::get); then nothing was written. `IOError` and `RenameError` from writing.
    pub fn upsert<D: MemoryDraft>(&self, draft: D) -> Result<Stored<D::Kind>> {
        self.repo.store(D::OPERATION, |repo| upsert(repo, draft.into_content(repo.home().redactor())?))
    }

    /// Removes the record with this id, whatever its kind; tells whether there was one.
    ///
    /// # Errors
    /// Those of [`get`](Self::get); `SecretRefused` when nothing has the id and it looks like a secret; `IOError` and
    /// `RenameError` from writing.
    pub fn remove(&self, id: &str) -> Result<bool> {
        self.repo.call("memory.remove", |repo| {
            // A home that holds nothing is not made to tell so.
            let holds_nothing = |memory: Arc<MemoryDocument>| RepoMemory(memory).rows().next().is_none();
            let wait = repo.home().wait();
            let is_removed = !file(repo).peek(wait)?.is_some_and(holds_nothing) && {
                let id = id.to_owned();
                file(repo).update(wait, move |memory| match memory.find(&id)? {
                    Some((spot, _)) => Ok((vec![Edit::Remove(spot)], true)),
                    None => Ok((Vec::new(), false)),
                })?
            };
            // What is stored may go, whatever today's rules say of its id.
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
    // What can be refused is, before the lock and the folder come to be; and redaction, which may be slow, is done.
    let id = id.map(|id| redactor.admit_id(&format!("{}.id", K::NAME), &id)).transpose()?;
    let own: Vec<&str> = K::FIELDS.iter().map(|(name, _)| *name).collect();
    let mut draft = redactor.seal(&fields, &own)?;
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
            return Err(lacks::<K>(missing));
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
            None => begin::<K>(&home, id, draft, now)?,
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

/// The members of a stored record that is to be changed. It was read as a record, but what is wrong with fields that are
/// not known shows only here.
fn members_of(home: &Home, path: &Path, row: &Row<Record>) -> Result<SealedObject> {
    let record = row.record()?;
    let damaged = |what: &str| Error::parse(path, what).about(record.id());
    home.redactor().check(row.json()).map_err(|fault| damaged(fault.message()))?;
    SealedObject::of(row).map_err(|_| damaged("a key stands twice in the record"))
}

/// The record that a draft with this id changes, and where it stands.
fn stored_under<'m, K: MemoryKind>(
    memory: &'m MemoryDocument,
    id: Option<&str>,
) -> Result<Option<(RecordIndex, &'m Row<Record>)>> {
    let Some(id) = id else { return Ok(None) };
    match memory.find(id)? {
        Some((spot, _)) if spot.section != K::SECTION => Err(Error::new(
            ErrorKind::Conflict,
            format!("the id is taken by one of the {}; choose another", MemorySchema::SECTIONS[spot.section]),
        )
        .about(id)),
        found => Ok(found),
    }
}

/// A new record, with its fields in the order in which they are stored.
fn begin<K: MemoryKind>(
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
    for (name, otherwise) in K::FIELDS {
        match (draft.take(name), otherwise) {
            (Some(value), _) => record.set(name, &value)?,
            (None, FieldDefault::Required) => return Err(lacks::<K>(name)),
            (None, FieldDefault::EmptyList) => record.set::<[u64]>(name, &[])?,
            (None, FieldDefault::Word(word)) => record.set(name, word)?,
        }
    }
    record.set("createdAt", &now)?;
    record.overlay(draft);
    Ok(record)
}

fn lacks<K: MemoryKind>(field: &str) -> Error {
    Error::validation(format!("{}.{field} is missing: a new {} needs it", K::NAME, K::NAME))
}
