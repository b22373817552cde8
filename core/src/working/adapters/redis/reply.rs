//! Reading the replies of a Redis server, with limits on their memory, nesting and line length.
//!
//! The server is not trusted: no memory is reserved because a reply announces it, and a reply is rejected as soon as it
//! announces more than its limit. The parser of the `redis` crate has no limits and waits for everything that is
//! announced, so it gets single lines only. loopmem uses RESP2, but also reads the types of RESP3 that a proxy may send
//! unasked.

use std::io::{self, BufRead, BufReader, Read};

use redis::{Value, parse_redis_value};

use super::failure::{not_redis, too_large};
use super::server::shown;
use crate::safety::whole_words;

/// The limit on nested lists.
const MOST_DEPTH: usize = 8;
/// The longest line: a status, an error, a number.
const MOST_LINE: usize = 64 << 10;
/// The size of reads.
const BUFFER: usize = 32 << 10;
/// The initial capacity of a list.
const FIRST_ENTRIES: usize = 1 << 10;

/// Reads the replies of one exchange. Its I/O errors contain the [`Error`](crate::error::Error) for replies that are rejected.
pub(super) struct Replies<'r, R> {
    source: BufReader<R>,
    /// The server as errors name it.
    at: &'r str,
    most: usize,
    /// How many more bytes the replies may use.
    left: usize,
}

impl<'r, R: Read> Replies<'r, R> {
    /// Reads replies of the server `at`, which may use `most` bytes of memory in total.
    pub(super) fn new(source: R, at: &'r str, most: usize) -> Self {
        Replies { source: BufReader::with_capacity(BUFFER, source), at, most, left: most }
    }

    /// The next reply.
    pub(super) fn next(&mut self) -> io::Result<Value> {
        self.reply(0)
    }

    /// Whether there is unread data.
    pub(super) fn has_more(&self) -> bool {
        !self.source.buffer().is_empty()
    }

    fn reply(&mut self, depth: usize) -> io::Result<Value> {
        self.charge(size_of::<Value>())?;
        let mut kind = [0];
        self.source.read_exact(&mut kind)?;
        match kind[0] {
            b'$' => Ok(self.bytes()?.map_or(Value::Nil, Value::BulkString)),
            b'=' | b'!' => {
                let Some(bytes) = self.bytes()? else { return Ok(Value::Nil) };
                let text = String::from_utf8_lossy(&bytes);
                match kind[0] {
                    b'!' => self.parse(&format!("-{}\r\n", text.replace(['\r', '\n'], " "))),
                    // The first four bytes are the encoding.
                    _ => Ok(Value::BulkString(text.get(4..).unwrap_or_default().into())),
                }
            }
            b'*' | b'~' => self.list(depth, 1),
            b'%' => self.list(depth, 2),
            b'+' | b'-' | b':' | b'_' | b',' | b'#' | b'(' => {
                let line = self.line()?;
                self.charge(line.len())?;
                self.parse(&format!("{}{line}\r\n", char::from(kind[0])))
            }
            0x15 => Err(self.malformed("the server seems to require TLS (rediss://)")),
            other => {
                let seen = [&[other], self.source.buffer()].concat();
                let seen = whole_words(&seen, 40);
                Err(self.malformed(&format!("a reply begins with {}", shown(&String::from_utf8_lossy(seen)))))
            }
        }
    }

    /// Parses a reply of one line.
    fn parse(&self, line: &str) -> io::Result<Value> {
        parse_redis_value(line.as_bytes()).map_err(|_| self.malformed("a line is invalid"))
    }

    /// Reads a list of entries of `each` replies.
    fn list(&mut self, depth: usize, each: usize) -> io::Result<Value> {
        let Some(count) = self.length()? else { return Ok(Value::Nil) };
        if depth == MOST_DEPTH {
            return Err(self.malformed(&format!("a reply has more than {MOST_DEPTH} nested lists")));
        }
        // Each entry uses at least its own size.
        let count = count.checked_mul(each).filter(|count| *count <= self.left / size_of::<Value>());
        let count = count.ok_or_else(|| self.too_large())?;
        let mut entries = Vec::new();
        entries.try_reserve(count.min(FIRST_ENTRIES))?;
        for _ in 0..count {
            let entry = self.reply(depth + 1)?;
            entries.try_reserve(1)?;
            entries.push(entry);
        }
        Ok(Value::Array(entries))
    }

