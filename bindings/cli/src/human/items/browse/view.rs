//! Draws the browser. Everything that is stored is shown without control characters.

use ratatui_core::layout::{Constraint, Layout, Position, Rect};
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span, Text};
use ratatui_widgets::paragraph::{Paragraph, Wrap};

use super::app::{App, Drawn, Mode, Prompt};
use super::entry::{Entry, Input};
use super::help::{ENTRY_KEYS, KEYS, PROMPT_KEYS, SEARCH_KEYS, hints};
use super::line_edit::LineEdit;
use super::pane::wrap;
use crate::human::identified::Identified;
use crate::human::items::item::Item;
use crate::human::items::layout::details;
use crate::human::screen::{Keep, age, columns, counted, cut, on_one_line, sanitize};

/// The smallest window in which everything can be used.
const NARROWEST: u16 = 40;
const LOWEST: u16 = 10;
/// From this width on, the item is beside the list instead of below it.
const WIDE: u16 = 90;
/// The columns for the names of fields.
const NAMES: usize = 11;
/// How many characters of a value are shown: one that is not known may be huge.
const MAX_VALUE_CHARS: usize = 4_000;
/// The columns for the keys in the help.
const KEY_COLUMNS: usize = 7;
/// The maximum number of lines of a message.
const MESSAGE_LINES: u16 = 3;
/// The number of lines that a message that is kept leaves to the rest.
const REST_LINES: u16 = 5;

/// The styles. Without colours, what matters is still visible by its place, its marker or its weight.
struct Theme {
    kind: Style,
    id: Style,
    error: Style,
}

const FAINT: Style = Style::new().add_modifier(Modifier::DIM);
const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);

impl Theme {
    fn new(is_coloured: bool) -> Self {
        let coloured = |colour| if is_coloured { Style::new().fg(colour) } else { Style::new() };
        Theme { kind: coloured(Color::Cyan), id: coloured(Color::Yellow), error: coloured(Color::Red).patch(BOLD) }
    }
}

/// Draws the state on the whole screen.
pub(super) fn draw(app: &App, frame: &mut Frame<'_>, is_coloured: bool) -> Drawn {
    let theme = Theme::new(is_coloured);
    let area = frame.area();
    if area.width < NARROWEST || area.height < LOWEST {
        let (width, height) = (area.width, area.height);
        let text =
            format!("Enlarge the window to at least {NARROWEST}x{LOWEST}; it is {width}x{height}. Ctrl-C quits.");
        frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
        return Drawn { is_too_small: true, ..Drawn::default() };
    }
    let (message, style, most_lines) = message(app, area, &theme);
    let message = at_most(wrap(&message, area.width.into()), most_lines.into(), area.width.into());
    let rows = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(u16::try_from(message.len()).unwrap_or(1)),
    ]);
    let [title, line, body, bottom] = rows.areas(area);
    draw_title(app, frame, title, &theme);
    let inner = below_rule(frame, body);
    let most_scroll = match &app.mode {
        Mode::Entry(entry) => {
            let what = if entry.item.is_some() { "Edit the item" } else { "A new item" };
            frame.render_widget(Line::styled(what, BOLD), line);
            draw_entry(entry, frame, inner);
            0
        }
        Mode::Prompt(prompt) => {
            draw_line(frame, line, "Prompt: ", &prompt.line, true);
            draw_recall(app, prompt, frame, inner)
        }
        Mode::Help => {
            frame.render_widget(Line::styled("Help: j k scroll, other keys go back", BOLD), line);
            draw_help(app, frame, inner, &theme)
        }
        Mode::List | Mode::Search => {
            draw_search(app, frame, line);
            draw_items(app, frame, inner, &theme)
        }
    };
    let text: Vec<Line<'_>> = message.into_iter().map(Line::from).collect();
    frame.render_widget(Paragraph::new(text).style(style), bottom);
    Drawn { most_scroll, is_too_small: false }
}

/// The last lines, and how many there may be: what was done or went wrong, else the keys.
fn message(app: &App, area: Rect, theme: &Theme) -> (String, Style, u16) {
    if !app.status.text.is_empty() {
        let mark = if app.status.is_error { "! " } else { "" };
        let style = if app.status.is_error { theme.error } else { BOLD };
        return (format!("{mark}{}", on_one_line(&app.status.text)), style, MESSAGE_LINES);
    }
    if let Some(kept) = &app.kept {
        let text = format!("! {}; Esc hides this message", on_one_line(kept));
        return (text, theme.error, area.height.saturating_sub(REST_LINES));
    }
    let keys = match app.mode {
        Mode::List => KEYS,
        Mode::Search => SEARCH_KEYS,
        Mode::Entry(_) => ENTRY_KEYS,
        Mode::Prompt(_) => PROMPT_KEYS,
        Mode::Help => &[],
    };
    (hints(keys, area.width.into()), FAINT, 1)
}

