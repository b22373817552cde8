//! The byte stream to a Redis server: a socket, with TLS if the URL asks for it.
//!
//! The socket has a time-out of a few milliseconds, so that waits notice a cancel or the deadline. The deadline is also
//! checked between reads, so a server that never stops sending cannot exceed it.

use std::cell::{Cell, RefCell};
use std::io::{self, Read, Write as _};
use std::mem::MaybeUninit;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::time::Duration;

use rustls::ClientConnection;
use socket2::{Domain, SockAddr, Socket, Type};

use super::failure::Failure;
use super::resolve::resolve;
use super::server::Node;
use super::tls;
use super::wait::ServerWait;
use crate::error::Error;

/// The socket's time-out.
const TICK: Duration = Duration::from_millis(5);
/// The initial time-out for connecting, before polling.
const CONNECTING: Duration = Duration::from_millis(50);

/// A connected socket.
pub(super) struct Link {
    socket: Socket,
    tls: Option<Box<ClientConnection>>,
}

impl Link {
    /// Connects to one of the addresses of `node`; also returns its IP addresses.
    pub(super) fn open(node: &Node, wait: &ServerWait<'_>) -> Result<(Self, Vec<IpAddr>), Failure> {
        let unreachable = |cause: &dyn std::fmt::Display| Failure::Unreachable { cause: cause.to_string() };
        let (addresses, ips) = match node {
            Node::Unix(path) => (vec![SockAddr::unix(path).map_err(|cause| unreachable(&cause))?], Vec::new()),
            Node::Tcp(host, port) => {
                let found = look_up(host, *port, wait)?;
                let ips = found.iter().map(SocketAddr::ip).collect();
                (found.into_iter().map(SockAddr::from).collect(), ips)
            }
        };
        let mut failure = unreachable(&"its name has no address");
        for address in addresses {
            let socket = Socket::new(address.domain(), Type::STREAM, None).map_err(|cause| unreachable(&cause))?;
            let timed = TimedSocket::new(&socket, wait);
            match timed.connect(&address) {
                Ok(()) => return Ok((Link { socket, tls: None }, ips)),
                Err(cause) => match timed.failure(false, &cause) {
                    Failure::Lost { cause, .. } => failure = Failure::Unreachable { cause },
                    ended => return Err(ended),
                },
            }
        }
        Err(failure)
    }

    /// Starts TLS; returns when the server has been authenticated.
    pub(super) fn secure(
        &mut self,
        session: Box<ClientConnection>,
        at: &str,
        wait: &ServerWait<'_>,
    ) -> Result<(), Failure> {
        let session = self.tls.insert(session);
        let timed = TimedSocket::new(&self.socket, wait);
        let handshake = (|| {
            while session.is_handshaking() {
                flush(session, &timed)?;
                if session.is_handshaking() {
                    receive(session, &timed)?;
                }
            }
            flush(session, &timed)
        })();
        handshake.map_err(|cause| match timed.failure_at(at, false, &cause) {
            Failure::TimedOut { is_sent } => Failure::Tls { is_sent, error: tls::unfinished(at, wait.timeout()) },
            failure => failure,
        })
    }

    /// Whether it is still open, as far as is known without sending anything.
    pub(super) fn is_open(&self) -> bool {
        let mut byte = [MaybeUninit::uninit()];
        let peeked = self.socket.recv_with_flags(&mut byte, libc::MSG_PEEK | libc::MSG_DONTWAIT);
        // End of stream and unsolicited data would be readable at once.
        peeked.is_err_and(|cause| cause.kind() == io::ErrorKind::WouldBlock)
    }

    /// Begins one exchange.
    pub(super) fn exchange<'l>(&'l mut self, wait: &'l ServerWait<'l>) -> Exchange<'l> {
        Exchange { timed: TimedSocket::new(&self.socket, wait), tls: self.tls.as_deref_mut() }
    }
}

/// Sends commands and receives their answers.
pub(super) struct Exchange<'l> {
    timed: TimedSocket<'l>,
    tls: Option<&'l mut ClientConnection>,
}

impl Exchange<'_> {
    /// Sends everything.
    pub(super) fn send(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let sent = match &mut self.tls {
                None => {
                    let mut socket = self.timed.socket;
                    self.timed.repeat(|| socket.write(bytes))?
                }
                Some(tls) => {
                    let taken = tls.writer().write(bytes)?;
                    flush(tls, &self.timed)?;
                    taken
                }
            };
            bytes = bytes.get(sent..).unwrap_or_default();
        }
        Ok(())
    }

    /// Begins reading, after everything was sent. A cancel is ignored for the next `grace` reads.
    pub(super) fn begin_to_read(&self, grace: usize) {
        self.timed.grace.set(grace);
        self.timed.has_begun.set(false);
    }

    /// Whether TLS has unread data.
    pub(super) fn has_more(&mut self) -> bool {
        let Some(tls) = &mut self.tls else { return false };
        tls.process_new_packets().map_or(true, |state| state.plaintext_bytes_to_read() > 0)
    }

    /// Classifies `cause`; `is_sent` says whether the server may have received writes.
    pub(super) fn failure(&self, at: &str, is_sent: bool, cause: &io::Error) -> Failure {
        self.timed.failure_at(at, is_sent, cause)
    }
}

