//! Languages whose blocks are read by their indentation: Python, Ruby, Lua, Bash, Elixir and Haskell.

use super::super::definition::Kind;
use super::super::language::Language;
use super::candidate::{Block, Candidate, Shown};
use super::line::Line;
use super::words::{is_upper_case, last_word, path, trim_start, word};

/// The definitions that enclose a line, by column.
#[derive(Debug, Default)]
pub(super) struct Nesting {
    open: Vec<(usize, Block)>,
    /// The column of the members of each open class, by its column, once one was seen.
    members: Vec<(usize, usize)>,
    /// Whether the last statement of the module was `if` or `try`.
    conditional: bool,
    /// The column of the first statement in it.
    suite: usize,
}

impl Nesting {
    /// Closes the definitions that end before a line at `column`.
    pub(super) fn leave(&mut self, column: usize) {
        while self.open.last().is_some_and(|(open, _)| *open >= column) {
            self.open.pop();
        }
    }

    /// Opens a definition and returns its depth.
    pub(super) fn enter(&mut self, column: usize, candidate: &Candidate<'_>) -> usize {
        while self.open.last().is_some_and(|(open, _)| *open >= column) {
            self.open.pop();
        }
        let depth = self.open.len();
        if matches!(candidate.opens, Block::Class | Block::Function | Block::Namespace) {
            self.open.push((column, candidate.opens));
        }
        depth
    }

    /// Whether a line at `column` is a member of the innermost class, and not of a statement in it.
    fn body(&mut self, column: usize) -> bool {
        let Some((class, _)) = self.open.iter().rev().find(|(open, _)| *open < column) else { return false };
        while self.members.last().is_some_and(|(open, _)| open > class) {
            self.members.pop();
        }
        match self.members.last() {
            Some((open, members)) if open == class => *members == column,
            _ => {
                self.members.push((*class, column));
                true
            }
        }
    }

    /// The block that encloses a line at `column`.
    fn block(&self, column: usize) -> Block {
        self.open.iter().rev().find(|(open, _)| *open < column).map_or(Block::Namespace, |(_, block)| *block)
    }
}

/// Whether definitions of `language` nest by indentation.
pub(super) fn nests(language: Language) -> bool {
    matches!(
        language,
        Language::Python | Language::Ruby | Language::Lua | Language::Bash | Language::Elixir | Language::Haskell
    )
}

/// The definition on a line.
pub(super) fn detect<'t>(language: Language, line: &Line<'t>, nesting: &mut Nesting) -> Option<Candidate<'t>> {
    match language {
        Language::Python if line.parens == 0 => python(line, nesting),
        Language::Ruby => ruby(line, nesting),
        Language::Lua => lua(line),
        Language::Bash => bash(line),
        Language::Elixir => elixir(line),
        Language::Haskell => haskell(line),
        _ => None,
    }
}

fn python<'t>(line: &Line<'t>, nesting: &mut Nesting) -> Option<Candidate<'t>> {
    let (mut keyword, mut rest) = word(line.code);
    if line.column == 0 {
        (nesting.conditional, nesting.suite) = (matches!(keyword, b"if" | b"try"), 0);
    } else if nesting.suite == 0 {
        nesting.suite = line.column;
    }
    if matches!(keyword, b"async" | b"cdef" | b"cpdef") {
        (keyword, rest) = word(rest);
    }
    match keyword {
        b"def" => {
            let class = nesting.block(line.column) == Block::Class;
            Candidate::new(word(rest).0, if class { Kind::Method } else { Kind::Function }, Block::Function)
        }
        b"class" => Candidate::new(word(rest).0, Kind::Class, Block::Class),
        b"type" if line.column == 0 && word(rest).1.first().is_some_and(|it| matches!(it, b'=' | b'[')) => {
            Candidate::new(word(rest).0, Kind::Type, Block::Other)
        }
        name if line.column == 0 && is_upper_case(name) && name.len() > 1 => {
            let assigned = rest.first() == Some(&b'=') && rest.get(1) != Some(&b'=')
                || rest.first() == Some(&b':') && memchr::memchr(b'=', rest).is_some();
            if assigned { Candidate::new(name, Kind::Constant, Block::Other) } else { python_assignment(line, nesting) }
        }
        _ if line.all => python_assignment(line, nesting),
        _ => None,
    }
}

