//! Where the own part of a session begins that was forked from another one: programs repeat the history of that one before it.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::records::{Piece, Records, Source};
use super::text::of_record;
use crate::error::Result;
use crate::rollouts::time;

/// The number of records from the beginning of which one may be the header.
const HEAD_RECORDS: u64 = 8;
/// How far apart records are at least that were not copied at once, in milliseconds.
const PAUSE: i64 = 1_000;

/// A line of a rollout.
#[derive(Deserialize)]
struct Line<'t> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'t, str>>,
    #[serde(borrow)]
    timestamp: Option<Cow<'t, str>>,
    #[serde(borrow)]
    payload: Option<&'t RawValue>,
}

/// The header of a session.
#[derive(Deserialize)]
struct Header<'t> {
    #[serde(borrow)]
    id: Cow<'t, str>,
    #[serde(borrow)]
    timestamp: Option<Cow<'t, str>>,
    #[serde(borrow)]
    forked_from_id: Option<Cow<'t, str>>,
    /// Where the history is, if it is not repeated.
    #[serde(borrow)]
    history_base: Option<&'t RawValue>,
}

/// The beginning of a turn. Unlike the time of its line, what it says is not changed when it is copied.
#[derive(Deserialize)]
struct Turn<'t> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'t, str>>,
    #[serde(borrow)]
    turn_id: Option<Cow<'t, str>>,
    #[serde(borrow)]
    started_at: Option<&'t RawValue>,
}

/// The session that was forked.
struct Fork {
    id: String,
    /// When it was forked, and when its header was written.
    forked_at: i64,
    written_at: i64,
    is_named: bool,
}

/// The number of records from the beginning of a rollout that repeat the history of another session. That ends where the
/// session's own header is repeated, or where a turn begins that is younger than the session. Without either, it ends where the
/// records are no longer older than the session, or written all at once.
///
/// # Errors
/// Those of [`Records::next`].
pub(super) fn inherited_by_rollout(mut records: Records<Source>, check: &dyn Fn() -> Result<()>) -> Result<u64> {
    let mut fork: Option<Fork> = None;
    let (mut number, mut is_repeating, mut before, mut candidate) = (0, false, None, None);
    while let Some(piece) = records.next(check)? {
        let Piece::Record(record) = piece else { continue };
        number += 1;
        let json = of_record(record.json);
        let Ok(line) = serde_json::from_str::<Line<'_>>(&json) else { continue };
        let written_at = line.timestamp.as_deref().and_then(time::read);
        let header = match (line.kind.as_deref(), line.payload) {
            (Some("session_meta"), Some(payload)) => serde_json::from_str::<Header<'_>>(payload.get()).ok(),
            _ => None,
        };
        let Some(own) = &fork else {
            let Some(header) = header else {
                if number >= HEAD_RECORDS {
                    return Ok(0);
                }
                continue;
            };
            let created_at = header.timestamp.as_deref().and_then(time::read);
            let (Some(forked_at), Some(written_at)) = (created_at.or(written_at), written_at.or(created_at)) else {
                return Ok(0);
            };
            if header.history_base.is_some_and(|base| base.get() != "null") {
                return Ok(0);
            }
            let is_named = header.forked_from_id.is_some();
            fork = Some(Fork { id: header.id.into_owned(), forked_at, written_at, is_named });
            continue;
        };
        match header {
            Some(header) if header.id == own.id => {
                return Ok(match (is_repeating, own.is_named) {
                    (true, _) => number - 1,
                    (false, true) => candidate.unwrap_or(number - 1),
                    (false, false) => 0,
                });
            }
            Some(_) => (is_repeating, candidate) = (true, None),
            None if !is_repeating && !own.is_named => return Ok(0),
            None => {
                match turn(&line) {
                    Some(began_at) if began_at >= own.forked_at - PAUSE => return Ok(candidate.unwrap_or(number - 1)),
                    Some(_) => candidate = None,
                    None => {
                        let last = before.unwrap_or(own.written_at);
                        let is_own = |it: i64| {
                            let is_later = it - last.max(own.written_at) >= PAUSE;
                            it >= own.forked_at && (is_later || last < own.forked_at - PAUSE)
                        };
                        candidate = candidate.or_else(|| written_at.filter(|it| is_own(*it)).map(|_| number - 1));
                    }
                }
                before = written_at.or(before);
            }
        }
    }
    Ok(if fork.is_some_and(|own| own.is_named || is_repeating) { candidate.unwrap_or(number) } else { 0 })
}

/// When the turn began that begins with this line; `None` if it is another one, or does not say.
fn turn(line: &Line<'_>) -> Option<i64> {
    let turn: Turn<'_> = serde_json::from_str(line.payload?.get()).ok()?;
    match (line.kind.as_deref()?, turn.kind.as_deref()) {
        ("turn_context", _) | ("event_msg", Some("task_started" | "turn_started")) => {}
        _ => return None,
    }
    let started_at = turn.started_at.and_then(|it| {
        let text = it.get().trim_matches('"');
        match text.split('.').next()?.parse::<i64>() {
            Ok(seconds @ 0..100_000_000_000) => Some(seconds * 1_000),
            Ok(millis @ 0..100_000_000_000_000) => Some(millis),
            Ok(_) => None,
            Err(_) => time::read(text),
        }
    });
    started_at.or_else(|| time_of_uuid(turn.turn_id.as_deref()?))
}

/// The time in a UUID of version 7, in milliseconds since 1970.
fn time_of_uuid(id: &str) -> Option<i64> {
    let id = uuid::Uuid::parse_str(id).ok()?;
    (id.get_version_num() == 7).then(|| i64::try_from(id.as_u128() >> 80).ok())?
}

/// The number of records from the beginning of a session of Claude Code that are of the session that it continues. The file
/// `stem` has the records of the session of this name from some place on.
///
/// # Errors
/// Those of [`Records::next`].
pub(super) fn inherited_by_session(
    mut records: Records<Source>,
    stem: &str,
    check: &dyn Fn() -> Result<()>,
) -> Result<u64> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Line<'t> {
        #[serde(borrow)]
        session_id: Option<Cow<'t, str>>,
    }
    let (mut number, mut is_other) = (0, false);
    while let Some(piece) = records.next(check)? {
        let Piece::Record(record) = piece else { continue };
        number += 1;
        let json = of_record(record.json);
        let id = serde_json::from_str::<Line<'_>>(&json).ok().and_then(|line| line.session_id);
        match id {
            Some(id) if id == stem => return Ok(if is_other { number - 1 } else { 0 }),
            Some(_) => is_other = true,
            None => {}
        }
    }
    // A copied file may have any name.
    Ok(0)
}
