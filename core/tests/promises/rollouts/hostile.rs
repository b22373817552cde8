//! Secrets, links and names that must not get where they would do harm, and crashes between two steps.

use loopmem::ErrorKind;
use loopmem::rollouts::{RunConsolidation, Runner, TranscriptKind};
use loopmem::testing::sqlite::rusqlite::Connection;

use super::*;

fn token() -> String {
    format!("ghp_{}", "a1B2".repeat(9))
}

impl Codex {
    #[track_caller]
    fn assert_absent(&self, piece: &str) {
        for file in self.files() {
            let bytes = std::fs::read(&file).unwrap();
            assert!(!String::from_utf8_lossy(&bytes).contains(piece), "{piece} in {}", file.display());
        }
    }

    /// The database, as another program sees it.
    pub(super) fn database(&self) -> Connection {
        Connection::open(self.root().join("rollouts.sqlite3")).unwrap()
    }

    fn consolidate(&self, answer: &Value) -> loopmem::rollouts::ConsolidationRun {
        let script = ["sh", "-c", "printf %s \"$0\"", &answer.to_string()].map(str::to_owned).to_vec();
        self.noon().run(&Runner::new(["false"]).consolidate(script)).unwrap().consolidation
    }
}

#[test]
fn no_piece_of_a_secret_is_left_where_something_is_cut() {
    let codex = Codex::new();
    codex.thread("a", "2026-01-30T00:00:00Z");
    let claim = only(codex.noon().claim_stage1("w", None, None).unwrap().claims);
    let output =
        json!({ "rollout_slug": format!("{}-{}", "s".repeat(180), token()), "summary": "s", "rawMemory": "m" });
    codex.noon().complete_stage1("a", &claim.ownership_token, &raw(&output)).unwrap();
    // The end of what a command says begins in the middle of one.
    let path = codex.root().join("sessions/rollout-b.jsonl");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "{}\n").unwrap();
    for before in 0..45 {
        codex.thread("b", &format!("2026-01-30T00:00:{before:02}Z"));
        let said = format!("{}{} {}", "x ".repeat(2_000), token(), "y".repeat(1_000 - before));
        let script = ["sh", "-c", "printf %s \"$0\" >&2; exit 1", &said].map(str::to_owned);
        let reason = only(codex.noon().run(&Runner::new(script)).unwrap().threads).reason.unwrap();
        assert!(!reason.contains("a1B2"), "{before}: {reason}");
    }
    codex.assert_absent("a1B2");
}

#[test]
fn the_path_of_a_skipped_transcript_or_of_a_file_with_a_secret_is_stored_nowhere() {
    let codex = Codex::new();
    let folder = codex.root().join("claude");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("agent-{}.jsonl", token())), "{}\n").unwrap();
    let found = codex.noon().scan(Some(&[TranscriptKind::Claude]), Some(&[folder])).unwrap();
    assert_eq!(only(found.skipped).reason, "secret");
    codex.extracted("a", "2026-01-30T00:00:00Z");
    codex.write(&format!("{}.md", token()), "by hand");
    let claim = codex.noon().claim_consolidation("w").unwrap();
    assert_eq!(claim.edited_files.unwrap(), [""; 0]);
    codex.noon().fail_consolidation(&claim.ownership_token.unwrap(), "no", Some(0)).unwrap();
    let done = codex.consolidate(&json!({ "files": { format!("skills/{}/SKILL.md", token()): "x" } }));
    assert_eq!(done.outcome, RunConsolidation::Failed);
    assert!(!done.reason.unwrap().contains("a1B2"));
    codex.assert_absent("a1B2");
}

#[test]
fn a_forgotten_session_is_withdrawn_from_what_any_consolidation_read() {
    let codex = Codex::with(|options| options.rollouts_consolidation_inputs(1));
    let consolidated = |codex: &Codex| {
        let claim = codex.noon().claim_consolidation("w").unwrap();
        let prompt = claim.prompt.unwrap();
        codex.noon().complete_consolidation(&claim.ownership_token.unwrap(), None).unwrap();
        prompt
    };
    codex.extracted("first", "2026-01-28T00:00:00Z");
    consolidated(&codex);
    codex.extracted("second", "2026-01-29T00:00:00Z");
    // It dropped out of the inputs, and is still known.
    assert!(!consolidated(&codex).contains("\n- first\n"));
    codex.noon().forget("first").unwrap();
    codex.noon().reset(false).unwrap();
    let claim = codex.noon().claim_consolidation("w").unwrap();
    assert!(claim.prompt.unwrap().contains("\n- first\n"));
    codex.noon().fail_consolidation(&claim.ownership_token.unwrap(), "no", Some(0)).unwrap();
    assert!(consolidated(&codex).contains("\n- first\n"));
    codex.extracted("third", "2026-01-30T00:00:00Z");
    assert!(!consolidated(&codex).contains("\n- first\n"));
}

