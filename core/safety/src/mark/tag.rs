//! Placeholders: the rule of a secret, and a tag that makes equal secrets look equal.
//!
//! The tag is a keyed hash, HMAC-SHA-256 truncated to ten hex digits: without the key, nobody can use a text to test
//! guesses. With ten digits, two of a thousand secrets collide in one of two million homes.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use hmac::{Hmac, KeyInit, Mac};
use memchr::memmem::Finder;
use once_cell::race::OnceBox;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::Sha256;
use uuid::Uuid;

use crate::classify::words::CharStats;
use crate::lazy::lazily;
use crate::trusted::Trusted;

/// The start of every placeholder.
const OPENING: &[u8] = b"[REDACTED:";
/// The number of digits in a tag.
const TAG_DIGITS: usize = 10;
/// The maximum length of a rule's id, in bytes.
pub(crate) const MAX_RULE_BYTES: usize = 64;
/// Rules of early versions, whose placeholders had no tag.
const LEGACY_RULES: &[&str] = &[
    "anthropic-key",
    "authorization",
    "aws-access-key",
    "age-key",
    "crates-token",
    "custom-pattern",
    "databricks-token",
    "digitalocean-token",
    "docker-token",
    "doppler-token",
    "environment-value",
    "github-token",
    "gitlab-token",
    "google-api-key",
    "google-oauth",
    "grafana-token",
    "hugging-face-token",
    "jwt",
    "keyed-value",
    "linear-key",
    "notion-token",
    "npm-token",
    "openai-key",
    "private-key",
    "pypi-token",
    "secret-key",
    "sendgrid-key",
    "shopify-token",
    "slack-token",
    "slack-webhook",
    "stripe-key",
    "url-password",
    "vault-token",
];

/// The key for tags: 32 random bytes. It allows testing guesses, so nothing prints it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key([u8; 32]);

impl Key {
    /// A new random key.
    pub fn random() -> Self {
        let mut bytes = [0; 32];
        let (front, back) = bytes.split_at_mut(16);
        front.copy_from_slice(Uuid::new_v4().as_bytes());
        back.copy_from_slice(Uuid::new_v4().as_bytes());
        Key(bytes)
    }

