//! What the command takes from its surroundings: the time, the person's editor, and a private file for it.
//!
//! The core keeps its own clock, environment and files, which no binding may reach into; nothing of what is here ends
//! up in a home.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "an editor is named by the environment and works on a file that is no part of a home"
)]

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use loopmem::{Error, Result};
use tempfile::TempDir;

/// The time of day, by which ages are told.
pub(crate) fn now() -> DateTime<Utc> {
    std::time::SystemTime::now().into()
}

/// `$VISUAL`, else `$EDITOR`, else what every system has.
pub(crate) fn editor() -> OsString {
    let named = ["VISUAL", "EDITOR"].into_iter().filter_map(std::env::var_os).find(|it| !it.is_empty());
    named.unwrap_or_else(|| if cfg!(windows) { "notepad" } else { "vi" }.into())
}

/// A text in a file that only its owner can read, in a folder of its own, where an editor's backups are private too.
/// Folder and file go with this value.
pub(crate) struct PrivateFile {
    folder: TempDir,
    path: PathBuf,
}

impl PrivateFile {
    /// # Errors
    /// `IOError`.
    pub(crate) fn new(name: &str, text: &str) -> Result<Self> {
        let mut folder = tempfile::Builder::new();
        folder.prefix("loopmem-");
        let mut file = OpenOptions::new();
        file.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
            folder.permissions(fs::Permissions::from_mode(0o700));
            file.mode(0o600);
        }
        let folder = folder.tempdir().map_err(|cause| Error::io("make a folder in", &std::env::temp_dir(), &cause))?;
        let path = folder.path().join(name);
        let written = file.open(&path).and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|cause| Error::io("write", &path, &cause))?;
        Ok(PrivateFile { folder, path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What is in it now.
    ///
    /// # Errors
    /// `IOError`; `ValidationError` when it is no UTF-8.
    pub(crate) fn read(&self) -> Result<String> {
        let bytes = fs::read(&self.path).map_err(|cause| Error::io("read", &self.path, &cause))?;
        String::from_utf8(bytes).map_err(|_| Error::validation("the text is not UTF-8"))
    }

    /// Leaves it where it is.
    pub(crate) fn keep(self) -> PathBuf {
        // The folder stays when its owner is told to.
        let _ = self.folder.keep();
        self.path
    }
}
