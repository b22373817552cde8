//! Phase 2: one worker at a time merges what sessions left into the files that later sessions read.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::artifacts::{self, Source};
use super::database::State;
use super::diff::{self, Inputs};
use super::job::{self, Claim, Job, Subject};
use super::output::OutputRow;
use super::root::{self, When};
use super::stage1::{FailedJob, short};
use super::thread::ThreadRow;
use super::time;
use crate::disk::Mode;
use crate::error::Result;
use crate::home::{CallOptions, Home, RolloutsConfig};
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::{Connection, named_params, params};

/// The instructions for the model.
const PROMPT: &str = include_str!("prompts/consolidation.md");
/// The longest list of files in a prompt.
const MAX_LISTED: usize = 100;

/// What came of an attempt to claim the consolidation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
#[schemars(inline)]
pub enum ClaimOutcome {
    /// It is the caller's.
    Claimed,
    /// There is nothing new to consolidate.
    Clean,
    /// Another worker has it.
    Running,
    /// It failed, and waits for the next attempt.
    Backoff,
    /// It failed too often, and waits for new input.
    Exhausted,
}

/// One session among the inputs of a consolidation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ConsolidationInput {
    /// The thread.
    pub thread_id: String,
    /// When the thread had changed last that the memory is of.
    pub source_updated_at: String,
    /// Its working folder; empty if it is unknown.
    pub cwd: String,
    /// What the session was about and what came of it.
    pub rollout_summary: String,
    /// What is worth knowing in later sessions.
    pub raw_memory: String,
    /// How often its memory was used.
    pub usage_count: u32,
}

/// The claim of the consolidation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ConsolidationClaim {
    /// Whether it was claimed, or why not.
    pub outcome: ClaimOutcome,
    /// Proves that the claim is the caller's; null unless it was claimed.
    pub ownership_token: Option<String>,
    /// When the claim ends unless it is renewed; null unless it was claimed.
    pub lease_until: Option<String>,
    /// The sessions to consolidate, in the order of their ids; null unless it was claimed.
    pub inputs: Option<Vec<ConsolidationInput>>,
    /// What changed in the inputs since the last consolidation, as a unified diff; null unless it was claimed.
    pub diff: Option<String>,
    /// The files under the memory root that somebody changed since the last consolidation; null unless it was claimed.
    pub edited_files: Option<Vec<String>>,
    /// The instructions for the model; null unless it was claimed.
    pub prompt: Option<String>,
}

impl ConsolidationClaim {
    fn refused(outcome: ClaimOutcome) -> Self {
        ConsolidationClaim {
            outcome,
            ownership_token: None,
            lease_until: None,
            inputs: None,
            diff: None,
            edited_files: None,
            prompt: None,
        }
    }
}

/// What a completed consolidation left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct CompletedConsolidation {
    /// Whether there is something to consolidate again: work arrived meanwhile, or files were edited.
    pub dirty: bool,
}

/// Whether the consolidation could be claimed now.
pub(super) fn claimable(job: Option<&Job>, config: &RolloutsConfig) -> ClaimOutcome {
    let Some(job) = job else { return ClaimOutcome::Clean };
    if job.is_claimed {
        return ClaimOutcome::Running;
    }
    if job.success_watermark.is_some_and(|success| success >= job.input_watermark) {
        return ClaimOutcome::Clean;
    }
    match (job.is_exhausted(config.attempts), job.is_waiting) {
        (true, _) => ClaimOutcome::Exhausted,
        (false, true) => ClaimOutcome::Backoff,
        (false, false) => ClaimOutcome::Claimed,
    }
}

/// The most used and most recent outputs, in the order of their threads.
pub(super) fn selected(connection: &Connection, config: &RolloutsConfig, now: i64) -> Result<Vec<Source>, Failure> {
    let sql = format!(
        "SELECT {}, {} FROM thread JOIN {}
         WHERE thread.mode = 'enabled' AND ifnull(output.last_usage, output.source_updated_at) >= :oldest
             AND (output.rollout_summary <> '' OR output.raw_memory <> '')
         ORDER BY output.usage_count DESC, ifnull(output.last_usage, output.source_updated_at) DESC,
             output.source_updated_at DESC, thread.id DESC
         LIMIT :limit",
        ThreadRow::COLUMNS,
        OutputRow::COLUMNS,
        OutputRow::OF_THREAD
    );
    let mut query = connection.prepare_cached(&sql)?;
    let oldest = now.saturating_sub(config.max_unused);
    let rows = query.query_map(
        named_params! { ":oldest": oldest, ":limit": config.consolidation_inputs },
        artifacts::read_source,
    )?;
    let mut sources = rows.collect::<Result<Vec<Source>, _>>()?;
    sources.sort_by(|one, other| one.0.id.cmp(&other.0.id));
    Ok(sources)
}

