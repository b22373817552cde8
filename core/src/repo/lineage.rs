//! What the commits of a repository say of whether another identity is of the same project.

use std::cell::OnceCell;

use super::{Names, Repo};
use crate::error::Result;
use crate::git::{Ancestry, Contained};

/// The history of HEAD, which is only read if it is asked for.
pub(crate) struct Lineage<'r> {
    repo: &'r Repo,
    history: OnceCell<Option<History<'r>>>,
    check: &'r dyn Fn() -> Result<()>,
}

struct History<'r> {
    commits: Ancestry<'r>,
    /// The first commit; `None` if it is too far away, or cannot be read.
    first: Option<String>,
}

impl<'r> Lineage<'r> {
    /// That of `repo`; empty if it was opened by its hash. `check` is called before each commit is read.
    pub(crate) fn of(repo: &'r Repo, check: &'r dyn Fn() -> Result<()>) -> Self {
        Lineage { repo, history: OnceCell::new(), check }
    }

    fn head(&self) -> Option<&'r str> {
        self.repo.identity()?.commit.as_deref()
    }

    fn history(&mut self) -> Result<Option<&mut History<'r>>> {
        if self.history.get().is_none() {
            let common_dir = self.repo.location().and_then(|location| location.common_dir.as_deref());
            let history = match common_dir.zip(self.head()) {
                Some((common_dir, head)) => {
                    let mut commits = Ancestry::open(common_dir, self.check);
                    let first = commits.first(head)?;
                    Some(History { commits, first })
                }
                None => None,
            };
            // It was empty.
            let _ = self.history.set(history);
        }
        Ok(self.history.get_mut().and_then(Option::as_mut))
    }

    /// Whether another identity is known to have a commit in common.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(crate) fn shares(&mut self, other: &Names) -> Result<bool> {
        let Some(history) = self.history()? else { return Ok(false) };
        if other.first_commit.is_some() && other.first_commit == history.first {
            return Ok(true);
        }
        other.commit.as_deref().map_or(Ok(false), |commit| history.commits.has(commit))
    }

    /// Whether both histories are known, and each begins with another commit.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(crate) fn differs(&mut self, other: &Names) -> Result<bool> {
        let Some(history) = self.history()? else { return Ok(false) };
        Ok(other.first_commit.is_some() && history.first.is_some() && other.first_commit != history.first)
    }

    /// What the history of HEAD says about a commit; `None` if it does not contain it.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(crate) fn contained(&mut self, commit: &str) -> Result<Option<Contained>> {
        let Some(head) = self.head() else { return Ok(None) };
        match self.history()? {
            Some(history) => history.commits.contains(head, commit),
            None => Ok(None),
        }
    }
}
