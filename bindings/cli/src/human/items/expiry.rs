//! When a stored item expires, as the core reads it: a point in time, or a duration after its creation. No I/O.

use chrono::{DateTime, SecondsFormat};

const SECOND: i64 = 1_000;
const DAY: i64 = 24 * 60 * 60 * SECOND;
/// The end of the year 9999, the last point in time that RFC 3339 can express.
const LAST: i64 = 253_402_300_799_999;

/// When an item with this `expiry` and `created_at` expires, in milliseconds since 1970; `None` if it never does.
pub(crate) fn stored(expiry: &str, created_at: &str) -> Option<i64> {
    millis(expiry).or_else(|| Some(millis(created_at)?.saturating_add(duration(expiry)?)))
}

/// The same point in time as RFC 3339: a duration that is passed to a method counts from now. A text that cannot be
/// converted is returned as it is.
pub(crate) fn as_time(expiry: &str, created_at: &str) -> String {
    let at = stored(expiry, created_at).filter(|_| millis(expiry).is_none());
    let time = at.filter(|at| *at <= LAST).and_then(DateTime::from_timestamp_millis);
    time.map_or_else(|| expiry.to_owned(), |time| time.to_rfc3339_opts(SecondsFormat::Millis, true))
}

fn millis(text: &str) -> Option<i64> {
    DateTime::parse_from_rfc3339(text).ok().map(|time| time.timestamp_millis())
}

/// The length of a duration such as `30d`, in milliseconds. A month has 30 days and a year 365.
fn duration(text: &str) -> Option<i64> {
    let text = text.trim();
    let digits = text.find(|character: char| !character.is_ascii_digit()).filter(|digits| *digits > 0)?;
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
    Some(number.parse::<i64>().ok().map_or(LAST, |number| number.saturating_mul(unit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_counts_from_the_creation() {
        let created = "2026-01-01T00:00:00Z";
        for (expiry, expected) in [
            ("1d", "2026-01-02T00:00:00.000Z"),
            (" 90 m", "2026-01-01T01:30:00.000Z"),
            ("2w", "2026-01-15T00:00:00.000Z"),
            ("1mo", "2026-01-31T00:00:00.000Z"),
            ("1y", "2027-01-01T00:00:00.000Z"),
            ("2026-05-01T00:00:00+02:00", "2026-05-01T00:00:00+02:00"),
            ("9000y", "9000y"),
            ("soon", "soon"),
        ] {
            assert_eq!(as_time(expiry, created), expected);
        }
        assert_eq!(
            (stored("1s", "1970-01-01T00:00:01Z"), stored("99999999999999999999y", created).unwrap() > LAST),
            (Some(2_000), true)
        );
        for expiry in ["", "d", "-3d", "3", "3 fortnights"] {
            assert_eq!(stored(expiry, created), None, "{expiry}");
        }
        assert_eq!(stored("1d", "once"), None);
    }
}
