//! Tells words from random characters.
//!
//! Entropy alone cannot: twelve random letters have less of it than a long identifier. So a text is split into pieces,
//! at `camelCase` boundaries and digits, and each piece is scored by how likely its letters follow each other in words.
//! Identifiers consist of words, random text of short pieces that are not words.

/// For every pair of letters, the surprisal in bits of the second after the first, in the words of programs and their
/// documentation (28,000 words). Uniformly random letters would have 4.7 bits everywhere.
const SURPRISAL: [&[u8; 26]; 26] = [
    b"74447659596343959343667769",
    b"35553678368367469446489959",
    b"36563673494467268453578979",
    b"45642568289567468446577879",
    b"46435568698453757334757579",
    b"45554379299466369445598969",
    b"47672754398564469346478877",
    b"27662788398657379464597969",
    b"56445559998442359544959795",
    b"36762678476868359837386989",
    b"46652667399575569635586968",
    b"37652779397377369755579949",
    b"25662789397657439746598989",
    b"47443538496676469733668979",
    b"66457668696442549344455789",
    b"37663675497477349354587959",
    b"46655678699456665557177999",
    b"37552769396656369544568959",
    b"58473764396667448642477958",
    b"38562684299567469345588759",
    b"54554569599443749333999799",
    b"37661687399667469656888889",
    b"27653684397564469446797799",
    b"45453476499657537653777569",
    b"56464668498543529634776977",
    b"37671677398667479767797765",
];

/// [`SURPRISAL`] as one table; the row of a letter starts at 32 times its place in the alphabet.
static SURPRISAL_OF_PAIR: [u8; 1024] = {
    let mut table = [9; 1024];
    let mut at = 0;
    while at < 26 * 26 {
        let (first, second) = (at / 26, at % 26);
        table[first * 32 + second] = SURPRISAL[first][second] - b'0';
        at += 1;
    }
    table
};

/// Numbers that occur in names like words: sizes of keys and hashes.
const SIZES: [&[u8]; 7] = [b"128", b"256", b"384", b"512", b"1024", b"2048", b"4096"];

/// Statistics of a text's characters.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CharStats {
    pub(crate) lowercase: usize,
    pub(crate) uppercase: usize,
    pub(crate) digits: usize,
    /// Bytes of other scripts.
    pub(crate) non_ascii: usize,
    /// `_`, `-`, `.`, `:` and `/`, which join words.
    pub(crate) joiners: usize,
    /// All other punctuation.
    pub(crate) symbols: usize,
    /// Letters in words, and digits of sizes.
    pub(crate) in_words: usize,
    /// The length of the longest word.
    longest: usize,
    /// Runs of letters or digits.
    pub(crate) pieces: usize,
    /// Whether all letters are `a` to `f`.
    is_hex: bool,
    surprisal: usize,
    pairs: usize,
}

impl CharStats {
    /// Examines all of `text`, which is short.
    pub(crate) fn of(text: &[u8]) -> Self {
        let mut stats = CharStats { is_hex: true, ..CharStats::default() };
        let mut at = 0;
        while let Some(&first) = text.get(at) {
            let rest = text.get(at..).unwrap_or_default();
            let length = match first {
                b'0'..=b'9' => {
                    let length = count(rest, u8::is_ascii_digit);
                    stats.digits += length;
                    stats.pieces += 1;
                    if SIZES.contains(&rest.get(..length).unwrap_or_default()) {
                        stats.in_words += length;
                    }
                    length
                }
                b'a'..=b'z' | b'A'..=b'Z' => {
                    let length = length_of_word(rest);
                    stats.add_word(rest.get(..length).unwrap_or_default());
                    length
                }
                b'_' | b'-' | b'.' | b':' | b'/' => {
                    stats.joiners += 1;
                    1
                }
                0x80.. => {
                    stats.non_ascii += 1;
                    1
                }
                _ => {
                    stats.symbols += 1;
                    1
                }
            };
            at += length;
        }
        stats
    }

