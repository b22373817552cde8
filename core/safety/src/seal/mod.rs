//! Sealing: the only way to produce something that may be persisted.
//!
//! What a host passes in is sealed before any lock is taken, since that may be slow. What loopmem adds, the id and the
//! timestamps, is added afterwards (`SealedObject::set`) and never checked against the rules.

pub(crate) mod combine;
pub(crate) mod fields;
pub(crate) mod json;
pub(crate) mod object;
pub(crate) mod redactions;
pub(crate) mod size;
pub(crate) mod text;

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::detect::keyed;
use crate::error::{Error, Result};
use crate::mark::found::{Finding, Found};
use crate::redact::allowance::Field;
use crate::redact::redactor::Redactor;
use crate::seal::fields::Fields;
use crate::seal::json::{Fault, Token, TokenKind, rewrite};
use crate::seal::object::SealedObject;
use crate::seal::redactions::Redactions;
use crate::seal::size::{
    MAX_DRAFT_BYTES, MAX_RECORD_BYTES, MAX_VALUE_BYTES, compact, fits, not_serializable, wrong_fields,
};

/// The longest key that an error repeats, in bytes: a longer one is not a typo and might be anything.
const SHOWN_KEY_BYTES: usize = 40;

/// How often a record is searched again after something was found in it.
const MAX_ROUNDS: usize = 8;

impl Redactor {
    /// Redacts every string and key of a JSON object, and the numbers under a password's name.
    ///
    /// Strings are redacted in the context of their key. Other numbers, the order and unknown fields are unchanged, and
    /// so are the top-level keys in `known_keys`, since records are read by them. Other values that must not be altered
    /// are [added](SealedObject::set) afterwards. What was redacted is returned too.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) if the object is longer than [`MAX_DRAFT_BYTES`], before or after
    /// redaction, is nested deeper than 100 levels, contains a NUL or a lone surrogate, or is not an object.
    pub fn seal(&self, object: &impl Serialize, known_keys: &[&str]) -> Result<(SealedObject, Redactions)> {
        self.seal_within(MAX_DRAFT_BYTES, &to_raw_value(object).map_err(not_serializable)?, known_keys)
    }

    /// As [`seal`](Self::seal), for a value of up to [`MAX_VALUE_BYTES`].
    ///
    /// # Errors
    /// As [`seal`](Self::seal).
    pub fn seal_value(&self, object: &impl Serialize, known_keys: &[&str]) -> Result<(SealedObject, Redactions)> {
        self.seal_within(MAX_VALUE_BYTES, &compact(to_raw_value(object).map_err(not_serializable)?)?, known_keys)
    }

    fn seal_within(&self, most: usize, json: &RawValue, known_keys: &[&str]) -> Result<(SealedObject, Redactions)> {
        let (clean, redactions) = self.clean(most, json.get(), known_keys, None)?;
        let sealed = serde_json::from_str::<Fields>(&clean).map(SealedObject::new).map_err(|_| wrong_fields())?;
        Ok((sealed, redactions))
    }

    /// JSON without secrets, with its white space. With `field`, everything in it belongs to that field.
    fn clean<'j>(
        &self,
        most: usize,
        json: &'j str,
        known_keys: &[&str],
        field: Option<&str>,
    ) -> Result<(Cow<'j, str>, Redactions)> {
        fits(json, most)?;
        let mut redactions = Redactions::default();
        let mut clean = Cow::Borrowed(json);
        // Once a secret is gone, what was beside it may give away another.
        for _ in 0..MAX_ROUNDS {
            // A name may be in one string of a record and its secret in another.
            let in_record = self.find_in_json(&clean);
            let next = rewrite(&clean, |token, text| {
                let path = || field.map_or_else(|| token.path(), str::to_owned);
                let (text, found) = self.redacted(&token, &path, text, known_keys, &in_record);
                if !found.is_empty() {
                    let field = path();
                    found.iter().for_each(|found| redactions.add(&field, found.rule));
                }
                text
            })
            .map_err(|bad| self.fault_error(&bad))?;
            let Cow::Owned(next) = next else { break };
            // A placeholder may be longer than the secret it replaces.
            fits(&next, most)?;
            clean = Cow::Owned(next);
        }
        Ok((clean, redactions))
    }

    fn redacted<'t, 'r>(
        &'r self,
        token: &Token<'_>,
        path: &dyn Fn() -> String,
        text: &'t str,
        known_keys: &[&str],
        in_record: &[Found<'r>],
    ) -> (Cow<'t, str>, Vec<Finding<'r>>) {
        if is_exempt(token, text, known_keys, in_record) {
            return (text.into(), Vec::new());
        }
        let key = token.key.filter(|key| !known_keys.contains(key));
        let field = Field { key, path };
        let in_context = |is_found| overlapping(token, text, known_keys, in_record, is_found);
        let found = self.find_in_field(&field, text, in_context);
        self.replaced(text, found, |keys| keys.persistent())
    }

    /// The name of a field, fit for an error message.
    fn display_name(&self, key: Option<&str>) -> String {
        match key {
            Some(key) if key.len() <= SHOWN_KEY_BYTES => self.scrub(key).into_owned(),
            _ => "a field".to_owned(),
        }
    }

    /// Checks that a stored record may be changed and written again: that its size, depth and strings are what
    /// [`seal`](Self::seal) accepts.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid), caused by the file and not by the caller.
    pub fn check(&self, json: &RawValue) -> Result<()> {
        fits(json.get(), MAX_RECORD_BYTES)?;
        rewrite(json.get(), |_, text| text.into()).map(drop).map_err(|bad| self.fault_error(&bad))
    }

    fn fault_error(&self, bad: &Fault) -> Error {
        let place = bad.key.as_deref().map_or_else(|| "a key".to_owned(), |key| self.display_name(Some(key)));
        Error::invalid(format!("{place} {}", bad.what))
    }
}

