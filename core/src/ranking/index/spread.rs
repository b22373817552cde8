//! How the numbers of all documents spread.

#![allow(clippy::cast_possible_truncation, reason = "the numbers are small")]

/// The numbers are added as multiples of this fraction, exactly: the sum of other fractions would depend on their order.
const UNIT: f32 = (1_u32 << 24) as f32;
/// The number of independent sums, which the compiler keeps in vector registers.
const LANES: usize = 8;

/// A part of the numbers.
#[derive(Debug, Clone, Copy)]
struct Lane {
    /// In units, a whole number.
    sum: f64,
    count: u32,
    most: f32,
}

impl Lane {
    #[inline(always)]
    fn add(&mut self, number: f32) {
        // NaN is cast to 0, and never the maximum.
        self.sum += f64::from((number * UNIT) as i32);
        self.count += u32::from(!number.is_nan());
        self.most = if number > self.most { number } else { self.most };
    }
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
        let mut lanes = [Lane { sum: 0.0, count: 0, most: f32::MIN }; LANES];
        for numbers in numbers {
            let (chunks, rest) = numbers.as_chunks::<LANES>();
            for chunk in chunks {
                lanes.iter_mut().zip(chunk).for_each(|(lane, number)| lane.add(*number));
            }
            lanes.iter_mut().zip(rest).for_each(|(lane, number)| lane.add(*number));
        }
        Spread {
            sum: lanes.iter().map(|lane| lane.sum).sum::<f64>() / f64::from(UNIT),
            count: lanes.iter().map(|lane| u64::from(lane.count)).sum(),
            most: lanes.iter().map(|lane| lane.most).fold(f32::MIN, f32::max),
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
}
