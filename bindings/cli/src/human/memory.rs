//! `memory add`, `show`, `edit` and `rm`.

use std::process::ExitCode;

use chrono::{DateTime, Utc};
use clap::{Arg, ArgAction, ArgMatches, Command};
use loopmem::methods::Description;
use loopmem::{Error, ErrorKind, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::abbreviation::shortest;
use crate::human::editor::{self, Caller};
use crate::human::record::{Entry, Holds, Kind, entries, find, given, options, stored};
use crate::human::room_command::RoomCommand;
use crate::human::screen::{FAINT, ID, KIND, Keep, PLAIN, age, counted, moment, on_one_line, sanitize, width};
use crate::human::table::{Column, table};
use crate::human::views::{empty, pairs};
use crate::human::{REPO, form, input, members, repo_fields, repo_options, views, with_verbs};
use crate::output::{self, notice, usage_error};
use crate::session::{Members, Session, read, text, texts};

/// Shown instead of an empty list.
pub(crate) const NOTHING: &str =
    "nothing is stored for this repository yet; `loopmem memory add note TEXT` stores a note";
/// The minimum length of an abbreviated id.
const ID_LENGTH: usize = 8;
const NEW: &str = "\
The text is read from TEXT, else from a pipe, else from $VISUAL or $EDITOR. Secrets in it are redacted.";

/// The commands of the room `memory`.
pub(crate) struct MemoryCommand;

impl RoomCommand for MemoryCommand {
    fn room(&self) -> &'static str {
        "memory"
    }

    fn extend(&self, command: Command, description: &Description) -> Command {
        with_verbs(command, verbs(&repo_options(description)))
    }

    fn storing_verbs(&self) -> &'static [&'static str] {
        &["add", "edit"]
    }

    fn run(&self, session: &Session<'_>, description: &Description, args: &ArgMatches) -> Option<Result<ExitCode>> {
        let (verb, args) = args.subcommand()?;
        let done = run(session, verb, args, |args| members(session, repo_fields(description), args))?;
        Some(done.map(|()| ExitCode::SUCCESS))
    }

    fn layout(&self, session: &Session<'_>, verb: &str, params: &Members, json: &str) -> Option<Result<String>> {
        (verb == "list").then(|| records(session, params, json))
    }
}

fn verbs(repo: &[Arg]) -> Vec<Command> {
    let kinds = Kind::ALL.map(|kind| {
        let (about, words) = match kind {
            Kind::Convention => ("How this repository does things", "The full text"),
            Kind::Decision => ("What was decided, and why", "The rationale"),
            Kind::Note => ("Anything else worth keeping", "The text of the note"),
        };
        Command::new(kind.name())
            .about(about)
            .after_help(NEW)
            .arg(input::text_words(words).conflicts_with(kind.body().option))
            .args(options(kind.fields()))
            .arg(Arg::new("id").long("id").value_name("ID").help("The new record's id [default: generated]"))
            .args(repo.iter().cloned())
    });
    let id = Arg::new("id").value_name("ID").required(true).help("The record's id or a unique prefix of it");
    let add = Command::new("add")
        .about("Stores a new convention, decision or note, and prints its id")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(kinds);
    let show = Command::new("show").about("Shows a record in full").arg(id.clone()).args(repo.iter().cloned());
    let edit = Command::new("edit")
        .about("Changes a record: in your editor, by options, or from a pipe")
        .after_help(
            "Without options, the record is opened in $VISUAL or $EDITOR. Text from a pipe replaces the record's text; \
             if it begins with a line `+++`, it is read as the complete form that the editor shows.",
        )
        .arg(id.clone())
        .args(options(Kind::ALL.iter().flat_map(|kind| kind.fields())))
        .args(repo.iter().cloned());
    let rm = Command::new("rm")
        .about("Removes records; on a terminal, asks for confirmation")
        .arg(id.action(ArgAction::Append).help("The records' ids or unique prefixes of them"))
        .arg(Arg::new("yes").long("yes").short('y').action(ArgAction::SetTrue).help("Skips the confirmation"))
        .args(repo.iter().cloned());
    vec![add, show, edit, rm]
}

