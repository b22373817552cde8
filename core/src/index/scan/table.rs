//! The table of a language.

use super::candidate::Block;
use super::definition::Kind;
use super::signature::Style;
use super::words::Words;

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
    pub(super) name: &'static str,
    /// The extensions of its files, and the names of those that have none, in lower case.
    pub(super) extensions: &'static str,
    pub(super) files: &'static str,
    pub(super) is_code: bool,
    /// Words before the keyword of a definition.
    pub(super) modifiers: Words,
    /// Keywords that are followed by a name, with what they define and what its braces enclose. A function is a method in the
    /// body of a type.
    pub(super) keywords: &'static [(&'static str, Kind, Block)],
    /// Words that start statements.
    pub(super) statements: Words,
    /// The bytes that may start a comment, a string or a block, or end one.
    pub(super) marks: &'static [u8],
    /// The bytes that a definition may start with, or none if each line matters.
    pub(super) starts: &'static [u8],
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
    pub(super) classes: [Class; 256],
    pub(super) may_start: [bool; 256],
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
pub(super) const BRACES: Table = Table {
    language: Language::Other,
    name: "",
    extensions: "",
    files: "",
    is_code: true,
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
    style: Style { comment: b"//", ends: b"{>", quotes: true, initializers: false },
    classes: [Class::Plain; 256],
    may_start: [false; 256],
};

/// A language whose blocks are known by their indentation, with `#`.
pub(super) const INDENTED: Table = Table {
    marks: b"\"'#{}()[]",
    starts: b"",
    by_indent: true,
    in_parens: true,
    style: Style { comment: b"#", ends: b">", quotes: true, initializers: false },
    ..BRACES
};

impl Table {
    /// The same table with what each byte means.
    // The index is a byte.
    #[allow(clippy::indexing_slicing)]
    pub(super) const fn ready(mut self) -> Self {
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
