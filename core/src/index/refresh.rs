//! Brings the index of a work tree up to date: only what has changed is read, and only contents that no repository of this
//! home has had are parsed.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::entry::{self, Entry};
use super::postings::{MAX_FILES, Posting, Postings, packed};
use super::scan::{Language, Scanner, Split, term_hash};
use super::segment::{ContentKey, Place, Segment, SegmentWriter, content_key};
use super::table::{ContentRow, FileRow, Table};
use super::{Refreshed, repo_map};
use crate::disk::{Kind, Mode, Stamp};
use crate::error::Result;
use crate::git::{Files, Repository, tracked_paths};
use crate::home::Home;
use crate::ranking::Analyzer;
use crate::repo::Repo;
use crate::safety::Redactor;

/// Larger files are listed, but not read.
pub(super) const MAX_FILE_BYTES: u64 = 1 << 20;
/// The maximum number of files.
const MAX_FILES_IN_TREE: usize = 100_000;
/// How many bytes are searched for a NUL, which text does not have.
const BINARY_CHECK: usize = 8 << 10;
/// The lists are made again when so many files are not in them, or a tenth of all.
const MAX_UNLISTED: usize = 200;
/// How many segments a home has before they are merged.
const MAX_SEGMENTS: usize = 24;

/// The index of a work tree, up to date.
#[derive(Debug)]
pub(super) struct Snapshot {
    pub(super) top: PathBuf,
    pub(super) table: Table,
    pub(super) segments: Vec<Segment>,
    pub(super) postings: Option<Postings>,
}

impl Snapshot {
    /// The entry of a file; `None` if it has none.
    pub(super) fn entry(&self, content: &ContentRow) -> Option<Entry<'_>> {
        Entry::read(self.segments.get(content.segment as usize)?.entry(content.place)?)
    }
}

/// The paths of the files of an index.
struct Paths {
    table: PathBuf,
    lists: PathBuf,
    map: PathBuf,
    segments: PathBuf,
}

/// Which files and folders a work tree has.
struct Structure {
    paths: Vec<Vec<u8>>,
    folders: Vec<(Box<[u8]>, Stamp)>,
    watched: Vec<Option<Stamp>>,
    is_cut: bool,
}

/// Splits identifiers into the terms that prompts are searched by.
struct Terms(Analyzer);

impl Split for Terms {
    fn split(&mut self, identifier: &str, emit: &mut dyn FnMut(&str)) {
        self.0.each_term(identifier, emit);
    }
}

/// One refresh.
pub(super) struct Refresh<'r> {
    home: &'r Home,
    top: PathBuf,
    paths: Paths,
    report: Refreshed,
    /// Whether the same files are there as at the last refresh.
    is_same_structure: bool,
}

impl<'r> Refresh<'r> {
    pub(super) fn new(repo: &'r Repo, top: &Path) -> Self {
        let home = repo.home();
        let folder = home.layout().indexes(repo.hash());
        let paths = Paths {
            table: folder.join("files"),
            lists: folder.join("terms"),
            map: folder.join("repo-map.json"),
            segments: home.layout().segments(),
        };
        Refresh { home, top: top.to_owned(), paths, report: Refreshed::default(), is_same_structure: false }
    }

    /// The index, brought up to date. `check` is called often, and may end it.
    ///
    /// # Errors
    /// Those of `check`; `LockAcquisitionError`.
    pub(super) fn run(mut self, check: &dyn Fn() -> Result<()>) -> Result<(Snapshot, Refreshed)> {
        let loaded = self.load();
        if let Some(snapshot) = self.if_current(loaded, check)? {
            return Ok((snapshot, self.report));
        }
        // Of two processes, one works; the other one then finds the index up to date. Without the lock, as in a home that
        // cannot be written to, both work.
        let timeout = self.home.config().lock_timeout;
        let guard = self.home.disk().lock(&self.paths.table, Mode::Exclusive, self.home.wait_options(), timeout);
        let _guard = match guard {
            Err(error) if error.retryable() => return Err(error),
            Err(error) if error.kind() == crate::error::ErrorKind::Cancelled => return Err(error),
            guard => guard.ok(),
        };
        (self.report, self.is_same_structure) = (Refreshed::default(), false);
        let loaded = self.load();
        match self.if_current(loaded, check)? {
            Some(snapshot) => Ok((snapshot, self.report)),
            None => self.rebuild(check),
        }
    }

