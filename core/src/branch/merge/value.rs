//! JSON values over the text that they were parsed from: numbers keep their digits, and strings their escapes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use serde::de::IgnoredAny;

/// The deepest nesting of arrays and objects. Every function that recurses into values relies on it.
const MAX_DEPTH: usize = 128;

/// A value. Equality ignores spacing, the order of keys and how strings are escaped, but not how numbers are spelled.
#[derive(Debug)]
pub(super) struct Value<'t> {
    /// Its text, without the white space around it.
    pub(super) raw: &'t str,
    /// What its text means.
    pub(super) kind: Kind<'t>,
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
    pub(super) fn parse(text: &'t str) -> Option<Self> {
        let mut parser = Parser { rest: text };
        let value = parser.value(MAX_DEPTH)?;
        parser.skip_space();
        parser.rest.is_empty().then_some(value)
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

/// A parser of JSON (RFC 8259). `serde_json` validates numbers and decodes strings; the structure is parsed here, in
/// one pass, because a value of `serde_json` keeps neither the text that it was parsed from nor the fact that a key was
/// repeated.
struct Parser<'t> {
    /// What has not been parsed yet.
    rest: &'t str,
}

impl<'t> Parser<'t> {
    /// Consumes white space.
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    /// Consumes white space and then a character; returns false if a different one follows.
    fn eat(&mut self, character: char) -> bool {
        self.skip_space();
        let rest = self.rest.strip_prefix(character);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Consumes a number of bytes.
    fn take(&mut self, length: usize) -> Option<&'t str> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    /// Parses a value in which arrays and objects are nested at most `depth` deep.
    fn value(&mut self, depth: usize) -> Option<Value<'t>> {
        self.skip_space();
        let start = self.rest;
        let kind = match start.bytes().next()? {
            b'{' => Kind::Object(self.object(depth.checked_sub(1)?)?),
            b'[' => Kind::Array(self.array(depth.checked_sub(1)?)?),
            b'"' => Kind::String(self.string()?.1),
            b'-' | b'0'..=b'9' => Kind::Number(self.scalar()?),
            _ => Kind::Literal(self.scalar()?),
        };
        let raw = start.get(..start.len() - self.rest.len())?;
        Some(Value { raw, kind })
    }

    /// Parses an object whose values are nested at most `depth` deep.
    fn object(&mut self, depth: usize) -> Option<Members<'t>> {
        let mut members = Members::new();
        self.list('{', '}', |parser| {
            parser.skip_space();
            let (key, name) = parser.string()?;
            if !parser.eat(':') {
                return None;
            }
            let member = Member { position: members.len(), key, value: parser.value(depth)? };
            members.insert(name, member).is_none().then_some(())
        })?;
        Some(members)
    }

    /// Parses an array whose items are nested at most `depth` deep.
    fn array(&mut self, depth: usize) -> Option<Vec<Value<'t>>> {
        let mut items = Vec::new();
        self.list('[', ']', |parser| {
            items.push(parser.value(depth)?);
            Some(())
        })?;
        Some(items)
    }

    /// Parses items with commas between them.
    fn list(&mut self, open: char, close: char, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        if !self.eat(open) {
            return None;
        }
        if self.eat(close) {
            return Some(());
        }
        loop {
            item(self)?;
            if self.eat(close) {
                return Some(());
            }
            if !self.eat(',') {
                return None;
            }
        }
    }

    /// Parses a string; returns its text with quotes, and its contents.
    fn string(&mut self) -> Option<(&'t str, Cow<'t, str>)> {
        let mut bytes = self.rest.strip_prefix('"')?.bytes();
        let mut has_escapes = false;
        loop {
            match bytes.next()? {
                b'"' => break,
                b'\\' => {
                    bytes.next()?;
                    has_escapes = true;
                }
                0..0x20 => return None,
                _ => {}
            }
        }
        let raw = self.take(self.rest.len() - bytes.len())?;
        let text = if has_escapes {
            Cow::Owned(serde_json::from_str(raw).ok()?)
        } else {
            Cow::Borrowed(raw.strip_prefix('"')?.strip_suffix('"')?)
        };
        Some((raw, text))
    }

    /// Parses a number, a boolean or null; returns its text.
    fn scalar(&mut self) -> Option<&'t str> {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        let raw = self.take(self.rest.bytes().take_while(|&byte| is_part(byte)).count())?;
        serde_json::from_str::<IgnoredAny>(raw).ok()?;
        Some(raw)
    }
}
