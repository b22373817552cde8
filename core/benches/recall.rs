//! What recall costs, beside SQLite's FTS5 on the same texts in the same run.
//!
//! `cargo bench -p loopmem --bench recall` prints a table and fails nothing.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench measures with its own clock and files, stops at any surprise and prints what it saw"
)]

mod measure;

use std::fmt::Write as _;
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use loopmem::items::{ItemDraft, ItemType, Items, RecallQuery, Scope};
use loopmem::testing::ranking::{Content, Document, Index, Prompt, Query, Segment, search};
use loopmem::testing::sqlite::rusqlite::Connection;
use loopmem::{Options, Store};

use measure::{Times, ms, row, us, verdict};

const QUERIES: usize = 400;
/// The words that the texts are made of, the most frequent first. The rank of a word decides how frequent it is, as in natural
/// texts.
const VOCABULARY: &str = include_str!("../../scripts/near_words/code_words.txt");

fn main() {
    row("what (Rust)", "measured", "target", "");
    for count in [10_000, 100_000] {
        let texts = texts(count);
        let queries = queries();
        ranking(&texts, &queries);
        sessions(&texts, &queries);
        hybrid(&texts, &queries);
        items(&texts, &queries);
    }
}

/// A generator of numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A word, of which the first ones are the most frequent.
    fn word(&mut self) -> &'static str {
        static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| VOCABULARY.split_whitespace().collect());
        let fraction = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to the size of the vocabulary"
        )]
        let rank = ((WORDS.len() as f64).powf(fraction) - 1.0) as usize;
        WORDS[rank]
    }

    fn text(&mut self, words: usize) -> String {
        (0..words).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}

fn texts(count: usize) -> Vec<String> {
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    (0..count)
        .map(|_| 10 + usize::try_from(numbers.next() % 15).unwrap())
        .collect::<Vec<_>>()
        .into_iter()
        .map(|words| numbers.text(words))
        .collect()
}

fn queries() -> Vec<String> {
    let mut numbers = Numbers(42);
    (0..QUERIES).map(|_| numbers.text(5)).collect()
}

/// The index alone, beside FTS5.
fn ranking(texts: &[String], queries: &[String]) {
    let name = |what: &str| format!("{what}, {} texts", texts.len());
    let begun = Instant::now();
    let mut index = Index::default();
    for (key, text) in (0..).zip(texts) {
        let content = Content { text, ..Content::default() };
        index.insert(&Document { key, id: key, content: Some(content), ..Document::default() });
    }
    let (bytes, _) = index.compacted().unwrap();
    let built = begun.elapsed();
    let text_bytes: usize = texts.iter().map(String::len).sum();
    let size = format!("{} ({:.2}x the text)", ms(built), bytes.len() as f64 / text_bytes as f64);
    row(&name("cold index"), &size, "600 ms for 100,000", verdict(built < Duration::from_millis(600)));
    let index = Index::of(Segment::read(Box::new(bytes)).unwrap());
    let mut ours = Times::default();
    for query in queries {
        ours.wall(|| {
            search(
                &[&index],
                &Query { prompt: Some(&Prompt::from(&**query)), with_near_words: true, ..Query::default() },
            )
            .count(0.0)
        });
    }
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch("CREATE VIRTUAL TABLE t USING fts5 (x, tokenize = 'porter'); BEGIN").unwrap();
    for text in texts {
        connection.prepare_cached("INSERT INTO t VALUES (?1)").unwrap().execute([text]).unwrap();
    }
    connection.execute_batch("COMMIT").unwrap();
    let mut theirs = Times::default();
    let mut statement = connection.prepare("SELECT rowid FROM t WHERE t MATCH ?1 ORDER BY rank LIMIT 10").unwrap();
    for query in queries.iter().take(100) {
        let any = query.split(' ').collect::<Vec<_>>().join(" OR ");
        theirs.wall(|| statement.query_map([&any], |row| row.get::<_, i64>(0)).unwrap().count());
    }
    let (p50, p95) = (ours.percentile(50), ours.percentile(95));
    let is_met = p50 <= Duration::from_micros(500) && p95 <= Duration::from_millis(2);
    row(&name("search, 5 words, p50 / p95"), &format!("{} / {}", us(p50), us(p95)), "500 µs / 2 ms", verdict(is_met));
    let (other, times) = (theirs.percentile(50), theirs.percentile(50).as_secs_f64() / p50.as_secs_f64());
    let measured = format!("{} ({times:.0}x ours)", us(other));
    row(&name("the same by FTS5, p50"), &measured, "20x ours", verdict(times >= 20.0));
}

/// How many texts are in a session.
const SESSION: usize = 20;

/// The index with sessions, in which neighbours count.
fn sessions(texts: &[String], queries: &[String]) {
    let index = mapped(texts.iter().enumerate().map(|(at, text)| {
        let name = format!("session {}", at / SESSION);
        (text, Some((name, i64::try_from(at % SESSION).unwrap())), Vec::new())
    }));
    let mut ours = Times::default();
    for query in queries {
        ours.wall(|| {
            search(
                &[&index],
                &Query { prompt: Some(&Prompt::from(&**query)), with_near_words: true, ..Query::default() },
            )
            .count(0.0)
        });
    }
    let measured = format!("{} / {}", us(ours.percentile(50)), us(ours.percentile(95)));
    row(&format!("search in sessions, p50 / p95, {} texts", texts.len()), &measured, "", "");
}

