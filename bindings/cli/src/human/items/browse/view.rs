//! Draws the browser of items.

use ratatui_core::layout::Rect;
use ratatui_core::terminal::Frame;
use ratatui_core::text::Line;

use super::app::{App, Mode, Prompt};
use super::help::{KEYS, PROMPT_KEYS};
use crate::human::identified::Identified;
use crate::human::items::layout::{Recalled, details};
use crate::human::screen::{Keep, age, counted, on_one_line};
use crate::human::tui::draw::{self, BOLD, Drawn, Entry, FAINT, Theme, text_lines};
use crate::human::tui::keys::{FORM_KEYS, SEARCH_KEYS};
use crate::human::tui::pane::wrap;

/// Draws the state on the whole screen.
pub(super) fn draw(app: &App, frame: &mut Frame<'_>, is_coloured: bool) -> Drawn {
    let theme = Theme::new(is_coloured);
    let keys = match app.mode {
        Mode::List => KEYS,
        Mode::Search => SEARCH_KEYS,
        Mode::Entry(_) => FORM_KEYS,
        Mode::Prompt(_) => PROMPT_KEYS,
        Mode::Help => &[],
    };
    let Some(parts) = draw::parts(frame, &theme, &app.status, app.kept.as_deref(), keys) else {
        return Drawn { is_too_small: true, ..Drawn::default() };
    };
    draw_title(app, frame, parts.title, &theme);
    let most_scroll = match &app.mode {
        Mode::Entry(entry) => {
            let what = if entry.item.is_some() { "Edit the item" } else { "A new item" };
            frame.render_widget(Line::styled(what, BOLD), parts.line);
            draw::form(frame, parts.rest, &entry.form);
            0
        }
        Mode::Prompt(prompt) => {
            draw::typed(frame, parts.line, "Prompt: ", &prompt.line, true);
            draw_recall(app, prompt, frame, parts.rest, &theme)
        }
        Mode::Help => {
            frame.render_widget(Line::styled("Help: j k scroll, other keys go back", BOLD), parts.line);
            let lines = draw::help(&theme, KEYS, parts.rest.width.into());
            draw::scrolled(frame, parts.rest, &app.scroll, lines, "j k")
        }
        Mode::List | Mode::Search => {
            draw_search(app, frame, parts.line);
            draw_items(app, frame, parts.rest, &theme)
        }
    };
    Drawn { most_scroll, is_too_small: false }
}

fn draw_title(app: &App, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
    let filter = &app.filter;
    let all = "all";
    let chosen = format!(
        "scope {}  type {}  status {}",
        filter.scope.unwrap_or(all),
        filter.kind.unwrap_or(all),
        filter.status.unwrap_or(all)
    );
    let count = app.items.as_ref().map_or_else(String::new, |items| counted(items.len(), "item"));
    draw::title(frame, area, theme, "items", &chosen, Keep::Start, &count);
}

fn draw_search(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let is_active = matches!(app.mode, Mode::Search);
    if app.search.text().is_empty() && !is_active {
        let text = match app.undoable() {
            0 => "/ searches".to_owned(),
            1 => "/ searches, u undoes the last change".to_owned(),
            count => format!("/ searches, u undoes the last of {count} changes"),
        };
        frame.render_widget(Line::styled(text, FAINT), area);
        return;
    }
    draw::typed(frame, area, "/ ", &app.search, is_active);
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
        draw::only(frame, area, &nothing(app));
        return 0;
    }
    let [list, selected] = draw::list_and_selected(frame, area);
    draw::list(frame, list, theme, (items.len(), app.selected), |at| {
        let item = items.get(at)?;
        Some(Entry {
            kind: on_one_line(item.kind()),
            label: item.label(),
            state: item.state(app.now).to_owned(),
            age: age(&item.updated_at, app.now),
            ..Entry::default()
        })
    });
    let Some(item) = app.selected() else { return 0 };
    let (head, details) = ((item.kind(), item.id()), details(item, app.now));
    let lines = draw::record(theme, head, &item.content, &details, selected.width.into());
    // In a search, they are typed.
    let keys = if matches!(app.mode, Mode::Search) { "" } else { "J K" };
    draw::scrolled(frame, selected, &app.scroll, lines, keys)
}

fn draw_recall(app: &App, prompt: &Prompt, frame: &mut Frame<'_>, area: Rect, theme: &Theme) -> usize {
    let Some(recall) = &prompt.recall else {
        draw::only(frame, area, "Type what an agent is about to do; Enter shows what it would get, and why.");
        return 0;
    };
    let width = usize::from(area.width);
    let summary = wrap(&recall.summary(), width);
    let mut lines: Vec<Line<'_>> = summary.into_iter().map(|line| Line::styled(line, BOLD)).collect();
    for (place, it) in recall.items.iter().enumerate() {
        let Recalled { item, .. } = it;
        let text = format!("{}. {} {}", place + 1, on_one_line(item.kind()), item.label());
        lines.extend(wrap(&text, width).into_iter().map(|line| Line::styled(line, theme.kind)));
        let reasons = format!("   {}", it.reasons());
        lines.extend(wrap(&reasons, width).into_iter().map(|line| Line::styled(line, FAINT)));
    }
    if !recall.preamble.is_empty() {
        lines.push(Line::styled(format!("{} characters:", recall.preamble.chars().count()), FAINT));
        lines.extend(text_lines(&recall.preamble, width));
    }
    draw::scrolled(frame, area, &app.scroll, lines, "Up Down")
}
