//! `bindings/python/python/loopmem/`: the types, rooms and errors of the Python package.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use loopmem::ErrorKind;
use loopmem::methods::{Description, Field, MethodDescription, Struct, Type};

use crate::names::{self, Way, by_room, camel, keeps_unknown_fields, offsets, pascal, way, wrapped_at};
use crate::numpydoc::{Docstring, Entry, WIDTH};
use crate::raises::raises;

const NOTE: &str = "# Generated from the method table by scripts/generate. Do not edit.\n";

/// The records.
pub(crate) fn types(description: &Description) -> String {
    let mut body = String::new();
    for it in &description.structs {
        typed_dict(&mut body, it, description);
    }
    for union in &description.unions {
        let _ = writeln!(body, "\n\n{} = {}", union.name, union.structs.join(" | "));
        docstring(&mut body, "", &union.doc);
    }
    keyword_arguments(&mut body, description);
    body.push_str(include_str!("call_options.py"));
    let collections = ["Callable", "Mapping", "Sequence"].into_iter().filter(|name| body.contains(&format!("{name}[")));
    let mut out = format!("\"\"\"The records that methods take and return.\"\"\"\n\n{NOTE}");
    let _ = write!(
        out,
        "\nfrom __future__ import annotations\n\nimport os\nfrom collections.abc import {}\nfrom typing import Literal, TypeAlias, TypedDict\n\nfrom ._adapter import CountTokens, Logger, PersistenceAdapter\n\
         from ._caller import Cancel\n\n\
         JsonValue: TypeAlias = \"None | bool | int | float | str | list[JsonValue] | dict[str, JsonValue]\"\n\"\"\"Any JSON value.\"\"\"\n{body}",
        collections.collect::<Vec<_>>().join(", ")
    );
    out.push_str("\n\n__all__: list[str] = [\n    \"CallOptions\",\n    \"JsonValue\",\n");
    let structs = description.structs.iter().chain([&description.options]).map(|it| &it.name);
    for name in structs.chain(description.unions.iter().map(|it| &it.name)) {
        let _ = writeln!(out, "    \"{name}\",");
    }
    out.push_str("]\n");
    out
}

fn typed_dict(out: &mut String, it: &Struct, description: &Description) {
    let way = way(it, description);
    let (required, optional): (Vec<_>, Vec<_>) = it.fields.iter().partition(|field| field.required);
    let base = if required.is_empty() || optional.is_empty() {
        "TypedDict".to_owned()
    } else {
        let _ = writeln!(out, "\n\nclass _{}Required(TypedDict):", it.name);
        members(out, &required, way, description);
        format!("_{}Required", it.name)
    };
    let total = if optional.is_empty() { "" } else { ", total=False" };
    let _ = writeln!(out, "\n\nclass {}({base}{total}):", it.name);
    // A TypedDict cannot be open, and with a mapping in its place the known fields would not be checked either.
    let kept = "Unknown fields are preserved; declare them in a subclass.";
    let doc = if keeps_unknown_fields(it, description) { format!("{}\n\n{kept}", it.doc) } else { it.doc.clone() };
    Docstring::new(doc).write(out, "    ");
    out.push('\n');
    members(out, if optional.is_empty() { &required } else { &optional }, way, description);
}

/// The name of a method in Python, in which `import` and `del` are keywords.
fn method_name(verb: &str) -> String {
    match snake(verb).as_str() {
        "import" => "import_".to_owned(),
        // The name of this function in `PersistenceAdapter`.
        "del" => "delete".to_owned(),
        name => name.to_owned(),
    }
}

/// The options of a store as a TypedDict, for code that collects them in a dict.
fn keyword_arguments(out: &mut String, description: &Description) {
    let it = &description.options;
    let _ = writeln!(out, "\n\nclass {}(TypedDict, total=False):", it.name);
    Docstring::new(format!("{} `Store.open` describes them.", it.doc)).write(out, "    ");
    out.push('\n');
    for field in &it.fields {
        let _ = writeln!(out, "    {}: {} | None", snake(&field.name), option(field, "", "", description));
    }
    out.push_str("    logger: Logger | None\n    count_tokens: CountTokens | None\n");
}

/// The option `logger`, which is not part of the method table.
const LOGGER: &str =
    "The logger to which each call is reported when it is over, such as a `logging.Logger`. Default: none.";

