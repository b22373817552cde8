//! The state of a memory beside its folder: the branch that it belongs to, the commit that its files come from, the
//! commit that waits to be pushed, and a repository with their contents. It is in the folder `.NAME.loopmem` beside the
//! memory's folder `NAME`, whose lock is held while it is used.

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::objects::{CommitId, Objects, Tree};
use super::prepare::{is_damaged, prepare, replace, tidy};
use super::remote::Remote;
use crate::branch::config::glob::Patterns;
use crate::branch::tree::contents::Contents;
use crate::branch::tree::{folder, names};
use crate::disk::{Disk, FileChange, Guard, Mode, RecordFile, beside};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::safety::{GeneratedId, SealedObject};
use crate::warning::Warning;

/// The newest version of the file that this version of loopmem reads.
const NEWEST: u64 = 1;
/// The longest wait for the lock: another call may be using the network.
const LOCK_TIMEOUT: Duration = Duration::from_secs(120);

/// The file `state.json`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SavedState {
    /// The identity of the branch, in hex.
    #[serde(default)]
    pub(crate) branch: Option<String>,
    /// The commit that the files in the folder come from.
    pub(crate) base: Option<CommitId>,
    /// True if the last checkout found no branch: the files in the folder come from nothing.
    #[serde(default)]
    pub(crate) is_new: bool,
    /// A commit of the folder that waits to be pushed. Its parent has the files with which the folder was compared.
    pub(crate) queue: Option<CommitId>,
    /// The commits that may be on the branch, each followed by the commit of the folder that it was made of; the oldest
    /// first.
    #[serde(default)]
    pub(crate) pushing: Vec<CommitId>,
    /// The commit whose files are being brought to the folder.
    #[serde(default)]
    pub(crate) applying: Option<CommitId>,
    /// The digests of the files that were merged with those of `applying`, in hex.
    #[serde(default)]
    pub(crate) merged: Vec<String>,
    /// The digests of those of `applying` in which something was overridden, in hex.
    #[serde(default)]
    pub(crate) conflicts: Vec<String>,
    /// A commit of the files that were unpacked from an artifact last, after the last checkout or push.
    #[serde(default)]
    pub(crate) unpacked: Option<CommitId>,
}

/// Refuses files of the lock that other users own: they could replace them, and two calls could then hold the lock.
fn check_lock_owners(home: &Home, folder: &Path) -> Result<()> {
    [".gate", ".lock"].iter().try_for_each(|ending| home.check_owners(&beside(folder, ending)).map(drop))
}

/// The maximum number of pushes that are remembered until their outcome is known.
const MAX_PUSHING: usize = 50;

impl SavedState {
    /// A state with the branch alone.
    pub(crate) fn of_branch(&self) -> SavedState {
        SavedState { branch: self.branch.clone(), ..SavedState::default() }
    }

    /// The folder comes from `tip` now, or from no branch.
    pub(crate) fn checked_out(&mut self, tip: Option<&CommitId>) {
        (self.base, self.is_new) = (tip.cloned(), tip.is_none());
        (self.applying, self.unpacked) = (None, None);
        self.merged.clear();
        self.conflicts.clear();
    }

    /// The commit `pushed`, made of the commit `folder`, may be on the branch from now on.
    pub(crate) fn may_push(&mut self, pushed: &CommitId, folder: &CommitId) {
        self.queue = Some(folder.clone());
        if self.pushing.ends_with(&[pushed.clone(), folder.clone()]) {
            return;
        }
        self.pushing.extend([pushed.clone(), folder.clone()]);
        let excess = self.pushing.len().saturating_sub(2 * MAX_PUSHING);
        self.pushing.drain(..excess);
    }

    /// The last commit that may have been on the branch is not there.
    pub(crate) fn was_refused(&mut self) {
        let left = self.pushing.len().saturating_sub(2);
        self.pushing.truncate(left);
    }
}

