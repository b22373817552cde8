//! The table of the files of one work tree: their stamps, and where their entries are.

use xxhash_rust::xxh3::xxh3_64;

use super::bytes::{Reader, put_number, put_string};
use super::segment::{ContentKey, Extent};
use crate::disk::{Mapped, Stamp};

const MAGIC: &[u8; 16] = b"loopmem files 3\n";

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

/// What decides, besides the folders, which files there are.
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
    /// Whether there are more files than are indexed.
    pub(super) is_cut: bool,
}

impl Table {
    /// The bytes of a file with this table.
    pub(super) fn written(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.files.len() * 128);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&[0; 8]);
        bytes.extend_from_slice(&self.settings.to_le_bytes());
        bytes.extend_from_slice(&self.lists.to_le_bytes());
        bytes.extend_from_slice(&self.ordinals.to_le_bytes());
        bytes.push(u8::from(self.is_cut));
        count(&mut bytes, self.segments.len());
        self.segments.iter().for_each(|name| put_string(&mut bytes, name.as_bytes()));
        bytes.extend_from_slice(&self.rules.tracked.to_le_bytes());
        optional(&mut bytes, self.rules.git_index.as_ref());
        count(&mut bytes, self.rules.excludes.len());
        self.rules.excludes.iter().for_each(|exclude| optional(&mut bytes, exclude.as_ref()));
        stamped(&mut bytes, &self.rules.hidden);
        stamped(&mut bytes, &self.folders);
        count(&mut bytes, self.files.len());
        for file in &self.files {
            put_string(&mut bytes, &file.path);
            stamp(&mut bytes, &file.stamp);
            let Some(content) = &file.content else {
                bytes.push(0);
                continue;
            };
            bytes.push(1);
            bytes.extend_from_slice(&content.key.to_le_bytes());
            bytes.extend_from_slice(&content.segment.to_le_bytes());
            bytes.extend_from_slice(&content.place.offset.to_le_bytes());
            bytes.extend_from_slice(&content.place.length.to_le_bytes());
            bytes.extend_from_slice(&content.place.check.to_le_bytes());
            bytes.extend_from_slice(&content.words.to_le_bytes());
            bytes.extend_from_slice(&content.ordinal.unwrap_or(u32::MAX).to_le_bytes());
        }
        let check = xxh3_64(&bytes[24..]);
        bytes[16..24].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// The table in `bytes`; `None` if these are not such a file, or damaged.
    pub(super) fn read(bytes: &Mapped) -> Option<Self> {
        let bytes = (**bytes).as_ref();
        let mut reader = Reader::new(bytes);
        if reader.take(16)? != MAGIC || reader.u64()? != xxh3_64(reader.rest()) {
            return None;
        }
        let (settings, lists, ordinals, is_cut) = (reader.u64()?, reader.u64()?, reader.u32()?, reader.u8()? == 1);
        let mut table = Table { settings, lists, ordinals, is_cut, ..Table::default() };
        for _ in 0..reader.number()? {
            table.segments.push(std::str::from_utf8(reader.string()?).ok()?.to_owned());
        }
        (table.rules.tracked, table.rules.git_index) = (reader.u64()?, read_optional(&mut reader)?);
        for _ in 0..reader.number()? {
            table.rules.excludes.push(read_optional(&mut reader)?);
        }
        table.rules.hidden = read_stamped(&mut reader)?;
        table.folders = read_stamped(&mut reader)?;
        let files = reader.number()? as usize;
        table.files.reserve(files.min(bytes.len() / 32));
        for _ in 0..files {
            let path = reader.string()?.into();
            let stamp = read_stamp(&mut reader)?;
            let content = match reader.u8()? {
                0 => None,
                _ => Some(ContentRow {
                    key: reader.u128()?,
                    segment: reader.u32().filter(|segment| (*segment as usize) < table.segments.len())?,
                    place: Extent { offset: reader.u32()?, length: reader.u32()?, check: reader.u64()? },
                    words: reader.u32()?,
                    ordinal: Some(reader.u32()?).filter(|ordinal| *ordinal < ordinals),
                }),
            };
            table.files.push(FileRow { path, stamp, content });
        }
        reader.is_empty().then_some(table)
    }
}

fn count(bytes: &mut Vec<u8>, count: usize) {
    put_number(bytes, u32::try_from(count).unwrap_or(u32::MAX));
}

fn stamped(bytes: &mut Vec<u8>, entries: &[(Box<[u8]>, Stamp)]) {
    count(bytes, entries.len());
    for (path, of_entry) in entries {
        put_string(bytes, path);
        stamp(bytes, of_entry);
    }
}

fn read_stamped(reader: &mut Reader<'_>) -> Option<Vec<(Box<[u8]>, Stamp)>> {
    let mut entries = Vec::new();
    for _ in 0..reader.number()? {
        entries.push((reader.string()?.into(), read_stamp(reader)?));
    }
    Some(entries)
}

fn optional(bytes: &mut Vec<u8>, of: Option<&Stamp>) {
    bytes.push(u8::from(of.is_some()));
    if let Some(of) = of {
        stamp(bytes, of);
    }
}

fn stamp(bytes: &mut Vec<u8>, stamp: &Stamp) {
    bytes.extend_from_slice(&stamp.size.to_le_bytes());
    bytes.extend_from_slice(&stamp.inode.to_le_bytes());
    bytes.extend_from_slice(&stamp.modified.to_le_bytes());
    bytes.extend_from_slice(&stamp.changed.to_le_bytes());
}

fn read_optional(reader: &mut Reader<'_>) -> Option<Option<Stamp>> {
    match reader.u8()? {
        0 => Some(None),
        _ => read_stamp(reader).map(Some),
    }
}

fn read_stamp(reader: &mut Reader<'_>) -> Option<Stamp> {
    Some(Stamp { size: reader.u64()?, inode: reader.u64()?, modified: reader.i64()?, changed: reader.i64()? })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_table_is_read_as_it_was_written_and_damage_is_noticed() {
        let stamp = |size| Stamp { size, inode: 7, modified: -3, changed: 1 << 40 };
        let content = |ordinal| ContentRow {
            key: 1 << 100,
            segment: 1,
            place: Extent { offset: 16, length: 5, check: 9 },
            words: 12,
            ordinal,
        };
        let file = |path: &[u8], content| FileRow { path: path.into(), stamp: stamp(5), content };
        let table = Table {
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
        let read = |bytes: Vec<u8>| Table::read(&(Arc::new(bytes) as Mapped));
        assert_eq!(read(bytes.clone()), Some(table));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_eq!(read(damaged), None, "{at}");
            assert_eq!(read(bytes[..at].to_vec()), None, "{at}");
        }
    }
}
