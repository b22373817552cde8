//! Checks the files of a memory against its rules. Every fault is found at once, so that an agent can fix them
//! together.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::campaign;
use super::fault::{Fault, Rule};
use super::folder::{self, File, Listing, Other, total};
use super::names::{self, Spellings};
use super::redaction;
use crate::branch::config::{CleanUp, Memory};
use crate::branch::repository::state;
use crate::branch::{Branches, operation};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;

/// The number of faults that an error names.
const SHOWN: usize = 10;

/// The result of a validation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BranchValidation")]
#[non_exhaustive]
pub struct Validation {
    /// Whether the files break no rule.
    pub ok: bool,
    /// The files that would be pushed, sorted by path.
    pub files: Vec<File>,
    /// The files that match no pattern, sorted. They are not pushed.
    pub skipped: Vec<String>,
    /// Every broken rule.
    pub rejected: Vec<Fault>,
    /// The files in which a push would replace changes of others, sorted; empty unless the files were merged.
    pub conflicts: Vec<String>,
}

impl Validation {
    /// Fails if there is a fault.
    ///
    /// # Errors
    /// `ValidationError` naming the first faults.
    pub(crate) fn check(&self, directory: &Path) -> Result<()> {
        if self.ok {
            return Ok(());
        }
        let message = format!(
            "the files in {} break the rules of the memory: {}",
            directory.display(),
            fault_list(&self.rejected)
        );
        Err(Error::new(ErrorKind::Validation, message).at(directory))
    }
}

/// The first of these faults, for messages.
pub(crate) fn fault_list(faults: &[Fault]) -> String {
    let one = |fault: &Fault| match &fault.path {
        // On one line, also if the path has a line break.
        Some(path) if path.chars().any(char::is_control) => format!("{path:?}: {}", fault.message),
        Some(path) => format!("{path}: {}", fault.message),
        None => fault.message.clone(),
    };
    let mut list: Vec<String> = faults.iter().take(SHOWN).map(one).collect();
    if faults.len() > SHOWN {
        list.push(format!("and {} more, which branch.validate lists", faults.len() - SHOWN));
    }
    list.join("; ")
}

impl Branches {
    /// Checks the files in the folder of a memory, or in `directory`, against the rules of the memory, and returns
    /// every fault.
    ///
    /// # Errors
    /// `NotFound` if the folder does not exist; `ValidationError` if it is a link; `IOError`, also if another user could
    /// exchange it; `Conflict` if a file is removed meanwhile; `Cancelled`.
    pub fn validate(&self, memory: &Memory, directory: Option<&Path>) -> Result<Validation> {
        self.home.call(operation::VALIDATE, |home| {
            let directory = memory.folder(home, directory)?;
            let mut validation = validate(home, memory, &directory)?;
            // A push says the same when it reads the files.
            let is_read = |path: &String| validation.rejected.iter().all(|fault| fault.path.as_ref() != Some(path));
            let paths: Vec<String> = validation.files.iter().map(|file| file.path.clone()).filter(is_read).collect();
            let faults = redaction::faults(home, &directory, paths.into_iter(), memory.max_file_size)?;
            validation.ok &= faults.is_empty();
            validation.rejected.extend(faults);
            Ok(validation)
        })
    }
}

pub(crate) fn validate(home: &Home, memory: &Memory, directory: &Path) -> Result<Validation> {
    let patterns = memory.patterns()?;
    let Listing { files, others } = folder::list(home, directory)?;
    let (kept, skipped): (Vec<File>, Vec<File>) = files.into_iter().partition(|file| patterns.take(&file.path));
    let mut rejected: Vec<Fault> =
        others.into_iter().map(|(path, other)| fault_of(&shown(home, &path), other)).collect();
    rejected.extend(faults_of_all(home, memory, &kept));
    if let Some(limit) = memory.max_patch_size
        && let Some(before) = state::size_at_base(home, directory, &patterns)?
    {
        rejected.extend(patch_fault(limit, total(kept.iter().map(|file| file.size)), before));
    }
    rejected.extend(campaign::faults(&folder::disk(home, directory), memory, directory, &kept)?);
    let files = kept.into_iter().map(|file| File { path: shown(home, &file.path), ..file }).collect();
    let skipped = skipped.into_iter().map(|file| shown(home, &file.path)).collect();
    Ok(Validation { ok: rejected.is_empty(), files, skipped, rejected, conflicts: Vec::new() })
}

/// The faults of these files, without those of links and other entries of the folder.
pub(crate) fn faults_of_all(home: &Home, memory: &Memory, kept: &[File]) -> Vec<Fault> {
    let mut spellings = Spellings::default();
    let mut faults: Vec<Fault> = kept.iter().flat_map(|file| faults_of(home, memory, file, &mut spellings)).collect();
    faults.extend(count_fault(memory, kept.len()));
    faults.extend(total_fault(memory, kept));
    faults
}

