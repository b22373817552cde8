//! Lua and Luau.

use super::super::candidate::{Block, Candidate};
use super::super::definition::Kind;
use super::super::line::Line;
use super::super::signature::Style;
use super::super::table::{INDENTED, Language, Table};
use super::super::words::{after_brackets, is_name, is_upper_case, last_word, path, trim_start, word};

pub(super) static LUA: Table = Table {
    language: Language::Lua,
    name: "lua",
    extensions: "lua luau",
    marks: b"\"'-{}()[,",
    style: Style { comment: b"--", ..INDENTED.style },
    ..INDENTED
}
.ready();

pub(super) fn detect<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    let (mut keyword, mut rest) = word(line.code);
    let local = keyword == b"local";
    if local || keyword == b"export" {
        (keyword, rest) = word(rest);
    }
    if keyword == b"function" {
        let (name, _) = path(rest, b".:");
        let kind = if name.contains(&b':') { Kind::Method } else { Kind::Function };
        return Candidate::new(last_word(name), kind, Block::Function);
    }
    if keyword == b"type" && !matches!(rest, [b'(' | b'=' | b',', ..]) {
        return Candidate::new(word(rest).0, Kind::Type, Block::Other);
    }
    let (name, mut after) = if local { (keyword, rest) } else { path(line.code, b".") };
    // `local a, b = …` defines `a` for a reader.
    let mut names = 1..64;
    while line.parens == 0 && after.starts_with(b",") && names.next().is_some() {
        after = path(trim_start(after.get(1..)?), b".<>").1;
    }
    // `local a <const> = …`
    let after = if after.starts_with(b"<") { after_brackets(after)? } else { after };
    let value = trim_start(after.strip_prefix(b"=")?);
    if word(value).0 == b"function" {
        return Candidate::new(last_word(name), Kind::Function, Block::Function);
    }
    if line.column == 0 && after.get(1) != Some(&b'=') {
        if is_upper_case(name) && name.len() > 1 {
            return Candidate::new(name, Kind::Constant, Block::Other);
        }
        let plain = line.parens == 0 && !name.contains(&b'.') && is_name(name);
        return Candidate::minor(name, Kind::Variable, Block::Other).filter(|_| plain);
    }
    None
}
