//! The adapter `redis`: a Redis server, which several machines may share.
//!
//! A key is the prefix followed by the specification's key; a value is a JSON string, and a list is a list of them. A
//! change of a scope is one transaction over watched keys, so it is atomic and based on exactly what was read. Its
//! durability depends on the server: with `appendfsync always`, an acknowledged change survives a crash of its machine;
//! otherwise the last second may be lost, as may unreplicated changes after a failover.
//!
//! Connections are opened on demand and reused by later calls of the process. A broken one is reopened, with back-off,
//! until the call's deadline. Redis 6.0.6 or later is required.

mod change;
mod connection;
mod failure;
mod reply;
mod server;
mod stream;
mod tls;

use std::collections::BTreeSet;
use std::fmt;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use once_cell::race::OnceBox;
use redis::{Pipeline, Value, from_redis_value};
use rustls::ClientConfig;

use super::super::adapter::{Adapter, Decide, Keep, Write, damaged, keep_if_readable, keys_of};
use super::super::key::{Key, Scope};
use super::back_off;
use crate::disk::{Json, PerProcess, WaitOptions};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::mutex::lock;

use change::{Change, DecideFn};
use connection::{Connection, LIST, VALUE};
use failure::{Failure, Reaction, foreign_node, too_large};
use server::{Node, Redirect, Server, without_password};
use stream::{ServerWait, Stream};

/// How many idle connections a process keeps.
const KEPT: usize = 16;
/// How many redirects a call follows without a pause.
const MOVES: usize = 3;
/// The number of keys that each SCAN asks for.
const LISTED: usize = 1000;

/// An adapter over a Redis server.
pub struct RedisAdapter {
    home: Home,
    server: Arc<Server>,
    /// Whether a connection has succeeded: the server then is assumed to come back.
    has_connected: AtomicBool,
    pool: PerProcess<Mutex<Pool>>,
    /// The TLS configuration, once loaded.
    settings: PerProcess<OnceBox<Arc<ClientConfig>>>,
}

/// A process's connections to the server.
#[derive(Default)]
struct Pool {
    idle: Vec<Connection>,
    /// The node that has our keys, if the URL's node redirected us.
    moved_to: Option<Node>,
    /// The addresses of the URL's host at the last connection.
    addresses: Vec<IpAddr>,
}

/// The scopes of a server.
#[derive(Default)]
struct Listing {
    scopes: BTreeSet<Scope>,
    /// The size of the names so far: a hostile server could list forever.
    bytes: usize,
}

/// One attempt of a call, on a connection that no other call uses.
type Attempt<'a, T> = dyn FnMut(&mut Connection, &ServerWait<'_>) -> Result<T, Failure> + 'a;

impl RedisAdapter {
    /// An adapter for the server at this URL. It does not connect yet.
    ///
    /// # Errors
    /// `ValidationError` for an invalid URL.
    pub fn new(home: Home, url: &str) -> Result<Self> {
        let server = Arc::new(Server::parse(url, &home.config().redis_hosts)?);
        let (has_connected, pool, settings) = (AtomicBool::new(false), PerProcess::default(), PerProcess::default());
        Ok(RedisAdapter { home, server, has_connected, pool, settings })
    }

    /// The key's name on the server.
    fn name(&self, key: &Key) -> String {
        format!("{}{key}", self.home.config().redis_prefix)
    }

    /// The node that has our keys, as far as is known.
    fn node(&self) -> Node {
        self.pool().moved_to.clone().unwrap_or_else(|| self.server.node.clone())
    }

    /// Sets the node that has our keys; `None` for the URL's. Idle connections are closed.
    fn set_node(&self, node: Option<Node>) {
        let mut pool = self.pool();
        pool.idle.clear();
        pool.moved_to = node;
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        // Fields are set in single steps, so the pool is consistent after a panic.
        lock(self.pool.get())
    }

