//! SQLite databases: opening, migrations, and transactions under our own lock.
//!
//! A [`Database`] promises what a document does: a write that returned `Ok` survives kill -9 and power loss, any other is
//! wholly there or wholly absent; whoever waits gets an end to it, and the holder's name; a damaged file, and one of a
//! newer version, stays as it is. What tables there are is for the room above to say.
//!
//! Every transaction runs under the lock of `disk`, which readers share. SQLite's own locks are POSIX locks: two copies
//! of SQLite in one process, such as those of two bindings, drop each other's. They still keep off other programs, which
//! do not know our lock. For the same reason nothing else may open a database's file while it is in use.
//!
//! Commits go to a log beside the database (`NAME-wal`), one sync each, and from there into the database once it is
//! long. It is never removed: both files together are the database.

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
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

pub use failure::Failure;
pub use rusqlite;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::disk::{Disk, Guard, Mode, WaitOptions, refuse_newer};
use crate::error::{Error, Result};
use connection::Opened;
use files::Files;
use pool::Session;
use schema::Schema;
use watch::Watch;

/// The longest wait for SQLite's own locks. Two readers that find the log's index gone wait for each other while it is
/// made; whatever takes longer is another program.
const BUSY: Duration = Duration::from_millis(500);

/// A database at its path.
#[derive(Debug)]
pub struct Database {
    path: PathBuf,
    /// The longest wait for the lock, unless a call has its own.
    default_timeout: Duration,
    migrations: &'static [&'static str],
    /// What the migrations make, by how many of them there are.
    schemas: OnceLock<Vec<Schema>>,
}

