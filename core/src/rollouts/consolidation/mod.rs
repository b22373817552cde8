//! Phase 2: one worker at a time merges what sessions left into the files that later sessions read.

pub(crate) mod artifacts;
pub(crate) mod citations;
mod diff;
pub(crate) mod legacy;
pub(crate) mod root;

use std::collections::BTreeSet;

pub use artifacts::Materialized;
pub use legacy::MigratedLegacyRoot;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::disk::Mode;
use crate::error::Result;
use crate::home::{CallOptions, Home, RolloutsConfig};
use crate::rollouts::database::{State, all, execute, first};
use crate::rollouts::jobs::output::{Source, sources};
use crate::rollouts::jobs::{self, Failed, FailedJob, Job, Subject};
use crate::rollouts::{Rollouts, time};
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::{Connection, params};
use artifacts::Purpose;
use citations::Cited;
use diff::Inputs;
use root::When;

/// The instructions for the model.
const PROMPT: &str = include_str!("../prompts/consolidation.md");
/// The longest list of files in a prompt.
const MAX_LISTED: usize = 100;

/// The outcome of an attempt to claim the consolidation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ConsolidationInput {
    /// The thread.
    pub thread_id: String,
    /// When the thread had changed last that the memory is of.
    pub source_updated_at: String,
    /// Its working folder; empty if it is unknown.
    pub cwd: String,
    /// The subject of the session and its outcome.
    pub rollout_summary: String,
    /// The knowledge for later sessions.
    pub raw_memory: String,
    /// The number of times that its memory was used.
    pub usage_count: u32,
}

/// The claim of the consolidation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ConsolidationClaim {
    /// Claimed, or the reason why not.
    pub outcome: ClaimOutcome,
    /// Proves that the claim is the caller's; null unless it was claimed.
    pub ownership_token: Option<String>,
    /// When the claim ends unless it is renewed; null unless it was claimed.
    pub lease_until: Option<String>,
    /// The sessions to consolidate, in the order of their ids; null unless it was claimed.
    pub inputs: Option<Vec<ConsolidationInput>>,
    /// The changes of the inputs since the last consolidation, as a unified diff; null unless it was claimed.
    pub diff: Option<String>,
    /// The files under the memory root that were edited since the last consolidation; null unless it was claimed.
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

/// The result of a completed consolidation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CompletedConsolidation {
    /// True if there is something to consolidate again: work arrived meanwhile, files were edited, or one still cites a session
    /// that was withdrawn.
    pub dirty: bool,
    /// The lines of `MEMORY.md`, counted from 1, at which a statement begins that names no session that it is from; at most 100.
    pub unsourced: Vec<u32>,
}

