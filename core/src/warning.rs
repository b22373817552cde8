//! The one way to a log: what loopmem warns of goes through the redactor first, paths and keys too.

use std::fmt;
use std::path::Path;

use serde::Serialize;

use crate::logger::{self, Level};
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

    /// Logs it, and tells it to the host's logger, without a secret.
    pub(crate) fn tell(self, redactor: &Redactor) {
        let scrubbed = |text: &Option<String>| text.as_ref().map(|text| redactor.scrub(text).into_owned());
        let payload = Payload {
            path: scrubbed(&self.path),
            key: scrubbed(&self.key),
            bytes: self.bytes,
            error: scrubbed(&self.error),
        };
        logger::note(Level::Warn, self.message, &payload);
        let shown = |text: Option<String>| text.map(tracing::field::display);
        tracing::warn!(
            path = shown(payload.path),
            key = shown(payload.key),
            bytes = payload.bytes,
            error = shown(payload.error),
            "{}",
            self.message
        );
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Payload {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}
