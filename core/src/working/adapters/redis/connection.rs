//! A connection to a Redis server: commands are pipelined, every wait has a deadline and every reply a size limit.

use std::net::IpAddr;
use std::sync::Arc;

use redis::Pipeline;
use rustls::ClientConfig;

use super::failure::{Failure, first_error};
use super::link::Link;
use super::reply::{ErrorReply, Replies, Reply, Unread};
use super::server::{Node, Server};
use super::tls;
use super::wait::ServerWait;
use crate::safety::MAX_VALUE_BYTES;

/// How many more reads a cancelled call waits for the answer to its writes.
const GRACE: usize = 100;

/// The limit for answers to commands with short answers, in bytes.
pub(super) const SHORT: usize = 1 << 20;
/// The limit for the answer with one value.
pub(super) const VALUE: usize = MAX_VALUE_BYTES + SHORT;
/// The limit for the answer with a list of values.
pub(super) const LIST: usize = 1 << 30;
/// The size of a short answer.
const WORD: usize = 128;

/// An idle connection.
pub(super) struct Connection {
    /// The node it is connected to.
    pub(super) node: Node,
    /// The addresses of the node's host.
    pub(super) addresses: Vec<IpAddr>,
    /// The server as errors name it.
    at: String,
    link: Link,
    /// Whether the server has answered anything yet.
    has_answered: bool,
    /// Whether it must not be reused: data that is read next may belong to an earlier call.
    is_broken: bool,
    /// Whether the server watches keys for it.
    is_watching: bool,
    /// During a migration, the node that sent the ASK redirect to this one.
    source: Option<Box<Connection>>,
}

impl Connection {
    /// Connects, with TLS if there are settings for it, authenticates and selects the database.
    pub(super) fn open(
        server: &Server,
        node: &Node,
        settings: Option<&Arc<ClientConfig>>,
        wait: &ServerWait<'_>,
    ) -> Result<Self, Failure> {
        let at = server.at(node);
        let (mut link, addresses) = Link::open(node, wait)?;
        if let Some(settings) = settings {
            let session = tls::session(settings, node, &at).map_err(Failure::Final)?;
            link.secure(session, &at, wait)?;
        }
        // With TLS, the handshake was an answer.
        let (has_answered, is_broken, is_watching, source) = (settings.is_some(), false, false, None);
        let mut connection =
            Connection { node: node.clone(), addresses, at, link, has_answered, is_broken, is_watching, source };
        let mut greeting = server.greeting();
        if settings.is_some() {
            // Only the first answer shows that the server does not require a client certificate.
            greeting.cmd("PING");
        }
        if !greeting.is_empty() {
            connection.ask(&greeting, SHORT, wait)?;
        }
        Ok(connection)
    }

    /// Uses ASKING from now on, for keys that are being migrated here from `source`.
    pub(super) fn asking(mut self, source: Connection) -> Self {
        self.source = Some(Box::new(source));
        self
    }

    /// The connection to keep in the pool: the source's during a migration.
    pub(super) fn into_kept(mut self) -> Self {
        match self.source.take() {
            Some(source) => *source,
            None => self,
        }
    }

    /// The source's connection during a migration.
    pub(super) fn source(&mut self) -> Option<&mut Connection> {
        self.source.as_deref_mut()
    }

    /// During a migration, checks that all of these keys are here: keys that the source still has must be used there,
    /// and keys split between two nodes cannot be read or changed atomically.
    pub(super) fn confirm(&mut self, names: &[String], wait: &ServerWait<'_>) -> Result<(), Failure> {
        let Some(source) = &mut self.source else { return Ok(()) };
        let mut commands = Pipeline::with_capacity(names.len());
        for name in names {
            commands.cmd("EXISTS").arg(name);
        }
        let answers = source.exchange(&commands, SHORT + names.len() * WORD, wait, false)?;
        let stays = answers.into_iter().find_map(|answer| match answer {
            Reply::Error(reply) if reply.code == "ASK" => None,
            Reply::Error(reply) => Some(reply),
            _ => Some(ErrorReply::try_again()),
        });
        stays.map_or(Ok(()), |reply| Err(Failure::Rejected(reply, None)))
    }

    /// Whether it can be reused.
    pub(super) fn is_whole(&self) -> bool {
        !self.is_broken
    }

    /// Whether it is still open, as far as is known without sending anything.
    pub(super) fn is_open(&self) -> bool {
        self.link.is_open()
    }

