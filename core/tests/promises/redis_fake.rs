//! Servers on the loopback interface that answer as a test requires and record what they receive.

use std::io::{Read, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A fake server.
pub(crate) struct Fake {
    pub(crate) port: u16,
    host: String,
    received: Arc<Mutex<Vec<String>>>,
}

impl Fake {
    /// Listens on `host`. Each piece that comes is noted, and `answer` writes to the stream; `false` closes it.
    pub(crate) fn start(host: &str, answer: impl Fn(&mut TcpStream, &str) -> bool + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((host, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (received, answer) = (Arc::new(Mutex::new(Vec::new())), Arc::new(answer));
        let notes = Arc::clone(&received);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, notes, answer) = (stream.unwrap(), Arc::clone(&notes), Arc::clone(&answer));
                notes.lock().unwrap().push("connected".to_owned());
                thread::spawn(move || {
                    let mut bytes = vec![0; 1 << 20];
                    while let Ok(count @ 1..) = stream.read(&mut bytes) {
                        let text = String::from_utf8_lossy(&bytes[..count]).into_owned();
                        notes.lock().unwrap().push(text.clone());
                        if !answer(&mut stream, &text) {
                            return;
                        }
                    }
                });
            }
        });
        Fake { port, host: host.to_owned(), received }
    }

    /// Answers each command that comes with these bytes, and a password with OK.
    pub(crate) fn saying(host: &str, bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Fake::start(host, move |stream, text| {
            let answer = if text.contains("AUTH") { b"+OK\r\n" } else { &*bytes };
            let commands = text.lines().filter(|line| line.starts_with('*')).count();
            stream.write_all(&answer.repeat(commands.max(1))).is_ok()
        })
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://{}:{}", self.host, self.port)
    }

    /// What came, and `connected` for each connection.
    pub(crate) fn received(&self) -> Vec<String> {
        self.received.lock().unwrap().clone()
    }
}
