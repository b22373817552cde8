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
mod link;
mod refusal;
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
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redis::Pipeline;
use rustls::ClientConfig;
use serde_json::value::RawValue;

use super::super::adapter::{Adapter, Decide, SealedJson, Write};
use super::super::kept::{damaged, keys_of};
use super::super::key::{Key, Scope};
use super::BackOff;
use crate::disk::{Json, PerProcess, WaitOptions};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;

use change::{Change, Deciding};
use connection::{Connection, LIST, VALUE};
use refusal::{Remedy, Trouble, foreign_node};
use reply::{Refusal, Reply};
use server::{Node, Redirect, Server};
use text::without_password;
use wait::{ServerWait, notice};

/// How many idle connections a process keeps.
const KEPT: usize = 16;
/// How often a call follows keys from node to node without a pause.
const MOVES: usize = 3;
/// How many keys are listed at a time.
const LISTED: usize = 1000;

/// What a Redis server keeps.
pub struct RedisAdapter {
    home: Home,
    server: Server,
    /// Whether there was a connection already: the server is known to be there, and to come back.
    has_connected: AtomicBool,
    pool: PerProcess<Mutex<Pool>>,
}

/// What a process has of the server.
#[derive(Default)]
struct Pool {
    idle: Vec<Connection>,
    /// The node that keeps our keys, where the one of the URL said that it does not.
    moved_to: Option<Node>,
    /// The addresses that the URL's host stood for when it was last connected to.
    addresses: Vec<IpAddr>,
    /// What connections with TLS have in common, once it was read.
    settings: Option<Arc<ClientConfig>>,
}

/// Which nodes an attempt goes to.
struct Route {
    /// The one that has our keys.
    node: Node,
    /// The one that they are moving to, where that one has said to ask there.
    asked: Option<Node>,
}

impl RedisAdapter {
    /// The server of this URL. Nothing is connected yet.
    ///
    /// # Errors
    /// `ValidationError` for a URL that cannot be read.
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

