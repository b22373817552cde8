//! Brings the records here and those in the folder of the branch together, three-way.

use std::collections::BTreeSet;
use std::path::Path;

use super::conflict::Conflict;
use super::place::{Owned, Place};
use crate::disk::Kind;
use crate::error::{ErrorKind, Result};
use crate::home::Home;
use crate::repo::Repo;
use crate::room::{self, Collection, Extent, LineChange, Lines, Stock};
use crate::rooms;

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 256 << 20;
/// The most changes that are made together, and the bytes of the records that they remove or replace.
const MAX_PART: usize = 2_000;
const MAX_PART_BYTES: usize = 8 << 20;
/// The ending of the files of records.
const ENDING: &str = ".jsonl";

/// What was done, or would be.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// The changes of records here.
    pub(super) pulled: usize,
    /// The changes of records in the folder.
    pub(super) pushed: usize,
    /// The changes of records here since they were last the same as on the branch.
    pub(super) waiting: usize,
    pub(super) conflicts: Vec<Conflict>,
}

/// A file of the branch, and where its records are here.
struct File<'f> {
    room: &'static dyn room::Synced,
    collection: &'static Collection,
    name: String,
    repo: &'f Repo,
    owned: Option<&'f Owned>,
    /// Whether there was a store at the beginning: others must not lose what is lost here.
    is_there: bool,
}

/// Brings everything together. In a dry run, nothing is written.
pub(super) fn reconcile(place: &Place<'_>, folder: &Path, is_dry_run: bool) -> Result<Outcome> {
    let home = place.repo.home();
    let last = place.synced()?;
    let mut synced = last.clone();
    let listed = files_in(home, folder)?;
    let names = listed.iter().map(String::as_str).chain(synced.0.keys().map(String::as_str));
    let folders: BTreeSet<String> = names.filter_map(|name| Some(name.rsplit_once('/')?.0.to_owned())).collect();
    let owned = place.owned(folders.iter().map(String::as_str))?;
    let mut outcome = Outcome::default();
    let check = home.cancel_check();
    // All of them first: what is brought back makes the file of others in the same memory.
    for file in files(place, &owned)? {
        check()?;
        let before = synced.0.get(&file.name).cloned();
        match one(place, folder, &file, before, is_dry_run, &mut outcome) {
            Ok(Some(lines)) => drop(synced.0.insert(file.name.clone(), lines)),
            Ok(None) => {}
            Err(error) if matches!(error.kind(), ErrorKind::Parse | ErrorKind::FormatTooNew) => {
                let what = format!("not synchronized: {}", error.message());
                outcome.conflicts.push(Conflict { file: file.name.clone(), id: None, what });
            }
            Err(error) => return Err(error),
        }
    }
    if !is_dry_run && synced != last {
        place.keep_synced(&synced)?;
    }
    Ok(outcome)
}

/// The files of all collections that are synchronized.
fn files<'f>(place: &'f Place<'_>, owned: &'f [Owned]) -> Result<Vec<File<'f>>> {
    let config = &place.repo.home().config().sync;
    let global_items = place.settings()?.global_items.unwrap_or(config.global_items);
    let mut files = Vec::new();
    for room in rooms::ROOMS.iter().filter_map(|room| room.synced()) {
        for collection in room.collections() {
            // Only summaries make room for newer ones, and only they are a choice.
            let is_wanted = (config.summaries || collection.is_removed_everywhere)
                && (global_items || collection.owner != Extent::User);
            let name = collection.name;
            match collection.owner {
                _ if !is_wanted => {}
                Extent::Branch => {
                    for owned in owned {
                        let file = format!("{}/{name}{ENDING}", owned.folder);
                        let is_there = room.is_there(&owned.repo, name)?;
                        files.push(File {
                            room,
                            collection,
                            name: file,
                            repo: &owned.repo,
                            owned: Some(owned),
                            is_there,
                        });
                    }
                }
                Extent::Repository | Extent::User => {
                    let file = format!("{name}{ENDING}");
                    let is_there = room.is_there(place.repo, name)?;
                    files.push(File { room, collection, name: file, repo: place.repo, owned: None, is_there });
                }
            }
        }
    }
    Ok(files)
}

