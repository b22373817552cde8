//! Haskell.

use super::super::candidate::{Block, Candidate};
use super::super::definition::Kind;
use super::super::line::Line;
use super::super::signature::Style;
use super::super::table::{INDENTED, Language, Table};
use super::super::words::{path, trim_start};

pub(super) static HASKELL: Table = Table {
    language: Language::Haskell,
    name: "haskell",
    extensions: "hs",
    keywords: &[
        ("module", Kind::Module, Block::Other),
        ("data", Kind::Type, Block::Class),
        ("newtype", Kind::Type, Block::Class),
        ("type", Kind::Type, Block::Other),
        ("class", Kind::Interface, Block::Class),
        ("instance", Kind::Class, Block::Class),
    ],
    marks: b"\"-{}",
    nested: true,
    style: Style { comment: b"--", ends: b"=", quotes: false, initializers: false },
    ..INDENTED
}
.ready();

pub(super) fn detect<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    if line.column > 0 {
        return None;
    }
    let (keyword, rest) = path(line.code, b"'");
    let is_signature = rest.starts_with(b"::") && keyword != b"import";
    line.by_keyword(keyword, head_of(rest))
        .or_else(|| if is_signature { Candidate::new(keyword, Kind::Function, Block::Function) } else { None })
}

/// The name in the head of a type or class of Haskell, after its context.
fn head_of(rest: &[u8]) -> &[u8] {
    let rest = memchr::memmem::find(rest, b"=>").and_then(|at| rest.get(at + 2..)).map_or(rest, trim_start);
    path(rest, b"'.").0
}
