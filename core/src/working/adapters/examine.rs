//! What is wrong with the files of scopes, and how it is mended.
//!
//! Of a value nothing can be brought back when it is damaged, but what it is made of may still be there: a context is what
//! its trail leads to, and the list of checkpoints names the files of checkpoints.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::value::to_raw_value;

use super::super::adapter::Json;
use super::super::checkpoint::timestamps;
use super::super::key::Scope;
use super::super::trail::{Operation, TrailEntry, rebuild};
use super::file::{CHECKPOINTS, CONTEXT, FileAdapter, LIST, LOGS, TRAIL, folder};
use crate::disk::{
    Cure, Diagnosis, Fields, Folder, Kind, Wait, counted, read_line, read_value, reason, told, with_value,
};
use crate::error::{Error, Result};
use crate::finding::{Examination, Fault, Finding};
use crate::home::{Home, Layout};

/// Who is named as the source of the entry that puts a trail right.
const SOURCE: &str = "doctor";

/// A scope whose files are looked at.
struct Patient<'h> {
    home: &'h Home,
    scope: Scope,
    path: PathBuf,
    folder: Folder<'h>,
}

/// What a trail says, as far as it can be read.
struct Read {
    entries: Vec<Json>,
    /// The lines of these entries.
    bytes: Vec<u8>,
    /// What is wrong with the others.
    damaged: Vec<Error>,
}

impl FileAdapter {
    /// Looks at every file of every scope, and with `fix` mends what can be mended.
    ///
    /// # Errors
    /// `Cancelled`. Any other is a finding.
    pub(crate) fn examine(&self, wait: &Wait, fix: bool) -> Result<Examination> {
        let working = self.home.layout().working();
        let mut found = Examination::default();
        let mut scopes = BTreeSet::new();
        self.gather_folders(&working, fix, &mut found, &mut scopes);
        for path in scopes {
            let Some(id) = self.home.layout().scope_of(&path) else { continue };
            wait.cancel.check()?;
            let scope = Scope::stored(&id);
            let folder = folder(&self.home, &scope);
            found.absorb(Patient { home: &self.home, scope, path, folder }.examine(wait, fix)?);
        }
        Ok(found)
    }

    /// Looks at the folders that lead to scopes, and puts those of scopes in `scopes`, or where they were.
    fn gather_folders(&self, folder: &Path, fix: bool, found: &mut Examination, scopes: &mut BTreeSet<PathBuf>) {
        let disk = self.home.disk();
        found.absorb(disk.examine_folder(folder, fix));
        let entries = disk.entries(folder).unwrap_or_else(|error| {
            found.findings.push(Finding::of_failure(folder, &error));
            Vec::new()
        });
        for (name, stat) in entries {
            let path = folder.join(&name);
            if stat.kind == Kind::Folder && Layout::goes_on(&path) {
                self.gather_folders(&path, fix, found, scopes);
            } else if let Some(path) = of_scope(&name, stat.kind).map(|name| folder.join(name))
                && self.home.layout().scope_of(&path).is_some()
            {
                scopes.insert(path);
            }
        }
    }
}

/// The name of the folder of the scope whose folder or lock this is, or what is left of it; no name of a scope holds a dot.
fn of_scope(name: &OsStr, kind: Kind) -> Option<&str> {
    let name = name.to_str()?;
    let Some((scope, rest)) = name.split_once('.') else { return (kind == Kind::Folder).then_some(name) };
    let is_its = ["lock", "gate"].contains(&rest) || rest.starts_with("lock.owner") || rest.starts_with("deleted-");
    is_its.then_some(scope)
}

