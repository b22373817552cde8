//! Baselines: files that list known findings, which a scan does not report.
//!
//! An entry is a path, a rule and a number of findings. It contains nothing that is computed from a secret: a hash that
//! is equal on every machine could be used to test guesses, and tags differ from home to home. There are no lines
//! either, since they move with every edit.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use loopmem::{Error, Result};
use serde::{Deserialize, Serialize};

use super::hit::Hit;
use crate::human::files;
use crate::human::screen::counted;

/// The version of the format.
const VERSION: u32 = 1;
/// The largest baseline, in bytes.
const MAX_BYTES: usize = 64 << 20;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BaselineFile {
    version: u32,
    findings: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    path: String,
    rule: String,
    count: u64,
}

/// The findings of each rule in each file.
type Counts = BTreeMap<(String, String), u64>;

/// A baseline that was read, and what a scan has found of it so far.
pub(super) struct Baseline {
    folder: PathBuf,
    allowed: Counts,
    found: Counts,
    scanned: BTreeSet<String>,
}

impl Baseline {
    /// # Errors
    /// `IOError`; `ParseError` if the file is damaged or was written by a newer version.
    pub(super) fn read(path: &Path) -> Result<Baseline> {
        let bytes = files::read(path, MAX_BYTES)?;
        let damaged =
            |why: String| Error::parse(path, format!("the baseline {why}; write it again with --write-baseline"));
        if bytes.len() > MAX_BYTES {
            return Err(damaged(format!("is larger than {MAX_BYTES} bytes")));
        }
        let file: BaselineFile =
            // The parser's message may quote the file.
            serde_json::from_slice(&bytes).map_err(|cause| {
                damaged(format!("is damaged (line {}, column {})", cause.line(), cause.column()))
            })?;
        if file.version != VERSION {
            return Err(damaged(format!("has the version {}, which this loopmem does not know", file.version)));
        }
        let mut allowed = Counts::new();
        for Entry { path, rule, count } in file.findings {
            if count == 0 || allowed.insert((path, rule), count).is_some() {
                return Err(damaged("is damaged (an entry occurs twice or allows nothing)".to_owned()));
            }
        }
        Ok(Baseline { folder: folder_of(path)?, allowed, found: Counts::new(), scanned: BTreeSet::new() })
    }

    /// The findings in the file `path` that are not known. If a rule found more than is known, all its findings in this
    /// file are returned, since nothing says which ones are new.
    ///
    /// # Errors
    /// As [`files::absolute`].
    pub(super) fn unknown(&mut self, path: &Path, shown: &str, hits: Vec<Hit>) -> Result<Vec<Hit>> {
        let key = key(&self.folder, path, shown)?;
        let mut found = Counts::new();
        for hit in &hits {
            *found.entry((key.clone(), hit.rule.clone())).or_default() += 1;
        }
        let is_known = |hit: &Hit| {
            let entry = (key.clone(), hit.rule.clone());
            found.get(&entry) <= self.allowed.get(&entry)
        };
        let hits = hits.into_iter().filter(|hit| !is_known(hit)).collect();
        for (entry, count) in found {
            *self.found.entry(entry).or_default() += count;
        }
        self.scanned.insert(key);
        Ok(hits)
    }

    /// Entries that allow more than there is: in files that were scanned, or, if `is_of_folder`, that do not exist.
    pub(super) fn stale(&self, is_of_folder: bool) -> Vec<String> {
        let is_gone = |path: &str| is_of_folder && !files::exists(&self.folder.join(path));
        let stale = |((path, rule), allowed): (&(String, String), &u64)| {
            let found = self.found.get(&(path.clone(), rule.clone())).copied().unwrap_or_default();
            let is_stale = found < *allowed && (self.scanned.contains(path) || is_gone(path));
            let allowed = counted(*allowed, "finding");
            is_stale.then(|| format!("{path}: the baseline allows {allowed} of {rule}, but {found} were found"))
        };
        self.allowed.iter().filter_map(stale).collect()
    }
}

/// The findings of a scan that is to become a baseline.
pub(super) struct Recording {
    path: PathBuf,
    folder: PathBuf,
    found: Counts,
    /// The files that were recorded: one may be reached on two ways.
    files: BTreeSet<String>,
}

impl Recording {
    /// # Errors
    /// `IOError` if the file's folder does not exist.
    pub(super) fn new(path: &Path) -> Result<Recording> {
        Ok(Recording { path: path.to_owned(), folder: folder_of(path)?, found: Counts::new(), files: BTreeSet::new() })
    }

    /// # Errors
    /// As [`files::absolute`].
    pub(super) fn add(&mut self, path: &Path, shown: &str, hits: &[Hit]) -> Result<()> {
        let key = key(&self.folder, path, shown)?;
        if self.files.insert(key.clone()) {
            for hit in hits {
                *self.found.entry((key.clone(), hit.rule.clone())).or_default() += 1;
            }
        }
        Ok(())
    }

    /// Writes the baseline; equal findings give equal bytes.
    ///
    /// # Errors
    /// `IOError`; then the file is unchanged.
    pub(super) fn write(self) -> Result<()> {
        let findings = self.found.into_iter().map(|((path, rule), count)| Entry { path, rule, count }).collect();
        let json = serde_json::to_string_pretty(&BaselineFile { version: VERSION, findings });
        let json =
            json.map_err(|cause| Error::validation("the baseline could not be written as JSON").because(cause))?;
        files::replace(&self.path, format!("{json}\n").as_bytes())
    }
}

fn folder_of(path: &Path) -> Result<PathBuf> {
    Ok(files::absolute(path)?.parent().map(Path::to_owned).unwrap_or_default())
}

/// How a baseline in `folder` names a file: relative, with slashes, so that it is the same in every clone. `shown` is
/// the path without secrets.
fn key(folder: &Path, path: &Path, shown: &str) -> Result<String> {
    // A path with a secret is named as it is shown, and standard input has no folder.
    if path == Path::new(files::PIPE) || path.to_str().is_some_and(|path| path != shown) {
        return Ok(shown.to_owned());
    }
    let path = files::absolute(path)?;
    let (mut folder, mut rest) = (folder.components().peekable(), path.components().peekable());
    while folder.peek().is_some() && folder.peek() == rest.peek() {
        folder.next();
        rest.next();
    }
    let up = folder.map(|_| "..".to_owned());
    let down = rest
        .filter(|part| !matches!(part, Component::RootDir))
        .map(|part| part.as_os_str().to_string_lossy().into_owned());
    Ok(up.chain(down).collect::<Vec<_>>().join("/"))
}
