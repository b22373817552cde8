//! The state of the browser and how events change it. No I/O.

use std::collections::HashSet;
use std::mem::{Discriminant, discriminant};

use chrono::{DateTime, Utc};
use ratatui_crossterm::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::event::{Effect, Event, Failure, Filter};
use super::history::{Change, History, Inverse};
use crate::human::identified::Identified;
use crate::human::items::fields::{DEFAULT_TYPE, ITEM, SCOPE, SCOPES, TYPES, flat};
use crate::human::items::item::Item;
use crate::human::items::layout::Recall;
use crate::human::screen::{Keep, cut};
use crate::human::tui::draw::{Drawn, Status};
use crate::human::tui::form::Form;
use crate::human::tui::keys::is_plain;
use crate::human::tui::line_edit::LineEdit;
use crate::human::tui::pane::{PAGE, Scroll, selection};
use crate::human::tui::{Input, Left};
use crate::session::Members;

const STATUSES: &[&str] = &["active", "archived"];
/// The maximum width of an item in a message, so that a warning may follow.
const ITEM_COLUMNS: usize = 60;

/// What keys do.
#[derive(Debug, Default)]
pub(super) enum Mode {
    #[default]
    List,
    Search,
    Entry(Entry),
    Prompt(Prompt),
    Help,
}

/// A prompt, and what is recalled for it.
#[derive(Debug, Default)]
pub(super) struct Prompt {
    pub(super) line: LineEdit,
    pub(super) recall: Option<Recall>,
}

/// A form, and the item that is edited; `None` for a new one.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) item: Option<Item>,
    pub(super) form: Form,
}

impl Entry {
    fn add(scope: &str) -> Self {
        let defaults = Members::from_iter([("type".to_owned(), DEFAULT_TYPE.into())]);
        Entry { item: None, form: Form::of(&ITEM, &defaults).with_choice(2, &SCOPE, scope) }
    }

    fn edit(item: Item) -> Self {
        Entry { form: Form::of(&ITEM, &flat(&item)), item: Some(item) }
    }
}

/// See the [module](self).
#[derive(Debug, Default)]
pub(super) struct App {
    pub(super) mode: Mode,
    /// `None` until they are listed for the first time.
    pub(super) items: Option<Vec<Item>>,
    /// Whether none is listed only because of its status.
    pub(super) has_others: bool,
    pub(super) selected: usize,
    /// How far the text is scrolled: of the selected item, of the help, or of what is recalled.
    pub(super) scroll: Scroll,
    pub(super) filter: Filter,
    pub(super) search: LineEdit,
    pub(super) status: Status,
    /// A message that is shown until Esc dismisses it.
    pub(super) kept: Option<String>,
    pub(super) now: DateTime<Utc>,
    history: History,
    /// The scope of a new item.
    scope: &'static str,
    /// An item that was being added when the form was left.
    draft: Option<Entry>,
    /// The item to select as soon as it is listed.
    wanted: Option<String>,
    /// The last prompt, to begin the next one with.
    prompt: String,
    /// The warnings that were shown.
    warned: HashSet<String>,
    is_too_small: bool,
}

impl App {
    /// The browser, and the effect with which it begins.
    pub(super) fn new(search: &str, scope: &'static str, now: DateTime<Utc>) -> (Self, Effect) {
        let filter = Filter { status: Some(STATUSES[0]), text: search.trim().to_owned(), ..Filter::default() };
        let search = LineEdit::new(search);
        let app = App { search, filter: filter.clone(), now, scope, ..App::default() };
        (app, Effect::List(filter))
    }

    pub(super) fn selected(&self) -> Option<&Item> {
        self.items.as_ref()?.get(self.selected)
    }

    /// How many changes can be undone.
    pub(super) fn undoable(&self) -> usize {
        self.history.len()
    }

    /// Whether keys change nothing but the search.
    pub(super) fn is_typing(&self) -> bool {
        matches!(self.mode, Mode::Search)
    }

    /// Takes note of the screen that was drawn.
    pub(super) fn drawn(&mut self, drawn: Drawn) {
        self.scroll.limit(drawn.most_scroll);
        self.is_too_small = drawn.is_too_small;
    }

    /// Handles an event.
    pub(super) fn update(&mut self, event: Event) -> Vec<Effect> {
        let before = self.shown();
        let effects = self.handle(event);
        if self.shown() != before {
            self.scroll = Scroll::default();
        }
        effects
    }

