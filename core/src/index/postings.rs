//! Which files a term occurs in: lists by the hash of the term, made once for many files and mapped.
//!
//! The lists are in 256 buckets by the highest byte of the hash. A query reads only the buckets of its terms; each has a
//! checksum, so that a damaged one is noticed when it is used.

use std::cell::Cell;

use xxhash_rust::xxh3::xxh3_64;

use super::bytes::{Reader, put_number};
use crate::disk::Mapped;
use crate::error::{Error, Result};

const MAGIC: &[u8; 16] = b"loopmem terms 1\n";
const BUCKETS: usize = 256;
/// The bytes before the buckets: the magic, a checksum of the rest of the header, and the table of buckets.
const HEADER: usize = 16 + 8 + BUCKETS * TABLE_ROW;
/// An offset, a number of terms and a checksum.
const TABLE_ROW: usize = 8 + 4 + 8;
/// A hash and the offset of its list in the bucket.
const TERM: usize = 4 + 4;

/// A file with a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Posting {
    /// The ordinal of the file.
    pub(super) file: u32,
    /// How often the term occurs in it, at most [`MAX_COUNT`].
    pub(super) count: u8,
    /// Whether it occurs in the name of a definition.
    pub(super) is_defined: bool,
}

/// The highest count that is kept: more occurrences say nothing more.
pub(super) const MAX_COUNT: u8 = 0x7F;
/// The highest ordinal of a file.
pub(super) const MAX_FILES: u32 = 1 << 24;

/// A posting and its term as one number, which sorts by term and file.
pub(super) fn packed(hash: u32, posting: Posting) -> u64 {
    let value = (posting.count.min(MAX_COUNT) << 1) | u8::from(posting.is_defined);
    (u64::from(hash) << 32) | (u64::from(posting.file & (MAX_FILES - 1)) << 8) | u64::from(value)
}

#[allow(clippy::cast_possible_truncation, reason = "each part of the number has fewer bits")]
fn unpacked(packed: u64) -> (u32, Posting) {
    let (hash, file, value) = ((packed >> 32) as u32, (packed >> 8) as u32 & (MAX_FILES - 1), packed as u8);
    (hash, Posting { file, count: value >> 1, is_defined: value & 1 == 1 })
}

