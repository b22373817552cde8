//! Every kind of data file, looked at by its own rules.

use std::path::Path;

use serde::de::DeserializeOwned;

use super::file_check::{FileCheck, Inspect, Listing};
use super::inspection::{Inspection, Repair, reason};
use super::salvage::{Salvaged, salvage};
use crate::disk::files::cache::Parsed;
use crate::disk::files::commit::Contents;
use crate::disk::files::document::{Document, DocumentFile, DocumentSchema, MAX_DOCUMENT_BYTES};
use crate::disk::files::folder::Folder;
use crate::disk::files::journal::{JournalFile, Line, MAX_JOURNAL_BYTES, parse_line};
use crate::disk::files::record::RecordFile;
use crate::disk::files::text::whole_lines;
use crate::disk::files::{record, text, value};
use crate::disk::fs::seam::Kind;
use crate::disk::locks::wait::WaitOptions;
use crate::error::{ErrorKind, Result};
use crate::finding::{Examination, Fault};

impl Folder<'_> {
    /// Looks at the lock of the folder, at the folder itself, and at what removing it left, of what `parent` lists.
    ///
    /// # Errors
    /// `Cancelled`. Any other is a finding.
    pub(crate) fn examine(&self, wait: &WaitOptions, fix: bool, parent: &Listing) -> Result<Examination> {
        let mut found = self.disk.examine_folder(&self.path, fix);
        let check = self.file_check(&self.path, Kind::Folder, Some(parent), &|_| Inspection::sound());
        found.absorb(check.examine(wait, self.default_timeout, fix)?);
        Ok(found)
    }

    /// Looks at the file of a value or a list in the folder, under the lock of all; at what is beside it as far as that is
    /// in `listing`, if it is given.
    ///
    /// # Errors
    /// `Cancelled`. Any other is a finding.
    pub(crate) fn examine_file(
        &self,
        name: &Path,
        wait: &WaitOptions,
        fix: bool,
        listing: Option<&Listing>,
        diagnose: &Inspect<'_>,
    ) -> Result<Examination> {
        self.file_check(&self.path.join(name), Kind::File, listing, diagnose).examine(wait, self.default_timeout, fix)
    }

    fn file_check<'p>(
        &'p self,
        data: &'p Path,
        kind: Kind,
        listing: Option<&'p Listing>,
        diagnose: &'p Inspect<'p>,
    ) -> FileCheck<'p> {
        let (suspects, ownerless) = (Vec::new(), Vec::new());
        let is_list = data.extension().is_some_and(|extension| extension == "jsonl");
        let most = if is_list { text::MAX_LIST_BYTES } else { value::MAX_BYTES };
        FileCheck { disk: self.disk, data, locked: &self.path, kind, most, diagnose, listing, suspects, ownerless }
    }
}

impl<S: DocumentSchema> DocumentFile<'_, S> {
    /// Looks at the file and what lies beside it. With `fix` a damaged one is kept as it is beside itself, and every
    /// record that is whole in it is brought back.
    ///
    /// # Errors
    /// `Cancelled`. Any other is a finding.
    pub fn examine(&self, wait: &WaitOptions, fix: bool) -> Result<Examination> {
        self.disk.examine(&self.path, wait, self.default_timeout, fix, MAX_DOCUMENT_BYTES, &|bytes| {
            bytes.map_or_else(Inspection::sound, |bytes| document::<S>(&self.path, bytes))
        })
    }
}

impl<L: Line> JournalFile<'_, L> {
    /// Looks at the file and what lies beside it. With `fix` an unfinished last line is set aside; a damaged file is kept
    /// as it is beside itself, and every line of it that parses is brought back.
    ///
    /// # Errors
    /// `Cancelled`. Any other is a finding.
    pub fn examine(&self, wait: &WaitOptions, fix: bool) -> Result<Examination> {
        self.disk.examine(&self.path, wait, self.default_timeout, fix, MAX_JOURNAL_BYTES, &|bytes| {
            bytes.map_or_else(Inspection::sound, |bytes| self.diagnose(bytes))
        })
    }

    fn diagnose(&self, bytes: &[u8]) -> Inspection {
        Inspection::of_lines(&self.path, bytes, whole_lines(bytes), |number, _, line| {
            parse_line::<L>(&self.path, number, line, false).map(drop)
        })
    }
}

impl RecordFile<'_> {
    /// Looks at the file and what lies beside it. With `fix` a damaged one is set aside: whoever knows what stood in it
    /// writes it again.
    ///
    /// # Errors
    /// `Cancelled`. Any other is a finding.
    pub fn examine<R: DeserializeOwned>(&self, wait: &WaitOptions, fix: bool) -> Result<Examination> {
        let diagnose = |bytes: Option<&[u8]>| match bytes.map(|it| self.parse::<R>(it)) {
            Some(Err(error)) => Inspection::of(&self.path, &error, || Repair::Quarantine),
            Some(Ok(_)) | None => Inspection::sound(),
        };
        self.disk.examine(&self.path, wait, self.default_timeout, fix, record::MAX_BYTES, &diagnose)
    }
}

fn document<S: DocumentSchema>(path: &Path, bytes: &[u8]) -> Inspection {
    let error = match Document::<S>::parse(path, bytes) {
        Ok(_) => return Inspection::sound(),
        Err(error) if error.kind() == ErrorKind::FormatTooNew => return Inspection::too_new(reason(path, &error)),
        Err(error) => error,
    };
    let Salvaged { document, records, too_new } = salvage::<S>(bytes);
    if too_new {
        return Inspection::too_new(
            "it does not parse, and its schemaVersion is newer than this loopmem reads; update loopmem; the file was left as it is",
        );
    }
    let is_only_twice = Document::<S>::records(path, bytes).is_ok();
    let fault = if is_only_twice { Fault::DuplicateId } else { Fault::Damaged };
    let cure = match document.to_bytes() {
        Ok(bytes) if !document.is_empty() => Repair::Replace { bytes, records },
        _ => Repair::Quarantine,
    };
    Inspection { faults: vec![(fault, reason(path, &error))], cure }
}
