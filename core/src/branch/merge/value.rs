//! JSON values over the text that they were parsed from: numbers keep their digits, and strings their escapes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use serde_json::value::RawValue;

use crate::error::{Error, Result};
use crate::safety::{BorrowedFields, BorrowedKey, unescaped};

/// The deepest nesting of arrays and objects. Every function that recurses into values relies on it.
const MAX_DEPTH: usize = 128;

/// A value. Equality ignores spacing, the order of keys and how strings are escaped, but not how numbers are spelled.
#[derive(Debug)]
pub(super) struct Value<'t> {
    /// Its text, without the white space around it.
    pub(super) raw: &'t str,
    /// The meaning of its text.
    pub(super) kind: Kind<'t>,
}

/// Why a text was not parsed.
enum Unparsed {
    /// It is not a value that is merged.
    Invalid,
    /// The call was cancelled.
    Cancelled(Error),
}

/// The meaning of a value.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind<'t> {
    /// Null or a boolean.
    Literal(&'t str),
    /// A number, as it is spelled.
    Number(&'t str),
    /// A string, with its escapes decoded.
    String(Cow<'t, str>),
    /// An array.
    Array(Vec<Value<'t>>),
    /// An object.
    Object(Members<'t>),
}

/// The members of an object by key.
pub(super) type Members<'t> = BTreeMap<Cow<'t, str>, Member<'t>>;

/// A member of an object.
#[derive(Debug)]
pub(super) struct Member<'t> {
    /// Its position among the members of its object.
    position: usize,
    /// The text of its key, with quotes.
    pub(super) key: &'t str,
    /// Its value.
    pub(super) value: Value<'t>,
}

impl<'t> Value<'t> {
    /// Parses a text that is one value; `None` if it is not valid, if an object has a key twice, or if it is nested too
    /// deeply.
    ///
    /// # Errors
    /// That of `check`, which is called for each value.
    pub(super) fn parse(text: &'t str, check: &dyn Fn() -> Result<()>) -> Result<Option<Self>> {
        let Ok(raw) = serde_json::from_str(text) else { return Ok(None) };
        match Value::of(raw, MAX_DEPTH, check) {
            Ok(value) => Ok(Some(value)),
            Err(Unparsed::Invalid) => Ok(None),
            Err(Unparsed::Cancelled(error)) => Err(error),
        }
    }

    /// A value in which arrays and objects are nested at most `depth` deep.
    fn of(raw: &'t RawValue, depth: usize, check: &dyn Fn() -> Result<()>) -> Result<Self, Unparsed> {
        check().map_err(Unparsed::Cancelled)?;
        let deeper = || depth.checked_sub(1).ok_or(Unparsed::Invalid);
        let raw = raw.get();
        let kind = match raw.bytes().next().ok_or(Unparsed::Invalid)? {
            b'{' => {
                let depth = deeper()?;
                let fields = serde_json::from_str::<BorrowedFields<'_>>(raw).map_err(|_| Unparsed::Invalid)?;
                let member = |(position, (key, value)): (usize, (BorrowedKey<'t>, _))| {
                    Ok((key.name, Member { position, key: key.raw, value: Value::of(value, depth, check)? }))
                };
                Kind::Object(fields.into_iter().enumerate().map(member).collect::<Result<_, _>>()?)
            }
            b'[' => {
                let depth = deeper()?;
                let items = serde_json::from_str::<Vec<&RawValue>>(raw).map_err(|_| Unparsed::Invalid)?;
                Kind::Array(items.into_iter().map(|item| Value::of(item, depth, check)).collect::<Result<_, _>>()?)
            }
            b'"' => Kind::String(unescaped(raw).ok_or(Unparsed::Invalid)?),
            b'-' | b'0'..=b'9' => Kind::Number(raw),
            _ => Kind::Literal(raw),
        };
        Ok(Value { raw, kind })
    }

    /// Its members, if it is an object.
    pub(super) fn members(&self) -> Option<&Members<'t>> {
        match &self.kind {
            Kind::Object(members) => Some(members),
            _ => None,
        }
    }

    /// Its items, if it is an array.
    pub(super) fn items(&self) -> Option<&[Value<'t>]> {
        match &self.kind {
            Kind::Array(items) => Some(items),
            _ => None,
        }
    }
}

/// The members of an object in the order of its text.
pub(super) fn in_order<'v, 't>(members: &'v Members<'t>) -> Vec<(&'v str, &'v Member<'t>)> {
    let mut list: Vec<_> = members.iter().map(|(key, member)| (key.as_ref(), member)).collect();
    list.sort_unstable_by_key(|(_, member)| member.position);
    list
}

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Eq for Value<'_> {}

impl Hash for Value<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.kind.hash(state);
    }
}

impl PartialEq for Member<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Eq for Member<'_> {}

impl Hash for Member<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.value.hash(state);
    }
}