    /// Adds a write to the pipeline.
    fn add(&self, commands: &mut Pipeline, write: &Write) {
        match write {
            Write::Set(key, value) => commands.cmd("SET").arg(self.name(key)).arg(value.json().get()),
            Write::Push(key, item) => commands.cmd("RPUSH").arg(self.name(key)).arg(item.json().get()),
            Write::Del(key) => commands.cmd("DEL").arg(self.name(key)),
        };
    }

    /// Retries until the attempt succeeds, fails for good, or the deadline passes. Errors never contain the password,
    /// whatever the server says.
    fn trying<T>(&self, wait: &WaitOptions, attempt: &mut Attempt<'_, T>) -> Result<T> {
        let hidden = |text: &str| without_password(text, self.server.password());
        self.until_done(wait, attempt).map_err(|error| error.scrubbed(hidden))
    }

    fn until_done<T>(&self, wait: &WaitOptions, attempt: &mut Attempt<'_, T>) -> Result<T> {
        let wait = ServerWait::new(&self.home, wait);
        wait.deadline.begin()?;
        // The node to which the keys are being migrated, after an ASK redirect to it.
        let (mut moves, mut back_off, mut asked) = (0, back_off(), None);
        loop {
            let node = self.node();
            let failure = match self.once(&node, asked.as_ref(), &wait, attempt) {
                Ok(done) => return Ok(done),
                Err(failure) => failure,
            };
            let asked_before = asked.take();
            match failure.reaction {
                Reaction::Fail => return Err(failure.error),
                Reaction::Retry => {}
                Reaction::Follow { details, is_asking } => {
                    let (from, addresses) = (asked_before.as_ref().unwrap_or(&node), self.pool().addresses.clone());
                    match self.server.redirect(&details, from, &addresses) {
                        Redirect::Foreign(host) => return Err(foreign_node(&self.server.at(from), &host)),
                        Redirect::Nowhere => return Err(failure.error),
                        // The target of the migration does not serve the keys yet.
                        Redirect::To(_) if asked_before.is_some() => {}
                        Redirect::To(to) if is_asking => {
                            asked = Some(to);
                            continue;
                        }
                        Redirect::To(to) => {
                            self.set_node(Some(to));
                            moves += 1;
                            if moves <= MOVES {
                                continue;
                            }
                        }
                    }
                }
            }
            if back_off.pause(&wait.deadline)? || wait.is_over()? {
                return Err(failure.error);
            }
        }
    }

    /// One attempt at `node`, or at `asked`, to which its keys are being migrated.
    fn once<T>(
        &self,
        node: &Node,
        asked: Option<&Node>,
        wait: &ServerWait<'_>,
        attempt: &mut Attempt<'_, T>,
    ) -> Result<T, Failure> {
        let is_usable = |connection: &Connection| connection.node == *node && connection.stream.is_open();
        let kept = std::iter::from_fn(|| self.pool().idle.pop()).find(is_usable);
        // The node may have been replaced if it fails; the URL's node knows.
        let connect = |node| self.connect(node, wait).inspect_err(|_| self.set_node(None));
        let mut connection = kept.map_or_else(|| connect(node), Ok)?;
        if let Some(asked) = asked {
            let source = std::mem::replace(&mut connection, connect(asked)?);
            connection.source = Some(Box::new(source));
        }
        let done = attempt(&mut connection, wait);
        connection.unwatch(wait);
        if connection.is_broken {
            self.set_node(None);
        }
        let connection = connection.into_kept();
        let mut pool = self.pool();
        let is_current = pool.moved_to.as_ref().unwrap_or(&self.server.node) == &connection.node;
        if is_current && pool.idle.len() < KEPT && !connection.is_broken {
            pool.idle.push(connection);
        }
        done
    }

