//! Segments: immutable files of entries, named by what is in them, which all repositories of a home share.

use std::sync::OnceLock;

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::bytes::Reader;
use crate::disk::Mapped;

const MAGIC: &[u8; 16] = b"loopmem entries2";
/// A key, an offset, a length and a checksum.
const ROW: usize = 16 + 4 + 4 + 8;
/// The number of rows and the checksum of the table, at the end.
const TRAILER: usize = 4 + 8;

/// Identifies a content and its language.
pub(super) type ContentKey = u128;

/// The key of a content in the language of this name, redacted by these rules. Never 0, which stands for none.
pub(super) fn content_key(language: &str, rules: u64, text: &[u8]) -> ContentKey {
    let language = u128::from(xxh3_64(language.as_bytes()) ^ rules);
    (xxh3_128(text) ^ language.rotate_left(64)).max(1)
}

/// Where an entry is in a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Extent {
    pub(super) offset: u32,
    pub(super) length: u32,
    pub(super) check: u64,
}

/// A segment that is being written.
#[derive(Debug)]
pub(super) struct SegmentWriter {
    bytes: Vec<u8>,
    rows: Vec<(ContentKey, Extent)>,
}

/// The largest segment, in bytes. What is beyond it is in another one.
pub(super) const MAX_BYTES: usize = 256 << 20;

impl SegmentWriter {
    pub(super) fn new() -> Self {
        SegmentWriter { bytes: MAGIC.to_vec(), rows: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds an entry; `None` if there is no room for it.
    pub(super) fn add(&mut self, key: ContentKey, entry: &[u8]) -> Option<Extent> {
        if self.bytes.len() + entry.len() > MAX_BYTES {
            return None;
        }
        let (offset, length) = (u32::try_from(self.bytes.len()).ok()?, u32::try_from(entry.len()).ok()?);
        let place = Extent { offset, length, check: xxh3_64(entry) };
        self.bytes.extend_from_slice(entry);
        self.rows.push((key, place));
        Some(place)
    }

    /// The name of the segment and its bytes.
    pub(super) fn finish(mut self) -> (String, Vec<u8>) {
        self.rows.sort_unstable_by_key(|(key, _)| *key);
        let start = self.bytes.len();
        for (key, place) in &self.rows {
            self.bytes.extend_from_slice(&key.to_le_bytes());
            self.bytes.extend_from_slice(&place.offset.to_le_bytes());
            self.bytes.extend_from_slice(&place.length.to_le_bytes());
            self.bytes.extend_from_slice(&place.check.to_le_bytes());
        }
        let check = xxh3_64(&self.bytes[start..]);
        self.bytes.extend_from_slice(&u32::try_from(self.rows.len()).unwrap_or(u32::MAX).to_le_bytes());
        self.bytes.extend_from_slice(&check.to_le_bytes());
        (format!("{check:016x}.entries"), self.bytes)
    }
}

/// A segment in a file.
pub(super) struct Segment {
    bytes: Mapped,
    /// Whether its table is as it was written; checked when it is first used.
    is_sound: OnceLock<bool>,
}

impl std::fmt::Debug for Segment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Segment").finish_non_exhaustive()
    }
}

impl Segment {
    /// The segment in `bytes`. Nothing but its magic is checked: each entry has a checksum of its own.
    pub(super) fn of(bytes: Mapped) -> Option<Self> {
        (*bytes).as_ref().starts_with(MAGIC).then_some(Segment { bytes, is_sound: OnceLock::new() })
    }

    /// The bytes of an entry; `None` if it is damaged.
    pub(super) fn entry(&self, place: Extent) -> Option<&[u8]> {
        let (start, length) = (place.offset as usize, place.length as usize);
        let entry = (*self.bytes).as_ref().get(start..start.checked_add(length)?)?;
        (xxh3_64(entry) == place.check).then_some(entry)
    }

    /// The table of its entries, sorted by key; `None` if it is damaged.
    fn table(&self) -> Option<&[[u8; ROW]]> {
        let bytes = (*self.bytes).as_ref();
        let (rest, trailer) = bytes.split_at_checked(bytes.len().checked_sub(TRAILER)?)?;
        let mut reader = Reader::new(trailer);
        let (rows, check) = (reader.u32()? as usize, reader.u64()?);
        let (_, table) = rest.split_at_checked(rest.len().checked_sub(rows.checked_mul(ROW)?)?)?;
        self.is_sound.get_or_init(|| xxh3_64(table) == check).then(|| table.as_chunks().0)
    }

    /// Where the entry of a content is.
    pub(super) fn find(&self, key: ContentKey) -> Option<Extent> {
        let table = self.table()?;
        let at = table.binary_search_by_key(&key, |row| row_of(row).map_or(0, |(key, _)| key)).ok()?;
        row_of(table.get(at)?).map(|(_, place)| place)
    }

    /// Whether every entry is as it was written.
    pub(super) fn is_intact(&self) -> bool {
        self.table().is_some() && self.places().into_iter().all(|(_, place)| self.entry(place).is_some())
    }

    /// The places of all entries, with their keys.
    fn places(&self) -> Vec<(ContentKey, Extent)> {
        self.table().unwrap_or_default().iter().filter_map(row_of).collect()
    }
}

fn row_of(row: &[u8; ROW]) -> Option<(ContentKey, Extent)> {
    let mut reader = Reader::new(row);
    let key = reader.u128()?;
    Some((key, Extent { offset: reader.u32()?, length: reader.u32()?, check: reader.u64()? }))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn entries_are_found_by_their_keys_and_damaged_ones_are_noticed() {
        let mut writer = SegmentWriter::new();
        let texts: Vec<Vec<u8>> = (0..20_u8).map(|it| vec![it; usize::from(it) + 1]).collect();
        let places: Vec<_> = texts.iter().map(|text| writer.add(content_key("rust", 0, text), text).unwrap()).collect();
        let (name, bytes) = writer.finish();
        assert!(name.ends_with(".entries"));
        let segment = Segment::of(Arc::new(bytes.clone())).unwrap();
        for (text, place) in texts.iter().zip(places) {
            assert_eq!(segment.find(content_key("rust", 0, text)), Some(place));
            assert_eq!(segment.entry(place), Some(&**text));
            assert_eq!(segment.find(content_key("python", 0, text)), None);
            let mut damaged = bytes.clone();
            damaged[place.offset as usize] ^= 1;
            assert_eq!(Segment::of(Arc::new(damaged)).unwrap().entry(place), None);
        }
        let mut damaged = bytes.clone();
        let last = damaged.len() - 30;
        damaged[last] ^= 1;
        assert_eq!(Segment::of(Arc::new(damaged)).unwrap().places(), []);
    }
}
