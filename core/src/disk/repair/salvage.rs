//! Recovering the intact records of a document that does not parse.
//!
//! As long as the text is valid JSON it is read member by member and record by record. After a damaged place the scan continues
//! at the next recognizable element: an object that is a record, the beginning of a section, the end of a list, or a member at
//! the beginning of a line, as loopmem writes them. The contents of a string cannot be mistaken for these, since quotes in
//! strings are escaped.

use std::collections::HashSet;

use serde_json::value::RawValue;

use crate::disk::files::commit::Contents;
use crate::disk::files::document::{Document, DocumentSchema, Edit};
use crate::disk::files::stored::{MAX_CACHED_BYTES, Row};
use crate::safety::Fields;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// The maximum nesting depth of a value. It limits how often a byte is read when values are searched for at many offsets.
const MAX_DEPTH: usize = 128;

/// The recovered data.
pub(in crate::disk) struct Salvaged<S: DocumentSchema> {
    pub(in crate::disk) document: Document<S>,
    pub(in crate::disk) records: usize,
    /// Whether a newer loopmem appears to have written it.
    pub(in crate::disk) too_new: bool,
}

/// Finds every intact record and unknown member in `bytes`. If several records share an id, or members a name, the first one is
/// used.
pub(in crate::disk) fn salvage<S: DocumentSchema>(bytes: &[u8]) -> Salvaged<S> {
    let mut scan = Scan::<S> {
        bytes,
        at: 0,
        place: Place::Lost,
        section: None,
        sections: S::SECTIONS.iter().map(|_| Vec::new()).collect(),
        other: Vec::new(),
        keys: HashSet::new(),
        ids: HashSet::new(),
        too_new: false,
    };
    scan.run();
    let records = scan.sections.iter().map(Vec::len).sum();
    let mut document = Document::default();
    for (section, found) in scan.sections.into_iter().enumerate() {
        found.into_iter().for_each(|stored| document.apply(Edit::Add(section, stored)));
    }
    let mut other = Fields::default();
    other.overlay(scan.other);
    document.other = other;
    Salvaged { document, records, too_new: scan.too_new }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Between members of the document.
    Members,
    /// Between records of the section.
    Records,
    /// In a broken unknown member: an object there is not a record.
    Unknown,
    /// After damage, at an unknown position.
    Lost,
}

struct Scan<'b, S: DocumentSchema> {
    bytes: &'b [u8],
    at: usize,
    place: Place,
    /// The last section that was entered.
    section: Option<usize>,
    sections: Vec<Vec<Row<S::Record>>>,
    other: Vec<(String, Box<RawValue>)>,
    keys: HashSet<String>,
    ids: HashSet<String>,
    too_new: bool,
}

