//! The files of a memory, committed to its branch and merged with what others pushed.
//!
//! A push is a pipeline of values: the `base` that the folder comes from, the `changes` of the folder, the `plan` of the
//! branch as it should become, the candidate commit, and the outcome of the attempts to push it (`publish`).

pub(crate) mod base;
mod changes;
pub(crate) mod context;
mod foresee;
mod plan;
pub(crate) mod publish;

use std::path::Path;

pub use publish::Push;

use self::base::BaseHint;
use self::context::Context;
use super::config::Memory;
use super::repository::address::{Address, Source};
use super::repository::objects::{Author, CommitId};
use super::repository::remote::Remote;
use super::repository::state::{self, State, with_repair};
use super::tree::redaction::preview;
use super::tree::validate::validate;
use super::{Branches, operation};
use crate::error::{Error, Result};
use crate::home::{Home, Steps};
use crate::warning::Warning;

/// The longest id of a run, and the longest message, in bytes.
const MAX_RUN_ID: usize = 200;
const MAX_MESSAGE: usize = 4_000;

/// The base of a folder that was checked out when there was no branch.
const NO_BRANCH: &str = "none";

/// Options of a push.
#[derive(Debug, Clone, Default)]
pub struct PushOptions {
    pub(crate) source: Source,
    pub(crate) base: Option<String>,
    pub(crate) run_id: Option<String>,
    pub(crate) message: Option<String>,
}

impl PushOptions {
    /// The default.
    pub fn new() -> Self {
        PushOptions::default()
    }

    setters! {
        /// The repository of the branch.
        source(source: Source) => source = source;
        /// The commit that the files come from, as a checkout on another machine returned it, or `none` if it found no
        /// branch. Default: that of the last checkout or push here.
        base(commit: impl Into<String>) => base = Some(commit.into());
        /// The id of the run, for the message of the commit.
        run_id(id: impl Into<String>) => run_id = Some(id.into());
        /// The message of the commit. Default: one with the id of the run.
        message(message: impl Into<String>) => message = Some(message.into());
    }

    /// The message of the commit.
    fn commit_message(&self, home: &Home) -> Result<String> {
        let check = |name: &str, text: &str, most: usize, allowed: &[char]| {
            if text.len() > most || text.chars().any(|c| c.is_control() && !allowed.contains(&c)) {
                let must = format!("{name} must be at most {most} bytes without control characters");
                return Err(Error::validation(must));
            }
            Ok(())
        };
        if let Some(run) = &self.run_id {
            check("runId", run, MAX_RUN_ID, &[])?;
        }
        let run = self.run_id.as_deref().map(str::trim).filter(|run| !run.is_empty()).unwrap_or("unknown");
        let text = match self.message.as_deref().map(str::trim).filter(|message| !message.is_empty()) {
            Some(message) => {
                check("message", message, MAX_MESSAGE, &['\n', '\t'])?;
                message.to_owned()
            }
            None => format!("Update repo memory from workflow run {run}"),
        };
        Ok(home.redactor().seal_text(&text).as_str().to_owned())
    }
}

impl Branches {
    /// Commits the files in the folder of a memory, or in `directory`, to its branch, merged with what others pushed
    /// meanwhile, and brings the folder up to date. If others are faster each time, or the repository cannot be
    /// reached, the commit waits beside the folder for the next push. Progress counts three steps.
    ///
    /// # Errors
    /// `ValidationError` naming the files that break a rule, also together with those of others; `GitError` for a
    /// commit that has to wait, retryable unless the repository does not take it; `SecretRefused` for a secret in a
    /// file that is not text; those of [`checkout`](Self::checkout).
    pub fn push(&self, memory: &Memory, directory: Option<&Path>, options: &PushOptions) -> Result<Push> {
        self.home.call(operation::PUSH, |home| {
            let directory = memory.folder(home, directory)?;
            with_repair(home, &directory, || push(home, memory, &directory, options))
        })
    }
}

fn push(home: &Home, memory: &Memory, directory: &Path, options: &PushOptions) -> Result<Push> {
    let remote = &Remote::new(home, Address::find(home, memory, &options.source)?, &memory.branch);
    let message = &*options.commit_message(home)?;
    let hint = match options.base.as_deref() {
        None | Some("") => BaseHint::Recorded,
        Some(NO_BRANCH) => BaseHint::NoBranch,
        Some(base) => BaseHint::Commit(CommitId::parse(base)?),
    };
    state::refuse_repository(home, directory)?;
    if home.is_dry_run() {
        let validation = validate(home, memory, directory)?;
        validation.check(directory)?;
        let base = state::tree_at_base(home, directory)?.unwrap_or_default();
        preview(home, directory, validation.files.into_iter().map(|file| file.path), &base)?;
    }
    let mut steps = Steps::new(home, 3);
    let state = &State::open_for(home, directory, remote)?;
    // Not before: another call may have changed the folder while this one waited.
    let validation = validate(home, memory, directory)?;
    validation.check(directory)?;
    let is_empty = validation.files.is_empty();
    steps.advance();
    let author = &Author::of(home);
    let context = Context { home, memory, directory, remote, state, author, message };
    let published = publish::publish(&context, &hint, &validation, &mut steps)?;
    steps.advance();
    let warnings = warnings(memory, is_empty, &validation.skipped);
    for warning in &warnings {
        home.disk().warn(Warning::new(warning).at(directory));
    }
    let warnings = warnings.into_iter().map(str::to_owned).collect();
    Ok(Push { skipped: validation.skipped, warnings, ..published })
}

/// What may not be as it was meant with the patterns of a memory.
fn warnings(memory: &Memory, is_empty: bool, skipped: &[String]) -> Vec<&'static str> {
    let mut warnings = Vec::new();
    if is_empty && !skipped.is_empty() {
        warnings.push("the patterns (file-glob) take no file of the folder, so nothing was pushed of it");
    }
    let has_branch = |pattern: &String| {
        let rest = pattern.strip_prefix(&*memory.branch);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    if memory.file_glob.iter().flatten().any(has_branch) {
        warnings.push("a pattern (file-glob) begins with the name of the branch; patterns are relative to the folder");
    }
    warnings
}
