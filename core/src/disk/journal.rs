//! A list of JSON lines that grows at its end.
//!
//! One lock for append and prune; the file is opened after locking; one whole line in one write, then `fdatasync`. A
//! power cut may leave a last line without its end: readers skip it with a warning, and the next append sets it aside
//! in `NAME.torn`. A bad line in the middle is damage and a `ParseError`. Behind a writer that died or failed nothing is
//! appended, since a sync may not reach what that one wrote: the file is replaced by its lines and the new one.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::commit::{Contents, Parsed};
use super::document::{describe, is_object, refuse_newer};
use super::lock::{Guard, Mode};
use super::stored::Stored;
use super::wait::Wait;
use super::{Disk, aside};
use crate::error::{Error, Result};
use crate::safety::Sealed;
use crate::warning::Warning;

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
    edited: Edited,
}

/// What a draft has beyond the file.
#[derive(Debug)]
enum Edited {
    Nothing,
    /// One line more, at its end.
    Appended,
    /// Several lines more, of which a power cut could leave any part, or other lines.
    Replaced,
}

/// One change of a journal.
#[derive(Debug)]
pub(super) enum JournalEdit<L> {
    /// A line more; what is too much then goes.
    Append(Arc<Stored<L>>, Limits),
    /// These lines in the place of all.
    Replace(Vec<Arc<Stored<L>>>),
}

impl<L> Default for Journal<L> {
    fn default() -> Self {
        Journal { lines: Vec::new(), torn_at: None, edited: Edited::Nothing }
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
        let guard = self.disk.locks.acquire(&self.path, Mode::Shared, wait, self.patience)?;
        self.disk.load(&self.path, Some(guard))
    }

    /// Appends the line that `line` makes under the exclusive lock, perhaps on another thread, so that what it is dated by
    /// has the order of the file; when `Ok` returns, it is durable. Beyond `limits` the oldest lines go, in the same single
    /// write.
    ///
    /// # Errors
    /// What `line` returns, then nothing of it is written; or as [`read`](Self::read): a damaged file is not appended to.
    pub fn append(
        &self,
        wait: &Wait,
        limits: Limits,
        line: impl FnOnce() -> Result<Sealed<L>> + Send + 'static,
    ) -> Result<Arc<Stored<L>>> {
        self.disk.commit(&self.path, wait, self.patience, move |_: &Journal<L>| {
            let line = Arc::new(Stored::from(line()?));
            Ok((vec![JournalEdit::Append(Arc::clone(&line), limits)], line))
        })
    }

    /// Puts the lines that `change` makes of the present ones in their place, under the exclusive lock; `None` leaves the
    /// file as it is. Returns the answer that comes with them.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn update<T: Send + 'static>(
        &self,
        wait: &Wait,
        change: impl FnOnce(&Journal<L>) -> (Option<Vec<Arc<Stored<L>>>>, T) + Send + 'static,
    ) -> Result<T> {
        self.disk.commit(&self.path, wait, self.patience, move |journal: &Journal<L>| {
            let (lines, answer) = change(journal);
            Ok((lines.map(JournalEdit::Replace).into_iter().collect(), answer))
        })
    }
}

impl<L: Line> Parsed for Journal<L> {
    fn parse(path: &Path, bytes: &[u8]) -> Result<Self> {
        let whole = whole_lines(bytes);
        let mut journal = Journal { torn_at: (whole < bytes.len()).then_some(whole), ..Journal::default() };
        for (index, line) in bytes[..whole].split(|byte| *byte == b'\n').enumerate() {
            if line.is_empty() {
                continue;
            }
            journal.lines.push(Arc::new(parse_line(path, index + 1, line)?));
        }
        Ok(journal)
    }

    fn warning(&self, path: &Path, bytes: &[u8]) -> Option<Warning> {
        let torn_at = self.torn_at?;
        let message = "the last line was never finished; it is skipped, and the next append sets it aside";
        Some(Warning::new(message).at(path).of_bytes(bytes.len().saturating_sub(torn_at)))
    }
}

impl<L: Line> Contents for Journal<L> {
    type Edit = JournalEdit<L>;

    fn load(disk: &Disk, guard: &Guard, path: &Path) -> Result<Arc<Self>> {
        disk.settled(guard, path)
    }

    fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.torn_at.is_none()
    }

    fn draft(&self) -> Self {
        Journal { lines: self.lines.clone(), torn_at: self.torn_at, edited: Edited::Nothing }
    }

    fn apply(&mut self, edit: JournalEdit<L>) {
        match edit {
            JournalEdit::Append(line, limits) => {
                self.lines.push(line);
                let is_pruned = limits.prune(&mut self.lines);
                self.edited = match self.edited {
                    Edited::Nothing if !is_pruned => Edited::Appended,
                    _ => Edited::Replaced,
                };
            }
            JournalEdit::Replace(lines) => {
                self.lines = lines;
                self.edited = Edited::Replaced;
            }
        }
    }

    fn write(self, before: &Arc<Self>, disk: &Disk, guard: &Guard, path: &Path) -> Result<()> {
        disk.sweep(guard, path);
        let (handle, bytes) = match (&self.edited, self.torn_at) {
            (Edited::Appended, None) if !guard.is_behind_unfinished() => {
                let bytes = text_of(&self.lines[self.lines.len() - 1..]);
                let handle = disk.append(guard, path, &bytes, before.lines.is_empty())?;
                // The line itself is durable by now; a failure here only costs the next reader a parse.
                let Ok(bytes) = disk.fs.read(&handle) else { return Ok(()) };
                (handle, bytes)
            }
            (_, torn_at) => {
                if let Some(whole) = torn_at {
                    let mut torn = disk.read_if_there(path)?.unwrap_or_default();
                    torn.drain(..whole.min(torn.len()));
                    aside::keep_tail(disk, guard, path, &torn)?;
                    let message = "an unfinished last line was set aside beside the file, in .torn";
                    disk.warn(Warning::new(message).at(path));
                }
                let bytes = text_of(&self.lines);
                (disk.replace(guard, path, &bytes)?, bytes)
            }
        };
        let journal = Arc::new(Journal { torn_at: None, edited: Edited::Nothing, ..self });
        disk.cache.keep_written(&*disk.fs, path, handle, bytes, &journal);
        Ok(())
    }
}

pub(super) fn parse_line<L: Line>(path: &Path, number: usize, line: &[u8]) -> Result<Stored<L>> {
    #[derive(Deserialize)]
    struct Version {
        v: Option<Box<RawValue>>,
    }
    let damaged = |cause: serde_json::Error| Error::parse(path, format!("line {number}: {}", describe(&cause)));
    let json: Box<RawValue> = serde_json::from_slice(line).map_err(damaged)?;
    if !is_object(&json) {
        return Err(Error::parse(path, format!("line {number} is no object")));
    }
    let version: Version = serde_json::from_str(json.get()).map_err(damaged)?;
    if let Some(version) = version.v {
        refuse_newer(path, &format!("v in line {number}"), version.get(), L::VERSION)?;
    }
    let record = serde_json::from_str(json.get()).map_err(damaged)?;
    Ok(Stored::read(json, record))
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
