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
    /// The records in it: ids, or `runId/stepId` of summaries.
    pub included: Vec<String>,
    /// The records that had no room.
    pub dropped: Vec<String>,
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

    /// A pack of at most `max_chars` Unicode scalar values from `sections` (default: all).
    ///
    /// # Errors
    /// `LockAcquisitionError`, `ParseError`, `FormatTooNew`, `IOError`.
    pub fn build(&self, wait: &Wait, max_chars: usize, sections: Option<&[SectionName]>, ask: &Ask) -> Result<Pack> {
        let [conventions, decisions, notes] = Memory::new(self.home, self.repo).fragments(wait, ask)?;
        let summaries = Summaries::new(self.home, self.repo).fragments(wait, ask)?;
        let mut offers = vec![
            (SectionName::Conventions, conventions),
            (SectionName::Decisions, decisions),
            (SectionName::Notes, notes),
            (SectionName::Summaries, summaries),
        ];
        offers.retain(|(name, _)| sections.is_none_or(|wanted| wanted.contains(name)));
        Ok(fit::fit(&offers, max_chars))
    }
}
