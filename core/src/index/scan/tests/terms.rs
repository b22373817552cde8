//! What terms count, and where they occur.

use super::super::{Kind, Scanned, Term, term_hash};
use super::{Language, scan};

fn term<'s>(scanned: &'s Scanned, term: &str) -> Option<&'s Term> {
    let at = scanned.terms.binary_search_by_key(&term_hash(term), |it| it.hash).ok()?;
    scanned.terms.get(at)
}

#[test]
fn a_term_in_a_method_occurs_in_the_method_and_its_class() {
    let scanned = scan(
        Language::Python,
        "apple = 1\nclass Store:\n    cherry = 1\n    def get(self):\n        return red_apple\n    def put(self):\n        apple()\nclass Other:\n    banana = apple # cherry\n",
    );
    let within = |it: &str| term(&scanned, it).map(|it| (it.count, it.within.to_vec()));
    assert_eq!(within("apple"), Some((4, vec![0, 1, 2, 3])));
    assert_eq!(within("red"), Some((1, vec![0, 1])));
    assert_eq!(within("cherry"), Some((2, vec![0, 3])));
    assert_eq!(within("banana"), Some((1, vec![3])));
    assert_eq!(within("put"), Some((1, vec![0, 2])));
    assert_eq!(within("missing"), None);
}

#[test]
fn digits_single_letters_and_long_runs_are_skipped() {
    let long = "x".repeat(65);
    let fits = "y".repeat(64);
    let scanned = scan(Language::Other, &format!("\u{feff}a 123 {long} {fits} é word 0x1f naïve_word\n"));
    assert_eq!(scanned.words, 5);
    for present in ["é", "word", "0x1f", "naïve", &fits] {
        assert!(term(&scanned, present).is_some(), "{present}");
    }
    assert_eq!(term(&scanned, "word").map(|it| it.count), Some(2));
    assert_eq!(scanned.terms.len(), 5);
}

#[test]
fn counts_saturate_and_at_most_16_definitions_are_kept() {
    let functions: String = (0..40).map(|it| format!("fn f{it}() {{ shared(); }}\n")).collect();
    let scanned = scan(Language::Rust, &(functions + &"shared ".repeat(70_000)));
    assert_eq!(scanned.definitions.len(), 40);
    assert!(scanned.definitions.iter().all(|it| it.kind == Kind::Function));
    let shared = term(&scanned, "shared").map(|it| (it.count, it.within.to_vec()));
    assert_eq!(shared, Some((u16::MAX, (0..16).collect())));
}

#[test]
fn many_identifiers_outgrow_the_table() {
    let text: String = (0..20_000).map(|it| format!("name{it} ")).collect();
    let scanned = scan(Language::Other, &text.repeat(2));
    assert_eq!(scanned.terms.len(), 20_000);
    assert!(scanned.terms.iter().all(|it| it.count == 2));
}

#[test]
fn kinds_are_stored_as_bytes() {
    for byte in 0..=u8::MAX {
        if let Some(kind) = Kind::from_u8(byte) {
            assert_eq!(kind.as_u8(), byte);
            assert!(!kind.name().is_empty());
        }
    }
    assert_eq!(Kind::from_u8(17), None);
    assert_eq!(Kind::Key.name(), "key");
}
