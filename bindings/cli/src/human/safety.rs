//! `safety scan PATH`, and the layout of `safety rules`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint, value_parser};
use loopmem::methods::Description;
use loopmem::safety::Redactor;
use loopmem::{Error, Result};
use serde_json::{Value, json};

use crate::filter;
use crate::human::files;
use crate::human::room_command::RoomCommand;
use crate::human::screen::{FAINT, ID, KIND, Keep, PLAIN, counted, sanitize, width};
use crate::human::table::{Column, table};
use crate::output::{self, usage_error};
use crate::session::{Members, Session, read, text};

/// A file with a NUL in its first so many bytes is binary.
const HEAD: usize = 8_000;
/// The size of the largest file that is scanned, in bytes.
const MAX_FILE_BYTES: usize = 256 << 20;
/// The exit status if something could not be scanned.
const FAILED: u8 = 2;

/// The commands of the room `safety`.
pub(crate) struct SafetyCommand;

impl RoomCommand for SafetyCommand {
    fn room(&self) -> &'static str {
        "safety"
    }

    fn extend(&self, command: Command, _description: &Description) -> Command {
        // `scan` also takes files.
        command.mut_subcommand("scan", |scan| {
            scan.about("Reports where there are secrets in files, text or a pipe")
                .long_about(
                    "Reports where there are secrets, without showing them: one line `path:line:column rule tag` for \
                     each, or with --json one object with findings and counts. Folders are searched recursively \
                     without following links; files with a NUL in their first 8,000 bytes are skipped and counted. The \
                     exit status is 0 if nothing was found, 1 if something was, and 2 if something could not be \
                     read.\n\nWith --text it is the method for programs, which prints the findings as JSON and exits \
                     with 0 whether or not it finds any.",
                )
                .mut_arg("text", |text| text.required(false).conflicts_with("paths"))
                .mut_arg("patterns", |patterns| patterns.visible_alias("pattern").value_name("REGEX"))
                .arg(
                    Arg::new("paths")
                        .value_name("PATH")
                        .action(ArgAction::Append)
                        .value_hint(ValueHint::AnyPath)
                        .value_parser(value_parser!(PathBuf))
                        .help("Files and folders to scan; - is standard input"),
                )
                .arg(filter::rules().conflicts_with("text"))
        })
    }

    fn run(&self, session: &Session<'_>, _description: &Description, args: &ArgMatches) -> Option<Result<ExitCode>> {
        let (verb, args) = args.subcommand()?;
        run(session, verb, args)
    }

    fn layout(&self, _session: &Session<'_>, verb: &str, _params: &Members, json: &str) -> Option<Result<String>> {
        (verb == "rules").then(|| rules(json))
    }

    fn status_of_failure(&self, args: &ArgMatches) -> ExitCode {
        if args.subcommand_name() == Some("scan") { ExitCode::from(FAILED) } else { ExitCode::FAILURE }
    }
}

/// Scans files; `None` for any other command.
fn run(session: &Session<'_>, verb: &str, args: &ArgMatches) -> Option<Result<ExitCode>> {
    if verb != "scan" || args.contains_id("text") {
        return None;
    }
    let Some(paths) = args.get_many::<PathBuf>("paths") else {
        usage_error("nothing to scan was given; pass PATH or --text")
    };
    let scrub = |text: &str| session.store().redactor().scrub(text).into_owned();
    let scanned = filter::redactor(session.store(), args).and_then(|redactor| {
        let mut scan = Scan { session, redactor, findings: Vec::new(), found: 0, files: 0, binary: 0, failed: false };
        paths.into_iter().try_for_each(|path| files::walk(path, &mut |file| scan.file(file)))?;
        scan.end()
    });
    Some(scanned.map_err(|error| error.in_operation("safety.scan").scrubbed(scrub)))
}

struct Scan<'d> {
    session: &'d Session<'d>,
    redactor: Redactor,
    /// Collected only for JSON; text is printed at once.
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
                let refused = format!("{} is too large; the limit is {MAX_FILE_BYTES} bytes", path.display());
                return Err(Error::validation(refused).at(path));
            }
            Ok((path, bytes))
        });
        match looked {
            Ok((_, bytes)) if bytes.get(..HEAD).unwrap_or(&bytes).contains(&0) => self.binary += 1,
            Ok((path, bytes)) => {
                self.files += 1;
                self.report(path, &bytes)?;
            }
            Err(error) => {
                self.failed = true;
                self.session.fail(&error.scrubbed(|text| self.redactor.scrub(text).into_owned()));
            }
        }
        Ok(())
    }

    /// Reports the secrets in `bytes` with their lines and columns.
    fn report(&mut self, path: &Path, bytes: &[u8]) -> Result<()> {
        let found = self.redactor.find(bytes);
        if found.is_empty() {
            return Ok(());
        }
        let path = self.redactor.scrub(&path.to_string_lossy()).into_owned();
        let shown = sanitize(&path).replace(['\n', '\t'], "\u{fffd}");
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
            output::notice(&format!("loopmem: skipped {}", counted(self.binary, "binary file")));
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
    /// Advances to a later offset.
    fn go_to(&mut self, bytes: &[u8], offset: usize) {
        for byte in bytes.get(self.offset..offset).unwrap_or_default() {
            match byte {
                b'\n' => (self.line, self.column) = (self.line + 1, 1),
                // A UTF-8 continuation byte is not a character.
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
    let heads = vec![
        Column::fixed("RULE", ID),
        Column::fixed("KIND", KIND),
        Column::flexible("WHAT IT FINDS", PLAIN, Keep::Start),
    ];
    let row = |it: &Members| ["id", "kind", "description"].map(|key| text(it, key).to_owned()).to_vec();
    let count = counted(rules.len() as u64, "rule");
    Ok(format!("{}\n{FAINT}{count}{FAINT:#}", table(heads, rules.iter().map(row).collect(), width())))
}
