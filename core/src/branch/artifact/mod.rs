//! An artifact passes the files of a memory on to another job: packed from a folder, and unpacked to one.

mod archive;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::archive::{Artifact, Manifest, ManifestFile, sha256};
use super::config::{self, Memory};
use super::repository::objects::{Author, CommitId, Tree};
use super::repository::state::{self, State, with_repair};
use super::tree::combine::{combine, difference};
use super::tree::contents::Contents;
use super::tree::folder::{self, File};
use super::tree::redaction::{preview, without_secrets};
use super::tree::validate::{fault_list, faults_of_listed};
use super::tree::working_copy::{self, Update, tree_of_folder};
use super::{Branches, named_folder, operation};
use crate::error::{Error, ErrorKind, Result};
use crate::home::{Home, check_path};
use crate::tarball::{MAX_BYTES, MAX_CONTENTS, most_unpacked};

/// The number of files that an error names.
const SHOWN: usize = 5;

/// An artifact that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "BranchPacked")]
#[non_exhaustive]
pub struct Packed {
    /// Its path.
    pub artifact_path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// The number of files that it names.
    pub files: u64,
    /// The number of files whose contents it has. Those of the others are in the earlier artifact.
    pub packed: u64,
    /// Whether it was written; false if the same artifact was already there.
    pub written: bool,
}

/// An artifact that was unpacked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BranchUnpacked")]
#[non_exhaustive]
pub struct Unpacked {
    /// The folder.
    pub directory: String,
    /// The size of the artifact in bytes.
    pub bytes: u64,
    /// The number of files that it names.
    pub files: u64,
    /// The files that were written or removed, sorted.
    pub changed: Vec<String>,
    /// The commit that the files come from, which the next push uses; null if it is unknown.
    pub base: Option<String>,
    /// The memory, as configured when the artifact was written.
    pub entry: Memory,
}

impl Branches {
    /// Writes an artifact of the files in the folder of a memory, or in `directory`, without secrets: a tar file,
    /// compressed by its ending `.tar.zst`, `.tar.gz` or `.tar`. It names the memory and the commit that its files come
    /// from. Contents that the artifact `since` has are left out. The same files give the same bytes.
    ///
    /// # Errors
    /// `NotFound` if the folder does not exist; `ValidationError` for another ending, and for files that break a rule or are too large;
    /// `SecretRefused` for a secret in a path, or in a file that is not text; `ParseError` for `since`; `IOError`,
    /// `Cancelled`.
    pub fn pack(
        &self,
        memory: &Memory,
        directory: Option<&Path>,
        artifact: &Path,
        since: Option<&Path>,
    ) -> Result<Packed> {
        self.home.call(operation::PACK, |home| {
            let artifact = named(home, "artifactPath", artifact)?;
            let since = since.map(|since| named(home, "since", since)).transpose()?;
            let directory = memory.folder(home, directory)?;
            with_repair(home, &directory, || pack(home, memory, &directory, &artifact, since.as_deref()))
        })
    }

    /// Brings the files of an artifact to the folder of its memory, or to `directory`. Files that are the same are not
    /// written, and changes in the folder since its last checkout stay. Everything in the artifact is checked before
    /// the first file is written.
    ///
    /// # Errors
    /// `ParseError` for anything but an artifact; `NotFound` if there is none, or an earlier one has to be unpacked
    /// first; `Conflict` if both changed the same; `FormatTooNew`, `IOError`, `Cancelled`.
    pub fn unpack(&self, artifact: &Path, directory: Option<&Path>) -> Result<Unpacked> {
        self.home.call(operation::UNPACK, |home| {
            let artifact = named(home, "artifactPath", artifact)?;
            let read = || open(home, "artifactPath", &artifact);
            let opened = Cell::new(None);
            let directory = match directory {
                Some(directory) => named_folder(home, directory)?,
                None => {
                    let found = read()?;
                    let directory = entry_of(home, &found.0)?.directory.into();
                    opened.set(Some(found));
                    directory
                }
            };
            with_repair(home, &directory, || unpack(home, &artifact, opened.take().map_or_else(read, Ok)?, &directory))
        })
    }
}

