//! The part of the index in context packs, and its files.

use super::place::Place;
use super::{found, map_of};
use crate::error::Result;
use crate::repo::Repo;
use crate::room::{Candidates, Findable, Fragment, Need, PackQuery, Room, Section, SectionName, Sought, Usage};

/// The part of a pack that is reserved for the map, in percent.
const RESERVED: usize = 25;
const HEADING: &str = "# Map";
/// The space between the map, its heading and the section before it, in characters.
const GAPS: usize = 16;
/// The separator of two files, as in a map by itself.
const GAP: &str = "\n";

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
            heading: HEADING,
            reserved: RESERVED,
            noun: ["file of the map", "files of the map"],
            is_dated: false,
            need: Need::Folder,
            gap: GAP,
            ..Section::BASIC
        }]
    }

    /// The files that matter for the prompt and the files in focus, as many as there is space for; an overview only if the
    /// caller asks for the section.
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
        let max_chars = query.space.saturating_sub(HEADING.len() + GAPS);
        let map = map_of(repo, max_chars, query.prompt.as_ref(), &query.focus_files, true)?;
        let mut fragments: Vec<_> = map.files.iter().map(|file| Fragment::data(&file.path, &file.text)).collect();
        // As records, files with headings are somewhat longer. A map is a selection: what does not fit is not part of it.
        let mut chars = 0;
        let ends = fragments.iter().map(|fragment| {
            chars += fragment.text.chars().count() + GAP.len();
            chars
        });
        fragments.truncate(ends.take_while(|end| *end <= max_chars + GAP.len()).count());
        if fragments.is_empty() {
            return Ok(Vec::new());
        }
        let newest = (0..fragments.len()).collect();
        let section = SectionName::MAP;
        Ok(vec![Candidates { section, fragments, relevant: Vec::new(), newest, skipped: 0 }])
    }

    fn searched(&self) -> Option<&'static str> {
        Some("index")
    }

    /// The files of the repository that match.
    fn find(&self, repo: &Repo, sought: &Sought<'_>) -> Result<Vec<Findable>> {
        match repo.location() {
            Some(_) if !sought.records_only && !sought.prompt.terms().is_empty() => {
                found(repo, sought.prompt, sought.most)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Nothing tells which contents only this repository has, so those of all are made again when they are needed.
    fn purge(&self, repo: &Repo) -> Result<()> {
        Place::new(repo.home(), repo.hash()).clear()
    }

    fn usage(&self, repo: &Repo) -> Result<Usage> {
        let folder = repo.home().layout().indexes(repo.hash());
        let mut usage = Usage::default();
        for name in ["files", "terms", "history", "repo-map.json"] {
            // Reading an index changes it, so it does not count as a modification of the repository's memory.
            let bytes = Usage::of_file(repo.home(), &folder.join(name))?.bytes;
            usage = usage.and(Usage { bytes, modified: None });
        }
        Ok(usage)
    }
}
