//! A model's answer about one transcript: how it is read, and how it is stored.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::answer;
use crate::disk::Stored;
use crate::error::{Error, Result};
use crate::home::Home;
use crate::rollouts::database::{State, all, execute, find, first, row};
use crate::rollouts::threads::{ThreadRow, admit_thread_id};
use crate::rollouts::transcript::with_whole_characters;
use crate::rollouts::{Rollouts, time};
use crate::safety::beginning;
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::{self, Connection, Params, Row, params};
use crate::warning::Warning;

/// The maximum length of a slug, in bytes.
const MAX_SLUG_BYTES: usize = 200;

/// The answer of a model.
///
/// `summary` and `rawMemory`, the names that older prompts ask for, are accepted as well; see `docs/ROLLOUTS.md`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Stage1Answer")]
#[non_exhaustive]
pub struct Answer {
    /// A short name of the session. Accepted, stored, and not used in the names of files.
    rollout_slug: Option<String>,
    /// The subject of the session and its outcome.
    rollout_summary: Option<String>,
    /// The knowledge for later sessions.
    raw_memory: Option<String>,
    /// The older name of `rollout_summary`.
    #[schemars(skip)]
    summary: Option<String>,
    /// The older name of `raw_memory`.
    #[schemars(skip)]
    #[serde(rename = "rawMemory")]
    old_raw_memory: Option<String>,
}

/// The memory of one session, without secrets. If both texts are empty, there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Stage1Output {
    /// A short name of the session; null if it has none.
    pub rollout_slug: Option<String>,
    /// The subject of the session and its outcome.
    pub rollout_summary: String,
    /// The knowledge for later sessions.
    pub raw_memory: String,
}

impl Stage1Output {
    /// Reads the answer of a model: a JSON object, or a text that contains one, in a fence or between other words.
    ///
    /// # Errors
    /// `ValidationError` for an answer without `rollout_summary` and `raw_memory`, or their older names.
    pub(crate) fn read(home: &Home, answer: &RawValue) -> Result<Stored<Self>> {
        let json = with_whole_characters(answer.get());
        let text: Option<String> = serde_json::from_str(&json).ok();
        match text {
            Some(text) => Stage1Output::in_text(home, &text),
            None => Stage1Output::sealed(home, parse(&json).ok_or_else(|| no_output(&json))?),
        }
    }

    /// As [`read`](Self::read), for a text.
    pub(crate) fn in_text(home: &Home, text: &str) -> Result<Stored<Self>> {
        Stage1Output::sealed(home, answer::find(text, parse).ok_or_else(|| no_output(text))?)
    }

    fn sealed(home: &Home, texts: Texts) -> Result<Stored<Self>> {
        if texts.is_legacy {
            let message = "the output has the older keys summary or rawMemory; ask for rollout_summary and raw_memory";
            Warning::new(message).emit(home.redactor());
        }
        let slug = texts.slug.map(|slug| answer::plain(slug.trim())).filter(|slug| !slug.is_empty());
        let slug = slug.map(|slug| home.redact("rollout_slug", &slug).into_owned());
        let slug = slug.map(|slug| beginning(&slug, MAX_SLUG_BYTES).to_owned());
        let output = Stage1Output {
            rollout_slug: slug,
            rollout_summary: answer::plain(texts.summary.trim()),
            raw_memory: answer::plain(texts.memory.trim()),
        };
        let sealed = home.seal(&output, &["rollout_slug", "rollout_summary", "raw_memory"])?;
        Ok(Stored::from(sealed.record::<Stage1Output>()?))
    }

    /// True if there is nothing to remember.
    pub fn is_empty(&self) -> bool {
        self.rollout_summary.is_empty() && self.raw_memory.is_empty()
    }
}

/// The texts of an answer that has both.
struct Texts {
    slug: Option<String>,
    summary: String,
    memory: String,
    /// True if one of them has its older name.
    is_legacy: bool,
}

