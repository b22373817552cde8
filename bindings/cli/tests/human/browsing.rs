//! `items browse` in a pseudo-terminal: what is typed, what the screen then shows, and what is stored afterwards.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Sandbox;
use crate::live::{ESC, Live, MAX_WAIT, assert_given_back, repository};

/// Split so that no scanner reports this file.
const TOKEN: &str = concat!("ghp_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");

/// The browser, and afterwards whether the terminal is as it was before.
const BROWSE: &str = "before=$(stty -g); loopmem items browse; echo \"status $?\"; \
                      test \"$before\" = \"$(stty -g)\" && echo the same";

fn on_one_line(screen: &str) -> String {
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn contents(sandbox: &Sandbox) -> Vec<(String, String)> {
    let items: Vec<Value> = serde_json::from_value(sandbox.json("loopmem items list")).unwrap();
    let text = |item: &Value, key: &str| item[key].as_str().unwrap().to_owned();
    items.iter().map(|item| (text(item, "content"), text(item, "status"))).collect()
}

#[test]
fn items_are_searched_added_archived_and_undone() {
    let Some(terminal) = repository() else { return };
    let sandbox = &terminal.sandbox;
    sandbox.run("loopmem items add The proxy listens on port 8443. --type fact", "");
    sandbox.run("loopmem items add Answer in German --type pref", "");
    let mut live = Live::start(sandbox, BROWSE, 60, 20);
    live.wait_for("2 items");
    live.type_in("/proxy");
    let is_filtered = |screen: &str| ["1 item\n", "/ proxy", "> fact"].iter().all(|text| screen.contains(text));
    live.wait_until("one item", |screen| is_filtered(screen) && !screen.contains("German"));
    live.type_in(ESC);
    live.wait_for("2 items");

    live.type_in("aThe queue is on 5672\t\x1b[D\t\tnet, ops\r");
    live.wait_for_all(&["Stored profile: The queue is on 5672", "3 items", "> profile  The queue"]);
    live.type_in("e\x1b[F!\r");
    live.wait_for("Changed profile: The queue is on 5672!");
    live.type_in("x");
    live.wait_until("two items", |screen| screen.contains("Archived profile") && screen.contains("2 items"));
    assert_eq!(contents(sandbox)[2], ("The queue is on 5672!".to_owned(), "archived".to_owned()));

    live.type_in("u");
    live.wait_until("three items", |screen| screen.contains("active again") && screen.contains("3 items"));
    live.type_in("u");
    live.wait_for("undone: the item is as it was before the edit");
    assert_eq!(contents(sandbox)[2], ("The queue is on 5672".to_owned(), "active".to_owned()));
    live.type_in("u");
    live.wait_until("two items", |screen| screen.contains("the new item is removed") && screen.contains("2 items"));
    live.type_in("u");
    live.wait_for("nothing to undo");
    live.type_in("?");
    live.wait_for("Help: j k scroll, other keys go back");
    live.type_in("qq");
    assert_given_back(&live.end(), "0");
    let active = |content: &str| (content.to_owned(), "active".to_owned());
    assert_eq!(contents(sandbox), [active("The proxy listens on port 8443."), active("Answer in German")]);
}

#[test]
fn what_is_typed_is_stored_with_its_tags_and_a_secret_is_not() {
    let Some(terminal) = repository() else { return };
    let sandbox = &terminal.sandbox;
    let mut live = Live::start(sandbox, BROWSE, 100, 24);
    live.wait_for("No items here yet");
    live.type_in(&format!("apush with {TOKEN}\r"));
    live.wait_for_all(&["content looks like a secret (rule github-pat)", "Ctrl-R stores it redacted", "push with"]);
    assert_eq!(contents(sandbox), []);
    live.type_in("\x12");
    live.wait_until("what was redacted", |screen| {
        on_one_line(screen).contains("redacted 1 secret in content (github-pat)")
    });
    live.type_in("u");
    live.wait_for("the new item is removed");
    // A paste is a text, not keys, also where it has line breaks.
    live.type_in("a\x1b[200~uses q\rand 日本語\x1b[201~\t\t\x1b[C\x1b[C\t a,,b\r");
    live.wait_for("Stored note: uses q");
    live.type_in("q");
    let raw = live.end();
    assert_given_back(&raw, "0");
    let item = &sandbox.json("loopmem items list")[0];
    assert_eq!(
        (&item["content"], &item["tags"], &item["scope"]),
        (&json!("uses q\nand 日本語"), &json!(["a", "b"]), &json!("global"))
    );
    assert_eq!(sandbox.json("loopmem items stats")["items"], 1);
}

#[test]
fn a_prompt_shows_the_text_that_an_agent_gets() {
    let Some(terminal) = repository() else { return };
    let sandbox = &terminal.sandbox;
    sandbox.run("loopmem items add The proxy listens on port 8443. --type fact", "");
    let mut live = Live::start(sandbox, "NO_COLOR=1 loopmem items browse", 60, 20);
    live.wait_for("1 item");
    live.type_in("pWhich port?\r");
    live.wait_for_all(&["- \"The proxy listens on port 8443.\"", "recalled 1 of 1 item"]);
    live.type_in("\x15zebra\r");
    live.wait_for("no match among 1 item that can be recalled");
    live.type_in("\x03");
    let raw = live.end();
    // 0 resets, 1, 2 and 7 are bold, faint and reversed, 22 and 27 end them, 39 and 49 are the default colours.
    let numbers = raw.split("\x1b[").skip(1).filter_map(|rest| rest.split_once('m').map(|(numbers, _)| numbers));
    let styles: Vec<&str> = numbers.filter(|it| it.chars().all(|it| it.is_ascii_digit() || it == ';')).collect();
    for style in styles.iter().flat_map(|style| style.split(';')) {
        assert!(["", "0", "1", "2", "7", "22", "27", "39", "49", "59"].contains(&style), "{styles:?}");
    }
}

#[test]
fn the_editor_gets_the_terminal_and_gives_it_back() {
    let Some(terminal) = repository() else { return };
    let sandbox = &terminal.sandbox;
    sandbox.run("loopmem items add old --tag t", "");
    sandbox.editor("stty -a | grep -q ' icanon' && stty -a | grep -q ' echo ' && sed -i 's/^old$/by hand/' \"$1\"");
    let mut live = Live::start(sandbox, BROWSE, 60, 20);
    live.wait_for("1 item");
    live.type_in("E");
    live.wait_for("Changed note: by hand");
    sandbox.editor("echo a new one >> \"$1\"");
    live.type_in("A");
    live.wait_for("Stored note: a new one");
    sandbox.editor("exit 3");
    live.type_in("E");
    live.wait_for("! the editor failed with exit status: 3");
    // Nothing was written, so there is no text to continue with.
    live.type_in("uu");
    live.wait_for("as it was before the edit");
    live.type_in("q");
    assert_given_back(&live.end(), "0");
    assert_eq!(contents(sandbox), [("old".to_owned(), "active".to_owned())]);
    assert_eq!(sandbox.left_behind(), Vec::<PathBuf>::new());
}

#[test]
fn ctrl_c_in_the_editor_is_for_the_editor() {
    let Some(terminal) = repository() else { return };
    let sandbox = &terminal.sandbox;
    sandbox.run("loopmem items add old", "");
    // An editor that takes Ctrl-C as a key press, twice.
    sandbox.editor(
        "trap 'echo caught >> ../caught' INT; echo waiting; sleep 1; while [ \"$(wc -l < ../caught)\" -lt 2 ]; do sleep 0.1; \
         done; sed -i 's/^old$/by hand/' \"$1\"",
    );
    fs::write(sandbox.folder.path().join("caught"), "").unwrap();
    let line = BROWSE.replace("loopmem items browse", "sh -c 'echo $$ > ../pid; exec loopmem items browse'");
    // The shell gets Ctrl-C as well.
    let mut live = Live::start(sandbox, &format!("trap : INT; {line}"), 60, 20);
    live.wait_for("1 item");
    live.type_in("E");
    live.wait_for("waiting");
    for caught in 1..=2 {
        live.type_in("\x03");
        let deadline = Instant::now() + MAX_WAIT;
        while fs::read_to_string(sandbox.folder.path().join("caught")).unwrap().lines().count() < caught {
            assert!(Instant::now() < deadline, "the editor did not get Ctrl-C");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    live.wait_for("Changed note: by hand");
    // Afterwards, an interrupt ends the browser as before, and the terminal is given back.
    sandbox.run("kill -INT $(cat ../pid)", "");
    assert_given_back(&live.end(), "130");
    assert_eq!(contents(sandbox), [("by hand".to_owned(), "active".to_owned())]);
}

#[test]
fn a_text_that_the_editor_left_is_kept_with_the_command_that_stores_it() {
    let Some(terminal) = repository() else { return };
    let sandbox = &terminal.sandbox;
    sandbox.run("loopmem items import", r#"{"id":"an id","content":"old"}"#);
    sandbox.editor("sed -i 's/^old$/by hand/' \"$1\"; exit 3");
    let mut live = Live::start(sandbox, BROWSE, 100, 24);
    live.wait_for("1 item");
    live.type_in("E");
    live.wait_until("the message", |screen| on_one_line(screen).ends_with("Esc hides this message"));
    live.type_in("jk");
    let screen = live.wait_for_all(&["continue with `loopmem items edit 'an id' <", "Esc hides"]);
    let shown = on_one_line(&screen);
    let path = shown.split_once("'an id' < ").unwrap().1.split_once('`').unwrap().0;
    live.type_in(ESC);
    live.wait_until("no message", |screen| !screen.contains("continue with"));
    live.type_in("q");
    assert_given_back(&live.end(), "0");
    sandbox.run(&format!("loopmem items edit 'an id' < {path}"), "");
    assert_eq!(contents(sandbox)[0].0, "by hand");
}

#[test]
fn what_another_program_archived_is_not_undone() {
    let Some(terminal) = repository() else { return };
    let sandbox = &terminal.sandbox;
    sandbox.run("loopmem items import", r#"{"id":"i","content":"one"}"#);
    let mut live = Live::start(sandbox, BROWSE, 60, 20);
    live.wait_for("1 item");
    sandbox.run("loopmem items archive i", "");
    live.type_in("x");
    live.wait_for_all(&["No active items; press v to show archived ones.", "nothing changed"]);
    live.type_in("u");
    live.wait_for("nothing to undo");
    live.type_in("q");
    assert_given_back(&live.end(), "0");
    assert_eq!(contents(sandbox), [("one".to_owned(), "archived".to_owned())]);
}

#[test]
fn changes_of_others_are_neither_overwritten_nor_undone() {
    let Some(terminal) = repository() else { return };
    let sandbox = &terminal.sandbox;
    sandbox.run("loopmem items import", r#"{"id":"i","content":"old"}"#);
    let mut live = Live::start(sandbox, BROWSE, 60, 20);
    live.wait_for("1 item");
    live.type_in("e mine");
    live.wait_for("old mine");
    sandbox.run("loopmem items edit i --content theirs", "");
    live.type_in("\r");
    // What was typed is still there.
    live.wait_for_all(&["! the item was changed concurrently", "old mine"]);
    live.type_in(ESC);
    live.wait_for("> note");
    live.type_in("r");
    live.wait_for("> note  theirs");
    live.type_in("x");
    live.wait_for("Archived note: theirs");
    sandbox.run("loopmem items edit i --tag t", "");
    live.type_in("u");
    live.wait_for("! not undone: the item was changed by another program since");
    live.type_in("q");
    assert_given_back(&live.end(), "0");
    assert_eq!(contents(sandbox), [("theirs".to_owned(), "archived".to_owned())]);
}

#[test]
fn a_window_may_change_its_size() {
    let Some(terminal) = repository() else { return };
    let sandbox = &terminal.sandbox;
    sandbox.run("loopmem items add one", "");
    let mut live = Live::start(sandbox, BROWSE, 60, 20);
    live.wait_for("> note  one");
    let tty = fs::read_to_string(sandbox.folder.path().join("tty")).unwrap();
    sandbox.run(&format!("stty -F {} rows 8 cols 38", tty.trim()), "");
    live.wait_until("the smallest size", |screen| screen.contains("at least 40x10") && screen.contains("38x8"));
    sandbox.run(&format!("stty -F {} rows 20 cols 60", tty.trim()), "");
    live.wait_for("> note  one");
    live.type_in("q");
    assert_given_back(&live.end(), "0");
}

#[test]
fn a_signal_ends_the_browser_and_the_terminal_is_given_back() {
    let Some(terminal) = repository() else { return };
    let sandbox = &terminal.sandbox;
    for (signal, status) in [("TERM", "143"), ("HUP", "129"), ("INT", "130")] {
        let line = BROWSE.replace("loopmem items browse", "sh -c 'echo $$ > ../pid; exec loopmem items browse'");
        let live = Live::start(sandbox, &line, 60, 20);
        live.wait_for("No items here yet");
        sandbox.run(&format!("kill -{signal} $(cat ../pid)"), "");
        assert_given_back(&live.end(), status);
    }
}

#[test]
fn without_a_terminal_it_says_what_else_there_is() {
    let Some(terminal) = repository() else { return };
    for line in [
        "loopmem items browse | cat; exit 2",
        "loopmem items browse < /dev/null",
        "loopmem --json items browse",
        "TERM=dumb loopmem items browse",
    ] {
        let (shown, status) = terminal.start(line, "");
        assert!(shown.contains("`items browse` needs a terminal") && !shown.contains("\x1b[?1049h"), "{line}: {shown}");
        assert_eq!(status, 2, "{line}");
    }
}