/// The names of the files of records in the folder.
fn files_in(home: &Home, folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(parent) = folders.pop() {
        for (name, stat) in home.disk().entries(&folder.join(&parent))? {
            let Some(name) = name.to_str() else { continue };
            let path = if parent.is_empty() { name.to_owned() } else { format!("{parent}/{name}") };
            match stat.kind {
                Kind::Folder => folders.push(path),
                _ if path.ends_with(ENDING) => names.push(path),
                _ => {}
            }
        }
    }
    Ok(names)
}

/// A file of the branch as it is in the folder.
struct Read {
    lines: Lines,
    /// The lines that are no records, which stay as they are.
    others: Vec<Vec<u8>>,
    is_there: bool,
    text: Vec<u8>,
}

fn read(home: &Home, folder: &Path, file: &File<'_>, before: &Lines, outcome: &mut Outcome) -> Result<Read> {
    let found = home.disk().read_plain(folder, &file.name, MAX_BYTES)?;
    let is_there = found.is_some();
    let text = found.unwrap_or_default();
    let (mut lines, mut others) = (Lines::new(), Vec::new());
    let check = home.cancel_check();
    let all = text.split(|byte| *byte == b'\n').enumerate();
    for (number, line) in all.filter(|(_, line)| !line.trim_ascii().is_empty()) {
        check()?;
        let admitted = std::str::from_utf8(line).map_err(|_| "it is not UTF-8".to_owned()).and_then(|line| {
            file.room.admitted(home, file.collection.name, line).map_err(|error| error.message().to_owned())
        });
        match admitted {
            Ok((key, line)) => {
                if let Some(old) = lines.insert(key.clone(), line.clone()) {
                    lines.insert(key.clone(), newer(Some(&line), Some(&old)).unwrap_or(&line).clone());
                    let what =
                        "it is there twice; the newer version counts, the other one is in the history of the branch";
                    outcome.conflicts.push(Conflict { file: file.name.clone(), id: Some(key), what: what.to_owned() });
                }
            }
            Err(message) => {
                let what = format!("line {} is left as it is, and nothing is removed: {message}", number + 1);
                outcome.conflicts.push(Conflict { file: file.name.clone(), id: None, what });
                others.push(line.to_vec());
            }
        }
    }
    // loopmem leaves a blank line where no record is left.
    let is_lost = text.is_empty() && !before.is_empty();
    if is_lost {
        let what = "the file was removed from the branch; its records stay, and it is written again".to_owned();
        outcome.conflicts.push(Conflict { file: file.name.clone(), id: None, what });
    }
    if is_lost || !others.is_empty() || !file.collection.is_removed_everywhere {
        // What is missing was not removed by somebody who meant it.
        for (key, line) in before {
            lines.entry(key.clone()).or_insert_with(|| line.clone());
        }
    }
    Ok(Read { lines, others, is_there, text })
}