/// The path in the param `name`.
fn named(home: &Home, name: &str, path: &Path) -> Result<PathBuf> {
    check_path(name, path)?;
    home.admit_path(name, path)?;
    Ok(home.current_folder()?.join(path))
}

fn pack(home: &Home, memory: &Memory, directory: &Path, path: &Path, since: Option<&Path>) -> Result<Packed> {
    archive::check_ending("artifactPath", path)?;
    if path.starts_with(directory) {
        let message = format!("artifactPath {} is in the folder that is packed; put it elsewhere", path.display());
        return Err(Error::validation(message).at(path));
    }
    state::refuse_repository(home, directory)?;
    let disk = home.disk_at(path.parent().unwrap_or(path));
    let known = since.map(|since| contents_of(home, since, path)).transpose()?.unwrap_or_default();
    if home.is_dry_run() {
        let listing = folder::list(home, directory)?;
        preview(home, directory, listing.files.into_iter().map(|file| file.path), &Tree::new())?;
    }
    let state = State::open(home, directory)?;
    let listing = folder::list(home, directory)?;
    let total = folder::total(listing.files.iter().map(|file| file.size));
    if total > MAX_CONTENTS {
        let message =
            format!("the files in {} have {total} bytes; an artifact holds {MAX_CONTENTS}", directory.display());
        return Err(Error::validation(message).at(directory));
    }
    let paths = listing.files.into_iter().map(|file| file.path);
    let files = working_copy::read(home, state.disk(), directory, paths, working_copy::MAX_BYTES)?;
    let files: BTreeMap<String, Vec<u8>> = files
        .into_iter()
        .map(|(path, content)| Ok((path.clone(), without_secrets(home, &path, content)?)))
        .collect::<Result<_>>()?;
    for path in files.keys() {
        home.redactor().admit("path", path)?;
    }
    let listed = files.iter().map(|(path, content)| File { path: path.clone(), size: content.len() as u64 });
    let faults = faults_of_listed(home, memory, listed.collect())?;
    if !faults.is_empty() {
        let message =
            format!("the files in {} break the rules of the memory: {}", directory.display(), fault_list(&faults));
        return Err(Error::validation(message).at(directory));
    }
    let manifest = Manifest::new(memory, &state.saved(), &files);
    let is_packed = |it: &&ManifestFile| !known.contains(&(it.path.clone(), it.sha256.clone()));
    let packed = manifest.files.iter().filter(is_packed).count() as u64;
    let bytes = archive::pack(path, &manifest, &files, &known)?;
    let most = most_unpacked(bytes.len() as u64);
    if total > most {
        let message = format!(
            "the files in {} have {total} bytes and an artifact of them {}, which unpacks to at most {most}; write a .tar",
            directory.display(),
            bytes.len()
        );
        return Err(Error::validation(message).at(directory));
    }
    let is_there = disk.read_foreign(path, MAX_BYTES).is_ok_and(|old| old.is_some_and(|old| old == bytes));
    if !is_there {
        disk.write_derived(path, &bytes)?;
    }
    Ok(Packed {
        artifact_path: path.to_string_lossy().into_owned(),
        bytes: bytes.len() as u64,
        files: manifest.files.len() as u64,
        packed,
        written: !is_there,
    })
}

