//! Where the state of a synchronized repository is: its switch, and what was last the same here and on the branch.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::synced::Synced;
use crate::branch::{Branches, Memory};
use crate::disk::{Guard, Kind, Mode, RecordFile};
use crate::error::{Error, ErrorKind, Result};
use crate::home::{Home, Layout, RepoHash};
use crate::repo::{self, Identity, Location, Names, On, Repo, hash_of};
use crate::warning::Warning;

const VERSION: u64 = 1;
/// The file of [`Synced`].
const SYNCED: &str = "synced.json";

/// The file `sync.json`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Settings {
    schema_version: u64,
    /// Whether anything may be sent.
    #[serde(default)]
    pub(super) on: bool,
    #[serde(default)]
    pub(super) last_run: Option<String>,
    /// Whether the global items are synchronized too, if that was said for this repository.
    #[serde(default)]
    pub(super) global_items: Option<bool>,
}

/// What is kept of a repository that is synchronized with one branch of its remote.
pub(super) struct Kept<'h> {
    home: &'h Home,
    root: PathBuf,
}

impl<'h> Kept<'h> {
    /// Beside this folder is what git needs. It does not exist.
    pub(super) fn folder(&self) -> PathBuf {
        self.root.join("files")
    }

    /// What was last the same here and on the branch.
    pub(super) fn synced(&self) -> Synced {
        Synced::read(self.home, &self.root.join(SYNCED))
    }

    /// Remembers that.
    pub(super) fn keep_synced(&self, synced: &Synced) -> Result<()> {
        synced.write(self.home, &self.root.join(SYNCED))
    }

    /// Waits for the other runs of this repository.
    pub(super) fn turn(&self) -> Result<Guard> {
        let home = self.home;
        home.disk().make_folder(&self.root)?;
        home.disk().lock(&self.root.join("turn"), Mode::Exclusive, home.wait_options(), home.config().lock_timeout)
    }

    fn file(&self) -> RecordFile<'h> {
        RecordFile::new(self.home.disk(), self.root.join("sync.json"), self.home.config().lock_timeout, VERSION)
    }

    /// Whether it is switched on.
    ///
    /// # Errors
    /// `ParseError`, `FormatTooNew`, `IOError`.
    pub(super) fn settings(&self) -> Result<Settings> {
        Ok(self.file().read()?.unwrap_or_default())
    }

    /// Switches it on or off.
    pub(super) fn switch(&self, on: bool, global_items: Option<bool>) -> Result<()> {
        self.file().refresh(
            self.home.wait_options(),
            |_: &Settings| false,
            |mut record| {
                record.set("schemaVersion", &VERSION)?;
                record.set("on", &on)?;
                if let Some(global_items) = global_items {
                    record.set("globalItems", &global_items)?;
                }
                Ok(record.record()?)
            },
        )
    }

    /// Remembers that a run reached the remote.
    pub(super) fn ran(&self) -> Result<()> {
        self.file().refresh(
            self.home.wait_options(),
            |_: &Settings| false,
            |mut record| {
                record.set("schemaVersion", &VERSION)?;
                record.set("lastRun", &self.home.timestamp())?;
                Ok(record.record()?)
            },
        )
    }

    /// Switches it off, and if it `is_purge` removes what is kept. Returns whether it was on.
    fn stop(&self, is_purge: bool) -> Result<bool> {
        let _turn = self.turn()?;
        // A damaged switch is off.
        let was_on = self.settings().is_ok_and(|settings| settings.on);
        if was_on {
            self.switch(false, None)?;
        }
        if is_purge {
            let disk = self.home.disk();
            disk.remove_tree(&self.root.join(".files.loopmem"))?;
            // It has hashes alone.
            disk.remove_derived(&self.root.join(SYNCED));
        }
        Ok(was_on)
    }
}

/// Switches the synchronization of a repository off, by its names, so that no run brings back what is forgotten; if it `is_purge`,
/// also removes what is kept of it. Returns whether it was on.
///
/// # Errors
/// `LockAcquisitionError`, `IOError`, `RenameError`.
pub(crate) fn stop(home: &Home, names: &Names, is_purge: bool) -> Result<bool> {
    let Some((path, remote)) = names.path.as_deref().zip(names.remote_url.as_deref()) else { return Ok(false) };
    let folder = home.layout().sync(&hash_of(Path::new(path), Some(remote), On::Nothing));
    let mut was_on = false;
    for (branch, stat) in home.disk().entries(&folder)? {
        if stat.kind == Kind::Folder {
            was_on |= Kept { home, root: folder.join(branch) }.stop(is_purge)?;
        }
    }
    Ok(was_on)
}

/// A repository with a remote, in its folder.
pub(super) struct Place<'r> {
    pub(super) kept: Kept<'r>,
    pub(super) repo: &'r Repo,
    identity: &'r Identity,
    location: &'r Location,
    remote: &'r str,
}

