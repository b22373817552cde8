//! Scope ids, and the keys under which adapters store a scope: those of the specification (spec 003), `trail:SCOPE`,
//! `checkpoints:JOB`, and those for keys of the host's own.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::error::{Error, Result};
use crate::safety::Redactor;

/// The longest scope id, in bytes of UTF-8.
pub const MAX_SCOPE_BYTES: usize = 1024;

/// The id of a job or of anything else that has a context, such as `global`. Any text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope(Arc<str>);

impl Scope {
    /// Validates a caller's id; errors name the parameter `place`.
    ///
    /// # Errors
    /// `ValidationError` unless it is 1 to [`MAX_SCOPE_BYTES`] bytes long and contains no NUL; `SecretRefused` if it
    /// looks like a secret, since ids are not redacted.
    pub fn admit(redactor: &Redactor, place: &str, id: &str) -> Result<Self> {
        if id.is_empty() || id.len() > MAX_SCOPE_BYTES || id.contains('\0') {
            return Err(Error::validation(format!("{place} must be 1 to {MAX_SCOPE_BYTES} bytes of text without NUL")));
        }
        redactor.admit(place, id)?;
        Ok(Scope(id.into()))
    }

    /// An id from one of an adapter's keys. It was validated when it was stored, or another program stored it.
    pub(super) fn stored(id: &str) -> Self {
        Scope(id.into())
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A key of an adapter. Its `Display` form is the text that every adapter uses.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// `context:SCOPE`, a value: the context.
    Context(Scope),
    /// `logs:SCOPE`, a list: the log entries.
    Logs(Scope),
    /// `trail:SCOPE`, a list: the changes of the context.
    Trail(Scope),
    /// `checkpoints:JOB`, a value: the timestamps of the job's checkpoints, ascending.
    Checkpoints(Scope),
    /// `checkpoint:JOB:TIMESTAMP`, a value: the saved context.
    Checkpoint(Scope, u64),
    /// `value:KEY`, the value under a key of the host's own, which is in the scope of the same name.
    Value(Scope),
    /// `list:KEY`, the list under a key of the host's own: each item with an id.
    List(Scope),
}

impl Key {
    /// Parses a key; `None` if it is not one of these.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once(':')?;
        match kind {
            "context" => Some(Key::Context(Scope::stored(rest))),
            "logs" => Some(Key::Logs(Scope::stored(rest))),
            "trail" => Some(Key::Trail(Scope::stored(rest))),
            "checkpoints" => Some(Key::Checkpoints(Scope::stored(rest))),
            "checkpoint" => {
                let (job, timestamp) = rest.rsplit_once(':')?;
                Some(Key::Checkpoint(Scope::stored(job), timestamp.parse().ok()?))
            }
            "value" => Some(Key::Value(Scope::stored(rest))),
            "list" => Some(Key::List(Scope::stored(rest))),
            _ => None,
        }
    }

    /// The prefix before the scope.
    pub fn kind(&self) -> &'static str {
        match self {
            Key::Context(_) => "context",
            Key::Logs(_) => "logs",
            Key::Trail(_) => "trail",
            Key::Checkpoints(_) => "checkpoints",
            Key::Checkpoint(..) => "checkpoint",
            Key::Value(_) => "value",
            Key::List(_) => "list",
        }
    }

    /// The scope that it belongs to.
    pub fn scope(&self) -> &Scope {
        match self {
            Key::Context(scope)
            | Key::Logs(scope)
            | Key::Trail(scope)
            | Key::Checkpoints(scope)
            | Key::Checkpoint(scope, _)
            | Key::Value(scope)
            | Key::List(scope) => scope,
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind(), self.scope())?;
        match self {
            Key::Checkpoint(_, timestamp) => write!(f, ":{timestamp}"),
            _ => Ok(()),
        }
    }
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_key_reads_as_itself_whatever_its_scope_is_called(id in ".{1,40}", timestamp: u64) {
            let scope = Scope::stored(&id);
            for key in [
                Key::Context(scope.clone()),
                Key::Logs(scope.clone()),
                Key::Trail(scope.clone()),
                Key::Checkpoints(scope.clone()),
                Key::Checkpoint(scope.clone(), timestamp),
                Key::Value(scope.clone()),
                Key::List(scope.clone()),
            ] {
                prop_assert_eq!(Key::parse(&key.to_string()), Some(key));
            }
        }
    }
}
