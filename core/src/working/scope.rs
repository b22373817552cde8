//! The scopes that there are, and the end of one.

use super::Working;
use crate::disk::Mode;
use crate::error::Result;
use crate::logger::Level;

impl Working {
    /// The ids of the scopes of which something is kept, in their order.
    ///
    /// # Errors
    /// `Unsupported` for an adapter that cannot tell; `AdapterError`, `IOError`.
    pub fn list_scopes(&self) -> Result<Vec<String>> {
        self.call("working.listScopes", |working| {
            Ok(working.adapter.scopes(working.home.wait())?.iter().map(ToString::to_string).collect())
        })
    }

    /// Takes away everything of a scope: context, trail, log and checkpoints; tells whether there was anything.
    ///
    /// # Errors
    /// `ValidationError` and `SecretRefused` for an id that cannot be one, and the adapter's own.
    pub fn delete_scope(&self, scope_id: &str) -> Result<bool> {
        self.call_on("working.deleteScope", ("scopeId", scope_id), Mode::Exclusive, |working, scope| {
            let is_deleted = working.adapter.delete(working.home.wait(), &scope)?;
            if is_deleted {
                working.tell(Level::Info, "Scope deleted:", &scope, None);
            }
            Ok(is_deleted)
        })
    }
}