impl Database {
    /// The database at `path`; nothing is opened or created yet. A file's `user_version` tells how many of the `migrations`
    /// it has behind it: once released, one is never changed, and new ones are added at the end.
    pub fn new(path: PathBuf, default_timeout: Duration, migrations: &'static [&'static str]) -> Self {
        Database { path, default_timeout, migrations, schemas: OnceLock::new() }
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What `body` reads, all of it as it stood at one moment; `None` when nobody has written yet. A file of an older
    /// version is read as a copy in memory that has been brought up to date.
    ///
    /// `body` calls neither the host nor another database.
    ///
    /// # Errors
    /// What `body` returns; `LockAcquisitionError`, `Cancelled`, `ParseError`, `FormatTooNew`, `IOError`.
    pub fn read<T>(
        &self,
        disk: &Disk,
        wait: &WaitOptions,
        body: impl FnOnce(&Connection) -> Result<T, Failure>,
    ) -> Result<Option<T>> {
        let _guard = disk.lock(&self.path, Mode::Shared, wait, self.default_timeout)?;
        let Some((files, 1..)) = Files::at(disk, &self.path)? else { return Ok(None) };
        let session = Session::begin();
        let watch = Watch::new(disk, &self.path, wait, self.default_timeout);
        let (opened, is_to_be_kept) = match session.take(&self.path, files) {
            Some(opened) => (opened, true),
            None => {
                Files::check_log(disk, &self.path)?;
                let made = connection::open_to_read(&self.path, files.has_log(), self.busy(wait), &watch);
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

    /// What `body` answers, after what it wrote is durable. The file is made, or brought up to date, if it has to be.
    ///
    /// `body` calls neither the host nor another database.
    ///
    /// # Errors
    /// What `body` returns, then nothing of it is written; or as [`read`](Self::read), and `RenameError`.
    pub fn write<T>(
        &self,
        disk: &Disk,
        wait: &WaitOptions,
        body: impl FnOnce(&Transaction<'_>) -> Result<T, Failure>,
    ) -> Result<T> {
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
                let mut opened = made.map_err(|failure| self.error(failure))?;
                session.pin(disk, &self.path, files, &mut opened);
                opened
            }
        };
        let answer = watch.over(&opened.connection, || self.writing(&opened, &guard, wait, body));
        let is_in_place = self.keep(disk, &session, files, opened, &answer);
        let answer = answer.map_err(|failure| self.error(failure))?;
        if !is_in_place {
            let cause = "another program took the database or its log away while it was written to";
            return Err(Error::io("write", &self.path, &io::Error::other(cause)).maybe_stored());
        }
        Ok(answer)
    }

    fn reading<T>(
        &self,
        opened: &Opened,
        wait: &WaitOptions,
        watch: &Watch<'_>,
        body: impl FnOnce(&Connection) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        opened.connection.busy_timeout(self.busy(wait))?;
        let transaction = Transaction::new_unchecked(&opened.connection, TransactionBehavior::Deferred)?;
        let version = self.version(&transaction)?;
        if version == 0 {
            return Ok(None);
        }
        self.check_schema(opened, version)?;
        if version < self.migrations.len() {
            let copy = connection::copy(&self.path, &transaction, watch)?;
            return watch.over(&copy, || {
                self.migrate(&copy, version)?;
                body(&copy).map(Some)
            });
        }
        body(&transaction).map(Some)
    }

    fn writing<T>(
        &self,
        opened: &Opened,
        guard: &Guard,
        wait: &WaitOptions,
        body: impl FnOnce(&Transaction<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let connection = &opened.connection;
        connection.busy_timeout(self.busy(wait))?;
        if self.version(connection)? == 0 {
            // Where the file system cannot share memory it answers that there is none, and does without.
            connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
        }
        // The last commit of a writer that died can be read, and may not be durable: this syncs it, unless a program that
        // knows nothing of the lock is in the way.
        let is_unfinished = guard.is_behind_unfinished()
            && connection.query_row("PRAGMA wal_checkpoint(FULL)", [], |row| row.get(0))?;
        guard.leave_unfinished(is_unfinished);
        let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
        // Once more: another program may have been in between.
        let version = self.version(&transaction)?;
        self.check_schema(opened, version)?;
        self.migrate(&transaction, version)?;
        let answer = body(&transaction)?;
        guard.confirm()?;
        guard.leave_unfinished(true);
        // Whether a commit that fails is in the log nobody can tell before the log was read again.
        transaction.commit().map_err(Failure::Commit)?;
        guard.leave_unfinished(is_unfinished);
        Ok(answer)
    }

    /// How many of the migrations the file has behind it.
    fn version(&self, connection: &Connection) -> Result<usize, Failure> {
        let version = connection::version(connection)?;
        refuse_newer(&self.path, "user_version", &version.to_string(), self.migrations.len() as u64)?;
        if version == 0 && connection::has_tables(connection)? {
            return Err(Error::parse(&self.path, "it is a database of another program").into());
        }
        Ok(usize::try_from(version).unwrap_or(0))
    }

    /// Refuses a file of this version whose tables and indexes are not those that the migrations made: before anything of
    /// it is read or written, since that would run whatever stands there.
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

    /// What the first migrations make, as many as `version` says.
    fn schema_of(&self, version: usize) -> Result<Option<&Schema>, Failure> {
        if self.schemas.get().is_none() {
            let migrations = (0..=self.migrations.len()).filter_map(|count| self.migrations.get(..count));
            let schemas = migrations.map(Schema::after).collect::<rusqlite::Result<Vec<_>>>()?;
            // Another thread may have made the same ones meanwhile.
            let _ = self.schemas.set(schemas);
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

    /// Keeps the connection, which was opened on `files`, for the next transaction, unless something may be wrong with it;
    /// whether those files are still in their places.
    fn keep<T>(
        &self,
        disk: &Disk,
        session: &Session,
        files: Files,
        mut opened: Opened,
        answer: &Result<T, Failure>,
    ) -> bool {
        let Ok(Some((now, _))) = Files::at(disk, &self.path) else { return false };
        let is_in_place = now.are_still(&files);
        if is_in_place && !matches!(answer, Err(Failure::Sqlite(_) | Failure::Commit(_))) {
            session.pin(disk, &self.path, now, &mut opened);
            session.keep(&self.path, now, opened);
        }
        is_in_place
    }

    /// The error that a failure in a body is, for somebody who cannot pass it on.
    pub fn error(&self, failure: impl Into<Failure>) -> Error {
        failure.into().at(&self.path)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        pool::close(&self.path);
    }
}
