//! The adapter `sqlite`: one SQLite database under the home, for thousands of scopes and for SQL queries.
//!
//! Every change is atomic and durable, also with concurrent writers in other processes and languages.

use std::collections::BTreeSet;

use serde_json::value::RawValue;

use super::super::adapter::{Adapter, Decide, Keep, Lease, SealedJson, Write, keep_if_readable, keys_of};
use super::super::key::{Key, Scope};
use super::json;
use crate::disk::{Json, Mode, WaitOptions};
use crate::error::Result;
use crate::finding::Examination;
use crate::home::Home;
use crate::safety::MAX_VALUE_BYTES;
use crate::sqlite::rusqlite::types::Value;
use crate::sqlite::rusqlite::{self, Connection, OptionalExtension as _, Rows, params};
use crate::sqlite::{Database, Failure};

const MIGRATIONS: &[&str] = &["
    CREATE TABLE value (key TEXT PRIMARY KEY, json TEXT NOT NULL);
    CREATE TABLE list (id INTEGER PRIMARY KEY, key TEXT NOT NULL, json TEXT NOT NULL);
    CREATE INDEX list_key ON list (key, id);
"];

/// Lists each key once by skipping along the index, so the cost does not depend on the number of items.
const KEYS: &str = "
    WITH RECURSIVE lists (key) AS (
        SELECT min(key) FROM list
        UNION ALL SELECT (SELECT min(list.key) FROM list WHERE list.key > lists.key) FROM lists WHERE key IS NOT NULL
    )
    SELECT key FROM lists WHERE key IS NOT NULL UNION SELECT key FROM value
";

/// The limit on the total size of the items of one list that are read, and of all keys, in bytes.
const MAX_LIST_BYTES: usize = 1 << 30;
/// The approximate overhead of each of them.
const OVERHEAD_BYTES: usize = 64;

/// A database of values and lists.
#[derive(Debug)]
pub struct SqliteAdapter {
    home: Home,
    database: Database,
}

impl SqliteAdapter {
    /// The database of this home.
    pub fn new(home: Home) -> Self {
        let database = Database::new(home.layout().working_database(), home.config().lock_timeout, MIGRATIONS);
        SqliteAdapter { home, database }
    }

    /// Checks the database, if there is one; with `fix`, repairs it.
    pub(crate) fn examine(&self, wait: &WaitOptions, fix: bool) -> Result<Examination> {
        self.database.examine(self.home.disk(), wait, fix, &is_sound)
    }

    fn read<T: Default>(&self, wait: &WaitOptions, body: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T> {
        Ok(self.database.read(self.home.disk(), wait, body)?.unwrap_or_default())
    }
}

impl Adapter for SqliteAdapter {
    fn name(&self) -> &'static str {
        "sqlite"
    }

    fn get(&self, wait: &WaitOptions, key: &Key) -> Result<Option<Json>> {
        self.read(wait, |connection| get(connection, key))
    }

    fn write(&self, wait: &WaitOptions, write: Write) -> Result<()> {
        self.database.write(self.home.disk(), wait, |transaction| write_one(transaction, &write).map(drop))
    }

    fn list(&self, wait: &WaitOptions, key: &Key, limit: Option<usize>) -> Result<Vec<Json>> {
        // A negative limit is none.
        let limit = limit.and_then(|limit| i64::try_from(limit).ok()).unwrap_or(-1);
        let mut items = self.read(wait, |connection| {
            let mut query =
                connection.prepare_cached("SELECT json FROM list WHERE key = ?1 ORDER BY id DESC LIMIT ?2")?;
            texts(query.query(params![key.to_string(), limit])?, MAX_LIST_BYTES, |item| {
                Ok(Some(json(key, item.to_owned())?))
            })
        })?;
        items.reverse();
        Ok(items)
    }

    fn update(&self, wait: &WaitOptions, _: &Scope, mut decide: Decide) -> Result<()> {
        self.database.write(self.home.disk(), wait, |transaction| {
            let writes = decide(&mut |key| get(transaction, key).map_err(|failure| self.database.error(failure)))?;
            writes.iter().try_for_each(|write| write_one(transaction, write).map(drop))
        })
    }

    fn clear(&self, wait: &WaitOptions) -> Result<()> {
        if !self.home.disk().has_entry(&self.home.layout().working_database()) {
            return Ok(());
        }
        self.database.compact(self.home.disk(), wait)
    }

    fn delete(&self, wait: &WaitOptions, scope: &Scope, keep: &mut Keep<'_>) -> Result<bool> {
        let is_there = self.read(wait, |connection| {
            let mut query = connection.prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM value WHERE key = ?1 UNION ALL SELECT 1 FROM list WHERE key = ?1)",
            )?;
            for key in keys_of(scope, &mut |_| Ok(None))? {
                if query.query_row([key.to_string()], |row| row.get::<_, bool>(0))? {
                    return Ok(true);
                }
            }
            Ok(false)
        })?;
        if !is_there {
            // Do not create a home to find that there is nothing to delete.
            return Ok(false);
        }
        self.database.write(self.home.disk(), wait, |transaction| {
            let context = get(transaction, &Key::Context(scope.clone()));
            keep_if_readable(context.map_err(|failure| self.database.error(failure)), keep)?;
            let keys =
                keys_of(scope, &mut |key| get(transaction, key).map_err(|failure| self.database.error(failure)))?;
            let mut rows = 0;
            for key in keys {
                rows += write_one(transaction, &Write::Del(key))?;
            }
            Ok(rows > 0)
        })
    }

    fn lease(&self, _: &Home, _: &WaitOptions, _: &Scope, _: Mode) -> Result<Lease> {
        // The database's own lock excludes other writers, in all processes.
        Ok(Lease::default())
    }

    fn scopes(&self, wait: &WaitOptions) -> Result<BTreeSet<Scope>> {
        let scopes = self.read(wait, |connection| {
            let mut query = connection.prepare_cached(KEYS)?;
            texts(query.query([])?, MAX_LIST_BYTES, |key| Ok(Key::parse(key).map(|key| key.scope().clone())))
        })?;
        Ok(scopes.into_iter().collect())
    }
}

