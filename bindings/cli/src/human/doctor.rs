//! `doctor`: reports what is wrong with the files of a home, and repairs it.

use std::process::ExitCode;

use anstyle::Style;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::{Description, Field};
use serde_json::Value;

use crate::human::allow;
use crate::human::members;
use crate::human::room_command::RoomCommand;
use crate::human::screen::{BOLD, ERROR, FAINT, REPAIRED, WARNING, columns, counted, on_one_line, width};
use crate::output::{self, usage_error};
use crate::session::{Members, Session, read, text};
use crate::typed;

/// The width of the severity column, with the spaces around it.
const INDENT: usize = 11;

fn fields(description: &Description) -> impl Iterator<Item = &Field> {
    let check = description.methods.iter().find(|method| method.name == "doctor.check");
    check.into_iter().flat_map(|method| &method.params.fields)
}

/// The commands of the room `doctor`.
pub(crate) struct DoctorCommand;

impl RoomCommand for DoctorCommand {
    fn room(&self) -> &'static str {
        "doctor"
    }

    fn extend(&self, command: Command, description: &Description) -> Command {
        command
            .long_about(
                "Checks every file of the home and reports problems; with --fix, repairs what it can. A damaged file \
                 is kept beside its replacement and never deleted, and its intact records are recovered. The exit \
                 status is 1 if errors or warnings remain. `doctor check` prints the findings as JSON and exits with 0 \
                 if the check itself ran.",
            )
            .subcommand_required(false)
            .arg_required_else_help(false)
            .args(fields(description).map(typed::option))
    }

    fn run(&self, session: &Session<'_>, description: &Description, args: &ArgMatches) -> Option<Result<ExitCode>> {
        if args.subcommand().is_some() {
            refuse_both(description, args);
            return None;
        }
        Some(run(session, description, args))
    }
}

/// Runs the check; the exit status says whether errors or warnings remain.
///
/// # Errors
/// The method's.
fn run(session: &Session<'_>, description: &Description, args: &ArgMatches) -> Result<ExitCode> {
    let params = members(session, fields(description), args)?;
    let is_fixed = params.get("fix") == Some(&true.into());
    let json = session.call("doctor.check", &Value::Object(params).to_string())?;
    let report: Members = read(&json)?;
    let counts = Counts::of(&report);
    match session.is_for_humans() {
        true => output::screen(&layout(&report, &counts, is_fixed))?,
        false => output::line(json)?,
    }
    Ok(if counts.left() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Rejects options before a subcommand that has the same ones.
fn refuse_both(description: &Description, args: &ArgMatches) {
    if fields(description).any(|field| args.value_source(&field.name) == Some(ValueSource::CommandLine)) {
        usage_error("place the options of `doctor check` after `check`");
    }
}

struct Counts {
    files: u64,
    repositories: u64,
    errors: u64,
    warnings: u64,
    repaired: u64,
}

impl Counts {
    fn of(report: &Members) -> Self {
        let count = |key: &str| report.get("counts").and_then(|counts| counts.get(key)?.as_u64()).unwrap_or_default();
        Counts {
            files: count("files"),
            repositories: count("repositories"),
            errors: count("errors"),
            warnings: count("warnings"),
            repaired: count("repaired"),
        }
    }

    fn left(&self) -> u64 {
        self.errors + self.warnings
    }
}

fn layout(report: &Members, counts: &Counts, is_fixed: bool) -> String {
    let mut lines = String::new();
    let mut file = "";
    for finding in report.get("findings").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object) {
        if text(finding, "file") != file {
            file = text(finding, "file");
            lines.push_str(&format!("{BOLD}{}{BOLD:#}\n", on_one_line(file)));
        }
        let (style, word) = match (finding.get("repaired") == Some(&true.into()), text(finding, "severity")) {
            (true, _) => (REPAIRED, "repaired"),
            (false, "error") => (ERROR, "error"),
            (false, "warning") => (WARNING, "warning"),
            (false, _) => (FAINT, "info"),
        };
        lines.push_str(&paragraph(style, word, text(finding, "detail"), width()));
    }
    let allowances = report.get("allowances").and_then(Value::as_array).into_iter().flatten();
    for (index, allowance) in allowances.filter_map(Value::as_object).enumerate() {
        if index == 0 {
            lines.push_str(&format!("{BOLD}not redacted{BOLD:#}\n"));
        }
        lines.push_str(&paragraph(FAINT, "allowed", &allow::sentence(allowance), width()));
    }
    if !lines.is_empty() {
        lines.push('\n');
    }
    lines + &conclusion(counts, is_fixed)
}

/// A word, followed by a text wrapped and indented beside it.
fn paragraph(style: Style, word: &str, text: &str, width: usize) -> String {
    let mut lines = format!("  {style}{word}{style:#}{:1$}", "", INDENT - 2 - word.len());
    let mut taken = INDENT;
    for (place, part) in on_one_line(text).split(' ').enumerate() {
        if place > 0 && taken + 1 + columns(part) > width {
            lines.push_str(&format!("\n{:INDENT$}", ""));
            taken = INDENT;
        } else if place > 0 {
            lines.push(' ');
            taken += 1;
        }
        lines.push_str(part);
        taken += columns(part);
    }
    lines + "\n"
}

fn conclusion(counts: &Counts, is_fixed: bool) -> String {
    let checked = format!("{} of {}", counted(counts.files, "file"), counted(counts.repositories, "repository"));
    let problems = [(counts.errors, "error"), (counts.warnings, "warning")];
    let problems: Vec<String> =
        problems.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| counted(count, what)).collect();
    let left = problems.join(" and ");
    let repaired = match counts.repaired {
        0 => String::new(),
        1 => "Repaired 1 problem. ".to_owned(),
        more => format!("Repaired {more} problems. "),
    };
    match (counts.left(), is_fixed) {
        (0, _) if counts.files == 0 && counts.repositories == 0 => {
            "No problems: nothing is stored in this home.".to_owned()
        }
        (0, _) if repaired.is_empty() => format!("No problems in {checked}."),
        (0, _) => format!("{repaired}No problems remain in {checked}."),
        (_, true) => format!("{repaired}Remaining in {checked}: {left}. Follow the advice above and check again."),
        (_, false) => format!(
            "Found in {checked}: {left}. `loopmem doctor --fix` repairs what it can, and deletes no stored data."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::human::screen::PLAIN;

    #[test]
    fn a_finding_is_wrapped_beside_its_severity() {
        let shown = paragraph(PLAIN, "error", "it  does not parse\nand 日本語 is in it", 24);
        assert_eq!(shown, "  error    it does not\n           parse and\n           日本語 is in\n           it\n");
    }

    #[test]
    fn the_conclusion_says_what_to_do() {
        let counts = |errors, warnings, repaired| Counts { files: 12, repositories: 3, errors, warnings, repaired };
        let nothing = "No problems in 12 files of 3 repositories.";
        assert_eq!([conclusion(&counts(0, 0, 0), false), conclusion(&counts(0, 0, 0), true)], [nothing, nothing]);
        assert!(
            conclusion(&counts(1, 2, 0), false)
                .starts_with("Found in 12 files of 3 repositories: 1 error and 2 warnings. `loopmem doctor --fix`")
        );
        assert_eq!(
            conclusion(&counts(0, 0, 1), true),
            "Repaired 1 problem. No problems remain in 12 files of 3 repositories."
        );
        assert_eq!(
            conclusion(&counts(1, 0, 2), true),
            "Repaired 2 problems. Remaining in 12 files of 3 repositories: 1 error. Follow the advice above and check again."
        );
    }
}
