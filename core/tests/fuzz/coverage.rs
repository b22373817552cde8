//! What an input reached in the core: one counter an edge, kept by the compiler's own instrumentation.
//!
//! It works with a stable compiler: `tests/fuzz/instrument` asks LLVM for the counters when `scripts/torture` builds the
//! core. Built without it, everything is reached in the dark.

#![allow(unsafe_code, reason = "the counters are the compiler's, and it tells only where they lie")]

use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

static COUNTERS: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Called by instrumented code before `main`, with the place of its counters.
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_8bit_counters_init(start: *mut u8, stop: *mut u8) {
    COUNTERS.store(start, Ordering::Relaxed);
    COUNT.store((stop as usize).saturating_sub(start as usize), Ordering::Relaxed);
}

/// Takes the counters and sets them to zero; one that stands still for long is of no use.
fn take() -> Vec<u8> {
    let (start, count) = (COUNTERS.load(Ordering::Relaxed), COUNT.load(Ordering::Relaxed));
    let take = |place: usize| {
        // SAFETY: the compiler reported `count` counters at this address, valid for the life of the process; the thread that
        // counts has answered before they are read.
        unsafe {
            let counter = start.add(place);
            let value = counter.read_volatile();
            counter.write_volatile(0);
            value
        }
    };
    (0..count).map(take).collect()
}

/// What all inputs together reached: an edge's bits say how often, roughly, one input passed it.
#[derive(Default)]
pub(crate) struct Reached(Vec<u8>);

/// The edges that one input reached and no other had.
#[derive(Default)]
pub(crate) struct News {
    pub(crate) edges: Vec<usize>,
    /// None of them, but some known ones more or less often than ever before.
    pub(crate) counts: bool,
}

impl Reached {
    /// Forgets what was reached since the last time.
    pub(crate) fn clear() {
        take();
    }

    /// Adds what was reached since the last time, and tells what of it is new.
    pub(crate) fn add(&mut self) -> News {
        let counters = take();
        self.0.resize(counters.len(), 0);
        let mut news = News::default();
        for (place, count) in counters.iter().enumerate().filter(|(_, count)| **count > 0) {
            let bit = 1 << (u8::BITS - 1 - count.leading_zeros());
            if self.0[place] == 0 {
                news.edges.push(place);
            } else if self.0[place] & bit == 0 {
                news.counts = true;
            }
            self.0[place] |= bit;
        }
        news
    }

    /// Whether all of `edges` were reached since the last time.
    pub(crate) fn includes(edges: &[usize]) -> bool {
        let counters = take();
        edges.iter().all(|place| counters.get(*place).is_some_and(|count| *count > 0))
    }

    pub(crate) fn edges(&self) -> usize {
        self.0.iter().filter(|bits| **bits > 0).count()
    }
}
