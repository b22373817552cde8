//! Which sessions are due, and who gets them.

use loopmem::rollouts::{Mode, Reason, Work};
use loopmem::{ErrorKind, Options};

use super::*;

#[test]
fn a_session_is_due_from_12_hours_to_30_days_after_its_last_change_and_both_ends_count() {
    let codex = Codex::new();
    codex.thread("just-idle", "2026-01-31T00:00:00.000Z");
    codex.thread("not-idle", "2026-01-31T00:00:00.001Z");
    codex.thread("just-young", "2026-01-01T12:00:00.000Z");
    codex.thread("too-old", "2026-01-01T11:59:59.999Z");
    let explained = |id: &str| codex.noon().explain(id).unwrap().reason;
    assert_eq!(explained("just-idle"), Reason::Due);
    assert_eq!(explained("not-idle"), Reason::NotIdle);
    assert_eq!(explained("just-young"), Reason::Due);
    assert_eq!(explained("too-old"), Reason::TooOld);
    assert_eq!(claimed(&codex.noon()), ["just-idle", "just-young"]);
}

#[test]
fn only_sessions_with_people_whose_memory_is_enabled_are_claimed_and_never_the_callers_own() {
    let codex = Codex::new();
    let rollouts = codex.noon();
    let yesterday = "2026-01-30T00:00:00Z";
    let register = |id: &str, draft: fn(ThreadDraft) -> ThreadDraft| {
        rollouts.upsert_thread(draft(codex.draft(id, yesterday))).unwrap();
    };
    register("plain", |draft| draft);
    register("own", |draft| draft);
    register("archived", |draft| draft.archived(true));
    register("disabled", |draft| draft.mode(Mode::Disabled));
    register("polluted", |draft| draft.mode(Mode::Polluted));
    let path = codex.root().join("x.jsonl");
    let exec = ThreadDraft::new("exec", path.to_str().unwrap(), yesterday, "/w", "exec");
    rollouts.upsert_thread(exec).unwrap();
    let claims = rollouts.claim_stage1("w", None, Some("own")).unwrap().claims;
    assert_eq!(ids(&claims), ["plain"]);
    let reason = |id: &str| rollouts.explain(id).unwrap().reason;
    assert_eq!(
        ["plain", "own", "archived", "disabled", "polluted", "exec", "nobody"].map(reason),
        [
            Reason::Running,
            Reason::Due,
            Reason::Archived,
            Reason::Disabled,
            Reason::Polluted,
            Reason::NotInteractive,
            Reason::NotRegistered
        ]
    );
}

#[test]
fn what_a_session_is_registered_with_again_replaces_it_but_for_its_mode_and_its_archive() {
    let codex = Codex::new();
    let rollouts = codex.noon();
    let first =
        codex.draft("a", "2026-01-01T00:00:00Z").mode(Mode::Polluted).archived(true).git_branch("main".to_owned());
    rollouts.upsert_thread(first).unwrap();
    let second = rollouts.upsert_thread(codex.draft("a", "2026-01-02T01:00:00.5+01:00")).unwrap();
    assert_eq!(second.updated_at, "2026-01-02T00:00:00.500Z");
    assert_eq!((second.mode, second.archived, second.git_branch), (Mode::Polluted, true, None));
}

#[test]
fn young_and_up_to_date_sessions_do_not_keep_older_ones_from_being_claimed() {
    let codex = Codex::new();
    for number in 0..100 {
        codex.thread(&format!("young-{number:03}"), "2026-01-31T11:00:00Z");
    }
    for number in 0..5 {
        codex.extracted(&format!("done-{number}"), "2026-01-30T00:00:00Z");
    }
    codex.thread("old", "2026-01-10T00:00:00Z");
    assert_eq!(ids(&codex.noon().claim_stage1("w", Some(1), None).unwrap().claims), ["old"]);
}

