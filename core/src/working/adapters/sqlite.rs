//! In one SQLite database under the home: for thousands of scopes, and for those who like to query.
//!
//! Every change is atomic and durable, whoever else writes, in any process and language.

use std::collections::BTreeSet;

use serde_json::value::RawValue;

use super::super::adapter::{Adapter, Decide, Json, Lease, SealedJson, Write, damaged, keys_of};
use super::super::key::{Key, Scope};
use crate::disk::{Mode, Wait};
use crate::error::Result;
use crate::finding::Examination;
use crate::home::Home;
use crate::safety::MAX_VALUE_BYTES;
use crate::sqlite::rusqlite::types::Value;
use crate::sqlite::rusqlite::{Connection, OptionalExtension as _, params};
use crate::sqlite::{Database, Failure};

const MIGRATIONS: &[&str] = &["
    CREATE TABLE value (key TEXT PRIMARY KEY, json TEXT NOT NULL);
    CREATE TABLE list (id INTEGER PRIMARY KEY, key TEXT NOT NULL, json TEXT NOT NULL);
    CREATE INDEX list_key ON list (key, id);
"];

/// Every key once: from one to the next along the index, however many items there are.
const KEYS: &str = "
    WITH RECURSIVE lists (key) AS (
        SELECT min(key) FROM list
        UNION ALL SELECT (SELECT min(list.key) FROM list WHERE list.key > lists.key) FROM lists WHERE key IS NOT NULL
    )
    SELECT key FROM lists WHERE key IS NOT NULL UNION SELECT key FROM value
";

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

    /// Looks at the database, if there is one, and with `fix` mends what can be mended.
    ///
    /// # Errors
    /// `Cancelled`. Any other is a finding.
    pub(crate) fn examine(&self, wait: &Wait, fix: bool) -> Result<Examination> {
        self.database.examine(self.home.disk(), wait, fix, &is_sound)
    }

    fn read<T: Default>(&self, wait: &Wait, body: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T> {
        Ok(self.database.read(self.home.disk(), wait, body)?.unwrap_or_default())
    }

    fn write(&self, wait: &Wait, write: &Write) -> Result<()> {
        self.database.write(self.home.disk(), wait, |transaction| write_one(transaction, write).map(drop))
    }

    fn list(&self, wait: &Wait, key: &Key, most: Option<usize>) -> Result<Vec<Json>> {
        let most = most.and_then(|most| i64::try_from(most).ok()).unwrap_or(-1);
        let mut items = self.read(wait, |connection| {
            let mut query =
                connection.prepare_cached("SELECT json FROM list WHERE key = ?1 ORDER BY id DESC LIMIT ?2")?;
            let rows = query.query_map(params![key.to_string(), most], |row| row.get::<_, String>(0))?;
            let items: Result<Vec<_>, _> = rows.collect();
            Ok(items?)
        })?;
        items.reverse();
        items.into_iter().map(|item| json(key, item)).collect()
    }
}

impl Adapter for SqliteAdapter {
    fn get(&self, wait: &Wait, key: &Key) -> Result<Option<Json>> {
        self.read(wait, |connection| get(connection, key))
    }

    fn set(&self, wait: &Wait, key: &Key, value: &SealedJson) -> Result<()> {
        self.write(wait, &Write::Set(key.clone(), value.clone()))
    }

    fn del(&self, wait: &Wait, key: &Key) -> Result<()> {
        self.write(wait, &Write::Del(key.clone()))
    }

    fn push(&self, wait: &Wait, key: &Key, item: &SealedJson) -> Result<()> {
        self.write(wait, &Write::Push(key.clone(), item.clone()))
    }

    fn get_list(&self, wait: &Wait, key: &Key) -> Result<Vec<Json>> {
        self.list(wait, key, None)
    }

    fn tail(&self, wait: &Wait, key: &Key, most: usize) -> Result<Vec<Json>> {
        self.list(wait, key, Some(most))
    }

    fn update(&self, wait: &Wait, _: &Scope, mut decide: Decide) -> Result<()> {
        self.database.write(self.home.disk(), wait, |transaction| {
            let writes = decide(&mut |key| get(transaction, key).map_err(|failure| self.database.error(failure)))?;
            writes.iter().try_for_each(|write| write_one(transaction, write).map(drop))
        })
    }

    fn delete(&self, wait: &Wait, scope: &Scope) -> Result<bool> {
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
            // A home that holds nothing is not made to tell so.
            return Ok(false);
        }
        self.database.write(self.home.disk(), wait, |transaction| {
            let keys =
                keys_of(scope, &mut |key| get(transaction, key).map_err(|failure| self.database.error(failure)))?;
            let mut rows = 0;
            for key in keys {
                rows += write_one(transaction, &Write::Del(key))?;
            }
            Ok(rows > 0)
        })
    }

    fn lease(&self, _: &Home, _: &Wait, _: &Scope, _: Mode) -> Result<Lease> {
        // The database's own lock keeps writers apart, in every process.
        Ok(Lease::default())
    }

    fn scopes(&self, wait: &Wait) -> Result<Vec<Scope>> {
        let keys: Vec<String> = self.read(wait, |connection| {
            let mut query = connection.prepare_cached(KEYS)?;
            let keys: Result<Vec<_>, _> = query.query_map([], |row| row.get(0))?.collect();
            Ok(keys?)
        })?;
        let scopes: BTreeSet<_> = keys.iter().filter_map(|key| Some(Key::parse(key)?.scope().clone())).collect();
        Ok(scopes.into_iter().collect())
    }
}

/// Whether a row of either table ends in a key and JSON.
fn is_sound(_: &str, values: &[Value]) -> bool {
    let [.., Value::Text(_), Value::Text(json)] = values else { return false };
    serde_json::from_str::<&RawValue>(json).is_ok()
}

fn get(connection: &Connection, key: &Key) -> Result<Option<Json>, Failure> {
    // One that is too long is not loaded.
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

/// Returns how many rows it changed.
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

fn json(key: &Key, text: String) -> Result<Json> {
    RawValue::from_string(text).map(Json::from).map_err(|_| damaged(key, "is no JSON"))
}
