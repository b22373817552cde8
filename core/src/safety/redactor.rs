//! The redactor: every rule asked, overlapping findings merged, each replaced by its placeholder.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use regex::{Regex, RegexBuilder};

use super::{keyed, tokens};
use crate::error::{Error, ErrorKind, Result};

/// What stands at the beginning of every placeholder.
pub(super) const PLACEHOLDER: &str = "[REDACTED:";
/// How much of a text an error may show, in characters.
const SHOWN_CHARS: usize = 80;
/// The compiled size a user's pattern may have, in bytes; the `regex` crate has no catastrophic backtracking.
const PATTERN_SIZE: usize = 1 << 20;

/// A secret's place in a text, in bytes, and the rule that found it. Never its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule's id, such as `github-token`.
    pub rule: &'static str,
    /// Where the secret stands, in UTF-8 bytes.
    pub place: Range<usize>,
}

/// Finds secrets and takes them out.
#[derive(Debug)]
pub struct Redactor {
    patterns: Vec<Regex>,
    environment: Vec<String>,
    environment_search: OnceLock<Option<AhoCorasick>>,
}

impl Redactor {
    /// A redactor with the user's `patterns` (regular expressions) and the process's `environment`, of which only the
    /// values of variables whose names match are kept.
    ///
    /// # Errors
    /// `ValidationError` naming the pattern that does not compile or is too large.
    pub fn new(patterns: &[String], environment: impl IntoIterator<Item = (String, String)>) -> Result<Self> {
        let patterns = patterns
            .iter()
            .map(|pattern| {
                RegexBuilder::new(pattern).size_limit(PATTERN_SIZE).build().map_err(|cause| {
                    Error::validation(format!(
                        "memory.redactionPatterns: {pattern:?} is no usable regular expression; mend or remove it"
                    ))
                    .because(cause)
                })
            })
            .collect::<Result<_>>()?;
        let mut environment: Vec<String> = environment
            .into_iter()
            .filter(|(name, value)| value.len() >= 8 && keyed::names_a_secret(name) && keyed::looks_secret(value))
            .map(|(_, value)| value)
            .collect();
        environment.sort();
        environment.dedup();
        Ok(Redactor { patterns, environment, environment_search: OnceLock::new() })
    }

    /// `text` with every secret replaced by `[REDACTED:rule]`; borrowed when there is none.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.redact_under(None, text)
    }

    /// As [`redact`](Self::redact), for a text that stands under the key `key` of a record.
    pub(super) fn redact_under<'t>(&self, key: Option<&str>, text: &'t str) -> Cow<'t, str> {
        let findings = self.find_under(key, text);
        if findings.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut clean = String::with_capacity(text.len());
        let mut copied = 0;
        for finding in findings {
            clean.push_str(&text[copied..finding.place.start]);
            // Writing to a String cannot fail.
            let _ = write!(clean, "{PLACEHOLDER}{}]", finding.rule);
            copied = finding.place.end;
        }
        clean.push_str(&text[copied..]);
        Cow::Owned(clean)
    }

    /// Every secret in `text`, in order and without overlaps.
    pub fn find(&self, text: &str) -> Vec<Finding> {
        self.find_under(None, text)
    }

    fn find_under(&self, key: Option<&str>, text: &str) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut add = |rule, place: Range<usize>| findings.push(Finding { rule, place });
        if key.is_some_and(keyed::names_a_secret) && keyed::looks_secret(text) {
            add("keyed-value", 0..text.len());
        }
        tokens::find(text, &mut add);
        keyed::find(text, &mut add);
        if let Some(values) = self.environment_values() {
            values.find_iter(text).for_each(|hit| add("environment-value", hit.range()));
        }
        for pattern in &self.patterns {
            pattern.find_iter(text).filter(|hit| !hit.is_empty()).for_each(|hit| add("custom-pattern", hit.range()));
        }
        if findings.is_empty() {
            return findings;
        }
        let placeholders = placeholders(text);
        findings.retain(|finding| !placeholders.iter().any(|place| overlap(place, &finding.place)));
        merge(findings)
    }

    fn environment_values(&self) -> Option<&AhoCorasick> {
        if self.environment.is_empty() {
            return None;
        }
        self.environment_search.get_or_init(|| AhoCorasick::new(&self.environment).ok()).as_ref()
    }

    /// Refuses a text that must be stored as it is, such as an id, when it looks like a secret.
    ///
    /// # Errors
    /// `SecretRefused` with the rule and the place, never the value.
    pub fn admit(&self, place: &str, text: &str) -> Result<()> {
        match self.find(text).first() {
            None => Ok(()),
            Some(finding) => Err(Error::new(
                ErrorKind::SecretRefused,
                format!("{place} looks like a secret (rule {}); use another {place}", finding.rule),
            )),
        }
    }

    /// `text` fit for an error message: scrubbed, shortened and in quotes.
    pub fn quote(&self, text: &str) -> String {
        // A secret that this cut would break lies far behind what is shown.
        let mut cut = text.len().min(4096);
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        let clean = self.redact(&text[..cut]);
        match clean.char_indices().nth(SHOWN_CHARS) {
            Some((end, _)) => format!("{:?}…", &clean[..end]),
            None => format!("{clean:?}"),
        }
    }
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// The placeholders that already stand in `text`: they are never redacted again.
fn placeholders(text: &str) -> Vec<Range<usize>> {
    text.match_indices(PLACEHOLDER)
        .filter_map(|(start, _)| {
            let rest = &text[start + PLACEHOLDER.len()..];
            let run = rest
                .bytes()
                .take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b':'))
                .count();
            rest[run..].starts_with(']').then(|| start..start + PLACEHOLDER.len() + run + 1)
        })
        .collect()
}

