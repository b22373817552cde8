//! `memory.*`

use schemars::JsonSchema;
use serde::Serialize;

use super::{JsonText, Method, MethodGroup, Removed, count, method, methods, of_repo, to_json};
use crate::disk::{Journal, Row, Stored};
use crate::error::{ErrorKind, Result};
use crate::memory::{
    Convention, ConventionDraft, Decision, DecisionDraft, Draft, Filter, Kind, Memory, Note, NoteDraft, Record,
    RepoMemory,
};
use crate::repo::Repo;
use crate::store::Store;
use crate::summary::{self, Summary};

pub(super) const GROUP: MethodGroup = MethodGroup {
    name: "memory",
    about: "Conventions, decisions and notes",
    entries: methods! { Get, UpsertConvention, UpsertDecision, UpsertNote, List, Remove },
};

of_repo! {
    /// Returns everything stored for a repository. The lists are empty if nothing is stored. With `inheritFrom`, they
    /// begin with the records of another branch that this one has not overridden, marked by `inheritedFrom`.
    struct Get {}
}

/// Everything stored for a repository.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RepoMemory")]
struct GetResult {
    /// The conventions, oldest first.
    #[schemars(with = "Vec<Convention>")]
    conventions: Vec<Row<Record>>,
    /// The decisions, oldest first.
    #[schemars(with = "Vec<Decision>")]
    decisions: Vec<Row<Record>>,
    /// The notes, oldest first.
    #[schemars(with = "Vec<Note>")]
    notes: Vec<Row<Record>>,
    /// The step summaries, newest first.
    summaries: Vec<Row<Stored<Summary>>>,
    /// The number of damaged lines in the file of summaries that were skipped, if any; `doctor.check` reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped_summaries: Option<usize>,
}

impl Method for Get {
    const NAME: &'static str = Memory::GET;
    type Output = GetResult;

    fn run(self, store: &Store) -> Result<GetResult> {
        let repo = self.repo(store)?;
        GetResult::of(&repo.memory().get()?, &*repo.summaries().journal()?)
    }

    fn answer(self, store: &Store) -> Result<JsonText> {
        let repo = self.repo(store)?;
        let (memory, summaries) = (repo.memory().get()?, repo.summaries().journal()?);
        if memory.inherits() {
            return to_json(&GetResult::of(&memory, &summaries)?).map(JsonText::from);
        }
        let sources = [memory.source(), summary::source(&summaries)];
        store.texts().get(Self::NAME, sources, || to_json(&GetResult::of(&memory, &summaries)?))
    }
}

impl GetResult {
    fn of(memory: &RepoMemory, journal: &Journal<Summary>) -> Result<Self> {
        let section = |kind| memory.section(kind).cloned().collect();
        Ok(GetResult {
            conventions: section(Kind::Convention),
            decisions: section(Kind::Decision),
            notes: section(Kind::Note),
            summaries: summary::newest_first(journal, summary::Filter::all())?,
            skipped_summaries: Some(journal.skipped()).filter(|skipped| *skipped > 0),
        })
    }
}

/// The memory of a repository, or the one that it inherits from.
fn memory(repo: Repo, is_inherited: Option<bool>) -> Result<Memory> {
    if is_inherited == Some(true) { repo.memory().inherited() } else { Ok(repo.memory()) }
}

/// A method that stores a record of one kind.
macro_rules! upsert {
    ($(#[$doc:meta])* struct $method:ident -> $kind:ty {
        $(#[$draft_doc:meta])* $draft:ident: $type:ty,
    }) => {
        of_repo! {
            $(#[$doc])*
            struct $method {
                $(#[$draft_doc])*
                $draft: $type,
                /// Whether it is stored for the branch from which this one inherits, as to change an inherited record.
                /// Default: `false`; a record with the id of an inherited one overrides it.
                inherited: Option<bool>,
            }
        }

        method! {
            $method = <$type as Draft>::OPERATION => Stored<$kind>, WRITES, REDACTS |self, store| {
                memory(self.repo(store)?, self.inherited)?.upsert(self.$draft)
            }
        }
    };
}

upsert! {
    /// Stores a convention and returns it as stored.
    ///
    /// If the draft has the id of a stored convention, that convention is updated and keeps the fields that the draft
    /// omits; otherwise a new convention is created. Secrets are redacted.
    struct UpsertConvention -> Convention {
        /// The convention to store.
        convention: ConventionDraft,
    }
}

upsert! {
    /// Stores a decision and returns it as stored.
    ///
    /// If the draft has the id of a stored decision, that decision is updated and keeps the fields that the draft
    /// omits; otherwise a new decision is created. Secrets are redacted.
    struct UpsertDecision -> Decision {
        /// The decision to store.
        decision: DecisionDraft,
    }
}

upsert! {
    /// Stores a note and returns it as stored.
    ///
    /// If the draft has the id of a stored note, that note is updated and keeps the fields that the draft omits;
    /// otherwise a new note is created. Secrets are redacted.
    struct UpsertNote -> Note {
        /// The note to store.
        note: NoteDraft,
    }
}

of_repo! {
    /// Returns the conventions, decisions and notes that match every given filter, oldest first within each kind, or with a
    /// query the most relevant first. They include those that the branch inherits: see `memory.get`.
    struct List {
        /// Only records of this kind.
        kind: Option<Kind>,
        /// Only conventions and notes with this tag.
        tag: Option<String>,
        /// Only decisions whose `impactedPaths` contain this path or a folder above it.
        path: Option<String>,
        /// Only records with this text in one of their fields, ignoring case.
        text: Option<String>,
        /// Only records that share words with this text, the most relevant first, ranked as in `items.recall`.
        query: Option<String>,
        /// The maximum number of records. Default: all.
        limit: Option<u32>,
    }
}

method! {
    List = Memory::LIST => Vec<Record> |self, store| {
        let repo = self.repo(store)?;
        let filter = Filter::all().kind(self.kind).tag(self.tag.as_deref());
        let filter = filter.path(self.path.as_deref()).text(self.text.as_deref());
        let filter = filter.query(self.query.as_deref()).limit(count(self.limit));
        repo.memory().list(filter)
    }
}

of_repo! {
    /// Removes the convention, decision or note with this id. `undo.restore` brings it back.
    struct Remove {
        /// The record's id.
        id: String,
        /// Whether it is removed for good: with every version of it in the trash, and everything damaged that was set aside
        /// of the file. Default: `false`.
        purge: Option<bool>,
        /// Whether it is removed from the branch from which this one inherits. Default: `false`; an inherited record is then
        /// a `Conflict`, which names its branch.
        inherited: Option<bool>,
    }
}

method! {
    Remove = Memory::REMOVE => Removed, WRITES |self, store| {
        match memory(self.repo(store)?, self.inherited) {
            // What is not inherited at all is not there either.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Removed { removed: false }),
            memory if self.purge == Some(true) => Ok(Removed { removed: memory?.purge(&self.id)? }),
            memory => Ok(Removed { removed: memory?.remove(&self.id)? }),
        }
    }
}
