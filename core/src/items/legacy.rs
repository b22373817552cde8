//! Memories of older programs: `*.jsonl` in the folder `memory` of the Codex home, and `memory.jsonl` in that of a
//! repository (spec 004, "Migration").
//!
//! Such a line is an item, or an event: a command that was run, or a patch that was applied. The files stay as they are, with
//! every line that cannot be read.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use chrono::DateTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};
use sha2::{Digest, Sha256};

use super::place::Place;
use super::record::{HISTORY, Item, Scope};
use super::store::{ItemStore, refuse_temporary};
use super::transfer::{Import, MAX_IMPORT_BYTES, OnConflict, Skipped, import_lines, read_source};
use super::{Items, operation};
use crate::disk::{Kind, Stored, without_mark};
use crate::error::{Error, ErrorKind, Result};
use crate::home::{Home, Layout};
use crate::redactions;
use crate::safety::{GeneratedId, Redaction, Timestamp, beginning};

/// The file of a repository.
const REPO_FILE: &str = "memory.jsonl";
/// The names of the events that become history.
const EVENTS: &[&str] = &["exec", "apply_patch", "tool"];
/// How the texts begin that an agent wrote for its own events, and the names of those events.
const STUBS: &[(&str, &str)] = &[
    ("Task completed. Record key outcomes", "summary"),
    ("Decision: approval requested for", "approval"),
    ("approval requested for", "approval"),
];
/// The members that may hold the text, the preferred one first.
const TEXTS: &[&str] = &["content", "text", "summary", "message", "command", "cmd", "patch", "input", "arguments"];
/// The members that may hold the time of creation.
const TIMES: &[&str] = &["created_at", "createdAt", "timestamp", "ts", "time", "date"];
/// The members that may hold when it was changed.
const CHANGES: &[&str] = &["updated_at", "updatedAt"];
/// The members that may name the event.
const NAMES: &[&str] = &["type", "kind", "event", "tool", "name"];
/// The types of items.
const TYPES: &[&str] = &["pref", "fact", "instruction", "profile", "note"];
/// The times that RFC 3339 can express: the years 0 to 9999, in milliseconds since 1970.
const YEARS: std::ops::RangeInclusive<i64> = -62_167_219_200_000..=253_402_300_799_999;

/// The result of a migration of older files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// Of several versions of a memory in one file, the one that was changed last is copied, and the others are skipped. If
    /// memories of several files, or a memory and an event, share an id, the later ones get an id that depends on their line.
    /// An item that was changed since it was copied stays as it is.
    ///
    /// # Errors
    /// Those of [`import_from`](Self::import_from).
    pub fn migrate_legacy(&self) -> Result<MigratedLegacy> {
        self.call(operation::MIGRATE_LEGACY, |items| {
            refuse_temporary(&items.home)?;
            let mut migrated = MigratedLegacy::default();
            let places = items.places()?;
            let mut stores: BTreeMap<PathBuf, (Place, Vec<(Scope, PathBuf)>)> = BTreeMap::new();
            for (scope, path) in files(items)? {
                let place = places.of_scope(&items.home, scope)?;
                stores.entry(place.file.clone()).or_insert_with(|| (place, Vec::new())).1.push((scope, path));
            }
            for (place, files) in stores.values() {
                copy(items, place, files, &mut migrated).map_err(|failed| {
                    let copied = migrated.copied + migrated.history;
                    failed.after_some(copied, "memories were copied; repeating the call copies the others")
                })?;
            }
            migrated.skipped.sort_by(|one, other| (&one.path, one.line.line).cmp(&(&other.path, other.line.line)));
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
    files.retain(|(scope, path)| {
        let is_ours = path.file_name().is_some_and(|name| name == "items.jsonl") || own.contains(&path.as_path());
        !is_ours && (*scope == Scope::Repo || matches!(home.disk().kind_of(path), Ok(Some(Kind::File))))
    });
    // In the home folder of a user, the repository's file is in the Codex home as well.
    let mut seen = HashSet::new();
    files.retain(|(_, path)| seen.insert(path.clone()));
    Ok(files)
}

/// Where a line is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Origin {
    scope: Scope,
    /// The position of its file.
    file: usize,
    /// Its number in there, from 1.
    line: usize,
}

/// A line of an older file as an item.
#[derive(Debug)]
struct Line {
    origin: Origin,
    is_event: bool,
    /// True if it has a date; otherwise it gets that of its file.
    is_dated: bool,
    /// When it was created and changed, in milliseconds since 1970.
    created: i64,
    changed: i64,
    /// Its id in the file; without one, its digest.
    id: String,
    /// The id that it gets if another one has its own.
    digest: String,
    item: Map<String, Value>,
    /// The redactions made to shorten it.
    redacted: Vec<Redaction>,
}

/// The fate of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fate {
    /// It is stored with this id.
    Stored(String),
    /// It is stored already.
    Unchanged,
    /// A later version is stored.
    Superseded,
}

