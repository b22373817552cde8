//! Decoding base64 that contains text: an encoded secret is still a secret.

use crate::text::bytes::slice;

/// The longest text that is decoded, in bytes.
const MAX_BYTES: usize = 64 << 10;
/// How many bytes are decoded and checked before the rest is decoded.
const PEEK_BYTES: usize = 16;

/// The text encoded in `coded`, in either alphabet, with or without padding; `None` if it is not base64 or not text.
pub(crate) fn decoded(coded: &[u8]) -> Option<Vec<u8>> {
    let unpadded = coded.iter().rposition(|byte| *byte != b'=').map_or(0, |last| last + 1);
    let coded = slice(coded, 0..unpadded);
    if coded.len() < 8
        || coded.len() > MAX_BYTES
        || coded.len() % 4 == 1
        || !is_text(&decode(slice(coded, 0..PEEK_BYTES.min(coded.len())))?)
    {
        return None;
    }
    decode(coded).filter(|bytes| is_text(bytes))
}

fn is_text(bytes: &[u8]) -> bool {
    let is_readable = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t' | 0x80..);
    // A character may be cut off at the end.
    bytes.iter().all(is_readable) && std::str::from_utf8(bytes).err().is_none_or(|fault| fault.error_len().is_none())
}

fn decode(coded: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(coded.len() * 3 / 4);
    for group in coded.chunks(4) {
        let mut bits = 0_u32;
        for byte in group {
            bits = bits << 6 | digit(*byte)?;
        }
        bits <<= 6 * (4 - group.len());
        let [_, all @ ..] = bits.to_be_bytes();
        bytes.extend_from_slice(slice(&all, 0..group.len() - 1));
    }
    Some(bytes)
}

fn digit(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(value.into())
}

/// Whether `text` may be base64-encoded text, judged by its beginning.
pub(crate) fn is_likely(text: &[u8]) -> bool {
    let mut bytes = [0; PEEK_BYTES / 4 * 3];
    let Some(start) = text.get(..PEEK_BYTES) else { return false };
    for (group, bytes) in start.chunks(4).zip(bytes.chunks_mut(3)) {
        let Some(bits) = group.iter().try_fold(0, |bits: u32, byte| Some(bits << 6 | digit(*byte)?)) else {
            return false;
        };
        let [_, all @ ..] = bits.to_be_bytes();
        bytes.copy_from_slice(&all);
    }
    is_text(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_base64_that_contains_text_is_decoded() {
        assert_eq!(decoded(b"dXNlcjpwYXNzd29yZA==").unwrap(), b"user:password");
        assert_eq!(decoded(b"dXNlcjpwYXNzd29yZA").unwrap(), b"user:password");
        for other in ["iVBORw0KGgoAAAANSUhEUgAA", "getUserByIdentifier", "dXNl", "dXNlcjpwYXNzd29yZA!!"] {
            assert_eq!(decoded(other.as_bytes()), None, "{other}");
        }
    }
}
