//! The repository of a branch, and the state beside the folder of a memory, with a repository of the contents.

pub(crate) mod address;
pub(crate) mod objects;
pub(crate) mod prepare;
pub(crate) mod remote;
pub(crate) mod snapshots;
pub(crate) mod state;
