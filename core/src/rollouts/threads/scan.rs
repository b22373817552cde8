//! Finding sessions: the transcripts that exist, and those that changed since the last scan.

use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use foldhash::{HashMap, HashSet, HashSetExt as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::listing::{Root, Visited};
use super::{Mode, RepoHashes, SealedThread, ThreadDraft, ThreadRow, is_forgotten, store_mode};
use crate::disk::{Disk, Kind, Stamp};
use crate::error::{Error, ErrorKind, Result};
use crate::home::{Home, Steps};
use crate::rollouts::database::{State, all, execute};
use crate::rollouts::transcript::{Format, Meta, read_meta};
use crate::rollouts::{Rollouts, time};
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::{Connection, Row, params};

/// The number of transcripts that are registered at once.
const BATCH: usize = 256;

/// Whose transcripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
#[schemars(inline)]
pub enum TranscriptKind {
    /// Rollouts of Codex.
    Codex,
    /// Sessions of Claude Code.
    Claude,
}

/// A transcript that was not registered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SkippedTranscript")]
#[non_exhaustive]
pub struct SkippedTranscript {
    /// Its path.
    pub path: String,
    /// The reason: `subagent`, `extraction`, `noSession`, `forgotten`, `secret`, `invalid` or `unreadable`.
    pub reason: String,
}

/// The result of a scan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ScannedTranscripts")]
#[non_exhaustive]
pub struct Scanned {
    /// The number of transcripts.
    pub found: usize,
    /// The number of those of sessions that were not known.
    pub new: usize,
    /// The number of those of known sessions that changed.
    pub changed: usize,
    /// The number of those that did not change since the last scan.
    pub unchanged: usize,
    /// Those that were not registered.
    pub skipped: Vec<SkippedTranscript>,
}

/// A transcript as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Known {
    thread_id: Option<String>,
    reason: Option<String>,
    stamp: Stamp,
    seen: Seen,
}

/// When a transcript was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Before,
    Now,
    Gone,
}

/// A transcript that has to be read.
struct Changed {
    path: PathBuf,
    format: Format,
    stamp: Option<Stamp>,
    is_archived: Option<bool>,
    /// Up to where the mode of its session was read by an earlier scan.
    searched: u64,
}

impl Rollouts {
    pub(crate) const SCAN: &str = "rollouts.scan";

    /// Finds the transcripts of Codex and Claude Code and registers their sessions. An unchanged transcript is not read.
    /// Without `roots`, those of the Codex home and of Claude Code's folder are found.
    ///
    /// # Errors
    /// `ValidationError` for a root that is no folder; `LockAcquisitionError`, `Cancelled`, `ParseError`, `FormatTooNew`,
    /// `IOError`. A transcript that cannot be read is skipped.
    pub fn scan(&self, kinds: Option<&[TranscriptKind]>, roots: Option<&[PathBuf]>) -> Result<Scanned> {
        self.home.call(Self::SCAN, |home| scan(home, kinds, roots))
    }
}

