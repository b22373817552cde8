//! Values that may be added to a sealed object without being redacted: numbers, literals, admitted and generated ids,
//! timestamps, and what was sealed before. Each has its own type, which can hold nothing else.

use std::fmt::Write as _;
use std::sync::Arc;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::error::{Error, Result};

/// A value that needs no redaction.
///
/// Implement this for a type only if no text from the host can get into it without being redacted or admitted.
pub trait Trusted: Serialize {
    /// Its JSON, if that already exists.
    fn as_json(&self) -> Option<&RawValue> {
        None
    }
}

/// Literals of the program itself.
impl Trusted for &'static str {}
impl Trusted for bool {}
impl Trusted for u64 {}
impl<T: Trusted> Trusted for [T] {}
impl<T: Trusted> Trusted for Option<T> {
    fn as_json(&self) -> Option<&RawValue> {
        self.as_ref().and_then(Trusted::as_json)
    }
}
impl<T: Trusted + ?Sized> Trusted for &T {
    fn as_json(&self) -> Option<&RawValue> {
        (**self).as_json()
    }
}

/// A caller's text that must be stored unchanged and was checked for secrets; see
/// [`Redactor::admit_id`](crate::Redactor::admit_id).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Admitted(String);

impl Admitted {
    /// Wraps `text`, which has been checked.
    pub(crate) fn new(text: &str) -> Self {
        Admitted(text.to_owned())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Trusted for Admitted {}

/// An id that was generated from numbers; cheap to clone. It is never checked against the rules, or a user's pattern
/// that matches every UUID would give all records the same id.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct GeneratedId(Arc<str>);

impl GeneratedId {
    /// These 128 bits as a UUID.
    pub fn uuid(bits: u128) -> Self {
        GeneratedId(uuid::Uuid::from_u128(bits).to_string().into())
    }

    /// A hash in hex.
    pub fn digest(bytes: &[u8; 32]) -> Self {
        let text = bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        });
        GeneratedId(text.into())
    }

    /// The id that a program wrote as at most 64 lower-case hex digits; `None` for any other text.
    pub fn hex(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        ((1..=64).contains(&text.len()) && text.bytes().all(is_digit)).then(|| GeneratedId(text.into()))
    }

    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Trusted for GeneratedId {}

/// A point in time: RFC 3339 in UTC with milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(DateTime<Utc>);

impl Timestamp {
    /// The time `millis` milliseconds after 1970; 1970 itself if that is out of range.
    pub fn from_unix_millis(millis: i64) -> Self {
        Timestamp(DateTime::from_timestamp_millis(millis).unwrap_or_default())
    }
}

impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Trusted for Timestamp {}

/// A number, or a list of numbers, as the caller wrote it. It is never checked against the rules, which could mistake
/// the digits of a vector for a secret.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct Numbers(Box<RawValue>);

impl Numbers {
    /// The numbers in this JSON.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) if it contains anything else.
    pub fn read(json: Box<RawValue>) -> Result<Self> {
        let text = json.get();
        let is_one = serde_json::from_str::<f64>(text).is_ok();
        if is_one || serde_json::from_str::<Vec<f64>>(text).is_ok() {
            Ok(Numbers(json))
        } else {
            Err(Error::invalid("expected a number or a list of numbers"))
        }
    }
}

impl Trusted for Numbers {}
