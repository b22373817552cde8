//! The pauses between two attempts at something that another process or host prevents for now.

use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use super::queue::Deadline;
use crate::error::Result;

/// Pauses of random length, so that two processes do not try in lockstep.
#[derive(Debug)]
pub(crate) struct Backoff {
    shortest: Duration,
    /// The longest next pause, and the longest of all.
    longest: Duration,
    limit: Duration,
}

impl Backoff {
    /// Pauses that are `shortest` to `longest` long.
    pub(in crate::disk) fn between(shortest: Duration, longest: Duration) -> Self {
        Backoff { shortest, longest, limit: longest }
    }

    /// Pauses of which the first is at most `first` long. This maximum doubles with each pause, up to `limit`.
    pub(crate) fn doubling(first: Duration, limit: Duration) -> Self {
        Backoff { shortest: Duration::ZERO, longest: first, limit }
    }

    /// The length of the next pause.
    pub(in crate::disk) fn next(&mut self) -> Duration {
        // The keys of a hasher are random. A forked process has the same ones, but another id.
        let random = RandomState::new().hash_one(std::process::id()) >> 32;
        let random = u32::try_from(random).unwrap_or_default();
        let pause = self.shortest + (self.longest - self.shortest).mul_f64(f64::from(random) / 2_f64.powi(32));
        self.longest = self.longest.saturating_mul(2).min(self.limit);
        pause
    }

    /// Waits before the next attempt; returns whether the deadline has passed.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(crate) fn pause(&mut self, deadline: &Deadline<'_>) -> Result<bool> {
        deadline.pause(self.next())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_differ_and_keep_their_limits() {
        let (shortest, longest) = (Duration::from_micros(200), Duration::from_micros(800));
        let mut backoff = Backoff::between(shortest, longest);
        let pauses: Vec<Duration> = (0..100).map(|_| backoff.next()).collect();
        assert!(pauses.iter().all(|pause| (shortest..longest).contains(pause)));
        assert!(pauses.iter().any(|pause| *pause != pauses[0]));
        let mut backoff = Backoff::doubling(Duration::from_millis(1), Duration::from_millis(128));
        for most in [1, 2, 4, 8, 16, 32, 64, 128, 128] {
            assert!(backoff.next() < Duration::from_millis(most));
        }
    }
}
