//! Internals for this crate's tests. Not part of the API.

use std::ffi::OsString;
use std::sync::Arc;

use crate::disk::Fs;
use crate::error::Result;
use crate::home::{Home, Options};
use crate::store::{Host, Store};

/// `disk`, whole.
pub mod disk {
    pub use crate::disk::*;
}

/// `home`, whole.
pub mod home {
    pub use crate::home::*;
}

/// `memory`, with what is behind its handle.
pub mod memory {
    pub use crate::memory::testing::*;
}

/// `sqlite`, whole.
#[cfg(feature = "sqlite")]
pub mod sqlite {
    pub use crate::sqlite::*;
}

/// `working`, with what is behind its handle.
pub mod working {
    pub use crate::working::testing::*;
}

/// Opens a store with these system calls and this environment.
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
