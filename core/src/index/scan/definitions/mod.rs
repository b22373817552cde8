//! Finds definitions, line by line.
//!
//! A [`Lexer`] keeps what a line cannot know by itself: whether it starts in a comment or a string, and the braces that
//! enclose it. Every line that starts in code is shown to the detector of the language, which decides by its first words and
//! its shape. Documents, configuration and style sheets have scanners in [`documents`].

mod c;
mod candidate;
mod classes;
mod documents;
mod ecma;
mod found;
mod go;
mod indented;
mod keywords;
mod lexer;
mod line;
mod literals;
mod signature;
mod strings;
mod syntax;
mod words;

pub use found::Found;

use super::definition::Kind;
use super::language::Language;
use candidate::{Block, Candidate, Shown};
use lexer::Lexer;
use line::Line;
use signature::Style;

/// The definitions of `text` in its order: with `all` those that the symbols show, else those of a map, one a line at most.
pub(super) fn find(language: Language, text: &[u8], all: bool) -> Found {
    match language {
        Language::Markdown => documents::markdown(text),
        Language::Toml => documents::toml(text),
        Language::Yaml => documents::yaml(text),
        Language::Json | Language::Html | Language::Other => Found::default(),
        _ => Finder::new(language, text, all).find(),
    }
}

/// Finds the definitions of a language that has a lexer.
struct Finder<'t> {
    language: Language,
    text: &'t [u8],
    all: bool,
    style: Style,
    nesting: indented::Nesting,
    /// What the parentheses of Go's `const (`, `var (` or `type (` define.
    group: Option<Kind>,
    /// What the names after the next commas are, as in `int a, b`.
    declared: Option<Declared>,
    buffer: Vec<u8>,
    found: Found,
}

/// A declaration that may go on after a comma.
#[derive(Debug, Clone, Copy)]
struct Declared {
    kind: Kind,
    depth: usize,
    parens: usize,
    /// The offset after its name.
    after: usize,
}

/// A line of the text.
#[derive(Debug, Clone, Copy)]
struct At {
    number: usize,
    from: usize,
    end: usize,
    /// The offset of the line before.
    previous: usize,
}

impl<'t> Finder<'t> {
    fn new(language: Language, text: &'t [u8], all: bool) -> Self {
        Self {
            language,
            text,
            all,
            style: Style::of(language),
            nesting: indented::Nesting::default(),
            group: None,
            declared: None,
            buffer: Vec::new(),
            found: Found::default(),
        }
    }

    fn find(mut self) -> Found {
        let text = self.text;
        let mut lexer = Lexer::new(self.language, self.all);
        let mut at = At { number: 0, from: 0, end: 0, previous: 0 };
        while at.from < text.len() {
            at.number += 1;
            let rest = text.get(at.from..).unwrap_or(&[]);
            at.end = memchr::memchr(b'\n', rest).map_or(text.len(), |length| at.from + length);
            let line = text.get(at.from..at.end).unwrap_or(&[]);
            let column = line.len() - words::trim_start(line).len();
            let in_code = lexer.in_code();
            if !(in_code && lexer.skips(line.get(column..).unwrap_or(&[]))) {
                if in_code {
                    self.visit(&mut lexer, at, column);
                }
                lexer.line(text, (at.from, at.end), column, |lexer, column| self.visit(lexer, at, column));
            }
            at.previous = at.from;
            at.from = at.end + 1;
        }
        self.found
    }

    /// Looks for a definition that starts at `column`.
    fn visit(&mut self, lexer: &mut Lexer, at: At, column: usize) {
        if lexer.in_macro() {
            return;
        }
        let Some(line) = Line::new(self.text, at, column, lexer, self.all) else { return };
        let by_indent = indented::nests(self.language);
        let shown = if self.all { Shown::Map } else { Shown::Symbols };
        let Some(candidate) = self.detect(&line).filter(|it| self.all || it.shown != shown) else {
            if by_indent && line.parens == 0 {
                self.nesting.leave(line.column);
            }
            return;
        };
        let depth = if by_indent { self.nesting.enter(line.column, &candidate) } else { lexer.depth() };
        lexer.announce(candidate.opens);
        if candidate.shown == shown {
            return;
        }
        let joins = matches!(self.language, Language::C | Language::Cpp);
        let (from, through) = line.span(&candidate, joins);
        let signature = signature::collect(self.text, from, through, &self.style, candidate.kind, &mut self.buffer);
        // A name may be on a later line than its declaration starts.
        let declares = self.all && matches!(candidate.kind, Kind::Constant | Kind::Variable | Kind::Field);
        let before = self.offset_after(candidate.name).and_then(|end| self.text.get(line.start()..end));
        let breaks = before.filter(|_| declares).map_or(0, |it| memchr::memchr_iter(b'\n', it).count());
        let number = at.number + breaks;
        if self.all && !candidate.also.is_empty() {
            self.found.push(candidate.also, candidate.kind, at.number, depth, at.from, signature.clone());
        }
        self.found.push(candidate.name, candidate.kind, number, depth, at.from, signature);
    }

