//! `items show`, `edit`, `rm`, and `archive` and `restore` by a prefix of the id.

use clap::{Arg, ArgAction, ArgMatches, Command};
use loopmem::methods::Description;
use loopmem::safety::escape_controls_on_one_line;
use loopmem::{Error, ErrorKind, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::human::editor::{self, Caller};
use crate::human::items::fields::{ITEM, changed, flat, nested};
use crate::human::items::item::{self, Item, find, stored};
use crate::human::items::layout;
use crate::human::positional::POSITIONAL;
use crate::human::record::{given, options};
use crate::human::screen::{counted, on_one_line};
use crate::human::{call_and_show, form, input};
use crate::output::{self, notice, usage_error};
use crate::session::{Members, Session, read};

/// The field that says whether an item may be recalled.
const RECALLABLE: &str = "recallable";
/// The options that set it, with what they mean and their help.
const FLAGS: [(&str, bool, &str); 2] = [
    ("never-recall", false, "Keeps the item but never recalls it"),
    ("recallable", true, "Allows the item to be recalled again"),
];

fn recall_flags() -> impl Iterator<Item = Arg> {
    let other = |name: &str| FLAGS.iter().map(|(flag, ..)| *flag).filter(|flag| *flag != name).collect::<Vec<_>>();
    let flag = |(name, _, help)| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    FLAGS.into_iter().map(move |it| flag(it).conflicts_with_all(other(it.0)))
}

/// The commands that the method table does not have.
pub(super) fn commands(folders: &[Arg]) -> Vec<Command> {
    let id = Arg::new("id").value_name("ID").required(true).help("The item's id or a unique prefix of it");
    let show = Command::new("show").about("Shows an item in full").arg(id.clone()).args(folders);
    let force = Arg::new("force").long("force").action(ArgAction::SetTrue);
    let force = force.help("Redacts a secret instead of refusing it");
    let edit = Command::new("edit")
        .about("Changes an item: in your editor, by options, or from a pipe")
        .after_help(
            "Without options, the item is opened in $VISUAL or $EDITOR. Text from a pipe replaces its content; if it \
             begins with a line `+++`, it is read as the complete form that the editor shows. An empty option, such as \
             --tag '', removes what the item has.",
        )
        .arg(id.clone())
        .args(options(ITEM.fields))
        .mut_arg("expiry", |arg| arg.allow_hyphen_values(true))
        .args(recall_flags())
        .arg(force)
        .args(folders);
    let rm = Command::new("rm")
        .about("Removes items; on a terminal, asks for confirmation")
        .arg(id.action(ArgAction::Append).help("The items' ids or unique prefixes of them"))
        .arg(Arg::new("yes").long("yes").short('y').action(ArgAction::SetTrue).help("Skips the confirmation"))
        .args(folders);
    vec![show, edit, rm]
}

pub(super) fn show(session: &Session<'_>, description: &Description, args: &ArgMatches) -> Result<()> {
    let folders = item::folders(session, description, args)?;
    let id = find(&stored(session, &folders)?, the_id(args, "id"))?.id().to_owned();
    call_and_show(session, "items.get", &of_item(&id, &folders))
}

/// `items archive ID` and `items restore ID`; `None` if the id is an option.
pub(super) fn set_status(
    session: &Session<'_>,
    description: &Description,
    verb: &str,
    args: &ArgMatches,
) -> Option<Result<()>> {
    args.get_one::<String>(POSITIONAL)?;
    let folders = item::folders(session, description, args);
    Some(folders.and_then(|folders| {
        let id = find(&stored(session, &folders)?, the_id(args, POSITIONAL))?.id().to_owned();
        call_and_show(session, &format!("items.{verb}"), &of_item(&id, &folders))
    }))
}

pub(super) fn edit(session: &Session<'_>, description: &Description, args: &ArgMatches) -> Result<()> {
    let folders = item::folders(session, description, args)?;
    let items = stored(session, &folders)?;
    let item = find(&items, the_id(args, "id"))?;
    let mut wanted = given(ITEM.fields, args);
    if let Some(flag) = FLAGS.iter().find(|(flag, ..)| args.get_flag(flag)) {
        wanted.insert(RECALLABLE.to_owned(), flag.1.into());
    }
    let is_forced = args.get_flag("force");
    let changed = if !wanted.is_empty() {
        change(session, item, &folders, wanted, is_forced)?
    } else if let Some(text) = input::read_pipe()? {
        change(session, item, &folders, form::read(&ITEM, &text)?, is_forced)?
    } else if editor::is_available() {
        compose(session, item, &folders, is_forced, Caller::Command)?
    } else {
        usage_error("nothing to change was given; use options, or pass the content through a pipe")
    };
    match changed {
        Some(json) if session.is_for_programs() => output::line(json),
        Some(json) if session.is_for_humans() => {
            output::screen(&layout::stored("Changed", &Item::parse(read(&json)?)?))
        }
        Some(_) => output::text(item.id()),
        None if session.is_for_programs() => output::line(item.raw.get().to_owned()),
        None => {
            session.emit("nothing changed");
            if session.is_for_humans() { Ok(()) } else { output::text(item.id()) }
        }
    }
}

/// Opens an item in the editor, and stores the changes; `None` if there are none.
///
/// # Errors
/// As [`change`], and those of [`editor::compose`].
pub(crate) fn compose(
    session: &Session<'_>,
    item: &Item,
    folders: &Members,
    is_forced: bool,
    caller: Caller<'_>,
) -> Result<Option<String>> {
    // A control character would end the comment, or make the form invalid.
    let id = escape_controls_on_one_line(item.id());
    let comment = format!("The item {id}.\nIts content is below the second +++.");
    let form = form::write(&ITEM, &flat(&item.members), &comment);
    let changed = editor::compose("item.md", &form, caller, |form| {
        change(session, item, folders, form::read(&ITEM, form)?, is_forced)
    });
    Ok(changed?.flatten())
}

/// Stores the fields of `wanted` that differ from the item, and returns it as stored; `None` if none do.
///
/// # Errors
/// `Conflict` or `NotFound` if one of the fields, or the item, was changed or removed concurrently; those of
/// `items.update`.
pub(crate) fn change(
    session: &Session<'_>,
    item: &Item,
    folders: &Members,
    wanted: Members,
    is_forced: bool,
) -> Result<Option<String>> {
    let before = editable(&item.members);
    let patch = changed(wanted, &before);
    if patch.is_empty() {
        return Ok(None);
    }
    // The item may have changed since it was read: while the editor was open, or in another program.
    let now = session.ask("items.get", of_item(item.id(), folders)).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Error::new(ErrorKind::NotFound, "the item was removed concurrently"),
        _ => error,
    })?;
    let now = editable(&Item::parse(now)?.members);
    if patch.keys().any(|key| now.get(key) != before.get(key)) {
        return Err(Error::new(ErrorKind::Conflict, "the item was changed concurrently"));
    }
    let mut params = of_item(item.id(), folders);
    params.insert("patch".to_owned(), nested(patch, &now).into());
    if is_forced {
        params.insert("force".to_owned(), true.into());
    }
    session.call("items.update", &Value::Object(params).to_string()).map(Some)
}

