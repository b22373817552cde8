//! The folder on the disk: what is in it, and changes under its lock.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::path::{ROOT, ToolPath};
use crate::disk::{Disk, FileChange, Folder, Guard, Kind, Mode, Stat, beside};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::redactions;
use crate::repo::Repo;
use crate::safety::{Form, SealedText, Timestamp};
use crate::trash::Trash;

/// The maximum size of a file, in bytes.
pub(super) const MAX_FILE_BYTES: usize = 16 << 20;
/// How much of a file is read to find its first line, in bytes, and the maximum length of that, in characters.
const BEGINNING: usize = 4_096;
const MAX_FIRST_LINE: usize = 200;

/// What a folder belongs to.
#[derive(Debug, Clone)]
pub(super) enum Place {
    Repo(Repo),
    /// The user.
    Global(Home),
}

/// What is at a path.
pub(super) enum Found {
    Nothing,
    /// Its text, or the error for a file that has none.
    File {
        full: PathBuf,
        stat: Stat,
        text: Result<String>,
    },
    Folder {
        full: PathBuf,
        size: u64,
    },
    /// A device or the like.
    Other,
}

/// A file of the folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FileEntry {
    /// Its path, which begins with `/memories/`.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was changed last, RFC 3339 in UTC.
    pub modified_at: String,
    /// Its first line that is not empty, at most 200 characters; null if it has none, or is not text in UTF-8.
    pub first_line: Option<String>,
}

/// A file of the folder, by the path that a model has for it.
pub(super) struct FoundFile {
    pub(super) path: String,
    /// Relative to the folder.
    pub(super) relative: PathBuf,
    pub(super) stat: Stat,
}

impl Place {
    pub(super) fn of_repo(repo: &Repo) -> Self {
        Place::Repo(repo.clone())
    }

    pub(super) fn global(home: &Home) -> Self {
        Place::Global(home.clone())
    }

    pub(super) fn home(&self) -> &Home {
        match self {
            Place::Repo(repo) => repo.home(),
            Place::Global(home) => home,
        }
    }

    fn disk(&self) -> &Disk {
        self.home().disk()
    }

    /// The folder.
    pub(super) fn top(&self) -> PathBuf {
        match self {
            Place::Repo(repo) => repo.home().layout().files(repo.hash()),
            Place::Global(home) => home.layout().global_files(),
        }
    }

    /// Where files are prepared and removed ones are taken apart, beside the folder.
    pub(super) fn staging(&self) -> PathBuf {
        beside(&self.top(), ".staging")
    }

