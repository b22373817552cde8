//! Undo: lists what was removed or replaced, and brings it back, for every room that has a trash.

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::disk::{Kind, Stored};
use crate::error::{Error, ErrorKind, Result};
use crate::home::{Home, RepoHash};
use crate::repo::Repo;
use crate::room::{KeepsJobs, KeepsTrash, MIN_PREFIX, TrashOf, line};
use crate::rooms;
pub use crate::trash::Reason;
use crate::trash::{Entry, record_of};

/// A record that was removed or replaced.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UndoEntry")]
#[non_exhaustive]
pub struct Removal {
    /// Identifies the entry of the trash, for `undo.restore`.
    pub id: String,
    /// The room that the record is from: `memory`.
    pub room: String,
    /// The kind of record: `note`.
    pub kind: String,
    /// The record's id.
    pub record_id: String,
    /// Why it is in the trash.
    pub reason: Reason,
    /// When it was removed or replaced, RFC 3339 in UTC.
    pub at: String,
    /// The title or the text of the record, on one line.
    pub preview: String,
    /// The whole record.
    #[schemars(with = "Map<String, Value>")]
    pub record: Box<RawValue>,
}

/// Lists and restores what was removed or replaced in a home. Returned by [`Store::undo`](crate::Store::undo).
#[derive(Debug, Clone)]
pub struct Undo {
    home: Home,
    jobs: Arc<dyn KeepsJobs>,
}

/// The maximum length of a preview, in characters.
const MAX_PREVIEW: usize = 200;
/// The members that a preview is made of: the first that is a text.
const TITLES: &[&str] = &["title", "summary", "content"];

impl Undo {
    pub(crate) const LIST: &str = "undo.list";
    pub(crate) const RESTORE: &str = "undo.restore";

    pub(crate) fn new(home: &Home, jobs: Arc<dyn KeepsJobs>) -> Self {
        Undo { home: home.clone(), jobs }
    }

    /// Returns what was removed or replaced of a repository, newest first. If it was opened by its folder, this includes the
    /// memory that it inherits from, the items that apply there, and the contexts of jobs.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `FormatTooNew`, `IOError`.
    pub fn list(&self, repo: &Repo) -> Result<Vec<Removal>> {
        self.home.call(Self::LIST, |home| {
            let mut places = vec![TrashOf::repo(&Repo::at(home, repo.hash()))];
            let inherited = repo.parent().into_iter().flat_map(|parent| &parent.hashes);
            places.extend(inherited.map(|hash| TrashOf::repo(&Repo::at(home, hash))));
            if repo.location().is_some() {
                places.extend(without_repo(home, Some(repo))?);
            }
            let mut removals = Vec::new();
            for place in places {
                for entry in place.trash().entries()?.iter().rev() {
                    removals.push(removal(home, entry)?);
                }
            }
            // Of equal times, those of one trash stay in the order in which they came there.
            removals.sort_by(|one, other| other.at.cmp(&one.at));
            Ok(removals)
        })
    }

    /// Puts a record back as it was and removes it from the trash. `id` is that of the entry, or a prefix of at least six
    /// characters that no other entry of the home begins with. The present version of a record that was replaced goes to the
    /// trash instead.
    ///
    /// # Errors
    /// `NotFound`; `Conflict` if several entries begin with `id`, or a record with the id of a removed one exists again;
    /// `ValidationError` if the prefix is too short; `SecretRefused` if no entry has the id and it looks like a secret; those
    /// of writing the record.
    pub fn restore(&self, id: &str) -> Result<Removal> {
        self.home.call(Self::RESTORE, |home| {
            let (place, entry) = find(home, id)?;
            let room = rooms::ROOMS.iter().filter_map(|room| room.trash()).find(|room| room.name() == entry.room);
            let room: &dyn KeepsTrash = room.ok_or_else(|| {
                let message = "this version cannot bring back records of this kind; update loopmem";
                Error::new(ErrorKind::Unsupported, message).about(&entry.id)
            })?;
            let removal = removal(home, &entry)?;
            room.restore(&place, &entry, &*self.jobs)?;
            let id = entry.id.clone();
            place.trash().take_out(move |entry| entry.id == id)?;
            Ok(removal)
        })
    }
}

/// The trashes that are in the folder of no repository: those that matter in the folder of `repo`, or all.
fn without_repo(home: &Home, repo: Option<&Repo>) -> Result<Vec<TrashOf>> {
    let mut places = Vec::new();
    for room in rooms::ROOMS.iter().filter_map(|room| room.trash()) {
        places.extend(room.trashes(home, repo)?.into_iter().map(TrashOf::home));
    }
    Ok(places)
}

/// The entry with this id, or the only one that begins with it, in every trash of the home.
fn find(home: &Home, id: &str) -> Result<(TrashOf, Stored<Entry>)> {
    let mut places = without_repo(home, None)?;
    for (name, stat) in home.disk().entries(&home.layout().repos())? {
        let hash = name.to_str().and_then(|name| RepoHash::parse(name).ok());
        let hash = hash.filter(|hash| stat.kind == Kind::Folder && *hash.as_str() == *name);
        places.extend(hash.map(|hash| TrashOf::repo(&Repo::at(home, &hash))));
    }
    let (mut found, mut ids, mut failed) = (None, BTreeSet::new(), None);
    for place in places {
        let entries = match place.trash().entries() {
            Ok(entries) => entries,
            // Damage elsewhere does not prevent it.
            Err(error) => {
                failed.get_or_insert(error);
                continue;
            }
        };
        for entry in entries {
            if entry.id == id {
                return Ok((place, entry));
            }
            if entry.id.starts_with(id) {
                ids.insert(entry.id.clone());
                found = Some((place.clone(), entry));
            }
        }
    }
    home.redactor().admit("id", id)?;
    if id.chars().count() < MIN_PREFIX {
        return Err(Error::validation(format!(
            "id must be that of an entry, as undo.list returns it, or at least its first {MIN_PREFIX} characters"
        )));
    }
    match (found, ids.len()) {
        (Some(found), 1) => Ok(found),
        (Some(_), count) => {
            let shown: Vec<&str> = ids.iter().take(10).map(String::as_str).collect();
            let message = format!("{count} entries begin with this id; pass more of it: {}", shown.join(", "));
            Err(Error::new(ErrorKind::Conflict, message).about(id))
        }
        (None, _) => Err(failed.unwrap_or_else(|| {
            Error::new(ErrorKind::NotFound, "the trash has no such entry; undo.list lists what can be brought back")
                .about(id)
        })),
    }
}

fn removal(home: &Home, entry: &Stored<Entry>) -> Result<Removal> {
    let (record, ()) = record_of(entry)?.into_parts();
    let members: Map<String, Value> = serde_json::from_str(record.get()).unwrap_or_default();
    let title = TITLES.iter().find_map(|name| members.get(*name)?.as_str()).unwrap_or_else(|| record.get());
    // A rule may be newer than the record.
    let preview = line(&home.redactor().scrub(title)).chars().take(MAX_PREVIEW).collect();
    let Entry { id, room, kind, record_id, reason, at, .. } = (**entry).clone();
    Ok(Removal { id, room, kind, record_id, reason, at, preview, record })
}
