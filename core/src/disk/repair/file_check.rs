//! Looking at a data file and at what lies beside it, and mending what is wrong there.
//!
//! A look creates nothing, no lock file either, and changes nothing. What can be repaired is repaired under the exclusive
//! lock, and each step leaves everything that was there in the file or beside it. What is wrong with one file never
//! keeps the others from being looked at: only a call that was cancelled ends early.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::inspection::{Inspection, Repair, counted};
use crate::disk::Disk;
use crate::disk::files::{folder, quarantine};
use crate::disk::fs::real::{FILE_MODE, FOLDER_MODE};
use crate::disk::fs::seam::{Kind, Open, Stat, Sync};
use crate::disk::fs::writing;
use crate::disk::locks::lock::{Guard, Mode};
use crate::disk::locks::owner;
use crate::disk::locks::wait::WaitOptions;
use crate::error::{Error, ErrorKind, Result};
use crate::finding::{Examination, Fault, Finding};

/// Permission bits of anybody but the owner.
const OTHERS: u32 = 0o077;
/// Those of them that let others change a file.
const OTHERS_WRITE: u32 = 0o022;

/// What a data file's format says of its bytes; of a file that is not there, `None`.
pub(crate) type Inspect<'d> = dyn Fn(Option<&[u8]>) -> Inspection + 'd;

/// What a file in the folder of a data file has to do with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Data,
    Lock,
    /// A lock file that has an owner.
    Owner,
    Unfinished,
    Copying,
    Quarantined,
    /// A folder that was removed as a whole.
    Deleted,
}

/// The names in a folder, listed once for all the files in it that are looked at: were it listed for each of them, the
/// time would grow with the square of their number.
#[derive(Debug, Default)]
pub(crate) struct Listing(BTreeSet<OsString>);

impl FromIterator<OsString> for Listing {
    fn from_iter<N: IntoIterator<Item = OsString>>(names: N) -> Self {
        Listing(names.into_iter().collect())
    }
}

impl Listing {
    /// The names of a data file and of what is beside it. What decides which file is read is there even if it was not when
    /// the folder was listed.
    fn of_file(&self, name: &str) -> BTreeSet<OsString> {
        let is_its = |entry: &&OsString| entry.as_encoded_bytes().starts_with(name.as_bytes());
        let listed = self.0.range(OsString::from(name)..).take_while(is_its).cloned();
        listed.chain([name.into(), format!("{name}.copying").into()]).collect()
    }
}

/// A data file that is looked at, or a folder that has one lock.
pub(in crate::disk) struct FileCheck<'d> {
    pub(in crate::disk) disk: &'d Disk,
    pub(in crate::disk) data: &'d Path,
    /// What the lock is beside: the data file, or the folder it lies in.
    pub(in crate::disk) locked: &'d Path,
    pub(in crate::disk) kind: Kind,
    /// The size that the file may have, in bytes.
    pub(in crate::disk) most: u64,
    pub(in crate::disk) diagnose: &'d Inspect<'d>,
    /// What the folder of the data file has, if that is known; else the folder is listed.
    pub(in crate::disk) listing: Option<&'d Listing>,
    /// Unfinished files that were there before the lock was taken: nobody alive writes those that still are. A file of
    /// which nobody ever took the lock has none.
    pub(in crate::disk) suspects: Vec<PathBuf>,
    /// Lock files whose owner was gone before the lock was taken, which may take them over.
    pub(in crate::disk) ownerless: Vec<PathBuf>,
}

impl Disk {
    /// Looks at a data file, and with `fix` mends it.
    ///
    /// # Errors
    /// `Cancelled`. Any other is a finding.
    pub(in crate::disk) fn examine(
        &self,
        data: &Path,
        wait: &WaitOptions,
        default_timeout: Duration,
        fix: bool,
        most: u64,
        diagnose: &Inspect<'_>,
    ) -> Result<Examination> {
        let (kind, suspects, ownerless) = (Kind::File, Vec::new(), Vec::new());
        let listing = None;
        let check = FileCheck { disk: self, data, locked: data, kind, most, diagnose, listing, suspects, ownerless };
        check.examine(wait, default_timeout, fix)
    }

    /// Looks at a folder that is only the owner's, and with `fix` makes it so.
    pub fn examine_folder(&self, folder: &Path, fix: bool) -> Examination {
        self.examine_mode(folder, Kind::Folder, OTHERS, fix)
    }

    /// As [`examine_folder`](Self::examine_folder), and what is in it; nothing, if it cannot be listed.
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