#[test]
fn older_answers_of_a_forgotten_session_are_not_left_in_the_database() {
    let codex = Codex::new();
    for (day, word) in [(28, "zebra"), (29, "giraffe"), (30, "walrus")] {
        codex.thread("a", &format!("2026-01-{day}T00:00:00Z"));
        let claim = only(codex.noon().claim_stage1("w", None, None).unwrap().claims);
        complete(&codex.noon(), &claim, &format!("the {word} {}", "s".repeat(3_000)), word).unwrap();
    }
    codex.noon().forget("a").unwrap();
    for word in ["zebra", "giraffe", "walrus"] {
        codex.assert_absent(word);
    }
}

#[test]
fn a_session_that_is_disabled_while_it_is_worked_on_leaves_nothing() {
    let codex = Codex::new();
    codex.thread("a", "2026-01-30T00:00:00Z");
    let claim = only(codex.noon().claim_stage1("w", None, None).unwrap().claims);
    codex.noon().set_mode("a", loopmem::rollouts::Mode::Polluted).unwrap();
    assert!(!complete(&codex.noon(), &claim, "s", "m").unwrap());
    assert_eq!(codex.noon().explain("a").unwrap().output, None);
}

#[test]
fn files_of_the_user_are_not_replaced_through_links_or_by_other_names() {
    let codex = Codex::new();
    codex.write("notes/mine.md", "mine");
    let elsewhere = codex.home.root().join("dotfile");
    std::fs::write(&elsewhere, "of the user").unwrap();
    std::os::unix::fs::symlink(&elsewhere, codex.memory("MEMORY.md")).unwrap();
    for answer in [
        json!({ "files": { "notes/mine.md": null } }),
        json!({ "files": { format!("skills/{}", "x".repeat(300)): "x" } }),
        json!({ "files": { "skills": null } }),
        json!({ "files": { "skills/a": "x", "skills/a/b": "x" } }),
    ] {
        codex.extracted("a", "2026-01-30T00:00:00Z");
        let before = codex.noon().status().unwrap().consolidation.job.unwrap().retries_left;
        let done = codex.consolidate(&answer);
        assert_eq!(done.outcome, RunConsolidation::Failed, "{answer}");
        let after = codex.noon().status().unwrap().consolidation.job.unwrap().retries_left;
        assert_eq!(after + 1, before, "{answer}");
        codex.noon().reset(true).unwrap();
    }
    codex.extracted("a", "2026-01-30T00:00:00Z");
    let done = codex.consolidate(&json!({ "files": { "MEMORY.md": "x", "memory_summary.md": "y" } }));
    assert_eq!(done.written, ["memory_summary.md"]);
    assert!(codex.memory("MEMORY.md").is_symlink());
    assert_eq!(std::fs::read_to_string(&elsewhere).unwrap(), "of the user");
    assert_eq!(codex.read("notes/mine.md").as_deref(), Some("mine"));
}

#[test]
fn what_a_crash_left_between_two_steps_of_a_rebuild_is_still_removed_and_not_set_aside() {
    for pending in ["''", "'0123456789abcdef0123456789abcdef'"] {
        let codex = Codex::new();
        codex.extracted("a", "2026-01-30T00:00:00Z");
        codex.noon().materialize().unwrap();
        codex.database().execute_batch(&format!("UPDATE artifact SET pending = {pending}")).unwrap();
        assert_eq!(codex.noon().materialize().unwrap().set_aside, [""; 0]);
        let removed = codex.noon().forget("a").unwrap().removed;
        assert_eq!(removed, ["raw_memories.md", "rollout_summaries/a.md"], "{pending}");
    }
}

#[test]
fn a_migration_that_was_interrupted_goes_on() {
    let codex = Codex::new();
    codex.write("user/memory/MEMORY.md", "old");
    codex.write("user/memory/memory_summary.md", "old");
    codex.extracted("a", "2026-01-30T00:00:00Z");
    codex.database().execute_batch("INSERT INTO meta VALUES ('legacy_root_moved', 0)").unwrap();
    std::fs::rename(codex.memory("user/memory/MEMORY.md"), codex.memory("MEMORY.md")).unwrap();
    assert_eq!(codex.noon().migrate_legacy_root().unwrap().moved, ["memory_summary.md"]);
    assert_eq!(
        (codex.read("MEMORY.md").as_deref(), codex.read("memory_summary.md").as_deref()),
        (Some("old"), Some("old"))
    );
}

