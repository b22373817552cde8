//! Why something was refused. No text of an error holds what was found.

use std::sync::Arc;

/// What the fallible functions of this crate return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What kind of refusal it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// What was passed is not what the function takes.
    Invalid,
    /// A secret stands where it may neither be stored nor redacted, such as in an id.
    Secret,
}

/// Why something was refused: a sentence for people, and what lies beneath.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Error { kind: ErrorKind::Invalid, message: message.into(), source: None }
    }

    pub(crate) fn secret(message: impl Into<String>) -> Self {
        Error { kind: ErrorKind::Secret, ..Error::invalid(message) }
    }

    pub(crate) fn because(self, cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        Error { source: Some(Arc::new(cause)), ..self }
    }

    /// What kind of refusal it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The sentence.
    pub fn message(&self) -> &str {
        &self.message
    }
}
