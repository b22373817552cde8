//! What may go to a terminal: text without control characters, measured and cut in columns. Pure.

use anstyle::{AnsiColor, Style};
use chrono::{DateTime, Utc};
use loopmem::safety::is_steering;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// How wide a terminal is that does not tell.
const WIDTH: usize = 80;

pub(crate) const PLAIN: Style = Style::new();
pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();
pub(crate) const ID: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));
pub(crate) const ERROR: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red))).bold();
pub(crate) const WARNING: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));
pub(crate) const MENDED: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
pub(crate) const KIND: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Cyan)));

/// `text` without what would steer the terminal or turn the reading around: agents wrote it, and what they read may
/// have been made to deceive. Line breaks and tabs stay.
pub(crate) fn tame(text: &str) -> String {
    let steers = |it: char| is_steering(it) && it != '\n' && it != '\t';
    text.replace("\r\n", "\n").replace(steers, "\u{fffd}")
}

/// The first line that holds anything.
pub(crate) fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}

/// On one line, fit for a terminal.
pub(crate) fn on_one_line(text: &str) -> String {
    tame(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How wide the terminal is.
pub(crate) fn width() -> usize {
    terminal_size::terminal_size_of(std::io::stdout()).map_or(WIDTH, |(width, _)| width.0.into())
}

/// How many columns the text takes.
pub(crate) fn columns(text: &str) -> usize {
    text.graphemes(true).map(UnicodeWidthStr::width).sum()
}

/// Which end of a text goes when it is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    Start,
    End,
}

/// The text in at most `most` columns. No character is cut in two, and neither is one that is made of several.
pub(crate) fn cut(text: &str, most: usize, keep: Keep) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let Some(room) = most.checked_sub(1) else { return String::new() };
    let mut taken = 0;
    let mut fits = |grapheme: &&str| {
        taken += grapheme.width();
        taken <= room
    };
    match keep {
        Keep::Start => {
            let kept: String = text.graphemes(true).take_while(&mut fits).collect();
            format!("{}…", kept.trim_end())
        }
        Keep::End => {
            let kept: Vec<&str> = text.graphemes(true).rev().take_while(&mut fits).collect();
            let kept: String = kept.into_iter().rev().collect();
            format!("…{}", kept.trim_start())
        }
    }
}

/// How long ago a time of a record was: `now`, `5m`, `3h`, `2d`, `6w`, `8mo`, `2y`.
pub(crate) fn age(time: &str, now: DateTime<Utc>) -> String {
    let Ok(then) = DateTime::parse_from_rfc3339(time) else { return on_one_line(time) };
    let seconds = now.signed_duration_since(then).num_seconds();
    const STEPS: [(i64, i64, &str); 6] = [
        (3_600, 60, "m"),
        (86_400, 3_600, "h"),
        (14 * 86_400, 86_400, "d"),
        (60 * 86_400, 7 * 86_400, "w"),
        (730 * 86_400, 30 * 86_400, "mo"),
        (i64::MAX, 365 * 86_400, "y"),
    ];
    match STEPS.iter().find(|(below, ..)| seconds < *below) {
        Some((_, unit, name)) if seconds >= 60 => format!("{}{name}", seconds / unit),
        _ => "now".to_owned(),
    }
}

/// A time of a record, to the minute, and how long ago that was.
pub(crate) fn moment(time: &str, now: DateTime<Utc>) -> String {
    let Ok(then) = DateTime::parse_from_rfc3339(time) else { return on_one_line(time) };
    let age = age(time, now);
    let ago = if age == "now" { "just now".to_owned() } else { format!("{age} ago") };
    format!("{} UTC ({ago})", then.to_utc().format("%Y-%m-%d %H:%M"))
}

/// `1 note`, `2 notes`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    match (count, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_are_never_cut_in_two() {
        assert_eq!(cut("日本語です", 10, Keep::Start), "日本語です");
        assert_eq!(cut("日本語です", 9, Keep::Start), "日本語で…");
        assert_eq!(cut("日本語です", 8, Keep::Start), "日本語…");
        assert_eq!(cut("日本語です", 8, Keep::End), "…語です");
        // A family, which is one character on the screen, and an e with its accent.
        assert_eq!(cut("👨‍👩‍👧 at home", 4, Keep::Start), "👨‍👩‍👧…");
        assert_eq!(cut("cafe\u{301}s", 5, Keep::Start), "cafe\u{301}s");
        assert_eq!(cut("cafe\u{301}s too", 5, Keep::Start), "cafe\u{301}…");
        assert_eq!((cut("ab", 1, Keep::Start), cut("ab", 0, Keep::End)), ("…".to_owned(), String::new()));
        for most in 0..30 {
            for keep in [Keep::Start, Keep::End] {
                assert!(columns(&cut("日本 👨‍👩‍👧 cafe\u{301}s 🇩🇪 end", most, keep)) <= most, "{most}");
            }
        }
    }

    #[test]
    fn nothing_steers_the_terminal() {
        assert_eq!(tame("a\u{1b}[31mb\u{9b}c\u{202e}d\te\r\nf\u{7}"), "a\u{fffd}[31mb\u{fffd}c\u{fffd}d\te\nf\u{fffd}");
        assert_eq!(on_one_line(" a\n\n b\tc "), "a b c");
    }

    #[test]
    fn ages_are_told_in_the_unit_that_fits() {
        let now = DateTime::parse_from_rfc3339("2026-06-15T12:00:00Z").unwrap().to_utc();
        for (time, expected) in [
            ("2026-06-15T12:00:30Z", "now"),
            ("2026-06-15T11:59:01Z", "now"),
            ("2026-06-15T11:58:59Z", "1m"),
            ("2026-06-15T09:00:00.000Z", "3h"),
            ("2026-06-02T12:00:00Z", "13d"),
            ("2026-05-25T12:00:00Z", "3w"),
            ("2026-01-15T12:00:00Z", "5mo"),
            ("2020-06-15T12:00:00Z", "6y"),
            ("once", "once"),
        ] {
            assert_eq!(age(time, now), expected, "{time}");
        }
        assert_eq!(moment("2026-06-15T09:00:00.000Z", now), "2026-06-15 09:00 UTC (3h ago)");
        assert_eq!(
            (counted(1, "entry"), counted(0, "entry"), counted(2, "note")),
            ("1 entry".into(), "0 entries".into(), "2 notes".into())
        );
    }
}
