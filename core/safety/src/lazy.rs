//! Tables that are built on first use.

use once_cell::race::OnceBox;

/// Returns the value in `cell`, building it first if the cell is empty. If two threads build it at once, one of the
/// results is discarded; neither ever waits for the other, since after a fork the other thread may not exist.
#[inline(always)]
pub(crate) fn lazily<T>(cell: &OnceBox<T>, build: impl Fn() -> T) -> &T {
    match cell.get() {
        Some(built) => built,
        None => built_now(cell, build),
    }
}

#[cold]
#[inline(never)]
fn built_now<T>(cell: &OnceBox<T>, build: impl Fn() -> T) -> &T {
    cell.get_or_init(|| Box::new(build()))
}
