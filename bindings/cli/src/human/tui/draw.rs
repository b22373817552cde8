//! Drawing: the parts of a screen that browsers have in common. Everything that is stored is shown without control characters.

use ratatui_core::layout::{Constraint, Layout, Position, Rect};
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::terminal::Frame;
use ratatui_core::text::{Line, Span, Text};
use ratatui_widgets::paragraph::{Paragraph, Wrap};

use super::form::{Entered, Form};
use super::keys::Key;
use super::line_edit::LineEdit;
use super::pane::{Scroll, wrap};
use crate::human::screen::{Keep, columns, cut, on_one_line, sanitize};

/// The smallest window in which everything can be used.
const NARROWEST: u16 = 40;
const LOWEST: u16 = 10;
/// From this width on, what is selected is beside the list instead of below it.
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

pub(crate) const FAINT: Style = Style::new().add_modifier(Modifier::DIM);
pub(crate) const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);

/// The styles. Without colours, what matters is still visible by its place, its marker or its weight.
pub(crate) struct Theme {
    pub(crate) kind: Style,
    pub(crate) id: Style,
    error: Style,
}

impl Theme {
    pub(crate) fn new(is_coloured: bool) -> Self {
        let coloured = |colour| if is_coloured { Style::new().fg(colour) } else { Style::new() };
        Theme { kind: coloured(Color::Cyan), id: coloured(Color::Yellow), error: coloured(Color::Red).patch(BOLD) }
    }
}

/// What a state has to know about the screen that it was drawn on.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Drawn {
    /// How far the text on it can be scrolled, in lines.
    pub(crate) most_scroll: usize,
    /// Whether the window is too small for anything but saying so.
    pub(crate) is_too_small: bool,
}

/// The last message.
#[derive(Debug, Default)]
pub(crate) struct Status {
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

/// The parts of a screen.
pub(crate) struct Parts {
    pub(crate) title: Rect,
    /// The line below the title: a search, or what is done.
    pub(crate) line: Rect,
    pub(crate) rest: Rect,
}

/// Divides the screen, and draws what is at its bottom: what was done or went wrong, else a message that is shown until it is
/// dismissed, else the keys. `None` if the window is too small, which is drawn instead.
pub(crate) fn parts(
    frame: &mut Frame<'_>,
    theme: &Theme,
    status: &Status,
    kept: Option<&str>,
    keys: &[Key],
) -> Option<Parts> {
    let area = frame.area();
    if area.width < NARROWEST || area.height < LOWEST {
        let (width, height) = (area.width, area.height);
        let text =
            format!("Enlarge the window to at least {NARROWEST}x{LOWEST}; it is {width}x{height}. Ctrl-C quits.");
        frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
        return None;
    }
    let width = usize::from(area.width);
    let (message, style, most) = match kept {
        _ if !status.text.is_empty() => {
            let mark = if status.is_error { "! " } else { "" };
            let style = if status.is_error { theme.error } else { BOLD };
            (format!("{mark}{}", on_one_line(&status.text)), style, MESSAGE_LINES)
        }
        Some(kept) => {
            let text = format!("! {}; Esc hides this message", on_one_line(kept));
            (text, theme.error, area.height.saturating_sub(REST_LINES))
        }
        None => (super::keys::hints(keys, width), FAINT, 1),
    };
    let message = at_most(wrap(&message, width), most.into(), width);
    let rows = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(u16::try_from(message.len()).unwrap_or(1)),
    ]);
    let [title, line, body, bottom] = rows.areas(area);
    let text: Vec<Line<'_>> = message.into_iter().map(Line::from).collect();
    frame.render_widget(Paragraph::new(text).style(style), bottom);
    Some(Parts { title, line, rest: below_rule(frame, body) })
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

