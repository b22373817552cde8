//! Allowances: what a user has declared to be no secret, and why.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::mark::found::Found;
use crate::mark::tag::{self, KeySource};
use crate::rules::general;
use crate::text::bytes::{is_blank, is_of_token, is_quote, run_start, slice};

/// How far before a value its name may be, in bytes.
const MAX_GAP: usize = 32;
/// The longest name, in bytes.
const MAX_NAME: usize = 128;
/// The longest text of an allowance, in bytes.
const MAX_TEXT: usize = 500;

/// A false positive of a rule. A finding must match all of `name`, `rule`, `field` and `tag` that are
/// set, of which there is at least one.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Allowance {
    /// The name of the value, such as `sessionKey`, in any case and with or without `_`, `-` and `.`. Applies to what was
    /// found because of its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The id of the rule, such as `keyed-value`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The path of the field in a record, such as `metadata.headers`, with everything below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The tag of the value: a keyed hash, from its placeholder or from a scan with the same home.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Why it is no secret, for the people who read this later.
    pub reason: String,
}

impl fmt::Debug for Allowance {
    /// Shows the rule and the tag: the other texts may be anything before they have been checked.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Allowance").field("rule", &self.rule).field("tag", &self.tag).finish_non_exhaustive()
    }
}

/// A field of a record.
pub(crate) struct Field<'f> {
    /// The key whose value it is, unless that is a key of the schema.
    pub(crate) key: Option<&'f str>,
    /// Its path.
    pub(crate) path: &'f dyn Fn() -> String,
}

/// What is known about a finding when it is compared with an allowance.
struct Candidate<'f> {
    rule: &'f str,
    /// The name of the value.
    name: Option<Cow<'f, str>>,
    /// The path of the field, in a record.
    field: Option<String>,
    tag: String,
}

/// All that a redactor's user has declared to be no secret.
#[derive(Clone, Default)]
pub(crate) struct Allowances(Arc<[Allowance]>);

impl Allowances {
    /// These, and more.
    pub(crate) fn and(&self, more: &[Allowance]) -> Self {
        Allowances(self.0.iter().chain(more).cloned().collect())
    }

    pub(crate) fn list(&self) -> &[Allowance] {
        &self.0
    }

    /// Drops what is allowed of what rules found in `text`, which is the value of `field` if it is in a record; not by
    /// allowances of a value.
    pub(crate) fn drop_from(&self, found: &mut Vec<Found<'_>>, text: &[u8], field: Option<&Field<'_>>) {
        let of_rules = || self.0.iter().filter(|allowance| allowance.tag.is_none());
        if of_rules().next().is_some() {
            found.retain(|found| {
                let candidate = Candidate::new(found, text, field, String::new);
                !of_rules().any(|allowance| allowance.covers(&candidate))
            });
        }
    }

    /// As [`drop_from`](Self::drop_from), by allowances of a value.
    pub(crate) fn drop_values_from(
        &self,
        found: &mut Vec<Found<'_>>,
        text: &[u8],
        field: Option<&Field<'_>>,
        keys: &dyn KeySource,
    ) {
        let of_values = || self.0.iter().filter(|allowance| allowance.tag.is_some());
        if found.is_empty() || of_values().next().is_none() {
            return;
        }
        // An allowed tag was made with a key that exists, so none is created.
        let key = keys.ephemeral();
        found.retain(|found| {
            let candidate = Candidate::new(found, text, field, || key.tag(found.written_plainly(text)));
            !of_values().any(|allowance| allowance.covers(&candidate))
        });
    }
}

impl<'f> Candidate<'f> {
    fn new(found: &'f Found<'f>, text: &'f [u8], field: Option<&'f Field<'f>>, tag: impl FnOnce() -> String) -> Self {
        let key = field.and_then(|field| field.key);
        Candidate {
            rule: found.rule,
            name: name_before(text, found.place.start).or_else(|| key.map(Cow::Borrowed)),
            field: field.map(|field| (field.path)()),
            tag: tag(),
        }
    }
}

impl Allowance {
    /// Checks an allowance; errors call it `place`.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) if it matches everything, has no reason, or an invalid rule or tag.
    pub fn check(&self, place: &str) -> Result<()> {
        let refused = |what: &str| Err(Error::invalid(format!("{place} {what}")));
        let texts = [&self.name, &self.rule, &self.field, &self.tag];
        if texts.iter().all(|text| text.is_none()) {
            return refused("allows everything; set at least one of name, rule, field and tag");
        }
        if texts.into_iter().flatten().chain([&self.reason]).any(|text| text.trim().is_empty() || text.len() > MAX_TEXT)
        {
            return refused("has an empty or very long text; each has 1 to 500 bytes");
        }
        if self.rule.as_ref().is_some_and(|rule| !tag::is_rule_id(rule.as_bytes())) {
            return refused("has an invalid rule; ids of rules are lower-case letters, digits and hyphens");
        }
        if self.tag.as_ref().is_some_and(|tag| !tag::is_tag(tag.as_bytes())) {
            return refused("has an invalid tag; a tag is ten hex digits, as in [REDACTED:rule:tag]");
        }
        if self.name.as_ref().is_some_and(|name| letters(name).is_empty()) {
            return refused("has a name without letters");
        }
        Ok(())
    }

