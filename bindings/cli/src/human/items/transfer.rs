//! `items export` and `items import`: items as JSON lines, to and from files and pipes. An import is stored in batches,
//! and shows its progress on a terminal.

use std::io::BufReader;
use std::path::Path;

use clap::{ArgMatches, Command, ValueHint};
use loopmem::items::{Imported, MigratedLegacy, Skipped};
use loopmem::{Error, ErrorKind, Redaction, Result};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::human::arguments::argument;
use crate::human::input::stdin_is_terminal;
use crate::human::items::layout::Exported;
use crate::human::local_files::{self, PIPE};
use crate::human::progress::{Progress, bar};
use crate::human::screen::{counted, sanitize};
use crate::human::{call_and_show, show_result};
use crate::lines::{Line, read_line};
use crate::output::{self, ExitCode, usage_error};
use crate::session::{Members, Session, read};

const EXPORT: &str = "items.export";
const IMPORT: &str = "items.import";
const FILE: &str = "file";
/// The maximum size of a batch. Each one is stored as a whole.
const BATCH_LINES: usize = 10_000;
const BATCH_BYTES: usize = 16 << 20;
/// The maximum length of a line, in bytes.
const LINE_BYTES: u64 = 4 << 20;

/// Adds the argument `FILE` to `export`.
pub(super) fn extend_export(export: Command) -> Command {
    let help = "The file to create [default: - for standard output, one item per line]";
    export
        .after_help("`loopmem items import` reads what is written. With --json, the result is one object instead.")
        .arg(argument(FILE, "FILE", help).value_hint(ValueHint::FilePath).conflicts_with("path"))
        .mut_arg("path", |arg| arg.hide(true))
}

/// Exports items; `None` if the method's result is wanted.
pub(super) fn export(session: &Session<'_>, args: &ArgMatches) -> Option<Result<()>> {
    let file = args.get_one::<String>(FILE).filter(|file| Path::new(file) != Path::new(PIPE));
    let is_generated = args.contains_id("path") || (file.is_none() && session.is_for_programs());
    (!is_generated).then(|| export_to(session, args, file))
}

fn export_to(session: &Session<'_>, args: &ArgMatches, file: Option<&String>) -> Result<()> {
    let mut params = session.params(EXPORT, args)?;
    params.extend(file.map(|file| ("path".to_owned(), file.as_str().into())));
    if file.is_some() {
        return call_and_show(session, EXPORT, &params);
    }
    let Exported { items, .. } = session.ask(EXPORT, &params)?;
    if items.is_empty() {
        session.emit("there are no items to export");
        return Ok(());
    }
    // A line break within an item is whitespace of its JSON.
    let lines: Vec<String> = items.iter().map(|item| item.get().replace(['\n', '\r'], " ")).collect();
    let text = lines.join("\n");
    if session.is_for_humans() { output::screen(&sanitize(&text)) } else { output::text(&text) }
}

/// Adds the argument `FILE` to `import`.
pub(super) fn extend_import(import: Command) -> Command {
    let file = argument(FILE, "FILE", "The file to read [default: - for standard input]");
    import
        .after_help(
            "Items are imported in batches, so that an import that was interrupted has stored a part; items \
             that have an id are not added again by another import. --path reads a file as a whole.",
        )
        .arg(file.value_hint(ValueHint::FilePath).conflicts_with_all(["path", "items"]))
}

/// Imports a file or a pipe; `None` if the items are an option of the method.
pub(super) fn import(session: &Session<'_>, args: &ArgMatches) -> Option<Result<ExitCode>> {
    if args.contains_id("path") || args.contains_id("items") {
        return None;
    }
    let file = args.get_one::<String>(FILE);
    if file.is_none() && stdin_is_terminal() {
        usage_error("nothing to import was given; pass FILE, or items through a pipe")
    }
    Some(import_from(session, args, Path::new(file.map_or(PIPE, String::as_str))))
}