#[test]
fn a_database_of_a_newer_version_is_refused_and_stays_as_it_is() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-30T00:00:00Z");
    codex.database().execute_batch("PRAGMA user_version = 99").unwrap();
    for error in [
        codex.noon().claim_stage1("w", None, None).unwrap_err(),
        codex.noon().upsert_thread(codex.draft("b", "2026-01-30T00:00:00Z")).unwrap_err(),
        codex.noon().status().unwrap_err(),
        codex.noon().materialize().unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::FormatTooNew, "{error}");
    }
    let version: u32 = codex.database().query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    assert_eq!(version, 99);
}

#[test]
fn only_transcripts_that_were_looked_for_are_missing() {
    let codex = Codex::new();
    let folder = codex.root().join("all");
    std::fs::create_dir_all(folder.join("one")).unwrap();
    let said = r#"{"type":"user","sessionId":"s","cwd":"/w","gitBranch":"b","timestamp":"2026-01-20T10:00:00Z","message":{"role":"user","content":"hi"}}"#;
    std::fs::write(folder.join("one/s.jsonl"), said).unwrap();
    let scan =
        |kinds: Option<&[TranscriptKind]>| codex.noon().scan(kinds, Some(std::slice::from_ref(&folder))).unwrap();
    assert_eq!(scan(None).new, 1);
    scan(Some(&[TranscriptKind::Codex]));
    assert_eq!(codex.noon().explain("s").unwrap().reason, loopmem::rollouts::Reason::Due);
    // A second transcript of the session is read when the first one is gone.
    std::fs::create_dir_all(folder.join("two")).unwrap();
    std::fs::copy(folder.join("one/s.jsonl"), folder.join("two/s.jsonl")).unwrap();
    scan(None);
    std::fs::remove_dir_all(folder.join("one")).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(40));
    scan(None);
    scan(None);
    assert_eq!(codex.noon().explain("s").unwrap().reason, loopmem::rollouts::Reason::Due);
}

#[test]
fn a_script_that_asks_a_model_is_no_session_to_extract_from() {
    let codex = Codex::new();
    let folder = codex.root().join("claude");
    std::fs::create_dir_all(&folder).unwrap();
    codex.thread("t", "2026-01-30T00:00:00Z");
    std::fs::write(codex.root().join("sessions.jsonl"), "").unwrap();
    let line = |entrypoint: &str, text: &str| {
        json!({
            "type": "user", "sessionId": "s", "cwd": "/w", "gitBranch": "b", "timestamp": "2026-01-20T10:00:00Z",
            "entrypoint": entrypoint, "message": { "role": "user", "content": text },
        })
        .to_string()
    };
    let asked = "You read the transcript of one past session between a user and a coding agent, and write down";
    std::fs::write(folder.join("sdk.jsonl"), line("sdk-cli", "hi")).unwrap();
    std::fs::write(folder.join("own.jsonl"), line("cli", asked)).unwrap();
    let asked = "You maintain the memory of a coding agent: a few files in one folder that later sessions read. Merge";
    std::fs::write(folder.join("own-too.jsonl"), line("cli", asked)).unwrap();
    // Who speaks of it later is a person.
    let quoted = format!("{}\n{}", line("cli", "hi"), line("cli", asked));
    std::fs::write(folder.join("person.jsonl"), quoted).unwrap();
    let codex_line =
        |kind: &str, payload: Value| json!({ "timestamp": "2026-01-20T10:00:00Z", "type": kind, "payload": payload });
    let said = |text: &str| {
        codex_line(
            "response_item",
            json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": text }] }),
        )
    };
    let meta = codex_line("session_meta", json!({ "id": "codex", "cwd": "/w", "source": "cli" }));
    let environment = said("<environment_context>\n  <cwd>/w</cwd>\n</environment_context>");
    std::fs::create_dir_all(codex.root().join("sessions")).unwrap();
    let rollout = format!("{meta}\n{environment}\n{}\n", said(asked));
    std::fs::write(codex.root().join("sessions/rollout-codex.jsonl"), rollout).unwrap();
    let found = codex.noon().scan(Some(&[TranscriptKind::Codex]), None).unwrap();
    assert_eq!(only(found.skipped).reason, "extraction");
    let found = codex.noon().scan(Some(&[TranscriptKind::Claude]), Some(&[folder])).unwrap();
    assert!(found.skipped.len() == 2 && found.skipped.iter().all(|skipped| skipped.reason == "extraction"));
    assert_eq!(claimed(&codex.noon()), ["t", "person"]);
}

