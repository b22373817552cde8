//! A list of JSON lines that grows at its end.
//!
//! One lock for append and prune; the file is opened after locking; one whole line in one write, then `fdatasync`. A
//! power cut may leave a last line without its end: readers skip it with a warning, and the next append sets it aside
//! in `NAME.torn`. A damaged line in the middle is skipped with a warning and counted; it stays where it is until the file
//! is rewritten, and is then set aside in `NAME.torn` too. Behind a writer that died or failed nothing is appended, since
//! a sync may not reach what it wrote: the file is replaced by its lines and the new one.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::cache::Parsed;
use super::commit::Contents;
use super::quarantine;
use super::stored::{MAX_CACHED_BYTES, Row, Stored};
use super::text::{damaged_lines, whole_lines};
use super::text::{describe, is_object, refuse_newer};
use crate::disk::Disk;
use crate::disk::locks::lock::{Guard, Mode};
use crate::disk::locks::wait::WaitOptions;
use crate::error::{Error, ErrorKind, Result};
use crate::safety::Sealed;
use crate::warning::Warning;

/// The size that a journal may have, in bytes.
pub const MAX_JOURNAL_BYTES: u64 = 256 << 20;

/// What a journal's lines are.
pub trait Line: for<'de> Deserialize<'de> + Clone + Send + Sync + 'static {
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
    pub fn prune<L>(self, lines: &mut Vec<Row<Stored<L>>>) -> bool {
        let mut left: usize = lines.iter().map(Row::line_bytes).sum();
        let mut gone = 0;
        while lines.len() - gone > 1 && (lines.len() - gone > self.entries || left > self.bytes) {
            left -= lines[gone].line_bytes();
            gone += 1;
        }
        lines.drain(..gone);
        gone > 0
    }
}

/// A parsed journal, oldest line first.
#[derive(Debug)]
pub struct Journal<L> {
    lines: Vec<Row<Stored<L>>>,
    /// Shared with drafts, since it may be most of the file.
    damaged: Arc<Damaged>,
    /// How much of the file are neither `lines` nor behind `torn_at`, in bytes.
    other_bytes: usize,
    /// Where the whole lines end, when something stands behind them that was never finished.
    torn_at: Option<usize>,
    edited: Edited,
}

/// Lines that are not what they should be, as they are, in one piece: they may be millions of a byte or two.
#[derive(Debug, Default)]
struct Damaged {
    bytes: Vec<u8>,
    count: usize,
}

impl Damaged {
    fn push(&mut self, line: &[u8]) {
        self.bytes.extend_from_slice(line);
        self.bytes.push(b'\n');
        self.count += 1;
    }
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
pub(in crate::disk) enum JournalEdit<L> {
    /// A line more; what is too much then goes.
    Append(Row<Stored<L>>, Limits),
    /// These lines in the place of all.
    Replace(Vec<Row<Stored<L>>>),
}

impl<L> Default for Journal<L> {
    fn default() -> Self {
        Journal { lines: Vec::new(), damaged: Arc::default(), other_bytes: 0, torn_at: None, edited: Edited::Nothing }
    }
}

impl<L> Journal<L> {
    /// The lines in the order of the file, oldest first.
    pub fn lines(&self) -> &[Row<Stored<L>>] {
        &self.lines
    }

    /// How many lines are damaged and were skipped.
    pub fn skipped(&self) -> usize {
        self.damaged.count
    }
}

/// A journal at its path.
#[derive(Debug)]
pub struct JournalFile<'d, L> {
    pub(in crate::disk) disk: &'d Disk,
    pub(in crate::disk) path: PathBuf,
    /// The longest wait for the lock, unless a call has its own.
    pub(in crate::disk) default_timeout: Duration,
    line: std::marker::PhantomData<L>,
}

impl<'d, L: Line> JournalFile<'d, L> {
    /// The journal at `path`; nothing is read or created yet.
    pub fn new(disk: &'d Disk, path: PathBuf, default_timeout: Duration) -> Self {
        JournalFile { disk, path, default_timeout, line: std::marker::PhantomData }
    }

    /// Every line, none when there is no file.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `ParseError`, `FormatTooNew`, `IOError`.
    pub fn read(&self, wait: &WaitOptions) -> Result<Arc<Journal<L>>> {
        let guard = self.disk.locks.acquire(&self.path, Mode::Shared, wait, self.default_timeout)?;
        self.disk.check_folders_under(&guard, &self.path)?;
        self.disk.load(&self.path, Some(guard))
    }

    /// Appends the line that `line` makes under the exclusive lock, perhaps on another thread, so that what it is dated by
    /// has the order of the file; when `Ok` returns, it is durable. Beyond `limits` the oldest lines go, in the same single
    /// write.
    ///
    /// # Errors
    /// What `line` returns, then nothing of it is written; or as [`read`](Self::read).
    pub fn append(
        &self,
        wait: &WaitOptions,
        limits: Limits,
        line: impl FnOnce() -> Result<Sealed<L>> + Send + 'static,
    ) -> Result<Stored<L>> {
        self.disk.commit(&self.path, wait, self.default_timeout, move |_: &Journal<L>| {
            let line = Stored::from(line()?);
            Ok((vec![JournalEdit::Append(Row::Parsed(line.clone()), limits)], line))
        })
    }

    /// Puts the lines that `change` makes of the present ones in their place, under the exclusive lock; `None` leaves the
    /// file as it is. Returns the answer that comes with them.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn update<T: Send + 'static>(
        &self,
        wait: &WaitOptions,
        change: impl FnOnce(&Journal<L>) -> Result<(Option<Vec<Row<Stored<L>>>>, T)> + Send + 'static,
    ) -> Result<T> {
        self.disk.commit(&self.path, wait, self.default_timeout, move |journal: &Journal<L>| {
            let (lines, answer) = change(journal)?;
            Ok((lines.map(JournalEdit::Replace).into_iter().collect(), answer))
        })
    }
}

