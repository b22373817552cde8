//! The memory of a repository on several machines: on a branch of its own remote, through the room `branch`.
//!
//! Each branch of the repository has a folder on that branch, with a file for each kind of record; the items of the repository
//! and of the user have one each. A run brings three versions of every record together: what is stored here, what was on the
//! branch when both were last the same (`synced.jsonl`), and what is there now. Then it pushes the outcome, by compare-and-swap,
//! and takes over what others pushed meanwhile. Nothing is sent unless it was switched on for the repository.

mod conflict;
mod place;
mod reconcile;
mod synced;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::branch::{Branches, PushOptions, Source};
use crate::error::{Error, ErrorKind, Result};
use crate::home::SyncTime;
use crate::repo::Repo;
pub use conflict::Conflict;
use place::Place;
use reconcile::{Outcome, reconcile};

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
    /// What could not be brought together.
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
        /// Whether everything is only counted. The remote is asked; nothing is stored here or there.
        dry_run(dry_run: bool) => dry_run = dry_run;
    }
}

/// The memory of a repository on several machines.
#[derive(Debug, Clone)]
pub struct Sync {
    repo: Repo,
}

impl Repo {
    /// Its memory on several machines.
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
    /// by its hash; `GitError` if the remote refuses; `LockAcquisitionError`, `ParseError`, `FormatTooNew`, `IOError`,
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
            let settings = place.settings()?;
            let waiting = if settings.on { place.waiting()? } else { 0 };
            Ok(Status { on: settings.on, last_run: settings.last_run, waiting, ..status })
        })
    }
}

fn run(repo: &Repo, options: RunOptions) -> Result<Run> {
    let home = repo.home();
    let place = Place::of(repo)?;
    let is_on = options.on.unwrap_or(place.settings()?.on);
    if !options.dry_run && (options.on.is_some() || options.global_items.is_some()) {
        place.switch(is_on, options.global_items)?;
    }
    if options.on == Some(false) {
        return Ok(Run::default());
    }
    if !is_on {
        let message = "the memory of this repository is not synchronized; switch it on with `on` (loopmem sync --on), and everybody \
                       who can read its remote can read the memory";
        return Err(Error::validation(message));
    }
    let _turn = place.turn()?;
    let branches = Branches::new(home);
    let memory = place.memory(&branches)?;
    let source = Source::new().repo_dir(place.top());
    let folder = if options.dry_run { place.preview() } else { place.folder() };
    let mut run = Run::default();
    match branches.checkout(&memory, Some(&folder), &source) {
        Ok(checkout) => run.conflicts.extend(checkout.conflicts.into_iter().map(of_file)),
        Err(error) if error.kind() == ErrorKind::Git && error.retryable() => {
            run.fault = Some(error.message().to_owned());
            run.waiting = place.waiting()?;
            return Ok(run);
        }
        Err(error) => return Err(error),
    }
    let first = reconcile(&place, &folder, options.dry_run)?;
    run.absorb(first);
    if options.dry_run {
        return Ok(run);
    }
    let push = PushOptions::new().source(source).message("Synchronize memory");
    match branches.push(&memory, Some(&folder), &push) {
        Ok(push) => {
            run.commit = push.commit;
            run.conflicts.extend(push.conflicts.into_iter().map(of_file));
        }
        Err(error) if error.kind() == ErrorKind::Git && error.retryable() => {
            run.fault = Some(error.message().to_owned());
            run.waiting = run.pushed;
            place.ran(run.waiting)?;
            return Ok(run);
        }
        Err(error) => {
            place.ran(run.pushed)?;
            return Err(error.maybe_stored());
        }
    }
    if run.commit.is_some() {
        run.pushed += usize::try_from(place.settings()?.waiting).unwrap_or(usize::MAX);
    }
    // What others pushed meanwhile.
    let late = reconcile(&place, &folder, false)?;
    // What was changed here during the push is in the folder, and goes with the next run.
    run.waiting = late.pushed;
    run.absorb(Outcome { pushed: 0, ..late });
    place.ran(run.waiting)?;
    Ok(run)
}

impl Place<'_> {
    /// How many changes here are not on the branch yet, as far as is known.
    fn waiting(&self) -> Result<usize> {
        let queued = usize::try_from(self.settings()?.waiting).unwrap_or(usize::MAX);
        Ok(queued.saturating_add(reconcile(self, &self.folder(), true)?.waiting))
    }
}

impl Run {
    fn absorb(&mut self, outcome: Outcome) {
        self.pulled += outcome.pulled;
        self.pushed += outcome.pushed;
        // What is wrong with a file was said the first time.
        let is_new = |it: &Conflict| !self.conflicts.iter().any(|known| known.file == it.file && known.id == it.id);
        let new: Vec<Conflict> = outcome.conflicts.into_iter().filter(is_new).collect();
        self.conflicts.extend(new);
    }
}

/// A file that git merged.
fn of_file(conflict: crate::branch::Conflict) -> Conflict {
    let what =
        format!("both sides changed the same record at once; the other version is in the commit {}", conflict.theirs);
    Conflict { file: conflict.path, id: None, what }
}
