//! `bindings/python/python/loopmem/`: the types, rooms and errors of the Python package.

use std::fmt::Write as _;

use loopmem::ErrorKind;
use loopmem::methods::{Description, Field, MethodDescription, Struct, Type};

use crate::names::{Way, by_room, keeps_unknown_fields, offsets, pascal, snake, way, wrapped};
use crate::numpydoc::{Docstring, Entry, WIDTH};
use crate::raises::raises;

const NOTE: &str = "# Generated from the method table by scripts/generate. Do not edit.\n";

/// Whether a method blocks or is awaited.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flavour {
    Blocking,
    Asynchronous,
}

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
    let collections = ["Mapping", "Sequence"].into_iter().filter(|name| body.contains(&format!("{name}[")));
    let mut out = format!("\"\"\"The records that methods take and return.\"\"\"\n\n{NOTE}");
    let _ = write!(
        out,
        "\nfrom __future__ import annotations\n\nimport os\nfrom collections.abc import {}\nfrom typing import Literal, TypeAlias, TypedDict\n\nfrom ._adapter import CountTokens, Logger, PersistenceAdapter\n\n\
         JsonValue: TypeAlias = \"None | bool | int | float | str | list[JsonValue] | dict[str, JsonValue]\"\n\"\"\"Any JSON value.\"\"\"\n{body}",
        collections.collect::<Vec<_>>().join(", ")
    );
    out.push_str("\n\n__all__ = [\n    \"JsonValue\",\n");
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

/// The name of a method in Python, in which `import` is a keyword.
fn method_name(verb: &str) -> String {
    match snake(verb).as_str() {
        "import" => "import_".to_owned(),
        name => name.to_owned(),
    }
}

/// Keyword arguments as a TypedDict, for code that collects them in a dict.
fn keyword_arguments(out: &mut String, description: &Description) {
    let it = &description.options;
    let _ = writeln!(out, "\n\nclass {}(TypedDict, total=False):", it.name);
    Docstring::new(&*it.doc).write(out, "    ");
    out.push('\n');
    for field in &it.fields {
        let _ = writeln!(out, "    {}: {} | None", snake(&field.name), option(field, "", "", description));
        docstring(out, "    ", &option_doc(field));
    }
    let _ = writeln!(out, "    logger: Logger | None");
    docstring(out, "    ", LOGGER);
    let _ = writeln!(out, "    count_tokens: CountTokens | None");
    docstring(out, "    ", COUNT_TOKENS);
}

/// The option `logger`, which is not part of the method table.
const LOGGER: &str =
    "The logger to which each call is reported when it is over, such as a `logging.Logger`. Default: none.";

/// The option `count_tokens`, which is not part of the method table either.
const COUNT_TOKENS: &str = "The tokenizer that limits in tokens are checked with, asynchronous or not. Default: tokens are \
     estimated, rather too many.";