/// The first `most` lines, with a mark if there are more.
fn at_most(mut lines: Vec<String>, most: usize, width: usize) -> Vec<String> {
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            *last = format!("{}…", cut(last, width.saturating_sub(1), Keep::Start).trim_end_matches('…'));
        }
    }
    lines
}

/// Draws lines as far as they fit, from the one to which they are scrolled, and returns how far they can be. `keys`
/// scroll them, if any do.
fn draw_scrolled(app: &App, mut lines: Vec<Line<'_>>, keys: &str, frame: &mut Frame<'_>, area: Rect) -> usize {
    let (count, height) = (lines.len(), usize::from(area.height));
    if count <= height {
        frame.render_widget(Text::from(lines), area);
        return 0;
    }
    // Where there is hardly any room, the text needs it.
    let has_footer = height > 2 && !keys.is_empty();
    let room = if has_footer { height - 1 } else { height };
    let most = count - room;
    let first = app.scroll.at().min(most);
    let mut shown: Vec<Line<'_>> = lines.drain(first..first + room).collect();
    if has_footer {
        let text = format!("lines {}-{} of {count}; {keys} scroll", first + 1, first + room);
        shown.push(Line::styled(text, FAINT));
    }
    frame.render_widget(Text::from(shown), area);
    most
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
    let count = app.items.as_ref().map_or_else(String::new, |items| counted(items.len(), "item"));
    let name = "items  ";
    let room = usize::from(area.width).saturating_sub(name.len() + count.len() + 1);
    let shown = cut(&shown, room, Keep::Start);
    let gap = " ".repeat(room.saturating_sub(columns(&shown)) + 1);
    let line = Line::from(vec![
        Span::styled(name, BOLD),
        Span::styled(shown, theme.kind),
        Span::raw(gap),
        Span::styled(count, FAINT),
    ]);
    frame.render_widget(line, area);
}

fn draw_search(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let is_active = matches!(app.mode, Mode::Search);
    if app.search.text().is_empty() && !is_active {
        let text = match app.undoable() {
            0 => "/ searches".to_owned(),
            count => format!("/ searches, u undoes {}", counted(count, "change")),
        };
        frame.render_widget(Line::styled(text, FAINT), area);
        return;
    }
    draw_line(frame, area, "/ ", &app.search, is_active);
}

/// A text that is typed on one line: the part of it around the cursor.
fn draw_line(frame: &mut Frame<'_>, area: Rect, label: &'static str, edit: &LineEdit, is_active: bool) {
    let room = usize::from(area.width).saturating_sub(label.len()).max(2);
    let (lines, (row, column)) = edit.lines(room);
    let shown = lines.get(row).cloned().unwrap_or_default();
    frame.render_widget(Line::from(vec![Span::styled(label, BOLD), Span::raw(shown)]), area);
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
fn below_rule(frame: &mut Frame<'_>, area: Rect) -> Rect {
    let [rule, rest] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    frame.render_widget(Line::styled("─".repeat(rule.width.into()), FAINT), rule);
    rest
}

/// Why no item is listed, and what to do.
fn nothing(app: &App) -> String {
    let is_all = app.filter.text.is_empty() && app.filter.scope.is_none() && app.filter.kind.is_none();
    let status = app.filter.status.unwrap_or_default();
    // `v` shows the archived items after the active ones, and then all.
    let others = if status == "active" { "archived ones" } else { "all" };
    match (app.has_others, is_all) {
        (true, true) => format!("No {status} items; press v to show {others}."),
        (true, false) => format!("No {status} item matches; press v to show {others}."),
        (false, true) => "No items here yet; press a to add one.".to_owned(),
        (false, false) => "Nothing matches; press / to change the search.".to_owned(),
    }
}

fn draw_items(app: &App, frame: &mut Frame<'_>, area: Rect, theme: &Theme) -> usize {
    let Some(items) = &app.items else { return 0 };
    if items.is_empty() {
        let text: Vec<Line<'_>> = wrap(&nothing(app), area.width.into()).into_iter().map(Line::from).collect();
        frame.render_widget(Text::from(text).style(FAINT), area);
        return 0;
    }
    let [list, item] = if area.width >= WIDE {
        let parts = [Constraint::Percentage(55), Constraint::Length(1), Constraint::Fill(1)];
        let [list, rule, item] = Layout::horizontal(parts).spacing(1).areas(area);
        let bars = vec![Line::styled("│", FAINT); rule.height.into()];
        frame.render_widget(Text::from(bars), rule);
        [list, item]
    } else {
        let item = (area.height / 2).min(9);
        let [list, item] = Layout::vertical([Constraint::Fill(1), Constraint::Length(item)]).areas(area);
        [list, below_rule(frame, item)]
    };
    draw_list(app, items, frame, list, theme);
    app.selected().map_or(0, |selected| draw_item(app, selected, frame, item, theme))
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
            Span::styled(padded(&on_one_line(item.kind()), kinds + 2), theme.kind),
            Span::raw(padded(&content, room + 2)),
        ];
        if states > 0 {
            spans.push(Span::styled(padded(item.state(app.now), states + 2), theme.id));
        }
        spans.push(Span::styled(format!("{}{age}", " ".repeat(ages.saturating_sub(columns(&age)))), FAINT));
        let line = Line::from(spans);
        if is_selected { line.style(Style::new().add_modifier(Modifier::REVERSED)) } else { line }
    };
    frame.render_widget(Text::from(shown.clone().map(line).collect::<Vec<_>>()), area);
}

