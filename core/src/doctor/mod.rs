//! What is wrong with a home, and how it is mended: every room looks at its own files, and this one puts together what
//! they find.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::disk::Kind;
use crate::error::{Error, Result};
use crate::finding::Examination;
pub use crate::finding::{Fault, Finding, Severity};
use crate::home::{Home, RepoHash};
use crate::repo::Repo;
use crate::room::Checks;
use crate::rooms;

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "DoctorReport")]
#[non_exhaustive]
pub struct Report {
    /// What is wrong, or worth knowing, in the order of the files.
    pub findings: Vec<Finding>,
    /// How much of what.
    pub counts: Counts,
}

/// How much was looked at, and how many findings there are of what kind. Each finding counts once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "DoctorCounts")]
#[non_exhaustive]
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
#[derive(Debug, Clone)]
pub struct Doctor {
    home: Home,
}

impl Doctor {
    /// The room over `home`.
    pub(crate) fn new(home: &Home) -> Self {
        Doctor { home: home.clone() }
    }

    /// Looks at every file of the home and changes nothing.
    ///
    /// # Errors
    /// `Cancelled`. What cannot be read is a finding.
    pub fn check(&self) -> Result<Report> {
        self.examine(false)
    }

    /// Mends what can be mended: what is damaged is set aside, never deleted, and the rest is brought back.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn fix(&self) -> Result<Report> {
        self.examine(true)
    }

    fn examine(&self, fix: bool) -> Result<Report> {
        self.home.call("doctor.check", |home| Doctor::new(home).look(fix))
    }

    fn look(&self, fix: bool) -> Result<Report> {
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
        let unwritable = self.unwritable();
        let checks = Checks { fix, writable: unwritable.is_none() };
        found.findings.extend(unwritable);
        found.absorb(disk.examine_read_only(&layout.config(), fix));
        found.absorb(self.home.examine_key(fix)?);
        found.absorb(disk.examine_read_only(&layout.redaction_rules(), fix));
        let (folder, entries) = disk.examine_entries(&layout.repos(), fix);
        found.absorb(folder);
        let within_repos = self.in_folder(&layout.repos(), "nothing can be stored in this folder", checks, &mut found);
        for (name, stat) in entries {
            let hash = name.to_str().and_then(|name| RepoHash::parse(name).ok());
            let Some(hash) = hash.filter(|hash| *hash.as_str() == *name) else { continue };
            self.home.wait().cancel.check()?;
            if stat.kind == Kind::Folder {
                repositories += 1;
                found.absorb(self.repository(&hash, within_repos)?);
            } else {
                found.absorb(disk.examine_folder(&layout.repo(&hash), fix));
            }
        }
        for room in rooms::ROOMS {
            found.absorb(room.examine_home(&self.home, checks)?);
        }
        Ok(self.report(found, repositories))
    }

    /// Why nothing can be written to the home, if that is so. Where there is no home yet, the folder counts in which the
    /// first write would create it.
    fn unwritable(&self) -> Option<Finding> {
        let root = self.home.layout().root();
        let nearest = root.ancestors().find(|folder| self.is_folder(folder))?;
        if nearest == root {
            return self.home.disk().examine_writable(root, "nothing can be stored in this home");
        }
        let detail = format!("the home {} does not exist and cannot be created here", root.display());
        self.home.disk().examine_writable(nearest, &detail)
    }

    /// The checks for what is in `folder`. That the folder cannot be written to is reported once, and not for each of
    /// them again.
    fn in_folder(&self, folder: &Path, detail: &str, checks: Checks, found: &mut Examination) -> Checks {
        if !checks.writable || !self.is_folder(folder) {
            return checks;
        }
        let unwritable = self.home.disk().examine_writable(folder, detail);
        let writable = unwritable.is_none();
        found.findings.extend(unwritable);
        Checks { writable, ..checks }
    }

    fn is_folder(&self, path: &Path) -> bool {
        matches!(self.home.disk().kind_of(path), Ok(Some(Kind::Folder)))
    }

    fn repository(&self, hash: &RepoHash, checks: Checks) -> Result<Examination> {
        let folder = self.home.layout().repo(hash);
        let mut found = self.home.disk().examine_folder(&folder, checks.fix);
        let checks = self.in_folder(&folder, "nothing can be stored for this repository", checks, &mut found);
        let repo = Repo::at(&self.home, hash);
        for room in rooms::ROOMS {
            found.absorb(room.examine_repo(&repo, checks)?);
        }
        found.absorb(repo.examine(checks.fix)?);
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
