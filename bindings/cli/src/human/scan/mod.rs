//! `safety scan`: where there are secrets in files, in what is staged, or in a pipe.

mod baseline;
mod git;
mod hit;
mod options;
mod sarif;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use loopmem::safety::Redactor;
use loopmem::{Error, Result};
use serde_json::{Value, json};

use crate::filter;
use crate::human::local_files::{self, Extent};
use crate::human::progress::Progress;
use crate::human::screen::{counted, sanitize};
use crate::output::{self, ExitCode, usage_error};
use crate::session::Session;
use baseline::{Baseline, Tally};
use hit::Hit;
use options::{Format, format};
pub(crate) use options::{extend, wants_json};

/// A file with a NUL in its first so many bytes is binary.
const HEAD: usize = 8_000;
/// The size of the largest file that is scanned, in bytes.
const MAX_FILE_BYTES: usize = 256 << 20;
/// The exit status if something could not be scanned.
pub(crate) const FAILED: u8 = 2;

/// Scans what the arguments name; `None` if that is a text, for the method of the table.
pub(crate) fn run(session: &Session<'_>, args: &ArgMatches) -> Option<Result<ExitCode>> {
    if args.contains_id("text") {
        return None;
    }
    let paths: Vec<&PathBuf> = args.get_many("paths").into_iter().flatten().collect();
    let is_staged = args.get_flag("staged");
    if paths.is_empty() && !is_staged {
        usage_error("nothing to scan was given; pass PATH, --staged or --text")
    }
    let scanned = filter::redactor(session.store, args).and_then(|redactor| {
        let extent = if args.get_flag("no-ignore") { Extent::All } else { Extent::Own };
        let mut scan = Scan::new(session, redactor, args)?;
        match is_staged {
            true => scan.staged()?,
            false => paths.into_iter().try_for_each(|path| scan.below(path, extent))?,
        }
        scan.end(!is_staged)
    });
    Some(scanned.map_err(|error| error.in_operation("safety.scan")))
}

struct Scan<'d> {
    session: &'d Session<'d>,
    redactor: Redactor,
    format: Format,
    progress: Progress,
    baseline: Option<Baseline>,
    recording: Option<Tally>,
    /// Collected only for JSON and SARIF; text is printed at once.
    hits: Vec<Hit>,
    /// Findings without those of the baseline.
    found: u64,
    /// Findings that the baseline contains.
    known: u64,
    files: u64,
    binary: u64,
    failed: bool,
    is_staged: bool,
}

impl<'d> Scan<'d> {
    fn new(session: &'d Session<'d>, redactor: Redactor, args: &ArgMatches) -> Result<Self> {
        let path = |name: &str| args.get_one::<PathBuf>(name);
        Ok(Scan {
            session,
            format: format(session, args),
            progress: Progress::new(!session.is_for_programs()),
            baseline: path("baseline").map(|path| Baseline::read(path, &redactor)).transpose()?,
            recording: path("write-baseline").map(|path| Tally::new(path, &redactor)).transpose()?,
            redactor,
            hits: Vec::new(),
            found: 0,
            known: 0,
            files: 0,
            binary: 0,
            failed: false,
            is_staged: false,
        })
    }

    /// Scans a file, or those in a folder.
    fn below(&mut self, path: &Path, extent: Extent) -> Result<()> {
        // What is committed is not ignored, whatever an ignore file says.
        let is_filtered = extent == Extent::Own && local_files::is_folder(path);
        let mut tracked = BTreeSet::new();
        if is_filtered {
            match git::tracked_although_ignored(path) {
                Ok(files) => tracked = files,
                Err(error) => self.fail(&error),
            }
        }
        local_files::walk(path, extent, &mut |file| {
            if let Ok(file) = &file {
                tracked.remove(*file);
            }
            self.file(file)
        })?;
        let is_own = |file: &&PathBuf| !local_files::is_skipped(path, file) && local_files::is_file(file);
        tracked.iter().filter(is_own).try_for_each(|file| self.file(Ok(file)))
    }

    /// Scans the staged contents of all files.
    fn staged(&mut self) -> Result<()> {
        self.is_staged = true;
        let staged = git::staged()?;
        if staged.is_empty() {
            return Ok(());
        }
        let mut contents = git::Contents::open()?;
        for file in &staged {
            let read = contents.read(file, MAX_FILE_BYTES);
            self.contents(&file.path, read)?;
        }
        Ok(())
    }

    fn file(&mut self, file: Result<&Path>) -> Result<()> {
        match file {
            Ok(path) => self.contents(path, local_files::read(path, MAX_FILE_BYTES)),
            Err(error) => {
                self.fail(&error);
                Ok(())
            }
        }
    }

