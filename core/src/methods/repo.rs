//! `repo.*`

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::{MethodGroup, method, methods, of_repo, params, workspace_of};
use crate::error::Error;
use crate::home::{BranchScope, RepoHash};
use crate::repo::{Identity, Repo, SANITIZE_REMOTE_URL, sanitize_remote_url};
use crate::repos::{Adoption, Forgetting, Forgotten, KnownRepo, Migration, Moving, Repos};

pub(super) const GROUP: MethodGroup = MethodGroup {
    name: "repo",
    about: "Repository identities, and what is stored for each",
    entries: methods! { Identify, SanitizeRemoteUrl, List, Adopt, Move, Migrate, Forget },
};

params! {
    /// Identifies the repository that a folder belongs to: the hash under which its memory is stored, and what the hash
    /// is computed from.
    ///
    /// A folder outside of any repository is identified by its path. Such a hash is only valid on one machine.
    struct Identify {
        /// A folder in the repository. Default: the current folder.
        #[schemars(extend("format" = "path"))]
        workspace: Option<String>,
        /// Whether each branch has a separate memory or all branches share one. Default: as configured.
        branch_scope: Option<BranchScope>,
        /// The branch to identify, instead of the one that HEAD is on.
        branch: Option<String>,
    }
}

method! {
    Identify = Repo::IDENTIFY => Identity, LOCK_FREE |self, store| {
        let mut workspace = workspace_of(self.workspace.as_deref()).branch_scope(self.branch_scope);
        if let Some(branch) = self.branch {
            workspace = workspace.branch(branch);
        }
        store.repos().identify(workspace)
    }
}

params! {
    /// Removes credentials, default ports, the query and the fragment from a remote URL, and normalizes the form of SSH
    /// URLs.
    struct SanitizeRemoteUrl {
        /// The URL, in any form that git accepts; at most 16,384 bytes.
        url: String,
    }
}

/// A remote URL without credentials.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SanitizedUrl {
    /// The URL.
    url: String,
}

method! {
    SanitizeRemoteUrl = SANITIZE_REMOTE_URL => SanitizedUrl, LOCK_FREE |self, _| {
        Ok(SanitizedUrl { url: sanitize_remote_url(&self.url)? })
    }
}

params! {
    /// Lists the repositories that have stored data, most recently modified first.
    struct List {}
}

method! { List = Repos::LIST => Vec<KnownRepo> |self, store| store.repos().list() }

params! {
    /// Brings what another identity of this repository learned into this one; without `from`, lists what there is.
    ///
    /// A repository has another identity on each branch and detached commit, in each clone, before and after it was moved, and
    /// with another remote or another URL of it. A record that both have is merged: what only one side changed is taken from
    /// there; of two changes the newer stays, and the other is kept in the trash and named. What was adopted before and
    /// removed since stays away. The other identity is not changed.
    struct Adopt {
        /// A folder in the repository. Default: the current folder.
        #[schemars(extend("format" = "path"))]
        workspace: Option<String>,
        /// Whether each branch has a separate memory or all branches share one. Default: as configured.
        branch_scope: Option<BranchScope>,
        /// The other identity: its branch, its folder, or its hash, of which the first digits do. Default: none of them; they
        /// are listed, with what each has and the command that brings it.
        from: Option<String>,
        /// Whether its memory is not wanted here: nothing is copied, and no notice names it until it changes again. Default:
        /// false.
        ignore: Option<bool>,
        /// Only count what would be copied. Default: false.
        dry_run: Option<bool>,
    }
}

method! {
    Adopt = Repo::ADOPT => Adoption, WRITES |self, store| {
        let repo = store.repo(workspace_of(self.workspace.as_deref()).branch_scope(self.branch_scope))?;
        let (dry_run, ignore) = (self.dry_run.unwrap_or(false), self.ignore.unwrap_or(false));
        match self.from.as_deref() {
            None if ignore => Err(Error::validation("ignore needs the identity that is not wanted, as from")),
            None => repo.relatives().map(Adoption::listing),
            Some(from) if ignore && !dry_run => repo.decline(from),
            Some(from) => repo.adopt(from, dry_run),
        }
    }
}

params! {
    /// Copies what is stored for a folder that was moved, and for every folder below it, to the hashes that they have now: that
    /// of each branch, work tree and detached commit.
    ///
    /// Records that are there already are merged as by `repo.adopt`. What was stored for the old folder stays as it was.
    struct Move {
        /// The folder before it was moved.
        #[schemars(extend("format" = "path"))]
        old_path: String,
        /// The folder now. Default: the repository of the current folder.
        #[schemars(extend("format" = "path"))]
        new_path: Option<String>,
        /// Only count what would be copied. Default: false.
        dry_run: Option<bool>,
    }
}

method! {
    Move = Repos::MOVE => Moving, WRITES |self, store| {
        let new = self.new_path.as_deref().map(Path::new);
        store.repos().move_folder(Path::new(&self.old_path), new, self.dry_run.unwrap_or(false))
    }
}

params! {
    /// Copies the memory stored under one repository hash to another, after a branch was renamed, a folder moved or a
    /// remote changed.
    ///
    /// The source is not changed, nor is any record that the target already has: one with the same id, or a summary
    /// with the same run, step and time. The target's limits still apply: the oldest summaries beyond them are not
    /// copied, or are removed from the target, and are counted. If anything prevents the migration, nothing is copied.
    struct Migrate {
        /// The hash to copy from, as `repo.identify` or `repo.list` returns it.
        from_repo_hash: RepoHash,
        /// The hash to copy to.
        to_repo_hash: RepoHash,
        /// Only count what would be copied. Default: false.
        dry_run: Option<bool>,
    }
}

method! {
    Migrate = Repos::MIGRATE => Migration, WRITES |self, store| {
        let (from, to) = (&self.from_repo_hash, &self.to_repo_hash);
        let repos = store.repos();
        if self.dry_run.unwrap_or(false) { repos.preview_migration(from, to) } else { repos.migrate(from, to) }
    }
}

of_repo! {
    /// Removes the memory of a repository: its conventions, decisions, notes and step summaries. `undo.restore` brings each of
    /// them back. If `sync` is on for the repository, it is switched off.
    ///
    /// Items are in the repository itself, and stay.
    struct Forget {
        /// Whether everything that is stored of the same project is removed: of all branches, of the folders that it was moved
        /// from, and of its other clones. Default: false.
        all: Option<bool>,
        /// Whether it is removed for good, with the trash, the index and the names of the repository, and everything damaged
        /// that was set aside. What the index knows of the contents of files is removed for all repositories, and made again
        /// when it is needed. Default: false.
        purge: Option<bool>,
        /// Only counts what would be removed. Default: false.
        dry_run: Option<bool>,
    }
}

method! {
    Forget = Repos::FORGET => Forgotten, WRITES |self, store| {
        let is = |option: Option<bool>| option == Some(true);
        let forgetting = Forgetting::default().all(is(self.all)).purge(is(self.purge)).dry_run(is(self.dry_run));
        store.repos().forget(&self.repo(store)?, forgetting)
    }
}
