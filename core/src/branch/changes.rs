//! What a push has to publish: the folder as it is, and what it comes from.

use std::path::Path;
use std::string::FromUtf8Error;

use super::config::BranchMemory;
use super::contents::Contents;
use super::folder;
use super::glob::Patterns;
use super::objects::{Tree, id_of};
use super::origin::Origin;
use super::state::State;
use super::sync::with_what_is_not_kept;
use super::validate::BranchValidation;
use super::working_copy::{self, Files};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;

/// How much text before the place of a secret is looked at, and how much from there on, in bytes.
const MAX_NAME: usize = 1 << 10;
const MAX_SECRET: usize = 64 << 10;

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
    let disk = folder::disk(home, directory);
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

/// A file that is not text cannot be redacted. Among millions of random bytes, a few always look like a short name with a
/// value: what is found must be found in the text around it, too.
fn refuse_secret(home: &Home, path: &str, content: &[u8]) -> Result<()> {
    for found in home.redactor().find(content) {
        let (start, text) = text_around(content, found.place.start);
        let (_, secrets) = home.redactor().redact_field(path, text);
        if let Some(secret) = secrets.first() {
            let message = format!(
                "{path} is not a text file, and has what looks like a secret at byte {} (rule {}, tag {}); remove it, or allow it by this tag with safety.allow",
                start + secret.place.start,
                secret.rule,
                secret.tag
            );
            return Err(Error::new(ErrorKind::SecretRefused, message).about(path));
        }
    }
    Ok(())
}

/// The printable characters around a place, and where they begin.
fn text_around(content: &[u8], place: usize) -> (usize, &str) {
    let is_printable = |byte: &u8| byte.is_ascii_graphic() || b" \t\r\n".contains(byte);
    let (before, after) = content.split_at_checked(place).unwrap_or((content, &[]));
    let start = before.iter().rposition(|byte| !is_printable(byte)).map_or(0, |last| last + 1);
    let start = start.max(place.saturating_sub(MAX_NAME));
    let end = place + after.iter().take(MAX_SECRET).take_while(|byte| is_printable(byte)).count();
    (start, content.get(start..end).and_then(|text| str::from_utf8(text).ok()).unwrap_or_default())
}
