//! `summary.*`

use super::{Method, Room, Row, count, of_repo};
use crate::disk::{self, Stored};
use crate::error::Result;
use crate::store::Store;
use crate::summary::{Event, Filter, Summary};

pub(super) const ROOM: Room = Room {
    name: "summary",
    about: "Summaries of workflow steps",
    rows: &[Row::of::<Append>(), Row::of::<EndStep>(), Row::of::<List>()],
};

of_repo! {
    /// Appends the summary of a workflow step and returns it as stored. Secrets are redacted.
    ///
    /// A repository keeps at most `memory.summariesMaxEntries` summaries in at most `memory.summariesMaxBytes` bytes;
    /// beyond either limit the oldest are removed, but never the newest.
    pub(super) struct AppendParams {
        /// The id of the workflow run.
        run_id: String,
        /// The id of the step within the run.
        step_id: String,
        /// One paragraph: what happened, important outputs, and what remains to be done. A line break becomes a space.
        /// At most `memory.summaryMaxBytes` (65,536) bytes.
        summary: String,
        /// Tags to find the summary by. Default: none.
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
    /// Ends a workflow step: condenses its events into one paragraph, without a model, and appends it as
    /// `summary.append` does.
    ///
    /// The paragraph lists actions, outputs, errors and follow-ups, each event once, in at most 4,000 bytes. It says
    /// how many events were left out for lack of space. The same events always produce the same paragraph.
    pub(super) struct EndStepParams {
        /// The id of the workflow run.
        run_id: String,
        /// The id of the step within the run.
        step_id: String,
        /// What happened, in order. At least one event.
        events: Vec<Event>,
        /// Tags to find the summary by. Default: none.
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
        /// Only summaries of this run.
        run_id: Option<String>,
        /// Only summaries with this tag.
        tag: Option<String>,
        /// The maximum number of summaries. Default: all.
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
