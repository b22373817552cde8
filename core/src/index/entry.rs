//! The entry of a content: its definitions, and its terms with the definitions that they occur in.
//!
//! An entry depends on the content and the language alone, so all repositories, branches and work trees share it.

use std::borrow::Cow;

use super::scan::{Definition, Kind, Scanned};
use crate::segments::{Reader, put_count, put_number, put_string};

/// How many terms share an offset.
const BLOCK: usize = 16;

/// A term of a content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct EntryTerm {
    pub(super) count: u32,
    /// True if it occurs in the name of a definition.
    pub(super) is_defined: bool,
    /// The definitions in whose extents it occurs, ascending.
    pub(super) within: Vec<u16>,
}

/// An entry in the bytes of a segment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'b> {
    words: u32,
    is_generated: bool,
    definitions: &'b [u8],
    count: usize,
    /// The hashes, four bytes each, ascending.
    hashes: &'b [u8],
    /// The offset of each block of terms, four bytes each.
    blocks: &'b [u8],
    terms: &'b [u8],
}

/// A definition in an entry.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outline<'b> {
    name: &'b [u8],
    pub(super) kind: Kind,
    pub(super) depth: u8,
    pub(super) line: u32,
    signature: &'b [u8],
}

impl<'b> Outline<'b> {
    pub(super) fn name(&self) -> Cow<'b, str> {
        String::from_utf8_lossy(self.name)
    }

    fn to_definition(self) -> Definition {
        Definition {
            name: self.name().into_owned(),
            kind: self.kind,
            depth: self.depth,
            line: self.line,
            signature: String::from_utf8_lossy(self.signature).into_owned(),
        }
    }
}

/// The bytes of an entry. `is_defined` says whether a term occurs in the name of a definition.
pub(super) fn written(scanned: &Scanned, is_defined: impl Fn(u32) -> bool) -> Vec<u8> {
    let mut definitions = Vec::new();
    for definition in &scanned.definitions {
        put_string(&mut definitions, definition.name.as_bytes());
        definitions.extend([definition.kind.as_u8(), definition.depth]);
        put_number(&mut definitions, definition.line);
        put_string(&mut definitions, definition.signature.as_bytes());
    }
    let (mut hashes, mut blocks, mut terms) = (Vec::new(), Vec::new(), Vec::new());
    for (index, term) in scanned.terms.iter().enumerate() {
        if index % BLOCK == 0 {
            blocks.extend_from_slice(&u32::try_from(terms.len()).unwrap_or(u32::MAX).to_le_bytes());
        }
        hashes.extend_from_slice(&term.hash.to_le_bytes());
        put_number(&mut terms, (u32::from(term.count) << 1) | u32::from(is_defined(term.hash)));
        put_count(&mut terms, term.within.len());
        let mut last = 0;
        for definition in &term.within {
            put_number(&mut terms, u32::from(definition - last));
            last = *definition;
        }
    }
    let mut bytes = Vec::with_capacity(16 + definitions.len() + hashes.len() + blocks.len() + terms.len());
    put_number(&mut bytes, scanned.words.min(u32::MAX >> 1) << 1 | u32::from(scanned.is_generated));
    put_count(&mut bytes, scanned.definitions.len());
    put_string(&mut bytes, &definitions);
    put_count(&mut bytes, scanned.terms.len());
    bytes.extend(hashes);
    bytes.extend(blocks);
    bytes.extend(terms);
    bytes
}

impl<'b> Entry<'b> {
    /// The entry in `bytes`; `None` if they are damaged.
    pub(super) fn read(bytes: &'b [u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        let words_and_origin = reader.number()?;
        let (words, is_generated) = (words_and_origin >> 1, words_and_origin & 1 == 1);
        let count = reader.number()? as usize;
        let definitions = reader.string()?;
        let terms = reader.number()? as usize;
        let hashes = reader.take(terms.checked_mul(4)?)?;
        let blocks = reader.take(terms.div_ceil(BLOCK).checked_mul(4)?)?;
        Some(Entry { words, is_generated, definitions, count, hashes, blocks, terms: reader.rest() })
    }

    /// How many identifiers the content has.
    pub(super) fn words(&self) -> u32 {
        self.words
    }

    /// Whether a program made the content.
    pub(super) fn is_generated(&self) -> bool {
        self.is_generated
    }

    /// The number of its definitions.
    pub(super) fn definition_count(&self) -> usize {
        self.count
    }

    /// Its definitions, in the order of the content.
    pub(super) fn definitions(&self) -> Option<Vec<Definition>> {
        self.outlines().map(|outline| Some(outline?.to_definition())).collect()
    }

