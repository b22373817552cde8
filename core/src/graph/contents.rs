//! What a graph says: entities, and relations between them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that is known of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Entity {
    /// Its name, which need not be unique.
    pub name: String,
    /// What it is.
    pub entity_type: String,
    /// What is known of it.
    pub observations: Vec<String>,
}

/// How two entities belong together. Neither need exist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Relation {
    /// The name of the entity where it starts.
    pub from: String,
    /// The name of the entity where it ends.
    pub to: String,
    /// What it is.
    pub relation_type: String,
}

/// Entities and relations, each in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Contents {
    /// The entities.
    pub entities: Vec<Entity>,
    /// The relations.
    pub relations: Vec<Relation>,
}
