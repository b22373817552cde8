//! The notes that a model keeps in a folder, file by file, as Anthropic's memory tool (`memory_20250818`) does: per repository,
//! or for the user.
//!
//! A model sees the folder as `/memories`. The texts of results and errors are those of Anthropic's SDKs, so that a model that
//! was trained on them reads what it knows. What the SDKs' own tools lack: each change is made under a lock and is durable when
//! it returns, secrets are redacted, no path leads out of the folder, and what is removed can be brought back.

mod archive;
mod edit;
mod folder;
mod import;
mod listing;
mod path;
mod record;
mod room;
mod sdk;
mod undo;

use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::repo::Repo;

use edit::Edited;
pub use folder::FileEntry;
use folder::{Found, Place};
use path::ToolPath;
pub(crate) use room::FilesRoom;
pub use sdk::Sdk;

/// The folder of one repository, or that of the user.
#[derive(Debug, Clone)]
pub struct Files {
    place: Place,
    sdk: Sdk,
}

impl Repo {
    /// The files that a model keeps for this repository, with Anthropic's memory tool.
    pub fn files(&self) -> Files {
        Files { place: Place::of_repo(self), sdk: Sdk::default() }
    }
}

impl Files {
    pub(crate) const VIEW: &str = "files.view";
    pub(crate) const CREATE: &str = "files.create";
    pub(crate) const REPLACE: &str = "files.replace";
    pub(crate) const INSERT: &str = "files.insert";
    pub(crate) const REMOVE: &str = "files.remove";
    pub(crate) const RENAME: &str = "files.rename";
    pub(crate) const LIST: &str = "files.list";

    /// The files that a model keeps for no repository in particular.
    pub(crate) fn global(home: &Home) -> Self {
        Files { place: Place::global(home), sdk: Sdk::default() }
    }

    setters! {
        /// The SDK whose behaviour it has. Default: that for Python.
        sdk(sdk: Sdk) => sdk = sdk;
    }

    /// Returns a file with the numbers of its lines, or what is in a folder, two levels deep. `range` is the first and the last
    /// line; a last line of -1 is that of the file.
    ///
    /// # Errors
    /// `NotFound`; `ValidationError` for a path that is not below `/memories` or leads out of it, for a file of more than 999,999
    /// lines and for one that is not text; `SecretRefused`, `IOError`.
    pub fn view(&self, path: &str, range: Option<[i64; 2]>) -> Result<String> {
        self.place.call(Self::VIEW, |place| {
            let path = ToolPath::parse(place.home(), path)?;
            match place.find(&path)? {
                Found::File { text, .. } => edit::numbered(self.sdk, &path, &text?, range),
                Found::Folder { full, size } => listing::folder(place, self.sdk, &path, &full, size),
                Found::Nothing if path.is_root() => Ok(listing::empty(self.sdk, &path)),
                Found::Nothing => Err(path.missing()),
                Found::Other => Err(Error::validation(format!("Unsupported file type for {path}"))),
            }
        })
    }

    /// Creates a file. Its folders are created too.
    ///
    /// # Errors
    /// `Conflict` if there is something at the path; `ValidationError` for a path as in [`view`](Self::view), and for a text of
    /// more than 16 MiB; `SecretRefused`, `LockAcquisitionError`, `IOError`.
    pub fn create(&self, path: &str, text: &str) -> Result<String> {
        self.place.call_write(Self::CREATE, |place| {
            let path = ToolPath::parse(place.home(), path)?;
            let sealed = place.seal(&path, text)?;
            let change = place.lock()?;
            let exists = || Error::new(ErrorKind::Conflict, format!("File {path} already exists"));
            if path.is_root() || !matches!(place.find(&path)?, Found::Nothing) {
                return Err(exists());
            }
            if change.put(&place.full(&path)?, None, &sealed)? {
                Ok(format!("File created successfully at: {path}"))
            } else {
                Err(exists())
            }
        })
    }

    /// Replaces a text that is in the file once.
    ///
    /// # Errors
    /// `NotFound` if there is no such file; `ValidationError` if the text is not in it, or more than once, and those of
    /// [`create`](Self::create).
    pub fn replace(&self, path: &str, old: &str, new: &str) -> Result<String> {
        self.edit(Self::REPLACE, path, new, |path, text| edit::replaced(self.sdk, path, text, old, new))
    }

    /// Inserts a text behind the line with this number; 0 is the beginning of the file.
    ///
    /// # Errors
    /// `NotFound` if there is no such file; `ValidationError` if it has fewer lines, and those of [`create`](Self::create).
    pub fn insert(&self, path: &str, line: i64, text: &str) -> Result<String> {
        self.edit(Self::INSERT, path, text, |_, before| edit::inserted(self.sdk, before, line, text))
    }

