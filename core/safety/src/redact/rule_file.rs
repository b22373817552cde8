//! The user's rule file: TOML with one `[[rule]]` for each pattern and one `[[allow]]` for each allowance. This module
//! does no I/O and does not know the path.
//!
//! A pattern may itself be secret, so errors name a rule by its id or its number and never repeat its text.

use std::collections::HashSet;

use toml::{Table, Value};

use crate::detect::user_rules::{Pattern, UNNAMED};
use crate::error::{Error, Result};
use crate::mark::tag;
use crate::redact::allowance::Allowance;
use crate::rules;

/// The maximum size of a rule file, in bytes.
pub const MAX_RULE_FILE_BYTES: usize = 1 << 20;
/// The maximum number of rules in a file.
const MAX_RULES: usize = 1_000;
/// The keys of a rule.
const KEYS: [&str; 3] = ["id", "description", "pattern"];
/// The longest key that an error repeats, in bytes: a longer one is not a typo and might be anything.
const SHOWN_KEY_BYTES: usize = 40;

/// What a rule file says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleFile {
    /// The user's rules, which are compiled when they are given to a redactor.
    pub patterns: Vec<Pattern>,
    /// False positives of rules.
    pub allowances: Vec<Allowance>,
}

impl RuleFile {
    /// Parses a rule file; errors call it `file`.
    ///
    /// # Errors
    /// [`Invalid`](crate::ErrorKind::Invalid) naming the file and the rule, if the file is too large, not UTF-8 or not
    /// TOML, has more than 1,000 rules or allowances or an unknown key, if a rule has no pattern, or an id that is
    /// invalid, duplicate or used by a built-in rule, or if an allowance [is invalid](Allowance::check).
    pub fn parse(file: &str, bytes: &[u8]) -> Result<RuleFile> {
        let refused = |what: String| Error::invalid(format!("{file}: {what}"));
        let mut tables = read(bytes).map_err(refused)?;
        let rules = take_list(&mut tables, "rule").map_err(refused)?;
        let allowed = take_list(&mut tables, "allow").map_err(refused)?;
        if let Some(key) = tables.keys().next() {
            return Err(refused(format!("the file has an unknown key{}; known: rule, allow", shown(key))));
        }
        let mut ids = HashSet::new();
        let mut patterns = Vec::with_capacity(rules.len());
        for (index, rule) in rules.iter().enumerate() {
            let place = match text(rule, "id").filter(|id| tag::is_id_of_user(id.as_bytes())) {
                Some(id) => format!("the rule {id}"),
                None => format!("rule {}", index + 1),
            };
            let pattern = pattern(rule, file, &place, &mut ids).map_err(|what| refused(format!("{place} {what}")))?;
            patterns.push(pattern);
        }
        let mut allowances = Vec::with_capacity(allowed.len());
        for (index, table) in allowed.into_iter().enumerate() {
            let place = format!("{file}: allow {}", index + 1);
            let allowance = allowance(table).map_err(|what| Error::invalid(format!("{place} {what}")))?;
            allowance.check(&place)?;
            allowances.push(allowance);
        }
        Ok(RuleFile { patterns, allowances })
    }
}

/// The tables of the file.
fn read(bytes: &[u8]) -> std::result::Result<Table, String> {
    if bytes.len() > MAX_RULE_FILE_BYTES {
        return Err(format!("the file is too large; at most {MAX_RULE_FILE_BYTES} bytes are read"));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| "the file is not UTF-8".to_owned())?;
    // The parser's message may quote the file; the line number does not.
    toml::from_str(text).map_err(|fault| {
        let line = fault.span().and_then(|span| text.get(..span.start)).map_or(1, |head| head.split('\n').count());
        format!(
            "line {line} is not valid TOML; write patterns between ''' and ''', and lists as [[rule]] and [[allow]]"
        )
    })
}

