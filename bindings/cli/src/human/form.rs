//! A record as editable text: a TOML header between two lines `+++`, followed by the body. No I/O.

use loopmem::{Error, Result};
use serde_json::Value;

use crate::human::schema::{Field, Holds, Schema};
use crate::session::Members;

const FENCE: &str = "+++";

/// Formats a record; `comment` explains it.
pub(crate) fn write(schema: &Schema, members: &Members, comment: &str) -> String {
    let mut out = format!("{FENCE}\n");
    for line in comment.lines() {
        out.push_str(&format!("# {line}\n"));
    }
    for field in header(schema) {
        let value = match field.holds {
            Holds::List => format!("[{}]", field.list(members).into_iter().map(quoted).collect::<Vec<_>>().join(", ")),
            Holds::Word(words) => format!("{}  # {}", quoted(field.text(members)), words.join(", ")),
            _ => quoted(field.text(members)),
        };
        out.push_str(&format!("{} = {value}\n", field.key));
    }
    out.push_str(&format!("{FENCE}\n\n{}\n", schema.body().text(members).trim_end()));
    out
}

/// Parses such text. Fields missing from the header are not among the members; text without a header is all body.
///
/// # Errors
/// `ValidationError` that gives the position of the mistake and never quotes it.
pub(crate) fn read(schema: &Schema, form: &str) -> Result<Members> {
    let form = form.trim_start_matches('\u{feff}');
    let mut members = Members::new();
    let mut body = form;
    if form.lines().next().is_some_and(|line| line.trim_end() == FENCE) {
        let (toml, rest) = split(form)?;
        members = read_header(schema, toml)?;
        body = rest;
    }
    members.insert(schema.body().key.to_owned(), trimmed(body).into());
    Ok(members)
}

/// A body without leading and trailing empty lines, which editors add and remove.
pub(crate) fn trimmed(body: &str) -> &str {
    let body = body.trim_end();
    let indented = body.split_inclusive('\n').skip_while(|line| line.trim().is_empty()).map(str::len).sum::<usize>();
    &body[body.len() - indented..]
}

/// Splits off the header, with an empty line in place of the first fence so that line numbers are correct.
fn split(form: &str) -> Result<(&str, &str)> {
    let mut at = form.find('\n').map_or(form.len(), |end| end + 1);
    let start = at - usize::from(at > 0 && form[..at].ends_with('\n'));
    for line in form[at..].split_inclusive('\n') {
        if line.trim_end() == FENCE {
            return Ok((&form[start..at], &form[at + line.len()..]));
        }
        at += line.len();
    }
    Err(Error::validation("the header is not closed by a line `+++`"))
}

fn read_header(schema: &Schema, header_text: &str) -> Result<Members> {
    let table: toml::Table = header_text.parse().map_err(|mistake: toml::de::Error| {
        let before = mistake.span().and_then(|span| header_text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        // The line may contain a secret.
        Error::validation(format!("line {line} is not valid TOML; put strings in quotes and lists in brackets"))
    })?;
    let mut members = Members::new();
    for (key, value) in table {
        let Some(field) = header(schema).find(|field| field.key == key) else {
            let keys: Vec<_> = header(schema).map(|field| field.key).collect();
            return Err(Error::validation(format!(
                "the header contains a key that {} does not have; its keys are {}",
                schema.noun,
                keys.join(", ")
            )));
        };
        let expected = |what: &str| Error::validation(format!("{}: expected {what}", field.key));
        let value = match (field.holds, value) {
            (Holds::List, toml::Value::Array(list)) => {
                let texts = list.into_iter().map(|it| it.as_str().map(Value::from)).collect::<Option<Vec<_>>>();
                texts.map(Value::from).ok_or_else(|| expected("a list of strings, such as [\"one\", \"two\"]"))?
            }
            (Holds::List, _) => return Err(expected("a list of strings, such as [\"one\", \"two\"]")),
            (Holds::Word(words), toml::Value::String(word)) if words.contains(&word.as_str()) => word.into(),
            (Holds::Word(words), _) => return Err(expected(&format!("one of {}, in quotes", words.join(", ")))),
            (_, toml::Value::String(text)) => text.into(),
            _ => return Err(expected("a string in quotes")),
        };
        members.insert(key, value);
    }
    Ok(members)
}

fn header(schema: &Schema) -> impl Iterator<Item = &'static Field> {
    schema.fields.iter().filter(|field| field.holds != Holds::Body)
}

/// JSON strings are valid TOML, except that TOML requires DEL to be escaped.
fn quoted(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::human::record::KINDS;
    use serde_json::json;

    const CONVENTION: &Schema = &KINDS[0].schema;
    const DECISION: &Schema = &KINDS[1].schema;
    const NOTE: &Schema = &KINDS[2].schema;

    fn members(value: Value) -> Members {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn what_was_written_is_read_again() {
        let awkward = "\"+++\" \\ # = [日本]\n\t\u{7f}\u{1}\r\n'''";
        let records = [
            (CONVENTION, json!({"title": awkward, "tags": [awkward, "", "a, b"], "content": "a\n\n+++\n# b"})),
            (DECISION, json!({"summary": "", "impactedPaths": [], "rationale": "  indented\nx"})),
            (NOTE, json!({"source": "tool", "tags": [], "content": "+++ no header"})),
            (NOTE, json!({"source": "agent", "tags": ["x"], "content": ""})),
        ];
        for (kind, record) in records {
            let record = members(record);
            let form = write(kind, &record, "A comment\nof two lines.");
            assert_eq!(read(kind, &form).unwrap(), record, "{form}");
            assert_eq!(
                read(kind, &form.replace("\"\n", "\"\r\n").replace("+++\n", "+++\r\n")).unwrap().len(),
                record.len()
            );
        }
    }

    #[test]
    fn text_without_a_header_is_all_body() {
        assert_eq!(read(NOTE, "\n\n  one\ntwo\n\n").unwrap(), members(json!({"content": "  one\ntwo"})));
        assert_eq!(read(NOTE, "++++\n").unwrap(), members(json!({"content": "++++"})));
    }

    #[test]
    fn a_mistake_is_reported_by_position_without_quoting_it() {
        for (form, expected) in [
            ("+++\ntitle = \"a\"\ntags = hunter2\n+++\n", "line 3 is not valid TOML"),
            ("+++\ntitle = \"hunter2\n+++\nbody", "line 2 is not valid TOML"),
            ("+++\ntitle = \"a\"\n", "the header is not closed by a line `+++`"),
            ("+++", "the header is not closed by a line `+++`"),
            ("+++\nhunter2 = 1\n+++\n", "a key that a convention does not have; its keys are title, tags"),
            ("+++\ncontent = \"hunter2\"\n+++\n", "its keys are title, tags"),
            ("+++\ntags = \"hunter2\"\n+++\n", "tags: expected a list"),
            ("+++\ntags = [1]\n+++\n", "tags: expected a list"),
            ("+++\ntitle = 5\n+++\n", "title: expected a string in quotes"),
        ] {
            let error = read(CONVENTION, form).unwrap_err().to_string();
            assert!(error.contains(expected) && !error.contains("hunter2"), "{form}: {error}");
        }
        let error = read(NOTE, "+++\nsource = \"me\"\n+++\n").unwrap_err().to_string();
        assert!(error.contains("one of manual, agent, tool"), "{error}");
    }
}
