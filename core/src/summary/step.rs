//! The paragraph about a step, made of its events without a model (spec 000, "Compaction").
//!
//! What happened, important outputs, what went wrong, what is to follow: each event once, in the order given, in a
//! bounded number of bytes. What has no room is counted, never left out in silence.

use std::collections::HashSet;
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::error::{Error, Result};
use crate::home::only_object;

/// The longest paragraph and the longest text of one event in it, in bytes of UTF-8.
const PARAGRAPH_BYTES: usize = 4_000;
const EVENT_BYTES: usize = 400;
/// What a group takes besides its texts, at most: label, count of the rest, full stop.
const GROUP_BYTES: usize = 48;
const BETWEEN: &str = "; ";

/// What kind of thing happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[non_exhaustive]
pub enum EventKind {
    /// Something that was done.
    Action,
    /// A result that later steps need.
    Output,
    /// Something that is still to be done.
    FollowUp,
    /// Something that went wrong.
    Error,
}

/// Something that happened in a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "StepEvent", deny_unknown_fields)]
#[non_exhaustive]
pub struct Event {
    /// What kind of thing it was.
    pub kind: EventKind,
    /// What it was, in a few words.
    pub text: String,
}

impl Event {
    /// This happened.
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

/// The order of the paragraph, and each group's share of it in hundredths.
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

/// One paragraph of `events`, whose texts hold no secret any more: a cut could hide one from the redactor.
///
/// # Errors
/// `ValidationError` when there is no event, or one without a text.
pub(super) fn paragraph(events: &[Event], most_bytes: usize) -> Result<String> {
    if events.is_empty() {
        return Err(Error::validation("events must hold at least one event"));
    }
    let lines: Vec<String> = events.iter().map(|event| on_one_line(&event.text)).collect();
    if let Some(blank) = lines.iter().position(String::is_empty) {
        return Err(Error::validation(format!("events[{blank}].text must say something")));
    }
    let room = most_bytes.min(PARAGRAPH_BYTES);
    let mut groups = GROUPS.map(|(kind, label, _)| {
        let mut seen = HashSet::new();
        let of_kind =
            events.iter().zip(&lines).filter(|(event, line)| event.kind == kind && seen.insert(line.as_str()));
        let texts: Vec<String> = of_kind.map(|(_, line)| shortened(line, EVENT_BYTES)).collect();
        Group { label, bytes: if texts.is_empty() { 0 } else { GROUP_BYTES }, taken: 0, texts }
    });
    // First to each its share, so that no kind crowds out another; then whoever still has something takes the rest.
    for (group, (_, _, share)) in groups.iter_mut().zip(GROUPS) {
        group.take(room * share / 100);
    }
    for place in 0..groups.len() {
        let others: usize = groups.iter().map(|group| group.bytes).sum::<usize>() - groups[place].bytes;
        groups[place].take(room.saturating_sub(others));
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

/// `text` with single spaces and without a full stop at its end.
fn on_one_line(text: &str) -> String {
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.truncate(line.trim_end_matches(['.', ';', ' ']).len());
    line
}

/// `text` in at most `most` bytes, with `…` for what was cut off.
fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let mut cut = most.saturating_sub('…'.len_utf8());
    while !text.is_char_boundary(cut) {
        cut -= 1;
    }
    format!("{}…", &text[..cut])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn event(kind: EventKind, text: &str) -> Event {
        Event { kind, text: text.to_owned() }
    }

    #[test]
    fn what_happened_comes_first_and_what_is_to_follow_last_each_event_once() {
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
    fn a_flood_of_one_kind_is_counted_and_crowds_out_no_other() {
        let mut events: Vec<Event> =
            (0..500).map(|n| event(EventKind::Action, &format!("Step {n} was done"))).collect();
        events.push(event(EventKind::FollowUp, "Look at the rest"));
        let text = paragraph(&events, 65_536).unwrap();
        assert!(text.ends_with(" more). To follow: Look at the rest."), "{text}");
        assert!(text.starts_with("Done: Step 0 was done; Step 1 was done; "), "{text}");
    }

    #[test]
    fn events_that_differ_only_behind_what_is_shown_are_two() {
        let long = |end: &str| event(EventKind::Action, &format!("{}{end}", "p".repeat(EVENT_BYTES)));
        let text = paragraph(&[long("A"), long("B"), long("A")], 65_536).unwrap();
        assert_eq!(text.matches('…').count(), 2, "{text}");
    }

    #[test]
    fn an_event_that_says_nothing_is_refused_and_a_question_stays_one() {
        assert!(paragraph(&[event(EventKind::Action, " ... ")], 65_536).is_err());
        assert_eq!(paragraph(&[event(EventKind::FollowUp, "Is it done?")], 65_536).unwrap(), "To follow: Is it done?");
    }

    proptest! {
        #[test]
        fn a_paragraph_is_one_line_within_its_bound_and_the_same_every_time(
            kinds in prop::collection::vec((0..4_usize, "[a-z .;é漢\n]{0,80}x[a-z漢 ]{0,600}"), 1..60),
            most in 10..6_000_usize,
        ) {
            let events: Vec<Event> = kinds.iter().map(|(kind, text)| event(GROUPS[*kind].0, text)).collect();
            let text = paragraph(&events, most).unwrap();
            prop_assert!(text.len() <= most.min(PARAGRAPH_BYTES), "{} of {most}", text.len());
            prop_assert!(!text.contains('\n'));
            prop_assert_eq!(paragraph(&events, most).unwrap(), text);
        }
    }
}
