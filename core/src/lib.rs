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
//! [`recipes`] has short programs for common tasks. A [`Store`] gives access to everything:
//!
//! | module | what it keeps or does |
//! |---|---|
//! | [`repo`], [`repos`] | identify the repository of a folder; list, move and forget those that have memory |
//! | [`memory`], [`summary`] | conventions, decisions, notes and step summaries of a repository |
//! | [`context`] | packs all of it into a prompt, in the length that you give |
//! | [`items`] | small memories that return when a prompt needs them |
//! | [`working`] | the state of jobs: contexts, logs and checkpoints, in files, SQLite, Redis or your own storage |
//! | [`index`] | a map of a repository's files and definitions |
//! | [`files`], [`graph`] | the files and the knowledge graph that a model keeps with its tools |
//! | [`rollouts`] | memory of past sessions, extracted by any number of workers |
//! | [`branch`], [`sync`] | an agent's files on a git branch; the memory of a repository on several machines |
//! | [`archive`] | packs a home or a repository into one file |
//! | [`search`], [`status`] | one answer over all that is remembered; what is stored, and where |
//! | [`undo`] | brings back what was removed or replaced |
//! | [`doctor`] | checks and repairs the files |
//! | [`redaction`], [`safety`] | find and redact secrets |
//! | [`logger`], [`host`] | what a host provides: a logger, an adapter, a tokenizer |
//! | [`methods`] | every operation by its name, with JSON: for bindings to other languages |
//!
//! Calls block. [`Store::with`] sets how long they may wait and what cancels them. Handles are cheap to clone, and may be used
//! by several threads. `docs/FORMAT.md` in the repository describes the files.
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
//! None is enabled by default. The last column is the number of crates that a build for Linux compiles with the feature,
//! including loopmem; without any it is 81, with all of them 140.
//!
//! | feature | what it adds | crates |
//! |---|---|---|
//! | `sqlite` | working contexts and items in a SQLite database, which is compiled from C and linked statically | 92 |
//! | `redis` | working contexts on a Redis server, with TLS | 110 |
//! | `rollouts` | memory of past sessions; includes `sqlite`, and libgit2, compiled from C | 99 |
//! | `archive` | archives of a home, to keep it or to move it to another machine; zstd, compiled from C | 91 |
//! | `branch` | an agent's files on a git branch, and the synchronization of several machines; needs `git` on the `PATH`; includes `archive`, and libgit2 | 110 |
//! | `history` | maps of a repository that take its commits into account; zlib, compiled from C | 89 |
//! | `near-words` | recall by words of a similar meaning, from a table of 2 MB in the binary | 81 |
//! | `testing` | internals for loopmem's own tests. They are not part of the API, and change in any version | 81 |
//!
//! A store that needs a feature which this build lacks is an error, [`ErrorKind::Unsupported`], and never changes what is stored.
//!
//! # Platforms
//!
//! loopmem needs Rust 1.95, and is built and tested on Linux, with glibc and musl. macOS, Windows and network file systems are
//! untested. Raising the Rust version is a minor change.
//!
//! # Safety
//!
//! Invalid input, damaged files and full disks are errors; a bug that panics is caught and returned as
//! [`ErrorKind::Internal`]. Code outside of system calls is safe: `unsafe` is denied, and allowed where a system call needs it.

// In the published documentation, what needs a cargo feature says so.
#![cfg_attr(docsrs, feature(doc_cfg))]
// The page names modules that need a feature.
#![cfg_attr(
    not(all(feature = "branch", feature = "rollouts")),
    allow(rustdoc::broken_intra_doc_links, reason = "those modules are documented with their features")
)]
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
pub mod host;
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
#[cfg(any(doc, doctest))]
pub mod recipes;
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
