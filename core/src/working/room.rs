//! What working memory offers to the doctor.

use super::{FileAdapter, SqliteAdapter};
use crate::disk::Kind;
use crate::error::Result;
use crate::finding::Examination;
use crate::home::Home;
use crate::room::{Checks, Room};

/// The room `working`.
#[derive(Debug)]
pub struct WorkingRoom;

impl Room for WorkingRoom {
    fn name(&self) -> &'static str {
        "working"
    }

    /// Checks the folders and the database of all scopes, whichever of them is configured.
    fn examine_home(&self, home: &Home, checks: Checks) -> Result<Examination> {
        let mut found = Examination::default();
        let folder = home.layout().working();
        if checks.writable && matches!(home.disk().kind_of(&folder), Ok(Some(Kind::Folder))) {
            found.findings.extend(home.disk().examine_writable(&folder, "nothing can be stored in this folder"));
        }
        found.absorb(FileAdapter::new(home.clone()).examine(home.wait(), checks.fix)?);
        found.absorb(SqliteAdapter::new(home.clone()).examine(home.wait(), checks.fix)?);
        Ok(found)
    }
}
