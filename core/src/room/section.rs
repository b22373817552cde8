//! What a room provides to a context pack.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::error::Result;
use crate::home::Home;
use crate::ranking::Prompt;
use crate::warning::Warning;

/// The length of a pack if it is not said, in Unicode scalar values.
pub const PACK_CHARS: usize = 8_000;

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
    /// The percentage of a pack that is its share if it has any records. 0 for a section that changes rarely and divides
    /// the rest with the others of this kind.
    pub reserved: usize,
    /// Whether it comes before all others.
    pub leads: bool,
    /// What one of its records is called, and several of them.
    pub noun: [&'static str; 2],
    /// What separates two records.
    pub gap: &'static str,
    /// Whether its records have an age, so that those left out are called older.
    pub is_dated: bool,
    /// Whether its records may have embeddings.
    pub has_vectors: bool,
    /// What has to be known to find its records.
    pub need: Need,
}

/// What has to be known to find the records of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The hash of the repository.
    Nothing,
    /// The folder of the repository.
    Folder,
    /// A working scope.
    Scope,
}

impl Section {
    /// What most sections have in common.
    pub(crate) const BASIC: Section = Section {
        name: SectionName::new(""),
        heading: "",
        reserved: 0,
        leads: false,
        noun: ["record", "records"],
        gap: "\n\n",
        is_dated: true,
        has_vectors: false,
        need: Need::Nothing,
    };
}

/// What a context pack is built for.
#[derive(Debug, Clone, Default)]
pub struct PackQuery {
    /// What the agent is about to do, for rooms that select by relevance.
    pub prompt: Option<Prompt>,
    /// The embedding vector of what the agent is about to do, for rooms whose records have vectors.
    pub embedding: Option<Vec<f32>>,
    /// The files the agent is working on, for rooms that select by proximity.
    pub focus_files: Vec<String>,
    /// A scope, for the room that has scopes.
    pub scope: Option<Arc<dyn PackScope>>,
    /// Whether the caller chose the sections, for rooms that offer some only then.
    pub has_chosen: bool,
    /// The maximum length of the pack, in Unicode scalar values.
    pub max_chars: usize,
    /// What the sections of the room that is asked may fill, in Unicode scalar values: their share of the pack, or what the
    /// rooms before it leave if that is more; the sizes that the caller chose for them, if any.
    pub space: usize,
}

/// A scope whose records join a context pack. Only its own module can read them.
pub trait PackScope: fmt::Debug + Send + Sync {
    /// Refuses an invalid id, also if nothing is read.
    ///
    /// # Errors
    /// `ValidationError`, `SecretRefused`.
    fn check(&self, home: &Home) -> Result<()>;

    /// The records for those sections of the pack for which `is_wanted` is true.
    ///
    /// # Errors
    /// Those of reading the scope.
    fn candidates(
        &self,
        home: &Home,
        is_wanted: &dyn Fn(SectionName) -> bool,
        query: &PackQuery,
    ) -> Result<Vec<Candidates>>;
}

/// The records of a room for one of its sections. As many are included as fit: first the relevant ones, then the newest.
#[derive(Debug, Clone)]
pub struct Candidates {
    /// The section.
    pub section: SectionName,
    /// The records, in the order of the pack.
    pub fragments: Vec<Fragment>,
    /// The indexes of the records that are relevant for the prompt, the most relevant first. They are included before the
    /// others.
    pub relevant: Vec<usize>,
    /// The indexes of all records, the newest first.
    pub newest: Vec<usize>,
    /// The number of damaged records that were skipped.
    pub skipped: usize,
}

impl Candidates {
    /// The characters of all records with what separates them, at most.
    pub(crate) fn most_chars(&self) -> usize {
        /// A heading, and the gaps around it.
        const AROUND: usize = 64;
        let records = self.fragments.iter().map(|fragment| fragment.text.len() + "\n\n".len()).sum::<usize>();
        if records == 0 { 0 } else { records + AROUND }
    }

