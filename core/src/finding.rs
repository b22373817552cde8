//! What is wrong with a file of a home: the words in which rooms and `doctor` speak, and nothing of either.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::{Error, Result};

/// What can be wrong with a file or folder, or is worth knowing of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[non_exhaustive]
pub enum Fault {
    /// It is not what its format says.
    Damaged,
    /// An id stands in it twice.
    DuplicateId,
    /// Its last line was never finished.
    TornTail,
    /// A newer loopmem wrote it.
    TooNew,
    /// Something else stands in the place of the file: a link, a folder, a pipe.
    NotAFile,
    /// The operating system refuses to read it.
    Unreadable,
    /// The operating system refuses to write to it, so that nothing can be stored in it.
    Unwritable,
    /// Its lock was not free, so that it was not looked at or not mended.
    Busy,
    /// Others than its owner may read or change it.
    Mode,
    /// A writer that died left it unfinished.
    Litter,
    /// A writer died while it copied the file over; what it copied is beside it and is what is read.
    UnfinishedCopy,
    /// The owner of a lock file is gone.
    StaleOwner,
    /// Whether the owner of a lock file lives cannot be told from here.
    UnknownOwner,
    /// It holds what was set aside earlier.
    SetAside,
    /// This build of loopmem cannot check it.
    Unsupported,
}

impl Fault {
    /// How bad it is.
    pub fn severity(self) -> Severity {
        match self {
            Fault::Damaged | Fault::DuplicateId | Fault::TooNew | Fault::NotAFile | Fault::Unreadable => {
                Severity::Error
            }
            Fault::Unwritable | Fault::TornTail | Fault::Busy | Fault::Mode => Severity::Warning,
            Fault::Litter | Fault::UnfinishedCopy | Fault::StaleOwner => Severity::Warning,
            Fault::UnknownOwner | Fault::SetAside | Fault::Unsupported => Severity::Info,
        }
    }

    /// Whether a fix can do something about it.
    pub fn is_mendable(self) -> bool {
        match self {
            Fault::Damaged | Fault::DuplicateId | Fault::TornTail | Fault::Mode => true,
            Fault::Litter | Fault::UnfinishedCopy | Fault::StaleOwner => true,
            Fault::TooNew | Fault::NotAFile | Fault::Unreadable | Fault::Unwritable | Fault::Busy => false,
            Fault::UnknownOwner | Fault::SetAside | Fault::Unsupported => false,
        }
    }
}

/// How bad a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[non_exhaustive]
pub enum Severity {
    /// loopmem cannot use the file.
    Error,
    /// It works, but should be mended.
    Warning,
    /// Nothing is wrong.
    Info,
}

/// Something that was found about a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Finding {
    /// The file or folder.
    pub file: String,
    /// What is wrong.
    pub fault: Fault,
    /// How bad that is: of an error loopmem cannot use the file, a warning should be mended.
    pub severity: Severity,
    /// What that means, and what a fix does or did about it. It holds no text of a record.
    pub detail: String,
    /// Whether it was mended.
    pub mended: bool,
}

impl Finding {
    /// A finding that nothing was done about.
    pub fn new(file: &Path, fault: Fault, detail: impl Into<String>) -> Self {
        let file = file.to_string_lossy().into_owned();
        Finding { file, fault, severity: fault.severity(), detail: detail.into(), mended: false }
    }

    /// What kept a file from being looked at or mended. `path` is told where the error names none.
    pub fn of_failure(path: &Path, error: &Error) -> Self {
        let fault = if error.retryable() { Fault::Busy } else { Fault::Unreadable };
        let advice = if fault == Fault::Busy { "" } else { "; see whose it is, and whether you may read it" };
        Finding::new(error.path().unwrap_or(path), fault, format!("{error:#}{advice}"))
    }

    /// What a fix `would` do, or where it was tried what came of it.
    #[must_use]
    pub fn and_cure(mut self, would: &str, tried: Option<&Result<String>>) -> Self {
        self.detail = match tried {
            None => format!("{}; {would}", self.detail),
            Some(Ok(done)) => format!("{}; {done}", self.detail),
            Some(Err(failed)) => format!("{}; it could not be mended: {failed:#}", self.detail),
        };
        self.mended = matches!(tried, Some(Ok(_)));
        self
    }
}

/// What a look at some files found.
#[derive(Debug, Default)]
pub struct Examination {
    /// How many data files were looked at.
    pub files: usize,
    /// What was found, in the order of the files.
    pub findings: Vec<Finding>,
}

impl Examination {
    /// Adds what another look found.
    pub fn absorb(&mut self, other: Examination) {
        self.files += other.files;
        self.findings.extend(other.findings);
    }
}
