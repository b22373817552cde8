//! `bindings/python/python/loopmem/`: the types, rooms and errors of the Python package.

use std::fmt::Write as _;

use loopmem::ErrorKind;
use loopmem::methods::{Description, Field, MethodDescription, Struct, Type};

use crate::names::{Way, by_room, keeps_unknown_fields, offsets, pascal, snake, way, wrapped};

const NOTE: &str = "# Generated from the method table by scripts/generate. Do not edit.\n";

/// Whether a method blocks or is awaited.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flavour {
    Blocking,
    Asynchronous,
}

/// The records.
pub(crate) fn types(description: &Description) -> String {
    let mut out = format!("\"\"\"The records that methods take and return.\"\"\"\n\n{NOTE}");
    out.push_str(
        "\nfrom __future__ import annotations\n\nimport os\nfrom collections.abc import Mapping, Sequence\nfrom typing import Literal, TypeAlias, TypedDict\n\nfrom ._adapter import Logger, PersistenceAdapter\n\n\
         JsonValue: TypeAlias = \"None | bool | int | float | str | list[JsonValue] | dict[str, JsonValue]\"\n\"\"\"Any JSON value.\"\"\"\n",
    );
    for it in &description.structs {
        typed_dict(&mut out, it, way(it, description), keeps_unknown_fields(it, description));
    }
    for union in &description.unions {
        let _ = writeln!(out, "\n\n{} = {}", union.name, union.structs.join(" | "));
        docstring(&mut out, "", &union.doc);
    }
    keyword_arguments(&mut out, &description.options);
    out.push_str("\n\n__all__ = [\n    \"JsonValue\",\n");
    let structs = description.structs.iter().chain([&description.options]).map(|it| &it.name);
    for name in structs.chain(description.unions.iter().map(|it| &it.name)) {
        let _ = writeln!(out, "    \"{name}\",");
    }
    out.push_str("]\n");
    out
}

fn typed_dict(out: &mut String, it: &Struct, way: Way, open: bool) {
    let (required, optional): (Vec<_>, Vec<_>) = it.fields.iter().partition(|field| field.required);
    let base = if required.is_empty() || optional.is_empty() {
        "TypedDict".to_owned()
    } else {
        let _ = writeln!(out, "\n\nclass _{}Required(TypedDict):", it.name);
        members(out, &required, way);
        format!("_{}Required", it.name)
    };
    let total = if optional.is_empty() { "" } else { ", total=False" };
    let _ = writeln!(out, "\n\nclass {}({base}{total}):", it.name);
    // A TypedDict cannot be open; a mapping of anything in its place would have its own fields unchecked too.
    let kept = "Fields that this version does not know are kept; a subclass may declare them.";
    let doc = if open { format!("{}\n\n{kept}", it.doc) } else { it.doc.clone() };
    docstring(out, "    ", &doc);
    out.push('\n');
    members(out, if optional.is_empty() { &required } else { &optional }, way);
}

/// Keyword arguments as a TypedDict, for who collects them first.
fn keyword_arguments(out: &mut String, it: &Struct) {
    let _ = writeln!(out, "\n\nclass {}(TypedDict, total=False):", it.name);
    docstring(out, "    ", &it.doc);
    out.push('\n');
    for field in &it.fields {
        let _ = writeln!(out, "    {}: {} | None", snake(&field.name), option(field, "", ""));
        docstring(out, "    ", &option_doc(field));
    }
    let _ = writeln!(out, "    logger: Logger | None");
    docstring(out, "    ", LOGGER);
}

/// What the option `logger` is, which only languages have.
const LOGGER: &str = "What is told of every call when it is over, such as a `logging.Logger`. Default: nobody.";

fn option_doc(field: &Field) -> String {
    match field.name.as_str() {
        "adapter" => format!("{} Or an object of your own: see `PersistenceAdapter`.", field.doc),
        _ => field.doc.clone(),
    }
}

/// What an option may be: the adapter also the host's own object.
fn option(field: &Field, types: &str, lent: &str) -> String {
    match field.name.as_str() {
        "adapter" => format!("{} | {lent}PersistenceAdapter", accepted(field, types)),
        _ => accepted(field, types),
    }
}

fn members(out: &mut String, fields: &[&Field], way: Way) {
    for field in fields {
        let ty = if way == Way::In { accepted(field, "") } else { type_of(&field.ty, "") };
        // What comes out and is not known is left out.
        let is_null = field.nullable && (field.required || way == Way::In);
        let null = if is_null { " | None" } else { "" };
        let _ = writeln!(out, "    {}: {ty}{null}", field.name);
        docstring(out, "    ", &field.doc);
    }
}

fn type_of(ty: &Type, module: &str) -> String {
    match ty {
        Type::Text => "str".to_owned(),
        Type::Integer => "int".to_owned(),
        Type::Number => "float".to_owned(),
        Type::Boolean => "bool".to_owned(),
        Type::OneOf(names) => {
            format!("Literal[{}]", names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", "))
        }
        Type::List(inner) => format!("list[{}]", type_of(inner, module)),
        Type::Struct(name) => format!("{module}{name}"),
        Type::Object => format!("dict[str, {module}JsonValue]"),
        Type::Json => "object".to_owned(),
    }
}

