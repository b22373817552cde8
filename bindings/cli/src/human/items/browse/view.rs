//! Draws the browser. Everything that is stored is shown without control characters.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Paragraph, Wrap};

use super::app::{App, Mode, Prompt};
use super::entry::{Entry, Input};
use super::help::{ENTRY_KEYS, KEYS, PROMPT_KEYS, SEARCH_KEYS, hints};
use crate::human::items::item::Item;
use crate::human::items::layout::details;
use crate::human::screen::{Keep, age, columns, counted, cut, on_one_line, sanitize};
use crate::session::text;

/// The smallest window in which everything can be used.
const NARROWEST: u16 = 40;
const LOWEST: u16 = 10;
/// From this width on, the item is beside the list instead of below it.
const WIDE: u16 = 90;
/// The columns for the names of fields.
const NAMES: usize = 11;
/// The maximum number of lines of a message.
const MESSAGE_LINES: u16 = 3;

/// The styles. Without colours, what matters is still visible by its place, its marker or its weight.
struct Theme {
    is_coloured: bool,
}

impl Theme {
    fn coloured(&self, colour: Color) -> Style {
        if self.is_coloured { Style::new().fg(colour) } else { Style::new() }
    }

    fn kind(&self) -> Style {
        self.coloured(Color::Cyan)
    }

    fn id(&self) -> Style {
        self.coloured(Color::Yellow)
    }

    fn error(&self) -> Style {
        self.coloured(Color::Red).add_modifier(Modifier::BOLD)
    }

    fn faint(&self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    fn bold(&self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }
}

/// Draws the state on the whole screen.
pub(super) fn draw(app: &App, frame: &mut Frame<'_>, is_coloured: bool) {
    let theme = Theme { is_coloured };
    let area = frame.area();
    if area.width < NARROWEST || area.height < LOWEST {
        let (width, height) = (area.width, area.height);
        let text =
            format!("Please enlarge the window to {NARROWEST}x{LOWEST} or more; it is {width}x{height}. q quits.");
        frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
        return;
    }
    let message = message(app, area.width.into(), &theme);
    let lines = u16::try_from(wrapped(&message.0, area.width).len()).unwrap_or(1).clamp(1, MESSAGE_LINES);
    let rows = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(lines),
    ]);
    let [title, line, body, bottom] = rows.areas(area);
    draw_title(app, frame, title, &theme);
    let inner = below_rule(frame, body, &theme);
    match &app.mode {
        Mode::Entry(entry) => {
            let what = if entry.item.is_some() { "Edit the item" } else { "A new item" };
            frame.render_widget(Line::styled(what, theme.bold()), line);
            draw_entry(entry, frame, inner, &theme);
        }
        Mode::Prompt(prompt) => {
            draw_line(frame, line, "Prompt: ", &prompt.line, true, &theme);
            draw_recall(prompt, frame, inner, &theme);
        }
        Mode::Help => {
            frame.render_widget(Line::styled("Help: any key goes back", theme.bold()), line);
            draw_help(frame, inner, &theme);
        }
        Mode::List | Mode::Search => {
            draw_search(app, frame, line, &theme);
            draw_items(app, frame, inner, &theme);
        }
    }
    let text: Vec<Line<'_>> = wrapped(&message.0, area.width).into_iter().map(Line::from).collect();
    frame.render_widget(Paragraph::new(text).style(message.1), bottom);
}

/// The last line: what was done or went wrong, else the keys.
fn message(app: &App, width: usize, theme: &Theme) -> (String, Style) {
    if !app.status.text.is_empty() {
        let mark = if app.status.is_error { "! " } else { "" };
        let style = if app.status.is_error { theme.error() } else { theme.bold() };
        return (format!("{mark}{}", on_one_line(&app.status.text)), style);
    }
    let keys = match app.mode {
        Mode::List => KEYS,
        Mode::Search => SEARCH_KEYS,
        Mode::Entry(_) => ENTRY_KEYS,
        Mode::Prompt(_) => PROMPT_KEYS,
        Mode::Help => &[],
    };
    (hints(keys, width), theme.faint())
}

fn draw_title(app: &App, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
    let filter = &app.filter;
    let all = "all";
    let shown = format!(
        "scope {}  type {}  status {}",
        filter.scope.unwrap_or(all),
        filter.kind.unwrap_or(all),
        filter.status.unwrap_or(all)
    );
    let count = app.items.as_ref().map_or_else(String::new, |items| counted(items.len() as u64, "item"));
    let name = "items  ";
    let room = usize::from(area.width).saturating_sub(name.len() + count.len() + 1);
    let shown = cut(&shown, room, Keep::Start);
    let gap = " ".repeat(room.saturating_sub(columns(&shown)) + 1);
    let line = Line::from(vec![
        Span::styled(name, theme.bold()),
        Span::styled(shown, theme.kind()),
        Span::raw(gap),
        Span::styled(count, theme.faint()),
    ]);
    frame.render_widget(line, area);
}

