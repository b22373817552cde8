//! `bindings/node/ts/generated/`: the types, rooms and errors of the Node package.

use std::fmt::Write as _;

use loopmem::ErrorKind;
use loopmem::methods::{Description, Field, Struct, Type};

use crate::names::{by_room, pascal, wrapped};

const NOTE: &str = "// Generated from the method table by scripts/generate. Do not edit.\n";

/// Records, params, and the map from a method's name to both.
pub(crate) fn types(description: &Description) -> String {
    let mut out = String::from(NOTE);
    out.push_str(
        "\n/** Any JSON value. */\nexport type JsonValue =\n  | null\n  | boolean\n  | number\n  | string\n  | readonly JsonValue[]\n  \
         | { readonly [key: string]: JsonValue | undefined };\n",
    );
    for it in &description.structs {
        alias(&mut out, &it.name, it, keeps_unknown_fields(it, description));
    }
    alias(&mut out, &description.options.name, &description.options, false);
    for method in &description.methods {
        alias(&mut out, &format!("{}Params", pascal(method.name)), &method.params, false);
    }
    out.push_str("\n/** Every method: what it takes and what it returns. */\nexport type Methods = {\n");
    for method in &description.methods {
        let params = format!("{}Params", pascal(method.name));
        let _ = writeln!(out, "  \"{}\": {{ params: {params}; result: {} }};", method.name, type_of(&method.output));
    }
    out.push_str("};\n");
    out
}

/// Whether it is an open draft, or the record that comes of one and has the same unknown fields.
fn keeps_unknown_fields(it: &Struct, description: &Description) -> bool {
    let draft = |it: &Struct| it.open && it.fields.iter().all(|field| !field.required);
    let name = format!("{}Draft", it.name);
    draft(it) || description.structs.iter().any(|other| other.name == name && draft(other))
}

fn alias(out: &mut String, name: &str, it: &Struct, open: bool) {
    comment(out, "", &it.doc);
    let _ = writeln!(out, "export type {name} = {{");
    for field in &it.fields {
        comment(out, "  ", &field.doc);
        let _ = writeln!(out, "  {}", member(field));
    }
    if open {
        out.push_str(
            "  /** Fields that this version does not know are kept. */\n  [field: string]: JsonValue | undefined;\n",
        );
    }
    out.push_str("};\n");
}

fn member(field: &Field) -> String {
    let ty = type_of(&field.ty);
    match (field.required, field.nullable) {
        (true, true) => format!("{}: {ty} | null;", field.name),
        (true, false) => format!("{}: {ty};", field.name),
        (false, _) => format!("{}?: {} | null | undefined;", field.name, ty.replace("string[]", "readonly string[]")),
    }
}

fn type_of(ty: &Type) -> String {
    match ty {
        Type::Text => "string".to_owned(),
        Type::Integer => "number".to_owned(),
        Type::Boolean => "boolean".to_owned(),
        Type::OneOf(names) => names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(" | "),
        Type::List(inner) => match &**inner {
            Type::OneOf(_) => format!("({})[]", type_of(inner)),
            _ => format!("{}[]", type_of(inner)),
        },
        Type::Struct(name) => name.clone(),
        Type::Json => "JsonValue".to_owned(),
    }
}

fn comment(out: &mut String, indent: &str, doc: &str) {
    if out.ends_with(";\n") && indent.is_empty() {
        out.push('\n');
    }
    let _ = write!(out, "{indent}/**\n{}{indent} */\n", wrapped(doc, &format!("{indent} * ")));
}

/// One class a room, with each method as a Promise and as its `…Sync` twin.
pub(crate) fn rooms(description: &Description) -> String {
    let mut out = String::from(NOTE);
    out.push_str(
        "\nimport type * as t from \"./types.cjs\";\nimport type { CallOptions, Caller } from \"../caller.cjs\";\n",
    );
    for (room, methods) in by_room(description) {
        let _ = write!(
            out,
            "\n/** `{room}.*` of a store. */\nexport class {}Room {{\n  readonly #caller: Caller;\n\n  constructor(caller: Caller) {{\n    \
             this.#caller = caller;\n  }}\n",
            pascal(room)
        );
        for method in methods {
            let (_, verb) = method.room_and_verb();
            let params = format!("t.{}Params", pascal(method.name));
            let result = format!("t.Methods[\"{}\"][\"result\"]", method.name);
            let default = if method.params.fields.iter().any(|field| field.required) { "" } else { " = {}" };
            for (suffix, returned) in [("", format!("Promise<{result}>")), ("Sync", result)] {
                out.push('\n');
                comment(&mut out, "  ", &method.doc);
                let _ = writeln!(
                    out,
                    "  {verb}{suffix}(params: {params}{default}, options?: CallOptions): {returned} {{\n    return \
                     this.#caller.call{suffix}(\"{}\", params, options);\n  }}",
                    method.name
                );
            }
        }
        out.push_str("}\n");
    }
    out.push_str("\n/** The rooms of a store. */\nexport class Rooms {\n");
    for (room, _) in by_room(description) {
        let _ = writeln!(out, "  /** `{room}.*` */\n  readonly {room}: {}Room;", pascal(room));
    }
    out.push_str("\n  constructor(caller: Caller) {\n");
    for (room, _) in by_room(description) {
        let _ = writeln!(out, "    this.{room} = new {}Room(caller);", pascal(room));
    }
    out.push_str("  }\n}\n");
    out
}

/// One class a kind of error.
pub(crate) fn errors() -> String {
    let mut out = String::from(NOTE);
    out.push_str("\nimport { LoopmemError } from \"../error.cjs\";\n");
    for kind in ErrorKind::ALL {
        let _ = writeln!(out, "\n/** {} */\nexport class {} extends LoopmemError {{}}", kind.doc(), kind.code());
    }
    out
}

/// From a code to its class; not for hosts.
pub(crate) fn error_classes() -> String {
    let mut out = String::from(NOTE);
    out.push_str("\nimport type { LoopmemError } from \"../error.cjs\";\nimport * as errors from \"./errors.cjs\";\n");
    out.push_str("\n/** The class of each code. */\nexport const errorClasses: ReadonlyMap<string, typeof LoopmemError> = new Map([\n");
    for kind in ErrorKind::ALL {
        let _ = writeln!(out, "  [\"{0}\", errors.{0}],", kind.code());
    }
    out.push_str("]);\n");
    out
}
