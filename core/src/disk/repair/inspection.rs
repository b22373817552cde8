//! The result of inspecting the bytes of a data file: what is wrong with them, and what can be recovered.
//!
//! How the values and lists of a folder relate is known only to the room that owns them, so that room inspects them.

use std::path::{Path, PathBuf};

use crate::disk::files::lines;
use crate::disk::files::text::whole_lines;
use crate::error::{DAMAGE_ADVICE, Error, ErrorKind, Result};
use crate::finding::Fault;

/// How many damaged places are listed individually.
const MAX_LISTED: usize = 3;

/// Damaged places in a file: descriptions of the first ones, and their number, since there may be millions.
#[derive(Debug, Default)]
pub(crate) struct DamageList {
    first: Vec<String>,
    count: usize,
}

impl DamageList {
    pub(crate) fn add(&mut self, what: impl FnOnce() -> String) {
        self.count += 1;
        if self.first.len() < MAX_LISTED {
            self.first.push(what());
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Describes the first places, and says how many more there are.
    pub(crate) fn summary(&self) -> String {
        let first = self.first.join("; ");
        match self.count - self.first.len() {
            0 => first,
            more => format!("{first}; and {}", counted(more, "more damaged line")),
        }
    }
}

/// What is wrong with the bytes of a data file, and how to repair it.
pub struct Inspection {
    /// Each fault, with a description.
    pub(crate) faults: Vec<(Fault, String)>,
    pub(crate) repair: Repair,
}

/// How a data file can be repaired.
pub enum Repair {
    None,
    /// Move what follows the first bytes, as many as given, to `NAME.torn`.
    CutTail(usize),
    /// Keep a copy of the file, and replace it by these bytes.
    Replace {
        bytes: Vec<u8>,
        /// How many records they contain.
        records: usize,
    },
    /// Keep a copy of the file, if it exists, and replace it by these bytes; then replace another file too.
    Rebuild {
        bytes: Vec<u8>,
        /// From what they were rebuilt.
        of: String,
        then: Option<(PathBuf, Vec<u8>)>,
    },
    /// Remove the file, which nothing reads.
    Remove,
    /// Move the file to `NAME.damaged`: nothing can be recovered, and a missing file counts as empty.
    Quarantine,
}

impl Inspection {
    pub(crate) fn sound() -> Self {
        Inspection { faults: Vec::new(), repair: Repair::None }
    }

    /// A file of a newer version, which must not be changed.
    pub(in crate::disk) fn too_new(detail: impl Into<String>) -> Self {
        Inspection { faults: vec![(Fault::TooNew, detail.into())], repair: Repair::None }
    }

    /// A damaged file.
    pub(crate) fn damaged(detail: impl Into<String>, repair: Repair) -> Self {
        Inspection { faults: vec![(Fault::Damaged, detail.into())], repair }
    }

    /// The inspection of a file at `path` that fails to parse with `error`; `repair` applies if it is damaged.
    pub(crate) fn of(path: &Path, error: &Error, repair: impl FnOnce() -> Repair) -> Self {
        match error.kind() {
            ErrorKind::FormatTooNew => Inspection::too_new(reason(path, error)),
            _ => Inspection::damaged(reason(path, error), repair()),
        }
    }

    /// Inspects the lines of a list that does not depend on another file.
    pub(crate) fn of_list(path: &Path, bytes: &[u8]) -> Self {
        Inspection::of_lines(path, bytes, whole_lines(bytes), |_, offset, line| {
            lines::read_line(path, offset, line).map(drop)
        })
    }

    /// Inspects the lines in the first `whole` bytes: `read` gets each with its number and offset, and ends the inspection if
    /// the call is cancelled. What follows is incomplete.
    pub(in crate::disk) fn of_lines(
        path: &Path,
        bytes: &[u8],
        whole: usize,
        mut read: impl FnMut(usize, u64, &[u8]) -> Result<()>,
    ) -> Self {
        let (mut rest, mut records, mut damaged) = (Vec::new(), 0, DamageList::default());
        let mut end = 0;
        for (index, line) in bytes[..whole].split_inclusive(|byte| *byte == b'\n').enumerate() {
            let offset = end;
            end += line.len() as u64;
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            if text.is_empty() {
                continue;
            }
            match read(index + 1, offset, text) {
                Ok(()) => {
                    rest.extend_from_slice(line);
                    // A blank line is no record, where it is no damage.
                    records += usize::from(!text.trim_ascii().is_empty());
                }
                Err(error) if error.kind() == ErrorKind::FormatTooNew => {
                    return Inspection::too_new(reason(path, &error));
                }
                Err(error) if error.kind() == ErrorKind::Cancelled => return Inspection::sound(),
                Err(error) => damaged.add(|| reason(path, &error)),
            }
        }
        let mut faults = Vec::new();
        if !damaged.is_empty() {
            faults.push((Fault::Damaged, damaged.summary()));
        }
        if whole < bytes.len() {
            let detail = format!(
                "its last line (from byte {whole}) is incomplete; most likely its write was interrupted and never acknowledged; readers skip it"
            );
            faults.push((Fault::TornTail, detail));
        }
        let repair = match (damaged.is_empty(), records) {
            (true, _) if whole == bytes.len() => Repair::None,
            (true, _) => Repair::CutTail(whole),
            (false, 0) => Repair::Quarantine,
            (false, _) => Repair::Replace { bytes: rest, records },
        };
        Inspection { faults, repair }
    }
}

/// The reason in an error about a file, without the file's name and the advice.
pub(crate) fn reason(path: &Path, error: &Error) -> String {
    let message = error.message();
    let damaged = Error::parse(path, "");
    let damaged = damaged.message().strip_suffix(DAMAGE_ADVICE);
    let too_new = format!("{}: ", path.display());
    let reason = damaged.and_then(|damaged| message.strip_prefix(damaged)).or_else(|| message.strip_prefix(&too_new));
    reason.map_or(message, |reason| reason.strip_suffix(DAMAGE_ADVICE).unwrap_or(reason)).to_owned()
}

/// `1 record`, `2 records`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
