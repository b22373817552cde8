//! Where a JSON value ends, in bytes that may be damaged. Pure.

/// How deep a value may be nested. It bounds how often a byte is read when values are looked for at many places.
const MAX_DEPTH: usize = 128;

/// Where the JSON value ends that begins at `at`. Whether it is JSON all through is for a parser to say. A number or a
/// word at the end of the bytes may have been longer.
///
/// # Errors
/// How far it made sense.
pub(in crate::disk) fn end_of_value(bytes: &[u8], at: usize) -> Result<usize, usize> {
    let mut open = Vec::new();
    let mut at = at;
    // The last mark outside of strings, white space aside.
    let mut last = b':';
    loop {
        let byte = *bytes.get(at).ok_or(at)?;
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' if !open.is_empty() => {
                at += 1;
                continue;
            }
            b'"' => at = end_of_string(bytes, at)?,
            b'{' | b'[' => {
                let missing_key = open.last() == Some(&b'}') && last != b':';
                if open.len() == MAX_DEPTH || missing_key {
                    return Err(at);
                }
                // The mark that closes it stands two behind it in ASCII, in both cases.
                open.push(byte + 2);
                at += 1;
            }
            b'}' | b']' => {
                if open.pop() != Some(byte) {
                    return Err(at);
                }
                at += 1;
            }
            b',' | b':' if !open.is_empty() => at += 1,
            _ => {
                let rest = &bytes[at..];
                let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
                let length = rest.iter().take_while(|byte| is_word(byte)).count();
                let is_ended = rest.get(length).is_some_and(|byte| b" \t\n\r,:]}".contains(byte));
                at += length;
                if length == 0 || !is_ended {
                    return Err(at);
                }
            }
        }
        last = byte;
        if open.is_empty() {
            return Ok(at);
        }
    }
}

/// Where the string ends that begins at `at`. No string holds a control character.
///
/// # Errors
/// As [`end_of_value`].
pub(in crate::disk) fn end_of_string(bytes: &[u8], at: usize) -> Result<usize, usize> {
    let mut at = at + 1;
    loop {
        match *bytes.get(at).ok_or(bytes.len())? {
            b'"' => return Ok(at + 1),
            b'\\' => at += 2,
            byte if byte < b' ' => return Err(at),
            _ => at += 1,
        }
    }
}

/// Whether JSON has this byte nowhere.
pub(in crate::disk) fn is_control(byte: u8) -> bool {
    byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r')
}
