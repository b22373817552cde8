//! Sealing: the only way to something that may be persisted.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::Redactor;
use super::json::{BadString, rewrite_strings};
use crate::error::{Error, Result};

/// The size one record may have as JSON, in bytes.
pub const MAX_RECORD_BYTES: usize = 1 << 20;

/// A record in which no secret stands, as JSON and as a value.
///
/// Only [`Redactor::seal`] makes one; `disk` takes nothing else from a host.
#[derive(Debug)]
pub struct Sealed<T> {
    json: Box<RawValue>,
    value: T,
}

impl<T> Sealed<T> {
    /// The same bytes, under the type of a larger family of records.
    pub fn map<U>(self, into: impl FnOnce(T) -> U) -> Sealed<U> {
        Sealed { json: self.json, value: into(self.value) }
    }

    /// The record.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// The record's JSON, on one line.
    pub fn json(&self) -> &RawValue {
        &self.json
    }

    pub(crate) fn into_parts(self) -> (Box<RawValue>, T) {
        (self.json, self.value)
    }
}

impl Redactor {
    /// Scrubs every string and key of the JSON object `json` and reads it as `T`.
    ///
    /// Strings are scrubbed with the key under which they stand as context; numbers, order and unknown fields stay as
    /// they are. A text that may not be altered (an id) goes through [`Redactor::admit`] first.
    ///
    /// # Errors
    /// `ValidationError` when the record is larger than [`MAX_RECORD_BYTES`], when a string holds a NUL or a lone
    /// surrogate, or when it is no `T`.
    pub fn seal<T: DeserializeOwned>(&self, json: &impl Serialize) -> Result<Sealed<T>> {
        let text = written(json)?;
        let clean =
            rewrite_strings(&text, |key, text| self.redact_under(key, text)).map_err(|bad| self.refuse(&bad))?;
        let value = serde_json::from_str(&clean).map_err(|cause| {
            Error::validation("the record does not have its kind's fields").because(self.redact(&cause.to_string()))
        })?;
        let json = RawValue::from_string(clean.into_owned()).map_err(unwritable)?;
        Ok(Sealed { json, value })
    }

    /// Whether [`seal`](Self::seal) would take this JSON: the check that needs no redaction, for callers that want to
    /// refuse before they lock.
    ///
    /// # Errors
    /// `ValidationError` as of [`seal`](Self::seal).
    pub fn check(&self, json: &impl Serialize) -> Result<()> {
        rewrite_strings(&written(json)?, |_, text| text.into()).map(drop).map_err(|bad| self.refuse(&bad))
    }

    fn refuse(&self, bad: &BadString) -> Error {
        Error::validation(match &bad.key {
            Some(key) => format!("{} {}", self.redact(key), bad.fault),
            None => format!("a key {}", bad.fault),
        })
    }
}

fn written(json: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string(json).map_err(unwritable)?;
    if text.len() > MAX_RECORD_BYTES {
        return Err(Error::validation(format!(
            "the record is {} bytes long; at most {MAX_RECORD_BYTES} are stored",
            text.len()
        )));
    }
    Ok(text)
}

fn unwritable(cause: serde_json::Error) -> Error {
    Error::validation("the record cannot be written as JSON").because(cause)
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use crate::error::ErrorKind;

    fn seal(json: &str) -> Result<String> {
        let record: Box<RawValue> = serde_json::from_str(json).unwrap();
        let redactor = Redactor::new(&[], []).unwrap();
        redactor.seal::<serde_json::Value>(&record).map(|sealed| sealed.json().get().to_owned())
    }

    #[test]
    fn a_secret_goes_from_values_keys_and_nested_arrays() {
        let pat = format!("ghp_{}", "a1B2".repeat(9));
        let sealed = seal(&format!(r#"{{"a":["{pat}"],"{pat}":1,"b":{{"c":"x {pat} \u00e9"}}}}"#)).unwrap();
        assert_eq!(
            sealed,
            r#"{"a":["[REDACTED:github-token]"],"[REDACTED:github-token]":1,"b":{"c":"x [REDACTED:github-token] é"}}"#
        );
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
    fn what_is_no_secret_stays_byte_for_byte() {
        let json = r#"{"n":123456789012345678901234567890,"e":1e400,"s":"caf\u00e9 \"q\"","o":{},"l":[1,[2]]}"#;
        assert_eq!(rewrite_strings(json, |_, text| text.into()).ok().unwrap(), json);
    }

    #[test]
    fn nul_and_lone_surrogates_are_refused_with_their_key() {
        for (json, fault) in
            [(r#"{"title":"a\u0000b"}"#, "title holds a NUL"), (r#"{"x":"\ud800"}"#, "x holds a lone surrogate")]
        {
            let error = seal(json).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Validation);
            assert!(error.message().starts_with(fault), "{error}");
        }
    }

    #[test]
    fn a_record_over_the_limit_is_refused() {
        let error = seal(&format!(r#"{{"x":"{}"}}"#, "y".repeat(MAX_RECORD_BYTES))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Validation);
    }
}
