//! `memory add`, `show`, `edit` and `rm`.

use std::process::ExitCode;

use chrono::{DateTime, Utc};
use clap::{Arg, ArgAction, ArgMatches, Command};
use loopmem::methods::Description;
use loopmem::{Error, ErrorKind, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::abbreviation::shortest;
use crate::human::face::Face;
use crate::human::record::{Entry, Holds, Kind, entries, find, given, options, stored};
use crate::human::screen::{FAINT, ID, KIND, Keep, PLAIN, age, counted, moment, on_one_line, tame, width};
use crate::human::table::{Column, table};
use crate::human::views::{empty, pairs};
use crate::human::{REPO, editor, form, input, members, repo_fields, repo_options, views, with_verbs};
use crate::output::{self, misused, remark};
use crate::session::{Members, Session, placeholders, read, text, texts};

/// What is said where there is nothing to show.
pub(crate) const NOTHING: &str =
    "nothing is stored for this repository yet; `loopmem memory add note TEXT` stores a note";
/// How long the beginning of an id is where fewer characters would do.
const ID_LENGTH: usize = 8;
const NEW: &str = "\
The text is TEXT, else what comes through a pipe, else what you write in $VISUAL or $EDITOR. Secrets in it are redacted.";

/// The face of the room `memory`.
pub(crate) struct MemoryFace;

impl Face for MemoryFace {
    fn room(&self) -> &'static str {
        "memory"
    }

    fn extend(&self, command: Command, description: &Description) -> Command {
        with_verbs(command, verbs(&repo_options(description)))
    }

    fn run(&self, session: &Session<'_>, description: &Description, asked: &ArgMatches) -> Option<Result<ExitCode>> {
        let (verb, asked) = asked.subcommand()?;
        let done = run(session, verb, asked, |asked| members(session, repo_fields(description), asked))?;
        Some(done.map(|()| ExitCode::SUCCESS))
    }

    fn layout(&self, session: &Session<'_>, verb: &str, params: &Members, json: &str) -> Option<Result<String>> {
        (verb == "list").then(|| records(session, params, json))
    }
}

fn verbs(repo: &[Arg]) -> Vec<Command> {
    let kinds = Kind::ALL.map(|kind| {
        let (about, words) = match kind {
            Kind::Convention => ("How this repository does things", "The whole of it, as words"),
            Kind::Decision => ("What was decided, and why", "Why, as words"),
            Kind::Note => ("Anything else worth keeping", "The note, as words"),
        };
        Command::new(kind.name())
            .about(about)
            .after_help(NEW)
            .arg(input::words(words).conflicts_with(kind.body().option))
            .args(options(&[kind]))
            .arg(Arg::new("id").long("id").value_name("ID").help("The id it is to have [default: a new one]"))
            .args(repo.iter().cloned())
    });
    let id = Arg::new("id").value_name("ID").required(true).help("Its id, or the beginning of it");
    let add = Command::new("add")
        .about("Stores a new convention, decision or note, and prints its id")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(kinds);
    let show = Command::new("show").about("Shows a record as a whole").arg(id.clone()).args(repo.iter().cloned());
    let edit = Command::new("edit")
        .about("Changes a record: in your editor, by options, or by a text through a pipe")
        .after_help(
            "Without options the record is opened in $VISUAL or $EDITOR. What comes through a pipe becomes its text; when \
             it begins with a line +++ it is the whole form, as the editor shows it.",
        )
        .arg(id.clone())
        .args(options(&Kind::ALL))
        .args(repo.iter().cloned());
    let rm = Command::new("rm")
        .about("Removes records, and asks first on a terminal")
        .arg(id.action(ArgAction::Append).help("Their ids, or the beginnings of them"))
        .arg(Arg::new("yes").long("yes").short('y').action(ArgAction::SetTrue).help("Does not ask"))
        .args(repo.iter().cloned());
    vec![add, show, edit, rm]
}

