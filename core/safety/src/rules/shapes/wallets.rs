//! Keys of wallets and of encrypted drives: known by their checksum, by the call they are an argument of, or by their
//! groups of digits.

use std::ops::Range;

use sha2::{Digest, Sha256};

use super::run::{Run, digit};

/// The digits of base58.
const BASE58: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/// The lengths of a private key in the import format of Bitcoin, which are longer if the public key is compressed.
const KEY_LENGTHS: [usize; 2] = [51, 52];
/// The length of an extended private key, which derives all the keys of a wallet.
const EXTENDED_LENGTH: usize = 111;
/// The most bytes that are decoded: those of an extended private key.
const MAX_DECODED: usize = 82;
/// The bytes of the checksum.
const CHECKSUM: usize = 4;
/// The first character of a private key of the main network, whole or compressed, and of the test network.
const FIRST: &[u8] = b"5KL9c";
/// Calls whose argument is a private key.
const CALLS: [&[u8]; 8] = [
    b"Wallet",
    b"from_key",
    b"privateKeyToAccount",
    b"privateKeyToAddress",
    b"privateKeyToPublic",
    b"computeAddress",
    b"SigningKey",
    b"fromPrivateKey",
];

/// A private key of Bitcoin in its import format, or an extended one.
pub(super) fn bitcoin_private_key(run: &Run<'_>) -> Option<Range<usize>> {
    let shortest = KEY_LENGTHS[0];
    if run.word.len() < shortest {
        return None;
    }
    let is_extended = |piece: &[u8]| piece.get(1..4) == Some(b"prv") && has_checksum(piece);
    let is_key = |piece: &[u8]| piece.first().is_some_and(|first| FIRST.contains(first)) && has_checksum(piece);
    KEY_LENGTHS
        .into_iter()
        .find_map(|length| run.piece(length, is_key))
        .or_else(|| run.piece(EXTENDED_LENGTH, is_extended))
}

/// Whether `text` in base58 ends in the checksum of what is before it. Hardly any other text does.
fn has_checksum(text: &[u8]) -> bool {
    let mut bytes = [0_u8; MAX_DECODED];
    let mut length = 0;
    for sign in text {
        let Some(value) = BASE58.iter().position(|digit| digit == sign) else { return false };
        let mut carry = value;
        for byte in bytes.iter_mut().rev().take(length) {
            carry += usize::from(*byte) * BASE58.len();
            *byte = u8::try_from(carry % 256).unwrap_or_default();
            carry /= 256;
        }
        while carry > 0 {
            length += 1;
            let Some(byte) = MAX_DECODED.checked_sub(length).and_then(|at| bytes.get_mut(at)) else { return false };
            *byte = u8::try_from(carry % 256).unwrap_or_default();
            carry /= 256;
        }
    }
    let decoded = bytes.get(MAX_DECODED - length..).unwrap_or_default();
    let Some((body, checksum)) = length.checked_sub(CHECKSUM).and_then(|at| decoded.split_at_checked(at)) else {
        return false;
    };
    Sha256::digest(Sha256::digest(body)).get(..CHECKSUM) == Some(checksum)
}

/// A recovery password of BitLocker: eight groups of six digits, each a number of 16 bits times eleven. That they are
/// multiples of eleven is not required, since a digit may have been mistyped.
pub(super) fn bitlocker_recovery_key(run: &Run<'_>) -> Option<Range<usize>> {
    const BEYOND: usize = 11 << 16;
    let word = run.word;
    if word.len() != 55 || word.get(6) != Some(&b'-') {
        return None;
    }
    let is_group = |group: &[u8]| {
        group.len() == 6
            && group.iter().all(|byte| digit(*byte))
            && group.iter().fold(0, |number, byte| 10 * number + usize::from(byte - b'0')) < BEYOND
    };
    let groups = || word.split(|byte| *byte == b'-');
    let first = groups().next();
    let is_varied = groups().filter(|group| Some(*group) != first).count() > 3;
    (is_varied && groups().all(is_group)).then(|| run.word_place())
}

/// A private key of Ethereum as the argument of a call that makes a wallet of it: `new Wallet("0x…")`.
pub(super) fn ethereum_private_key(run: &Run<'_>) -> Option<Range<usize>> {
    let digits = run.word.strip_prefix(b"0x").unwrap_or(run.word);
    if digits.len() != 64 || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let before = run.before();
    let before = before.strip_suffix(b"\"").or_else(|| before.strip_suffix(b"'")).unwrap_or(before);
    let before = before.strip_suffix(b"\\").unwrap_or(before).strip_suffix(b"(")?;
    let is_varied = digits.iter().any(|byte| Some(byte) != digits.first());
    (is_varied && CALLS.iter().any(|call| before.ends_with(call))).then(|| run.word_place())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// `body` and its checksum in base58.
    pub(crate) fn base58(body: &[u8]) -> String {
        let checksum = Sha256::digest(Sha256::digest(body));
        let mut digits: Vec<usize> = Vec::new();
        for byte in body.iter().chain(&checksum[..CHECKSUM]) {
            let mut carry = usize::from(*byte);
            for digit in &mut digits {
                carry += *digit << 8;
                *digit = carry % 58;
                carry /= 58;
            }
            while carry > 0 {
                digits.push(carry % 58);
                carry /= 58;
            }
        }
        digits.iter().rev().map(|digit| char::from(BASE58[*digit])).collect()
    }

    #[test]
    fn the_checksum_tells_a_key_from_other_text_in_base58() {
        let key = base58(&[&[0x80][..], &[7; 32], &[1]].concat());
        assert!(has_checksum(key.as_bytes()) && key.len() == 52);
        assert!(!has_checksum(key.replacen('w', "x", 1).replacen('K', "L", 1).as_bytes()));
        assert!(!has_checksum(b"") && !has_checksum(b"0OIl") && !has_checksum(&[b'z'; 200]));
    }
}
