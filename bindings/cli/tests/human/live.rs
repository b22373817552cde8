//! A command that has a pseudo-terminal for its own: what is typed, and what its screen shows.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use crate::{Sandbox, Terminal};

/// How long the screen may take to show something before a test fails.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(60);
pub(crate) const ESC: &str = "\x1b";

/// What the terminal received, and the screen that it shows.
struct Shown {
    parser: vt100::Parser,
    raw: Vec<u8>,
    is_closed: bool,
}

/// A command that runs in a terminal.
pub(crate) struct Live {
    child: Child,
    keyboard: ChildStdin,
    shown: Arc<(Mutex<Shown>, Condvar)>,
}

impl Live {
    /// Runs a shell command line in a terminal of this size.
    pub(crate) fn start(sandbox: &Sandbox, line: &str, columns: u16, rows: u16) -> Self {
        let line = format!("tty > ../tty; stty rows {rows} cols {columns}; {line}");
        let mut script = Command::new("script");
        script.args(["-qec", &line, "/dev/null"]);
        sandbox.set_environment(&mut script);
        script.env("SHELL", "/bin/sh").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = script.spawn().unwrap();
        let keyboard = child.stdin.take().unwrap();
        let mut output = child.stdout.take().unwrap();
        let parser = vt100::Parser::new(rows, columns, 0);
        let shown = Arc::new((Mutex::new(Shown { parser, raw: Vec::new(), is_closed: false }), Condvar::new()));
        let written = shown.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            loop {
                let read = output.read(&mut bytes).unwrap_or(0);
                let mut shown = written.0.lock().unwrap();
                shown.parser.process(&bytes[..read]);
                shown.raw.extend(&bytes[..read]);
                shown.is_closed = read == 0;
                written.1.notify_all();
                if read == 0 {
                    return;
                }
            }
        });
        Live { child, keyboard, shown }
    }

    pub(crate) fn type_in(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
        self.keyboard.flush().unwrap();
    }

    /// Waits until the screen satisfies `condition`, and returns it.
    #[track_caller]
    pub(crate) fn wait_until(&self, what: &str, condition: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + MAX_WAIT;
        let mut shown = self.shown.0.lock().unwrap();
        loop {
            let screen = shown.parser.screen().contents();
            if condition(&screen) {
                return screen;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero() && !shown.is_closed, "{what} was not shown:\n{screen}");
            shown = self.shown.1.wait_timeout(shown, left).unwrap().0;
        }
    }

    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str) -> String {
        self.wait_until(text, |screen| screen.contains(text))
    }

    /// Waits until all of these are shown: a screen arrives in pieces, from the top to the bottom.
    #[track_caller]
    pub(crate) fn wait_for_all(&self, texts: &[&str]) -> String {
        self.wait_until(&texts.join(" and "), |screen| texts.iter().all(|text| screen.contains(text)))
    }

    /// Waits until the command has ended, and returns everything that the terminal received.
    #[track_caller]
    pub(crate) fn end(mut self) -> String {
        drop(self.keyboard);
        let deadline = Instant::now() + MAX_WAIT;
        let mut shown = self.shown.0.lock().unwrap();
        while !shown.is_closed {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "it did not end:\n{}", shown.parser.screen().contents());
            shown = self.shown.1.wait_timeout(shown, left).unwrap().0;
        }
        let raw = String::from_utf8_lossy(&shown.raw).into_owned();
        drop(shown);
        self.child.wait().unwrap();
        raw
    }
}

#[track_caller]
pub(crate) fn assert_given_back(raw: &str, status: &str) {
    let end = raw.rfind("\x1b[?1049l").unwrap_or_else(|| panic!("{raw:?}"));
    let rest = &raw[end..];
    assert!(rest.contains(&format!("status {status}\r\n")) && rest.contains("the same\r\n"), "{rest:?}");
    assert!(raw.contains("\x1b[?25h") && raw.contains("\x1b[?2004l"), "the cursor is shown, and pasting is as usual");
}

pub(crate) fn repository() -> Option<Terminal> {
    let terminal = Terminal::of(Sandbox::new())?;
    terminal.sandbox.run("git init -q .", "");
    Some(terminal)
}
