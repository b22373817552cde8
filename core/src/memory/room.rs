//! What memory provides to context packs, migrations and the doctor.

use std::borrow::Cow;
use std::cmp::Reverse;

use chrono::DateTime;

use super::document::{PACK_SECTIONS, RECORD_KINDS};
use super::list::scores;
use super::stored::file;
use super::{Kind, Record, archive, import, synced, undo};
use crate::disk::Stored;
use crate::error::Result;
use crate::finding::Examination;
use crate::home::Home;
use crate::ranking::best;
use crate::repo::Repo;
use crate::room::{
    Archived, Arrival, Brought, Candidates, Checks, Collection, Counts, Export, Findable, Forget, Fragment, Import,
    KeepsJobs, KeepsRecords, KeepsTrash, LineChange, Mark, Migration, Owner, PackQuery, Portable, RecordKind, Room,
    Section, SectionName, Source, Stock, Synced, TrashOf, Usage, short_ids,
};
use crate::trash::Entry;

/// The room `memory`.
#[derive(Debug)]
pub struct MemoryRoom;

impl Room for MemoryRoom {
    fn sections(&self) -> &'static [Section] {
        PACK_SECTIONS
    }

    /// Oldest first within each kind, so that the beginning of a pack changes rarely. Those that were updated last are
    /// included before others.
    fn candidates(
        &self,
        repo: &Repo,
        is_wanted: &dyn Fn(SectionName) -> bool,
        query: &PackQuery,
    ) -> Result<Vec<Candidates>> {
        let memory = repo.memory().get()?;
        let mut records = Vec::new();
        for kind in Kind::ALL {
            let of_kind: Result<Vec<_>> = memory.section(*kind).map(|row| row.record().map(Cow::into_owned)).collect();
            records.push(of_kind?);
        }
        // Of all kinds, so that an id is as short in one section as in all of them.
        let ids: Vec<&str> = records.iter().flatten().map(Record::id).collect();
        let ids = short_ids(&ids);
        let mut sections = Vec::new();
        let mut before = 0;
        for (records, section) in records.iter().zip(PACK_SECTIONS) {
            let ids = ids.get(before..before + records.len()).unwrap_or_default();
            before += records.len();
            if is_wanted(section.name) {
                let fragments = records.iter().zip(ids).map(|(record, id)| fragment(record, id)).collect();
                let (relevant, newest) = (relevant(query, records), newest_first(records));
                sections.push(Candidates { section: section.name, fragments, relevant, newest, skipped: 0 });
            }
        }
        Ok(sections)
    }

    fn records(&self) -> Option<&dyn KeepsRecords> {
        Some(self)
    }

    fn trash(&self) -> Option<&dyn KeepsTrash> {
        Some(self)
    }

    fn synced(&self) -> Option<&dyn Synced> {
        Some(self)
    }

    fn archived(&self) -> Option<&dyn Archived> {
        Some(self)
    }

    fn usage(&self, repo: &Repo) -> Result<Usage> {
        Usage::of_file(repo.home(), &repo.home().layout().memory(repo.hash()))
    }

    /// Checks `memory.json`, and with `fix` recovers every record that is intact in it.
    fn examine_repo(&self, repo: &Repo, checks: Checks) -> Result<Examination> {
        file(repo).examine(repo.home().wait_options(), checks.fix)
    }
}

impl KeepsRecords for MemoryRoom {
    fn kinds(&self) -> &'static [RecordKind] {
        RECORD_KINDS
    }

    fn import(&self, from: &Repo, into: &Repo, how: &Import) -> Result<Migration> {
        import::import(from, into, how)
    }

    fn forget(&self, repo: &Repo, how: Forget) -> Result<Counts> {
        undo::forget(repo, how)
    }
}

impl Synced for MemoryRoom {
    fn collections(&self) -> &'static [Collection] {
        synced::COLLECTIONS
    }

    fn lines(&self, repo: &Repo, collection: &str) -> Result<Option<Stock>> {
        synced::lines(repo, collection).map(Some)
    }

    fn is_there(&self, repo: &Repo, _collection: &str) -> Result<bool> {
        Ok(self.usage(repo)?.modified.is_some())
    }

    fn admitted(&self, home: &Home, collection: &str, line: &str) -> Result<(String, String)> {
        synced::line(home, collection, line)
    }

    fn change(&self, repo: &Repo, collection: &str, changes: Vec<LineChange>) -> Result<()> {
        synced::change(repo, collection, changes)
    }
}

impl Archived for MemoryRoom {
    fn name(&self) -> &'static str {
        undo::ROOM
    }

    fn export(&self, from: &Source<'_>) -> Result<Export> {
        archive::export(from)
    }

    fn findable(&self, home: &Home, record: &Portable) -> Option<Findable> {
        archive::findable(home, record)
    }

    fn import(&self, owner: &Owner, records: &[Portable], into: &Arrival<'_>) -> Result<Brought> {
        match owner {
            Owner::Repo(hash) => archive::import(&Repo::at(into.home, hash), records, into),
            _ => Ok(Brought { skipped: records.len(), ..Brought::default() }),
        }
    }
}

impl KeepsTrash for MemoryRoom {
    fn name(&self) -> &'static str {
        undo::ROOM
    }

    fn restore(&self, place: &TrashOf, entry: &Stored<Entry>, _: &dyn KeepsJobs) -> Result<()> {
        undo::restore(place, entry)
    }
}

/// The tag of conventions that are relevant whatever the prompt.
const ALWAYS: &str = "always";

/// The conventions that always are, and the records that share words with the prompt or are about the files in use, the most
/// relevant first.
fn relevant(query: &PackQuery, records: &[Record]) -> Vec<usize> {
    let is_always = |index: &usize| {
        records
            .get(*index)
            .is_some_and(|record| matches!(record, Record::Convention(it) if it.tags.iter().any(|tag| tag == ALWAYS)))
    };
    let mut relevant: Vec<usize> = (0..records.len()).filter(is_always).collect();
    if query.prompt.is_some() || !query.focus_files.is_empty() {
        let scored = best(scores(query.prompt.as_ref(), &query.focus_files, records), usize::MAX);
        relevant.extend(scored.into_iter().map(|it| it.index).filter(|index| !is_always(index)));
    }
    relevant
}

/// By the time of the last update, of equal times the later in the file first. Another program may have written another
/// time zone or no time, which counts as the oldest.
fn newest_first(records: &[Record]) -> Vec<usize> {
    let time = |record: &Record| DateTime::parse_from_rfc3339(record.updated_at()).ok().map(|time| time.to_utc());
    let mut dated: Vec<_> = records.iter().map(time).enumerate().collect();
    dated.sort_by_key(|(index, time)| Reverse((*time, *index)));
    dated.into_iter().map(|(index, _)| index).collect()
}

fn fragment(record: &Record, id: &str) -> Fragment {
    let mark = Mark { id: Some(id), from: record.inherited_from() };
    match record {
        Record::Convention(it) => Fragment::record(&it.id, mark, &it.title, &it.content, "Tags", &it.tags),
        Record::Decision(it) => Fragment::record(&it.id, mark, &it.summary, &it.rationale, "Paths", &it.impacted_paths),
        Record::Note(it) => Fragment::record(&it.id, mark, "", &it.content, "Tags", &it.tags),
    }
}
