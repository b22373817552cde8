//! `items edit` and `rm`, and commands that call a method on an item that is named by a prefix of its id.

use clap::{Arg, ArgMatches, Command};
use loopmem::methods::{Removed, RemovedRecords};
use loopmem::safety::escape_controls_on_one_line;
use loopmem::{Error, ErrorKind, Result};
use serde_json::Value;

use crate::human::arguments::{self, POSITIONAL, argument, flag};
use crate::human::editor::{self, Caller};
use crate::human::identified::{Identified, edit_by, find, removal, show_removed, to_remove};
use crate::human::input::confirm_to;
use crate::human::items::fields::{ITEM, changed, flat, nested};
use crate::human::items::item::{self, Item, stored};
use crate::human::schema::{given, options};
use crate::human::screen::counted;
use crate::human::{call_and_show, form, identified};
use crate::output::{self, usage_error};
use crate::session::{Members, Session};

const REMOVE: &str = "items.remove";
/// The params of `items.remove` that select several items.
const FILTERS: [&str; 5] = ["scope", "status", "type", "tag", "text"];
/// The field that says whether an item may be recalled.
const RECALLABLE: &str = "recallable";
/// The options that set it, with what they mean and their help.
const FLAGS: [(&str, bool, &str); 2] = [
    ("never-recall", false, "Keeps the item but never recalls it"),
    ("recallable", true, "Allows the item to be recalled again"),
];

fn recall_flags() -> impl Iterator<Item = Arg> {
    let other = |name: &str| FLAGS.iter().map(|(flag, ..)| *flag).filter(|flag| *flag != name).collect::<Vec<_>>();
    FLAGS.into_iter().map(move |(name, _, help)| flag(name, help).conflicts_with_all(other(name)))
}

/// The commands that the method table does not have.
pub(super) fn commands(folders: &[Arg]) -> Vec<Command> {
    let id = argument("id", "ID", "The item's id or a unique prefix of it").required(true);
    let show = Command::new("show").about("Shows an item in full").arg(id.clone()).args(folders);
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
        .arg(flag("force", "Redacts a secret instead of refusing it"))
        .args(folders);
    vec![show, edit]
}

/// What is removed is named by ids, or else by filters.
pub(super) fn extend_removal(verb: Command) -> Command {
    removal::<Item>(verb).mut_arg(POSITIONAL, |arg| arg.conflicts_with_all(FILTERS))
}

/// Calls a method on the item whose id, or a prefix of it, is the value of an argument.
pub(super) fn call_on(session: &Session<'_>, method: &str, args: &ArgMatches, name: &str) -> Result<()> {
    let folders = item::folders(session, args)?;
    let items = stored(session, &folders)?;
    let item = find(&items, arguments::text(args, name))?;
    call_and_show(session, method, &of_item(item.id(), &folders))
}

pub(super) fn edit(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let folders = item::folders(session, args)?;
    let items = stored(session, &folders)?;
    let item = find(&items, arguments::text(args, "id"))?;
    let mut wanted = given(ITEM.fields, args);
    if let Some(flag) = FLAGS.iter().find(|(flag, ..)| args.get_flag(flag)) {
        wanted.insert(RECALLABLE.to_owned(), flag.1.into());
    }
    let is_forced = args.get_flag("force");
    edit_by(session, item, &ITEM, &form_of(item), wanted, |wanted| change(session, item, &folders, wanted, is_forced))
}

/// An item as the editor shows it.
fn form_of(item: &Item) -> String {
    // A control character would end the comment, or make the form invalid.
    let id = escape_controls_on_one_line(item.id());
    form::write(&ITEM, &flat(item), &format!("The item {id}.\nIts content is below the second +++."))
}

/// Opens an item in the editor, and stores the changes; `None` if there are none.
///
/// # Errors
/// As [`change`], and those of [`editor::compose`].
pub(crate) fn compose(
    session: &Session<'_>,
    item: &Item,
    folders: &Members,
    caller: Caller<'_>,
) -> Result<Option<Item>> {
    let take = |form: &str| change(session, item, folders, form::read(&ITEM, form)?, false);
    Ok(editor::compose("item.md", &form_of(item), caller, take)?.flatten())
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
) -> Result<Option<Item>> {
    let before = editable(item);
    let patch = changed(wanted, &before);
    if patch.is_empty() {
        return Ok(None);
    }
    let mut params = of_item(item.id(), folders);
    // The item may have changed since it was read: while the editor was open, or in another program.
    let now: Item = session.ask("items.get", &params).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Error::new(ErrorKind::NotFound, "the item was removed concurrently"),
        _ => error,
    })?;
    let now = editable(&now);
    if patch.keys().any(|key| now.get(key) != before.get(key)) {
        return Err(Error::new(ErrorKind::Conflict, "the item was changed concurrently"));
    }
    params.insert("patch".to_owned(), nested(patch, &now).into());
    if is_forced {
        params.insert("force".to_owned(), true.into());
    }
    session.ask("items.update", &params).map(Some)
}

/// The fields of an item that can be changed: those of the form, and whether it may be recalled.
fn editable(item: &Item) -> Members {
    let mut fields = flat(item);
    fields.insert(RECALLABLE.to_owned(), (item.recallable != Some(false)).into());
    fields
}

pub(super) fn remove(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let folders = item::folders(session, args)?;
    let items = stored(session, &folders)?;
    if args.get_flag("purge") {
        return identified::remove_for_good(session, &items, args, REMOVE, &folders);
    }
    let mut results = Vec::new();
    for item in to_remove(&items, args)? {
        let removed = session.ask(REMOVE, &of_item(item.id(), &folders));
        let Removed { removed, .. } = match removed {
            Ok(removed) => removed,
            Err(error) => {
                // What was removed before must not be lost with the error.
                if session.is_for_programs() && !results.is_empty() {
                    output::line(Value::from(results).to_string())?;
                }
                return Err(error);
            }
        };
        results.push(show_removed(session, item, removed)?);
    }
    if session.is_for_programs() { output::line(Value::from(results).to_string()) } else { Ok(()) }
}

/// Removes every item that the options select. On a terminal, asks first.
pub(super) fn remove_matching(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let params = session.params(REMOVE, args)?;
    if !FILTERS.iter().any(|filter| params.contains_key(*filter)) {
        usage_error("name the items: by their ids, or by what they have in common, such as --tag");
    }
    if !args.get_flag("dryRun") {
        confirm_to("remove", args, "nothing was removed", || {
            let mut counting = params.clone();
            counting.insert("dryRun".to_owned(), true.into());
            let it: RemovedRecords = session.ask(REMOVE, &counting)?;
            let ending = if args.get_flag("purge") { " for good" } else { "" };
            Ok(format!("Remove {}{ending}? [y/N] ", counted(it.count, Item::NOUN)))
        })?;
    }
    call_and_show(session, REMOVE, &params)
}

/// The params of a method on one item.
pub(crate) fn of_item(id: &str, folders: &Members) -> Members {
    let mut params = folders.clone();
    params.insert("id".to_owned(), id.into());
    params
}
