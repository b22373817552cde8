//! `memory add`, `show`, `edit` and `rm`.

use chrono::{DateTime, Utc};
use clap::{Arg, ArgMatches, Command};
use loopmem::methods::Removed;
use loopmem::search::Hit;
use loopmem::{Error, ErrorKind, Result};
use serde_json::Value;

use crate::human::RoomCommand;
use crate::human::arguments::{self, POSITIONAL, argument, option, text_words};
use crate::human::browse::{Browsing, Editable};
use crate::human::editor::{self, Caller};
use crate::human::identified::{Identified, Ids, edit_by, find, removal, show_removed, show_stored, to_remove};
use crate::human::record::{Entry, INHERITED_FROM, KINDS, Kind, SOURCE, stored};
use crate::human::schema::{Holds, Schema, given, options};
use crate::human::screen::{FAINT, ID, KIND, Keep, PLAIN, age, moment, on_one_line, sanitize};
use crate::human::table::Table;
use crate::human::verbs::verb;
use crate::human::views::{empty, pairs};
use crate::human::{form, identified, input, repo_options};
use crate::output::{self, ExitCode, usage_error};
use crate::session::{Members, REPO, Session, read};

/// Shown instead of an empty list.
const NOTHING: &str = "there are no conventions, decisions or notes here; `loopmem memory add note TEXT` stores a note, and \
                       `loopmem repo adopt` lists what is stored for other branches and folders";
const INHERITED: &str = "inherited";
const OF_INHERITED: &str = "For a record of the branch from which this one inherits: does it there";
const NEW: &str = "\
The text is read from TEXT, else from a pipe, else from $VISUAL or $EDITOR. Secrets in it are redacted.";

/// The commands of the room `memory`.
pub(super) const COMMANDS: RoomCommand = RoomCommand {
    room: "memory",
    extend: |room, description| {
        room.subcommands(verbs(&repo_options(description)))
            .mut_subcommand("rm", |verb| {
                removal::<Entry>(verb)
                    .mut_arg(POSITIONAL, |arg| arg.required_unless_present("id"))
                    .mut_arg(INHERITED, |arg| arg.help(OF_INHERITED))
            })
    },
    verbs: &[
        verb("add").calls(&["upsertConvention", "upsertDecision", "upsertNote"]),
        verb("list")
            .about(
                "Lists the conventions, decisions and notes that match every given filter, with those that the branch inherits; \
                 with --query, the most relevant first",
            )
            .calls(&["get"]),
        verb("show"),
        verb("edit"),
        verb("rm"),
    ],
    storing_verbs: &["add", "edit"],
    run,
    layout: |session, verb, params, json| match verb {
        "list" => records(session, params, &read::<Vec<_>>(json)?).map(Some),
        _ => Ok(None),
    },
    browsing: Browsing {
        edit: editable,
        remove: |session, repo, hit| {
            let mut params = repo.clone();
            params.insert("id".to_owned(), hit.id.as_str().into());
            session.ask("memory.remove", &params).map(|it: Removed| it.removed)
        },
        ..Browsing::READ_ONLY
    },
    ..RoomCommand::GENERATED
};

/// A record as `browse` changes it.
fn editable(session: &Session<'_>, repo: &Members, hit: &Hit) -> Result<Editable> {
    let entry = stored(session, repo)?.into_iter().find(|it| it.id() == hit.id);
    let entry = entry.ok_or_else(|| Error::new(ErrorKind::NotFound, "another program has removed the record"))?;
    let (repo, members) = (repo.clone(), entry.record.members.clone());
    Ok(Editable {
        schema: &entry.kind.schema,
        members,
        store: Box::new(move |session, wanted, _| {
            change(session, &entry, [&repo, &repo], wanted).map(|changed| changed.is_some())
        }),
    })
}

