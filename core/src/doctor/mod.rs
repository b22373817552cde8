//! What is wrong with a home, and how it is mended: every room looks at its own files, and this one puts together what
//! they find.

use schemars::JsonSchema;
use serde::Serialize;

use crate::disk::{Kind, Wait};
use crate::error::{Error, Result};
use crate::finding::{Examination, Finding, Severity};
use crate::home::{Home, RepoHash};
use crate::memory::Memory;
use crate::repo::Repo;
use crate::summary::Summaries;
use crate::working::FileAdapter;

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "DoctorReport")]
pub struct Report {
    /// What is wrong, or worth knowing, in the order of the files.
    pub findings: Vec<Finding>,
    /// How much of what.
    pub counts: Counts,
}

/// How much was looked at, and how many findings there are of what kind. Each finding counts once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "DoctorCounts")]
pub struct Counts {
    /// Files that were looked at.
    pub files: usize,
    /// Repositories that have a folder.
    pub repositories: usize,
    /// Errors that were not mended.
    pub errors: usize,
    /// Warnings that were not mended.
    pub warnings: usize,
    /// What is only worth knowing.
    pub infos: usize,
    /// Errors and warnings that were mended.
    pub mended: usize,
}

/// The health of a home.
#[derive(Debug, Clone, Copy)]
pub struct Doctor<'h> {
    home: &'h Home,
}

impl<'h> Doctor<'h> {
    /// The room over `home`.
    pub fn new(home: &'h Home) -> Self {
        Doctor { home }
    }

    /// Looks at every file of the home and changes nothing. With `fix` it mends what it can: what is damaged is set aside,
    /// never deleted, and the rest is brought back.
    ///
    /// # Errors
    /// `Cancelled`. What cannot be read is a finding.
    pub fn check(&self, wait: &Wait, fix: bool) -> Result<Report> {
        let (layout, disk) = (self.home.layout(), self.home.disk());
        let mut found = Examination::default();
        let mut repositories = 0;
        // The home, and any folder above it, may be a link.
        match disk.canonical(layout.root()) {
            Ok(root) => found.absorb(disk.examine_folder(&root, fix)),
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => {}
            Err(cause) => {
                let error = Error::io("look at", layout.root(), &cause);
                found.findings.push(Finding::of_failure(layout.root(), &error));
            }
        }
        found.absorb(disk.examine_read_only(&layout.config(), fix));
        found.absorb(self.home.examine_key(wait, fix)?);
        found.absorb(disk.examine_read_only(&layout.redaction_rules(), fix));
        found.absorb(disk.examine_folder(&layout.repos(), fix));
        let entries = disk.entries(&layout.repos()).unwrap_or_else(|error| {
            found.findings.push(Finding::of_failure(&layout.repos(), &error));
            Vec::new()
        });
        for (name, stat) in entries {
            let hash = name.to_str().and_then(|name| RepoHash::parse(name).ok());
            let hash = hash.filter(|hash| stat.kind == Kind::Folder && *hash.as_str() == *name);
            let Some(hash) = hash else { continue };
            wait.cancel.check()?;
            repositories += 1;
            found.absorb(self.repository(&hash, wait, fix)?);
        }
        found.absorb(FileAdapter::new(self.home.clone()).examine(wait, fix)?);
        Ok(self.report(found, repositories))
    }

    fn repository(&self, hash: &RepoHash, wait: &Wait, fix: bool) -> Result<Examination> {
        let mut found = self.home.disk().examine_folder(&self.home.layout().repo(hash), fix);
        found.absorb(Memory::new(self.home, hash).examine(wait, fix)?);
        found.absorb(Summaries::new(self.home, hash).examine(wait, fix)?);
        found.absorb(Repo::new(self.home).examine(hash, wait, fix)?);
        Ok(found)
    }

    fn report(&self, found: Examination, repositories: usize) -> Report {
        let mut counts = Counts { files: found.files, repositories, ..Counts::default() };
        let redacted = |text: &str| self.home.redactor().scrub(text).into_owned();
        let mut findings = found.findings;
        // A folder that cannot be listed is met by each of its files.
        findings.dedup();
        for finding in &mut findings {
            (finding.file, finding.detail) = (redacted(&finding.file), redacted(&finding.detail));
            let count = match (finding.mended, finding.severity) {
                (true, _) => &mut counts.mended,
                (false, Severity::Error) => &mut counts.errors,
                (false, Severity::Warning) => &mut counts.warnings,
                (false, Severity::Info) => &mut counts.infos,
            };
            *count += 1;
        }
        Report { findings, counts }
    }
}
