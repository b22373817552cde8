//! Parsing the replies of a Redis server, with limits on their memory, nesting and line length.
//!
//! The server is not trusted: no memory is reserved because a reply announces it, and a reply that exceeds its limit is
//! rejected before it is stored. loopmem uses RESP2, but also parses the types of RESP3 that a proxy may send unasked.

use std::io::{self, Read};

use super::text::shown;

/// The limit on nested lists.
const MOST_DEPTH: usize = 8;
/// The longest line: a status, an error, a number.
const MOST_LINE: usize = 64 << 10;
/// The length to which an error reply is cut.
const KEPT_OF_AN_ERROR: usize = 4 << 10;
/// The size of reads.
const BUFFER: usize = 32 << 10;
/// The initial capacity of a list.
const FIRST_ENTRIES: usize = 1 << 10;

/// The answer to one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reply {
    Nil,
    Int(i64),
    Status(String),
    Bytes(Vec<u8>),
    List(Vec<Reply>),
    Error(ErrorReply),
}

/// An error reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ErrorReply {
    /// Its first word, such as `MOVED`.
    pub(super) code: String,
    /// The rest, cut to a few kilobytes.
    pub(super) details: String,
}

/// Why a reply could not be read.
#[derive(Debug)]
pub(super) enum Unread {
    Io(io::Error),
    /// It is not RESP; describes what was found.
    Malformed(String),
    /// It exceeds its limit.
    TooLarge,
    /// There is not enough memory for it.
    NoMemory,
}

/// Parses the replies of one exchange, which may use `left` more bytes in total.
pub(super) struct Replies<R> {
    source: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    left: usize,
}

impl<R: Read> Replies<R> {
    /// Parses replies from `source`, which may use `most` bytes of memory in total.
    pub(super) fn new(source: R, most: usize) -> Self {
        Replies { source, buffer: vec![0; BUFFER], start: 0, end: 0, left: most }
    }

    /// The next reply.
    pub(super) fn next(&mut self) -> Result<Reply, Unread> {
        self.reply(0)
    }

    /// Whether there is unparsed data.
    pub(super) fn has_more(&self) -> bool {
        self.start < self.end
    }

    fn reply(&mut self, depth: usize) -> Result<Reply, Unread> {
        self.charge(size_of::<Reply>())?;
        let kind = self.byte()?;
        match kind {
            b'+' | b',' | b'(' => Ok(Reply::Status(self.text()?)),
            b'-' => {
                let line = self.text()?;
                Ok(Reply::Error(ErrorReply::parse(&line)))
            }
            b':' => self.number().map(Reply::Int),
            b'#' => Ok(Reply::Int(i64::from(self.line()? == b"t"))),
            b'_' => self.line().map(|_| Reply::Nil),
            b'$' | b'=' | b'!' => {
                let Some(bytes) = self.bytes()? else { return Ok(Reply::Nil) };
                Ok(match kind {
                    b'!' => Reply::Error(ErrorReply::parse(&String::from_utf8_lossy(&bytes))),
                    // The first four bytes are the encoding.
                    b'=' => Reply::Bytes(bytes.get(4..).unwrap_or_default().to_vec()),
                    _ => Reply::Bytes(bytes),
                })
            }
            b'*' | b'~' => self.list(depth, 1),
            b'%' => self.list(depth, 2),
            _ => {
                let seen = self.buffer.get(self.start.saturating_sub(1)..self.end.min(self.start + 40));
                let seen = shown(&String::from_utf8_lossy(seen.unwrap_or_default()));
                Err(Unread::Malformed(match kind {
                    0x15 => "the server seems to require TLS (rediss://)".to_owned(),
                    _ => format!("a reply begins with {seen}"),
                }))
            }
        }
    }

    /// Parses a list of entries of `each` replies.
    fn list(&mut self, depth: usize, each: usize) -> Result<Reply, Unread> {
        let Some(count) = self.length()? else { return Ok(Reply::Nil) };
        if depth == MOST_DEPTH {
            return Err(Unread::Malformed(format!("a reply has more than {MOST_DEPTH} nested lists")));
        }
        let count = count.checked_mul(each).ok_or(Unread::TooLarge)?;
        // Each entry uses at least its own size.
        if count.checked_mul(size_of::<Reply>()).is_none_or(|bytes| bytes > self.left) {
            return Err(Unread::TooLarge);
        }
        let mut entries = Vec::new();
        entries.try_reserve(count.min(FIRST_ENTRIES)).map_err(|_| Unread::NoMemory)?;
        for _ in 0..count {
            let entry = self.reply(depth + 1)?;
            entries.try_reserve(1).map_err(|_| Unread::NoMemory)?;
            entries.push(entry);
        }
        Ok(Reply::List(entries))
    }

    /// Parses a bulk string; `None` for nil.
    fn bytes(&mut self) -> Result<Option<Vec<u8>>, Unread> {
        let Some(length) = self.length()? else { return Ok(None) };
        self.charge(length)?;
        let mut bytes = Vec::new();
        bytes.try_reserve(length.min(BUFFER)).map_err(|_| Unread::NoMemory)?;
        while bytes.len() < length {
            if !self.has_more() {
                self.fill()?;
            }
            let end = self.end.min(self.start.saturating_add(length - bytes.len()));
            let part = self.buffer.get(self.start..end).unwrap_or_default();
            bytes.try_reserve(part.len()).map_err(|_| Unread::NoMemory)?;
            bytes.extend_from_slice(part);
            self.start = end;
        }
        if (self.byte()?, self.byte()?) != (b'\r', b'\n') {
            return Err(Unread::Malformed("a value does not have the announced length".to_owned()));
        }
        Ok(Some(bytes))
    }

