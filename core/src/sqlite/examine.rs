//! Checking and repairing a database.
//!
//! A check changes and creates nothing, not even the log's index. A repair quarantines a damaged database, with its log, and
//! replaces it by a new one with every row that can be read.

use std::path::Path;

use super::connection::{Opened, has_tables, open, open_snapshot, version};
use super::failure::{Failure, TEXT_SETTINGS};
use super::files::{BESIDE, Files, INDEX, JOURNAL, LOG, LOG_ALONE, RECOVERED, recovered};
use super::pool::{self, Session};
use super::recover::{IsSound, Recovered, recover, unsound};
use super::schema::{ALTERED, Difference, Schema, has_default_settings, text_indexes};
use super::watch::Watch;
use super::{Database, connection};
use crate::disk::{Disk, Guard, Kind, Mode, WaitOptions, beside, counted, not_a_file, quarantined, reason};
use crate::error::{Error, ErrorKind, Result};
use crate::finding::{Examination, Fault, Finding};

/// How many faults SQLite is asked to report.
const MAX_REPORTED: usize = 3;
const NOTHING: &str = "nothing in it could be recovered";

/// The state of a database.
#[derive(Debug)]
enum State {
    Sound,
    /// Damaged; the rows that can be read can be recovered.
    Damaged(String),
    /// Something that loopmem cannot repair.
    Other(Fault, String),
    Unknown(Error),
}

impl Database {
    /// Checks the database and the files beside it. With `fix`, a damaged one is quarantined and the rows that can be read are
    /// recovered. A row is sound if `is_sound` accepts the name of its table and its values.
    pub fn examine(&self, disk: &Disk, wait: &WaitOptions, fix: bool, is_sound: &IsSound<'_>) -> Result<Examination> {
        let mut found = Examination::default();
        let files = [self.path.clone(), recovered(&self.path), beside(&self.path, LOG)];
        let are_there: Result<Vec<_>> = files.iter().map(|path| disk.stat(path)).collect();
        match are_there.map(|stats| stats.iter().any(Option::is_some)) {
            Ok(true) => {}
            Ok(false) => {
                found.findings.extend(self.quarantined_files(disk));
                return Ok(found);
            }
            Err(error) => return Ok(self.failed(&error)),
        }
        found.files = 1;
        found.findings.extend(self.irregular_files(disk));
        if !found.findings.is_empty() {
            return Ok(found);
        }
        let lock = |mode| match disk.lock(&self.path, mode, wait, self.default_timeout) {
            Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
            locked => Ok(locked),
        };
        match lock(Mode::Shared)? {
            Ok(guard) => {
                found.findings.extend(self.look(disk, wait, is_sound, None)?);
                drop(guard);
            }
            Err(error) => {
                found.findings.push(Finding::of_failure(&self.path, &error));
                return Ok(found);
            }
        }
        if fix && found.findings.iter().any(|finding| finding.fault.is_repairable()) {
            match lock(Mode::Exclusive)? {
                Ok(guard) => found.findings = self.look(disk, wait, is_sound, Some(&guard))?,
                Err(error) => found.findings.push(Finding::of_failure(&self.path, &error)),
            }
        }
        found.findings.extend(self.quarantined_files(disk));
        Ok(found)
    }

    fn failed(&self, error: &Error) -> Examination {
        Examination { files: 0, findings: vec![Finding::of_failure(&self.path, error)] }
    }

    /// The entries that are not regular files where the database needs one.
    fn irregular_files(&self, disk: &Disk) -> Vec<Finding> {
        let paths = [""].iter().chain(BESIDE).map(|suffix| beside(&self.path, suffix));
        let irregular = |path: &Path| match disk.stat(path) {
            Ok(stat) => stat.filter(|stat| stat.kind != Kind::File).map(|stat| not_a_file(path, Kind::File, stat.kind)),
            Err(error) => Some(Finding::of_failure(path, &error)),
        };
        paths.filter_map(|path| irregular(&path)).collect()
    }

