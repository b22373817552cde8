//! Records written and changed in an editor: private, never lost, and never over somebody else's work.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::{Person, Terminal, text};

/// In two pieces, so that no scanner trips over this file.
const TOKEN: &str = concat!("ghp_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");

#[test]
fn a_record_is_written_in_the_editor_and_its_file_is_private_and_gone() {
    let Some(terminal) = Terminal::of(Person::new()) else { return };
    let person = &terminal.person;
    let seen = person.folder.path().join("seen");
    person.editor(&format!(
        "stat -c %a \"$(dirname \"$1\")\" \"$1\" > {0}; cat \"$1\" >> {0}; test -t 1 && echo terminal >> {0}\n\
         sed -i 's/^title = .*/title = \"By \\\\\"hand\\\\\"\"/' \"$1\"; printf '\\n  indented\\nbody\\n\\n\\n' >> \"$1\"",
        seen.display()
    ));
    let shown = terminal.run("NO_COLOR=1 loopmem memory add convention --id c --tag t", "");
    assert_eq!(shown, "Stored convention c: By \"hand\"\n");
    let convention = &person.json("loopmem memory get")["conventions"][0];
    assert_eq!(convention["content"], "  indented\nbody");
    assert_eq!(convention["tags"], json!(["t"]));
    let seen = fs::read_to_string(seen).unwrap();
    assert!(seen.starts_with("700\n600\n+++\n# A convention: how this repository does things."), "{seen}");
    assert!(seen.contains("title = \"\"\ntags = [\"t\"]\n+++\n") && seen.ends_with("terminal\n"), "{seen}");
    assert_eq!(person.left_behind(), Vec::<PathBuf>::new());

    // Through a pipe only the id goes, and the editor has the screen all the same.
    person.editor("test -t 1 && echo from the editor >> \"$1\"");
    let shown = terminal.run("loopmem memory add note --id n > id; echo \"<$(cat id)>\"", "");
    assert!(shown.ends_with("<n>\n"), "{shown}");
    assert_eq!(person.json("loopmem memory get")["notes"][0]["content"], "from the editor");
}

#[test]
fn visual_comes_before_editor_and_may_have_options() {
    let Some(terminal) = Terminal::of(Person::new()) else { return };
    terminal.person.editor("echo \"$#: $1\" >> \"$2\"");
    let shown = terminal.run("VISUAL=\"$EDITOR 'an option'\" EDITOR=false NO_COLOR=1 loopmem memory add note", "");
    assert!(shown.ends_with(": 2: an option\n"), "{shown}");
}

#[test]
fn what_was_not_written_is_not_stored() {
    let Some(terminal) = Terminal::of(Person::new()) else { return };
    let person = &terminal.person;
    person.run("loopmem memory add note --id n text", "");
    let before = person.run("loopmem memory get", "");
    for (editor, command, status, told) in [
        ("true", "memory add note", 1, "nothing was written, so nothing is stored"),
        ("true", "summary add --run r --step s", 1, "nothing was written, so nothing is stored"),
        ("exit 3", "memory add note", 1, "the editor ended with exit status: 3; set $EDITOR"),
        ("true", "memory edit n", 0, "loopmem: nothing changed"),
        ("echo >> \"$1\"; echo >> \"$1\"", "memory edit n", 0, "loopmem: nothing changed"),
        ("exit 3", "memory edit n", 1, "the editor ended with"),
    ] {
        person.editor(editor);
        let (shown, code) = terminal.start(&format!("NO_COLOR=1 loopmem {command}"), "");
        assert!(shown.contains(told) && code == status, "{editor}, {command}: {code} {shown}");
        assert_eq!(person.left_behind(), Vec::<PathBuf>::new(), "{editor}, {command}");
    }
    let (shown, code) = terminal.start("EDITOR=/nowhere/editor loopmem memory edit n", "");
    assert!(shown.contains("the editor ended with exit status: 127") && code == 1, "{shown}");
    assert_eq!(person.run("loopmem memory get", ""), before);
}

#[test]
fn an_interrupt_in_the_editor_is_the_editors() {
    let Some(terminal) = Terminal::of(Person::new()) else { return };
    terminal.person.editor("trap : INT; kill -INT 0; echo text >> \"$1\"");
    let shown = terminal.run("trap : INT; NO_COLOR=1 loopmem memory add note --id n", "");
    assert_eq!(shown, "Stored note n: text\n");
    assert_eq!(terminal.person.left_behind(), Vec::<PathBuf>::new());
}

#[test]
fn an_edit_changes_what_was_edited_and_nothing_else() {
    let Some(terminal) = Terminal::of(Person::new()) else { return };
    let person = &terminal.person;
    person.run("loopmem memory upsert-convention --convention '{\"id\":\"c\",\"title\":\"t\",\"content\":\"old\",\"owner\":7}'", "");
    // While the editor is open somebody else changes another field.
    person.editor("loopmem memory edit c --tag new > /dev/null; sed -i 's/^old$/edited/' \"$1\"");
    let shown = terminal.run("NO_COLOR=1 loopmem memory edit c", "");
    assert_eq!(shown, "Changed convention c: t\n");
    let expected = json!({"title": "t", "content": "edited", "tags": ["new"], "owner": 7});
    let stored = person.json("loopmem memory show c")["record"].clone();
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&stored[key], value, "{key}");
    }

    person.run("loopmem memory edit c --title title --tag a --tag b", "");
    person.run("loopmem memory edit c", "a new body\n");
    person.run("loopmem memory edit c", "+++\ntags = []\n+++\n\na new body\n");
    let stored = person.json("loopmem memory show c")["record"].clone();
    assert_eq!(
        (&stored["title"], &stored["content"], &stored["tags"]),
        (&json!("title"), &json!("a new body"), &json!([]))
    );
    let unchanged = person.start("loopmem memory edit c --title title", "");
    assert_eq!(
        (text(&unchanged.stdout), text(&unchanged.stderr)),
        ("c\n".to_owned(), "loopmem: nothing changed\n".to_owned())
    );
    assert_eq!(person.json("loopmem --json memory edit c --title title"), stored);
}

