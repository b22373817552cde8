//! The method table as data: the code generator writes the typed APIs from it, and the command line its options.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

use super::{TABLE, entries};
use crate::home::Options;

/// Everything that a typed API is generated from.
#[derive(Debug)]
pub struct Description {
    /// The rooms in the order of the table.
    pub rooms: Vec<RoomDescription>,
    /// The methods in the order of the table.
    pub methods: Vec<MethodDescription>,
    /// Every struct that params or results refer to, sorted by name. Duplicate names are an error, which the code
    /// generator reports.
    pub structs: Vec<Struct>,
    /// Every union that results refer to, sorted by name.
    pub unions: Vec<Union>,
    /// The options of a store.
    pub options: Struct,
}

/// A room that has methods.
#[derive(Debug)]
pub struct RoomDescription {
    /// Its name.
    pub name: &'static str,
    /// A short description.
    pub about: &'static str,
}

/// One method.
#[derive(Debug)]
pub struct MethodDescription {
    /// `room.verb`.
    pub name: &'static str,
    /// What it does.
    pub doc: String,
    /// Its params.
    pub params: Struct,
    /// Its result.
    pub output: Type,
}

impl MethodDescription {
    /// The two parts of the name.
    pub fn room_and_verb(&self) -> (&'static str, &'static str) {
        self.name.split_once('.').unwrap_or(("", self.name))
    }
}

/// An object.
#[derive(Debug, PartialEq, Eq)]
pub struct Struct {
    /// Its name.
    pub name: String,
    /// Its documentation.
    pub doc: String,
    /// Its members in order.
    pub fields: Vec<Field>,
    /// Whether unlisted members are allowed.
    pub open: bool,
}

/// One of several objects, distinguished by the value of a tag member.
#[derive(Debug, PartialEq, Eq)]
pub struct Union {
    /// Its name.
    pub name: String,
    /// Its documentation.
    pub doc: String,
    /// The names of its structs in [`Description::structs`].
    pub structs: Vec<String>,
}

/// A member of an object.
#[derive(Debug, PartialEq, Eq)]
pub struct Field {
    /// Its key.
    pub name: String,
    /// What it means.
    pub doc: String,
    /// The type of its value, apart from null.
    pub ty: Type,
    /// Whether it is always present.
    pub required: bool,
    /// Whether it may be null.
    pub nullable: bool,
    /// Whether the text is a file system path (`format: "path"` in the schema), for which some languages have a type.
    pub path: bool,
    /// The param that this is an offset into (`offsetInto` in the schema): in UTF-8 bytes in the table, in the
    /// language's string indices in a typed API.
    pub offset_into: Option<String>,
}

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// A string.
    Text,
    /// A whole number.
    Integer,
    /// A number with a fraction.
    Number,
    /// A boolean.
    Boolean,
    /// One of these strings.
    OneOf(Vec<String>),
    /// An array.
    List(Box<Type>),
    /// A list of names, or the struct of this name with a value for each of them. Only in params.
    ListOrStruct(Box<Type>, String),
    /// A text that says what the struct of this name says, or that struct. Only in params.
    TextOrStruct(String),
    /// The struct or union of this name.
    Struct(String),
    /// An object with any names and any JSON under them.
    Object,
    /// Any JSON.
    Json,
}

/// Describes the method table.
pub fn describe() -> Description {
    // A param with a default may be omitted; a member of a result is always present.
    let mut taken = SchemaSettings::default().for_deserialize().into_generator();
    let mut returned = SchemaSettings::default().for_serialize().into_generator();
    let rooms = TABLE.iter().map(|group| RoomDescription { name: group.name, about: group.about }).collect();
    let methods = entries()
        .map(|entry| {
            let params = (entry.params)(&mut taken);
            MethodDescription {
                name: entry.name,
                doc: text(params.as_object(), "description"),
                params: as_struct(entry.name, &params),
                output: as_type((entry.output)(&mut returned).as_value()),
            }
        })
        .collect();
    let options = as_struct("StoreOptions", &Options::json_schema(&mut taken));
    let (mut structs, mut unions) = (Vec::new(), Vec::new());
    for generator in [&mut taken, &mut returned] {
        for (name, schema) in generator.take_definitions(true) {
            match as_union(&name, &schema) {
                Some((union, variants)) => {
                    structs.extend(variants);
                    unions.push(union);
                }
                None => structs.extend(Schema::try_from(schema).ok().map(|schema| as_struct(&name, &schema))),
            }
        }
    }
    structs.sort_by(|a, b| a.name.cmp(&b.name));
    structs.dedup();
    unions.sort_by(|a, b| a.name.cmp(&b.name));
    Description { rooms, methods, structs, unions, options }
}

