//! `loopmem install CLIENT` and `loopmem uninstall CLIENT`, on the files that people have.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test starts programs and looks at files")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]
#![cfg(unix)]

mod place;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use place::Place;
use serde_json::{Value, json};

/// The output, and what is said on standard error; the status must be `status`.
#[track_caller]
fn run(place: &Place, arguments: &[&str], status: i32) -> (String, String) {
    let output = place.run_in(".", arguments);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {out}{err}");
    (out, err)
}

fn json_of(place: &Place, name: &str) -> Value {
    serde_json::from_slice(&fs::read(place.path(name)).unwrap()).unwrap()
}

#[test]
fn claude_code_gets_a_server_and_hooks_and_loses_them_again() {
    let place = Place::new();
    let settings = "{\n  // Mine.\n  \"model\": \"opus\",\n}\n";
    place.write(".claude/settings.json", settings);
    place.write(".claude.json", "{\n  \"numStartups\": 7\n}\n");
    let (shown, _) = run(&place, &["install", "claude-code", "--dry-run"], 0);
    assert!(shown.contains("+  \"mcpServers\": {") && shown.contains(" hook SessionStart"), "{shown}");
    assert_eq!(fs::read_to_string(place.path(".claude/settings.json")).unwrap(), settings);
    run(&place, &["install", "claude-code"], 0);
    let server = &json_of(&place, ".claude.json")["mcpServers"]["loopmem"];
    assert_eq!(server["type"], "stdio");
    // The command is one that can be run.
    let program = server["command"].as_str().unwrap();
    assert!(std::process::Command::new(program).arg("--version").output().unwrap().status.success());
    let text = fs::read_to_string(place.path(".claude/settings.json")).unwrap();
    for event in ["SessionStart", "UserPromptSubmit", "Stop", "PostCompact", "SessionEnd"] {
        assert!(text.contains(&format!(" hook {event}\"")), "{text}");
    }
    assert!(run(&place, &["install", "claude-code"], 0).0.contains("nothing to change"));
    run(&place, &["uninstall", "claude-code"], 0);
    assert_eq!(fs::read_to_string(place.path(".claude/settings.json")).unwrap(), settings);
    assert_eq!(fs::read_to_string(place.path(".claude.json")).unwrap(), "{\n  \"numStartups\": 7\n}\n");
}

#[test]
fn every_client_is_connected_in_the_files_of_the_user_and_of_the_project() {
    for client in ["claude-code", "codex", "cursor", "vscode", "gemini", "opencode"] {
        for scope in ["--user", "--project"] {
            let place = Place::new();
            place.git(".", &["init", "-q"]);
            let (out, _) = run(&place, &["--json", "install", client, scope], 0);
            let changes: Value = serde_json::from_str(&out).unwrap();
            let files: Vec<String> = changes["changes"]
                .as_array()
                .unwrap()
                .iter()
                .map(|change| change["file"].as_str().unwrap().to_owned())
                .collect();
            assert!(!files.is_empty() && files.iter().all(|file| fs::metadata(file).unwrap().is_file()), "{out}");
            run(&place, &["uninstall", client, scope], 0);
            // What was made for it is gone.
            assert!(files.iter().all(|file| fs::metadata(file).is_err()), "{client} {scope}");
            // No client is found that is not there.
            let (out, notice) = run(&place, &["install"], 0);
            assert_eq!(out, "", "{client} {scope}");
            assert!(notice.contains("no client was found"), "{notice}");
        }
    }
}

