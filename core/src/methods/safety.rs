//! `safety.*`

use super::{Method, MethodEntry, MethodGroup, params, preview, to_json};
use crate::error::Result;
use crate::redaction::{Redacted, SecretFinding};
use crate::redactions::Redaction;
use crate::safety::{Allowance, Fields, Rule};
use crate::store::Store;

pub(super) const GROUP: MethodGroup = MethodGroup {
    name: "safety",
    about: "Detection and redaction of secrets",
    entries: &[
        MethodEntry::of::<Redact>(),
        MethodEntry::of::<Scan>(),
        MethodEntry::of::<Rules>(),
        MethodEntry::of::<Preview>(),
        MethodEntry::of::<Allow>(),
        MethodEntry::of::<Allowances>(),
    ],
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

params! {
    /// Returns what a call would redact, without making it: nothing is written.
    ///
    /// A call that redacts also says so itself: the logger gets a warning, and the call's options can ask for the list.
    struct Preview {
        /// The method, which stores something: `memory.upsertNote`.
        method: String,
        /// Its params.
        params: Option<Fields>,
    }
}

impl Method for Preview {
    const NAME: &'static str = "safety.preview";
    type Output = Vec<Redaction>;

    fn run(self, store: &Store) -> Result<Vec<Redaction>> {
        preview(store, &self.method, &to_json(&self.params.unwrap_or_default())?)
    }
}

params! {
    /// Declares in the home's `redaction.toml` that something is no secret, although a rule finds it, and returns it as
    /// stored.
    ///
    /// A finding must match all of `name`, `rule`, `field` and `tag` that are given, of which there is at least one.
    /// Stores that are opened afterwards apply it.
    struct Allow {
        /// The name of the value, such as `sessionKey`, in any case and with or without `_`, `-` and `.`.
        name: Option<String>,
        /// The id of the rule, such as `keyed-value`.
        rule: Option<String>,
        /// The path of the field in a record, such as `metadata.headers`, with everything below it.
        field: Option<String>,
        /// The tag of the value, from its placeholder or from a scan with the same home.
        tag: Option<String>,
        /// Why it is no secret, for the people who read this later.
        reason: String,
    }
}

impl Method for Allow {
    const NAME: &'static str = "safety.allow";
    const WRITES: bool = true;
    const REDACTS: bool = true;
    type Output = Allowance;

    fn run(self, store: &Store) -> Result<Allowance> {
        let Allow { name, rule, field, tag, reason } = self;
        store.safety().allow(&Allowance { name, rule, field, tag, reason })
    }
}

params! {
    /// Returns what is no secret, although a rule finds it: by the home's `redaction.toml` and by the options of the
    /// store.
    struct Allowances {}
}

impl Method for Allowances {
    const NAME: &'static str = "safety.allowances";
    const LOCKS: bool = false;
    type Output = Vec<Allowance>;

    fn run(self, store: &Store) -> Result<Vec<Allowance>> {
        store.safety().allowances()
    }
}