/// The bytes of the lists of `postings`, each of them [packed].
///
/// # Errors
/// Those of `check`, which is called now and then.
pub(super) fn written(mut postings: Vec<u64>, check: &dyn Fn() -> Result<()>) -> Result<Vec<u8>> {
    sort(&mut postings, check)?;
    let mut bytes = vec![0; HEADER];
    bytes.reserve(postings.len() * 3);
    let mut rest = postings.as_slice();
    for bucket in 0..BUCKETS {
        check()?;
        let end = rest.partition_point(|packed| (packed >> 56) as usize <= bucket);
        let (of_bucket, behind) = rest.split_at(end);
        rest = behind;
        let start = bytes.len();
        let (mut terms, mut lists) = (Vec::new(), Vec::new());
        for list in of_bucket.chunk_by(|one, other| one >> 32 == other >> 32) {
            terms.extend_from_slice(&((list[0] >> 32) as u32).to_le_bytes());
            terms.extend_from_slice(&u32::try_from(lists.len()).unwrap_or(u32::MAX).to_le_bytes());
            let mut last = 0;
            for packed in list {
                let (_, Posting { file, count, is_defined }) = unpacked(*packed);
                put_number(&mut lists, file - last);
                last = file;
                lists.push((count << 1) | u8::from(is_defined));
            }
        }
        let count = terms.len() / TERM;
        bytes.extend_from_slice(&terms);
        bytes.extend_from_slice(&lists);
        let checksum = xxh3_64(&bytes[start..]);
        let row = 24 + bucket * TABLE_ROW;
        bytes[row..row + 8].copy_from_slice(&(start as u64).to_le_bytes());
        bytes[row + 8..row + 12].copy_from_slice(&u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
        bytes[row + 12..row + 20].copy_from_slice(&checksum.to_le_bytes());
    }
    bytes[..16].copy_from_slice(MAGIC);
    let checksum = xxh3_64(&bytes[24..HEADER]);
    bytes[16..24].copy_from_slice(&checksum.to_le_bytes());
    Ok(bytes)
}

/// Sorts by radix: there are millions.
fn sort(postings: &mut Vec<u64>, check: &dyn Fn() -> Result<()>) -> Result<()> {
    const DIGIT: u32 = 11;
    /// How many are sorted between two checks.
    const UNCHECKED: usize = 1 << 20;
    // They come in the order of the files, so only the hashes are sorted.
    let mut other = vec![0; postings.len()];
    for shift in [32, 43, 54] {
        let mut ends = [0_usize; 1 << DIGIT];
        #[allow(clippy::cast_possible_truncation, reason = "a digit has fewer bits")]
        let digit = |packed: u64| (packed >> shift) as usize & ((1 << DIGIT) - 1);
        for some in postings.chunks(UNCHECKED) {
            check()?;
            some.iter().for_each(|packed| ends[digit(*packed)] += 1);
        }
        let mut start = 0;
        for end in &mut ends {
            start += std::mem::replace(end, start);
        }
        for some in postings.chunks(UNCHECKED) {
            check()?;
            for packed in some {
                let place = &mut ends[digit(*packed)];
                other[*place] = *packed;
                *place += 1;
            }
        }
        std::mem::swap(postings, &mut other);
    }
    Ok(())
}

/// The lists in a file.
pub(super) struct Postings {
    bytes: Mapped,
    /// The buckets that were found to be intact, a bit for each.
    intact: Cell<[u64; BUCKETS / 64]>,
}

impl std::fmt::Debug for Postings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Postings").finish_non_exhaustive()
    }
}

/// The lists are damaged, and have to be made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Damaged;

/// Why a search has no result.
#[derive(Debug)]
pub(super) enum Unfinished {
    /// The index is [`Damaged`].
    Damaged,
    /// A check ended it.
    Ended(Error),
}

impl From<Damaged> for Unfinished {
    fn from(_: Damaged) -> Self {
        Unfinished::Damaged
    }
}

impl From<Error> for Unfinished {
    fn from(error: Error) -> Self {
        Unfinished::Ended(error)
    }
}

impl Postings {
    /// The lists in `bytes`; `None` if these are not such a file.
    pub(super) fn of(bytes: Mapped) -> Option<Self> {
        let header = (*bytes).as_ref().get(..HEADER)?;
        let mut reader = Reader::new(header);
        let is_ours = reader.take(16)? == MAGIC && reader.u64()? == xxh3_64(&header[24..]);
        is_ours.then_some(Postings { bytes, intact: Cell::default() })
    }

    /// Identifies the lists.
    pub(super) fn digest(&self) -> u64 {
        let header = (*self.bytes).as_ref().get(16..24).and_then(|check| check.try_into().ok());
        header.map_or(0, u64::from_le_bytes)
    }

    /// Appends the postings of a term to `list`.
    pub(super) fn read(&self, hash: u32, list: &mut Vec<Posting>) -> std::result::Result<(), Damaged> {
        self.find(hash, list).ok_or(Damaged)
    }

