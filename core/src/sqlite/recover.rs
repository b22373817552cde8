//! Copying the rows of a damaged database that can still be read into a new one.
//!
//! A table is read from its beginning up to the first damaged page, and then in ranges of row ids: from the beginning of a range
//! up to the damage, and from its end down to it. The rows in between are halved and read in the same way, until every row has
//! been tried.

use std::collections::{HashSet, VecDeque};
use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, Result, params_from_iter};

use super::failure::Failure;
use super::schema::{made_by, tables, text_indexes};
use super::watch::Watch;

/// The maximum number of tries per table; a damaged page costs two for each of its rows.
const MAX_TRIES: usize = 1 << 20;
/// How many row ids are tried after the last one that is known.
const BEYOND: i64 = 1 << 12;
/// The maximum number of index entries that are read.
const MAX_INDEX_ENTRIES: usize = 1 << 28;
/// How many rows may be read repeatedly before the pages are considered circular.
const MAX_REPEATS: usize = 1 << 16;

/// Whether a row is valid, given the table's name and the row's values.
pub(super) type IsSound<'s> = dyn Fn(&str, &[Value]) -> bool + 's;

/// The result of a recovery.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Recovered {
    /// The number of rows recovered, by table.
    pub(super) rows: Vec<(String, usize)>,
    /// How many rows were readable but invalid.
    pub(super) unsound: usize,
    /// Whether something could not be read.
    pub(super) is_incomplete: bool,
}

impl Recovered {
    /// The number of rows recovered.
    pub(super) fn count(&self) -> usize {
        self.rows.iter().map(|(_, count)| count).sum()
    }
}

/// Copies the readable rows of `from` into the empty file `to`, which becomes a database with these migrations applied.
pub(super) fn recover(
    from: &Connection,
    to: &Path,
    migrations: &[&str],
    is_sound: &IsSound<'_>,
    watch: &Watch<'_>,
) -> Result<Recovered, Failure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let target = Connection::open_with_flags(to, flags)?;
    // It is not read before it is complete and synced.
    target.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN")?;
    for migration in migrations {
        target.execute_batch(migration)?;
    }
    let mut recovered = Recovered::default();
    for (table, columns) in tables(&made_by(migrations)?)? {
        let statements = &Statements::new(&table, &columns);
        let seen = HashSet::new();
        let mut copy = Copy { table: &table, statements, from, target: &target, is_sound, seen, copied: 0, unsound: 0 };
        copy.all(&mut recovered, watch)?;
        recovered.unsound += copy.unsound;
        let copied = copy.copied;
        recovered.rows.push((table, copied));
    }
    for index in text_indexes(&target)? {
        let index = quoted(&index);
        target.execute_batch(&format!("INSERT INTO {index} ({index}) VALUES ('rebuild')"))?;
    }
    target.execute_batch(&format!("PRAGMA user_version = {}; COMMIT", migrations.len()))?;
    // The same mode that a first write sets. Closing the connection leaves no log behind.
    target.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    target.close().map_err(|(_, cause)| cause)?;
    Ok(recovered)
}

/// How many readable rows are invalid.
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
    all: String,
    up: String,
    down: String,
    insert: String,
}

