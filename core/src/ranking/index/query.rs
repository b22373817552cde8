//! What documents are compared with.

/// A query.
#[derive(Debug, Clone, Copy, Default)]
pub struct Query<'q> {
    /// What the text is compared with.
    pub text: &'q str,
    /// The files in use.
    pub files: &'q [String],
    /// The packages in use.
    pub crates: &'q [String],
    /// The languages in use.
    pub langs: &'q [String],
    /// What the vectors are compared with.
    pub embedding: Option<&'q [f32]>,
}