    /// Looks at a file that is its owner's to write and that loopmem only reads; with `fix` it is made so. A link is
    /// the owner's own affair.
    pub fn examine_read_only(&self, file: &Path, fix: bool) -> Examination {
        self.examine_mode(file, Kind::File, OTHERS_WRITE, fix)
    }

    /// Looks whether a regular file is its owner's alone, and under the exclusive lock makes it so; nothing, if it is no
    /// regular file.
    pub(crate) fn examine_private(&self, path: &Path, guard: Option<&Guard>) -> Option<Finding> {
        match self.stat(path) {
            Ok(stat) => self.mode(path, &stat.filter(|stat| stat.kind == Kind::File)?, OTHERS, guard.is_some()),
            Err(error) => Some(Finding::of_failure(path, &error)),
        }
    }

    /// The finding for a folder in which this process may not write; `detail` says what that means.
    pub(crate) fn examine_writable(&self, folder: &Path, detail: &str) -> Option<Finding> {
        const ADVICE: &str = "this user may not write here; change the folder's owner or mode, or choose another home";
        match self.is_writable(folder) {
            Ok(true) => None,
            Ok(false) => Some(Finding::new(folder, Fault::Unwritable, format!("{detail}: {ADVICE}"))),
            Err(cause) => Some(Finding::of_failure(folder, &Error::io("look at", folder, &cause))),
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
            Err(cause) => return failed(path, &Error::io("look at", path, &cause)),
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
                .map(|()| format!("its mode is {wanted:o} now"))
                .map_err(|cause| Error::io("set the mode of", path, &cause))
        });
        let what = if stat.mode & unwanted & OTHERS_WRITE == 0 { "read" } else { "change" };
        let detail = format!("others than its owner may {what} it (mode {:o})", stat.mode);
        let would = format!("fix sets its mode to {wanted:o}");
        Some(Finding::new(path, Fault::Mode, detail).with_repair(&would, outcome.as_ref()))
    }
}

