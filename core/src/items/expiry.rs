//! When an item expires: a point in time, or a duration from now.

use chrono::DateTime;

use crate::error::{Error, Result};
use crate::home::Home;
use crate::safety::Timestamp;

const SECOND: i64 = 1_000;
const DAY: i64 = 24 * 60 * 60 * SECOND;
/// The last point in time that RFC 3339 can express: the end of the year 9999.
const LAST: i64 = 253_402_300_799_999;

/// The current time, in milliseconds since 1970.
pub(super) fn now(home: &Home) -> i64 {
    i64::try_from(home.milliseconds()).unwrap_or(i64::MAX)
}

/// The time in `text`, in milliseconds since 1970; `None` if it is not RFC 3339.
pub(super) fn millis(text: &str) -> Option<i64> {
    DateTime::parse_from_rfc3339(text).ok().map(|time| time.timestamp_millis())
}

/// The point in time that a caller's `text` says at the time `now`.
///
/// # Errors
/// `ValidationError` for anything but RFC 3339 and a duration, and for a time after the year 9999.
pub(super) fn parse(text: &str, now: i64) -> Result<Timestamp> {
    let at = millis(text).or_else(|| Some(now.saturating_add(duration(text)?)));
    match at {
        Some(at) if (0..=LAST).contains(&at) => Ok(Timestamp::from_unix_millis(at)),
        Some(_) => Err(Error::validation("expiry must be between the years 1970 and 9999")),
        None if text.trim().starts_with('-') => {
            Err(Error::validation("expiry must not be negative: a duration such as 30d counts from now"))
        }
        None => Err(Error::validation(
            "expiry must be an RFC 3339 time such as 2026-12-31T00:00:00Z, or a duration such as 12h, 30d, 2w or 1y",
        )),
    }
}

/// The point in time `seconds` after `created`; `None` if that is after the year 9999: it never comes.
pub(super) fn after(seconds: u64, created: i64) -> Option<Timestamp> {
    let at = i64::try_from(seconds).ok()?.checked_mul(SECOND)?.checked_add(created)?;
    (0..=LAST).contains(&at).then(|| Timestamp::from_unix_millis(at))
}

/// The point in time that a stored `text` says, of an item that was created at `created`, if that is known; `None` if
/// it cannot be read.
pub(super) fn stored(text: &str, created: Option<i64>) -> Option<i64> {
    millis(text).or_else(|| Some(created?.saturating_add(duration(text)?)))
}

/// The length of a duration such as `30d`, in milliseconds. A month has 30 days and a year 365.
fn duration(text: &str) -> Option<i64> {
    let text = text.trim();
    let digits = text.find(|character: char| !character.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let unit = match unit.trim() {
        "s" => SECOND,
        "m" => 60 * SECOND,
        "h" => 60 * 60 * SECOND,
        "d" => DAY,
        "w" => 7 * DAY,
        "mo" => 30 * DAY,
        "y" => 365 * DAY,
        _ => return None,
    };
    // A number that does not fit is beyond the last point in time.
    Some(number.parse::<i64>().ok().map_or(LAST, |number| number.saturating_mul(unit))).filter(|_| digits > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Option<String> {
        parse(text, 1_767_225_600_000).ok().map(|time| time.to_string())
    }

    #[test]
    fn a_time_or_a_duration_is_a_point_in_time() {
        for (text, expected) in [
            ("2026-02-03T04:05:06+01:00", "2026-02-03T03:05:06.000Z"),
            ("30d", "2026-01-31T00:00:00.000Z"),
            ("90m", "2026-01-01T01:30:00.000Z"),
            ("2 w", "2026-01-15T00:00:00.000Z"),
            ("1y", "2027-01-01T00:00:00.000Z"),
            ("0s", "2026-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(at(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_stored_duration_counts_from_the_creation() {
        let created = millis("2026-01-01T00:00:00Z");
        assert_eq!(stored("1s", millis("1970-01-01T00:00:01Z")), Some(2_000));
        assert!(stored("99999999999999999999y", created).unwrap() > LAST);
        for expiry in ["", "d", "-3d", "3", "3 fortnights"] {
            assert_eq!(stored(expiry, created), None, "{expiry}");
        }
        assert_eq!(stored("1d", millis("once")), None);
    }

    #[test]
    fn what_is_neither_or_overflows_is_refused() {
        for text in [
            "",
            "d",
            "-3d",
            "3",
            "3 fortnights",
            "99999999999999999999y",
            "9000y",
            "2026-02-30T00:00:00Z",
            "1969-01-01T00:00:00Z",
        ] {
            assert_eq!(at(text), None, "{text}");
        }
    }

    #[test]
    fn an_error_says_what_is_wrong_with_an_expiry() {
        let refused = |text| parse(text, 0).unwrap_err().message().to_owned();
        assert_eq!(refused("999999999999y"), "expiry must be between the years 1970 and 9999");
        assert_eq!(refused("-5d"), "expiry must not be negative: a duration such as 30d counts from now");
    }
}
