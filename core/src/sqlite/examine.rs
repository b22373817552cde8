//! What is wrong with a database, and how it is repaired.
//!
//! A look changes nothing and creates nothing, the index of the log neither. A database that is damaged is kept as it is
//! beside its place, with its log, and a new one takes its place that has every row that can be read.

use std::path::Path;

use super::connection::{Opened, has_tables, open, open_snapshot, version};
use super::failure::Failure;
use super::files::{BESIDE, Files, INDEX, JOURNAL, LOG, LOG_ALONE, RECOVERED, recovered};
use super::pool::{self, Session};
use super::recover::{IsSound, Recovered, recover, unsound};
use super::schema::{ALTERED, Difference, Schema};
use super::watch::Watch;
use super::{Database, connection};
use crate::disk::{Disk, Guard, Kind, Mode, WaitOptions, beside, counted, not_a_file, quarantined, reason};
use crate::error::{Error, ErrorKind, Result};
use crate::finding::{Examination, Fault, Finding};

/// How many faults SQLite tells of.
const MAX_REPORTED: usize = 3;
const NOTHING: &str = "nothing of it could be brought back";

/// What a database is.
#[derive(Debug)]
enum State {
    Sound,
    /// Damaged in this way; what can be read of it can be brought back.
    Damaged(String),
    /// It is not for loopmem to mend.
    Other(Fault, String),
    Unknown(Error),
}

impl Database {
    /// Looks at the database and at what lies beside it. With `fix` one that is damaged is kept beside its place, and what
    /// can be read of it is brought back. A row is sound if `is_sound` says so of the name of its table and its values.
    ///
    /// # Errors
    /// `Cancelled`. Any other is a finding.
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

    /// What stands in the place of one of the files and is not a regular file.
    fn irregular_files(&self, disk: &Disk) -> Vec<Finding> {
        let paths = [""].iter().chain(BESIDE).map(|suffix| beside(&self.path, suffix));
        let irregular = |path: &Path| match disk.stat(path) {
            Ok(stat) => stat.filter(|stat| stat.kind != Kind::File).map(|stat| not_a_file(path, Kind::File, stat.kind)),
            Err(error) => Some(Finding::of_failure(path, &error)),
        };
        paths.filter_map(|path| irregular(&path)).collect()
    }

    /// What was set aside earlier.
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