/// The state of a memory, while its lock is held.
pub(crate) struct State {
    disk: Arc<Disk>,
    guard: Guard,
    folder: PathBuf,
    saved: RefCell<SavedState>,
    /// The contents.
    pub(crate) objects: Objects,
}

impl State {
    /// Waits for the lock of the memory in `directory`, and opens its state.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`; `ParseError`, `FormatTooNew` and `IOError` for the file; `GitError` for the
    /// repository.
    pub(crate) fn open(home: &Home, directory: &Path) -> Result<State> {
        let folder = folder_of(directory)?;
        let disk = folder::disk(home, directory);
        home.check_owners(directory)?;
        disk.make_folder(&folder)?;
        // Another user may have created it first. From here on, no other user can exchange what git is given.
        home.check_owners(&folder.join(GIT))?;
        check_lock_owners(home, &folder)?;
        let guard = disk.lock(&folder, Mode::Exclusive, home.wait_options(), LOCK_TIMEOUT)?;
        // Another user may have created them meanwhile. No other user can replace files that this user owns.
        check_lock_owners(home, &folder)?;
        let saved = read(&disk, &folder, directory)?;
        let saved = RefCell::new(saved.unwrap_or_default());
        for staging in [folder.join(STAGING), staging_of(&disk, &folder, directory)] {
            disk.clear_staging(&guard, &staging);
        }
        let objects = prepare(&disk, &guard, &folder.join(GIT))?;
        let mut state = State { disk, guard, folder, saved, objects };
        state.look_for_queued(home, directory)?;
        Ok(state)
    }

    /// Looks for the commit that waits to be pushed. Where it should be may be damaged.
    fn look_for_queued(&mut self, home: &Home, directory: &Path) -> Result<()> {
        let Some(queued) = self.saved().queue else { return Ok(()) };
        if self.objects.has_commit(queued.as_str()) {
            return Ok(());
        }
        self.replace_if_damaged(home)?;
        if !self.objects.has_commit(queued.as_str()) {
            let message =
                "a commit that waited to be pushed is no longer beside the memory; what the folder has of it is pushed";
            self.disk.warn(Warning::new(message).at(directory).about(queued.as_str()));
        }
        Ok(())
    }

    /// Replaces the repository if git finds damage in it. Returns whether it did.
    fn replace_if_damaged(&mut self, home: &Home) -> Result<bool> {
        let path = self.folder.join(GIT);
        let is_damaged = is_damaged(home, &self.disk, &path)?;
        if is_damaged {
            self.objects = replace(&self.disk, &self.guard, &path)?;
        }
        Ok(is_damaged)
    }

    /// As [`open`](Self::open), for the folder of the branch `remote`.
    ///
    /// # Errors
    /// Those of [`open`](Self::open); `Conflict` if the files in the folder are those of another branch.
    pub(crate) fn open_for(home: &Home, directory: &Path, remote: &Remote<'_>) -> Result<State> {
        let mut state = State::open(home, directory)?;
        let branch = remote.identity();
        let saved = state.saved();
        if tidy(&state.disk, remote, &state.objects)? {
            state.objects = prepare(&state.disk, &state.guard, &state.folder.join(GIT))?;
        }
        if saved.branch.as_ref().is_some_and(|saved| saved != branch.as_str()) {
            let has_files =
                state.disk.list_foreign(directory).is_ok_and(|names| names.is_some_and(|it| !it.is_empty()));
            if has_files || saved.base.is_some() || saved.queue.is_some() {
                let message = format!(
                    "the files in {} belong to another branch or repository than {}; pass another directory, or, if they are not needed any more, remove that folder and {}",
                    directory.display(),
                    remote.shown(),
                    state.folder.display()
                );
                return Err(Error::new(ErrorKind::Conflict, message).at(directory));
            }
            state.saved.replace(SavedState::default());
        }
        state.saved.borrow_mut().branch = Some(branch.as_str().to_owned());
        Ok(state)
    }

