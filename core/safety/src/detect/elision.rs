//! The JSON of a record without the middles of its long strings. A string is searched by itself; the record as a whole
//! is only searched for secrets that take several of its strings to recognize, such as a name and its value.

use std::ops::Range;

use crate::detect::normalize::NormalizedText;
use crate::text::bytes::{contains_ignoring_case, json_string_end, slice};

/// How much is kept of a long string at either end, in bytes: more than is examined of a value.
const KEPT: usize = 1024;
/// A string without this much in its middle stays as it is.
const MIN_MIDDLE: usize = 512;
/// What stands for a middle: neither a word nor a quotation mark, so that what is beside it stays apart and in one string.
const ELIDED: &[u8] = &[b' ', MARK, b' '];
/// A control character, which a string of JSON cannot contain.
const MARK: u8 = 1;
/// The longest escape of a character in JSON, in bytes.
const MAX_ESCAPE: usize = 6;

/// The names of what is a secret in several parts, or longer than what is kept of a string.
const LONG: [&[u8]; 3] = [b"uthorization", b"ookie", b"\"kty\""];

/// `json` without the middles of its long strings; `None` if it has none, or names something that may be long itself.
pub(crate) fn without_middles(json: &[u8]) -> Option<NormalizedText> {
    let elided = elided(json)?;
    let has_long = |word: &&[u8]| contains_ignoring_case(elided.text(), word);
    if LONG.iter().any(has_long) { None } else { Some(elided) }
}

/// Whether something that was found at `place` of the elided text reaches a middle, and so may be longer.
pub(crate) fn reaches_middle(text: &[u8], place: &Range<usize>) -> bool {
    slice(text, place.end..text.len()).starts_with(ELIDED) || slice(text, place.clone()).contains(&MARK)
}

fn elided(json: &[u8]) -> Option<NormalizedText> {
    let mut elided = NormalizedText::default();
    let mut copied = 0;
    let mut at = 0;
    while let Some(step) = json.get(at..).and_then(|rest| memchr::memchr(b'"', rest)) {
        let start = at + step + 1;
        let end = json_string_end(json, start);
        if let Some(middle) = middle(json, start..end) {
            elided.copy(json, copied..middle.start);
            copied = middle.end;
            elided.push_replacement(ELIDED, middle);
        }
        at = end + 1;
    }
    if copied == 0 {
        return None;
    }
    elided.copy(json, copied..json.len());
    Some(elided)
}

/// The middle of a long string, cut between characters and escapes.
fn middle(json: &[u8], string: Range<usize>) -> Option<Range<usize>> {
    if string.len() < 2 * KEPT + MIN_MIDDLE {
        return None;
    }
    let is_cut = |at: &usize| {
        let is_inside = matches!(json.get(*at), Some(0x80..=0xbf));
        !is_inside && !slice(json, at.saturating_sub(MAX_ESCAPE)..*at).contains(&b'\\')
    };
    let start = (string.start + KEPT..string.end - KEPT).find(is_cut)?;
    let end = (start..string.end - KEPT).rev().find(is_cut)?;
    (end >= start + MIN_MIDDLE).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_middle_of_a_long_string_is_left_out_and_places_stay_known() {
        let long = format!("{}\\u00e9é{}", "a".repeat(3000), "z".repeat(3000));
        let json = format!(r#"{{"key":"short","text":"{long}","last":1}}"#);
        let elided = without_middles(json.as_bytes()).unwrap();
        let text = elided.text();
        assert!(text.starts_with(br#"{"key":"short","text":"aaa"#) && text.ends_with(br#"zzz","last":1}"#));
        assert!(text.len() < 2 * KEPT + 100, "{}", text.len());
        let place = |word: &str| {
            let at = memchr::memmem::find(text, word.as_bytes()).unwrap();
            elided.origin(&(at..at + word.len())).map(|place| &json[place])
        };
        assert_eq!((place("short"), place("\"last\"")), (Some("short"), Some("\"last\"")));
        // A finding that spans the middle is the whole of it.
        let start = memchr::memmem::find(text, b"aaa").unwrap();
        let end = memchr::memmem::rfind(text, b"zzz").unwrap() + 3;
        assert_eq!(elided.origin(&(start..end)).map(|place| &json[place]), Some(long.as_str()));
        assert!(reaches_middle(text, &(start..end)) && !reaches_middle(text, &(0..10)));
        assert!(without_middles(json.replace("key", "Cookie").as_bytes()).is_none());
        assert!(without_middles(br#"{"a":"b\"c"}"#).is_none());
        assert!(without_middles(format!("\"{}", "\\".repeat(9000)).as_bytes()).is_none(), "nowhere between escapes");
    }
}
