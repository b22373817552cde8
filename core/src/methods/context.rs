//! `context.*`

use super::{Method, Room, Row, of_repo};
use crate::context::{Pack, SectionName};
use crate::error::Result;
use crate::store::Store;

pub(super) const ROOM: Room = Room { name: "context", about: "Context packs for prompts", rows: &[Row::of::<Build>()] };

of_repo! {
    /// Builds a context pack: a repository's memory as Markdown, fitted to a number of characters.
    ///
    /// Conventions, decisions and notes come first, oldest first within each kind, followed by step summaries, newest
    /// first. If there are summaries, 40 % of `maxChars` is reserved for them, or more if the newest one needs it. The
    /// other kinds divide the rest equally; characters that one leaves unused go to the others in order. A record is
    /// included whole or listed as dropped. The same state produces the same bytes in every language.
    pub(super) struct BuildParams {
        /// The maximum length of the pack, in Unicode scalar values.
        max_chars: u32,
        /// What the agent is about to do. Meant for sections that select by relevance; no current section uses it.
        prompt: Option<String>,
        /// The sections to include. Default: all.
        sections: Option<Vec<SectionName>>,
        /// Files that the agent is working on. Meant for sections that select by proximity; no current section uses
        /// them.
        focus_files: Option<Vec<String>>,
        /// The working scope. Meant for sections that read from one; no current section does.
        scope_id: Option<String>,
    }
}

/// See [`BuildParams`].
pub(super) struct Build;

impl Method for Build {
    const NAME: &'static str = "context.build";
    type Params = BuildParams;
    type Output = Pack;

    fn run(store: &Store, params: BuildParams) -> Result<Pack> {
        let max_chars = usize::try_from(params.max_chars).unwrap_or(usize::MAX);
        let mut context = params.repo(store)?.context(max_chars).focus_files(params.focus_files.unwrap_or_default());
        if let Some(prompt) = params.prompt {
            context = context.prompt(prompt);
        }
        if let Some(sections) = params.sections {
            context = context.sections(sections);
        }
        if let Some(scope_id) = params.scope_id {
            context = context.scope_id(scope_id);
        }
        context.build()
    }
}
