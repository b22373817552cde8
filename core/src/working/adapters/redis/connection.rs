//! A connection to a Redis server: commands go out together, their answers come back together, and every wait has an end.
//!
//! The socket is asked for a few milliseconds at a time, so that a wait sees that the call was cancelled or that its time
//! is over.

use std::cell::{Cell, RefCell};
use std::io::{self, Read, Write as _};
use std::mem::MaybeUninit;
use std::time::Duration;

use redis::{ErrorKind, Parser, Pipeline, Value};
use socket2::{Domain, SockAddr, Socket, Type};

use super::refusal::{Trouble, refusal_in};
use super::server::{Node, Server};
use crate::disk::Patience;
use crate::error::Error;

/// How long the socket is asked at a time.
const TICK: Duration = Duration::from_millis(5);
/// How long the kernel is asked at first whether a connection is made.
const CONNECTING: Duration = Duration::from_millis(50);
/// How many ticks a call that was cancelled still waits for the answer to what it has written.
const GRACE: usize = 100;

/// A connection, on which nothing is under way.
pub(super) struct Connection {
    /// Whom it leads to.
    pub(super) node: Node,
    socket: Socket,
    /// Something went wrong on it: nobody knows what would be read next.
    is_broken: bool,
    /// The server watches keys for it.
    is_watching: bool,
}

impl Connection {
    /// Connects, and says who asks and for which database.
    pub(super) fn open(server: &Server, node: &Node, patience: &Patience<'_>) -> Result<Self, Trouble> {
        let socket = connect(node, patience)?;
        let mut connection = Connection { node: node.clone(), socket, is_broken: false, is_watching: false };
        let greeting = server.greeting();
        if !greeting.is_empty() {
            connection.ask(&greeting, patience)?;
        }
        Ok(connection)
    }

    /// Whether nothing went wrong on it yet.
    pub(super) fn is_whole(&self) -> bool {
        !self.is_broken
    }

    /// Whether it still leads to the server, as far as this side can tell without asking.
    pub(super) fn is_open(&self) -> bool {
        let mut byte = [MaybeUninit::uninit()];
        let peeked = self.socket.recv_with_flags(&mut byte, libc::MSG_PEEK | libc::MSG_DONTWAIT);
        // Its end, and anything that nobody asked for, could be read at once.
        peeked.is_err_and(|cause| cause.kind() == io::ErrorKind::WouldBlock)
    }

    /// Sends commands that write nothing, and returns an answer to each.
    pub(super) fn ask(&mut self, commands: &Pipeline, patience: &Patience<'_>) -> Result<Vec<Value>, Trouble> {
        let answers = self.exchange(commands, patience, false)?;
        match refusal_in(&answers) {
            Some((_, refusal)) => Err(Trouble::Refused(refusal.clone(), None)),
            None => Ok(answers),
        }
    }

