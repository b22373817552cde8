//! The lines of a [`LineFile`](super::line_file::LineFile) at one moment: where each one is in the file, and a hash of its
//! bytes. The text stays in the file.
//!
//! Lines are grouped in chunks. A new snapshot shares the chunks that did not change with the one before, so whatever is
//! derived from the lines, such as an index, is brought up to date by looking only at chunks with a new id, and in these
//! only at lines with a new hash.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::value::RawValue;
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

use super::stored::Json;
use super::text::{MAX_LIST_BYTES, without_mark};
use crate::disk::Disk;
use crate::disk::fs::seam::{Handle, Stat, read_exactly};
use crate::error::{Error, ErrorKind, Result};
use crate::mutex::lock;

/// The maximum number of lines of a chunk.
const CHUNK_LINES: usize = 1024;

/// A line: the hash of its bytes, their number, and where they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineRef {
    /// A hash of the line without its line end.
    pub(crate) hash: u64,
    pub(super) bytes: u32,
    pub(super) place: Place,
}

/// Where the text of a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In the file, at this offset from the beginning of its chunk.
    File(u32),
    /// In a draft: this pending line.
    Pending(u32),
    /// Removed in a draft.
    Removed,
}

/// Consecutive lines. Two chunks with the same id are the same.
#[derive(Debug)]
pub(crate) struct Chunk {
    id: u64,
    lines: Vec<LineRef>,
}

impl Chunk {
    pub(super) fn new(lines: Vec<LineRef>) -> Arc<Self> {
        static LAST_ID: AtomicU64 = AtomicU64::new(0);
        Arc::new(Chunk { id: LAST_ID.fetch_add(1, Ordering::Relaxed) + 1, lines })
    }

    /// The chunk, at `start`, with its pending lines one after the other from `end` on, the end of the file.
    pub(super) fn with_pending_at(&self, start: u64, end: &mut u64) -> Arc<Self> {
        let mut lines = self.lines.clone();
        for line in lines.iter_mut().filter(|line| matches!(line.place, Place::Pending(_))) {
            line.place = Place::File(u32::try_from(*end - start).unwrap_or(u32::MAX));
            *end += u64::from(line.bytes) + 1;
        }
        Chunk::new(lines)
    }

    /// Identifies it in this process.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// Whether it has lines of a draft.
    pub(super) fn is_pending(&self) -> bool {
        self.lines.iter().any(|line| matches!(line.place, Place::Pending(_)))
    }

    /// Its lines, including blank ones and those that a draft has removed.
    pub(crate) fn lines(&self) -> &[LineRef] {
        &self.lines
    }
}

impl LineRef {
    /// Whether it is empty.
    pub(crate) fn is_blank(&self) -> bool {
        self.bytes == 0
    }

    /// Whether a draft has removed it.
    pub(crate) fn is_removed(&self) -> bool {
        self.place == Place::Removed
    }
}

/// A position in a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineIndex {
    /// The index of the chunk.
    pub(crate) chunk: usize,
    /// The index of the line in it.
    pub(crate) line: usize,
}

/// The file that a snapshot was made of.
pub(super) struct Source {
    pub(super) handle: Handle,
    pub(super) stat: Stat,
    /// Of all bytes.
    pub(super) digest: Xxh3Default,
    /// Whether the file may have changed within the resolution of its timestamps.
    pub(super) is_young: Mutex<bool>,
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source").field("stat", &self.stat).finish_non_exhaustive()
    }
}

/// What follows the last line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Tail {
    #[default]
    Nothing,
    /// JSON without a line end, as an editor may leave it. It is a line like the others.
    Line,
    /// This many bytes of an incomplete line.
    Torn(usize),
}

/// How a draft differs from the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Edited {
    #[default]
    Nothing,
    /// As many lines as this were added at the end.
    Appended(usize),
    /// Lines were changed or removed.
    Replaced,
}

/// One change.
#[derive(Debug)]
pub(crate) enum LineEdit {
    /// Adds a line at the end.
    Append(Json),
    /// Replaces a line, in its place.
    Change(LineIndex, Json),
    /// Removes a line.
    Remove(LineIndex),
}

/// The lines at one moment. The default is that of a missing file.
#[derive(Debug, Default)]
pub(crate) struct LineSnapshot {
    pub(super) chunks: Vec<Arc<Chunk>>,
    /// The offset of each chunk in the file.
    pub(super) starts: Vec<u64>,
    pub(super) source: Option<Arc<Source>>,
    pub(super) tail: Tail,
    /// Lines that a draft adds.
    pub(super) pending: Vec<Json>,
    pub(super) edited: Edited,
}

