//! The one way to a log: what loopmem warns of goes through the redactor first, paths and keys too, and control characters
//! in it are escaped: a log is read on a terminal, and file names are made by anybody.

use std::fmt;
use std::path::Path;

use serde::Serialize;

use crate::logger::{self, Level};
use crate::safety::{Redactor, escape_controls_on_one_line};

/// Something that a person should know and that stops nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a warning is kept to itself until it is told"]
pub(crate) struct Warning {
    message: &'static str,
    path: Option<String>,
    key: Option<String>,
    bytes: Option<usize>,
    count: Option<usize>,
    error: Option<String>,
    server: Option<String>,
}

impl Warning {
    /// A warning that says what happened, and nothing of a host's.
    pub(crate) fn new(message: &'static str) -> Self {
        Warning { message, path: None, key: None, bytes: None, count: None, error: None, server: None }
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

    /// Says how many things it is about.
    pub(crate) fn counting(mut self, count: usize) -> Self {
        self.count = Some(count);
        self
    }

    /// Tells why.
    pub(crate) fn because(mut self, error: &dyn fmt::Display) -> Self {
        self.error = Some(format!("{error:#}"));
        self
    }

    /// Names the server.
    pub(crate) fn of_server(mut self, server: &str) -> Self {
        self.server = Some(server.to_owned());
        self
    }

    /// Logs it, and tells it to the host's logger, without a secret and without control characters.
    pub(crate) fn tell(self, redactor: &Redactor) {
        let scrubbed = |text: &Option<String>| {
            text.as_ref().map(|text| escape_controls_on_one_line(&redactor.scrub(text)).into_owned())
        };
        let payload = Payload {
            path: scrubbed(&self.path),
            key: scrubbed(&self.key),
            bytes: self.bytes,
            count: self.count,
            error: scrubbed(&self.error),
            server: scrubbed(&self.server),
        };
        logger::note(Level::Warn, self.message, &payload);
        let shown = |text: Option<String>| text.map(tracing::field::display);
        tracing::warn!(
            path = shown(payload.path),
            key = shown(payload.key),
            bytes = payload.bytes,
            count = payload.count,
            error = shown(payload.error),
            server = shown(payload.server),
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
    count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_tells_a_host_no_secret_and_no_control_character() {
        let secret = format!("ghp_{}", "a1B2".repeat(9));
        let path = format!("/home/\u{1b}]0;x\u{7}\r\n\u{9b}2J\u{202e}/{secret}");
        let told = || {
            let warning = Warning::new("it is skipped").at(Path::new(&path)).about(&path).because(&path);
            warning.tell(&Redactor::default());
        };
        let ((), events) = logger::noting(told);
        let [event] = events.as_slice() else { panic!("{events:?}") };
        let payload: serde_json::Value = serde_json::from_str(&event.payload).unwrap();
        for key in ["path", "key", "error"] {
            let shown = payload[key].as_str().unwrap();
            assert!(shown.starts_with("/home/\\u{1b}]0;x\\u{7}\\u{d}\\u{a}\\u{9b}2J\\u{202e}/[REDACTED:"), "{shown}");
        }
    }
}
