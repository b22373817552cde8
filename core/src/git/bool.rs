//! git's booleans and numbers.

/// Parses a boolean as git does; a variable without `=` is true. `None` if it is not a boolean.
pub(super) fn parse(value: Option<&[u8]>) -> Option<bool> {
    let Some(value) = value else { return Some(true) };
    let is = |words: &[&[u8]]| words.iter().any(|word| value.eq_ignore_ascii_case(word));
    if is(&[b"true", b"yes", b"on"]) {
        return Some(true);
    }
    if is(&[b"false", b"no", b"off", b""]) {
        return Some(false);
    }
    number(value).map(|number| number != 0)
}

/// Parses a number as git does: decimal, octal or hexadecimal as in C, with an optional unit. `None` if it is not a
/// number.
pub(super) fn number(value: &[u8]) -> Option<i32> {
    let text = std::str::from_utf8(value).ok()?;
    let text = text.trim_start_matches([' ', '\t', '\n', '\u{b}', '\u{c}', '\r']);
    let factor = match text.as_bytes().last()? {
        b'k' | b'K' => 1 << 10,
        b'm' | b'M' => 1 << 20,
        b'g' | b'G' => 1 << 30,
        _ => 1,
    };
    let text = if factor == 1 { text } else { &text[..text.len() - 1] };
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (digits, radix) = match digits.strip_prefix('0') {
        Some(hex) if hex.starts_with(['x', 'X']) => (&hex[1..], 16),
        Some(octal) if !octal.is_empty() => (octal, 8),
        _ => (digits, 10),
    };
    // `from_str_radix` takes a sign too.
    if !digits.starts_with(|c: char| c.is_ascii_hexdigit()) {
        return None;
    }
    let number = i64::from_str_radix(digits, radix).ok()?;
    i32::try_from(number.checked_mul(sign * factor)?).ok()
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn the_words_are_gits() {
        for yes in ["true", "YES", "on", "1", "2", "1k", "-1", " +1", "0x1", "017", "1G"] {
            assert_eq!(parse(Some(yes.as_bytes())), Some(true), "{yes}");
        }
        for no in ["false", "No", "off", "0", "", "00", "0x0", " 0", "-0", "0k"] {
            assert_eq!(parse(Some(no.as_bytes())), Some(false), "{no}");
        }
        assert_eq!(parse(None), Some(true));
        for neither in ["nope", " true", "k", "1x", "0x", "08", "++1", "1 ", "2g", "0x-1", "99999999999999999999"] {
            assert_eq!(parse(Some(neither.as_bytes())), None, "{neither}");
        }
    }
}
