//! A folder of values and lists that share one lock and change together.
//!
//! A value is a file `NAME.json` ([`Value`](super::value)), a list is a file `NAME.jsonl` of JSON lines. A transaction may
//! change several of them, depending on their current contents. If a list records the changes of a value, writing the value's
//! file commits both. Waiting writers of one process are committed together ([`commit`](super::commit)). The lock files are
//! beside the folder, so that the folder can be removed as a whole.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::commit::Contents;
use super::lines::{self, Appended, Line, ListEnd};
use super::stored::Json;
use super::text;
use super::value::Value;
use crate::disk::Disk;
use crate::disk::fs::seam::{Kind, if_there};
use crate::disk::fs::writing::{self, beside};
use crate::disk::locks::lock::Guard;
use crate::disk::locks::queue::Mode;
use crate::disk::locks::wait::WaitOptions;
use crate::error::{Error, ErrorKind, Result};
use crate::mutex::lock;
use crate::safety::Sealed;

/// The separator between the name of a deleted folder and a unique suffix.
pub(in crate::disk) const DELETED: &str = ".deleted-";

/// One write in a folder. Names are those of the files.
#[derive(Debug)]
pub enum FolderEdit {
    /// Writes a value to its file.
    Set {
        /// The value's file.
        name: PathBuf,
        /// The value.
        value: Sealed<()>,
        /// The list that records the value's changes, and the entry for this one.
        trail_entry: Option<(PathBuf, Sealed<()>)>,
    },
    /// Appends an item to a list.
    Push {
        /// The list's file.
        name: PathBuf,
        /// The item.
        item: Sealed<()>,
    },
    /// Removes the file of a value.
    Remove {
        /// The value's file.
        name: PathBuf,
    },
}

/// The pending writes of a folder, from the changes decided so far.
#[derive(Debug, Default)]
pub struct FolderTransaction {
    /// In the order in which they are written.
    values: Vec<PendingWrite>,
    lists: Vec<(PathBuf, Vec<Line>)>,
    /// The files that were read for those decisions.
    read: Mutex<HashMap<PathBuf, Arc<Value>>>,
}

#[derive(Debug)]
struct PendingWrite {
    name: PathBuf,
    /// `None` removes the file.
    value: Option<Json>,
    trail_entry: Option<(PathBuf, Vec<Line>)>,
}

impl FolderTransaction {
    /// The value of a file in `folder`, including pending writes.
    pub fn value(&self, folder: &Folder<'_>, name: &Path) -> Result<Option<Json>> {
        if let Some(write) = self.values.iter().find(|write| write.name == name) {
            return Ok(write.value.clone());
        }
        if let Some(value) = lock(&self.read).get(name) {
            return Ok(value.json.clone());
        }
        let value = folder.parsed(name)?;
        let json = value.json.clone();
        lock(&self.read).insert(name.to_owned(), value);
        Ok(json)
    }
}

/// A folder of values and lists.
#[derive(Debug)]
pub struct Folder<'d> {
    pub(in crate::disk) disk: &'d Disk,
    pub(in crate::disk) path: PathBuf,
    /// The longest wait for the lock, unless the call sets its own.
    pub(in crate::disk) default_timeout: Duration,
}

impl<'d> Folder<'d> {
    /// Returns the folder at `path`; nothing is read or created yet.
    pub fn new(disk: &'d Disk, path: PathBuf, default_timeout: Duration) -> Self {
        Folder { disk, path, default_timeout }
    }

    /// Reads a value; `None` if there is no file. If it is cached, this takes a lock and a `stat`.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `ParseError`, `FormatTooNew`, `IOError`.
    pub fn value(&self, wait: &WaitOptions, name: &Path) -> Result<Option<Json>> {
        let guard = self.lock(wait, Mode::Shared)?;
        let path = self.path.join(name);
        self.disk.check_within(&self.path, &path)?;
        let value = self.disk.load::<Value>(&path, Some(guard))?;
        Ok(value.json.clone())
    }

