//! The byte stream to a Redis server: a socket, with TLS if the URL asks for it. Whatever a call does with it ends at
//! the call's deadline or when the call is cancelled.
//!
//! Resolving a name and connecting cannot be interrupted, so they run on a thread, which is abandoned when the call
//! ends. A connected socket has a time-out of a few milliseconds, after which the deadline is checked. It is also checked
//! between reads, so a server that never stops sending cannot exceed it.

use std::cell::{Cell, RefCell};
use std::io::{self, Read, Write};
use std::mem::MaybeUninit;
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs as _};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use rustls::ClientConnection;
use socket2::Socket;

use super::server::Node;
use crate::disk::{Deadline, PerProcess, WaitOptions};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::warning::Warning;

/// The socket's time-out, and how often a call checks its deadline.
const TICK: Duration = Duration::from_millis(5);
/// After how long a call logs what it waits for.
const NOTICE: Duration = Duration::from_secs(1);
/// The number of concurrent threads that connect: an abandoned one keeps running for a while.
const MOST_THREADS: usize = 32;

/// Its other references are those of the threads that connect.
static THREADS: PerProcess<Arc<()>> = PerProcess::new();

/// How long a call waits for its server. A call that waits for longer than a second logs once what it waits for.
pub(super) struct ServerWait<'w> {
    home: &'w Home,
    pub(super) deadline: Deadline<'w>,
    is_noticed: Cell<bool>,
    /// The server that the call waits for, as errors name it.
    at: RefCell<String>,
}

impl<'w> ServerWait<'w> {
    /// Waits as long as `wait` says or as configured.
    pub(super) fn new(home: &'w Home, wait: &'w WaitOptions) -> Self {
        let deadline = home.disk().deadline(wait, home.config().adapter_timeout);
        ServerWait { home, deadline, is_noticed: Cell::new(false), at: RefCell::default() }
    }

    /// Sets the server that the call waits for.
    pub(super) fn set_server(&self, at: &str) {
        at.clone_into(&mut self.at.borrow_mut());
    }

    /// The call's time-out in milliseconds.
    pub(super) fn millis(&self) -> u128 {
        self.deadline.timeout.as_millis()
    }

    /// Whether the deadline has passed; fails when the call is cancelled.
    pub(super) fn is_over(&self) -> Result<bool> {
        let is_over = self.deadline.is_over()?;
        let waited = self.deadline.timeout.saturating_sub(self.deadline.left());
        if !is_over && waited >= NOTICE && !self.is_noticed.replace(true) {
            let at = self.at.borrow().clone();
            Warning::new("waiting for the Redis server").of_server(&at).emit(self.home.redactor());
        }
        Ok(is_over)
    }

    /// Fails when the call has to end.
    pub(super) fn check(&self) -> Result<()> {
        if !self.is_over()? {
            return Ok(());
        }
        let (at, millis) = (self.at.borrow(), self.millis());
        let message = format!("the Redis server {at} did not answer within {millis} ms; try again with back-off");
        Err(Error::new(ErrorKind::Adapter, message).mark_retryable())
    }
}

/// A connected socket. Its I/O errors may contain an [`Error`], which then is the one to return.
pub(super) struct Stream {
    socket: Socket,
    tls: Option<Box<ClientConnection>>,
}

/// Bytes in both directions.
pub(super) trait Duplex: Read + Write {}

impl<S: Read + Write> Duplex for S {}

impl Stream {
    /// Connects to one of the addresses of `node`; also returns its IP addresses.
    pub(super) fn open(node: &Node, wait: &ServerWait<'_>) -> io::Result<(Self, Vec<IpAddr>)> {
        // The call notices its deadline first.
        let (node, timeout) = (node.clone(), wait.deadline.left().saturating_add(NOTICE));
        let (socket, addresses) = on_thread(wait, move || connect(&node, timeout))?;
        socket.set_read_timeout(Some(TICK))?;
        socket.set_write_timeout(Some(TICK))?;
        Ok((Stream { socket, tls: None }, addresses))
    }

    /// Starts TLS; returns when the server has been authenticated.
    pub(super) fn secure(&mut self, session: Box<ClientConnection>, wait: &ServerWait<'_>) -> io::Result<()> {
        let session = self.tls.insert(session);
        let mut timed = TimedSocket { socket: &self.socket, wait, grace: 0, has_begun: false };
        while session.is_handshaking() {
            session.complete_io(&mut timed)?;
        }
        Ok(())
    }

    /// Sends or receives. A cancel is ignored for the next `grace` time-outs of the socket.
    pub(super) fn transfer<T>(
        &mut self,
        wait: &ServerWait<'_>,
        grace: usize,
        act: impl FnOnce(&mut dyn Duplex) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut timed = TimedSocket { socket: &self.socket, wait, grace, has_begun: false };
        match &mut self.tls {
            Some(session) => act(&mut rustls::Stream::new(&mut **session, &mut timed)),
            None => act(&mut timed),
        }
    }

    /// Whether it is still open, as far as is known without sending anything.
    pub(super) fn is_open(&self) -> bool {
        let mut byte = [MaybeUninit::uninit()];
        let peeked = self.socket.recv_with_flags(&mut byte, libc::MSG_PEEK | libc::MSG_DONTWAIT);
        // End of stream and unsolicited data would be readable at once.
        peeked.is_err_and(|cause| cause.kind() == io::ErrorKind::WouldBlock)
    }

