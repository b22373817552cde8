//! Values that are built on first use.

use std::sync::OnceLock;

/// Returns the value in `cell`, building it first if the cell is empty. If two threads build it at once, one of the
/// results is discarded; neither waits for the other, since after a fork the other thread may not exist.
pub(crate) fn lazily<T>(cell: &OnceLock<T>, build: impl Fn() -> T) -> &T {
    match cell.get() {
        Some(built) => built,
        None => {
            let built = build();
            cell.get_or_init(|| built)
        }
    }
}
