//! The tour in docs/TOUR.md, played in a new repository: each of its commands must print what the page shows.

#![allow(clippy::disallowed_methods, reason = "a test starts programs and looks at files")]
#![allow(clippy::unwrap_used, reason = "a test")]
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// What the page has in place of a text that differs from run to run: any characters of one line.
const VARIABLE: char = '…';

#[test]
fn every_command_of_the_tour_prints_what_the_page_shows() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/TOUR.md")).unwrap();
    let steps = steps(&page);
    assert!(steps.len() >= 25, "only {} commands were found", steps.len());
    let place = TempDir::new().unwrap();
    for folder in ["home", "shop"] {
        fs::create_dir(place.path().join(folder)).unwrap();
    }
    assert_eq!(run(place.path(), "git init --quiet --initial-branch=main"), "");
    for (command, shown) in steps {
        let printed = run(place.path(), command);
        let lines: Vec<&str> = printed.lines().collect();
        let is_as_shown = shown.len() == lines.len() && shown.iter().zip(&lines).all(|(it, line)| matches(it, line));
        assert!(is_as_shown, "{command}\nThe page shows:\n{}\nIt prints:\n{printed}", shown.join("\n"));
    }
}

/// The commands of the page's console blocks, each with the lines of its output.
fn steps(page: &str) -> Vec<(&str, Vec<&str>)> {
    let blocks = page.split("\n```console\n").skip(1).map(|rest| rest.split_once("\n```").unwrap().0);
    blocks.flat_map(|block| block.strip_prefix("$ ").unwrap().split("\n$ ")).map(step).collect()
}

/// A command, which goes on after a line that ends with a backslash, and what follows it.
fn step(text: &str) -> (&str, Vec<&str>) {
    let mut ends = text.match_indices('\n').map(|(end, _)| end);
    let end = ends.find(|end| !text[..*end].ends_with('\\')).unwrap_or(text.len());
    let (command, output) = text.split_at(end);
    (command, output.strip_prefix('\n').unwrap_or_default().lines().collect())
}

/// What a command prints, to standard output or standard error.
fn run(place: &Path, command: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_loopmem"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("exec 2>&1\n{command}")).current_dir(place.join("shop")).stdin(Stdio::null());
    shell.env_clear().env("PATH", path).env("HOME", place.join("home"));
    shell.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    String::from_utf8(shell.output().unwrap().stdout).unwrap()
}

/// Whether a line is one that the page shows.
fn matches(shown: &str, line: &str) -> bool {
    let mut parts = shown.split(VARIABLE);
    let Some(mut rest) = parts.next().and_then(|first| line.strip_prefix(first)) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[test]
fn a_variable_text_is_any_text_of_a_line_and_nothing_else_may_differ() {
    for (shown, line) in
        [("a", "a"), ("…", ""), ("…", "a b"), ("a…", "a"), ("a…c", "abc"), ("…b…b", "abxb"), ("……", "")]
    {
        assert!(matches(shown, line), "{shown}: {line}");
    }
    for (shown, line) in
        [("a", "ab"), ("a", "b"), ("", "a"), ("a…a", "a"), ("a…b…c", "acb"), ("…b", "bc"), ("a…", "ba")]
    {
        assert!(!matches(shown, line), "{shown}: {line}");
    }
    let page = "$ no\n```console\n$ one \\\n  more\n$ two\na\n\nb\n```\ntext\n```console\n$ three\n```\n";
    let expected = [("one \\\n  more", vec![]), ("two", vec!["a", "", "b"]), ("three", vec![])];
    assert_eq!(steps(page), expected);
}
