//! A connection to a Redis server: commands are pipelined, every wait has a deadline and every reply a size limit.

use std::sync::Arc;

use redis::{Arg, Cmd, Pipeline, ServerError, Value};
use rustls::ClientConfig;

use super::super::super::key::Key;
use super::failure::{Failure, Reaction, first_error, not_redis};
use super::reply::Replies;
use super::server::{Node, Server};
use super::stream::{ServerWait, Stream};
use super::tls;
use crate::safety::MAX_VALUE_BYTES;

/// For how many time-outs of the socket a cancelled call waits for the answer to its writes.
const GRACE: usize = 100;

/// The limit for answers to commands with short answers, in bytes.
pub(super) const SHORT: usize = 1 << 20;
/// The limit for the answer with one value.
pub(super) const VALUE: usize = MAX_VALUE_BYTES + SHORT;
/// The limit for the answer with a list of values.
pub(super) const LIST: usize = 1 << 30;
/// The size of a short answer.
const WORD: usize = 128;

/// A connection that one call at a time uses.
pub(super) struct Connection {
    server: Arc<Server>,
    /// The node it is connected to.
    pub(super) node: Node,
    /// The server as errors name it.
    pub(super) at: String,
    pub(super) stream: Stream,
    /// Whether the server has answered anything yet.
    has_answered: bool,
    /// Whether it must not be reused: data that is read next may belong to an earlier call.
    pub(super) is_broken: bool,
    /// Whether the server watches keys for it.
    pub(super) is_watching: bool,
    /// During a migration, the node that sent the ASK redirect to this one. Commands here then need ASKING.
    pub(super) source: Option<Box<Connection>>,
}

impl Connection {
    /// A connection on a new stream, with TLS if there are settings for it: authenticates and selects the database.
    pub(super) fn open(
        server: &Arc<Server>,
        node: &Node,
        stream: Stream,
        settings: Option<&Arc<ClientConfig>>,
        wait: &ServerWait<'_>,
    ) -> Result<Self, Failure> {
        let mut connection = Connection {
            server: Arc::clone(server),
            node: node.clone(),
            at: server.at(node),
            stream,
            has_answered: false,
            is_broken: false,
            is_watching: false,
            source: None,
        };
        let mut greeting = server.greeting();
        if let Some(settings) = settings {
            let session = tls::session(settings, node, &connection.at)?;
            connection.stream.secure(session, wait).map_err(|cause| match cause.kind() {
                std::io::ErrorKind::TimedOut => tls::unfinished(&connection.at, wait.millis()).into(),
                _ => Failure::of_io(cause, &connection.at, " during TLS", wait.millis()),
            })?;
            // The handshake was an answer.
            connection.has_answered = true;
            // Only the first answer shows that the server does not require a client certificate.
            greeting.cmd("PING");
        }
        if !greeting.is_empty() {
            connection.ask(&greeting, None, SHORT, wait)?;
        }
        Ok(connection)
    }

    /// The connection to keep in the pool: the source's during a migration.
    pub(super) fn into_kept(self) -> Self {
        match self.source {
            Some(source) => *source,
            None => self,
        }
    }

    /// During a migration, checks that all of these keys are here: keys that the source still has must be used there,
    /// and keys split between two nodes cannot be read or changed atomically.
    pub(super) fn confirm(&mut self, names: &[String], wait: &ServerWait<'_>) -> Result<(), Failure> {
        let Some(source) = &mut self.source else { return Ok(()) };
        let mut commands = Pipeline::with_capacity(names.len());
        for name in names {
            commands.cmd("EXISTS").arg(name);
        }
        for answer in source.exchange(&commands, SHORT + names.len() * WORD, wait, false)? {
            match answer {
                Value::ServerError(reply) if reply.code() == "ASK" => {}
                Value::ServerError(reply) => return Err(source.rejected(&reply, None)),
                _ => return Err(Failure::split(&source.at)),
            }
        }
        Ok(())
    }

