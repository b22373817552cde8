//! Texts that are longer than their place: the item, the help and what is recalled. Also windows without any place.

use ratatui_crossterm::crossterm::event::KeyCode;
use serde_json::json;

use super::super::app::{App, Mode};
use super::super::event::{Effect, Event};
use super::super::help::KEYS;
use super::{browser, control, listed, noted_screen, press, proxy, screen, type_in};
use crate::human::tui::{Input, Left};

/// Everything that is shown while a key is pressed until it changes nothing any more.
fn read_to_the_end(app: &mut App, key: KeyCode, width: u16, height: u16) -> String {
    let mut all = noted_screen(app, width, height);
    for _ in 0..200 {
        press(app, key);
        let next = noted_screen(app, width, height);
        if all.ends_with(&next) {
            return all;
        }
        all.push_str(&next);
    }
    panic!("it is scrolled without an end: {all}");
}

#[test]
fn an_item_can_be_read_to_its_end_in_a_small_window() {
    let mut app = browser();
    let mut long = proxy();
    let words: Vec<String> = (0..60).map(|number| format!("word{number}")).collect();
    long["content"] = json!(words.join(" "));
    long["zebra"] = json!({"n": 7});
    long["seq"] = json!(5);
    for (width, height) in [(40, 10), (60, 20), (100, 12)] {
        listed(&mut app, &[]);
        listed(&mut app, &[long.clone()]);
        let all = read_to_the_end(&mut app, KeyCode::Char('J'), width, height);
        for part in ["word59", "net, ops", "deploy/proxy.conf", "3 times", "seq        5", "zebra      {\"n\":7}"] {
            assert!(all.contains(part), "{width}x{height}: {part} is missing in {all}");
        }
        let at_the_end = noted_screen(&mut app, width, height);
        press(&mut app, KeyCode::Char('K'));
        assert_ne!(noted_screen(&mut app, width, height), at_the_end, "one key goes back at once");
    }
    assert!(screen(&app, 60, 20).contains("J K scroll"), "{}", screen(&app, 60, 20));
}

#[test]
fn another_item_is_shown_from_its_beginning() {
    let mut app = browser();
    let mut long = proxy();
    long["content"] = json!("line\n".repeat(30));
    let mut other = long.clone();
    other["id"] = json!("other");
    listed(&mut app, &[long, other]);
    noted_screen(&mut app, 60, 20);
    press(&mut app, KeyCode::Char('J'));
    assert!(noted_screen(&mut app, 60, 20).contains("lines 2-"));
    press(&mut app, KeyCode::Char('j'));
    assert!(noted_screen(&mut app, 60, 20).contains("lines 1-"));
}

#[test]
fn the_help_is_complete_in_the_smallest_window() {
    let mut app = browser();
    press(&mut app, KeyCode::Char('?'));
    let all = read_to_the_end(&mut app, KeyCode::Down, 40, 10);
    for key in KEYS {
        let last = key.about.rsplit(' ').next().unwrap();
        assert!(all.contains(&format!("\n{} ", key.key)) && all.contains(last), "{}: {all}", key.key);
    }
    assert!(!all.lines().any(|line| line.contains('…') && !line.starts_with("items")), "{all}");
    press(&mut app, KeyCode::Char('q'));
    assert!(matches!(app.mode, Mode::List));
}

#[test]
fn what_is_recalled_is_scrolled_to_its_end_and_no_further() {
    let mut app = browser();
    press(&mut app, KeyCode::Char('p'));
    type_in(&mut app, "x");
    let lines: Vec<String> = (0..40).map(|number| format!("line {number}.")).collect();
    let recall = json!({"standing": [], "standingDropped": 0, "untrusted": 0, "preamble": lines.join("\n"), "items": [], "considered": 2, "dropped": 1});
    app.update(Event::Recalled(serde_json::from_value(recall).unwrap()));
    let all = read_to_the_end(&mut app, KeyCode::Down, 60, 12);
    assert!(lines.iter().all(|line| all.contains(line)), "{all}");
    press(&mut app, KeyCode::PageDown);
    assert!(noted_screen(&mut app, 60, 12).contains("line 39."));
    press(&mut app, KeyCode::Up);
    assert!(noted_screen(&mut app, 60, 12).contains("line 38.") && !screen(&app, 60, 12).contains("line 39."));
    assert!(all.contains("recalled 0 of 2 items; 1 more matched but exceeds the limit"), "{all}");
}

#[test]
fn a_window_that_is_too_small_takes_no_key_but_ctrl_c() {
    for key in ['/', 'a', 'p', '?', 'j'] {
        let mut app = browser();
        press(&mut app, KeyCode::Char(key));
        let before = format!("{:?}{}", app.mode, app.selected);
        let shown = noted_screen(&mut app, 38, 8);
        assert!(shown.replace('\n', " ").contains("at least 40x10; it is 38x8. Ctrl-C quits."), "{shown}");
        for key in [KeyCode::Char('q'), KeyCode::Char('x'), KeyCode::Esc, KeyCode::Enter, KeyCode::Down] {
            assert!(press(&mut app, key).is_empty());
        }
        assert!(app.update(Event::Input(Input::Paste("pasted".to_owned()))).is_empty());
        assert_eq!(format!("{:?}{}", app.mode, app.selected), before);
        assert!(matches!(&control(&mut app, 'c')[..], [Effect::Leave(Left::Quit)]));
        noted_screen(&mut app, 60, 20);
        press(&mut app, KeyCode::Esc);
        assert!(matches!(app.mode, Mode::List));
    }
}
