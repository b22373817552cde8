//! `safety.*`

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Method, Room, Row};
use crate::error::{Error, Result};
use crate::safety::{Finding, Pattern, Redactor, Rule};
use crate::store::Store;

pub(super) const ROOM: Room = Room {
    name: "safety",
    about: "Detection and redaction of secrets",
    rows: &[Row::of::<Redact>(), Row::of::<Scan>(), Row::of::<Rules>()],
};

/// The most patterns that one call may pass.
const MAX_PATTERNS: usize = 1_000;

/// A text, and what to look for in it.
macro_rules! of_text {
    ($(#[$doc:meta])* $params:ident) => {
        $(#[$doc])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub(super) struct $params {
            /// The text.
            text: String,
            /// Regular expressions to use for this call, in addition to those configured. If one has a group named
            /// `secret`, only that group is a secret.
            patterns: Option<Vec<String>>,
        }
    };
}

of_text! {
    /// Returns a text with every secret replaced by a placeholder, and the positions of the secrets.
    ///
    /// A placeholder is `[REDACTED:rule:tag]`. Equal secrets have equal tags within one home; without the home's key, a
    /// tag cannot be used to verify a guess. All other characters stay as they are, and redacting a redacted text does
    /// not change it. Nothing of the text is stored, but the first secret found creates the home's key.
    RedactParams
}

of_text! {
    /// Returns the positions of the secrets in a text, but never the secrets themselves.
    ScanParams
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

/// See [`RedactParams`].
pub(super) struct Redact;

impl Method for Redact {
    const NAME: &'static str = "safety.redact";
    type Params = RedactParams;
    type Output = Redacted;
    const LOCKS: bool = false;

    fn run(store: &Store, params: RedactParams) -> Result<Redacted> {
        let redactor = redactor(store, params.patterns.as_deref())?;
        let found = redactor.find(&params.text);
        let findings = found.iter().map(SecretFinding::from).collect();
        let mut text = String::with_capacity(params.text.len());
        let mut copied = 0;
        for it in &found {
            text.push_str(params.text.get(copied..it.place.start).unwrap_or_default());
            text.push_str(&it.placeholder());
            copied = it.place.end;
        }
        text.push_str(params.text.get(copied..).unwrap_or_default());
        Ok(Redacted { text, findings })
    }
}

/// See [`ScanParams`].
pub(super) struct Scan;

impl Method for Scan {
    const NAME: &'static str = "safety.scan";
    type Params = ScanParams;
    type Output = Vec<SecretFinding>;
    const LOCKS: bool = false;

    fn run(store: &Store, params: ScanParams) -> Result<Vec<SecretFinding>> {
        let redactor = redactor(store, params.patterns.as_deref())?;
        Ok(redactor.find(&params.text).iter().map(SecretFinding::from).collect())
    }
}

/// Returns every rule that detects secrets: the built-in rules, then those of the configuration, of the user's rule
/// file and of the options.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RulesParams {}

/// See [`RulesParams`].
pub(super) struct Rules;

impl Method for Rules {
    const NAME: &'static str = "safety.rules";
    type Params = RulesParams;
    type Output = Vec<Rule>;
    const LOCKS: bool = false;

    fn run(store: &Store, _: RulesParams) -> Result<Vec<Rule>> {
        Ok(store.safety().rules())
    }
}
