//! `browse`: looks through everything that is remembered, on the whole screen.
//!
//! From the repositories of the home into one of them, from there into a room, and to a record; each is a level. `app` is the
//! state and how events change it, `view` draws it, `backend` calls the methods. What a room adds is its [`Browsing`].

mod app;
mod backend;
mod event;
mod help;
mod room;
mod view;

#[cfg(test)]
mod tests;

use chrono::{DateTime, Utc};
use clap::{ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::Description;
use ratatui_core::terminal::Frame;

use crate::human::arguments::text_words;
use crate::human::tui::draw::Drawn;
use crate::human::tui::{Browser, Input, Left, Next, Ui, keys};
use crate::human::{RoomCommand, repo_options};
use crate::output::ExitCode;
use crate::session::Session;
use app::App;
use backend::Backend;
use event::{Effect, Event};
pub(crate) use room::{Browsing, Editable, Mark, Page, Shown, unsupported};

/// The command.
pub(super) const COMMANDS: RoomCommand = RoomCommand {
    room: "browse",
    run: |session, args| Some(run(session, args).map(|()| ExitCode::SUCCESS)),
    ..RoomCommand::GENERATED
};

/// The command, with the options that select a repository.
pub(crate) fn command(description: &Description) -> Command {
    Command::new("browse")
        .about("Everything that is remembered, on the whole screen")
        .after_help(keys::text(help::KEYS))
        .arg(text_words("What to search for first"))
        .args(repo_options(description))
}

fn run(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    Ui::require(session, "browse", "`loopmem status`, `loopmem search` and `loopmem context`");
    let words: Vec<&str> = args.get_many::<String>("text").into_iter().flatten().map(String::as_str).collect();
    let backend = Backend::new(session, session.repo(args)?);
    let app = App::new(backend.path()?, &words.join(" "), session.now);
    let first = vec![app.reload()];
    Ui::with(session, &mut Home { app, backend }, first)
}

struct Home<'b> {
    app: App,
    backend: Backend<'b>,
}

impl Browser for Home<'_> {
    type Effect = Effect;

    fn update(&mut self, input: Input) -> Vec<Effect> {
        self.app.update(Event::Input(input))
    }

    fn perform(&mut self, effect: Effect, ui: &mut Ui) -> Result<Next<Effect>> {
        let backend = &mut self.backend;
        let event = match effect {
            Effect::Leave(left) => return Ok(Next::Leave(left)),
            Effect::OpenEditor(hit) => ui.suspended(|| backend.compose(&hit))?,
            Effect::OpenRoom(known, room) => match backend.open(&known, &room, ui) {
                Ok(Left::Quit) => return Ok(Next::Leave(Left::Quit)),
                Ok(Left::Back) => Event::Back,
                Err(error) => backend::failed(&error),
            },
            effect => backend.perform(effect),
        };
        Ok(Next::Effects(self.app.update(event)))
    }

    fn is_listing(effect: &Effect) -> bool {
        matches!(effect, Effect::List { .. })
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
