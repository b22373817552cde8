//! The consolidation: one worker at a time, over what changed since the last one.

use loopmem::rollouts::{ClaimOutcome, ConsolidationClaim, Mode, Work};

use super::*;

fn consolidated(codex: &Codex) -> ConsolidationClaim {
    let claim = codex.noon().claim_consolidation("w").unwrap();
    assert_eq!(claim.outcome, ClaimOutcome::Claimed);
    let done = codex.noon().complete_consolidation(claim.ownership_token.as_ref().unwrap(), None).unwrap();
    assert!(!done.dirty);
    claim
}

fn outcome(codex: &Codex, time: &str) -> ClaimOutcome {
    codex.at(time).claim_consolidation("v").unwrap().outcome
}

#[test]
fn one_worker_has_it_at_a_time_and_the_next_one_after_its_lease() {
    let codex = Codex::new();
    assert_eq!(outcome(&codex, NOON), ClaimOutcome::Clean);
    codex.extracted("a", "2026-01-30T00:00:00Z");
    let first = codex.noon().claim_consolidation("w").unwrap();
    assert_eq!(first.lease_until.as_deref(), Some("2026-01-31T13:00:00.000Z"));
    assert_eq!(outcome(&codex, "2026-01-31T12:59:59Z"), ClaimOutcome::Running);
    let token = first.ownership_token.unwrap();
    let renewed = codex.at("2026-01-31T12:30:00Z").heartbeat(Work::Consolidation, &token).unwrap();
    assert_eq!(renewed, "2026-01-31T13:30:00.000Z");
    assert_eq!(outcome(&codex, "2026-01-31T13:29:59Z"), ClaimOutcome::Running);
    assert_eq!(outcome(&codex, "2026-01-31T13:30:00Z"), ClaimOutcome::Claimed);
    let late = codex.at("2026-01-31T13:30:01Z");
    assert_lost(late.heartbeat(Work::Consolidation, &token));
    assert_lost(late.complete_consolidation(&token, None));
    assert_lost(late.fail_consolidation(&token, "late", None));
    // The one that has it now is not disturbed.
    assert_eq!(outcome(&codex, "2026-01-31T13:30:02Z"), ClaimOutcome::Running);
}

