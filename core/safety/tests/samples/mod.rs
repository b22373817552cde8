//! Values that look like secrets and are the same in every run.

/// Characters of `alphabet` from a small generator.
pub(crate) fn generated(length: usize, alphabet: &str) -> String {
    let mut state: u32 = 20;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        usize::try_from(state >> 16).unwrap()
    };
    let alphabet: Vec<char> = alphabet.chars().collect();
    (0..length).map(|_| alphabet[next() % alphabet.len()]).collect()
}
