//! The plan of one attempt to push: the changes of the folder merged with the branch, and the commits of the result.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::changes::Changes;
use super::context::{Context, Tip};
use crate::branch::config::CleanUp;
use crate::branch::repository::objects::{CommitId, MAX_HISTORY, Tree};
use crate::branch::tree::combine::{Combined, combine};
use crate::branch::tree::contents::Contents;
use crate::branch::tree::fault::{Fault, Rule};
use crate::branch::tree::folder::total;
use crate::branch::tree::redaction::redact_merged;
use crate::branch::tree::validate::{fault_list, faults_of_all, patch_fault};
use crate::error::{Error, Result};

/// The most files of earlier commits that are compared.
const MAX_COMPARED: usize = 1_000_000;

/// The branch as it should become.
pub(crate) struct Plan {
    /// The queued changes, if they get a commit of their own before that of the folder: its files and message.
    queued: Option<(Combined, String)>,
    /// The folder, merged with the branch.
    folder: Combined,
    message: String,
    /// The files that made way for new ones.
    cleaned: Vec<String>,
    /// What is wrong if too little could make way.
    overflow: Option<Fault>,
}

/// A commit to push.
pub(crate) struct Candidate {
    pub(crate) commit: CommitId,
    /// Its files.
    pub(crate) tree: Tree,
    pub(crate) conflicts: Vec<String>,
    pub(crate) cleaned: Vec<String>,
}

impl Plan {
    /// Merges the changes with the branch at `tip`.
    ///
    /// # Errors
    /// `SecretRefused` for a file that is not text; `GitError`, `Cancelled`.
    pub(crate) fn new(context: &Context<'_>, changes: &mut Changes<'_>, tip: &Tip) -> Result<Plan> {
        let Changes { contents, base, ours, .. } = changes;
        let check: &dyn Fn() -> Result<()> = &context.home.cancel_check();
        let onto = tip.existing().map(|(_, tree)| tree);
        let mut message = context.message.to_owned();
        let mut queued = None;
        if let Some(separate) = base.separate() {
            let mut combined = separate.on(contents, onto, check)?;
            redact_merged(context.home, contents, &mut combined.tree, &[Some(&separate.tree), onto])?;
            queued = Some((combined, separate.message.clone()));
        } else if let Some(joined) = &base.queued {
            message = format!("{}\n\n{message}", joined.message.trim_end());
        }
        // Without a branch, everything in the folder is new.
        let from = base.tree.as_ref().filter(|_| onto.is_some());
        let mut theirs = base.theirs(contents, onto, check)?.unwrap_or_default();
        redact_merged(context.home, contents, &mut theirs, &[base.queued.as_ref().map(|queued| &queued.tree), onto])?;
        let mut folder = combine(contents, from, ours, &theirs, check)?;
        base.report(&mut folder.conflicts, &theirs);
        redact_merged(context.home, contents, &mut folder.tree, &[Some(&*ours), Some(&theirs)])?;
        let (cleaned, overflow) = make_room(context, contents, &mut folder.tree, tip)?;
        Ok(Plan { queued, folder, message, cleaned, overflow })
    }

    /// The paths of the files in which a change of the folder replaces one of theirs.
    pub(crate) fn conflicts(&self) -> &[String] {
        &self.folder.conflicts
    }

    /// The rules that the files break only together with those of others, or with placeholders in them.
    fn faults_of_merged(&self, context: &Context<'_>, changes: &Changes<'_>) -> Result<Vec<Fault>> {
        if self.folder.tree == changes.before {
            return Ok(Vec::new());
        }
        let kept = changes.contents.kept(&self.folder.tree, &context.memory.patterns()?)?;
        Ok(faults_of_all(context.home, context.memory, &kept))
    }

    /// Every fault for which the push would be refused.
    pub(crate) fn faults(&self, context: &Context<'_>, changes: &Changes<'_>, tip: &Tip) -> Result<Vec<Fault>> {
        let mut faults = self.faults_of_merged(context, changes)?;
        faults.iter_mut().for_each(|fault| fault.message.insert_str(0, "together with what others pushed: "));
        faults.extend(self.overflow.clone());
        faults.extend(growth(context, changes, tip, &self.folder.tree)?);
        Ok(faults)
    }

    /// Refuses files that break the rules of the memory only together with those of others, or with placeholders in
    /// them.
    ///
    /// # Errors
    /// `ValidationError` that names the rules.
    pub(crate) fn check(&self, context: &Context<'_>, changes: &Changes<'_>) -> Result<()> {
        if let Some(overflow) = &self.overflow {
            return Err(Error::validation(overflow.message.clone()));
        }
        let faults = self.faults_of_merged(context, changes)?;
        if faults.is_empty() {
            return Ok(());
        }
        let (branch, faults, folder) = (context.remote.shown(), fault_list(&faults), context.directory.display());
        let message = match changes.ours != self.folder.tree {
            true => format!(
                "together with what others pushed to {branch}, the files break the rules of the memory: {faults}; nothing was pushed; branch.checkout brings their files to {folder}"
            ),
            false => format!(
                "with placeholders for secrets, the files in {folder} break the rules of the memory: {faults}; nothing was pushed"
            ),
        };
        Err(Error::validation(message).at(context.directory))
    }

