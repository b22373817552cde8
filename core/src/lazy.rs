//! Values that are made when they are first needed.

use std::sync::OnceLock;

/// The value in `cell`, made now if there is none. Two threads may both make it, and one of the two is kept: nobody waits
/// for another who is making it, since in a child that is forked meanwhile that other one is not there.
pub(crate) fn lazily<T>(cell: &OnceLock<T>, make: impl Fn() -> T) -> &T {
    let made = if cell.get().is_none() { Some(make()) } else { None };
    cell.get_or_init(|| made.unwrap_or_else(make))
}
