//! The redactor, for a whole text or a stream, with the built-in rules and the user's own.

pub(crate) mod admission;
pub(crate) mod allowance;
pub(crate) mod pause;
pub(crate) mod redactor;
pub(crate) mod rule_file;
mod search;
pub(crate) mod stream;
