//! Finding sessions by their ids, or by prefixes of them.

use clap::ArgMatches;
use loopmem::rollouts::{Explanation, Listed, Reason};
use loopmem::{Error, Result};

use crate::abbreviation;
use crate::human::arguments::{POSITIONAL, positional_or};
use crate::session::{Members, Session};

/// The param with the session's id.
pub(super) const ID_PARAM: &str = "threadId";
/// The method that knows whether there is such a session.
pub(super) const EXPLAIN: &str = "rollouts.explain";

/// The id that was typed, or the one that begins with it. The option takes complete ids only.
///
/// # Errors
/// Those of [`expand`].
pub(super) fn find(session: &Session<'_>, args: &ArgMatches) -> Result<String> {
    match args.get_one::<String>(POSITIONAL) {
        Some(typed) => expand(session, typed),
        None => Ok(positional_or(args, ID_PARAM).to_owned()),
    }
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
    if explain(session, typed)?.reason != Reason::NotRegistered {
        return Ok(typed.to_owned());
    }
    let params = Members::from_iter([("limit".to_owned(), u32::MAX.into())]);
    let Listed { threads, .. } = session.ask("rollouts.list", &params)?;
    let found = abbreviation::find(typed, &threads, |it| &it.thread_id, |it| it.cwd.clone())?;
    Ok(found.map_or(typed, |it| &it.thread_id).to_owned())
}

/// Why a session is or is not extracted.
///
/// # Errors
/// The method's.
pub(super) fn explain(session: &Session<'_>, id: &str) -> Result<Explanation> {
    session.ask(EXPLAIN, &of_session(id))
}

/// The params of a method on one session.
pub(super) fn of_session(id: &str) -> Members {
    Members::from_iter([(ID_PARAM.to_owned(), id.into())])
}
