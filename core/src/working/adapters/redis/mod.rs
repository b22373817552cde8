//! On a Redis server, which several machines may share.
//!
//! A key is the prefix and the specification's key; a value is a string of JSON, and a list is a list of them. A change
//! of a scope is one transaction over keys that were watched, so it is made wholly or not at all, and on nothing but what
//! it has read. How durable it is then, is for the server to say: with `appendfsync always` an acknowledged change
//! survives a crash of its machine; otherwise the last second may be lost, and after a failover what was not replicated.
//!
//! Connections are made when they are needed and kept for the next call of the process. One that breaks is made anew,
//! with back-off, until the call's time is over. Redis 6.0.6 is needed at least.

mod change;
mod connection;
mod refusal;
mod server;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use redis::{Pipeline, ServerError, Value};
use serde_json::value::RawValue;

use super::super::adapter::{Adapter, Decide, Json, SealedJson, Write, damaged, keys_of};
use super::super::key::{Key, Scope};
use super::BackOff;
use crate::disk::{Patience, PerProcess, Wait};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;

use change::{Change, Deciding};
use connection::Connection;
use refusal::{Remedy, Trouble};
use server::{Node, Server};

/// How many idle connections a process keeps.
const KEPT: usize = 16;
/// How often a call follows keys from node to node.
const MOVES: usize = 3;
/// How many keys are listed at a time.
const LISTED: usize = 1000;

/// What a Redis server keeps.
pub struct RedisAdapter {
    home: Home,
    server: Server,
    pool: PerProcess<Mutex<Pool>>,
}

/// What a process has of the server.
#[derive(Default)]
struct Pool {
    idle: Vec<Connection>,
    /// The node that keeps our keys, where the one of the URL said that it does not.
    moved_to: Option<Node>,
}

impl RedisAdapter {
    /// The server of this URL. Nothing is connected yet.
    ///
    /// # Errors
    /// `ValidationError` for a URL that cannot be read.
    pub fn new(home: Home, url: &str) -> Result<Self> {
        Ok(RedisAdapter { home, server: Server::parse(url)?, pool: PerProcess::default() })
    }

    /// The key's name on the server.
    fn name(&self, key: &Key) -> String {
        format!("{}{key}", self.home.config().redis_prefix)
    }

    /// The server as errors name it.
    fn at(&self) -> String {
        let node = self.pool().moved_to.clone();
        self.server.at(node.as_ref().unwrap_or(&self.server.node))
    }

