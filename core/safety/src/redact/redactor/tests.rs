//! What the redactor finds, replaces and leaves as it is.

use proptest::prelude::*;

use super::*;
use crate::error::ErrorKind;
use crate::mark::tag::without_tags;

fn redactor() -> Redactor {
    Redactor::new(&[], []).unwrap()
}

fn redacted(redactor: &Redactor, text: &str) -> String {
    without_tags(&redactor.redact(text))
}

/// Secrets are assembled at run time, so that secret scanners ignore this file.
fn pat() -> String {
    format!("ghp_{}", "a1B2".repeat(9))
}

#[test]
fn tokens_are_redacted_and_the_surrounding_text_stays() {
    for (text, expected) in [
        (format!("use {}, then push.", pat()), "use [REDACTED:github-pat], then push."),
        (format!("({})", pat()), "([REDACTED:github-pat])"),
        (format!("`AKIA{}`", "Q7ZK".repeat(4)), "`[REDACTED:aws-access-key]`"),
        (format!("a sk-ant-{}.", "x9_Y".repeat(8)), "a [REDACTED:anthropic-key]."),
        (format!("AKIA{}{}", "Q7ZK".repeat(4), pat()), "[REDACTED:aws-access-key][REDACTED:github-pat]"),
    ] {
        assert_eq!(redacted(&redactor(), &text), expected);
    }
}

#[test]
fn a_private_key_is_redacted_from_its_first_line_to_its_last() {
    let armoured = |kind: &str, body: &str| format!("-----BEGIN {kind} KEY-----\n{body}\n-----END {kind} KEY-----");
    let (private, body) = (["RSA PRIV", "ATE"].concat(), "MIIEvQ8z".repeat(8));
    let key = armoured(&private, &format!("{body}\n{body}\nQ8zMIIEv="));
    assert_eq!(redacted(&redactor(), &format!("key:\n{key}\nend")), "key:\n[REDACTED:private-key]\nend");
    // Truncated in its second line.
    assert_eq!(redacted(&redactor(), &key[..120]), "[REDACTED:private-key]");
    // A public key, and code that only names the lines around one.
    for text in [armoured("PUBLIC", &body), armoured(&private, "{body}")] {
        assert_eq!(redactor().redact(&text), text);
    }
}

#[test]
fn the_value_of_a_secrets_name_is_redacted() {
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
        assert_eq!(redacted(&redactor(), text), expected);
    }
}

#[test]
fn text_that_only_looks_like_a_secret_stays() {
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
fn values_of_matching_environment_variables_are_redacted_anywhere() {
    let environment = [("SERVICE_TOKEN", "qW3-rT5-yU7"), ("EDITOR", "vim-9.1-huge"), ("TOKEN_TTL", "86400000")];
    let redactor = Redactor::new(&[], environment.map(|(k, v)| (k.to_owned(), v.to_owned()))).unwrap();
    assert_eq!(
        redacted(&redactor, "got qW3-rT5-yU7 from vim-9.1-huge 86400000"),
        "got [REDACTED:environment-value] from vim-9.1-huge 86400000"
    );
}

#[test]
fn an_environment_value_that_starts_like_another_is_redacted_whole() {
    let environment = [("A_TOKEN", "abcd1234"), ("B_TOKEN", "abcd1234-efgh5678ijkl"), ("C_TOKEN", "5678ijkl-mnop")];
    let redactor = Redactor::new(&[], environment.map(|(k, v)| (k.to_owned(), v.to_owned()))).unwrap();
    for text in ["abcd1234", "abcd1234-efgh5678ijkl", "abcd1234-efgh5678ijkl-mnop"] {
        assert_eq!(redacted(&redactor, text), "[REDACTED:environment-value]", "{text}");
    }
}

#[test]
fn a_random_looking_environment_value_with_slashes_is_not_a_path() {
    let environment = [
        ("AWS_SECRET_ACCESS_KEY", "/bK7nDe/xRfiC/9wJalrXUtn/8zLq3Vt5hGdPs2M"),
        ("SIGNING_KEY", "/Users/alice/Work2/keys/Prod3/signing"),
    ];
    let redactor = Redactor::new(&[], environment.map(|(k, v)| (k.to_owned(), v.to_owned()))).unwrap();
    assert_eq!(redacted(&redactor, environment[0].1), "[REDACTED:environment-value]");
    assert_eq!(redactor.redact(environment[1].1), environment[1].1);
}

#[test]
fn a_token_after_an_escape_is_redacted() {
    for escape in [r"\n", r"\t", r"\r"] {
        let text = format!(r#"{{"stdout":"done{escape}{}"}}"#, pat());
        let expected = format!(r#"{{"stdout":"done{escape}[REDACTED:github-pat]"}}"#);
        assert_eq!(redacted(&redactor(), &text), expected);
    }
}

#[test]
fn a_finding_is_extended_to_whole_characters_only() {
    let redactor = Redactor::new(&[r"(?-u)CORP\xc3?".to_owned()], []).unwrap();
    for (text, expected) in [
        ("CORPé".as_bytes(), 0..6),
        (b"\x80CORP\x80\x80", 1..5),
        ("éCORPx".as_bytes(), 2..6),
        ("日CORP日".as_bytes(), 3..7),
    ] {
        let found: Vec<_> = redactor.find(text).into_iter().map(|it| it.place).collect();
        assert_eq!(found, vec![expected], "{text:?}");
    }
}

#[test]
fn debug_shows_neither_the_environment_nor_the_patterns() {
    let environment = [("SERVICE_TOKEN".to_owned(), "qW3-rT5-yU7".to_owned())];
    let redactor = Redactor::new(&["CORP-[0-9]{4}".to_owned()], environment).unwrap();
    assert!(redactor.find("qW3-rT5-yU7").len() == 1);
    assert_eq!(format!("{redactor:?}"), "Redactor { patterns: 1, environment: 1, .. }");
}

#[test]
fn the_users_patterns_apply_and_errors_name_their_place() {
    let redactor = Redactor::new(&["CORP-[0-9]{4}".to_owned()], []).unwrap();
    assert_eq!(redacted(&redactor, "see CORP-1234"), "see [REDACTED:custom-pattern]");
    for (bad, fault) in [("(hunter22", "is not a valid regular expression"), ("(hunter22){99999}", "is too large")] {
        let error = Redactor::new(&["fine".to_owned(), bad.to_owned()], []).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(error.message().starts_with(&format!("memory.redactionPatterns[1] {fault}")), "{error}");
        assert!(!format!("{error:?}").contains("hunter22"), "{error}");
    }
}

proptest! {
    #[test]
    fn redacting_twice_changes_nothing(text in "(?s)([a-z_]{0,9}(key|token|password)?[=: \"]{0,2}|ghp_[A-Za-z0-9\u{200b}\u{e0041}]{28,60}|https?://[a-z]{1,5}:[a-z0-9]{1,9}@h|[é\u{fe0f}\u{ad}\n]{1,3}|.{0,12}){0,8}") {
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
