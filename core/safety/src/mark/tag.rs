//! What stands in the place of a secret: its rule, and a tag by which equal secrets look equal.
//!
//! The tag is a keyed hash, HMAC-SHA-256 cut to ten hex digits: who has the text and not the key cannot test guesses.
//! Ten digits confuse two of a thousand secrets once in two million homes.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::Sha256;
use uuid::Uuid;

use crate::judge::words::Makeup;
use crate::lazy::lazily;
use crate::trusted::Trusted;

/// What stands at the beginning of every placeholder.
const OPENING: &[u8] = b"[REDACTED:";
/// The digits of a tag.
const TAG_DIGITS: usize = 10;
/// The longest id of a rule, in bytes.
pub(crate) const MAX_RULE_BYTES: usize = 64;
/// Rules of version 0.1, whose placeholders had no tag.
const UNTAGGED: &[&str] = &[
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

/// The key for tags: 32 random bytes. Whoever has it can test guesses, so nothing prints it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key([u8; 32]);

impl Key {
    /// A new one.
    pub fn random() -> Self {
        let mut bytes = [0; 32];
        let (front, back) = bytes.split_at_mut(16);
        front.copy_from_slice(Uuid::new_v4().as_bytes());
        back.copy_from_slice(Uuid::new_v4().as_bytes());
        Key(bytes)
    }

    /// The key that was [written](Self::to_hex) as 64 hex digits.
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
        // A key of any length will do, says the type; with none the tag would be as good as missing.
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

/// Where the key for tags comes from. Asked only when a secret was found, and best answered from memory.
pub trait KeySource: fmt::Debug + Send + Sync {
    /// The key for what is kept: stored before it is returned, so that it is the same in every process and ever after.
    fn lasting(&self) -> Key;

    /// The key for what is told and not kept, errors and logs: nothing is made on a disk for it.
    fn passing(&self) -> Key;
}

/// One key a process: for a redactor that belongs to no home.
#[derive(Debug)]
pub struct ProcessKey;

impl KeySource for ProcessKey {
    fn lasting(&self) -> Key {
        self.passing()
    }

    fn passing(&self) -> Key {
        static KEY: OnceLock<Key> = OnceLock::new();
        lazily(&KEY, Key::random).clone()
    }
}

/// What stands in the place of a secret.
pub(crate) fn placeholder(rule: &str, tag: &str) -> String {
    format!("[REDACTED:{rule}:{tag}]")
}

/// Whether `text` has the shape of a rule's id: small letters, digits and hyphens.
pub(crate) fn is_rule_id(text: &[u8]) -> bool {
    let is_of_id = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-';
    text.len() <= MAX_RULE_BYTES && text.first().is_some_and(u8::is_ascii_lowercase) && text.iter().all(is_of_id)
}

/// The placeholders that stand in `text`, in order: what is in them is never looked at again.
pub(crate) fn placeholders(text: &[u8]) -> Vec<Range<usize>> {
    memchr::memmem::find_iter(text, OPENING)
        .filter_map(|start| {
            let inner = text.get(start + OPENING.len()..)?;
            let inner = inner.get(..MAX_RULE_BYTES + TAG_DIGITS + 2).unwrap_or(inner);
            let length = memchr::memchr(b']', inner)?;
            is_inner(inner.get(..length)?).then(|| start..start + OPENING.len() + length + 1)
        })
        .collect()
}

/// Whether a placeholder begins `text`.
pub(crate) fn starts_placeholder(text: &[u8]) -> bool {
    let inner = text.strip_prefix(OPENING);
    inner.is_some_and(|inner| memchr::memchr(b']', inner).and_then(|end| inner.get(..end)).is_some_and(is_inner))
}

/// Whether one placeholder begins and ends `text`.
pub(crate) fn is_placeholder(text: &[u8]) -> bool {
    let inner = text.strip_prefix(OPENING).and_then(|rest| rest.strip_suffix(b"]"));
    inner.is_some_and(is_inner)
}

/// Whether `inner` is what a placeholder of ours holds: a rule and a tag, or a rule of old alone. Nothing else is passed
/// over, or brackets around a secret would hide it.
fn is_inner(inner: &[u8]) -> bool {
    match memchr::memchr(b':', inner) {
        Some(colon) => {
            let (rule, tag) = (inner.get(..colon).unwrap_or_default(), inner.get(colon + 1..).unwrap_or_default());
            let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            // What looks drawn by chance is no rule's name.
            is_rule_id(rule) && !Makeup::of(rule).is_random() && tag.len() == TAG_DIGITS && tag.iter().all(is_digit)
        }
        None => UNTAGGED.iter().any(|rule| rule.as_bytes() == inner),
    }
}

/// `text` with the tags left out of its placeholders: they differ from key to key.
#[cfg(test)]
pub(crate) fn untagged(text: &str) -> String {
    let tag = regex::Regex::new(r"(\[REDACTED:[a-z0-9-]+):[0-9a-f]{10}\]").unwrap();
    tag.replace_all(text, "$1]").into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_survives_its_file() {
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
    fn only_what_redaction_wrote_is_a_placeholder() {
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
