//! The form in which an item is added or edited. No I/O.

use ratatui_crossterm::crossterm::event::{KeyCode, KeyEvent};
use serde_json::Value;

use super::line_edit::LineEdit;
use crate::human::identified::Identified;
use crate::human::items::fields::{DEFAULT_TYPE, SCOPES, TYPES};
use crate::human::items::item::Item;
use crate::session::Members;

/// A value that is entered.
#[derive(Debug, Clone)]
pub(super) enum Input {
    Text(LineEdit),
    Choice { options: &'static [&'static str], at: usize },
}

/// A field of the form.
#[derive(Debug, Clone)]
pub(super) struct EntryField {
    pub(super) key: &'static str,
    pub(super) input: Input,
    initial: String,
}

impl EntryField {
    fn text(key: &'static str, initial: &str) -> Self {
        EntryField { key, input: Input::Text(LineEdit::new(initial)), initial: initial.to_owned() }
    }

    fn choice(key: &'static str, options: &'static [&'static str], initial: &str) -> Self {
        let at = options.iter().position(|it| *it == initial).unwrap_or(0);
        EntryField { key, input: Input::Choice { options, at }, initial: initial.to_owned() }
    }

    pub(super) fn value(&self) -> &str {
        match &self.input {
            Input::Text(edit) => edit.text(),
            Input::Choice { options, at } => options.get(*at).copied().unwrap_or_default(),
        }
    }
}

/// See the [module](self).
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// The item that is edited; `None` for a new one.
    pub(super) item: Option<Item>,
    pub(super) fields: Vec<EntryField>,
    /// The field with the cursor.
    pub(super) at: usize,
    /// Whether it was refused because of a secret, so that it can be stored redacted.
    pub(super) was_refused: bool,
}

impl Entry {
    /// An empty form for an item of this scope.
    pub(super) fn add(scope: &str) -> Self {
        let fields = vec![
            EntryField::text("content", ""),
            EntryField::choice("type", TYPES, DEFAULT_TYPE),
            EntryField::choice("scope", SCOPES, scope),
            EntryField::text("tags", ""),
            EntryField::text("expiry", ""),
        ];
        Entry { item: None, fields, at: 0, was_refused: false }
    }

    /// The form of a stored item.
    pub(super) fn edit(item: Item) -> Self {
        let fields = vec![
            EntryField::text("content", &item.content),
            EntryField::choice("type", TYPES, item.kind()),
            EntryField::text("tags", &item.tags.join(", ")),
            EntryField::text("expiry", item.expiry.as_deref().unwrap_or_default()),
        ];
        Entry { item: Some(item), fields, at: 0, was_refused: false }
    }

    /// The fields that were filled in or changed.
    pub(super) fn members(&self) -> Members {
        let is_wanted = |field: &&EntryField| match &self.item {
            Some(_) => field.value() != field.initial,
            None => !field.value().trim().is_empty(),
        };
        let value = |field: &EntryField| match field.key {
            // A tag with a comma is kept as long as the tags are not changed.
            "tags" => field.value().split(',').map(str::trim).filter(|it| !it.is_empty()).collect::<Value>(),
            "content" => field.value().into(),
            _ => field.value().trim().into(),
        };
        self.fields.iter().filter(is_wanted).map(|field| (field.key.to_owned(), value(field))).collect()
    }

    /// Whether something was filled in or changed that is worth keeping.
    pub(super) fn is_touched(&self) -> bool {
        self.fields.iter().any(|field| field.value() != field.initial)
    }

    pub(super) fn press(&mut self, key: KeyEvent) {
        let count = self.fields.len();
        match key.code {
            KeyCode::Tab | KeyCode::Down => self.at = (self.at + 1) % count,
            KeyCode::BackTab | KeyCode::Up => self.at = (self.at + count - 1) % count,
            code => match self.fields.get_mut(self.at).map(|field| &mut field.input) {
                Some(Input::Text(edit)) => {
                    edit.press(key);
                }
                Some(Input::Choice { options, at }) => match code {
                    KeyCode::Right | KeyCode::Char(' ') => *at = (*at + 1) % options.len(),
                    KeyCode::Left => *at = (*at + options.len() - 1) % options.len(),
                    KeyCode::Char(first) => {
                        *at = options.iter().position(|it| it.starts_with(first)).unwrap_or(*at);
                    }
                    _ => {}
                },
                None => {}
            },
        }
    }

    pub(super) fn paste(&mut self, pasted: &str) {
        if let Some(EntryField { key, input: Input::Text(edit), .. }) = self.fields.get_mut(self.at) {
            let pasted = pasted.replace("\r\n", "\n").replace('\r', "\n");
            edit.insert(&if *key == "content" { pasted } else { pasted.replace('\n', " ") });
        }
    }
}
