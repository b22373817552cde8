//! `doctor.*`

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Method, Room, Row};
use crate::doctor::Report;
use crate::error::Result;
use crate::store::Store;

pub(super) const ROOM: Room =
    Room { name: "doctor", about: "What is wrong with the files, and how to repair it", rows: &[Row::of::<Check>()] };

/// Looks at every file of the home, and with `fix` mends what is wrong.
///
/// Without `fix` nothing is changed and nothing is created. With it what is damaged is set aside beside the file, never
/// deleted, and every record that is whole is brought back; modes are set to what they should be, and what a writer that
/// died left unfinished is removed. A file of a newer version is never touched. What cannot be read or mended is a finding
/// and no error.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CheckParams {
    /// Mend what can be mended. Default: false.
    fix: Option<bool>,
}

/// See [`CheckParams`].
pub(super) struct Check;

impl Method for Check {
    const NAME: &'static str = "doctor.check";
    type Params = CheckParams;
    type Output = Report;
    const WRITES: bool = true;

    fn run(store: &Store, params: CheckParams) -> Result<Report> {
        let doctor = store.doctor();
        if params.fix.unwrap_or(false) { doctor.fix() } else { doctor.check() }
    }
}
