//! The part of items in context packs and in the doctor.

use super::place::{Place, Places};
use super::store::{ItemStore, ROOM};
use super::trust::TrustFile;
use super::usage::Usage;
use super::{Item, Items, Recall, RecallQuery};
use super::{archive, synced, undo};
use crate::disk::Stored;
use crate::error::{ErrorKind, Result};
use crate::finding::Examination;
use crate::home::{Home, ItemsBackend, Layout};
use crate::repo::{Repo, Workspace};
use crate::room::{
    Archived, Arrival, Brought, Candidates, Checks, Collection, Export, Findable, Fragment, KeepsJobs, KeepsTrash,
    LineChange, Need, Owner, PackQuery, Portable, Room, Section, SectionName, Source, Stock, Synced, TrashOf, quoted,
    short_ids,
};
use crate::trash::{Entry, Trash};
use crate::warning::Warning;

impl SectionName {
    /// What the user wants or is, whatever the prompt.
    pub const STANDING: SectionName = SectionName::new("standing");
    /// The items that matter for the prompt, the most relevant first.
    pub const RECALLED: SectionName = SectionName::new("recalled");
}

/// The room `items`.
#[derive(Debug)]
pub struct ItemsRoom;

/// Items are in the repository itself, not under its hash in the home.
impl Room for ItemsRoom {
    fn sections(&self) -> &'static [Section] {
        &[
            Section {
                name: SectionName::STANDING,
                heading: "# Preferences of the user (follow them; of two that differ, the first applies)",
                leads: true,
                noun: ["preference", "preferences"],
                gap: "\n",
                need: Need::Folder,
                ..Section::BASIC
            },
            Section {
                name: SectionName::RECALLED,
                heading: "# Recalled",
                reserved: 15,
                noun: ["recalled item", "recalled items"],
                has_vectors: true,
                need: Need::Folder,
                ..Section::BASIC
            },
        ]
    }

    fn bytes(&self, repo: &Repo) -> Result<u64> {
        let Some(location) = repo.location() else { return Ok(0) };
        let places = Places::of(repo.home(), &Workspace::at(&location.folder), None)?;
        places
            .local()
            .try_fold(0, |bytes, place| Ok(bytes + repo.home().disk().stat(&place.file)?.map_or(0, |stat| stat.size)))
    }

    /// The standing items, and those that matter for the prompt, the most relevant first.
    fn candidates(
        &self,
        repo: &Repo,
        is_wanted: &dyn Fn(SectionName) -> bool,
        query: &PackQuery,
    ) -> Result<Vec<Candidates>> {
        // Where the items of a repository are is only known from its folder.
        let Some(location) = repo.location() else { return Ok(Vec::new()) };
        let has_query = query.prompt.is_some() || query.embedding.is_some();
        let is_asked = has_query && is_wanted(SectionName::RECALLED);
        let recall = match is_asked {
            true => RecallQuery::of_pack(query.prompt.as_ref()).embedding(query.embedding.clone()),
            // Only the preferences.
            false => RecallQuery::of_pack(None).preview(true),
        };
        let files = query.focus_files.iter().cloned();
        let recalled = match Items::new(repo.home(), Workspace::at(&location.folder)).recall(&recall.files(files)) {
            Err(error) if !is_asked && !query.has_chosen && error.kind() != ErrorKind::Cancelled => {
                let warning = Warning::new("preferences could not be read, so a context pack is without them");
                warning.because(&error).emit(repo.home().redactor());
                Recall::default()
            }
            recalled => recalled?,
        };
        let standing: Vec<&Item> =
            recalled.standing.iter().map(|item| &**item).filter(|_| is_wanted(SectionName::STANDING)).collect();
        let is_standing = |it: &Item| standing.iter().any(|item| item.says_the_same_as(it));
        let matching: Vec<&Item> =
            recalled.items.iter().filter(|_| is_asked).map(|it| &*it.item).filter(|item| !is_standing(item)).collect();
        let section = |name: SectionName, items: &[&Item]| {
            let ids: Vec<&str> = items.iter().map(|item| item.id.as_str()).collect();
            let fragment =
                |(item, id): (&&Item, &str)| Fragment::line(item.id.as_str(), "- ", id, &quoted(&item.content));
            let fragments: Vec<_> = items.iter().zip(short_ids(&ids)).map(fragment).collect();
            let relevant = (0..fragments.len()).collect();
            Candidates { fragments, relevant, ..Candidates::empty(name) }
        };
        let mut sections = Vec::new();
        if query.has_chosen || !standing.is_empty() {
            sections.push(section(SectionName::STANDING, &standing));
        }
        if has_query {
            sections.push(section(SectionName::RECALLED, &matching));
        }
        Ok(sections)
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

    /// Checks the global items, those of the current workspace, and the counts of all items. Where other repositories are
    /// is not known.
    fn examine_home(&self, home: &Home, checks: Checks) -> Result<Examination> {
        let mut found = Examination::default();
        let folder = home.layout().all_items_state();
        let (of_folder, entries) = home.disk().examine_entries(&folder, checks.fix);
        found.absorb(of_folder);
        for (name, _) in entries {
            let Some(name) = name.to_str() else { continue };
            let state = home.layout().items_state(name);
            found.absorb(home.disk().examine_folder(&state, checks.fix));
            found.absorb(Usage::new(&state).examine(home, checks.fix)?);
            found.absorb(TrustFile::new(&state).examine(home, checks.fix)?);
            found.absorb(Trash::at(home, Layout::items_trash(&state)).examine(checks.fix)?);
        }
        for backend in [
            ItemsBackend::Jsonl,
            #[cfg(feature = "sqlite")]
            ItemsBackend::Sqlite,
        ] {
            for place in here(home, backend)? {
                found.absorb(ItemStore::at(home, &place)?.backend.examine(checks.fix)?);
            }
        }
        Ok(found)
    }
}

