//! Lists of postings by the hashes of terms, in a section of a file.
//!
//! ```text
//! the number of terms, their hashes, the end of each list; then the lists: for each posting the distance to the document before it
//! and its value
//! ```

use super::bytes::{Reader, put_number};

/// A document with a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting {
    /// Its number.
    pub document: u32,
    /// Data about the term in it, such as its number of occurrences.
    pub value: u8,
}

/// Lists by hashes of `W` bytes, the highest byte first.
#[derive(Debug, Clone, Copy)]
pub struct Lists<'b, const W: usize> {
    hashes: &'b [[u8; W]],
    ends: &'b [[u8; 4]],
    lists: &'b [u8],
}

impl<'b, const W: usize> Lists<'b, W> {
    /// The lists in a section; `None` if it holds none.
    pub fn read(section: &'b [u8]) -> Option<Self> {
        let mut reader = Reader::new(section);
        let count = reader.u32()? as usize;
        let hashes = reader.take(count.checked_mul(W)?)?.as_chunks().0;
        let ends = reader.take(count.checked_mul(4)?)?.as_chunks().0;
        Some(Lists { hashes, ends, lists: reader.rest() })
    }

    /// Appends the postings of a term to `postings`, in the order of the documents.
    pub fn read_into(&self, hash: [u8; W], postings: &mut Vec<Posting>) {
        /// The bits that continue a distance in any of four postings of two bytes.
        const LONG: u64 = 0x0080_0080_0080_0080;
        let at = self.hashes.binary_search(&hash).ok();
        let mut rest = at.map_or(&[][..], |at| self.list(at));
        postings.reserve(rest.len() / 2);
        let mut document = 0_u32;
        let mut posting = |step: u32, value: u8| {
            document = document.wrapping_add(step);
            Posting { document, value }
        };
        loop {
            // The documents of a long list are close to each other.
            while let Some((four, behind)) = rest.split_first_chunk::<8>() {
                if u64::from_le_bytes(*four) & LONG != 0 {
                    break;
                }
                postings.extend(four.as_chunks::<2>().0.iter().map(|[step, value]| posting(u32::from(*step), *value)));
                rest = behind;
            }
            let mut reader = Reader::new(rest);
            let (Some(step), Some(value)) = (reader.number(), reader.u8()) else { return };
            postings.push(posting(step, value));
            rest = reader.rest();
        }
    }

    /// The hashes of all terms, in their order.
    pub fn hashes(&self) -> impl Iterator<Item = [u8; W]> + use<'b, W> {
        self.hashes.iter().copied()
    }

    fn list(&self, at: usize) -> &'b [u8] {
        let end = |at: usize| self.ends.get(at).map_or(0, |end| u32::from_le_bytes(*end) as usize);
        self.lists.get(at.checked_sub(1).map_or(0, end)..end(at)).unwrap_or_default()
    }
}

/// Writes lists.
#[derive(Debug)]
pub struct ListsWriter<const W: usize> {
    hashes: Vec<u8>,
    ends: Vec<u8>,
    lists: Vec<u8>,
    most: u32,
}

impl<const W: usize> ListsWriter<W> {
    /// A writer of lists of at most so many bytes together: `u32::MAX`, except in tests.
    pub fn within(most: u32) -> Self {
        ListsWriter { hashes: Vec::new(), ends: Vec::new(), lists: Vec::new(), most }
    }

    /// Adds a term whose hash is greater than all before, with its postings in the order of the documents; without any, it is
    /// ignored. `None` if there is no room for it.
    pub fn add(&mut self, hash: [u8; W], postings: impl Iterator<Item = Posting>) -> Option<()> {
        let (start, mut last) = (self.lists.len(), 0);
        for Posting { document, value } in postings {
            put_number(&mut self.lists, document.wrapping_sub(last));
            self.lists.push(value);
            last = document;
        }
        if self.lists.len() > start {
            let end = u32::try_from(self.lists.len()).ok().filter(|end| *end <= self.most)?;
            self.hashes.extend_from_slice(&hash);
            self.ends.extend_from_slice(&end.to_le_bytes());
        }
        Some(())
    }

    /// The bytes of the section.
    pub fn finish(self) -> Vec<u8> {
        let count = u32::try_from(self.ends.len() / 4).unwrap_or(u32::MAX);
        [&count.to_le_bytes()[..], &self.hashes, &self.ends, &self.lists].concat()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_list_is_read_as_it_was_written(
            terms in prop::collection::btree_map(any::<u32>(), prop::collection::btree_map(prop_oneof![0..300_u32, any::<u32>()], any::<u8>(), 1..40), 0..30),
            other: u32,
        ) {
            let terms: BTreeMap<u32, Vec<Posting>> = terms
                .into_iter()
                .map(|(hash, list)| (hash, list.into_iter().map(|(document, value)| Posting { document, value }).collect()))
                .collect();
            let mut writer = ListsWriter::within(u32::MAX);
            for (hash, list) in &terms {
                writer.add(hash.to_be_bytes(), list.iter().copied()).unwrap();
            }
            let bytes = writer.finish();
            let lists = Lists::read(&bytes).unwrap();
            prop_assert_eq!(lists.hashes().map(u32::from_be_bytes).collect::<Vec<_>>(), terms.keys().copied().collect::<Vec<_>>());
            for hash in terms.keys().copied().chain([other]) {
                let expected = terms.get(&hash).cloned().unwrap_or_default();
                let mut found = Vec::new();
                lists.read_into(hash.to_be_bytes(), &mut found);
                prop_assert_eq!(found, expected);
            }
        }

        #[test]
        fn damaged_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..80), hash: u32) {
            if let Some(lists) = Lists::<4>::read(&bytes) {
                let mut found = Vec::new();
                lists.hashes().chain([hash.to_be_bytes()]).for_each(|hash| lists.read_into(hash, &mut found));
            }
        }
    }
}
