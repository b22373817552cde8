//! The redactor: every rule asked, overlapping findings merged, each replaced by its placeholder.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use regex::{Regex, RegexBuilder};

use super::{keyed, tokens};
use crate::error::{Error, ErrorKind, Result};
use crate::lazy::lazily;

/// What stands at the beginning of every placeholder.
pub(super) const PLACEHOLDER: &str = "[REDACTED:";
/// How much of a text an error may show, in characters.
const SHOWN_CHARS: usize = 80;
/// The longest id, in bytes.
const MAX_ID_BYTES: usize = 256;
/// A token that is glued to another secret begins no word, and is seen only when that one is gone: how often to look.
const PASSES: usize = 4;
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

/// Finds secrets and takes them out. Its `Debug` tells how many it knows and none of them.
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
    /// `ValidationError` telling the place of the pattern that does not compile or is too large; what the pattern says
    /// may itself be what is to stay unknown.
    pub fn new(patterns: &[String], environment: impl IntoIterator<Item = (String, String)>) -> Result<Self> {
        let patterns =
            patterns.iter().enumerate().map(|(place, pattern)| compile(place, pattern)).collect::<Result<_>>()?;
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
        let mut clean = Cow::Borrowed(text);
        for _ in 0..PASSES {
            let findings = self.find_under(key, &clean);
            if findings.is_empty() {
                break;
            }
            clean = Cow::Owned(replaced(&clean, &findings));
        }
        clean
    }

    /// Every secret in `text`, in order and without overlaps.
    pub fn find(&self, text: &str) -> Vec<Finding> {
        self.find_under(None, text)
    }

    fn find_under(&self, key: Option<&str>, text: &str) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut add = |rule, place: Range<usize>| findings.push(Finding { rule, place });
        if key.is_some_and(|key| keyed::is_secret_under(key, text)) {
            add("keyed-value", 0..text.len());
        }
        tokens::find(text, &mut add);
        keyed::find(text, &mut add);
        if let Some(values) = self.environment_values() {
            // Overlapping, since one value may begin as another does.
            values.find_overlapping_iter(text).for_each(|hit| add("environment-value", hit.range()));
        }
        for pattern in &self.patterns {
            pattern.find_iter(text).filter(|hit| !hit.is_empty()).for_each(|hit| add("custom-pattern", hit.range()));
        }
        if findings.is_empty() {
            return findings;
        }
        outside(&placeholders(text), merge(findings))
    }

    fn environment_values(&self) -> Option<&AhoCorasick> {
        if self.environment.is_empty() {
            return None;
        }
        lazily(&self.environment_search, || AhoCorasick::new(&self.environment).ok()).as_ref()
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

    /// Refuses what cannot be an id, named `place` in the error. Only a caller's ids go through here: one that was
    /// generated is no secret, whatever a user's pattern matches.
    ///
    /// # Errors
    /// `ValidationError` unless it is 1 to 256 bytes of text without control characters; as [`admit`](Self::admit).
    pub fn admit_id(&self, place: &str, text: &str) -> Result<()> {
        if text.is_empty() || text.len() > MAX_ID_BYTES || text.chars().any(char::is_control) {
            return Err(Error::validation(format!(
                "{place} must be 1 to {MAX_ID_BYTES} bytes of text without control characters"
            )));
        }
        self.admit(place, text)
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

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor")
            .field("patterns", &self.patterns.len())
            .field("environment", &self.environment.len())
            .finish_non_exhaustive()
    }
}

/// What stands in the place of a secret that `rule` found.
pub(super) fn placeholder(rule: &str) -> String {
    format!("{PLACEHOLDER}{rule}]")
}

fn replaced(text: &str, findings: &[Finding]) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut copied = 0;
    for finding in findings {
        clean.push_str(&text[copied..finding.place.start]);
        clean.push_str(&placeholder(finding.rule));
        copied = finding.place.end;
    }
    clean.push_str(&text[copied..]);
    clean
}