/// A branch of the repository, or all of them together, and its memory.
pub(super) struct Owned {
    /// The folder of its files on the branch of the memory.
    pub(super) folder: String,
    pub(super) repo: Repo,
    branch: Option<String>,
}

impl<'r> Place<'r> {
    /// The place of a repository.
    ///
    /// # Errors
    /// `Unsupported` if it was opened by its hash; `NotFound` if it has no remote.
    pub(super) fn of(repo: &'r Repo) -> Result<Self> {
        let unsupported = |message: &str| Error::new(ErrorKind::Unsupported, message);
        let (Some(identity), Some(location)) = (repo.identity(), repo.location()) else {
            return Err(unsupported(
                "a repository is synchronized with its remote, which its folder has; pass workspace",
            ));
        };
        let Some(remote) = identity.remote_url.as_deref() else {
            let message = "the repository has no remote to synchronize its memory with; see `git remote add`";
            return Err(Error::new(ErrorKind::NotFound, message).at(&location.top));
        };
        let path = Path::new(&identity.path);
        let on =
            [identity.branch.as_deref().map(On::Branch), identity.commit.as_deref().map(On::Commit), Some(On::Nothing)];
        // Names that are no text, or that were redacted, cannot be the same on another machine.
        if !on.into_iter().flatten().any(|on| hash_of(path, Some(remote), on) == identity.repo_hash) {
            return Err(unsupported(
                "the folder, remote or branch of this repository is not valid UTF-8, or contains a secret",
            ));
        }
        let (home, hash) = (repo.home(), hash_of(path, Some(remote), On::Nothing));
        // Each branch of the remote has a state of its own.
        let root = home.layout().sync(&hash).join(Layout::sync_state(&home.config().sync.branch));
        Ok(Place { kept: Kept { home, root }, repo, identity, location, remote })
    }

    fn home(&self) -> &'r Home {
        self.repo.home()
    }

    /// The top level of the work tree.
    pub(super) fn top(&self) -> &Path {
        &self.location.top
    }

    /// The sanitized URL of the remote.
    pub(super) fn remote_url(&self) -> &'r str {
        self.remote
    }

    /// The branch of the remote, as the room `branch` knows it.
    ///
    /// # Errors
    /// `ValidationError` if `sync.branch` is not a valid branch name.
    pub(super) fn memory(&self, branches: &Branches) -> Result<Memory> {
        let branch = &self.home().config().sync.branch;
        let entry = json!({
            "id": "loopmem",
            "branch-name": branch,
        });
        branches.parse_entry(entry).map_err(|_| {
            Error::validation(
                "sync.branch must be the name of a branch for memory, such as memory/loopmem; see BRANCH.md",
            )
        })
    }

    /// The memories of the repository: of the branches that are known here, and of those with a folder among `folders`.
    pub(super) fn owned<'f>(&self, folders: impl Iterator<Item = &'f str>) -> Result<Vec<Owned>> {
        let (home, path) = (self.home(), Path::new(&self.identity.path));
        let mut branches: Vec<Option<String>> = folders.filter_map(Layout::branch_of_sync_folder).collect();
        for hash in repo::stored(home)? {
            let Ok(names) = repo::stored_names(home, &hash) else { continue };
            let is_here = names.path.as_deref() == Some(&*self.identity.path)
                && names.remote_url.as_deref() == Some(self.remote)
                && !names.detached;
            if is_here && self.hash_on(path, names.branch.as_deref()) == hash {
                branches.push(names.branch);
            }
        }
        branches.sort();
        branches.dedup();
        let owned = branches.into_iter().filter_map(|branch| {
            let folder = Layout::sync_folder(branch.as_deref()).or_else(|| {
                let warning = Warning::new("the name of a branch is too long to synchronize its memory");
                warning.about(branch.as_deref().unwrap_or_default()).emit(home.redactor());
                None
            })?;
            let repo = Repo::at(home, &self.hash_on(path, branch.as_deref()));
            Some(Owned { folder, repo, branch })
        });
        Ok(owned.collect())
    }

    fn hash_on(&self, path: &Path, branch: Option<&str>) -> RepoHash {
        hash_of(path, Some(self.remote), branch.map_or(On::Nothing, On::Branch))
    }

    /// Writes the `repo.json` of a memory that came from another machine.
    pub(super) fn describe(&self, owned: &Owned) -> Result<()> {
        if repo::stored_names(self.home(), owned.repo.hash()).is_ok_and(|names| names.path.is_some()) {
            return Ok(());
        }
        let names = Names {
            path: Some(self.identity.path.clone()),
            remote_url: Some(self.remote.to_owned()),
            branch: owned.branch.clone(),
            git_dir: self.location.common_dir.as_deref().map(|folder| folder.to_string_lossy().into_owned()),
            ..Names::default()
        };
        repo::describe(self.home(), owned.repo.hash(), &names)
    }
}
