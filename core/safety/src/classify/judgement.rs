//! Whether a value is a secret under its name. Texts, records, tables and command lines all ask here, so they judge a
//! pair alike.

use crate::classify::names::Strength;
use crate::classify::placeholders;
use crate::classify::plausibility::{self, Evidence};
use crate::classify::stand_ins;
use crate::text::base64;
use crate::text::bytes::slice;

/// The shortest secret under a strong name, in bytes.
const MIN_BYTES: usize = 3;

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// As data: in quotes, in a record, in a cell, in a settings file, as an argument.
    Data,
    /// As data, after the name of an environment variable and `=`: no name of another variable.
    Variable,
    /// Unquoted in code, where it may be a variable or an expression.
    Code,
}

/// Whether `value` is a secret under a name of this `strength`.
pub(crate) fn is_secret(value: &[u8], strength: Strength, form: Form) -> bool {
    let sample = slice(value, 0..value.len().min(plausibility::SAMPLE_BYTES));
    // It is examined again without its colours.
    if sample.contains(&0x1b) {
        return false;
    }
    match strength {
        Strength::None => false,
        Strength::Digest => is_credential(sample) && !is_digest(sample),
        Strength::Weak => is_credential(sample),
        Strength::Likely if is_seed_phrase(sample) || plausibility::is_noise(sample) => true,
        Strength::Likely => !sample.contains(&b'\\') && plausibility::looks_like(sample, Evidence::Generated, false),
        Strength::Strong if form == Form::Code => plausibility::looks_like(sample, Evidence::Chosen, false),
        Strength::Strong => {
            let is_count = sample.len() <= MIN_BYTES && sample.iter().all(u8::is_ascii_digit);
            sample.len() >= MIN_BYTES
                && !is_count
                && (plausibility::is_noise(sample)
                    || (form == Form::Variable && is_compound(sample))
                    || (!stand_ins::is_stand_in(sample) && !stand_ins::is_reference(sample)))
        }
    }
}

/// `rootsecret`, `ROOTPASS`: elsewhere it may be the name of a variable, or a label.
fn is_compound(value: &[u8]) -> bool {
    let is_of_one_case = value.iter().all(u8::is_ascii_lowercase) || value.iter().all(u8::is_ascii_uppercase);
    let is_about_secret = |value: &[u8]| {
        [&b"secret"[..], b"password", b"passwd", b"pass", b"key"]
            .iter()
            .any(|noun| value.strip_suffix(*noun).is_some_and(|lead| lead.len() > 1))
    };
    // Not `apikey` and `passkey`, which are names alone.
    is_of_one_case
        && is_about_secret(&value.to_ascii_lowercase())
        && !stand_ins::is_word_of_format(value)
        && !placeholders::contains_word(value)
}

/// Twelve or more plain words: the seed of a wallet.
fn is_seed_phrase(value: &[u8]) -> bool {
    let words = || value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words().count() >= 12 && words().all(|word| word.len() >= 3 && word.iter().all(u8::is_ascii_lowercase))
}

/// Whether `value` looks like a credential and not like code.
fn is_credential(value: &[u8]) -> bool {
    // Without branches, so that it is vectorized.
    let is_varied = value.iter().fold(false, |any, byte| any | byte.is_ascii_digit() | byte.is_ascii_uppercase());
    is_varied
        && !value.contains(&b'\\')
        && plausibility::looks_like(value, Evidence::Credential, false)
        && !stand_ins::is_reference(value)
        && !is_position(value)
}

/// An object of JSON in base64, as cursors are.
fn is_position(value: &[u8]) -> bool {
    base64::decoded(value).is_some_and(|plain| plain.starts_with(b"{\""))
}

/// `3f786850e387550f…`, `0x3f78…`, `sha256-…`
fn is_digest(value: &[u8]) -> bool {
    let value = value.strip_prefix(b"0x").unwrap_or(value);
    let is_hex = value.iter().all(u8::is_ascii_hexdigit);
    let is_prefixed = [&b"sha"[..], b"md5", b"blake", b"h1:"].iter().any(|prefix| value.starts_with(prefix));
    let is_base64 = matches!(value.strip_suffix(b"=").unwrap_or(value).len(), 27 | 43 | 64 | 86 | 87);
    is_hex || is_prefixed || is_base64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strong_name_makes_any_value_a_secret_and_a_weak_one_only_a_credential() {
        for (value, expected) in [
            // As data under a strong name, unquoted in code under it, under a weak name, and under one of digests.
            ("hunter", [true, false, false, false]),
            ("correct-horse-battery-staple", [true, false, false, false]),
            ("4821", [true, false, false, false]),
            ("/home/x", [false; 4]),
            ("agent:main", [true, false, false, false]),
            ("changeme", [false; 4]),
            ("q8Zt4kXwP2vL9sRb7nYd", [true; 4]),
            ("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", [true, true, true, false]),
            ("ab", [false; 4]),
            ("", [false; 4]),
        ] {
            let verdicts = [
                (Strength::Strong, Form::Data),
                (Strength::Strong, Form::Code),
                (Strength::Weak, Form::Data),
                (Strength::Digest, Form::Data),
            ]
            .map(|(strength, form)| is_secret(value.as_bytes(), strength, form));
            assert_eq!(verdicts, expected, "{value}");
            assert!(!is_secret(value.as_bytes(), Strength::None, Form::Data), "{value}");
        }
    }
}
