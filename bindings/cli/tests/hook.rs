//! `loopmem hook`, with what agents pass at each moment of a session.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test starts programs and looks at files")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

mod place;

use std::io::Write;

use place::Place;
use serde_json::{Value, json};

const SESSION: &str = "0b6c0f2e-8d7e-4a55-9a5e-6d1a3f6f2c11";
const DONE: &str = "I moved the proxy to port 8443 and updated the compose file. The certificates still have to be renewed \
                    before Friday.";

struct Agent {
    place: Place,
    workspace: String,
}

impl Agent {
    fn new() -> Self {
        let place = Place::new();
        place.write("project/.keep", "");
        let workspace = place.path("project").to_str().unwrap().to_owned();
        assert!(place.git("project", &["init", "-q"]).0);
        Agent { place, workspace }
    }

    /// What the hook of an event prints, and what it says on standard error.
    fn hook(&self, arguments: &[&str], input: &str) -> (String, String) {
        let mut process = self.place.spawn(&[&["hook"], arguments].concat());
        // A hook that is given its input otherwise reads none.
        let _ = process.stdin.take().unwrap().write_all(input.as_bytes());
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (text(output.stdout), text(output.stderr))
    }

    /// What the hook of an event of Claude Code adds to what the model sees.
    #[track_caller]
    fn claude(&self, event: &str, more: &Value) -> String {
        let mut payload = json!({
            "session_id": SESSION, "transcript_path": "/nowhere/transcript.jsonl", "cwd": self.workspace,
            "permission_mode": "default", "hook_event_name": event,
        });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let (told, wrong) = self.hook(&[event], &payload.to_string());
        assert_eq!(wrong, "", "{event}");
        if told.is_empty() {
            return told;
        }
        let told: Value = serde_json::from_str(&told).unwrap();
        assert_eq!(told["hookSpecificOutput"]["hookEventName"], event);
        told["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
    }

    fn loopmem(&self, arguments: &[&str]) -> Value {
        let output = self.place.run_in("project", arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    }

    fn summaries(&self) -> Vec<String> {
        let all = self.loopmem(&["--json", "summary", "list"]);
        all.as_array().unwrap().iter().map(|it| it["summary"].as_str().unwrap().to_owned()).collect()
    }
}

#[test]
fn a_session_begins_with_what_is_known_and_a_prompt_with_what_is_relevant_for_it() {
    let agent = Agent::new();
    // Nothing is said, and nothing written but that the hook ran and what the home is, if there is nothing to say.
    assert_eq!(agent.claude("SessionStart", &json!({ "source": "startup" })), "");
    assert_eq!(agent.claude("UserPromptSubmit", &json!({ "prompt": "which port has the proxy?" })), "");
    let home = std::fs::read_dir(agent.place.path("home")).unwrap();
    let mut files: Vec<_> = home.map(|it| it.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["README.md", "hooks"]);
    agent.loopmem(&["memory", "add", "convention", "--title", "Use tabs", "Never spaces."]);
    agent.loopmem(&["items", "add", "--type", "pref", "Answer in German."]);
    agent.loopmem(&["items", "add", "--type", "fact", "The proxy listens on port 8443."]);
    let begun = agent.claude("SessionStart", &json!({ "source": "startup" }));
    assert!(begun.starts_with("This is what loopmem") && begun.contains("Answer in German."), "{begun}");
    assert!(begun.contains("Use tabs") && !begun.contains("8443"), "{begun}");
    let told = agent.claude("UserPromptSubmit", &json!({ "prompt": "which port has the proxy?" }));
    assert!(told.contains("port 8443") && !told.contains("Use tabs"), "{told}");
    assert_eq!(agent.claude("UserPromptSubmit", &json!({ "prompt": "write a limerick about a cat" })), "");
    assert_eq!(agent.claude("UserPromptSubmit", &json!({ "prompt": " " })), "");
}

#[test]
fn what_was_done_is_summed_up_once_a_session() {
    let agent = Agent::new();
    assert_eq!(agent.claude("Stop", &json!({ "stop_hook_active": false, "last_assistant_message": "Done." })), "");
    assert_eq!(agent.summaries(), [""; 0]);
    agent.claude("Stop", &json!({ "stop_hook_active": false, "last_assistant_message": "x ".repeat(5_000) }));
    agent.claude("Stop", &json!({ "stop_hook_active": false, "last_assistant_message": DONE }));
    assert_eq!(agent.summaries(), [DONE]);
    let compacted = "The user wants the proxy moved. It was moved.";
    agent.claude("PostCompact", &json!({ "trigger": "auto", "compact_summary": compacted }));
    assert_eq!(agent.summaries(), [compacted, DONE]);
    assert_eq!(agent.claude("SessionEnd", &json!({ "reason": "exit" })), "");
    // Another session knows it.
    assert!(agent.claude("SessionStart", &json!({ "source": "startup" })).contains("certificates still have to be"));
}

#[test]
fn codex_passes_a_finished_turn_as_an_argument() {
    let agent = Agent::new();
    let turn = json!({
        "type": "agent-turn-complete", "thread-id": SESSION, "turn-id": "7", "cwd": agent.workspace,
        "input-messages": ["move the proxy"], "last-assistant-message": DONE,
    });
    assert_eq!(agent.hook(&["agent-turn-complete", &turn.to_string()], ""), (String::new(), String::new()));
    assert_eq!(agent.hook(&[&turn.to_string()], ""), (String::new(), String::new()));
    assert_eq!(agent.summaries(), [DONE]);
}

#[test]
fn whatever_is_wrong_an_agent_goes_on() {
    let agent = Agent::new();
    for (arguments, input) in [
        (&["SessionStart"][..], ""),
        (&["SessionStart"], "nonsense"),
        (&["SessionStart"], r#"{"cwd":"/nowhere"}"#),
        (&["SessionStart"], "7"),
        (&["Stop", "{"], ""),
        (&["Stop"], &json!({ "last_assistant_message": DONE }).to_string()),
    ] {
        let (told, wrong) = agent.hook(arguments, input);
        assert_eq!(told, "", "{arguments:?} {input}");
        assert!(wrong.starts_with("loopmem: "), "{arguments:?} {input}: {wrong}");
    }
    for (arguments, input) in [
        (&["NewEvent"][..], "{}"),
        (&[], "{}"),
        (&["Stop", "--new-option", "{}"], ""),
        (&["Stop"], r#"{"last_assistant_message":null,"session_id":null}"#),
    ] {
        assert_eq!(agent.hook(arguments, input), (String::new(), String::new()), "{arguments:?} {input}");
    }
    // Errors of use end others with 2, for which Claude Code discards the prompt.
    for arguments in [&["--bogus", "hook", "Stop"][..], &["--timeout-ms", "soon", "hook", "Stop"], &["--home"]] {
        let arguments = [arguments, if arguments.contains(&"hook") { &[] } else { &["hook"] }].concat();
        let output = agent.place.spawn(&arguments).wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
    // A home that cannot be opened.
    std::fs::remove_dir_all(agent.place.path("home")).unwrap();
    agent.place.write("home", "a file");
    let (told, wrong) = agent.hook(&["SessionStart"], &json!({ "cwd": agent.workspace }).to_string());
    assert_eq!(told, "");
    assert!(wrong.contains("home"), "{wrong}");
}

#[test]
fn the_status_says_when_hooks_ran_and_why_they_failed() {
    let agent = Agent::new();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    agent.hook(&["SessionStart"], &json!({ "cwd": format!("{}/{token}", agent.workspace) }).to_string());
    agent.hook(&["../escape"], "{}");
    agent.hook(&["NewEvent"], "{}");
    agent.claude("Stop", &json!({ "last_assistant_message": DONE }));
    let status = agent.loopmem(&["status", "--json"]);
    let [started, stopped] = &status["hooks"].as_array().unwrap()[..] else { panic!("{status}") };
    assert_eq!((&started["event"], &stopped["event"]), (&json!("SessionStart"), &json!("Stop")));
    assert_eq!(started["lastRun"], started["lastFailure"]);
    assert!(started["lastError"].as_str().unwrap().contains("looks like a secret"), "{status}");
    assert!(!status.to_string().contains("ghp_a"), "{status}");
    assert_eq!((stopped["lastRun"].is_string(), &stopped["lastFailure"]), (true, &Value::Null));
    // A failure is kept, and so is that the hook works again.
    agent.claude("SessionStart", &json!({ "source": "startup" }));
    let later = agent.loopmem(&["status", "--json"]);
    assert_eq!(later["hooks"][0]["lastFailure"], started["lastFailure"]);
    assert!(later["hooks"][0]["lastRun"].as_str() > started["lastRun"].as_str());
    // What failed for one project is not shown to another one.
    agent.hook(&["SessionEnd"], &json!({ "cwd": "/nowhere/of/another" }).to_string());
    let other = agent.loopmem(&["status", "--json"]);
    assert!(!other.to_string().contains("/nowhere/of"), "{other}");
    assert!(other["hooks"][0]["lastError"].is_string(), "{other}");
    let shown = agent.place.run_in("project", &["status"]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(
        shown.contains("summary: 1 summary")
            && shown.contains("Stop (just now)")
            && shown.contains("SessionStart, just now, has worked since: "),
        "{shown}"
    );
}

#[test]
fn no_secret_of_a_message_is_stored() {
    let agent = Agent::new();
    let token = format!("ghp_{}", "a1B2".repeat(9));
    // Also where a long message is cut.
    for begin in [0, 970, 985, 995] {
        let message = format!("{}The token is {token}. {DONE}", "word ".repeat(begin / 5));
        agent.claude("Stop", &json!({ "last_assistant_message": message }));
        let stored = agent.summaries().join("");
        assert!(!stored.contains("ghp_a"), "{stored}");
    }
}
