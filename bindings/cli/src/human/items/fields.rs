//! The fields of an item that people fill in: as options, in the editor's form, and as params of the methods. No I/O.

use loopmem::items::{Item, RelevanceHints};
use serde_json::{Value, json};

use crate::human::schema::{Field, Holds, Schema, field};
use crate::session::Members;

/// The types of items.
pub(crate) const TYPES: &[&str] = &["pref", "fact", "instruction", "profile", "note"];
/// The type of an item for which none is given.
pub(crate) const DEFAULT_TYPE: &str = "note";
/// The scopes of items.
pub(crate) const SCOPES: &[&str] = &["repo", "dir", "global"];
/// The scope of a new item, which cannot be changed afterwards.
pub(crate) static SCOPE: Field = field("scope", "scope", Holds::Word(SCOPES), "Where it applies");
/// The keys of hints, which the form shows as fields of their own.
const HINTS: [&str; 3] = ["files", "crates", "langs"];

/// The fields of an item, flat: its hints are beside the others.
pub(crate) static ITEM: Schema = Schema { name: "item", noun: "an item", fields: FIELDS };

const FIELDS: &[Field] = &[
    field("type", "type", Holds::Word(TYPES), "What kind of memory it is"),
    field("tags", "tag", Holds::List, "A tag to find it by; may be repeated"),
    field("expiry", "expiry", Holds::Line, "When it expires: an RFC 3339 time, or a duration from now such as 30d"),
    field("files", "file", Holds::List, "A file or folder that it is about; may be repeated"),
    field("crates", "crate", Holds::List, "A package that it is about; may be repeated"),
    field("langs", "lang", Holds::List, "A programming language that it is about; may be repeated"),
    field("content", "content", Holds::Body, "The memory, in one or a few sentences"),
];

/// The fields that hold hints.
pub(crate) fn hints() -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().filter(|field| HINTS.contains(&field.key))
}

/// The fields of a stored item, as the form shows them.
pub(crate) fn flat(item: &Item) -> Members {
    let RelevanceHints { files, crates, langs, .. } = &item.relevance_hints;
    let fields = [
        ("type", json!(item.item_type)),
        ("tags", json!(item.tags)),
        ("expiry", json!(item.expiry.as_deref().unwrap_or_default())),
        ("files", json!(files)),
        ("crates", json!(crates)),
        ("langs", json!(langs)),
        ("content", json!(item.content)),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Those of `wanted` that differ from the fields of a stored item.
pub(crate) fn changed(wanted: Members, before: &Members) -> Members {
    let is_so = |key: &str, value: &Value| match (value.as_str(), before.get(key).and_then(Value::as_str)) {
        (Some(new), Some(old)) => new.trim() == old.trim(),
        _ => before.get(key) == Some(value),
    };
    wanted.into_iter().filter(|(key, value)| !is_so(key, value)).collect()
}

/// The fields as a method takes them: hints together, which replace all hints that `before` has.
pub(crate) fn nested(mut fields: Members, before: &Members) -> Members {
    if HINTS.iter().any(|key| fields.contains_key(*key)) {
        let hints = HINTS.iter().filter_map(|key| {
            let value = fields.remove(*key).or_else(|| before.get(*key).cloned())?;
            Some(((*key).to_owned(), value))
        });
        let hints: Members = hints.collect();
        fields.insert("relevance_hints".to_owned(), hints.into());
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::human::form;

    fn members(value: Value) -> Members {
        value.as_object().unwrap().clone()
    }

    fn item(more: Value) -> Item {
        let mut all = members(json!({"id": "i", "type": "fact", "content": "Port 8443.", "scope": "repo",
            "status": "active", "created_at": "", "updated_at": ""}));
        all.extend(members(more));
        serde_json::from_value(all.into()).unwrap()
    }

    #[test]
    fn the_form_of_an_item_says_what_it_contains() {
        let item = item(json!({"tags": ["net"], "relevance_hints": {"files": ["a.rs"]},
            "expiry": "2026-01-01T00:00:00.000Z"}));
        let written = form::write(&ITEM, &flat(&item), "An item.");
        assert_eq!(form::read(&ITEM, &written).unwrap(), flat(&item), "{written}");
        assert!(changed(form::read(&ITEM, &written).unwrap(), &flat(&item)).is_empty());
    }

    #[test]
    fn a_change_of_one_hint_keeps_the_others() {
        let before = flat(&item(json!({"content": "", "relevance_hints": {"files": ["a.rs"], "langs": ["rust"]}})));
        let patch = nested(changed(members(json!({"langs": ["go"], "content": ""})), &before), &before);
        assert_eq!(Value::from(patch), json!({"relevance_hints": {"files": ["a.rs"], "crates": [], "langs": ["go"]}}));
    }
}
