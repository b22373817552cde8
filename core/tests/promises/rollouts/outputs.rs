//! What is kept of a session.

use loopmem::ErrorKind;
use loopmem::rollouts::{ClaimOutcome, Mode};

use super::*;

fn claim(codex: &Codex) -> Stage1Claim {
    codex.noon().claim_stage1("w", Some(1), None).unwrap().claims.remove(0)
}

#[test]
fn an_output_is_accepted_as_an_object_or_a_text_with_the_newer_or_the_older_names() {
    let answer = r#"{"rollout_slug":"a-b","rollout_summary":"s","raw_memory":"m","more":1}"#;
    for output in [
        json!({ "rollout_slug": "a-b", "rollout_summary": "s", "raw_memory": "m" }),
        json!({ "rollout_slug": "a-b", "summary": " s\n", "rawMemory": "m" }),
        json!(answer),
        json!(format!("Here:\n```json\n{answer}\n```")),
    ] {
        let codex = Codex::new();
        codex.thread("a", "2026-01-30T00:00:00Z");
        let claim = claim(&codex);
        let done = codex.noon().complete_stage1("a", &claim.ownership_token, &raw(&output)).unwrap();
        assert!(done.stored, "{output}");
        let stored = codex.noon().explain("a").unwrap().output.unwrap();
        let slug = stored.rollout_slug.as_deref();
        assert_eq!((slug, &*stored.rollout_summary, &*stored.raw_memory), (Some("a-b"), "s", "m"), "{output}");
        assert_eq!((&*stored.source_updated_at, &*stored.generated_at), ("2026-01-30T00:00:00.000Z", NOON));
    }
}

#[test]
fn half_a_character_in_an_answer_is_replaced() {
    let object = r#"{"rollout_slug":"a\ud83d","rollout_summary":"s\ud83d \ud83d\ude00","raw_memory":"\uDE00m"}"#;
    let text = serde_json::to_string(&format!("Here: {object}")).unwrap();
    for output in [object.to_owned(), text, format!("\"\\ud83d: {}\"", object.replace('"', "\\\""))] {
        let codex = Codex::new();
        codex.thread("a", "2026-01-30T00:00:00Z");
        let output = RawValue::from_string(output).unwrap();
        assert!(codex.noon().complete_stage1("a", &claim(&codex).ownership_token, &output).unwrap().stored);
        let stored = codex.noon().explain("a").unwrap().output.unwrap();
        let texts = (stored.rollout_slug.as_deref(), &*stored.rollout_summary, &*stored.raw_memory);
        assert_eq!(texts, (Some("a\u{fffd}"), "s\u{fffd} \u{1f600}", "\u{fffd}m"), "{output}");
    }
}

#[test]
fn nonsense_is_refused_and_the_claim_stays() {
    let codex = Codex::new();
    codex.thread("a", "2026-01-30T00:00:00Z");
    let claim = claim(&codex);
    for output in [json!({}), json!("no"), json!(7), json!(null), json!({ "rollout_summary": "s" }), json!([{}])] {
        let refused = codex.noon().complete_stage1("a", &claim.ownership_token, &raw(&output)).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Validation, "{output}");
    }
    assert!(complete(&codex.noon(), &claim, "s", "m").unwrap());
}

#[test]
fn an_empty_output_is_a_success_that_removes_the_old_one() {
    let codex = Codex::new();
    codex.thread("a", "2026-01-28T00:00:00Z");
    let first = claim(&codex);
    assert!(!complete(&codex.noon(), &first, "", " \n").unwrap());
    // Nothing was removed, so there is nothing to consolidate.
    assert_eq!(codex.noon().claim_consolidation("w").unwrap().outcome, ClaimOutcome::Clean);
    assert_eq!(claimed(&codex.noon()), [""; 0]);
    codex.extracted("a", "2026-01-29T00:00:00Z");
    let before = codex.noon().claim_consolidation("w").unwrap();
    codex.noon().complete_consolidation(&before.ownership_token.unwrap(), None).unwrap();
    codex.thread("a", "2026-01-30T00:00:00Z");
    assert!(!complete(&codex.noon(), &claim(&codex), "", "").unwrap());
    assert_eq!(codex.noon().explain("a").unwrap().output, None);
    let after = codex.noon().claim_consolidation("w").unwrap();
    assert_eq!((after.outcome, after.inputs.unwrap().len()), (ClaimOutcome::Claimed, 0));
    assert!(after.diff.unwrap().contains("-- memory of a"));
}

#[test]
fn somebody_elses_token_or_one_that_was_used_writes_nothing() {
    let codex = Codex::new();
    codex.thread("a", "2026-01-30T00:00:00Z");
    let first = claim(&codex);
    let second = only(codex.at("2026-01-31T13:00:00Z").claim_stage1("v", None, None).unwrap().claims);
    let rollouts = codex.at("2026-01-31T13:00:01Z");
    assert_lost(complete(&rollouts, &first, "of the first", "m"));
    assert_lost(rollouts.fail_stage1("a", &first.ownership_token, "late", None));
    assert_lost(rollouts.complete_stage1("a", "", &raw(&json!({ "summary": "s", "rawMemory": "m" }))));
    assert_eq!(rollouts.explain("a").unwrap().output, None);
    assert!(complete(&rollouts, &second, "of the second", "m").unwrap());
    let lost = assert_lost(complete(&rollouts, &second, "again", "m"));
    assert_eq!(lost.id(), Some("a"));
    assert_lost(rollouts.fail_stage1("a", &second.ownership_token, "again", None));
    assert_eq!(rollouts.explain("a").unwrap().output.unwrap().rollout_summary, "of the second");
}

