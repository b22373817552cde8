//! The rows of a damaged database that can still be read, in a new one.
//!
//! A table is read from its beginning up to the first page that is damaged, and from its end down to the last one. What
//! is between them is halved and read in the same way, until no row is left that has not been tried.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, Result, params_from_iter};

use super::failure::Failure;
use super::schema::{made_by, tables};
use super::watch::Watch;

/// How often a table may be tried; a damaged page costs two tries for each of its rows.
const MOST_TRIES: usize = 1 << 20;

/// Whether a row of a table, by the table's name and the row's values, is what the room above wrote.
pub(super) type IsSound<'s> = dyn Fn(&str, &[Value]) -> bool + 's;

/// What was brought back of a database.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Recovered {
    /// How many rows of each table.
    pub(super) rows: Vec<(String, usize)>,
    /// How many rows can be read and are not what loopmem wrote.
    pub(super) unsound: usize,
    /// Whether there was something that could not be read.
    pub(super) is_incomplete: bool,
}

impl Recovered {
    /// How many rows of all tables.
    pub(super) fn count(&self) -> usize {
        self.rows.iter().map(|(_, count)| count).sum()
    }
}

/// Copies what can be read of `from` into the empty file `to`, and makes a database of it that these migrations made.
pub(super) fn recover(
    from: &Connection,
    to: &Path,
    migrations: &[&str],
    is_sound: &IsSound<'_>,
    watch: &Watch<'_>,
) -> Result<Recovered, Failure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let target = Connection::open_with_flags(to, flags)?;
    // Nobody reads it before it is finished and synced.
    target.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN")?;
    for migration in migrations {
        target.execute_batch(migration)?;
    }
    let mut recovered = Recovered::default();
    for (table, columns) in tables(&made_by(migrations)?)? {
        let mut copy = Copy { table: &table, statements: Statements::new(&table, &columns), from, target: &target };
        let rows = copy.all(is_sound, &mut recovered, watch)?;
        recovered.rows.push((table, rows));
    }
    target.execute_batch(&format!("PRAGMA user_version = {}; COMMIT", migrations.len()))?;
    // As one that a first write makes. There is no log left behind when it is closed.
    target.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    target.close().map_err(|(_, cause)| cause)?;
    Ok(recovered)
}

/// Whether rows of a table that can be read are not what loopmem wrote: how many.
pub(super) fn unsound(from: &Connection, migrations: &[&str], is_sound: &IsSound<'_>) -> Result<usize> {
    let mut count = 0;
    for (table, columns) in tables(&made_by(migrations)?)? {
        let mut query = from.prepare(&format!("SELECT {} FROM {} NOT INDEXED", names(&columns), quoted(&table)))?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let values = (0..columns.len()).map(|column| row.get(column)).collect::<Result<Vec<Value>>>()?;
            count += usize::from(!is_sound(&table, &values));
        }
    }
    Ok(count)
}

struct Statements {
    columns: usize,
    up: String,
    down: String,
    insert: String,
}

impl Statements {
    fn new(table: &str, columns: &[String]) -> Self {
        let names = names(columns);
        let table = quoted(table);
        let select = |order: &str| {
            format!(
                "SELECT rowid, {names} FROM {table} NOT INDEXED WHERE rowid BETWEEN ?1 AND ?2 ORDER BY rowid {order}"
            )
        };
        let places = vec!["?"; columns.len() + 1].join(", ");
        let insert = format!("INSERT OR IGNORE INTO {table} (_rowid_, {names}) VALUES ({places})");
        Statements { columns: columns.len(), up: select("ASC"), down: select("DESC"), insert }
    }
}

fn names(columns: &[String]) -> String {
    columns.iter().map(|column| quoted(column)).collect::<Vec<_>>().join(", ")
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

struct Copy<'c> {
    table: &'c str,
    statements: Statements,
    from: &'c Connection,
    target: &'c Connection,
}

/// How far a reading in one direction came.
struct Reach {
    /// The last row, if there was one.
    last: Option<i64>,
    is_to_the_end: bool,
}

impl Copy<'_> {
    fn all(&mut self, is_sound: &IsSound<'_>, recovered: &mut Recovered, watch: &Watch<'_>) -> Result<usize, Failure> {
        let mut rows = 0;
        let mut ranges = vec![(i64::MIN, i64::MAX)];
        for _ in 0..MOST_TRIES {
            let Some((first, last)) = ranges.pop() else { return Ok(rows) };
            let up = self.read(&self.statements.up, first, last, is_sound, recovered, &mut rows)?;
            if let Some(late) = watch.error() {
                return Err(late.into());
            }
            if up.is_to_the_end {
                continue;
            }
            recovered.is_incomplete = true;
            let Some(first) = up.last.map_or(Some(first), |row| row.checked_add(1)).filter(|it| *it <= last) else {
                continue;
            };
            let down = self.read(&self.statements.down, first, last, is_sound, recovered, &mut rows)?;
            let Some(last) = down.last.map_or(Some(last), |row| row.checked_sub(1)).filter(|it| first <= *it) else {
                continue;
            };
            if first < last && !down.is_to_the_end {
                let middle = first.midpoint(last);
                ranges.push((middle + 1, last));
                ranges.push((first, middle));
            }
        }
        Ok(rows)
    }

    /// Copies the rows of a range in their order, up to the first that cannot be read.
    fn read(
        &self,
        statement: &str,
        first: i64,
        last: i64,
        is_sound: &IsSound<'_>,
        recovered: &mut Recovered,
        copied: &mut usize,
    ) -> Result<Reach, Failure> {
        let mut reach = Reach { last: None, is_to_the_end: false };
        let Ok(mut query) = self.from.prepare_cached(statement) else { return Ok(reach) };
        let Ok(mut rows) = query.query([first, last]) else { return Ok(reach) };
        let mut insert = self.target.prepare_cached(&self.statements.insert)?;
        let is_up = statement == self.statements.up;
        loop {
            let row = match rows.next() {
                Ok(Some(row)) => row,
                Ok(None) => {
                    reach.is_to_the_end = true;
                    return Ok(reach);
                }
                Err(_) => return Ok(reach),
            };
            let values: Result<Vec<Value>> = (0..=self.statements.columns).map(|column| row.get(column)).collect();
            let Ok(values) = values else { return Ok(reach) };
            let Some((Value::Integer(id), rest)) = values.split_first() else { return Ok(reach) };
            // Damaged pages may lead back to where the reading has been.
            let goes_on = (first..=last).contains(id)
                && reach.last.is_none_or(|before| if is_up { *id > before } else { *id < before });
            if !goes_on {
                return Ok(reach);
            }
            reach.last = Some(*id);
            if is_sound(self.table, rest) && insert.execute(params_from_iter(&values))? > 0 {
                *copied += 1;
            } else {
                recovered.unsound += 1;
            }
        }
    }
}