/// The index with vectors of 384 dimensions, in clusters as those of texts are.
fn hybrid(texts: &[String], queries: &[String]) {
    const DIMENSIONS: usize = 384;
    let mut numbers = Numbers(7);
    let mut vector = |center: &[f32], spread: f32| -> Vec<f32> {
        let random = |numbers: &mut Numbers| (numbers.next() >> 40) as f32 / (1 << 23) as f32 - 1.0;
        (0..DIMENSIONS).map(|at| center.get(at).unwrap_or(&0.0) + spread * random(&mut numbers)).collect()
    };
    let centers: Vec<Vec<f32>> = (0..200).map(|_| vector(&[], 1.0)).collect();
    let vectors: Vec<Vec<f32>> = (0..texts.len()).map(|at| vector(&centers[at % centers.len()], 1.0)).collect();
    let asked: Vec<Vec<f32>> = (0..queries.len()).map(|at| vector(&vectors[at * 7], 0.7)).collect();
    let index = mapped(texts.iter().zip(&vectors).map(|(text, vector)| (text, None, vector.clone())));
    let mut ours = Times::default();
    for (text, vector) in queries.iter().zip(&asked) {
        let query = Query { prompt: Some(&Prompt::from(&**text)), embedding: Some(vector), ..Query::default() };
        ours.wall(|| search(&[&index], &query).nth_best(10));
    }
    let (p50, p95) = (ours.percentile(50), ours.percentile(95));
    let measured = format!("{} / {}", us(p50), us(p95));
    let name = format!("search with vectors, p50 / p95, {} texts", texts.len());
    row(&name, &measured, "p95 3 ms", verdict(p95 <= Duration::from_millis(3)));
}

/// An index of texts with sessions and vectors, as it is read from a file.
fn mapped<'t>(texts: impl Iterator<Item = (&'t String, Option<(String, i64)>, Vec<f32>)>) -> Index {
    let mut index = Index::default();
    for (key, (text, session, vector)) in (0..).zip(texts) {
        let session = session.as_ref().map(|(name, seq)| (name.as_str(), *seq));
        let content = Content { text, session, embedding: Some(&vector), ..Content::default() };
        index.insert(&Document { key, id: key, content: Some(content), ..Document::default() });
    }
    Index::of(Segment::read(Box::new(index.compacted().unwrap().0)).unwrap())
}

/// Recalls through the API.
fn items(texts: &[String], queries: &[String]) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let workspace = folder.path().join("workspace");
    // Otherwise the items would belong to the repository of this project.
    std::fs::create_dir_all(&workspace).unwrap();
    std::process::Command::new("git").args(["init", "-q"]).current_dir(&workspace).status().unwrap();
    write(&workspace, texts);
    let open = || -> Items {
        let options = Options::at(folder.path().join("home")).codex_home(folder.path().join("codex"));
        Store::open(options).unwrap().items(workspace.as_path())
    };
    let name = |what: &str| format!("{what}, {} items", texts.len());
    let first = Instant::now();
    open().recall(&RecallQuery::new(&queries[0])).unwrap();
    row(&name("recall, no index yet"), &ms(first.elapsed()), "", "");
    std::thread::sleep(Duration::from_millis(100));
    let mut fresh = Times::default();
    for query in queries.iter().take(20) {
        loopmem::testing::items::forget();
        fresh.wall(|| open().recall(&RecallQuery::new(query)).unwrap());
    }
    let (fresh, most) = (fresh.percentile(50), if texts.len() > 10_000 { 60 } else { 15 });
    row(&name("recall, fresh store"), &ms(fresh), &format!("{most} ms"), verdict(fresh < Duration::from_millis(most)));
    let items = open();
    items.recall(&RecallQuery::new(&queries[0])).unwrap();
    let mut warm = Times::default();
    for query in queries {
        warm.wall(|| items.recall(&RecallQuery::new(query)).unwrap());
    }
    let (p50, p95) = (warm.percentile(50), warm.percentile(95));
    let is_met = p50 <= Duration::from_micros(600) && p95 <= Duration::from_millis(2);
    row(&name("recall, warm, p50 / p95"), &format!("{} / {}", us(p50), us(p95)), "600 µs / 2 ms", verdict(is_met));
    let mut added = Times::default();
    for text in texts.iter().take(50) {
        added.wall(|| items.add(ItemDraft::new(Scope::Repo, ItemType::Note, text)).unwrap());
    }
    row(&name("add, wall time, p50"), &us(added.percentile(50)), "an append and 50 µs", "");
}

fn write(workspace: &Path, texts: &[String]) {
    let folder = workspace.join(".codex/memory");
    std::fs::create_dir_all(&folder).unwrap();
    let mut lines = String::new();
    for (number, text) in texts.iter().enumerate() {
        writeln!(
            lines,
            "{{\"id\":\"{number:08}\",\"created_at\":\"2026-01-01T00:00:00Z\",\"updated_at\":\"2026-01-01T00:00:00Z\",\
             \"scope\":\"repo\",\"status\":\"active\",\"type\":\"note\",\"content\":\"{text}\",\"tags\":[],\"relevance_hints\":{{}}}}"
        )
        .unwrap();
    }
    std::fs::write(folder.join("items.jsonl"), lines).unwrap();
}
