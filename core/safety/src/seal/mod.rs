//! Sealing: the only way to something that may be persisted.
//!
//! What a host says is sealed before any lock is taken, since that may be slow; what loopmem says itself, the id and
//! the times, is added behind it (`Sealed::complete`) and never passes the rules: a user's pattern that matches
//! every UUID must not make all records one.

pub(crate) mod json;

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};

use crate::detect::keyed;
use crate::error::{Error, Result};
use crate::mark::found::Found;
use crate::redact::redactor::Redactor;
use crate::seal::json::{Fault, Piece, Spot, compacted, rewrite};

/// The size one record may have as JSON, in bytes.
pub const MAX_RECORD_BYTES: usize = 1 << 20;
/// What a host may say in one record, as JSON, in bytes: the rest is kept for the ids and times that are added.
pub const MAX_DRAFT_BYTES: usize = MAX_RECORD_BYTES - 4096;
/// The size that a working context or an entry of its log may have as JSON, in bytes.
pub const MAX_VALUE_BYTES: usize = 64 << 20;
/// The longest key that an error repeats, in bytes: a longer one is no slip of the pen, and might be anything.
const SHOWN_KEY_BYTES: usize = 40;

/// What becomes of a record that holds a secret. It is never stored as it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Each secret is replaced by its placeholder.
    Redact,
    /// The record is refused.
    Refuse,
}

impl Policy {
    /// What may be forced: refused, or where the caller insists redacted.
    pub fn refuse_unless(forced: bool) -> Self {
        if forced { Policy::Redact } else { Policy::Refuse }
    }
}

/// What becomes of a record's JSON.
#[derive(Debug, Clone, Copy)]
struct Form {
    /// How long what a host says may be, in bytes.
    draft: usize,
    /// How long that may be with what is added to it.
    completed: usize,
    /// Whether nothing stands between its tokens. A value goes to many places, and to some of them on one line; a record
    /// keeps what another version wrote byte by byte.
    is_compact: bool,
}

const RECORD: Form = Form { draft: MAX_DRAFT_BYTES, completed: MAX_RECORD_BYTES, is_compact: false };
const VALUE: Form = Form { draft: MAX_VALUE_BYTES, completed: MAX_VALUE_BYTES, is_compact: true };
/// What needs no scrubbing any more, of whatever size.
const OWN: Form = Form { draft: usize::MAX, completed: usize::MAX, is_compact: true };

/// A record in which no secret stands, as JSON and as a value.
///
/// Only [`Redactor::seal`] makes one; `disk` takes nothing else from a host.
#[derive(Debug, Clone)]
pub struct Sealed<T> {
    json: Box<RawValue>,
    value: T,
    form: Form,
}

impl Sealed<()> {
    /// Nothing that a host said, to be [completed](Sealed::complete) with what is loopmem's own from end to end, or was
    /// sealed before. Of that there may be any amount.
    pub fn nothing() -> Self {
        Sealed { json: RawValue::NULL.to_owned(), value: (), form: OWN }
    }
}

impl<T> Sealed<T> {
    /// The same bytes, under the type of a larger family of records.
    pub fn map<U>(self, into: impl FnOnce(T) -> U) -> Sealed<U> {
        Sealed { json: self.json, value: into(self.value), form: self.form }
    }

    /// The record to which `add` completes this one with what is no host's to say: ids that were
    /// [admitted](Redactor::admit_id), times, the fields of the stored record that it changes. Nothing is scrubbed
    /// here, so it must add nothing else.
    ///
    /// # Errors
    /// What `add` returns; [`Invalid`](crate::ErrorKind::Invalid) when the record is larger than [`MAX_RECORD_BYTES`], or [`MAX_VALUE_BYTES`]
    /// for a [value](Redactor::seal_value), or no `U`.
    pub fn complete<U: DeserializeOwned, J: Serialize, E: From<Error>>(
        self,
        add: impl FnOnce(T) -> Result<J, E>,
    ) -> Result<Sealed<U>, E> {
        let json = written(&add(self.value)?, self.form.completed, self.form)?;
        let value = serde_json::from_str(json.get()).map_err(|_| misfit())?;
        Ok(Sealed { json, value, form: self.form })
    }

    /// As [`complete`](Self::complete), of which only the JSON is wanted.
    ///
    /// # Errors
    /// As [`complete`](Self::complete).
    pub fn complete_json<J: Serialize, E: From<Error>>(
        self,
        add: impl FnOnce(T) -> Result<J, E>,
    ) -> Result<Sealed<()>, E> {
        let json = written(&add(self.value)?, self.form.completed, self.form)?;
        Ok(Sealed { json, value: (), form: self.form })
    }

    /// The record.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// The record's JSON.
    pub fn json(&self) -> &RawValue {
        &self.json
    }

