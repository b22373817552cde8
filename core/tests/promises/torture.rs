//! The duration and the seed of the long tests: `LOOPMEM_TORTURE_SECONDS` and `LOOPMEM_TORTURE_SEED`.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::{Duration, Instant};

use proptest::prelude::Rng as _;
use proptest::test_runner::{RngAlgorithm, TestRng};

/// Random numbers: the same seed gives the same ones everywhere.
#[derive(Debug)]
pub(crate) struct Rng(TestRng);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Rng(TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
    }

    /// Less than `limit`, which is not 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.0.next_u64() % limit as u64).unwrap()
    }

    pub(crate) fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }
}

/// Runs `round` with successive seeds for the configured time, at least once, and prints each seed before its round: to
/// reproduce a failure, start with that seed.
pub(crate) fn torture_as_configured(mut round: impl FnMut(u64)) {
    let setting =
        |name| std::env::var(name).ok().map(|it| it.parse::<u64>().unwrap_or_else(|_| panic!("{name} is no number")));
    let time = Duration::from_secs(setting("LOOPMEM_TORTURE_SECONDS").unwrap_or(1));
    let first = setting("LOOPMEM_TORTURE_SEED").unwrap_or_else(|| RandomState::new().build_hasher().finish());
    let begun = Instant::now();
    let mut seed = first;
    loop {
        println!("LOOPMEM_TORTURE_SEED={seed}");
        round(seed);
        seed = seed.wrapping_add(1);
        if begun.elapsed() >= time {
            break;
        }
    }
    println!("{} rounds held", seed.wrapping_sub(first));
}
