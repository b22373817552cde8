//! What the last line says: outcomes, warnings, and where a text was kept.

use ratatui_crossterm::crossterm::event::KeyCode;
use serde_json::json;

use super::super::event::{Effect, Event, Failure};
use super::super::history::{Change, Inverse};
use super::{browser, failure, item, press, proxy, screen};
use crate::human::tui::{Input, Left};

fn warned(app: &mut super::App, text: &str) {
    assert!(app.update(Event::Input(Input::Warned(text.to_owned()))).is_empty());
}

#[test]
fn a_warning_follows_the_outcome_and_is_said_once() {
    let mut app = browser();
    let stored = || Event::Stored { change: Change::Added, before: None, item: item(&proxy()) };
    app.update(stored());
    warned(&mut app, "warning: unknown key; ignored");
    let shown = screen(&app, 100, 20);
    assert!(shown.replace('\n', " ").contains("u undoes it; warning: unknown key; ignored"), "{shown}");
    assert!(!app.status.is_error && !shown.contains("! "), "{shown}");
    app.update(stored());
    warned(&mut app, "warning: unknown key; ignored");
    assert!(!screen(&app, 100, 20).contains("unknown key"), "it was said before");
    // What a call redacted is its outcome.
    for _ in 0..2 {
        app.update(stored());
        warned(&mut app, "redacted 1 secret in content (github-pat)");
        assert!(screen(&app, 100, 20).replace('\n', " ").contains("u undoes it; redacted 1 secret in content"));
    }
    app.update(Event::Failed(failure("no", false, false)));
    warned(&mut app, "warning: another one");
    assert_eq!(app.status.text, "no", "an error is not hidden");
    press(&mut app, KeyCode::Home);
    warned(&mut app, "warning: another one");
    assert_eq!(app.status.text, "warning: another one", "it was not said yet");
}

#[test]
fn where_a_text_was_kept_is_shown_until_it_is_dismissed() {
    let mut app = browser();
    let message = "the editor failed with exit status: 3; set $EDITOR to a working editor; your text is kept: continue \
                   with `loopmem items edit 019a1b2c-0000-7000-8000-000000000001 < /tmp/loopmem-abcdef/item.md`";
    app.update(Event::Failed(Failure { is_kept: true, ..failure(message, false, false) }));
    press(&mut app, KeyCode::Char('j'));
    let shown = screen(&app, 60, 20);
    assert!(shown.replace('\n', "").contains("/tmp/loopmem-abcdef/item.md`"), "{shown}");
    press(&mut app, KeyCode::Char('u'));
    assert!(screen(&app, 60, 20).contains("nothing to undo"));
    press(&mut app, KeyCode::Char('k'));
    assert!(screen(&app, 60, 20).contains("Esc hides this message"));
    assert!(press(&mut app, KeyCode::Esc).is_empty(), "the first Esc does not quit");
    assert!(!screen(&app, 60, 20).contains("the editor failed"));
    assert!(matches!(&press(&mut app, KeyCode::Esc)[..], [Effect::Leave(Left::Back)]));
}

#[test]
fn a_list_without_items_says_whether_their_status_is_why() {
    let mut app = browser();
    let none = |has_others| Event::Listed { items: Vec::new(), has_others };
    app.update(none(true));
    assert!(screen(&app, 60, 20).contains("No active items; press v to show archived ones."));
    press(&mut app, KeyCode::Char('v'));
    app.update(none(true));
    assert!(screen(&app, 60, 20).contains("No archived items; press v to show all."));
    press(&mut app, KeyCode::Char('t'));
    app.update(none(true));
    assert!(screen(&app, 60, 20).contains("No archived item matches; press v to show all."));
    app.update(none(false));
    assert!(screen(&app, 60, 20).contains("Nothing matches; press / to change the search."));
}

#[test]
fn a_status_that_is_set_already_is_no_change_to_undo() {
    let mut app = browser();
    let effects = app.update(Event::Unchanged);
    assert!(matches!(&effects[..], [Effect::List(_)]), "{effects:?}");
    assert_eq!(app.status.text, "nothing changed");
    assert!(press(&mut app, KeyCode::Char('u')).is_empty());
}

#[test]
fn undoing_an_edit_restores_what_it_changed_and_a_duration_as_a_time() {
    let mut app = browser();
    let mut before = proxy();
    before["expiry"] = json!("1d");
    let mut after = before.clone();
    after["content"] = json!("edited");
    let edited =
        |before: &_, after: &_| Event::Stored { change: Change::Edited, before: Some(item(before)), item: item(after) };
    let undo = |app: &mut super::App| match press(app, KeyCode::Char('u')).pop() {
        Some(Effect::Undo(step)) => step.inverse,
        other => panic!("{other:?}"),
    };
    app.update(edited(&before, &after));
    let Inverse::Edit(fields) = undo(&mut app) else { panic!() };
    assert_eq!(json!(fields), json!({"content": proxy()["content"]}));
    after["content"] = before["content"].clone();
    after["expiry"] = json!("2027-01-01T00:00:00.000Z");
    app.update(edited(&before, &after));
    let Inverse::Edit(fields) = undo(&mut app) else { panic!() };
    assert_eq!(json!(fields), json!({"expiry": "2026-06-14T12:00:00.000Z"}));
}

#[test]
fn esc_hides_a_message_about_an_error_before_it_quits() {
    let mut app = browser();
    app.update(Event::Failed(failure("the editor failed", false, true)));
    assert!(press(&mut app, KeyCode::Esc).is_empty());
    assert_eq!(app.status.text, "");
    assert!(matches!(press(&mut app, KeyCode::Esc)[..], [Effect::Leave(Left::Back)]));
}

#[test]
fn what_another_program_changed_is_listed_again() {
    let mut app = browser();
    let stale = Failure { is_stale: true, ..failure("the item was changed concurrently", false, true) };
    assert!(matches!(app.update(Event::Failed(stale))[..], [Effect::List(_)]));
    assert!(app.update(Event::Failed(failure("the disk is full", false, false))).is_empty());
    assert_eq!(app.status.text, "the disk is full");
}
