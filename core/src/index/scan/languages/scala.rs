//! Scala.

use super::super::candidate::{Block, Candidate, Shown};
use super::super::definition::Kind;
use super::super::line::Line;
use super::super::signature::Style;
use super::super::table::{BRACES, Language, Single, Table};
use super::super::words::{Words, after_brackets, starts_with_word, word};

pub(super) static SCALA: Table = Table {
    language: Language::Scala,
    name: "scala",
    extensions: "scala sc sbt",
    modifiers: Words::new(
        "private protected override final abstract sealed implicit lazy inline open transparent opaque infix",
    ),
    keywords: &[
        ("def", Kind::Function, Block::Function),
        ("class", Kind::Class, Block::Class),
        ("object", Kind::Class, Block::Class),
        ("trait", Kind::Interface, Block::Class),
        ("enum", Kind::Enum, Block::Class),
        ("type", Kind::Type, Block::Other),
        ("given", Kind::Constant, Block::Class),
    ],
    marks: b"\"'`/{}()[];,",
    single: Single::Char,
    triple: b"\"",
    nested: true,
    style: Style { ends: b"{=>", ..BRACES.style },
    ..BRACES
}
.ready();

pub(super) fn detect<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    let code = line.unmodified();
    // `private[this]`
    let code = match code.first() {
        Some(b'[') => line.table.modifiers.strip(after_brackets(code)?),
        _ => code,
    };
    let (mut keyword, mut rest) = word(code);
    if keyword == b"case" || keyword == b"package" && starts_with_word(rest, b"object") {
        (keyword, rest) = word(rest);
        if keyword != b"class" && keyword != b"object" {
            return None;
        }
    }
    let name = name_of(rest);
    match keyword {
        b"type" if !line.is_global() && !line.all => None,
        b"val" | b"var" if line.is_global() || line.block == Block::Class => {
            let found = Candidate::new(name, line.property(name, keyword == b"val"), Block::Other)?;
            Some(if line.is_global() { found } else { found.shown(Shown::Symbols) })
        }
        _ => line.by_keyword(keyword, name),
    }
}

/// The name at the start of `rest`: letters, then operators after `_`; or operators; or what is in backticks.
fn name_of(rest: &[u8]) -> &[u8] {
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
