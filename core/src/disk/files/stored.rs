//! Stored records: their bytes and their values.
//!
//! All of these come from a storage or from [`Sealed`], so they may be written again unchanged.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::error::{Error, Result};
use crate::safety::{Sealed, Trusted};

/// These types are written as the JSON that they hold, and have the schema of their contents.
macro_rules! as_json {
    ($($of:ident<$content:ident $(: $recorded:path)?>),*) => {
        $(impl<$content $(: $recorded)?> Serialize for $of<$content> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.json().serialize(serializer)
            }
        }

        impl<$content $(: $recorded)?> Trusted for $of<$content> {
            fn as_json(&self) -> Option<&RawValue> {
                Some(self.json())
            }
        }

        impl<$content: JsonSchema> JsonSchema for $of<$content> {
            fn schema_name() -> Cow<'static, str> {
                $content::schema_name()
            }

            fn schema_id() -> Cow<'static, str> {
                $content::schema_id()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                $content::json_schema(generator)
            }
        })*
    };
}

as_json!(Stored<T>, Raw<T>, Row<R: Recorded>);

/// Records of files up to this size are kept in memory as values too. Those of larger files are parsed from their JSON
/// whenever they are needed, so that a file of hundreds of megabytes does not take a multiple of that.
pub(in crate::disk) const MAX_CACHED_BYTES: usize = 16 << 20;

/// Parses a record from its JSON.
pub type Reader<R> = fn(&Json) -> serde_json::Result<R>;

/// A record and the JSON it is stored as. Cheap to clone; dereferences to the record, so that its fields are read as
/// `stored.title`.
///
/// Serializing it writes the stored bytes, including fields unknown to this version. Fields of your own, which a draft has in
/// `extra`, are in [`json`](Self::json).
pub struct Stored<T>(Arc<Inner<T>>);

struct Inner<T> {
    json: Json,
    value: T,
}

impl<T> Stored<T> {
    /// The stored JSON.
    pub fn json(&self) -> &RawValue {
        &self.0.json
    }
}

impl<T: DeserializeOwned> Stored<T> {
    /// Parses the record that is stored as this JSON.
    pub(crate) fn read(json: &Json) -> serde_json::Result<Self> {
        let value = serde_json::from_str(json.get())?;
        Ok(Stored(Arc::new(Inner { json: json.clone(), value })))
    }
}

impl<T: DeserializeOwned> Stored<T> {
    /// The record that was sealed as this JSON.
    ///
    /// # Errors
    /// `ValidationError` if it is not a `T`.
    pub(crate) fn parse(sealed: Sealed<()>) -> Result<Self> {
        Stored::read(&Json::from(sealed))
            .map_err(|cause| Error::validation("the sealed JSON is not of this type").because(cause))
    }
}

impl<T> Stored<T> {
    /// A text of the record, to be stored elsewhere too.
    pub(crate) fn text(&self, of: fn(&T) -> &str) -> Json {
        Json::stored(serde_json::value::to_raw_value(of(self)).unwrap_or_else(|_| RawValue::NULL.to_owned()))
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
        Stored(Arc::new(Inner { json: Json(Arc::from(json)), value }))
    }
}

/// Stored JSON, shared and immutable.
#[derive(Debug, Clone)]
pub struct Json(Arc<RawValue>);

impl Json {
    /// JSON that was read from a storage. Only for code that reads one.
    pub fn stored(json: Box<RawValue>) -> Self {
        Json(Arc::from(json))
    }
}

impl<T> From<Sealed<T>> for Json {
    fn from(sealed: Sealed<T>) -> Self {
        Json::stored(sealed.into_parts().0)
    }
}

impl<T> From<&Sealed<T>> for Json {
    fn from(sealed: &Sealed<T>) -> Self {
        Json::stored(sealed.json().to_owned())
    }
}

impl<T> From<&Stored<T>> for Json {
    fn from(stored: &Stored<T>) -> Self {
        stored.0.json.clone()
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

/// Stored JSON that should be a `T`, and is parsed when it is needed.
#[derive(Debug)]
pub struct Raw<T> {
    json: Json,
    read: Reader<T>,
}

impl<T> Raw<T> {
    /// The stored JSON.
    pub fn json(&self) -> &RawValue {
        &self.json
    }

    /// Parses the value.
    ///
    /// # Errors
    /// `ValidationError` if it is not a `T`.
    pub fn read(&self) -> Result<T> {
        (self.read)(&self.json).map_err(|cause| Error::validation("the stored JSON is not of this type").because(cause))
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

/// A value that knows the JSON it is stored as.
pub trait Recorded: Clone {
    /// The stored JSON.
    fn json(&self) -> &RawValue;
}

impl<T> Recorded for Stored<T> {
    fn json(&self) -> &RawValue {
        Stored::json(self)
    }
}

/// A record of a file: as a value or, if the file is large, as JSON only.
#[derive(Debug, Clone)]
pub enum Row<R> {
    /// The parsed record.
    Parsed(R),
    /// Its JSON, which is known to be valid.
    Raw(Raw<R>),
}

impl<R: Recorded> Row<R> {
    /// Parses the record with `read`, and keeps the value in memory if `is_kept`.
    pub(in crate::disk) fn read(json: &RawValue, is_kept: bool, read: Reader<R>) -> serde_json::Result<Self> {
        let json = Json::stored(json.to_owned());
        let record = read(&json)?;
        Ok(if is_kept { Row::Parsed(record) } else { Row::Raw(Raw { json, read }) })
    }

    /// The stored JSON.
    pub fn json(&self) -> &RawValue {
        match self {
            Row::Parsed(record) => record.json(),
            Row::Raw(raw) => raw.json(),
        }
    }

    /// The length of its line in bytes.
    pub(crate) fn line_bytes(&self) -> usize {
        self.json().get().len() + 1
    }

    /// The record.
    ///
    /// # Errors
    /// `Internal`, which would be a bug: the JSON was parsed before.
    pub fn record(&self) -> Result<Cow<'_, R>> {
        match self {
            Row::Parsed(record) => Ok(Cow::Borrowed(record)),
            Row::Raw(raw) => raw
                .read()
                .map(Cow::Owned)
                .map_err(|_| Error::internal("a record that was parsed before does not parse again; please report it")),
        }
    }
}
