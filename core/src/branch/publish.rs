//! Publishing: a commit on top of what is on the branch now, and again whenever somebody else was faster.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::changes::Changes;
use super::checkout::{BranchConflict, conflicts};
use super::config::BranchMemory;
use super::objects::{Author, CommitId, Objects, Tree};
use super::remote::{Pushed, Remote};
use super::sync::{difference, fetched_tree};
use super::trees::{Combined, combine};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;

/// The longest pause before the second attempt, and before any.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How long a part of a pause is, after which a cancel request is seen.
const PART: Duration = Duration::from_millis(20);

/// What a push did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct BranchPush {
    /// The commit that was pushed; null if there was nothing to push.
    pub commit: Option<String>,
    /// The commit that the files came from, and against which they were compared; null if it is not known or cannot be had.
    /// Then nothing was removed from the branch.
    pub base: Option<String>,
    /// How often it was tried to push.
    pub attempts: u32,
    /// Whether the branch had changes of others, which the folder has now too.
    pub merged: bool,
    /// The files in which something of theirs gave way, sorted.
    pub conflicts: Vec<BranchConflict>,
    /// The files that the push added to the branch, sorted.
    pub added: Vec<String>,
    /// The files that it changed there, sorted.
    pub changed: Vec<String>,
    /// The files that it removed there, sorted.
    pub removed: Vec<String>,
    /// The files of the folder that no pattern takes, sorted; they were left out.
    pub skipped: Vec<String>,
}

/// What every attempt needs.
pub(super) struct Attempts<'a> {
    pub(super) home: &'a Home,
    pub(super) memory: &'a BranchMemory,
    pub(super) remote: &'a Remote<'a>,
    pub(super) objects: &'a Objects,
    pub(super) author: &'a Author,
    pub(super) message: &'a str,
}

/// What became of the attempts.
pub(super) struct Published {
    pub(super) result: BranchPush,
    pub(super) ending: Ending,
}

/// How the last attempt ended.
pub(super) enum Ending {
    /// The branch is at `tip`, with this folder; `None` if there is no branch, and nothing to push.
    Published { tip: Option<CommitId>, tree: Tree },
    /// The commit has to wait, for this reason.
    Waiting { queue: CommitId, why: String },
}

/// Where the branch is, as far as that is known.
struct Tip {
    /// `None` if there is no branch.
    commit: Option<CommitId>,
    /// The folder of the commit.
    tree: Tree,
    /// Whether nobody has looked yet, which an attempt does anyway.
    is_assumed: bool,
}

