//! The languages, a table each: how its files are named, what starts comments, strings and blocks, and which modifiers and
//! keywords start definitions. What a table cannot say is in its function `detect`.

mod bash;
mod c;
mod classes;
mod documents;
mod ecma;
mod elixir;
mod go;
mod haskell;
mod kotlin;
mod lua;
mod php;
mod python;
mod ruby;
mod rust;
mod scala;
mod swift;
mod zig;

use std::collections::HashMap;

use foldhash::fast::FixedState;
use once_cell::race::OnceBox;

use super::candidate::{Block, Candidate, Found};
use super::definition::Kind;
use super::line::{Line, Nesting};
use super::steps::Steps;
use super::table::{Language, Table};
use super::words::{after_attribute, after_brackets, is_name, is_upper_case, is_word, word};
use crate::lazy::lazily;

/// The tables, in the order of [`Language`].
static TABLES: [&Table; 29] = [
    &rust::RUST,
    &python::PYTHON,
    &ecma::JAVASCRIPT,
    &ecma::TYPESCRIPT,
    &ecma::TSX,
    &go::GO,
    &classes::JAVA,
    &c::C,
    &c::CPP,
    &classes::CSHARP,
    &ruby::RUBY,
    &php::PHP,
    &bash::BASH,
    &kotlin::KOTLIN,
    &swift::SWIFT,
    &scala::SCALA,
    &lua::LUA,
    &documents::MARKDOWN,
    &documents::SQL,
    &documents::PROTO,
    &documents::CSS,
    &documents::TOML,
    &documents::YAML,
    &documents::JSON,
    &documents::HTML,
    &elixir::ELIXIR,
    &haskell::HASKELL,
    &zig::ZIG,
    &documents::OTHER,
];

impl Language {
    /// The language of the file at `path`, by its name or extension in any case. Only the last step of the path counts.
    pub fn of_path(path: &[u8]) -> Self {
        // By what is at the end of a path, in lower case: `/` and a name, or `.` and an extension.
        static ENDS: OnceBox<HashMap<Vec<u8>, Language, FixedState>> = OnceBox::new();
        let ends = lazily(&ENDS, || {
            let all = |start: u8, table: &Table, ends: &'static str| {
                let language = table.language;
                ends.split_ascii_whitespace()
                    .map(move |end| ([&[start], end.as_bytes()].concat(), language))
                    .collect::<Vec<_>>()
            };
            TABLES
                .iter()
                .flat_map(|table| [all(b'/', table, table.files), all(b'.', table, table.extensions)].concat())
                .collect()
        });
        let find = |start: u8, end: &[u8]| {
            let mut lower = [start; 20];
            let lower = lower.get_mut(..=end.len())?;
            lower.get_mut(1..)?.copy_from_slice(end);
            lower.make_ascii_lowercase();
            ends.get(&*lower).copied()
        };
        let name = path.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or(path);
        let extension = || name.get(name.iter().rposition(|byte| *byte == b'.')? + 1..);
        find(b'/', name).or_else(|| find(b'.', extension()?)).unwrap_or(Self::Other)
    }

    /// Its table.
    pub(super) fn table(self) -> &'static Table {
        TABLES.get(self as usize).copied().unwrap_or(&documents::OTHER)
    }

    /// The name in lower case, such as `rust`.
    pub fn name(self) -> &'static str {
        self.table().name
    }

    /// Whether it is a programming language, as opposed to a document, data, markup or style sheets.
    pub fn is_code(self) -> bool {
        self.table().is_code
    }
}

/// The definitions of a document, and of what has none; `None` for a language that has a lexer.
pub(super) fn document(language: Language, text: &[u8], steps: &mut Steps<'_>) -> Option<Found> {
    Some(match language {
        Language::Markdown => documents::markdown(text, steps),
        Language::Toml => documents::toml(text, steps),
        Language::Yaml => documents::yaml(text, steps),
        Language::Json | Language::Html | Language::Other => Found::default(),
        _ => return None,
    })
}