/// Brings the records of one file together; returns those that are the same on both sides then, or `None` if they are not
/// here.
fn one(
    place: &Place<'_>,
    folder: &Path,
    file: &File<'_>,
    before: Option<Lines>,
    is_dry_run: bool,
    outcome: &mut Outcome,
) -> Result<Option<Lines>> {
    let (home, collection) = (place.repo.home(), file.collection);
    let before = before.unwrap_or_default();
    let Some(Stock { lines: mut here, held }) = file.room.lines(file.repo, collection.name)? else { return Ok(None) };
    let stored = here.clone();
    if !file.is_there {
        // What is lost with its file was not removed by somebody who meant it.
        for (key, line) in &before {
            here.entry(key.clone()).or_insert_with(|| line.clone());
        }
    }
    let there = read(home, folder, file, &before, outcome)?;
    let keys: BTreeSet<&String> = here.keys().chain(before.keys()).chain(there.lines.keys()).collect();
    let (mut after, mut changes) = (Lines::new(), Vec::new());
    let has_trash = home.config().trash_keep_days > 0;
    for key in &held {
        let what = "the record here cannot be stored as it is today, and is left alone here and there".to_owned();
        outcome.conflicts.push(Conflict { file: file.name.clone(), id: Some(key.clone()), what });
        if let Some(line) = there.lines.get(key) {
            after.insert(key.clone(), line.clone());
        }
    }
    for key in keys.into_iter().filter(|key| !held.contains(key)) {
        let [mut ours, old, theirs] = [&here, &before, &there.lines].map(|lines| lines.get(key));
        let makes_room = !collection.is_removed_everywhere && ours.is_none() && old.is_some();
        if makes_room {
            ours = old;
        }
        outcome.waiting += usize::from(ours != old);
        let new = if ours == theirs || theirs == old {
            ours
        } else if ours == old {
            theirs
        } else {
            // Without a trash, the version here would be gone.
            let new = if has_trash { newer(ours, theirs) } else { ours.or(theirs) };
            let what = match (ours, theirs) {
                (Some(_), Some(_)) if new == ours => "changed here and there; the version here stays",
                (Some(_), Some(_)) => {
                    "changed here and there; the version there is newer, the other one is in the trash"
                }
                (Some(_), None) => "changed here and removed there; it stays",
                _ => "removed here and changed there; it is back",
            };
            outcome.conflicts.push(Conflict { file: file.name.clone(), id: Some(key.clone()), what: what.to_owned() });
            new
        };
        outcome.pushed += usize::from(new != theirs);
        if !makes_room && new != stored.get(key) {
            changes.push(LineChange { key: key.clone(), from: stored.get(key).cloned(), to: new.cloned() });
        }
        if let Some(new) = new {
            after.insert(key.clone(), new.clone());
        }
    }
    if is_dry_run {
        outcome.pulled += changes.len();
        return Ok(None);
    }
    let mut same = after.clone();
    if !changes.is_empty() {
        for part in parts(&changes) {
            file.room.change(file.repo, collection.name, part.to_vec())?;
        }
        let now = file.room.lines(file.repo, collection.name)?.unwrap_or_default().lines;
        for LineChange { key, to, .. } in changes {
            if now.get(&key) == to.as_ref() {
                outcome.pulled += 1;
                continue;
            }
            // It was changed meanwhile: the folder and what was last the same stay as they were, until the next run.
            for (lines, old) in [(&mut after, &there.lines), (&mut same, &before)] {
                match old.get(&key) {
                    Some(line) => drop(lines.insert(key.clone(), line.clone())),
                    None => drop(lines.remove(&key)),
                }
            }
        }
        if let Some(owned) = file.owned {
            place.describe(owned)?;
        }
    }
    let mut text: Vec<u8> = after.values().flat_map(|line| line.bytes().chain([b'\n'])).collect();
    there.others.iter().for_each(|line| text.extend(line.iter().chain(b"\n")));
    if text.is_empty() && there.is_there {
        // An empty file would be one that a power failure emptied.
        text.push(b'\n');
    }
    if text != there.text {
        let path = folder.join(&file.name);
        home.disk().write_derived(&path, &text)?;
        home.disk().sync_files(folder, [path])?;
    }
    Ok(Some(same))
}

/// The changes in parts that the trash can keep.
fn parts(changes: &[LineChange]) -> impl Iterator<Item = &[LineChange]> {
    let mut left = changes;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = left.iter().take(MAX_PART).take_while(|change| {
            bytes += change.from.as_ref().map_or(0, String::len);
            bytes <= MAX_PART_BYTES
        });
        let count = fits.count().max(1).min(left.len());
        let (part, rest) = left.split_at_checked(count)?;
        left = rest;
        (!part.is_empty()).then_some(part)
    })
}

/// The one that was changed last; a removal has no time.
fn newer<'l>(ours: Option<&'l String>, theirs: Option<&'l String>) -> Option<&'l String> {
    match (ours, theirs) {
        (Some(one), Some(other)) => {
            let time = |line: &str| room::changed_at(line);
            // Of equal times, the same one on every machine.
            Some(if (time(one), one) >= (time(other), other) { one } else { other })
        }
        (one, other) => one.or(other),
    }
}
