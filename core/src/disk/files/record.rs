//! A JSON file that contains one record.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::stored::Json;
use super::text::{describe, refuse_newer};
use crate::disk::Disk;
use crate::disk::fs::copying;
use crate::disk::fs::seam::{Handle, Sync, unread};
use crate::disk::fs::writing;
use crate::disk::locks::lock::Guard;
use crate::disk::locks::queue::Mode;
use crate::disk::locks::wait::WaitOptions;
use crate::error::{Error, Result};
use crate::safety::{Sealed, SealedObject};

pub(in crate::disk) const MAX_BYTES: u64 = 1 << 20;

/// A record file.
#[derive(Debug)]
pub struct RecordFile<'d> {
    pub(in crate::disk) disk: &'d Disk,
    pub(in crate::disk) path: PathBuf,
    /// The longest wait for the lock, unless the call sets its own.
    pub(in crate::disk) default_timeout: Duration,
    /// The newest `schemaVersion` that is read.
    version: u64,
}

impl<'d> RecordFile<'d> {
    /// Returns the record at `path`; nothing is read or created yet.
    pub fn new(disk: &'d Disk, path: PathBuf, default_timeout: Duration, version: u64) -> Self {
        RecordFile { disk, path, default_timeout, version }
    }

    /// Reads the record; `None` if there is no file. No lock is needed, since the file is created atomically.
    ///
    /// # Errors
    /// `ParseError`, `FormatTooNew`, `IOError`.
    pub fn read<R: DeserializeOwned>(&self) -> Result<Option<R>> {
        Ok(self.open()?.map(|(_, record)| record))
    }

    /// The record as it is stored; `None` if there is no file.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    pub(crate) fn read_json(&self) -> Result<Option<Json>> {
        Ok(self.read::<Box<RawValue>>()?.map(Json::stored))
    }

    /// Like [`read`](Self::read), and makes the record durable first: its writer may have died before it could.
    pub fn read_durably<R: DeserializeOwned>(&self) -> Result<Option<R>> {
        let Some((handle, record)) = self.open()? else { return Ok(None) };
        self.disk.fs.sync(&handle, Sync::All).map_err(|cause| Error::io("sync", &self.path, &cause))?;
        writing::sync_folder(&*self.disk.fs, writing::folder_of(&self.path)?)?;
        Ok(Some(record))
    }

    fn open<R: DeserializeOwned>(&self) -> Result<Option<(Handle, R)>> {
        self.disk.check_folders_of(&self.path)?;
        let read = copying::read(&*self.disk.fs, &self.path, MAX_BYTES).map_err(|cause| unread(&self.path, &cause))?;
        read.map(|(handle, _, bytes)| Ok((handle, self.parse(&bytes)?))).transpose()
    }

    pub(in crate::disk) fn parse<R: DeserializeOwned>(&self, bytes: &[u8]) -> Result<R> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Version {
            schema_version: Option<Box<RawValue>>,
        }
        let damaged = |cause: serde_json::Error| Error::parse(&self.path, describe(&cause));
        let version: Version = serde_json::from_slice(bytes).map_err(damaged)?;
        if let Some(version) = version.schema_version {
            refuse_newer(&self.path, "schemaVersion", version.get(), self.version)?;
        }
        serde_json::from_slice(bytes).map_err(damaged)
    }

    /// Replaces the record durably. For a file whose writers share another lock, `guard`.
    ///
    /// # Errors
    /// `IOError`, `RenameError`.
    pub(crate) fn replace<R>(&self, guard: &Guard, record: &Sealed<R>) -> Result<()> {
        self.disk.check_folders_of(&self.path)?;
        let mut bytes = record.json().get().as_bytes().to_vec();
        bytes.push(b'\n');
        self.disk.replace(guard, &self.path, &bytes).map(drop)
    }

    /// Writes the record durably, unless the file has one that `is_current`. `record` is given the members of the old one.
    ///
    /// # Errors
    /// The error of `record`; those of [`read`](Self::read); `LockAcquisitionError`, `Cancelled`, `RenameError`.
    pub(crate) fn refresh<R: DeserializeOwned>(
        &self,
        wait: &WaitOptions,
        is_current: impl Fn(&R) -> bool,
        record: impl FnOnce(SealedObject) -> Result<Sealed<R>>,
    ) -> Result<()> {
        if self.read().is_ok_and(|old| old.as_ref().is_some_and(&is_current)) {
            return Ok(());
        }
        let guard = self.disk.locks.acquire(&self.path, Mode::Exclusive, wait, self.default_timeout)?;
        self.disk.settle(&guard, &self.path)?;
        let old: Option<Box<RawValue>> = self.read()?;
        let old = old.map(Json::stored);
        if let Some(old) = &old
            && is_current(&self.parse(old.get().as_bytes())?)
        {
            return Ok(());
        }
        let members =
            old.as_ref().map_or_else(|| Ok(SealedObject::default()), |old| Ok::<_, Error>(SealedObject::of(old)?))?;
        self.replace(&guard, &record(members)?)
    }

    /// Removes the file, what was set aside of it, and what dead writers left beside it, durably.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `IOError`.
    pub(crate) fn erase(&self, wait: &WaitOptions) -> Result<()> {
        self.disk.erase(&self.path, wait, self.default_timeout)
    }

    /// Writes the record durably, unless the file already exists.
    ///
    /// # Errors
    /// The error of `record`; `LockAcquisitionError`, `Cancelled`, `IOError`, `RenameError`.
    pub fn create<R>(&self, wait: &WaitOptions, record: impl FnOnce() -> Result<Sealed<R>>) -> Result<()> {
        self.disk.check_folders_of(&self.path)?;
        if self.disk.has_entry(&self.path) {
            return Ok(());
        }
        let guard = self.disk.locks.acquire(&self.path, Mode::Exclusive, wait, self.default_timeout)?;
        self.disk.settle(&guard, &self.path)?;
        if self.disk.has_entry(&self.path) {
            return Ok(());
        }
        let mut bytes = record()?.json().get().as_bytes().to_vec();
        bytes.push(b'\n');
        self.disk.replace(&guard, &self.path, &bytes).map(drop)
    }
}
