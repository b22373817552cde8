//! What agents run, and what is written into their configuration.

mod client;
mod config_toml;
pub(crate) mod connect;
mod diff;
pub(crate) mod hook;
pub(crate) mod instructions;
mod jsonc;
mod markdown;