fn parse(json: &str) -> Option<Texts> {
    let answer: Answer = serde_json::from_str(json).ok()?;
    Some(Texts {
        is_legacy: answer.rollout_summary.is_none() || answer.raw_memory.is_none(),
        slug: answer.rollout_slug,
        summary: answer.rollout_summary.or(answer.summary)?,
        memory: answer.raw_memory.or(answer.old_raw_memory)?,
    })
}

/// The error for a text without an answer. It says what is wrong with the first object in it.
fn no_output(text: &str) -> Error {
    let problem = answer::problem(text, |answer: Answer| match answer {
        Answer { rollout_summary: None, summary: None, .. } => Some("rollout_summary"),
        Answer { raw_memory: None, old_raw_memory: None, .. } => Some("raw_memory"),
        _ => None,
    });
    Error::validation(format!(
        "the output must be a JSON object with the texts rollout_summary and raw_memory, or a text that contains one; both \
         are empty if there is nothing to remember{problem}"
    ))
}

row! {
    /// A row of the table of outputs.
    #[derive(Debug, Clone)]
    struct OutputRow {
        source_updated_at: i64 = "output.source_updated_at",
        generated_at: i64 = "output.generated_at",
        rollout_slug: Option<String> = "output.rollout_slug",
        rollout_summary: String = "output.rollout_summary",
        raw_memory: String = "output.raw_memory",
        usage_count: u32 = "output.usage_count",
        last_usage: Option<i64> = "output.last_usage",
        selected_source_updated_at: Option<i64> = "output.selected_source_updated_at",
    }
}

impl OutputRow {
    /// SQL: the output of a thread, to join with it. A repair may have lost either of them.
    pub(crate) const OF_THREAD: &str = "output ON output.number = thread.output AND output.thread = thread.number";

    /// The output of a thread.
    pub(crate) fn find(connection: &Connection, thread: &ThreadRow) -> Result<Option<Self>, Failure> {
        let sql = format!("SELECT {} FROM output WHERE number = ?1 AND thread = ?2", OutputRow::columns());
        find(connection, &sql, params![thread.output, thread.number], |row| OutputRow::read(row, &mut 0))
    }
}

/// An output and the thread that it is of.
pub(crate) type Source = (ThreadRow, OutputRow);

/// The threads with an output, with it. `rest` is the SQL that follows the join.
pub(crate) fn sources(connection: &Connection, rest: &str, values: impl Params) -> Result<Vec<Source>, Failure> {
    let (thread, output, of_thread) = (ThreadRow::columns(), OutputRow::columns(), OutputRow::OF_THREAD);
    let sql = format!("SELECT {thread}, {output} FROM thread JOIN {of_thread} {rest}");
    all(connection, &sql, values, read_source)
}

/// Reads the columns of a thread and those of its output.
pub(crate) fn read_source(row: &Row<'_>) -> Result<Source, rusqlite::Error> {
    let at = &mut 0;
    Ok((ThreadRow::read(row, at)?, OutputRow::read(row, at)?))
}

/// The output of a thread as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct StoredOutput {
    /// When the thread had changed last that it is of.
    pub source_updated_at: String,
    /// When it was stored.
    pub generated_at: String,
    /// A short name of the session; null if it has none.
    pub rollout_slug: Option<String>,
    /// The subject of the session and its outcome.
    pub rollout_summary: String,
    /// The knowledge for later sessions.
    pub raw_memory: String,
    /// The number of times that it was used.
    pub usage_count: u32,
    /// When it was used last; null if it never was.
    pub last_usage: Option<String>,
    /// True if the last consolidation read it as it is.
    pub selected_for_phase2: bool,
}