    fn add_word(&mut self, word: &[u8]) {
        let place = |letter: u8| usize::from((letter | 0x20).wrapping_sub(b'a') & 31);
        let (mut uppercase, mut surprisal) = (0, 0);
        let mut row = None;
        for letter in word {
            uppercase += usize::from(letter.is_ascii_uppercase());
            self.is_hex &= letter.is_ascii_hexdigit();
            let place = place(*letter);
            surprisal += row.map_or(0, |row: usize| usize::from(SURPRISAL_OF_PAIR[(row * 32 + place) & 1023]));
            row = Some(place);
        }
        self.uppercase += uppercase;
        self.lowercase += word.len() - uppercase;
        self.pieces += 1;
        self.surprisal += surprisal;
        self.pairs += word.len() - 1;
        // A short piece says little, so it must be very likely; a long one may contain an odd pair.
        let is_word = match word.len() {
            0..=2 => false,
            3 => surprisal <= 7,
            4..=5 => 10 * surprisal <= 44 * (word.len() - 1),
            length => 10 * surprisal <= 47 * (length - 1),
        };
        if is_word {
            self.in_words += word.len();
            self.longest = self.longest.max(word.len());
        }
    }

    pub(crate) fn letters(&self) -> usize {
        self.lowercase + self.uppercase
    }

    /// Letters and digits.
    pub(crate) fn alphanumerics(&self) -> usize {
        self.letters() + self.digits
    }

    /// Whether the letters and digits look random, and are not words, numbers or names.
    pub(crate) fn is_random(&self) -> bool {
        let solid = self.alphanumerics();
        if solid < 8 || self.letters() == 0 {
            return false;
        }
        if self.digits == 0 {
            return self.are_letters_random();
        }
        // `Ed25519PrivateKey`
        if self.longest >= 6 && self.pieces <= 6 {
            return false;
        }
        // Names such as `x86_64` or `utf8mb4` have few pieces; random text alternates between letters and digits all
        // the time.
        let is_hex = self.is_hex && self.digits >= 2;
        let is_shuffled = self.pieces >= 4 || (solid >= 16 && self.digits < solid);
        // If many pieces are joined, as in `x86_64-unknown-linux-gnu`, fewer words make a name.
        let words_of_name = if 3 * self.joiners >= self.pieces { 30 } else { 52 };
        is_shuffled && (is_hex || 100 * self.in_words < words_of_name * solid)
    }

    fn are_letters_random(&self) -> bool {
        let letters = self.letters();
        if self.uppercase > 0 && self.lowercase > 0 && 10 * letters < 34 * self.pieces && 2 * self.in_words < letters {
            return letters >= 8;
        }
        // Words joined by hyphens may contain an odd pair each: `webhook-url`.
        let limit = match letters {
            _ if self.joiners > 0 => 560,
            16.. => 470,
            _ => 495,
        };
        let is_unlikely = 100 * self.surprisal > limit * self.pairs.max(1);
        letters >= 10 && is_unlikely && 2 * self.in_words < letters
    }
}

fn count(text: &[u8], class: fn(&u8) -> bool) -> usize {
    text.iter().take_while(|byte| class(byte)).count()
}

/// The length of the word at the start of `letters`: `Word`, `word` or `WORD`; in `JSONValue` it is `JSON`.
fn length_of_word(letters: &[u8]) -> usize {
    let uppercase = count(letters, u8::is_ascii_uppercase);
    let lowercase = count(letters.get(uppercase..).unwrap_or_default(), u8::is_ascii_lowercase);
    match (uppercase, lowercase) {
        (2.., 1..) => uppercase - 1,
        _ => uppercase + lowercase,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_random(text: &str) -> bool {
        CharStats::of(text.as_bytes()).is_random()
    }

    #[test]
    fn names_are_not_random() {
        for name in [
            "x86_64-unknown-linux-gnu",
            "getUserAuthenticationToken",
            "utf8mb4_unicode_ci",
            "sha256sum",
            "us-east-1b",
            "HTTPServerResponse2xx",
            "tls-cert-2",
            "application/vnd.api+json",
            "AES256GCMSHA384",
            "correct-horse-battery",
            "ecdsa-sha2-nistp256",
            "refresh_token_expires_in",
            "Basic2FactorSetup",
            "eu-central-1",
            "v1beta1",
        ] {
            assert!(!is_random(name), "{name} {:?}", CharStats::of(name.as_bytes()));
        }
    }

    #[test]
    fn random_strings_are_random() {
        // Generated once, and truncated so that none of them is anybody's secret.
        for random in
            ["q8Zt4kXw", "kQzRtYpLmNbX", "zq81-ppL0", "3f786850e387550f", "xkqjzvwpfhgt", "8d2f0b7c-91aa-4e55"]
        {
            assert!(is_random(random), "{random} {:?}", CharStats::of(random.as_bytes()));
        }
    }
}
