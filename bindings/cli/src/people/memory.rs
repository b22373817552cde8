//! `memory add`, `show`, `edit` and `rm`.

use clap::{Arg, ArgAction, ArgMatches, Command};
use loopmem::{Error, ErrorKind, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::desk::{Desk, Members, placeholders, read, text};
use crate::output::{self, misused, remark};
use crate::people::record::{Entry, Kind, find, given, options, stored};
use crate::people::screen::{counted, on_one_line};
use crate::people::{editor, form, input, views};

const NEW: &str = "\
The text is TEXT, else what comes through a pipe, else what you write in $VISUAL or $EDITOR. Secrets in it are redacted.";

pub(crate) fn verbs(repo: &[Arg]) -> Vec<Command> {
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

type Verb = fn(&Desk<'_>, &ArgMatches, Members) -> Result<()>;

pub(crate) fn run(
    desk: &Desk<'_>,
    verb: &str,
    asked: &ArgMatches,
    repo: impl Fn(&ArgMatches) -> Result<Members>,
) -> Option<Result<()>> {
    let (verb, asked): (Verb, _) = match (verb, asked.subcommand()) {
        ("add", Some(("convention", asked))) => (|desk, asked, repo| add(desk, Kind::Convention, asked, repo), asked),
        ("add", Some(("decision", asked))) => (|desk, asked, repo| add(desk, Kind::Decision, asked, repo), asked),
        ("add", Some(("note", asked))) => (|desk, asked, repo| add(desk, Kind::Note, asked, repo), asked),
        ("show", _) => (show, asked),
        ("edit", _) => (edit, asked),
        ("rm", _) => (remove, asked),
        _ => return None,
    };
    Some(repo(asked).and_then(|repo| verb(desk, asked, repo)))
}

fn add(desk: &Desk<'_>, kind: Kind, asked: &ArgMatches, repo: Members) -> Result<()> {
    let body = kind.body().key;
    let mut draft = given(kind, asked);
    if let Some(text) = input::spoken(asked)? {
        draft.insert(body.to_owned(), text.into());
    }
    if let Some(id) = asked.get_one::<String>("id") {
        if stored(desk, &repo)?.iter().any(|entry| entry.id() == id) {
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
        store(desk, kind, &repo, with_source(kind, draft))?
    } else if editor::is_at_hand() {
        match compose(desk, kind, &repo, with_source(kind, draft))? {
            Some(written) => written,
            None => return Err(Error::new(ErrorKind::Cancelled, "nothing was written, so nothing is stored")),
        }
    } else if let Some(field) = missing.filter(|_| draft.contains_key(body)) {
        misused(&format!("a {} needs --{} as well", kind.name(), field.option))
    } else {
        misused(&format!("say what the {} is: as TEXT, or through a pipe", kind.name()))
    };
    stored_as(desk, kind, "Stored", written)
}

/// A person wrote it, unless told otherwise.
fn with_source(kind: Kind, mut draft: Members) -> Members {
    if kind == Kind::Note {
        draft.entry("source").or_insert_with(|| "manual".into());
    }
    draft
}

fn compose(desk: &Desk<'_>, kind: Kind, repo: &Members, draft: Members) -> Result<Option<String>> {
    let comment = match kind {
        Kind::Convention => "A convention: how this repository does things.\nIts text goes below the second +++.",
        Kind::Decision => "A decision: what was decided, in the summary.\nWhy goes below the second +++.",
        Kind::Note => "A note: anything else worth keeping.\nIts text goes below the second +++.",
    };
    editor::compose(&format!("{}.md", kind.name()), &form::write(kind, &draft, comment), |form| {
        let mut draft = draft.clone();
        draft.extend(form::read(kind, form)?);
        store(desk, kind, repo, draft)
    })
}

/// Stores a draft and returns the record as stored.
fn store(desk: &Desk<'_>, kind: Kind, repo: &Members, draft: Members) -> Result<String> {
    let mut params = repo.clone();
    params.insert(kind.name().to_owned(), draft.clone().into());
    let json = desk.call(kind.upsert(), &Value::Object(params).to_string())?;
    let stored: Members = read(&json)?;
    let is_redacted = |(key, value): (&String, &Value)| placeholders(stored.get(key)) > placeholders(Some(value));
    desk.tell_of_redaction(draft.iter().any(is_redacted));
    Ok(json)
}

/// Says what a record has become.
fn stored_as(desk: &Desk<'_>, kind: Kind, what: &str, json: String) -> Result<()> {
    if desk.is_for_programs() {
        return output::line(json);
    }
    let record: Members = read(&json)?;
    let id = text(&record, "id");
    if desk.is_for_people() {
        output::screen(&views::named(&format!("{what} {}", kind.name()), id, &kind.label(&record)))
    } else {
        output::text(id)
    }
}

fn show(desk: &Desk<'_>, asked: &ArgMatches, repo: Members) -> Result<()> {
    let entries = stored(desk, &repo)?;
    let entry = find(&entries, the_id(asked))?;
    if desk.is_for_people() { output::screen(&views::record(entry, desk.now)) } else { output::line(entry.to_json()) }
}

fn edit(desk: &Desk<'_>, asked: &ArgMatches, repo: Members) -> Result<()> {
    let entries = stored(desk, &repo)?;
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
        change(desk, entry, &repo, wanted)?
    } else if let Some(text) = input::piped()? {
        change(desk, entry, &repo, form::read(kind, &text)?)?
    } else if editor::is_at_hand() {
        let comment = format!("The {} {}.\nIts text stands below the second +++.", kind.name(), entry.id());
        let form = form::write(kind, &entry.members, &comment);
        editor::compose(&format!("{}.md", kind.name()), &form, |form| {
            change(desk, entry, &repo, form::read(kind, form)?)
        })?
        .flatten()
    } else {
        misused("say what is to change: by options, or as a text through a pipe")
    };
    match changed {
        Some(json) => stored_as(desk, kind, "Changed", json),
        None if desk.is_for_programs() => output::line(entry.raw.get().to_owned()),
        None => {
            desk.tell("nothing changed");
            if desk.is_for_people() { Ok(()) } else { output::text(entry.id()) }
        }
    }
}

/// Stores what of `wanted` is not so already; `None` when all of it is.
fn change(desk: &Desk<'_>, entry: &Entry, repo: &Members, wanted: Members) -> Result<Option<String>> {
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
    let entries = stored(desk, repo)?;
    let now = entries.iter().find(|it| it.id() == entry.id());
    let untouched = |it: &Entry| patch.keys().all(|key| it.members.get(key) == entry.members.get(key));
    match now {
        Some(now) if untouched(now) => {}
        Some(_) => return Err(Error::new(ErrorKind::Conflict, "somebody else changed this record in the meantime")),
        None => return Err(Error::new(ErrorKind::NotFound, "somebody else removed this record in the meantime")),
    }
    patch.insert("id".to_owned(), entry.id().into());
    store(desk, kind, repo, patch).map(Some)
}

#[derive(Deserialize)]
struct Removed {
    removed: bool,
}

fn remove(desk: &Desk<'_>, asked: &ArgMatches, repo: Members) -> Result<()> {
    let entries = stored(desk, &repo)?;
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
                remark(views::listed(&doomed).trim_end());
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
        let Removed { removed } = desk.ask("memory.remove", params)?;
        gone.push(json!({ "id": entry.id(), "removed": removed }));
        if desk.is_for_people() {
            let what = if removed { "Removed" } else { "Somebody else removed" };
            output::screen(&views::named(&format!("{what} {}", entry.kind.name()), entry.id(), &entry.label()))?;
        } else if !desk.is_for_programs() {
            output::text(entry.id())?;
        }
    }
    if desk.is_for_programs() { output::line(Value::from(gone).to_string()) } else { Ok(()) }
}

fn the_id(asked: &ArgMatches) -> &str {
    asked.get_one::<String>("id").map(String::as_str).unwrap_or_default()
}
