//! A secret with invisible characters inside is found and replaced as a whole, and text without secrets keeps them.
//!
//! Secrets are put together at run time, so that no scanner trips over this file.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use loopmem::ErrorKind;
use loopmem::methods::dispatch;
use loopmem::safety::Redactor;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{TestHome, repo};

/// Unicode's `Default_Ignorable_Code_Point`.
const INVISIBLE: [RangeInclusive<char>; 17] = [
    '\u{ad}'..='\u{ad}',
    '\u{34f}'..='\u{34f}',
    '\u{61c}'..='\u{61c}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{200b}'..='\u{200f}',
    '\u{202a}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{3164}'..='\u{3164}',
    '\u{fe00}'..='\u{fe0f}',
    '\u{feff}'..='\u{feff}',
    '\u{ffa0}'..='\u{ffa0}',
    '\u{fff0}'..='\u{fff8}',
    '\u{1bca0}'..='\u{1bca3}',
    '\u{1d173}'..='\u{1d17a}',
    '\u{e0000}'..='\u{e0fff}',
];

fn is_invisible(letter: char) -> bool {
    INVISIBLE.iter().any(|range| range.contains(&letter))
}

fn pat() -> String {
    format!("ghp_{}", "a1B2c3".repeat(6))
}

fn password() -> String {
    ["Kestrel", "47", "!x", "Qz"].concat()
}

/// Texts with a secret, and the secret.
fn texts() -> Vec<(String, String)> {
    let (pat, password) = (pat(), password());
    let opaque = ["9fK2", "xQ7b", "Lm3Z", "pR8t", "Wd4Y"].concat();
    let body = ["MIIEpAIBAAKCAQEA7bq1", "Zk3Vt9yLr0Xw8NcH2fJd5g"].concat();
    let (begin, end) =
        (["-----BEGIN RSA PRIV", "ATE KEY-----"].concat(), ["-----END RSA PRIV", "ATE KEY-----"].concat());
    vec![
        (format!("push with {pat}, then go on"), pat),
        (format!("DB_PASSWORD={password}\nnext line"), password.clone()),
        (format!("{{\"clientSecret\": \"{opaque}\"}}"), opaque.clone()),
        (format!("Authorization: Bearer {opaque}\n"), opaque.clone()),
        (format!("postgres://app:{password}@db.example.com/shop"), password.clone()),
        (format!("The root password is {password}, do not share it."), password.clone()),
        (format!("user,password,role\nalice,{password},admin\nbob,{password},guest\n"), password),
        (format!("apiVersion: v1\nkind: Secret\nmetadata:\n  name: shop\ndata:\n  first: {opaque}\n"), opaque),
        (format!("key:\n{begin}\n{body}\n{body}\n{body}\n{end}\nend"), body),
    ]
}

/// `text` with `inserted` before its character number `place`.
fn with(text: &str, place: usize, inserted: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    letters[..place].iter().copied().chain(inserted.chars()).chain(letters[place..].iter().copied()).collect()
}

fn without_invisible(text: &str) -> String {
    text.chars().filter(|letter| !is_invisible(*letter)).collect()
}

#[track_caller]
fn assert_gone(redactor: &Redactor, text: &str, secret: &str) {
    let clean = redactor.redact(text);
    let seen = without_invisible(&clean);
    let letters: Vec<char> = secret.chars().collect();
    // Nor is a sizeable piece of it left.
    for piece in letters.windows(8) {
        let piece: String = piece.iter().collect();
        assert!(!seen.contains(&piece), "{text:?} became {clean:?}");
    }
    assert_eq!(redactor.redact(&clean), clean, "redacted twice: {text:?}");
}

#[test]
fn no_invisible_character_within_a_token_hides_it() {
    let redactor = Redactor::default();
    let pat = pat();
    for hidden in INVISIBLE.into_iter().flatten() {
        for place in [1, 4, 20, 39] {
            let token = with(&pat, place, &hidden.to_string());
            let text = format!("push with {token}.");
            let found: Vec<_> = redactor.find(&text).into_iter().map(|it| (it.rule, it.place)).collect();
            assert_eq!(found, [("github-pat", 10..10 + token.len())], "U+{:04X} at {place}", u32::from(hidden));
        }
    }
}

