//! The records of a storage at one moment, by the hashes of their bytes.

use std::fmt::Debug;
use std::sync::Arc;

use crate::disk::{Disk, LineIndex, LineSnapshot};
use crate::error::Result;

/// The records of a storage at one moment, in their order, in chunks.
pub(super) trait Lines: Debug + Send + Sync {
    /// The ids of the chunks. In one process, chunks with the same id have the same records.
    fn chunks(&self) -> Vec<u64>;

    /// The hashes of the records of a chunk; `None` where there is none.
    fn hashes(&self, chunk: usize) -> Vec<Option<u64>>;

    /// The records of a chunk; `None` where there is none.
    ///
    /// # Errors
    /// `Conflict` if the storage has changed since; `IOError`.
    fn texts(&self, chunk: usize) -> Result<Vec<Option<Vec<u8>>>>;

    /// One record; `None` if there is none.
    ///
    /// # Errors
    /// As [`texts`](Self::texts).
    fn text(&self, at: LineIndex) -> Result<Option<Vec<u8>>>;
}

/// The lines of a file.
#[derive(Debug)]
pub(super) struct FileLines {
    pub(super) disk: Arc<Disk>,
    pub(super) snapshot: Arc<LineSnapshot>,
}

impl Lines for FileLines {
    fn chunks(&self) -> Vec<u64> {
        self.snapshot.chunks().iter().map(|chunk| chunk.id()).collect()
    }

    fn hashes(&self, chunk: usize) -> Vec<Option<u64>> {
        let lines = self.snapshot.chunks().get(chunk).map(|chunk| chunk.lines()).unwrap_or_default();
        lines.iter().map(|line| Some(line.hash).filter(|_| !line.is_removed() && !line.is_blank())).collect()
    }

    fn texts(&self, chunk: usize) -> Result<Vec<Option<Vec<u8>>>> {
        self.snapshot.texts(&self.disk, chunk)
    }

    fn text(&self, at: LineIndex) -> Result<Option<Vec<u8>>> {
        self.snapshot.text(&self.disk, at)
    }
}
