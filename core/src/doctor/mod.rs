//! Checks and repairs a home: every room examines its files, and this module collects their findings.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::adopt::adopted;
use crate::disk::{Kind, RecordFile};
use crate::error::{Error, Result};
use crate::finding::Examination;
pub use crate::finding::{Fault, Finding, Severity};
use crate::home::{Home, RepoHash};
use crate::repo::Repo;
use crate::room::Checks;
use crate::rooms;
use crate::safety::Allowance;

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DoctorReport")]
#[non_exhaustive]
pub struct Report {
    /// What is wrong or worth knowing, grouped by file.
    pub findings: Vec<Finding>,
    /// False positives of rules, allowed by `redaction.toml` and by the options of the store.
    pub allowances: Vec<Allowance>,
    /// The number of files and findings.
    pub counts: Counts,
}

/// The number of files that were checked, and of findings by severity. Each finding counts once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DoctorCounts")]
#[non_exhaustive]
pub struct Counts {
    /// Files that were checked.
    pub files: usize,
    /// Repositories that have a folder.
    pub repositories: usize,
    /// Errors that were not repaired.
    pub errors: usize,
    /// Warnings that were not repaired.
    pub warnings: usize,
    /// Findings that need no action.
    pub infos: usize,
    /// Errors and warnings that were repaired.
    pub repaired: usize,
}

/// Checks and repairs the files of a home.
#[derive(Debug, Clone)]
pub struct Doctor {
    home: Home,
}

impl Doctor {
    pub(crate) const CHECK: &str = "doctor.check";

    /// The doctor of `home`.
    pub(crate) fn new(home: &Home) -> Self {
        Doctor { home: home.clone() }
    }

    /// Checks every file of the home without changing anything.
    ///
    /// # Errors
    /// `Cancelled`. A file that cannot be read is reported as a finding.
    pub fn check(&self) -> Result<Report> {
        self.examine(false)
    }

    /// Repairs what can be repaired. Damaged content is set aside, never deleted, and every intact record is recovered.
    ///
    /// # Errors
    /// See [`check`](Self::check).
    pub fn fix(&self) -> Result<Report> {
        self.examine(true)
    }

    /// Checks the files of a repository alone, without changing anything.
    ///
    /// # Errors
    /// See [`check`](Self::check).
    pub(crate) fn check_repo(home: &Home, hash: &RepoHash) -> Result<Report> {
        let doctor = Doctor::new(home);
        Ok(doctor.report(doctor.repository(hash, Checks { fix: false, writable: true })?, 1))
    }

    fn examine(&self, fix: bool) -> Result<Report> {
        self.home.call(Self::CHECK, |home| Doctor::new(home).check_files(fix))
    }

    fn check_files(&self, fix: bool) -> Result<Report> {
        let (layout, disk) = (self.home.layout(), self.home.disk());
        let mut found = Examination::default();
        let mut repositories = 0;
        // The home, and any folder above it, may be a link.
        match disk.canonical(layout.root()) {
            Ok(root) => found.absorb(disk.examine_folder(&root, fix)),
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => {}
            Err(cause) => {
                let error = Error::io("check", layout.root(), &cause);
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
        let within_repos =
            checks.within(&self.home, &layout.repos(), "nothing can be stored in this folder", &mut found);
        for (name, stat) in entries {
            let hash = name.to_str().and_then(|name| RepoHash::parse(name).ok());
            let Some(hash) = hash.filter(|hash| *hash.as_str() == *name) else { continue };
            self.home.wait_options().cancel.check()?;
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
        found.absorb(self.synced(checks)?);
        Ok(self.report(found, repositories))
    }

    /// The finding that nothing can be written to the home, if so. If there is no home yet, checks the folder in which
    /// the first write would create it.
    fn unwritable(&self) -> Option<Finding> {
        let root = self.home.layout().root();
        let nearest = root.ancestors().find(|folder| self.is_folder(folder))?;
        if nearest == root {
            return self.home.disk().examine_writable(root, "nothing can be stored in this home");
        }
        let detail = format!("the home {} does not exist and cannot be created here", root.display());
        self.home.disk().examine_writable(nearest, &detail)
    }

    fn is_folder(&self, path: &Path) -> bool {
        matches!(self.home.disk().kind_of(path), Ok(Some(Kind::Folder)))
    }

    /// The switches of what is synchronized. A damaged one is set aside, which is off.
    fn synced(&self, checks: Checks) -> Result<Examination> {
        #[derive(Deserialize)]
        struct Switch {
            #[serde(rename = "on")]
            _on: Option<bool>,
        }
        let disk = self.home.disk();
        let root = self.home.layout().all_synced();
        let (mut found, repositories) = disk.examine_entries(&root, checks.fix);
        for (hash, _) in repositories {
            let repository = root.join(hash);
            let (of_repository, branches) = disk.examine_entries(&repository, checks.fix);
            found.absorb(of_repository);
            for (branch, _) in branches {
                let file = repository.join(branch).join("sync.json");
                let file = RecordFile::new(disk, file, self.home.config().lock_timeout, 1);
                found.absorb(file.examine::<Switch>(self.home.wait_options(), checks.fix)?);
            }
        }
        Ok(found)
    }

    fn repository(&self, hash: &RepoHash, checks: Checks) -> Result<Examination> {
        let folder = self.home.layout().repo(hash);
        let mut found = self.home.disk().examine_folder(&folder, checks.fix);
        let checks = checks.within(&self.home, &folder, "nothing can be stored for this repository", &mut found);
        let repo = Repo::at(&self.home, hash);
        for room in rooms::ROOMS {
            found.absorb(room.examine_repo(&repo, checks)?);
        }
        found.absorb(repo.trash().examine(checks.fix)?);
        found.absorb(repo.examine(checks.fix)?);
        found.absorb(adopted::examine(&repo, checks.fix)?);
        Ok(found)
    }

    fn report(&self, found: Examination, repositories: usize) -> Report {
        let mut counts = Counts { files: found.files, repositories, ..Counts::default() };
        let redacted = |text: &str| self.home.redactor().scrub(text).into_owned();
        let mut findings = found.findings;
        // A folder that cannot be listed is reported for each of its files.
        findings.dedup();
        for finding in &mut findings {
            (finding.file, finding.detail) = (redacted(&finding.file), redacted(&finding.detail));
            let count = match (finding.repaired, finding.severity) {
                (true, _) => &mut counts.repaired,
                (false, Severity::Error) => &mut counts.errors,
                (false, Severity::Warning) => &mut counts.warnings,
                (false, Severity::Info) => &mut counts.infos,
            };
            *count += 1;
        }
        Report { findings, allowances: self.home.allowances(), counts }
    }
}
