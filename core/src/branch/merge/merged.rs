//! The result of a merge.

/// The outcome for a file that both sides changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Merged {
    /// The contents of the merged file.
    pub(crate) bytes: Vec<u8>,
    /// True if something of theirs was overridden.
    pub(crate) is_conflict: bool,
}

impl Merged {
    /// A merge in which nothing of theirs was overridden.
    pub(super) fn clean(bytes: impl Into<Vec<u8>>) -> Self {
        Merged { bytes: bytes.into(), is_conflict: false }
    }

    /// A merge in which something of theirs was overridden.
    pub(super) fn conflict(bytes: impl Into<Vec<u8>>) -> Self {
        Merged { bytes: bytes.into(), is_conflict: true }
    }
}
