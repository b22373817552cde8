//! `loopmem redact`: a filter for pipes, which takes secrets out of whatever passes through it.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint, value_parser};
use loopmem::safety::{MAX_RULE_FILE_BYTES, Pattern, Redactor};
use loopmem::{Error, ErrorKind, Result, Store};

use crate::human::files;
use crate::jsonl;

/// How much is read at a time, in bytes.
const PIECE: usize = 64 << 10;
/// The longest line of JSON that is read, in bytes.
const MAX_LINE_BYTES: u64 = 256 << 20;

const ABOUT: &str = "\
Copies FILE, or what comes through the pipe, and puts [REDACTED:rule:tag] in the place of every secret. All other bytes \
stay as they are, also those that are no UTF-8. Equal secrets have equal tags, those of the home.

A text is looked at in blocks of 64 KiB to 1 MiB and is written as soon as a block is done, so that memory stays the \
same however long it is. A reader that goes away ends the command, which is no failure.

With --jsonl each line is a JSON object; its member `text` is redacted, and every other byte of the line stays as it \
came, secrets in other members too. Lines are written in their order, each as soon as no other waits to be read. The \
first line that is no object or has no string `text` ends the command with status 1; the lines before it are written, \
nothing of that one is, and its number is told. Blank lines are copied.";

pub(crate) fn command() -> Command {
    Command::new("redact")
        .about("Takes secrets out of a text: a filter for pipes")
        .long_about(ABOUT)
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .default_value("-")
                .hide_default_value(true)
                .value_hint(ValueHint::FilePath)
                .value_parser(value_parser!(PathBuf))
                .help("The file to read [default: standard input, which is - too]"),
        )
        .arg(
            Arg::new("jsonl")
                .long("jsonl")
                .action(ArgAction::SetTrue)
                .help("Reads a JSON object a line and redacts its member `text` only"),
        )
        .arg(
            Arg::new("patterns")
                .long("pattern")
                .visible_alias("patterns")
                .value_name("REGEX")
                .action(ArgAction::Append)
                .help("A regular expression of which every match is a secret; may be given several times"),
        )
        .arg(rules())
}

/// The option that names a rule file.
pub(crate) fn rules() -> Arg {
    Arg::new("rules")
        .long("rules")
        .value_name("FILE")
        .value_hint(ValueHint::FilePath)
        .value_parser(value_parser!(PathBuf))
        .help("A rule file as redaction.toml in the home, for this call")
}

/// The store's redactor, with the patterns and the rule file that were asked for.
///
/// # Errors
/// `ValidationError` for a pattern or a rule that is not acceptable; `IOError` when the file cannot be read.
pub(crate) fn redactor(store: &Store, asked: &ArgMatches) -> Result<Redactor> {
    let patterns: Vec<String> = asked.get_many("patterns").into_iter().flatten().cloned().collect();
    let redactor = store.safety().and(Pattern::unnamed("--pattern", &patterns))?;
    let Some(path) = asked.get_one::<PathBuf>("rules") else { return Ok(redactor) };
    let rules = Pattern::of_file(&path.display().to_string(), &files::read(path, MAX_RULE_FILE_BYTES)?);
    rules.and_then(|rules| redactor.and(rules)).map_err(|refused| Error::from(refused).at(path))
}

/// Does it.
///
/// # Errors
/// As [`redactor`]; `IOError` when the input cannot be read or the output not written; `ValidationError` naming a line.
pub(crate) fn run(store: &Store, asked: &ArgMatches) -> Result<()> {
    let filtered = || {
        let redactor = redactor(store, asked)?;
        let path = asked.get_one::<PathBuf>("file").map_or(Path::new("-"), PathBuf::as_path);
        let input = files::open(path)?;
        let unreadable = |cause: io::Error| Error::io("read", path, &cause);
        match asked.get_flag("jsonl") {
            true => lines(&redactor, input, &unreadable),
            false => text(&redactor, input, &unreadable),
        }
    };
    let scrub = |text: &str| store.safety().scrub(text).into_owned();
    filtered().map_err(|error: Error| error.in_operation("redact").scrubbed(scrub))
}

fn text(redactor: &Redactor, mut input: impl Read, unreadable: &dyn Fn(io::Error) -> Error) -> Result<()> {
    let mut out = io::stdout().lock();
    let mut stream = redactor.stream();
    let mut piece = vec![0; PIECE];
    loop {
        match input.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => write(&mut out, &stream.push(piece.get(..read).unwrap_or_default()), true)?,
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            Err(cause) => return Err(unreadable(cause)),
        }
    }
    write(&mut out, &stream.finish(), true)
}

fn lines(redactor: &Redactor, input: impl Read, unreadable: &dyn Fn(io::Error) -> Error) -> Result<()> {
    let mut out = BufWriter::with_capacity(PIECE, io::stdout().lock());
    let mut input = BufReader::with_capacity(PIECE, input);
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        let limit = MAX_LINE_BYTES + 1;
        let read = input.by_ref().take(limit).read_until(b'\n', &mut line).map_err(unreadable)?;
        if read == 0 {
            break;
        }
        let redacted = match read as u64 == limit {
            true => Err("is too long"),
            false => jsonl::redacted(&line, |text| redactor.redact(text)),
        };
        // Whoever waits for the line may be who writes the next.
        let is_last_at_hand = !input.buffer().contains(&b'\n');
        match redacted {
            Ok(line) => write(&mut out, &line, is_last_at_hand)?,
            Err(what) => {
                write(&mut out, &[], true)?;
                return Err(Error::validation(format!("line {number} {what}")));
            }
        }
    }
    write(&mut out, &[], true)
}

/// Writes; a reader that has gone has all that it wanted.
fn write(out: &mut impl Write, bytes: &[u8], flush: bool) -> Result<()> {
    match out.write_all(bytes).and_then(|()| if flush { out.flush() } else { Ok(()) }) {
        Ok(()) => Ok(()),
        Err(cause) if cause.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        Err(cause) => Err(Error::new(ErrorKind::Io, "could not write to standard output").because_of(&cause)),
    }
}
