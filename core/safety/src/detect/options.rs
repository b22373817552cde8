//! Whether a name is one after which a blank is enough before its value: an option, a variable, a setting of a file
//! without signs.

use std::ops::Range;

use crate::classify::names::Strength;
use crate::detect::name::Name;
use crate::text::bytes::{line_around, slice};

/// Whether the name consists of several words, like names of settings and unlike words of sentences.
pub(crate) fn is_compound(text: &[u8], name: &Name) -> bool {
    let word = slice(text, name.place.clone());
    name.strength >= Strength::Weak
        && (word.contains(&b'_')
            || memchr::memchr_iter(b'-', word).count() > 1
            || matches!(word, b"requirepass" | b"masterauth"))
}

/// `--password`, `DB_PASSWORD`, or the `password` of a netrc file: a value may follow after a space.
pub(crate) fn is_option(text: &[u8], name: &Name) -> bool {
    let word = slice(text, name.place.clone());
    let is_variable = word.contains(&b'_')
        && word.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_');
    word.starts_with(b"-") || is_variable || is_assigned(text, name) || is_of_netrc(text, name)
}

/// Whether the name is an option that is an item of a list in YAML.
pub(crate) fn is_listed_option(text: &[u8], name: &Name) -> bool {
    slice(text, name.place.clone()).starts_with(b"--") && slice(text, 0..name.place.start).ends_with(b"- ")
}

/// `/pass:…`, an option of a command of Windows.
pub(crate) fn is_switch(text: &[u8], name: &Range<usize>) -> bool {
    slice(text, name.clone()).eq_ignore_ascii_case(b"pass")
        && slice(text, 0..name.start).ends_with(b" /")
        && text.get(name.end) == Some(&b':')
}

/// Whether a command before the name gives it the value after it: `ENV name value`.
pub(crate) fn is_assigned(text: &[u8], name: &Name) -> bool {
    let word = slice(text, name.place.clone());
    let before = slice(text, name.place.start.saturating_sub(14)..name.place.start);
    let has_verb = |verbs: &[&[u8]]| verbs.iter().any(|verb| before.ends_with(verb));
    let is_capital = word.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_');
    let line = line_around(text, name.place.start);
    let is_first = |verb: &[u8]| slice(text, line.start..name.place.start).trim_ascii_start().len() == verb.len();
    let begins = |verbs: &[&[u8]]| verbs.iter().any(|verb| before.ends_with(verb) && is_first(verb));
    begins(&[b"ENV ", b"ARG ", b"#define "])
        || (is_capital && has_verb(&[b"setx ", b"-x "]))
        || matches!(word, b"requirepass" | b"masterauth")
        || has_verb(&[b"configure set ", b"CONFIG SET ", b"config set "])
}

/// Whether a login precedes the name: `machine h login u password p`.
pub(crate) fn is_of_netrc(text: &[u8], name: &Name) -> bool {
    let before = slice(text, name.place.start.saturating_sub(120)..name.place.start);
    slice(text, name.place.clone()) == b"password"
        // ` login | password | active` is the heading of a table.
        && !before.ends_with(b"| ")
        && text.get(name.place.end + 1) != Some(&b'|')
        && memchr::memmem::rfind(before, b"login ").is_some_and(|at| {
            slice(before, at + 6..before.len()).split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count()
                == 1
        })
}
