//! One record as it stands on disk: its bytes and what they mean.

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::safety::Sealed;

/// A record and the JSON it is stored as. It came from a file or from [`Sealed`], so it may be written.
///
/// Serializing it writes the stored bytes, with every field that this version does not know.
#[derive(Debug)]
pub struct Stored<R> {
    json: Box<RawValue>,
    record: R,
}

impl<R> Stored<R> {
    pub(super) fn read(json: Box<RawValue>, record: R) -> Self {
        Stored { json, record }
    }

    /// What the bytes mean.
    pub fn record(&self) -> &R {
        &self.record
    }

    /// The bytes.
    pub fn json(&self) -> &RawValue {
        &self.json
    }
}

impl<R> From<Sealed<R>> for Stored<R> {
    fn from(sealed: Sealed<R>) -> Self {
        let (json, record) = sealed.into_parts();
        Stored { json, record }
    }
}

impl<R> Serialize for Stored<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}
