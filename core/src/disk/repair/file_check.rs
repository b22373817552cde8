//! Checking a data file and the files beside it, and repairing them.
//!
//! A check creates nothing, not even a lock file, and changes nothing. Repairs are made under the exclusive lock, and each step
//! keeps all data, in the file or beside it. A problem with one file never prevents the others from being checked: only a
//! cancelled call ends early.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::inspection::{Inspection, Repair, counted};
use crate::disk::Disk;
use crate::disk::files::{durable, folder};
use crate::disk::fs::real::{FILE_MODE, FOLDER_MODE};
use crate::disk::fs::seam::{Kind, Open, Stat, Sync, if_there};
use crate::disk::fs::writing;
use crate::disk::locks::lock::Guard;
use crate::disk::locks::owner;
use crate::disk::locks::queue::Mode;
use crate::disk::locks::wait::WaitOptions;
use crate::error::{Error, ErrorKind, Result};
use crate::finding::{Examination, Fault, Finding};

/// Permission bits of group and others.
const OTHERS: u32 = 0o077;
/// The bits that let group or others change a file.
const OTHERS_WRITE: u32 = 0o022;

/// Inspects the bytes of a data file according to its format; `None` if the file does not exist.
pub(crate) type Inspect<'d> = dyn Fn(Option<&[u8]>) -> Inspection + 'd;

/// The role of a file beside a data file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Data,
    Lock,
    /// An owner file of the fallback lock.
    Owner,
    Unfinished,
    Copying,
    Quarantined,
    /// A deleted folder.
    Deleted,
}

/// The names in a folder, listed once for all of its files that are checked: listing it for each of them would take quadratic
/// time.
#[derive(Debug, Default)]
pub(crate) struct Listing(BTreeSet<OsString>);

impl FromIterator<OsString> for Listing {
    fn from_iter<N: IntoIterator<Item = OsString>>(names: N) -> Self {
        Listing(names.into_iter().collect())
    }
}

impl Listing {
    /// The names of a data file and of the files beside it. Those that decide which file is read are always included, since they
    /// may have been created after the folder was listed.
    fn of_file(&self, name: &str) -> BTreeSet<OsString> {
        let belongs_to_file = |entry: &&OsString| entry.as_encoded_bytes().starts_with(name.as_bytes());
        let listed = self.0.range(OsString::from(name)..).take_while(belongs_to_file).cloned();
        listed.chain([name.into(), format!("{name}.copying").into()]).collect()
    }
}

/// The check of a data file, or of a folder that has one lock.
pub(in crate::disk) struct FileCheck<'d> {
    pub(in crate::disk) disk: &'d Disk,
    pub(in crate::disk) data: &'d Path,
    /// The path that the lock belongs to: the data file, or the folder that contains it.
    pub(in crate::disk) locked: &'d Path,
    pub(in crate::disk) kind: Kind,
    /// The maximum size of the file in bytes.
    pub(in crate::disk) limit: u64,
    pub(in crate::disk) inspect: &'d Inspect<'d>,
    /// The names in the folder of the data file, if known; otherwise it is listed.
    pub(in crate::disk) listing: Option<&'d Listing>,
    /// Temporary files that existed before the lock was taken: no live process is writing those that still exist under it. A
    /// file that was never locked has none.
    pub(in crate::disk) suspects: Vec<PathBuf>,
    /// Owner files whose owner was dead before the lock was taken, which may take them over.
    pub(in crate::disk) ownerless: Vec<PathBuf>,
    /// The permissions that others must not have on the data file.
    pub(in crate::disk) unwanted: u32,
}

impl Disk {
    /// The check of a private data file that has its own lock.
    pub(in crate::disk) fn check<'d>(&'d self, data: &'d Path, limit: u64, inspect: &'d Inspect<'d>) -> FileCheck<'d> {
        let (kind, suspects, ownerless) = (Kind::File, Vec::new(), Vec::new());
        let listing = None;
        let unwanted = OTHERS;
        FileCheck { disk: self, data, locked: data, kind, limit, inspect, listing, suspects, ownerless, unwanted }
    }

