//! Sets of documents and queries, and how well a ranking finds what is relevant.

use std::path::Path;

use loopmem::testing::ranking::{Content, Document, Index, Query, search};
use serde::Deserialize;

/// A document: an item, a turn of a conversation, a commit.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Doc {
    pub(crate) id: String,
    pub(crate) content: String,
    pub(crate) tags: Vec<String>,
    pub(crate) files: Vec<String>,
    pub(crate) relevance_hints: Hints,
    pub(crate) session: Option<String>,
    pub(crate) seq: i64,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Hints {
    pub(crate) files: Vec<String>,
    pub(crate) crates: Vec<String>,
    pub(crate) langs: Vec<String>,
}

/// A query, and the ids of the documents that answer it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Question {
    pub(crate) query: String,
    pub(crate) files: Vec<String>,
    pub(crate) crates: Vec<String>,
    pub(crate) langs: Vec<String>,
    pub(crate) relevant: Vec<String>,
}

/// Documents and questions about them.
pub(crate) struct Set {
    pub(crate) docs: Vec<Doc>,
    pub(crate) questions: Vec<Question>,
}

impl Set {
    /// The set of these files, of one JSON object a line.
    pub(crate) fn read(docs: &Path, questions: &Path) -> Self {
        Set { docs: read(docs), questions: read(questions) }
    }

    pub(crate) fn index(&self) -> Index {
        let mut index = Index::default();
        for (key, doc) in (0..).zip(&self.docs) {
            let files: Vec<String> = doc.files.iter().chain(&doc.relevance_hints.files).cloned().collect();
            let content = Content {
                text: &doc.content,
                tags: &doc.tags,
                files: &files,
                crates: &doc.relevance_hints.crates,
                langs: &doc.relevance_hints.langs,
                session: doc.session.as_deref().map(|session| (session, doc.seq)),
            };
            index.insert(&Document { key, id: key, content: Some(content), ..Document::default() });
        }
        index
    }

    /// The ranks at which the relevant documents of each question were found, from 0.
    pub(crate) fn ranks(&self, index: &Index) -> Vec<Ranks> {
        self.questions
            .iter()
            .map(|question| {
                let query = Query {
                    text: &question.query,
                    files: &question.files,
                    crates: &question.crates,
                    langs: &question.langs,
                };
                let mut hits = search(&[index], &query);
                hits.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.document.cmp(&other.document)));
                let is_relevant = |document: u32| question.relevant.contains(&self.docs[document as usize].id);
                let found = hits.iter().enumerate().filter(|(_, hit)| is_relevant(hit.document)).map(|(rank, _)| rank);
                Ranks { found: found.collect(), relevant: question.relevant.len(), hits: hits.len() }
            })
            .collect()
    }
}

/// Where the relevant documents of one question were found.
pub(crate) struct Ranks {
    pub(crate) found: Vec<usize>,
    pub(crate) relevant: usize,
    pub(crate) hits: usize,
}

impl Ranks {
    /// The part of the relevant documents that is among the first `count`.
    pub(crate) fn recall(&self, count: usize) -> f64 {
        let found = self.found.iter().filter(|rank| **rank < count).count();
        found as f64 / self.relevant.min(count).max(1) as f64
    }

    /// 1 divided by the position of the first relevant document; 0 if none was found.
    pub(crate) fn reciprocal(&self) -> f64 {
        self.found.first().map_or(0.0, |rank| 1.0 / (*rank as f64 + 1.0))
    }
}

fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Vec<T> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|cause| panic!("{}: {cause}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
