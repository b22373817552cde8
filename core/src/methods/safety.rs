//! `safety.*`

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Method, MethodEntry, MethodGroup, params};
use crate::error::{Error, Result};
use crate::safety::{Finding, Pattern, Redactor, Rule};
use crate::store::Store;

pub(super) const GROUP: MethodGroup = MethodGroup {
    name: "safety",
    about: "Detection and redaction of secrets",
    entries: &[MethodEntry::of::<Redact>(), MethodEntry::of::<Scan>(), MethodEntry::of::<Rules>()],
};

/// The most patterns that one call may pass.
const MAX_PATTERNS: usize = 1_000;

/// As [`params!`], with a text and what to look for in it.
macro_rules! of_text {
    ($(#[$doc:meta])* struct $params:ident) => {
        params! {
            $(#[$doc])*
            struct $params {
                /// The text.
                text: String,
                /// Regular expressions to use for this call, in addition to those configured. If one has a group named
                /// `secret`, only that group is a secret.
                patterns: Option<Vec<String>>,
            }
        }
    };
}

of_text! {
    /// Returns a text with every secret replaced by a placeholder, and the positions of the secrets.
    ///
    /// A placeholder is `[REDACTED:rule:tag]`. Equal secrets have equal tags within one home; without the home's key, a
    /// tag cannot be used to verify a guess. All other characters stay as they are, and redacting a redacted text does
    /// not change it. Nothing of the text is stored, but the first secret found creates the home's key.
    struct Redact
}

of_text! {
    /// Returns the positions of the secrets in a text, but never the secrets themselves.
    struct Scan
}

/// The position of a secret in a text.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SecretFinding {
    /// The id of the rule that found it.
    rule: String,
    /// Where the secret begins in the text that was passed, as an index into the language's own strings: UTF-16 code
    /// units in the typed methods of TypeScript, code points in those of Python, UTF-8 bytes everywhere else.
    #[schemars(extend("offsetInto" = "text"))]
    start: usize,
    /// Where it ends, exclusive, in the units of `start`.
    #[schemars(extend("offsetInto" = "text"))]
    end: usize,
    /// Ten hex digits; equal secrets have equal tags.
    tag: String,
}

impl From<&Finding<'_>> for SecretFinding {
    fn from(found: &Finding<'_>) -> Self {
        let (rule, tag) = (found.rule.to_owned(), found.tag.clone());
        SecretFinding { rule, start: found.place.start, end: found.place.end, tag }
    }
}

/// A text without its secrets.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Redacted {
    /// The text with placeholders.
    text: String,
    /// The positions of the secrets in the text that was passed, in order and without overlaps.
    findings: Vec<SecretFinding>,
}

/// The store's redactor, extended by the patterns of a call.
fn redactor<'s>(store: &'s Store, patterns: Option<&[String]>) -> Result<Cow<'s, Redactor>> {
    let redactor = store.safety();
    match patterns {
        None | Some([]) => Ok(Cow::Borrowed(redactor)),
        Some(patterns) if patterns.len() > MAX_PATTERNS => Err(Error::validation(format!(
            "{} patterns were passed; at most {MAX_PATTERNS} are accepted",
            patterns.len()
        ))),
        Some(patterns) => Ok(Cow::Owned(redactor.and(Pattern::unnamed("patterns", patterns))?)),
    }
}

impl Method for Redact {
    const NAME: &'static str = "safety.redact";
    type Output = Redacted;
    const LOCKS: bool = false;

    fn run(self, store: &Store) -> Result<Redacted> {
        let redactor = redactor(store, self.patterns.as_deref())?;
        let found = redactor.find(&self.text);
        let findings = found.iter().map(SecretFinding::from).collect();
        let mut text = String::with_capacity(self.text.len());
        let mut copied = 0;
        for it in &found {
            text.push_str(self.text.get(copied..it.place.start).unwrap_or_default());
            text.push_str(&it.placeholder());
            copied = it.place.end;
        }
        text.push_str(self.text.get(copied..).unwrap_or_default());
        Ok(Redacted { text, findings })
    }
}

impl Method for Scan {
    const NAME: &'static str = "safety.scan";
    type Output = Vec<SecretFinding>;
    const LOCKS: bool = false;

    fn run(self, store: &Store) -> Result<Vec<SecretFinding>> {
        let redactor = redactor(store, self.patterns.as_deref())?;
        Ok(redactor.find(&self.text).iter().map(SecretFinding::from).collect())
    }
}

params! {
    /// Returns every rule that detects secrets: the built-in rules, then those of the configuration, of the user's rule
    /// file and of the options.
    struct Rules {}
}

impl Method for Rules {
    const NAME: &'static str = "safety.rules";
    type Output = Vec<Rule>;
    const LOCKS: bool = false;

    fn run(self, store: &Store) -> Result<Vec<Rule>> {
        Ok(store.safety().rules())
    }
}
