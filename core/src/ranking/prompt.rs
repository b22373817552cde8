//! A text that documents are compared with, redacted and analysed once.

use std::sync::Arc;

use once_cell::race::OnceBox;

use super::terms::Analyzer;
use crate::lazy::lazily;
use crate::safety::{Redactor, placeholders};

/// What documents are compared with: a prompt, or the text of a search. Clones share the analysis.
#[derive(Debug, Clone)]
pub struct Prompt(Arc<Analyzed>);

#[derive(Debug)]
struct Analyzed {
    /// Contains no secret.
    text: String,
    terms: OnceBox<Terms>,
}

/// The terms of a text, sorted and without repetitions.
#[derive(Debug)]
struct Terms {
    terms: Vec<String>,
    /// The first word that each term stands for.
    words: Vec<String>,
}

impl Prompt {
    /// Redacts `text`. In stored texts, placeholders replace secrets; so they do in what is compared with them.
    pub fn new(redactor: &Redactor, text: &str) -> Self {
        Prompt::of_redacted(redactor.scrub(text).into_owned())
    }

    fn of_redacted(text: String) -> Self {
        Prompt(Arc::new(Analyzed { text, terms: OnceBox::new() }))
    }

    /// The redacted text.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The parts of the text between the placeholders for secrets, in order.
    pub fn parts(&self) -> Vec<&str> {
        let text = self.text();
        let (mut parts, mut start) = (Vec::new(), 0);
        for placeholder in placeholders(text.as_bytes()) {
            parts.extend(text.get(start..placeholder.start));
            start = placeholder.end;
        }
        parts.extend(text.get(start..));
        parts
    }

    /// Its terms, sorted and without repetitions. A placeholder for a secret is not a term.
    pub fn terms(&self) -> &[String] {
        &self.analyzed().terms
    }

    /// As [`terms`](Self::terms), each with the first word that it stands for.
    pub fn words(&self) -> impl Iterator<Item = (&str, &str)> {
        let Terms { terms, words } = self.analyzed();
        terms.iter().map(String::as_str).zip(words.iter().map(String::as_str))
    }

    fn analyzed(&self) -> &Terms {
        lazily(&self.0.terms, || {
            let (terms, words) = Analyzer::default().distinct_words(self.text()).into_iter().unzip();
            Terms { terms, words }
        })
    }
}

/// For tests, whose prompts contain no secrets.
#[cfg(any(test, feature = "testing"))]
impl From<&str> for Prompt {
    fn from(text: &str) -> Self {
        Prompt::of_redacted(text.to_owned())
    }
}