    /// No records.
    pub fn empty(section: SectionName) -> Self {
        Candidates { section, fragments: Vec::new(), relevant: Vec::new(), newest: Vec::new(), skipped: 0 }
    }
}

/// One record as text, to be included whole or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    /// The name under which the record is listed: its id.
    pub name: String,
    /// The record, as Markdown.
    pub text: String,
    /// Whether it was read from another branch's memory.
    pub is_inherited: bool,
    /// Where the id is in the text.
    id: std::ops::Range<usize>,
}

/// How a record is marked in a pack.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mark<'m> {
    /// Its id in short.
    pub id: Option<&'m str>,
    /// The branch that it is inherited from.
    pub from: Option<&'m str>,
}

impl Fragment {
    /// Warns that a record that was stored is too long for a pack of the usual length.
    pub(crate) fn warn_if_too_long(home: &Home, id: &str, texts: &[&str]) {
        let chars: usize = texts.iter().map(|text| text.chars().count()).sum();
        if chars > PACK_CHARS {
            let message = "the record is too long for a context pack of the usual length, and is left out of it";
            Warning::new(message).about(id).counting(chars).emit(home.redactor());
        }
    }

    /// A text that is included as it is: it must not look like anything but a record of its section.
    pub fn verbatim(name: impl Into<String>, text: impl Into<String>) -> Self {
        Fragment { name: name.into(), text: text.into(), is_inherited: false, id: 0..0 }
    }

    /// A text of lines that somebody else wrote: nothing in it can look like a section or another record.
    pub fn data(name: impl Into<String>, text: &str) -> Self {
        let mut data = String::with_capacity(text.len());
        super::text::push_data(&mut data, text);
        Fragment::verbatim(name, data)
    }

    /// One line: `prefix`, the id, and `text`, which must not contain a line break.
    pub fn line(name: impl Into<String>, prefix: &str, id: &str, text: &str) -> Self {
        let id = format!("[{}] ", super::text::shown_id(id));
        let at = prefix.len()..prefix.len() + id.len();
        Fragment { id: at, ..Fragment::verbatim(name, format!("{prefix}{id}{text}")) }
    }

    /// Formats a heading, a body and a line of labels, each omitted if empty, so that nothing in them can look like
    /// another record or section.
    pub fn record(
        name: impl Into<String>,
        mark: Mark<'_>,
        heading: &str,
        body: &str,
        label: &str,
        labels: &[String],
    ) -> Self {
        let mut text = String::with_capacity(heading.len() + body.len() + 64);
        if !heading.is_empty() {
            text.push_str("## ");
            text.push_str(&super::text::line(heading));
        }
        let start = text.len();
        if let Some(id) = mark.id {
            text.push_str(if heading.is_empty() { "[" } else { " [" });
            text.push_str(&super::text::shown_id(id));
            text.push(']');
        }
        let id = start..text.len();
        if let Some(branch) = mark.from {
            text.push_str(if text.is_empty() { "(from " } else { " (from " });
            text.push_str(&super::text::line(branch));
            text.push(')');
        }
        let body = body.trim_end();
        if !text.is_empty() && !body.is_empty() {
            // A block of Markdown begins on its own line.
            let is_inline = heading.is_empty() && super::text::begins_as_paragraph(body);
            text.push(if is_inline { ' ' } else { '\n' });
        }
        super::text::push_data(&mut text, body);
        if !labels.is_empty() {
            text.push('\n');
            text.push_str(label);
            text.push_str(": ");
            let labels: Vec<_> = labels.iter().map(|label| super::text::line(label)).collect();
            text.push_str(&labels.join(", "));
        }
        Fragment { name: name.into(), text, is_inherited: mark.from.is_some(), id }
    }

    /// What two records with different ids have in common if they say the same.
    pub fn content(&self) -> (&str, &str) {
        let part = |range| self.text.get(range).unwrap_or_default();
        (part(0..self.id.start), part(self.id.end..self.text.len()))
    }
}
