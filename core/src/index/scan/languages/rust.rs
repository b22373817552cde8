//! Rust.

use super::super::candidate::{Block, Candidate};
use super::super::definition::Kind;
use super::super::line::Line;
use super::super::signature::Style;
use super::super::table::{BRACES, Language, Single, Table};
use super::super::words::{after_brackets, last_word, path, starts_with_word, trim_start, word};

pub(super) static RUST: Table = Table {
    language: Language::Rust,
    name: "rust",
    extensions: "rs",
    keywords: &[
        ("fn", Kind::Function, Block::Function),
        ("struct", Kind::Struct, Block::Other),
        ("enum", Kind::Enum, Block::Other),
        ("trait", Kind::Interface, Block::Class),
        ("mod", Kind::Module, Block::Namespace),
    ],
    starts: b"#acdefimpstu",
    single: Single::Char,
    long_strings: true,
    nested: true,
    style: Style { quotes: false, ..BRACES.style },
    ..BRACES
}
.ready();

pub(super) fn detect<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    let first = *line.code.first()?;
    if !first.is_ascii_lowercase() && first != b'#' {
        return None;
    }
    let mut code = line.unmodified();
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
                return Candidate::unnamed(b"extern", Kind::Module, Block::Namespace).filter(|_| foreign);
            }
            _ => break,
        };
        code = rest;
    }
    let (keyword, rest) = word(code);
    let (name, after) = word(rest.strip_prefix(b"r#").unwrap_or(rest));
    let opens_macro = if line.all { Block::Macro } else { Block::Other };
    match keyword {
        b"union" if matches!(after.first(), Some(b'{' | b'<')) => Candidate::new(name, Kind::Struct, Block::Other),
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
        _ => line.by_keyword(keyword, name),
    }
}

/// The name of the type that an `impl` block is for, after the keyword.
fn implemented<'t>(line: &Line<'t>, rest: &'t [u8]) -> &'t [u8] {
    // Generics may go on over several lines.
    let tail = line.tail_at(rest);
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
    last_word(name)
}
