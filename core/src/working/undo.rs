//! Contexts of deleted scopes in the trash.

use std::collections::BTreeMap;

use super::key::Scope;
use super::{Working, names};
use crate::disk::{Json, Mode};
use crate::error::{Error, Result};
use crate::home::Home;
use crate::logger::Level;
use crate::safety::Sealed;
use crate::trash::{Discarded, Reason, Trash};

/// The name of the room.
pub(super) const ROOM: &str = "working";
/// The one kind of its records.
pub(super) const KIND: &str = "context";

/// The trash of all scopes.
pub(super) fn trash(home: &Home) -> Trash {
    Trash::at(home, home.layout().working_trash())
}

impl Working {
    /// Deletes everything in a scope: context, trail, log and checkpoints. Returns whether there was anything. The trash keeps
    /// the context for `trash.keepDays`, unless the adapter keeps it only as long as the process runs.
    ///
    /// # Errors
    /// `ValidationError` and `SecretRefused` for an invalid id, and the adapter's errors.
    pub fn delete_scope(&self, scope_id: &str) -> Result<bool> {
        self.delete(scope_id, false)
    }

    /// As [`delete_scope`](Self::delete_scope), for good: with every context of it in the trash.
    ///
    /// # Errors
    /// Those of [`delete_scope`](Self::delete_scope).
    pub fn purge_scope(&self, scope_id: &str) -> Result<bool> {
        self.delete(scope_id, true)
    }

    fn delete(&self, scope_id: &str, is_purge: bool) -> Result<bool> {
        self.call_on(names::DELETE_SCOPE, ("scopeId", scope_id), Mode::Exclusive, |working, scope| {
            let (home, wait) = (&working.home, working.home.wait_options());
            let is_kept = !is_purge && working.adapter.is_lasting();
            let mut is_deleted = working.adapter.delete(wait, &scope, &mut |context| match is_kept {
                true => keep(home, &scope, context),
                false => Ok(()),
            })?;
            if is_purge {
                working.adapter.clear(wait)?;
                is_deleted |= purge(home, &scope)?;
            }
            if is_deleted {
                working.log(Level::Info, "Scope deleted:", &scope, None);
            }
            Ok(is_deleted)
        })
    }
}

/// Keeps the context of a scope that is to be deleted.
pub(super) fn keep(home: &Home, scope: &Scope, context: &Json) -> Result<()> {
    let discarded = Discarded::new(ROOM, KIND, &sealed_id(home, scope)?, context)?;
    trash(home).put(Reason::Removed, vec![discarded])
}

/// The id of a scope, which was admitted, so that nothing in it is redacted.
pub(super) fn sealed_id(home: &Home, scope: &Scope) -> Result<Sealed<()>> {
    let (mut names, _) = home.redactor().seal(&BTreeMap::from([("id", scope.as_str())]), &["id"])?;
    names.take("id").ok_or_else(|| Error::internal("the id of a scope was lost"))
}

/// Removes every context of a scope from the trash, and returns whether there were any.
fn purge(home: &Home, scope: &Scope) -> Result<bool> {
    let id = scope.as_str().to_owned();
    trash(home).purge(move |entry| entry.record_id == id)
}
