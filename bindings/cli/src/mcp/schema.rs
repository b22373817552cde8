//! The schemas of what tools take and return.

use std::sync::Arc;

use rmcp::handler::server::tool::{schema_for_input, schema_for_output};
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde_json::Value;

/// That of what a tool returns.
pub(super) fn of_output<T: JsonSchema + 'static>() -> Arc<JsonObject> {
    schema_for_output::<T>()
}

/// That of what a tool takes.
pub(super) fn of_input<T: JsonSchema + 'static>() -> Arc<JsonObject> {
    // Of a struct, which is an object.
    let mut schema = Value::Object((*schema_for_input::<T>().unwrap_or_default()).clone());
    simplify(&mut schema);
    match schema {
        Value::Object(schema) => schema.into(),
        _ => Arc::default(),
    }
}

/// Leaves out of a schema what not every client can read: that a member may be null, how long a number is, and values of which
/// each has a schema of its own.
fn simplify(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.remove("format");
            if let Some(Value::Array(types)) = members.get_mut("type") {
                types.retain(|it| it != "null");
                if let [only] = &mut **types {
                    let only = only.take();
                    members.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(mut all)) = members.remove("anyOf") {
                all.retain(|it| it["type"] != "null");
                match &mut *all {
                    [Value::Object(only)] => only.iter_mut().for_each(|(name, value)| {
                        members.entry(name.clone()).or_insert_with(|| value.take());
                    }),
                    _ => drop(members.insert("anyOf".to_owned(), Value::Array(all))),
                }
            }
            if let Some(Value::Array(values)) = members.get("oneOf").cloned() {
                let described = values.iter().map(|it| {
                    let about = it["description"].as_str().unwrap_or_default();
                    format!("`{}`: {about}", it["const"].as_str().unwrap_or_default())
                });
                let about = members.get("description").and_then(Value::as_str).unwrap_or_default();
                let about = Some(about.to_owned())
                    .filter(|about| !about.is_empty())
                    .into_iter()
                    .chain(described)
                    .collect::<Vec<_>>()
                    .join(" ");
                let names: Value = values.iter().map(|it| it["const"].clone()).collect();
                members.remove("oneOf");
                members.insert("type".to_owned(), "string".into());
                members.insert("enum".to_owned(), names);
                members.insert("description".to_owned(), about.into());
            }
            if let Some(Value::String(text)) = members.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            members.values_mut().for_each(simplify);
        }
        Value::Array(all) => all.iter_mut().for_each(simplify),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::simplify;

    #[test]
    fn a_schema_says_the_same_in_fewer_words() {
        for (mut schema, expected) in [
            (json!({ "type": ["integer", "null"], "format": "uint64" }), json!({ "type": "integer" })),
            (
                json!({ "anyOf": [{ "type": "string" }, { "type": "null" }], "description": "a\nb" }),
                json!({ "type": "string", "description": "a b" }),
            ),
            (
                json!({ "oneOf": [{ "const": "a", "description": "One." }, { "const": "b", "description": "Other." }] }),
                json!({ "type": "string", "enum": ["a", "b"], "description": "`a`: One. `b`: Other." }),
            ),
        ] {
            simplify(&mut schema);
            assert_eq!(schema, expected);
        }
    }
}