    /// The folder as one that is removed and whose lock files are checked as a whole.
    pub(super) fn whole(&self) -> Folder<'_> {
        Folder::new(self.disk(), self.top(), self.home().config().lock_timeout)
    }

    /// What was removed from it.
    pub(super) fn trash(&self) -> Trash {
        match self {
            Place::Repo(repo) => repo.trash(),
            Place::Global(home) => Trash::at(home, home.layout().global_trash()),
        }
    }

    /// Runs an operation that stores nothing for a repository: see [`Home::call`].
    pub(super) fn call<T>(&self, operation: &str, body: impl FnOnce(&Place) -> Result<T>) -> Result<T> {
        match self {
            Place::Repo(repo) => repo.call(operation, |repo| body(&Place::of_repo(repo))),
            Place::Global(home) => home.call(operation, |home| body(&Place::global(home))),
        }
    }

    /// Runs an operation that stores something.
    pub(super) fn call_write<T>(&self, operation: &str, body: impl FnOnce(&Place) -> Result<T>) -> Result<T> {
        match self {
            Place::Repo(repo) => repo.call_write(operation, |repo| body(&Place::of_repo(repo))),
            Place::Global(_) => self.call(operation, body),
        }
    }

    /// The text of a file as it is stored.
    ///
    /// # Errors
    /// `ValidationError` if it is too long. In a dry run, the error that ends it.
    pub(super) fn seal(&self, path: &ToolPath<'_>, text: &str) -> Result<SealedText> {
        if text.len() > MAX_FILE_BYTES {
            let message = format!("{path} would have {} bytes; at most {MAX_FILE_BYTES} are stored", text.len());
            return Err(Error::validation(message));
        }
        let plain = path.plain();
        let form = match Path::new(&plain).extension().and_then(|it| it.to_str()) {
            Some("json") => Form::Json,
            Some("jsonl") => Form::JsonLines,
            _ => Form::Text,
        };
        let (text, found) = self.home().redactor().seal_file(form, &plain, text);
        redactions::record(found.into_list());
        self.home().end_dry_run()?;
        Ok(text)
    }

    /// Where a path leads. Links between files of the folder are followed, since people may make them.
    ///
    /// # Errors
    /// `ValidationError` if a link leads out of the folder; `IOError`.
    pub(super) fn full(&self, path: &ToolPath<'_>) -> Result<PathBuf> {
        let (top, relative) = (self.top(), path.relative());
        let mut at = top.clone();
        for name in &relative {
            at.push(name);
            match self.disk().stat_plain(&at)?.map(|stat| stat.kind) {
                Some(Kind::Link) => {
                    let target = self.target(&top, &at).ok_or_else(|| {
                        Error::validation(format!("Path {path} would escape {ROOT} directory via symlink"))
                    })?;
                    let behind = at.strip_prefix(&top).ok().and_then(|link| relative.strip_prefix(link).ok());
                    return Ok(behind
                        .filter(|it| !it.as_os_str().is_empty())
                        .map_or(target.clone(), |it| target.join(it)));
                }
                None => break,
                _ => {}
            }
        }
        Ok(top.join(relative))
    }

    /// Where a link leads; `None` if that is nowhere, or out of the folder.
    pub(super) fn target(&self, top: &Path, link: &Path) -> Option<PathBuf> {
        let (root, target) = (self.disk().canonical(top).ok()?, self.disk().canonical(link).ok()?);
        target.strip_prefix(root).ok().map(|relative| top.join(relative))
    }

    /// What is at a path.
    ///
    /// # Errors
    /// Those of [`full`](Self::full).
    pub(super) fn find(&self, path: &ToolPath<'_>) -> Result<Found> {
        let full = self.full(path)?;
        let Some(stat) = self.disk().stat_plain(&full)? else { return Ok(Found::Nothing) };
        Ok(match stat.kind {
            Kind::Folder => Found::Folder { full, size: stat.size },
            Kind::File => {
                let text = self.text(path, &full);
                Found::File { full, stat, text }
            }
            Kind::Link | Kind::Other => Found::Other,
        })
    }

    fn text(&self, path: &ToolPath<'_>, full: &Path) -> Result<String> {
        let top = self.top();
        let relative = full.strip_prefix(&top).unwrap_or(full);
        let bytes = self.disk().read_plain(&top, relative, MAX_FILE_BYTES as u64)?;
        let bytes = bytes.ok_or_else(|| {
            let message = format!("The file {path} no longer exists (may have been deleted or renamed concurrently).");
            Error::new(ErrorKind::NotFound, message)
        })?;
        String::from_utf8(bytes).map_err(|_| Error::validation(format!("The file {path} is not text in UTF-8")))
    }

    /// The file at a path, with its text.
    ///
    /// # Errors
    /// `NotFound`; `ValidationError` for anything but a file of text, and those of [`full`](Self::full).
    pub(super) fn file(&self, path: &ToolPath<'_>) -> Result<(PathBuf, Stat, String)> {
        match self.find(path)? {
            Found::File { full, stat, text } => Ok((full, stat, text?)),
            Found::Nothing => Err(path.missing()),
            _ => Err(Error::validation(format!("The path {path} is not a file."))),
        }
    }

    /// The files at a path and below it, sorted. Links are left out.
    ///
    /// # Errors
    /// `Cancelled`, and those of [`full`](Self::full).
    pub(super) fn files(&self, path: &ToolPath<'_>) -> Result<Vec<FoundFile>> {
        let (top, full) = (self.top(), self.full(path)?);
        let Some(stat) = self.disk().stat_plain(&full)? else { return Ok(Vec::new()) };
        let (mut below, mut files) = (vec![(full, stat)], Vec::new());
        let check = self.home().cancel_check();
        while let Some((full, stat)) = below.pop() {
            check()?;
            match stat.kind {
                Kind::Folder => {
                    let entries = self.disk().entries(&full)?;
                    below.extend(entries.into_iter().map(|(name, stat)| (full.join(name), stat)));
                }
                Kind::File => {
                    let relative = full.strip_prefix(&top).unwrap_or(&full).to_owned();
                    files.push(FoundFile { path: format!("{ROOT}/{}", relative.display()), relative, stat });
                }
                Kind::Link | Kind::Other => {}
            }
        }
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(files)
    }

    /// All files.
    ///
    /// # Errors
    /// Those of [`files`](Self::files).
    pub(super) fn all(&self) -> Result<Vec<FoundFile>> {
        self.files(&ToolPath::parse(self.home(), ROOT)?)
    }

    /// The entries of a folder, sorted by name, with their kinds. The target of a link stands for it; one that leads out of the
    /// folder is left out.
    ///
    /// # Errors
    /// `IOError`.
    pub(super) fn entries(&self, folder: &Path) -> Result<Vec<(OsString, PathBuf, Stat)>> {
        let top = self.top();
        let mut entries = Vec::new();
        for (name, stat) in self.disk().entries(folder)? {
            let full = folder.join(&name);
            if stat.kind != Kind::Link {
                entries.push((name, full, stat));
            } else if let Some(target) = self.target(&top, &full)
                && let Some(stat) = self.disk().stat_plain(&target)?
            {
                entries.push((name, target, stat));
            }
        }
        Ok(entries)
    }

    /// Waits for the lock of the folder, and removes what a crash left.
    ///
    /// # Errors
    /// `LockAcquisitionError`, `Cancelled`, `IOError`.
    pub(super) fn lock(&self) -> Result<Change<'_>> {
        let (home, top) = (self.home(), self.top());
        let guard = home.disk().lock(&top, Mode::Exclusive, home.wait_options(), home.config().lock_timeout)?;
        let staging = self.staging();
        if self.disk().stat(&staging)?.is_some() {
            self.disk().remove_tree(&staging)?;
        }
        Ok(Change { place: self, guard, top, staging })
    }

    /// The text of a file that may have been changed or removed meanwhile; `None` if it is gone or not text in UTF-8.
    ///
    /// # Errors
    /// `IOError`.
    pub(super) fn text_of(&self, file: &FoundFile) -> Result<Option<String>> {
        let bytes = self.disk().read_plain(&self.top(), &file.relative, MAX_FILE_BYTES as u64)?;
        Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
    }
}

