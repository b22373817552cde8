//! Input that no compiler would accept: the parser must not panic, overflow the stack or run long.

use super::super::{MAX_BYTES, symbols};
use super::LANGUAGES;
use crate::index::scan::Language;

/// A small generator of pseudo-random numbers (xorshift), so that every run sees the same input.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }
}

/// Fragments that mean something in one of the languages; mixed, they are garbage in all.
const FRAGMENTS: &[&str] = &[
    "fn f(",
    "class A {",
    "}",
    "def f(x):\n",
    "    ",
    "\n",
    "\t",
    "\"",
    "'",
    "`",
    "${",
    "/*",
    "*/",
    "//",
    "#",
    "<<EOF\n",
    "EOF\n",
    "<<~A\n",
    "R\"x(",
    ")x\"",
    "r#\"",
    "\"#",
    "'''",
    "\"\"\"",
    "<?php ",
    "?>",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "=>",
    "func ",
    "type T struct {",
    "interface ",
    "enum ",
    "if ",
    "else",
    "end",
    "do ",
    "then ",
    "fi",
    "case ",
    "=",
    ";",
    ":",
    ",",
    "namespace ",
    "template<",
    "@a",
    "$x",
    "\\",
    "\\\n",
    "0x",
    "1e",
    "%w(",
    "/re/",
    "[[",
    "]]",
    "--[[",
    "é",
    "\0",
    "#if ",
    "#endif\n",
    "#{",
    "object O:\n",
    "  given ",
    "let ",
    "var ",
    "async ",
    "await ",
    "lambda ",
    "|x|",
    "::",
];

fn fragments(random: &mut Random, count: usize) -> String {
    (0..count).map(|_| FRAGMENTS[random.below(FRAGMENTS.len())]).collect()
}

#[test]
fn random_bytes_and_fragments_are_survived() {
    for (seed, language) in LANGUAGES.iter().enumerate() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (u64::try_from(seed).unwrap() << 32));
        for round in 0..12 {
            let bytes: Vec<u8> = (0..500 * round).map(|_| random.next().to_le_bytes()[3]).collect();
            let _ = symbols(*language, &bytes);
            let _ = symbols(*language, fragments(&mut random, 100 * round).as_bytes());
        }
    }
}

#[test]
fn a_text_cut_anywhere_keeps_what_came_before() {
    let text = "fn first() {}\n\nfn second() {\n    let x = \"text\";\n}\n";
    for cut in 14..text.len() {
        let found = symbols(Language::Rust, &text.as_bytes()[..cut]).expect("few steps");
        assert_eq!(found[0].name, "first", "cut at {cut}");
    }
}

#[test]
fn brackets_100_000_deep_do_not_overflow_the_stack() {
    let deep = |open: &str, close: &str| {
        let text = format!("{}{}", open.repeat(100_000), close.repeat(100_000));
        // A thread with a small stack, so that recursion would show.
        for language in LANGUAGES {
            let text = text.clone();
            let thread = std::thread::Builder::new().stack_size(256 * 1024);
            thread.spawn(move || drop(symbols(*language, text.as_bytes()))).unwrap().join().unwrap();
        }
    };
    deep("(", ")");
    deep("{", "}");
    deep("[", "");
}

#[test]
fn nested_definitions_deeper_than_255_saturate() {
    let nested = |depth: usize| format!("{}{}", "fn f() {".repeat(depth), "}".repeat(depth));
    let found = symbols(Language::Rust, nested(300).as_bytes()).expect("few steps");
    assert_eq!((found.len(), found[299].depth), (300, u8::MAX));
    assert_eq!(symbols(Language::Rust, nested(2_000).as_bytes()), None);
}

#[test]
fn nesting_without_brackets_is_survived_too() {
    for fragment in
        ["if x:\n ", "a.b.", "- ", "!", "a ? b : ", "x = ", "a < b > ", "<a>", "else if x ", "`${", "do\n", "/*"]
    {
        for language in LANGUAGES {
            let _ = symbols(*language, fragment.repeat(20_000).as_bytes());
        }
    }
}

#[cfg(feature = "syntax-all")]
#[test]
fn heredoc_words_that_rubys_scanner_cannot_store_are_refused() {
    let long = "A".repeat(300);
    assert_eq!(symbols(Language::Ruby, format!("x = <<{long}\n{long}\n").as_bytes()), None);
    assert_eq!(symbols(Language::Ruby, format!("x = <<~'{long}'\n").as_bytes()), None);
    assert_eq!(symbols(Language::Ruby, format!("f({})\n", "<<~SQL, ".repeat(300)).as_bytes()), None);
    let usual = b"def f\n  sql = <<~SQL\n    SELECT 1\n  SQL\n  list << \"text\"\nend\n";
    assert_eq!(symbols(Language::Ruby, usual).expect("admitted").len(), 1);
}

#[test]
fn a_text_that_is_too_long_is_refused() {
    assert_eq!(symbols(Language::C, &vec![b' '; MAX_BYTES + 1]), None);
    assert_eq!(symbols(Language::C, &vec![b' '; MAX_BYTES]), Some(Vec::new()));
}

#[test]
fn the_same_text_has_the_same_symbols_on_every_thread() {
    let mut random = Random(7);
    let text = format!("{}\n{}", fragments(&mut random, 2_000), "struct A; impl A { fn b() {} }\n".repeat(200));
    let first = symbols(Language::Rust, text.as_bytes());
    let again = std::thread::spawn(move || symbols(Language::Rust, text.as_bytes())).join().unwrap();
    assert_eq!(first, again);
}
