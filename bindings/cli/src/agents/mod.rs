//! What agents run, and what is written into their configuration.

mod client;
mod config_toml;
pub(crate) mod connect;
pub(crate) mod hook;
mod jsonc;
