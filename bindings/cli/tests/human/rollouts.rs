//! What past sessions left: finding them, extracting them with commands, and removing what was extracted.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{Sandbox, Terminal, text};

/// The command at noon of the day on which the tests take place.
const NOON: &str = r#"loopmem --options '{"clock":"2026-01-31T12:00:00Z"}'"#;
/// A model that answers with the id of the session that it was asked about.
const MODEL: &str = r#"sed 's/.*"threadId":"\([^"]*\)".*/{"rollout_summary":"about \1","raw_memory":"- \1"}/'"#;

/// A sandbox whose user has sessions of Codex and of Claude Code.
fn sessions() -> Sandbox {
    let sandbox = Sandbox::new();
    for id in ["a", "b"] {
        sandbox.rollout(&format!(".codex/sessions/2026/01/20/rollout-{id}.jsonl"), id, "2026-01-20T09:00:00.000Z");
    }
    sandbox.rollout(".codex/sessions/rollout-young.jsonl", "young", "2026-01-31T09:00:00.000Z");
    let line = |id: &str| {
        format!(
            r#"{{"type":"user","sessionId":"{id}","cwd":"/work/site","timestamp":"2026-01-19T09:00:00Z","message":{{"role":"user","content":"hi"}}}}"#
        )
    };
    sandbox.file(".claude/projects/site/c.jsonl", &line("c"));
    sandbox.file(".claude/projects/site/agent-1.jsonl", &line("c"));
    sandbox
}

impl Sandbox {
    fn file(&self, name: &str, contents: &str) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{contents}\n")).unwrap();
    }

    fn rollout(&self, name: &str, id: &str, time: &str) {
        let meta = json!({"id": id, "timestamp": time, "cwd": "/work/shop", "source": "cli"});
        let said = json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]});
        let line =
            |kind: &str, payload: &Value| json!({"timestamp": time, "type": kind, "payload": payload}).to_string();
        self.file(name, &format!("{}\n{}", line("session_meta", &meta), line("response_item", &said)));
    }

    /// The command at noon, with these arguments.
    fn noon(&self, arguments: &str) -> Value {
        self.json(&format!("{NOON} {arguments}"))
    }

    fn has(&self, name: &str) -> bool {
        self.folder.path().join(".codex/memories").join(name).exists()
    }
}

/// What the terminal shows once the line of the progress is gone.
fn lasting(shown: &str) -> &str {
    shown.rsplit('\r').next().unwrap_or_default()
}

#[test]
fn a_scan_says_what_it_found_and_why_it_skipped_the_rest() {
    let Some(terminal) = Terminal::of(sessions()) else { return };
    let sandbox = &terminal.sandbox;
    let none = sandbox.noon("rollouts scan --roots ../tmp . --kinds codex,claude");
    assert_eq!(none, json!({"found": 0, "new": 0, "changed": 0, "unchanged": 0, "skipped": []}));
    let shown = terminal.run(&format!("NO_COLOR=1 {NOON} rollouts scan --roots ../tmp"), "");
    assert_eq!(shown, "no transcripts were found; --roots names other folders to search\n");
    let shown = terminal.run(&format!("NO_COLOR=1 {NOON} rollouts scan"), "");
    let expected = "found 5 transcripts: 4 new, 0 changed, 0 unchanged, 1 skipped\n  \
                    1 subagent  belongs to a subagent\n    /";
    assert!(shown.starts_with(expected) && shown.ends_with("/.claude/projects/site/agent-1.jsonl\n"), "{shown}");
    let codex = sandbox.noon("rollouts scan --kinds codex");
    assert_eq!((&codex["found"], &codex["new"]), (&json!(3), &json!(0)));
    let all = sandbox.noon("--json rollouts scan --kinds codex --kinds claude");
    assert_eq!((&all["found"], &all["skipped"][0]["reason"]), (&json!(5), &json!("subagent")));
    for (arguments, status, expected) in
        [("--kinds gemini", 2, "[possible values: codex, claude]"), ("--roots nowhere", 1, "is not a folder")]
    {
        let output = sandbox.start(&format!("{NOON} rollouts scan {arguments}"), "");
        assert_eq!(output.status.code(), Some(status), "{arguments}");
        assert!(text(&output.stderr).contains(expected), "{}", text(&output.stderr));
    }
}

