//! `loopmem safety scan` on a terminal: its progress.

use std::fs;

use crate::{Sandbox, Terminal, text};

/// The second file is a pipe whose writer takes longer than a scan may take without showing progress.
const SLOW: &str = "mkfifo slow; (sleep 1; echo slow) > slow & loopmem safety scan clean slow";

#[test]
fn a_long_scan_shows_one_line_which_is_removed_at_the_end() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.folder.path().join("work/clean"), "nothing").unwrap();
    let started = sandbox.start(&format!("{SLOW}; rm slow"), "");
    assert_eq!((started.status.code(), text(&started.stderr)), (Some(0), String::new()), "there is no terminal");
    let Some(terminal) = Terminal::of(sandbox) else { return };
    let shown = terminal.run(&format!("{SLOW}; rm slow"), "");
    let line = "scanning: 1 file, 0 findings";
    assert_eq!(shown, format!("\r{line}\r{}\r", " ".repeat(line.len())));
    for line in [format!("{SLOW} --json 2>&1 > report; rm slow"), format!("TERM=dumb; {SLOW}; rm slow")] {
        assert_eq!(terminal.run(&line, ""), "", "{line}");
    }
    assert_eq!(terminal.run("loopmem safety scan clean", ""), "", "a short scan shows nothing");
}
