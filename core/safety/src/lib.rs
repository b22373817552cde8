//! Finds secrets in text and JSON, and redacts or refuses them. This crate does no I/O.
//!
//! These count as secrets: provider tokens, values assigned to a secret's name in text or in a record, private keys and
//! similar structures, passwords stated in a sentence, the values of environment variables with matching names, and
//! matches of your own patterns. A finding is replaced by `[REDACTED:rule:tag]`. The surrounding text is unchanged,
//! byte for byte, and redacting twice changes nothing.
//!
//! ```
//! use loopmem_safety::Redactor;
//!
//! let redactor = Redactor::new(&[], [])?;
//! let pat = format!("ghp_{}", "a1B2".repeat(9));
//! let clean = redactor.redact(&format!("push with {pat}.")).into_owned();
//! assert!(clean.starts_with("push with [REDACTED:github-pat:") && clean.ends_with("]."), "{clean}");
//! # Ok::<(), loopmem_safety::Error>(())
//! ```
//!
//! A record is [sealed](Redactor::seal): it is serialized, all its strings and keys are redacted, and the result is a
//! [`SealedObject`], to which only [`Trusted`] values can be added. A function that stores only [`Sealed`] values
//! cannot store a secret by mistake.
//!
//! The modules, from low to high: `text` works on bytes, `classify` judges names and values, `rules` is the catalogue,
//! `mark` orders and merges findings, `detect` searches, `redact` replaces findings
//! in text, and `seal` does so in JSON.

mod classify;
mod detect;
mod error;
mod lazy;
mod mark;
mod redact;
mod rules;
mod seal;
mod text;
mod trusted;

pub use detect::user_rules::Pattern;
pub use error::{Error, ErrorKind, Result};
pub use mark::found::Finding;
pub use mark::tag::{Key, KeySource, ProcessKey, beginning, placeholders, whole_words};
pub use redact::allowance::Allowance;
pub use redact::redactor::Redactor;
pub use redact::rule_file::{MAX_RULE_FILE_BYTES, RuleFile};
pub use redact::stream::Stream;
pub use rules::{Rule, RuleKind};
pub use seal::fields::{BorrowedFields, BorrowedKey, Fields, unescaped};
pub use seal::object::{Sealed, SealedObject};
pub use seal::redactions::{Redaction, Redactions};
pub use seal::size::{MAX_DRAFT_BYTES, MAX_RECORD_BYTES, MAX_VALUE_BYTES};
pub use seal::text::{Form, SealedText};
pub use text::control::{escape, escape_controls, escape_controls_on_one_line, is_steering};
pub use text::masks::byte_mask;
pub use trusted::{Admitted, GeneratedId, Numbers, Timestamp, Trusted};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