/// What a caller may pass: any path where a path is meant.
fn accepted(field: &Field, module: &str) -> String {
    match &field.ty {
        Type::Text if field.path => "str | os.PathLike[str]".to_owned(),
        ty => passed(ty, module),
    }
}

/// What a caller may pass: any sequence where a list is meant, and where a draft is, the record that was read.
fn passed(ty: &Type, module: &str) -> String {
    match ty {
        Type::List(inner) => format!("Sequence[{}]", passed(inner, module)),
        Type::Object => "Mapping[str, object]".to_owned(),
        Type::Struct(name) => match name.strip_suffix("Draft") {
            Some(record) => format!("{module}{name} | {module}{record}"),
            None => type_of(ty, module),
        },
        _ => type_of(ty, module),
    }
}

fn docstring(out: &mut String, indent: &str, doc: &str) {
    let text = wrapped(doc, indent);
    let text = text.trim_start();
    if text.trim_end().contains('\n') {
        let _ = writeln!(out, "{indent}\"\"\"{text}{indent}\"\"\"");
    } else {
        let _ = writeln!(out, "{indent}\"\"\"{}\"\"\"", text.trim_end());
    }
}

/// One class a room, and the class of all of them, which opens a store.
pub(crate) fn rooms(description: &Description, flavour: Flavour) -> String {
    let asynchronous = flavour == Flavour::Asynchronous;
    let (title, caller) = if asynchronous {
        ("The rooms of a store, to be awaited.", "AsyncCaller")
    } else {
        ("The rooms of a store.", "Caller")
    };
    let mut out = format!("\"\"\"{title}\"\"\"\n\n{NOTE}");
    let _ = write!(
        out,
        "\nfrom __future__ import annotations\n\nfrom ._caller import {caller}, Cancel, cast, overload, path_text\n\
         from ._offsets import in_code_points\n\n\
         TYPE_CHECKING = False\nif TYPE_CHECKING:\n    import os\n    from collections.abc import Mapping, Sequence\n    \
         from typing import Literal\n\n    from typing_extensions import Self\n\n    from . import _adapter as a\n    from . import _types as t\n"
    );
    for (room, methods) in by_room(description) {
        let _ = write!(
            out,
            "\n\nclass {}Room:\n    \"\"\"`{room}.*` of a store.\"\"\"\n\n    __slots__ = (\"_caller\",)\n\n    \
             def __init__(self, caller: {caller}) -> None:\n        self._caller = caller\n",
            pascal(room)
        );
        for method in methods {
            let (_, verb) = method.room_and_verb();
            let result = type_of(&method.output, "t.");
            let define = if asynchronous { "async def" } else { "def" };
            let _ = writeln!(out, "\n    {define} {}(\n        self,\n        *,", snake(verb));
            parameters(&mut out, &method.params);
            out.push_str("        timeout_ms: int | None = None,\n        cancel: Cancel | None = None,\n");
            let _ = writeln!(out, "    ) -> {result}:");
            docstring(&mut out, "        ", &doc_with_fields(&method.doc, &method.params));
            let pass_on = if asynchronous { "await self._caller.call" } else { "self._caller.call" };
            let _ = writeln!(out, "        result = {pass_on}(\n            \"{}\",\n            {{", method.name);
            arguments(&mut out, "                ", &method.params);
            let _ = writeln!(
                out,
                "            }},\n            timeout_ms=timeout_ms,\n            cancel=cancel,\n        )\n{}        \
                 return cast(\"{result}\", result)",
                converted(description, method)
            );
        }
    }
    all_rooms(&mut out, description, asynchronous, caller);
    out
}

/// The line that turns the offsets of a result into an index of a `str`; empty where there are none.
fn converted(description: &Description, method: &MethodDescription) -> String {
    let Some(them) = offsets(description, method) else { return String::new() };
    let keys = them.keys.iter().map(|key| format!("\"{key}\"")).collect::<Vec<_>>().join(", ");
    let list = them.list.map_or("None".to_owned(), |list| format!("\"{list}\""));
    format!("        in_code_points({}, result, {list}, ({keys}))\n", snake(them.text))
}

