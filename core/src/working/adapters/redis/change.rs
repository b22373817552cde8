//! A change on a Redis server: an optimistic transaction that watches the keys that were read (WATCH, MULTI, EXEC).
//!
//! If the connection breaks before the server confirms the writes, the next attempt finds out whether they were
//! applied: a pushed item has a unique id and is in its list or not. The change is repeated only if the first attempt
//! can no longer be applied, because it watched a key that the second one writes.

use std::collections::{HashMap, HashSet};

use redis::Pipeline;

use super::super::super::adapter::Write;
use super::super::super::key::Key;
use super::super::super::stored::Read;
use super::connection::{Connection, SHORT, VALUE};
use super::failure::{Failure, first_error, foreign_key};
use super::reply::Reply;
use super::wait::ServerWait;
use super::{RedisAdapter, json};
use crate::disk::Json;
use crate::error::{Error, ErrorKind, Result};

/// The callback that decides on a change.
pub(super) type DecideFn<'d> = dyn FnMut(&mut Read<'_>) -> Result<Vec<Write>> + 'd;

/// An attempt whose writes may have been applied.
struct Unconfirmed {
    seen: HashMap<Key, Option<Json>>,
    writes: Vec<Write>,
}

/// A change, from its first attempt to its last.
pub(super) struct Change<'c> {
    adapter: &'c RedisAdapter,
    /// The list that will probably be written as well.
    trail: Option<Key>,
    decide: &'c mut DecideFn<'c>,
    unconfirmed: Vec<Unconfirmed>,
}

impl<'c> Change<'c> {
    pub(super) fn new(adapter: &'c RedisAdapter, trail: Option<Key>, decide: &'c mut DecideFn<'c>) -> Self {
        Change { adapter, trail, decide, unconfirmed: Vec::new() }
    }

    /// Whether there are writes that may have been applied.
    pub(super) fn is_unconfirmed(&self) -> bool {
        !self.unconfirmed.is_empty()
    }

    /// One attempt: reads, decides and writes. Returns the server's answer to each write, or an empty list if an
    /// earlier attempt was applied.
    pub(super) fn attempt(
        &mut self,
        connection: &mut Connection,
        wait: &ServerWait<'_>,
    ) -> Result<Vec<Reply>, Failure> {
        if self.settle(connection, wait)? {
            return Ok(Vec::new());
        }
        let (seen, lists) = (HashMap::new(), HashSet::new());
        let mut reads = WatchedReads { adapter: self.adapter, connection, wait, seen, lists };
        let (mut failure, mut next_list) = (None, self.trail.as_ref());
        let decided = (self.decide)(&mut |key| {
            reads.read(key, next_list.take()).map_err(|met| {
                // This failure is returned, not the error that the decision makes of it.
                failure = Some(met);
                Error::new(ErrorKind::Adapter, "reading from Redis failed")
            })
        });
        let writes = match (decided, failure) {
            (_, Some(failure)) => return Err(failure),
            (Err(refused), None) => return Err(Failure::Final(refused)),
            (Ok(writes), None) => writes,
        };
        if writes.is_empty() {
            return Ok(Vec::new());
        }
        reads.check(&writes)?;
        let seen = reads.seen;
        match self.write(connection, wait, &writes) {
            Err(failure) => {
                if failure.is_sent() {
                    self.unconfirmed.push(Unconfirmed { seen, writes });
                }
                Err(failure)
            }
            written => written,
        }
    }

