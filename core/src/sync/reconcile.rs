//! Brings the records here and those on the branch together, three-way.

use std::collections::BTreeSet;
use std::ops::Range;

use super::conflict::Conflict;
use super::place::{Owned, Place};
use super::synced::{Records, Synced, hash};
use crate::branch::{Files, Texts};
use crate::error::{ErrorKind, Result};
use crate::repo::Repo;
use crate::room::{self, Collection, Extent, LineChange, Lines, Stock};
use crate::rooms;
use crate::trash;

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;
/// The most conflicts that are listed.
const MAX_CONFLICTS: usize = 1_000;
/// The ending of the files of records.
const ENDING: &str = ".jsonl";

/// What was done, or would be.
#[derive(Debug)]
pub(super) struct Progress {
    /// Whether nothing may be changed.
    is_dry_run: bool,
    /// The changes of records here.
    pub(super) pulled: usize,
    /// The changes of records on the branch.
    pub(super) pushed: usize,
    pub(super) conflicts: Vec<Conflict>,
    /// What was last the same.
    known: Synced,
    /// What will be the same when the files are on the branch.
    pub(super) same: Synced,
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

impl Progress {
    pub(super) fn new(place: &Place<'_>, is_dry_run: bool) -> Self {
        let known = place.kept.synced();
        Progress { is_dry_run, pulled: 0, pushed: 0, conflicts: Vec::new(), same: known.clone(), known }
    }

    fn conflict(&mut self, file: &File<'_>, id: Option<&str>, what: impl Into<String>) {
        let conflict = Conflict { file: file.name.clone(), id: id.map(str::to_owned), what: what.into() };
        // A run may see it several times.
        if self.conflicts.len() < MAX_CONFLICTS && !self.conflicts.contains(&conflict) {
            self.conflicts.push(conflict);
        }
    }

    /// Brings everything here together with the files of the branch, and returns the files that change there. What was taken
    /// over is remembered; what is to be sent is `same` once it is there.
    pub(super) fn reconcile(&mut self, place: &Place<'_>, there: &Files<'_>) -> Result<Texts> {
        let folders: BTreeSet<&str> = there.paths().filter_map(|path| Some(path.rsplit_once('/')?.0)).collect();
        let owned = place.owned(folders.into_iter())?;
        let before = self.known.clone();
        let mut texts = Texts::new();
        (self.pushed, self.same) = (0, before.clone());
        let check = place.repo.home().cancel_check();
        for file in files(place, &owned)? {
            check()?;
            match self.one(place, there, &file) {
                Ok(text) => texts.extend(text.map(|text| (file.name.clone(), text))),
                Err(error) if matches!(error.kind(), ErrorKind::Parse | ErrorKind::FormatTooNew) => {
                    self.conflict(&file, None, format!("not synchronized: {}", error.message()));
                }
                Err(error) => return Err(error),
            }
        }
        if self.is_dry_run {
            return Ok(Texts::new());
        }
        if self.known != before {
            place.kept.keep_synced(&self.known)?;
        }
        Ok(texts)
    }

