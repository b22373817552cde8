//! JavaScript and TypeScript.

use super::super::candidate::{Block, Candidate, Shown};
use super::super::definition::Kind;
use super::super::line::Line;
use super::super::table::{BRACES, Language, Table};
use super::super::words::{
    Words, after_attribute, after_brackets, is_name, is_upper_case, is_word, last_word, path, skip_space,
    starts_with_word, trim_start, word,
};

const ECMA: Table = Table {
    language: Language::JavaScript,
    name: "javascript",
    extensions: "js mjs cjs jsx es6",
    modifiers: Words::new("static async get set public private protected readonly override abstract declare accessor"),
    statements: Words::new(
        "if for while switch catch with function return do else try new typeof await throw case default finally super \
         import export",
    ),
    marks: b"\"'`/{}()[];,",
    in_parens: true,
    ..BRACES
};

pub(super) static JAVASCRIPT: Table = ECMA.ready();
pub(super) static TYPESCRIPT: Table =
    Table { language: Language::TypeScript, name: "typescript", extensions: "ts mts cts", ..ECMA }.ready();
pub(super) static TSX: Table = Table { language: Language::Tsx, name: "tsx", extensions: "tsx", ..ECMA }.ready();

/// Words that start a statement even where methods are.
const CONTROL: Words = Words::new("if for while switch return else do try throw case");

pub(super) fn detect<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    let language = line.table.language;
    let first = *line.code.first()?;
    let is_function = starts_with_word(line.code, b"function")
        || line.code.strip_prefix(b"async ").is_some_and(|it| starts_with_word(it, b"function"));
    if line.parens > 0 && !is_function {
        return assignment(line, line.code, true);
    }
    if !(first.is_ascii_alphabetic()
        || matches!(first, b'_' | b'$' | b'*' | b'#' | b'!' | b'(' | b'@' | b'[')
        || first >= 0x80)
    {
        return None;
    }
    let mut code = line.code;
    let mut exported = false;
    loop {
        let (first, rest) = word(code);
        match first {
            b"export" | b"default" | b"declare"
                if !rest.is_empty() && !matches!(rest.first(), Some(b':' | b'=' | b'(')) =>
            {
                exported |= first != b"declare";
                code = rest;
            }
            b"abstract" | b"async" if is_keyword(rest) => code = rest,
            b"return" if line.all && is_keyword(rest) => code = rest,
            _ => break,
        }
    }
    let (keyword, rest) = word(code);
    let typed = language != Language::JavaScript;
    match keyword {
        b"function" => {
            let rest = rest.strip_prefix(b"*").map_or(rest, trim_start);
            let name = word(rest).0;
            let default = Candidate::unnamed(b"default", Kind::Function, Block::Function).filter(|_| exported);
            Candidate::new(name, Kind::Function, Block::Function).or(default)
        }
        b"class" if !matches!(rest.first(), Some(b':' | b'=' | b'(')) => {
            let default = Candidate::unnamed(b"default", Kind::Class, Block::Class).filter(|_| exported);
            let name = Some(word(rest).0).filter(|it| *it != b"extends");
            Candidate::new(name.unwrap_or_default(), Kind::Class, Block::Class).or(default)
        }
        b"interface" if typed => Candidate::new(word(rest).0, Kind::Interface, Block::Interface),
        b"enum" if typed => Candidate::new(word(rest).0, Kind::Enum, Block::Other),
        b"const" if typed && starts_with_word(rest, b"enum") => {
            Candidate::new(word(word(rest).1).0, Kind::Enum, Block::Other)
        }
        b"type" if typed && word(rest).1.first().is_some_and(|byte| matches!(byte, b'=' | b'<')) => {
            let opens = if line.all { Block::Interface } else { Block::Other };
            Candidate::new(word(rest).0, Kind::Type, opens)
        }
        b"namespace" | b"module"
            if typed && rest.first().is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'"' | b'\'')) =>
        {
            let quoted = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'"));
            let name = quoted.map_or_else(|| path(rest, b".").0, |rest| path(rest, b":./@-*").0);
            Candidate::new(name, Kind::Module, Block::Namespace)
        }
        b"const" | b"let" | b"var" => variable(line, rest, keyword, exported, code.len() < line.code.len()),
        _ => member(line, code, typed).or_else(|| assignment(line, code, false)),
    }
}

