//! `safety.*`

use super::{Method, MethodEntry, MethodGroup, params};
use crate::error::Result;
use crate::redaction::{Redacted, SecretFinding};
use crate::safety::Rule;
use crate::store::Store;

pub(super) const GROUP: MethodGroup = MethodGroup {
    name: "safety",
    about: "Detection and redaction of secrets",
    entries: &[MethodEntry::of::<Redact>(), MethodEntry::of::<Scan>(), MethodEntry::of::<Rules>()],
};

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
    /// Returns the positions of the secrets in a text, but never the secrets themselves. Nothing of the text is stored,
    /// but the first secret found creates the home's key.
    struct Scan
}

impl Method for Redact {
    const NAME: &'static str = "safety.redact";
    type Output = Redacted;
    const LOCKS: bool = false;

    fn run(self, store: &Store) -> Result<Redacted> {
        store.safety().patterns(self.patterns.unwrap_or_default()).redact(&self.text)
    }
}

impl Method for Scan {
    const NAME: &'static str = "safety.scan";
    type Output = Vec<SecretFinding>;
    const LOCKS: bool = false;

    fn run(self, store: &Store) -> Result<Vec<SecretFinding>> {
        store.safety().patterns(self.patterns.unwrap_or_default()).scan(&self.text)
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
        store.safety().rules()
    }
}