#[test]
fn the_status_and_an_explanation_are_read_without_knowing_the_methods() {
    let Some(terminal) = Terminal::of(sessions()) else { return };
    let sandbox = &terminal.sandbox;
    let show = |arguments: &str| terminal.run(&format!("NO_COLOR=1 {NOON} rollouts {arguments}"), "");
    assert!(show("status").contains("\nno sessions are registered; `loopmem rollouts scan` finds them\n"));
    sandbox.noon("rollouts scan");
    let shown = show("status");
    for line in [
        "sessions     4 registered, 3 due, 0 extracted\n",
        "running      0 of at most 64\n",
        "next due     2026-01-31 21:00 UTC (in 9h)\n",
        "memory root  /",
        "\nconsolidation\nstate  up to date\nreads  0 sessions\n",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert!(!shown.contains("left out") && !shown.contains("older program"), "{shown}");
    assert_eq!(show("explain a"), "a is due: it can be claimed; newer threads come first\n");
    assert_eq!(show("explain --thread-id a"), show("explain a"));
    let young = "young is not due yet: it changed at 2026-01-31T09:00:00";
    assert!(show("explain young").starts_with(young), "{}", show("explain young"));
    let unknown = "x is not known: no thread with this id is registered; `loopmem rollouts scan` registers";
    let (shown, status) = terminal.start(&format!("NO_COLOR=1 {NOON} rollouts explain x"), "");
    assert!(shown.starts_with(unknown) && status == 1, "{shown}");
    assert_eq!(sandbox.start(&format!("{NOON} rollouts explain x"), "").status.code(), Some(1));
    assert_eq!(show("explain yo"), show("explain young"), "a unique prefix will do");
    let listed = show("list --limit 2");
    assert_eq!(
        listed,
        "ID     AGE  SESSION         FOLDER\nyoung  3h   is not due yet  /work/shop\n\
         b      11d  is due          /work/shop\n2 more; --limit sets how many are shown\n"
    );
    assert_eq!(show("list --reasons exhausted,backoff"), "no session has one of these reasons\n");
    assert_eq!(sandbox.noon("rollouts explain a")["reason"], json!("due"));
    let both = sandbox.start("loopmem rollouts explain a --thread-id a", "");
    assert_eq!(both.status.code(), Some(2));
    assert_eq!(sandbox.start("loopmem rollouts explain", "").status.code(), Some(2));

    sandbox.noon("rollouts claim-stage1 --worker-id me --limit 1");
    let shown = show("explain b");
    assert!(shown.starts_with("b is being extracted: ") && shown.contains("\nworker         me\n"), "{shown}");
    let later = r#"loopmem --options '{"clock":"2026-01-31T14:00:00Z"}'"#;
    let shown = terminal.run(&format!("NO_COLOR=1 {later} rollouts explain b"), "");
    assert!(shown.contains("job            abandoned by its worker\n"), "{shown}");
    assert!(show("status").contains("running      1 of at most 64\n"));
}

/// A program in the place of each that brings a model along. It checks what it is given.
const STAND_IN: &str = r#"#!/usr/bin/env python3
import json, os, sys
text = sys.stdin.read()
prompt, _, rest = text.partition("The input follows, as JSON.")
asked = json.loads(rest[rest.index("{"):])
assert prompt.startswith("You ") and len(prompt) > 2000, prompt
assert os.path.basename(sys.argv[0]) in ("claude", "codex", "gemini", "ollama") and len(sys.argv) > 3
if "transcript" in asked:
    assert "hi" in asked["transcript"] and asked["schema"]
    print("Here it is:\n```json\n" + json.dumps({"rollout_slug": None, "rollout_summary": "s", "raw_memory": "- m (user)"}) + "\n```")
else:
    assert asked["inputs"] and asked["files"] == {}, asked
    print(json.dumps({"files": {"MEMORY.md": "- m [thread:a]"}}))
"#;

#[test]
fn a_program_that_brings_a_model_along_extracts_and_consolidates() {
    for (word, program) in [("claude", "claude"), ("codex", "codex"), ("gemini", "gemini"), ("ollama:m:3b", "ollama")] {
        let sandbox = sessions();
        sandbox.noon("rollouts scan");
        sandbox.file(&format!("programs/{program}"), STAND_IN);
        let path = format!("{}/programs", sandbox.folder.path().display());
        sandbox.run(&format!("chmod +x {path}/{program}"), "");
        let run = sandbox.json(&format!("PATH={path}:$PATH {NOON} rollouts run --with {word}"));
        assert_eq!(run["threads"].as_array().unwrap().len(), 3, "{run}");
        assert!(run["threads"].as_array().unwrap().iter().all(|it| it["outcome"] == "stored"), "{run}");
        assert_eq!(run["consolidation"]["outcome"], "completed", "{run}");
        assert!(sandbox.has("MEMORY.md"));
    }
}

#[test]
fn commands_given_as_lines_of_a_shell_extract_and_consolidate() {
    let Some(terminal) = Terminal::of(sessions()) else { return };
    let sandbox = &terminal.sandbox;
    sandbox.noon("rollouts scan");
    sandbox.file("model", MODEL);
    let shown = terminal.run(
        &format!(
            "NO_COLOR=1 {NOON} rollouts run --limit 1 --stage1 'cat > \"../asked\"; sh ../model < ../asked | tee ../said'"
        ),
        "",
    );
    assert!(shown.ends_with("1 session: 1 stored\nnot consolidated: --consolidate was not given\n"), "{shown}");
    assert!(sandbox.has("rollout_summaries/b.md"));
    // Without a shell, and with words that look like options.
    let words = "--stage1-command sh --stage1-command -c --stage1-command 'sh ../model' --limit 1";
    let run = sandbox.noon(&format!("rollouts run {words}"));
    assert_eq!(run["threads"], json!([{"threadId": "a", "outcome": "stored", "reason": null}]));
    let consolidate = r#"--consolidate 'echo "{\"files\":{\"MEMORY.md\":\"all\"}}"'"#;
    let shown = terminal.run(&format!("NO_COLOR=1 {NOON} rollouts run --stage1 'sh ../model' {consolidate}"), "");
    let unsourced = "no session is named in MEMORY.md at lines: 1\n";
    assert!(shown.ends_with(&format!("1 session: 1 stored\nconsolidated: MEMORY.md\n{unsourced}")), "{shown}");
    assert!(sandbox.has("MEMORY.md"));
    let shown = terminal.run(&format!("NO_COLOR=1 {NOON} rollouts run --stage1 false {consolidate}"), "");
    let next = "the next session is due 2026-01-31 21:00 UTC (in 9h)\n";
    assert_eq!(lasting(&shown), format!("no session is due\nnothing new to consolidate\n{next}"));

    let shown = terminal.run(&format!("NO_COLOR=1 {NOON} rollouts explain a"), "");
    for part in ["a is extracted: ", "\nextracted     2026-01-31 12:00 UTC (just now)\n", "\nconsolidated  yes\n"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(shown.ends_with("\nSummary\nabout a\n\nMemory\n- a\n"), "{shown}");
    for (arguments, expected) in [
        ("", "no model was chosen"),
        ("--stage1 x --stage1-command x", "cannot be used"),
        ("--consolidate x", "no model was chosen"),
        ("--with gpt", "claude, codex, gemini or ollama:MODEL"),
        ("--stage1 x --consolidate x --consolidate-command x", "cannot be used"),
    ] {
        let output = sandbox.start(&format!("loopmem rollouts run {arguments}"), "");
        assert!(!output.status.success(), "{arguments}");
        assert!(text(&output.stderr).contains(expected), "{arguments}: {}", text(&output.stderr));
    }
}

#[test]
fn a_failed_session_or_consolidation_is_named_and_sets_the_exit_status() {
    let Some(terminal) = Terminal::of(sessions()) else { return };
    let sandbox = &terminal.sandbox;
    sandbox.noon("rollouts scan");
    sandbox.file("model", MODEL);
    let (shown, status) =
        terminal.start(&format!("NO_COLOR=1 {NOON} rollouts run --limit 1 --stage1 'echo no model >&2; exit 3'"), "");
    assert_eq!(status, 1, "{shown}");
    let expected = "failed b: the command failed with exit status 3: no model\n1 session: 1 failed\nnot consolidated";
    assert!(shown.contains(expected), "{shown}");
    let run = format!("{NOON} rollouts run --stage1 'sh ../model' --consolidate 'echo no'");
    let output = sandbox.start(&run, "");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stderr), "loopmem: the consolidation failed; the result says why\n");
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&result["threads"][0]["outcome"], &result["consolidation"]["outcome"]),
        (&json!("stored"), &json!("failed"))
    );
    let output = sandbox.start(&format!("{NOON} --json rollouts run --stage1 'false'"), "");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "nothing is due");
    let shown = terminal.run(&format!("NO_COLOR=1 {run}"), "");
    assert_eq!(
        lasting(&shown),
        "no session is due\nnot consolidated: it failed before, and waits for its next attempt; `loopmem rollouts \
         status` says why it failed, and `loopmem rollouts retry` makes it due again\nthe next session is due 2026-01-31 13:00 UTC (in 1h)\n1 session failed: 1 waiting for another attempt; `loopmem \
         rollouts list --reasons backoff,exhausted` says why, and `loopmem rollouts retry` makes them due again\n"
    );
    let listed = terminal.run(&format!("NO_COLOR=1 {NOON} rollouts list --reasons backoff,exhausted"), "");
    assert!(
        listed.contains("\nb: it failed and is tried again at ") && listed.contains("exit status 3: no model\n"),
        "{listed}"
    );
    let output = sandbox.start(&format!("{NOON} rollouts run --stage1 \"$UNSET\""), "");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let held = r#"loopmem --options '{"clock":"2026-01-31T14:00:00Z","rolloutsMaxRunning":0}'"#;
    let shown = terminal.run(&format!("NO_COLOR=1 {held} rollouts run --stage1 'sh ../model'"), "");
    assert!(shown.contains("1 session due, but as many sessions as allowed (0) are claimed\n"), "{shown}");
    let status = terminal.run(&format!("NO_COLOR=1 {NOON} rollouts status"), "");
    assert!(status.contains("state          failed; waits for the next attempt\n"), "{status}");
    assert!(status.contains("jobs         2 done, 1 failed\n"), "{status}");
    let failed = "1 session failed: 1 waiting for another attempt; `loopmem rollouts list --reasons backoff,exhausted` says why, \
                  and `loopmem rollouts retry` makes them due again\n";
    assert!(status.contains(failed), "{status}");
    let shown = terminal.run(&format!("NO_COLOR=1 {NOON} rollouts retry"), "");
    assert_eq!(shown, "1 session and the consolidation are due again.\n  b\n");
    assert_eq!(terminal.run(&format!("NO_COLOR=1 {NOON} rollouts retry"), ""), "nothing failed\n");
    let shown = terminal.run(&format!("NO_COLOR=1 {NOON} rollouts retry b"), "");
    assert!(shown.starts_with("none of these sessions waits after a failure; "), "{shown}");
    let (shown, status) = terminal.start(&format!("NO_COLOR=1 {NOON} rollouts run --stage1 ./no-such-program"), "");
    assert!(shown.contains("was not found; check its path") && status == 2, "{shown}");
    assert_eq!(sandbox.noon("rollouts explain b")["job"]["retriesLeft"], json!(3));
    sandbox.noon("rollouts run --stage1 'sh ../model'");
    let output = sandbox.start(&format!("{NOON} rollouts run --stage1-command ./no-such-program"), "");
    assert_eq!(output.status.code(), Some(0), "nothing is due, so that nothing is started");
}

