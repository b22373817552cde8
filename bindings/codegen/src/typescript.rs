//! `bindings/node/ts/generated/`: the types, rooms and errors of the Node package, laid out as Prettier would.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use loopmem::ErrorKind;
use loopmem::methods::{Description, Field, Struct, Type};

use crate::names::{Offsets, Way, by_room, keeps_unknown_fields, offsets, pascal, way, wrapped};

const NOTE: &str = "// Generated from the method table by scripts/generate. Do not edit.\n";

/// The maximum line length, as in `bindings/node/.prettierrc.json`.
const LINE: usize = 120;

/// The types that the generated ones use, and `WithUnknown` for a host's own fields.
const PRELUDE: &str = r#"
/** Any JSON value. */
export type JsonValue =
  null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue | undefined };

/**
 * A record that has fields of your own in addition to those of `T`. They may contain any JSON, and are redacted, stored
 * and returned like the others.
 *
 * A draft accepts only the fields it lists, so a misspelt key does not compile; your own are in `extra`. A returned
 * record can be read as a `WithUnknown`, and that can be passed wherever `T` is expected, to store it again:
 *
 * ```ts
 * const convention = { title: "Use pnpm", content: "…", extra: { priority: 1 } };
 * const stored: WithUnknown<Convention> = await store.memory.upsertConvention({ convention });
 * const priority: JsonValue | undefined = stored["priority"];
 * ```
 *
 * This does not extend to nested objects, such as the metadata of a log entry, unless they are `WithUnknown` too.
 */
export type WithUnknown<T extends object> = T & { readonly [field: string]: JsonValue | undefined };
"#;

/// Records, params, and the map from a method's name to its params and result.
pub(crate) fn types(description: &Description) -> String {
    let mut out = String::from(NOTE);
    out.push_str(PRELUDE);
    for it in &description.structs {
        alias(&mut out, &it.name, it, way(it, description), keeps_unknown_fields(it, description));
    }
    for union in &description.unions {
        comment(&mut out, "", &union.doc);
        let _ = writeln!(out, "{}", one_of(&format!("export type {} =", union.name), "", &union.structs));
    }
    alias(&mut out, &description.options.name, &description.options, Way::In, false);
    for method in &description.methods {
        alias(&mut out, &format!("{}Params", pascal(method.name)), &method.params, Way::In, false);
    }
    out.push_str("\n/** The params and the result of every method. */\nexport type Methods = {\n");
    for method in &description.methods {
        let params = format!("params: {}Params", pascal(method.name));
        let result = format!("result: {}", type_of(&method.output, Way::Out));
        let line = format!("  \"{}\": {{ {params}; {result} }};", method.name);
        if line.len() <= LINE {
            let _ = writeln!(out, "{line}");
        } else {
            let _ = writeln!(out, "  \"{}\": {{\n    {params};\n    {result};\n  }};", method.name);
        }
    }
    out.push_str("};\n");
    out
}

fn alias(out: &mut String, name: &str, it: &Struct, way: Way, open: bool) {
    let own_fields = if open { "\n\nMay have fields of your own: see `WithUnknown`." } else { "" };
    comment(out, "", &format!("{}{own_fields}", it.doc));
    if it.fields.is_empty() {
        // `{}` would accept any value.
        let _ = writeln!(out, "export type {name} = Record<string, never>;");
        return;
    }
    let _ = writeln!(out, "export type {name} = {{");
    for field in &it.fields {
        comment(out, "  ", &field.doc);
        let _ = writeln!(out, "{}", member(field, way));
    }
    out.push_str("};\n");
}

/// A member of a type.
fn member(field: &Field, way: Way) -> String {
    // In results, unknown values are absent and never null.
    let (mark, absent): (_, &[&str]) = match (field.required, field.nullable) {
        (true, true) => ("", &["null"]),
        (true, false) => ("", &[]),
        (false, _) if way == Way::Out => ("?", &[]),
        (false, _) => ("?", &["null", "undefined"]),
    };
    let choices = match &field.ty {
        Type::OneOf(names) => names.iter().map(|name| format!("\"{name}\"")).collect(),
        Type::ListOrStruct(names, values) => vec![type_of(&Type::List(names.clone()), way), values.clone()],
        Type::TextOrStruct(said) => vec!["string".to_owned(), said.clone()],
        ty => vec![type_of(ty, way)],
    };
    let choices: Vec<_> = choices.into_iter().chain(absent.iter().map(|&it| it.to_owned())).collect();
    one_of(&format!("  {}{mark}:", field.name), "  ", &choices)
}