    /// Brings the records of one file together. Returns its new text, if it changes.
    fn one(&mut self, place: &Place<'_>, branch: &Files<'_>, file: &File<'_>) -> Result<Option<Vec<u8>>> {
        let (home, collection) = (place.repo.home(), file.collection);
        let before = self.known.of(&file.name);
        // The network and other files may have taken long.
        let repo = || file.repo.renewed();
        let Some(Stock { lines: here, held, is_damaged }) = file.room.lines(&repo(), collection.name)? else {
            return Ok(None);
        };
        if is_damaged {
            self.conflict(
                file,
                None,
                "the file here is damaged (loopmem doctor); nothing is removed, and what is missing comes back",
            );
        }
        let is_lost = is_damaged || !file.is_there;
        let there = self.read(place, branch, file, &before)?;
        let held: BTreeSet<String> = held.into_iter().collect();
        let keys: BTreeSet<&String> =
            here.keys().chain(there.lines.keys()).filter(|key| !held.contains(*key)).collect();
        let (mut after, mut changes) = (Lines::new(), Vec::new());
        for key in &held {
            self.conflict(
                file,
                Some(key),
                "the record here cannot be stored as it is today, and is left alone here and there",
            );
            after.extend(there.lines.get(key).map(|line| (key.clone(), line.clone())));
        }
        let has_trash = home.config().trash_keep_days > 0;
        for key in keys {
            let [ours, theirs] = [&here, &there.lines].map(|lines| lines.get(key));
            let old = before.get(key);
            let is_old = |line: Option<&String>| line.map(|line| hash(line)) == old;
            // A missing record was not removed if its file was lost, or if old records make room for new ones.
            let is_missing = old.is_some() && ours.is_none() && (is_lost || !collection.is_removed_everywhere);
            let is_missing_there = old.is_some() && theirs.is_none() && there.is_incomplete;
            let new = if ours == theirs || is_missing_there || is_old(theirs) && !is_missing {
                ours
            } else if is_missing || is_old(ours) {
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
                self.conflict(file, Some(key), what);
                new
            };
            let makes_room = is_missing && !is_lost;
            if !makes_room && new != ours {
                changes.push(LineChange { key: key.clone(), from: ours.cloned(), to: new.cloned() });
            }
            after.extend(new.map(|new| (key.clone(), new.clone())));
        }
        let replaced = || changes.iter().filter_map(|change| change.from.as_ref());
        if has_trash && !trash::holds(replaced().map(String::len)) {
            let what = format!(
                "left alone here and there: {} records here would be replaced or removed, more than the trash keeps; with \
                 trash.keepDays = 0 they are, without being kept",
                replaced().count()
            );
            self.conflict(file, None, what);
            return Ok(None);
        }
        if self.is_dry_run {
            self.pulled += changes.len();
            self.pushed += differing(&after, &there.lines);
            return Ok(None);
        }
        let mut unsettled = held;
        if !changes.is_empty() {
            file.room.change(&repo(), collection.name, changes.clone())?;
            let now = file.room.lines(&repo(), collection.name)?.unwrap_or_default().lines;
            for LineChange { key, to, .. } in changes {
                if now.get(&key) == to.as_ref() {
                    self.pulled += 1;
                    continue;
                }
                // It was changed meanwhile: the branch stays as it is, until the next run.
                match there.lines.get(&key) {
                    Some(line) => drop(after.insert(key.clone(), line.clone())),
                    None => drop(after.remove(&key)),
                }
                unsettled.insert(key);
            }
            if let Some(owned) = file.owned {
                place.describe(owned)?;
            }
        }
        self.pushed += differing(&after, &there.lines);
        let (mut known, mut same) = (Records::default(), Records::default());
        let all: BTreeSet<&String> = after.keys().chain(there.lines.keys()).chain(&unsettled).collect();
        for key in all {
            let (old, new) = (before.get(key), after.get(key).map(|line| hash(line)));
            let is_settled = !unsettled.contains(key);
            known
                .set(key, if is_settled && after.get(key) == there.lines.get(key) { new.clone() } else { old.clone() });
            same.set(key, if is_settled { new } else { old });
        }
        self.known.set(&file.name, known);
        self.same.set(&file.name, same);
        Ok(there.replaced_by(&after))
    }

