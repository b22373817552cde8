//! What a room provides so that its removed and replaced records can be brought back.

use std::fmt;

use super::{Arrival, Brought, Export, Portable, Room, Source};
use crate::disk::Stored;
use crate::error::Result;
use crate::home::Home;
use crate::repo::Repo;
use crate::safety::Sealed;
use crate::trash::{Entry, Trash};

/// A room whose removed and replaced records go to a trash.
pub trait KeepsTrash: Room {
    /// Its name, which the entries have.
    fn name(&self) -> &'static str;

    /// Its trashes that are not in the folder of a repository: those that matter in the folder of `repo`, or all of the home.
    ///
    /// # Errors
    /// `IOError` if a folder cannot be read.
    fn trashes(&self, _home: &Home, _repo: Option<&Repo>) -> Result<Vec<Trash>> {
        Ok(Vec::new())
    }

    /// Puts the record of `entry` back as it was. If a newer version of a replaced record exists, that goes to the trash.
    /// Nothing happens if the record is there already, as after a crash.
    ///
    /// # Errors
    /// `Conflict` if there is another record with the id of a removed one; `ParseError` if the record cannot be read; those of
    /// the room's writes.
    fn restore(&self, place: &TrashOf, entry: &Stored<Entry>, jobs: &dyn KeepsJobs) -> Result<()>;
}

/// The contexts of jobs, which are in the storage that a store was opened with. Only their own module can write them.
pub trait KeepsJobs: fmt::Debug + Send + Sync {
    /// What the storage is: `file`.
    fn storage(&self) -> &'static str;

    /// Asks the storage for something that it need not have.
    ///
    /// # Errors
    /// Those of the storage, if it does not answer.
    fn ask(&self, home: &Home) -> Result<()>;

    /// Puts the context of a job back.
    ///
    /// # Errors
    /// `Conflict` if it has another one again; those of the storage.
    fn restore(&self, home: &Home, scope_id: &str, context: Sealed<()>) -> Result<()>;

    /// What an archive or a search has of jobs.
    ///
    /// # Errors
    /// `Unsupported` if the storage cannot list them; those of the storage.
    fn export(&self, from: &Source<'_>) -> Result<Export>;

    /// Brings what an archive has of jobs.
    ///
    /// # Errors
    /// Those of the storage.
    fn import(&self, records: &[Portable], into: &Arrival<'_>) -> Result<Brought>;
}

/// A trash, and what its records belong to.
#[derive(Debug, Clone)]
pub struct TrashOf {
    repo: Option<Repo>,
    trash: Trash,
}

impl TrashOf {
    /// That of a repository.
    pub(crate) fn repo(repo: &Repo) -> Self {
        TrashOf { repo: Some(repo.clone()), trash: repo.trash() }
    }

    /// One that belongs to no repository.
    pub(crate) fn home(trash: Trash) -> Self {
        TrashOf { repo: None, trash }
    }

    /// The repository; `None` if the records belong to none.
    pub(crate) fn of_repo(&self) -> Option<&Repo> {
        self.repo.as_ref()
    }

    /// The trash.
    pub(crate) fn trash(&self) -> &Trash {
        &self.trash
    }
}
