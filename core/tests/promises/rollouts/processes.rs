//! Several processes, and ones that are killed.

use std::collections::BTreeSet;

use loopmem::rollouts::{ClaimOutcome, Runner};
use loopmem::{Options, Store};

use super::*;
use crate::{start, start_with_input, started_on};

fn rollouts(home: &std::path::Path, time: &str) -> Rollouts {
    let options = Options::at(home.join("home")).codex_home(home.join("codex")).clock(time);
    Store::open(options.rollouts_max_running(10_000).rollouts_attempts(1_000)).unwrap().rollouts()
}

/// One of two processes that claim the same threads.
#[test]
#[ignore = "the part of another process"]
fn claims_one_by_one() {
    let Some(home) = started_on() else { return };
    println!("ready");
    std::io::stdin().read_line(&mut String::new()).unwrap();
    loop {
        let claims = rollouts(&home, NOON).claim_stage1("w", Some(1), None).unwrap().claims;
        let Some(claim) = claims.first() else { break };
        println!("claimed {}", claim.thread_id);
    }
}

#[test]
fn of_two_processes_that_claim_at_once_exactly_one_gets_each_session() {
    let codex = Codex::with(|options| options.rollouts_max_running(10_000));
    let rollouts = codex.noon();
    for number in 0..300 {
        rollouts.upsert_thread(codex.draft(&format!("t{number:03}"), "2026-01-30T00:00:00Z")).unwrap();
    }
    let children = [(); 2].map(|()| start_with_input("rollouts::processes::claims_one_by_one", &codex.home.root()));
    let mut claimed = Vec::new();
    let mut readers = Vec::new();
    for (mut child, mut said) in children {
        while said.next().unwrap().unwrap() != "ready" {}
        readers.push((child.stdin.take().unwrap(), child, said));
    }
    let mut begun = Vec::new();
    for (input, child, said) in readers {
        drop(input);
        begun.push((child, said));
    }
    for (mut child, said) in begun {
        let lines = said.map_while(Result::ok);
        claimed.extend(lines.filter_map(|line| Some(line.strip_prefix("claimed ")?.to_owned())));
        assert!(child.wait().unwrap().success());
    }
    let unique: BTreeSet<&String> = claimed.iter().collect();
    assert_eq!((claimed.len(), unique.len()), (300, 300));
}

/// The process that is killed: extracts and consolidates, and says what was acknowledged.
#[test]
#[ignore = "the part of another process"]
fn works_until_it_is_killed() {
    let Some(home) = started_on() else { return };
    let rollouts = rollouts(&home, NOON);
    for number in 0.. {
        let id = format!("p{}-{number}", std::process::id());
        let draft = ThreadDraft::new(&id, "/r.jsonl", "2026-01-30T00:00:00Z", "/w", "cli");
        rollouts.upsert_thread(draft).unwrap();
        for claim in rollouts.claim_stage1("w", None, None).unwrap().claims {
            let id = claim.thread_id.clone();
            if complete(&rollouts, &claim, &format!("summary of {id}"), &format!("- memory of {id}")).unwrap() {
                println!("stored {id}");
            }
        }
        rollouts.materialize().unwrap();
        if number % 3 == 2 {
            let claim = rollouts.claim_consolidation("w").unwrap();
            if let Some(token) = claim.ownership_token {
                rollouts.complete_consolidation(&token, None).unwrap();
            }
        }
    }
}

#[test]
fn what_a_killed_worker_acknowledged_is_stored_and_the_rest_can_be_taken_over() {
    let codex = Codex::new();
    let mut stored = BTreeSet::new();
    for wanted in [1, 5, 12, 20, 33] {
        let (mut child, mut said) = start("rollouts::processes::works_until_it_is_killed", &codex.home.root());
        while stored.len() < wanted {
            let line = said.next().unwrap().unwrap();
            stored.extend(line.strip_prefix("stored ").map(str::to_owned));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        stored.extend(said.map_while(Result::ok).filter_map(|it| Some(it.strip_prefix("stored ")?.to_owned())));
    }
    let later = rollouts(&codex.home.root(), "2026-01-31T14:00:00Z");
    // Claims of the killed ones are over.
    for claim in later.claim_stage1("v", None, None).unwrap().claims {
        complete(&later, &claim, "taken over", "- taken over").unwrap();
    }
    later.materialize().unwrap();
    for id in &stored {
        let summary = codex.read(&format!("rollout_summaries/{id}.md")).unwrap();
        assert!(summary.ends_with(&format!("\nsummary of {id}\n")), "{summary}");
        assert!(codex.read("raw_memories.md").unwrap().contains(&format!("- memory of {id}\n")), "{id}");
    }
    assert_eq!(later.status().unwrap().running, 0);
    let claim = later.claim_consolidation("v").unwrap();
    assert_ne!(claim.outcome, ClaimOutcome::Running);
    codex.home.assert_no_litter();
    // Everything that is there is of the database.
    let known = later.status().unwrap().threads.extracted;
    let files = std::fs::read_dir(codex.memory("rollout_summaries")).unwrap().count();
    assert_eq!(u32::try_from(files).unwrap(), known);
}

/// The process that is killed while its command runs.
#[test]
#[ignore = "the part of another process"]
fn runs_a_command_that_takes_for_ever() {
    let Some(home) = started_on() else { return };
    let command = ["sh", "-c", "echo $$ > \"$0\"; sleep 1000", home.join("pid").to_str().unwrap()].map(str::to_owned);
    drop(rollouts(&home, NOON).run(&Runner::new(command)));
}

#[test]
fn a_killed_run_loses_its_session_to_the_next_one() {
    let codex = Codex::new();
    let path = codex.root().join("sessions/rollout-a.jsonl");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "{}\n").unwrap();
    codex.thread("a", "2026-01-30T00:00:00Z");
    let (mut child, _said) = start("rollouts::processes::runs_a_command_that_takes_for_ever", &codex.home.root());
    let pid = codex.home.root().join("pid");
    while !std::fs::read_to_string(&pid).is_ok_and(|text| text.ends_with('\n')) {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let group = std::fs::read_to_string(&pid).unwrap();
    std::process::Command::new("kill").args(["-9", "--", &format!("-{}", group.trim())]).status().unwrap();
    assert_eq!(claimed(&codex.noon()), [""; 0]);
    assert_eq!(claimed(&codex.at("2026-01-31T13:00:00Z")), ["a"]);
}
