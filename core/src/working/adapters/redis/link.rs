//! The bytes between loopmem and a Redis server: a socket, with TLS over it where the URL asks for it.
//!
//! The socket is asked for a few milliseconds at a time, so that a wait sees that the call was cancelled or that its time
//! is over. The time is looked at after every piece too: a server that never stops sending is no more patiently heard
//! than one that is silent.

use std::cell::{Cell, RefCell};
use std::io::{self, Read, Write as _};
use std::mem::MaybeUninit;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::time::Duration;

use rustls::ClientConnection;
use socket2::{Domain, SockAddr, Socket, Type};

use super::refusal::Trouble;
use super::resolve::resolved;
use super::server::Node;
use super::tls;
use super::wait::ServerWait;
use crate::error::Error;

/// How long the socket is asked at a time.
const TICK: Duration = Duration::from_millis(5);
/// How long the kernel is asked at first whether a connection is made.
const CONNECTING: Duration = Duration::from_millis(50);

/// A connected socket.
pub(super) struct Link {
    socket: Socket,
    tls: Option<Box<ClientConnection>>,
}

impl Link {
    /// Connects to one of the addresses of `node`; returns them too, where they are addresses of the internet.
    pub(super) fn open(node: &Node, wait: &ServerWait<'_>) -> Result<(Self, Vec<IpAddr>), Trouble> {
        let unreachable = |cause: &dyn std::fmt::Display| Trouble::Unreachable { cause: cause.to_string() };
        let (addresses, ips) = match node {
            Node::Unix(path) => (vec![SockAddr::unix(path).map_err(|cause| unreachable(&cause))?], Vec::new()),
            Node::Tcp(host, port) => {
                let found = look_up(host, *port, wait)?;
                let ips = found.iter().map(SocketAddr::ip).collect();
                (found.into_iter().map(SockAddr::from).collect(), ips)
            }
        };
        let mut trouble = unreachable(&"its name stands for no address");
        for address in addresses {
            let socket = Socket::new(address.domain(), Type::STREAM, None).map_err(|cause| unreachable(&cause))?;
            let waiting = Waiting::new(&socket, wait);
            match waiting.connect(&address) {
                Ok(()) => return Ok((Link { socket, tls: None }, ips)),
                Err(cause) => match waiting.trouble(false, &cause) {
                    Trouble::Lost { cause, .. } => trouble = Trouble::Unreachable { cause },
                    ended => return Err(ended),
                },
            }
        }
        Err(trouble)
    }

    /// Speaks TLS from now on: returns when the server has proved who it is.
    pub(super) fn secure(
        &mut self,
        session: Box<ClientConnection>,
        at: &str,
        wait: &ServerWait<'_>,
    ) -> Result<(), Trouble> {
        let session = self.tls.insert(session);
        let waiting = Waiting::new(&self.socket, wait);
        let shaken = (|| {
            while session.is_handshaking() {
                flush(session, &waiting)?;
                if session.is_handshaking() {
                    receive(session, &waiting)?;
                }
            }
            flush(session, &waiting)
        })();
        shaken.map_err(|cause| match waiting.trouble_at(at, false, &cause) {
            Trouble::Late { is_sent } => Trouble::Untrusted { is_sent, error: tls::unfinished(at, wait.timeout()) },
            trouble => trouble,
        })
    }

    /// Whether it still leads to the server, as far as this side can tell without asking.
    pub(super) fn is_open(&self) -> bool {
        let mut byte = [MaybeUninit::uninit()];
        let peeked = self.socket.recv_with_flags(&mut byte, libc::MSG_PEEK | libc::MSG_DONTWAIT);
        // Its end, and anything that nobody asked for, could be read at once.
        peeked.is_err_and(|cause| cause.kind() == io::ErrorKind::WouldBlock)
    }

    /// Its ends, for one exchange.
    pub(super) fn ends<'l>(&'l mut self, wait: &'l ServerWait<'l>) -> Ends<'l> {
        Ends { waiting: Waiting::new(&self.socket, wait), tls: self.tls.as_deref_mut() }
    }
}

/// The two ends of a link, during one exchange.
pub(super) struct Ends<'l> {
    waiting: Waiting<'l>,
    tls: Option<&'l mut ClientConnection>,
}

