//! What memory provides to context packs, migrations and the doctor.

use super::{CONVENTIONS, DECISIONS, NOTES, Record, RepoMemory, file, import};
use crate::error::Result;
use crate::finding::Examination;
use crate::repo::Repo;
use crate::room::{Candidates, Checks, Fragment, Imported, PackQuery, RecordKind, Room, Section, SectionName, Usage};

impl SectionName {
    /// How things are done in this repository.
    pub const CONVENTIONS: SectionName = SectionName::new("conventions");
    /// What was decided.
    pub const DECISIONS: SectionName = SectionName::new("decisions");
    /// Anything else.
    pub const NOTES: SectionName = SectionName::new("notes");
}

/// The sections of a pack, each with the index of its section in the file.
const SECTIONS: [(SectionName, usize); 3] =
    [(SectionName::CONVENTIONS, CONVENTIONS), (SectionName::DECISIONS, DECISIONS), (SectionName::NOTES, NOTES)];

/// The room `memory`.
#[derive(Debug)]
pub struct MemoryRoom;

impl Room for MemoryRoom {
    fn sections(&self) -> &'static [Section] {
        &[
            Section { name: SectionName::CONVENTIONS, heading: "# Conventions", reserved: 0 },
            Section { name: SectionName::DECISIONS, heading: "# Decisions", reserved: 0 },
            Section { name: SectionName::NOTES, heading: "# Notes", reserved: 0 },
        ]
    }

    /// Oldest first within each kind, so that the beginning of a pack changes rarely.
    fn candidates(
        &self,
        repo: &Repo,
        is_wanted: &dyn Fn(SectionName) -> bool,
        _query: &PackQuery,
    ) -> Result<Vec<Candidates>> {
        let memory = repo.memory().get()?;
        let wanted = SECTIONS.into_iter().filter(|(name, _)| is_wanted(*name));
        wanted
            .map(|(section, place)| Ok(Candidates { section, fragments: fragments(&memory, place)?, skipped: 0 }))
            .collect()
    }

    fn kinds(&self) -> &'static [RecordKind] {
        &import::KINDS
    }

    fn import(&self, from: &Repo, into: &Repo, dry_run: bool) -> Result<Imported> {
        import::import(from, into, dry_run)
    }

    fn usage(&self, repo: &Repo) -> Result<Usage> {
        Usage::of_file(repo.home(), &repo.home().layout().memory(repo.hash()))
    }

    /// Checks `memory.json`, and with `fix` recovers every record that is intact in it.
    fn examine_repo(&self, repo: &Repo, checks: Checks) -> Result<Examination> {
        file(repo).examine(repo.home().wait(), checks.fix)
    }
}

fn fragments(memory: &RepoMemory, section: usize) -> Result<Vec<Fragment>> {
    memory.section(section).iter().map(|row| Ok(fragment(&*row.record()?))).collect()
}

fn fragment(record: &Record) -> Fragment {
    match record {
        Record::Convention(it) => Fragment::new(&it.id, &it.title, &it.content, "Tags", &it.tags),
        Record::Decision(it) => Fragment::new(&it.id, &it.summary, &it.rationale, "Paths", &it.impacted_paths),
        Record::Note(it) => Fragment::new(&it.id, "", &it.content, "", &[]),
    }
}
