//! Making inputs of inputs.

/// A small generator of random numbers (SplitMix64): the same seed gives the same inputs everywhere.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Rng(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
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

    pub(crate) fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }

    /// Once in `times`.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// A part of `length`, mostly a short one.
    fn part(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        let most = (length - start).min(1 << self.below(10));
        start..start + self.below(most + 1)
    }
}

/// The longest input that is made.
const MOST_BYTES: usize = 20 << 10;
/// What readers of text and numbers trip over.
const ODD: &[&[u8]] = &[
    b"\0",
    b"\n",
    b"\r\n",
    b"\t",
    b"\"",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"\\\"",
    b"\xff",
    b"\xc3",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b"\xf0\x9f\x98\x80",
    b"0",
    b"-1",
    b"1e400",
    b"1.5",
    b"4294967295",
    b"4294967296",
    b"18446744073709551616",
    b"null",
    b"true",
    b"[]",
    b"{}",
    b"\"\"",
    b",",
    b":",
    b"=",
    b"@",
    b"/",
    b"[",
    b"]",
    b"{",
    b"}",
    b"#",
    b"?",
    b"%00",
    b" ",
];

/// An input made of one of `pool`, by a few changes; `words` are those of the target.
pub(crate) fn mutated(rng: &mut Rng, pool: &[Vec<u8>], words: &[String]) -> Vec<u8> {
    // What was found last is the least explored.
    let from = if rng.once_in(3) { pool.len() * 3 / 4 } else { 0 };
    let mut input = rng.pick(&pool[from..]).clone();
    for _ in 0..1 << rng.below(4) {
        let part = rng.part(input.len());
        match rng.below(9) {
            0 if !input.is_empty() => {
                let place = rng.below(input.len());
                input[place] ^= 1 << rng.below(8);
            }
            1 => drop(input.drain(part)),
            2 => drop(input.splice(part, rng.pick(ODD).iter().copied())),
            3 | 4 => drop(input.splice(part, rng.pick(words).bytes())),
            5 => drop(input.splice(part.start..part.start, rng.pick(words).bytes())),
            6 => {
                let other = rng.pick(pool);
                let piece = rng.part(other.len());
                input.splice(part, other[piece].iter().copied());
            }
            7 => {
                let most = if rng.once_in(20) { 10 } else { 3 };
                let piece = input[part.clone()].repeat(1 << rng.below(most));
                input.splice(part, piece);
            }
            _ => lines(rng, &mut input),
        }
    }
    input.truncate(MOST_BYTES);
    input
}

/// Two lines changing places, or one twice.
fn lines(rng: &mut Rng, input: &mut Vec<u8>) {
    let mut lines: Vec<Vec<u8>> = input.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let (one, other) = (rng.below(lines.len()), rng.below(lines.len()));
    if rng.once_in(2) {
        lines.swap(one, other);
    } else {
        lines.insert(one, lines[other].clone());
    }
    *input = lines.join(&b'\n');
}

/// `input` without all that can go while `holds` stays true of it.
pub(crate) fn trimmed(mut input: Vec<u8>, mut holds: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut size = input.len().next_power_of_two() / 2;
    while size > 0 {
        let mut start = 0;
        while start < input.len() {
            let end = input.len().min(start + size);
            let shorter = [&input[..start], &input[end..]].concat();
            if holds(&shorter) {
                input = shorter;
            } else {
                start = end;
            }
        }
        size /= 2;
    }
    input
}

#[test]
fn only_what_matters_stays_of_an_input() {
    let input = b"some text around a needle, and around another needle".to_vec();
    let both = |it: &[u8]| String::from_utf8_lossy(it).matches("needle").count() == 2;
    assert_eq!(trimmed(input, both), b"needleneedle");
}
