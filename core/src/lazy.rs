//! Values that are created when they are first needed.

use std::sync::OnceLock;

/// The value in `cell`, created if there is none. Two threads may both create it, and one of the two is kept. No thread
/// waits for another to finish creating it: in a child that is forked in the meantime, the other would not exist.
pub(crate) fn lazily<T>(cell: &OnceLock<T>, make: impl Fn() -> T) -> &T {
    let made = if cell.get().is_none() { Some(make()) } else { None };
    cell.get_or_init(|| made.unwrap_or_else(make))
}
