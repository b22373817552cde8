//! What was last the same here and on the branch, as hashes: enough to see which side has changed a record.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::home::Home;

const VERSION: u64 = 1;
/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// A hash of a text, in hex.
type Hash = String;

/// The records of a file: the hash of each by that of its key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Records(BTreeMap<Hash, Hash>);

impl Records {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The hash of a record.
    pub(super) fn get(&self, key: &str) -> Option<Hash> {
        self.0.get(&hash(key)).cloned()
    }

    /// Sets the hash of a record, or removes it.
    pub(super) fn set(&mut self, key: &str, record: Option<Hash>) {
        match record {
            Some(record) => drop(self.0.insert(hash(key), record)),
            None => drop(self.0.remove(&hash(key))),
        }
    }

    /// How many records there are that have none of these keys.
    pub(super) fn beside<'k>(&self, keys: impl Iterator<Item = &'k String>) -> usize {
        self.0.len() - keys.filter(|key| self.0.contains_key(&hash(key))).count()
    }
}

/// The records of each file of the branch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Synced(BTreeMap<Hash, Records>);

/// The file `synced.json`.
#[derive(Serialize, Deserialize)]
struct Document {
    v: u64,
    files: BTreeMap<Hash, Records>,
}

impl Synced {
    /// Reads the file. Without it, or if it is damaged, nothing is known to have been the same: records are then merged by
    /// their times, and none is removed.
    pub(super) fn read(home: &Home, path: &Path) -> Self {
        let bytes = home.disk().read_foreign(path, MAX_BYTES).ok().flatten();
        let document = bytes.and_then(|bytes| serde_json::from_slice::<Document>(&bytes).ok());
        Synced(document.filter(|it| it.v == VERSION).map(|it| it.files).unwrap_or_default())
    }

    /// Writes the file.
    pub(super) fn write(&self, home: &Home, path: &Path) -> Result<()> {
        let text = serde_json::to_vec(&Document { v: VERSION, files: self.0.clone() })
            .map_err(|cause| Error::internal("what was synchronized cannot be written").because(cause))?;
        home.disk().write_derived(path, &text)?;
        let folder = path.parent().unwrap_or(path);
        home.disk().sync_files(folder, [path.to_owned()]).map(drop)
    }

    /// The records of a file.
    pub(super) fn of(&self, file: &str) -> Records {
        self.0.get(&hash(file)).cloned().unwrap_or_default()
    }

    /// Sets the records of a file.
    pub(super) fn set(&mut self, file: &str, records: Records) {
        self.0.insert(hash(file), records);
    }
}

/// The hash of a text, which does not reveal it.
pub(super) fn hash(text: &str) -> Hash {
    let digest: [u8; 32] = Sha256::digest(text.as_bytes()).into();
    format!("{:032x}", u128::from_be_bytes(*digest.first_chunk().unwrap_or(&[0; 16])))
}