    /// Sends commands that write nothing, and returns their answers, of at most `most` bytes in total. Errors concern
    /// `key`.
    pub(super) fn ask(
        &mut self,
        commands: &Pipeline,
        key: Option<&Key>,
        most: usize,
        wait: &ServerWait<'_>,
    ) -> Result<Vec<Value>, Failure> {
        let answers = self.exchange(commands, most, wait, false)?;
        match first_error(&answers) {
            Some((_, reply)) => Err(self.rejected(reply, key)),
            None => Ok(answers),
        }
    }

    /// Sends commands that write. Error replies are returned among the answers. Once sent, the answers are waited for
    /// even if the call is cancelled; a failure says whether the commands were sent.
    pub(super) fn write(&mut self, commands: &Pipeline, wait: &ServerWait<'_>) -> Result<Vec<Value>, Failure> {
        // In a transaction, each command is answered twice.
        self.exchange(commands, SHORT + commands.len() * 2 * WORD, wait, true)
    }

    /// Stops watching keys. If that fails, the connection is marked as broken.
    pub(super) fn unwatch(&mut self, wait: &ServerWait<'_>) {
        if self.is_watching && !self.is_broken {
            let mut commands = Pipeline::new();
            commands.cmd("UNWATCH");
            self.is_broken = self.ask(&commands, None, SHORT, wait).is_err();
            self.is_watching = false;
        }
    }

    /// The failure for an error reply, which concerns this key if it is known.
    pub(super) fn rejected(&mut self, reply: &ServerError, key: Option<&Key>) -> Failure {
        let failure = Failure::rejected(&self.server, &self.at, reply, key);
        // Otherwise connections to a demoted primary would be reused forever.
        self.is_broken |= matches!(failure.reaction, Reaction::Fail);
        failure
    }

    /// The failure for an answer that Redis does not give to `command`.
    pub(super) fn unexpected(&self, command: &str, is_sent: bool) -> Failure {
        Failure { is_sent, ..not_redis(&self.at, &format!("unexpected answer to {command}")).into() }
    }

    fn exchange(
        &mut self,
        commands: &Pipeline,
        most: usize,
        wait: &ServerWait<'_>,
        writes: bool,
    ) -> Result<Vec<Value>, Failure> {
        self.is_broken = true;
        wait.set_server(&self.at);
        let (packed, asks) = packed(commands, self.source.is_some());
        let hint = if self.has_answered { "" } else { "; the server may require TLS (rediss://)" };
        let sent = self.stream.transfer(wait, 0, |stream| {
            stream.write_all(&packed)?;
            stream.flush()
        });
        // If not everything was sent, EXEC is missing, so nothing was written.
        sent.map_err(|cause| Failure::of_io(cause, &self.at, "", wait.millis()))?;
        let read = self.stream.transfer(wait, if writes { GRACE } else { 0 }, |stream| {
            let mut replies = Replies::new(stream, &self.at, most);
            let mut answers = Vec::with_capacity(asks.len());
            for is_asking in asks {
                let asked = if is_asking { replies.next()? } else { Value::Nil };
                let answer = replies.next()?;
                answers.push(if matches!(asked, Value::ServerError(_)) { asked } else { answer });
            }
            Ok((answers, replies.has_more()))
        });
        let (answers, has_more) = read.map_err(|cause| {
            let failure = Failure::of_io(cause, &self.at, hint, wait.millis());
            Failure { is_sent: writes, ..failure }
        })?;
        self.has_answered = true;
        // Unsolicited data would be taken for the next answer.
        self.is_broken = has_more || self.stream.has_more();
        Ok(answers)
    }
}

/// The bytes of the commands, and for each whether ASKING was put before it: before each command or transaction, if
/// `is_asking`.
fn packed(commands: &Pipeline, is_asking: bool) -> (Vec<u8>, Vec<bool>) {
    let (mut bytes, mut asks, mut is_within) = (Vec::new(), Vec::with_capacity(commands.len()), false);
    for command in commands.cmd_iter() {
        let is = |name: &str| command.args_iter().next() == Some(Arg::Simple(name.as_bytes()));
        let asks_before = is_asking && !is_within;
        if asks_before {
            Cmd::new().arg("ASKING").write_packed_command(&mut bytes);
        }
        is_within = (is_within || is("MULTI")) && !is("EXEC");
        command.write_packed_command(&mut bytes);
        asks.push(asks_before);
    }
    (bytes, asks)
}
