//! The errors that each method may return, for languages whose documentation lists them.

use loopmem::ErrorKind;
use loopmem::methods::{MethodDescription, writes};

/// The kinds of errors that a method may return, in the order of their numbers, each with its meaning for this method.
/// `Internal` is not listed, since it is a bug.
pub(crate) fn raises(method: &MethodDescription) -> Vec<(ErrorKind, String)> {
    let meaning = |kind: ErrorKind| {
        let specific = SPECIFIC.iter().find(|(name, of, _)| *name == method.name && *of == kind);
        match specific {
            Some((_, _, meaning)) => Some((*meaning).to_owned()),
            None => may_raise(method, kind).then(|| kind.doc().to_owned()),
        }
    };
    ErrorKind::ALL.iter().filter_map(|kind| Some((*kind, meaning(*kind)?))).collect()
}

/// Errors whose meaning is specific to a method.
const SPECIFIC: &[(&str, ErrorKind, &str)] = &[
    ("repo.migrate", ErrorKind::NotFound, "Nothing is stored under the hash to copy from."),
    ("repo.migrate", ErrorKind::Conflict, "Records of different kinds have the same id; nothing was copied."),
    ("memory.upsertConvention", ErrorKind::Conflict, "A decision or a note already has the id."),
    ("memory.upsertDecision", ErrorKind::Conflict, "A convention or a note already has the id."),
    ("memory.upsertNote", ErrorKind::Conflict, "A convention or a decision already has the id."),
    ("working.getLogs", ErrorKind::NotFound, "The log has no entry with the id in `after`."),
    ("working.restoreCheckpoint", ErrorKind::NotFound, "The job has no checkpoint with this timestamp."),
    ("working.listScopes", ErrorKind::Unsupported, "The adapter cannot list its keys."),
];

/// Methods that read no records, only their params or the files of a git repository; or that do not fail if a record
/// cannot be read: the doctor reports a finding, and the list of repositories omits what it cannot read.
const WITHOUT_RECORDS: &[&str] = &[
    "repo.identify",
    "repo.sanitizeRemoteUrl",
    "repo.list",
    "safety.redact",
    "safety.scan",
    "safety.rules",
    "doctor.check",
];

/// Derives from a method's params and effects whether it may return an error of this kind.
fn may_raise(method: &MethodDescription, kind: ErrorKind) -> bool {
    let takes = |names: &[&str]| method.params.fields.iter().any(|field| names.contains(&field.name.as_str()));
    let (room, _) = method.room_and_verb();
    let reads_records = !WITHOUT_RECORDS.contains(&method.name);
    match kind {
        ErrorKind::Validation | ErrorKind::Misuse => true,
        ErrorKind::Parse | ErrorKind::FormatTooNew | ErrorKind::LockAcquisition => reads_records,
        ErrorKind::Io => reads_records || method.name == "repo.list",
        ErrorKind::Rename => reads_records && writes(method.name),
        ErrorKind::SecretRefused => takes(&["workspace", "scopeId", "jobId"]),
        ErrorKind::Git => takes(&["workspace"]),
        ErrorKind::Adapter => room == "working",
        // Other writers kept changing the same data.
        ErrorKind::Conflict => room == "working" && writes(method.name),
        ErrorKind::Cancelled => reads_records || ["repo.identify", "doctor.check"].contains(&method.name),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use loopmem::methods::describe;

    use super::*;

    fn codes(name: &str) -> Vec<&'static str> {
        let description = describe();
        let method = description.methods.iter().find(|method| method.name == name).unwrap();
        raises(method).iter().map(|(kind, _)| kind.code()).collect()
    }

    #[test]
    fn errors_follow_from_what_a_method_does() {
        assert_eq!(codes("safety.rules"), ["ValidationError", "Misuse"]);
        assert_eq!(codes("repo.identify"), ["ValidationError", "SecretRefused", "GitError", "Cancelled", "Misuse"]);
        assert_eq!(codes("repo.list"), ["ValidationError", "IOError", "Misuse"]);
        assert_eq!(codes("doctor.check"), ["ValidationError", "Cancelled", "Misuse"]);
        let written = codes("memory.upsertNote");
        assert!(["RenameError", "Conflict", "GitError"].iter().all(|code| written.contains(code)), "{written:?}");
        let read = codes("working.getContext");
        assert!(read.contains(&"AdapterError") && !read.contains(&"RenameError"), "{read:?}");
    }

    #[test]
    fn every_name_is_that_of_a_method() {
        let description = describe();
        for name in SPECIFIC.iter().map(|(name, ..)| name).chain(WITHOUT_RECORDS) {
            assert!(description.methods.iter().any(|method| method.name == *name), "{name}");
        }
    }
}
