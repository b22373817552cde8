//! Listing and deleting scopes.

use super::Working;
use crate::disk::Mode;
use crate::error::Result;
use crate::logger::Level;

impl Working {
    /// Returns the ids of the scopes that have data, sorted.
    ///
    /// # Errors
    /// `Unsupported` if the adapter cannot list them; `AdapterError`, `IOError`.
    pub fn list_scopes(&self) -> Result<Vec<String>> {
        self.call("working.listScopes", |working| {
            Ok(working.adapter.scopes(working.home.wait_options())?.iter().map(ToString::to_string).collect())
        })
    }

    /// Deletes everything in a scope: context, trail, log and checkpoints. Returns whether there was anything.
    ///
    /// # Errors
    /// `ValidationError` and `SecretRefused` for an invalid id, and the adapter's errors.
    pub fn delete_scope(&self, scope_id: &str) -> Result<bool> {
        self.call_on("working.deleteScope", ("scopeId", scope_id), Mode::Exclusive, |working, scope| {
            let is_deleted = working.adapter.delete(working.home.wait_options(), &scope)?;
            if is_deleted {
                working.log(Level::Info, "Scope deleted:", &scope, None);
            }
            Ok(is_deleted)
        })
    }
}