/// The definition on a line.
pub(super) fn detect<'t>(line: &Line<'t>, nesting: &mut Nesting) -> Option<Candidate<'t>> {
    match line.table.language {
        Language::Rust => rust::detect(line),
        Language::Python => python::detect(line, nesting),
        Language::JavaScript | Language::TypeScript | Language::Tsx => ecma::detect(line),
        Language::Go => go::detect(line, nesting),
        Language::Java | Language::CSharp => classes::detect(line),
        Language::C | Language::Cpp => c::detect(line),
        Language::Ruby => ruby::detect(line, nesting),
        Language::Php => php::detect(line),
        Language::Bash => bash::detect(line),
        Language::Kotlin => kotlin::detect(line),
        Language::Swift => swift::detect(line),
        Language::Scala => scala::detect(line),
        Language::Lua => lua::detect(line),
        Language::Sql => documents::statement(line),
        Language::Proto => documents::message(line),
        Language::Css => documents::selector(line),
        Language::Elixir => elixir::detect(line),
        Language::Haskell => haskell::detect(line),
        Language::Zig => zig::detect(line),
        _ => None,
    }
}

impl<'t> Line<'t> {
    /// The code without attributes such as `#[inline]` or `@Test(…)`, and without modifiers.
    fn unmodified(&self) -> &'t [u8] {
        let mut code = self.code;
        loop {
            code = if code.starts_with(b"#[") {
                match code.get(1..).and_then(after_brackets) {
                    Some(rest) => rest,
                    None => break,
                }
            } else if code.starts_with(b"@") {
                after_attribute(code).unwrap_or(&[])
            } else {
                break;
            };
        }
        self.table.modifiers.strip(code)
    }

    /// What the table says of a keyword that is followed by a name.
    fn by_keyword(&self, keyword: &[u8], name: &'t [u8]) -> Option<Candidate<'t>> {
        let (_, kind, opens) = self.table.keywords.iter().find(|(it, ..)| it.as_bytes() == keyword)?;
        let is_method = *kind == Kind::Function && self.block == Block::Class;
        Candidate::new(name, if is_method { Kind::Method } else { *kind }, *opens)
    }

    /// Whether a constant on this line is seen outside a function.
    fn is_global(&self) -> bool {
        !self.in_function && matches!(self.block, Block::Class | Block::Namespace)
    }

    /// The kind of a `val`, `let` or `var` outside functions.
    fn property(&self, name: &[u8], constant: bool) -> Kind {
        match self.block {
            _ if constant && is_upper_case(name) => Kind::Constant,
            Block::Class => Kind::Field,
            _ if constant => Kind::Constant,
            _ => Kind::Variable,
        }
    }

    /// Another name of a declaration after a comma, as in `int a, b`. `before` is the text from its first name to it.
    pub(super) fn declarator(&self, before: &[u8]) -> Option<&'t [u8]> {
        use Language as L;
        let is_list = |byte: &u8| is_word(*byte) || matches!(byte, b',' | b' ' | b'\t' | b'\n' | b'*');
        let language = self.table.language;
        let mut code = self.code;
        while let ([b'*' | b'&' | b' ' | b'$', rest @ ..], L::C | L::Cpp | L::Php) = (code, language) {
            code = rest;
        }
        let (name, after) = word(code);
        let is_declared = match language {
            L::Go => before.iter().all(is_list),
            L::C | L::Cpp => matches!(after, [b'=' | b'[', ..]),
            L::Php => matches!(after, [b'=' | b';' | b',', ..] | []),
            L::Java | L::CSharp | L::JavaScript | L::TypeScript | L::Tsx => {
                matches!(after, [b'=' | b';' | b',' | b'[' | b':', ..] | []) && !after.starts_with(b"=>")
            }
            _ => false,
        };
        let before = before.get(before.len().saturating_sub(1024)..).unwrap_or(before);
        let angles = |byte| memchr::memchr_iter(byte, before).count();
        (is_declared && is_name(name) && angles(b'<') <= angles(b'>')).then_some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::{Language, TABLES};

    #[test]
    fn a_language_is_known_by_the_last_step_of_a_path() {
        for (path, language) in [
            ("src/lib.rs", Language::Rust),
            ("A.PY", Language::Python),
            ("web/App.tsx", Language::Tsx),
            ("x.d.ts", Language::TypeScript),
            ("a/b.c/Rakefile", Language::Ruby),
            ("a/b.rs/noextension", Language::Other),
            ("a_name_that_is_longer_than_any_buffer_here.service.proto", Language::Proto),
            ("src\\main.cc", Language::Cpp),
            ("Cargo.lock", Language::Other),
            (".rs", Language::Rust),
            ("", Language::Other),
        ] {
            assert_eq!(Language::of_path(path.as_bytes()), language, "{path}");
        }
    }

    #[test]
    fn each_language_has_its_table() {
        for (at, table) in TABLES.iter().enumerate() {
            assert_eq!(table.language as usize, at, "{}", table.name);
        }
    }
}
