//! What past sessions leave: their transcripts are found, a model extracts what is worth knowing, and one memory is made of it
//! (spec 001).
//!
//! loopmem runs no model. A worker claims a session, asks its model, and hands the answer back; everything else is decided
//! here: which session is due, who may work on it and for how long, what is kept, and which files result. The state is one
//! database in the Codex home; the files under its folder `memories` are a function of it.

mod answer;
mod artifacts;
mod command;
mod consolidation;
mod database;
mod diff;
mod explain;
mod forget;
mod handle;
mod input;
mod job;
mod legacy;
mod list;
mod output;
mod reason;
mod retry;
mod room;
mod root;
mod run;
mod scan;
mod stage1;
mod status;
mod thread;
mod time;
mod transcript;
mod usage;

pub use artifacts::Materialized;
pub use consolidation::{ClaimOutcome, CompletedConsolidation, ConsolidationClaim, ConsolidationInput};
pub use explain::{Explanation, JobState};
pub use forget::{Forgotten, Reset};
pub use handle::{Rollouts, Work};
pub use input::Input;
pub use legacy::MigratedLegacyRoot;
pub use list::{Listed, ListedThread};
pub use output::{Answer, Stage1Output, StoredOutput};
pub use reason::Reason;
pub use retry::Retried;
pub(crate) use room::RolloutsRoom;
pub use run::{ConsolidationRun, Run, RunConsolidation, RunOutcome, RunThread, Runner};
pub use scan::{Scanned, SkippedTranscript, TranscriptKind};
pub use stage1::{Completed, FailedJob, Stage1Claim, Stage1Claims};
pub use status::{ConsolidationState, JobCounts, Status, ThreadCounts};
pub use thread::{Mode, Thread, ThreadDraft};