/// Runs a generated command of the room, which was given `args`, whose result says which lines it skipped.
pub(super) fn import_whole(session: &Session<'_>, args: &ArgMatches) -> Result<ExitCode> {
    let (method, params) = session.generated("items", args)?;
    let json = session.call_json(method, &params)?;
    let status = match method {
        IMPORT => status_of(session, &read(&json)?),
        _ => {
            let MigratedLegacy { copied, history, unchanged, skipped, .. } = read(&json)?;
            status(session, copied + history + unchanged, skipped.len())
        }
    };
    show_result(session, method, &params, json)?;
    Ok(status)
}

fn status_of(session: &Session<'_>, Imported { added, changed, unchanged, skipped, .. }: &Imported) -> ExitCode {
    status(session, added + changed + unchanged, skipped.len())
}

/// The exit status of an import of so many lines: a failure if others were skipped. Where the result is not formatted,
/// that is also said.
fn status(session: &Session<'_>, imported: usize, skipped: usize) -> ExitCode {
    if skipped == 0 {
        return ExitCode::SUCCESS;
    }
    if !session.is_for_humans() {
        let lines = counted(imported + skipped, "line");
        session.emit(&format!("skipped {skipped} of {lines}; the result lists them"));
    }
    ExitCode::FAILURE
}

fn import_from(session: &Session<'_>, args: &ArgMatches, file: &Path) -> Result<ExitCode> {
    let options = session.params(IMPORT, args)?;
    let is_forced = options.get("force").and_then(Value::as_bool).unwrap_or_default();
    let size = local_files::size(file);
    let mut source = BufReader::new(local_files::open(file)?);
    let mut import = Import {
        session,
        options: &options,
        is_forced,
        imported: Imported::default(),
        preview: session.is_dry_run.then(Vec::new),
        progress: Progress::new(!session.is_for_programs()),
    };
    let (mut batch, mut bytes, mut done) = (Vec::new(), 0, 0);
    for number in 1.. {
        let line = read_line(&mut source, LINE_BYTES).map_err(|cause| Error::io("read", file, &cause))?;
        done += line.length();
        match line {
            Line::End => break,
            Line::TooLong(_) => import.skip(number, format!("longer than {LINE_BYTES} bytes")),
            Line::Text(line) => match checked(&line, number) {
                Ok(None) => {}
                Ok(Some(json)) => {
                    bytes += json.len();
                    batch.push((number, json));
                }
                Err(why) => import.skip(number, why.to_owned()),
            },
        }
        if batch.len() >= BATCH_LINES || bytes >= BATCH_BYTES {
            import.store(&batch)?;
            batch.clear();
            bytes = 0;
        }
        import.progress.update(|width| line_of(done, size, number, width));
    }
    import.store(&batch)?;
    let Import { mut imported, preview, .. } = import;
    if let Some(redactions) = preview {
        session.show_preview(&redactions)?;
        match imported.skipped.len() {
            0 => {}
            skipped => session.emit(&format!("would skip {}", counted(skipped, "line"))),
        }
        if !is_forced && !redactions.is_empty() {
            session.emit("lines with a secret would be skipped; add --force to store them redacted");
            return Ok(ExitCode::FAILURE);
        }
        return Ok(ExitCode::SUCCESS);
    }
    imported.skipped.sort_by_key(|skipped| skipped.line);
    show_result(session, IMPORT, &json!(options).to_string(), json!(imported).to_string())?;
    Ok(status_of(session, &imported))
}

/// The JSON object in a line; `None` if the line is blank.
fn checked(line: &[u8], number: usize) -> std::result::Result<Option<String>, &'static str> {
    let bom: &[u8] = if number == 1 { b"\xEF\xBB\xBF" } else { b"" };
    let line = line.strip_prefix(bom).unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    let line = std::str::from_utf8(line).map_err(|_| "not UTF-8")?;
    let json: &RawValue = serde_json::from_str(line).map_err(|_| "not valid JSON")?;
    if !line.starts_with('{') {
        return Err("not a JSON object");
    }
    Ok(Some(json.get().to_owned()))
}