    /// Parses a length; `None` for -1.
    fn length(&mut self) -> Result<Option<usize>, Unread> {
        match self.number()? {
            -1 => Ok(None),
            length => usize::try_from(length).map(Some).map_err(|_| malformed_number()),
        }
    }

    fn number(&mut self) -> Result<i64, Unread> {
        let line = self.line()?;
        std::str::from_utf8(&line).ok().and_then(|text| text.parse().ok()).ok_or_else(malformed_number)
    }

    fn text(&mut self) -> Result<String, Unread> {
        let line = self.line()?;
        self.charge(line.len())?;
        Ok(String::from_utf8_lossy(&line).into_owned())
    }

    /// Reads a line, without its end.
    fn line(&mut self) -> Result<Vec<u8>, Unread> {
        let mut line = Vec::new();
        loop {
            let byte = self.byte()?;
            match byte {
                b'\n' if line.last() == Some(&b'\r') => {
                    line.pop();
                    return Ok(line);
                }
                _ if line.len() == MOST_LINE => return Err(Unread::TooLarge),
                _ => line.push(byte),
            }
        }
    }

    fn byte(&mut self) -> Result<u8, Unread> {
        if !self.has_more() {
            self.fill()?;
        }
        let byte = self.buffer.get(self.start).copied().unwrap_or_default();
        self.start += 1;
        Ok(byte)
    }

    fn fill(&mut self) -> Result<(), Unread> {
        match self.source.read(&mut self.buffer).map_err(Unread::Io)? {
            0 => Err(Unread::Io(io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed the connection"))),
            count => {
                (self.start, self.end) = (0, count);
                Ok(())
            }
        }
    }

    fn charge(&mut self, bytes: usize) -> Result<(), Unread> {
        self.left = self.left.checked_sub(bytes).ok_or(Unread::TooLarge)?;
        Ok(())
    }
}

impl ErrorReply {
    fn parse(line: &str) -> Self {
        let kept = line.get(..line.floor_char_boundary(KEPT_OF_AN_ERROR)).unwrap_or_default();
        let (code, details) = kept.split_once(' ').unwrap_or((kept, ""));
        ErrorReply { code: code.to_owned(), details: details.to_owned() }
    }
}

fn malformed_number() -> Unread {
    Unread::Malformed("a number is invalid".to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(bytes: &[u8], most: usize) -> Result<Reply, Unread> {
        Replies::new(bytes, most).next()
    }

    #[test]
    fn every_type_of_reply_is_read() {
        let reply =
            |code: &str, details: &str| Reply::Error(ErrorReply { code: code.to_owned(), details: details.to_owned() });
        for (bytes, reply) in [
            ("+OK\r\n", Reply::Status("OK".to_owned())),
            (":-7\r\n", Reply::Int(-7)),
            ("$-1\r\n", Reply::Nil),
            ("*-1\r\n", Reply::Nil),
            ("_\r\n", Reply::Nil),
            ("#t\r\n", Reply::Int(1)),
            ("$4\r\na\r\nb\r\n", Reply::Bytes(b"a\r\nb".to_vec())),
            ("=6\r\ntxt:ab\r\n", Reply::Bytes(b"ab".to_vec())),
            ("-MOVED 7 cache:1\r\n", reply("MOVED", "7 cache:1")),
            ("!7\r\nERR bad\r\n", reply("ERR", "bad")),
            ("*2\r\n:1\r\n*0\r\n", Reply::List(vec![Reply::Int(1), Reply::List(Vec::new())])),
            ("%1\r\n+a\r\n:1\r\n", Reply::List(vec![Reply::Status("a".to_owned()), Reply::Int(1)])),
        ] {
            assert_eq!(read(bytes.as_bytes(), 1 << 10).unwrap(), reply, "{bytes:?}");
        }
    }

    #[test]
    fn an_oversized_reply_is_rejected_before_memory_is_reserved() {
        let many = "*".to_owned() + &"9".repeat(18) + "\r\n";
        for bytes in ["$9999999999999\r\n", &many, "%9223372036854775807\r\n", "*1000\r\n:1\r\n"] {
            assert!(matches!(read(bytes.as_bytes(), 1 << 10), Err(Unread::TooLarge)), "{bytes:?}");
        }
        // Entries of a list count.
        let list = "*3\r\n".to_owned() + "$300\r\n" + &"x".repeat(300) + "\r\n$600\r\n";
        assert!(matches!(read(list.as_bytes(), 1 << 9), Err(Unread::TooLarge)));
        assert!(matches!(read(&[b'+'; 1 << 20], 1 << 30), Err(Unread::TooLarge)));
    }

    #[test]
    fn nesting_is_limited() {
        let deep = |depth: usize| "*1\r\n".repeat(depth) + ":1\r\n";
        assert!(read(deep(8).as_bytes(), 1 << 20).is_ok());
        for depth in [9, 100_000] {
            assert!(matches!(read(deep(depth).as_bytes(), 1 << 20), Err(Unread::Malformed(_))));
        }
    }

    proptest! {
        #[test]
        fn whatever_a_server_sends_is_a_reply_or_an_error(
            bytes in proptest::collection::vec(
                prop_oneof![Just(b'*'), Just(b'$'), Just(b'%'), Just(b'\r'), Just(b'\n'), b'0'..=b'9', any::<u8>()],
                0..64,
            )
        ) {
            let mut replies = Replies::new(&bytes[..], 1 << 12);
            while replies.next().is_ok() {}
        }
    }
}