type Verb = fn(&Session<'_>, &ArgMatches, Members) -> Result<()>;

fn run(
    session: &Session<'_>,
    verb: &str,
    asked: &ArgMatches,
    repo: impl Fn(&ArgMatches) -> Result<Members>,
) -> Option<Result<()>> {
    let (verb, asked): (Verb, _) = match (verb, asked.subcommand()) {
        ("add", Some(("convention", asked))) => {
            (|session, asked, repo| add(session, Kind::Convention, asked, repo), asked)
        }
        ("add", Some(("decision", asked))) => (|session, asked, repo| add(session, Kind::Decision, asked, repo), asked),
        ("add", Some(("note", asked))) => (|session, asked, repo| add(session, Kind::Note, asked, repo), asked),
        ("show", _) => (show, asked),
        ("edit", _) => (edit, asked),
        ("rm", _) => (remove, asked),
        _ => return None,
    };
    Some(repo(asked).and_then(|repo| verb(session, asked, repo)))
}

fn add(session: &Session<'_>, kind: Kind, asked: &ArgMatches, repo: Members) -> Result<()> {
    let body = kind.body().key;
    let mut draft = given(kind, asked);
    if let Some(text) = input::spoken(asked)? {
        draft.insert(body.to_owned(), text.into());
    }
    if let Some(id) = asked.get_one::<String>("id") {
        if stored(session, &repo)?.iter().any(|entry| entry.id() == id) {
            let message = format!("the id {id} is taken; `loopmem memory edit {id}` changes what has it");
            return Err(Error::new(ErrorKind::Conflict, message).about(id));
        }
        draft.insert("id".to_owned(), id.as_str().into());
    }
    if !draft.contains_key(body)
        && let Some(text) = input::piped()?
    {
        // What was said in options counts.
        let options = std::mem::replace(&mut draft, form::read(kind, &text)?);
        draft.extend(options);
    }
    let missing = kind.headline().filter(|field| !draft.contains_key(field.key));
    let written = if draft.contains_key(body) && missing.is_none() {
        store(session, kind, &repo, with_source(kind, draft))?
    } else if editor::is_at_hand() {
        match compose(session, kind, &repo, with_source(kind, draft))? {
            Some(written) => written,
            None => return Err(Error::new(ErrorKind::Cancelled, "nothing was written, so nothing is stored")),
        }
    } else if let Some(field) = missing.filter(|_| draft.contains_key(body)) {
        misused(&format!("a {} needs --{} as well", kind.name(), field.option))
    } else {
        misused(&format!("say what the {} is: as TEXT, or through a pipe", kind.name()))
    };
    stored_as(session, kind, "Stored", written)
}

/// A person wrote it, unless told otherwise.
fn with_source(kind: Kind, mut draft: Members) -> Members {
    if kind == Kind::Note {
        draft.entry("source").or_insert_with(|| "manual".into());
    }
    draft
}

fn compose(session: &Session<'_>, kind: Kind, repo: &Members, draft: Members) -> Result<Option<String>> {
    let comment = match kind {
        Kind::Convention => "A convention: how this repository does things.\nIts text goes below the second +++.",
        Kind::Decision => "A decision: what was decided, in the summary.\nWhy goes below the second +++.",
        Kind::Note => "A note: anything else worth keeping.\nIts text goes below the second +++.",
    };
    editor::compose(&format!("{}.md", kind.name()), &form::write(kind, &draft, comment), |form| {
        let mut draft = draft.clone();
        draft.extend(form::read(kind, form)?);
        store(session, kind, repo, draft)
    })
}

/// Stores a draft and returns the record as stored.
fn store(session: &Session<'_>, kind: Kind, repo: &Members, draft: Members) -> Result<String> {
    let mut params = repo.clone();
    params.insert(kind.name().to_owned(), draft.clone().into());
    let json = session.call(kind.upsert(), &Value::Object(params).to_string())?;
    let stored: Members = read(&json)?;
    let is_redacted = |(key, value): (&String, &Value)| placeholders(stored.get(key)) > placeholders(Some(value));
    session.tell_of_redaction(draft.iter().any(is_redacted));
    Ok(json)
}

/// Says what a record has become.
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

fn show(session: &Session<'_>, asked: &ArgMatches, repo: Members) -> Result<()> {
    let entries = stored(session, &repo)?;
    let entry = find(&entries, the_id(asked))?;
    if session.is_for_humans() { output::screen(&record(entry, session.now)) } else { output::line(entry.to_json()) }
}

fn edit(session: &Session<'_>, asked: &ArgMatches, repo: Members) -> Result<()> {
    let entries = stored(session, &repo)?;
    let entry = find(&entries, the_id(asked))?;
    let kind = entry.kind;
    let other = Kind::ALL
        .iter()
        .flat_map(|kind| kind.fields())
        .find(|field| asked.contains_id(field.option) && kind.fields().iter().all(|own| own.option != field.option));
    if let Some(field) = other {
        misused(&format!("a {} has no --{}", kind.name(), field.option));
    }
    let wanted = given(kind, asked);
    let changed = if !wanted.is_empty() {
        change(session, entry, &repo, wanted)?
    } else if let Some(text) = input::piped()? {
        change(session, entry, &repo, form::read(kind, &text)?)?
    } else if editor::is_at_hand() {
        let comment = format!("The {} {}.\nIts text stands below the second +++.", kind.name(), entry.id());
        let form = form::write(kind, &entry.members, &comment);
        editor::compose(&format!("{}.md", kind.name()), &form, |form| {
            change(session, entry, &repo, form::read(kind, form)?)
        })?
        .flatten()
    } else {
        misused("say what is to change: by options, or as a text through a pipe")
    };
    match changed {
        Some(json) => stored_as(session, kind, "Changed", json),
        None if session.is_for_programs() => output::line(entry.raw.get().to_owned()),
        None => {
            session.tell("nothing changed");
            if session.is_for_humans() { Ok(()) } else { output::text(entry.id()) }
        }
    }
}

/// Stores what of `wanted` is not so already; `None` when all of it is.
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
    // While the editor was open others may have been at work.
    let entries = stored(session, repo)?;
    let now = entries.iter().find(|it| it.id() == entry.id());
    let untouched = |it: &Entry| patch.keys().all(|key| it.members.get(key) == entry.members.get(key));
    match now {
        Some(now) if untouched(now) => {}
        Some(_) => return Err(Error::new(ErrorKind::Conflict, "somebody else changed this record in the meantime")),
        None => return Err(Error::new(ErrorKind::NotFound, "somebody else removed this record in the meantime")),
    }
    patch.insert("id".to_owned(), entry.id().into());
    store(session, kind, repo, patch).map(Some)
}

