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
    about: "What finds secrets, and what it finds",
    rows: &[Row::of::<Redact>(), Row::of::<Scan>(), Row::of::<Rules>()],
};

/// How many patterns one call may bring along.
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
            /// Regular expressions for this call, beside what is configured; where one has a group named `secret`, only
            /// that is a secret.
            patterns: Option<Vec<String>>,
        }
    };
}

of_text! {
    /// Returns a text with every secret replaced by its placeholder, and where the secrets stood.
    ///
    /// A placeholder is `[REDACTED:rule:tag]`. Equal secrets have equal tags in one home; who has the text alone cannot
    /// test guesses. All other characters stay as they are, and a text that was redacted stays so too. Nothing of the
    /// text is stored; the first secret that is found makes the home's key.
    RedactParams
}

of_text! {
    /// Returns where secrets stand in a text, and never what they are.
    ScanParams
}

/// Where a secret stands in a text.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SecretFinding {
    /// The id of the rule that found it.
    rule: String,
    /// Where it begins in the text that was passed, as an index of the language's strings: UTF-16 units in the typed
    /// methods of TypeScript, code points in those of Python, UTF-8 bytes everywhere else.
    #[schemars(extend("offsetInto" = "text"))]
    start: usize,
    /// Where it ends, told as `start` is.
    #[schemars(extend("offsetInto" = "text"))]
    end: usize,
    /// Ten hex digits: equal secrets have equal ones.
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
    /// Where the secrets stood in the text that was passed, in order and without overlaps.
    findings: Vec<SecretFinding>,
}

/// The store's redactor, and what a call brings along.
fn redactor<'s>(store: &'s Store, patterns: Option<&[String]>) -> Result<Cow<'s, Redactor>> {
    let redactor = store.safety();
    match patterns {
        None | Some([]) => Ok(Cow::Borrowed(redactor)),
        Some(patterns) if patterns.len() > MAX_PATTERNS => {
            Err(Error::validation(format!("there are {} patterns; at most {MAX_PATTERNS} are taken", patterns.len())))
        }
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

/// Returns every rule by which secrets are found: the built-in ones, then those of the configuration, of the user's rule
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
