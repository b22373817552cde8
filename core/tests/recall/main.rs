//! How well recall finds what is relevant, by sets that may be redistributed (`tests/recall`).
//!
//! `LOOPMEM_REPORT=1` prints a table. `LOOPMEM_RECALL_SETS=FOLDER` measures other sets, each a folder with `docs.jsonl`,
//! `queries.dev.jsonl` and `queries.test.jsonl`, and with vectors beside them in files of f32: `docs.f32` and so on.

#![allow(clippy::disallowed_methods, reason = "the sets are not part of a home")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test")]

mod aging;
mod generated;
mod others;
mod sets;

use std::path::{Path, PathBuf};

use aging::Aging;
use others::Terms;
use sets::{Parts, Ranks, Set};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/recall/data")
}

fn mean(values: &[f64]) -> f64 {
    100.0 * values.iter().sum::<f64>() / (values.len() as f64).max(1.0)
}

/// The mean, and the interval in which it is with a probability of 95 %: by drawing the queries again, with repetitions.
fn interval(values: &[f64]) -> String {
    const DRAWS: usize = 1_000;
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut draw = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        values[usize::try_from(state % values.len() as u64).unwrap()]
    };
    let mut means: Vec<f64> = (0..DRAWS).map(|_| mean(&values.iter().map(|_| draw()).collect::<Vec<_>>())).collect();
    means.sort_by(f64::total_cmp);
    format!("{:5.1} [{:4.1}, {:4.1}]", mean(values), means[DRAWS / 40], means[DRAWS - 1 - DRAWS / 40])
}

/// Recall at 10.
fn recall_at_10(ranks: &[Ranks]) -> f64 {
    let answered: Vec<f64> = ranks.iter().filter(|it| it.relevant > 0).map(|it| it.recall(10)).collect();
    mean(&answered)
}

/// Asserts that recall at 10 is better than that of FTS5 by at least `margin` points, and not worse than that of plain BM25.
#[track_caller]
fn assert_better(name: &str, set: &Set, margin: f64) {
    let ours = recall_at_10(&set.ranks(Parts::LEXICAL));
    let (fts5, plain) = (recall_at_10(&others::fts5(set)), recall_at_10(&others::bm25(set, Terms::Words)));
    assert!(ours >= fts5 + margin, "{name}: {ours:.1} %, and FTS5 has {fts5:.1} %");
    assert!(ours > plain, "{name}: {ours:.1} %, and plain BM25 has {plain:.1} %");
}

/// Prints recall at 5 and 10 and the mean reciprocal rank, if a report is wanted.
fn report(set: &str, ranking: &str, ranks: &[Ranks]) {
    let answered = || ranks.iter().filter(|ranks| ranks.relevant > 0);
    let of = |value: &dyn Fn(&Ranks) -> f64| interval(&answered().map(value).collect::<Vec<_>>());
    let values = [of(&|ranks| ranks.recall(5)), of(&|ranks| ranks.recall(10)), of(&Ranks::reciprocal)];
    println!("| {set} ({}) | {ranking} | {} |", answered().count(), values.join(" | "));
}

/// Prints how well a set is ranked by others, by us, and by us without each part.
fn report_all(name: &str, set: &Set) {
    report(name, "FTS5, porter", &others::fts5(set));
    report(name, "plain BM25", &others::bm25(set, Terms::Words));
    report(name, "… without stop words", &others::bm25(set, Terms::Content));
    report(name, "… of stems", &others::bm25(set, Terms::Stems));
    report(name, "… of split identifiers", &others::bm25(set, Terms::Ours));
    report(name, "**recall**", &set.ranks(Parts::LEXICAL));
    for (without, parts) in [
        ("without sessions", Parts { sessions: false, ..Parts::LEXICAL }),
        ("without files", Parts { files: false, ..Parts::LEXICAL }),
        ("without tags", Parts { tags: false, ..Parts::LEXICAL }),
        ("without packages and languages", Parts { kinds: false, ..Parts::LEXICAL }),
    ] {
        if set.has(parts) {
            report(name, without, &set.ranks(parts));
        }
    }
    report(name, "with near words", &set.ranks(Parts { near_words: true, ..Parts::LEXICAL }));
    report(name, "**as shipped**", &set.ranks(Parts::SHIPPED));
    if set.has_vectors() {
        let hybrid = Parts { vectors: true, near_words: true, ..Parts::LEXICAL };
        report(name, "vectors alone", &set.ranks(Parts { text: false, tags: false, ..hybrid }));
        report(name, "**recall with vectors**", &set.ranks(hybrid));
    }
}

fn wants_report() -> bool {
    std::env::var_os("LOOPMEM_REPORT").is_some()
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
                let name = format!("{} {part}", name.to_string_lossy());
                report_all(&name, &Set::read(&at.join("docs.jsonl"), &questions));
            }
        }
    }
}

#[test]
fn memories_come_back_when_they_matter() {
    for (part, least) in [("dev", 90.0), ("test", 90.0)] {
        let at = data().join(part);
        let set = Set::read(&at.join("items.jsonl"), &at.join("queries.jsonl"));
        if wants_report() {
            report_all(part, &set);
        }
        let recall = recall_at_10(&set.ranks(Parts::LEXICAL));
        assert!(recall >= least, "{part}: {recall:.1} %");
        assert_better(part, &set, 3.0);
    }
}

