//! A list of JSON lines that people and other programs edit too, for example because it is kept in a git repository.
//!
//! Adding a line appends it, as in a [journal](super::journal). Changing or removing a line replaces the file, in which all
//! other lines stay as they were, in their order, including blank and damaged ones: what a line means is known only to the room
//! that owns the file. A last line without a line end counts if it is JSON; otherwise it is incomplete, and the next write moves
//! it to `NAME.torn`.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

use super::cache::{is_settled, nanos};
use super::commit::Contents;
use super::journal::{Line, parse_line};
use super::line_snapshot::{Edited, LineEdit, LineSnapshot, MAX_BYTES, Source, Tail, changed};
use super::stored::{Json, Row, Stored};
use super::text::{text_of, too_long, torn_line};
use crate::disk::Disk;
use crate::disk::fs::copying;
use crate::disk::fs::per_process::Recent;
use crate::disk::fs::seam::{Handle, Open, if_there, unread};
use crate::disk::fs::writing::write_all;
use crate::disk::locks::lock::Guard;
use crate::disk::locks::queue::Mode;
use crate::disk::locks::wait::WaitOptions;
use crate::error::{Error, Result};
use crate::mutex::lock;
use crate::warning::Warning;

/// How many snapshots are kept. The least recently used one is dropped first.
const CAPACITY: usize = 32;

/// The last snapshot of each file.
#[derive(Debug)]
pub(in crate::disk) struct Snapshots(Recent<Arc<LineSnapshot>>);

impl Default for Snapshots {
    fn default() -> Self {
        Snapshots(Recent::new(CAPACITY))
    }
}

/// A file of lines.
#[derive(Debug)]
pub(crate) struct LineFile<'d> {
    pub(in crate::disk) disk: &'d Disk,
    pub(in crate::disk) path: PathBuf,
    /// The longest wait for the lock, unless the call sets its own.
    pub(in crate::disk) default_timeout: Duration,
    /// Whether only loopmem writes it.
    pub(in crate::disk) is_private: bool,
}

impl<'d> LineFile<'d> {
    /// The file at `path`; nothing is read or created yet.
    pub(crate) fn new(disk: &'d Disk, path: PathBuf, default_timeout: Duration) -> Self {
        LineFile { disk, path, default_timeout, is_private: false }
    }

    /// The file at `path`, which only loopmem writes. Each of its changes appends or replaces the file, so its size and its
    /// inode tell whether it has changed, even where its times are too coarse.
    pub(crate) fn private(disk: &'d Disk, path: PathBuf, default_timeout: Duration) -> Self {
        LineFile { is_private: true, ..LineFile::new(disk, path, default_timeout) }
    }

    /// The lines; none if there is no file.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `IOError`; `ParseError` if the file is too large.
    pub(crate) fn read(&self, wait: &WaitOptions) -> Result<Arc<LineSnapshot>> {
        let guard = self.disk.lock(&self.path, Mode::Shared, wait, self.default_timeout)?;
        self.disk.check_folders_under(&guard, &self.path)?;
        load(self.disk, &self.path, self.is_private, &|| wait.cancel.check())
    }

    /// Removes what was set aside of the file, and what dead writers left beside it: for what may leave no trace.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `IOError`.
    pub(crate) fn clear_beside(&self, wait: &WaitOptions) -> Result<()> {
        // No lock file is created where there is nothing.
        if self.disk.beside(&self.path)?.is_empty() {
            return Ok(());
        }
        let guard = self.disk.lock(&self.path, Mode::Exclusive, wait, self.default_timeout)?;
        self.disk.clear_beside(&guard, &self.path)
    }

