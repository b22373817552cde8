//! Text for a terminal: removing control characters, measuring and truncating in columns. No I/O.

use std::fmt::Display;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};
use chrono::{DateTime, Utc};
use loopmem::Redaction;
use loopmem::safety::is_steering;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The width assumed if the terminal does not report one.
const WIDTH: usize = 80;

pub(crate) const PLAIN: Style = Style::new();
pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();
pub(crate) const ID: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));
pub(crate) const ERROR: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red))).bold();
pub(crate) const WARNING: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Yellow)));
pub(crate) const REPAIRED: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
pub(crate) const KIND: Style = Style::new().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Cyan)));

/// Whether tables are printed as lines with tabs, without a head.
static AS_TSV: AtomicBool = AtomicBool::new(false);

/// Prints tables from now on for other programs: as lines with tabs, without a head, and never cut.
pub(crate) fn print_as_tsv() {
    AS_TSV.store(true, Ordering::Relaxed);
}

/// Whether tables are printed for other programs.
pub(crate) fn is_tsv() -> bool {
    AS_TSV.load(Ordering::Relaxed)
}

/// Replaces control characters and bidirectional overrides: agents wrote the text, and what they read may be malicious.
/// Line breaks and tabs are kept.
pub(crate) fn sanitize(text: &str) -> String {
    let steers = |it: char| is_steering(it) && it != '\n' && it != '\t';
    text.replace("\r\n", "\n").replace(steers, "\u{fffd}")
}

/// The first line that is not blank.
pub(crate) fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}

/// `text` sanitized and on one line.
pub(crate) fn on_one_line(text: &str) -> String {
    sanitize(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The width of the terminal; elsewhere, nothing is cut.
pub(crate) fn width() -> usize {
    if !std::io::stdout().is_terminal() {
        return usize::MAX;
    }
    terminal_size::terminal_size_of(std::io::stdout()).map_or(WIDTH, |(width, _)| width.0.into())
}

/// The width of the text in columns.
pub(crate) fn columns(text: &str) -> usize {
    text.graphemes(true).map(UnicodeWidthStr::width).sum()
}

/// Which end of a text is kept when it is truncated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    Start,
    End,
}

/// Truncates the text to at most `most` columns, without splitting a grapheme.
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

/// The age of a record's time: `now`, `5m`, `3h`, `2d`, `6w`, `8mo`, `2y`. For other programs, the time itself.
pub(crate) fn age(time: &str, now: DateTime<Utc>) -> String {
    if is_tsv() { on_one_line(time) } else { elapsed(time, now) }
}

fn elapsed(time: &str, now: DateTime<Utc>) -> String {
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

/// A record's time, to the minute, with its age.
pub(crate) fn moment(time: &str, now: DateTime<Utc>) -> String {
    if is_tsv() {
        return on_one_line(time);
    }
    let Ok(then) = DateTime::parse_from_rfc3339(time) else { return on_one_line(time) };
    let age = elapsed(time, now);
    let ago = if age == "now" { "just now".to_owned() } else { format!("{age} ago") };
    format!("{} UTC ({ago})", then.to_utc().format("%Y-%m-%d %H:%M"))
}

/// `1 note`, `2 notes`.
pub(crate) fn counted<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    match (&count, noun.strip_suffix('y')) {
        (one, _) if *one == N::from(1) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {noun}s"),
    }
}

/// A size for people: `12 kB`.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", bytes.div_ceil(1_000)),
        _ => format!("{} MB", bytes.div_ceil(1_000_000)),
    }
}

/// What was redacted: `2 secrets in content (keyed-value)`.
pub(crate) fn redacted(Redaction { field, rule, count, .. }: &Redaction) -> String {
    format!("{} in {} ({rule})", counted(*count, "secret"), on_one_line(field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphemes_are_never_split() {
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
    fn control_characters_are_replaced() {
        assert_eq!(
            sanitize("a\u{1b}[31mb\u{9b}c\u{202e}d\te\r\nf\u{7}"),
            "a\u{fffd}[31mb\u{fffd}c\u{fffd}d\te\nf\u{fffd}"
        );
        assert_eq!(on_one_line(" a\n\n b\tc "), "a b c");
    }

    #[test]
    fn ages_are_shown_in_a_suitable_unit() {
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
