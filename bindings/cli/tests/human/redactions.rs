//! What is redacted is said, shown beforehand, and can be allowed.

use serde_json::json;

use crate::{Sandbox, text};

const SECRET: &str = "password: hunter22";

/// Commands that store a text of a field.
fn commands() -> [(String, &'static str); 7] {
    [
        (format!("memory add note '{SECRET}'"), "content"),
        (format!("memory add convention --title t '{SECRET}'"), "content"),
        (format!("memory upsert-note --note '{{\"content\": \"{SECRET}\"}}'"), "content"),
        (format!("summary add --run r --step s '{SECRET}'"), "summary"),
        (format!("summary end --run r --step s --output '{SECRET}'"), "summary"),
        ("working set job password=hunter22".to_owned(), "patch.password"),
        (format!("working log job --add '{SECRET}'"), "content"),
    ]
}

#[test]
fn a_command_says_what_it_redacts_and_a_dry_run_stores_nothing() {
    for (command, field) in commands() {
        let sandbox = Sandbox::new();
        let shown = sandbox.run(&format!("loopmem {command} --dry-run"), "");
        assert_eq!(shown, format!("would redact 1 secret in {field} (keyed-value)\n"), "{command}");
        let json = sandbox.json(&format!("loopmem --json {command} --dry-run"));
        assert_eq!(
            (&json[0]["field"], &json[0]["count"], json.as_array().unwrap().len()),
            (&json!(field), &json!(1), 1)
        );
        assert!(!sandbox.folder.path().join("home").exists(), "{command}: not even the key for tags is created");
        assert_eq!(sandbox.json("loopmem memory list"), json!([]));
        assert_eq!(sandbox.json("loopmem summary list"), json!([]));
        assert_eq!(sandbox.json("loopmem working scopes"), json!([]));

        let stored = sandbox.start(&format!("loopmem {command}"), "");
        let said = text(&stored.stderr);
        assert_eq!(said, format!("loopmem: redacted 1 secret in {field} (keyed-value)\n"), "{command}");
        assert_eq!(stored.status.code(), Some(0));
    }
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run("loopmem memory add note --dry-run plain", ""), "would redact nothing\n");
}

#[test]
fn a_finding_is_allowed_by_its_placeholder() {
    let sandbox = Sandbox::new();
    let add = format!("loopmem --json memory add note '{SECRET}'");
    let content = sandbox.json(&add)["content"].as_str().unwrap().to_owned();
    let placeholder = content.strip_prefix("password: ").unwrap();
    let tag = placeholder.rsplit(':').next().unwrap().trim_end_matches(']');
    let allowed = sandbox.json(&format!("loopmem safety allow '{placeholder}' --reason 'the demo'"));
    assert_eq!(allowed, json!({ "rule": "keyed-value", "tag": tag, "reason": "the demo" }));
    assert_eq!(sandbox.json(&add)["content"], SECRET);
    assert_eq!(sandbox.json("loopmem safety allowances"), json!([allowed]));
    assert_eq!(sandbox.json("loopmem doctor")["allowances"], json!([allowed]));
    for (wrong, said) in [
        ("safety allow hunter22 --reason x", "FINDING is not valid"),
        (&format!("safety allow 'a:1:2 jwt {tag}\nb:1:2 jwt {tag}' --reason x"), "one finding at a time"),
        ("safety allow --reason x", "allows everything"),
        (&format!("safety allow {tag}"), "--reason"),
    ] {
        let refused = sandbox.start(&format!("loopmem {wrong}"), "");
        assert!(text(&refused.stderr).contains(said), "{wrong}: {}", text(&refused.stderr));
        assert_ne!(refused.status.code(), Some(0), "{wrong}");
    }
}