/// The text of an input, for the diff.
fn text_of(source: &Source) -> String {
    let summary = artifacts::summary(source).unwrap_or_default();
    format!("{summary}\n{}\n", source.1.raw_memory)
}

/// The inputs of the last consolidation that succeeded, or of the one that runs.
fn inputs_in(connection: &Connection, state: &str) -> Result<Inputs, Failure> {
    let mut query = connection.prepare_cached("SELECT thread_id, text FROM consolidation_input WHERE state = ?1")?;
    Ok(query.query_map([state], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?)
}

/// Claims the consolidation, if it is due.
pub(super) fn claim(home: &Home, worker: &str) -> Result<ConsolidationClaim> {
    let config = &home.config().rollouts;
    let worker = home.redactor().admit_id("workerId", worker)?;
    let now = time::now(home);
    let state = State::of(home)?;
    let outcome = |connection: &Connection| -> Result<(ClaimOutcome, Option<Job>), Failure> {
        let job = Job::find(connection, Subject::All, now)?;
        Ok((claimable(job.as_ref(), config), job))
    };
    let first = state.read(|connection| outcome(connection).map(|(outcome, _)| Some(outcome)))?;
    match first {
        Some(ClaimOutcome::Claimed) => {}
        refused => return Ok(ConsolidationClaim::refused(refused.unwrap_or(ClaimOutcome::Clean))),
    }
    let token = home.new_id();
    let lease_until = job::lease_until(now, config.lease);
    let claimed = state.write(|transaction| {
        let (outcome, job) = outcome(transaction)?;
        let (ClaimOutcome::Claimed, Some(job)) = (outcome, job) else { return Ok(Err(outcome)) };
        job::claim(
            transaction,
            &Claim {
                subject: Subject::All,
                worker_id: worker.as_str(),
                token: token.as_str(),
                now,
                lease_until,
                watermark: job.input_watermark,
            },
        )?;
        let sources = selected(transaction, config, now)?;
        remember(transaction, &sources)?;
        let withdrawn = withdrawn(transaction)?;
        withdraw(transaction, &withdrawn)?;
        let (mut before, after) = (inputs_in(transaction, "done")?, inputs_in(transaction, "claimed")?);
        // That they were there is shown, and nothing of what they said.
        before.iter_mut().filter(|(id, _)| withdrawn.contains(id)).for_each(|(_, text)| text.clear());
        let diff = diff::diff(&before, &after, config.diff_max_chars);
        Ok(Ok((sources, diff, withdrawn)))
    })?;
    let (sources, diff, withdrawn) = match claimed {
        Ok(claimed) => claimed,
        Err(outcome) => return Ok(ConsolidationClaim::refused(outcome)),
    };
    let edited = prepare(home, &state).or_else(|failed| {
        // The worker got nothing to work with, so this was no attempt. A call that was cancelled gives back as well.
        give_back(&uncancelled(home), token.as_str())?;
        Err(failed)
    })?;
    Ok(ConsolidationClaim {
        outcome: ClaimOutcome::Claimed,
        ownership_token: Some(token.as_str().to_owned()),
        lease_until: Some(time::text(lease_until)),
        prompt: Some(prompt(home, &edited, &withdrawn, diff.is_empty())?),
        inputs: Some(sources.into_iter().map(input).collect()),
        diff: Some(diff),
        edited_files: Some(edited),
    })
}

fn input((thread, output): Source) -> ConsolidationInput {
    ConsolidationInput {
        thread_id: thread.id,
        source_updated_at: time::text(output.source_updated_at),
        cwd: thread.cwd,
        rollout_summary: output.rollout_summary,
        raw_memory: output.raw_memory,
        usage_count: output.usage_count,
    }
}

/// Records what the claimed consolidation reads.
fn remember(connection: &Connection, sources: &[Source]) -> Result<(), Failure> {
    connection.prepare_cached("DELETE FROM consolidation_input WHERE state = 'claimed'")?.execute([])?;
    let mut insert = connection.prepare_cached(
        "INSERT INTO consolidation_input (state, thread_id, source_updated_at, text) VALUES ('claimed', ?1, ?2, ?3)",
    )?;
    for source in sources {
        insert.execute(params![source.0.id, source.1.source_updated_at, text_of(source)])?;
    }
    Ok(())
}

/// Brings the files up to date that the worker reads, and returns those that somebody changed since the last consolidation.
fn prepare(home: &Home, state: &State) -> Result<Vec<String>> {
    artifacts::materialize(home, state, None)?;
    let files = root::files(home, state)?;
    state.write(|transaction| {
        root::record(transaction, When::Claimed, &files)?;
        Ok(root::difference(&root::recorded(transaction, When::Left)?, &files).into_iter().collect())
    })
}

/// A home whose calls are not cancelled, to give back what was claimed.
pub(super) fn uncancelled(home: &Home) -> Home {
    home.with(CallOptions::new())
}

/// Gives a claim back that was not used: the attempt is not spent.
pub(super) fn give_back(home: &Home, token: &str) -> Result<()> {
    let now = time::now(home);
    State::of(home)?.write(|transaction| {
        job::owned(transaction, Subject::All, token, now)?;
        job::release(transaction, Subject::All)
    })
}

/// The files in the root as they were when the consolidation was claimed.
pub(super) fn files_when_claimed(state: &State) -> Result<root::Files> {
    state.read(|connection| root::recorded(connection, When::Claimed))
}

/// The instructions, with the place of the files and what became of them.
fn prompt(home: &Home, edited: &[String], withdrawn: &[String], is_same: bool) -> Result<String> {
    let root = home.layout().memories()?;
    let mut prompt = format!("{PROMPT}\nThe files are in {}.\n", home.redactor().scrub(&root.to_string_lossy()));
    if is_same {
        prompt.push_str("\nThe inputs are those of the last consolidation.\n");
    }
    let mut list = |heading: &str, entries: &[String]| {
        if entries.is_empty() {
            return;
        }
        prompt.push_str(&format!("\n{heading}\n\n"));
        for entry in entries.iter().take(MAX_LISTED) {
            prompt.push_str(&format!("- {}\n", home.redactor().scrub(&crate::room::line(entry))));
        }
        if entries.len() > MAX_LISTED {
            prompt.push_str(&format!("- and {} more\n", entries.len() - MAX_LISTED));
        }
    };
    list("Somebody changed these files since the last consolidation. Keep what they changed:", edited);
    list(
        "The user withdrew these sessions. Remove what is known from them alone, and every reference to them:",
        withdrawn,
    );
    Ok(prompt)
}

/// The sessions that an earlier consolidation read and that were forgotten or disabled since. They are listed until a
/// consolidation succeeds that was asked to remove them.
pub(super) fn withdrawn(connection: &Connection) -> Result<Vec<String>, Failure> {
    let mut query = connection.prepare_cached(
        "SELECT consolidated.thread_id FROM consolidated LEFT JOIN thread ON thread.id = consolidated.thread_id
         WHERE thread.id IS NULL OR thread.mode <> 'enabled' ORDER BY consolidated.thread_id",
    )?;
    Ok(query.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Records which sessions the claimed consolidation is asked to remove.
fn withdraw(connection: &Connection, ids: &[String]) -> Result<(), Failure> {
    connection.prepare_cached("UPDATE consolidated SET is_withdrawn = 0")?.execute([])?;
    let mut update = connection.prepare_cached("UPDATE consolidated SET is_withdrawn = 1 WHERE thread_id = ?1")?;
    for id in ids {
        update.execute([id])?;
    }
    Ok(())
}

/// Ends a consolidation with success. `written` are the files that its worker wrote or removed, if it says so.
pub(super) fn complete(home: &Home, token: &str, written: Option<&[String]>) -> Result<CompletedConsolidation> {
    let now = time::now(home);
    let state = State::of(home)?;
    check(&state, token, now)?;
    // Nothing is rebuilt meanwhile.
    let folder = home.layout().memories()?;
    let timeout = home.config().lock_timeout;
    let _guard = state.disk().lock(&folder, Mode::Exclusive, home.wait_options(), timeout)?;
    let files = root::files(home, &state)?;
    let artifacts = artifacts::edited(home, &state)?;
    state.write(|transaction| {
        let job = job::owned(transaction, Subject::All, token, now)?;
        let before = root::recorded(transaction, When::Claimed)?;
        let changed = root::difference(&before, &files);
        let (edited, left) = match written {
            Some(written) => {
                let written: BTreeSet<&str> = written.iter().map(|path| path.trim_start_matches("./")).collect();
                changed.into_iter().partition(|path| !written.contains(path.as_str()))
            }
            // Which of the changes the worker made is not known. Those of the files that are its own are looked at in the
            // next consolidation, and make none necessary.
            None => (changed.into_iter().filter(|path| !root::is_consolidated(path)).collect(), BTreeSet::new()),
        };
        // What was edited is compared with what was there before, so that the next claim names it.
        let mut kept = before;
        for path in left {
            match files.get(&path) {
                Some(digest) => kept.insert(path, digest.clone()),
                None => kept.remove(&path),
            };
        }
        root::record(transaction, When::Left, &kept)?;
        transaction.prepare_cached("DELETE FROM root_file WHERE state = 'claimed'")?.execute([])?;
        let newest: Option<i64> = transaction
            .prepare_cached("SELECT max(source_updated_at) FROM consolidation_input WHERE state = 'claimed'")?
            .query_row([], |row| row.get(0))?;
        let claimed = job.claimed_watermark.unwrap_or(job.input_watermark);
        job::succeed(transaction, Subject::All, now, newest.map_or(claimed, |newest| claimed.max(newest)))?;
        mark_selected(transaction)?;
        if !edited.is_empty() || artifacts {
            job::enqueue_consolidation(transaction, claimed)?;
        }
        let job = Job::find(transaction, Subject::All, now)?;
        Ok(CompletedConsolidation {
            dirty: job.is_some_and(|job| job.success_watermark.is_none_or(|success| success < job.input_watermark)),
        })
    })
}

/// Marks the outputs that were read, if they are still the same, and keeps what they said for the next diff.
fn mark_selected(connection: &Connection) -> Result<(), Failure> {
    for sql in [
        "UPDATE output SET selected_source_updated_at = (
             SELECT source_updated_at FROM consolidation_input AS input
             WHERE input.state = 'claimed'
                 AND input.thread_id = (SELECT id FROM thread WHERE number = output.thread)
                 AND input.source_updated_at = output.source_updated_at)",
        "DELETE FROM consolidated WHERE is_withdrawn = 1",
        "INSERT INTO consolidated (thread_id, is_withdrawn)
             SELECT thread_id, 0 FROM consolidation_input WHERE state = 'claimed' ON CONFLICT (thread_id) DO NOTHING",
        "DELETE FROM consolidation_input WHERE state = 'done'",
        "UPDATE consolidation_input SET state = 'done'",
    ] {
        connection.prepare_cached(sql)?.execute([])?;
    }
    Ok(())
}

/// Records that a consolidation failed.
pub(super) fn fail(home: &Home, token: &str, reason: &str, retry_after_secs: Option<u32>) -> Result<FailedJob> {
    let config = &home.config().rollouts;
    let reason = home.redact("reason", reason);
    let now = time::now(home);
    let retry_at = job::retry_at(now, config.retry_delay, retry_after_secs);
    let state = State::of(home)?;
    check(&state, token, now)?;
    state.write(|transaction| {
        let job = job::owned(transaction, Subject::All, token, now)?;
        let times = (now, retry_at);
        let retries_left = job.retries_left(job.input_watermark, config.attempts);
        job::fail(transaction, Subject::All, times, retries_left, short(&reason)).map(Into::into)
    })
}

/// Renews the lease of a consolidation.
pub(super) fn heartbeat(home: &Home, token: &str) -> Result<i64> {
    let now = time::now(home);
    let until = job::lease_until(now, home.config().rollouts.lease);
    let state = State::of(home)?;
    check(&state, token, now)?;
    state.write(|transaction| {
        job::owned(transaction, Subject::All, token, now)?;
        job::renew(transaction, Subject::All, now, until)?;
        Ok(until)
    })
}

/// Refuses a token that owns nothing, before anything is created or written.
fn check(state: &State, token: &str, now: i64) -> Result<()> {
    if !state.exists() {
        return Err(job::lost(Subject::All, job::NO_CLAIM));
    }
    state.read(|connection| job::owned(connection, Subject::All, token, now).map(drop))
}
