//! Values that are built on first use.

use once_cell::race::OnceBox;

/// Returns the value in `cell`, building it first if the cell is empty. If two threads build it at once, one of the
/// results is discarded; neither ever waits for the other, since after a fork the other thread may not exist.
pub(crate) fn lazily<T>(cell: &OnceBox<T>, build: impl FnOnce() -> T) -> &T {
    cell.get_or_init(|| Box::new(build()))
}
