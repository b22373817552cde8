//! Kotlin.

use super::super::candidate::{Block, Candidate};
use super::super::definition::Kind;
use super::super::line::Line;
use super::super::signature::Style;
use super::super::table::{BRACES, Language, Single, Table};
use super::super::words::{Words, after_brackets, last_word, path, starts_with_word, word};

pub(super) static KOTLIN: Table = Table {
    language: Language::Kotlin,
    name: "kotlin",
    extensions: "kt kts",
    modifiers: Words::new(
        "public private protected internal open abstract final sealed data inner inline value override suspend operator \
         infix tailrec external expect actual companion annotation lateinit const noinline",
    ),
    keywords: &[
        ("fun", Kind::Function, Block::Function),
        ("class", Kind::Class, Block::Class),
        ("enum", Kind::Enum, Block::Class),
        ("object", Kind::Class, Block::Class),
        ("interface", Kind::Interface, Block::Class),
        ("typealias", Kind::Type, Block::Other),
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
    let (mut keyword, mut rest) = word(line.unmodified());
    if keyword == b"enum" && starts_with_word(rest, b"class") {
        rest = word(rest).1;
    } else if keyword == b"fun" && starts_with_word(rest, b"interface") {
        (keyword, rest) = word(rest);
    }
    match keyword {
        b"fun" => {
            let rest = if rest.first() == Some(&b'<') { after_brackets(rest)? } else { rest };
            let name = rest.get(..memchr::memchr(b'(', rest)?)?;
            line.by_keyword(keyword, quoted(name))
        }
        b"object" if word(rest).0.is_empty() => Candidate::unnamed(b"companion", Kind::Class, Block::Class),
        b"constructor" if line.block == Block::Class && rest.starts_with(b"(") => {
            Candidate::minor(keyword, Kind::Method, Block::Function)
        }
        b"val" | b"var" if line.is_global() => {
            let rest = if rest.first() == Some(&b'<') { after_brackets(rest)? } else { rest };
            let name = last_word(path(rest, b".").0);
            Candidate::new(name, line.property(name, keyword == b"val"), Block::Other)
        }
        _ => line.by_keyword(keyword, word(rest).0),
    }
}

/// The last word of a receiver and name, or what stands between backticks.
fn quoted(name: &[u8]) -> &[u8] {
    match name.strip_suffix(b"`") {
        Some(name) => name.get(memchr::memrchr(b'`', name).map_or(0, |at| at + 1)..).unwrap_or(name),
        None => last_word(name.trim_ascii_end()),
    }
}
