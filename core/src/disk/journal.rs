//! A list of JSON lines that grows at its end.
//!
//! One lock for append and prune; the file is opened after locking; one whole line in one write, then `fdatasync`. A
//! power cut may leave a last line without its end: readers skip it with a warning, and the next append sets it aside
//! in `NAME.torn`. A bad line in the middle is damage and a `ParseError`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::cache::Look;
use super::document::{describe, refuse_newer};
use super::lock::{Guard, Mode, beside};
use super::seam::Handle;
use super::stored::Stored;
use super::wait::Wait;
use super::{Disk, durable};
use crate::error::{Error, Result};
use crate::safety::Sealed;

/// What a journal's lines are.
pub trait Line: for<'de> Deserialize<'de> + Send + Sync + 'static {
    /// The newest `v` this code reads; a line without `v` is of version 1.
    const VERSION: u64;
}

/// A parsed journal, oldest line first.
#[derive(Debug)]
pub struct Journal<L> {
    lines: Vec<Arc<Stored<L>>>,
    /// Where the whole lines end, when something stands behind them that was never finished.
    torn_at: Option<usize>,
}

impl<L> Default for Journal<L> {
    fn default() -> Self {
        Journal { lines: Vec::new(), torn_at: None }
    }
}

impl<L> Journal<L> {
    /// The lines in the order of the file, oldest first.
    pub fn lines(&self) -> &[Arc<Stored<L>>] {
        &self.lines
    }
}

/// A journal at its path.
#[derive(Debug)]
pub struct JournalFile<'d, L> {
    disk: &'d Disk,
    path: PathBuf,
    /// The longest wait for the lock, unless a call has its own.
    patience: Duration,
    line: std::marker::PhantomData<L>,
}

impl<'d, L: Line> JournalFile<'d, L> {
    /// The journal at `path`; nothing is read or created yet.
    pub fn new(disk: &'d Disk, path: PathBuf, patience: Duration) -> Self {
        JournalFile { disk, path, patience, line: std::marker::PhantomData }
    }

    /// Every line, none when there is no file.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `ParseError`, `FormatTooNew`, `IOError`.
    pub fn read(&self, wait: &Wait) -> Result<Arc<Journal<L>>> {
        self.load(Some(self.disk.locks.acquire(&self.path, Mode::Shared, wait, self.patience)?))
    }

    /// Appends the line that `line` makes under the exclusive lock, so that what it is dated by has the order of the
    /// file; when `Ok` returns, it is durable.
    ///
    /// # Errors
    /// What `line` returns, then nothing is written; or as [`read`](Self::read): a damaged file is not appended to.
    pub fn append(&self, wait: &Wait, line: impl FnOnce() -> Result<Sealed<L>>) -> Result<Arc<Stored<L>>> {
        let fs = &*self.disk.fs;
        self.disk.make_way(&self.path)?;
        let _guard = self.disk.locks.acquire(&self.path, Mode::Exclusive, wait, self.patience)?;
        self.disk.sweep_once(&self.path);
        let journal = self.load(None)?;
        let line = Arc::new(Stored::from(line()?));
        let mut bytes = line.json().get().as_bytes().to_vec();
        bytes.push(b'\n');
        let handle = match journal.torn_at {
            Some(whole) => self.set_tail_aside(whole, &bytes)?,
            None => durable::append(fs, &self.path, &bytes, journal.lines.is_empty())?,
        };
        // The line itself is durable by now; a failure here only costs the next reader a parse.
        if let Ok(bytes) = fs.read(&handle) {
            let lines = journal.lines.iter().chain([&line]).map(Arc::clone).collect();
            self.disk.cache.keep_written(fs, &self.path, handle, bytes, &Arc::new(Journal { lines, torn_at: None }));
        }
        Ok(line)
    }

    fn load(&self, guard: Option<Guard>) -> Result<Arc<Journal<L>>> {
        let look = self.disk.cache.look::<Journal<L>>(&*self.disk.fs, &self.path)?;
        drop(guard);
        match look {
            Look::Missing => Ok(Arc::default()),
            Look::Known(journal) => Ok(journal),
            Look::Fresh(bytes, reading) => {
                let journal = Arc::new(self.parse(&bytes)?);
                self.disk.cache.keep(&self.path, reading, &journal);
                Ok(journal)
            }
        }
    }

    fn parse(&self, bytes: &[u8]) -> Result<Journal<L>> {
        let whole = whole_lines(bytes);
        if whole < bytes.len() {
            tracing::warn!(
                path = %self.path.display(),
                bytes = bytes.len() - whole,
                "the last line was never finished; it is skipped, and the next append sets it aside"
            );
        }
        let mut journal = Journal { lines: Vec::new(), torn_at: (whole < bytes.len()).then_some(whole) };
        for (index, line) in bytes[..whole].split(|byte| *byte == b'\n').enumerate() {
            if line.is_empty() {
                continue;
            }
            journal.lines.push(Arc::new(self.parse_line(index + 1, line)?));
        }
        Ok(journal)
    }

    fn parse_line(&self, number: usize, line: &[u8]) -> Result<Stored<L>> {
        #[derive(Deserialize)]
        struct Version {
            v: Option<Box<RawValue>>,
        }
        let damaged =
            |cause: serde_json::Error| Error::parse(&self.path, format!("line {number}: {}", describe(&cause)));
        let json: Box<RawValue> = serde_json::from_slice(line).map_err(damaged)?;
        let version: Version = serde_json::from_str(json.get()).map_err(damaged)?;
        if let Some(version) = version.v {
            refuse_newer(&self.path, &format!("v in line {number}"), version.get(), L::VERSION)?;
        }
        let record = serde_json::from_str(json.get()).map_err(damaged)?;
        Ok(Stored::read(json, record))
    }

    /// Keeps an unfinished last line in `NAME.torn`, then puts the whole lines and `line` in the journal's place. A
    /// crash between the two keeps the torn bytes twice and loses nothing.
    fn set_tail_aside(&self, whole: usize, line: &[u8]) -> Result<Handle> {
        let fs = &*self.disk.fs;
        let mut bytes = self.disk.read_if_there(&self.path)?.unwrap_or_default();
        let mut torn = bytes.split_off(whole.min(bytes.len()));
        if !torn.ends_with(b"\n") {
            torn.push(b'\n');
        }
        durable::append(fs, &beside(&self.path, ".torn"), &torn, true)?;
        bytes.extend_from_slice(line);
        let handle = self.disk.replace(&self.path, &bytes)?;
        tracing::warn!(path = %self.path.display(), "an unfinished last line was set aside beside the file, in .torn");
        Ok(handle)
    }
}

/// Where the last whole line ends. A power cut may leave a prefix of a line, or zeros in the place of its first part:
/// a last line that is no JSON was never finished either.
fn whole_lines(bytes: &[u8]) -> usize {
    let end = memchr::memrchr(b'\n', bytes).map_or(0, |newline| newline + 1);
    let Some(line) = bytes[..end].strip_suffix(b"\n") else { return end };
    let start = memchr::memrchr(b'\n', line).map_or(0, |newline| newline + 1);
    let is_json = |line: &[u8]| line.is_empty() || serde_json::from_slice::<&RawValue>(line).is_ok();
    if is_json(&line[start..]) { end } else { start }
}