impl<L: Line> Parsed for Journal<L> {
    const MAX_BYTES: u64 = MAX_JOURNAL_BYTES;

    fn parse(path: &Path, bytes: &[u8]) -> Result<Self> {
        let whole = whole_lines(bytes);
        let is_kept = bytes.len() <= MAX_CACHED_BYTES;
        let mut journal = Journal { torn_at: (whole < bytes.len()).then_some(whole), ..Journal::default() };
        let (mut known, mut damaged) = (0, Damaged::default());
        journal.lines.reserve_exact(memchr::memchr_iter(b'\n', &bytes[..whole]).count());
        for (index, line) in bytes[..whole].split(|byte| *byte == b'\n').enumerate() {
            if line.is_empty() {
                continue;
            }
            match parse_line(path, index + 1, line, is_kept) {
                Ok(stored) => {
                    known += line.len() + 1;
                    journal.lines.push(stored);
                }
                Err(error) if error.kind() == ErrorKind::FormatTooNew => return Err(error),
                Err(_) => damaged.push(line),
            }
        }
        damaged.bytes.shrink_to_fit();
        journal.damaged = Arc::new(damaged);
        journal.other_bytes = whole.saturating_sub(known);
        Ok(journal)
    }

    fn warnings(&self, path: &Path, bytes: &[u8]) -> Vec<Warning> {
        let torn = self.torn_at.map(|torn_at| {
            let message = "the last line was never finished; it is skipped, and the next append sets it aside";
            Warning::new(message).at(path).of_bytes(bytes.len().saturating_sub(torn_at))
        });
        let damaged = (self.skipped() > 0).then(|| damaged_lines(path, self.skipped()));
        torn.into_iter().chain(damaged).collect()
    }
}

impl<L: Line> Contents for Journal<L> {
    type Edit = JournalEdit<L>;

    fn load(disk: &Disk, guard: &Guard, path: &Path) -> Result<Arc<Self>> {
        disk.settled(guard, path)
    }

    fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.skipped() == 0 && self.torn_at.is_none()
    }

    fn draft(&self) -> Self {
        let (damaged, other_bytes) = (Arc::clone(&self.damaged), self.other_bytes);
        Journal { lines: self.lines.clone(), damaged, other_bytes, torn_at: self.torn_at, edited: Edited::Nothing }
    }

    fn apply(&mut self, edit: JournalEdit<L>) {
        match edit {
            JournalEdit::Append(line, limits) => {
                self.lines.push(line);
                // What is damaged counts too: it must not make the file grow for ever.
                let is_too_long = self.other_bytes > 0
                    && self.other_bytes + self.lines.iter().map(Row::line_bytes).sum::<usize>() > limits.bytes;
                let is_pruned = limits.prune(&mut self.lines) || is_too_long;
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
        let (handle, bytes, journal) = match (&self.edited, self.torn_at) {
            (Edited::Appended, None) if !guard.is_behind_unfinished() => {
                let bytes = text_of(&self.lines[self.lines.len() - 1..]);
                let is_new = before.lines.is_empty() && before.other_bytes == 0;
                let handle = disk.append(guard, path, &bytes, is_new)?;
                // The line itself is durable by now; a failure here only costs the next reader a parse.
                let Ok(bytes) = disk.fs.read(&handle, MAX_JOURNAL_BYTES) else { return Ok(()) };
                (handle, bytes, Journal { edited: Edited::Nothing, ..self })
            }
            (_, torn_at) => {
                let file = torn_at.map(|_| disk.read_if_there(path, MAX_JOURNAL_BYTES)).transpose()?.flatten();
                let torn = torn_at.and_then(|whole| file.as_ref()?.get(whole..)).unwrap_or_default();
                let parts = [&*self.damaged.bytes, torn];
                let length = parts.iter().map(|part| part.len()).sum();
                if length > 0 {
                    quarantine::keep_tail(disk, guard, path, &parts)?;
                    let message = "unfinished or damaged lines were set aside beside the file, in .torn";
                    disk.warn(Warning::new(message).at(path).of_bytes(length));
                }
                let bytes = text_of(&self.lines);
                (disk.replace(guard, path, &bytes)?, bytes, Journal { lines: self.lines, ..Journal::default() })
            }
        };
        let journal = Arc::new(journal);
        disk.cache.keep_written(&*disk.fs, path, handle, bytes, &journal);
        Ok(())
    }
}

pub(in crate::disk) fn parse_line<L: Line>(
    path: &Path,
    number: usize,
    line: &[u8],
    is_kept: bool,
) -> Result<Row<Stored<L>>> {
    #[derive(Deserialize)]
    struct Version<'t> {
        #[serde(borrow)]
        v: Option<&'t RawValue>,
    }
    let damaged = |cause: serde_json::Error| Error::parse(path, format!("line {number}: {}", describe(&cause)));
    let json: &RawValue = serde_json::from_slice(line).map_err(damaged)?;
    if !is_object(json) {
        return Err(Error::parse(path, format!("line {number} is not an object")));
    }
    let version: Version<'_> = serde_json::from_str(json.get()).map_err(damaged)?;
    if let Some(version) = version.v {
        refuse_newer(path, &format!("line {number}: v"), version.get(), L::VERSION)?;
    }
    Row::read(json, is_kept, Stored::read).map_err(damaged)
}

fn text_of<L>(lines: &[Row<Stored<L>>]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(lines.iter().map(|line| line.json().get().len() + 1).sum());
    for line in lines {
        bytes.extend_from_slice(line.json().get().as_bytes());
        bytes.push(b'\n');
    }
    bytes
}
