//! Tests of the scanner: one realistic file per language with traps, and properties that hold for any bytes.

mod application;
mod documents;
mod properties;
mod scripting;
mod symbols;
mod systems;
mod terms;

use super::{Language, Scanned, Scanner, Split};

/// Splits at `_`, and drops single letters.
struct Underscores;

impl Split for Underscores {
    fn split(&mut self, identifier: &str, emit: &mut dyn FnMut(&str)) {
        identifier.split('_').filter(|part| part.len() > 1).for_each(emit);
    }
}

fn scan(language: Language, text: &str) -> Scanned {
    Scanner::new(Underscores).scan(language, text.as_bytes(), &|| Ok(())).unwrap()
}

/// Asserts that `text` has the definitions of `expected`: a line each with its line, its depth in dots, its kind and its
/// signature.
#[track_caller]
fn outline(language: Language, text: &str, expected: &str) {
    let found: Vec<String> = scan(language, text)
        .definitions
        .iter()
        .map(|it| {
            let dots = ".".repeat(usize::from(it.depth));
            format!("{} {dots}{} {} | {}", it.line, it.kind.name(), it.name, it.signature)
        })
        .collect();
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(found, expected, "{}\n{}", language.name(), found.join("\n"));
}
