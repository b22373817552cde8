//! The rankings that ours is compared with: SQLite's FTS5 with its stemmer, and BM25 over words in several forms.

use std::collections::HashMap;

use rust_stemmers::{Algorithm, Stemmer};

use loopmem::testing::ranking::{Analyzer, is_stop_word};
use loopmem::testing::sqlite::rusqlite::Connection;

use super::sets::{Question, Ranks, Set};

/// FTS5 with the stemmer of Porter, for any of the words.
pub(crate) fn fts5(set: &Set) -> Vec<Ranks> {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch("CREATE VIRTUAL TABLE t USING fts5 (x, tokenize = 'porter'); BEGIN").unwrap();
    for (at, doc) in set.docs.iter().enumerate() {
        let text = format!("{} {} {}", doc.content, doc.tags.join(" "), doc.files.join(" "));
        let row = i64::try_from(at).unwrap();
        connection.execute("INSERT INTO t (rowid, x) VALUES (?1, ?2)", (row, text)).unwrap();
    }
    connection.execute_batch("COMMIT").unwrap();
    let mut select = connection.prepare("SELECT rowid FROM t WHERE t MATCH ?1 ORDER BY rank LIMIT 1000").unwrap();
    let mut rank = |question: &Question| {
        let any: Vec<String> = words(question).iter().map(|word| format!("\"{word}\"")).collect();
        let rows = select.query_map([any.join(" OR ")], |row| row.get::<_, i64>(0)).unwrap();
        set.ranks_in(question, rows.map(|row| usize::try_from(row.unwrap()).unwrap()))
    };
    set.questions.iter().map(&mut rank).collect()
}

/// What BM25 takes as the terms of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Terms {
    /// The words as they are.
    Words,
    /// Without stop words.
    Content,
    /// Stems, without stop words.
    Stems,
    /// Our own: stems, without stop words, of whole identifiers and of their parts.
    Ours,
}

/// BM25 with its usual parameters.
pub(crate) fn bm25(set: &Set, terms: Terms) -> Vec<Ranks> {
    let mut split = splitter(terms);
    let texts: Vec<Vec<String>> = set
        .docs
        .iter()
        .map(|doc| split(&format!("{} {} {}", doc.content, doc.tags.join(" "), doc.files.join(" "))))
        .collect();
    let mean = texts.iter().map(Vec::len).sum::<usize>() as f64 / texts.len() as f64;
    let mut postings: HashMap<&str, HashMap<usize, f64>> = HashMap::new();
    for (at, text) in texts.iter().enumerate() {
        for word in text {
            *postings.entry(word).or_default().entry(at).or_default() += 1.0;
        }
    }
    let mut rank = |question: &Question| {
        let mut wanted = split(&format!("{} {}", question.query, question.files.join(" ")));
        wanted.sort();
        wanted.dedup();
        let mut scores: HashMap<usize, f64> = HashMap::new();
        for with in wanted.iter().filter_map(|word| postings.get(word.as_str())) {
            let rarity = (1.0 + (texts.len() as f64 - with.len() as f64 + 0.5) / (with.len() as f64 + 0.5)).ln();
            for (at, count) in with {
                let length = 1.2 * (0.25 + 0.75 * texts[*at].len() as f64 / mean);
                *scores.entry(*at).or_default() += rarity * count * 2.2 / (count + length);
            }
        }
        let mut ranked: Vec<_> = scores.into_iter().collect();
        ranked.sort_by(|(one, a), (other, b)| b.total_cmp(a).then(one.cmp(other)));
        set.ranks_in(question, ranked.into_iter().map(|(at, _)| at))
    };
    set.questions.iter().map(&mut rank).collect()
}

fn words(question: &Question) -> Vec<String> {
    let mut words = split(&format!("{} {}", question.query, question.files.join(" ")));
    words.sort();
    words.dedup();
    words
}

fn split(text: &str) -> Vec<String> {
    text.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty()).map(str::to_lowercase).collect()
}

fn splitter(terms: Terms) -> impl FnMut(&str) -> Vec<String> {
    let (mut ours, stemmer) = (Analyzer::default(), Stemmer::create(Algorithm::English));
    move |text| match terms {
        Terms::Words => split(text),
        Terms::Content => split(text).into_iter().filter(|word| !is_stop_word(word)).collect(),
        Terms::Stems => {
            let words = split(text).into_iter().filter(|word| !is_stop_word(word));
            words.map(|word| stemmer.stem(&word).into_owned()).collect()
        }
        Terms::Ours => {
            let mut all = Vec::new();
            ours.each_term(text, |term| all.push(term.to_owned()));
            all
        }
    }
}