struct Import<'i> {
    session: &'i Session<'i>,
    options: &'i Members,
    is_forced: bool,
    imported: Imported,
    /// What would be redacted, in a dry run.
    preview: Option<Vec<Redaction>>,
    progress: Progress,
}

impl Import<'_> {
    fn skip(&mut self, line: usize, message: String) {
        self.imported.skipped.push(Skipped::new(line, ErrorKind::Parse, message));
    }

    /// Stores a batch. The method refuses a batch as a whole if one of its lines cannot be a member of its params; then
    /// the line is searched and skipped.
    fn store(&mut self, batch: &[(usize, String)]) -> Result<()> {
        // The method may write a warning.
        self.progress.clear();
        match self.call(batch) {
            Ok(imported) => {
                self.imported.added += imported.added;
                self.imported.changed += imported.changed;
                self.imported.unchanged += imported.unchanged;
                self.imported.skipped.extend(imported.skipped.into_iter().map(|mut skipped| {
                    let line = skipped.line.checked_sub(1).and_then(|index| batch.get(index));
                    skipped.line = line.map_or(skipped.line, |(line, _)| *line);
                    skipped
                }));
                Ok(())
            }
            // If nothing can be imported, the lines are not the reason.
            Err(error) if error.kind() == ErrorKind::Validation && !batch.is_empty() && self.call(&[]).is_ok() => {
                match batch {
                    [(line, _)] => self.skip(*line, why(&error)),
                    _ => {
                        let (one, other) = batch.split_at(batch.len() / 2);
                        self.store(one)?;
                        self.store(other)?;
                    }
                }
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Calls the method; in a dry run, adds what it would redact to the preview.
    fn call(&mut self, batch: &[(usize, String)]) -> Result<Imported> {
        let items: Vec<&str> = batch.iter().map(|(_, json)| json.as_str()).collect();
        let mut params = format!("{{\"items\":[{}]", items.join(","));
        for (key, value) in self.options {
            params.push_str(&format!(",{}:{value}", Value::from(key.as_str())));
        }
        if self.preview.is_some() && !self.is_forced {
            // Without `force`, a line with a secret is skipped, and the preview would not show the secret.
            params.push_str(",\"force\":true");
        }
        params.push('}');
        let Some(preview) = &mut self.preview else { return read(&self.session.call_json(IMPORT, &params)?) };
        for redaction in self.session.preview(IMPORT, &params)? {
            add(preview, redaction);
        }
        Ok(Imported::default())
    }
}

/// Why a single line was refused. The message says where in the params it was.
fn why(refused: &Error) -> String {
    match refused.message().strip_prefix("items[0]: ") {
        Some(why) => format!("not an item: {why}"),
        None => refused.message().to_owned(),
    }
}

/// Adds a redaction to others, of which one rule has one for each field.
fn add(redactions: &mut Vec<Redaction>, new: Redaction) {
    match redactions.iter_mut().find(|known| known.field == new.field && known.rule == new.rule) {
        Some(known) => known.count += new.count,
        None => redactions.push(new),
    }
}

/// How far an import is, in at most `width` columns if that is possible.
fn line_of(done: u64, size: Option<u64>, lines: usize, width: usize) -> String {
    let lines = counted(lines, "line");
    match size.filter(|size| *size > 0) {
        Some(size) => bar("importing", done, size, &lines, width),
        None => format!("importing: {lines}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_fits_and_says_how_far_the_import_is() {
        assert_eq!(line_of(50, Some(100), 7, 40), "importing [#######       ]  50%, 7 lines");
        assert_eq!(line_of(50, Some(100), 7, 10), "importing []  50%, 7 lines");
        assert_eq!(line_of(500, Some(100), 1, 200), format!("importing [{}] 100%, 1 line", "#".repeat(40)));
        assert_eq!(line_of(50, None, 1, 80), "importing: 1 line");
    }
}
