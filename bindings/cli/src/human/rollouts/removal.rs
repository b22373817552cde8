//! `rollouts forget` and `reset`, which ask before they remove something, and what `materialize` and `migrate-legacy-root`
//! did.

use clap::{Arg, ArgAction, ArgMatches, Command};
use loopmem::{Error, ErrorKind, Result};
use serde_json::Value;

use crate::human::call_and_show;
use crate::human::input;
use crate::human::positional::instead_of;
use crate::human::rollouts::explain::of_session;
use crate::human::rollouts::session_id::{self, ID_PARAM};
use crate::human::screen::{FAINT, counted, on_one_line};
use crate::human::views::named;
use crate::output::usage_error;
use crate::session::{Members, Session, number, read, text, texts};

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
        .arg(Arg::new(FORCE).long(FORCE).action(ArgAction::SetTrue).help("Also for an id that is not registered yet"))
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

fn yes() -> Arg {
    Arg::new("yes").long("yes").short('y').action(ArgAction::SetTrue).help("Skips the confirmation")
}

pub(super) fn forget(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    // What is removed for good is named completely, or shown before it is removed.
    let id = match is_confirmed(args) {
        true => session_id::as_typed(args),
        false => session_id::find(session, args)?,
    };
    let params = of_session(id);
    if is_confirmed(args) && !args.get_flag(FORCE) {
        let explained: Members = session.ask("rollouts.explain", params.clone())?;
        if text(&explained, "reason") == "notRegistered" {
            let id = on_one_line(text(&params, ID_PARAM));
            let message =
                format!("no session {id} is registered; nothing was removed; --force keeps it from being registered");
            return Err(Error::new(ErrorKind::NotFound, message).about(&id));
        }
    }
    confirm(args, "nothing was removed", || {
        let explained: Members = session.ask("rollouts.explain", params.clone())?;
        let unknown = if text(&explained, "reason") == "notRegistered" { ", which is not known" } else { "" };
        let id = on_one_line(text(&params, ID_PARAM));
        Ok(format!("Forget the session {id}{unknown}? It is never extracted again. [y/N] "))
    })?;
    call_and_show(session, "rollouts.forget", &params)
}

pub(super) fn reset(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    confirm(args, "nothing was cleared", || {
        let status: Members = session.ask("rollouts.status", Members::new())?;
        let threads = status.get("threads").and_then(Value::as_object);
        let extracted = counted(threads.map_or(0, |threads| number(threads, "extracted")), "session");
        Ok(format!("Clear what was extracted of {extracted}, and all jobs? [y/N] "))
    })?;
    let mut params = Members::new();
    if args.get_flag(REEXTRACT) {
        params.insert(REEXTRACT.to_owned(), true.into());
    }
    call_and_show(session, "rollouts.reset", &params)
}

/// Whether nothing is asked.
fn is_confirmed(args: &ArgMatches) -> bool {
    args.get_flag("yes") || !input::stdin_is_terminal()
}

/// Asks a question, unless the answer was given or standard input is not a terminal.
fn confirm(args: &ArgMatches, declined: &str, question: impl FnOnce() -> Result<String>) -> Result<()> {
    if is_confirmed(args) {
        return Ok(());
    }
    if !input::can_prompt() {
        usage_error("cannot ask for confirmation here; add --yes to remove without asking");
    }
    match input::confirm(&question()?, false) {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::Cancelled, declined)),
    }
}

pub(super) fn forgotten(params: &Members, json: &str) -> Result<String> {
    let done: Members = read(json)?;
    let is_new = done.get("forgotten") == Some(&true.into());
    let what = if is_new { "Forgot session" } else { "Already forgotten: session" };
    let unknown = match is_new && done.get("registered") == Some(&false.into()) {
        true => format!("{FAINT}It was not registered, and never will be; check its id.{FAINT:#}\n"),
        false => String::new(),
    };
    Ok(format!("{}\n{unknown}{}", named(what, text(params, ID_PARAM), ""), removed(&done)))
}

pub(super) fn cleared(params: &Members, json: &str) -> Result<String> {
    let done: Members = read(json)?;
    let counts = [("outputs", "output"), ("jobs", "job")].map(|(key, noun)| counted(number(&done, key), noun));
    let files = counted(texts(&done, "removed").count() as u64, "file");
    let again = match params.get(REEXTRACT) == Some(&true.into()) {
        true => "Sessions are due again at once.",
        false => "A session is due again when it changes.",
    };
    Ok(format!("Cleared {}, and removed {files}. {FAINT}{again}{FAINT:#}\n", counts.join(" and ")))
}

/// The files that were removed, one on a line.
fn removed(done: &Members) -> String {
    texts(done, "removed").map(|path| format!("  removed {}\n", on_one_line(path))).collect()
}

pub(super) fn materialized(json: &str) -> Result<String> {
    let done: Members = read(json)?;
    let mut out = String::new();
    for (key, what) in [("written", "wrote"), ("removed", "removed"), ("setAside", "set aside what somebody changed:")]
    {
        out.extend(texts(&done, key).map(|path| format!("{what} {}\n", on_one_line(path))));
    }
    if out.is_empty() {
        out = format!("{FAINT}all files are up to date{FAINT:#}\n");
    }
    Ok(out)
}

pub(super) fn migrated(json: &str) -> Result<String> {
    let done: Members = read(json)?;
    let mut out = match text(&done, "reason") {
        "" => String::new(),
        reason => format!("Nothing was moved: {}.\n", on_one_line(reason)),
    };
    for (key, what) in [("moved", "moved"), ("skipped", "left in place, since the memory root has one:")] {
        out.extend(texts(&done, key).map(|path| format!("{what} {}\n", on_one_line(path))));
    }
    Ok(out)
}
