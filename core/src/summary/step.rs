//! Condenses the events of a step into one paragraph, without a model (spec 000, "Compaction").
//!
//! Actions, outputs, errors and follow-ups, each event once and in the given order, in a bounded number of bytes. The
//! paragraph says how many events did not fit.

use std::collections::HashSet;
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::error::{Error, Result};
use crate::home::only_object;
use crate::safety::beginning;

/// The maximum length of the paragraph, and of the text of one event in it, in bytes of UTF-8.
const MAX_PARAGRAPH_BYTES: usize = 4_000;
const MAX_EVENT_BYTES: usize = 400;
/// The maximum length of a group without its texts: label, count of the rest, full stop.
const GROUP_BYTES: usize = 48;
const BETWEEN: &str = "; ";

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[non_exhaustive]
pub enum EventKind {
    /// An action that was taken.
    Action,
    /// A result that later steps need.
    Output,
    /// Something that remains to be done.
    FollowUp,
    /// Something that went wrong.
    Error,
}

/// Something that happened in a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "StepEvent", deny_unknown_fields)]
#[non_exhaustive]
pub struct Event {
    /// The kind of the event.
    pub kind: EventKind,
    /// A short description.
    pub text: String,
}

impl Event {
    /// Creates an event.
    pub fn new(kind: EventKind, text: impl Into<String>) -> Self {
        Event { kind, text: text.into() }
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Members {
            kind: EventKind,
            text: String,
        }
        let Members { kind, text } = only_object(deserializer)?;
        Ok(Event { kind, text })
    }
}

/// The groups in the order of the paragraph, with the percentage reserved for each.
const GROUPS: [(EventKind, &str, usize); 4] = [
    (EventKind::Action, "Done", 40),
    (EventKind::Output, "Outputs", 25),
    (EventKind::Error, "Errors", 15),
    (EventKind::FollowUp, "To follow", 20),
];

/// The events of one kind.
struct Group {
    label: &'static str,
    texts: Vec<String>,
    taken: usize,
    bytes: usize,
}

/// Condenses `events` into one paragraph. Their texts must have been redacted: a secret that is cut off would not be
/// detected any more.
///
/// # Errors
/// `ValidationError` if there is no event, or one without text.
pub(super) fn paragraph(events: &[Event], max_bytes: usize) -> Result<String> {
    if events.is_empty() {
        return Err(Error::validation("events must contain at least one event"));
    }
    let lines: Vec<String> = events.iter().map(|event| on_one_line(&event.text)).collect();
    if let Some(blank) = lines.iter().position(String::is_empty) {
        return Err(Error::validation(format!(
            "events[{blank}].text must contain more than white space and full stops"
        )));
    }
    let room = max_bytes.min(MAX_PARAGRAPH_BYTES);
    let mut groups = GROUPS.map(|(kind, label, _)| {
        let mut seen = HashSet::new();
        let of_kind =
            events.iter().zip(&lines).filter(|(event, line)| event.kind == kind && seen.insert(line.as_str()));
        let texts: Vec<String> = of_kind.map(|(_, line)| shortened(line, MAX_EVENT_BYTES)).collect();
        Group { label, bytes: if texts.is_empty() { 0 } else { GROUP_BYTES }, taken: 0, texts }
    });
    // Each group first gets its share, so that no kind crowds out another; then the groups fill the rest in order.
    for (group, (_, _, share)) in groups.iter_mut().zip(GROUPS) {
        group.take(room * share / 100);
    }
    for position in 0..groups.len() {
        let others: usize = groups.iter().map(|group| group.bytes).sum::<usize>() - groups[position].bytes;
        groups[position].take(room.saturating_sub(others));
    }
    let sentences: Vec<String> = groups.iter().filter(|group| !group.texts.is_empty()).map(Group::sentence).collect();
    Ok(shortened(&sentences.join(" "), room))
}