/// The sets of two authors, who did not know the ranking.
fn by_two(kind: &str) -> [(String, Set); 2] {
    ["one", "two"].map(|author| {
        let at = data().join(kind).join(author);
        (format!("{kind} {author}"), Set::read(&at.join("docs.jsonl"), &at.join("queries.jsonl")))
    })
}

/// Their questions have hardly a word in common with the answer.
#[test]
fn what_was_said_in_other_words_is_found_by_near_words() {
    for (kind, least) in [("near", 30.0), ("facts", 25.0), ("preferences", 5.0), ("conversations", 5.0)] {
        for (name, set) in by_two(kind) {
            if wants_report() {
                report_all(&name, &set);
            }
            let with = recall_at_10(&set.ranks(Parts { near_words: true, ..Parts::LEXICAL }));
            let without = recall_at_10(&set.ranks(Parts::LEXICAL));
            assert!(with >= without + least, "{name}: {with:.1} % with near words, {without:.1} % without");
        }
    }
}

#[test]
fn what_was_said_on_a_day_is_found_by_its_date() {
    let set = generated::diary();
    let recall = recall_at_10(&set.ranks(Parts::LEXICAL));
    assert!(recall >= 99.0, "{recall:.1} %");
}

#[test]
fn the_change_that_a_later_one_mends_is_found_by_its_message_and_file() {
    let at = data().join("history");
    for part in ["dev", "test"] {
        let set = Set::read(&at.join("docs.jsonl"), &at.join(format!("queries.{part}.jsonl")));
        if wants_report() {
            let name = format!("history {part}");
            report_all(&name, &set);
            for (parts, aging) in [
                ("recall with recency and use", Aging::BOTH),
                ("… without recency", Aging { recency: false, ..Aging::BOTH }),
                ("… without use", Aging { frequency: false, ..Aging::BOTH }),
            ] {
                report(&name, parts, &aging::ranks(&set, aging));
            }
        }
        assert_better(&format!("history {part}"), &set, 10.0);
    }
}

#[test]
fn what_matches_nothing_is_not_padded_in() {
    for part in ["dev", "test"] {
        let at = data().join(part);
        let set = Set::read(&at.join("items.jsonl"), &at.join("queries.jsonl"));
        let ranks = set.ranks(Parts::LEXICAL);
        let returned = ranks.iter().filter(|ranks| ranks.relevant == 0 && ranks.hits > 0).count();
        assert!(returned <= 5, "{part}: {returned} of 15 queries without an answer return something");
    }
}

/// The hand-made memories, and the sets of two authors, about which the unrelated questions know nothing.
fn all_memories() -> Vec<(String, Set)> {
    let hand_made = ["dev", "test"].map(|part| {
        let at = data().join(part);
        (part.to_owned(), Set::read(&at.join("items.jsonl"), &at.join("queries.jsonl")))
    });
    let kinds = ["near", "facts", "preferences", "conversations"];
    hand_made.into_iter().chain(kinds.into_iter().flat_map(by_two)).collect()
}

#[test]
fn most_questions_about_something_else_find_nothing_and_hardly_an_answer_is_lost() {
    let unrelated: Vec<sets::Question> = ["one", "two"]
        .iter()
        .flat_map(|author| sets::read(&data().join("unrelated").join(author).join("queries.jsonl")))
        .collect();
    let (mut silent, mut lost) = (Vec::new(), Vec::new());
    for (name, set) in all_memories() {
        let ranks = set.ranks_of(&unrelated, Parts::SHIPPED);
        let about = |topic: &str| {
            let of_topic = unrelated.iter().zip(&ranks).filter(|(question, _)| question.topic == topic);
            mean(&of_topic.map(|(_, ranks)| f64::from(u8::from(ranks.hits == 0))).collect::<Vec<_>>())
        };
        let (all, kept) = (set.ranks(Parts { min_score: 0.0, ..Parts::SHIPPED }), set.ranks(Parts::SHIPPED));
        let loss = recall_at_10(&all) - recall_at_10(&kept);
        if wants_report() {
            println!("| {name} | {:.1} | {:.1} | {:.1} |", about("other"), about("same"), loss);
        }
        silent.push(about("other") / 100.0);
        lost.push(loss / 100.0);
    }
    assert!(mean(&silent) >= 50.0, "{:.1} % find nothing", mean(&silent));
    assert!(mean(&lost) <= 3.0, "{:.1} % of the answers are lost", mean(&lost));
}

#[test]
fn what_is_said_around_a_turn_helps_to_find_it() {
    let set = generated::conversations();
    if wants_report() {
        report_all("generated conversations", &set);
    }
    let with = recall_at_10(&set.ranks(Parts::LEXICAL));
    let without = recall_at_10(&set.ranks(Parts { sessions: false, ..Parts::LEXICAL }));
    assert!(with > without + 3.0, "{with:.1} % with sessions, {without:.1} % without");
}

#[test]
fn text_and_vectors_together_are_never_worse_than_the_better_of_them() {
    for kind in generated::KINDS {
        let set = generated::with_vectors(kind);
        if wants_report() {
            report_all(&format!("generated {kind:?}"), &set);
        }
        let hybrid = Parts { vectors: true, ..Parts::LEXICAL };
        let together = recall_at_10(&set.ranks(hybrid));
        let text = recall_at_10(&set.ranks(Parts::LEXICAL));
        let vectors = recall_at_10(&set.ranks(Parts { text: false, tags: false, ..hybrid }));
        assert!(together >= text.max(vectors), "{kind:?}: {together:.1} %, text {text:.1} %, vectors {vectors:.1} %");
    }
}
