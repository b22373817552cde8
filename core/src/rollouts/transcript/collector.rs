//! Collects the entries of a transcript in order, and decides what each message of the agent is.

use std::collections::HashMap;

use serde_json::value::RawValue;

use super::entry::{Entry, Kind};
use super::selection::Selection;
use super::text::{Limit, Window, of_content};

/// The longest name of a tool that is shown, in bytes.
const MAX_TOOL_BYTES: usize = 80;
/// The most calls that wait for results, and the maximum length of what is noted of one, in bytes.
const MAX_CALLS: usize = 256;
const MAX_CALL_BYTES: usize = 64 << 10;
/// How much of a message is known where the next one is redacted, in bytes: one may ask for a secret, and the other be it.
const BEFORE: usize = 200;

/// What became of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is of a known kind.
    Known,
    /// It is of an unknown kind, or says what other records say.
    PassedOver,
    /// It repeats the history of another session.
    Inherited,
    /// It is no valid JSON.
    Damaged,
}

/// Gets the entries of a transcript in order, and decides what each message of the agent is.
pub(super) struct Collector<'s> {
    selection: &'s mut Selection,
    next: u64,
    /// The last message of the agent: an answer, unless another one follows before the user speaks.
    message: Option<Entry>,
    has_task: bool,
    /// What is noted of the calls of tools, by their ids: what the agent has asked the user, or the tool's name.
    calls: HashMap<String, String>,
    /// The end of the last message of the user or the agent.
    last: String,
}

impl<'s> Collector<'s> {
    pub(super) fn new(selection: &'s mut Selection) -> Self {
        Collector { selection, next: 0, message: None, has_task: false, calls: HashMap::new(), last: String::new() }
    }

    /// The maximum length that is shown of an entry.
    pub(super) fn limit(&self, kind: Kind) -> Limit {
        self.selection.limit(kind)
    }

    /// Adds an entry, unless it is blank.
    pub(super) fn push(&mut self, kind: Kind, tool: &str, text: Window) {
        if text.is_blank() {
            return;
        }
        let kind = match kind {
            Kind::Human if !std::mem::replace(&mut self.has_task, true) => Kind::Task,
            kind => kind,
        };
        // A part of one could be a part of a secret.
        let is_name = tool.len() <= MAX_TOOL_BYTES && !tool.contains(char::is_control);
        let tool = if is_name { tool.to_owned() } else { String::new() };
        let is_message = matches!(kind, Kind::Task | Kind::Human | Kind::Commentary | Kind::Answer);
        let before = if is_message { std::mem::replace(&mut self.last, end_of(&text)) } else { String::new() };
        let entry = Entry { order: self.next, kind, tool, before, text };
        self.next += 1;
        match kind {
            Kind::Commentary => {
                let before = self.message.replace(entry);
                before.into_iter().for_each(|before| self.selection.push(before));
            }
            Kind::Task | Kind::Human => {
                self.answer();
                self.selection.push(entry);
            }
            Kind::Answer => {
                self.message.take().into_iter().for_each(|before| self.selection.push(before));
                self.selection.push(entry);
            }
            _ => self.selection.push(entry),
        }
    }

    /// As [`push`](Self::push), for a text or blocks of texts in JSON.
    pub(super) fn push_content(&mut self, kind: Kind, tool: &str, content: Option<&RawValue>) {
        if let Some(content) = content {
            let window = of_content(content, self.limit(kind));
            self.push(kind, tool, window);
        }
    }

    /// Notes something of a call, for its result.
    pub(super) fn call(&mut self, id: &str, what: String) {
        if self.calls.len() < MAX_CALLS && what.len() <= MAX_CALL_BYTES {
            self.calls.insert(id.to_owned(), what);
        }
    }

    /// What was noted of a call, which has one result.
    pub(super) fn called(&mut self, id: &str) -> Option<String> {
        self.calls.remove(id)
    }

    /// Counts a part that cannot be read.
    pub(super) fn lose(&mut self) {
        self.next += 1;
        self.selection.lose();
    }

    /// Notes that the history of another session is repeated.
    pub(super) fn inherit(&mut self) {
        self.selection.is_fork = true;
    }

    fn answer(&mut self) {
        if let Some(message) = self.message.take() {
            self.selection.push(Entry { kind: Kind::Answer, ..message });
        }
    }

    /// After the last one.
    pub(super) fn finish(mut self) {
        self.answer();
    }
}

/// The end of a message, on one line.
fn end_of(text: &Window) -> String {
    let end = text.tail.as_ref().unwrap_or(&text.head).trim_end();
    end[end.ceil_char_boundary(end.len().saturating_sub(BEFORE))..].replace(['\n', '\r'], " ")
}
