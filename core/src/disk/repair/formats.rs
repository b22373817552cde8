//! The checks of each kind of data file.

use std::cell::Cell;
use std::path::Path;

use serde::de::DeserializeOwned;

use super::file_check::{FileCheck, Inspect, Listing};
use super::inspection::{Inspection, Repair, reason};
use super::salvage::{Salvaged, salvage};
use crate::disk::files::cache::Parsed;
use crate::disk::files::commit::{Contents, DataFile};
use crate::disk::files::document::{Document, DocumentSchema};
use crate::disk::files::folder::Folder;
use crate::disk::files::journal::{Journal, Line, parse_line};
use crate::disk::files::line_file::LineFile;
use crate::disk::files::line_snapshot::LineSnapshot;
use crate::disk::files::record::RecordFile;
use crate::disk::files::text::whole_lines;
use crate::disk::files::{line_snapshot, record, text, value};
use crate::disk::fs::seam::Kind;
use crate::disk::locks::wait::WaitOptions;
use crate::error::{ErrorKind, Result};
use crate::finding::{Examination, Fault};

impl Folder<'_> {
    /// Checks the folder's lock files, the folder itself, and the remains of its removals among the names in `parent`.
    pub(crate) fn examine(&self, wait: &WaitOptions, fix: bool, parent: &Listing) -> Result<Examination> {
        let mut found = self.disk.examine_folder(&self.path, fix);
        let check = self.file_check(&self.path, Kind::Folder, Some(parent), &|_| Inspection::sound());
        found.absorb(check.examine(wait, self.default_timeout, fix)?);
        Ok(found)
    }

    /// Checks the file of a value or a list in the folder, under the folder's lock, and the files beside it; only those in
    /// `listing`, if it is given.
    pub(crate) fn examine_file(
        &self,
        name: &Path,
        wait: &WaitOptions,
        fix: bool,
        listing: Option<&Listing>,
        inspect: &Inspect<'_>,
    ) -> Result<Examination> {
        self.file_check(&self.path.join(name), Kind::File, listing, inspect).examine(wait, self.default_timeout, fix)
    }

    fn file_check<'p>(
        &'p self,
        data: &'p Path,
        kind: Kind,
        listing: Option<&'p Listing>,
        inspect: &'p Inspect<'p>,
    ) -> FileCheck<'p> {
        let is_list = data.extension().is_some_and(|extension| extension == "jsonl");
        let limit = if is_list { text::MAX_LIST_BYTES } else { value::MAX_BYTES };
        FileCheck { locked: &self.path, kind, listing, ..self.disk.check(data, limit, inspect) }
    }
}

/// How many lines are inspected before the call asks whether it was cancelled.
const LINES_BETWEEN_CHECKS: usize = 1024;

/// What is inspected line by line or record by record.
pub trait Inspected: Parsed {
    /// Inspects the bytes of a file at `path`.
    fn inspected(path: &Path, bytes: &[u8]) -> Inspection;
}

impl<C: Inspected> DataFile<'_, C> {
    /// Checks the file and the files beside it. With `fix`, an incomplete last line is moved to `NAME.torn`; a copy of a damaged
    /// file is kept beside it, and every intact record is recovered.
    ///
    /// # Errors
    /// `Cancelled`. Other errors become findings.
    pub fn examine(&self, wait: &WaitOptions, fix: bool) -> Result<Examination> {
        let inspect = |bytes: Option<&[u8]>| bytes.map_or_else(Inspection::sound, |it| C::inspected(&self.path, it));
        self.disk.check(&self.path, C::MAX_BYTES, &inspect).examine(wait, self.default_timeout, fix)
    }
}

impl LineFile<'_> {
    /// Checks the file and the files beside it; `read` fails for a damaged line, given with its number. With `fix`, an
    /// incomplete last line is moved to `NAME.torn`; a copy of a damaged file is kept beside it, and every intact line is
    /// recovered.
    ///
    /// # Errors
    /// `Cancelled`. Other errors become findings.
    pub(crate) fn examine(
        &self,
        wait: &WaitOptions,
        fix: bool,
        read: &dyn Fn(usize, &[u8]) -> Result<()>,
    ) -> Result<Examination> {
        let is_cancelled = Cell::new(false);
        let inspect = |bytes: Option<&[u8]>| {
            let Some(bytes) = bytes else { return Inspection::sound() };
            let cancelled = || wait.cancel.check().inspect_err(|_| is_cancelled.set(true));
            let Ok(lines) = LineSnapshot::of(bytes, &LineSnapshot::default(), &cancelled) else {
                return Inspection::sound();
            };
            Inspection::of_lines(&self.path, bytes, lines.end(bytes.len()), |number, _, line| {
                if number % LINES_BETWEEN_CHECKS == 0 {
                    cancelled()?;
                }
                read(number, line)
            })
        };
        let check = self.disk.check(&self.path, line_snapshot::MAX_BYTES, &inspect);
        // A file in a work tree has the mode that git or its owner gave it.
        let check = if self.is_private { check } else { check.readable_by_others() };
        let found = check.examine(wait, self.default_timeout, fix)?;
        // What was not inspected to its end was not repaired.
        if is_cancelled.get() { wait.cancel.check().map(|()| found) } else { Ok(found) }
    }
}

impl<L: Line> Inspected for Journal<L> {
    fn inspected(path: &Path, bytes: &[u8]) -> Inspection {
        Inspection::of_lines(path, bytes, whole_lines(bytes), |number, _, line| {
            parse_line::<L>(path, number, line, false).map(drop)
        })
    }
}

impl RecordFile<'_> {
    /// Checks the file and the files beside it. With `fix`, a damaged file is quarantined: its owner writes a new one when it
    /// needs to.
    ///
    /// # Errors
    /// `Cancelled`. Other errors become findings.
    pub fn examine<R: DeserializeOwned>(&self, wait: &WaitOptions, fix: bool) -> Result<Examination> {
        let inspect = |bytes: Option<&[u8]>| match bytes.map(|it| self.parse::<R>(it)) {
            Some(Err(error)) => Inspection::of(&self.path, &error, || Repair::Quarantine),
            Some(Ok(_)) | None => Inspection::sound(),
        };
        self.disk.check(&self.path, record::MAX_BYTES, &inspect).examine(wait, self.default_timeout, fix)
    }
}

impl<S: DocumentSchema> Inspected for Document<S> {
    fn inspected(path: &Path, bytes: &[u8]) -> Inspection {
        let error = match Document::<S>::parse(path, bytes) {
            Ok(_) => return Inspection::sound(),
            Err(error) if error.kind() == ErrorKind::FormatTooNew => return Inspection::too_new(reason(path, &error)),
            Err(error) => error,
        };
        let Salvaged { document, records, too_new } = salvage::<S>(bytes);
        if too_new {
            return Inspection::too_new(
                "it does not parse, and its schemaVersion is newer than this loopmem supports; update loopmem; the file was not changed",
            );
        }
        let only_ids_repeat = Document::<S>::records(path, bytes).is_ok();
        let fault = if only_ids_repeat { Fault::DuplicateId } else { Fault::Damaged };
        let repair = match document.is_empty() {
            false => Repair::Replace { bytes: document.to_bytes(), records },
            true => Repair::Quarantine,
        };
        Inspection { faults: vec![(fault, reason(path, &error))], repair }
    }
}
