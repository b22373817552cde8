//! `summary.*`

use super::{Method, Room, Row, count, of_repo};
use crate::disk::{self, Stored};
use crate::error::Result;
use crate::store::Store;
use crate::summary::{Event, Filter, Summary};

pub(super) const ROOM: Room = Room {
    name: "summary",
    about: "What the steps of a workflow did",
    rows: &[Row::of::<Append>(), Row::of::<EndStep>(), Row::of::<List>()],
};

of_repo! {
    /// Appends the summary of a workflow step and returns it as stored. Secrets in it are redacted.
    ///
    /// A repository keeps `memory.summariesMaxEntries` summaries in `memory.summariesMaxBytes`; beyond either the oldest
    /// go, never the newest.
    pub(super) struct AppendParams {
        /// The run of the workflow.
        run_id: String,
        /// The step within the run.
        step_id: String,
        /// One paragraph: what happened, important outputs, what is to follow; a line break in it becomes a blank. At most
        /// `memory.summaryMaxBytes` (65,536) bytes.
        summary: String,
        /// Words to find it by. Default: none.
        tags: Option<Vec<String>>,
    }
}

/// See [`AppendParams`].
pub(super) struct Append;

impl Method for Append {
    const NAME: &'static str = "summary.append";
    type Params = AppendParams;
    type Output = Stored<Summary>;
    const WRITES: bool = true;

    fn run(store: &Store, params: AppendParams) -> Result<Self::Output> {
        let draft = Summary::draft(&params.run_id, &params.step_id, &params.summary);
        params.repo(store)?.summaries().append(draft.tags(params.tags.unwrap_or_default()))
    }
}

of_repo! {
    /// Ends a workflow step: makes one paragraph of its events, without a model, and appends it as `summary.append` does.
    ///
    /// What happened, important outputs, what went wrong, what is to follow: each event once, in at most 4,000 bytes.
    /// What has no room is counted in the text. The same events give the same paragraph.
    pub(super) struct EndStepParams {
        /// The run of the workflow.
        run_id: String,
        /// The step within the run.
        step_id: String,
        /// What happened, in order. At least one.
        events: Vec<Event>,
        /// Words to find it by. Default: none.
        tags: Option<Vec<String>>,
    }
}

/// See [`EndStepParams`].
pub(super) struct EndStep;

impl Method for EndStep {
    const NAME: &'static str = "summary.endStep";
    type Params = EndStepParams;
    type Output = Stored<Summary>;
    const WRITES: bool = true;

    fn run(store: &Store, params: EndStepParams) -> Result<Self::Output> {
        let summaries = params.repo(store)?.summaries();
        let tags = params.tags.unwrap_or_default();
        summaries.end_step(&params.run_id, &params.step_id, &params.events, tags)
    }
}

of_repo! {
    /// Returns a repository's step summaries, newest first.
    pub(super) struct ListParams {
        /// Only those of this run.
        run_id: Option<String>,
        /// Only those with this tag.
        tag: Option<String>,
        /// At most so many.
        limit: Option<u32>,
    }
}

/// See [`ListParams`].
pub(super) struct List;

impl Method for List {
    const NAME: &'static str = "summary.list";
    type Params = ListParams;
    type Output = Vec<disk::Row<Stored<Summary>>>;

    fn run(store: &Store, params: ListParams) -> Result<Self::Output> {
        let repo = params.repo(store)?;
        let filter = Filter::all().run(params.run_id.as_deref()).tag(params.tag.as_deref()).limit(count(params.limit));
        Ok(repo.summaries().rows(filter)?.0)
    }
}