impl LineSnapshot {
    /// The lines of a file with these bytes, sharing the chunks of `before` that are the same. `check` is called often.
    ///
    /// # Errors
    /// That of `check`.
    pub(in crate::disk) fn of(bytes: &[u8], before: &LineSnapshot, check: &dyn Fn() -> Result<()>) -> Result<Self> {
        let mut snapshot = LineSnapshot::default();
        let end = memchr::memrchr(b'\n', bytes).map_or(0, |newline| newline + 1);
        let (whole, rest) = bytes.split_at(end);
        snapshot.tail = match rest {
            [] => Tail::Nothing,
            _ if serde_json::from_slice::<&RawValue>(without_mark(rest)).is_ok() => Tail::Line,
            _ => Tail::Torn(rest.len()),
        };
        let last = if snapshot.tail == Tail::Line { rest } else { &[] };
        let mut lines = Vec::new();
        let (mut start, mut offset) = (0_usize, 0_usize);
        let ends = memchr::memchr_iter(b'\n', whole).chain((!last.is_empty()).then_some(bytes.len()));
        for end in ends {
            let line = &bytes[offset..end];
            let place = Place::File(u32::try_from(offset - start).unwrap_or(u32::MAX));
            lines.push(LineRef { hash: xxh3_64(line), bytes: u32::try_from(line.len()).unwrap_or(u32::MAX), place });
            offset = end + 1;
            if lines.len() == CHUNK_LINES {
                check()?;
                snapshot.push(std::mem::take(&mut lines), start, before);
                start = offset;
            }
        }
        if !lines.is_empty() {
            snapshot.push(lines, start, before);
        }
        Ok(snapshot)
    }

    /// Adds a chunk, the one of `before` in the same position if it is the same.
    fn push(&mut self, lines: Vec<LineRef>, start: usize, before: &LineSnapshot) {
        let same = before.chunks.get(self.chunks.len()).filter(|old| old.lines == lines);
        self.chunks.push(same.map_or_else(|| Chunk::new(lines), Arc::clone));
        self.starts.push(start as u64);
    }

    /// The chunks, in order.
    pub(crate) fn chunks(&self) -> &[Arc<Chunk>] {
        &self.chunks
    }

