//! The state of the browser and how events change it. No I/O.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use loopmem::search::Hit;
use ratatui_crossterm::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::event::{Effect, Event, Known, Opens, Place, Row, Step, key_of};
use super::room::{Page, Shown};
use crate::human::tui::draw::{Drawn, Status};
use crate::human::tui::form::Form;
use crate::human::tui::keys::is_plain;
use crate::human::tui::line_edit::LineEdit;
use crate::human::tui::pane::{PAGE, Scroll, selection};
use crate::human::tui::{Input, Left};

/// What keys do.
#[derive(Debug, Default)]
pub(super) enum Mode {
    #[default]
    List,
    Search,
    /// A record on the whole screen.
    Read,
    /// A record that is edited.
    Edit(Box<Hit>, Form),
    /// A page, for what is typed.
    Page(Known, &'static Page, LineEdit, Option<Shown>),
    Help,
}

/// A list, and where it was left.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) place: Place,
    /// `None` until they are listed for the first time.
    pub(super) rows: Option<Vec<Row>>,
    /// The text for which they were listed.
    listed_for: String,
    pub(super) selected: usize,
    pub(super) search: LineEdit,
    /// The place that was left for this one.
    left: Option<Place>,
    /// The key of the record that is selected when it is listed next.
    wanted: Option<String>,
}

impl Level {
    fn at(place: Place) -> Self {
        Level {
            place,
            rows: None,
            listed_for: String::new(),
            selected: 0,
            search: LineEdit::default(),
            left: None,
            wanted: None,
        }
    }

    fn selected(&self) -> Option<&Row> {
        self.rows.as_ref()?.get(self.selected)
    }

    /// What is searched for.
    fn text(&self) -> String {
        self.search.text().trim().to_owned()
    }
}

/// See the [module](self).
#[derive(Debug)]
pub(super) struct App {
    pub(super) mode: Mode,
    /// The way to the list that is shown.
    above: Vec<Level>,
    pub(super) level: Level,
    pub(super) scroll: Scroll,
    pub(super) status: Status,
    /// A message that is shown until Esc dismisses it.
    pub(super) kept: Option<String>,
    pub(super) now: DateTime<Utc>,
    history: Vec<Step>,
    /// The warnings that were shown.
    warned: HashSet<String>,
    is_too_small: bool,
}

impl App {
    /// The browser at the last of these places, after the others.
    pub(super) fn new(mut path: Vec<Place>, search: &str, now: DateTime<Utc>) -> Self {
        let place = path.pop().unwrap_or(Place::Home);
        App {
            mode: Mode::List,
            above: path.into_iter().map(Level::at).collect(),
            level: Level { search: LineEdit::new(search.trim()), ..Level::at(place) },
            scroll: Scroll::default(),
            status: Status::default(),
            kept: None,
            now,
            history: Vec::new(),
            warned: HashSet::new(),
            is_too_small: false,
        }
    }

    pub(super) fn selected(&self) -> Option<&Row> {
        self.level.selected()
    }