fn verbs(repo: &[Arg]) -> Vec<Command> {
    let kinds = KINDS.iter().map(|kind| {
        Command::new(kind.schema.name)
            .about(kind.about)
            .after_help(NEW)
            .arg(text_words(kind.body).conflicts_with(kind.schema.body().option))
            .args(options(kind.schema.fields))
            .arg(option("id", "ID", "The new record's id [default: generated]"))
            .args(repo.iter().cloned())
    });
    let id = argument("id", "ID", "The record's id or a unique prefix of it").required(true);
    let add = Command::new("add")
        .about("Stores a new convention, decision or note, and prints its id")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(kinds);
    let show = Command::new("show").about("Shows a record in full").arg(id.clone());
    let edit = Command::new("edit")
        .about("Changes a record: in your editor, by options, or from a pipe")
        .after_help(
            "Without options, the record is opened in $VISUAL or $EDITOR. Text from a pipe replaces the record's text; \
             if it begins with a line `+++`, it is read as the complete form that the editor shows.",
        )
        .arg(id.clone())
        .arg(inherited())
        .args(options(KINDS.iter().flat_map(|kind| kind.schema.fields)));
    let [show, edit] = [show, edit].map(|verb| verb.args(repo));
    vec![add, show, edit]
}

fn inherited() -> Arg {
    arguments::flag(INHERITED, OF_INHERITED).long(INHERITED)
}

/// The params for a change of `entry`: of the branch that it is from, if the arguments ask for it.
///
/// # Errors
/// `Conflict`, which says where it is, for an inherited record without `--inherited`, and for another one with it.
fn place_of(entry: &Entry, repo: &Members, args: &ArgMatches) -> Result<Members> {
    let mut repo = repo.clone();
    let Some(branch) = entry.inherited_from() else {
        if args.get_flag(INHERITED) {
            let (id, kind) = (on_one_line(entry.id()), entry.kind.schema.name);
            let message = format!(
                "the {kind} {id} is this branch's own; leave --inherited out, or remove it to see an inherited one"
            );
            return Err(Error::new(ErrorKind::Conflict, message).about(entry.id()));
        }
        return Ok(repo);
    };
    if !args.get_flag(INHERITED) {
        let (id, branch, kind) = (on_one_line(entry.id()), on_one_line(branch), entry.kind.schema.name);
        let message = format!(
            "the {kind} {id} is inherited from branch {branch}; --inherited changes or removes it there, and `loopmem memory \
             add {kind} --id {id}` overrides it here"
        );
        return Err(Error::new(ErrorKind::Conflict, message).about(entry.id()));
    }
    repo.insert("inherited".to_owned(), true.into());
    Ok(repo)
}

fn run(session: &Session<'_>, args: &ArgMatches) -> Option<Result<ExitCode>> {
    let (verb, args) = args.subcommand()?;
    let done = match verb {
        "add" => {
            let (kind, args) = args.subcommand()?;
            add(session, KINDS.iter().find(|it| it.schema.name == kind)?, args)
        }
        "show" => show(session, args),
        "edit" => edit(session, args),
        "rm" if args.contains_id(POSITIONAL) => remove(session, args),
        _ => return None,
    };
    Some(done.map(|()| ExitCode::SUCCESS))
}