#[test]
fn a_run_shows_its_progress_on_a_terminal_and_nowhere_else() {
    let Some(terminal) = Terminal::of(sessions()) else { return };
    let sandbox = &terminal.sandbox;
    sandbox.noon("rollouts scan");
    sandbox.file("model", MODEL);
    // A secret that is redacted is not reported on the line.
    let secret = ["ghp_", "Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe9Dc8"].concat();
    sandbox.file("leak", &format!(r#"echo '{{"rollout_summary":"push with {secret}","raw_memory":""}}'"#));
    let consolidate = r#"--consolidate 'echo "{\"written\":[]}"'"#;
    let shown =
        terminal.run(&format!("{NOON} rollouts run --limit 2 --stage1 'sh ../leak' {consolidate} > result"), "");
    for part in ["extracting [", "]   0%, 0 of 2 sessions", "]  50%, 1 of 2 sessions", "consolidating"] {
        assert!(shown.contains(part), "{part}: {shown:?}");
    }
    assert!(lasting(&shown).starts_with("loopmem: redacted 2 secrets in rollout_summary"), "{shown:?}");
    let result = fs::read_to_string(sandbox.folder.path().join("work/result")).unwrap();
    assert!(result.starts_with("{\"threads\":[{"), "{result}");
    let output = sandbox.start(&format!("{NOON} rollouts run --stage1 'sh ../model' {consolidate}"), "");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
}

/// By a request to terminate: where the tests themselves run in the background of a shell, Ctrl-C is ignored.
#[test]
fn an_interrupted_run_gives_its_session_back() {
    let sandbox = sessions();
    sandbox.noon("rollouts scan");
    let mut command = sandbox.command(&format!("exec {NOON} rollouts run --stage1 'echo $$ > ../pid; sleep 600'"));
    let child = command.stdin(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    let model = loop {
        let pid = fs::read_to_string(sandbox.folder.path().join("pid")).unwrap_or_default();
        if pid.ends_with('\n') {
            break pid.trim().to_owned();
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "the command was not started");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(sandbox.noon("rollouts explain b")["reason"], json!("running"));
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let expected = "loopmem: the run was interrupted; what was finished is stored, and what was not is still due\n";
    assert_eq!(text(&output.stderr), expected);
    let explained = sandbox.noon("rollouts explain b");
    assert_eq!((&explained["reason"], &explained["job"]["retriesLeft"]), (&json!("due"), &json!(3)), "{explained}");
    let is_gone = || !Command::new("kill").args(["-0", &model]).stderr(Stdio::null()).status().unwrap().success();
    assert!(is_gone(), "the command {model} still runs");
}

/// As `nohup` starts it.
#[test]
fn a_run_goes_on_after_a_hang_up_that_it_was_told_to_ignore() {
    let sandbox = sessions();
    sandbox.noon("rollouts scan");
    sandbox.file("model", MODEL);
    let line =
        format!("trap '' HUP; exec {NOON} rollouts run --limit 1 --stage1 'kill -HUP $PPID; sleep 1; sh ../model'");
    let run: Value = serde_json::from_str(&sandbox.run(&line, "")).unwrap();
    assert_eq!(run["threads"][0]["outcome"], json!("stored"));
    let line = line.replace("trap '' HUP; ", "");
    assert_eq!(sandbox.start(&line, "").status.code(), Some(1), "otherwise it is interrupted");
}

#[test]
fn forgetting_and_resetting_ask_on_a_terminal() {
    let Some(terminal) = Terminal::of(sessions()) else { return };
    let sandbox = &terminal.sandbox;
    sandbox.noon("rollouts scan");
    sandbox.file("model", MODEL);
    sandbox.noon("rollouts run --stage1 'sh ../model'");
    let (shown, status) = terminal.start(&format!("NO_COLOR=1 {NOON} rollouts forget a"), "n\n");
    let question = "Forget the session a? It is never extracted again. [y/N] ";
    let declined = format!("{question}loopmem: nothing was removed\n");
    assert!(shown.ends_with(&declined) && status == 1, "{shown}");
    assert!(sandbox.has("rollout_summaries/a.md"));
    let shown = terminal.run(&format!("NO_COLOR=1 {NOON} rollouts forget a"), "y\n");
    let removed = format!("{question}Forgot session a\n  removed rollout_summaries/a.md\n");
    assert!(shown.ends_with(&removed), "{shown}");
    assert!(!sandbox.has("rollout_summaries/a.md"));
    let shown = terminal.run(&format!("NO_COLOR=1 {NOON} rollouts forget --thread-id a --yes"), "");
    assert_eq!(shown, "Already forgotten: session a\n");
    let (shown, status) = terminal.start(&format!("NO_COLOR=1 {NOON} rollouts forget x"), "\n");
    assert!(shown.contains("Forget the session x, which is not known? ") && status == 1, "{shown}");
    let shown = terminal.run(&format!("NO_COLOR=1 {NOON} rollouts forget x -y --force"), "");
    assert_eq!(shown, "Forgot session x\nIt was not registered, and never will be; check its id.\n");
    assert_eq!(
        terminal.run(&format!("NO_COLOR=1 {NOON} rollouts set-mode --thread-id b --mode polluted"), ""),
        "b is polluted now\n"
    );
    let shown = terminal.run(&format!("NO_COLOR=1 {NOON} rollouts materialize"), "");
    assert_eq!(shown, "wrote raw_memories.md\nremoved rollout_summaries/b.md\n");
    assert_eq!(terminal.run(&format!("NO_COLOR=1 {NOON} rollouts materialize"), ""), "all files are up to date\n");
    sandbox.noon("rollouts set-mode --thread-id b --mode enabled");
    sandbox.noon("rollouts materialize");
    assert_eq!(
        sandbox.noon("rollouts forget b"),
        json!({"forgotten": true, "registered": true, "removed": ["rollout_summaries/b.md"]})
    );
    // Nothing but what was typed is removed without a question, however often.
    sandbox.rollout(".codex/sessions/rollout-c1.jsonl", "c1", "2026-01-20T09:00:00.000Z");
    sandbox.noon("rollouts scan");
    let whole = "is not a complete id; nothing was removed; pass that of session young";
    let unknown = "is registered; nothing was removed; --force";
    for (typed, why) in [("--thread-id y", whole), ("you", whole), ("young1 --yes", unknown)] {
        let output = sandbox.start(&format!("{NOON} rollouts forget {typed}"), "");
        assert!(text(&output.stderr).contains(why), "{typed}: {output:?}");
        assert_eq!(output.status.code(), Some(1), "{typed}");
    }
    assert_eq!(sandbox.noon("rollouts forget you --force")["registered"], json!(false));
    assert_eq!(sandbox.noon("rollouts explain young")["reason"], json!("notIdle"));
    let (shown, status) = terminal.start(&format!("NO_COLOR=1 {NOON} rollouts forget youn"), "n\n");
    assert!(shown.contains("Forget the session young? ") && status == 1, "{shown}");
    let (shown, status) = terminal.start(&format!("NO_COLOR=1 {NOON} rollouts forget a"), "n\n");
    assert!(shown.contains("Forget the session a? ") && status == 1, "{shown}");
    let output = sandbox.start(&format!("{NOON} rollouts explain ''"), "");
    assert!(text(&output.stderr).contains("the id is empty") && output.status.code() == Some(2));
    let (shown, status) = terminal.start(&format!("{NOON} rollouts forget c 2> /dev/null"), "");
    assert_eq!((shown, status), (String::new(), 2), "without a question nothing is removed");

    let (shown, status) = terminal.start(&format!("NO_COLOR=1 {NOON} rollouts reset"), "n\n");
    let question = "Clear what was extracted of 1 session, and all jobs? [y/N] ";
    let declined = format!("{question}loopmem: nothing was cleared\n");
    assert!(shown.ends_with(&declined) && status == 1, "{shown}");
    let shown = terminal.run(&format!("NO_COLOR=1 {NOON} rollouts reset --reextract"), "y\n");
    let expected = "Cleared 1 output and 2 jobs, and removed 2 files. Sessions are due again at once.\n";
    assert!(shown.ends_with(&format!("{question}{expected}")), "{shown}");
    assert_eq!(sandbox.noon("rollouts explain c")["reason"], json!("due"));
    sandbox.noon("rollouts run --stage1 'sh ../model'");
    let shown = terminal.run(&format!("NO_COLOR=1 {NOON} rollouts reset -y"), "");
    assert!(shown.ends_with("A session is due again when it changes.\n"), "{shown}");
    assert_eq!(sandbox.noon("rollouts explain c")["reason"], json!("reset"));
    assert_eq!(sandbox.noon("rollouts reset")["outputs"], json!(0));
}

#[test]
fn the_memory_of_an_older_program_is_pointed_out_and_moved_once() {
    let Some(terminal) = Terminal::of(sessions()) else { return };
    let sandbox = &terminal.sandbox;
    sandbox.file(".codex/memories/user/memory/MEMORY.md", "old");
    let shown = terminal.run(&format!("NO_COLOR=1 {NOON} rollouts status"), "");
    assert!(shown.contains("`loopmem rollouts migrate-legacy-root` moves it to the memory root.\n"), "{shown}");
    let shown = terminal.run(&format!("NO_COLOR=1 {NOON} rollouts migrate-legacy-root"), "");
    assert_eq!(shown, "moved MEMORY.md\n");
    assert!(sandbox.has("MEMORY.md"));
    let shown = terminal.run(&format!("NO_COLOR=1 {NOON} rollouts migrate-legacy-root"), "");
    assert_eq!(shown, "Nothing was moved: there is nothing in memories/user/memory.\n");
    assert!(!terminal.run(&format!("{NOON} rollouts status"), "").contains("older program"));
}

#[test]
fn the_help_of_the_room_begins_with_the_commands_for_people() {
    let sandbox = Sandbox::new();
    let help = sandbox.run("loopmem rollouts --help", "");
    let places: Vec<usize> = ["  scan ", "  status ", "  explain ", "  run ", "  forget ", "  reset "]
        .iter()
        .map(|verb| help.find(verb).unwrap())
        .collect();
    assert!(places.is_sorted() && help.contains("For programs: ") && !help.contains("  claim-stage1 "), "{help}");
    let help = sandbox.run("loopmem rollouts run --help", "");
    assert!(help.find("--stage1 <COMMAND>").unwrap() < help.find("--stage1-command <WORD>").unwrap(), "{help}");
    assert!(sandbox.run("loopmem completions bash", "").contains("--consolidate"));
}
