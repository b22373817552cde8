//! `doctor`: reports what is wrong with the files of a home, and repairs it.

use anstyle::Style;
use clap::ArgMatches;
use loopmem::Result;
use loopmem::doctor::{Counts, Report, Severity};
use serde_json::json;

use crate::human::RoomCommand;
use crate::human::arguments::flag;
use crate::human::screen::{BOLD, ERROR, FAINT, REPAIRED, WARNING, columns, counted, on_one_line, width};
use crate::human::{installation, run_without_verb, safety, with_options};
use crate::output::ExitCode;
use crate::session::{Session, fields, read};
use crate::typed;

/// The width of the severity column, with the spaces around it.
const INDENT: usize = 11;
const METHOD: &str = "doctor.check";
const ITSELF: &str = "self";
const ABOUT: &str = "\
Checks every file of the home and reports problems; with --fix, repairs what it can. A damaged file is kept beside its \
replacement and never deleted, and its intact records are recovered. The exit status is 1 if errors or warnings remain. \
`doctor check` prints the findings as JSON and exits with 0 if the check itself ran.";

/// The commands of the room `doctor`.
pub(super) const COMMANDS: RoomCommand = RoomCommand {
    room: "doctor",
    calls: &["check"],
    extend: |room, description| {
        let itself = flag(
            ITSELF,
            "Checks this installation instead of the files: the program, the PATH, git, and what clients start",
        );
        let others: Vec<_> = fields(description, METHOD).map(|field| field.name.clone()).collect();
        with_options(room, ABOUT, fields(description, METHOD).map(typed::option)).arg(itself.conflicts_with_all(others))
    },
    run: |session, args| run_without_verb(session, METHOD, args, || run(session, args)),
    ..RoomCommand::GENERATED
};

/// Runs the check; the exit status says whether errors or warnings remain.
///
/// # Errors
/// The method's.
fn run(session: &Session<'_>, args: &ArgMatches) -> Result<ExitCode> {
    if args.get_flag(ITSELF) {
        return run_on_installation(session);
    }
    let params = session.params(METHOD, args)?;
    let json = session.call(METHOD, &params)?;
    let report: Report = read(&json)?;
    session.show(json, || Ok(layout(&report, params.get("fix") == Some(&true.into()))))?;
    Ok(if remaining(&report.counts) == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run_on_installation(session: &Session<'_>) -> Result<ExitCode> {
    let checks = installation::checks(session)?;
    let (mut plain, mut shown) = (Vec::new(), String::new());
    for check in &checks {
        let (style, word) = word(check.severity);
        plain.push([word, check.name, &check.detail].join("\t"));
        shown.push_str(&paragraph(style, word, &format!("{}: {}", check.name, check.detail), width()));
    }
    session.print(json!({ "checks": checks }).to_string(), &plain.join("\n"), shown.trim_end())?;
    let is_well = checks.iter().all(|check| check.severity == Severity::Info);
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn remaining(counts: &Counts) -> usize {
    counts.errors + counts.warnings
}

fn layout(report: &Report, is_fixed: bool) -> String {
    let mut lines = String::new();
    let mut file = "";
    for finding in &report.findings {
        if finding.file != file {
            file = &finding.file;
            lines.push_str(&format!("{BOLD}{}{BOLD:#}\n", on_one_line(file)));
        }
        let (style, word) = if finding.repaired { (REPAIRED, "repaired") } else { word(finding.severity) };
        lines.push_str(&paragraph(style, word, &finding.detail, width()));
    }
    if !report.allowances.is_empty() {
        lines.push_str(&format!("{BOLD}not redacted{BOLD:#}\n"));
    }
    for allowance in &report.allowances {
        lines.push_str(&paragraph(FAINT, "allowed", &safety::sentence(allowance), width()));
    }
    if !lines.is_empty() {
        lines.push('\n');
    }
    lines + &conclusion(&report.counts, is_fixed)
}

fn word(severity: Severity) -> (Style, &'static str) {
    match severity {
        Severity::Error => (ERROR, "error"),
        Severity::Warning => (WARNING, "warning"),
        _ => (FAINT, "info"),
    }
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
    match (remaining(counts), is_fixed) {
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
        let counts = |errors: u32, warnings: u32, repaired: u32| -> Counts {
            let counts = json!({"files": 12, "repositories": 3, "errors": errors, "warnings": warnings, "infos": 0,
                "repaired": repaired});
            serde_json::from_value(counts).unwrap()
        };
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
