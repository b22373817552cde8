//! What a room provides to a context pack.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::error::Result;
use crate::home::Home;

/// The name of a section of a context pack. Each room defines its names as constants: `SectionName::NOTES`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct SectionName(&'static str);

impl SectionName {
    /// The name of a section, as passed to `context.build`.
    pub(crate) const fn new(name: &'static str) -> Self {
        SectionName(name)
    }

    /// The name as a string, as passed to `context.build`.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for SectionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A section of a context pack.
#[derive(Debug, Clone, Copy)]
pub struct Section {
    /// Its name.
    pub name: SectionName,
    /// The line of Markdown that it begins with, such as `# Notes`.
    pub heading: &'static str,
    /// The percentage of a pack that is reserved for it if it has any records. 0 for a section that changes rarely and
    /// divides the rest with the others of this kind.
    pub reserved: usize,
}

/// What a context pack is built for.
#[derive(Debug, Clone, Default)]
pub struct PackQuery {
    /// What the agent is about to do, for rooms that select by relevance.
    pub prompt: Option<String>,
    /// The embedding vector of what the agent is about to do, for rooms whose records have vectors.
    pub embedding: Option<Vec<f32>>,
    /// The files the agent is working on, for rooms that select by proximity.
    pub focus_files: Vec<String>,
    /// A scope, for the room that has scopes.
    pub scope: Option<Arc<dyn PackScope>>,
}

/// A scope whose records join a context pack. Only its own module can read them.
pub trait PackScope: fmt::Debug + Send + Sync {
    /// Refuses an invalid id, also if nothing is read.
    ///
    /// # Errors
    /// `ValidationError`, `SecretRefused`.
    fn check(&self, home: &Home) -> Result<()>;

    /// The records for the pack.
    ///
    /// # Errors
    /// Those of reading the scope.
    fn candidates(&self, home: &Home, query: &PackQuery) -> Result<Vec<Candidates>>;
}

/// The records of a room for one of its sections. As many are included as fit: first the relevant ones, then the others in
/// order.
#[derive(Debug, Clone)]
pub struct Candidates {
    /// The section.
    pub section: SectionName,
    /// The records, in the order of the pack.
    pub fragments: Vec<Fragment>,
    /// The indexes of the records that are relevant for the prompt, the most relevant first. They are included before the
    /// others.
    pub relevant: Vec<usize>,
    /// The number of damaged records that were skipped.
    pub skipped: usize,
}

/// One record as text, to be included whole or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    /// The name under which the record is listed: its id.
    pub name: String,
    /// The record, as Markdown.
    pub text: String,
}

impl Fragment {
    /// Formats a heading, a body and a line of labels, each omitted if empty. The heading is put on one line, so that
    /// it cannot look like another section.
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
