//! `index.*`

use super::{MethodGroup, count, method, methods, params, workspace_of};
use crate::index::{Index, Kind, Map, Refreshed, Symbol, SymbolQuery};

pub(super) const GROUP: MethodGroup = MethodGroup {
    name: "index",
    about: "A map of the repository's files, and its symbols",
    entries: methods! { Refresh, MapFiles, Symbols },
};

/// The length of a map if it is not said.
const MAX_CHARS: usize = 4_000;

params! {
    /// Brings the index of a repository's files up to date, as `index.map` and `index.symbols` do by themselves.
    ///
    /// The index covers the files that git tracks or would offer to track. A file that has not changed is not read, and a
    /// content that another branch or work tree has had is not parsed again. Files of more than 1 MiB and binary files are
    /// not read.
    struct Refresh {
        /// A folder in the repository. Default: the current folder.
        #[schemars(extend("format" = "path"))]
        workspace: Option<String>,
    }
}

method! {
    Refresh = Index::REFRESH => Refreshed |self, store| {
        store.repo(workspace_of(self.workspace.as_deref()))?.index().refresh()
    }
}

params! {
    /// Returns a map of the repository: the files that matter, each with the signatures of its most relevant definitions.
    ///
    /// Files are ranked by the words that they share with the prompt, in their text, their definitions and their paths, and
    /// by what the files in focus refer to. Without either, the map is an overview: entry points, and the definitions that
    /// most files refer to. The map never exceeds `maxChars`, and the same state of the files gives the same bytes.
    struct MapFiles {
        /// A folder in the repository. Default: the current folder.
        #[schemars(extend("format" = "path"))]
        workspace: Option<String>,
        /// The maximum length of the map, in Unicode scalar values. Default: 4,000.
        max_chars: Option<u32>,
        /// What the agent is about to do. Default: the map is an overview.
        prompt: Option<String>,
        /// The files that the agent is working on, relative to the repository or absolute. Default: none.
        focus_files: Option<Vec<String>>,
    }
}

method! {
    MapFiles = Index::MAP => Map |self, store| {
        let index = store.repo(workspace_of(self.workspace.as_deref()))?.index();
        let max_chars = count(self.max_chars).unwrap_or(MAX_CHARS);
        index.map(max_chars, self.prompt.as_deref(), &self.focus_files.unwrap_or_default())
    }
}

params! {
    /// Returns definitions of the repository, the best matches first: those whose names match `query`, or those of a file or
    /// folder in the order of the files.
    struct Symbols {
        /// A folder in the repository. Default: the current folder.
        #[schemars(extend("format" = "path"))]
        workspace: Option<String>,
        /// A name, or words of one. Default: all definitions.
        query: Option<String>,
        /// Only definitions of this file, or of the files below this folder, relative to the repository. Default: all.
        path: Option<String>,
        /// Only definitions of this kind. Default: all.
        kind: Option<Kind>,
        /// The maximum number of definitions, at most 1,000. Default: 50.
        limit: Option<u32>,
    }
}

method! {
    Symbols = Index::SYMBOLS => Vec<Symbol> |self, store| {
        let query = SymbolQuery::new().query(self.query).path(self.path).kind(self.kind).limit(count(self.limit));
        store.repo(workspace_of(self.workspace.as_deref()))?.index().symbols(&query)
    }
}
