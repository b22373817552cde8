//! `items browse`: looks through items and changes them, on the whole screen.
//!
//! `app` is the state and how events change it, `view` draws it, `effects` calls the methods, `screen` has the terminal.

mod app;
mod effects;
mod entry;
mod event;
mod help;
mod history;
mod line_edit;
mod pane;
mod screen;
mod signals;
mod view;

#[cfg(test)]
mod tests;

use std::io::{self, IsTerminal};
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use clap::{Arg, ArgMatches, Command};
use loopmem::Result;

use crate::human::arguments::text_words;
use crate::human::environment::is_dumb_terminal;
use crate::human::items::item;
use crate::human::screen::on_one_line;
use crate::output::usage_error;
use crate::session::Session;
use crate::warnings::Held;
use app::{App, Drawn};
use effects::Backend;
use event::{Effect, Event};
use screen::{Screen, TICK};
use signals::Signals;

/// The command.
pub(super) fn command(folders: &[Arg]) -> Command {
    Command::new("browse")
        .about("Looks through items, and adds, edits, archives and restores them, on the whole screen")
        .after_help(help::text())
        .arg(text_words("What to search for first"))
        .args(folders)
}

/// Runs the browser until it is left.
///
/// # Errors
/// `IOError` if the terminal is lost; the first call's errors.
pub(super) fn run(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal() && !is_dumb_terminal();
    if session.is_for_programs() || !is_terminal {
        usage_error("`items browse` needs a terminal; elsewhere, use `loopmem items list` and `loopmem items recall`")
    }
    let words: Vec<&str> = args.get_many::<String>("text").into_iter().flatten().map(String::as_str).collect();
    let backend = Backend { session, folders: item::folders(session, args)? };
    // As for other output: `NO_COLOR` and the like.
    let is_coloured = AutoStream::choice(&io::stdout()) != ColorChoice::Never;
    let (mut app, first) = App::new(&words.join(" "), backend.default_scope()?, session.now);
    // What is wrong with the stores is said on the usual screen.
    if let Some(Event::Failed(_)) = backend.perform(first) {
        item::stored(session, &backend.folders)?;
    }
    let mut signals = Signals::watch();
    let outcome =
        Browser { backend, screen: Screen::take()?, held: Held::begin(), is_coloured }.run(&mut app, &mut signals);
    signals.obey();
    outcome
}

struct Browser<'b> {
    backend: Backend<'b>,
    // Before `held`, which prints what is left when the screen is given back.
    screen: Screen,
    held: Held,
    is_coloured: bool,
}

impl Browser<'_> {
    fn run(mut self, app: &mut App, signals: &mut Signals) -> Result<()> {
        let mut effects = vec![Effect::List(app.filter.clone())];
        loop {
            if self.perform(app, effects, signals)? {
                return Ok(());
            }
            app.now = self.backend.session.current_time();
            let mut drawn = Drawn::default();
            self.screen.draw(|frame| drawn = view::draw(app, frame, self.is_coloured))?;
            app.drawn(drawn);
            let event = loop {
                if signals.arrived() {
                    return Ok(());
                }
                if let Some(event) = self.screen.event(TICK)? {
                    break event;
                }
            };
            effects = app.update(event);
            // Of what is typed fast, only the last search is performed.
            while effects.iter().all(|effect| matches!(effect, Effect::List(_))) {
                let Some(event) = self.screen.event(Duration::ZERO)? else { break };
                effects.extend(app.update(event));
            }
        }
    }

    /// Performs effects and what follows from them, and returns whether to quit.
    fn perform(&mut self, app: &mut App, mut effects: Vec<Effect>, signals: &mut Signals) -> Result<bool> {
        while !effects.is_empty() {
            let effect = effects.remove(0);
            let is_listed_again = |other: &Effect| matches!(other, Effect::List(_));
            let event = match effect {
                Effect::Quit => return Ok(true),
                Effect::List(_) if effects.iter().any(is_listed_again) => continue,
                Effect::OpenEditor(item) => {
                    let backend = &self.backend;
                    Some(self.screen.suspended(|| signals.without_interrupts(|| backend.edit(item)))?)
                }
                effect => self.backend.perform(effect),
            };
            effects.extend(event.into_iter().flat_map(|event| app.update(event)));
            for warning in self.held.take().lines() {
                let warning = warning.strip_prefix("loopmem: ").unwrap_or(warning);
                effects.extend(app.update(Event::Warned(on_one_line(warning))));
            }
        }
        Ok(false)
    }
}
