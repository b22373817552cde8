//! JSON of section names: a string out of those in the registry.

use std::borrow::Cow;

use once_cell::race::OnceBox;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::SectionName;
use crate::lazy::lazily;
use crate::rooms;

fn names() -> &'static [&'static str] {
    static NAMES: OnceBox<Vec<&'static str>> = OnceBox::new();
    let collected = || -> Vec<_> { rooms::sections().map(|section| section.name.as_str()).collect() };
    lazily::<Vec<_>>(&NAMES, collected).as_slice()
}

impl<'de> Deserialize<'de> for SectionName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let name = names().iter().find(|name| **name == text);
        name.map(|name| SectionName::new(name)).ok_or_else(|| D::Error::unknown_variant(&text, names()))
    }
}

impl JsonSchema for SectionName {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "SectionName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let one: Vec<Value> = names().iter().map(|name| json!({ "type": "string", "const": name })).collect();
        json_schema!({ "oneOf": one })
    }
}