/// Draws a name, what is chosen, and a count at the end of the line.
pub(crate) fn title(
    frame: &mut Frame<'_>,
    area: Rect,
    theme: &Theme,
    name: &str,
    chosen: &str,
    keep: Keep,
    count: &str,
) {
    let name = if name.is_empty() { String::new() } else { format!("{name}  ") };
    let room = usize::from(area.width).saturating_sub(columns(&name) + columns(count) + 1);
    let shown = cut(chosen, room, keep);
    let gap = " ".repeat(room.saturating_sub(columns(&shown)) + 1);
    let spans = [(name, BOLD), (shown, theme.kind), (gap, Style::new()), (count.to_owned(), FAINT)];
    let spans: Vec<Span<'_>> = spans.into_iter().map(|(text, style)| Span::styled(text, style)).collect();
    frame.render_widget(Line::from(spans), area);
}

/// Draws a text that is typed on one line: the part of it around the cursor.
pub(crate) fn typed(frame: &mut Frame<'_>, area: Rect, label: &'static str, edit: &LineEdit, is_active: bool) {
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

/// Divides an area between a list and what is selected in it.
pub(crate) fn list_and_selected(frame: &mut Frame<'_>, area: Rect) -> [Rect; 2] {
    if area.width >= WIDE {
        let parts = [Constraint::Percentage(55), Constraint::Length(1), Constraint::Fill(1)];
        let [list, rule, selected] = Layout::horizontal(parts).spacing(1).areas(area);
        let bars = vec![Line::styled("│", FAINT); rule.height.into()];
        frame.render_widget(Text::from(bars), rule);
        [list, selected]
    } else {
        let selected = (area.height / 2).min(9);
        let [list, selected] = Layout::vertical([Constraint::Fill(1), Constraint::Length(selected)]).areas(area);
        [list, below_rule(frame, selected)]
    }
}

/// A line of a list.
#[derive(Default)]
pub(crate) struct Entry {
    pub(crate) kind: String,
    pub(crate) label: String,
    /// Which end of the label is kept if it is too long; its beginning by default.
    pub(crate) keeps_end: bool,
    pub(crate) state: String,
    pub(crate) age: String,
}

/// Draws as many of `count` entries as fit, the selected one in the middle, as far as there are enough above and below it.
pub(crate) fn list(
    frame: &mut Frame<'_>,
    area: Rect,
    theme: &Theme,
    (count, selected): (usize, usize),
    entry: impl Fn(usize) -> Option<Entry>,
) {
    let height = usize::from(area.height);
    let first = selected.saturating_sub(height / 2).min(count.saturating_sub(height));
    let shown: Vec<Entry> = (first..count).take(height).filter_map(entry).collect();
    let widest = |of: fn(&Entry) -> &str| shown.iter().map(|it| columns(of(it))).max().unwrap_or(0);
    let (kinds, states, ages) = (widest(|it| &it.kind), widest(|it| &it.state), widest(|it| &it.age));
    // The marker, and gaps.
    let taken = 2 + if kinds == 0 { 0 } else { kinds + 2 } + if states == 0 { 0 } else { states + 2 } + 2 + ages;
    let room = usize::from(area.width).saturating_sub(taken);
    let padded = |text: &str, width: usize| format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))));
    let line = |(at, it): (usize, &Entry)| {
        let is_selected = first + at == selected;
        let label = cut(&it.label, room, if it.keeps_end { Keep::End } else { Keep::Start });
        let mut spans = vec![
            Span::raw(if is_selected { "> " } else { "  " }),
            Span::styled(padded(&it.kind, if kinds == 0 { 0 } else { kinds + 2 }), theme.kind),
            Span::raw(padded(&label, room + 2)),
        ];
        if states > 0 {
            spans.push(Span::styled(padded(&it.state, states + 2), theme.id));
        }
        spans.push(Span::styled(format!("{}{}", " ".repeat(ages.saturating_sub(columns(&it.age))), it.age), FAINT));
        let line = Line::from(spans);
        if is_selected { line.style(Style::new().add_modifier(Modifier::REVERSED)) } else { line }
    };
    frame.render_widget(Text::from(shown.iter().enumerate().map(line).collect::<Vec<_>>()), area);
}

