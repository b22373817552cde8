//! `browse` in a pseudo-terminal: from the home into repositories, rooms and records, and what is stored afterwards.

use serde_json::Value;

use crate::Sandbox;
use crate::live::{ESC, Live, assert_given_back, repository};

const BROWSE: &str =
    "before=$(stty -g); loopmem browse; echo \"status $?\"; test \"$before\" = \"$(stty -g)\" && echo the same";

fn notes(sandbox: &Sandbox) -> Vec<String> {
    let notes: Vec<Value> = serde_json::from_value(sandbox.json("loopmem memory list --kind note")).unwrap();
    notes.iter().map(|note| note["record"]["content"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn records_are_found_as_one_types_edited_forgotten_and_brought_back() {
    let Some(terminal) = repository() else { return };
    let sandbox = &terminal.sandbox;
    sandbox.run("loopmem memory add note The staging server is down on Fridays.", "");
    sandbox.run("echo staging > staging.txt", "");
    sandbox.run("loopmem memory add convention --title Packages 'Use pnpm.' --tag build", "");
    let mut live = Live::start(sandbox, BROWSE, 60, 20);
    live.wait_for_all(&["> context", "memory   1 convention, 1 note"]);
    // A word that is not complete yet finds what has it.
    live.type_in("/stag");
    live.wait_for_all(&["/ stag", "> note  The staging server", "1 record\n"]);
    live.type_in("\re\x1b[F!\r");
    live.wait_for_all(&["changed note: The staging server", "Fridays.!"]);
    assert_eq!(notes(sandbox), ["The staging server is down on Fridays.!"]);
    live.type_in("d");
    live.wait_for_all(&["forgot note: The staging", "Nothing matches."]);
    assert_eq!(notes(sandbox), [""; 0]);
    assert!(!sandbox.run("find ../home", "").contains("index"), "files are not searched");
    live.type_in("u");
    live.wait_for_all(&["undone: forgot note", "> note"]);
    live.type_in("u");
    live.wait_for("undone: changed note");
    assert_eq!(notes(sandbox), ["The staging server is down on Fridays."]);
    live.type_in("q");
    assert_given_back(&live.end(), "0");
}

#[test]
fn the_way_goes_from_the_home_to_a_record_and_back() {
    let Some(terminal) = repository() else { return };
    let sandbox = &terminal.sandbox;
    sandbox
        .run("loopmem memory add decision --summary 'Money is integers' 'Floats lose cents.' --path src/money.rs", "");
    sandbox.run("loopmem working set job-1 phase=plan", "");
    sandbox
        .run("mkdir ../other && cd ../other && git init -q . && loopmem memory add note 'Of another repository.'", "");
    let mut live = Live::start(sandbox, &format!("NO_COLOR=1; export NO_COLOR; {BROWSE}"), 60, 20);
    live.wait_for("memory   1 decision");
    live.type_in(ESC);
    live.wait_for_all(&["home", "3 entries", "outside repositories", "other"]);
    live.type_in("/another rep");
    live.wait_for_all(&["> note  Of another repository.", "1 record\n"]);
    live.type_in("\r\r");
    live.wait_for_all(&["d forget", "other"]);
    live.type_in(ESC);
    live.wait_for("> note");
    live.type_in(ESC);
    live.wait_for("3 entries");
    live.type_in("G\r");
    live.wait_for_all(&["outside repositories", "> context  job-1: phase: \"plan\""]);
    live.type_in(ESC);
    live.wait_for("3 entries");
    live.type_in("\x03");
    let raw = live.end();
    assert_given_back(&raw, "0");
    assert!(!raw.contains("38;5") && !raw.contains("\x1b[31m"), "there are no colours");
}

#[test]
fn a_pack_says_what_it_leaves_out_and_a_prompt_what_it_recalls_and_why() {
    let Some(terminal) = repository() else { return };
    let sandbox = &terminal.sandbox;
    sandbox.run("for n in $(seq 1 9); do head -c 1200 /dev/zero | tr '\\0' x | loopmem memory add note --tag t$n > /dev/null; done", "");
    sandbox.run("loopmem items add The proxy listens on port 8443. --type fact", "");
    let mut live = Live::start(sandbox, BROWSE, 100, 30);
    live.wait_for_all(&["> context", "items"]);
    live.type_in("\r");
    live.wait_for_all(&["left out for lack of space", "characters:", "# Notes"]);
    live.type_in(ESC);
    live.wait_for("> context");
    live.type_in("j\r");
    live.wait_for("Type a prompt");
    live.type_in("Which port?\r");
    live.wait_for_all(&["recalled 1 of 1 item", "1. fact The proxy listens", "words: port"]);
    live.type_in(ESC);
    live.wait_for("> recall");
    // The room of items has a browser of its own, from which the way leads back.
    live.type_in("jj\r");
    live.wait_for_all(&["scope all", "> fact  The proxy"]);
    live.type_in("d");
    live.wait_for("Forgot fact: The proxy listens on port 8443.; u undoes it");
    live.type_in("u");
    live.wait_for("undone: the item is back");
    live.type_in("q");
    live.wait_for_all(&["repository", "> items"]);
    live.type_in("q");
    assert_given_back(&live.end(), "0");
}

#[test]
fn what_others_have_changed_since_is_not_undone() {
    let Some(terminal) = repository() else { return };
    let sandbox = &terminal.sandbox;
    sandbox.run("loopmem memory add note one --id n1", "");
    sandbox.editor("sed -i 's/^one$/by hand/' \"$1\"");
    let mut live = Live::start(sandbox, BROWSE, 60, 20);
    live.wait_for("memory   1 note");
    live.type_in("jj\r");
    live.wait_for("> note  one");
    live.type_in("E");
    live.wait_for_all(&["changed note: one; u undoes it", "> note  by hand"]);
    sandbox.run("loopmem memory edit n1 --content theirs", "");
    live.type_in("u");
    live.wait_for_all(&["! not undone (changed note: one): another program has", "> note  theirs"]);
    live.type_in("q");
    assert_given_back(&live.end(), "0");
    assert_eq!(notes(sandbox), ["theirs"]);
    assert_eq!(sandbox.left_behind(), Vec::<std::path::PathBuf>::new());
}

#[test]
fn a_removed_record_is_brought_back_and_a_secret_is_not_stored() {
    let Some(terminal) = repository() else { return };
    let sandbox = &terminal.sandbox;
    sandbox.run(
        "loopmem memory add note one --id n1; loopmem memory rm n1 --yes; loopmem memory add note two --id n2",
        "",
    );
    let mut live = Live::start(sandbox, BROWSE, 60, 20);
    live.wait_for_all(&["removed", "1 record that can be restored"]);
    live.type_in("G\r");
    live.wait_for_all(&["> note  one", "removed  "]);
    // Enter shows it and changes nothing.
    live.type_in("\r");
    live.wait_for("b restore");
    live.type_in("b");
    live.wait_for("restored note: one");
    live.type_in(ESC);
    live.wait_for("> items");
    live.type_in("gjj\r");
    live.wait_for_all(&["note  one", "> note  two"]);
    let token = concat!("ghp_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");
    live.type_in(&format!("e {token}\r"));
    live.wait_for("[REDACTED:");
    live.type_in("q");
    assert_given_back(&live.end(), "0");
    let stored = notes(sandbox).join(" ");
    assert!(!stored.contains(token) && stored.contains("two [REDACTED:"), "{stored}");
}

#[test]
fn what_others_did_while_the_editor_was_open_is_not_undone() {
    let Some(terminal) = repository() else { return };
    let sandbox = &terminal.sandbox;
    sandbox.run("loopmem memory add note one --id n1; loopmem memory add note two --id n2", "");
    sandbox.run("loopmem memory add note three --id n3", "");
    sandbox.editor(
        "loopmem memory edit n2 --content theirs > /dev/null; loopmem memory rm n3 --yes > /dev/null; \
         sed -i 's/^one$/by hand/' \"$1\"",
    );
    let mut live = Live::start(sandbox, BROWSE, 60, 20);
    live.wait_for("memory   3 notes");
    // What is typed at once acts on what matches, not on the list before.
    live.type_in("jj\r/one\rE");
    live.wait_for_all(&["changed note: one; u undoes it", "Nothing matches."]);
    live.type_in("u");
    live.wait_for_all(&["undone: changed note: one", "> note  one"]);
    live.type_in("q");
    assert_given_back(&live.end(), "0");
    assert_eq!(notes(sandbox), ["one", "theirs"]);
}

#[test]
fn records_with_the_same_id_in_two_repositories_are_two() {
    let Some(terminal) = repository() else { return };
    let sandbox = &terminal.sandbox;
    sandbox.run("loopmem memory add convention --id pnpm --title Here 'Use pnpm here.'", "");
    let there = "mkdir ../other && cd ../other && git init -q . && loopmem memory add convention --id pnpm --title There 'Use pnpm there.'";
    sandbox.run(there, "");
    let mut live = Live::start(sandbox, BROWSE, 100, 20);
    live.wait_for("memory   1 convention");
    live.type_in(ESC);
    live.wait_for("2 entries");
    live.type_in("/pnpm\r");
    live.wait_for_all(&["Here: Use pnpm here.", "There: Use pnpm there.", "2 records"]);
    // The newest comes first or second; the one of the other repository is forgotten after a reload.
    let screen = live.wait_for("> convention");
    if screen.contains("> convention  Here") {
        live.type_in("j");
    }
    live.wait_for("> convention  There");
    live.type_in("r");
    live.type_in("d");
    live.wait_for_all(&["forgot convention: There", "> convention  Here"]);
    live.type_in("q");
    assert_given_back(&live.end(), "0");
    assert_eq!(sandbox.json("loopmem memory list").as_array().unwrap().len(), 1);
    assert_eq!(sandbox.run("cd ../other && loopmem memory list", ""), "");
}

#[test]
fn one_summary_of_a_step_is_forgotten_and_a_context_is_not() {
    let Some(terminal) = repository() else { return };
    let sandbox = &terminal.sandbox;
    sandbox.run("loopmem summary add --run r --step s take one; loopmem summary add --run r --step s take two", "");
    sandbox.run("loopmem working set job phase=plan", "");
    let mut live = Live::start(sandbox, BROWSE, 60, 20);
    live.wait_for("summary  2 summaries");
    live.type_in("/take\r");
    live.wait_for("2 records");
    live.type_in("d");
    live.wait_for_all(&["forgot summary: take", "1 record"]);
    assert_eq!(sandbox.run("loopmem summary list", "").lines().count(), 1);
    live.type_in("u");
    live.wait_for_all(&["undone: forgot summary", "2 records"]);
    live.type_in(ESC);
    live.wait_for("> context");
    live.type_in(ESC);
    live.wait_for("home");
    live.type_in("/phase\rd");
    live.wait_for("is deleted with its scope");
    live.type_in("q");
    assert_given_back(&live.end(), "0");
    assert_eq!(sandbox.json("loopmem working show job")["phase"], "plan");
}

#[test]
fn another_repository_shows_what_it_shows_there() {
    let Some(terminal) = repository() else { return };
    let sandbox = &terminal.sandbox;
    sandbox.run("loopmem items add The proxy of the shop listens on 8443. --type fact --scope repo", "");
    sandbox.run("loopmem memory add note here", "");
    let there = "mkdir ../web && cd ../web && git init -q . && loopmem memory add note 'of the web' && \
                 loopmem items add The proxy of the web listens on 9000. --type fact --scope repo";
    sandbox.run(there, "");
    let mut live = Live::start(sandbox, BROWSE, 100, 24);
    live.wait_for("> context");
    live.type_in(ESC);
    live.wait_for_all(&["web", "2 entries"]);
    let screen = live.wait_for("> ");
    let at = screen.lines().find(|line| line.starts_with("> ")).unwrap().to_owned();
    if !at.contains("web") {
        live.type_in(if screen.find("web").unwrap() > screen.find("> ").unwrap() { "j" } else { "k" });
    }
    live.type_in("\r");
    live.wait_for_all(&["repository", "/web", "> context"]);
    live.type_in("j\r");
    live.wait_for("Type a prompt");
    live.type_in("Which port has the proxy?\r");
    let shown = live.wait_for("recalled 1 of 1 item");
    assert!(shown.contains("9000") && !shown.contains("8443"), "{shown}");
    live.type_in("\x03");
    assert_given_back(&live.end(), "0");
}

#[test]
fn without_a_terminal_it_says_what_else_there_is() {
    let Some(terminal) = repository() else { return };
    for line in [
        "loopmem browse | cat; exit 2",
        "loopmem browse < /dev/null",
        "loopmem --json browse",
        "TERM=dumb loopmem browse",
    ] {
        let (shown, status) = terminal.start(line, "");
        assert!(shown.contains("`browse` needs a terminal") && !shown.contains("\x1b[?1049h"), "{line}: {shown}");
        assert_eq!(status, 2, "{line}");
    }
}
