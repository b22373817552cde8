//! Threads: the sessions that are known, where their transcripts are, and whether their memory may be extracted.

mod forget;
mod listing;
mod mode;
mod parts;
mod scan;

use std::collections::HashMap;
use std::path::Path;

pub use forget::{Forgotten, Reset};
pub(crate) use parts::parts_of;
pub use scan::{Scanned, SkippedTranscript, TranscriptKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::database::{State, all, execute, find, first, row};
use super::jobs::{self, Subject};
use super::{Rollouts, time};
use crate::error::{Error, ErrorKind, Result};
use crate::home::{BranchScope, Home};
use crate::repo::{Repo, Workspace};
use crate::room::named;
use crate::safety::{Admitted, Sealed};
use crate::sqlite::Failure;
use crate::sqlite::rusqlite::types::{FromSql, FromSqlResult, ValueRef};
use crate::sqlite::rusqlite::{Connection, params};

/// The maximum length of an id, in bytes: it is the name of a file too.
pub(crate) const MAX_ID_BYTES: usize = 80;
/// The maximum length of the name of a branch or a source, in bytes.
const MAX_NAME_BYTES: usize = 1_024;
/// The longest path of a working folder, in bytes: that of Linux.
const MAX_PATH_BYTES: usize = 4_096;

/// The modes of a session: whether its memory may be extracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
#[schemars(inline)]
pub enum Mode {
    /// It may be extracted.
    #[default]
    Enabled,
    /// It may not: the user opted out.
    Disabled,
    /// It may not: the session read something that must not become memory.
    Polluted,
}

impl Mode {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Mode::Enabled => "enabled",
            Mode::Disabled => "disabled",
            Mode::Polluted => "polluted",
        }
    }

    /// The mode of this name.
    pub(crate) fn of(name: &str) -> Self {
        match name {
            "enabled" => Mode::Enabled,
            "polluted" => Mode::Polluted,
            // That of a later version: nothing is extracted that it may protect.
            _ => Mode::Disabled,
        }
    }
}

impl FromSql for Mode {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Ok(Mode::of(value.as_str()?))
    }
}

/// A session to register.
#[derive(Debug, Clone)]
pub struct ThreadDraft {
    id: String,
    rollout_path: String,
    updated_at: String,
    cwd: String,
    source: String,
    git_branch: Option<String>,
    mode: Option<Mode>,
    is_archived: Option<bool>,
}

impl ThreadDraft {
    /// The session `id`, with its transcript, when it changed last (RFC 3339), its working folder and where it was held, such
    /// as `cli`.
    pub fn new(
        id: impl Into<String>,
        rollout_path: impl Into<String>,
        updated_at: impl Into<String>,
        cwd: impl Into<String>,
        source: impl Into<String>,
    ) -> Self {
        ThreadDraft {
            id: id.into(),
            rollout_path: rollout_path.into(),
            updated_at: updated_at.into(),
            cwd: cwd.into(),
            source: source.into(),
            git_branch: None,
            mode: None,
            is_archived: None,
        }
    }

    setters! {
        /// The branch that was checked out. Default: none.
        git_branch(branch: impl Into<Option<String>>) => git_branch = branch.into();
        /// Whether its memory may be extracted. Default: as before, and `enabled` for a new session.
        mode(mode: impl Into<Option<Mode>>) => mode = mode.into();
        /// Whether the user archived it. Default: as before, and false for a new session.
        archived(is_archived: impl Into<Option<bool>>) => is_archived = is_archived.into();
    }
}

/// A session as it is registered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Thread {
    /// Its id.
    pub id: String,
    /// The path of its transcript.
    pub rollout_path: String,
    /// When it changed last.
    pub updated_at: String,
    /// Its working folder; empty if it is unknown.
    pub cwd: String,
    /// The program in which it was held, such as `cli`, `vscode` or `claude`.
    pub source: String,
    /// The branch that was checked out; null if none is known.
    pub git_branch: Option<String>,
    /// Whether its memory may be extracted.
    pub mode: Mode,
    /// Whether the user archived it.
    pub archived: bool,
    /// True if it was forgotten: then nothing of it is stored, whatever is registered.
    pub forgotten: bool,
}

