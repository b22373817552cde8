//! The format of an archive: lines of JSON, one for each record, either as they are or as the files of a tar file.
//!
//! An archive may come from anyone. Before anything is brought from it, all of it is read and checked here: sizes, names and
//! kinds of files, and the versions of records. A line that is damaged is skipped and counted.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::disk::{refuse_newer, without_mark};
use crate::error::{Error, ErrorKind, Result};
use crate::home::{Home, RepoHash};
use crate::room::{Owner, Portable};
use crate::rooms;
use crate::tarball::{self, Compression, content, most_unpacked};

/// The room of what is stored of a repository in every room.
pub(super) const REPO: &str = "repo";
/// The version of the records of [`REPO`].
const REPO_VERSION: u64 = 1;
/// The newest version of the format that this version of loopmem reads.
const NEWEST: u64 = 1;
/// The first file of a tar file, whose line is the first of a file of lines too.
const HEADER: &str = "archive.json";
/// What the member `loopmem` of the header says.
const NAME: &str = "archive";
const MAX_HEADER: u64 = 64 << 10;
/// The most records of an archive, which are in memory together.
const MAX_RECORDS: usize = 500_000;
/// The most bytes of all of them: reading an archive takes several times as much memory.
const MAX_LENGTH: u64 = 192 << 20;
/// The largest file, with the header and the names of a tar file.
const MAX_FILE: u64 = MAX_LENGTH + (32 << 20);

/// How an archive is written, which the ending of its path selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Tar,
    Lines,
}

impl Form {
    fn of(path: &Path) -> Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match () {
            () if name.ends_with(".tar.zst") => Ok(Form::Tar),
            () if name.ends_with(".jsonl") => Ok(Form::Lines),
            () => {
                let message = format!("path must end in .tar.zst or .jsonl, got {}", path.display());
                Err(Error::validation(message).at(path))
            }
        }
    }
}

/// Checks that a path has the ending of an archive.
///
/// # Errors
/// `ValidationError`.
pub(super) fn check_ending(path: &Path) -> Result<()> {
    Form::of(path).map(drop)
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Header<'h> {
    #[serde(borrow)]
    loopmem: Cow<'h, str>,
    schema_version: u64,
    /// How many lines follow, so that one that was cut off is not taken for a whole one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    records: Option<u64>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'l> {
    #[serde(borrow)]
    room: Cow<'l, str>,
    /// The version of the room's records.
    v: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repo_hash: Option<RepoHash>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    folder: Option<Cow<'l, str>>,
    #[serde(borrow)]
    kind: Cow<'l, str>,
    #[serde(borrow)]
    record: &'l RawValue,
}

/// The records of one room.
pub(super) struct OfRoom {
    pub(super) room: Cow<'static, str>,
    pub(super) version: u64,
    pub(super) records: Vec<Portable>,
}

/// The version of the records of what belongs to a repository in every room.
pub(super) fn of_repos(records: Vec<Portable>) -> OfRoom {
    OfRoom { room: REPO.into(), version: REPO_VERSION, records }
}

/// The file of a tar file that a record is in.
fn file_of(room: &str, repo: Option<&RepoHash>) -> String {
    repo.map_or_else(|| format!("{room}.jsonl"), |hash| format!("repos/{hash}/{room}.jsonl"))
}

