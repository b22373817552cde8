//! The records of a transcript, plain or compressed, in a buffer of limited size.
//!
//! A record is a JSON object on a line. Writers are killed, disks fill up and machines lose power, so there is more: byte
//! order marks, runs of NUL, parts of records, and whole records behind them on the same line. Every whole record is found,
//! and parts of others are counted.

use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::scanner::{Scanner, Step, Token};
use super::shortening::shorten;
use crate::disk::{Disk, ForeignReader};
use crate::error::{Error, Result};

/// The number of bytes that are read at once.
const BLOCK: usize = 256 << 10;
/// The longest record that is kept as it is, in bytes. Long texts and images in longer ones are shortened.
const MAX_RECORD: usize = 8 << 20;
/// How many times its size in bytes a compressed file may have, beyond a first part of this many bytes: real ones have some
/// ten times, and one made to keep a reader busy some thirty thousand times.
const MAX_RATIO: u64 = 64;
const FREE_BYTES: u64 = 32 << 20;
/// The largest window of a compressed file, as the exponent of its size in bytes.
const MAX_WINDOW_LOG: u32 = 25;
/// The largest plain file, in bytes: one with a hole, of which nothing is on the disk, may have any size.
const MAX_BYTES: u64 = 1 << 30;
const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// A part of a transcript.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'r> {
    /// A record that is whole, as far as its brackets and strings show.
    Record(Record<'r>),
    /// Something between two records, or the rest of one that is too long.
    Damaged,
}

/// A record.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Record<'r> {
    /// Its bytes.
    pub(crate) json: &'r [u8],
    /// True if the middle of long texts in it was left out.
    pub(crate) is_shortened: bool,
}

/// What is before the next record.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    /// Nothing but spaces.
    Empty,
    /// Something that is not a record, and its last byte if a record behind it may be a part of another one.
    Damage(u8),
    /// The rest of a line, which is skipped.
    Line,
}

/// What a search in the buffer came to.
enum Found {
    Record(Range<usize>),
    Damaged,
    /// More bytes are needed.
    NeedMoreBytes,
    End,
}

/// The records of a file, from its beginning or a later place.
pub(crate) struct Records<R> {
    path: PathBuf,
    source: R,
    buffer: Vec<u8>,
    /// The part of the buffer that was not returned or skipped yet.
    start: usize,
    end: usize,
    is_at_end: bool,
    /// How many bytes may still be read.
    allowed: u64,
    /// The record that begins at `start`.
    scanner: Option<Scanner>,
    /// Up to where there is no line end from `start` on.
    searched: usize,
    /// True if that record was shortened.
    is_shortened: bool,
    gap: Gap,
    /// What was found already, and is returned next.
    next: Option<Range<usize>>,
}

/// A file, plain or compressed.
pub(crate) type Source = Box<dyn Read>;

impl Records<Source> {
    /// Opens a file.
    ///
    /// # Errors
    /// `IOError`; `ValidationError` if it has too many bytes.
    pub(crate) fn open(disk: &Disk, path: &Path) -> Result<Self> {
        Records::open_head(disk, path, u64::MAX)
    }

    /// Opens a file, and of a plain one this many bytes from its beginning.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub(crate) fn open_head(disk: &Disk, path: &Path, length: u64) -> Result<Self> {
        let failed = |cause: &io::Error| Error::io("read the transcript", path, cause);
        let file = disk.read_foreign_from(path, 0).map_err(|cause| failed(&cause))?;
        let file = file.ok_or_else(|| failed(&io::ErrorKind::NotFound.into()))?;
        let size = disk.stat_foreign(path).ok().flatten().map_or(0, |stat| stat.size);
        if path.extension().is_none_or(|extension| extension != "zst") {
            if size > MAX_BYTES {
                let message =
                    format!("the transcript {} has more than {MAX_BYTES} bytes; it is not read", path.display());
                return Err(Error::validation(message).at(path));
            }
            return Ok(Records::of(path, Box::new(file.take(length)), MAX_BYTES));
        }
        let decoder = zstd::stream::read::Decoder::new(file).and_then(|mut decoder| {
            decoder.window_log_max(MAX_WINDOW_LOG)?;
            Ok(decoder)
        });
        let decoder = decoder.map_err(|cause| failed(&cause))?;
        Ok(Records::of(path, Box::new(decoder), size.saturating_mul(MAX_RATIO).saturating_add(FREE_BYTES)))
    }
}

