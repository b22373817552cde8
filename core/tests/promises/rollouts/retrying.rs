//! What failed: it is named, and tried again once its cause is fixed.

use loopmem::rollouts::{Reason, RunConsolidation, RunOutcome, Runner};
use loopmem::{CallOptions, Cancel, ErrorKind};

use super::*;

fn shell(script: &str) -> Vec<String> {
    ["sh", "-c", script].map(str::to_owned).to_vec()
}

impl Codex {
    /// Registers a session with a transcript, which changed on this day.
    fn registered(&self, id: &str, day: u32) {
        let path = self.root().join(format!("sessions/rollout-{id}.jsonl"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let meta = json!({ "type": "session_meta", "payload": { "id": id, "cwd": "/work/shop", "source": "cli" } });
        let line = json!({ "timestamp": format!("2026-01-{day:02}T00:00:00Z"), "type": "response_item",
            "payload": { "type": "message", "role": "user", "content": "hi" } });
        std::fs::write(path, format!("{meta}\n{line}\n")).unwrap();
        self.thread(id, &format!("2026-01-{day:02}T00:00:00Z"));
    }

    fn scan(&self) {
        self.noon().scan(None, Some(&[self.root().join("sessions")])).unwrap();
    }

    /// Why this session is or is not extracted, and how many attempts are left.
    fn state_of(&self, id: &str) -> (Reason, Option<u32>) {
        let explained = self.noon().explain(id).unwrap();
        (explained.reason, explained.job.map(|job| job.retries_left))
    }

    /// The ids of the sessions with one of these reasons.
    fn listed(&self, reasons: &[Reason]) -> Vec<String> {
        let listed = self.noon().list(Some(reasons), None).unwrap();
        assert_eq!(listed.total, listed.threads.len() as u64);
        listed.threads.into_iter().map(|thread| thread.thread_id).collect()
    }
}

/// Fails the newest session that is due.
fn fail(rollouts: &Rollouts) -> String {
    let claim = only(rollouts.claim_stage1("w", Some(1), None).unwrap().claims);
    rollouts.fail_stage1(&claim.thread_id, &claim.ownership_token, "no model", None).unwrap();
    claim.thread_id
}

#[test]
fn a_command_that_is_not_found_by_a_shell_spends_no_attempt() {
    let codex = Codex::new();
    codex.registered("a", 20);
    codex.registered("b", 19);
    for script in ["/nowhere/at/all", "exit 127"] {
        let refused = codex.noon().run(&Runner::new(shell(script))).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Validation, "{refused}");
        assert!(refused.message().contains("was not found; check its path"), "{refused}");
    }
    assert_eq!((codex.state_of("a"), codex.state_of("b")), ((Reason::Due, Some(3)), (Reason::Due, None)));
    codex.extracted("a", "2026-01-20T00:00:00Z");
    let run = codex.noon().run(&Runner::new(shell("exit 1")).consolidate(shell("exit 127"))).unwrap();
    assert_eq!(run.consolidation.outcome, RunConsolidation::Failed);
    assert_eq!(codex.noon().status().unwrap().consolidation.job.unwrap().retries_left, 3);
}

#[test]
fn a_run_gives_up_after_three_failures_in_a_row_and_goes_on_after_others() {
    let codex = Codex::new();
    for (id, day) in [("a", 20), ("b", 19), ("c", 18), ("d", 17), ("e", 16)] {
        codex.registered(id, day);
    }
    let run = codex.noon().run(&Runner::new(shell("exit 1"))).unwrap();
    assert_eq!((run.threads.len(), run.gave_up), (3, true));
    assert_eq!(codex.listed(&[Reason::Due]), ["d", "e"]);
    codex.noon().retry(None).unwrap();
    let odd = r#"if grep -q '"threadId":"[ace]"'; then exit 1; fi; echo '{"rollout_summary":"s","raw_memory":""}'"#;
    let run = codex.noon().run(&Runner::new(shell(odd))).unwrap();
    assert_eq!((run.threads.len(), run.gave_up), (5, false));
    assert_eq!(codex.listed(&[Reason::Backoff]), ["a", "c", "e"]);
    // All that were due were tried.
    codex.noon().retry(None).unwrap();
    let run = codex.noon().run(&Runner::new(shell("exit 1"))).unwrap();
    assert_eq!((run.threads.len(), run.gave_up), (3, false));
}

#[test]
fn a_session_that_a_shell_cannot_pass_on_spends_attempts_and_blocks_no_other() {
    let codex = Codex::new();
    codex.registered("long", 20);
    codex.registered("short", 19);
    let script = r#"read -r asked; case "$asked" in *'"threadId":"long"'*) more=$(head -c 300000 /dev/zero | tr '\0' x);; esac
        env true "$more" && echo '{"rollout_summary":"s","raw_memory":""}'"#;
    let run = codex.noon().run(&Runner::new(shell(script))).unwrap();
    let outcomes: Vec<_> = run.threads.iter().map(|it| (it.thread_id.as_str(), it.outcome)).collect();
    assert_eq!(outcomes, [("long", RunOutcome::Failed), ("short", RunOutcome::Stored)]);
    assert!(run.threads[0].reason.as_ref().unwrap().contains("exit status 126"), "{run:?}");
    assert_eq!(codex.state_of("long"), (Reason::Backoff, Some(2)));
}

#[test]
fn what_the_status_counts_as_failed_is_what_a_list_shows_and_a_retry_changes() {
    let codex = Codex::with(|options| options.rollouts_attempts(2).rollouts_min_idle_hours(1));
    for (id, day) in [("exhausted", 28), ("waiting", 27), ("archived", 26), ("changed", 25), ("old", 2)] {
        codex.registered(id, day);
    }
    for _ in 0..5 {
        fail(&codex.noon());
    }
    let later = codex.at("2026-01-31T13:00:00Z");
    for _ in 0..3 {
        fail(&later);
    }
    codex.noon().upsert_thread(codex.draft("archived", "2026-01-26T00:00:00Z").archived(true)).unwrap();
    codex.thread("changed", "2026-01-31T12:50:00Z");
    for time in ["2026-01-31T13:10:00Z", "2026-02-01T13:10:00Z", "2026-02-03T00:00:00Z"] {
        let rollouts = codex.at(time);
        let jobs = rollouts.status().unwrap().jobs;
        let total = |reason| u32::try_from(rollouts.list(Some(&[reason]), None).unwrap().total).unwrap();
        assert_eq!((jobs.failed, jobs.exhausted), (total(Reason::Backoff), total(Reason::Exhausted)), "{time}");
    }
    let last = codex.at("2026-02-03T00:00:00Z");
    let retried = last.retry(None).unwrap().thread_ids;
    let due: Vec<String> =
        last.list(Some(&[Reason::Due]), None).unwrap().threads.into_iter().map(|it| it.thread_id).collect();
    assert!(!retried.is_empty() && retried.iter().all(|id| due.contains(id)), "{retried:?} {due:?}");
}

#[test]
fn a_failure_and_a_lease_of_what_has_changed_since_say_when_it_is_really_due() {
    let codex = Codex::new();
    let next = || codex.noon().status().unwrap().next_due;
    codex.registered("a", 20);
    let claim = only(codex.noon().claim_stage1("w", None, None).unwrap().claims);
    codex.thread("a", "2026-01-31T11:00:00Z");
    assert_eq!(next().as_deref(), Some("2026-01-31T23:00:00.000Z"), "not at the end of the lease");
    let failed = codex.noon().fail_stage1("a", &claim.ownership_token, "no model", None).unwrap();
    assert_eq!((failed.retries_left, codex.state_of("a").1), (3, Some(3)), "the change has refilled them");
    assert_eq!(next().as_deref(), Some("2026-01-31T23:00:00.000Z"), "not at the end of the wait");
}

#[test]
fn failed_sessions_are_listed_and_due_again_when_the_user_says_so() {
    let codex = Codex::with(|options| options.rollouts_attempts(2));
    for (id, day) in [("a", 20), ("b", 19), ("c", 18)] {
        codex.registered(id, day);
    }
    assert_eq!((fail(&codex.noon()), fail(&codex.noon())), ("a".to_owned(), "b".to_owned()));
    assert_eq!(fail(&codex.at("2026-01-31T14:00:00Z")), "a");
    assert_eq!(codex.listed(&[Reason::Exhausted]), ["a"]);
    assert_eq!(codex.listed(&[Reason::Exhausted, Reason::Backoff]), ["a", "b"]);
    let first = codex.noon().list(None, Some(1)).unwrap();
    assert_eq!((only(first.threads).detail.ends_with("see rollouts.retry: no model"), first.total), (true, 3));
    let retried = codex.noon().retry(Some(&["a", "c"])).unwrap();
    assert_eq!((retried.thread_ids, retried.consolidation), (vec!["a".to_owned()], false));
    assert_eq!((codex.state_of("a"), codex.state_of("b")), ((Reason::Due, Some(2)), (Reason::Backoff, Some(1))));
    let consolidation = |codex: &Codex| codex.noon().claim_consolidation("w").unwrap().ownership_token;
    codex.extracted("a", "2026-01-20T00:00:00Z");
    codex.noon().fail_consolidation(&consolidation(&codex).unwrap(), "no model", None).unwrap();
    let retried = codex.noon().retry(None).unwrap();
    assert_eq!((retried.thread_ids, retried.consolidation), (vec!["b".to_owned()], true));
    assert!(consolidation(&codex).is_some());
    // One that a worker has stays as it is.
    assert_eq!(codex.noon().retry(None).unwrap(), Default::default());
    assert_eq!(codex.noon().retry(Some(&["nobody"])).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(Codex::new().noon().retry(Some(&["nobody"])).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(Codex::new().noon().retry(None).unwrap(), Default::default());
    assert_eq!(codex.noon().list(None, Some(0)).unwrap_err().kind(), ErrorKind::Validation);
}

#[test]
fn a_worker_that_did_not_come_back_is_retried_and_its_late_answer_is_not_stored() {
    let codex = Codex::new();
    codex.registered("a", 20);
    let claim = only(codex.noon().claim_stage1("w", None, None).unwrap().claims);
    assert_eq!(codex.noon().retry(None).unwrap(), Default::default());
    let later = codex.at("2026-01-31T13:00:00Z");
    assert_eq!(later.retry(None).unwrap().thread_ids, ["a"]);
    assert_lost(complete(&later, &claim, "s", "m"));
    assert_eq!(claimed(&later), ["a"]);
}

#[test]
fn the_next_one_is_due_when_a_lease_or_a_wait_ends_or_it_was_idle_for_long_enough() {
    let codex = Codex::new();
    let next = |codex: &Codex, time: &str| codex.at(time).status().unwrap().next_due;
    codex.registered("a", 20);
    assert_eq!(next(&codex, NOON), None, "it is due already");
    codex.thread("young", "2026-01-31T05:00:00Z");
    assert_eq!(next(&codex, NOON).as_deref(), Some("2026-01-31T17:00:00.000Z"));
    codex.noon().claim_stage1("w", None, None).unwrap();
    assert_eq!(next(&codex, NOON).as_deref(), Some("2026-01-31T13:00:00.000Z"));
    assert_eq!(fail(&codex.at("2026-01-31T13:00:00Z")), "a");
    assert_eq!(next(&codex, "2026-01-31T13:30:00Z").as_deref(), Some("2026-01-31T14:00:00.000Z"));
    // A lease without an attempt after it does not count.
    codex.at("2026-01-31T14:00:00Z").claim_stage1("w", None, None).unwrap();
    assert_eq!(next(&codex, "2026-01-31T14:30:00Z").as_deref(), Some("2026-01-31T17:00:00.000Z"));
}

#[test]
fn a_session_whose_transcript_is_gone_spends_no_attempt_and_is_due_when_it_is_back() {
    let codex = Codex::new();
    codex.registered("a", 20);
    codex.scan();
    // Once a scan has seen it, as it is: the folder is moved, as when a disk is not there for a while.
    let path = codex.root().join("sessions");
    let away = codex.root().join("away");
    std::fs::rename(&path, &away).unwrap();
    let thread = only(codex.noon().run(&Runner::new(shell("exit 1"))).unwrap().threads);
    assert_eq!(thread.outcome, RunOutcome::TranscriptMissing);
    assert_eq!(codex.state_of("a"), (Reason::TranscriptMissing, Some(3)));
    assert_eq!(claimed(&codex.noon()), [""; 0]);
    std::fs::rename(&away, &path).unwrap();
    codex.scan();
    assert_eq!(codex.state_of("a"), (Reason::Due, Some(3)));
    let path = path.join("rollout-a.jsonl");
    // The same when a host reports it as a failure.
    fail(&codex.noon());
    std::fs::rename(&path, &away).unwrap();
    codex.scan();
    std::fs::rename(&away, &path).unwrap();
    codex.scan();
    assert_eq!(codex.state_of("a"), (Reason::Due, Some(3)));
}

#[test]
fn a_run_brings_the_files_up_to_date_even_if_nothing_is_due() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-20T00:00:00Z");
    assert!(codex.noon().run(&Runner::new(shell("exit 1"))).unwrap().threads.is_empty());
    assert!(codex.read("rollout_summaries/a.md").is_some());
}

#[test]
fn a_list_can_be_cancelled() {
    let codex = Codex::new();
    codex.registered("a", 20);
    let cancel = Cancel::new();
    cancel.cancel();
    let store = codex.store_at(NOON).with(CallOptions::new().cancel(&cancel));
    assert_eq!(store.rollouts().list(None, None).unwrap_err().kind(), ErrorKind::Cancelled);
}