    /// Checks that only its owner can access a folder, and with `fix` sets its mode.
    pub fn examine_folder(&self, folder: &Path, fix: bool) -> Examination {
        self.examine_mode(folder, Kind::Folder, OTHERS, fix)
    }

    /// Like [`examine_folder`](Self::examine_folder), and returns its entries; none if it cannot be listed.
    pub fn examine_entries(&self, folder: &Path, fix: bool) -> (Examination, Vec<(OsString, Stat)>) {
        let mut found = self.examine_folder(folder, fix);
        let is_folder = !found.findings.iter().any(|finding| finding.fault == Fault::NotAFile);
        let entries = if is_folder { self.entries(folder) } else { Ok(Vec::new()) };
        let entries = entries.unwrap_or_else(|error| {
            found.findings.push(Finding::of_failure(folder, &error));
            Vec::new()
        });
        (found, entries)
    }

    /// Checks that only its owner can write to a file that loopmem only reads, and with `fix` sets its mode. A link is left to
    /// its owner.
    pub fn examine_read_only(&self, file: &Path, fix: bool) -> Examination {
        self.examine_mode(file, Kind::File, OTHERS_WRITE, fix)
    }

    /// Checks that only its owner can access a regular file, and with a guard of the exclusive lock sets its mode. Other kinds
    /// of files are ignored.
    pub(crate) fn examine_private(&self, path: &Path, guard: Option<&Guard>) -> Option<Finding> {
        match self.stat(path) {
            Ok(stat) => self.mode(path, &stat.filter(|stat| stat.kind == Kind::File)?, OTHERS, guard.is_some()),
            Err(error) => Some(Finding::of_failure(path, &error)),
        }
    }

    /// Checks that this process can write to a folder, if it is there; `detail` says what does not work otherwise.
    pub(crate) fn examine_writable(&self, folder: &Path, detail: &str) -> Option<Finding> {
        const ADVICE: &str = "this user cannot write here; change the folder's owner or mode, or choose another home";
        match self.is_writable(folder) {
            Ok(true) => None,
            Ok(false) => Some(Finding::new(folder, Fault::Unwritable, format!("{detail}: {ADVICE}"))),
            // It was removed since it was listed.
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => None,
            Err(cause) => Some(Finding::of_failure(folder, &Error::io("stat", folder, &cause))),
        }
    }

    fn examine_mode(&self, path: &Path, kind: Kind, unwanted: u32, fix: bool) -> Examination {
        let mut found = Examination { files: usize::from(kind == Kind::File), findings: Vec::new() };
        match self.fs.stat_path(path) {
            Ok(stat) if stat.kind == kind => found.findings.extend(self.mode(path, &stat, unwanted, fix)),
            Ok(stat) => {
                found.files = 0;
                if kind == Kind::Folder {
                    found.findings.push(not_a_file(path, kind, stat.kind));
                }
            }
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => found.files = 0,
            Err(cause) => return failed(path, &Error::io("stat", path, &cause)),
        }
        found
    }

    fn mode(&self, path: &Path, stat: &Stat, unwanted: u32, fix: bool) -> Option<Finding> {
        if stat.mode & unwanted == 0 {
            return None;
        }
        let wanted = match (stat.kind, unwanted) {
            (Kind::Folder, _) => FOLDER_MODE,
            (_, OTHERS_WRITE) => stat.mode & !OTHERS_WRITE,
            _ => FILE_MODE,
        };
        let how = if stat.kind == Kind::Folder { Open::Folder } else { Open::Read };
        let outcome = fix.then(|| {
            let handle = self.fs.open(path, how);
            handle
                .and_then(|handle| self.fs.set_mode(&handle, wanted).and_then(|()| self.fs.sync(&handle, Sync::All)))
                .map(|()| format!("its mode was set to {wanted:o}"))
                .map_err(|cause| Error::io("set the mode of", path, &cause))
        });
        let what = if stat.mode & unwanted & OTHERS_WRITE == 0 { "read" } else { "change" };
        let detail = format!("users other than its owner can {what} it (mode {:o})", stat.mode);
        let would = format!("fix sets its mode to {wanted:o}");
        Some(Finding::new(path, Fault::Mode, detail).with_repair(&would, outcome.as_ref()))
    }
}