/// The versions of a memory, as the positions of their lines.
struct Memory {
    latest: usize,
    versions: Vec<usize>,
}

/// Copies the lines of the files of one store.
fn copy(items: &Items, place: &Place, files: &[(Scope, PathBuf)], migrated: &mut MigratedLegacy) -> Result<()> {
    let home = &items.home;
    let skipped = |origin: Origin, code: Cow<'static, str>, message: &str| {
        let path = files.get(origin.file).map_or_else(Default::default, |(_, path)| path.to_string_lossy());
        let scrub = |text: &str| home.redactor().scrub(text).into_owned();
        SkippedLegacy { path: scrub(&path), line: Skipped { line: origin.line, code, message: scrub(message) } }
    };
    let (mut lines, check) = (Vec::new(), home.cancel_check());
    for (file, (scope, path)) in files.iter().enumerate() {
        let bytes = match (scope, &place.folder) {
            // A repository may come from anyone, and must not choose a file of the user.
            (Scope::Repo, Some(top)) => {
                let file = Layout::items_in(Path::new("")).join(REPO_FILE);
                match home.disk().read_plain(top, &file, MAX_IMPORT_BYTES)? {
                    Some(bytes) => bytes,
                    None => continue,
                }
            }
            _ => read_source(home, path)?,
        };
        // A line without a date is at most as young as its file.
        let modified = home.disk().stat(path)?.and_then(|stat| i64::try_from(stat.modified / 1_000_000).ok());
        let now = || i64::try_from(home.milliseconds()).unwrap_or(0);
        let written = modified.filter(|modified| YEARS.contains(modified)).unwrap_or_else(now);
        for (index, text) in bytes.split(|byte| *byte == b'\n').enumerate() {
            check()?;
            if text.trim_ascii().is_empty() {
                continue;
            }
            let origin = Origin { scope: *scope, file, line: index + 1 };
            match converted(home, origin, text, written) {
                Ok(line) => lines.push(line),
                Err(refused) => migrated.skipped.push(skipped(origin, refused.kind().code().into(), refused.message())),
            }
        }
    }
    if lines.is_empty() {
        return Ok(());
    }
    let stored = ItemStore::at(home, place)?.items()?.into_iter().map(|item| (item.id.clone(), item)).collect();
    let fates = fates(home, &lines, &stored);
    let mut copied: BTreeMap<(Scope, bool), Vec<Line>> = BTreeMap::new();
    for (mut line, fate) in lines.into_iter().zip(fates) {
        match fate {
            Fate::Stored(id) => {
                line.item.insert("id".to_owned(), id.into());
                copied.entry((line.origin.scope, line.is_event)).or_default().push(line);
            }
            Fate::Unchanged => migrated.unchanged += 1,
            Fate::Superseded => {
                let message = "a later version of it in the same file was copied instead";
                migrated.skipped.push(skipped(line.origin, ErrorKind::Conflict.code().into(), message));
            }
        }
    }
    for ((scope, is_event), lines) in copied {
        let texts: Vec<String> =
            lines.iter().map(|line| serde_json::to_string(&line.item).unwrap_or_default()).collect();
        // If another process copies the same lines meanwhile, they stay as it has stored them.
        let import = Import::new().scope(scope).on_conflict(OnConflict::Newer).force(true).of_any_length();
        let imported = import_lines(items, &import, texts.iter().enumerate().map(|(at, text)| (at, text.as_bytes())))?;
        let refused: HashMap<usize, Skipped> = imported.skipped.into_iter().map(|it| (it.line, it)).collect();
        for (at, line) in lines.into_iter().enumerate() {
            match refused.get(&at) {
                Some(refused) => migrated.skipped.push(skipped(line.origin, refused.code.clone(), &refused.message)),
                None => redactions::record(line.redacted),
            }
        }
        *(if is_event { &mut migrated.history } else { &mut migrated.copied }) += imported.added + imported.changed;
        migrated.unchanged += imported.unchanged;
    }
    Ok(())
}

