//! The adapter `file`, the default: one folder per scope, with files of JSON and JSON lines that can be read without
//! loopmem.
//!
//! ```text
//! working/job-1/context.json           context:job-1
//! working/job-1/trail.jsonl            trail:job-1
//! working/job-1/logs.jsonl             logs:job-1
//! working/job-1/checkpoints.json       checkpoints:job-1
//! working/job-1/checkpoints/17….json   checkpoint:job-1:17…
//! working/job-1/value.json             value:job-1, the value under the caller's own key `job-1`
//! working/job-1/list.jsonl             list:job-1, the list under that key
//! ```
//!
//! Every change is atomic and durable, also with concurrent writers in other processes and languages.
//!
//! The doctor checks and repairs the files. A damaged value cannot be recovered from its own file, but it may be rebuilt
//! from others: a context from its trail, and the list of checkpoints from the checkpoints' files.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::super::adapter::{Adapter, Decide, Keep, Lease, Write, keep_if_readable, timestamps};
use super::super::key::{Key, Scope};
use super::super::trail::{Change, Operation, TrailEntry, rebuild};
use crate::disk::{
    DamageList, Folder, FolderEdit, FolderTransaction, Inspection, Json, Kind, Listing, Mode, Raw, Repair, Stat,
    WaitOptions, beside, counted, read_line, read_value, reason, with_value,
};
use crate::error::{Error, Result};
use crate::finding::{Examination, Fault};
use crate::home::{Home, Layout};
use crate::room::Checks;
use crate::safety::{Sealed, SealedObject};

/// The files of a scope, in its folder.
const CONTEXT: &str = "context.json";
const TRAIL: &str = "trail.jsonl";
const LOGS: &str = "logs.jsonl";
const LIST: &str = "checkpoints.json";
const CHECKPOINTS: &str = "checkpoints";
const VALUE: &str = "value.json";
const ITEMS: &str = "list.jsonl";

/// The source of an entry that repairs a trail.
const SOURCE: &str = "doctor";

/// The scopes' files in a home.
#[derive(Debug)]
pub struct FileAdapter {
    home: Home,
}

impl FileAdapter {
    /// The files under `working/` in this home.
    pub fn new(home: Home) -> Self {
        FileAdapter { home }
    }

    fn folder(&self, scope: &Scope) -> Folder<'_> {
        folder(&self.home, scope)
    }

    /// Adds the scopes below `folder` to `scopes`.
    fn gather(&self, wait: &WaitOptions, folder: &Path, scopes: &mut BTreeSet<Scope>) -> Result<()> {
        for (name, stat) in self.home.disk().entries(folder)? {
            if stat.kind != Kind::Folder {
                continue;
            }
            wait.cancel.check()?;
            let path = folder.join(name);
            let id = self.home.layout().scope_of(&path);
            match id {
                Some(id) => {
                    let names = self.home.disk().entries(&path)?;
                    // An empty list file is left over from an entry that was never stored.
                    if names.iter().any(|(name, stat)| is_data(Path::new(name)) && stat.size > 0) {
                        scopes.insert(Scope::stored(&id));
                    }
                }
                None if Layout::is_continued(&path) => self.gather(wait, &path, scopes)?,
                None => {}
            }
        }
        Ok(())
    }
}

