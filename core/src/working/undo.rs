//! Contexts of deleted scopes in the trash, and how they get back.

use std::collections::BTreeMap;

use super::adapter::Write;
use super::key::{Key, Scope};
use super::trail::{Change, Operation};
use super::{Working, members, names};
use crate::disk::{Json, Mode};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::logger::Level;
use crate::room::KeepsJobs;
use crate::safety::{Sealed, SealedObject};
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
fn keep(home: &Home, scope: &Scope, context: &Json) -> Result<()> {
    // It was admitted, so nothing in it is redacted.
    let (mut names, _) = home.redactor().seal(&BTreeMap::from([("id", scope.as_str())]), &["id"])?;
    let id = names.take("id").ok_or_else(|| Error::internal("the id of a scope was lost"))?;
    let discarded = Discarded::new(ROOM, KIND, &id, context)?;
    trash(home).put(Reason::Removed, vec![discarded])
}

/// Removes every context of a scope from the trash, and returns whether there were any.
fn purge(home: &Home, scope: &Scope) -> Result<bool> {
    let id = scope.as_str().to_owned();
    trash(home).purge(move |entry| entry.record_id == id)
}

impl KeepsJobs for Working {
    fn restore(&self, home: &Home, scope_id: &str, context: Sealed<()>) -> Result<()> {
        let working = Working::new(home, &self.adapter);
        let scope = Scope::stored(scope_id);
        let _lease = self.adapter.lease(home, home.wait_options(), &scope, Mode::Exclusive)?;
        let patch = SealedObject::of(&context)?;
        let (key, home) = (Key::Context(scope.clone()), home.clone());
        working.update(&scope, move |read| {
            let present = members(&key, read(&key)?)?.value()?;
            let next = patch.clone().value()?;
            if present.json().get() == next.json().get() {
                return Ok((Vec::new(), ()));
            }
            if present.json().get() != "{}" {
                let id = key.scope().as_str();
                let message = format!(
                    "the scope {id} has a context again; delete it first (loopmem working delete-scope), and then bring \
                     this one back"
                );
                return Err(Error::new(ErrorKind::Conflict, message).about(id));
            }
            let change = Change { operation: Operation::UpdateContext, patch: &patch, remove: None, source: None };
            let (entry, trail) = (change.entry(&home)?.value()?, Key::Trail(key.scope().clone()));
            Ok((vec![Write::Set(key.clone(), next), Write::Push(trail, entry)], ()))
        })
    }
}
