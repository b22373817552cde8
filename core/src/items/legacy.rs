//! Memories of older programs: `*.jsonl` in the folder `memory` of the Codex home, and `memory.jsonl` in that of a
//! repository (spec 004, "Migration").
//!
//! Such a line is an item, or an event: a command that was run, or a patch that was applied. The files stay as they are, with
//! every line that cannot be read.

use std::path::{Path, PathBuf};

use chrono::DateTime;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::Items;
use super::place::Place;
use super::record::{HISTORY, Scope};
use super::store::refuse_temporary;
use super::transfer::{Import, Imported, OnConflict, Skipped, import_lines, read_source};
use crate::disk::Kind;
use crate::error::{Error, ErrorKind, Result};
use crate::home::{Home, Layout};
use crate::safety::{GeneratedId, Timestamp};

/// The file of a repository.
const REPO_FILE: &str = "memory.jsonl";
/// The names of the events that become history.
const EVENTS: &[&str] = &["exec", "apply_patch"];
/// The members that may hold the text, the preferred one first.
const TEXTS: &[&str] = &["content", "text", "summary", "message", "command", "cmd", "patch", "input", "arguments"];
/// The members that may hold when it was said.
const TIMES: &[&str] = &["created_at", "createdAt", "timestamp", "ts", "time", "date"];
/// The members that may hold when it was changed.
const CHANGES: &[&str] = &["updated_at", "updatedAt"];
/// The members that may name the event.
const NAMES: &[&str] = &["type", "kind", "event", "tool", "name"];

/// The result of a migration of older files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "MigratedLegacyItems")]
#[non_exhaustive]
pub struct MigratedLegacy {
    /// Lines that were copied as items that can be recalled.
    pub copied: usize,
    /// Events that were copied as archived items with the tag `history`.
    pub history: usize,
    /// Lines that were copied before.
    pub unchanged: usize,
    /// Lines that were not copied.
    pub skipped: Vec<SkippedLegacy>,
}

/// A line of an older file that was not copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SkippedLegacyItem")]
#[non_exhaustive]
pub struct SkippedLegacy {
    /// Its file.
    pub path: String,
    /// Its number, from 1, why it was not copied, and what is wrong with it.
    #[serde(flatten)]
    pub line: Skipped,
}

impl Items {
    /// Copies the memories of older programs: `*.jsonl` in the folder `memory` of the Codex home become global items, and
    /// `.codex/memory/memory.jsonl` of the repository becomes items of the repository.
    ///
    /// Ids and dates are kept. Events, `exec` and `apply_patch`, are archived with the tag `history` and never recalled. Secrets
    /// are redacted. The files stay as they are; copying them twice is the same as once.
    ///
    /// # Errors
    /// Those of [`import_from`](Self::import_from).
    pub fn migrate_legacy(&self) -> Result<MigratedLegacy> {
        self.call("items.migrateLegacy", |items| {
            refuse_temporary(&items.home)?;
            let mut migrated = MigratedLegacy::default();
            for (scope, path) in files(items)? {
                copy(items, scope, &path, &mut migrated)?;
            }
            Ok(migrated)
        })
    }
}

/// The older files that there are.
fn files(items: &Items) -> Result<Vec<(Scope, PathBuf)>> {
    let (home, places) = (&items.home, items.places()?);
    let config = &home.config().items;
    let named = [&config.repo_files.jsonl, &config.home_files.jsonl].into_iter().flatten().map(PathBuf::as_path);
    let own: Vec<&Path> = places.all().map(|place: &Place| place.file.as_path()).chain(named).collect();
    let mut files = vec![(Scope::Repo, Layout::items_in(&places.top).join(REPO_FILE))];
    if let Ok(folder) = home.layout().global_items()
        && matches!(home.disk().kind_of(&folder), Ok(Some(Kind::Folder)))
    {
        let entries = home.disk().entries(&folder)?;
        let mut names: Vec<_> = entries.into_iter().map(|(name, _)| folder.join(name)).collect();
        names.sort();
        names.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
        files.extend(names.into_iter().map(|path| (Scope::Global, path)));
    }
    files.retain(|(_, path)| {
        let is_ours = path.file_name().is_some_and(|name| name == "items.jsonl") || own.contains(&path.as_path());
        !is_ours && matches!(home.disk().kind_of(path), Ok(Some(Kind::File)))
    });
    Ok(files)
}

/// Copies the lines of one file.
fn copy(items: &Items, scope: Scope, path: &Path, migrated: &mut MigratedLegacy) -> Result<()> {
    let home = &items.home;
    let bytes = read_source(home, path)?;
    // A line without a date is at most as young as its file.
    let written = home.disk().stat(path)?.map_or(0, |stat| stat.modified / 1_000_000);
    let written = Timestamp::from_unix_millis(i64::try_from(written).unwrap_or(0));
    let skipped = |line| SkippedLegacy { path: home.redactor().scrub(&path.to_string_lossy()).into_owned(), line };
    let (mut plain, mut events) = (Vec::new(), Vec::new());
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match converted(home, line, written) {
            Ok((true, item)) => events.push((index + 1, item)),
            Ok((false, item)) => plain.push((index + 1, item)),
            Err(refused) => {
                let message = home.redactor().scrub(refused.message()).into_owned();
                let line = Skipped { line: index + 1, code: refused.kind().code(), message };
                migrated.skipped.push(skipped(line));
            }
        }
    }
    let import = Import::new().scope(scope).on_conflict(OnConflict::Keep).force(true).of_any_length();
    let store = |lines: &[(usize, String)]| -> Result<Imported> {
        import_lines(items, &import, lines.iter().map(|(number, text)| (*number, text.as_bytes())))
    };
    let (plain, events) = (store(&plain)?, store(&events)?);
    migrated.copied += plain.added;
    migrated.history += events.added;
    migrated.unchanged += plain.unchanged + events.unchanged;
    migrated.skipped.extend(plain.skipped.into_iter().chain(events.skipped).map(skipped));
    migrated.skipped.sort_by(|one, other| (&one.path, one.line.line).cmp(&(&other.path, other.line.line)));
    Ok(())
}

