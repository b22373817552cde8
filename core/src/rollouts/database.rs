//! The database of rollouts in the Codex home: one file for threads, jobs, outputs and what became of them, so that every
//! change is one transaction.

use std::sync::Arc;

use crate::disk::{Disk, Recent};
use crate::error::Result;
use crate::finding::Examination;
use crate::home::Home;
use crate::sqlite::rusqlite::types::Value;
use crate::sqlite::rusqlite::{Connection, OptionalExtension as _, Transaction};
use crate::sqlite::{Database, Failure};

/// Times are milliseconds since 1970. A watermark is the time of the newest input.
///
/// The columns from `status` to `success_watermark` are those of a job: the row of a thread has the job that extracts its
/// memory, and `consolidation` has one row. A worker that claims or completes a job changes rows in place and appends the
/// output, so that few pages are written.
const MIGRATIONS: &[&str] = &["
    CREATE TABLE thread (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        rollout_path TEXT NOT NULL,
        updated_at INTEGER NOT NULL,
        cwd TEXT NOT NULL,
        repo_hash TEXT,
        source TEXT NOT NULL,
        git_branch TEXT,
        mode TEXT NOT NULL,
        is_archived INTEGER NOT NULL,
        is_missing INTEGER NOT NULL,
        settled_at INTEGER,
        output INTEGER,
        status TEXT,
        worker_id TEXT,
        ownership_token TEXT,
        started_at INTEGER,
        renewed_at INTEGER,
        lease_until INTEGER,
        finished_at INTEGER,
        retry_at INTEGER,
        attempts INTEGER NOT NULL DEFAULT 0,
        last_error TEXT,
        input_watermark INTEGER,
        claimed_watermark INTEGER,
        success_watermark INTEGER
    );
    CREATE INDEX thread_open ON thread (updated_at, id)
        WHERE is_archived = 0 AND is_missing = 0 AND mode = 'enabled' AND ifnull(success_watermark < updated_at, 1);
    CREATE INDEX thread_running ON thread (lease_until) WHERE status = 'running';
    CREATE TABLE consolidation (
        number INTEGER PRIMARY KEY,
        status TEXT,
        worker_id TEXT,
        ownership_token TEXT,
        started_at INTEGER,
        renewed_at INTEGER,
        lease_until INTEGER,
        finished_at INTEGER,
        retry_at INTEGER,
        attempts INTEGER NOT NULL DEFAULT 0,
        last_error TEXT,
        input_watermark INTEGER,
        claimed_watermark INTEGER,
        success_watermark INTEGER
    );
    CREATE TABLE output (
        number INTEGER PRIMARY KEY,
        thread INTEGER NOT NULL,
        source_updated_at INTEGER NOT NULL,
        generated_at INTEGER NOT NULL,
        rollout_slug TEXT,
        rollout_summary TEXT NOT NULL,
        raw_memory TEXT NOT NULL,
        usage_count INTEGER NOT NULL,
        last_usage INTEGER,
        selected_source_updated_at INTEGER
    );
    CREATE VIRTUAL TABLE output_text USING fts5 (
        rollout_summary, raw_memory, content = 'output', content_rowid = 'number', tokenize = 'porter'
    );
    CREATE TABLE forgotten (thread_id TEXT PRIMARY KEY, forgotten_at INTEGER NOT NULL);
    CREATE TABLE transcript (
        path TEXT PRIMARY KEY,
        thread_id TEXT,
        reason TEXT,
        size INTEGER NOT NULL,
        inode INTEGER NOT NULL,
        modified INTEGER NOT NULL,
        changed INTEGER NOT NULL
    );
    CREATE TABLE artifact (path TEXT PRIMARY KEY, digest TEXT, pending TEXT);
    CREATE TABLE consolidation_input (
        state TEXT NOT NULL,
        thread_id TEXT NOT NULL,
        source_updated_at INTEGER NOT NULL,
        text TEXT NOT NULL,
        PRIMARY KEY (state, thread_id)
    );
    CREATE TABLE consolidated (thread_id TEXT PRIMARY KEY, is_withdrawn INTEGER NOT NULL);
    CREATE TABLE root_file (state TEXT NOT NULL, path TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (state, path));
    CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
"];

/// How many databases a process keeps open.
const CAPACITY: usize = 16;

/// The databases of the process.
static DATABASES: Recent<Arc<Database>> = Recent::new(CAPACITY);

/// The database of a home.
#[derive(Debug, Clone)]
pub(super) struct State {
    home: Home,
    disk: Arc<Disk>,
    database: Arc<Database>,
}

impl State {
    /// Returns the database of this home; nothing is opened or created yet.
    ///
    /// # Errors
    /// `ValidationError` if the Codex home is unknown.
    pub(super) fn of(home: &Home) -> Result<Self> {
        let path = home.layout().rollouts_database()?;
        let timeout = home.config().lock_timeout;
        let make = || Arc::new(Database::new(path.clone(), timeout, MIGRATIONS).overwriting());
        let kept = DATABASES.get_or(&path, || Some(make()));
        // Another store of the process may wait for a different time.
        let database = kept.filter(|kept| kept.default_timeout() == timeout).unwrap_or_else(make);
        Ok(State { home: home.clone(), disk: home.disk_at(home.layout().codex_home()?), database })
    }

    /// The files below the Codex home.
    pub(super) fn disk(&self) -> &Disk {
        &self.disk
    }

    /// Whether anything has been stored yet.
    pub(super) fn exists(&self) -> bool {
        self.home.layout().rollouts_database().is_ok_and(|path| self.disk.has_entry(&path))
    }

    /// Runs `body` in a read transaction; the default value if nothing has been stored yet.
    pub(super) fn read<T: Default>(&self, body: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T> {
        Ok(self.database.read(&self.disk, self.home.wait_options(), body)?.unwrap_or_default())
    }

    /// Runs `body` in a write transaction.
    pub(super) fn write<T>(&self, body: impl FnOnce(&Transaction<'_>) -> Result<T, Failure>) -> Result<T> {
        self.database.write(&self.disk, self.home.wait_options(), body)
    }

    /// As [`write`](Self::write), for a body that removes what nobody should find again.
    pub(super) fn erase<T>(&self, body: impl FnOnce(&Transaction<'_>) -> Result<T, Failure>) -> Result<T> {
        self.database.erase(&self.disk, self.home.wait_options(), body)
    }

    /// Checks the database, if there is one; with `fix`, repairs it.
    pub(super) fn examine(&self, fix: bool) -> Result<Examination> {
        self.database.examine(&self.disk, self.home.wait_options(), fix, &is_sound)
    }
}

/// Whether a row could have been written by this version: the texts that identify it are texts.
fn is_sound(table: &str, values: &[Value]) -> bool {
    match (table, values) {
        ("output", [number, thread, source, generated, slug, summary, memory, ..]) => {
            [number, thread, source, generated].iter().all(|it| matches!(it, Value::Integer(_)))
                && matches!(slug, Value::Null | Value::Text(_))
                && [summary, memory].iter().all(|it| matches!(it, Value::Text(_)))
        }
        ("output", _) => false,
        ("thread" | "consolidation", [number, text, ..]) => {
            matches!((number, text), (Value::Integer(_), Value::Text(_)))
        }
        (_, [first, ..]) => matches!(first, Value::Text(_)),
        (_, []) => false,
    }
}

/// The number under `name`.
pub(super) fn meta(connection: &Connection, name: &str) -> Result<Option<i64>, Failure> {
    let mut query = connection.prepare_cached("SELECT value FROM meta WHERE name = ?1")?;
    Ok(query.query_row([name], |row| row.get(0)).optional()?)
}

/// Sets the number under `name`.
pub(super) fn set_meta(connection: &Connection, name: &str, value: i64) -> Result<(), Failure> {
    let sql = "INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2";
    connection.prepare_cached(sql)?.execute((name, value))?;
    Ok(())
}
