//! Zig.

use super::super::candidate::{Block, Candidate};
use super::super::definition::Kind;
use super::super::line::Line;
use super::super::signature::Style;
use super::super::table::{BRACES, Language, Single, Table};
use super::super::words::{Words, trim_start, word};

pub(super) static ZIG: Table = Table {
    language: Language::Zig,
    name: "zig",
    extensions: "zig",
    modifiers: Words::new("pub export inline noinline extern threadlocal comptime packed"),
    keywords: &[("fn", Kind::Function, Block::Function)],
    marks: b"\"'/{}()[];,\\",
    single: Single::Char,
    style: Style { quotes: false, ..BRACES.style },
    ..BRACES
}
.ready();

pub(super) fn detect<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    let code = line.table.modifiers.strip(line.code);
    let code = match code.strip_prefix(b"\"") {
        Some(library) => trim_start(library.get(memchr::memchr(b'"', library)? + 1..)?),
        None => code,
    };
    let (keyword, rest) = word(code);
    let (name, after) = word(rest);
    match keyword {
        b"const" | b"var" if !line.in_function => {
            let value = after.strip_prefix(b"=").map_or(after, trim_start);
            let value = line.table.modifiers.strip(value);
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
        _ => line.by_keyword(keyword, name),
    }
}