fn draw_search(app: &App, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
    let is_active = matches!(app.mode, Mode::Search);
    if app.search.text().is_empty() && !is_active {
        let text = match app.undoable() {
            0 => "/ searches".to_owned(),
            count => format!("/ searches, u undoes {}", counted(count as u64, "change")),
        };
        frame.render_widget(Line::styled(text, theme.faint()), area);
        return;
    }
    draw_line(frame, area, "/ ", &app.search, is_active, theme);
}

/// A text that is typed on one line: the part of it around the cursor.
fn draw_line(
    frame: &mut Frame<'_>,
    area: Rect,
    label: &'static str,
    edit: &super::line_edit::LineEdit,
    is_active: bool,
    theme: &Theme,
) {
    let room = usize::from(area.width).saturating_sub(label.len()).max(2);
    let (lines, (row, column)) = edit.lines(room);
    let shown = lines.get(row).cloned().unwrap_or_default();
    frame.render_widget(Line::from(vec![Span::styled(label, theme.bold()), Span::raw(shown)]), area);
    if is_active {
        put_cursor(frame, area, 0, label.len() + column);
    }
}

fn put_cursor(frame: &mut Frame<'_>, area: Rect, row: usize, column: usize) {
    let (row, column) = (u16::try_from(row).unwrap_or(u16::MAX), u16::try_from(column).unwrap_or(u16::MAX));
    if row < area.height {
        let x = area.x.saturating_add(column).min(area.right().saturating_sub(1));
        frame.set_cursor_position(Position::new(x, area.y + row));
    }
}

/// Draws a rule in the first line, and returns the rest.
fn below_rule(frame: &mut Frame<'_>, area: Rect, theme: &Theme) -> Rect {
    let [rule, rest] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    frame.render_widget(Line::styled("─".repeat(rule.width.into()), theme.faint()), rule);
    rest
}

fn draw_items(app: &App, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
    let Some(items) = &app.items else { return };
    if items.is_empty() {
        let is_all = app.filter.text.is_empty() && app.filter.scope.is_none() && app.filter.kind.is_none();
        let text = if is_all {
            "No items here yet; press a to add one."
        } else {
            "Nothing matches; press / to change the search."
        };
        frame.render_widget(Line::styled(text, theme.faint()), area);
        return;
    }
    let [list, item] = if area.width >= WIDE {
        let parts = [Constraint::Percentage(55), Constraint::Length(1), Constraint::Fill(1)];
        let [list, rule, item] = Layout::horizontal(parts).spacing(1).areas(area);
        let bars = vec![Line::styled("│", theme.faint()); rule.height.into()];
        frame.render_widget(Text::from(bars), rule);
        [list, item]
    } else {
        let item = (area.height / 2).min(9);
        let [list, item] = Layout::vertical([Constraint::Fill(1), Constraint::Length(item)]).areas(area);
        [list, below_rule(frame, item, theme)]
    };
    draw_list(app, items, frame, list, theme);
    if let Some(selected) = app.selected() {
        draw_item(app, selected, frame, item, theme);
    }
}

fn draw_list(app: &App, items: &[Item], frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
    let height = usize::from(area.height);
    // The selected item is in the middle, as far as there are enough items above and below it.
    let first = app.selected.saturating_sub(height / 2).min(items.len().saturating_sub(height));
    let shown = items.iter().enumerate().skip(first).take(height);
    let widest = |of: &dyn Fn(&Item) -> String| shown.clone().map(|(_, item)| columns(&of(item))).max().unwrap_or(0);
    let kinds = widest(&|item| on_one_line(item.kind()));
    let states = widest(&|item| item.state(app.now).to_owned());
    let ages = widest(&|item| age_of(app, item));
    // The marker, and gaps.
    let taken = 2 + kinds + 2 + if states == 0 { 0 } else { states + 2 } + 2 + ages;
    let room = usize::from(area.width).saturating_sub(taken);
    let line = |(at, item): (usize, &Item)| {
        let is_selected = at == app.selected;
        let content = cut(&item.label(), room, Keep::Start);
        let padded = |text: &str, width: usize| format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))));
        let age = age_of(app, item);
        let mut spans = vec![
            Span::raw(if is_selected { "> " } else { "  " }),
            Span::styled(padded(&on_one_line(item.kind()), kinds + 2), theme.kind()),
            Span::raw(padded(&content, room + 2)),
        ];
        if states > 0 {
            spans.push(Span::styled(padded(item.state(app.now), states + 2), theme.id()));
        }
        spans.push(Span::styled(format!("{}{age}", " ".repeat(ages.saturating_sub(columns(&age)))), theme.faint()));
        let line = Line::from(spans);
        if is_selected { line.style(Style::new().add_modifier(Modifier::REVERSED)) } else { line }
    };
    frame.render_widget(Text::from(shown.clone().map(line).collect::<Vec<_>>()), area);
}

