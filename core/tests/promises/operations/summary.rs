//! What is written to `summaries.jsonl`.

use std::path::PathBuf;

use loopmem::doctor::Fault;
use loopmem::{Result, Store};
use serde_json::{Value, json};

use super::memory::filled;
use super::{
    Call, Damage, Operation, Room, Syncs, TORN, View, append_to, call, damages, empty, half_copy, members, nothing,
    operations, other_repo, reopen, repos, syncs_folder,
};
use crate::file_systems::Step;
use crate::{TestHome, append, repo};

pub(crate) const ROOM: Room = Room { operations: OPERATIONS, damages: DAMAGES, read };
/// The file below the home, and its folder below the top.
const FILE: &str = "repos/5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e/summaries.jsonl";
const FOLDER: &str = "user/home/repos/5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e";

operations! {
    /// Behind whole lines and a torn one, at the limit, and of the first line of all.
    an_append = Operation {
        needs: &[
            (filled, is_sync),
            (full, is_sync),
            (torn, |step| matches!(step, Step::Sync(path, _) if path.to_string_lossy().contains(".torn."))),
            (nothing, |step| syncs_folder(step, FOLDER)),
            (full, |step| syncs_folder(step, FOLDER)),
            (torn, |step| syncs_folder(step, FOLDER)),
            (nothing, |step| syncs_folder(step, "")),
            (nothing, |step| syncs_folder(step, "user")),
            (nothing, |step| syncs_folder(step, "user/home")),
            (nothing, |step| syncs_folder(step, "user/home/repos")),
        ],
        syncs: Some(Syncs { alone: 1, together: 2 }),
        ..Operation::new(append_step, locked, &[filled, full, torn, nothing, empty, half_copied])
    };
    /// Of several lines that are appended at once a power cut could leave the last one and not those before it. They
    /// are as many as there is room for, and each is longer than a page, which a power cut may leave full of zeros.
    several_appends = Operation { writers: 2, ..Operation::new(append_long, locked, &[filled, torn]) };
    /// For another repository.
    an_append_elsewhere = Operation::new(append_to_other, locked_of_other, &[filled]);
}

damages! {
    /// Behind a whole one.
    a_torn_line = Damage { bytes: |_| Some(format!("{LINE}\n{}", &LINE[..30]).into()), faults: &[Fault::TornTail], ..DAMAGED };
    /// Whole ones between others.
    damaged_lines = Damage {
        bytes: |_| {
            let lines = format!("{LINE}\nof nobody's business\n{LINE}\n\n{{\"of nobody's business\":1}}\n{}", &LINE[..30]);
            Some(lines.into())
        },
        faults: &[Fault::Damaged, Fault::TornTail],
        ..DAMAGED
    };
    /// None is whole.
    lines_of_which_none_is_whole = Damage { bytes: |_| Some(b"of nobody's business\n7\n".to_vec()), ..DAMAGED };
    /// The copy beside the file says what the file is to say.
    an_unfinished_copy_of_lines = Damage {
        home: half_copied,
        file: "repos/5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e/summaries.jsonl.copying",
        bytes: Some,
        faults: &[Fault::UnfinishedCopy],
        ..DAMAGED
    };
    /// A later version wrote one of them.
    a_line_that_is_too_new = Damage {
        bytes: |_| Some(format!("no JSON\n{}\n", LINE.replace("{\"runId\"", "{\"v\":2,\"runId\"")).into()),
        faults: &[Fault::TooNew],
        ..DAMAGED
    };
}

const DAMAGED: Damage = Damage { home: filled, file: FILE, bytes: Some, faults: &[Fault::Damaged], besides: &[] };
pub(crate) const LINE: &str =
    r#"{"runId":"r","stepId":"s","timestamp":"2025-01-01T00:00:00Z","summary":"of nobody's business"}"#;

fn is_sync(step: &Step) -> bool {
    matches!(step, Step::Sync(..))
}

fn locked(store: &Store) -> PathBuf {
    loopmem::testing::home(store).layout().summaries(&repo())
}

fn locked_of_other(store: &Store) -> PathBuf {
    loopmem::testing::home(store).layout().summaries(&other_repo())
}

fn append_step(_: &Store, word: &str) -> Result<Option<Call>> {
    Ok(Some(summary(json!(repo()), word, "What the step did.")))
}

fn append_long(_: &Store, word: &str) -> Result<Option<Call>> {
    Ok(Some(summary(json!(repo()), word, &"What it did. ".repeat(400))))
}

fn append_to_other(_: &Store, word: &str) -> Result<Option<Call>> {
    Ok(Some(summary(json!(other_repo()), word, "It did.")))
}

fn summary(repo: Value, step: &str, text: &str) -> Call {
    ("summary.append", json!({ "repoHash": repo, "runId": "run", "stepId": step, "summary": text }))
}

/// As many summaries as are kept.
pub(crate) fn full(home: &TestHome) {
    filled(home);
    let store = reopen(home);
    for step in ["second", "third"] {
        append(&store, step).unwrap();
    }
}

/// A crash long ago left a part of a line.
fn torn(home: &TestHome) {
    filled(home);
    append_to(home, FILE, format!(r#"{{"runId":"run","stepId":"{TORN}"#));
}

/// A writer died while it copied the file over.
fn half_copied(home: &TestHome) {
    filled(home);
    half_copy(home, &[FILE]);
}

fn read(store: &Store, view: &mut View) {
    for repo in repos(store) {
        let of_repo = json!({ "repoHash": repo });
        let said = call(store, "summary.list", &of_repo).map(|summaries| {
            let memory = members(store, "memory.get", &of_repo).unwrap_or_default();
            let skipped = memory.get("skippedSummaries").map_or("0", |skipped| skipped.get());
            (summaries, skipped.to_owned())
        });
        if !said.as_ref().is_ok_and(|(summaries, skipped)| summaries == &json!([]) && skipped == "0") {
            let said = said
                .map(|(summaries, skipped)| format!("{summaries} and {skipped} skipped"))
                .map_err(|damage| format!("{damage:?}"));
            view.insert(loopmem::testing::home(store).layout().summaries(&repo), said);
        }
    }
}
