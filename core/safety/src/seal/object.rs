//! Sealed objects: members can be added, removed and overlaid, and nothing gets in without being redacted.

use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::fields::Fields;
use super::size::{MAX_RECORD_BYTES, MAX_VALUE_BYTES, compact, fits, not_serializable, wrong_fields};
use crate::error::{Error, Result};
use crate::trusted::Trusted;

/// A JSON object without secrets, member by member.
///
/// [`Redactor::seal`](crate::Redactor::seal) makes one from what a host passes in. Only [`Trusted`] values can be added
/// to it.
///
/// ```
/// use loopmem_safety::{GeneratedId, Redactor, SealedObject};
///
/// let (draft, _) = Redactor::new(&[], [])?.seal(&serde_json::json!({"title": "Use pnpm"}), &["title"])?;
/// let mut record = SealedObject::default();
/// record.set("id", &GeneratedId::uuid(7))?;
/// record.overlay(draft);
/// let sealed = record.record::<serde_json::Value>()?;
/// assert_eq!(sealed.json().get(), r#"{"id":"00000000-0000-0000-0000-000000000007","title":"Use pnpm"}"#);
/// # Ok::<(), loopmem_safety::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct SealedObject(Fields);

impl SealedObject {
    /// Wraps members that have been redacted.
    pub(super) fn new(scrubbed: Fields) -> Self {
        SealedObject(scrubbed)
    }

    /// The members of an object that was sealed before.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) if it is not an object, or has a duplicate key.
    pub fn of(object: &impl Trusted) -> Result<Self> {
        match object.as_json() {
            Some(json) => SealedObject::parse(json),
            None => SealedObject::parse(&to_raw_value(object).map_err(not_serializable)?),
        }
    }

    fn parse(json: &RawValue) -> Result<Self> {
        serde_json::from_str(json.get()).map(SealedObject).map_err(|_| not_an_object())
    }

    /// The member `name`.
    pub fn get(&self, name: &str) -> Option<&RawValue> {
        self.0.get(name)
    }

    /// Every member, in order.
    pub(super) fn members(&self) -> impl Iterator<Item = (&str, &RawValue)> {
        self.0.iter()
    }

    /// Deserializes the member `name`; `None` if it is missing or not a `T`.
    pub fn read<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_str(self.get(name)?.get()).ok()
    }

    /// Removes the member `name` and returns it.
    pub fn take(&mut self, name: &str) -> Option<Sealed<()>> {
        self.0.remove(name).map(|json| Sealed { json, value: () })
    }

    /// Removes the member `name`, which is an object, and returns it.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) if the member is missing or not an object, or has a duplicate key.
    pub fn take_object(&mut self, name: &str) -> Result<SealedObject> {
        SealedObject::of(&self.take(name).ok_or_else(not_an_object)?)
    }

    /// The names of its members, as a list.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) for what cannot be written as JSON.
    pub fn names(&self) -> Result<Sealed<()>> {
        let names: Vec<&str> = self.0.iter().map(|(name, _)| name).collect();
        Ok(Sealed { json: to_raw_value(&names).map_err(not_serializable)?, value: () })
    }

    /// Sets the member `name`, in its place or after the others.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) for what cannot be written as JSON.
    pub fn set<T: Trusted + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        self.0.set(name, to_raw_value(value).map_err(not_serializable)?);
        Ok(())
    }

    /// Removes the members `names`, ignoring those that are missing.
    pub fn remove_all(&mut self, names: &[String]) {
        self.0.remove_all(names);
    }

    /// Sets every member of `newer`.
    pub fn overlay(&mut self, newer: SealedObject) {
        self.0.overlay(newer.0);
    }

    /// This object as a record.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) if it is longer than [`MAX_RECORD_BYTES`], or not a `T`.
    pub fn record<T: DeserializeOwned>(self) -> Result<Sealed<T>> {
        let json = to_raw_value(&self.0).map_err(not_serializable)?;
        fits(json.get(), MAX_RECORD_BYTES)?;
        let value = serde_json::from_str(json.get()).map_err(|_| wrong_fields())?;
        Ok(Sealed { json, value })
    }

    /// This object as a value, without white space between its tokens.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) if it is longer than [`MAX_VALUE_BYTES`].
    pub fn value(self) -> Result<Sealed<()>> {
        let sealed = Sealed::whole(&self)?;
        fits(sealed.json.get(), MAX_VALUE_BYTES)?;
        Ok(sealed)
    }
}

fn not_an_object() -> Error {
    Error::invalid("expected an object without duplicate keys")
}

impl Serialize for SealedObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl Trusted for SealedObject {}

/// JSON without secrets, and the value it was parsed into.
///
/// It can only be made from a [`SealedObject`] or a [`Trusted`] value. A function that stores nothing else cannot store
/// a secret by mistake.
#[derive(Debug, Clone)]
pub struct Sealed<T> {
    json: Box<RawValue>,
    value: T,
}

impl Sealed<()> {
    /// Seals a value that needs no redaction at all, of any length, without white space between its tokens.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) for what cannot be written as JSON.
    pub fn whole(value: &(impl Trusted + ?Sized)) -> Result<Self> {
        Ok(Sealed { json: compact(to_raw_value(value).map_err(not_serializable)?)?, value: () })
    }
}

impl<T> Sealed<T> {
    /// The value.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// The JSON.
    pub fn json(&self) -> &RawValue {
        &self.json
    }

    /// The JSON and the value.
    pub fn into_parts(self) -> (Box<RawValue>, T) {
        (self.json, self.value)
    }
}

impl<T> Serialize for Sealed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}

impl<T> Trusted for Sealed<T> {
    fn as_json(&self) -> Option<&RawValue> {
        Some(&self.json)
    }
}
