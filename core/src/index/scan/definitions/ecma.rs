//! JavaScript and TypeScript.

use super::super::definition::Kind;
use super::super::language::Language;
use super::candidate::{Block, Candidate};
use super::line::Line;
use super::words::{after_brackets, is_upper_case, path, skip_space, starts_with_word, trim_start, word};

/// The definition on a line.
pub(super) fn detect<'t>(language: Language, line: &Line<'t>) -> Option<Candidate<'t>> {
    let first = *line.code.first()?;
    if line.parens > 0 && !starts_with_word(line.code, b"function") {
        return None;
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
            _ => break,
        }
    }
    let (keyword, rest) = word(code);
    let typed = language != Language::JavaScript;
    match keyword {
        b"function" => {
            let rest = rest.strip_prefix(b"*").map_or(rest, trim_start);
            let name = word(rest).0;
            let name = if name.is_empty() && exported { &b"default"[..] } else { name };
            Candidate::new(name, Kind::Function, Block::Function)
        }
        b"class" if !matches!(rest.first(), Some(b':' | b'=' | b'(')) => {
            let name = word(rest).0;
            let name = if matches!(name, b"" | b"extends") && exported { &b"default"[..] } else { name };
            Candidate::new(name, Kind::Class, Block::Class)
        }
        b"interface" if typed => Candidate::new(word(rest).0, Kind::Interface, Block::Class),
        b"enum" if typed => Candidate::new(word(rest).0, Kind::Enum, Block::Other),
        b"const" if typed && starts_with_word(rest, b"enum") => {
            Candidate::new(word(word(rest).1).0, Kind::Enum, Block::Other)
        }
        b"type" if typed && word(rest).1.first().is_some_and(|byte| matches!(byte, b'=' | b'<')) => {
            Candidate::new(word(rest).0, Kind::Type, Block::Other)
        }
        b"namespace" | b"module"
            if typed && rest.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'"') =>
        {
            let rest = rest.strip_prefix(b"\"").unwrap_or(rest);
            Candidate::new(path(rest, b"./@-*").0, Kind::Module, Block::Namespace)
        }
        b"const" | b"let" | b"var" => variable(line, rest, keyword, exported),
        _ => member(line, code).or_else(|| assignment(line, code)),
    }
}

/// Whether `rest` goes on with what `async` or `abstract` modifies outside a class.
fn is_keyword(rest: &[u8]) -> bool {
    starts_with_word(rest, b"function") || starts_with_word(rest, b"class")
}

fn variable<'t>(line: &Line<'t>, rest: &'t [u8], keyword: &[u8], exported: bool) -> Option<Candidate<'t>> {
    let (name, after) = word(rest);
    if name.is_empty() {
        return None;
    }
    let value = value(line, after);
    if let Some(found) = value.and_then(|value| callable(name, value, Kind::Function)) {
        return Some(found);
    }
    if line.in_function || !(exported || line.depth == 0 && is_upper_case(name)) {
        return None;
    }
    let kind = if keyword == b"const" { Kind::Constant } else { Kind::Variable };
    Candidate::new(name, kind, Block::Other)
}

/// What follows the `=` of a declaration with an optional type, from `after` which is a part of the line.
fn value<'t>(line: &Line<'t>, after: &'t [u8]) -> Option<&'t [u8]> {
    let at = match after.first() {
        Some(b'=') => 0,
        // The type may contain `=>`.
        Some(b':') => {
            let mut from = 0;
            loop {
                let at = from + memchr::memchr(b'=', after.get(from..)?)?;
                if after.get(at + 1) != Some(&b'>') {
                    break at;
                }
                from = at + 2;
            }
        }
        _ => return None,
    };
    let from = line.code.len() - after.len() + at;
    let value = line.tail.get(from..)?.strip_prefix(b"=")?;
    // Not `==` and not `=>`.
    (!matches!(value.first(), Some(b'=' | b'>'))).then(|| skip_space(value))
}

