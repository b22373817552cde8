//! `repo forget`, which asks first, and the layouts of `repo`.

use clap::builder::Resettable;
use clap::{Arg, ArgMatches, Command};
use loopmem::Result;
use loopmem::methods::Description;
use loopmem::repo::Identity;
use loopmem::repos::{
    Adoption, Counts, Forgotten, ForgottenRepo, KeptAside, KnownRepo, Migration, MovedRepo, Moving, Relative,
};

use crate::abbreviation::shortest;
use crate::human::arguments::yes;
use crate::human::input::{confirm_to, stdin_is_terminal};
use crate::human::screen::{FAINT, ID, KIND, Keep, PLAIN, age, counted, on_one_line, sanitize, size};
use crate::human::table::Table;
use crate::human::verbs::verb;
use crate::human::views::{faint, pairs, word};
use crate::human::{RoomCommand, call_and_show};
use crate::output::{ExitCode, notice, usage_error};
use crate::session::{Members, Session, read};

/// The minimum length of an abbreviated hash.
const HASH_LENGTH: usize = 12;

/// The commands of the room `repo`.
pub(super) const COMMANDS: RoomCommand = RoomCommand {
    room: "repo",
    extend,
    verbs: &[
        verb("list").about("Lists the repositories that have stored data, the one that changed last first"),
        verb("identify").about("Shows the hash under which the memory of a folder's repository is stored, and what it is computed from"),
        verb("adopt").about("Brings what is stored for another branch, folder or hash into this repository; without an argument, lists what could be"),
        verb("move").about("Copies what is stored for a folder that was moved, and for every folder below it, to where they are now"),
        verb("migrate").about("Copies the memory under one hash to another"),
        verb("forget"),
    ],
    run: |session, args| {
        let (verb, args) = args.subcommand()?;
        (verb == "forget").then(|| forget(session, args).map(|()| ExitCode::SUCCESS))
    },
    layout,
    ..RoomCommand::GENERATED
};

const FORGET: &str = "repo.forget";

/// What is adopted or moved is an argument.
fn extend(room: Command, _: &Description) -> Command {
    let argument = |arg: Arg, name: &'static str| arg.long(Resettable::Reset).value_name(name);
    let room = room.mut_subcommand("forget", extend_forget);
    room.mut_subcommand("adopt", |verb| verb.mut_arg("from", |arg| argument(arg, "BRANCH|PATH|HASH"))).mut_subcommand(
        "move",
        |verb| {
            let verb = verb.mut_arg("oldPath", |arg| argument(arg, "OLD_PATH"));
            verb.mut_arg("newPath", |arg| argument(arg, "NEW_PATH"))
        },
    )
}

fn extend_forget(verb: Command) -> Command {
    verb.about("Removes the memory of a repository; shows what that is and asks first, or needs --yes")
        .long_about(
            "Removes the conventions, decisions, notes and step summaries of the repository and branch. `loopmem undo` brings \
             them back. On a terminal, shows how many there are and asks for confirmation; elsewhere, --yes is required, and \
             --dry-run shows it.",
        )
        .mut_arg("all", |arg| arg.help("Of every branch, of the folders it was moved from, and of its other clones"))
        .mut_arg("purge", |arg| arg.help("For good: no trace is left in the home"))
        .mut_arg("dryRun", |arg| arg.help("Only shows how many records would be removed"))
        .arg(yes())
}

fn forget(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let mut params = session.params(FORGET, args)?;
    if params.get("dryRun") != Some(&true.into()) && !args.get_flag("yes") {
        if !stdin_is_terminal() {
            usage_error("add --yes to remove the memory of a repository; --dry-run shows what that is");
        }
        params.insert("dryRun".to_owned(), true.into());
        let counted: Forgotten = session.ask(FORGET, &params)?;
        params.remove("dryRun");
        confirm_to("remove", args, "nothing was removed", || {
            notice(forgotten("From", &counted).trim_end());
            let ending = if params.contains_key("purge") { " for good" } else { "" };
            let what = records(&counted.removed).unwrap_or_else(|| "everything else that is kept of it".to_owned());
            Ok(format!("Remove {what}{ending}? [y/N] "))
        })?;
    }
    call_and_show(session, FORGET, &params)
}

/// A line for each identity, which begins with `verb`.
fn forgotten(verb: &str, it: &Forgotten) -> String {
    if it.identities.is_empty() {
        return faint("nothing is stored for this repository");
    }
    let line = |it: &ForgottenRepo| {
        let branch = it.branch.as_deref().map(|branch| format!("branch {branch} of "));
        let place = it.path.as_deref().unwrap_or(it.repo_hash.as_str());
        let place = format!("{}{place}", branch.unwrap_or_default());
        format!("{verb} {}: {}\n", on_one_line(&place), records(&it.removed).as_deref().unwrap_or("no records"))
    };
    it.identities.iter().map(line).collect()
}