impl From<OutputRow> for StoredOutput {
    fn from(row: OutputRow) -> Self {
        StoredOutput {
            source_updated_at: time::text(row.source_updated_at),
            generated_at: time::text(row.generated_at),
            rollout_slug: row.rollout_slug,
            rollout_summary: row.rollout_summary,
            raw_memory: row.raw_memory,
            usage_count: row.usage_count,
            last_usage: row.last_usage.map(time::text),
            selected_for_phase2: row.selected_source_updated_at == Some(row.source_updated_at),
        }
    }
}

/// Stores the output of a thread, unless a newer one is stored. Returns whether it did.
///
/// It gets a new row, so that outputs are only appended; [`index`] finds those rows later.
pub(crate) fn store(
    connection: &Connection,
    thread: &ThreadRow,
    source: i64,
    now: i64,
    output: &Stored<Stage1Output>,
) -> Result<bool, Failure> {
    let old = match thread.output {
        Some(_) => OutputRow::find(connection, thread)?,
        None => None,
    };
    if old.as_ref().is_some_and(|old| old.source_updated_at > source) {
        return Ok(false);
    }
    // Outputs are indexed in the order of their numbers, so this one must come after the last that is indexed.
    let newest = "SELECT 1 + max(ifnull((SELECT max(number) FROM output), 0),
         ifnull((SELECT max(id) FROM output_text_docsize), 0))";
    let number: i64 = first(connection, newest, [])?;
    remove(connection, thread)?;
    let sql = "INSERT INTO output (number, thread, source_updated_at, generated_at, rollout_slug, rollout_summary, raw_memory,
             usage_count, last_usage, selected_source_updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let values = params![
        number,
        thread.number,
        source,
        now,
        output.rollout_slug,
        output.rollout_summary,
        output.raw_memory,
        old.as_ref().map_or(0, |old| old.usage_count),
        old.as_ref().and_then(|old| old.last_usage),
        old.as_ref().and_then(|old| old.selected_source_updated_at),
    ];
    execute(connection, sql, values)?;
    execute(connection, "UPDATE thread SET output = ?2 WHERE number = ?1", [thread.number, number])?;
    Ok(true)
}

/// Removes the output of a thread and returns it.
pub(crate) fn remove(connection: &Connection, thread: &ThreadRow) -> Result<Option<OutputRow>, Failure> {
    let Some(number) = thread.output else { return Ok(None) };
    let old = OutputRow::find(connection, thread)?;
    if old.is_some() {
        let sql = "INSERT INTO output_text (output_text, rowid, rollout_summary, raw_memory)
             SELECT 'delete', number, rollout_summary, raw_memory FROM output
             WHERE number = ?1 AND EXISTS (SELECT 1 FROM output_text_docsize WHERE id = ?1)";
        execute(connection, sql, [number])?;
        execute(connection, "DELETE FROM output WHERE number = ?1", [number])?;
    }
    execute(connection, "UPDATE thread SET output = NULL WHERE number = ?1", [thread.number])?;
    Ok(old)
}

/// SQL: whether an output is not in the index of texts yet.
pub(crate) const IS_UNINDEXED: &str = "output.number > ifnull((SELECT max(id) FROM output_text_docsize), 0)";

/// True if some outputs are not in the index of texts yet.
pub(crate) fn has_unindexed(connection: &Connection) -> Result<bool, Failure> {
    let sql = format!("SELECT EXISTS (SELECT 1 FROM output WHERE {IS_UNINDEXED})");
    first(connection, &sql, [])
}

/// Adds the outputs to the index of texts that are not in it yet.
pub(crate) fn index(connection: &Connection) -> Result<(), Failure> {
    let sql = format!(
        "INSERT INTO output_text (rowid, rollout_summary, raw_memory)
         SELECT number, rollout_summary, raw_memory FROM output WHERE {IS_UNINDEXED} ORDER BY number"
    );
    execute(connection, &sql, []).map(drop)
}

impl Rollouts {
    pub(crate) const RECORD_USAGE: &str = "rollouts.recordUsage";

