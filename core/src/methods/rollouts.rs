//! `rollouts.*`

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{MethodGroup, method, methods, of_repo, params};
use crate::error::Error;
use crate::rollouts::{
    Answer, Completed, CompletedConsolidation, ConsolidationClaim, Explanation, FailedJob, Forgotten, Input, Listed,
    Materialized, MemoryFiles, MigratedLegacyRoot, Mode, Reason, Reset, Retried, Rollouts, Run, Runner, Scanned,
    Stage1Claims, Status, Thread, ThreadDraft, TranscriptKind, Work,
};

pub(super) const GROUP: MethodGroup = MethodGroup {
    name: "rollouts",
    about: "What past sessions leave, made into one memory",
    entries: methods! {
        UpsertThread, Scan, ReadInput, ClaimStage1, Heartbeat, CompleteStage1, FailStage1, Materialize,
        ClaimConsolidation, CompleteConsolidation, FailConsolidation, RunAll, ReadStatus, List, Read, Explain,
        Retry, RecordUsage, SetMode, Forget, ResetAll, MigrateLegacyRoot
    },
};

params! {
    /// Registers a session, or what changed about it, and returns it as stored. Nothing is stored of a session that was
    /// forgotten.
    struct UpsertThread {
        /// The id of the session.
        id: String,
        /// The path of its transcript: a rollout of Codex, or a session of Claude Code.
        #[schemars(extend("format" = "path"))]
        rollout_path: String,
        /// When it changed last, as an RFC 3339 time.
        updated_at: String,
        /// Its working folder; empty if it is unknown.
        #[schemars(extend("format" = "path"))]
        cwd: String,
        /// Where it was held, such as `cli`. Only those in `rollouts.interactiveSources` are extracted.
        source: String,
        /// The branch that was checked out. Default: none.
        git_branch: Option<String>,
        /// Whether its memory may be extracted. Default: as before, and `enabled` for a new session.
        mode: Option<Mode>,
        /// Whether the user archived it. Default: as before, and false for a new session.
        archived: Option<bool>,
    }
}

method! {
    UpsertThread = Rollouts::UPSERT_THREAD => Thread, WRITES, REDACTS |self, store| {
        let draft = ThreadDraft::new(self.id, self.rollout_path, self.updated_at, self.cwd, self.source);
        let draft = draft.git_branch(self.git_branch).mode(self.mode).archived(self.archived);
        store.rollouts().upsert_thread(draft)
    }
}

params! {
    /// Finds transcripts and registers their sessions: rollouts of Codex below `sessions` and `archived_sessions` in the Codex
    /// home, and sessions of Claude Code below `projects` in `CLAUDE_CONFIG_DIR` or `~/.claude`.
    ///
    /// A transcript that did not change since the last scan is not read; of one that did, only its beginning and its end are.
    struct Scan {
        /// Whose transcripts. Default: those of all.
        kinds: Option<Vec<TranscriptKind>>,
        /// The folders to search instead. Default: those above.
        roots: Option<Vec<String>>,
    }
}

method! {
    Scan = Rollouts::SCAN => Scanned, WRITES |self, store| {
        let roots = self.roots.map(|roots| roots.into_iter().map(PathBuf::from).collect::<Vec<_>>());
        store.rollouts().scan(self.kinds.as_deref(), roots.as_deref())
    }
}

params! {
    /// Returns what a model should read of a session: its transcript, with the instructions and the schema of the answer.
    ///
    /// The transcript is redacted and without the texts of the system and the developer. It is fitted to the budget by
    /// importance, messages of people and final answers first, and is in the order of the session.
    struct ReadInput {
        /// The session.
        thread_id: String,
        /// The maximum length of the transcript, in tokens of three bytes; at least 100. Default:
        /// `rollouts.inputMaxTokens`, and half of it after each failed attempt.
        max_tokens: Option<u32>,
    }
}

method! { ReadInput = Rollouts::INPUT => Input |self, store| store.rollouts().input(&self.thread_id, self.max_tokens) }