impl Adapter for FileAdapter {
    fn name(&self) -> &'static str {
        "file"
    }

    fn get(&self, wait: &WaitOptions, key: &Key) -> Result<Option<Json>> {
        let json = self.folder(key.scope()).value(wait, &name_of(key))?;
        checked(&self.home, key, json)
    }

    fn write(&self, wait: &WaitOptions, write: Write) -> Result<()> {
        let folder = self.folder(write.key().scope());
        let edits = edits(vec![write]);
        folder.update(wait, move |_| Ok((edits, ())))
    }

    fn list(&self, wait: &WaitOptions, key: &Key, limit: Option<usize>) -> Result<Vec<Json>> {
        let of = match key {
            Key::Trail(scope) => Some(name_of(&Key::Context(scope.clone()))),
            _ => None,
        };
        self.folder(key.scope()).list(wait, &name_of(key), of.as_deref(), limit)
    }

    fn update(&self, wait: &WaitOptions, scope: &Scope, mut decide: Decide) -> Result<()> {
        let (home, of) = (self.home.clone(), scope.clone());
        self.folder(scope).update(wait, move |draft: &FolderTransaction| {
            let folder = folder(&home, &of);
            let writes = decide(&mut |key| checked(&home, key, draft.value(&folder, &name_of(key))?))?;
            Ok((edits(writes), ()))
        })
    }

    fn delete(&self, wait: &WaitOptions, scope: &Scope, keep: &mut Keep<'_>) -> Result<bool> {
        let (folder, key) = (self.folder(scope), Key::Context(scope.clone()));
        folder.remove(wait, is_data, &mut || {
            let context = folder.value_under_lock(&name_of(&key));
            keep_if_readable(context.and_then(|context| checked(&self.home, &key, context)), keep)
        })
    }

    fn lease(&self, _: &Home, _: &WaitOptions, _: &Scope, _: Mode) -> Result<Lease> {
        // The folder's own lock excludes other writers, in all processes.
        Ok(Lease::default())
    }

    fn scopes(&self, wait: &WaitOptions) -> Result<BTreeSet<Scope>> {
        let mut scopes = BTreeSet::new();
        self.gather(wait, &self.home.layout().working(), &mut scopes)?;
        Ok(scopes)
    }
}

fn folder<'h>(home: &'h Home, scope: &Scope) -> Folder<'h> {
    Folder::new(home.disk(), home.layout().scope(scope.as_str()), home.config().lock_timeout)
}

/// Checks that a file contains what its key requires.
fn checked(home: &Home, key: &Key, json: Option<Json>) -> Result<Option<Json>> {
    let what = match (key, &json) {
        (_, None) => return Ok(None),
        (Key::Value(_), Some(json)) => return Ok(Some(Json::clone(json))),
        (Key::Checkpoints(_), Some(json)) => match timestamps(json) {
            Ok(_) => return Ok(Some(Json::clone(json))),
            Err(what) => what,
        },
        (_, Some(json)) if json.get().starts_with('{') => return Ok(Some(Json::clone(json))),
        _ => "is not an object",
    };
    Err(Error::parse(&path_of(home, key), format!("the value {what}")))
}

/// The path of a key's file.
fn path_of(home: &Home, key: &Key) -> PathBuf {
    home.layout().scope(key.scope().as_str()).join(name_of(key))
}

/// The name of a key's file in its scope's folder.
fn name_of(key: &Key) -> PathBuf {
    match key {
        Key::Context(_) => CONTEXT.into(),
        Key::Trail(_) => TRAIL.into(),
        Key::Logs(_) => LOGS.into(),
        Key::Checkpoints(_) => LIST.into(),
        Key::Checkpoint(_, timestamp) => Path::new(CHECKPOINTS).join(format!("{timestamp}.json")),
        Key::Value(_) => VALUE.into(),
        Key::List(_) => ITEMS.into(),
    }
}

/// Whether a file of this name contains a scope's data. While a file is copied over, its data is in the copy.
fn is_data(name: &Path) -> bool {
    let name =
        if name.extension().is_some_and(|it| it == "copying") { name.with_extension("") } else { name.to_owned() };
    [CONTEXT, LOGS, LIST, VALUE, ITEMS].iter().any(|data| name == Path::new(data))
}

/// Translates a change to edits of a scope's folder. The trail's entries are written together with the context.
fn edits(writes: Vec<Write>) -> Vec<FolderEdit> {
    let (mut edits, mut entries) = (Vec::with_capacity(writes.len()), Vec::new());
    for write in writes {
        match write {
            Write::Push(key @ Key::Trail(_), item) => entries.push((name_of(&key), item)),
            Write::Set(key, value) => edits.push(FolderEdit::Set { name: name_of(&key), value, trail_entry: None }),
            Write::Push(key, item) => edits.push(FolderEdit::Push { name: name_of(&key), item }),
            Write::Del(key) => edits.push(FolderEdit::Remove { name: name_of(&key) }),
        }
    }
    let is_context = |edit: &FolderEdit| matches!(edit, FolderEdit::Set { name, .. } if name == Path::new(CONTEXT));
    match edits.iter().position(is_context).map(|at| edits.remove(at)) {
        Some(FolderEdit::Set { name, value, .. }) if !entries.is_empty() => {
            // One for each entry; the last one is written.
            let set = |entry| FolderEdit::Set { name: name.clone(), value: value.clone(), trail_entry: Some(entry) };
            edits.extend(entries.into_iter().map(set));
        }
        context => {
            edits.extend(context);
            edits.extend(entries.into_iter().map(|(name, item)| FolderEdit::Push { name, item }));
        }
    }
    edits
}

