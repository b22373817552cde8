//! The store in `items.sqlite`: the fields of an item as columns for queries in SQL, those with lists and objects as JSON, and
//! beside them the item as it would be on a line of `items.jsonl`.

use std::path::Path;
use std::sync::{Arc, RwLockReadGuard};

use serde::Serialize;
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

use super::backend::{Backend, Change, Decide, OddRecords, Records, retrying};
use super::collection::{Collection, Lines, State, is_whole};
use super::place::Place;
use super::record::Item;
use crate::disk::{Disk, LineIndex, Recent, Stat, Stored, beside, read_record};
use crate::error::{Error, ErrorKind, Result};
use crate::finding::Examination;
use crate::home::Home;
use crate::sqlite::rusqlite::types::Value;
use crate::sqlite::rusqlite::{self, Connection, OptionalExtension as _, Row, params};
use crate::sqlite::{Database, Failure};

const MIGRATIONS: &[&str] = &["
    CREATE TABLE item (
        position INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        scope TEXT NOT NULL,
        status TEXT NOT NULL,
        type TEXT NOT NULL,
        content TEXT NOT NULL,
        tags TEXT NOT NULL,
        relevance_hints TEXT NOT NULL,
        counters TEXT,
        expiry TEXT,
        record TEXT NOT NULL
    );
    CREATE INDEX item_scope ON item (scope, status);
    CREATE VIRTUAL TABLE item_text USING fts5 (content, tags, content = 'item', content_rowid = 'position', tokenize = 'porter');
    CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
    INSERT INTO meta (name, value) VALUES ('generation', 0);
", "
    DROP TABLE item_text;
"];

/// It only has to be another one than before. Beyond the largest integer, SQLite would go on with a fraction.
const NEXT_GENERATION: &str = "INSERT INTO meta (name, value) VALUES ('generation', 1) ON CONFLICT (name) DO UPDATE
    SET value = CASE WHEN typeof(value) = 'integer' AND value < 9007199254740991 THEN value + 1 ELSE 0 END";

/// The number of rows in a chunk.
const CHUNK_ROWS: usize = 1024;
/// The size of a chunk in bytes, unless a single row is larger: the rows of a chunk are read together.
const CHUNK_BYTES: usize = 16 << 20;
/// The rows of how many databases a process keeps.
const CAPACITY: usize = 64;

/// The items of one database.
#[derive(Debug, Clone)]
pub(super) struct SqliteBackend {
    home: Home,
    place: Place,
    database: Arc<Database>,
    collection: Arc<Collection>,
}

/// The rows of the databases when they were read last.
static ROWS: Recent<Arc<Rows>> = Recent::new(CAPACITY);

/// The rows of a database at one moment.
#[derive(Debug)]
struct Rows {
    /// The database and its log.
    files: [Option<Stat>; 2],
    generation: i64,
    chunks: Vec<Chunk>,
}

#[derive(Debug)]
struct Chunk {
    id: u64,
    /// The position and the hash of each row.
    rows: Vec<(i64, u64)>,
}

/// The rows of a database, to be read from it.
#[derive(Debug)]
struct DatabaseLines {
    backend: SqliteBackend,
    rows: Arc<Rows>,
}

impl SqliteBackend {
    pub(super) fn new(home: &Home, place: Place) -> Self {
        let database = Database::new(place.file.clone(), home.config().lock_timeout, MIGRATIONS).shared();
        let collection = Collection::of(&place.file);
        SqliteBackend { home: home.clone(), place, database, collection }
    }

    fn disk(&self) -> &Disk {
        &self.place.disk
    }

    fn read<T>(&self, body: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<Option<T>> {
        self.database.read(self.disk(), self.home.wait_options(), body)
    }

    /// The current rows.
    fn rows(&self) -> Result<Arc<Rows>> {
        if !self.place.may_be_opened(&self.home) {
            return Ok(Arc::new(Rows { files: [None, None], generation: 0, chunks: Vec::new() }));
        }
        let kept = ROWS.get(&self.place.file);
        // They are looked at first: what is written meanwhile makes the next call read again.
        let files = [self.disk().stat(&self.place.file)?, self.disk().stat(&beside(&self.place.file, "-wal"))?];
        let read = self.read(|connection| {
            let generation = generation(connection)?;
            match &kept {
                Some(rows) if rows.files == files && rows.generation == generation => Ok(Arc::clone(rows)),
                _ => Ok(Arc::new(Rows { files, generation, chunks: chunks(connection, &self.home.cancel_check())? })),
            }
        })?;
        let rows = read.unwrap_or_else(|| Arc::new(Rows { files, generation: 0, chunks: Vec::new() }));
        ROWS.put(&self.place.file, Arc::clone(&rows));
        Ok(rows)
    }
}

fn generation(connection: &Connection) -> rusqlite::Result<i64> {
    let mut query = connection.prepare_cached("SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'generation'")?;
    Ok(query.query_row([], |row| row.get(0)).optional()?.unwrap_or(0))
}

/// The rows by position and hash.
fn chunks(connection: &Connection, check: &dyn Fn() -> Result<()>) -> Result<Vec<Chunk>, Failure> {
    let mut query = connection.prepare_cached("SELECT position, record FROM item ORDER BY position")?;
    let mut found = query.query([])?;
    let (mut chunks, mut rows, mut bytes) = (Vec::new(), Vec::new(), 0);
    let mut push = |rows: &mut Vec<(i64, u64)>| {
        if rows.is_empty() {
            return;
        }
        let rows = std::mem::take(rows);
        let mut digest = Xxh3Default::new();
        for (position, hash) in &rows {
            digest.update(&position.to_le_bytes());
            digest.update(&hash.to_le_bytes());
        }
        chunks.push(Chunk { id: digest.digest(), rows });
    };
    while let Some(row) = found.next()? {
        check()?;
        let record = row.get_ref(1)?.as_bytes().map_err(rusqlite::Error::from)?;
        if rows.len() == CHUNK_ROWS || bytes + record.len() > CHUNK_BYTES {
            push(&mut rows);
            bytes = 0;
        }
        bytes += record.len();
        rows.push((row.get(0)?, xxh3_64(record)));
    }
    push(&mut rows);
    Ok(chunks)
}

impl Lines for DatabaseLines {
    fn chunks(&self) -> Vec<u64> {
        self.rows.chunks.iter().map(|chunk| chunk.id).collect()
    }

    fn hashes(&self, chunk: usize) -> Vec<Option<u64>> {
        let rows = self.rows.chunks.get(chunk).map(|chunk| chunk.rows.as_slice()).unwrap_or_default();
        rows.iter().map(|(_, hash)| Some(*hash)).collect()
    }

    fn texts(&self, chunk: usize) -> Result<Vec<Option<Vec<u8>>>> {
        let rows = self.rows.chunks.get(chunk).map(|chunk| chunk.rows.as_slice()).unwrap_or_default();
        let (Some((first, _)), Some((last, _))) = (rows.first(), rows.last()) else { return Ok(Vec::new()) };
        let texts = self.backend.read(|connection| {
            let mut query = connection
                .prepare_cached("SELECT record FROM item WHERE position BETWEEN ?1 AND ?2 ORDER BY position")?;
            Ok(query.query_map([first, last], record)?.collect::<rusqlite::Result<Vec<_>>>()?)
        })?;
        let texts = texts.unwrap_or_default();
        let is_same =
            texts.len() == rows.len() && texts.iter().zip(rows).all(|(text, (_, hash))| xxh3_64(text) == *hash);
        if is_same { Ok(texts.into_iter().map(Some).collect()) } else { Err(self.changed()) }
    }

    fn text(&self, at: LineIndex) -> Result<Option<Vec<u8>>> {
        let row = self.rows.chunks.get(at.chunk).and_then(|chunk| chunk.rows.get(at.line));
        let Some((position, hash)) = row else { return Ok(None) };
        let text = self.backend.read(|connection| {
            let mut query = connection.prepare_cached("SELECT record FROM item WHERE position = ?1")?;
            Ok(query.query_row([position], record).optional()?)
        })?;
        match text.flatten().filter(|text| xxh3_64(text) == *hash) {
            Some(text) => Ok(Some(text)),
            None => Err(self.changed()),
        }
    }
}

impl DatabaseLines {
    fn changed(&self) -> Error {
        let path = &self.backend.place.file;
        let message = format!("{} was changed while it was read; try again", path.display());
        Error::new(ErrorKind::Conflict, message).at(path).mark_retryable()
    }
}

fn record(row: &Row<'_>) -> rusqlite::Result<Vec<u8>> {
    Ok(row.get_ref(0)?.as_bytes()?.to_vec())
}

impl Backend for SqliteBackend {
    fn place(&self) -> &Place {
        &self.place
    }

    fn state(&self) -> Result<RwLockReadGuard<'_, State>> {
        retrying(|| {
            let lines: Arc<dyn Lines> = Arc::new(DatabaseLines { backend: self.clone(), rows: self.rows()? });
            self.collection.at(&self.home, &self.place, &lines)
        })
    }

    fn edit(&self, decide: Decide) -> Result<()> {
        self.place.claim(&self.home)?;
        self.database.write(self.disk(), self.home.wait_options(), |transaction| {
            let changes = decide(&mut Transaction { backend: self, connection: transaction })?;
            if changes.is_empty() {
                return Ok(());
            }
            self.place.hide_from_git();
            for change in changes {
                match change {
                    Change::Add(item) | Change::Set(item) => set(transaction, &item)?,
                    Change::Remove(id) => remove(transaction, &id)?,
                }
            }
            transaction.prepare_cached(NEXT_GENERATION)?.execute([])?;
            Ok(())
        })
    }

    fn clear(&self) -> Result<()> {
        self.collection.clear(&self.home, &self.place);
        if !self.disk().has_entry(&self.place.file) {
            return Ok(());
        }
        self.database.compact(self.disk(), self.home.wait_options())
    }

    fn reindex(&self) {
        self.collection.reindex();
    }

    fn examine(&self, fix: bool) -> Result<Examination> {
        if !self.place.may_be_opened(&self.home) {
            return Ok(Examination::default());
        }
        let odd = OddRecords::default();
        let is_sound = |table: &str, values: &[Value]| is_sound(table, values, &odd);
        let mut found = self.database.examine(self.disk(), self.home.wait_options(), fix, &is_sound)?;
        found.findings.extend(odd.findings(&self.place.file, "row"));
        Ok(found)
    }
}

/// True if a row is valid: one of an item begins with its position and ends with the item. A newer version may have written
/// others.
fn is_sound(table: &str, values: &[Value], odd: &OddRecords) -> bool {
    let (position, record) = match (table, values) {
        ("item", [Value::Integer(position), .., Value::Text(record)]) => (position, record),
        ("meta", [_, value]) => return matches!(value, Value::Integer(count) if *count < i64::MAX),
        _ => return table != "item",
    };
    match read_record::<Item>(Path::new(""), 1, record.as_bytes()) {
        Ok(item) => {
            odd.add(position.unsigned_abs(), &item);
            is_whole(&item)
        }
        Err(error) => error.kind() == ErrorKind::FormatTooNew,
    }
}

/// The items in a transaction.
struct Transaction<'t> {
    backend: &'t SqliteBackend,
    connection: &'t Connection,
}