    fn words(&self, refusal: &Refusal) -> String {
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

    /// Tries until it is done, cannot be done, or the time is over. No error has the password in it, whatever a server says.
    fn trying<T>(
        &self,
        wait: &WaitOptions,
        attempt: impl FnMut(&mut Connection, &ServerWait<'_>) -> Result<T, Trouble>,
    ) -> Result<T> {
        let hidden = |text: &str| without_password(text, self.server.password());
        self.until_done(wait, attempt).map_err(|error| error.scrubbed(hidden))
    }

    fn until_done<T>(
        &self,
        wait: &WaitOptions,
        mut attempt: impl FnMut(&mut Connection, &ServerWait<'_>) -> Result<T, Trouble>,
    ) -> Result<T> {
        let notice = notice();
        let wait = ServerWait::new(&self.home, wait, &notice);
        wait.patience.begin()?;
        let (mut moves, mut back_off, mut asked) = (0, BackOff::default(), None);
        loop {
            let route = Route { node: self.node(), asked: asked.take() };
            let at = self.server.at(route.asked.as_ref().unwrap_or(&route.node));
            let trouble = match self.once(&route, &wait, &mut attempt) {
                Ok(done) => return Ok(done),
                Err(trouble) => trouble,
            };
            if matches!(
                trouble,
                Trouble::Unreachable { .. }
                    | Trouble::Lost { .. }
                    | Trouble::Late { .. }
                    | Trouble::NoRedis { .. }
                    | Trouble::Untrusted { .. }
            ) {
                // The node may be gone, and another one in its place: the first one knows.
                self.set_node(None);
            }
            let given_up = match trouble {
                Trouble::Refused(refusal, key) => {
                    let addresses = self.pool().addresses.clone();
                    let from = route.asked.as_ref().unwrap_or(&route.node);
                    let told = refusal::told(&self.server, &at, &refusal, key.as_ref());
                    match refusal.remedy(|details| self.server.redirect(details, from, &addresses)) {
                        Remedy::Move(Redirect::Foreign(host)) | Remedy::Ask(Redirect::Foreign(host)) => {
                            return Err(foreign_node(&at, &host));
                        }
                        // What the keys are on their way to does not say yet that they are there.
                        Remedy::Move(Redirect::To(_)) | Remedy::Ask(Redirect::To(_)) if route.asked.is_some() => told,
                        Remedy::Move(Redirect::To(node)) => {
                            self.set_node(Some(node));
                            moves += 1;
                            if moves <= MOVES {
                                continue;
                            }
                            told
                        }
                        Remedy::Ask(Redirect::To(node)) => {
                            asked = Some(node);
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
                trouble => self.given_up(trouble, &at, &wait)?,
            };
            if back_off.pause(&wait.patience)? || wait.is_over()? {
                return Err(given_up);
            }
        }
    }

    /// The error for a trouble that may pass, once the time is over; any other is returned at once.
    fn given_up(&self, trouble: Trouble, at: &str, wait: &ServerWait<'_>) -> Result<Error> {
        let failed = |message: String| Error::new(ErrorKind::Adapter, message);
        let waited = wait.timeout().as_millis();
        let unreached = || {
            failed(format!(
                "the Redis server {at} could not be reached within {waited} ms; see that it runs and that the URL is right"
            ))
            .mark_retryable()
        };
        match trouble {
            Trouble::Ended(error) | Trouble::Untrusted { error, .. } => Err(error),
            Trouble::Late { .. } => {
                let message =
                    format!("the Redis server {at} did not answer within {waited} ms; try again with back-off");
                Err(failed(message).mark_retryable())
            }
            Trouble::NoRedis { cause, .. } => {
                Err(failed(format!("what answers at {at} is no Redis server; mend the URL")).because(cause))
            }
            Trouble::TooLarge { most, .. } => Err(failed(format!(
                "the Redis server {at} sent more than the {most} bytes that are read in answer to such a command; of a \
                 long log read the end (limit), and see that no other program writes below the redisPrefix"
            ))),
            Trouble::NoMemory { .. } => Err(failed(format!(
                "there is no memory for the answer of the Redis server {at}; of a log read the end (limit)"
            ))),
            Trouble::Unreachable { cause } if !self.has_connected.load(Ordering::Relaxed) => {
                let message = format!("nothing listens at {at}; start the Redis server, or mend the URL");
                Err(failed(message).because(cause).mark_retryable())
            }
            Trouble::Unreachable { cause } | Trouble::Lost { cause, .. } => Ok(unreached().because(cause)),
            Trouble::Conflict => {
                let message =
                    format!("other writers changed the scope again and again for {waited} ms; try again with back-off");
                Ok(Error::new(ErrorKind::Conflict, message).mark_retryable())
            }
            // What a refusal calls for was decided before.
            Trouble::Refused(refusal, key) => Err(refusal::told(&self.server, at, &refusal, key.as_ref())),
        }
    }

    /// One attempt, on a connection of its own.
    fn once<T>(
        &self,
        route: &Route,
        wait: &ServerWait<'_>,
        attempt: &mut impl FnMut(&mut Connection, &ServerWait<'_>) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
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

    fn connect(&self, node: &Node, wait: &ServerWait<'_>) -> Result<Connection, Trouble> {
        wait.is_for(&self.server.at(node));
        let settings = if self.server.is_secure { Some(self.settings().map_err(Trouble::Ended)?) } else { None };
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
        // Files are read meanwhile: nobody is to wait for the mutex.
        let settings = tls::settings(&self.home)?;
        self.pool().settings = Some(Arc::clone(&settings));
        Ok(settings)
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
    fn ask(&self, wait: &WaitOptions, key: &Key, commands: &Pipeline, most: usize) -> Result<Reply> {
        let answers = self.trying(wait, |connection, wait| {
            connection.ask(commands, most, wait).map_err(|trouble| trouble.about(key))
        });
        Ok(answers.map_err(|error| error.about(key.to_string()))?.pop().unwrap_or(Reply::Nil))
    }

    /// Reads, decides and writes as one; returns what the server answered to each write.
    fn change(&self, wait: &WaitOptions, trail: Option<Key>, decide: &mut Deciding<'_>) -> Result<Vec<Reply>> {
        let mut change = Change::new(self, trail, decide);
        let done = self.trying(wait, |connection, wait| change.attempt(connection, wait));
        match done {
            Err(error) if change.is_in_doubt() => {
                let message = format!(
                    "the Redis server {} did not confirm the change; it may have been stored, so look before trying again",
                    self.at()
                );
                Err(Error::new(ErrorKind::Adapter, message)
                    .because(format_args!("{error:#}"))
                    .mark_retryable()
                    .maybe_stored())
            }
            done => done,
        }
    }

    fn write(&self, wait: &WaitOptions, write: impl Fn() -> Write) -> Result<()> {
        let key = write().key().clone();
        let written = self.change(wait, None, &mut |_| Ok(vec![write()]));
        written.map(drop).map_err(|error| error.about(key.to_string()))
    }

    fn range(&self, wait: &WaitOptions, key: &Key, first: i64) -> Result<Vec<Json>> {
        let mut commands = Pipeline::new();
        commands.cmd("LRANGE").arg(self.name(key)).arg(first).arg(-1);
        match self.ask(wait, key, &commands, LIST)? {
            Reply::List(items) => items
                .into_iter()
                .map(|item| json(key, item)?.ok_or_else(|| damaged(key, "is no list of JSON")))
                .collect(),
            _ => Err(damaged(key, "is no list")),
        }
    }
}

impl Adapter for RedisAdapter {
    fn get(&self, wait: &WaitOptions, key: &Key) -> Result<Option<Json>> {
        let mut commands = Pipeline::new();
        commands.cmd("GET").arg(self.name(key));
        json(key, self.ask(wait, key, &commands, VALUE)?)
    }

    fn set(&self, wait: &WaitOptions, key: &Key, value: &SealedJson) -> Result<()> {
        self.write(wait, || Write::Set(key.clone(), value.clone()))
    }

    fn del(&self, wait: &WaitOptions, key: &Key) -> Result<()> {
        self.write(wait, || Write::Del(key.clone()))
    }

    fn push(&self, wait: &WaitOptions, key: &Key, item: &SealedJson) -> Result<()> {
        self.write(wait, || Write::Push(key.clone(), item.clone()))
    }

    fn get_list(&self, wait: &WaitOptions, key: &Key) -> Result<Vec<Json>> {
        self.range(wait, key, 0)
    }

    fn tail(&self, wait: &WaitOptions, key: &Key, most: usize) -> Result<Vec<Json>> {
        match i64::try_from(most) {
            Ok(0) => Ok(Vec::new()),
            Ok(most) => self.range(wait, key, -most),
            Err(_) => self.range(wait, key, 0),
        }
    }

    fn update(&self, wait: &WaitOptions, scope: &Scope, mut decide: Decide) -> Result<()> {
        let changed = self.change(wait, Some(Key::Trail(scope.clone())), &mut *decide);
        changed.map(drop).map_err(|error| error.about(scope.as_str()))
    }

    fn scopes(&self, wait: &WaitOptions) -> Result<Vec<Scope>> {
        let scopes = self.trying(wait, |connection, wait| {
            let mut listing = Listing { adapter: self, scopes: BTreeSet::new(), left: LIST };
            // Keys that are on their way are listed where they come from first, so that none slips through in between.
            if let Some(source) = connection.source() {
                listing.list(source, false, wait)?;
                listing.list(connection, false, wait)?;
                // Still on their way: what was listed is all there is.
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
        // Nothing is answered when an attempt of which nothing was known turns out to have been made.
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

/// The scopes of which a node has keys.
struct Listing<'l> {
    adapter: &'l RedisAdapter,
    scopes: BTreeSet<Scope>,
    /// How many bytes of names may still come: a server could list for ever.
    left: usize,
}

impl Listing<'_> {
    /// Lists the keys of one node. A node of a cluster lists its own keys, and tells only when it is asked for one that it
    /// is another's (`asks`).
    fn list(&mut self, connection: &mut Connection, asks: bool, wait: &ServerWait<'_>) -> Result<(), Trouble> {
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
                return Err(Trouble::no_redis("SCAN was answered with something else"));
            };
            let bytes = names.iter().map(|name| name.len() + size_of::<Scope>()).sum::<usize>();
            self.left = self.left.checked_sub(bytes).ok_or(Trouble::TooLarge { is_sent: false, most: LIST })?;
            let names = names.iter().filter_map(|name| std::str::from_utf8(name).ok()?.strip_prefix(&**prefix));
            // What is listed under `checkpoints` counts.
            let keys = names.filter_map(Key::parse).filter(|key| !matches!(key, Key::Checkpoint(..)));
            self.scopes.extend(keys.map(|key| key.scope().clone()));
            if next == "0" {
                return Ok(());
            }
            cursor = next;
        }
    }
}

/// What SCAN answers: the next cursor, and names of keys.
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

/// What an answer holds; `None` for nothing.
fn json(key: &Key, answer: Reply) -> Result<Option<Json>> {
    let bytes = match answer {
        Reply::Nil => return Ok(None),
        Reply::Bytes(bytes) => bytes,
        _ => return Err(damaged(key, "is no text")),
    };
    let text = String::from_utf8(bytes).map_err(|_| damaged(key, "is no JSON"))?;
    RawValue::from_string(text).map(|json| Some(Json::stored(json))).map_err(|_| damaged(key, "is no JSON"))
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
