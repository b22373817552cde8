//! `doctor.*`

use super::{MethodGroup, method, methods, params};
use crate::doctor::{Doctor, Report};

pub(super) const GROUP: MethodGroup =
    MethodGroup { name: "doctor", about: "Checks and repairs of the files", entries: methods! { Check } };

params! {
    /// Checks every file of the home, the global items and those of the current workspace, and with `fix` repairs what is
    /// wrong.
    ///
    /// Without `fix`, nothing is changed or created. With `fix`, damaged content is moved to a file beside the
    /// original, never deleted, and every intact record is recovered; file modes are corrected, and what crashed
    /// writers left behind is removed. Files written by a newer version are never changed. A file that cannot be read
    /// or repaired is reported as a finding, not as an error.
    struct Check {
        /// Repair what can be repaired. Default: false.
        fix: Option<bool>,
    }
}

method! {
    Check = Doctor::CHECK => Report, WRITES |self, store| {
        let doctor = store.doctor();
        if self.fix.unwrap_or(false) { doctor.fix() } else { doctor.check() }
    }
}
