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
mod link;
mod reply;
mod resolve;
mod server;
mod text;
mod tls;
mod wait;

use std::collections::BTreeSet;
use std::fmt;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use redis::Pipeline;
use rustls::ClientConfig;
use serde_json::value::RawValue;

use super::super::adapter::{Adapter, Decide, Write};
use super::super::key::{Key, Scope};
use super::super::stored::{damaged, keys_of};
use super::BackOff;
use crate::disk::{Json, PerProcess, WaitOptions};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::mutex::lock;

use change::{Change, DecideFn};
use connection::{Connection, LIST, VALUE};
use failure::{Failure, Reaction, foreign_node};
use reply::{ErrorReply, Reply};
use server::{Node, Redirect, Server};
use text::without_password;
use wait::{ServerWait, notice};

/// How many idle connections a process keeps.
const KEPT: usize = 16;
/// How many redirects a call follows without a pause.
const MOVES: usize = 3;
/// The number of keys that each SCAN asks for.
const LISTED: usize = 1000;

/// An adapter over a Redis server.
pub struct RedisAdapter {
    home: Home,
    server: Server,
    /// Whether a connection has succeeded: the server then is assumed to come back.
    has_connected: AtomicBool,
    pool: PerProcess<Mutex<Pool>>,
}

/// A process's connections to the server.
#[derive(Default)]
struct Pool {
    idle: Vec<Connection>,
    /// The node that has our keys, if the URL's node redirected us.
    moved_to: Option<Node>,
    /// The addresses of the URL's host at the last connection.
    addresses: Vec<IpAddr>,
    /// The shared TLS configuration, once loaded.
    settings: Option<Arc<ClientConfig>>,
}

/// The nodes of an attempt.
struct Route {
    /// The node that has our keys.
    node: Node,
    /// The node to which they are being migrated, after an ASK redirect to it.
    asked: Option<Node>,
}

impl RedisAdapter {
    /// An adapter for the server at this URL. It does not connect yet.
    ///
    /// # Errors
    /// `ValidationError` for an invalid URL.
    pub fn new(home: Home, url: &str) -> Result<Self> {
        let server = Server::parse(url, &home.config().redis_hosts)?;
        Ok(RedisAdapter { home, server, has_connected: AtomicBool::new(false), pool: PerProcess::default() })
    }

    /// The key's name on the server.
    fn name(&self, key: &Key) -> String {
        format!("{}{key}", self.home.config().redis_prefix)
    }

    /// The server as errors name it.
    fn at(&self) -> String {
        self.server.at(&self.node())
    }

    /// The node that has our keys, as far as is known.
    fn node(&self) -> Node {
        self.pool().moved_to.clone().unwrap_or_else(|| self.server.node.clone())
    }