    /// Forgets the index of the last refresh, which is damaged.
    pub(super) fn forget(&self) {
        let disk = self.home.disk();
        let _ = disk.write_derived(&self.paths.table, &[]);
        for name in self.segment_names() {
            let path = self.paths.segments.join(name);
            if disk.map_derived(&path).and_then(Segment::of).is_none_or(|segment| !segment.is_intact()) {
                let _ = disk.write_derived(&path, &[]);
            }
        }
    }

    /// The names of all segments of the home.
    fn segment_names(&self) -> Vec<String> {
        let entries = self.home.disk().entries(&self.paths.segments).unwrap_or_default();
        let names = entries.into_iter().filter_map(|(name, _)| name.into_string().ok());
        names.filter(|name| name.ends_with(".entries")).collect()
    }

    /// The index of the last refresh; `None` if there is none, or it is damaged.
    fn load(&self) -> Option<Snapshot> {
        let disk = self.home.disk();
        let table = Table::read(&disk.map_derived(&self.paths.table)?)?;
        let mut segments = Vec::with_capacity(table.segments.len());
        for name in &table.segments {
            segments.push(Segment::of(disk.map_derived(&self.paths.segments.join(name))?)?);
        }
        let postings = match table.ordinals {
            0 => None,
            _ => {
                let postings = Postings::of(disk.map_derived(&self.paths.lists)?)?;
                (postings.digest() == table.lists).then_some(postings)
            }
        };
        if table.ordinals > 0 && postings.is_none() {
            return None;
        }
        Some(Snapshot { top: self.top.clone(), table, segments, postings })
    }

    /// The index if nothing has changed since.
    fn if_current(&mut self, loaded: Option<Snapshot>, check: &dyn Fn() -> Result<()>) -> Result<Option<Snapshot>> {
        let Some(snapshot) = loaded else { return Ok(None) };
        self.is_same_structure = self.has_same_structure(&snapshot.table, check)?;
        if !self.is_same_structure {
            return Ok(None);
        }
        let paths = snapshot.table.files.iter().map(|file| &*file.path);
        let stamps = self.home.disk().stamps(&self.top, Kind::File, paths, check)?;
        let is_current = |(file, stamp): (&FileRow, &Option<Stamp>)| {
            stamp.is_some_and(|stamp| stamp == file.stamp && stamp.is_certain())
        };
        if !snapshot.table.files.iter().zip(&stamps).all(is_current) {
            return Ok(None);
        }
        self.report.files = snapshot.table.files.len();
        self.report.reused = snapshot.table.files.iter().filter(|file| file.content.is_some()).count();
        Ok(Some(snapshot))
    }

    /// Whether the same files are there, whatever their contents.
    fn has_same_structure(&self, table: &Table, check: &dyn Fn() -> Result<()>) -> Result<bool> {
        let disk = self.home.disk();
        if self.watched() != table.watched {
            return Ok(false);
        }
        let paths = table.folders.iter().map(|(path, _)| &**path);
        let stamps = disk.stamps(&self.top, Kind::Folder, paths, check)?;
        let is_same = |((_, old), new): (&(Box<[u8]>, Stamp), &Option<Stamp>)| {
            // Its size and its inode depend on the file system.
            new.is_some_and(|new| new == *old && new.is_certain())
        };
        Ok(table.folders.iter().zip(&stamps).all(is_same))
    }

    /// Makes the index anew from what is known of it and the files that have changed.
    fn rebuild(self, check: &dyn Fn() -> Result<()>) -> Result<(Snapshot, Refreshed)> {
        let disk = self.home.disk();
        let old = self.load();
        let (table, segments, postings) = match old {
            Some(old) => (old.table, old.segments, old.postings),
            None => (Table::default(), Vec::new(), None),
        };
        let Structure { paths, folders, watched, is_cut } = self.structure(&table, check)?;
        let stamps = disk.stamps(&self.top, Kind::File, paths.iter().map(Vec::as_slice), check)?;
        let known: HashMap<Box<[u8]>, (Stamp, Option<ContentRow>)> =
            table.files.into_iter().map(|file| (file.path, (file.stamp, file.content))).collect();
        let mut contents = Contents::new(&self, table.segments, segments);
        let mut report = Refreshed::default();
        let mut files = Vec::with_capacity(paths.len());
        for (path, stamp) in paths.into_iter().zip(stamps) {
            check()?;
            let Some(stamp) = stamp else { continue };
            let before = known.get(&*path).copied();
            let content = match before {
                Some((old, content)) if old == stamp && stamp.is_certain() => {
                    report.reused += usize::from(content.is_some());
                    content
                }
                before => {
                    let content = contents.of_file(&self, &path, stamp, &mut report);
                    // A file that was only touched stays in the lists.
                    let ordinal =
                        before.and_then(|(_, old)| old).filter(|old| Some(old.key) == content.map(|it| it.key));
                    content.map(|content| ContentRow { ordinal: ordinal.and_then(|old| old.ordinal), ..content })
                }
            };
            files.push(FileRow { path: path.into(), stamp, content });
        }
        report.files = files.len();
        report.removed = known.len().saturating_sub(files.iter().filter(|file| known.contains_key(&file.path)).count());
        let (lists, ordinals) = (table.lists, table.ordinals);
        let (names, segments) = contents.finish(&self);
        let table = Table { files, folders, watched, segments: names, lists, ordinals, is_cut };
        let mut snapshot = Snapshot { top: self.top.clone(), table, segments, postings };
        self.merge(&mut snapshot);
        self.list(&mut snapshot);
        // A home that cannot be written to has no index on disk.
        let _ = disk.write_derived(&self.paths.table, &snapshot.table.written());
        Ok((snapshot, report))
    }

