//! The terminal while the browser has it: raw input and the alternate screen, given back however the browser ends.

use std::io::{self, Stdout, stdout};
use std::time::Duration;

use loopmem::{Error, ErrorKind, Result};
use ratatui_core::terminal::{Frame, Terminal};
use ratatui_crossterm::CrosstermBackend;
use ratatui_crossterm::crossterm::event::{self, DisableBracketedPaste, EnableBracketedPaste, Event};
use ratatui_crossterm::crossterm::execute;
use ratatui_crossterm::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};

use super::keys::Input;

/// How often it is looked whether a signal has arrived.
pub(super) const TICK: Duration = Duration::from_millis(200);

/// See the [module](self). A drop, also that of a panic, gives the terminal back.
pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
    is_taken: bool,
}

impl Screen {
    /// Takes the terminal.
    ///
    /// # Errors
    /// `IOError`.
    pub(super) fn take() -> Result<Self> {
        let terminal = Terminal::new(CrosstermBackend::new(stdout())).map_err(|cause| failed(&cause))?;
        let mut screen = Screen { terminal, is_taken: false };
        screen.enter()?;
        Ok(screen)
    }

    fn enter(&mut self) -> Result<()> {
        self.is_taken = true;
        let entered = enable_raw_mode().and_then(|()| execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste));
        // Changes of the size are noticed from the first question on, which must precede that for the size.
        let listening = entered.and_then(|()| event::poll(Duration::ZERO).map(drop));
        listening.and_then(|()| self.clear()).map_err(|cause| failed(&cause))
    }

    /// Has everything drawn again. `Terminal::clear` asks the terminal for the position of the cursor, which not every
    /// one answers; to be resized clears as well.
    fn clear(&mut self) -> io::Result<()> {
        let size = self.terminal.size()?;
        self.terminal.resize(size.into())
    }

    /// Gives the terminal back. If that fails, it is gone.
    fn leave(&mut self) {
        if std::mem::take(&mut self.is_taken) {
            let _ = self.terminal.show_cursor();
            let _ = execute!(stdout(), DisableBracketedPaste, LeaveAlternateScreen);
            let _ = disable_raw_mode();
        }
    }

    /// Gives the terminal back while `work` runs.
    ///
    /// # Errors
    /// `IOError` if it cannot be taken again.
    pub(super) fn suspended<T>(&mut self, work: impl FnOnce() -> T) -> Result<T> {
        self.leave();
        let outcome = work();
        self.enter()?;
        // What was typed meanwhile was not for this program.
        while event::poll(Duration::ZERO).map_err(|cause| failed(&cause))? {
            event::read().map_err(|cause| failed(&cause))?;
        }
        Ok(outcome)
    }

    /// # Errors
    /// `IOError`.
    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> Result<()> {
        self.terminal.draw(draw).map(drop).map_err(|cause| failed(&cause))
    }

    /// The next input, if it arrives within `wait`.
    ///
    /// # Errors
    /// `IOError` if the terminal is gone.
    pub(super) fn input(&mut self, wait: Duration) -> Result<Option<Input>> {
        let event = match event::poll(wait) {
            Ok(true) => event::read(),
            Ok(false) => return Ok(None),
            Err(cause) => Err(cause),
        };
        match event {
            Ok(Event::Key(key)) => Ok(Some(Input::Key(key))),
            Ok(Event::Paste(text)) => Ok(Some(Input::Paste(text))),
            Ok(_) => Ok(Some(Input::Redraw)),
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => Ok(None),
            Err(cause) => Err(failed(&cause)),
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.leave();
    }
}

fn failed(cause: &io::Error) -> Error {
    Error::new(ErrorKind::Io, "could not use the terminal").because_of(cause)
}
