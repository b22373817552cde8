//! What the files of a model provide to context packs, migrations, archives and the doctor.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::folder::{Change, FileEntry, FoundFile, Place};
use super::record::{RECORD_KINDS, ROOM};
use super::{archive, import, undo};
use crate::disk::{Listing, Mode, Stored};
use crate::error::{ErrorKind, Result};
use crate::finding::{Examination, Fault, Finding};
use crate::home::Home;
use crate::ranking::{best, lexical};
use crate::repo::Repo;
use crate::room::{
    Archived, Arrival, Brought, Candidates, Checks, Counts, Export, Findable, Forget, Fragment, Import, KeepsJobs,
    KeepsRecords, KeepsTrash, Migration, Owner, PackQuery, Portable, RecordKind, Room, Section, SectionName, Source,
    TrashOf, Usage, line,
};
use crate::trash::{Entry, Trash};

impl SectionName {
    /// The names and first lines of the files that a model keeps by itself.
    pub const FILES: SectionName = SectionName::new("files");
}

/// The room `files`.
#[derive(Debug)]
pub struct FilesRoom;

impl Room for FilesRoom {
    fn sections(&self) -> &'static [Section] {
        &[Section {
            name: SectionName::FILES,
            heading: "# Files",
            noun: ["file", "files"],
            gap: "\n",
            is_dated: false,
            ..Section::BASIC
        }]
    }

    /// The files of the repository, by path, and then those of the user. Those that share words with the prompt are included
    /// before others, and then those that were changed last.
    fn candidates(
        &self,
        repo: &Repo,
        _is_wanted: &dyn Fn(SectionName) -> bool,
        query: &PackQuery,
    ) -> Result<Vec<Candidates>> {
        let mut lines = Vec::new();
        for place in [Place::of_repo(repo), Place::global(repo.home())] {
            let mark = if matches!(place, Place::Global(_)) { " (global)" } else { "" };
            for file in place.all()?.into_iter().filter(|file| !is_hidden(file)) {
                let modified = file.stat.modified;
                let FileEntry { path, first_line, .. } = file.entry(&place)?;
                let about = first_line.map_or(String::new(), |first| format!(": {}", line(&first)));
                let text = format!("- {}{mark}{about}", line(&path));
                lines.push((modified, path, text));
            }
        }
        let texts = lines.iter().map(|(_, _, text)| text.as_str());
        let relevant = query.prompt.as_ref().map_or_else(Vec::new, |prompt| best(lexical(prompt, texts), usize::MAX));
        let mut newest: Vec<usize> = (0..lines.len()).collect();
        newest.sort_by_key(|at| Reverse(lines.get(*at).map(|(modified, ..)| *modified)));
        let fragments = lines.into_iter().map(|(_, path, text)| Fragment::verbatim(path, text)).collect();
        let relevant = relevant.into_iter().map(|it| it.index).collect();
        Ok(vec![Candidates { section: SectionName::FILES, fragments, relevant, newest, skipped: 0 }])
    }

    fn records(&self) -> Option<&dyn KeepsRecords> {
        Some(self)
    }

    fn trash(&self) -> Option<&dyn KeepsTrash> {
        Some(self)
    }

    fn archived(&self) -> Option<&dyn Archived> {
        Some(self)
    }

    fn usage(&self, repo: &Repo) -> Result<Usage> {
        let files = Place::of_repo(repo).all()?;
        let of_file = |file: &FoundFile| Usage { bytes: file.stat.size, modified: Some(file.stat.modified) };
        Ok(files.iter().map(of_file).fold(Usage::default(), Usage::and))
    }

    fn examine_repo(&self, repo: &Repo, checks: Checks) -> Result<Examination> {
        examine(&Place::of_repo(repo), checks)
    }

    fn examine_home(&self, home: &Home, checks: Checks) -> Result<Examination> {
        let place = Place::global(home);
        let mut found = home.disk().examine_folder(&home.layout().global(), checks.fix);
        found.absorb(examine(&place, checks)?);
        found.absorb(place.trash().examine(checks.fix)?);
        Ok(found)
    }
}

