//! Finding sessions by their ids, or by prefixes of them.

use clap::ArgMatches;
use loopmem::{Error, Result};
use serde_json::Value;

use crate::abbreviation::{self, Match};
use crate::human::positional::{POSITIONAL, value};
use crate::session::{Members, Session, text};

/// The param with the session's id.
pub(super) const ID_PARAM: &str = "threadId";

/// The id that was typed, or the one that begins with it. The option takes complete ids only.
///
/// # Errors
/// Those of [`expand`].
pub(super) fn find(session: &Session<'_>, args: &ArgMatches) -> Result<String> {
    match args.get_one::<String>(POSITIONAL) {
        Some(typed) => expand(session, typed),
        None => Ok(as_typed(args)),
    }
}

/// The id that was typed.
pub(super) fn as_typed(args: &ArgMatches) -> String {
    value(args, ID_PARAM).to_owned()
}

/// Resolves what was typed: an exact id of a registered or forgotten session, else a unique prefix of a registered one. Anything
/// else is returned unchanged.
///
/// # Errors
/// `ValidationError` for an empty id, and for the prefix of several; those of `rollouts.explain`.
pub(super) fn expand(session: &Session<'_>, typed: &str) -> Result<String> {
    if typed.is_empty() {
        return Err(Error::validation("the id is empty; `loopmem rollouts list` shows the ids"));
    }
    let params = Members::from_iter([(ID_PARAM.to_owned(), typed.into())]);
    let explained: Members = session.ask("rollouts.explain", params)?;
    if text(&explained, "reason") != "notRegistered" {
        return Ok(typed.to_owned());
    }
    let params = Members::from_iter([("limit".to_owned(), u32::MAX.into())]);
    let listed: Members = session.ask("rollouts.list", params)?;
    let threads = listed.get("threads").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object);
    let threads: Vec<&Members> = threads.collect();
    match abbreviation::find(typed, &threads, |thread| text(thread, ID_PARAM)) {
        Match::One(thread) => Ok(text(thread, ID_PARAM).to_owned()),
        Match::None => Ok(typed.to_owned()),
        Match::Several(them) => {
            let candidates = them.into_iter().map(|it| (text(it, ID_PARAM).to_owned(), text(it, "cwd").to_owned()));
            Err(abbreviation::ambiguous(typed, candidates))
        }
    }
}
