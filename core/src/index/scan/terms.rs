//! Counts the terms of the identifiers of a file, and the definitions in which they occur.
//!
//! An identifier is a run of ASCII letters, digits, `_` and bytes from 0x80. Runs of digits, runs over 64 bytes and single
//! ASCII letters are skipped. Each occurrence costs one probe of a small table by the hash of its bytes. Terms are looked up
//! once per distinct identifier of a file, and split once per distinct identifier of a process.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::ops::Range;

use arrayvec::ArrayVec;
use foldhash::fast::RandomState;

use super::bytes::{block_mask, is_of_identifier};

/// The longest identifier that is indexed, in bytes.
const LONGEST: usize = 64;
/// How many definitions are kept per term.
pub const WITHIN: usize = 16;
/// How many identifiers are remembered until the cache is cleared.
const REMEMBERED: usize = 1 << 20;
/// The size of the table at the start of a file; a power of two.
const FIRST: usize = 1 << 9;

/// Splits an identifier into its terms.
pub trait Split {
    /// Calls `emit` with each term of `identifier`. Terms that repeat count once per occurrence of the identifier.
    fn split(&mut self, identifier: &str, emit: &mut dyn FnMut(&str));
}

/// A term of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// Its hash, from [`term_hash`].
    pub hash: u32,
    /// How often identifiers with this term occur in the file; saturates.
    pub count: u16,
    /// The ordinals of the definitions in whose extent it occurs, ascending; the first 16.
    pub within: ArrayVec<u16, WITHIN>,
}

/// The hash that stands for `term`: the lower 32 bits of its XXH3.
#[allow(clippy::cast_possible_truncation)]
pub fn term_hash(term: &str) -> u32 {
    xxhash_rust::xxh3::xxh3_64(term.as_bytes()) as u32
}

/// A distinct identifier of the file.
#[derive(Debug, Clone, Copy)]
struct Slot {
    hash: u64,
    start: usize,
    count: u32,
    /// The innermost definition of the last occurrence, as its ordinal plus one, or 0.
    last: u32,
    /// The first and the last of its nodes, as their position plus one, or 0.
    first: u32,
    tail: u32,
    length: u8,
    /// How many nodes it has.
    nodes: u8,
}

/// One of the innermost definitions of the occurrences of an identifier; they ascend.
#[derive(Debug, Clone, Copy)]
struct Node {
    definition: u16,
    /// The next node, as its position plus one, or 0.
    next: u32,
}

/// A cell of the table. It is free unless its generation is the current one.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    hash: u64,
    generation: u32,
    slot: u32,
}

/// Hashes a key that is a hash already.
#[derive(Debug, Default, Clone, Copy)]
struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// Counts terms, and remembers how identifiers are split.
#[derive(Debug)]
pub(super) struct Counter<S: Split> {
    split: S,
    /// Keys the hash of identifiers, so that no file can be written to collide.
    seed: u64,
    /// Where in `pool` the terms of an identifier are: start and length.
    known: HashMap<u64, (u32, u32), BuildHasherDefault<Identity>>,
    pool: Vec<u32>,
    table: Vec<Cell>,
    generation: u32,
    slots: Vec<Slot>,
    nodes: Vec<Node>,
    /// A term in the upper half and the position of a slot that has it in the lower.
    pairs: Vec<u64>,
}

/// Multiplies to 128 bits and folds the halves.
#[allow(clippy::cast_possible_truncation)]
fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    (product as u64) ^ ((product >> 64) as u64)
}

/// The first eight bytes of `text`, with zeros where it ends.
#[inline(always)]
fn load(text: &[u8]) -> u64 {
    match text.first_chunk() {
        Some(word) => u64::from_le_bytes(*word),
        None => {
            let mut word = [0; 8];
            word.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
            u64::from_le_bytes(word)
        }
    }
}

/// The hash of an identifier that starts `text` and has `length` bytes. Words are read past its end, and masked.
#[inline(always)]
fn hash(seed: u64, text: &[u8], length: usize) -> u64 {
    let word = |at: usize| {
        let word = load(text.get(at..).unwrap_or(&[]));
        match length.saturating_sub(at) {
            0 => 0,
            left @ 1..8 => word & ((1 << (8 * left)) - 1),
            _ => word,
        }
    };
    let mut hash = seed ^ (length as u64);
    let mut at = 16;
    while at < length {
        hash = fold(word(at) ^ hash, word(at + 8) ^ 0x9e37_79b9_7f4a_7c15);
        at += 16;
    }
    fold(word(0) ^ hash, word(8) ^ seed.rotate_left(32) ^ 0xd6e8_feb8_6659_fd93)
}