fn scan(home: &Home, kinds: Option<&[TranscriptKind]>, roots: Option<&[PathBuf]>) -> Result<Scanned> {
    let state = State::of(home)?;
    let disk = state.disk();
    let roots = roots_of(home, kinds, roots)?;
    let mut known: HashMap<String, Known> = state.read(known)?.into_iter().collect();
    // Transcripts that are not known. Roots may overlap.
    let mut others = HashSet::new();
    let check = home.cancel_check();
    let mut scanned = Scanned::default();
    let (mut changed, mut gone) = (Vec::new(), Vec::new());
    let has_session = |path: &Path, format: Format| {
        let Ok(Some(stat)) = disk.stat_foreign(path) else { return true };
        !matches!(read_meta(disk, path, format, &stat, stat.size, &check), Ok(Err("noSession")))
    };
    let mut visited = Visited::new();
    let mut listings = Vec::new();
    for root in &roots {
        let (since, epoch) = (disk.moment(), disk.epoch(&root.folder));
        let listing = visited.list(disk, root, &has_session, &check)?;
        listings.extend(listing.map(|files| (root, since, epoch, files)));
    }
    for (root, since, epoch, files) in listings {
        let relative = files.found.iter().map(|(path, _)| path.as_bytes());
        let stamps = disk.stamps(&root.folder, Kind::File, relative, since, &check)?;
        let mut path = root.folder.join("").into_os_string().into_vec();
        let folder = path.len();
        for ((relative, format), stamp) in files.found.iter().zip(stamps) {
            path.truncate(folder);
            path.extend_from_slice(relative.as_bytes());
            let before = std::str::from_utf8(&path).ok().and_then(|path| known.get_mut(path));
            let is_first = match &before {
                Some(before) => before.seen != Seen::Now,
                None => !others.contains(&path),
            };
            let file = || PathBuf::from(OsStr::from_bytes(&path));
            let stamp = match stamp {
                None if is_first => visited.stamp_of_link(disk, &file(), &root.kinds),
                stamp => stamp,
            };
            if stamp.is_none() || !is_first {
                continue;
            }
            scanned.found += 1;
            let mut searched = 0;
            if let Some(before) = before {
                before.seen = Seen::Now;
                if stamp == Some(before.stamp) && before.stamp.is_certain() {
                    match &before.reason {
                        None => scanned.unchanged += 1,
                        Some(reason) => scanned.skipped.push(skipped(home, &file(), reason)),
                    }
                    continue;
                }
                // Programs only append to a transcript, unless they replace it.
                let is_same = |it: &Stamp| it.inode == before.stamp.inode && it.size >= before.stamp.size;
                if before.reason.is_none() && stamp.as_ref().is_some_and(is_same) {
                    searched = before.stamp.size;
                }
            } else {
                others.insert(path.clone());
            }
            // A power failure may undo a change of a young file that keeps its time.
            let stamp = stamp.map(|stamp| epoch.outlasted(stamp));
            changed.push(Changed { path: file(), format: *format, stamp, is_archived: root.is_archived, searched });
        }
        let prefix = &path[..folder];
        let was_looked_for = |path: &str| {
            let is_unlisted = |folder: &PathBuf| Path::new(path).starts_with(root.folder.join(folder));
            let format = Format::of(Path::new(path));
            path.as_bytes().starts_with(prefix)
                && format.is_some_and(|format| root.kinds.contains(&format))
                && !files.unlisted.iter().any(is_unlisted)
        };
        for (path, known) in known.iter_mut().filter(|(_, known)| known.seen == Seen::Before) {
            if was_looked_for(path) {
                known.seen = Seen::Gone;
                gone.push((path.clone(), known.thread_id.clone()));
            }
        }
    }
    let mut hashes = RepoHashes::default();
    let mut steps = Steps::new(home, changed.len());
    for batch in changed.chunks(BATCH) {
        register(home, &state, batch, &mut hashes, &mut scanned, &mut steps)?;
    }
    if !gone.is_empty() {
        state.write(|transaction| {
            gone.iter().try_for_each(|(path, id)| forget_path(transaction, path, id.as_deref()))
        })?;
    }
    scanned.skipped.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(scanned)
}

/// The folders to look at.
fn roots_of(home: &Home, kinds: Option<&[TranscriptKind]>, roots: Option<&[PathBuf]>) -> Result<Vec<Root>> {
    let is_wanted = |kind: TranscriptKind| kinds.is_none_or(|kinds| kinds.contains(&kind));
    let wanted = [(TranscriptKind::Codex, Format::Codex), (TranscriptKind::Claude, Format::Claude)];
    let wanted: Vec<Format> = wanted.iter().filter(|(kind, _)| is_wanted(*kind)).map(|(_, format)| *format).collect();
    if let Some(roots) = roots {
        let here = |folder: &Path| match folder.is_absolute() {
            true => Ok(folder.to_owned()),
            false => home.current_folder().map(|here| here.join(folder)),
        };
        let root = |folder: &PathBuf| Ok(Root { folder: here(folder)?, kinds: wanted.clone(), is_archived: None });
        let roots: Vec<Root> = roots.iter().map(root).collect::<Result<_>>()?;
        for root in &roots {
            home.admit_path("roots", &root.folder)?;
            if !matches!(home.disk().kind_of(&root.folder), Ok(Some(Kind::Folder))) {
                let message = format!("{} is not a folder that can be read", root.folder.display());
                return Err(Error::validation(message).at(&root.folder));
            }
        }
        return Ok(roots);
    }
    let mut roots = Vec::new();
    if is_wanted(TranscriptKind::Codex) {
        let [sessions, archived] = home.layout().codex_sessions()?;
        roots.push(Root { folder: sessions, kinds: vec![Format::Codex], is_archived: Some(false) });
        roots.push(Root { folder: archived, kinds: vec![Format::Codex], is_archived: Some(true) });
    }
    if is_wanted(TranscriptKind::Claude)
        && let Some(folder) = home.layout().claude_projects()
    {
        roots.push(Root { folder, kinds: vec![Format::Claude], is_archived: None });
    }
    Ok(roots)
}

