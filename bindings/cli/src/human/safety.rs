//! `safety scan PATH` and the table of rules.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint, value_parser};
use loopmem::methods::Description;
use loopmem::safety::Redactor;
use loopmem::{Error, Result};
use serde_json::{Value, json};

use crate::filter;
use crate::human::face::Face;
use crate::human::files;
use crate::human::screen::{FAINT, ID, KIND, Keep, PLAIN, counted, tame, width};
use crate::human::table::{Column, table};
use crate::output::{self, misused};
use crate::session::{Members, Session, read, text};

/// A file with a NUL among its first bytes is no text.
const HEAD: usize = 8_000;
/// The longest file that is looked at, in bytes.
const MAX_FILE_BYTES: usize = 256 << 20;
/// The status of a scan that could not look at everything.
const FAILED: u8 = 2;

/// The face of the room `safety`.
pub(crate) struct SafetyFace;

impl Face for SafetyFace {
    fn room(&self) -> &'static str {
        "safety"
    }

    fn extend(&self, command: Command, _description: &Description) -> Command {
        // `scan` reads files too.
        command.mut_subcommand("scan", |scan| {
            scan.about("Tells where secrets stand in files, in a text, or in what comes through a pipe")
                .long_about(
                    "Tells where secrets stand, and never what they are: a line `path:line:column rule tag` for each, or with \
                     --json one object of findings and counts. Folders are walked through without following links; files \
                     with a NUL among their first 8,000 bytes are skipped, and counted. The exit status is 1 when something \
                     was found, 0 when nothing was, and 2 when something could not be looked at.\n\nWith --text it is the \
                     method for programs, which prints the findings as JSON and exits with 0 when it could look.",
                )
                .mut_arg("text", |text| text.required(false).conflicts_with("paths"))
                .mut_arg("patterns", |patterns| patterns.visible_alias("pattern").value_name("REGEX"))
                .arg(
                    Arg::new("paths")
                        .value_name("PATH")
                        .action(ArgAction::Append)
                        .value_hint(ValueHint::AnyPath)
                        .value_parser(value_parser!(PathBuf))
                        .help("Files and folders to look at; - is standard input"),
                )
                .arg(filter::rules().conflicts_with("text"))
        })
    }

    fn run(&self, session: &Session<'_>, _description: &Description, asked: &ArgMatches) -> Option<Result<ExitCode>> {
        let (verb, asked) = asked.subcommand()?;
        run(session, verb, asked)
    }

    fn layout(&self, _session: &Session<'_>, verb: &str, _params: &Members, json: &str) -> Option<Result<String>> {
        (verb == "rules").then(|| rules(json))
    }

    fn status_of_failure(&self, asked: &ArgMatches) -> ExitCode {
        if asked.subcommand_name() == Some("scan") { ExitCode::from(FAILED) } else { ExitCode::FAILURE }
    }
}

/// Looks at files, if that was asked for.
fn run(session: &Session<'_>, verb: &str, asked: &ArgMatches) -> Option<Result<ExitCode>> {
    if verb != "scan" || asked.contains_id("text") {
        return None;
    }
    let Some(paths) = asked.get_many::<PathBuf>("paths") else {
        misused("name what is to be looked at: PATH or --text")
    };
    let scrub = |text: &str| session.store().safety().scrub(text).into_owned();
    let scanned = filter::redactor(session.store(), asked).and_then(|redactor| {
        let mut scan = Scan { session, redactor, findings: Vec::new(), found: 0, files: 0, binary: 0, failed: false };
        paths.into_iter().try_for_each(|path| files::walk(path, &mut |file| scan.file(file)))?;
        scan.end()
    });
    Some(scanned.map_err(|error| error.in_operation("safety.scan").scrubbed(scrub)))
}

struct Scan<'d> {
    session: &'d Session<'d>,
    redactor: Redactor,
    /// Kept for programs only: people are told at once.
    findings: Vec<Value>,
    found: usize,
    files: u64,
    binary: u64,
    failed: bool,
}

