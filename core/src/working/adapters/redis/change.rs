//! A change on a Redis server: an optimistic transaction that watches the keys that were read (WATCH, MULTI, EXEC).
//!
//! If the connection breaks before the server confirms the writes, the next attempt finds out whether they were
//! applied: a pushed item has a unique id and is in its list or not. The change is repeated only if the first attempt
//! can no longer be applied, because it watched a key that the second one writes.

use std::collections::{HashMap, HashSet};

use redis::{Pipeline, ServerError, Value};

use super::super::super::adapter::{Read, Write};
use super::super::super::key::Key;
use super::connection::{Connection, SHORT, VALUE};
use super::failure::{Failure, first_error, foreign_key, server_message};
use super::stream::ServerWait;
use super::{RedisAdapter, json};
use crate::disk::Json;
use crate::error::{Error, ErrorKind, Result};

/// The callback that decides on a change.
pub(super) type DecideFn<'d> = dyn FnMut(&mut Read<'_>) -> Result<Vec<Write>> + 'd;

/// An attempt whose writes may have been applied.
pub(super) struct Unconfirmed {
    seen: HashMap<Key, Option<Json>>,
    writes: Vec<Write>,
}

/// A change, from its first attempt to its last.
pub(super) struct Change<'c> {
    pub(super) adapter: &'c RedisAdapter,
    /// The list that will probably be written as well.
    pub(super) trail: Option<Key>,
    pub(super) decide: &'c mut DecideFn<'c>,
    /// The attempts whose writes may have been applied.
    pub(super) unconfirmed: Vec<Unconfirmed>,
}

