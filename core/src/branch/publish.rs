//! Publishing: a commit on top of what is on the branch now, and again whenever somebody else was faster.

use std::path::Path;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::changes::Changes;
use super::checkout::{BranchConflict, conflicts};
use super::config::BranchMemory;
use super::contents::Contents;

use super::glob::Patterns;
use super::objects::{Author, CommitId, Objects, Tree};
use super::origin::{Given, Origin};
use super::quota;
use super::remote::{Pushed, Remote};
use super::state::{Known, State};
use super::sync::{difference, fetched_tree};
use super::trees::{Combined, combine};
use super::validate::{BranchValidation, faults_of_all, patch_fault, told};
use super::working_copy::Update;
use crate::error::{Error, ErrorKind, Result};
use crate::home::{Home, Steps};

/// After so many requests in a row that did not reach the repository, the commit waits.
const MAX_UNREACHED: u32 = 3;
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
    /// The commit that the files came from, with which they were compared; null if it is unknown or no longer
    /// available. In that case, nothing was removed from the branch.
    pub base: Option<String>,
    /// The number of attempts to push.
    pub attempts: u32,
    /// Whether others had changed the branch. The folder has their changes now.
    pub merged: bool,
    /// The files in which a change of this folder replaced one of theirs, sorted.
    pub conflicts: Vec<BranchConflict>,
    /// The files that the push added to the branch, sorted.
    pub added: Vec<String>,
    /// The files that it changed on the branch, sorted.
    pub changed: Vec<String>,
    /// The files that it removed from the branch, sorted.
    pub removed: Vec<String>,
    /// The removed files that made room for new ones, sorted.
    pub cleaned: Vec<String>,
    /// The files of the folder that match no pattern, sorted. They are not pushed.
    pub skipped: Vec<String>,
}

/// What every attempt needs.
pub(super) struct Publisher<'a> {
    pub(super) home: &'a Home,
    pub(super) memory: &'a BranchMemory,
    pub(super) remote: &'a Remote<'a>,
    pub(super) state: &'a State,
    pub(super) author: &'a Author,
    pub(super) message: &'a str,
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

/// A commit to push.
struct Candidate {
    commit: CommitId,
    combined: Combined,
    /// What made way for new files.
    cleaned: Vec<String>,
}

/// How the attempts ended.
enum Ending {
    /// The branch is at `tip`, with this folder; `None` if there is no branch, and nothing to push.
    Published { tip: Option<CommitId>, tree: Tree },
    /// A push happened although its answer was lost, and others have pushed on top of it.
    HasLanded,
    /// The commit has to wait, for this reason.
    Waiting(String),
    /// The repository does not take it, for this reason, however often it is tried.
    Refused(String),
}

