//! Condenses the events of a step into one paragraph, without a model (spec 000, "Compaction").
//!
//! Actions, outputs, errors and follow-ups, each event once and in the given order, in a bounded number of bytes. Each kind is
//! introduced by a sentence, but for actions, which are sentences. The words of an event are not changed, except that a verb
//! that begins an action gets a capital letter, and code in them stays code. The paragraph says how many events did not fit.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::code::{CUT, Part, joined, parts, shortened, spans};
use crate::error::{Error, Result};
use crate::home::only_object;

/// The maximum length of the paragraph, and of the text of one event in it, in bytes of UTF-8.
const MAX_PARAGRAPH_BYTES: usize = 4_000;
const MAX_EVENT_BYTES: usize = 400;
/// The maximum length of a group without its texts: what introduces it, the count of the rest, full stop.
const GROUP_BYTES: usize = 72;
/// The length of what is between two texts.
const BETWEEN: usize = 2;

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

/// The kinds in the order of the paragraph, with the percentage reserved for each.
const GROUPS: [(EventKind, usize); 4] =
    [(EventKind::Action, 40), (EventKind::Output, 25), (EventKind::Error, 15), (EventKind::FollowUp, 20)];

/// Verbs that say what was done and do not end in `ed`.
const VERBS: &[&str] = &[
    "began", "brought", "built", "caught", "chose", "cut", "did", "drew", "found", "gave", "got", "held", "hid",
    "kept", "laid", "led", "left", "let", "made", "met", "put", "ran", "read", "rebuilt", "reran", "rewrote", "said",
    "saw", "sent", "set", "shut", "split", "spoke", "spun", "stuck", "swept", "took", "taught", "thought", "told",
    "undid", "went", "wrote",
];

/// The events of one kind.
struct Group {
    kind: EventKind,
    texts: Vec<Text>,
    taken: usize,
    bytes: usize,
}

/// The text of an event as the paragraph has it, without a full stop.
struct Text {
    text: String,
    /// Whether it is more than one sentence or clause.
    is_compound: bool,
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
    let texts: Vec<Vec<Part>> = events.iter().map(|event| without_stop(parts(&event.text))).collect();
    if let Some(blank) = texts.iter().position(Vec::is_empty) {
        return Err(Error::validation(format!(
            "events[{blank}].text must contain more than white space and full stops"
        )));
    }
    let room = max_bytes.min(MAX_PARAGRAPH_BYTES);
    let mut groups = GROUPS.map(|(kind, _)| {
        let mut seen = HashSet::new();
        let of_kind =
            events.iter().zip(&texts).filter(|(event, parts)| event.kind == kind && seen.insert(joined(parts)));
        let texts: Vec<Text> = of_kind.map(|(_, parts)| Text::new(kind, parts)).collect();
        Group { kind, bytes: if texts.is_empty() { 0 } else { GROUP_BYTES }, taken: 0, texts }
    });
    // Each group first gets its share, so that no kind crowds out another; then the groups fill the rest in order.
    for (group, (_, share)) in groups.iter_mut().zip(GROUPS) {
        group.take(room * share / 100);
    }
    for position in 0..groups.len() {
        let others: usize = groups.iter().map(|group| group.bytes).sum::<usize>() - groups[position].bytes;
        groups[position].take(room.saturating_sub(others));
    }
    let groups: Vec<String> = groups.iter().filter(|group| !group.texts.is_empty()).map(Group::sentences).collect();
    Ok(shortened(&spans(&groups.join(" ")), room))
}

impl Text {
    fn new(kind: EventKind, parts: &[Part]) -> Self {
        let is_compound = parts.iter().any(|part| match part {
            Part::Prose(words) => [". ", "? ", "! ", ";"].iter().any(|end| words.contains(end)),
            Part::Code(_) => false,
        });
        let text = shortened(parts, MAX_EVENT_BYTES);
        Text { text: if kind == EventKind::Action { with_capital(text) } else { text }, is_compound }
    }

    /// As a sentence.
    fn sentence(&self) -> String {
        let stop = if ends_itself(&self.text) { "" } else { "." };
        format!("{}{stop}", self.text)
    }
}

impl Group {
    fn take(&mut self, room: usize) {
        while let Some(text) = self.texts.get(self.taken) {
            let bytes = text.text.len() + BETWEEN;
            if self.bytes + bytes > room {
                return;
            }
            self.bytes += bytes;
            self.taken += 1;
        }
    }

    fn sentences(&self) -> String {
        let (taken, all) = (&self.texts[..self.taken], self.texts.len());
        let left = all - taken.len();
        let mut sentences: Vec<String> = taken.iter().map(Text::sentence).collect();
        if self.kind == EventKind::Action {
            match (taken.len(), left) {
                (_, 0) => {}
                (0, _) => sentences.push(counted(left, "action was taken.", "actions were taken.")),
                _ => sentences.push(counted(left, "more action followed.", "more actions followed.")),
            }
            return sentences.join(" ");
        }
        let introduction = match (self.kind, all) {
            (EventKind::Output, 1) => "The result is".to_owned(),
            (EventKind::Output, _) if taken.is_empty() => format!("There are {all} results"),
            (EventKind::Output, _) => "The results are".to_owned(),
            (EventKind::Error, _) => counted(all, "problem came up", "problems came up"),
            _ => counted(all, "thing remains to be done", "things remain to be done"),
        };
        if taken.is_empty() {
            return format!("{introduction}.");
        }
        // Texts of several sentences are not separated by semicolons.
        if taken.iter().any(|text| text.is_compound) {
            sentences.extend((left > 0).then(|| format!("And {left} more.")));
            return format!("{introduction}: {}", sentences.join(" "));
        }
        let mut texts: Vec<String> = taken.iter().map(|text| text.text.clone()).collect();
        texts.extend((left > 0).then(|| format!("and {left} more")));
        Text { text: format!("{introduction}: {}", texts.join("; ")), is_compound: false }.sentence()
    }
}

