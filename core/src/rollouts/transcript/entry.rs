//! The entries of a transcript: the messages of the user and the agent, and the actions between them.

use std::fmt::Write as _;

use super::text::{Limit, Redact, Window};

/// The kinds of entries, in the order of importance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The first request of the user.
    Task,
    /// A later message of the user.
    Human,
    /// The last message of the agent before the next one of the user.
    Answer,
    /// The agent's summary of an earlier part that is not in its context anymore.
    Compaction,
    /// The working folder, the system and the like.
    Environment,
    /// A message of the agent while it worked.
    Commentary,
    /// An action of the agent.
    ToolCall,
    /// The outcome.
    ToolOutput,
    /// A thought of the agent.
    Reasoning,
}

impl Kind {
    pub(super) const ALL: [Kind; 9] = [
        Kind::Task,
        Kind::Human,
        Kind::Answer,
        Kind::Compaction,
        Kind::Environment,
        Kind::Commentary,
        Kind::ToolCall,
        Kind::ToolOutput,
        Kind::Reasoning,
    ];

    /// Its importance; lower is more important.
    pub(super) const fn rank(self) -> u8 {
        match self {
            Kind::Task => 0,
            // A question is of no use without its answer.
            Kind::Human | Kind::Answer => 1,
            Kind::Compaction => 2,
            Kind::Environment => 3,
            Kind::Commentary => 4,
            Kind::ToolCall => 5,
            Kind::ToolOutput => 6,
            Kind::Reasoning => 7,
        }
    }

    /// The maximum length that is shown of one, in bytes.
    pub(super) const fn limit(self) -> Limit {
        match self {
            Kind::Task | Kind::Human | Kind::Answer => Limit { head: 16_000, tail: 4_000 },
            Kind::Compaction => Limit { head: 16_000, tail: 0 },
            Kind::Environment => Limit { head: 2_000, tail: 0 },
            Kind::Commentary => Limit { head: 4_000, tail: 0 },
            Kind::ToolCall => Limit { head: 1_500, tail: 500 },
            Kind::ToolOutput => Limit { head: 2_000, tail: 1_000 },
            Kind::Reasoning => Limit { head: 1_500, tail: 0 },
        }
    }

    const fn heading(self) -> &'static str {
        match self {
            Kind::Task | Kind::Human => "user",
            Kind::Answer => "assistant, answer",
            Kind::Compaction => "summary of earlier turns",
            Kind::Environment => "environment",
            Kind::Commentary => "assistant",
            Kind::ToolCall => "tool call",
            Kind::ToolOutput => "tool output",
            Kind::Reasoning => "reasoning",
        }
    }
}

/// A question of the agent and the user's answer, on one line: what the question asks for may be a secret.
pub(super) fn answered(question: &str, answer: &str) -> String {
    format!("Asked: {question} Answered: {answer}")
}

/// One of them.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) order: u64,
    pub(super) kind: Kind,
    /// The name of the tool; empty if there is none.
    pub(super) tool: String,
    /// The end of the message before, if it is one.
    pub(super) before: String,
    pub(super) text: Window,
}

impl Entry {
    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Entry>() + self.tool.len() + self.before.len() + self.text.bytes()
    }

    /// Its heading and its text.
    pub(super) fn render(&self, limit: Limit, redact: Redact<'_>) -> String {
        let text = self.text.render(&self.before, limit, redact);
        let mut out = String::with_capacity(text.len() + 64);
        out.push_str("--- ");
        out.push_str(self.kind.heading());
        if !self.tool.is_empty() {
            let _ = write!(out, ": {}", redact(&self.tool, 0..self.tool.len()));
        }
        out.push('\n');
        // Nothing in a text looks like the heading of another one.
        for line in text.trim_end().lines() {
            if line.starts_with("---") {
                out.push(' ');
            }
            out.push_str(line);
            out.push('\n');
        }
        out.push('\n');
        out
    }
}
