//! A line of JSON whose `text` is redacted while every other byte of it stays as it came. Pure.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// Only where the text stands: what else the object holds is not looked at.
#[derive(Deserialize)]
struct Line<'l> {
    #[serde(borrow)]
    text: &'l RawValue,
}

/// `line` with the string under its key `text` passed through `redact`; a line of blanks stays as it is.
///
/// # Errors
/// What is wrong with the line, in words that follow its number, and never what it says.
pub(crate) fn redacted<'l>(
    line: &'l [u8],
    redact: impl for<'t> Fn(&'t str) -> Cow<'t, str>,
) -> Result<Cow<'l, [u8]>, &'static str> {
    if line.trim_ascii().is_empty() {
        return Ok(Cow::Borrowed(line));
    }
    let json = std::str::from_utf8(line).map_err(|_| "is not UTF-8")?;
    if !json.trim_ascii_start().starts_with('{') {
        // Of an array serde would make an object too.
        return Err("is no JSON object");
    }
    let raw = serde_json::from_str::<Line<'_>>(json).map_err(|fault| match fault.is_data() {
        true if fault.to_string().starts_with("duplicate") => "has two members called text",
        true => "has no member called text",
        false => "is no JSON object",
    })?;
    let raw = raw.text.get();
    if !raw.starts_with('"') {
        return Err("has a text that is no string");
    }
    let text: String = serde_json::from_str(raw).map_err(|_| "has a text that holds a lone surrogate")?;
    let Cow::Owned(clean) = redact(&text) else { return Ok(Cow::Borrowed(line)) };
    // The text is a part of the line, so that where it stands tells what is around it.
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

    fn told(line: &str) -> String {
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
            assert_eq!(told(line), expected);
        }
    }

    #[test]
    fn a_line_without_a_text_is_told_by_what_is_wrong_with_it() {
        for (line, what) in [
            (r#"["secret"]"#, "is no JSON object"),
            (r#""secret""#, "is no JSON object"),
            (r#"{"text":"secret"} {}"#, "is no JSON object"),
            (r#"{"text":"secret"#, "is no JSON object"),
            (r#"{"other":"secret"}"#, "has no member called text"),
            (r#"{"text":["secret"]}"#, "has a text that is no string"),
            (r#"{"text":null}"#, "has a text that is no string"),
            (r#"{"text":"secret","text":"secret"}"#, "has two members called text"),
            (r#"{"text":"secret \ud800"}"#, "has a text that holds a lone surrogate"),
        ] {
            assert_eq!(told(line), what, "{line}");
        }
        assert_eq!(redacted(b"{\"text\":\"\xff\"}", redact), Err("is not UTF-8"));
    }

    #[test]
    fn a_line_may_be_nested_as_deep_as_it_likes() {
        let deep = format!(r#"{{"x":{}{},"text":"secret"}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(told(&deep).len(), deep.len() - "secret".len() + r#"\"*\""#.len());
    }
}
