//! States of a branch that are kept under a name: tags of its repository, to which it can be set back.

use chrono::{DateTime, SecondsFormat, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::address::{Address, Source};
use super::objects::{Author, CommitId, Objects, Tag};
use super::remote::{Pushed, Remote, retry_pauses};
use super::state::{State, with_repair};
use crate::branch::config::Memory;
use crate::branch::{Branches, operation};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;

/// The longest name of a snapshot, in bytes.
const MAX_NAME: usize = 100;

/// A named state of a branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BranchSnapshot")]
#[non_exhaustive]
pub struct Snapshot {
    /// Its name.
    pub tag: String,
    /// The commit.
    pub commit: String,
    /// When it was taken, in RFC 3339.
    pub time: String,
}

/// The snapshots of a branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BranchSnapshots")]
#[non_exhaustive]
pub struct SnapshotList {
    /// The snapshots, newest first.
    pub snapshots: Vec<Snapshot>,
}

/// The result of a rollback.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BranchRollback")]
#[non_exhaustive]
pub struct Rollback {
    /// The commit with the files of the snapshot; null if the branch has the same files.
    pub commit: Option<String>,
}

/// The snapshots that were removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PrunedSnapshots {
    /// Their names, newest first.
    pub removed: Vec<String>,
}

/// The snapshots that are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retention {
    pub(crate) keep: Option<u32>,
    pub(crate) max_age_days: Option<u32>,
}

impl Retention {
    /// All of them.
    pub fn new() -> Self {
        Retention::default()
    }

    setters! {
        /// At most this many, the newest ones.
        keep(count: u32) => keep = Some(count);
        /// Those of at most this many days.
        max_age_days(days: u32) => max_age_days = Some(days);
    }
}

impl Branches {
    /// Makes a snapshot of the branch of a memory, as it is in its repository: a tag `BRANCH/NAME`. Its default name is
    /// the time.
    ///
    /// # Errors
    /// `Conflict` if there is one of this name; `NotFound` if the branch does not exist; those of
    /// [`checkout`](Self::checkout).
    pub fn snapshot(&self, memory: &Memory, tag: Option<&str>, source: &Source) -> Result<Snapshot> {
        self.home.call(operation::SNAPSHOT, |home| Snapshots::with(home, memory, source, |it| it.make(tag)))
    }

    /// The snapshots of the branch of a memory, newest first.
    ///
    /// # Errors
    /// Those of [`checkout`](Self::checkout).
    pub fn snapshots(&self, memory: &Memory, source: &Source) -> Result<Vec<Snapshot>> {
        self.home.call(operation::SNAPSHOTS, |home| {
            Snapshots::with(home, memory, source, |it| Ok(it.tags()?.into_iter().map(shown).collect()))
        })
    }

    /// Sets the files of the branch of a memory back to a snapshot, by a commit on top of what it has, and returns that
    /// commit; `None` if the files are the same. The next checkout or push of the folder changes its files.
    ///
    /// # Errors
    /// `NotFound` if there is no such snapshot; those of [`checkout`](Self::checkout).
    pub fn rollback(&self, memory: &Memory, tag: &str, source: &Source) -> Result<Option<String>> {
        self.home.call(operation::ROLLBACK, |home| {
            let commit = Snapshots::with(home, memory, source, |it| it.roll_back(tag))?;
            Ok(commit.map(|commit| commit.to_string()))
        })
    }

    /// Removes the snapshots that are not kept, and returns their names, newest first.
    ///
    /// # Errors
    /// Those of [`checkout`](Self::checkout).
    pub fn prune(&self, memory: &Memory, retention: Retention, source: &Source) -> Result<Vec<String>> {
        self.home.call(operation::PRUNE, |home| Snapshots::with(home, memory, source, |it| it.prune(retention)))
    }
}

/// The branch of a memory, the state beside its folder, and the tags of its snapshots.
struct Snapshots<'h> {
    home: &'h Home,
    memory: &'h Memory,
    remote: Remote<'h>,
    state: State,
}

