//! The redaction of texts that are not stored, as an operation of a store.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

use crate::disk::UserFile;
use crate::error::{Error, Result};
use crate::home::Home;
use crate::safety::{Allowance, Finding, MAX_RULE_FILE_BYTES, Pattern, Redactor, Rule, RuleFile};

/// The most patterns that one call may pass.
const MAX_PATTERNS: usize = 1_000;

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Redacted {
    /// The text with placeholders.
    pub text: String,
    /// The positions of the secrets in the text that was passed, in order and without overlaps.
    pub findings: Vec<SecretFinding>,
}

/// The position of a secret in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SecretFinding {
    /// The id of the rule that found it.
    pub rule: String,
    /// Where the secret begins in the text that was passed, as an index into the language's own strings: UTF-16 code
    /// units in the typed methods of TypeScript, code points in those of Python, UTF-8 bytes everywhere else.
    #[schemars(extend("offsetInto" = "text"))]
    pub start: usize,
    /// Where it ends, exclusive, in the units of `start`.
    #[schemars(extend("offsetInto" = "text"))]
    pub end: usize,
    /// Ten hex digits; equal secrets have equal tags.
    pub tag: String,
}

impl From<Finding<'_>> for SecretFinding {
    fn from(Finding { rule, place, tag }: Finding<'_>) -> Self {
        SecretFinding { rule: rule.to_owned(), start: place.start, end: place.end, tag }
    }
}

/// Finds and redacts the secrets in texts, with the rules of a store and the key of its home.
///
/// ```
/// # let folder = tempfile::tempdir().map_err(|e| loopmem::Error::validation(e.to_string()))?;
/// let store = loopmem::Store::builder().home(folder.path()).open()?;
/// let redacted = store.safety().patterns(["PROJ-[0-9]{4}".to_owned()]).redact("see PROJ-1234")?;
/// assert_eq!(redacted.findings[0].start, 4);
/// assert!(redacted.text.starts_with("see [REDACTED:"));
/// # Ok::<(), loopmem::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Safety {
    home: Home,
    patterns: Vec<String>,
}

impl Safety {
    pub(crate) const REDACT: &str = "safety.redact";
    pub(crate) const SCAN: &str = "safety.scan";
    pub(crate) const RULES: &str = "safety.rules";
    pub(crate) const ALLOW: &str = "safety.allow";
    pub(crate) const ALLOWANCES: &str = "safety.allowances";

    /// The redaction of `home`.
    pub(crate) fn new(home: &Home) -> Self {
        Safety { home: home.clone(), patterns: Vec::new() }
    }

    setters! {
        /// Regular expressions to use in addition to those configured, replacing any set before. If one has a group
        /// named `secret`, only that group is a secret.
        patterns(patterns: impl Into<Vec<String>>) => patterns = patterns.into();
    }

    /// Returns `text` with every secret replaced by a placeholder, and the positions of the secrets. Nothing of the
    /// text is stored, but the first secret found creates the home's key for tags.
    ///
    /// # Errors
    /// `ValidationError` for an invalid pattern, or too many of them.
    pub fn redact(&self, text: &str) -> Result<Redacted> {
        self.home.call(Self::REDACT, |home| {
            let redactor = self.redactor(home)?;
            let (text, found) = redactor.redact_found(text);
            Ok(Redacted { text: text.into_owned(), findings: found.into_iter().map(SecretFinding::from).collect() })
        })
    }

    /// Returns the positions of the secrets in `text`. The first secret found creates the home's key for tags.
    ///
    /// # Errors
    /// `ValidationError` for an invalid pattern, or too many of them.
    pub fn scan(&self, text: &str) -> Result<Vec<SecretFinding>> {
        self.home
            .call(Self::SCAN, |home| Ok(self.redactor(home)?.find(text).into_iter().map(SecretFinding::from).collect()))
    }

    /// Returns every rule that detects secrets: the built-in rules, then those of the configuration, of the user's rule
    /// file and of the options. Patterns set here are not listed.
    ///
    /// # Errors
    /// `Internal`, which would be a bug.
    pub fn rules(&self) -> Result<Vec<Rule>> {
        self.home.call(Self::RULES, |home| Ok(home.redactor().rules()))
    }

