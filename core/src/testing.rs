//! Internals for this crate's tests. Not part of the API.

use std::ffi::OsString;
use std::sync::Arc;

use crate::disk::Fs;
use crate::error::Result;
use crate::home::{Home, Options};
use crate::store::{Host, Store};

/// All of `disk`.
pub mod disk {
    pub use crate::disk::*;
}

/// All of `home`.
pub mod home {
    pub use crate::home::*;
}

/// Internals of `index`.
pub mod index {
    pub use crate::index::testing::*;
}

/// Internals of `items`.
pub mod items {
    pub use crate::items::testing::*;
}

/// Internals of `memory`.
pub mod memory {
    pub use crate::memory::testing::*;
}

/// All of `ranking`.
pub mod ranking {
    pub use crate::ranking::*;
}

/// All of `sqlite`.
#[cfg(feature = "sqlite")]
pub mod sqlite {
    pub use crate::sqlite::*;
}

/// Internals of `working`.
pub mod working {
    pub use crate::working::testing::*;
}

/// Opens a store on this file system and with this environment.
///
/// # Errors
/// As [`Store::open`].
pub fn open_on(
    options: Options,
    fs: Arc<dyn Fs>,
    environment: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<Store> {
    Store::assemble(Home::open_on(options, fs, environment)?, Host::default())
}

/// The same store with another adapter for working contexts.
pub fn with_adapter(mut store: Store, adapter: Arc<dyn working::Adapter>) -> Store {
    store.adapter = adapter;
    store
}

/// The map of a repository without how often and with what files changed.
///
/// # Errors
/// Those of [`index::Index::map`](crate::index::Index::map).
pub fn map_without_history(
    index: &crate::index::Index,
    max_chars: usize,
    prompt: Option<&str>,
) -> crate::Result<crate::index::Map> {
    index.map_without_history(max_chars, prompt)
}

/// The names and signatures of the definitions of each file of a repository, by path.
///
/// # Errors
/// Those of [`index::Index::symbols`](crate::index::Index::symbols).
pub fn definitions(index: &crate::index::Index) -> crate::Result<Vec<crate::index::FileDefinitions>> {
    index.definitions()
}

/// A file of a map that is not loopmem's.
pub fn mapped_file(path: &str, symbols: Vec<String>) -> crate::index::MappedFile {
    crate::index::MappedFile { path: path.to_owned(), score: 0.0, symbols, text: String::new() }
}

/// The home of a store.
pub fn home(store: &Store) -> &Home {
    store.home()
}