impl Publisher<'_> {
    /// Publishes the files of a folder that were validated, and brings the folder up to date.
    ///
    /// # Errors
    /// `NotFound` if there is no branch and none may be created; `GitError`, retryable, if the commit has to wait, or
    /// what the folder comes from cannot be had; those of [`Changes::read`].
    pub(super) fn publish(
        &self,
        directory: &Path,
        given: Given,
        validation: &BranchValidation,
        steps: &mut Steps<'_>,
    ) -> Result<BranchPush> {
        let mut result = BranchPush::default();
        loop {
            // Whether an earlier push happened can only be seen where the branch is now.
            let is_unsure = !self.state.known().pushing.is_empty();
            let looked_up = match is_unsure.then(|| self.fetched_tip()).transpose() {
                Err(error) if is_out_of_reach(&error) => {
                    return Err(self.postponed(directory, given, validation, error.message())?);
                }
                looked_up => looked_up?,
            };
            let commit = looked_up.as_ref().and_then(|tip| tip.commit.as_ref());
            let origin = Origin::find(self.state, self.remote, given.clone(), commit)?;
            let mut changes = Changes::read(self.home, self.state, origin, self.memory, directory, validation)?;
            steps.advance();
            let ending = {
                let _turn = self.remote.wait_for_turn(self.home)?;
                let ended = self.attempts(&mut changes, &mut result, looked_up, directory);
                ended.map_err(|error| if result.attempts > 0 { self.unsure(error, directory) } else { error })?
            };
            match ending {
                Ending::Published { tip, tree } => {
                    let Changes { contents, before, .. } = &changes;
                    let (home, state, after) = (self.home, self.state, &tree);
                    let late = Update { home, state, contents, directory, before, after }.apply()?;
                    if let Some(tip) = &tip {
                        result.conflicts.extend(conflicts(late, tip));
                        result.conflicts.sort_by(|a, b| a.path.cmp(&b.path));
                    }
                    self.state.update(|known| {
                        *known = Known { is_new: tip.is_none(), base: tip, ..known.of_branch() };
                    })?;
                    return Ok(result);
                }
                Ending::HasLanded => {}
                Ending::Refused(why) => {
                    let message = format!(
                        "{} does not take the push: {why}; the commit waits beside {}, and the next push sends it",
                        self.remote.shown(),
                        directory.display()
                    );
                    return Err(Error::new(ErrorKind::Git, message));
                }
                Ending::Waiting(why) if result.attempts == 1 => return Err(self.waits(directory, "1 attempt", &why)),
                Ending::Waiting(why) => {
                    return Err(self.waits(directory, &format!("{} attempts", result.attempts), &why));
                }
            }
        }
    }

    /// Has the folder as it is wait for the next push, since the repository cannot be asked; returns the error that
    /// says so.
    fn postponed(&self, directory: &Path, given: Given, validation: &BranchValidation, why: &str) -> Result<Error> {
        let origin = Origin::find(self.state, self.remote, given, None)?;
        let changes = Changes::read(self.home, self.state, origin, self.memory, directory, validation)?;
        let folder = self.queued(&changes)?;
        self.state.update(|known| known.queue = Some(folder))?;
        Ok(self.waits(directory, "it cannot be reached", why))
    }

    /// The error of a call that was cancelled after it had tried to push.
    fn unsure(&self, error: Error, directory: &Path) -> Error {
        if error.kind() != ErrorKind::Cancelled {
            return error;
        }
        let message = format!(
            "the call was cancelled while it pushed; the commit may be on {}, and waits beside {}; the next push finds out",
            self.remote.shown(),
            directory.display()
        );
        Error::new(ErrorKind::Cancelled, message).mark_retryable().maybe_stored()
    }

    fn waits(&self, directory: &Path, attempts: &str, why: &str) -> Error {
        let message = format!(
            "{} could not be pushed ({attempts}): {why}; the commit waits beside {}, and the next push sends it",
            self.remote.shown(),
            directory.display()
        );
        Error::new(ErrorKind::Git, message).mark_retryable()
    }

    /// Tries to push until that succeeds, or others were faster too often.
    fn attempts(
        &self,
        changes: &mut Changes<'_>,
        result: &mut BranchPush,
        looked_up: Option<Tip>,
        directory: &Path,
    ) -> Result<Ending> {
        let most = self.home.config().branch_attempts;
        let (mut why, mut unreached, mut queue) = (String::new(), 0, None);
        let mut tip = looked_up.map_or_else(|| self.assumed_tip(changes), Ok)?;
        if self.memory.max_patch_size.is_some() && changes.origin.tree.is_none() && tip.is_assumed {
            // The files are compared with those of the branch.
            tip = self.fetched_tip()?;
        }
        while result.attempts < most && unreached < MAX_UNREACHED {
            self.check_branch(&tip)?;
            // Without a branch, what there was before is of no use.
            let is_known = tip.commit.is_some() && changes.origin.tree.is_some();
            result.base = changes.origin.base.as_ref().filter(|_| is_known).map(CommitId::to_string);
            result.merged = tip.commit.is_some() && tip.commit != changes.origin.base;
            let Some(Candidate { commit, combined, cleaned }) = self.build(changes, &tip, directory)? else {
                if tip.is_assumed && self.remote.tip(self.objects())? != tip.commit {
                    tip = self.fetched_tip()?;
                    continue;
                }
                return Ok(Ending::Published { tip: tip.commit, tree: tip.tree });
            };
            self.check_growth(changes, &tip, &combined.tree)?;
            // Whatever happens next, it is known which commit may be there, and what it was made of.
            let folder = match &queue {
                Some(folder) => CommitId::clone(folder),
                None => queue.insert(self.queued(changes)?).clone(),
            };
            self.state.update(|known| known.may_push(&commit, &folder))?;
            result.attempts += 1;
            let pushed = self.remote.push(self.objects(), &commit, tip.commit.as_ref())?;
            let is_refused = matches!(pushed, Pushed::Refused(_));
            let mut is_final = false;
            let now = match pushed {
                Pushed::Done => None,
                // Whether it happened is seen by the next push.
                Pushed::Failed(reason) if self.remote.is_out_of_time() => return Ok(Ending::Waiting(reason.said)),
                Pushed::Refused(reason) | Pushed::Failed(reason) => {
                    (why, is_final) = (reason.said, reason.is_final);
                    Some(self.fetched_tip())
                }
            };
            let is_there = |now: &Tip| now.commit.as_ref() == Some(&commit);
            // The push may have happened although its answer was lost.
            if now.as_ref().is_none_or(|now| now.as_ref().is_ok_and(is_there)) {
                result.commit = Some(commit.to_string());
                [result.added, result.changed, result.removed] = difference(&tip.tree, &combined.tree);
                result.cleaned = cleaned;
                result.conflicts = tip.commit.map(|theirs| conflicts(combined.conflicts, &theirs)).unwrap_or_default();
                return Ok(Ending::Published { tip: Some(commit), tree: combined.tree });
            }
            match now {
                Some(Ok(now)) => {
                    let reached = now.commit.as_ref().filter(|_| !is_refused);
                    let has_landed =
                        reached.map(|now| self.remote.has_landed(self.objects(), &commit, now)).transpose()?;
                    if has_landed == Some(true) {
                        result.commit = Some(commit.to_string());
                        return Ok(Ending::HasLanded);
                    }
                    let is_outrun = now.commit != tip.commit;
                    if !is_outrun && is_final {
                        self.state.update(Known::was_refused)?;
                        return Ok(Ending::Refused(why));
                    }
                    unreached = if is_outrun || is_refused { 0 } else { unreached + 1 };
                    tip = now;
                }
                Some(Err(error)) if is_out_of_reach(&error) => unreached += 1,
                Some(Err(error)) => return Err(error),
                None => {}
            }
            if is_refused {
                self.state.update(Known::was_refused)?;
            }
            if result.attempts < most && unreached < MAX_UNREACHED {
                pause(self.home, result.attempts)?;
            }
        }
        Ok(Ending::Waiting(why))
    }

    fn objects(&self) -> &Objects {
        &self.state.objects
    }

    fn check_branch(&self, tip: &Tip) -> Result<()> {
        if tip.commit.is_some() || self.memory.create_orphan {
            return Ok(());
        }
        let message = format!("{} does not exist, and create-orphan is false", self.remote.shown());
        Err(Error::new(ErrorKind::NotFound, message).about(&self.memory.branch))
    }

    /// Refuses files that became too much larger, which the validation cannot see for files from another machine. If
    /// nobody knows what they come from, what is pushed is compared with the branch.
    fn check_growth(&self, changes: &Changes<'_>, tip: &Tip, pushed: &Tree) -> Result<()> {
        let Some(limit) = self.memory.max_patch_size else { return Ok(()) };
        let patterns = Patterns::new(self.memory.file_glob.as_deref())?;
        let size = |tree: &Tree| changes.contents.total_size(tree, |path| patterns.take(path));
        let (before, now) = match &changes.origin.tree {
            Some(base) => (size(base)?, size(&changes.before)?),
            None => (size(&tip.tree)?, size(pushed)?),
        };
        patch_fault(limit, now, before).map_or(Ok(()), |fault| Err(Error::validation(fault.message)))
    }

    /// Refuses files that break the rules of the memory only together with those of others, or with placeholders in them.
    fn check_merged(&self, contents: &Contents<'_>, tree: &Tree, has_others: bool, directory: &Path) -> Result<()> {
        let patterns = Patterns::new(self.memory.file_glob.as_deref())?;
        let kept = contents.kept(tree, |path| patterns.take(path))?;
        let faults = faults_of_all(self.home, self.memory, &kept);
        if faults.is_empty() {
            return Ok(());
        }
        let (branch, faults, folder) = (self.remote.shown(), told(&faults), directory.display());
        let message = match has_others {
            true => format!(
                "together with what others pushed to {branch}, the files break the rules of the memory: {faults}; nothing was pushed; branch.checkout brings their files to {folder}"
            ),
            false => format!(
                "with placeholders for secrets, the files in {folder} break the rules of the memory: {faults}; nothing was pushed"
            ),
        };
        Err(Error::validation(message).at(directory))
    }

    /// Where the branch most likely is: nobody else has pushed since the files were read from it.
    fn assumed_tip(&self, changes: &Changes<'_>) -> Result<Tip> {
        match (&changes.origin.base, &changes.origin.tree) {
            (Some(base), Some(_)) => match self.objects().tree(base)? {
                Some(tree) => Ok(Tip { commit: Some(base.clone()), tree, is_assumed: true }),
                None => self.fetched_tip(),
            },
            (None, tree) if self.memory.create_orphan && tree.as_ref().is_none_or(Tree::is_empty) => {
                Ok(Tip { commit: None, tree: Tree::new(), is_assumed: true })
            }
            _ => self.fetched_tip(),
        }
    }

    fn fetched_tip(&self) -> Result<Tip> {
        let commit = self.remote.fetch(self.objects())?;
        let tree = commit.as_ref().map(|commit| fetched_tree(self.objects(), commit)).transpose()?.unwrap_or_default();
        Ok(Tip { commit, tree, is_assumed: false })
    }

    /// The commit to push, with its folder; `None` if the branch has everything.
    fn build(&self, changes: &mut Changes<'_>, tip: &Tip, directory: &Path) -> Result<Option<Candidate>> {
        let Changes { contents, origin, ours, before: folder } = changes;
        let onto = tip.commit.as_ref().map(|_| &tip.tree);
        let (mut parent, mut current) = (tip.commit.clone(), tip.tree.clone());
        let mut message = self.message.to_owned();
        match &origin.waiting {
            Some(waiting) if origin.has_own_commit() => {
                let waited = waiting.on(contents, onto)?;
                if waited.tree != current {
                    contents.store(&waited.tree)?;
                    let message = self.told(&waiting.message, &waited.conflicts, tip.commit.as_ref());
                    parent = Some(self.objects().commit(&waited.tree, parent.as_ref(), self.author, &message)?);
                }
                current = waited.tree;
            }
            Some(waiting) => message = format!("{}\n\n{message}", waiting.message.trim_end()),
            None => {}
        }
        // Without a branch, everything in the folder is new.
        let from = origin.tree.as_ref().filter(|_| onto.is_some());
        let theirs = origin.theirs(contents, onto)?.unwrap_or_default();
        let mut last = combine(contents, from, ours, &theirs)?;
        let before = tip.commit.as_ref().map(|commit| (commit, &tip.tree));
        let history = || self.remote.fetch_history(self.objects());
        let cleaned = quota::make_room(self.memory, contents, self.objects(), &mut last.tree, before, history)?;
        if last.tree != *folder {
            self.check_merged(contents, &last.tree, *ours != last.tree, directory)?;
        }
        if last.tree != current || (parent.is_none() && !last.tree.is_empty()) {
            contents.store(&last.tree)?;
            let message = self.told(&message, &last.conflicts, tip.commit.as_ref());
            parent = Some(self.objects().commit(&last.tree, parent.as_ref(), self.author, &message)?);
        }
        let commit = parent.filter(|parent| Some(parent) != tip.commit.as_ref());
        Ok(commit.map(|commit| Candidate { commit, combined: last, cleaned }))
    }

    /// The message of a commit, which says where to find what gave way.
    fn told(&self, message: &str, conflicts: &[String], theirs: Option<&CommitId>) -> String {
        let message = message.trim_end();
        let Some(theirs) = theirs.filter(|_| !conflicts.is_empty()) else { return format!("{message}\n") };
        let one = |path: &String| format!("- {path}, before: git show {theirs}:{path}\n");
        format!("{message}\n\nBoth sides changed the same in:\n{}", conflicts.iter().map(one).collect::<String>())
    }

    /// A commit of the folder that waits until it is pushed, on top of what the folder is compared with.
    fn queued(&self, changes: &Changes<'_>) -> Result<CommitId> {
        let Changes { contents, origin, ours, .. } = changes;
        let parent = origin.commit(contents, self.objects(), self.author)?;
        let message = match &origin.waiting {
            Some(waiting) if waiting.tree == *ours => waiting.message.clone(),
            Some(waiting) => format!("{}\n\n{}", waiting.message.trim_end(), self.message),
            None => self.message.to_owned(),
        };
        contents.store(ours)?;
        // As the commit that is pushed, so that it is the same if nothing was merged.
        self.objects().commit(ours, parent.as_ref(), self.author, &self.told(&message, &[], None))
    }
}

/// Whether a request failed, so that it may succeed later.
fn is_out_of_reach(error: &Error) -> bool {
    error.kind() == ErrorKind::Git && error.retryable()
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