impl<S: DocumentSchema> Scan<'_, S> {
    fn run(&mut self) {
        if self.bytes.starts_with(BYTE_ORDER_MARK) {
            self.at = BYTE_ORDER_MARK.len();
        }
        self.at = self.past_space(self.at, b"");
        if self.byte(self.at) == Some(b'{') {
            self.at += 1;
            self.place = Place::Members;
        }
        while self.at < self.bytes.len() {
            let goes_on = match self.place {
                Place::Members => self.member(),
                Place::Records => self.element(),
                Place::Unknown | Place::Lost => false,
            };
            if !goes_on {
                self.find_next();
            }
        }
    }

    /// Reads a member of the document; `false` if it is not intact.
    fn member(&mut self) -> bool {
        self.at = self.past_space(self.at, b",");
        match self.byte(self.at) {
            None => return true,
            Some(b'}') => {
                self.at += 1;
                self.place = Place::Lost;
                return true;
            }
            Some(_) => {}
        }
        let Some((key, value)) = self.key(self.at) else { return false };
        let section = S::SECTIONS.iter().position(|name| *name == key);
        if section.is_some() && self.byte(value) == Some(b'[') {
            self.section = section;
            self.place = Place::Records;
            self.at = value + 1;
            return true;
        }
        let is_version = key == "schemaVersion";
        if is_version {
            let digits = self.bytes[value..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            let digits = std::str::from_utf8(&self.bytes[value..value + digits]).unwrap_or_default();
            self.too_new |= !digits.is_empty() && digits.parse().map_or(true, |version: u64| version > S::VERSION);
        }
        let Ok((json, end)) = self.whole(value) else {
            self.at = value;
            self.section = section.or(self.section);
            self.place = if is_version || section.is_some() { Place::Lost } else { Place::Unknown };
            return false;
        };
        if section.is_none() && !is_version && self.keys.insert(key.clone()) {
            self.other.push((key, json));
        }
        self.at = end;
        self.place = Place::Members;
        true
    }

    /// Reads an element of a section; `false` if it is not intact.
    fn element(&mut self) -> bool {
        self.at = self.past_space(self.at, b",");
        match self.byte(self.at) {
            None => return true,
            Some(b']') => {
                self.at += 1;
                self.place = Place::Members;
                return true;
            }
            // Records are objects, and a quote here may be a stray one.
            Some(byte) if byte != b'{' => return false,
            Some(_) => {}
        }
        let Ok((json, end)) = self.whole(self.at) else { return false };
        self.take(json);
        self.at = end;
        true
    }

    /// Continues after a damaged place.
    fn find_next(&mut self) {
        // Objects inside a broken object are parts of it, not records.
        let mut inside = self.at;
        for at in self.at..self.bytes.len() {
            // The overwritten byte may have been a line end.
            let begins_line = at > 0 && (self.bytes[at - 1] == b'\n' || is_control(self.bytes[at - 1]));
            match self.bytes[at] {
                b'{' if self.place != Place::Unknown && (at >= inside || begins_line) && !self.is_value(at) => {
                    match self.whole(at) {
                        Ok((json, end)) => {
                            if self.take(json) || self.place == Place::Records {
                                self.at = end;
                                return;
                            }
                        }
                        Err(end) => inside = inside.max(end),
                    }
                }
                b'"' if at == 0 || self.bytes[at - 1] != b'\\' => {
                    let is_section = self.key(at).is_some_and(|(key, value)| {
                        S::SECTIONS.contains(&key.as_str()) && self.byte(value) == Some(b'[')
                    });
                    if is_section || (begins_line && self.place != Place::Records) {
                        self.at = at;
                        if self.member() || self.at > at {
                            return;
                        }
                    }
                }
                b']' if begins_line => {
                    self.at = at + 1;
                    self.place = Place::Members;
                    return;
                }
                // JSON contains none: something was overwritten, possibly the end of the list.
                byte if is_control(byte) && self.place == Place::Records => self.place = Place::Lost,
                _ => {}
            }
        }
        self.at = self.bytes.len();
    }

    /// Keeps an object that is a record, of the current section or else of another.
    fn take(&mut self, json: Box<RawValue>) -> bool {
        if !json.get().starts_with('{') {
            return false;
        }
        let places = self.section.into_iter().chain(0..S::SECTIONS.len());
        let is_kept = self.bytes.len() <= MAX_CACHED_BYTES;
        let read = |it| Some((it, Row::read(&json, is_kept, S::reader(it)).ok()?));
        let Some((section, stored)) = places.into_iter().find_map(read) else { return false };
        let Ok(id) = stored.record().map(|record| S::id(&record).to_owned()) else { return false };
        if self.ids.insert(id) {
            self.sections[section].push(stored);
        }
        true
    }

    /// Whether the value of a member begins here.
    fn is_value(&self, at: usize) -> bool {
        let mut before = self.bytes[..at].iter().rev().filter(|byte| !byte.is_ascii_whitespace());
        (before.next(), before.next()) == (Some(&b':'), Some(&b'"'))
    }

    /// The key that begins here, and the offset of its value.
    fn key(&self, at: usize) -> Option<(String, usize)> {
        if self.byte(at) != Some(b'"') {
            return None;
        }
        let end = end_of_string(self.bytes, at).ok()?;
        let key = serde_json::from_slice(&self.bytes[at..end]).ok()?;
        let colon = self.past_space(end, b"");
        (self.byte(colon) == Some(b':')).then(|| (key, self.past_space(colon + 1, b"")))
    }

    /// The value that begins here, and its end.
    ///
    /// # Errors
    /// The offset up to which it was plausible, if it is not intact.
    fn whole(&self, at: usize) -> Result<(Box<RawValue>, usize), usize> {
        let end = end_of_value(self.bytes, at)?;
        serde_json::from_slice(&self.bytes[at..end]).map(|json| (json, end)).map_err(|_| end)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn past_space(&self, at: usize, and: &[u8]) -> usize {
        let skipped = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r') || and.contains(byte);
        at + self.bytes[at.min(self.bytes.len())..].iter().take_while(skipped).count()
    }
}

/// The end of the JSON value that begins at `at`. Whether it is valid JSON throughout is left to a parser. A number or a literal
/// at the end of the bytes is an error, since it may have been longer.
///
/// # Errors
/// The offset up to which it was plausible.
fn end_of_value(bytes: &[u8], at: usize) -> Result<usize, usize> {
    let mut open = Vec::new();
    let mut at = at;
    // The last byte outside of strings that is not white space.
    let mut last = b':';
    loop {
        let byte = *bytes.get(at).ok_or(at)?;
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' if !open.is_empty() => {
                at += 1;
                continue;
            }
            b'"' => at = end_of_string(bytes, at)?,
            b'{' | b'[' => {
                let missing_key = open.last() == Some(&b'}') && last != b':';
                if open.len() == MAX_DEPTH || missing_key {
                    return Err(at);
                }
                // In ASCII, the closing bracket is the opening one plus two, in both cases.
                open.push(byte + 2);
                at += 1;
            }
            b'}' | b']' => {
                if open.pop() != Some(byte) {
                    return Err(at);
                }
                at += 1;
            }
            b',' | b':' if !open.is_empty() => at += 1,
            _ => {
                let rest = &bytes[at..];
                let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
                let length = rest.iter().take_while(|byte| is_word(byte)).count();
                let is_ended = rest.get(length).is_some_and(|byte| b" \t\n\r,:]}".contains(byte));
                at += length;
                if length == 0 || !is_ended {
                    return Err(at);
                }
            }
        }
        last = byte;
        if open.is_empty() {
            return Ok(at);
        }
    }
}