    /// Removes a file, or a folder with everything in it. The trash keeps the texts for `trash.keepDays`.
    ///
    /// # Errors
    /// `NotFound`; `ValidationError` for `/memories` itself, and for more than a trash keeps; `SecretRefused`,
    /// `LockAcquisitionError`, `IOError`.
    pub fn remove(&self, path: &str) -> Result<String> {
        self.place.call(Self::REMOVE, |place| undo::remove(place, &ToolPath::parse(place.home(), path)?, false))
    }

    /// As [`remove`](Self::remove), for good, with what the trash has of it.
    ///
    /// # Errors
    /// Those of [`remove`](Self::remove).
    pub fn purge(&self, path: &str) -> Result<String> {
        self.place.call(Self::REMOVE, |place| undo::remove(place, &ToolPath::parse(place.home(), path)?, true))
    }

    /// Renames a file or a folder, or moves it. The folders above the new path are created.
    ///
    /// # Errors
    /// `NotFound`; `Conflict` if there is something at the new path; `ValidationError` for `/memories` itself, and for a folder
    /// that would be moved into itself; `SecretRefused`, `LockAcquisitionError`, `IOError`.
    pub fn rename(&self, old: &str, new: &str) -> Result<String> {
        self.place.call_write(Self::RENAME, |place| {
            let (from, to) = (ToolPath::parse(place.home(), old)?, ToolPath::parse(place.home(), new)?);
            // Also those that would be refused as soon as it is made.
            let (full_from, full_to) = (place.full(&from)?, place.full(&to)?);
            if from.is_root() {
                return Err(Error::validation("Cannot rename the /memories directory itself"));
            }
            let exists = || Error::new(ErrorKind::Conflict, format!("The destination {to} already exists"));
            if to.is_root() || !matches!(place.find(&to)?, Found::Nothing) {
                return Err(exists());
            }
            let missing = || Error::new(ErrorKind::NotFound, format!("The path {from} does not exist"));
            // No lock file is created to find that there is nothing to rename.
            if matches!(place.find(&from)?, Found::Nothing) {
                return Err(missing());
            }
            if full_to.starts_with(&full_from) {
                return Err(Error::validation(format!("{from} cannot be moved into itself, to {to}")));
            }
            let change = place.lock()?;
            if matches!(place.find(&from)?, Found::Nothing) {
                return Err(missing());
            }
            if change.rename(&full_from, &full_to)? {
                Ok(format!("Successfully renamed {from} to {to}"))
            } else {
                Err(exists())
            }
        })
    }

    /// Returns the files below a path, by default all of them, by path. Links are left out.
    ///
    /// # Errors
    /// `NotFound` if there is nothing at the path; `ValidationError`, `SecretRefused`, `IOError`.
    pub fn list(&self, path: Option<&str>) -> Result<Vec<FileEntry>> {
        self.place.call(Self::LIST, |place| {
            let path = ToolPath::parse(place.home(), path.unwrap_or(path::ROOT))?;
            let files = place.files(&path)?;
            if files.is_empty() && !path.is_root() && matches!(place.find(&path)?, Found::Nothing) {
                return Err(path.missing());
            }
            files.into_iter().map(|file| file.entry(place)).collect()
        })
    }

    /// Changes a file under its lock, as often as another program changes it meanwhile. `added` is what the caller adds.
    fn edit(
        &self,
        operation: &str,
        path: &str,
        added: &str,
        change: impl Fn(&ToolPath<'_>, &str) -> Result<Edited>,
    ) -> Result<String> {
        /// How often a change is tried again because another one came first.
        const ATTEMPTS: usize = 8;
        self.place.call_write(operation, |place| {
            let path = ToolPath::parse(place.home(), path)?;
            if place.home().is_dry_run() {
                place.seal(&path, added)?;
            }
            // No lock file is created to find that there is nothing to change.
            place.file(&path)?;
            let locked = place.lock()?;
            for _ in 0..ATTEMPTS {
                let (full, stat, text) = place.file(&path)?;
                let edited = change(&path, &text)?;
                // What a call adds may complete a secret that begins or ends in what was there.
                let sealed = place.seal(&path, &edited.text)?;
                if locked.put(&full, Some(stat), &sealed)? {
                    return Ok(edited.answer(&path, sealed.as_str()));
                }
            }
            let message = format!("{path} is being changed by another program; try again");
            Err(Error::new(ErrorKind::Conflict, message).mark_retryable())
        })
    }
}