row! {
    /// A row of the table of threads.
    #[derive(Debug, Clone, PartialEq, Eq)]
    struct ThreadRow {
        number: i64 = "thread.number",
        id: String = "thread.id",
        rollout_path: String = "thread.rollout_path",
        updated_at: i64 = "thread.updated_at",
        cwd: String = "thread.cwd",
        source: String = "thread.source",
        git_branch: Option<String> = "thread.git_branch",
        mode: Mode = "thread.mode",
        is_archived: bool = "thread.is_archived",
        is_missing: bool = "thread.is_missing",
        settled_at: Option<i64> = "thread.settled_at",
        /// The number of its output.
        output: Option<i64> = "thread.output",
    }
}

impl ThreadRow {
    /// The thread with this id.
    pub(crate) fn find(connection: &Connection, id: &str) -> Result<Option<Self>, Failure> {
        let sql = format!("SELECT {} FROM thread WHERE id = ?1", ThreadRow::columns());
        find(connection, &sql, [id], |row| ThreadRow::read(row, &mut 0))
    }

    /// The thread with this id, which a call names.
    ///
    /// # Errors
    /// `NotFound`.
    pub(crate) fn named(connection: &Connection, id: &str) -> Result<Self, Failure> {
        if let Some(thread) = ThreadRow::find(connection, id)? {
            return Ok(thread);
        }
        Err(match is_forgotten(connection, id)? {
            true => not_found(id, format!("the thread {id} was forgotten")),
            false => not_registered(id),
        }
        .into())
    }

    /// As [`named`](Self::named), where the database may not exist yet.
    pub(crate) fn registered(state: &State, id: &str) -> Result<Self> {
        let found = state.read(|connection| ThreadRow::named(connection, id).map(Some))?;
        found.ok_or_else(|| not_registered(id))
    }

    /// The id of a thread that `id` names: itself, or the only one that begins with it.
    ///
    /// # Errors
    /// `Conflict` if several begin with it.
    pub(crate) fn whole_id(state: &State, id: &str) -> Result<String> {
        let sql = "SELECT id FROM thread WHERE substr(id, 1, length(?1)) = ?1
             UNION SELECT thread_id FROM forgotten WHERE thread_id = ?1";
        let ids: Vec<String> = state.read(|connection| all(connection, sql, [id], |row| row.get(0)))?;
        Ok(named(id, ids.iter().map(String::as_str))?.unwrap_or(id).to_owned())
    }

    /// The subject of the job that extracts its memory.
    pub(crate) fn subject(&self) -> Subject<'_> {
        Subject::Thread(self.number, &self.id)
    }

    pub(crate) fn into_thread(self) -> Thread {
        Thread {
            id: self.id,
            rollout_path: self.rollout_path,
            updated_at: time::text(self.updated_at),
            cwd: self.cwd,
            source: self.source,
            git_branch: self.git_branch,
            mode: self.mode,
            archived: self.is_archived,
            forgotten: false,
        }
    }
}

/// True if this thread was forgotten.
pub(crate) fn is_forgotten(connection: &Connection, id: &str) -> Result<bool, Failure> {
    first(connection, "SELECT EXISTS (SELECT 1 FROM forgotten WHERE thread_id = ?1)", [id])
}

/// The fields of a thread that are redacted.
#[derive(Debug, Serialize, Deserialize)]
struct Texts {
    cwd: String,
    source: String,
    git_branch: Option<String>,
}

/// A thread that is ready to be stored.
#[derive(Debug)]
pub(crate) struct SealedThread {
    id: Admitted,
    /// Contains no secret.
    rollout_path: String,
    updated_at: i64,
    texts: Sealed<Texts>,
    repo_hash: Option<String>,
    mode: Option<Mode>,
    is_archived: Option<bool>,
}

