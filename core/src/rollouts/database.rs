//! The database of rollouts in the Codex home: one file for threads, jobs, outputs and what became of them, so that every
//! change is one transaction.

use std::sync::Arc;

use crate::disk::Disk;
use crate::error::{Error, Result};
use crate::finding::Examination;
use crate::home::{Home, Layout};
use crate::sqlite::rusqlite::types::{FromSql, Value};
use crate::sqlite::rusqlite::{self, Connection, OptionalExtension as _, Params, Row, Transaction};
use crate::sqlite::{Database, Failure};

/// The columns of a job. The row of a thread has the job that extracts its memory, and `consolidation` has one row.
macro_rules! job_columns {
    () => {
        "status TEXT,
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
        success_watermark INTEGER"
    };
}

/// SQL: assigns to each column of a job its initial value.
pub(crate) fn without_a_job() -> String {
    let assigned = job_columns!().split(',').map(|column| {
        let name = column.split_whitespace().next().unwrap_or_default();
        format!("{name} = {}", column.split_once(" DEFAULT ").map_or("NULL", |(_, value)| value))
    });
    assigned.collect::<Vec<_>>().join(", ")
}

/// Times are milliseconds since 1970. A watermark is the time of the newest input.
///
/// A worker that claims or completes a job changes rows in place and appends the output, so that few pages are written.
const MIGRATIONS: &[&str] = &[
    concat!(
        "
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
        ",
        job_columns!(),
        "
    );
    CREATE INDEX thread_open ON thread (updated_at, id)
        WHERE is_archived = 0 AND is_missing = 0 AND mode = 'enabled' AND ifnull(success_watermark < updated_at, 1);
    CREATE INDEX thread_running ON thread (lease_until) WHERE status = 'running';
    CREATE TABLE consolidation (
        number INTEGER PRIMARY KEY,
        ",
        job_columns!(),
        "
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
"
    ),
    "
    CREATE INDEX transcript_thread ON transcript (thread_id);
",
];

/// A row as it is read: a field for each column, with the SQL of the column.
macro_rules! row {
    ($(#[$about:meta])* struct $name:ident { $($(#[$doc:meta])* $field:ident: $type:ty = $sql:expr,)* }) => {
        $(#[$about])*
        pub(crate) struct $name {
            $($(#[$doc])* pub(crate) $field: $type,)*
        }

        impl $name {
            /// SQL: its columns.
            pub(crate) fn columns() -> String {
                [$($sql),*].join(", ")
            }

            /// Reads the columns, of which the first is number `at`, and counts them.
            pub(crate) fn read(
                row: &$crate::sqlite::rusqlite::Row<'_>,
                at: &mut usize,
            ) -> Result<Self, $crate::sqlite::rusqlite::Error> {
                Ok($name { $($field: $crate::rollouts::database::next(row, at)?,)* })
            }
        }
    };
}
pub(crate) use row;

/// Reads column number `at`, and counts it.
pub(crate) fn next<T: FromSql>(row: &Row<'_>, at: &mut usize) -> Result<T, rusqlite::Error> {
    *at += 1;
    row.get(*at - 1)
}

/// The database of a home.
#[derive(Debug, Clone)]
pub(crate) struct State {
    home: Home,
    disk: Arc<Disk>,
    /// That of the database.
    codex: Arc<Disk>,
    database: Arc<Database>,
}

impl State {
    /// Returns the database of this home; nothing is opened or created yet.
    ///
    /// # Errors
    /// `ValidationError` if the Codex home is unknown.
    pub(crate) fn of(home: &Home) -> Result<Self> {
        let path = home.layout().rollouts_database()?;
        let database = Database::new(path, home.config().lock_timeout, MIGRATIONS).overwriting().shared();
        let root = home.layout().memories()?;
        let above = root.parent().ok_or_else(|| {
            Error::validation("the memory root must be a folder in another one; change rolloutsRoot or rollouts.root")
        })?;
        Ok(State {
            home: home.clone(),
            disk: home.disk_at(above),
            codex: home.disk_at(home.layout().codex_home()?),
            database,
        })
    }

    /// The files below the folder that the memory root is in, the Codex home unless configured otherwise.
    pub(crate) fn disk(&self) -> &Disk {
        &self.disk
    }

    /// True if anything has been stored yet.
    pub(crate) fn exists(&self) -> bool {
        self.home.layout().rollouts_database().is_ok_and(|path| self.codex.has_entry(&path))
    }

    /// Runs `body` in a read transaction; the default value if nothing has been stored yet.
    pub(crate) fn read<T: Default>(&self, body: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T> {
        Ok(self.database.read(&self.codex, self.home.wait_options(), body)?.unwrap_or_default())
    }

    /// Runs `body` in a write transaction.
    pub(crate) fn write<T>(&self, body: impl FnOnce(&Transaction<'_>) -> Result<T, Failure>) -> Result<T> {
        self.database.write(&self.codex, self.home.wait_options(), body)
    }

    /// As [`write`](Self::write), for a body that removes what must not be found again.
    pub(crate) fn erase<T>(&self, body: impl FnOnce(&Transaction<'_>) -> Result<T, Failure>) -> Result<T> {
        self.database.erase(&self.codex, self.home.wait_options(), body)
    }

    /// Checks the database, if there is one; with `fix`, repairs it.
    pub(crate) fn examine(&self, fix: bool) -> Result<Examination> {
        self.database.examine(&self.codex, self.home.wait_options(), fix, &is_sound)
    }
}

/// True if a row could have been written by this version: the texts that identify it are texts.
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
        ("artifact", [Value::Text(path), ..]) => Layout::is_of_rollouts(path),
        (_, [first, ..]) => matches!(first, Value::Text(_)),
        (_, []) => false,
    }
}

/// The first column of the first row that `sql` selects.
pub(crate) fn first<T: FromSql>(connection: &Connection, sql: &str, values: impl Params) -> Result<T, Failure> {
    Ok(connection.prepare_cached(sql)?.query_row(values, |row| row.get(0))?)
}

/// The first row that `sql` selects, if there is one.
pub(crate) fn find<T>(
    connection: &Connection,
    sql: &str,
    values: impl Params,
    read: impl FnOnce(&Row<'_>) -> Result<T, rusqlite::Error>,
) -> Result<Option<T>, Failure> {
    Ok(connection.prepare_cached(sql)?.query_row(values, read).optional()?)
}

/// Runs a statement, and returns how many rows it changed.
pub(crate) fn execute(connection: &Connection, sql: &str, values: impl Params) -> Result<usize, Failure> {
    Ok(connection.prepare_cached(sql)?.execute(values)?)
}

/// The rows that `sql` selects.
pub(crate) fn all<T, C: FromIterator<T>>(
    connection: &Connection,
    sql: &str,
    values: impl Params,
    read: impl FnMut(&Row<'_>) -> Result<T, rusqlite::Error>,
) -> Result<C, Failure> {
    Ok(connection.prepare_cached(sql)?.query_map(values, read)?.collect::<Result<_, _>>()?)
}

/// The number under `name`.
pub(crate) fn meta(connection: &Connection, name: &str) -> Result<Option<i64>, Failure> {
    find(connection, "SELECT value FROM meta WHERE name = ?1", [name], |row| row.get(0))
}

/// Sets the number under `name`.
pub(crate) fn set_meta(connection: &Connection, name: &str, value: i64) -> Result<(), Failure> {
    let sql = "INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2";
    execute(connection, sql, (name, value)).map(drop)
}
