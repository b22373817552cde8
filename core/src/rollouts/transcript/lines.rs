//! The lines of a transcript, plain or compressed, in a buffer of limited size.

use std::io::{self, Read};
use std::path::Path;

use crate::disk::{Disk, ForeignReader};
use crate::error::{Error, Result};

/// The number of bytes that are read at once.
const BLOCK: usize = 256 << 10;
/// The longest line that is read, in bytes. Longer ones, which hold images, are passed over.
const MAX_LINE: usize = 8 << 20;
/// How many times its size in bytes a compressed file may have, beyond a first part of this many bytes: real ones have some
/// ten times, and one made to keep a reader busy some thirty thousand times.
const MAX_RATIO: u64 = 64;
const FREE_BYTES: u64 = 32 << 20;
/// The largest window of a compressed file, as the exponent of its size in bytes.
const MAX_WINDOW_LOG: u32 = 25;

/// The lines of a file, from its beginning.
pub(crate) struct Lines {
    path: std::path::PathBuf,
    source: Source,
    buffer: Vec<u8>,
    /// The part of the buffer that was not returned yet.
    start: usize,
    end: usize,
    /// Up to where there is no line end after `start`.
    searched: usize,
    is_at_end: bool,
    /// How many bytes may still be read.
    allowed: u64,
    /// True if the line that the buffer begins with is too long.
    is_passing_over: bool,
}

enum Source {
    Plain(ForeignReader),
    Compressed(Box<zstd::stream::read::Decoder<'static, io::BufReader<ForeignReader>>>),
}

impl Lines {
    /// Opens a file.
    ///
    /// # Errors
    /// `IOError`.
    pub(crate) fn open(disk: &Disk, path: &Path) -> Result<Self> {
        let failed = |cause: &io::Error| Error::io("read the transcript", path, cause);
        let file = disk.read_foreign_from(path, 0).map_err(|cause| failed(&cause))?;
        let file = file.ok_or_else(|| failed(&io::ErrorKind::NotFound.into()))?;
        let is_compressed = path.extension().is_some_and(|extension| extension == "zst");
        let size = || disk.stat_foreign(path).ok().flatten().map_or(0, |stat| stat.size);
        let allowed =
            if is_compressed { size().saturating_mul(MAX_RATIO).saturating_add(FREE_BYTES) } else { u64::MAX };
        let source = match is_compressed {
            false => Source::Plain(file),
            true => {
                let decoder = zstd::stream::read::Decoder::new(file).and_then(|mut decoder| {
                    decoder.window_log_max(MAX_WINDOW_LOG)?;
                    Ok(decoder)
                });
                Source::Compressed(Box::new(decoder.map_err(|cause| failed(&cause))?))
            }
        };
        Ok(Lines {
            path: path.to_owned(),
            source,
            buffer: vec![0; BLOCK],
            start: 0,
            end: 0,
            searched: 0,
            is_at_end: false,
            allowed,
            is_passing_over: false,
        })
    }

    /// The next line that is not empty, without its end, also if the last one has none; `None` at the end of the file. `check` is called after
    /// each block, and its error ends the call.
    ///
    /// # Errors
    /// `ValidationError` if a compressed file unpacks to too many bytes; `IOError`; the error of `check`.
    pub(crate) fn next(&mut self, check: &dyn Fn() -> Result<()>) -> Result<Option<&[u8]>> {
        loop {
            let found = memchr::memchr(b'\n', &self.buffer[self.searched..self.end]).map(|at| self.searched + at);
            if let Some(at) = found {
                let line = self.start..at;
                (self.start, self.searched) = (at + 1, at + 1);
                if !std::mem::take(&mut self.is_passing_over) && !line.is_empty() {
                    return Ok(Some(&self.buffer[line]));
                }
                continue;
            }
            self.searched = self.end;
            if self.is_at_end {
                let line = std::mem::replace(&mut self.start, self.end)..self.end;
                return Ok((!line.is_empty() && !self.is_passing_over).then(|| &self.buffer[line]));
            }
            check()?;
            self.fill()?;
        }
    }

    fn fill(&mut self) -> Result<()> {
        if self.end - self.start > MAX_LINE {
            self.is_passing_over = true;
        }
        if self.is_passing_over {
            self.start = self.end;
        }
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
            self.searched = self.end;
        }
        if self.buffer.len() - self.end < BLOCK {
            self.buffer.resize(self.end + BLOCK, 0);
        }
        let room = &mut self.buffer[self.end..];
        let read = loop {
            let read = match &mut self.source {
                Source::Plain(file) => file.read(room),
                Source::Compressed(decoder) => decoder.read(room),
            };
            match read {
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                // A compressed file whose writer is not done, or was killed.
                Err(cause) if cause.kind() == io::ErrorKind::UnexpectedEof => break 0,
                read => break read.map_err(|cause| Error::io("read the transcript", &self.path, &cause))?,
            }
        };
        let allowed = self.allowed.checked_sub(read as u64).ok_or_else(|| {
            let message = format!("the transcript {} unpacks to too many bytes; it is not read", self.path.display());
            Error::validation(message).at(&self.path)
        });
        self.allowed = allowed?;
        self.end += read;
        self.is_at_end = read == 0;
        Ok(())
    }
}
