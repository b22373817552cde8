//! Sets that are made here, of invented words: what they are for is what a part of the ranking adds, not how good it is.

use super::sets::{Doc, Question, Set, Vectors};

/// Numbers that look random and are the same in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 16
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    fn pick<'t>(&mut self, words: &'t [String]) -> &'t str {
        &words[self.below(words.len())]
    }

    fn some(&mut self, count: usize, words: &[String]) -> Vec<String> {
        (0..count).map(|_| self.pick(words).to_owned()).collect()
    }

    /// A number from -1 to 1.
    fn number(&mut self) -> f32 {
        (self.next() % 20_001) as f32 / 10_000.0 - 1.0
    }

    fn vector(&mut self) -> Vec<f32> {
        (0..DIMENSION).map(|_| self.number()).collect()
    }

    /// A vector near `center`.
    fn near(&mut self, center: &[f32], distance: f32) -> Vec<f32> {
        center.iter().map(|at| at + distance * self.number()).collect()
    }
}

const DIMENSION: usize = 48;

/// `count` words that begin with `prefix`. A stemmer leaves them as they are.
fn words(prefix: &str, count: usize) -> Vec<String> {
    let letter = |digit: usize| ["ba", "do", "fu", "ka", "lo", "mu", "po", "ra", "tu", "zo"][digit];
    let word = |number: usize| {
        format!("{prefix}{}{}{}", letter(number / 100 % 10), letter(number / 10 % 10), letter(number % 10))
    };
    (0..count).map(word).collect()
}

/// A diary of two years, with questions about single days.
pub(crate) fn diary() -> Set {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let things = words("th", 900);
    let (mut docs, mut questions) = (Vec::new(), Vec::new());
    let first = chrono::NaiveDate::from_ymd_opt(2022, 1, 1).unwrap();
    for (number, date) in first.iter_days().take(730).enumerate() {
        let (id, content) = (format!("d{number}"), format!("we went to the {}", random.pick(&things)));
        if number % 7 == 0 {
            let query = format!("Where did we go on {}?", date.format("%-d %B %Y"));
            questions.push(Question { query, relevant: vec![id.clone()], ..Question::default() });
        }
        docs.push(Doc { id, content, date: Some(date.to_string()), ..Doc::default() });
    }
    Set::generated(docs, questions, None)
}

/// Conversations, in which each turn answers the one before it with words of its own. What is asked later is in the words of
/// both, with what the conversation is about.
pub(crate) fn conversations() -> Set {
    const SESSIONS: usize = 60;
    const TURNS: usize = 16;
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let (things, common) = (words("th", 200), words("co", 100));
    let (mut docs, mut questions) = (Vec::new(), Vec::new());
    for session in 0..SESSIONS {
        let about = random.some(5, &things);
        let asked = 1 + random.below(TURNS - 1);
        let mut before: Vec<String> = Vec::new();
        for turn in 0..TURNS {
            let said = [random.some(1, &about), random.some(7, &common)].concat();
            let id = format!("{session}-{turn}");
            if turn == asked {
                let query = [&before[1..3], &said[1..2], &about[..1]].concat().join(" ");
                questions.push(Question { query, relevant: vec![id.clone()], ..Question::default() });
            }
            let (content, seq) = (said.join(" "), i64::try_from(turn).unwrap());
            docs.push(Doc { id, content, session: Some(format!("session {session}")), seq, ..Doc::default() });
            before = said;
        }
    }
    Set::generated(docs, questions, None)
}

/// By what the documents of a set can be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The questions use words of the document; their vectors are only near its topic.
    Text,
    /// The questions use other words; their vectors are near that of the document.
    Vectors,
    /// One in three has words of the document and a vector of nothing, one in three has the vector alone, the others both.
    Mixed,
}

pub(crate) const KINDS: [Kind; 3] = [Kind::Text, Kind::Vectors, Kind::Mixed];

/// Documents about topics, with vectors near that of their topic.
pub(crate) fn with_vectors(kind: Kind) -> Set {
    const TOPICS: usize = 40;
    const DOCS: usize = 800;
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let (vocabulary, others) = (words("wo", 600), words("xy", 300));
    let topics: Vec<(Vec<f32>, Vec<String>)> =
        (0..TOPICS).map(|_| (random.vector(), random.some(12, &vocabulary))).collect();
    let (mut docs, mut questions) = (Vec::new(), Vec::new());
    let mut vectors: (Vectors, Vectors) = (Vec::new(), Vec::new());
    for number in 0..DOCS {
        let (center, about) = &topics[number % TOPICS];
        let said = [random.some(4, about), random.some(6, &vocabulary)].concat();
        let vector = random.near(center, 0.8);
        if number % 4 == 0 {
            let third = number / 4 % 3;
            let of_question = match (kind, third) {
                (Kind::Text, _) => random.near(center, 0.8),
                (Kind::Mixed, 0) => random.vector(),
                _ => random.near(&vector, 0.6),
            };
            let uses_words = kind == Kind::Text || (kind == Kind::Mixed && third != 1);
            let own = if uses_words { said[2..6].to_vec() } else { random.some(4, &others) };
            let query = [own, random.some(2, &others)].concat().join(" ");
            questions.push(Question { query, relevant: vec![number.to_string()], ..Question::default() });
            vectors.1.push(of_question);
        }
        docs.push(Doc { id: number.to_string(), content: said.join(" "), ..Doc::default() });
        vectors.0.push(vector);
    }
    Set::generated(docs, questions, Some(vectors))
}
