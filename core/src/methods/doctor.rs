//! `doctor.*`

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Method, Room, Row};
use crate::doctor::Report;
use crate::error::Result;
use crate::store::Store;

pub(super) const ROOM: Room =
    Room { name: "doctor", about: "Checks and repairs of the files", rows: &[Row::of::<Check>()] };

/// Checks every file of the home, and with `fix` repairs what is wrong.
///
/// Without `fix`, nothing is changed or created. With `fix`, damaged content is moved to a file beside the original,
/// never deleted, and every intact record is recovered; file modes are corrected, and what crashed writers left behind
/// is removed. Files written by a newer version are never changed. A file that cannot be read or repaired is reported
/// as a finding, not as an error.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CheckParams {
    /// Repair what can be repaired. Default: false.
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