/// The option `count_tokens`, which is not part of the method table either.
const COUNT_TOKENS: &str = "The tokenizer that limits in tokens are checked with, asynchronous or not. Default: tokens are \
     estimated, rather too many.";

fn option_doc(field: &Field) -> String {
    match field.name.as_str() {
        "adapter" => format!(
            "{} Or an adapter from `open_adapter`, whose options the store then has, or an object of your own: see `PersistenceAdapter`.",
            field.doc
        ),
        _ => field.doc.clone(),
    }
}

/// The type of an option; an adapter may also be an object of the host.
fn option(field: &Field, types: &str, lent: &str, description: &Description) -> String {
    match field.name.as_str() {
        "adapter" => format!("{} | {lent}PersistenceAdapter", accepted(field, types, description)),
        _ => accepted(field, types, description),
    }
}

fn members(out: &mut String, fields: &[&Field], way: Way, description: &Description) {
    for field in fields {
        let ty = if way == Way::In { accepted(field, "", description) } else { type_of(&field.ty, "") };
        // In results, unknown values are absent and never None.
        let is_null = field.nullable && (field.required || way == Way::In);
        let null = if is_null { " | None" } else { "" };
        let _ = writeln!(out, "{}", annotated("    ", &field.name, &ty, null));
        docstring(out, "    ", &field.doc);
    }
}

/// A member or parameter with its type and the text that follows it, formatted as `ruff format` does: a union that is too
/// long has a line for each part, and what is in brackets in its first one stands on lines of its own.
fn annotated(indent: &str, name: &str, ty: &str, end: &str) -> String {
    let line = format!("{indent}{name}: {ty}{end}");
    let Some((outer, rest)) = ty.split_once('[').filter(|_| line.len() > WIDTH) else { return line };
    let Some((inside, others)) = closing(rest) else { return line };
    let joined = format!("{indent}    {inside}");
    let literals = inside.strip_prefix("Literal[").and_then(|rest| rest.strip_suffix(']'));
    let inside = match literals {
        _ if outer == "Literal" => one_per_line(&format!("{indent}    "), inside),
        Some(literals) if joined.len() > WIDTH => {
            let literals = one_per_line(&format!("{indent}        "), literals);
            format!("{indent}    Literal[\n{literals}\n{indent}    ]")
        }
        _ => joined,
    };
    let others = format!("{others}{end}").replace(" | ", &format!("\n{indent}| "));
    format!("{indent}{name}: {outer}[\n{inside}\n{indent}]{others}")
}

/// A list with one element per line.
fn one_per_line(indent: &str, list: &str) -> String {
    format!("{indent}{},", list.replace(", ", &format!(",\n{indent}")))
}

/// What is before the bracket that closes `text`, and what is behind it.
fn closing(text: &str) -> Option<(&str, &str)> {
    let mut open = 1;
    for (at, character) in text.char_indices() {
        open = match character {
            '[' => open + 1,
            ']' => open - 1,
            _ => open,
        };
        if open == 0 {
            return Some((&text[..at], &text[at + 1..]));
        }
    }
    None
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
        Type::ListOrStruct(names, values) => format!("list[{}] | {module}{values}", type_of(names, module)),
        Type::TextOrStruct(said) => format!("str | {module}{said}"),
        Type::Struct(name) => format!("{module}{name}"),
        Type::Object => format!("dict[str, {module}JsonValue]"),
        Type::Json => format!("{module}JsonValue"),
    }
}

/// The type of an argument: a path also accepts `os.PathLike`.
fn accepted(field: &Field, module: &str, description: &Description) -> String {
    match &field.ty {
        Type::Text if field.path => "str | os.PathLike[str]".to_owned(),
        ty => passed(ty, module, description),
    }
}

/// The type of an argument: a list also accepts any sequence, and a draft also accepts a record.
fn passed(ty: &Type, module: &str, description: &Description) -> String {
    match ty {
        Type::List(inner) => format!("Sequence[{}]", passed(inner, module, description)),
        Type::ListOrStruct(names, values) => {
            format!("Sequence[{}] | {module}{values}", passed(names, module, description))
        }
        Type::Object => "Mapping[str, object]".to_owned(),
        Type::Json => "object".to_owned(),
        Type::Struct(name) => match record_of(name, description) {
            Some(record) => format!("{module}{name} | {module}{record}"),
            None => type_of(ty, module),
        },
        _ => type_of(ty, module),
    }
}

