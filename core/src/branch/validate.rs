//! Checks the files of a memory against its rules. Every fault is found at once, so that an agent can fix them
//! together.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::config::{BranchCleanUp, BranchMemory};
use super::fault::{BranchFault, BranchRule, fault};
use super::folder::{self, Listed, Listing, Other, total};
use super::glob::Patterns;
use super::names::{self, Spellings};
use super::{campaign, state};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;

/// How many faults an error names.
const SHOWN: usize = 10;

/// A file of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct BranchFile {
    /// Its path, relative to the folder of the memory.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
}

/// The result of a validation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct BranchValidation {
    /// Whether the files break no rule.
    pub ok: bool,
    /// The files that would be pushed, sorted by path.
    pub files: Vec<BranchFile>,
    /// The files that match no pattern, sorted. They are not pushed.
    pub skipped: Vec<String>,
    /// Every broken rule.
    pub rejected: Vec<BranchFault>,
}

impl BranchValidation {
    /// Fails if there is a fault.
    ///
    /// # Errors
    /// `ValidationError` naming the first faults.
    pub(super) fn check(&self, directory: &Path) -> Result<()> {
        if self.ok {
            return Ok(());
        }
        let message =
            format!("the files in {} break the rules of the memory: {}", directory.display(), told(&self.rejected));
        Err(Error::new(ErrorKind::Validation, message).at(directory))
    }
}

/// The first of these faults, for messages.
pub(super) fn told(faults: &[BranchFault]) -> String {
    let one = |fault: &BranchFault| match &fault.path {
        // On one line, also if the path has a line break.
        Some(path) if path.chars().any(char::is_control) => format!("{path:?}: {}", fault.message),
        Some(path) => format!("{path}: {}", fault.message),
        None => fault.message.clone(),
    };
    let mut told: Vec<String> = faults.iter().take(SHOWN).map(one).collect();
    if faults.len() > SHOWN {
        told.push(format!("and {} more, which branch.validate lists", faults.len() - SHOWN));
    }
    told.join("; ")
}

/// Validates the files in a folder.
///
/// # Errors
/// Those of [`folder::list`] and of reading the files of a campaign.
pub(super) fn validate(home: &Home, memory: &BranchMemory, directory: &Path) -> Result<BranchValidation> {
    let patterns = Patterns::new(memory.file_glob.as_deref())?;
    let disk = folder::disk(home, directory);
    let Listing { files, others } = folder::list(&disk, directory, &home.cancel_check())?;
    let (kept, skipped): (Vec<Listed>, Vec<Listed>) = files.into_iter().partition(|file| patterns.take(&file.path));
    let mut rejected: Vec<BranchFault> =
        others.into_iter().map(|(path, other)| fault_of(&shown(home, &path), other)).collect();
    rejected.extend(faults_of_all(home, memory, &kept));
    if let Some(limit) = memory.max_patch_size
        && let Some(before) = state::size_at_base(home, directory, &patterns)?
    {
        rejected.extend(patch_fault(limit, total(kept.iter().map(|file| file.size)), before));
    }
    rejected.extend(campaign::faults(&disk, memory, directory, &kept)?);
    let files = kept.into_iter().map(|file| BranchFile { path: shown(home, &file.path), size: file.size }).collect();
    let skipped = skipped.into_iter().map(|file| shown(home, &file.path)).collect();
    Ok(BranchValidation { ok: rejected.is_empty(), files, skipped, rejected })
}

/// What is wrong with these files, whatever else is in the folder.
pub(super) fn faults_of_all(home: &Home, memory: &BranchMemory, kept: &[Listed]) -> Vec<BranchFault> {
    let mut spellings = Spellings::default();
    let mut faults: Vec<BranchFault> =
        kept.iter().flat_map(|file| faults_of(home, memory, file, &mut spellings)).collect();
    faults.extend(count_fault(memory, kept.len()));
    faults.extend(total_fault(memory, kept));
    faults
}

