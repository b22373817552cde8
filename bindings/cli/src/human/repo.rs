//! The layouts of `repo list`, `repo identify` and `repo migrate`.

use loopmem::Result;
use loopmem::repo::Identity;
use loopmem::repos::{Counts, KnownRepo, Migration};

use crate::abbreviation::shortest;
use crate::human::RoomCommand;
use crate::human::screen::{FAINT, ID, KIND, Keep, PLAIN, age, counted};
use crate::human::table::Table;
use crate::human::views::{faint, pairs, word};
use crate::session::{Members, Session, read};

/// The minimum length of an abbreviated hash.
const HASH_LENGTH: usize = 12;

/// The commands of the room `repo`.
pub(super) const COMMANDS: RoomCommand = RoomCommand { room: "repo", order: "list", layout, ..RoomCommand::GENERATED };

fn layout(session: &Session<'_>, verb: &str, params: &Members, json: &str) -> Result<Option<String>> {
    Ok(Some(match verb {
        "list" => repositories(session, &read::<Vec<_>>(json)?),
        "identify" => identity(read(json)?),
        "migrate" => migration(params.get("dryRun") == Some(&true.into()), &read(json)?),
        _ => return Ok(None),
    }))
}

fn repositories(session: &Session<'_>, shown: &[KnownRepo]) -> String {
    if shown.is_empty() {
        return faint("nothing is stored for any repository yet");
    }
    let mut hashes: Vec<&str> = shown.iter().map(|it| it.repo_hash.as_str()).collect();
    hashes.sort_unstable();
    Table::of(shown)
        .fixed("HASH", ID, |it| shortest(it.repo_hash.as_str(), &hashes, HASH_LENGTH))
        .flexible("BRANCH", KIND, Keep::Start, |it| it.branch.as_deref().unwrap_or_default())
        .flexible("PATH", PLAIN, Keep::End, |it| it.path.as_deref().unwrap_or_default())
        .fixed("CHANGED", FAINT, |it| age(&it.modified_at, session.now))
        .fixed("SIZE", FAINT, |it| size(it.bytes))
        .text()
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", bytes.div_ceil(1_000)),
        _ => format!("{} MB", bytes.div_ceil(1_000_000)),
    }
}

fn identity(it: Identity) -> String {
    let branch = if it.detached { Some("none: HEAD is detached".to_owned()) } else { it.branch };
    pairs(&[
        ("hash", it.repo_hash.to_string()),
        ("path", it.path),
        ("remote", it.remote_url.unwrap_or_default()),
        ("branch", branch.unwrap_or_default()),
        ("commit", it.commit.unwrap_or_default()),
        ("scope", word(it.branch_scope)),
    ])
}

fn migration(is_dry_run: bool, it: &Migration) -> String {
    let records = |counts: &Counts| -> Option<String> {
        let some = counts.iter().filter(|(_, count)| *count > 0).map(|(kind, count)| format!("{kind}: {count}"));
        let (total, kinds) = (counts.total(), some.collect::<Vec<_>>().join(", "));
        (total > 0).then(|| format!("{} ({kinds})", counted(total, "record")))
    };
    let verb = if is_dry_run { "Would copy" } else { "Copied" };
    let mut lines = format!("{verb} {}.", records(&it.copied).as_deref().unwrap_or("nothing"));
    if let Some(existing) = records(&it.deduplicated) {
        lines.push_str(&format!(" Already present: {existing}."));
    }
    for (count, what) in
        [(it.left, "Too old to keep in the target"), (it.pruned, "Pruned in the target for newer ones")]
    {
        if count > 0 {
            lines.push_str(&format!(" {what}: {}.", counted(count, "record")));
        }
    }
    lines
}