/// The record that may be passed in place of the draft with this name. A record has fields that its draft does not
/// list, so a draft that refuses those does not accept it.
fn record_of<'n>(name: &'n str, description: &Description) -> Option<&'n str> {
    let draft = description.structs.iter().find(|it| it.name == name)?;
    if keeps_unknown_fields(draft, description) { name.strip_suffix("Draft") } else { None }
}

fn docstring(out: &mut String, indent: &str, doc: &str) {
    let quotes = "\"\"\"";
    let line = format!("{indent}{quotes}{doc}{quotes}");
    let _ = if line.chars().count() <= WIDTH && !doc.contains('\n') {
        writeln!(out, "{line}")
    } else {
        let text = wrapped_at(WIDTH - quotes.len(), doc, indent);
        writeln!(out, "{indent}{quotes}{}{indent}{quotes}", text.trim_start())
    };
}

fn entry(head: impl Into<String>, doc: impl Into<String>) -> Entry {
    Entry { head: head.into(), doc: doc.into(), inline: false }
}

/// The name in Python, with a `_` after one of the language's own words.
fn snake(name: &str) -> String {
    let mut name = names::snake(name);
    if ["from", "global", "with"].contains(&name.as_str()) {
        name.push('_');
    }
    name
}

/// An entry for a parameter whose type is in the signature.
fn parameter(name: &str, doc: &str) -> Entry {
    Entry { head: name.to_owned(), doc: doc.to_owned(), inline: true }
}

/// The decorator of a method, which adds the options of a call and the errors to its docstring.
fn decorator(out: &mut String, method: &MethodDescription) {
    let raised: Vec<_> = raises(method).into_iter().filter(|(kind, _)| !ALWAYS.contains(kind)).collect();
    let reads = READS.iter().all(|kind| raised.iter().any(|(it, _)| it == kind));
    let mut arguments: Vec<String> = if reads { vec!["*READS".to_owned()] } else { Vec::new() };
    let (specific, general): (Vec<_>, Vec<_>) = raised.into_iter().partition(|(kind, doc)| doc != kind.doc());
    let others = general.iter().filter(|(kind, _)| !(reads && READS.contains(kind)));
    arguments.extend(others.map(|(kind, _)| format!("\"{}\"", class(*kind))));
    arguments.extend(specific.iter().map(|(kind, doc)| format!("{}=\"{doc}\"", class(*kind))));
    let _ = writeln!(out, "\n{}", listed("    @documented(", &arguments, ")"));
}

/// The errors of every method.
const ALWAYS: [ErrorKind; 2] = [ErrorKind::Validation, ErrorKind::Misuse];

/// The errors of every method that reads records.
const READS: [ErrorKind; 5] =
    [ErrorKind::Parse, ErrorKind::Io, ErrorKind::LockAcquisition, ErrorKind::Cancelled, ErrorKind::FormatTooNew];

/// A list in brackets as `ruff format` lays it out: on one line, on a line between those of the brackets, or with one
/// element per line. `before` begins with its indentation.
fn listed(before: &str, elements: &[String], after: &str) -> String {
    let indent = &before[..before.len() - before.trim_start().len()];
    let together = elements.join(", ");
    let fits = |length: usize| length <= WIDTH;
    if fits(before.chars().count() + together.chars().count() + after.chars().count()) {
        format!("{before}{together}{after}")
    } else if fits(indent.len() + 4 + together.chars().count()) {
        format!("{before}\n{indent}    {together}\n{indent}{after}")
    } else {
        format!("{before}\n{indent}    {},\n{indent}{after}", elements.join(&format!(",\n{indent}    ")))
    }
}

/// The type of an option in NumPy's notation.
fn in_words(field: &Field) -> String {
    match &field.ty {
        Type::Text if field.path => "str or os.PathLike".to_owned(),
        Type::List(inner) => format!("sequence of {}", type_of(inner, "")),
        Type::OneOf(_) => type_of(&field.ty, "").replace("Literal[", "{").replace(']', "}"),
        ty => type_of(ty, ""),
    }
}

