//! Changes a text of TOML, all of which stays as it is but for one value.

use loopmem::{Error, Result};
use serde_json::Value;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike};

use super::jsonc::There;

/// A text that can be changed.
pub(super) struct Document {
    root: DocumentMut,
    /// Whether lines end as on Windows. The library writes them otherwise.
    has_crlf: bool,
    /// Whether the last line ends. The library ends it.
    ends_line: bool,
}

impl Document {
    /// # Errors
    /// `ValidationError` that says where the text cannot be read.
    pub(super) fn read(text: &str) -> Result<Self> {
        let root = text.parse::<DocumentMut>().map_err(|cause| Error::validation(cause.message().to_owned()))?;
        let document =
            Document { root, has_crlf: text.contains("\r\n"), ends_line: text.is_empty() || text.ends_with('\n') };
        if document.text() == text {
            Ok(document)
        } else {
            Err(Error::validation("it mixes line endings: CRLF and LF"))
        }
    }

    pub(super) fn text(&self) -> String {
        let mut text = self.root.to_string().replace("\r\n", "\n");
        if !self.ends_line && text.ends_with('\n') {
            text.pop();
        }
        if self.has_crlf { text.replace('\n', "\r\n") } else { text }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.root.to_string().trim().is_empty()
    }

    /// What is the entry `name` of tables, one in the other.
    ///
    /// # Errors
    /// `ValidationError` if something else than tables is on the way.
    pub(super) fn entry(&self, path: &[&str], name: &str, is_ours: impl Fn(&Value) -> bool) -> Result<There> {
        let mut table: &dyn TableLike = self.root.as_table();
        for step in path {
            let Some(item) = table.get(step) else { return Ok(There::Nothing) };
            table = item.as_table_like().ok_or_else(|| not_a_table(step))?;
        }
        Ok(match table.get(name).map(as_json) {
            None => There::Nothing,
            Some(value) if is_ours(&value) => There::Ours(value),
            Some(_) => There::Other,
        })
    }

    /// Sets an entry: an object becomes a table.
    ///
    /// # Errors
    /// As [`entry`](Self::entry).
    pub(super) fn set(&mut self, path: &[&str], name: &str, value: &Value) -> Result<()> {
        let mut table: &mut dyn TableLike = self.root.as_table_mut();
        for step in path {
            let new = || {
                let mut table = Table::new();
                // Only its tables are written.
                table.set_implicit(true);
                Item::Table(table)
            };
            table = table.entry(step).or_insert_with(new).as_table_like_mut().ok_or_else(|| not_a_table(step))?;
        }
        let new = match value {
            Value::Object(members) => {
                let mut new = Table::new();
                members.iter().for_each(|(name, value)| drop(new.insert(name, Item::Value(as_toml(value)))));
                Item::Table(new)
            }
            value => Item::Value(as_toml(value)),
        };
        match table.get_mut(name) {
            Some(there) => *there = new,
            None => drop(table.insert(name, new)),
        }
        Ok(())
    }

    /// Removes an entry, and the tables that are empty then.
    ///
    /// # Errors
    /// As [`entry`](Self::entry).
    pub(super) fn remove(&mut self, path: &[&str], name: &str) -> Result<()> {
        let mut comments = String::new();
        let names: Vec<&str> = path.iter().copied().chain([name]).collect();
        for depth in (0..names.len()).rev() {
            let mut table: &mut dyn TableLike = self.root.as_table_mut();
            for step in &names[..depth] {
                let Some(item) = table.get_mut(step) else { return Ok(()) };
                table = item.as_table_like_mut().ok_or_else(|| not_a_table(step))?;
            }
            let is_innermost = depth == names.len() - 1;
            // One with a header was there before.
            let is_empty = |item: &Item| item.as_table().is_some_and(|table| table.is_empty() && table.is_implicit());
            if is_innermost || table.get(names[depth]).is_some_and(is_empty) {
                // What was written above it is about more than the entry.
                let above =
                    table.get(names[depth]).and_then(Item::as_table).and_then(|it| it.decor().prefix()?.as_str());
                comments.insert_str(0, above.filter(|above| above.contains('#')).unwrap_or_default());
                table.remove(names[depth]);
            }
        }
        if !comments.is_empty() {
            let rest = self.root.trailing().as_str().unwrap_or_default();
            let trailing = format!("{comments}{rest}");
            self.root.set_trailing(trailing);
        }
        Ok(())
    }
}

fn not_a_table(name: &str) -> Error {
    Error::validation(format!("its entry {name} is not a table"))
}

/// An entry as JSON, as far as entries of ours have it.
fn as_json(item: &Item) -> Value {
    if let Some(table) = item.as_table_like() {
        return table.iter().map(|(name, item)| (name.to_owned(), as_json(item))).collect();
    }
    match item.as_value() {
        Some(toml_edit::Value::String(text)) => Value::from(text.value().as_str()),
        Some(toml_edit::Value::Boolean(value)) => Value::from(*value.value()),
        Some(toml_edit::Value::Integer(number)) => Value::from(*number.value()),
        Some(toml_edit::Value::Array(list)) => list.iter().map(|it| as_json(&Item::Value(it.clone()))).collect(),
        _ => Value::Null,
    }
}

fn as_toml(value: &Value) -> toml_edit::Value {
    match value {
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => number.as_i64().unwrap_or_default().into(),
        Value::String(text) => text.as_str().into(),
        Value::Array(list) => list.iter().map(as_toml).collect::<Array>().into(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name, as_toml(value))).collect::<InlineTable>().into()
        }
        Value::Null => "".into(),
    }
}
