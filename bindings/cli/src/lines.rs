//! Lines of an input whose length is not known, read with a limit.

use std::io::{self, BufRead, Read as _};

/// A line of the input, with its line break.
pub(crate) enum Line {
    Text(Vec<u8>),
    /// Its length in bytes; it was passed over.
    TooLong(u64),
    End,
}

impl Line {
    pub(crate) fn length(&self) -> u64 {
        match self {
            Line::Text(text) => text.len() as u64,
            Line::TooLong(length) => *length,
            Line::End => 0,
        }
    }
}

/// The next line, of at most `limit` bytes without its line break.
///
/// # Errors
/// That of reading.
pub(crate) fn read_line(source: &mut impl BufRead, limit: u64) -> io::Result<Line> {
    let mut line = Vec::new();
    // One byte more, for the line break.
    source.by_ref().take(limit + 1).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(Line::End);
    }
    let mut length = line.len() as u64;
    if length <= limit || line.ends_with(b"\n") {
        return Ok(Line::Text(line));
    }
    loop {
        line.clear();
        let read = source.by_ref().take(limit).read_until(b'\n', &mut line)? as u64;
        length += read;
        if read == 0 || line.ends_with(b"\n") {
            return Ok(Line::TooLong(length));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    const LIMIT: u64 = 1 << 16;

    #[test]
    fn a_line_that_is_too_long_is_passed_over() {
        let long = vec![b'x'; usize::try_from(LIMIT).unwrap() * 2];
        let text = [b"one\n".as_slice(), &long, b"\n\nlast"].concat();
        let mut source = BufReader::new(text.as_slice());
        let mut lines = Vec::new();
        loop {
            match read_line(&mut source, LIMIT).unwrap() {
                Line::Text(line) => lines.push(String::from_utf8(line).unwrap()),
                Line::TooLong(length) => lines.push(length.to_string()),
                Line::End => break,
            }
        }
        assert_eq!(lines, ["one\n", &(LIMIT * 2 + 1).to_string(), "\n", "last"]);
    }

    #[test]
    fn a_line_of_exactly_the_maximum_length_is_read() {
        for (line, is_read) in [("\n", true), ("", true), ("x\n", false), ("x", false)] {
            let text = [vec![b'x'; usize::try_from(LIMIT).unwrap()], line.as_bytes().to_vec()].concat();
            let mut source = BufReader::new(text.as_slice());
            assert_eq!(matches!(read_line(&mut source, LIMIT).unwrap(), Line::Text(_)), is_read, "{line:?}");
            assert!(matches!(read_line(&mut source, LIMIT).unwrap(), Line::End));
        }
    }
}
