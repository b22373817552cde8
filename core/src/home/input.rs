//! Parsing the JSON that a caller passed. Errors say what is wrong with it without quoting its values.
//!
//! serde quotes values in its messages; a value may be a secret that no rule detects, so only names, positions and
//! types are reported.

use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_path_to_error::Segment;

use super::spelling::{self, MAX_SHOWN_KEY_BYTES};
use crate::error::{Error, Result};

/// The maximum length of JSON input, in bytes. Input that is too large to be stored anyway is rejected before any work.
const MAX_INPUT_BYTES: usize = 256 << 20;

/// The maximum nesting depth of input. Records have a lower limit: see `safety`.
const MAX_DEPTH: usize = 128;
/// The message for input that is nested too deeply. Public because bindings reject such input themselves where their
/// JSON serializers fail on it.
pub const TOO_DEEP: &str = "the input is nested deeper than 100 levels; flatten it, or store it as a string";

/// The longest path that system calls accept, in bytes: `PATH_MAX` on Linux.
const MAX_PATH_BYTES: usize = 4096;

/// Deserializes `json` as `T`. Whether unknown keys are rejected depends on `T`.
///
/// # Errors
/// `ValidationError` with the position: `convention.tags[0]: expected a string, not a list`.
pub fn read_input<T: DeserializeOwned>(json: &str) -> Result<T> {
    if json.len() > MAX_INPUT_BYTES {
        return Err(Error::validation(format!(
            "the input is {} bytes long; at most {MAX_INPUT_BYTES} are read",
            json.len()
        )));
    }
    if contains_nul(json) {
        return Err(Error::validation("the input contains a NUL character, which cannot be stored"));
    }
    if contains_lone_surrogate(json) {
        return Err(Error::validation("the input contains a lone surrogate, which cannot be stored"));
    }
    if is_too_deep(json) {
        return Err(Error::validation(TOO_DEEP));
    }
    // serde would accept an array as a struct, field by field.
    if json.trim_start().starts_with('[') {
        return Err(Error::validation("expected an object, not an array"));
    }
    let mut reader = serde_json::Deserializer::from_str(json);
    let value = serde_path_to_error::deserialize(&mut reader)
        .map_err(|fault| Error::validation(describe(&place(fault.path()), fault.inner())))?;
    reader.end().map_err(|fault| Error::validation(describe("", &fault)))?;
    Ok(value)
}

/// Deserializes a nested struct from an object only: serde would accept an array too, field by field.
pub(crate) fn only_object<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<T, D::Error> {
    struct Object<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> std::result::Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map))
        }
    }

    deserializer.deserialize_map(Object(PhantomData))
}

/// Rejects an invalid path before it reaches a system call or an error message.
pub(crate) fn check_path(name: &str, path: &Path) -> Result<()> {
    let bytes = path.as_os_str().as_encoded_bytes();
    if bytes.is_empty() || bytes.len() > MAX_PATH_BYTES || bytes.contains(&0) {
        return Err(Error::validation(format!(
            "{name} must be the path of a folder: 1 to {MAX_PATH_BYTES} bytes without NUL characters"
        )));
    }
    Ok(())
}

/// The position as `convention.tags[0]`, with `…` for a key that is too long.
fn place(path: &serde_path_to_error::Path) -> String {
    let mut place = String::new();
    for segment in path {
        let key = match segment {
            Segment::Seq { index } => {
                place.push_str(&format!("[{index}]"));
                continue;
            }
            Segment::Map { key } => key,
            Segment::Enum { variant } => variant,
            Segment::Unknown => continue,
        };
        if !place.is_empty() {
            place.push('.');
        }
        place.push_str(if key.len() <= MAX_SHOWN_KEY_BYTES { key } else { "…" });
    }
    place
}

/// Whether JSON text contains an escaped NUL. An unescaped one is not valid JSON anyway.
fn contains_nul(json: &str) -> bool {
    memchr::memmem::find_iter(json.as_bytes(), br"\u0000").any(|at| is_escape(json, at))
}

/// Whether JSON text contains the escape of one half of a character without the other.
fn contains_lone_surrogate(json: &str) -> bool {
    // The end of the last pair.
    let mut done = 0;
    for at in memchr::memmem::find_iter(json.as_bytes(), br"\u") {
        if at < done || !is_escape(json, at) {
            continue;
        }
        match surrogate(json, at) {
            None => {}
            Some(true) if surrogate(json, at + 6) == Some(false) => done = at + 12,
            Some(_) => return true,
        }
    }
    false
}

