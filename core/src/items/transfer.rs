//! Items from and to other places: JSON lines in a file, or a list of JSON objects.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest, Sha256};

use super::backend::Change;
use super::draft::ItemPatch;
use super::expiry;
use super::foreign::{self, Expiry};
use super::place::Places;
use super::record::{Counters, Hints, Item, ItemType, Scope, Status};
use super::store::{Filter, ItemStore, record_of, refuse_temporary};
use super::usage::Sum;
use super::{Items, operation};
use crate::disk::{Fields, Kind, Stored, without_mark};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::redactions;
use crate::safety::{Admitted, GeneratedId, Redaction, Sealed, Timestamp};
use crate::trash::Reason;

/// The maximum size of a file that is imported, in bytes.
pub(super) const MAX_IMPORT_BYTES: u64 = 1 << 30;
/// The maximum length of an id, in characters.
const MAX_ID_CHARS: usize = 200;
/// The members of an item that are not merely redacted.
const OWN: &[&str] = &[
    "v",
    "id",
    "created_at",
    "updated_at",
    "scope",
    "status",
    "type",
    "counters",
    "expiry",
    "session",
    "seq",
    "embedding",
    "recallable",
];

/// What happens to an imported item whose id is stored already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum OnConflict {
    /// The one that was changed last is kept.
    #[default]
    Newer,
    /// The stored one is kept.
    Keep,
    /// The imported one replaces it.
    Replace,
}

/// The options of an import.
#[derive(Debug, Clone, Default)]
pub struct Import {
    scope: Option<Scope>,
    on_conflict: OnConflict,
    is_forced: bool,
    is_of_any_length: bool,
}

impl Import {
    /// Items as they are, with the scopes that they say.
    pub fn new() -> Self {
        Import::default()
    }

    setters! {
        /// The scope of all items, instead of the one that each says. Items that say none belong to the repository.
        scope(scope: impl Into<Option<Scope>>) => scope = scope.into();
        /// What happens to an item whose id is stored already.
        on_conflict(on_conflict: OnConflict) => on_conflict = on_conflict;
        /// Whether secrets are redacted; otherwise an item with one is skipped.
        force(is_forced: bool) => is_forced = is_forced;
    }

    /// With contents of any length.
    pub(super) fn of_any_length(self) -> Self {
        Import { is_of_any_length: true, ..self }
    }
}

/// The result of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ImportedItems")]
#[non_exhaustive]
pub struct Imported {
    /// Items that were added.
    pub added: usize,
    /// Stored items that were replaced.
    pub changed: usize,
    /// Stored items that stay as they are.
    pub unchanged: usize,
    /// What was not imported.
    pub skipped: Vec<Skipped>,
}

/// A line that was not imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SkippedItem")]
#[non_exhaustive]
pub struct Skipped {
    /// Its number, from 1.
    pub line: usize,
    /// Why: the code of an error.
    #[schemars(with = "String")]
    pub code: Cow<'static, str>,
    /// What is wrong with it.
    pub message: String,
}

impl Skipped {
    /// The line `line` was not imported because of an error of this kind.
    pub fn new(line: usize, kind: ErrorKind, message: String) -> Self {
        Skipped { line, code: kind.code().into(), message }
    }
}

/// The members of an item to import.
#[derive(Debug, Deserialize)]
struct Source {
    id: Option<String>,
    created_at: Option<String>,
    updated_at: Option<String>,
    #[serde(default, deserialize_with = "foreign::word")]
    scope: Option<Scope>,
    #[serde(default, deserialize_with = "foreign::word")]
    status: Option<Status>,
    #[serde(default, rename = "type", deserialize_with = "foreign::word")]
    item_type: Option<ItemType>,
    /// The type under another name.
    #[serde(default, deserialize_with = "foreign::word_if_known")]
    kind: Option<ItemType>,
    content: String,
    #[serde(default)]
    tags: Option<Vec<String>>,
    #[serde(default)]
    relevance_hints: Option<Hints>,
    #[serde(default)]
    counters: Option<Counters>,
    expiry: Option<Expiry>,
    session: Option<String>,
    seq: Option<i64>,
    embedding: Option<Vec<f32>>,
    recallable: Option<bool>,
}

/// An item that is ready to be stored.
pub(super) struct Ready {
    scope: Scope,
    pub(super) item: Sealed<Item>,
    /// True if its time is that of the import.
    is_undated: bool,
    pub(super) counters: Option<Sum>,
    /// The redactions in it.
    redacted: Vec<Redaction>,
}

