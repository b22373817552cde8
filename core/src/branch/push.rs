//! The files of a memory, committed to its branch and merged with what others pushed meanwhile.

use std::path::Path;

use super::address::{Address, BranchSource};
use super::changes::preview;
use super::config::BranchMemory;
use super::objects::{Author, CommitId};
use super::origin::Given;
use super::publish::{BranchPush, Publisher};
use super::remote::Remote;
use super::state::{self, State};
use super::validate::validate;
use crate::error::{Error, Result};
use crate::home::{Home, Steps};

/// The longest id of a run, and the longest message, in bytes.
const MAX_RUN_ID: usize = 200;
const MAX_MESSAGE: usize = 4_000;

/// What is given as the base of a folder that was checked out when there was no branch.
const NO_BRANCH: &str = "none";

/// What a push is told besides the memory.
#[derive(Debug, Clone, Default)]
pub struct BranchPushOptions {
    pub(super) source: BranchSource,
    pub(super) base: Option<String>,
    pub(super) run_id: Option<String>,
    pub(super) message: Option<String>,
}

impl BranchPushOptions {
    /// The default.
    pub fn new() -> Self {
        BranchPushOptions::default()
    }

    setters! {
        /// Where the branch is.
        source(source: BranchSource) => source = source;
        /// The commit that the files come from, as a checkout on another machine returned it, or `none` if it found no branch. Default: that of the last
        /// checkout or push here.
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
                return Err(Error::validation(format!(
                    "{name} must be at most {most} bytes without control characters"
                )));
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

/// Pushes the files in the folder of a memory.
///
/// # Errors
/// Those of [`Branches::push`](super::Branches::push).
pub(super) fn push(
    home: &Home,
    memory: &BranchMemory,
    directory: &Path,
    options: &BranchPushOptions,
) -> Result<BranchPush> {
    let remote = Remote::new(home, Address::find(home, memory, &options.source)?, &memory.branch);
    let message = options.commit_message(home)?;
    let given = match options.base.as_deref() {
        None | Some("") => Given::Unsaid,
        Some(NO_BRANCH) => Given::NoBranch,
        Some(base) => Given::Commit(CommitId::parse(base)?),
    };
    state::refuse_repository(home, directory)?;
    if home.is_dry_run() {
        let validation = validate(home, memory, directory)?;
        validation.check(directory)?;
        let base = state::tree_at_base(home, directory)?.unwrap_or_default();
        preview(home, directory, validation.files.into_iter().map(|file| file.path), &base)?;
    }
    let mut steps = Steps::new(home, 3);
    let state = State::open_for(home, directory, &remote)?;
    // Not before: another call may have changed the folder while this one waited.
    let validation = validate(home, memory, directory)?;
    validation.check(directory)?;
    steps.advance();
    let author = Author::of(home);
    let publisher = Publisher { home, memory, remote: &remote, state: &state, author: &author, message: &message };
    let published = publisher.publish(directory, given, &validation, &mut steps)?;
    steps.advance();
    Ok(BranchPush { skipped: validation.skipped, ..published })
}