type Verb = fn(&Session<'_>, &ArgMatches, Members) -> Result<()>;

fn run(
    session: &Session<'_>,
    verb: &str,
    args: &ArgMatches,
    repo: impl Fn(&ArgMatches) -> Result<Members>,
) -> Option<Result<()>> {
    let (verb, args): (Verb, _) = match (verb, args.subcommand()) {
        ("add", Some(("convention", args))) => (|session, args, repo| add(session, Kind::Convention, args, repo), args),
        ("add", Some(("decision", args))) => (|session, args, repo| add(session, Kind::Decision, args, repo), args),
        ("add", Some(("note", args))) => (|session, args, repo| add(session, Kind::Note, args, repo), args),
        ("show", _) => (show, args),
        ("edit", _) => (edit, args),
        ("rm", _) => (remove, args),
        _ => return None,
    };
    Some(repo(args).and_then(|repo| verb(session, args, repo)))
}

fn add(session: &Session<'_>, kind: Kind, args: &ArgMatches, repo: Members) -> Result<()> {
    let body = kind.body().key;
    let mut draft = given(kind.fields(), args);
    if let Some(text) = input::text_argument(args)? {
        draft.insert(body.to_owned(), text.into());
    }
    if let Some(id) = args.get_one::<String>("id") {
        if stored(session, &repo)?.iter().any(|entry| entry.id() == id) {
            let message =
                format!("the id {id} is already in use; to change that record, run `loopmem memory edit {id}`");
            return Err(Error::new(ErrorKind::Conflict, message).about(id));
        }
        draft.insert("id".to_owned(), id.as_str().into());
    }
    if !draft.contains_key(body)
        && let Some(text) = input::read_pipe()?
    {
        // Options take precedence.
        let options = std::mem::replace(&mut draft, form::read(kind.schema(), &text)?);
        draft.extend(options);
    }
    let missing = kind.headline().filter(|field| !draft.contains_key(field.key));
    let written = if draft.contains_key(body) && missing.is_none() {
        store(session, kind, &repo, with_source(kind, draft))?
    } else if editor::is_available() {
        match compose(session, kind, &repo, with_source(kind, draft))? {
            Some(written) => written,
            None => return Err(Error::new(ErrorKind::Cancelled, "nothing was written, so nothing was stored")),
        }
    } else if let Some(field) = missing.filter(|_| draft.contains_key(body)) {
        usage_error(&format!("a {} also needs --{}", kind.name(), field.option))
    } else {
        usage_error(&format!("the {} is missing; pass it as TEXT or through a pipe", kind.name()))
    };
    stored_as(session, kind, "Stored", written)
}

/// Marks a note as written by a person, unless a source was given.
fn with_source(kind: Kind, mut draft: Members) -> Members {
    if kind == Kind::Note {
        draft.entry("source").or_insert_with(|| "manual".into());
    }
    draft
}

fn compose(session: &Session<'_>, kind: Kind, repo: &Members, draft: Members) -> Result<Option<String>> {
    let comment = match kind {
        Kind::Convention => "A convention: how this repository does things.\nWrite the text below the second +++.",
        Kind::Decision => "A decision: the summary says what was decided.\nWrite the rationale below the second +++.",
        Kind::Note => "A note: anything else worth keeping.\nWrite the text below the second +++.",
    };
    editor::compose(
        &format!("{}.md", kind.name()),
        &form::write(kind.schema(), &draft, comment),
        Caller::Command,
        |form| {
            let mut draft = draft.clone();
            draft.extend(form::read(kind.schema(), form)?);
            store(session, kind, repo, draft)
        },
    )
}

/// Stores a draft and returns the record as stored.
fn store(session: &Session<'_>, kind: Kind, repo: &Members, draft: Members) -> Result<String> {
    let mut params = repo.clone();
    params.insert(kind.name().to_owned(), draft.into());
    session.call(kind.upsert(), &Value::Object(params).to_string())
}

/// Prints the outcome of storing a record.
fn stored_as(session: &Session<'_>, kind: Kind, what: &str, json: String) -> Result<()> {
    if session.is_for_programs() {
        return output::line(json);
    }
    let record: Members = read(&json)?;
    let id = text(&record, "id");
    if session.is_for_humans() {
        output::screen(&views::named(&format!("{what} {}", kind.name()), id, &kind.label(&record)))
    } else {
        output::text(id)
    }
}

fn show(session: &Session<'_>, args: &ArgMatches, repo: Members) -> Result<()> {
    let entries = stored(session, &repo)?;
    let entry = find(&entries, the_id(args))?;
    if session.is_for_humans() { output::screen(&record(entry, session.now)) } else { output::line(entry.to_json()) }
}

fn edit(session: &Session<'_>, args: &ArgMatches, repo: Members) -> Result<()> {
    let entries = stored(session, &repo)?;
    let entry = find(&entries, the_id(args))?;
    let kind = entry.kind;
    let other = Kind::ALL
        .iter()
        .flat_map(|kind| kind.fields())
        .find(|field| args.contains_id(field.option) && kind.fields().iter().all(|own| own.option != field.option));
    if let Some(field) = other {
        usage_error(&format!("a {} has no --{}", kind.name(), field.option));
    }
    let wanted = given(kind.fields(), args);
    let changed = if !wanted.is_empty() {
        change(session, entry, &repo, wanted)?
    } else if let Some(text) = input::read_pipe()? {
        change(session, entry, &repo, form::read(kind.schema(), &text)?)?
    } else if editor::is_available() {
        let comment = format!("The {} {}.\nIts text is below the second +++.", kind.name(), entry.id());
        let form = form::write(kind.schema(), &entry.members, &comment);
        editor::compose(&format!("{}.md", kind.name()), &form, Caller::Command, |form| {
            change(session, entry, &repo, form::read(kind.schema(), form)?)
        })?
        .flatten()
    } else {
        usage_error("nothing to change was given; use options, or pass the text through a pipe")
    };
    match changed {
        Some(json) => stored_as(session, kind, "Changed", json),
        None if session.is_for_programs() => output::line(entry.raw.get().to_owned()),
        None => {
            session.emit("nothing changed");
            if session.is_for_humans() { Ok(()) } else { output::text(entry.id()) }
        }
    }
}

/// Stores the fields of `wanted` that differ from the record; `None` if none do.
fn change(session: &Session<'_>, entry: &Entry, repo: &Members, wanted: Members) -> Result<Option<String>> {
    let kind = entry.kind;
    let is_so = |key: &str, value: &Value| match (value.as_str(), entry.members.get(key)) {
        (Some(new), Some(Value::String(old))) if key == kind.body().key => form::trimmed(new) == form::trimmed(old),
        (_, old) => old == Some(value),
    };
    let mut patch: Members = wanted.into_iter().filter(|(key, value)| !is_so(key, value)).collect();
    if patch.is_empty() {
        return Ok(None);
    }
    // The record may have changed while the editor was open.
    let entries = stored(session, repo)?;
    let now = entries.iter().find(|it| it.id() == entry.id());
    let untouched = |it: &Entry| patch.keys().all(|key| it.members.get(key) == entry.members.get(key));
    match now {
        Some(now) if untouched(now) => {}
        Some(_) => return Err(Error::new(ErrorKind::Conflict, "the record was changed concurrently")),
        None => return Err(Error::new(ErrorKind::NotFound, "the record was removed concurrently")),
    }
    patch.insert("id".to_owned(), entry.id().into());
    store(session, kind, repo, patch).map(Some)
}

#[derive(Deserialize)]
struct Removed {
    removed: bool,
}

fn remove(session: &Session<'_>, args: &ArgMatches, repo: Members) -> Result<()> {
    let entries = stored(session, &repo)?;
    let mut targets: Vec<&Entry> = Vec::new();
    for typed in args.get_many::<String>("id").into_iter().flatten() {
        let entry = find(&entries, typed)?;
        if !targets.iter().any(|it| it.id() == entry.id()) {
            targets.push(entry);
        }
    }
    if !args.get_flag("yes") && input::stdin_is_terminal() {
        if !input::can_prompt() {
            usage_error("cannot ask for confirmation here; add --yes to remove without asking");
        }
        let question = match targets.as_slice() {
            [only] => {
                let (kind, id) = (only.kind.name(), on_one_line(only.id()));
                format!("Remove the {kind} {id} ({})? [y/N] ", only.label())
            }
            _ => {
                notice(listed(&targets).trim_end());
                format!("Remove these {}? [y/N] ", counted(targets.len() as u64, "record"))
            }
        };
        if !input::confirm(&question, false) {
            return Err(Error::new(ErrorKind::Cancelled, "nothing was removed"));
        }
    }
    let mut results = Vec::new();
    for entry in targets {
        let mut params = repo.clone();
        params.insert("id".to_owned(), entry.id().into());
        let Removed { removed } = session.ask("memory.remove", params)?;
        results.push(json!({ "id": entry.id(), "removed": removed }));
        if session.is_for_humans() {
            let what = if removed { "Removed" } else { "Already removed" };
            output::screen(&views::named(&format!("{what} {}", entry.kind.name()), entry.id(), &entry.label()))?;
        } else if !session.is_for_programs() {
            output::text(entry.id())?;
        }
    }
    if session.is_for_programs() { output::line(Value::from(results).to_string()) } else { Ok(()) }
}

fn the_id(args: &ArgMatches) -> &str {
    args.get_one::<String>("id").map(String::as_str).unwrap_or_default()
}

fn records(session: &Session<'_>, params: &Members, json: &str) -> Result<String> {
    let shown = entries(json)?;
    if shown.is_empty() {
        return Ok(empty(params, NOTHING));
    }
    // Ids are abbreviated so that they are unique among all records, not only those shown.
    let repo: Members = params
        .iter()
        .filter(|(key, _)| REPO.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let all = if repo.len() == params.len() { Vec::new() } else { stored(session, &repo)? };
    let mut ids: Vec<&str> = all.iter().chain(&shown).map(Entry::id).collect();
    ids.sort_unstable();
    ids.dedup();
    let heads = vec![
        Column::fixed("ID", ID),
        Column::fixed("KIND", KIND),
        Column::flexible("WHAT", PLAIN, Keep::Start),
        Column::flexible("TAGS, PATHS", FAINT, Keep::Start),
        Column::fixed("AGE", FAINT),
    ];
    let row = |it: &Entry| {
        vec![
            shortest(it.id(), &ids, ID_LENGTH).to_owned(),
            it.kind.name().to_owned(),
            it.label(),
            it.marks(),
            age(text(&it.members, "updatedAt"), session.now),
        ]
    };
    Ok(table(heads, shown.iter().map(row).collect(), width()))
}

/// A short table of records with their complete ids.
fn listed(entries: &[&Entry]) -> String {
    let heads =
        vec![Column::fixed("ID", ID), Column::fixed("KIND", KIND), Column::flexible("WHAT", PLAIN, Keep::Start)];
    let row = |it: &&Entry| vec![it.id().to_owned(), it.kind.name().to_owned(), it.label()];
    table(heads, entries.iter().map(row).collect(), width())
}

/// A record in full.
fn record(entry: &Entry, now: DateTime<Utc>) -> String {
    let members = &entry.members;
    let id = on_one_line(entry.id());
    let mut lines: Vec<(&str, String)> = Vec::new();
    for field in entry.kind.fields().iter().filter(|field| field.holds != Holds::Body) {
        lines.push(match (field.holds, field.key) {
            (Holds::List, key) => {
                let name = if key == "impactedPaths" { "paths" } else { key };
                (name, texts(members, key).collect::<Vec<_>>().join(", "))
            }
            (_, key) => (key, text(members, key).to_owned()),
        });
    }
    let (created, updated) = (text(members, "createdAt"), text(members, "updatedAt"));
    lines.push(("stored", moment(created, now)));
    if updated != created {
        lines.push(("changed", moment(updated, now)));
    }
    let known = ["id", "createdAt", "updatedAt"];
    for (key, value) in members {
        if !known.contains(&key.as_str()) && entry.kind.fields().iter().all(|field| field.key != key) {
            lines.push((key, value.to_string()));
        }
    }
    let body = sanitize(text(members, entry.kind.body().key));
    format!("{KIND}{}{KIND:#} {ID}{id}{ID:#}\n{}\n{body}", entry.kind.name(), pairs(&lines))
}
