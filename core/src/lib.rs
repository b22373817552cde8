//! Durable, local-first memory for coding agents.
//!
//! loopmem keeps what an agent learned about a repository (conventions, decisions, notes, step summaries) in plain files
//! under one home, and packs them into a prompt. Every process on the machine, in any language, may share these files:
//! an acknowledged write survives a crash, no process loses another's update, and no secret reaches the disk.
//!
//! ```
//! use loopmem::Store;
//! use loopmem::memory::Convention;
//!
//! # let folder = tempfile::tempdir().map_err(|e| loopmem::Error::validation(e.to_string()))?;
//! let store = Store::builder().home(folder.path().join("home")).open()?;
//! let repo = store.repo(folder.path())?;
//! let draft = Convention::draft("Use pnpm workspaces", "All packages live under packages/ with NodeNext ESM.");
//! let stored = repo.memory().upsert(draft.tags(["tooling"]))?;
//! assert_eq!(stored.tags, ["tooling"]);
//! let pack = repo.context(8_000).build()?;
//! assert!(pack.text.starts_with("# Conventions\n\n## Use pnpm workspaces\n"));
//! # Ok::<(), loopmem::Error>(())
//! ```
//!
//! A [`Store`] hands out the rooms: [`repo`] tells which repository a folder is, [`memory`] and [`summary`] keep records
//! of it, [`context`] packs them, [`working`] keeps what a job is at, [`safety`] finds secrets, [`doctor`] tells what is
//! wrong with the files. How long a call may wait, and what cancels it, travels in the store: [`Store::with`]. Bindings to
//! other languages go through [`methods`] only. `docs/FORMAT.md` describes the files.

// What a module calls `pub` is its surface to the other modules; which of it is the API is decided here.
#![allow(unreachable_pub)]
// Only tests use some of it.
#![cfg_attr(not(feature = "testing"), allow(dead_code, unused_imports))]

pub mod context;
mod disk;
pub mod doctor;
mod error;
mod finding;
mod git;
mod guard;
mod home;
mod lazy;
pub mod logger;
pub mod memory;
pub mod methods;
mod ranking;
pub mod repo;
pub mod repos;
mod room;
mod rooms;
#[cfg(feature = "sqlite")]
mod sqlite;
pub mod store;
pub mod summary;
#[cfg(feature = "testing")]
pub mod testing;
mod warm;
mod warning;
pub mod working;

#[doc(hidden)]
pub use disk::PerProcess;
pub use disk::{Cancel, Raw, Stored};
pub use error::{Error, ErrorKind, Result};
pub use home::{BranchScope, CallOptions, Options, RepoHash};
pub use loopmem_safety as safety;
pub use store::Store;
