//! A change on a Redis server: what was read is watched, and what is written is written at once or not at all.
//!
//! When the connection breaks before the server has told what became of the writes, the next attempt finds out: an item
//! that was pushed has an id of its own and stands in its list, or it does not. An attempt is made again only where the
//! first one can no longer come true: it watched a key that the second one writes.

use std::collections::{HashMap, HashSet};

use redis::Pipeline;

use super::super::super::adapter::Write;
use super::super::super::kept::Read;
use super::super::super::key::Key;
use super::connection::{Connection, SHORT, VALUE};
use super::refusal::{Trouble, foreign, refusal_in};
use super::reply::Reply;
use super::wait::ServerWait;
use super::{RedisAdapter, json};
use crate::disk::Json;
use crate::error::{Error, ErrorKind, Result};

/// What decides on a change.
pub(super) type Deciding<'d> = dyn FnMut(&mut Read<'_>) -> Result<Vec<Write>> + 'd;

/// Writes of which it is not known whether they were made.
struct Doubt {
    seen: HashMap<Key, Option<Json>>,
    writes: Vec<Write>,
}

/// A change, from its first attempt to its last.
pub(super) struct Change<'c> {
    adapter: &'c RedisAdapter,
    /// The list that will probably be written too.
    trail: Option<Key>,
    decide: &'c mut Deciding<'c>,
    doubts: Vec<Doubt>,
}

impl<'c> Change<'c> {
    pub(super) fn new(adapter: &'c RedisAdapter, trail: Option<Key>, decide: &'c mut Deciding<'c>) -> Self {
        Change { adapter, trail, decide, doubts: Vec::new() }
    }

    /// Whether something may have been written of which nothing is known.
    pub(super) fn is_in_doubt(&self) -> bool {
        !self.doubts.is_empty()
    }

    /// One attempt: reads, decides and writes. Returns what the server answered to each write, or nothing when an earlier
    /// attempt has made them.
    pub(super) fn attempt(
        &mut self,
        connection: &mut Connection,
        wait: &ServerWait<'_>,
    ) -> Result<Vec<Reply>, Trouble> {
        if self.settle(connection, wait)? {
            return Ok(Vec::new());
        }
        let (seen, lists) = (HashMap::new(), HashSet::new());
        let mut looking = Looking { adapter: self.adapter, connection, wait, seen, lists };
        let (mut trouble, mut next_list) = (None, self.trail.as_ref());
        let decided = (self.decide)(&mut |key| {
            looking.read(key, next_list.take()).map_err(|met| {
                // What the decision makes of it is not told to anybody.
                trouble = Some(met);
                Error::new(ErrorKind::Adapter, "Redis could not be read")
            })
        });
        let writes = match (decided, trouble) {
            (_, Some(trouble)) => return Err(trouble),
            (Err(refused), None) => return Err(Trouble::Ended(refused)),
            (Ok(writes), None) => writes,
        };
        if writes.is_empty() {
            return Ok(Vec::new());
        }
        looking.check(&writes)?;
        let seen = looking.seen;
        match self.write(connection, wait, &writes) {
            Err(trouble) => {
                if trouble.is_sent() {
                    self.doubts.push(Doubt { seen, writes });
                }
                Err(trouble)
            }
            written => written,
        }
    }