    /// Reads the items of a list, or the last `limit` of them. If the list records the changes of the value in `of`, only the
    /// committed items are returned.
    pub fn list(&self, wait: &WaitOptions, name: &Path, of: Option<&Path>, limit: Option<usize>) -> Result<Vec<Json>> {
        let guard = self.lock(wait, Mode::Shared)?;
        loop {
            let value = of.map(|of| self.parsed(of)).transpose()?;
            let end = value.as_ref().map(|value| value.list_bytes.unwrap_or(0));
            let read = lines::read(self.disk, &self.path.join(name), end, limit);
            // Without a reader's lock, the folder may be removed and created again meanwhile.
            let is_unchanged = || match (&value, of) {
                (Some(before), Some(of)) => self.parsed(of).is_ok_and(|now| before.has_same_contents(&now)),
                _ => true,
            };
            if read.is_ok() || guard.is_locked() || is_unchanged() {
                return read;
            }
        }
    }

    /// Reads and parses the file of a value.
    fn parsed(&self, name: &Path) -> Result<Arc<Value>> {
        let path = self.path.join(name);
        self.disk.check_within(&self.path, &path)?;
        self.disk.load::<Value>(&path, None)
    }

    /// Applies the edits that `change` returns under the exclusive lock, possibly on another thread, and returns the answer
    /// that comes with them. The edits are durable when this returns `Ok`. Without edits nothing is written.
    ///
    /// Values are written in the order of the edits. Removals come last.
    ///
    /// # Errors
    /// The error of `change`, in which case nothing of it is written; the same as [`value`](Self::value); `RenameError`.
    pub fn update<T: Send + 'static>(
        &self,
        wait: &WaitOptions,
        change: impl FnOnce(&FolderTransaction) -> Result<(Vec<FolderEdit>, T)> + Send + 'static,
    ) -> Result<T> {
        self.disk.commit(&self.path, wait, self.default_timeout, change)
    }

    /// Reads a value. The lock must be held.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    pub(crate) fn value_under_lock(&self, name: &Path) -> Result<Option<Json>> {
        Ok(self.parsed(name)?.json.clone())
    }

    /// Reads one of its files. The lock must be held.
    pub(crate) fn bytes_under_lock(&self, name: &Path) -> Result<Option<Vec<u8>>> {
        self.disk.read_data(&self.path.join(name), text::MAX_LIST_BYTES)
    }

    /// Removes the folder atomically, and returns whether it contained a file that `counts`. If it did, `before` is called under
    /// the lock.
    ///
    /// # Errors
    /// Those of `before`, in which case nothing is removed; `LockAcquisitionError`, `Cancelled`, `IOError`, `RenameError`.
    pub fn remove(
        &self,
        wait: &WaitOptions,
        counts: impl Fn(&Path) -> bool,
        before: &mut dyn FnMut() -> Result<()>,
    ) -> Result<bool> {
        // No lock file is created in an empty home. If there is one, an earlier removal may have been interrupted.
        self.disk.check_folders_of(&self.path)?;
        if self.disk.stat(&self.path)?.is_none() && self.disk.stat(&beside(&self.path, ".lock"))?.is_none() {
            return Ok(false);
        }
        let guard = self.lock(wait, Mode::Exclusive)?;
        self.disk.check_folder(&self.path)?;
        self.disk.sweep_owners(&guard, &self.path);
        let was_there = self.disk.entries(&self.path)?.iter().any(|(name, _)| counts(Path::new(name)));
        if was_there {
            before()?;
        }
        let parent = writing::folder_of(&self.path)?;
        if self.disk.stat(&self.path)?.is_some() {
            let gone = beside(&self.path, &format!("{DELETED}{}", uuid::Uuid::new_v4().simple()));
            guard.confirm()?;
            guard.leave_unfinished(true);
            self.disk.fs.rename(&self.path, &gone).map_err(|cause| {
                let message = format!("{} could not be renamed", self.path.display());
                Error::new(ErrorKind::Rename, message).at(&self.path).because_of(&cause)
            })?;
            writing::sync_folder(&*self.disk.fs, parent).map_err(Error::maybe_stored)?;
        } else if guard.is_behind_unfinished() {
            writing::sync_folder(&*self.disk.fs, parent)?;
        }
        guard.leave_unfinished(false);
        clear_deleted(self.disk, &self.path);
        Ok(was_there)
    }

    fn lock(&self, wait: &WaitOptions, mode: Mode) -> Result<Guard> {
        self.disk.locks.acquire(&self.path, mode, wait, self.default_timeout)
    }
}

