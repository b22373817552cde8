//! A file that is parsed as a whole and changed under its lock: a document or a journal.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::cache::Parsed;
use super::commit::Contents;
use crate::disk::Disk;
use crate::disk::locks::lock::Guard;
use crate::disk::locks::queue::Mode;
use crate::disk::locks::wait::WaitOptions;
use crate::error::Result;

/// A data file with these contents.
#[derive(Debug)]
pub struct DataFile<'d, C> {
    pub(in crate::disk) disk: &'d Disk,
    pub(in crate::disk) path: PathBuf,
    /// The longest wait for the lock, unless the call sets its own.
    pub(in crate::disk) default_timeout: Duration,
    load: fn(&Disk, &Path, Option<Guard>) -> Result<Arc<C>>,
}

impl<'d, C: Contents + Parsed> DataFile<'d, C> {
    /// Returns the file at `path`; nothing is read or created yet.
    pub fn new(disk: &'d Disk, path: PathBuf, default_timeout: Duration) -> Self {
        DataFile { disk, path, default_timeout, load: Disk::load }
    }

    /// Reads the contents; empty if there is no file. If they are cached, this takes a lock and a `stat`.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `ParseError`, `FormatTooNew`, `IOError`.
    pub fn read(&self, wait: &WaitOptions) -> Result<Arc<C>> {
        let guard = self.disk.lock(&self.path, Mode::Shared, wait, self.default_timeout)?;
        self.disk.check_folders_under(&guard, &self.path)?;
        (self.load)(self.disk, &self.path, Some(guard))
    }

    /// Reads the contents without the lock, which is consistent because the file is replaced atomically. For early
    /// refusals: these neither use up the call's ticket, which the following write needs, nor create files in an empty
    /// home. `None` if an earlier call of this process may still change the file: then it must be read under the lock.
    ///
    /// # Errors
    /// `ParseError`, `FormatTooNew`, `IOError`.
    pub fn peek(&self, wait: &WaitOptions) -> Result<Option<Arc<C>>> {
        if self.disk.locks.may_change(&self.path, wait) {
            return Ok(None);
        }
        self.disk.check_folders_of(&self.path)?;
        (self.load)(self.disk, &self.path, None).map(Some)
    }

    /// Applies the edits that `change` returns under the exclusive lock, possibly on another thread, and returns the answer
    /// that comes with them. The edits are durable when this returns `Ok`. Without edits nothing is written.
    ///
    /// # Errors
    /// The error of `change`, in which case nothing of it is written; `ValidationError` if the file would become too large;
    /// those of [`read`](Self::read); `RenameError`.
    pub fn update<T: Send + 'static>(
        &self,
        wait: &WaitOptions,
        change: impl FnOnce(&C) -> Result<(Vec<C::Edit>, T)> + Send + 'static,
    ) -> Result<T> {
        self.disk.commit(&self.path, wait, self.default_timeout, change)
    }
}