#[test]
fn no_more_than_the_cap_are_claimed_at_once_and_the_rest_when_they_are_done() {
    let codex = Codex::with(|options| options.rollouts_max_running(4));
    for number in 0..10 {
        codex.thread(&format!("t{number}"), "2026-01-30T00:00:00Z");
    }
    let rollouts = codex.noon();
    let first = rollouts.claim_stage1("a", Some(3), None).unwrap().claims;
    let second = rollouts.claim_stage1("b", Some(3), None).unwrap().claims;
    assert_eq!((ids(&first), ids(&second)), (vec!["t9", "t8", "t7"], vec!["t6"]));
    assert_eq!(claimed(&rollouts), [""; 0]);
    assert_eq!(rollouts.explain("t5").unwrap().reason, Reason::CapReached);
    for claim in &first {
        complete(&rollouts, claim, "s", "m").unwrap();
    }
    assert_eq!(claimed(&rollouts), ["t5", "t4", "t3"]);
    let status = rollouts.status().unwrap();
    assert_eq!((status.running, status.cap, status.jobs.done, status.threads.due), (4, 4, 3, 3));
}

#[test]
fn a_crashed_workers_slot_is_free_at_the_end_of_its_lease_and_not_later() {
    let codex = Codex::with(|options| options.rollouts_max_running(1));
    codex.thread("a", "2026-01-30T00:00:00Z");
    codex.thread("b", "2026-01-29T00:00:00Z");
    assert_eq!(claimed(&codex.noon()), ["a"]);
    assert_eq!(claimed(&codex.at("2026-01-31T12:59:59.999Z")), [""; 0]);
    assert_eq!(claimed(&codex.at("2026-01-31T13:00:00.000Z")), ["a"]);
}

#[test]
fn a_crash_spends_an_attempt_so_that_no_session_is_tried_for_ever() {
    let codex = Codex::new();
    codex.thread("poison", "2026-01-30T00:00:00Z");
    for hour in 12..15 {
        assert_eq!(claimed(&codex.at(&format!("2026-01-31T{hour}:00:00Z"))), ["poison"]);
    }
    let later = codex.at("2026-01-31T20:00:00Z");
    assert_eq!(claimed(&later), [""; 0]);
    let explained = later.explain("poison").unwrap();
    assert_eq!((explained.eligible, explained.reason), (false, Reason::Exhausted));
    assert_eq!(explained.job.unwrap().retries_left, 0);
    // A change refills its attempts.
    later.upsert_thread(codex.draft("poison", "2026-01-31T01:00:00Z")).unwrap();
    assert_eq!(claimed(&later), ["poison"]);
    assert_eq!(later.explain("poison").unwrap().job.unwrap().retries_left, 2);
}

#[test]
fn a_failure_waits_for_its_time_and_a_change_does_not() {
    let codex = Codex::new();
    codex.thread("a", "2026-01-30T00:00:00Z");
    let fail = |time: &str, after: Option<u32>| {
        let rollouts = codex.at(time);
        let claim = only(rollouts.claim_stage1("w", None, None).unwrap().claims);
        rollouts.fail_stage1("a", &claim.ownership_token, "the model is out", after).unwrap()
    };
    let failed = fail(NOON, None);
    assert_eq!((failed.retries_left, failed.retry_at.as_deref()), (2, Some("2026-01-31T13:00:00.000Z")));
    let explained = codex.noon().explain("a").unwrap();
    assert_eq!(explained.reason, Reason::Backoff);
    assert!(explained.detail.ends_with("at 2026-01-31T13:00:00.000Z: the model is out"), "{}", explained.detail);
    assert_eq!(codex.noon().status().unwrap().next_due.as_deref(), Some("2026-01-31T13:00:00.000Z"));
    assert_eq!(claimed(&codex.at("2026-01-31T12:59:59Z")), [""; 0]);
    assert_eq!(fail("2026-01-31T13:00:00Z", Some(60)).retry_at.as_deref(), Some("2026-01-31T13:01:00.000Z"));
    let last = fail("2026-01-31T13:01:00Z", None);
    assert_eq!((last.retries_left, last.retry_at), (0, None));
    assert_eq!(claimed(&codex.at("2026-01-31T23:00:00Z")), [""; 0]);
    let changed = codex.at("2026-01-31T23:00:00Z");
    changed.upsert_thread(codex.draft("a", "2026-01-31T10:00:00Z")).unwrap();
    assert_eq!(claimed(&changed), ["a"]);
}

