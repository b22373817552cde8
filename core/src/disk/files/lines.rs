//! A list of JSON lines that may become very long: appending does not read it, and its last lines can be read without the
//! rest.
//!
//! A crash may leave an incomplete last line. Readers skip it with a warning, and the next append moves it to `NAME.torn`. A
//! damaged line in the middle is skipped too and stays in the file: `doctor.check` reports it.

use std::path::Path;

use serde_json::value::RawValue;

use super::stored::Json;
use super::text::{
    MAX_LIST_BYTES, damaged_lines, describe, is_object, push_line, text_of, too_long, torn_line, whole_lines,
    without_mark,
};
use crate::disk::Disk;
use crate::disk::fs::copying;
use crate::disk::fs::seam::{Fs, Handle, Open, if_there, read_exactly};
use crate::disk::fs::writing;
use crate::disk::locks::lock::Guard;
use crate::error::{Error, Result};
use crate::warning::Warning;

/// The maximum number of lines that are read. With the lines that loopmem writes, the size limit is reached first.
const MAX_LINES: usize = 1 << 24;
/// How many bytes of a list are read at a time.
const CHUNK: usize = 1 << 16;
/// The maximum number of bytes per write, except for a single longer line.
pub(in crate::disk) const MAX_WRITE_BYTES: usize = 1 << 20;

/// One line.
pub(crate) type Line = Json;

/// Reads the lines of a file up to `end`, or all of them; if `limit` is given, only the last `limit`. Damaged lines are skipped
/// with a warning.
pub(in crate::disk) fn read(disk: &Disk, path: &Path, end: Option<u64>, limit: Option<usize>) -> Result<Vec<Line>> {
    disk.check_folders_of(path)?;
    let failed = |cause| Error::io("read", path, &cause);
    let Some(file) = if_there(open(disk, path)).map_err(failed)? else {
        return if end.unwrap_or(0) == 0 { Ok(Vec::new()) } else { Err(too_short(path)) };
    };
    let size = disk.fs.stat(&file).map_err(failed)?.size;
    check_size(path, size)?;
    if end.is_some_and(|end| end > size) {
        return Err(too_short(path));
    }
    if limit == Some(0) {
        return Ok(Vec::new());
    }
    let until = end.unwrap_or(size);
    // Read more until there are enough lines, or no more.
    let mut wanted = limit;
    loop {
        let (start, mut bytes) = read_end(&*disk.fs, &file, until, wanted).map_err(failed)?;
        let mut unfinished = 0;
        if end.is_none() {
            let whole = whole_lines(&bytes);
            unfinished = bytes.len() - whole;
            bytes.truncate(whole);
        }
        let (mut lines, mut skipped) = (Vec::new(), 0);
        let mut offset = start;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if let Some(line) = line.strip_suffix(b"\n").filter(|line| !line.is_empty()) {
                match read_line(path, offset, line) {
                    Ok(line) if lines.len() < MAX_LINES => lines.push(line),
                    Ok(_) => return Err(Error::parse(path, format!("it has more than {MAX_LINES} lines"))),
                    Err(_) => skipped += 1,
                }
            }
            offset += line.len() as u64;
        }
        if let (Some(limit), 1..) = (limit, start)
            && lines.len() < limit
        {
            wanted = wanted.map(|wanted| wanted.saturating_mul(2).saturating_add(skipped));
            continue;
        }
        if unfinished > 0 {
            disk.warn(torn_line(path, unfinished));
        }
        if skipped > 0 {
            disk.warn(damaged_lines(path, skipped));
        }
        if let Some(limit) = limit {
            lines.drain(..lines.len().saturating_sub(limit));
        }
        return Ok(lines);
    }
}

/// Refuses a list that is too large, before reading any of it.
fn check_size(path: &Path, size: u64) -> Result<()> {
    if size > MAX_LIST_BYTES {
        return Err(Error::parse(path, format!("it is {size} bytes long; at most {MAX_LIST_BYTES} are read")));
    }
    Ok(())
}

/// Allocates a buffer of `bytes` bytes, or fails if there is not enough memory.
fn room(bytes: u64) -> std::io::Result<Vec<u8>> {
    let bytes = usize::try_from(bytes).map_err(|_| std::io::ErrorKind::OutOfMemory)?;
    let mut room = Vec::new();
    room.try_reserve_exact(bytes)?;
    room.resize(bytes, 0);
    Ok(room)
}

/// Reads backwards from `end` at least the last `limit` lines and an incomplete one. Returns the offset of the first line read,
/// and the bytes from there.
fn read_end(fs: &dyn Fs, file: &Handle, end: u64, limit: Option<usize>) -> std::io::Result<(u64, Vec<u8>)> {
    let mut start = end;
    let mut bytes = Vec::new();
    // One for the line end before the first wanted line, and one because an incomplete line has none.
    let wanted = limit.map_or(usize::MAX, |limit| limit.saturating_add(2));
    let mut found = 0;
    while start > 0 && found < wanted {
        // Either everything at once, or twice as much each time.
        let length = if limit.is_none() { start } else { start.min(CHUNK.max(bytes.len()) as u64) };
        start -= length;
        let mut chunk = room(length)?;
        read_exactly(fs, file, &mut chunk, start)?;
        found += memchr::memchr_iter(b'\n', &chunk).count();
        chunk.append(&mut bytes);
        bytes = chunk;
    }
    if start > 0 {
        // It begins in the middle of a line that is not needed.
        let line = memchr::memchr(b'\n', &bytes).map_or(bytes.len(), |newline| newline + 1);
        bytes.drain(..line);
        start += line as u64;
    }
    Ok((start, bytes))
}

fn open(disk: &Disk, path: &Path) -> std::io::Result<Handle> {
    let source = copying::source(&*disk.fs, path)?;
    disk.fs.open(&source, Open::Read)
}

