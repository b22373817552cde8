//! Texts without secrets that are stored as they are, and not as JSON.

use serde::de::IgnoredAny;

use crate::redact::redactor::Redactor;
use crate::seal::redactions::Redactions;

/// A text that was redacted. A function that stores nothing else cannot store a secret by mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedText(String);

impl SealedText {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A literal of the program itself.
impl From<&'static str> for SealedText {
    fn from(literal: &'static str) -> Self {
        SealedText(literal.to_owned())
    }
}

/// What a text is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Anything.
    Text,
    /// A JSON value.
    Json,
    /// A JSON value on each line.
    JsonLines,
}

impl Redactor {
    /// Redacts a text that is to be stored as it is.
    pub fn seal_text(&self, text: &str) -> SealedText {
        SealedText(self.redact(text).into_owned())
    }

    /// Redacts the text of a file of this path. JSON stays JSON, and each record whole: what begins in one line and ends in
    /// another is no secret of either. What is not JSON is redacted as text.
    pub fn seal_file(&self, form: Form, path: &str, text: &str) -> (SealedText, Redactions) {
        let mut redactions = Redactions::default();
        let (as_text, found) = self.redact_field(path, text);
        if form == Form::Text || found.is_empty() {
            found.iter().for_each(|found| redactions.add(path, found.rule));
            return (SealedText(as_text.into_owned()), redactions);
        }
        let parts = if form == Form::Json { vec![text] } else { text.split_inclusive('\n').collect() };
        let (mut clean, mut others) = (String::with_capacity(text.len()), String::new());
        let add_others = |clean: &mut String, others: &mut String, redactions: &mut Redactions| {
            let (text, found) = self.redact_field(path, others);
            found.iter().for_each(|found| redactions.add(path, found.rule));
            clean.push_str(&text);
            others.clear();
        };
        for part in parts {
            // Not one that cannot be sealed, such as one that is nested too deeply.
            let is_json = serde_json::from_str::<IgnoredAny>(part).is_ok();
            match is_json.then(|| self.clean(usize::MAX, part, &[], Some(path))) {
                Some(Ok((json, of_json))) => {
                    add_others(&mut clean, &mut others, &mut redactions);
                    clean.push_str(&json);
                    redactions.absorb(of_json);
                }
                _ => others.push_str(part),
            }
        }
        add_others(&mut clean, &mut others, &mut redactions);
        (SealedText(clean), redactions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(form: Form, text: &str) -> String {
        Redactor::default().seal_file(form, "notes.jsonl", text).0.as_str().to_owned()
    }

    #[test]
    fn what_spans_records_is_no_secret_and_json_stays_json() {
        let spanning = "{\"id\":\"0\",\"c\":\"-----BEGIN RSA PRIVATE KEY-----\\nMIIEpAIBAAKCAQEA7bq8\"}\n\
                        {\"id\":\"1\",\"c\":\"important\"}\n{\"id\":\"2\",\"c\":\"-----END RSA PRIVATE KEY-----\"}\n";
        let lines = sealed(Form::JsonLines, spanning);
        assert!(lines.contains("{\"id\":\"1\",\"c\":\"important\"}\n"), "{lines}");
        assert_eq!(lines.lines().count(), 3);
        for json in
            ["{\"a\":0, \"password\":12345678}", "[{\"content\":\"password: 'aaaaaaaabbbbb\\nnext\"}, {\"b\": 1}]"]
        {
            for form in [Form::Json, Form::JsonLines] {
                let clean = sealed(form, json);
                assert!(
                    clean.contains("REDACTED") && serde_json::from_str::<serde_json::Value>(&clean).is_ok(),
                    "{clean}"
                );
            }
        }
        let token = ["ghp_", "Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2Ji1Hg0Fe9Dc8"].concat();
        let mixed = sealed(Form::JsonLines, &format!("<<<<<<< ours {token}\n{{\"a\":1}}\n{{\"t\":\"{token}\"\n"));
        assert!(!mixed.contains(&token) && mixed.contains("\n{\"a\":1}\n"), "{mixed}");
    }
}
