//! Tests of the symbols, by language, and of input that no compiler would accept.

mod hostile;
mod languages;
#[cfg(feature = "syntax-all")]
mod more_languages;
#[cfg(feature = "syntax-all")]
mod scripts;

use super::symbols;
use crate::index::scan::Language;

/// The languages of this build.
pub(super) const LANGUAGES: &[Language] = &[
    Language::C,
    Language::Go,
    Language::Java,
    Language::JavaScript,
    Language::Python,
    Language::Rust,
    Language::TypeScript,
    Language::Tsx,
    #[cfg(feature = "syntax-all")]
    Language::Bash,
    #[cfg(feature = "syntax-all")]
    Language::Cpp,
    #[cfg(feature = "syntax-all")]
    Language::CSharp,
    #[cfg(feature = "syntax-all")]
    Language::Kotlin,
    #[cfg(feature = "syntax-all")]
    Language::Lua,
    #[cfg(feature = "syntax-all")]
    Language::Php,
    #[cfg(feature = "syntax-all")]
    Language::Ruby,
    #[cfg(feature = "syntax-all")]
    Language::Scala,
    #[cfg(feature = "syntax-all")]
    Language::Swift,
];

/// One line per symbol: lines, kind, name and signature, indented by depth.
pub(super) fn outline(language: Language, text: &str) -> String {
    let symbols = symbols(language, text.as_bytes()).expect("no grammar, or out of steps");
    let line = |s: &super::Symbol| {
        let indent = "  ".repeat(usize::from(s.depth));
        format!("{}-{} {indent}{:?} {} | {}\n", s.line, s.end_line, s.kind, s.name, s.signature)
    };
    symbols.iter().map(line).collect()
}

#[track_caller]
pub(super) fn assert_outline(language: Language, text: &str, expected: &str) {
    let found = outline(language, text);
    assert!(found.trim() == expected.trim(), "{language:?}, found:\n{found}\nexpected:\n{}\n", expected.trim());
}

#[test]
fn every_query_of_the_build_compiles() {
    for language in LANGUAGES {
        assert!(super::has_grammar(*language), "{language:?}");
    }
    assert!(!super::has_grammar(Language::Markdown));
    assert_eq!(symbols(Language::Markdown, b"# Heading"), None);
}

#[test]
fn every_definition_of_a_query_has_a_kind() {
    for language in LANGUAGES {
        let grammar = super::grammar::of(*language).expect("compiles");
        for (capture, kind) in grammar.query.capture_names().iter().zip(&grammar.kinds) {
            assert_eq!(capture.starts_with("definition."), kind.is_some(), "{language:?}: {capture}");
        }
    }
}

#[test]
fn a_signature_is_one_line_of_at_most_200_bytes_cut_between_characters() {
    let parameters: Vec<String> = (0..40).map(|i| format!("größe{i}:\n\t  u32")).collect();
    let text = format!("fn long({}) {{}}", parameters.join(",\n"));
    let found = symbols(Language::Rust, text.as_bytes()).expect("parses");
    let signature = &found[0].signature;
    assert!(signature.starts_with("fn long(größe0: u32, größe1: u32,"), "{signature}");
    assert!((190..=200).contains(&signature.len()), "{}", signature.len());
    assert!(!signature.contains('\u{fffd}') && !signature.contains('\n'));
}

#[test]
fn a_name_that_is_not_utf8_is_kept_with_replacements() {
    let found =
        symbols(Language::Python, b"def ok():\n    return '\xff\xfe'\n\ndef caf\xe9():\n    pass\n").expect("parses");
    assert_eq!(found[0].name, "ok");
    assert!(found.iter().all(|s| s.end_line >= s.line));
}
