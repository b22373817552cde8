//! JSON of section names: a string out of those in the registry.

use std::borrow::Cow;
use std::sync::LazyLock;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::SectionName;
use crate::rooms;

static NAMES: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| rooms::sections().map(|section| section.name.as_str()).collect());

impl<'de> Deserialize<'de> for SectionName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let name = NAMES.iter().find(|name| **name == text);
        name.map(|name| SectionName::new(name)).ok_or_else(|| D::Error::unknown_variant(&text, &NAMES))
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
        let one: Vec<Value> = NAMES.iter().map(|name| json!({ "type": "string", "const": name })).collect();
        json_schema!({ "oneOf": one })
    }
}
