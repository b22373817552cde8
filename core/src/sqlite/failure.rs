//! Errors of databases, converted to loopmem's. None of them contains a value of a statement, which could be a secret.

use std::io;
use std::path::Path;

use rusqlite::ErrorCode;
use rusqlite::ffi::{self, code_to_str};

use crate::error::{Error, ErrorKind};

/// The fault of an index of texts that cannot be used.
pub(super) const TEXT_SETTINGS: &str = "the settings of an index of texts are damaged";

/// Why a transaction failed. `?` converts both SQLite's errors and loopmem's to it.
#[derive(Debug)]
pub enum Failure {
    /// SQLite returned an error.
    Sqlite(rusqlite::Error),
    /// SQLite failed while committing: the changes may be stored.
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
    /// The failure for a row that is too long.
    pub fn too_long() -> Self {
        Failure::Sqlite(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_TOOBIG), None))
    }

    /// The error of the database at `path`.
    pub(super) fn at(self, path: &Path) -> Error {
        match self {
            Failure::Sqlite(cause) => error(path, &cause),
            Failure::Commit(cause) => match error(path, &cause) {
                // Another program held a lock, so nothing was written.
                error if error.retryable() => error,
                error => error.maybe_stored(),
            },
            Failure::Other(error) => error,
        }
    }
}

/// The error that SQLite returns if another program holds a lock.
pub(super) fn busy() -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), None)
}

/// Whether opening failed because the database's folder or file is read-only. If an unfinished transaction would have to be
/// rolled back first, the database cannot be read without writing.
pub(super) fn is_unwritable(cause: &rusqlite::Error) -> bool {
    let rusqlite::Error::SqliteFailure(failure, _) = cause else { return false };
    matches!(failure.code, ErrorCode::CannotOpen | ErrorCode::ReadOnly)
        && failure.extended_code != ffi::SQLITE_READONLY_ROLLBACK
}

fn error(path: &Path, cause: &rusqlite::Error) -> Error {
    let rusqlite::Error::SqliteFailure(failure, message) = cause else {
        return match cause {
            // SQLite accepts any value in any column, whatever the schema says.
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::Utf8Error(..)
            | rusqlite::Error::InvalidColumnType(..) => {
                Error::parse(path, "a column contains a value of the wrong type")
            }
            _ => Error::internal("a statement does not match its result").at(path),
        };
    };
    // SQLite's message may quote values; the text of its error code does not.
    let code = failure.extended_code;
    let text = format!("{}, SQLite code {code}", code_to_str(code));
    match failure.code {
        ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt => Error::parse(path, text),
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => {
            let message = format!(
                "{} is in use by a program that does not take its lock; try again with back-off",
                path.display()
            );
            Error::new(ErrorKind::LockAcquisition, message).at(path).because(text)
        }
        ErrorCode::DiskFull
        | ErrorCode::ReadOnly
        | ErrorCode::CannotOpen
        | ErrorCode::SystemIoFailure
        | ErrorCode::PermissionDenied
        | ErrorCode::OutOfMemory
        | ErrorCode::NoLargeFileSupport => Error::io("use", path, &io::Error::other(text)),
        // loopmem writes no row as long as that.
        ErrorCode::TooBig => Error::parse(path, "it contains a row that is longer than loopmem writes"),
        ErrorCode::OperationInterrupted => {
            Error::io("finish with", path, &io::Error::new(io::ErrorKind::TimedOut, "the call was interrupted"))
        }
        // An index of texts has settings of its own, which SQLite does not take for a part of the file.
        _ if message
            .as_deref()
            .is_some_and(|message| message.contains("fts5") || message.contains("rank function")) =>
        {
            Error::parse(path, TEXT_SETTINGS)
        }
        _ => Error::internal("SQLite refused a statement").at(path).because(text),
    }
}
