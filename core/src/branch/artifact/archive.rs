//! The format of artifacts: one tar file with a manifest and the contents.
//!
//! The manifest names every file with its hash. The contents of files that an earlier artifact has may be missing.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::branch::config::{self, Memory};
use crate::branch::repository::objects::CommitId;
use crate::branch::repository::state::SavedState;
use crate::branch::tree::folder::{File, total};
use crate::branch::tree::names;
use crate::branch::tree::validate::{fault_list, faults_of_listed};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::safety::GeneratedId;
use crate::tarball::{self, Compression, MAX_CONTENTS, content};

/// The newest version of the manifest that this version of loopmem reads.
const NEWEST: u64 = 1;
/// The manifest, which comes first, and the folder of the contents.
const MANIFEST: &str = "loopmem.json";
const FILES: &str = "files/";
const MAX_MANIFEST: u64 = 16 << 20;
/// The first entry of an artifact.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Manifest {
    schema_version: u64,
    /// The identity of its branch, in hex; null if it is not known.
    #[serde(default)]
    pub(crate) branch: Option<String>,
    /// The memory.
    pub(crate) entry: Memory,
    /// The commit that the files come from.
    pub(crate) base: Option<CommitId>,
    /// True if there was no branch when the folder was checked out.
    #[serde(default)]
    pub(crate) is_new: bool,
    /// The files, sorted by path.
    pub(crate) files: Vec<ManifestFile>,
}

/// A file of an artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ManifestFile {
    pub(crate) path: String,
    pub(crate) size: u64,
    /// The SHA-256 of its contents, in hex.
    pub(crate) sha256: String,
}

impl Manifest {
    /// That of these files.
    pub(crate) fn new(entry: &Memory, saved: &SavedState, files: &BTreeMap<String, Vec<u8>>) -> Self {
        let packed = |(path, content): (&String, &Vec<u8>)| ManifestFile {
            path: path.clone(),
            size: content.len() as u64,
            sha256: sha256(content),
        };
        let files = files.iter().map(packed).collect();
        Manifest {
            schema_version: NEWEST,
            branch: saved.branch.clone(),
            entry: entry.clone(),
            base: saved.base.clone(),
            is_new: saved.is_new,
            files,
        }
    }
}

/// The SHA-256 of a content, in hex.
pub(crate) fn sha256(content: &[u8]) -> String {
    GeneratedId::digest(&Sha256::digest(content).into()).as_str().to_owned()
}

/// The compression, which the ending of the path selects. `name` is what the param with the path is called.
fn compression(name: &str, path: &Path) -> Result<Compression> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "zst" => Ok(Compression::Zstd),
        "gz" | "tgz" => Ok(Compression::Gzip),
        "tar" => Ok(Compression::None),
        _ => {
            let message = format!("{name} must end in .tar.zst, .tar.gz or .tar, got {}", path.display());
            Err(Error::validation(message).at(path))
        }
    }
}

/// Checks that a path has the ending of an artifact.
pub(crate) fn check_ending(name: &str, path: &Path) -> Result<()> {
    compression(name, path).map(drop)
}

/// Writes an artifact of these files, of which those in `known` are left out. The same files give the same bytes.
///
/// # Errors
/// `ValidationError` for a path of another ending.
pub(crate) fn pack(
    path: &Path,
    manifest: &Manifest,
    files: &BTreeMap<String, Vec<u8>>,
    known: &BTreeSet<(String, String)>,
) -> Result<Vec<u8>> {
    let failed = |cause: &io::Error| Error::internal("an artifact cannot be written").because(cause);
    let compression = compression("artifactPath", path)?;
    let json = serde_json::to_vec(manifest).map_err(|cause| failed(&cause.into()))?;
    let packed = manifest.files.iter().filter_map(|packed| {
        let is_known = known.contains(&(packed.path.clone(), packed.sha256.clone()));
        let content = files.get(&packed.path).filter(|_| !is_known)?;
        Some((format!("{FILES}{}", packed.path), &**content))
    });
    let entries = std::iter::once((MANIFEST.to_owned(), &*json)).chain(packed);
    tarball::pack(compression, entries).map_err(|cause| failed(&cause))
}