/// Whether the escape at `at` is the first half of a character, or the second; `None` if it is neither.
fn surrogate(json: &str, at: usize) -> Option<bool> {
    let code = u16::from_str_radix(json.get(at..at + 6)?.strip_prefix("\\u")?, 16).ok()?;
    match code {
        0xD800..0xDC00 => Some(true),
        0xDC00..0xE000 => Some(false),
        _ => None,
    }
}

/// Whether the backslash at `at` is not itself escaped.
fn is_escape(json: &str, at: usize) -> bool {
    let backslashes = json.as_bytes()[..at].iter().rev().take_while(|byte| **byte == b'\\').count();
    backslashes % 2 == 0
}

/// Whether the nesting is deeper than [`MAX_DEPTH`], in valid and in invalid JSON.
fn is_too_deep(json: &str) -> bool {
    let bytes = json.as_bytes();
    // Fast path: most input has fewer brackets in total.
    if memchr::memchr2_iter(b'{', b'[', bytes).nth(MAX_DEPTH).is_none() {
        return false;
    }
    let mut levels = 0_usize;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'{' | b'[' if levels == MAX_DEPTH => return true,
            b'{' | b'[' => levels += 1,
            b'}' | b']' => levels = levels.saturating_sub(1),
            b'"' => at = string_end(bytes, at),
            _ => {}
        }
    }
    false
}

/// The position after the closing quote of the string whose contents begin at `at`.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(step) = memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
        at += step + 1;
        if bytes.get(at - 1) == Some(&b'"') {
            return at;
        }
        // Skip the escaped character.
        at += 1;
    }
    bytes.len()
}

fn describe(path: &str, fault: &serde_json::Error) -> String {
    let text = fault.to_string();
    // The position of an unknown key ends in the key itself, which the message names already.
    let path =
        if text.starts_with("unknown field") { path.rsplit_once('.').map_or("", |(above, _)| above) } else { path };
    let what = if fault.is_data() {
        let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
        without_value(text)
    } else {
        format!("not valid JSON: {text}")
    };
    match path {
        "" => what,
        path => format!("{path}: {what}"),
    }
}

/// serde's message without the caller's value.
fn without_value(text: &str) -> String {
    let expected = text.rsplit_once(", expected ").map(|(_, expected)| expected);
    if let (Some(rest), Some(expected)) =
        (text.strip_prefix("invalid type: ").or_else(|| text.strip_prefix("invalid value: ")), expected)
    {
        let found = rest.split([' ', ',']).next().unwrap_or("another type");
        return format!("expected {}, not {}", wanted(expected), got(found));
    }
    if let (true, Some(expected)) = (text.starts_with("unknown variant"), expected) {
        return format!("expected {expected}");
    }
    if let Some((_, rest)) = text.split_once("unknown field `") {
        let name = rest.split('`').next().unwrap_or_default();
        let known = expected.map(|expected| expected.trim_start_matches("one of "));
        let meant = known.and_then(|known| spelling::nearest(name, known.split('`').skip(1).step_by(2)));
        let list = known.filter(|_| meant.is_none()).map(|known| format!("; known: {known}")).unwrap_or_default();
        return format!("{}{list}", spelling::unknown(name, meant));
    }
    match text.strip_prefix("missing field ") {
        Some(name) => format!("{name} is missing"),
        None => text.to_owned(),
    }
}

/// The type that serde expected, in terms of JSON.
fn wanted(expected: &str) -> &str {
    match expected {
        "u8" => "a whole number from 0 to 255",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number",
        "f32" | "f64" => "a number",
        "a sequence" => "a list",
        "path string" => "a path",
        "a boolean" => "true or false",
        other if other.starts_with("struct ") => "an object",
        other => other,
    }
}