    /// Counts that the memory of these sessions was used, each once: what is used stays, and is consolidated first. Returns
    /// how many of these sessions have a stored memory.
    ///
    /// # Errors
    /// `ValidationError`, `SecretRefused`; those of [`status`](Self::status).
    pub fn record_usage(&self, thread_ids: &[&str]) -> Result<usize> {
        self.home.call(Self::RECORD_USAGE, |home| {
            let ids: BTreeSet<&str> = thread_ids.iter().copied().collect();
            ids.iter().try_for_each(|id| admit_thread_id(home, "threadIds", id).map(drop))?;
            let now = time::now(home);
            let state = State::of(home)?;
            let ids: BTreeSet<String> =
                ids.into_iter().map(|id| ThreadRow::whole_id(&state, id)).collect::<Result<_>>()?;
            // Nothing is created to find that there is no such memory.
            let is_any = state.read(|connection| {
                let sql = "SELECT EXISTS (SELECT 1 FROM thread WHERE id = ?1 AND output IS NOT NULL)";
                ids.iter().try_fold(false, |is_any, id| Ok(is_any || first(connection, sql, [id])?))
            })?;
            if !is_any {
                return Ok(0);
            }
            let sql = "UPDATE output SET usage_count = usage_count + 1, last_usage = max(ifnull(last_usage, ?2), ?2)
                 WHERE (number, thread) = (SELECT output, number FROM thread WHERE id = ?1)";
            state.write(|transaction| {
                ids.iter().try_fold(0, |count, id| Ok(count + execute(transaction, sql, params![id, now])?))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(answer: &str) -> Option<(String, String)> {
        answer::find(answer, parse).map(|texts| (texts.summary, texts.memory))
    }

    #[test]
    fn an_answer_is_found_alone_fenced_between_words_and_with_the_older_names() {
        let expected = Some(("s".to_owned(), "m".to_owned()));
        for answer in [
            r#"{"rollout_slug":"x","rollout_summary":"s","raw_memory":"m"}"#,
            r#" {"rollout_summary":"s","raw_memory":"m","later":[{}]} "#,
            r#"{"summary":"s","rawMemory":"m"}"#,
            r#"{"rollout_summary":"s","rawMemory":"m"}"#,
            "```json\n{\"rollout_summary\":\"s\",\n \"raw_memory\":\"m\"}\n```\n",
            r#"First {"rollout_summary":"draft","raw_memory":"d"}, no: {"rollout_summary":"s","raw_memory":"m"} done }"#,
            r#"{"rollout_slug":null,"rollout_summary":"s","raw_memory":"m"}"#,
        ] {
            assert_eq!(texts(answer), expected, "{answer}");
        }
        let nested =
            r#"{"rollout_summary":"s","raw_memory":"m { {\"rollout_summary\":\"no\",\"raw_memory\":\"no\"} }"}"#;
        assert_eq!(texts(nested).map(|(summary, _)| summary).as_deref(), Some("s"));
    }

    #[test]
    fn an_answer_without_its_keys_is_none() {
        for answer in [
            "",
            "nothing worth remembering",
            "{}",
            r#"{"rollout_summary":"s"}"#,
            r#"{"raw_memory":1,"rollout_summary":""}"#,
            "[1]",
        ] {
            assert_eq!(texts(answer), None, "{answer}");
        }
    }

    #[test]
    fn what_is_wrong_with_an_answer_is_said_by_its_key() {
        for (answer, says) in [
            (r#"{"rollout_summary":"s"}"#, "(raw_memory is missing)"),
            (r#"So: {"rawMemory":"s"} done"#, "(rollout_summary is missing)"),
            (r#"{"rollout_summary":"s","raw_memory":["m"]}"#, "(raw_memory: invalid type: sequence"),
            ("I would rather not", "nothing to remember"),
        ] {
            let message = no_output(answer).message().to_owned();
            assert!(message.contains(says), "{answer}: {message}");
        }
    }
}
