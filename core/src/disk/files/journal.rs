//! A list of JSON lines that is appended to.
//!
//! Append and prune share one lock; the file is opened after locking; each line is one write, followed by `fdatasync`. A power
//! loss may leave an incomplete last line: readers skip it with a warning, and the next append moves it to `NAME.torn`. A
//! damaged line in the middle is skipped with a warning and counted; it stays in the file until that is rewritten, and is then
//! moved to `NAME.torn` too. After a writer that died or failed nothing is appended, since a sync may not cover its bytes: the
//! file is replaced by its lines and the new one.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::cache::Parsed;
use super::commit::{Contents, DataFile};
use super::stored::{MAX_CACHED_BYTES, Row, Stored};
use super::text::{damaged_lines, describe, is_object, refuse_newer, text_of, torn_line, whole_lines, without_mark};
use crate::disk::Disk;
use crate::disk::locks::lock::Guard;
use crate::disk::locks::wait::WaitOptions;
use crate::error::{Error, ErrorKind, Result};
use crate::safety::Sealed;
use crate::warning::Warning;

/// The maximum size of a journal in bytes.
const MAX_JOURNAL_BYTES: u64 = 256 << 20;

/// The type of a journal's lines.
pub trait Line: for<'de> Deserialize<'de> + Clone + Send + Sync + 'static {
    /// The newest `v` that this code reads; a line without `v` has version 1.
    const VERSION: u64;
}

/// The limits of a journal. The newest line is kept regardless of its size.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The maximum number of lines.
    pub entries: usize,
    /// The maximum size in bytes, including line ends.
    pub bytes: usize,
}

impl Limits {
    /// What they leave beside `lines`.
    pub fn without<L>(self, lines: &[Row<Stored<L>>]) -> Self {
        let bytes = lines.iter().map(Row::line_bytes).sum();
        Limits { entries: self.entries.saturating_sub(lines.len()), bytes: self.bytes.saturating_sub(bytes) }
    }

    /// Removes the oldest lines until the rest is within the limits, and returns whether any were removed.
    pub fn prune<L>(self, lines: &mut Vec<Row<Stored<L>>>) -> bool {
        let gone = self.exceeding(lines);
        lines.drain(..gone);
        gone > 0
    }

    /// How many of the oldest of `lines` exceed the limits.
    pub fn exceeding<L>(self, lines: &[Row<Stored<L>>]) -> usize {
        let mut left: usize = lines.iter().map(Row::line_bytes).sum();
        let mut gone = 0;
        while lines.len() - gone > 1 && (lines.len() - gone > self.entries || left > self.bytes) {
            left -= lines[gone].line_bytes();
            gone += 1;
        }
        gone
    }
}

/// A parsed journal, oldest line first.
#[derive(Debug)]
pub struct Journal<L> {
    lines: Vec<Row<Stored<L>>>,
    /// Shared with drafts, since it may be most of the file.
    damaged: Arc<Damaged>,
    /// How many bytes of the file are neither in `lines` nor after `torn_at`.
    other_bytes: usize,
    /// The end of the whole lines, if an incomplete one follows them.
    torn_at: Option<usize>,
    edited: Edited,
}

/// Damaged lines, in one buffer: there may be millions of a byte or two.
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

/// How a draft differs from the file.
#[derive(Debug)]
enum Edited {
    Nothing,
    /// One line was appended.
    Appended,
    /// Several lines were appended, of which a power loss could leave any part, or lines were replaced.
    Replaced,
}

/// One change of a journal.
#[derive(Debug)]
pub enum JournalEdit<L> {
    /// Appends a line, then removes what exceeds the limits.
    Append(Row<Stored<L>>, Limits),
    /// Replaces all lines.
    Replace(Vec<Row<Stored<L>>>),
}

impl<L> Default for Journal<L> {
    fn default() -> Self {
        Journal { lines: Vec::new(), damaged: Arc::default(), other_bytes: 0, torn_at: None, edited: Edited::Nothing }
    }
}

