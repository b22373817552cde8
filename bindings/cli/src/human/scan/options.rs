//! The options of `safety scan`.

use std::path::PathBuf;

use clap::{ArgAction, ArgMatches, Command, ValueHint, value_parser};

use crate::filter;
use crate::human::arguments::{argument, file_option, flag, option};
use crate::output::usage_error;
use crate::session::Session;

const ABOUT: &str = "\
Reports where there are secrets, without showing them: one line `path:line:column rule tag` for each. With --json or \
--format json it prints one object with findings and counts, and with --format sarif a SARIF 2.1.0 log for CI. The exit \
status is 0 if nothing was found, 1 if something was, and 2 if something could not be read.

Folders are searched recursively, including hidden files, without following links. Left out are files that git ignores \
and does not track, and folders named .git or node_modules; --no-ignore includes them. A file named as PATH is always \
scanned. Files with a NUL in their first 8,000 bytes are skipped and counted.

--staged scans what the next commit would contain, whatever the files contain by now, so it works as a pre-commit hook.

With --baseline, findings that FILE lists are not reported and do not count. FILE lists how many findings of a rule a \
path may have, and nothing that depends on the secrets, so it can be committed; paths are relative to its folder. \
--write-baseline writes it.

With --text it is the method for programs, which prints the findings as JSON and exits with 0 whether or not it finds any.";

/// The format of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Text,
    Json,
    Sarif,
}

/// Adds the options to the command, which was generated from the method table.
pub(crate) fn extend(scan: Command) -> Command {
    let file = |name, help| file_option(name, help).conflicts_with("text");
    let flag = |name, help| flag(name, help).conflicts_with("text");
    scan.about("Reports where there are secrets in files, text or a pipe")
        .long_about(ABOUT)
        .mut_arg("text", |text| text.required(false).conflicts_with("paths"))
        .mut_arg("patterns", |patterns| patterns.value_name("REGEX"))
        .arg(
            argument("paths", "PATH", "Files and folders to scan; - is standard input")
                .action(ArgAction::Append)
                .value_hint(ValueHint::AnyPath)
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(filter::rules().conflicts_with("text"))
        .arg(flag("staged", "Scans what is staged for the next commit").conflicts_with("paths"))
        .arg(flag("no-ignore", "Scans files that git ignores, .git and node_modules too"))
        .arg(
            option("format", "FORMAT", "The format of the report [default: text]")
                .value_parser(["text", "json", "sarif"])
                .conflicts_with("text"),
        )
        .arg(file("baseline", "Does not report the findings that FILE lists"))
        .arg(
            file("write-baseline", "Writes all findings to FILE, instead of reporting them")
                .conflicts_with_all(["baseline", "format"]),
        )
}

/// Whether `--format json` was given, which means the same as `--json`.
pub(crate) fn wants_json(scan: &ArgMatches) -> bool {
    given(scan).is_some_and(|format| format == "json")
}

/// The format that was given; before the command, it may be one that all commands have.
fn given(scan: &ArgMatches) -> Option<&str> {
    scan.get_raw("format").and_then(|mut values| values.next()).and_then(std::ffi::OsStr::to_str)
}

/// The format that the arguments ask for.
pub(super) fn format(session: &Session<'_>, scan: &ArgMatches) -> Format {
    match (given(scan), session.is_for_programs()) {
        (None, true) | (Some("json"), _) => Format::Json,
        (Some(_), true) => usage_error("--json contradicts --format; pass one of them"),
        (Some("sarif"), false) => Format::Sarif,
        (_, false) => Format::Text,
    }
}
