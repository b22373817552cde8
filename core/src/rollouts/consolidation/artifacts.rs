//! The files under the memory root, as a pure function of the database: a summary a session, and one file with what all
//! sessions left.
//!
//! Only files that this module wrote are ever removed, and edited ones are set aside first, once. Where another program keeps
//! files of these names, nothing is written unless the caller takes the folder over.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::disk::{Disk, Guard, Mode};
use crate::error::{Error, ErrorKind, Result};
use crate::home::{Home, Layout};
use crate::rollouts::database::{State, all, execute, first, meta, set_meta};
use crate::rollouts::jobs::output::{self, Source, sources};
use crate::rollouts::{Rollouts, time};
use crate::room::{Fragment, line};
use crate::safety::SealedText;
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::{Connection, Transaction, params};

/// The largest file that is compared with what it should be, in bytes. A larger one is not ours.
const MAX_FILE_BYTES: u64 = 1 << 30;
/// What is added to the name of a file that is set aside. Earlier versions numbered further ones: `.edited-2`.
const EDITED: &str = ".edited";

/// The files that a rebuild changed. Paths are relative to the memory root.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MaterializedFiles")]
#[non_exhaustive]
pub struct Materialized {
    /// The files that were written, because their contents changed.
    pub written: Vec<String>,
    /// The files that were removed, because what they were of is gone.
    pub removed: Vec<String>,
    /// The new names of files that another program or a person had changed or created.
    pub set_aside: Vec<String>,
}

impl Rollouts {
    pub(crate) const MATERIALIZE: &str = "rollouts.materialize";

    /// Brings the files under the memory root up to date with the database. Only files whose contents change are written.
    ///
    /// # Errors
    /// `Conflict` if another program keeps files of these names in the root, or changed a file again that was set aside before:
    /// nothing is written. `IOError` if the root is a link or cannot be written to; `LockAcquisitionError`, `Cancelled`,
    /// `ParseError`, `FormatTooNew`, `RenameError`.
    pub fn materialize(&self) -> Result<Materialized> {
        self.home.call(Self::MATERIALIZE, |home| materialize(home, &State::of(home)?, Purpose::Refresh))
    }

    /// As [`materialize`](Self::materialize), but files of another program are set aside like edited ones.
    ///
    /// # Errors
    /// Those of [`materialize`](Self::materialize).
    pub fn take_over(&self) -> Result<Materialized> {
        self.home.call(Self::MATERIALIZE, |home| materialize(home, &State::of(home)?, Purpose::TakeOver))
    }
}

/// Why files are rebuilt, which decides about files that are not as they were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose<'p> {
    /// To bring them up to date.
    Refresh,
    /// As before, in a folder that another program used.
    TakeOver,
    /// To remove what is left of everything. What cannot be set aside stays.
    Clear,
    /// To remove what is left of this session, even if it was edited. What cannot be set aside stays.
    Forget(&'p str),
}

impl Purpose<'_> {
    /// To bring the files up to date, as the caller asked.
    pub(crate) const fn refresh(takes_over: bool) -> Self {
        if takes_over { Purpose::TakeOver } else { Purpose::Refresh }
    }
}

/// The outputs that may be shown, in the order of their threads.
fn shown(connection: &Connection) -> Result<Vec<Source>, Failure> {
    sources(connection, "WHERE mode = 'enabled' ORDER BY id", [])
}

/// The lines that say where a memory is from.
fn provenance((thread, output): &Source) -> String {
    let mut text = format!("thread_id: {}\nupdated_at: {}\n", line(&thread.id), time::text(output.source_updated_at));
    text.push_str(&format!("rollout_path: {}\n", line(&thread.rollout_path)));
    if !thread.cwd.is_empty() {
        text.push_str(&format!("cwd: {}\n", line(&thread.cwd)));
    }
    if let Some(branch) = &thread.git_branch {
        text.push_str(&format!("git_branch: {}\n", line(branch)));
    }
    text
}