/// The fate of each of `lines`, given the items that were stored before.
fn fates(home: &Home, lines: &[Line], stored: &HashMap<String, Stored<Item>>) -> Vec<Fate> {
    let mut fates = vec![Fate::Unchanged; lines.len()];
    let mut by_id: HashMap<&str, Vec<Vec<usize>>> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        // Versions of a memory are in one file. In others, the same id may mean another one, and so it may for events.
        let groups = by_id.entry(&line.id).or_default();
        let group = |line: &Line| (line.origin.file, line.is_event);
        match groups.iter_mut().find(|versions| versions.iter().take(1).any(|it| group(&lines[*it]) == group(line))) {
            Some(versions) => versions.push(at),
            None => groups.push(vec![at]),
        }
    }
    for (id, groups) in by_id {
        let mut memories: Vec<Memory> = Vec::new();
        for versions in groups {
            let Some(latest) = versions.iter().copied().max_by_key(|at| (lines[*at].changed, *at)) else { continue };
            for at in versions.iter().filter(|at| !lines[**at].is_same(&lines[latest])) {
                fates[*at] = Fate::Superseded;
            }
            match memories.iter_mut().find(|memory| lines[memory.latest].is_same(&lines[latest])) {
                Some(memory) => memory.versions.extend(versions),
                None => memories.push(Memory { latest, versions }),
            }
        }
        // Those that were copied with another id before.
        memories
            .retain(|memory| lines[memory.latest].digest == id || !stored.contains_key(&lines[memory.latest].digest));
        let owner = stored.get(id).map_or(Some(0), |before| owner(home, lines, &memories, before));
        for (position, memory) in memories.iter().enumerate() {
            let line = &lines[memory.latest];
            if owner != Some(position) {
                fates[memory.latest] = Fate::Stored(line.digest.clone());
            } else if stored.get(id).is_none_or(|before| replaces(home, lines, memory, before)) {
                fates[memory.latest] = Fate::Stored(line.id.clone());
            }
        }
    }
    fates
}

/// The one of `memories`, which share an id, that was copied to the item stored with that id. It may have been edited
/// since, but its creation date has not. `None` if it is another one.
fn owner(home: &Home, lines: &[Line], memories: &[Memory], before: &Item) -> Option<usize> {
    let first = |is_owner: &dyn Fn(&Line) -> bool| {
        memories.iter().position(|memory| memory.versions.iter().any(|at| is_owner(&lines[*at])))
    };
    first(&|line| line.id == line.digest || line.says(home, before))
        .or_else(|| first(&|line| line.is_dated && line.created == before.created_at()))
        // The date of its file may be another one by now.
        .or_else(|| first(&|line| !line.is_dated))
}

/// True if the latest version of a memory replaces the item that was stored `before`: only if that is an earlier version, as it
/// was copied.
fn replaces(home: &Home, lines: &[Line], memory: &Memory, before: &Item) -> bool {
    let latest = &lines[memory.latest];
    let is_stored = |line: &Line| line.changed == before.changed_at() && line.says(home, before);
    latest.is_dated && latest.changed > before.changed_at() && memory.versions.iter().any(|at| is_stored(&lines[*at]))
}

impl Line {
    /// True if it equals another one. A date that is not in the line does not matter.
    fn is_same(&self, other: &Line) -> bool {
        let is_date = |name: &str| ["created_at", "updated_at"].contains(&name);
        let are_dated = self.is_dated && other.is_dated;
        let has_same =
            |(name, value): (&String, &Value)| other.item.get(name) == Some(value) || (!are_dated && is_date(name));
        self.digest == other.digest
            || (self.is_event == other.is_event
                && self.item.len() == other.item.len()
                && self.item.iter().all(has_same))
    }

