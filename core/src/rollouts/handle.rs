//! The handle of a store's rollouts: every operation, as one call.

use std::path::PathBuf;

use serde_json::value::RawValue;

use super::artifacts::{self, Materialized};
use super::consolidation::{self, CompletedConsolidation, ConsolidationClaim};
use super::database::State;
use super::explain::{self, Explanation};
use super::forget::{self, Forgotten, Reset};
use super::input::{self, Input};
use super::legacy::{self, MigratedLegacyRoot};
use super::list::{self, Listed};
use super::output::Stage1Output;
use super::reason::Reason;
use super::retry::{self, Retried};
use super::run::{self, Run, Runner};
use super::scan::{self, Scanned, TranscriptKind};
use super::stage1::{self, Completed, FailedJob, Stage1Claims};
use super::status::{self, Status};
use super::thread::{self, Mode, Thread, ThreadDraft};
use super::{time, usage};
use crate::error::Result;
use crate::home::Home;

/// The sessions of a Codex home, and what they left.
#[derive(Debug, Clone)]
pub struct Rollouts {
    home: Home,
}

/// Whose claim a call is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work<'w> {
    /// That of a thread.
    Stage1(&'w str),
    /// That of the consolidation.
    Consolidation,
}

impl Rollouts {
    pub(crate) fn new(home: &Home) -> Self {
        Rollouts { home: home.clone() }
    }

    /// Registers a session, or what changed about it. One that was forgotten is not stored.
    ///
    /// # Errors
    /// `ValidationError` naming the field; `SecretRefused` for an id or a path that looks like a secret;
    /// `LockAcquisitionError`, `Cancelled`, `ParseError`, `FormatTooNew`, `IOError`.
    pub fn upsert_thread(&self, thread: ThreadDraft) -> Result<Thread> {
        self.home.call("rollouts.upsertThread", |home| thread::upsert(home, thread))
    }

    /// Finds the transcripts of Codex and Claude Code and registers their sessions. An unchanged transcript is not read.
    /// Without `roots`, those of the Codex home and of Claude Code's folder are found.
    ///
    /// # Errors
    /// `ValidationError` for a root that is no folder; `LockAcquisitionError`, `Cancelled`, `ParseError`, `FormatTooNew`,
    /// `IOError`. A transcript that cannot be read is skipped.
    pub fn scan(&self, kinds: Option<&[TranscriptKind]>, roots: Option<&[PathBuf]>) -> Result<Scanned> {
        self.home.call("rollouts.scan", |home| scan::scan(home, kinds, roots))
    }

    /// What a model is asked to read of a session. `max_tokens` limits the transcript, at three bytes a token; by default it
    /// is as configured, and half of it after each failed attempt.
    ///
    /// # Errors
    /// `NotFound`; `IOError` if the transcript cannot be read; `ValidationError`, `Cancelled`.
    pub fn input(&self, thread_id: &str, max_tokens: Option<u32>) -> Result<Input> {
        self.home.call("rollouts.input", |home| input::input(home, thread_id, max_tokens))
    }

    /// Claims up to `limit` sessions whose memory is due to be extracted, the newest first, never the caller's own.
    ///
    /// # Errors
    /// `ValidationError`, `SecretRefused`; `LockAcquisitionError`, `Cancelled`, `ParseError`, `FormatTooNew`, `IOError`.
    pub fn claim_stage1(&self, worker_id: &str, limit: Option<u32>, current: Option<&str>) -> Result<Stage1Claims> {
        self.home.call("rollouts.claimStage1", |home| {
            current.map_or(Ok(()), |id| thread::admit_thread_id(home, "currentThreadId", id).map(drop))?;
            stage1::claim(home, worker_id, limit, current.as_slice())
        })
    }

    /// Renews a claim. Returns when it ends now.
    ///
    /// # Errors
    /// `LeaseLost` if the claim is not the caller's anymore; those of [`claim_stage1`](Self::claim_stage1).
    pub fn heartbeat(&self, work: Work<'_>, ownership_token: &str) -> Result<String> {
        self.home.call("rollouts.heartbeat", |home| {
            let until = match work {
                Work::Stage1(thread) => stage1::heartbeat(home, thread, ownership_token),
                Work::Consolidation => consolidation::heartbeat(home, ownership_token),
            };
            until.map(time::text)
        })
    }

    /// Stores what a model made of a claimed session: a JSON object, or a JSON string that contains one. An output with empty
    /// texts is a success that removes what was stored of the session.
    ///
    /// # Errors
    /// `LeaseLost` if the claim is not the caller's anymore: nothing was written. `ValidationError` for an output without
    /// its texts; those of [`claim_stage1`](Self::claim_stage1).
    pub fn complete_stage1(&self, thread_id: &str, ownership_token: &str, output: &RawValue) -> Result<Completed> {
        self.home.call("rollouts.completeStage1", |home| {
            let output = Stage1Output::read(home, output)?;
            stage1::complete(home, thread_id, ownership_token, &output)
        })
    }

    /// Records that the work on a claimed session failed. It is tried again after `retry_after_secs`, by default as
    /// configured.
    ///
    /// # Errors
    /// Those of [`heartbeat`](Self::heartbeat).
    pub fn fail_stage1(
        &self,
        thread_id: &str,
        ownership_token: &str,
        reason: &str,
        retry_after_secs: Option<u32>,
    ) -> Result<FailedJob> {
        self.home.call("rollouts.failStage1", |home| {
            stage1::fail(home, thread_id, ownership_token, reason, retry_after_secs)
        })
    }