#[test]
fn an_own_token_counts_after_the_lease_ran_out_if_nobody_took_over() {
    let codex = Codex::new();
    codex.thread("a", "2026-01-30T00:00:00Z");
    let claim = claim(&codex);
    assert!(complete(&codex.at("2026-01-31T20:00:00Z"), &claim, "s", "m").unwrap());
}

#[test]
fn the_output_of_an_older_state_does_not_replace_a_newer_one() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-30T00:00:00Z");
    // The host took the change back, and forward again to less.
    codex.noon().reset(true).unwrap();
    codex.extracted("a", "2026-01-29T00:00:00Z");
    let stored = codex.noon().explain("a").unwrap().output.unwrap();
    assert_eq!(stored.source_updated_at, "2026-01-29T00:00:00.000Z");
    codex.thread("a", "2026-01-29T12:00:00Z");
    let claim = claim(&codex);
    codex.thread("a", "2026-01-28T00:00:00Z");
    assert!(complete(&codex.noon(), &claim, "s", "m").unwrap());
    assert_eq!(codex.noon().explain("a").unwrap().output.unwrap().source_updated_at, "2026-01-29T12:00:00.000Z");
}

#[test]
fn secrets_are_redacted_before_anything_is_stored() {
    let codex = Codex::new();
    codex.thread("a", "2026-01-30T00:00:00Z");
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let claim = claim(&codex);
    complete(&codex.noon(), &claim, &format!("used {token}"), &format!("- push with {token}")).unwrap();
    codex.thread("b", "2026-01-30T01:00:00Z");
    let failed = only(codex.noon().claim_stage1("w", None, None).unwrap().claims);
    codex.noon().fail_stage1("b", &failed.ownership_token, &format!("401 for {token}"), None).unwrap();
    codex.noon().materialize().unwrap();
    for file in codex.files() {
        let bytes = std::fs::read(&file).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains(&token), "{}", file.display());
    }
    assert!(codex.read("raw_memories.md").unwrap().contains("- push with [REDACTED:github-pat:"));
}

#[test]
fn use_is_counted_for_what_there_is() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-30T00:00:00Z");
    let rollouts = codex.noon();
    assert_eq!(rollouts.record_usage(&["a", "a", "b"]).unwrap(), 1);
    assert_eq!(codex.at("2026-02-01T00:00:00Z").record_usage(&["a"]).unwrap(), 1);
    let output = rollouts.explain("a").unwrap().output.unwrap();
    assert_eq!((output.usage_count, output.last_usage.as_deref()), (2, Some("2026-02-01T00:00:00.000Z")));
    // A newer output of the session keeps its use.
    codex.extracted("a", "2026-01-30T12:00:00Z");
    assert_eq!(rollouts.explain("a").unwrap().output.unwrap().usage_count, 2);
}

#[test]
fn a_session_whose_memory_is_disabled_or_polluted_is_not_shown() {
    let codex = Codex::new();
    codex.extracted("a", "2026-01-30T00:00:00Z");
    codex.extracted("b", "2026-01-30T01:00:00Z");
    let rollouts = codex.noon();
    let claim = rollouts.claim_consolidation("w").unwrap();
    rollouts.complete_consolidation(&claim.ownership_token.unwrap(), None).unwrap();
    assert_eq!(rollouts.set_mode("a", Mode::Polluted).unwrap().mode, Mode::Polluted);
    let claim = rollouts.claim_consolidation("w").unwrap();
    assert_eq!(claim.outcome, ClaimOutcome::Claimed);
    assert_eq!(only(claim.inputs.unwrap()).thread_id, "b");
    assert_eq!(codex.read("rollout_summaries/a.md"), None);
    rollouts.complete_consolidation(&claim.ownership_token.unwrap(), None).unwrap();
    // The same mode again is no change.
    rollouts.set_mode("a", Mode::Polluted).unwrap();
    assert_eq!(rollouts.claim_consolidation("w").unwrap().outcome, ClaimOutcome::Clean);
    rollouts.set_mode("a", Mode::Enabled).unwrap();
    assert_eq!(rollouts.claim_consolidation("w").unwrap().inputs.unwrap().len(), 2);
}

#[test]
fn an_answer_that_arrives_while_the_session_is_disabled_can_be_given_again() {
    use loopmem::rollouts::{Mode, Reason};
    let codex = Codex::new();
    codex.thread("a", "2026-01-20T00:00:00Z");
    let claim = only(codex.noon().claim_stage1("w", None, None).unwrap().claims);
    codex.noon().set_mode("a", Mode::Disabled).unwrap();
    assert!(!complete(&codex.noon(), &claim, "s", "m").unwrap());
    codex.noon().set_mode("a", Mode::Enabled).unwrap();
    let explained = codex.noon().explain("a").unwrap();
    assert_eq!((explained.reason, explained.job.unwrap().retries_left), (Reason::Due, 3));
}

#[test]
fn the_answer_of_a_model_does_not_act_on_a_terminal() {
    let codex = Codex::new();
    codex.thread("a", "2026-01-30T00:00:00Z");
    let claim = claim(&codex);
    complete(&codex.noon(), &claim, "one\u{1b}]0;title\u{7}\ttwo\r\nthree", "\u{9b}2Jfour").unwrap();
    codex.noon().materialize().unwrap();
    for file in codex.files() {
        let bytes = std::fs::read(&file).unwrap();
        if file.extension().is_some_and(|extension| extension == "md") {
            let text = String::from_utf8(bytes).unwrap();
            assert!(!text.contains(|c: char| c.is_control() && !"\n\r\t".contains(c)), "{}: {text:?}", file.display());
        }
    }
    assert!(codex.read("raw_memories.md").unwrap().contains(r"\u{9b}2Jfour"));
}
