//! What memory provides to context packs, migrations and the doctor.

use std::borrow::Cow;

use super::document::{PACK_SECTIONS, RECORD_KINDS};
use super::list::scores;
use super::{Kind, Record, file, import};
use crate::error::Result;
use crate::finding::Examination;
use crate::ranking::best;
use crate::repo::Repo;
use crate::room::{Candidates, Checks, Fragment, Migration, PackQuery, RecordKind, Room, Section, SectionName, Usage};

/// The room `memory`.
#[derive(Debug)]
pub struct MemoryRoom;

impl Room for MemoryRoom {
    fn sections(&self) -> &'static [Section] {
        PACK_SECTIONS
    }

    /// Oldest first within each kind, so that the beginning of a pack changes rarely.
    fn candidates(
        &self,
        repo: &Repo,
        is_wanted: &dyn Fn(SectionName) -> bool,
        query: &PackQuery,
    ) -> Result<Vec<Candidates>> {
        let memory = repo.memory().get()?;
        let wanted = Kind::ALL.iter().zip(PACK_SECTIONS).filter(|(_, section)| is_wanted(section.name));
        wanted
            .map(|(kind, section)| {
                let rows = memory.section(*kind).iter();
                let records = rows.map(|row| row.record().map(Cow::into_owned)).collect::<Result<Vec<_>>>()?;
                let relevant = query.prompt.as_ref().map_or_else(Vec::new, |prompt| {
                    let prompt = repo.home().redactor().scrub(prompt);
                    best(scores(&prompt, &query.focus_files, &records), usize::MAX)
                });
                let relevant = relevant.into_iter().map(|it| it.index).collect();
                let fragments = records.iter().map(fragment).collect();
                Ok(Candidates { section: section.name, fragments, relevant, skipped: 0 })
            })
            .collect()
    }

    fn kinds(&self) -> &'static [RecordKind] {
        RECORD_KINDS
    }

    fn import(&self, from: &Repo, into: &Repo, dry_run: bool) -> Result<Migration> {
        import::import(from, into, dry_run)
    }

    fn usage(&self, repo: &Repo) -> Result<Usage> {
        Usage::of_file(repo.home(), &repo.home().layout().memory(repo.hash()))
    }

    /// Checks `memory.json`, and with `fix` recovers every record that is intact in it.
    fn examine_repo(&self, repo: &Repo, checks: Checks) -> Result<Examination> {
        file(repo).examine(repo.home().wait_options(), checks.fix)
    }
}

fn fragment(record: &Record) -> Fragment {
    match record {
        Record::Convention(it) => Fragment::new(&it.id, &it.title, &it.content, "Tags", &it.tags),
        Record::Decision(it) => Fragment::new(&it.id, &it.summary, &it.rationale, "Paths", &it.impacted_paths),
        Record::Note(it) => Fragment::new(&it.id, "", &it.content, "", &[]),
    }
}
