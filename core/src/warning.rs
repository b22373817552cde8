//! Warnings, the only way to write to a log. All their texts, paths and keys too, go through the redactor, and control
//! characters are escaped: logs are read on terminals, and anyone can choose a file name.

use std::fmt;
use std::path::Path;

use serde::Serialize;

use crate::logger::{self, Level};
use crate::redactions::Redaction;
use crate::safety::{Redactor, escape_controls_on_one_line};

/// A problem that does not make the call fail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[must_use = "a warning is not logged until it is emitted"]
pub struct Warning {
    #[serde(skip)]
    message: &'static str,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
}

impl Warning {
    /// A warning with a constant message, which contains nothing that a host passed.
    pub(crate) fn new(message: &'static str) -> Self {
        Warning {
            message,
            path: None,
            key: None,
            bytes: None,
            count: None,
            error: None,
            server: None,
            method: None,
            field: None,
            rule: None,
        }
    }

    /// Adds the path of the file.
    pub(crate) fn at(mut self, path: &Path) -> Self {
        self.path = Some(path.to_string_lossy().into_owned());
        self
    }

    /// Adds the key in the file.
    pub(crate) fn about(mut self, key: &str) -> Self {
        self.key = Some(key.to_owned());
        self
    }

    /// Adds a number of bytes.
    pub(crate) fn of_bytes(mut self, bytes: usize) -> Self {
        self.bytes = Some(bytes);
        self
    }

    /// Adds a count.
    pub(crate) fn counting(mut self, count: usize) -> Self {
        self.count = Some(count);
        self
    }

    /// Adds the cause.
    pub(crate) fn because(mut self, error: &dyn fmt::Display) -> Self {
        self.error = Some(format!("{error:#}"));
        self
    }

    /// Adds the name of the server.
    pub(crate) fn of_server(mut self, server: &str) -> Self {
        self.server = Some(server.to_owned());
        self
    }

    /// The warning that a call redacted secrets.
    pub(crate) fn of_redaction(Redaction { method, field, rule, count }: Redaction) -> Self {
        Warning {
            count: Some(count),
            method: Some(method),
            field: Some(field),
            rule: Some(rule),
            ..Warning::new("redacted a secret before it was stored")
        }
    }

    /// Logs the warning and passes it to the host's logger, without secrets and control characters.
    pub(crate) fn emit(mut self, redactor: &Redactor) {
        let texts = [&mut self.path, &mut self.key, &mut self.error, &mut self.server, &mut self.field];
        for text in texts.into_iter().flatten() {
            *text = escape_controls_on_one_line(&redactor.scrub(text)).into_owned();
        }
        logger::record(Level::Warn, self.message, &self);
        tracing::warn!(
            path = self.path.as_ref().map(display),
            key = self.key.as_ref().map(display),
            bytes = self.bytes,
            count = self.count,
            error = self.error.as_ref().map(display),
            server = self.server.as_ref().map(display),
            method = self.method.as_ref().map(display),
            field = self.field.as_ref().map(display),
            rule = self.rule.as_ref().map(display),
            "{}",
            self.message
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_contains_no_secret_and_no_control_character() {
        let secret = format!("ghp_{}", "a1B2".repeat(9));
        let path = format!("/home/\u{1b}]0;x\u{7}\r\n\u{9b}2J\u{202e}/{secret}");
        let warn = || {
            let warning = Warning::new("skipped").at(Path::new(&path)).about(&path).because(&path);
            warning.emit(&Redactor::default());
        };
        let ((), events) = logger::collect_events(warn);
        let [event] = events.as_slice() else { panic!("{events:?}") };
        let payload: serde_json::Value = serde_json::from_str(&event.payload).unwrap();
        for key in ["path", "key", "error"] {
            let shown = payload[key].as_str().unwrap();
            assert!(shown.starts_with("/home/\\u{1b}]0;x\\u{7}\\u{d}\\u{a}\\u{9b}2J\\u{202e}/[REDACTED:"), "{shown}");
        }
    }
}
