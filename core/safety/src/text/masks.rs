//! Finds the bytes of a class, 64 at a time. The class is tested without branches, so that the compiler can use vector
//! instructions, and the results are collected in a bit mask.

/// The number of bytes that a mask covers.
const WIDTH: usize = 64;

/// The positions of the bytes of `text` that are in `class`, which must not contain zero.
pub(crate) fn positions(text: &[u8], class: impl Fn(u8) -> bool) -> impl Iterator<Item = usize> {
    let mut masks = masks(text, class);
    let (mut base, mut mask) = (0, 0);
    std::iter::from_fn(move || {
        while mask == 0 {
            (base, mask) = masks.next()?;
        }
        let at = base + mask.trailing_zeros() as usize;
        mask &= mask - 1;
        Some(at)
    })
}

/// Calls `found` with the start of every run of at least 16 bytes that are in `class`, which must not contain zero.
/// `found` returns the end of the run, where the search continues.
pub(crate) fn long_runs(text: &[u8], class: impl Fn(u8) -> bool, mut found: impl FnMut(usize) -> usize) {
    let (mut before, mut done) = (0, 0);
    for (base, mask) in masks(text, class) {
        // The masks of two chunks, since a run may start in the first and end in the second.
        let pair = u128::from(mask) << WIDTH | u128::from(before);
        before = mask;
        // Leaves the first bit of every 16 consecutive ones.
        let starts = [1, 2, 4, 8].iter().fold(pair, |bits, step| bits & bits >> step);
        let mut rest = starts;
        while rest != 0 {
            let at = rest.trailing_zeros() as usize;
            // The first chunk starts at `base - WIDTH`; before the text, its mask is zero.
            if base + at >= done + WIDTH {
                done = found(base + at - WIDTH);
            }
            let past = (done + WIDTH).saturating_sub(base).max(at + 1);
            rest = if past < 2 * WIDTH { rest >> past << past } else { 0 };
        }
    }
}

/// The start of every chunk of `text`, and the mask of its bytes that are in `class`.
fn masks(text: &[u8], class: impl Fn(u8) -> bool) -> impl Iterator<Item = (usize, u64)> {
    let (chunks, rest) = text.as_chunks::<WIDTH>();
    let mut last = [0; WIDTH];
    last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    let last = (!rest.is_empty()).then_some(last);
    let count = chunks.len();
    (0..count + usize::from(last.is_some())).map(move |index| {
        let chunk = chunks.get(index).or(last.as_ref()).unwrap_or(&[0; WIDTH]);
        (index * WIDTH, mask(chunk, &class))
    })
}

fn mask(chunk: &[u8; WIDTH], class: impl Fn(u8) -> bool) -> u64 {
    /// Multiplying by this collects the lowest bits of eight bytes in the highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let flags = chunk.map(|byte| u8::from(class(byte)));
    let (eights, _) = flags.as_chunks::<8>();
    eights.iter().rev().fold(0, |mask, eight| mask << 8 | u64::from_le_bytes(*eight).wrapping_mul(GATHER) >> 56)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn is_letter(byte: u8) -> bool {
        byte.is_ascii_lowercase()
    }

    proptest! {
        #[test]
        fn every_byte_of_the_class_is_found(text in "([a-z]{0,40}[ =é]{0,70}){0,6}") {
            let expected: Vec<usize> = (0..text.len()).filter(|at| is_letter(text.as_bytes()[*at])).collect();
            prop_assert_eq!(positions(text.as_bytes(), is_letter).collect::<Vec<_>>(), expected);
        }

        #[test]
        fn every_run_of_sixteen_is_found_once(text in "([a-z]{0,15}|[a-z]{16}|[a-z]{17,150}|[ =é]{1,70}){0,12}") {
            let bytes = text.as_bytes();
            let end_of = |start: usize| (start..bytes.len()).find(|at| !is_letter(bytes[*at])).unwrap_or(bytes.len());
            let starts = (0..bytes.len()).filter(|at| is_letter(bytes[*at]) && (*at == 0 || !is_letter(bytes[*at - 1])));
            let expected: Vec<_> = starts.map(|start| start..end_of(start)).filter(|run| run.len() >= 16).collect();
            let mut found = Vec::new();
            long_runs(bytes, is_letter, |start| {
                found.push(start..end_of(start));
                end_of(start)
            });
            prop_assert_eq!(found, expected);
        }
    }
}
