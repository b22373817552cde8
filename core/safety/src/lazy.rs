//! Tables that are built when they are first needed.

use std::sync::OnceLock;

/// What `cell` holds, built now if it holds nothing. Of two threads that both build it one is in vain, and neither waits:
/// the other one might not exist, in a child that was forked meanwhile.
pub(crate) fn lazily<T>(cell: &OnceLock<T>, build: impl Fn() -> T) -> &T {
    match cell.get() {
        Some(built) => built,
        None => {
            let built = build();
            cell.get_or_init(|| built)
        }
    }
}