#[test]
fn no_run_of_invisible_characters_is_long_enough_to_hide_a_secret() {
    let redactor = Redactor::default();
    let every: String = INVISIBLE.into_iter().flatten().collect();
    for (text, secret) in texts() {
        let place = text[..text.find(&secret).unwrap()].chars().count();
        for run in ["\u{200b}", "\u{fe0f}\u{34f}\u{e0041}", &every, &"\u{2066}".repeat(30_000)] {
            assert_gone(&redactor, &with(&text, place + 5, run), &secret);
            let run: String = run.chars().take(300).collect();
            let everywhere: String = secret.chars().map(|letter| format!("{letter}{run}")).collect();
            assert_gone(&redactor, &text.replace(&secret, &everywhere), &secret);
        }
    }
}

#[test]
fn an_invisible_character_anywhere_around_a_secret_hides_nothing() {
    let redactor = Redactor::default();
    for (text, secret) in texts() {
        assert_gone(&redactor, &text, &secret);
        for place in 0..=text.chars().count() {
            assert_gone(&redactor, &with(&text, place, "\u{200d}"), &secret);
            assert_gone(&redactor, &with(&text, place, "\u{e0020}\u{180e}"), &secret);
        }
    }
}

#[test]
fn an_invisible_character_that_is_written_as_an_escape_hides_nothing() {
    let redactor = Redactor::default();
    let pat = pat();
    for escape in [
        r"\u200b",
        r"\\u200B",
        r"\u{200b}",
        r"\x{2066}",
        r"\udb40\udc41",
        r"\\udb40\\udc41",
        r"\U000e0041",
        r"\u{e0041}",
        r"\xe2\x80\x8b",
        r"\342\200\213",
        r"\xf3\xa0\x81\x81",
        "%E2%80%8B",
        "%f3%a0%81%81",
        "%CD%8F",
        "&#8203;",
        "&#x200b;",
        "&#X34F;",
        "&shy;",
        "&zwj;",
        "&ZeroWidthSpace;",
    ] {
        let text = format!("{{\"output\": \"push with {}.\"}}", with(&pat, 17, escape));
        let found: Vec<_> = redactor.find(&text).into_iter().map(|it| (it.rule, &text[it.place])).collect();
        assert_eq!(found, [("github-pat", &*with(&pat, 17, escape))], "{escape}");
    }
}

#[test]
fn a_pattern_of_the_users_and_a_value_of_the_environment_are_found_behind_invisible_characters() {
    let value = ["qW3-rT5", "-yU7\u{200d}é9"].concat();
    let redactor = Redactor::new(&["CORP-[0-9]{6}".to_owned()], [("SERVICE_TOKEN".to_owned(), value.clone())]).unwrap();
    for (secret, rule) in [
        ("CORP-123456", "custom-pattern"),
        (&*value, "environment-value"),
        (&without_invisible(&value), "environment-value"),
    ] {
        for place in 0..secret.chars().count() {
            let text = format!("see {} there", with(secret, place, "\u{ffa0}\u{17b4}"));
            let found = redactor.find(&text);
            assert_eq!(found.iter().map(|it| it.rule).collect::<Vec<_>>(), [rule], "{text:?}");
            assert!(without_invisible(&redactor.redact(&text)).ends_with("] there"), "{text:?}");
        }
    }
}

#[test]
fn text_without_secrets_keeps_its_invisible_characters() {
    let redactor = Redactor::default();
    let every: String = INVISIBLE.into_iter().flatten().collect();
    for text in [
        "⚠\u{fe0f} the build took 12 s ✔\u{fe0f} 1\u{fe0f}\u{20e3} 👩\u{200d}👩\u{200d}👧 🏴\u{e0067}\u{e0062}\u{e007f}",
        "می\u{200c}خواهم کلمه\u{200c}ها \u{61c}عربي \u{202b}right to left\u{202c}",
        "ᠮᠣᠩᠭᠣᠯ\u{180b} ᠪᠢᠴᠢᠭ\u{180e}᠎ᠡ",
        "Donau\u{ad}dampf\u{ad}schiff\u{ad}fahrt, tokens\u{200b}: 4096, key\u{2060}board",
        "\u{feff}name,role\nalice,admin\n",
        "the password\u{200b} is stored as a hash \u{3164}",
        "commit 3f786850\u{200b}e387550fdab836ed7e6dc881de23001b",
        &format!("every one: {every}"),
        &"\u{200b}".repeat(400_000),
    ] {
        assert!(matches!(redactor.redact(text), Cow::Borrowed(_)), "{:?}", redactor.find(text));
        let mut stream = redactor.stream();
        let mut out: Vec<u8> = text.as_bytes().chunks(7).flat_map(|piece| stream.push(piece)).collect();
        out.extend(stream.finish());
        assert!(out == text.as_bytes());
    }
}

