//! What agents run, and what is written into their configuration.

pub(crate) mod hook;
