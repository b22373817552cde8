//! The classes of bytes that secrets are made of. Bytes and no Unicode: a token stands as well between two Chinese
//! characters as between two blanks.

/// What tokens are made of: letters, digits, `_`, `-` and `.`.
pub(super) const fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}
