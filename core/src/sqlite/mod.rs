//! SQLite databases: opening, migrations, and transactions under loopmem's own lock.
//!
//! A [`Database`] makes the same promises as a document: a write that returned `Ok` survives kill -9 and power loss, and any
//! other is either fully applied or not at all; waits end with a time-out that names the holder; a damaged file, or one of a
//! newer version, is not changed. The tables are defined by the room that uses it.
//!
//! Every transaction runs under the lock of `disk`, which readers share. SQLite's own locks are POSIX locks: two copies of
//! SQLite in one process, such as those of two bindings, release each other's. They still exclude other programs, which do not
//! take loopmem's lock. For the same reason nothing else may open a database's file while it is in use.
//!
//! Commits go to a log beside the database (`NAME-wal`), with one sync each, and are copied to the database once the log is
//! long. The log is never removed: both files together are the database.

mod connection;
mod examine;
mod failure;
mod files;
mod pin;
mod pool;
mod recover;
mod schema;
mod watch;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use failure::Failure;
use once_cell::race::OnceBox;
pub use rusqlite;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::disk::{Disk, Guard, Mode, Recent, WaitOptions, refuse_newer};
use crate::error::{Error, ErrorKind, Result};
use connection::Opened;
use files::Files;
use pool::Session;
use schema::Schema;
use watch::Watch;

/// The longest wait for SQLite's own locks. Readers that find the log's index missing wait for each other while it is rebuilt;
/// anything that takes longer is due to another program.
const BUSY: Duration = Duration::from_millis(500);

/// The databases that several stores of the process use.
static SHARED: Recent<Arc<Database>> = Recent::new(64);

/// A database file.
#[derive(Debug)]
pub struct Database {
    path: PathBuf,
    /// The longest wait for the lock, unless the call sets its own.
    default_timeout: Duration,
    migrations: &'static [&'static str],
    /// Whether what is deleted is overwritten with zeros.
    overwrites: bool,
    /// The schemas after each number of migrations.
    schemas: OnceBox<Vec<Schema>>,
}

/// What is erased of deleted data when a write has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Erase {
    Nothing,
    /// What is in the log.
    Log,
    /// What is in free pages too.
    Everything,
}

