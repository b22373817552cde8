//! What a push has to publish: the folder as it is, and what it comes from.

use std::ops::Range;
use std::path::Path;
use std::string::FromUtf8Error;

use super::config::BranchMemory;
use super::contents::Contents;
use super::glob::Patterns;
use super::objects::{Tree, id_of};
use super::origin::Origin;
use super::state::State;
use super::sync::with_what_is_not_kept;
use super::validate::BranchValidation;
use super::working_copy::{self, Files};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::safety::RuleKind;

/// The shortest name with a value in a file that is not text, in bytes.
const MIN_TEXT: usize = 11;

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
    /// `SecretRefused` for a file that is not text and contains a secret; `IOError`, `GitError`, `Conflict`,
    /// `Cancelled`.
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
        let files = working_copy::read(home, state.disk(), directory, paths, memory.max_file_size)?;
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

/// Ends a dry run with what is redacted in these files of a folder, but for those that `base` has. Takes no lock and
/// writes nothing.
///
/// # Errors
/// Those of [`Changes::read`]; the error that ends a dry run.
pub(super) fn preview(home: &Home, directory: &Path, paths: impl Iterator<Item = String>, base: &Tree) -> Result<()> {
    let disk = home.disk_at(directory.parent().unwrap_or(directory));
    for (path, content) in working_copy::read(home, &disk, directory, paths, working_copy::MAX_BYTES)? {
        if base.get(&path).map(|item| item.id) != Some(id_of(&content)?) {
            without_secrets(home, &path, content)?;
        }
    }
    home.end_dry_run()
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
/// `SecretRefused` for one that is not text.
pub(super) fn without_secrets(home: &Home, path: &str, content: Vec<u8>) -> Result<Vec<u8>> {
    match String::from_utf8(content) {
        Ok(text) if !text.contains('\0') => Ok(home.redact(path, &text).into_owned().into_bytes()),
        other => {
            let binary = other.map_or_else(FromUtf8Error::into_bytes, String::into_bytes);
            refuse_secret(home, path, &binary)?;
            Ok(binary)
        }
    }
}

/// A file that is not text cannot be redacted.
fn refuse_secret(home: &Home, path: &str, content: &[u8]) -> Result<()> {
    let rules = home.redactor().rules();
    // Among millions of random bytes, a few always look like a short name with a value.
    let goes_by_words =
        |id: &str| rules.iter().any(|rule| rule.id == id && matches!(rule.kind, RuleKind::Keyed | RuleKind::Prose));
    let found = home.redactor().find(content);
    let secret = found.into_iter().find(|secret| !goes_by_words(secret.rule) || is_in_text(content, &secret.place));
    let Some(secret) = secret else { return Ok(()) };
    let message = format!(
        "{path} is not a text file, and has what looks like a secret at byte {} (rule {}); remove it, or allow it with safety.allow",
        secret.place.start, secret.rule
    );
    Err(Error::new(ErrorKind::SecretRefused, message).about(path))
}

/// Whether there is enough text at a place for a name and a value.
fn is_in_text(content: &[u8], place: &Range<usize>) -> bool {
    let is_printable = |byte: &&u8| byte.is_ascii_graphic() || b" \t\r\n".contains(byte);
    let before = content.get(..place.start).unwrap_or_default();
    let name = before.iter().rev().take_while(is_printable).take(MIN_TEXT).count();
    let secret = content.get(place.clone()).unwrap_or_default();
    name + secret.iter().filter(is_printable).count() >= MIN_TEXT
}