    /// The record's JSON, to be shared.
    pub fn shared(&self) -> Arc<RawValue> {
        Arc::from(self.json.clone())
    }

    /// The record's JSON, and the record.
    pub fn into_parts(self) -> (Box<RawValue>, T) {
        (self.json, self.value)
    }
}

impl Redactor {
    /// Scrubs every string and key of the JSON object `json`, and the numbers under a password's name, and reads it as
    /// `T`.
    ///
    /// Strings are scrubbed with the key under which they stand as context; other numbers, order and unknown fields
    /// stay as they are, and so do the object's own keys that `own` names, since `T` is read by them. What else may not
    /// be altered is added by `Sealed::complete`.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) when the record is larger than [`MAX_DRAFT_BYTES`], before or after, is nested deeper than 100
    /// levels, holds a NUL or a lone surrogate, or is no `T`.
    pub fn seal<T: DeserializeOwned>(&self, json: &impl Serialize, own: &[&str]) -> Result<Sealed<T>> {
        self.seal_under(Policy::Redact, json, own)
    }

    /// As [`seal`](Self::seal), for a value of up to [`MAX_VALUE_BYTES`], which has nothing between its tokens.
    ///
    /// # Errors
    /// As [`seal`](Self::seal).
    pub fn seal_value<T: DeserializeOwned>(&self, json: &impl Serialize, own: &[&str]) -> Result<Sealed<T>> {
        self.seal_in(VALUE, Policy::Redact, json, own)
    }

    /// As [`seal`](Self::seal), by `policy`.
    ///
    /// # Errors
    /// As [`seal`](Self::seal); [`Secret`](crate::ErrorKind::Secret) with the rule and the field, never the value.
    pub fn seal_under<T: DeserializeOwned>(
        &self,
        policy: Policy,
        json: &impl Serialize,
        own: &[&str],
    ) -> Result<Sealed<T>> {
        self.seal_in(RECORD, policy, json, own)
    }

    fn seal_in<T: DeserializeOwned>(
        &self,
        form: Form,
        policy: Policy,
        json: &impl Serialize,
        own: &[&str],
    ) -> Result<Sealed<T>> {
        let json = written(json, form.draft, form)?;
        let text = json.get();
        // A name may stand in one string of a record and its secret in another.
        let around = self.find_around(text);
        let mut refused = None;
        let clean = rewrite(text, |spot, text| match policy {
            Policy::Redact => self.rewritten(&spot, text, own, &around),
            Policy::Refuse => {
                if refused.is_none() {
                    refused = self.refusal(&spot, text, own, &around);
                }
                text.into()
            }
        })
        .map_err(|bad| self.refuse(&bad))?;
        if let Some(refused) = refused {
            return Err(refused);
        }
        // A placeholder may be longer than what it stands for.
        fits(&clean, form.draft)?;
        let value = serde_json::from_str(&clean).map_err(|_| misfit())?;
        let clean = match clean {
            Cow::Borrowed(_) => None,
            Cow::Owned(clean) => Some(RawValue::from_string(clean).map_err(unwritable)?),
        };
        Ok(Sealed { json: clean.unwrap_or(json), value, form })
    }

    fn rewritten<'t>(&self, spot: &Spot<'_>, text: &'t str, own: &[&str], around: &[Found<'_>]) -> Cow<'t, str> {
        if is_passed_over(spot, text, own) {
            return text.into();
        }
        let key = spot.key.filter(|key| !own.contains(key));
        let found = self.find_beside(key, text, |is_found| beside(spot, text, own, around, is_found));
        self.replaced(text, &found, |keys| keys.lasting())
    }

    fn refusal(&self, spot: &Spot<'_>, text: &str, own: &[&str], around: &[Found<'_>]) -> Option<Error> {
        if is_passed_over(spot, text, own) {
            return None;
        }
        let key = spot.key.filter(|key| !own.contains(key));
        let found = self.find_beside(key, text, |is_found| beside(spot, text, own, around, is_found));
        let rule = found.first()?.rule;
        let place = match spot.piece {
            Piece::Key => "a key".to_owned(),
            Piece::Text | Piece::Number => self.shown(spot.key),
        };
        let message =
            format!("{place} looks like a secret (rule {rule}); take it out, or force it to be stored redacted");
        Some(Error::secret(message))
    }

    /// The name of a field, fit for an error message.
    fn shown(&self, key: Option<&str>) -> String {
        match key {
            Some(key) if key.len() <= SHOWN_KEY_BYTES => self.scrub(key).into_owned(),
            _ => "a field".to_owned(),
        }
    }

    /// Whether a stored record may be changed and written again: its size, depth and strings are what
    /// [`seal`](Self::seal) lets through.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid), which is the file's fault and not the caller's.
    pub fn check(&self, json: &RawValue) -> Result<()> {
        fits(json.get(), MAX_RECORD_BYTES)?;
        rewrite(json.get(), |_, text| text.into()).map(drop).map_err(|bad| self.refuse(&bad))
    }

    fn refuse(&self, bad: &Fault) -> Error {
        let place = bad.key.as_deref().map_or_else(|| "a key".to_owned(), |key| self.shown(Some(key)));
        Error::invalid(format!("{place} {}", bad.what))
    }
}

