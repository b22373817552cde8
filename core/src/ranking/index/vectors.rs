//! The vectors of documents, by their dimension, as unit vectors: their dot product with another one is the cosine.
//!
//! Beside each vector are the signs of its numbers. How many signs differ estimates the cosine, at a small part of the cost.

#![allow(clippy::cast_possible_truncation, reason = "cosines and unit vectors are kept as f32")]

use std::collections::BTreeMap;
use std::f64::consts::PI;

use multiversion::multiversion;

use crate::ranking::cosine::{dot_of_bytes, norm};
use crate::segments::Reader;

/// The signs in one word.
const WORD_BITS: usize = 64;

/// The vectors of one dimension, as little-endian bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows<'v> {
    pub(super) dimension: usize,
    /// The document of each row, ascending, u32.
    pub(super) documents: &'v [u8],
    /// The signs of each row, as words of u64.
    pub(super) signs: &'v [u8],
    /// The numbers of each row, f32.
    pub(super) values: &'v [u8],
}

/// The vectors of documents in memory.
#[derive(Debug, Default)]
pub(super) struct Vectors {
    by_dimension: BTreeMap<u32, Bytes>,
}

#[derive(Debug, Default)]
struct Bytes {
    documents: Vec<u8>,
    signs: Vec<u8>,
    values: Vec<u8>,
}

/// A vector that others are compared with.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    values: Vec<f32>,
    signs: Vec<u64>,
}

impl Unit {
    /// A vector in the direction of `vector`; `None` if it has none, or its length is out of range.
    pub(super) fn of(vector: &[f32]) -> Option<Self> {
        let norm = norm(vector)?;
        let values: Vec<f32> = vector.iter().map(|it| (f64::from(*it) / norm) as f32).collect();
        let word = |chunk: &[f32]| (0..).zip(chunk).fold(0_u64, |word, (bit, it)| word | u64::from(*it > 0.0) << bit);
        let signs = values.chunks(WORD_BITS).map(word).collect();
        Some(Unit { values, signs })
    }

    pub(super) fn dimension(&self) -> usize {
        self.values.len()
    }

    /// The cosine of the angle to a row.
    pub(super) fn cosine(&self, values: &[u8]) -> f32 {
        dot_of_bytes(&self.values, values)
    }

    /// How many signs differ from those of each row.
    pub(super) fn differences(&self, rows: &Rows<'_>) -> Vec<u32> {
        let mut counts = vec![0; rows.len()];
        count_differences(&self.signs, rows.signs, &mut counts);
        counts
    }

    /// The cosines that numbers of differing signs stand for: in random directions, signs differ in the share of the angle.
    pub(super) fn estimates(&self) -> Vec<f32> {
        let dimension = self.dimension();
        (0..=dimension).map(|differences| (PI * differences as f64 / dimension as f64).cos() as f32).collect()
    }
}

/// Puts into `counts` how many bits of `signs` differ from those of each row. It is compiled for processors that count
/// bits in one instruction, too: the result is the same.
#[multiversion(targets("x86_64+popcnt+avx2"))]
fn count_differences(signs: &[u64], rows: &[u8], counts: &mut [u32]) {
    let rows = rows.as_chunks().0.chunks_exact(signs.len().max(1));
    for (count, row) in counts.iter_mut().zip(rows) {
        let differences = signs.iter().zip(row).map(|(one, other)| (one ^ u64::from_le_bytes(*other)).count_ones());
        *count = differences.sum();
    }
}

impl<'v> Rows<'v> {
    /// The rows in a section, by dimension.
    pub(super) fn all(section: &'v [u8]) -> impl Iterator<Item = Self> {
        let mut reader = Reader::new(section);
        std::iter::from_fn(move || {
            let (dimension, rows) = (reader.u32().filter(|it| *it > 0)? as usize, reader.u32()? as usize);
            let documents = reader.take(rows.checked_mul(4)?)?;
            let signs = reader.take(rows.checked_mul(Rows::sign_bytes(dimension))?)?;
            Some(Rows { dimension, documents, signs, values: reader.take(rows.checked_mul(dimension * 4)?)? })
        })
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.documents.len() / 4
    }

    /// The length of the signs of a row.
    fn sign_bytes(dimension: usize) -> usize {
        dimension.div_ceil(WORD_BITS) * 8
    }

    /// The document of each row.
    pub(super) fn documents(&self) -> impl Iterator<Item = u32> + use<'v> {
        self.documents.as_chunks().0.iter().map(|it| u32::from_le_bytes(*it))
    }

    /// The document of each row with its signs and its numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &'v [u8], &'v [u8])> + use<'v> {
        let rows =
            self.signs.chunks_exact(Rows::sign_bytes(self.dimension)).zip(self.values.chunks_exact(self.dimension * 4));
        self.documents().zip(rows).map(|(document, (signs, values))| (document, signs, values))
    }

    /// The numbers of a document.
    pub(super) fn find(&self, document: u32) -> Option<&'v [u8]> {
        let documents = self.documents.as_chunks::<4>().0;
        // If all documents have a vector, each row is that of the document with its number.
        let row = match documents.get(document as usize) {
            Some(there) if u32::from_le_bytes(*there) == document => document as usize,
            _ => documents.binary_search_by_key(&document, |it| u32::from_le_bytes(*it)).ok()?,
        };
        self.values.chunks_exact(self.dimension * 4).nth(row)
    }
}

impl Vectors {
    /// Adds the vector of a document, which has a higher number than all before; not if it has no direction.
    pub(super) fn insert(&mut self, document: u32, vector: &[f32]) {
        let Some(unit) = Unit::of(vector) else { return };
        let signs: Vec<u8> = unit.signs.iter().flat_map(|word| word.to_le_bytes()).collect();
        let values: Vec<u8> = unit.values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.insert_row(vector.len(), document, &signs, &values);
    }

    /// Adds the row of a document, which has a higher number than all before.
    pub(super) fn insert_row(&mut self, dimension: usize, document: u32, signs: &[u8], values: &[u8]) {
        let Ok(dimension) = u32::try_from(dimension) else { return };
        let bytes = self.by_dimension.entry(dimension).or_default();
        bytes.documents.extend_from_slice(&document.to_le_bytes());
        bytes.signs.extend_from_slice(signs);
        bytes.values.extend_from_slice(values);
    }

    /// The bytes of a section with them; `None` if there are too many.
    pub(super) fn written(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        for rows in self.all() {
            for count in [rows.dimension, rows.len()] {
                bytes.extend_from_slice(&u32::try_from(count).ok()?.to_le_bytes());
            }
            [rows.documents, rows.signs, rows.values].iter().for_each(|part| bytes.extend_from_slice(part));
        }
        Some(bytes)
    }

    /// All of them, by dimension.
    pub(super) fn all(&self) -> impl Iterator<Item = Rows<'_>> {
        self.by_dimension.iter().map(|(dimension, bytes)| Rows {
            dimension: *dimension as usize,
            documents: &bytes.documents,
            signs: &bytes.signs,
            values: &bytes.values,
        })
    }
}