#[test]
fn a_claim_comes_with_the_inputs_what_changed_and_the_instructions() {
    let codex = Codex::new();
    codex.extracted("b", "2026-01-29T00:00:00Z");
    codex.extracted("a", "2026-01-30T00:00:00Z");
    let claim = consolidated(&codex);
    let inputs = claim.inputs.unwrap();
    assert_eq!(inputs.iter().map(|it| it.thread_id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    let a = &inputs[0];
    assert_eq!((&*a.rollout_summary, &*a.raw_memory, &*a.cwd), ("summary of a", "- memory of a", "/work/shop"));
    let diff = claim.diff.unwrap();
    assert!(diff.contains("--- /dev/null\n+++ thread a\n") && diff.contains("\n+- memory of b\n"), "{diff}");
    let prompt = claim.prompt.unwrap();
    for name in ["`rollout_summaries/`", "`raw_memories.md`", codex.memory("").to_str().unwrap().trim_end_matches('/')]
    {
        assert!(prompt.contains(name), "{name}: {prompt}");
    }
    // The files are there already.
    assert!(codex.read("rollout_summaries/b.md").unwrap().ends_with("\nsummary of b\n"));
    codex.extracted("b", "2026-01-30T12:00:00Z");
    let next = consolidated(&codex).diff.unwrap();
    assert!(next.contains("-updated_at: 2026-01-29T00:00:00.000Z\n+updated_at: 2026-01-30T12:00:00.000Z\n"), "{next}");
    assert!(!next.contains("thread a\n"), "{next}");
}

#[test]
fn the_diff_is_cut_at_the_configured_length() {
    let codex = Codex::with(|options| options.rollouts_diff_max_chars(200));
    codex.thread("a", "2026-01-30T00:00:00Z");
    let claim = only(codex.noon().claim_stage1("w", None, None).unwrap().claims);
    complete(&codex.noon(), &claim, &"é ".repeat(2_000), "m").unwrap();
    let diff = consolidated(&codex).diff.unwrap();
    assert_eq!(diff.chars().count(), 200);
}

#[test]
fn work_that_arrives_meanwhile_makes_it_due_again_even_if_it_is_older() {
    let codex = Codex::new();
    codex.extracted("new", "2026-01-30T00:00:00Z");
    let claim = codex.noon().claim_consolidation("w").unwrap();
    codex.extracted("old", "2026-01-10T00:00:00Z");
    let done = codex.noon().complete_consolidation(&claim.ownership_token.unwrap(), None).unwrap();
    assert!(done.dirty);
    let next = consolidated(&codex);
    assert_eq!(next.inputs.unwrap().len(), 2);
    assert!(next.diff.unwrap().contains("+++ thread old\n"));
    assert_eq!(outcome(&codex, NOON), ClaimOutcome::Clean);
    // Older than what was consolidated, and not forgotten for it.
    codex.extracted("older", "2026-01-05T00:00:00Z");
    assert_eq!(consolidated(&codex).inputs.unwrap().len(), 3);
}

#[test]
fn new_work_does_not_shorten_the_wait_after_a_failure() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-29T00:00:00Z");
    let claim = codex.noon().claim_consolidation("w").unwrap();
    let failed = codex.noon().fail_consolidation(&claim.ownership_token.unwrap(), "no", None).unwrap();
    assert_eq!((failed.retries_left, failed.retry_at.as_deref()), (2, Some("2026-01-31T13:00:00.000Z")));
    codex.extracted("b", "2026-01-30T00:00:00Z");
    assert_eq!(outcome(&codex, "2026-01-31T12:30:00Z"), ClaimOutcome::Backoff);
    assert_eq!(outcome(&codex, "2026-01-31T13:00:00Z"), ClaimOutcome::Claimed);
}

#[test]
fn it_is_given_up_after_its_attempts_and_begun_again_with_new_work() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-29T00:00:00Z");
    for hour in [12, 13, 14] {
        // The worker does not come back.
        assert_eq!(outcome(&codex, &format!("2026-01-31T{hour}:00:00Z")), ClaimOutcome::Claimed);
    }
    assert_eq!(outcome(&codex, "2026-01-31T20:00:00Z"), ClaimOutcome::Exhausted);
    codex.extracted("b", "2026-01-30T00:00:00Z");
    assert_eq!(outcome(&codex, "2026-01-31T20:00:00Z"), ClaimOutcome::Claimed);
}

#[test]
fn a_failure_keeps_what_the_next_diff_is_compared_with() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-29T00:00:00Z");
    consolidated(&codex);
    codex.extracted("b", "2026-01-30T00:00:00Z");
    let claim = codex.noon().claim_consolidation("w").unwrap();
    let first = claim.diff.unwrap();
    codex.noon().fail_consolidation(&claim.ownership_token.unwrap(), "no", Some(0)).unwrap();
    assert_eq!(consolidated(&codex).diff.unwrap(), first);
}

#[test]
fn what_is_used_and_recent_is_consolidated_first() {
    let codex = Codex::with(|options| options.rollouts_consolidation_inputs(2));
    for (id, day) in [("a", 20), ("b", 21), ("c", 22)] {
        codex.extracted(id, &format!("2026-01-{day}T00:00:00Z"));
    }
    let threads = |claim: ConsolidationClaim| -> Vec<String> {
        claim.inputs.unwrap().into_iter().map(|it| it.thread_id).collect()
    };
    assert_eq!(threads(consolidated(&codex)), ["b", "c"]);
    codex.noon().record_usage(&["a"]).unwrap();
    codex.extracted("b", "2026-01-23T00:00:00Z");
    assert_eq!(threads(consolidated(&codex)), ["a", "b"]);
    let selected = |id: &str| codex.noon().explain(id).unwrap().output.unwrap().selected_for_phase2;
    assert_eq!(["a", "b", "c"].map(selected), [true, true, false]);
}

