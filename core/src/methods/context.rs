//! `context.*`

use super::{MethodGroup, count, method, methods, of_repo};
use crate::context::{Pack, PackBuilder, Sections};
use crate::room::PACK_CHARS;

pub(super) const GROUP: MethodGroup =
    MethodGroup { name: "context", about: "Context packs for prompts", entries: methods! { Build } };

of_repo! {
    /// Builds a context pack: a repository's memory as Markdown, fitted to a number of characters.
    ///
    /// Conventions, decisions and notes come first, oldest first within each kind, followed by step summaries, newest
    /// first. If there are summaries, 40 % of `maxChars` is reserved for them, or more if the newest one needs it, so that
    /// what comes before them mostly stays the same as steps are added; likewise 10 % each for the context and the log of a
    /// working scope, 15 % for recalled items and 25 % for the map of the repository's files, together at most 60 %. What
    /// one of these leaves unused goes to those after it, and then, in steps of a tenth of the pack, to what was left out before;
    /// the map is made for all that is left. Conventions, decisions and
    /// notes divide the rest equally; what one of them leaves unused goes to the others. A record is included whole or not
    /// at all. What is left out is the oldest or, with a prompt, the least relevant, and the last line of the text says so:
    /// `12 older notes left out`. The same state produces the same bytes in every language.
    ///
    /// Records are data: headings in them are demoted, and nothing in them can look like a section. They carry their ids
    /// in brackets: chosen ones whole, generated ones by at least 13 characters. What several records of a section say is shown once.
    struct Build {
        /// The maximum length of the pack, in Unicode scalar values. Default: 8,000.
        max_chars: Option<u32>,
        /// What the agent is about to do. Records that are relevant for it are included before others, ranked as in
        /// `items.recall`; recallable items join them in the section `recalled`, and the map of the files that matter for it
        /// in the section `map`, as of `index.map`.
        prompt: Option<String>,
        /// The sections to include: a list of their names, or an object of their sizes by name. A size above 0 and up to 1
        /// is a share of `maxChars`: `1` is all of it. What one section leaves unused of its share goes to those after it.
        /// A whole number above 1 is a number of characters, which the section never exceeds. Sizes that exceed `maxChars`
        /// in sum are reduced in proportion. Default: all.
        sections: Option<Sections>,
        /// Files that the agent is working on. Records about them are relevant, and the map begins with them.
        focus_files: Option<Vec<String>>,
        /// The working scope whose context and latest log entries join the pack in the sections `context` and `log`. With a
        /// prompt, relevant ones are included before others. Default: none.
        scope_id: Option<String>,
        /// Whether memory is bypassed: nothing is read, and the pack is empty. Default: false.
        temporary: Option<bool>,
        /// The embedding vector of the prompt, which is compared with those of recallable items and of the log's entries;
        /// made by the same model. `Unsupported` if neither is in the pack. Default: they are compared by their words.
        embedding: Option<Vec<f32>>,
    }
}

method! {
    Build = PackBuilder::BUILD => Pack |self, store| {
        let max_chars = count(self.max_chars).unwrap_or(PACK_CHARS);
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
