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

    /// Shows the next line at once.
    fn hurry(&mut self) {
        self.next = Duration::ZERO;
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

/// The steps of a long call, for the line that shows them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Steps {
    /// What the call does: `indexing`.
    pub(crate) what: &'static str,
    /// What it counts.
    pub(crate) noun: &'static str,
    /// What the last step does, if it is of another kind.
    pub(crate) last: Option<&'static str>,
    /// Whether a single step may take long, so that each is shown as soon as it begins.
    pub(crate) are_slow: bool,
}

impl Steps {
    /// Reading the files of a repository.
    pub(crate) const INDEXING: Steps = Steps { what: "indexing", noun: "file", last: None, are_slow: false };

    /// The line in at most `width` columns.
    fn line(&self, done: u64, total: u64, width: usize) -> String {
        let total = total.saturating_sub(u64::from(self.last.is_some()));
        match self.last {
            Some(last) if done >= total => last.to_owned(),
            _ => bar(self.what, done, total, &format!("{done} of {}", counted(total, self.noun)), width),
        }
    }
}

/// The line of the calls of this process; `None` if none has shown one.
static OF_CALLS: Mutex<Option<Progress>> = Mutex::new(None);

/// A callback that shows the steps of a call until all are done.
pub(crate) fn of_calls(steps: Steps, is_wanted: bool) -> impl Fn(u64, u64) + Send + Sync + 'static {
    *OF_CALLS.lock().unwrap_or_else(PoisonError::into_inner) = Some(Progress::new(is_wanted));
    move |done, total| {
        let mut line = OF_CALLS.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(progress) = line.as_mut() else { return };
        if steps.are_slow {
            progress.hurry();
        }
        match done == total {
            true => progress.clear(),
            false => progress.update(|width| steps.line(done, total, width)),
        }
    }
}

/// Shows none from now on: something else has the screen.
pub(crate) fn end() {
    *OF_CALLS.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

/// Removes the line of the calls, before something else is written to the terminal.
pub(crate) fn clear() {
    if let Some(progress) = OF_CALLS.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        progress.clear();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_it_is_and_when_the_last_step_is_another() {
        let steps = Steps { what: "extracting", noun: "session", last: None, are_slow: true };
        assert_eq!(steps.line(1, 2, 48), "extracting [######       ]  50%, 1 of 2 sessions");
        let steps = Steps { last: Some("consolidating"), ..steps };
        assert_eq!(steps.line(0, 2, 48), "extracting [              ]   0%, 0 of 1 session");
        assert_eq!((steps.line(1, 2, 48), steps.line(0, 1, 48)), ("consolidating".into(), "consolidating".into()));
    }
}
