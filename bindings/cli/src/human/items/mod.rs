//! The commands of the room `items` for people, beside and on top of those of the method table.

mod add;
mod browse;
mod change;
mod fields;
mod item;
mod layout;
mod transfer;

use clap::{ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::{Description, Removed};
use loopmem::search::Hit;

use crate::human::RoomCommand;
use crate::human::arguments::{POSITIONAL, instead_of, text, text_words};
use crate::human::browse::{Browsing, Editable, Mark, Page, Shown};
use crate::human::identified::Identified;
use crate::human::verbs::verb;
use crate::human::{call_and_show, input};
use crate::output::{ExitCode, usage_error};
use crate::session::{Members, Session};

/// The commands of the room `items`.
pub(super) const COMMANDS: RoomCommand = RoomCommand {
    room: "items",
    extend,
    verbs: &[
        verb("add").about("Stores an item"),
        verb("list").about("Lists the items of the repository, of the folder and those above it, and the global ones"),
        verb("show").calls(&["get"]),
        verb("edit").calls(&["update"]),
        verb("rm"),
        verb("archive").about("Archives an item: it is kept, but not recalled"),
        verb("restore").about("Makes an archived item active again; if it has expired, it no longer expires"),
        verb("recall").about("Recalls the items that matter for a prompt, as text to be put into it"),
        verb("trust").about(
            "Trusts the preferences among the items of the repository, now and later, regardless of who wrote them",
        ),
        verb("browse"),
        verb("export").about("Writes the items with their counts to standard output or to a new file, one per line"),
        verb("import").about("Imports items from a file or a pipe, one per line"),
        verb("stats"),
        verb("sweep").about("Archives the items that have expired"),
        verb("migrate").about("Copies the items of all scopes to the other backend"),
        verb("migrate-legacy").about("Copies the memories of older programs"),
    ],
    storing_verbs: &["edit"],
    run,
    layout: layout::of,
    texts: &["recall"],
    browsing: Browsing {
        edit: editable,
        remove: |session, repo, hit| {
            let folders = item::folders_of(repo);
            session.ask("items.remove", &change::of_item(&hit.id, &folders)).map(|it: Removed| it.removed)
        },
        is_of: |it, hit| it.record_id == hit.id,
        page: Some(&RECALL),
        open: Some(browse::open),
    },
    ..RoomCommand::GENERATED
};

/// What is recalled, in `browse`.
static RECALL: Page = Page {
    name: "recall",
    about: "What a prompt recalls, and why, without counting it",
    is_shown_without_prompt: false,
    make: |session, repo, prompt| {
        let mut params = item::folders_of(repo);
        params.extend([("prompt".to_owned(), prompt.into()), ("preview".to_owned(), true.into())]);
        let recall: layout::Recall = session.ask("items.recall", &params)?;
        let mut about: Vec<_> = recall.summary().lines().map(|line| (Mark::Head, line.to_owned())).collect();
        for (place, it) in recall.items.iter().enumerate() {
            about.push((Mark::Entry, format!("{}. {} {}", place + 1, it.item.kind(), it.item.label())));
            about.push((Mark::Reason, it.reasons()));
        }
        Ok(Shown { about, text: recall.preamble })
    },
};

/// An item as `browse` changes it.
fn editable(session: &Session<'_>, repo: &Members, hit: &Hit) -> Result<Editable> {
    let folders = item::folders_of(repo);
    let item: item::Item = session.ask("items.get", &change::of_item(&hit.id, &folders))?;
    Ok(Editable {
        schema: &fields::ITEM,
        members: fields::flat(&item),
        store: Box::new(move |session, wanted, is_forced| {
            change::change(session, &item, &folders, wanted, is_forced).map(|changed| changed.is_some())
        }),
    })
}

fn extend(room: Command, description: &Description) -> Command {
    let folders = item::folder_options(description);
    let mut verbs = change::commands(&folders);
    verbs.push(browse::command(&folders));
    let by_id =
        |verb| instead_of(verb, "id", "ID", "The item's id or a unique prefix of it; --id takes complete ids only");
    room.subcommands(verbs)
        .mut_subcommand("add", add::extend)
        .mut_subcommand("import", transfer::extend_import)
        .mut_subcommand("export", transfer::extend_export)
        .mut_subcommand("recall", recall)
        .mut_subcommand("migrate", |verb| instead_of(verb, "to", "BACKEND", "The backend"))
        .mut_subcommand("archive", by_id)
        .mut_subcommand("restore", by_id)
        .mut_subcommand("rm", change::extend_removal)
}

fn run(session: &Session<'_>, room: &ArgMatches) -> Option<Result<ExitCode>> {
    let (verb, args) = room.subcommand()?;
    let done = match verb {
        "add" => add::run(session, args)?,
        "show" => change::call_on(session, "items.get", args, "id"),
        "edit" => change::edit(session, args),
        "rm" if args.contains_id(POSITIONAL) => change::remove(session, args),
        "rm" if !args.contains_id("id") => change::remove_matching(session, args),
        "browse" => browse::run(session, args),
        // The generated commands have an option instead.
        "archive" | "restore" if args.contains_id(POSITIONAL) => {
            change::call_on(session, &format!("items.{verb}"), args, POSITIONAL)
        }
        "migrate" if args.contains_id(POSITIONAL) => {
            call_with(session, "items.migrate", args, ("to", text(args, POSITIONAL)))
        }
        "recall" if !args.contains_id("prompt") => recall_words(session, args),
        "export" => transfer::export(session, args)?,
        "import" => {
            return Some(transfer::import(session, args).unwrap_or_else(|| transfer::import_whole(session, room)));
        }
        "migrate-legacy" => return Some(transfer::import_whole(session, room)),
        _ => return None,
    };
    Some(done.map(|()| ExitCode::SUCCESS))
}

fn recall(verb: Command) -> Command {
    verb.mut_arg("prompt", |arg| arg.required(false)).arg(
        text_words("What the agent is about to do; else --prompt, else it is read from a pipe")
            .value_name("PROMPT")
            .conflicts_with("prompt"),
    )
}

/// `items recall PROMPT…`
fn recall_words(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    match input::text_or_pipe(args)? {
        Some(prompt) => call_with(session, "items.recall", args, ("prompt", prompt.trim())),
        None => usage_error("the prompt is missing; pass it as PROMPT or through a pipe"),
    }
}

/// Calls a method with the options that were given and one more member.
fn call_with(session: &Session<'_>, method: &str, args: &ArgMatches, (key, value): (&str, &str)) -> Result<()> {
    let mut params = session.params(method, args)?;
    params.insert(key.to_owned(), value.into());
    call_and_show(session, method, &params)
}
