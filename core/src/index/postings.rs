//! The files that each term occurs in: postings by the hash of the term, made at once for many files. The lists are in
//! 256 sections by the highest byte of the hash, so that a query reads and checks only those of its terms.

use crate::error::{Error, Result};
use crate::segments::{Bytes, Lists, ListsWriter, Magic, Posting, Sections};

const MAGIC: &Magic = b"loopmem terms 2\n";
const BUCKETS: usize = 256;

/// The highest count that is kept: more occurrences say nothing more.
pub(super) const MAX_COUNT: u32 = 0x7F;
/// The highest ordinal of a file.
pub(super) const MAX_FILES: u32 = 1 << 24;

/// A file with a term.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    /// Its ordinal, or its row.
    pub(super) file: u32,
    /// How often it has the term, at most [`MAX_COUNT`].
    pub(super) count: u32,
    /// True if the name of a definition has it.
    pub(super) is_defined: bool,
}

impl Hit {
    pub(super) fn new(file: u32, count: u32, is_defined: bool) -> Self {
        Hit { file, count: count.min(MAX_COUNT), is_defined }
    }

    fn of(Posting { document, value }: Posting) -> Self {
        Hit { file: document, count: u32::from(value >> 1), is_defined: value & 1 == 1 }
    }

    /// It and its term as one number, which sorts by term and file.
    pub(super) fn packed(self, hash: u32) -> u64 {
        let value = (self.count << 1) | u32::from(self.is_defined);
        (u64::from(hash) << 32) | (u64::from(self.file & (MAX_FILES - 1)) << 8) | u64::from(value)
    }
}

#[allow(clippy::cast_possible_truncation, reason = "each part of the number has fewer bits")]
fn unpacked(packed: &u64) -> Posting {
    Posting { document: (packed >> 8) as u32 & (MAX_FILES - 1), value: *packed as u8 }
}

/// The bytes of the lists of `postings`, each of them [packed](Hit::packed), in the order of the files.
///
/// # Errors
/// Those of `check`, which is called now and then.
pub(super) fn written(mut postings: Vec<u64>, check: &dyn Fn() -> Result<()>) -> Result<Vec<u8>> {
    sort(&mut postings, check)?;
    let mut buckets = [const { Vec::new() }; BUCKETS];
    let mut rest = postings.as_slice();
    for (number, bucket) in buckets.iter_mut().enumerate() {
        check()?;
        let (of_bucket, behind) = rest.split_at(rest.partition_point(|packed| (packed >> 56) as usize <= number));
        rest = behind;
        let mut lists = ListsWriter::within(u32::MAX);
        for list in of_bucket.chunk_by(|one, other| one >> 32 == other >> 32) {
            // A list that has no room in its section is left out: a bucket has at most 4 GB.
            let _ = lists.add(((list[0] >> 32) as u32).to_be_bytes(), list.iter().map(unpacked));
        }
        *bucket = lists.finish();
    }
    Ok(Sections::written(MAGIC, &buckets))
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
#[derive(Debug)]
pub(super) struct Postings(Sections<BUCKETS>);

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
    pub(super) fn of(bytes: Bytes) -> Option<Self> {
        Sections::open(bytes, MAGIC).map(Postings)
    }

    /// Identifies the lists.
    pub(super) fn digest(&self) -> u64 {
        self.0.digest()
    }

    /// The files with a term, by their ordinals.
    pub(super) fn read(&self, hash: u32) -> std::result::Result<impl Iterator<Item = Hit>, Damaged> {
        let lists = self.0.get((hash >> 24) as usize).and_then(Lists::<4>::read).ok_or(Damaged)?;
        let mut postings = Vec::new();
        lists.read_into(hash.to_be_bytes(), &mut postings);
        Ok(postings.into_iter().map(Hit::of))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Read = (u32, u32, bool);

    fn lists(bytes: &[u8], hash: u32) -> std::result::Result<Vec<Read>, Damaged> {
        let lists = Postings::of(Box::new(bytes.to_vec())).ok_or(Damaged)?;
        Ok(lists.read(hash)?.map(|hit| (hit.file, hit.count, hit.is_defined)).collect())
    }

    proptest! {
        #[test]
        fn every_list_is_read_as_it_was_written(
            terms in prop::collection::btree_map(any::<u32>(), prop::collection::btree_map(0..5_000_u32, (1..=MAX_COUNT, any::<bool>()), 1..5), 0..60),
            other: u32,
        ) {
            let mut postings: Vec<(u32, u64)> = Vec::new();
            for (hash, list) in &terms {
                postings.extend(list.iter().map(|(file, (count, is_defined))| (*file, Hit::new(*file, *count, *is_defined).packed(*hash))));
            }
            postings.sort_by_key(|(file, _)| *file);
            let bytes = written(postings.into_iter().map(|it| it.1).collect(), &|| Ok(())).unwrap();
            for hash in terms.keys().copied().chain([other]) {
                let expected: Vec<Read> =
                    terms.get(&hash).into_iter().flatten().map(|(file, (count, is_defined))| (*file, *count, *is_defined)).collect();
                prop_assert_eq!(lists(&bytes, hash).unwrap(), expected);
            }
        }

        #[test]
        fn damage_is_noticed(place: prop::sample::Index, flip in 1..=255_u8) {
            let hashes: Vec<u32> = (0..200_u32).map(|it| it.wrapping_mul(0x9E37_79B9)).collect();
            let mut postings: Vec<u64> = hashes.iter().map(|hash| Hit::new(hash % 7, 3, false).packed(*hash)).collect();
            postings.sort_by_key(|packed| packed >> 8 & 0xFF);
            let bytes = written(postings, &|| Ok(())).unwrap();
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