impl Database {
    /// Returns the database at `path`; nothing is opened or created yet. A file's `user_version` is the number of `migrations`
    /// that were applied to it: once released, a migration is never changed, and new ones are added at the end.
    pub fn new(path: PathBuf, default_timeout: Duration, migrations: &'static [&'static str]) -> Self {
        Database { path, default_timeout, migrations, overwrites: false, schemas: OnceBox::new() }
    }

    /// Overwrites with zeros whatever is deleted.
    #[must_use]
    pub fn overwriting(mut self) -> Self {
        self.overwrites = true;
        self
    }

    /// The same database as other stores of the process use, unless they wait for a different time.
    pub fn shared(self) -> Arc<Database> {
        let this = Arc::new(self);
        let shared = SHARED.get_or(&this.path, || Some(Arc::clone(&this)));
        shared.filter(|shared| shared.default_timeout == this.default_timeout).unwrap_or(this)
    }

    /// The path of the database file.
    #[cfg(feature = "testing")]
    pub fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// Runs `body` in a read transaction; `None` if nothing has been written yet. A file of an older version is read as a migrated
    /// copy in memory.
    ///
    /// `body` must call neither the host nor another database.
    ///
    /// # Errors
    /// The error of `body`; `LockAcquisitionError`, `Cancelled`, `ParseError`, `FormatTooNew`, `IOError`.
    pub fn read<T>(
        &self,
        disk: &Disk,
        wait: &WaitOptions,
        body: impl FnOnce(&Connection) -> Result<T, Failure>,
    ) -> Result<Option<T>> {
        let (mut body, mut value) = (Some(body), None);
        self.begin_read(disk, wait, &mut |connection| {
            value = body.take().map(|body| body(connection)).transpose()?;
            Ok(())
        })?;
        Ok(value)
    }

    /// Calls `body` once, unless nothing has been written yet. Not generic, so that this code is compiled once.
    fn begin_read(
        &self,
        disk: &Disk,
        wait: &WaitOptions,
        body: &mut dyn FnMut(&Connection) -> Result<(), Failure>,
    ) -> Result<()> {
        let _guard = disk.lock(&self.path, Mode::Shared, wait, self.default_timeout)?;
        let Some((files, 1..)) = Files::at(disk, &self.path)? else { return Ok(()) };
        let session = Session::begin();
        let watch = Watch::new(disk, &self.path, wait, self.default_timeout);
        let (opened, is_to_be_kept) = match session.take(&self.path, files) {
            Some(opened) => (opened, true),
            None => {
                Files::check_log(disk, &self.path)?;
                let made = connection::open_to_read(&self.path, files.has_log(), self.busy(wait), &watch);
                let made = made.and_then(|(opened, kept)| self.set_up(&opened).map(|()| (opened, kept)));
                let (mut opened, is_to_be_kept) = made.map_err(|failure| self.error(failure))?;
                if is_to_be_kept {
                    session.pin(disk, &self.path, files, &mut opened);
                }
                (opened, is_to_be_kept)
            }
        };
        let answer = watch.over(&opened.connection, || self.reading(&opened, wait, &watch, body));
        if is_to_be_kept {
            self.keep(disk, &session, files, opened, &answer);
        }
        answer.map_err(|failure| self.error(failure))
    }

    /// Runs `body` in a write transaction and returns its answer once the changes are durable. The file is created or migrated if
    /// necessary.
    ///
    /// `body` must call neither the host nor another database.
    ///
    /// # Errors
    /// The error of `body`, in which case nothing of it is written; the same as [`read`](Self::read); `RenameError`.
    pub fn write<T>(
        &self,
        disk: &Disk,
        wait: &WaitOptions,
        body: impl FnOnce(&Transaction<'_>) -> Result<T, Failure>,
    ) -> Result<T> {
        self.change(disk, wait, Erase::Nothing, body)
    }

    /// As [`write`](Self::write), for a body that removes what nobody should find again: the log is emptied afterwards, unless
    /// another program reads it just then.
    ///
    /// # Errors
    /// Those of [`write`](Self::write).
    pub fn erase<T>(
        &self,
        disk: &Disk,
        wait: &WaitOptions,
        body: impl FnOnce(&Transaction<'_>) -> Result<T, Failure>,
    ) -> Result<T> {
        self.change(disk, wait, Erase::Log, body)
    }

    /// Rewrites the file without what was deleted, and empties its log.
    ///
    /// # Errors
    /// Those of [`write`](Self::write).
    pub fn compact(&self, disk: &Disk, wait: &WaitOptions) -> Result<()> {
        self.begin_write(disk, wait, Erase::Everything, &mut |_| Ok(()))
    }

    fn change<T>(
        &self,
        disk: &Disk,
        wait: &WaitOptions,
        erases: Erase,
        body: impl FnOnce(&Transaction<'_>) -> Result<T, Failure>,
    ) -> Result<T> {
        let (mut body, mut value) = (Some(body), None);
        self.begin_write(disk, wait, erases, &mut |transaction| {
            value = body.take().map(|body| body(transaction)).transpose()?;
            Ok(())
        })?;
        value.ok_or_else(|| Error::internal("a transaction ended without an answer"))
    }

    /// As [`begin_read`](Self::begin_read), in a write transaction.
    fn begin_write(
        &self,
        disk: &Disk,
        wait: &WaitOptions,
        erases: Erase,
        body: &mut dyn FnMut(&Transaction<'_>) -> Result<(), Failure>,
    ) -> Result<()> {
        let guard = disk.lock(&self.path, Mode::Exclusive, wait, self.default_timeout)?;
        let files = match Files::at(disk, &self.path)? {
            Some((files, _)) => files,
            None => {
                disk.create_empty(&guard, &self.path, files::BESIDE)?;
                let made = Files::at(disk, &self.path)?.map(|(files, _)| files);
                made.ok_or_else(|| Error::io("find", &self.path, &io::ErrorKind::NotFound.into()))?
            }
        };
        let session = Session::begin();
        let watch = Watch::new(disk, &self.path, wait, self.default_timeout);
        let opened = match session.take(&self.path, files) {
            Some(opened) => opened,
            None => {
                Files::check_log(disk, &self.path)?;
                let made = connection::open(&self.path, self.busy(wait), &watch);
                let made = made.and_then(|opened| self.set_up(&opened).map(|()| opened));
                let mut opened = made.map_err(|failure| self.error(failure))?;
                session.pin(disk, &self.path, files, &mut opened);
                opened
            }
        };
        let mut has_log = false;
        let answer = watch.over(&opened.connection, || {
            self.writing(&opened, &guard, wait, body)?;
            if erases == Erase::Everything {
                connection::vacuum(&opened.connection)?;
            }
            // The changes are stored in any case.
            has_log = erases != Erase::Nothing && !connection::empty_log(&opened.connection).unwrap_or(false);
            Ok(())
        });
        let is_in_place = self.keep(disk, &session, files, opened, &answer);
        answer.map_err(|failure| self.error(failure))?;
        if !is_in_place {
            let cause = "another program moved or removed the database or its log during the write";
            return Err(Error::io("write", &self.path, &io::Error::other(cause)).maybe_stored());
        }
        if has_log && erases == Erase::Everything {
            let message = "what was purged is still in the log of the database, because another program is reading it; purge \
                           again when that is done";
            let error = Error::new(ErrorKind::LockAcquisition, message).at(&self.path);
            return Err(error.mark_retryable().maybe_stored());
        }
        Ok(())
    }

    /// The settings of this database's connections.
    fn set_up(&self, opened: &Opened) -> Result<(), Failure> {
        if self.overwrites {
            connection::overwrite_deleted(&opened.connection)?;
        }
        Ok(())
    }

    fn reading(
        &self,
        opened: &Opened,
        wait: &WaitOptions,
        watch: &Watch<'_>,
        body: &mut dyn FnMut(&Connection) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        opened.connection.busy_timeout(self.busy(wait))?;
        let transaction = Transaction::new_unchecked(&opened.connection, TransactionBehavior::Deferred)?;
        let version = self.version(&transaction)?;
        if version == 0 {
            return Ok(());
        }
        self.check_schema(opened, version)?;
        if version < self.migrations.len() {
            let copy = connection::copy(&self.path, &transaction, watch)?;
            return watch.over(&copy, || {
                self.migrate(&copy, version)?;
                body(&copy)
            });
        }
        body(&transaction)
    }

    fn writing(
        &self,
        opened: &Opened,
        guard: &Guard,
        wait: &WaitOptions,
        body: &mut dyn FnMut(&Transaction<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let connection = &opened.connection;
        connection.busy_timeout(self.busy(wait))?;
        if self.version(connection)? == 0 {
            // On a file system without shared memory, SQLite keeps the rollback journal instead.
            connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
        }
        // The last commit of a dead writer can be read, but may not be durable: this syncs it, unless a program that does not
        // take the lock prevents it.
        let is_unfinished = guard.is_behind_unfinished()
            && connection.query_row("PRAGMA wal_checkpoint(FULL)", [], |row| row.get(0))?;
        guard.leave_unfinished(is_unfinished);
        let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
        // Checked again, since another program may have written in between.
        let version = self.version(&transaction)?;
        self.check_schema(opened, version)?;
        self.migrate(&transaction, version)?;
        body(&transaction)?;
        guard.confirm()?;
        guard.leave_unfinished(true);
        // Whether a failed commit is in the log is unknown until the log is read again.
        transaction.commit().map_err(Failure::Commit)?;
        guard.leave_unfinished(is_unfinished);
        Ok(())
    }

    /// How many migrations were applied to the file.
    fn version(&self, connection: &Connection) -> Result<usize, Failure> {
        let version = connection::version(connection)?;
        refuse_newer(&self.path, "user_version", &version.to_string(), self.migrations.len() as u64)?;
        if version == 0 && connection::has_tables(connection)? {
            return Err(Error::parse(&self.path, "it is a database of another program").into());
        }
        Ok(usize::try_from(version).unwrap_or(0))
    }

    /// Refuses a file whose tables and indexes are not those that the migrations of its version create, before it is read or
    /// written: that would run any code in its schema.
    fn check_schema(&self, opened: &Opened, version: usize) -> Result<(), Failure> {
        let seen = schema::cookie(&opened.connection)?.map(|cookie| (cookie, version));
        if seen.is_some() && seen == opened.seen.get() {
            return Ok(());
        }
        let schema = Schema::of(&opened.connection)?;
        match self.schema_of(version)?.map(|expected| schema.difference(expected)) {
            Some(None) => opened.seen.set(seen),
            _ => return Err(Error::parse(&self.path, schema::ALTERED).into()),
        }
        Ok(())
    }

    /// The schema after the first `version` migrations.
    fn schema_of(&self, version: usize) -> Result<Option<&Schema>, Failure> {
        if self.schemas.get().is_none() {
            let migrations = (0..=self.migrations.len()).filter_map(|count| self.migrations.get(..count));
            let schemas = migrations.map(Schema::after).collect::<rusqlite::Result<Vec<_>>>()?;
            // Another thread may have set the same schemas meanwhile.
            let _ = self.schemas.set(Box::new(schemas));
        }
        Ok(self.schemas.get().and_then(|schemas| schemas.get(version)))
    }

    fn migrate(&self, connection: &Connection, version: usize) -> rusqlite::Result<()> {
        if version >= self.migrations.len() {
            return Ok(());
        }
        for migration in self.migrations.iter().skip(version) {
            connection.execute_batch(migration)?;
        }
        connection.execute_batch(&format!("PRAGMA user_version = {}", self.migrations.len()))
    }

    fn busy(&self, wait: &WaitOptions) -> Duration {
        wait.timeout.unwrap_or(self.default_timeout).min(BUSY)
    }

    /// Keeps the connection, which was opened on `files`, for the next transaction, unless it may be unusable. Returns whether
    /// those files are still in place.
    fn keep(
        &self,
        disk: &Disk,
        session: &Session,
        files: Files,
        mut opened: Opened,
        answer: &Result<(), Failure>,
    ) -> bool {
        let Ok(Some((now, _))) = Files::at(disk, &self.path) else { return false };
        let is_in_place = now.are_still(&files);
        if is_in_place && !matches!(answer, Err(Failure::Sqlite(_) | Failure::Commit(_))) {
            session.pin(disk, &self.path, now, &mut opened);
            session.keep(&self.path, now, opened);
        }
        is_in_place
    }

    /// Converts a failure in a body to an error, for callers that cannot return the failure.
    pub fn error(&self, failure: impl Into<Failure>) -> Error {
        failure.into().at(&self.path)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        pool::close(&self.path);
    }
}