params! {
    /// Claims sessions whose memory is due to be extracted, the newest first.
    ///
    /// A session is due when it has been idle for 12 hours, is at most 30 days old, and changed since its memory was
    /// extracted. A claim ends after an hour unless it is renewed, and spends one of three attempts, which a change of the
    /// session refills. At most 64 sessions are claimed at once.
    struct ClaimStage1 {
        /// Who claims them, for the status.
        worker_id: String,
        /// The maximum number of sessions. Default: as many as may be claimed.
        limit: Option<u32>,
        /// The session that the caller is in, which is never claimed. Default: none.
        current_thread_id: Option<String>,
    }
}

method! {
    ClaimStage1 = Rollouts::CLAIM_STAGE1 => Stage1Claims, WRITES |self, store| {
        store.rollouts().claim_stage1(&self.worker_id, self.limit, self.current_thread_id.as_deref())
    }
}

/// The kinds of claims.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
enum JobKind {
    /// A session.
    Stage1,
    /// The consolidation.
    Consolidation,
}

/// When a claim ends.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RenewedLease {
    /// When it ends unless it is renewed again.
    lease_until: String,
}

params! {
    /// Renews a claim. `LeaseLost` if it is not the caller's anymore: the caller should drop its work.
    struct Heartbeat {
        /// The kind of the claim.
        kind: JobKind,
        /// The session, for the claim of one. Default: none.
        thread_id: Option<String>,
        /// The token of the claim.
        ownership_token: String,
    }
}

method! {
    Heartbeat = Rollouts::HEARTBEAT => RenewedLease, WRITES |self, store| {
        let work = match (self.kind, &self.thread_id) {
            (JobKind::Stage1, Some(id)) => Work::Stage1(id),
            (JobKind::Consolidation, None) => Work::Consolidation,
            (JobKind::Stage1, None) => {
                return Err(Error::validation("threadId is missing; stage1 claims are of a thread"));
            }
            (JobKind::Consolidation, Some(_)) => {
                return Err(Error::validation("a consolidation is of no single thread; leave out threadId"));
            }
        };
        let lease_until = store.rollouts().heartbeat(work, &self.ownership_token)?;
        Ok(RenewedLease { lease_until })
    }
}

/// The answer of a model, or a text that contains it.
#[derive(JsonSchema)]
#[schemars(inline)]
#[serde(untagged)]
#[allow(dead_code, reason = "for its schema")]
enum GivenAnswer {
    Text(String),
    Answer(Answer),
}

params! {
    /// Stores what a model made of a claimed session. `LeaseLost` if the claim is not the caller's anymore: nothing is
    /// written.
    ///
    /// An output whose texts are all empty is a success: what was stored of the session is removed. Secrets are redacted.
    struct CompleteStage1 {
        /// The session.
        thread_id: String,
        /// The token of the claim.
        ownership_token: String,
        /// The answer, or a text that contains it, in a fence or between other words.
        #[schemars(with = "GivenAnswer")]
        output: Box<RawValue>,
    }
}

method! {
    CompleteStage1 = Rollouts::COMPLETE_STAGE1 => Completed, WRITES, REDACTS |self, store| {
        store.rollouts().complete_stage1(&self.thread_id, &self.ownership_token, &self.output)
    }
}

params! {
    /// Records that the work on a claimed session failed. It is due again later, unless its attempts are spent.
    struct FailStage1 {
        /// The session.
        thread_id: String,
        /// The token of the claim.
        ownership_token: String,
        /// Why it failed, for the status; at most 2,000 bytes are kept. Secrets are redacted.
        reason: String,
        /// When it may be tried again, in seconds from now. Default: `rollouts.retryDelaySecs` (3,600).
        retry_after_secs: Option<u32>,
    }
}

method! {
    FailStage1 = Rollouts::FAIL_STAGE1 => FailedJob, WRITES |self, store| {
        store.rollouts().fail_stage1(&self.thread_id, &self.ownership_token, &self.reason, self.retry_after_secs)
    }
}

params! {
    /// Brings the files under the memory root up to date: `rollout_summaries/` with a file a session, and `raw_memories.md`.
    ///
    /// They are a function of what is stored: only files whose contents change are written. A file that was changed is set aside
    /// before it is replaced. Files of these names that loopmem did not write are a `Conflict`.
    struct Materialize {
        /// Whether files of these names that loopmem did not write are set aside too: they are renamed to `NAME.edited`.
        /// Default: false.
        take_over: Option<bool>,
    }
}