/// A variable of a module or a field of a class.
fn python_assignment<'t>(line: &Line<'t>, nesting: &mut Nesting) -> Option<Candidate<'t>> {
    let (name, rest) = word(line.code);
    let assigned = match rest {
        [b'=', b'=', ..] => false,
        [b'=', ..] => true,
        [b':', b'=', ..] => false,
        [b':', annotation @ ..] => !trim_start(annotation).is_empty(),
        _ => false,
    };
    let keyword = matches!(name, b"else" | b"try" | b"finally" | b"lambda" | b"except");
    if !assigned || keyword || name.first().is_none_or(u8::is_ascii_digit) || line.last == b'\\' {
        return None;
    }
    let enclosing = nesting.open.iter().rev().find(|(open, _)| *open < line.column).map(|(_, block)| *block);
    match enclosing {
        Some(Block::Class) if nesting.body(line.column) => Candidate::minor(name, Kind::Field, Block::Other),
        None if line.column == 0 || nesting.conditional && line.column == nesting.suite => {
            Candidate::minor(name, Kind::Constant, Block::Other)
        }
        _ => None,
    }
}

fn ruby<'t>(line: &Line<'t>, nesting: &Nesting) -> Option<Candidate<'t>> {
    let (mut keyword, mut rest) = word(line.code);
    if matches!(
        keyword,
        b"private" | b"protected" | b"public" | b"private_class_method" | b"module_function" | b"memoize"
    ) {
        (keyword, rest) = word(rest);
    }
    let block = nesting.block(line.column);
    match keyword {
        b"def" => {
            let (full, after) = path(rest, b".");
            let (name, mark) = match memchr::memrchr(b'.', full) {
                Some(dot) => (full.get(dot + 1..)?, after),
                None => (full, after),
            };
            let start = full.len() - name.len();
            // `name?`, `name!`, `name=`; operators such as `==` and `<=>`.
            let whole = match mark.first() {
                Some(b'?' | b'!') if rest.get(full.len()) == mark.first() => rest.get(start..full.len() + 1)?,
                Some(b'=') if rest.get(full.len()) == Some(&b'=') && rest.get(full.len() + 1) == Some(&b'(') => {
                    rest.get(start..full.len() + 1)?
                }
                _ if name.is_empty() => {
                    let rest = if line.all { rest.strip_prefix(b"self.").unwrap_or(rest) } else { rest };
                    let end = rest.iter().position(|it| matches!(it, b'(' | b' ')).unwrap_or(rest.len());
                    if line.all && rest.starts_with(b"#{") {
                        return None;
                    }
                    rest.get(..end)?
                }
                _ => name,
            };
            let class = matches!(block, Block::Class);
            Candidate::new(whole, if class { Kind::Method } else { Kind::Function }, Block::Function)
        }
        b"alias" | b"alias_method" if line.all => {
            let rest = rest.strip_prefix(b"(").unwrap_or(rest);
            let end = rest.iter().position(|it| matches!(it, b' ' | b',' | b'\t')).unwrap_or(rest.len());
            let name = rest.get(..end)?;
            if keyword == b"alias" { Candidate::minor(name, Kind::Method, Block::Other) } else { None }
        }
        b"class" if !rest.starts_with(b"<<") => {
            let name = path(rest, b":").0;
            let name = if line.all { last_word(name) } else { name };
            Candidate::new(name, Kind::Class, Block::Class)
        }
        b"module" => {
            let name = path(rest, b":").0;
            Candidate::new(if line.all { last_word(name) } else { name }, Kind::Module, Block::Class)
        }
        name if line.all
            && name.first().is_some_and(u8::is_ascii_uppercase)
            && !is_upper_case(name)
            && block != Block::Function
            && rest.starts_with(b"=")
            && line.parens == 0
            && !matches!(rest.get(1), Some(b'=' | b'~' | b'>')) =>
        {
            Candidate::minor(name, Kind::Constant, Block::Other)
        }
        name if is_upper_case(name)
            && block != Block::Function
            && rest.starts_with(b"=")
            && !matches!(rest.get(1), Some(b'=' | b'~' | b'>')) =>
        {
            Candidate::new(name, Kind::Constant, Block::Other)
        }
        b"attr_accessor" | b"attr_reader" | b"attr_writer" => {
            Candidate::new(word(rest.strip_prefix(b":")?).0, Kind::Field, Block::Other)
        }
        _ => None,
    }
}