/// A union type after its declaration: on the same line, on the next one, or with one choice per line.
fn one_of(named: &str, indent: &str, choices: &[String]) -> String {
    let together = choices.join(" | ");
    let fits = |before: usize| before + together.len() + ";".len() <= LINE;
    if fits(named.len() + 1) {
        format!("{named} {together};")
    } else if fits(indent.len() + 2) {
        format!("{named}\n{indent}  {together};")
    } else {
        let choices: Vec<String> = choices.iter().map(|choice| broken(indent, choice)).collect();
        format!("{named}\n{indent}  | {};", choices.join(&format!("\n{indent}  | ")))
    }
}

/// One member of a union. An array of literals is split if it is too long for one line: over three, or with a line for each.
fn broken(indent: &str, choice: &str) -> String {
    let words = choice.split_once('(').and_then(|(before, rest)| Some((before, rest.strip_suffix(")[]")?)));
    match words {
        Some((before, words)) if indent.len() + "  | ".len() + choice.len() > LINE => {
            let inner = format!("{indent}      ");
            let words = match inner.len() + words.len() > LINE {
                true => format!("| {}", words.replace(" | ", &format!("\n{inner}| "))),
                false => words.to_owned(),
            };
            format!("{before}(\n{inner}{words}\n{indent}    )[]")
        }
        _ => choice.to_owned(),
    }
}

fn type_of(ty: &Type, way: Way) -> String {
    match ty {
        Type::Text => "string".to_owned(),
        Type::Integer | Type::Number => "number".to_owned(),
        Type::Boolean => "boolean".to_owned(),
        Type::OneOf(names) => names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(" | "),
        Type::List(inner) => {
            let readonly = if way == Way::In { "readonly " } else { "" };
            let item = type_of(inner, way);
            match &**inner {
                Type::OneOf(_) => format!("{readonly}({item})[]"),
                Type::List(_) if way == Way::In => format!("{readonly}({item})[]"),
                _ => format!("{readonly}{item}[]"),
            }
        }
        Type::ListOrStruct(names, values) => format!("{} | {values}", type_of(&Type::List(names.clone()), way)),
        Type::TextOrStruct(said) => format!("string | {said}"),
        Type::Struct(name) => name.clone(),
        Type::Object if way == Way::In => "{ readonly [key: string]: JsonValue | undefined }".to_owned(),
        Type::Object => "{ [key: string]: JsonValue }".to_owned(),
        Type::Json => "JsonValue".to_owned(),
    }
}

fn comment(out: &mut String, indent: &str, doc: &str) {
    if out.ends_with(";\n") && indent.is_empty() {
        out.push('\n');
    }
    let _ = write!(out, "{indent}/**\n{}{indent} */\n", wrapped(doc, &format!("{indent} * ")));
}

/// A class for each room, with each method in an asynchronous and a `…Sync` form, and `StoreApi` with a property for each.
pub(crate) fn rooms(description: &Description) -> String {
    let mut out = String::from(NOTE);
    let mut named: BTreeSet<String> = BTreeSet::new();
    for method in &description.methods {
        named.insert(format!("{}Params", pascal(method.name)));
        named.extend(name_in(&method.output).map(ToOwned::to_owned));
    }
    let named = named.into_iter().map(|name| format!("\n  {name},")).collect::<String>();
    let _ = write!(
        out,
        "\nimport type {{{named}\n}} from \"./types.cjs\";\nimport type {{ CallOptions, Caller }} from \"../caller.cjs\";\n\
         import {{ inUnits, textOf }} from \"../offsets.cjs\";\n",
    );
    for (room, methods) in by_room(description) {
        let _ = write!(
            out,
            "\n/** `{room}.*` of a store. */\nexport class {}Api {{\n  readonly #caller: Caller;\n\n  constructor(caller: Caller) {{\n    \
             this.#caller = caller;\n  }}\n",
            pascal(room)
        );
        for method in methods {
            let (_, verb) = method.room_and_verb();
            let params = format!("{}Params", pascal(method.name));
            let result = type_of(&method.output, Way::Out);
            let default = if method.params.fields.iter().any(|field| field.required) { "" } else { " = {}" };
            for (suffix, returned) in [("", format!("Promise<{result}>")), ("Sync", result)] {
                out.push('\n');
                comment(&mut out, "  ", &method.doc);
                let call = format!("this.#caller.call{suffix}(\"{}\", params, options)", method.name);
                let (define, body) = match (offsets(description, method), suffix) {
                    (None, _) => ("", format!("return {call};")),
                    (Some(them), "") => ("async ", in_units(&them, &format!("await {call}"))),
                    (Some(them), _) => ("", in_units(&them, &call)),
                };
                let takes = [format!("params: {params}{default}"), "options?: CallOptions".to_owned()];
                let line = format!("  {define}{verb}{suffix}({}): {returned} {{", takes.join(", "));
                if line.len() <= LINE {
                    let _ = writeln!(out, "{line}");
                } else {
                    let takes = takes.join(",\n    ");
                    let _ = writeln!(out, "  {define}{verb}{suffix}(\n    {takes},\n  ): {returned} {{");
                }
                let _ = writeln!(out, "    {body}\n  }}");
            }
        }
        out.push_str("}\n");
    }
    out.push_str("\n/** The methods of a store, grouped by module. */\nexport class StoreApi {\n");
    for (room, _) in by_room(description) {
        let _ = writeln!(out, "  /** `{room}.*` */\n  readonly {room}: {}Api;", pascal(room));
    }
    out.push_str("\n  constructor(caller: Caller) {\n");
    for (room, _) in by_room(description) {
        let _ = writeln!(out, "    this.{room} = new {}Api(caller);", pascal(room));
    }
    out.push_str("  }\n}\n");
    out
}