impl SealedThread {
    /// Checks and redacts a draft. Nothing is stored.
    ///
    /// # Errors
    /// `ValidationError` naming the field; `SecretRefused`.
    pub(crate) fn new(home: &Home, draft: ThreadDraft, hashes: &mut RepoHashes) -> Result<Self> {
        let id = admit_thread_id(home, "id", &draft.id)?;
        let updated_at = time::parse("updatedAt", &draft.updated_at)?;
        if draft.rollout_path.is_empty() {
            return Err(Error::validation("rolloutPath must not be empty"));
        }
        let rollout_path = absolute(home, draft.rollout_path)?;
        if draft.cwd.len() > MAX_PATH_BYTES {
            return Err(Error::validation(format!("cwd must be at most {MAX_PATH_BYTES} bytes long")));
        }
        let cwd = if draft.cwd.is_empty() { draft.cwd } else { absolute(home, draft.cwd)? };
        let branch = draft.git_branch.as_deref().unwrap_or_default();
        if draft.source.is_empty() || draft.source.len() > MAX_NAME_BYTES {
            return Err(Error::validation(format!("source must be a name of 1 to {MAX_NAME_BYTES} bytes")));
        }
        if branch.len() > MAX_NAME_BYTES {
            return Err(Error::validation(format!("gitBranch must be at most {MAX_NAME_BYTES} bytes long")));
        }
        home.redactor().admit("rolloutPath", &rollout_path)?;
        let repo_hash = hashes.of(home, &cwd);
        let texts = Texts { cwd, source: draft.source, git_branch: draft.git_branch };
        let texts = home.seal(&texts, &["cwd", "source", "git_branch"])?.record()?;
        let (mode, is_archived) = (draft.mode, draft.is_archived);
        Ok(SealedThread { id, rollout_path, updated_at, texts, repo_hash, mode, is_archived })
    }

    pub(crate) fn id(&self) -> &str {
        self.id.as_str()
    }

    pub(crate) fn updated_at(&self) -> i64 {
        self.updated_at
    }

    /// Stores it, unless it was forgotten, and returns it.
    pub(crate) fn store(&self, connection: &Connection, now: i64) -> Result<Thread, Failure> {
        self.store_as(connection, self.mode, now)
    }

    /// As [`store`](Self::store), with this mode.
    fn store_as(&self, connection: &Connection, mode: Option<Mode>, now: i64) -> Result<Thread, Failure> {
        let texts = self.texts.value();
        if is_forgotten(connection, self.id())? {
            return Ok(Thread {
                id: self.id().to_owned(),
                rollout_path: self.rollout_path.clone(),
                updated_at: time::text(self.updated_at),
                cwd: texts.cwd.clone(),
                source: texts.source.clone(),
                git_branch: texts.git_branch.clone(),
                mode: Mode::Disabled,
                archived: self.is_archived.unwrap_or_default(),
                forgotten: true,
            });
        }
        let before = ThreadRow::find(connection, self.id())?;
        let old_mode = before.as_ref().map_or(Mode::default(), |thread| thread.mode);
        let mode = mode.unwrap_or(old_mode);
        let was_archived = before.as_ref().is_some_and(|thread| thread.is_archived);
        let sql =
            "INSERT INTO thread (id, rollout_path, updated_at, cwd, repo_hash, source, git_branch, mode, is_archived,
                 is_missing)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0)
             ON CONFLICT (id) DO UPDATE SET rollout_path = ?2, updated_at = ?3, cwd = ?4,
                 repo_hash = iif(?5 IS NULL AND cwd = ?4, repo_hash, ?5), source = ?6, git_branch = ?7, mode = ?8,
                 is_archived = ?9, is_missing = 0";
        let values = params![
            self.id(),
            self.rollout_path,
            self.updated_at,
            texts.cwd,
            self.repo_hash,
            texts.source,
            texts.git_branch,
            mode.as_str(),
            self.is_archived.unwrap_or(was_archived),
        ];
        execute(connection, sql, values)?;
        let thread = ThreadRow::named(connection, self.id())?;
        if before.is_some() && mode != old_mode {
            mode_changed(connection, &thread)?;
        }
        // Without its transcript, no attempt could succeed.
        if before.is_some_and(|thread| thread.is_missing) {
            jobs::refill(connection, thread.subject(), now)?;
        }
        Ok(thread.into_thread())
    }
}