    /// Performs the writes. A single one needs no transaction, unless it depends on what was read.
    fn write(
        &self,
        connection: &mut Connection,
        wait: &ServerWait<'_>,
        writes: &[Write],
    ) -> Result<Vec<Reply>, Failure> {
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
        // In a transaction, the first answer is MULTI's.
        let key_of =
            |place: usize| writes.get(place.saturating_sub(usize::from(!is_single))).map(|it| it.key().clone());
        if let Some((place, reply)) = first_error(&answers) {
            let is_refused = |answer: &Reply| matches!(answer, Reply::Error(_));
            let (transaction, made) = answers.split_at(usize::from(!is_single));
            let made = made.get(..writes.len()).unwrap_or_default();
            if transaction.iter().any(is_refused) && !made.iter().all(is_refused) {
                // Without a transaction, the writes were applied one by one.
                let message = "Redis rejected a transaction and may have stored part of the change; check what is \
                               stored before trying again, and use a server that supports MULTI";
                let error = Error::new(ErrorKind::Adapter, message).because(self.adapter.server_message(reply));
                return Err(Failure::Final(error.maybe_stored()));
            }
            return Err(Failure::Rejected(reply.clone(), key_of(place)));
        }
        let is_applied = |done: &[Reply]| done.len() == writes.len() && writes.iter().zip(done).all(is_answer);
        if is_single {
            return if is_applied(&answers) { Ok(answers) } else { Err(unexpected("a write")) };
        }
        connection.set_watching(false);
        match answers.pop() {
            Some(Reply::Nil) => Err(Failure::Conflict),
            Some(Reply::List(done)) => match first_error(&done) {
                None if is_applied(&done) => Ok(done),
                None => Err(unexpected("EXEC")),
                Some((place, reply)) => {
                    let message = "Redis rejected part of a change and may have stored the rest";
                    let error = Error::new(ErrorKind::Adapter, message)
                        .because(self.adapter.server_message(reply))
                        .maybe_stored();
                    Err(Failure::Final(match writes.get(place) {
                        Some(write) => error.about(write.key().to_string()),
                        None => error,
                    }))
                }
            },
            _ => Err(unexpected("EXEC")),
        }
    }

    /// Resolves unconfirmed attempts: returns whether the last one was applied. From here on, none of the others can be
    /// applied, provided that this attempt writes a key that they watched.
    fn settle(&mut self, connection: &mut Connection, wait: &ServerWait<'_>) -> Result<bool, Failure> {
        let count = self.unconfirmed.len();
        for (place, attempt) in self.unconfirmed.iter().enumerate() {
            let watched = attempt.seen.keys().chain(attempt.writes.iter().map(Write::key));
            let watched: Vec<_> = watched.map(|key| self.adapter.name(key)).collect();
            connection.confirm(&watched, wait)?;
            let mut commands = Pipeline::new();
            commands.cmd("WATCH").arg(watched);
            connection.set_watching(true);
            connection.ask(&commands, SHORT, wait)?;
            match self.was_applied(attempt, connection, wait)? {
                // The caller gets the result of the last attempt's decision.
                Some(true) if place + 1 == count => {
                    self.unconfirmed.clear();
                    return Ok(true);
                }
                Some(false) if attempt.is_fenced() => {}
                _ => {
                    return Err(Failure::Final(Error::new(
                        ErrorKind::Adapter,
                        "the stored data does not show whether the change was applied",
                    )));
                }
            }
        }
        Ok(false)
    }