impl Synced for ItemsRoom {
    fn collections(&self) -> &'static [Collection] {
        synced::COLLECTIONS
    }

    fn lines(&self, repo: &Repo, collection: &str) -> Result<Option<Stock>> {
        synced::lines(repo, collection)
    }

    fn is_there(&self, repo: &Repo, collection: &str) -> Result<bool> {
        synced::is_there(repo, collection)
    }

    fn admitted(&self, home: &Home, _collection: &str, line: &str) -> Result<(String, String)> {
        synced::line(home, line)
    }

    fn change(&self, repo: &Repo, collection: &str, changes: Vec<LineChange>) -> Result<()> {
        synced::change(repo, collection, changes)
    }
}

impl Archived for ItemsRoom {
    fn name(&self) -> &'static str {
        ROOM
    }

    fn export(&self, from: &Source<'_>) -> Result<Export> {
        archive::export(from)
    }

    fn findable(&self, home: &Home, record: &Portable) -> Option<Findable> {
        archive::findable(home, record)
    }

    fn import(&self, owner: &Owner, records: &[Portable], into: &Arrival<'_>) -> Result<Brought> {
        archive::import(owner, records, into)
    }
}

impl KeepsTrash for ItemsRoom {
    fn name(&self) -> &'static str {
        ROOM
    }

    fn trashes(&self, home: &Home, repo: Option<&Repo>) -> Result<Vec<Trash>> {
        undo::trashes(home, repo)
    }

    fn restore(&self, place: &TrashOf, entry: &Stored<Entry>, _: &dyn KeepsJobs) -> Result<()> {
        undo::restore(place.trash(), entry)
    }
}

/// The stores that apply to the current workspace, as far as they are known.
fn here(home: &Home, backend: ItemsBackend) -> Result<Vec<Place>> {
    match Places::in_backend(home, &Workspace::default(), None, backend) {
        Ok(places) => Ok(places.all().cloned().collect()),
        // The current folder is gone, or its repository is broken, which the calls there report.
        Err(_) if home.layout().codex_home().is_ok() => Ok(vec![Place::global(home, backend)?]),
        Err(_) => Ok(Vec::new()),
    }
}