    fn find(&self, hash: u32, list: &mut Vec<Posting>) -> Option<()> {
        let bytes = (*self.bytes).as_ref();
        let bucket = (hash >> 24) as usize;
        let row = |bucket: usize| {
            let at = 24 + bucket * TABLE_ROW;
            let mut reader = Reader::new(bytes.get(at..at + TABLE_ROW)?);
            Some((usize::try_from(reader.u64()?).ok()?, reader.u32()? as usize, reader.u64()?))
        };
        let (start, count, check) = row(bucket)?;
        let end = if bucket + 1 < BUCKETS { row(bucket + 1)?.0 } else { bytes.len() };
        let of_bucket = bytes.get(start..end).filter(|of_bucket| self.is_intact(bucket, of_bucket, check))?;
        let (terms, lists) = of_bucket.split_at_checked(count.checked_mul(TERM)?)?;
        let term = |at: usize| {
            let mut reader = Reader::new(terms.get(at * TERM..(at + 1) * TERM)?);
            Some((reader.u32()?, reader.u32()? as usize))
        };
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low.midpoint(high);
            if term(middle)?.0 < hash { low = middle + 1 } else { high = middle }
        }
        if low == count || term(low)?.0 != hash {
            return Some(());
        }
        let end = if low + 1 < count { term(low + 1)?.1 } else { lists.len() };
        let mut reader = Reader::new(lists.get(term(low)?.1..end)?);
        let mut file = 0_u32;
        while !reader.is_empty() {
            file = file.checked_add(reader.number()?)?;
            let value = reader.u8()?;
            list.push(Posting { file, count: value >> 1, is_defined: value & 1 == 1 });
        }
        Some(())
    }

    /// Whether a bucket has this checksum, which is computed once.
    fn is_intact(&self, bucket: usize, of_bucket: &[u8], check: u64) -> bool {
        let mut intact = self.intact.get();
        let (word, bit) = (bucket / 64, 1 << (bucket % 64));
        if intact[word] & bit == 0 && xxh3_64(of_bucket) == check {
            intact[word] |= bit;
            self.intact.set(intact);
        }
        intact[word] & bit != 0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;

    fn unchecked() -> Result<()> {
        Ok(())
    }

    fn lists(bytes: &[u8], hash: u32) -> std::result::Result<Vec<Posting>, Damaged> {
        let mut list = Vec::new();
        Postings::of(Arc::new(bytes.to_vec())).ok_or(Damaged)?.read(hash, &mut list).map(|()| list)
    }

    proptest! {
        #[test]
        fn every_list_is_read_as_it_was_written(
            terms in prop::collection::btree_map(any::<u32>(), prop::collection::btree_map(0..5_000_u32, (1..=MAX_COUNT, any::<bool>()), 1..5), 0..60),
            other: u32,
        ) {
            let mut by_file: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
            for (hash, list) in &terms {
                for (file, (count, is_defined)) in list {
                    let posting = Posting { file: *file, count: *count, is_defined: *is_defined };
                    by_file.entry(*file).or_default().push(packed(*hash, posting));
                }
            }
            let bytes = written(by_file.into_values().flatten().collect(), &unchecked).unwrap();
            for (hash, list) in &terms {
                let expected: Vec<Posting> = list
                    .iter()
                    .map(|(file, (count, is_defined))| Posting { file: *file, count: *count, is_defined: *is_defined })
                    .collect();
                prop_assert_eq!(lists(&bytes, *hash).unwrap(), expected);
            }
            if !terms.contains_key(&other) {
                prop_assert_eq!(lists(&bytes, other).unwrap(), []);
            }
        }

        #[test]
        fn damage_is_noticed(place: prop::sample::Index, flip in 1..=255_u8) {
            let posting = |file| Posting { file, count: 3, is_defined: false };
            let hashes: Vec<u32> = (0..200_u32).map(|it| it.wrapping_mul(0x9E37_79B9)).collect();
            let postings = hashes.iter().map(|hash| packed(*hash, posting(hash % 7))).collect();
            let bytes = written(postings, &unchecked).unwrap();
            let mut damaged = bytes.clone();
            damaged[place.index(bytes.len())] ^= flip;
            for hash in hashes {
                // Another bucket may be intact.
                if let Ok(list) = lists(&damaged, hash) {
                    prop_assert_eq!(list, lists(&bytes, hash).unwrap());
                }
            }
        }
    }
}
