//! Documents, each with its text, its hints and its place in a session, and the queries that they are compared with.

use crate::ranking::Prompt;

/// How many numbers a document carries for its owner.
pub const ATTRIBUTES: usize = 4;

/// A document to be indexed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Document<'d> {
    /// Identifies the version of the document: a hash of what is stored.
    pub key: u64,
    /// Identifies the document in all its versions: a hash of its id.
    pub id: u64,
    /// Numbers that only its owner interprets.
    pub attributes: [u64; ATTRIBUTES],
    /// Its searchable content; `None` for a document that is only looked up by its id.
    pub content: Option<Content<'d>>,
}

/// The searchable content of a document.
#[derive(Debug, Clone, Copy, Default)]
pub struct Content<'d> {
    /// Its text.
    pub text: &'d str,
    /// Further words, such as tags.
    pub tags: &'d [String],
    /// The files and folders that it is about.
    pub files: &'d [String],
    /// The packages that it is about.
    pub crates: &'d [String],
    /// The languages that it is about.
    pub langs: &'d [String],
    /// The session that it belongs to, and its position in there.
    pub session: Option<(&'d str, i64)>,
    /// Its embedding vector.
    pub embedding: Option<&'d [f32]>,
    /// When it was said, in milliseconds since 1970.
    pub time: Option<i64>,
    /// A mark by which its owner lists it.
    pub mark: Option<&'d str>,
}

/// A query.
#[derive(Debug, Clone, Copy, Default)]
pub struct Query<'q> {
    /// Compared with the texts.
    pub prompt: Option<&'q Prompt>,
    /// The files in use.
    pub files: &'q [String],
    /// The packages in use.
    pub crates: &'q [String],
    /// The languages in use.
    pub langs: &'q [String],
    /// Compared with the vectors.
    pub embedding: Option<&'q [f32]>,
    /// Whether words of a similar meaning count too, less than the same word.
    pub with_near_words: bool,
    /// How much vectors count in relation to words; `None` for the default.
    pub vector_weight: Option<f32>,
}

/// A number for the session of this name; never 0.
pub(super) fn session_number(name: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(name.as_bytes()).max(1)
}

/// A number that sorts like `number`.
pub fn sortable(number: i64) -> u64 {
    number.cast_unsigned() ^ (1 << 63)
}