fn compile(place: usize, pattern: &str) -> Result<Regex> {
    RegexBuilder::new(pattern).size_limit(PATTERN_SIZE).build().map_err(|cause| {
        let fault = match cause {
            regex::Error::CompiledTooBig(_) => "is too large",
            _ => "is no regular expression",
        };
        Error::validation(format!("memory.redactionPatterns[{place}] {fault}; mend or remove it"))
    })
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

/// What of `findings` lies outside of `placeholders`; both stand in order and without overlaps.
///
/// A finding is not dropped for the placeholder within it: a private key that was cut off reaches to the end of the
/// text, whatever was redacted there.
fn outside(placeholders: &[Range<usize>], findings: Vec<Finding>) -> Vec<Finding> {
    if placeholders.is_empty() {
        return findings;
    }
    let mut pieces = Vec::with_capacity(findings.len());
    let mut rest = placeholders;
    for Finding { rule, place } in findings {
        let mut start = place.start;
        rest = &rest[rest.partition_point(|it| it.end <= start)..];
        for hole in rest.iter().take_while(|it| it.start < place.end) {
            if start < hole.start {
                pieces.push(Finding { rule, place: start..hole.start });
            }
            start = hole.end;
        }
        if start < place.end {
            pieces.push(Finding { rule, place: start..place.end });
        }
    }
    pieces
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
            (format!("AKIA{}{}", "Q7".repeat(8), pat()), "[REDACTED:aws-access-key][REDACTED:github-token]"),
        ] {
            assert_eq!(redactor().redact(&text), expected);
        }
    }

    #[test]
    fn a_private_key_goes_from_its_first_line_to_its_last() {
        let key = ["-----BEGIN RSA PRIV", "ATE KEY-----\nMIIE\n-----END RSA PRIV", "ATE KEY-----"].concat();
        assert_eq!(redactor().redact(&format!("key:\n{key}\nend")), "key:\n[REDACTED:private-key]\nend");
        assert_eq!(redactor().redact(&key[..40]), "[REDACTED:private-key]");
        // One that was cut off goes to the end of the text, whatever was redacted there before.
        let cut = format!("{} [REDACTED:jwt] MIIE", &key[..40]);
        assert_eq!(redactor().redact(&cut), "[REDACTED:private-key][REDACTED:jwt][REDACTED:private-key]");
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
            ("DBPassword=hunter22", "DBPassword=[REDACTED:keyed-value]"),
            ("APIToken: q8w9e7r6", "APIToken: [REDACTED:keyed-value]"),
            ("client_secrets=q8w9e7r6", "client_secrets=[REDACTED:keyed-value]"),
            (
                "AWS_SECRET_ACCESS_KEY=/bK7nDe/xRfiC/9wJalrXUtn/8zLq3Vt5hGdPs2M",
                "AWS_SECRET_ACCESS_KEY=[REDACTED:keyed-value]",
            ),
            ("DB_PASSWORD=$ecr3t-77", "DB_PASSWORD=[REDACTED:keyed-value]"),
            ("PASSWORD=пароль77", "PASSWORD=[REDACTED:keyed-value]"),
            ("PASSWORD=abc123,rest4567", "PASSWORD=[REDACTED:keyed-value]"),
            ("password=abc123,user=bob", "password=[REDACTED:keyed-value],user=bob"),
            ("{password: abc123, user: bob}", "{password: [REDACTED:keyed-value], user: bob}"),
            ("postgres://app:s3/cr3t9@db/x", "postgres://app:[REDACTED:url-password]@db/x"),
            (r"done\ntoken=q8w9e7r6\nend", r"done\ntoken=[REDACTED:keyed-value]\nend"),
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
            "secretName=tls-cert-2, tokenStorage: disk-v2a",
            "max_tokens=4096 tokens: in12k3 out45k6",
            "TOKEN=$CI_JOB_TOKEN-v2 TOKEN=%TOKEN_2%",
            "SIGNING_KEY=/Users/alice/Work2/keys/Prod3/signing",
            "http://localhost:8080/x1@y http://a:1,http://b:2/x3@y",
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
    fn an_environment_value_that_begins_as_another_does_goes_whole() {
        let environment = [("A_TOKEN", "abcd1234"), ("B_TOKEN", "abcd1234-efgh5678ijkl"), ("C_TOKEN", "5678ijkl-mnop")];
        let redactor = Redactor::new(&[], environment.map(|(k, v)| (k.to_owned(), v.to_owned()))).unwrap();
        for text in ["abcd1234", "abcd1234-efgh5678ijkl", "abcd1234-efgh5678ijkl-mnop"] {
            assert_eq!(redactor.redact(text), "[REDACTED:environment-value]", "{text}");
        }
    }

    #[test]
    fn an_environment_value_with_slashes_is_no_path_when_it_looks_random() {
        let environment = [
            ("AWS_SECRET_ACCESS_KEY", "/bK7nDe/xRfiC/9wJalrXUtn/8zLq3Vt5hGdPs2M"),
            ("SIGNING_KEY", "/Users/alice/Work2/keys/Prod3/signing"),
        ];
        let redactor = Redactor::new(&[], environment.map(|(k, v)| (k.to_owned(), v.to_owned()))).unwrap();
        assert_eq!(redactor.redact(environment[0].1), "[REDACTED:environment-value]");
        assert_eq!(redactor.redact(environment[1].1), environment[1].1);
    }

    #[test]
    fn a_token_behind_an_escape_goes() {
        for escape in [r"\n", r"\t", r"\r"] {
            let text = format!(r#"{{"stdout":"done{escape}{}"}}"#, pat());
            let expected = format!(r#"{{"stdout":"done{escape}[REDACTED:github-token]"}}"#);
            assert_eq!(redactor().redact(&text), expected);
        }
    }

    #[test]
    fn debug_tells_neither_the_environment_nor_the_patterns() {
        let environment = [("SERVICE_TOKEN".to_owned(), "qW3-rT5-yU7".to_owned())];
        let redactor = Redactor::new(&["CORP-[0-9]{4}".to_owned()], environment).unwrap();
        assert!(redactor.find("qW3-rT5-yU7").len() == 1);
        assert_eq!(format!("{redactor:?}"), "Redactor { patterns: 1, environment: 1, .. }");
    }

    #[test]
    fn the_users_patterns_count_and_a_bad_one_is_told_by_its_place() {
        let redactor = Redactor::new(&["CORP-[0-9]{4}".to_owned()], []).unwrap();
        assert_eq!(redactor.redact("see CORP-1234"), "see [REDACTED:custom-pattern]");
        for (bad, fault) in [("(hunter22", "is no regular expression"), ("(hunter22){99999}", "is too large")] {
            let error = Redactor::new(&["fine".to_owned(), bad.to_owned()], []).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Validation);
            assert!(error.message().starts_with(&format!("memory.redactionPatterns[1] {fault}")), "{error}");
            assert!(!error.to_json().contains("hunter22"), "{error}");
        }
    }

    #[test]
    fn an_id_that_is_a_secret_is_refused_without_being_told() {
        let error = redactor().admit("id", &pat()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::SecretRefused);
        assert!(!error.to_json().contains(&pat()), "{error}");
        redactor().admit("id", "0192f3a4-7b1c-7def-8123-456789abcdef").unwrap();
    }

    #[test]
    fn an_id_is_1_to_256_bytes_without_control_characters() {
        for id in ["", "a\nb", &"x".repeat(257)] {
            assert_eq!(redactor().admit_id("runId", id).unwrap_err().kind(), ErrorKind::Validation, "{id:?}");
        }
        redactor().admit_id("runId", &"x".repeat(256)).unwrap();
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