/// The end of the string that begins at `at`. Strings contain no control characters.
///
/// # Errors
/// The same as [`end_of_value`].
fn end_of_string(bytes: &[u8], at: usize) -> Result<usize, usize> {
    let mut at = at + 1;
    loop {
        match *bytes.get(at).ok_or(bytes.len())? {
            b'"' => return Ok(at + 1),
            b'\\' => at += 2,
            byte if byte < b' ' => return Err(at),
            _ => at += 1,
        }
    }
}

/// Whether this byte never occurs in JSON.
fn is_control(byte: u8) -> bool {
    byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;
    use crate::disk::files::stored::Reader;
    use crate::disk::files::stored::Stored;

    #[derive(Deserialize)]
    struct Plant {
        id: String,
    }

    /// Trees have leaves, herbs have flowers.
    #[derive(Debug)]
    struct Garden;

    impl DocumentSchema for Garden {
        type Record = Stored<Plant>;
        const VERSION: u64 = 1;
        const SECTIONS: &'static [&'static str] = &["trees", "herbs"];

        fn reader(section: usize) -> Reader<Stored<Plant>> {
            #[derive(Deserialize)]
            #[allow(dead_code, reason = "its presence identifies the kind")]
            struct Tree {
                leaves: String,
            }
            #[derive(Deserialize)]
            #[allow(dead_code, reason = "its presence identifies the kind")]
            struct Herb {
                flowers: Vec<String>,
            }
            match section {
                0 => |json| {
                    serde_json::from_str::<Tree>(json.get())?;
                    Stored::read(json)
                },
                _ => |json| {
                    serde_json::from_str::<Herb>(json.get())?;
                    Stored::read(json)
                },
            }
        }

        fn id(record: &Stored<Plant>) -> &str {
            &record.id
        }
    }

    const TREES: [&str; 3] = [
        r#"{"id":"oak","leaves":"a \"{quoted}\" ], \\","deep":{"x":[1,{"id":"no plant","leaves":""}]}}"#,
        "{ \"id\" : \"elm\",\n  \"leaves\":\"\",\n  \"list\":[1,\n  2] }",
        r#"{"id":"fir","leaves":"ü{\"id\":\"x\",\"leaves\":\"\"}"}"#,
    ];
    const HERBS: [&str; 2] = [r#"{"id":"mint","flowers":[]}"#, r#"{"flowers":["a","b"],"id":"sage"}"#];
    const OTHER: [(&str, &str); 2] = [("later", r#"{"n":[1e400, {"id":"y","leaves":"z"}]}"#), ("number", "[12345]")];

    /// In the layout that loopmem writes.
    fn garden() -> String {
        format!(
            "{{\n\"schemaVersion\": 1,\n\"trees\": [\n{}\n],\n\"herbs\": [\n{}\n],\n{}\n}}\n",
            TREES.join(",\n"),
            HERBS.join(",\n"),
            OTHER.map(|(key, value)| format!("\"{key}\": {value}")).join(",\n"),
        )
    }

    /// Everything recovered, section by section, and the other members.
    fn found(bytes: &[u8]) -> [Vec<String>; 3] {
        let Salvaged { document, records, too_new } = salvage::<Garden>(bytes);
        assert!(!too_new);
        let section = |it| document.section(it).iter().map(|stored| stored.json().get().to_owned()).collect::<Vec<_>>();
        let other = document.other.iter().map(|(key, value)| format!("\"{key}\": {}", value.get())).collect();
        assert_eq!(records, document.section(0).len() + document.section(1).len());
        [section(0), section(1), other]
    }

    /// The parts of a garden that contain no damaged byte, in the order of [`found`].
    fn intact(garden: &str, is_damaged: impl Fn(usize) -> bool) -> [Vec<String>; 3] {
        let parts = |parts: Vec<String>| -> Vec<String> {
            let is_whole = |part: &String| {
                let start = garden.find(part.as_str()).unwrap();
                !(start..start + part.len()).any(&is_damaged)
            };
            parts.into_iter().filter(is_whole).collect()
        };
        let other = OTHER.map(|(key, value)| format!("\"{key}\": {value}"));
        [parts(TREES.map(str::to_owned).into()), parts(HERBS.map(str::to_owned).into()), parts(other.into())]
    }

    #[test]
    fn intact_data_is_recovered_unchanged() {
        let whole = intact(&garden(), |_| false);
        assert_eq!(found(garden().as_bytes()), whole);
        let on_one_line = garden().replace(",\n{", ", {").replace("\n]", "]");
        assert_eq!(found(on_one_line.as_bytes()), whole);
        assert_eq!(found(format!("\u{feff}{}", garden()).as_bytes()), whole);
        assert_eq!(found(format!("{0}{0}", garden()).as_bytes()), whole, "each id and each name is used once");
        assert_eq!(found(b"{\"number\": 12, \"longer\": 34")[2], ["\"number\": 12"], "the other may be cut off");
        for nothing in
            ["", "{", "null", "[]", "{}", "\0\0", "\"", "{\"trees\": {}}", "{\"trees\": [{\"id\": 7}, 8, []]}"]
        {
            assert_eq!(found(nothing.as_bytes()), [const { Vec::<String>::new() }; 3], "{nothing}");
        }
    }

    #[test]
    fn everything_before_the_cut_of_a_truncated_document_is_recovered() {
        let garden = garden();
        for cut in 0..=garden.len() {
            let expected = intact(&garden, |at| at >= cut);
            assert_eq!(found(&garden.as_bytes()[..cut]), expected, "{}", &garden.as_bytes()[..cut].escape_ascii());
        }
    }

    #[test]
    fn a_record_is_assigned_to_its_section_even_if_the_name_of_its_list_is_lost() {
        let lost = garden().replace("\"trees\": [", "\"tr").replace("\"herbs\": [", "herbs: [");
        assert_eq!(found(lost.as_bytes())[..2], intact(&garden(), |_| false)[..2]);
    }

    #[test]
    fn an_object_in_a_broken_unknown_member_is_not_a_record() {
        let broken = r#"{"burnt": [{"id":"ash","leaves":""}, {"id":"yew","leaves":""}, !], "herbs": [{"id":"mint","flowers":[]}]}"#;
        assert_eq!(found(broken.as_bytes()), [vec![], vec![HERBS[0].to_owned()], vec![]]);
    }

    #[test]
    fn a_newer_version_is_recognized_even_if_the_rest_is_damaged() {
        for newer in [
            "{\"schemaVersion\": 2, \"trees\": [",
            "{\n\"schemaVersion\": 12",
            "!\n\"schemaVersion\":99999999999999999999999,",
        ] {
            assert!(salvage::<Garden>(newer.as_bytes()).too_new, "{newer}");
        }
    }

    #[track_caller]
    fn assert_has(bytes: &[u8], intact: &[Vec<String>; 3]) {
        for (found, intact) in found(bytes).iter().zip(intact) {
            let lost: Vec<_> = intact.iter().filter(|part| !found.contains(part)).collect();
            assert!(lost.is_empty(), "{lost:?} was lost from {}", bytes.escape_ascii());
        }
    }

    #[test]
    fn whatever_is_not_overwritten_with_zeros_is_recovered() {
        let garden = garden();
        for (start, length) in (0..garden.len()).flat_map(|start| [1, 2, 3, 8, 21, 55, 144, 377].map(|it| (start, it)))
        {
            let damaged = start..(start + length).min(garden.len());
            let mut bytes = garden.clone().into_bytes();
            bytes[damaged.clone()].fill(0);
            assert_has(&bytes, &intact(&garden, |at| damaged.contains(&at)));
        }
    }

    /// Except for brackets: a misplaced one may end or begin a list, which makes the text ambiguous.
    #[test]
    fn records_without_swapped_bytes_are_recovered() {
        let garden = garden();
        // A damaged name makes a section an unknown member, so only bytes within the first section are swapped.
        let (first, last) = (garden.find(TREES[0]).unwrap(), garden.find(TREES[2]).unwrap() + TREES[2].len());
        for (a, b) in (first..last).flat_map(|a| (first..a).map(move |b| (a, b))) {
            let mut bytes = garden.clone().into_bytes();
            if [a, b].iter().any(|at| b"[]{}".contains(&bytes[*at])) {
                continue;
            }
            bytes.swap(a, b);
            assert_has(&bytes, &intact(&garden, |at| at == a || at == b));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(prop::sample::select(br#"{}[]:," \"idtreshb1\n\0"#.to_vec()), 0..400)) {
            let _ = salvage::<Garden>(&bytes);
        }
    }
}
