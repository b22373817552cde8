//! A TOML file that the user writes, to which loopmem appends a table only when asked to.

use std::path::PathBuf;
use std::time::Duration;

use crate::disk::Disk;
use crate::disk::fs::seam::Kind;
use crate::disk::locks::queue::Mode;
use crate::disk::locks::wait::WaitOptions;
use crate::error::{Error, Result};
use crate::safety::SealedObject;

/// A user's file.
#[derive(Debug)]
pub struct UserFile<'d> {
    disk: &'d Disk,
    path: PathBuf,
    /// The longest wait for the lock, unless the call sets its own.
    default_timeout: Duration,
    /// The largest file, in bytes.
    limit: usize,
}

impl<'d> UserFile<'d> {
    /// The file at `path`, of at most `limit` bytes; nothing is read or created yet.
    pub fn new(disk: &'d Disk, path: PathBuf, default_timeout: Duration, limit: usize) -> Self {
        UserFile { disk, path, default_timeout, limit }
    }

    /// Appends `[[table]]` with those of `keys` that `members` has. What is in the file stays, byte for byte. `check`
    /// sees the new contents before they are written.
    ///
    /// # Errors
    /// The error of `check`; `ValidationError` if the file is a link or would become too large; `LockAcquisitionError`,
    /// `Cancelled`, `IOError`, `RenameError`.
    pub fn append_table(
        &self,
        wait: &WaitOptions,
        table: &'static str,
        keys: &[&'static str],
        members: &SealedObject,
        check: impl FnOnce(&[u8]) -> Result<()>,
    ) -> Result<()> {
        self.disk.check_folders_of(&self.path)?;
        let guard = self.disk.locks.acquire(&self.path, Mode::Exclusive, wait, self.default_timeout)?;
        self.disk.settle(&guard, &self.path)?;
        if !matches!(self.disk.stat(&self.path)?.map(|it| it.kind), None | Some(Kind::File)) {
            let refused = format!("{} is not a regular file; edit the file that it stands for", self.path.display());
            return Err(Error::validation(refused).at(&self.path));
        }
        let mut text = self.disk.read_if_there(&self.path, self.limit as u64)?.unwrap_or_default();
        if !text.is_empty() {
            text.extend_from_slice(if text.ends_with(b"\n") { b"\n" } else { b"\n\n" });
        }
        text.extend_from_slice(format!("[[{table}]]\n").as_bytes());
        for key in keys {
            // What JSON writes as a string is one in TOML too, but for this control character.
            if let Some(value) = members.get(key) {
                text.extend_from_slice(format!("{key} = {}\n", value.get().replace('\u{7f}', "\\u007f")).as_bytes());
            }
        }
        if text.len() > self.limit {
            let refused = format!("{} would grow over its limit of {} bytes", self.path.display(), self.limit);
            return Err(Error::validation(refused).at(&self.path));
        }
        check(&text)?;
        self.disk.replace(&guard, &self.path, &text).map(drop)
    }
}
