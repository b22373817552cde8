//! Since when the lock files of unknown owners have stood still.
//!
//! Whether an owner on another machine, or of before a restart, is alive can only be told by watching its heartbeat for the
//! stale time, which is longer than most calls wait and than many processes live. So what was seen, and when, is noted in
//! `NAME.lock.owner.seen`, by the monotonic clock of this boot: the next call and the next process go on watching from
//! there. A note of another boot is not comparable and counts for nothing; notes are advice, and losing one only costs
//! time.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::disk::fs::mutex::lock;
use crate::disk::fs::names::beside;
use crate::disk::fs::seam::{Fs, Open, read_file};
use crate::disk::fs::writing::write_all;

/// Stands behind the name of the lock file.
const SUFFIX: &str = ".seen";
/// The size that such a file may have, in bytes.
const MAX_BYTES: u64 = 1 << 16;
/// How many machines may note what they have seen. Beyond it the oldest notes go.
const MAX_NOTES: usize = 16;

/// What this process has seen, by lock file.
#[derive(Debug, Default)]
pub(in crate::disk) struct Watch(Mutex<HashMap<PathBuf, Sighting>>);

/// A lock file as it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sighting {
    fingerprint: String,
    since: Duration,
}

/// `NAME.lock.owner.seen`.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Notes {
    seen: Vec<Note>,
}

/// What one boot of one machine has seen.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    boot: String,
    fingerprint: String,
    /// In milliseconds of that boot's monotonic clock.
    since: u64,
}

impl Watch {
    /// Whether the lock file at `path`, which reads `bytes`, has not changed for `stale_after`.
    pub(in crate::disk) fn is_stale(&self, fs: &dyn Fs, path: &Path, bytes: &[u8], stale_after: Duration) -> bool {
        let now = fs.elapsed();
        let fingerprint: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let mut seen = lock(&self.0);
        if let Some(known) = seen.get(path).filter(|known| known.fingerprint == fingerprint) {
            return now.saturating_sub(known.since) >= stale_after;
        }
        let since = noted(fs, path, &fingerprint, now);
        seen.insert(path.to_owned(), Sighting { fingerprint, since });
        now.saturating_sub(since) >= stale_after
    }

    /// Forgets a lock file that is gone.
    pub(in crate::disk) fn forget(&self, fs: &dyn Fs, path: &Path) {
        if lock(&self.0).remove(path).is_some() {
            // One that stays is overwritten by the next one.
            let _ = fs.remove(&beside(path, SUFFIX));
        }
    }
}

/// Since when it is noted that the lock file has stood still; noted now, if it is not.
fn noted(fs: &dyn Fs, path: &Path, fingerprint: &str, now: Duration) -> Duration {
    let Some(own) = fs.process(std::process::id()) else { return now };
    let file = beside(path, SUFFIX);
    let mut notes: Notes = read_file(fs, &file, MAX_BYTES)
        .ok()
        .and_then(|(_, _, bytes)| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default();
    let is_it = |note: &&Note| note.boot == own.boot && note.fingerprint == fingerprint;
    let since = notes.seen.iter().find(is_it).map(|note| Duration::from_millis(note.since));
    // A time to come was not noted by this clock.
    if let Some(since) = since.filter(|since| *since <= now) {
        return since;
    }
    notes.seen.retain(|note| note.boot != own.boot);
    notes.seen.drain(..(notes.seen.len() + 1).saturating_sub(MAX_NOTES));
    let since = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
    notes.seen.push(Note { boot: own.boot, fingerprint: fingerprint.to_owned(), since });
    // Where it cannot be noted, this process watches for itself.
    let _ = write(fs, &file, &notes);
    now
}

/// Puts the notes in their file, wholly or not at all.
fn write(fs: &dyn Fs, file: &Path, notes: &Notes) -> std::io::Result<()> {
    let temp = beside(file, &format!(".{}.tmp", Uuid::new_v4().simple()));
    let written = fs.open(&temp, Open::CreateNew).and_then(|handle| {
        let text = serde_json::to_vec(notes)?;
        write_all(fs, &handle, &text).map_err(std::io::Error::other)?;
        fs.rename(&temp, file)
    });
    if written.is_err() {
        let _ = fs.remove(&temp);
    }
    written
}
