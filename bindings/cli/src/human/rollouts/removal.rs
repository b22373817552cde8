//! `rollouts forget` and `reset`, which ask before they remove something, and the results of `materialize` and
//! `migrate-legacy-root`.

use clap::{ArgMatches, Command};
use loopmem::rollouts::{Forgotten, Materialized, MigratedLegacyRoot, Reason, Reset, Status};
use loopmem::{Error, ErrorKind, Result};

use crate::human::arguments::{flag, instead_of, positional_or, yes};
use crate::human::call_and_show;
use crate::human::input::{confirm_to, is_confirmed};
use crate::human::rollouts::session_id::{self, ID_PARAM, explain, of_session};
use crate::human::screen::{FAINT, counted, on_one_line};
use crate::human::views::{faint, named};
use crate::session::{Members, Session};

const FORCE: &str = "force";
const REEXTRACT: &str = "reextract";

pub(super) fn extend_forget(verb: Command) -> Command {
    let verb = verb
        .about("Removes everything that is stored of a session, for good; on a terminal, asks for confirmation")
        .long_about(
            "Removes everything that is stored of a session, and its files. It is never extracted again. If it was part of \
             the last consolidation, another one is due. The transcript itself stays. On a terminal, asks for confirmation; \
             elsewhere, an id that is not known is an error unless --force is given.",
        );
    instead_of(verb, ID_PARAM, "THREAD_ID", "The session's id; if confirmation is asked, also a unique prefix of it")
        .arg(yes())
        .arg(flag(FORCE, "Also for an id that is not registered yet"))
}

pub(super) fn extend_reset(verb: Command) -> Command {
    verb.about("Clears what was extracted of all sessions, and all jobs; on a terminal, asks for confirmation")
        .long_about(
            "Clears what was extracted of all sessions, all jobs, and the files made of them. Sessions, their modes and what \
             was forgotten stay, and so does what a consolidation wrote. On a terminal, asks for confirmation.",
        )
        .mut_arg(REEXTRACT, |arg| {
            arg.help("Makes sessions due again at once; without it, each is due again when it changes")
        })
        .arg(yes())
}

pub(super) fn forget(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    // What is removed for good is named completely, or shown before it is removed.
    let id = match is_confirmed(args) {
        true => positional_or(args, ID_PARAM).to_owned(),
        false => session_id::find(session, args)?,
    };
    let is_unknown = || -> Result<bool> { Ok(explain(session, &id)?.reason == Reason::NotRegistered) };
    let shown = on_one_line(&id);
    if is_confirmed(args) && !args.get_flag(FORCE) && is_unknown()? {
        let whole = session_id::expand(session, &id)?;
        let why = match whole == id {
            true => {
                format!("no session {shown} is registered; nothing was removed; --force keeps it from being registered")
            }
            false => format!(
                "{shown} is not a complete id; nothing was removed; pass that of session {}",
                on_one_line(&whole)
            ),
        };
        return Err(Error::new(ErrorKind::NotFound, why).about(&shown));
    }
    confirm_to("remove", args, "nothing was removed", || {
        let unknown = if is_unknown()? { ", which is not known" } else { "" };
        Ok(format!("Forget the session {shown}{unknown}? It is never extracted again. [y/N] "))
    })?;
    call_and_show(session, "rollouts.forget", &of_session(&id))
}

pub(super) fn reset(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    confirm_to("remove", args, "nothing was cleared", || {
        let status: Status = session.ask("rollouts.status", &Members::new())?;
        let extracted = counted(status.threads.extracted, "session");
        Ok(format!("Clear what was extracted of {extracted}, and all jobs? [y/N] "))
    })?;
    let mut params = Members::new();
    if args.get_flag(REEXTRACT) {
        params.insert(REEXTRACT.to_owned(), true.into());
    }
    call_and_show(session, "rollouts.reset", &params)
}

pub(super) fn forgotten(id: &str, done: &Forgotten) -> String {
    let what = if done.forgotten { "Forgot session" } else { "Already forgotten: session" };
    let unknown = match done.forgotten && !done.registered {
        true => format!("{FAINT}It was not registered, and never will be; check its id.{FAINT:#}\n"),
        false => String::new(),
    };
    let removed = paths("  removed", &done.removed);
    format!("{}\n{unknown}{removed}", named(what, id, ""))
}

pub(super) fn cleared(params: &Members, done: &Reset) -> String {
    let (outputs, jobs) = (counted(done.outputs, "output"), counted(done.jobs, "job"));
    let files = counted(done.removed.len(), "file");
    let again = match params.get(REEXTRACT) == Some(&true.into()) {
        true => "Sessions are due again at once.",
        false => "A session is due again when it changes.",
    };
    format!("Cleared {outputs} and {jobs}, and removed {files}. {FAINT}{again}{FAINT:#}\n")
}

/// A line for each path, which begins with `what`.
fn paths(what: &str, paths: &[String]) -> String {
    paths.iter().map(|path| format!("{what} {}\n", on_one_line(path))).collect()
}

pub(super) fn materialized(done: &Materialized) -> String {
    let (written, removed) = (paths("wrote", &done.written), paths("removed", &done.removed));
    let out = format!("{written}{removed}{}", paths("set aside an edited file:", &done.set_aside));
    if out.is_empty() { faint("all files are up to date") } else { out }
}

pub(super) fn migrated(done: MigratedLegacyRoot) -> String {
    let reason = done.reason.map_or_else(String::new, |it| format!("Nothing was moved: {}.\n", on_one_line(&it)));
    let skipped = paths("left in place, since the memory root has one:", &done.skipped);
    format!("{reason}{}{skipped}", paths("moved", &done.moved))
}
