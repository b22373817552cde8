//! What a room offers to a context pack: the words in which rooms and `context` speak, and nothing of either.

/// What a context pack is asked for.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    /// What the agent is about to do, for rooms that choose by relevance.
    pub prompt: Option<String>,
    /// Files the agent is at work on, for rooms that choose by nearness.
    pub focus_files: Vec<String>,
    /// The working scope, for rooms that keep one.
    pub scope_id: Option<String>,
}

/// One record as text, to be taken whole or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    /// What the record is called where it is dropped: its id.
    pub name: String,
    /// The record, as Markdown.
    pub text: String,
}

impl Fragment {
    /// A heading, a body and a line of labels, each left out when empty. The heading is put on one line: it must not
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