    /// Which text is shown, so that another one is shown from its beginning.
    fn shown(&self) -> (Discriminant<Mode>, Option<String>) {
        (discriminant(&self.mode), self.selected().map(|item| item.id().to_owned()))
    }

    fn handle(&mut self, event: Event) -> Vec<Effect> {
        match event {
            Event::Input(Input::Key(key)) if key.kind == KeyEventKind::Release => Vec::new(),
            Event::Input(Input::Key(key)) => self.press(key),
            Event::Input(Input::Paste(text)) => self.paste(&text),
            Event::Input(Input::Redraw) => Vec::new(),
            Event::Input(Input::Warned(warning)) => {
                self.warn(warning);
                Vec::new()
            }
            Event::Listed { items, has_others } => {
                self.has_others = has_others;
                self.list(items);
                Vec::new()
            }
            Event::Stored { change, before, item } => self.stored(change, before.as_ref(), item),
            Event::Removed { item, entry } => {
                let label = cut(&item.label(), ITEM_COLUMNS, Keep::Start);
                let undo = if entry.is_some() { "; u undoes it" } else { "" };
                self.say(&format!("Forgot {}: {label}{undo}", item.kind()));
                if let Some(entry) = entry {
                    self.history.removed(&item, entry);
                }
                vec![self.reload()]
            }
            Event::Unchanged => {
                self.mode = Mode::List;
                self.say("nothing changed");
                vec![self.reload()]
            }
            Event::Undone { step, item } => {
                if let Some(item) = &item {
                    self.history.undone(&step, item);
                }
                self.say(match step.inverse {
                    Inverse::Remove => "undone: the new item is removed",
                    Inverse::Edit(_) => "undone: the item is as it was before the edit",
                    Inverse::Archive => "undone: the item is archived again",
                    Inverse::Restore => "undone: the item is active again",
                    Inverse::BringBack(_) => "undone: the item is back",
                });
                self.wanted = item.map(|item| item.id().to_owned());
                vec![self.reload()]
            }
            Event::UndoFailed { step, failure } => {
                if !failure.is_final {
                    self.history.put_back(step);
                }
                self.fail(&format!("not undone: {}", failure.message));
                vec![self.reload()]
            }
            Event::Recalled(recall) => {
                if let Mode::Prompt(prompt) = &mut self.mode {
                    prompt.recall = Some(recall);
                    self.scroll = Scroll::default();
                }
                Vec::new()
            }
            Event::Failed(failure) => {
                self.failed(&failure);
                if failure.is_stale { vec![self.reload()] } else { Vec::new() }
            }
        }
    }

    fn say(&mut self, text: &str) {
        self.status = Status { text: text.to_owned(), is_error: false };
    }

    fn fail(&mut self, text: &str) {
        self.status = Status { text: text.to_owned(), is_error: true };
    }

    /// Adds a warning to the last message. One that does not say what a call did is shown once.
    fn warn(&mut self, warning: String) {
        if self.status.is_error || self.warned.contains(&warning) {
            return;
        }
        let text = &mut self.status.text;
        text.push_str(if text.is_empty() { "" } else { "; " });
        text.push_str(&warning);
        if warning.starts_with("warning: ") {
            self.warned.insert(warning);
        }
    }

    fn failed(&mut self, failure: &Failure) {
        if failure.is_kept {
            self.kept = Some(failure.message.clone());
            return;
        }
        self.fail(&failure.message);
        if let Mode::Entry(entry) = &mut self.mode {
            entry.form.was_refused = failure.is_secret;
            if failure.is_secret {
                self.status.text.push_str("; Ctrl-R stores it redacted");
            }
        }
    }

    fn reload(&self) -> Effect {
        Effect::List(self.filter.clone())
    }

    fn list(&mut self, mut items: Vec<Item>) {
        let kept = self.wanted.take().or_else(|| Some(self.selected()?.id().to_owned()));
        items.reverse();
        // Newest first; a stable sort, so that of equal times the one that was added last comes first.
        items.sort_by(|one, other| other.updated_at.cmp(&one.updated_at));
        let place = kept.and_then(|id| items.iter().position(|item| item.id() == id));
        self.selected = place.unwrap_or(self.selected).min(items.len().saturating_sub(1));
        self.items = Some(items);
    }

