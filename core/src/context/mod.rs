//! Context packs: the records of all rooms, fitted to a budget (spec 000, "Context inclusion").
//!
//! Sections that change rarely come first, so that prompt caches stay effective. A record is included whole or listed
//! as dropped. The same state produces the same bytes.

mod fit;
mod name;

use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Result;
use crate::repo::Repo;
use crate::room::{Candidates, PackQuery, Room};
pub use crate::room::{PackScope, SectionName};
use crate::rooms;

/// A context pack and a list of its contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ContextPack")]
#[non_exhaustive]
pub struct Pack {
    /// The pack, as Markdown; empty if nothing is stored.
    pub text: String,
    /// The records that each section includes, and those that did not fit.
    pub sections: Vec<Section>,
}

/// A section of a context pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ContextSection")]
#[non_exhaustive]
pub struct Section {
    /// Its name.
    pub name: SectionName,
    /// The length of its text including the heading, in Unicode scalar values.
    pub chars: usize,
    /// The included records: their ids or, for records without one, what identifies them, such as
    /// `runId/stepId@timestamp`.
    pub included: Vec<String>,
    /// The records that did not fit.
    pub dropped: Vec<String>,
    /// The number of damaged records that were skipped, if any; `doctor.check` reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<usize>,
}

/// Builds a context pack from the memory of one repository.
#[derive(Debug, Clone)]
pub struct PackBuilder {
    repo: Repo,
    max_chars: usize,
    sections: Option<Vec<SectionName>>,
    query: PackQuery,
    is_temporary: bool,
}

impl Repo {
    /// Returns a builder of a context pack from its memory, of at most `max_chars` Unicode scalar values.
    pub fn context(&self, max_chars: usize) -> PackBuilder {
        PackBuilder { repo: self.clone(), max_chars, sections: None, query: PackQuery::default(), is_temporary: false }
    }
}

impl PackBuilder {
    setters! {
        /// The sections to include. Default: all. The files of other sections are not read.
        sections(sections: impl Into<Vec<SectionName>>) => sections = Some(sections.into());
        /// What the agent is about to do. Relevant records are included before others, and recallable items join them.
        prompt(prompt: impl Into<String>) => query.prompt = Some(prompt.into());
        /// The embedding vector of the prompt, which is compared with those of recallable items; made by the same model.
        embedding(embedding: impl Into<Vec<f32>>) => query.embedding = Some(embedding.into());
        /// Files that the agent is working on. With a prompt, records about them are relevant.
        focus_files(files: impl Into<Vec<String>>) => query.focus_files = files.into();
        /// Whether memory is bypassed: nothing is read, and the pack is empty.
        temporary(is_temporary: bool) => is_temporary = is_temporary;
        /// The working scope whose latest log entries join the pack: [`Working::scope`](crate::working::Working::scope).
        scope(scope: impl PackScope + 'static) => query.scope = Some(Arc::new(scope));
    }

    /// Builds the pack.
    ///
    /// # Errors
    /// `ValidationError` for an embedding with too many numbers, or with one that is not finite; `SecretRefused` for a file
    /// or a scope that looks like a secret; `LockAcquisitionError`, `ParseError`, `FormatTooNew`, `AdapterError`, `IOError`.
    pub fn build(&self) -> Result<Pack> {
        self.repo.call("context.build", |repo| {
            let home = repo.home();
            if let Some(scope) = &self.query.scope {
                scope.check(home)?;
            }
            for file in &self.query.focus_files {
                home.admit_path("focusFiles", Path::new(file))?;
            }
            if self.is_temporary {
                return Ok(Pack { text: String::new(), sections: Vec::new() });
            }
            self.pack(repo)
        })
    }

    fn pack(&self, repo: &Repo) -> Result<Pack> {
        let is_wanted = |name: SectionName| self.sections.as_ref().is_none_or(|wanted| wanted.contains(&name));
        Ok(fit::fit(&candidates(rooms::ROOMS, repo, &is_wanted, &self.query)?, self.max_chars))
    }
}

/// The records of the wanted sections.
fn candidates(
    rooms: &[&dyn Room],
    repo: &Repo,
    is_wanted: &dyn Fn(SectionName) -> bool,
    query: &PackQuery,
) -> Result<Vec<Candidates>> {
    let mut wanted = Vec::new();
    for room in rooms {
        // A damaged file of an unwanted section must not fail the pack.
        if room.sections().iter().any(|section| is_wanted(section.name)) {
            let offered = room.candidates(repo, is_wanted, query)?;
            wanted.extend(offered.into_iter().filter(|candidates| is_wanted(candidates.section)));
        }
    }
    Ok(wanted)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests damage files from outside")]
mod tests {
    use super::*;
    use crate::home::{Home, Options, RepoHash};
    use crate::room::{Migration, RecordKind, Usage};

    /// A room that offers all of its sections, whatever is wanted.
    #[derive(Debug)]
    struct Eager;

    impl Room for Eager {
        fn sections(&self) -> &'static [crate::room::Section] {
            &[crate::room::Section { name: SectionName::NOTES, heading: "# Notes", reserved: 0 }]
        }

        fn candidates(
            &self,
            _repo: &Repo,
            _is_wanted: &dyn Fn(SectionName) -> bool,
            _query: &PackQuery,
        ) -> Result<Vec<Candidates>> {
            let empty = |section| Candidates { section, fragments: Vec::new(), relevant: Vec::new(), skipped: 0 };
            Ok([SectionName::CONVENTIONS, SectionName::NOTES].map(empty).into())
        }

        fn kinds(&self) -> &'static [RecordKind] {
            &[]
        }

        fn import(&self, _from: &Repo, _into: &Repo, _dry_run: bool) -> Result<Migration> {
            Ok(Migration::default())
        }

        fn usage(&self, _repo: &Repo) -> Result<Usage> {
            Ok(Usage::default())
        }
    }

