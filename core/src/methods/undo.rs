//! `undo.*`

use super::{MethodGroup, method, methods, of_repo, params};
use crate::undo::{Removal, Undo};

pub(super) const GROUP: MethodGroup =
    MethodGroup { name: "undo", about: "What was removed or replaced", entries: methods! { List, Restore } };

of_repo! {
    /// Returns what was removed or replaced, newest first: of the repository and, unless that is named by its hash, of the
    /// branch that it inherits from, of the items that apply to its folder, and of the contexts of jobs. The trash keeps it for
    /// `trash.keepDays` (30).
    ///
    /// What a call replaces is kept if the store was opened with `keepReplaced`, as the command line does.
    struct List {}
}

method! { List = Undo::LIST => Vec<Removal> |self, store| store.undo().list(&self.repo(store)?) }

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
