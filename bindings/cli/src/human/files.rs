//! `files`: what a model keeps by itself, as text on a terminal.

use clap::{ArgMatches, Command};
use loopmem::Result;
use loopmem::files::FileEntry;
use loopmem::methods::FileAnswer;

use crate::human::RoomCommand;
use crate::human::arguments::{POSITIONAL, argument, instead_of, text, yes};
use crate::human::browse::Browsing;
use crate::human::input::confirm_to;
use crate::human::screen::{FAINT, ID, Keep, PLAIN, age, on_one_line, sanitize};
use crate::human::table::Table;
use crate::human::verbs::verb;
use crate::human::views::faint;
use crate::output::ExitCode;
use crate::session::{Members, Session, read};

const NOTHING: &str = "no files yet; a model keeps them with a memory tool, or `loopmem files create`";

/// The commands of the room `files`.
pub(super) const COMMANDS: RoomCommand = RoomCommand {
    room: "files",
    extend: |room, _| {
        let path = |verb: Command| instead_of(verb, "path", "PATH", "The file or folder: /memories/notes.md");
        room.mut_subcommand("view", path).mut_subcommand("rm", |verb| path(verb).arg(yes())).mut_subcommand(
            "list",
            |verb| {
                verb.arg(
                    argument(POSITIONAL, "PATH", "The file or folder; all files by default").conflicts_with("path"),
                )
            },
        )
    },
    verbs: &[
        verb("list").about("Lists files, hidden ones included; links are left out"),
        verb("view").about("Shows a file with the numbers of its lines, or what is in a folder, two levels deep"),
        verb("create").about("Creates a file, and its folders"),
        verb("replace").about("Replaces text that occurs exactly once in a file"),
        verb("insert").about("Inserts a text into a file"),
        verb("rename").about("Renames or moves a file or a folder"),
        verb("rm").about("Removes a file, or a folder with everything in it; `loopmem undo` brings back text files"),
    ],
    run,
    layout: |session, verb, _, json| layout(session, verb, json).map(Some),
    browsing: Browsing {
        remove: |session, repo, hit| {
            // A file of no repository is one of the user's.
            let mut params = match &hit.repo_hash {
                Some(_) => repo.clone(),
                None => Members::from_iter([("global".to_owned(), true.into())]),
            };
            params.insert("path".to_owned(), hit.id.as_str().into());
            session.call("files.remove", &params).map(|_| true)
        },
        ..Browsing::READ_ONLY
    },
    ..RoomCommand::GENERATED
};

fn run(session: &Session<'_>, args: &ArgMatches) -> Option<Result<ExitCode>> {
    let (verb, args) = args.subcommand()?;
    let takes_path = ["list", "rm", "view"].contains(&verb) && args.contains_id(POSITIONAL);
    takes_path.then(|| at_path(session, verb, args).map(|()| ExitCode::SUCCESS))
}

fn at_path(session: &Session<'_>, verb: &str, args: &ArgMatches) -> Result<()> {
    let method = format!("files.{}", if verb == "rm" { "remove" } else { verb });
    let mut params: Members = session.params(&method, args)?;
    params.insert("path".to_owned(), text(args, POSITIONAL).into());
    if verb == "rm" {
        confirm_to("remove", args, "nothing was removed", || {
            let ending = if args.get_flag("purge") { " for good" } else { "" };
            Ok(format!("Remove {}{ending}? [y/N] ", on_one_line(text(args, POSITIONAL))))
        })?;
    }
    let json = session.call(&method, &params)?;
    session.show(json.clone(), || layout(session, verb, &json))
}

fn layout(session: &Session<'_>, verb: &str, json: &str) -> Result<String> {
    if verb != "list" {
        return Ok(sanitize(&read::<FileAnswer>(json)?.text));
    }
    let files: Vec<FileEntry> = read(json)?;
    if files.is_empty() {
        return Ok(faint(NOTHING));
    }
    let first = |it: &FileEntry| it.first_line.clone().unwrap_or_default();
    Ok(Table::of(&files)
        .flexible("PATH", ID, Keep::End, |it| &it.path)
        .flexible("FIRST LINE", PLAIN, Keep::Start, first)
        .fixed("BYTES", FAINT, |it| it.bytes.to_string())
        .fixed("AGE", FAINT, |it| age(&it.modified_at, session.now))
        .text())
}