impl FoundFile {
    /// When it was changed last, RFC 3339 in UTC.
    pub(super) fn modified_at(&self) -> String {
        let milliseconds = i64::try_from(self.stat.modified / 1_000_000).unwrap_or(i64::MAX);
        Timestamp::from_unix_millis(milliseconds).to_string()
    }

    /// What a list says of it.
    ///
    /// # Errors
    /// `IOError`.
    pub(super) fn entry(self, place: &Place) -> Result<FileEntry> {
        let beginning = place.disk().read_plain_start(&place.top(), &self.relative, BEGINNING)?;
        // Others may have written it.
        let scrub = |text: &str| place.home().redactor().scrub(text).into_owned();
        Ok(FileEntry {
            first_line: beginning.and_then(|bytes| first_line(&bytes, scrub)),
            bytes: self.stat.size,
            modified_at: self.modified_at(),
            path: self.path,
        })
    }
}

/// The first line of a text that is not empty. It is cut after `scrub`, which may not find a part of a secret.
fn first_line(bytes: &[u8], scrub: impl Fn(&str) -> String) -> Option<String> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        // Cut within a character.
        Err(cut) if cut.error_len().is_none() => std::str::from_utf8(bytes.get(..cut.valid_up_to())?).ok()?,
        Err(_) => return None,
    };
    let text = scrub(text);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.chars().take(MAX_FIRST_LINE).collect())
}

/// A change of the folder, which holds its lock.
pub(super) struct Change<'p> {
    place: &'p Place,
    guard: Guard,
    top: PathBuf,
    staging: PathBuf,
}

impl Change<'_> {
    /// Writes a file, durably, unless it is no longer what was `expected`; returns whether it was written.
    ///
    /// # Errors
    /// `ValidationError` if a file is in the place of one of its folders; `IOError`.
    pub(super) fn put(&self, full: &Path, expected: Option<Stat>, text: &SealedText) -> Result<bool> {
        self.put_dated(full, expected, text, None)
    }

    /// As [`put`](Self::put), as a file that was changed last at this time.
    ///
    /// # Errors
    /// Those of [`put`](Self::put).
    pub(super) fn put_dated(
        &self,
        full: &Path,
        expected: Option<Stat>,
        text: &SealedText,
        modified: Option<SystemTime>,
    ) -> Result<bool> {
        self.refuse_file_as_folder(full)?;
        self.guard.confirm()?;
        let contents = Some(text.as_str().as_bytes().to_vec());
        let change = FileChange { path: full.to_owned(), contents, expected, is_executable: false, modified };
        if let Some(above) = self.top.parent() {
            self.place.disk().sync_names(above)?;
        }
        let changed = self.place.disk().change_files(&self.guard, &self.staging, &self.top, &[change])?;
        Ok(changed.is_empty())
    }

    /// Moves a file or a folder, durably; returns whether there was nothing in its new place.
    ///
    /// # Errors
    /// As [`put`](Self::put).
    pub(super) fn rename(&self, from: &Path, to: &Path) -> Result<bool> {
        self.refuse_file_as_folder(to)?;
        self.guard.confirm()?;
        self.place.disk().move_within(&self.guard, &self.top, from, to)
    }

    /// Removes a file or a folder with all that is in it, durably.
    ///
    /// # Errors
    /// `IOError`.
    pub(super) fn remove(&self, full: &Path, is_folder: bool) -> Result<()> {
        let disk = self.place.disk();
        self.guard.confirm()?;
        if !is_folder {
            return disk.remove_text(&self.guard, full);
        }
        // As one step: after a crash, it is wholly there or wholly gone.
        disk.make_folder(&self.staging)?;
        disk.move_new(&self.guard, full, &self.staging.join("removed"))?;
        // The next writer removes what is left.
        let _ = disk.remove_tree(&self.staging);
        Ok(())
    }

    /// The lock.
    pub(super) fn guard(&self) -> &Guard {
        &self.guard
    }

    fn refuse_file_as_folder(&self, full: &Path) -> Result<()> {
        let folders = full.ancestors().skip(1).take_while(|folder| folder.starts_with(&self.top));
        for folder in folders {
            match self.place.disk().stat_plain(folder)? {
                None => {}
                Some(stat) if stat.kind == Kind::Folder => break,
                Some(_) => {
                    let name = folder.strip_prefix(&self.top).unwrap_or(folder).display();
                    return Err(Error::validation(format!("{ROOT}/{name} is a file, and not a directory")));
                }
            }
        }
        Ok(())
    }
}