/// True if the consolidation could be claimed now.
pub(crate) fn claimable(job: Option<&Job>, config: &RolloutsConfig) -> ClaimOutcome {
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
pub(crate) fn selected(connection: &Connection, config: &RolloutsConfig, now: i64) -> Result<Vec<Source>, Failure> {
    let rest = "WHERE thread.mode = 'enabled' AND ifnull(output.last_usage, output.source_updated_at) >= ?1
             AND (output.rollout_summary <> '' OR output.raw_memory <> '')
         ORDER BY output.usage_count DESC, ifnull(output.last_usage, output.source_updated_at) DESC,
             output.source_updated_at DESC, thread.id DESC
         LIMIT ?2";
    let oldest = now.saturating_sub(config.max_unused);
    let mut selected = sources(connection, rest, params![oldest, config.consolidation_inputs])?;
    selected.sort_by(|one, other| one.0.id.cmp(&other.0.id));
    Ok(selected)
}

/// The text of an input, for the diff.
fn text_of(source: &Source) -> String {
    let summary = artifacts::summary(source).unwrap_or_default();
    format!("{summary}\n{}\n", source.1.raw_memory)
}

/// The inputs of the last consolidation that succeeded, or of the one that runs.
fn inputs_in(connection: &Connection, state: &str) -> Result<Inputs, Failure> {
    let sql = "SELECT thread_id, text FROM consolidation_input WHERE state = ?1";
    all(connection, sql, [state], |row| Ok((row.get(0)?, row.get(1)?)))
}

impl Rollouts {
    pub(crate) const CLAIM_CONSOLIDATION: &str = "rollouts.claimConsolidation";
    pub(crate) const COMPLETE_CONSOLIDATION: &str = "rollouts.completeConsolidation";
    pub(crate) const FAIL_CONSOLIDATION: &str = "rollouts.failConsolidation";

    /// Claims the consolidation, if there is anything new to consolidate and no other worker holds it.
    ///
    /// # Errors
    /// Those of [`materialize`](Self::materialize) and [`claim_stage1`](Self::claim_stage1).
    pub fn claim_consolidation(&self, worker_id: &str) -> Result<ConsolidationClaim> {
        self.home.call(Self::CLAIM_CONSOLIDATION, |home| claim(home, worker_id))
    }

    /// Ends a consolidation with success. `written` are the files below the memory root that the worker wrote or removed; any
    /// other file that changed meanwhile counts as edited by another program. Without it, changes to `MEMORY.md`,
    /// `memory_summary.md` and `skills/` may be either: the next claim lists them as edited.
    ///
    /// # Errors
    /// Those of [`heartbeat`](Self::heartbeat).
    pub fn complete_consolidation(
        &self,
        ownership_token: &str,
        written: Option<&[String]>,
    ) -> Result<CompletedConsolidation> {
        self.home.call(Self::COMPLETE_CONSOLIDATION, |home| complete(home, ownership_token, written))
    }

    /// Records that a consolidation failed. New work does not shorten the wait for the next attempt.
    ///
    /// # Errors
    /// Those of [`heartbeat`](Self::heartbeat).
    pub fn fail_consolidation(
        &self,
        ownership_token: &str,
        reason: &str,
        retry_after_secs: Option<u32>,
    ) -> Result<FailedJob> {
        self.home.call(Self::FAIL_CONSOLIDATION, |home| {
            fail(home, ownership_token, &Failed::now(home, reason, retry_after_secs))
        })
    }
}

/// Claims the consolidation, if it is due.
pub(crate) fn claim(home: &Home, worker: &str) -> Result<ConsolidationClaim> {
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
    let claimed = state.write(|transaction| {
        let (outcome, job) = outcome(transaction)?;
        let (ClaimOutcome::Claimed, Some(job)) = (outcome, job) else { return Ok(Err(outcome)) };
        let claim = jobs::claim(transaction, home, Subject::All, worker.as_str(), now, job.input_watermark)?;
        let sources = selected(transaction, config, now)?;
        remember(transaction, &sources)?;
        let withdrawn = withdrawn(transaction)?;
        withdraw(transaction, &withdrawn)?;
        let (mut before, after) = (inputs_in(transaction, "done")?, inputs_in(transaction, "claimed")?);
        // The diff shows that they existed, and none of their text.
        before.iter_mut().filter(|(id, _)| withdrawn.contains(id)).for_each(|(_, text)| text.clear());
        let diff = diff::diff(&before, &after, config.diff_max_chars);
        Ok(Ok((claim, sources, diff, withdrawn)))
    })?;
    let (claim, sources, diff, withdrawn) = match claimed {
        Ok(claimed) => claimed,
        Err(outcome) => return Ok(ConsolidationClaim::refused(outcome)),
    };
    let edited = prepare(home, &state).or_else(|failed| {
        // The worker got nothing to work with, so this was no attempt. A call that was cancelled gives back as well.
        give_back(&uncancelled(home), &claim.token)?;
        Err(failed)
    })?;
    Ok(ConsolidationClaim {
        outcome: ClaimOutcome::Claimed,
        ownership_token: Some(claim.token),
        lease_until: Some(time::text(claim.lease_until)),
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
    execute(connection, "DELETE FROM consolidation_input WHERE state = 'claimed'", [])?;
    for source in sources {
        let sql = "INSERT INTO consolidation_input (state, thread_id, source_updated_at, text) VALUES ('claimed', ?1, ?2, ?3)";
        execute(connection, sql, params![source.0.id, source.1.source_updated_at, text_of(source)])?;
    }
    Ok(())
}

/// Brings the files up to date that the worker reads, and returns those that were edited since the last consolidation.
fn prepare(home: &Home, state: &State) -> Result<Vec<String>> {
    artifacts::materialize(home, state, Purpose::Refresh)?;
    let files = root::files(home, state)?;
    state.write(|transaction| {
        root::record(transaction, When::Claimed, &files)?;
        Ok(root::difference(&root::recorded(transaction, When::Left)?, &files).into_iter().collect())
    })
}

/// What the files of the last consolidation cite. A root that is a link is not read, as it is not shown.
pub(crate) fn cited(home: &Home, state: &State) -> Result<Cited> {
    if !root::is_folder(home, state)? {
        return Ok(Cited::default());
    }
    Cited::by(home, state, &root::files(home, state)?)
}

/// A home whose calls are not cancelled, to give back what was claimed.
pub(crate) fn uncancelled(home: &Home) -> Home {
    home.with(CallOptions::new())
}

/// Gives a claim back that was not used: the attempt is not spent.
pub(crate) fn give_back(home: &Home, token: &str) -> Result<()> {
    owner(home, token, |transaction, _, _| jobs::release(transaction, Subject::All))
}

/// The files in the root as they were when the consolidation was claimed.
pub(crate) fn files_when_claimed(state: &State) -> Result<root::Files> {
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
    list("These files were edited since the last consolidation. Keep the edits:", edited);
    list(
        "The user withdrew these sessions. Remove what is known from them alone, and every reference to them:",
        withdrawn,
    );
    Ok(prompt)
}

/// The sessions that an earlier consolidation read, or that its files cite, and that were forgotten or disabled since. They are listed until a
/// consolidation succeeds that was asked to remove them.
pub(crate) fn withdrawn(connection: &Connection) -> Result<Vec<String>, Failure> {
    let sql = "SELECT consolidated.thread_id FROM consolidated LEFT JOIN thread ON thread.id = consolidated.thread_id
         WHERE thread.id IS NULL OR thread.mode <> 'enabled' ORDER BY consolidated.thread_id";
    all(connection, sql, [], |row| row.get(0))
}

/// Records which sessions the claimed consolidation is asked to remove.
fn withdraw(connection: &Connection, ids: &[String]) -> Result<(), Failure> {
    execute(connection, "UPDATE consolidated SET is_withdrawn = 0", [])?;
    let sql = "UPDATE consolidated SET is_withdrawn = 1 WHERE thread_id = ?1";
    ids.iter().try_for_each(|id| execute(connection, sql, [id]).map(drop))
}

/// Ends a consolidation with success. `written` are the files that its worker wrote or removed, if it says so.
pub(crate) fn complete(home: &Home, token: &str, written: Option<&[String]>) -> Result<CompletedConsolidation> {
    let state = State::of(home)?;
    check(&state, token, time::now(home))?;
    // Nothing is rebuilt meanwhile.
    let folder = home.layout().memories()?;
    let timeout = home.config().lock_timeout;
    let _guard = state.disk().lock(&folder, Mode::Exclusive, home.wait_options(), timeout)?;
    let files = root::files(home, &state)?;
    let artifacts = artifacts::edited(home, &state)?;
    let cited = Cited::by(home, &state, &files)?;
    owner(home, token, |transaction, job, now| {
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
        execute(transaction, "DELETE FROM root_file WHERE state = 'claimed'", [])?;
        let newest = "SELECT max(source_updated_at) FROM consolidation_input WHERE state = 'claimed'";
        let newest: Option<i64> = first(transaction, newest, [])?;
        let claimed = job.claimed_watermark.unwrap_or(job.input_watermark);
        jobs::succeed(transaction, Subject::All, now, newest.map_or(claimed, |newest| claimed.max(newest)))?;
        mark_selected(transaction)?;
        let is_still_there = cited.record_withdrawn(transaction)?;
        if !edited.is_empty() || artifacts || is_still_there {
            jobs::enqueue_consolidation(transaction, claimed)?;
        }
        let job = Job::find(transaction, Subject::All, now)?;
        Ok(CompletedConsolidation {
            dirty: job.is_some_and(|job| job.success_watermark.is_none_or(|success| success < job.input_watermark)),
            unsourced: cited.unsourced(transaction)?,
        })
    })
}

/// Marks the outputs that were read, if they are still the same, and keeps their texts for the next diff.
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
        execute(connection, sql, [])?;
    }
    Ok(())
}

/// Records that a consolidation failed.
pub(crate) fn fail(home: &Home, token: &str, failed: &Failed) -> Result<FailedJob> {
    owner(home, token, |transaction, job, _| {
        let retries_left = job.retries_left(job.input_watermark, home.config().rollouts.attempts);
        jobs::fail(transaction, Subject::All, retries_left, failed)
    })
}

/// Renews the lease of a consolidation.
pub(crate) fn heartbeat(home: &Home, token: &str) -> Result<i64> {
    owner(home, token, |transaction, _, now| jobs::renew(transaction, home, Subject::All, now))
}

/// Runs `body` as the owner of the claim, at the time that it gets. Without a claim, nothing is created or written.
fn owner<T>(home: &Home, token: &str, body: impl FnOnce(&Connection, &Job, i64) -> Result<T, Failure>) -> Result<T> {
    let now = time::now(home);
    let state = State::of(home)?;
    check(&state, token, now)?;
    state.write(|transaction| {
        let job = jobs::owned(transaction, Subject::All, token, now)?;
        body(transaction, &job, now)
    })
}

/// Refuses a token that owns nothing, before anything is created or written.
fn check(state: &State, token: &str, now: i64) -> Result<()> {
    if !state.exists() {
        return Err(jobs::lost(Subject::All, jobs::NO_CLAIM));
    }
    state.read(|connection| jobs::owned(connection, Subject::All, token, now).map(drop))
}
