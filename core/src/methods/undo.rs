//! `undo.*`

use super::{MethodGroup, method, methods, params, repo_of};
use crate::home::{BranchScope, RepoHash};
use crate::undo::{Removal, Undo};

pub(super) const GROUP: MethodGroup =
    MethodGroup { name: "undo", about: "What was removed or replaced", entries: methods! { List, Restore } };

params! {
    /// Returns what was removed or replaced, newest first. The trash keeps it for `trash.keepDays` (30).
    ///
    /// What a call replaces is kept if the store was opened with `keepReplaced`, as the command line does.
    struct List {
        /// The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        repo_hash: Option<RepoHash>,
        /// A folder in the repository. Default: the current folder, and what belongs to no repository is listed too.
        #[schemars(extend("format" = "path"))]
        workspace: Option<String>,
        /// Whether each branch has a separate memory or all branches share one. Default: as configured.
        branch_scope: Option<BranchScope>,
    }
}

method! {
    List = Undo::LIST => Vec<Removal> |self, store| {
        let is_named = self.repo_hash.is_some() || self.workspace.is_some() || self.branch_scope.is_some();
        let repo = || repo_of(store, self.repo_hash.as_ref(), self.workspace.as_deref(), self.branch_scope);
        store.undo().list(is_named.then(repo).transpose()?.as_ref())
    }
}

params! {
    /// Puts a record that was removed or replaced back as it was, and returns its entry of the trash, which is removed.
    ///
    /// If the record was replaced, the version that replaced it goes to the trash. `Conflict` if a record with the id of a
    /// removed one exists again.
    struct Restore {
        /// The entry's id, as `undo.list` returns it, or a unique prefix of at least six characters.
        id: String,
    }
}

method! { Restore = Undo::RESTORE => Removal, WRITES |self, store| store.undo().restore(&self.id) }