/// Removes the list of tables `[[key]]`.
fn take_list(file: &mut Table, key: &str) -> std::result::Result<Vec<Table>, String> {
    let items = match file.remove(key) {
        None => Vec::new(),
        Some(Value::Array(items)) => items,
        Some(_) => return Err(format!("{key} is not a list; start each {key} with a line [[{key}]]")),
    };
    if items.len() > MAX_RULES {
        return Err(format!("the file has {} of [[{key}]]; at most {MAX_RULES} are read", items.len()));
    }
    let table = |(index, item): (usize, Value)| match item {
        Value::Table(item) => Ok(item),
        _ => Err(format!("{key} {} is not a table; start each {key} with a line [[{key}]]", index + 1)),
    };
    items.into_iter().enumerate().map(table).collect()
}

/// Checks the keys of a table, all of whose values are texts.
fn check_keys(table: &Table, known: &[&str]) -> std::result::Result<(), String> {
    for (key, value) in table {
        if !known.contains(&key.as_str()) {
            return Err(format!("has an unknown key{}; known: {}", shown(key), known.join(", ")));
        }
        if !value.is_str() {
            return Err(format!("has a {key} that is not a string"));
        }
    }
    Ok(())
}

fn allowance(mut table: Table) -> std::result::Result<Allowance, String> {
    check_keys(&table, &["name", "rule", "field", "tag", "reason"])?;
    let mut take = |key: &str| match table.remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    let (name, rule, field, tag) = (take("name"), take("rule"), take("field"), take("tag"));
    let reason = take("reason").ok_or("has no reason")?;
    Ok(Allowance { name, rule, field, tag, reason })
}

fn pattern<'t>(
    rule: &'t Table,
    file: &str,
    place: &str,
    ids: &mut HashSet<&'t str>,
) -> std::result::Result<Pattern, String> {
    check_keys(rule, &KEYS)?;
    let id = text(rule, "id").ok_or("has no id")?;
    if !tag::is_id_of_user(id.as_bytes()) {
        let limit = tag::MAX_RULE_BYTES;
        return Err(format!(
            "has an invalid id; an id is a lower-case letter, then lower-case letters, digits and hyphens, at most {limit} in all"
        ));
    }
    if id == UNNAMED || rules::built_in().any(|rule| rule.id == id) {
        return Err("has the id of a built-in rule; choose another".to_owned());
    }
    if !ids.insert(id) {
        return Err("is defined twice; choose another id".to_owned());
    }
    let regex = text(rule, "pattern").filter(|regex| !regex.is_empty()).ok_or("has no pattern")?;
    let description = text(rule, "description").filter(|description| !description.trim().is_empty());
    Ok(Pattern {
        id: id.to_owned(),
        description: description.unwrap_or("A rule of your own").to_owned(),
        place: format!("{file}: {place}"),
        regex: regex.to_owned(),
    })
}

fn text<'t>(rule: &'t Table, key: &str) -> Option<&'t str> {
    rule.get(key).and_then(Value::as_str)
}

