//! `loopmem agents`: conventions and decisions in the Markdown file that agents read, such as `AGENTS.md`.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command};
use loopmem::{Error, ErrorKind, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use super::diff::unified;
use super::markdown::{Section, sections, with_part};
use crate::human::arguments::{argument, flag};
use crate::human::{git, local_files};
use crate::output::ExitCode;
use crate::session::Session;

/// The files that agents read, the one that is written by default first.
const FILES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];
/// The largest file that is read, in bytes.
const MAX_BYTES: usize = 4 << 20;
/// How long the name of a section may be in an id.
const MAX_SLUG: usize = 60;

/// The command `agents`.
pub(crate) fn command() -> Command {
    let file =
        || argument("file", "FILE", "The file [default: AGENTS.md, else CLAUDE.md, at the top of the repository]");
    Command::new("agents")
        .about("Exchanges conventions and decisions with the file that agents read, such as AGENTS.md")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("export")
                .about("Writes conventions and decisions into the file, between two markers")
                .arg(file())
                .arg(flag("dryRun", "Prints what would change, and changes nothing").long("dry-run")),
        )
        .subcommand(Command::new("import").about("Stores each section of the file as a convention, once").arg(file()))
}

/// Runs one of its subcommands.
///
/// # Errors
/// `ValidationError` if the file cannot be read as text; `NotFound` if there is none to import; those of the methods.
pub(crate) fn run(session: &Session<'_>, args: &ArgMatches) -> Result<ExitCode> {
    match args.subcommand() {
        Some(("export", args)) => export(session, &file(args)?, args.get_flag("dryRun")),
        Some((_, args)) => import(session, &file(args)?),
        None => Err(Error::new(ErrorKind::Misuse, "no such command; see `loopmem agents --help`")),
    }
}

/// The file of a call.
fn file(args: &ArgMatches) -> Result<PathBuf> {
    if let Some(file) = args.get_one::<String>("file") {
        return Ok(PathBuf::from(file));
    }
    let here = Path::new(".");
    let top = git::top(here).unwrap_or_else(|_| here.to_owned());
    let all = FILES.map(|name| top.join(name));
    let [first, _] = &all;
    Ok(all.iter().find(|path| local_files::exists(path)).unwrap_or(first).clone())
}

/// The text of a file; `None` if there is none.
fn contents(path: &Path) -> Result<Option<String>> {
    if !local_files::exists(path) {
        return Ok(None);
    }
    let bytes = local_files::read(path, MAX_BYTES)?;
    if bytes.len() > MAX_BYTES {
        return Err(Error::validation(format!("{} is too large; the limit is 4 MiB", path.display())).at(path));
    }
    let text = String::from_utf8(bytes);
    text.map(Some).map_err(|_| Error::validation(format!("{} is not UTF-8", path.display())).at(path))
}

/// A convention or a decision in a list.
#[derive(Deserialize)]
struct Listed {
    kind: String,
    record: Record,
}

#[derive(Deserialize)]
struct Record {
    #[serde(alias = "summary")]
    title: Option<String>,
    #[serde(alias = "rationale")]
    content: String,
}

fn export(session: &Session<'_>, path: &Path, is_dry_run: bool) -> Result<ExitCode> {
    let listed: Vec<Listed> = session.ask("memory.list", &Default::default())?;
    let old = contents(path)?;
    let text = old.clone().unwrap_or_default();
    let new = with_part(&text, &part(&listed)).map_err(|error| named(path, &error))?;
    let shown = path.display().to_string();
    let diff = session.store.redactor().scrub(&unified(&shown, &text, &new)).into_owned();
    let has_changed = text != new;
    if has_changed && !is_dry_run {
        local_files::replace(path, new.as_bytes())?;
    }
    let json = json!({ "file": shown, "changed": has_changed, "diff": diff, "dryRun": is_dry_run });
    let told = match (has_changed, is_dry_run) {
        (false, _) => format!("{shown} is up to date"),
        (true, true) => diff.trim_end().to_owned(),
        (true, false) => format!("wrote {shown}"),
    };
    session.print(json.to_string(), &told, &told)?;
    Ok(ExitCode::SUCCESS)
}

/// An error of a file, which it names.
fn named(path: &Path, error: &Error) -> Error {
    Error::new(error.kind(), format!("{}: {}", path.display(), error.message())).at(path)
}

/// Conventions and decisions as Markdown.
fn part(listed: &[Listed]) -> String {
    let of = |kind: &str| {
        let records = listed.iter().filter(|it| it.kind == kind).map(|it| {
            let text = it.record.content.trim().replace('\n', "\n  ");
            match &it.record.title {
                Some(title) => format!("- **{}**: {text}", title.trim()),
                None => format!("- {text}"),
            }
        });
        records.collect::<Vec<_>>().join("\n")
    };
    [("## Conventions", of("convention")), ("## Decisions", of("decision"))]
        .into_iter()
        .filter(|(_, records)| !records.is_empty())
        .map(|(heading, records)| format!("{heading}\n\n{records}"))
        .collect::<Vec<_>>()
        .join("\n\n")
}

fn import(session: &Session<'_>, path: &Path) -> Result<ExitCode> {
    let missing = || Error::new(ErrorKind::NotFound, format!("there is no {}", path.display())).at(path);
    let text = contents(path)?.ok_or_else(missing)?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let known: Vec<Value> = session.ask("memory.list", &Default::default())?;
    let mut ids: Vec<String> = known.iter().filter_map(|it| it["record"]["id"].as_str().map(str::to_owned)).collect();
    let (mut imported, mut skipped, mut seen) = (Vec::new(), Vec::new(), Vec::new());
    for Section { titles, body } in sections(&text).map_err(|error| named(path, &error))? {
        let title = if titles.is_empty() { name.clone() } else { titles.join(": ") };
        let id = unused(&slug(&format!("{name} {}", titles.join(" "))), &seen);
        seen.push(id.clone());
        if ids.contains(&id) {
            skipped.push(id);
            continue;
        }
        let convention = json!({ "id": id, "title": title, "content": body, "tags": [name] });
        let params = json!({ "convention": convention });
        session.call_json("memory.upsertConvention", &params.to_string())?;
        ids.push(id.clone());
        imported.push(id);
    }
    let json = json!({ "file": path.to_string_lossy(), "imported": imported, "skipped": skipped });
    let told = match (imported.len(), skipped.len()) {
        (0, 0) => format!("{} has no sections with a text", path.display()),
        (new, 0) => format!("stored {new} from {}", path.display()),
        (new, old) => format!("stored {new} from {}; {old} were stored before", path.display()),
    };
    session.print(json.to_string(), &imported.join("\n"), &told)?;
    Ok(ExitCode::SUCCESS)
}

/// A text as a part of an id.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    for character in text.chars().flat_map(char::to_lowercase).take(MAX_SLUG) {
        match character.is_alphanumeric() {
            true => slug.push(character),
            false if !slug.is_empty() && !slug.ends_with('-') => slug.push('-'),
            false => {}
        }
    }
    slug.trim_end_matches('-').to_owned()
}

/// The id, with a number if it is among `seen`.
fn unused(id: &str, seen: &[String]) -> String {
    let numbered = (2..).map(|number| format!("{id}-{number}"));
    std::iter::once(id.to_owned()).chain(numbered).find(|id| !seen.contains(id)).unwrap_or_default()
}