/// Overlapping findings as one, named by the one that begins first and, of those, is longest.
fn merge(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by(|a, b| a.place.start.cmp(&b.place.start).then(b.place.end.cmp(&a.place.end)));
    let mut merged: Vec<Finding> = Vec::with_capacity(findings.len());
    for finding in findings {
        match merged.last_mut() {
            Some(last) if finding.place.start < last.place.end => {
                last.place.end = last.place.end.max(finding.place.end);
            }
            _ => merged.push(finding),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn redactor() -> Redactor {
        Redactor::new(&[], []).unwrap()
    }

    /// Secrets are put together at run time, so that no scanner trips over this file.
    fn pat() -> String {
        format!("ghp_{}", "a1B2".repeat(9))
    }

    #[test]
    fn tokens_go_and_the_text_around_them_stays() {
        for (text, expected) in [
            (format!("use {}, then push.", pat()), "use [REDACTED:github-token], then push."),
            (format!("({})", pat()), "([REDACTED:github-token])"),
            (format!("`AKIA{}`", "Q7".repeat(8)), "`[REDACTED:aws-access-key]`"),
            (format!("a sk-ant-{}.", "x9_Y".repeat(8)), "a [REDACTED:anthropic-key]."),
        ] {
            assert_eq!(redactor().redact(&text), expected);
        }
    }

    #[test]
    fn a_private_key_goes_from_its_first_line_to_its_last() {
        let key = ["-----BEGIN RSA PRIV", "ATE KEY-----\nMIIE\n-----END RSA PRIV", "ATE KEY-----"].concat();
        assert_eq!(redactor().redact(&format!("key:\n{key}\nend")), "key:\n[REDACTED:private-key]\nend");
        assert_eq!(redactor().redact(&key[..40]), "[REDACTED:private-key]");
        let public = "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----";
        assert_eq!(redactor().redact(public), public);
    }

    #[test]
    fn a_value_under_a_secret_name_goes() {
        for (text, expected) in [
            ("DB_PASSWORD=hunter22 make", "DB_PASSWORD=[REDACTED:keyed-value] make"),
            ("export API_KEY=\"zq81-ppL0\"", "export API_KEY=\"[REDACTED:keyed-value]\""),
            (r#"{"clientSecret": "9fj2k1Lq"}"#, r#"{"clientSecret": "[REDACTED:keyed-value]"}"#),
            ("postgres://app:s3cr3t@db/x", "postgres://app:[REDACTED:url-password]@db/x"),
            ("Authorization: Bearer a8f7s6d5f4g3h2", "Authorization: Bearer [REDACTED:authorization]"),
        ] {
            assert_eq!(redactor().redact(text), expected);
        }
    }

    #[test]
    fn what_only_looks_like_a_secret_stays() {
        for text in [
            "PASSWORD_MIN_LENGTH=12345678",
            "private_key_path: /etc/ssl/key1.pem",
            "token: &CancellationToken",
            "let token = self.token.clone();",
            "TOKEN_TTL=86400",
            "API_KEY=${API_KEY_1}",
            "password: <your password here>",
            "commit 3f786850e387550fdab836ed7e6dc881de23001b",
            "id 0192f3a4-7b1c-7def-8123-456789abcdef",
            "https://git@github.com/owner/repo",
            "monkey=banana12, public_key: abc12345",
        ] {
            assert_eq!(redactor().redact(text), text);
        }
    }

    #[test]
    fn values_of_matching_environment_variables_go_wherever_they_stand() {
        let environment = [("SERVICE_TOKEN", "qW3-rT5-yU7"), ("EDITOR", "vim-9.1-huge"), ("TOKEN_TTL", "86400000")];
        let redactor = Redactor::new(&[], environment.map(|(k, v)| (k.to_owned(), v.to_owned()))).unwrap();
        assert_eq!(
            redactor.redact("got qW3-rT5-yU7 from vim-9.1-huge 86400000"),
            "got [REDACTED:environment-value] from vim-9.1-huge 86400000"
        );
    }

    #[test]
    fn the_users_patterns_count_and_a_bad_one_is_named() {
        let redactor = Redactor::new(&["CORP-[0-9]{4}".to_owned()], []).unwrap();
        assert_eq!(redactor.redact("see CORP-1234"), "see [REDACTED:custom-pattern]");
        let error = Redactor::new(&["(".to_owned()], []).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Validation);
        assert!(error.message().contains("\"(\""), "{error}");
    }

    #[test]
    fn an_id_that_is_a_secret_is_refused_without_being_told() {
        let error = redactor().admit("id", &pat()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::SecretRefused);
        assert!(!error.to_json().contains(&pat()), "{error}");
        redactor().admit("id", "0192f3a4-7b1c-7def-8123-456789abcdef").unwrap();
    }

    proptest! {
        #[test]
        fn redacting_twice_changes_nothing(text in "(?s)([a-z_]{0,9}(key|token|password)?[=: \"]{0,2}|ghp_[A-Za-z0-9]{28,40}|https?://[a-z]{1,5}:[a-z0-9]{1,9}@h|.{0,12}){0,6}") {
            let redactor = Redactor::new(&["[0-9]{5}".to_owned()], []).unwrap();
            let once = redactor.redact(&text).into_owned();
            prop_assert_eq!(redactor.redact(&once), once.as_str());
        }

        #[test]
        fn no_text_makes_it_panic(text in any::<String>()) {
            redactor().redact(&text);
            redactor().quote(&text);
        }
    }
}
