//! The state of the browser and how events change it. No I/O.

use chrono::{DateTime, Utc};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::entry::Entry;
use super::event::{Effect, Event, Failure, Filter};
use super::history::{Change, History, Inverse};
use super::line_edit::LineEdit;
use crate::human::items::fields::{SCOPES, TYPES};
use crate::human::items::item::Item;
use crate::human::items::layout::Recall;
use crate::session::text;

const STATUSES: &[&str] = &["active", "archived"];
/// How many items Page Up and Page Down move by.
const PAGE: usize = 10;

/// What keys do.
#[derive(Debug)]
pub(super) enum Mode {
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
    /// How many lines of the text are above the window.
    pub(super) scroll: u16,
}

/// The last message.
#[derive(Debug, Default)]
pub(super) struct Status {
    pub(super) text: String,
    pub(super) is_error: bool,
}

/// See the [module](self).
#[derive(Debug)]
pub(super) struct App {
    pub(super) mode: Mode,
    /// `None` until they are listed for the first time.
    pub(super) items: Option<Vec<Item>>,
    pub(super) selected: usize,
    pub(super) filter: Filter,
    pub(super) search: LineEdit,
    pub(super) status: Status,
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
}

impl App {
    /// The browser, and the effect with which it begins.
    pub(super) fn new(search: &str, scope: &'static str, now: DateTime<Utc>) -> (Self, Effect) {
        let filter = Filter { status: Some(STATUSES[0]), text: search.trim().to_owned(), ..Filter::default() };
        let app = App {
            mode: Mode::List,
            items: None,
            selected: 0,
            search: LineEdit::new(search),
            filter: filter.clone(),
            status: Status::default(),
            now,
            history: History::default(),
            scope,
            draft: None,
            wanted: None,
            prompt: String::new(),
        };
        (app, Effect::List(filter))
    }

    pub(super) fn selected(&self) -> Option<&Item> {
        self.items.as_ref()?.get(self.selected)
    }

    /// How many changes can be undone.
    pub(super) fn undoable(&self) -> usize {
        self.history.len()
    }

    /// Handles an event.
    pub(super) fn update(&mut self, event: Event) -> Vec<Effect> {
        match event {
            Event::Key(key) if key.kind == KeyEventKind::Release => Vec::new(),
            Event::Key(key) => self.press(key),
            Event::Paste(text) => self.paste(&text),
            Event::Redraw => Vec::new(),
            Event::Listed(items) => {
                self.list(items);
                Vec::new()
            }
            Event::Stored { change, before, item } => self.stored(change, before.as_ref(), item),
            Event::Unchanged => {
                self.mode = Mode::List;
                self.say("nothing changed");
                Vec::new()
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
                    (prompt.recall, prompt.scroll) = (Some(recall), 0);
                }
                Vec::new()
            }
            Event::Failed(failure) => {
                self.failed(&failure);
                Vec::new()
            }
            Event::Warned(warning) => {
                self.fail(&warning);
                Vec::new()
            }
        }
    }

    fn say(&mut self, text: &str) {
        self.status = Status { text: text.to_owned(), is_error: false };
    }

    fn fail(&mut self, text: &str) {
        self.status = Status { text: text.to_owned(), is_error: true };
    }

    fn failed(&mut self, failure: &Failure) {
        self.fail(&failure.message);
        if let Mode::Entry(entry) = &mut self.mode {
            entry.was_refused = failure.is_secret;
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
        items.sort_by(|one, other| text(&other.members, "updated_at").cmp(text(&one.members, "updated_at")));
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
        let done = format!("{what} {}: {}; u undoes it", item.kind(), item.label());
        self.say(&done);
        vec![self.reload()]
    }

    fn press(&mut self, key: KeyEvent) -> Vec<Effect> {
        if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
            return vec![Effect::Quit];
        }
        match &mut self.mode {
            Mode::List => self.press_in_list(key),
            Mode::Search => self.press_in_search(key),
            Mode::Entry(_) => self.press_in_entry(key),
            Mode::Prompt(_) => self.press_in_prompt(key),
            Mode::Help => {
                self.mode = Mode::List;
                Vec::new()
            }
        }
    }

    fn press_in_list(&mut self, key: KeyEvent) -> Vec<Effect> {
        self.status = Status::default();
        match key.code {
            KeyCode::Char('q') => return vec![Effect::Quit],
            KeyCode::Esc if self.filter.text.is_empty() => return vec![Effect::Quit],
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
        match key.code {
            KeyCode::Down | KeyCode::Char('j') => self.selected = (self.selected + 1).min(last),
            KeyCode::Up | KeyCode::Char('k') => self.selected = self.selected.saturating_sub(1),
            KeyCode::PageDown => self.selected = (self.selected + PAGE).min(last),
            KeyCode::PageUp => self.selected = self.selected.saturating_sub(PAGE),
            KeyCode::Home | KeyCode::Char('g') => self.selected = 0,
            KeyCode::End | KeyCode::Char('G') => self.selected = last,
            KeyCode::Char(key @ ('e' | 'E' | 'x')) => match (self.selected().cloned(), key) {
                (None, _) => self.say("no item is selected"),
                (Some(item), 'e') => self.mode = Mode::Entry(Entry::edit(item)),
                (Some(item), 'E') => return vec![Effect::OpenEditor(Some(item))],
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
                let kept = (entry.item.is_none() && entry.is_touched()).then(|| entry.clone());
                let notice = if kept.is_some() { "not stored; a continues with what you typed" } else { "" };
                self.draft = kept;
                self.mode = Mode::List;
                self.say(notice);
            }
            KeyCode::Enter => return self.save(false),
            _ if is_redacting && entry.was_refused => return self.save(true),
            _ => entry.press(key),
        }
        Vec::new()
    }

    fn save(&mut self, is_forced: bool) -> Vec<Effect> {
        let Mode::Entry(entry) = &self.mode else { return Vec::new() };
        let members = entry.members();
        match &entry.item {
            Some(item) => vec![Effect::Edit { item: item.clone(), wanted: members, is_forced }],
            None if members.contains_key("content") => vec![Effect::Add { draft: members, is_forced }],
            None => {
                self.fail("the content is empty; type it, or press Esc");
                Vec::new()
            }
        }
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
            KeyCode::Down => prompt.scroll = prompt.scroll.saturating_add(1),
            KeyCode::Up => prompt.scroll = prompt.scroll.saturating_sub(1),
            _ => {
                prompt.line.press(key);
            }
        }
        Vec::new()
    }

    fn paste(&mut self, text: &str) -> Vec<Effect> {
        let on_one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match &mut self.mode {
            Mode::Search => {
                self.search.insert(&on_one_line);
                return self.searched();
            }
            Mode::Prompt(prompt) => prompt.line.insert(&on_one_line),
            Mode::Entry(entry) => entry.paste(text),
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
