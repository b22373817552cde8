//! What is known of a memory beside its folder: the commit that its files come from, the commit that waits to be pushed, and a
//! repository with their contents. It is in the folder `.NAME.loopmem` beside the memory's folder `NAME`, whose lock is held while
//! it is used.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::glob::Patterns;
use super::objects::{CommitId, Objects};
use crate::disk::{Disk, FileChange, Guard, Mode, RecordFile};
use crate::error::{Error, Result};
use crate::home::Home;
use crate::safety::SealedObject;

/// The newest version of the file that this version of loopmem reads.
const NEWEST: u64 = 1;
/// The longest wait for the lock: another call may be using the network.
const LOCK_TIMEOUT: Duration = Duration::from_secs(120);

/// The file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StateFile {
    schema_version: u64,
    /// The commit that the files in the folder come from.
    base: Option<CommitId>,
    /// The commit that waits to be pushed.
    queue: Option<CommitId>,
    /// A commit of the files that were unpacked from an artifact last, after the last checkout or push.
    #[serde(default)]
    unpacked: Option<CommitId>,
}

/// The state of a memory, while its lock is held.
pub(super) struct State {
    disk: Arc<Disk>,
    guard: Guard,
    folder: PathBuf,
    file: StateFile,
    /// The contents.
    pub(super) objects: Objects,
}

impl State {
    /// Waits for the lock of the memory in `directory`, and opens its state.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`; `ParseError`, `FormatTooNew` and `IOError` for the file; `GitError` for the
    /// repository.
    pub(super) fn open(home: &Home, directory: &Path) -> Result<State> {
        let folder = folder_of(directory)?;
        let disk = home.disk_at(directory.parent().unwrap_or(directory));
        disk.make_folder(&folder)?;
        let guard = disk.lock(&folder, Mode::Exclusive, home.wait_options(), LOCK_TIMEOUT)?;
        let file = file(&disk, &folder).read()?.unwrap_or_default();
        disk.clear_staging(&guard, &folder.join(STAGING));
        let objects = Objects::create(&disk, &guard, &folder.join(GIT))?;
        Ok(State { disk, guard, folder, file, objects })
    }

    /// The disk of the folder of the memory.
    pub(super) fn disk(&self) -> &Disk {
        &self.disk
    }

    /// Replaces and removes files in the folder of the memory, durably.
    ///
    /// # Errors
    /// `IOError`.
    pub(super) fn change(&self, directory: &Path, changes: &[FileChange]) -> Result<()> {
        self.disk.change_files(&self.guard, &self.folder.join(STAGING), directory, changes)
    }

    /// The commit that the files come from; `None` if that is unknown, or there was no branch yet.
    pub(super) fn base(&self) -> Option<&CommitId> {
        self.file.base.as_ref()
    }

    /// The commit that waits to be pushed.
    pub(super) fn queue(&self) -> Option<&CommitId> {
        self.file.queue.as_ref()
    }

    /// Makes a commit durable, with everything that it refers to.
    ///
    /// # Errors
    /// `IOError`, `GitError`.
    pub(super) fn sync_contents(&self, commit: &CommitId) -> Result<()> {
        self.disk.sync_existing(&self.objects.loose_files(commit)?)
    }

    /// The files that were unpacked from an artifact last, after the last checkout or push.
    pub(super) fn unpacked(&self) -> Option<&CommitId> {
        self.file.unpacked.as_ref()
    }

    /// Records durably that the files in the folder were unpacked from an artifact: those of the commit `unpacked`, which come
    /// from `base`.
    ///
    /// # Errors
    /// `IOError`, `RenameError`.
    pub(super) fn record_unpacked(&mut self, base: Option<CommitId>, unpacked: CommitId) -> Result<()> {
        let queue = self.file.queue.clone();
        self.write(StateFile { schema_version: NEWEST, base, queue, unpacked: Some(unpacked) })
    }

    /// Records durably that the files in the folder come from `base`, and which commit waits to be pushed.
    ///
    /// # Errors
    /// `IOError`, `RenameError`.
    pub(super) fn record(&mut self, base: Option<CommitId>, queue: Option<CommitId>) -> Result<()> {
        self.write(StateFile { schema_version: NEWEST, base, queue, unpacked: None })
    }

    fn write(&mut self, state: StateFile) -> Result<()> {
        let mut record = SealedObject::default();
        record.set("schemaVersion", &state.schema_version)?;
        for (name, commit) in [("base", &state.base), ("queue", &state.queue), ("unpacked", &state.unpacked)] {
            record.set(name, &commit.as_ref().map(CommitId::id))?;
        }
        file(&self.disk, &self.folder).replace(&self.guard, &record.record::<StateFile>()?)?;
        self.file = state;
        Ok(())
    }
}

/// The file in the state's folder, the repository, and the folder in which new files are prepared.
const FILE: &str = "state.json";
const GIT: &str = "git";
const STAGING: &str = "new";

/// The folder of the state of the memory in `directory`.
fn folder_of(directory: &Path) -> Result<PathBuf> {
    let name = directory.file_name().and_then(|name| name.to_str()).filter(|_| directory.is_absolute());
    let Some(name) = name else {
        return Err(Error::validation("directory must be the path of a folder in UTF-8, and not /").at(directory));
    };
    Ok(directory.with_file_name(format!(".{name}.loopmem")))
}

fn file<'d>(disk: &'d Disk, folder: &Path) -> RecordFile<'d> {
    RecordFile::new(disk, folder.join(FILE), LOCK_TIMEOUT, NEWEST)
}

/// The sizes of the files that the files in `directory` come from, by path; empty if that is unknown. Takes no lock.
///
/// # Errors
/// Those of [`State::open`] for the file.
pub(super) fn sizes_at_base(home: &Home, directory: &Path, patterns: &Patterns) -> Result<BTreeMap<String, u64>> {
    let folder = folder_of(directory)?;
    let disk = home.disk_at(directory.parent().unwrap_or(directory));
    let Some(base) = file(&disk, &folder).read::<StateFile>()?.and_then(|file| file.base) else {
        return Ok(BTreeMap::new());
    };
    let Some(objects) = Objects::open(&folder.join(GIT))? else { return Ok(BTreeMap::new()) };
    let Some(tree) = objects.tree(&base)? else { return Ok(BTreeMap::new()) };
    let files = tree.into_iter().filter(|(path, item)| item.is_file() && patterns.take(path));
    files.map(|(path, item)| Ok((path, objects.size(&item)?))).collect()
}
