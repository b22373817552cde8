//! A server's messages in errors: without the password, on one line, and of limited length.

/// Replaces the password in errors.
const HIDDEN: &str = "[password]";
/// The length to which a text is cut, in bytes.
const MOST_BYTES: usize = 512;
/// A prefix of the password of this many bytes is hidden as well: servers truncate what they repeat.
const PIECE_BYTES: usize = 8;

/// Escapes what a terminal would not show literally, and cuts the text to 512 bytes.
pub(super) fn shown(text: &str) -> String {
    let mut shown = String::new();
    for sign in text.chars() {
        let before = shown.len();
        match sign {
            '\'' | '"' | '\\' => shown.push(sign),
            sign => shown.extend(sign.escape_debug()),
        }
        if shown.len() > MOST_BYTES {
            shown.truncate(before);
            shown.push('…');
            break;
        }
    }
    shown
}

/// Hides the password and truncated copies of it.
pub(super) fn without_password(text: &str, password: Option<&str>) -> String {
    let Some(password) = password.filter(|password| !password.is_empty()) else { return text.to_owned() };
    let piece = password.get(..password.ceil_char_boundary(PIECE_BYTES)).unwrap_or(password);
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, found)) = rest.find(piece).and_then(|at| rest.split_at_checked(at)) {
        clean.push_str(before);
        clean.push_str(HIDDEN);
        let same = found.chars().zip(password.chars()).take_while(|(found, own)| found == own);
        rest = found.get(same.map(|(sign, _)| sign.len_utf8()).sum()..).unwrap_or_default();
    }
    clean + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_a_server_is_one_line_of_bounded_length() {
        assert_eq!(shown("it's \"ä\"\n\u{1b}[31m\u{202e}"), "it's \"ä\"\\n\\u{1b}[31m\\u{202e}");
        let long = shown(&"ä".repeat(100_000));
        assert_eq!((long.len(), long.ends_with('…')), (512 + '…'.len_utf8(), true));
    }

    #[test]
    fn a_password_is_hidden_also_where_a_server_cuts_it() {
        let password = "s@lt".repeat(50);
        let cleaned =
            without_password(&format!("unknown command '{password}', '{}'", &password[..128]), Some(&password));
        assert_eq!(cleaned, "unknown command '[password]', '[password]'");
        assert_eq!(without_password("a pw b", Some("pw")), "a [password] b");
        assert_eq!(without_password("a pw b", None), "a pw b");
    }
}
