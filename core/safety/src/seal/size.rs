//! The maximum size of a record, and the errors for JSON that is too long or not a record.

use serde_json::value::RawValue;

use crate::error::{Error, Result};
use crate::seal::json::compacted;

/// The maximum size of a record as JSON, in bytes.
pub const MAX_RECORD_BYTES: usize = 1 << 20;
/// The maximum size of the host's part of a record, as JSON, in bytes: the rest is reserved for the ids and timestamps
/// that are added.
pub const MAX_DRAFT_BYTES: usize = MAX_RECORD_BYTES - 4096;
/// The maximum size of a working context, or of an entry of its log, as JSON, in bytes.
pub const MAX_VALUE_BYTES: usize = 64 << 20;
/// The same JSON without white space between its tokens.
pub(super) fn compact(json: Box<RawValue>) -> Result<Box<RawValue>> {
    compacted(json.get()).map_or(Ok(json), |text| RawValue::from_string(text).map_err(not_serializable))
}

pub(super) fn fits(json: &str, limit: usize) -> Result<()> {
    if json.len() <= limit {
        return Ok(());
    }
    Err(Error::invalid(format!("the record is {} bytes long; at most {limit} are stored", json.len())))
}

/// The error of serde would quote the record.
pub(super) fn wrong_fields() -> Error {
    Error::invalid("the record does not have the fields of its kind")
}

pub(super) fn not_serializable(cause: serde_json::Error) -> Error {
    Error::invalid("the record cannot be written as JSON").because(cause)
}
