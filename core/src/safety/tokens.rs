//! Provider tokens and other secrets that are known by their shape alone.
//!
//! A rule is a prefix, an alphabet and a minimum: the prefix is searched, then the whole run of its alphabet is
//! taken, so that prose may end a token with any punctuation and a provider may make its tokens longer. One
//! automaton holds every prefix; no regular expression is compiled.

use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::lazy::lazily;

/// One kind of token.
struct Token {
    rule: &'static str,
    prefix: &'static str,
    /// Characters that may follow the prefix.
    alphabet: fn(u8) -> bool,
    /// How many of them must follow at least.
    minimum: usize,
}

const fn word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

const fn base64url(byte: u8) -> bool {
    word(byte) || byte == b'-'
}

const fn dotted(byte: u8) -> bool {
    base64url(byte) || byte == b'.'
}

const fn alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

const fn base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
}

const fn upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

const fn slashed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'/'
}

macro_rules! tokens {
    ($($rule:literal: $($prefix:literal)|+ + $alphabet:ident * $minimum:literal;)*) => {
        &[$($(Token { rule: $rule, prefix: $prefix, alphabet: $alphabet, minimum: $minimum },)+)*]
    };
}

static TOKENS: &[Token] = tokens! {
    "github-token": "ghp_" | "gho_" | "ghu_" | "ghr_" + word * 30;
    "github-token": "ghs_" + dotted * 30;
    "github-token": "github_pat_" + word * 30;
    "gitlab-token": "glpat-" | "gldt-" | "glrt-" | "glcbt-" | "glptt-" + dotted * 20;
    "anthropic-key": "sk-ant-" + base64url * 20;
    "openai-key": "sk-proj-" | "sk-svcacct-" | "sk-admin-" + base64url * 20;
    "secret-key": "sk-" + base64url * 20;
    "stripe-key": "sk_live_" | "sk_test_" | "rk_live_" | "rk_test_" | "whsec_" + alphanumeric * 16;
    "aws-access-key": "AKIA" | "ASIA" + upper * 16;
    "google-api-key": "AIza" + base64url * 30;
    "google-oauth": "ya29." | "GOCSPX-" + base64url * 20;
    "slack-token": "xoxb-" | "xoxa-" | "xoxp-" | "xoxr-" | "xoxs-" | "xapp-" | "xoxe." + dotted * 10;
    "slack-webhook": "hooks.slack.com/services/" + slashed * 20;
    "npm-token": "npm_" + alphanumeric * 30;
    "pypi-token": "pypi-AgEI" + base64url * 30;
    "crates-token": "cio" + alphanumeric * 32;
    "hugging-face-token": "hf_" + alphanumeric * 30;
    "docker-token": "dckr_pat_" + base64url * 20;
    "digitalocean-token": "dop_v1_" | "doo_v1_" | "dor_v1_" + alphanumeric * 40;
    "shopify-token": "shpat_" | "shpca_" | "shppa_" | "shpss_" + alphanumeric * 30;
    "sendgrid-key": "SG." + dotted * 40;
    "databricks-token": "dapi" + alphanumeric * 32;
    "linear-key": "lin_api_" + alphanumeric * 30;
    "notion-token": "ntn_" + alphanumeric * 40;
    "vault-token": "hvs." | "hvb." + base64url * 24;
    "doppler-token": "dp.pt." | "dp.st." + dotted * 30;
    "age-key": "AGE-SECRET-KEY-1" + upper * 50;
    "grafana-token": "glsa_" | "glc_" + base64 * 30;
    "jwt": "eyJ" + dotted * 30;
};

fn prefixes() -> Option<&'static AhoCorasick> {
    static PREFIXES: OnceLock<Option<AhoCorasick>> = OnceLock::new();
    let build = || {
        let prefixes = TOKENS.iter().map(|token| token.prefix);
        AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(prefixes).ok()
    };
    lazily(&PREFIXES, build).as_ref()
}

/// Calls `found` with the rule and the place of every token in `text`, and of every PEM private key.
pub(super) fn find(text: &str, mut found: impl FnMut(&'static str, Range<usize>)) {
    let bytes = text.as_bytes();
    if let Some(prefixes) = prefixes() {
        let mut resume = 0;
        let mut no_jwt_before = 0;
        for hit in prefixes.find_iter(text) {
            let token = &TOKENS[hit.pattern().as_usize()];
            let start = hit.start();
            let is_jwt = token.rule == "jwt";
            if start < resume || !starts_word(bytes, start) || (is_jwt && start < no_jwt_before) {
                continue;
            }
            let run = bytes[hit.end()..].iter().take_while(|byte| (token.alphabet)(**byte)).count();
            // Prose ends a token with a full stop, which is no part of it.
            let end = bytes[..hit.end() + run]
                .iter()
                .rposition(|byte| !matches!(byte, b'.' | b'-'))
                .map_or(start, |last| last + 1);
            if end < hit.end() + token.minimum {
                continue;
            }
            if is_jwt && memchr::memchr_iter(b'.', &bytes[start..end]).count() < 2 {
                // What begins later in the same run has no more dots.
                no_jwt_before = end;
                continue;
            }
            found(token.rule, start..end);
            resume = end;
        }
    }
    private_keys(text, found);
}

/// Does a word begin at `at`? The letter of an escape (`\n` in text that was escaped once more) is no part of it.
pub(super) fn starts_word(bytes: &[u8], at: usize) -> bool {
    match bytes.get(..at) {
        Some([.., b'\\', b'n' | b't' | b'r']) => true,
        Some([.., last]) => !last.is_ascii_alphanumeric(),
        _ => true,
    }
}

/// A PEM private key, from its first line to its last; one that was cut off reaches to the end of the text.
fn private_keys(text: &str, mut found: impl FnMut(&'static str, Range<usize>)) {
    let mut from = 0;
    while let Some(begin) = text[from..].find("-----BEGIN ").map(|at| from + at) {
        let label_from = begin + "-----BEGIN ".len();
        let Some(label_end) = text[label_from..].find("-----").map(|at| label_from + at) else { return };
        let label = &text[label_from..label_end];
        from = label_end;
        if !label.contains("PRIVATE KEY") || label.len() > 64 {
            continue;
        }
        let last_line = format!("-----END {label}-----");
        let end = text[label_end..].find(&last_line).map_or(text.len(), |at| label_end + at + last_line.len());
        found("private-key", begin..end);
        from = end;
    }
}
