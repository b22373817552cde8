//! The files of an agent, validated and kept on a git branch (spec 002).
//!
//! A configuration names memories. Each has a folder in which an agent works, and a branch on which that folder is kept between
//! runs.

mod config;
mod glob;
mod handle;
mod prompt;
mod room;

pub use config::{BranchMemories, BranchMemory};
pub use glob::matches;
pub use handle::Branches;
pub(crate) use room::BranchRoom;