/// The type of `types.cts` that this type refers to, if any.
fn name_in(ty: &Type) -> Option<&str> {
    match ty {
        Type::List(inner) => name_in(inner),
        Type::Struct(name) | Type::ListOrStruct(_, name) | Type::TextOrStruct(name) => Some(name),
        Type::Object | Type::Json => Some("JsonValue"),
        Type::Text | Type::Integer | Type::Number | Type::Boolean | Type::OneOf(_) => None,
    }
}

/// The statements that make a `call` and convert the offsets in its result to UTF-16 units.
fn in_units(Offsets { list, keys, text }: &Offsets<'_>, call: &str) -> String {
    let keys = keys.iter().map(|key| format!("\"{key}\"")).collect::<Vec<_>>().join(", ");
    let member = list.map(|list| format!(".{list}")).unwrap_or_default();
    // The text is read before the call: the host may change the params during an `await`.
    format!(
        "const text = textOf(params, \"{text}\");\n    const result = {call};\n    \
         inUnits(text, result{member}, [{keys}]);\n    return result;"
    )
}

/// A class for each kind of error.
pub(crate) fn errors() -> String {
    let mut out = String::from(NOTE);
    out.push_str("\nimport { LoopmemError } from \"../error.cjs\";\n");
    for kind in ErrorKind::ALL {
        let _ = writeln!(out, "\n/** {} */\nexport class {} extends LoopmemError {{}}", kind.doc(), kind.code());
    }
    out
}

/// The map from a code to its class; not public.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_says_its_unit() {
        let description = loopmem::methods::describe();
        let params = description.methods.iter().map(|method| &method.params);
        for it in params.chain(&description.structs).chain([&description.options]) {
            for Field { name, doc, .. } in &it.fields {
                let is_instant = doc.contains("since 1970") || doc.contains("since the Unix epoch");
                let is_duration = doc.contains("in milliseconds") && !is_instant;
                assert_eq!(name.ends_with("Ms"), is_duration, "{}.{name}", it.name);
            }
        }
    }

    #[test]
    fn what_does_not_fit_on_a_line_is_laid_out_as_prettier_would() {
        let choices = |length: usize| ["a", "b"].map(|name| name.repeat(length));
        let laid_out = |length| one_of("  fault:", "  ", &choices(length));
        let [a, b] = choices(53);
        assert_eq!(laid_out(53), format!("  fault: {a} | {b};"));
        let [a, b] = choices(56);
        assert_eq!(laid_out(56), format!("  fault:\n    {a} | {b};"));
        let [a, b] = choices(57);
        assert_eq!(laid_out(57), format!("  fault:\n    | {a}\n    | {b};"));
    }

    #[test]
    fn lists_that_are_passed_in_may_be_frozen_and_those_that_come_out_are_the_hosts() {
        let list = |inner| Type::List(Box::new(inner));
        for (ty, passed, returned) in [
            (list(Type::Text), "readonly string[]", "string[]"),
            (list(Type::OneOf(vec!["a".into(), "b".into()])), "readonly (\"a\" | \"b\")[]", "(\"a\" | \"b\")[]"),
            (list(list(Type::Text)), "readonly (readonly string[])[]", "string[][]"),
        ] {
            assert_eq!((type_of(&ty, Way::In).as_str(), type_of(&ty, Way::Out).as_str()), (passed, returned));
        }
    }
}