method! {
    Materialize = Rollouts::MATERIALIZE => Materialized, WRITES |self, store| match self.take_over {
        Some(true) => store.rollouts().take_over(),
        _ => store.rollouts().materialize(),
    }
}

params! {
    /// Claims the consolidation of what sessions left, if there is anything new. One worker has it at a time, for an hour
    /// unless it renews its claim.
    ///
    /// The claim comes with the inputs, what changed since the last consolidation, the files that were edited since, and the
    /// instructions for the model. The files that it reads are up to date.
    struct ClaimConsolidation {
        /// Who claims it, for the status.
        worker_id: String,
    }
}

method! {
    ClaimConsolidation = Rollouts::CLAIM_CONSOLIDATION => ConsolidationClaim, WRITES |self, store| {
        store.rollouts().claim_consolidation(&self.worker_id)
    }
}

params! {
    /// Ends a consolidation with success.
    struct CompleteConsolidation {
        /// The token of the claim.
        ownership_token: String,
        /// The files that the worker wrote or removed, relative to the memory root. Any other file that changed meanwhile was
        /// edited by another program or a person, which makes another consolidation due. Default: unknown; then changes to `MEMORY.md`,
        /// `memory_summary.md` and `skills/` may be either, and are listed as edited in the next claim.
        written: Option<Vec<String>>,
    }
}

method! {
    CompleteConsolidation = Rollouts::COMPLETE_CONSOLIDATION => CompletedConsolidation, WRITES |self, store| {
        store.rollouts().complete_consolidation(&self.ownership_token, self.written.as_deref())
    }
}

params! {
    /// Records that a consolidation failed. New work does not shorten the wait for the next attempt.
    struct FailConsolidation {
        /// The token of the claim.
        ownership_token: String,
        /// Why it failed, for the status; at most 2,000 bytes are kept. Secrets are redacted.
        reason: String,
        /// When it may be tried again, in seconds from now. Default: `rollouts.retryDelaySecs` (3,600).
        retry_after_secs: Option<u32>,
    }
}

method! {
    FailConsolidation = Rollouts::FAIL_CONSOLIDATION => FailedJob, WRITES |self, store| {
        store.rollouts().fail_consolidation(&self.ownership_token, &self.reason, self.retry_after_secs)
    }
}

params! {
    /// Works on every session that is due, and then consolidates, with external commands as the model.
    ///
    /// A command gets one JSON object on standard input and writes its answer to standard output; `docs/ROLLOUTS.md` has the
    /// members. One that fails, takes too long or answers nonsense fails its session, which is tried again later. After three
    /// failures in a row, the other sessions are left for the next run. A command that cannot be started, or that ends with
    /// exit status 127, is a `ValidationError` and spends no attempt.
    struct RunAll {
        /// The program that extracts, and its arguments. Default: that of `with`.
        stage1_command: Option<Vec<String>>,
        /// The program that consolidates, and its arguments. Default: that of `with`, else nothing is consolidated.
        consolidate_command: Option<Vec<String>>,
        /// A program that brings a model along, for what has no command: `claude`, `codex`, `gemini` or `ollama:MODEL`. Default:
        /// `rollouts.with`, unless there is a `stage1Command`.
        with: Option<String>,
        /// The maximum number of sessions. Default: all that are due.
        limit: Option<u32>,
        /// How long a command may take, in seconds; at most 86,400. Default: 600.
        command_timeout_secs: Option<u32>,
        /// As for `rollouts.materialize`. Default: false.
        take_over: Option<bool>,
    }
}

method! {
    RunAll = Rollouts::RUN => Run, WRITES |self, store| {
        let timeout = self.command_timeout_secs.map(|seconds| Duration::from_secs(seconds.into()));
        let with = Runner::with(self.with.as_deref());
        let runner = with.stage1(self.stage1_command).consolidate(self.consolidate_command);
        let runner = runner.take_over(self.take_over.unwrap_or_default());
        store.rollouts().run(&runner.limit(self.limit).timeout(timeout))
    }
}

params! {
    /// Returns how many sessions and jobs are in which state, when the next one is due, and how the consolidation is.
    struct ReadStatus {}
}

method! { ReadStatus = Rollouts::STATUS => Status |self, store| store.rollouts().status() }