/// The summary of a session as a file; `None` if it has none.
pub(crate) fn summary(source: &Source) -> Option<String> {
    let body = &source.1.rollout_summary;
    (!body.is_empty()).then(|| format!("{}\n{body}\n", provenance(source)))
}

/// The memory of a session as a section; `None` if it has none. Nothing in it looks like another section.
pub(crate) fn section(source: &Source) -> Option<String> {
    let (thread, output) = source;
    if output.raw_memory.is_empty() {
        return None;
    }
    let body = Fragment::data("", &output.raw_memory).text;
    let mut text = format!("## Thread `{}`\n\n{}", line(&thread.id), provenance(source));
    if !output.rollout_summary.is_empty() {
        text.push_str(&format!("rollout_summary: {}\n", Layout::rollout_summary(&thread.id)));
    }
    text.push_str(&format!("\n{}\n", body.trim_end()));
    Some(text)
}

/// All files, by their paths below the root.
fn files(home: &Home, sources: &[Source]) -> BTreeMap<String, SealedText> {
    let seal = |text: String| home.redactor().seal_text(&text);
    let mut files = BTreeMap::new();
    let mut memories = String::new();
    for source in sources {
        if let Some(text) = summary(source) {
            files.insert(Layout::rollout_summary(&source.0.id), seal(text));
        }
        if let Some(text) = section(source) {
            memories.push('\n');
            memories.push_str(&text);
        }
    }
    if !memories.is_empty() {
        files.insert(Layout::RAW_MEMORIES.to_owned(), seal(format!("# Raw memories\n{memories}")));
    }
    files
}

/// The digests of the text that this module wrote to a file, or was about to write.
#[derive(Debug, Default)]
struct Written {
    digest: Option<String>,
    pending: Option<String>,
}

type Manifest = BTreeMap<String, Written>;

/// The number under which the database records the memory root to which the manifest applies.
const ROOT: &str = "artifact_root";

/// Identifies the memory root: 0 for that in the Codex home, which may be moved.
fn root_number(home: &Home) -> i64 {
    let other = home.layout().other_memories();
    other.map_or(0, |root| i64::from_le_bytes(xxh3_64(root.as_os_str().as_encoded_bytes()).to_le_bytes()))
}

/// The files that were written to the memory root of this home. Of those in another root, nothing is known here.
fn manifest(home: &Home, connection: &Connection) -> Result<Manifest, Failure> {
    if meta(connection, ROOT)?.unwrap_or(0) != root_number(home) {
        return Ok(Manifest::new());
    }
    let rows: Manifest = all(connection, "SELECT path, digest, pending FROM artifact", [], |row| {
        Ok((row.get(0)?, Written { digest: row.get(1)?, pending: row.get(2)? }))
    })?;
    Ok(rows.into_iter().filter(|(path, _)| Layout::is_of_rollouts(path)).collect())
}

/// The names of the files that were written, below the root.
pub(crate) fn names(home: &Home, connection: &Connection) -> Result<BTreeSet<String>, Failure> {
    Ok(manifest(home, connection)?.into_keys().collect())
}

/// The digest of a file with these contents.
pub(crate) fn digest(bytes: &[u8]) -> String {
    format!("{:032x}", xxh3_128(bytes))
}

/// The changes to the files.
#[derive(Debug, Default)]
struct Plan<'f> {
    write: Vec<(&'f str, &'f SealedText)>,
    /// Those that are as they should be, but are not known to be ours.
    adopt: Vec<(&'f str, String)>,
    remove: Vec<String>,
    /// The recorded files without a source, whether or not they exist.
    gone: Vec<String>,
    /// Those that another program or a person changed or created.
    set_aside: Vec<String>,
    /// Those of another program: they are not known, and not as they should be.
    foreign: Vec<String>,
    /// Those that were changed again, while what was set aside before is still there.
    again: Vec<String>,
}

/// Refuses a root that is a link or no folder, before anything is changed that its files are made of.
///
/// # Errors
/// `IOError`.
pub(crate) fn check_root(home: &Home, state: &State) -> Result<()> {
    let root = home.layout().memories()?;
    state.disk().entries(&root)?;
    state.disk().entries(&root.join(Layout::ROLLOUT_SUMMARIES)).map(drop)
}