#[test]
fn only_what_was_read_counts_as_selected() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-29T00:00:00Z");
    let claim = codex.noon().claim_consolidation("w").unwrap();
    codex.extracted("a", "2026-01-30T00:00:00Z");
    assert!(codex.noon().complete_consolidation(&claim.ownership_token.unwrap(), None).unwrap().dirty);
    assert!(!codex.noon().explain("a").unwrap().output.unwrap().selected_for_phase2);
}

#[test]
fn what_was_not_used_for_a_month_drops_out_and_what_is_new_stays() {
    let codex = Codex::new();
    codex.extracted("stale", "2026-01-10T00:00:00Z");
    codex.extracted("used", "2026-01-10T00:00:00Z");
    codex.at("2026-02-20T00:00:00Z").record_usage(&["used"]).unwrap();
    codex.extracted("fresh", "2026-01-30T00:00:00Z");
    let claim = codex.at("2026-02-25T00:00:00Z").claim_consolidation("w").unwrap();
    let threads: Vec<_> = claim.inputs.unwrap().into_iter().map(|it| it.thread_id).collect();
    assert_eq!(threads, ["fresh", "used"]);
}

#[test]
fn files_that_people_edit_meanwhile_are_seen() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-29T00:00:00Z");
    let claim = codex.noon().claim_consolidation("w").unwrap();
    let token = claim.ownership_token.unwrap();
    codex.write("MEMORY.md", "by the worker\n");
    codex.write("notes.md", "by hand\n");
    let written = ["MEMORY.md".to_owned()];
    assert!(codex.noon().complete_consolidation(&token, Some(&written)).unwrap().dirty);
    let next = codex.noon().claim_consolidation("w").unwrap();
    assert_eq!(next.edited_files.unwrap(), ["notes.md"]);
    assert!(next.prompt.unwrap().contains("\n- notes.md\n"));
    // One that the worker wrote, and a person afterwards.
    codex.write("MEMORY.md", "by the worker, and by hand\n");
    let token = next.ownership_token.unwrap();
    assert!(codex.noon().complete_consolidation(&token, Some(&[])).unwrap().dirty);
    let last = codex.noon().claim_consolidation("w").unwrap();
    assert_eq!(last.edited_files.unwrap(), ["MEMORY.md"]);
    assert!(!codex.noon().complete_consolidation(&last.ownership_token.unwrap(), Some(&[])).unwrap().dirty);
}

#[test]
fn a_worker_that_does_not_say_what_it_wrote_is_done_and_the_next_one_looks_at_its_files() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-29T00:00:00Z");
    let claim = codex.noon().claim_consolidation("w").unwrap();
    assert_eq!(claim.edited_files.unwrap(), [""; 0]);
    for path in ["MEMORY.md", "memory_summary.md", "skills/release/SKILL.md"] {
        codex.write(path, "by the worker, or by hand\n");
    }
    assert!(!codex.noon().complete_consolidation(&claim.ownership_token.unwrap(), None).unwrap().dirty);
    codex.extracted("b", "2026-01-30T00:00:00Z");
    let next = codex.noon().claim_consolidation("w").unwrap();
    assert_eq!(next.edited_files.unwrap(), ["MEMORY.md", "memory_summary.md", "skills/release/SKILL.md"]);
    assert!(!codex.noon().complete_consolidation(&next.ownership_token.unwrap(), None).unwrap().dirty);
    // Between two consolidations as well.
    codex.write("MEMORY.md", "by hand\n");
    std::fs::remove_file(codex.memory("memory_summary.md")).unwrap();
    codex.extracted("c", "2026-01-30T01:00:00Z");
    let last = codex.noon().claim_consolidation("w").unwrap();
    assert_eq!(last.edited_files.unwrap(), ["MEMORY.md", "memory_summary.md"]);
}