impl Transaction<'_> {
    fn error(&self, cause: rusqlite::Error) -> Error {
        self.backend.database.error(cause)
    }

    fn read(&self, text: &[u8]) -> Result<Stored<Item>> {
        read_record::<Item>(&self.backend.place.file, 1, text)
    }
}

impl Records for Transaction<'_> {
    fn find(&mut self, id: &str) -> Result<Option<Stored<Item>>> {
        let query = self.connection.prepare_cached("SELECT record FROM item WHERE id = ?1");
        let found = query.and_then(|mut query| query.query_row([id], record).optional());
        let damaged = |error: Error| match error.kind() {
            ErrorKind::Parse => Error::parse(&self.backend.place.file, "the record of the item is damaged").about(id),
            _ => error,
        };
        let text = found.map_err(|cause| self.error(cause))?;
        text.map(|text| self.read(&text).map_err(damaged)).transpose()
    }

    fn expired(&mut self, now: i64) -> Result<Vec<Stored<Item>>> {
        let sql = "SELECT record FROM item WHERE expiry IS NOT NULL AND status = 'active' ORDER BY position";
        let mut query = self.connection.prepare_cached(sql).map_err(|cause| self.error(cause))?;
        let texts = query.query_map([], record).map_err(|cause| self.error(cause))?;
        let mut expired = Vec::new();
        for text in texts {
            match self.read(&text.map_err(|cause| self.error(cause))?) {
                Ok(item) if item.expires_at().is_some_and(|expires| expires <= now) => expired.push(item),
                Ok(_) => {}
                // A damaged record stays where it is; the doctor lists it.
                Err(error) if error.kind() == ErrorKind::Parse => {}
                Err(error) => return Err(error),
            }
        }
        Ok(expired)
    }
}