/// The fields of an item that can be changed: those of the form, and whether it may be recalled.
fn editable(item: &Members) -> Members {
    let mut fields = flat(item);
    let is_recallable = item.get(RECALLABLE) != Some(&Value::Bool(false));
    fields.insert(RECALLABLE.to_owned(), is_recallable.into());
    fields
}

#[derive(Deserialize)]
struct Removed {
    removed: bool,
}

pub(super) fn remove(session: &Session<'_>, description: &Description, args: &ArgMatches) -> Result<()> {
    let folders = item::folders(session, description, args)?;
    let items = stored(session, &folders)?;
    let mut targets: Vec<&Item> = Vec::new();
    for typed in args.get_many::<String>("id").into_iter().flatten() {
        let item = find(&items, typed)?;
        if !targets.iter().any(|it| it.id() == item.id()) {
            targets.push(item);
        }
    }
    if !args.get_flag("yes") && input::stdin_is_terminal() {
        confirm(&targets)?;
    }
    let mut results = Vec::new();
    for item in targets {
        let removed: Result<Removed> = session.ask("items.remove", of_item(item.id(), &folders));
        let Removed { removed } = match removed {
            Ok(removed) => removed,
            Err(error) => {
                // What was removed before must not be lost with the error.
                if session.is_for_programs() && !results.is_empty() {
                    output::line(Value::from(results).to_string())?;
                }
                return Err(error);
            }
        };
        results.push(json!({ "id": item.id(), "removed": removed }));
        if session.is_for_humans() {
            let what = if removed { "Removed" } else { "Already removed" };
            output::screen(&layout::stored(what, item))?;
        } else if !session.is_for_programs() {
            output::text(item.id())?;
        }
    }
    if session.is_for_programs() { output::line(Value::from(results).to_string()) } else { Ok(()) }
}

/// Asks whether to remove the items.
fn confirm(targets: &[&Item]) -> Result<()> {
    if !input::can_prompt() {
        usage_error("cannot ask for confirmation here; add --yes to remove without asking");
    }
    let question = match targets {
        [only] => format!("Remove the {} {} ({})? [y/N] ", only.kind(), on_one_line(only.id()), only.label()),
        _ => {
            notice(layout::listed(targets).trim_end());
            format!("Remove these {}? [y/N] ", counted(targets.len() as u64, "item"))
        }
    };
    match input::confirm(&question, false) {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::Cancelled, "nothing was removed")),
    }
}

/// The params of a method on one item.
pub(crate) fn of_item(id: &str, folders: &Members) -> Members {
    let mut params = folders.clone();
    params.insert("id".to_owned(), id.into());
    params
}

fn the_id<'a>(args: &'a ArgMatches, name: &str) -> &'a str {
    args.get_one::<String>(name).map(String::as_str).unwrap_or_default()
}
