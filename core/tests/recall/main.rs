//! How well recall finds what is relevant, by sets that may be redistributed (`tests/recall`).
//!
//! `LOOPMEM_REPORT=1` prints a table. `LOOPMEM_RECALL_SETS=FOLDER` measures other sets, each a folder with `docs.jsonl`,
//! `queries.dev.jsonl` and `queries.test.jsonl`.

#![allow(clippy::disallowed_methods, reason = "the sets are not part of a home")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test")]

mod sets;

use std::path::{Path, PathBuf};

use sets::Set;

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/recall/data")
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    100.0 * sum / f64::max(count, 1.0)
}

/// Prints recall at 1, 5 and 10 and the mean reciprocal rank; returns the recall at 10.
fn report(name: &str, set: &Set) -> f64 {
    let index = set.index();
    let ranks: Vec<_> = set.ranks(&index).into_iter().filter(|ranks| ranks.relevant > 0).collect();
    let recall = |count| mean(ranks.iter().map(|ranks| ranks.recall(count)));
    if std::env::var_os("LOOPMEM_REPORT").is_some() {
        let reciprocal = mean(ranks.iter().map(sets::Ranks::reciprocal));
        let values = [recall(1), recall(5), recall(10), reciprocal].map(|it| format!("{it:5.1}"));
        println!("{name:<24} {} ({} queries)", values.join(" / "), ranks.len());
    }
    recall(10)
}

#[test]
fn other_sets_are_measured_on_request() {
    let Some(folder) = std::env::var_os("LOOPMEM_RECALL_SETS") else { return };
    let folder = PathBuf::from(folder);
    let mut names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    for name in names {
        let at = folder.join(&name);
        for part in ["dev", "test"] {
            let questions = at.join(format!("queries.{part}.jsonl"));
            if questions.exists() {
                report(&format!("{} {part}", name.to_string_lossy()), &Set::read(&at.join("docs.jsonl"), &questions));
            }
        }
    }
}

#[test]
fn memories_come_back_when_they_matter() {
    for (part, least) in [("dev", 90.0), ("test", 90.0)] {
        let at = data().join(part);
        let recall = report(part, &Set::read(&at.join("items.jsonl"), &at.join("queries.jsonl")));
        assert!(recall >= least, "{part}: {recall:.1} %");
    }
}

#[test]
fn what_matches_nothing_is_not_padded_in() {
    for part in ["dev", "test"] {
        let at = data().join(part);
        let set = Set::read(&at.join("items.jsonl"), &at.join("queries.jsonl"));
        let ranks = set.ranks(&set.index());
        let returned = ranks.iter().filter(|ranks| ranks.relevant == 0 && ranks.hits > 0).count();
        assert!(returned <= 5, "{part}: {returned} of 15 queries without an answer return something");
    }
}