#[test]
fn a_root_that_cannot_be_written_to_is_an_error_and_the_answers_stay() {
    use std::os::unix::fs::PermissionsExt as _;
    let codex = Codex::new();
    codex.extracted("a", "2026-01-30T00:00:00Z");
    codex.write("MEMORY.md", "x");
    let set = |mode| std::fs::set_permissions(codex.root().join("memories"), std::fs::Permissions::from_mode(mode));
    set(0o500).unwrap();
    let is_root = std::fs::write(codex.memory("probe"), "").is_ok();
    let written = codex.noon().materialize();
    set(0o700).unwrap();
    if is_root {
        // Whoever runs this may write anywhere.
        assert_eq!(written.unwrap().written.len(), 2);
        return;
    }
    assert_eq!(written.unwrap_err().kind(), ErrorKind::Io);
    assert_eq!(codex.noon().materialize().unwrap().written.len(), 2);
}

#[test]
fn a_database_that_names_files_outside_the_root_neither_moves_nor_removes_them() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-30T00:00:00Z");
    codex.noon().materialize().unwrap();
    codex.write("notes/mine.md", "mine");
    let outside = codex.root().join("config.toml");
    std::fs::write(&outside, "of the user").unwrap();
    let digest = "a digest";
    for path in ["../config.toml", "rollout_summaries/../../config.toml", "notes/mine.md", outside.to_str().unwrap()] {
        let sql = format!("INSERT INTO artifact (path, digest) VALUES ('{path}', '{digest}')");
        codex.database().execute_batch(&sql).unwrap();
    }
    codex.noon().materialize().unwrap();
    codex.noon().forget("a").unwrap();
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "of the user");
    assert_eq!(codex.read("notes/mine.md").as_deref(), Some("mine"));
    let found = codex.store_at(NOON).doctor().check().unwrap();
    assert!(!found.findings.is_empty());
}

#[test]
fn damaged_settings_of_the_index_of_texts_are_named_and_repaired() {
    for sql in [
        "UPDATE output_text_config SET v = x'00ff'",
        "UPDATE output_text_config SET v = 99",
        "UPDATE output_text_config SET k = 'other'",
        "DELETE FROM output_text_config",
        "INSERT INTO output_text_config VALUES ('rank', 'nonsense(')",
        "INSERT INTO output_text_config VALUES ('pgsz', x'00ff')",
    ] {
        let codex = Codex::new();
        codex.extracted("a", "2026-01-30T00:00:00Z");
        codex.extracted("b", "2026-01-29T00:00:00Z");
        codex.noon().materialize().unwrap();
        codex.database().execute_batch(sql).unwrap();
        let rollouts = codex.noon();
        let calls: [&dyn Fn() -> Result<()>; 4] = [
            &|| rollouts.materialize().map(drop),
            &|| rollouts.claim_consolidation("w").map(drop),
            &|| rollouts.forget("b").map(drop),
            &|| rollouts.reset(true).map(drop),
        ];
        let errors = calls.map(|call| call().err());
        for error in errors.iter().flatten() {
            assert_eq!(error.kind(), ErrorKind::Parse, "{sql}: {error}");
        }
        if sql.contains("99") {
            assert!(errors.iter().flatten().count() >= 2, "{errors:?}");
        }
        let found = codex.store_at(NOON).doctor().check().unwrap().findings;
        assert!(found.iter().any(|finding| finding.file.ends_with("rollouts.sqlite3")), "{sql}: {found:?}");
        codex.store_at(NOON).doctor().fix().unwrap();
        codex.noon().forget("b").unwrap();
        codex.noon().reset(true).unwrap();
    }
}

#[test]
fn a_summary_that_is_a_link_is_not_read() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-30T00:00:00Z");
    let secret = codex.root().join("of_the_user.md");
    std::fs::write(&secret, "a giraffe of the user").unwrap();
    std::fs::create_dir_all(codex.memory("")).unwrap();
    std::os::unix::fs::symlink(&secret, codex.memory("memory_summary.md")).unwrap();
    std::fs::create_dir(codex.home.root().join("work")).unwrap();
    let repo = codex.store_at(NOON).repo(codex.home.root().join("work")).unwrap();
    let pack = repo.context(4_000).prompt("a giraffe").build().unwrap().text;
    assert!(!pack.contains("giraffe of the user"), "{pack}");
}
