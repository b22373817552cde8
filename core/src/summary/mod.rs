//! Step summaries of a repository: `summaries.jsonl`, one per line (spec 000, "Compaction").

mod archive;
mod code;
mod import;
mod room;
mod step;
mod synced;
mod undo;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use room::SummaryRoom;
pub use step::{Event, EventKind};
pub use undo::Which;

use crate::disk::{Journal, JournalEdit, JournalFile, Limits, Line, Row, Stored};
use crate::error::{Error, Result};
use crate::ranking::{Content, Prompt, Query, Scored, best, rank};
use crate::repo::Repo;
use crate::room::Fragment;
use crate::safety::SealedObject;
use crate::warm::{self, Source};
use crate::warning::Warning;

/// What a workflow step did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Summary {
    /// The id of the workflow run.
    pub run_id: String,
    /// The id of the step within the run.
    pub step_id: String,
    /// When it was appended, RFC 3339 in UTC.
    pub timestamp: String,
    /// One paragraph: what happened, important outputs, and what remains to be done.
    pub summary: String,
    /// Tags to find it by.
    #[serde(default)]
    pub tags: Vec<String>,
}

impl Line for Summary {
    const VERSION: u64 = 1;
}

impl Summary {
    /// Drafts a summary: one paragraph about what a step did. A line break becomes a space.
    pub fn draft(run_id: impl Into<String>, step_id: impl Into<String>, summary: impl Into<String>) -> SummaryDraft {
        let content = UserContent { summary: summary.into(), tags: Vec::new() };
        SummaryDraft { run_id: run_id.into(), step_id: step_id.into(), content }
    }
}

/// A summary to append, created by [`Summary::draft`].
#[derive(Debug, Clone)]
pub struct SummaryDraft {
    run_id: String,
    step_id: String,
    content: UserContent,
}

impl SummaryDraft {
    setters! {
        /// Sets the tags to find it by, replacing any set before.
        tags(tags: impl IntoIterator<Item: Into<String>>) => content.tags = tags.into_iter().map(Into::into).collect();
    }
}

/// The part of a summary that comes from the caller and is redacted.
#[derive(Debug, Clone, Serialize)]
struct UserContent {
    summary: String,
    tags: Vec<String>,
}

/// Filters of summaries.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Filter<'a> {
    /// Only summaries of this run.
    pub run_id: Option<&'a str>,
    /// Only summaries with this tag.
    pub tag: Option<&'a str>,
    /// Only summaries that share words with this text, the most relevant first.
    pub query: Option<&'a str>,
    /// The maximum number of summaries: the newest, or with a query the most relevant.
    pub limit: Option<usize>,
}

impl<'a> Filter<'a> {
    /// Every summary.
    pub fn all() -> Self {
        Filter::default()
    }