    /// Scans the contents of `path`. Errors about them do not end the scan.
    fn contents(&mut self, path: &Path, bytes: Result<Vec<u8>>) -> Result<()> {
        let (files, found) = (self.files, self.found);
        self.progress.update(|_| format!("scanning: {}, {}", counted(files, "file"), counted(found, "finding")));
        let bytes = bytes.and_then(|bytes| match bytes.len() > MAX_FILE_BYTES {
            false => Ok(bytes),
            true => {
                let refused = format!("{} is too large; the limit is {MAX_FILE_BYTES} bytes", path.display());
                Err(Error::validation(refused).at(path))
            }
        });
        match bytes {
            Ok(bytes) if bytes.get(..HEAD).unwrap_or(&bytes).contains(&0) => self.binary += 1,
            Ok(bytes) => {
                self.files += 1;
                let hits = Hit::all(&self.redactor, path, &bytes);
                if let Err(error) = self.report(path, hits)? {
                    self.fail(&error);
                }
            }
            Err(error) => self.fail(&error),
        }
        Ok(())
    }

    fn fail(&mut self, error: &Error) {
        self.failed = true;
        self.progress.clear();
        output::fail(&error.clone().scrubbed(|text| self.redactor.scrub(text).into_owned()), self.session.style);
    }

    /// Reports what was found in `path`, or records it. The inner error is about this file alone.
    fn report(&mut self, path: &Path, hits: Vec<Hit>) -> Result<Result<()>> {
        let all = hits.len() as u64;
        if let Some(recording) = &mut self.recording {
            self.found += all;
            return Ok(recording.add(path, &hits).map(drop));
        }
        let hits = match &mut self.baseline {
            Some(baseline) => match baseline.unknown(path, hits) {
                Ok(hits) => hits,
                Err(error) => return Ok(Err(error)),
            },
            None => hits,
        };
        self.found += hits.len() as u64;
        self.known += all - hits.len() as u64;
        if self.format == Format::Text && !hits.is_empty() {
            self.progress.clear();
            output::text(&hits.iter().map(Hit::text).collect::<String>())?;
        } else {
            self.hits.extend(hits);
        }
        Ok(Ok(()))
    }

    fn end(mut self, is_of_folder: bool) -> Result<ExitCode> {
        self.progress.clear();
        let status = match (self.failed, self.found) {
            (true, _) => ExitCode::from(FAILED),
            (false, 0) => ExitCode::SUCCESS,
            (false, _) => ExitCode::FAILURE,
        };
        if let Some(recording) = self.recording.take() {
            return self.record(recording);
        }
        let stale = self.baseline.as_ref().map(|baseline| baseline.stale(is_of_folder)).unwrap_or_default();
        match self.format {
            // A hook of git is forgotten easily.
            Format::Text if self.is_staged && self.found > 0 => self.session.emit(&format!(
                "the commit would contain {}; remove them, or declare false alarms with `loopmem safety allow`",
                counted(self.found, "secret")
            )),
            Format::Text => {}
            Format::Json => output::line(self.json(&stale).to_string())?,
            Format::Sarif => output::line(sarif::log(&self.hits, &self.redactor.rules(), !self.failed).to_string())?,
        }
        if self.binary > 0 {
            self.session.emit(&format!("skipped {}", counted(self.binary, "binary file")));
        }
        for stale in stale {
            let stale = sanitize(&stale).replace(['\n', '\t'], "\u{fffd}");
            self.session.emit(&format!("{stale}; update it with --write-baseline"));
        }
        Ok(status)
    }

    fn json(&self, stale: &[String]) -> Value {
        let findings: Vec<Value> = self.hits.iter().map(Hit::json).collect();
        let mut report = json!({ "findings": findings, "files": self.files, "binary": self.binary });
        if let (Some(_), Some(report)) = (&self.baseline, report.as_object_mut()) {
            report.insert("known".to_owned(), self.known.into());
            report.insert("stale".to_owned(), stale.into());
        }
        report
    }

    /// Writes the baseline, unless something could not be scanned: it would not be known.
    fn record(&self, recording: Tally) -> Result<ExitCode> {
        if self.failed {
            self.session.emit("the baseline was not written, since not everything could be scanned");
            return Ok(ExitCode::from(FAILED));
        }
        recording.write()?;
        if self.session.is_for_programs() {
            output::line(json!({ "recorded": self.found, "files": self.files, "binary": self.binary }).to_string())?;
        }
        self.session.emit(&format!(
            "recorded {} in {}",
            counted(self.found, "finding"),
            counted(self.files, "scanned file")
        ));
        Ok(ExitCode::SUCCESS)
    }
}
