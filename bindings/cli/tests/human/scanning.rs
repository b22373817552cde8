//! Scans and the index on a terminal: their progress.

use std::fs;

use crate::items::repository;
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

#[test]
fn a_long_refresh_of_the_index_shows_a_bar_which_is_removed_at_the_end() {
    let Some(terminal) = Terminal::of(repository()) else { return };
    let work = terminal.sandbox.folder.path().join("work");
    // Over half a second of work, even on a fast machine: words that are all different take the longest.
    for file in 0..8 {
        let words: String = (0..60_000).map(|word| format!("name{file}Of{word} ")).collect();
        fs::write(work.join(format!("{file}.txt")), words).unwrap();
    }
    let report = terminal.run("loopmem --json index refresh", "");
    assert!(report.starts_with("{\"files\":8,\"parsed\":8"), "{report:?}");
    fs::remove_dir_all(terminal.sandbox.folder.path().join("home")).unwrap();
    let shown = terminal.run("loopmem index refresh > ../report", "");
    assert!(shown.starts_with("\rindexing [") && shown.contains(" of 8 files"), "{shown:?}");
    let (_, removed) = shown.rsplit_once("files").unwrap();
    assert!(removed.ends_with('\r') && removed.trim().is_empty(), "{shown:?}");
    assert_eq!(terminal.run("loopmem index refresh > ../report", ""), "", "a short refresh shows nothing");
}
