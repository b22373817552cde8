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
use std::sync::OnceLock;

use foldhash::fast::FixedState;

pub(super) use documents::{markdown, toml, yaml};

use super::definition::Kind;
use super::line::{Block, Candidate, Line, Nesting};
use super::signature::Style;
use super::words::{Words, after_attribute, after_brackets, is_name, is_upper_case, is_word, word};

/// A language that the scanner knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Language {
    Rust,
    Python,
    JavaScript,
    TypeScript,
    Tsx,
    Go,
    Java,
    C,
    Cpp,
    CSharp,
    Ruby,
    Php,
    Bash,
    Kotlin,
    Swift,
    Scala,
    Lua,
    Markdown,
    Sql,
    Proto,
    Css,
    Toml,
    Yaml,
    Json,
    Html,
    Elixir,
    Haskell,
    Zig,
    /// Any other text. It has terms and no definitions.
    Other,
}

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
        static ENDS: OnceLock<HashMap<Vec<u8>, Language, FixedState>> = OnceLock::new();
        let ends = ENDS.get_or_init(|| {
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

/// Finds the definition on a line.
type Detect = for<'t> fn(&Line<'t>, &mut Nesting) -> Option<Candidate<'t>>;

/// How `'` is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Single {
    /// It starts a string that ends on its line.
    Text,
    /// It starts a character, or a lifetime or a label.
    Char,
    /// It starts a string without escapes that may span lines.
    Long,
}

/// The table of a language.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) language: Language,
    name: &'static str,
    /// The extensions of its files, and the names of those that have none, in lower case.
    extensions: &'static str,
    files: &'static str,
    is_code: bool,
    pub(super) detect: Detect,
    /// Words before the keyword of a definition.
    modifiers: Words,
    /// Keywords that are followed by a name, with what they define and what its braces enclose. A function is a method in the
    /// body of a type.
    keywords: &'static [(&'static str, Kind, Block)],
    /// Words that start statements.
    statements: Words,
    /// The bytes that may start a comment, a string or a block, or end one.
    marks: &'static [u8],
    /// The bytes that a definition may start with, or none if each line matters.
    starts: &'static [u8],
    pub(super) single: Single,
    /// Whether strings in `"` may span lines.
    pub(super) long_strings: bool,
    /// The quotes that start a string over several lines if there are three of them.
    pub(super) triple: &'static [u8],
    /// Whether block comments nest.
    pub(super) nested: bool,
    /// Whether blocks are known by their indentation.
    pub(super) by_indent: bool,
    /// Whether lines that start in parentheses are looked at, too.
    pub(super) in_parens: bool,
    pub(super) style: Style,
    classes: [Class; 256],
    may_start: [bool; 256],
}

/// What a byte may start, in code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    Plain,
    // The three that are frequent come first: the lexer treats them without a jump.
    OpenRound,
    CloseRound,
    Semicolon,
    Slash,
    Hash,
    Dash,
    Open,
    Close,
    Quote,
    Less,
    LongBracket,
    Escape,
    Comma,
}

/// A language with braces, `//` and `/* … */`.
const BRACES: Table = Table {
    language: Language::Other,
    name: "",
    extensions: "",
    files: "",
    is_code: true,
    detect: |_, _| None,
    modifiers: Words::new(""),
    keywords: &[],
    statements: Words::new(""),
    marks: b"\"'/{}()[];,",
    starts: b"#~@[:<*!(abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$\x80",
    single: Single::Text,
    long_strings: false,
    triple: b"",
    nested: false,
    by_indent: false,
    in_parens: false,
    style: Style { comment: b"//", ends: b"{>", quotes: true },
    classes: [Class::Plain; 256],
    may_start: [false; 256],
};

/// A language whose blocks are known by their indentation, with `#`.
const INDENTED: Table = Table {
    marks: b"\"'#{}()[]",
    starts: b"",
    by_indent: true,
    in_parens: true,
    style: Style { comment: b"#", ends: b">", quotes: true },
    ..BRACES
};

impl Table {
    /// The same table with what each byte means.
    // The index is a byte.
    #[allow(clippy::indexing_slicing)]
    const fn ready(mut self) -> Self {
        let mut at = 0;
        while at < self.marks.len() {
            let byte = self.marks[at];
            self.classes[byte as usize] = match byte {
                b'(' => Class::OpenRound,
                b'[' if matches!(self.language, Language::Lua) => Class::LongBracket,
                b'[' => Class::OpenRound,
                b')' | b']' => Class::CloseRound,
                b';' => Class::Semicolon,
                b'/' => Class::Slash,
                b'#' => Class::Hash,
                b'-' => Class::Dash,
                b'{' => Class::Open,
                b'}' => Class::Close,
                b'<' => Class::Less,
                b'\\' => Class::Escape,
                b',' => Class::Comma,
                _ => Class::Quote,
            };
            at += 1;
        }
        let mut byte = 0;
        while byte < 256 {
            self.may_start[byte] = self.starts.is_empty();
            byte += 1;
        }
        at = 0;
        while at < self.starts.len() {
            let mut byte = self.starts[at] as usize;
            self.may_start[byte] = true;
            // The last one stands for those above it.
            while byte >= 0x80 && byte < 256 {
                self.may_start[byte] = true;
                byte += 1;
            }
            at += 1;
        }
        self
    }

    /// What `byte` may start.
    #[inline]
    pub(super) fn class(&self, byte: u8) -> Class {
        self.classes.get(usize::from(byte)).copied().unwrap_or(Class::Plain)
    }

    /// Whether a definition may start with `byte`.
    #[inline]
    pub(super) fn may_start(&self, byte: u8) -> bool {
        self.may_start.get(usize::from(byte)).copied().unwrap_or_default()
    }

    /// Whether braces enclose blocks.
    pub(super) fn has_blocks(&self) -> bool {
        self.class(b';') == Class::Semicolon
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