    /// Data that was quarantined earlier.
    fn quarantined_files(&self, disk: &Disk) -> Vec<Finding> {
        let (Some(folder), Some(name)) = (self.path.parent(), self.path.file_name().and_then(|name| name.to_str()))
        else {
            return Vec::new();
        };
        let is_quarantined = |entry: &str| {
            let rest = entry.strip_prefix(name).map(|rest| rest.strip_prefix(RECOVERED).unwrap_or(rest));
            let rest = rest.and_then(|rest| rest.strip_prefix(".damaged"));
            rest.is_some_and(|rest| !BESIDE.iter().any(|suffix| rest.ends_with(suffix)))
        };
        let entries = match disk.entries(folder) {
            Ok(entries) => entries,
            Err(error) => return vec![Finding::of_failure(folder, &error)],
        };
        let kept = entries
            .iter()
            .filter(|(entry, stat)| stat.kind == Kind::File && entry.to_str().is_some_and(is_quarantined));
        kept.map(|(entry, _)| quarantined(&folder.join(entry))).collect()
    }

    /// Checks the database under its lock, and repairs it if that is exclusive.
    fn look(
        &self,
        disk: &Disk,
        wait: &WaitOptions,
        is_sound: &IsSound<'_>,
        guard: Option<&Guard>,
    ) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        let watch = Watch::new(disk, &self.path, wait, self.default_timeout);
        if guard.is_some() {
            // Connections kept by this process must not interfere, nor lose their locks when the file is closed.
            pool::close(&self.path);
        }
        for path in [""].iter().chain(BESIDE).map(|suffix| beside(&self.path, suffix)) {
            findings.extend(disk.examine_private(&path, guard));
        }
        let state = match (disk.stat(&self.path), disk.stat(&recovered(&self.path))) {
            (Err(error), _) | (_, Err(error)) => State::Unknown(error),
            (Ok(None), Ok(Some(_))) => State::Damaged("its recovery was interrupted".to_owned()),
            (Ok(_), Ok(None)) => self.state(disk, &watch, is_sound, guard),
            (Ok(Some(_)), Ok(Some(_))) => {
                findings.push(self.stale_recovery(disk, guard));
                self.state(disk, &watch, is_sound, guard)
            }
        };
        if let Some(error) = watch.error().filter(|error| error.kind() == ErrorKind::Cancelled) {
            return Err(error);
        }
        match state {
            State::Sound => {}
            State::Other(fault, detail) => findings.push(Finding::new(&self.path, fault, detail)),
            State::Unknown(error) if watch.is_late() => {
                let detail = format!("the check did not finish: {error:#}");
                findings.push(Finding::new(&self.path, Fault::Busy, detail));
            }
            State::Unknown(error) => findings.push(Finding::of_failure(&self.path, &error)),
            State::Damaged(detail) => {
                let outcome = guard.map(|guard| self.repair(disk, guard, is_sound, &watch));
                if let Some(error) = watch.error().filter(|error| error.kind() == ErrorKind::Cancelled) {
                    return Err(error);
                }
                let would = "fix moves it aside and recovers every row that can be read";
                findings.push(Finding::new(&self.path, Fault::Damaged, detail).with_repair(would, outcome.as_ref()));
            }
        }
        Ok(findings)
    }

    /// The result of an interrupted recovery, although the database has been written to since.
    fn stale_recovery(&self, disk: &Disk, guard: Option<&Guard>) -> Finding {
        let path = recovered(&self.path);
        let outcome =
            guard.map(|guard| disk.quarantine(guard, &path).map(|kept| format!("it was moved to {}", name(&kept))));
        let detail = "a recovery of the database was interrupted, and the database has been used since";
        Finding::new(&path, Fault::Litter, detail).with_repair("fix moves it aside", outcome.as_ref())
    }

    fn state(&self, disk: &Disk, watch: &Watch<'_>, is_sound: &IsSound<'_>, guard: Option<&Guard>) -> State {
        let files = match Files::at(disk, &self.path) {
            Ok(Some((files, 1..))) => Files::check_log(disk, &self.path).map(|()| files),
            Ok(_) => return State::Sound,
            Err(error) => Err(error),
        };
        let files = match files {
            Ok(files) => files,
            Err(error) if error.kind() != ErrorKind::Parse => return State::Unknown(error),
            Err(error) => {
                let detail = reason(&self.path, &error);
                return if detail == LOG_ALONE { State::Other(Fault::Damaged, detail) } else { State::Damaged(detail) };
            }
        };
        let _session = Session::begin();
        if guard.is_some()
            && let Err(error) = self.open_alone(watch)
            && error.retryable()
        {
            return State::Unknown(error);
        }
        let opened = match open_snapshot(&self.path, files.has_log(), watch) {
            Ok(opened) => opened,
            Err(failure) => return self.state_of(failure),
        };
        watch
            .over(&opened.connection, || self.inspect(&opened, is_sound))
            .unwrap_or_else(|failure| self.state_of(failure))
    }

    /// Opens and closes the database as a writer does: this rolls back an unfinished transaction, and detects another program
    /// that uses it.
    fn open_alone(&self, watch: &Watch<'_>) -> Result<()> {
        open(&self.path, super::BUSY, watch)
            .and_then(|opened| {
                watch.over(&opened.connection, || Ok(opened.connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK")?))
            })
            .map_err(|failure| self.error(failure))
    }

    fn state_of(&self, failure: Failure) -> State {
        let error = self.error(failure);
        match error.kind() {
            ErrorKind::Parse => State::Damaged(reason(&self.path, &error)),
            ErrorKind::FormatTooNew => State::Other(Fault::TooNew, reason(&self.path, &error)),
            _ => State::Unknown(error),
        }
    }

    /// The state of an open database.
    fn inspect(&self, opened: &Opened, is_sound: &IsSound<'_>) -> Result<State, Failure> {
        let connection = &opened.connection;
        let foreign = |what: &str| State::Other(Fault::Damaged, format!("{what}; it was not changed; move it away"));
        if version(connection)? == 0 && has_tables(connection)? {
            return Ok(foreign("it is a database of another program"));
        }
        let version = self.version(connection)?;
        if version == 0 {
            return Ok(State::Sound);
        }
        let schema = Schema::of(connection)?;
        match self.schema_of(version)?.map(|expected| schema.difference(expected)) {
            Some(None) => {}
            Some(Some(Difference::More)) => return Ok(State::Damaged(ALTERED.to_owned())),
            Some(Some(Difference::Other)) | None => return Ok(foreign(ALTERED)),
        }
        let mut check = connection.prepare(&format!("PRAGMA integrity_check({MAX_REPORTED})"))?;
        let faults = check.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
        if faults != ["ok"] {
            return Ok(State::Damaged(faults.join("; ").replace('\n', "; ")));
        }
        for index in text_indexes(connection)? {
            if !has_default_settings(connection, &index)? {
                return Ok(State::Damaged(TEXT_SETTINGS.to_owned()));
            }
        }
        let migrations = self.migrations.get(..version).unwrap_or_default();
        Ok(match unsound(connection, migrations, is_sound)? {
            0 => State::Sound,
            count => State::Damaged(format!("{} invalid", are(count))),
        })
    }

    /// Recovers what can be read, and returns what was done. After each step all rows that can be read are in some file: the new
    /// database is complete, under a separate name, before the damaged one is moved.
    fn repair(&self, disk: &Disk, guard: &Guard, is_sound: &IsSound<'_>, watch: &Watch<'_>) -> Result<String> {
        let waiting = recovered(&self.path);
        let summary = if let Some(stat) = disk.stat(&waiting)? {
            let what = if stat.size > 0 { "an earlier recovery was completed" } else { NOTHING };
            what.to_owned()
        } else {
            let temp = beside(&waiting, ".tmp");
            disk.create_empty(guard, &temp, BESIDE)?;
            let recovered_rows = self.recovered_rows(disk, &temp, is_sound, watch);
            match recovered_rows {
                Ok(recovered_rows) if recovered_rows.count() > 0 => {
                    disk.rename(guard, &temp, &waiting)?;
                    summary(&recovered_rows)
                }
                Ok(_) => self.leave_empty(disk, guard, &temp, &waiting)?,
                // For example a time-out or a full disk: nothing is changed.
                Err(failure) if !matches!(&failure, Failure::Sqlite(cause) if is_damage(cause)) => {
                    let _ = disk.remove(guard, &temp);
                    return Err(self.error(failure));
                }
                Err(_) => self.leave_empty(disk, guard, &temp, &waiting)?,
            }
        };
        let kept = self.quarantine(disk, guard)?;
        match disk.stat(&waiting)? {
            Some(stat) if stat.size > 0 => disk.rename(guard, &waiting, &self.path)?,
            _ => disk.remove(guard, &waiting)?,
        }
        Ok(format!("{summary}{kept}"))
    }

    /// Leaves an empty file, which means that nothing can be recovered, until the damaged database has been moved.
    fn leave_empty(&self, disk: &Disk, guard: &Guard, temp: &Path, waiting: &Path) -> Result<String> {
        disk.create_empty(guard, temp, BESIDE)?;
        disk.rename(guard, temp, waiting)?;
        Ok(NOTHING.to_owned())
    }

    /// Quarantines the damaged database, with its log and its journal.
    fn quarantine(&self, disk: &Disk, guard: &Guard) -> Result<String> {
        let is_there = disk.stat(&self.path)?.is_some();
        let kept = if is_there { Some(disk.quarantine(guard, &self.path)?) } else { None };
        // They are useless without the database, so they are kept under its new name; unless an earlier run was interrupted in
        // between, after which that name is unknown.
        for suffix in [LOG, JOURNAL] {
            let path = beside(&self.path, suffix);
            match (disk.stat(&path)?, &kept) {
                (None, _) => {}
                (Some(_), Some(kept)) => disk.rename(guard, &path, &beside(kept, suffix))?,
                (Some(_), None) => drop(disk.quarantine(guard, &path)?),
            }
        }
        disk.remove(guard, &beside(&self.path, INDEX))?;
        Ok(kept.map(|kept| format!(", and the damaged database is kept as {}", name(&kept))).unwrap_or_default())
    }

    fn recovered_rows(
        &self,
        disk: &Disk,
        to: &Path,
        is_sound: &IsSound<'_>,
        watch: &Watch<'_>,
    ) -> Result<Recovered, Failure> {
        // Nothing can be read from a log without a header, and SQLite would remove it.
        let has_log = disk.stat(&beside(&self.path, LOG))?.is_some() && Files::is_log_readable(disk, &self.path);
        let _session = Session::begin();
        let opened = open_snapshot(&self.path, has_log, watch)?;
        let migrations = usize::try_from(connection::version(&opened.connection)?).unwrap_or(usize::MAX);
        let migrations = self.migrations.get(..migrations).unwrap_or_default();
        watch.over(&opened.connection, || recover(&opened.connection, to, migrations, is_sound, watch))
    }
}

fn is_damage(cause: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    matches!(cause.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase))
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn summary(recovered: &Recovered) -> String {
    let rows = recovered.rows.iter().map(|(table, rows)| format!("{} of {table}", counted(*rows, "row")));
    let mut summary = format!("{} recovered", rows.collect::<Vec<_>>().join(" and "));
    if recovered.unsound > 0 {
        summary += &format!("; {} invalid and left out", are(recovered.unsound));
    }
    if recovered.is_incomplete {
        summary += "; some rows could not be read";
    }
    summary
}

/// `1 row is`, `2 rows are`.
fn are(count: usize) -> String {
    format!("{} {}", counted(count, "row"), if count == 1 { "is" } else { "are" })
}
