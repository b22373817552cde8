//! Stores by their path or by the variables of the environment (spec 004, "Helper factory"), for Rust programs that do not
//! open a [`Store`](crate::Store).
//!
//! Counts and indexes are under the home, which is chosen as by [`Store::open`](crate::Store::open).

use std::path::{Path, PathBuf};

use super::place::{Place, Places};
use super::recall::{Recall, RecallQuery, recall};
use super::store::{ItemStore, MemoryStore, OfItems};
use crate::error::{Error, Result};
use crate::home::{Home, ItemsBackend, Options};
use crate::repo::Workspace;

/// Defines a store at a path, in a backend.
macro_rules! store_at_path {
    ($(#[$doc:meta])* $name:ident in $backend:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone)]
        pub struct $name(ItemStore);

        impl $name {
            /// Opens the store at `path`. Nothing is created until the first write.
            ///
            /// # Errors
            /// `ValidationError` if the home is unknown or the configuration is invalid; `IOError`.
            pub fn open(path: impl AsRef<Path>) -> Result<Self> {
                at_path(path.as_ref(), $backend).map($name)
            }
        }

        impl OfItems for $name {
            fn store(&self) -> &ItemStore {
                &self.0
            }
        }
    };
}

store_at_path! {
    /// The items in a file of JSON lines.
    JsonlMemoryStore in ItemsBackend::Jsonl
}

#[cfg(feature = "sqlite")]
store_at_path! {
    /// The items in a SQLite database.
    SqliteMemoryStore in ItemsBackend::Sqlite
}

fn at_path(path: &Path, backend: ItemsBackend) -> Result<ItemStore> {
    let home = Home::open(Options::default())?;
    home.admit_path("path", path)?;
    let file = if path.is_absolute() { path.to_owned() } else { home.current_folder()?.join(path) };
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else {
        return Err(Error::validation(format!("{} cannot be a file of items", path.display())).at(path));
    };
    // One file has one index and one set of counts, whichever links lead to it. Its folder may not be there yet.
    let folder = home.disk().canonical(folder).unwrap_or_else(|_| folder.to_owned());
    let file = folder.join(name);
    let place = Place::of_file(&home, &folder, file, None, backend);
    ItemStore::at(&home, &place)
}

/// The backend that `CODEX_MEMORY_BACKEND` names, or the configuration; otherwise JSON lines.
///
/// # Errors
/// `ValidationError` if the variable names another one, or the configuration is invalid; `IOError`.
pub fn choose_backend_from_env() -> Result<ItemsBackend> {
    Ok(Home::open(Options::default())?.config().items.backend)
}

/// Opens the store of the repository whose top level is `root`, in the chosen backend: `CODEX_MEMORY_REPO_JSONL` or
/// `CODEX_MEMORY_REPO_DB`, or else a file in `.codex/memory`.
///
/// # Errors
/// Those of [`choose_backend_from_env`]; `Unsupported` if this build does not include the backend; `ValidationError` if
/// there is no folder `root`.
pub fn open_repo_store(root: impl AsRef<Path>) -> Result<Box<dyn MemoryStore>> {
    let home = Home::open(Options::default())?;
    home.admit_path("root", root.as_ref())?;
    let root = home.disk().canonical(root.as_ref()).map_err(|cause| {
        Error::validation(format!("there is no folder {}", root.as_ref().display())).at(root.as_ref()).because(cause)
    })?;
    let config = &home.config().items;
    let place = Place::of_top(&home, &root, &config.repo_files, config.backend)?;
    Ok(Box::new(ItemStore::at(&home, &place)?))
}

/// Opens the global store, in the chosen backend: `CODEX_MEMORY_HOME_JSONL` or `CODEX_MEMORY_HOME_DB`, or else a file in the
/// folder `memory` of the Codex home.
///
/// # Errors
/// Those of [`open_repo_store`]; `ValidationError` if the Codex home is unknown.
pub fn open_global_store() -> Result<Box<dyn MemoryStore>> {
    let home = Home::open(Options::default())?;
    let place = Place::global(&home, home.config().items.backend)?;
    Ok(Box::new(ItemStore::at(&home, &place)?))
}

/// Where something is recalled, and what is known besides the prompt.
#[derive(Debug, Clone, Default)]
pub struct RecallContext {
    workspace: Workspace,
    dir: Option<PathBuf>,
    query: RecallQuery,
}

impl RecallContext {
    /// In this workspace.
    pub fn in_workspace(workspace: impl Into<Workspace>) -> Self {
        RecallContext { workspace: workspace.into(), ..RecallContext::default() }
    }

    setters! {
        /// The folder for items of the scope `dir`, relative to the workspace or absolute. Default: the workspace.
        dir(dir: impl Into<Option<PathBuf>>) => dir = dir.into();
        /// Files, packages and languages, limits and vectors. Its prompt is replaced.
        query(query: RecallQuery) => query = query;
    }
}

/// Recalls the items that matter for a prompt (spec 004, "API Sketch").
///
/// # Errors
/// Those of [`Items::recall`](super::Items::recall), and of [`choose_backend_from_env`].
pub fn recall_for(prompt: &str, context: &RecallContext) -> Result<Recall> {
    let home = Home::open(Options::default())?;
    let places = || Places::of(&home, &context.workspace, context.dir.as_deref());
    recall(&home, places, &context.query.clone().prompt(prompt))
}
