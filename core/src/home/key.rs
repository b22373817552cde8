//! The home's key for the tags of secrets, `redaction.key`: with it, equal secrets have equal tags in all processes
//! that share the home.
//!
//! It is created when the first secret in a stored record is redacted. If it cannot be created or read, records are
//! stored nevertheless: tags then come from a key of the process, and a warning is logged.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use once_cell::race::OnceBox;
use serde::Deserialize;

use super::{Config, INTRODUCTION, Layout};
use crate::disk::{Disk, Fs, RecordFile, WaitOptions};
use crate::error::{Error, Result};
use crate::finding::Examination;
use crate::lazy::lazily;
use crate::safety::{Key, KeySource, ProcessKey, Redactor, SealedObject};
use crate::warning::Warning;

const VERSION: u64 = 1;
/// How long a process waits after a failure before it tries to read the home's key again.
const RETRY_AFTER: Duration = Duration::from_secs(10);

/// The contents of `redaction.key`.
#[derive(Deserialize)]
struct KeyFile {
    key: Key,
}

/// The key of one home.
#[derive(Debug)]
pub(super) struct HomeKey {
    /// Has separate locks: a caller that needs the key may hold another lock or wait for one, which must not block
    /// here.
    disk: Disk,
    clock: Arc<dyn Fs>,
    path: PathBuf,
    /// The maximum wait for its lock.
    timeout: Duration,
    /// A forked child inherits it.
    known: OnceBox<Key>,
    /// When to try again, in milliseconds of the clock; 0 if nothing has failed.
    not_before: AtomicU64,
}

impl HomeKey {
    /// The key of this home, with `redactor` for its warnings. Nothing is read or created yet.
    pub(super) fn new(fs: Arc<dyn Fs>, layout: &Layout, config: &Config, redactor: &Redactor) -> Self {
        HomeKey {
            disk: Disk::new(Arc::clone(&fs), layout.root())
                .with_policy(config.files)
                .with_redactor(redactor)
                .with_introduction(INTRODUCTION),
            clock: fs,
            path: layout.redaction_key(),
            timeout: config.append_timeout,
            known: OnceBox::new(),
            not_before: AtomicU64::new(0),
        }
    }

    /// Checks the file. With `fix`, a damaged one is set aside, and the next secret creates a new key.
    pub(super) fn examine(&self, wait: &WaitOptions, fix: bool) -> Result<Examination> {
        // The turn of the call is for other locks.
        self.file().examine::<KeyFile>(&WaitOptions::new(wait.timeout, wait.cancel.clone()), fix)
    }

    fn file(&self) -> RecordFile<'_> {
        RecordFile::new(&self.disk, self.path.clone(), self.timeout, VERSION)
    }

    /// The stored key, created if there is none.
    fn stored(&self) -> Result<Key> {
        let file = self.file();
        file.create(&WaitOptions::default(), || {
            let mut key_file = SealedObject::default();
            key_file.set("schemaVersion", &VERSION)?;
            key_file.set("key", &Key::random())?;
            Ok(key_file.record::<KeyFile>()?)
        })?;
        let stored = file.read_durably::<KeyFile>()?;
        stored.map(|it| it.key).ok_or_else(|| Error::io("read", &self.path, &std::io::ErrorKind::NotFound.into()))
    }

    fn is_retry_pending(&self) -> bool {
        let not_before = self.not_before.load(Ordering::Relaxed);
        not_before > 0 && self.clock.elapsed() < Duration::from_millis(not_before)
    }

    fn schedule_retry(&self) {
        let then = self.clock.elapsed().saturating_add(RETRY_AFTER).as_millis();
        self.not_before.store(u64::try_from(then).unwrap_or(u64::MAX).max(1), Ordering::Relaxed);
    }
}

impl KeySource for HomeKey {
    fn persistent(&self) -> Key {
        if let Some(known) = self.known.get() {
            return known.clone();
        }
        if self.is_retry_pending() {
            return ProcessKey.persistent();
        }
        match self.stored() {
            Ok(key) => lazily(&self.known, || key.clone()).clone(),
            Err(error) => {
                self.schedule_retry();
                let message = "the key for the tags of secrets is not available; this process uses a temporary one";
                self.disk.warn(Warning::new(message).at(&self.path).because(&error));
                ProcessKey.persistent()
            }
        }
    }

    fn ephemeral(&self) -> Key {
        let known = self.known.get().cloned();
        // It may not be durable yet, so it is not cached.
        let known = known.or_else(|| self.file().read::<KeyFile>().ok()?.map(|it| it.key));
        known.unwrap_or_else(|| ProcessKey.ephemeral())
    }
}
