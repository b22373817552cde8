//! What can go wrong with a database, as errors of the house. None of them holds a value of a statement: that is
//! somebody's text.

use std::io;
use std::path::Path;

use rusqlite::ErrorCode;
use rusqlite::ffi::{self, code_to_str};

use crate::error::{Error, ErrorKind};

/// Why a transaction was given up. `?` makes it of what SQLite and of what every other room returns.
#[derive(Debug)]
pub enum Failure {
    /// SQLite refused.
    Sqlite(rusqlite::Error),
    /// SQLite failed at the end of a commit: what was written may be stored.
    Commit(rusqlite::Error),
    /// Anything else.
    Other(Error),
}

impl From<rusqlite::Error> for Failure {
    fn from(cause: rusqlite::Error) -> Self {
        Failure::Sqlite(cause)
    }
}

impl From<Error> for Failure {
    fn from(cause: Error) -> Self {
        Failure::Other(cause)
    }
}

impl Failure {
    /// That of a row longer than it may be.
    pub fn too_long() -> Self {
        Failure::Sqlite(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_TOOBIG), None))
    }

    /// The error of the database at `path`.
    pub(super) fn at(self, path: &Path) -> Error {
        match self {
            Failure::Sqlite(cause) => error(path, &cause),
            Failure::Commit(cause) => match error(path, &cause) {
                // Another program was in the way, and nothing was written.
                error if error.retryable() => error,
                error => error.maybe_stored(),
            },
            Failure::Other(error) => error,
        }
    }
}

/// What SQLite answers when another program is in the way.
pub(super) fn busy() -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), None)
}

/// Whether a database was refused because nothing can be written where it lies. One whose last transaction has to be
/// undone first cannot be read as it stands.
pub(super) fn is_unwritable(cause: &rusqlite::Error) -> bool {
    let rusqlite::Error::SqliteFailure(failure, _) = cause else { return false };
    matches!(failure.code, ErrorCode::CannotOpen | ErrorCode::ReadOnly)
        && failure.extended_code != ffi::SQLITE_READONLY_ROLLBACK
}

fn error(path: &Path, cause: &rusqlite::Error) -> Error {
    let rusqlite::Error::SqliteFailure(failure, _) = cause else {
        return match cause {
            // SQLite takes any value in any column, whatever the schema says.
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::Utf8Error(..)
            | rusqlite::Error::InvalidColumnType(..) => Error::parse(path, "a column holds what does not belong there"),
            _ => defect("a statement and its answer do not fit together").at(path),
        };
    };
    // SQLite's own text may quote what it was given; that of its code does not.
    let code = failure.extended_code;
    let text = format!("{}, SQLite code {code}", code_to_str(code));
    match failure.code {
        ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt => Error::parse(path, text),
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => {
            let message =
                format!("{} is held by a program that does not take its lock; try again with back-off", path.display());
            Error::new(ErrorKind::LockAcquisition, message).at(path).because(text)
        }
        ErrorCode::DiskFull
        | ErrorCode::ReadOnly
        | ErrorCode::CannotOpen
        | ErrorCode::SystemIoFailure
        | ErrorCode::PermissionDenied
        | ErrorCode::OutOfMemory
        | ErrorCode::NoLargeFileSupport => Error::io("use", path, &io::Error::other(text)),
        // Nothing of loopmem's own is as long.
        ErrorCode::TooBig => Error::parse(path, "it holds a row that is longer than loopmem writes one"),
        ErrorCode::OperationInterrupted => {
            Error::io("finish with", path, &io::Error::new(io::ErrorKind::TimedOut, "the call was ended"))
        }
        _ => defect("SQLite refused a statement").at(path).because(text),
    }
}

fn defect(message: &str) -> Error {
    Error::new(ErrorKind::Internal, message)
}
