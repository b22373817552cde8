//! The one way to a log: what loopmem warns of goes through the redactor first, paths and keys too.

use std::fmt;
use std::path::Path;

use crate::safety::Redactor;

/// Something that a person should know and that stops nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a warning is kept to itself until it is told"]
pub(crate) struct Warning {
    message: &'static str,
    path: Option<String>,
    key: Option<String>,
    bytes: Option<usize>,
    error: Option<String>,
}

impl Warning {
    /// A warning that says what happened, and nothing of a host's.
    pub(crate) fn new(message: &'static str) -> Self {
        Warning { message, path: None, key: None, bytes: None, error: None }
    }

    /// Names the file.
    pub(crate) fn at(mut self, path: &Path) -> Self {
        self.path = Some(path.to_string_lossy().into_owned());
        self
    }

    /// Names the key in the file.
    pub(crate) fn about(mut self, key: &str) -> Self {
        self.key = Some(key.to_owned());
        self
    }

    /// Tells how many bytes it is about.
    pub(crate) fn of_bytes(mut self, bytes: usize) -> Self {
        self.bytes = Some(bytes);
        self
    }

    /// Tells why.
    pub(crate) fn because(mut self, error: &dyn fmt::Display) -> Self {
        self.error = Some(error.to_string());
        self
    }

    /// Logs it, without a secret.
    pub(crate) fn tell(self, redactor: &Redactor) {
        let shown = |text: Option<String>| text.map(|text| tracing::field::display(redactor.scrub(&text).into_owned()));
        tracing::warn!(
            path = shown(self.path),
            key = shown(self.key),
            bytes = self.bytes,
            error = shown(self.error),
            "{}",
            self.message
        );
    }
}