    /// Brings the files under the memory root up to date with the database. Only files whose contents change are written.
    ///
    /// # Errors
    /// `IOError` if the root is a link or cannot be written to; `LockAcquisitionError`, `Cancelled`, `ParseError`,
    /// `FormatTooNew`, `RenameError`.
    pub fn materialize(&self) -> Result<Materialized> {
        self.home.call("rollouts.materialize", |home| artifacts::materialize(home, &State::of(home)?, None))
    }

    /// Claims the consolidation, if there is anything new to consolidate and no other worker holds it.
    ///
    /// # Errors
    /// Those of [`materialize`](Self::materialize) and [`claim_stage1`](Self::claim_stage1).
    pub fn claim_consolidation(&self, worker_id: &str) -> Result<ConsolidationClaim> {
        self.home.call("rollouts.claimConsolidation", |home| consolidation::claim(home, worker_id))
    }

    /// Ends a consolidation with success. `written` are the files below the memory root that the worker wrote or removed; any
    /// other that changed meanwhile was edited by somebody else. Without it, changes to `MEMORY.md`, `memory_summary.md` and
    /// `skills/` may be either: the next claim lists them as edited.
    ///
    /// # Errors
    /// Those of [`heartbeat`](Self::heartbeat).
    pub fn complete_consolidation(
        &self,
        ownership_token: &str,
        written: Option<&[String]>,
    ) -> Result<CompletedConsolidation> {
        self.home.call("rollouts.completeConsolidation", |home| consolidation::complete(home, ownership_token, written))
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
        self.home.call("rollouts.failConsolidation", |home| {
            consolidation::fail(home, ownership_token, reason, retry_after_secs)
        })
    }

    /// Works on everything that is due, with external commands as the model.
    ///
    /// # Errors
    /// `ValidationError` for a command that cannot be started, or that ends with exit status 127: no attempt is spent.
    /// Those of the other calls. Any other failure of a command is no error of this call: its thread is tried again later.
    /// After three failures in a row, the others are left for the next run.
    pub fn run(&self, runner: &Runner) -> Result<Run> {
        self.home.call("rollouts.run", |home| run::run(home, runner))
    }

    /// How far all sessions are.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `ParseError`, `FormatTooNew`, `IOError`.
    pub fn status(&self) -> Result<Status> {
        self.home.call("rollouts.status", status::status)
    }

    /// Why a session is or is not extracted.
    ///
    /// # Errors
    /// Those of [`status`](Self::status).
    pub fn explain(&self, thread_id: &str) -> Result<Explanation> {
        self.home.call("rollouts.explain", |home| explain::explain(home, thread_id))
    }

    /// The registered sessions with one of these reasons, by default all, each with why it is or is not extracted. At most
    /// `limit` (50) are returned, the one that changed last first.
    ///
    /// # Errors
    /// `ValidationError` for a limit of 0; those of [`status`](Self::status).
    pub fn list(&self, reasons: Option<&[Reason]>, limit: Option<u32>) -> Result<Listed> {
        self.home.call("rollouts.list", |home| list::list(home, reasons, limit))
    }

    /// Makes sessions that failed due again: their attempts are refilled and their waits end. Without `thread_ids`, all
    /// that failed, and the consolidation.
    ///
    /// # Errors
    /// `NotFound`; those of [`status`](Self::status).
    pub fn retry(&self, thread_ids: Option<&[&str]>) -> Result<Retried> {
        self.home.call("rollouts.retry", |home| retry::retry(home, thread_ids))
    }

    /// Counts that the memory of these sessions was used. Returns how many of these sessions have a stored
    /// memory.
    ///
    /// # Errors
    /// `ValidationError`, `SecretRefused`; those of [`status`](Self::status).
    pub fn record_usage(&self, thread_ids: &[&str]) -> Result<usize> {
        self.home.call("rollouts.recordUsage", |home| usage::record(home, thread_ids))
    }

    /// Removes everything that is stored of a session, and its files. It is never extracted again.
    ///
    /// # Errors
    /// Those of [`materialize`](Self::materialize).
    pub fn forget(&self, thread_id: &str) -> Result<Forgotten> {
        self.home.call("rollouts.forget", |home| forget::forget(home, thread_id))
    }

    /// Sets whether the memory of a session may be extracted and shown.
    ///
    /// # Errors
    /// `NotFound`; those of [`status`](Self::status).
    pub fn set_mode(&self, thread_id: &str, mode: Mode) -> Result<Thread> {
        self.home.call("rollouts.setMode", |home| thread::set_mode(home, thread_id, mode))
    }

    /// Clears outputs and jobs, and the files made of them. Sessions, their modes and what was forgotten stay. A session is
    /// extracted again when it changes, or at once if `reextract` is true.
    ///
    /// # Errors
    /// Those of [`materialize`](Self::materialize).
    pub fn reset(&self, reextract: bool) -> Result<Reset> {
        self.home.call("rollouts.reset", |home| forget::reset(home, reextract))
    }

    /// Moves the memory of an older program from `memories/user/memory` to the memory root, once, if the root holds no other
    /// memory. Nothing is overwritten, and the folders for single working folders stay where they are.
    ///
    /// # Errors
    /// Those of [`materialize`](Self::materialize).
    pub fn migrate_legacy_root(&self) -> Result<MigratedLegacyRoot> {
        self.home.call("rollouts.migrateLegacyRoot", legacy::migrate)
    }
}