    /// Declares a false positive of a rule in the home's `redaction.toml`, and returns it as stored. Stores that are opened afterwards apply it.
    ///
    /// # Errors
    /// `ValidationError` for an invalid allowance or an unknown rule, and for a `redaction.toml` that is invalid, is a link or would become
    /// too large; `LockAcquisitionError`, `Cancelled`, `IOError`, `RenameError`.
    pub fn allow(&self, allowance: &Allowance) -> Result<Allowance> {
        self.home.call(Self::ALLOW, |home| {
            allowance.check("the allowance")?;
            if let Some(rule) = &allowance.rule
                && !home.redactor().rules().iter().any(|known| known.id == rule.as_str())
            {
                return Err(Error::validation("there is no such rule; `safety.rules` lists all"));
            }
            let path = home.layout().redaction_rules();
            let keys = ["name", "rule", "field", "tag", "reason"];
            // What is allowed elsewhere is nevertheless no text to be shown.
            let sealed = home.seal_plainly(allowance, &keys)?;
            let file = UserFile::new(home.disk(), path.clone(), home.config().lock_timeout, MAX_RULE_FILE_BYTES);
            file.append_table(home.wait_options(), "allow", &keys, &sealed, |contents| {
                let parsed = RuleFile::parse(&path.display().to_string(), contents);
                parsed.map(drop).map_err(|refused| Error::from(refused).at(&path))
            })?;
            let text = |key: &str| sealed.read::<String>(key);
            let reason = text("reason").unwrap_or_default();
            Ok(Allowance { name: text("name"), rule: text("rule"), field: text("field"), tag: text("tag"), reason })
        })
    }

    /// False positives of rules, allowed by the home's `redaction.toml` and by the options of the store.
    ///
    /// # Errors
    /// `Internal`, which would be a bug.
    pub fn allowances(&self) -> Result<Vec<Allowance>> {
        self.home.call(Self::ALLOWANCES, |home| Ok(home.allowances()))
    }

    /// The store's redactor, extended by the patterns.
    fn redactor<'h>(&self, home: &'h Home) -> Result<Cow<'h, Redactor>> {
        let redactor = home.redactor();
        match self.patterns.len() {
            0 => Ok(Cow::Borrowed(redactor)),
            1..=MAX_PATTERNS => Ok(Cow::Owned(redactor.and(Pattern::unnamed("patterns", &self.patterns))?)),
            count => {
                Err(Error::validation(format!("{count} patterns were passed; at most {MAX_PATTERNS} are accepted")))
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests need a folder")]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::home::Options;

    #[test]
    fn an_error_names_the_operation_and_does_not_show_the_pattern() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Options::at(folder.path())).unwrap();
        let safety = |patterns: Vec<String>| Safety::new(&home).patterns(patterns);
        let refused = safety(vec!["(token".to_owned()]).redact("t").unwrap_err();
        assert_eq!((refused.kind(), refused.operation()), (ErrorKind::Validation, Some("safety.redact")));
        assert!(!format!("{refused:#}").contains("token"), "{refused:#}");
        let refused = safety(vec!["a".to_owned(); MAX_PATTERNS + 1]).scan("t").unwrap_err();
        assert_eq!((refused.kind(), refused.operation()), (ErrorKind::Validation, Some("safety.scan")));
    }

    #[test]
    fn a_scan_finds_what_a_redaction_replaces() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Options::at(folder.path())).unwrap();
        let safety = Safety::new(&home).patterns(["é+".to_owned()]);
        let redacted = safety.redact("aéé b é").unwrap();
        assert_eq!(redacted.findings, safety.scan("aéé b é").unwrap());
        let places: Vec<_> = redacted.findings.iter().map(|it| (it.start, it.end)).collect();
        assert_eq!(places, [(1, 5), (8, 10)]);
        let rule = &redacted.findings[0].rule;
        let [one, other] = [0, 1].map(|index| format!("[REDACTED:{rule}:{}]", redacted.findings[index].tag));
        assert_eq!(redacted.text, format!("a{one} b {other}"));
    }
}
