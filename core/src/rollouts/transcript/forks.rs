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
/// How far apart records are at least that were not copied at once, in milliseconds. A pause in a copy is taken for its end: better
/// read a part of the history twice than lose what was said.
const PAUSE: i64 = 200;
/// How much earlier than it was a time may be, in milliseconds: some are in whole seconds.
const ROUNDING: i64 = 1_000;

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
    #[serde(borrow)]
    memory_mode: Option<Cow<'t, str>>,
}

/// What a line is about.
#[derive(Default, Deserialize)]
struct Item<'t> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'t, str>>,
    #[serde(borrow)]
    role: Option<Cow<'t, str>>,
    #[serde(borrow)]
    turn_id: Option<Cow<'t, str>>,
    #[serde(borrow)]
    started_at: Option<&'t RawValue>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaker {
    User,
    Agent,
}

/// Where the own part of a session may begin.
#[derive(Clone, Copy)]
struct Start {
    /// The number of records before it.
    behind: u64,
    /// The number of those before a question that was not answered there, until the next message says whether it is answered
    /// here: a program writes its question as soon as it has copied the history.
    question: Option<u64>,
}

/// The search for where the own part of a session begins, whose header was read.
struct Search {
    id: String,
    mode: Option<String>,
    /// When it was forked.
    forked_at: i64,
    is_named: bool,
    /// True if something that was read is of another session.
    is_repeating: bool,
    /// The first place since then at which the own part may begin.
    start: Option<Start>,
    /// True if a header or a turn says that it has begun.
    is_found: bool,
    /// The time of the last record.
    last: i64,
    /// The number of records before the first message since the last one of the agent.
    question: Option<u64>,
}

/// The number of records from the beginning of a rollout that repeat the history of another session. That ends where the
/// session's own header is repeated, or where a turn begins that is younger than the session, or else, if there is a header, a turn
/// or a record of another session, where the records are no longer older than the session, or written all at once.
///
/// # Errors
/// Those of [`Records::next`].
pub(super) fn inherited_by_rollout(mut records: Records<Source>, check: &dyn Fn() -> Result<()>) -> Result<u64> {
    let mut search: Option<Search> = None;
    let mut number = 0;
    while let Some(piece) = records.next(check)? {
        let Piece::Record(record) = piece else { continue };
        number += 1;
        let json = of_record(record.json);
        let Ok(line) = serde_json::from_str::<Line<'_>>(&json) else { continue };
        let header = match (line.kind.as_deref(), line.payload) {
            (Some("session_meta"), Some(payload)) => serde_json::from_str::<Header<'_>>(payload.get()).ok(),
            _ => None,
        };
        match (&mut search, header) {
            (None, None) if number >= HEAD_RECORDS => return Ok(0),
            (None, None) => {}
            (None, Some(header)) => match Search::of(header, line.time()) {
                None => return Ok(0),
                of_header => search = of_header,
            },
            (Some(search), header) => {
                let is_other = header.as_ref().is_some_and(|header| header.id != search.id);
                if !search.is_named && !search.is_repeating && !is_other {
                    return Ok(0);
                }
                search.read(&line, header.as_ref(), number - 1);
                if search.is_found && search.start.is_some_and(|start| start.question.is_none()) {
                    break;
                }
            }
        }
    }
    Ok(search.map_or(0, |search| search.inherited(number)))
}

impl Search {
    /// `None` if the header says that no history follows it.
    fn of(header: Header<'_>, written_at: Option<i64>) -> Option<Self> {
        let created_at = header.timestamp.as_deref().and_then(time::read);
        let forked_at = created_at.or(written_at)?;
        let is_elsewhere = header.history_base.is_some_and(|base| base.get() != "null");
        (!is_elsewhere).then(|| Search {
            id: header.id.into_owned(),
            mode: header.memory_mode.map(Cow::into_owned),
            forked_at,
            is_named: header.forked_from_id.is_some(),
            is_repeating: false,
            start: None,
            is_found: false,
            last: forked_at.max(written_at.unwrap_or(forked_at)),
            question: None,
        })
    }

    /// The number of records that repeat another session, of this many. Without anything of another session, they are the own
    /// ones: nothing is left out that may be.
    fn inherited(self, number: u64) -> u64 {
        match self.start {
            _ if !self.is_repeating && !self.is_found => 0,
            Some(start) => start.question.unwrap_or(start.behind),
            None => number,
        }
    }

