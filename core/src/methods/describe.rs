//! The method table told as data: what the code generator writes typed faces from, and the command line its options.

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

use super::TABLE;
use crate::home::Options;

/// Everything a typed face needs to know.
#[derive(Debug)]
pub struct Description {
    /// The methods in the order of the table.
    pub methods: Vec<MethodDescription>,
    /// Every struct that params or results name, in the order of their names. Two of one name differ, which no language
    /// can tell apart: whoever generates code refuses them.
    pub structs: Vec<Struct>,
    /// What a store may be opened with.
    pub options: Struct,
}

/// One method.
#[derive(Debug)]
pub struct MethodDescription {
    /// `room.verb`.
    pub name: &'static str,
    /// What it does.
    pub doc: String,
    /// What it takes.
    pub params: Struct,
    /// What it returns.
    pub output: Type,
}

impl MethodDescription {
    /// The room and the verb of the name.
    pub fn room_and_verb(&self) -> (&'static str, &'static str) {
        self.name.split_once('.').unwrap_or(("", self.name))
    }
}

/// An object.
#[derive(Debug, PartialEq, Eq)]
pub struct Struct {
    /// Its name.
    pub name: String,
    /// What it is.
    pub doc: String,
    /// Its members in their order.
    pub fields: Vec<Field>,
    /// Whether it may have members that are not listed.
    pub open: bool,
}

/// A member of an object.
#[derive(Debug, PartialEq, Eq)]
pub struct Field {
    /// Its key.
    pub name: String,
    /// What it means.
    pub doc: String,
    /// Its value, null aside.
    pub ty: Type,
    /// Whether it is always there.
    pub required: bool,
    /// Whether it may be null.
    pub nullable: bool,
    /// Whether the text is a path of the file system (`format: "path"` in the schema), for which languages have types.
    pub path: bool,
}

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// A string.
    Text,
    /// A whole number.
    Integer,
    /// A truth value.
    Boolean,
    /// One of these strings.
    OneOf(Vec<String>),
    /// An array.
    List(Box<Type>),
    /// The struct of this name.
    Struct(String),
    /// Any JSON.
    Json,
}

/// Tells the method table.
pub fn describe() -> Description {
    // What goes in may be left out where it has a default; what comes out is always there.
    let mut taken = SchemaSettings::default().for_deserialize().into_generator();
    let mut returned = SchemaSettings::default().for_serialize().into_generator();
    let methods = TABLE
        .iter()
        .map(|row| {
            let params = (row.params)(&mut taken);
            MethodDescription {
                name: row.name,
                doc: text(params.as_object(), "description"),
                params: as_struct(row.name, &params),
                output: as_type((row.output)(&mut returned).as_value()),
            }
        })
        .collect();
    let options = as_struct("StoreOptions", &Options::json_schema(&mut taken));
    let mut structs = definitions(&mut taken);
    structs.extend(definitions(&mut returned));
    structs.sort_by(|a, b| a.name.cmp(&b.name));
    structs.dedup();
    Description { methods, structs, options }
}

fn definitions(generator: &mut SchemaGenerator) -> Vec<Struct> {
    let definitions = generator.take_definitions(true);
    definitions
        .into_iter()
        .filter_map(|(name, schema)| Some(as_struct(&name, &Schema::try_from(schema).ok()?)))
        .collect()
}

fn as_struct(name: &str, schema: &Schema) -> Struct {
    let object = schema.as_object();
    let required = |name: &str| {
        let list = object.and_then(|object| object.get("required")).and_then(Value::as_array);
        list.is_some_and(|list| list.iter().any(|required| required == name))
    };
    let properties = object.and_then(|object| object.get("properties")).and_then(Value::as_object);
    let fields = properties.into_iter().flatten().map(|(name, schema)| Field {
        name: name.clone(),
        doc: text(schema.as_object(), "description"),
        ty: as_type(schema),
        required: required(name),
        nullable: is_nullable(schema),
        path: schema.get("format").and_then(Value::as_str) == Some("path"),
    });
    Struct {
        name: name.to_owned(),
        doc: text(object, "description"),
        fields: fields.collect(),
        open: object.is_none_or(|object| object.get("additionalProperties") != Some(&Value::Bool(false))),
    }
}