    /// The record that is selected.
    fn record(&self) -> Option<Box<Hit>> {
        match &self.selected()?.opens {
            Opens::Record(hit) => Some(hit.clone()),
            _ => None,
        }
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

    /// Lists what is shown again.
    pub(super) fn reload(&self) -> Effect {
        Effect::List { place: self.level.place.clone(), text: self.level.text() }
    }

    /// Handles an event.
    pub(super) fn update(&mut self, event: Event) -> Vec<Effect> {
        let before = self.selected().map(Row::key);
        let effects = self.handle(event);
        if self.selected().map(Row::key) != before {
            self.scroll = Scroll::default();
        }
        effects
    }

    fn handle(&mut self, event: Event) -> Vec<Effect> {
        match event {
            Event::Input(Input::Key(key)) if key.kind == KeyEventKind::Release => {}
            Event::Input(Input::Key(key)) => return self.press(key),
            Event::Input(Input::Paste(text)) => return self.paste(&text),
            Event::Input(Input::Redraw) => {}
            Event::Input(Input::Warned(warning)) => self.warn(&warning),
            Event::Listed { place, text, rows, fault } => self.listed(&place, &text, rows, fault),
            Event::Shown(shown) => {
                if let Mode::Page(.., last) = &mut self.mode {
                    *last = Some(shown);
                    self.scroll = Scroll::default();
                }
            }
            Event::Opened { hit, schema, members } => self.enter(Mode::Edit(hit, Form::of(schema, &members))),
            Event::Changed(step) => {
                let undo = if step.entries.is_empty() { "" } else { "; u undoes it" };
                self.say(&format!("{}{undo}", step.what));
                if !step.entries.is_empty() {
                    self.history.push(step);
                }
                self.enter(Mode::List);
                return vec![self.reload()];
            }
            Event::Unchanged => {
                self.enter(Mode::List);
                self.say("nothing changed");
                return vec![self.reload()];
            }
            Event::Undone(step) => {
                self.say(&format!("undone: {}", step.what));
                self.level.wanted = Some(key_of(&step.hit));
                return vec![self.reload()];
            }
            Event::BroughtBack(what) => {
                self.say(&what);
                self.enter(Mode::List);
                return vec![self.reload()];
            }
            Event::UndoFailed { step, message, is_final } => {
                self.fail(&format!("not undone ({}): {message}", step.what));
                if !is_final {
                    self.history.push(step);
                }
                return vec![self.reload()];
            }
            Event::Failed { message, is_kept: true, .. } => self.kept = Some(message),
            Event::Failed { message, is_secret, is_stale, .. } => {
                self.fail(&message);
                if is_stale && matches!(self.mode, Mode::Edit(..)) {
                    self.status.text.push_str("; Esc and e edit it as it is now");
                }
                if let Mode::Edit(_, form) = &mut self.mode {
                    form.was_refused = is_secret;
                    if is_secret {
                        self.status.text.push_str("; Ctrl-R stores it redacted");
                    }
                }
                return if is_stale { vec![self.reload()] } else { Vec::new() };
            }
            Event::Back => return vec![self.reload()],
        }
        Vec::new()
    }

    fn enter(&mut self, mode: Mode) {
        self.mode = mode;
        self.scroll = Scroll::default();
    }

    fn say(&mut self, text: &str) {
        self.status = Status { text: text.to_owned(), is_error: false };
    }

    fn fail(&mut self, text: &str) {
        self.status = Status { text: text.to_owned(), is_error: true };
    }

    /// Adds a warning to the last message, once.
    fn warn(&mut self, warning: &str) {
        if self.status.is_error || !self.warned.insert(warning.to_owned()) {
            return;
        }
        let text = &mut self.status.text;
        text.push_str(if text.is_empty() { "" } else { "; " });
        text.push_str(warning);
    }

    fn listed(&mut self, place: &Place, text: &str, rows: Vec<Row>, fault: Option<String>) {
        // The answer to a question that was asked before the last one.
        if *place != self.level.place || text != self.level.text() {
            return;
        }
        // Of another search, the best match.
        let selected = if self.level.listed_for == text { self.level.selected } else { 0 };
        let kept = self.selected().filter(|_| self.level.listed_for == text).map(Row::key);
        let kept = self.level.wanted.take().or(kept);
        let kept = kept.and_then(|key| rows.iter().position(|row| row.key() == key));
        let left = self.level.left.take();
        let at =
            left.and_then(|left| rows.iter().position(|row| matches!(&row.opens, Opens::Place(it) if *it == left)));
        let at = at.or(kept);
        self.level.selected = at.unwrap_or(selected).min(rows.len().saturating_sub(1));
        text.clone_into(&mut self.level.listed_for);
        self.level.rows = Some(rows);
        if matches!(self.mode, Mode::Read) && self.record().is_none() {
            self.mode = Mode::List;
        }
        if let Some(fault) = fault {
            self.fail(&fault);
        }
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
            Mode::List | Mode::Read | Mode::Help if !is_plain(key) => Vec::new(),
            Mode::List => self.press_in_list(key),
            Mode::Search => self.press_in_search(key),
            Mode::Read => self.press_in_record(key),
            Mode::Edit(..) => self.press_in_form(key),
            Mode::Page(..) => self.press_in_page(key),
            Mode::Help => {
                if !self.scroll_by(key.code) {
                    self.enter(Mode::List);
                }
                Vec::new()
            }
        }
    }

