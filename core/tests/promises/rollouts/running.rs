//! External commands as the model.

use std::time::{Duration, Instant};

use loopmem::rollouts::{Reason, Run, RunConsolidation, RunOutcome, Runner};
use loopmem::{CallOptions, Cancel, ErrorKind};

use super::*;

const ANSWER: &str = r#"{"rollout_summary":"s","raw_memory":"- m"}"#;

fn shell(script: &str) -> Vec<String> {
    ["sh", "-c", script].map(str::to_owned).to_vec()
}

impl Codex {
    /// Registers a session with a short transcript.
    fn due(&self, id: &str) {
        let path = self.root().join(format!("sessions/rollout-{id}.jsonl"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let line = r#"{"type":"message","role":"user","content":"what the user asked"}"#;
        std::fs::write(path, line).unwrap();
        self.thread(id, "2026-01-30T00:00:00Z");
    }

    fn run(&self, runner: &Runner) -> Run {
        self.noon().run(runner).unwrap()
    }
}

#[test]
fn everything_that_is_due_is_extracted_and_consolidated() {
    let codex = Codex::new();
    codex.due("a");
    codex.due("b");
    // The model answers with what it was asked.
    let stage1 = shell(
        r#"python3 -c '
import json, sys
asked = json.load(sys.stdin)
assert asked["schema"]["additionalProperties"] is False and asked["prompt"] and asked["tokens"] > 0
said = asked["transcript"].split("\n")[1]
print(json.dumps({"rollout_slug": None, "rollout_summary": asked["threadId"] + ": " + said, "raw_memory": "- m"}))
'"#,
    );
    let consolidate = shell(
        r#"python3 -c '
import json, os, sys
asked = json.load(sys.stdin)
assert os.getcwd() == os.path.realpath(asked["root"]) and os.path.exists("raw_memories.md")
text = "\n".join(it["rolloutSummary"] for it in asked["inputs"])
print("Done.", json.dumps({"files": {"MEMORY.md": text, "skills/x/SKILL.md": "how"}}))
'"#,
    );
    let run = codex.run(&Runner::new(stage1).consolidate(consolidate.clone()));
    let threads: Vec<_> = run.threads.iter().map(|it| (it.thread_id.as_str(), it.outcome)).collect();
    assert_eq!(threads, [("b", RunOutcome::Stored), ("a", RunOutcome::Stored)]);
    assert_eq!((run.consolidation.outcome, run.consolidation.dirty), (RunConsolidation::Completed, Some(false)));
    assert_eq!(run.consolidation.written, ["MEMORY.md", "skills/x/SKILL.md"]);
    assert_eq!(codex.read("MEMORY.md").unwrap(), "a: what the user asked\nb: what the user asked");
    let again = codex.run(&Runner::new(shell("false")).consolidate(consolidate));
    assert_eq!((again.threads.len(), again.consolidation.outcome), (0, RunConsolidation::Clean));
}

#[test]
fn a_command_that_hangs_floods_fails_or_answers_nonsense_fails_its_session_alone() {
    for (script, reason) in [
        ("sleep 1000", "the command took longer than 1 seconds"),
        ("sleep 1000 & sleep 1000", "the command took longer than 1 seconds"),
        ("exec yes nonsense", "the command wrote more than 8388608 bytes"),
        ("yes nonsense >&2", "the command took longer than 1 seconds"),
        ("echo no such model >&2; exit 3", "the command failed with exit status 3: no such model"),
        ("kill -9 $$", "the command failed with signal: 9 (SIGKILL)"),
        ("echo I would rather not", "the output must be a JSON object with the texts"),
        ("printf '\\377'", "the command wrote what is not UTF-8"),
        ("true", "the output must be a JSON object with the texts"),
    ] {
        let codex = Codex::new();
        codex.due("a");
        let started = Instant::now();
        let run = codex.run(&Runner::new(shell(script)).timeout(Duration::from_secs(1)));
        assert!(started.elapsed() < Duration::from_secs(20), "{script}");
        let thread = only(run.threads);
        assert_eq!(thread.outcome, RunOutcome::Failed, "{script}");
        assert!(thread.reason.as_deref().unwrap().starts_with(reason), "{script}: {thread:?}");
        let explained = codex.noon().explain("a").unwrap();
        assert_eq!((explained.reason, explained.job.unwrap().retries_left), (Reason::Backoff, 2), "{script}");
    }
}

/// Takes two seconds: a model is slower than a call may wait.
#[test]
fn a_slow_model_leaves_each_lock_its_full_wait() {
    let codex = Codex::with(|options| options.lock_timeout(Duration::from_millis(700)));
    codex.due("a");
    codex.due("b");
    // While an answer is stored, another process has the database.
    let lock = codex.root().join("rollouts.sqlite3.lock");
    let script =
        format!("(sleep 0.8; exec flock {} sleep 0.2) >/dev/null 2>&1 & sleep 0.9; echo '{ANSWER}'", lock.display());
    let run = codex.run(&Runner::new(shell(&script)));
    assert_eq!(run.threads.iter().map(|it| it.outcome).collect::<Vec<_>>(), [RunOutcome::Stored; 2]);
}

#[test]
fn a_command_that_does_not_read_its_input_or_leaves_something_running_is_no_failure() {
    let codex = Codex::new();
    codex.due("a");
    let started = Instant::now();
    let run = codex.run(&Runner::new(shell(&format!("sleep 1000 >/dev/null 2>&1 & echo '{ANSWER}'"))));
    assert_eq!(only(run.threads).outcome, RunOutcome::Stored);
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn what_a_command_says_is_redacted() {
    let codex = Codex::new();
    codex.due("a");
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let run = codex.run(&Runner::new(shell(&format!("echo 401 for {token} >&2; exit 1"))));
    let reason = only(run.threads).reason.unwrap();
    assert!(reason.contains("401 for [REDACTED:") && !reason.contains(&token), "{reason}");
    let error = codex.noon().explain("a").unwrap().job.unwrap().last_error.unwrap();
    assert!(!error.contains(&token), "{error}");
}

#[test]
fn a_command_that_cannot_be_started_spends_nothing() {
    let codex = Codex::new();
    codex.due("a");
    for command in [vec![], vec![String::new()], vec!["/nowhere/at/all".to_owned()]] {
        let refused = codex.noon().run(&Runner::new(command)).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Validation, "{refused}");
    }
    let explained = codex.noon().explain("a").unwrap();
    assert_eq!((explained.reason, explained.job.unwrap().retries_left), (Reason::Due, 3));
}

#[test]
fn a_cancelled_run_ends_its_command_and_gives_its_claim_back() {
    let codex = Codex::new();
    codex.due("a");
    let cancel = Cancel::new();
    let mark = codex.home.root().join("started");
    let store = codex.store_at(NOON).with(CallOptions::new().cancel(&cancel));
    let script = format!("touch {}; sleep 1000", mark.display());
    let running = std::thread::spawn(move || store.rollouts().run(&Runner::new(shell(&script))));
    while !mark.exists() {
        std::thread::yield_now();
    }
    cancel.cancel();
    assert_eq!(running.join().unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
    let explained = codex.noon().explain("a").unwrap();
    assert_eq!((explained.reason, explained.job.unwrap().retries_left), (Reason::Due, 3));
}

#[test]
fn a_session_whose_transcript_is_gone_does_not_stop_a_run() {
    let codex = Codex::new();
    codex.due("a");
    codex.thread("gone", "2026-01-30T10:00:00Z");
    let run = codex.run(&Runner::new(shell(&format!("echo '{ANSWER}'"))));
    let threads: Vec<_> = run.threads.iter().map(|it| (it.thread_id.as_str(), it.outcome)).collect();
    assert_eq!(threads, [("gone", RunOutcome::TranscriptMissing), ("a", RunOutcome::Stored)]);
    assert_eq!(run.consolidation.outcome, RunConsolidation::Skipped);
}

#[test]
fn no_more_sessions_than_asked_for_are_worked_on() {
    let codex = Codex::new();
    for id in ["a", "b", "c"] {
        codex.due(id);
    }
    let run = codex.run(&Runner::new(shell(&format!("echo '{ANSWER}'"))).limit(2));
    assert_eq!(run.threads.len(), 2);
}

#[test]
fn a_consolidation_writes_only_its_own_files_and_not_over_an_edit() {
    let consolidate = |codex: &Codex, script: &str| {
        codex.extracted("a", "2026-01-30T00:00:00Z");
        codex.run(&Runner::new(["false"]).consolidate(shell(script))).consolidation
    };
    for path in ["../x", "/tmp/x", "raw_memories.md", "rollout_summaries/a.md", ".git/config"] {
        let codex = Codex::new();
        let done = consolidate(&codex, &format!(r#"echo '{{"files":{{"{path}":"x"}}}}'"#));
        assert_eq!(done.outcome, RunConsolidation::Failed, "{path}");
        assert!(done.reason.unwrap().contains(path), "{path}");
        assert_eq!(codex.noon().status().unwrap().consolidation.job.unwrap().retries_left, 2);
    }
    let codex = Codex::new();
    codex.write("MEMORY.md", "before");
    let script =
        r#"echo ' and by hand' >> MEMORY.md; echo '{"files":{"MEMORY.md":"by the model","memory_summary.md":"x"}}'"#;
    let done = consolidate(&codex, script);
    assert_eq!((done.outcome, done.dirty), (RunConsolidation::Completed, Some(true)));
    assert_eq!(done.written, ["memory_summary.md"]);
    assert_eq!(codex.read("MEMORY.md").unwrap(), "before and by hand\n");
    let next = codex.noon().claim_consolidation("w").unwrap();
    assert_eq!(next.edited_files.unwrap(), ["MEMORY.md"]);
}

#[test]
fn a_consolidation_may_write_its_files_itself_and_remove_others() {
    let codex = Codex::new();
    codex.write("skills/old/SKILL.md", "old");
    codex.extracted("a", "2026-01-30T00:00:00Z");
    let script = r#"echo new > MEMORY.md; echo '{"written":["MEMORY.md"],"files":{"skills/old/SKILL.md":null}}'"#;
    let done = codex.run(&Runner::new(["false"]).consolidate(shell(script))).consolidation;
    assert_eq!((done.outcome, done.dirty), (RunConsolidation::Completed, Some(false)));
    assert_eq!((codex.read("MEMORY.md").as_deref(), codex.read("skills/old/SKILL.md")), (Some("new\n"), None));
}

#[test]
fn of_a_file_that_an_answer_names_twice_an_edit_is_not_lost() {
    let codex = Codex::new();
    codex.due("a");
    codex.write("MEMORY.md", "old");
    let answer = r#"{"files":{"MEMORY.md":"new"},"written":["MEMORY.md"]}"#;
    let stage1 = shell(&format!("echo '{ANSWER}'"));
    // Somebody edits the file meanwhile.
    let script = format!("echo edited > MEMORY.md; echo '{answer}'");
    let run = codex.run(&Runner::new(stage1.clone()).consolidate(shell(&script)));
    assert_eq!((run.consolidation.written, run.consolidation.dirty), (vec![], Some(true)));
    assert_eq!(codex.read("MEMORY.md").unwrap(), "edited\n");
    // The command writes it itself.
    let script = format!("printf new > MEMORY.md; echo '{answer}'");
    let run = codex.run(&Runner::new(stage1).consolidate(shell(&script)));
    assert_eq!((run.consolidation.written, run.consolidation.dirty), (vec!["MEMORY.md".to_owned()], Some(false)));
    assert_eq!(codex.read("MEMORY.md").unwrap(), "new");
}

#[test]
fn half_a_character_in_the_answer_of_a_command_is_replaced() {
    let codex = Codex::new();
    codex.due("a");
    let stage1 = shell(r#"printf %s '{"rollout_summary":"s\ud83d","raw_memory":"- m"}'"#);
    let consolidate = shell(r#"printf %s '{"files":{"MEMORY.md":"\ud83d all [thread:a]"}}'"#);
    let run = codex.run(&Runner::new(stage1).consolidate(consolidate));
    assert_eq!((run.threads[0].outcome, run.consolidation.outcome), (RunOutcome::Stored, RunConsolidation::Completed));
    assert_eq!(codex.noon().explain("a").unwrap().output.unwrap().rollout_summary, "s\u{fffd}");
    assert_eq!(codex.read("MEMORY.md").unwrap(), "\u{fffd} all [thread:a]");
}