impl Group {
    fn take(&mut self, room: usize) {
        while let Some(text) = self.texts.get(self.taken) {
            let bytes = text.len() + BETWEEN.len();
            if self.bytes + bytes > room {
                return;
            }
            self.bytes += bytes;
            self.taken += 1;
        }
    }

    fn sentence(&self) -> String {
        let mut sentence = format!("{}: {}", self.label, self.texts[..self.taken].join(BETWEEN));
        let left = self.texts.len() - self.taken;
        if left > 0 {
            let between = if self.taken > 0 { " " } else { "" };
            let _ = write!(sentence, "{between}(and {left} more)");
        }
        if !sentence.ends_with(['?', '!', '…']) {
            sentence.push('.');
        }
        sentence
    }
}

/// `text` with single spaces and without full stops or semicolons at its end.
fn on_one_line(text: &str) -> String {
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.truncate(line.trim_end_matches(['.', ';', ' ']).len());
    line
}

/// Redacted `text` shortened to at most `limit` bytes, with `…` at the cut.
fn shortened(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    format!("{}…", beginning(text, limit.saturating_sub('…'.len_utf8())))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn event(kind: EventKind, text: &str) -> Event {
        Event { kind, text: text.to_owned() }
    }

    #[test]
    fn actions_come_first_and_follow_ups_last_and_each_event_once() {
        let events = [
            event(EventKind::FollowUp, "Write the docs."),
            event(EventKind::Action, "Ran the tests"),
            event(EventKind::Output, "214 tests\n  passed"),
            event(EventKind::Action, "Ran the  tests."),
            event(EventKind::Error, "The linter found one fault;"),
            event(EventKind::Action, "Fixed the parser"),
        ];
        assert_eq!(
            paragraph(&events, 65_536).unwrap(),
            "Done: Ran the tests; Fixed the parser. Outputs: 214 tests passed. Errors: The linter found one fault. \
             To follow: Write the docs."
        );
    }

    #[test]
    fn many_events_of_one_kind_are_counted_and_do_not_crowd_out_another() {
        let mut events: Vec<Event> =
            (0..500).map(|n| event(EventKind::Action, &format!("Step {n} was done"))).collect();
        events.push(event(EventKind::FollowUp, "Look at the rest"));
        let text = paragraph(&events, 65_536).unwrap();
        assert!(text.ends_with(" more). To follow: Look at the rest."), "{text}");
        assert!(text.starts_with("Done: Step 0 was done; Step 1 was done; "), "{text}");
    }

    #[test]
    fn events_that_differ_only_after_the_cut_are_both_listed() {
        let long = |end: &str| event(EventKind::Action, &format!("{}{end}", "p".repeat(MAX_EVENT_BYTES)));
        let text = paragraph(&[long("A"), long("B"), long("A")], 65_536).unwrap();
        assert_eq!(text.matches('…').count(), 2, "{text}");
    }

    #[test]
    fn an_empty_event_is_rejected_and_a_question_mark_is_kept() {
        assert!(paragraph(&[event(EventKind::Action, " ... ")], 65_536).is_err());
        assert_eq!(paragraph(&[event(EventKind::FollowUp, "Is it done?")], 65_536).unwrap(), "To follow: Is it done?");
    }

    proptest! {
        #[test]
        fn a_paragraph_is_one_line_within_its_limit_and_deterministic(
            kinds in prop::collection::vec((0..4_usize, "[a-z .;é漢\n]{0,80}x[a-z漢 ]{0,600}"), 1..60),
            most in 10..6_000_usize,
        ) {
            let events: Vec<Event> = kinds.iter().map(|(kind, text)| event(GROUPS[*kind].0, text)).collect();
            let text = paragraph(&events, most).unwrap();
            prop_assert!(text.len() <= most.min(MAX_PARAGRAPH_BYTES), "{} of {most}", text.len());
            prop_assert!(!text.contains('\n'));
            prop_assert_eq!(paragraph(&events, most).unwrap(), text);
        }
    }
}
