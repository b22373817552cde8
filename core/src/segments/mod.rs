//! The files that indexes are kept in: immutable, checksummed, and used as they are. A part is read when it is needed, and
//! never mapped: somebody who truncates a mapped file ends the process.
//!
//! ```text
//! magic, checksum of the rest of the header, for each section its end and its checksum; then the sections
//! ```
//!
//! All numbers are little-endian. Such a file is a cache: one with another magic or a wrong checksum is made again. A section
//! is compared with its checksum when it is first used, so that a query reads only the sections that it needs.
//!
//! A section may hold the [postings](Lists) of terms.

mod bytes;
mod lists;

use std::fmt;
use std::ops::Range;

use once_cell::race::OnceBox;
use xxhash_rust::xxh3::xxh3_64;

use crate::lazy::lazily;

pub(crate) use bytes::values;
pub use bytes::{Reader, Value, put_count, put_number, put_string};
pub use lists::{Lists, ListsWriter, Posting};

/// The bytes of a file, in memory or on the disk.
pub trait Source: Send + Sync {
    /// How many there are.
    fn len(&self) -> usize;

    /// Those of a range; `None` if they cannot be read.
    fn read(&self, range: Range<usize>) -> Option<Vec<u8>>;
}

impl Source for Vec<u8> {
    fn len(&self) -> usize {
        self.len()
    }

    fn read(&self, range: Range<usize>) -> Option<Vec<u8>> {
        self.get(range).map(<[u8]>::to_vec)
    }
}

/// The bytes of a file.
pub type Bytes = Box<dyn Source>;
/// Identifies the kind of a file and its version.
pub type Magic = [u8; 16];

/// The length of the magic and the checksum of the header.
const PREFIX: usize = 16 + 8;
/// The end and the checksum of a section.
const ROW: usize = 8 + 8;

/// A file of `N` sections.
pub struct Sections<const N: usize> {
    bytes: Bytes,
    /// Identifies the contents: the checksum of the header.
    digest: u64,
    sections: [Section; N],
}

/// A section of a file.
#[derive(Debug, Default)]
struct Section {
    range: Range<usize>,
    check: u64,
    /// Once it was read; `None` if it is damaged.
    bytes: OnceBox<Option<Vec<u8>>>,
}

impl<const N: usize> fmt::Debug for Sections<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sections").field("digest", &self.digest).finish_non_exhaustive()
    }
}

impl<const N: usize> Sections<N> {
    const HEADER: usize = PREFIX + N * ROW;

    /// The bytes of a file with these sections.
    pub fn written(magic: &Magic, sections: &[Vec<u8>; N]) -> Vec<u8> {
        let mut end = Self::HEADER;
        let mut bytes = Vec::with_capacity(end + sections.iter().map(Vec::len).sum::<usize>());
        bytes.extend_from_slice(magic);
        bytes.extend_from_slice(&[0; 8]);
        for section in sections {
            end += section.len();
            bytes.extend_from_slice(&(end as u64).to_le_bytes());
            bytes.extend_from_slice(&xxh3_64(section).to_le_bytes());
        }
        let check = xxh3_64(&bytes[PREFIX..]);
        bytes[PREFIX - 8..PREFIX].copy_from_slice(&check.to_le_bytes());
        sections.iter().for_each(|section| bytes.extend_from_slice(section));
        bytes
    }

    /// The file in `bytes`; `None` if it is another one, its header is damaged or it is not complete.
    pub fn open(bytes: Bytes, magic: &Magic) -> Option<Self> {
        let head = bytes.read(0..Self::HEADER)?;
        let mut header = Reader::new(&head);
        let (is_ours, digest) = (header.take(magic.len())? == magic, header.u64()?);
        if !is_ours || digest != xxh3_64(header.rest()) {
            return None;
        }
        let mut sections = std::array::from_fn(|_| Section::default());
        let mut start = Self::HEADER;
        for section in &mut sections {
            let (end, check) = (usize::try_from(header.u64()?).ok()?, header.u64()?);
            *section = Section { range: start..end, check, ..Section::default() };
            start = end;
        }
        (start == bytes.len()).then_some(Sections { bytes, digest, sections })
    }

    /// Identifies the contents.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// A section; `None` if it is damaged.
    pub fn get(&self, section: usize) -> Option<&[u8]> {
        let Section { range, check, bytes } = self.sections.get(section)?;
        lazily(bytes, || self.bytes.read(range.clone()).filter(|bytes| xxh3_64(bytes) == *check)).as_deref()
    }

    /// A part of a section, whose parts have checksums of their own.
    pub fn part(&self, section: usize, part: Range<usize>) -> Option<Vec<u8>> {
        let Range { start, end } = self.sections.get(section)?.range;
        let [first, last] = [part.start, part.end].map(|at| start.checked_add(at).filter(|at| *at <= end));
        self.bytes.read(first?..last?)
    }
}

/// The bytes of a file that is one value.
pub fn value_written(magic: &Magic, value: &impl Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.put(&mut bytes);
    Sections::written(magic, &[bytes])
}

/// The value in a file; `None` if the file is another one or damaged.
pub fn read_value<T: Value>(bytes: Bytes, magic: &Magic) -> Option<T> {
    let file = Sections::<1>::open(bytes, magic)?;
    let mut reader = Reader::new(file.get(0)?);
    T::read(&mut reader).filter(|_| reader.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_of_the_header_is_noticed_at_once_and_that_of_a_section_when_it_is_used() {
        let sections = [b"one".to_vec(), Vec::new(), b"the last".to_vec()];
        let bytes = Sections::written(b"loopmem of tests", &sections);
        let open = |bytes: Vec<u8>| Sections::<3>::open(Box::new(bytes), b"loopmem of tests");
        let file = open(bytes.clone()).unwrap();
        assert_eq!([0, 1, 2].map(|at| file.get(at).unwrap()), [&b"one"[..], b"", b"the last"]);
        assert_eq!((file.get(3), file.digest() == 0), (None, false));
        assert!(Sections::<3>::open(Box::new(bytes.clone()), b"loopmem of other").is_none());
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            let intact = open(damaged).map(|file| [0, 2].map(|section| file.get(section).is_some()));
            let header = Sections::<3>::HEADER;
            assert_eq!(intact, (at >= header).then_some([at >= header + 3, at < header + 3]), "byte {at}");
            assert!(open(bytes[..at].to_vec()).is_none(), "{at} bytes");
        }
    }
}
