//! `summary.*`

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Call, Method, of_repo};
use crate::disk::Stored;
use crate::error::Result;
use crate::summary::{Filter, Summary};

of_repo! {
    /// Appends the summary of a workflow step and returns it as stored. Secrets in it are redacted.
    pub(super) struct AppendParams {
        /// The run of the workflow.
        run_id: String,
        /// The step within the run.
        step_id: String,
        /// One paragraph: what happened, important outputs, what is to follow. At most 65,536 bytes.
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
    type Output = SummaryAsStored;

    fn run(call: &Call<'_>, params: AppendParams) -> Result<SummaryAsStored> {
        let repo = params.repo(call)?;
        call.store()
            .summary(&repo)
            .append(call.wait(), &params.run_id, &params.step_id, &params.summary, params.tags.unwrap_or_default())
            .map(SummaryAsStored)
    }
}

/// A summary, as the bytes on disk.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub(super) struct SummaryAsStored(#[schemars(with = "Summary")] Arc<Stored<Summary>>);

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
    type Output = Vec<SummaryAsStored>;

    fn run(call: &Call<'_>, params: ListParams) -> Result<Vec<SummaryAsStored>> {
        let repo = params.repo(call)?;
        let filter = Filter {
            run_id: params.run_id.as_deref(),
            tag: params.tag.as_deref(),
            limit: params.limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)),
        };
        let newest = call.store().summary(&repo).list(call.wait(), filter)?;
        Ok(newest.into_iter().map(SummaryAsStored).collect())
    }
}
