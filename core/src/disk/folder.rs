//! A folder of values and lists under one lock, which change together.
//!
//! A value is a file `NAME.json` ([`Value`](super::value)), a list a file `NAME.jsonl` of JSON lines. Whoever changes
//! several decides by what stands there; of a value and the list that tells of its changes the value's file is what
//! commits both. Writers of one process that wait are written together ([`commit`](super::commit)). The lock files stand
//! beside the folder, so that it can go as a whole.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;

use super::commit::Contents;
use super::lines::{self, Appended, Line};
use super::lock::{Guard, Mode, beside};
use super::seam::{Kind, if_there};
use super::value::Value;
use super::wait::Wait;
use super::{Disk, copy, durable};
use crate::error::{Error, ErrorKind, Result};
use crate::safety::Sealed;

/// What stands between the name of a folder that was deleted and a number.
const DELETED: &str = ".deleted-";

/// One write in a folder. Names are those of the files.
#[derive(Debug)]
pub enum FolderEdit {
    /// Puts a value in a file.
    Set {
        /// The value's file.
        name: PathBuf,
        /// The value.
        value: Sealed<()>,
        /// The list that tells of its changes, and what it is told.
        told: Option<(PathBuf, Sealed<()>)>,
    },
    /// Puts an item behind the others of a list.
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

/// What is to be written in a folder, by the changes that were decided so far.
#[derive(Debug, Default)]
pub struct FolderDraft {
    /// In the order in which they are written.
    values: Vec<Drafted>,
    lists: Vec<(PathBuf, Vec<Line>)>,
}

#[derive(Debug)]
struct Drafted {
    name: PathBuf,
    /// `None`: the file goes.
    value: Option<Arc<RawValue>>,
    told: Option<(PathBuf, Vec<Line>)>,
}

impl FolderDraft {
    /// What the file will hold: `None` when no change so far is of it, `Some(None)` when it will be gone.
    pub fn value(&self, name: &Path) -> Option<Option<Arc<RawValue>>> {
        self.values.iter().find(|drafted| drafted.name == name).map(|drafted| drafted.value.clone())
    }
}

/// A folder at its path.
#[derive(Debug)]
pub struct Folder<'d> {
    disk: &'d Disk,
    path: PathBuf,
    /// The longest wait for the lock, unless a call has its own.
    patience: Duration,
}

impl<'d> Folder<'d> {
    /// The folder at `path`; nothing is read or created yet.
    pub fn new(disk: &'d Disk, path: PathBuf, patience: Duration) -> Self {
        Folder { disk, path, patience }
    }

    /// The value in a file, `None` when there is no file. Warm, this is a lock and a `stat`.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `ParseError`, `FormatTooNew`, `IOError`.
    pub fn value(&self, wait: &Wait, name: &Path) -> Result<Option<Arc<RawValue>>> {
        let guard = self.lock(wait, Mode::Shared)?;
        let value = self.disk.load::<Value>(&self.path.join(name), Some(guard))?;
        Ok(value.json.clone())
    }

    /// As [`value`](Self::value), for somebody who holds the lock: within the change of [`update`](Self::update).
    ///
    /// # Errors
    /// As [`value`](Self::value).
    pub fn value_under_lock(&self, name: &Path) -> Result<Option<Arc<RawValue>>> {
        let value = self.disk.load::<Value>(&self.path.join(name), None)?;
        Ok(value.json.clone())
    }

