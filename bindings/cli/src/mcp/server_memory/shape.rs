//! The shapes of what the tools of the reference server take and return, its schemas for them, and its words for what has another
//! shape.

use std::fmt::Write as _;

use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

/// A shape of JSON.
pub(super) enum Shape {
    Text,
    Bool,
    List(&'static Shape),
    Object(&'static [Member]),
}

/// A member of an object, which may not be missing: its name, its description, and its shape.
pub(super) type Member = (&'static str, &'static str, &'static Shape);

impl Shape {
    /// The schema of an object with these members. Those of results allow no others.
    pub(super) fn schema(members: &[Member], is_result: bool) -> JsonObject {
        let mut schema = JsonObject::new();
        schema.insert("$schema".to_owned(), "http://json-schema.org/draft-07/schema#".into());
        if let Value::Object(object) = object(members, is_result) {
            schema.extend(object);
        }
        schema
    }

    fn as_schema(&self, is_result: bool) -> Value {
        match self {
            Shape::Text => json!({ "type": "string" }),
            Shape::Bool => json!({ "type": "boolean" }),
            Shape::List(of) => json!({ "type": "array", "items": of.as_schema(is_result) }),
            Shape::Object(members) => object(members, is_result),
        }
    }

    /// Says what in `value`, at this place, has another shape: a line each.
    fn check(&self, value: Option<&Value>, place: &str, issues: &mut Vec<String>) {
        let expected = match (self, value) {
            (Shape::Text, Some(Value::String(_))) | (Shape::Bool, Some(Value::Bool(_))) => return,
            (Shape::List(of), Some(Value::Array(items))) => {
                for (index, item) in items.iter().enumerate() {
                    of.check(Some(item), &format!("{place}[{index}]"), issues);
                }
                return;
            }
            (Shape::Object(members), Some(Value::Object(object))) => return check(members, object, place, issues),
            (Shape::Text, _) => "string",
            (Shape::Bool, _) => "boolean",
            (Shape::List(_), _) => "array",
            (Shape::Object(_), _) => "object",
        };
        let received = match value {
            None => "undefined",
            Some(Value::Null) => "null",
            Some(Value::Bool(_)) => "boolean",
            Some(Value::Number(_)) => "number",
            Some(Value::String(_)) => "string",
            Some(Value::Array(_)) => "array",
            Some(Value::Object(_)) => "object",
        };
        issues.push(format!("Invalid input: expected {expected}, received {received} at {place}"));
    }
}

fn object(members: &[Member], is_result: bool) -> Value {
    let mut properties = Map::new();
    for (name, description, shape) in members {
        let mut schema = shape.as_schema(is_result);
        if let (Value::Object(schema), false) = (&mut schema, description.is_empty()) {
            schema.insert("description".to_owned(), (*description).into());
        }
        properties.insert((*name).to_owned(), schema);
    }
    let mut schema = json!({ "type": "object", "properties": properties });
    if let Value::Object(schema) = &mut schema {
        if !members.is_empty() {
            schema.insert("required".to_owned(), members.iter().map(|(name, ..)| *name).collect());
        }
        if is_result {
            schema.insert("additionalProperties".to_owned(), false.into());
        }
    }
    schema
}

/// Says what of the members has another shape: a line each.
pub(super) fn check(members: &[Member], object: &JsonObject, place: &str, issues: &mut Vec<String>) {
    for (name, _, shape) in members {
        let mut of_member = place.to_owned();
        let dot = if place.is_empty() { "" } else { "." };
        // Writing to a String cannot fail.
        let _ = write!(of_member, "{dot}{name}");
        shape.check(object.get(*name), &of_member, issues);
    }
}