/// What of `around`, which was found in a record's JSON, lies in the string at `spot`. Of a string with escapes the places
/// are not known: it goes whole when most of it does, unless a secret is found in it by itself.
fn beside<'r>(spot: &Spot<'_>, text: &str, own: &[&str], around: &[Found<'r>], is_found: bool) -> Vec<Found<'r>> {
    if spot.piece != Piece::Text || spot.key.is_some_and(|key| own.contains(&key)) {
        return Vec::new();
    }
    let first = around.partition_point(|found| found.place.end <= spot.place.start);
    let within = around.iter().skip(first).take_while(|found| found.place.start < spot.place.end);
    let is_plain = spot.place.len() == text.len();
    within
        .filter_map(|found| {
            let start = found.place.start.max(spot.place.start) - spot.place.start;
            let end = found.place.end.min(spot.place.end) - spot.place.start;
            match is_plain {
                true => Some(Found::new(found.rule, start..end)),
                false => {
                    (!is_found && 2 * (end - start) > spot.place.len()).then(|| Found::new(found.rule, 0..text.len()))
                }
            }
        })
        .collect()
}

/// Whether this piece of a record is nothing that a rule looks at: a field's own name, or a number that is no password.
fn is_passed_over(spot: &Spot<'_>, text: &str, own: &[&str]) -> bool {
    match spot.piece {
        Piece::Key => spot.depth == 1 && own.contains(&text),
        Piece::Number => !spot.key.is_some_and(keyed::names_a_password),
        Piece::Text => false,
    }
}

fn written(json: &impl Serialize, most: usize, form: Form) -> Result<Box<RawValue>> {
    let json = to_raw_value(json).map_err(unwritable)?;
    let json = match compacted(json.get()).filter(|_| form.is_compact) {
        Some(text) => RawValue::from_string(text).map_err(unwritable)?,
        None => json,
    };
    fits(json.get(), most)?;
    Ok(json)
}

fn fits(json: &str, most: usize) -> Result<()> {
    if json.len() <= most {
        return Ok(());
    }
    Err(Error::invalid(format!("the record is {} bytes long; at most {most} are stored", json.len())))
}

/// What serde says would quote the record.
fn misfit() -> Error {
    Error::invalid("the record does not have its kind's fields")
}

fn unwritable(cause: serde_json::Error) -> Error {
    Error::invalid("the record cannot be written as JSON").because(cause)
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use crate::error::ErrorKind;
    use crate::mark::tag::untagged;

    fn seal(json: &str) -> Result<String> {
        let record: Box<RawValue> = serde_json::from_str(json).unwrap();
        let redactor = Redactor::new(&[], []).unwrap();
        redactor.seal::<serde_json::Value>(&record, &[]).map(|sealed| untagged(sealed.json().get()))
    }

    #[test]
    fn a_secret_goes_from_values_keys_and_nested_arrays() {
        let pat = format!("ghp_{}", "a1B2".repeat(9));
        let sealed = seal(&format!(r#"{{"a":["{pat}"],"{pat}":1,"b":{{"c":"x {pat} \u00e9"}}}}"#)).unwrap();
        assert_eq!(
            sealed,
            r#"{"a":["[REDACTED:github-pat]"],"[REDACTED:github-pat]":1,"b":{"c":"x [REDACTED:github-pat] é"}}"#
        );
    }

    #[test]
    fn what_stands_in_one_string_counts_for_another() {
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
    fn a_field_named_as_a_secret_is_scrubbed_whole() {
        assert_eq!(seal(r#"{"db":{"password":"q8-w9e"}}"#).unwrap(), r#"{"db":{"password":"[REDACTED:keyed-value]"}}"#);
        assert_eq!(
            seal(r#"{"apiKeys":{"token":["q8w9e7r6"]}}"#).unwrap(),
            r#"{"apiKeys":{"token":["[REDACTED:keyed-value]"]}}"#
        );
    }

    #[test]
    fn a_field_with_a_secrets_name_needs_no_look_of_one() {
        for (field, stored) in [
            (r#""password":"correct horse battery""#, r#""password":"[REDACTED:keyed-value]""#),
            (r#""token":"$ecr3t77""#, r#""token":"[REDACTED:keyed-value]""#),
            (r#""pin_password":123456"#, r#""pin_password":"[REDACTED:keyed-value]""#),
            (r#""password":["a",-1.5e3]"#, r#""password":["[REDACTED:keyed-value]","[REDACTED:keyed-value]"]"#),
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
    fn what_is_refused_unless_forced_is_redacted_when_it_is() {
        let redactor = Redactor::new(&["CORP-[0-9]{4}".to_owned()], []).unwrap();
        let seal = |policy, json: &str| {
            let json = RawValue::from_string(json.to_owned()).unwrap();
            let sealed = redactor.seal_under::<serde_json::Value>(policy, &json, &["text", "password"]);
            sealed.map(|sealed| untagged(sealed.json().get()))
        };
        for (json, place, rule, redacted) in [
            (r#"{"text":"see CORP-1234"}"#, "text", "custom-pattern", r#"{"text":"see [REDACTED:custom-pattern]"}"#),
            (r#"{"in":{"CORP-1234":1}}"#, "a key", "custom-pattern", r#"{"in":{"[REDACTED:custom-pattern]":1}}"#),
            (r#"{"db_password":"plain"}"#, "db_password", "keyed-value", r#"{"db_password":"[REDACTED:keyed-value]"}"#),
            (r#"{"db_password":1234567}"#, "db_password", "keyed-value", r#"{"db_password":"[REDACTED:keyed-value]"}"#),
        ] {
            let refused = seal(Policy::refuse_unless(false), json).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Secret, "{json}");
            assert!(refused.message().starts_with(&format!("{place} looks like a secret (rule {rule})")), "{refused}");
            assert!(
                !["CORP-1234", "plain", "1234567"].iter().any(|it| format!("{refused:?}").contains(it)),
                "{refused}"
            );
            assert_eq!(seal(Policy::refuse_unless(true), json).unwrap(), redacted);
        }
        for stays in [r#"{"text":"see CORP-12","password":"plain","n":1.50}"#, r#"{"text":"[REDACTED:jwt]"}"#] {
            assert_eq!(seal(Policy::Refuse, stays).unwrap(), stays);
        }
        let refused = seal(Policy::Refuse, r#"{"CORP-1234":{"token":["CORP-1234"]}}"#).unwrap_err();
        assert!(!format!("{refused:?}").contains("CORP-1234"), "{refused}");
    }

    #[test]
    fn own_keys_stay_and_their_values_do_not() {
        let redactor = Redactor::new(&["tags|secret".to_owned()], []).unwrap();
        let record = RawValue::from_string(r#"{"tags":["tags"],"in":{"tags":1},"secret":"plain"}"#.to_owned()).unwrap();
        let sealed = redactor.seal::<serde_json::Value>(&record, &["tags", "secret"]).unwrap();
        let expected =
            r#"{"tags":["[REDACTED:custom-pattern]"],"in":{"[REDACTED:custom-pattern]":1},"secret":"plain"}"#;
        assert_eq!(untagged(sealed.json().get()), expected);
    }

    #[test]
    fn what_completes_a_record_is_not_scrubbed() {
        let redactor = Redactor::new(&["[0-9]+".to_owned()], []).unwrap();
        let sealed = redactor.seal::<String>(&"at 12", &[]).unwrap();
        let complete =
            sealed.complete::<serde_json::Value, _, Error>(|text| Ok(serde_json::json!({ "id": "77", "text": text })));
        assert_eq!(untagged(complete.unwrap().json().get()), r#"{"id":"77","text":"at [REDACTED:custom-pattern]"}"#);
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
    fn what_is_no_secret_stays_byte_for_byte() {
        let json = r#"{"n":123456789012345678901234567890,"e":1e400,"s":"caf\u00e9 \"q\"","o":{},"l":[1,[2]]}"#;
        assert_eq!(rewrite(json, |_, text| text.into()).ok().unwrap(), json);
    }

    #[test]
    fn nul_and_lone_surrogates_are_refused_with_their_key() {
        for (json, fault) in
            [(r#"{"title":"a\u0000b"}"#, "title holds a NUL"), (r#"{"x":"\ud800"}"#, "x holds a lone surrogate")]
        {
            let error = seal(json).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid);
            assert!(error.message().starts_with(fault), "{error}");
        }
    }

    #[test]
    fn a_record_over_the_limit_is_refused() {
        let long = format!(r#"{{"x":"{}"}}"#, "y".repeat(MAX_RECORD_BYTES));
        // Placeholders make it longer than it came.
        let grows = format!(r#"{{"x":"{}"}}"#, ["pw", "=q8w9e7 "].concat().repeat(MAX_DRAFT_BYTES / 12));
        for json in [long, grows] {
            assert_eq!(seal(&json).unwrap_err().kind(), ErrorKind::Invalid);
        }
    }
}
