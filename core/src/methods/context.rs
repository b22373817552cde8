//! `context.*`

use std::path::Path;

use super::{Call, Method, of_repo};
use crate::context::{Pack, SectionName};
use crate::error::Result;
use crate::fragment::Ask;

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

    fn run(call: &Call<'_>, params: BuildParams) -> Result<Pack> {
        let home = call.store().home();
        if let Some(scope_id) = &params.scope_id {
            home.redactor().admit("scopeId", scope_id)?;
        }
        for file in params.focus_files.iter().flatten() {
            home.admit_path("focusFiles", Path::new(file))?;
        }
        let repo = params.repo(call)?.hash;
        let max_chars = usize::try_from(params.max_chars).unwrap_or(usize::MAX);
        let ask = Ask {
            prompt: params.prompt,
            focus_files: params.focus_files.unwrap_or_default(),
            scope_id: params.scope_id,
        };
        call.store().context(&repo).build(call.wait(), max_chars, params.sections.as_deref(), &ask)
    }
}