impl FileCheck<'_> {
    /// Looks, and with `fix` mends.
    ///
    /// # Errors
    /// `Cancelled`. Any other is a finding.
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
        let unlocked = match lock(Mode::Shared)? {
            Ok(guard) => {
                found.absorb(self.look(Some(guard)));
                None
            }
            Err(error) if error.retryable() => return Ok(failed(self.data, &error)),
            // No writer gets the lock either.
            Err(error) => {
                found.absorb(self.look(None));
                Some(error)
            }
        };
        let is_to_be_mended = fix && found.findings.iter().any(|finding| finding.fault.is_repairable());
        let unlocked = match unlocked {
            None if is_to_be_mended => match lock(Mode::Exclusive)? {
                Ok(guard) => {
                    found.findings.retain(|finding| finding.fault == Fault::UnknownOwner);
                    found.files = 0;
                    found.absorb(self.mend(&guard));
                    None
                }
                Err(error) => Some(error),
            },
            unlocked => unlocked,
        };
        if let Some(error) = unlocked {
            found.absorb(failed(self.data, &error));
        }
        Ok(found)
    }

    /// Whether the lock is this file's own.
    fn is_locked_alone(&self) -> bool {
        self.data == self.locked
    }

    /// What the folder has of this data file.
    fn entries(&self) -> Result<Vec<(PathBuf, Stat, Role)>> {
        let name = self.data.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let folder = writing::folder_of(self.data)?;
        // Others may be many.
        let is_its = |entry: &OsString| entry.as_encoded_bytes().starts_with(name.as_bytes());
        let entries = match self.listing {
            Some(listing) => self.disk.entries_named(folder, listing.of_file(name))?,
            None => self.disk.entries_called(folder, is_its)?,
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
            // Beside a folder there may be the files of others, with locks of their own.
            _ if self.kind == Kind::Folder && !suffix.starts_with(owner::SUFFIX) => return None,
            ".copying" => Role::Copying,
            _ if writing::is_litter(name, entry) => Role::Unfinished,
            _ if quarantine::is_quarantined_name(suffix) => Role::Quarantined,
            _ => return None,
        })
    }

    /// Looks, and changes nothing. The lock of a single file is let go of when the bytes are there.
    fn look(&self, guard: Option<Guard>) -> Examination {
        let read = self.entries().map(|entries| (entries, self.bytes()));
        // Where readers take no lock, what looks unfinished may be a writer's at work.
        let is_at_work = guard.as_ref().is_some_and(Guard::is_unlocked);
        // What is read with other files of the folder is read under the lock of all.
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

    /// Looks and mends, under the exclusive lock. A copy that was not finished is finished first: it is what is read.
    fn mend(&self, guard: &Guard) -> Examination {
        let copied = self.entries().map(|entries| {
            let copying = entries.into_iter().find(|(_, stat, role)| *role == Role::Copying && stat.kind == Kind::File);
            copying.map(|(path, _, _)| self.unfinished_copy(&path, Some(guard)))
        });
        let read = copied.and_then(|copied| Ok((copied, self.entries()?, self.bytes())));
        match read {
            // What could not be copied is not what the target says.
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
        if self.kind == Kind::Folder { Ok(None) } else { self.disk.read_data(self.data, self.most) }
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
                    found.findings.push(self.litter(&path, guard));
                }
                (Role::Deleted, Kind::Folder) => found.findings.push(self.deleted(&path, guard)),
                (Role::Unfinished | Role::Owner | Role::Deleted, _) => {}
                (Role::Data, Kind::Folder) if self.kind == Kind::Folder => {}
                (Role::Data, Kind::File) if self.kind == Kind::Folder => {
                    found.findings.push(not_a_file(&path, self.kind, stat.kind));
                }
                (Role::Data | Role::Lock | Role::Copying, Kind::Link | Kind::Folder | Kind::Other) => {
                    found.files += usize::from(role == Role::Data);
                    found.findings.push(not_a_file(&path, self.kind_of(role), stat.kind));
                }
                // A folder of this name is nobody's; what else is no file is in the way of what is to be set aside.
                (Role::Quarantined, Kind::Folder) => {}
                (Role::Quarantined, Kind::Link | Kind::Other) => {
                    found.findings.push(not_a_file(&path, Kind::File, stat.kind));
                }
                (role, Kind::File) => {
                    found.findings.extend(self.disk.mode(&path, &stat, OTHERS, guard.is_some()));
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
        // Where locks are such files, this process has taken it over by now.
        let outcome = guard.map(|guard| match guard.is_owner() {
            true if owner::is_lock_of(self.data, path) => Ok("it was taken over".to_owned()),
            _ => owner::remove_dead(&*self.disk.fs, path).map(|()| "it was removed".to_owned()),
        });
        let detail = "the process that made this lock file is gone";
        Finding::new(path, Fault::StaleOwner, detail).with_repair("fix removes it", outcome.as_ref())
    }

    fn unfinished_copy(&self, path: &Path, guard: Option<&Guard>) -> Finding {
        let outcome = guard
            .map(|guard| self.disk.settle(guard, self.data).map(|()| format!("it was copied over {}", self.name())));
        let detail = format!("a writer died while it copied this over {}, and it is what is read", self.name());
        Finding::new(path, Fault::UnfinishedCopy, detail).with_repair("fix finishes that", outcome.as_ref())
    }

    fn litter(&self, path: &Path, guard: Option<&Guard>) -> Finding {
        let outcome = guard.map(|_| match self.disk.fs.remove(path) {
            Ok(()) => Ok("it was removed".to_owned()),
            // Whoever replaces a file sweeps first.
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok("it was removed".to_owned()),
            Err(cause) => Err(Error::io("remove", path, &cause)),
        });
        let detail = "a writer that died left it unfinished, and nothing reads it";
        Finding::new(path, Fault::Litter, detail).with_repair("fix removes it", outcome.as_ref())
    }

    fn deleted(&self, path: &Path, guard: Option<&Guard>) -> Finding {
        let outcome = guard.map(|_| {
            folder::clear(self.disk, path, Kind::Folder);
            let is_left = self.disk.has_entry(path);
            let left = || Error::io("remove", path, &std::io::ErrorKind::DirectoryNotEmpty.into());
            if is_left { Err(left()) } else { Ok("it was removed".to_owned()) }
        });
        let detail = "it is left of what was deleted, and nothing reads it";
        Finding::new(path, Fault::Litter, detail).with_repair("fix removes it", outcome.as_ref())
    }

    fn contents(&self, bytes: Result<Option<Vec<u8>>>, guard: Option<&Guard>) -> Vec<Finding> {
        let (bytes, diagnosis) = match bytes {
            Ok(bytes) => {
                let diagnosis = (self.diagnose)(bytes.as_deref());
                (bytes.unwrap_or_default(), diagnosis)
            }
            // It is too large to be read, and can be moved all the same.
            Err(error) if error.kind() == ErrorKind::Parse => {
                (Vec::new(), Inspection::of(self.data, &error, || Repair::Quarantine))
            }
            Err(error) => return vec![Finding::of_failure(self.data, &error)],
        };
        let Inspection { faults, cure } = diagnosis;
        let would = match &cure {
            Repair::None => None,
            Repair::CutTail(_) => Some(format!("fix sets it aside in {}.torn", self.name())),
            Repair::Replace { records, .. } => {
                Some(format!("fix keeps the damaged file beside it and brings back {}", counted(*records, "record")))
            }
            Repair::Rebuild { of, .. } if bytes.is_empty() => Some(format!("fix makes it anew of {of}")),
            Repair::Rebuild { of, .. } => Some(format!("fix keeps it beside itself and makes it anew of {of}")),
            Repair::Remove => Some("fix removes it".to_owned()),
            Repair::Quarantine => Some("fix sets it aside; nothing of it can be brought back".to_owned()),
        };
        let findings = faults.into_iter().map(|(fault, detail)| Finding::new(self.data, fault, detail));
        match would {
            None => findings.collect(),
            Some(would) => {
                let outcome = guard.map(|guard| self.cure(guard, &bytes, cure));
                findings.map(|finding| finding.with_repair(&would, outcome.as_ref())).collect()
            }
        }
    }

    /// Mends a file that holds `bytes`, and tells what was done. A crash between two steps keeps things twice and loses
    /// nothing.
    fn cure(&self, guard: &Guard, bytes: &[u8], cure: Repair) -> Result<String> {
        let name_of = |kept: &Path| kept.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match cure {
            Repair::None => Ok(String::new()),
            Repair::CutTail(whole) => {
                let kept = quarantine::keep_tail(self.disk, guard, self.data, &[&bytes[whole..]])?;
                self.disk.replace(guard, self.data, &bytes[..whole])?;
                Ok(format!("it was set aside in {}", name_of(&kept)))
            }
            Repair::Replace { bytes: rest, records } => {
                let kept = quarantine::keep_copy(self.disk, guard, self.data, bytes)?;
                self.disk.replace(guard, self.data, &rest)?;
                let verb = if records == 1 { "was" } else { "were" };
                let records = counted(records, "record");
                Ok(format!("{records} {verb} brought back, and the damaged file is kept as {}", name_of(&kept)))
            }
            Repair::Rebuild { bytes: rebuilt, of, then } => {
                let kept = match bytes {
                    [] => None,
                    bytes => Some(quarantine::keep_copy(self.disk, guard, self.data, bytes)?),
                };
                self.disk.replace(guard, self.data, &rebuilt)?;
                then.map_or(Ok(()), |(path, bytes)| self.disk.replace(guard, &path, &bytes).map(drop))?;
                let kept = kept.map(|kept| format!(", and the old file is kept as {}", name_of(&kept)));
                Ok(format!("it was made anew of {of}{}", kept.unwrap_or_default()))
            }
            Repair::Remove => {
                self.disk.fs.remove(self.data).map_err(|cause| Error::io("remove", self.data, &cause))?;
                writing::sync_folder(&*self.disk.fs, writing::folder_of(self.data)?)?;
                Ok("it was removed".to_owned())
            }
            Repair::Quarantine => {
                let kept = quarantine::move_away(self.disk, self.data)?;
                Ok(format!("nothing of it could be brought back, and it is kept as {}", name_of(&kept)))
            }
        }
    }

    /// What should be in the place of an entry.
    fn kind_of(&self, role: Role) -> Kind {
        if role == Role::Data { self.kind } else { Kind::File }
    }

    fn name(&self) -> String {
        self.data.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

fn unknown_owner(path: &Path) -> Finding {
    let detail = "whether its owner is alive cannot be told from here: it may run on another machine, or be from before a \
                  restart; a write takes it over once it has stood still for memory.lockStaleMs";
    Finding::new(path, Fault::UnknownOwner, detail)
}

/// What was set aside earlier, and is still there.
pub(crate) fn quarantined(path: &Path) -> Finding {
    Finding::new(path, Fault::SetAside, "it holds what was set aside; look whether you need it, and delete it if not")
}

/// What is in the place of a file or a folder, and is of another `kind` than the one that is `wanted`.
pub(crate) fn not_a_file(path: &Path, wanted: Kind, kind: Kind) -> Finding {
    let what = match kind {
        Kind::Link => "a link",
        Kind::Folder => "a folder",
        Kind::File => "a file",
        Kind::Other => "a device, a socket or a pipe",
    };
    let wanted = if wanted == Kind::Folder { "folder" } else { "file" };
    let detail = format!("{what} is in the place of the {wanted}, and loopmem does not use it; move it away");
    Finding::new(path, Fault::NotAFile, detail)
}

fn failed(path: &Path, error: &Error) -> Examination {
    Examination { files: 0, findings: vec![Finding::of_failure(path, error)] }
}