impl Read for &mut Exchange<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(tls) = &mut self.tls else { return (&self.timed).read(buffer) };
        loop {
            match tls.reader().read(buffer) {
                Err(cause) if cause.kind() == io::ErrorKind::WouldBlock => receive(tls, &self.timed)?,
                read => return read,
            }
        }
    }
}

/// Sends pending TLS records.
fn flush(tls: &mut ClientConnection, mut timed: &TimedSocket<'_>) -> io::Result<()> {
    while tls.wants_write() {
        tls.write_tls(&mut timed)?;
    }
    Ok(())
}

/// Receives data for TLS, and sends TLS's response, if any.
fn receive(tls: &mut ClientConnection, mut timed: &TimedSocket<'_>) -> io::Result<()> {
    let is_over = tls.read_tls(&mut timed)? == 0;
    let read = tls.process_new_packets();
    // Sends the alert that says why the server is not trusted.
    let flushed = flush(tls, timed);
    read.map_err(io::Error::other)?;
    if is_over && tls.is_handshaking() {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed the connection during TLS"));
    }
    flushed
}

fn look_up(host: &str, port: u16, wait: &ServerWait<'_>) -> Result<Vec<SocketAddr>, Failure> {
    if let Ok(ip) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(ip, port)]);
    }
    let host = host.to_owned();
    resolve(wait, move || Ok((host.as_str(), port).to_socket_addrs()?.collect()))
}

/// A socket whose operations end at the call's deadline.
struct TimedSocket<'w> {
    socket: &'w Socket,
    wait: &'w ServerWait<'w>,
    /// For how many more reads a cancel is ignored.
    grace: Cell<usize>,
    /// Whether any data was transferred; before that, the deadline is not checked.
    has_begun: Cell<bool>,
    is_late: Cell<bool>,
    cancelled: RefCell<Option<Error>>,
}

impl<'w> TimedSocket<'w> {
    fn new(socket: &'w Socket, wait: &'w ServerWait<'w>) -> Self {
        let (has_begun, is_late) = (Cell::new(false), Cell::new(false));
        TimedSocket { socket, wait, grace: Cell::new(0), has_begun, is_late, cancelled: RefCell::new(None) }
    }

    fn connect(&self, address: &SockAddr) -> io::Result<()> {
        match self.socket.connect_timeout(address, CONNECTING) {
            Err(cause) if cause.kind() == io::ErrorKind::TimedOut => {
                // Connecting continues in the background.
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

    /// Repeats `act` until it neither times out nor is interrupted.
    fn repeat(&self, mut act: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
        use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
        // If data arrives continuously, `act` never times out.
        if self.has_begun.replace(true) {
            self.check_deadline()?;
        }
        loop {
            match act() {
                Err(cause) if matches!(cause.kind(), WouldBlock | TimedOut | Interrupted) => self.check_deadline()?,
                done => return done,
            }
        }
    }

    fn pause(&self) -> io::Result<()> {
        self.check_deadline()?;
        self.wait.deadline.pause(TICK).map(drop).or_else(|_| self.check_deadline())
    }

    fn check_deadline(&self) -> io::Result<()> {
        match self.wait.is_over() {
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

    /// Classifies `cause`; `is_sent` says whether the server may have received writes.
    fn failure(&self, is_sent: bool, cause: &io::Error) -> Failure {
        match self.cancelled.take() {
            Some(cancelled) if !is_sent => Failure::Final(cancelled),
            Some(_) => Failure::TimedOut { is_sent },
            None if self.is_late.get() => Failure::TimedOut { is_sent },
            None => Failure::Lost { is_sent, cause: cause.to_string() },
        }
    }

    /// As [`failure`](Self::failure), also for errors of TLS with the server `at`.
    fn failure_at(&self, at: &str, is_sent: bool, cause: &io::Error) -> Failure {
        match cause.get_ref().and_then(|cause| cause.downcast_ref()) {
            Some(refused) => Failure::Tls { is_sent, error: tls::refused(at, refused) },
            None => self.failure(is_sent, cause),
        }
    }
}

impl Read for &TimedSocket<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut socket = self.socket;
        self.repeat(|| socket.read(buffer))
    }
}

impl io::Write for &TimedSocket<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut socket = self.socket;
        self.repeat(|| socket.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