fn known(connection: &Connection) -> Result<Vec<(String, Known)>, Failure> {
    let sql = "SELECT path, thread_id, reason, size, inode, modified, changed FROM transcript";
    let read = |row: &Row<'_>| {
        let number = |at: usize| row.get::<_, i64>(at).map(i64::cast_unsigned);
        let stamp = Stamp { size: number(3)?, inode: number(4)?, modified: row.get(5)?, changed: row.get(6)? };
        Ok((row.get(0)?, Known { thread_id: row.get(1)?, reason: row.get(2)?, stamp, seen: Seen::Before }))
    };
    all(connection, sql, [], read)
}

fn skipped(home: &Home, path: &Path, reason: &str) -> SkippedTranscript {
    let path = home.redactor().scrub(&path.to_string_lossy()).into_owned();
    SkippedTranscript { path, reason: reason.to_owned() }
}

/// Reads changed transcripts and registers their sessions.
fn register(
    home: &Home,
    state: &State,
    batch: &[Changed],
    hashes: &mut RepoHashes,
    scanned: &mut Scanned,
    steps: &mut Steps<'_>,
) -> Result<()> {
    let check = home.cancel_check();
    let mut read = Vec::new();
    for changed in batch {
        check()?;
        read.push((changed, look(home, state.disk(), changed, hashes, &check)?));
        steps.advance();
    }
    let (counts, passed_over) = state.write(|transaction| {
        let (mut counts, mut passed_over) = (Scanned::default(), Vec::new());
        for (changed, thread) in &read {
            // Not UTF-8, so that it was not read.
            let Some(path) = changed.path.to_str() else {
                passed_over.push((&changed.path, "invalid"));
                continue;
            };
            let mut reason = thread.as_ref().err().copied();
            if let Ok(thread) = thread {
                if is_forgotten(transaction, thread.id())? {
                    reason = Some("forgotten");
                } else {
                    match store(home, transaction, thread, path)? {
                        Found::New => counts.new += 1,
                        Found::Changed => counts.changed += 1,
                        Found::Same => counts.unchanged += 1,
                    }
                }
            }
            if let Some(reason) = reason {
                passed_over.push((&changed.path, reason));
            }
            // What could not be read is tried again.
            if let (Some(stamp), false) = (changed.stamp, reason == Some("unreadable") || reason == Some("secret")) {
                let id = thread.as_ref().ok().filter(|_| reason.is_none()).map(SealedThread::id);
                remember(transaction, path, id, reason, stamp)?;
            }
        }
        Ok((counts, passed_over))
    })?;
    scanned.new += counts.new;
    scanned.changed += counts.changed;
    scanned.unchanged += counts.unchanged;
    scanned.skipped.extend(passed_over.into_iter().map(|(path, reason)| skipped(home, path, reason)));
    Ok(())
}

