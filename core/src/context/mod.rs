//! Context packs: the records of all rooms, fitted to a budget (spec 000, "Context inclusion").
//!
//! Sections that change rarely come first, so that prompt caches stay effective. A record is included whole or listed
//! as dropped; what is dropped is the oldest or, with a prompt, the least relevant, and the last line says so. The same
//! state produces the same bytes.

mod budget;
mod fill;
mod fit;
mod name;
mod notice;
mod sizes;

use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::adopt::Elsewhere;
pub use sizes::{Sections, Size};

use crate::adopt;
use crate::error::{Error, ErrorKind, Result};
use crate::ranking::Prompt;
use crate::repo::Repo;
use crate::room::{Candidates, Need, PackQuery, Room};
pub use crate::room::{PackScope, SectionName};
use crate::rooms;
use crate::warning::Warning;

/// A context pack and a list of its contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ContextPack")]
#[non_exhaustive]
pub struct Pack {
    /// The pack, as Markdown. If something is left out, its last line says so. Empty if nothing is stored.
    pub text: String,
    /// The records that each section includes, and those that did not fit.
    pub sections: Vec<Section>,
    /// The last line of the text, if it says what is left out: `12 older notes left out`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// A line for the user, not for a model, about memory of this repository that is not in the pack: which it is, and the
    /// command that brings it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// The memory that the notice is about, the most important first: of branches that were merged or deleted, of the folder
    /// before it was moved or had another remote. If nothing is stored for this branch or folder, also of its other branches
    /// and of other clones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<Vec<Elsewhere>>,
}

/// A section of a context pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ContextSection")]
#[non_exhaustive]
pub struct Section {
    /// Its name.
    pub name: SectionName,
    /// The length of its text including the heading, in Unicode scalar values.
    pub chars: usize,
    /// The included records: their ids or, for records without one, what identifies them, such as
    /// `runId/stepId@timestamp`. What several records say is shown once.
    pub included: Vec<String>,
    /// The records that did not fit.
    pub dropped: Vec<String>,
    /// Those of the included records that another branch's memory provides: see `inheritFrom`.
    pub inherited: Vec<String>,
    /// The number of damaged records that were skipped, if any; `doctor.check` reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<usize>,
}

/// Builds a context pack from the memory of one repository. Returned by [`Repo::context`], which sets the length.
///
/// See [how to put memory into a prompt](crate::recipes#how-do-i-put-memory-into-a-prompt).
#[derive(Debug, Clone)]
pub struct PackBuilder {
    repo: Repo,
    max_chars: usize,
    sections: Option<Sections>,
    prompt: Option<String>,
    query: PackQuery,
    is_temporary: bool,
}

impl Repo {
    /// Returns a builder of a context pack from the memory of this repository, of at most `max_chars` Unicode scalar values.
    pub fn context(&self, max_chars: usize) -> PackBuilder {
        let query = PackQuery::default();
        PackBuilder { repo: self.clone(), max_chars, sections: None, prompt: None, query, is_temporary: false }
    }
}

impl PackBuilder {
    pub(crate) const BUILD: &str = "context.build";

