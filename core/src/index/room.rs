//! What the index provides to context packs, and what it stores.

use super::map_of;
use crate::error::Result;
use crate::repo::Repo;
use crate::room::{Candidates, Fragment, Migration, Need, PackQuery, RecordKind, Room, Section, SectionName, Usage};

/// How long the map of a pack is at most, in characters.
const MAX_CHARS: usize = 4_000;

impl SectionName {
    /// The map of the repository's files, the most relevant first.
    pub const MAP: SectionName = SectionName::new("map");
}

/// The room `index`.
#[derive(Debug)]
pub struct IndexRoom;

impl Room for IndexRoom {
    fn sections(&self) -> &'static [Section] {
        &[Section {
            name: SectionName::MAP,
            heading: "# Map",
            reserved: 25,
            noun: ["file of the map", "files of the map"],
            is_dated: false,
            need: Need::Folder,
            ..Section::BASIC
        }]
    }

    /// The files that matter for the prompt and the files in focus; an overview only if the caller asks for the section.
    fn candidates(
        &self,
        repo: &Repo,
        _is_wanted: &dyn Fn(SectionName) -> bool,
        query: &PackQuery,
    ) -> Result<Vec<Candidates>> {
        // The files of a repository are only known by its folder.
        let is_asked = query.has_chosen || query.prompt.is_some() || !query.focus_files.is_empty();
        if repo.location().is_none() || !is_asked {
            return Ok(Vec::new());
        }
        let map = map_of(repo, MAX_CHARS, query.prompt.as_deref(), &query.focus_files)?;
        let mut files: Vec<String> = Vec::new();
        for line in map.text.lines() {
            match files.last_mut().filter(|_| line.starts_with("  ")) {
                Some(file) => file.extend(["\n", line]),
                None => files.push(line.to_owned()),
            }
        }
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let names = map.files.iter().map(|file| file.path.as_str());
        let fragments: Vec<_> = names.zip(files).map(|(name, text)| Fragment::verbatim(name, text)).collect();
        let newest = (0..fragments.len()).collect();
        let section = SectionName::MAP;
        Ok(vec![Candidates { section, fragments, relevant: Vec::new(), newest, skipped: 0 }])
    }

    fn kinds(&self) -> &'static [RecordKind] {
        &[]
    }

    /// An index is made anew where it is missing.
    fn import(&self, _from: &Repo, _into: &Repo, _dry_run: bool) -> Result<Migration> {
        Ok(Migration::default())
    }

    fn usage(&self, repo: &Repo) -> Result<Usage> {
        let folder = repo.home().layout().indexes(repo.hash());
        let mut usage = Usage::default();
        for name in ["files", "terms", "repo-map.json"] {
            // Whoever reads an index changes it, so it does not count as a modification of the repository's memory.
            let bytes = Usage::of_file(repo.home(), &folder.join(name))?.bytes;
            usage = usage.and(Usage { bytes, modified: None });
        }
        Ok(usage)
    }
}
