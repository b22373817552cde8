//! Browsers on the whole screen: the terminal while they have it, and what they are made of.
//!
//! A [`Browser`] is a state that keys change and that is drawn; [`run`] passes keys to it and performs what it asks for.

pub(crate) mod draw;
pub(crate) mod form;
pub(crate) mod keys;
pub(crate) mod line_edit;
pub(crate) mod pane;
mod screen;
mod signals;

use std::io::{self, IsTerminal};
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use chrono::{DateTime, Utc};
use loopmem::methods::scrub;
use loopmem::safety::escape_controls_on_one_line;
use loopmem::{Error, ErrorKind, Result};
use ratatui_core::terminal::Frame;

use crate::human::environment::is_dumb_terminal;
use crate::human::progress;
use crate::human::screen::on_one_line;
use crate::output::usage_error;
use crate::session::Session;
use crate::warnings::Held;
use crate::wording;
use draw::Drawn;
pub(crate) use keys::Input;
use screen::{Screen, TICK};
use signals::Signals;

/// What a browser says of an error, on one line.
pub(crate) fn message_of(error: &Error) -> String {
    let message = match error.message().split_once("; remove it") {
        // What to do about a secret is different here.
        Some((what, _)) if error.kind() == ErrorKind::SecretRefused => what.to_owned(),
        _ => wording::error(error),
    };
    escape_controls_on_one_line(&scrub(&message)).into_owned()
}

/// How a browser was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    /// The one that opened it goes on.
    Back,
    /// Everything ends.
    Quit,
}

/// What follows from an effect.
pub(crate) enum Next<E> {
    Effects(Vec<E>),
    Leave(Left),
}

/// What is shown on the whole screen.
pub(crate) trait Browser {
    /// Something that the state cannot do by itself.
    type Effect;

    /// Handles an input.
    fn update(&mut self, input: Input) -> Vec<Self::Effect>;

    /// Performs an effect and handles its outcome.
    ///
    /// # Errors
    /// `IOError` if the terminal is lost.
    fn perform(&mut self, effect: Self::Effect, ui: &mut Ui) -> Result<Next<Self::Effect>>;

    /// Whether an effect is of no use if another one such follows: of what is typed fast, only the last search is performed.
    fn is_listing(effect: &Self::Effect) -> bool;

    /// Whether keys change nothing but what is searched for. Any other key needs the list that is still to come.
    fn is_typing(&self) -> bool;

    /// Draws the state as it is at this time.
    fn draw(&mut self, now: DateTime<Utc>, frame: &mut Frame<'_>, is_coloured: bool) -> Drawn;

    /// Takes note of the screen that was drawn.
    fn drawn(&mut self, drawn: Drawn);
}

/// The terminal, while browsers have it.
pub(crate) struct Ui {
    // Before `held`, which prints what is left when the screen is given back.
    screen: Screen,
    held: Held,
    signals: Signals,
    is_coloured: bool,
}

impl Ui {
    /// Ends the command, which says what to use instead, unless there is a terminal.
    pub(crate) fn require(session: &Session<'_>, command: &str, instead: &str) {
        let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb_terminal();
        if session.is_for_programs() || !is_terminal {
            usage_error(&format!("`{command}` needs a terminal; elsewhere, use {instead}"))
        }
    }

    /// Takes the terminal, runs a browser until it is left, and gives the terminal back.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub(crate) fn with<B: Browser>(session: &Session<'_>, browser: &mut B, first: Vec<B::Effect>) -> Result<()> {
        let signals = Signals::watch();
        // As for other output: `NO_COLOR` and the like.
        let is_coloured = AutoStream::choice(&io::stdout()) != ColorChoice::Never;
        progress::end();
        let mut ui = Ui { screen: Screen::take()?, held: Held::begin(), signals, is_coloured };
        let outcome = ui.run(session, browser, first);
        let Ui { screen, held, signals, .. } = ui;
        drop(screen);
        drop(held);
        signals.obey();
        outcome.map(drop)
    }

    /// Runs a browser until it is left.
    ///
    /// # Errors
    /// `IOError` if the terminal is lost.
    pub(crate) fn run<B: Browser>(
        &mut self,
        session: &Session<'_>,
        browser: &mut B,
        first: Vec<B::Effect>,
    ) -> Result<Left> {
        let mut effects = first;
        // The first list may take a while.
        self.draw(session, browser)?;
        loop {
            if let Some(left) = self.perform(browser, effects)? {
                return Ok(left);
            }
            self.draw(session, browser)?;
            let input = loop {
                if self.signals.arrived() {
                    return Ok(Left::Quit);
                }
                if let Some(input) = self.screen.input(TICK)? {
                    break input;
                }
            };
            effects = browser.update(input);
            while browser.is_typing() && effects.iter().all(B::is_listing) {
                let Some(input) = self.screen.input(Duration::ZERO)? else { break };
                effects.extend(browser.update(input));
            }
        }
    }

    fn draw<B: Browser>(&mut self, session: &Session<'_>, browser: &mut B) -> Result<()> {
        let (now, is_coloured, mut drawn) = (session.current_time(), self.is_coloured, Drawn::default());
        self.screen.draw(|frame| drawn = browser.draw(now, frame, is_coloured))?;
        browser.drawn(drawn);
        Ok(())
    }

    /// Performs effects and what follows from them, and returns how the browser was left, if it was.
    fn perform<B: Browser>(&mut self, browser: &mut B, mut effects: Vec<B::Effect>) -> Result<Option<Left>> {
        while !effects.is_empty() {
            let effect = effects.remove(0);
            if B::is_listing(&effect) && effects.iter().any(B::is_listing) {
                continue;
            }
            match browser.perform(effect, self)? {
                Next::Effects(more) => effects.extend(more),
                Next::Leave(left) => return Ok(Some(left)),
            }
            for warning in self.held.take().lines() {
                let warning = warning.strip_prefix("loopmem: ").unwrap_or(warning);
                effects.extend(browser.update(Input::Warned(on_one_line(warning))));
            }
        }
        Ok(None)
    }

    /// Gives the terminal, and the keys that interrupt, to another program while `work` runs.
    ///
    /// # Errors
    /// `IOError` if the terminal cannot be taken again.
    pub(crate) fn suspended<T>(&mut self, work: impl FnOnce() -> T) -> Result<T> {
        let signals = &mut self.signals;
        self.screen.suspended(|| signals.without_interrupts(work))
    }
}
