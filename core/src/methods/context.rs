//! `context.*`

use super::{Method, MethodEntry, MethodGroup, of_repo};
use crate::context::{Pack, SectionName};
use crate::error::Result;
use crate::store::Store;

pub(super) const GROUP: MethodGroup =
    MethodGroup { name: "context", about: "Context packs for prompts", entries: &[MethodEntry::of::<Build>()] };

of_repo! {
    /// Builds a context pack: a repository's memory as Markdown, fitted to a number of characters.
    ///
    /// Conventions, decisions and notes come first, oldest first within each kind, followed by step summaries, newest
    /// first. If there are summaries, 40 % of `maxChars` is reserved for them, or more if the newest one needs it. The
    /// other kinds divide the rest equally; characters that one leaves unused go to the others in order. A record is
    /// included whole or listed as dropped. The same state produces the same bytes in every language.
    struct Build {
        /// The maximum length of the pack, in Unicode scalar values.
        max_chars: u32,
        /// What the agent is about to do. Records that are relevant for it are included before others, ranked as in
        /// `items.recall`, and recallable items join them in a section of their own.
        prompt: Option<String>,
        /// The sections to include. Default: all.
        sections: Option<Vec<SectionName>>,
        /// Files that the agent is working on. With a prompt, records about them are relevant.
        focus_files: Option<Vec<String>>,
        /// The working scope whose latest log entries join the pack in the section `log`, newest first. With a prompt,
        /// relevant ones are included before others. Default: none.
        scope_id: Option<String>,
        /// Whether memory is bypassed: nothing is read, and the pack is empty. Default: false.
        temporary: Option<bool>,
        /// The embedding vector of the prompt, which is compared with those of recallable items; made by the same model.
        /// Default: items are compared by their words.
        embedding: Option<Vec<f32>>,
    }
}

impl Method for Build {
    const NAME: &'static str = "context.build";
    type Output = Pack;

    fn run(self, store: &Store) -> Result<Pack> {
        let max_chars = usize::try_from(self.max_chars).unwrap_or(usize::MAX);
        let mut context = self.repo(store)?.context(max_chars).focus_files(self.focus_files.unwrap_or_default());
        if let Some(prompt) = self.prompt {
            context = context.prompt(prompt);
        }
        if let Some(sections) = self.sections {
            context = context.sections(sections);
        }
        if let Some(scope_id) = self.scope_id {
            context = context.scope(store.working().scope(scope_id));
        }
        if let Some(embedding) = self.embedding {
            context = context.embedding(embedding);
        }
        context.temporary(self.temporary.unwrap_or_default()).build()
    }
}
