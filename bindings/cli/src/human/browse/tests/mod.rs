//! The browser's screens and what keys ask for.

use chrono::{DateTime, Utc};
use loopmem::search::Hit;
use ratatui_core::backend::TestBackend;
use ratatui_core::style::Color;
use ratatui_core::terminal::Terminal;
use ratatui_crossterm::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde_json::json;

use super::app::{App, Mode};
use super::event::{Effect, Event, Known, Opens, Place, Row, Step};
use super::{Mark, Page, Shown, view};
use crate::human::record::KINDS;
use crate::human::tui::{Input, Left};
use crate::session::Members;

static PAGE: Page = Page {
    name: "page",
    about: "What a page is about",
    is_shown_without_prompt: true,
    make: |_, _, _| Ok(Shown::default()),
};

fn now() -> DateTime<Utc> {
    DateTime::parse_from_rfc3339("2026-06-15T12:00:00Z").unwrap().to_utc()
}

fn known() -> Known {
    Known { params: Members::new(), name: "/home/me/shop (main)".to_owned(), folder: Some("/home/me/shop".to_owned()) }
}

fn room() -> Place {
    Place::Room(known(), "memory".to_owned())
}

fn hit(id: &str, text: &str) -> Box<Hit> {
    let hit = json!({"room": "memory", "kind": "note", "id": id, "repoHash": null, "branch": null, "folder": null,
        "time": "2026-06-15T09:00:00Z", "title": null, "text": text, "tags": ["ops"], "files": [], "score": 0.0, "words": []});
    serde_json::from_value(hit).unwrap()
}

fn row(id: &str, text: &str) -> Row {
    Row {
        kind: "note".to_owned(),
        label: text.lines().next().unwrap_or_default().to_owned(),
        keeps_end: false,
        state: String::new(),
        time: "2026-06-15T09:00:00Z".to_owned(),
        id: id.to_owned(),
        text: text.to_owned(),
        details: vec![("tags", "ops".to_owned()), ("files", String::new())],
        opens: Opens::Record(hit(id, text)),
    }
}

fn entry(kind: &str, opens: Opens) -> Row {
    Row { kind: kind.to_owned(), opens, time: String::new(), details: Vec::new(), ..row(kind, "") }
}

fn listed(app: &mut App, rows: Vec<Row>) {
    let (place, text) = (app.level.place.clone(), app.level.search.text().trim().to_owned());
    assert!(app.update(Event::Listed { place, text, rows, fault: None }).is_empty());
}

/// The browser in a room with two notes, below its repository and the home.
fn in_room() -> App {
    let mut app = App::new(vec![Place::Home, Place::Repo(known()), room()], "", now());
    listed(&mut app, vec![row("n1", "The staging server\nis down on Fridays\u{1b}[31m."), row("n2", "Use pnpm")]);
    app
}

fn press(app: &mut App, code: KeyCode) -> Vec<Effect> {
    app.update(Event::Input(Input::Key(KeyEvent::new(code, KeyModifiers::NONE))))
}

fn type_in(app: &mut App, text: &str) -> Vec<Effect> {
    text.chars().map(|key| press(app, KeyCode::Char(key))).last().unwrap_or_default()
}

fn draw(app: &App, width: u16, height: u16, is_coloured: bool) -> Terminal<TestBackend> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal
        .draw(|frame| {
            view::draw(app, frame, is_coloured);
        })
        .unwrap();
    terminal
}

/// The screen as text, without the spaces at the ends of its lines.
fn screen(app: &App, width: u16, height: u16) -> String {
    let terminal = draw(app, width, height, false);
    let buffer = terminal.backend().buffer();
    let line = |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..height).map(|y| format!("{}\n", line(y).trim_end())).collect()
}

#[track_caller]
fn assert_screen(shown: &str, expected: &str) {
    assert!(shown == expected, "{shown}\n--- but expected was\n{expected}");
}