    /// Whether it allows a finding.
    fn covers(&self, found: &Candidate<'_>) -> bool {
        let is_of_field = |path: &String| {
            let rest = found.field.as_deref().and_then(|field| field.strip_prefix(path.as_str()));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let is_named = |name: &String| {
            let own = found.name.as_deref().filter(|_| found.rule == general::KEYED_VALUE);
            // `config.sessionKey`
            let last = own.and_then(|own| own.rsplit('.').next());
            [own, last].into_iter().flatten().any(|own| letters(own) == letters(name))
        };
        self.rule.as_ref().is_none_or(|rule| rule == found.rule)
            && self.field.as_ref().is_none_or(is_of_field)
            && self.name.as_ref().is_none_or(is_named)
            && self.tag.as_ref().is_none_or(|tag| *tag == found.tag)
    }
}

/// The letters and digits of a name, in lower case.
fn letters(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The name before the value at `at` of `text`, if there is one in front of it.
fn name_before(text: &[u8], at: usize) -> Option<Cow<'_, str>> {
    let is_between = |byte: u8| {
        is_blank(byte)
            || is_quote(byte)
            || matches!(byte, b':' | b'=' | b'>' | b'(' | b'[' | b',' | b'|' | b'\\' | b'*')
    };
    let end = run_start(text, at, MAX_GAP, is_between);
    let start = run_start(text, end, MAX_NAME, |byte| is_of_token(byte) || byte >= 0x80);
    (start < end).then(|| String::from_utf8_lossy(slice(text, start..end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowance() -> Allowance {
        Allowance { name: None, rule: None, field: None, tag: None, reason: "a test".to_owned() }
    }

    fn covers(allowance: &Allowance, name: &str, field: &str) -> bool {
        allowance.covers(&Candidate {
            rule: "keyed-value",
            name: Some(name.into()),
            field: Some(field.to_owned()),
            tag: "0123456789".to_owned(),
        })
    }

    #[test]
    fn all_that_is_set_must_match() {
        let by_name = Allowance { name: Some("sessionKey".to_owned()), ..allowance() };
        let by_field = Allowance { field: Some("patch.db".to_owned()), ..allowance() };
        let by_tag = Allowance { tag: Some("0123456789".to_owned()), ..allowance() };
        for (allowance, name, field, expected) in [
            (&by_name, "SESSION_KEY", "a", true),
            (&by_name, "config.sessionKey", "a", true),
            (&by_name, "sessionKeys", "a", false),
            (&by_field, "x", "patch.db", true),
            (&by_field, "x", "patch.db.token", true),
            (&by_field, "x", "patch.dbs", false),
            (&by_tag, "x", "a", true),
            (&Allowance { rule: Some("github-pat".to_owned()), ..by_tag.clone() }, "x", "a", false),
        ] {
            assert_eq!(covers(allowance, name, field), expected, "{allowance:?} {name} {field}");
        }
    }

    #[test]
    fn an_allowance_says_what_and_why() {
        for (allowance, fault) in [
            (allowance(), "allows everything"),
            (Allowance { rule: Some("x".to_owned()), reason: " ".to_owned(), ..allowance() }, "empty"),
            (Allowance { tag: Some("xyz".to_owned()), ..allowance() }, "invalid tag"),
            (Allowance { rule: Some("No Rule".to_owned()), ..allowance() }, "invalid rule"),
            (Allowance { name: Some("--".to_owned()), ..allowance() }, "without letters"),
        ] {
            let error = allowance.check("allow[0]").unwrap_err();
            assert!(error.message().starts_with("allow[0] ") && error.message().contains(fault), "{error}");
        }
        Allowance { name: Some("sessionKey".to_owned()), ..allowance() }.check("allow[0]").unwrap();
    }

    #[test]
    fn the_name_of_a_value_is_before_it() {
        for (text, name) in [
            ("DB_KEY=", "DB_KEY"),
            ("\"sessionKey\": \"", "sessionKey"),
            ("set('api_key', '", "api_key"),
            ("--token ", "--token"),
        ] {
            assert_eq!(name_before(text.as_bytes(), text.len()).as_deref(), Some(name), "{text}");
        }
        assert_eq!(name_before(b"= ", 2), None);
    }
}
