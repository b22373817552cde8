//! `safety.*`

use super::{MethodGroup, method, methods, params, preview, to_json};
use crate::redaction::{Redacted, Safety, SecretFinding};
use crate::redactions::Redaction;
use crate::safety::{Allowance, Fields, Rule};

pub(super) const GROUP: MethodGroup = MethodGroup {
    name: "safety",
    about: "Detection and redaction of secrets",
    entries: methods! { Redact, Scan, Rules, Preview, Allow, Allowances },
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

method! {
    Redact = Safety::REDACT => Redacted, LOCK_FREE |self, store| {
        store.safety().patterns(self.patterns.unwrap_or_default()).redact(&self.text)
    }
}

method! {
    Scan = Safety::SCAN => Vec<SecretFinding>, LOCK_FREE |self, store| {
        store.safety().patterns(self.patterns.unwrap_or_default()).scan(&self.text)
    }
}

params! {
    /// Returns every rule that detects secrets: the built-in rules, then those of the configuration, of the user's rule
    /// file and of the options.
    struct Rules {}
}

method! { Rules = Safety::RULES => Vec<Rule>, LOCK_FREE |self, store| store.safety().rules() }

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

method! {
    Preview = "safety.preview" => Vec<Redaction> |self, store| {
        preview(store, &self.method, &to_json(&self.params.unwrap_or_default())?)
    }
}

params! {
    /// Declares a false positive of a rule in the home's `redaction.toml`, and returns it as stored.
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
        /// Why it is a false positive, for later readers.
        reason: String,
    }
}

method! {
    Allow = Safety::ALLOW => Allowance, WRITES, REDACTS |self, store| {
        let Allow { name, rule, field, tag, reason } = self;
        store.safety().allow(&Allowance { name, rule, field, tag, reason })
    }
}

params! {
    /// Returns the declared false positives, of the home's `redaction.toml` and of the options of the store.
    struct Allowances {}
}

method! { Allowances = Safety::ALLOWANCES => Vec<Allowance>, LOCK_FREE |self, store| store.safety().allowances() }
