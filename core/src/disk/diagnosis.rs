//! What each kind of data file makes of its bytes: what is wrong with them, and what can be brought back.

use std::path::Path;

use serde::de::DeserializeOwned;

use super::commit::{Contents, Parsed};
use super::document::{Document, DocumentFile, Shape};
use super::journal::{JournalFile, Line, parse_line, whole_lines};
use super::record::RecordFile;
use super::salvage::{Salvaged, salvage};
use super::wait::Wait;
use crate::error::{DAMAGE_ADVICE, Error, ErrorKind, Result};
use crate::finding::{Examination, Fault};

/// How many places of damage are told one by one.
const TOLD: usize = 3;

/// What is wrong with the bytes of a data file.
pub(super) struct Diagnosis {
    /// Each fault, and what it means.
    pub(super) faults: Vec<(Fault, String)>,
    pub(super) cure: Cure,
}

/// What can be done about it.
pub(super) enum Cure {
    None,
    /// What stands behind so many bytes is set aside.
    CutTail(usize),
    /// The file is kept beside itself, and these bytes take its place.
    Replace {
        bytes: Vec<u8>,
        /// How many records are in them.
        records: usize,
    },
    /// Nothing can be brought back, and a missing file is an empty one.
    SetAside,
}

impl Diagnosis {
    fn sound() -> Self {
        Diagnosis { faults: Vec::new(), cure: Cure::None }
    }

    /// Nothing may be done to a file that is not understood.
    fn too_new(detail: impl Into<String>) -> Self {
        Diagnosis { faults: vec![(Fault::TooNew, detail.into())], cure: Cure::None }
    }
}

impl<S: Shape> DocumentFile<'_, S> {
    /// Looks at the file and what lies beside it. With `fix` a damaged one is kept as it is beside itself, and every
    /// record that is whole in it is brought back.
    ///
    /// # Errors
    /// `Cancelled`. Any other is a finding.
    pub fn examine(&self, wait: &Wait, fix: bool) -> Result<Examination> {
        self.disk.examine(&self.path, wait, self.patience, fix, &|bytes| document::<S>(&self.path, bytes))
    }
}

impl<L: Line> JournalFile<'_, L> {
    /// Looks at the file and what lies beside it. With `fix` an unfinished last line is set aside; a damaged file is kept
    /// as it is beside itself, and every line of it that parses is brought back.
    ///
    /// # Errors
    /// `Cancelled`. Any other is a finding.
    pub fn examine(&self, wait: &Wait, fix: bool) -> Result<Examination> {
        self.disk.examine(&self.path, wait, self.patience, fix, &|bytes| self.diagnose(bytes))
    }

    fn diagnose(&self, bytes: &[u8]) -> Diagnosis {
        let whole = whole_lines(bytes);
        let (mut rest, mut records, mut damaged) = (Vec::with_capacity(whole), 0, Vec::new());
        for (index, line) in bytes[..whole].split(|byte| *byte == b'\n').enumerate() {
            if line.is_empty() {
                continue;
            }
            match parse_line::<L>(&self.path, index + 1, line) {
                Ok(_) => {
                    rest.extend_from_slice(line);
                    rest.push(b'\n');
                    records += 1;
                }
                Err(error) if error.kind() == ErrorKind::FormatTooNew => {
                    return Diagnosis::too_new(reason(&self.path, &error));
                }
                Err(error) => damaged.push(reason(&self.path, &error)),
            }
        }
        let mut faults = Vec::new();
        if !damaged.is_empty() {
            faults.push((Fault::Damaged, told(&damaged)));
        }
        if whole < bytes.len() {
            let detail = format!(
                "its last line (from byte {whole} on) is not whole; most likely it was never finished, and nobody was told that it was stored; readers skip it"
            );
            faults.push((Fault::TornTail, detail));
        }
        let cure = match (damaged.is_empty(), records) {
            (true, _) if whole == bytes.len() => Cure::None,
            (true, _) => Cure::CutTail(whole),
            (false, 0) => Cure::SetAside,
            (false, _) => Cure::Replace { bytes: rest, records },
        };
        Diagnosis { faults, cure }
    }
}

impl RecordFile<'_> {
    /// Looks at the file and what lies beside it. With `fix` a damaged one is set aside: whoever knows what stood in it
    /// writes it again.
    ///
    /// # Errors
    /// `Cancelled`. Any other is a finding.
    pub fn examine<R: DeserializeOwned>(&self, wait: &Wait, fix: bool) -> Result<Examination> {
        self.disk.examine(&self.path, wait, self.patience, fix, &|bytes| match self.parse::<R>(bytes) {
            Ok(_) => Diagnosis::sound(),
            Err(error) if error.kind() == ErrorKind::FormatTooNew => Diagnosis::too_new(reason(&self.path, &error)),
            Err(error) => {
                let faults = vec![(Fault::Damaged, reason(&self.path, &error))];
                Diagnosis { faults, cure: Cure::SetAside }
            }
        })
    }
}

fn document<S: Shape>(path: &Path, bytes: &[u8]) -> Diagnosis {
    let error = match Document::<S>::parse(path, bytes) {
        Ok(_) => return Diagnosis::sound(),
        Err(error) if error.kind() == ErrorKind::FormatTooNew => return Diagnosis::too_new(reason(path, &error)),
        Err(error) => error,
    };
    let Salvaged { document, records, too_new } = salvage::<S>(bytes);
    if too_new {
        return Diagnosis::too_new(
            "it does not parse, and its schemaVersion is newer than this loopmem reads; update loopmem; the file was left as it is",
        );
    }
    let is_only_twice = Document::<S>::records(path, bytes).is_ok();
    let fault = if is_only_twice { Fault::DuplicateId } else { Fault::Damaged };
    let cure = match document.to_bytes() {
        Ok(bytes) if !document.is_empty() => Cure::Replace { bytes, records },
        _ => Cure::SetAside,
    };
    Diagnosis { faults: vec![(fault, reason(path, &error))], cure }
}

/// What an error says of a file, without the file's name, what became of it and what to do.
fn reason(path: &Path, error: &Error) -> String {
    let message = error.message();
    let damaged = Error::parse(path, "");
    let damaged = damaged.message().strip_suffix(DAMAGE_ADVICE);
    let too_new = format!("{}: ", path.display());
    let reason = damaged.and_then(|damaged| message.strip_prefix(damaged)).or_else(|| message.strip_prefix(&too_new));
    reason.map_or(message, |reason| reason.strip_suffix(DAMAGE_ADVICE).unwrap_or(reason)).to_owned()
}

fn told(damaged: &[String]) -> String {
    let first = damaged.iter().take(TOLD).map(String::as_str).collect::<Vec<_>>().join("; ");
    match damaged.len().saturating_sub(TOLD) {
        0 => first,
        more => format!("{first}; and so in {}", counted(more, "more line")),
    }
}

/// `1 record`, `2 records`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