    /// Makes the writes. A single one needs no transaction, unless it depends on what was read.
    fn write(
        &self,
        connection: &mut Connection,
        wait: &ServerWait<'_>,
        writes: &[Write],
    ) -> Result<Vec<Reply>, Trouble> {
        let mut commands = Pipeline::with_capacity(writes.len() + 2);
        let is_single = writes.len() == 1 && !connection.is_watching();
        if !is_single {
            commands.cmd("MULTI");
        }
        writes.iter().for_each(|write| self.adapter.add(&mut commands, write));
        if !is_single {
            commands.cmd("EXEC");
        }
        let names: Vec<_> = writes.iter().map(|write| self.adapter.name(write.key())).collect();
        connection.confirm(&names, wait)?;
        let mut answers = connection.write(&commands, wait)?;
        // A transaction begins with another answer.
        let key_of =
            |place: usize| writes.get(place.saturating_sub(usize::from(!is_single))).map(|it| it.key().clone());
        if let Some((place, refusal)) = refusal_in(&answers) {
            let is_refused = |answer: &Reply| matches!(answer, Reply::Refused(_));
            let (transaction, made) = answers.split_at(usize::from(!is_single));
            let made = made.get(..writes.len()).unwrap_or_default();
            if transaction.iter().any(is_refused) && !made.iter().all(is_refused) {
                // Without a transaction the writes were made one by one.
                let message = "Redis refused a transaction, and may have stored a part of the change; look before \
                               trying again, and use a server that knows MULTI";
                let error = Error::new(ErrorKind::Adapter, message).because(self.adapter.words(refusal));
                return Err(Trouble::Ended(error.maybe_stored()));
            }
            return Err(Trouble::Refused(refusal.clone(), key_of(place)));
        }
        let is_made = |done: &[Reply]| done.len() == writes.len() && writes.iter().zip(done).all(is_answer);
        if is_single {
            return if is_made(&answers) { Ok(answers) } else { Err(misunderstood("a write")) };
        }
        connection.set_watching(false);
        match answers.pop() {
            Some(Reply::Nil) => Err(Trouble::Conflict),
            Some(Reply::List(done)) => match refusal_in(&done) {
                None if is_made(&done) => Ok(done),
                None => Err(misunderstood("EXEC")),
                Some((place, refusal)) => {
                    let message = "Redis refused a part of a change, and may have stored the rest of it";
                    let error =
                        Error::new(ErrorKind::Adapter, message).because(self.adapter.words(refusal)).maybe_stored();
                    Err(Trouble::Ended(match writes.get(place) {
                        Some(write) => error.about(write.key().to_string()),
                        None => error,
                    }))
                }
            },
            _ => Err(misunderstood("EXEC")),
        }
    }

    /// Finds out what became of the attempts that are in doubt: whether the last of them was made. From here on no other
    /// can be made any more, as long as this one writes what they watched.
    fn settle(&mut self, connection: &mut Connection, wait: &ServerWait<'_>) -> Result<bool, Trouble> {
        let count = self.doubts.len();
        for (place, doubt) in self.doubts.iter().enumerate() {
            let watched = doubt.seen.keys().chain(doubt.writes.iter().map(Write::key));
            let watched: Vec<_> = watched.map(|key| self.adapter.name(key)).collect();
            connection.confirm(&watched, wait)?;
            let mut commands = Pipeline::new();
            commands.cmd("WATCH").arg(watched);
            connection.set_watching(true);
            connection.ask(&commands, SHORT, wait)?;
            match self.was_made(doubt, connection, wait)? {
                // The caller is told what the last attempt decided.
                Some(true) if place + 1 == count => {
                    self.doubts.clear();
                    return Ok(true);
                }
                Some(false) if doubt.is_fenced() => {}
                _ => {
                    return Err(Trouble::Ended(Error::new(ErrorKind::Adapter, "it cannot be told from what is there")));
                }
            }
        }
        Ok(false)
    }

    /// Whether the writes stand there; `None` when that cannot be told, since others wrote in between.
    fn was_made(
        &self,
        doubt: &Doubt,
        connection: &mut Connection,
        wait: &ServerWait<'_>,
    ) -> Result<Option<bool>, Trouble> {
        let mut commands = Pipeline::new();
        if let Some((list, item)) = doubt.writes.iter().find_map(|write| match write {
            Write::Push(list, item) => Some((list, item)),
            _ => None,
        }) {
            commands.cmd("LPOS").arg(self.adapter.name(list)).arg(item.json().get()).arg("RANK").arg(-1);
            let answers = connection.ask(&commands, SHORT, wait).map_err(|trouble| trouble.about(list))?;
            return Ok(Some(!matches!(answers.first(), Some(Reply::Nil))));
        }
        for write in &doubt.writes {
            let what = if matches!(write, Write::Del(_)) { "EXISTS" } else { "GET" };
            commands.cmd(what).arg(self.adapter.name(write.key()));
        }
        let seen: Vec<_> = doubt.seen.iter().collect();
        for (key, _) in &seen {
            commands.cmd("GET").arg(self.adapter.name(key));
        }
        let values = doubt.writes.iter().filter(|write| !matches!(write, Write::Del(_))).count() + seen.len();
        let most = values.saturating_mul(VALUE).saturating_add(SHORT + doubt.writes.len() * size_of::<Reply>());
        let answers = connection.ask(&commands, most, wait)?;
        let (after, before) = answers.split_at(doubt.writes.len().min(answers.len()));
        let is = |answer: &Reply, json: &str| matches!(answer, Reply::Bytes(bytes) if bytes == json.as_bytes());
        let is_written = after.iter().zip(&doubt.writes).all(|(answer, write)| match write {
            Write::Del(_) => *answer == Reply::Int(0),
            Write::Set(_, json) | Write::Push(_, json) => is(answer, json.json().get()),
        });
        let is_as_before = before.iter().zip(&seen).all(|(answer, (_, value))| match value {
            Some(json) => is(answer, json.get()),
            None => *answer == Reply::Nil,
        });
        Ok(match (is_written, is_as_before) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        })
    }
}

