//! Step summaries of a repository: `summaries.jsonl`, one a line (spec 000, "Compaction").

mod fragments;

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::disk::{JournalFile, Line, Stored, Wait};
use crate::error::{Error, Result};
use crate::home::{Home, RepoHash};

/// The longest run or step id, in bytes.
const MAX_ID_BYTES: usize = 256;

/// What a workflow step did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// The run of the workflow.
    pub run_id: String,
    /// The step within the run.
    pub step_id: String,
    /// When it was appended, RFC 3339 in UTC.
    pub timestamp: String,
    /// One paragraph: what happened, important outputs, what is to follow.
    pub summary: String,
    /// Words to find it by.
    #[serde(default)]
    pub tags: Vec<String>,
}

impl Line for Summary {
    const VERSION: u64 = 1;
}

/// Which summaries are wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter<'a> {
    /// Of this run only.
    pub run_id: Option<&'a str>,
    /// With this tag only.
    pub tag: Option<&'a str>,
    /// At most so many.
    pub limit: Option<usize>,
}

/// The summaries of one repository.
#[derive(Debug, Clone, Copy)]
pub struct Summaries<'h> {
    home: &'h Home,
    repo: &'h RepoHash,
}

impl<'h> Summaries<'h> {
    /// The summaries of `repo` in `home`; nothing is read or created yet.
    pub fn new(home: &'h Home, repo: &'h RepoHash) -> Self {
        Summaries { home, repo }
    }

    /// Appends a summary, dated now, and returns it as stored.
    ///
    /// # Errors
    /// `ValidationError` when the text is empty or longer than `memory.summaryMaxBytes`, `SecretRefused` for an id that
    /// looks like a secret, `LockAcquisitionError`, `ParseError` for a damaged file, `IOError`.
    pub fn append(
        &self,
        wait: &Wait,
        run_id: &str,
        step_id: &str,
        summary: &str,
        tags: Vec<String>,
    ) -> Result<Arc<Stored<Summary>>> {
        for (name, id) in [("runId", run_id), ("stepId", step_id)] {
            if id.is_empty() || id.len() > MAX_ID_BYTES || id.chars().any(char::is_control) {
                return Err(Error::validation(format!(
                    "{name} must be 1 to {MAX_ID_BYTES} bytes of text without control characters"
                )));
            }
            self.home.redactor().admit(name, id)?;
        }
        let most = self.home.config().summary_max_bytes;
        if summary.trim().is_empty() {
            return Err(Error::validation("summary must not be empty"));
        }
        if summary.len() > most {
            return Err(Error::validation(format!(
                "summary is {} bytes long; at most {most} are stored (memory.summaryMaxBytes)",
                summary.len()
            )));
        }
        self.file(self.home.config().append_timeout).append(wait, || {
            self.home.redactor().seal(&Summary {
                run_id: run_id.to_owned(),
                step_id: step_id.to_owned(),
                timestamp: self.home.timestamp(),
                summary: summary.to_owned(),
                tags,
            })
        })
    }

    /// The summaries that `filter` lets through, newest first.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `ParseError`, `FormatTooNew`, `IOError`.
    pub fn list(&self, wait: &Wait, filter: Filter<'_>) -> Result<Vec<Arc<Stored<Summary>>>> {
        let journal = self.file(self.home.config().lock_timeout).read(wait)?;
        let wanted = |stored: &&Arc<Stored<Summary>>| {
            let summary = stored.record();
            filter.run_id.is_none_or(|run_id| summary.run_id == run_id)
                && filter.tag.is_none_or(|tag| summary.tags.iter().any(|own| own == tag))
        };
        // The later line is the newer one where the clock says the same; the sort is stable.
        let mut newest: Vec<_> = journal.lines().iter().rev().filter(wanted).map(Arc::clone).collect();
        newest.sort_by(|a, b| b.record().timestamp.cmp(&a.record().timestamp));
        newest.truncate(filter.limit.unwrap_or(usize::MAX));
        Ok(newest)
    }

    fn file(&self, patience: Duration) -> JournalFile<'h, Summary> {
        JournalFile::new(self.home.disk(), self.home.layout().summaries(self.repo), patience)
    }
}