impl Contents for FolderTransaction {
    type Edit = FolderEdit;

    fn load(disk: &Disk, guard: &Guard, path: &Path) -> Result<Arc<Self>> {
        // The lock is beside the folder, so the folder itself has not been checked yet.
        disk.check_folder(path)?;
        if guard.is_behind_unfinished() {
            disk.sweep_again(path);
            settle(disk, guard, path)?;
        }
        // Each change reads what it needs.
        Ok(Arc::default())
    }

    fn is_empty(&self) -> bool {
        // Unknown before its files are read.
        false
    }

    fn draft(&self) -> Self {
        FolderTransaction::default()
    }

    fn apply(&mut self, edit: FolderEdit) {
        match edit {
            FolderEdit::Set { name, value, trail_entry } => {
                let trail_entry = trail_entry.map(|(list, item)| (list, Json::from(item)));
                self.draft_value(name, Some(Json::from(value)), trail_entry);
            }
            FolderEdit::Remove { name } => self.draft_value(name, None, None),
            FolderEdit::Push { name, item } => {
                let item = Json::from(item);
                match self.lists.iter_mut().find(|(list, _)| *list == name) {
                    Some((_, items)) => items.push(item),
                    None => self.lists.push((name, vec![item])),
                }
            }
        }
    }

    fn write(self, _: &Arc<Self>, disk: &Disk, guard: &Guard, path: &Path) -> Result<()> {
        disk.sweep_folder(guard, path);
        self.put(disk, guard, path).inspect_err(|_| disk.sweep_again(path))?;
        guard.leave_unfinished(false);
        Ok(())
    }
}

impl FolderTransaction {
    /// Adds a pending write. It comes after all earlier ones, so that whatever the value refers to is written before it.
    fn draft_value(&mut self, name: PathBuf, value: Option<Json>, trail_entry: Option<(PathBuf, Line)>) {
        let before =
            self.values.iter().position(|write| write.name == name).map(|position| self.values.remove(position));
        let mut lists = before.and_then(|write| write.trail_entry);
        if let Some((list, item)) = trail_entry {
            lists.get_or_insert_with(|| (list, Vec::new())).1.push(item);
        }
        self.values.push(PendingWrite { name, value, trail_entry: lists });
    }

    fn put(self, disk: &Disk, guard: &Guard, path: &Path) -> Result<()> {
        let (set, removed): (Vec<_>, Vec<_>) = self.values.into_iter().partition(|write| write.value.is_some());
        // What was written before a failure remains, and may belong to any call in this commit.
        let mut is_begun = false;
        let mut after = |written: Result<()>| {
            let written = if is_begun { written.map_err(Error::maybe_stored) } else { written };
            is_begun = true;
            written
        };
        for (name, items) in &self.lists {
            let appended = Appended { path: &path.join(name), lines: items, end: ListEnd::WholeLines };
            after(appended.write(disk, guard).map(drop))?;
        }
        for PendingWrite { name, value, trail_entry } in set {
            let Some(value) = value else { continue };
            let before = lock(&self.read).remove(&name);
            after(set_value(disk, guard, path, &name, before, value, trail_entry))?;
        }
        for write in removed {
            after(remove_value(disk, guard, &path.join(&write.name)))?;
        }
        Ok(())
    }
}

