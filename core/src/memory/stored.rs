//! The file `memory.json` of a repository.

use std::sync::Arc;

use super::document::{MemoryDocument, MemorySchema};
use crate::disk::DocumentFile;
use crate::error::Result;
use crate::repo::Repo;

/// The file.
pub(super) fn file(repo: &Repo) -> DocumentFile<'_, MemorySchema> {
    let home = repo.home();
    DocumentFile::new(home.disk(), home.layout().memory(repo.hash()), home.config().lock_timeout)
}

/// What is stored for the repository itself, without what it inherits.
pub(super) fn own(repo: &Repo) -> Result<Arc<MemoryDocument>> {
    file(repo).read(repo.home().wait_options())
}
