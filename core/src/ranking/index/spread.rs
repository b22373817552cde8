//! How the numbers of all documents spread.

#![allow(clippy::cast_possible_truncation, reason = "the numbers are small")]

use multiversion::multiversion;

/// Added to a number and subtracted again, it rounds the number to a multiple of 2⁻²⁴. The sum of such multiples is exact:
/// that of other fractions would depend on their order.
const ROUNDING: f64 = 1.5 * (1_u64 << 28) as f64;
/// The number of independent sums, which the compiler keeps in vector registers.
const LANES: usize = 8;

/// The parts of the result, by the place of the numbers.
struct Lanes {
    sums: [f64; LANES],
    counts: [u32; LANES],
    most: [f32; LANES],
}

impl Lanes {
    #[inline(always)]
    fn add(&mut self, numbers: &[f32]) {
        for (sum, number) in self.sums.iter_mut().zip(numbers) {
            let rounded = (f64::from(*number) + ROUNDING) - ROUNDING;
            *sum += if number.is_nan() { 0.0 } else { rounded };
        }
        for (count, number) in self.counts.iter_mut().zip(numbers) {
            *count += u32::from(!number.is_nan());
        }
        for (most, number) in self.most.iter_mut().zip(numbers) {
            // NaN is never the maximum.
            *most = if *number > *most { *number } else { *most };
        }
    }
}

/// Compiled for wide vector registers, too: the result is the same.
#[multiversion(targets("x86_64+avx2"))]
fn add_all(lanes: &mut Lanes, numbers: &[f32]) {
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    for chunk in chunks {
        lanes.add(chunk);
    }
    lanes.add(rest);
}

/// The sum, the count and the maximum of numbers, whatever their order.
pub(super) struct Spread {
    sum: f64,
    /// How many there are.
    pub(super) count: u64,
    /// The highest of them; `f32::MIN` if there are none.
    pub(super) most: f32,
}

impl Spread {
    /// Of `numbers` that are not NaN.
    pub(super) fn of(numbers: &[Vec<f32>]) -> Self {
        let mut lanes = Lanes { sums: [0.0; LANES], counts: [0; LANES], most: [f32::MIN; LANES] };
        for numbers in numbers {
            add_all(&mut lanes, numbers);
        }
        Spread {
            sum: lanes.sums.iter().sum(),
            count: lanes.counts.iter().map(|count| u64::from(*count)).sum(),
            most: lanes.most.iter().copied().fold(f32::MIN, f32::max),
        }
    }

    /// The mean of `count` numbers, of which those that are missing are 0.
    pub(super) fn mean_of(&self, count: u64) -> f32 {
        (self.sum / count.max(1) as f64) as f32
    }

    /// The mean.
    pub(super) fn mean(&self) -> f32 {
        self.mean_of(self.count)
    }

    /// The mean of all but the highest; 0 if there is no other.
    pub(super) fn mean_of_others(&self) -> f32 {
        if self.count < 2 { 0.0 } else { ((self.sum - f64::from(self.most)) / (self.count - 1) as f64) as f32 }
    }
}