impl Records<io::Take<ForeignReader>> {
    /// Opens a part of a plain file; `None` if it does not exist.
    ///
    /// # Errors
    /// `IOError`.
    pub(crate) fn of_part(disk: &Disk, path: &Path, from: u64, length: u64) -> Result<Option<Self>> {
        let file = disk.read_foreign_from(path, from);
        let file = file.map_err(|cause| Error::io("read the transcript", path, &cause))?;
        Ok(file.map(|file| Records::of(path, file.take(length), u64::MAX)))
    }
}

impl<R: Read> Records<R> {
    fn of(path: &Path, source: R, allowed: u64) -> Self {
        Records {
            path: path.to_owned(),
            source,
            buffer: vec![0; BLOCK],
            start: 0,
            end: 0,
            is_at_end: false,
            allowed,
            scanner: None,
            searched: 0,
            is_shortened: false,
            gap: Gap::Empty,
            next: None,
        }
    }

    /// The next record, or what is damaged before it; `None` at the end of the file. `check` is called after each block, and its
    /// error ends the call.
    ///
    /// # Errors
    /// `ValidationError` if a compressed file unpacks to too many bytes; `IOError`; the error of `check`.
    pub(crate) fn next(&mut self, check: &dyn Fn() -> Result<()>) -> Result<Option<Piece<'_>>> {
        let record = loop {
            match self.next.take().map_or_else(|| self.find(), Found::Record) {
                // What is before it comes first.
                Found::Record(record) if matches!(self.gap, Gap::Damage(_)) => {
                    (self.gap, self.next) = (Gap::Empty, Some(record));
                    return Ok(Some(Piece::Damaged));
                }
                Found::Record(record) => break record,
                Found::Damaged => return Ok(Some(Piece::Damaged)),
                Found::End => return Ok(None),
                Found::NeedMoreBytes => {
                    check()?;
                    self.fill()?;
                }
            }
        };
        Ok(Some(Piece::Record(Record { json: &self.buffer[record], is_shortened: self.is_shortened })))
    }

    /// Looks for the next record in the buffer.
    fn find(&mut self) -> Found {
        loop {
            if self.scanner.is_none()
                && let Some(found) = self.skip_to_record()
            {
                return found;
            }
            let line_end = memchr::memchr(b'\n', &self.buffer[self.searched..self.end]).map(|at| self.searched + at);
            self.searched = line_end.unwrap_or(self.end);
            let (record, is_rest) = (&self.buffer[self.start..self.searched], line_end.is_some() || self.is_at_end);
            let Some(scanner) = &mut self.scanner else { continue };
            match scanner.follow(record) {
                Step::Whole(length) => {
                    let Some(is_record) = self.is_record(length, is_rest) else { return Found::NeedMoreBytes };
                    let record = self.start..self.start + length;
                    self.go_to(record.end);
                    if is_record {
                        return Found::Record(record);
                    }
                    self.gap = Gap::Damage(b'}');
                }
                Step::Broken(at) => {
                    if let Some(record) = self.recover(at) {
                        return Found::Record(record);
                    }
                }
                Step::Open if is_rest => {
                    if let Some(record) = self.recover(self.searched - self.start) {
                        return Found::Record(record);
                    }
                }
                Step::Open => return Found::NeedMoreBytes,
            }
        }
    }

    /// Skips everything up to the beginning of a record.
    fn skip_to_record(&mut self) -> Option<Found> {
        loop {
            let rest = &self.buffer[self.start..self.end];
            let Some(&first) = rest.first() else {
                return Some(match self.is_at_end {
                    false => Found::NeedMoreBytes,
                    true if self.gap == Gap::Empty => Found::End,
                    true => {
                        self.gap = Gap::Empty;
                        Found::Damaged
                    }
                });
            };
            match first {
                b'\n' if self.gap != Gap::Empty => {
                    self.go_to(self.start + 1);
                    self.gap = Gap::Empty;
                    return Some(Found::Damaged);
                }
                _ if self.gap == Gap::Line => {
                    let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                    self.go_to(self.start + end);
                }
                b'{' => {
                    (self.scanner, self.is_shortened) = (Some(Scanner::new()), false);
                    return None;
                }
                b' ' | b'\t' | b'\r' | b'\n' | 0 => {
                    let is_between = self.gap == Gap::Empty;
                    let is_space =
                        |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | 0) || (is_between && *byte == b'\n');
                    let spaces = rest.iter().take_while(|byte| is_space(byte)).count();
                    self.go_to(self.start + spaces);
                }
                _ if rest.starts_with(&BYTE_ORDER_MARK) => self.go_to(self.start + BYTE_ORDER_MARK.len()),
                _ if BYTE_ORDER_MARK.starts_with(rest) && !self.is_at_end => return Some(Found::NeedMoreBytes),
                _ => {
                    let end =
                        memchr::memchr3(b'{', b'\n', BYTE_ORDER_MARK[0], &rest[1..]).map_or(rest.len(), |at| at + 1);
                    let last = rest[..end].iter().rfind(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | 0));
                    self.gap = Gap::Damage(last.copied().unwrap_or(first));
                    self.go_to(self.start + end);
                }
            }
        }
    }

    /// Goes on at this place of the buffer, at which no record is known to begin.
    fn go_to(&mut self, place: usize) {
        (self.start, self.scanner) = (place, None);
        self.searched = self.searched.max(place);
    }

    /// True if the object at `start`, which has this length, is a record; `None` if that depends on more bytes. Behind what is
    /// damaged, it may be a part of a record whose beginning is lost.
    fn is_record(&self, length: usize, is_rest: bool) -> Option<bool> {
        if !matches!(self.gap, Gap::Damage(b':' | b',' | b'[')) {
            return Some(true);
        }
        let rest = &self.buffer[self.start + length..self.searched];
        match rest.iter().find(|byte| !byte.is_ascii_whitespace()) {
            None if !is_rest => None,
            Some(b',' | b'}' | b']') => Some(false),
            _ => Some(has_envelope(&self.buffer[self.start..self.start + length])),
        }
    }

    /// Leaves a record that breaks off at this place, and goes on where the next one may begin. Returns the one that is at
    /// its end, if there is one.
    fn recover(&mut self, at: usize) -> Option<Range<usize>> {
        let record = &self.buffer[self.start..self.start + at];
        let last = self.scanner.as_ref().map(Scanner::last);
        // A brace that has no meaning here begins no part of the record that breaks off.
        let is_brace = self.buffer[self.start + at..self.end].first() == Some(&b'{');
        let before = record.trim_ascii_end().last().copied().filter(|_| !is_brace).unwrap_or(0);
        (self.gap, self.is_shortened) = (Gap::Damage(before), false);
        match last {
            // It broke off where a value was expected, and a whole record took its place.
            Some(Token::Object(from, to)) if has_envelope(&record[from..to]) => {
                let found = self.start + from..self.start + to;
                self.go_to(self.start + at);
                return Some(found);
            }
            // It broke off in a string, which seemed to end at the first quotation mark of a whole record.
            Some(Token::String(from, to)) => {
                let text = record[from + 1..to - 1].trim_ascii_end();
                if text.last() == Some(&b'{') {
                    self.gap = Gap::Damage(0);
                    self.go_to(self.start + from + text.len());
                    return None;
                }
            }
            _ => {}
        }
        self.go_to(self.start + at);
        None
    }

    /// Ends a record that is too long even without the middle of its texts, and skips the rest of its line.
    fn cut_off(&mut self) {
        let mut scanner = Scanner::new();
        let step = scanner.follow(&self.buffer[self.start..self.start + MAX_RECORD / 2]);
        let (length, brackets) = scanner.end();
        let end = self.start + length;
        self.buffer[end..end + brackets.len()].copy_from_slice(&brackets);
        self.next = (step == Step::Open).then_some(self.start..end + brackets.len());
        self.go_to(self.end);
        (self.gap, self.is_shortened) = (Gap::Line, false);
    }

    fn fill(&mut self) -> Result<()> {
        if self.end - self.start > MAX_RECORD && self.scanner.is_some() {
            let length = shorten(&mut self.buffer[self.start..self.end]);
            self.end = self.start + length;
            (self.searched, self.scanner, self.is_shortened) = (self.start, Some(Scanner::new()), true);
            if length > MAX_RECORD / 2 {
                self.cut_off();
                return Ok(());
            }
        }
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.searched = self.searched.saturating_sub(self.start);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.buffer.len() - self.end < BLOCK {
            self.buffer.resize(self.end + BLOCK, 0);
        }
        let room = &mut self.buffer[self.end..];
        let read = loop {
            match self.source.read(room) {
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                // A compressed file whose writer is not done, or was killed.
                Err(cause) if cause.kind() == io::ErrorKind::UnexpectedEof => break 0,
                read => break read.map_err(|cause| Error::io("read the transcript", &self.path, &cause))?,
            }
        };
        let allowed = self.allowed.checked_sub(read as u64).ok_or_else(|| {
            let message = format!("the transcript {} has too many bytes; it is not read", self.path.display());
            Error::validation(message).at(&self.path)
        });
        self.allowed = allowed?;
        self.end += read;
        self.is_at_end = read == 0;
        Ok(())
    }
}