    /// Reads the record behind this many.
    fn read(&mut self, line: &Line<'_>, header: Option<&Header<'_>>, behind: u64) {
        let item = line.item();
        let is_known = header.is_some_and(|header| self.by_header(header, behind))
            || turn(line, &item).is_some_and(|began_at| self.by_turn(began_at, behind));
        if let Some(written_at) = line.time() {
            if !is_known {
                self.by_time(written_at, behind);
                self.last = written_at;
            } else {
                self.last = self.last.max(written_at);
            }
        }
        let Some(speaker) = speaker(line, &item) else { return };
        if let Some(Start { behind, question }) = &mut self.start
            && let Some(question) = question.take()
            && speaker == Speaker::Agent
        {
            *behind = question;
        }
        self.question = (speaker == Speaker::User).then(|| self.question.unwrap_or(behind));
    }

    /// True if a header says where the own part begins, or that it begins later.
    fn by_header(&mut self, header: &Header<'_>, behind: u64) -> bool {
        if header.id != self.id {
            (self.is_repeating, self.start) = (true, None);
            return true;
        }
        // One is appended when the mode changes.
        if header.memory_mode.as_deref() != self.mode.as_deref() {
            self.mode = header.memory_mode.as_deref().map(str::to_owned);
            return false;
        }
        self.begin(behind);
        true
    }

    /// True, as a turn says where the own part begins, or that it begins later.
    fn by_turn(&mut self, began_at: i64, behind: u64) -> bool {
        if began_at >= self.forked_at - ROUNDING {
            self.begin(behind);
        } else {
            (self.is_repeating, self.start) = (true, None);
        }
        true
    }

    /// The own part begins here, or where it seemed to begin before.
    fn begin(&mut self, behind: u64) {
        self.is_found = true;
        self.start.get_or_insert(Start { behind, question: self.question });
    }

    /// By the time of a record: it may be copied with it, or without.
    fn by_time(&mut self, written_at: i64, behind: u64) {
        self.is_repeating |= written_at < self.forked_at - ROUNDING;
        let is_later = self.last < self.forked_at || written_at - self.last >= PAUSE;
        if written_at >= self.forked_at && is_later {
            self.start.get_or_insert(Start { behind, question: self.question });
        }
    }
}

impl<'t> Line<'t> {
    fn time(&self) -> Option<i64> {
        time::read(self.timestamp.as_deref()?)
    }

    fn item(&self) -> Item<'t> {
        self.payload.and_then(|payload| serde_json::from_str(payload.get()).ok()).unwrap_or_default()
    }
}

/// Whose message this is, or whose action.
fn speaker(line: &Line<'_>, item: &Item<'_>) -> Option<Speaker> {
    match (line.kind.as_deref()?, item.kind.as_deref()?, item.role.as_deref()) {
        ("event_msg", "user_message", _) | ("response_item", "message", Some("user")) => Some(Speaker::User),
        ("event_msg", "agent_message", _) | ("response_item", "message", Some("assistant")) => Some(Speaker::Agent),
        ("response_item", "reasoning", _) => Some(Speaker::Agent),
        ("response_item", kind, _) if kind.ends_with("_call") => Some(Speaker::Agent),
        _ => None,
    }
}

/// When the turn began that begins with this line; `None` if it is another one, or does not say. Unlike the time of the line, that
/// is not changed when it is copied.
fn turn(line: &Line<'_>, item: &Item<'_>) -> Option<i64> {
    match (line.kind.as_deref()?, item.kind.as_deref()) {
        ("turn_context", _) | ("event_msg", Some("task_started" | "turn_started")) => {}
        _ => return None,
    }
    let started_at = item.started_at.and_then(|it| {
        let text = it.get().trim_matches('"');
        match text.split('.').next()?.parse::<i64>() {
            Ok(seconds @ 0..100_000_000_000) => Some(seconds * 1_000),
            Ok(millis @ 0..100_000_000_000_000) => Some(millis),
            Ok(_) => None,
            Err(_) => time::read(text),
        }
    });
    started_at.or_else(|| time_of_uuid(item.turn_id.as_deref()?))
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