    /// Whether the writes were applied; `None` if this is unknown because of concurrent writes.
    fn was_applied(
        &self,
        attempt: &Unconfirmed,
        connection: &mut Connection,
        wait: &ServerWait<'_>,
    ) -> Result<Option<bool>, Failure> {
        let mut commands = Pipeline::new();
        if let Some((list, item)) = attempt.writes.iter().find_map(|write| match write {
            Write::Push(list, item) => Some((list, item)),
            _ => None,
        }) {
            commands.cmd("LPOS").arg(self.adapter.name(list)).arg(item.json().get()).arg("RANK").arg(-1);
            let answers = connection.ask(&commands, SHORT, wait).map_err(|failure| failure.about(list))?;
            return Ok(Some(!matches!(answers.first(), Some(Reply::Nil))));
        }
        for write in &attempt.writes {
            let what = if matches!(write, Write::Del(_)) { "EXISTS" } else { "GET" };
            commands.cmd(what).arg(self.adapter.name(write.key()));
        }
        let seen: Vec<_> = attempt.seen.iter().collect();
        for (key, _) in &seen {
            commands.cmd("GET").arg(self.adapter.name(key));
        }
        let values = attempt.writes.iter().filter(|write| !matches!(write, Write::Del(_))).count() + seen.len();
        let most = values.saturating_mul(VALUE).saturating_add(SHORT + attempt.writes.len() * size_of::<Reply>());
        let answers = connection.ask(&commands, most, wait)?;
        let (after, before) = answers.split_at(attempt.writes.len().min(answers.len()));
        let is = |answer: &Reply, json: &str| matches!(answer, Reply::Bytes(bytes) if bytes == json.as_bytes());
        let is_written = after.iter().zip(&attempt.writes).all(|(answer, write)| match write {
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

impl Unconfirmed {
    /// Whether another write to its keys prevents it from being applied.
    fn is_fenced(&self) -> bool {
        self.writes.iter().any(|write| self.seen.contains_key(write.key()))
    }
}

/// The reads for a decision; their keys are watched.
struct WatchedReads<'l> {
    adapter: &'l RedisAdapter,
    connection: &'l mut Connection,
    wait: &'l ServerWait<'l>,
    seen: HashMap<Key, Option<Json>>,
    /// Keys that are lists or do not exist.
    lists: HashSet<Key>,
}

impl WatchedReads<'_> {
    /// Reads the value under `key`; in the same round trip, checks the type of the list that will be written.
    fn read(&mut self, key: &Key, list: Option<&Key>) -> Result<Option<Json>, Failure> {
        let mut commands = Pipeline::new();
        commands.cmd("WATCH").arg(self.adapter.name(key));
        list.map(|list| commands.arg(self.adapter.name(list)));
        commands.cmd("GET").arg(self.adapter.name(key));
        list.map(|list| commands.cmd("TYPE").arg(self.adapter.name(list)));
        let keys = std::iter::once(key).chain(list);
        let mut answers = self.watch(keys, &commands, VALUE).map_err(|failure| failure.about(key))?.into_iter().skip(1);
        let value = answers.next().map_or(Ok(None), |answer| json(key, answer)).map_err(Failure::Final)?;
        if let Some(list) = list {
            self.note(list, answers.next())?;
        }
        self.seen.insert(key.clone(), value.clone());
        Ok(value)
    }

    /// Checks that the keys to push to are lists: a Redis transaction continues after a command that fails.
    fn check(&mut self, writes: &[Write]) -> Result<(), Failure> {
        let alone = writes.len() == 1 && self.seen.is_empty();
        for write in writes {
            if let Write::Push(list, _) = write
                && !alone
                && !self.lists.contains(list)
            {
                let mut commands = Pipeline::new();
                commands.cmd("WATCH").arg(self.adapter.name(list)).cmd("TYPE").arg(self.adapter.name(list));
                let kind = self.watch([list], &commands, SHORT).map_err(|failure| failure.about(list))?.pop();
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
    ) -> Result<Vec<Reply>, Failure> {
        let names: Vec<_> = keys.into_iter().map(|key| self.adapter.name(key)).collect();
        self.connection.confirm(&names, self.wait)?;
        self.connection.set_watching(true);
        self.connection.ask(commands, most, self.wait)
    }

    fn note(&mut self, list: &Key, kind: Option<Reply>) -> Result<(), Failure> {
        match kind {
            Some(Reply::Status(kind)) if kind == "list" || kind == "none" => {
                self.lists.insert(list.clone());
                Ok(())
            }
            _ => Err(Failure::Final(foreign_key(&self.adapter.at(), Some(list)))),
        }
    }
}

/// Whether this answer confirms the write.
fn is_answer((write, answer): (&Write, &Reply)) -> bool {
    match (write, answer) {
        (Write::Set(..), Reply::Status(status)) => status == "OK",
        (Write::Push(..) | Write::Del(_), Reply::Int(count)) => *count >= i64::from(matches!(write, Write::Push(..))),
        _ => false,
    }
}

fn unexpected(command: &str) -> Failure {
    Failure::NotRedis { is_sent: true, cause: format!("unexpected answer to {command}") }
}
