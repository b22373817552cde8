//! Texts without secrets that are stored as they are, and not as JSON.

use crate::redact::redactor::Redactor;

/// A text that was redacted. A function that stores nothing else cannot store a secret by mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedText(String);

impl SealedText {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A literal of the program itself.
impl From<&'static str> for SealedText {
    fn from(literal: &'static str) -> Self {
        SealedText(literal.to_owned())
    }
}

impl Redactor {
    /// Redacts a text that is to be stored as it is.
    pub fn seal_text(&self, text: &str) -> SealedText {
        SealedText(self.redact(text).into_owned())
    }
}
