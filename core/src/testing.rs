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

/// The home of a store.
pub fn home(store: &Store) -> &Home {
    store.home()
}