    /// The items of a list, or the last `most` of them; of a list that tells of the changes of the value in `of`, those
    /// that belong to it.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    pub fn list(&self, wait: &Wait, name: &Path, of: Option<&Path>, most: Option<usize>) -> Result<Vec<Arc<RawValue>>> {
        let _guard = self.lock(wait, Mode::Shared)?;
        let end = match of {
            Some(of) => Some(self.disk.load::<Value>(&self.path.join(of), None)?.list_bytes.unwrap_or(0)),
            None => None,
        };
        lines::read(self.disk, &self.path.join(name), end, most)
    }

    /// Makes the edits that `change` decides on under the lock, perhaps on another thread, and returns the answer that
    /// comes with them; when `Ok` returns, they are durable. Without edits nothing is written.
    ///
    /// Values are written in the order of the edits, and removed behind all of them.
    ///
    /// # Errors
    /// What `change` returns, then nothing of it is written; as [`value`](Self::value), and `RenameError`.
    pub fn update<T: Send + 'static>(
        &self,
        wait: &Wait,
        change: impl FnOnce(&FolderDraft) -> Result<(Vec<FolderEdit>, T)> + Send + 'static,
    ) -> Result<T> {
        self.disk.commit(&self.path, wait, self.patience, change)
    }

    /// Removes everything in the folder, all at once; tells whether there was a file that `counts`.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `IOError`, `RenameError`.
    pub fn remove(&self, wait: &Wait, counts: impl Fn(&Path) -> bool) -> Result<bool> {
        // An empty home is not made to hold a lock.
        if !self.disk.has_entry(&self.path) {
            return Ok(false);
        }
        let guard = self.lock(wait, Mode::Exclusive)?;
        let is_there = self.disk.entries(&self.path)?.iter().any(|(name, _)| counts(Path::new(name)));
        let parent = durable::folder_of(&self.path)?;
        if self.disk.has_entry(&self.path) {
            let gone = beside(&self.path, &format!("{DELETED}{}", uuid::Uuid::new_v4().simple()));
            guard.confirm()?;
            guard.leave_unfinished(true);
            self.disk.fs.rename(&self.path, &gone).map_err(|cause| {
                let message = format!("{} could not be moved away", self.path.display());
                Error::new(ErrorKind::Rename, message).at(&self.path).because(cause)
            })?;
            durable::sync_folder(&*self.disk.fs, parent)?;
            guard.leave_unfinished(false);
        }
        // What a call that died before left goes too. All of it is out of sight already: what cannot go now may stay.
        let mut prefix = self.path.file_name().unwrap_or_default().to_owned();
        prefix.push(DELETED);
        for (name, _) in self.disk.entries(parent)? {
            if name.as_encoded_bytes().starts_with(prefix.as_encoded_bytes()) {
                self.clear(&parent.join(name));
            }
        }
        Ok(is_there)
    }

    fn clear(&self, folder: &Path) {
        for (name, stat) in self.disk.entries(folder).unwrap_or_default() {
            let path = folder.join(name);
            if stat.kind == Kind::Folder {
                self.clear(&path);
            } else {
                let _ = self.disk.fs.remove(&path);
            }
        }
        let _ = self.disk.fs.remove_folder(folder);
    }

    fn lock(&self, wait: &Wait, mode: Mode) -> Result<Guard> {
        self.disk.locks.acquire(&self.path, mode, wait, self.patience)
    }
}

impl Contents for FolderDraft {
    type Edit = FolderEdit;

    fn load(_: &Disk, _: &Guard, _: &Path) -> Result<Arc<Self>> {
        // A change reads what it needs.
        Ok(Arc::default())
    }

    fn is_empty(&self) -> bool {
        self.values.is_empty() && self.lists.is_empty()
    }

    fn draft(&self) -> Self {
        FolderDraft::default()
    }

    fn apply(&mut self, edit: FolderEdit) {
        match edit {
            FolderEdit::Set { name, value, told } => {
                let told = told.map(|(list, item)| (list, json(&item)));
                self.draft_value(name, Some(json(&value)), told);
            }
            FolderEdit::Remove { name } => self.draft_value(name, None, None),
            FolderEdit::Push { name, item } => {
                let item = json(&item);
                match self.lists.iter_mut().find(|(list, _)| *list == name) {
                    Some((_, items)) => items.push(item),
                    None => self.lists.push((name, vec![item])),
                }
            }
        }
    }

