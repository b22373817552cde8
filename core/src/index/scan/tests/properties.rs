//! Properties that hold whatever the bytes are.

use std::cell::Cell;

use proptest::prelude::*;

use super::super::{Scanned, Scanner, definitions};
use super::{Language, Underscores};
use crate::error::{Error, ErrorKind};

const LANGUAGES: [Language; 29] = [
    Language::Rust,
    Language::Python,
    Language::JavaScript,
    Language::TypeScript,
    Language::Tsx,
    Language::Go,
    Language::Java,
    Language::C,
    Language::Cpp,
    Language::CSharp,
    Language::Ruby,
    Language::Php,
    Language::Bash,
    Language::Kotlin,
    Language::Swift,
    Language::Scala,
    Language::Lua,
    Language::Markdown,
    Language::Sql,
    Language::Proto,
    Language::Css,
    Language::Toml,
    Language::Yaml,
    Language::Json,
    Language::Html,
    Language::Elixir,
    Language::Haskell,
    Language::Zig,
    Language::Other,
];

/// What detectors and the lexer react to.
const FRAGMENTS: [&str; 64] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "\"",
    "'",
    "`",
    "\"\"\"",
    "'''",
    "/*",
    "*/",
    "//",
    "#",
    "--",
    "--[[",
    "]]",
    "[==[",
    "{-",
    "-}",
    "${",
    "<<EOF",
    "<<<EOF",
    "EOF",
    "\n",
    "\n",
    "\n",
    "\r\n",
    " ",
    "\t",
    "    ",
    ";",
    ":",
    ",",
    "=",
    "=>",
    "->",
    "::",
    "fn f",
    "impl",
    "class A",
    "def ",
    "function ",
    "const X",
    "struct",
    "typedef",
    "template",
    "operator",
    "#define",
    "#if",
    "#else",
    "#endif",
    "create table",
    "\\",
    "@",
    "!",
    "é",
    "r#\"",
    "R\"(",
    "\0",
    "~",
];

/// As much of a text as is kept, each byte of which may be replaced by three.
const MAX_BYTES: usize = 3 * 500;

fn check(language: Language, text: &[u8]) -> Scanned {
    let scanned = Scanner::new(Underscores).scan(language, text, &|| Ok(())).unwrap();
    let lines = u32::try_from(text.split(|byte| *byte == b'\n').count()).unwrap();
    for pair in scanned.definitions.windows(2) {
        assert!(pair[0].line < pair[1].line, "{pair:?}");
    }
    for definition in &scanned.definitions {
        assert!(definition.line >= 1 && definition.line <= lines);
        assert!(!definition.name.is_empty() && definition.name.len() <= MAX_BYTES, "{definition:?}");
        assert!(definition.signature.len() <= MAX_BYTES && !definition.signature.contains('\n'), "{definition:?}");
    }
    assert!(scanned.terms.windows(2).all(|pair| pair[0].hash < pair[1].hash));
    for term in &scanned.terms {
        assert!(term.count > 0 && term.within.len() <= 16);
        assert!(term.within.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(term.within.iter().all(|it| usize::from(*it) < scanned.definitions.len()));
    }
    // More of what is looked at twice would take long without optimization.
    for definition in definitions(language, text.get(..1 << 15).unwrap_or(text), &|| Ok(())).unwrap() {
        assert!(definition.line >= 1 && definition.line <= lines);
        assert!(!definition.name.is_empty() && definition.name.len() <= MAX_BYTES, "{definition:?}");
    }
    scanned
}

proptest! {
    #[test]
    fn any_bytes_are_scanned(text in proptest::collection::vec(any::<u8>(), 0..400)) {
        for language in LANGUAGES {
            check(language, &text);
        }
    }

    #[test]
    fn any_fragments_are_scanned(parts in proptest::collection::vec(0..FRAGMENTS.len(), 0..120)) {
        let text: String = parts.iter().map(|it| FRAGMENTS[*it]).collect();
        for language in LANGUAGES {
            check(language, text.as_bytes());
            check(language, text.replace('\n', "\r\n").as_bytes());
        }
    }
}

/// Over ten thousand scans of 64 KB.
#[test]
fn long_lines_and_deep_nesting_take_linear_time_and_little_stack() {
    const MORE: [&str; 9] =
        ["class A {", "fn f(", "typedef struct {\n", "f(\n", "a/b ", "x = (", "a=", "A()", "x = y = "];
    let scan_all = || {
        for fragment in FRAGMENTS.iter().copied().chain(MORE) {
            let text = fragment.repeat((1 << 16) / fragment.len());
            for language in LANGUAGES {
                // In quadratic time, this would never end.
                check(language, text.as_bytes());
            }
        }
    };
    // As much as the threads have on which calls of a host run.
    std::thread::Builder::new().stack_size(1 << 20).spawn(scan_all).unwrap().join().unwrap();
}

#[test]
fn line_ends_and_a_byte_order_mark_change_nothing() {
    let text = "# x\npub fn first(\n    a: u8,\n) {\n}\nstruct Second {\n}\n";
    let unix = check(Language::Rust, text.as_bytes());
    let windows = check(Language::Rust, format!("\u{feff}{}", text.replace('\n', "\r\n")).as_bytes());
    assert_eq!(unix, windows);
    assert_eq!(unix.definitions.len(), 2);
}

#[test]
fn a_scan_asks_often_whether_to_go_on_and_ends_when_it_must() {
    const LINES: usize = 2_000;
    let text = "fn a() { b = 1; }\n".repeat(LINES);
    let long = text.replace('\n', " ");
    let without_lines = [Language::Json, Language::Html, Language::Other];
    for language in LANGUAGES.into_iter().filter(|language| !without_lines.contains(language)) {
        for (text, least) in [(&text, LINES / 64), (&long, 0)] {
            for end in [usize::MAX, 3] {
                let asked = Cell::new(0);
                let check = || {
                    asked.set(asked.get() + 1);
                    if asked.get() > end { Err(Error::new(ErrorKind::Cancelled, "ended")) } else { Ok(()) }
                };
                let is_whole = definitions(language, text.as_bytes(), &check).is_ok();
                let asked = asked.get();
                assert_eq!(is_whole, asked <= end, "{language:?}: {asked}");
                assert!(asked >= least.min(end), "{language:?}: {asked} of {least}");
                assert!(is_whole || asked < end + LINES / 16, "{language:?}: {asked} after {end}");
            }
        }
    }
}
