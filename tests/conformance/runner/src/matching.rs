//! Replaces names in a case, and matches results.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// The values of `${name}`.
pub(crate) type Names = HashMap<String, String>;

/// `text` with every `${name}` replaced.
pub(crate) fn replaced(text: &str, names: &Names) -> String {
    let mut out = text.to_owned();
    for (name, value) in names {
        out = out.replace(&format!("${{{name}}}"), value);
    }
    out
}

/// `value` with names replaced and `$repeat` and `$join` expanded.
pub(crate) fn expand(value: &Value, names: &Names) -> Value {
    match value {
        Value::String(text) => replaced(text, names).into(),
        Value::Array(items) => items.iter().map(|item| expand(item, names)).collect(),
        Value::Object(members) => match single(members) {
            Some(("$repeat", Value::Array(of))) => {
                let count = of.get(1).and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok());
                of.first().and_then(Value::as_str).unwrap_or_default().repeat(count.unwrap_or_default()).into()
            }
            Some(("$join", Value::Array(parts))) => parts.iter().filter_map(Value::as_str).collect::<String>().into(),
            _ => {
                Value::Object(members.iter().map(|(key, value)| (replaced(key, names), expand(value, names))).collect())
            }
        },
        other => other.clone(),
    }
}

fn single(members: &Map<String, Value>) -> Option<(&str, &Value)> {
    let mut all = members.iter();
    all.next().map(|(key, value)| (key.as_str(), value)).filter(|_| all.next().is_none())
}

/// How `found` differs from `expected`; `None` if it matches.
pub(crate) fn mismatch(expected: &Value, found: &Value, names: &Names) -> Option<String> {
    match expected {
        Value::Object(members) => match single(members) {
            Some(("$a", Value::String(kind))) => (!is_a(kind, found)).then(|| format!("{found} is no {kind}")),
            Some(("$holds", Value::String(part))) => {
                let part = replaced(part, names);
                let holds = found.as_str().is_some_and(|text| text.contains(&part));
                (!holds).then(|| format!("{found} does not hold {part:?}"))
            }
            _ => object(members, found, names),
        },
        Value::Array(items) => {
            let Some(others) = found.as_array().filter(|others| others.len() == items.len()) else {
                return Some(format!("expected {} items, got {found}", items.len()));
            };
            items.iter().zip(others).enumerate().find_map(|(index, (item, other))| {
                mismatch(item, other, names).map(|fault| format!("[{index}]{fault}"))
            })
        }
        plain => {
            let plain = expand(plain, names);
            (plain != *found).then(|| format!(": expected {plain}, got {found}"))
        }
    }
}

fn object(members: &Map<String, Value>, found: &Value, names: &Names) -> Option<String> {
    let Some(others) = found.as_object() else { return Some(format!(": expected an object, got {found}")) };
    let open = members.contains_key("...");
    if let Some(extra) = others.keys().find(|key| !open && !members.contains_key(*key)) {
        return Some(format!(".{extra} is there and should not be"));
    }
    members.iter().filter(|(key, _)| *key != "...").find_map(|(key, expected)| match others.get(key) {
        None => Some(format!(".{key} is missing")),
        Some(found) => mismatch(expected, found, names).map(|fault| format!(".{key}{fault}")),
    })
}

fn is_a(kind: &str, found: &Value) -> bool {
    if kind == "count" {
        return found.is_u64();
    }
    let Some(text) = found.as_str() else { return false };
    let hex = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    match kind {
        "string" => true,
        "sha256" => text.len() == 64 && hex(text),
        "commit" => text.len() == 40 && hex(text),
        "uuid" => {
            let groups: Vec<&str> = text.split('-').collect();
            groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12]) && groups.iter().all(|group| hex(group))
        }
        "time" => text.len() == 24 && text.ends_with('Z') && text.as_bytes()[10] == b'T' && text.as_bytes()[19] == b'.',
        other => panic!("the cases know no kind {other}"),
    }
}
