//! The sections of a pack: their names, or their names and sizes.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

use super::SectionName;
use crate::error::{Error, Result};
use crate::rooms;

/// How large a section of a pack may be.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Size {
    /// A share of the pack, above 0 and up to 1. What the section leaves unused goes to others that have a share.
    Share(f64),
    /// A number of characters, which the section never exceeds.
    Chars(usize),
}

impl Size {
    /// A number above 0 and up to 1 is a share, and a whole number above 1 is a number of characters.
    ///
    /// # Errors
    /// `ValidationError` for any other number.
    pub fn new(size: f64) -> Result<Self> {
        if size > 0.0 && size <= 1.0 {
            return Ok(Size::Share(size));
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
        if size > 1.0 && size <= f64::from(u32::MAX) && size.fract() == 0.0 {
            return Ok(Size::Chars(size as usize));
        }
        Err(Error::validation(INVALID))
    }
}

const INVALID: &str =
    "the size of a section must be a share above 0 and up to 1, or a whole number of characters above 1";

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Size::new(f64::deserialize(deserializer)?).map_err(|_| D::Error::custom(INVALID))
    }
}

/// The sections of a pack.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Sections {
    /// These, sized as if they were all that there are.
    Named(Vec<SectionName>),
    /// These, of these sizes.
    Sized(Vec<(SectionName, Size)>),
}

impl Sections {
    pub(super) fn contains(&self, name: SectionName) -> bool {
        match self {
            Sections::Named(names) => names.contains(&name),
            Sections::Sized(sizes) => sizes.iter().any(|(it, _)| *it == name),
        }
    }

    pub(super) fn sizes(&self) -> Option<&[(SectionName, Size)]> {
        if let Sections::Sized(sizes) = self { Some(sizes) } else { None }
    }
}

impl<'de> Deserialize<'de> for Sections {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = Sections;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of names, or an object of sizes by name")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Sections, A::Error> {
                let mut names = Vec::new();
                while let Some(name) = list.next_element()? {
                    names.push(name);
                }
                Ok(Sections::Named(names))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Sections, A::Error> {
                let mut sizes: Vec<(SectionName, Size)> = Vec::new();
                while let Some(name) = map.next_key()? {
                    if sizes.iter().any(|(it, _)| *it == name) {
                        return Err(A::Error::custom("the key occurs twice"));
                    }
                    // Null and absent mean the same.
                    if let Some(size) = map.next_value::<Option<Size>>()? {
                        sizes.push((name, size));
                    }
                }
                Ok(Sections::Sized(sizes))
            }
        }

        deserializer.deserialize_any(Either)
    }
}

impl JsonSchema for Sections {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Sections".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let names = generator.subschema_for::<Vec<SectionName>>();
        let sizes = generator.subschema_for::<SizesSchema>();
        json_schema!({ "anyOf": [names, sizes] })
    }
}

/// The schema of sizes by name.
struct SizesSchema;

impl JsonSchema for SizesSchema {
    fn schema_name() -> Cow<'static, str> {
        "ContextSizes".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let size = |section: &crate::room::Section| {
            let doc = format!("The size of the section `{}`. Default: the section is left out.", section.name);
            (section.name.to_string(), json!({ "type": ["number", "null"], "description": doc }))
        };
        let properties: Map<String, Value> = rooms::sections().map(size).collect();
        json_schema!({
            "type": "object",
            "description": "The sections of a context pack and their sizes: a number above 0 and up to 1 is a share of \
                `maxChars`, and a whole number above 1 a number of characters.",
            "properties": properties,
            "additionalProperties": false,
        })
    }
}

impl From<Vec<SectionName>> for Sections {
    fn from(names: Vec<SectionName>) -> Self {
        Sections::Named(names)
    }
}

impl From<&[SectionName]> for Sections {
    fn from(names: &[SectionName]) -> Self {
        Sections::Named(names.to_vec())
    }
}

impl<const N: usize> From<[SectionName; N]> for Sections {
    fn from(names: [SectionName; N]) -> Self {
        Sections::Named(names.to_vec())
    }
}

impl<const N: usize> From<&[SectionName; N]> for Sections {
    fn from(names: &[SectionName; N]) -> Self {
        Sections::Named(names.to_vec())
    }
}

impl From<Vec<(SectionName, Size)>> for Sections {
    fn from(sizes: Vec<(SectionName, Size)>) -> Self {
        Sections::Sized(sizes)
    }
}

impl<const N: usize> From<[(SectionName, Size); N]> for Sections {
    fn from(sizes: [(SectionName, Size); N]) -> Self {
        Sections::Sized(sizes.to_vec())
    }
}
