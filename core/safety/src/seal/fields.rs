//! The members of a JSON object, in order, each value as the bytes it was written with.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

/// So many members are set one by one: an index of the others would cost more.
const FEW: usize = 16;

/// An object whose members are not interpreted: unknown fields and their numbers are preserved byte for byte.
#[derive(Debug, Clone, Default)]
pub struct Fields(Vec<(String, Box<RawValue>)>);

impl Fields {
    /// The value of `key`.
    pub fn get(&self, key: &str) -> Option<&RawValue> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| &**value)
    }

    /// Every member, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawValue)> {
        self.0.iter().map(|(key, value)| (key.as_str(), &**value))
    }

    /// Removes `key`.
    pub fn remove(&mut self, key: &str) -> Option<Box<RawValue>> {
        let position = self.0.iter().position(|(name, _)| name == key)?;
        Some(self.0.remove(position).1)
    }

    /// Removes all of `keys`, ignoring those that are missing.
    pub fn remove_all(&mut self, keys: &[String]) {
        let keys: HashSet<&str> = keys.iter().map(String::as_str).collect();
        if !keys.is_empty() {
            self.0.retain(|(name, _)| !keys.contains(name.as_str()));
        }
    }

    /// Sets `key`, in its place, or after the others if it is new.
    pub fn set(&mut self, key: &str, value: Box<RawValue>) {
        match self.0.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }

    /// Sets every member of `newer`, in time linear in the number of members of both.
    pub fn overlay(&mut self, newer: impl IntoIterator<Item = (String, Box<RawValue>)>) {
        let newer = newer.into_iter();
        if newer.size_hint().1.is_some_and(|count| count <= FEW) {
            for (key, value) in newer {
                match self.0.iter_mut().find(|(name, _)| *name == key) {
                    Some((_, old)) => *old = value,
                    None => self.0.push((key, value)),
                }
            }
            return;
        }
        let mut positions: HashMap<String, usize> =
            self.0.iter().enumerate().map(|(position, (key, _))| (key.clone(), position)).collect();
        for (key, value) in newer {
            match positions.get(&key) {
                Some(position) => self.0[*position].1 = value,
                None => {
                    positions.insert(key.clone(), self.0.len());
                    self.0.push((key, value));
                }
            }
        }
    }
}

impl IntoIterator for Fields {
    type Item = (String, Box<RawValue>);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members::<String, _>(PhantomData)).map(Fields)
    }
}

/// The members of an object, borrowed from the text that they are parsed from.
#[derive(Debug, Default)]
pub struct BorrowedFields<'t>(Vec<(BorrowedKey<'t>, &'t RawValue)>);

impl<'t> BorrowedFields<'t> {
    /// Whether there is a `key`.
    pub fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(found, _)| found.name == key)
    }

    /// Removes `key`.
    pub fn remove(&mut self, key: &str) -> Option<&'t RawValue> {
        let position = self.0.iter().position(|(found, _)| found.name == key)?;
        Some(self.0.remove(position).1)
    }

    /// The remaining members.
    pub fn to_owned(&self) -> Fields {
        Fields(self.0.iter().map(|(key, value)| (key.name.clone().into_owned(), (*value).to_owned())).collect())
    }
}

impl<'t> IntoIterator for BorrowedFields<'t> {
    type Item = (BorrowedKey<'t>, &'t RawValue);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'de> Deserialize<'de> for BorrowedFields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members(PhantomData)).map(BorrowedFields)
    }
}

/// A key, borrowed from the text that it is parsed from.
#[derive(Debug)]
pub struct BorrowedKey<'t> {
    /// Its text, with quotes.
    pub raw: &'t str,
    /// Its name, which is borrowed unless the text contains an escape.
    pub name: Cow<'t, str>,
}

impl AsRef<str> for BorrowedKey<'_> {
    fn as_ref(&self) -> &str {
        &self.name
    }
}

impl<'de> Deserialize<'de> for BorrowedKey<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        let name = unescaped(raw).ok_or_else(|| D::Error::custom("a key is not a valid string"))?;
        Ok(BorrowedKey { raw, name })
    }
}

/// The contents of a JSON string, borrowed unless it contains an escape; `None` if `raw` is not a string.
pub fn unescaped(raw: &str) -> Option<Cow<'_, str>> {
    match raw.contains('\\') {
        true => serde_json::from_str(raw).ok().map(Cow::Owned),
        false => raw.strip_prefix('"')?.strip_suffix('"').map(Cow::Borrowed),
    }
}

/// Reads the members of an object in order.
struct Members<K, V>(PhantomData<(K, V)>);

impl<'de, K: Deserialize<'de> + AsRef<str>, V: Deserialize<'de>> Visitor<'de> for Members<K, V> {
    type Value = Vec<(K, V)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members: Vec<(K, V)> = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        // There may be millions of keys, so they are compared in place.
        let mut keys: Vec<&str> = members.iter().map(|(key, _)| key.as_ref()).collect();
        keys.sort_unstable();
        // It is unclear which of the two counts, and the other would be lost.
        if keys.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(A::Error::custom("duplicate key in an object"));
        }
        Ok(members)
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Fields {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Fields".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "object" })
    }
}