fn is_hidden(file: &FoundFile) -> bool {
    file.relative.iter().any(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// Checks that only their owner can access the files, and with `fix` sets their modes and removes what a crash left. Any text is
/// a valid one.
fn examine(place: &Place, checks: Checks) -> Result<Examination> {
    let mut found = Examination::default();
    match look(place, checks, &mut found) {
        Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
        Err(error) => found.findings.push(Finding::of_failure(&place.top(), &error)),
        Ok(()) => {}
    }
    Ok(found)
}

fn look(place: &Place, checks: Checks, found: &mut Examination) -> Result<()> {
    let (home, top, staging) = (place.home(), place.top(), place.staging());
    let disk = home.disk();
    let Some(above) = top.parent() else { return Ok(()) };
    let names: Listing = disk.entries(above)?.into_iter().map(|(name, _)| name).collect();
    found.absorb(place.whole().examine(home.wait_options(), checks.fix, &names)?);
    if disk.stat(&top)?.is_none() && disk.stat(&staging)?.is_none() {
        return Ok(());
    }
    let checks = checks.within(home, &top, "nothing can be stored in this folder", found);
    let mut left = disk.entries(&staging)?;
    if !left.is_empty() {
        // Those of a writer that is at work are gone when it has ended.
        let _shared = disk.lock(&top, Mode::Shared, home.wait_options(), home.config().lock_timeout)?;
        left = disk.entries(&staging)?;
    }
    let guard = if checks.fix { Some(place.lock()?) } else { None };
    for (name, _) in left {
        let removed = guard.as_ref().map(|_| Ok("it was removed".to_owned()));
        let finding = Finding::new(&staging.join(name), Fault::Litter, "a crashed writer left it");
        found.findings.push(finding.with_repair("a fix removes it", removed.as_ref()));
    }
    let mut folders = BTreeSet::new();
    for file in place.all()? {
        found.files += 1;
        let full = top.join(&file.relative);
        found.findings.extend(disk.examine_private(&full, guard.as_ref().map(Change::guard)));
        folders.extend(full.ancestors().skip(1).take_while(|folder| **folder != top).map(ToOwned::to_owned));
    }
    folders.iter().for_each(|folder| found.absorb(disk.examine_folder(folder, checks.fix)));
    Ok(())
}

impl KeepsRecords for FilesRoom {
    fn kinds(&self) -> &'static [RecordKind] {
        RECORD_KINDS
    }

    fn import(&self, from: &Repo, into: &Repo, how: &Import) -> Result<Migration> {
        let (records, skipped) = import::records(&Place::of_repo(from))?;
        let migration = import::merge(&records, &Place::of_repo(into), how)?;
        Ok(Migration { skipped: Some(skipped).filter(|skipped| *skipped > 0), ..migration })
    }

    fn forget(&self, repo: &Repo, how: Forget) -> Result<Counts> {
        undo::forget(&Place::of_repo(repo), how)
    }
}

impl Archived for FilesRoom {
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
        match owner {
            Owner::Repo(hash) => archive::import(&Place::of_repo(&Repo::at(into.home, hash)), records, into),
            Owner::Home => archive::import(&Place::global(into.home), records, into),
            Owner::Folder(_) => Ok(Brought { skipped: records.len(), ..Brought::default() }),
        }
    }
}

impl KeepsTrash for FilesRoom {
    fn name(&self) -> &'static str {
        ROOM
    }

    fn trashes(&self, home: &Home, _: Option<&Repo>) -> Result<Vec<Trash>> {
        Ok(vec![Place::global(home).trash()])
    }

    fn restore(&self, place: &TrashOf, entry: &Stored<Entry>, _: &dyn KeepsJobs) -> Result<()> {
        undo::restore(place, entry)
    }
}
