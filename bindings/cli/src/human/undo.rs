//! `undo`: lists what was removed or replaced, and brings it back.

use std::collections::HashSet;

use clap::{Arg, ArgAction, ArgMatches};
use loopmem::methods::Field;
use loopmem::undo::{Reason, Removal};
use loopmem::{Error, ErrorKind, Result};

use crate::abbreviation;
use crate::human::RoomCommand;
use crate::human::arguments::argument;
use crate::human::screen::{FAINT, ID, KIND, Keep, PLAIN, age, cut, on_one_line};
use crate::human::table::Table;
use crate::human::views::{faint, named, word};
use crate::human::{run_without_verb, summary, with_options};
use crate::listing;
use crate::output::ExitCode;
use crate::session::{Members, Session, fields, read};
use crate::typed;

const LIST: &str = "undo.list";
const RESTORE: &str = "undo.restore";
const ABOUT: &str = "\
Lists what was removed or replaced in the repository, among the items that apply here and in working contexts, newest \
first. With ID, brings it back; with --all, everything that was removed. `undo list` and `undo restore` do the same for programs.";
const NOTHING: &str = "nothing to bring back; what is removed or replaced is kept for `trash.keepDays` days";

/// The commands of the room `undo`.
pub(super) const COMMANDS: RoomCommand = RoomCommand {
    room: "undo",
    extend: |room, description| {
        let id = argument(
            "id",
            "ID",
            "What to bring back: the id of an entry or a unique prefix of it, or the id of a record",
        );
        let all = Arg::new("all").long("all").help("Brings back everything in the list that was removed");
        with_options(room, ABOUT, fields(description, LIST).map(option))
            .arg(id.action(ArgAction::Append).conflicts_with("all"))
            .arg(all.action(ArgAction::SetTrue))
            .args([listing::limit(), listing::since()].map(|option| option.conflicts_with_all(["id", "all"])))
    },
    calls: &["list", "restore"],
    run: |session, args| run_without_verb(session, LIST, args, || run(session, args)),
    layout: |session, verb, _, json| {
        Ok(match verb {
            "list" => Some(removals(session, &read::<Vec<_>>(json)?)),
            "restore" => Some(restored(&read(json)?)),
            _ => None,
        })
    },
    ..RoomCommand::GENERATED
};

fn option(field: &Field) -> Arg {
    typed::option(field).help_heading("Repository")
}

fn run(session: &Session<'_>, args: &ArgMatches) -> Result<ExitCode> {
    let json = session.listing.of_result(session.call(LIST, &session.params(LIST, args)?)?);
    let all: Vec<Removal> = read(&json)?;
    // Of several versions of a record, the list has the latest first.
    if args.get_flag("all") {
        let mut known = HashSet::new();
        let is_latest = |it: &&Removal| known.insert((it.kind.clone(), identity(it)));
        let removed = all.iter().filter(is_latest).filter(|it| it.reason == Reason::Removed);
        return restore(session, removed.map(|it| it.id.clone()).collect());
    }
    let Some(ids) = args.get_many::<String>("id") else {
        session.show(json, || Ok(removals(session, &all)))?;
        return Ok(ExitCode::SUCCESS);
    };
    let describe = |it: &Removal| format!("{} {}", it.kind, cut(&it.preview, 60, Keep::Start));
    // All are looked for before any is brought back.
    let mut wanted = Vec::new();
    for typed in ids {
        // What `memory rm` prints is the id of the record.
        let of_record = all.iter().find(|it| it.record_id == *typed || identity(it) == *typed);
        match of_record.map_or_else(|| abbreviation::find(typed, &all, |it| &it.id, describe), |it| Ok(Some(it)))? {
            Some(found) => wanted.push(found.id.clone()),
            // It may be of another repository.
            None if typed.len() == 36 => wanted.push(typed.clone()),
            None => {
                let message = "the trash has no such entry; `loopmem undo` lists what can be brought back";
                return Err(Error::new(ErrorKind::NotFound, message));
            }
        }
    }
    restore(session, wanted)
}

/// What all versions of a record have in common. The id of a summary in the trash is that of its step, which may have several.
fn identity(it: &Removal) -> String {
    summary::identity(it).unwrap_or_else(|| it.record_id.clone())
}

fn restore(session: &Session<'_>, ids: Vec<String>) -> Result<ExitCode> {
    for id in ids {
        let json = session.call(RESTORE, &Members::from_iter([("id".to_owned(), id.into())]))?;
        let removal: Removal = read(&json)?;
        session.print(json, &removal.record_id, &restored(&removal))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn removals(session: &Session<'_>, shown: &[Removal]) -> String {
    if shown.is_empty() {
        return faint(NOTHING);
    }
    let mut ids: Vec<&str> = shown.iter().map(|it| it.id.as_str()).collect();
    ids.sort_unstable();
    Table::of(shown)
        .fixed("ID", ID, |it| abbreviation::shown(&it.id, &ids))
        .fixed("KIND", KIND, |it| it.kind.as_str())
        .flexible("WHAT", PLAIN, Keep::Start, |it| it.preview.as_str())
        .fixed("WHY", FAINT, |it| word(it.reason))
        .fixed("AGE", FAINT, |it| age(&it.at, session.now))
        .text()
}

fn restored(it: &Removal) -> String {
    let what = match it.reason {
        Reason::Replaced => "Brought back an earlier version of",
        _ => "Brought back",
    };
    named(&format!("{what} {}", on_one_line(&it.kind)), &it.record_id, &it.preview)
}
