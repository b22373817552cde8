//! How the numbers of all documents spread.

#![allow(clippy::cast_possible_truncation, reason = "the numbers are small")]

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
        // As whole numbers: the sum of fractions would depend on the order.
        const UNIT: f32 = (1_u32 << 24) as f32;
        let (mut sum, mut count, mut most) = (0_i64, 0_u64, f32::MIN);
        for number in numbers.iter().flatten().copied() {
            // NaN is cast to 0, and never the maximum.
            sum += i64::from((number * UNIT) as i32);
            count += u64::from(!number.is_nan());
            most = most.max(number);
        }
        Spread { sum: sum as f64 / f64::from(UNIT), count, most }
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
