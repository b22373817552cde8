//! The pauses between two attempts to take a lock.

use std::time::Duration;

/// Short pauses of random length, so that two processes do not poll in lockstep.
pub(super) struct Jitter {
    state: u32,
    /// How often the kernel returned `ENOLCK` meanwhile.
    pub(super) refused: u32,
}

impl Jitter {
    pub(super) fn new() -> Self {
        Jitter { state: std::process::id() | 1, refused: 0 }
    }

    pub(super) fn next(&mut self) -> Duration {
        // Xorshift: any distribution will do.
        self.state ^= self.state << 13;
        self.state ^= self.state >> 17;
        self.state ^= self.state << 5;
        Duration::from_micros(u64::from(200 + self.state % 600))
    }
}