fn age_of(app: &App, item: &Item) -> String {
    age(&item.updated_at, app.now)
}

fn draw_item(app: &App, item: &Item, frame: &mut Frame<'_>, area: Rect, theme: &Theme) -> usize {
    let width = usize::from(area.width);
    let (kind, id) = (on_one_line(item.kind()), on_one_line(item.id()));
    let mut lines = if columns(&kind) + 1 + columns(&id) <= width {
        let spans = [Span::styled(kind, theme.kind), Span::raw(" "), Span::styled(id, theme.id)];
        vec![Line::from(spans.to_vec())]
    } else {
        let parts = [(kind, theme.kind), (id, theme.id)];
        parts
            .iter()
            .flat_map(|(part, style)| wrap(part, width).into_iter().map(|it| Line::styled(it, *style)))
            .collect()
    };
    lines.extend(text_lines(&item.content, width));
    for (name, value) in details(item, app.now).into_iter().filter(|(_, value)| !value.is_empty()) {
        // The name of an unknown member may be long.
        let name = cut(&on_one_line(name), NAMES - 1, Keep::Start);
        let value: String = on_one_line(&value).chars().take(MAX_VALUE_CHARS).collect();
        lines.extend(pair(&name, &value, NAMES, width, FAINT));
    }
    // In a search, they are typed.
    let keys = if matches!(app.mode, Mode::Search) { "" } else { "J K" };
    draw_scrolled(app, lines, keys, frame, area)
}

/// The lines of a text that has several.
fn text_lines(text: &str, width: usize) -> Vec<Line<'static>> {
    sanitize(text).lines().flat_map(|line| wrap(&line.replace('\t', " "), width)).map(Line::from).collect()
}

/// A name in its own column, and a value in the other one, in as many lines as it takes.
fn pair(name: &str, value: &str, names: usize, width: usize, style: Style) -> Vec<Line<'static>> {
    let gap = |taken: usize| " ".repeat(names.saturating_sub(taken));
    let line = |(index, part)| {
        let name = if index == 0 { format!("{name}{}", gap(columns(name))) } else { gap(0) };
        Line::from(vec![Span::styled(name, style), Span::raw(part)])
    };
    wrap(value, width.saturating_sub(names)).into_iter().enumerate().map(line).collect()
}

fn draw_entry(entry: &Entry, frame: &mut Frame<'_>, area: Rect) {
    let room = usize::from(area.width).saturating_sub(NAMES).max(2);
    let (mut lines, mut cursor) = (Vec::new(), None);
    for (at, field) in entry.fields.iter().enumerate() {
        let is_active = at == entry.at;
        let name = format!("{}{:<width$}", if is_active { "> " } else { "  " }, field.key, width = NAMES - 2);
        let name_style = if is_active { BOLD } else { FAINT };
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

fn draw_recall(app: &App, prompt: &Prompt, frame: &mut Frame<'_>, area: Rect) -> usize {
    let Some(recall) = &prompt.recall else {
        let text = "Type what an agent is about to do; Enter shows the text that it would get.";
        frame.render_widget(Paragraph::new(text).style(FAINT).wrap(Wrap { trim: true }), area);
        return 0;
    };
    let width = usize::from(area.width);
    let summary = wrap(&recall.summary(), width);
    let mut lines: Vec<Line<'_>> = summary.into_iter().map(|line| Line::styled(line, BOLD)).collect();
    if !recall.preamble.is_empty() {
        lines.push(Line::styled(format!("{} characters:", recall.preamble.chars().count()), FAINT));
        lines.extend(text_lines(&recall.preamble, width));
    }
    draw_scrolled(app, lines, "Up Down", frame, area)
}

fn draw_help(app: &App, frame: &mut Frame<'_>, area: Rect, theme: &Theme) -> usize {
    let about = |key: &super::help::Key| pair(key.key, key.about, KEY_COLUMNS, area.width.into(), theme.kind);
    draw_scrolled(app, KEYS.iter().flat_map(about).collect(), "j k", frame, area)
}
