//! What working memory provides to context packs and to the doctor.

use super::FileAdapter;
#[cfg(not(feature = "sqlite"))]
use crate::disk::Kind;
use crate::error::Result;
use crate::finding::Examination;
#[cfg(not(feature = "sqlite"))]
use crate::finding::{Fault, Finding};
use crate::home::Home;
use crate::repo::Repo;
use crate::room::{Candidates, Checks, Migration, Need, PackQuery, RecordKind, Room, Section, SectionName, Usage};

/// The room `working`.
#[derive(Debug)]
pub struct WorkingRoom;

/// Working contexts belong to the home, so a repository has no part in them.
impl Room for WorkingRoom {
    fn sections(&self) -> &'static [Section] {
        &[
            Section {
                name: SectionName::CONTEXT,
                heading: "# Working context",
                reserved: 10,
                noun: ["context value", "context values"],
                gap: "\n",
                is_dated: false,
                need: Need::Scope,
                ..Section::BASIC
            },
            Section {
                name: SectionName::LOG,
                heading: "# Log",
                reserved: 10,
                noun: ["log entry", "log entries"],
                has_vectors: true,
                need: Need::Scope,
                ..Section::BASIC
            },
        ]
    }

    fn candidates(
        &self,
        repo: &Repo,
        is_wanted: &dyn Fn(SectionName) -> bool,
        query: &PackQuery,
    ) -> Result<Vec<Candidates>> {
        query.scope.as_ref().map_or_else(|| Ok(Vec::new()), |scope| scope.candidates(repo.home(), is_wanted, query))
    }

    fn kinds(&self) -> &'static [RecordKind] {
        &[]
    }

    fn import(&self, _from: &Repo, _into: &Repo, _dry_run: bool) -> Result<Migration> {
        Ok(Migration::default())
    }

    fn usage(&self, _repo: &Repo) -> Result<Usage> {
        Ok(Usage::default())
    }

    /// Checks the folders and the database of all scopes, whichever adapter is configured.
    fn examine_home(&self, home: &Home, checks: Checks) -> Result<Examination> {
        let mut found = Examination::default();
        let within = checks.within(home, &home.layout().working(), "nothing can be stored in this folder", &mut found);
        found.absorb(FileAdapter::new(home.clone()).examine(home.wait_options(), within)?);
        found.absorb(database(home, checks)?);
        Ok(found)
    }
}

#[cfg(feature = "sqlite")]
fn database(home: &Home, checks: Checks) -> Result<Examination> {
    super::SqliteAdapter::new(home.clone()).examine(home.wait_options(), checks.fix)
}

/// Without SQLite the database cannot be checked, only reported.
#[cfg(not(feature = "sqlite"))]
fn database(home: &Home, _checks: Checks) -> Result<Examination> {
    let path = home.layout().working_database();
    let detail = "it was not checked: this build of loopmem does not include SQLite (cargo feature `sqlite`)";
    let is_there = matches!(home.disk().kind_of(&path), Ok(Some(Kind::File)));
    let findings = is_there.then(|| Finding::new(&path, Fault::Unsupported, detail)).into_iter().collect();
    Ok(Examination { files: 0, findings })
}