fn unpack(home: &Home, path: &Path, (artifact, size): (Artifact, u64), directory: &Path) -> Result<Unpacked> {
    let entry = entry_of(home, &artifact)?;
    let Artifact { manifest, mut contents } = artifact;
    state::refuse_repository(home, directory)?;
    let state = State::open(home, directory)?;
    state.adopt(directory, manifest.branch.as_deref())?;
    let is_there = state.disk().has_entry(directory);
    let mut files = BTreeMap::new();
    for packed in &manifest.files {
        let content = match contents.remove(&packed.path) {
            None if is_there => {
                let here = state.disk().read_plain(directory, &packed.path, working_copy::MAX_BYTES)?;
                here.filter(|content| sha256(content) == packed.sha256)
            }
            content => content,
        };
        let content = content.ok_or_else(|| {
            let message = format!(
                "{} has only what changed since an earlier artifact, and {} does not have {} as it was; unpack the earlier one first",
                path.display(),
                directory.display(),
                packed.path
            );
            Error::new(ErrorKind::NotFound, message).at(path)
        })?;
        // One that loopmem packed has none; another program may have.
        files.insert(packed.path.clone(), without_secrets(home, &packed.path, content)?);
    }
    let (changed, unpacked) = {
        // The folder comes from an earlier artifact, or from the branch.
        let saved = state.saved();
        let base = saved.unpacked.or(saved.base).map(|base| state.objects.tree(&base)).transpose()?.flatten();
        let base = base.map(|base| base.into_iter().filter(|(_, item)| item.is_file()).collect::<Tree>());
        let mut known = Contents::new(&state.objects);
        let before = match is_there {
            true => tree_of_folder(home, &mut known, state.disk(), directory, base.as_ref(), |_| true)?.0,
            false => Tree::new(),
        };
        // Removing the whole folder removes no file.
        let ours = if before.is_empty() { base.clone().unwrap_or_default() } else { before.clone() };
        let theirs = working_copy::tree_of(&mut known, files, base.as_ref())?;
        let combined = combine(&mut known, base.as_ref(), &ours, &theirs, &home.cancel_check())?;
        if !combined.conflicts.is_empty() {
            let paths = combined.conflicts.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
            let message = format!(
                "{} and the artifact both have changes of {paths}; nothing was unpacked; unpack it in another folder",
                directory.display()
            );
            return Err(Error::new(ErrorKind::Conflict, message).at(directory));
        }
        let (contents, directory, after) = (&known, directory, &combined.tree);
        // The artifact keeps its contents: only the folder gets the merged ones.
        Update { home, state: &state, contents, directory, before: &before, after }.apply()?;
        known.store(&theirs)?;
        let unpacked = state.objects.commit(&theirs, None, &Author::of(home), "Unpacked\n")?;
        let mut changed = difference(&before, &combined.tree).concat();
        changed.sort();
        (changed, unpacked)
    };
    state.update(|saved| {
        (saved.base, saved.unpacked) = (manifest.base.clone(), Some(unpacked));
        saved.is_new = manifest.is_new;
    })?;
    Ok(Unpacked {
        directory: directory.to_string_lossy().into_owned(),
        bytes: size,
        files: manifest.files.len() as u64,
        changed,
        base: manifest.base.as_ref().map(CommitId::to_string),
        entry,
    })
}

/// The memory of an artifact, as it is here.
fn entry_of(home: &Home, artifact: &Artifact) -> Result<Memory> {
    config::checked(home, &artifact.manifest.entry)
}

/// The paths and hashes in the artifact `since`, which must not be the one at `path`.
fn contents_of(home: &Home, since: &Path, path: &Path) -> Result<BTreeSet<(String, String)>> {
    let real = |path: &Path| home.disk().canonical(path).ok();
    if since == path || real(since).is_some_and(|since| real(path) == Some(since)) {
        let message = "artifactPath and since are the same file; an artifact of what changed needs the earlier one";
        return Err(Error::validation(message).at(path));
    }
    let earlier = open(home, "since", since)?.0.manifest;
    Ok(earlier.files.into_iter().map(|packed| (packed.path, packed.sha256)).collect())
}

/// Reads an artifact, which the param `name` names; returns its size too.
fn open(home: &Home, name: &str, path: &Path) -> Result<(Artifact, u64)> {
    archive::check_ending(name, path)?;
    let read = home.disk().read_foreign(path, MAX_BYTES).map_err(|cause| Error::io("read", path, &cause))?;
    let bytes = read.ok_or_else(|| {
        Error::new(ErrorKind::NotFound, format!("there is no artifact {}; branch.pack writes one", path.display()))
            .at(path)
    })?;
    Ok((archive::read(home, path, &bytes)?, bytes.len() as u64))
}
