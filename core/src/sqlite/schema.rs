//! What a database consists of: exactly the tables and indexes that its migrations make, and at most the statistics of
//! `ANALYZE` besides. Anything else runs when it is read or written (views, triggers, expressions), and may run for ever.

use rusqlite::{Connection, OptionalExtension as _, Result};

/// No more objects than this are looked at.
pub(super) const MAX_OBJECTS: i32 = 64;

/// What is wrong with another one.
pub(super) const ALTERED: &str =
    "its tables and indexes are not those that loopmem made: it is a database of another program, or has been altered";

/// What `ANALYZE` leaves in a database, as SQLite writes it. Programs that show a database run it unasked.
const STATISTICS: [(&str, &str); 2] = [
    ("sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl,idx,stat)"),
    ("sqlite_stat4", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"),
];

/// A table or an index.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Object {
    kind: String,
    name: String,
    table: String,
    /// Without what only lays it out; SQLite's own indexes have none.
    sql: Option<String>,
}

impl Object {
    fn is_statistics(&self) -> bool {
        STATISTICS.iter().any(|(name, sql)| self.name == *name && self.sql.as_deref() == Some(sql))
    }
}

/// All objects of a database but statistics, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Schema(Vec<Object>);

/// How the schema of a file differs from what it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Difference {
    /// It has all that it should have, and more.
    More,
    /// Something is missing or of another kind.
    Other,
}

impl Schema {
    /// That of an open database.
    ///
    /// # Errors
    /// SQLite's own.
    pub(super) fn of(connection: &Connection) -> Result<Self> {
        let mut query = connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema LIMIT ?1")?;
        let rows = query.query_map([MAX_OBJECTS + 1], |row| {
            let sql: Option<String> = row.get(3)?;
            let sql = sql.map(|sql| sql.split_whitespace().collect::<Vec<_>>().join(" "));
            Ok(Object { kind: row.get(0)?, name: row.get(1)?, table: row.get(2)?, sql })
        })?;
        let mut objects = rows.collect::<Result<Vec<_>>>()?;
        objects.retain(|object| !object.is_statistics());
        objects.sort();
        Ok(Schema(objects))
    }

    /// That of a database with these migrations behind it.
    ///
    /// # Errors
    /// SQLite's own.
    pub(super) fn after(migrations: &[&str]) -> Result<Self> {
        Schema::of(&made_by(migrations)?)
    }

    /// How this one, of a file, differs from `expected`.
    pub(super) fn difference(&self, expected: &Schema) -> Option<Difference> {
        match self == expected {
            true => None,
            false if expected.0.iter().all(|object| self.0.contains(object)) => Some(Difference::More),
            false => Some(Difference::Other),
        }
    }
}

/// An empty database in memory that these migrations made.
///
/// # Errors
/// SQLite's own.
pub(super) fn made_by(migrations: &[&str]) -> Result<Connection> {
    let connection = Connection::open_in_memory()?;
    for migration in migrations {
        connection.execute_batch(migration)?;
    }
    Ok(connection)
}

/// The tables of a database that migrations made, each with its columns.
///
/// # Errors
/// SQLite's own.
pub(super) fn tables(connection: &Connection) -> Result<Vec<(String, Vec<String>)>> {
    let mut query = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")?;
    let names = query.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>>>()?;
    let mut columns = connection.prepare("SELECT name FROM pragma_table_info(?1) ORDER BY cid")?;
    names
        .into_iter()
        .map(|table| {
            let columns = columns.query_map([&table], |row| row.get(0))?.collect::<Result<_>>()?;
            Ok((table, columns))
        })
        .collect()
}

/// A number that changes with the schema.
///
/// # Errors
/// SQLite's own.
pub(super) fn cookie(connection: &Connection) -> Result<Option<i64>> {
    connection.prepare_cached("PRAGMA schema_version")?.query_row([], |row| row.get(0)).optional()
}
