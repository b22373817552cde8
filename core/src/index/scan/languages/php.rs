//! PHP.

use super::super::candidate::{Block, Candidate};
use super::super::definition::Kind;
use super::super::line::Line;
use super::super::table::{BRACES, Language, Table};
use super::super::words::{Words, path, trim_start, word};

pub(super) static PHP: Table = Table {
    language: Language::Php,
    name: "php",
    extensions: "php phtml",
    modifiers: Words::new("public private protected static final abstract readonly var"),
    keywords: &[
        ("function", Kind::Function, Block::Function),
        ("class", Kind::Class, Block::Class),
        ("interface", Kind::Interface, Block::Class),
        ("trait", Kind::Interface, Block::Class),
        ("enum", Kind::Enum, Block::Class),
    ],
    marks: b"\"'/#<{}()[];,",
    ..BRACES
}
.ready();

pub(super) fn detect<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    let code = line.unmodified();
    let code = code.strip_prefix(b"<?php").map_or(code, |code| line.table.modifiers.strip(trim_start(code)));
    let (keyword, rest) = word(code);
    let (name, after) = word(rest.strip_prefix(b"&").unwrap_or(rest));
    match keyword {
        b"namespace" => Candidate::new(path(rest, b"\\").0, Kind::Module, Block::Namespace),
        b"const" if !line.in_function => {
            // `const string NAME = …`
            let name = if after.starts_with(b"=") { name } else { word(after).0 };
            Candidate::new(name, Kind::Constant, Block::Other)
        }
        b"define" => {
            let text = rest.strip_prefix(b"(").map(trim_start)?;
            Candidate::new(word(text.get(1..)?).0, Kind::Constant, Block::Other)
        }
        _ => line.by_keyword(keyword, name).or_else(|| {
            let is_member = line.block == Block::Class && code.len() < line.code.len();
            if is_member { property(code) } else { None }
        }),
    }
}

/// `$name` after an optional type.
fn property(code: &[u8]) -> Option<Candidate<'_>> {
    let end = code.iter().position(|byte| matches!(byte, b'=' | b';' | b',')).unwrap_or(code.len());
    let head = code.get(..end)?;
    let dollar = memchr::memchr(b'$', head)?;
    Candidate::minor(word(head.get(dollar + 1..)?).0, Kind::Field, Block::Other).filter(|_| !head.contains(&b'('))
}
