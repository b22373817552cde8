//! A finding with its lines and columns, as text and as JSON.

use std::path::Path;

use loopmem::safety::Redactor;
use serde_json::{Value, json};

use crate::human::screen::sanitize;

/// Where a secret is. Never the secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hit {
    /// The file as it was named, without secrets.
    pub(super) path: String,
    pub(super) start: Place,
    /// Behind the last character.
    pub(super) end: Place,
    pub(super) rule: String,
    pub(super) tag: String,
}

impl Hit {
    /// The secrets in `bytes`, the contents of `path`.
    pub(super) fn all(redactor: &Redactor, path: &Path, bytes: &[u8]) -> Vec<Hit> {
        let found = redactor.find(bytes);
        if found.is_empty() {
            return Vec::new();
        }
        let path = redactor.scrub(&path.to_string_lossy()).into_owned();
        let mut place = Place::default();
        let hit = |it: loopmem::safety::Finding<'_>| {
            place.go_to(bytes, it.place.start);
            let start = place;
            place.go_to(bytes, it.place.end);
            Hit { path: path.clone(), start, end: place, rule: it.rule.to_owned(), tag: it.tag }
        };
        found.into_iter().map(hit).collect()
    }

    /// `path:line:column rule tag`
    pub(super) fn text(&self) -> String {
        let path = sanitize(&self.path).replace(['\n', '\t'], "\u{fffd}");
        let Place { line, column, .. } = self.start;
        format!("{path}:{line}:{column} {} {}\n", self.rule, self.tag)
    }

    pub(super) fn json(&self) -> Value {
        let Hit { path, start, end, rule, tag } = self;
        json!({ "path": path, "line": start.line, "column": start.column, "start": start.offset, "end": end.offset, "rule": rule, "tag": tag })
    }
}

/// A line and a column, both counted from 1, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) offset: usize,
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Default for Place {
    fn default() -> Self {
        Place { offset: 0, line: 1, column: 1 }
    }
}

impl Place {
    /// Advances to a later offset.
    fn go_to(&mut self, bytes: &[u8], offset: usize) {
        for byte in bytes.get(self.offset..offset).unwrap_or_default() {
            match byte {
                b'\n' => (self.line, self.column) = (self.line + 1, 1),
                // A UTF-8 continuation byte is not a character.
                0x80..=0xbf => {}
                _ => self.column += 1,
            }
        }
        self.offset = offset;
    }
}
