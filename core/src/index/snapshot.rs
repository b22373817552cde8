//! The index of a work tree at one moment.

use std::path::PathBuf;

use super::entry::Entry;
use super::postings::Postings;
use super::segment::Segment;
use super::table::{ContentRow, Table};

/// The index of a work tree, up to date.
#[derive(Debug)]
pub(super) struct Snapshot {
    pub(super) top: PathBuf,
    /// The folder whose files are shown, relative to the top level; empty for all.
    pub(super) below: Vec<u8>,
    pub(super) table: Table,
    pub(super) segments: Vec<Segment>,
    pub(super) postings: Option<Postings>,
}

impl Snapshot {
    /// Whether a file is shown.
    pub(super) fn shows(&self, path: &[u8]) -> bool {
        let rest = path.strip_prefix(&*self.below);
        self.below.is_empty() || rest.is_some_and(|rest| rest.first() == Some(&b'/'))
    }

    /// The entry of a file; `None` if it has none.
    pub(super) fn entry(&self, content: &ContentRow) -> Option<Entry<'_>> {
        Entry::read(self.segments.get(content.segment as usize)?.entry(content.place)?)
    }
}