    /// Its definitions as they are in the entry, in the order of the content. An outline is `None` if it is damaged, and
    /// those after it mean nothing.
    pub(super) fn outlines(&self) -> impl Iterator<Item = Option<Outline<'b>>> {
        let mut reader = Reader::new(self.definitions);
        (0..self.count).map(move |_| {
            let name = reader.string()?;
            let (kind, depth) = (Kind::from_u8(reader.u8()?)?, reader.u8()?);
            Some(Outline { name, kind, depth, line: reader.number()?, signature: reader.string()? })
        })
    }

    /// The hashes of its terms, ascending.
    pub(super) fn hashes(&self) -> impl Iterator<Item = u32> + 'b {
        self.hashes.as_chunks().0.iter().map(|hash| u32::from_le_bytes(*hash))
    }

    /// All terms in the order of their hashes: how often each occurs, and whether in the name of a definition.
    pub(super) fn counts(&self) -> impl Iterator<Item = Option<(u32, u32, bool)>> + 'b {
        let mut reader = Reader::new(self.terms);
        self.hashes().map(move |hash| {
            let value = reader.number()?;
            for _ in 0..reader.number()? {
                reader.number()?;
            }
            Some((hash, value >> 1, value & 1 == 1))
        })
    }

    /// The term with this hash; the default if it does not occur, `None` if the entry is damaged.
    pub(super) fn term(&self, hash: u32) -> Option<EntryTerm> {
        let hashes = self.hashes.as_chunks::<4>().0;
        let Ok(at) = hashes.binary_search_by_key(&hash, |bytes| u32::from_le_bytes(*bytes)) else {
            return Some(EntryTerm::default());
        };
        let block = *self.blocks.as_chunks::<4>().0.get(at / BLOCK)?;
        let mut reader = Reader::new(self.terms.get(u32::from_le_bytes(block) as usize..)?);
        for _ in 0..at % BLOCK {
            reader.number()?;
            for _ in 0..reader.number()? {
                reader.number()?;
            }
        }
        let value = reader.number()?;
        let mut within = Vec::new();
        let mut last = 0_u16;
        for _ in 0..reader.number()? {
            last = last.checked_add(u16::try_from(reader.number()?).ok()?)?;
            within.push(last);
        }
        Some(EntryTerm { count: value >> 1, is_defined: value & 1 == 1, within })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::index::scan::Term;

    fn scanned(terms: Vec<(u32, u16, Vec<u16>)>, names: &[String]) -> Scanned {
        let definition = |(at, name): (usize, &String)| Definition {
            name: name.clone(),
            kind: Kind::Function,
            line: u32::try_from(at).unwrap() + 1,
            depth: 0,
            signature: format!("fn {name}()"),
        };
        Scanned {
            definitions: names.iter().enumerate().map(definition).collect(),
            terms: terms
                .into_iter()
                .map(|(hash, count, within)| Term { hash, count, within: within.into_iter().collect() })
                .collect(),
            words: 7,
            is_generated: false,
        }
    }

    proptest! {
        #[test]
        fn an_entry_is_read_as_it_was_written(
            terms in prop::collection::btree_map(any::<u32>(), (1..500_u16, prop::collection::btree_set(0..900_u16, 0..16)), 0..70),
            names in prop::collection::vec("[a-z]{1,8}", 0..6),
        ) {
            let terms: Vec<_> = terms.into_iter().map(|(hash, (count, within))| (hash, count, within.into_iter().collect::<Vec<_>>())).collect();
            let scanned = scanned(terms.clone(), &names);
            let bytes = written(&scanned, |hash| hash % 2 == 0);
            let entry = Entry::read(&bytes).unwrap();
            prop_assert_eq!(entry.definitions().unwrap(), scanned.definitions);
            prop_assert_eq!(entry.hashes().collect::<Vec<_>>(), terms.iter().map(|it| it.0).collect::<Vec<_>>());
            let counts: Vec<_> = entry.counts().map(Option::unwrap).collect();
            for ((hash, count, within), counted) in terms.into_iter().zip(counts) {
                let expected = EntryTerm { count: u32::from(count), is_defined: hash % 2 == 0, within };
                prop_assert_eq!(counted, (hash, expected.count, expected.is_defined));
                prop_assert_eq!(entry.term(hash).unwrap(), expected);
            }
        }

        #[test]
        fn a_damaged_entry_is_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..80), hash: u32) {
            if let Some(entry) = Entry::read(&bytes) {
                let _ = (entry.definitions(), entry.term(hash), entry.counts().count());
            }
        }
    }
}
