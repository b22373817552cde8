//! `index`: maps and symbols as text on a terminal.

use clap::Command;
use loopmem::Result;
use loopmem::methods::Description;

use crate::human::room_command::RoomCommand;
use crate::human::screen::{FAINT, ID, KIND, Keep, PLAIN, counted, sanitize, width};
use crate::human::table::{Column, table};
use crate::human::views::empty;
use crate::session::{Members, Session, read, text};

/// The commands of the room `index`.
pub(crate) struct IndexCommand;

impl RoomCommand for IndexCommand {
    fn room(&self) -> &'static str {
        "index"
    }

    fn extend(&self, command: Command, _description: &Description) -> Command {
        command
    }

    fn layout(&self, _session: &Session<'_>, verb: &str, params: &Members, json: &str) -> Option<Result<String>> {
        match verb {
            "map" => Some(map(json)),
            "refresh" => Some(refreshed(json)),
            "symbols" => Some(symbols(params, json)),
            _ => None,
        }
    }
}

fn map(json: &str) -> Result<String> {
    let map: Members = read(json)?;
    let shown = text(&map, "text");
    if shown.is_empty() {
        return Ok(format!("{FAINT}no definitions were found, or none fits{FAINT:#}"));
    }
    Ok(sanitize(shown))
}

fn refreshed(json: &str) -> Result<String> {
    let it: Members = read(json)?;
    let count = |key: &str| it.get(key).and_then(serde_json::Value::as_u64).unwrap_or_default();
    Ok(format!(
        "{}: {} parsed, {} reused, {} removed, in {} ms",
        counted(count("files"), "file"),
        count("parsed"),
        count("reused"),
        count("removed"),
        count("elapsedMs")
    ))
}

fn symbols(params: &Members, json: &str) -> Result<String> {
    let shown: Vec<Members> = read(json)?;
    if shown.is_empty() {
        return Ok(empty(params, "no definitions were found"));
    }
    let heads = vec![
        Column::fixed("KIND", KIND),
        Column::flexible("NAME", ID, Keep::Start),
        Column::flexible("WHERE", FAINT, Keep::End),
        Column::flexible("SIGNATURE", PLAIN, Keep::Start),
    ];
    let row = |it: &Members| {
        let line = it.get("line").and_then(serde_json::Value::as_u64).unwrap_or_default();
        vec![
            text(it, "kind").to_owned(),
            text(it, "name").to_owned(),
            format!("{}:{line}", text(it, "path")),
            text(it, "signature").to_owned(),
        ]
    };
    Ok(table(heads, shown.iter().map(row).collect(), width()))
}