impl Ends<'_> {
    /// Sends everything.
    pub(super) fn send(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let sent = match &mut self.tls {
                None => {
                    let mut socket = self.waiting.socket;
                    self.waiting.patiently(|| socket.write(bytes))?
                }
                Some(tls) => {
                    let taken = tls.writer().write(bytes)?;
                    flush(tls, &self.waiting)?;
                    taken
                }
            };
            bytes = bytes.get(sent..).unwrap_or_default();
        }
        Ok(())
    }

    /// Everything was sent. For `grace` pieces more it is not heard that the call was cancelled.
    pub(super) fn begin_to_read(&self, grace: usize) {
        self.waiting.grace.set(grace);
        self.waiting.has_begun.set(false);
    }

    /// Whether TLS has more than what was read.
    pub(super) fn has_more(&mut self) -> bool {
        let Some(tls) = &mut self.tls else { return false };
        tls.process_new_packets().map_or(true, |state| state.plaintext_bytes_to_read() > 0)
    }

    /// What `cause` means, for what was sent or not.
    pub(super) fn trouble(&self, at: &str, is_sent: bool, cause: &io::Error) -> Trouble {
        self.waiting.trouble_at(at, is_sent, cause)
    }
}

impl Read for &mut Ends<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(tls) = &mut self.tls else { return (&self.waiting).read(buffer) };
        loop {
            match tls.reader().read(buffer) {
                Err(cause) if cause.kind() == io::ErrorKind::WouldBlock => receive(tls, &self.waiting)?,
                read => return read,
            }
        }
    }
}

/// Sends what TLS has to send.
fn flush(tls: &mut ClientConnection, mut waiting: &Waiting<'_>) -> io::Result<()> {
    while tls.wants_write() {
        tls.write_tls(&mut waiting)?;
    }
    Ok(())
}

/// Receives a piece for TLS, and answers it where TLS asks for an answer.
fn receive(tls: &mut ClientConnection, mut waiting: &Waiting<'_>) -> io::Result<()> {
    let is_over = tls.read_tls(&mut waiting)? == 0;
    let read = tls.process_new_packets();
    // The server is told why it is not trusted, if it still listens.
    let told = flush(tls, waiting);
    read.map_err(io::Error::other)?;
    if is_over && tls.is_handshaking() {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed the connection during TLS"));
    }
    told
}

fn look_up(host: &str, port: u16, wait: &ServerWait<'_>) -> Result<Vec<SocketAddr>, Trouble> {
    if let Ok(ip) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(ip, port)]);
    }
    let host = host.to_owned();
    resolved(wait, move || Ok((host.as_str(), port).to_socket_addrs()?.collect()))
}

/// A socket, asked until the call is to end.
struct Waiting<'w> {
    socket: &'w Socket,
    wait: &'w ServerWait<'w>,
    /// For how many pieces it is not heard that the call was cancelled.
    grace: Cell<usize>,
    /// Whether a piece came or went already: the first one is waited for without looking at the time.
    has_begun: Cell<bool>,
    is_late: Cell<bool>,
    cancelled: RefCell<Option<Error>>,
}

impl<'w> Waiting<'w> {
    fn new(socket: &'w Socket, wait: &'w ServerWait<'w>) -> Self {
        let (has_begun, is_late) = (Cell::new(false), Cell::new(false));
        Waiting { socket, wait, grace: Cell::new(0), has_begun, is_late, cancelled: RefCell::new(None) }
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

    /// Does it until it neither waits nor is interrupted.
    fn patiently(&self, mut act: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
        use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
        // Pieces that follow each other closely would never be waited for.
        if self.has_begun.replace(true) {
            self.still_time()?;
        }
        loop {
            match act() {
                Err(cause) if matches!(cause.kind(), WouldBlock | TimedOut | Interrupted) => self.still_time()?,
                done => return done,
            }
        }
    }

    fn pause(&self) -> io::Result<()> {
        self.still_time()?;
        self.wait.patience.pause(TICK).map(drop).or_else(|_| self.still_time())
    }

    fn still_time(&self) -> io::Result<()> {
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

    /// What `cause` means, for what was sent or not.
    fn trouble(&self, is_sent: bool, cause: &io::Error) -> Trouble {
        match self.cancelled.take() {
            Some(cancelled) if !is_sent => Trouble::Ended(cancelled),
            Some(_) => Trouble::Late { is_sent },
            None if self.is_late.get() => Trouble::Late { is_sent },
            None => Trouble::Lost { is_sent, cause: cause.to_string() },
        }
    }

    /// As [`trouble`](Self::trouble), with what TLS with the server `at` there has to say.
    fn trouble_at(&self, at: &str, is_sent: bool, cause: &io::Error) -> Trouble {
        match cause.get_ref().and_then(|cause| cause.downcast_ref()) {
            Some(refused) => Trouble::Untrusted { is_sent, error: tls::refused(at, refused) },
            None => self.trouble(is_sent, cause),
        }
    }
}

impl Read for &Waiting<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut socket = self.socket;
        self.patiently(|| socket.read(buffer))
    }
}

impl io::Write for &Waiting<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut socket = self.socket;
        self.patiently(|| socket.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
