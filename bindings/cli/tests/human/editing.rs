//! Composing and changing records in an editor: the file is private, text is never lost, and no concurrent change is
//! overwritten.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::{Sandbox, Terminal, text};

/// Split so that no scanner reports this file.
const TOKEN: &str = concat!("ghp_", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");

#[test]
fn a_record_is_written_in_the_editor_and_its_file_is_private_and_gone() {
    let Some(terminal) = Terminal::of(Sandbox::new()) else { return };
    let sandbox = &terminal.sandbox;
    let seen = sandbox.folder.path().join("seen");
    sandbox.editor(&format!(
        "stat -c %a \"$(dirname \"$1\")\" \"$1\" > {0}; cat \"$1\" >> {0}; test -t 1 && echo terminal >> {0}\n\
         sed -i 's/^title = .*/title = \"By \\\\\"hand\\\\\"\"/' \"$1\"; printf '\\n  indented\\nbody\\n\\n\\n' >> \"$1\"",
        seen.display()
    ));
    let shown = terminal.run("NO_COLOR=1 loopmem memory add convention --id c --tag t", "");
    assert_eq!(shown, "Stored convention c: By \"hand\"\n");
    let convention = &sandbox.json("loopmem memory get")["conventions"][0];
    assert_eq!(convention["content"], "  indented\nbody");
    assert_eq!(convention["tags"], json!(["t"]));
    let seen = fs::read_to_string(seen).unwrap();
    assert!(seen.starts_with("700\n600\n+++\n# A convention: how this repository does things."), "{seen}");
    assert!(seen.contains("title = \"\"\ntags = [\"t\"]\n+++\n") && seen.ends_with("terminal\n"), "{seen}");
    assert_eq!(sandbox.left_behind(), Vec::<PathBuf>::new());

    // Only the id goes through the pipe, and the editor still has the terminal.
    sandbox.editor("test -t 1 && echo from the editor >> \"$1\"");
    let shown = terminal.run("loopmem memory add note --id n > id; echo \"<$(cat id)>\"", "");
    assert!(shown.ends_with("<n>\n"), "{shown}");
    assert_eq!(sandbox.json("loopmem memory get")["notes"][0]["content"], "from the editor");
}

#[test]
fn an_inherited_record_is_overridden_here_or_changed_where_it_is() {
    let Some(terminal) = Terminal::of(Sandbox::new()) else { return };
    let sandbox = &terminal.sandbox;
    sandbox.run("git init -q -b main && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first", "");
    sandbox.run("loopmem memory add convention --id pnpm --title 'Use pnpm' text", "");
    sandbox.run("git checkout -q -b feature", "");
    let shown = terminal.run("NO_COLOR=1 loopmem memory list", "");
    assert!(shown.contains("Use pnpm (from main)"), "{shown}");
    let shown = terminal.run("NO_COLOR=1 loopmem memory show pnpm", "");
    assert!(shown.contains("from main") && !shown.contains("inheritedFrom"), "{shown}");
    let (shown, status) = terminal.start("NO_COLOR=1 loopmem memory rm pnpm", "");
    assert!(shown.contains("is inherited from branch main") && !shown.contains("[y/N]"), "{shown}");
    assert_eq!(status, 1);
    let (shown, status) = terminal.start("NO_COLOR=1 loopmem memory rm pnpm --inherited", "n\n");
    assert!(shown.contains("Remove the convention pnpm (Use pnpm (from main))? ") && status == 1, "{shown}");

    sandbox.run("loopmem memory add convention --id pnpm --title 'Use npm' other", "");
    for change in ["edit pnpm --inherited --title x", "rm pnpm --inherited"] {
        let output = sandbox.start(&format!("loopmem memory {change}"), "");
        assert!(text(&output.stderr).contains("is this branch's own"), "{output:?}");
    }
    assert_eq!(sandbox.json("loopmem memory get")["conventions"][0]["title"], "Use npm");
    sandbox.run("loopmem memory rm pnpm && loopmem memory edit pnpm --inherited --title 'Use pnpm 10'", "");
    sandbox.run("git checkout -q main", "");
    assert_eq!(sandbox.json("loopmem memory get")["conventions"][0]["title"], "Use pnpm 10");
}

#[test]
fn visual_comes_before_editor_and_may_have_options() {
    let Some(terminal) = Terminal::of(Sandbox::new()) else { return };
    terminal.sandbox.editor("echo \"$#: $1\" >> \"$2\"");
    let shown = terminal.run("VISUAL=\"$EDITOR 'an option'\" EDITOR=false NO_COLOR=1 loopmem memory add note", "");
    assert!(shown.ends_with(": 2: an option\n"), "{shown}");
}

#[test]
fn nothing_is_stored_if_nothing_was_written() {
    let Some(terminal) = Terminal::of(Sandbox::new()) else { return };
    let sandbox = &terminal.sandbox;
    sandbox.run("loopmem memory add note --id n text", "");
    let before = sandbox.run("loopmem memory get", "");
    for (editor, command, status, expected) in [
        ("true", "memory add note", 1, "nothing was written, so nothing was stored"),
        ("true", "summary add --run r --step s", 1, "nothing was written, so nothing was stored"),
        ("exit 3", "memory add note", 1, "the editor failed with exit status: 3; set $EDITOR"),
        ("true", "memory edit n", 0, "loopmem: nothing changed"),
        ("echo >> \"$1\"; echo >> \"$1\"", "memory edit n", 0, "loopmem: nothing changed"),
        ("exit 3", "memory edit n", 1, "the editor failed with"),
    ] {
        sandbox.editor(editor);
        let (shown, code) = terminal.start(&format!("NO_COLOR=1 loopmem {command}"), "");
        assert!(shown.contains(expected) && code == status, "{editor}, {command}: {code} {shown}");
        assert_eq!(sandbox.left_behind(), Vec::<PathBuf>::new(), "{editor}, {command}");
    }
    let (shown, code) = terminal.start("EDITOR=/nowhere/editor loopmem memory edit n", "");
    assert!(shown.contains("the editor failed with exit status: 127") && code == 1, "{shown}");
    assert_eq!(sandbox.run("loopmem memory get", ""), before);
}

#[test]
fn an_interrupt_in_the_editor_does_not_end_the_command() {
    let Some(terminal) = Terminal::of(Sandbox::new()) else { return };
    terminal.sandbox.editor("trap : INT; kill -INT 0; echo text >> \"$1\"");
    let shown = terminal.run("trap : INT; NO_COLOR=1 loopmem memory add note --id n", "");
    assert_eq!(shown, "Stored note n: text\n");
    assert_eq!(terminal.sandbox.left_behind(), Vec::<PathBuf>::new());
}

#[test]
fn an_edit_changes_what_was_edited_and_nothing_else() {
    let Some(terminal) = Terminal::of(Sandbox::new()) else { return };
    let sandbox = &terminal.sandbox;
    sandbox.run("loopmem memory upsert-convention --convention '{\"id\":\"c\",\"title\":\"t\",\"content\":\"old\",\"extra\":{\"owner\":7}}'", "");
    // Another field is changed while the editor is open.
    sandbox.editor("loopmem memory edit c --tag new > /dev/null; sed -i 's/^old$/edited/' \"$1\"");
    let shown = terminal.run("NO_COLOR=1 loopmem memory edit c", "");
    assert_eq!(shown, "Changed convention c: t\n");
    let expected = json!({"title": "t", "content": "edited", "tags": ["new"], "owner": 7});
    let stored = sandbox.json("loopmem memory show c")["record"].clone();
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&stored[key], value, "{key}");
    }

    sandbox.run("loopmem memory edit c --title title --tag a --tag b", "");
    sandbox.run("loopmem memory edit c", "a new body\n");
    sandbox.run("loopmem memory edit c", "+++\ntags = []\n+++\n\na new body\n");
    let stored = sandbox.json("loopmem memory show c")["record"].clone();
    assert_eq!(
        (&stored["title"], &stored["content"], &stored["tags"]),
        (&json!("title"), &json!("a new body"), &json!([]))
    );
    let unchanged = sandbox.start("loopmem memory edit c --title title", "");
    assert_eq!(
        (text(&unchanged.stdout), text(&unchanged.stderr)),
        ("c\n".to_owned(), "loopmem: nothing changed\n".to_owned())
    );
    assert_eq!(sandbox.json("loopmem --json memory edit c --title title"), stored);
}