/// Adds an item, or replaces the one with the same id in its position.
fn set(connection: &Connection, item: &Stored<Item>) -> Result<(), Failure> {
    let tags = json(&item.tags)?;
    let expiry = item.expiry.as_ref().map(json).transpose()?;
    connection
        .prepare_cached(
            "INSERT INTO item (id, created_at, updated_at, scope, status, type, content, tags, relevance_hints, counters,
                 expiry, record)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
             ON CONFLICT (id) DO UPDATE SET created_at = ?2, updated_at = ?3, scope = ?4, status = ?5, type = ?6,
                 content = ?7, tags = ?8, relevance_hints = ?9, counters = ?10, expiry = ?11, record = ?12",
        )?
        .execute(params![
                item.id,
                item.created_at,
                item.updated_at,
                item.scope.as_str(),
                item.status.as_str(),
                item.item_type.as_str(),
                item.content,
                tags,
                json(&item.relevance_hints)?,
                json(&item.counters)?,
                expiry,
                item.json().get(),
            ])?;
    Ok(())
}

fn json(value: &impl Serialize) -> Result<String, Failure> {
    let failed = |cause| Failure::Other(Error::internal("an item cannot be written as JSON").because(cause));
    serde_json::to_string(value).map_err(failed)
}

fn remove(connection: &Connection, id: &str) -> Result<(), Failure> {
    connection.prepare_cached("DELETE FROM item WHERE id = ?1")?.execute([id])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_in_chunks_of_limited_size() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch("CREATE TABLE item (position INTEGER PRIMARY KEY, record TEXT)").unwrap();
        let mut insert = connection.prepare("INSERT INTO item (record) VALUES (?1)").unwrap();
        for size in [CHUNK_BYTES / 2, CHUNK_BYTES / 2, 1, CHUNK_BYTES * 2, 1, 1] {
            insert.execute([" ".repeat(size)]).unwrap();
        }
        let chunks = chunks(&connection, &|| Ok(())).unwrap();
        assert_eq!(chunks.iter().map(|chunk| chunk.rows.len()).collect::<Vec<_>>(), [2, 1, 1, 2]);
    }
}
