//! Languages whose definitions start with a keyword: Rust, Zig, Kotlin, Swift, Scala, PHP and protobuf.

use super::super::definition::Kind;
use super::super::language::Language;
use super::candidate::{Block, Candidate, Shown};
use super::line::Line;
use super::words::{after_brackets, is_upper_case, path, starts_with_word, trim_start, word};

/// The definition on a line.
pub(super) fn detect<'t>(language: Language, line: &Line<'t>) -> Option<Candidate<'t>> {
    if line.parens > 0 {
        return None;
    }
    match language {
        Language::Rust => rust(line),
        Language::Zig => zig(line),
        Language::Kotlin => kotlin(line),
        Language::Swift => swift(line),
        Language::Scala => scala(line),
        Language::Php => php(line),
        Language::Proto => proto(line),
        _ => None,
    }
}

/// A function, or a method in the body of a type.
fn callable(line: &Line<'_>) -> Kind {
    if line.block == Block::Class { Kind::Method } else { Kind::Function }
}

/// Whether a constant on this line is seen outside a function.
fn is_global(line: &Line<'_>) -> bool {
    !line.in_function && matches!(line.block, Block::Class | Block::Namespace)
}

/// Without attributes such as `#[inline]`, or `@Test(…)`.
fn without_attributes(mut code: &[u8]) -> &[u8] {
    loop {
        code = if code.starts_with(b"#[") {
            match code.get(1..).and_then(after_brackets) {
                Some(rest) => rest,
                None => return code,
            }
        } else if let Some(rest) = code.strip_prefix(b"@") {
            let (_, rest) = path(rest, b".:");
            if rest.first() == Some(&b'(') { after_brackets(rest).unwrap_or(&[]) } else { rest }
        } else {
            return code;
        };
    }
}

/// Without the leading words for which `modifier` is true, and what they have in parentheses.
fn without_modifiers(mut code: &[u8], modifier: impl Fn(&[u8]) -> bool) -> &[u8] {
    loop {
        let (first, rest) = word(code);
        if first.is_empty() || rest.is_empty() || !modifier(first) {
            return code;
        }
        code = if rest.first() == Some(&b'(') { after_brackets(rest).unwrap_or(&[]) } else { rest };
    }
}

fn rust<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    let first = *line.code.first()?;
    if !first.is_ascii_lowercase() && first != b'#' {
        return None;
    }
    let mut code = without_attributes(line.code);
    loop {
        let (first, mut rest) = word(code);
        rest = match first {
            b"pub" | b"crate" if rest.first() == Some(&b'(') => after_brackets(rest)?,
            b"pub" | b"unsafe" | b"async" | b"default" | b"safe" | b"auto" => rest,
            b"extern" => match rest.strip_prefix(b"\"") {
                Some(abi) => trim_start(abi.get(memchr::memchr(b'"', abi)? + 1..)?),
                None => rest,
            },
            b"const" if [&b"fn"[..], b"unsafe", b"async", b"extern"].iter().any(|it| starts_with_word(rest, it)) => {
                rest
            }
            b"" => {
                // `extern "C" {`
                let foreign = line.code.starts_with(b"extern") || line.code.starts_with(b"unsafe extern");
                let found = Candidate::new(b"extern", Kind::Module, Block::Namespace)?.shown(Shown::Map);
                return foreign.then_some(found);
            }
            _ => break,
        };
        code = rest;
    }
    let (keyword, rest) = word(code);
    let (name, after) = word(rest.strip_prefix(b"r#").unwrap_or(rest));
    let opens_macro = if line.all { Block::Macro } else { Block::Other };
    match keyword {
        b"fn" => Candidate::new(name, callable(line), Block::Function),
        b"struct" => Candidate::new(name, Kind::Struct, Block::Other),
        b"union" if matches!(after.first(), Some(b'{' | b'<')) => Candidate::new(name, Kind::Struct, Block::Other),
        b"enum" => Candidate::new(name, Kind::Enum, Block::Other),
        b"trait" => Candidate::new(name, Kind::Interface, Block::Class),
        b"mod" => Candidate::new(name, Kind::Module, Block::Namespace),
        b"type" if !line.in_function || line.all => Candidate::new(name, Kind::Type, Block::Other),
        b"const" | b"static" if (!line.in_function || line.all) && name != b"_" => {
            // `ref` of `lazy_static!`.
            let name = if matches!(name, b"mut" | b"ref") { word(after).0 } else { name };
            let kind = if keyword == b"const" { Kind::Constant } else { Kind::Variable };
            // `static || {}` is a closure.
            let is_typed = !line.in_function || after.starts_with(b":") || keyword == b"static";
            let is_typed = is_typed && !(line.all && matches!(line.last, b',' | b'<' | b'('));
            Candidate::new(name, kind, Block::Other).filter(|_| is_typed)
        }
        b"macro_rules" => Candidate::new(word(trim_start(rest.strip_prefix(b"!")?)).0, Kind::Macro, opens_macro),
        b"macro" => Candidate::new(name, Kind::Macro, opens_macro),
        b"impl" => Candidate::new(implemented(line, rest), Kind::Class, Block::Class),
        _ => None,
    }
}

