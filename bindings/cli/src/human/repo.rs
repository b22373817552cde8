//! The layouts of `repo list`, `repo identify` and `repo migrate`.

use clap::Command;
use loopmem::Result;
use loopmem::methods::Description;
use serde_json::Value;

use crate::abbreviation::shortest;
use crate::human::room_command::RoomCommand;
use crate::human::screen::{FAINT, ID, KIND, Keep, PLAIN, age, counted, width};
use crate::human::table::{Column, table};
use crate::human::views::pairs;
use crate::human::with_verbs;
use crate::session::{Members, Session, read, text};

/// The minimum length of an abbreviated hash.
const HASH_LENGTH: usize = 12;

/// The commands of the room `repo`.
pub(crate) struct RepoCommand;

impl RoomCommand for RepoCommand {
    fn room(&self) -> &'static str {
        "repo"
    }

    fn extend(&self, command: Command, _description: &Description) -> Command {
        with_verbs(command, Vec::new())
    }

    fn layout(&self, session: &Session<'_>, verb: &str, params: &Members, json: &str) -> Option<Result<String>> {
        match verb {
            "list" => Some(repositories(session, json)),
            "identify" => Some(identity(json)),
            "migrate" => Some(migration(params, json)),
            _ => None,
        }
    }
}

fn repositories(session: &Session<'_>, json: &str) -> Result<String> {
    let shown: Vec<Members> = read(json)?;
    if shown.is_empty() {
        return Ok(format!("{FAINT}nothing is stored for any repository yet{FAINT:#}"));
    }
    let mut hashes: Vec<&str> = shown.iter().map(|it| text(it, "repoHash")).collect();
    hashes.sort_unstable();
    let heads = vec![
        Column::fixed("HASH", ID),
        Column::flexible("BRANCH", KIND, Keep::Start),
        Column::flexible("PATH", PLAIN, Keep::End),
        Column::fixed("CHANGED", FAINT),
        Column::fixed("SIZE", FAINT),
    ];
    let row = |it: &Members| {
        vec![
            shortest(text(it, "repoHash"), &hashes, HASH_LENGTH).to_owned(),
            text(it, "branch").to_owned(),
            text(it, "path").to_owned(),
            age(text(it, "modifiedAt"), session.now),
            size(it.get("bytes").and_then(Value::as_u64).unwrap_or_default()),
        ]
    };
    Ok(table(heads, shown.iter().map(row).collect(), width()))
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", bytes.div_ceil(1_000)),
        _ => format!("{} MB", bytes.div_ceil(1_000_000)),
    }
}

fn identity(json: &str) -> Result<String> {
    let it: Members = read(json)?;
    let mut lines = Vec::new();
    let mut line = |name, value: &str| lines.push((name, value.to_owned()));
    line("hash", text(&it, "repoHash"));
    line("path", text(&it, "path"));
    line("remote", text(&it, "remoteUrl"));
    line(
        "branch",
        if it.get("detached") == Some(&true.into()) { "none: HEAD is detached" } else { text(&it, "branch") },
    );
    line("commit", text(&it, "commit"));
    line("scope", text(&it, "branchScope"));
    Ok(pairs(&lines))
}

fn migration(params: &Members, json: &str) -> Result<String> {
    let it: Members = read(json)?;
    let counts = |key: &str| -> Option<String> {
        let counts = it.get(key).and_then(Value::as_object).into_iter().flatten();
        let of_kinds: Vec<_> = counts.filter_map(|(kind, count)| Some((kind, count.as_u64()?))).collect();
        let total: u64 = of_kinds.iter().map(|(_, count)| count).sum();
        let some = of_kinds.iter().filter(|(_, count)| *count > 0).map(|(kind, count)| format!("{kind}: {count}"));
        (total > 0).then(|| format!("{} ({})", counted(total, "record"), some.collect::<Vec<_>>().join(", ")))
    };
    let verb = if params.get("dryRun") == Some(&true.into()) { "Would copy" } else { "Copied" };
    let mut lines = format!("{verb} {}.", counts("copied").as_deref().unwrap_or("nothing"));
    if let Some(existing) = counts("deduplicated") {
        lines.push_str(&format!(" Already present: {existing}."));
    }
    for (key, what) in [("left", "Too old to keep in the target"), ("pruned", "Pruned in the target for newer ones")] {
        if let Some(count) = it.get(key).and_then(Value::as_u64).filter(|count| *count > 0) {
            lines.push_str(&format!(" {what}: {}.", counted(count, "record")));
        }
    }
    Ok(lines)
}
