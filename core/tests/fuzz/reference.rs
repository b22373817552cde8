//! A second reader of the files, written from `docs/FORMAT.md` alone: what the core makes of a file must be what this
//! one does.

use std::collections::HashSet;
use std::fmt;

use loopmem::ErrorKind;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::Verdict;

/// The members of an object, twice those that stand twice, each value as its bytes.
pub(crate) struct Members(pub(crate) Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;

        impl<'de> Visitor<'de> for Read {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Read)
    }
}

impl Members {
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value.get())
    }

    pub(crate) fn text(&self, key: &str) -> Option<String> {
        serde_json::from_str(self.get(key)?).ok()
    }

    fn stands_once(&self, key: &str) -> bool {
        self.0.iter().filter(|(name, _)| name == key).count() < 2
    }
}

/// `json` as loopmem wrote it.
pub(crate) fn parsed<T: serde::de::DeserializeOwned>(json: &str) -> Verdict<T> {
    serde_json::from_str(json).map_err(|fault| format!("{json:.200} is not as expected: {fault}"))
}

/// The lists of a document and what their records need.
pub(crate) const SECTIONS: [(&str, &[&str]); 3] = [
    ("conventions", &["id", "title", "content", "tags", "createdAt", "updatedAt"]),
    ("decisions", &["id", "summary", "rationale", "impactedPaths", "createdAt", "updatedAt"]),
    ("notes", &["id", "content", "source", "createdAt", "updatedAt"]),
];
const SUMMARY: &[&str] = &["runId", "stepId", "timestamp", "summary", "tags"];

/// `memory.json`: the records of each list, and the members that nobody knows.
#[derive(Default, PartialEq)]
pub(crate) struct Document {
    pub(crate) sections: [Vec<String>; 3],
    pub(crate) other: Vec<(String, String)>,
}

/// # Errors
/// What the core must refuse it with.
pub(crate) fn document(bytes: &[u8]) -> Result<Document, ErrorKind> {
    let members: Members = serde_json::from_slice(bytes).map_err(|_| ErrorKind::Parse)?;
    let keys: HashSet<_> = members.0.iter().map(|(key, _)| key).collect();
    if keys.len() < members.0.len() {
        return Err(ErrorKind::Parse);
    }
    members.get("schemaVersion").map_or(Ok(()), version)?;
    // An object with nothing of a document in it is not an empty one.
    if !members.0.iter().any(|(key, _)| key == "schemaVersion" || SECTIONS.iter().any(|(name, _)| name == key)) {
        return Err(ErrorKind::Parse);
    }
    let mut document = Document::default();
    for (key, value) in &members.0 {
        match SECTIONS.iter().position(|(name, _)| name == key) {
            Some(place) => document.sections[place] = records(value.get(), SECTIONS[place].1)?,
            None if key == "schemaVersion" => {}
            None => document.other.push((key.clone(), value.get().to_owned())),
        }
    }
    let id = |record: &String| serde_json::from_str::<Members>(record).ok()?.text("id");
    let ids: Vec<_> = document.sections.iter().flatten().map(id).collect();
    if ids.iter().collect::<HashSet<_>>().len() < ids.len() {
        return Err(ErrorKind::Parse);
    }
    Ok(document)
}

fn records(json: &str, keys: &[&str]) -> Result<Vec<String>, ErrorKind> {
    let records: Vec<Box<RawValue>> = serde_json::from_str(json).map_err(|_| ErrorKind::Parse)?;
    for record in &records {
        let members: Members = serde_json::from_str(record.get()).map_err(|_| ErrorKind::Parse)?;
        if !keys.iter().all(|key| members.stands_once(key) && fits(key, members.get(key))) {
            return Err(ErrorKind::Parse);
        }
    }
    Ok(records.iter().map(|record| record.get().to_owned()).collect())
}

/// `summaries.jsonl`: its lines, the damaged ones among them, and where they end.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    pub(crate) lines: Vec<String>,
    /// Each with its line end.
    pub(crate) damaged: Vec<u8>,
    pub(crate) whole: usize,
}

/// # Errors
/// What the core must refuse it with.
pub(crate) fn journal(bytes: &[u8]) -> Result<Journal, ErrorKind> {
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1);
    let mut lines: Vec<&[u8]> = bytes[..end].split_inclusive(|byte| *byte == b'\n').collect();
    let is_json = |line: &[u8]| serde_json::from_slice::<&RawValue>(line).is_ok();
    // Unfinished: the last line was never whole, if it is not valid JSON.
    lines.pop_if(|line| *line != b"\n" && !is_json(line));
    let whole = lines.iter().map(|line| line.len()).sum();
    let mut journal = Journal { whole, ..Journal::default() };
    for line in lines.into_iter().filter(|line| *line != b"\n") {
        match summary(line) {
            Ok(line) => journal.lines.push(line),
            Err(ErrorKind::Parse) => journal.damaged.extend(line),
            Err(refused) => return Err(refused),
        }
    }
    Ok(journal)
}

fn summary(line: &[u8]) -> Result<String, ErrorKind> {
    let members: Members = serde_json::from_slice(line).map_err(|_| ErrorKind::Parse)?;
    if !members.stands_once("v") {
        return Err(ErrorKind::Parse);
    }
    members.get("v").filter(|version| *version != "null").map_or(Ok(()), version)?;
    let fits = |key: &&str| {
        let value = members.get(key);
        members.stands_once(key) && (fits(key, value) || (*key == "tags" && value.is_none()))
    };
    if !SUMMARY.iter().all(fits) {
        return Err(ErrorKind::Parse);
    }
    Ok(String::from_utf8_lossy(line).trim_matches(['\n', '\r', '\t', ' ']).to_owned())
}

fn version(json: &str) -> Result<(), ErrorKind> {
    let is_whole = !json.is_empty() && json.bytes().all(|byte| byte.is_ascii_digit());
    match json {
        _ if !is_whole => Err(ErrorKind::Parse),
        "0" | "1" => Ok(()),
        _ => Err(ErrorKind::FormatTooNew),
    }
}

fn fits(key: &str, json: Option<&str>) -> bool {
    let Some(json) = json else { return false };
    match key {
        "tags" | "impactedPaths" => serde_json::from_str::<Vec<String>>(json).is_ok(),
        "source" => {
            serde_json::from_str(json).is_ok_and(|it: String| ["manual", "agent", "tool"].contains(&it.as_str()))
        }
        _ => serde_json::from_str::<String>(json).is_ok(),
    }
}
