//! Finding the end of a JSON value in bytes that may be damaged.

/// The maximum nesting depth of a value. It limits how often a byte is read when values are searched for at many offsets.
const MAX_DEPTH: usize = 128;

/// The end of the JSON value that begins at `at`. Whether it is valid JSON throughout is left to a parser. A number or a literal
/// at the end of the bytes is an error, since it may have been longer.
///
/// # Errors
/// The offset up to which it was plausible.
pub(in crate::disk) fn end_of_value(bytes: &[u8], at: usize) -> Result<usize, usize> {
    let mut open = Vec::new();
    let mut at = at;
    // The last byte outside of strings that is not white space.
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
                // In ASCII, the closing bracket is the opening one plus two, in both cases.
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

/// The end of the string that begins at `at`. Strings contain no control characters.
///
/// # Errors
/// The same as [`end_of_value`].
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

/// Whether this byte never occurs in JSON.
pub(in crate::disk) fn is_control(byte: u8) -> bool {
    byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r')
}