#[test]
fn an_edit_never_overwrites_a_concurrent_change() {
    let Some(terminal) = Terminal::of(Sandbox::new()) else { return };
    let sandbox = &terminal.sandbox;
    for (meanwhile, expected) in
        [("edit c --content theirs", "was changed concurrently"), ("rm c", "was removed concurrently")]
    {
        sandbox.run("loopmem memory add convention --id c --title t old", "");
        sandbox.editor(&format!("loopmem memory {meanwhile} < /dev/null > /dev/null; sed -i 's/^old$/mine/' \"$1\""));
        let (shown, status) = terminal.start("NO_COLOR=1 loopmem memory edit c", "n\n");
        assert!(shown.contains(expected) && shown.contains("your text is kept in ") && status == 1, "{shown}");
        let [kept] = &sandbox.left_behind()[..] else { panic!("{shown}") };
        assert!(fs::read_to_string(kept).unwrap().contains("mine"));
        fs::remove_dir_all(kept.parent().unwrap()).unwrap();
        let left = sandbox.run("loopmem memory get", "");
        assert!(!left.contains("mine") && left.contains("theirs") == meanwhile.starts_with("edit"), "{left}");
        sandbox.start("loopmem memory rm c", "");
    }
}

#[test]
fn a_mistake_can_be_corrected_and_the_text_is_never_lost() {
    let Some(terminal) = Terminal::of(Sandbox::new()) else { return };
    let sandbox = &terminal.sandbox;
    sandbox.run("loopmem memory add convention --id c --title t body", "");
    // The first time it breaks the header, the second time it corrects it.
    sandbox.editor("if grep -q hunter2 \"$1\"; then sed -i 's/hunter2/[\"fixed\"]/' \"$1\"; else sed -i 's/^tags.*/tags = hunter2/' \"$1\"; fi");
    let (shown, status) = terminal.start("NO_COLOR=1 loopmem memory edit c", "y\n");
    assert!(shown.contains("loopmem: line 5 is not valid TOML") && shown.contains("Edit it again? [Y/n]"), "{shown}");
    assert!(shown.ends_with("Changed convention c: t\n") && status == 0, "{shown}");
    assert_eq!(sandbox.json("loopmem memory show c")["record"]["tags"], json!(["fixed"]));
    assert_eq!(sandbox.left_behind(), Vec::<PathBuf>::new());

    // A record that the core rejects is a mistake like any other. End of input means no.
    sandbox.editor("sed -i 's/^title.*/title = \" \"/; s/^body$/a longer body/' \"$1\"");
    let (shown, status) = terminal.start("NO_COLOR=1 loopmem memory edit c", "\x04");
    assert!(shown.contains("must not be empty") && status == 1, "{shown}");
    let [kept] = &sandbox.left_behind()[..] else { panic!("{shown}") };
    assert!(shown.contains(&format!("run the command again with `< {}`", kept.display())), "{shown}");
    let fixed = fs::read_to_string(kept).unwrap().replace("\" \"", "\"fixed\"");
    fs::write(kept, fixed).unwrap();
    sandbox.run(&format!("loopmem memory edit c < {}", kept.display()), "");
    let record = sandbox.json("loopmem memory show c")["record"].clone();
    assert_eq!((&record["title"], &record["content"]), (&json!("fixed"), &json!("a longer body")));
}

