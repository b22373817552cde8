//! Times: RFC 3339 at the door, milliseconds since 1970 in the database.

use chrono::DateTime;

use crate::error::{Error, Result};
use crate::home::Home;
use crate::safety::Timestamp;

/// The times that RFC 3339 can express: the years 0 to 9999.
const YEARS: std::ops::RangeInclusive<i64> = -62_167_219_200_000..=253_402_300_799_999;

/// The current time.
pub(crate) fn now(home: &Home) -> i64 {
    i64::try_from(home.milliseconds()).unwrap_or(i64::MAX)
}

/// A time as text, in UTC with milliseconds.
pub(crate) fn text(millis: i64) -> String {
    Timestamp::from_unix_millis(millis).to_string()
}

/// Parses the time in the field `field`.
///
/// # Errors
/// `ValidationError`.
pub(crate) fn parse(field: &str, text: &str) -> Result<i64> {
    let refused = || Error::validation(format!("{field} must be an RFC 3339 time such as 2026-01-31T12:00:00Z"));
    read(text).ok_or_else(refused)
}

/// Parses an RFC 3339 time; `None` if it is not one.
pub(crate) fn read(text: &str) -> Option<i64> {
    let millis = DateTime::parse_from_rfc3339(text).ok()?.timestamp_millis();
    YEARS.contains(&millis).then_some(millis)
}