/// The findings of `in_record`, a search of the whole record's JSON, that overlap the string at `token`. In a string
/// with escapes, the positions are unknown: it is replaced as a whole if most of it overlaps, unless a secret was found
/// in the string itself.
fn overlapping<'r>(
    token: &Token<'_>,
    text: &str,
    known_keys: &[&str],
    in_record: &[Found<'r>],
    is_found: bool,
) -> Vec<Found<'r>> {
    if token.kind == TokenKind::Key || token.key.is_some_and(|key| known_keys.contains(&key)) {
        return Vec::new();
    }
    let first = in_record.partition_point(|found| found.place.end <= token.place.start);
    let within = in_record.iter().skip(first).take_while(|found| found.place.start < token.place.end);
    let is_plain = token.place.len() == text.len();
    within
        .filter_map(|found| {
            let start = found.place.start.max(token.place.start) - token.place.start;
            let end = found.place.end.min(token.place.end) - token.place.start;
            match is_plain {
                true => Some(Found::new(found.rule, start..end)),
                false => {
                    (!is_found && 2 * (end - start) > token.place.len()).then(|| Found::new(found.rule, 0..text.len()))
                }
            }
        })
        .collect()
}

/// Whether this token is not checked: a top-level key of the schema, or a number that nothing calls a password.
fn is_exempt(token: &Token<'_>, text: &str, known_keys: &[&str], in_record: &[Found<'_>]) -> bool {
    match token.kind {
        TokenKind::Key => token.depth == 1 && known_keys.contains(&text),
        TokenKind::Number => {
            let at = in_record.partition_point(|found| found.place.end <= token.place.start);
            !token.key.is_some_and(keyed::may_be_number)
                && !in_record.get(at).is_some_and(|found| found.place == token.place)
        }
        TokenKind::Text => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use crate::error::ErrorKind;
    use crate::mark::tag::without_tags;
    use crate::trusted::{Numbers, Timestamp};

    fn text(sealed: &SealedObject) -> String {
        without_tags(&serde_json::to_string(sealed).unwrap())
    }

    fn seal(json: &str) -> Result<String> {
        let record: Box<RawValue> = serde_json::from_str(json).unwrap();
        let redactor = Redactor::new(&[], []).unwrap();
        redactor.seal(&record, &[]).map(|(sealed, _)| text(&sealed))
    }

    fn seal_with_tags(json: &str) -> String {
        let record: Box<RawValue> = serde_json::from_str(json).unwrap();
        serde_json::to_string(&Redactor::new(&[], []).unwrap().seal(&record, &[]).unwrap().0).unwrap()
    }

    #[test]
    fn secrets_are_redacted_in_values_keys_and_nested_arrays() {
        let pat = format!("ghp_{}", "a1B2".repeat(9));
        let sealed = seal(&format!(r#"{{"a":["{pat}"],"{pat}":1,"b":{{"c":"x {pat} \u00e9"}}}}"#)).unwrap();
        assert_eq!(
            sealed,
            r#"{"a":["[REDACTED:github-pat]"],"[REDACTED:github-pat]":1,"b":{"c":"x [REDACTED:github-pat] é"}}"#
        );
    }

    #[test]
    fn a_name_in_one_string_applies_to_another() {
        let secret = ["9fK2", "xQ7b", "Lm3Z", "pR8t"].concat();
        for record in [
            format!(r#"{{"Authorization":"{secret}"}}"#),
            format!(r#"{{"headers":{{"Cookie":"sid={secret}"}}}}"#),
            format!(r#"{{"name":"API_KEY","value":"{secret}"}}"#),
            format!(r#"{{"kty":"RSA","d":"{secret}{secret}"}}"#),
        ] {
            let sealed = seal(&record).unwrap();
            assert!(!sealed.contains(&secret) && sealed.contains("[REDACTED:"), "{sealed}");
        }
    }

    #[test]
    fn a_long_value_of_a_header_or_a_key_is_redacted_in_its_middle_too() {
        let secret = ["9fK2", "xQ7b", "Lm3Z", "pR8t"].concat();
        let random: String = (0..160).map(|at| format!("{}{secret}", at * 7919)).collect();
        let pairs = (0..120).map(|at| format!("name{at}=word{at}; ")).collect::<String>();
        let cookie = format!("{pairs}session={secret}; {pairs}");
        for record in [
            // That it is the value of a header is only known from the record.
            serde_json::json!({ "headers": { "Proxy-Authorization": format!("Custom {random}") } }),
            serde_json::json!({ "headers": ["Authorization", format!("Bearer {random}")] }),
            serde_json::json!({ "value": &cookie, "name": "Cookie" }),
            serde_json::json!({ "Cookie": cookie }),
            serde_json::json!({ "kty": "RSA", "d": random[..2731] }),
            serde_json::json!({ "name": "API_KEY", "value": random }),
            serde_json::json!({ "db": ["--password", random] }),
        ] {
            let sealed = seal(&record.to_string()).unwrap();
            assert!(!sealed.contains(&secret) && sealed.contains("[REDACTED:"), "{sealed}");
        }
    }

    #[test]
    fn a_field_with_a_secrets_name_is_redacted_whole() {
        assert_eq!(seal(r#"{"db":{"password":"q8-w9e"}}"#).unwrap(), r#"{"db":{"password":"[REDACTED:keyed-value]"}}"#);
        assert_eq!(
            seal(r#"{"apiKeys":{"token":["q8w9e7r6"]}}"#).unwrap(),
            r#"{"apiKeys":{"token":["[REDACTED:keyed-value]"]}}"#
        );
    }

    #[test]
    fn the_value_of_a_secrets_name_need_not_look_like_a_secret() {
        for (field, stored) in [
            (r#""password":"correct horse battery""#, r#""password":"[REDACTED:keyed-value]""#),
            (r#""secret":"$ecr3t77""#, r#""secret":"[REDACTED:keyed-value]""#),
            (r#""pin_password":123456"#, r#""pin_password":"[REDACTED:keyed-value]""#),
            (r#""password":["abc",-1.5e3]"#, r#""password":["[REDACTED:keyed-value]","[REDACTED:keyed-value]"]"#),
        ] {
            assert_eq!(seal(&format!("{{{field}}}")).unwrap(), format!("{{{stored}}}"));
        }
        for stays in [
            r#"{"password":"","token":true,"secret":null,"apiKey":" "}"#,
            r#"{"max_tokens":4096,"tokens":["a b"],"token":7,"client_secrets":["DB_PASSWORD"]}"#,
            r#"{"PASSWORD_MIN_LENGTH":"12","private_key_path":"id_1","secretName":"tls","tokenStorage":"disk"}"#,
        ] {
            assert_eq!(seal(stays).unwrap(), stays);
        }
    }

    #[test]
    fn redactions_are_listed_by_field_and_rule() {
        let pat = format!("ghp_{}", "a1B2".repeat(9));
        let record = serde_json::json!({
            "title": format!("{pat} and {pat}"),
            "tags": [pat, "x"],
            "in": { "db": { "password": "hunter22" }, &pat: 1 },
        });
        let (_, redactions) = Redactor::new(&[], []).unwrap().seal(&record, &["title", "tags"]).unwrap();
        let mut listed: Vec<_> =
            redactions.into_list().into_iter().map(|it| format!("{} {} {}", it.field, it.rule, it.count)).collect();
        listed.sort();
        assert_eq!(
            listed,
            ["in github-pat 1", "in.db.password keyed-value 1", "tags github-pat 1", "title github-pat 2"]
        );
        let (_, none) = Redactor::new(&[], []).unwrap().seal(&serde_json::json!({"title": "x"}), &[]).unwrap();
        assert!(none.into_list().is_empty());
    }

    #[test]
    fn known_keys_are_kept_and_their_values_redacted() {
        let redactor = Redactor::new(&["tags|secret".to_owned()], []).unwrap();
        let record = RawValue::from_string(r#"{"tags":["tags"],"in":{"tags":1},"secret":"plain"}"#.to_owned()).unwrap();
        let (sealed, _) = redactor.seal(&record, &["tags", "secret"]).unwrap();
        let expected =
            r#"{"tags":["[REDACTED:custom-pattern]"],"in":{"[REDACTED:custom-pattern]":1},"secret":"plain"}"#;
        assert_eq!(text(&sealed), expected);
    }

    #[test]
    fn values_added_to_a_record_are_not_redacted() {
        let redactor = Redactor::new(&["[0-9]".to_owned()], []).unwrap();
        let (mut sealed, _) = redactor.seal(&serde_json::json!({"text": "at 1", "vector": 0}), &["text"]).unwrap();
        let vector = RawValue::from_string("[1.50,2e3]".to_owned()).unwrap();
        sealed.set("vector", &Numbers::read(vector).unwrap()).unwrap();
        sealed.set("at", &Timestamp::from_unix_millis(0)).unwrap();
        sealed.set("count", &7).unwrap();
        let mut of = SealedObject::default();
        of.set("it", &sealed.take("vector")).unwrap();
        sealed.set("of", &of).unwrap();
        let expected = r#"{"text":"at [REDACTED:custom-pattern]","at":"1970-01-01T00:00:00.000Z","count":7,"of":{"it":[1.50,2e3]}}"#;
        assert_eq!(text(&sealed), expected);
    }

    #[test]
    fn only_numbers_are_accepted_as_numbers() {
        for text in ["1", "-1.5e300", "[]", "[1, 2.50]", "123456789012345678901234567890"] {
            Numbers::read(RawValue::from_string(text.to_owned()).unwrap()).unwrap();
        }
        for text in ["null", "\"1\"", "[\"1\"]", "[[1]]", "{}", "[null]", "true", "[1,\"a\"]"] {
            Numbers::read(RawValue::from_string(text.to_owned()).unwrap()).unwrap_err();
        }
    }

    proptest::proptest! {
        #[test]
        fn sealing_twice_changes_nothing(
            key in "(name|value|password|token|text)",
            text in "([a-z]{0,6}(key|token|password|pin)?[=:,| (\"]{0,2}|ghp_[A-Za-z0-9]{28,40}|[\\\\\"'\n]{1,2}|[^\\x00]{0,9}){0,6}",
        ) {
            let record = serde_json::json!({ &key: &text, "b": [{ "password": text }] }).to_string();
            let once = seal_with_tags(&record);
            proptest::prop_assert_eq!(seal_with_tags(&once), once);
        }
    }

    #[test]
    fn nesting_deeper_than_100_levels_is_refused() {
        let nested = |levels: usize| format!("{}1{}", r#"{"k":["#.repeat(levels / 2), "]}".repeat(levels / 2));
        assert_eq!(seal(&nested(100)).unwrap(), nested(100));
        let error = seal(&nested(102)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(error.message().starts_with("k is nested deeper than 100 levels"), "{error}");
    }

    #[test]
    fn other_text_is_unchanged_byte_for_byte() {
        let json = r#"{"n":123456789012345678901234567890,"e":1e400,"s":"caf\u00e9 \"q\"","o":{},"l":[1,[2]]}"#;
        assert_eq!(rewrite(json, |_, text| text.into()).ok().unwrap(), json);
    }

    #[test]
    fn nul_and_lone_surrogates_are_refused_with_their_key() {
        for (json, fault) in
            [(r#"{"title":"a\u0000b"}"#, "title contains a NUL"), (r#"{"x":"\ud800"}"#, "x contains a lone surrogate")]
        {
            let error = seal(json).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid);
            assert!(error.message().starts_with(fault), "{error}");
        }
    }

    #[test]
    fn a_record_over_the_limit_is_refused() {
        let long = format!(r#"{{"x":"{}"}}"#, "y".repeat(MAX_RECORD_BYTES));
        // Placeholders make it longer.
        let grows = format!(r#"{{"x":"{}"}}"#, ["password", "=q8w "].concat().repeat(MAX_DRAFT_BYTES / 12));
        for json in [long, grows] {
            assert_eq!(seal(&json).unwrap_err().kind(), ErrorKind::Invalid);
        }
    }
}