/// Parses the line at `offset` of the list at `path`. Its members belong to the host, so it has no version: another format
/// would use another file name.
///
/// # Errors
/// `ParseError`.
pub(crate) fn read_line(path: &Path, offset: u64, line: &[u8]) -> Result<Line> {
    let damaged = |what: &str| Error::parse(path, format!("the line at byte {offset}: {what}"));
    let json: Box<RawValue> = serde_json::from_slice(without_mark(line)).map_err(|cause| damaged(&describe(&cause)))?;
    if is_object(&json) { Ok(Json::stored(json)) } else { Err(damaged("it is not an object")) }
}

/// Which part of a list is valid.
#[derive(Debug, Clone, Copy)]
pub(in crate::disk) enum ListEnd {
    /// All whole lines.
    WholeLines,
    /// The first bytes, up to the length recorded in the file that commits the list; anything beyond was never acknowledged.
    /// `None` if that file is missing or records no length: then the list's contents are moved to `NAME.torn`.
    CommittedLength(Option<u64>),
}

/// An append to a list.
pub(in crate::disk) struct Appended<'l> {
    pub(in crate::disk) path: &'l Path,
    pub(in crate::disk) lines: &'l [Line],
    /// Which part of the list precedes them.
    pub(in crate::disk) end: ListEnd,
}

impl Appended<'_> {
    /// Appends the lines durably, and returns the new length of the list. The lock must be held.
    pub(in crate::disk) fn write(&self, disk: &Disk, guard: &Guard) -> Result<u64> {
        let path = self.path;
        disk.check_folders_of(path)?;
        disk.settle(guard, path)?;
        let stat = if_there(disk.fs.stat_path(path)).map_err(|cause| Error::io("stat", path, &cause))?;
        let size = stat.map_or(0, |stat| stat.size);
        let committed = match self.end {
            ListEnd::CommittedLength(length) => Some(length.unwrap_or(0)),
            ListEnd::WholeLines => None,
        };
        if committed.is_some_and(|committed| committed > size) {
            return Err(too_short(path));
        }
        check_size(path, size)?;
        let more: u64 = self.lines.iter().map(|line| line.get().len() as u64 + 1).sum();
        if size + more > MAX_LIST_BYTES {
            let after = usize::try_from(size + more).unwrap_or(usize::MAX);
            return Err(too_long(path, after, MAX_LIST_BYTES));
        }
        if stat.is_none() {
            writing::create_folders(&*disk.fs, writing::folder_of(path)?, &disk.root)?;
        }
        if size == 0 {
            return self.append(disk, guard, None, 0);
        }
        let file = disk.fs.open(path, Open::Append).map_err(|cause| Error::io("open", path, &cause))?;
        let whole = committed.map_or_else(|| whole(disk, path, &file, size), Ok)?;
        if whole < size {
            let mut bytes = disk.read_if_there(path, MAX_LIST_BYTES)?.unwrap_or_default();
            let whole = usize::try_from(whole).unwrap_or(usize::MAX).min(bytes.len());
            if !matches!(self.end, ListEnd::CommittedLength(Some(_))) {
                disk.keep_tail(guard, path, &[&bytes[whole..]])?;
                disk.warn(Warning::new("incomplete data was moved to the .torn file beside it").at(path));
            }
            bytes.truncate(whole);
            self.lines.iter().for_each(|line| push_line(&mut bytes, line));
            disk.replace(guard, path, &bytes)?;
            return Ok(bytes.len() as u64);
        }
        self.append(disk, guard, Some(file), size)
    }

    /// Appends the lines after the `length` bytes of the list, which is open unless it is empty.
    fn append(&self, disk: &Disk, guard: &Guard, mut file: Option<Handle>, mut length: u64) -> Result<u64> {
        let before = length;
        for batch in batches(self.lines) {
            let appended = match &file {
                Some(file) => disk.append_to(guard, file, length, &batch),
                None => disk.append(guard, self.path, &batch, true).map(|opened| file = Some(opened)),
            };
            let may_stand = length > before && matches!(self.end, ListEnd::WholeLines);
            appended.map_err(|failed| if may_stand { failed.maybe_stored() } else { failed })?;
            length += batch.len() as u64;
        }
        Ok(length)
    }
}

/// The end of the whole lines of a non-empty list.
fn whole(disk: &Disk, path: &Path, file: &Handle, size: u64) -> Result<u64> {
    let failed = |cause| Error::io("read", path, &cause);
    let (start, bytes) = read_end(&*disk.fs, file, size, Some(1)).map_err(failed)?;
    Ok(start + whole_lines(&bytes) as u64)
}

/// Makes the current contents of a list durable if its last writer did not finish: they may have been read by now, and a sync
/// need not cover them.
pub(in crate::disk) fn settle(disk: &Disk, guard: &Guard, path: &Path) -> Result<()> {
    disk.settle(guard, path)?;
    match disk.read_if_there(path, MAX_LIST_BYTES)? {
        Some(bytes) => disk.replace(guard, path, &bytes).map(drop),
        None => Ok(()),
    }
}

/// The text of the lines, split into as few writes as possible.
fn batches(lines: &[Line]) -> Vec<Vec<u8>> {
    let mut batches: Vec<Vec<u8>> = Vec::new();
    for line in lines {
        let length = line.get().len() + 1;
        match batches.last_mut() {
            Some(batch) if batch.len() + length <= MAX_WRITE_BYTES => push_line(batch, line),
            _ => batches.push(text_of(std::iter::once(&**line))),
        }
    }
    batches
}

fn too_short(path: &Path) -> Error {
    Error::parse(path, "it is shorter than the length recorded in the file that commits it")
}
