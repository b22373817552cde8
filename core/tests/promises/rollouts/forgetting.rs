//! Forgetting one session, and starting over.

use loopmem::rollouts::{ClaimOutcome, Reason};

use super::*;

#[test]
fn a_forgotten_session_is_gone_everywhere_and_never_extracted_again() {
    let codex = Codex::new();
    codex.thread("a", "2026-01-29T00:00:00Z");
    let claim = only(codex.noon().claim_stage1("w", None, None).unwrap().claims);
    complete(&codex.noon(), &claim, "the zebra summary", "- the giraffe memory").unwrap();
    codex.extracted("b", "2026-01-30T00:00:00Z");
    let consolidation = codex.noon().claim_consolidation("w").unwrap();
    codex.noon().complete_consolidation(&consolidation.ownership_token.unwrap(), None).unwrap();
    codex.write("rollout_summaries/a.md", "the zebra by hand");
    let forgotten = codex.noon().forget("a").unwrap();
    assert!(forgotten.forgotten && forgotten.registered);
    assert_eq!(forgotten.removed, ["rollout_summaries/a.md"]);
    let again = codex.noon().forget("a").unwrap();
    assert!(!again.forgotten && !again.registered);
    // Not even in the parts of a database that it does not use.
    for file in codex.files() {
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).to_ascii_lowercase();
        for word in ["zebra", "giraff"] {
            assert!(!text.contains(word), "{word} in {}", file.display());
        }
    }
    let explained = codex.noon().explain("a").unwrap();
    assert_eq!((explained.reason, explained.output, explained.job), (Reason::Forgotten, None, None));
    // The consolidated files have to change too.
    let next = codex.noon().claim_consolidation("w").unwrap();
    assert_eq!(next.outcome, ClaimOutcome::Claimed);
    assert!(next.diff.unwrap().contains("--- thread a\n+++ /dev/null\n"));
    let again = codex.thread("a", "2026-01-30T00:00:00Z");
    assert!(again.forgotten);
    assert_eq!(claimed(&codex.noon()), [""; 0]);
    codex.noon().reset(true).unwrap();
    assert_eq!(claimed(&codex.noon()), ["b"]);
    assert_eq!(codex.noon().status().unwrap().threads.forgotten, 1);
}

#[test]
fn forgetting_a_session_that_is_being_worked_on_takes_it_from_its_worker() {
    let codex = Codex::new();
    codex.thread("a", "2026-01-29T00:00:00Z");
    let claim = only(codex.noon().claim_stage1("w", None, None).unwrap().claims);
    codex.noon().forget("a").unwrap();
    assert_lost(complete(&codex.noon(), &claim, "s", "m"));
}

#[test]
fn an_edited_copy_of_a_forgotten_session_is_removed_too() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-29T00:00:00Z");
    codex.noon().materialize().unwrap();
    codex.write("rollout_summaries/a.md", "edited");
    codex.noon().materialize().unwrap();
    let removed = codex.noon().forget("a").unwrap().removed;
    assert_eq!(removed, ["raw_memories.md", "rollout_summaries/a.md", "rollout_summaries/a.md.edited"]);
}

#[test]
fn a_reset_waits_for_changes_unless_it_is_told_not_to() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-29T00:00:00Z");
    codex.thread("untouched", "2026-01-20T00:00:00Z");
    let cleared = codex.noon().reset(false).unwrap();
    assert_eq!((cleared.outputs, cleared.jobs), (1, 2));
    let explained = codex.noon().explain("a").unwrap();
    assert_eq!((explained.reason, explained.output), (Reason::Reset, None));
    assert_eq!(codex.noon().claim_consolidation("w").unwrap().outcome, ClaimOutcome::Clean);
    assert_eq!(claimed(&codex.noon()), ["untouched"]);
    codex.thread("a", "2026-01-30T00:00:00Z");
    assert_eq!(claimed(&codex.noon()), ["a"]);
    codex.noon().reset(true).unwrap();
    assert_eq!(claimed(&codex.noon()), ["a", "untouched"]);
}

#[test]
fn a_session_is_forgotten_although_its_files_could_not_be_removed_and_the_error_says_so() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-29T00:00:00Z");
    codex.noon().materialize().unwrap();
    let (file, aside) = (codex.memory("raw_memories.md"), codex.memory("aside"));
    std::fs::rename(&file, &aside).unwrap();
    std::fs::create_dir(&file).unwrap();
    let failed = codex.noon().forget("a").unwrap_err();
    assert!(failed.may_be_stored() && failed.message().contains("the session was forgotten"), "{failed}");
    std::fs::remove_dir(&file).unwrap();
    std::fs::rename(&aside, &file).unwrap();
    let again = codex.noon().forget("a").unwrap();
    assert!(!again.forgotten);
    assert_eq!(codex.read("rollout_summaries/a.md"), None);
}
