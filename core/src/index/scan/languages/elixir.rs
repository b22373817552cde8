//! Elixir.

use super::super::candidate::{Block, Candidate};
use super::super::definition::Kind;
use super::super::line::Line;
use super::super::table::{INDENTED, Language, Table};
use super::super::words::{path, word};

pub(super) static ELIXIR: Table = Table {
    language: Language::Elixir,
    name: "elixir",
    extensions: "ex exs",
    keywords: &[
        ("def", Kind::Function, Block::Function),
        ("defp", Kind::Function, Block::Function),
        ("defguard", Kind::Function, Block::Function),
        ("defguardp", Kind::Function, Block::Function),
        ("defdelegate", Kind::Function, Block::Function),
        ("defmacro", Kind::Macro, Block::Function),
        ("defmacrop", Kind::Macro, Block::Function),
        ("defmodule", Kind::Module, Block::Class),
        ("defimpl", Kind::Module, Block::Class),
        ("defprotocol", Kind::Interface, Block::Class),
        ("@type", Kind::Type, Block::Other),
        ("@typep", Kind::Type, Block::Other),
        ("@opaque", Kind::Type, Block::Other),
        ("@callback", Kind::Method, Block::Other),
    ],
    triple: b"\"'",
    ..INDENTED
}
.ready();

pub(super) fn detect<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    let (keyword, rest) = path(line.code, b"@");
    if keyword == b"defstruct" {
        return Candidate::new(b"defstruct", Kind::Struct, Block::Other);
    }
    let name = word(rest).0;
    let found = line.by_keyword(keyword, name)?;
    let name = match found.kind {
        // `name?`, `name!`.
        Kind::Function => rest.get(..name.len() + usize::from(matches!(rest.get(name.len()), Some(b'?' | b'!'))))?,
        Kind::Module | Kind::Interface => path(rest, b".").0,
        _ => name,
    };
    Some(Candidate { name, ..found })
}