/// The name of the type that an `impl` block is for, after the keyword.
fn implemented<'t>(line: &Line<'t>, rest: &'t [u8]) -> &'t [u8] {
    // Generics may go on over several lines.
    let tail = line.tail.get(line.code.len() - rest.len()..).unwrap_or(rest);
    let tail = if tail.first() == Some(&b'<') { after_brackets(tail).unwrap_or(&[]) } else { tail };
    let end = memchr::memchr2(b'{', b'\0', tail).unwrap_or(tail.len());
    let header = tail.get(..end).unwrap_or(tail);
    let header = memchr::memmem::find(header, b" where").and_then(|end| header.get(..end)).unwrap_or(header);
    let mut target = match memchr::memmem::find(header, b" for ") {
        // `impl Trait for for<'a> fn(&'a str)` is not worth more.
        Some(at) => header.get(at + 5..).unwrap_or(header),
        None => header,
    };
    loop {
        let before = target.len();
        target = target.trim_ascii_start();
        if let Some(lifetime) = target.strip_prefix(b"'") {
            target = word(lifetime).1;
        }
        for mark in [&b"&"[..], b"*", b"(", b"[", b"!", b"mut ", b"dyn ", b"const "] {
            target = target.strip_prefix(mark).unwrap_or(target);
        }
        if target.len() == before {
            break;
        }
    }
    let (name, _) = path(target, b":");
    super::words::last_word(name)
}

fn zig<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    let code = without_modifiers(line.code, |it| {
        matches!(it, b"pub" | b"export" | b"inline" | b"noinline" | b"extern" | b"threadlocal" | b"comptime")
    });
    let code = match code.strip_prefix(b"\"") {
        Some(library) => trim_start(library.get(memchr::memchr(b'"', library)? + 1..)?),
        None => code,
    };
    let (keyword, rest) = word(code);
    let (name, after) = word(rest);
    match keyword {
        b"fn" => Candidate::new(name, callable(line), Block::Function),
        b"const" | b"var" if !line.in_function => {
            let value = after.strip_prefix(b"=").map_or(after, trim_start);
            let value = without_modifiers(value, |it| matches!(it, b"packed" | b"extern"));
            match word(value).0 {
                b"struct" | b"opaque" => Candidate::new(name, Kind::Struct, Block::Class),
                b"enum" => Candidate::new(name, Kind::Enum, Block::Class),
                b"union" => Candidate::new(name, Kind::Struct, Block::Class),
                b"error" => Candidate::new(name, Kind::Enum, Block::Other),
                _ if value.starts_with(b"@import") || value.starts_with(b"@This") => None,
                _ if keyword == b"var" => Candidate::new(name, Kind::Variable, Block::Other),
                _ => Candidate::new(name, Kind::Constant, Block::Other),
            }
        }
        b"test" => {
            let text = rest.strip_prefix(b"\"")?;
            Candidate::new(text.get(..memchr::memchr(b'"', text)?)?, Kind::Function, Block::Function)
        }
        _ => None,
    }
}