    /// Whether there is no file, or it is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.is_empty() && !matches!(self.tail, Tail::Torn(_))
    }

    /// The size of the file in bytes.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.source.as_ref().map_or(0, |source| source.stat.size)
    }

    /// The texts of the lines of a chunk, in order; `None` for a removed one.
    ///
    /// # Errors
    /// `Conflict` if another program has changed the file in place since: load it again. `IOError`.
    pub(crate) fn texts(&self, disk: &Disk, chunk: usize) -> Result<Vec<Option<Vec<u8>>>> {
        let Some(lines) = self.chunks.get(chunk).map(|chunk| chunk.lines()) else { return Ok(Vec::new()) };
        let end = |line: &LineRef| match line.place {
            Place::File(offset) => u64::from(offset) + u64::from(line.bytes),
            Place::Pending(_) | Place::Removed => 0,
        };
        let bytes = self.read_at(disk, chunk, 0, lines.iter().map(end).max().unwrap_or(0))?;
        lines.iter().map(|line| self.text_in(&bytes, 0, line)).collect()
    }

    /// The text of one line; `None` if it is removed.
    ///
    /// # Errors
    /// As [`texts`](Self::texts).
    pub(crate) fn text(&self, disk: &Disk, at: LineIndex) -> Result<Option<Vec<u8>>> {
        let Some(line) = self.chunks.get(at.chunk).and_then(|chunk| chunk.lines().get(at.line)) else {
            return Ok(None);
        };
        let (offset, bytes) = match line.place {
            Place::File(offset) => (offset, self.read_at(disk, at.chunk, offset, u64::from(line.bytes))?),
            Place::Pending(_) | Place::Removed => (0, Vec::new()),
        };
        self.text_in(&bytes, offset, line)
    }

    /// Reads `length` bytes from `offset` in a chunk.
    fn read_at(&self, disk: &Disk, chunk: usize, offset: u32, length: u64) -> Result<Vec<u8>> {
        let (Some(source), Some(start)) = (&self.source, self.starts.get(chunk)) else { return Ok(Vec::new()) };
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        match read_exactly(&*disk.fs, &source.handle, &mut bytes, start + u64::from(offset)) {
            Ok(()) => Ok(bytes),
            Err(cause) if cause.kind() == io::ErrorKind::UnexpectedEof => Err(changed(&source.handle.path)),
            Err(cause) => Err(Error::io("read", &source.handle.path, &cause)),
        }
    }

    /// The text of a line of a chunk, of which `bytes` were read from `offset` on.
    fn text_in(&self, bytes: &[u8], offset: u32, line: &LineRef) -> Result<Option<Vec<u8>>> {
        match line.place {
            Place::Removed => Ok(None),
            Place::Pending(index) => {
                let json = self.pending.get(index as usize).ok_or_else(|| Error::internal("a pending line is gone"))?;
                Ok(Some(json.get().as_bytes().to_vec()))
            }
            Place::File(at) => {
                let start = (at - offset) as usize;
                let text = bytes.get(start..start + line.bytes as usize).filter(|text| xxh3_64(text) == line.hash);
                let path = || self.source.as_ref().map_or(Path::new(""), |source| &source.handle.path).to_owned();
                let text = text.map(|text| Some(text.to_vec()));
                text.ok_or_else(|| {
                    // Its timestamps do not tell, so the next reader compares its contents.
                    self.source.iter().for_each(|source| *lock(&source.is_young) = true);
                    changed(&path())
                })
            }
        }
    }

    /// The end of the lines in a file of `length` bytes.
    pub(in crate::disk) fn end(&self, length: usize) -> usize {
        match self.tail {
            Tail::Torn(torn) => length - torn,
            Tail::Nothing | Tail::Line => length,
        }
    }

    /// A copy of a draft, to read from.
    pub(crate) fn snapshot(&self) -> Self {
        LineSnapshot { pending: self.pending.clone(), ..self.drafted() }
    }

    /// A copy to be edited.
    pub(super) fn drafted(&self) -> Self {
        LineSnapshot {
            chunks: self.chunks.clone(),
            starts: self.starts.clone(),
            source: self.source.clone(),
            tail: self.tail,
            pending: Vec::new(),
            edited: Edited::Nothing,
        }
    }

    /// Applies one edit to a draft. The positions of the other lines stay the same.
    pub(super) fn edit(&mut self, edit: LineEdit) {
        match edit {
            LineEdit::Append(json) => {
                let line = self.add_pending(json);
                match self.chunks.last().filter(|chunk| chunk.lines.len() < CHUNK_LINES) {
                    Some(last) => {
                        let lines = last.lines.iter().copied().chain([line]).collect();
                        let at = self.chunks.len() - 1;
                        self.chunks[at] = Chunk::new(lines);
                    }
                    None => {
                        self.starts.push(self.length() - u64::from(line.bytes) - 1);
                        self.chunks.push(Chunk::new(vec![line]));
                    }
                }
                self.edited = match self.edited {
                    Edited::Nothing => Edited::Appended(1),
                    Edited::Appended(count) => Edited::Appended(count + 1),
                    Edited::Replaced => Edited::Replaced,
                };
            }
            LineEdit::Change(at, json) => {
                let line = self.add_pending(json);
                self.set(at, line);
            }
            LineEdit::Remove(at) => self.set(at, LineRef { hash: 0, bytes: 0, place: Place::Removed }),
        }
    }

    fn add_pending(&mut self, json: Json) -> LineRef {
        let text = json.get().as_bytes();
        let (hash, bytes) = (xxh3_64(text), u32::try_from(text.len()).unwrap_or(u32::MAX));
        let place = Place::Pending(u32::try_from(self.pending.len()).unwrap_or(u32::MAX));
        self.pending.push(json);
        LineRef { hash, bytes, place }
    }

    fn set(&mut self, at: LineIndex, line: LineRef) {
        if let Some(chunk) = self.chunks.get_mut(at.chunk).filter(|chunk| at.line < chunk.lines.len()) {
            let mut lines = chunk.lines.clone();
            lines[at.line] = line;
            *chunk = Chunk::new(lines);
            self.edited = Edited::Replaced;
        }
    }

    /// The bytes of the file with the edits, and the snapshot of it without a source, of a draft of a file with the contents
    /// `old`.
    pub(super) fn applied(&self, old: &[u8]) -> Result<(Vec<u8>, LineSnapshot)> {
        let added: usize = self.pending.iter().map(|json| json.get().len() + 1).sum();
        let mut bytes = Vec::with_capacity(old.len() + added + 1);
        let mut snapshot = LineSnapshot::default();
        for (chunk, start) in self.chunks.iter().zip(&self.starts) {
            let new_start = bytes.len();
            let mut lines = Vec::with_capacity(chunk.lines.len());
            for line in &chunk.lines {
                let offset = u32::try_from(bytes.len() - new_start).unwrap_or(u32::MAX);
                match line.place {
                    Place::Removed => continue,
                    Place::Pending(index) => {
                        let json = self.pending.get(index as usize);
                        bytes.extend_from_slice(json.map_or("", |json| json.get()).as_bytes());
                    }
                    Place::File(at) => {
                        let at = usize::try_from(*start).unwrap_or(usize::MAX).saturating_add(at as usize);
                        let text = old.get(at..at.saturating_add(line.bytes as usize));
                        bytes.extend_from_slice(text.ok_or_else(|| Error::internal("a line is outside of its file"))?);
                    }
                }
                bytes.push(b'\n');
                lines.push(LineRef { place: Place::File(offset), ..*line });
            }
            if !lines.is_empty() {
                snapshot.chunks.push(if lines == chunk.lines { Arc::clone(chunk) } else { Chunk::new(lines) });
                snapshot.starts.push(new_start as u64);
            }
        }
        Ok((bytes, snapshot))
    }

    /// The length of the file with the edits, at most.
    pub(super) fn length(&self) -> u64 {
        self.file_bytes() + self.pending.iter().map(|json| json.get().len() as u64 + 1).sum::<u64>()
    }
}

/// The maximum size of a file of lines, in bytes.
pub(in crate::disk) const MAX_BYTES: u64 = MAX_LIST_BYTES;

/// The error for a file that another program changes while it is read.
pub(super) fn changed(path: &Path) -> Error {
    let message = format!("{} was changed by another program while it was read; try again", path.display());
    Error::new(ErrorKind::Conflict, message).at(path).mark_retryable()
}