#[test]
fn codex_gets_a_server_and_hooks_where_it_keeps_them() {
    let place = Place::new();
    place.write(".codex/config.toml", "# mine\nnotify = [\"say\", \"done\"]\n");
    let (_, told) = run(&place, &["install", "codex"], 0);
    assert!(told.contains("trusted"), "{told}");
    let text = fs::read_to_string(place.path(".codex/config.toml")).unwrap();
    assert!(
        text.starts_with("# mine\nnotify = [\"say\", \"done\"]\n") && text.contains("[mcp_servers.loopmem]"),
        "{text}"
    );
    let hooks = json_of(&place, ".codex/hooks.json");
    let events: Vec<&str> = hooks["hooks"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(events, ["SessionStart", "UserPromptSubmit", "Stop", "PostCompact"]);
    run(&place, &["uninstall", "codex"], 0);
    assert!(!place.path(".codex/hooks.json").exists());
}

#[test]
fn another_home_is_that_of_the_agent_too() {
    let place = Place::new();
    run(&place, &["install", "claude-code"], 0);
    let home = place.path("home");
    let server = &json_of(&place, ".claude.json")["mcpServers"]["loopmem"];
    assert_eq!(server["args"], json!(["--home", home, "mcp"]));
    let hooks = json_of(&place, ".claude/settings.json");
    let command = hooks["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().unwrap();
    assert!(command.ends_with(&format!(" --home {} hook Stop", home.display())), "{command}");
    run(&place, &["uninstall", "claude-code"], 0);
    assert!(!place.path(".claude.json").exists() && !place.path(".claude/settings.json").exists());
}

#[test]
fn a_link_stays_a_link() {
    let place = Place::new();
    place.write("dotfiles/settings.json", "{}\n");
    fs::create_dir(place.path(".gemini")).unwrap();
    symlink("../dotfiles/settings.json", place.path(".gemini/settings.json")).unwrap();
    run(&place, &["install", "gemini"], 0);
    assert!(fs::symlink_metadata(place.path(".gemini/settings.json")).unwrap().is_symlink());
    assert!(json_of(&place, "dotfiles/settings.json")["mcpServers"]["loopmem"].is_object());
    run(&place, &["uninstall", "gemini"], 0);
    assert!(fs::symlink_metadata(place.path(".gemini/settings.json")).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(place.path("dotfiles/settings.json")).unwrap(), "{}\n");
}

#[test]
fn a_file_that_cannot_be_read_or_written_stays_and_is_named() {
    let place = Place::new();
    let broken = "{\"mcpServers\": ";
    // The other file of the client is not changed either.
    place.write(".claude.json", "{}\n");
    place.write(".claude/settings.json", broken);
    let (_, told) = run(&place, &["install", "claude-code"], 1);
    assert!(told.contains(".claude/settings.json was left unchanged"), "{told}");
    assert_eq!(fs::read_to_string(place.path(".claude/settings.json")).unwrap(), broken);
    assert_eq!(fs::read_to_string(place.path(".claude.json")).unwrap(), "{}\n");
    let path = place.write(".cursor/mcp.json", "{}\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let (_, told) = run(&place, &["install", "cursor"], 1);
    assert!(told.contains(".cursor/mcp.json was left unchanged: it is read-only"), "{told}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "{}\n");
}

#[test]
fn no_secret_of_a_configuration_is_shown() {
    let place = Place::new();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let old = format!("{{\n  \"env\": {{\"GITHUB_TOKEN\": \"{token}\"}}\n}}\n");
    place.write(".gemini/settings.json", &old);
    let (shown, told) = run(&place, &["install", "gemini", "--dry-run"], 0);
    assert!(shown.contains("GITHUB_TOKEN") && !format!("{shown}{told}").contains(&token), "{shown}");
}

#[test]
fn install_alone_says_which_clients_there_are() {
    let place = Place::new();
    fs::create_dir_all(place.path(".cursor")).unwrap();
    fs::create_dir_all(place.path(".config/opencode")).unwrap();
    let (found, _) = run(&place, &["--json", "install"], 0);
    assert_eq!(serde_json::from_str::<Value>(&found).unwrap(), json!({ "clients": ["cursor", "opencode"] }));
}

#[test]
fn conventions_and_decisions_are_exchanged_with_the_file_that_agents_read() {
    let place = Place::new();
    place.git(".", &["init", "-q"]);
    let mine = "# Project\n\nBe kind.\n\n## Build\n\nUse `make`.\n";
    let file = place.write("AGENTS.md", mine);
    let (stored, _) = run(&place, &["--json", "agents", "import"], 0);
    let stored: Value = serde_json::from_str(&stored).unwrap();
    assert_eq!(stored["imported"], json!(["agents-md-project", "agents-md-project-build"]));
    // Once.
    let (stored, _) = run(&place, &["--json", "agents", "import"], 0);
    let stored: Value = serde_json::from_str(&stored).unwrap();
    assert_eq!((&stored["imported"], stored["skipped"].as_array().unwrap().len()), (&json!([]), 2));
    run(&place, &["memory", "add", "decision", "--summary", "SQLite", "It needs no server."], 0);
    run(&place, &["agents", "export", "--dry-run"], 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), mine);
    run(&place, &["agents", "export"], 0);
    let once = fs::read_to_string(&file).unwrap();
    assert!(once.starts_with(mine), "{once}");
    assert!(
        once.contains("- **Project: Build**: Use `make`.") && once.contains("- **SQLite**: It needs no server."),
        "{once}"
    );
    run(&place, &["agents", "export"], 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), once);
    // What was exported is not imported.
    let (stored, _) = run(&place, &["--json", "agents", "import"], 0);
    assert_eq!(serde_json::from_str::<Value>(&stored).unwrap()["imported"], json!([]));
    let broken = once.replace("<!-- loopmem: end -->", "");
    fs::write(&file, &broken).unwrap();
    let (_, told) = run(&place, &["agents", "export"], 1);
    assert!(told.contains("not a pair"), "{told}");
    assert_eq!(fs::read_to_string(&file).unwrap(), broken);
    run(&place, &["agents", "import", "nowhere.md"], 1);
}

#[test]
fn a_server_of_somebody_else_in_its_place_is_a_failure() {
    let place = Place::new();
    let file =
        place.write(".cursor/mcp.json", r#"{"mcpServers": {"loopmem": {"command": "docker", "args": ["run"]}}}"#);
    let before = fs::read(&file).unwrap();
    let (shown, told) = run(&place, &["install", "cursor"], 1);
    assert!(shown.contains("Cursor is not connected") && told.contains("was not written by loopmem"), "{shown}{told}");
    assert_eq!(fs::read(&file).unwrap(), before);
}
