//! The memory of a repository on several machines: on a branch of its own remote, through the room `branch`.
//!
//! Each branch of the repository has a folder on that branch, with a file for each kind of record; the items of the repository
//! and of the user have one each. A run brings three versions of every record together: what is stored here, what was on the
//! branch when both were last the same (`synced.json`), and what is there now. Then it pushes the outcome, by compare-and-swap;
//! if others were faster, it does the same again with theirs. Nothing is sent unless it was switched on for the repository.

mod conflict;
mod place;
mod reconcile;
mod synced;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::branch::{Branches, Source};
use crate::error::{Error, ErrorKind, Result};
use crate::home::SyncTime;
use crate::repo::Repo;
pub use conflict::Conflict;
use place::Place;
pub(crate) use place::stop;
use reconcile::{Progress, waiting};

/// The result of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SyncRun")]
#[non_exhaustive]
pub struct Run {
    /// The number of records that were added, changed or removed here.
    pub pulled: usize,
    /// The number of records that were added, changed or removed on the branch.
    pub pushed: usize,
    /// What could not be brought together, at most 1,000.
    pub conflicts: Vec<Conflict>,
    /// The commit on the branch; null if nothing was pushed.
    pub commit: Option<String>,
    /// The number of changes here that wait until the remote can be reached.
    pub waiting: usize,
    /// Why the remote could not be reached, if it could not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// Whether and how a repository is synchronized.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "SyncStatus")]
#[non_exhaustive]
pub struct Status {
    /// Whether it is switched on.
    pub on: bool,
    /// The branch of the remote.
    pub branch: String,
    /// The remote's URL without credentials; null if the repository has none.
    pub remote_url: Option<String>,
    /// When a run last reached the remote, RFC 3339 in UTC; null if none has.
    pub last_run: Option<String>,
    /// The number of changes here since then.
    pub waiting: usize,
    /// When hooks run it.
    pub auto: SyncTime,
}

/// The options of a run.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct RunOptions {
    on: Option<bool>,
    global_items: Option<bool>,
    dry_run: bool,
}

impl RunOptions {
    setters! {
        /// Switches it on for this repository before the run, or off instead of one.
        on(on: impl Into<Option<bool>>) => on = on.into();
        /// Whether the global items of the user are synchronized through this repository too; remembered when it is switched on.
        global_items(global_items: impl Into<Option<bool>>) => global_items = global_items.into();
        /// Whether everything is only counted. The remote is asked; no record is changed here or there.
        dry_run(dry_run: bool) => dry_run = dry_run;
    }
}

/// The memory of a repository on several machines.
#[derive(Debug, Clone)]
pub struct Sync {
    repo: Repo,
}

impl Repo {
    /// Synchronizes the memory of this repository with other machines, through its git remote.
    pub fn sync(&self) -> Sync {
        Sync { repo: self.clone() }
    }
}

impl Sync {
    pub(crate) const RUN: &str = "sync.run";
    pub(crate) const STATUS: &str = "sync.status";

    /// Brings the memory of this repository and that on its remote together. If the remote cannot be reached, the changes wait
    /// for the next run, and the result says why.
    ///
    /// Of a record that was changed here and there, the newer version stays; the other one goes to the trash if it was here,
    /// and stays in the history of the branch if it was there. A record that was changed on one side and removed on the other
    /// stays.
    ///
    /// # Errors
    /// `ValidationError` if it is not switched on; `NotFound` if the repository has no remote; `Unsupported` if it was opened
    /// by its hash; `Conflict` if the remote pushes to another repository; `GitError` if it refuses; `LockAcquisitionError`, `ParseError`, `FormatTooNew`, `IOError`,
    /// `RenameError`, `Cancelled`.
    pub fn run(&self, options: RunOptions) -> Result<Run> {
        self.repo.call(Self::RUN, |repo| run(repo, options))
    }

    /// Returns whether it is switched on, and what waits.
    ///
    /// # Errors
    /// `Unsupported` if the repository was opened by its hash; `ParseError`, `FormatTooNew`, `IOError`.
    pub fn status(&self) -> Result<Status> {
        self.repo.call(Self::STATUS, |repo| {
            let config = &repo.home().config().sync;
            let remote_url = repo.identity().and_then(|identity| identity.remote_url.clone());
            let status = Status {
                on: false,
                branch: config.branch.clone(),
                remote_url,
                last_run: None,
                waiting: 0,
                auto: config.auto,
            };
            if status.remote_url.is_none() {
                return Ok(status);
            }
            let place = Place::of(repo)?;
            let settings = place.kept.settings()?;
            let waiting = if settings.on { waiting(&place)? } else { 0 };
            Ok(Status { on: settings.on, last_run: settings.last_run, waiting, ..status })
        })
    }
}

fn run(repo: &Repo, options: RunOptions) -> Result<Run> {
    let place = Place::of(repo)?;
    let _turn = if options.dry_run { None } else { Some(place.kept.turn()?) };
    let is_on = options.on.unwrap_or(place.kept.settings()?.on);
    let switch = || place.kept.switch(is_on, options.global_items);
    if options.on == Some(false) {
        if !options.dry_run {
            switch()?;
        }
        return Ok(Run::default());
    }
    if !is_on {
        let message = "synchronization is off for this repository; turn it on with `on` (loopmem sync --on). Everybody who can \
                       read the remote can then read the memory";
        return Err(Error::validation(message));
    }
    if !options.dry_run && (options.on.is_some() || options.global_items.is_some()) {
        switch()?;
    }
    let branches = Branches::new(repo.home());
    let memory = place.memory(&branches)?;
    let source = Source::new().repo_dir(place.top()).known_as(place.remote_url());
    let mut progress = Progress::new(&place, options.dry_run);
    let exchanged = branches.exchange(&memory, &place.kept.folder(), &source, "Synchronize memory", |there| {
        let repo = repo.renewed();
        progress.reconcile(&Place::of(&repo)?, there)
    });
    let Progress { pulled, pushed, conflicts, same, .. } = progress;
    let run = Run { pulled, pushed, conflicts, ..Run::default() };
    match exchanged {
        Ok(_) if options.dry_run => Ok(run),
        Ok(commit) => {
            let repo = repo.renewed();
            let place = Place::of(&repo)?;
            place.kept.keep_synced(&same)?;
            place.kept.ran()?;
            Ok(Run { commit, ..run })
        }
        Err(error) if error.kind() == ErrorKind::Git && error.retryable() => {
            let fault = Some(error.message().to_owned());
            Ok(Run { pushed: 0, waiting: waiting(&place)?, fault, ..run })
        }
        Err(error) if pulled > 0 => Err(error.maybe_stored()),
        Err(error) => Err(error),
    }
}
