//! A form in which the fields of a record are filled in. No I/O.

use ratatui_crossterm::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde_json::Value;

use super::line_edit::LineEdit;
use crate::human::schema::{Field, Holds, Schema};
use crate::session::Members;

/// A value that is entered.
#[derive(Debug, Clone)]
pub(crate) enum Entered {
    Text(LineEdit),
    Choice { options: &'static [&'static str], at: usize },
}

/// A field of the form.
#[derive(Debug, Clone)]
pub(crate) struct FormField {
    key: &'static str,
    /// Its name on the screen.
    pub(crate) name: String,
    pub(crate) entered: Entered,
    holds: Holds,
    initial: String,
}

impl FormField {
    fn of(field: &'static Field, members: &Members) -> Self {
        let (name, initial) = match field.holds {
            Holds::List => (format!("{}s", field.option), field.list(members).join(", ")),
            _ => (field.option.to_owned(), field.text(members).to_owned()),
        };
        let entered = match field.holds {
            Holds::Word(options) => {
                Entered::Choice { options, at: options.iter().position(|it| *it == initial).unwrap_or(0) }
            }
            _ => Entered::Text(LineEdit::new(&initial)),
        };
        let mut field = FormField { key: field.key, name, entered, holds: field.holds, initial };
        // A value that is not one of the words is left unchanged.
        field.initial = field.text().to_owned();
        field
    }

    fn text(&self) -> &str {
        match &self.entered {
            Entered::Text(edit) => edit.text(),
            Entered::Choice { options, at } => options.get(*at).copied().unwrap_or_default(),
        }
    }

    fn value(&self) -> Value {
        match self.holds {
            // An element with a comma is kept as long as the list is not changed.
            Holds::List => self.text().split(',').map(str::trim).filter(|it| !it.is_empty()).collect(),
            Holds::Body => self.text().into(),
            Holds::Line | Holds::Word(_) => self.text().trim().into(),
        }
    }
}

/// See the [module](self).
#[derive(Debug, Clone)]
pub(crate) struct Form {
    pub(crate) fields: Vec<FormField>,
    /// The field with the cursor.
    pub(crate) at: usize,
    /// Whether it was refused because of a secret, so that it can be stored redacted.
    pub(crate) was_refused: bool,
}

impl Form {
    /// A form with these values. The body comes first.
    pub(crate) fn of(schema: &'static Schema, members: &Members) -> Self {
        let (bodies, others): (Vec<_>, Vec<_>) = schema.fields.iter().partition(|field| field.holds == Holds::Body);
        let fields = bodies.into_iter().chain(others).map(|field| FormField::of(field, members)).collect();
        Form { fields, at: 0, was_refused: false }
    }

    /// Adds a field whose value is one of some words.
    pub(crate) fn with_choice(mut self, at: usize, field: &'static Field, value: &str) -> Self {
        let members = Members::from_iter([(field.key.to_owned(), value.into())]);
        self.fields.insert(at.min(self.fields.len()), FormField::of(field, &members));
        self
    }

    /// The fields that were changed.
    pub(crate) fn changed(&self) -> Members {
        self.members(|field| field.text() != field.initial)
    }

    /// The fields that are filled in.
    pub(crate) fn filled(&self) -> Members {
        self.members(|field| !field.text().trim().is_empty())
    }

    fn members(&self, is_wanted: impl Fn(&FormField) -> bool) -> Members {
        let wanted = self.fields.iter().filter(|field| is_wanted(field));
        wanted.map(|field| (field.key.to_owned(), field.value())).collect()
    }

    /// Whether something was changed that is worth keeping.
    pub(crate) fn is_touched(&self) -> bool {
        self.fields.iter().any(|field| field.text() != field.initial)
    }

    pub(crate) fn press(&mut self, key: KeyEvent) {
        let count = self.fields.len();
        if let KeyCode::Up | KeyCode::Down = key.code
            && let Some(Entered::Text(edit)) = self.fields.get_mut(self.at).map(|field| &mut field.entered)
            && edit.go_to_line(key.code == KeyCode::Up)
        {
            return;
        }
        match key.code {
            KeyCode::Tab | KeyCode::Down => self.at = (self.at + 1) % count,
            KeyCode::BackTab | KeyCode::Up => self.at = (self.at + count - 1) % count,
            // A line by itself stores the form.
            KeyCode::Enter if key.modifiers.contains(KeyModifiers::ALT) => self.paste("\n"),
            code => match self.fields.get_mut(self.at).map(|field| &mut field.entered) {
                Some(Entered::Text(edit)) => {
                    edit.press(key);
                }
                Some(Entered::Choice { options, at }) => match code {
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

    pub(crate) fn paste(&mut self, pasted: &str) {
        if let Some(FormField { holds, entered: Entered::Text(edit), .. }) = self.fields.get_mut(self.at) {
            let pasted = pasted.replace("\r\n", "\n").replace('\r', "\n");
            edit.insert(&if *holds == Holds::Body { pasted } else { pasted.replace('\n', " ") });
        }
    }
}
