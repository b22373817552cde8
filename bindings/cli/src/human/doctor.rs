//! `doctor`: what is wrong with the home, file by file, and what to do about it.

use std::process::ExitCode;

use anstyle::Style;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::{Description, Field};
use serde_json::Value;

use crate::human::face::Face;
use crate::human::members;
use crate::human::screen::{BOLD, ERROR, FAINT, MENDED, WARNING, columns, counted, on_one_line, width};
use crate::output::{self, misused};
use crate::session::{Members, Session, read, text};
use crate::typed;

/// How wide the word before a finding is, with the spaces around it.
const INDENT: usize = 11;

fn fields(description: &Description) -> impl Iterator<Item = &Field> {
    let check = description.methods.iter().find(|method| method.name == "doctor.check");
    check.into_iter().flat_map(|method| &method.params.fields)
}

/// The face of the room `doctor`.
pub(crate) struct DoctorFace;

impl Face for DoctorFace {
    fn room(&self) -> &'static str {
        "doctor"
    }

    fn extend(&self, command: Command, description: &Description) -> Command {
        command.long_about(
                "Looks at every file of the home and tells what is wrong; with --fix it mends what it can. What is damaged is \
                 set aside beside the file and never deleted, and what is whole in it is brought back. The exit status is 1 \
                 when errors or warnings are left. `doctor check` prints the findings as JSON, and its exit status is that of \
                 any method.",
            )
            .subcommand_required(false)
            .arg_required_else_help(false)
            .args(fields(description).map(typed::option))
    }

    fn run(&self, session: &Session<'_>, description: &Description, asked: &ArgMatches) -> Option<Result<ExitCode>> {
        if asked.subcommand().is_some() {
            refuse_both(description, asked);
            return None;
        }
        Some(run(session, description, asked))
    }
}

/// Does it; the status tells whether anything is left to be mended.
///
/// # Errors
/// The method's.
fn run(session: &Session<'_>, description: &Description, asked: &ArgMatches) -> Result<ExitCode> {
    let params = members(session, fields(description), asked)?;
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

/// Refuses options of `doctor` itself where a verb has its own.
fn refuse_both(description: &Description, asked: &ArgMatches) {
    if fields(description).any(|field| asked.value_source(&field.name) == Some(ValueSource::CommandLine)) {
        misused("options of `doctor check` stand behind `check`");
    }
}

struct Counts {
    files: u64,
    repositories: u64,
    errors: u64,
    warnings: u64,
    mended: u64,
}

impl Counts {
    fn of(report: &Members) -> Self {
        let count = |key: &str| report.get("counts").and_then(|counts| counts.get(key)?.as_u64()).unwrap_or_default();
        Counts {
            files: count("files"),
            repositories: count("repositories"),
            errors: count("errors"),
            warnings: count("warnings"),
            mended: count("mended"),
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
        let (style, word) = match (finding.get("mended") == Some(&true.into()), text(finding, "severity")) {
            (true, _) => (MENDED, "mended"),
            (false, "error") => (ERROR, "error"),
            (false, "warning") => (WARNING, "warning"),
            (false, _) => (FAINT, "info"),
        };
        lines.push_str(&paragraph(style, word, text(finding, "detail"), width()));
    }
    if !lines.is_empty() {
        lines.push('\n');
    }
    lines + &conclusion(counts, is_fixed)
}

/// A word, and beside it a text in as many lines as it takes.
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
    let looked_at = format!("{} of {}", counted(counts.files, "file"), counted(counts.repositories, "repository"));
    let faults = [(counts.errors, "error"), (counts.warnings, "warning")];
    let faults: Vec<String> =
        faults.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| counted(count, what)).collect();
    let left = faults.join(" and ");
    let mended = match counts.mended {
        0 => String::new(),
        1 => "Mended 1 fault. ".to_owned(),
        more => format!("Mended {more} faults. "),
    };
    match (counts.left(), is_fixed) {
        (0, _) if counts.files == 0 && counts.repositories == 0 => {
            "Nothing is stored in this home, and nothing is wrong.".to_owned()
        }
        (0, _) if mended.is_empty() => format!("Nothing is wrong with {looked_at}."),
        (0, _) => format!("{mended}Nothing else is wrong with {looked_at}."),
        (_, true) => format!("{mended}Left in {looked_at}: {left}. Do what is told above and look again."),
        (_, false) => format!(
            "Found in {looked_at}: {left}. `loopmem doctor --fix` mends what can be mended, and deletes nothing that was \
             stored."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::human::screen::PLAIN;

    #[test]
    fn a_finding_stands_beside_its_word_and_fits_the_width() {
        let shown = paragraph(PLAIN, "error", "it  does not parse\nand 日本語 is in it", 24);
        assert_eq!(shown, "  error    it does not\n           parse and\n           日本語 is in\n           it\n");
    }

    #[test]
    fn the_end_says_what_is_to_be_done() {
        let counts = |errors, warnings, mended| Counts { files: 12, repositories: 3, errors, warnings, mended };
        let nothing = "Nothing is wrong with 12 files of 3 repositories.";
        assert_eq!([conclusion(&counts(0, 0, 0), false), conclusion(&counts(0, 0, 0), true)], [nothing, nothing]);
        assert!(
            conclusion(&counts(1, 2, 0), false)
                .starts_with("Found in 12 files of 3 repositories: 1 error and 2 warnings. `loopmem doctor --fix`")
        );
        assert_eq!(
            conclusion(&counts(0, 0, 1), true),
            "Mended 1 fault. Nothing else is wrong with 12 files of 3 repositories."
        );
        assert_eq!(
            conclusion(&counts(1, 0, 2), true),
            "Mended 2 faults. Left in 12 files of 3 repositories: 1 error. Do what is told above and look again."
        );
    }
}