fn kotlin<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    let code = without_modifiers(without_attributes(line.code), |it| {
        matches!(
            it,
            b"public"
                | b"private"
                | b"protected"
                | b"internal"
                | b"open"
                | b"abstract"
                | b"final"
                | b"sealed"
                | b"data"
                | b"inner"
                | b"inline"
                | b"value"
                | b"override"
                | b"suspend"
                | b"operator"
                | b"infix"
                | b"tailrec"
                | b"external"
                | b"expect"
                | b"actual"
                | b"companion"
                | b"annotation"
                | b"lateinit"
                | b"const"
                | b"noinline"
        )
    });
    let (mut keyword, mut rest) = word(code);
    if keyword == b"enum" && starts_with_word(rest, b"class") {
        rest = word(rest).1;
    } else if keyword == b"fun" && starts_with_word(rest, b"interface") {
        (keyword, rest) = word(rest);
    }
    match keyword {
        b"fun" => {
            let rest = if rest.first() == Some(&b'<') { after_brackets(rest)? } else { rest };
            let name = rest.get(..memchr::memchr(b'(', rest)?)?;
            Candidate::new(quoted(name), callable(line), Block::Function)
        }
        b"class" => Candidate::new(word(rest).0, Kind::Class, Block::Class),
        b"enum" => Candidate::new(word(rest).0, Kind::Enum, Block::Class),
        b"object" => {
            let name = word(rest).0;
            if name.is_empty() {
                return Candidate::new(b"companion", Kind::Class, Block::Class).map(|it| it.shown(Shown::Map));
            }
            Candidate::new(name, Kind::Class, Block::Class)
        }
        b"interface" => Candidate::new(word(rest).0, Kind::Interface, Block::Class),
        b"typealias" => Candidate::new(word(rest).0, Kind::Type, Block::Other),
        b"constructor" if line.block == Block::Class && rest.starts_with(b"(") => {
            Candidate::minor(keyword, Kind::Method, Block::Function)
        }
        b"val" | b"var" if is_global(line) => {
            let rest = if rest.first() == Some(&b'<') { after_brackets(rest)? } else { rest };
            let name = super::words::last_word(path(rest, b".").0);
            Candidate::new(name, property(line, name, keyword == b"val"), Block::Other)
        }
        _ => None,
    }
}

/// The last word of a receiver and name, or what stands between backticks.
fn quoted(name: &[u8]) -> &[u8] {
    match name.strip_suffix(b"`") {
        Some(name) => name.get(memchr::memrchr(b'`', name).map_or(0, |at| at + 1)..).unwrap_or(name),
        None => super::words::last_word(name.trim_ascii_end()),
    }
}

/// The kind of a `val` or `let` outside functions.
fn property(line: &Line<'_>, name: &[u8], constant: bool) -> Kind {
    match line.block {
        _ if constant && is_upper_case(name) => Kind::Constant,
        Block::Class => Kind::Field,
        _ if constant => Kind::Constant,
        _ => Kind::Variable,
    }
}