fn age_of(app: &App, item: &Item) -> String {
    age(text(&item.members, "updated_at"), app.now)
}

fn draw_item(app: &App, item: &Item, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
    let mut lines = vec![Line::from(vec![
        Span::styled(on_one_line(item.kind()), theme.kind()),
        Span::raw(" "),
        Span::styled(on_one_line(item.id()), theme.id()),
    ])];
    let content = sanitize(text(&item.members, "content"));
    lines.extend(content.lines().map(|line| Line::from(line.replace('\t', " "))));
    for (name, value) in details(item, app.now).into_iter().filter(|(_, value)| !value.is_empty()) {
        let name = format!("{name:<NAMES$}");
        lines.push(Line::from(vec![Span::styled(name, theme.faint()), Span::raw(on_one_line(&value))]));
    }
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }), area);
}

fn draw_entry(entry: &Entry, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
    let room = usize::from(area.width).saturating_sub(NAMES).max(2);
    let (mut lines, mut cursor) = (Vec::new(), None);
    for (at, field) in entry.fields.iter().enumerate() {
        let is_active = at == entry.at;
        let name = format!("{}{:<width$}", if is_active { "> " } else { "  " }, field.key, width = NAMES - 2);
        let name_style = if is_active { theme.bold() } else { theme.faint() };
        let (texts, place) = match &field.input {
            Input::Text(edit) => edit.lines(room),
            Input::Choice { options, at } => {
                let mark = |(index, option): (usize, &&str)| {
                    if index == *at { format!("[{option}]") } else { format!(" {option} ") }
                };
                (vec![options.iter().enumerate().map(mark).collect::<Vec<_>>().join("")], (0, 0))
            }
        };
        if is_active {
            cursor = Some((lines.len() + place.0, NAMES + place.1));
        }
        for (index, text) in texts.into_iter().enumerate() {
            let name = if index == 0 { name.clone() } else { " ".repeat(NAMES) };
            lines.push(Line::from(vec![Span::styled(name, name_style), Span::raw(text)]));
        }
    }
    // A long text is scrolled to the cursor.
    let height = usize::from(area.height);
    let hidden = cursor.map_or(0, |(row, _)| (row + 1).saturating_sub(height));
    frame.render_widget(Text::from(lines.split_off(hidden.min(lines.len()))), area);
    if let Some((row, column)) = cursor {
        put_cursor(frame, area, row - hidden, column);
    }
}

fn draw_recall(prompt: &Prompt, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
    let Some(recall) = &prompt.recall else {
        let text = "Type what an agent is about to do; Enter shows the text that it would get.";
        frame.render_widget(Paragraph::new(text).style(theme.faint()).wrap(Wrap { trim: true }), area);
        return;
    };
    let mut lines = vec![Line::styled(recall.summary(), theme.bold())];
    if !recall.preamble.is_empty() {
        lines.push(Line::styled(format!("{} characters:", recall.preamble.chars().count()), theme.faint()));
        lines.extend(sanitize(&recall.preamble).lines().map(|line| Line::from(line.replace('\t', " "))));
    }
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }).scroll((prompt.scroll, 0)), area);
}

fn draw_help(frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
    let line = |key: &super::help::Key| {
        let about = Span::raw(cut(key.about, usize::from(area.width).saturating_sub(7), Keep::Start));
        Line::from(vec![Span::styled(format!("{:<7}", key.key), theme.kind()), about])
    };
    frame.render_widget(Text::from(KEYS.iter().map(line).collect::<Vec<_>>()), area);
}

/// The text in lines of at most `width` columns, broken between words.
fn wrapped(text: &str, width: u16) -> Vec<String> {
    let width = usize::from(width);
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        let word = cut(word, width, Keep::Start);
        match lines.last_mut() {
            Some(line) if line.is_empty() => *line = word,
            Some(line) if columns(line) + 1 + columns(&word) <= width => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}