/// A class for each room, and `StoreApi`, which has an attribute for each of them and opens a store.
pub(crate) fn rooms(description: &Description) -> String {
    let mut out = format!("\"\"\"The methods of a store, grouped by module.\"\"\"\n\n{NOTE}");
    let reads = READS.map(|kind| format!("\"{}\"", class(kind)));
    let _ = write!(
        out,
        "\nfrom __future__ import annotations\n\nfrom ._caller import Caller, cast\n\
         from ._room import WIRE_NAMES, Room, documented, params_of\n\n\
         TYPE_CHECKING = False\nif TYPE_CHECKING:\n    import os\n    from collections.abc import Callable, Mapping, Sequence\n    \
         from typing import Literal\n\n    from typing_extensions import Self, Unpack\n\n    from . import _adapter as a\n    from . import _types as t\n    from ._caller import Cancel\n    from ._calls import Calls\nelse:\n    Calls = object\n\n{}\n\"\"\"The errors of every method that reads records.\"\"\"\n",
        listed("READS = (", &reads, ")")
    );
    for (name, wire) in wire_names(description).iter().filter(|(name, wire)| camel(name) != **wire) {
        let _ = writeln!(out, "\nWIRE_NAMES[\"{name}\"] = \"{wire}\"");
    }
    for (room, methods) in by_room(description) {
        let _ = write!(
            out,
            "\n\nclass {}Api(Room):\n    \"\"\"The methods `{room}.*` of a store.\"\"\"\n\n    __slots__ = ()\n",
            pascal(room)
        );
        for method in methods {
            let result = type_of(&method.output, "t.");
            decorator(&mut out, method);
            let name = method_name(method.room_and_verb().1);
            let parameters = parameters(&method.params, description);
            let _ = writeln!(out, "{}", listed(&format!("    def {name}("), &parameters, &format!(") -> {result}:")));
            documented(method).write(&mut out, "        ");
            let mut arguments = vec![format!("\"{}\"", method.name), "locals()".to_owned()];
            arguments.extend(paths(&method.params));
            arguments.extend(converted(description, method));
            let call = format!("self._call({})", arguments.join(", "));
            let result = format!("\"{result}\"");
            let _ = writeln!(out, "{}", listed("        return cast(", &[result, call], ")"));
        }
    }
    all_rooms(&mut out, description);
    out
}

/// The names of all params and options in the method table, by those in Python. The package computes all but the
/// exceptions.
fn wire_names(description: &Description) -> BTreeMap<String, &str> {
    let params = description.methods.iter().map(|method| &method.params);
    let fields = params.chain([&description.options]).flat_map(|it| &it.fields);
    fields.map(|field| (snake(&field.name), field.name.as_str())).collect()
}

/// The docstring of a method, without what is added to it at run time.
fn documented(method: &MethodDescription) -> Docstring {
    let taken = in_order(&method.params).map(|field| parameter(&snake(&field.name), &field.doc));
    Docstring::new(&*method.doc).section("Parameters", taken.collect())
}

/// The params that are paths, as arguments.
fn paths(it: &Struct) -> impl Iterator<Item = String> {
    it.fields.iter().filter(|field| field.path).map(|field| format!("\"{}\"", snake(&field.name)))
}

/// The argument that describes the offsets in a result, which are converted to code points, if there are any.
fn converted(description: &Description, method: &MethodDescription) -> Option<String> {
    let them = offsets(description, method)?;
    let keys = them.keys.iter().map(|key| format!("\"{key}\"")).collect::<Vec<_>>().join(", ");
    let list = them.list.map_or("None".to_owned(), |list| format!("\"{list}\""));
    Some(format!("offsets=(\"{}\", {list}, [{keys}])", snake(them.text)))
}