    fn detect(&mut self, line: &Line<'t>) -> Option<Candidate<'t>> {
        if let Some(declared) = self.declared {
            if line.last == b',' && (line.depth, line.parens) == (declared.depth, declared.parens) {
                if let Some(found) = self.declarator(line, declared) {
                    return Some(found);
                }
            } else if line.depth < declared.depth
                || line.depth == declared.depth
                    && line.parens <= declared.parens
                    && (words::is_word(line.last) || matches!(line.last, b';' | b'{' | b'}' | b')' | b']'))
                    && line.code.first().copied().is_some_and(words::is_word)
            {
                self.declared = None;
            }
        }
        let candidate = match self.language {
            Language::Python
            | Language::Ruby
            | Language::Lua
            | Language::Bash
            | Language::Elixir
            | Language::Haskell => indented::detect(self.language, line, &mut self.nesting),
            Language::JavaScript | Language::TypeScript | Language::Tsx => ecma::detect(self.language, line),
            Language::C | Language::Cpp => c::detect(line, self.language == Language::C),
            Language::Go => go::detect(line, &mut self.group),
            Language::Java | Language::CSharp => classes::detect(self.language, line),
            Language::Css => documents::selector(line),
            Language::Sql => documents::statement(line),
            _ => keywords::detect(self.language, line),
        }?;
        let declares = self.all
            && matches!(candidate.kind, Kind::Constant | Kind::Variable | Kind::Field)
            && candidate.opens == Block::Other;
        if declares {
            let after = self.offset_after(candidate.name).unwrap_or_else(|| line.start());
            let Candidate { kind, .. } = candidate;
            self.declared = Some(Declared { kind, depth: line.depth, parens: line.parens, after });
        }
        Some(candidate)
    }

    /// The offset where `name` ends, if it is part of the text.
    fn offset_after(&self, name: &[u8]) -> Option<usize> {
        let end = (name.as_ptr_range().end as usize).checked_sub(self.text.as_ptr() as usize)?;
        (end <= self.text.len()).then_some(end)
    }

    /// Another name that a declaration has after a comma.
    fn declarator(&self, line: &Line<'t>, declared: Declared) -> Option<Candidate<'t>> {
        let before = self.text.get(declared.after..line.start())?;
        let is_list = |byte: &u8| words::is_word(*byte) || matches!(byte, b',' | b' ' | b'\t' | b'\n' | b'*');
        let mut code = line.code;
        let (name, after) = match self.language {
            Language::C | Language::Cpp | Language::Php => {
                while let [b'*' | b'&' | b' ' | b'$', rest @ ..] = code {
                    code = rest;
                }
                words::word(code)
            }
            _ => words::word(code),
        };
        let is_declared = match self.language {
            Language::Go => before.iter().all(is_list),
            Language::C | Language::Cpp => matches!(after, [b'=', ..] | [b'[', ..]),
            Language::Php => matches!(after, [b'=' | b';' | b',', ..] | []),
            Language::Java | Language::CSharp | Language::JavaScript | Language::TypeScript | Language::Tsx => {
                matches!(after, [b'=' | b';' | b',' | b'[' | b':', ..] | []) && !after.starts_with(b"=>")
            }
            _ => false,
        };
        let angles = |byte| memchr::memchr_iter(byte, before).count();
        if !is_declared || name.first().is_none_or(u8::is_ascii_digit) || angles(b'<') > angles(b'>') {
            return None;
        }
        Candidate::minor(name, declared.kind, Block::Other)
    }
}
