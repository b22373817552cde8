//! A context pack: what the other rooms offer, fitted to a budget (spec 000, "Context inclusion").
//!
//! Sections go from what changes least to what changes most, so that a prompt cache keeps hitting. Records are taken
//! whole or named as dropped. The same state gives the same bytes.

mod fit;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::disk::Wait;
use crate::error::Result;
use crate::fragment::Ask;
use crate::home::{Home, RepoHash};
use crate::memory::Memory;
use crate::summary::Summaries;

/// A part of a pack, in the order in which parts stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub enum SectionName {
    /// How this repository does things.
    Conventions,
    /// What was decided.
    Decisions,
    /// Anything else.
    Notes,
    /// What the latest steps did, newest first.
    Summaries,
}

impl SectionName {
    fn heading(self) -> &'static str {
        match self {
            SectionName::Conventions => "# Conventions",
            SectionName::Decisions => "# Decisions",
            SectionName::Notes => "# Notes",
            SectionName::Summaries => "# Recent steps",
        }
    }
}

/// A context pack and what went into it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ContextPack")]
pub struct Pack {
    /// The pack, as Markdown; empty when nothing is stored.
    pub text: String,
    /// What each section holds and what had no room.
    pub sections: Vec<Section>,
}

/// A section of a context pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ContextSection")]
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

/// Context packs of one repository.
#[derive(Debug, Clone, Copy)]
pub struct Context<'h> {
    home: &'h Home,
    repo: &'h RepoHash,
}

impl<'h> Context<'h> {
    /// Packs of `repo`'s memory.
    pub fn new(home: &'h Home, repo: &'h RepoHash) -> Self {
        Context { home, repo }
    }

    /// A pack of at most `max_chars` Unicode scalar values from `sections` (default: all). Files of sections that are not
    /// wanted are not read.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `ParseError`, `FormatTooNew`, `IOError`.
    pub fn build(&self, wait: &Wait, max_chars: usize, sections: Option<&[SectionName]>, ask: &Ask) -> Result<Pack> {
        use SectionName::{Conventions, Decisions, Notes, Summaries as Steps};
        let wanted = |name: &SectionName| sections.is_none_or(|wanted| wanted.contains(name));
        let (mut offers, mut skipped) = (Vec::new(), 0);
        // A room that nobody asks is not read: what is damaged there is no concern of this pack.
        if [Conventions, Decisions, Notes].iter().any(wanted) {
            let [conventions, decisions, notes] = Memory::new(self.home, self.repo).fragments(wait, ask)?;
            offers.extend([(Conventions, conventions), (Decisions, decisions), (Notes, notes)]);
        }
        if wanted(&Steps) {
            let (steps, lines) = Summaries::new(self.home, self.repo).fragments(wait, ask)?;
            offers.push((Steps, steps));
            skipped = lines;
        }
        offers.retain(|(name, _)| wanted(name));
        let mut pack = fit::fit(&offers, max_chars);
        if skipped > 0 {
            pack.sections.iter_mut().filter(|it| it.name == Steps).for_each(|it| it.skipped = Some(skipped));
        }
        Ok(pack)
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests damage files from outside")]
mod tests {
    use super::*;
    use crate::home::Options;

    #[test]
    fn what_is_damaged_in_a_room_that_is_not_asked_does_not_matter() {
        use SectionName::{Conventions, Notes, Summaries};
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(Options::at(folder.path())).unwrap();
        let repo = RepoHash::from_digest(&[0x5e; 32]);
        let build = |sections: &[SectionName]| {
            let pack = Context::new(&home, &repo).build(&Wait::default(), 100, Some(sections), &Ask::default());
            pack.map(|pack| pack.sections.into_iter().map(|section| section.name).collect::<Vec<_>>())
        };
        let (memory, summaries) = (home.layout().memory(&repo), home.layout().summaries(&repo));
        std::fs::create_dir_all(memory.parent().unwrap()).unwrap();
        std::fs::write(&summaries, "{\"no\": \"summary\"}\n").unwrap();
        assert_eq!(build(&[Notes, Conventions, Notes]).unwrap(), [Conventions, Notes]);
        assert_eq!(build(&[Conventions, Summaries]).unwrap(), [Conventions, Summaries], "a damaged line is skipped");
        std::fs::write(&summaries, "{\"v\": 2}\n").unwrap();
        build(&[Conventions, Summaries]).unwrap_err();
        std::fs::remove_file(&summaries).unwrap();
        std::fs::write(&memory, "no document").unwrap();
        assert_eq!(build(&[Summaries]).unwrap(), [Summaries]);
        build(&[Notes]).unwrap_err();
    }
}
