//! States of a branch that are kept under a name: tags of its repository, to which it can be set back.

use chrono::{DateTime, SecondsFormat, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use super::address::{Address, BranchSource};
use super::config::BranchMemory;
use super::objects::{Author, CommitId, Objects, Tag};
use super::publish::pause;
use super::remote::{Pushed, Remote};
use super::state::State;
use super::sync::fetched_tree;
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;

/// The longest name of a snapshot, in bytes.
const MAX_NAME: usize = 100;

/// A named state of a branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct BranchSnapshot {
    /// Its name.
    pub tag: String,
    /// The commit.
    pub commit: String,
    /// When it was taken, in RFC 3339.
    pub time: String,
}

/// Which snapshots are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BranchRetention {
    pub(super) keep: Option<u32>,
    pub(super) max_age_days: Option<u32>,
}

impl BranchRetention {
    /// All of them.
    pub fn new() -> Self {
        BranchRetention::default()
    }

    setters! {
        /// So many, the newest ones.
        keep(count: u32) => keep = Some(count);
        /// Those of so many days.
        max_age_days(days: u32) => max_age_days = Some(days);
    }
}

/// The branch of a memory, the state beside its folder, and the tags of its snapshots.
pub(super) struct Snapshots<'h> {
    home: &'h Home,
    memory: &'h BranchMemory,
    remote: Remote<'h>,
    state: State,
}

impl<'h> Snapshots<'h> {
    /// Those of a memory.
    ///
    /// # Errors
    /// Those of [`Address::find`] and [`State::open`].
    pub(super) fn open(
        home: &'h Home,
        memory: &'h BranchMemory,
        directory: &std::path::Path,
        source: &BranchSource,
    ) -> Result<Self> {
        let remote = Remote::new(home, Address::find(home, memory, source)?, &memory.branch);
        // Only for what was fetched: the files in the folder may be those of another branch.
        let state = State::open(home, directory)?;
        Ok(Snapshots { home, memory, remote, state })
    }

    fn objects(&self) -> &Objects {
        &self.state.objects
    }

