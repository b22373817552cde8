//! The browser's screens and the changes that keys make.

mod messages;
mod scrolling;

use std::collections::VecDeque;

use chrono::{DateTime, Utc};
use ratatui_core::backend::TestBackend;
use ratatui_core::style::Color;
use ratatui_core::terminal::Terminal;
use ratatui_crossterm::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde_json::{Value, json};

use super::app::{App, Mode};
use super::event::{Effect, Event, Failure};
use super::history::{Change, Inverse};
use super::view;
use crate::human::identified::Identified;
use crate::human::items::item::Item;
use crate::human::tui::draw::Drawn;
use crate::human::tui::{Input, Left};

fn now() -> DateTime<Utc> {
    DateTime::parse_from_rfc3339("2026-06-15T12:00:00Z").unwrap().to_utc()
}

fn item(value: &Value) -> Item {
    serde_json::from_str(&value.to_string()).unwrap()
}

fn proxy() -> Value {
    json!({"id": "019a1b2c-0000-7000-8000-000000000001", "created_at": "2026-06-13T12:00:00Z",
        "updated_at": "2026-06-13T12:00:00Z", "scope": "repo", "status": "active", "type": "fact",
        "content": "The proxy listens on port 8443, and the one of the staging cluster on 9443.", "tags": ["net", "ops"],
        "relevance_hints": {"files": ["deploy/proxy.conf"]}, "counters": {"seen_count": 3, "used_count": 1}})
}

fn german() -> Value {
    json!({"id": "019a1b2c-0000-7000-8000-000000000002", "created_at": "2026-06-15T09:00:00Z",
        "updated_at": "2026-06-15T09:00:00Z", "scope": "global", "status": "active", "type": "pref",
        "content": "Answer in German (日本語 is fine too).\u{1b}[31m\u{202e}", "tags": []})
}

fn old() -> Value {
    json!({"id": "019a1b2c-0000-7000-8000-000000000003", "created_at": "2026-01-15T12:00:00Z",
        "updated_at": "2026-01-15T12:00:00Z", "scope": "repo", "status": "archived", "type": "instruction",
        "content": "Use yarn", "tags": []})
}

/// The browser with three items.
fn browser() -> App {
    let (mut app, first) = App::new("", "repo", now());
    assert!(matches!(first, Effect::List(filter) if filter.status == Some("active")));
    listed(&mut app, &[proxy(), german(), old()]);
    app
}

fn listed(app: &mut App, items: &[Value]) {
    let items = items.iter().map(item).collect();
    assert!(app.update(Event::Listed { items, has_others: false }).is_empty());
}

fn press(app: &mut App, code: KeyCode) -> Vec<Effect> {
    app.update(Event::Input(Input::Key(KeyEvent::new(code, KeyModifiers::NONE))))
}

fn control(app: &mut App, key: char) -> Vec<Effect> {
    app.update(Event::Input(Input::Key(KeyEvent::new(KeyCode::Char(key), KeyModifiers::CONTROL))))
}

fn failure(message: &str, is_secret: bool, is_final: bool) -> Failure {
    Failure { message: message.to_owned(), is_secret, is_final, is_stale: false, is_kept: false }
}

/// Types a text, and returns the effects of the last key.
fn type_in(app: &mut App, text: &str) -> Vec<Effect> {
    text.chars().map(|key| press(app, KeyCode::Char(key))).last().unwrap_or_default()
}

fn drawn(app: &App, width: u16, height: u16, is_coloured: bool) -> Terminal<TestBackend> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal
        .draw(|frame| {
            view::draw(app, frame, is_coloured);
        })
        .unwrap();
    terminal
}

/// The screen as text, of which the state takes note, as the browser does.
fn noted_screen(app: &mut App, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let mut seen = Drawn::default();
    terminal.draw(|frame| seen = view::draw(app, frame, false)).unwrap();
    app.drawn(seen);
    text_of(&terminal, width, height)
}

/// The screen as text, without the spaces at the ends of its lines.
fn screen(app: &App, width: u16, height: u16) -> String {
    text_of(&drawn(app, width, height, false), width, height)
}

