//! Finds the bytes of a class, 64 at a time. The class is tested without branches, so that the compiler can use vector
//! instructions, and the results are collected in a bit mask.

use std::convert::Infallible;
use std::ops::ControlFlow;

/// The number of bytes that a mask covers.
const WIDTH: usize = 64;
const WIDTH_BITS: u32 = u64::BITS;
/// The length of the shortest long run.
const SHORTEST_RUN: usize = 16;

/// Calls `found` with the position of every byte of `text` that is in `class`, which must not contain zero, until it
/// breaks.
#[inline(always)]
pub(crate) fn each_position<B>(
    text: &[u8],
    class: impl Fn(u8) -> bool,
    mut found: impl FnMut(usize) -> ControlFlow<B>,
) -> ControlFlow<B> {
    each_mask(text, class, |base, mut mask| {
        while mask != 0 {
            found(base + mask.trailing_zeros() as usize)?;
            mask &= mask - 1;
        }
        ControlFlow::Continue(())
    })
}

/// Calls `found` with the start of every run of at least 16 bytes that are in `class`, which must not contain zero.
/// `found` returns the end of the run, where the search continues.
pub(crate) fn long_runs(text: &[u8], class: impl Fn(u8) -> bool, mut found: impl FnMut(usize) -> usize) {
    let mut done = 0;
    // Of the last chunk, the bits that end 1, 2, 4 and 8 consecutive ones: a run may start in it.
    let mut before = [0; 4];
    let ControlFlow::Continue(()) = each_mask(text, class, |base, mask| -> ControlFlow<Infallible> {
        let mut ends = mask;
        for (last, shift) in before.iter_mut().zip([1, 2, 4, 8]) {
            let shifted = ends << shift | *last >> (WIDTH_BITS - shift);
            *last = ends;
            ends &= shifted;
        }
        // Each remaining bit ends 16 consecutive ones; the first of a run shows where it starts.
        while ends != 0 {
            let end = base + ends.trailing_zeros() as usize;
            if end >= done {
                done = found(end + 1 - SHORTEST_RUN);
            }
            let past = done.max(end + 1) - base;
            ends = if past < WIDTH { ends >> past << past } else { 0 };
        }
        ControlFlow::Continue(())
    });
}

/// Calls `found` with the start of every chunk of `text`, and the mask of its bytes that are in `class`, until it
/// breaks.
#[inline(always)]
fn each_mask<B>(
    text: &[u8],
    class: impl Fn(u8) -> bool,
    mut found: impl FnMut(usize, u64) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let (chunks, rest) = text.as_chunks::<WIDTH>();
    let last = (!rest.is_empty()).then(|| padded(rest));
    let mut base = 0;
    for chunk in chunks.iter().chain(&last) {
        found(base, mask(chunk, &class))?;
        base += WIDTH;
    }
    ControlFlow::Continue(())
}

/// Which of the first 64 bytes of `text` are in `class`, which must not contain zero: a bit for each, the lowest for the
/// first byte.
#[inline(always)]
pub fn byte_mask(text: &[u8], class: impl Fn(u8) -> bool) -> u64 {
    match text.first_chunk() {
        Some(chunk) => mask(chunk, class),
        None => mask(&padded(text), class),
    }
}

/// `text`, followed by zeros.
#[inline]
fn padded(text: &[u8]) -> [u8; WIDTH] {
    let mut chunk = [0; WIDTH];
    chunk.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
    chunk
}

#[inline(always)]
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
            let mut found = Vec::new();
            let ControlFlow::Continue(()) = each_position(text.as_bytes(), is_letter, |at| -> ControlFlow<Infallible> {
                found.push(at);
                ControlFlow::Continue(())
            });
            prop_assert_eq!(found, expected);
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