    #[test]
    fn a_room_cannot_put_an_unwanted_section_into_a_pack() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Options::at(folder.path())).unwrap();
        let repo = Repo::at(&home, &RepoHash::from_digest(&[0x5e; 32]));
        let wanted = candidates(&[&Eager], &repo, &|name| name == SectionName::NOTES, &PackQuery::default()).unwrap();
        let names: Vec<_> = wanted.iter().map(|candidates| candidates.section).collect();
        assert_eq!(names, [SectionName::NOTES]);
    }

    #[test]
    fn damage_in_an_unwanted_section_does_not_fail_a_pack() {
        const CONVENTIONS: SectionName = SectionName::CONVENTIONS;
        const NOTES: SectionName = SectionName::NOTES;
        const SUMMARIES: SectionName = SectionName::SUMMARIES;
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Options::at(folder.path())).unwrap();
        let repo = RepoHash::from_digest(&[0x5e; 32]);
        let build = |sections: &[SectionName]| {
            let pack = Repo::at(&home, &repo).context(100).sections(sections).build();
            pack.map(|pack| pack.sections.into_iter().map(|section| section.name).collect::<Vec<_>>())
        };
        let (memory, summaries) = (home.layout().memory(&repo), home.layout().summaries(&repo));
        std::fs::create_dir_all(memory.parent().unwrap()).unwrap();
        std::fs::write(&summaries, "{\"no\": \"summary\"}\n").unwrap();
        assert_eq!(build(&[NOTES, CONVENTIONS, NOTES]).unwrap(), [CONVENTIONS, NOTES]);
        assert_eq!(build(&[CONVENTIONS, SUMMARIES]).unwrap(), [CONVENTIONS, SUMMARIES], "a damaged line is skipped");
        std::fs::write(&summaries, "{\"v\": 2}\n").unwrap();
        build(&[CONVENTIONS, SUMMARIES]).unwrap_err();
        std::fs::remove_file(&summaries).unwrap();
        std::fs::write(&memory, "no document").unwrap();
        assert_eq!(build(&[SUMMARIES]).unwrap(), [SUMMARIES]);
        build(&[NOTES]).unwrap_err();
    }
}