    setters! {
        /// The sections to include, and with [`Sections::Sized`] their sizes. Default: all. The files of other sections are
        /// not read.
        sections(sections: impl Into<Sections>) => sections = Some(sections.into());
        /// What the agent is about to do. Relevant records are included before others, and recallable items join them.
        prompt(prompt: impl Into<String>) => prompt = Some(prompt.into());
        /// The embedding vector of the prompt, which is compared with those of recallable items and of log entries; made by
        /// the same model.
        embedding(embedding: impl Into<Vec<f32>>) => query.embedding = Some(embedding.into());
        /// Files that the agent is working on. Records about them are relevant.
        focus_files(files: impl Into<Vec<String>>) => query.focus_files = files.into();
        /// Whether memory is bypassed: nothing is read, and the pack is empty.
        temporary(is_temporary: bool) => is_temporary = is_temporary;
        /// The working scope whose context and latest log entries join the pack:
        /// [`Working::scope`](crate::working::Working::scope).
        scope(scope: impl PackScope + 'static) => query.scope = Some(Arc::new(scope));
    }

    /// Builds the pack.
    ///
    /// # Errors
    /// `ValidationError` for an embedding with too many numbers, or with one that is not finite; `SecretRefused` for a file
    /// or a scope that looks like a secret; `Unsupported` if a section or the embedding needs a repository that was opened
    /// by its folder; `LockAcquisitionError`, `ParseError`, `FormatTooNew`, `AdapterError`, `IOError`.
    pub fn build(&self) -> Result<Pack> {
        self.repo.call(Self::BUILD, |repo| {
            let home = repo.home();
            if let Some(scope) = &self.query.scope {
                scope.check(home)?;
            }
            for file in &self.query.focus_files {
                home.admit_path("focusFiles", Path::new(file))?;
            }
            self.check_needs(repo)?;
            if self.is_temporary {
                return Ok(Pack {
                    text: String::new(),
                    sections: Vec::new(),
                    left_out: None,
                    notice: None,
                    elsewhere: None,
                });
            }
            self.pack(repo)
        })
    }

    /// Refuses what the repository cannot provide, instead of ignoring it.
    fn check_needs(&self, repo: &Repo) -> Result<()> {
        let has_folder = repo.identity().is_some();
        let unsupported = |message: String| Err(Error::new(ErrorKind::Unsupported, message));
        if let Some(sections) = self.sections.as_ref().filter(|_| !has_folder)
            && let Some(section) = rooms::sections().find(|it| it.need == Need::Folder && sections.contains(it.name))
        {
            let name = section.name;
            return unsupported(format!(
                "sections names {name}, which is found by the folder of the repository; pass workspace instead of repoHash"
            ));
        }
        if let Some(sections) = self.sections.as_ref().filter(|_| self.query.scope.is_none())
            && let Some(section) = rooms::sections().find(|it| it.need == Need::Scope && sections.contains(it.name))
        {
            return unsupported(format!("sections names {}, which is of a working scope; pass scopeId", section.name));
        }
        let is_served = |it: &crate::room::Section| {
            let is_there = match it.need {
                Need::Nothing => true,
                Need::Folder => has_folder,
                Need::Scope => self.query.scope.is_some(),
            };
            it.has_vectors && is_there && self.is_wanted(it.name)
        };
        if self.query.embedding.is_some() && !rooms::sections().any(is_served) {
            return unsupported(
                "no section of this pack has records with embeddings; pass workspace instead of repoHash for recalled, or \
                 scopeId for log, and include the section"
                    .to_owned(),
            );
        }
        Ok(())
    }

    fn is_wanted(&self, name: SectionName) -> bool {
        self.sections.as_ref().is_none_or(|wanted| wanted.contains(name))
    }

    fn pack(&self, repo: &Repo) -> Result<Pack> {
        let prompt = self.prompt.as_deref().map(|prompt| Prompt::new(repo.home().redactor(), prompt));
        let has_chosen = self.sections.is_some();
        let query = PackQuery { prompt, has_chosen, max_chars: self.max_chars, ..self.query.clone() };
        let sizes = self.sections.as_ref().and_then(Sections::sizes);
        let candidates = candidates(rooms::ROOMS, repo, &|name| self.is_wanted(name), query, sizes)?;
        let mut pack = fit::fit(&candidates, sizes, self.max_chars);
        let is_of_hash = |name| rooms::sections().any(|section| section.name == name && section.need == Need::Nothing);
        let is_here = |it: &Candidates| !it.fragments.is_empty() && is_of_hash(it.section);
        // Sections that were not asked for may have something.
        let is_chosen = self.sections.is_some() && rooms::records_usage(repo)?.modified.is_some();
        let (notice, elsewhere) = match adopt::notice(repo, is_chosen || candidates.iter().any(is_here)) {
            Err(error) if error.kind() != ErrorKind::Cancelled => {
                Warning::new("other memory of this repository could not be looked for")
                    .because(&error)
                    .emit(repo.home().redactor());
                Default::default()
            }
            found => found?,
        };
        pack.notice = Some(notice).filter(|notice| !notice.is_empty());
        pack.elsewhere = Some(elsewhere).filter(|elsewhere| !elsewhere.is_empty());
        Ok(pack)
    }
}

/// The records of the wanted sections.
fn candidates(
    rooms: &[&dyn Room],
    repo: &Repo,
    is_wanted: &dyn Fn(SectionName) -> bool,
    mut query: PackQuery,
    sizes: Option<&[(SectionName, Size)]>,
) -> Result<Vec<Candidates>> {
    let mut wanted: Vec<Candidates> = Vec::new();
    let mut spare = query.max_chars;
    let sizes = sizes.map(|sizes| budget::Sizes::new(sizes, query.max_chars));
    for room in rooms {
        // A damaged file of an unwanted section must not fail the pack.
        if room.sections().iter().any(|section| is_wanted(section.name)) {
            let space_of = |section: &crate::room::Section| match &sizes {
                Some(sizes) => sizes.space(section.name, spare),
                None => budget::percent(query.max_chars, section.reserved),
            };
            let space = room.sections().iter().map(space_of).sum();
            query.space = if sizes.is_some() { space } else { spare.max(space) };
            let offered = room.candidates(repo, is_wanted, &query)?;
            for candidates in offered.into_iter().filter(|candidates| is_wanted(candidates.section)) {
                spare = spare.saturating_sub(candidates.most_chars());
                wanted.push(candidates);
            }
        }
    }
    Ok(wanted)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests damage files from outside")]
mod tests {
    use super::*;
    use crate::home::{Home, Options, RepoHash};

    /// A room that offers all of its sections, whatever is wanted.
    #[derive(Debug)]
    struct Eager;

    impl Room for Eager {
        fn sections(&self) -> &'static [crate::room::Section] {
            &[crate::room::Section {
                name: SectionName::NOTES,
                heading: "# Notes",
                reserved: 0,
                noun: ["note", "notes"],
                ..crate::room::Section::BASIC
            }]
        }

        fn candidates(
            &self,
            _repo: &Repo,
            _is_wanted: &dyn Fn(SectionName) -> bool,
            _query: &PackQuery,
        ) -> Result<Vec<Candidates>> {
            let empty = Candidates::empty;
            Ok([SectionName::CONVENTIONS, SectionName::NOTES].map(empty).into())
        }
    }

    #[test]
    fn a_room_cannot_put_an_unwanted_section_into_a_pack() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Options::at(folder.path())).unwrap();
        let repo = Repo::at(&home, &RepoHash::from_digest(&[0x5e; 32]));
        let wanted =
            candidates(&[&Eager], &repo, &|name| name == SectionName::NOTES, PackQuery::default(), None).unwrap();
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