/// Whether `rest` goes on with what `async` or `abstract` modifies outside a class.
fn is_keyword(rest: &[u8]) -> bool {
    starts_with_word(rest, b"function") || starts_with_word(rest, b"class")
}

fn variable<'t>(
    line: &Line<'t>,
    rest: &'t [u8],
    keyword: &[u8],
    exported: bool,
    declared: bool,
) -> Option<Candidate<'t>> {
    // `var` may be alone on its line.
    let rest = if rest.is_empty() { skip_space(line.tail.get(line.code.len()..)?) } else { rest };
    let (name, after) = word(rest);
    // `<const T extends U>` is a parameter of a type.
    if name.is_empty() || after.first().copied().is_some_and(is_word) {
        return None;
    }
    let value = value(line, after);
    // `var a = b.c = function` is a function, too.
    let function = |value| callable(name, value, Kind::Function).or_else(|| assignment(line, value, true));
    if let Some(found) = value.and_then(function) {
        return Some(found);
    }
    let kind = if keyword == b"const" { Kind::Constant } else { Kind::Variable };
    if line.in_function || !(exported || line.depth == 0 && is_upper_case(name)) {
        let is_global = line.depth == 0 || declared && !line.in_function;
        return if is_global { Candidate::minor(name, kind, Block::Other) } else { None };
    }
    Candidate::new(name, kind, Block::Other)
}

/// What follows the `=` of a declaration with an optional type, from `after` which is a part of the line.
fn value<'t>(line: &Line<'t>, after: &'t [u8]) -> Option<&'t [u8]> {
    let at = match after.first() {
        Some(b'=') => 0,
        // The type may contain `=>`.
        Some(b':') => {
            let mut from = 0;
            // The arguments of a type may be on the lines that follow.
            let scope = if after.ends_with(b"<") { line.tail_at(after) } else { after };
            loop {
                let at = from + memchr::memchr(b'=', scope.get(from..)?)?;
                if scope.get(at + 1) != Some(&b'>') {
                    break at;
                }
                from = at + 2;
            }
        }
        _ => return None,
    };
    let value = line.tail_at(after).get(at..)?.strip_prefix(b"=")?;
    // Not `==` and not `=>`.
    (!matches!(value.first(), Some(b'=' | b'>'))).then(|| skip_space(value))
}

/// A candidate if `value` is a function or a class.
fn callable<'t>(name: &'t [u8], value: &'t [u8], kind: Kind) -> Option<Candidate<'t>> {
    let value = match value.strip_prefix(b"async") {
        Some(rest) if !rest.first().copied().is_some_and(is_word) => skip_space(rest),
        _ => value,
    };
    if starts_with_word(value, b"function") {
        let also = word(value).1;
        let also = word(also.strip_prefix(b"*").map_or(also, trim_start)).0;
        return Candidate::new(name, kind, Block::Function).map(|it| Candidate { also, ..it });
    }
    if starts_with_word(value, b"class") {
        let also = Some(word(word(value).1).0).filter(|it| *it != b"extends").unwrap_or_default();
        return Candidate::new(name, Kind::Class, Block::Class).map(|it| Candidate { also, ..it });
    }
    let value = if value.first() == Some(&b'<') { after_brackets(value)? } else { value };
    let after = if value.first() == Some(&b'(') {
        let after = after_brackets(value)?;
        // A type, up to the arrow.
        if after.first() == Some(&b':') {
            let object = skip_space(after.get(1..)?);
            if object.starts_with(b"{") {
                after_brackets(object)?
            } else {
                let end = memchr::memmem::find(after, b"=>")?;
                if memchr::memchr3(b';', b'\n', b'?', after.get(..end)?).is_some() {
                    return None;
                }
                after.get(end..)?
            }
        } else {
            after
        }
    } else {
        let (parameter, after) = word(value);
        if parameter.is_empty() {
            return None;
        }
        after
    };
    if after.starts_with(b"=>") { Candidate::new(name, kind, Block::Function) } else { None }
}

