//! Reads input in another thread, so that a pause in it is noticed.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::thread;
use std::time::Duration;

use crate::human::environment::Stopwatch;

/// How much is read at a time, in bytes.
pub(crate) const PIECE: usize = 64 << 10;
/// How many pieces may be waiting.
const MAX_WAITING: usize = 2;
/// How long the input must be silent to pause, so that a message of several writes is judged as a whole.
const SILENCE: Duration = Duration::from_millis(10);
/// How long text may be kept although more arrives within [`SILENCE`]: a program may write a line every few
/// milliseconds. While pieces are waiting there is no pause at all, so a fast program is read in blocks.
const MAX_DELAY: Duration = Duration::from_millis(50);

/// What happened next.
pub(crate) enum Next {
    /// More was read.
    Piece(Vec<u8>),
    /// Nothing more can be read at the moment. Reported once until the next piece.
    Pause,
    /// The end of the input.
    End,
    /// The input cannot be read any further.
    Failed(io::Error),
}

/// An input that is read in pieces.
pub(crate) struct Pieces {
    waiting: Receiver<io::Result<Vec<u8>>>,
    /// Since when pieces have been returned without a pause.
    flowing: Option<Stopwatch>,
}

impl Pieces {
    /// Starts to read. The thread ends with the input or the process.
    pub(crate) fn of(input: Box<dyn Read + Send>) -> Self {
        let (sender, waiting) = sync_channel(MAX_WAITING);
        thread::spawn(move || read(input, &sender));
        Pieces { waiting, flowing: None }
    }

    pub(crate) fn next(&mut self) -> Next {
        let received = match self.waiting.try_recv() {
            Ok(piece) => Some(piece),
            Err(TryRecvError::Disconnected) => None,
            Err(TryRecvError::Empty) => match &self.flowing {
                None => self.waiting.recv().ok(),
                Some(since) if since.elapsed() >= MAX_DELAY => return self.pause(),
                Some(_) => match self.waiting.recv_timeout(SILENCE) {
                    Ok(piece) => Some(piece),
                    Err(RecvTimeoutError::Disconnected) => None,
                    Err(RecvTimeoutError::Timeout) => return self.pause(),
                },
            },
        };
        self.flowing.get_or_insert_with(Stopwatch::start);
        match received {
            Some(Ok(piece)) if piece.is_empty() => Next::End,
            Some(Ok(piece)) => Next::Piece(piece),
            Some(Err(cause)) => Next::Failed(cause),
            // Without an empty piece the input did not end: a part of it must not pass for the whole.
            None => Next::Failed(io::Error::other("reading stopped unexpectedly")),
        }
    }

    fn pause(&mut self) -> Next {
        self.flowing = None;
        Next::Pause
    }
}

/// Sends what is read, and an empty piece at the end.
fn read(mut input: Box<dyn Read + Send>, sender: &SyncSender<io::Result<Vec<u8>>>) {
    let mut buffer = vec![0; PIECE];
    loop {
        let read = match input.read(&mut buffer) {
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => continue,
            read => read.map(|length| buffer.get(..length).unwrap_or_default().to_vec()),
        };
        let is_last = read.as_ref().map_or(true, Vec::is_empty);
        // The receiver is gone if the output could not be written.
        if sender.send(read).is_err() || is_last {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_arrive_in_order_and_the_end_once_they_are_done() {
        let text: Vec<u8> = (0..500_000).map(|at: u32| at.to_le_bytes()[0]).collect();
        let mut pieces = Pieces::of(Box::new(io::Cursor::new(text.clone())));
        let mut read = Vec::new();
        loop {
            match pieces.next() {
                Next::Piece(piece) => read.extend(piece),
                Next::Pause => {}
                Next::End => break,
                Next::Failed(cause) => panic!("{cause}"),
            }
        }
        assert_eq!(read, text);
    }

    #[test]
    fn an_input_that_fails_does_not_end() {
        struct Failing;
        impl Read for Failing {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("gone"))
            }
        }
        assert!(matches!(Pieces::of(Box::new(Failing)).next(), Next::Failed(cause) if cause.to_string() == "gone"));
    }
}