#[derive(Deserialize)]
struct Removed {
    removed: bool,
}

fn remove(session: &Session<'_>, asked: &ArgMatches, repo: Members) -> Result<()> {
    let entries = stored(session, &repo)?;
    let mut doomed: Vec<&Entry> = Vec::new();
    for typed in asked.get_many::<String>("id").into_iter().flatten() {
        let entry = find(&entries, typed)?;
        if !doomed.iter().any(|it| it.id() == entry.id()) {
            doomed.push(entry);
        }
    }
    if !asked.get_flag("yes") && input::is_typed() {
        if !input::can_ask() {
            misused("nobody can be asked here: add --yes to remove without a question");
        }
        let question = match doomed.as_slice() {
            [only] => {
                let (kind, id) = (only.kind.name(), on_one_line(only.id()));
                format!("Remove the {kind} {id} ({})? [y/N] ", only.label())
            }
            _ => {
                remark(listed(&doomed).trim_end());
                format!("Remove these {}? [y/N] ", counted(doomed.len() as u64, "record"))
            }
        };
        if !input::agreed(&question, false) {
            return Err(Error::new(ErrorKind::Cancelled, "nothing was removed"));
        }
    }
    let mut gone = Vec::new();
    for entry in doomed {
        let mut params = repo.clone();
        params.insert("id".to_owned(), entry.id().into());
        let Removed { removed } = session.ask("memory.remove", params)?;
        gone.push(json!({ "id": entry.id(), "removed": removed }));
        if session.is_for_humans() {
            let what = if removed { "Removed" } else { "Somebody else removed" };
            output::screen(&views::named(&format!("{what} {}", entry.kind.name()), entry.id(), &entry.label()))?;
        } else if !session.is_for_programs() {
            output::text(entry.id())?;
        }
    }
    if session.is_for_programs() { output::line(Value::from(gone).to_string()) } else { Ok(()) }
}

fn the_id(asked: &ArgMatches) -> &str {
    asked.get_one::<String>("id").map(String::as_str).unwrap_or_default()
}

fn records(session: &Session<'_>, params: &Members, json: &str) -> Result<String> {
    let shown = entries(json)?;
    if shown.is_empty() {
        return Ok(empty(params, NOTHING));
    }
    // What is short enough among all may be typed again.
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
        Column::firm("ID", ID),
        Column::firm("KIND", KIND),
        Column::giving("WHAT", PLAIN, Keep::Start),
        Column::giving("TAGS, PATHS", FAINT, Keep::Start),
        Column::firm("AGE", FAINT),
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

/// Records in a few lines, each with its whole id.
fn listed(entries: &[&Entry]) -> String {
    let heads = vec![Column::firm("ID", ID), Column::firm("KIND", KIND), Column::giving("WHAT", PLAIN, Keep::Start)];
    let row = |it: &&Entry| vec![it.id().to_owned(), it.kind.name().to_owned(), it.label()];
    table(heads, entries.iter().map(row).collect(), width())
}

/// A record as a whole.
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
    let body = tame(text(members, entry.kind.body().key));
    format!("{KIND}{}{KIND:#} {ID}{id}{ID:#}\n{}\n{body}", entry.kind.name(), pairs(&lines))
}