impl Patient<'_> {
    fn examine(&self, wait: &Wait, fix: bool) -> Result<Examination> {
        let mut found = self.folder.examine(wait, fix)?;
        let look = |name: &str, diagnose: &dyn Fn(Option<&[u8]>) -> Diagnosis| {
            self.folder.examine_file(Path::new(name), wait, fix, diagnose)
        };
        found.absorb(look(CONTEXT, &|bytes| bytes.map_or_else(Diagnosis::sound, |bytes| self.context(bytes)))?);
        found.absorb(look(TRAIL, &|bytes| self.trail(bytes))?);
        let logs = self.path.join(LOGS);
        found.absorb(look(LOGS, &|bytes| {
            bytes.map_or_else(Diagnosis::sound, |bytes| Diagnosis::of_list(&logs, bytes))
        })?);
        found.absorb(self.home.disk().examine_folder(&self.path.join(CHECKPOINTS), fix));
        for timestamp in self.named_timestamps() {
            let name = Path::new(CHECKPOINTS).join(format!("{timestamp}.json"));
            let diagnose = |bytes: Option<&[u8]>| match bytes {
                Some(bytes) => self.checkpoint(&name, timestamp, bytes),
                None => Diagnosis::sound(),
            };
            found.absorb(self.folder.examine_file(&name, wait, fix, &diagnose)?);
        }
        found.absorb(look(LIST, &|bytes| self.list(bytes))?);
        Ok(found)
    }

    fn context(&self, bytes: &[u8]) -> Diagnosis {
        let path = self.path.join(CONTEXT);
        match read_value(&path, bytes) {
            Ok((json, _)) if json.get().starts_with('{') => Diagnosis::sound(),
            Ok(_) => Diagnosis::damaged("the value is no object", self.rebuilt().unwrap_or(Cure::SetAside)),
            Err(error) => Diagnosis::of(&path, &error, || self.rebuilt().unwrap_or(Cure::SetAside)),
        }
    }

    /// The context that the trail leads to, when all of its lines are whole.
    fn rebuilt(&self) -> Option<Cure> {
        let bytes = self.folder.bytes_under_lock(Path::new(TRAIL)).ok()??;
        let end = memchr::memrchr(b'\n', &bytes)? + 1;
        let trail = self.read_trail(bytes.get(..end)?);
        if !trail.damaged.is_empty() || trail.entries.is_empty() {
            return None;
        }
        let context = rebuild(&self.scope, &trail.entries).ok()?;
        let json = Arc::from(to_raw_value(&context).ok()?);
        let bytes = with_value(&self.path.join(CONTEXT), None, json, Some(end as u64)).ok()?;
        let of = format!("the {} in its trail", counted(trail.entries.len(), "change"));
        Some(Cure::Rebuild { bytes, of, then: None })
    }

    /// As much of the trail as the context speaks of must be there, line by line.
    fn trail(&self, bytes: Option<&[u8]>) -> Diagnosis {
        let path = self.path.join(TRAIL);
        let context = self.folder.bytes_under_lock(Path::new(CONTEXT)).ok().flatten();
        let context =
            context.as_deref().and_then(|file| Some((file, read_value(&self.path.join(CONTEXT), file).ok()?)));
        // Without a context that can be read nobody can tell what of the trail counts.
        let Some((file, (context, Some(length)))) = context else { return Diagnosis::sound() };
        let bytes = bytes.unwrap_or_default();
        let there = usize::try_from(length).ok().and_then(|length| bytes.get(..length));
        let read = self.read_trail(there.unwrap_or(bytes));
        let short =
            there.is_none().then(|| format!("it has {} of the {length} bytes of which {CONTEXT} speaks", bytes.len()));
        let damaged = short.into_iter().chain(read.damaged.iter().map(|error| reason(&path, error)));
        let damaged: Vec<String> = damaged.collect();
        match damaged.is_empty() {
            true => Diagnosis::sound(),
            false => Diagnosis::damaged(told(&damaged), self.put_right(read, file, &context).unwrap_or(Cure::None)),
        }
    }

    /// A trail of the entries that can be read, and one more that leads from them to the context.
    fn put_right(&self, read: Read, file: &[u8], context: &Json) -> Option<Cure> {
        let patch: Fields = serde_json::from_str(context.get()).ok()?;
        let remove = rebuild(&self.scope, &read.entries).ok()?.into_iter().map(|(name, _)| name).collect();
        let entry = TrailEntry::new(self.home, Operation::UpdateContext, patch);
        let entry = TrailEntry { remove, source: Some(SOURCE.to_owned()), ..entry };
        let mut bytes = read.bytes;
        bytes.extend_from_slice(&serde_json::to_vec(&entry).ok()?);
        bytes.push(b'\n');
        let path = self.path.join(CONTEXT);
        let context = with_value(&path, Some(file), Arc::clone(context), Some(bytes.len() as u64)).ok()?;
        let of = match read.entries.len() {
            0 => "one entry that leads to the context".to_owned(),
            entries => format!("the {}, and an entry that leads on to the context", counted(entries, "whole line")),
        };
        Some(Cure::Rebuild { bytes, of, then: Some((path, context)) })
    }

    fn read_trail(&self, bytes: &[u8]) -> Read {
        let path = self.path.join(TRAIL);
        let mut read = Read { entries: Vec::new(), bytes: Vec::new(), damaged: Vec::new() };
        let mut offset = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let text = line.strip_suffix(b"\n");
            let entry = text.ok_or_else(|| Error::parse(&path, format!("the line at byte {offset} is not whole")));
            match entry.and_then(|text| self.entry(&path, offset, text)) {
                _ if text == Some(b"") => {}
                Ok(entry) => {
                    read.entries.push(entry);
                    read.bytes.extend_from_slice(line);
                }
                Err(error) => read.damaged.push(error),
            }
            offset += line.len() as u64;
        }
        read
    }

    fn entry(&self, path: &Path, offset: u64, text: &[u8]) -> Result<Json> {
        let json = read_line(path, offset, text)?;
        rebuild(&self.scope, std::slice::from_ref(&json))
            .map_err(|_| Error::parse(path, format!("the line at byte {offset} is no entry of a trail")))?;
        Ok(json)
    }

    fn checkpoint(&self, name: &Path, timestamp: u64, bytes: &[u8]) -> Diagnosis {
        let path = self.path.join(name);
        match read_value(&path, bytes) {
            Ok((json, _)) if json.get().starts_with('{') => match self.listed() {
                Some(listed) if !listed.contains(&timestamp) => {
                    let detail = format!("{LIST} does not name it: it was deleted, or never acknowledged");
                    Diagnosis { faults: vec![(Fault::Litter, detail)], cure: Cure::Remove }
                }
                _ => Diagnosis::sound(),
            },
            Ok(_) => Diagnosis::damaged("the value is no object", Cure::SetAside),
            Err(error) => Diagnosis::of(&path, &error, || Cure::SetAside),
        }
    }

    /// The timestamps in the list of checkpoints, if it is sound: nothing goes for what a damaged one says.
    fn listed(&self) -> Option<Vec<u64>> {
        let bytes = self.folder.bytes_under_lock(Path::new(LIST)).ok()??;
        let (json, _) = read_value(&self.path.join(LIST), &bytes).ok()?;
        timestamps(&json).ok()
    }

    /// Each checkpoint in the list must be there, and the list when there are checkpoints.
    fn list(&self, bytes: Option<&[u8]>) -> Diagnosis {
        let path = self.path.join(LIST);
        let there = self.timestamps_there();
        let made_of = |timestamps: &[u64], file: Option<&[u8]>| {
            let bytes = to_raw_value(timestamps).ok().and_then(|list| with_value(&path, file, list.into(), None).ok());
            let of = format!("the {} that there are", counted(timestamps.len(), "checkpoint"));
            bytes.map_or(Cure::None, |bytes| Cure::Rebuild { bytes, of, then: None })
        };
        let Some(bytes) = bytes else {
            return match there.is_empty() {
                true => Diagnosis::sound(),
                false => Diagnosis::damaged("it is missing, and there are checkpoints", made_of(&there, None)),
            };
        };
        let json = match read_value(&path, bytes) {
            Ok((json, _)) => json,
            Err(error) => return Diagnosis::of(&path, &error, || made_of(&there, None)),
        };
        match timestamps(&json) {
            Err(what) => Diagnosis::damaged(format!("the value {what}"), made_of(&there, Some(bytes))),
            Ok(listed) => {
                let (kept, missing): (Vec<u64>, Vec<u64>) = listed.into_iter().partition(|it| there.contains(it));
                match missing.len() {
                    0 => Diagnosis::sound(),
                    missing => {
                        let detail =
                            format!("it names {} that {} not there", counted(missing, "checkpoint"), are(missing));
                        Diagnosis::damaged(detail, made_of(&kept, Some(bytes)))
                    }
                }
            }
        }
    }

    /// The timestamps of the checkpoints that have a file.
    fn timestamps_there(&self) -> Vec<u64> {
        self.named(|rest| rest == ".json" || rest == ".json.copying")
    }

    /// The timestamps of all files that have to do with a checkpoint.
    fn named_timestamps(&self) -> Vec<u64> {
        self.named(|rest| rest == ".json" || rest.starts_with(".json."))
    }

    fn named(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<u64> {
        let entries = self.home.disk().entries(&self.path.join(CHECKPOINTS)).unwrap_or_default();
        let timestamp = |name: &OsStr| {
            let (digits, rest) = name.to_str()?.split_at_checked(name.to_str()?.find('.')?)?;
            let timestamp: u64 = digits.parse().ok().filter(|it: &u64| it.to_string() == digits)?;
            is_wanted(rest).then_some(timestamp)
        };
        let timestamps: BTreeSet<u64> = entries.iter().filter_map(|(name, _)| timestamp(name)).collect();
        timestamps.into_iter().collect()
    }
}

fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}