/// An enum whose variants are objects, and a struct for each variant, named after its tag.
fn as_union(name: &str, schema: &Value) -> Option<(Union, Vec<Struct>)> {
    let variants = schema.get("oneOf")?.as_array()?.iter().map(|variant| {
        let properties = variant.get("properties")?.as_object()?;
        let word = properties.values().find_map(|property| property.get("const")?.as_str())?;
        let name = format!("{name}{}{}", word[..1].to_uppercase(), &word[1..]);
        let mut it = as_struct(&name, &Schema::try_from(variant.clone()).ok()?);
        for field in &mut it.fields {
            // A variant of an enum has one comment for all of its members.
            field.doc.clone_from(&it.doc);
        }
        Some(it)
    });
    let structs: Vec<Struct> = variants.collect::<Option<_>>()?;
    let names = structs.iter().map(|it| it.name.clone()).collect();
    Some((Union { name: name.to_owned(), doc: text(schema.as_object(), "description"), structs: names }, structs))
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
        offset_into: schema.get("offsetInto").and_then(Value::as_str).map(str::to_owned),
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
        let types: Vec<Type> = choices.iter().filter(|choice| !is_null(choice)).map(as_type).collect();
        return match types.as_slice() {
            [ty] => ty.clone(),
            [Type::List(names), Type::Struct(values)] => Type::ListOrStruct(names.clone(), values.clone()),
            [Type::Text, Type::Struct(said)] => Type::TextOrStruct(said.clone()),
            _ => Type::Json,
        };
    }
    if let Some(choices) = schema.get("oneOf").and_then(Value::as_array) {
        let names: Option<Vec<_>> =
            choices.iter().map(|choice| Some(choice.get("const")?.as_str()?.to_owned())).collect();
        return names.map_or(Type::Json, Type::OneOf);
    }
    if let Some(word) = schema.get("const").and_then(Value::as_str) {
        return Type::OneOf(vec![word.to_owned()]);
    }
    let ty = schema.get("type");
    let name = ty
        .and_then(Value::as_str)
        .or_else(|| ty?.as_array()?.iter().filter_map(Value::as_str).find(|ty| *ty != "null"));
    match name {
        Some("string") => Type::Text,
        Some("integer") => Type::Integer,
        Some("number") => Type::Number,
        Some("boolean") => Type::Boolean,
        Some("object") => Type::Object,
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

/// A text of the schema, with each paragraph on one line.
fn text(object: Option<&Map<String, Value>>, key: &str) -> String {
    let text = object.and_then(|object| object.get(key)).and_then(Value::as_str).unwrap_or_default();
    text.split("\n\n").map(|paragraph| paragraph.replace('\n', " ")).collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_rejects_unknown_keys_and_is_documented() {
        let description = describe();
        for method in &description.methods {
            assert!(!method.params.open, "{} accepts unknown keys", method.name);
            assert!(!method.doc.is_empty(), "{} has no doc comment", method.name);
            assert_ne!(method.output, Type::Json, "{} returns no known type", method.name);
        }
        let structs = description.structs.iter().chain(description.methods.iter().map(|method| &method.params));
        for it in structs {
            for field in &it.fields {
                assert!(!field.doc.is_empty(), "{}.{} has no doc comment", it.name, field.name);
                // The configuration of another program, and what an adapter stores under a key.
                let is_any = ["config", "entry", "value", "item"].contains(&&*field.name);
                assert!(is_any || field.ty != Type::Json, "{}.{} has no known type", it.name, field.name);
            }
        }
    }

    #[test]
    fn struct_names_are_unique() {
        for pair in describe().structs.windows(2) {
            assert_ne!(pair[0].name, pair[1].name, "{:?} and {:?}", pair[0], pair[1]);
        }
    }

    #[test]
    fn paths_are_distinguished_from_other_texts() {
        let description = describe();
        let identify = description.methods.iter().find(|method| method.name == "repo.identify").unwrap();
        let fields = identify.params.fields.iter().chain(&description.options.fields);
        let paths: Vec<_> = fields.filter(|field| field.path).map(|field| (field.name.as_str(), &field.ty)).collect();
        assert_eq!(
            paths,
            ["workspace", "home", "codexHome", "branchMemoryRoot", "redisCaFile", "rolloutsRoot"]
                .map(|name| (name, &Type::Text))
        );
    }

    #[test]
    fn an_offset_names_the_text_it_refers_to() {
        let description = describe();
        let secret = description.structs.iter().find(|it| it.name == "SecretFinding").unwrap();
        let offsets = secret.fields.iter().filter_map(|field| Some((&*field.name, field.offset_into.as_deref()?)));
        assert_eq!(offsets.collect::<Vec<_>>(), [("start", "text"), ("end", "text")]);
    }

    #[test]
    fn nullable_fields_of_results_are_always_present() {
        let description = describe();
        let identity = description.structs.iter().find(|it| it.name == "RepoIdentity").unwrap();
        let branch = identity.fields.iter().find(|field| field.name == "branch").unwrap();
        assert!(branch.required && branch.nullable);
    }
}