fn swift<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    let code = without_modifiers(without_attributes(line.code), |it| {
        matches!(
            it,
            b"public"
                | b"private"
                | b"fileprivate"
                | b"internal"
                | b"open"
                | b"static"
                | b"final"
                | b"override"
                | b"mutating"
                | b"nonmutating"
                | b"required"
                | b"convenience"
                | b"indirect"
                | b"lazy"
                | b"weak"
                | b"unowned"
                | b"dynamic"
                | b"optional"
                | b"prefix"
                | b"postfix"
                | b"infix"
                | b"nonisolated"
                | b"isolated"
                | b"distributed"
                | b"package"
        )
    });
    let (keyword, mut rest) = word(code);
    if keyword == b"class" && ["func", "var", "let"].iter().any(|it| starts_with_word(rest, it.as_bytes())) {
        rest = word(rest).1;
        return Candidate::new(word(rest).0, Kind::Method, Block::Function);
    }
    let name = word(rest).0;
    match keyword {
        b"func" => {
            let quoted = rest.strip_prefix(b"`").filter(|_| line.all).and_then(|it| memchr::memchr(b'`', it));
            let name = match quoted {
                Some(end) => rest.get(..end + 2)?,
                None if name.is_empty() => rest.get(..memchr::memchr2(b'(', b' ', rest)?)?,
                None => name,
            };
            Candidate::new(name, callable(line), Block::Function)
        }
        b"init" if line.block == Block::Class && matches!(rest.first(), Some(b'(' | b'?' | b'!' | b'<')) => {
            Candidate::new(keyword, Kind::Method, Block::Function)
        }
        b"class" | b"actor" => Candidate::new(name, Kind::Class, Block::Class),
        b"struct" => Candidate::new(name, Kind::Struct, Block::Class),
        b"enum" => Candidate::new(name, Kind::Enum, Block::Class),
        b"protocol" => Candidate::new(name, Kind::Interface, Block::Class),
        b"extension" => Candidate::new(super::words::last_word(path(rest, b".").0), Kind::Class, Block::Class),
        b"typealias" | b"associatedtype" => Candidate::new(name, Kind::Type, Block::Other),
        b"macro" => Candidate::new(name, Kind::Macro, Block::Other),
        b"let" | b"var" if is_global(line) => {
            Candidate::new(name, property(line, name, keyword == b"let"), Block::Function)
        }
        _ => None,
    }
}

fn scala<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    let code = without_modifiers(without_attributes(line.code), |it| {
        matches!(
            it,
            b"private"
                | b"protected"
                | b"override"
                | b"final"
                | b"abstract"
                | b"sealed"
                | b"implicit"
                | b"lazy"
                | b"inline"
                | b"open"
                | b"transparent"
                | b"opaque"
                | b"infix"
        )
    });
    // `private[this]`
    let code = match code.first() {
        Some(b'[') => without_modifiers(after_brackets(code)?, |it| {
            matches!(it, b"final" | b"override" | b"implicit" | b"lazy" | b"abstract" | b"sealed")
        }),
        _ => code,
    };
    let (mut keyword, mut rest) = word(code);
    if keyword == b"case" || keyword == b"package" && starts_with_word(rest, b"object") {
        (keyword, rest) = word(rest);
        if keyword != b"class" && keyword != b"object" {
            return None;
        }
    }
    let (name, _) = word(rest);
    match keyword {
        b"def" => {
            let end =
                rest.iter().position(|byte| matches!(byte, b'(' | b'[' | b':' | b' ' | b'=')).unwrap_or(rest.len());
            let plain = if name.is_empty() { rest.get(..end)? } else { name };
            let name = if line.all { scala_name(rest) } else { plain };
            Candidate::new(name, callable(line), Block::Function)
        }
        b"class" | b"object" if line.all => Candidate::new(scala_name(rest), Kind::Class, Block::Class),
        b"class" | b"object" => Candidate::new(name, Kind::Class, Block::Class),
        b"trait" => Candidate::new(name, Kind::Interface, Block::Class),
        b"enum" => Candidate::new(name, Kind::Enum, Block::Class),
        b"type" if is_global(line) || line.all => Candidate::new(name, Kind::Type, Block::Other),
        b"given" => Candidate::new(name, Kind::Constant, Block::Class),
        b"val" | b"var" if is_global(line) || line.all && line.block == Block::Class => {
            let name = if line.all { scala_name(rest) } else { name };
            let found = Candidate::new(name, property(line, name, keyword == b"val"), Block::Other)?;
            Some(if is_global(line) { found } else { found.shown(Shown::Symbols) })
        }
        _ => None,
    }
}

