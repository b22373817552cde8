//! Draws the browser.

use ratatui_core::layout::Rect;
use ratatui_core::terminal::Frame;
use ratatui_core::text::Line;

use super::app::{App, Mode};
use super::event::{Place, Row};
use super::help::{KEYS, PAGE_KEYS, READ_KEYS, REMOVED_KEYS, TRASH_KEYS};
use super::room::{Mark, Page, Shown};
use crate::human::screen::{Keep, age, counted, on_one_line};
use crate::human::tui::draw::{self, BOLD, Drawn, Entry, FAINT, Theme, text_lines};
use crate::human::tui::keys::{FORM_KEYS, SEARCH_KEYS};
use crate::human::tui::pane::wrap;

/// Draws the state on the whole screen.
pub(super) fn draw(app: &App, frame: &mut Frame<'_>, is_coloured: bool) -> Drawn {
    let theme = Theme::new(is_coloured);
    let keys = match app.mode {
        Mode::List if matches!(app.level.place, Place::Trash(_)) => TRASH_KEYS,
        Mode::List => KEYS,
        Mode::Search => SEARCH_KEYS,
        Mode::Read if matches!(app.level.place, Place::Trash(_)) => REMOVED_KEYS,
        Mode::Read => READ_KEYS,
        Mode::Edit(..) => FORM_KEYS,
        Mode::Page(..) => PAGE_KEYS,
        Mode::Help => &[],
    };
    let Some(parts) = draw::parts(frame, &theme, &app.status, app.kept.as_deref(), keys) else {
        return Drawn { is_too_small: true, ..Drawn::default() };
    };
    draw_title(app, frame, parts.title, &theme);
    let (line, rest) = (parts.line, parts.rest);
    let width = usize::from(rest.width);
    let most_scroll = match &app.mode {
        Mode::Edit(hit, form) => {
            frame.render_widget(Line::styled(format!("Edit the {}", on_one_line(&hit.kind)), BOLD), line);
            draw::form(frame, rest, form);
            0
        }
        Mode::Page(_, page, prompt, shown) => {
            draw::typed(frame, line, "Prompt: ", prompt, true);
            draw_page(app, page, shown.as_ref(), frame, rest, &theme)
        }
        Mode::Help => {
            frame.render_widget(Line::styled("Help: j k scroll, other keys go back", BOLD), line);
            draw::scrolled(frame, rest, &app.scroll, draw::help(&theme, KEYS, width), "j k")
        }
        Mode::Read => {
            draw_search(app, frame, line);
            let lines = app.selected().map_or_else(Vec::new, |row| record(row, &theme, width));
            draw::scrolled(frame, rest, &app.scroll, lines, "j k")
        }
        Mode::List | Mode::Search => {
            draw_search(app, frame, line);
            draw_rows(app, frame, rest, &theme)
        }
    };
    Drawn { most_scroll, is_too_small: false }
}

fn draw_title(app: &App, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
    let place = &app.level.place;
    let (name, noun) = match place {
        Place::Home => ("home", "entry"),
        Place::Repo(_) => ("repository", "entry"),
        Place::Room(_, room) => (room.as_str(), "record"),
        Place::Trash(_) => ("removed", "record"),
        Place::Rest => ("outside repositories", "record"),
    };
    let noun = if app.level.search.text().is_empty() { noun } else { "record" };
    let count = app.level.rows.as_ref().map_or_else(String::new, |rows| counted(rows.len(), noun));
    // Of a folder, the end says more.
    let repo = place.repo().map_or("", |known| &known.name);
    draw::title(frame, area, theme, name, repo, Keep::End, &count);
}

fn draw_search(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let is_active = matches!(app.mode, Mode::Search);
    let search = &app.level.search;
    if !search.text().is_empty() || is_active {
        draw::typed(frame, area, "/ ", search, is_active);
        return;
    }
    let place = match app.level.place {
        Place::Home => "everything",
        Place::Repo(_) => "the repository",
        Place::Room(..) => "the room",
        Place::Trash(_) => "what was removed",
        Place::Rest => "what is outside repositories",
    };
    let text = match app.undoable() {
        0 => format!("/ searches {place}"),
        1 => format!("/ searches {place}, u undoes the last change"),
        count => format!("/ searches {place}, u undoes the last of {count} changes"),
    };
    frame.render_widget(Line::styled(text, FAINT), area);
}

/// What is said of an empty list.
fn nothing(app: &App) -> &'static str {
    match app.level.place {
        _ if !app.level.search.text().is_empty() => "Nothing matches.",
        Place::Home => "Nothing is stored yet; `loopmem memory add note TEXT` in a repository stores a note.",
        Place::Repo(_) | Place::Room(..) | Place::Rest => "Nothing is stored here.",
        Place::Trash(_) => "There is nothing to restore.",
    }
}

fn draw_rows(app: &App, frame: &mut Frame<'_>, area: Rect, theme: &Theme) -> usize {
    let Some(rows) = &app.level.rows else {
        draw::only(frame, area, "Reading…");
        return 0;
    };
    if rows.is_empty() {
        draw::only(frame, area, nothing(app));
        return 0;
    }
    // Rooms and pages have little to be shown below them.
    let is_overview = matches!(app.level.place, Place::Repo(_)) && app.level.search.text().is_empty();
    let [list, selected] = if is_overview { [area, Rect::default()] } else { draw::list_and_selected(frame, area) };
    draw::list(frame, list, theme, (rows.len(), app.level.selected), |at| {
        let row = rows.get(at)?;
        let time = if row.time.is_empty() { String::new() } else { age(&row.time, app.now) };
        let (kind, label, state) = (row.kind.clone(), row.label.clone(), row.state.clone());
        Some(Entry { kind, label, keeps_end: row.keeps_end, state, age: time })
    });
    let Some(row) = app.selected().filter(|_| !is_overview) else { return 0 };
    let lines = record(row, theme, selected.width.into());
    // In a search, they are typed.
    let keys = if matches!(app.mode, Mode::Search) { "" } else { "J K" };
    draw::scrolled(frame, selected, &app.scroll, lines, keys)
}

fn record(row: &Row, theme: &Theme, width: usize) -> Vec<Line<'static>> {
    draw::record(theme, (&row.kind, &row.id), &row.text, &row.details, width)
}

fn draw_page(app: &App, page: &Page, shown: Option<&Shown>, frame: &mut Frame<'_>, area: Rect, theme: &Theme) -> usize {
    let Some(Shown { about, text }) = shown else {
        let then = if page.is_shown_without_prompt { "" } else { " Type a prompt; Enter shows it." };
        draw::only(frame, area, &format!("{}.{then}", page.about));
        return 0;
    };
    let width = usize::from(area.width);
    let mut lines = Vec::new();
    for (mark, said) in about {
        let style = match mark {
            Mark::Head => BOLD,
            Mark::Entry => theme.kind,
            Mark::Reason => FAINT,
        };
        lines.extend(wrap(&on_one_line(said), width).into_iter().map(|line| Line::styled(line, style)));
    }
    if !text.is_empty() {
        lines.push(Line::styled(format!("{} characters:", text.chars().count()), FAINT));
        lines.extend(text_lines(text, width));
    }
    draw::scrolled(frame, area, &app.scroll, lines, "Up Down")
}