/// An artifact that was read: nothing in it leads out of a folder.
pub(crate) struct Artifact {
    pub(crate) manifest: Manifest,
    /// The contents that it has, by path.
    pub(crate) contents: BTreeMap<String, Vec<u8>>,
}

fn refused(path: &Path, what: &str) -> Error {
    let message = format!("{} is not an artifact of a memory: {what}; nothing was unpacked", path.display());
    Error::new(ErrorKind::Parse, message).at(path)
}

/// Reads an artifact and checks everything in it: names, sizes, hashes, and that it has nothing else.
///
/// # Errors
/// `ValidationError` for a path of another ending; `ParseError` for anything but an artifact; `FormatTooNew`.
pub(crate) fn read(home: &Home, path: &Path, bytes: &[u8]) -> Result<Artifact> {
    let refused = |what: &str| refused(path, what);
    let failed = |cause: io::Error| refused("it cannot be read").because(cause);
    let mut tar = tarball::open(compression("artifactPath", path)?, bytes).map_err(failed)?;
    let mut entries = tar.entries().map_err(failed)?;
    let mut first = entries.next().ok_or_else(|| refused("it is empty"))?.map_err(failed)?;
    if first.path_bytes().as_ref() != MANIFEST.as_bytes() {
        return Err(refused("it does not begin with a manifest"));
    }
    let manifest = manifest(path, &content(&mut first, MAX_MANIFEST).map_err(failed)?, &refused)?;
    // Before any contents are read.
    let files: Vec<File> = manifest.files.iter().map(|it| File { path: it.path.clone(), size: it.size }).collect();
    let faults = faults_of_listed(home, &config::checked(home, &manifest.entry)?, files)?;
    if !faults.is_empty() {
        return Err(refused(&format!("its files break the rules of the memory: {}", fault_list(&faults))));
    }
    let total = total(manifest.files.iter().map(|packed| packed.size));
    if total > MAX_CONTENTS {
        return Err(refused(&format!("its files have {total} bytes, more than {MAX_CONTENTS}")));
    }
    let listed: BTreeMap<&str, &ManifestFile> = manifest.files.iter().map(|packed| (&*packed.path, packed)).collect();
    let mut contents = BTreeMap::new();
    for entry in entries {
        let mut entry = entry.map_err(failed)?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let packed = name.strip_prefix(FILES).and_then(|name| listed.get(name));
        let packed = packed.filter(|_| entry.header().entry_type().is_file());
        let packed =
            packed.ok_or_else(|| refused(&format!("{} is not in its manifest", home.redactor().quote(&name))))?;
        let content = content(&mut entry, packed.size).map_err(failed)?;
        if content.len() as u64 != packed.size || sha256(&content) != packed.sha256 {
            return Err(refused(&format!("the contents of {name:?} are not those of its manifest")));
        }
        if contents.insert(packed.path.clone(), content).is_some() {
            return Err(refused(&format!("{name:?} is in it twice")));
        }
    }
    drop(listed);
    Ok(Artifact { manifest, contents })
}

fn manifest(path: &Path, json: &[u8], refused: &dyn Fn(&str) -> Error) -> Result<Manifest> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Version {
        schema_version: u64,
    }
    let invalid = |cause: serde_json::Error| refused("its manifest is invalid").because(cause);
    let version: Version = serde_json::from_slice(json).map_err(invalid)?;
    crate::disk::refuse_newer(path, "schemaVersion", &version.schema_version.to_string(), NEWEST)?;
    let manifest: Manifest = serde_json::from_slice(json).map_err(invalid)?;
    if manifest.branch.as_ref().is_some_and(|branch| GeneratedId::hex(branch).is_none()) {
        return Err(refused("its branch is invalid"));
    }
    let mut seen = BTreeSet::new();
    for packed in &manifest.files {
        if !names::is_path(&packed.path) || !seen.insert(&*packed.path) {
            return Err(refused(&format!("no folder can hold {:?}", packed.path)));
        }
    }
    Ok(manifest)
}