    /// Reads a bulk string; `None` for nil.
    fn bytes(&mut self) -> io::Result<Option<Vec<u8>>> {
        let Some(length) = self.length()? else { return Ok(None) };
        self.charge(length)?;
        let (mut bytes, mut end) = (Vec::new(), [0; 2]);
        bytes.try_reserve(length.min(BUFFER))?;
        self.source.by_ref().take(length as u64).read_to_end(&mut bytes)?;
        self.source.read_exact(&mut end)?;
        if end != *b"\r\n" {
            return Err(self.malformed("a value does not have the announced length"));
        }
        Ok(Some(bytes))
    }

    /// Reads a length; `None` for -1.
    fn length(&mut self) -> io::Result<Option<usize>> {
        match self.line()?.parse::<i64>() {
            Ok(-1) => Ok(None),
            Ok(length) => usize::try_from(length).map(Some).map_err(|_| self.malformed("a number is invalid")),
            Err(_) => Err(self.malformed("a number is invalid")),
        }
    }

    /// Reads a line, without its end.
    fn line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        self.source.by_ref().take(MOST_LINE as u64).read_until(b'\n', &mut line)?;
        match line.strip_suffix(b"\r\n") {
            Some(line) => Ok(String::from_utf8_lossy(line).into_owned()),
            None if line.len() == MOST_LINE => Err(self.too_large()),
            None if line.ends_with(b"\n") => Err(self.malformed("a line is invalid")),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn charge(&mut self, bytes: usize) -> io::Result<()> {
        self.left = self.left.checked_sub(bytes).ok_or_else(|| self.too_large())?;
        Ok(())
    }

    fn malformed(&self, cause: &str) -> io::Error {
        io::Error::other(not_redis(self.at, cause))
    }

    fn too_large(&self) -> io::Error {
        io::Error::other(too_large(self.at, self.most))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::error::Error;

    fn read(bytes: &[u8], most: usize) -> Result<Value, String> {
        Replies::new(bytes, "cache:6379/0", most)
            .next()
            .map_err(|cause| format!("{:#}", cause.downcast::<Error>().unwrap()))
    }

    #[test]
    fn every_type_of_reply_is_read() {
        for (bytes, reply) in [
            ("+OK\r\n", Value::Okay),
            (":-7\r\n", Value::Int(-7)),
            ("$-1\r\n", Value::Nil),
            ("*-1\r\n", Value::Nil),
            ("_\r\n", Value::Nil),
            ("#t\r\n", Value::Boolean(true)),
            ("$4\r\na\r\nb\r\n", Value::BulkString(b"a\r\nb".to_vec())),
            ("=6\r\ntxt:ab\r\n", Value::BulkString(b"ab".to_vec())),
            ("*2\r\n:1\r\n*0\r\n", Value::Array(vec![Value::Int(1), Value::Array(Vec::new())])),
            ("%1\r\n+a\r\n:1\r\n", Value::Array(vec![Value::SimpleString("a".to_owned()), Value::Int(1)])),
        ] {
            assert_eq!(read(bytes.as_bytes(), 1 << 10).unwrap(), reply, "{bytes:?}");
        }
        for (bytes, code, details) in
            [("-MOVED 7 cache:1\r\n", "MOVED", "7 cache:1"), ("!7\r\nERR bad\r\n", "ERR", "bad")]
        {
            let Value::ServerError(reply) = read(bytes.as_bytes(), 1 << 10).unwrap() else { panic!("it is an error") };
            assert_eq!((reply.code(), reply.details()), (code, Some(details)));
        }
    }

    #[test]
    fn an_oversized_reply_is_rejected_before_memory_is_reserved() {
        let is_too_large = |read: Result<Value, String>| read.is_err_and(|refused| refused.contains("sent more than"));
        let many = "*".to_owned() + &"9".repeat(18) + "\r\n";
        for bytes in ["$9999999999999\r\n", &many, "%9223372036854775807\r\n", "*1000\r\n:1\r\n"] {
            assert!(is_too_large(read(bytes.as_bytes(), 1 << 10)), "{bytes:?}");
        }
        // Entries of a list count.
        let list = "*3\r\n".to_owned() + "$300\r\n" + &"x".repeat(300) + "\r\n$600\r\n";
        assert!(is_too_large(read(list.as_bytes(), 1 << 9)));
        assert!(is_too_large(read(&[b'+'; 1 << 20], 1 << 30)));
    }

    #[test]
    fn nesting_is_limited() {
        let deep = |depth: usize| "*1\r\n".repeat(depth) + ":1\r\n";
        assert!(read(deep(8).as_bytes(), 1 << 20).is_ok());
        for depth in [9, 100_000] {
            let refused = read(deep(depth).as_bytes(), 1 << 20).unwrap_err();
            assert!(refused.contains("more than 8 nested lists"), "{refused}");
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
            let mut replies = Replies::new(&bytes[..], "cache:6379/0", 1 << 12);
            while replies.next().is_ok() {}
        }
    }
}