impl<S: Split> Counter<S> {
    pub(super) fn new(split: S) -> Self {
        Self {
            split,
            seed: RandomState::default().hash_one(0_u64),
            known: HashMap::default(),
            pool: Vec::new(),
            table: vec![Cell::default(); FIRST],
            generation: 0,
            slots: Vec::new(),
            nodes: Vec::new(),
            pairs: Vec::new(),
        }
    }

    /// The terms of `text` and its number of identifiers. `starts` are the offsets where the definitions start, and `parents`
    /// the definitions that contain them.
    pub(super) fn count(&mut self, text: &[u8], starts: &[usize], parents: &[Option<u16>]) -> (Vec<Term>, u32) {
        self.slots.clear();
        self.nodes.clear();
        let words = self.identifiers(text, starts);
        self.expand(text);
        (self.terms(parents), words)
    }

    /// Fills `slots` with the distinct identifiers.
    fn identifiers(&mut self, text: &[u8], starts: &[usize]) -> u32 {
        let mut mask = self.renew(FIRST);
        let mut words = 0_u32;
        let mut starts = starts.iter().copied();
        let mut next = starts.next().unwrap_or(usize::MAX);
        // The ordinal of the current definition, plus one.
        let mut definition = 0_u32;
        let mut occur = |start: usize, end: usize| {
            let length = end - start;
            let rest = text.get(start..).unwrap_or(&[]);
            let first = rest.first().copied().unwrap_or_default();
            let digits = first.is_ascii_digit() && rest.iter().take(length).all(u8::is_ascii_digit);
            if digits || length > LONGEST || (length == 1 && first.is_ascii()) {
                return;
            }
            while start >= next {
                definition += 1;
                next = starts.next().unwrap_or(usize::MAX);
            }
            words = words.saturating_add(1);
            let hash = hash(self.seed, rest, length);
            mask = self.record(hash, start, length, definition, mask);
        };
        // Where identifiers start and end: the bits that differ from the one before.
        let mut open = None;
        let mut before = 0;
        for (block, base) in text.chunks(64).zip((0..).step_by(64)) {
            let bytes = block_mask(block);
            let mut edges = bytes ^ (bytes << 1 | before);
            before = bytes >> 63;
            while edges != 0 {
                let at = base + edges.trailing_zeros() as usize;
                edges &= edges - 1;
                match open.take() {
                    Some(start) => occur(start, at),
                    None => open = Some(at),
                }
            }
        }
        if let Some(start) = open {
            occur(start, text.len());
        }
        words
    }

    /// Counts one occurrence, and returns the mask of the table.
    #[allow(clippy::cast_possible_truncation)]
    #[inline]
    fn record(&mut self, hash: u64, start: usize, length: usize, definition: u32, mask: usize) -> usize {
        let mut cell = hash as usize & mask;
        while let Some(found) = self.table.get_mut(cell) {
            if found.generation != self.generation {
                *found = Cell { hash, generation: self.generation, slot: self.slots.len() as u32 };
                let length = length as u8;
                let mut slot = Slot { hash, start, count: 1, last: definition, first: 0, tail: 0, length, nodes: 0 };
                slot.link(&mut self.nodes, definition);
                self.slots.push(slot);
                return if self.slots.len() * 2 > mask { self.grow(mask) } else { mask };
            }
            if found.hash == hash {
                if let Some(slot) = self.slots.get_mut(found.slot as usize) {
                    slot.count = slot.count.saturating_add(1);
                    if slot.last != definition {
                        slot.last = definition;
                        slot.link(&mut self.nodes, definition);
                    }
                }
                return mask;
            }
            cell = (cell + 1) & mask;
        }
        mask
    }

