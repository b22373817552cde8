//! What each kind of data file makes of its bytes: what is wrong with them, and what can be brought back.
//!
//! What the values and lists of a folder have to do with each other is known to the room whose they are: it diagnoses them.

use std::path::{Path, PathBuf};

use crate::disk::files::lines;
use crate::disk::files::text::whole_lines;
use crate::error::{DAMAGE_ADVICE, Error, ErrorKind, Result};
use crate::finding::Fault;

/// How many places of damage are told one by one.
const TOLD: usize = 3;

/// Damaged places in a file: the first of them in words, and how many there are, since they may be millions.
#[derive(Debug, Default)]
pub(crate) struct Places {
    first: Vec<String>,
    count: usize,
}

impl Places {
    pub(crate) fn add(&mut self, what: impl FnOnce() -> String) {
        self.count += 1;
        if self.first.len() < TOLD {
            self.first.push(what());
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The first places, and how many more there are.
    pub(crate) fn told(&self) -> String {
        let first = self.first.join("; ");
        match self.count - self.first.len() {
            0 => first,
            more => format!("{first}; and so in {}", counted(more, "more line")),
        }
    }
}

/// What is wrong with the bytes of a data file.
pub(crate) struct Inspection {
    /// Each fault, and what it means.
    pub(crate) faults: Vec<(Fault, String)>,
    pub(crate) cure: Repair,
}

/// What can be done about it.
pub(crate) enum Repair {
    None,
    /// What stands behind so many bytes is set aside.
    CutTail(usize),
    /// The file is kept beside itself, and these bytes take its place.
    Replace {
        bytes: Vec<u8>,
        /// How many records are in them.
        records: usize,
    },
    /// The file, if there is one, is kept beside itself, and these bytes take its place; then others take that of another
    /// file.
    Rebuild {
        bytes: Vec<u8>,
        /// Of what they were made.
        of: String,
        then: Option<(PathBuf, Vec<u8>)>,
    },
    /// Nobody reads the file, and it goes.
    Remove,
    /// Nothing can be brought back, and a missing file is an empty one.
    Quarantine,
}

impl Inspection {
    pub(crate) fn sound() -> Self {
        Inspection { faults: Vec::new(), cure: Repair::None }
    }

    /// Nothing may be done to a file that is not understood.
    pub(in crate::disk) fn too_new(detail: impl Into<String>) -> Self {
        Inspection { faults: vec![(Fault::TooNew, detail.into())], cure: Repair::None }
    }

    /// One that is damaged, in this way.
    pub(crate) fn damaged(detail: impl Into<String>, cure: Repair) -> Self {
        Inspection { faults: vec![(Fault::Damaged, detail.into())], cure }
    }

    /// What an error says of a file at `path`; `cure` is what can be done about damage.
    pub(crate) fn of(path: &Path, error: &Error, cure: impl FnOnce() -> Repair) -> Self {
        match error.kind() {
            ErrorKind::FormatTooNew => Inspection::too_new(reason(path, error)),
            _ => Inspection::damaged(reason(path, error), cure()),
        }
    }

    /// What the lines of a list are that stands by itself.
    pub(crate) fn of_list(path: &Path, bytes: &[u8]) -> Self {
        Inspection::of_lines(path, bytes, whole_lines(bytes), |_, offset, line| {
            lines::read_line(path, offset, line).map(drop)
        })
    }

    /// Those of the first `whole` bytes are read one by one, each with its number and where it begins; behind them a line is unfinished.
    pub(in crate::disk) fn of_lines(
        path: &Path,
        bytes: &[u8],
        whole: usize,
        mut read: impl FnMut(usize, u64, &[u8]) -> Result<()>,
    ) -> Self {
        let (mut rest, mut records, mut damaged) = (Vec::new(), 0, Places::default());
        let (mut number, mut offset) = (0, 0);
        for line in bytes[..whole].split_inclusive(|byte| *byte == b'\n') {
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            number += 1;
            if text.is_empty() {
                offset += line.len() as u64;
                continue;
            }
            match read(number, offset, text) {
                Ok(()) => {
                    rest.extend_from_slice(line);
                    records += 1;
                }
                Err(error) if error.kind() == ErrorKind::FormatTooNew => {
                    return Inspection::too_new(reason(path, &error));
                }
                Err(error) => damaged.add(|| reason(path, &error)),
            }
            offset += line.len() as u64;
        }
        let mut faults = Vec::new();
        if !damaged.is_empty() {
            faults.push((Fault::Damaged, damaged.told()));
        }
        if whole < bytes.len() {
            let detail = format!(
                "its last line (from byte {whole} on) is not whole; most likely it was never finished, and nobody was told that it was stored; readers skip it"
            );
            faults.push((Fault::TornTail, detail));
        }
        let cure = match (damaged.is_empty(), records) {
            (true, _) if whole == bytes.len() => Repair::None,
            (true, _) => Repair::CutTail(whole),
            (false, 0) => Repair::Quarantine,
            (false, _) => Repair::Replace { bytes: rest, records },
        };
        Inspection { faults, cure }
    }
}

/// What an error says of a file, without the file's name, what became of it and what to do.
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
