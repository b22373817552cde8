//! The adapter `file`, the default: one folder per scope, with files of JSON and JSON lines that can be read without
//! loopmem.
//!
//! ```text
//! working/job-1/context.json           context:job-1
//! working/job-1/trail.jsonl            trail:job-1
//! working/job-1/logs.jsonl             logs:job-1
//! working/job-1/checkpoints.json       checkpoints:job-1
//! working/job-1/checkpoints/17….json   checkpoint:job-1:17…
//! ```
//!
//! Every change is atomic and durable, also with concurrent writers in other processes and languages.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::super::adapter::{Adapter, Decide, Lease, Write};
use super::super::key::{Key, Scope};
use super::super::stored;
use crate::disk::{Folder, FolderEdit, FolderTransaction, Json, Kind, Mode, WaitOptions};
use crate::error::{Error, Result};
use crate::home::{Home, Layout};

/// The files of a scope, in its folder.
pub(super) const CONTEXT: &str = "context.json";
pub(super) const TRAIL: &str = "trail.jsonl";
pub(super) const LOGS: &str = "logs.jsonl";
pub(super) const LIST: &str = "checkpoints.json";
pub(super) const CHECKPOINTS: &str = "checkpoints";

/// The scopes' files in a home.
#[derive(Debug)]
pub struct FileAdapter {
    pub(super) home: Home,
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

    fn delete(&self, wait: &WaitOptions, scope: &Scope) -> Result<bool> {
        self.folder(scope).remove(wait, is_data)
    }

    fn lease(&self, _: &Home, _: &WaitOptions, _: &Scope, _: Mode) -> Result<Lease> {
        // The folder's own lock excludes other writers, in all processes.
        Ok(Lease::default())
    }

    fn scopes(&self, wait: &WaitOptions) -> Result<Vec<Scope>> {
        let mut scopes = BTreeSet::new();
        self.gather(wait, &self.home.layout().working(), &mut scopes)?;
        Ok(scopes.into_iter().collect())
    }
}

pub(super) fn folder<'h>(home: &'h Home, scope: &Scope) -> Folder<'h> {
    Folder::new(home.disk(), home.layout().scope(scope.as_str()), home.config().lock_timeout)
}

/// Checks that a file contains what its key requires.
fn checked(home: &Home, key: &Key, json: Option<Json>) -> Result<Option<Json>> {
    let what = match (key, &json) {
        (_, None) => return Ok(None),
        (Key::Checkpoints(_), Some(json)) => match stored::timestamps(json) {
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
    }
}

/// Whether a file of this name contains a scope's data. While a file is copied over, its data is in the copy.
fn is_data(name: &Path) -> bool {
    let name =
        if name.extension().is_some_and(|it| it == "copying") { name.with_extension("") } else { name.to_owned() };
    [CONTEXT, LOGS, LIST].iter().any(|data| name == Path::new(data))
}

/// Translates a change to edits of a scope's folder. The trail's entry is written together with the context.
fn edits(writes: Vec<Write>) -> Vec<FolderEdit> {
    let mut edits = Vec::with_capacity(writes.len());
    let mut trail_entry = None;
    for write in writes {
        match write {
            Write::Push(key @ Key::Trail(_), item) => trail_entry = Some((name_of(&key), item)),
            Write::Set(key, value) => edits.push(FolderEdit::Set { name: name_of(&key), value, trail_entry: None }),
            Write::Push(key, item) => edits.push(FolderEdit::Push { name: name_of(&key), item }),
            Write::Del(key) => edits.push(FolderEdit::Remove { name: name_of(&key) }),
        }
    }
    let context = Path::new(CONTEXT);
    let slot = edits.iter_mut().find_map(|edit| match edit {
        FolderEdit::Set { name, trail_entry, .. } if name == context => Some(trail_entry),
        _ => None,
    });
    match (slot, trail_entry) {
        (Some(slot), trail_entry) => *slot = trail_entry,
        (None, Some((name, item))) => edits.push(FolderEdit::Push { name, item }),
        (None, None) => {}
    }
    edits
}