/// Removes the remains of deleted folders, including those of earlier, interrupted calls. Nothing reads them any more, so
/// failures are ignored.
fn clear_deleted(disk: &Disk, folder: &Path) {
    let mut prefix = folder.file_name().unwrap_or_default().to_owned();
    prefix.push(DELETED);
    let is_left = |name: &OsString| name.as_encoded_bytes().starts_with(prefix.as_encoded_bytes());
    let Some(parent) = folder.parent() else { return };
    for (name, stat) in disk.entries_called(parent, is_left).unwrap_or_default() {
        clear(disk, &parent.join(name), stat.kind);
    }
}

/// Removes a file or folder that nothing reads, ignoring failures. A link is removed, not followed.
pub(in crate::disk) fn clear(disk: &Disk, path: &Path, kind: Kind) {
    if kind == Kind::Folder {
        for (name, stat) in disk.entries(path).unwrap_or_default() {
            clear(disk, &path.join(name), stat.kind);
        }
        let _ = disk.fs.remove_folder(path);
    } else {
        let _ = disk.fs.remove(path);
    }
}

fn set_value(
    disk: &Disk,
    guard: &Guard,
    folder: &Path,
    name: &Path,
    before: Option<Arc<Value>>,
    value: Json,
    trail_entry: Option<(PathBuf, Vec<Line>)>,
) -> Result<()> {
    let path = folder.join(name);
    disk.check_within(folder, &path)?;
    disk.settle(guard, &path)?;
    // What was read under this lock is still current.
    let before = before.map_or_else(|| disk.load::<Value>(&path, None), Ok)?;
    let list_bytes = match trail_entry {
        Some((list, items)) => {
            let end = ListEnd::CommittedLength(before.list_bytes);
            Some(Appended { path: &folder.join(list), lines: &items, end }.write(disk, guard)?)
        }
        None => before.list_bytes,
    };
    if before.json.is_none() {
        writing::create_folders(&*disk.fs, writing::folder_of(&path)?, &disk.root)?;
    }
    let after = Arc::new(before.with_value(value, list_bytes));
    let bytes = after.to_bytes();
    let handle = disk.put(guard, &path, &bytes)?;
    disk.cache.keep_written(&*disk.fs, &path, handle, bytes, &after);
    Ok(())
}

fn remove_value(disk: &Disk, guard: &Guard, path: &Path) -> Result<()> {
    disk.check_folders_of(path)?;
    disk.settle(guard, path)?;
    let failed = |cause| Error::io("remove", path, &cause);
    guard.confirm()?;
    guard.leave_unfinished(true);
    if if_there(disk.fs.remove(path)).map_err(failed)?.is_some() {
        writing::sync_folder(&*disk.fs, writing::folder_of(path)?).map_err(Error::maybe_stored)?;
    }
    Ok(())
}

/// Makes the writes of a dead or failed writer durable, since they may have been read by now.
fn settle(disk: &Disk, guard: &Guard, folder: &Path) -> Result<()> {
    if disk.stat(folder)?.is_some() {
        settle_files(disk, guard, folder)?;
    }
    writing::sync_folder(&*disk.fs, writing::folder_of(folder)?)?;
    clear_deleted(disk, folder);
    Ok(())
}

fn settle_files(disk: &Disk, guard: &Guard, folder: &Path) -> Result<()> {
    for (name, stat) in disk.entries(folder)? {
        let path = folder.join(name);
        match (stat.kind, path.extension().and_then(OsStr::to_str)) {
            (Kind::File, Some("jsonl")) => lines::settle(disk, guard, &path)?,
            (Kind::File, Some("copying")) => disk.settle(guard, &path.with_extension(""))?,
            (Kind::Folder, _) => settle_files(disk, guard, &path)?,
            _ => {}
        }
        guard.leave_unfinished(true);
    }
    writing::sync_folder(&*disk.fs, folder)
}