    /// The disk of the folder of the memory.
    pub(crate) fn disk(&self) -> &Disk {
        &self.disk
    }

    /// The saved state.
    pub(crate) fn saved(&self) -> SavedState {
        self.saved.borrow().clone()
    }

    /// Takes over the branch that an artifact names.
    ///
    /// # Errors
    /// `Conflict` if the folder belongs to another one.
    pub(crate) fn adopt(&self, directory: &Path, branch: Option<&str>) -> Result<()> {
        let Some(branch) = branch else { return Ok(()) };
        if self.saved.borrow().branch.as_ref().is_some_and(|saved| saved != branch) {
            let message = format!(
                "the artifact is of another branch or repository than the files in {}; use another folder",
                directory.display()
            );
            return Err(Error::new(ErrorKind::Conflict, message).at(directory));
        }
        self.saved.borrow_mut().branch = Some(branch.to_owned());
        Ok(())
    }

    /// Changes the saved state, durably, with the contents that were stored before.
    pub(crate) fn update(&self, change: impl FnOnce(&mut SavedState)) -> Result<()> {
        if let Some(lost) = self.disk.sync_files(&self.folder, self.objects.written_files()?)?.first() {
            return Err(Error::io("sync", lost, &io::ErrorKind::NotFound.into()));
        }
        let mut saved = self.saved();
        change(&mut saved);
        let mut record = SealedObject::default();
        record.set("schemaVersion", &NEWEST)?;
        record.set("branch", &saved.branch.as_deref().and_then(GeneratedId::hex))?;
        record.set("isNew", &saved.is_new)?;
        let commits = [
            ("base", &saved.base),
            ("queue", &saved.queue),
            ("applying", &saved.applying),
            ("unpacked", &saved.unpacked),
        ];
        for (name, commit) in commits {
            record.set(name, &commit.as_ref().map(CommitId::id))?;
        }
        let pushing: Vec<&GeneratedId> = saved.pushing.iter().map(CommitId::id).collect();
        record.set("pushing", &*pushing)?;
        for (name, digests) in [("merged", &saved.merged), ("conflicts", &saved.conflicts)] {
            let digests: Vec<GeneratedId> = digests.iter().filter_map(|digest| GeneratedId::hex(digest)).collect();
            record.set(name, &*digests)?;
        }
        file(&self.disk, &self.folder).replace(&self.guard, &record.record::<SavedState>()?)?;
        *self.saved.borrow_mut() = saved;
        Ok(())
    }

    /// Replaces and removes files in the folder of the memory, durably. Returns those that were changed
    /// meanwhile.
    pub(crate) fn change(&self, directory: &Path, changes: &[FileChange]) -> Result<Vec<PathBuf>> {
        let staging = staging_of(&self.disk, &self.folder, directory);
        let changed = self.disk.change_files(&self.guard, &staging, directory, changes);
        if staging.starts_with(directory) {
            self.disk.remove_staging(&self.guard, &staging);
        }
        changed
    }
}

/// Makes a call, and makes it again if it fails since the repository beside the memory is damaged, which is replaced first.
///
/// # Errors
/// Those of the call.
pub(crate) fn with_repair<T>(home: &Home, directory: &Path, mut call: impl FnMut() -> Result<T>) -> Result<T> {
    let failed = match call() {
        Err(error) if error.kind() == ErrorKind::Git => error,
        done => return done,
    };
    if !folder::disk(home, directory).has_entry(&folder_of(directory)?.join(GIT)) {
        return Err(failed);
    }
    match State::open(home, directory).and_then(|mut state| state.replace_if_damaged(home)) {
        Ok(true) => call(),
        Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
        // The repository is not the reason, or cannot be replaced.
        _ => Err(failed),
    }
}

/// The file in the state's folder, the repository, and the folder in which new files are prepared.
const FILE: &str = "state.json";
const GIT: &str = "git";
const STAGING: &str = "new";

