//! The files of a branch, changed by compare-and-swap without a folder: for rooms that merge records themselves.

use std::collections::BTreeMap;
use std::path::Path;

use super::config::Memory;
use super::push::context::Context;
use super::push::publish::{Attempt, Outcome, attempt};
use super::repository::address::{Address, Source};
use super::repository::objects::{Author, CommitId, Item, Tree};
use super::repository::remote::{Remote, retry_pauses};
use super::repository::state::{State, with_repair};
use super::tree::contents::Contents;
use super::{Branches, operation};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;

/// New contents of files, by their paths.
pub(crate) type Texts = BTreeMap<String, Vec<u8>>;

/// The files of a branch at one commit.
pub(crate) struct Files<'t> {
    tree: &'t Tree,
    contents: &'t Contents<'t>,
}

impl Files<'_> {
    /// Their paths, sorted.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.tree.iter().filter(|(_, item)| item.is_file()).map(|(path, _)| path.as_str())
    }

    /// The content of a file; `None` if there is no such file.
    ///
    /// # Errors
    /// `ParseError` for one of more than `most` bytes, and if something other than a file is in its place; `GitError`.
    pub(crate) fn read(&self, path: &str, most: u64) -> Result<Option<Vec<u8>>> {
        let refused = |what: &str| Error::new(ErrorKind::Parse, format!("on the branch, {path} {what}"));
        let above = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
        let below = format!("{path}/");
        let is_below = self.tree.range(below.clone()..).next().is_some_and(|(other, _)| other.starts_with(&below));
        if is_below || above.into_iter().any(|folder| self.tree.contains_key(folder)) {
            return Err(refused("has a file or a folder in its way"));
        }
        match self.tree.get(path) {
            None => Ok(None),
            Some(item) if !item.is_file() => Err(refused("is not a regular file")),
            Some(item) if self.contents.size(item)? > most => Err(refused(&format!("has more than {most} bytes"))),
            Some(item) => self.contents.get(item.id).map(Some),
        }
    }
}

impl Branches {
    /// Commits what `change` makes of the files of a branch, on top of the commit that it was given. Where others were faster,
    /// `change` is called again, with their files. Returns the commit; `None` if nothing was to change. What git needs is beside
    /// `directory`, which itself is not used.
    ///
    /// # Errors
    /// `GitError`, retryable if the repository could not be reached; `Conflict` for a remote that pushes to another repository;
    /// those of `change`, and of opening the state.
    pub(crate) fn exchange(
        &self,
        memory: &Memory,
        directory: &Path,
        source: &Source,
        message: &str,
        mut change: impl FnMut(&Files<'_>) -> Result<Texts>,
    ) -> Result<Option<String>> {
        self.home.call(operation::PUSH, |home| {
            let address = Address::find(home, memory, source)?;
            if address.pushes_elsewhere() {
                let message =
                    "the remote's pushurl is another repository than its url; what is sent there would not come back";
                return Err(Error::new(ErrorKind::Conflict, message));
            }
            let remote = &Remote::new(home, address, &memory.branch);
            let pushed =
                with_repair(home, directory, || exchange(home, memory, directory, remote, message, &mut change))?;
            Ok(pushed.map(|commit| commit.to_string()))
        })
    }
}

fn exchange(
    home: &Home,
    memory: &Memory,
    directory: &Path,
    remote: &Remote<'_>,
    message: &str,
    change: &mut impl FnMut(&Files<'_>) -> Result<Texts>,
) -> Result<Option<CommitId>> {
    let state = &State::open_for(home, directory, remote)?;
    let context = &Context { home, memory, directory, remote, state, author: &Author::of(home), message };
    let _turn = remote.wait_for_turn(home)?;
    let (mut pauses, mut sent) = (retry_pauses(), None);
    for attempts in 1.. {
        let tip = context.fetch_tip()?;
        let mut contents = Contents::new(context.objects());
        let texts = change(&Files { tree: &tip.tree, contents: &contents })?;
        let mut tree = tip.tree.clone();
        for (path, text) in texts {
            let before = tree.get(&path).copied();
            tree.insert(path, Item::file(contents.add(text)?, before));
        }
        if tree == tip.tree {
            return Ok(sent);
        }
        let commit = context.commit(&contents, &tree, tip.commit.as_ref(), message)?;
        let why = match attempt(context, &commit, &tip)? {
            Attempt::Done => return Ok(Some(commit)),
            Attempt::Last(Outcome::Refused(why)) => {
                return Err(Error::new(ErrorKind::Git, format!("{} does not take the push: {why}", remote.shown())));
            }
            Attempt::Last(Outcome::Queued(why)) => return Err(unreached(remote, attempts, &why)),
            // It is on the branch, below commits of others.
            Attempt::Last(Outcome::OnBranch | Outcome::Published { .. }) => {
                sent = Some(commit);
                continue;
            }
            Attempt::Failed { reason, .. } => reason,
        };
        if attempts >= home.config().branch_attempts {
            return Err(unreached(remote, attempts, &why));
        }
        remote.pause(&mut pauses)?;
    }
    Ok(sent)
}

/// The error of a push that may succeed later.
fn unreached(remote: &Remote<'_>, attempts: u32, why: &str) -> Error {
    let message = format!("{} could not be pushed (attempts: {attempts}): {why}", remote.shown());
    Error::new(ErrorKind::Git, message).mark_retryable()
}