/// Applies `read` to the texts in the first column; fails once their total size exceeds `most` bytes.
fn texts<T>(
    mut rows: Rows<'_>,
    most: usize,
    read: impl Fn(&str) -> Result<Option<T>, Failure>,
) -> Result<Vec<T>, Failure> {
    let (mut found, mut bytes) = (Vec::new(), 0_usize);
    while let Some(row) = rows.next()? {
        let text = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
        bytes = bytes.saturating_add(text.len() + OVERHEAD_BYTES);
        if bytes > most {
            return Err(Failure::too_long());
        }
        found.extend(read(text)?);
    }
    Ok(found)
}

/// Whether a row of either table ends with a key and JSON.
fn is_sound(_: &str, values: &[Value]) -> bool {
    let [.., Value::Text(_), Value::Text(json)] = values else { return false };
    serde_json::from_str::<&RawValue>(json).is_ok()
}

fn get(connection: &Connection, key: &Key) -> Result<Option<Json>, Failure> {
    // A value that is too long is not loaded.
    let mut query =
        connection.prepare_cached("SELECT iif(octet_length(json) > ?2, NULL, json) FROM value WHERE key = ?1")?;
    let text: Option<Option<String>> =
        query.query_row(params![key.to_string(), MAX_VALUE_BYTES as i64], |row| row.get(0)).optional()?;
    match text {
        None => Ok(None),
        Some(None) => Err(Failure::too_long()),
        Some(Some(text)) => Ok(Some(json(key, text)?)),
    }
}

/// Performs one write; returns the number of changed rows.
fn write_one(connection: &Connection, write: &Write) -> Result<usize, Failure> {
    let run = |statement: &str, key: &Key, json: Option<&SealedJson>| {
        let mut statement = connection.prepare_cached(statement)?;
        match json {
            Some(json) => statement.execute([key.to_string().as_str(), json.json().get()]),
            None => statement.execute([key.to_string()]),
        }
    };
    let rows = match write {
        Write::Set(key, value) => run(
            "INSERT INTO value (key, json) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET json = excluded.json",
            key,
            Some(value),
        )?,
        Write::Push(key, item) => run("INSERT INTO list (key, json) VALUES (?1, ?2)", key, Some(item))?,
        Write::Del(key) => {
            run("DELETE FROM value WHERE key = ?1", key, None)? + run("DELETE FROM list WHERE key = ?1", key, None)?
        }
    };
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_up_to_a_limit_of_their_total_size() {
        let connection = Connection::open_in_memory().unwrap();
        let read = |rows: usize, most: usize| {
            let numbers = format!("SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows}");
            let sql = format!("WITH RECURSIVE n (i) AS ({numbers}) SELECT '{{\"long\":\"text\"}}' FROM n");
            texts(connection.prepare(&sql).unwrap().query([]).unwrap(), most, |text| Ok(Some(text.len())))
        };
        assert_eq!(read(3, 1 << 10).unwrap(), [15, 15, 15]);
        let refused = read(1 << 30, 1 << 10).unwrap_err();
        assert!(
            matches!(refused, Failure::Sqlite(cause) if cause.sqlite_error_code() == Some(rusqlite::ErrorCode::TooBig))
        );
    }
}
