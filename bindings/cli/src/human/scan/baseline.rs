//! Baselines: files that list known findings, which a scan does not report.
//!
//! An entry is a path, a rule and a number of findings. It contains nothing that is computed from a secret: a hash that
//! is equal on every machine could be used to test guesses, and tags differ from home to home. So a path that contains
//! a secret has a placeholder without a tag, and files whose paths differ only in secrets share their entries. There
//! are no lines either, since they move with every edit.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use loopmem::safety::Redactor;
use loopmem::{Error, Result};
use serde::{Deserialize, Serialize};

use super::hit::Hit;
use crate::human::local_files;
use crate::human::screen::counted;

/// The version of the format.
const VERSION: u32 = 1;
/// The largest baseline, in bytes.
const MAX_BYTES: usize = 64 << 20;
/// The beginning of what replaces a secret in a path.
const PLACEHOLDER: &str = "[REDACTED:";

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

/// What a scan has found so far, for comparison with a baseline or to write one.
pub(super) struct Tally {
    /// The baseline, and its folder.
    path: PathBuf,
    folder: PathBuf,
    redactor: Redactor,
    found: Counts,
    /// The files of each name: one may be reached in two ways, and counts once.
    files: BTreeMap<String, BTreeSet<PathBuf>>,
}

impl Tally {
    /// # Errors
    /// `IOError` if the folder of the baseline does not exist.
    pub(super) fn new(path: &Path, redactor: &Redactor) -> Result<Self> {
        let folder = local_files::absolute(path)?.parent().map(Path::to_owned).unwrap_or_default();
        let (path, redactor) = (path.to_owned(), redactor.for_dry_run());
        Ok(Tally { path, folder, redactor, found: Counts::new(), files: BTreeMap::new() })
    }

    /// Adds the findings in a file, and returns its name.
    ///
    /// # Errors
    /// As [`local_files::resolved`].
    pub(super) fn add(&mut self, path: &Path, hits: &[Hit]) -> Result<String> {
        let (file, name) = self.named(path)?;
        if self.files.entry(name.clone()).or_default().insert(file) {
            for hit in hits {
                *self.found.entry((name.clone(), hit.rule.clone())).or_default() += 1;
            }
        }
        Ok(name)
    }

    /// A file relative to the folder, and how a baseline names it: with slashes, so that the name is the same in every
    /// clone, and without secrets.
    fn named(&self, path: &Path) -> Result<(PathBuf, String)> {
        // Standard input has no folder.
        if path == Path::new(local_files::PIPE) {
            return Ok((path.to_owned(), local_files::PIPE.to_owned()));
        }
        let path = local_files::resolved(path)?;
        let (mut folder, mut rest) = (self.folder.components().peekable(), path.components().peekable());
        while folder.peek().is_some() && folder.peek() == rest.peek() {
            folder.next();
            rest.next();
        }
        let up = folder.map(|_| "..".to_owned());
        let down = rest
            .filter(|part| !matches!(part, Component::RootDir))
            .map(|part| part.as_os_str().to_string_lossy().into_owned());
        let name = without_secrets(&self.redactor, up.chain(down).collect::<Vec<_>>().join("/"));
        Ok((path, name))
    }

    /// Writes it as the baseline; equal findings give equal bytes.
    ///
    /// # Errors
    /// `IOError`; then the file is unchanged.
    pub(super) fn write(self) -> Result<()> {
        let findings = self.found.into_iter().map(|((path, rule), count)| Entry { path, rule, count }).collect();
        let json = serde_json::to_string_pretty(&BaselineFile { version: VERSION, findings });
        let json =
            json.map_err(|cause| Error::validation("the baseline could not be written as JSON").because(cause))?;
        local_files::replace(&self.path, format!("{json}\n").as_bytes())
    }
}

/// `text` with a placeholder without a tag for each secret.
fn without_secrets(redactor: &Redactor, text: String) -> String {
    let found = redactor.find(&text);
    let mut out = text;
    for found in found.into_iter().rev() {
        out.replace_range(found.place, &format!("{PLACEHOLDER}{}]", found.rule));
    }
    out
}

/// A baseline that was read, and what a scan has found of it so far.
pub(super) struct Baseline {
    allowed: Counts,
    scanned: Tally,
}

impl Baseline {
    /// # Errors
    /// `IOError`; `ValidationError` if the file is damaged or was written by a newer version.
    pub(super) fn read(path: &Path, redactor: &Redactor) -> Result<Baseline> {
        let bytes = local_files::read(path, MAX_BYTES)?;
        let refused = |why: String| Error::validation(format!("the baseline {} {why}", path.display())).at(path);
        let damaged = |why: String| refused(format!("{why}; write it again with --write-baseline"));
        if bytes.len() > MAX_BYTES {
            return Err(damaged(format!("is larger than {MAX_BYTES} bytes")));
        }
        let file: BaselineFile =
            // The parser's message may quote the file.
            serde_json::from_slice(&bytes).map_err(|cause| {
                damaged(format!("is damaged (line {}, column {})", cause.line(), cause.column()))
            })?;
        if file.version != VERSION {
            return Err(refused(format!(
                "has the format {}, which a newer loopmem wrote; update loopmem",
                file.version
            )));
        }
        let mut allowed = Counts::new();
        for Entry { path, rule, count } in file.findings {
            if count == 0 || allowed.insert((path, rule), count).is_some() {
                return Err(damaged("is damaged (an entry occurs twice or allows nothing)".to_owned()));
            }
        }
        Ok(Baseline { allowed, scanned: Tally::new(path, redactor)? })
    }

    /// The findings in the file `path` that are not known. If a rule found more than is known, all its findings in this
    /// file are returned, since nothing says which ones are new.
    ///
    /// # Errors
    /// As [`local_files::resolved`].
    pub(super) fn unknown(&mut self, path: &Path, hits: Vec<Hit>) -> Result<Vec<Hit>> {
        let name = self.scanned.add(path, &hits)?;
        let is_known = |hit: &Hit| {
            let entry = (name.clone(), hit.rule.clone());
            self.scanned.found.get(&entry) <= self.allowed.get(&entry)
        };
        Ok(hits.into_iter().filter(|hit| !is_known(hit)).collect())
    }

    /// Entries that allow more than there is: in files that were scanned, or, if `is_of_folder`, that do not exist.
    pub(super) fn stale(&self, is_of_folder: bool) -> Vec<String> {
        let Tally { folder, found, files, .. } = &self.scanned;
        // A file cannot be looked up by a name with a placeholder.
        let is_gone =
            |name: &str| is_of_folder && !name.contains(PLACEHOLDER) && !local_files::exists(&folder.join(name));
        let stale = |((name, rule), allowed): (&(String, String), &u64)| {
            let found = found.get(&(name.clone(), rule.clone())).copied().unwrap_or_default();
            let is_stale = found < *allowed && (files.contains_key(name) || is_gone(name));
            let allowed = counted(*allowed, "finding");
            is_stale.then(|| format!("{name}: the baseline allows {allowed} of {rule}, but {found} were found"))
        };
        self.allowed.iter().filter_map(stale).collect()
    }
}