/// The type that serde found, in terms of JSON.
fn got(found: &str) -> &str {
    match found {
        "null" => "null",
        "boolean" => "true or false",
        "integer" => "this number",
        "floating" => "a fraction",
        "string" => "a string",
        "sequence" => "a list",
        "map" => "an object",
        _ => "this",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "only read")]
    struct Params {
        count: u8,
        tags: Option<Vec<String>>,
        mode: Option<Mode>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "camelCase")]
    enum Mode {
        Fast,
    }

    fn refusal(json: &str) -> String {
        read_input::<Params>(json).unwrap_err().message().to_owned()
    }

    #[test]
    fn a_message_has_the_position_and_the_type_but_never_the_value() {
        for (json, message) in [
            (r#"{"count":"s3cr3t, expected"}"#, "count: expected a whole number from 0 to 255, not a string"),
            (r#"{"count":1,"tags":["a",5]}"#, "tags[1]: expected a string, not this number"),
            (r#"{"count":1,"mode":"s3cr3t"}"#, "mode: expected `fast`"),
            (r#"{"count":1,"extra":2}"#, "unknown key `extra`; known: `count`, `tags`, `mode`"),
            (r#"{"Tag":2}"#, "unknown key `Tag`; did you mean `tags`?"),
            (r#"{}"#, "`count` is missing"),
            ("{", "not valid JSON: EOF while parsing an object at line 1 column 1"),
            (r#"{"count":1} x"#, "not valid JSON: trailing characters at line 1 column 13"),
            (r#"{"count":"a\u0000"}"#, "the input contains a NUL character, which cannot be stored"),
        ] {
            assert_eq!(refusal(json), message, "{json}");
        }
    }

    #[test]
    fn messages_do_not_quote_long_keys() {
        let long = "k".repeat(1 << 20);
        assert_eq!(refusal(&format!(r#"{{"count":1,"{long}":2}}"#)), "unknown key; known: `count`, `tags`, `mode`");
        let refused = read_input::<HashMap<String, Vec<u8>>>(&format!(r#"{{"{long}":[1,"x"]}}"#)).unwrap_err();
        assert_eq!(refused.message(), "…[1]: expected a whole number from 0 to 255, not a string");
    }

    #[test]
    fn input_that_is_nested_too_deeply_is_always_rejected_with_the_same_message() {
        let nested =
            |levels: usize, open: &str, close: &str| format!("{}1{}", open.repeat(levels), close.repeat(levels));
        for levels in [129, 100_000] {
            for (open, close) in [("[", "]"), (r#"{"a":"#, "}"), ("[", ""), ("{", "]")] {
                let json = format!(r#"{{"count":1,"tags":{}}}"#, nested(levels - 1, open, close));
                assert_eq!(refusal(&json), TOO_DEEP);
            }
        }
        assert_ne!(refusal(&format!(r#"{{"tags":{}}}"#, nested(127, "[", "]"))), TOO_DEEP);
        // Brackets in strings do not count, nor do brackets side by side.
        read_input::<Params>(&format!(r#"{{"count":1,"tags":["{}\"[["]}}"#, "[".repeat(1_000))).unwrap();
        read_input::<HashMap<String, Vec<Vec<u8>>>>(&format!(r#"{{"a":[{}[]]}}"#, "[],".repeat(1_000))).unwrap();
    }

    #[test]
    fn input_that_is_too_large_is_rejected_unread() {
        let zeros = String::from_utf8(vec![0; MAX_INPUT_BYTES + 1]).unwrap();
        assert_eq!(refusal(&zeros), "the input is 268435457 bytes long; at most 268435456 are read");
        assert_ne!(refusal(&zeros[1..]), refusal(&zeros));
    }

    #[test]
    fn an_invalid_path_is_rejected_without_being_quoted() {
        for path in ["", "a\0b", &"p".repeat(MAX_PATH_BYTES + 1)] {
            let refused = check_path("home", Path::new(path)).unwrap_err();
            assert_eq!(refused.message(), "home must be the path of a folder: 1 to 4096 bytes without NUL characters");
        }
        check_path("home", Path::new(&"p".repeat(MAX_PATH_BYTES))).unwrap();
    }

    #[test]
    fn a_half_of_a_character_is_refused_and_both_of_them_are_not() {
        let lone = "the input contains a lone surrogate, which cannot be stored";
        for json in
            [r#"{"a":"\ud800"}"#, r#"{"a":"\uD800b"}"#, r#"{"a":"\udc00\ud800"}"#, r#"{"\ud83d\ud83d\ude00":1}"#]
        {
            assert_eq!(refusal(json), lone, "{json}");
        }
        for json in [r#""\ud83d\ude00""#, r#""\\ud800""#, r#""\ue000 \u00e9""#] {
            assert!(!contains_lone_surrogate(json), "{json}");
        }
    }

    #[test]
    fn an_escaped_backslash_before_u0000_is_not_a_nul() {
        assert!(!contains_nul(r#""\\u0000""#));
        assert!(contains_nul(r#""\\\u0000""#));
    }
}