#[test]
fn no_secret_is_repeated() {
    let Some(terminal) = Terminal::of(Sandbox::new()) else { return };
    let sandbox = &terminal.sandbox;
    sandbox.editor(&format!("echo 'push with {TOKEN}' >> \"$1\""));
    let shown = terminal.run("NO_COLOR=1 loopmem memory add note --id n", "");
    let notice = "loopmem: redacted 1 secret in content (github-pat)\n";
    let placeholder =
        shown.strip_prefix(&format!("{notice}Stored note n: push with ")).unwrap_or_else(|| panic!("{shown}"));
    assert!(placeholder.starts_with("[REDACTED:github-") && placeholder.ends_with("]\n"), "{shown}");
    sandbox.editor("sed -i s/push/pull/ \"$1\"");
    let shown = terminal.run("NO_COLOR=1 loopmem memory edit n", "");
    assert_eq!(shown, format!("Changed note n: pull with {placeholder}"), "a placeholder is not a new redaction");

    sandbox.editor(&format!("sed -i 's/^source.*/source = {TOKEN}/' \"$1\""));
    let (mistake, _) = terminal.start("loopmem memory edit n", "n\n");
    assert!(mistake.contains("is not valid TOML"), "{mistake}");
    let mut errors = vec![mistake];
    for command in [
        format!("memory show {TOKEN}"),
        format!("memory add note --id {TOKEN} text"),
        format!("memory rm {TOKEN}"),
        format!("summary add --run {TOKEN} --step s text"),
        format!("--json memory show {TOKEN}"),
    ] {
        let output = sandbox.start(&format!("loopmem {command}"), "");
        assert_eq!(output.status.code(), Some(1), "{command}");
        errors.push(text(&output.stderr));
    }
    for error in errors {
        assert!(!error.contains(TOKEN), "{error}");
    }
}
