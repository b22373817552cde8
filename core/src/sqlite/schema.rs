//! The schema of a database: exactly the tables and indexes that its migrations create, plus at most the statistics of `ANALYZE`.
//! Anything else (views, triggers, expressions) could run when the database is read or written, possibly for ever.

use rusqlite::{Connection, OptionalExtension as _, Result};

/// The maximum number of objects that are read.
pub(super) const MAX_OBJECTS: i32 = 64;

/// The message for any other schema.
pub(super) const ALTERED: &str =
    "its tables and indexes are not those of loopmem: it is a database of another program, or was altered";

/// The tables that `ANALYZE` creates. Database browsers run it automatically.
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
    /// With white space normalized; SQLite's automatic indexes have none.
    sql: Option<String>,
}

impl Object {
    fn is_statistics(&self) -> bool {
        STATISTICS.iter().any(|(name, sql)| self.name == *name && self.sql.as_deref() == Some(sql))
    }
}

/// All objects of a database except statistics, sorted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Schema(Vec<Object>);

/// How the schema of a file differs from the expected one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Difference {
    /// It has all expected objects, and more.
    More,
    /// Something is missing or different.
    Other,
}

impl Schema {
    /// Reads the schema of an open database.
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

    /// The schema of a database with these migrations applied.
    pub(super) fn after(migrations: &[&str]) -> Result<Self> {
        Schema::of(&made_by(migrations)?)
    }

    /// How this schema differs from `expected`.
    pub(super) fn difference(&self, expected: &Schema) -> Option<Difference> {
        match self == expected {
            true => None,
            false if expected.0.iter().all(|object| self.0.contains(object)) => Some(Difference::More),
            false => Some(Difference::Other),
        }
    }
}

/// Creates an empty database in memory with these migrations applied.
pub(super) fn made_by(migrations: &[&str]) -> Result<Connection> {
    let connection = Connection::open_in_memory()?;
    for migration in migrations {
        connection.execute_batch(migration)?;
    }
    Ok(connection)
}

/// The indexes of texts in a migrated database. Their contents are derived from its tables.
pub(super) fn text_indexes(connection: &Connection) -> Result<Vec<String>> {
    let mut query =
        connection.prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'virtual'")?;
    query.query_map([], |row| row.get(0))?.collect()
}

/// Returns whether an index of texts has the settings with which it was created. SQLite keeps them in a table.
pub(super) fn has_default_settings(connection: &Connection, index: &str) -> Result<bool> {
    let table = format!("{index}_config").replace('"', "\"\"");
    let sql = format!(
        "SELECT count(*) = 1 AND ifnull(min(k = 'version' AND typeof(v) = 'integer' AND v IN (4, 5)), 0) FROM \"{table}\""
    );
    connection.query_row(&sql, [], |row| row.get(0))
}

/// The tables of a migrated database, each with its columns, without those of its indexes of texts.
pub(super) fn tables(connection: &Connection) -> Result<Vec<(String, Vec<String>)>> {
    let mut query = connection.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN
         (SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table') ORDER BY rowid",
    )?;
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
pub(super) fn cookie(connection: &Connection) -> Result<Option<i64>> {
    connection.prepare_cached("PRAGMA schema_version")?.query_row([], |row| row.get(0)).optional()
}