    /// Frees all cells and returns the mask for a table of `size`.
    fn renew(&mut self, size: usize) -> usize {
        if self.table.len() < size {
            self.table.resize(size, Cell::default());
        }
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.table.fill(Cell::default());
            self.generation = 1;
        }
        size - 1
    }

    #[allow(clippy::cast_possible_truncation)]
    #[cold]
    fn grow(&mut self, mask: usize) -> usize {
        let mask = self.renew((mask + 1) * 4);
        for (ordinal, slot) in self.slots.iter().enumerate() {
            let mut cell = slot.hash as usize & mask;
            while let Some(found) = self.table.get_mut(cell) {
                if found.generation != self.generation {
                    *found = Cell { hash: slot.hash, generation: self.generation, slot: ordinal as u32 };
                    break;
                }
                cell = (cell + 1) & mask;
            }
        }
        mask
    }

    /// Fills `pairs` with the terms of each slot, by term.
    #[allow(clippy::cast_possible_truncation)]
    fn expand(&mut self, text: &[u8]) {
        self.pairs.clear();
        for ordinal in 0..self.slots.len() {
            let Some(slot) = self.slots.get(ordinal).copied() else { continue };
            let identifier = text.get(slot.start..slot.start + usize::from(slot.length)).unwrap_or(&[]);
            let terms = self.known_terms(slot.hash, identifier);
            let terms = self.pool.get(terms).unwrap_or(&[]);
            self.pairs.extend(terms.iter().map(|term| u64::from(*term) << 32 | ordinal as u64));
        }
        self.pairs.sort_unstable();
    }

    /// Where in `pool` the terms of an identifier with this hash are.
    #[allow(clippy::cast_possible_truncation)]
    fn known_terms(&mut self, hash: u64, identifier: &[u8]) -> Range<usize> {
        let (from, length) = match self.known.get(&hash) {
            Some(known) => *known,
            None => {
                if self.known.len() >= REMEMBERED || self.pool.len() > REMEMBERED * 8 {
                    self.known.clear();
                    self.pool.clear();
                }
                let from = self.pool.len();
                let pool = &mut self.pool;
                self.split.split(&String::from_utf8_lossy(identifier), &mut |term| {
                    let hash = term_hash(term);
                    if !pool.get(from..).unwrap_or(&[]).contains(&hash) {
                        pool.push(hash);
                    }
                });
                let known = (from as u32, (self.pool.len() - from) as u32);
                self.known.insert(hash, known);
                known
            }
        };
        from as usize..(from + length) as usize
    }

    /// Appends the hashes of the terms of `name`, a text of identifiers.
    pub(super) fn terms_of(&mut self, name: &str, found: &mut Vec<u32>) {
        let name = name.as_bytes();
        let mut start = 0;
        for identifier in name.split(|byte| !is_of_identifier(*byte)) {
            if !identifier.is_empty() && identifier.len() <= LONGEST {
                let hash = hash(self.seed, name.get(start..).unwrap_or(&[]), identifier.len());
                let terms = self.known_terms(hash, identifier);
                found.extend_from_slice(self.pool.get(terms).unwrap_or(&[]));
            }
            start += identifier.len() + 1;
        }
    }

    /// The terms of `pairs`.
    #[allow(clippy::cast_possible_truncation)]
    fn terms(&self, parents: &[Option<u16>]) -> Vec<Term> {
        let mut terms = Vec::with_capacity(self.pairs.len());
        let mut within = Vec::with_capacity(WITHIN * 2);
        for pairs in self.pairs.chunk_by(|left, right| left >> 32 == right >> 32) {
            let Some(hash) = pairs.first().map(|pair| (pair >> 32) as u32) else { continue };
            let mut count = 0_u32;
            within.clear();
            for slot in pairs.iter().filter_map(|pair| self.slots.get(*pair as u32 as usize)) {
                count = count.saturating_add(slot.count);
                let mut next = slot.first;
                while let Some(node) = next.checked_sub(1).and_then(|at| self.nodes.get(at as usize)) {
                    within.push(node.definition);
                    next = node.next;
                }
            }
            if pairs.len() > 1 {
                within.sort_unstable();
                within.dedup();
            }
            let within = with_parents(&within, parents);
            terms.push(Term { hash, count: u16::try_from(count).unwrap_or(u16::MAX), within });
        }
        terms
    }
}

impl Slot {
    /// Adds a definition, given as its ordinal plus one; 0 is none.
    #[allow(clippy::cast_possible_truncation)]
    fn link(&mut self, nodes: &mut Vec<Node>, definition: u32) {
        let Some(definition) = definition.checked_sub(1).and_then(|ordinal| u16::try_from(ordinal).ok()) else {
            return;
        };
        if usize::from(self.nodes) == WITHIN {
            return;
        }
        nodes.push(Node { definition, next: 0 });
        let this = nodes.len() as u32;
        match self.tail.checked_sub(1).and_then(|tail| nodes.get_mut(tail as usize)) {
            Some(tail) => tail.next = this,
            None => self.first = this,
        }
        self.tail = this;
        self.nodes += 1;
    }
}

/// The definitions of `innermost`, which ascends, and those that contain them; the first 16.
///
/// Extents are contiguous: what contains a definition and starts before the previous one of `innermost` also contains that one.
/// So the containing definitions that are new come after the previous one, and the result ascends.
fn with_parents(innermost: &[u16], parents: &[Option<u16>]) -> ArrayVec<u16, WITHIN> {
    let mut within = ArrayVec::new();
    // Definitions are nested 255 deep at most.
    let mut chain: ArrayVec<u16, 256> = ArrayVec::new();
    for definition in innermost {
        let known = within.last().copied();
        let mut next = Some(*definition);
        chain.clear();
        while let Some(ordinal) = next.filter(|ordinal| known.is_none_or(|known| *ordinal > known)) {
            if chain.try_push(ordinal).is_err() {
                break;
            }
            next = parents.get(usize::from(ordinal)).copied().flatten();
        }
        within.extend(chain.iter().rev().copied().take(within.remaining_capacity()));
        if within.is_full() {
            break;
        }
    }
    within
}