fn option_doc(field: &Field) -> String {
    match field.name.as_str() {
        "adapter" => format!("{} Or an object of your own: see `PersistenceAdapter`.", field.doc),
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
        Type::Json => "object".to_owned(),
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
    let text = wrapped(doc, indent);
    let text = text.trim_start();
    if text.trim_end().contains('\n') {
        let _ = writeln!(out, "{indent}\"\"\"{text}{indent}\"\"\"");
    } else {
        let _ = writeln!(out, "{indent}\"\"\"{}\"\"\"", text.trim_end());
    }
}

/// The parameters of every method: how long it waits, and the callbacks for what it redacts and how far it is.
const WAITING: &str = "        timeout: float | None = None,\n        cancel: Cancel | None = None,\n        \
    on_redaction: Callable[[t.Redaction], object] | None = None,\n        \
    on_progress: Callable[[int, int], object] | None = None,\n";

/// Their documentation.
fn waiting() -> [Entry; 4] {
    [
        entry(
            "timeout : float, optional",
            "The maximum time that the call waits in total, in seconds: for locks and for an adapter. With 0 the call \
             does not wait for locks. Default: as configured.",
        ),
        entry("cancel : Cancel, optional", "A request to cancel the call, which any thread may trigger."),
        entry(
            "on_redaction : callable, optional",
            "Called with a `Redaction` for each field of which the call redacted something, before it returns. An exception \
             in it is reported and not raised. The logger gets the same as warnings.",
        ),
        entry(
            "on_progress : callable, optional",
            "Called with the number of completed steps and the total while a long call runs, such as the files that were read \
             for the index of a repository. It runs on the calling thread, where calls of loopmem raise `Misuse`, or on the \
             event loop. An exception in it is reported and not raised.",
        ),
    ]
}

fn entry(head: impl Into<String>, doc: impl Into<String>) -> Entry {
    Entry { head: head.into(), doc: doc.into() }
}

/// The documentation of a method.
fn documented(description: &Description, method: &MethodDescription) -> Docstring {
    let taken = in_order(&method.params).map(|field| {
        let optional = if field.required { "" } else { ", optional" };
        entry(format!("{} : {}{optional}", snake(&field.name), in_words(field, description)), &*field.doc)
    });
    let raised = raises(method).into_iter().map(|(kind, meaning)| entry(class(kind), meaning));
    Docstring::new(&*method.doc)
        .section("Parameters", taken.chain(waiting()).collect())
        .section("Returns", vec![entry(words(&method.output), meaning_of(description, &method.output))])
        .section("Raises", raised.collect())
}

/// The description of a result: that of its records.
fn meaning_of(description: &Description, ty: &Type) -> String {
    match ty {
        Type::List(inner) => meaning_of(description, inner),
        Type::Struct(name) => {
            let structs = description.structs.iter().map(|it| (&it.name, &it.doc));
            let mut named = structs.chain(description.unions.iter().map(|it| (&it.name, &it.doc)));
            named.find(|(it, _)| *it == name).map(|(_, doc)| doc.clone()).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// The type of an argument in NumPy's notation.
fn in_words(field: &Field, description: &Description) -> String {
    match &field.ty {
        Type::Text if field.path => "str or os.PathLike".to_owned(),
        Type::List(inner) => format!("sequence of {}", words(inner)),
        Type::ListOrStruct(names, values) => format!("sequence of {} or {values}", words(names)),
        Type::TextOrStruct(said) => format!("str or {said}"),
        Type::Object => "mapping".to_owned(),
        Type::Struct(name) => match record_of(name, description) {
            Some(record) => format!("{name} or {record}"),
            None => name.clone(),
        },
        ty => words(ty),
    }
}

/// How many values of a type its description lists.
const MAX_WORDS: usize = 6;

/// A type in NumPy's notation.
fn words(ty: &Type) -> String {
    match ty {
        // The signature has them.
        Type::OneOf(names) if names.len() > MAX_WORDS => "str".to_owned(),
        Type::OneOf(names) => {
            format!("{{{}}}", names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", "))
        }
        Type::List(inner) => format!("list of {}", words(inner)),
        Type::Object => "dict".to_owned(),
        ty => type_of(ty, ""),
    }
}

/// A class for each room, and `StoreApi`, which has an attribute for each of them and opens a store.
pub(crate) fn rooms(description: &Description, flavour: Flavour) -> String {
    let asynchronous = flavour == Flavour::Asynchronous;
    let (title, caller) = if asynchronous {
        ("The methods of an asynchronous store, grouped by module.", "AsyncCaller")
    } else {
        ("The methods of a store, grouped by module.", "Caller")
    };
    let mut out = format!("\"\"\"{title}\"\"\"\n\n{NOTE}");
    let _ = write!(
        out,
        "\nfrom __future__ import annotations\n\nfrom ._caller import {caller}, Cancel, cast, overload, path_text\n\
         from ._offsets import in_code_points\n\n\
         TYPE_CHECKING = False\nif TYPE_CHECKING:\n    import os\n    from collections.abc import Callable, Mapping, Sequence\n    \
         from typing import Literal\n\n    from typing_extensions import Self\n\n    from . import _adapter as a\n    from . import _types as t\n"
    );
    for (room, methods) in by_room(description) {
        let _ = write!(
            out,
            "\n\nclass {}Api:\n    \"\"\"The methods `{room}.*` of a store.\"\"\"\n\n    __slots__ = (\"_caller\",)\n\n    \
             def __init__(self, caller: {caller}) -> None:\n        self._caller = caller\n",
            pascal(room)
        );
        for method in methods {
            let (_, verb) = method.room_and_verb();
            let result = type_of(&method.output, "t.");
            let define = if asynchronous { "async def" } else { "def" };
            let _ = writeln!(out, "\n    {define} {}(\n        self,\n        *,", method_name(verb));
            parameters(&mut out, &method.params, description);
            out.push_str(WAITING);
            let _ = writeln!(out, "    ) -> {result}:");
            documented(description, method).write(&mut out, "        ");
            let pass_on = if asynchronous { "await self._caller.call" } else { "self._caller.call" };
            let _ = writeln!(out, "        result = {pass_on}(\n            \"{}\",", method.name);
            if method.params.fields.is_empty() {
                out.push_str("            {},\n");
            } else {
                out.push_str("            {\n");
                arguments(&mut out, "                ", &method.params);
                out.push_str("            },\n");
            }
            let _ = writeln!(
                out,
                "            timeout=timeout,\n            cancel=cancel,\n            on_redaction=on_redaction,\n            on_progress=on_progress,\n        )\n{}        \
                 return cast(\"{result}\", result)",
                converted(description, method)
            );
        }
    }
    all_rooms(&mut out, description, asynchronous, caller);
    out
}

/// The line that converts the offsets in a result to code points; empty if there are none.
fn converted(description: &Description, method: &MethodDescription) -> String {
    let Some(them) = offsets(description, method) else { return String::new() };
    let keys = them.keys.iter().map(|key| format!("\"{key}\"")).collect::<Vec<_>>().join(", ");
    let comma = if them.keys.len() == 1 { "," } else { "" };
    let list = them.list.map_or("None".to_owned(), |list| format!("\"{list}\""));
    format!("        in_code_points({}, result, {list}, ({keys}{comma}))\n", snake(them.text))
}

fn all_rooms(out: &mut String, description: &Description, asynchronous: bool, caller: &str) {
    out.push_str("\n\nclass StoreApi:\n    \"\"\"The methods of a store, grouped by module, and the options to open it with.\"\"\"\n\n    __slots__ = {\n        \"_caller\": None,\n");
    for (room, methods) in by_room(description) {
        let verbs: Vec<_> =
            methods.iter().map(|method| format!("`{}`", method_name(method.room_and_verb().1))).collect();
        let doc = match verbs.split_last() {
            Some((last, others)) if !others.is_empty() => format!("The methods {} and {last}.", others.join(", ")),
            _ => format!("The method {}.", verbs.concat()),
        };
        out.push_str(&documented_slot(room, &doc));
    }
    let _ = write!(out, "    }}\n\n    def __init__(self, caller: {caller}) -> None:\n        self._caller = caller\n");
    for (room, _) in by_room(description) {
        let _ = writeln!(out, "        self.{room} = {}Api(caller)", pascal(room));
    }
    let define = if asynchronous { "async def" } else { "def" };
    let _ = writeln!(out, "\n    @classmethod\n    {define} open(\n        cls,\n        *,");
    for field in &description.options.fields {
        let _ =
            writeln!(out, "        {}: {} | None = None,", snake(&field.name), option(field, "t.", "a.", description));
    }
    out.push_str("        logger: a.Logger | None = None,\n");
    out.push_str("        count_tokens: a.CountTokens | None = None,\n    ) -> Self:\n");
    let taken = description.options.fields.iter().map(|field| {
        let own = if field.name == "adapter" { " or PersistenceAdapter" } else { "" };
        entry(format!("{} : {}{own}, optional", snake(&field.name), in_words(field, description)), option_doc(field))
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
    let pass_on = if asynchronous { "await cls._open" } else { "cls._open" };
    let _ = writeln!(out, "        return {pass_on}(\n            {{");
    arguments(out, "                ", &description.options);
    let _ = write!(
        out,
        "                \"logger\": logger,\n                \"count_tokens\": count_tokens,\n            }}\n        )\n\n    @classmethod\n    {define} _open(cls, options: Mapping[str, object]) -> Self:\n        \
         raise NotImplementedError\n"
    );
    calls(out, description, asynchronous);
}

/// A slot with its documentation, formatted as `ruff format` does.
fn documented_slot(name: &str, doc: &str) -> String {
    let line = format!("        \"{name}\": \"{doc}\",\n");
    if line.chars().count() <= WIDTH {
        return line;
    }
    let text = wrapped(doc, "            ");
    let parts: Vec<_> = text.lines().map(|line| format!("            \"{}", line.trim_start())).collect();
    format!("        \"{name}\": (\n{}\"\n        ),\n", parts.join(" \"\n"))
}

/// `call`, with an overload for each method and one for any other name.
fn calls(out: &mut String, description: &Description, asynchronous: bool) {
    let define = if asynchronous { "async def" } else { "def" };
    let mut signature = |method: &str, result: &str, overload: bool| {
        let (decorator, end) = if overload { ("    @overload\n", " ...") } else { ("", "") };
        let _ = writeln!(
            out,
            "\n{decorator}    {define} call(\n        self,\n        method: {method},\n        \
             params: Mapping[str, object] | None = None,\n        *,\n{WAITING}    ) -> {result}:{end}"
        );
    };
    for method in &description.methods {
        signature(&format!("Literal[\"{}\"]", method.name), &type_of(&method.output, "t."), true);
    }
    signature("str", "object", true);
    signature("str", "object", false);
    let taken = [
        entry("method : str", "The name of the method, such as `memory.get`."),
        entry("params : mapping, optional", "The params, with their names in the method reference. Default: none."),
    ];
    Docstring::new("Calls a method by its name.\n\nOffsets into a text are UTF-8 bytes here.")
        .section("Parameters", taken.into_iter().chain(waiting()).collect())
        .section("Returns", vec![entry("object", "The result of the method, as decoded by `json.loads`.")])
        .section(
            "Raises",
            vec![
                entry(class(ErrorKind::Validation), "The method does not exist, or the params are invalid."),
                entry("LoopmemError", "Any error that the method raises."),
            ],
        )
        .write(out, "        ");
    let pass_on = if asynchronous { "await self._caller.call" } else { "self._caller.call" };
    let _ = writeln!(
        out,
        "        return {pass_on}(\n            method,\n            {{}} if params is None else params,\n            timeout=timeout,\n            \
         cancel=cancel,\n            on_redaction=on_redaction,\n            on_progress=on_progress,\n        )"
    );
}

fn parameters(out: &mut String, it: &Struct, description: &Description) {
    for field in in_order(it) {
        let default = if field.required { "" } else { " | None = None" };
        let ty = accepted(field, "t.", description);
        let _ = writeln!(out, "{}", annotated("        ", &snake(&field.name), &ty, &format!("{default},")));
    }
}

/// The fields in the order of Python's parameters: optional ones last.
fn in_order(it: &Struct) -> impl Iterator<Item = &Field> {
    let required = it.fields.iter().filter(|field| field.required);
    required.chain(it.fields.iter().filter(|field| !field.required))
}

fn arguments(out: &mut String, indent: &str, it: &Struct) {
    for field in &it.fields {
        let name = snake(&field.name);
        let value = if field.path { format!("path_text({name})") } else { name };
        let _ = writeln!(out, "{indent}\"{}\": {value},", field.name);
    }
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