    /// Makes a snapshot of the branch as it is in its repository.
    ///
    /// # Errors
    /// `ValidationError` for the name; `Conflict` if there is one of this name; `NotFound` without a branch;
    /// `GitError`.
    pub(super) fn make(&self, name: Option<&str>) -> Result<BranchSnapshot> {
        let named = name.map(|name| checked(self.home, name)).transpose()?;
        let author = Author::of(self.home);
        let time = DateTime::<Utc>::from_timestamp(author.seconds, 0).unwrap_or_default();
        let time = time.format("%Y%m%dT%H%M%SZ").to_string();
        let mut name = named.clone().unwrap_or_else(|| time.clone());
        let commit = self.remote.fetch(self.objects())?.ok_or_else(|| self.no_branch())?;
        let mut failure = None;
        for number in 2..=self.home.config().branch_attempts.saturating_add(1) {
            // With an id, so that another one in the same second is not taken for this one.
            let id = self.home.new_id();
            let message = format!("Snapshot of {}\n\nId: {}\n", self.memory.branch, id.as_str());
            let tag = self.objects().tag(&name, &commit, &author, &message)?;
            let pushed = self.remote.create_tag(self.objects(), &name, &tag)?;
            let done = BranchSnapshot { tag: name.clone(), commit: commit.to_string(), time: rfc3339(author.seconds) };
            let (Pushed::Refused(why) | Pushed::Failed(why)) = pushed else { return Ok(done) };
            let there = self.tags()?.into_iter().find(|it| it.name == name);
            // The tag may be there although the answer was lost.
            match there {
                Some(there) if there.id == tag => return Ok(done),
                Some(_) => failure = Some(why.said),
                None => return Err(self.failed("make the snapshot", &why.said)),
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

    /// The snapshots, the newest first.
    ///
    /// # Errors
    /// `GitError`, `Cancelled`.
    pub(super) fn list(&self) -> Result<Vec<BranchSnapshot>> {
        let shown = |it: Tag| BranchSnapshot { tag: it.name, commit: it.commit.to_string(), time: rfc3339(it.seconds) };
        Ok(self.tags()?.into_iter().map(shown).collect())
    }

    fn tags(&self) -> Result<Vec<Tag>> {
        let mut all = if self.remote.fetch_tags(self.objects())? { self.objects().tags()? } else { Vec::new() };
        all.sort_by(|a, b| b.seconds.cmp(&a.seconds).then_with(|| b.name.cmp(&a.name)));
        Ok(all)
    }

    /// Sets the files of the branch back to a snapshot, by a commit on top of what it has.
    ///
    /// # Errors
    /// `NotFound` for the snapshot or the branch; `GitError`, `Cancelled`.
    pub(super) fn roll_back(&self, name: &str) -> Result<Option<CommitId>> {
        let name = checked(self.home, name)?;
        let snapshot = self.list()?.into_iter().find(|it| it.tag == name).ok_or_else(|| {
            let message = format!("{} has no snapshot {name}; branch.snapshots lists them", self.remote.shown());
            Error::new(ErrorKind::NotFound, message).about(&name)
        })?;
        let tree = fetched_tree(self.objects(), &CommitId::parse(&snapshot.commit)?)?;
        let author = Author::of(self.home);
        let message = format!("Roll back to snapshot {name}\n");
        let _turn = self.remote.wait_for_turn(self.home)?;
        let mut why = String::new();
        for attempt in 1..=self.home.config().branch_attempts {
            let tip = self.remote.fetch(self.objects())?.ok_or_else(|| self.no_branch())?;
            if fetched_tree(self.objects(), &tip)? == tree {
                return Ok(None);
            }
            let commit = self.objects().commit(&tree, Some(&tip), &author, &message)?;
            let pushed = self.remote.push(self.objects(), &commit, Some(&tip))?;
            let (Pushed::Refused(reason) | Pushed::Failed(reason)) = &pushed else { return Ok(Some(commit)) };
            why.clone_from(&reason.said);
            // It may have happened although the answer was lost.
            if matches!(pushed, Pushed::Failed(_))
                && let Some(now) = self.remote.fetch(self.objects())?
                && self.remote.has_landed(self.objects(), &commit, &now)?
            {
                return Ok(Some(commit));
            }
            if attempt < self.home.config().branch_attempts {
                pause(self.home, attempt)?;
            }
        }
        Err(self.failed("roll back", &why))
    }

    /// Removes snapshots that are not kept, and returns their names, the newest first.
    ///
    /// # Errors
    /// `GitError`, `Cancelled`.
    pub(super) fn prune(&self, retention: BranchRetention) -> Result<Vec<String>> {
        let now = Author::of(self.home).seconds;
        let oldest = retention.max_age_days.map(|days| now.saturating_sub(i64::from(days) * 86_400));
        let kept = retention.keep.map_or(usize::MAX, |keep| usize::try_from(keep).unwrap_or(usize::MAX));
        let all = self.list()?;
        let is_old = |it: &BranchSnapshot| oldest.is_some_and(|oldest| seconds(&it.time) < oldest);
        let removed = all.into_iter().enumerate().filter(|(place, it)| *place >= kept || is_old(it));
        let removed: Vec<String> = removed.map(|(_, it)| it.tag).collect();
        if removed.is_empty() {
            return Ok(removed);
        }
        match self.remote.remove_tags(self.objects(), &removed)? {
            Pushed::Done => Ok(removed),
            Pushed::Refused(why) | Pushed::Failed(why) => Err(self.failed("remove snapshots", &why.said)),
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

/// A name that is one of a tag, and of no folder of them.
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

fn rfc3339(seconds: i64) -> String {
    DateTime::<Utc>::from_timestamp(seconds, 0).unwrap_or_default().to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn seconds(time: &str) -> i64 {
    DateTime::parse_from_rfc3339(time).map_or(0, |time| time.timestamp())
}
