//! Step summaries of a repository: `summaries.jsonl`, one a line (spec 000, "Compaction").

mod adopt;
mod fragments;
mod step;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::time::Duration;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use adopt::Adopted;
pub use step::{Event, EventKind};

use crate::disk::{JournalFile, Limits, Line, Stored};
use crate::error::{Error, Result};
use crate::finding::Examination;
use crate::home::on_one_line;
use crate::repo::Repo;

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

/// What of a summary is the host's own text.
#[derive(Serialize, Deserialize)]
struct Said {
    summary: String,
    tags: Vec<String>,
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
#[derive(Debug, Clone)]
pub struct Summaries {
    repo: Repo,
}

impl Repo {
    /// Its step summaries.
    pub fn summaries(&self) -> Summaries {
        Summaries { repo: self.clone() }
    }
}

impl Summaries {
    /// Appends a summary, dated now, and returns it as stored. It is one paragraph: a line break in it becomes a blank.
    ///
    /// # Errors
    /// `ValidationError` when the text is empty or longer than `memory.summaryMaxBytes`, `SecretRefused` for an id that
    /// looks like a secret, `LockAcquisitionError`, `ParseError` for a damaged file, `IOError`.
    pub fn append(&self, run_id: &str, step_id: &str, summary: &str, tags: Vec<String>) -> Result<Stored<Summary>> {
        self.repo.store("summary.append", |repo| append(repo, run_id, step_id, summary, tags))
    }

    /// Appends one paragraph made of what happened in a step, without a model: see [`Event`].
    ///
    /// # Errors
    /// `ValidationError` when there is no event or one without a text, and those of [`append`](Self::append).
    pub fn end_step(
        &self,
        run_id: &str,
        step_id: &str,
        events: &[Event],
        tags: Vec<String>,
    ) -> Result<Stored<Summary>> {
        self.repo.store("summary.endStep", |repo| {
            let redactor = repo.home().redactor();
            // Before anything is shortened: a part of a secret is one that no rule knows.
            let redacted = |event: &Event| Event { kind: event.kind, text: redactor.redact(&event.text).into_owned() };
            let events: Vec<Event> = events.iter().map(redacted).collect();
            let paragraph = step::paragraph(&events, repo.home().config().summary_max_bytes)?;
            append(repo, run_id, step_id, &paragraph, tags)
        })
    }

    /// The summaries that `filter` lets through, newest first.
    ///
    /// # Errors
    /// `SecretRefused` for a `runId` that looks like a secret, `LockAcquisitionError`, `ParseError`, `FormatTooNew`, `IOError`.
    pub fn list(&self, filter: Filter<'_>) -> Result<Vec<Stored<Summary>>> {
        self.list_counting(filter).map(|(summaries, _)| summaries)
    }

    /// As [`list`](Self::list), and how many lines of the file are damaged and were skipped.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    pub fn list_counting(&self, filter: Filter<'_>) -> Result<(Vec<Stored<Summary>>, usize)> {
        self.repo.call("summary.list", |repo| {
            let redactor = repo.home().redactor();
            if let Some(run_id) = filter.run_id {
                redactor.admit("runId", run_id)?;
            }
            // A secret is found under what stands in its place.
            let tag = filter.tag.map(|tag| redactor.scrub(tag));
            let journal = file(repo, repo.home().config().lock_timeout).read(repo.home().wait())?;
            let is_wanted = |summary: &Summary| {
                filter.run_id.is_none_or(|run_id| summary.run_id == run_id)
                    && tag.as_deref().is_none_or(|tag| summary.tags.iter().any(|own| own == tag))
            };
            let mut newest = dated(journal.lines(), is_wanted)?;
            // The later line is the newer one where the clock says the same; the sort is stable.
            newest.reverse();
            newest.sort_by_key(|(time, _)| Reverse(*time));
            newest.truncate(filter.limit.unwrap_or(usize::MAX));
            Ok((newest.into_iter().map(|(_, stored)| stored.clone()).collect(), journal.skipped()))
        })
    }

    /// Looks at `summaries.jsonl`, and with `fix` brings back every line that parses.
    ///
    /// # Errors
    /// `Cancelled`. Any other is a finding.
    pub(crate) fn examine(&self, fix: bool) -> Result<Examination> {
        let home = self.repo.home();
        file(&self.repo, home.config().lock_timeout).examine(home.wait(), fix)
    }
}

fn append(repo: &Repo, run_id: &str, step_id: &str, summary: &str, tags: Vec<String>) -> Result<Stored<Summary>> {
    let home = repo.home();
    let (redactor, most) = (home.redactor(), home.config().summary_max_bytes);
    if summary.trim().is_empty() {
        return Err(Error::validation("summary must not be empty"));
    }
    if summary.len() > most {
        return Err(Error::validation(format!(
            "summary is {} bytes long; at most {most} are stored (memory.summaryMaxBytes)",
            summary.len()
        )));
    }
    for (name, id) in [("runId", run_id), ("stepId", step_id)] {
        redactor.admit_id(name, id)?;
    }
    // Redacted before it is put on one line: some secrets are known by their lines.
    let summary = match on_one_line(summary) {
        Cow::Borrowed(summary) => summary.to_owned(),
        Cow::Owned(_) => on_one_line(&redactor.redact(summary)).into_owned(),
    };
    let said = redactor.seal::<Said>(&Said { summary, tags }, &["summary", "tags"])?;
    let (clock, run_id, step_id) = (home.clone(), run_id.to_owned(), step_id.to_owned());
    file(repo, home.config().append_timeout).append(home.wait(), limits(repo), move || {
        said.complete(|Said { summary, tags }| {
            Ok(Summary { run_id, step_id, timestamp: clock.timestamp(), summary, tags })
        })
    })
}

fn limits(repo: &Repo) -> Limits {
    let config = repo.home().config();
    Limits { entries: config.summaries_max_entries, bytes: config.summaries_max_bytes }
}

fn file(repo: &Repo, patience: Duration) -> JournalFile<'_, Summary> {
    JournalFile::new(repo.home().disk(), repo.home().layout().summaries(repo.hash()), patience)
}

type Time = DateTime<Utc>;

/// The lines that are wanted, each with its time. Another program may have written another time zone, or no time; such a
/// line is as old as the one before it.
fn dated(
    lines: &[Stored<Summary>],
    is_wanted: impl Fn(&Summary) -> bool,
) -> Result<Vec<(Option<Time>, &Stored<Summary>)>> {
    let mut time = None;
    let mut dated = Vec::new();
    for stored in lines {
        let summary = stored.record()?;
        let own = DateTime::parse_from_rfc3339(&summary.timestamp);
        time = own.ok().map(|time| time.to_utc()).or(time);
        if is_wanted(&summary) {
            dated.push((time, stored));
        }
    }
    Ok(dated)
}
