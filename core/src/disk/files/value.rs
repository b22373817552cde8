//! A JSON value in its own file, replaced as a whole.
//!
//! ```json
//! {
//! "schemaVersion": 1,
//! "listBytes": 345,
//! "value": {"step":3}
//! }
//! ```
//!
//! `listBytes` is present if a list beside it records the changes of the value: the first `listBytes` bytes of the list are
//! committed with this value. Anything beyond was never acknowledged.

use std::io::Write as _;
use std::path::Path;

use serde_json::value::RawValue;

use super::cache::Parsed;
use super::stored::Json;
use super::text::{damaged_at, is_object, push_members, refuse_newer};
use crate::error::{Error, Result};
use crate::safety::{BorrowedFields, Fields, MAX_VALUE_BYTES};

/// The maximum size of a value's file in bytes: that of the largest value, and of the members around it.
pub(in crate::disk) const MAX_BYTES: u64 = MAX_VALUE_BYTES as u64 + (1 << 20);

/// The newest `schemaVersion` that is read, and the one that is written.
const VERSION: u64 = 1;

/// A parsed file; the default if it does not exist.
#[derive(Debug, Clone, Default)]
pub(in crate::disk) struct Value {
    pub(in crate::disk) json: Option<Json>,
    /// The committed length of the list beside it.
    pub(in crate::disk) list_bytes: Option<u64>,
    /// Members unknown to this version.
    other: Fields,
}

impl Value {
    /// A file with a new value and length, and the other members of this one.
    pub(in crate::disk) fn with_value(&self, json: Json, list_bytes: Option<u64>) -> Self {
        Value { json: Some(json), list_bytes, other: self.other.clone() }
    }

    /// Whether both have the same value and the same committed length. Their identity is no criterion: a file that is too large
    /// to be cached is parsed anew each time.
    pub(in crate::disk) fn has_same_contents(&self, other: &Value) -> bool {
        let [json, others] = [self, other].map(|value| value.json.as_deref().map(RawValue::get));
        self.list_bytes == other.list_bytes && json == others
    }

    pub(in crate::disk) fn to_bytes(&self) -> Vec<u8> {
        let value = self.json.as_deref().unwrap_or(RawValue::NULL);
        let mut out = Vec::with_capacity(value.get().len() + 128);
        // Writing to a Vec cannot fail.
        let _ = write!(out, "{{\n\"schemaVersion\": {VERSION}");
        if let Some(bytes) = self.list_bytes {
            let _ = write!(out, ",\n\"listBytes\": {bytes}");
        }
        push_members(&mut out, &self.other);
        let _ = write!(out, ",\n\"value\": {}\n}}\n", value.get());
        out
    }
}

/// Parses the file of a value. Returns the value and the committed length of the list beside it.
///
/// # Errors
/// `ParseError`, `FormatTooNew`.
pub(crate) fn read_value(path: &Path, bytes: &[u8]) -> Result<(Json, Option<u64>)> {
    let value = Value::parse(path, bytes)?;
    Ok((value.json.unwrap_or_else(|| Json::stored(RawValue::NULL.to_owned())), value.list_bytes))
}

/// The bytes of `file` with a new value, or of a new file.
///
/// # Errors
/// `ParseError`, `FormatTooNew`.
pub(crate) fn with_value(path: &Path, file: Option<&[u8]>, json: Json, list_bytes: Option<u64>) -> Result<Vec<u8>> {
    let before = file.map_or_else(|| Ok(Value::default()), |bytes| Value::parse(path, bytes))?;
    Ok(before.with_value(json, list_bytes).to_bytes())
}

impl Parsed for Value {
    const MAX_BYTES: u64 = MAX_BYTES;

    fn parse(path: &Path, bytes: &[u8]) -> Result<Self> {
        let mut members: Fields = serde_json::from_slice(bytes).map_err(|cause| damaged_at(path, bytes, &cause))?;
        if let Some(version) = members.remove("schemaVersion") {
            refuse_newer(path, "schemaVersion", version.get(), VERSION)?;
        }
        let list_bytes = members.remove("listBytes").map(|bytes| serde_json::from_str(bytes.get())).transpose();
        let list_bytes = list_bytes.map_err(|_| Error::parse(path, "listBytes is not a number of bytes"))?;
        let json = members.remove("value").ok_or_else(|| Error::parse(path, "a field is missing: `value`"))?;
        if is_object(&json) {
            // It would be unclear which of two members with the same name is meant, and the other would be lost.
            serde_json::from_str::<BorrowedFields<'_>>(json.get())
                .map_err(|_| Error::parse(path, "a key occurs twice in the value"))?;
        }
        Ok(Value { json: Some(Json::stored(json)), list_bytes, other: members })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn parse(text: &str) -> Result<Value> {
        Value::parse(Path::new("context.json"), text.as_bytes())
    }

    #[test]
    fn a_value_reads_as_it_was_written_with_what_this_version_does_not_know() {
        let text = "{\n\"schemaVersion\": 1,\n\"listBytes\": 7,\n\"later\": 1.50,\n\"value\": {\"a\":1.0}\n}\n";
        let value = parse(text).unwrap();
        assert_eq!(value.list_bytes, Some(7));
        assert_eq!(String::from_utf8(value.to_bytes()).unwrap(), text);
        let next = value.with_value(Json::stored(RawValue::from_string("[]".into()).unwrap()), None);
        let expected = "{\n\"schemaVersion\": 1,\n\"later\": 1.50,\n\"value\": []\n}\n";
        assert_eq!(String::from_utf8(next.to_bytes()).unwrap(), expected);
    }

    #[test]
    fn an_invalid_value_is_damage_and_a_newer_version_is_reported() {
        for text in ["", "{", "[]", "{}", r#"{"value":{"a":1,"a":2}}"#, r#"{"value":1,"listBytes":-1}"#] {
            assert_eq!(parse(text).unwrap_err().kind(), ErrorKind::Parse, "{text}");
        }
        let newer = parse(r#"{"schemaVersion":2,"value":1}"#).unwrap_err();
        assert_eq!(newer.kind(), ErrorKind::FormatTooNew);
    }
}
