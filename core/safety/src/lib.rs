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
//! | to | use |
//! |---|---|
//! | redact a text, or find the secrets in it | [`Redactor::redact`], [`Redactor::find`] |
//! | redact a stream in chunks of any size | [`Redactor::stream`] |
//! | refuse a name or an id that contains a secret | [`Redactor::admit`] |
//! | redact a record before it is stored | [`Redactor::seal`] |
//! | add patterns and rules, from a list or a TOML file | [`Redactor::new`], [`RuleFile::parse`] |
//! | get the same tags in every process | [`Key`], [`KeySource`] |
//!
//! # Errors
//!
//! There are two kinds ([`ErrorKind`]): an argument is invalid, or a secret occurs where it can be neither stored nor redacted.
//! No message contains the secret.
//!
//! # Cargo features
//!
//! None is enabled by default. A build for Linux compiles 41 crates, including this one.
//!
//! | feature | what it adds | crates |
//! |---|---|---|
//! | `schema` | JSON schemas (`schemars`) of rules and findings | 51 |
//!
//! # Platforms and safety
//!
//! The crate needs Rust 1.95. It is tested on Linux, and uses nothing of any one system: texts and bytes go in and come out, and
//! only the values of secret environment variables come from outside, as arguments. `unsafe` is denied. Patterns are compiled
//! with a limit of size and run in linear time, whatever the text.

// The modules, from low to high: `text` works on bytes, `classify` judges names and values, `rules` is the catalogue, `mark`
// orders and merges findings, `detect` searches, `redact` replaces findings in text, and `seal` does so in JSON.

#![cfg_attr(docsrs, feature(doc_cfg))]

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
