//! A connection to a Redis server: commands go out together, their replies come back together, every wait has an end and
//! every reply a limit.

use std::net::IpAddr;
use std::sync::Arc;

use redis::Pipeline;
use rustls::ClientConfig;

use super::link::Link;
use super::refusal::{Trouble, refusal_in};
use super::reply::{Refusal, Replies, Reply, Unread};
use super::server::{Node, Server};
use super::tls;
use super::wait::ServerWait;
use crate::safety::MAX_VALUE_BYTES;

/// How many pieces of an answer a call that was cancelled still waits for, where it has written.
const GRACE: usize = 100;

/// The most that is read in answer to commands whose answers are short, in bytes.
pub(super) const SHORT: usize = 1 << 20;
/// … to commands that ask for one value.
pub(super) const VALUE: usize = MAX_VALUE_BYTES + SHORT;
/// … to a command that asks for a list of values.
pub(super) const LIST: usize = 1 << 30;
/// What an answer of few words takes.
const WORD: usize = 128;

/// A connection, on which nothing is under way.
pub(super) struct Connection {
    /// Whom it leads to.
    pub(super) node: Node,
    /// The addresses that the node's name stands for.
    pub(super) addresses: Vec<IpAddr>,
    /// The server as errors name it.
    at: String,
    link: Link,
    /// The server has said something.
    has_answered: bool,
    /// Something went wrong on it: what would be read next belongs to another call.
    is_broken: bool,
    /// The server watches keys for it.
    is_watching: bool,
    /// Where the keys are moving away from: it has said to ask here.
    source: Option<Box<Connection>>,
}

impl Connection {
    /// Connects, with TLS if there are settings for it, and says who asks and for which database.
    pub(super) fn open(
        server: &Server,
        node: &Node,
        settings: Option<&Arc<ClientConfig>>,
        wait: &ServerWait<'_>,
    ) -> Result<Self, Trouble> {
        let at = server.at(node);
        let (mut link, addresses) = Link::open(node, wait)?;
        if let Some(settings) = settings {
            let session = tls::session(settings, node, &at).map_err(Trouble::Ended)?;
            link.secure(session, &at, wait)?;
        }
        // Over TLS the server has spoken already.
        let (has_answered, is_broken, is_watching, source) = (settings.is_some(), false, false, None);
        let mut connection =
            Connection { node: node.clone(), addresses, at, link, has_answered, is_broken, is_watching, source };
        let mut greeting = server.greeting();
        if settings.is_some() {
            // Only the first answer shows that the server asks for no certificate of the client.
            greeting.cmd("PING");
        }
        if !greeting.is_empty() {
            connection.ask(&greeting, SHORT, wait)?;
        }
        Ok(connection)
    }

    /// Asks from now on for keys that are on their way here: `source` has said that it does not have them any more.
    pub(super) fn asking(mut self, source: Connection) -> Self {
        self.source = Some(Box::new(source));
        self
    }

    /// The connection to keep: where the keys come from, if they are on their way.
    pub(super) fn into_kept(mut self) -> Self {
        match self.source.take() {
            Some(source) => *source,
            None => self,
        }
    }

    /// The node that the keys are moving away from, if they are on their way.
    pub(super) fn source(&mut self) -> Option<&mut Connection> {
        self.source.as_deref_mut()
    }

    /// Whether these keys can be asked for here, where they are on their way: what the node that they come from still has
    /// must be asked there, and what is on two nodes cannot be read or changed as one.
    pub(super) fn confirm(&mut self, names: &[String], wait: &ServerWait<'_>) -> Result<(), Trouble> {
        let Some(source) = &mut self.source else { return Ok(()) };
        let mut commands = Pipeline::with_capacity(names.len());
        for name in names {
            commands.cmd("EXISTS").arg(name);
        }
        let answers = source.exchange(&commands, SHORT + names.len() * WORD, wait, false)?;
        let stays = answers.into_iter().find_map(|answer| match answer {
            Reply::Refused(refusal) if refusal.code == "ASK" => None,
            Reply::Refused(refusal) => Some(refusal),
            _ => Some(Refusal::try_again()),
        });
        stays.map_or(Ok(()), |refusal| Err(Trouble::Refused(refusal, None)))
    }

    /// Whether nothing went wrong on it yet.
    pub(super) fn is_whole(&self) -> bool {
        !self.is_broken
    }

    /// Whether it still leads to the server, as far as this side can tell without asking.
    pub(super) fn is_open(&self) -> bool {
        self.link.is_open()
    }

    /// Sends commands that write nothing, and returns an answer to each; together they take at most `most` bytes.
    pub(super) fn ask(
        &mut self,
        commands: &Pipeline,
        most: usize,
        wait: &ServerWait<'_>,
    ) -> Result<Vec<Reply>, Trouble> {
        let answers = self.exchange(commands, most, wait, false)?;
        match refusal_in(&answers) {
            Some((_, refusal)) => Err(Trouble::Refused(refusal.clone(), None)),
            None => Ok(answers),
        }
    }

    /// Sends commands that write. Errors stand among the answers. What was sent is waited for, even if the call is
    /// cancelled meanwhile, and a trouble tells whether it was sent.
    pub(super) fn write(&mut self, commands: &Pipeline, wait: &ServerWait<'_>) -> Result<Vec<Reply>, Trouble> {
        // Each is answered twice within a transaction.
        self.exchange(commands, SHORT + commands.len() * 2 * WORD, wait, true)
    }

    /// Notes that the server watches keys for this connection now, or does so no longer.
    pub(super) fn set_watching(&mut self, is_watching: bool) {
        self.is_watching = is_watching;
    }

    /// Whether it does.
    pub(super) fn is_watching(&self) -> bool {
        self.is_watching
    }

    /// Has the server watch no key any more. Where that fails, the connection is broken.
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
    ) -> Result<Vec<Reply>, Trouble> {
        self.is_broken = true;
        wait.is_for(&self.at);
        let asking = self.source.is_some().then(|| with_asking(commands));
        let (sent, is_asking) = match &asking {
            Some((with_asking, is_asking)) => (with_asking, is_asking.as_slice()),
            None => (commands, [].as_slice()),
        };
        let mut ends = self.link.ends(wait);
        // The last byte is that of the last command: without it there is no EXEC.
        if let Err(cause) = ends.send(&sent.get_packed_pipeline()) {
            return Err(ends.trouble(&self.at, false, &cause));
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
                let trouble = ends.trouble(&self.at, writes, &cause);
                return Err(if self.has_answered { trouble } else { trouble.before_any_answer() });
            }
            Some(Unread::Malformed(cause)) => return Err(Trouble::NoRedis { is_sent: writes, cause }),
            Some(Unread::TooLarge) => return Err(Trouble::TooLarge { is_sent: writes, most }),
            Some(Unread::NoMemory) => return Err(Trouble::NoMemory { is_sent: writes }),
        }
        self.has_answered = true;
        // What nobody asked for would be taken for the next answer.
        self.is_broken = has_more || ends.has_more();
        if is_asking.is_empty() {
            return Ok(read);
        }
        let (extra, answers): (Vec<_>, Vec<_>) =
            read.into_iter().enumerate().partition(|(place, _)| is_asking.get(*place).copied().unwrap_or_default());
        for (_, reply) in extra {
            if let Reply::Refused(refusal) = reply {
                return Err(Trouble::Refused(refusal, None));
            }
        }
        Ok(answers.into_iter().map(|(_, reply)| reply).collect())
    }
}

/// The commands with ASKING before each, or before the transaction that it is a part of; and which of them are those.
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