impl Items {
    /// Returns the items that match `filter` with their counts, as [`import`](Self::import) takes them.
    ///
    /// # Errors
    /// Those of [`list`](Self::list).
    pub fn export(&self, filter: &Filter) -> Result<Vec<Stored<Item>>> {
        self.call(operation::EXPORT, |items| items.list(filter))
    }

    /// Writes the items that match `filter` to a new file, one per line, and returns their number.
    ///
    /// # Errors
    /// `ValidationError` if there is something at `path`; those of [`list`](Self::list); `IOError`.
    pub fn export_to(&self, filter: &Filter, path: &Path) -> Result<usize> {
        self.call(operation::EXPORT, |items| {
            items.home.admit_path("path", path)?;
            refuse_temporary(&items.home)?;
            let found = items.list(filter)?;
            let mut text = String::new();
            for item in &found {
                text.push_str(item.json().get());
                text.push('\n');
            }
            items.home.disk().write_new(path, text.as_bytes())?;
            Ok(found.len())
        })
    }

    /// Imports the lines of a file, each of which is an item as JSON.
    ///
    /// A line that is damaged or too long, or has a secret, is skipped and named. The items of each scope are stored together:
    /// if those of one cannot be stored, those of the scopes before it, in the order repo, dir, global, have been. Importing
    /// again completes it.
    ///
    /// # Errors
    /// `ValidationError` if there is no such file or it is too large; those of [`add`](Self::add).
    pub fn import_from(&self, import: &Import, path: &Path) -> Result<Imported> {
        self.call(operation::IMPORT, |items| {
            items.home.admit_path("path", path)?;
            let bytes = read_source(&items.home, path)?;
            let lines = bytes.split(|byte| *byte == b'\n').enumerate();
            let lines = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
            import_lines(items, import, lines.map(|(index, line)| (index + 1, line)))
        })
    }

    /// Imports items, each as a JSON object.
    ///
    /// # Errors
    /// Those of [`add`](Self::add).
    pub fn import(&self, import: &Import, sources: &[Fields]) -> Result<Imported> {
        self.call(operation::IMPORT, |items| {
            let texts: Vec<String> =
                sources.iter().map(|source| serde_json::to_string(source).unwrap_or_default()).collect();
            import_lines(items, import, texts.iter().enumerate().map(|(index, text)| (index + 1, text.as_bytes())))
        })
    }
}

/// The bytes of a file that is imported.
pub(super) fn read_source(home: &Home, path: &Path) -> Result<Vec<u8>> {
    match home.disk().read_foreign(path, MAX_IMPORT_BYTES) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(Error::validation(format!("there is no file {}", path.display())).at(path)),
        Err(cause) if cause.kind() == std::io::ErrorKind::FileTooLarge => {
            let most = format!("{}: at most {MAX_IMPORT_BYTES} bytes are imported", path.display());
            Err(Error::validation(most).at(path))
        }
        Err(cause) if !matches!(home.disk().kind_of(path), Ok(Some(Kind::File))) => {
            Err(Error::validation(format!("{} is not a file", path.display())).at(path).because_of(&cause))
        }
        Err(cause) => Err(Error::io("read", path, &cause)),
    }
}

pub(super) fn import_lines<'l>(
    items: &Items,
    import: &Import,
    lines: impl Iterator<Item = (usize, &'l [u8])>,
) -> Result<Imported> {
    let home = &items.home;
    refuse_temporary(home)?;
    let mut imported = Imported::default();
    let mut ready: Vec<Ready> = Vec::new();
    let check = home.cancel_check();
    for (line, text) in lines {
        check()?;
        let (item, redacted) = redactions::set_aside(|| read(home, import, text));
        match item {
            Ok(item) => ready.push(Ready { redacted, ..item }),
            Err(refused) => {
                if home.is_dry_run() {
                    redactions::record(redacted);
                }
                let message = home.redactor().scrub(refused.message()).into_owned();
                imported.skipped.push(Skipped::new(line, refused.kind(), message));
            }
        }
    }
    let places = items.places()?;
    for scope in [Scope::Repo, Scope::Dir, Scope::Global] {
        let (of_scope, rest): (Vec<_>, Vec<_>) = ready.into_iter().partition(|item| item.scope == scope);
        ready = rest;
        if !of_scope.is_empty() {
            let stored = imported.added + imported.changed;
            store(home, &places, scope, of_scope, import.on_conflict, &mut imported).map_err(|failed| {
                failed.after_some(stored, "items of other scopes were imported; importing again completes it")
            })?;
        }
    }
    Ok(imported)
}

