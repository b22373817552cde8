//! The syntax of git's configuration files. The parser follows git's own `config.c` character by character, so that
//! both always agree on what a file says.

/// A variable of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// `section.name` or `section.subsection.name`; section and name in lower case.
    pub(super) key: Vec<u8>,
    /// `None` for a variable without `=`, which is true as a boolean.
    pub(super) value: Option<Vec<u8>>,
}

/// The limit on the total size of the keys and values of one file: a long section name is repeated in each key.
const MAX_BYTES: usize = 16 << 20;
/// The approximate overhead of a variable.
const ENTRY_BYTES: usize = 128;

/// Why a file is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SyntaxError {
    /// git would reject this line, counted from 1.
    Line(usize),
    /// Its variables would use too much memory.
    TooMany,
}

impl Entry {
    /// Its approximate size in memory.
    pub(super) fn bytes(&self) -> usize {
        ENTRY_BYTES + self.key.len() + self.value.as_ref().map_or(0, Vec::len)
    }
}

/// Parses the variables of `text`, in order.
pub(super) fn parse(text: &[u8]) -> Result<Vec<Entry>, SyntaxError> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut reader = Reader { text, at: 0, line: 1, is_at_end: false, bytes: 0 };
    reader.entries().ok_or_else(|| {
        if reader.bytes > MAX_BYTES {
            return SyntaxError::TooMany;
        }
        // A line end belongs to the line that it ends.
        let is_behind_line = reader.at.checked_sub(1).and_then(|last| text.get(last)) == Some(&b'\n');
        SyntaxError::Line(reader.line - usize::from(is_behind_line))
    })
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    line: usize,
    is_at_end: bool,
    /// The size of the variables so far.
    bytes: usize,
}

impl Reader<'_> {
    /// The next character; CR LF counts as one line end, as does the end of the text.
    fn next(&mut self) -> u8 {
        let Some(&byte) = self.text.get(self.at) else {
            self.is_at_end = true;
            return b'\n';
        };
        self.at += 1;
        if byte == b'\r' && self.text.get(self.at) == Some(&b'\n') {
            self.at += 1;
            self.line += 1;
            return b'\n';
        }
        self.line += usize::from(byte == b'\n');
        byte
    }

    fn entries(&mut self) -> Option<Vec<Entry>> {
        let mut entries = Vec::new();
        let mut section = Vec::new();
        let mut is_comment = false;
        loop {
            match self.next() {
                b'\n' if self.is_at_end => return Some(entries),
                b'\n' => is_comment = false,
                _ if is_comment => {}
                byte if is_space(byte) => {}
                b'#' | b';' => is_comment = true,
                b'[' => section = self.section()?,
                byte if byte.is_ascii_alphabetic() => {
                    let mut key = section.clone();
                    key.push(byte.to_ascii_lowercase());
                    let value = self.variable(&mut key)?;
                    let entry = Entry { key, value };
                    self.bytes += entry.bytes();
                    if self.bytes > MAX_BYTES {
                        return None;
                    }
                    entries.push(entry);
                }
                _ => return None,
            }
        }
    }

    /// Parses the rest of a header; returns the prefix of its variables' keys.
    fn section(&mut self) -> Option<Vec<u8>> {
        let mut name = Vec::new();
        loop {
            match self.next() {
                _ if self.is_at_end => return None,
                b']' => break,
                byte if is_space(byte) => {
                    self.subsection(byte, &mut name)?;
                    break;
                }
                byte if is_of_key(byte) || byte == b'.' => name.push(byte.to_ascii_lowercase()),
                _ => return None,
            }
        }
        if name.is_empty() {
            return None;
        }
        name.push(b'.');
        Some(name)
    }

    fn subsection(&mut self, mut byte: u8, name: &mut Vec<u8>) -> Option<()> {
        while is_space(byte) {
            if byte == b'\n' {
                return None;
            }
            byte = self.next();
        }
        if byte != b'"' {
            return None;
        }
        name.push(b'.');
        loop {
            let byte = match self.next() {
                b'"' => break,
                b'\\' => self.next(),
                byte => byte,
            };
            // git would end the name at a NUL.
            if matches!(byte, b'\n' | 0) {
                return None;
            }
            name.push(byte);
        }
        (self.next() == b']').then_some(())
    }

    /// Parses the rest of the key, and the value.
    fn variable(&mut self, key: &mut Vec<u8>) -> Option<Option<Vec<u8>>> {
        let mut byte = self.next();
        while !self.is_at_end && is_of_key(byte) {
            key.push(byte.to_ascii_lowercase());
            byte = self.next();
        }
        while matches!(byte, b' ' | b'\t') {
            byte = self.next();
        }
        match byte {
            b'\n' => Some(None),
            b'=' => self.value().map(Some),
            _ => None,
        }
    }

    fn value(&mut self) -> Option<Vec<u8>> {
        let mut value = Vec::new();
        let (mut is_quoted, mut is_comment) = (false, false);
        // The start of trailing blanks.
        let mut blanks = None;
        loop {
            let byte = self.next();
            if byte == b'\n' {
                if is_quoted {
                    return None;
                }
                value.truncate(blanks.unwrap_or(value.len()));
                return Some(value);
            }
            if is_comment {
                continue;
            }
            if is_space(byte) && !is_quoted {
                if !value.is_empty() {
                    blanks.get_or_insert(value.len());
                    value.push(byte);
                }
                continue;
            }
            if matches!(byte, b'#' | b';') && !is_quoted {
                is_comment = true;
                continue;
            }
            blanks = None;
            match byte {
                b'"' => is_quoted = !is_quoted,
                b'\\' => match self.next() {
                    b'\n' => {}
                    b't' => value.push(b'\t'),
                    b'b' => value.push(8),
                    b'n' => value.push(b'\n'),
                    escaped @ (b'\\' | b'"') => value.push(escaped),
                    _ => return None,
                },
                // git would end the value at a NUL.
                0 => return None,
                byte => value.push(byte),
            }
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn is_of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "the tests run git itself")]
mod tests {
    use std::io::Write;
    use std::process::{Command, Stdio};

