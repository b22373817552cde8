//! Input that no compiler would accept: the scanner must not panic, overflow the stack or run long.

use loopmem::testing::index;

/// An extension of each language.
const EXTENSIONS: [&str; 25] = [
    "rs", "py", "js", "ts", "tsx", "go", "java", "c", "cpp", "cs", "rb", "php", "sh", "kt", "swift", "scala", "lua",
    "md", "sql", "proto", "css", "toml", "yaml", "ex", "zig",
];

/// The names of the definitions of a text.
fn names(extension: &str, text: &[u8]) -> Vec<String> {
    let definitions = index::definitions(&format!("text.{extension}"), text);
    definitions.into_iter().map(|(name, ..)| name).collect()
}

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
    for (seed, extension) in EXTENSIONS.into_iter().enumerate() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (u64::try_from(seed).unwrap() << 32));
        for round in 0..12 {
            let bytes: Vec<u8> = (0..500 * round).map(|_| random.next().to_le_bytes()[3]).collect();
            let _ = names(extension, &bytes);
            let _ = names(extension, fragments(&mut random, 100 * round).as_bytes());
        }
    }
}

#[test]
fn a_text_cut_anywhere_keeps_what_came_before() {
    let text = "fn first() {}\n\nfn second() {\n    let x = \"text\";\n}\n";
    for cut in 14..text.len() {
        assert_eq!(names("rs", &text.as_bytes()[..cut])[0], "first", "cut at {cut}");
    }
}

#[test]
fn brackets_100_000_deep_do_not_overflow_the_stack() {
    let deep = |open: &str, close: &str| {
        let text = format!("{}{}", open.repeat(100_000), close.repeat(100_000));
        // A thread with a small stack, so that recursion would show.
        for extension in EXTENSIONS {
            let text = text.clone();
            let thread = std::thread::Builder::new().stack_size(256 * 1024);
            thread.spawn(move || drop(names(extension, text.as_bytes()))).unwrap().join().unwrap();
        }
    };
    deep("(", ")");
    deep("{", "}");
    deep("[", "");
}

#[test]
fn definitions_nested_deeper_than_255_are_found() {
    let nested = |depth: usize| format!("{}{}", "fn f() {\n".repeat(depth), "}".repeat(depth));
    assert_eq!(names("rs", nested(300).as_bytes()).len(), 300);
}

#[test]
fn nesting_without_brackets_is_survived_too() {
    for fragment in
        ["if x:\n ", "a.b.", "- ", "!", "a ? b : ", "x = ", "a < b > ", "<a>", "else if x ", "`${", "do\n", "/*"]
    {
        for extension in EXTENSIONS {
            let _ = names(extension, fragment.repeat(20_000).as_bytes());
        }
    }
}

#[test]
fn the_same_text_has_the_same_symbols_on_every_thread() {
    let mut random = Random(7);
    let text = format!("{}\n{}", fragments(&mut random, 2_000), "struct A; impl A { fn b() {} }\n".repeat(200));
    let first = index::definitions("text.rs", text.as_bytes());
    let again = std::thread::spawn(move || index::definitions("text.rs", text.as_bytes())).join().unwrap();
    assert_eq!(first, again);
}

#[test]
fn a_signature_is_one_line_of_at_most_200_bytes_cut_between_characters() {
    let parameters: Vec<String> = (0..40).map(|i| format!("größe{i}:\n\t  u32")).collect();
    let text = format!("fn long({}) {{}}", parameters.join(",\n"));
    let (_, _, _, signature) = index::definitions("text.rs", text.as_bytes()).remove(0);
    assert!(signature.starts_with("fn long(größe0: u32, größe1: u32,"), "{signature}");
    assert!((190..=200).contains(&signature.len()), "{}", signature.len());
    assert!(!signature.contains('\u{fffd}') && !signature.contains('\n'));
}

#[test]
fn a_name_that_is_not_utf8_is_kept_with_replacements() {
    let found = names("py", b"def ok():\n    return '\xff\xfe'\n\ndef caf\xe9():\n    pass\n");
    assert_eq!(found, ["ok", "caf\u{fffd}"]);
}
