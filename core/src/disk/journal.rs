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

use super::document::{describe, is_object, refuse_newer};
use super::lock::{Guard, Mode};
use super::seam::Handle;
use super::stored::Stored;
use super::wait::Wait;
use super::{Disk, aside, durable};
use crate::error::{Error, Result};
use crate::safety::Sealed;

/// What a journal's lines are.
pub trait Line: for<'de> Deserialize<'de> + Send + Sync + 'static {
    /// The newest `v` this code reads; a line without `v` is of version 1.
    const VERSION: u64;
}

/// How long a journal may grow. The newest line is kept whatever its size.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The most lines.
    pub entries: usize,
    /// The most bytes, line ends included.
    pub bytes: usize,
}

impl Limits {
    /// Takes the oldest lines out until the rest is within the limits; tells whether any had to go.
    pub fn prune<L>(self, lines: &mut Vec<Arc<Stored<L>>>) -> bool {
        let bytes = |stored: &Arc<Stored<L>>| stored.json().get().len() + 1;
        let mut left: usize = lines.iter().map(bytes).sum();
        let mut gone = 0;
        while lines.len() - gone > 1 && (lines.len() - gone > self.entries || left > self.bytes) {
            left -= bytes(&lines[gone]);
            gone += 1;
        }
        lines.drain(..gone);
        gone > 0
    }
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
    pub(super) disk: &'d Disk,
    pub(super) path: PathBuf,
    /// The longest wait for the lock, unless a call has its own.
    pub(super) patience: Duration,
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
    /// file; when `Ok` returns, it is durable. Beyond `limits` the oldest lines go, in the same single write.
    ///
    /// # Errors
    /// What `line` returns, then nothing is written; or as [`read`](Self::read): a damaged file is not appended to.
    pub fn append(
        &self,
        wait: &Wait,
        limits: Limits,
        line: impl FnOnce() -> Result<Sealed<L>>,
    ) -> Result<Arc<Stored<L>>> {
        let (_guard, journal) = self.load_to_write(wait)?;
        let line = Arc::new(Stored::from(line()?));
        let mut lines: Vec<_> = journal.lines.iter().chain([&line]).map(Arc::clone).collect();
        if limits.prune(&mut lines) || journal.torn_at.is_some() {
            self.rewrite(&journal, lines)?;
        } else {
            let bytes = text_of(&[Arc::clone(&line)]);
            let handle = durable::append(&*self.disk.fs, &self.path, &bytes, journal.lines.is_empty())?;
            // The line itself is durable by now; a failure here only costs the next reader a parse.
            if let Ok(bytes) = self.disk.fs.read(&handle) {
                self.keep(handle, bytes, lines);
            }
        }
        Ok(line)
    }

    /// Puts the lines that `change` makes of the present ones in their place, under the exclusive lock; `None` leaves the
    /// file as it is.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn update(&self, wait: &Wait, change: impl FnOnce(&Journal<L>) -> Option<Vec<Arc<Stored<L>>>>) -> Result<()> {
        let (_guard, journal) = self.load_to_write(wait)?;
        match change(&journal) {
            Some(lines) => self.rewrite(&journal, lines),
            None => Ok(()),
        }
    }

    fn load_to_write(&self, wait: &Wait) -> Result<(Guard, Arc<Journal<L>>)> {
        self.disk.make_way(&self.path)?;
        let guard = self.disk.locks.acquire(&self.path, Mode::Exclusive, wait, self.patience)?;
        self.disk.sweep_once(&self.path);
        Ok((guard, self.load(None)?))
    }

    /// Puts `lines` in the place of `journal`. What was never finished is kept in `NAME.torn` first: a crash between the
    /// two keeps it twice and loses nothing.
    fn rewrite(&self, journal: &Journal<L>, lines: Vec<Arc<Stored<L>>>) -> Result<()> {
        if let Some(whole) = journal.torn_at {
            let mut torn = self.disk.read_if_there(&self.path)?.unwrap_or_default();
            torn.drain(..whole.min(torn.len()));
            aside::keep_tail(self.disk, &self.path, &torn)?;
            tracing::warn!(path = %self.path.display(), "an unfinished last line was set aside beside the file, in .torn");
        }
        let bytes = text_of(&lines);
        let handle = self.disk.replace(&self.path, &bytes)?;
        self.keep(handle, bytes, lines);
        Ok(())
    }

    fn keep(&self, handle: Handle, bytes: Vec<u8>, lines: Vec<Arc<Stored<L>>>) {
        let journal = Arc::new(Journal { lines, torn_at: None });
        self.disk.cache.keep_written(&*self.disk.fs, &self.path, handle, bytes, &journal);
    }

    fn load(&self, guard: Option<Guard>) -> Result<Arc<Journal<L>>> {
        self.disk.load(&self.path, guard, |bytes| self.parse(bytes))
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

    pub(super) fn parse_line(&self, number: usize, line: &[u8]) -> Result<Stored<L>> {
        #[derive(Deserialize)]
        struct Version {
            v: Option<Box<RawValue>>,
        }
        let damaged =
            |cause: serde_json::Error| Error::parse(&self.path, format!("line {number}: {}", describe(&cause)));
        let json: Box<RawValue> = serde_json::from_slice(line).map_err(damaged)?;
        if !is_object(&json) {
            return Err(Error::parse(&self.path, format!("line {number} is no object")));
        }
        let version: Version = serde_json::from_str(json.get()).map_err(damaged)?;
        if let Some(version) = version.v {
            refuse_newer(&self.path, &format!("v in line {number}"), version.get(), L::VERSION)?;
        }
        let record = serde_json::from_str(json.get()).map_err(damaged)?;
        Ok(Stored::read(json, record))
    }
}

fn text_of<L>(lines: &[Arc<Stored<L>>]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(lines.iter().map(|line| line.json().get().len() + 1).sum());
    for line in lines {
        bytes.extend_from_slice(line.json().get().as_bytes());
        bytes.push(b'\n');
    }
    bytes
}

/// Where the last whole line ends. A power cut may leave a prefix of a line, or zeros in the place of its first part:
/// a last line that is no JSON was never finished either.
pub(super) fn whole_lines(bytes: &[u8]) -> usize {
    let end = memchr::memrchr(b'\n', bytes).map_or(0, |newline| newline + 1);
    let Some(line) = bytes[..end].strip_suffix(b"\n") else { return end };
    let start = memchr::memrchr(b'\n', line).map_or(0, |newline| newline + 1);
    let is_json = |line: &[u8]| line.is_empty() || serde_json::from_slice::<&RawValue>(line).is_ok();
    if is_json(&line[start..]) { end } else { start }
}