    /// Stores the commits; `None` if the branch has everything.
    ///
    /// # Errors
    /// `ValidationError` if the files became too much larger.
    pub(crate) fn commit(self, context: &Context<'_>, changes: &Changes<'_>, tip: &Tip) -> Result<Option<Candidate>> {
        let Plan { queued, folder, message, cleaned, .. } = self;
        let (mut parent, mut current) = (tip.commit.clone(), &tip.tree);
        if let Some((queued, message)) = &queued {
            if queued.tree != *current {
                let message = with_conflict_note(message, &queued.conflicts, tip);
                parent = Some(context.commit(&changes.contents, &queued.tree, parent.as_ref(), &message)?);
            }
            current = &queued.tree;
        }
        if folder.tree != *current || (parent.is_none() && !folder.tree.is_empty()) {
            let message = with_conflict_note(&message, &folder.conflicts, tip);
            parent = Some(context.commit(&changes.contents, &folder.tree, parent.as_ref(), &message)?);
        }
        let Some(commit) = parent.filter(|parent| Some(parent) != tip.commit.as_ref()) else { return Ok(None) };
        let Combined { tree, conflicts } = folder;
        if let Some(fault) = growth(context, changes, tip, &tree)? {
            return Err(Error::validation(fault.message));
        }
        Ok(Some(Candidate { commit, tree, conflicts, cleaned }))
    }
}

/// The fault of files that became too much larger, which the validation cannot see for files from another machine. If
/// their base is not known, the files that are pushed are compared with the branch.
fn growth(context: &Context<'_>, changes: &Changes<'_>, tip: &Tip, pushed: &Tree) -> Result<Option<Fault>> {
    let Some(limit) = context.memory.max_patch_size else { return Ok(None) };
    let patterns = context.memory.patterns()?;
    let size = |tree: &Tree| changes.contents.total_size(tree, &patterns);
    let (before, now) = match &changes.base.tree {
        Some(base) => (size(base)?, size(&changes.before)?),
        None => (size(&tip.tree)?, size(pushed)?),
    };
    Ok(patch_fault(limit, now, before))
}

/// The message of a commit, with the places of the versions that it replaced.
fn with_conflict_note(message: &str, conflicts: &[String], tip: &Tip) -> String {
    let message = message.trim_end();
    let Some(theirs) = tip.commit.as_ref().filter(|_| !conflicts.is_empty()) else { return message.to_owned() };
    let one = |path: &String| format!("- {path}, before: git show {theirs}:{path}\n");
    format!("{message}\n\nBoth sides changed the same in:\n{}", conflicts.iter().map(one).collect::<String>())
}

/// Removes files from `tree` until those that are kept fit, the ones that were changed longest ago on the branch first.
/// The files that the push changes stay. Returns the paths, sorted, or the fault if they do not fit, or nothing may be
/// removed.
fn make_room(
    context: &Context<'_>,
    contents: &Contents<'_>,
    tree: &mut Tree,
    tip: &Tip,
) -> Result<(Vec<String>, Option<Fault>)> {
    let Context { memory, remote, .. } = *context;
    let Some(limit) = memory.max_total_size else { return Ok((Vec::new(), None)) };
    let kept = contents.kept(tree, &memory.patterns()?)?;
    let sizes: BTreeMap<String, u64> = kept.into_iter().map(|file| (file.path, file.size)).collect();
    let mut total = total(sizes.values().copied());
    if total <= limit {
        return Ok((Vec::new(), None));
    }
    let mut removed = Vec::new();
    if let (CleanUp::Oldest, Some((tip, before))) = (memory.clean_up, tip.existing()) {
        remote.fetch_history(context.objects())?;
        let ages = ages(context, tip)?;
        let is_unchanged = |path: &String| before.get(path).is_some_and(|item| tree.get(path) == Some(item));
        let mut candidates: Vec<&String> = sizes.keys().filter(|path| is_unchanged(path)).collect();
        // A file without an age was not changed in the whole history that is known.
        candidates.sort_by_key(|path| (Reverse(ages.get(*path).copied().unwrap_or(usize::MAX)), *path));
        for path in candidates {
            if total <= limit {
                break;
            }
            total = total.saturating_sub(sizes.get(path).copied().unwrap_or_default());
            removed.push(path.clone());
        }
    }
    if total > limit {
        let message = format!(
            "with those of others on the branch, the files of the memory would have {total} bytes in all; at most {limit} are allowed"
        );
        let message = format!("{message}; remove or shorten some");
        return Ok((Vec::new(), Some(Fault::new(None, Rule::TotalSize, Some(limit), message))));
    }
    for path in &removed {
        tree.remove(path);
    }
    removed.sort();
    Ok((removed, None))
}

/// The number of commits since each file was changed last, as far as a bounded number of files is compared.
fn ages(context: &Context<'_>, tip: &CommitId) -> Result<BTreeMap<String, usize>> {
    let (objects, check) = (context.objects(), context.home.cancel_check());
    let mut ages = BTreeMap::new();
    let mut commit = tip.clone();
    let Some(mut tree) = objects.tree(&commit)? else { return Ok(ages) };
    let mut left = MAX_COMPARED;
    for age in 0..MAX_HISTORY {
        check()?;
        let Some(rest) = left.checked_sub(tree.len()) else { break };
        left = rest;
        let parent = objects.details(&commit)?.and_then(|(parent, _)| parent);
        let Some(parent) = parent else { break };
        let Some(before) = objects.tree(&parent)? else { break };
        for (path, item) in &tree {
            if before.get(path) != Some(item) {
                ages.entry(path.clone()).or_insert(age);
            }
        }
        (commit, tree) = (parent, before);
    }
    Ok(ages)
}