/// Brings the files up to date.
pub(crate) fn materialize(home: &Home, state: &State, purpose: Purpose<'_>) -> Result<Materialized> {
    check_root(home, state)?;
    let root = home.layout().memories()?;
    let disk = state.disk();
    let sql = "SELECT EXISTS (SELECT 1 FROM output) OR EXISTS (SELECT 1 FROM artifact)";
    let is_any: bool = state.read(|connection| first(connection, sql, []))?;
    let may_be_edited = matches!(purpose, Purpose::Forget(_)) && disk.has_entry(&root);
    let is_nothing = !is_any && !may_be_edited;
    if is_nothing && existing(disk, &root)?.is_empty() {
        return Ok(Materialized::default());
    }
    let guard = disk.lock(&root, Mode::Exclusive, home.wait_options(), home.config().lock_timeout)?;
    let read = |connection: &Connection| {
        Ok((shown(connection)?, manifest(home, connection)?, output::has_unindexed(connection)?))
    };
    let (sources, manifest, has_unindexed) = state.read(read)?;
    let files = files(home, &sources);
    let plan = plan(disk, &root, &files, &manifest, purpose)?;
    plan.check(&root, purpose)?;
    let changes = [plan.write.len(), plan.adopt.len(), plan.gone.len(), plan.set_aside.len()];
    let is_done = changes.iter().all(|count| *count == 0) && manifest.values().all(|written| written.pending.is_none());
    if is_done && !matches!(purpose, Purpose::Forget(_)) {
        if has_unindexed {
            state.write(|transaction| output::index(transaction))?;
        }
        return Ok(Materialized::default());
    }
    // Planned writes are recorded first, so that what a crash leaves behind is known and removed later.
    state.write(|transaction| {
        output::index(transaction)?;
        intend(home, transaction, &plan)
    })?;
    let mut done = Materialized::default();
    disk.sweep_texts(&guard, &root, ".md");
    disk.sweep_texts(&guard, &root.join(Layout::ROLLOUT_SUMMARIES), ".md");
    for path in &plan.set_aside {
        done.set_aside.push(below(&root, &disk.set_aside(&guard, &root.join(path))?));
    }
    for (path, text) in &plan.write {
        disk.put_text(&guard, &root.join(path), text)?;
        done.written.push((*path).to_owned());
    }
    for path in &plan.remove {
        disk.remove_text(&guard, &root.join(path))?;
        done.removed.push(path.clone());
    }
    if let Purpose::Forget(id) = purpose {
        done.removed.extend(remove_edited(disk, &guard, &root, id)?);
    }
    state.write(confirm)?;
    Ok(done)
}

/// The files below the root that have the names of loopmem's, whoever wrote them.
fn existing(disk: &Disk, root: &Path) -> Result<Vec<String>> {
    let summaries = disk.entries(&root.join(Layout::ROLLOUT_SUMMARIES))?;
    let summaries = summaries.iter().filter_map(|(name, _)| name.to_str());
    let summaries = summaries.map(|name| format!("{}/{name}", Layout::ROLLOUT_SUMMARIES));
    let raw = disk.has_entry(&root.join(Layout::RAW_MEMORIES)).then(|| Layout::RAW_MEMORIES.to_owned());
    Ok(raw.into_iter().chain(summaries.filter(|path| Layout::is_of_rollouts(path))).collect())
}