/// Reads what a transcript says of its session; a reason if it is not registered.
fn look(
    home: &Home,
    disk: &Disk,
    changed: &Changed,
    hashes: &mut RepoHashes,
    check: &dyn Fn() -> Result<()>,
) -> Result<Result<SealedThread, &'static str>> {
    let Some(path) = changed.path.to_str() else { return Ok(Err("invalid")) };
    // Whatever becomes of it, its path is stored.
    if home.redactor().admit("path", path).is_err() {
        return Ok(Err("secret"));
    }
    let Ok(Some(stat)) = disk.stat_foreign(&changed.path) else { return Ok(Err("unreadable")) };
    let meta = match read_meta(disk, &changed.path, changed.format, &stat, changed.searched, check) {
        Ok(Ok(meta)) => meta,
        Ok(Err(reason)) => return Ok(Err(reason)),
        Err(error) if error.kind() == ErrorKind::Io => return Ok(Err("unreadable")),
        Err(error) if error.kind() == ErrorKind::Validation => return Ok(Err("invalid")),
        Err(error) => return Err(error),
    };
    let Meta { id, cwd, source, git_branch, updated_at, mode } = meta;
    let draft = ThreadDraft::new(id, path, time::text(updated_at), cwd, source)
        .git_branch(git_branch)
        .mode(mode)
        .archived(changed.is_archived.filter(|is_archived| *is_archived));
    match SealedThread::new(home, draft, hashes) {
        Ok(thread) => Ok(Ok(thread)),
        Err(error) if error.kind() == ErrorKind::SecretRefused => Ok(Err("secret")),
        Err(error) if error.kind() == ErrorKind::Validation => Ok(Err("invalid")),
        Err(error) => Err(error),
    }
}

/// The state of a session that was found.
enum Found {
    New,
    Changed,
    Same,
}

/// Stores a session that was found. Of two transcripts of one session, the newer one counts. What its header says restricts the
/// mode, and never the other way round.
fn store(home: &Home, connection: &Connection, thread: &SealedThread, path: &str) -> Result<Found, Failure> {
    let before = ThreadRow::find(connection, thread.id())?;
    let archived = home.layout().codex_sessions().ok();
    if let Some(before) = &before {
        let is_other = before.rollout_path != path && !before.is_missing;
        if is_other && before.updated_at > thread.updated_at() {
            if before.mode == Mode::Enabled
                && let Some(mode) = thread.mode
            {
                store_mode(connection, before, mode)?;
            }
            return Ok(Found::Same);
        }
        // Codex moves the transcript of an archived session, and back.
        let is_archived = |path: &str| archived.as_ref().is_some_and(|[_, folder]| Path::new(path).starts_with(folder));
        if is_archived(&before.rollout_path) && !is_archived(path) {
            execute(connection, "UPDATE thread SET is_archived = 0 WHERE id = ?1", [thread.id()])?;
        }
    }
    let mode = before.as_ref().map_or(Mode::Enabled, |before| before.mode);
    let mode = if mode == Mode::Polluted { mode } else { thread.mode.unwrap_or(mode) };
    thread.store_as(connection, Some(mode), time::now(home))?;
    let after = ThreadRow::find(connection, thread.id())?;
    Ok(match before {
        None => Found::New,
        before if before == after => Found::Same,
        _ => Found::Changed,
    })
}

fn remember(
    connection: &Connection,
    path: &str,
    id: Option<&str>,
    reason: Option<&str>,
    stamp: Stamp,
) -> Result<(), Failure> {
    let sql = "INSERT INTO transcript (path, thread_id, reason, size, inode, modified, changed)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (path) DO UPDATE SET thread_id = ?2, reason = ?3, size = ?4, inode = ?5, modified = ?6, changed = ?7";
    let (size, inode) = (stamp.size.cast_signed(), stamp.inode.cast_signed());
    execute(connection, sql, params![path, id, reason, size, inode, stamp.modified, stamp.changed]).map(drop)
}

/// Records that a transcript is gone. If there is another one of its session, that counts, and is read again.
fn forget_path(connection: &Connection, path: &str, id: Option<&str>) -> Result<(), Failure> {
    execute(connection, "DELETE FROM transcript WHERE path = ?1", [path])?;
    let Some(id) = id else { return Ok(()) };
    execute(connection, "UPDATE transcript SET modified = 0 WHERE thread_id = ?1", [id])?;
    let sql = "UPDATE thread SET rollout_path = ifnull((SELECT max(transcript.path) FROM transcript
             WHERE transcript.thread_id = ?1 AND transcript.reason IS NULL), ?2)
         WHERE id = ?1 AND rollout_path = ?2";
    execute(connection, sql, [id, path])?;
    execute(connection, "UPDATE thread SET is_missing = 1 WHERE id = ?1 AND rollout_path = ?2", [id, path]).map(drop)
}
