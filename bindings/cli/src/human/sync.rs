//! `sync`: brings the memory of a repository and that on its remote together.

use clap::{ArgAction, ArgMatches};
use loopmem::Result;
use loopmem::sync::{Run, Status};

use crate::human::screen::{age, counted, sanitize};
use crate::human::verbs::verb;
use crate::human::views::{faint, pairs, word};
use crate::human::{RoomCommand, call_and_show, run_without_verb, with_options};
use crate::output::ExitCode;
use crate::session::{Members, REPO, Session, fields, read};
use crate::typed;

const METHOD: &str = "sync.run";
const ABOUT: &str = "Brings the memory of a repository and that on a branch of its own remote together, so that several machines \
                     have the same. Nothing is sent until --on has switched it on for the repository: everybody who can read \
                     the remote can read the memory. Global items go along only with --global-items.";

/// The commands of the room `sync`.
pub(super) const COMMANDS: RoomCommand = RoomCommand {
    room: "sync",
    extend: |room, description| {
        let options = fields(description, METHOD).filter(|field| field.name != "on").map(|field| {
            let option = typed::option(field).required(false);
            if REPO.contains(&field.name.as_str()) { option.help_heading("Repository") } else { option }
        });
        let switch = |name: &'static str, help: &'static str| {
            clap::Arg::new(name).long(name).help(help).action(ArgAction::SetTrue)
        };
        let switches = [
            switch("on", "Switches it on for this repository").conflicts_with("off"),
            switch("off", "Switches it off for this repository"),
        ];
        with_options(room, ABOUT, options).args(switches)
    },
    verbs: &[verb("status")],
    calls: &["run"],
    run: |session, args| run_without_verb(session, METHOD, args, || run(session, args)),
    layout,
    is_cancelled_by_signals: |_| true,
    ..RoomCommand::GENERATED
};

fn run(session: &Session<'_>, args: &ArgMatches) -> Result<ExitCode> {
    let mut params = session.params(METHOD, args)?;
    params.remove("on");
    for (name, on) in [("on", true), ("off", false)] {
        if args.get_flag(name) {
            params.insert("on".to_owned(), on.into());
        }
    }
    call_and_show(session, METHOD, &params).map(|()| ExitCode::SUCCESS)
}

fn layout(session: &Session<'_>, verb: &str, params: &Members, json: &str) -> Result<Option<String>> {
    Ok(Some(match verb {
        "run" => outcome(params, &read(json)?),
        "status" => status(session, read(json)?),
        _ => return Ok(None),
    }))
}

fn outcome(params: &Members, it: &Run) -> String {
    let is_dry_run = params.get("dryRun") == Some(&true.into());
    let mut text = match (params.get("on") == Some(&false.into()), is_dry_run) {
        (true, false) => return "It is switched off; what is on the branch stays there.".to_owned(),
        (_, true) => {
            format!("Would pull {} and push {}.", counted(it.pulled, "change"), counted(it.pushed, "change"))
        }
        (false, false) if it.fault.is_none() && it.pulled + it.pushed == 0 => match it.commit {
            None => "Already up to date.".to_owned(),
            Some(_) => "Already up to date; the branch was written again.".to_owned(),
        },
        (false, false) => {
            format!("Pulled {} and pushed {}.", counted(it.pulled, "change"), counted(it.pushed, "change"))
        }
    };
    if let Some(fault) = &it.fault {
        text = format!("The remote cannot be reached; {} waiting: {}", counted(it.waiting, "change"), sanitize(fault));
    }
    for conflict in &it.conflicts {
        let id = conflict.id.as_deref().map(|id| format!(" {}", sanitize(id))).unwrap_or_default();
        text.push_str(&format!("\n{}{id}: {}", sanitize(&conflict.file), sanitize(&conflict.what)));
    }
    text
}

fn status(session: &Session<'_>, it: Status) -> String {
    if it.remote_url.is_none() {
        return faint("this repository has no remote to be synchronized with");
    }
    pairs(&[
        ("switched on", if it.on { "yes" } else { "no (loopmem sync --on)" }.to_owned()),
        ("remote", it.remote_url.unwrap_or_default()),
        ("branch", it.branch),
        ("last run", it.last_run.map(|time| age(&time, session.now)).unwrap_or_default()),
        ("waiting", counted(it.waiting, "change")),
        ("automatic runs", word(it.auto)),
    ])
}