/// The folder in which new files of a memory are prepared: in that of its state, unless the memory is on another file system, as
/// a mount point is.
fn staging_of(disk: &Disk, folder: &Path, directory: &Path) -> PathBuf {
    let device = |path: &Path| disk.stat(path).ok().flatten().map(|stat| stat.device);
    match device(directory) {
        Some(other) if Some(other) != device(folder) => directory.join(names::STAGING),
        _ => folder.join(STAGING),
    }
}

/// The folder of the state of the memory in `directory`.
fn folder_of(directory: &Path) -> Result<PathBuf> {
    let name = directory.file_name().and_then(|name| name.to_str()).filter(|_| directory.is_absolute());
    let Some(name) = name else {
        return Err(Error::validation("directory must be the path of a folder in UTF-8, and not /").at(directory));
    };
    Ok(directory.with_file_name(format!(".{name}.loopmem")))
}

/// Reads the file in the state's folder; `None` if there is none.
fn read(disk: &Disk, folder: &Path, directory: &Path) -> Result<Option<SavedState>> {
    file(disk, folder).read().map_err(|error| match error.kind() {
        ErrorKind::Parse => {
            let place = folder.join(FILE);
            let message = format!(
                "{} is damaged and was left as it is; move it away: the files in {} stay, and are compared with the branch as those of a new folder",
                place.display(),
                directory.display()
            );
            Error::new(ErrorKind::Parse, message).at(&place)
        }
        _ => error,
    })
}

fn file<'d>(disk: &'d Disk, folder: &Path) -> RecordFile<'d> {
    RecordFile::new(disk, folder.join(FILE), LOCK_TIMEOUT, NEWEST)
}

/// Refuses a folder that is a git repository, unless it is a memory already: its files are another work tree, or git's own.
///
/// # Errors
/// `ValidationError`, also for a path that no folder can have.
pub(crate) fn refuse_repository(home: &Home, directory: &Path) -> Result<()> {
    let disk = folder::disk(home, directory);
    let has = |name: &str| disk.has_entry(&directory.join(name));
    let is_repository = has(".git") || ["HEAD", "objects", "refs"].into_iter().all(has);
    if !is_repository || disk.has_entry(&folder_of(directory)?.join(FILE)) {
        return Ok(());
    }
    let message = format!("{} is a git repository; keep a memory in a folder of its own", directory.display());
    Err(Error::validation(message).at(directory))
}

/// The size of the kept files that the files in `directory` come from, in bytes; `None` if that is unknown. Takes no
/// lock.
pub(crate) fn size_at_base(home: &Home, directory: &Path, patterns: &Patterns) -> Result<Option<u64>> {
    let Some((objects, tree)) = at_base(home, directory)? else { return Ok(None) };
    objects.map_or(Ok(0), |it| Contents::new(&it).total_size(&tree, patterns)).map(Some)
}

/// The files that those in `directory` come from; `None` if that is unknown. Takes no lock.
pub(crate) fn tree_at_base(home: &Home, directory: &Path) -> Result<Option<Tree>> {
    Ok(at_base(home, directory)?.map(|(_, tree)| tree))
}

/// The files that those in `directory` come from, and the repository with their contents, unless there are none.
fn at_base(home: &Home, directory: &Path) -> Result<Option<(Option<Objects>, Tree)>> {
    let folder = folder_of(directory)?;
    let disk = folder::disk(home, directory);
    if !home.check_owners(&folder.join(GIT))? {
        return Ok(None);
    }
    let Some(saved) = read(&disk, &folder, directory)? else { return Ok(None) };
    let Some(base) = saved.base else { return Ok(saved.is_new.then(|| (None, Tree::new()))) };
    let objects = Objects::open(&disk, &folder.join(GIT));
    // The next call that takes the lock replaces a repository that is damaged.
    let Ok(tree) = objects.tree(&base) else { return Ok(None) };
    Ok(tree.map(|tree| (Some(objects), tree)))
}