impl Doubt {
    /// Whether it cannot come true any more once something else was written in its place.
    fn is_fenced(&self) -> bool {
        self.writes.iter().any(|write| self.seen.contains_key(write.key()))
    }
}

/// What is read for a decision, and watched.
struct Looking<'l> {
    adapter: &'l RedisAdapter,
    connection: &'l mut Connection,
    wait: &'l ServerWait<'l>,
    seen: HashMap<Key, Option<Json>>,
    /// What is a list or nothing yet.
    lists: HashSet<Key>,
}

impl Looking<'_> {
    /// The value under `key`; on the same way the list is looked at that will be written next.
    fn read(&mut self, key: &Key, list: Option<&Key>) -> Result<Option<Json>, Trouble> {
        let mut commands = Pipeline::new();
        commands.cmd("WATCH").arg(self.adapter.name(key));
        list.map(|list| commands.arg(self.adapter.name(list)));
        commands.cmd("GET").arg(self.adapter.name(key));
        list.map(|list| commands.cmd("TYPE").arg(self.adapter.name(list)));
        let keys = std::iter::once(key).chain(list);
        let mut answers = self.watch(keys, &commands, VALUE).map_err(|trouble| trouble.about(key))?.into_iter().skip(1);
        let value = answers.next().map_or(Ok(None), |answer| json(key, answer)).map_err(Trouble::Ended)?;
        if let Some(list) = list {
            self.note(list, answers.next())?;
        }
        self.seen.insert(key.clone(), value.clone());
        Ok(value)
    }

    /// Looks whether what is to be pushed on can be: a transaction of Redis goes on behind a command that fails.
    fn check(&mut self, writes: &[Write]) -> Result<(), Trouble> {
        let alone = writes.len() == 1 && self.seen.is_empty();
        for write in writes {
            if let Write::Push(list, _) = write
                && !alone
                && !self.lists.contains(list)
            {
                let mut commands = Pipeline::new();
                commands.cmd("WATCH").arg(self.adapter.name(list)).cmd("TYPE").arg(self.adapter.name(list));
                let kind = self.watch([list], &commands, SHORT).map_err(|trouble| trouble.about(list))?.pop();
                self.note(list, kind)?;
            }
        }
        Ok(())
    }

    fn watch<'k>(
        &mut self,
        keys: impl IntoIterator<Item = &'k Key>,
        commands: &Pipeline,
        most: usize,
    ) -> Result<Vec<Reply>, Trouble> {
        let names: Vec<_> = keys.into_iter().map(|key| self.adapter.name(key)).collect();
        self.connection.confirm(&names, self.wait)?;
        self.connection.set_watching(true);
        self.connection.ask(commands, most, self.wait)
    }

    fn note(&mut self, list: &Key, kind: Option<Reply>) -> Result<(), Trouble> {
        match kind {
            Some(Reply::Status(kind)) if kind == "list" || kind == "none" => {
                self.lists.insert(list.clone());
                Ok(())
            }
            _ => Err(Trouble::Ended(foreign(&self.adapter.at(), Some(list)))),
        }
    }
}

/// Whether this is what a server answers that has made the write.
fn is_answer((write, answer): (&Write, &Reply)) -> bool {
    match (write, answer) {
        (Write::Set(..), Reply::Status(status)) => status == "OK",
        (Write::Push(..) | Write::Del(_), Reply::Int(count)) => *count >= i64::from(matches!(write, Write::Push(..))),
        _ => false,
    }
}

fn misunderstood(command: &str) -> Trouble {
    Trouble::NoRedis { is_sent: true, cause: format!("{command} was answered with something else") }
}
