//! Conventions, decisions and notes of a repository: `memory.json` (spec 000, "Memory data model").
//!
//! The three kinds share one upsert: a draft with the id of a stored record changes it, keeping what the draft leaves
//! out and `createdAt`; any other draft makes a new record. `record` says what each kind is made of.

mod adopt;
mod fragments;
mod list;
mod record;

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use serde_json::value::{RawValue, to_raw_value};

pub use adopt::{Adopted, Counts};
pub use list::{Filter, Kind};
use record::unwritable;
pub use record::{
    Convention, ConventionDraft, Decision, DecisionDraft, MemoryDraft, MemoryKind, Note, NoteDraft, NoteSource, Record,
};

use crate::disk::{Document, DocumentFile, Edit, Fields, Reader, Shape, Spot, Stored};
use crate::error::{Error, ErrorKind, Result};
use crate::finding::Examination;
use crate::home::{Home, on_one_line};
use crate::repo::Repo;
use crate::safety::Redactor;

/// The places of the kinds in [`MemoryShape::SECTIONS`].
const CONVENTIONS: usize = 0;
const DECISIONS: usize = 1;
const NOTES: usize = 2;

/// A repository's conventions, decisions and notes, as they stood when they were read.
pub type RepoMemory = Document<MemoryShape>;

/// What `memory.json` is made of.
#[derive(Debug)]
pub struct MemoryShape;

impl Shape for MemoryShape {
    type Record = Record;
    const VERSION: u64 = 1;
    const SECTIONS: &'static [&'static str] = &["conventions", "decisions", "notes"];

    fn reader(section: usize) -> Reader<Record> {
        match section {
            CONVENTIONS => |json| serde_json::from_str(json.get()).map(Record::Convention),
            DECISIONS => |json| serde_json::from_str(json.get()).map(Record::Decision),
            _ => |json| serde_json::from_str(json.get()).map(Record::Note),
        }
    }

    fn id(record: &Record) -> &str {
        record.id()
    }
}

impl RepoMemory {
    /// The conventions, oldest first.
    pub fn conventions(&self) -> &[Stored<Record>] {
        self.section(CONVENTIONS)
    }

    /// The decisions, oldest first.
    pub fn decisions(&self) -> &[Stored<Record>] {
        self.section(DECISIONS)
    }

