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

use super::language::Language;
use lexer::Lexer;
use line::Line;
use signature::Style;

/// The definitions of `text`, by line.
pub(super) fn find(language: Language, text: &[u8]) -> Found {
    match language {
        Language::Markdown => documents::markdown(text),
        Language::Toml => documents::toml(text),
        Language::Yaml => documents::yaml(text),
        Language::Json | Language::Html | Language::Other => Found::default(),
        _ => code(language, text),
    }
}

/// The definitions of a language that has a lexer.
fn code(language: Language, text: &[u8]) -> Found {
    let mut found = Found::default();
    let mut lexer = Lexer::new(language);
    let style = Style::of(language);
    let mut nesting = indented::Nesting::default();
    let by_indent = indented::nests(language);
    let mut group = None;
    let mut buffer = Vec::new();
    let mut previous = 0;
    let mut at = 0;
    let mut number = 0;
    while at < text.len() {
        number += 1;
        let rest = text.get(at..).unwrap_or(&[]);
        let end = memchr::memchr(b'\n', rest).map_or(text.len(), |length| at + length);
        let line = text.get(at..end).unwrap_or(&[]);
        let column = line.len() - words::trim_start(line).len();
        let in_code = lexer.in_code();
        if in_code && lexer.skips(line.get(column..).unwrap_or(&[])) {
            previous = at;
            at = end + 1;
            continue;
        }
        let shown = if in_code { Line::new(text, (at, end), column, previous, &lexer) } else { None };
        if let Some(line) = &shown {
            let candidate = match language {
                Language::Python
                | Language::Ruby
                | Language::Lua
                | Language::Bash
                | Language::Elixir
                | Language::Haskell => indented::detect(language, line, &nesting),
                Language::JavaScript | Language::TypeScript | Language::Tsx => ecma::detect(language, line),
                Language::C | Language::Cpp => c::detect(line),
                Language::Go => go::detect(line, &mut group),
                Language::Java | Language::CSharp => classes::detect(language, line),
                Language::Css => documents::selector(line),
                Language::Sql => documents::statement(line),
                _ => keywords::detect(language, line),
            };
            if let Some(candidate) = candidate {
                let depth = if by_indent { nesting.enter(line.column, &candidate) } else { lexer.depth() };
                let joins = matches!(language, Language::C | Language::Cpp);
                let (from, through) = line.span(&candidate, joins);
                let signature = signature::collect(text, from, through, &style, candidate.kind, &mut buffer);
                found.push(candidate.name, candidate.kind, number, depth, at, signature);
                lexer.announce(candidate.opens);
            } else if by_indent && line.parens == 0 {
                nesting.leave(line.column);
            }
        }
        lexer.line(text, at, end, column);
        previous = at;
        at = end + 1;
    }
    found
}
