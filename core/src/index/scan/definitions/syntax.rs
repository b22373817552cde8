//! The comments and strings of each language.

use super::super::language::Language;
use super::words::is_word;

/// What a byte may start, in code.
pub(super) const PLAIN: u8 = 0;
// The three that are frequent come first: the lexer treats them without a jump.
pub(super) const OPEN_ROUND: u8 = 1;
pub(super) const CLOSE_ROUND: u8 = 2;
pub(super) const SEMICOLON: u8 = 3;
pub(super) const SLASH: u8 = 4;
pub(super) const HASH: u8 = 5;
pub(super) const DASH: u8 = 6;
pub(super) const OPEN: u8 = 7;
pub(super) const CLOSE: u8 = 8;
pub(super) const DOUBLE: u8 = 9;
pub(super) const SINGLE: u8 = 10;
pub(super) const BACKTICK: u8 = 11;
pub(super) const LESS: u8 = 12;
pub(super) const SQUARE: u8 = 13;
pub(super) const ESCAPE: u8 = 14;
pub(super) const COMMA: u8 = 15;

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

/// The lexical rules of a language.
#[derive(Debug, Clone, Copy)]
pub(super) struct Syntax {
    pub(super) language: Language,
    /// What each byte may start.
    classes: [u8; 256],
    /// Whether a definition may start with each byte.
    starts: [bool; 256],
    pub(super) single: Single,
    /// Whether strings in `"` may span lines.
    pub(super) long_strings: bool,
    /// Whether `"""` starts a string that spans lines.
    pub(super) triple: bool,
    /// Whether block comments nest.
    pub(super) nested: bool,
    /// Whether `'''` starts a string that spans lines.
    pub(super) triple_single: bool,
    /// Whether functions among the arguments of a call may have names.
    pub(super) names_arguments: bool,
}

impl Syntax {
    pub(super) fn of(language: Language, all: bool) -> Self {
        use Language as L;
        let braces = !matches!(language, L::Python | L::Ruby | L::Elixir | L::Lua | L::Haskell | L::Sql | L::Bash);
        let mut classes = [PLAIN; 256];
        let mut set = |byte: u8, class: u8, when: bool| {
            if let Some(entry) = classes.get_mut(usize::from(byte)).filter(|_| when) {
                *entry = class;
            }
        };
        set(b'"', DOUBLE, true);
        set(b'\'', SINGLE, language != L::Haskell);
        set(b'`', BACKTICK, matches!(language, L::JavaScript | L::TypeScript | L::Tsx | L::Go | L::Scala | L::Kotlin));
        set(b'/', SLASH, braces || language == L::Sql);
        set(b'#', HASH, matches!(language, L::Python | L::Ruby | L::Elixir | L::Bash | L::Php));
        set(b'-', DASH, matches!(language, L::Lua | L::Sql | L::Haskell));
        set(b'{', OPEN, true);
        set(b'}', CLOSE, true);
        // `case` of Bash has parentheses that nothing opens.
        let round = !matches!(language, L::Bash | L::Haskell);
        set(b'(', OPEN_ROUND, round);
        set(b')', CLOSE_ROUND, round);
        set(b'[', if language == L::Lua { SQUARE } else { OPEN_ROUND }, round);
        set(b']', CLOSE_ROUND, round && language != L::Lua);
        set(b';', SEMICOLON, braces);
        set(b',', COMMA, all && (braces || language == L::Lua));
        set(b'<', LESS, matches!(language, L::Bash | L::Ruby | L::Php));
        set(b'\\', ESCAPE, matches!(language, L::Bash | L::Zig));
        Self {
            language,
            classes,
            starts: starts(language),
            single: match language {
                L::Rust | L::Scala | L::Zig | L::Kotlin => Single::Char,
                L::Bash | L::Sql => Single::Long,
                _ => Single::Text,
            },
            long_strings: matches!(language, L::Rust | L::Bash),
            triple: matches!(language, L::Python | L::Java | L::Kotlin | L::Scala | L::Swift | L::CSharp | L::Elixir),
            triple_single: matches!(language, L::Python | L::Elixir),
            names_arguments: matches!(language, L::JavaScript | L::TypeScript | L::Tsx),
            nested: matches!(language, L::Rust | L::Kotlin | L::Swift | L::Scala | L::Haskell),
        }
    }

    /// Whether a definition may start with `byte`.
    #[inline]
    pub(super) fn may_start(&self, byte: u8) -> bool {
        self.starts.get(usize::from(byte)).copied().unwrap_or_default()
    }

    /// What `byte` may start.
    #[inline]
    pub(super) fn class(&self, byte: u8) -> u8 {
        self.classes.get(usize::from(byte)).copied().unwrap_or_default()
    }

    /// Whether braces of this language enclose blocks.
    pub(super) fn has_blocks(&self) -> bool {
        use Language as L;
        !matches!(self.language, L::Python | L::Ruby | L::Elixir | L::Lua | L::Haskell | L::Sql | L::Bash)
    }
}

/// The bytes with which a definition of `language` may start. It spares most lines a closer look.
fn starts(language: Language) -> [bool; 256] {
    use Language as L;
    let (others, all): (&[u8], bool) = match language {
        L::Rust => (b"#acdefimpstu", false),
        // Where a line starts matters even if it defines nothing.
        L::Python | L::Ruby | L::Lua | L::Bash | L::Elixir | L::Haskell | L::Css => (b"", true),
        L::Sql => (b"cC", false),
        _ => {
            let mut starts = WORDS;
            for byte in b"#~@[:<*!(" {
                set(&mut starts, *byte);
            }
            return starts;
        }
    };
    let mut starts = [all; 256];
    for byte in others {
        set(&mut starts, *byte);
    }
    starts
}

fn set(starts: &mut [bool; 256], byte: u8) {
    if let Some(start) = starts.get_mut(usize::from(byte)) {
        *start = true;
    }
}

/// The bytes of words.
const WORDS: [bool; 256] = {
    let mut words = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        // The index is below 256, and so is the byte.
        #[allow(clippy::indexing_slicing, clippy::cast_possible_truncation)]
        {
            words[byte] = is_word(byte as u8);
        }
        byte += 1;
    }
    words
};