    fn write(self, _: &Arc<Self>, disk: &Disk, guard: &Guard, path: &Path) -> Result<()> {
        durable::create_folders(&*disk.fs, path, &disk.root)?;
        if guard.is_behind_unfinished() {
            settle(disk, guard, path)?;
        }
        let (set, gone): (Vec<_>, Vec<_>) = self.values.into_iter().partition(|drafted| drafted.value.is_some());
        for (name, items) in &self.lists {
            let path = path.join(name);
            disk.sweep(guard, &path);
            Appended { path: &path, lines: items, committed: None }.write(disk, guard)?;
        }
        for Drafted { name, value, told } in set {
            let Some(value) = value else { continue };
            set_value(disk, guard, path, &name, value, told)?;
        }
        for drafted in gone {
            remove_value(disk, guard, &path.join(&drafted.name))?;
        }
        guard.leave_unfinished(false);
        Ok(())
    }
}

impl FolderDraft {
    /// What a value will be. It is written behind all that was drafted before: what it speaks of is there by then.
    fn draft_value(&mut self, name: PathBuf, value: Option<Arc<RawValue>>, told: Option<(PathBuf, Line)>) {
        let before = self.values.iter().position(|drafted| drafted.name == name).map(|place| self.values.remove(place));
        let mut lists = before.and_then(|drafted| drafted.told);
        if let Some((list, item)) = told {
            lists.get_or_insert_with(|| (list, Vec::new())).1.push(item);
        }
        self.values.push(Drafted { name, value, told: lists });
    }
}

fn set_value(
    disk: &Disk,
    guard: &Guard,
    folder: &Path,
    name: &Path,
    value: Arc<RawValue>,
    told: Option<(PathBuf, Vec<Line>)>,
) -> Result<()> {
    let path = folder.join(name);
    // Under a folder of its own, a file has a name that no other ever has.
    if name.parent().is_some_and(|parent| !parent.as_os_str().is_empty()) {
        durable::create_folders(&*disk.fs, durable::folder_of(&path)?, &disk.root)?;
    }
    let before = disk.settled::<Value>(guard, &path)?;
    let list_bytes = match told {
        Some((list, items)) => {
            let committed = Some(before.list_bytes.unwrap_or(0));
            let list = folder.join(list);
            disk.sweep(guard, &list);
            Some(Appended { path: &list, lines: &items, committed }.write(disk, guard)?)
        }
        None => before.list_bytes,
    };
    let after = Arc::new(before.succeeded_by(value, list_bytes));
    let bytes = after.to_bytes()?;
    let handle = disk.replace(guard, &path, &bytes)?;
    disk.cache.keep_written(&*disk.fs, &path, handle, bytes, &after);
    Ok(())
}

fn remove_value(disk: &Disk, guard: &Guard, path: &Path) -> Result<()> {
    copy::settle(disk, guard, path)?;
    let failed = |cause| Error::io("remove", path, &cause);
    guard.confirm()?;
    guard.leave_unfinished(true);
    if if_there(disk.fs.remove(path)).map_err(failed)?.is_some() {
        durable::sync_folder(&*disk.fs, durable::folder_of(path)?)?;
    }
    Ok(())
}

/// Makes durable what a writer that died or failed has left: it may have been read by now.
fn settle(disk: &Disk, guard: &Guard, folder: &Path) -> Result<()> {
    for (name, stat) in disk.entries(folder)? {
        let path = folder.join(name);
        match stat.kind {
            Kind::File if path.extension().is_some_and(|end| end == "jsonl") => lines::settle(disk, guard, &path)?,
            Kind::Folder => durable::sync_folder(&*disk.fs, &path)?,
            _ => {}
        }
        guard.leave_unfinished(true);
    }
    durable::sync_folder(&*disk.fs, folder)?;
    durable::sync_folder(&*disk.fs, durable::folder_of(folder)?)
}

fn json(sealed: &Sealed<()>) -> Arc<RawValue> {
    Arc::from(sealed.json().to_owned())
}