impl Change<'_> {
    /// One attempt: reads, decides and writes. Returns the server's answer to each write, or an empty list if an
    /// earlier attempt was applied.
    pub(super) fn attempt(
        &mut self,
        connection: &mut Connection,
        wait: &ServerWait<'_>,
    ) -> Result<Vec<Value>, Failure> {
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
            (decided, None) => decided?,
        };
        if writes.is_empty() {
            return Ok(Vec::new());
        }
        reads.check(&writes)?;
        let seen = reads.seen;
        let written = self.write(connection, wait, &writes);
        if written.as_ref().is_err_and(|failure| failure.is_sent) {
            self.unconfirmed.push(Unconfirmed { seen, writes });
        }
        written
    }

    /// Performs the writes. A single one needs no transaction, unless it depends on what was read.
    fn write(
        &self,
        connection: &mut Connection,
        wait: &ServerWait<'_>,
        writes: &[Write],
    ) -> Result<Vec<Value>, Failure> {
        // In a transaction, the first answer is MULTI's.
        let before = usize::from(writes.len() > 1 || connection.is_watching);
        let mut commands = Pipeline::with_capacity(writes.len() + 2);
        if before == 1 {
            commands.cmd("MULTI");
        }
        writes.iter().for_each(|write| self.adapter.add(&mut commands, write));
        if before == 1 {
            commands.cmd("EXEC");
        }
        let names: Vec<_> = writes.iter().map(|write| self.adapter.name(write.key())).collect();
        connection.confirm(&names, wait)?;
        let mut answers = connection.write(&commands, wait)?;
        let partly_stored = |message: &str, reply: &ServerError| {
            let because = server_message(&self.adapter.server, reply);
            Error::new(ErrorKind::Adapter, message).because(because).maybe_stored()
        };
        if let Some((place, reply)) = first_error(&answers) {
            let is_refused = |answer: &Value| matches!(answer, Value::ServerError(_));
            let is_begun = !answers.first().is_some_and(is_refused);
            if before == 1 && !is_begun && !answers.iter().skip(1).take(writes.len()).all(is_refused) {
                // Without a transaction, the writes were applied one by one.
                let message = "Redis rejected a transaction and may have stored part of the change; check what is \
                               stored before trying again, and use a server that supports MULTI";
                return Err(partly_stored(message, reply).into());
            }
            let key = writes.get(place.saturating_sub(before)).map(Write::key);
            return Err(connection.rejected(reply, key));
        }
        let is_applied = |done: &[Value]| done.len() == writes.len() && writes.iter().zip(done).all(is_answer);
        if before == 0 {
            return if is_applied(&answers) { Ok(answers) } else { Err(connection.unexpected("a write", true)) };
        }
        connection.is_watching = false;
        match answers.pop() {
            Some(Value::Nil) => {
                let message = format!(
                    "the scope was changed concurrently on every attempt for {} ms; try again with back-off",
                    wait.millis()
                );
                Err(Failure::temporary(Error::new(ErrorKind::Conflict, message)))
            }
            Some(Value::Array(done)) if is_applied(&done) => Ok(done),
            Some(Value::Array(done)) => Err(match first_error(&done) {
                None => connection.unexpected("EXEC", true),
                Some((place, reply)) => {
                    let error = partly_stored("Redis rejected part of a change and may have stored the rest", reply);
                    writes.iter().skip(place).take(1).fold(error, |error, it| error.about(it.key().to_string())).into()
                }
            }),
            _ => Err(connection.unexpected("EXEC", true)),
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
            connection.is_watching = true;
            connection.ask(&commands, None, SHORT, wait)?;
            match self.was_applied(attempt, connection, wait)? {
                // The caller gets the result of the last attempt's decision.
                Some(true) if place + 1 == count => {
                    self.unconfirmed.clear();
                    return Ok(true);
                }
                // Another write to a key that it watched prevents it from being applied.
                Some(false) if attempt.writes.iter().any(|write| attempt.seen.contains_key(write.key())) => {}
                _ => {
                    let message = "the stored data does not show whether the change was applied";
                    return Err(Error::new(ErrorKind::Adapter, message).into());
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
            let answers = connection.ask(&commands, Some(list), SHORT, wait)?;
            return Ok(Some(!matches!(answers.first(), Some(Value::Nil))));
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
        let most = values.saturating_mul(VALUE).saturating_add(SHORT + attempt.writes.len() * size_of::<Value>());
        let answers = connection.ask(&commands, None, most, wait)?;
        let (after, before) = answers.split_at(attempt.writes.len().min(answers.len()));
        let is = |answer: &Value, json: &str| matches!(answer, Value::BulkString(bytes) if bytes == json.as_bytes());
        let is_written = after.iter().zip(&attempt.writes).all(|(answer, write)| match write {
            Write::Del(_) => *answer == Value::Int(0),
            Write::Set(_, json) | Write::Push(_, json) => is(answer, json.json().get()),
        });
        let is_as_before = before.iter().zip(&seen).all(|(answer, (_, value))| match value {
            Some(json) => is(answer, json.get()),
            None => *answer == Value::Nil,
        });
        Ok(match (is_written, is_as_before) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        })
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
        let mut answers = self.watch(key, list, &commands, VALUE)?.into_iter().skip(1);
        let value = answers.next().map_or(Ok(None), |answer| json(key, answer))?;
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
                let kind = self.watch(list, None, &commands, SHORT)?.pop();
                self.note(list, kind)?;
            }
        }
        Ok(())
    }

    fn watch(
        &mut self,
        key: &Key,
        list: Option<&Key>,
        commands: &Pipeline,
        most: usize,
    ) -> Result<Vec<Value>, Failure> {
        let names: Vec<_> = std::iter::once(key).chain(list).map(|key| self.adapter.name(key)).collect();
        self.connection.confirm(&names, self.wait)?;
        self.connection.is_watching = true;
        self.connection.ask(commands, Some(key), most, self.wait)
    }

    fn note(&mut self, list: &Key, kind: Option<Value>) -> Result<(), Failure> {
        match kind {
            Some(Value::SimpleString(kind)) if kind == "list" || kind == "none" => {
                self.lists.insert(list.clone());
                Ok(())
            }
            _ => Err(foreign_key(&self.connection.at, Some(list)).into()),
        }
    }
}

/// Whether this answer confirms the write.
fn is_answer((write, answer): (&Write, &Value)) -> bool {
    match (write, answer) {
        (Write::Set(..), Value::Okay) => true,
        (Write::Push(..) | Write::Del(_), Value::Int(count)) => *count >= i64::from(matches!(write, Write::Push(..))),
        _ => false,
    }
}
