//! A sealed object, and what becomes of it: members are added, taken out and laid over each other, and nothing comes in
//! that was not scrubbed.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::fields::Fields;
use super::size::{MAX_RECORD_BYTES, MAX_VALUE_BYTES, compact, fits, misfit, unwritable};
use crate::error::{Error, Result};
use crate::trusted::Trusted;

/// A JSON object in which no secret stands, member by member.
///
/// [`Redactor::seal`](crate::Redactor::seal) makes one of what a host says. Beside that there comes in only what is
/// [`Trusted`].
///
/// ```
/// use loopmem_safety::{GeneratedId, Redactor, SealedObject};
///
/// let said = Redactor::new(&[], [])?.seal(&serde_json::json!({"title": "Use pnpm"}), &["title"])?;
/// let mut record = SealedObject::default();
/// record.set("id", &GeneratedId::uuid(7))?;
/// record.overlay(said);
/// let sealed = record.record::<serde_json::Value>()?;
/// assert_eq!(sealed.json().get(), r#"{"id":"00000000-0000-0000-0000-000000000007","title":"Use pnpm"}"#);
/// # Ok::<(), loopmem_safety::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct SealedObject(Fields);

impl SealedObject {
    /// Members that were scrubbed.
    pub(super) fn new(scrubbed: Fields) -> Self {
        SealedObject(scrubbed)
    }

    /// The members of an object that was sealed before.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) when it is no object, or a key stands in it twice.
    pub fn of(object: &impl Trusted) -> Result<Self> {
        match object.as_json() {
            Some(json) => SealedObject::parse(json),
            None => SealedObject::parse(&to_raw_value(object).map_err(unwritable)?),
        }
    }

    fn parse(json: &RawValue) -> Result<Self> {
        serde_json::from_str(json.get())
            .map(SealedObject)
            .map_err(|_| Error::invalid("this is no object with each key once"))
    }

    /// The member of this name.
    pub fn get(&self, name: &str) -> Option<&RawValue> {
        self.0.get(name)
    }

    /// Reads the member of this name; `None` when it is missing or no `T`.
    pub fn read<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_str(self.get(name)?.get()).ok()
    }

    /// Takes the member of this name out.
    pub fn take(&mut self, name: &str) -> Option<Sealed<()>> {
        self.0.remove(name).map(|json| Sealed { json, value: () })
    }

    /// Takes the member of this name out, which is an object too.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) when the member is missing or not an object, or has a key twice.
    pub fn take_object(&mut self, name: &str) -> Result<SealedObject> {
        SealedObject::of(&self.take(name))
    }

    /// The names of its members, as a list.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) for what cannot be written as JSON.
    pub fn names(&self) -> Result<Sealed<()>> {
        let names: Vec<&str> = self.0.iter().map(|(name, _)| name).collect();
        Ok(Sealed { json: to_raw_value(&names).map_err(unwritable)?, value: () })
    }

    /// Sets the member of this name, in its place or behind the others.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) for what cannot be written as JSON.
    pub fn set<T: Trusted + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        self.0.set(name, to_raw_value(value).map_err(unwritable)?);
        Ok(())
    }

    /// Takes the members of these names out, each of which may be there or not.
    pub fn remove_all(&mut self, names: &[String]) {
        self.0.remove_all(names);
    }

    /// Sets every member of `newer` here.
    pub fn overlay(&mut self, newer: SealedObject) {
        self.0.overlay(newer.0);
    }

    /// The record that this object is.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) when it is longer than [`MAX_RECORD_BYTES`], or no `T`.
    pub fn record<T: DeserializeOwned>(self) -> Result<Sealed<T>> {
        let json = to_raw_value(&self.0).map_err(unwritable)?;
        fits(json.get(), MAX_RECORD_BYTES)?;
        let value = serde_json::from_str(json.get()).map_err(|_| misfit())?;
        Ok(Sealed { json, value })
    }

    /// The value that this object is, without anything between its tokens.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) when it is longer than [`MAX_VALUE_BYTES`].
    pub fn value(self) -> Result<Sealed<()>> {
        let sealed = Sealed::whole(&self)?;
        fits(sealed.json.get(), MAX_VALUE_BYTES)?;
        Ok(sealed)
    }
}

impl Serialize for SealedObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl Trusted for SealedObject {}

/// JSON in which no secret stands, and what it means.
///
/// Only a [`SealedObject`], and what is [`Trusted`], becomes one. A function that stores nothing else cannot store a secret
/// by mistake.
#[derive(Debug, Clone)]
pub struct Sealed<T> {
    json: Box<RawValue>,
    value: T,
}

impl Sealed<()> {
    /// What needs no scrubbing from end to end, of any length, without anything between its tokens.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) for what cannot be written as JSON.
    pub fn whole(value: &(impl Trusted + ?Sized)) -> Result<Self> {
        Ok(Sealed { json: compact(to_raw_value(value).map_err(unwritable)?)?, value: () })
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

    /// The JSON, to be shared.
    pub fn shared(&self) -> Arc<RawValue> {
        Arc::from(self.json.clone())
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
