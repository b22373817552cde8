//! `items browse`: looks through items and changes them, on the whole screen.
//!
//! `app` is the state and how events change it, `view` draws it, `effects` calls the methods.

mod app;
mod effects;
mod event;
mod help;
mod history;
mod view;

#[cfg(test)]
mod tests;

use chrono::{DateTime, Utc};
use clap::{Arg, ArgMatches, Command};
use loopmem::Result;
use ratatui_core::terminal::Frame;

use crate::human::arguments::text_words;
use crate::human::items::item;
use crate::human::tui::draw::Drawn;
use crate::human::tui::{Browser, Input, Left, Next, Ui, keys};
use crate::session::{Members, Session};
use app::App;
use effects::Backend;
use event::{Effect, Event};

/// The command.
pub(super) fn command(folders: &[Arg]) -> Command {
    Command::new("browse")
        .about("Looks through items, and adds, edits, archives and forgets them, on the whole screen")
        .after_help(keys::text(help::KEYS))
        .arg(text_words("What to search for first"))
        .args(folders)
}

/// Runs the browser until it is left.
///
/// # Errors
/// `IOError` if the terminal is lost; the first call's errors.
pub(super) fn run(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    Ui::require(session, "items browse", "`loopmem items list` and `loopmem items recall`");
    let words: Vec<&str> = args.get_many::<String>("text").into_iter().flatten().map(String::as_str).collect();
    let (mut items, first) = Items::new(session, item::folders(session, args)?, &words.join(" "))?;
    Ui::with(session, &mut items, vec![first])
}

/// Shows the items that apply to these folders, on a screen that is taken already.
///
/// # Errors
/// As [`run`].
pub(super) fn open(session: &Session<'_>, folders: &Members, ui: &mut Ui) -> Result<Left> {
    let (mut items, first) = Items::new(session, folders.clone(), "")?;
    ui.run(session, &mut items, vec![first])
}

struct Items<'b> {
    app: App,
    backend: Backend<'b>,
}

impl<'b> Items<'b> {
    /// The browser, and the effect with which it begins. What is wrong with the stores is said at once.
    fn new(session: &'b Session<'b>, folders: Members, search: &str) -> Result<(Self, Effect)> {
        let backend = Backend { session, folders };
        let (app, first) = App::new(search, backend.default_scope()?, session.now);
        item::stored(session, &backend.folders)?;
        Ok((Items { app, backend }, first))
    }
}

impl Browser for Items<'_> {
    type Effect = Effect;

    fn update(&mut self, input: Input) -> Vec<Effect> {
        self.app.update(Event::Input(input))
    }

    fn perform(&mut self, effect: Effect, ui: &mut Ui) -> Result<Next<Effect>> {
        let event = match effect {
            Effect::Leave(left) => return Ok(Next::Leave(left)),
            Effect::OpenEditor(item) => {
                let backend = &self.backend;
                Some(ui.suspended(|| backend.edit(item))?)
            }
            effect => self.backend.perform(effect),
        };
        Ok(Next::Effects(event.into_iter().flat_map(|event| self.app.update(event)).collect()))
    }

    fn is_listing(effect: &Effect) -> bool {
        matches!(effect, Effect::List(_))
    }

    fn is_typing(&self) -> bool {
        self.app.is_typing()
    }

    fn draw(&mut self, now: DateTime<Utc>, frame: &mut Frame<'_>, is_coloured: bool) -> Drawn {
        self.app.now = now;
        view::draw(&self.app, frame, is_coloured)
    }

    fn drawn(&mut self, drawn: Drawn) {
        self.app.drawn(drawn);
    }
}
