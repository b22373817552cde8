//! The English words of BIP-39, from which the seed phrases of wallets are made, and the checksum of a phrase.

use sha2::{Digest, Sha256};

/// The words in alphabetical order, one a line, as the standard lists them.
const LIST: &[u8] = include_bytes!("seed_words.txt");
/// How many words the list has.
const COUNT: usize = 2048;
/// The shortest and the longest word, in bytes.
pub(crate) const MIN_WORD: usize = 3;
pub(crate) const MAX_WORD: usize = 8;
/// How many words a phrase may have, from the most to the fewest.
pub(crate) const LENGTHS: [usize; 5] = [24, 21, 18, 15, 12];
/// The bits of a word's place in the list.
const BITS: usize = 11;
/// How many hashes [`MAYBE`] has.
const HASHES: usize = 1 << 16;

/// The words as numbers, with the first letter in the highest byte, so that their order is that of the list.
static WORDS: [u64; COUNT] = {
    let mut words = [0; COUNT];
    let (mut at, mut word) = (0, 0);
    while at < LIST.len() {
        if LIST[at] == b'\n' {
            word += 1;
        } else {
            words[word] = words[word] << 8 | LIST[at] as u64;
        }
        at += 1;
    }
    word = 0;
    while word < COUNT {
        words[word] <<= words[word].leading_zeros() & !7;
        word += 1;
    }
    words
};

/// The hashes of the words: most other words have none of them.
static MAYBE: [u64; HASHES / 64] = {
    let mut bits = [0; HASHES / 64];
    let mut word = 0;
    while word < COUNT {
        let hash = hash(WORDS[word].swap_bytes());
        bits[hash / 64] |= 1 << (hash % 64);
        word += 1;
    }
    bits
};

/// `word` has its first letter in the lowest byte.
#[allow(clippy::cast_possible_truncation, reason = "the hash has sixteen bits")]
const fn hash(word: u64) -> usize {
    (word.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48) as usize
}

/// Whether the list may have the word in lower case whose first letter is in the lowest byte. This takes a few
/// instructions.
#[inline]
pub(crate) fn may_be_one(word: u64) -> bool {
    let hash = hash(word);
    MAYBE[hash / 64 % MAYBE.len()] & 1 << (hash % 64) != 0
}

/// The place in the list of `word`, in any case.
pub(crate) fn place(word: &[u8]) -> Option<u16> {
    if !(MIN_WORD..=MAX_WORD).contains(&word.len()) || !word.iter().all(u8::is_ascii_alphabetic) {
        return None;
    }
    let mut letters = [0; MAX_WORD];
    letters.iter_mut().zip(word).for_each(|(to, letter)| *to = letter.to_ascii_lowercase());
    let word = u64::from_be_bytes(letters);
    if !may_be_one(word.swap_bytes()) {
        return None;
    }
    WORDS.binary_search(&word).ok().and_then(|place| u16::try_from(place).ok())
}

/// Whether the words at these `places` of the list are a phrase: as many as one has, the last of them with the checksum
/// of the others.
pub(crate) fn is_phrase(places: impl ExactSizeIterator<Item = u16>) -> bool {
    const MAX_BYTES: usize = LENGTHS[0] * BITS / 8;
    let count = places.len();
    if !LENGTHS.contains(&count) {
        return false;
    }
    let mut bytes = [0_u8; MAX_BYTES];
    let bits = places.flat_map(|place| (0..BITS).rev().map(move |bit| u8::from(place >> bit & 1 != 0)));
    for (at, bit) in bits.enumerate() {
        bytes.iter_mut().skip(at / 8).take(1).for_each(|byte| *byte |= bit << (7 - at % 8));
    }
    // Of 33 bits, one belongs to the checksum; it has at most eight.
    let (entropy, checksum) = bytes.split_at(count * BITS / 33 * 4);
    let expected = Sha256::digest(entropy).first().copied().unwrap_or_default();
    let unused = 8 - count * BITS / 33;
    checksum.first().is_some_and(|checksum| (checksum ^ expected) >> unused == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list() -> Vec<&'static str> {
        std::str::from_utf8(LIST).unwrap().lines().collect()
    }

    #[test]
    fn the_list_is_that_of_the_standard() {
        let digest: String = Sha256::digest(LIST).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest, "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda");
        assert!(list().len() == COUNT && WORDS.is_sorted());
    }

    #[test]
    fn every_word_is_found_at_its_place() {
        for (at, word) in list().into_iter().enumerate() {
            assert_eq!(place(word.as_bytes()).map(usize::from), Some(at), "{word}");
            assert_eq!(place(word.to_ascii_uppercase().as_bytes()).map(usize::from), Some(at), "{word}");
        }
        for word in ["the", "and", "zoology", "ab", "abandoned", "", "dé"] {
            assert_eq!(place(word.as_bytes()), None, "{word}");
        }
    }

    #[test]
    fn a_phrase_has_the_checksum_of_its_words() {
        // Entropy of zeros, as in the test vectors of the standard: the last word depends on the length.
        for (length, last) in [(12, "about"), (15, "address"), (18, "agent"), (21, "admit"), (24, "art")] {
            let phrase = |last: &str| {
                let last = place(last.as_bytes()).unwrap();
                is_phrase((0..length).map(|at| if at + 1 < length { 0 } else { last }))
            };
            assert!(phrase(last), "{length}");
            assert!(!phrase("zoo") && !phrase("abandon"), "{length}");
        }
        assert!(!is_phrase([0; 13].into_iter()) && !is_phrase([0; 0].into_iter()));
    }
}