/// The lines of a record: its kind and its id, its text, and what else is known of it.
pub(crate) fn record(
    theme: &Theme,
    (kind, id): (&str, &str),
    text: &str,
    details: &[(&str, String)],
    width: usize,
) -> Vec<Line<'static>> {
    let (kind, id) = (on_one_line(kind), on_one_line(id));
    let mut lines = if columns(&kind) + 1 + columns(&id) <= width {
        let gap = if kind.is_empty() { "" } else { " " };
        let spans = [Span::styled(kind, theme.kind), Span::raw(gap), Span::styled(id, theme.id)];
        vec![Line::from(spans.to_vec())]
    } else {
        let parts = [(kind, theme.kind), (id, theme.id)];
        let of_part = |(part, style): &(String, Style)| {
            let style = *style;
            wrap(part, width).into_iter().map(move |it| Line::styled(it, style)).collect::<Vec<_>>()
        };
        parts.iter().flat_map(of_part).collect()
    };
    lines.extend(text_lines(text, width));
    for (name, value) in details.iter().filter(|(_, value)| !value.is_empty()) {
        // The name of an unknown member may be long.
        let name = cut(&on_one_line(name), NAMES - 1, Keep::Start);
        let value: String = on_one_line(value).chars().take(MAX_VALUE_CHARS).collect();
        lines.extend(pair(&name, &value, NAMES, width, FAINT));
    }
    lines
}

/// Draws lines as far as they fit, from the one to which they are scrolled, and returns how far they can be. `keys`
/// scroll them, if any do.
pub(crate) fn scrolled(
    frame: &mut Frame<'_>,
    area: Rect,
    scroll: &Scroll,
    mut lines: Vec<Line<'_>>,
    keys: &str,
) -> usize {
    let (count, height) = (lines.len(), usize::from(area.height));
    if count <= height {
        frame.render_widget(Text::from(lines), area);
        return 0;
    }
    // Where there is hardly any room, the text needs it.
    let has_footer = height > 2 && !keys.is_empty();
    let room = if has_footer { height - 1 } else { height };
    let most = count - room;
    let first = scroll.at().min(most);
    let mut shown: Vec<Line<'_>> = lines.drain(first..first + room).collect();
    if has_footer {
        let text = format!("lines {}-{} of {count}; {keys} scroll", first + 1, first + room);
        shown.push(Line::styled(text, FAINT));
    }
    frame.render_widget(Text::from(shown), area);
    most
}

/// Draws a faint text, and nothing else.
pub(crate) fn only(frame: &mut Frame<'_>, area: Rect, text: &str) {
    let text: Vec<Line<'_>> = wrap(text, area.width.into()).into_iter().map(Line::from).collect();
    frame.render_widget(Text::from(text).style(FAINT), area);
}

/// The lines of a text that has several.
pub(crate) fn text_lines(text: &str, width: usize) -> Vec<Line<'static>> {
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

/// The lines of the help.
pub(crate) fn help(theme: &Theme, keys: &'static [Key], width: usize) -> Vec<Line<'static>> {
    keys.iter().flat_map(|key| pair(key.key, key.about, KEY_COLUMNS, width, theme.kind)).collect()
}

/// Draws a form.
pub(crate) fn form(frame: &mut Frame<'_>, area: Rect, form: &Form) {
    let names = form.fields.iter().map(|field| columns(&field.name) + 3).max().unwrap_or(0).max(NAMES);
    let room = usize::from(area.width).saturating_sub(names).max(2);
    let (mut lines, mut cursor) = (Vec::new(), None);
    for (at, field) in form.fields.iter().enumerate() {
        let is_active = at == form.at;
        let name = format!("{}{:<width$}", if is_active { "> " } else { "  " }, field.name, width = names - 2);
        let name_style = if is_active { BOLD } else { FAINT };
        let (texts, place) = match &field.entered {
            Entered::Text(edit) => edit.lines(room),
            Entered::Choice { options, at } => {
                let mark = |(index, option): (usize, &&str)| {
                    if index == *at { format!("[{option}]") } else { format!(" {option} ") }
                };
                (vec![options.iter().enumerate().map(mark).collect::<Vec<_>>().join("")], (0, 0))
            }
        };
        if is_active {
            cursor = Some((lines.len() + place.0, names + place.1));
        }
        for (index, text) in texts.into_iter().enumerate() {
            let name = if index == 0 { name.clone() } else { " ".repeat(names) };
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