/// A line of a file that was last `written` then as an item, and whether it is an event.
fn converted(home: &Home, line: &[u8], written: Timestamp) -> Result<(bool, String)> {
    let damaged = |what: &str| Error::new(ErrorKind::Parse, what.to_owned());
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    let old: Map<String, Value> = serde_json::from_slice(line).map_err(|_| damaged("it is not a JSON object"))?;
    let content = TEXTS.iter().find_map(|name| text(old.get(*name)?));
    let content = content.ok_or_else(|| damaged("it has no text"))?;
    let event = NAMES.iter().find_map(|name| old.get(*name)?.as_str().filter(|name| EVENTS.contains(name)));
    let tags: Vec<&str> =
        old.get("tags").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let types = ["pref", "fact", "instruction", "profile", "note"];
    let is_item = old.get("type").and_then(Value::as_str).is_some_and(|it| types.contains(&it));
    let event = event.or_else(|| tags.iter().copied().find(|tag| EVENTS.contains(tag) && !is_item));
    let created = TIMES.iter().find_map(|name| time(old.get(*name)?));
    let updated = CHANGES.iter().find_map(|name| time(old.get(*name)?)).or_else(|| created.clone());
    let undated = || written.to_string();
    let mut item = old.clone();
    // What it means here may differ from what it meant there.
    item.retain(|name, _| {
        !TEXTS.contains(&name.as_str()) && !TIMES.contains(&name.as_str()) && !["v", "scope"].contains(&name.as_str())
    });
    if !matches!(old.get("status").and_then(Value::as_str), Some("active" | "archived")) {
        item.remove("status");
    }
    for name in ["id", "session"] {
        if let Some(number) = old.get(name).filter(|value| value.is_number()) {
            item.insert(name.to_owned(), number.to_string().into());
        }
    }
    item.insert("content".to_owned(), shortened(home, &content, event.is_some()).into());
    item.insert("created_at".to_owned(), created.or_else(|| updated.clone()).unwrap_or_else(undated).into());
    item.insert("updated_at".to_owned(), updated.unwrap_or_else(undated).into());
    if item.get("id").and_then(Value::as_str).is_none_or(|id| id.trim().is_empty()) {
        item.insert("id".to_owned(), GeneratedId::digest(&Sha256::digest(line).into()).as_str().into());
    }
    if !is_item {
        item.insert("type".to_owned(), "note".into());
    }
    let mut tags: Vec<Value> = tags.into_iter().map(Value::from).collect();
    if let Some(event) = event {
        tags.extend(
            [event, HISTORY].into_iter().map(Value::from).filter(|tag| !tags.contains(tag)).collect::<Vec<_>>(),
        );
        item.retain(|name, _| {
            ["id", "type", "content", "created_at", "updated_at", "session", "seq"].contains(&name.as_str())
        });
        item.insert("status".to_owned(), "archived".into());
        item.insert("recallable".to_owned(), false.into());
    }
    item.insert("tags".to_owned(), tags.into());
    Ok((event.is_some(), json!(item).to_string()))
}

/// A text, or the words of a command.
fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(words) => words.iter().map(|word| word.as_str()).collect::<Option<Vec<_>>>()?.join(" "),
        _ => return None,
    };
    (!text.trim().is_empty()).then_some(text)
}

/// A time: RFC 3339, or the seconds or milliseconds since 1970.
#[allow(clippy::cast_possible_truncation, reason = "of a time in seconds, the fraction does not matter")]
fn time(value: &Value) -> Option<String> {
    const FIRST_MILLIS: i64 = 100_000_000_000;
    let millis = match value {
        Value::String(text) => DateTime::parse_from_rfc3339(text)
            .or_else(|_| DateTime::parse_from_rfc3339(&format!("{text}T00:00:00Z")))
            .or_else(|_| DateTime::parse_from_rfc3339(&format!("{text}Z")))
            .ok()?
            .timestamp_millis(),
        Value::Number(number) => {
            let number = number.as_i64().or_else(|| number.as_f64().map(|it| it as i64)).filter(|it| *it >= 0)?;
            if number < FIRST_MILLIS { number * 1_000 } else { number }
        }
        _ => return None,
    };
    Some(Timestamp::from_unix_millis(millis).to_string())
}

/// The beginning of the text of an event; the file has the rest. A part of a secret would not be recognized as one, so they are
/// redacted before.
fn shortened(home: &Home, text: &str, is_event: bool) -> String {
    if is_event {
        home.redactor().scrub(text).chars().take(home.config().items.max_content_chars).collect()
    } else {
        text.to_owned()
    }
}
