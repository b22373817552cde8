//! Redacts what calls store, and records each redaction for the logger and for the options of the call.

use std::borrow::Cow;

use serde::Serialize;

use super::Home;
use crate::error::{Error, ErrorKind, Result};
use crate::redactions;
use crate::safety::{Redaction, Redactions, SealedObject};

impl Home {
    /// Redacts a record that a call is to store, as [`Redactor::seal`](crate::safety::Redactor::seal).
    ///
    /// # Errors
    /// As [`Redactor::seal`](crate::safety::Redactor::seal). In a dry run, the error that ends it.
    pub(crate) fn seal(&self, record: &impl Serialize, known_keys: &[&str]) -> Result<SealedObject> {
        let (sealed, redactions) = self.redactor().seal(record, known_keys)?;
        self.reported(sealed, redactions)
    }

    /// As [`seal`](Self::seal), for a value that may be longer.
    ///
    /// # Errors
    /// As [`Redactor::seal_value`](crate::safety::Redactor::seal_value). In a dry run, the error that ends it.
    pub(crate) fn seal_value(&self, value: &impl Serialize, known_keys: &[&str]) -> Result<SealedObject> {
        let (sealed, redactions) = self.redactor().seal_value(value, known_keys)?;
        self.reported(sealed, redactions)
    }

    /// As [`seal`](Self::seal), whatever is allowed.
    ///
    /// # Errors
    /// As [`seal`](Self::seal).
    pub(crate) fn seal_plainly(&self, record: &impl Serialize, known_keys: &[&str]) -> Result<SealedObject> {
        let (sealed, redactions) = self.redactor().allowing_nothing().seal(record, known_keys)?;
        self.reported(sealed, redactions)
    }

    /// As [`seal`](Self::seal), unless something had to be redacted.
    ///
    /// # Errors
    /// `SecretRefused` naming the rule and the field; those of [`seal`](Self::seal).
    pub(crate) fn seal_without_secrets(&self, record: &impl Serialize, known_keys: &[&str]) -> Result<SealedObject> {
        let (sealed, redactions) = self.redactor().seal(record, known_keys)?;
        match redactions.into_list().first() {
            Some(secret) => Err(refused(secret)),
            None => self.end_dry_run().map(|()| sealed),
        }
    }

    /// As [`seal`](Self::seal), or as [`seal_without_secrets`](Self::seal_without_secrets) unless `is_forced`, for a part of a
    /// record: a dry run goes on with the others.
    ///
    /// # Errors
    /// `SecretRefused`; those of [`Redactor::seal`](crate::safety::Redactor::seal).
    pub(crate) fn seal_part(&self, part: &impl Serialize, is_forced: bool) -> Result<SealedObject> {
        let (sealed, redactions) = self.redactor().seal(part, &[])?;
        let redactions = redactions.into_list();
        match redactions.first() {
            Some(secret) if !is_forced => return Err(refused(secret)),
            _ => redactions::record(redactions),
        }
        Ok(sealed)
    }

    fn reported(&self, sealed: SealedObject, redactions: Redactions) -> Result<SealedObject> {
        redactions::record(redactions.into_list());
        self.end_dry_run().map(|()| sealed)
    }

    /// Redacts a text of the field `field`, before it is changed in a way that may hide a secret.
    pub(crate) fn redact<'t>(&self, field: &str, text: &'t str) -> Cow<'t, str> {
        let (text, found) = self.redactor().redact_field(field, text);
        let redaction = |rule: &str| Redaction { field: field.to_owned(), rule: rule.to_owned(), count: 1 };
        redactions::record(found.into_iter().map(|found| redaction(found.rule)));
        text
    }

    /// `text` on one line: a line break and the white space around it become one space. Text with line breaks is
    /// redacted first: some secrets are only detected with them.
    pub(crate) fn redacted_line<'t>(&self, field: &str, text: &'t str) -> Cow<'t, str> {
        match on_one_line(text) {
            Cow::Borrowed(line) => Cow::Borrowed(line),
            Cow::Owned(_) => Cow::Owned(on_one_line(&self.redact(field, text)).into_owned()),
        }
    }
}

/// The error for a secret in a record that must not have any.
fn refused(secret: &Redaction) -> Error {
    let Redaction { field, rule, .. } = secret;
    let field = if field.is_empty() { "the name of a field" } else { field };
    let advice = "remove it, or pass force to store it redacted";
    Error::new(ErrorKind::SecretRefused, format!("{field} looks like a secret (rule {rule}); {advice}"))
}

/// `text` on one line: a line break and the white space around it become one space.
fn on_one_line(text: &str) -> Cow<'_, str> {
    let is_break = |c: char| matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    if !text.contains(is_break) {
        return text.into();
    }
    let lines = text.split(is_break).map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_break_becomes_one_space_and_other_text_is_unchanged() {
        assert_eq!(on_one_line(" a  b\tc "), " a  b\tc ");
        assert_eq!(
            on_one_line("Use JSONL.\r\n\r\n  Appends\tare cheap.\u{2028}So.\n"),
            "Use JSONL. Appends\tare cheap. So."
        );
        assert_eq!(on_one_line("\n \r"), "");
    }
}
