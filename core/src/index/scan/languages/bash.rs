//! Bash and other shells.

use super::super::candidate::{Block, Candidate, Shown};
use super::super::definition::Kind;
use super::super::line::Line;
use super::super::signature::Style;
use super::super::table::{INDENTED, Language, Single, Table};
use super::super::words::{is_name, is_upper_case, path, trim_start, word};

pub(super) static BASH: Table = Table {
    language: Language::Bash,
    name: "bash",
    extensions: "sh bash zsh ksh bats",
    files: ".bashrc .bash_profile .profile .zshrc .envrc pkgbuild",
    // `case` has parentheses that nothing opens.
    marks: b"\"'#{}<\\",
    single: Single::Long,
    long_strings: true,
    style: Style { ends: b"{>", ..INDENTED.style },
    ..INDENTED
}
.ready();

pub(super) fn detect<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    let code = line.code;
    let (first, rest) = path(code, b"-:.");
    let name = if first == b"function" { path(rest, b"-:.").0 } else { first };
    let named = first == b"function" && !name.is_empty();
    let parens = rest.strip_prefix(b"(").map(trim_start).is_some_and(|rest| rest.starts_with(b")"));
    if named || parens {
        return Candidate::new(name, Kind::Function, Block::Function);
    }
    let declares = matches!(first, b"readonly" | b"export" | b"declare" | b"typeset");
    if declares {
        let mut rest = rest;
        while rest.starts_with(b"-") {
            rest = trim_start(rest.get(rest.iter().position(|byte| *byte == b' ')?..)?);
        }
        let (name, value) = word(rest);
        let shown = is_upper_case(name) && (first != b"declare" || memchr::memmem::find(code, b"-r").is_some());
        return match Candidate::new(name, Kind::Variable, Block::Other).filter(|_| value.starts_with(b"=")) {
            Some(found) if shown && first != b"typeset" => {
                Some(if line.column == 0 { found } else { found.shown(Shown::Map) })
            }
            found => found.filter(|_| line.column == 0).map(|it| it.shown(Shown::Symbols)),
        };
    }
    // `NAME=value` on its own, and not before a command.
    let (name, after) = word(code);
    let value = after.strip_prefix(b"+").unwrap_or(after).strip_prefix(b"=")?;
    let alone = line.column == 0 && is_name(name) && code.get(name.len()) == after.first() && is_one_word(value);
    Candidate::minor(name, Kind::Variable, Block::Other).filter(|_| alone)
}

/// Whether `value` is one word of a shell, which may go on in the lines that follow.
fn is_one_word(value: &[u8]) -> bool {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut at = 0;
    while let Some(&byte) = value.get(at) {
        match (quote, byte) {
            (Some(b'\''), b'\'') => quote = None,
            (Some(b'\''), _) => {}
            (_, b'\\') => at += 1,
            (_, b'(' | b'{') if depth > 0 || quote.is_none() || value.get(at.wrapping_sub(1)) == Some(&b'$') => {
                depth += 1;
            }
            (_, b')' | b'}') => depth = depth.saturating_sub(1),
            (Some(open), byte) if open == byte && depth == 0 => quote = None,
            (None, b'"' | b'\'' | b'`') if depth == 0 => quote = Some(byte),
            (None, b';' | b'#') if depth == 0 => return true,
            (None, b'&' | b'|') if depth == 0 => return false,
            (None, b' ' | b'\t') if depth == 0 => {
                let rest = trim_start(value.get(at..).unwrap_or(&[]));
                return matches!(rest.first(), None | Some(b'#' | b';'));
            }
            _ => {}
        }
        at += 1;
    }
    true
}
