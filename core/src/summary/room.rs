//! What step summaries provide to context packs, migrations and the doctor.

use super::{Filter, archive, file, import, old_file, scores, synced, undo};
use crate::disk::Stored;
use crate::error::Result;
use crate::finding::Examination;
use crate::home::Home;
use crate::ranking::best;
use crate::repo::Repo;
use crate::room::{
    Archived, Arrival, Brought, Candidates, Checks, Collection, Counts, Export, Findable, Forget, Fragment, Import,
    KeepsJobs, KeepsRecords, KeepsTrash, Limit, LineChange, Mark, Migration, Owner, PackQuery, Portable, RecordKind,
    Room, Section, SectionName, Source, Stock, Synced, TrashOf, Usage, forget_lines,
};
use crate::trash::Entry;

impl SectionName {
    /// Summaries of the latest steps, newest first.
    pub const SUMMARIES: SectionName = SectionName::new("summaries");
}

/// The room `summary`.
#[derive(Debug)]
pub struct SummaryRoom;

impl Room for SummaryRoom {
    fn sections(&self) -> &'static [Section] {
        &[Section {
            name: SectionName::SUMMARIES,
            heading: "# Recent steps",
            reserved: 40,
            noun: ["step", "steps"],
            ..Section::BASIC
        }]
    }

    /// The newest `memory.maxSummariesInContext` summaries, newest first. With a prompt, as many relevant ones join them,
    /// however old.
    fn candidates(
        &self,
        repo: &Repo,
        _is_wanted: &dyn Fn(SectionName) -> bool,
        query: &PackQuery,
    ) -> Result<Vec<Candidates>> {
        let most = repo.home().config().max_summaries_in_context;
        let limit = Some(most).filter(|_| query.prompt.is_none());
        let (mut newest, skipped) = repo.summaries().list_counting(Filter { limit, ..Filter::default() })?;
        let mut relevant = Vec::new();
        if let Some(prompt) = &query.prompt {
            let ranked = best(scores(prompt, &newest), most);
            let ranked: Vec<usize> = ranked.into_iter().map(|it| it.index).collect();
            let kept: Vec<usize> = (0..newest.len()).filter(|at| *at < most || ranked.contains(at)).collect();
            relevant = ranked.iter().filter_map(|at| kept.binary_search(at).ok()).collect();
            newest = kept.iter().filter_map(|at| newest.get(*at).cloned()).collect();
        }
        let fragments: Vec<_> = newest
            .iter()
            .map(|it| {
                let heading = format!("{} / {} ({})", it.run_id, it.step_id, it.timestamp);
                Fragment::record(archive::name(it), Mark::default(), &heading, &it.summary, "Tags", &it.tags)
            })
            .collect();
        let newest = (0..fragments.len()).collect();
        Ok(vec![Candidates { section: SectionName::SUMMARIES, fragments, relevant, newest, skipped }])
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
        let (home, hash) = (repo.home(), repo.hash());
        let old = Usage::of_file(home, &home.layout().old_summaries(hash))?;
        Ok(Usage::of_file(home, &home.layout().summaries(hash))?.and(old))
    }

    fn limits(&self, repo: &Repo) -> Result<Vec<Limit>> {
        let home = repo.home();
        let (config, bytes) = (home.config(), Usage::of_file(home, &home.layout().summaries(repo.hash()))?.bytes);
        let entries = repo.summaries().journal()?.lines().len();
        let limit = |name: &str, used: u64, limit: usize| Limit {
            name: name.to_owned(),
            used,
            limit: u64::try_from(limit).unwrap_or(u64::MAX),
        };
        let entries = u64::try_from(entries).unwrap_or(u64::MAX);
        Ok(vec![
            limit("memory.summariesMaxEntries", entries, config.summaries_max_entries),
            limit("memory.summariesMaxBytes", bytes, config.summaries_max_bytes),
        ])
    }

    /// Checks `summaries.jsonl` and `summaries.archive.jsonl`, and with `fix` recovers every line that parses.
    fn examine_repo(&self, repo: &Repo, checks: Checks) -> Result<Examination> {
        let home = repo.home();
        let mut found = file(repo, home.config().lock_timeout).examine(home.wait_options(), checks.fix)?;
        found.absorb(old_file(repo).examine(home.wait_options(), checks.fix)?);
        Ok(found)
    }
}

impl KeepsRecords for SummaryRoom {
    fn kinds(&self) -> &'static [RecordKind] {
        import::KINDS
    }

    fn import(&self, from: &Repo, into: &Repo, how: &Import) -> Result<Migration> {
        import::import(from, into, how)
    }

    fn forget(&self, repo: &Repo, how: Forget) -> Result<Counts> {
        let mut removed = Counts::zero(import::KINDS);
        // First what may be too much for the trash, so that nothing is removed then.
        let old = forget_lines(&old_file(repo), repo, how, undo::discarded)?;
        let count = forget_lines(&file(repo, repo.home().config().lock_timeout), repo, how, undo::discarded)?;
        removed.add(import::KIND, count + old);
        Ok(removed)
    }
}

impl Synced for SummaryRoom {
    fn collections(&self) -> &'static [Collection] {
        synced::COLLECTIONS
    }

    fn lines(&self, repo: &Repo, _collection: &str) -> Result<Option<Stock>> {
        synced::lines(repo).map(Some)
    }

    fn is_there(&self, repo: &Repo, _collection: &str) -> Result<bool> {
        Ok(self.usage(repo)?.modified.is_some())
    }

    fn admitted(&self, home: &Home, _collection: &str, line: &str) -> Result<(String, String)> {
        synced::admitted(home, line).map(|(key, row)| (key, row.json().get().to_owned()))
    }

    fn change(&self, repo: &Repo, _collection: &str, changes: Vec<LineChange>) -> Result<()> {
        synced::change(repo, changes)
    }
}

impl Archived for SummaryRoom {
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

impl KeepsTrash for SummaryRoom {
    fn name(&self) -> &'static str {
        undo::ROOM
    }

    fn restore(&self, place: &TrashOf, entry: &Stored<Entry>, _: &dyn KeepsJobs) -> Result<()> {
        undo::restore(place, entry)
    }
}
