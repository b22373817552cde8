//! The result of a merge.

/// The outcome for a file that both sides changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Merged {
    /// The contents of the merged file.
    pub(crate) bytes: Vec<u8>,
    /// True if something of theirs was overridden.
    pub(crate) is_conflict: bool,
    /// The ids of the records of which something was overridden, in the order of ours.
    pub(crate) records: Vec<String>,
}

impl Merged {
    /// A merge in which nothing of theirs was overridden.
    pub(super) fn clean(bytes: impl Into<Vec<u8>>) -> Self {
        Merged { bytes: bytes.into(), is_conflict: false, records: Vec::new() }
    }

    /// As [`clean`](Self::clean) or [`conflict`](Self::conflict).
    pub(super) fn of(text: String, is_conflict: bool) -> Self {
        let merged = Merged::clean(text);
        Merged { is_conflict, ..merged }
    }

    /// A merge in which something of theirs was overridden.
    pub(super) fn conflict(bytes: impl Into<Vec<u8>>) -> Self {
        Merged { bytes: bytes.into(), is_conflict: true, records: Vec::new() }
    }
}