fn as_type(schema: &Value) -> Type {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        return Type::Struct(name.rsplit('/').next().unwrap_or(name).to_owned());
    }
    if let Some(choices) = schema.get("anyOf").and_then(Value::as_array) {
        return choices.iter().find(|choice| !is_null(choice)).map_or(Type::Json, as_type);
    }
    if let Some(choices) = schema.get("oneOf").and_then(Value::as_array) {
        let names: Option<Vec<_>> =
            choices.iter().map(|choice| Some(choice.get("const")?.as_str()?.to_owned())).collect();
        return names.map_or(Type::Json, Type::OneOf);
    }
    let ty = schema.get("type");
    let name = ty
        .and_then(Value::as_str)
        .or_else(|| ty?.as_array()?.iter().filter_map(Value::as_str).find(|ty| *ty != "null"));
    match name {
        Some("string") => Type::Text,
        Some("integer") => Type::Integer,
        Some("boolean") => Type::Boolean,
        Some("array") => Type::List(Box::new(schema.get("items").map_or(Type::Json, as_type))),
        _ => Type::Json,
    }
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("null")
}

fn is_nullable(schema: &Value) -> bool {
    let in_types =
        schema.get("type").and_then(Value::as_array).is_some_and(|types| types.iter().any(|ty| ty == "null"));
    in_types || schema.get("anyOf").and_then(Value::as_array).is_some_and(|choices| choices.iter().any(is_null))
}

/// A text of the schema, its source's line breaks within a paragraph undone.
fn text(object: Option<&Map<String, Value>>, key: &str) -> String {
    let text = object.and_then(|object| object.get(key)).and_then(Value::as_str).unwrap_or_default();
    text.split("\n\n").map(|paragraph| paragraph.replace('\n', " ")).collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_refuses_unknown_keys_and_is_documented() {
        let description = describe();
        for method in &description.methods {
            assert!(!method.params.open, "{} takes unknown keys", method.name);
            assert!(!method.doc.is_empty(), "{} has no doc comment", method.name);
            assert_ne!(method.output, Type::Json, "{} returns no known type", method.name);
        }
        let structs = description.structs.iter().chain(description.methods.iter().map(|method| &method.params));
        for it in structs {
            for field in &it.fields {
                assert!(!field.doc.is_empty(), "{}.{} has no doc comment", it.name, field.name);
                assert_ne!(field.ty, Type::Json, "{}.{} has no known type", it.name, field.name);
            }
        }
    }

    #[test]
    fn a_name_stands_for_one_struct() {
        for pair in describe().structs.windows(2) {
            assert_ne!(pair[0].name, pair[1].name, "{:?} and {:?}", pair[0], pair[1]);
        }
    }

    #[test]
    fn paths_are_told_from_other_texts() {
        let description = describe();
        let identify = description.methods.iter().find(|method| method.name == "repo.identify").unwrap();
        let fields = identify.params.fields.iter().chain(&description.options.fields);
        let paths: Vec<_> = fields.filter(|field| field.path).map(|field| (field.name.as_str(), &field.ty)).collect();
        assert_eq!(paths, ["workspace", "home", "codexHome", "branchMemoryRoot"].map(|name| (name, &Type::Text)));
    }

    #[test]
    fn results_always_have_their_nullable_fields() {
        let description = describe();
        let identity = description.structs.iter().find(|it| it.name == "RepoIdentity").unwrap();
        let branch = identity.fields.iter().find(|field| field.name == "branch").unwrap();
        assert!(branch.required && branch.nullable);
    }
}