    fn server_message(&self, reply: &ErrorReply) -> String {
        failure::server_message(&self.server, reply)
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
    fn trying<T>(
        &self,
        wait: &WaitOptions,
        attempt: impl FnMut(&mut Connection, &ServerWait<'_>) -> Result<T, Failure>,
    ) -> Result<T> {
        let hidden = |text: &str| without_password(text, self.server.password());
        self.until_done(wait, attempt).map_err(|error| error.scrubbed(hidden))
    }

    fn until_done<T>(
        &self,
        wait: &WaitOptions,
        mut attempt: impl FnMut(&mut Connection, &ServerWait<'_>) -> Result<T, Failure>,
    ) -> Result<T> {
        let notice = notice();
        let wait = ServerWait::new(&self.home, wait, &notice);
        wait.deadline.begin()?;
        let (mut moves, mut back_off, mut asked) = (0, BackOff::default(), None);
        loop {
            let route = Route { node: self.node(), asked: asked.take() };
            let at = self.server.at(route.asked.as_ref().unwrap_or(&route.node));
            let failure = match self.once(&route, &wait, &mut attempt) {
                Ok(done) => return Ok(done),
                Err(failure) => failure,
            };
            if matches!(
                failure,
                Failure::Unreachable { .. }
                    | Failure::Lost { .. }
                    | Failure::TimedOut { .. }
                    | Failure::NotRedis { .. }
                    | Failure::Tls { .. }
            ) {
                // The node may have been replaced; the URL's node knows.
                self.set_node(None);
            }
            let given_up = match failure {
                Failure::Rejected(reply, key) => {
                    let addresses = self.pool().addresses.clone();
                    let from = route.asked.as_ref().unwrap_or(&route.node);
                    let error = failure::to_error(&self.server, &at, &reply, key.as_ref());
                    match reply.reaction(|details| self.server.redirect(details, from, &addresses)) {
                        Reaction::FollowMoved(Redirect::Foreign(host))
                        | Reaction::FollowAsk(Redirect::Foreign(host)) => {
                            return Err(foreign_node(&at, &host));
                        }
                        // The migration's target does not serve the keys yet.
                        Reaction::FollowMoved(Redirect::To(_)) | Reaction::FollowAsk(Redirect::To(_))
                            if route.asked.is_some() =>
                        {
                            error
                        }
                        Reaction::FollowMoved(Redirect::To(node)) => {
                            self.set_node(Some(node));
                            moves += 1;
                            if moves <= MOVES {
                                continue;
                            }
                            error
                        }
                        Reaction::FollowAsk(Redirect::To(node)) => {
                            asked = Some(node);
                            continue;
                        }
                        Reaction::Retry => error,
                        _ => {
                            // Otherwise connections to a demoted primary would be reused forever.
                            self.pool().idle.clear();
                            return Err(error);
                        }
                    }
                }
                failure => self.given_up(failure, &at, &wait)?,
            };
            if back_off.pause(&wait.deadline)? || wait.is_over()? {
                return Err(given_up);
            }
        }
    }

    /// `Ok` with the error to return at the deadline, for temporary failures; `Err` for all others.
    fn given_up(&self, failure: Failure, at: &str, wait: &ServerWait<'_>) -> Result<Error> {
        let failed = |message: String| Error::new(ErrorKind::Adapter, message);
        let waited = wait.timeout().as_millis();
        let unreached = || {
            failed(format!(
                "the Redis server {at} could not be reached within {waited} ms; check that it is running and that the URL is correct"
            ))
            .mark_retryable()
        };
        match failure {
            Failure::Final(error) | Failure::Tls { error, .. } => Err(error),
            Failure::TimedOut { .. } => {
                let message =
                    format!("the Redis server {at} did not answer within {waited} ms; try again with back-off");
                Err(failed(message).mark_retryable())
            }
            Failure::NotRedis { cause, .. } => {
                Err(failed(format!("the server at {at} is not a Redis server; correct the URL")).because(cause))
            }
            Failure::TooLarge { most, .. } => Err(failed(format!(
                "the Redis server {at} sent more than the {most} bytes allowed for the answer to a command; read only \
                 the end of a long log (limit), and check that no other program uses the redisPrefix"
            ))),
            Failure::OutOfMemory { .. } => Err(failed(format!(
                "not enough memory for the answer of the Redis server {at}; read only the end of a long log (limit)"
            ))),
            Failure::Unreachable { cause } if !self.has_connected.load(Ordering::Relaxed) => {
                let message = format!("nothing is listening at {at}; start the Redis server or correct the URL");
                Err(failed(message).because(cause).mark_retryable())
            }
            Failure::Unreachable { cause } | Failure::Lost { cause, .. } => Ok(unreached().because(cause)),
            Failure::Conflict => {
                let message = format!(
                    "the scope was changed concurrently on every attempt for {waited} ms; try again with back-off"
                );
                Ok(Error::new(ErrorKind::Conflict, message).mark_retryable())
            }
            // The reaction to an error reply was decided before.
            Failure::Rejected(reply, key) => Err(failure::to_error(&self.server, at, &reply, key.as_ref())),
        }
    }

    /// One attempt, on a connection that no other call uses.
    fn once<T>(
        &self,
        route: &Route,
        wait: &ServerWait<'_>,
        attempt: &mut impl FnMut(&mut Connection, &ServerWait<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let is_usable = |connection: &Connection| connection.node == route.node && connection.is_open();
        let kept = std::iter::from_fn(|| self.pool().idle.pop()).find(is_usable);
        let mut connection = match kept {
            Some(connection) => connection,
            None => self.connect(&route.node, wait)?,
        };
        if let Some(asked) = &route.asked {
            connection = self.connect(asked, wait)?.asking(connection);
        }
        let done = attempt(&mut connection, wait);
        connection.unwatch(wait);
        let connection = connection.into_kept();
        let mut pool = self.pool();
        if pool.moved_to.as_ref().unwrap_or(&self.server.node) == &connection.node
            && pool.idle.len() < KEPT
            && connection.is_whole()
        {
            pool.idle.push(connection);
        }
        done
    }

    fn connect(&self, node: &Node, wait: &ServerWait<'_>) -> Result<Connection, Failure> {
        wait.set_server(&self.server.at(node));
        let settings = if self.server.is_secure { Some(self.settings().map_err(Failure::Final)?) } else { None };
        let connection = Connection::open(&self.server, node, settings.as_ref(), wait)?;
        self.has_connected.store(true, Ordering::Relaxed);
        if *node == self.server.node {
            self.pool().addresses.clone_from(&connection.addresses);
        }
        Ok(connection)
    }

    fn settings(&self) -> Result<Arc<ClientConfig>> {
        let read = self.pool().settings.clone();
        if let Some(settings) = read {
            return Ok(settings);
        }
        // Not under the mutex, since this reads files.
        let settings = tls::settings(&self.home)?;
        self.pool().settings = Some(Arc::clone(&settings));
        Ok(settings)
    }

    /// Sets the node that has our keys; `None` for the URL's.
    fn set_node(&self, node: Option<Node>) {
        let mut pool = self.pool();
        if pool.moved_to != node {
            pool.idle.clear();
            pool.moved_to = node;
        }
    }

    /// Reads with one command.
    fn ask(&self, wait: &WaitOptions, key: &Key, commands: &Pipeline, most: usize) -> Result<Reply> {
        let answers = self.trying(wait, |connection, wait| {
            connection.ask(commands, most, wait).map_err(|failure| failure.about(key))
        });
        Ok(answers.map_err(|error| error.about(key.to_string()))?.pop().unwrap_or(Reply::Nil))
    }

    /// Reads, decides and writes atomically; returns the server's answer to each write.
    fn change(&self, wait: &WaitOptions, trail: Option<Key>, decide: &mut DecideFn<'_>) -> Result<Vec<Reply>> {
        let mut change = Change::new(self, trail, decide);
        let done = self.trying(wait, |connection, wait| change.attempt(connection, wait));
        match done {
            Err(error) if change.is_unconfirmed() => {
                let message = format!(
                    "the Redis server {} did not confirm the change; it may have been stored, so check before trying again",
                    self.at()
                );
                // Not retryable: an entry that is added again is stored twice.
                Err(Error::new(ErrorKind::Adapter, message).because(format_args!("{error:#}")).maybe_stored())
            }
            done => done,
        }
    }
}

impl Adapter for RedisAdapter {
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
            Reply::List(items) => items
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

    fn scopes(&self, wait: &WaitOptions) -> Result<Vec<Scope>> {
        let scopes = self.trying(wait, |connection, wait| {
            let mut listing = Listing { adapter: self, scopes: BTreeSet::new(), left: LIST };
            // During a migration, the source is listed first, so that no key is missed.
            if let Some(source) = connection.source() {
                listing.list(source, false, wait)?;
                listing.list(connection, false, wait)?;
                // If the migration is still in progress, the list is complete.
                connection.confirm(std::slice::from_ref(&self.home.config().redis_prefix), wait)?;
            } else {
                listing.list(connection, true, wait)?;
            }
            Ok(listing.scopes)
        })?;
        Ok(scopes.into_iter().collect())
    }

    fn delete(&self, wait: &WaitOptions, scope: &Scope) -> Result<bool> {
        let deleted =
            self.change(wait, None, &mut |read| Ok(keys_of(scope, read)?.into_iter().map(Write::Del).collect()));
        // The answers are empty if an unconfirmed attempt turns out to have been applied.
        let counts = deleted.map_err(|error| error.about(Key::Checkpoints(scope.clone()).to_string()))?;
        Ok(counts.is_empty() || counts.iter().any(|count| *count != Reply::Int(0)))
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

/// Collects the scopes that have keys on a node.
struct Listing<'l> {
    adapter: &'l RedisAdapter,
    scopes: BTreeSet<Scope>,
    /// How many more bytes of names are accepted: a hostile server could list forever.
    left: usize,
}

impl Listing<'_> {
    /// Lists the keys of one node. A cluster's node lists only its own keys, and redirects only when asked for
    /// another's key (`asks`).
    fn list(&mut self, connection: &mut Connection, asks: bool, wait: &ServerWait<'_>) -> Result<(), Failure> {
        let prefix = &self.adapter.home.config().redis_prefix;
        let (pattern, mut cursor) = (format!("{}*", escaped(prefix)), "0".to_owned());
        loop {
            wait.check()?;
            let mut commands = Pipeline::new();
            if asks {
                commands.cmd("EXISTS").arg(prefix);
            }
            commands.cmd("SCAN").arg(&cursor).arg("MATCH").arg(&pattern).arg("COUNT").arg(LISTED);
            let answer = connection.ask(&commands, VALUE, wait)?.pop();
            let Some((next, names)) = answer.and_then(listed) else {
                return Err(Failure::not_redis("unexpected answer to SCAN"));
            };
            let bytes = names.iter().map(|name| name.len() + size_of::<Scope>()).sum::<usize>();
            self.left = self.left.checked_sub(bytes).ok_or(Failure::TooLarge { is_sent: false, most: LIST })?;
            let names = names.iter().filter_map(|name| std::str::from_utf8(name).ok()?.strip_prefix(&**prefix));
            // Checkpoints count only if they are listed.
            let keys = names.filter_map(Key::parse).filter(|key| !matches!(key, Key::Checkpoint(..)));
            self.scopes.extend(keys.map(|key| key.scope().clone()));
            if next == "0" {
                return Ok(());
            }
            cursor = next;
        }
    }
}

/// Parses SCAN's answer: the next cursor, and names of keys.
fn listed(answer: Reply) -> Option<(String, Vec<Vec<u8>>)> {
    let bytes = |reply| match reply {
        Reply::Bytes(bytes) => Some(bytes),
        _ => None,
    };
    let Reply::List(parts) = answer else { return None };
    let [cursor, Reply::List(names)] = <[Reply; 2]>::try_from(parts).ok()? else { return None };
    // A cursor is a number.
    let cursor = String::from_utf8(bytes(cursor)?).ok().filter(|cursor| cursor.len() <= 20)?;
    Some((cursor, names.into_iter().map(bytes).collect::<Option<_>>()?))
}

/// The JSON in an answer; `None` for nil.
fn json(key: &Key, answer: Reply) -> Result<Option<Json>> {
    let bytes = match answer {
        Reply::Nil => return Ok(None),
        Reply::Bytes(bytes) => bytes,
        _ => return Err(damaged(key, "is not a string")),
    };
    let text = String::from_utf8(bytes).map_err(|_| damaged(key, "is not JSON"))?;
    RawValue::from_string(text).map(|json| Some(Json::stored(json))).map_err(|_| damaged(key, "is not JSON"))
}

/// Escapes a prefix for use in a pattern.
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