fn add(session: &Session<'_>, kind: &'static Kind, args: &ArgMatches) -> Result<()> {
    let (repo, schema) = (session.repo(args)?, &kind.schema);
    let body = schema.body().key;
    let mut draft = given(schema.fields, args);
    if let Some(text) = input::text_argument(args)? {
        draft.insert(body.to_owned(), text.into());
    }
    if let Some(id) = args.get_one::<String>("id") {
        if stored(session, &repo)?.iter().any(|entry| entry.id() == id && entry.inherited_from().is_none()) {
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
        let options = std::mem::replace(&mut draft, form::read(schema, &text)?);
        draft.extend(options);
    }
    let missing = schema.headline().filter(|field| !draft.contains_key(field.key));
    let is_written = draft.contains_key(body);
    if schema.fields.iter().any(|field| field.key == SOURCE) {
        // It was written by a person, unless a source was given.
        draft.entry(SOURCE).or_insert_with(|| "manual".into());
    }
    let written = match missing {
        None if is_written => store(session, kind, &repo, draft)?,
        _ if editor::is_available() => compose(session, kind, &repo, &draft)?.ok_or_else(editor::nothing_written)?,
        Some(field) if is_written => usage_error(&format!("{} also needs --{}", schema.noun, field.option)),
        _ => usage_error(&format!("the {} is missing; pass it as TEXT or through a pipe", schema.name)),
    };
    show_stored(session, "Stored", &written)
}

fn compose(session: &Session<'_>, kind: &'static Kind, repo: &Members, draft: &Members) -> Result<Option<Entry>> {
    let form = form::write(&kind.schema, draft, kind.comment);
    editor::compose(&format!("{}.md", kind.schema.name), &form, Caller::Command, |form| {
        let mut draft = draft.clone();
        draft.extend(form::read(&kind.schema, form)?);
        store(session, kind, repo, draft)
    })
}

/// Stores a draft and returns the record as stored.
fn store(session: &Session<'_>, kind: &'static Kind, repo: &Members, draft: Members) -> Result<Entry> {
    let mut params = repo.clone();
    params.insert(kind.schema.name.to_owned(), draft.into());
    Entry::of(kind, session.ask(kind.upsert, &params)?)
}

fn show(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let entries = stored(session, &session.repo(args)?)?;
    let entry = find(&entries, arguments::text(args, "id"))?;
    session.show(entry.to_json(), || Ok(in_full(entry, session.now)))
}

fn edit(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let repo = session.repo(args)?;
    let entries = stored(session, &repo)?;
    let entry = find(&entries, arguments::text(args, "id"))?;
    let schema = &entry.kind.schema;
    let own = |option| schema.fields.iter().any(|field| field.option == option);
    let mut all = KINDS.iter().flat_map(|kind| kind.schema.fields);
    if let Some(field) = all.find(|field| args.contains_id(field.option) && !own(field.option)) {
        usage_error(&format!("{} has no --{}", schema.noun, field.option));
    }
    let wanted = given(schema.fields, args);
    let comment = format!("The {} {}.\nIts text is below the second +++.", schema.name, entry.id());
    let form = form::write(schema, &entry.record.members, &comment);
    let place = place_of(entry, &repo, args)?;
    edit_by(session, entry, schema, &form, wanted, |wanted| change(session, entry, [&repo, &place], wanted))
}

/// Stores the fields of `wanted` that differ from the record, which is read in `repo` and stored in `place`; `None` if none
/// do.
fn change(
    session: &Session<'_>,
    entry: &Entry,
    [repo, place]: [&Members; 2],
    wanted: Members,
) -> Result<Option<Entry>> {
    let (kind, before) = (entry.kind, &entry.record.members);
    let is_so = |key: &str, value: &Value| match (value.as_str(), before.get(key)) {
        (Some(new), Some(Value::String(old))) if key == kind.schema.body().key => {
            form::trimmed(new) == form::trimmed(old)
        }
        // A list that the record lacks.
        (None, None) => value.as_array().is_some_and(Vec::is_empty),
        (_, old) => old == Some(value),
    };
    let mut patch: Members = wanted.into_iter().filter(|(key, value)| !is_so(key, value)).collect();
    if patch.is_empty() {
        return Ok(None);
    }
    // The record may have changed while the editor was open.
    let entries = stored(session, repo)?;
    let now = entries.iter().find(|it| it.id() == entry.id());
    let is_untouched = |it: &Entry| patch.keys().all(|key| it.record.members.get(key) == before.get(key));
    match now {
        Some(now) if is_untouched(now) => {}
        Some(_) => return Err(Error::new(ErrorKind::Conflict, "the record was changed concurrently")),
        None => return Err(Error::new(ErrorKind::NotFound, "the record was removed concurrently")),
    }
    patch.insert("id".to_owned(), entry.id().into());
    store(session, kind, place, patch).map(Some)
}

fn remove(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let repo = session.repo(args)?;
    let entries = stored(session, &repo)?;
    if args.get_flag("purge") {
        let mut params = repo.clone();
        if args.get_flag(INHERITED) {
            params.insert(INHERITED.to_owned(), true.into());
        } else {
            let typed = args.get_many::<String>(POSITIONAL).into_iter().flatten();
            let known = typed.filter_map(|typed| find(&entries, typed).ok());
            known.map(|entry| place_of(entry, &repo, args)).collect::<Result<Vec<_>>>()?;
        }
        return identified::remove_for_good(session, &entries, args, "memory.remove", &params);
    }
    // All are checked before anyone is asked.
    for typed in args.get_many::<String>(POSITIONAL).into_iter().flatten() {
        place_of(find(&entries, typed)?, &repo, args)?;
    }
    let mut results = Vec::new();
    for entry in to_remove(&entries, args)? {
        let mut params = place_of(entry, &repo, args)?;
        params.insert("id".to_owned(), entry.id().into());
        let Removed { removed, .. } = session.ask("memory.remove", &params)?;
        results.push(show_removed(session, entry, removed)?);
    }
    if session.is_for_programs() { output::line(Value::from(results).to_string()) } else { Ok(()) }
}

fn records(session: &Session<'_>, params: &Members, shown: &[Entry]) -> Result<String> {
    if shown.is_empty() {
        return Ok(empty(params, NOTHING));
    }
    // Ids are abbreviated so that they are unique among all records, not only those shown.
    let repo: Members = params.clone().into_iter().filter(|(key, _)| REPO.contains(&key.as_str())).collect();
    let all = if repo.len() == params.len() { Vec::new() } else { stored(session, &repo)? };
    let ids = Ids::of(all.iter().chain(shown));
    let table = Table::of(shown)
        .fixed("ID", ID, |it| ids.short(it.id()))
        .fixed("KIND", KIND, Entry::kind)
        .flexible("WHAT", PLAIN, Keep::Start, Entry::label)
        .flexible("TAGS, PATHS", FAINT, Keep::Start, Entry::marks)
        .fixed("AGE", FAINT, |it| age(&it.record.updated_at, session.now));
    Ok(table.text())
}

/// A record in full.
fn in_full(entry: &Entry, now: DateTime<Utc>) -> String {
    let (record, Schema { name, fields, .. }) = (&entry.record, &entry.kind.schema);
    let mut lines: Vec<(&str, String)> = Vec::new();
    for field in *fields {
        match field.holds {
            Holds::Body => {}
            Holds::List if field.key == "impactedPaths" => {
                lines.push(("paths", field.list(&record.members).join(", ")))
            }
            Holds::List => lines.push((field.key, field.list(&record.members).join(", "))),
            _ => lines.push((field.key, field.text(&record.members).to_owned())),
        }
    }
    lines.push(("stored", moment(&record.created_at, now)));
    if record.updated_at != record.created_at {
        lines.push(("changed", moment(&record.updated_at, now)));
    }
    if let Some(branch) = entry.inherited_from() {
        lines.push(("inherited", format!("from {}", on_one_line(branch))));
    }
    let is_known = |key: &str| key == INHERITED_FROM || fields.iter().any(|field| field.key == key);
    let unknown = record.members.iter().filter(|(key, _)| !is_known(key));
    lines.extend(unknown.map(|(key, value)| (key.as_str(), value.to_string())));
    let (id, body) = (on_one_line(entry.id()), sanitize(entry.kind.schema.body().text(&record.members)));
    format!("{KIND}{name}{KIND:#} {ID}{id}{ID:#}\n{}\n{body}", pairs(&lines))
}