    fn connect(&self, node: &Node, wait: &ServerWait<'_>) -> Result<Connection, Failure> {
        let at = self.server.at(node);
        wait.set_server(&at);
        let settings = if self.server.is_secure { Some(self.settings()?) } else { None };
        let (stream, addresses) = Stream::open(node, wait).map_err(|cause| match cause.downcast::<Error>() {
            Ok(ended) => ended.into(),
            Err(cause) if self.has_connected.load(Ordering::Relaxed) => {
                Failure::unreached(&at, wait.millis(), &cause.to_string())
            }
            Err(cause) => {
                let message = format!("nothing is listening at {at}; start the Redis server or correct the URL");
                Error::new(ErrorKind::Adapter, message).because(cause).mark_retryable().into()
            }
        })?;
        let connection = Connection::open(&self.server, node, stream, settings, wait)?;
        self.has_connected.store(true, Ordering::Relaxed);
        if *node == self.server.node {
            self.pool().addresses = addresses;
        }
        Ok(connection)
    }

    fn settings(&self) -> Result<&Arc<ClientConfig>> {
        let settings = self.settings.get();
        match settings.get() {
            Some(settings) => Ok(settings),
            None => tls::settings(&self.home).map(|read| settings.get_or_init(|| Box::new(read))),
        }
    }

    /// Collects the scopes that have keys on a node. A cluster's node lists only its own keys, and redirects only when
    /// asked for another's key (`asks`).
    fn list_scopes(
        &self,
        connection: &mut Connection,
        asks: bool,
        listing: &mut Listing,
        wait: &ServerWait<'_>,
    ) -> Result<(), Failure> {
        let prefix = &self.home.config().redis_prefix;
        let is_special = |sign: &char| matches!(sign, '*' | '?' | '[' | ']' | '\\');
        let escaped = prefix.chars().flat_map(|sign| is_special(&sign).then_some('\\').into_iter().chain([sign]));
        let (pattern, mut cursor) = (escaped.chain(['*']).collect::<String>(), 0);
        loop {
            wait.check()?;
            let mut commands = Pipeline::new();
            if asks {
                commands.cmd("EXISTS").arg(prefix);
            }
            commands.cmd("SCAN").arg(cursor).arg("MATCH").arg(&pattern).arg("COUNT").arg(LISTED);
            let answer = connection.ask(&commands, None, VALUE, wait)?.pop().unwrap_or(Value::Nil);
            let Ok((next, names)) = from_redis_value::<(u64, Vec<Vec<u8>>)>(answer) else {
                return Err(connection.unexpected("SCAN", false));
            };
            listing.bytes += names.iter().map(|name| name.len() + size_of::<Scope>()).sum::<usize>();
            if listing.bytes > LIST {
                return Err(too_large(&connection.at, LIST).into());
            }
            let names = names.iter().filter_map(|name| std::str::from_utf8(name).ok()?.strip_prefix(&**prefix));
            // Checkpoints count only if they are listed.
            let keys = names.filter_map(Key::parse).filter(|key| !matches!(key, Key::Checkpoint(..)));
            listing.scopes.extend(keys.map(|key| key.scope().clone()));
            if next == 0 {
                return Ok(());
            }
            cursor = next;
        }
    }

    /// Reads with one command.
    fn ask(&self, wait: &WaitOptions, key: &Key, commands: &Pipeline, most: usize) -> Result<Value> {
        let answers = self.trying(wait, &mut |connection, wait| connection.ask(commands, Some(key), most, wait));
        Ok(answers.map_err(|error| error.about(key.to_string()))?.pop().unwrap_or(Value::Nil))
    }

    /// Reads, decides and writes atomically; returns the server's answer to each write.
    fn change(&self, wait: &WaitOptions, trail: Option<Key>, decide: &mut DecideFn<'_>) -> Result<Vec<Value>> {
        let mut change = Change { adapter: self, trail, decide, unconfirmed: Vec::new() };
        let done = self.trying(wait, &mut |connection, wait| change.attempt(connection, wait));
        match done {
            Err(error) if !change.unconfirmed.is_empty() => {
                let message = format!(
                    "the Redis server {} did not confirm the change; it may have been stored, so check before trying again",
                    self.server.at(&self.node())
                );
                // Not retryable: an entry that is added again is stored twice.
                Err(Error::new(ErrorKind::Adapter, message).because(format_args!("{error:#}")).maybe_stored())
            }
            done => done,
        }
    }
}

