//! Files and folders that loopmem does not own and only reads, such as transcripts.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use crate::disk::Disk;
use crate::disk::fs::seam::{Fs, Handle, Open, if_there};

/// Reads a file from some place on.
#[derive(Debug)]
pub(crate) struct ForeignReader {
    fs: Arc<dyn Fs>,
    file: Handle,
    offset: u64,
}

impl Read for ForeignReader {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.fs.read_at(&self.file, bytes, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

impl Disk {
    /// Opens a regular file to read it from `offset` on, following links; `None` if it does not exist.
    ///
    /// # Errors
    /// The error of the system call. Anything other than a regular file is refused without blocking.
    pub(crate) fn read_foreign_from(&self, path: &Path, offset: u64) -> io::Result<Option<ForeignReader>> {
        let file = if_there(self.fs.open(path, Open::ReadTarget))?;
        Ok(file.map(|file| ForeignReader { fs: Arc::clone(&self.fs), file, offset }))
    }

    /// The names in a folder, sorted; `None` if it does not exist.
    ///
    /// # Errors
    /// The error of the system call.
    pub(crate) fn list_foreign(&self, folder: &Path) -> io::Result<Option<Vec<OsString>>> {
        let mut names = if_there(self.fs.list(folder))?;
        names.iter_mut().for_each(|names| names.sort_unstable());
        Ok(names)
    }
}
