//! What a push has to publish: the folder as it is, and what it comes from.

use std::path::Path;

use super::config::BranchMemory;
use super::contents::Contents;
use super::glob::Patterns;
use super::objects::Tree;
use super::origin::Origin;
use super::state::State;
use super::sync::with_what_is_not_kept;
use super::validate::BranchValidation;
use super::working_copy::{self, Files};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;

/// What is to be published.
pub(super) struct Changes<'s> {
    pub(super) contents: Contents<'s>,
    pub(super) origin: Origin,
    /// The folder as it was read.
    pub(super) before: Tree,
    /// The folder as it should be on the branch: without secrets, and with what is not kept but on the branch.
    pub(super) ours: Tree,
}

impl<'s> Changes<'s> {
    /// Reads the files that were validated.
    ///
    /// # Errors
    /// `SecretRefused` for a file that is no text and contains a secret; `IOError`, `GitError`, `Conflict`, `Cancelled`.
    pub(super) fn read(
        home: &Home,
        state: &'s State,
        mut origin: Origin,
        memory: &BranchMemory,
        directory: &Path,
        validation: &BranchValidation,
    ) -> Result<Self> {
        let mut contents = Contents::new(&state.objects);
        let paths = validation.files.iter().map(|file| file.path.clone());
        let files = working_copy::read(home, state, directory, paths, memory.max_file_size)?;
        let mut before = working_copy::tree_of(&mut contents, files.clone(), origin.tree.as_ref())?;
        let patterns = Patterns::new(memory.file_glob.as_deref())?;
        // Files that are not kept were not read: they are taken to be as they were.
        let nothing = Tree::new();
        let unread = origin.tree.as_ref().unwrap_or(&nothing).iter();
        for (path, item) in unread.filter(|(path, item)| item.is_file() && !patterns.take(path)) {
            before.entry(path.clone()).or_insert(*item);
        }
        origin.settle(&before);
        let from = origin.tree.clone().unwrap_or_default();
        let sealed = sealed(home, files, &before, &from)?;
        let ours = working_copy::tree_of(&mut contents, sealed, Some(&from))?;
        let ours = with_what_is_not_kept(ours, &from, |path| patterns.take(path));
        Ok(Changes { contents, origin, before, ours })
    }
}

/// The files without secrets. Those that are on the branch already are unchanged.
fn sealed(home: &Home, files: Files, before: &Tree, base: &Tree) -> Result<Files> {
    let seal = |(path, content): (String, Vec<u8>)| {
        let is_on_branch = before.get(&path).is_some_and(|item| base.get(&path).is_some_and(|base| base.id == item.id));
        let content = if is_on_branch { content } else { without_secrets(home, &path, content)? };
        Ok((path, content))
    };
    files.into_iter().map(seal).collect()
}

/// The content of a file without secrets.
///
/// # Errors
/// `SecretRefused` for one that is no text.
pub(super) fn without_secrets(home: &Home, path: &str, content: Vec<u8>) -> Result<Vec<u8>> {
    match String::from_utf8(content) {
        Ok(text) => Ok(home.redact(path, &text).into_owned().into_bytes()),
        Err(binary) => {
            let binary = binary.into_bytes();
            refuse_secret(home, path, &binary)?;
            Ok(binary)
        }
    }
}

/// A file that is no text cannot be redacted.
fn refuse_secret(home: &Home, path: &str, content: &[u8]) -> Result<()> {
    match home.redactor().find(content).first() {
        None => Ok(()),
        Some(secret) => {
            let message =
                format!("{path} contains what looks like a secret (rule {}); remove it from the file", secret.rule);
            Err(Error::new(ErrorKind::SecretRefused, message).about(path))
        }
    }
}