impl FileCheck<'_> {
    /// The same check of a data file that others may read, such as one in a work tree.
    pub(in crate::disk) fn readable_by_others(self) -> Self {
        FileCheck { unwanted: OTHERS_WRITE, ..self }
    }

    /// Checks, and with `fix` repairs.
    pub(in crate::disk) fn examine(
        mut self,
        wait: &WaitOptions,
        default_timeout: Duration,
        fix: bool,
    ) -> Result<Examination> {
        let mut found = Examination::default();
        match self.entries() {
            Ok(entries) if entries.is_empty() && self.is_locked_alone() => return Ok(found),
            Ok(entries) => {
                for (path, _, role) in entries {
                    match role {
                        Role::Unfinished => self.suspects.push(path),
                        Role::Owner => match owner::owner_liveness(&*self.disk.fs, &path) {
                            Some(owner::Liveness::Dead) => self.ownerless.push(path),
                            Some(owner::Liveness::Unknown) => found.findings.push(unknown_owner(&path)),
                            Some(owner::Liveness::Alive) | None => {}
                        },
                        _ => {}
                    }
                }
            }
            Err(error) => return Ok(failed(self.data, &error)),
        }
        let lock = |mode| match self.disk.locks.acquire(self.locked, mode, wait, default_timeout) {
            Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
            locked => Ok(locked),
        };
        let (guard, mut unlocked) = match lock(Mode::Shared)? {
            Ok(guard) => (Some(guard), None),
            Err(error) if error.retryable() => return Ok(failed(self.data, &error)),
            // Writers cannot get the lock either.
            Err(error) => (None, Some(error)),
        };
        found.absorb(self.look(guard));
        if fix && unlocked.is_none() && found.findings.iter().any(|finding| finding.fault.is_repairable()) {
            match lock(Mode::Exclusive)? {
                Ok(guard) => {
                    found.findings.retain(|finding| finding.fault == Fault::UnknownOwner);
                    found.files = 0;
                    found.absorb(self.look_and_repair(&guard));
                }
                Err(error) => unlocked = Some(error),
            }
        }
        if let Some(error) = unlocked {
            found.absorb(failed(self.data, &error));
        }
        Ok(found)
    }

    /// Whether the lock belongs to this file alone.
    fn is_locked_alone(&self) -> bool {
        self.data == self.locked
    }

    /// The data file and the files beside it.
    fn entries(&self) -> Result<Vec<(PathBuf, Stat, Role)>> {
        let name = self.data.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let folder = writing::folder_of(self.data)?;
        // The folder may contain many other files.
        let belongs_to_file = |entry: &OsString| entry.as_encoded_bytes().starts_with(name.as_bytes());
        let entries = match self.listing {
            Some(listing) => self.disk.entries_named(folder, listing.of_file(name))?,
            None => self.disk.entries_called(folder, belongs_to_file)?,
        };
        let entries = entries.into_iter().filter_map(|(entry, stat)| {
            let role = self.role(name, &entry)?;
            Some((folder.join(entry), stat, role))
        });
        Ok(entries.collect())
    }

    fn role(&self, name: &str, entry: &OsStr) -> Option<Role> {
        let suffix = entry.to_str()?.strip_prefix(name)?;
        Some(match suffix {
            "" => Role::Data,
            ".lock" | ".gate" if self.is_locked_alone() => Role::Lock,
            _ if self.is_locked_alone() && owner::is_lock_file(suffix) => Role::Owner,
            _ if self.kind == Kind::Folder && suffix.starts_with(folder::DELETED) => Role::Deleted,
            // Other files beside a folder have their own locks.
            _ if self.kind == Kind::Folder && !suffix.starts_with(owner::SUFFIX) => return None,
            ".copying" => Role::Copying,
            _ if writing::is_litter(name, entry) => Role::Unfinished,
            _ if durable::is_quarantined_name(suffix) => Role::Quarantined,
            _ => return None,
        })
    }

    /// Checks without changing anything. The lock of a single file is released as soon as its bytes are read.
    fn look(&self, guard: Option<Guard>) -> Examination {
        let read = self.entries().map(|entries| (entries, self.bytes()));
        // If readers take no lock, a file that looks unfinished may be in use by a writer.
        let is_at_work = guard.as_ref().is_some_and(Guard::is_unlocked);
        // A file that is read together with others of its folder is read under their common lock.
        let guard = guard.filter(|_| !self.is_locked_alone());
        match read {
            Ok((mut entries, bytes)) => {
                let is_work = |role| matches!(role, Role::Unfinished | Role::Copying | Role::Deleted);
                entries.retain(|(_, _, role)| !is_at_work || !is_work(*role));
                let found = self.report(entries, bytes, None);
                drop(guard);
                found
            }
            Err(error) => failed(self.data, &error),
        }
    }

    /// Checks and repairs under the exclusive lock. An interrupted in-place copy is completed first, since it is authoritative.
    fn look_and_repair(&self, guard: &Guard) -> Examination {
        let copied = self.entries().map(|entries| {
            let copying = entries.into_iter().find(|(_, stat, role)| *role == Role::Copying && stat.kind == Kind::File);
            copying.map(|(path, _, _)| self.unfinished_copy(&path, Some(guard)))
        });
        let read = copied.and_then(|copied| Ok((copied, self.entries()?, self.bytes())));
        match read {
            // If the copy fails, the target does not have the current contents.
            Ok((Some(copied), _, _)) if !copied.repaired => Examination { files: 1, findings: vec![copied] },
            Ok((copied, entries, bytes)) => {
                let mut found = self.report(entries, bytes, Some(guard));
                found.findings.extend(copied);
                found
            }
            Err(error) => failed(self.data, &error),
        }
    }

    fn bytes(&self) -> Result<Option<Vec<u8>>> {
        if self.kind == Kind::Folder { Ok(None) } else { self.disk.read_data(self.data, self.limit) }
    }

    fn report(
        &self,
        entries: Vec<(PathBuf, Stat, Role)>,
        mut bytes: Result<Option<Vec<u8>>>,
        guard: Option<&Guard>,
    ) -> Examination {
        let mut found = Examination::default();
        if !entries.iter().any(|(_, _, role)| matches!(role, Role::Data | Role::Copying)) {
            found.findings.extend(self.contents(Ok(None), guard));
        }
        found.findings.extend(self.ownerless.iter().map(|path| self.ownerless(path, guard)));
        for (path, stat, role) in entries {
            match (role, stat.kind) {
                (Role::Unfinished, Kind::File) if self.suspects.contains(&path) => {
                    found.findings.push(self.litter(&path, Kind::File, guard));
                }
                (Role::Deleted, Kind::Folder) => found.findings.push(self.litter(&path, Kind::Folder, guard)),
                (Role::Unfinished | Role::Owner | Role::Deleted, _) => {}
                (Role::Data, Kind::Folder) if self.kind == Kind::Folder => {}
                (Role::Data, Kind::File) if self.kind == Kind::Folder => {
                    found.findings.push(not_a_file(&path, self.kind, stat.kind));
                }
                (Role::Data | Role::Lock | Role::Copying, Kind::Link | Kind::Folder | Kind::Other) => {
                    found.files += usize::from(role == Role::Data);
                    found.findings.push(not_a_file(&path, self.kind_of(role), stat.kind));
                }
                // A folder of this name does no harm; anything else that is not a file is in the way of quarantined data.
                (Role::Quarantined, Kind::Folder) => {}
                (Role::Quarantined, Kind::Link | Kind::Other) => {
                    found.findings.push(not_a_file(&path, Kind::File, stat.kind));
                }
                (role, Kind::File) => {
                    let unwanted = if role == Role::Data { self.unwanted } else { OTHERS };
                    found.findings.extend(self.disk.mode(&path, &stat, unwanted, guard.is_some()));
                    match role {
                        Role::Data => {
                            found.files += 1;
                            found.findings.extend(self.contents(std::mem::replace(&mut bytes, Ok(None)), guard));
                        }
                        Role::Quarantined => found.findings.push(quarantined(&path)),
                        Role::Copying => found.findings.push(self.unfinished_copy(&path, guard)),
                        Role::Lock | Role::Owner | Role::Unfinished | Role::Deleted => {}
                    }
                }
            }
        }
        found
    }

    fn ownerless(&self, path: &Path, guard: Option<&Guard>) -> Finding {
        // If owner files are the locks here, this process has taken it over by now.
        let outcome = guard.map(|guard| match guard.is_owner() {
            true if owner::is_lock_of(self.data, path) => Ok("it was taken over".to_owned()),
            _ => owner::remove_dead(&*self.disk.fs, path).map(|()| "it was removed".to_owned()),
        });
        let detail = "the process that created this lock file is gone";
        Finding::new(path, Fault::StaleOwner, detail).with_repair("fix removes it", outcome.as_ref())
    }

    fn unfinished_copy(&self, path: &Path, guard: Option<&Guard>) -> Finding {
        let outcome = guard
            .map(|guard| self.disk.settle(guard, self.data).map(|()| format!("{} was completed from it", self.name())));
        let detail = format!("a writer died while copying this to {}; readers use this copy", self.name());
        Finding::new(path, Fault::UnfinishedCopy, detail).with_repair("fix completes the copy", outcome.as_ref())
    }

    fn litter(&self, path: &Path, kind: Kind, guard: Option<&Guard>) -> Finding {
        let outcome = guard.map(|_| {
            let removed = if kind == Kind::Folder {
                folder::clear(self.disk, path, kind);
                let is_left = self.disk.has_entry(path);
                if is_left { Err(std::io::ErrorKind::DirectoryNotEmpty.into()) } else { Ok(()) }
            } else {
                // Replacing the file may have removed it already.
                if_there(self.disk.fs.remove(path)).map(drop)
            };
            removed.map(|()| "it was removed".to_owned()).map_err(|cause| Error::io("remove", path, &cause))
        });
        let detail = match kind {
            Kind::Folder => "it remains from a deletion; nothing reads it",
            _ => "a writer died before completing it; nothing reads it",
        };
        Finding::new(path, Fault::Litter, detail).with_repair("fix removes it", outcome.as_ref())
    }

    fn contents(&self, bytes: Result<Option<Vec<u8>>>, guard: Option<&Guard>) -> Vec<Finding> {
        let (bytes, inspection) = match bytes {
            Ok(bytes) => {
                let inspection = (self.inspect)(bytes.as_deref());
                (bytes.unwrap_or_default(), inspection)
            }
            // It is too large to be read, but can still be moved.
            Err(error) if error.kind() == ErrorKind::Parse => {
                (Vec::new(), Inspection::of(self.data, &error, || Repair::Quarantine))
            }
            Err(error) => return vec![Finding::of_failure(self.data, &error)],
        };
        let Inspection { faults, repair } = inspection;
        let would = match &repair {
            Repair::None => None,
            Repair::CutTail(_) => Some(format!("fix moves that line to {}.torn", self.name())),
            Repair::Replace { records, .. } => {
                Some(format!("fix keeps a copy of the damaged file and recovers {}", counted(*records, "record")))
            }
            Repair::Rebuild { of, .. } if bytes.is_empty() => Some(format!("fix rebuilds it from {of}")),
            Repair::Rebuild { of, .. } => Some(format!("fix keeps a copy of it and rebuilds it from {of}")),
            Repair::Remove => Some("fix removes it".to_owned()),
            Repair::Quarantine => Some("fix moves it aside; nothing in it can be recovered".to_owned()),
        };
        let findings = faults.into_iter().map(|(fault, detail)| Finding::new(self.data, fault, detail));
        match would {
            None => findings.collect(),
            Some(would) => {
                let outcome = guard.map(|guard| self.repair(guard, &bytes, repair));
                findings.map(|finding| finding.with_repair(&would, outcome.as_ref())).collect()
            }
        }
    }

    /// Repairs a file that contains `bytes`, and returns what was done. A crash between two steps duplicates data, but loses
    /// none.
    fn repair(&self, guard: &Guard, bytes: &[u8], repair: Repair) -> Result<String> {
        let name_of = |kept: &Path| kept.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match repair {
            Repair::None => Ok(String::new()),
            Repair::CutTail(whole) => {
                let kept = self.disk.keep_tail(guard, self.data, &[&bytes[whole..]])?;
                self.disk.replace(guard, self.data, &bytes[..whole])?;
                Ok(format!("the line was moved to {}", name_of(&kept)))
            }
            Repair::Replace { bytes: rest, records } => {
                let kept = self.disk.keep_copy(guard, self.data, bytes)?;
                self.disk.replace(guard, self.data, &rest)?;
                let verb = if records == 1 { "was" } else { "were" };
                let records = counted(records, "record");
                Ok(format!("{records} {verb} recovered, and the damaged file is kept as {}", name_of(&kept)))
            }
            Repair::Rebuild { bytes: rebuilt, of, then } => {
                let kept = match bytes {
                    [] => None,
                    bytes => Some(self.disk.keep_copy(guard, self.data, bytes)?),
                };
                self.disk.replace(guard, self.data, &rebuilt)?;
                then.map_or(Ok(()), |(path, bytes)| self.disk.replace(guard, &path, &bytes).map(drop))?;
                let kept = kept.map(|kept| format!(", and the old file is kept as {}", name_of(&kept)));
                Ok(format!("it was rebuilt from {of}{}", kept.unwrap_or_default()))
            }
            Repair::Remove => {
                self.disk.fs.remove(self.data).map_err(|cause| Error::io("remove", self.data, &cause))?;
                writing::sync_folder(&*self.disk.fs, writing::folder_of(self.data)?)?;
                Ok("it was removed".to_owned())
            }
            Repair::Quarantine => {
                let kept = self.disk.quarantine(guard, self.data)?;
                Ok(format!("nothing in it could be recovered, and it is kept as {}", name_of(&kept)))
            }
        }
    }

    /// The kind of file that an entry should be.
    fn kind_of(&self, role: Role) -> Kind {
        if role == Role::Data { self.kind } else { Kind::File }
    }

    fn name(&self) -> String {
        self.data.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

fn unknown_owner(path: &Path) -> Finding {
    let detail = "whether its owner is alive cannot be determined here: it may be on another machine, or from before a \
                  restart; a write takes it over once it has been unchanged for memory.lockStaleMs";
    Finding::new(path, Fault::UnknownOwner, detail)
}

/// The finding for data that was quarantined earlier.
pub(crate) fn quarantined(path: &Path) -> Finding {
    Finding::new(
        path,
        Fault::Quarantined,
        "it contains damaged data that was moved aside; delete it if you do not need it",
    )
}

/// The finding for an entry that has another `kind` than `wanted`.
pub(crate) fn not_a_file(path: &Path, wanted: Kind, kind: Kind) -> Finding {
    let what = match kind {
        Kind::Link => "a symbolic link",
        Kind::Folder => "a folder",
        Kind::File => "a file",
        Kind::Other => "a device, a socket or a pipe",
    };
    let wanted = if wanted == Kind::Folder { "folder" } else { "file" };
    let detail = format!("it is {what} instead of a {wanted}, so loopmem does not use it; move it away");
    Finding::new(path, Fault::NotAFile, detail)
}

fn failed(path: &Path, error: &Error) -> Examination {
    Examination { files: 0, findings: vec![Finding::of_failure(path, error)] }
}