fn plan<'f>(
    disk: &Disk,
    root: &Path,
    files: &'f BTreeMap<String, SealedText>,
    manifest: &Manifest,
    purpose: Purpose<'_>,
) -> Result<Plan<'f>> {
    let mut plan = Plan::default();
    for (path, text) in files {
        let there = disk.read_if_there(&root.join(path), MAX_FILE_BYTES)?;
        match &there {
            Some(there) if there == text.as_str().as_bytes() => {
                let digest = digest(there);
                let is_known = |it: &Written| it.digest.as_ref() == Some(&digest) && it.pending.is_none();
                if !manifest.get(path).is_some_and(is_known) {
                    plan.adopt.push((path, digest));
                }
            }
            Some(there) if !plan.may_replace(disk, root, manifest, purpose, path, there)? => {}
            _ => plan.write.push((path, text)),
        }
    }
    for path in manifest.keys().filter(|path| !files.contains_key(*path)) {
        match disk.read_if_there(&root.join(path), MAX_FILE_BYTES)? {
            Some(there) if !plan.may_replace(disk, root, manifest, purpose, path, &there)? => continue,
            Some(_) if !plan.set_aside.contains(path) => plan.remove.push(path.clone()),
            _ => {}
        }
        plan.gone.push(path.clone());
    }
    let others =
        existing(disk, root)?.into_iter().filter(|path| !files.contains_key(path) && !manifest.contains_key(path));
    plan.foreign.extend(others);
    if purpose == Purpose::TakeOver {
        for path in std::mem::take(&mut plan.foreign) {
            plan.set_aside(disk, root, path, None)?;
        }
    }
    Ok(plan)
}

impl Plan<'_> {
    /// Whether a file with these contents may be replaced or removed, after it was set aside if necessary.
    fn may_replace(
        &mut self,
        disk: &Disk,
        root: &Path,
        manifest: &Manifest,
        purpose: Purpose<'_>,
        path: &str,
        there: &[u8],
    ) -> Result<bool> {
        let digest = Some(digest(there));
        match manifest.get(path) {
            Some(written) if written.digest == digest || written.pending == digest => Ok(true),
            Some(_) if matches!(purpose, Purpose::Forget(id) if is_of(path, there, id)) => Ok(true),
            None if purpose != Purpose::TakeOver => {
                self.foreign.push(path.to_owned());
                Ok(false)
            }
            _ => self.set_aside(disk, root, path.to_owned(), Some(there)),
        }
    }

    /// Sets a file aside, unless what was set aside before is still there. Returns whether the file may be replaced.
    fn set_aside(&mut self, disk: &Disk, root: &Path, path: String, there: Option<&[u8]>) -> Result<bool> {
        let aside = root.join(format!("{path}{EDITED}"));
        if !disk.has_entry(&aside) {
            self.set_aside.push(path);
            return Ok(true);
        }
        let is_same = there.is_some() && disk.read_if_there(&aside, MAX_FILE_BYTES)?.as_deref() == there;
        if !is_same {
            self.again.push(path);
        }
        Ok(is_same)
    }

    /// Refuses to write where another program does.
    ///
    /// # Errors
    /// `Conflict`.
    fn check(&self, root: &Path, purpose: Purpose<'_>) -> Result<()> {
        const CHOOSE: &str =
            "give loopmem a folder of its own with root under [rollouts] in config.toml (the option rolloutsRoot)";
        let conflict = |paths: &[String], message: &dyn Fn(&str, &str) -> String| {
            let Some(first) = paths.first() else { return Ok(()) };
            let more = match paths.len() - 1 {
                0 => String::new(),
                count => format!(" and {count} more there"),
            };
            let path = root.join(first);
            Err(Error::new(ErrorKind::Conflict, message(&path.display().to_string(), &more)).at(&path))
        };
        if matches!(purpose, Purpose::Clear | Purpose::Forget(_)) {
            return Ok(());
        }
        conflict(&self.foreign, &|path, more| {
            format!(
                "{path}{more} was not written by loopmem, but perhaps by Codex, which keeps its own memory in that folder;                  {CHOOSE}, or pass takeOver (--take-over) once: then such files are renamed to NAME{EDITED}"
            )
        })?;
        conflict(&self.again, &|path, more| {
            format!(
                "{path}{more} was changed again by a person or another program, and what was set aside before is still in \
                 NAME{EDITED}; move that away, or {CHOOSE}"
            )
        })
    }
}

/// True if a file is that of a session, or has a section of it.
fn is_of(path: &str, there: &[u8], id: &str) -> bool {
    let mark = format!("thread_id: {}", line(id));
    let has_section = || there.split(|byte| *byte == b'\n').any(|line| line == mark.as_bytes());
    path == Layout::rollout_summary(id) || (path == Layout::RAW_MEMORIES && has_section())
}