#[test]
fn an_up_to_date_session_is_due_again_when_it_changes() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-29T00:00:00Z");
    assert_eq!(claimed(&codex.noon()), [""; 0]);
    assert_eq!(codex.noon().explain("a").unwrap().reason, Reason::UpToDate);
    codex.thread("a", "2026-01-30T00:00:00Z");
    assert_eq!(claimed(&codex.noon()), ["a"]);
}

#[test]
fn a_heartbeat_extends_a_claim_until_somebody_else_has_it() {
    let codex = Codex::with(|options| options.rollouts_max_running(1));
    codex.thread("a", "2026-01-30T00:00:00Z");
    codex.thread("b", "2026-01-29T00:00:00Z");
    let claim = only(codex.noon().claim_stage1("w", Some(1), None).unwrap().claims);
    assert_eq!(claim.lease_until, "2026-01-31T13:00:00.000Z");
    let beat = |time: &str| codex.at(time).heartbeat(Work::Stage1("a"), &claim.ownership_token);
    assert_eq!(beat("2026-01-31T12:30:00Z").unwrap(), "2026-01-31T13:30:00.000Z");
    assert_eq!(claimed(&codex.at("2026-01-31T13:10:00Z")), [""; 0]);
    // A lease that ran out can be renewed, unless its slot was given away.
    assert_eq!(beat("2026-01-31T13:40:00Z").unwrap(), "2026-01-31T14:40:00.000Z");
    let stolen = only(codex.at("2026-01-31T15:00:00Z").claim_stage1("v", Some(1), None).unwrap().claims);
    assert_eq!(stolen.thread_id, "a");
    assert_lost(beat("2026-01-31T15:00:01Z"));
    assert_lost(codex.noon().heartbeat(Work::Stage1("a"), "somebody's"));
    assert_lost(codex.noon().heartbeat(Work::Stage1("nobody"), &claim.ownership_token));
}

#[test]
fn an_expired_lease_cannot_be_renewed_beyond_the_cap() {
    let codex = Codex::with(|options| options.rollouts_max_running(1));
    codex.thread("a", "2026-01-30T00:00:00Z");
    let claim = only(codex.noon().claim_stage1("w", None, None).unwrap().claims);
    let later = codex.at("2026-01-31T13:00:00Z");
    later.upsert_thread(codex.draft("b", "2026-01-31T00:30:00Z")).unwrap();
    assert_eq!(ids(&later.claim_stage1("v", Some(1), None).unwrap().claims), ["b"]);
    let lost = assert_lost(later.heartbeat(Work::Stage1("a"), &claim.ownership_token));
    assert!(lost.message().contains("its slot was given away"), "{lost}");
    // What was made meanwhile still counts: nobody took the session over.
    assert!(complete(&later, &claim, "s", "m").unwrap());
}

#[test]
fn a_clock_that_jumps_back_neither_frees_claims_nor_keeps_them_for_ever() {
    let codex = Codex::new();
    codex.thread("a", "2026-01-10T00:00:00Z");
    let claim = only(codex.noon().claim_stage1("w", None, None).unwrap().claims);
    // A little: the claim holds.
    assert_eq!(claimed(&codex.at("2026-01-31T11:30:00Z")), [""; 0]);
    // By days: it would hold for days.
    assert_eq!(claimed(&codex.at("2026-01-25T12:00:00Z")), ["a"]);
    assert_lost(complete(&codex.noon(), &claim, "s", "m"));
    // The same holds for the wait after a failure.
    codex.thread("b", "2026-01-11T00:00:00Z");
    let rollouts = codex.noon();
    let claim = rollouts.claim_stage1("w", Some(1), None).unwrap().claims.remove(0);
    assert_eq!(claim.thread_id, "b");
    rollouts.fail_stage1("b", &claim.ownership_token, "no", None).unwrap();
    assert!(!claimed(&codex.at("2026-01-31T11:30:00Z")).contains(&"b".to_owned()));
    assert!(claimed(&codex.at("2026-01-25T12:00:00Z")).contains(&"b".to_owned()));
}