fn all_rooms(out: &mut String, description: &Description) {
    out.push_str("\n\nclass StoreApi(Calls):\n    \"\"\"The methods of a store, grouped by module, and the options to open it with.\"\"\"\n\n    __slots__ = {\n        \"_caller\": None,\n");
    for (room, methods) in by_room(description) {
        let verbs: Vec<_> =
            methods.iter().map(|method| format!("`{}`", method_name(method.room_and_verb().1))).collect();
        let doc = match verbs.split_last() {
            Some((last, others)) if !others.is_empty() => format!("The methods {} and {last}.", others.join(", ")),
            _ => format!("The method {}.", verbs.concat()),
        };
        out.push_str(&documented_slot(room, &doc));
    }
    out.push_str("    }\n\n    def __init__(self, caller: Caller) -> None:\n        self._caller = caller\n");
    for (room, _) in by_room(description) {
        let _ = writeln!(out, "        self.{room} = {}Api(caller)", pascal(room));
    }
    out.push_str("\n    @classmethod\n    def open(\n        cls,\n        *,\n");
    for field in &description.options.fields {
        let _ =
            writeln!(out, "        {}: {} | None = None,", snake(&field.name), option(field, "t.", "a.", description));
    }
    out.push_str("        logger: a.Logger | None = None,\n");
    out.push_str("        count_tokens: a.CountTokens | None = None,\n    ) -> Self:\n");
    let taken = description.options.fields.iter().map(|field| {
        let own = if field.name == "adapter" { " or PersistenceAdapter" } else { "" };
        entry(format!("{} : {}{own}, optional", snake(&field.name), in_words(field)), option_doc(field))
    });
    let lent =
        [entry("logger : Logger, optional", LOGGER), entry("count_tokens : CountTokens, optional", COUNT_TOKENS)];
    Docstring::new("Opens a store; nothing is created until the first write.")
        .section("Parameters", taken.chain(lent).collect())
        .section("Returns", vec![entry("Store", "The store; close it when it is no longer needed.")])
        .section(
            "Raises",
            vec![
                entry(
                    class(ErrorKind::Validation),
                    "An option or a key of the configuration is invalid, or the adapter lacks a required function.",
                ),
                entry(class(ErrorKind::Io), "The home is not a folder, or a configuration file cannot be read."),
            ],
        )
        .write(out, "        ");
    let mut arguments = vec!["\"open\"".to_owned(), "locals()".to_owned()];
    arguments.extend(paths(&description.options));
    let _ = write!(
        out,
        "{}\n\n    @classmethod\n    def _open(cls, options: Mapping[str, object]) -> Self:\n        raise NotImplementedError\n",
        listed("        return cls._open(", &[format!("params_of({})", arguments.join(", "))], ")")
    );
    out.push('\n');
    out.push_str(include_str!("store_call.py"));
}

/// A slot with its documentation, formatted as `ruff format` does.
fn documented_slot(name: &str, doc: &str) -> String {
    let line = format!("        \"{name}\": \"{doc}\",\n");
    if line.chars().count() <= WIDTH {
        return line;
    }
    let text = wrapped_at(100, doc, "            ");
    let parts: Vec<_> = text.lines().map(|line| format!("            \"{}", line.trim_start())).collect();
    format!("        \"{name}\": (\n{}\"\n        ),\n", parts.join(" \"\n"))
}

/// The types of `call`: an overload for each method, and one for any other name. They are in a stub, since they are of no
/// use at run time and would take a tenth of the time to import the package.
pub(crate) fn calls(description: &Description) -> String {
    let mut out = format!("\"\"\"The types of the method `call` of a store.\"\"\"\n\n{NOTE}");
    out.push_str(
        "\nfrom collections.abc import Mapping\nfrom typing import Literal, TypeAlias, overload\n\n\
         from typing_extensions import Unpack\n\nfrom . import _types as t\n\n\
         Params: TypeAlias = Mapping[str, object] | None\n\nclass Calls:\n",
    );
    let methods = description.methods.iter();
    let each = methods.map(|method| (format!("Literal[\"{}\"]", method.name), type_of(&method.output, "t.")));
    for (index, (method, result)) in each.chain([("str".to_owned(), "object".to_owned())]).enumerate() {
        let parameters =
            ["self".to_owned(), format!("method: {method}"), "params: Params = None".to_owned(), CALL.to_owned()];
        // Editors show the docstring of the first overload for each of them.
        let body = if index == 0 { "" } else { " ..." };
        let _ =
            writeln!(out, "    @overload\n{}", listed("    def call(", &parameters, &format!(") -> {result}:{body}")));
        if index == 0 {
            docstring(&mut out, "        ", "Calls a method by its name. Offsets into a text are UTF-8 bytes here.");
        }
    }
    out
}

/// The parameter of every method for the options of a call.
const CALL: &str = "**call: Unpack[t.CallOptions]";

fn parameters(it: &Struct, description: &Description) -> Vec<String> {
    let mut own = in_order(it).map(|field| {
        let default = if field.required { "" } else { " | None = None" };
        let ty = accepted(field, "t.", description);
        let line = annotated("        ", &snake(&field.name), &ty, default);
        line.trim_start().to_owned()
    });
    let main = own.by_ref().take(main_field(it).into_iter().count()).collect::<Vec<_>>();
    let own: Vec<_> = own.collect();
    let star = if own.is_empty() { None } else { Some("*".to_owned()) };
    ["self".to_owned()].into_iter().chain(main).chain(star).chain(own).chain([CALL.to_owned()]).collect()
}

