//! What a record belongs to.

use std::path::PathBuf;

use crate::home::RepoHash;

/// The user, a repository or a folder.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Owner {
    /// The user.
    Home,
    /// The memory of a repository.
    Repo(RepoHash),
    /// A folder.
    Folder(PathBuf),
}
