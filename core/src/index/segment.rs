//! Segments: immutable files of entries, named by what is in them, which all repositories of a home share.
//!
//! The author of one repository must not decide what is shown of another, so contents and segments are identified by
//! cryptographic hashes. Checksums are against accidents only.

use sha2::{Digest, Sha256};
use xxhash_rust::xxh3::xxh3_64;

use crate::safety::GeneratedId;
use crate::segments::{Bytes, Magic, Reader, Sections, Value, values};

const MAGIC: &Magic = b"loopmem entries3";
/// The section of the entries, each of which has a checksum, and that of their keys and extents, sorted by key.
const ENTRIES: usize = 0;
const TABLE: usize = 1;
/// A key, and its extent.
const ROW: usize = 32 + 4 + 4 + 8;

/// Identifies a content and its language.
pub(super) type ContentKey = [u8; 32];

/// What entries say of a content; one of another recipe is made anew.
const RECIPE: &[u8] = b"loopmem entry 2";

/// The key of a content in the language of this name, redacted by these rules.
pub(super) fn content_key(language: &str, rules: u64, text: &[u8]) -> ContentKey {
    let hasher = Sha256::new()
        .chain_update(RECIPE)
        .chain_update(rules.to_le_bytes())
        .chain_update((language.len() as u64).to_le_bytes());
    hasher.chain_update(language).chain_update(text).finalize().into()
}

/// Where an entry is in a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Extent {
    pub(super) offset: u32,
    pub(super) length: u32,
    pub(super) check: u64,
}

values! { Extent { offset, length, check } }

/// The extension of segments.
pub(super) const EXTENSION: &str = ".entries";

/// Whether a file of this name is a segment of an earlier version, which nothing reads any more.
pub(super) fn is_outdated(name: &str) -> bool {
    name.strip_suffix(EXTENSION).is_some_and(|stem| stem.len() == 16)
}

/// A segment that is being written.
#[derive(Debug, Default)]
pub(super) struct SegmentWriter {
    entries: Vec<u8>,
    rows: Vec<(ContentKey, Extent)>,
}

/// The largest segment, in bytes. What is beyond it is in another one.
pub(super) const MAX_BYTES: usize = 256 << 20;

impl SegmentWriter {
    pub(super) fn new() -> Self {
        SegmentWriter::default()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds an entry; `None` if there is no room for it.
    pub(super) fn add(&mut self, key: ContentKey, entry: &[u8]) -> Option<Extent> {
        if self.entries.len() + entry.len() > MAX_BYTES {
            return None;
        }
        let (offset, length) = (u32::try_from(self.entries.len()).ok()?, u32::try_from(entry.len()).ok()?);
        let place = Extent { offset, length, check: xxh3_64(entry) };
        self.entries.extend_from_slice(entry);
        self.rows.push((key, place));
        Some(place)
    }

    /// The name of the segment and its bytes.
    pub(super) fn finish(mut self) -> (String, Vec<u8>) {
        self.rows.sort_unstable_by_key(|(key, _)| *key);
        let mut table = Vec::with_capacity(self.rows.len() * ROW);
        self.rows.iter().for_each(|row| row.put(&mut table));
        let name = GeneratedId::digest(&Sha256::digest(&table).into());
        (format!("{}{EXTENSION}", name.as_str()), Sections::written(MAGIC, &[self.entries, table]))
    }
}

/// A segment in a file.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) name: String,
    file: Sections<2>,
}

impl Segment {
    /// The segment of this name, in `bytes`; `None` if these are not such a file.
    pub(super) fn of(name: &str, bytes: Bytes) -> Option<Self> {
        Some(Segment { name: name.to_owned(), file: Sections::open(bytes, MAGIC)? })
    }

    /// The bytes of an entry; `None` if it is damaged.
    pub(super) fn entry(&self, place: Extent) -> Option<Vec<u8>> {
        let (start, length) = (place.offset as usize, place.length as usize);
        let entry = self.file.part(ENTRIES, start..start.checked_add(length)?)?;
        (xxh3_64(&entry) == place.check).then_some(entry)
    }

    /// The table of its entries; empty if it is damaged.
    fn table(&self) -> &[[u8; ROW]] {
        self.file.get(TABLE).unwrap_or_default().as_chunks().0
    }

    /// Where the entry of a content is.
    pub(super) fn find(&self, key: ContentKey) -> Option<Extent> {
        let table = self.table();
        let at = table.binary_search_by_key(&key, |row| row_of(row).map_or([0; 32], |(key, _)| key)).ok()?;
        row_of(table.get(at)?).map(|(_, place)| place)
    }

    /// True if every entry is as it was written.
    pub(super) fn is_intact(&self) -> bool {
        self.file.get(ENTRIES).and(self.file.get(TABLE)).is_some()
    }
}

fn row_of(row: &[u8; ROW]) -> Option<(ContentKey, Extent)> {
    Value::read(&mut Reader::new(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the entries begin.
    const HEADER: usize = 24 + 2 * 16;

    #[test]
    fn entries_are_found_by_their_keys_and_damaged_ones_are_noticed() {
        let mut writer = SegmentWriter::new();
        let texts: Vec<Vec<u8>> = (0..20_u8).map(|it| vec![it; usize::from(it) + 1]).collect();
        let places: Vec<_> = texts.iter().map(|text| writer.add(content_key("rust", 0, text), text).unwrap()).collect();
        let (name, bytes) = writer.finish();
        assert!(name.ends_with(".entries"));
        let segment = Segment::of(&name, Box::new(bytes.clone())).unwrap();
        for (text, place) in texts.iter().zip(places) {
            assert_eq!(segment.find(content_key("rust", 0, text)), Some(place));
            assert_eq!(segment.entry(place), Some(text.clone()));
            assert_eq!(segment.find(content_key("python", 0, text)), None);
            let mut damaged = bytes.clone();
            damaged[HEADER + place.offset as usize] ^= 1;
            assert_eq!(Segment::of(&name, Box::new(damaged)).unwrap().entry(place), None);
        }
        let mut damaged = bytes.clone();
        let last = damaged.len() - 30;
        damaged[last] ^= 1;
        let damaged = Segment::of(&name, Box::new(damaged)).unwrap();
        assert!(texts.iter().all(|text| damaged.find(content_key("rust", 0, text)).is_none()));
    }
}