#[test]
fn a_room_at_60_columns() {
    let expected = "\
memory  /home/me/shop (main)                       2 records
/ searches the room
────────────────────────────────────────────────────────────
> note  The staging server                                3h
  note  Use pnpm                                          3h




────────────────────────────────────────────────────────────
note n1
The staging server
is down on Fridays\u{fffd}[31m.
tags       ops
? help  q quit  Enter open  Esc back  / search  e edit
";
    assert_screen(&screen(&in_room(), 60, 15), expected);
}

#[test]
fn a_key_with_ctrl_or_alt_is_no_command() {
    let mut app = in_room();
    for modifiers in [KeyModifiers::CONTROL, KeyModifiers::ALT] {
        let key = KeyEvent::new(KeyCode::Char('d'), modifiers);
        assert!(app.update(Event::Input(Input::Key(key))).is_empty(), "Ctrl-D ends an input, and forgets nothing");
    }
    assert!(matches!(&press(&mut app, KeyCode::Char('d'))[..], [Effect::Remove(_)]));
}

#[test]
fn the_rooms_of_a_repository_and_their_way_back() {
    let mut app = App::new(vec![Place::Home, Place::Repo(known())], "", now());
    listed(&mut app, vec![entry("page", Opens::Page(known(), &PAGE)), entry("memory", Opens::Place(room()))]);
    press(&mut app, KeyCode::Down);
    assert!(matches!(&press(&mut app, KeyCode::Enter)[..], [Effect::List { place, .. }] if *place == room()));
    listed(&mut app, vec![row("n1", "one")]);
    assert!(press(&mut app, KeyCode::Enter).is_empty(), "a record is read");
    assert!(matches!(app.mode, Mode::Read));
    press(&mut app, KeyCode::Esc);
    assert!(matches!(app.mode, Mode::List));
    assert!(matches!(&press(&mut app, KeyCode::Esc)[..], [Effect::List { place: Place::Repo(_), .. }]));
    assert_eq!(app.level.selected, 1, "a list is as it was left");
    assert!(matches!(&press(&mut app, KeyCode::Esc)[..], [Effect::List { place: Place::Home, .. }]));
    assert!(matches!(&press(&mut app, KeyCode::Esc)[..], [Effect::Leave(Left::Back)]));
    assert!(matches!(&press(&mut app, KeyCode::Char('q'))[..], [Effect::Leave(Left::Quit)]));
}

#[test]
fn a_search_asks_with_each_key_and_selects_the_best_match() {
    let mut app = in_room();
    press(&mut app, KeyCode::Down);
    press(&mut app, KeyCode::Char('/'));
    let effects = type_in(&mut app, "pn");
    assert!(matches!(&effects[..], [Effect::List { text, .. }] if text == "pn"), "{effects:?}");
    // The answer to an earlier question is not shown.
    let late = Event::Listed { place: room(), text: "p".to_owned(), rows: Vec::new(), fault: None };
    app.update(late);
    assert_eq!(app.level.rows.as_ref().map(Vec::len), Some(2));
    listed(&mut app, vec![row("n3", "npm"), row("n2", "Use pnpm")]);
    assert_eq!(app.selected().unwrap().id, "n3");
    press(&mut app, KeyCode::Enter);
    assert!(matches!(&press(&mut app, KeyCode::Esc)[..], [Effect::List { text, .. }] if text.is_empty()));
    assert!(screen(&app, 60, 20).contains("/ searches the room"));
}

#[test]
fn a_record_is_edited_in_a_form_and_forgotten_and_both_are_undone() {
    let mut app = in_room();
    assert!(matches!(&press(&mut app, KeyCode::Char('e'))[..], [Effect::Open(hit)] if hit.id == "n1"));
    let members = json!({"content": "old", "source": "manual", "tags": ["a"]});
    let members = members.as_object().unwrap().clone();
    app.update(Event::Opened { hit: hit("n1", "old"), schema: &KINDS[2].schema, members });
    let shown = screen(&app, 60, 12);
    assert!(shown.contains("Edit the note") && shown.contains("> content  old"), "{shown}");
    type_in(&mut app, "er");
    let effects = press(&mut app, KeyCode::Enter);
    let [Effect::Edit { wanted, is_forced: false, .. }] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(json!(wanted), json!({"content": "older"}));
    let step = |what: &str, entry: &str| Step {
        what: what.to_owned(),
        entries: vec![entry.to_owned()],
        hit: hit("n1", "old"),
        changed_at: None,
    };
    assert!(matches!(app.update(Event::Changed(step("changed note: old", "t1")))[..], [Effect::List { .. }]));
    assert!(screen(&app, 60, 12).contains("changed note: old; u undoes it"));
    assert!(matches!(&press(&mut app, KeyCode::Char('d'))[..], [Effect::Remove(hit)] if hit.id == "n1"));
    app.update(Event::Changed(step("forgot note: old", "t2")));
    for entry in ["t2", "t1"] {
        let effects = press(&mut app, KeyCode::Char('u'));
        assert!(matches!(&effects[..], [Effect::Undo(step)] if step.entries == [entry]), "{effects:?}");
    }
    assert!(press(&mut app, KeyCode::Char('u')).is_empty());
}

#[test]
fn a_page_is_made_for_what_is_typed() {
    let mut app = App::new(vec![Place::Repo(known())], "", now());
    listed(&mut app, vec![entry("page", Opens::Page(known(), &PAGE))]);
    assert!(matches!(&press(&mut app, KeyCode::Enter)[..], [Effect::Show { prompt, .. }] if prompt.is_empty()));
    type_in(&mut app, "ports");
    assert!(matches!(&press(&mut app, KeyCode::Enter)[..], [Effect::Show { prompt, .. }] if prompt == "ports"));
    let about = vec![
        (Mark::Entry, "notes: 1 record in 20 characters".to_owned()),
        (Mark::Reason, "left out for lack of space: n2".to_owned()),
    ];
    app.update(Event::Shown(Shown { about, text: "# Notes\n\nPort \u{1b}8443".to_owned() }));
    let expected = "\
repository  /home/me/shop (main)                     1 entry
Prompt: ports
────────────────────────────────────────────────────────────
notes: 1 record in 20 characters
left out for lack of space: n2
19 characters:
# Notes

Port \u{fffd}8443

Enter show  Esc back  Up Down scroll
";
    assert_screen(&screen(&app, 60, 11), expected);
}

#[test]
fn every_screen_fits_every_window_and_has_colours_only_if_they_are_wanted() {
    for (width, height) in [(1, 1), (39, 20), (40, 10), (60, 20), (89, 11), (90, 24), (300, 100)] {
        for key in ['e', '/', '?', 'x'] {
            let mut app = in_room();
            press(&mut app, KeyCode::Char(key));
            let terminal = draw(&app, width, height, false);
            let is_plain = |cell: &ratatui_core::buffer::Cell| cell.fg == Color::Reset && cell.bg == Color::Reset;
            assert!(terminal.backend().buffer().content.iter().all(is_plain), "{key}");
            let terminal = draw(&app, width, height, true);
            let is_coloured = !terminal.backend().buffer().content.iter().all(is_plain);
            assert_eq!(is_coloured, width >= 40 && height >= 10, "{key} at {width}x{height}");
        }
    }
}

#[test]
fn a_refused_form_keeps_what_was_typed_and_can_be_stored_redacted() {
    let mut app = in_room();
    let members = Members::from_iter([("content".to_owned(), "old".into())]);
    app.update(Event::Opened { hit: hit("n1", "old"), schema: &KINDS[2].schema, members });
    type_in(&mut app, "er");
    let redact = KeyEvent::new(KeyCode::Char('r'), KeyModifiers::CONTROL);
    assert!(app.update(Event::Input(Input::Key(redact))).is_empty(), "nothing was refused yet");
    app.update(Event::Failed {
        message: "content looks like a secret".to_owned(),
        is_secret: true,
        is_stale: false,
        is_kept: false,
    });
    assert!(app.status.text.ends_with("; Ctrl-R stores it redacted"), "{}", app.status.text);
    let effects = app.update(Event::Input(Input::Key(redact)));
    assert!(matches!(&effects[..], [Effect::Edit { is_forced: true, .. }]), "{effects:?}");
}