#[test]
fn an_input_that_is_edited_meanwhile_makes_another_consolidation_due() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-29T00:00:00Z");
    let claim = codex.noon().claim_consolidation("w").unwrap();
    codex.write("raw_memories.md", "by hand\n");
    assert!(codex.noon().complete_consolidation(&claim.ownership_token.unwrap(), None).unwrap().dirty);
    let next = codex.noon().claim_consolidation("w").unwrap();
    assert_eq!(next.edited_files.unwrap(), ["raw_memories.md.edited"]);
    assert_eq!(codex.read("raw_memories.md.edited").unwrap(), "by hand\n");
    assert!(codex.read("raw_memories.md").unwrap().contains("- memory of a"));
}

#[test]
fn a_claim_that_cannot_be_prepared_is_given_back() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-29T00:00:00Z");
    std::os::unix::fs::symlink(codex.home.root(), codex.memory("").as_path()).unwrap_or_else(|_| {
        let memories = codex.root().join("memories");
        std::os::unix::fs::symlink(codex.home.root(), memories).unwrap();
    });
    let refused = codex.noon().claim_consolidation("w").unwrap_err();
    assert_eq!(refused.kind(), loopmem::ErrorKind::Io, "{refused}");
    std::fs::remove_file(codex.root().join("memories")).unwrap();
    let status = codex.noon().status().unwrap().consolidation;
    assert_eq!(status.job.unwrap().retries_left, 3);
    consolidated(&codex);
}

#[test]
fn a_file_that_was_set_aside_is_an_edit_and_its_removal_is_none() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-20T00:00:00Z");
    codex.noon().materialize().unwrap();
    consolidated(&codex);
    codex.write("rollout_summaries/a.md", "by hand");
    let next = |codex: &Codex, day: &str| {
        codex.extracted(&format!("of-{day}"), &format!("2026-01-{day}T00:00:00Z"));
        consolidated(codex).edited_files.unwrap()
    };
    assert_eq!(next(&codex, "21"), ["rollout_summaries/a.md.edited"]);
    std::fs::remove_file(codex.memory("rollout_summaries/a.md.edited")).unwrap();
    assert_eq!(next(&codex, "22"), [""; 0]);
}

#[test]
fn another_consolidation_is_due_as_long_as_a_file_cites_a_withdrawn_session() {
    for path in ["MEMORY.md", "memory_summary.md", "skills/release/SKILL.md"] {
        for mode in [None, Some(Mode::Disabled)] {
            let codex = Codex::new();
            codex.thread("a", "2026-01-29T00:00:00Z");
            codex.extracted("b", "2026-01-30T00:00:00Z");
            consolidated(&codex);
            // By another program: no consolidation here read it.
            codex.write(path, "- known [thread:b]\n- more [thread:a, thread:b]\n");
            assert_eq!(outcome(&codex, NOON), ClaimOutcome::Clean);
            match mode {
                None => drop(codex.noon().forget("a").unwrap()),
                Some(mode) => drop(codex.noon().set_mode("a", mode).unwrap()),
            }
            for _ in 0..2 {
                let claim = codex.noon().claim_consolidation("w").unwrap();
                assert!(claim.prompt.unwrap().contains("withdrew"), "{path}");
                let token = claim.ownership_token.unwrap();
                assert!(codex.noon().complete_consolidation(&token, Some(&[])).unwrap().dirty, "{path}");
            }
            let claim = codex.noon().claim_consolidation("w").unwrap();
            assert!(claim.prompt.unwrap().contains("\n- a\n"), "{path}");
            codex.write(path, "- known [thread:b]\n");
            let token = claim.ownership_token.unwrap();
            assert!(!codex.noon().complete_consolidation(&token, Some(&[path.to_owned()])).unwrap().dirty, "{path}");
            assert_eq!(outcome(&codex, NOON), ClaimOutcome::Clean);
        }
    }
}

#[test]
fn statements_without_a_session_are_reported() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-30T00:00:00Z");
    let claim = codex.noon().claim_consolidation("w").unwrap();
    codex.write("MEMORY.md", "# Shop\n\n- known [thread:a]\n- known [a]\n- from nowhere\n  at all\n- [b]\n");
    let done = codex.noon().complete_consolidation(&claim.ownership_token.unwrap(), None).unwrap();
    assert_eq!((done.dirty, done.unsourced), (false, vec![5, 7]));
}