#[test]
fn an_edit_never_overwrites_what_somebody_else_changed_in_the_meantime() {
    let Some(terminal) = Terminal::of(Person::new()) else { return };
    let person = &terminal.person;
    for (meanwhile, told) in [("edit c --content theirs", "somebody else changed"), ("rm c", "somebody else removed")] {
        person.run("loopmem memory add convention --id c --title t old", "");
        person.editor(&format!("loopmem memory {meanwhile} < /dev/null > /dev/null; sed -i 's/^old$/mine/' \"$1\""));
        let (shown, status) = terminal.start("NO_COLOR=1 loopmem memory edit c", "n\n");
        assert!(shown.contains(told) && shown.contains("your text is kept in ") && status == 1, "{shown}");
        let [kept] = &person.left_behind()[..] else { panic!("{shown}") };
        assert!(fs::read_to_string(kept).unwrap().contains("mine"));
        fs::remove_dir_all(kept.parent().unwrap()).unwrap();
        let left = person.run("loopmem memory get", "");
        assert!(!left.contains("mine") && left.contains("theirs") == meanwhile.starts_with("edit"), "{left}");
        person.start("loopmem memory rm c", "");
    }
}

#[test]
fn a_mistake_can_be_mended_and_its_text_is_never_lost() {
    let Some(terminal) = Terminal::of(Person::new()) else { return };
    let person = &terminal.person;
    person.run("loopmem memory add convention --id c --title t body", "");
    // The first time it breaks the header, the second time it mends it.
    person.editor("if grep -q hunter2 \"$1\"; then sed -i 's/hunter2/[\"mended\"]/' \"$1\"; else sed -i 's/^tags.*/tags = hunter2/' \"$1\"; fi");
    let (shown, status) = terminal.start("NO_COLOR=1 loopmem memory edit c", "y\n");
    assert!(shown.contains("loopmem: line 5: this is no TOML") && shown.contains("Edit it again? [Y/n]"), "{shown}");
    assert!(shown.ends_with("Changed convention c: t\n") && status == 0, "{shown}");
    assert_eq!(person.json("loopmem memory show c")["record"]["tags"], json!(["mended"]));
    assert_eq!(person.left_behind(), Vec::<PathBuf>::new());

    // What the core refuses is a mistake like any other. No answer is no.
    person.editor("sed -i 's/^title.*/title = \" \"/; s/^body$/a longer body/' \"$1\"");
    let (shown, status) = terminal.start("NO_COLOR=1 loopmem memory edit c", "\x04");
    assert!(shown.contains("must not be empty") && status == 1, "{shown}");
    let [kept] = &person.left_behind()[..] else { panic!("{shown}") };
    assert!(shown.contains(&format!("run the command again with `< {}`", kept.display())), "{shown}");
    let mended = fs::read_to_string(kept).unwrap().replace("\" \"", "\"mended\"");
    fs::write(kept, mended).unwrap();
    person.run(&format!("loopmem memory edit c < {}", kept.display()), "");
    let record = person.json("loopmem memory show c")["record"].clone();
    assert_eq!((&record["title"], &record["content"]), (&json!("mended"), &json!("a longer body")));
}

#[test]
fn no_secret_is_shown_again() {
    let Some(terminal) = Terminal::of(Person::new()) else { return };
    let person = &terminal.person;
    person.editor(&format!("echo 'push with {TOKEN}' >> \"$1\""));
    let shown = terminal.run("NO_COLOR=1 loopmem memory add note --id n", "");
    let told = "loopmem: what looks like a secret was redacted\n";
    let placeholder =
        shown.strip_prefix(&format!("{told}Stored note n: push with ")).unwrap_or_else(|| panic!("{shown}"));
    assert!(placeholder.starts_with("[REDACTED:github-") && placeholder.ends_with("]\n"), "{shown}");
    person.editor("sed -i s/push/pull/ \"$1\"");
    let shown = terminal.run("NO_COLOR=1 loopmem memory edit n", "");
    assert_eq!(shown, format!("Changed note n: pull with {placeholder}"), "it was redacted before");

    person.editor(&format!("sed -i 's/^source.*/source = {TOKEN}/' \"$1\""));
    let (mistake, _) = terminal.start("loopmem memory edit n", "n\n");
    assert!(mistake.contains("this is no TOML"), "{mistake}");
    let mut told = vec![mistake];
    for command in [
        format!("memory show {TOKEN}"),
        format!("memory add note --id {TOKEN} text"),
        format!("memory rm {TOKEN}"),
        format!("summary add --run {TOKEN} --step s text"),
        format!("--json memory show {TOKEN}"),
    ] {
        let output = person.start(&format!("loopmem {command}"), "");
        assert_eq!(output.status.code(), Some(1), "{command}");
        told.push(text(&output.stderr));
    }
    for told in told {
        assert!(!told.contains(TOKEN), "{told}");
    }
}