/// Whether a tar file may have a file of this name.
fn is_file_of_archive(name: &str) -> bool {
    let room = match name.strip_prefix("repos/").and_then(|rest| rest.split_once('/')) {
        Some((hash, room)) if RepoHash::parse(hash).is_ok_and(|it| it.as_str() == hash) => room,
        Some(_) => return false,
        None => name,
    };
    let room = room.strip_suffix(".jsonl").unwrap_or_default();
    !room.is_empty() && room.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Writes an archive of these records. The same records give the same bytes.
///
/// # Errors
/// `ValidationError` if there are too many of them.
pub(super) fn write(home: &Home, path: &Path, rooms: &[OfRoom]) -> Result<Vec<u8>> {
    let failed = |cause: &dyn std::fmt::Display| Error::internal("an archive cannot be written").because(cause);
    let check = home.cancel_check();
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let (mut count, mut length) = (0_usize, 0_u64);
    for OfRoom { room, version, records } in rooms {
        for portable in records {
            check()?;
            let (repo_hash, folder) = match &portable.owner {
                Owner::Home => (None, None),
                Owner::Repo(hash) => (Some(hash.clone()), None),
                Owner::Folder(folder) => (None, Some(folder.to_string_lossy())),
            };
            let file = files.entry(file_of(room, repo_hash.as_ref())).or_default();
            let (room, kind) = (Cow::Borrowed(&**room), Cow::Borrowed(&*portable.kind));
            let line = Line { room, v: *version, repo_hash, folder, kind, record: &portable.record };
            let before = file.len();
            serde_json::to_writer(&mut *file, &line).map_err(|cause| failed(&cause))?;
            file.push(b'\n');
            (count, length) = (count + 1, length + (file.len() - before) as u64);
            if count > MAX_RECORDS || length > MAX_LENGTH {
                let message = format!(
                    "an archive holds {MAX_RECORDS} records and {MAX_LENGTH} bytes, and here are more; export some of the \
                     repositories with repoHashes (--repo-hash)"
                );
                return Err(Error::validation(message));
            }
        }
    }
    let header = Header { loopmem: NAME.into(), schema_version: NEWEST, records: Some(count as u64) };
    let mut first = serde_json::to_vec(&header).map_err(|cause| failed(&cause))?;
    first.push(b'\n');
    match Form::of(path)? {
        Form::Lines => Ok([first].into_iter().chain(files.into_values()).flatten().collect()),
        Form::Tar => {
            let lines = files.iter().map(|(name, content)| (name.clone(), &**content));
            let entries = std::iter::once((HEADER.to_owned(), &*first)).chain(lines);
            let bytes = tarball::pack(Compression::Zstd, entries).map_err(|cause| failed(&cause))?;
            let most = most_unpacked(bytes.len() as u64);
            if length > most {
                let message = format!(
                    "the records have {length} bytes and an archive of them {}, which unpacks to at most {most}; write a .jsonl",
                    bytes.len()
                );
                return Err(Error::validation(message).at(path));
            }
            Ok(bytes)
        }
    }
}

/// Refuses to replace a file that is no archive.
///
/// # Errors
/// `ValidationError`, `IOError`.
pub(super) fn refuse_to_replace(home: &Home, path: &Path) -> Result<()> {
    if !home.disk().has_entry(path) {
        return Ok(());
    }
    let bytes = home.disk().read_foreign(path, MAX_FILE).ok().flatten().unwrap_or_default();
    let is_archive = match Form::of(path)? {
        Form::Lines => header(path, bytes.split(|byte| *byte == b'\n').next().unwrap_or_default()).is_ok(),
        Form::Tar => header_of_tar(path, &bytes).is_ok(),
    };
    if is_archive {
        return Ok(());
    }
    let message = format!("{} exists and is not an archive of loopmem; choose another path", path.display());
    Err(Error::validation(message).at(path))
}

/// An archive that was read.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// The records of each room, in their order.
    pub(super) rooms: BTreeMap<&'static str, Vec<Portable>>,
    /// How many lines are damaged.
    pub(super) skipped: usize,
    count: u64,
}

/// Reads an archive and checks what it is made of.
///
/// # Errors
/// `NotFound`; `ParseError` for anything but an archive; `FormatTooNew`; `IOError`, `Cancelled`.
pub(super) fn read(home: &Home, path: &Path) -> Result<Contents> {
    let form = Form::of(path)?;
    let read = home.disk().read_foreign(path, MAX_FILE).map_err(|cause| match cause.kind() {
        io::ErrorKind::FileTooLarge => refused(path, &format!("it has more than {MAX_FILE} bytes")),
        _ => Error::io("read", path, &cause),
    })?;
    let bytes = read.ok_or_else(|| {
        let message = format!("there is no archive {}; archive.export writes one", path.display());
        Error::new(ErrorKind::NotFound, message).at(path)
    })?;
    let mut contents = Contents::default();
    let header = match form {
        Form::Lines => {
            let end = memchr::memchr(b'\n', &bytes).unwrap_or(bytes.len());
            let header = header(path, &bytes[..end])?;
            contents.add(home, path, bytes.get(end + 1..).unwrap_or_default(), None)?;
            header
        }
        Form::Tar => {
            let failed = |cause: io::Error| refused(path, "it cannot be read").because(cause);
            let header = header_of_tar(path, &bytes)?;
            let mut tar = tarball::open(Compression::Zstd, &bytes).map_err(failed)?;
            let mut seen = BTreeSet::new();
            let mut length = 0_u64;
            for entry in tar.entries().map_err(failed)?.skip(1) {
                let mut entry = entry.map_err(failed)?;
                let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
                let shown = || home.redactor().quote(&name);
                if !entry.header().entry_type().is_file() {
                    return Err(refused(path, &format!("{} is not a file", shown())));
                }
                if !is_file_of_archive(&name) {
                    return Err(refused(path, &format!("{} is no file of one", shown())));
                }
                if !seen.insert(name.clone()) {
                    return Err(refused(path, &format!("{} is in it twice", shown())));
                }
                let lines = content(&mut entry, MAX_LENGTH - length).map_err(failed)?;
                length += lines.len() as u64;
                if length > MAX_LENGTH {
                    return Err(refused(path, &format!("it unpacks to more than {MAX_LENGTH} bytes")));
                }
                contents.add(home, path, &lines, Some(&name))?;
            }
            header
        }
    };
    if header.is_some_and(|records| contents.count < records) {
        return Err(refused(path, "it is not complete: it has fewer records than its header says"));
    }
    Ok(contents)
}

