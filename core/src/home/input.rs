//! Reading the JSON that a caller passed, and telling what is wrong with it without telling what it says.
//!
//! serde quotes values in its messages; a value may be a secret that no rule knows, so only names, places and types
//! are told.

use serde::de::DeserializeOwned;

use crate::error::{Error, Result};

/// The longest text that is read as JSON, in bytes. Larger values than any room stores are refused before any work.
pub const MAX_INPUT_BYTES: usize = 256 << 20;

/// Reads `json` as `T`. Unknown keys are refused where `T` does so.
///
/// # Errors
/// `ValidationError` naming the place: `convention.tags[0]: expected a string, not an integer`.
pub fn read_input<T: DeserializeOwned>(json: &str) -> Result<T> {
    if json.len() > MAX_INPUT_BYTES {
        return Err(Error::validation(format!(
            "the input is {} bytes long; at most {MAX_INPUT_BYTES} are read",
            json.len()
        )));
    }
    if holds_nul(json) {
        return Err(Error::validation("the input holds a NUL character, which no text here may"));
    }
    // serde would take an array for a struct, field by field.
    if json.trim_start().starts_with('[') {
        return Err(Error::validation("expected an object, not an array"));
    }
    let mut reader = serde_json::Deserializer::from_str(json);
    let value = serde_path_to_error::deserialize(&mut reader)
        .map_err(|fault| Error::validation(describe(&fault.path().to_string(), fault.inner())))?;
    reader.end().map_err(|fault| Error::validation(describe(".", &fault)))?;
    Ok(value)
}

/// Whether JSON text escapes a NUL somewhere; a bare one is no JSON anyway.
fn holds_nul(json: &str) -> bool {
    memchr::memmem::find_iter(json.as_bytes(), br"\u0000").any(|at| {
        let backslashes = json.as_bytes()[..at].iter().rev().take_while(|byte| **byte == b'\\').count();
        backslashes % 2 == 0
    })
}

fn describe(path: &str, fault: &serde_json::Error) -> String {
    let text = fault.to_string();
    let what = if fault.is_data() {
        let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
        without_value(text)
    } else {
        format!("this is no JSON: {text}")
    };
    match path {
        "." | "" => what,
        path => format!("{path}: {what}"),
    }
}

/// serde's sentence without the caller's value.
fn without_value(text: &str) -> String {
    let expected = text.rsplit_once(", expected ").map(|(_, expected)| expected);
    if let (Some(rest), Some(expected)) =
        (text.strip_prefix("invalid type: ").or_else(|| text.strip_prefix("invalid value: ")), expected)
    {
        let found = rest.split([' ', ',']).next().unwrap_or("another type");
        let found = if found == "null" { "null".to_owned() } else { format!("a value of type {found}") };
        return format!("expected {expected}, not {found}");
    }
    if let (true, Some(expected)) = (text.starts_with("unknown variant"), expected) {
        return format!("expected {expected}");
    }
    if let Some((_, rest)) = text.split_once("unknown field `") {
        let name = rest.split('`').next().unwrap_or_default();
        let known =
            expected.map(|expected| format!("; known: {}", expected.trim_start_matches("one of "))).unwrap_or_default();
        // A long key is no slip of the pen, and might be anything.
        let shown = if name.len() <= 40 { format!("unknown key `{name}`") } else { "unknown key".to_owned() };
        return format!("{shown}{known}");
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
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
    fn the_message_tells_the_place_and_the_type_and_never_the_value() {
        for (json, message) in [
            (r#"{"count":"s3cr3t, expected"}"#, "count: expected u8, not a value of type string"),
            (r#"{"count":1,"tags":["a",5]}"#, "tags[1]: expected a string, not a value of type integer"),
            (r#"{"count":1,"mode":"s3cr3t"}"#, "mode: expected `fast`"),
            (r#"{"count":1,"extra":2}"#, "extra: unknown key `extra`; known: `count`, `tags`, `mode`"),
            (r#"{}"#, "missing field `count`"),
            (r#"{"count":1} x"#, "this is no JSON: trailing characters at line 1 column 13"),
            (r#"{"count":"a\u0000"}"#, "the input holds a NUL character, which no text here may"),
        ] {
            assert_eq!(refusal(json), message, "{json}");
        }
    }

    #[test]
    fn an_escaped_backslash_before_u0000_is_no_nul() {
        assert!(!holds_nul(r#""\\u0000""#));
        assert!(holds_nul(r#""\\\u0000""#));
    }
}
