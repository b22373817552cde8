//! The changes of a folder: its files as they are, and as they should be on the branch.

use super::base::Base;
use super::context::Context;
use crate::branch::repository::objects::{CommitId, Tree};
use crate::branch::tree::combine::with_what_is_not_kept;
use crate::branch::tree::contents::Contents;
use crate::branch::tree::redaction::without_secrets;
use crate::branch::tree::validate::Validation;
use crate::branch::tree::working_copy::{self, Files};
use crate::error::Result;
use crate::home::Home;

/// The files of a folder, and the base with which they are compared.
pub(crate) struct Changes<'s> {
    pub(crate) contents: Contents<'s>,
    pub(crate) base: Base,
    /// The folder as it was read.
    pub(crate) before: Tree,
    /// The folder as it should be on the branch: without secrets, and with the items of the branch that are not kept.
    pub(crate) ours: Tree,
}

impl<'s> Changes<'s> {
    /// Reads the files that were validated.
    ///
    /// # Errors
    /// `SecretRefused` for a file that is not text and contains a secret; `IOError`, `GitError`, `Conflict`,
    /// `Cancelled`.
    pub(crate) fn read(context: &Context<'s>, mut base: Base, validation: &Validation) -> Result<Self> {
        let Context { home, memory, state, directory, .. } = *context;
        let mut contents = Contents::new(&state.objects);
        let paths = validation.files.iter().map(|file| file.path.clone());
        let files = working_copy::read(home, state.disk(), directory, paths, memory.max_file_size)?;
        let mut before = working_copy::tree_of(&mut contents, files.clone(), base.tree.as_ref())?;
        let patterns = memory.patterns()?;
        // Files that are not kept were not read: they are taken to be as they were.
        for (path, item) in base.tree.iter().flatten().filter(|(path, item)| item.is_file() && !patterns.take(path)) {
            before.entry(path.clone()).or_insert(*item);
        }
        base.settle(&before);
        let from = base.tree.clone().unwrap_or_default();
        let sealed = sealed(home, files, &before, &from)?;
        let ours = working_copy::tree_of(&mut contents, sealed, Some(&from))?;
        let ours = with_what_is_not_kept(ours, &from, |path| patterns.take(path));
        Ok(Changes { contents, base, before, ours })
    }

    /// A commit of the folder that waits until it is pushed, on top of the files with which the folder is compared. The
    /// files are durable then.
    pub(crate) fn to_commit(&self, context: &Context<'_>) -> Result<CommitId> {
        let Changes { contents, base, ours, before } = self;
        working_copy::sync(context.state.disk(), context.directory, before)?;
        let parent = base.to_commit(contents, context.objects(), context.author)?;
        let message = match &base.queued {
            Some(queued) if queued.tree == *ours => queued.message.clone(),
            Some(queued) => format!("{}\n\n{}", queued.message.trim_end(), context.message),
            None => context.message.to_owned(),
        };
        // With the message of the commit that is pushed, so that it is the same if nothing was merged.
        context.commit(contents, ours, parent.as_ref(), &message)
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
