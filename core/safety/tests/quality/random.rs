//! Random characters from a seed: the same seed gives the same records everywhere.

use std::ops::RangeInclusive;

/// A small random number generator (SplitMix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        it ^ (it >> 31)
    }

    /// Less than `limit`, which is not 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(limit).unwrap()).unwrap()
    }

    pub(crate) fn between(&mut self, range: RangeInclusive<usize>) -> usize {
        range.start() + self.below(range.end() - range.start() + 1)
    }

    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<'t, T: ?Sized>(&mut self, from: &[&'t T]) -> &'t T {
        from[self.below(from.len())]
    }

    pub(crate) fn choose<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }

    pub(crate) fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next().to_le_bytes()[0]).collect()
    }

    /// Text generated from a pattern: `[a-f0-9]` a character of a class, `{8}` or `{8,12}` a count, `(a|b)` a choice,
    /// `\` before a literal character.
    pub(crate) fn pattern(&mut self, pattern: &str) -> String {
        let characters: Vec<char> = pattern.chars().collect();
        let mut text = String::new();
        self.branch(&characters, &mut text);
        text
    }

    /// One of the branches separated by `|`.
    fn branch(&mut self, pattern: &[char], text: &mut String) {
        let mut branches = vec![0];
        let mut at = 0;
        while at < pattern.len() {
            if pattern[at] == '|' {
                branches.push(at + 1);
            }
            at += atom_length(&pattern[at..]);
        }
        let start = *self.choose(&branches);
        let end = branches.iter().find(|next| **next > start).map_or(pattern.len(), |next| next - 1);
        self.sequence(&pattern[start..end], text);
    }

    fn sequence(&mut self, pattern: &[char], text: &mut String) {
        let mut at = 0;
        while at < pattern.len() {
            let atom = &pattern[at..at + atom_length(&pattern[at..])];
            at += atom.len();
            let mut times = 1;
            if pattern.get(at) == Some(&'{') {
                let length = atom_length(&pattern[at..]);
                let count: String = pattern[at + 1..at + length - 1].iter().collect();
                let (least, most) = count.split_once(',').unwrap_or((&count, &count));
                times = self.between(least.parse().unwrap()..=most.parse().unwrap());
                at += length;
            }
            let class = if atom[0] == '[' { members(&atom[1..atom.len() - 1]) } else { Vec::new() };
            for _ in 0..times {
                match atom[0] {
                    '[' => text.push(*self.choose(&class)),
                    '(' => self.branch(&atom[1..atom.len() - 1], text),
                    '\\' => text.push(atom[1]),
                    literal => text.push(literal),
                }
            }
        }
    }
}

/// The length of the pattern's first atom, in characters.
fn atom_length(pattern: &[char]) -> usize {
    let closing = match pattern[0] {
        '\\' => return 2,
        '[' => ']',
        '{' => '}',
        '(' => {
            let mut at = 1;
            while pattern[at] != ')' {
                at += atom_length(&pattern[at..]);
            }
            return at + 1;
        }
        _ => return 1,
    };
    pattern.iter().position(|it| *it == closing).unwrap() + 1
}

/// The characters of a class; a `-` at its end is literal.
fn members(class: &[char]) -> Vec<char> {
    let mut members = Vec::new();
    let mut at = 0;
    while at < class.len() {
        if class.get(at + 1) == Some(&'-') && at + 2 < class.len() {
            members.extend(class[at]..=class[at + 2]);
            at += 3;
        } else {
            members.push(class[at]);
            at += 1;
        }
    }
    members
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(crate) fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte)) << (8 * (3 - group.len()));
        for digit in 0..4 {
            let sextet = BASE64[bits >> (18 - 6 * digit) & 63];
            text.push(if digit <= group.len() { char::from(sextet) } else { '=' });
        }
    }
    text
}

/// For URLs, without padding.
pub(crate) fn base64url(bytes: &[u8]) -> String {
    base64(bytes).replace('+', "-").replace('/', "_").replace('=', "")
}

#[test]
fn a_pattern_makes_what_it_describes() {
    let described = regex::Regex::new(r"^x_[a-f0-9]{4,6}(\.[A-Z-]|(-ab){2})z$").unwrap();
    let mut random = Random::new(1);
    for _ in 0..100 {
        let text = random.pattern(r"x_[a-f0-9]{4,6}(\.[A-Z-]|(-ab){2})z");
        assert!(described.is_match(&text), "{text}");
    }
    assert_eq!(base64(b"any carnal pleas"), "YW55IGNhcm5hbCBwbGVhcw==");
}
