//! The files of an agent, validated and kept on a git branch (spec 002).
//!
//! A configuration (`config`) names memories. Each has a folder in which an agent works, and a branch on which that
//! folder is kept between runs. A checkout brings the folder up to date with the branch, a push commits it: both merge
//! three versions of the folder (`trees`, `merge`), that of the last checkout, the folder itself (`working_copy`), and
//! the branch now. What the folder comes from is recorded beside it (`state`), with the contents of the commits
//! (`objects`). States of a branch are kept as tags (`snapshots`); an artifact passes the files on to another job
//! (`artifact`, `pack`). Contents and commits are read and written with libgit2; the network is the user's own git's
//! (`remote`).

mod address;
mod artifact;
mod campaign;
mod changes;
mod checkout;
mod config;
mod contents;
mod fault;
mod folder;
mod glob;
mod handle;
mod merge;
mod names;
mod objects;
mod origin;
mod pack;
mod prompt;
mod publish;
mod push;
mod quota;
mod remote;
mod repository;
mod room;
mod snapshots;
mod state;
mod sync;
mod tidy;
mod trees;
mod validate;
mod workflow;
mod working_copy;

pub use address::BranchSource;
pub use checkout::{BranchCheckout, BranchConflict};
pub use config::{BranchCleanUp, BranchMemories, BranchMemory};
pub use fault::{BranchFault, BranchRule};
pub use glob::matches;
pub use handle::Branches;
pub use pack::{BranchPacked, BranchUnpacked};
pub use publish::BranchPush;
pub use push::BranchPushOptions;
pub(crate) use room::BranchRoom;
pub use snapshots::{BranchRetention, BranchSnapshot};
pub use validate::{BranchFile, BranchValidation};