/// A path as it is shown: without a secret.
fn shown(home: &Home, path: &str) -> String {
    match home.redactor().admit("path", path) {
        Ok(()) => path.to_owned(),
        Err(_) => home.redactor().scrub(path).into_owned(),
    }
}

fn fault_of(path: &str, other: Other) -> BranchFault {
    let (rule, message) = match other {
        Other::Link => (BranchRule::Symlink, "is a symbolic link; replace it by a copy of its target"),
        Other::Git if path == ".git" => {
            (BranchRule::GitFolder, "makes the folder a git repository; keep the memory in a folder of its own")
        }
        Other::Git => (BranchRule::GitFolder, "is git's own folder; move it out of the memory"),
        Other::Special => (BranchRule::FileType, "is neither a file nor a folder; remove it"),
        Other::Name => (BranchRule::FileName, "has a name that is not UTF-8; rename it"),
        Other::State => (
            BranchRule::FileType,
            "is the state of another memory; keep memories beside each other, and not one in another",
        ),
    };
    fault(Some(path), rule, None, message.to_owned())
}

fn faults_of(home: &Home, memory: &BranchMemory, file: &Listed, spellings: &mut Spellings) -> Vec<BranchFault> {
    let shown = shown(home, &file.path);
    let path = Some(&*shown);
    let mut faults = Vec::new();
    if file.size > memory.max_file_size {
        let message = format!("has {} bytes; at most {} are allowed", file.size, memory.max_file_size);
        faults.push(fault(path, BranchRule::FileSize, Some(memory.max_file_size), message));
    }
    if let Some(allowed) = memory.allowed_extensions.as_ref().filter(|allowed| !has_extension(&file.path, allowed)) {
        let message = format!("has none of the extensions {}; rename or remove it", allowed.join(", "));
        faults.push(fault(path, BranchRule::Extension, None, message));
    }
    if let Some(why) = names::fault(&file.path) {
        let message = format!("cannot be kept by every system: {}; rename it", home.redactor().scrub(&why));
        faults.push(fault(path, BranchRule::FileName, None, message));
    }
    if let Some(other) = spellings.add(&file.path) {
        let other = home.redactor().scrub(&other).into_owned();
        let message = format!("is the same as {other} where upper and lower case are not told apart; rename one");
        faults.push(fault(path, BranchRule::FileName, None, message));
    }
    if home.redactor().admit("path", &file.path).is_err() {
        faults.push(fault(path, BranchRule::Secret, None, "looks like a secret; rename it".to_owned()));
    }
    faults
}

/// Whether a file has one of these extensions. A name that only consists of one has none.
fn has_extension(path: &str, allowed: &[String]) -> bool {
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| allowed.contains(&format!(".{}", extension.to_lowercase())))
}

fn count_fault(memory: &BranchMemory, count: usize) -> Option<BranchFault> {
    let limit = memory.max_file_count;
    (count as u64 > limit).then(|| {
        let message = format!("there are {count} files; at most {limit} are allowed; remove or join some");
        fault(None, BranchRule::FileCount, Some(limit), message)
    })
}

/// Where nothing makes way for new files.
fn total_fault(memory: &BranchMemory, kept: &[Listed]) -> Option<BranchFault> {
    let limit = memory.max_total_size.filter(|_| memory.clean_up == BranchCleanUp::None)?;
    let total = total(kept.iter().map(|file| file.size));
    (total > limit).then(|| {
        let message =
            format!("the files have {total} bytes in all; at most {limit} are allowed; remove or shorten some");
        fault(None, BranchRule::TotalSize, Some(limit), message)
    })
}

/// The fault of files that have so many bytes `now`, and had so many `before`.
pub(super) fn patch_fault(limit: u64, now: u64, before: u64) -> Option<BranchFault> {
    let added = now.saturating_sub(before);
    (added > limit).then(|| {
        let message = format!("the files became larger by {added} bytes; one push may add at most {limit}");
        fault(None, BranchRule::PatchSize, Some(limit), message)
    })
}