    /// Parses a key that was [written](Self::to_hex) as 64 hex digits.
    pub fn from_hex(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        let mut bytes = [0; 32];
        if digits.len() != 64 {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let digit =
                |place: usize| char::from(*pair.get(place)?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
            *byte = digit(0)? * 16 + digit(1)?;
        }
        Some(Key(bytes))
    }

    /// The key as 64 hex digits, for its file.
    pub fn to_hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    pub(crate) fn tag(&self, secret: &[u8]) -> String {
        // HMAC accepts a key of any length, so this cannot fail.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else { return "0".repeat(TAG_DIGITS) };
        mac.update(secret);
        mac.finalize().into_bytes().iter().take(TAG_DIGITS / 2).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The one secret that is stored on purpose.
impl Trusted for Key {}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_hex())
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Key::from_hex(&text).ok_or_else(|| serde::de::Error::custom("expected 64 hex digits"))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

/// Provides the key for tags. It is asked only if a secret was found, and should answer from memory.
pub trait KeySource: fmt::Debug + Send + Sync {
    /// The key for text that is stored. It must be persisted before it is returned, so that it is the same in every
    /// process from then on.
    fn persistent(&self) -> Key;

    /// The key for text that is not stored, such as errors and logs. Nothing is written to disk for it.
    fn ephemeral(&self) -> Key;
}

/// The keys of another source, of which none is created or written.
#[derive(Debug)]
pub(crate) struct ReadOnlyKeys(pub(crate) Arc<dyn KeySource>);

impl KeySource for ReadOnlyKeys {
    fn persistent(&self) -> Key {
        self.0.ephemeral()
    }

    fn ephemeral(&self) -> Key {
        self.0.ephemeral()
    }
}

/// One key per process, for a redactor that belongs to no home.
#[derive(Debug)]
pub struct ProcessKey;

impl KeySource for ProcessKey {
    fn persistent(&self) -> Key {
        self.ephemeral()
    }

    fn ephemeral(&self) -> Key {
        static KEY: OnceBox<Key> = OnceBox::new();
        lazily(&KEY, Key::random).clone()
    }
}

/// The placeholder for a secret.
pub(crate) fn placeholder(rule: &str, tag: &str) -> String {
    format!("[REDACTED:{rule}:{tag}]")
}

/// Whether `text` may be the id of a rule: lower-case letters, digits and hyphens.
pub(crate) fn is_rule_id(text: &[u8]) -> bool {
    let is_of_id = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
    text.len() <= MAX_RULE_BYTES
        && text.first().is_some_and(u8::is_ascii_alphanumeric)
        && text.iter().any(u8::is_ascii_lowercase)
        && text.iter().all(is_of_id)
}

/// Whether `text` may be the id of a user's rule, which starts with a letter.
pub(crate) fn is_id_of_user(text: &[u8]) -> bool {
    is_rule_id(text) && text.first().is_some_and(u8::is_ascii_lowercase)
}

/// Whether `text` is a tag: ten lower-case hex digits.
pub(crate) fn is_tag(text: &[u8]) -> bool {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.len() == TAG_DIGITS && text.iter().all(is_digit)
}

/// The placeholders in `text`, in order. Their contents are never searched again.
#[must_use]
pub fn placeholders(text: &[u8]) -> Vec<Range<usize>> {
    static SEARCH: OnceBox<Finder<'static>> = OnceBox::new();
    lazily(&SEARCH, || Finder::new(OPENING))
        .find_iter(text)
        .filter_map(|start| {
            let inner = text.get(start + OPENING.len()..)?;
            let inner = inner.get(..MAX_RULE_BYTES + TAG_DIGITS + 2).unwrap_or(inner);
            let length = memchr::memchr(b']', inner)?;
            is_placeholder_body(inner.get(..length)?).then(|| start..start + OPENING.len() + length + 1)
        })
        .collect()
}

/// The beginning of a redacted text, of at most `most` bytes. Neither a character nor a placeholder is cut: a part of a
/// placeholder would be taken for one. What is redacted later is cut by [`whole_words`].
#[must_use]
pub fn beginning(text: &str, most: usize) -> &str {
    let end = text.floor_char_boundary(most);
    let is_cut = |place: &Range<usize>| place.start < end && end < place.end;
    let end = placeholders(text.as_bytes()).into_iter().find(is_cut).map_or(end, |place| place.start);
    text.get(..end).unwrap_or_default()
}

/// The words in the first `most` bytes of a text that is redacted later. A word that is cut may be a part of a secret, which no
/// rule would find, so it is left out.
#[must_use]
pub fn whole_words(text: &[u8], most: usize) -> &[u8] {
    match text.get(..most).filter(|head| head.len() < text.len()) {
        Some(head) => head.get(..head.iter().rposition(u8::is_ascii_whitespace).unwrap_or(0)).unwrap_or_default(),
        None => text,
    }
}

/// Whether `text` starts with a placeholder.
pub(crate) fn starts_placeholder(text: &[u8]) -> bool {
    let inner = text.strip_prefix(OPENING);
    inner.is_some_and(|inner| {
        memchr::memchr(b']', inner).and_then(|end| inner.get(..end)).is_some_and(is_placeholder_body)
    })
}

/// Whether `text` is exactly one placeholder.
pub(crate) fn is_placeholder(text: &[u8]) -> bool {
    let inner = text.strip_prefix(OPENING).and_then(|rest| rest.strip_suffix(b"]"));
    inner.is_some_and(is_placeholder_body)
}

/// Whether `inner` is the inside of a placeholder: a rule and a tag, or a legacy rule alone. Nothing else is accepted,
/// or brackets around a secret would hide it.
fn is_placeholder_body(inner: &[u8]) -> bool {
    match memchr::memchr(b':', inner) {
        Some(colon) => {
            let (rule, tag) = (inner.get(..colon).unwrap_or_default(), inner.get(colon + 1..).unwrap_or_default());
            // A random-looking string is not the name of a rule.
            is_rule_id(rule) && !CharStats::of(rule).is_random() && is_tag(tag)
        }
        None => LEGACY_RULES.iter().any(|rule| rule.as_bytes() == inner),
    }
}

/// `text` with the tags removed from its placeholders, since they depend on the key.
#[cfg(test)]
pub(crate) fn without_tags(text: &str) -> String {
    let tag = regex::Regex::new(r"(\[REDACTED:[a-z0-9-]+):[0-9a-f]{10}\]").unwrap();
    tag.replace_all(text, "$1]").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_placeholders_of_all_rules_are_known() {
        for rule in crate::rules::built_in() {
            let placeholder = format!("[REDACTED:{}:0123456789]", rule.id);
            assert!(is_placeholder(placeholder.as_bytes()), "{placeholder}");
        }
    }

    #[test]
    fn a_cut_leaves_no_part_of_a_placeholder_of_a_character_or_of_a_word() {
        let text = "key é [REDACTED:github-token:0123456789] and more";
        let place = placeholders(text.as_bytes()).remove(0);
        for most in 0..=text.len() + 1 {
            let cut = beginning(text, most);
            assert!(cut.len() <= most && text.starts_with(cut));
            let expected = if most < place.end && most > place.start { place.start } else { most.min(text.len()) };
            assert!(expected - cut.len() <= usize::from(most == 5), "{most}: {cut}");
        }
        let words = |most| String::from_utf8_lossy(whole_words(b"two words", most)).into_owned();
        assert_eq!([0, 2, 4, 8, 9, 99].map(words), ["", "", "two", "two", "two words", "two words"]);
        assert_eq!(whole_words(b"secret", 5), b"");
    }

    #[test]
    fn a_key_round_trips_through_hex() {
        let key = Key::random();
        assert_eq!(Key::from_hex(&key.to_hex()), Some(key.clone()));
        assert_ne!(key, Key::random());
        assert_eq!(format!("{key:?}"), "Key");
        for bad in ["", "00", &"0g".repeat(32), &"0".repeat(65), &"é".repeat(32)] {
            assert_eq!(Key::from_hex(bad), None, "{bad}");
        }
    }

    #[test]
    fn equal_secrets_have_equal_tags_under_one_key_only() {
        let (one, other) = (Key::random(), Key::random());
        assert_eq!(one.tag(b"hunter22"), one.tag(b"hunter22"));
        assert_ne!(one.tag(b"hunter22"), one.tag(b"hunter23"));
        assert_ne!(one.tag(b"hunter22"), other.tag(b"hunter22"));
        assert_eq!(one.tag(b"").len(), TAG_DIGITS);
    }

    #[test]
    fn only_text_written_by_redaction_is_a_placeholder() {
        for ours in ["[REDACTED:github-pat:9f3ac2d1b0]", "[REDACTED:jwt]"] {
            assert!(is_placeholder(ours.as_bytes()), "{ours}");
            assert_eq!(placeholders(format!("a{ours}[REDACTED: {ours}").as_bytes()).len(), 2, "{ours}");
        }
        for other in
            ["[REDACTED:hunter22]", "[REDACTED:jwt:9f3ac2d1b]", "[REDACTED:jwt:9F3AC2D1B0]", "[REDACTED::9f3ac2d1b0]"]
        {
            assert!(!is_placeholder(other.as_bytes()), "{other}");
            assert!(placeholders(other.as_bytes()).is_empty(), "{other}");
        }
    }
}
