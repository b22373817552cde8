//! `undo`: lists what was removed or replaced, and brings it back.

use std::process::ExitCode;

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
use crate::human::{run_without_verb, with_options};
use crate::session::{Members, Session, fields, read};
use crate::typed;

const LIST: &str = "undo.list";
const RESTORE: &str = "undo.restore";
/// The minimum length of an abbreviated id.
const ID_LENGTH: usize = 8;
const ABOUT: &str = "\
Lists what was removed or replaced in the repository, among the items that apply here and in working contexts, newest \
first. With ID, brings it back. `undo list` and `undo restore` do the same for programs.";
const NOTHING: &str = "nothing was removed or replaced in the last days; `trash.keepDays` says how long it is kept";

/// The commands of the room `undo`.
pub(super) const COMMANDS: RoomCommand = RoomCommand {
    room: "undo",
    extend: |room, description| {
        let id = argument("id", "ID", "What to bring back: the id of an entry, or a unique prefix of it");
        with_options(room, ABOUT, fields(description, LIST).map(option)).arg(id.action(ArgAction::Append))
    },
    order: "list restore",
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
    let json = session.call(LIST, &session.params(LIST, args)?)?;
    let all: Vec<Removal> = read(&json)?;
    let Some(ids) = args.get_many::<String>("id") else {
        session.show(json, || Ok(removals(session, &all)))?;
        return Ok(ExitCode::SUCCESS);
    };
    let describe = |it: &Removal| format!("{} {}", it.kind, cut(&it.preview, 60, Keep::Start));
    // All are looked for before any is brought back.
    let mut wanted = Vec::new();
    for typed in ids {
        match abbreviation::find(typed, &all, |it| &it.id, describe)? {
            Some(found) => wanted.push(found.id.clone()),
            // It may be of another repository.
            None if typed.len() == 36 => wanted.push(typed.clone()),
            None => {
                let message = "the trash has no such entry; `loopmem undo` lists what can be brought back";
                return Err(Error::new(ErrorKind::NotFound, message));
            }
        }
    }
    for id in wanted {
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
        .fixed("ID", ID, |it| abbreviation::shortest(&it.id, &ids, ID_LENGTH))
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