    /// Which files and folders there are. The work tree is walked unless it has the structure of `table`.
    fn structure(&self, table: &Table, check: &dyn Fn() -> Result<()>) -> Result<Structure> {
        if self.is_same_structure {
            return Ok(Structure {
                paths: table.files.iter().map(|file| file.path.to_vec()).collect(),
                folders: table.folders.clone(),
                watched: table.watched.clone(),
                is_cut: table.is_cut,
            });
        }
        let disk = self.home.disk();
        // Looked at before the walk, so that a change meanwhile is noticed the next time.
        let watched = self.watched();
        let walked = disk.walk(&self.top, MAX_FILES_IN_TREE, check)?;
        let folders = walked.folders.iter().map(Vec::as_slice);
        let stamps = disk.stamps(&self.top, Kind::Folder, folders, check)?;
        let folders = walked.folders.into_iter().zip(stamps);
        let mut structure = Structure {
            folders: folders.filter_map(|(path, stamp)| Some((path.into(), stamp?))).collect(),
            paths: self.with_tracked(walked.files),
            watched,
            is_cut: walked.is_cut,
        };
        self.retain_admitted(&mut structure);
        Ok(structure)
    }

    /// Merges the segments if there are too many, and removes those that no index of the home uses any more.
    fn merge(&self, snapshot: &mut Snapshot) {
        if snapshot.segments.len() <= MAX_SEGMENTS {
            return;
        }
        let disk = self.home.disk();
        let mut writer = SegmentWriter::new();
        let mut moved = HashMap::new();
        for content in snapshot.table.files.iter().filter_map(|file| file.content) {
            let bytes = snapshot.segments.get(content.segment as usize).and_then(|it| it.entry(content.place));
            if let (Some(bytes), false) = (bytes, moved.contains_key(&content.key)) {
                let Some(place) = writer.add(content.key, bytes) else { return };
                moved.insert(content.key, place);
            }
        }
        let (name, bytes) = writer.finish();
        let path = self.paths.segments.join(&name);
        if disk.write_derived(&path, &bytes).is_err() {
            return;
        }
        let Some(segment) = disk.map_derived(&path).and_then(Segment::of) else { return };
        for content in snapshot.table.files.iter_mut().filter_map(|file| file.content.as_mut()) {
            if let Some(place) = moved.get(&content.key) {
                (content.segment, content.place) = (0, *place);
            }
        }
        (snapshot.table.segments, snapshot.segments) = (vec![name.clone()], vec![segment]);
        let mut used = vec![name];
        for (repo, _) in disk.entries(&self.home.layout().repos()).unwrap_or_default() {
            let table = self.home.layout().repos().join(repo).join("indexes").join("files");
            if table != self.paths.table
                && let Some(table) = disk.map_derived(&table).and_then(|bytes| Table::read(&bytes))
            {
                used.extend(table.segments);
            }
        }
        for name in self.segment_names().into_iter().filter(|name| !used.contains(name)) {
            // An index that still wants it is made again.
            disk.remove_derived(&self.paths.segments.join(name));
        }
    }