#[test]
fn an_error_does_not_quote_the_beginning_of_a_secret_that_invisible_characters_stretch() {
    let redactor = Redactor::default();
    let text: String = pat()
        .chars()
        .flat_map(|letter| {
            [letter, '\u{e0041}']
                .into_iter()
                .chain("\u{200b}".repeat(if letter == 'c' { 2000 } else { 1 }).chars().collect::<Vec<_>>())
        })
        .collect();
    let quoted = redactor.quote(&text);
    assert!(quoted.starts_with("\"[REDACTED:github-pat:"), "{quoted}");
}

fn call(store: &loopmem::Store, method: &str, params: &Value) -> loopmem::Result<Value> {
    let answer = dispatch(store, method, &params.to_string())?;
    Ok(serde_json::from_str(&answer).unwrap())
}

/// Every stored text of the home has neither secret, seen without invisible characters.
#[track_caller]
fn assert_absent(home: &TestHome) {
    for path in home.entries().into_iter().filter(|path| path.is_file()) {
        let stored = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        let seen = without_invisible(&stored).replace("\\u200b", "");
        assert!(!seen.contains(&pat()) && !seen.contains(&password()), "{}: {stored}", path.display());
    }
}

#[test]
fn no_record_context_log_or_patch_stores_a_secret_with_invisible_characters_in_it_or_in_its_key() {
    let home = TestHome::new();
    let store = home.open();
    let (token, plain) = (with(&pat(), 9, "\u{e0041}\u{34f}"), password());
    let hidden = with(&plain, 3, "\u{2066}");
    let key = "db_pass\u{115f}word";
    let fields = json!({ token.clone(): 1, "note": format!("use {token}"), key: plain, "pair": [{ "name": "API\u{200b}_KEY", "value": hidden }], "in": { "authori\u{180b}zation": format!("Bearer {}", pat()) } });
    let content = format!("DB_PASS\u{fe0f}WORD={hidden}");
    let convention = json!({ "title": "T", "content": content, "extra": fields });
    call(&store, "memory.upsertConvention", &json!({ "repoHash": repo(), "convention": convention })).unwrap();
    assert_absent(&home);
    call(&store, "working.updateContext", &json!({ "scopeId": "job", "patch": fields })).unwrap();
    call(&store, "working.updateContext", &json!({ "scopeId": "job", "patch": { "more": fields } })).unwrap();
    let entry = json!({ "content": format!("use {token}"), "metadata": fields });
    call(&store, "working.addLog", &json!({ "scopeId": "job", "entry": entry })).unwrap();
    assert_absent(&home);
    for id in [&token, &with(&pat(), 20, "\u{ffa0}")] {
        for (method, params) in [
            (
                "memory.upsertConvention",
                json!({ "repoHash": repo(), "convention": { "id": id, "title": "T", "content": "C" } }),
            ),
            ("summary.append", json!({ "repoHash": repo(), "runId": id, "stepId": "s", "summary": "S" })),
            ("working.updateContext", json!({ "scopeId": id, "patch": {} })),
        ] {
            let refused = call(&store, method, &params).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::SecretRefused, "{method}: {refused}");
            assert!(!without_invisible(&refused.to_json()).contains(&pat()), "{refused}");
        }
    }
    assert_absent(&home);
}

#[test]
fn an_escaped_invisible_character_in_the_json_of_a_record_hides_no_pair_of_name_and_value() {
    let redactor = Redactor::default();
    let secret = ["9fK2", "xQ7b", "Lm3Z", "pR8t"].concat();
    for name in [r"API_\u200bKEY", r"API_\udb40\udc41KEY", "API_\u{200b}KEY"] {
        let json = format!(r#"{{"name":"{name}","value":"{secret}"}}"#);
        let json = serde_json::value::RawValue::from_string(json).unwrap();
        let sealed = serde_json::to_string(&redactor.seal(&json, &[]).unwrap().0).unwrap();
        assert!(!sealed.contains(&secret), "{sealed}");
        assert!(sealed.contains(name), "{sealed}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn whatever_invisible_characters_are_put_into_a_text_its_secret_goes(
        which in any::<prop::sample::Index>(),
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 1..20_usize), 1..12),
    ) {
        let every: Vec<char> = INVISIBLE.into_iter().flatten().collect();
        let texts = texts();
        let (mut text, secret) = which.get(&texts).clone();
        for (place, hidden, count) in places {
            let run = hidden.get(&every).to_string().repeat(count);
            text = with(&text, place.index(text.chars().count() + 1), &run);
        }
        assert_gone(&Redactor::default(), &text, &secret);
    }
}