    /// Scrolls if `key` does so in a text, and returns whether it does.
    fn scroll_by(&mut self, key: KeyCode) -> bool {
        match key {
            KeyCode::Down | KeyCode::Char('j' | 'J') => self.scroll.down(1),
            KeyCode::Up | KeyCode::Char('k' | 'K') => self.scroll.up(1),
            KeyCode::PageDown => self.scroll.down(PAGE),
            KeyCode::PageUp => self.scroll.up(PAGE),
            KeyCode::Home | KeyCode::Char('g') => self.scroll.start(),
            KeyCode::End | KeyCode::Char('G') => self.scroll.end(),
            _ => return false,
        }
        true
    }

    fn press_in_list(&mut self, key: KeyEvent) -> Vec<Effect> {
        let was_error = std::mem::take(&mut self.status).is_error;
        let last = self.level.rows.as_ref().map_or(0, Vec::len).saturating_sub(1);
        if let Some(selected) = selection(key.code, self.level.selected, last) {
            self.level.selected = selected;
            return Vec::new();
        }
        match key.code {
            KeyCode::Char('q') => return vec![Effect::Leave(Left::Quit)],
            KeyCode::Esc if self.kept.is_some() => self.kept = None,
            KeyCode::Esc if was_error => {}
            KeyCode::Esc if !self.level.search.text().is_empty() => return self.search_for(""),
            KeyCode::Esc | KeyCode::Backspace | KeyCode::Left => return self.go_back(),
            KeyCode::Enter | KeyCode::Right => return self.open(),
            KeyCode::Char('/') => self.mode = Mode::Search,
            KeyCode::Char('?') | KeyCode::F(1) => self.enter(Mode::Help),
            KeyCode::Char('r') => return vec![self.reload()],
            KeyCode::Char('J') => self.scroll.down(1),
            KeyCode::Char('K') => self.scroll.up(1),
            _ => return self.press_on_record(key),
        }
        Vec::new()
    }

    fn press_on_record(&mut self, key: KeyEvent) -> Vec<Effect> {
        match key.code {
            KeyCode::Char('u') => match self.history.pop() {
                Some(step) => return vec![Effect::Undo(step)],
                None => self.say("nothing to undo; see `removed` for earlier changes"),
            },
            KeyCode::Char('b') => match self.selected().map(|row| &row.opens) {
                Some(Opens::Removal(entry)) => return vec![Effect::BringBack(entry.clone())],
                _ => self.say("nothing that was removed is selected"),
            },
            KeyCode::Char(key @ ('e' | 'E' | 'd')) => match self.record() {
                None => self.say("no record is selected"),
                Some(hit) if key == 'e' => return vec![Effect::Open(hit)],
                Some(hit) if key == 'E' => return vec![Effect::OpenEditor(hit)],
                Some(hit) => return vec![Effect::Remove(hit)],
            },
            _ => {}
        }
        Vec::new()
    }

    /// Opens what is selected.
    fn open(&mut self) -> Vec<Effect> {
        let Some(row) = self.selected() else { return Vec::new() };
        match row.opens.clone() {
            Opens::Place(place) => {
                let above = std::mem::replace(&mut self.level, Level::at(place));
                self.above.push(above);
                vec![self.reload()]
            }
            Opens::Room(known, room) => vec![Effect::OpenRoom(known, room)],
            Opens::Page(known, page) => {
                let effect = Effect::Show { known: known.clone(), page, prompt: String::new() };
                self.enter(Mode::Page(known, page, LineEdit::default(), None));
                if page.is_shown_without_prompt { vec![effect] } else { Vec::new() }
            }
            Opens::Record(_) | Opens::Removal(_) => {
                self.enter(Mode::Read);
                Vec::new()
            }
        }
    }