    /// Sends commands that write nothing, and returns their answers, of at most `most` bytes in total.
    pub(super) fn ask(
        &mut self,
        commands: &Pipeline,
        most: usize,
        wait: &ServerWait<'_>,
    ) -> Result<Vec<Reply>, Failure> {
        let answers = self.exchange(commands, most, wait, false)?;
        match first_error(&answers) {
            Some((_, reply)) => Err(Failure::Rejected(reply.clone(), None)),
            None => Ok(answers),
        }
    }

    /// Sends commands that write. Error replies are returned among the answers. Once sent, the answers are waited for
    /// even if the call is cancelled; a failure says whether the commands were sent.
    pub(super) fn write(&mut self, commands: &Pipeline, wait: &ServerWait<'_>) -> Result<Vec<Reply>, Failure> {
        // In a transaction, each command is answered twice.
        self.exchange(commands, SHORT + commands.len() * 2 * WORD, wait, true)
    }

    /// Sets whether the server watches keys for this connection.
    pub(super) fn set_watching(&mut self, is_watching: bool) {
        self.is_watching = is_watching;
    }

    /// Whether the server watches keys for this connection.
    pub(super) fn is_watching(&self) -> bool {
        self.is_watching
    }

    /// Stops watching keys. If that fails, the connection is marked as broken.
    pub(super) fn unwatch(&mut self, wait: &ServerWait<'_>) {
        if self.is_watching && !self.is_broken {
            let mut commands = Pipeline::new();
            commands.cmd("UNWATCH");
            self.is_broken = self.ask(&commands, SHORT, wait).is_err();
            self.is_watching = false;
        }
    }

    fn exchange(
        &mut self,
        commands: &Pipeline,
        most: usize,
        wait: &ServerWait<'_>,
        writes: bool,
    ) -> Result<Vec<Reply>, Failure> {
        self.is_broken = true;
        wait.set_server(&self.at);
        let asking = self.source.is_some().then(|| with_asking(commands));
        let (sent, is_asking) = match &asking {
            Some((with_asking, is_asking)) => (with_asking, is_asking.as_slice()),
            None => (commands, [].as_slice()),
        };
        let mut ends = self.link.exchange(wait);
        // If not everything was sent, EXEC is missing, so nothing was written.
        if let Err(cause) = ends.send(&sent.get_packed_pipeline()) {
            return Err(ends.failure(&self.at, false, &cause));
        }
        ends.begin_to_read(if writes { GRACE } else { 0 });
        let mut replies = Replies::new(&mut ends, most);
        let mut read = Vec::with_capacity(sent.len());
        let unread = loop {
            if read.len() == sent.len() {
                break None;
            }
            match replies.next() {
                Ok(reply) => read.push(reply),
                Err(unread) => break Some(unread),
            }
        };
        let has_more = replies.has_more();
        match unread {
            None => {}
            Some(Unread::Io(cause)) => {
                let failure = ends.failure(&self.at, writes, &cause);
                return Err(if self.has_answered { failure } else { failure.before_any_answer() });
            }
            Some(Unread::Malformed(cause)) => return Err(Failure::NotRedis { is_sent: writes, cause }),
            Some(Unread::TooLarge) => return Err(Failure::TooLarge { is_sent: writes, most }),
            Some(Unread::NoMemory) => return Err(Failure::OutOfMemory { is_sent: writes }),
        }
        self.has_answered = true;
        // Unsolicited data would be taken for the next answer.
        self.is_broken = has_more || ends.has_more();
        if is_asking.is_empty() {
            return Ok(read);
        }
        let (extra, answers): (Vec<_>, Vec<_>) =
            read.into_iter().enumerate().partition(|(place, _)| is_asking.get(*place).copied().unwrap_or_default());
        for (_, reply) in extra {
            if let Reply::Error(reply) = reply {
                return Err(Failure::Rejected(reply, None));
            }
        }
        Ok(answers.into_iter().map(|(_, reply)| reply).collect())
    }
}

/// The commands with ASKING before each command or transaction, and flags for the added ones.
fn with_asking(commands: &Pipeline) -> (Pipeline, Vec<bool>) {
    let mut asking = Pipeline::with_capacity(commands.len() * 2);
    let (mut is_asking, mut is_within) = (Vec::new(), false);
    for command in commands.cmd_iter() {
        let is = |name: &str| command.args_iter().next() == Some(redis::Arg::Simple(name.as_bytes()));
        if !is_within {
            asking.cmd("ASKING");
            is_asking.push(true);
        }
        is_within = (is_within || is("MULTI")) && !is("EXEC");
        asking.add_command(command.clone());
        is_asking.push(false);
    }
    (asking, is_asking)
}