/// A scope whose files are checked.
struct FileCheck<'h> {
    home: &'h Home,
    scope: Scope,
    path: PathBuf,
    folder: Folder<'h>,
    /// Caches the timestamps in the list of checkpoints, by the identities of its files.
    listed: RefCell<Option<(ListFiles, Rc<BTreeSet<u64>>)>>,
}

/// The list of checkpoints, and its copy while it is being overwritten.
type ListFiles = [Option<Stat>; 2];

/// The readable part of a trail.
struct ReadableTrail {
    entries: Vec<Raw<TrailEntry>>,
    /// The lines of these entries.
    bytes: Vec<u8>,
    /// What is wrong with the other lines.
    damaged: DamageList,
}

impl FileAdapter {
    /// Checks every file of every scope; with `fix`, repairs what it can.
    pub(crate) fn examine(&self, wait: &WaitOptions, checks: Checks) -> Result<Examination> {
        let mut found = Examination::default();
        let mut scopes = BTreeMap::new();
        self.gather_folders(&self.home.layout().working(), checks.fix, &mut found, &mut scopes);
        for (path, around) in scopes {
            let Some(id) = self.home.layout().scope_of(&path) else { continue };
            wait.cancel.check()?;
            let checks = checks.within(&self.home, &path, "nothing can be stored for this scope", &mut found);
            let scope = Scope::stored(&id);
            let folder = folder(&self.home, &scope);
            let listed = RefCell::default();
            found.absorb(
                FileCheck { home: &self.home, scope, path, folder, listed }.examine(wait, checks.fix, &around)?,
            );
        }
        Ok(found)
    }

    /// Checks the folders above scopes, and collects in `scopes` the folders of scopes, including ones that left only
    /// other files, each with its parent's listing.
    fn gather_folders(
        &self,
        folder: &Path,
        fix: bool,
        found: &mut Examination,
        scopes: &mut BTreeMap<PathBuf, Rc<Listing>>,
    ) {
        let disk = self.home.disk();
        let (examination, entries) = disk.examine_entries(folder, fix);
        found.absorb(examination);
        let listing: Rc<Listing> = Rc::new(entries.iter().map(|(name, _)| name.clone()).collect());
        for (name, stat) in entries {
            let path = folder.join(&name);
            let is_folder = stat.kind == Kind::Folder;
            if is_folder && Layout::is_continued(&path) {
                self.gather_folders(&path, fix, found, scopes);
            } else if stat.kind == Kind::Link && is_folder_path(self.home.layout(), &path) {
                found.absorb(disk.examine_folder(&path, fix));
            } else if let Some(path) = of_scope(&name, stat.kind).map(|name| folder.join(name))
                && self.home.layout().scope_of(&path).is_some()
            {
                scopes.insert(path, Rc::clone(&listing));
            }
        }
    }
}

/// Whether a scope's folder, or a folder that holds part of a long scope name, would have this path.
fn is_folder_path(layout: &Layout, path: &Path) -> bool {
    Layout::is_continued(path) || (path.extension().is_none() && layout.scope_of(path).is_some())
}

/// The name of the scope's folder to which this entry belongs: the folder itself, its lock, or leftovers. Names of
/// scopes contain no dots.
fn of_scope(name: &OsStr, kind: Kind) -> Option<&str> {
    let name = name.to_str()?;
    let Some((scope, rest)) = name.split_once('.') else { return (kind == Kind::Folder).then_some(name) };
    let belongs = ["lock", "gate"].contains(&rest) || rest.starts_with("lock.owner") || rest.starts_with("deleted-");
    belongs.then_some(scope)
}

