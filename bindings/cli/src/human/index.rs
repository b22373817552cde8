//! `index`: maps and symbols as text on a terminal.

use loopmem::Result;
use loopmem::index::{Map, Refreshed, Symbol};

use crate::human::RoomCommand;
use crate::human::screen::{FAINT, ID, KIND, Keep, PLAIN, counted, sanitize};
use crate::human::table::Table;
use crate::human::views::{empty, faint, word};
use crate::session::{Members, Session, read};

/// The commands of the room `index`.
pub(super) const COMMANDS: RoomCommand =
    RoomCommand { room: "index", layout, texts: &["map"], ..RoomCommand::GENERATED };

fn layout(session: &Session<'_>, verb: &str, params: &Members, json: &str) -> Result<Option<String>> {
    Ok(Some(match verb {
        "map" => match read::<Map>(json)?.text.as_str() {
            "" if !session.is_for_humans() => {
                session.emit("no definitions were found, or none fits");
                String::new()
            }
            "" => faint("no definitions were found, or none fits"),
            map => sanitize(map),
        },
        "refresh" => {
            let Refreshed { files, parsed, reused, removed, elapsed_ms, .. } = read(json)?;
            let files = counted(files, "file");
            format!("{files}: {parsed} parsed, {reused} reused, {removed} removed, in {elapsed_ms} ms")
        }
        "symbols" => symbols(params, &read::<Vec<_>>(json)?),
        _ => return Ok(None),
    }))
}

fn symbols(params: &Members, shown: &[Symbol]) -> String {
    if shown.is_empty() {
        return empty(params, "no definitions were found");
    }
    Table::of(shown)
        .fixed("KIND", KIND, |it| word(it.kind))
        .flexible("NAME", ID, Keep::Start, |it| &it.name)
        .flexible("WHERE", FAINT, Keep::End, |it| format!("{}:{}", it.path, it.line))
        .flexible("SIGNATURE", PLAIN, Keep::Start, |it| &it.signature)
        .text()
}
