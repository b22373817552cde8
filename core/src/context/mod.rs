//! A context pack: what the rooms offer, fitted to a budget (spec 000, "Context inclusion").
//!
//! Sections go from what changes least to what changes most, so that a prompt cache keeps hitting. Records are included
//! whole or named as dropped. The same state gives the same bytes.

mod fit;
mod name;

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Result;
use crate::repo::Repo;
pub use crate::room::SectionName;
use crate::room::{Ask, Offer};
use crate::rooms;

/// A context pack and what went into it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ContextPack")]
#[non_exhaustive]
pub struct Pack {
    /// The pack, as Markdown; empty when nothing is stored.
    pub text: String,
    /// What each section holds and what had no room.
    pub sections: Vec<Section>,
}

/// A section of a context pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ContextSection")]
#[non_exhaustive]
pub struct Section {
    /// Its name.
    pub name: SectionName,
    /// How long its text is, in Unicode scalar values, its heading included.
    pub chars: usize,
    /// The records in it: ids, or `runId/stepId@timestamp` of summaries.
    pub included: Vec<String>,
    /// The records that had no room.
    pub dropped: Vec<String>,
    /// How many records are damaged and were skipped, if any; `doctor.check` names them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<usize>,
}

/// A context pack that is to be built of one repository's memory.
#[derive(Debug, Clone)]
pub struct Context {
    repo: Repo,
    max_chars: usize,
    sections: Option<Vec<SectionName>>,
    ask: Ask,
}

impl Repo {
    /// A pack of its memory, of at most `max_chars` Unicode scalar values: say what it is for, then
    /// [build](Context::build) it.
    pub fn context(&self, max_chars: usize) -> Context {
        Context { repo: self.clone(), max_chars, sections: None, ask: Ask::default() }
    }
}

impl Context {
    /// The sections wanted, instead of all. Files of the others are not read.
    #[must_use]
    pub fn sections(mut self, sections: impl Into<Vec<SectionName>>) -> Self {
        self.sections = Some(sections.into());
        self
    }

    /// What the agent is about to do, for sections that choose by relevance.
    #[must_use]
    pub fn prompt(mut self, prompt: impl Into<String>) -> Self {
        self.ask.prompt = Some(prompt.into());
        self
    }

    /// Files the agent is at work on, for sections that choose by nearness; the present ones do not.
    #[must_use]
    pub fn focus_files(mut self, files: impl Into<Vec<String>>) -> Self {
        self.ask.focus_files = files.into();
        self
    }

    /// The working scope, for sections that have one; the present ones do not.
    #[must_use]
    pub fn scope_id(mut self, scope_id: impl Into<String>) -> Self {
        self.ask.scope_id = Some(scope_id.into());
        self
    }

    /// The pack.
    ///
    /// # Errors
    /// `SecretRefused` for a file or a scope that looks like a secret; `LockAcquisitionError`, `ParseError`,
    /// `FormatTooNew`, `IOError`.
    pub fn build(&self) -> Result<Pack> {
        self.repo.call("context.build", |repo| {
            let home = repo.home();
            if let Some(scope_id) = &self.ask.scope_id {
                home.redactor().admit("scopeId", scope_id)?;
            }
            for file in &self.ask.focus_files {
                home.admit_path("focusFiles", Path::new(file))?;
            }
            self.pack(repo)
        })
    }

    fn pack(&self, repo: &Repo) -> Result<Pack> {
        let is_wanted = |name: SectionName| self.sections.as_ref().is_none_or(|wanted| wanted.contains(&name));
        let mut offers: Vec<Offer> = Vec::new();
        for room in rooms::ROOMS {
            // A damaged file of a room that is not asked for must not fail the pack.
            if room.sections().iter().any(|section| is_wanted(section.name)) {
                offers.extend(room.offers(repo, &is_wanted, &self.ask)?);
            }
        }
        Ok(fit::fit(&offers, self.max_chars))
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests damage files from outside")]
mod tests {
    use super::*;
    use crate::home::{Home, Options, RepoHash};

    #[test]
    fn what_is_damaged_in_a_room_that_is_not_asked_does_not_matter() {
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