/// Stores the items of one scope together.
fn store(
    home: &Home,
    places: &Places,
    scope: Scope,
    items: Vec<Ready>,
    on_conflict: OnConflict,
    imported: &mut Imported,
) -> Result<()> {
    let store = ItemStore::at(home, &places.of_scope(home, scope)?)?;
    // Of several with one id, the last one counts, so that importing twice counts once.
    let counts: HashMap<String, Sum> =
        items.iter().filter_map(|item| Some((item.item.value().id.clone(), item.counters?))).collect();
    let of_change = store.clone();
    let ((added, changed, unchanged), redacted) = store.edit(move |records| {
        let (mut changes, mut counts, mut all_redacted) = (Vec::<Change>::new(), (0, 0, 0), Vec::new());
        let mut replaced = Vec::new();
        // The position of the change of each item.
        let mut latest: HashMap<String, usize> = HashMap::new();
        for Ready { item, is_undated, redacted, .. } in items {
            let id = item.value().id.clone();
            let (before, is_stored) = match latest.get(&id).and_then(|at| changes.get(*at)) {
                Some(Change::Set(before)) => (Some(before.clone()), false),
                _ => (records.find(&id)?, true),
            };
            let is_kept = before.as_ref().is_some_and(|before| match on_conflict {
                OnConflict::Keep => true,
                OnConflict::Newer => is_undated || before.changed_at() >= item.value().changed_at(),
                OnConflict::Replace => before.json().get() == item.json().get(),
            });
            if is_kept {
                counts.2 += 1;
                continue;
            }
            match &before {
                Some(_) => counts.1 += 1,
                None => counts.0 += 1,
            }
            if let Some(before) = before.filter(|_| is_stored && of_change.home().config().keep_replaced) {
                replaced.push(of_change.discarded(&before)?);
            }
            all_redacted.extend(redacted);
            let change = Change::Set(Stored::from(item));
            match latest.get(&id).and_then(|at| changes.get_mut(*at)) {
                Some(earlier) => *earlier = change,
                None => {
                    latest.insert(id, changes.len());
                    changes.push(change);
                }
            }
        }
        of_change.trash().put(Reason::Replaced, replaced)?;
        Ok((changes, (counts, all_redacted)))
    })?;
    redactions::record(redacted);
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    store
        .usage()
        .raise(home, counts)
        .map_err(|failed| failed.after("the items were imported, and importing again adds their counts"))?;
    imported.added += added;
    imported.changed += changed;
    imported.unchanged += unchanged;
    Ok(())
}

