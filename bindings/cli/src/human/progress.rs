//! One line on a terminal that says how far a long command is.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::human::environment::{Stopwatch, is_dumb_terminal};
use crate::human::screen::counted;

/// A shorter command shows nothing.
const DELAY: Duration = Duration::from_millis(500);
/// How often the line is rewritten.
const INTERVAL: Duration = Duration::from_millis(100);

/// The line, on standard error. It is not written if that is not a terminal.
pub(crate) struct Progress {
    clock: Option<Stopwatch>,
    next: Duration,
    /// The width of the line, 0 if none is shown.
    shown: usize,
}

impl Progress {
    pub(crate) fn new(is_wanted: bool) -> Self {
        let can_show = is_wanted && io::stderr().is_terminal() && !is_dumb_terminal();
        Progress { clock: can_show.then(Stopwatch::start), next: DELAY, shown: 0 }
    }

    /// Shows a line in ASCII, if it is time to; it is passed how long it may be.
    pub(crate) fn update(&mut self, line: impl FnOnce(usize) -> String) {
        let Some(now) = self.clock.as_ref().map(Stopwatch::elapsed).filter(|now| *now >= self.next) else { return };
        self.next = now + INTERVAL;
        let width = terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| usize::from(width.0));
        let line = line(width.saturating_sub(1));
        // A wrapped line could not be rewritten.
        if line.len() < width {
            self.write(&line);
        }
    }

    /// Removes the line, before something else is written to the terminal.
    pub(crate) fn clear(&mut self) {
        if self.shown > 0 {
            self.write("");
        }
    }

    /// Rewrites the line with blanks instead of escape sequences, which not every terminal understands.
    fn write(&mut self, line: &str) {
        let blanks = " ".repeat(self.shown.saturating_sub(line.len()));
        self.shown = line.len();
        let back = if line.is_empty() { "\r" } else { "" };
        // A command does not fail because its progress cannot be shown.
        let _ = io::stderr().lock().write_all(format!("\r{line}{blanks}{back}").as_bytes());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

/// A callback that shows how many files the index has read, until all are read or the callback is dropped.
pub(crate) fn indexing(is_wanted: bool) -> impl Fn(u64, u64) + Send + Sync + 'static {
    let progress = Mutex::new(Progress::new(is_wanted));
    move |done, total| {
        let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
        if done == total {
            progress.clear();
        } else {
            let files = format!("{done} of {}", counted(total, "file"));
            progress.update(|width| bar("indexing", done, total, &files, width));
        }
    }
}

/// A line such as `importing [#####     ]  50%, 10000 lines`, in at most `width` columns if that is possible.
pub(crate) fn bar(what: &str, done: u64, total: u64, counted: &str, width: usize) -> String {
    let percent = done.saturating_mul(100).checked_div(total).unwrap_or(100).min(100);
    let text = format!(" {percent:>3}%, {counted}");
    let most = width.saturating_sub(what.len() + " []".len() + text.len()).min(40);
    let full = most * usize::try_from(percent).unwrap_or(0) / 100;
    format!("{what} [{}{}]{text}", "#".repeat(full), " ".repeat(most - full))
}