fn lua<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
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
    while line.all && line.parens == 0 && after.starts_with(b",") {
        after = path(trim_start(after.get(1..)?), b".<>").1;
    }
    // `local a <const> = …`
    let after = if after.starts_with(b"<") { super::words::after_brackets(after)? } else { after };
    let value = trim_start(after.strip_prefix(b"=")?);
    if word(value).0 == b"function" {
        return Candidate::new(last_word(name), Kind::Function, Block::Function);
    }
    if line.column == 0 && after.get(1) != Some(&b'=') {
        if is_upper_case(name) && name.len() > 1 {
            return Candidate::new(name, Kind::Constant, Block::Other);
        }
        let plain = line.parens == 0 && !name.contains(&b'.') && !name.first().is_none_or(u8::is_ascii_digit);
        return if plain { Candidate::minor(name, Kind::Variable, Block::Other) } else { None };
    }
    None
}

fn bash<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
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
    let alone =
        line.column == 0 && !name.first().is_none_or(u8::is_ascii_digit) && code.get(name.len()) == after.first();
    if alone && is_one_word(value) { Candidate::minor(name, Kind::Variable, Block::Other) } else { None }
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
                depth += 1
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

fn elixir<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    let (keyword, rest) = word(line.code);
    match keyword {
        b"def" | b"defp" | b"defguard" | b"defguardp" | b"defdelegate" => {
            let name = word(rest).0;
            let end = name.len() + usize::from(matches!(rest.get(name.len()), Some(b'?' | b'!')));
            Candidate::new(rest.get(..end)?, Kind::Function, Block::Function)
        }
        b"defmacro" | b"defmacrop" => Candidate::new(word(rest).0, Kind::Macro, Block::Function),
        b"defmodule" | b"defimpl" => Candidate::new(path(rest, b".").0, Kind::Module, Block::Class),
        b"defprotocol" => Candidate::new(path(rest, b".").0, Kind::Interface, Block::Class),
        b"defstruct" => Candidate::new(b"defstruct", Kind::Struct, Block::Other),
        b"" => {
            let (keyword, rest) = word(line.code.strip_prefix(b"@")?);
            match keyword {
                b"type" | b"typep" | b"opaque" => Candidate::new(word(rest).0, Kind::Type, Block::Other),
                b"callback" => Candidate::new(word(rest).0, Kind::Method, Block::Other),
                _ => None,
            }
        }
        _ => None,
    }
}

fn haskell<'t>(line: &Line<'t>) -> Option<Candidate<'t>> {
    if line.column > 0 {
        return None;
    }
    let (keyword, rest) = path(line.code, b"'");
    match keyword {
        b"module" => Candidate::new(path(rest, b".").0, Kind::Module, Block::Other),
        b"data" | b"newtype" => Candidate::new(head_of(rest), Kind::Type, Block::Class),
        b"type" => Candidate::new(head_of(rest), Kind::Type, Block::Other),
        b"class" => Candidate::new(head_of(rest), Kind::Interface, Block::Class),
        b"instance" => Candidate::new(head_of(rest), Kind::Class, Block::Class),
        b"" | b"import" => None,
        name if rest.starts_with(b"::") => Candidate::new(name, Kind::Function, Block::Function),
        _ => None,
    }
}

/// The name in the head of a type or class of Haskell, after its context.
fn head_of(rest: &[u8]) -> &[u8] {
    let rest = memchr::memmem::find(rest, b"=>").and_then(|at| rest.get(at + 2..)).map_or(rest, trim_start);
    path(rest, b"'.").0
}
