//! What a room provides so that its records follow a repository to other machines.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Deserialize;

use super::Room;
use crate::error::Result;
use crate::home::Home;
use crate::repo::Repo;

/// What the records of a collection belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// A branch of a repository.
    Branch,
    /// A repository, on all branches.
    Repository,
    /// The user, in all repositories.
    User,
}

/// Records of one kind.
#[derive(Debug, Clone, Copy)]
pub struct Collection {
    /// Its name, also used as the file name on the branch.
    pub name: &'static str,
    /// What they belong to.
    pub owner: Extent,
    /// Whether a record that was removed on one machine is removed on the others. False where old ones make room for new ones.
    pub is_removed_everywhere: bool,
}

/// Records by their keys, each as one line of JSON as it is stored.
pub type Lines = BTreeMap<String, String>;

/// The records of a collection that are here.
#[derive(Debug, Default)]
pub struct Stock {
    /// Those that can be stored today.
    pub lines: Lines,
    /// The keys of the others, such as one with an invalid timestamp. They stay as they are, here and elsewhere.
    pub held: Vec<String>,
    /// Whether their file is damaged, so that what is missing was not removed.
    pub is_damaged: bool,
}

/// A change of one record.
#[derive(Debug, Clone)]
pub struct LineChange {
    /// Its key.
    pub key: String,
    /// The record as it must be for the change to be made; `None` if there must be none.
    pub from: Option<String>,
    /// The record as it becomes; `None` if it is removed.
    pub to: Option<String>,
}

/// A room whose records are kept the same on several machines.
pub trait Synced: Room {
    /// Its collections.
    fn collections(&self) -> &'static [Collection];

    /// The records of a collection; `None` if it is not here, so that what others have of it does not matter.
    ///
    /// # Errors
    /// Those of the room's reads.
    fn lines(&self, repo: &Repo, collection: &str) -> Result<Option<Stock>>;

    /// Whether there is a file of the collection, be it empty. A file that was lost removes nothing elsewhere.
    ///
    /// # Errors
    /// `IOError`; those of finding the place.
    fn is_there(&self, repo: &Repo, collection: &str) -> Result<bool>;

    /// The key and the text of a record that another machine has written, as it is stored here: redacted, in one form.
    ///
    /// # Errors
    /// `ParseError` if it is no such record; `SecretRefused` for a secret in an id.
    fn admitted(&self, home: &Home, collection: &str, line: &str) -> Result<(String, String)>;

    /// Makes those of the changes whose record is as expected, together. What is removed or replaced goes to the trash.
    ///
    /// # Errors
    /// Those of the room's writes.
    fn change(&self, repo: &Repo, collection: &str, changes: Vec<LineChange>) -> Result<()>;
}

/// When a record was last changed; `None` if it does not say.
pub(crate) fn changed_at(line: &str) -> Option<DateTime<Utc>> {
    #[derive(Deserialize)]
    struct Times {
        #[serde(rename = "updatedAt")]
        of_memory: Option<String>,
        #[serde(rename = "updated_at")]
        of_item: Option<String>,
    }
    let times: Times = serde_json::from_str(line).ok()?;
    DateTime::parse_from_rfc3339(&times.of_memory.or(times.of_item)?).ok().map(|time| time.to_utc())
}
