//! The scopes that there are, and the end of one.

use super::Working;
use crate::disk::{Mode, Wait};
use crate::error::Result;
use crate::logger::Level;

impl Working<'_> {
    /// The ids of the scopes of which something is kept, in their order.
    ///
    /// # Errors
    /// `Unsupported` for an adapter that cannot tell; `AdapterError`, `IOError`.
    pub fn list_scopes(&self, wait: &Wait) -> Result<Vec<String>> {
        Ok(self.adapter.scopes(wait)?.iter().map(ToString::to_string).collect())
    }

    /// Takes away everything of a scope: context, trail, log and checkpoints; tells whether there was anything.
    ///
    /// # Errors
    /// `ValidationError` and `SecretRefused` for an id that cannot be one, and the adapter's own.
    pub fn delete_scope(&self, wait: &Wait, scope_id: &str) -> Result<bool> {
        let (scope, _lease) = self.enter(wait, "scopeId", scope_id, Mode::Exclusive)?;
        let is_deleted = self.adapter.delete(wait, &scope)?;
        if is_deleted {
            self.tell(Level::Info, "Scope deleted:", &scope, None);
        }
        Ok(is_deleted)
    }
}
