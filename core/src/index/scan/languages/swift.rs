//! Swift.

use super::super::candidate::{Block, Candidate};
use super::super::definition::Kind;
use super::super::line::Line;
use super::super::signature::Style;
use super::super::table::{BRACES, Language, Table};
use super::super::words::{Words, last_word, path, starts_with_word, word};

pub(super) static SWIFT: Table = Table {
    language: Language::Swift,
    name: "swift",
    extensions: "swift",
    modifiers: Words::new(
        "public private fileprivate internal open static final override mutating nonmutating required convenience indirect \
         lazy weak unowned dynamic optional prefix postfix infix nonisolated isolated distributed package",
    ),
    keywords: &[
        ("func", Kind::Function, Block::Function),
        ("class", Kind::Class, Block::Class),
        ("actor", Kind::Class, Block::Class),
        ("struct", Kind::Struct, Block::Class),
        ("enum", Kind::Enum, Block::Class),
        ("protocol", Kind::Interface, Block::Class),
        ("extension", Kind::Class, Block::Class),
        ("typealias", Kind::Type, Block::Other),
        ("associatedtype", Kind::Type, Block::Other),
        ("macro", Kind::Macro, Block::Other),
    ],
    triple: b"\"",
    nested: true,
    style: Style { ends: b"{=>", ..BRACES.style },
    ..BRACES
}
.ready();

pub(super) fn detect<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    let (keyword, rest) = word(line.unmodified());
    if keyword == b"class" && ["func", "var", "let"].iter().any(|it| starts_with_word(rest, it.as_bytes())) {
        return Candidate::new(word(word(rest).1).0, Kind::Method, Block::Function);
    }
    let name = word(rest).0;
    match keyword {
        b"func" => {
            let quoted = rest.strip_prefix(b"`").and_then(|it| memchr::memchr(b'`', it));
            let name = match quoted {
                Some(end) => rest.get(..end + 2)?,
                None if name.is_empty() => rest.get(..memchr::memchr2(b'(', b' ', rest)?)?,
                None => name,
            };
            line.by_keyword(keyword, name)
        }
        b"init" if line.block == Block::Class && matches!(rest.first(), Some(b'(' | b'?' | b'!' | b'<')) => {
            Candidate::new(keyword, Kind::Method, Block::Function)
        }
        b"extension" => line.by_keyword(keyword, last_word(path(rest, b".").0)),
        b"let" | b"var" if line.is_global() => {
            Candidate::new(name, line.property(name, keyword == b"let"), Block::Function)
        }
        _ => line.by_keyword(keyword, name),
    }
}
