//! Findings about the files of a home: the types that rooms report to `doctor`.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

macro_rules! faults {
    ($($(#[$attribute:meta])* $fault:ident = $severity:ident, $repairable:literal;)*) => {
        /// What is wrong with a file or folder, or worth knowing about it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        #[schemars(inline)]
        #[non_exhaustive]
        pub enum Fault { $($(#[$attribute])* $fault,)* }

        impl Fault {
            /// How severe it is.
            pub fn severity(self) -> Severity {
                match self { $(Fault::$fault => Severity::$severity,)* }
            }

            /// Whether `fix` can repair it.
            pub fn is_repairable(self) -> bool {
                match self { $(Fault::$fault => $repairable,)* }
            }
        }
    };
}

faults! {
    /// Its content is invalid.
    Damaged = Error, true;
    /// It contains an id twice.
    DuplicateId = Error, true;
    /// Its last line is incomplete.
    TornTail = Warning, true;
    /// It was written by a newer version of loopmem.
    TooNew = Error, false;
    /// It is not a regular file, but a link, a folder or a pipe.
    NotAFile = Error, false;
    /// It cannot be read.
    Unreadable = Error, false;
    /// It cannot be written to, so nothing can be stored in it.
    Unwritable = Warning, false;
    /// Its lock was not free, so it was not checked or not repaired.
    Busy = Warning, false;
    /// Users other than its owner may read or change it.
    Mode = Warning, true;
    /// A crashed writer left it behind.
    Litter = Warning, true;
    /// A writer crashed while it copied over the file. The complete copy beside it is what is read.
    UnfinishedCopy = Warning, true;
    /// The owner of a lock file no longer exists.
    StaleOwner = Warning, true;
    /// It contains older versions of a record beside the one that is used.
    Superseded = Warning, false;
    /// A record has a value that cannot be read and is ignored.
    InvalidValue = Warning, false;
    /// Whether the owner of a lock file is alive cannot be determined from this process.
    UnknownOwner = Info, false;
    /// It contains damaged data that an earlier repair quarantined.
    #[serde(rename = "setAside")]
    Quarantined = Info, false;
    /// This build of loopmem cannot check it.
    Unsupported = Info, false;
}

/// How severe a fault is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[non_exhaustive]
pub enum Severity {
    /// loopmem cannot use the file.
    Error,
    /// loopmem can use the file, but it should be repaired.
    Warning,
    /// Nothing is wrong.
    Info,
}

/// What a check found about a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Finding {
    /// The file or folder.
    pub file: String,
    /// What is wrong.
    pub fault: Fault,
    /// How severe it is: `error` if loopmem cannot use the file, `warning` if it should be repaired.
    pub severity: Severity,
    /// What it means, and what a fix would do or did about it. Contains no text of a record.
    pub detail: String,
    /// Whether it was repaired.
    pub repaired: bool,
}

impl Finding {
    /// A finding that was not repaired.
    pub(crate) fn new(file: &Path, fault: Fault, detail: impl Into<String>) -> Self {
        let file = file.to_string_lossy().into_owned();
        Finding { file, fault, severity: fault.severity(), detail: detail.into(), repaired: false }
    }

    /// A finding for an error that prevented a file from being checked or repaired. `path` is used if the error names
    /// none.
    pub(crate) fn of_failure(path: &Path, error: &Error) -> Self {
        let fault = if error.retryable() { Fault::Busy } else { Fault::Unreadable };
        let advice = if fault == Fault::Busy { "" } else { "; check its owner and its permissions" };
        Finding::new(error.path().unwrap_or(path), fault, format!("{error:#}{advice}"))
    }

    /// Adds what a fix `would` do or, if it was tried, its result.
    #[must_use]
    pub(crate) fn with_repair(mut self, would: &str, tried: Option<&Result<String>>) -> Self {
        self.detail = match tried {
            None => format!("{}; {would}", self.detail),
            Some(Ok(done)) => format!("{}; {done}", self.detail),
            Some(Err(failed)) => format!("{}; the repair failed: {failed:#}", self.detail),
        };
        self.repaired = matches!(tried, Some(Ok(_)));
        self
    }
}

/// The result of checking some files.
#[derive(Debug, Default)]
pub struct Examination {
    /// The number of data files that were checked.
    pub files: usize,
    /// What was found, in the order of the files.
    pub findings: Vec<Finding>,
}

impl Examination {
    /// Adds the result of another examination.
    pub fn absorb(&mut self, other: Examination) {
        self.files += other.files;
        self.findings.extend(other.findings);
    }
}
