//! `memory.*`

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Call, Method, of_repo};
use crate::disk::Stored;
use crate::error::Result;
use crate::memory::{Convention, ConventionDraft, Decision, Note, Record};
use crate::summary::{Filter, Summary};

/// A record as it is stored, its unknown fields included.
type AsStored<R = Record> = Arc<Stored<R>>;

of_repo! {
    /// Returns everything that is stored for a repository; empty when nothing is.
    pub(super) struct GetParams {}
}

/// Everything stored for a repository.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RepoMemory {
    /// Oldest first.
    #[schemars(with = "Vec<Convention>")]
    conventions: Vec<AsStored>,
    /// Oldest first.
    #[schemars(with = "Vec<Decision>")]
    decisions: Vec<AsStored>,
    /// Oldest first.
    #[schemars(with = "Vec<Note>")]
    notes: Vec<AsStored>,
    /// Newest first.
    #[schemars(with = "Vec<Summary>")]
    summaries: Vec<AsStored<Summary>>,
}

/// See [`GetParams`].
pub(super) struct Get;

impl Method for Get {
    const NAME: &'static str = "memory.get";
    type Params = GetParams;
    type Output = RepoMemory;

    fn run(call: &Call<'_>, params: GetParams) -> Result<RepoMemory> {
        let repo = params.repo(call)?;
        let memory = call.store().memory(&repo).get(call.wait())?;
        Ok(RepoMemory {
            conventions: memory.conventions().to_vec(),
            decisions: memory.decisions().to_vec(),
            notes: memory.notes().to_vec(),
            summaries: call.store().summary(&repo).list(call.wait(), Filter::default())?,
        })
    }
}

of_repo! {
    /// Stores a convention and returns it as stored.
    ///
    /// A draft with the id of a stored convention changes that one and keeps what the draft leaves out; any other makes
    /// a new one. Secrets in it are redacted.
    pub(super) struct UpsertConventionParams {
        /// The convention.
        convention: ConventionDraft,
    }
}

/// See [`UpsertConventionParams`].
pub(super) struct UpsertConvention;

impl Method for UpsertConvention {
    const NAME: &'static str = "memory.upsertConvention";
    type Params = UpsertConventionParams;
    type Output = ConventionAsStored;

    fn run(call: &Call<'_>, params: UpsertConventionParams) -> Result<ConventionAsStored> {
        let repo = params.repo(call)?;
        call.store().memory(&repo).upsert_convention(call.wait(), params.convention).map(ConventionAsStored)
    }
}

/// A convention, as the bytes on disk.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub(super) struct ConventionAsStored(#[schemars(with = "Convention")] AsStored);