    /// True if it has the content of a stored item.
    fn says(&self, home: &Home, stored: &Item) -> bool {
        let content = self.item.get("content").and_then(Value::as_str).unwrap_or_default();
        home.redactor().redact_field("content", content).0 == stored.content
    }
}

/// A line of a file that was last `written` then, in milliseconds since 1970, as an item.
fn converted(home: &Home, origin: Origin, line: &[u8], written: i64) -> Result<Line> {
    let damaged = |what: &str| Error::new(ErrorKind::Parse, what.to_owned());
    let line = without_mark(line).trim_ascii();
    let old: Map<String, Value> = serde_json::from_slice(line).map_err(|_| damaged("it is not a JSON object"))?;
    let content = TEXTS.iter().find_map(|name| Some((*name, text(old.get(*name)?)?)));
    let (content_name, content) = content.ok_or_else(|| damaged("it has no text"))?;
    let event = NAMES.iter().find_map(|name| old.get(*name)?.as_str().filter(|name| EVENTS.contains(name)));
    let mut tags = tags(old.get("tags"));
    let word = |name: &str| old.get(name).and_then(Value::as_str).map(str::to_ascii_lowercase);
    let item_type = ["type", "kind"].iter().find_map(|name| word(name).filter(|it| TYPES.contains(&it.as_str())));
    let is_item = item_type.is_some();
    let event = event.or_else(|| EVENTS.iter().copied().find(|event| tags.iter().any(|tag| tag == event) && !is_item));
    let stub = || STUBS.iter().find(|(beginning, _)| content.starts_with(beginning)).map(|(_, event)| *event);
    let event = event.or_else(|| stub().filter(|_| !is_item));
    let (created, updated) = (first_time(&old, TIMES)?, first_time(&old, CHANGES)?);
    let is_dated = created.is_some() || updated.is_some();
    let changed = updated.or(created);
    let (used_names, created, changed) = (
        [Some(content_name), created.map(|it| it.0), updated.map(|it| it.0), Some("v"), Some("scope")],
        created.or(updated).map_or(written, |it| it.1),
        changed.map_or(written, |it| it.1),
    );
    let mut item = old.clone();
    // What `v` and `scope` meant there may differ from what they mean here.
    item.retain(|name, _| !used_names.contains(&Some(name.as_str())));
    if !matches!(word("status").as_deref(), Some("active" | "archived")) {
        item.remove("status");
    }
    for name in ["id", "session"] {
        match old.get(name) {
            Some(Value::String(text)) if !text.trim().is_empty() => {}
            Some(Value::Number(number)) => drop(item.insert(name.to_owned(), number.to_string().into())),
            _ => drop(item.remove(name)),
        }
    }
    match old.get("seq").and_then(position) {
        Some(seq) => drop(item.insert("seq".to_owned(), seq.into())),
        None => drop(item.remove("seq")),
    }
    let (content, redacted) = redactions::set_aside(|| match event {
        Some(_) => shortened(home, &content),
        None => content,
    });
    let redacted = if home.is_dry_run() {
        redactions::record(redacted);
        Vec::new()
    } else {
        redacted
    };
    item.insert("content".to_owned(), content.into());
    for (name, millis) in [("created_at", created), ("updated_at", changed)] {
        item.insert(name.to_owned(), Timestamp::from_unix_millis(millis).to_string().into());
    }
    let digest = GeneratedId::digest(&Sha256::digest(line).into()).as_str().to_owned();
    let id = item.get("id").and_then(Value::as_str).unwrap_or(&digest).to_owned();
    item.insert("id".to_owned(), id.as_str().into());
    if word("kind").is_some_and(|kind| item_type.as_ref() == Some(&kind)) {
        item.remove("kind");
    }
    item.insert("type".to_owned(), item_type.unwrap_or_else(|| "note".to_owned()).into());
    if let Some(event) = event {
        for tag in [event, HISTORY] {
            if !tags.iter().any(|known| known == tag) {
                tags.push(tag.to_owned());
            }
        }
        item.retain(|name, _| {
            ["id", "type", "content", "created_at", "updated_at", "session", "seq"].contains(&name.as_str())
        });
        item.insert("status".to_owned(), "archived".into());
        item.insert("recallable".to_owned(), false.into());
    }
    item.insert("tags".to_owned(), tags.into());
    Ok(Line { origin, is_event: event.is_some(), is_dated, created, changed, id, digest, item, redacted })
}