impl Scan<'_> {
    fn file(&mut self, file: Result<&Path>) -> Result<()> {
        let looked = file.and_then(|path| {
            let bytes = files::read(path, MAX_FILE_BYTES)?;
            if bytes.len() > MAX_FILE_BYTES {
                let refused = format!("{} is too large; at most {MAX_FILE_BYTES} bytes are read", path.display());
                return Err(Error::validation(refused).at(path));
            }
            Ok((path, bytes))
        });
        match looked {
            Ok((_, bytes)) if bytes.get(..HEAD).unwrap_or(&bytes).contains(&0) => self.binary += 1,
            Ok((path, bytes)) => {
                self.files += 1;
                self.tell(path, &bytes)?;
            }
            Err(error) => {
                self.failed = true;
                self.session.fail(&error.scrubbed(|text| self.redactor.scrub(text).into_owned()));
            }
        }
        Ok(())
    }

    /// Tells of the secrets in `bytes`, and counts their lines and columns.
    fn tell(&mut self, path: &Path, bytes: &[u8]) -> Result<()> {
        let found = self.redactor.find(bytes);
        if found.is_empty() {
            return Ok(());
        }
        let path = self.redactor.scrub(&path.to_string_lossy()).into_owned();
        let shown = tame(&path).replace(['\n', '\t'], "\u{fffd}");
        let mut lines = String::new();
        let mut place = Place::default();
        for it in &found {
            place.go_to(bytes, it.place.start);
            let Place { line, column, .. } = place;
            if self.session.is_for_programs() {
                let (start, end) = (it.place.start, it.place.end);
                let rule = it.rule;
                self.findings.push(json!({ "path": path, "line": line, "column": column, "start": start, "end": end, "rule": rule, "tag": it.tag }));
            } else {
                lines.push_str(&format!("{shown}:{line}:{column} {} {}\n", it.rule, it.tag));
            }
        }
        self.found += found.len();
        if lines.is_empty() { Ok(()) } else { output::text(&lines) }
    }

    fn end(self) -> Result<ExitCode> {
        if self.session.is_for_programs() {
            let (files, binary) = (self.files, self.binary);
            output::line(json!({ "findings": self.findings, "files": files, "binary": binary }).to_string())?;
        } else if self.binary > 0 {
            output::remark(&format!("loopmem: skipped {}", counted(self.binary, "binary file")));
        }
        Ok(match (self.failed, self.found) {
            (true, _) => ExitCode::from(FAILED),
            (false, 0) => ExitCode::SUCCESS,
            (false, _) => ExitCode::FAILURE,
        })
    }
}

/// A line and a column, both counted from 1, the column in characters.
#[derive(Clone, Copy)]
struct Place {
    offset: usize,
    line: usize,
    column: usize,
}

impl Default for Place {
    fn default() -> Self {
        Place { offset: 0, line: 1, column: 1 }
    }
}

impl Place {
    /// On to a later offset.
    fn go_to(&mut self, bytes: &[u8], offset: usize) {
        for byte in bytes.get(self.offset..offset).unwrap_or_default() {
            match byte {
                b'\n' => (self.line, self.column) = (self.line + 1, 1),
                // What goes on with a character is none of its own.
                0x80..=0xbf => {}
                _ => self.column += 1,
            }
        }
        self.offset = offset;
    }
}

/// The rules as a table.
fn rules(json: &str) -> Result<String> {
    let rules: Vec<Members> = read(json)?;
    let heads =
        vec![Column::firm("RULE", ID), Column::firm("KIND", KIND), Column::giving("WHAT IT FINDS", PLAIN, Keep::Start)];
    let row = |it: &Members| ["id", "kind", "description"].map(|key| text(it, key).to_owned()).to_vec();
    let count = counted(rules.len() as u64, "rule");
    Ok(format!("{}\n{FAINT}{count}{FAINT:#}", table(heads, rules.iter().map(row).collect(), width())))
}