    /// Goes back to the list from which this one was opened; from the first one, leaves.
    fn go_back(&mut self) -> Vec<Effect> {
        match self.above.pop() {
            Some(level) => {
                let left = std::mem::replace(&mut self.level, level);
                self.level.left = Some(left.place);
                vec![self.reload()]
            }
            None => vec![Effect::Leave(Left::Back)],
        }
    }

    fn press_in_search(&mut self, key: KeyEvent) -> Vec<Effect> {
        match key.code {
            KeyCode::Enter | KeyCode::Down | KeyCode::Tab => self.mode = Mode::List,
            KeyCode::Esc => {
                self.mode = Mode::List;
                return self.search_for("");
            }
            _ => {
                let before = self.level.text();
                self.level.search.press(key);
                return self.searched(&before);
            }
        }
        Vec::new()
    }

    fn search_for(&mut self, text: &str) -> Vec<Effect> {
        let before = self.level.text();
        self.level.search = LineEdit::new(text);
        self.searched(&before)
    }

    /// Lists what matches, if the text has changed.
    fn searched(&mut self, before: &str) -> Vec<Effect> {
        if self.level.text() == before { Vec::new() } else { vec![self.reload()] }
    }

    fn press_in_record(&mut self, key: KeyEvent) -> Vec<Effect> {
        self.status = Status::default();
        match key.code {
            KeyCode::Char('e' | 'E' | 'd' | 'u' | 'b') => return self.press_on_record(key),
            code if self.scroll_by(code) => {}
            KeyCode::Esc | KeyCode::Char('q') | KeyCode::Enter | KeyCode::Backspace | KeyCode::Left => {
                self.enter(Mode::List);
            }
            _ => {}
        }
        Vec::new()
    }

    fn press_in_form(&mut self, key: KeyEvent) -> Vec<Effect> {
        let Mode::Edit(hit, form) = &mut self.mode else { return Vec::new() };
        let is_redacting = key.code == KeyCode::Char('r') && key.modifiers.contains(KeyModifiers::CONTROL);
        let is_forced = is_redacting && form.was_refused;
        match key.code {
            KeyCode::Esc => {
                self.status = Status::default();
                self.enter(Mode::List);
            }
            KeyCode::Enter if !key.modifiers.contains(KeyModifiers::ALT) => {
                return vec![Effect::Edit { hit: hit.clone(), wanted: form.changed(), is_forced: false }];
            }
            _ if is_forced => return vec![Effect::Edit { hit: hit.clone(), wanted: form.changed(), is_forced }],
            _ => form.press(key),
        }
        Vec::new()
    }

    fn press_in_page(&mut self, key: KeyEvent) -> Vec<Effect> {
        let Mode::Page(known, page, line, _) = &mut self.mode else { return Vec::new() };
        match key.code {
            KeyCode::Esc => {
                self.status = Status::default();
                self.enter(Mode::List);
            }
            KeyCode::Enter => {
                let prompt = line.text().trim().to_owned();
                if page.is_shown_without_prompt || !prompt.is_empty() {
                    return vec![Effect::Show { known: known.clone(), page, prompt }];
                }
            }
            code => {
                if !line.press(key) {
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
                let before = self.level.text();
                self.level.search.insert(&on_one_line);
                return self.searched(&before);
            }
            Mode::Page(_, _, line, _) => line.insert(&on_one_line),
            Mode::Edit(_, form) => form.paste(text),
            Mode::List | Mode::Read | Mode::Help => {}
        }
        Vec::new()
    }
}