/// Records what is about to be written and removed.
fn intend(home: &Home, connection: &Connection, plan: &Plan<'_>) -> Result<(), Failure> {
    let root = root_number(home);
    if meta(connection, ROOT)?.unwrap_or(0) != root {
        execute(connection, "DELETE FROM artifact", [])?;
        set_meta(connection, ROOT, root)?;
    }
    for path in &plan.gone {
        execute(connection, "UPDATE artifact SET pending = '' WHERE path = ?1", [path])?;
    }
    let written = plan.write.iter().map(|(path, text)| (*path, digest(text.as_str().as_bytes())));
    for (path, digest) in written.chain(plan.adopt.iter().cloned()) {
        let sql = "INSERT INTO artifact (path, digest, pending) VALUES (?1, NULL, ?2)
             ON CONFLICT (path) DO UPDATE SET pending = ?2";
        execute(connection, sql, params![path, digest])?;
    }
    Ok(())
}

/// Records that everything was written and removed.
fn confirm(connection: &Transaction<'_>) -> Result<(), Failure> {
    execute(connection, "DELETE FROM artifact WHERE pending = ''", [])?;
    let sql = "UPDATE artifact SET digest = pending, pending = NULL WHERE pending IS NOT NULL";
    execute(connection, sql, []).map(drop)
}

/// Removes what was set aside of the files of a session, and of those of all sessions if it is in them.
fn remove_edited(disk: &Disk, guard: &Guard, root: &Path, id: &str) -> Result<Vec<String>> {
    let edited = |path: &Path| -> Vec<PathBuf> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
            return Vec::new();
        };
        let names = disk.list_foreign(folder).ok().flatten().unwrap_or_default();
        let is_edited = |found: &str| found.strip_prefix(name).is_some_and(is_set_aside_suffix);
        names.iter().filter(|found| found.to_str().is_some_and(is_edited)).map(|found| folder.join(found)).collect()
    };
    let mut paths = edited(&root.join(Layout::rollout_summary(id)));
    for path in edited(&root.join(Layout::RAW_MEMORIES)) {
        let bytes = disk.read_if_there(&path, MAX_FILE_BYTES)?.unwrap_or_default();
        if is_of(Layout::RAW_MEMORIES, &bytes, id) {
            paths.push(path);
        }
    }
    paths.iter().try_for_each(|path| disk.remove_text(guard, path))?;
    Ok(paths.iter().map(|path| below(root, path)).collect())
}

/// True if this is what follows the name of a file that was set aside.
fn is_set_aside_suffix(rest: &str) -> bool {
    let is_number = |rest: &str| rest.strip_prefix('-').is_some_and(|it| it.bytes().all(|it| it.is_ascii_digit()));
    rest.strip_prefix(EDITED).is_some_and(|rest| rest.is_empty() || is_number(rest))
}

/// True if a path below the root is that of a file that was set aside.
pub(crate) fn is_set_aside(path: &str) -> bool {
    let summaries = format!("{}/", Layout::ROLLOUT_SUMMARIES);
    let is_ours = path.starts_with(&summaries) || path.starts_with(Layout::RAW_MEMORIES);
    is_ours && path.rsplit_once(".md").is_some_and(|(_, rest)| is_set_aside_suffix(rest))
}

/// A path relative to the root.
fn below(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}

/// True if a file was edited or removed since it was written.
pub(crate) fn edited(home: &Home, state: &State) -> Result<bool> {
    let root = home.layout().memories()?;
    let manifest = state.read(|connection| manifest(home, connection))?;
    for (path, written) in &manifest {
        let there = state.disk().read_if_there(&root.join(path), MAX_FILE_BYTES)?;
        let is_as_written = match there.as_deref().map(digest) {
            // One that is about to be removed, or was not written yet.
            None => written.digest.is_none() || written.pending.as_deref() == Some(""),
            digest => digest == written.digest || digest == written.pending,
        };
        if !is_as_written {
            return Ok(true);
        }
    }
    Ok(false)
}