/// The name at the start of `rest`: letters, then operators after `_`; or operators; or what is in backticks.
fn scala_name(rest: &[u8]) -> &[u8] {
    if let Some(end) = rest.strip_prefix(b"`").and_then(|it| memchr::memchr(b'`', it)) {
        return rest.get(..end + 2).unwrap_or(rest);
    }
    let (name, _) = word(rest);
    let is_operator = |byte: &u8| b"!#%&*+-/:<=>?@\\^|~".contains(byte);
    let operators = if name.is_empty() || name.ends_with(b"_") {
        let rest = rest.get(name.len()..).unwrap_or(&[]);
        let run = rest.iter().take_while(|byte| is_operator(byte)).count();
        // The `:` of a type.
        let bare = rest.get(..run).unwrap_or(&[]);
        if bare == b":" && !name.is_empty() { 0 } else { run }
    } else {
        0
    };
    rest.get(..name.len() + operators).unwrap_or(name)
}

fn php<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    let code = without_attributes(line.code);
    let code = code.strip_prefix(b"<?php").map_or(code, trim_start);
    let code = without_modifiers(code, |it| {
        matches!(it, b"public" | b"private" | b"protected" | b"static" | b"final" | b"abstract" | b"readonly" | b"var")
    });
    let (keyword, rest) = word(code);
    let (name, after) = word(rest.strip_prefix(b"&").unwrap_or(rest));
    match keyword {
        b"function" => Candidate::new(name, callable(line), Block::Function),
        b"class" => Candidate::new(name, Kind::Class, Block::Class),
        b"interface" => Candidate::new(name, Kind::Interface, Block::Class),
        b"trait" => Candidate::new(name, Kind::Interface, Block::Class),
        b"enum" => Candidate::new(name, Kind::Enum, Block::Class),
        b"namespace" => Candidate::new(path(rest, b"\\").0, Kind::Module, Block::Namespace),
        b"" if line.all && line.block == Block::Class && code.len() < line.code.len() => php_property(code),
        _ if line.all
            && line.block == Block::Class
            && code.len() < line.code.len()
            && !line.in_function
            && keyword != b"function"
            && keyword != b"const"
            && keyword != b"class" =>
        {
            php_property(code)
        }
        b"const" if !line.in_function => {
            // `const string NAME = …`
            let name = if after.starts_with(b"=") { name } else { word(after).0 };
            Candidate::new(name, Kind::Constant, Block::Other)
        }
        b"define" => {
            let text = rest.strip_prefix(b"(").map(trim_start)?;
            Candidate::new(word(text.get(1..)?).0, Kind::Constant, Block::Other)
        }
        _ => None,
    }
}

/// `$name` after an optional type.
fn php_property(code: &[u8]) -> Option<Candidate<'_>> {
    let end = code.iter().position(|byte| matches!(byte, b'=' | b';' | b',')).unwrap_or(code.len());
    let head = code.get(..end)?;
    let dollar = memchr::memchr(b'$', head)?;
    Candidate::minor(word(head.get(dollar + 1..)?).0, Kind::Field, Block::Other).filter(|_| !head.contains(&b'('))
}

fn proto<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    let (keyword, rest) = word(line.code);
    let (name, after) = word(rest);
    let opens = matches!(after.first(), None | Some(b'{'));
    match keyword {
        b"message" | b"group" if opens => Candidate::new(name, Kind::Message, Block::Other),
        b"service" if opens => Candidate::new(name, Kind::Interface, Block::Class),
        b"enum" if opens => Candidate::new(name, Kind::Enum, Block::Other),
        b"oneof" if opens => Candidate::new(name, Kind::Field, Block::Other),
        b"rpc" => Candidate::new(name, Kind::Method, Block::Other),
        b"extend" => Candidate::new(path(rest, b".").0, Kind::Message, Block::Other),
        _ => None,
    }
}