    /// Makes the lists again if too many files are not in them.
    fn list(&self, snapshot: &mut Snapshot) {
        let contents = || snapshot.table.files.iter().filter_map(|file| file.content.as_ref());
        let (all, unlisted) = (contents().count(), contents().filter(|content| content.ordinal.is_none()).count());
        let dead = (snapshot.table.ordinals as usize).saturating_sub(all - unlisted);
        let most = MAX_UNLISTED.min(all / 10);
        if snapshot.postings.is_some() && unlisted.max(dead) <= most || all == 0 || all >= MAX_FILES as usize {
            return;
        }
        let mut postings = Vec::new();
        let mut ordinals = 0;
        let rows: Vec<Option<ContentRow>> = snapshot.table.files.iter().map(|file| file.content).collect();
        for (row, content) in rows.into_iter().enumerate() {
            let Some(content) = content else { continue };
            let Some(entry) = snapshot.entry(&content) else { continue };
            let (file, start) = (ordinals, postings.len());
            let posting = |(hash, count, is_defined): (u32, u32, bool)| {
                packed(hash, Posting { file, count: u8::try_from(count).unwrap_or(u8::MAX), is_defined })
            };
            postings.extend(entry.counts().map_while(|count| count.map(posting)));
            if postings.len() - start < entry.hashes().count() {
                postings.truncate(start);
                continue;
            }
            ordinals += 1;
            if let Some(content) = &mut snapshot.table.files[row].content {
                content.ordinal = Some(file);
            }
        }
        let bytes = super::postings::written(postings);
        let disk = self.home.disk();
        let is_written = disk.write_derived(&self.paths.lists, &bytes).is_ok();
        let mapped = is_written.then(|| disk.map_derived(&self.paths.lists)).flatten();
        let postings = mapped.and_then(Postings::of).or_else(|| Postings::of(std::sync::Arc::new(bytes)));
        snapshot.table.lists = postings.as_ref().map_or(0, Postings::digest);
        snapshot.table.ordinals = ordinals;
        snapshot.postings = postings;
        let _ = disk.write_derived(&self.paths.map, &repo_map::written(snapshot));
    }

    /// Leaves out paths with secrets, or with what the user's patterns match: they cannot be stored.
    fn retain_admitted(&self, structure: &mut Structure) {
        let redactor = self.home.redactor();
        let is_clean = |text: &str| matches!(redactor.scrub(text), Cow::Borrowed(_));
        let all: Vec<_> = structure.paths.iter().map(|path| String::from_utf8_lossy(path)).collect();
        if is_clean(&all.join("\n")) {
            return;
        }
        structure.paths.retain(|path| is_clean(&String::from_utf8_lossy(path)));
        structure.folders.retain(|(path, _)| is_clean(&String::from_utf8_lossy(path)));
    }

    /// What decides, besides the folders, which files there are.
    fn watched(&self) -> Vec<Option<Stamp>> {
        let disk = self.home.disk();
        let environment = self.home.git_environment();
        let user = environment.user_folder();
        let configured = environment.get_nonempty("XDG_CONFIG_HOME").map(PathBuf::from);
        let configured = configured.or_else(|| Some(user.as_ref()?.join(".config")));
        let of_user = user.map(|user| user.join(".gitconfig")).into_iter();
        let of_user = of_user.chain(configured.map(|folder| folder.join("git").join("ignore")));
        let of_repository =
            self.git_dir().into_iter().flat_map(|git| [git.join("index"), git.join("info").join("exclude")]);
        let paths = of_repository.chain(of_user);
        paths.map(|path| disk.stamp_of(&path)).collect()
    }

    /// The git directory of the work tree, if there is one.
    fn git_dir(&self) -> Option<PathBuf> {
        let disk = self.home.disk();
        let deadline = disk.work_deadline(self.home.wait_options(), self.home.config().lock_timeout);
        let files = Files::new(disk, deadline, self.home.git_environment());
        // The repository was identified before, so that an error here is no news.
        let repository = Repository::discover(&files, &self.top).ok()??;
        Some(repository.git_dir().to_owned())
    }

    /// The files and those that git tracks although it would ignore them, sorted.
    fn with_tracked(&self, files: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let Some(git) = self.git_dir() else { return files };
        let Ok(Some(index)) = self.home.disk().read_foreign(&git.join("index"), MAX_INDEX_BYTES) else { return files };
        let mut all = files;
        let tracked: Vec<Vec<u8>> = tracked_paths(&index, SHA1_BYTES)
            .or_else(|| tracked_paths(&index, SHA256_BYTES))
            .into_iter()
            .flatten()
            .filter(|path| all.binary_search(path).is_err())
            .collect();
        if !tracked.is_empty() && all.len() + tracked.len() <= MAX_FILES_IN_TREE {
            all.extend(tracked);
            all.sort_unstable();
            all.dedup();
        }
        all
    }
}

/// The length of an object id.
const SHA1_BYTES: usize = 20;
const SHA256_BYTES: usize = 32;
/// The largest index of git that is read.
const MAX_INDEX_BYTES: u64 = 256 << 20;

