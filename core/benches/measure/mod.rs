//! Times of many rounds, and the table that they are told in.

#![allow(dead_code, reason = "each bench needs its part")]

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Calls too short for the clock are timed so many at once.
const BATCH: u32 = 100;

/// One measurement a round.
#[derive(Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn cpu<T>(&mut self, call: impl FnOnce() -> T) {
        let before = thread_cpu();
        black_box(call());
        self.0.push(thread_cpu().saturating_sub(before));
    }

    pub(crate) fn wall<T>(&mut self, call: impl FnOnce() -> T) {
        let before = Instant::now();
        black_box(call());
        self.0.push(before.elapsed());
    }

    pub(crate) fn batch<T>(&mut self, call: impl Fn() -> T) {
        let before = Instant::now();
        for _ in 0..BATCH {
            black_box(call());
        }
        self.0.push(before.elapsed() / BATCH);
    }

    /// One that was measured elsewhere.
    pub(crate) fn add(&mut self, time: Duration) {
        self.0.push(time);
    }

    pub(crate) fn median(mut self) -> Duration {
        self.percentile(50)
    }

    pub(crate) fn least(mut self) -> Duration {
        self.percentile(0)
    }

    /// What so many of a hundred do not exceed.
    pub(crate) fn percentile(&mut self, percent: usize) -> Duration {
        self.0.sort_unstable();
        self.0[(self.0.len() * percent / 100).min(self.0.len() - 1)]
    }
}

/// The CPU time of this thread, in the kernel and out of it.
#[allow(unsafe_code, reason = "std has no clock of CPU time")]
fn thread_cpu() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec of ours, and the clock is one that every Unix here has.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) }, 0);
    Duration::new(u64::try_from(time.tv_sec).unwrap(), u32::try_from(time.tv_nsec).unwrap())
}

/// The CPU time of the processes that this one has waited for.
pub(crate) fn children_cpu() -> Duration {
    usage_of(libc::RUSAGE_CHILDREN)
}

/// The CPU time of this process, on all of its threads.
pub(crate) fn process_cpu() -> Duration {
    usage_of(libc::RUSAGE_SELF)
}

#[allow(unsafe_code, reason = "std has no clock of CPU time")]
fn usage_of(who: libc::c_int) -> Duration {
    // SAFETY: every bit pattern is a rusage.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a rusage of ours.
    assert_eq!(unsafe { libc::getrusage(who, &raw mut usage) }, 0);
    let time = |it: libc::timeval| {
        Duration::new(u64::try_from(it.tv_sec).unwrap(), u32::try_from(it.tv_usec).unwrap() * 1_000)
    };
    time(usage.ru_utime) + time(usage.ru_stime)
}

pub(crate) fn ms(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

pub(crate) fn us(time: Duration) -> String {
    format!("{:.1} µs", time.as_secs_f64() * 1e6)
}

pub(crate) fn ratio(ours: Duration, floor: Duration) -> String {
    format!("{:.2}×", ours.as_secs_f64() / floor.as_secs_f64())
}

pub(crate) fn verdict(is_met: bool) -> &'static str {
    if is_met { "ok" } else { "MISSED" }
}

/// The columns are those of the other languages' benches: `scripts/bench` prints them as one table.
pub(crate) fn row(what: &str, measured: &str, target: &str, verdict: &str) {
    println!("{what:<32} | {measured:<56} | {target:<20} | {verdict}");
}