/// The asynchronous methods, with the types and the docstrings of the blocking ones.
pub(crate) fn aio_rooms(description: &Description) -> String {
    let mut out = format!("\"\"\"The methods of an asynchronous store, grouped by module.\"\"\"\n\n{NOTE}");
    out.push_str(
        "\nfrom __future__ import annotations\n\nfrom . import _rooms\nfrom ._caller import AsyncCaller\nfrom ._opening import opening\nfrom ._room import AsyncRoom, awaited\n\n\
         TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from collections.abc import Mapping\n\n    from typing_extensions import Self, Unpack\n\n    from . import _types as t\n    from ._opening import Opening\n",
    );
    for (room, methods) in by_room(description) {
        let class = format!("{}Api", pascal(room));
        let _ = write!(
            out,
            "\n\nclass {class}(AsyncRoom):\n    \"\"\"The methods `{room}.*` of a store.\"\"\"\n\n    __slots__ = ()\n\n"
        );
        for method in methods {
            let name = method_name(method.room_and_verb().1);
            let _ = writeln!(out, "    {name} = awaited(_rooms.{class}.{name})");
        }
    }
    out.push_str(
        "\n\nclass StoreApi:\n    \"\"\"The methods of a store, grouped by module, and the options to open it with.\"\"\"\n\n    \
         __slots__ = _rooms.StoreApi.__slots__\n\n    def __init__(self, caller: AsyncCaller) -> None:\n        self._caller = caller\n",
    );
    for (room, _) in by_room(description) {
        let _ = writeln!(out, "        self.{room} = {}Api(caller)", pascal(room));
    }
    out.push('\n');
    out.push_str(include_str!("aio_store.py"));
    out
}

/// The fields in the order of Python's parameters: the one that may be positional, then the required ones and the others.
fn in_order(it: &Struct) -> impl Iterator<Item = &Field> {
    let main = main_field(it);
    let is_main = move |field: &Field| main.is_some_and(|main| main.name == field.name);
    let required = it.fields.iter().filter(move |field| field.required && !is_main(field));
    let others = it.fields.iter().filter(move |field| !field.required && !is_main(field));
    main.into_iter().chain(required).chain(others)
}

/// What says where a method looks, and not what it does.
const PLACE: [&str; 4] = ["repoHash", "workspace", "branchScope", "dir"];

/// The main parameter of a method, which may be positional: the first one that is required or, if there is none, the first of
/// its own.
fn main_field(it: &Struct) -> Option<&Field> {
    let own = || it.fields.iter().filter(|field| !PLACE.contains(&field.name.as_str()));
    own().find(|field| field.required).or_else(|| own().next())
}

/// The class of a kind: its code, unless that is the name of one of Python's built-ins.
fn class(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Io => "IoError",
        other => other.code(),
    }
}

/// A class for each kind of error.
pub(crate) fn errors() -> String {
    let mut out = String::from("\"\"\"The errors that loopmem raises.\"\"\"\n\n");
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
        Docstring::new(kind.doc()).write(&mut out, "    ");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_python_stands_for_one_name_in_the_table() {
        let description = loopmem::methods::describe();
        let names = wire_names(&description);
        let params = description.methods.iter().map(|method| &method.params);
        for field in params.chain([&description.options]).flat_map(|it| &it.fields) {
            assert_eq!(names[&snake(&field.name)], field.name);
        }
        let exceptions: Vec<_> = names.iter().filter(|(name, wire)| camel(name) != **wire).collect();
        assert_eq!(exceptions, [(&"relevance_hints".to_owned(), &"relevance_hints")]);
    }

    #[test]
    fn a_list_that_is_too_long_for_a_line_is_laid_out_as_ruff_would() {
        let laid_out = |length: usize| listed("    function(", &["a", "b"].map(|name| name.repeat(length)), ")");
        let [a, b] = ["a", "b"].map(|name| name.repeat(52));
        assert_eq!(laid_out(52), format!("    function({a}, {b})"));
        let [a, b] = ["a", "b"].map(|name| name.repeat(55));
        assert_eq!(laid_out(55), format!("    function(\n        {a}, {b}\n    )"));
        let [a, b] = ["a", "b"].map(|name| name.repeat(56));
        assert_eq!(laid_out(56), format!("    function(\n        {a},\n        {b},\n    )"));
    }
}
