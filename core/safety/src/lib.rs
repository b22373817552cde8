//! Secrets in texts and in JSON: found, redacted, refused. Pure, no I/O.
//!
//! What is a secret: provider tokens, values under a secret's name in text or in a record, keys and other structures,
//! passwords that a sentence tells, the values of environment variables whose names match, and what your own patterns
//! match. A finding is replaced by `[REDACTED:rule:tag]`; the text around it stays byte for byte, and redacting twice
//! changes nothing.
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
//! A record is [sealed](Redactor::seal): it is serialized, every string and key of it is scrubbed, and what comes back is a
//! [`SealedObject`], to which only what is [`Trusted`] can be added. A function that stores nothing else ([`Sealed`]) cannot
//! store a secret by mistake.
//!
//! The folders are the way of a text: `text` sees it as bytes, `judge` says of a name or a value what it is, `rules` lists
//! what is known, `detect` looks, `mark` puts findings in order, `redact` replaces them, `seal` does so in JSON.

mod detect;
mod error;
mod judge;
mod lazy;
mod mark;
mod redact;
mod rules;
mod seal;
mod text;
mod trusted;

pub use detect::own::Pattern;
pub use error::{Error, ErrorKind, Result};
pub use mark::tag::{Key, KeySource, ProcessKey};
pub use redact::redactor::{Finding, Redactor};
pub use redact::rule_file::MAX_RULE_FILE_BYTES;
pub use redact::stream::Stream;
pub use rules::{Rule, RuleKind};
pub use seal::Policy;
pub use seal::fields::{BorrowedFields, Fields};
pub use seal::object::{Sealed, SealedObject};
pub use seal::size::{MAX_DRAFT_BYTES, MAX_RECORD_BYTES, MAX_VALUE_BYTES};
pub use text::control::{escape_controls, escape_controls_on_one_line, is_steering};
pub use trusted::{Admitted, GeneratedId, Numbers, Timestamp, Trusted};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
