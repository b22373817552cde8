//! What a scope is called, and the keys under which adapters keep it: exactly the specification's (spec 003), and beside
//! them `trail:SCOPE` and `checkpoints:JOB`.

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::safety::Redactor;

/// The longest scope id, in bytes of UTF-8.
pub const MAX_SCOPE_BYTES: usize = 1024;

/// A job, or whatever else has a context of its own, such as `global`. Any text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope(Arc<str>);

impl Scope {
    /// Takes a caller's id, which is called `place` in the error.
    ///
    /// # Errors
    /// `ValidationError` unless it is 1 to [`MAX_SCOPE_BYTES`] bytes long and holds no NUL; `SecretRefused` when it looks
    /// like a secret, since it is looked up by what it is.
    pub fn admit(redactor: &Redactor, place: &str, id: &str) -> Result<Self> {
        if id.is_empty() || id.len() > MAX_SCOPE_BYTES || id.contains('\0') {
            return Err(Error::validation(format!("{place} must be 1 to {MAX_SCOPE_BYTES} bytes of text without NUL")));
        }
        redactor.admit(place, id)?;
        Ok(Scope(id.into()))
    }

    /// The id that an adapter tells of one of its keys. It was admitted when it was stored, or somebody else stored it.
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

/// What an adapter keeps something under. Displayed, it is the text that every adapter uses.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// `context:SCOPE`, a value: the context.
    Context(Scope),
    /// `logs:SCOPE`, a list: the log entries.
    Logs(Scope),
    /// `trail:SCOPE`, a list: what changed the context.
    Trail(Scope),
    /// `checkpoints:JOB`, a value: the timestamps of the job's checkpoints, in their order.
    Checkpoints(Scope),
    /// `checkpoint:JOB:TIMESTAMP`, a value: the context as it was saved.
    Checkpoint(Scope, u64),
}

impl Key {
    /// The key that reads so; `None` when it is none of these.
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
            _ => None,
        }
    }

    /// What stands before the scope.
    pub fn kind(&self) -> &'static str {
        match self {
            Key::Context(_) => "context",
            Key::Logs(_) => "logs",
            Key::Trail(_) => "trail",
            Key::Checkpoints(_) => "checkpoints",
            Key::Checkpoint(..) => "checkpoint",
        }
    }

    /// The scope that it belongs to.
    pub fn scope(&self) -> &Scope {
        match self {
            Key::Context(scope)
            | Key::Logs(scope)
            | Key::Trail(scope)
            | Key::Checkpoints(scope)
            | Key::Checkpoint(scope, _) => scope,
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
            ] {
                prop_assert_eq!(Key::parse(&key.to_string()), Some(key));
            }
        }
    }
}