/// Tags: texts, or other values as they are written.
fn tags(value: Option<&Value>) -> Vec<String> {
    let tag = |value: &Value| match value {
        Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        Value::Null => None,
        other => Some(other.to_string()),
    };
    match value {
        Some(Value::Array(values)) => values.iter().filter_map(tag).collect(),
        Some(one) => tag(one).into_iter().collect(),
        None => Vec::new(),
    }
}

/// A position in a session; `None` if the value is not a position.
#[allow(clippy::cast_possible_truncation, reason = "it is compared with the number that it was")]
fn position(value: &Value) -> Option<i64> {
    let whole = |number: f64| Some(number as i64).filter(|whole| *whole as f64 == number);
    match value {
        Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
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

/// The first of `names` that has a time, with that, in milliseconds since 1970.
fn first_time<'n>(old: &Map<String, Value>, names: &[&'n str]) -> Result<Option<(&'n str, i64)>> {
    for name in names {
        let found = old.get(*name).and_then(time);
        match found {
            Some(millis) if YEARS.contains(&millis) => return Ok(Some((*name, millis))),
            Some(_) => {
                let message = format!("its {name} is not between the years 0 and 9999");
                return Err(Error::new(ErrorKind::Parse, message));
            }
            None => {}
        }
    }
    Ok(None)
}

/// A time, in milliseconds since 1970: RFC 3339, or a number.
fn time(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => {
            let text = text.trim();
            let parsed = DateTime::parse_from_rfc3339(text)
                .or_else(|_| DateTime::parse_from_rfc3339(&format!("{text}T00:00:00Z")))
                .or_else(|_| DateTime::parse_from_rfc3339(&format!("{text}Z")));
            if let Ok(parsed) = parsed {
                return Some(parsed.timestamp_millis());
            }
            let (year, _) = text.trim_start_matches('+').split_once('-').unwrap_or_default();
            let is_far = year.len() > 4 && year.bytes().all(|byte| byte.is_ascii_digit());
            if is_far { Some(i64::MAX) } else { millis(&text.parse().ok()?) }
        }
        Value::Number(number) => millis(number),
        _ => None,
    }
}

/// The time that is this many seconds, milliseconds, microseconds or nanoseconds after 1970: the unit follows from their
/// magnitude, from 1973 to 5138. `None` for what is closer to 1970: it counts something else.
#[allow(clippy::cast_possible_truncation, reason = "of a time in seconds, the fraction does not matter")]
fn millis(number: &Number) -> Option<i64> {
    /// Smaller numbers are in seconds, those up to a thousand times as large in milliseconds, and so on.
    const UNIT: u128 = 100_000_000_000;
    let number = number.as_i64().map(i128::from).or_else(|| number.as_f64().map(|number| number as i128));
    // A number outside these ranges has too many digits.
    let number = number.unwrap_or(i128::MAX);
    let millis = match number.unsigned_abs() {
        0..=99_999_999 => return None,
        size if size < UNIT => number * 1_000,
        size if size < UNIT * 1_000 => number,
        size if size < UNIT * 1_000_000 => number / 1_000,
        size if size < UNIT * 1_000_000_000 => number / 1_000_000,
        _ => i128::MAX,
    };
    Some(i64::try_from(millis).unwrap_or(i64::MAX))
}

/// The beginning of the text of an event; the file has the rest.
fn shortened(home: &Home, text: &str) -> String {
    let text = home.redact("content", text);
    let end = text.char_indices().nth(home.config().items.max_content_chars).map_or(text.len(), |(at, _)| at);
    beginning(&text, end).to_owned()
}