/// The item in a line.
///
/// # Errors
/// `ParseError`, `FormatTooNew`, `ValidationError`, `SecretRefused`: what is wrong with it.
pub(super) fn read(home: &Home, import: &Import, line: &[u8]) -> Result<Ready> {
    let damaged = |_| Error::new(ErrorKind::Parse, "not an item: expected a JSON object with a string \"content\"");
    let line = without_mark(line).trim_ascii();
    if !line.starts_with(b"{") {
        return Err(Error::new(ErrorKind::Parse, "not a JSON object"));
    }
    let json: &RawValue = serde_json::from_slice(line).map_err(|_| Error::new(ErrorKind::Parse, "not valid JSON"))?;
    let mut members: Fields = serde_json::from_str(json.get())
        .map_err(|_| Error::new(ErrorKind::Parse, "a key occurs twice in it; remove one of them"))?;
    match members.get("v").map(|version| version.get().parse::<u64>()) {
        None | Some(Ok(1)) => {}
        Some(Ok(2..)) => {
            return Err(Error::new(ErrorKind::FormatTooNew, "it was written by a newer loopmem; update loopmem"));
        }
        Some(_) => return Err(Error::new(ErrorKind::Parse, "not an item: its v is not the version of a format")),
    }
    let source: Source = serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(json.get()))
        .map_err(|cause| match cause.path().iter().next() {
            // The message of the parser would quote the value.
            Some(_) => Error::new(ErrorKind::Parse, format!("not an item: its {} is not valid", cause.path())),
            None => damaged(cause.into_inner()),
        })?;
    let hints = source.relevance_hints;
    let (mut ttl, mut expiry, mut other_expiry) = (None, None, None);
    match source.expiry {
        Some(Expiry::Text(text)) => expiry = Some(text),
        Some(Expiry::Object(mut object)) => {
            ttl = object
                .get("ttl_secs")
                .and_then(foreign::seconds)
                .filter(|seconds| expiry::after(*seconds, 0).is_some());
            if ttl.is_some() {
                object.remove("ttl_secs");
            }
            object.retain(|_, value| !value.is_null());
            other_expiry = Some(object).filter(|object| !object.is_empty());
        }
        None => {}
    }
    let content = ItemPatch {
        content: Some(source.content),
        tags: source.tags,
        relevance_hints: hints.as_ref().map(|hints| hints.known.clone()),
        session: source.session,
        seq: source.seq,
        embedding: source.embedding,
        recallable: source.recallable,
        is_forced: import.is_forced,
        ..ItemPatch::default()
    };
    let most = if import.is_of_any_length { usize::MAX } else { home.config().items.max_content_chars };
    // What this version does not know. A dry run ends when the content has been redacted, so this comes first.
    let own: Vec<String> = OWN.iter().chain(super::draft::TEXTS).map(|name| (*name).to_owned()).collect();
    members.remove_all(&own);
    if source.item_type.is_none() && source.kind.is_some() {
        members.remove("kind");
    }
    let others = hints.as_ref().map(|hints| &hints.others).filter(|others| !others.is_empty());
    keep(&mut members, "other_hints", others)?;
    keep(&mut members, "other_expiry", other_expiry.as_ref())?;
    let others = home.seal_part(&members, import.is_forced)?;
    let sealed = content.sealed(home, most, false)?;
    let scope = import.scope.or(source.scope).unwrap_or(Scope::Repo);
    let now = home.timestamp();
    let created = time("created_at", source.created_at.as_deref())?;
    let updated = time("updated_at", source.updated_at.as_deref())?.or(created);
    let is_undated = updated.is_none();
    let updated = updated.unwrap_or(now);
    let created = created.unwrap_or(updated);
    let (times, status) = ([created, updated], source.status.unwrap_or(Status::Active));
    let item_type = source.item_type.or(source.kind).unwrap_or(ItemType::Note);
    let mut record = match given_id(home, source.id.as_deref())? {
        Some(id) => record_of(&id, times, scope, status, item_type)?,
        // The same each time, so that importing twice is the same as once.
        None => {
            let text = home.redactor().scrub(json.get());
            let id = GeneratedId::digest(&Sha256::digest(text.as_bytes()).into());
            record_of(&id, times, scope, status, item_type)?
        }
    };
    let from = expiry::millis(&created.to_string()).unwrap_or(0);
    let expires = match (expiry, ttl) {
        (Some(text), _) => Some(expiry::parse(&text, from)?),
        (None, Some(seconds)) => expiry::after(seconds, from),
        (None, None) => None,
    };
    if let Some(expires) = expires {
        record.set("expiry", &expires)?;
    }
    sealed.apply(&mut record)?;
    record.overlay(others);
    let counters = source.counters.map(|counters| Sum::of(&counters)).filter(|sum| *sum != Sum::default());
    Ok(Ready { scope, item: record.record()?, is_undated, counters, redacted: Vec::new() })
}

/// An item that another machine has written, as it is stored here.
///
/// # Errors
/// `ParseError` if it is none; `FormatTooNew`; `SecretRefused` for an id that looks like a secret.
pub(super) fn read_line(home: &Home, line: &str) -> Result<Stored<Item>> {
    let import = Import::new().force(true).of_any_length();
    read(home, &import, line.as_bytes()).map(|ready| Stored::from(ready.item))
}

/// Sets `name`, which loopmem does not know, unless the item has it.
fn keep(members: &mut Fields, name: &str, value: Option<&impl Serialize>) -> Result<()> {
    if let Some(value) = value.filter(|_| members.get(name).is_none()) {
        let value = to_raw_value(value)
            .map_err(|cause| Error::validation(format!("{name} cannot be written as JSON")).because(cause))?;
        members.set(name, value);
    }
    Ok(())
}

/// The time that a member says, if there is one.
fn time(name: &str, text: Option<&str>) -> Result<Option<Timestamp>> {
    let parsed = |text| match expiry::millis(text) {
        Some(millis) => Ok(Timestamp::from_unix_millis(millis)),
        None => Err(Error::validation(format!("its {name} is not an RFC 3339 time such as 2026-12-31T00:00:00Z"))),
    };
    text.map(parsed).transpose()
}

/// The id that an imported item has.
fn given_id(home: &Home, given: Option<&str>) -> Result<Option<Admitted>> {
    match given {
        None => Ok(None),
        Some(id) if id.trim().is_empty() || id.chars().count() > MAX_ID_CHARS => {
            Err(Error::validation(format!("its id must be 1 to {MAX_ID_CHARS} characters")))
        }
        Some(id) => Ok(Some(home.redactor().admit_id("id", id)?)),
    }
}
