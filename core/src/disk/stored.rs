//! One record as it stands on disk: its bytes and what they mean.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind, Result};
use crate::safety::Sealed;

/// Records of a file up to this size are kept in memory as values too; those of a larger one are read from their JSON
/// whenever they are needed, so that a file of hundreds of megabytes does not take a multiple of that.
pub(super) const MOST_KEPT_BYTES: usize = 16 << 20;

/// A record and the JSON it is stored as. It came from a file or from [`Sealed`], so it may be written. Cheap to clone.
///
/// Serializing it writes the stored bytes, with every field that this version does not know.
#[derive(Debug)]
pub struct Stored<R>(Repr<R>);

#[derive(Debug)]
enum Repr<R> {
    Kept(Arc<Kept<R>>),
    /// Read before, and found to be a record.
    Read(Arc<RawValue>, Reader<R>),
}

#[derive(Debug)]
struct Kept<R> {
    json: Box<RawValue>,
    record: R,
}

/// Reads one record, or says what is wrong with it.
pub type Reader<R> = fn(&RawValue) -> serde_json::Result<R>;

impl<R> Stored<R> {
    /// The record that `read` makes of this JSON, which is kept in memory if `is_kept`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn read(json: &RawValue, is_kept: bool, read: Reader<R>) -> serde_json::Result<Self> {
        let record = read(json)?;
        let json = json.to_owned();
        Ok(Stored(match is_kept {
            true => Repr::Kept(Arc::new(Kept { json, record })),
            false => Repr::Read(Arc::from(json), read),
        }))
    }

    /// The bytes.
    pub fn json(&self) -> &RawValue {
        match &self.0 {
            Repr::Kept(kept) => &kept.json,
            Repr::Read(json, _) => json,
        }
    }

    /// How long it is as a line, in bytes.
    pub(super) fn line_bytes(&self) -> usize {
        self.json().get().len() + 1
    }
}

impl<R: Clone> Stored<R> {
    /// What the bytes mean.
    ///
    /// # Errors
    /// `Panic`, which would be a defect: the bytes were read before.
    pub fn record(&self) -> Result<Cow<'_, R>> {
        match &self.0 {
            Repr::Kept(kept) => Ok(Cow::Borrowed(&kept.record)),
            Repr::Read(json, read) => read(json).map(Cow::Owned).map_err(|_| {
                Error::new(ErrorKind::Panic, "a record that was read before cannot be read again; please report it")
            }),
        }
    }
}

impl<R> Clone for Stored<R> {
    fn clone(&self) -> Self {
        Stored(match &self.0 {
            Repr::Kept(kept) => Repr::Kept(Arc::clone(kept)),
            Repr::Read(json, read) => Repr::Read(Arc::clone(json), *read),
        })
    }
}

impl<R> From<Sealed<R>> for Stored<R> {
    fn from(sealed: Sealed<R>) -> Self {
        let (json, record) = sealed.into_parts();
        Stored(Repr::Kept(Arc::new(Kept { json, record })))
    }
}

impl<R> Serialize for Stored<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json().serialize(serializer)
    }
}
