//! Redacts the member `text` of a line of JSON and leaves every other byte unchanged. No I/O.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// Only `text` is located; other members are not parsed.
#[derive(Deserialize)]
struct Line<'l> {
    #[serde(borrow)]
    text: &'l RawValue,
}

/// Returns `line` with the string in its member `text` passed through `redact`. A blank line is returned unchanged.
///
/// # Errors
/// What is wrong with the line, phrased to follow "line N"; never quotes it.
pub(crate) fn redacted<'l>(
    line: &'l [u8],
    redact: impl for<'t> Fn(&'t str) -> Cow<'t, str>,
) -> Result<Cow<'l, [u8]>, &'static str> {
    if line.trim_ascii().is_empty() {
        return Ok(Cow::Borrowed(line));
    }
    let json = std::str::from_utf8(line).map_err(|_| "is not UTF-8")?;
    if !json.trim_ascii_start().starts_with('{') {
        // serde would accept an array as well.
        return Err("is not a JSON object");
    }
    let raw = serde_json::from_str::<Line<'_>>(json).map_err(|fault| match fault.is_data() {
        true if fault.to_string().starts_with("duplicate") => "has two members `text`",
        true => "has no member `text`",
        false => "is not a JSON object",
    })?;
    let raw = raw.text.get();
    if !raw.starts_with('"') {
        return Err("has a `text` that is not a string");
    }
    let text: String = serde_json::from_str(raw).map_err(|_| "has a `text` that contains a lone surrogate")?;
    let Cow::Owned(clean) = redact(&text) else { return Ok(Cow::Borrowed(line)) };
    // `raw` is a slice of the line, so its address gives its offset.
    let start = raw.as_ptr().addr() - json.as_ptr().addr();
    let mut out = Vec::with_capacity(line.len() + clean.len());
    out.extend_from_slice(line.get(..start).unwrap_or_default());
    serde_json::to_writer(&mut out, &clean).map_err(|_| "cannot be written")?;
    out.extend_from_slice(line.get(start + raw.len()..).unwrap_or_default());
    Ok(Cow::Owned(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redact(text: &str) -> Cow<'_, str> {
        if text.contains("secret") { text.replace("secret", "\"*\"").into() } else { text.into() }
    }

    fn outcome(line: &str) -> String {
        redacted(line.as_bytes(), redact).map_or_else(str::to_owned, |it| String::from_utf8(it.into_owned()).unwrap())
    }

    #[test]
    fn only_the_text_changes_and_every_other_byte_stays() {
        for (line, expected) in [
            (r#"{"text":"a secret"}"#, r#"{"text":"a \"*\""}"#),
            (
                "{ \"n\": 1e400 , \"text\"\t: \"secret\", \"x\": \"secret\" }\r\n",
                "{ \"n\": 1e400 , \"text\"\t: \"\\\"*\\\"\", \"x\": \"secret\" }\r\n",
            ),
            (r#"{"a":{"text":"secret"},"text":"\u0073ecret"}"#, r#"{"a":{"text":"secret"},"text":"\"*\""}"#),
            (r#"{"te\u0078t":"secret","n":1,"n":2}"#, r#"{"te\u0078t":"\"*\"","n":1,"n":2}"#),
            (r#"{"text":"caf\u00e9 \/ \ud83d\ude00"}"#, r#"{"text":"caf\u00e9 \/ \ud83d\ude00"}"#),
            ("{\"text\":\"secret\"}", "{\"text\":\"\\\"*\\\"\"}"),
            (" \t\r\n", " \t\r\n"),
        ] {
            assert_eq!(outcome(line), expected);
        }
    }

    #[test]
    fn an_invalid_line_is_described_by_what_is_wrong_with_it() {
        for (line, what) in [
            (r#"["secret"]"#, "is not a JSON object"),
            (r#""secret""#, "is not a JSON object"),
            (r#"{"text":"secret"} {}"#, "is not a JSON object"),
            (r#"{"text":"secret"#, "is not a JSON object"),
            (r#"{"other":"secret"}"#, "has no member `text`"),
            (r#"{"text":["secret"]}"#, "has a `text` that is not a string"),
            (r#"{"text":null}"#, "has a `text` that is not a string"),
            (r#"{"text":"secret","text":"secret"}"#, "has two members `text`"),
            (r#"{"text":"secret \ud800"}"#, "has a `text` that contains a lone surrogate"),
        ] {
            assert_eq!(outcome(line), what, "{line}");
        }
        assert_eq!(redacted(b"{\"text\":\"\xff\"}", redact), Err("is not UTF-8"));
    }

    #[test]
    fn other_members_may_be_nested_to_any_depth() {
        let deep = format!(r#"{{"x":{}{},"text":"secret"}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(outcome(&deep).len(), deep.len() - "secret".len() + r#"\"*\""#.len());
    }
}