impl Adapter for RedisAdapter {
    fn name(&self) -> &'static str {
        "redis"
    }

    fn get(&self, wait: &WaitOptions, key: &Key) -> Result<Option<Json>> {
        let mut commands = Pipeline::new();
        commands.cmd("GET").arg(self.name(key));
        json(key, self.ask(wait, key, &commands, VALUE)?)
    }

    fn write(&self, wait: &WaitOptions, write: Write) -> Result<()> {
        let written = self.change(wait, None, &mut |_| Ok(vec![write.clone()]));
        written.map(drop).map_err(|error| error.about(write.key().to_string()))
    }

    fn list(&self, wait: &WaitOptions, key: &Key, limit: Option<usize>) -> Result<Vec<Json>> {
        let first = match limit.map(i64::try_from) {
            Some(Ok(0)) => return Ok(Vec::new()),
            Some(Ok(limit)) => -limit,
            None | Some(Err(_)) => 0,
        };
        let mut commands = Pipeline::new();
        commands.cmd("LRANGE").arg(self.name(key)).arg(first).arg(-1);
        match self.ask(wait, key, &commands, LIST)? {
            Value::Array(items) => items
                .into_iter()
                .map(|item| json(key, item)?.ok_or_else(|| damaged(key, "is not a list of JSON")))
                .collect(),
            _ => Err(damaged(key, "is not a list")),
        }
    }

    fn update(&self, wait: &WaitOptions, scope: &Scope, mut decide: Decide) -> Result<()> {
        let changed = self.change(wait, Some(Key::Trail(scope.clone())), &mut *decide);
        changed.map(drop).map_err(|error| error.about(scope.as_str()))
    }

    fn scopes(&self, wait: &WaitOptions) -> Result<BTreeSet<Scope>> {
        self.trying(wait, &mut |connection, wait| {
            let mut listing = Listing::default();
            // During a migration, the source is listed first, so that no key is missed.
            if let Some(source) = &mut connection.source {
                self.list_scopes(source, false, &mut listing, wait)?;
                self.list_scopes(connection, false, &mut listing, wait)?;
                // If the migration is still in progress, the list is complete.
                connection.confirm(std::slice::from_ref(&self.home.config().redis_prefix), wait)?;
            } else {
                self.list_scopes(connection, true, &mut listing, wait)?;
            }
            Ok(listing.scopes)
        })
    }

    fn delete(&self, wait: &WaitOptions, scope: &Scope, keep: &mut Keep<'_>) -> Result<bool> {
        let deleted = self.change(wait, None, &mut |read| {
            keep_if_readable(read(&Key::Context(scope.clone())), keep)?;
            Ok(keys_of(scope, read)?.into_iter().map(Write::Del).collect())
        });
        // The answers are empty if an unconfirmed attempt turns out to have been applied.
        let counts = deleted.map_err(|error| error.about(Key::Checkpoints(scope.clone()).to_string()))?;
        Ok(counts.is_empty() || counts.iter().any(|count| *count != Value::Int(0)))
    }
}

impl fmt::Debug for RedisAdapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisAdapter").field("server", &self.server).finish_non_exhaustive()
    }
}

/// The JSON in an answer; `None` for nil.
fn json(key: &Key, answer: Value) -> Result<Option<Json>> {
    match answer {
        Value::Nil => Ok(None),
        Value::BulkString(bytes) => match String::from_utf8(bytes) {
            Ok(text) => super::json(key, text).map(Some),
            Err(_) => Err(damaged(key, "is not JSON")),
        },
        _ => Err(damaged(key, "is not a string")),
    }
}