#[test]
fn calls_that_find_nothing_create_nothing() {
    let codex = Codex::new();
    let rollouts = codex.noon();
    assert_eq!(claimed(&rollouts), [""; 0]);
    assert_eq!(rollouts.status().unwrap().threads.registered, 0);
    assert_eq!(rollouts.explain("a").unwrap().reason, Reason::NotRegistered);
    assert_eq!(rollouts.record_usage(&["a"]).unwrap(), 0);
    assert_eq!(rollouts.materialize().unwrap().written, [""; 0]);
    assert_eq!(rollouts.reset(true).unwrap().jobs, 0);
    assert_lost(rollouts.fail_consolidation("t", "r", None));
    assert_eq!(rollouts.set_mode("a", Mode::Disabled).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(rollouts.input("a", None).unwrap_err().kind(), ErrorKind::NotFound);
    let left: Vec<_> =
        std::fs::read_dir(codex.root()).into_iter().flatten().flatten().map(|it| it.file_name()).collect();
    let only_locks =
        left.iter().all(|name| name.to_string_lossy().ends_with(".lock") || name.to_string_lossy().ends_with(".gate"));
    assert!(only_locks, "{left:?}");
}

#[test]
fn what_cannot_be_registered_is_refused_by_name() {
    let codex = Codex::new();
    let rollouts = codex.noon();
    let refused = |id: &str, path: &str, time: &str, cwd: &str, source: &str| {
        let error = rollouts.upsert_thread(ThreadDraft::new(id, path, time, cwd, source)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Validation, "{error}");
        error.message().split(' ').next().unwrap().to_owned()
    };
    let time = "2026-01-01T00:00:00Z";
    assert_eq!(refused("", "/r", time, "/w", "cli"), "id");
    assert_eq!(refused(&"x".repeat(81), "/r", time, "/w", "cli"), "id");
    assert_eq!(refused("a\nb", "/r", time, "/w", "cli"), "id");
    assert_eq!(refused("a", "", time, "/w", "cli"), "rolloutPath");
    assert_eq!(refused("a", "/r", "yesterday", "/w", "cli"), "updatedAt");
    assert_eq!(refused("a", "/r", time, "/w", ""), "source");
    // Paths do not depend on the folder that the next call is made in.
    let relative = rollouts.upsert_thread(ThreadDraft::new("a", "r.jsonl", time, "w", "cli")).unwrap();
    let here = std::env::current_dir().unwrap();
    assert_eq!(
        (PathBuf::from(relative.rollout_path), PathBuf::from(relative.cwd)),
        (here.join("r.jsonl"), here.join("w"))
    );
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let secret = rollouts.upsert_thread(ThreadDraft::new(&token, "/r", time, "/w", "cli")).unwrap_err();
    assert_eq!(secret.kind(), ErrorKind::SecretRefused);
    let thread = rollouts.upsert_thread(ThreadDraft::new("a", "/r", time, format!("/w/{token}"), "cli")).unwrap();
    assert!(thread.cwd.starts_with("/w/[REDACTED:"), "{thread:?}");
}

#[test]
fn a_configuration_out_of_range_is_refused_by_its_key() {
    let open = |options: Options| Store::open(options).unwrap_err().message().to_owned();
    let nowhere = || Options::at("/nowhere/at/all");
    assert_eq!(open(nowhere().rollouts_attempts(0)), "rolloutsAttempts is 0; it must be from 1 to 1000");
    assert_eq!(open(nowhere().rollouts_lease_secs(0)), "rolloutsLeaseSecs is 0; it must be from 1 to 31536000");
    assert!(open(nowhere().rollouts_interactive_sources([""])).starts_with("rolloutsInteractiveSources must be"));
    let home = TestHome::new();
    std::fs::create_dir_all(home.root()).unwrap();
    let file = home.root().join("config.toml");
    std::fs::write(&file, "[rollouts]\nmaxRunning = 10001\n").unwrap();
    let message = format!("{}: rollouts.maxRunning is 10001; it must be from 0 to 10000", file.display());
    assert_eq!(open(Options::at(home.root())), message);
    std::fs::write(&file, "[rollouts]\nminIdleHours = 0\ninteractiveSources = [\"exec\"]\n").unwrap();
    let store = Store::open(Options::at(home.root()).codex_home(home.root().join("codex")).clock(NOON)).unwrap();
    store.rollouts().upsert_thread(ThreadDraft::new("a", "/r", NOON, "/w", "exec")).unwrap();
    assert_eq!(claimed(&store.rollouts()), ["a"]);
}