    use proptest::prelude::*;

    use super::*;

    /// What git itself reads; `None` if it rejects the file.
    fn as_git_reads(text: &[u8]) -> Option<Vec<u8>> {
        let mut git = Command::new("git")
            .args(["config", "--file", "-", "--list", "-z", "--no-includes"])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        git.stdin.take().unwrap().write_all(text).unwrap();
        let output = git.wait_with_output().unwrap();
        output.status.success().then_some(output.stdout)
    }

    fn as_we_read(text: &[u8]) -> Option<Vec<u8>> {
        let mut listed = Vec::new();
        for Entry { key, value } in parse(text).ok()? {
            listed.extend(key);
            if let Some(value) = value {
                listed.push(b'\n');
                listed.extend(value);
            }
            listed.push(0);
        }
        Some(listed)
    }

    #[track_caller]
    fn assert_like_git(text: &[u8]) {
        let (ours, gits) = (as_we_read(text), as_git_reads(text));
        let shown = |listed: &Option<Vec<u8>>| listed.as_ref().map(|bytes| bytes.escape_ascii().to_string());
        assert_eq!(shown(&ours), shown(&gits), "{}", text.escape_ascii());
    }

    #[test]
    fn every_form_that_git_knows_is_read_as_git_reads_it() {
        for text in [
            "",
            "[a]b=c",
            "[A \"B.c D\"]\n\tKey-1 = Value\n",
            "[a.B]\nc = d\n",
            "[a.B \"C\"]\nc = d\n",
            "[a]\nb\nc =\nd = \n",
            "[a] b = c ; comment\n[d] ; comment\n# another\n e = f # g\n",
            "[a]\nb = \" quoted ; # \" tail \n",
            "[a]\nb = \\t\\b\\n\\\\\\\"\n",
            "[a]\nb = one\\\n  two \\\n# three\n",
            "\u{feff}[a]\r\nb = c\r\n",
            "[a]\nb = c\rd\r\n",
            "[a \"b\\\"c\\\\d\\e\"]f=g",
            "[a \"\"]b=c",
            "[a]\nb = x   y\tz  \n",
            "[a]\nb = \"\"  \n",
            "[a]\nb = \"x\" \"y\"  # z\n",
            "[a]\nb = c\\",
            "[a]\nb",
            "[a] [b] c = d",
            "[a]\n1b = c",
            "[a]\nb c",
            "[a",
            "[a \"b\n\"]",
            "[a \"b\"",
            "[a \"b\" ]",
            "[a_b]\nc = d",
            "[a]\nb = \"c\n",
            "[a]\nb = \\x\n",
            "[]\nb = c\n",
            "[]\n",
            "[.]\nb = c\n",
            "[ \"\"]\nb = c\n",
            "[a]\nb.c = d",
            "[a]b==c\n",
            "\u{feff}\u{feff}[a]b=c",
        ] {
            assert_like_git(text.as_bytes());
        }
    }

    #[test]
    fn the_malformed_line_is_reported() {
        assert_eq!(parse(b"[a]\nb = c\n[d\n"), Err(SyntaxError::Line(3)));
        assert_eq!(parse(b"[a]\n=\n"), Err(SyntaxError::Line(2)));
    }

    #[test]
    fn a_file_cannot_take_much_more_memory_than_its_size() {
        let long_section = format!("[a \"{}\"]\n{}", "x".repeat(1 << 20), "k\n".repeat(1 << 20));
        assert_eq!(parse(long_section.as_bytes()), Err(SyntaxError::TooMany));
        assert_eq!(parse(format!("[a]\n{}", "k\n".repeat(1 << 20)).as_bytes()), Err(SyntaxError::TooMany));
        assert_eq!(parse(format!("[a]\n{}", "k\n".repeat(10_000)).as_bytes()).unwrap().len(), 10_000);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]
        #[test]
        fn any_mixture_of_its_marks_is_read_as_git_reads_it(text in "(\\[|\\]|\"|\\\\|=|#|;| |\t|\n|\r|\r\n|a|B|-|\\.|[a]|n|\\[a\\]\n|\\[a \"|\"\\]\n|k = |é){0,24}") {
            assert_like_git(text.as_bytes());
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(text in any::<Vec<u8>>()) {
            let _ = parse(&text);
        }

        #[test]
        fn no_beginning_of_a_header_makes_it_panic(text in any::<Vec<u8>>()) {
            let _ = parse(&[b"[a \"b\"] c = \"", &text[..]].concat());
        }
    }
}