    /// Looks at the database under its lock, and with an exclusive one mends it.
    ///
    /// # Errors
    /// `Cancelled`. Any other is a finding.
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
            // What this process keeps open must not be in the way, nor lose its locks when the file is closed.
            pool::close(&self.path);
        }
        for path in [""].iter().chain(BESIDE).map(|suffix| beside(&self.path, suffix)) {
            findings.extend(disk.examine_private(&path, guard));
        }
        let state = match (disk.stat(&self.path), disk.stat(&recovered(&self.path))) {
            (Err(error), _) | (_, Err(error)) => State::Unknown(error),
            (Ok(None), Ok(Some(_))) => State::Damaged("bringing it back was not finished".to_owned()),
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
                let detail = format!("it was not looked at to the end: {error:#}");
                findings.push(Finding::new(&self.path, Fault::Busy, detail));
            }
            State::Unknown(error) => findings.push(Finding::of_failure(&self.path, &error)),
            State::Damaged(detail) => {
                let outcome = guard.map(|guard| self.repair(disk, guard, is_sound, &watch));
                if let Some(error) = watch.error().filter(|error| error.kind() == ErrorKind::Cancelled) {
                    return Err(error);
                }
                let would = "fix keeps it beside its place and brings back every row that can be read";
                findings.push(Finding::new(&self.path, Fault::Damaged, detail).with_repair(would, outcome.as_ref()));
            }
        }
        Ok(findings)
    }

    /// What was brought back once and never came into its place, in which the database was written to since.
    fn stale_recovery(&self, disk: &Disk, guard: Option<&Guard>) -> Finding {
        let path = recovered(&self.path);
        let outcome = guard.map(|guard| disk.quarantine(guard, &path).map(|kept| format!("it is {} now", name(&kept))));
        let detail = "bringing the database back was stopped, and the database has been in use since";
        Finding::new(&path, Fault::Litter, detail).with_repair("fix sets it kept", outcome.as_ref())
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

    /// Opens and closes the database as a writer does: a transaction that was not finished is undone, and another program
    /// that uses it shows.
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

    /// What an open database is.
    fn inspect(&self, opened: &Opened, is_sound: &IsSound<'_>) -> Result<State, Failure> {
        let connection = &opened.connection;
        let foreign = |what: &str| State::Other(Fault::Damaged, format!("{what}; it was left as it is; move it away"));
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
        let told = check.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
        if told != ["ok"] {
            return Ok(State::Damaged(told.join("; ").replace('\n', "; ")));
        }
        let migrations = self.migrations.get(..version).unwrap_or_default();
        Ok(match unsound(connection, migrations, is_sound)? {
            0 => State::Sound,
            count => State::Damaged(format!("{} not what loopmem writes", are(count))),
        })
    }

    /// Brings back what can be read, and tells what was done. Each step leaves all rows that can be read in a file: the
    /// new database is whole, under a name of its own, before the damaged one leaves its place.
    fn repair(&self, disk: &Disk, guard: &Guard, is_sound: &IsSound<'_>, watch: &Watch<'_>) -> Result<String> {
        let waiting = recovered(&self.path);
        let told = if let Some(stat) = disk.stat(&waiting)? {
            let what = if stat.size > 0 { "what was brought back before is in its place now" } else { NOTHING };
            what.to_owned()
        } else {
            let temp = beside(&waiting, ".tmp");
            disk.create_empty(guard, &temp, BESIDE)?;
            let recovered_rows = self.recovered_rows(disk, &temp, is_sound, watch);
            match recovered_rows {
                Ok(recovered_rows) if recovered_rows.count() > 0 => {
                    disk.rename(guard, &temp, &waiting)?;
                    told(&recovered_rows)
                }
                Ok(_) => self.leave_empty(disk, guard, &temp, &waiting)?,
                // The time may have been too short, or the disk full: then nothing is changed.
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
        Ok(format!("{told}{kept}"))
    }

    /// Leaves an empty file that says that nothing can be brought back, until what is damaged is kept.
    fn leave_empty(&self, disk: &Disk, guard: &Guard, temp: &Path, waiting: &Path) -> Result<String> {
        disk.create_empty(guard, temp, BESIDE)?;
        disk.rename(guard, temp, waiting)?;
        Ok(NOTHING.to_owned())
    }

    /// Moves the damaged database out of its place, with its log and its journal.
    fn quarantine(&self, disk: &Disk, guard: &Guard) -> Result<String> {
        let is_there = disk.stat(&self.path)?.is_some();
        let kept = if is_there { Some(disk.quarantine(guard, &self.path)?) } else { None };
        // Nobody reads either without the database. They go on belonging to it, unless a run before this one was ended in
        // between: then the name of it is not known any more.
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
        // Of a damaged log nothing can be read, and SQLite would remove it.
        let has_log = disk.stat(&beside(&self.path, LOG))?.is_some() && Files::check_log(disk, &self.path).is_ok();
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

fn told(recovered: &Recovered) -> String {
    let rows = recovered.rows.iter().map(|(table, rows)| format!("{} of {table}", counted(*rows, "row")));
    let mut told = format!("{} brought back", rows.collect::<Vec<_>>().join(" and "));
    if recovered.unsound > 0 {
        told += &format!("; {} not what loopmem writes and not in it", are(recovered.unsound));
    }
    if recovered.is_incomplete {
        told += "; some rows could not be read";
    }
    told
}

/// `1 row is`, `2 rows are`.
fn are(count: usize) -> String {
    format!("{} {}", counted(count, "row"), if count == 1 { "is" } else { "are" })
}