    /// Reads a file of the branch.
    fn read(&mut self, place: &Place<'_>, branch: &Files<'_>, file: &File<'_>, before: &Records) -> Result<Read> {
        let home = place.repo.home();
        let found = branch.read(&file.name, MAX_BYTES)?;
        let is_there = found.is_some();
        let text = found.unwrap_or_default();
        let (mut lines, mut others) = (Lines::new(), Vec::new());
        let check = home.cancel_check();
        let (mut end, mut first) = (0, None);
        for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
            let start = end;
            end += line.len() + 1;
            if line.trim_ascii().is_empty() {
                continue;
            }
            check()?;
            let admitted = std::str::from_utf8(line).map_err(|_| "it is not UTF-8".to_owned()).and_then(|line| {
                file.room.admitted(home, file.collection.name, line).map_err(|error| error.message().to_owned())
            });
            match admitted {
                Ok((key, line)) => {
                    if let Some(old) = lines.insert(key.clone(), line.clone()) {
                        lines.insert(key.clone(), newer(Some(&line), Some(&old)).unwrap_or(&line).clone());
                        let what = "it is there twice; the newer version counts, the other one is in the history of the branch";
                        self.conflict(file, Some(&key), what);
                    }
                }
                Err(message) => {
                    first.get_or_insert((number, message));
                    others.push(start..start + line.len());
                }
            }
        }
        if let Some((number, message)) = first {
            let more = match others.len() - 1 {
                0 => String::new(),
                more => format!(" (and {more} more)"),
            };
            let what = format!("line {number}{more} is left as it is, and nothing is removed: {message}");
            self.conflict(file, None, what);
        }
        // loopmem leaves a blank line where no record is left.
        let is_lost = text.is_empty() && !before.is_empty();
        if is_lost {
            self.conflict(
                file,
                None,
                "the file was removed from the branch; its records stay, and it is written again",
            );
        }
        let is_incomplete = is_lost || !others.is_empty() || !file.collection.is_removed_everywhere;
        Ok(Read { lines, others, is_there, is_incomplete, text })
    }
}

/// How many changes here are not on the branch yet.
pub(super) fn waiting(place: &Place<'_>) -> Result<usize> {
    let (known, owned) = (place.kept.synced(), place.owned(std::iter::empty())?);
    let mut waiting = 0;
    for file in files(place, &owned)? {
        let before = known.of(&file.name);
        let stock = match file.room.lines(&file.repo.renewed(), file.collection.name) {
            // A run names it.
            Err(error) if matches!(error.kind(), ErrorKind::Parse | ErrorKind::FormatTooNew) => continue,
            stock => stock?,
        };
        let Some(Stock { lines, held, is_damaged }) = stock else { continue };
        waiting += lines.iter().filter(|(key, line)| before.get(key) != Some(hash(line))).count();
        if file.is_there && !is_damaged && file.collection.is_removed_everywhere {
            waiting += before.beside(lines.keys().chain(&held));
        }
    }
    Ok(waiting)
}

/// The files of all collections that are synchronized. All of them first: what is brought back makes the file of others in
/// the same memory.
fn files<'f>(place: &'f Place<'_>, owned: &'f [Owned]) -> Result<Vec<File<'f>>> {
    let config = &place.repo.home().config().sync;
    let global_items = place.kept.settings()?.global_items.unwrap_or(config.global_items);
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
                        let is_there = room.is_there(&owned.repo.renewed(), name)?;
                        let (repo, name) = (&owned.repo, format!("{}/{name}{ENDING}", owned.folder));
                        files.push(File { room, collection, name, repo, owned: Some(owned), is_there });
                    }
                }
                Extent::Repository | Extent::User => {
                    let is_there = room.is_there(&place.repo.renewed(), name)?;
                    let name = format!("{name}{ENDING}");
                    files.push(File { room, collection, name, repo: place.repo, owned: None, is_there });
                }
            }
        }
    }
    Ok(files)
}

/// A file of the branch.
struct Read {
    lines: Lines,
    /// The lines that are no records, which stay as they are.
    others: Vec<Range<usize>>,
    is_there: bool,
    /// Whether what is missing need not have been removed by somebody who meant it.
    is_incomplete: bool,
    text: Vec<u8>,
}

impl Read {
    /// The text of the file with these records; `None` if it has them already.
    fn replaced_by(&self, lines: &Lines) -> Option<Vec<u8>> {
        let mut text: Vec<u8> = lines.values().flat_map(|line| line.bytes().chain([b'\n'])).collect();
        let others = self.others.iter().filter_map(|line| self.text.get(line.clone()));
        others.for_each(|line| text.extend(line.iter().chain(b"\n")));
        if text.is_empty() && self.is_there {
            // An empty file would be one that a power failure emptied.
            text.push(b'\n');
        }
        (text != self.text).then_some(text)
    }
}

/// How many records differ.
fn differing(one: &Lines, other: &Lines) -> usize {
    let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    keys.into_iter().filter(|key| one.get(*key) != other.get(*key)).count()
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