/// Looks contents up, and parses those that are new.
struct Contents {
    names: Vec<String>,
    segments: Vec<Segment>,
    /// Whether the segments are all that the home has, and not only those that the index uses.
    is_complete: bool,
    /// The contents that were parsed now.
    parsed: HashMap<ContentKey, Place>,
    writer: SegmentWriter,
    scanner: Scanner<Terms>,
    analyzer: Analyzer,
    redactor: Redactor,
}

impl Contents {
    fn new(refresh: &Refresh<'_>, names: Vec<String>, segments: Vec<Segment>) -> Self {
        Contents {
            names,
            segments,
            is_complete: false,
            parsed: HashMap::new(),
            writer: SegmentWriter::new(),
            scanner: Scanner::new(Terms(Analyzer::default())),
            analyzer: Analyzer::default(),
            redactor: refresh.home.redactor().clone(),
        }
    }

    /// The content of a file, parsed if it is not known.
    fn of_file(
        &mut self,
        refresh: &Refresh<'_>,
        path: &[u8],
        stamp: Stamp,
        report: &mut Refreshed,
    ) -> Option<ContentRow> {
        if stamp.size > MAX_FILE_BYTES {
            return None;
        }
        let text = refresh.home.disk().read_in_work_tree(&refresh.top, path, MAX_FILE_BYTES)?;
        if memchr::memchr(0, &text[..text.len().min(BINARY_CHECK)]).is_some() {
            return None;
        }
        let language = Language::of_path(path);
        let key = content_key(language.name(), &text);
        if let Some(known) = self.find(refresh, key) {
            report.reused += 1;
            return Some(known);
        }
        report.parsed += 1;
        let mut scanned = self.scanner.scan(language, &text);
        self.redact(&mut scanned.definitions);
        let mut names: Vec<u32> = Vec::new();
        for definition in &scanned.definitions {
            self.analyzer.each_term(&definition.name, |term| names.push(term_hash(term)));
        }
        names.sort_unstable();
        let bytes = entry::written(&scanned, |hash| names.binary_search(&hash).is_ok());
        let place = self.writer.add(key, &bytes)?;
        let segment = u32::try_from(self.segments.len()).ok()?;
        self.parsed.insert(key, place);
        Some(ContentRow { key, segment, place, words: scanned.words, ordinal: None })
    }

    /// Replaces secrets in what is stored as text.
    fn redact(&self, definitions: &mut [super::scan::Definition]) {
        let texts: Vec<&str> = definitions.iter().flat_map(|it| [it.name.as_str(), it.signature.as_str()]).collect();
        if matches!(self.redactor.scrub(&texts.join("\n")), Cow::Borrowed(_)) {
            return;
        }
        for definition in definitions {
            definition.name = self.redactor.scrub(&definition.name).into_owned();
            definition.signature = self.redactor.scrub(&definition.signature).into_owned();
        }
    }

    /// A content that was parsed before.
    fn find(&mut self, refresh: &Refresh<'_>, key: ContentKey) -> Option<ContentRow> {
        if let Some(place) = self.parsed.get(&key).copied() {
            let words = Entry::read(self.writer.entry(place)?)?.words();
            let segment = u32::try_from(self.segments.len()).ok()?;
            return Some(ContentRow { key, segment, place, words, ordinal: None });
        }
        if !self.is_complete {
            self.is_complete = true;
            for name in refresh.segment_names() {
                if self.names.contains(&name) {
                    continue;
                }
                let mapped = refresh.home.disk().map_derived(&refresh.paths.segments.join(&name));
                if let Some(segment) = mapped.and_then(Segment::of) {
                    self.names.push(name);
                    self.segments.push(segment);
                }
            }
        }
        (0_u32..).zip(&self.segments).find_map(|(number, segment)| {
            let place = segment.find(key)?;
            let words = Entry::read(segment.entry(place)?)?.words();
            Some(ContentRow { key, segment: number, place, words, ordinal: None })
        })
    }

    /// Writes the new contents, and returns the segments with their names.
    fn finish(mut self, refresh: &Refresh<'_>) -> (Vec<String>, Vec<Segment>) {
        if !self.writer.is_empty() {
            let (name, bytes) = self.writer.finish();
            let (disk, path) = (refresh.home.disk(), refresh.paths.segments.join(&name));
            let is_written = disk.write_derived(&path, &bytes).is_ok();
            let mapped = is_written.then(|| disk.map_derived(&path)).flatten();
            let segment = mapped.and_then(Segment::of).or_else(|| Segment::of(std::sync::Arc::new(bytes)));
            if let Some(segment) = segment {
                self.names.push(name);
                self.segments.push(segment);
            }
        }
        (self.names, self.segments)
    }
}