    /// Adds the lines that `lines` returns without waiting until they are durable: they survive the end of this process, but not
    /// necessarily a power loss. Returns the length of the file.
    ///
    /// # Errors
    /// As [`update`](Self::update).
    pub(crate) fn append_lazily(&self, wait: &WaitOptions, lines: impl FnOnce() -> Result<Vec<Json>>) -> Result<u64> {
        let guard = self.disk.lock(&self.path, Mode::Exclusive, wait, self.default_timeout)?;
        self.disk.check_folders_under(&guard, &self.path)?;
        self.disk.settle(&guard, &self.path)?;
        let before = load(self.disk, &self.path, self.is_private, &|| wait.cancel.check())?;
        let mut draft = before.draft();
        lines()?.into_iter().for_each(|json| draft.edit(LineEdit::Append(json)));
        let length = draft.length();
        if draft.pending.is_empty() {
            return Ok(length);
        }
        if draft.tail != Tail::Nothing || draft.source.is_none() {
            draft.write(&before, self.disk, &guard, &self.path)?;
            return Ok(length);
        }
        let bytes = text_of(draft.pending.iter().map(|json| &**json));
        let failed = |cause: std::io::Error| Error::io("append to", &self.path, &cause);
        let handle = self.disk.fs.open(&self.path, Open::Append).map_err(failed)?;
        write_all(&*self.disk.fs, &handle, &bytes)?;
        let snapshot = draft.appended(self.disk, handle, &bytes);
        self.disk.snapshots.0.put(&self.path, snapshot.map_or_else(Arc::default, Arc::new));
        Ok(length)
    }

    /// Applies the edits that `change` returns under the exclusive lock, possibly on another thread, and returns the answer that
    /// comes with them. The edits are durable when this returns `Ok`. Without edits nothing is written.
    ///
    /// # Errors
    /// The error of `change`, in which case nothing of it is written; `ValidationError` if the file would become too large;
    /// `Conflict` if another program is writing to the file; those of [`read`](Self::read); `RenameError`.
    pub(crate) fn update<T: Send + 'static>(
        &self,
        wait: &WaitOptions,
        change: impl FnOnce(&LineSnapshot) -> Result<(Vec<LineEdit>, T)> + Send + 'static,
    ) -> Result<T> {
        self.disk.commit(&self.path, wait, self.default_timeout, change)
    }
}

/// The record on a line, as it is stored.
///
/// # Errors
/// `ParseError` for anything but such a record; `FormatTooNew`.
pub(crate) fn read_record<L: Line>(path: &Path, number: usize, line: &[u8]) -> Result<Stored<L>> {
    match parse_line(path, number, line, true)? {
        Row::Parsed(stored) => Ok(stored),
        Row::Raw(_) => Err(Error::internal("a line was not parsed")),
    }
}

/// The current lines of the file at `path`, whose lock must be held.
fn load(disk: &Disk, path: &Path, is_private: bool, check: &dyn Fn() -> Result<()>) -> Result<Arc<LineSnapshot>> {
    let fs = &*disk.fs;
    let failed = |cause: std::io::Error| unread(path, &cause);
    let known = disk.snapshots.0.get(path);
    let stat = if_there(fs.stat_path(path)).map_err(failed)?;
    let source = known.as_ref().and_then(|known| known.source.as_ref());
    if let (Some(known), Some(source), Some(stat)) = (&known, source, &stat)
        && source.stat == *stat
        && (is_private || !*lock(&source.is_young))
    {
        return Ok(Arc::clone(known));
    }
    // The clock is read first: a file that settles while it is read was still too young.
    let now = nanos(fs.now());
    let Some((handle, stat, bytes)) = copying::read(fs, path, MAX_BYTES).map_err(failed)? else {
        return Ok(Arc::default());
    };
    let mut digest = Xxh3Default::new();
    digest.update(&bytes);
    let is_young = !is_settled(now, &stat);
    if let (Some(known), Some(source)) = (&known, source)
        && source.stat == stat
        && source.digest.digest() == digest.digest()
    {
        *lock(&source.is_young) = is_young;
        return Ok(Arc::clone(known));
    }
    let before = known.unwrap_or_default();
    let mut snapshot = LineSnapshot::of(&bytes, &before, check)?;
    if let Tail::Torn(bytes) = snapshot.tail {
        disk.warn(torn_line(path, bytes));
    }
    snapshot.source = Some(Arc::new(Source { handle, stat, digest, is_young: Mutex::new(is_young) }));
    let snapshot = Arc::new(snapshot);
    disk.snapshots.0.put(path, Arc::clone(&snapshot));
    Ok(snapshot)
}

impl Contents for LineSnapshot {
    type Edit = LineEdit;

    fn load(disk: &Disk, guard: &Guard, path: &Path) -> Result<Arc<Self>> {
        disk.check_folders_under(guard, path)?;
        disk.settle(guard, path)?;
        // It is for all who wait, whichever of them is cancelled.
        load(disk, path, false, &|| Ok(()))
    }

