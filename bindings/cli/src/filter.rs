//! `loopmem redact`: a filter that redacts secrets in text passed through it.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint, value_parser};
use loopmem::safety::{MAX_RULE_FILE_BYTES, Pattern, Redactor, RuleFile};
use loopmem::{Error, ErrorKind, Result, Store};

use crate::human::arguments::{argument, file_option, flag, option};
use crate::human::local_files;
use crate::jsonl;
use crate::lines::{Line, read_line};
use crate::pieces::{Next, PIECE, Pieces};

/// The longest line of JSON that is read, in bytes.
const MAX_LINE_BYTES: u64 = 256 << 20;

const ABOUT: &str = "\
Copies FILE or standard input to standard output, replacing each secret with [REDACTED:rule:tag]. All other bytes are \
unchanged, including those that are not UTF-8. Within a home, equal secrets have equal tags.

While text flows, it is processed in blocks of 64 KiB to 1 MiB, and each block is written as soon as it is done, so \
memory use does not depend on the length of the input. When the input pauses, all complete lines are written. A last \
line without a line break, such as a prompt, is held back until it ends, since a secret may be cut in it; so is a line \
that may be the beginning of a secret, until the next lines show whether it is. If the reader closes the pipe, the \
command exits with 0.

With --jsonl, each line must be a JSON object. Its member `text` is redacted; every other byte of the line is \
unchanged, including secrets in other members. Lines are written in order, and flushed whenever no further line is \
buffered. The first line that is not an object or has no string `text` ends the command with status 1 and an error that \
names the line's number; the lines before it have been written, and nothing of that line. Blank lines are copied.";

pub(crate) fn command() -> Command {
    Command::new("redact")
        .about("Redacts secrets in a file or a pipe")
        .long_about(ABOUT)
        .arg(
            argument("file", "FILE", "The file to read; - is standard input, the default")
                .default_value("-")
                .hide_default_value(true)
                .value_hint(ValueHint::FilePath)
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(flag("jsonl", "Reads one JSON object per line and redacts only its member `text`"))
        .arg(
            option("patterns", "REGEX", "A regular expression whose matches are secrets; may be repeated")
                .long("pattern")
                .alias("patterns")
                .action(ArgAction::Append),
        )
        .arg(rules())
}

/// The option `--rules`.
pub(crate) fn rules() -> Arg {
    file_option("rules", "A file of additional rules, in the format of redaction.toml")
}

/// The store's redactor with the patterns and the rule file from the command line.
///
/// # Errors
/// `ValidationError` for an invalid pattern or rule; `IOError` if the file cannot be read.
pub(crate) fn redactor(store: &Store, args: &ArgMatches) -> Result<Redactor> {
    let patterns: Vec<String> = args.get_many("patterns").into_iter().flatten().cloned().collect();
    let redactor = store.redactor().and(Pattern::unnamed("--pattern", &patterns))?;
    let Some(path) = args.get_one::<PathBuf>("rules") else { return Ok(redactor) };
    let rules = RuleFile::parse(&path.display().to_string(), &local_files::read(path, MAX_RULE_FILE_BYTES)?);
    let redactor = rules.and_then(|rules| Ok(redactor.and(rules.patterns)?.allowing(&rules.allowances)));
    redactor.map_err(|refused| Error::from(refused).at(path))
}

/// Runs the filter.
///
/// # Errors
/// As [`redactor`]; `IOError` if the input cannot be read or the output cannot be written; `ValidationError` naming a
/// line that is not valid.
pub(crate) fn run(store: &Store, args: &ArgMatches) -> Result<()> {
    let filtered = || {
        let redactor = redactor(store, args)?;
        let path = args.get_one::<PathBuf>("file").map_or(Path::new("-"), PathBuf::as_path);
        let input = local_files::open(path)?;
        let unreadable = |cause: io::Error| Error::io("read", path, &cause);
        match args.get_flag("jsonl") {
            true => lines(&redactor, input, &unreadable),
            false => text(&redactor, input, local_files::may_pause(path), &unreadable),
        }
    };
    filtered().map_err(|error: Error| error.in_operation("redact"))
}

fn text(
    redactor: &Redactor,
    input: Box<dyn Read + Send>,
    may_pause: bool,
    unreadable: &dyn Fn(io::Error) -> Error,
) -> Result<()> {
    let mut out = io::stdout().lock();
    let mut stream = redactor.stream();
    let mut pieces = Pieces::of(input);
    loop {
        match pieces.next() {
            Next::Piece(piece) => write(&mut out, &stream.push(&piece), true)?,
            // A file gives the same result however slow its disk is.
            Next::Pause if !may_pause => {}
            Next::Pause => write(&mut out, &stream.flush_lines(), true)?,
            Next::End => return write(&mut out, &stream.finish(), true),
            Next::Failed(cause) => return Err(unreadable(cause)),
        }
    }
}

fn lines(redactor: &Redactor, input: impl Read, unreadable: &dyn Fn(io::Error) -> Error) -> Result<()> {
    let mut out = BufWriter::with_capacity(PIECE, io::stdout().lock());
    let mut input = BufReader::with_capacity(PIECE, input);
    for number in 1_u64.. {
        let line = read_line(&mut input, MAX_LINE_BYTES).map_err(unreadable)?;
        let redacted = match &line {
            Line::End => break,
            Line::TooLong(_) => Err("is too long"),
            Line::Text(line) => jsonl::redacted(line, |text| redactor.redact(text)),
        };
        // The process that reads this line may be the one that writes the next.
        let is_last_buffered = !input.buffer().contains(&b'\n');
        match redacted {
            Ok(line) => write(&mut out, &line, is_last_buffered)?,
            Err(what) => {
                write(&mut out, &[], true)?;
                return Err(Error::validation(format!("line {number} {what}")));
            }
        }
    }
    write(&mut out, &[], true)
}

/// Writes to standard output; exits with 0 if its reader has closed the pipe.
fn write(out: &mut impl Write, bytes: &[u8], flush: bool) -> Result<()> {
    match out.write_all(bytes).and_then(|()| if flush { out.flush() } else { Ok(()) }) {
        Ok(()) => Ok(()),
        Err(cause) if cause.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        Err(cause) => Err(Error::new(ErrorKind::Io, "could not write to standard output").because_of(&cause)),
    }
}