/// ` name` if it may be a typo of a known key, else nothing, since it might be anything.
fn shown(key: &str) -> String {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if key.len() <= SHOWN_KEY_BYTES && key.bytes().all(is_name) { format!(" {key}") } else { String::new() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::error::ErrorKind;
    use crate::redact::redactor::Redactor;
    use crate::rules::RuleKind;

    fn rule(id: &str, pattern: &str) -> String {
        format!("[[rule]]\nid = \"{id}\"\npattern = '''{pattern}'''\n")
    }

    fn redactor(text: &str) -> Result<Redactor> {
        let file = RuleFile::parse("redaction.toml", text.as_bytes())?;
        Ok(Redactor::new(&[], [])?.and(file.patterns)?.allowing(&file.allowances))
    }

    #[test]
    fn a_rule_redacts_under_its_own_id_and_is_listed() {
        let file = rule("corp-ticket", "CORP-[0-9]{4}")
            + "[[rule]]\nid = 'badge'\ndescription = 'A badge'\npattern = 'badge (?<secret>[0-9]+)'\n";
        let redactor = redactor(&file).unwrap();
        let found: Vec<_> = redactor.find("CORP-1234, badge 77").iter().map(|it| (it.rule, it.place.clone())).collect();
        assert_eq!(found, [("corp-ticket", 0..9), ("badge", 17..19)]);
        let own: Vec<_> = redactor.rules().into_iter().filter(|rule| rule.kind == RuleKind::Custom).collect();
        assert_eq!((&*own[0].id, &*own[0].description), ("corp-ticket", "A rule of your own"));
        assert_eq!((&*own[1].id, &*own[1].description), ("badge", "A badge"));
    }

    #[test]
    fn what_is_allowed_stays() {
        let allow = |entry: &str| format!("[[allow]]\n{entry}\nreason = 'a test'\n");
        let tag = redactor("").unwrap().find("password=hunter22").remove(0).tag;
        for entry in ["name = 'password'", "rule = 'keyed-value'", &format!("tag = '{tag}'")] {
            let redactor = redactor(&allow(entry)).unwrap();
            assert_eq!(redactor.redact("password=hunter22"), "password=hunter22", "{entry}");
            redactor.admit("id", "password=hunter22").unwrap();
            assert_eq!(redactor.allowances().len(), 1);
        }
        for entry in ["name = 'token'", "rule = 'jwt'", "tag = '0123456789'", "name = 'password'\nrule = 'jwt'"] {
            assert_ne!(redactor(&allow(entry)).unwrap().redact("password=hunter22"), "password=hunter22", "{entry}");
        }
    }

    #[test]
    fn a_token_is_a_secret_under_an_allowed_name_too() {
        let redactor = redactor("[[allow]]\nname = 'sessionKey'\nreason = 'the name of a tab'\n").unwrap();
        let token = format!("ghp_{}", "a1B2".repeat(9));
        for text in [format!("sessionKey: {token}"), format!("sessionKey={token}")] {
            assert!(!redactor.redact(&text).contains(&token), "{text}");
        }
        let record = serde_json::json!({ "sessionKey": "q8Zt4kXwP2vL9sRb7nYd", "session_key": token });
        let (sealed, redactions) = redactor.seal(&record, &[]).unwrap();
        assert_eq!(sealed.get("sessionKey").unwrap().get(), "\"q8Zt4kXwP2vL9sRb7nYd\"");
        let redactions: Vec<_> = redactions.into_list().into_iter().map(|it| (it.field, it.rule, it.count)).collect();
        assert_eq!(redactions, [("session_key".to_owned(), "github-pat".to_owned(), 1)]);
    }

    #[test]
    fn a_field_is_allowed_with_everything_below_it() {
        let redactor = redactor("[[allow]]\nfield = 'patch.tabs'\nreason = 'names of tabs'\n").unwrap();
        let record = serde_json::json!({ "patch": { "tabs": [{ "password": "hunter22" }], "password": "hunter22" } });
        let (sealed, redactions) = redactor.seal(&record, &["patch"]).unwrap();
        let sealed = serde_json::to_string(&sealed).unwrap();
        assert!(sealed.contains(r#""tabs":[{"password":"hunter22"}]"#), "{sealed}");
        assert!(sealed.contains(r#""password":"[REDACTED:"#), "{sealed}");
        let fields: Vec<_> = redactions.into_list().into_iter().map(|it| it.field).collect();
        assert_eq!(fields, ["patch.password"]);
    }

    #[test]
    fn a_file_without_rules_is_valid() {
        for empty in ["", "# nothing yet\n", "rule = []"] {
            assert!(RuleFile::parse("f", empty.as_bytes()).unwrap() == RuleFile::default(), "{empty}");
        }
    }

    #[test]
    fn errors_name_the_file_and_the_rule_and_never_repeat_the_pattern() {
        let fine = rule("fine", "ab+");
        for (file, expected) in [
            (
                fine.clone() + &rule("other", "(hunter22"),
                "redaction.toml: the rule other is not a valid regular expression",
            ),
            (rule("big", "(hunter22){99999}"), "redaction.toml: the rule big is too large"),
            (rule("empty", ""), "redaction.toml: the rule empty has no pattern"),
            (rule("loose", "(hunter22)*"), "redaction.toml: the rule loose matches the empty text"),
            (fine.clone() + &rule("fine", "hunter22"), "redaction.toml: the rule fine is defined twice"),
            (fine.clone() + &rule("keyed-value", "hunter22"), "the rule keyed-value has the id of a built-in rule"),
            (rule("custom-pattern", "hunter22"), "the rule custom-pattern has the id of a built-in rule"),
            (fine.clone() + &rule("Hunter22", "x"), "redaction.toml: rule 2 has an invalid id"),
            (rule("", "hunter22"), "redaction.toml: rule 1 has an invalid id"),
            (rule(&"x".repeat(65), "hunter22"), "redaction.toml: rule 1 has an invalid id"),
            ("[[rule]]\npattern = 'hunter22'".into(), "redaction.toml: rule 1 has no id"),
            ("[[rule]]\nid = 'a'\npatern = 'hunter22'".into(), "the rule a has an unknown key patern; known: id,"),
            ("[[rule]]\nid = 'a'\n'(hunter22)' = 1".into(), "the rule a has an unknown key; known: id,"),
            ("[[rule]]\nid = 'a'\npattern = ['hunter22']".into(), "the rule a has a pattern that is not a string"),
            ("rules = 'hunter22'".into(), "redaction.toml: the file has an unknown key rules; known: rule"),
            ("[rule]\nid = 'hunter22'".into(), "redaction.toml: rule is not a list"),
            ("rule = ['hunter22']".into(), "redaction.toml: rule 1 is not a table"),
            ("\n\npattern = hunter22".into(), "redaction.toml: line 3 is not valid TOML"),
            (rule("a", "x") + "pattern = 'hunter22'", "redaction.toml: line 4 is not valid TOML"),
            ("[[rule]]\n".repeat(1001), "redaction.toml: the file has 1001 of [[rule]]; at most 1000 are read"),
            ("[[allow]]\nname = 'hunter22'".into(), "redaction.toml: allow 1 has no reason"),
            ("[[allow]]\nreason = 'hunter22'".into(), "redaction.toml: allow 1 allows everything"),
            ("[[allow]]\nreason = 'x'\ntag = 'hunter22'".into(), "redaction.toml: allow 1 has an invalid tag"),
            ("[[allow]]\nreason = 'x'\nnmae = 'hunter22'".into(), "allow 1 has an unknown key nmae; known: name,"),
            ("allow = 'hunter22'".into(), "redaction.toml: allow is not a list"),
            ("#".repeat(MAX_RULE_FILE_BYTES + 1), "redaction.toml: the file is too large"),
        ] {
            let error = redactor(&file).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Invalid, "{error}");
            assert!(error.message().contains(expected), "{expected}: {error}");
            assert!(!format!("{error:?}").to_lowercase().contains("hunter22"), "{error}");
        }
        assert!(RuleFile::parse("f", b"\xff").unwrap_err().message().contains("f: the file is not UTF-8"));
    }

    proptest! {
        #[test]
        fn no_file_makes_it_panic_or_repeat_a_pattern(
            lines in prop::collection::vec(
                prop_oneof![
                    Just("[[rule]]".to_owned()),
                    Just("[rule]".to_owned()),
                    Just("[[allow]]".to_owned()),
                    "(name|tag|reason) = '[a-z0-9]{0,10}'",
                    "(id|pattern|description|rule) = (\"[a-z]{0,3}\"|\\[|[0-9])",
                    // Errors repeat an id, but never a pattern.
                    "(pattern|description) = '\\(?hunter22'",
                    ".{0,9}",
                ],
                0..12,
            ),
        ) {
            if let Err(refused) = redactor(&lines.join("\n")) {
                prop_assert!(!format!("{refused:?}").contains("hunter22"), "{}", refused);
            }
        }
    }
}
