//! `archive.*`

use std::path::Path;

use super::{MethodGroup, method, methods, params, workspace_of};
use crate::archive::{Archives, Exported, Imported, Importing};
use crate::disk::Fields;
use crate::error::{Error, Result};
use crate::home::{BranchScope, RepoHash};

pub(super) const GROUP: MethodGroup = MethodGroup {
    name: "archive",
    about: "What is stored, in one file: to keep it or to move it",
    entries: methods! { Export, Import },
};

params! {
    /// Writes what is stored to an archive: one file, to keep it or to move it to another machine. By default, everything that
    /// is stored of the repository: of every branch, of the folders it was moved from, and of its other clones, with the items
    /// in its folders.
    ///
    /// An archive has no configuration, no rules of `redaction.toml`, no key for the tags of secrets, nothing of past sessions
    /// and no caches. An older archive at the path is replaced; any other file is not.
    struct Export {
        /// The file: its ending is `.tar.zst`, or `.jsonl` for lines that people can read.
        #[schemars(extend("format" = "path"))]
        path: String,
        /// Whether it has everything: all repositories, global items and working contexts too. Default: false.
        all: Option<bool>,
        /// The repositories, as `repo.list` returns them, each with its branch. Default: the repository of `workspace`.
        repo_hashes: Option<Vec<RepoHash>>,
        /// A folder in the repository. Default: the current folder.
        #[schemars(extend("format" = "path"))]
        workspace: Option<String>,
        /// Whether each branch has a separate memory or all branches share one. Default: as configured.
        branch_scope: Option<BranchScope>,
    }
}

method! {
    Export = Archives::EXPORT => Exported |self, store| {
        let (archives, path) = (store.archives(), Path::new(&self.path));
        match (self.all.unwrap_or_default(), &self.repo_hashes, &self.workspace) {
            (true, None, None) => archives.export(path),
            (false, Some(hashes), None) => archives.export_repos(path, hashes),
            (false, None, workspace) => {
                let workspace = workspace_of(workspace.as_deref()).branch_scope(self.branch_scope);
                archives.export_repo(path, &store.repo(workspace)?)
            }
            _ => Err(Error::validation("all, repoHashes and workspace say what is exported; pass only one of them")),
        }
    }
}

params! {
    /// Brings what an archive has. A record that is here in another version is merged: the newer one stays, and the other is
    /// kept in the trash and named; a working context that is here stays.
    ///
    /// All of the archive is checked before anything is written, and its texts are redacted again. Importing it again changes
    /// nothing. Import only what you trust: agents will read it.
    struct Import {
        /// The file.
        #[schemars(extend("format" = "path"))]
        path: String,
        /// Where folders are here that were elsewhere: an object whose keys are the old paths, and whose values are the new
        /// ones. It applies to every folder below an old path too. Default: where they were.
        path_map: Option<Fields>,
        /// Only count what would be brought. Default: false.
        dry_run: Option<bool>,
    }
}

method! {
    Import = Archives::IMPORT => Imported, WRITES |self, store| {
        let mut importing = Importing::default().dry_run(self.dry_run.unwrap_or_default());
        for (old, new) in self.path_map.iter().flat_map(Fields::iter) {
            importing = importing.map(old, new_path(new.get())?);
        }
        store.archives().import(Path::new(&self.path), &importing)
    }
}

fn new_path(json: &str) -> Result<String> {
    serde_json::from_str(json).map_err(|_| Error::validation("pathMap must have a path as the value of each key"))
}
