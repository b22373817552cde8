//! Python.

use super::super::candidate::{Block, Candidate};
use super::super::definition::Kind;
use super::super::line::{Line, Nesting};
use super::super::signature::Style;
use super::super::table::{INDENTED, Language, Table};
use super::super::words::{is_name, is_upper_case, trim_start, word};

pub(super) static PYTHON: Table = Table {
    language: Language::Python,
    name: "python",
    extensions: "py pyi pyw pyx pxd bzl",
    files: "sconstruct sconscript wscript",
    in_parens: false,
    triple: b"\"'",
    style: Style { ends: b":>", ..INDENTED.style },
    ..INDENTED
}
.ready();

pub(super) fn detect<'t>(line: &Line<'t>, nesting: &mut Nesting) -> Option<Candidate<'t>> {
    let (mut keyword, mut rest) = word(line.code);
    if line.column == 0 {
        nesting.suite = matches!(keyword, b"if" | b"try").then_some(0);
    } else if nesting.suite == Some(0) {
        nesting.suite = Some(line.column);
    }
    if matches!(keyword, b"async" | b"cdef" | b"cpdef") {
        (keyword, rest) = word(rest);
    }
    match keyword {
        b"def" => {
            let class = nesting.block(line.column) == Block::Class;
            Candidate::new(word(rest).0, if class { Kind::Method } else { Kind::Function }, Block::Function)
        }
        b"class" => Candidate::new(word(rest).0, Kind::Class, Block::Class),
        b"type" if line.column == 0 && word(rest).1.first().is_some_and(|it| matches!(it, b'=' | b'[')) => {
            Candidate::new(word(rest).0, Kind::Type, Block::Other)
        }
        name if line.column == 0 && is_upper_case(name) && name.len() > 1 => {
            let assigned = rest.first() == Some(&b'=') && rest.get(1) != Some(&b'=')
                || rest.first() == Some(&b':') && memchr::memchr(b'=', rest).is_some();
            if assigned { Candidate::new(name, Kind::Constant, Block::Other) } else { assignment(line, nesting) }
        }
        _ => assignment(line, nesting),
    }
}

/// A variable of a module or a field of a class.
fn assignment<'t>(line: &Line<'t>, nesting: &mut Nesting) -> Option<Candidate<'t>> {
    let (name, rest) = word(line.code);
    let assigned = match rest {
        [b'=', b'=', ..] => false,
        [b'=', ..] => true,
        [b':', b'=', ..] => false,
        [b':', annotation @ ..] => !trim_start(annotation).is_empty(),
        _ => false,
    };
    let keyword = matches!(name, b"else" | b"try" | b"finally" | b"lambda" | b"except");
    if !assigned || keyword || !is_name(name) || line.last == b'\\' {
        return None;
    }
    let enclosing = nesting.open.iter().rev().find(|(open, _)| *open < line.column).map(|(_, block)| *block);
    match enclosing {
        Some(Block::Class) if nesting.is_member(line.column) => Candidate::minor(name, Kind::Field, Block::Other),
        None if line.column == 0 || nesting.suite == Some(line.column) => {
            Candidate::minor(name, Kind::Constant, Block::Other)
        }
        _ => None,
    }
}