/// The number of records that the header in a line says; `None` if it says none.
fn header(path: &Path, line: &[u8]) -> Result<Option<u64>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Version<'h> {
        #[serde(borrow)]
        loopmem: Cow<'h, str>,
        #[serde(borrow)]
        schema_version: &'h RawValue,
    }
    let invalid = |_| refused(path, "it does not begin with the header of one");
    let line = without_mark(line).trim_ascii();
    let version: Version<'_> = serde_json::from_slice(line).map_err(invalid)?;
    if version.loopmem != NAME {
        return Err(refused(path, "it does not begin with the header of one"));
    }
    refuse_newer(path, "schemaVersion", version.schema_version.get(), NEWEST)?;
    let header: Header<'_> = serde_json::from_slice(line).map_err(invalid)?;
    Ok(header.records)
}

fn header_of_tar(path: &Path, bytes: &[u8]) -> Result<Option<u64>> {
    let failed = |cause: io::Error| refused(path, "it cannot be read").because(cause);
    let mut tar = tarball::open(Compression::Zstd, bytes).map_err(failed)?;
    let mut entries = tar.entries().map_err(failed)?;
    let mut first = entries.next().ok_or_else(|| refused(path, "it is empty"))?.map_err(failed)?;
    if first.path_bytes().as_ref() != HEADER.as_bytes() || !first.header().entry_type().is_file() {
        return Err(refused(path, "it does not begin with the header of one"));
    }
    header(path, &content(&mut first.by_ref().take(MAX_HEADER), MAX_HEADER).map_err(failed)?)
}

impl Contents {
    /// Adds the lines of a file, which are all of the one room and repository that its name says.
    fn add(&mut self, home: &Home, path: &Path, lines: &[u8], file: Option<&str>) -> Result<()> {
        let check = home.cancel_check();
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
            check()?;
            self.count += 1;
            if self.count > MAX_RECORDS as u64 {
                return Err(refused(path, &format!("it has more than {MAX_RECORDS} records")));
            }
            let Ok(line) = serde_json::from_slice::<Line<'_>>(line) else {
                self.skipped += 1;
                continue;
            };
            let known = rooms::archived().map(|room| (room.name(), room.version()));
            let mut known = known.chain(std::iter::once((REPO, REPO_VERSION)));
            let Some((room, version)) = known.find(|(name, _)| *name == line.room) else {
                let message = format!(
                    "{}: it has records of {}, which this loopmem cannot bring; update loopmem; nothing was changed",
                    path.display(),
                    home.redactor().quote(&line.room)
                );
                return Err(Error::new(ErrorKind::FormatTooNew, message).at(path));
            };
            refuse_newer(path, "v", &line.v.to_string(), version)?;
            if file.is_some_and(|file| file != file_of(room, line.repo_hash.as_ref())) {
                return Err(refused(path, "a record is in the file of another room or repository"));
            }
            let owner = match (line.repo_hash, line.folder) {
                (Some(hash), None) => Owner::Repo(hash),
                (None, Some(folder)) if Path::new(&*folder).is_absolute() => Owner::Folder(PathBuf::from(&*folder)),
                (None, None) => Owner::Home,
                (None, Some(_)) | (Some(_), Some(_)) => {
                    self.skipped += 1;
                    continue;
                }
            };
            let portable = Portable { owner, kind: line.kind.into_owned().into(), record: line.record.to_owned() };
            self.rooms.entry(room).or_default().push(portable);
        }
        Ok(())
    }
}

fn refused(path: &Path, what: &str) -> Error {
    let message = format!("{} is not an archive of loopmem: {what}; nothing was changed", path.display());
    Error::new(ErrorKind::Parse, message).at(path)
}