/// Whether a sentence with this end needs no full stop.
fn ends_itself(text: &str) -> bool {
    text.ends_with(['?', '!', CUT, '.', ':'])
}

/// A number that begins a sentence, and what it counts.
fn counted(count: usize, one: &str, many: &str) -> String {
    const WORDS: [&str; 10] = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"];
    let what = if count == 1 { one } else { many };
    match WORDS.get(count) {
        Some(word) => format!("{word} {what}"),
        None => format!("{count} {what}"),
    }
}

/// An action with a capital letter if it begins with a verb; a command or a name stays as it is.
fn with_capital(text: String) -> String {
    let verb = text.split(' ').next().unwrap_or_default();
    let is_regular = verb.len() > 4 && verb.ends_with("ed") && verb.bytes().all(|letter| letter.is_ascii_lowercase());
    if text.len() == verb.len() || !(is_regular || VERBS.contains(&verb)) {
        return text;
    }
    let (first, rest) = text.split_at(1);
    first.to_ascii_uppercase() + rest
}

/// The parts of a text without the full stop, comma or semicolon at its end; that of a path (`cd ..`) or of something left out
/// (`...`) stays.
fn without_stop(mut parts: Vec<Part>) -> Vec<Part> {
    if parts.iter().all(|part| matches!(part, Part::Prose(words) if words.chars().all(|it| ". ,;".contains(it)))) {
        return Vec::new();
    }
    while let Some(Part::Prose(words)) = parts.last_mut() {
        let before = words.len();
        words.truncate(words.trim_end_matches([' ', ';', ',']).len());
        let stem = words.strip_suffix('.').map(|stem| (stem.len(), stem.chars().next_back()));
        match stem {
            Some((length, last)) if last.is_none_or(|last| !". /".contains(last)) => words.truncate(length),
            _ => {}
        }
        match (words.is_empty(), words.len() == before) {
            (true, _) => drop(parts.pop()),
            (_, true) => break,
            _ => {}
        }
    }
    parts
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
            "Ran the tests. Fixed the parser. The result is: 214 tests passed. One problem came up: The linter found one \
             fault. One thing remains to be done: Write the docs."
        );
    }

    #[test]
    fn events_of_one_kind_are_one_list_unless_one_of_them_is_several_sentences() {
        let of = |kind, texts: &[&str]| {
            paragraph(&texts.iter().map(|text| event(kind, text)).collect::<Vec<_>>(), 65_536).unwrap()
        };
        assert_eq!(of(EventKind::Output, &["a.txt", "b.txt"]), "The results are: a.txt; b.txt.");
        assert_eq!(
            of(EventKind::Error, &["The build failed. It ran out of memory", "`make` is missing"]),
            "Two problems came up: The build failed. It ran out of memory. `make` is missing."
        );
        assert_eq!(
            of(EventKind::FollowUp, &["write the docs,", "release v1.2.", "is it fast?"]),
            "Three things remain to be done: write the docs; release v1.2; is it fast?"
        );
    }

    #[test]
    fn a_verb_gets_a_capital_and_code_commands_and_paths_stay_as_they_are() {
        for (text, expected) in [
            ("ran the tests", "Ran the tests."),
            ("added `parse_all()`.", "Added `parse_all()`."),
            ("cargo test passes", "cargo test passes."),
            ("parse_all was renamed", "parse_all was renamed."),
            ("sed -i s/a/b/ src/main.rs", "sed -i s/a/b/ src/main.rs."),
            ("Ran `cargo  test --all`;", "Ran `cargo  test --all`."),
            ("Ran cd ..", "Ran cd .."),
            ("Ran git add .", "Ran git add ."),
            ("Waited...", "Waited..."),
            ("Ran:\n```sh\ncargo build\n  cargo test.\n```", "Ran: `cargo build` `  cargo test.`."),
            ("Edited src/a.rs:12", "Edited src/a.rs:12."),
        ] {
            assert_eq!(paragraph(&[event(EventKind::Action, text)], 65_536).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn many_events_of_one_kind_are_counted_and_do_not_crowd_out_another() {
        let mut events: Vec<Event> =
            (0..500).map(|n| event(EventKind::Action, &format!("Step {n} was done"))).collect();
        events.push(event(EventKind::FollowUp, "Look at the rest"));
        let text = paragraph(&events, 65_536).unwrap();
        assert!(text.ends_with(" more actions followed. One thing remains to be done: Look at the rest."), "{text}");
        assert!(text.starts_with("Step 0 was done. Step 1 was done. "), "{text}");
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
        let asked = paragraph(&[event(EventKind::FollowUp, "Is it done?")], 65_536).unwrap();
        assert_eq!(asked, "One thing remains to be done: Is it done?");
    }

    proptest! {
        #[test]
        fn a_paragraph_is_one_line_within_its_limit_and_deterministic(
            kinds in prop::collection::vec((0..4_usize, "[a-z .;é漢\n\t`~]{0,80}x[a-z漢 ]{0,600}"), 1..60),
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