/// The faults of files that are passed on with a memory: of all rules for those that are kept, and of the names of the others.
pub(crate) fn faults_of_listed(home: &Home, memory: &Memory, files: Vec<File>) -> Result<Vec<Fault>> {
    let patterns = memory.patterns()?;
    let (kept, others): (Vec<File>, Vec<File>) = files.into_iter().partition(|file| patterns.take(&file.path));
    let mut faults = faults_of_all(home, memory, &kept);
    let mut spellings = Spellings::default();
    faults.extend(others.iter().flat_map(|file| faults_of_name(home, file, &mut spellings)));
    Ok(faults)
}

/// A path as it is shown: without a secret.
fn shown(home: &Home, path: &str) -> String {
    match home.redactor().admit("path", path) {
        Ok(()) => path.to_owned(),
        Err(_) => home.redactor().scrub(path).into_owned(),
    }
}

fn fault_of(path: &str, other: Other) -> Fault {
    let (rule, message) = match other {
        Other::Link => (Rule::Symlink, "is a symbolic link; replace it by a copy of its target"),
        Other::Git if path == ".git" => {
            (Rule::GitFolder, "makes the folder a git repository; keep the memory in a folder of its own")
        }
        Other::Git => (Rule::GitFolder, "is git's own folder; move it out of the memory"),
        Other::Special => (Rule::FileType, "is neither a file nor a folder; remove it"),
        Other::Name => (Rule::FileName, "has a name that is not UTF-8; rename it"),
        Other::State => {
            (Rule::FileType, "is the state of another memory; keep memories beside each other, and not one in another")
        }
    };
    Fault::new(Some(path), rule, None, message.to_owned())
}

fn faults_of(home: &Home, memory: &Memory, file: &File, spellings: &mut Spellings) -> Vec<Fault> {
    let shown = shown(home, &file.path);
    let path = Some(&*shown);
    let mut faults = Vec::new();
    if file.size > memory.max_file_size {
        let message = format!("has {} bytes; at most {} are allowed", file.size, memory.max_file_size);
        faults.push(Fault::new(path, Rule::FileSize, Some(memory.max_file_size), message));
    }
    if let Some(allowed) = memory.allowed_extensions.as_ref().filter(|allowed| !has_extension(&file.path, allowed)) {
        let message = format!("has none of the extensions {}; rename or remove it", allowed.join(", "));
        faults.push(Fault::new(path, Rule::Extension, None, message));
    }
    faults.extend(faults_of_name(home, file, spellings));
    faults
}

fn faults_of_name(home: &Home, file: &File, spellings: &mut Spellings) -> Vec<Fault> {
    let shown = shown(home, &file.path);
    let path = Some(&*shown);
    let mut faults = Vec::new();
    if let Some(why) = names::fault(&file.path) {
        let message = format!("cannot be kept by every system: {}; rename it", home.redactor().scrub(&why));
        faults.push(Fault::new(path, Rule::FileName, None, message));
    }
    if let Some(other) = spellings.add(&file.path) {
        let other = home.redactor().scrub(&other).into_owned();
        let message =
            format!("differs from {other} only in upper and lower case, which some systems ignore; rename one");
        faults.push(Fault::new(path, Rule::FileName, None, message));
    }
    if home.redactor().admit("path", &file.path).is_err() {
        faults.push(Fault::new(path, Rule::Secret, None, "looks like a secret; rename it".to_owned()));
    }
    faults
}

/// Returns whether a file has one of these extensions. A name that only consists of one has none.
fn has_extension(path: &str, allowed: &[String]) -> bool {
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| allowed.contains(&format!(".{}", extension.to_lowercase())))
}

fn count_fault(memory: &Memory, count: usize) -> Option<Fault> {
    let limit = memory.max_file_count;
    (count as u64 > limit).then(|| {
        let message = format!("there are {count} files; at most {limit} are allowed; remove or join some");
        Fault::new(None, Rule::FileCount, Some(limit), message)
    })
}

/// For memories in which nothing makes way for new files.
fn total_fault(memory: &Memory, kept: &[File]) -> Option<Fault> {
    let limit = memory.max_total_size.filter(|_| memory.clean_up == CleanUp::None)?;
    let total = total(kept.iter().map(|file| file.size));
    (total > limit).then(|| {
        let message =
            format!("the files have {total} bytes in all; at most {limit} are allowed; remove or shorten some");
        Fault::new(None, Rule::TotalSize, Some(limit), message)
    })
}

/// The fault of files that have so many bytes `now`, and had so many `before`.
pub(crate) fn patch_fault(limit: u64, now: u64, before: u64) -> Option<Fault> {
    let added = now.saturating_sub(before);
    (added > limit).then(|| {
        let message = format!("the files became larger by {added} bytes; one push may add at most {limit}");
        Fault::new(None, Rule::PatchSize, Some(limit), message)
    })
}