fn text_of(terminal: &Terminal<TestBackend>, width: u16, height: u16) -> String {
    let buffer = terminal.backend().buffer();
    let mut out = String::new();
    for y in 0..height {
        let mut line = String::new();
        let mut hidden = 0;
        for x in 0..width {
            let symbol = buffer[(x, y)].symbol();
            // The second cell of a wide character.
            if hidden == 0 {
                line.push_str(symbol);
                hidden = unicode_width::UnicodeWidthStr::width(symbol);
            }
            hidden = hidden.saturating_sub(1);
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

#[track_caller]
fn assert_screen(shown: &str, expected: &str) {
    assert!(shown == expected, "{shown}\n--- but expected was\n{expected}");
}

#[test]
fn the_list_at_60_columns() {
    assert_screen(&screen(&browser(), 60, 20), include_str!("screens/list_60.txt"));
}

#[test]
fn the_list_at_100_columns() {
    assert_screen(&screen(&browser(), 100, 20), include_str!("screens/list_100.txt"));
}

#[test]
fn a_search_at_60_columns() {
    let mut app = browser();
    press(&mut app, KeyCode::Char('/'));
    type_in(&mut app, "port");
    listed(&mut app, &[proxy()]);
    assert_screen(&screen(&app, 60, 12), include_str!("screens/search_60.txt"));
    drawn(&app, 60, 12, false).backend_mut().assert_cursor_position((6, 1));
}

#[test]
fn a_new_item_with_a_secret_at_60_columns() {
    let mut app = browser();
    press(&mut app, KeyCode::Char('a'));
    type_in(&mut app, "A long text that does not fit on one line of this window but is typed");
    press(&mut app, KeyCode::Tab);
    press(&mut app, KeyCode::Right);
    app.update(Event::Failed(failure("content looks like a secret (rule github-pat)", true, false)));
    assert_screen(&screen(&app, 60, 14), include_str!("screens/refused_60.txt"));
}

#[test]
fn what_is_recalled_at_60_columns() {
    let mut app = browser();
    press(&mut app, KeyCode::Char('p'));
    type_in(&mut app, "Which port?");
    let recall = json!({"standing": [], "standingDropped": 0, "untrusted": 0, "preamble": "Memories that may be relevant:\nFacts:\n- \"The proxy listens on \u{1b} port 8443.\"",
        "items": [{"item": proxy(), "score": 1.0, "reasons": ["words: port"], "inPreamble": true}],
        "considered": 2, "dropped": 0});
    app.update(Event::Recalled(serde_json::from_value(recall).unwrap()));
    assert_screen(&screen(&app, 60, 12), include_str!("screens/recall_60.txt"));
}

#[test]
fn the_help_at_60_columns() {
    let mut app = browser();
    press(&mut app, KeyCode::Char('?'));
    assert_screen(&screen(&app, 60, 20), include_str!("screens/help_60.txt"));
}

#[test]
fn an_empty_list_says_what_to_do() {
    let mut app = browser();
    listed(&mut app, &[]);
    assert!(screen(&app, 60, 20).contains("No items here yet; press a to add one."));
    press(&mut app, KeyCode::Char('/'));
    type_in(&mut app, "zebra");
    assert!(screen(&app, 60, 20).contains("Nothing matches; press / to change the search."));
}

#[test]
fn a_window_that_is_too_small_says_so() {
    for (width, height) in [(39, 20), (60, 9), (1, 1), (10, 3), (0, 0)] {
        let shown = screen(&browser(), width, height);
        assert!(width < 30 || shown.contains("Enlarge the window to at"), "{shown}");
    }
    for (width, height) in [(40, 10), (60, 20), (89, 11), (90, 24), (300, 100)] {
        let mut app = browser();
        assert!(screen(&app, width, height).contains("> pref"));
        for key in ['a', '?', 'p', '/'] {
            press(&mut app, KeyCode::Esc);
            press(&mut app, KeyCode::Char(key));
            screen(&app, width, height);
        }
    }
}

#[test]
fn colours_are_only_used_if_they_are_wanted() {
    let mut app = browser();
    app.update(Event::Input(Input::Warned("something is wrong".to_owned())));
    for (is_coloured, key) in [(true, None), (false, None), (false, Some('?')), (false, Some('a')), (false, Some('p'))]
    {
        press(&mut app, KeyCode::Esc);
        if let Some(key) = key {
            press(&mut app, KeyCode::Char(key));
        }
        let terminal = drawn(&app, 100, 20, is_coloured);
        let is_plain = |cell: &ratatui_core::buffer::Cell| cell.fg == Color::Reset && cell.bg == Color::Reset;
        assert_eq!(terminal.backend().buffer().content.iter().all(is_plain), !is_coloured, "{key:?}");
    }
}

#[test]
fn no_control_character_is_drawn() {
    for mode in ['e', 'x'] {
        let mut app = browser();
        press(&mut app, KeyCode::Char(mode));
        let shown = screen(&app, 60, 20);
        assert!(!shown.contains(['\u{1b}', '\u{202e}']) && shown.contains("\u{fffd}[31m\u{fffd}"), "{shown}");
    }
}

#[test]
fn a_long_list_keeps_the_selected_item_visible() {
    let (mut app, _) = App::new("", "repo", now());
    let item = |number| {
        json!({"id": format!("i{number}"), "type": "note", "content": format!("item {number}."), "scope": "repo",
            "status": "active", "created_at": "2026-06-13T12:00:00Z", "updated_at": "2026-06-13T12:00:00Z"})
    };
    let items: Vec<Value> = (0..200).map(item).collect();
    listed(&mut app, &items);
    for (key, expected) in [
        (KeyCode::Home, "> note  item 199."),
        (KeyCode::PageDown, "> note  item 189."),
        (KeyCode::Char('j'), "> note  item 188."),
        (KeyCode::End, "> note  item 0."),
        (KeyCode::Down, "> note  item 0."),
        (KeyCode::Up, "> note  item 1."),
        (KeyCode::PageUp, "> note  item 11."),
    ] {
        press(&mut app, key);
        let shown = screen(&app, 60, 20);
        assert!(shown.contains(expected), "{key:?}: {shown}");
    }
    // A shorter list, without the selected item.
    listed(&mut app, &items[..3]);
    assert_eq!(app.selected().unwrap().id(), "i0");
    listed(&mut app, &[]);
    assert!(app.selected().is_none());
    assert!(press(&mut app, KeyCode::Char('x')).is_empty());
    assert!(screen(&app, 60, 20).contains("no item is selected"));
}

#[test]
fn a_search_lists_with_each_key_and_keeps_the_selected_item() {
    let mut app = browser();
    press(&mut app, KeyCode::Down);
    let selected = app.selected().unwrap().id().to_owned();
    press(&mut app, KeyCode::Char('/'));
    for (typed, expected) in [('p', "p"), ('o', "po")] {
        let effects = press(&mut app, KeyCode::Char(typed));
        assert!(matches!(&effects[..], [Effect::List(filter)] if filter.text == expected), "{effects:?}");
    }
    assert!(press(&mut app, KeyCode::Char(' ')).is_empty(), "a space at the end changes nothing");
    listed(&mut app, &[old(), proxy()]);
    assert_eq!(app.selected().unwrap().id(), selected);
    press(&mut app, KeyCode::Enter);
    assert!(matches!(app.mode, Mode::List));
    let effects = press(&mut app, KeyCode::Esc);
    assert!(matches!(&effects[..], [Effect::List(filter)] if filter.text.is_empty()), "first, Esc clears the search");
    assert!(matches!(&press(&mut app, KeyCode::Esc)[..], [Effect::Leave(Left::Back)]));
    assert!(matches!(&control(&mut app, 'c')[..], [Effect::Leave(Left::Quit)]));
}

#[test]
fn filters_go_round() {
    let mut app = browser();
    let mut seen = Vec::new();
    for _ in 0..4 {
        let effects = press(&mut app, KeyCode::Char('s'));
        let [Effect::List(filter)] = &effects[..] else { panic!("{effects:?}") };
        seen.push(filter.scope);
    }
    assert_eq!(seen, [Some("repo"), Some("dir"), Some("global"), None]);
    press(&mut app, KeyCode::Char('v'));
    press(&mut app, KeyCode::Char('t'));
    assert_eq!((app.filter.status, app.filter.kind), (Some("archived"), Some("pref")));
    press(&mut app, KeyCode::Char('v'));
    assert_eq!(app.filter.status, None);
}

#[test]
fn an_item_that_is_refused_stays_in_the_form() {
    let mut app = browser();
    press(&mut app, KeyCode::Char('a'));
    assert!(press(&mut app, KeyCode::Enter).is_empty(), "an empty item is not stored");
    assert!(app.status.is_error);
    type_in(&mut app, "text");
    for _ in 0..3 {
        press(&mut app, KeyCode::Tab);
    }
    type_in(&mut app, "a, b,");
    let effects = press(&mut app, KeyCode::Enter);
    let [Effect::Add { draft, is_forced: false }] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(
        Value::from(draft.clone()),
        json!({"content": "text", "type": "note", "scope": "repo", "tags": ["a", "b"]})
    );
    assert!(control(&mut app, 'r').is_empty(), "nothing was refused yet");
    app.update(Event::Failed(failure("no", true, false)));
    assert!(matches!(&control(&mut app, 'r')[..], [Effect::Add { is_forced: true, .. }]));
    // Leaving the form keeps what was typed.
    press(&mut app, KeyCode::Esc);
    press(&mut app, KeyCode::Char('a'));
    assert!(matches!(&press(&mut app, KeyCode::Enter)[..], [Effect::Add { draft: again, .. }] if again == draft));
    app.update(Event::Stored { change: Change::Added, before: None, item: item(&proxy()) });
    press(&mut app, KeyCode::Char('a'));
    assert!(press(&mut app, KeyCode::Enter).is_empty(), "the next form is empty");
}

#[test]
fn an_edit_asks_for_what_was_changed_only() {
    let mut app = browser();
    let mut tagged = proxy();
    tagged["tags"] = json!(["a, b"]);
    listed(&mut app, &[tagged]);
    press(&mut app, KeyCode::Char('e'));
    let effects = press(&mut app, KeyCode::Enter);
    assert!(matches!(&effects[..], [Effect::Edit { wanted, .. }] if wanted.is_empty()), "{effects:?}");
    app.update(Event::Unchanged);
    press(&mut app, KeyCode::Char('e'));
    app.update(Event::Input(Input::Paste("\r\nand more".to_owned())));
    press(&mut app, KeyCode::Tab);
    press(&mut app, KeyCode::Char('i'));
    let effects = press(&mut app, KeyCode::Enter);
    let [Effect::Edit { wanted, .. }] = &effects[..] else { panic!("{effects:?}") };
    let content = format!("{}\nand more", proxy()["content"].as_str().unwrap());
    assert_eq!(Value::from(wanted.clone()), json!({"content": content, "type": "instruction"}));
}

#[test]
fn changes_are_undone_the_last_first() {
    let at = |value: &Value, time: u8| {
        let mut value = value.clone();
        value["updated_at"] = json!(format!("2026-06-15T12:00:0{time}Z"));
        item(&value)
    };
    let mut app = browser();
    assert!(press(&mut app, KeyCode::Char('u')).is_empty());
    let mut edited = proxy();
    edited["content"] = json!("edited");
    app.update(Event::Stored { change: Change::Added, before: None, item: at(&proxy(), 1) });
    app.update(Event::Stored { change: Change::Edited, before: Some(at(&proxy(), 1)), item: at(&edited, 2) });
    app.update(Event::Stored { change: Change::Archived, before: Some(at(&edited, 2)), item: at(&edited, 3) });
    let undo = |app: &mut App| match VecDeque::from(press(app, KeyCode::Char('u'))).pop_front() {
        Some(Effect::Undo(step)) => step,
        other => panic!("{other:?}"),
    };
    let step = undo(&mut app);
    assert_eq!((&step.inverse, step.after.as_str()), (&Inverse::Restore, "2026-06-15T12:00:03Z"));
    // One that failed for now can be undone later; one that cannot be undone any more is forgotten.
    app.update(Event::UndoFailed { step, failure: failure("no", false, false) });
    let step = undo(&mut app);
    assert_eq!(step.inverse, Inverse::Restore);
    app.update(Event::Undone { step, item: Some(at(&edited, 4)) });
    let step = undo(&mut app);
    assert_eq!(step.after, "2026-06-15T12:00:04Z", "undoing changed the time of the item");
    assert!(matches!(&step.inverse, Inverse::Edit(fields) if fields["content"] == proxy()["content"]));
    app.update(Event::UndoFailed { step, failure: failure("no", false, true) });
    assert!(app.status.is_error);
    let step = undo(&mut app);
    assert_eq!((&step.inverse, step.after.as_str()), (&Inverse::Remove, "2026-06-15T12:00:01Z"));
    let effects = app.update(Event::Undone { step, item: None });
    assert!(matches!(&effects[..], [Effect::List(_)]));
    assert!(press(&mut app, KeyCode::Char('u')).is_empty());
}

#[test]
fn a_forgotten_item_can_be_brought_back() {
    let mut app = browser();
    let effects = press(&mut app, KeyCode::Char('d'));
    let [Effect::Remove(removed)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(removed.id(), german()["id"].as_str().unwrap());
    app.update(Event::Removed { item: item(&german()), entry: Some("e1".to_owned()) });
    assert!(app.status.text.contains("u undoes it"), "{}", app.status.text);
    let effects = press(&mut app, KeyCode::Char('u'));
    assert!(matches!(&effects[..], [Effect::Undo(step)] if step.inverse == Inverse::BringBack("e1".to_owned())));
    // What the trash does not keep cannot be undone.
    app.update(Event::Removed { item: item(&german()), entry: None });
    assert!(press(&mut app, KeyCode::Char('u')).is_empty());
}

#[test]
fn hints_are_edited_in_the_form() {
    let mut app = browser();
    listed(&mut app, &[proxy()]);
    press(&mut app, KeyCode::Char('e'));
    for _ in 0..4 {
        press(&mut app, KeyCode::Tab);
    }
    type_in(&mut app, ", src/a.rs");
    let effects = press(&mut app, KeyCode::Enter);
    let [Effect::Edit { wanted, .. }] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(Value::from(wanted.clone()), json!({"files": ["deploy/proxy.conf", "src/a.rs"]}));
}
