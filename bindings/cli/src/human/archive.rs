//! `archive export` and `archive import`: their arguments, and the layouts of `archive`.

use clap::builder::Resettable;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use loopmem::Result;
use loopmem::archive::{Brought, Exported, Imported};
use loopmem::methods::Description;
use serde_json::{Map, Value};

use crate::human::arguments::option;
use crate::human::screen::{counted, on_one_line, sanitize, size};
use crate::human::{RoomCommand, call_and_show};
use crate::output::{ExitCode, usage_error};
use crate::session::{Members, Session, read};

/// The commands of the room `archive`.
pub(super) const COMMANDS: RoomCommand = RoomCommand {
    room: "archive",
    extend,
    run: |session, args| {
        let (verb, args) = args.subcommand()?;
        let done = match verb {
            "export" => export(session, args),
            "import" => import(session, args),
            _ => return None,
        };
        Some(done.map(|()| ExitCode::SUCCESS))
    },
    layout,
    ..RoomCommand::GENERATED
};

const EXPORT: &str = "archive.export";
const IMPORT: &str = "archive.import";
const MAP: &str = "map";
const REPO_HASHES: &str = "repoHashes";
const PATH_MAP: &str = "pathMap";

fn extend(room: Command, _: &Description) -> Command {
    let path = |arg: Arg| arg.long(Resettable::Reset).value_name("PATH").value_hint(ValueHint::FilePath);
    let map = option(MAP, "OLD=NEW", "The folder OLD, and every folder below it, is at NEW here; may be repeated");
    room.mut_subcommand("export", |verb| {
        let verb = verb.mut_arg("path", path);
        verb.mut_arg(REPO_HASHES, |arg| arg.long("repo-hash").value_name("HASH").conflicts_with("all"))
            .mut_arg("all", |arg| arg.conflicts_with("workspace"))
    })
    .mut_subcommand("import", |verb| {
        let verb = verb.mut_arg("path", path).mut_arg(PATH_MAP, |arg| arg.conflicts_with(MAP));
        verb.arg(map.action(ArgAction::Append))
    })
}

fn export(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let mut params = session.params(EXPORT, args)?;
    if let Some(hashes) = args.get_many::<String>(REPO_HASHES) {
        let hashes = hashes.map(|hash| session.repo_hash(hash).map(Value::from)).collect::<Result<Vec<_>>>()?;
        params.insert(REPO_HASHES.to_owned(), hashes.into());
    }
    call_and_show(session, EXPORT, &params)
}

fn import(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let mut params = session.params(IMPORT, args)?;
    if let Some(pairs) = args.get_many::<String>(MAP) {
        let mut map = Map::new();
        for pair in pairs {
            let Some((old, new)) = pair.split_once('=').filter(|(old, new)| !old.is_empty() && !new.is_empty()) else {
                usage_error("--map needs the old and the new path of a folder: OLD=NEW");
            };
            if map.insert(old.to_owned(), new.into()).is_some() {
                usage_error("--map says twice where a folder is; pass it once");
            }
        }
        params.insert(PATH_MAP.to_owned(), map.into());
    }
    call_and_show(session, IMPORT, &params)
}

fn layout(_: &Session<'_>, verb: &str, params: &Members, json: &str) -> Result<Option<String>> {
    Ok(Some(match verb {
        "export" => exported(&read(json)?),
        "import" => imported(params.get("dryRun") == Some(&true.into()), &read(json)?),
        _ => return Ok(None),
    }))
}

fn exported(it: &Exported) -> String {
    let mut text =
        format!("Wrote {} ({}) of {}.", on_one_line(&it.path), size(it.bytes), counted(it.repositories, "repository"));
    let rooms: Vec<String> = it.rooms.iter().filter(|room| room.records > 0).map(room_line).collect();
    if !rooms.is_empty() {
        text.push_str(&format!("\n{}", rooms.join(", ")));
    }
    let skipped: usize = it.rooms.iter().map(|room| room.skipped).sum();
    if skipped > 0 {
        text.push_str(&format!("\nLeft out: {}; `loopmem doctor` lists them", counted(skipped, "damaged record")));
    }
    it.faults.iter().fold(text, |text, fault| text + "\nLeft out: " + &sanitize(fault))
}

fn room_line(it: &loopmem::archive::ExportedRoom) -> String {
    format!("{}: {}", sanitize(&it.room), it.records)
}

fn imported(is_dry_run: bool, it: &Imported) -> String {
    let mut lines = Vec::new();
    let is_any = |room: &&Brought| {
        let counts = [room.copied, room.merged, room.deduplicated, room.kept_aside.len(), room.left, room.skipped];
        counts.iter().any(|count| *count > 0)
    };
    for room in it.rooms.iter().filter(is_any) {
        let verb = if is_dry_run { "would copy" } else { "copied" };
        let mut line = format!("{}: {verb} {}", sanitize(&room.room), room.copied);
        for (count, what) in [
            (room.merged, "updated"),
            (room.deduplicated, "already here"),
            (room.left, "too old to keep"),
            (room.pruned, "pruned for newer ones"),
            (room.skipped, "skipped"),
        ] {
            if count > 0 {
                line.push_str(&format!(", {what} {count}"));
            }
        }
        for aside in &room.kept_aside {
            let whose = if aside.is_theirs { "of the archive" } else { "from here" };
            let (kind, id) = (&aside.kind, sanitize(&aside.id));
            line.push_str(&format!("\n  {kind} {id}: the older version {whose} is in the trash (loopmem undo)"));
        }
        room.faults.iter().for_each(|fault| line.push_str(&format!("\n  {}", sanitize(fault))));
        lines.push(line);
    }
    let moved = it.identities.iter().filter(|one| one.from_repo_hash != one.repo_hash);
    for one in moved {
        let place = [one.path.as_deref(), one.branch.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(" ");
        lines.push(format!("now at {}", on_one_line(&place)));
    }
    if it.skipped > 0 {
        lines.push(format!("skipped {}", counted(it.skipped, "damaged line")));
    }
    if lines.is_empty() {
        lines.push("the archive is empty".to_owned());
    }
    lines.join("\n")
}
