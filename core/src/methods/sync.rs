//! `sync.*`

use super::{MethodGroup, method, methods, params, workspace_of};
use crate::home::BranchScope;
use crate::repo::Repo;
use crate::store::Store;
use crate::sync::{Run as Outcome, RunOptions, Status as Synchronized, Sync};

pub(super) const GROUP: MethodGroup = MethodGroup {
    name: "sync",
    about: "The memory of a repository on several machines",
    entries: methods! { Run, Status },
};

fn repo(store: &Store, workspace: Option<&str>, branch_scope: Option<BranchScope>) -> crate::error::Result<Repo> {
    store.repo(workspace_of(workspace).branch_scope(branch_scope))
}

params! {
    /// Brings the memory of a repository and that on a branch of its own remote together: conventions, decisions and notes of
    /// all branches, items, and with `sync.summaries` step summaries.
    ///
    /// Nothing is sent unless it was switched on for the repository. Records are merged three-way against what was last the
    /// same, removals included, and redacted. If the remote cannot be reached, the changes wait for the next run.
    struct Run {
        /// A folder in the repository. Default: the current folder.
        #[schemars(extend("format" = "path"))]
        workspace: Option<String>,
        /// Whether each branch has a separate memory or all branches share one. Default: as configured.
        branch_scope: Option<BranchScope>,
        /// Switches it on for this repository, or off: then nothing is sent. Default: as it was; off at first.
        on: Option<bool>,
        /// Whether the global items are synchronized through this repository too, which is remembered. Everybody who can read
        /// the remote can read them, and what others put there applies in all of your repositories. Default: as it was;
        /// `sync.globalItems` at first, which is off.
        global_items: Option<bool>,
        /// Only count what would change, here and there. Default: false.
        dry_run: Option<bool>,
    }
}

method! {
    Run = Sync::RUN => Outcome, WRITES |self, store| {
        let repo = repo(store, self.workspace.as_deref(), self.branch_scope)?;
        repo.sync().run(RunOptions::default().on(self.on).global_items(self.global_items).dry_run(self.dry_run.unwrap_or(false)))
    }
}

params! {
    /// Returns whether the memory of a repository is synchronized with its remote, and how many changes wait.
    struct Status {
        /// A folder in the repository. Default: the current folder.
        #[schemars(extend("format" = "path"))]
        workspace: Option<String>,
        /// Whether each branch has a separate memory or all branches share one. Default: as configured.
        branch_scope: Option<BranchScope>,
    }
}

method! {
    Status = Sync::STATUS => Synchronized |self, store| {
        repo(store, self.workspace.as_deref(), self.branch_scope)?.sync().status()
    }
}