    /// The notes, oldest first.
    pub fn notes(&self) -> &[Stored<Record>] {
        self.section(NOTES)
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
    pub fn get(&self) -> Result<Arc<RepoMemory>> {
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
    pub fn upsert<D: MemoryDraft>(&self, draft: D) -> Result<Stored<Record>> {
        self.repo.store(D::OPERATION, |repo| {
            let (id, fields) = draft.into_parts()?;
            upsert::<D::Kind>(repo, id, fields)
        })
    }

    /// Removes the record with this id, whatever its kind; tells whether there was one.
    ///
    /// # Errors
    /// Those of [`get`](Self::get); `SecretRefused` when nothing has the id and it looks like a secret; `IOError` and
    /// `RenameError` from writing.
    pub fn remove(&self, id: &str) -> Result<bool> {
        self.repo.call("memory.remove", |repo| {
            // A home that holds nothing is not made to tell so.
            let holds_nothing = |memory: Arc<RepoMemory>| {
                [memory.conventions(), memory.decisions(), memory.notes()].iter().all(|records| records.is_empty())
            };
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

    /// Looks at `memory.json`, and with `fix` brings back every record that is whole in it.
    ///
    /// # Errors
    /// `Cancelled`. Any other is a finding.
    pub(crate) fn examine(&self, fix: bool) -> Result<Examination> {
        file(&self.repo).examine(self.repo.home().wait(), fix)
    }
}

fn file(repo: &Repo) -> DocumentFile<'_, MemoryShape> {
    let home = repo.home();
    DocumentFile::new(home.disk(), home.layout().memory(repo.hash()), home.config().lock_timeout)
}

fn read(repo: &Repo) -> Result<Arc<RepoMemory>> {
    file(repo).read(repo.home().wait())
}

fn upsert<K: MemoryKind>(repo: &Repo, id: Option<String>, mut draft: Fields) -> Result<Stored<Record>> {
    let home = repo.home();
    let redactor = home.redactor();
    // What can be refused is, before the lock and the folder come to be; and redaction, which may be slow, is done.
    if let Some(id) = &id {
        redactor.admit_id(&format!("{}.id", K::NAME), id)?;
    }
    let own: Vec<&str> = K::FIELDS.iter().map(|(name, _)| *name).collect();
    let words: Vec<_> = K::WORDS.iter().filter_map(|name| Some((*name, draft.get(name)?.to_owned()))).collect();
    for name in K::ONE_LINE {
        put_on_one_line(redactor, &mut draft, name)?;
    }
    let draft = redactor.seal::<Fields>(&draft, &own)?;
    check_fields::<K>(draft.value())?;
    if let Some(missing) = K::missing(draft.value()) {
        let is_new = match &id {
            Some(id) => match file(repo).peek(home.wait())? {
                Some(memory) => memory.find(id)?.is_none(),
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
        let old = stored_under::<K>(memory, id.as_deref())?;
        let spot = old.map(|(spot, _)| spot);
        let sealed = draft.complete(|mut draft| {
            for (name, word) in words {
                draft.set(name, word);
            }
            let now = to_raw_value(&home.timestamp()).map_err(unwritable)?;
            let mut fields = match old {
                Some((_, old)) => {
                    let mut fields = fields_of(&home, &path, old)?;
                    fields.overlay(draft);
                    fields
                }
                None => begin::<K>(id.unwrap_or_else(|| home.new_id()), draft, now.clone())?,
            };
            fields.set("updatedAt", now);
            Ok::<_, Error>(fields)
        })?;
        let stored = Stored::from(sealed.map(K::into_record));
        let edit = match spot {
            Some(spot) => Edit::Change(spot, stored.clone()),
            None => Edit::Add(K::SECTION, stored.clone()),
        };
        Ok((vec![edit], stored))
    })
}

/// Puts the text of a draft's field on one line; redacted before, since some secrets are known by their lines.
fn put_on_one_line(redactor: &Redactor, draft: &mut Fields, name: &str) -> Result<()> {
    let text = draft.get(name).and_then(|json| serde_json::from_str::<String>(json.get()).ok());
    if let Some(text) = text.filter(|text| matches!(on_one_line(text), Cow::Owned(_))) {
        let line = on_one_line(&redactor.redact(&text)).into_owned();
        draft.set(name, to_raw_value(&line).map_err(unwritable)?);
    }
    Ok(())
}

/// The fields of a stored record that is to be changed. It was read as a record, but what is wrong with fields that are
/// not known shows only here.
fn fields_of(home: &Home, path: &Path, stored: &Stored<Record>) -> Result<Fields> {
    let record = stored.record()?;
    let damaged = |what: &str| Error::parse(path, what).about(record.id());
    home.redactor().check(stored.json()).map_err(|fault| damaged(fault.message()))?;
    serde_json::from_str(stored.json().get()).map_err(|_| damaged("a key stands twice in the record"))
}

/// The record that a draft with this id changes, and where it stands.
fn stored_under<'m, K: MemoryKind>(
    memory: &'m RepoMemory,
    id: Option<&str>,
) -> Result<Option<(Spot, &'m Stored<Record>)>> {
    let Some(id) = id else { return Ok(None) };
    match memory.find(id)? {
        Some((spot, _)) if spot.section != K::SECTION => Err(Error::new(
            ErrorKind::Conflict,
            format!("the id is taken by one of the {}; choose another", MemoryShape::SECTIONS[spot.section]),
        )
        .about(id)),
        found => Ok(found),
    }
}

/// The fields of a new record, in the order in which they are stored.
fn begin<K: MemoryKind>(id: String, mut draft: Fields, now: Box<RawValue>) -> Result<Fields> {
    let mut fields = Fields::default();
    fields.set("id", to_raw_value(&id).map_err(unwritable)?);
    for (name, default) in K::FIELDS {
        let value = match (draft.remove(name), default) {
            (Some(value), _) => value,
            (None, Some(default)) => RawValue::from_string((*default).to_owned()).map_err(unwritable)?,
            (None, None) => return Err(lacks::<K>(name)),
        };
        fields.set(name, value);
    }
    fields.set("createdAt", now);
    fields.overlay(draft);
    Ok(fields)
}

fn lacks<K: MemoryKind>(field: &str) -> Error {
    Error::validation(format!("{}.{field} is missing: a new {} needs it", K::NAME, K::NAME))
}

/// No text that a record needs may be empty.
fn check_fields<K: MemoryKind>(draft: &Fields) -> Result<()> {
    for (name, _) in K::FIELDS.iter().filter(|(_, default)| default.is_none()) {
        let Some(json) = draft.get(name) else { continue };
        if serde_json::from_str::<String>(json.get()).is_ok_and(|text| text.trim().is_empty()) {
            return Err(Error::validation(format!("{}.{name} must not be empty", K::NAME)));
        }
    }
    Ok(())
}