    fn words(&self, refusal: &ServerError) -> String {
        refusal::words(&self.server, refusal)
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        // What it holds is set in one step.
        self.pool.get().lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a write to what is sent.
    fn add(&self, commands: &mut Pipeline, write: &Write) {
        match write {
            Write::Set(key, value) => commands.cmd("SET").arg(self.name(key)).arg(value.json().get()),
            Write::Push(key, item) => commands.cmd("RPUSH").arg(self.name(key)).arg(item.json().get()),
            Write::Del(key) => commands.cmd("DEL").arg(self.name(key)),
        };
    }

    /// Tries until it is done, cannot be done, or the time is over.
    fn trying<T>(
        &self,
        wait: &Wait,
        mut attempt: impl FnMut(&mut Connection, &Patience<'_>) -> Result<T, Trouble>,
    ) -> Result<T> {
        let patience = self.home.disk().patience(wait, self.home.config().adapter_timeout);
        patience.begin()?;
        let (mut moves, mut back_off) = (0, BackOff::default());
        loop {
            let node = self.pool().moved_to.clone().unwrap_or_else(|| self.server.node.clone());
            let at = self.server.at(&node);
            let trouble = match self.once(&node, &patience, &mut attempt) {
                Ok(done) => return Ok(done),
                Err(trouble) => trouble,
            };
            let given_up = match trouble {
                Trouble::Ended(error) => return Err(error),
                Trouble::Late { .. } => return Err(too_late(&at, &patience)),
                Trouble::NoRedis(cause) => {
                    let message = format!("what answers at {at} is no Redis server; mend the URL");
                    return Err(Error::new(ErrorKind::Adapter, message).because(cause));
                }
                Trouble::Lost { cause, .. } => {
                    // The node may be gone, and another one in its place: the first one knows.
                    self.set_node(None);
                    let message = format!(
                        "the Redis server {at} could not be reached within {} ms; see that it runs and that the URL is right",
                        patience.timeout.as_millis()
                    );
                    Error::new(ErrorKind::Adapter, message).because(cause).to_be_retried()
                }
                Trouble::Conflict => {
                    let message = format!(
                        "other writers changed the scope again and again for {} ms; try again with back-off",
                        patience.timeout.as_millis()
                    );
                    Error::new(ErrorKind::Conflict, message).to_be_retried()
                }
                Trouble::Refused(refusal, key) => {
                    let told = refusal::told(&self.server, &at, &refusal, key.as_ref());
                    match Remedy::of(&refusal, &node) {
                        Remedy::Move(node) if moves < MOVES => {
                            moves += 1;
                            self.set_node(Some(node));
                            continue;
                        }
                        Remedy::Wait => told,
                        _ => {
                            // Connections to a primary that became a replica would stay with it for ever.
                            self.pool().idle.clear();
                            return Err(told);
                        }
                    }
                }
            };
            if back_off.pause(&patience)? {
                return Err(given_up);
            }
        }
    }

    /// One attempt, on a connection of its own.
    fn once<T>(
        &self,
        node: &Node,
        patience: &Patience<'_>,
        attempt: &mut impl FnMut(&mut Connection, &Patience<'_>) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        let kept = std::iter::from_fn(|| self.pool().idle.pop()).find(Connection::is_open);
        let mut connection = match kept {
            Some(connection) => connection,
            None => Connection::open(&self.server, node, patience)?,
        };
        let done = attempt(&mut connection, patience);
        connection.unwatch(patience);
        let mut pool = self.pool();
        if pool.moved_to.as_ref().unwrap_or(&self.server.node) == &connection.node
            && pool.idle.len() < KEPT
            && connection.is_whole()
        {
            pool.idle.push(connection);
        }
        done
    }

    /// From now on our keys are at this node, or where the URL says.
    fn set_node(&self, node: Option<Node>) {
        let mut pool = self.pool();
        if pool.moved_to != node {
            pool.idle.clear();
            pool.moved_to = node;
        }
    }

    /// Reads with one command.
    fn ask(&self, wait: &Wait, key: &Key, commands: &Pipeline) -> Result<Value> {
        let answers = self.trying(wait, |connection, patience| {
            connection.ask(commands, patience).map_err(|trouble| trouble.about(key))
        });
        Ok(answers.map_err(|error| error.about(key.to_string()))?.pop().unwrap_or(Value::Nil))
    }

    /// Reads, decides and writes as one; returns what the server answered to each write.
    fn change(&self, wait: &Wait, trail: Option<Key>, decide: &mut Deciding<'_>) -> Result<Vec<Value>> {
        let mut change = Change::new(self, trail, decide);
        let done = self.trying(wait, |connection, patience| change.attempt(connection, patience));
        match done {
            Err(error) if change.is_in_doubt() => {
                let message = format!(
                    "the Redis server {} was lost before it told whether it stored the change; it may have been stored, so \
                     look before trying again",
                    self.at()
                );
                let doubt = Error::new(ErrorKind::Adapter, message).because(error).to_be_retried();
                Err(doubt)
            }
            done => done,
        }
    }

    fn write(&self, wait: &Wait, write: impl Fn() -> Write) -> Result<()> {
        let key = write().key().clone();
        let written = self.change(wait, None, &mut |_| Ok(vec![write()]));
        written.map(drop).map_err(|error| error.about(key.to_string()))
    }

    fn range(&self, wait: &Wait, key: &Key, first: i64) -> Result<Vec<Json>> {
        let mut commands = Pipeline::new();
        commands.cmd("LRANGE").arg(self.name(key)).arg(first).arg(-1);
        match self.ask(wait, key, &commands)? {
            Value::Array(items) => items
                .into_iter()
                .map(|item| json(key, item)?.ok_or_else(|| damaged(key, "is no list of JSON")))
                .collect(),
            _ => Err(damaged(key, "is no list")),
        }
    }
}

impl Adapter for RedisAdapter {
    fn get(&self, wait: &Wait, key: &Key) -> Result<Option<Json>> {
        let mut commands = Pipeline::new();
        commands.cmd("GET").arg(self.name(key));
        json(key, self.ask(wait, key, &commands)?)
    }

    fn set(&self, wait: &Wait, key: &Key, value: &SealedJson) -> Result<()> {
        self.write(wait, || Write::Set(key.clone(), value.clone()))
    }

    fn del(&self, wait: &Wait, key: &Key) -> Result<()> {
        self.write(wait, || Write::Del(key.clone()))
    }

    fn push(&self, wait: &Wait, key: &Key, item: &SealedJson) -> Result<()> {
        self.write(wait, || Write::Push(key.clone(), item.clone()))
    }

    fn get_list(&self, wait: &Wait, key: &Key) -> Result<Vec<Json>> {
        self.range(wait, key, 0)
    }

    fn tail(&self, wait: &Wait, key: &Key, most: usize) -> Result<Vec<Json>> {
        match i64::try_from(most) {
            Ok(0) => Ok(Vec::new()),
            Ok(most) => self.range(wait, key, -most),
            Err(_) => self.range(wait, key, 0),
        }
    }

    fn update(&self, wait: &Wait, scope: &Scope, mut decide: Decide) -> Result<()> {
        let changed = self.change(wait, Some(Key::Trail(scope.clone())), &mut *decide);
        changed.map(drop).map_err(|error| error.about(scope.as_str()))
    }

    fn scopes(&self, wait: &Wait) -> Result<Vec<Scope>> {
        let prefix = &self.home.config().redis_prefix;
        let pattern = format!("{}*", escaped(prefix));
        let scopes = self.trying(wait, |connection, patience| {
            let (mut scopes, mut cursor) = (BTreeSet::new(), "0".to_owned());
            loop {
                let mut commands = Pipeline::new();
                // A node of a cluster lists its own keys, and tells only when it is asked for one that it is another's.
                commands.cmd("EXISTS").arg(prefix);
                commands.cmd("SCAN").arg(&cursor).arg("MATCH").arg(&pattern).arg("COUNT").arg(LISTED);
                let answer = connection.ask(&commands, patience)?.pop();
                let (next, names): (String, Vec<Vec<u8>>) = answer
                    .and_then(|answer| redis::from_redis_value(answer).ok())
                    .ok_or_else(|| Trouble::NoRedis("SCAN was answered with something else".to_owned()))?;
                let names = names.iter().filter_map(|name| std::str::from_utf8(name).ok()?.strip_prefix(&**prefix));
                // What is listed under `checkpoints` counts.
                let keys = names.filter_map(Key::parse).filter(|key| !matches!(key, Key::Checkpoint(..)));
                scopes.extend(keys.map(|key| key.scope().clone()));
                if next == "0" {
                    return Ok(scopes);
                }
                cursor = next;
            }
        })?;
        Ok(scopes.into_iter().collect())
    }

    fn delete(&self, wait: &Wait, scope: &Scope) -> Result<bool> {
        let deleted =
            self.change(wait, None, &mut |read| Ok(keys_of(scope, read)?.into_iter().map(Write::Del).collect()));
        // Nothing is answered when an attempt of which nothing was known turns out to have been made.
        let counts = deleted.map_err(|error| error.about(Key::Checkpoints(scope.clone()).to_string()))?;
        Ok(counts.is_empty() || counts.iter().any(|count| *count != Value::Int(0)))
    }
}

impl fmt::Debug for RedisAdapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisAdapter").field("server", &self.server).finish_non_exhaustive()
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("idle", &self.idle.len()).field("moved_to", &self.moved_to).finish()
    }
}

fn too_late(at: &str, patience: &Patience<'_>) -> Error {
    let waited = patience.timeout.as_millis();
    let message = format!("the Redis server {at} did not answer within {waited} ms; try again with back-off");
    Error::new(ErrorKind::Adapter, message).to_be_retried()
}

/// What an answer holds; `None` for nothing.
fn json(key: &Key, answer: Value) -> Result<Option<Json>> {
    let bytes = match answer {
        Value::Nil => return Ok(None),
        Value::BulkString(bytes) => bytes,
        _ => return Err(damaged(key, "is no text")),
    };
    let text = String::from_utf8(bytes).map_err(|_| damaged(key, "is no JSON"))?;
    RawValue::from_string(text).map(|json| Some(json.into())).map_err(|_| damaged(key, "is no JSON"))
}

/// A prefix as a pattern that matches nothing else.
fn escaped(prefix: &str) -> String {
    let mut pattern = String::with_capacity(prefix.len());
    for sign in prefix.chars() {
        if matches!(sign, '*' | '?' | '[' | ']' | '\\') {
            pattern.push('\\');
        }
        pattern.push(sign);
    }
    pattern
}