impl Statements {
    fn new(table: &str, columns: &[String]) -> Self {
        let names = names(columns);
        let table = quoted(table);
        let all = format!("SELECT rowid, {names} FROM {table} NOT INDEXED");
        let range = |order: &str| format!("{all} WHERE rowid BETWEEN ?1 AND ?2 ORDER BY rowid {order}");
        let (up, down) = (range("ASC"), range("DESC"));
        let places = vec!["?"; columns.len() + 1].join(", ");
        let insert = format!("INSERT OR IGNORE INTO {table} (_rowid_, {names}) VALUES ({places})");
        Statements { columns: columns.len(), all, up, down, insert }
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
    statements: &'c Statements,
    from: &'c Connection,
    target: &'c Connection,
    is_sound: &'c IsSound<'c>,
    /// The ids of the rows that were read.
    seen: HashSet<i64>,
    copied: usize,
    unsound: usize,
}

/// How a read ended.
enum Reach {
    End,
    /// At a damaged place, after this row if there was one.
    Damage(Option<i64>),
}

impl Copy<'_> {
    fn all(&mut self, recovered: &mut Recovered, watch: &Watch<'_>) -> Result<(), Failure> {
        // In page order, which need not be the order of row ids.
        let statements = self.statements;
        if matches!(self.read(&statements.all, None)?, Reach::End) {
            return Ok(());
        }
        recovered.is_incomplete = true;
        let (first, last) = self.bounds();
        let mut ranges = VecDeque::from([(first, last)]);
        for _ in 0..MAX_TRIES {
            let Some((first, last)) = ranges.pop_front() else { break };
            let up = self.read(&statements.up, Some((first, last)))?;
            if let Some(late) = watch.error() {
                return Err(late.into());
            }
            let Reach::Damage(up) = up else { continue };
            let Some(first) = up.map_or(Some(first), |row| row.checked_add(1)).filter(|it| *it <= last) else {
                continue;
            };
            let Reach::Damage(down) = self.read(&statements.down, Some((first, last)))? else { continue };
            let Some(last) = down.map_or(Some(last), |row| row.checked_sub(1)).filter(|it| first <= *it) else {
                continue;
            };
            if first < last {
                let middle = first.midpoint(last);
                ranges.extend([(first, middle), (middle + 1, last)]);
            }
        }
        Ok(())
    }

    /// The range of row ids to try: those that were read, those in the indexes, and [`BEYOND`] more.
    fn bounds(&self) -> (i64, i64) {
        let indexed = "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?1";
        let indexes: Vec<String> = self
            .target
            .prepare(indexed)
            .and_then(|mut query| query.query_map([self.table], |row| row.get(0))?.collect())
            .unwrap_or_default();
        let mut rows = vec![1];
        rows.extend(self.seen.iter().min());
        rows.extend(self.seen.iter().max());
        for index in indexes {
            let sql = format!("SELECT rowid FROM {} INDEXED BY {}", quoted(self.table), quoted(&index));
            let Ok(mut query) = self.from.prepare(&sql) else { continue };
            let Ok(named) = query.query_map([], |row| row.get::<_, i64>(0)) else { continue };
            // As far as the index is readable. The limit is for an index whose pages are circular.
            let named = named.map_while(Result::ok).take(MAX_INDEX_ENTRIES);
            let (least, most) = named.fold((1, 1), |(least, most), row| (row.min(least), row.max(most)));
            rows.extend([least, most]);
        }
        let (least, most) = (rows.iter().min().copied().unwrap_or(1), rows.iter().max().copied().unwrap_or(1));
        (least, most.saturating_add(BEYOND))
    }

    /// Copies rows in the order of the statement, up to the first that cannot be read: all rows, or those of a range.
    fn read(&mut self, statement: &str, range: Option<(i64, i64)>) -> Result<Reach, Failure> {
        let mut last = None;
        let Ok(mut query) = self.from.prepare_cached(statement) else { return Ok(Reach::Damage(last)) };
        let rows = match range {
            Some((first, last)) => query.query([first, last]),
            None => query.query([]),
        };
        let Ok(mut rows) = rows else { return Ok(Reach::Damage(last)) };
        let mut insert = self.target.prepare_cached(&self.statements.insert)?;
        let is_up = statement == self.statements.up;
        let mut again = 0;
        loop {
            let row = match rows.next() {
                Ok(Some(row)) => row,
                Ok(None) => return Ok(Reach::End),
                Err(_) => return Ok(Reach::Damage(last)),
            };
            let values: Result<Vec<Value>> = (0..=self.statements.columns).map(|column| row.get(column)).collect();
            let Ok(values) = values else { return Ok(Reach::Damage(last)) };
            let Some((Value::Integer(id), rest)) = values.split_first() else { return Ok(Reach::Damage(last)) };
            // Damaged pages may link back to pages that were already read.
            let goes_on = match range {
                Some((first, end)) => {
                    (first..=end).contains(id) && last.is_none_or(|last| if is_up { *id > last } else { *id < last })
                }
                None => again < MAX_REPEATS,
            };
            if !goes_on {
                return Ok(Reach::Damage(last));
            }
            last = Some(*id);
            if !self.seen.insert(*id) {
                again += 1;
            } else if (self.is_sound)(self.table, rest) && insert.execute(params_from_iter(&values))? > 0 {
                self.copied += 1;
            } else {
                self.unsound += 1;
            }
        }
    }
}