/// A method or a field with a function, in a class or an object.
fn member<'t>(line: &Line<'t>, mut code: &'t [u8], typed: bool) -> Option<Candidate<'t>> {
    let class = matches!(line.block, Block::Class | Block::Interface);
    let mut private = false;
    // `@Input() name` is a member with a decorator.
    while code.starts_with(b"@") {
        code = after_attribute(code)?;
    }
    loop {
        let (first, rest) = word(code);
        let named = rest.first().is_some_and(|byte| is_word(*byte) || matches!(byte, b'#' | b'[' | b'*'));
        match first {
            _ if named && line.table.modifiers.contains(first) => code = rest,
            b"" if code.first() == Some(&b'*') => code = trim_start(code.get(1..)?),
            b"" if code.first() == Some(&b'#') => {
                private = line.all;
                code = code.get(1..)?;
            }
            _ => break,
        }
    }
    let (name, after) = word(code);
    let whole = line.code.get(line.code.len() - code.len() - usize::from(private)..)?;
    let name = if private && !name.is_empty() { whole.get(..name.len() + 1)? } else { name };
    if name.is_empty()
        || line.table.statements.contains(name)
            && (!class || CONTROL.contains(name))
            && (!after.starts_with(b":") || matches!(name, b"case" | b"default"))
        || matches!(name, b"new" | b"async") && after.starts_with(b"(")
    {
        return None;
    }
    let declared = after.len();
    let after = after.strip_prefix(b"?").or_else(|| after.strip_prefix(b"!")).unwrap_or(after);
    // A field, which may have no more than its name.
    let field = || {
        let is_field = typed
            && line.block == Block::Class
            && line.parens == 0
            && !matches!(line.last, b',' | b'=' | b'.' | b'+' | b'?' | b'|' | b'&' | b':' | b'(' | b'<')
            && is_name(name)
            && (declared > after.len() || matches!(after, [] | [b':' | b';', ..] | [b'=', ..]));
        if is_field { Candidate::minor(name, Kind::Field, Block::Other) } else { None }
    };
    match after.first().copied().unwrap_or_default() {
        b'(' | b'<' => {
            let tail = line.tail_at(after);
            let tail = if after.first() == Some(&b'<') { after_brackets(tail)? } else { tail };
            let rest = after_brackets(tail)?;
            match rest.first() {
                Some(b'{') => Candidate::new(name, Kind::Method, Block::Function),
                Some(b':') if class || has_body(rest) => Candidate::new(name, Kind::Method, Block::Function),
                Some(b';') if class => Candidate::new(name, Kind::Method, Block::Other),
                _ => None,
            }
        }
        b':' if class => value(line, after).and_then(|value| callable(name, value, Kind::Method)).or_else(field),
        b':' => callable(name, skip_space(line.tail_at(after).get(1..)?), Kind::Method),
        b'=' if class => value(line, after).and_then(|value| callable(name, value, Kind::Method)).or_else(field),
        _ => field(),
    }
}

/// Whether a type is followed by a body, before the line or the statement ends.
fn has_body(rest: &[u8]) -> bool {
    let line = rest.get(..memchr::memchr(b'\n', rest).unwrap_or(rest.len())).unwrap_or(rest);
    line.trim_ascii_end().ends_with(b"{") && memchr::memchr2(b';', b'?', line).is_none()
}

/// The most targets of an assignment that are looked at, as in `a = b = function`.
const MAX_TARGETS: usize = 16;

/// `exports.name = function`, `Type.prototype.name = (…) =>`.
fn assignment<'t>(line: &Line<'t>, code: &'t [u8], nested: bool) -> Option<Candidate<'t>> {
    let mut code = code;
    for target in 0..MAX_TARGETS {
        let (found, value) = assigned(line, code, nested || target > 0)?;
        if found.is_some() {
            return found;
        }
        code = value;
    }
    None
}

/// The definition that one assignment makes, and what is assigned; `None` if `code` is no assignment.
fn assigned<'t>(line: &Line<'t>, code: &'t [u8], nested: bool) -> Option<(Option<Candidate<'t>>, &'t [u8])> {
    let (target, after) = path(code, b".");
    if after.first() != Some(&b'=') {
        return None;
    }
    let name = last_word(target);
    if nested || target.len() == name.len() {
        if !is_name(name) {
            return None;
        }
        let value = value(line, after)?;
        // A class is only known to be declared here after another declaration.
        let found = callable(name, value, Kind::Function).filter(|it| it.kind == Kind::Function || line.last == b',');
        return Some((found.map(|it| it.shown(Shown::Symbols)), value));
    }
    let method = memchr::memmem::find(target, b".prototype.").is_some() || target.starts_with(b"this.");
    let name = if target == b"module.exports" { &b"exports"[..] } else { name };
    let value = value(line, after)?;
    Some((callable(name, value, if method { Kind::Method } else { Kind::Function }), value))
}