/// A path that does not depend on the current folder.
fn absolute(home: &Home, path: String) -> Result<String> {
    if Path::new(&path).is_absolute() {
        return Ok(path);
    }
    let path = home.current_folder()?.join(path);
    path.into_os_string().into_string().map_err(|path| {
        Error::validation(format!("{} is not UTF-8; change to another folder", Path::new(&path).display()))
    })
}

/// Checks the id of a thread.
///
/// # Errors
/// `ValidationError` for an id that cannot be the name of a file; `SecretRefused`.
pub(crate) fn admit_thread_id(home: &Home, field: &str, id: &str) -> Result<Admitted> {
    let admitted = home.redactor().admit_id(field, id)?;
    if id.len() > MAX_ID_BYTES {
        return Err(Error::validation(format!("{field} must be at most {MAX_ID_BYTES} bytes long")));
    }
    Ok(admitted)
}

/// The repositories of folders, whatever their branches.
#[derive(Debug, Default)]
pub(crate) struct RepoHashes(HashMap<String, Option<String>>);

impl RepoHashes {
    /// The repository of a folder; `None` if the folder is unknown or gone, or its repository cannot be read.
    pub(crate) fn of(&mut self, home: &Home, cwd: &str) -> Option<String> {
        if cwd.is_empty() {
            return None;
        }
        self.0.entry(cwd.to_owned()).or_insert_with(|| repo_hash(home, Path::new(cwd))).clone()
    }
}

/// The hash of the repository that a folder belongs to, whatever its branch.
pub(crate) fn repo_hash(home: &Home, folder: &Path) -> Option<String> {
    let workspace = Workspace::at(folder).branch_scope(BranchScope::SharedRepo);
    Repo::of(home, &workspace).ok().map(|repo| repo.hash().as_str().to_owned())
}

impl Rollouts {
    pub(crate) const UPSERT_THREAD: &str = "rollouts.upsertThread";

    /// Registers a session, or what changed about it. One that was forgotten is not stored.
    ///
    /// # Errors
    /// `ValidationError` naming the field; `SecretRefused` for an id or a path that looks like a secret;
    /// `LockAcquisitionError`, `Cancelled`, `ParseError`, `FormatTooNew`, `IOError`.
    pub fn upsert_thread(&self, thread: ThreadDraft) -> Result<Thread> {
        self.home.call(Self::UPSERT_THREAD, |home| {
            let sealed = SealedThread::new(home, thread, &mut RepoHashes::default())?;
            let now = time::now(home);
            State::of(home)?.write(|transaction| sealed.store(transaction, now))
        })
    }
}

/// Stores the mode of a thread.
fn store_mode(connection: &Connection, thread: &ThreadRow, mode: Mode) -> Result<(), Failure> {
    let sql = "UPDATE thread SET mode = ?2 WHERE number = ?1";
    execute(connection, sql, params![thread.number, mode.as_str()])?;
    if thread.mode == mode { Ok(()) } else { mode_changed(connection, thread) }
}

/// Makes the consolidation due if one read the output of this thread, or now may.
fn mode_changed(connection: &Connection, thread: &ThreadRow) -> Result<(), Failure> {
    let sql = "SELECT source_updated_at FROM output WHERE number = ?1 AND thread = ?2
         UNION ALL SELECT 0 FROM consolidated WHERE thread_id = ?3 LIMIT 1";
    let values = params![thread.output, thread.number, thread.id];
    let output: Option<i64> = find(connection, sql, values, |row| row.get(0))?;
    output.map_or(Ok(()), |source| jobs::enqueue_consolidation(connection, source))
}

/// The error for a thread that is not registered.
pub(crate) fn not_registered(id: &str) -> Error {
    let (upsert, scan) = (Rollouts::UPSERT_THREAD, Rollouts::SCAN);
    not_found(id, format!("no thread {id} is registered; register it with {upsert} or {scan}"))
}

fn not_found(id: &str, message: String) -> Error {
    Error::new(ErrorKind::NotFound, message).about(id)
}
