//! `context.*`

use super::{Method, Room, Row, of_repo};
use crate::context::{Pack, SectionName};
use crate::error::Result;
use crate::store::Store;

pub(super) const ROOM: Room =
    Room { name: "context", about: "What is remembered, packed for a prompt", rows: &[Row::of::<Build>()] };

of_repo! {
    /// Builds a context pack: a repository's memory as Markdown, fitted to a number of characters.
    ///
    /// Conventions, decisions and notes come first, each oldest first, then the newest steps, newest first. When there are
    /// steps, 40 of 100 characters are kept for them, or more when the newest needs it; the other kinds share the rest,
    /// each its equal part and then what is left in their order. Records are taken whole or named as dropped. The same
    /// state gives the same bytes in every language.
    pub(super) struct BuildParams {
        /// The longest pack, in Unicode scalar values.
        max_chars: u32,
        /// What the agent is about to do, for sections that choose by relevance; the present ones do not.
        prompt: Option<String>,
        /// The sections wanted. Default: all.
        sections: Option<Vec<SectionName>>,
        /// Files the agent is at work on, for sections that choose by nearness; the present ones do not.
        focus_files: Option<Vec<String>>,
        /// The working scope, for sections that have one; the present ones do not.
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