fn layout(session: &Session<'_>, verb: &str, params: &Members, json: &str) -> Result<Option<String>> {
    Ok(Some(match verb {
        "list" => repositories(session, &read::<Vec<_>>(json)?),
        "identify" => identity(read(json)?),
        "adopt" => adoption(params, &read(json)?),
        "move" => moving(params.get("dryRun") == Some(&true.into()), &read(json)?),
        "forget" => {
            let is_dry_run = params.get("dryRun") == Some(&true.into());
            let it = read(json)?;
            let mut text = forgotten(if is_dry_run { "Would remove from" } else { "Removed from" }, &it);
            if it.was_synchronized {
                text.push_str("Synchronization is off now; `loopmem sync --on` brings everything back.\n");
            }
            let is_kept = params.get("purge") != Some(&true.into());
            for one in it.identities.iter().filter(|one| !is_dry_run && is_kept && one.removed.total() > 0) {
                let digits = one.repo_hash.as_str().get(..HASH_LENGTH).unwrap_or_default();
                text.push_str(&format!("To bring it back: `loopmem undo --all --repo-hash {digits}`\n"));
            }
            text
        }
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
        .fixed("RECORDS", PLAIN, |it| it.counts.as_ref().map_or("?".to_owned(), |counts| counts.total().to_string()))
        .fixed("CHANGED", FAINT, |it| age(&it.modified_at, session.now))
        .fixed("SIZE", FAINT, |it| size(it.bytes))
        .text()
}

fn identity(it: Identity) -> String {
    let branch = it.branch.or_else(|| it.detached.then(|| "none: HEAD is detached".to_owned()));
    pairs(&[
        ("hash", it.repo_hash.to_string()),
        ("path", it.path),
        ("remote", it.remote_url.unwrap_or_default()),
        ("branch", branch.unwrap_or_default()),
        ("commit", it.commit.unwrap_or_default()),
        ("scope", word(it.branch_scope)),
    ])
}

/// How many records there are, of each kind; `None` if there are none.
fn records(counts: &Counts) -> Option<String> {
    let some = counts.iter().filter(|(_, count)| *count > 0).map(|(kind, count)| format!("{kind}: {count}"));
    let (total, kinds) = (counts.total(), some.collect::<Vec<_>>().join(", "));
    (total > 0).then(|| format!("{} ({kinds})", counted(total, "record")))
}

fn adoption(params: &Members, it: &Adoption) -> String {
    if it.from_repo_hash.is_none() {
        return relatives(&it.relatives);
    }
    if params.get("ignore") == Some(&true.into()) {
        return "No notice mentions it until it changes; `loopmem repo adopt` still lists it.".to_owned();
    }
    let verb = if params.get("dryRun") == Some(&true.into()) { "Would adopt" } else { "Adopted" };
    let mut text = format!("{verb} {}.", records(&it.copied).as_deref().unwrap_or("nothing new"));
    for (counts, what) in
        [(&it.merged, "Newer there"), (&it.deduplicated, "Already here, changed here or removed here")]
    {
        if let Some(counts) = records(counts) {
            text.push_str(&format!(" {what}: {counts}."));
        }
    }
    text + &left_out(it.left, it.pruned, it.skipped) + &aside(&it.kept_aside)
}

/// What was not copied, and what made room.
fn left_out(left: usize, pruned: usize, skipped: Option<usize>) -> String {
    let counts = [
        (left, "Too old to keep there"),
        (pruned, "Pruned there for newer ones"),
        (skipped.unwrap_or(0), "Damaged, not copied (loopmem doctor)"),
    ];
    let some = counts.into_iter().filter(|(count, _)| *count > 0);
    some.map(|(count, what)| format!(" {what}: {}.", counted(count, "record"))).collect()
}

/// A line for each version that went to the trash.
fn aside(kept: &[KeptAside]) -> String {
    let line = |it: &KeptAside| {
        let whose = if it.is_theirs { "the older version from there" } else { "the older version from here" };
        format!("\n{} {}: changed on both sides; {whose} is in the trash (loopmem undo)", it.kind, sanitize(&it.id))
    };
    kept.iter().map(line).collect()
}

fn relatives(all: &[Relative]) -> String {
    if all.is_empty() {
        return faint("there is nothing to adopt: all memory of this repository is here");
    }
    let line = |it: &Relative| {
        let what = match &it.fault {
            Some(fault) => format!("cannot be read: {}", sanitize(fault)),
            None => records(&it.counts).unwrap_or_default(),
        };
        format!("{}\n  {what}\n  {}", sanitize(&it.reason), sanitize(&it.command))
    };
    all.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn moving(is_dry_run: bool, it: &Moving) -> String {
    let line = |it: &MovedRepo| {
        let place = match &it.branch {
            Some(branch) => format!("branch {} of {}", sanitize(branch), sanitize(&it.path)),
            None => sanitize(&it.path),
        };
        match &it.fault {
            Some(fault) => format!("{place}: not moved: {}", sanitize(fault)),
            None => {
                let verb = if is_dry_run { "would copy" } else { "copied" };
                format!("{place}: {verb} {}.", records(&it.copied).as_deref().unwrap_or("nothing new"))
                    + &left_out(it.left, it.pruned, it.skipped)
                    + &aside(&it.kept_aside)
            }
        }
    };
    it.identities.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn migration(is_dry_run: bool, it: &Migration) -> String {
    let verb = if is_dry_run { "Would copy" } else { "Copied" };
    let mut lines = format!("{verb} {}.", records(&it.copied).as_deref().unwrap_or("nothing"));
    if let Some(existing) = records(&it.deduplicated) {
        lines.push_str(&format!(" Already present: {existing}."));
    }
    lines + &left_out(it.left, it.pruned, it.skipped)
}
