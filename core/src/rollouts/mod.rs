//! The memory of past sessions: their transcripts are found, a model extracts what is worth knowing, and one memory is made of it
//! (spec 001).
//!
//! loopmem runs no model. A worker claims a session, asks its model, and hands the answer back; everything else is decided
//! here: which session is due, who may work on it and for how long, what is kept, and which files result. The state is one
//! database in the Codex home; the files under its folder `memories` are a function of it.

mod consolidation;
mod database;
mod jobs;
mod known;
mod project;
mod room;
mod run;
mod threads;
mod time;
mod transcript;

pub use consolidation::{
    ClaimOutcome, CompletedConsolidation, ConsolidationClaim, ConsolidationInput, Materialized, MigratedLegacyRoot,
};
pub use jobs::{
    Answer, Completed, ConsolidationState, Explanation, FailedJob, Input, JobCounts, JobState, Listed, ListedThread,
    Reason, Retried, Stage1Claim, Stage1Claims, Stage1Output, Status, StoredOutput, ThreadCounts, Work,
};
pub use known::{MemoryFile, MemoryFiles};
pub(crate) use room::RolloutsRoom;
pub use run::{ConsolidationRun, Run, RunConsolidation, RunOutcome, RunThread, Runner};
pub use threads::{Forgotten, Mode, Reset, Scanned, SkippedTranscript, Thread, ThreadDraft, TranscriptKind};

use crate::home::Home;

/// The sessions of a Codex home, and what they left. Each operation is a method beside its work, named after a constant that
/// the method table shares.
#[derive(Debug, Clone)]
pub struct Rollouts {
    home: Home,
}

impl Rollouts {
    pub(crate) fn new(home: &Home) -> Self {
        Rollouts { home: home.clone() }
    }
}
