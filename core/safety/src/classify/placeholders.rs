//! The words of placeholders and the beginnings of references: one list for everything that judges values.

use crate::classify::word_lists::{Parts, Words};
use crate::text::bytes::{slice, starts_ignoring_case};

/// Words that mark a value as a placeholder: as one of its words, and in the middle of a value that looks generated.
const WORDS: &str = "example placeholder changeme your replace dummy sample redacted todo xxxx";
/// What does so only in a value that looks generated. Elsewhere, these are marks with rules of their own, and a word
/// that people choose.
const PARTS: &str = "change-me change_me change_this change-this foobar ... **** …";
/// What does so only as one of its words: in random characters, these may be a coincidence.
const WHOLE: &str = "changeit yours replaceme tbd fixme hidden masked omitted removed xxx";
/// The beginnings of references that look up a secret elsewhere.
#[rustfmt::skip]
const LOOKUPS: &[&str] = &[
    "process.env", "os.environ", "os.getenv", "env.", "env:", "env(", "getenv", "secrets.", "vars.", "var.",
    "local.", "self.", "this.", "config.", "settings.", "params.", "args.", "data.", "file:", "arn:", "ref+",
    "vault:", "op://", "ssm:", "sops:", "keyring:", "secretref:", "aws-sm:", "gcp-sm:", "awssm:", "keychain:",
    "bitwarden:", "bws:", "doppler:", "kms:", "azurekeyvault:", "akv:", "gopass:",
];

static WHOLE_WORDS: Words = Words::of_two([WORDS, WHOLE]);
static ANYWHERE: Parts = Parts::of_two([WORDS, PARTS]);

/// Whether `word`, one of the words of a value, marks that as a placeholder.
pub(crate) fn is_word(word: &[u8]) -> bool {
    WHOLE_WORDS.has(word)
}

/// Whether `value` contains a word such as `example`, and not by chance inside other letters and digits.
pub(crate) fn contains_word(value: &[u8]) -> bool {
    let is_solid = |at: Option<usize>| at.and_then(|at| value.get(at)).is_some_and(u8::is_ascii_alphanumeric);
    ANYWHERE.places(value).any(|place| {
        let is_word = slice(value, place.clone()).iter().all(u8::is_ascii_alphabetic);
        let is_within = is_solid(place.start.checked_sub(1)) && is_solid(Some(place.end));
        !(is_word && is_within && value.len() >= 12)
    })
}

/// Whether `value` begins like a reference to a secret that is kept elsewhere.
pub(crate) fn is_lookup(value: &[u8]) -> bool {
    LOOKUPS.iter().any(|word| starts_ignoring_case(value, word.as_bytes()))
}

/// `@@API_KEY@@`, `__DB_PASSWORD__`, `#{api.key}#`: a name between marks, which a template replaces.
pub(crate) fn is_marked_name(value: &[u8]) -> bool {
    let is_mark =
        |byte: &u8| matches!(byte, b'@' | b'#' | b'%' | b'_' | b'~' | b'$' | b'!' | b'|' | b'^' | b'{' | b'}');
    let lead = value.iter().take_while(|byte| is_mark(byte)).count();
    let trail = value.iter().rev().take_while(|byte| is_mark(byte)).count();
    if !(1..=3).contains(&lead) || !(1..=3).contains(&trail) || lead + trail >= value.len() {
        return false;
    }
    let name = slice(value, lead..value.len() - trail);
    let is_of_name = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b'-');
    let is_capital = !name.iter().any(u8::is_ascii_lowercase);
    let is_lower = !name.iter().any(u8::is_ascii_uppercase);
    let is_compound = name.iter().any(|byte| matches!(byte, b'_' | b'.' | b'-'));
    name.len() >= 3 && name.iter().all(is_of_name) && (is_capital || (is_lower && is_compound))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_can_be_searched() {
        assert!(ANYWHERE.search().is_some());
    }

    #[test]
    fn a_placeholder_is_a_separate_word() {
        for value in ["your-api-key-1a2b3c", "EXAMPLE-9fK2", "xK9mexample", "dummy", "ab...cd"] {
            assert!(contains_word(value.as_bytes()), "{value}");
        }
        assert!(!contains_word(b"RutlZdummyfOj72k"));
        assert!(is_word(b"TBD") && is_word(b"example") && !is_word(b"foobar") && !is_word(b"tbd1"));
        assert!(!contains_word(b"tbd-9fK2xQ7b"));
    }

    #[test]
    fn a_reference_begins_with_where_the_secret_is() {
        for value in ["vault:kv/db#password", "KMS:alias/db", "env.DB_PASSWORD"] {
            assert!(is_lookup(value.as_bytes()), "{value}");
        }
        assert!(!is_lookup(b"vaulted-9fK2"));
    }
}
