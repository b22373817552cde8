//! What stands in a file or another storage: its bytes, and what they mean.
//!
//! Everything in here came out of a storage or out of [`Sealed`], so it may be written again as it is.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind, Result};
use crate::safety::{Sealed, Trusted};

/// In a schema this is what it holds.
macro_rules! transparent {
    ($($of:ident),*) => {
        $(impl<T: JsonSchema> JsonSchema for $of<T> {
            fn schema_name() -> Cow<'static, str> {
                T::schema_name()
            }

            fn schema_id() -> Cow<'static, str> {
                T::schema_id()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                T::json_schema(generator)
            }
        })*
    };
}

transparent!(Stored, Raw, Row);

/// Records of a file up to this size are kept in memory as values too; those of a larger one are read from their JSON
/// whenever they are needed, so that a file of hundreds of megabytes does not take a multiple of that.
pub(in crate::disk) const MAX_CACHED_BYTES: usize = 16 << 20;

/// Reads a record from its JSON, or says what is wrong with it.
pub type Reader<R> = fn(&Json) -> serde_json::Result<R>;

/// A record and the JSON it is stored as. Cheap to clone; it is used as the record that it is.
///
/// Serializing it writes the stored bytes, with every field that this version does not know.
pub struct Stored<T>(Arc<Kept<T>>);

struct Kept<T> {
    json: Json,
    value: T,
}

impl<T> Stored<T> {
    /// The bytes.
    pub fn json(&self) -> &RawValue {
        &self.0.json
    }
}

impl<T: DeserializeOwned> Stored<T> {
    /// The record that stands in a storage as this JSON.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn read(json: &Json) -> serde_json::Result<Self> {
        let value = serde_json::from_str(json.get())?;
        Ok(Stored(Arc::new(Kept { json: json.clone(), value })))
    }
}

impl<T> Deref for Stored<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

impl<T> Clone for Stored<T> {
    fn clone(&self) -> Self {
        Stored(Arc::clone(&self.0))
    }
}

impl<T: fmt::Debug> fmt::Debug for Stored<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.value.fmt(f)
    }
}

impl<T> From<Sealed<T>> for Stored<T> {
    fn from(sealed: Sealed<T>) -> Self {
        let (json, value) = sealed.into_parts();
        Stored(Arc::new(Kept { json: Json(Arc::from(json)), value }))
    }
}

impl<T> Serialize for Stored<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json().serialize(serializer)
    }
}

impl<T> Trusted for Stored<T> {
    fn as_json(&self) -> Option<&RawValue> {
        Some(&self.0.json)
    }
}

/// JSON as it stands in a storage, shared: nobody can change it.
#[derive(Debug, Clone)]
pub struct Json(Arc<RawValue>);

impl Json {
    /// What stands in a storage. Only what reads one makes one of these.
    pub fn stored(json: Box<RawValue>) -> Self {
        Json(Arc::from(json))
    }
}

impl<T> From<&Sealed<T>> for Json {
    fn from(sealed: &Sealed<T>) -> Self {
        Json(sealed.shared())
    }
}

impl Deref for Json {
    type Target = RawValue;

    fn deref(&self) -> &RawValue {
        &self.0
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl Trusted for Json {
    fn as_json(&self) -> Option<&RawValue> {
        Some(&self.0)
    }
}

/// JSON as it stands in a storage, of what should be a `T`, and is read when somebody needs it.
#[derive(Debug)]
pub struct Raw<T> {
    json: Json,
    read: Reader<T>,
}

impl<T> Raw<T> {
    /// The bytes.
    pub fn json(&self) -> &RawValue {
        &self.json
    }

    /// What they mean.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn read(&self) -> serde_json::Result<T> {
        (self.read)(&self.json)
    }
}

impl<T: DeserializeOwned> From<Json> for Raw<T> {
    fn from(json: Json) -> Self {
        Raw { json, read: |json| serde_json::from_str(json.get()) }
    }
}

impl<T> Clone for Raw<T> {
    fn clone(&self) -> Self {
        Raw { json: self.json.clone(), read: self.read }
    }
}

impl<T> Serialize for Raw<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}

impl<T> Trusted for Raw<T> {
    fn as_json(&self) -> Option<&RawValue> {
        Some(&self.json)
    }
}

/// What knows the bytes it is stored as.
pub trait Recorded: Clone {
    /// The bytes.
    fn json(&self) -> &RawValue;
}

impl<T> Recorded for Stored<T> {
    fn json(&self) -> &RawValue {
        Stored::json(self)
    }
}

/// A record of a file that was read: kept as a value, or, where the file is large, as its bytes alone.
#[derive(Debug, Clone)]
pub enum Row<R> {
    /// With its value.
    Parsed(R),
    /// Read before, and found to be a record.
    Raw(Raw<R>),
}

impl<R: Recorded> Row<R> {
    /// The record that `read` makes of this JSON, which is kept in memory if `is_kept`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(in crate::disk) fn read(json: &RawValue, is_kept: bool, read: Reader<R>) -> serde_json::Result<Self> {
        let json = Json::stored(json.to_owned());
        let record = read(&json)?;
        Ok(if is_kept { Row::Parsed(record) } else { Row::Raw(Raw { json, read }) })
    }

    /// The bytes.
    pub fn json(&self) -> &RawValue {
        match self {
            Row::Parsed(record) => record.json(),
            Row::Raw(raw) => raw.json(),
        }
    }

    /// How long it is as a line, in bytes.
    pub(in crate::disk) fn line_bytes(&self) -> usize {
        self.json().get().len() + 1
    }

    /// What the bytes mean.
    ///
    /// # Errors
    /// `Internal`, which would be a defect: the bytes were read before.
    pub fn record(&self) -> Result<Cow<'_, R>> {
        match self {
            Row::Parsed(record) => Ok(Cow::Borrowed(record)),
            Row::Raw(raw) => raw.read().map(Cow::Owned).map_err(|_| {
                Error::new(ErrorKind::Internal, "a record that was read before cannot be read again; please report it")
            }),
        }
    }
}

impl<R: Recorded> Serialize for Row<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json().serialize(serializer)
    }
}

impl<R: Recorded> Trusted for Row<R> {
    fn as_json(&self) -> Option<&RawValue> {
        Some(self.json())
    }
}