    setters! {
        /// Only summaries of this run.
        run(run_id: impl Into<Option<&'a str>>) => run_id = run_id.into();
        /// Only summaries with this tag.
        tag(tag: impl Into<Option<&'a str>>) => tag = tag.into();
        /// Only summaries that share words with this text, the most relevant first.
        query(query: impl Into<Option<&'a str>>) => query = query.into();
        /// At most `limit` summaries: the newest, or with a query the most relevant.
        limit(limit: impl Into<Option<usize>>) => limit = limit.into();
    }
}

/// The step summaries of one repository, returned by [`Repo::summaries`]. They are appended, and removed when there are too
/// many; none is changed.
///
/// See [how to end a step](crate::recipes#how-do-i-end-a-step-so-that-the-next-one-can-go-on).
#[derive(Debug, Clone)]
pub struct Summaries {
    repo: Repo,
}

impl Repo {
    /// The step summaries of this repository.
    pub fn summaries(&self) -> Summaries {
        Summaries { repo: self.clone() }
    }
}

impl Summaries {
    pub(crate) const APPEND: &str = "summary.append";
    pub(crate) const END_STEP: &str = "summary.endStep";
    pub(crate) const LIST: &str = "summary.list";
    pub(crate) const REMOVE: &str = "summary.remove";

    /// Appends a summary with the current time and returns it as stored. It is one paragraph: a line break becomes a
    /// space.
    ///
    /// # Errors
    /// `ValidationError` if the text is empty or longer than `memory.summaryMaxBytes`, `SecretRefused` for an id that
    /// looks like a secret, `LockAcquisitionError`, `ParseError` for a damaged file, `IOError`.
    pub fn append(&self, draft: SummaryDraft) -> Result<Stored<Summary>> {
        self.repo.call_write(Self::APPEND, |repo| append(repo, draft))
    }

    /// Appends one paragraph made of what happened in a step, without a model: see [`Event`]. Without tags, pass `&[]`.
    ///
    /// # Errors
    /// `ValidationError` if there is no event, or one without text, and those of [`append`](Self::append).
    pub fn end_step(&self, run_id: &str, step_id: &str, events: &[Event], tags: &[&str]) -> Result<Stored<Summary>> {
        self.repo.call_write(Self::END_STEP, |repo| {
            // Redact before anything is shortened: no rule would detect a part of a secret. Their texts become the
            // summary, and an allowance for that field is for all that is stored in it.
            let redacted = |event: &Event| Event {
                kind: event.kind,
                text: repo.home().redact("summary", &event.text).into_owned(),
            };
            let events: Vec<Event> = events.iter().map(redacted).collect();
            let paragraph = step::paragraph(&events, repo.home().config().summary_max_bytes)?;
            append(repo, Summary::draft(run_id, step_id, paragraph).tags(tags.iter().copied()))
        })
    }

    /// Returns the summaries that match `filter`, newest first, or with a query the most relevant first.
    ///
    /// # Errors
    /// `SecretRefused` for a `runId` that looks like a secret, `LockAcquisitionError`, `ParseError`, `FormatTooNew`,
    /// `IOError`.
    pub fn list(&self, filter: Filter<'_>) -> Result<Vec<Stored<Summary>>> {
        self.list_counting(filter).map(|(summaries, _)| summaries)
    }

    /// Like [`list`](Self::list), and returns the number of damaged lines that were skipped.
    ///
    /// # Errors
    /// See [`list`](Self::list).
    pub fn list_counting(&self, filter: Filter<'_>) -> Result<(Vec<Stored<Summary>>, usize)> {
        self.repo.call(Self::LIST, |repo| {
            let redactor = repo.home().redactor();
            if let Some(run_id) = filter.run_id {
                redactor.admit("runId", run_id)?;
            }
            // A secret is found under the placeholder that replaced it.
            let tag = filter.tag.map(|tag| redactor.scrub(tag));
            let query = filter.query.map(|query| Prompt::new(redactor, query));
            let journal = read(repo)?;
            let limit = if query.is_some() { None } else { filter.limit };
            let rows = newest_first(&journal, Filter { tag: tag.as_deref(), limit, ..filter })?;
            let mut summaries: Vec<_> =
                rows.iter().map(|row| row.record().map(Cow::into_owned)).collect::<Result<_>>()?;
            if let Some(query) = query {
                // Of equally relevant ones, the newest comes first.
                summaries.reverse();
                let best = best(scores(&query, &summaries), filter.limit.unwrap_or(usize::MAX));
                summaries = best.into_iter().filter_map(|it| summaries.get(it.index).cloned()).collect();
            }
            Ok((summaries, journal.skipped()))
        })
    }

    /// All of them, as they are in the file.
    pub(crate) fn journal(&self) -> Result<Arc<Journal<Summary>>> {
        self.repo.call(Self::LIST, read)
    }
}

/// What a text that is made of `journal` depends on; nothing when it is empty.
pub(crate) fn source(journal: &Arc<Journal<Summary>>) -> Source {
    warm::source(journal, journal.lines().is_empty() && journal.skipped() == 0)
}

fn read(repo: &Repo) -> Result<Arc<Journal<Summary>>> {
    file(repo, repo.home().config().lock_timeout).read(repo.home().wait_options())
}

/// The summaries of `journal` that `filter`, which holds no secret, lets through.
pub(crate) fn newest_first(journal: &Journal<Summary>, filter: Filter<'_>) -> Result<Vec<Row<Stored<Summary>>>> {
    let is_wanted = |summary: &Summary| {
        filter.run_id.is_none_or(|run_id| summary.run_id == run_id)
            && filter.tag.is_none_or(|tag| summary.tags.iter().any(|own| own == tag))
    };
    let mut newest = dated(journal.lines(), is_wanted)?;
    // The later line is the newer one where the clock says the same; the sort is stable.
    newest.reverse();
    newest.sort_by_key(|(time, _)| Reverse(*time));
    newest.truncate(filter.limit.unwrap_or(usize::MAX));
    Ok(newest.into_iter().map(|(_, row)| row.clone()).collect())
}

/// How relevant summaries are for a prompt.
pub(crate) fn scores(prompt: &Prompt, summaries: &[Stored<Summary>]) -> Vec<Scored> {
    let contents = summaries.iter().map(|it| Content { text: &it.summary, tags: &it.tags, ..Content::default() });
    rank(&Query { prompt: Some(prompt), ..Query::default() }, contents)
}

fn append(repo: &Repo, SummaryDraft { run_id, step_id, mut content }: SummaryDraft) -> Result<Stored<Summary>> {
    let home = repo.home();
    let (redactor, limit) = (home.redactor(), home.config().summary_max_bytes);
    if content.summary.trim().is_empty() {
        return Err(Error::validation("summary must not be empty"));
    }
    if content.summary.len() > limit {
        return Err(Error::validation(format!(
            "summary is {} bytes long; at most {limit} are allowed (memory.summaryMaxBytes)",
            content.summary.len()
        )));
    }
    let (run_id, step_id) = (redactor.admit_id("runId", &run_id)?, redactor.admit_id("stepId", &step_id)?);
    content.summary = home.redacted_line("summary", &content.summary).into_owned();
    let content = home.seal(&content, &["summary", "tags"])?;
    let clock = home.clone();
    let archive = home.config().summaries_archive.then(|| repo.clone());
    // If nothing else is written after this, they are in both files, and are found once.
    let keep = move |lines| archive.map_or(Ok(()), |repo| keep_old(&repo, lines, false));
    let file = file(repo, home.config().append_timeout);
    let (stored, gone) = file.append(home.wait_options(), limits(repo), keep, move || {
        let mut record = SealedObject::default();
        record.set("runId", &run_id)?;
        record.set("stepId", &step_id)?;
        record.set("timestamp", &clock.timestamp())?;
        record.overlay(content);
        Ok(record.record::<Summary>()?)
    })?;
    Fragment::warn_if_too_long(home, &stored.step_id, &[&stored.summary]);
    if gone > 0 {
        let message = if home.config().summaries_archive {
            "old summaries made room for new ones; a search finds them"
        } else {
            "old summaries were removed to make room for new ones; memory.summariesArchive keeps them"
        };
        Warning::new(message).counting(gone).emit(redactor);
    }
    Ok(stored)
}

/// Keeps these summaries in the file of those that newer ones have pushed out.
fn keep_old(repo: &Repo, lines: Vec<Row<Stored<Summary>>>, is_merge: bool) -> Result<()> {
    old_file(repo).update(repo.home().wait_options(), move |journal| {
        // After a crash, these are the last ones; from another place, some may be anywhere.
        let last = journal.lines().iter().rev().take(if is_merge { usize::MAX } else { lines.len() });
        let known: HashSet<&str> = last.map(|row| row.json().get()).collect();
        let new = lines.iter().filter(|row| !known.contains(row.json().get()));
        let unlimited = Limits { entries: usize::MAX, bytes: usize::MAX };
        Ok((new.map(|row| JournalEdit::Append(row.clone(), unlimited)).collect(), ()))
    })
}

/// The newest of these lines, as far as the limits allow. With `memory.summariesArchive`, the others are kept as an append
/// keeps them.
fn within_limits(repo: &Repo, mut lines: Vec<Row<Stored<Summary>>>) -> Result<Vec<Row<Stored<Summary>>>> {
    let kept = lines.split_off(limits(repo).exceeding(&lines));
    if repo.home().config().summaries_archive && !lines.is_empty() {
        keep_old(repo, lines, true)?;
    }
    Ok(kept)
}

/// The file of summaries that newer ones have pushed out.
fn old_file(repo: &Repo) -> JournalFile<'_, Summary> {
    let home = repo.home();
    JournalFile::new(home.disk(), home.layout().old_summaries(repo.hash()), home.config().lock_timeout)
}

fn limits(repo: &Repo) -> Limits {
    let config = repo.home().config();
    Limits { entries: config.summaries_max_entries, bytes: config.summaries_max_bytes }
}

fn file(repo: &Repo, timeout: Duration) -> JournalFile<'_, Summary> {
    JournalFile::new(repo.home().disk(), repo.home().layout().summaries(repo.hash()), timeout)
}

type Time = DateTime<Utc>;

/// Lines with their times.
type Dated<'l> = Vec<(Option<Time>, &'l Row<Stored<Summary>>)>;

/// The lines for which `is_wanted` is true, with their times. Another program may have written another time zone, or no
/// time: such a line gets the time of the line before it.
fn dated(lines: &[Row<Stored<Summary>>], is_wanted: impl Fn(&Summary) -> bool) -> Result<Dated<'_>> {
    let mut time = None;
    let mut dated = Vec::new();
    for row in lines {
        let summary = row.record()?;
        let own = DateTime::parse_from_rfc3339(&summary.timestamp);
        time = own.ok().map(|time| time.to_utc()).or(time);
        if is_wanted(&summary) {
            dated.push((time, row));
        }
    }
    Ok(dated)
}
