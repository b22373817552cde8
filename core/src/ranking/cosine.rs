//! Cosine similarity: how far two vectors point in the same direction, from -1 to 1.

use std::ops::Range;

/// The number of independent sums, which the compiler keeps in vector registers: additions to a single sum could not be
/// reordered.
const LANES: usize = 16;

/// Squared lengths for which sums of f32 are accurate: no product overflowed, and products that underflowed are
/// negligible.
const ORDINARY: Range<f32> = 1e-20..1e30;

/// The cosine of the angle between `a` and `b`, accurate to at least six digits. None if their dimensions differ, or if
/// one of them is all zeros or contains a number that is not finite.
pub fn cosine(a: &[f32], b: &[f32]) -> Option<f64> {
    if a.len() != b.len() {
        return None;
    }
    let (aa, bb) = (dot(a, a), dot(b, b));
    let (product, lengths) = if ORDINARY.contains(&aa) && ORDINARY.contains(&bb) {
        (f64::from(dot(a, b)), (f64::from(aa) * f64::from(bb)).sqrt())
    } else {
        (wide_dot(a, b), (wide_dot(a, a) * wide_dot(b, b)).sqrt())
    };
    let cosine = product / lengths;
    // Rounding may lead slightly beyond 1.
    cosine.is_finite().then(|| cosine.clamp(-1.0, 1.0))
}

/// The dot product of slices of the same length, limited by memory bandwidth.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (a_chunks, a_rest) = a.as_chunks::<LANES>();
    let (b_chunks, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in a_chunks.iter().zip(b_chunks) {
        add_products(&mut sums, a, b);
    }
    add_products(&mut sums, a_rest, b_rest);
    sums.iter().sum()
}

/// The dot product with a vector of the same length, in little-endian bytes.
pub(super) fn dot_of_bytes(a: &[f32], b: &[u8]) -> f32 {
    let (a_chunks, a_rest) = a.as_chunks::<LANES>();
    let (b_chunks, b_rest) = b.as_chunks::<4>().0.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in a_chunks.iter().zip(b_chunks) {
        add_products(&mut sums, a, &b.map(f32::from_le_bytes));
    }
    for (sum, (a, b)) in sums.iter_mut().zip(a_rest.iter().zip(b_rest)) {
        *sum += a * f32::from_le_bytes(*b);
    }
    sums.iter().sum()
}

/// The length of a vector. None if it is all zeros or contains a number that is not finite.
pub(super) fn norm(vector: &[f32]) -> Option<f64> {
    Some(wide_dot(vector, vector).sqrt()).filter(|norm| norm.is_finite() && *norm > 0.0)
}

/// Adds the products to the lanes.
#[inline(always)]
fn add_products(sums: &mut [f32; LANES], a: &[f32], b: &[f32]) {
    for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
        *sum += a * b;
    }
}

/// Like `dot`, for any values: squares of f32 neither overflow nor underflow in f64.
fn wide_dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_same_direction_is_1_the_opposite_minus_1_and_a_right_angle_0() {
        let up: Vec<f32> = (0..20).map(|n| n as f32 - 3.5).collect();
        let longer: Vec<f32> = up.iter().map(|x| x * 4.0).collect();
        let down: Vec<f32> = up.iter().map(|x| -x).collect();
        assert_eq!(cosine(&up, &longer), Some(1.0));
        assert_eq!(cosine(&up, &down), Some(-1.0));
        assert_eq!(cosine(&[1.0, 1.0, 0.0], &[1.0, -1.0, 5.0]), Some(0.0));
    }

    #[test]
    fn another_dimension_or_no_direction_has_no_cosine() {
        assert_eq!(cosine(&[1.0; 9], &[1.0; 8]), None);
        assert_eq!(cosine(&[0.0; 9], &[1.0; 9]), None);
        assert_eq!(cosine(&[1.0; 9], &[-0.0; 9]), None);
        assert_eq!(cosine(&[], &[]), None);
    }

    #[test]
    fn what_is_no_number_goes_in_and_none_comes_out() {
        for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for at in [0, 11] {
                let mut vector = [1.0; 12];
                vector[at] = odd;
                assert_eq!(cosine(&vector, &[1.0; 12]), None);
                assert_eq!(cosine(&vector, &vector), None);
            }
        }
    }

    #[test]
    fn the_longest_and_the_shortest_vectors_keep_their_direction() {
        for size in [f32::MAX, f32::MIN_POSITIVE, f32::from_bits(1)] {
            assert_eq!(cosine(&[size; 100], &[1.0; 100]), Some(1.0));
            assert_eq!(cosine(&[size; 100], &[-size; 100]), Some(-1.0));
        }
    }

    proptest! {
        #[test]
        fn it_is_what_a_naive_implementation_gives_whatever_the_dimension(
            pairs in prop::collection::vec((-9.0..9.0_f32, -9.0..9.0_f32), 1..70),
        ) {
            let (a, b): (Vec<f32>, Vec<f32>) = pairs.iter().copied().unzip();
            let sum = |of: fn(&(f32, f32)) -> (f32, f32)| -> f64 {
                pairs.iter().map(of).map(|(x, y)| f64::from(x) * f64::from(y)).sum()
            };
            let expected = sum(|it| *it) / sum(|it| (it.0, it.0)).sqrt() / sum(|it| (it.1, it.1)).sqrt();
            let cosine = cosine(&a, &b);
            prop_assert!(cosine.is_some_and(|it| (it - expected).abs() < 1e-6), "{:?} {}", cosine, expected);
        }

        #[test]
        fn any_bits_give_a_cosine_between_minus_1_and_1_or_none(
            pairs in prop::collection::vec((any::<u32>(), any::<u32>()), 0..40),
        ) {
            let (a, b): (Vec<f32>, Vec<f32>) =
                pairs.iter().map(|(a, b)| (f32::from_bits(*a), f32::from_bits(*b))).unzip();
            prop_assert!(cosine(&a, &b).is_none_or(|it| (-1.0..=1.0).contains(&it)));
        }
    }
}
