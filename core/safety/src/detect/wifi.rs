//! The password in the text of a QR code that joins a wireless network: `WIFI:T:WPA;S:network;P:password;;`.

use std::ops::Range;

use crate::classify::judgement::{self, Form};
use crate::classify::names::Strength;
use crate::mark::tag;
use crate::text::bytes::{ends_ignoring_case, slice};

/// The longest field, in bytes: a network has at most 32 and a password 63, each of which may be escaped.
const MAX_FIELD: usize = 140;
/// The most fields before the password.
const MAX_FIELDS: usize = 8;

/// The password after the colon at `colon`, which follows the name of the format.
pub(crate) fn password(text: &[u8], colon: usize) -> Option<Range<usize>> {
    if !ends_ignoring_case(slice(text, 0..colon), b"WIFI") {
        return None;
    }
    let mut start = colon + 1;
    for _ in 0..MAX_FIELDS {
        let end = field_end(text, start)?;
        if slice(text, start..end).starts_with(b"P:") {
            let place = start + 2..end;
            let value = slice(text, place.clone());
            let is_secret =
                !tag::starts_placeholder(value) && judgement::is_secret(value, Strength::Strong, Form::Data);
            return is_secret.then_some(place);
        }
        start = end + 1;
    }
    None
}

/// The semicolon that ends the field at `start`; one after a backslash belongs to the value.
fn field_end(text: &[u8], start: usize) -> Option<usize> {
    let mut is_escaped = false;
    for (at, byte) in slice(text, start..text.len().min(start + MAX_FIELD)).iter().enumerate() {
        match byte {
            b'\n' => return None,
            b';' if !is_escaped => return Some(start + at),
            _ => is_escaped = *byte == b'\\' && !is_escaped,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<&str> {
        password(text.as_bytes(), 4).map(|place| &text[place])
    }

    #[test]
    fn the_password_may_be_anywhere_among_the_fields_and_contain_escapes() {
        assert_eq!(of("WIFI:T:WPA;S:home;P:kestrel47;;"), Some("kestrel47"));
        assert_eq!(of("WIFI:S:a\\;b;P:kes\\;tr\\\\el;T:WPA;H:true;;"), Some("kes\\;tr\\\\el"));
        for other in ["WIFI:T:nopass;S:guest;;", "WIFI:T:WPA;S:home;P:;;", "WIFI:T:WPA\nP:kestrel47;", "WIFI:"] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