/// True if an object has what each record of a program has, and few parts of records.
fn has_envelope(json: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Envelope {
        timestamp: Option<IgnoredAny>,
        r#type: Option<IgnoredAny>,
    }
    serde_json::from_slice::<Envelope>(json).is_ok_and(|it| it.timestamp.is_some() && it.r#type.is_some())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A reader that returns a few bytes at a time.
    struct Slowly<'b>(&'b [u8], usize);

    impl Read for Slowly<'_> {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            let most = self.1.min(room.len());
            self.0.read(&mut room[..most])
        }
    }

    /// The records of these bytes, and how often something between them is lost.
    fn split(bytes: &[u8], at_once: usize) -> (Vec<String>, usize) {
        let mut records = Records::of(Path::new("x"), Slowly(bytes, at_once), u64::MAX);
        let (mut found, mut lost) = (Vec::new(), 0);
        while let Some(piece) = records.next(&|| Ok(())).unwrap() {
            match piece {
                Piece::Record(record) => found.push(String::from_utf8_lossy(record.json).into_owned()),
                Piece::Damaged => lost += 1,
            }
        }
        (found, lost)
    }

    #[derive(Debug, Clone)]
    enum Part {
        Whole(String),
        Half(String),
        Nul(usize),
        Mark,
        End(&'static str),
    }

    impl Part {
        fn bytes(&self) -> Vec<u8> {
            match self {
                Part::Whole(text) | Part::Half(text) => text.as_bytes().to_vec(),
                Part::Nul(count) => vec![0; *count],
                Part::Mark => BYTE_ORDER_MARK.to_vec(),
                Part::End(text) => text.as_bytes().to_vec(),
            }
        }
    }

    /// A value with everything that JSON has, and texts that look like its parts.
    fn value() -> impl Strategy<Value = serde_json::Value> {
        let text = prop_oneof![
            "[a-z{}\\[\\]:,\"\\\\\n\u{e9}\u{1f600}\u{0}]{0,12}",
            Just("{\"type\":\"user\",\"timestamp\":\"x\"}".to_owned())
        ];
        let leaf = prop_oneof![
            text.prop_map(serde_json::Value::from),
            any::<i32>().prop_map(serde_json::Value::from),
            (-1e9..1e9f64).prop_map(serde_json::Value::from),
            any::<bool>().prop_map(serde_json::Value::from),
            Just(serde_json::Value::Null),
        ];
        leaf.prop_recursive(4, 16, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
                proptest::collection::vec(("[a-z,:]{1,3}", inner), 0..4)
                    .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
            ]
        })
    }

    fn record() -> impl Strategy<Value = String> {
        (value(), any::<bool>()).prop_map(|(payload, is_escaped)| {
            let json = serde_json::json!({ "timestamp": "t", "type": "x", "payload": payload }).to_string();
            let escaped =
                |it: char| if it.is_ascii() { it.to_string() } else { format!("\\u{:04x}", it as u32 & 0xFFFF) };
            if is_escaped { json.chars().map(escaped).collect() } else { json }
        })
    }

    fn part() -> impl Strategy<Value = Part> {
        prop_oneof![
            3 => record().prop_map(Part::Whole),
            3 => (record(), any::<prop::sample::Index>()).prop_map(|(text, at)| {
                let mut end = 1 + at.index(text.len() - 1);
                while !text.is_char_boundary(end) {
                    end -= 1;
                }
                Part::Half(text[..end].to_owned())
            }),
            1 => (1..300usize).prop_map(Part::Nul),
            1 => Just(Part::Mark),
            3 => prop_oneof![Just("\n"), Just("\r\n"), Just("\n\n"), Just(" \n")].prop_map(Part::End),
        ]
    }

    proptest! {
        #[test]
        fn every_whole_record_is_found_whatever_is_between_them(parts in prop::collection::vec(part(), 0..12), at_once in 1..400usize) {
            let bytes: Vec<u8> = parts.iter().flat_map(Part::bytes).collect();
            let (found, lost) = split(&bytes, at_once);
            let whole: Vec<String> = parts.iter().filter_map(|part| match part {
                Part::Whole(text) => Some(text.clone()),
                _ => None,
            }).collect();
            prop_assert_eq!(&found, &whole);
            // What is next to each other counts once.
            let (mut expected, mut is_damaged) = (0, false);
            for part in &parts {
                match part {
                    Part::Half(_) => is_damaged = true,
                    Part::Whole(_) | Part::End(_) => expected += usize::from(std::mem::take(&mut is_damaged)),
                    _ => {}
                }
            }
            prop_assert_eq!(lost, expected + usize::from(is_damaged));
        }

        #[test]
        fn any_bytes_are_split_alike_however_they_arrive(bytes in prop::collection::vec(prop_oneof![
            any::<u8>(), prop::sample::select(b"{}[]\"\\:,\nu1\0 \xEF\xBB\xBF".to_vec())
        ], 0..200), at_once in 1..20usize) {
            prop_assert_eq!(split(&bytes, at_once), split(&bytes, usize::MAX));
        }
    }

    #[test]
    fn a_part_of_a_record_whose_beginning_is_lost_is_no_record() {
        let whole = r#"{"timestamp":"t","type":"x","payload":{"a":{"timestamp":"t","type":"forged"},"b":[{"type":"message"}]}}"#;
        // What begins with a brace may be one.
        for from in (1..whole.len()).filter(|from| !whole[*from..].starts_with('{')) {
            for behind in ["\n", ""] {
                let bytes = format!("{}{behind}{whole}", &whole[from..]);
                assert_eq!(split(bytes.as_bytes(), 7), (vec![whole.to_owned()], 1), "{from} {behind:?}");
            }
        }
    }

    #[test]
    fn a_search_for_a_record_can_be_cancelled() {
        for unit in ["\0", "x", "{\"a\":\"", "[", "\n"] {
            let bytes = unit.repeat(4 * BLOCK / unit.len());
            let mut records = Records::of(Path::new("x"), bytes.as_bytes(), u64::MAX);
            let blocks = std::cell::Cell::new(0);
            let check = || {
                blocks.set(blocks.get() + 1);
                if blocks.get() < 3 { Ok(()) } else { Err(Error::internal("cancelled")) }
            };
            while let Ok(Some(_)) = records.next(&check) {}
            assert_eq!(blocks.get(), 3, "{unit}");
        }
    }

    #[test]
    fn what_never_ends_is_read_in_linear_time() {
        let whole = r#"{"timestamp":"t","type":"x"}"#;
        for unit in [
            "{",
            "[",
            "{\"a\":",
            "{\"a\":[",
            "{\"",
            "{ \"",
            "\"",
            "\\",
            "}",
            "{\"a\":{\"timestamp\":1,\"type\":1},",
            "\u{feff}",
            "x{",
        ] {
            let bytes = format!("{}\n{whole}\n", unit.repeat(400_000 / unit.len()));
            let (found, _) = split(bytes.as_bytes(), usize::MAX);
            assert_eq!(found.last().map(String::as_str), Some(whole), "{unit}");
        }
    }

    #[test]
    fn a_long_record_keeps_its_texts_and_the_ends_of_long_ones() {
        let image = "A".repeat(9 << 20);
        let text = "\u{e9}\\n\\\"\\u00e9".repeat(1 << 20);
        let long = format!(r#"{{"timestamp":"t","a":"before","image":"{image}","text":"{text}","z":"after"}}"#);
        let whole = r#"{"timestamp":"t","type":"x"}"#;
        let many = format!(r#"{{"a":[{}1]}}"#, r#""x","#.repeat(9 << 18));
        let nested = format!(r#"{{"b":2,"a":{}"#, r#"{"n":[1,"two",{"x":true}],"o":"#.repeat(40));
        let nested = format!(r#"{nested}[{}1]"#, r#"{"y":[12,"x\""]},"#.repeat(1 << 19));
        let bytes = format!("{long}{whole}\n{many}\n{whole}\n{nested}\n{whole}\n");
        let mut records = Records::of(Path::new("x"), bytes.as_bytes(), u64::MAX);
        let mut found = Vec::new();
        let mut most = 0;
        while let Some(piece) = records.next(&|| Ok(())).unwrap() {
            found.push(match piece {
                Piece::Record(record) => (String::from_utf8(record.json.to_vec()).unwrap(), record.is_shortened),
                Piece::Damaged => ("lost".to_owned(), false),
            });
            most = most.max(records.buffer.len());
        }
        assert!(most <= MAX_RECORD + 3 * BLOCK, "{most}");
        let [(first, true), (second, false), cuts @ ..] = &found[..] else {
            panic!("{} {:?}", found.len(), found.iter().map(|(it, is)| (it.len(), is)).collect::<Vec<_>>())
        };
        assert_eq!(second, whole);
        // Of one that is too long without them, as much as fits.
        assert_eq!(cuts.len(), 6);
        for (cut, long) in cuts.chunks(3).zip([&many, &nested]) {
            let [(cut, false), (lost, false), (last, false)] = cut else { panic!("{}", cut.len()) };
            assert_eq!((&**lost, &**last), ("lost", whole));
            assert!((MAX_RECORD / 2 - 1_000..=MAX_RECORD / 2 + 1_000).contains(&cut.len()), "{}", cut.len());
            assert!(serde_json::from_str::<IgnoredAny>(cut).is_ok());
            let same = cut.trim_end_matches(['}', ']']).len();
            assert_eq!(cut[..same], long[..same]);
        }
        let value: serde_json::Value = serde_json::from_str(first).unwrap();
        assert_eq!((&value["a"], &value["z"]), (&"before".into(), &"after".into()));
        let decoded = value["text"].as_str().unwrap();
        assert!(decoded.starts_with("\u{e9}\n\"\u{e9}\u{e9}\n") && decoded.ends_with("\u{e9}\n\"\u{e9}"));
        assert!(first.len() <= MAX_RECORD, "{}", first.len());
    }
}
