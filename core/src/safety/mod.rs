//! Secrets: detect, redact, refuse, seal. Pure, no I/O.
//!
//! Everything that a host says passes [`Redactor::seal`] before it is persisted: it is serialized, every string and
//! every key of it is scrubbed, and what comes back is a [`Sealed`] that `disk` accepts. Nothing outside this room can
//! make one, so a write that skips the redactor does not compile. An id goes through [`Redactor::admit_id`] instead.
//!
//! What is a secret (spec 000, "Safety and redaction"): provider tokens (`tokens`), values under a secret's
//! name, in text or in a record (`keyed`), the values of environment variables whose names match, and the
//! user's own `memory.redactionPatterns` and rule file. A finding is replaced by `[REDACTED:rule:tag]`; the text around it stays
//! byte for byte, and redacting twice changes nothing.
//!
//! ```
//! use loopmem::safety::Redactor;
//!
//! let redactor = Redactor::new(&[], [])?;
//! let pat = format!("ghp_{}", "a1B2".repeat(9));
//! let clean = redactor.redact(&format!("push with {pat}.")).into_owned();
//! assert!(clean.starts_with("push with [REDACTED:github-pat:") && clean.ends_with("]."), "{clean}");
//! # Ok::<(), loopmem::Error>(())
//! ```

mod anchors;
mod base64;
mod blocks;
mod bytes;
mod columns;
mod control;
mod detect;
mod environment;
mod found;
mod gutters;
mod headers;
mod invisible;
mod json;
mod keyed;
mod looks;
mod names;
mod own;
mod prose;
mod providers;
mod redactor;
mod rule_file;
mod rules;
mod seal;
mod shapes;
mod stream;
mod structures;
mod tag;
mod telling;
mod tokens;
mod urls;
mod views;
mod words;
mod wraps;

pub use control::{escape_controls, escape_controls_on_one_line, is_steering};
pub use own::Pattern;
pub use redactor::{Finding, Redactor};
pub use rule_file::MAX_RULE_FILE_BYTES;
pub use rules::{Rule, RuleKind};
pub use seal::{MAX_DRAFT_BYTES, MAX_RECORD_BYTES, MAX_VALUE_BYTES, Policy, Sealed};
pub use stream::Stream;
pub use tag::{Key, KeySource, ProcessKey};