/// A candidate if `value` is a function or a class.
fn callable<'t>(name: &'t [u8], value: &'t [u8], kind: Kind) -> Option<Candidate<'t>> {
    let value = match value.strip_prefix(b"async") {
        Some(rest) if !rest.first().copied().is_some_and(super::words::is_word) => skip_space(rest),
        _ => value,
    };
    if starts_with_word(value, b"function") {
        return Candidate::new(name, kind, Block::Function);
    }
    if starts_with_word(value, b"class") {
        return Candidate::new(name, Kind::Class, Block::Class);
    }
    let value = if value.first() == Some(&b'<') { after_brackets(value)? } else { value };
    let after = if value.first() == Some(&b'(') {
        let after = after_brackets(value)?;
        // A type, up to the arrow.
        if after.first() == Some(&b':') {
            let end = memchr::memmem::find(after, b"=>")?;
            let between = after.get(..end)?;
            if memchr::memchr3(b';', b'\n', b'?', between).is_some() {
                return None;
            }
            after.get(end..)?
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
fn member<'t>(line: &Line<'t>, mut code: &'t [u8]) -> Option<Candidate<'t>> {
    // `@Input() name` is a member with a decorator.
    while let Some(rest) = code.strip_prefix(b"@") {
        let (_, rest) = path(rest, b".");
        code = if rest.first() == Some(&b'(') { after_brackets(rest)? } else { rest };
    }
    loop {
        let (first, rest) = word(code);
        let named = rest.first().is_some_and(|byte| super::words::is_word(*byte) || matches!(byte, b'#' | b'[' | b'*'));
        match first {
            b"static" | b"async" | b"get" | b"set" | b"public" | b"private" | b"protected" | b"readonly"
            | b"override" | b"abstract" | b"declare" | b"accessor"
                if named =>
            {
                code = rest;
            }
            b"" if code.first() == Some(&b'*') => code = trim_start(code.get(1..)?),
            b"" if code.first() == Some(&b'#') => code = code.get(1..)?,
            _ => break,
        }
    }
    let (name, after) = word(code);
    if name.is_empty() || is_statement(name) {
        return None;
    }
    let after = after.strip_prefix(b"?").unwrap_or(after);
    match after.first()? {
        b'(' | b'<' => {
            let tail = line.tail.get(line.code.len() - after.len()..)?;
            let tail = if after.first() == Some(&b'<') { after_brackets(tail)? } else { tail };
            let rest = after_brackets(tail)?;
            let class = line.block == Block::Class;
            match rest.first() {
                Some(b'{') => Candidate::new(name, Kind::Method, Block::Function),
                Some(b':') if class || has_body(rest) => Candidate::new(name, Kind::Method, Block::Function),
                Some(b';') if class => Candidate::new(name, Kind::Method, Block::Other),
                _ => None,
            }
        }
        b':' if line.block == Block::Class => callable(name, value(line, after)?, Kind::Method),
        b':' => callable(name, skip_space(tail_of(line, after)?.get(1..)?), Kind::Method),
        b'=' if line.block == Block::Class => callable(name, value(line, after)?, Kind::Method),
        _ => None,
    }
}

fn tail_of<'t>(line: &Line<'t>, after: &[u8]) -> Option<&'t [u8]> {
    line.tail.get(line.code.len() - after.len()..)
}

/// Whether a type is followed by a body, before the line or the statement ends.
fn has_body(rest: &[u8]) -> bool {
    let line = rest.get(..memchr::memchr(b'\n', rest).unwrap_or(rest.len())).unwrap_or(rest);
    line.trim_ascii_end().ends_with(b"{") && memchr::memchr2(b';', b'?', line).is_none()
}

/// `exports.name = function`, `Type.prototype.name = (…) =>`.
fn assignment<'t>(line: &Line<'t>, code: &'t [u8]) -> Option<Candidate<'t>> {
    let (target, after) = path(code, b".");
    if after.first() != Some(&b'=') || line.in_function && !target.starts_with(b"this.") && !target.contains(&b'.') {
        return None;
    }
    let name = super::words::last_word(target);
    if target.len() == name.len() {
        return None;
    }
    let method = memchr::memmem::find(target, b".prototype.").is_some() || target.starts_with(b"this.");
    let name = if target == b"module.exports" { &b"exports"[..] } else { name };
    callable(name, value(line, after)?, if method { Kind::Method } else { Kind::Function })
}

/// Whether a word with parentheses and a block after it is a statement.
fn is_statement(name: &[u8]) -> bool {
    matches!(
        name,
        b"if"
            | b"for"
            | b"while"
            | b"switch"
            | b"catch"
            | b"with"
            | b"function"
            | b"return"
            | b"do"
            | b"else"
            | b"try"
            | b"new"
            | b"typeof"
            | b"await"
            | b"throw"
            | b"case"
            | b"default"
            | b"finally"
            | b"super"
            | b"import"
            | b"export"
    )
}
