//! `files.*`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MethodGroup, method, methods, params};
use crate::error::{Error, Result};
use crate::files::{FileEntry, Files, Sdk};
use crate::home::{BranchScope, RepoHash};
use crate::store::Store;

pub(super) const GROUP: MethodGroup = MethodGroup {
    name: "files",
    about: "Files that a model keeps by itself",
    entries: methods! { View, Create, Replace, Insert, Remove, Rename, List },
};

/// What a memory tool answers.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct FileAnswer {
    /// The answer for the model, as Anthropic's memory tool words it.
    pub text: String,
}

impl FileAnswer {
    fn of(text: String) -> Self {
        FileAnswer { text }
    }
}

/// The struct of a method's params, with the keys that say whose files they are.
macro_rules! of_files {
    ($(#[$doc:meta])* struct $params:ident { $($fields:tt)* }) => {
        params! {
            $(#[$doc])*
            struct $params {
                $($fields)*
                /// Whether they are the files of the user, which belong to no repository. Default: `false`.
                global: Option<bool>,
                /// The SDK of Anthropic whose wording and behaviour the answer has where they differ. Default: `python`.
                sdk: Option<Sdk>,
                /// The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
                repo_hash: Option<RepoHash>,
                /// A folder in the repository. Default: the current folder.
                #[schemars(extend("format" = "path"))]
                workspace: Option<String>,
                /// Whether each branch has a separate memory or all branches share one. Default: as configured.
                branch_scope: Option<BranchScope>,
            }
        }

        impl $params {
            fn files(&self, store: &Store) -> Result<Files> {
                let files = if self.global == Some(true) {
                    if self.repo_hash.is_some() || self.workspace.is_some() || self.branch_scope.is_some() {
                        return Err(Error::validation("global files belong to no repository; pass only one of them"));
                    }
                    store.files()
                } else {
                    super::repo_of(store, self.repo_hash.as_ref(), self.workspace.as_deref(), self.branch_scope)?.files()
                };
                Ok(files.sdk(self.sdk.unwrap_or_default()))
            }
        }
    };
}

of_files! {
    /// Returns a file with the numbers of its lines, or what is in a folder, two levels deep.
    ///
    /// All paths are below `/memories`. Hidden files are not listed, but can be viewed.
    struct View {
        /// The file or folder: `/memories/notes.md`.
        path: String,
        /// The first and the last line to return, from 1; a last line of -1 is that of the file. Default: all.
        view_range: Option<Vec<i64>>,
    }
}

method! {
    View = Files::VIEW => FileAnswer, LOCK_FREE |self, store| {
        let range = match self.view_range.as_deref() {
            None | Some([]) => None,
            Some([first, last]) => Some([*first, *last]),
            Some(_) => return Err(Error::validation("viewRange must be two numbers: the first and the last line")),
        };
        self.files(store)?.view(&self.path, range).map(FileAnswer::of)
    }
}

of_files! {
    /// Creates a file, and its folders. Secrets are redacted.
    struct Create {
        /// The path of the new file: `/memories/notes.md`.
        path: String,
        /// Its text, at most 16 MiB.
        file_text: String,
    }
}

method! {
    Create = Files::CREATE => FileAnswer, WRITES, REDACTS |self, store| {
        self.files(store)?.create(&self.path, &self.file_text).map(FileAnswer::of)
    }
}

of_files! {
    /// Replaces a text that is in a file once. Secrets are redacted.
    struct Replace {
        /// The file.
        path: String,
        /// The text that is replaced, which has to be in the file exactly once.
        old_str: String,
        /// The text in its place. Default: none, so that the old one is removed.
        new_str: Option<String>,
    }
}

method! {
    Replace = Files::REPLACE => FileAnswer, WRITES, REDACTS |self, store| {
        let new = self.new_str.as_deref().unwrap_or_default();
        self.files(store)?.replace(&self.path, &self.old_str, new).map(FileAnswer::of)
    }
}

of_files! {
    /// Inserts a text into a file. Secrets are redacted.
    struct Insert {
        /// The file.
        path: String,
        /// The line behind which it is inserted; 0 is the beginning of the file.
        insert_line: i64,
        /// The text.
        insert_text: String,
    }
}

method! {
    Insert = Files::INSERT => FileAnswer, WRITES, REDACTS |self, store| {
        self.files(store)?.insert(&self.path, self.insert_line, &self.insert_text).map(FileAnswer::of)
    }
}

of_files! {
    /// Removes a file, or a folder with everything in it. `undo.restore` brings back each file that was text.
    struct Remove {
        /// The file or folder.
        path: String,
        /// Whether it is removed for good, with what the trash has of it. Default: `false`.
        purge: Option<bool>,
    }
}

method! {
    Remove = Files::REMOVE => FileAnswer, WRITES |self, store| {
        let files = self.files(store)?;
        let removed = if self.purge == Some(true) { files.purge(&self.path) } else { files.remove(&self.path) };
        removed.map(FileAnswer::of)
    }
}

of_files! {
    /// Renames a file or a folder, or moves it. The folders above the new path are created.
    struct Rename {
        /// The file or folder.
        old_path: String,
        /// Its new path, at which there is nothing yet.
        new_path: String,
    }
}

method! {
    Rename = Files::RENAME => FileAnswer, WRITES |self, store| {
        self.files(store)?.rename(&self.old_path, &self.new_path).map(FileAnswer::of)
    }
}

of_files! {
    /// Returns the files at a path and below it, by path, hidden ones included. Links are left out.
    struct List {
        /// The file or folder. Default: `/memories`.
        path: Option<String>,
    }
}

method! {
    List = Files::LIST => Vec<FileEntry>, LOCK_FREE |self, store| {
        self.files(store)?.list(self.path.as_deref())
    }
}