impl FileCheck<'_> {
    fn examine(&self, wait: &WaitOptions, fix: bool, around: &Listing) -> Result<Examination> {
        let mut found = self.folder.examine(wait, fix, around)?;
        let look = |name: &str, inspect: &dyn Fn(Option<&[u8]>) -> Inspection| {
            self.folder.examine_file(Path::new(name), wait, fix, None, inspect)
        };
        found.absorb(look(CONTEXT, &|bytes| bytes.map_or_else(Inspection::sound, |bytes| self.context(bytes)))?);
        found.absorb(look(TRAIL, &|bytes| self.trail(bytes))?);
        for name in [LOGS, ITEMS] {
            let list = self.path.join(name);
            found.absorb(look(name, &|bytes| {
                bytes.map_or_else(Inspection::sound, |bytes| Inspection::of_list(&list, bytes))
            })?);
        }
        found.absorb(look(VALUE, &|bytes| bytes.map_or_else(Inspection::sound, |bytes| self.value(bytes)))?);
        let (folder, entries) = self.home.disk().examine_entries(&self.path.join(CHECKPOINTS), fix);
        let is_listed = folder.findings.iter().all(|finding| finding.fault == Fault::Mode);
        found.absorb(folder);
        if !is_listed {
            // Checkpoints that cannot be listed are not missing.
            return Ok(found);
        }
        let names: Vec<OsString> = entries.into_iter().map(|(name, _)| name).collect();
        let listing: Listing = names.iter().cloned().collect();
        // Every file that belongs to a checkpoint.
        for timestamp in timestamps_of(&names, |rest| rest == ".json" || rest.starts_with(".json.")) {
            wait.cancel.check()?;
            let name = Path::new(CHECKPOINTS).join(format!("{timestamp}.json"));
            let inspect = |bytes: Option<&[u8]>| match bytes {
                Some(bytes) => self.checkpoint(&name, timestamp, bytes),
                None => Inspection::sound(),
            };
            found.absorb(self.folder.examine_file(&name, wait, fix, Some(&listing), &inspect)?);
        }
        found.absorb(look(LIST, &|bytes| self.list(bytes))?);
        Ok(found)
    }

    fn context(&self, bytes: &[u8]) -> Inspection {
        let path = self.path.join(CONTEXT);
        match read_value(&path, bytes) {
            Ok((json, _)) if json.get().starts_with('{') => Inspection::sound(),
            Ok(_) => Inspection::damaged("the value is not an object", self.rebuilt_or_quarantined()),
            Err(error) => Inspection::of(&path, &error, || self.rebuilt_or_quarantined()),
        }
    }

    fn value(&self, bytes: &[u8]) -> Inspection {
        let path = self.path.join(VALUE);
        match read_value(&path, bytes) {
            Ok(_) => Inspection::sound(),
            Err(error) => Inspection::of(&path, &error, || Repair::Quarantine),
        }
    }

    /// A trail that cannot be read now may lead to the context later.
    fn rebuilt_or_quarantined(&self) -> Repair {
        match self.folder.bytes_under_lock(Path::new(TRAIL)) {
            Ok(trail) => trail.and_then(|bytes| self.rebuilt(&bytes)).unwrap_or(Repair::Quarantine),
            Err(_) => Repair::None,
        }
    }

    /// Rebuilds the context from the trail, if all of its lines are intact.
    fn rebuilt(&self, bytes: &[u8]) -> Option<Repair> {
        let end = memchr::memrchr(b'\n', bytes)? + 1;
        let trail = self.read_trail(bytes.get(..end)?, DamageList::default());
        if !trail.damaged.is_empty() || trail.entries.is_empty() {
            return None;
        }
        let context = rebuild(&self.scope, &trail.entries).ok()?;
        let json = Sealed::whole(&context).ok()?;
        let bytes = with_value(&self.path.join(CONTEXT), None, Json::from(&json), Some(end as u64)).ok()?;
        let of = format!("the {} in its trail", counted(trail.entries.len(), "change"));
        Some(Repair::Rebuild { bytes, of, then: None })
    }

    /// Checks that the trail contains all entries up to the length that the context records.
    fn trail(&self, bytes: Option<&[u8]>) -> Inspection {
        let context = self.folder.bytes_under_lock(Path::new(CONTEXT)).ok().flatten();
        let context =
            context.as_deref().and_then(|file| Some((file, read_value(&self.path.join(CONTEXT), file).ok()?)));
        // Without a readable context, it is not known how much of the trail is committed.
        let Some((file, (context, Some(length)))) = context else { return Inspection::sound() };
        let bytes = bytes.unwrap_or_default();
        let there = usize::try_from(length).ok().and_then(|length| bytes.get(..length));
        let mut damaged = DamageList::default();
        if there.is_none() {
            damaged.add(|| format!("it has {} of the {length} bytes that {CONTEXT} records", bytes.len()));
        }
        let read = self.read_trail(there.unwrap_or(bytes), damaged);
        match read.damaged.is_empty() {
            true => Inspection::sound(),
            false => Inspection::damaged(
                read.damaged.summary(),
                self.repaired_trail(read, file, &context).unwrap_or(Repair::None),
            ),
        }
    }

    /// A trail of the readable entries and one more that leads from them to the context.
    fn repaired_trail(&self, read: ReadableTrail, file: &[u8], context: &Json) -> Option<Repair> {
        let patch = SealedObject::of(context).ok()?;
        let (remove, source) = (rebuild(&self.scope, &read.entries).ok()?.names().ok()?, Sealed::whole(&SOURCE).ok()?);
        let change =
            Change { operation: Operation::UpdateContext, patch: &patch, remove: Some(&remove), source: Some(&source) };
        let entry = Sealed::whole(&change.entry(self.home).ok()?).ok()?;
        let mut bytes = read.bytes;
        bytes.extend_from_slice(entry.json().get().as_bytes());
        bytes.push(b'\n');
        let path = self.path.join(CONTEXT);
        let context = with_value(&path, Some(file), context.clone(), Some(bytes.len() as u64)).ok()?;
        let of = match read.entries.len() {
            0 => "one entry that sets the current context".to_owned(),
            entries => format!("the {} and an entry that sets the current context", counted(entries, "intact line")),
        };
        Some(Repair::Rebuild { bytes, of, then: Some((path, context)) })
    }

    /// Parses the trail in `bytes`, adding to what is already known to be `damaged`.
    fn read_trail(&self, bytes: &[u8], damaged: DamageList) -> ReadableTrail {
        let path = self.path.join(TRAIL);
        let mut read = ReadableTrail { entries: Vec::new(), bytes: Vec::new(), damaged };
        let mut offset = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let text = line.strip_suffix(b"\n");
            let entry = text.ok_or_else(|| Error::parse(&path, format!("the line at byte {offset} is incomplete")));
            match entry.and_then(|text| self.entry(&path, offset, text)) {
                _ if text == Some(b"") => {}
                Ok(entry) => {
                    read.entries.push(entry);
                    read.bytes.extend_from_slice(line);
                }
                Err(error) => read.damaged.add(|| reason(&path, &error)),
            }
            offset += line.len() as u64;
        }
        read
    }

    fn entry(&self, path: &Path, offset: u64, text: &[u8]) -> Result<Raw<TrailEntry>> {
        let entry = Raw::from(read_line(path, offset, text)?);
        rebuild(&self.scope, std::slice::from_ref(&entry))
            .map_err(|_| Error::parse(path, format!("the line at byte {offset} is not a trail entry")))?;
        Ok(entry)
    }

    fn checkpoint(&self, name: &Path, timestamp: u64, bytes: &[u8]) -> Inspection {
        let path = self.path.join(name);
        match read_value(&path, bytes) {
            Ok((json, _)) if json.get().starts_with('{') => match self.listed() {
                Some(listed) if !listed.contains(&timestamp) => {
                    let detail = format!("{LIST} does not list it: it was deleted, or saving it did not complete");
                    Inspection { faults: vec![(Fault::Litter, detail)], repair: Repair::Remove }
                }
                _ => Inspection::sound(),
            },
            Ok(_) => Inspection::damaged("the value is not an object", Repair::Quarantine),
            Err(error) => Inspection::of(&path, &error, || Repair::Quarantine),
        }
    }

    /// The timestamps in the list of checkpoints, if it is valid: nothing is deleted because of a damaged list.
    fn listed(&self) -> Option<Rc<BTreeSet<u64>>> {
        let path = self.path.join(LIST);
        let stat = |path: &Path| self.home.disk().stat(path).ok();
        let files = [stat(&path)?, stat(&beside(&path, ".copying"))?];
        if let Some((_, listed)) = self.listed.borrow().as_ref().filter(|(known, _)| *known == files) {
            return Some(Rc::clone(listed));
        }
        let bytes = self.folder.bytes_under_lock(Path::new(LIST)).ok()??;
        let (json, _) = read_value(&path, &bytes).ok()?;
        let listed: Rc<BTreeSet<u64>> = Rc::new(timestamps(&json).ok()?.into_iter().collect());
        *self.listed.borrow_mut() = Some((files, Rc::clone(&listed)));
        Some(listed)
    }

    /// Checks that every listed checkpoint exists, and that there is a list if there are checkpoints.
    fn list(&self, bytes: Option<&[u8]>) -> Inspection {
        let path = self.path.join(LIST);
        // Checkpoints that cannot be listed are not missing.
        let there = match self.timestamps_there() {
            Ok(there) => there,
            Err(error) => {
                return Inspection { faults: vec![(Fault::Unreadable, reason(&path, &error))], repair: Repair::None };
            }
        };
        let made_of = |timestamps: &[u64], file: Option<&[u8]>| {
            let bytes =
                Sealed::whole(timestamps).ok().and_then(|list| with_value(&path, file, Json::from(&list), None).ok());
            let of = format!("the {} found", counted(timestamps.len(), "checkpoint"));
            bytes.map_or(Repair::None, |bytes| Repair::Rebuild { bytes, of, then: None })
        };
        let Some(bytes) = bytes else {
            return match there.is_empty() {
                true => Inspection::sound(),
                false => Inspection::damaged("it is missing, but there are checkpoints", made_of(&there, None)),
            };
        };
        let json = match read_value(&path, bytes) {
            Ok((json, _)) => json,
            Err(error) => return Inspection::of(&path, &error, || made_of(&there, None)),
        };
        match timestamps(&json) {
            Err(what) => Inspection::damaged(format!("the value {what}"), made_of(&there, Some(bytes))),
            Ok(listed) => {
                let is_there = |timestamp: &u64| there.binary_search(timestamp).is_ok();
                let (kept, missing): (Vec<u64>, Vec<u64>) = listed.into_iter().partition(is_there);
                match missing.len() {
                    0 => Inspection::sound(),
                    missing => {
                        let detail =
                            format!("it lists {} that {} missing", counted(missing, "checkpoint"), are(missing));
                        Inspection::damaged(detail, made_of(&kept, Some(bytes)))
                    }
                }
            }
        }
    }

    /// The timestamps of the checkpoints that have a file, ascending.
    fn timestamps_there(&self) -> Result<Vec<u64>> {
        Ok(timestamps_of(&self.names()?, |rest| rest == ".json" || rest == ".json.copying"))
    }

    /// The names in the folder of checkpoints.
    fn names(&self) -> Result<Vec<OsString>> {
        let entries = self.home.disk().entries(&self.path.join(CHECKPOINTS))?;
        Ok(entries.into_iter().map(|(name, _)| name).collect())
    }
}

/// The timestamps at the start of those `names` whose remainder `is_wanted`, ascending.
fn timestamps_of(names: &[OsString], is_wanted: impl Fn(&str) -> bool) -> Vec<u64> {
    let timestamp = |name: &OsString| {
        let (digits, rest) = name.to_str()?.split_at_checked(name.to_str()?.find('.')?)?;
        let timestamp: u64 = digits.parse().ok().filter(|it: &u64| it.to_string() == digits)?;
        is_wanted(rest).then_some(timestamp)
    };
    let timestamps: BTreeSet<u64> = names.iter().filter_map(timestamp).collect();
    timestamps.into_iter().collect()
}

fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}