impl<'h> Snapshots<'h> {
    /// Does something with the snapshots of a memory.
    fn with<T>(home: &Home, memory: &Memory, source: &Source, work: impl Fn(&Snapshots<'_>) -> Result<T>) -> Result<T> {
        let directory = memory.folder(home, None)?;
        with_repair(home, &directory, || work(&Snapshots::open(home, memory, source)?))
    }

    fn open(home: &'h Home, memory: &'h Memory, source: &Source) -> Result<Self> {
        let directory = memory.folder(home, None)?;
        let remote = Remote::new(home, Address::find(home, memory, source)?, &memory.branch);
        // Only for what was fetched: the files in the folder may be those of another branch.
        let state = State::open(home, &directory)?;
        Ok(Snapshots { home, memory, remote, state })
    }

    fn objects(&self) -> &Objects {
        &self.state.objects
    }

    /// Makes a snapshot of the branch as it is in its repository.
    fn make(&self, name: Option<&str>) -> Result<Snapshot> {
        let named = name.map(|name| checked(self.home, name)).transpose()?;
        let author = Author::of(self.home);
        let time = DateTime::<Utc>::from_timestamp(author.seconds, 0).unwrap_or_default();
        let time = time.format("%Y%m%dT%H%M%SZ").to_string();
        let mut name = named.clone().unwrap_or_else(|| time.clone());
        let commit = self.remote.fetch(self.objects())?.ok_or_else(|| self.no_branch())?;
        let mut failure = None;
        for number in 2..=self.home.config().branch_attempts.saturating_add(1) {
            // With an id, to distinguish it from another one of the same second.
            let id = self.home.new_id();
            let message = format!("Snapshot of {}\n\nId: {}\n", self.memory.branch, id.as_str());
            let tag = self.objects().tag(&name, &commit, &author, &message)?;
            let pushed = self.remote.create_tag(self.objects(), &name, &tag)?;
            let done = Snapshot { tag: name.clone(), commit: commit.to_string(), time: rfc3339(author.seconds) };
            let (Pushed::Refused(why) | Pushed::Failed(why)) = pushed else { return Ok(done) };
            let there = self.tags()?.into_iter().find(|it| it.name == name);
            // The tag may be there although the answer was lost.
            match there {
                Some(there) if there.id == tag => return Ok(done),
                Some(_) => failure = Some(why.stderr),
                None => return Err(self.failed("make the snapshot", &why.stderr)),
            }
            if named.is_some() {
                let message = format!("{} has a snapshot {name} already; choose another name", self.remote.shown());
                return Err(Error::new(ErrorKind::Conflict, message).about(name));
            }
            // Another one in the same second.
            name = format!("{time}-{number}");
        }
        Err(self.failed("make the snapshot", &failure.unwrap_or_default()))
    }

    /// The tags, the newest first.
    fn tags(&self) -> Result<Vec<Tag>> {
        let mut all = if self.remote.fetch_tags(self.objects())? { self.objects().tags()? } else { Vec::new() };
        all.sort_by(|a, b| b.seconds.cmp(&a.seconds).then_with(|| b.name.cmp(&a.name)));
        Ok(all)
    }

    /// Sets the files of the branch back to a snapshot, by a commit on top of what it has.
    fn roll_back(&self, name: &str) -> Result<Option<CommitId>> {
        let name = checked(self.home, name)?;
        let snapshot = self.tags()?.into_iter().find(|it| it.name == name).ok_or_else(|| {
            let message = format!("{} has no snapshot {name}; branch.snapshots lists them", self.remote.shown());
            Error::new(ErrorKind::NotFound, message).about(&name)
        })?;
        let tree = self.objects().fetched_tree(&snapshot.commit)?;
        let author = Author::of(self.home);
        let message = format!("Roll back to snapshot {name}\n");
        let _turn = self.remote.wait_for_turn(self.home)?;
        let (mut why, mut pauses) = (String::new(), retry_pauses());
        for attempt in 1..=self.home.config().branch_attempts {
            let tip = self.remote.fetch(self.objects())?.ok_or_else(|| self.no_branch())?;
            if self.objects().fetched_tree(&tip)? == tree {
                return Ok(None);
            }
            let commit = self.objects().commit(&tree, Some(&tip), &author, &message)?;
            let pushed = self.remote.push(self.objects(), &commit, Some(&tip))?;
            let (Pushed::Refused(reason) | Pushed::Failed(reason)) = &pushed else { return Ok(Some(commit)) };
            why.clone_from(&reason.stderr);
            // It may have happened although the answer was lost.
            if matches!(pushed, Pushed::Failed(_))
                && let Some(now) = self.remote.fetch(self.objects())?
                && self.remote.is_on_branch(self.objects(), &commit, &now)?
            {
                return Ok(Some(commit));
            }
            if attempt < self.home.config().branch_attempts {
                self.remote.pause(&mut pauses)?;
            }
        }
        Err(self.failed("roll back", &why))
    }

    /// Removes snapshots that are not kept, and returns their names, the newest first.
    fn prune(&self, retention: Retention) -> Result<Vec<String>> {
        let now = Author::of(self.home).seconds;
        let oldest = retention.max_age_days.map(|days| now.saturating_sub(i64::from(days) * 86_400));
        let kept = retention.keep.map_or(usize::MAX, |keep| usize::try_from(keep).unwrap_or(usize::MAX));
        let is_old = |it: &Tag| oldest.is_some_and(|oldest| it.seconds < oldest);
        let removed = self.tags()?.into_iter().enumerate().filter(|(place, it)| *place >= kept || is_old(it));
        let removed: Vec<String> = removed.map(|(_, it)| it.name).collect();
        if removed.is_empty() {
            return Ok(removed);
        }
        match self.remote.remove_tags(self.objects(), &removed)? {
            Pushed::Done => Ok(removed),
            Pushed::Refused(why) | Pushed::Failed(why) => Err(self.failed("remove snapshots", &why.stderr)),
        }
    }

    fn no_branch(&self) -> Error {
        let message = format!("{} does not exist; a push creates it", self.remote.shown());
        Error::new(ErrorKind::NotFound, message).about(&self.memory.branch)
    }

    fn failed(&self, doing: &str, why: &str) -> Error {
        Error::new(ErrorKind::Git, format!("git could not {doing} of {}: {why}", self.remote.shown())).mark_retryable()
    }
}

/// A name that is valid for a tag.
fn checked(home: &Home, name: &str) -> Result<String> {
    home.redactor().admit("tag", name)?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let is_name = (1..=MAX_NAME).contains(&name.len())
        && name.chars().all(is_plain)
        && !name.starts_with(['-', '.'])
        && !name.ends_with('.')
        && !name.contains("..")
        && !name.ends_with(".lock");
    if !is_name {
        let must = format!("tag must be 1 to {MAX_NAME} letters, digits, -, _ and ., such as before-clean-up");
        return Err(Error::validation(must));
    }
    Ok(name.to_owned())
}

fn shown(tag: Tag) -> Snapshot {
    Snapshot { tag: tag.name, commit: tag.commit.to_string(), time: rfc3339(tag.seconds) }
}

fn rfc3339(seconds: i64) -> String {
    DateTime::<Utc>::from_timestamp(seconds, 0).unwrap_or_default().to_rfc3339_opts(SecondsFormat::Secs, true)
}
