//! Go.

use super::super::candidate::{Block, Candidate, Shown};
use super::super::definition::Kind;
use super::super::line::{Line, Nesting};
use super::super::table::{BRACES, Language, Table};
use super::super::words::{after_brackets, word};

pub(super) static GO: Table =
    Table { language: Language::Go, name: "go", extensions: "go", in_parens: true, marks: b"\"'`/{}()[];,", ..BRACES }
        .ready();

pub(super) fn detect<'t>(line: &Line<'t>, nesting: &mut Nesting) -> Option<Candidate<'t>> {
    if line.depth > 0 {
        return nested(line);
    }
    if !line.code.first().is_some_and(u8::is_ascii_alphabetic) && line.parens == 0 {
        return None;
    }
    if line.parens > 0 {
        let kind = nesting.group.filter(|_| line.parens == 1)?;
        let (name, after) = word(line.code);
        let continued =
            !matches!(line.last, b'(' | b'"' | b'`' | b')' | b'}' | b']' | b'\'') && !line.last.is_ascii_alphanumeric();
        if name == b"_" || continued && line.last != b'_' || matches!(after.first(), Some(b'.' | b'(')) {
            return None;
        }
        return if kind == Kind::Type { of_type(name, after) } else { Candidate::new(name, kind, Block::Other) };
    }
    nesting.group = None;
    let (keyword, rest) = word(line.code);
    match keyword {
        b"func" if rest.first() == Some(&b'(') => {
            Candidate::new(word(after_brackets(rest)?).0, Kind::Method, Block::Function)
        }
        b"func" => Candidate::new(word(rest).0, Kind::Function, Block::Function),
        b"type" | b"const" | b"var" => {
            let kind = match keyword {
                b"type" => Kind::Type,
                b"const" => Kind::Constant,
                _ => Kind::Variable,
            };
            let (name, after) = word(rest);
            if name.is_empty() && rest.first() == Some(&b'(') {
                nesting.group = Some(kind);
                return None;
            }
            match kind {
                Kind::Type => of_type(name, after),
                _ if name == b"_" => None,
                _ => Candidate::new(name, kind, Block::Other),
            }
        }
        _ => None,
    }
}

/// A method of an interface, or a type in a function.
fn nested<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    let (name, rest) = word(line.code);
    if line.block == Block::Interface {
        let is_method = line.parens == 0 && rest.starts_with(b"(");
        return Candidate::minor(name, Kind::Method, Block::Other).filter(|_| is_method);
    }
    let (of, after) = word(rest);
    if name == b"type" && line.parens == 0 && !after.starts_with(b"=") {
        return of_type(of, after).map(|it| it.shown(Shown::Symbols));
    }
    None
}

fn of_type<'t>(name: &'t [u8], after: &'t [u8]) -> Option<Candidate<'t>> {
    // Type parameters, unless it is an array.
    let after = match after.first() {
        Some(b'[') if after.get(1).is_some_and(u8::is_ascii_alphabetic) => after_brackets(after).unwrap_or(after),
        _ => after,
    };
    match word(after).0 {
        b"struct" => Candidate::new(name, Kind::Struct, Block::Other),
        b"interface" => Candidate::new(name, Kind::Interface, Block::Interface),
        _ => Candidate::new(name, Kind::Type, Block::Other),
    }
}