    /// Whether TLS has unread data.
    pub(super) fn has_more(&mut self) -> bool {
        let Some(session) = &mut self.tls else { return false };
        session.process_new_packets().map_or(true, |state| state.plaintext_bytes_to_read() > 0)
    }
}

/// Connects, without regard to the call's cancel.
fn connect(node: &Node, timeout: Duration) -> io::Result<(Socket, Vec<IpAddr>)> {
    let (host, port) = match node {
        Node::Unix(path) => return Ok((UnixStream::connect(path)?.into(), Vec::new())),
        Node::Tcp(host, port) => (host.as_str(), *port),
        _ => return Err(io::ErrorKind::Unsupported.into()),
    };
    let addresses: Vec<_> = (host, port).to_socket_addrs()?.collect();
    let mut failure = io::Error::other("its name has no address");
    for address in &addresses {
        match TcpStream::connect_timeout(address, timeout) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                return Ok((stream.into(), addresses.iter().map(SocketAddr::ip).collect()));
            }
            Err(cause) => failure = cause,
        }
    }
    Err(failure)
}

/// Runs `task` on a separate thread, and waits for it until the call has to end.
fn on_thread<T: Send + 'static>(
    wait: &ServerWait<'_>,
    task: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let permit = loop {
        let permit = Arc::clone(THREADS.get());
        if Arc::strong_count(&permit) <= MOST_THREADS + 1 {
            break permit;
        }
        drop(permit);
        wait.check().map_err(ended)?;
        wait.deadline.pause(TICK).map_err(ended)?;
    };
    let (done, doing) = sync_channel(1);
    let task = move || {
        let result = task();
        drop(permit);
        // The call may have ended.
        let _ = done.send(result);
    };
    thread::Builder::new().name("loopmem-connect".to_owned()).spawn(task)?;
    loop {
        match doing.recv_timeout(TICK) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Timeout) => wait.check().map_err(ended)?,
            Err(RecvTimeoutError::Disconnected) => return Err(io::Error::other("connecting failed")),
        }
    }
}

/// The I/O error for a call that has to end.
fn ended(error: Error) -> io::Error {
    let is_late = error.kind() != ErrorKind::Cancelled;
    io::Error::new(if is_late { io::ErrorKind::TimedOut } else { io::ErrorKind::Other }, error)
}

/// A socket whose operations end at the call's deadline.
struct TimedSocket<'s> {
    socket: &'s Socket,
    wait: &'s ServerWait<'s>,
    /// For how many more time-outs a cancel is ignored.
    grace: usize,
    /// Whether any data was transferred; before that, the deadline is not checked.
    has_begun: bool,
}

impl TimedSocket<'_> {
    /// Repeats `act` until it neither times out nor is interrupted.
    fn repeat(&mut self, mut act: impl FnMut(&Socket) -> io::Result<usize>) -> io::Result<usize> {
        use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
        // If data arrives continuously, `act` never times out.
        if std::mem::replace(&mut self.has_begun, true) {
            self.check()?;
        }
        loop {
            match act(self.socket) {
                Err(cause) if matches!(cause.kind(), WouldBlock | TimedOut | Interrupted) => self.check()?,
                done => return done,
            }
        }
    }

    fn check(&mut self) -> io::Result<()> {
        match self.wait.check() {
            Err(error) if error.kind() == ErrorKind::Cancelled && self.grace > 0 => {
                self.grace -= 1;
                Ok(())
            }
            checked => checked.map_err(ended),
        }
    }
}

impl Read for TimedSocket<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.repeat(|mut socket| socket.read(buffer))
    }
}

impl Write for TimedSocket<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.repeat(|mut socket| socket.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::mpsc::channel;

    use super::*;
    use crate::disk::Cancel;
    use crate::home::Options;

    #[test]
    fn a_hanging_resolver_cannot_outlast_the_deadline_or_a_cancel() {
        // Opening a home creates nothing.
        let home = Home::open(Options::at("/proc/self/loopmem")).unwrap();
        let cancel = Cancel::new();
        let (answer, answers) = channel::<()>();
        let answers = Arc::new(Mutex::new(answers));
        let hanging = || {
            let answers = Arc::clone(&answers);
            move || {
                let _ = answers.lock().unwrap().recv();
                Ok(())
            }
        };
        let failure = |ended: io::Result<()>| ended.unwrap_err().downcast::<Error>().unwrap();
        // More than the number of concurrent lookups.
        for _ in 0..MOST_THREADS + 2 {
            let short = WaitOptions::at_most(Duration::from_millis(20));
            let late = failure(on_thread(&ServerWait::new(&home, &short), hanging()));
            assert!(late.message().contains("did not answer within 20 ms"), "{late}");
        }
        let long = WaitOptions::new(Some(Duration::from_secs(600)), cancel.clone());
        cancel.cancel();
        let cancelled = failure(on_thread(&ServerWait::new(&home, &long), hanging()));
        assert_eq!(cancelled.kind(), ErrorKind::Cancelled);
        // Finished lookups release their permits.
        drop(answer);
        let wait = WaitOptions::at_most(Duration::from_secs(600));
        assert_eq!(on_thread(&ServerWait::new(&home, &wait), || Ok(5)).unwrap(), 5);
    }
}
