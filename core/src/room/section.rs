//! What a room offers to a context pack.

use std::fmt;

use serde::{Serialize, Serializer};

/// The name of a section of a context pack. Each room adds its own as constants: `SectionName::NOTES`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SectionName(&'static str);

impl SectionName {
    /// A section called `name`: its word in `context.build`.
    pub const fn new(name: &'static str) -> Self {
        SectionName(name)
    }

    /// Its word in `context.build`.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for SectionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Serialize for SectionName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

/// A section of a context pack.
#[derive(Debug, Clone, Copy)]
pub struct Section {
    /// Its name.
    pub name: SectionName,
    /// The line of Markdown that it begins with, such as `# Notes`.
    pub heading: &'static str,
    /// The share of a pack, in hundredths, that is kept for it when it has any record: nothing else can crowd it out. 0
    /// for a section that changes rarely and shares the rest with the others of its kind.
    pub kept: usize,
}

/// What a context pack is asked for.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    /// What the agent is about to do, for rooms that choose by relevance.
    pub prompt: Option<String>,
    /// The files the agent is working on, for rooms that choose by proximity.
    pub focus_files: Vec<String>,
    /// The working scope, for rooms that have scopes.
    pub scope_id: Option<String>,
}

/// The records that a room has for one of its sections, the most important first.
#[derive(Debug, Clone)]
pub struct Offer {
    /// The section.
    pub section: SectionName,
    /// The records.
    pub fragments: Vec<Fragment>,
    /// How many records are damaged and were skipped.
    pub skipped: usize,
}

/// One record as text, to be included whole or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    /// What the record is called where it is dropped: its id.
    pub name: String,
    /// The record, as Markdown.
    pub text: String,
}

impl Fragment {
    /// A heading, a body and a line of labels, each left out when empty. The heading is put on one line, so that it cannot
    /// look like another section.
    pub fn new(name: impl Into<String>, heading: &str, body: &str, label: &str, labels: &[String]) -> Self {
        let mut text = String::with_capacity(heading.len() + body.len() + 32);
        if !heading.is_empty() {
            text.push_str("## ");
            text.push_str(&heading.split_whitespace().collect::<Vec<_>>().join(" "));
            text.push('\n');
        }
        text.push_str(body.trim_end());
        if !labels.is_empty() {
            text.push('\n');
            text.push_str(label);
            text.push_str(": ");
            text.push_str(&labels.join(", "));
        }
        Fragment { name: name.into(), text }
    }
}