    /// Sends commands that write. Errors stand among the answers. What was sent is waited for, even if the call is
    /// cancelled meanwhile, and a trouble tells whether it was sent.
    pub(super) fn write(&mut self, commands: &Pipeline, patience: &Patience<'_>) -> Result<Vec<Value>, Trouble> {
        self.exchange(commands, patience, true)
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
    pub(super) fn unwatch(&mut self, patience: &Patience<'_>) {
        if self.is_watching && !self.is_broken {
            let mut commands = Pipeline::new();
            commands.cmd("UNWATCH");
            self.is_broken = self.ask(&commands, patience).is_err();
            self.is_watching = false;
        }
    }

    fn exchange(&mut self, commands: &Pipeline, patience: &Patience<'_>, writes: bool) -> Result<Vec<Value>, Trouble> {
        self.is_broken = true;
        let waiting = Waiting::new(&self.socket, patience);
        // The last byte is that of the last command: without it there is no EXEC.
        waiting.send(&commands.get_packed_pipeline()).map_err(|cause| waiting.trouble(false, &cause))?;
        waiting.grace.set(if writes { GRACE } else { 0 });
        // One of its own: what was read for a long answer is not kept.
        let mut parser = Parser::new();
        let mut answers = Vec::with_capacity(commands.len());
        for _ in 0..commands.len() {
            let answer = parser.parse_value(&waiting).map_err(|cause| match cause.kind() {
                ErrorKind::Parse => Trouble::NoRedis(cause.to_string()),
                _ => waiting.trouble(writes, &cause),
            });
            answers.push(answer?);
        }
        self.is_broken = false;
        Ok(answers)
    }
}

/// A socket that leads to one of the node's addresses.
fn connect(node: &Node, patience: &Patience<'_>) -> Result<Socket, Trouble> {
    let lost = |cause: &dyn std::fmt::Display| Trouble::Lost { is_sent: false, cause: cause.to_string() };
    let mut trouble = lost(&"its name stands for no address");
    for address in node.addresses().map_err(|cause| lost(&cause))? {
        let socket = match Socket::new(address.domain(), Type::STREAM, None) {
            Ok(socket) => socket,
            Err(cause) => return Err(lost(&cause)),
        };
        let waiting = Waiting::new(&socket, patience);
        match waiting.connect(&address) {
            Ok(()) => return Ok(socket),
            Err(cause) => trouble = waiting.trouble(false, &cause),
        }
        if !matches!(trouble, Trouble::Lost { .. }) {
            break;
        }
    }
    Err(trouble)
}

/// A socket, asked until the call is to end.
struct Waiting<'w> {
    socket: &'w Socket,
    patience: &'w Patience<'w>,
    /// For how many ticks it is not heard that the call was cancelled.
    grace: Cell<usize>,
    is_late: Cell<bool>,
    cancelled: RefCell<Option<Error>>,
}

impl<'w> Waiting<'w> {
    fn new(socket: &'w Socket, patience: &'w Patience<'w>) -> Self {
        Waiting { socket, patience, grace: Cell::new(0), is_late: Cell::new(false), cancelled: RefCell::new(None) }
    }

    fn connect(&self, address: &SockAddr) -> io::Result<()> {
        match self.socket.connect_timeout(address, CONNECTING) {
            Err(cause) if cause.kind() == io::ErrorKind::TimedOut => {
                // It goes on connecting.
                while self.socket.peer_addr().is_err() {
                    if let Some(cause) = self.socket.take_error()? {
                        return Err(cause);
                    }
                    self.pause()?;
                }
            }
            connected => connected?,
        }
        if address.domain() != Domain::UNIX {
            self.socket.set_tcp_nodelay(true)?;
        }
        self.socket.set_read_timeout(Some(TICK))?;
        self.socket.set_write_timeout(Some(TICK))
    }

    fn send(&self, mut bytes: &[u8]) -> io::Result<()> {
        let mut socket = self.socket;
        while !bytes.is_empty() {
            let sent = self.patiently(|| socket.write(bytes))?;
            bytes = bytes.get(sent..).unwrap_or_default();
        }
        Ok(())
    }

    /// Does it until it neither waits nor is interrupted.
    fn patiently(&self, mut act: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
        use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
        loop {
            match act() {
                Err(cause) if matches!(cause.kind(), WouldBlock | TimedOut | Interrupted) => self.still_time()?,
                done => return done,
            }
        }
    }

    fn pause(&self) -> io::Result<()> {
        self.still_time()?;
        self.patience.pause(TICK).map(drop).or_else(|_| self.still_time())
    }

    fn still_time(&self) -> io::Result<()> {
        match self.patience.is_over() {
            Ok(false) => return Ok(()),
            Ok(true) => self.is_late.set(true),
            Err(cancelled) => match self.grace.get().checked_sub(1) {
                Some(rest) => {
                    self.grace.set(rest);
                    return Ok(());
                }
                None => drop(self.cancelled.replace(Some(cancelled))),
            },
        }
        Err(io::ErrorKind::TimedOut.into())
    }

    /// What `cause` means, for what was sent or not.
    fn trouble(&self, is_sent: bool, cause: &dyn std::fmt::Display) -> Trouble {
        match self.cancelled.take() {
            Some(cancelled) if !is_sent => Trouble::Ended(cancelled),
            Some(_) => Trouble::Late { is_sent },
            None if self.is_late.get() => Trouble::Late { is_sent },
            None => Trouble::Lost { is_sent, cause: cause.to_string() },
        }
    }
}

impl Read for &Waiting<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut socket = self.socket;
        self.patiently(|| socket.read(buffer))
    }
}
