//! Reading what a program writes.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

/// The longest end of the standard error of a program that is reported, in bytes.
pub(super) const MAX_REPORTED: usize = 1_000;
/// How much before it is kept, so that a secret at its beginning is found as a whole, in bytes.
const MARGIN: usize = 64 << 10;

/// What is kept of an output.
#[derive(Clone, Copy)]
pub(super) enum Keep {
    /// All of it, up to this many bytes; `FileTooLarge` beyond.
    Upto(u64),
    /// The end.
    End,
}

/// Reads an output on a thread of its own, and sends it when it has ended.
pub(super) fn reader(source: Option<impl Read + Send + 'static>, keep: Keep) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = channel();
    if let Some(mut source) = source {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = match keep {
                Keep::Upto(limit) => read_all(source, limit, &mut bytes),
                Keep::End => read_end(&mut source, &mut bytes),
            };
            // The program may have been given up.
            let _ = sender.send(read.map(|()| bytes));
        });
    }
    receiver
}

fn read_all(source: impl Read, limit: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    let count = source.take(limit.saturating_add(1)).read_to_end(bytes)?;
    if count as u64 > limit { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(()) }
}

/// Reads everything, and keeps the end.
fn read_end(source: &mut impl Read, kept: &mut Vec<u8>) -> io::Result<()> {
    let mut block = [0; 4096];
    loop {
        match source.read(&mut block) {
            Ok(0) => return Ok(()),
            Ok(count) => {
                kept.extend_from_slice(&block[..count]);
                let excess = kept.len().saturating_sub(MAX_REPORTED + MARGIN);
                kept.drain(..excess);
            }
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            Err(cause) => return Err(cause),
        }
    }
}
