//! Archives: what is stored in a home, in one file, to keep it or to move it to another machine or another path.
//!
//! An archive has the memory of repositories and, of a whole home, what belongs to the user: items and working contexts. It
//! has no configuration, no rules and no key of the redactor, and no caches.

mod export;
mod format;
mod import;
mod path_map;
mod report;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::Result;
use crate::home::{Home, RepoHash, check_path};
use crate::repo::{Repo, identities};
use crate::room::KeepsJobs;
pub use crate::room::{Brought, KeptAside};
use path_map::PathMap;
pub use report::{Exported, ExportedRoom, Imported, ImportedRepo};

/// What is brought from an archive, and how.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Importing {
    paths: Vec<(PathBuf, PathBuf)>,
    dry_run: bool,
}

impl Importing {
    setters! {
        /// Whether it is only counted.
        dry_run(dry_run: bool) => dry_run = dry_run;
    }

    /// Says that the folder `old`, and every folder below it, is at `new` here. Of several that contain a folder, the longest
    /// counts.
    #[must_use]
    pub fn map(mut self, old: impl Into<PathBuf>, new: impl Into<PathBuf>) -> Self {
        self.paths.push((old.into(), new.into()));
        self
    }
}

/// Writes and reads archives of a home.
#[derive(Debug, Clone)]
pub struct Archives {
    home: Home,
    jobs: Arc<dyn KeepsJobs>,
}

impl Archives {
    pub(crate) const EXPORT: &str = "archive.export";
    pub(crate) const IMPORT: &str = "archive.import";

    pub(crate) fn new(home: &Home, jobs: Arc<dyn KeepsJobs>) -> Self {
        Archives { home: home.clone(), jobs }
    }

    /// Writes an archive of everything in the home. The ending of `path` selects its form: `.tar.zst`, or `.jsonl` for lines
    /// that people can read. The same home gives the same bytes. An older archive at `path` is replaced.
    ///
    /// # Errors
    /// `ValidationError` for another ending, if there is a file that is no archive, or for more than an archive holds;
    /// `Unsupported` if the adapter of working contexts cannot list them; `ParseError` and `FormatTooNew` for a file of the
    /// home that cannot be read; `LockAcquisitionError`, `IOError`, `Cancelled`.
    pub fn export(&self, path: &Path) -> Result<Exported> {
        self.exported(path, |home| Ok((crate::repo::stored(home)?, true)))
    }

    /// As [`export`](Self::export), of the memory and the items of these repositories only.
    ///
    /// # Errors
    /// Those of [`export`](Self::export); `NotFound` if nothing is stored for one of them.
    pub fn export_repos(&self, path: &Path, hashes: &[RepoHash]) -> Result<Exported> {
        self.exported(path, |home| {
            hashes.iter().try_for_each(|hash| export::refuse_unknown(home, hash))?;
            Ok((hashes.to_vec(), false))
        })
    }

    /// As [`export_repos`](Self::export_repos), of everything that is stored of one project: of every branch, of the folders
    /// that it was moved from, and of its other clones.
    ///
    /// # Errors
    /// Those of [`export_repos`](Self::export_repos).
    pub fn export_repo(&self, path: &Path, repo: &Repo) -> Result<Exported> {
        self.exported(path, |home| {
            let all: Vec<RepoHash> = identities(home, repo, true)?.into_iter().map(|(hash, _)| hash).collect();
            if all.is_empty() {
                export::refuse_unknown(home, repo.hash())?;
            }
            Ok((all, false))
        })
    }

    fn exported(&self, path: &Path, which: impl FnOnce(&Home) -> Result<(Vec<RepoHash>, bool)>) -> Result<Exported> {
        self.home.call(Self::EXPORT, |home| {
            let path = named(home, path)?;
            format::refuse_to_replace(home, &path)?;
            let (hashes, is_whole) = which(home)?;
            export::export(home, &*self.jobs, &path, hashes, is_whole)
        })
    }

    /// Brings what an archive has. Of two versions of a record the newer one stays, and the other is kept in the trash and
    /// named; a working context that is here stays. All of the archive is checked before anything is written, and importing
    /// it again changes nothing. With `map`, the hashes of repositories are those of the new paths.
    ///
    /// # Errors
    /// `NotFound` if there is no archive; `ParseError` for another file; `FormatTooNew`; `ValidationError` for a path of a map
    /// that is not absolute; `Conflict` for a map that brings two folders to one; `LockAcquisitionError`, `IOError`,
    /// `RenameError`, `Cancelled`.
    pub fn import(&self, path: &Path, importing: &Importing) -> Result<Imported> {
        self.home.call(Self::IMPORT, |home| {
            let path = named(home, path)?;
            let map = PathMap::new(home, &importing.paths)?;
            import::import(home, &*self.jobs, &path, &map, importing.dry_run)
        })
    }
}

/// The path of an archive.
fn named(home: &Home, path: &Path) -> Result<PathBuf> {
    check_path("path", path)?;
    home.admit_path("path", path)?;
    format::check_ending(path)?;
    Ok(home.current_folder()?.join(path))
}
