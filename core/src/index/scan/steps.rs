//! The steps of a scan, between which it may be ended.

use crate::error::Result;

/// The steps of a scan, which ends early when a check fails.
pub(super) struct Steps<'c> {
    check: &'c dyn Fn() -> Result<()>,
    count: usize,
}

impl<'c> Steps<'c> {
    pub(super) fn new(check: &'c dyn Fn() -> Result<()>) -> Self {
        Steps { check, count: 0 }
    }

    /// Takes a step, and returns whether the scan goes on.
    pub(super) fn go_on(&mut self) -> bool {
        /// How many steps a check is for. A step takes about a microsecond.
        const UNCHECKED: usize = 64;
        self.count += 1;
        !self.count.is_multiple_of(UNCHECKED) || (self.check)().is_ok()
    }
}
