//! Attempts to push: each builds on the branch as it is, until one succeeds or the commit has to wait.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::base::{Base, BaseHint};
use super::changes::Changes;
use super::context::{Context, Tip};
use super::plan::Plan;
use crate::branch::checkout::Conflict;
use crate::branch::repository::objects::{CommitId, Tree};
use crate::branch::repository::remote::{Pushed, retry_pauses};
use crate::branch::repository::state::SavedState;
use crate::branch::tree::combine::difference;
use crate::branch::tree::validate::Validation;
use crate::branch::tree::working_copy::Update;
use crate::error::{Error, ErrorKind, Result};
use crate::home::Steps;

/// The number of requests in a row that may fail to reach the repository before the commit waits.
const MAX_UNREACHED: u32 = 3;

/// The result of a push.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BranchPush")]
#[non_exhaustive]
pub struct Push {
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
    pub conflicts: Vec<Conflict>,
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
    /// What may not be as it was meant, such as patterns that take no file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The end of all attempts.
pub(crate) enum Outcome {
    /// The branch is at `tip`, with this folder; `None` if there is no branch, and nothing to push.
    Published { tip: Option<CommitId>, tree: Tree },
    /// A push succeeded although its answer was lost, and others have pushed on top of it.
    OnBranch,
    /// The commit has to wait, for this reason.
    Queued(String),
    /// The repository refuses the commit, for this reason, in every attempt.
    Refused(String),
}

/// The end of one attempt.
pub(crate) enum Attempt {
    /// The branch is at the commit.
    Done,
    /// There is no use in another one.
    Last(Outcome),
    /// Another one may succeed, on top of the branch as it is `now`, if that is known.
    Failed { now: Option<Tip>, reason: String, was_reached: bool },
}

/// Publishes the files of a folder that were validated, and brings the folder up to date.
///
/// # Errors
/// `NotFound` if there is no branch and none may be created; `GitError`, retryable, if the commit has to wait, or the
/// base is not available; those of [`Changes::read`].
pub(crate) fn publish(
    context: &Context<'_>,
    hint: &BaseHint,
    validation: &Validation,
    steps: &mut Steps<'_>,
) -> Result<Push> {
    let Context { home, state, directory, .. } = *context;
    let mut result = Push::default();
    loop {
        // The outcome of an earlier push can only be seen on the branch.
        let is_unsure = !state.saved().pushing.is_empty();
        let looked_up = match is_unsure.then(|| context.fetch_tip()).transpose() {
            Err(error) if is_out_of_reach(&error) => {
                return Err(postponed(context, hint, validation, error.message())?);
            }
            looked_up => looked_up?,
        };
        let tip = looked_up.as_ref().and_then(|tip| tip.commit.as_ref());
        let base = Base::find(state, context.remote, hint.clone(), tip)?;
        let mut changes = Changes::read(context, base, validation)?;
        steps.advance();
        let outcome = {
            let _turn = context.remote.wait_for_turn(home)?;
            let ended = attempts(context, &mut changes, &mut result, looked_up);
            ended.map_err(|error| if result.attempts > 0 { unsure(context, error) } else { error })?
        };
        match outcome {
            Outcome::Published { tip, tree } => {
                let Changes { contents, before, .. } = &changes;
                let late = Update { home, state, contents, directory, before, after: &tree }.apply();
                let late = late.map_err(|error| if result.attempts > 0 { unsure(context, error) } else { error })?;
                if let Some(tip) = &tip {
                    result.conflicts.extend(Conflict::at(late, tip));
                    result.conflicts.sort_by(|a, b| a.path.cmp(&b.path));
                }
                state.update(|saved| {
                    *saved = SavedState { is_new: tip.is_none(), base: tip, ..saved.of_branch() };
                })?;
                return Ok(result);
            }
            Outcome::OnBranch => {}
            Outcome::Refused(why) => {
                let message = format!(
                    "{} does not take the push: {why}; the commit waits beside {}, and the next push sends it",
                    context.remote.shown(),
                    directory.display()
                );
                return Err(Error::new(ErrorKind::Git, message));
            }
            Outcome::Queued(why) if result.attempts == 1 => return Err(queued(context, "1 attempt", &why)),
            Outcome::Queued(why) => return Err(queued(context, &format!("{} attempts", result.attempts), &why)),
        }
    }
}

/// Queues the folder as it is for the next push, since the repository cannot be reached; returns the error of the
/// call.
fn postponed(context: &Context<'_>, hint: &BaseHint, validation: &Validation, why: &str) -> Result<Error> {
    let base = Base::find(context.state, context.remote, hint.clone(), None)?;
    let folder = Changes::read(context, base, validation)?.to_commit(context)?;
    context.state.update(|saved| saved.queue = Some(folder))?;
    Ok(queued(context, "it cannot be reached", why))
}

/// The error of a commit that has to wait.
fn queued(context: &Context<'_>, attempts: &str, why: &str) -> Error {
    let message = format!(
        "{} could not be pushed ({attempts}): {why}; the commit waits beside {}, and the next push sends it",
        context.remote.shown(),
        context.directory.display()
    );
    Error::new(ErrorKind::Git, message).mark_retryable()
}

/// The error of a call that was cancelled after it had tried to push.
fn unsure(context: &Context<'_>, error: Error) -> Error {
    if error.kind() != ErrorKind::Cancelled {
        return error;
    }
    let message = format!(
        "the call was cancelled while it pushed; the commit may be on {}, and waits beside {}; the next push finds out",
        context.remote.shown(),
        context.directory.display()
    );
    Error::new(ErrorKind::Cancelled, message).mark_retryable().maybe_stored()
}

/// Tries to push until that succeeds, or others were faster too often.
fn attempts(
    context: &Context<'_>,
    changes: &mut Changes<'_>,
    result: &mut Push,
    looked_up: Option<Tip>,
) -> Result<Outcome> {
    let Context { memory, state, remote, .. } = *context;
    let most = context.home.config().branch_attempts;
    let (mut why, mut unreached, mut pauses, mut queue) = (String::new(), 0, retry_pauses(), None);
    let mut tip = looked_up.map_or_else(|| assumed_tip(context, changes), Ok)?;
    if memory.max_patch_size.is_some() && changes.base.tree.is_none() && tip.is_assumed {
        // The files are compared with those of the branch.
        tip = context.fetch_tip()?;
    }
    while result.attempts < most && unreached < MAX_UNREACHED {
        if tip.commit.is_none() && !memory.create_orphan {
            let message = format!("{} does not exist, and create-orphan is false", remote.shown());
            return Err(Error::new(ErrorKind::NotFound, message).about(&memory.branch));
        }
        // Without a branch, an earlier base is of no use.
        let is_known = tip.commit.is_some() && changes.base.tree.is_some();
        result.base = changes.base.commit.as_ref().filter(|_| is_known).map(CommitId::to_string);
        result.merged = tip.commit.is_some() && tip.commit != changes.base.commit;
        let plan = Plan::new(context, changes, &tip)?;
        plan.check(context, changes)?;
        let Some(candidate) = plan.commit(context, changes, &tip)? else {
            if tip.is_assumed && remote.tip(context.objects())? != tip.commit {
                tip = context.fetch_tip()?;
                continue;
            }
            return Ok(Outcome::Published { tip: tip.commit, tree: tip.tree });
        };
        // Recorded first: whatever happens next, the next push finds out whether this commit is on the branch.
        let folder = match &queue {
            Some(folder) => CommitId::clone(folder),
            None => queue.insert(changes.to_commit(context)?).clone(),
        };
        state.update(|saved| saved.may_push(&candidate.commit, &folder))?;
        result.attempts += 1;
        match attempt(context, &candidate.commit, &tip)? {
            Attempt::Done => {
                result.commit = Some(candidate.commit.to_string());
                [result.added, result.changed, result.removed] = difference(&tip.tree, &candidate.tree);
                result.cleaned = candidate.cleaned;
                let conflicts = tip.commit.map(|theirs| Conflict::at(candidate.conflicts, &theirs));
                result.conflicts = conflicts.unwrap_or_default();
                return Ok(Outcome::Published { tip: Some(candidate.commit), tree: candidate.tree });
            }
            Attempt::Last(outcome) => {
                if matches!(outcome, Outcome::OnBranch) {
                    result.commit = Some(candidate.commit.to_string());
                }
                return Ok(outcome);
            }
            Attempt::Failed { now, reason, was_reached } => {
                why = reason;
                unreached = if was_reached { 0 } else { unreached + 1 };
                tip = now.unwrap_or(tip);
            }
        }
        if result.attempts < most && unreached < MAX_UNREACHED {
            remote.pause(&mut pauses)?;
        }
    }
    Ok(Outcome::Queued(why))
}

/// Pushes a commit on top of `tip`.
pub(crate) fn attempt(context: &Context<'_>, commit: &CommitId, tip: &Tip) -> Result<Attempt> {
    let Context { remote, state, .. } = *context;
    let (reason, is_refused) = match remote.push(context.objects(), commit, tip.commit.as_ref())? {
        Pushed::Done => return Ok(Attempt::Done),
        // The next push finds out whether it happened.
        Pushed::Failed(reason) if remote.is_out_of_time() => return Ok(Attempt::Last(Outcome::Queued(reason.stderr))),
        Pushed::Refused(reason) => (reason, true),
        Pushed::Failed(reason) => (reason, false),
    };
    let now = match context.fetch_tip() {
        Ok(now) => Some(now),
        Err(error) if is_out_of_reach(&error) => None,
        Err(error) => return Err(error),
    };
    if let Some(now) = now.as_ref().and_then(|now| now.commit.as_ref()) {
        // The push may have happened although its answer was lost.
        if now == commit {
            return Ok(Attempt::Done);
        }
        if !is_refused && remote.is_on_branch(context.objects(), commit, now)? {
            return Ok(Attempt::Last(Outcome::OnBranch));
        }
    }
    let is_outrun = now.as_ref().is_some_and(|now| now.commit != tip.commit);
    let is_final = now.is_some() && !is_outrun && reason.is_final;
    if is_refused || is_final {
        state.update(SavedState::was_refused)?;
    }
    if is_final {
        return Ok(Attempt::Last(Outcome::Refused(reason.stderr)));
    }
    let was_reached = is_outrun || (is_refused && now.is_some());
    Ok(Attempt::Failed { now, reason: reason.stderr, was_reached })
}

/// The most likely tip: no other push since the files were read from the branch.
fn assumed_tip(context: &Context<'_>, changes: &Changes<'_>) -> Result<Tip> {
    match (&changes.base.commit, &changes.base.tree) {
        (Some(base), Some(_)) => match context.objects().tree(base)? {
            Some(tree) => Ok(Tip { commit: Some(base.clone()), tree, is_assumed: true }),
            None => context.fetch_tip(),
        },
        (None, tree) if context.memory.create_orphan && tree.as_ref().is_none_or(Tree::is_empty) => {
            Ok(Tip { commit: None, tree: Tree::new(), is_assumed: true })
        }
        _ => context.fetch_tip(),
    }
}

/// Returns whether a request failed, so that it may succeed later.
fn is_out_of_reach(error: &Error) -> bool {
    error.kind() == ErrorKind::Git && error.retryable()
}
