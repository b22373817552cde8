//! How long a record may be, and the errors for what is too long or no record.

use serde_json::value::RawValue;

use crate::error::{Error, Result};
use crate::seal::json::compacted;

/// The size one record may have as JSON, in bytes.
pub const MAX_RECORD_BYTES: usize = 1 << 20;
/// What a host may say in one record, as JSON, in bytes: the rest is kept for the ids and times that are added.
pub const MAX_DRAFT_BYTES: usize = MAX_RECORD_BYTES - 4096;
/// The size that a working context or an entry of its log may have as JSON, in bytes.
pub const MAX_VALUE_BYTES: usize = 64 << 20;
/// The same JSON without anything between its tokens.
pub(super) fn compact(json: Box<RawValue>) -> Result<Box<RawValue>> {
    compacted(json.get()).map_or(Ok(json), |text| RawValue::from_string(text).map_err(unwritable))
}

pub(super) fn fits(json: &str, most: usize) -> Result<()> {
    if json.len() <= most {
        return Ok(());
    }
    Err(Error::invalid(format!("the record is {} bytes long; at most {most} are stored", json.len())))
}

/// What serde says would quote the record.
pub(super) fn misfit() -> Error {
    Error::invalid("the record does not have its kind's fields")
}

pub(super) fn unwritable(cause: serde_json::Error) -> Error {
    Error::invalid("the record cannot be written as JSON").because(cause)
}
