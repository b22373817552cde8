//! The table of the files of one work tree: their stamps, and where their entries are. With what it refers to, it is the index
//! of the work tree at one moment.

use std::path::PathBuf;

use super::entry::Entry;
use super::postings::Postings;
use super::scan::Definition;
use super::segment::{ContentKey, Extent, Segment};
use crate::disk::{Epoch, Stamp};
use crate::segments::{Bytes, Magic, read_value, value_written, values};

const MAGIC: &Magic = b"loopmem files 7\n";

/// A file of the work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileRow {
    /// Relative to the top level, with `/`.
    pub(super) path: Box<[u8]>,
    pub(super) stamp: Stamp,
    /// `None` if the content is not indexed: it is binary, too large, or cannot be read.
    pub(super) content: Option<ContentRow>,
}

/// The indexed content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ContentRow {
    pub(super) key: ContentKey,
    /// The number of the segment in the table.
    pub(super) segment: u32,
    pub(super) place: Extent,
    pub(super) words: u32,
    /// Its ordinal in the lists; `None` for a file that came after they were made.
    pub(super) ordinal: Option<u32>,
}

/// The rules that decide, besides the folders, which files are indexed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Rules {
    /// The index of git; `None` if there is none.
    pub(super) git_index: Option<Stamp>,
    /// The paths that git tracks, as a hash: most changes of its index do not change them.
    pub(super) tracked: u64,
    /// The excludes of the repository and of the user, outside the work tree; `None` for one that does not exist.
    pub(super) excludes: Vec<Option<Stamp>>,
    /// The `.gitignore` files of the work tree that are not among its files.
    pub(super) hidden: Vec<(Box<[u8]>, Stamp)>,
}

/// The files of a work tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Table {
    /// When the stamps were taken.
    pub(super) epoch: Epoch,
    /// Sorted by path.
    pub(super) files: Vec<FileRow>,
    pub(super) folders: Vec<(Box<[u8]>, Stamp)>,
    pub(super) rules: Rules,
    /// The options that the index was made with, as a hash.
    pub(super) settings: u64,
    /// The names of the segments.
    pub(super) segments: Vec<String>,
    /// The digest of the lists that the ordinals belong to.
    pub(super) lists: u64,
    /// How many ordinals the lists have.
    pub(super) ordinals: u32,
    /// True if there are more files than are indexed.
    pub(super) is_cut: bool,
}

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
    /// True if a file is shown.
    pub(super) fn shows(&self, path: &[u8]) -> bool {
        let rest = path.strip_prefix(&*self.below);
        self.below.is_empty() || rest.is_some_and(|rest| rest.first() == Some(&b'/'))
    }

    /// The bytes of the entry of a content; `None` if they are damaged.
    pub(super) fn entry(&self, content: &ContentRow) -> Option<Vec<u8>> {
        self.segments.get(content.segment as usize)?.entry(content.place)
    }

    /// Its definitions, in the order of the content; `None` if the entry is damaged.
    pub(super) fn definitions(&self, content: &ContentRow) -> Option<Vec<Definition>> {
        Entry::read(&self.entry(content)?)?.definitions()
    }
}

values! {
    Stamp { size, inode, modified, changed }
    ContentRow { key, segment, place, words, ordinal }
    FileRow { path, stamp, content }
    Rules { git_index, tracked, excludes, hidden }
    Epoch { mount, time }
    Table { settings, epoch, lists, ordinals, is_cut, segments, rules, folders, files }
}

impl Table {
    /// Makes those of its stamps uncertain that may not count any more.
    pub(super) fn enter(&mut self, now: &Epoch) {
        if self.epoch.is_same(now) {
            return;
        }
        let Rules { git_index, excludes, hidden, tracked: _ } = &mut self.rules;
        let of_files = self.files.iter_mut().map(|file| &mut file.stamp);
        let named = self.folders.iter_mut().chain(hidden).map(|(_, stamp)| stamp);
        let stamps = of_files.chain(named).chain(git_index).chain(excludes.iter_mut().flatten());
        stamps.for_each(|stamp| *stamp = self.epoch.outlasted(*stamp));
    }

    /// The bytes of a file with this table.
    pub(super) fn written(&self) -> Vec<u8> {
        value_written(MAGIC, self)
    }

    /// The table in `bytes`; `None` if these are not such a file, or damaged.
    pub(super) fn read(bytes: Bytes) -> Option<Self> {
        let table: Table = read_value(bytes, MAGIC)?;
        let mut contents = table.files.iter().filter_map(|file| file.content);
        let is_known = |content: ContentRow| {
            (content.segment as usize) < table.segments.len()
                && content.ordinal.is_none_or(|ordinal| ordinal < table.ordinals)
        };
        contents.all(is_known).then_some(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_as_it_was_written_and_damage_is_noticed() {
        let stamp = |size| Stamp { size, inode: 7, modified: -3, changed: 1 << 40 };
        let content = |ordinal| ContentRow {
            key: [3; 32],
            segment: 1,
            place: Extent { offset: 16, length: 5, check: 9 },
            words: 12,
            ordinal,
        };
        let file = |path: &[u8], content| FileRow { path: path.into(), stamp: stamp(5), content };
        let table = Table {
            epoch: Epoch { mount: Some("boot 7".to_owned()), time: 1 << 50 },
            files: vec![
                file(b"a.rs", Some(content(Some(0)))),
                file(b"b\xff.bin", None),
                file(b"c/d.py", Some(content(None))),
            ],
            folders: vec![(b"".as_slice().into(), stamp(1)), (b"c".as_slice().into(), stamp(2))],
            rules: Rules {
                git_index: Some(stamp(3)),
                tracked: 8,
                excludes: vec![None, Some(stamp(0))],
                hidden: vec![(b"n/.gitignore".as_slice().into(), stamp(4))],
            },
            segments: vec!["1.entries".to_owned(), "2.entries".to_owned()],
            settings: 6,
            lists: 42,
            ordinals: 1,
            is_cut: true,
        };
        let bytes = table.written();
        let read = |bytes: Vec<u8>| Table::read(Box::new(bytes));
        assert_eq!(read(bytes.clone()), Some(table));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_eq!(read(damaged), None, "{at}");
            assert_eq!(read(bytes[..at].to_vec()), None, "{at}");
        }
    }
}
