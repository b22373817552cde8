//! Sets of documents and queries, and how well a ranking finds what is relevant.

use std::path::Path;

use loopmem::testing::ranking::{Content, Document, Index, JUDGED, Prompt, Query, Scale, matched, search};
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
    /// The day on which it was said, as `2026-01-31`.
    pub(crate) date: Option<String>,
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
    /// The document that it was asked for: only those before it could be found then.
    pub(crate) asked: Option<String>,
    /// Of an unrelated question: whether it is about the `same` topic as the documents, or an `other`.
    pub(crate) topic: String,
}

pub(crate) type Vectors = Vec<Vec<f32>>;

/// Documents and questions about them.
pub(crate) struct Set {
    pub(crate) docs: Vec<Doc>,
    pub(crate) questions: Vec<Question>,
    /// The vectors of the documents and of the questions, if there are any.
    vectors: Option<(Vectors, Vectors)>,
}

/// What takes part in a ranking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Parts {
    pub(crate) text: bool,
    pub(crate) tags: bool,
    pub(crate) sessions: bool,
    pub(crate) files: bool,
    /// Packages and languages.
    pub(crate) kinds: bool,
    pub(crate) vectors: bool,
    pub(crate) near_words: bool,
    /// What scores less is left out.
    pub(crate) min_score: f64,
}

impl Parts {
    /// Everything but vectors and near words, and whatever matches.
    pub(crate) const LEXICAL: Parts = Parts {
        text: true,
        tags: true,
        sessions: true,
        files: true,
        kinds: true,
        vectors: false,
        near_words: false,
        min_score: 0.0,
    };
    /// As shipped, without vectors.
    pub(crate) const SHIPPED: Parts = Parts { near_words: true, min_score: 0.15, ..Parts::LEXICAL };
}

impl Set {
    /// The set of these files, of one JSON object a line. Vectors are beside them, as files of f32 with the extension `f32`.
    pub(crate) fn read(docs: &Path, questions: &Path) -> Self {
        let mut set = Set { docs: read(docs), questions: read(questions), vectors: None };
        let vectors = (vectors(docs, set.docs.len()), vectors(questions, set.questions.len()));
        if let (Some(docs), Some(questions)) = vectors {
            set.vectors = Some((docs, questions));
        }
        set
    }

    /// A set that a test makes, with the vectors of the documents and of the questions.
    pub(crate) fn generated(docs: Vec<Doc>, questions: Vec<Question>, vectors: Option<(Vectors, Vectors)>) -> Self {
        Set { docs, questions, vectors }
    }

    pub(crate) fn has_vectors(&self) -> bool {
        self.vectors.is_some()
    }

    /// Whether `parts` make a difference to this set.
    pub(crate) fn has(&self, parts: Parts) -> bool {
        (parts.tags || self.docs.iter().any(|doc| !doc.tags.is_empty()))
            && (parts.sessions || self.docs.iter().any(|doc| doc.session.is_some()))
            && (parts.files || self.questions.iter().any(|question| !question.files.is_empty()))
            && (parts.kinds || self.questions.iter().any(|it| !it.crates.is_empty() || !it.langs.is_empty()))
    }

    pub(crate) fn index(&self, parts: Parts) -> Index {
        let mut index = Index::default();
        for (at, doc) in self.docs.iter().enumerate() {
            let hints = &doc.relevance_hints;
            let files: Vec<String> = doc.files.iter().chain(&hints.files).cloned().collect();
            let vector = self.vectors.as_ref().map(|(docs, _)| docs[at].as_slice());
            let content = Content {
                text: if parts.text { &doc.content } else { "" },
                tags: if parts.tags { &doc.tags } else { &[] },
                files: if parts.files { &files } else { &[] },
                crates: if parts.kinds { &hints.crates } else { &[] },
                langs: if parts.kinds { &hints.langs } else { &[] },
                session: doc.session.as_deref().filter(|_| parts.sessions).map(|session| (session, doc.seq)),
                embedding: vector.filter(|_| parts.vectors),
                time: doc.date.as_ref().and_then(|date| {
                    let date: chrono::NaiveDate = date.parse().ok()?;
                    Some(date.and_time(chrono::NaiveTime::MIN).and_utc().timestamp_millis())
                }),
                mark: None,
            };
            index.insert(&Document { key: at as u64, id: at as u64, content: Some(content), ..Document::default() });
        }
        index
    }

    /// The ranks at which the relevant documents of each question were found, from 0.
    pub(crate) fn ranks(&self, parts: Parts) -> Vec<Ranks> {
        self.ranks_of(&self.questions, parts)
    }

    /// As [`ranks`](Self::ranks), of other questions.
    pub(crate) fn ranks_of(&self, questions: &[Question], parts: Parts) -> Vec<Ranks> {
        let index = self.index(parts);
        let rank = |(at, question): (usize, &Question)| {
            let prompt = Prompt::from(question.query.as_str());
            let query = Query {
                prompt: Some(&prompt).filter(|_| parts.text),
                files: &question.files,
                crates: &question.crates,
                langs: &question.langs,
                embedding: self.vectors.as_ref().map(|(_, questions)| questions[at].as_slice()),
                with_near_words: parts.near_words,
                vector_weight: None,
            };
            let matches = search(&[&index], &query);
            let mut hits = matches.at_least(0.0);
            hits.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.document.cmp(&other.document)));
            if parts.min_score > 0.0 {
                let why = matched(&[&index], &matches, &hits, &query);
                let confidences = why.iter().take(JUDGED).map(|it| it.confidence);
                let scale = Scale::of(hits.first().map_or(0.0, |hit| hit.score), confidences);
                let all = hits
                    .iter()
                    .zip(&why)
                    .filter(|(hit, why)| why.is_reason() && scale.reported(hit.score) >= parts.min_score);
                hits = all.map(|(hit, _)| *hit).collect();
            }
            self.ranks_in(question, hits.iter().map(|hit| hit.document as usize))
        };
        questions.iter().enumerate().map(rank).collect()
    }

    /// The position of the document that a question was asked for.
    pub(crate) fn asked(&self, question: &Question) -> Option<usize> {
        question.asked.as_ref().and_then(|id| self.docs.iter().position(|doc| doc.id == *id))
    }

    /// Where the relevant documents of a question are among documents in the order of a ranking.
    pub(crate) fn ranks_in(&self, question: &Question, ranked: impl Iterator<Item = usize>) -> Ranks {
        let asked = self.asked(question);
        let mut ranks = Ranks { found: Vec::new(), relevant: question.relevant.len(), hits: 0 };
        for document in ranked.filter(|document| asked.is_none_or(|asked| *document < asked)) {
            if question.relevant.contains(&self.docs[document].id) {
                ranks.found.push(ranks.hits);
            }
            ranks.hits += 1;
        }
        ranks
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

pub(crate) fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Vec<T> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|cause| panic!("{}: {cause}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The vectors beside a file of `count` documents, if there are any.
fn vectors(path: &Path, count: usize) -> Option<Vectors> {
    let bytes = std::fs::read(path.with_extension("f32")).ok()?;
    let numbers: Vec<f32> = bytes.as_chunks().0.iter().map(|it| f32::from_le_bytes(*it)).collect();
    Some(numbers.chunks(numbers.len() / count).map(<[f32]>::to_vec).collect())
}
