//! Records since when the lock files of unknown owners have been unchanged.
//!
//! Whether an owner on another machine, or from before a restart, is alive can only be determined by watching its heartbeat for
//! the stale time, which is longer than most calls wait and than many processes live. So each observation is recorded in
//! `NAME.lock.owner.seen`, with the monotonic clock of this boot, and the next call or process continues from there. Notes of
//! another boot are not comparable and are ignored. Notes are only hints: losing one costs time, nothing else.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::disk::fs::seam::{Fs, Open, read_file};
use crate::disk::fs::writing::{beside, write_all};
use crate::mutex::lock;

/// Appended to the name of the lock file.
const SUFFIX: &str = ".seen";
const MAX_BYTES: u64 = 1 << 16;
/// The maximum number of notes, one per machine. The oldest ones are dropped.
const MAX_NOTES: usize = 16;

/// The observations of this process, by lock file.
#[derive(Debug, Default)]
pub(in crate::disk) struct Watch(Mutex<HashMap<PathBuf, Observation>>);

/// An observation of a lock file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Observation {
    fingerprint: String,
    since: Duration,
}

/// `NAME.lock.owner.seen`.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Notes {
    seen: Vec<Note>,
}

/// An observation by one boot of one machine.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    boot: String,
    fingerprint: String,
    /// In milliseconds of that boot's monotonic clock.
    since: u64,
}

impl Watch {
    /// Whether the lock file at `path`, with the contents `bytes`, has been unchanged for `stale_after`.
    pub(in crate::disk) fn is_stale(&self, fs: &dyn Fs, path: &Path, bytes: &[u8], stale_after: Duration) -> bool {
        let now = fs.elapsed();
        let fingerprint: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let mut seen = lock(&self.0);
        if let Some(known) = seen.get(path).filter(|known| known.fingerprint == fingerprint) {
            return now.saturating_sub(known.since) >= stale_after;
        }
        let since = unchanged_since(fs, path, &fingerprint, now);
        seen.insert(path.to_owned(), Observation { fingerprint, since });
        now.saturating_sub(since) >= stale_after
    }

    /// Forgets a lock file that no longer exists.
    pub(in crate::disk) fn forget(&self, fs: &dyn Fs, path: &Path) {
        if lock(&self.0).remove(path).is_some() {
            // If this fails, the next observation overwrites it.
            let _ = fs.remove(&beside(path, SUFFIX));
        }
    }
}

/// Since when the lock file has been unchanged according to the notes; adds a note if there is none.
fn unchanged_since(fs: &dyn Fs, path: &Path, fingerprint: &str, now: Duration) -> Duration {
    let Some(own) = fs.process(std::process::id()) else { return now };
    let file = beside(path, SUFFIX);
    let mut notes: Notes = read_file(fs, &file, MAX_BYTES)
        .ok()
        .and_then(|(_, _, bytes)| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default();
    let matches = |note: &&Note| note.boot == own.boot && note.fingerprint == fingerprint;
    let since = notes.seen.iter().find(matches).map(|note| Duration::from_millis(note.since));
    // A time in the future is not from this clock.
    if let Some(since) = since.filter(|since| *since <= now) {
        return since;
    }
    notes.seen.retain(|note| note.boot != own.boot);
    notes.seen.drain(..(notes.seen.len() + 1).saturating_sub(MAX_NOTES));
    let since = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
    notes.seen.push(Note { boot: own.boot, fingerprint: fingerprint.to_owned(), since });
    // If this fails, only this process continues from here.
    let _ = write(fs, &file, &notes);
    now
}

/// Writes the notes to their file atomically.
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
