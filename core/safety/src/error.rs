//! The error type. No error contains the secret that was found.

use std::sync::Arc;

/// The result type of this crate's fallible functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The kind of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument is invalid.
    Invalid,
    /// A secret occurs where it may be neither stored nor redacted, such as in an id.
    Secret,
}

/// Why something was refused: a message for people, and the cause.
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

    /// The kind of this error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The message.
    pub fn message(&self) -> &str {
        &self.message
    }
}