params! {
    /// Returns the registered sessions, the one that changed last first, each with why it is or is not extracted.
    struct List {
        /// Only sessions with one of these reasons. Default: all.
        reasons: Option<Vec<Reason>>,
        /// The maximum number of sessions, at least 1. Default: 50.
        limit: Option<u32>,
    }
}

method! { List = Rollouts::LIST => Listed |self, store| store.rollouts().list(self.reasons.as_deref(), self.limit) }

params! {
    /// Makes sessions that failed due again: their attempts are refilled and their waits end.
    struct Retry {
        /// The sessions. Default: all that failed, and the consolidation if it did.
        thread_ids: Option<Vec<String>>,
    }
}

method! {
    Retry = Rollouts::RETRY => Retried, WRITES |self, store| {
        let ids = self.thread_ids.as_ref().map(|ids| ids.iter().map(String::as_str).collect::<Vec<_>>());
        store.rollouts().retry(ids.as_deref())
    }
}

of_repo! {
    /// Returns the files of the memory root that agents may read, or one of them with its text: `memory_summary.md`, `MEMORY.md`
    /// and `skills/NAME/SKILL.md`. What is about other projects is left out, and so is what sessions left that were
    /// withdrawn. The list is empty if there is no such file.
    struct Read {
        /// The file, as it is listed. Default: the list, without texts.
        path: Option<String>,
    }
}

method! {
    Read = Rollouts::READ => MemoryFiles |self, store| {
        store.rollouts().read(&self.repo(store)?, self.path.as_deref())
    }
}

params! {
    /// Returns why a session is or is not extracted, with its job and its output.
    struct Explain {
        /// The session.
        thread_id: String,
    }
}

method! { Explain = Rollouts::EXPLAIN => Explanation |self, store| store.rollouts().explain(&self.thread_id) }

/// How many sessions were counted.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RecordedUsage {
    /// Of how many of the sessions there is a memory.
    pub updated: usize,
}

params! {
    /// Counts that the memory of sessions was used, such as when it is cited. What is used often and recently is consolidated
    /// first.
    struct RecordUsage {
        /// The sessions, each of which counts once.
        thread_ids: Vec<String>,
    }
}

method! {
    RecordUsage = Rollouts::RECORD_USAGE => RecordedUsage, WRITES |self, store| {
        let ids: Vec<&str> = self.thread_ids.iter().map(String::as_str).collect();
        Ok(RecordedUsage { updated: store.rollouts().record_usage(&ids)? })
    }
}

params! {
    /// Removes everything that is stored of a session, and its files. It is never extracted again. If it was part of the last
    /// consolidation, another one is due.
    struct Forget {
        /// The session.
        thread_id: String,
    }
}

method! { Forget = Rollouts::FORGET => Forgotten, WRITES |self, store| store.rollouts().forget(&self.thread_id) }

params! {
    /// Sets whether the memory of a session may be extracted and shown. If something was extracted, another consolidation is
    /// due, and the next `rollouts.materialize` adds or removes its files.
    struct SetMode {
        /// The session.
        thread_id: String,
        /// Whether its memory may be extracted.
        mode: Mode,
    }
}

method! {
    SetMode = Rollouts::SET_MODE => Thread, WRITES |self, store| store.rollouts().set_mode(&self.thread_id, self.mode)
}

params! {
    /// Clears outputs and jobs, and the files made of them. Sessions, their modes and what was forgotten stay. What a
    /// consolidation wrote stays too.
    struct ResetAll {
        /// True if sessions are due again at once. Default: false; each is due when it changes.
        reextract: Option<bool>,
    }
}

method! {
    ResetAll = Rollouts::RESET => Reset, WRITES |self, store| store.rollouts().reset(self.reextract.unwrap_or_default())
}

params! {
    /// Moves the memory of an older program from `memories/user/memory` to the memory root, once, if the root holds no other
    /// memory. Nothing is overwritten, and the folders for single working folders stay where they are.
    struct MigrateLegacyRoot {}
}

method! {
    MigrateLegacyRoot = Rollouts::MIGRATE_LEGACY_ROOT => MigratedLegacyRoot, WRITES |self, store| {
        store.rollouts().migrate_legacy_root()
    }
}
