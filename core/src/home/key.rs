//! The home's key for tags: `redaction.key`, by which equal secrets look equal in every process that shares the home.
//!
//! It is made when the first secret is redacted in something that is kept. What keeps it from being made or read never
//! keeps a record from being stored: tags are then those of the process alone, and a warning says so.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde::Deserialize;

use super::{Config, Layout};
use crate::disk::{Disk, Fs, RecordFile, WaitOptions};
use crate::error::{Error, Result};
use crate::finding::Examination;
use crate::lazy::lazily;
use crate::safety::{Key, KeySource, ProcessKey, Redactor, SealedObject};
use crate::warning::Warning;

const VERSION: u64 = 1;
/// How long a process goes without the home's key before it tries for it once more.
const TRIED_AGAIN_AFTER: Duration = Duration::from_secs(10);

/// `redaction.key`.
#[derive(Deserialize)]
struct Told {
    key: Key,
}

/// The key of one home.
#[derive(Debug)]
pub(super) struct HomeKey {
    /// Locks of its own: whoever asks for a key may be on the way to a lock, or hold one, and waits for none of those.
    disk: Disk,
    clock: Arc<dyn Fs>,
    path: PathBuf,
    /// The longest wait for its lock.
    patience: Duration,
    /// A forked child has its parent's.
    known: OnceLock<Key>,
    /// When to try again, in milliseconds of the clock; 0 before anything failed.
    not_before: AtomicU64,
}

impl HomeKey {
    /// The key of this home, whose warnings go through `redactor`; nothing is read or made yet.
    pub(super) fn new(fs: Arc<dyn Fs>, layout: &Layout, config: &Config, redactor: &Redactor) -> Self {
        HomeKey {
            disk: Disk::new(Arc::clone(&fs), layout.root()).with_policy(config.files).with_redactor(redactor),
            clock: fs,
            path: layout.redaction_key(),
            patience: config.append_timeout,
            known: OnceLock::new(),
            not_before: AtomicU64::new(0),
        }
    }

    /// Looks at the file; with `fix` a damaged one is set aside, and the next secret makes a new key.
    ///
    /// # Errors
    /// `Cancelled`. Any other is a finding.
    pub(super) fn examine(&self, wait: &WaitOptions, fix: bool) -> Result<Examination> {
        // The call's turn is one before other locks.
        self.file().examine::<Told>(&WaitOptions::new(wait.timeout, wait.cancel.clone()), fix)
    }

    fn file(&self) -> RecordFile<'_> {
        RecordFile::new(&self.disk, self.path.clone(), self.patience, VERSION)
    }

    /// The stored key, stored now if there is none.
    fn stored(&self) -> Result<Key> {
        let file = self.file();
        file.create(&WaitOptions::default(), || {
            let mut told = SealedObject::default();
            told.set("schemaVersion", &VERSION)?;
            told.set("key", &Key::random())?;
            Ok(told.record::<Told>()?)
        })?;
        let told = file.read_durably::<Told>()?;
        told.map(|told| told.key).ok_or_else(|| Error::io("read", &self.path, &std::io::ErrorKind::NotFound.into()))
    }

    fn is_too_early(&self) -> bool {
        let not_before = self.not_before.load(Ordering::Relaxed);
        not_before > 0 && self.clock.elapsed() < Duration::from_millis(not_before)
    }

    fn try_later(&self) {
        let then = self.clock.elapsed().saturating_add(TRIED_AGAIN_AFTER).as_millis();
        self.not_before.store(u64::try_from(then).unwrap_or(u64::MAX).max(1), Ordering::Relaxed);
    }
}

impl KeySource for HomeKey {
    fn persistent(&self) -> Key {
        if let Some(known) = self.known.get() {
            return known.clone();
        }
        if self.is_too_early() {
            return ProcessKey.persistent();
        }
        match self.stored() {
            Ok(key) => lazily(&self.known, || key.clone()).clone(),
            Err(error) => {
                self.try_later();
                let message = "there is no key for the tags of secrets; until there is, tags are this process's own";
                self.disk.warn(Warning::new(message).at(&self.path).because(&error));
                ProcessKey.persistent()
            }
        }
    }

    fn ephemeral(&self) -> Key {
        let known = self.known.get().cloned();
        // It may not be durable yet, so it is not kept.
        let known = known.or_else(|| self.file().read::<Told>().ok()?.map(|told| told.key));
        known.unwrap_or_else(|| ProcessKey.ephemeral())
    }
}