fn all_rooms(out: &mut String, description: &Description, asynchronous: bool, caller: &str) {
    out.push_str("\n\nclass Rooms:\n    \"\"\"Every room of a store, and how it is opened.\"\"\"\n\n    __slots__ = (\"_caller\", ");
    for (room, _) in by_room(description) {
        let _ = write!(out, "\"{room}\", ");
    }
    let _ = write!(out, ")\n\n    def __init__(self, caller: {caller}) -> None:\n        self._caller = caller\n");
    for (room, _) in by_room(description) {
        let _ = writeln!(out, "        self.{room} = {}Room(caller)\n        \"\"\"`{room}.*`\"\"\"", pascal(room));
    }
    let define = if asynchronous { "async def" } else { "def" };
    let _ = writeln!(out, "\n    @classmethod\n    {define} open(\n        cls,\n        *,");
    for field in &description.options.fields {
        let _ = writeln!(out, "        {}: {} | None = None,", snake(&field.name), option(field, "t.", "a."));
    }
    out.push_str("        logger: a.Logger | None = None,\n    ) -> Self:\n");
    let doc = "Opens a store; nothing is created until the first write.";
    let mut doc = doc.to_owned();
    for field in &description.options.fields {
        let _ = write!(doc, "\n\n`{}`: {}", snake(&field.name), option_doc(field));
    }
    let _ = write!(doc, "\n\n`logger`: {LOGGER}");
    docstring(out, "        ", &doc);
    let pass_on = if asynchronous { "await cls._open" } else { "cls._open" };
    let _ = writeln!(out, "        return {pass_on}(\n            {{");
    arguments(out, "                ", &description.options);
    let _ = write!(
        out,
        "                \"logger\": logger,\n            }}\n        )\n\n    @classmethod\n    {define} _open(cls, options: Mapping[str, object]) -> Self:\n        \
         raise NotImplementedError\n"
    );
    calls(out, description, asynchronous);
}

/// `call` with the result of each method, and for any other text.
fn calls(out: &mut String, description: &Description, asynchronous: bool) {
    let define = if asynchronous { "async def" } else { "def" };
    let mut signature = |method: &str, result: &str, overload: bool| {
        let (decorator, end) = if overload { ("    @overload\n", " ...") } else { ("", "") };
        let _ = writeln!(
            out,
            "\n{decorator}    {define} call(\n        self,\n        method: {method},\n        \
             params: Mapping[str, object] | None = None,\n        *,\n        timeout_ms: int | None = None,\n        \
             cancel: Cancel | None = None,\n    ) -> {result}:{end}"
        );
    };
    for method in &description.methods {
        signature(&format!("Literal[\"{}\"]", method.name), &type_of(&method.output, "t."), true);
    }
    signature("str", "object", true);
    signature("str", "object", false);
    docstring(
        out,
        "        ",
        "Calls a method by its name, such as `memory.get`. Offsets into a text are UTF-8 bytes here.",
    );
    let pass_on = if asynchronous { "await self._caller.call" } else { "self._caller.call" };
    let _ = writeln!(
        out,
        "        return {pass_on}(method, {{}} if params is None else params, timeout_ms=timeout_ms, cancel=cancel)"
    );
}

fn parameters(out: &mut String, it: &Struct) {
    let (required, optional): (Vec<_>, Vec<_>) = it.fields.iter().partition(|field| field.required);
    for field in required.iter().chain(&optional) {
        let default = if field.required { "" } else { " | None = None" };
        let _ = writeln!(out, "        {}: {}{default},", snake(&field.name), accepted(field, "t."));
    }
}

fn arguments(out: &mut String, indent: &str, it: &Struct) {
    for field in &it.fields {
        let name = snake(&field.name);
        let value = if field.path { format!("path_text({name})") } else { name };
        let _ = writeln!(out, "{indent}\"{}\": {value},", field.name);
    }
}

fn doc_with_fields(doc: &str, it: &Struct) -> String {
    let mut doc = doc.to_owned();
    for field in &it.fields {
        let _ = write!(doc, "\n\n`{}`: {}", snake(&field.name), field.doc);
    }
    doc
}

/// The class of a kind. It has the name that every language uses, unless Python has something of that name.
fn class(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Io => "IoError",
        other => other.code(),
    }
}

/// One class a kind of error.
pub(crate) fn errors() -> String {
    let mut out = String::from("\"\"\"What loopmem raises.\"\"\"\n\n");
    out.push_str(NOTE);
    out.push_str(include_str!("errors.py"));
    for kind in ErrorKind::ALL {
        let also = match kind {
            ErrorKind::Validation | ErrorKind::Parse | ErrorKind::SecretRefused => ", ValueError",
            ErrorKind::Io | ErrorKind::Rename => ", OSError",
            ErrorKind::LockAcquisition => ", TimeoutError",
            _ => "",
        };
        let _ = writeln!(out, "\n\nclass {}(LoopmemError{also}):", class(*kind));
        docstring(&mut out, "    ", kind.doc());
        let _ = writeln!(out, "\n    _code = \"{}\"", kind.code());
    }
    out.push_str("\n\n__all__ = [\n    \"LoopmemError\",\n");
    for kind in ErrorKind::ALL {
        let _ = writeln!(out, "    \"{}\",", class(*kind));
    }
    out.push_str("]\n\nERROR_CLASSES: dict[str, type[LoopmemError]] = {\n");
    for kind in ErrorKind::ALL {
        let _ = writeln!(out, "    \"{}\": {},", kind.code(), class(*kind));
    }
    out.push_str("}\n\"\"\"The class of each code.\"\"\"\n");
    out
}