    fn is_empty(&self) -> bool {
        LineSnapshot::is_empty(self)
    }

    fn draft(&self) -> Self {
        self.drafted()
    }

    fn check(&self, path: &Path, edits: &[LineEdit]) -> Result<()> {
        let added = |edit: &LineEdit| match edit {
            LineEdit::Append(json) | LineEdit::Change(_, json) => json.get().len() as u64 + 1,
            LineEdit::Remove(_) => 0,
        };
        let length = self.length() + edits.iter().map(added).sum::<u64>();
        match usize::try_from(length) {
            Ok(length) if length as u64 > MAX_BYTES => Err(too_long(path, length, MAX_BYTES)),
            _ => Ok(()),
        }
    }

    fn apply(&mut self, edit: LineEdit) {
        self.edit(edit);
    }

    fn write(self, _: &Arc<Self>, disk: &Disk, guard: &Guard, path: &Path) -> Result<()> {
        disk.sweep(guard, path);
        let is_plain = self.tail == Tail::Nothing && !guard.is_behind_unfinished();
        let snapshot = match self.edited {
            // A power loss could leave any part of several lines.
            Edited::Appended(1) if is_plain => {
                let line = text_of(self.pending.iter().map(|json| &**json));
                let handle = disk.append(guard, path, &line, self.source.is_none())?;
                self.appended(disk, handle, &line)
            }
            _ => self.replaced(disk, guard, path)?,
        };
        // Without a snapshot, the next reader reads the file.
        disk.snapshots.0.put(path, snapshot.map_or_else(Arc::default, Arc::new));
        Ok(())
    }
}

impl LineSnapshot {
    /// The snapshot of the file with the appended lines of this draft; `None` if its state is unknown.
    fn appended(self, disk: &Disk, handle: Handle, lines: &[u8]) -> Option<LineSnapshot> {
        let mut digest = self.source.as_ref().map_or_else(Xxh3Default::new, |source| source.digest.clone());
        digest.update(lines);
        let length = self.source.as_ref().map_or(0, |source| source.stat.size);
        // The system's timestamps are as coarse as its clock ticks: what another program writes in the same tick would go
        // unnoticed. A timestamp set here is finer than that.
        let now = disk.fs.now();
        let is_stamped = disk.fs.set_modified(&handle, now).is_ok();
        let stat = disk.fs.stat(&handle).ok().filter(|stat| stat.size == length + lines.len() as u64)?;
        let is_young = !is_stamped || stat.modified != nanos(now);
        let mut snapshot = self;
        let mut end = length;
        for (chunk, start) in snapshot.chunks.iter_mut().zip(&snapshot.starts) {
            if chunk.is_pending() {
                *chunk = chunk.with_pending_at(*start, &mut end);
            }
        }
        snapshot.source = Some(Arc::new(Source { handle, stat, digest, is_young: Mutex::new(is_young) }));
        (snapshot.pending, snapshot.edited) = (Vec::new(), Edited::Nothing);
        Some(snapshot)
    }

    /// Replaces the file by the lines of this draft.
    fn replaced(&self, disk: &Disk, guard: &Guard, path: &Path) -> Result<Option<LineSnapshot>> {
        let old = match &self.source {
            Some(source) => {
                let old = disk.fs.read(&source.handle, MAX_BYTES).map_err(|cause| unread(path, &cause))?;
                if xxh3_64(&old) != source.digest.digest() {
                    return Err(changed(path));
                }
                old
            }
            None => Vec::new(),
        };
        if let Tail::Torn(torn) = self.tail {
            disk.keep_tail(guard, path, &[old.get(old.len() - torn..).unwrap_or_default()])?;
            let message = "an incomplete line was moved to the .torn file beside it";
            disk.warn(Warning::new(message).at(path).of_bytes(torn));
        }
        let (bytes, mut snapshot) = self.applied(&old)?;
        drop(old);
        let handle = disk.replace(guard, path, &bytes)?;
        let mut digest = Xxh3Default::new();
        digest.update(&bytes);
        let Ok(stat) = disk.fs.stat(&handle) else { return Ok(None) };
        snapshot.source = Some(Arc::new(Source { handle, stat, digest, is_young: Mutex::new(true) }));
        Ok(Some(snapshot))
    }
}
