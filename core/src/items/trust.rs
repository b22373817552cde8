//! What the user stated, of the items of a repository or a folder: `trusted.jsonl`, under the home. What came with a clone, or was
//! written by another program, is data until the folder is trusted.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::record::Item;
use crate::disk::{Json, Line, LineEdit, LineFile, LineIndex, LineSnapshot, Stored, read_record};
use crate::error::{ErrorKind, Result};
use crate::finding::Examination;
use crate::home::Home;
use crate::safety::{GeneratedId, Sealed, SealedObject};

/// Identifies how an item is hashed.
const RECIPE: &[u8] = b"loopmem stated 1";

/// An item that was stated, or whether the whole folder is trusted.
#[derive(Debug, Clone, Deserialize)]
struct Entry {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    hash: Option<String>,
    #[serde(default)]
    folder: Option<bool>,
}

impl Line for Entry {
    const VERSION: u64 = 1;
}

/// What the user stated in one store.
#[derive(Debug, Default)]
pub(super) struct StatedItems {
    folder: bool,
    hashes: HashSet<String>,
}

impl StatedItems {
    /// All of a store that is the user's own.
    pub(super) fn all() -> Self {
        StatedItems { folder: true, hashes: HashSet::new() }
    }

    /// Whether the user stated an item, or trusts its folder.
    pub(super) fn has(&self, item: &Item) -> bool {
        self.folder || self.has_noted(item)
    }

    /// Whether an item was added or changed from this home.
    pub(super) fn has_noted(&self, item: &Item) -> bool {
        self.hashes.contains(hash(item).as_str())
    }
}

/// The trust in the items of one store.
#[derive(Debug, Clone)]
pub(super) struct TrustFile {
    path: PathBuf,
}

impl TrustFile {
    /// That in the folder of a store under the home.
    pub(super) fn new(folder: &Path) -> Self {
        TrustFile { path: folder.join("trusted.jsonl") }
    }

    fn file<'h>(&self, home: &'h Home) -> LineFile<'h> {
        LineFile::private(home.disk(), self.path.clone(), home.config().lock_timeout)
    }

    /// What is trusted.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `FormatTooNew`, `IOError`.
    pub(super) fn read(&self, home: &Home) -> Result<StatedItems> {
        let mut trusted = StatedItems::default();
        // Where nothing was stated, no lock is taken, and no file created for one.
        if !home.disk().has_entry(&self.path) {
            return Ok(trusted);
        }
        for (_, entry) in self.entries(home, &*self.file(home).read(home.wait_options())?)? {
            trusted.folder = entry.folder.unwrap_or(trusted.folder);
            trusted.hashes.extend(entry.hash.clone());
        }
        Ok(trusted)
    }

    /// The lines of a file. One that is damaged trusts nothing, and the doctor reports it.
    fn entries(&self, home: &Home, snapshot: &LineSnapshot) -> Result<Vec<(LineIndex, Stored<Entry>)>> {
        let mut entries = Vec::new();
        for chunk in 0..snapshot.chunks().len() {
            for (line, text) in snapshot.texts(home.disk(), chunk)?.into_iter().enumerate() {
                let Some(text) = text else { continue };
                match read_record::<Entry>(&self.path, line, &text) {
                    Ok(entry) => entries.push((LineIndex { chunk, line }, entry)),
                    Err(error) if error.kind() == ErrorKind::FormatTooNew => return Err(error),
                    Err(_) => {}
                }
            }
        }
        Ok(entries)
    }

    /// Notes that the user stated items.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    pub(super) fn note<'i>(&self, home: &Home, items: impl Iterator<Item = &'i Item>) -> Result<()> {
        let line = |item: &Item| {
            let mut line = SealedObject::default();
            line.set("id", &home.redactor().admit_id("id", &item.id)?)?;
            line.set("hash", &hash(item))?;
            Ok(line.record()?)
        };
        self.append(home, items.map(line).collect::<Result<_>>()?)
    }

    /// Trusts all items of the folder, now and later, or only those that were stated here.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    pub(super) fn set_folder(&self, home: &Home, is_trusted: bool) -> Result<()> {
        let mut line = SealedObject::default();
        line.set("folder", &is_trusted)?;
        self.append(home, vec![line.record()?])
    }

    fn append(&self, home: &Home, lines: Vec<Sealed<Entry>>) -> Result<()> {
        let edits: Vec<_> = lines.into_iter().map(|line| LineEdit::Append(Json::from(line))).collect();
        if edits.is_empty() {
            return Ok(());
        }
        self.file(home).update(home.wait_options(), move |_| Ok((edits, ())))
    }

    /// Forgets these items.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    pub(super) fn forget(&self, home: &Home, ids: BTreeSet<String>) -> Result<()> {
        if !home.disk().has_entry(&self.path) {
            return Ok(());
        }
        let (trust, home_of_change) = (self.clone(), home.clone());
        self.file(home).update(home.wait_options(), move |draft| {
            let entries = trust.entries(&home_of_change, &draft.snapshot())?.into_iter();
            let gone = entries.filter(|(_, entry)| entry.id.as_ref().is_some_and(|id| ids.contains(id)));
            Ok((gone.map(|(at, _)| LineEdit::Remove(at)).collect(), ()))
        })?;
        self.file(home).clear_beside(home.wait_options())
    }

    /// Checks the file; with `fix`, recovers every intact line.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(super) fn examine(&self, home: &Home, fix: bool) -> Result<Examination> {
        let read = |number: usize, line: &[u8]| read_record::<Entry>(&self.path, number, line).map(drop);
        self.file(home).examine(home.wait_options(), fix, &read)
    }
}

/// The hash of what an item says and when it applies.
fn hash(item: &Item) -> GeneratedId {
    let mut hasher = Sha256::new();
    hasher.update(RECIPE);
    let length = |length: usize| u64::try_from(length).unwrap_or(u64::MAX).to_le_bytes();
    let mut add = |text: &str| {
        hasher.update(length(text.len()));
        hasher.update(text);
    };
    let expiry = item.expiry.as_deref().unwrap_or_default();
    [&item.id, item.item_type.as_str(), &item.content, expiry].into_iter().for_each(&mut add);
    let hints = &item.relevance_hints;
    for list in [&hints.files, &hints.crates, &hints.langs] {
        hasher.update(length(list.len()));
        for word in list {
            hasher.update(length(word.len()));
            hasher.update(word);
        }
    }
    GeneratedId::digest(&hasher.finalize().into())
}
