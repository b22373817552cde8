//! `memory.*`

use schemars::JsonSchema;
use serde::Serialize;

use super::{JsonText, Method, Room, Row, of_repo, to_json};
use crate::disk::{self, Journal, Stored};
use crate::error::Result;
use crate::memory::{
    self, Convention, ConventionDraft, Decision, DecisionDraft, Filter, Kind, Listed, MemoryKind, Note, NoteDraft,
    Record,
};
use crate::store::Store;
use crate::summary::{self, Summary};

pub(super) const ROOM: Room = Room {
    name: "memory",
    about: "Conventions, decisions and notes",
    rows: &[
        Row::of::<Get>(),
        Row::of::<UpsertConvention>(),
        Row::of::<UpsertDecision>(),
        Row::of::<UpsertNote>(),
        Row::of::<List>(),
        Row::of::<Remove>(),
    ],
};

of_repo! {
    /// Returns everything stored for a repository. The lists are empty if nothing is stored.
    pub(super) struct GetParams {}
}

/// Everything stored for a repository.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RepoMemory {
    /// The conventions, oldest first.
    #[schemars(with = "Vec<Convention>")]
    conventions: Vec<disk::Row<Record>>,
    /// The decisions, oldest first.
    #[schemars(with = "Vec<Decision>")]
    decisions: Vec<disk::Row<Record>>,
    /// The notes, oldest first.
    #[schemars(with = "Vec<Note>")]
    notes: Vec<disk::Row<Record>>,
    /// The step summaries, newest first.
    summaries: Vec<disk::Row<Stored<Summary>>>,
    /// The number of damaged lines in the file of summaries that were skipped, if any; `doctor.check` reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped_summaries: Option<usize>,
}

/// See [`GetParams`].
pub(super) struct Get;

impl Method for Get {
    const NAME: &'static str = "memory.get";
    type Params = GetParams;
    type Output = RepoMemory;

    fn run(store: &Store, params: GetParams) -> Result<RepoMemory> {
        let repo = params.repo(store)?;
        RepoMemory::of(&repo.memory().get()?, &*repo.summaries().journal()?)
    }

    fn answer(store: &Store, params: GetParams) -> Result<JsonText> {
        let repo = params.repo(store)?;
        let (memory, summaries) = (repo.memory().get()?, repo.summaries().journal()?);
        let sources = [memory.source(), summary::source(&summaries)];
        store.texts().get(Self::NAME, sources, || to_json(&RepoMemory::of(&memory, &summaries)?))
    }
}

impl RepoMemory {
    fn of(memory: &memory::RepoMemory, journal: &Journal<Summary>) -> Result<Self> {
        let section = |section| memory.section(section).to_vec();
        Ok(RepoMemory {
            conventions: section(Convention::SECTION),
            decisions: section(Decision::SECTION),
            notes: section(Note::SECTION),
            summaries: summary::newest_first(journal, summary::Filter::all())?,
            skipped_summaries: Some(journal.skipped()).filter(|skipped| *skipped > 0),
        })
    }
}

of_repo! {
    /// Stores a convention and returns it as stored.
    ///
    /// If the draft has the id of a stored convention, that convention is updated and keeps the fields that the draft
    /// omits; otherwise a new convention is created. Secrets are redacted.
    pub(super) struct UpsertConventionParams {
        /// The convention to store.
        convention: ConventionDraft,
    }
}

/// See [`UpsertConventionParams`].
pub(super) struct UpsertConvention;

impl Method for UpsertConvention {
    const NAME: &'static str = "memory.upsertConvention";
    type Params = UpsertConventionParams;
    type Output = Stored<Convention>;
    const WRITES: bool = true;

    fn run(store: &Store, params: UpsertConventionParams) -> Result<Self::Output> {
        params.repo(store)?.memory().upsert(params.convention)
    }
}

of_repo! {
    /// Stores a decision and returns it as stored.
    ///
    /// If the draft has the id of a stored decision, that decision is updated and keeps the fields that the draft
    /// omits; otherwise a new decision is created. Secrets are redacted.
    pub(super) struct UpsertDecisionParams {
        /// The decision to store.
        decision: DecisionDraft,
    }
}

/// See [`UpsertDecisionParams`].
pub(super) struct UpsertDecision;

impl Method for UpsertDecision {
    const NAME: &'static str = "memory.upsertDecision";
    type Params = UpsertDecisionParams;
    type Output = Stored<Decision>;
    const WRITES: bool = true;

    fn run(store: &Store, params: UpsertDecisionParams) -> Result<Self::Output> {
        params.repo(store)?.memory().upsert(params.decision)
    }
}

of_repo! {
    /// Stores a note and returns it as stored.
    ///
    /// If the draft has the id of a stored note, that note is updated and keeps the fields that the draft omits;
    /// otherwise a new note is created. Secrets are redacted.
    pub(super) struct UpsertNoteParams {
        /// The note to store.
        note: NoteDraft,
    }
}

/// See [`UpsertNoteParams`].
pub(super) struct UpsertNote;

impl Method for UpsertNote {
    const NAME: &'static str = "memory.upsertNote";
    type Params = UpsertNoteParams;
    type Output = Stored<Note>;
    const WRITES: bool = true;

    fn run(store: &Store, params: UpsertNoteParams) -> Result<Self::Output> {
        params.repo(store)?.memory().upsert(params.note)
    }
}

of_repo! {
    /// Returns the conventions, decisions and notes that match every given filter, oldest first within each kind.
    pub(super) struct ListParams {
        /// Only records of this kind.
        kind: Option<Kind>,
        /// Only conventions with this tag.
        tag: Option<String>,
        /// Only decisions whose `impactedPaths` contain this path or a folder above it.
        path: Option<String>,
        /// Only records with this text in one of their fields, ignoring case.
        text: Option<String>,
    }
}

/// See [`ListParams`].
pub(super) struct List;

impl Method for List {
    const NAME: &'static str = "memory.list";
    type Params = ListParams;
    type Output = Vec<Listed>;

    fn run(store: &Store, params: ListParams) -> Result<Vec<Listed>> {
        let repo = params.repo(store)?;
        let filter = Filter::all().kind(params.kind).tag(params.tag.as_deref());
        let filter = filter.path(params.path.as_deref()).text(params.text.as_deref());
        repo.memory().rows(filter)
    }
}

of_repo! {
    /// Removes the convention, decision or note with this id.
    pub(super) struct RemoveParams {
        /// The record's id.
        id: String,
    }
}

/// Whether something was removed.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Removed {
    /// False if there was nothing to remove.
    pub(super) removed: bool,
}

/// See [`RemoveParams`].
pub(super) struct Remove;

impl Method for Remove {
    const NAME: &'static str = "memory.remove";
    type Params = RemoveParams;
    type Output = Removed;
    const WRITES: bool = true;

    fn run(store: &Store, params: RemoveParams) -> Result<Removed> {
        let removed = params.repo(store)?.memory().remove(&params.id)?;
        Ok(Removed { removed })
    }
}
