//! Redacts what calls store, and records each redaction for the logger and for the options of the call.

use std::borrow::Cow;

use chrono::DateTime;
use serde::Serialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::Home;
use crate::error::{Error, ErrorKind, Result};
use crate::redactions;
use crate::safety::{Fields, GeneratedId, Redaction, Redactions, SealedObject, Timestamp};

/// The members of a record that another home has stored, by their keys.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ForeignRecord {
    /// All that the format has.
    pub(crate) keys: &'static [&'static str],
    /// The ids, which are refused if they look like secrets.
    pub(crate) ids: &'static [&'static str],
    /// Those that hold a UUID or a time if loopmem has set them.
    pub(crate) generated: &'static [&'static str],
}

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

    /// Redacts a record that another home has stored. One without secrets keeps its bytes, but for white space between its
    /// tokens; no pattern of the user alters an id or a time that loopmem generates.
    ///
    /// # Errors
    /// `SecretRefused` and `ValidationError` for an id; as [`Redactor::seal_value`](crate::safety::Redactor::seal_value).
    pub(crate) fn seal_foreign(&self, json: &RawValue, of: &ForeignRecord) -> Result<SealedObject> {
        let (mut sealed, redactions) = self.redactor().seal_value(&json, of.keys)?;
        let members: Fields =
            serde_json::from_str(json.get()).map_err(|_| Error::validation("the record is not an object"))?;
        let text = |name: &str| -> Option<String> { serde_json::from_str(members.get(name)?.get()).ok() };
        let is_changed =
            |sealed: &SealedObject, name| sealed.get(name).map(RawValue::get) != members.get(name).map(RawValue::get);
        let mut restored = Vec::new();
        for name in of.ids.iter().chain(of.generated) {
            let Some(text) = text(name) else { continue };
            match (uuid(&text), time(&text)) {
                (Some(id), _) if is_changed(&sealed, name) => sealed.set(name, &id)?,
                (_, Some(time)) if is_changed(&sealed, name) => sealed.set(name, &time)?,
                (None, None) if of.ids.contains(name) => {
                    self.redactor().admit_id(name, &text)?;
                    continue;
                }
                _ => continue,
            }
            restored.push(*name);
        }
        redactions::record(redactions.into_list().into_iter().filter(|it| !restored.contains(&&*it.field)));
        Ok(sealed)
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

/// A UUID as loopmem writes it.
fn uuid(text: &str) -> Option<GeneratedId> {
    let uuid = Uuid::try_parse(text).ok().filter(|uuid| uuid.to_string() == text)?;
    Some(GeneratedId::uuid(uuid.as_u128()))
}

/// A time as loopmem writes it.
fn time(text: &str) -> Option<Timestamp> {
    let time = DateTime::parse_from_rfc3339(text).ok()?;
    Some(Timestamp::from_unix_millis(time.timestamp_millis())).filter(|time| time.to_string() == text)
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