    fn stored(&mut self, change: Change, before: Option<&Item>, item: Item) -> Vec<Effect> {
        self.history.record(change, before, &item);
        let what = match change {
            Change::Added => "Stored",
            Change::Edited => "Changed",
            Change::Archived => "Archived",
            Change::Restored => "Restored",
        };
        if matches!(change, Change::Added | Change::Edited) {
            if change == Change::Added {
                self.draft = None;
            }
            self.mode = Mode::List;
            self.wanted = Some(item.id().to_owned());
        }
        let label = cut(&item.label(), ITEM_COLUMNS, Keep::Start);
        let done = format!("{what} {}: {label}; u undoes it", item.kind());
        self.say(&done);
        vec![self.reload()]
    }

    fn press(&mut self, key: KeyEvent) -> Vec<Effect> {
        if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
            return vec![Effect::Leave(Left::Quit)];
        }
        // What a key does cannot be seen.
        if self.is_too_small {
            return Vec::new();
        }
        match &mut self.mode {
            Mode::List | Mode::Help if !is_plain(key) => Vec::new(),
            Mode::List => self.press_in_list(key),
            Mode::Search => self.press_in_search(key),
            Mode::Entry(_) => self.press_in_entry(key),
            Mode::Prompt(_) => self.press_in_prompt(key),
            Mode::Help => self.press_in_help(key),
        }
    }

    fn press_in_help(&mut self, key: KeyEvent) -> Vec<Effect> {
        match key.code {
            KeyCode::Char('j' | 'J') => self.scroll.down(1),
            KeyCode::Char('k' | 'K') => self.scroll.up(1),
            code if self.scroll_by(code) => {}
            _ => self.mode = Mode::List,
        }
        Vec::new()
    }

    /// Scrolls if `key` does so in a text, and returns whether it does.
    fn scroll_by(&mut self, key: KeyCode) -> bool {
        match key {
            KeyCode::Down => self.scroll.down(1),
            KeyCode::Up => self.scroll.up(1),
            KeyCode::PageDown => self.scroll.down(PAGE),
            KeyCode::PageUp => self.scroll.up(PAGE),
            _ => return false,
        }
        true
    }

    fn press_in_list(&mut self, key: KeyEvent) -> Vec<Effect> {
        let was_error = std::mem::take(&mut self.status).is_error;
        match key.code {
            KeyCode::Char('q') => return vec![Effect::Leave(Left::Back)],
            KeyCode::Esc if self.kept.is_some() => self.kept = None,
            KeyCode::Esc if was_error => {}
            KeyCode::Esc if self.filter.text.is_empty() => return vec![Effect::Leave(Left::Back)],
            KeyCode::Esc => return self.search_for(""),
            KeyCode::Char('/') => self.mode = Mode::Search,
            KeyCode::Char('?') | KeyCode::F(1) => self.mode = Mode::Help,
            KeyCode::Char('r') => return vec![self.reload()],
            KeyCode::Char('s') => return self.narrow(|filter| cycle(&mut filter.scope, SCOPES)),
            KeyCode::Char('t') => return self.narrow(|filter| cycle(&mut filter.kind, TYPES)),
            KeyCode::Char('v') => return self.narrow(|filter| cycle(&mut filter.status, STATUSES)),
            KeyCode::Char('p') => {
                self.mode = Mode::Prompt(Prompt { line: LineEdit::new(&self.prompt), ..Prompt::default() });
            }
            KeyCode::Char('a') => {
                let scope = self.filter.scope.unwrap_or(self.scope);
                self.mode = Mode::Entry(self.draft.take().unwrap_or_else(|| Entry::add(scope)));
            }
            KeyCode::Char('A') => return vec![Effect::OpenEditor(None)],
            KeyCode::Char('u') => match self.history.pop() {
                Some(step) => return vec![Effect::Undo(step)],
                None => self.say("nothing to undo"),
            },
            _ => return self.press_on_item(key),
        }
        Vec::new()
    }

    fn press_on_item(&mut self, key: KeyEvent) -> Vec<Effect> {
        let last = self.items.as_ref().map_or(0, Vec::len).saturating_sub(1);
        if let Some(selected) = selection(key.code, self.selected, last) {
            self.selected = selected;
            return Vec::new();
        }
        match key.code {
            KeyCode::Char('J') => self.scroll.down(1),
            KeyCode::Char('K') => self.scroll.up(1),
            KeyCode::Char(key @ ('e' | 'E' | 'x' | 'd')) => match (self.selected().cloned(), key) {
                (None, _) => self.say("no item is selected"),
                (Some(item), 'e') => self.mode = Mode::Entry(Entry::edit(item)),
                (Some(item), 'E') => return vec![Effect::OpenEditor(Some(item))],
                (Some(item), 'd') => return vec![Effect::Remove(item)],
                (Some(item), _) if item.is_archived() => return vec![Effect::Restore(item)],
                (Some(item), _) => return vec![Effect::Archive(item)],
            },
            _ => {}
        }
        Vec::new()
    }

    fn press_in_search(&mut self, key: KeyEvent) -> Vec<Effect> {
        match key.code {
            KeyCode::Enter | KeyCode::Down | KeyCode::Tab => self.mode = Mode::List,
            KeyCode::Esc => {
                self.mode = Mode::List;
                return self.search_for("");
            }
            _ => {
                self.search.press(key);
                return self.searched();
            }
        }
        Vec::new()
    }

    fn search_for(&mut self, text: &str) -> Vec<Effect> {
        self.search = LineEdit::new(text);
        self.searched()
    }

    /// Lists what matches, if the text has changed.
    fn searched(&mut self) -> Vec<Effect> {
        let text = self.search.text().trim().to_owned();
        if text == self.filter.text { Vec::new() } else { self.narrow(|filter| filter.text = text) }
    }

    fn narrow(&mut self, change: impl FnOnce(&mut Filter)) -> Vec<Effect> {
        change(&mut self.filter);
        vec![self.reload()]
    }

    fn press_in_entry(&mut self, key: KeyEvent) -> Vec<Effect> {
        let Mode::Entry(entry) = &mut self.mode else { return Vec::new() };
        let is_redacting = key.code == KeyCode::Char('r') && key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => {
                let kept = (entry.item.is_none() && entry.form.is_touched()).then(|| entry.clone());
                let notice = if kept.is_some() { "not stored; a continues with what you typed" } else { "" };
                self.draft = kept;
                self.mode = Mode::List;
                self.say(notice);
            }
            KeyCode::Enter if !key.modifiers.contains(KeyModifiers::ALT) => return self.save(false),
            _ if is_redacting && entry.form.was_refused => return self.save(true),
            _ => entry.form.press(key),
        }
        Vec::new()
    }

    fn save(&mut self, is_forced: bool) -> Vec<Effect> {
        let Mode::Entry(entry) = &self.mode else { return Vec::new() };
        if let Some(item) = &entry.item {
            return vec![Effect::Edit { item: item.clone(), wanted: entry.form.changed(), is_forced }];
        }
        let draft = entry.form.filled();
        if draft.contains_key("content") {
            return vec![Effect::Add { draft, is_forced }];
        }
        self.fail("the content is empty; type it, or press Esc");
        Vec::new()
    }

    fn press_in_prompt(&mut self, key: KeyEvent) -> Vec<Effect> {
        let Mode::Prompt(prompt) = &mut self.mode else { return Vec::new() };
        match key.code {
            KeyCode::Esc => {
                self.prompt = prompt.line.text().to_owned();
                self.mode = Mode::List;
                self.status = Status::default();
            }
            KeyCode::Enter if !prompt.line.text().trim().is_empty() => {
                let asked = prompt.line.text().trim().to_owned();
                self.status = Status::default();
                return vec![Effect::Recall(asked)];
            }
            code => {
                if !prompt.line.press(key) {
                    self.scroll_by(code);
                }
            }
        }
        Vec::new()
    }

    fn paste(&mut self, text: &str) -> Vec<Effect> {
        if self.is_too_small {
            return Vec::new();
        }
        let on_one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match &mut self.mode {
            Mode::Search => {
                self.search.insert(&on_one_line);
                return self.searched();
            }
            Mode::Prompt(prompt) => prompt.line.insert(&on_one_line),
            Mode::Entry(entry) => entry.form.paste(text),
            Mode::List | Mode::Help => {}
        }
        Vec::new()
    }
}

/// The next of `options`; none behind the last.
fn cycle(value: &mut Option<&'static str>, options: &[&'static str]) {
    *value = match value.and_then(|value| options.iter().position(|it| *it == value)) {
        None => options.first().copied(),
        Some(at) => options.get(at + 1).copied(),
    };
}