impl<L> Journal<L> {
    /// A journal with these lines.
    pub(crate) fn of(lines: Vec<Row<Stored<L>>>) -> Self {
        Journal { lines, ..Journal::default() }
    }

    /// The lines, oldest first.
    pub fn lines(&self) -> &[Row<Stored<L>>] {
        &self.lines
    }

    /// Whether all of the file is whole lines, so that a replacement would leave nothing out.
    pub(crate) fn is_whole(&self) -> bool {
        self.skipped() == 0 && self.torn_at.is_none()
    }

    /// How many lines are damaged and were skipped.
    pub fn skipped(&self) -> usize {
        self.damaged.count
    }
}

/// A journal file.
pub type JournalFile<'d, L> = DataFile<'d, Journal<L>>;

impl<L: Line> JournalFile<'_, L> {
    /// Appends the line that `line` returns. It is called under the exclusive lock, possibly on another thread, so that
    /// timestamps have the order of the file. The line is durable when this returns `Ok`. The oldest lines beyond `limits` are
    /// removed in the same single write, after `keep` has got them; their number is returned with the line.
    ///
    /// # Errors
    /// The error of `line` or `keep`, in which case nothing is written; those of [`read`](Self::read).
    pub fn append(
        &self,
        wait: &WaitOptions,
        limits: Limits,
        keep: impl FnOnce(Vec<Row<Stored<L>>>) -> Result<()> + Send + 'static,
        line: impl FnOnce() -> Result<Sealed<L>> + Send + 'static,
    ) -> Result<(Stored<L>, usize)> {
        self.update(wait, move |journal| {
            let line = Stored::from(line()?);
            let mut lines = journal.lines().to_vec();
            lines.push(Row::Parsed(line.clone()));
            let gone = limits.exceeding(&lines);
            lines.truncate(gone);
            if gone > 0 {
                keep(lines)?;
            }
            Ok((vec![JournalEdit::Append(Row::Parsed(line.clone()), limits)], (line, gone)))
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
        let torn = self.torn_at.map(|torn_at| torn_line(path, bytes.len().saturating_sub(torn_at)));
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
                // Damaged lines count too, or the file could grow without limit.
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
                let bytes = text_of(self.lines.iter().skip(self.lines.len() - 1).map(Row::json));
                let is_new = before.lines.is_empty() && before.other_bytes == 0;
                let handle = disk.append(guard, path, &bytes, is_new)?;
                // The line is durable by now; a failure here only means that the next reader parses the file.
                let Ok(bytes) = disk.fs.read(&handle, MAX_JOURNAL_BYTES) else { return Ok(()) };
                (handle, bytes, Journal { edited: Edited::Nothing, ..self })
            }
            (_, torn_at) => {
                let file = torn_at.map(|_| disk.read_if_there(path, MAX_JOURNAL_BYTES)).transpose()?.flatten();
                let torn = torn_at.and_then(|whole| file.as_ref()?.get(whole..)).unwrap_or_default();
                let parts = [&*self.damaged.bytes, torn];
                let length = parts.iter().map(|part| part.len()).sum();
                if length > 0 {
                    disk.keep_tail(guard, path, &parts)?;
                    let message = "incomplete or damaged lines were moved to the .torn file beside it";
                    disk.warn(Warning::new(message).at(path).of_bytes(length));
                }
                let bytes = text_of(self.lines.iter().map(Row::json));
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
    let json: &RawValue = serde_json::from_slice(without_mark(line)).map_err(damaged)?;
    if !is_object(json) {
        return Err(Error::parse(path, format!("line {number} is not an object")));
    }
    let version: Version<'_> = serde_json::from_str(json.get()).map_err(damaged)?;
    if let Some(version) = version.v {
        refuse_newer(path, &format!("line {number}: v"), version.get(), L::VERSION)?;
    }
    Row::read(json, is_kept, Stored::read).map_err(damaged)
}
