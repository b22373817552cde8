//! A worker that ends between any two steps leaves everything that it acknowledged, and nothing half done that stays. What a
//! kill in the middle of a transaction leaves is tested with real processes.

use std::collections::BTreeMap;

use loopmem::rollouts::ClaimOutcome;
use loopmem::testing::open_on;

use super::*;
use crate::file_systems::stop_at_every_call;

const LATER: &str = "2026-01-31T14:00:00Z";

impl Codex {
    /// The files in the memory root, but for locks.
    fn memories(&self) -> BTreeMap<PathBuf, String> {
        let root = self.root().join("memories");
        let files = self.files().into_iter().filter(|path| path.starts_with(&root));
        let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
        files
            .map(|path| (path.strip_prefix(&root).unwrap().to_owned(), std::fs::read_to_string(path).unwrap()))
            .collect()
    }
}

/// What a worker does, from the first call to the last. Says what it has finished.
fn work(codex: &Codex, rollouts: &Rollouts, done: &mut Vec<&'static str>) -> Result<()> {
    rollouts.upsert_thread(codex.draft("a", "2026-01-20T00:00:00Z"))?;
    done.push("registered");
    for claim in rollouts.claim_stage1("w", None, None)?.claims {
        complete(rollouts, &claim, "summary of a", "- memory of a")?;
        done.push("completed");
    }
    rollouts.materialize()?;
    done.push("materialized");
    // A second answer, and a session that is forgotten.
    rollouts.upsert_thread(codex.draft("a", "2026-01-21T00:00:00Z"))?;
    rollouts.upsert_thread(codex.draft("b", "2026-01-20T00:00:00Z"))?;
    for claim in rollouts.claim_stage1("w", None, None)?.claims {
        complete(rollouts, &claim, &format!("summary of {}", claim.thread_id), "- more")?;
    }
    done.push("completed again");
    rollouts.materialize()?;
    rollouts.forget("b")?;
    done.push("forgotten");
    let claim = rollouts.claim_consolidation("w")?;
    if let (ClaimOutcome::Claimed, Some(token)) = (claim.outcome, claim.ownership_token) {
        codex.write("MEMORY.md", "all of it");
        rollouts.complete_consolidation(&token, Some(&["MEMORY.md".to_owned()]))?;
        done.push("consolidated");
    }
    Ok(())
}

#[test]
fn work_that_ends_before_any_call_of_the_file_system_can_be_repeated_and_loses_nothing() {
    let undisturbed = Codex::new();
    work(&undisturbed, &undisturbed.at(LATER), &mut Vec::new()).unwrap();
    // Some seconds: all of the work is done twice for each call, with a new database.
    stop_at_every_call(|fs, nth| {
        let codex = Codex::new();
        let options = Options::at(codex.home.root().join("home")).codex_home(codex.root()).clock(NOON);
        let mut done = Vec::new();
        // Opening is part of the work.
        if let Ok(store) = open_on(options, fs, []) {
            let _ = work(&codex, &store.rollouts(), &mut done);
        }
        let context = format!("call {nth}, after {done:?}");
        let later = codex.at(LATER);
        let explained = later.explain("a").unwrap();
        if done.contains(&"completed") {
            assert_eq!(explained.output.unwrap().rollout_summary, "summary of a", "{context}");
        }
        if done.contains(&"forgotten") {
            assert_eq!(later.explain("b").unwrap().reason, loopmem::rollouts::Reason::Forgotten, "{context}");
        }
        if done.contains(&"materialized") {
            assert!(codex.read("rollout_summaries/a.md").is_some(), "{context}");
        }
        work(&codex, &later, &mut Vec::new()).unwrap_or_else(|error| panic!("{context}: {error}"));
        // The transcripts of the two are in different folders.
        let shown = |codex: &Codex| {
            let root = codex.home.root().display().to_string();
            codex.memories().into_iter().map(|(path, text)| (path, text.replace(&root, ""))).collect::<Vec<_>>()
        };
        assert_eq!(shown(&codex), shown(&undisturbed), "{context}");
        assert_eq!(later.claim_consolidation("w").unwrap().outcome, ClaimOutcome::Clean, "{context}");
        assert_eq!(later.explain("a").unwrap().reason, loopmem::rollouts::Reason::UpToDate, "{context}");
    });
}
