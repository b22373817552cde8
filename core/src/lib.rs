//! Durable, local-first memory for coding agents.
//!
//! loopmem keeps what an agent learned about a repository (conventions, decisions, notes, step summaries) in plain
//! files in one home folder, and packs them into a prompt. Processes on the machine can share these files, whatever
//! language they are written in: an acknowledged write survives a crash, no update is lost, and no secret reaches the
//! disk.
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
//! assert!(pack.text.starts_with("# Conventions\n\n## Use pnpm workspaces ["));
//! # Ok::<(), loopmem::Error>(())
//! ```
//!
//! A [`Store`] gives access to the modules: [`repo`] identifies the repository of a folder, [`memory`] and [`summary`]
//! store records for it, [`context`] packs them, [`items`] are memories that return when a prompt needs them, [`index`]
//! maps the repository's files, `rollouts` makes one memory of past sessions, `branch` keeps the files of an agent on a
//! git branch, `archive` packs all of it into one file, [`working`] stores the state of jobs, [`redaction`] and [`safety`] redact secrets, and [`doctor`] checks
//! and repairs the files. [`Store::with`] sets how long calls may wait and what cancels them. Bindings to other languages
//! use [`methods`] only. `docs/FORMAT.md` in the repository describes the files.
//!
//! # Errors
//!
//! Every call returns an [`Error`], whose [`ErrorKind`] tells the caller what to do next. It names the operation and the
//! file or id, never quotes a secret, and says whether a retry can help ([`Error::retryable`]) and whether a write may have
//! been stored all the same ([`Error::may_be_stored`]). The `# Errors` sections name kinds by their code, which is the same
//! in every language:
//!
//! | code | kind |
//! |---|---|
//! | `ValidationError` | [`ErrorKind::Validation`] |
//! | `ParseError`, `FormatTooNew` | [`ErrorKind::Parse`], [`ErrorKind::FormatTooNew`] |
//! | `IOError`, `RenameError` | [`ErrorKind::Io`], [`ErrorKind::Rename`] |
//! | `LockAcquisitionError`, `LeaseLost`, `Cancelled` | [`ErrorKind::LockAcquisition`], [`ErrorKind::LeaseLost`], [`ErrorKind::Cancelled`] |
//! | `SecretRefused`, `NotFound`, `Conflict` | [`ErrorKind::SecretRefused`], [`ErrorKind::NotFound`], [`ErrorKind::Conflict`] |
//! | `AdapterError`, `GitError`, `Unsupported` | [`ErrorKind::Adapter`], [`ErrorKind::Git`], [`ErrorKind::Unsupported`] |
//! | `Misuse`, `Internal` | [`ErrorKind::Misuse`], [`ErrorKind::Internal`] |
//!
//! # Cargo features
//!
//! None is enabled by default.
//!
//! | feature | what it adds |
//! |---|---|
//! | `sqlite` | working contexts and items in a SQLite database, which is bundled |
//! | `redis` | working contexts on a Redis server, with TLS |
//! | `rollouts` | one memory of past sessions; includes `sqlite` |
//! | `archive` | archives of a home, to keep it or to move it to another machine |
//! | `branch` | an agent's files on a git branch; needs `git` on the `PATH`; includes `archive` |
//! | `history` | maps of a repository that take its commits into account |
//! | `near-words` | recall by words of a similar meaning, from a table of 2 MB |
//! | `testing` | internals for loopmem's own tests, which are not part of the API |

// `pub` in a module means visible to the other modules; what is part of the public API is decided here.
#![allow(unreachable_pub)]
// Some of it is used by these adapters only.
#![cfg_attr(not(all(feature = "redis", feature = "rollouts", feature = "branch")), allow(dead_code, unused_imports))]

#[macro_use]
mod setters;

mod adopt;
#[cfg(feature = "archive")]
pub mod archive;
#[cfg(feature = "branch")]
pub mod branch;
pub mod context;
mod disk;
pub mod doctor;
mod error;
pub mod files;
mod finding;
mod git;
pub mod graph;
mod guard;
mod home;
mod host;
pub mod index;
pub mod items;
mod lazy;
pub mod logger;
pub mod memory;
pub mod methods;
mod mutex;
#[cfg(any(feature = "branch", feature = "rollouts"))]
mod process;
mod ranking;
pub mod redaction;
mod redactions;
pub mod repo;
pub mod repos;
#[cfg(feature = "rollouts")]
pub mod rollouts;
mod room;
mod rooms;
pub mod search;
mod segments;
#[cfg(feature = "sqlite")]
mod sqlite;
pub mod status;
pub mod store;
pub mod summary;
#[cfg(feature = "branch")]
pub mod sync;
#[cfg(feature = "archive")]
mod tarball;
#[cfg(feature = "testing")]
pub mod testing;
mod trash;
pub mod undo;
mod warm;
mod warning;
pub mod working;

#[doc(hidden)]
pub use disk::PerProcess;
pub use disk::{Cancel, Raw, Stored};
pub use error::{Error, ErrorKind, Result};
pub use home::{BranchScope, CallOptions, DetachedHead, ItemsBackend, Options, RepoHash, SyncTime};
pub use loopmem_safety as safety;
pub use redactions::{Redaction, Redactions};
pub use store::Store;