impl Attempts<'_> {
    /// Publishes the changes.
    ///
    /// # Errors
    /// `NotFound` if there is no branch and none may be created; `GitError`, `Cancelled`.
    pub(super) fn run(&self, changes: &mut Changes<'_>) -> Result<Published> {
        let mut result = BranchPush::default();
        let mut tip = self.assumed_tip(changes)?;
        let most = self.home.config().branch_attempts;
        let mut why = String::new();
        while result.attempts < most {
            if tip.commit.is_none() && !self.memory.create_orphan {
                let message = format!("{} does not exist, and create-orphan is false", self.remote.shown());
                return Err(Error::new(ErrorKind::NotFound, message).about(&self.memory.branch));
            }
            let step = self.build(changes, &tip)?;
            // Without a branch, what there was before is of no use.
            let is_known = tip.commit.is_some() && changes.base_tree.is_some();
            result.base = changes.base.as_ref().filter(|_| is_known).map(CommitId::to_string);
            result.merged = tip.commit.is_some() && tip.commit != changes.base;
            let Some((commit, combined)) = step else {
                if tip.is_assumed && self.remote.tip(self.objects)? != tip.commit {
                    tip = self.fetched_tip()?;
                    continue;
                }
                return Ok(Published { result, ending: Ending::Published { tip: tip.commit, tree: tip.tree } });
            };
            result.attempts += 1;
            let pushed = self.remote.push(self.objects, &commit, tip.commit.as_ref())?;
            let is_done = match pushed {
                Pushed::Done => true,
                Pushed::Failed(reason) => {
                    why = reason;
                    false
                }
            };
            let now = if is_done { None } else { self.looked_up_again(&mut why) };
            // The push may have happened although its answer was lost.
            if is_done || now.as_ref().is_some_and(|now| now.commit.as_ref() == Some(&commit)) {
                result.commit = Some(commit.to_string());
                let [added, changed, removed] = difference(&tip.tree, &combined.tree);
                (result.added, result.changed, result.removed) = (added, changed, removed);
                result.conflicts = tip.commit.map(|theirs| conflicts(combined.conflicts, &theirs)).unwrap_or_default();
                return Ok(Published { result, ending: Ending::Published { tip: Some(commit), tree: combined.tree } });
            }
            tip = now.unwrap_or(tip);
            if result.attempts < most {
                pause(self.home, result.attempts)?;
            }
        }
        let queue = self.queue(changes)?;
        Ok(Published { result, ending: Ending::Waiting { queue, why } })
    }

    /// Where the branch most likely is: nobody else has pushed since the files were read from it.
    fn assumed_tip(&self, changes: &Changes<'_>) -> Result<Tip> {
        match (&changes.base, &changes.base_tree) {
            (Some(base), Some(tree)) => Ok(Tip { commit: Some(base.clone()), tree: tree.clone(), is_assumed: true }),
            (None, _) if self.memory.create_orphan => Ok(Tip { commit: None, tree: Tree::new(), is_assumed: true }),
            _ => self.fetched_tip(),
        }
    }

    fn fetched_tip(&self) -> Result<Tip> {
        let commit = self.remote.fetch(self.objects)?;
        let tree = commit.as_ref().map(|commit| fetched_tree(self.objects, commit)).transpose()?.unwrap_or_default();
        Ok(Tip { commit, tree, is_assumed: false })
    }

    /// Where the branch is after a push that failed; `None` if that cannot be found out.
    fn looked_up_again(&self, why: &mut String) -> Option<Tip> {
        match self.fetched_tip() {
            Ok(tip) => Some(tip),
            Err(error) => {
                *why = format!("{error:#}");
                None
            }
        }
    }

    /// The commit to push, with its folder; `None` if the branch has everything.
    fn build(&self, changes: &mut Changes<'_>, tip: &Tip) -> Result<Option<(CommitId, Combined)>> {
        let mut parent = tip.commit.clone();
        let mut combined = Combined { tree: tip.tree.clone(), conflicts: Vec::new() };
        // What the folder is compared with.
        let mut from = changes.base_tree.as_ref().filter(|_| tip.commit.is_some());
        if let Some(queued) = &changes.queued {
            let before = queued.parent_tree.as_ref().filter(|_| tip.commit.is_some());
            let waited = combine(&mut changes.contents, before, &queued.tree, &combined.tree)?;
            if waited.tree != combined.tree {
                changes.contents.store(&waited.tree)?;
                let message = self.told(&queued.message, &waited.conflicts, tip.commit.as_ref());
                parent = Some(self.objects.commit(&waited.tree, parent.as_ref(), self.author, &message)?);
            }
            combined = waited;
            from = Some(&queued.tree);
        }
        let last = combine(&mut changes.contents, from, &changes.ours, &combined.tree)?;
        if last.tree != combined.tree || (parent.is_none() && !last.tree.is_empty()) {
            changes.contents.store(&last.tree)?;
            let message = self.told(self.message, &last.conflicts, tip.commit.as_ref());
            parent = Some(self.objects.commit(&last.tree, parent.as_ref(), self.author, &message)?);
        }
        let mut all = combined.conflicts;
        all.extend(last.conflicts);
        all.sort();
        all.dedup();
        let combined = Combined { tree: last.tree, conflicts: all };
        Ok(parent.filter(|parent| Some(parent) != tip.commit.as_ref()).map(|commit| (commit, combined)))
    }

    /// The message of a commit, which says where to find what gave way.
    fn told(&self, message: &str, conflicts: &[String], theirs: Option<&CommitId>) -> String {
        let Some(theirs) = theirs.filter(|_| !conflicts.is_empty()) else { return format!("{message}\n") };
        let one = |path: &String| format!("- {path}, before: git show {theirs}:{path}\n");
        format!("{message}\n\nBoth sides changed the same in:\n{}", conflicts.iter().map(one).collect::<String>())
    }

    /// A commit of the folder that waits for a later push, on top of what the folder comes from.
    fn queue(&self, changes: &Changes<'_>) -> Result<CommitId> {
        changes.contents.store(&changes.ours)?;
        let (parent, message) = match &changes.queued {
            Some(queued) if queued.tree == changes.ours => (queued.parent.clone(), queued.message.clone()),
            Some(queued) => (queued.parent.clone(), format!("{}\n\n{}", queued.message.trim_end(), self.message)),
            None => (changes.base.clone().filter(|_| changes.base_tree.is_some()), self.message.to_owned()),
        };
        self.objects.commit(&changes.ours, parent.as_ref(), self.author, &message)
    }
}

/// Pauses for a random time, which may be longer after more attempts.
///
/// # Errors
/// `Cancelled`.
pub(super) fn pause(home: &Home, attempts: u32) -> Result<()> {
    let longest = FIRST_PAUSE.saturating_mul(1 << attempts.min(16)).min(LONGEST_PAUSE);
    // The last digits of a new id are random.
    let digits = home
        .new_id()
        .as_str()
        .bytes()
        .rev()
        .take(4)
        .filter_map(|digit| char::from(digit).to_digit(16))
        .collect::<Vec<_>>();
    let random = digits.into_iter().fold(0, |sum, digit| sum * 16 + digit);
    let mut left = longest.mul_f64(f64::from(random) / 65_536.0);
    let check = home.cancel_check();
    while !left.is_zero() {
        check()?;
        let part = left.min(PART);
        home.disk().pause(part);
        left = left.saturating_sub(part);
    }
    check()
}
