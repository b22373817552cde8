//! Contents, folders and commits in the repository beside a memory. No network, no work tree.
//!
//! They are read as those of any repository are (`git::objects`), since they come from anyone and a power failure may have damaged
//! them. libgit2 makes packs of new ones.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use git2::{FileMode, Indexer, ObjectType, Odb, Oid, Repository};
use serde::{Deserialize, Serialize};

use crate::branch::tree::names::is_inside;

use crate::disk::{Disk, Kind};
use crate::error::{Error, ErrorKind, Result};
use crate::git::{ObjectId, ObjectKind, ObjectLimits, ObjectStore, user};
use crate::home::Home;
use crate::repo::git_files;
use crate::safety::GeneratedId;

/// The largest content that is read, in bytes.
const MAX_CONTENT_BYTES: u64 = 256 << 20;
/// The most that a folder of a commit may have: files and folders, folders in each other, and the bytes of its paths and of one
/// folder. A few objects can stand for any number of files.
const MAX_ENTRIES: usize = 100_000;
const MAX_DEPTH: usize = 100;
const MAX_PATH_BYTES: usize = 32 << 20;
const MAX_FOLDER_BYTES: u64 = 32 << 20;
/// The most bytes that its files may have.
const MAX_TREE_BYTES: u64 = 1 << 30;
/// The most bytes of a commit or a tag.
const MAX_COMMIT_BYTES: u64 = 16 << 20;
/// The bounds of objects. What a call reads of them is bounded by what its commits have.
const LIMITS: ObjectLimits = ObjectLimits { object: MAX_CONTENT_BYTES, work: u64::MAX };
/// The mode of a file that is a pack.
const PACK_MODE: u32 = 0o444;
/// The bits of a mode that tell its kind, and the mode of a folder.
const KIND: i32 = 0o170_000;
const FOLDER: i32 = 0o040_000;
/// Reading is not cancelled: what is read is bounded.
const NO_CHECK: fn() -> Result<()> = || Ok(());

/// The folder of the packs in the repository.
pub(crate) const PACKS: &str = "objects/pack";
/// The priority of objects in memory: there are no others.
const IN_MEMORY: i32 = 1;
/// The largest ref, in bytes.
const MAX_REF_BYTES: u64 = 64;
/// How many tags of tags are followed.
const MAX_TAGS: usize = 5;
/// The number of commits of a branch that are fetched to find an earlier one.
pub(crate) const MAX_HISTORY: usize = 1_000;
/// The id of a commit, as 40 hex digits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct CommitId(GeneratedId);

impl CommitId {
    /// Parses 40 hex digits.
    ///
    /// # Errors
    /// `ValidationError` for anything else.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        if text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            let message = "the repository uses SHA-256 for the ids of its commits, which is not supported";
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        let id = GeneratedId::hex(&text.to_ascii_lowercase()).filter(|_| text.len() == 40);
        id.map(CommitId).ok_or_else(|| {
            Error::validation("a commit must be given by its 40 hex digits, as branch.checkout returns them in base")
        })
    }

    /// The digits.
    pub(crate) fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The id as one that can be stored.
    pub(crate) fn id(&self) -> &GeneratedId {
        &self.0
    }

    fn of(id: Oid) -> Result<Self> {
        CommitId::parse(&id.to_string())
    }

    fn oid(&self) -> Result<Oid> {
        Oid::from_str(self.as_str()).map_err(|cause| failed("the id of a commit is invalid", &cause))
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for CommitId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        CommitId::parse(&text).map_err(|refused| serde::de::Error::custom(refused.message()))
    }
}

/// A file, link or submodule of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Item {
    /// The id of its content.
    pub(crate) id: Oid,
    /// Its mode, as git has it.
    pub(crate) mode: i32,
}

impl Item {
    /// A file with this content, whose mode is that of `before` if that is a file too.
    pub(crate) fn file(id: Oid, before: Option<Item>) -> Self {
        let mode = before.filter(Item::is_file).map_or_else(|| FileMode::Blob.into(), |before| before.mode);
        Item { id, mode }
    }

    /// Returns whether it is a file that may be run.
    pub(crate) fn is_executable(&self) -> bool {
        self.is_file() && self.mode & 0o100 != 0
    }

    /// Returns whether it is a regular file, and no link or repository.
    pub(crate) fn is_file(&self) -> bool {
        self.mode & 0o170_000 == 0o100_000
    }
}

/// Everything in the folder of a commit, by path.
pub(crate) type Tree = BTreeMap<String, Item>;

/// The id that a content has, without storing it.
pub(crate) fn id_of(content: &[u8]) -> Result<Oid> {
    Oid::hash_object(ObjectType::Blob, content).map_err(|cause| failed("a content cannot be hashed", &cause))
}

/// The repository.
pub(crate) struct Objects {
    path: PathBuf,
    disk: Arc<Disk>,
    stored: RefCell<ObjectStore<'static>>,
    /// The objects that are in memory only, in order.
    pending: RefCell<Pending>,
    /// The files of packs that are not known to be durable.
    written: RefCell<Vec<PathBuf>>,
}

/// New objects.
#[derive(Default)]
struct Pending {
    order: Vec<Oid>,
    all: HashMap<Oid, (ObjectType, Rc<[u8]>)>,
}

impl Objects {
    /// Opens the repository at `path`.
    pub(crate) fn open(disk: &Arc<Disk>, path: &Path) -> Objects {
        Objects {
            stored: RefCell::new(ObjectStore::open(&path.join("objects"), LIMITS, &NO_CHECK)),
            path: path.to_owned(),
            disk: Arc::clone(disk),
            pending: RefCell::default(),
            written: RefCell::default(),
        }
    }

    /// Its git directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// An object of this kind; `None` if the repository lacks it.
    ///
    /// # Errors
    /// `GitError` for one that is damaged, larger than `limit`, or of another kind.
    fn object(&self, id: Oid, kind: ObjectType, limit: u64) -> Result<Option<Rc<[u8]>>> {
        if let Some((found, content)) = self.pending.borrow().all.get(&id) {
            return if *found == kind { Ok(Some(Rc::clone(content))) } else { Err(self.damaged(id)) };
        }
        let mut stored = self.stored.borrow_mut();
        let raw = raw(id);
        loop {
            if stored.size(&raw)?.is_some_and(|size| size > limit) {
                let message = format!("the object {id} of {} has more than {limit} bytes", self.path.display());
                return Err(Error::new(ErrorKind::Git, message).about(id.to_string()));
            }
            if let Some((found, content)) = stored.read(&raw)? {
                let is_it = type_of(found) == kind && Oid::hash_object(kind, &content).is_ok_and(|hash| hash == id);
                return if is_it { Ok(Some(content)) } else { Err(self.damaged(id)) };
            }
            if stored.contains(&raw) {
                return Err(self.damaged(id));
            }
            // git may have added it.
            if !stored.refresh() {
                return Ok(None);
            }
        }
    }

    fn damaged(&self, id: Oid) -> Error {
        let message = format!(
            "the object {id} of {} is damaged; remove that folder, and the next call makes another",
            self.path.display()
        );
        Error::new(ErrorKind::Git, message).at(&self.path)
    }

    /// The text of a commit; `None` if the repository lacks it.
    fn commit_of(&self, id: &CommitId) -> Result<Option<Rc<[u8]>>> {
        self.object(id.oid()?, ObjectType::Commit, MAX_COMMIT_BYTES)
    }

    /// Returns whether the repository has a commit or a tag of this id, which may be damaged.
    pub(crate) fn has_commit(&self, id: &str) -> bool {
        Oid::from_str(id).is_ok_and(|id| self.has(id))
    }

    /// Adds the objects of a pack of another repository. Returns whether that is intact; its index need not be.
    pub(crate) fn add_pack(&self, pack: &Path) -> bool {
        let folder = self.path.join(PACKS);
        let add = || {
            let mut source = self.disk.read_foreign_from(pack, 0).ok()??;
            let mut indexer = Indexer::new(None, &folder, PACK_MODE, false).ok()?;
            std::io::copy(&mut source, &mut indexer).ok()?;
            indexer.commit().ok()
        };
        let name = add();
        let files = name.iter().flat_map(|name| ["pack", "idx"].map(|extension| pack_file(&folder, name, extension)));
        self.written.borrow_mut().extend(files);
        self.stored.borrow_mut().refresh();
        name.is_some()
    }

    /// Adds the objects in the packs of the repository at `path` that can be read.
    ///
    /// # Errors
    /// `GitError` if they cannot be stored.
    pub(crate) fn add_all(&self, path: &Path) -> Result<()> {
        let mut others = ObjectStore::open(&path.join("objects"), LIMITS, &NO_CHECK);
        for raw in others.packed_ids() {
            let Some((kind, content)) = others.read(&raw)? else { continue };
            let kind = type_of(kind);
            // What is damaged has another id.
            let id = Oid::hash_object(kind, &content).ok().filter(|id| id.as_bytes() == raw);
            if id.is_some_and(|id| !self.has(id)) {
                self.store(kind, &content)?;
            }
        }
        Ok(())
    }

    /// The commit that a ref names; `None` if there is none.
    pub(crate) fn reference(&self, name: &str) -> Result<Option<CommitId>> {
        let text = self.disk.read_if_there(&self.path.join(name), MAX_REF_BYTES)?;
        text.map(|text| CommitId::parse(String::from_utf8_lossy(&text).trim_end())).transpose()
    }

    /// The kind of an object that is not a commit; `None` for a commit, and for one that the repository lacks.
    ///
    /// # Errors
    /// `Cancelled`.
    pub(crate) fn other_kind(&self, id: &CommitId) -> Result<Option<&'static str>> {
        let raw = raw(id.oid()?);
        let mut stored = self.stored.borrow_mut();
        loop {
            if let Some((kind, _)) = stored.read(&raw)? {
                return Ok(Some(type_of(kind)).filter(|kind| *kind != ObjectType::Commit).map(|kind| kind.str()));
            }
            // git may have added it.
            if !stored.refresh() {
                return Ok(None);
            }
        }
    }

    /// The folder of a commit; `None` if the repository lacks it.
    ///
    /// # Errors
    /// `GitError` for a path that could lead out of a folder, or is not UTF-8; for more than a memory may have; for a damaged
    /// repository.
    pub(crate) fn tree(&self, commit: &CommitId) -> Result<Option<Tree>> {
        let Some(text) = self.commit_of(commit)? else { return Ok(None) };
        let tree = field(&text, "tree").and_then(|id| Oid::from_str(&id).ok());
        let Some(tree) = tree else { return Err(self.damaged(commit.oid()?)) };
        let refused = |what: &str| {
            let message = format!("the commit {commit} {what}; remove it with git");
            Error::new(ErrorKind::Git, message).about(commit.as_str())
        };
        let (mut found, mut count, mut bytes_of_paths) = (Tree::new(), 0, 0);
        let mut folders = vec![(String::new(), 0, tree)];
        while let Some((folder, depth, id)) = folders.pop() {
            if depth > MAX_DEPTH {
                return Err(refused(&format!("has a folder {folder:?} that is too deep for a memory")));
            }
            let Some(bytes) = self.object(id, ObjectType::Tree, MAX_FOLDER_BYTES)? else { return Ok(None) };
            let mut rest = &*bytes;
            while !rest.is_empty() {
                let Some((mode, name, id)) = entry(&mut rest) else { return Err(self.damaged(id)) };
                let name_in_utf8 = std::str::from_utf8(name).ok().filter(|name| is_inside(name));
                let Some(name) = name_in_utf8 else {
                    let path = format!("{folder}{}", String::from_utf8_lossy(name));
                    return Err(refused(&format!("has the path {path:?}, which no folder can hold")));
                };
                let path = format!("{folder}{name}");
                (count, bytes_of_paths) = (count + 1, bytes_of_paths + path.len());
                if count > MAX_ENTRIES || bytes_of_paths > MAX_PATH_BYTES {
                    return Err(refused(&format!("has more than {MAX_ENTRIES} files and folders, or very long paths")));
                }
                match mode & KIND {
                    FOLDER => folders.push((format!("{path}/"), depth + 1, id)),
                    _ => drop(found.insert(path, Item { id, mode })),
                }
            }
        }
        Ok(Some(found))
    }

    /// The folder of a commit that was fetched.
    pub(crate) fn fetched_tree(&self, commit: &CommitId) -> Result<Tree> {
        let tree = self.tree(commit)?.ok_or_else(|| {
            let message = format!("git fetched the commit {commit}, but the repository does not have it; try again");
            Error::new(ErrorKind::Git, message).about(commit.as_str()).mark_retryable()
        })?;
        // One content may have many names.
        let mut total = 0_u64;
        for (path, item) in tree.iter().filter(|(_, item)| item.is_file()) {
            let size = self.size(item)?;
            total = total.saturating_add(size);
            if size > MAX_CONTENT_BYTES || total > MAX_TREE_BYTES {
                let message = format!(
                    "the commit {commit} has {path:?} with {size} bytes; at most {MAX_CONTENT_BYTES} are read, and {MAX_TREE_BYTES} of all its files; remove it with git"
                );
                return Err(Error::new(ErrorKind::Git, message).about(commit.as_str()));
            }
        }
        Ok(tree)
    }

    /// The content of a file.
    pub(crate) fn content(&self, id: Oid) -> Result<Vec<u8>> {
        let content = self.object(id, ObjectType::Blob, MAX_CONTENT_BYTES)?;
        content.map(|content| content.to_vec()).ok_or_else(|| self.missing(id))
    }

    /// The size of a file, in bytes.
    pub(crate) fn size(&self, item: &Item) -> Result<u64> {
        if let Some((_, content)) = self.pending.borrow().all.get(&item.id) {
            return Ok(content.len() as u64);
        }
        let mut stored = self.stored.borrow_mut();
        loop {
            if let Some(size) = stored.size(&raw(item.id))? {
                return Ok(size);
            }
            if !stored.refresh() {
                return Err(self.missing(item.id));
            }
        }
    }

    fn missing(&self, id: Oid) -> Error {
        let message = format!(
            "the object {id} is missing in {}; remove that folder, and the next call makes another",
            self.path.display()
        );
        Error::new(ErrorKind::Git, message).at(&self.path)
    }

    /// Returns whether an object is stored, as far as that is known without looking for new packs.
    pub(crate) fn has(&self, id: Oid) -> bool {
        self.pending.borrow().all.contains_key(&id) || self.stored.borrow().contains(&raw(id))
    }

    /// Stores an object in memory, until [`write_out`](Self::write_out).
    fn store(&self, kind: ObjectType, content: &[u8]) -> Result<Oid> {
        let id = Oid::hash_object(kind, content).map_err(|cause| failed_at(&self.path, &cause))?;
        let mut pending = self.pending.borrow_mut();
        if pending.all.insert(id, (kind, content.into())).is_none() {
            pending.order.push(id);
        }
        Ok(id)
    }

    /// Stores a content.
    pub(crate) fn write(&self, content: &[u8]) -> Result<Oid> {
        self.store(ObjectType::Blob, content)
    }

    /// Stores a commit of this tree, whose contents are stored.
    pub(crate) fn commit(
        &self,
        tree: &Tree,
        parent: Option<&CommitId>,
        author: &Author,
        message: &str,
    ) -> Result<CommitId> {
        let paths: Vec<(&str, Item)> = tree.iter().map(|(path, item)| (&**path, *item)).collect();
        let tree = self.write_folder(&paths)?;
        let parent = parent.map(|parent| format!("parent {parent}\n")).unwrap_or_default();
        let author = author.line();
        let text = format!("tree {tree}\n{parent}author {author}\ncommitter {author}\n\n{message}");
        self.store(ObjectType::Commit, text.as_bytes()).and_then(CommitId::of)
    }

    /// Stores a tag of a commit, and returns its id.
    pub(crate) fn tag(&self, name: &str, commit: &CommitId, author: &Author, message: &str) -> Result<CommitId> {
        let text = format!("object {commit}\ntype commit\ntag {name}\ntagger {}\n\n{message}", author.line());
        self.store(ObjectType::Tag, text.as_bytes()).and_then(CommitId::of)
    }

    /// The tags of snapshots that were fetched.
    pub(crate) fn tags(&self) -> Result<Vec<Tag>> {
        let mut tags = Vec::new();
        let mut folders = vec![String::new()];
        while let Some(folder) = folders.pop() {
            let place = self.path.join(TAGS).join(&folder);
            for (name, stat) in self.disk.entries(&place)? {
                let name = format!("{folder}{}", name.to_string_lossy());
                if stat.kind == Kind::Folder {
                    folders.push(format!("{name}/"));
                } else if let Some(id) = self.reference(&format!("{TAGS}{name}"))? {
                    tags.extend(self.tag_of(name, id)?);
                }
            }
        }
        Ok(tags)
    }

    /// The tag that a ref leads to; `None` if that is of something other than a commit, which another program may have tagged.
    fn tag_of(&self, name: String, id: CommitId) -> Result<Option<Tag>> {
        let (mut commit, mut tagged) = (id.clone(), None);
        for _ in 0..MAX_TAGS {
            if let Ok(Some(text)) = self.commit_of(&commit) {
                let seconds = tagged.or_else(|| seconds(&text, "committer")).unwrap_or_default();
                return Ok(Some(Tag { name, id, commit, seconds }));
            }
            let Ok(Some(text)) = self.object(commit.oid()?, ObjectType::Tag, MAX_COMMIT_BYTES) else { return Ok(None) };
            tagged = tagged.or_else(|| seconds(&text, "tagger"));
            let Some(next) = field(&text, "object").and_then(|id| CommitId::parse(&id).ok()) else { return Ok(None) };
            commit = next;
        }
        Ok(None)
    }

    /// Writes what was stored in memory, as one pack: git sees nothing of it before.
    pub(crate) fn write_out(&self) -> Result<()> {
        let mut pending = self.pending.borrow_mut();
        if pending.order.is_empty() {
            return Ok(());
        }
        let folder = self.path.join(PACKS);
        let write = || {
            let repository = Repository::from_odb(Odb::new()?)?;
            let objects = repository.odb()?;
            objects.add_new_mempack_backend(IN_MEMORY).map(drop)?;
            let mut pack = repository.packbuilder()?;
            pack.set_threads(1);
            for (kind, content) in pending.order.iter().filter_map(|id| pending.all.get(id)) {
                pack.insert_object(objects.write(*kind, content)?, None)?;
            }
            pack.write(&folder, 0)?;
            Ok(pack.name()?.unwrap_or_default().to_owned())
        };
        let name = write().map_err(|cause: git2::Error| failed_at(&self.path, &cause))?;
        *pending = Pending::default();
        let files = ["pack", "idx"].map(|extension| pack_file(&folder, &name, extension));
        self.written.borrow_mut().extend(files);
        self.stored.borrow_mut().refresh();
        Ok(())
    }

    /// Writes what was stored in memory. Returns the files that are not known to be durable, and were not returned
    /// before.
    pub(crate) fn written_files(&self) -> Result<Vec<PathBuf>> {
        self.write_out()?;
        Ok(self.written.take())
    }

    /// Stores a folder with these paths, which are sorted, and those below it.
    fn write_folder(&self, paths: &[(&str, Item)]) -> Result<Oid> {
        let mut entries = Vec::new();
        let mut rest = paths;
        while let [(path, item), ..] = rest {
            let Some((name, _)) = path.split_once('/') else {
                entries.push((path.to_string(), item.mode, *path, item.id));
                rest = rest.get(1..).unwrap_or_default();
                continue;
            };
            let below = |path: &str| path.strip_prefix(name).and_then(|path| path.strip_prefix('/')).is_some();
            let count = rest.iter().take_while(|(path, _)| below(path)).count();
            let (within, behind) = rest.split_at(count);
            let within: Vec<(&str, Item)> =
                within.iter().map(|(path, item)| (path.get(name.len() + 1..).unwrap_or_default(), *item)).collect();
            // git sorts a folder as if its name ended with a slash.
            entries.push((format!("{name}/"), FOLDER, name, self.write_folder(&within)?));
            rest = behind;
        }
        entries.sort();
        let bytes = |(_, mode, name, id): &(String, i32, &str, Oid)| {
            [format!("{mode:o} {name}\0").as_bytes(), id.as_bytes()].concat()
        };
        self.store(ObjectType::Tree, &entries.iter().flat_map(bytes).collect::<Vec<_>>())
    }

    /// The first parent and the message of a commit; `None` if the repository lacks it.
    pub(crate) fn details(&self, commit: &CommitId) -> Result<Option<(Option<CommitId>, String)>> {
        let Some(text) = self.commit_of(commit)? else { return Ok(None) };
        let parent = field(&text, "parent").map(|parent| CommitId::parse(&parent)).transpose()?;
        let message = memchr::memmem::find(&text, b"\n\n").and_then(|end| text.get(end + 2..)).unwrap_or_default();
        Ok(Some((parent, String::from_utf8_lossy(message).into_owned())))
    }
}

/// The value of the first line of a commit or a tag that begins with this name.
fn field(text: &[u8], name: &str) -> Option<String> {
    let mut lines = text.split(|byte| *byte == b'\n').take_while(|line| !line.is_empty());
    let value = lines.find_map(|line| line.strip_prefix(name.as_bytes())?.strip_prefix(b" "))?;
    Some(String::from_utf8_lossy(value).into_owned())
}

/// The time in such a line.
fn seconds(text: &[u8], name: &str) -> Option<i64> {
    field(text, name)?.rsplit(' ').nth(1)?.parse().ok()
}

/// The next entry of a folder: its mode, name and id.
fn entry<'t>(rest: &mut &'t [u8]) -> Option<(i32, &'t [u8], Oid)> {
    let (mode, behind) = rest.split_at_checked(memchr::memchr(b' ', rest)?)?;
    let mode = i32::from_str_radix(std::str::from_utf8(mode).ok()?, 8).ok()?;
    let behind = behind.get(1..)?;
    let (name, behind) = behind.split_at_checked(memchr::memchr(0, behind)?)?;
    let (id, behind) = behind.get(1..)?.split_first_chunk::<20>()?;
    *rest = behind;
    Some((mode, name, Oid::from_bytes(id).ok()?))
}

fn raw(id: Oid) -> ObjectId {
    id.as_bytes().try_into().unwrap_or_default()
}

fn type_of(kind: ObjectKind) -> ObjectType {
    match kind {
        ObjectKind::Commit => ObjectType::Commit,
        ObjectKind::Tree => ObjectType::Tree,
        ObjectKind::Blob => ObjectType::Blob,
        ObjectKind::Tag => ObjectType::Tag,
    }
}

/// The tag of a snapshot.
#[derive(Debug)]
pub(crate) struct Tag {
    pub(crate) name: String,
    /// The id of the tag itself.
    pub(crate) id: CommitId,
    pub(crate) commit: CommitId,
    /// When it was made, in seconds since 1970.
    pub(crate) seconds: i64,
}

/// The refs of the tags of snapshots that were fetched.
pub(crate) const TAGS: &str = "refs/loopmem/snapshots/";

/// The author of a commit, and its time.
#[derive(Debug, Clone)]
pub(crate) struct Author {
    pub(crate) name: String,
    pub(crate) email: String,
    /// Seconds since 1970.
    pub(crate) seconds: i64,
}

impl Author {
    /// The author in a commit.
    fn line(&self) -> String {
        format!("{} <{}> {} +0000", self.name, self.email, self.seconds)
    }

    /// The user that git's configuration or environment names, or else loopmem.
    pub(crate) fn of(home: &Home) -> Author {
        // A broken configuration is no reason to fail.
        let (name, email) = user(&git_files(home)).unwrap_or_default();
        let clean = |text: Option<String>| {
            let text = text.unwrap_or_default();
            let text: String = text.chars().filter(|c| !c.is_control() && !"<>".contains(*c)).collect();
            Some(text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        let clean = |text| clean(text).map(|text| home.redactor().scrub(&text).into_owned());
        Author {
            name: clean(name).unwrap_or_else(|| "loopmem".to_owned()),
            email: clean(email).unwrap_or_else(|| "loopmem@localhost".to_owned()),
            seconds: i64::try_from(home.milliseconds() / 1_000).unwrap_or(0),
        }
    }
}

/// A file of the pack of this name.
fn pack_file(folder: &Path, name: &str, extension: &str) -> PathBuf {
    folder.join(format!("pack-{name}.{extension}"))
}

fn failed(what: &str, cause: &git2::Error) -> Error {
    Error::new(ErrorKind::Git, what).because(cause.message())
}

fn failed_at(path: &Path, cause: &git2::Error) -> Error {
    let what = format!(
        "the repository {} cannot be used; if it is damaged, remove it: the next call makes another",
        path.display()
    );
    failed(&what, cause).at(path)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "the test runs git in a folder of its own")]
mod tests {
    use proptest::prelude::*;
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;

    use super::*;
    use crate::disk::RealFs;

    /// libgit2 ends the process for some damage.
    #[test]
    fn any_damage_of_a_pack_or_its_index_is_survived() {
        let folder = tempfile::tempdir().unwrap();
        let git = |args: &[&str]| {
            let who = ["-c", "user.name=t", "-c", "user.email=t@localhost"];
            let git =
                std::process::Command::new("git").args(who).args(args).current_dir(folder.path()).output().unwrap();
            assert!(git.status.success(), "{args:?}");
            String::from_utf8(git.stdout).unwrap().trim().to_owned()
        };
        git(&["init", "-q", "-b", "main"]);
        for number in 0..4 {
            let text: String =
                (0..200).map(|line| format!("{line} {}\n", if line == number { "x" } else { "" })).collect();
            std::fs::write(folder.path().join("file"), text).unwrap();
            std::fs::write(folder.path().join(format!("file {number}")), format!("{number}")).unwrap();
            git(&["add", "-A"]);
            git(&["commit", "-qm", "one more"]);
        }
        let head = CommitId::parse(&git(&["rev-parse", "HEAD"])).unwrap();
        git(&["gc", "-q"]);
        let packs = folder.path().join(".git").join(PACKS);
        let files = std::fs::read_dir(&packs).unwrap().map(|entry| entry.unwrap().path());
        let files: Vec<PathBuf> =
            files.filter(|path| path.extension().is_some_and(|it| it == "idx" || it == "pack")).collect();
        assert_eq!(files.len(), 2);
        let read = || {
            let disk = Arc::new(Disk::new(Arc::new(RealFs), folder.path()));
            let objects = Objects::open(&disk, &folder.path().join(".git"));
            let mut commit = Some(head.clone());
            let mut count = 0;
            while let Some(id) = commit {
                for item in objects.tree(&id).ok().flatten().iter().flat_map(Tree::values) {
                    count += usize::from(objects.content(item.id).is_ok());
                }
                commit = objects.details(&id).ok().flatten().and_then(|(parent, _)| parent);
            }
            count
        };
        let all = read();
        assert_eq!(all, 2 + 3 + 4 + 5);
        let mut runner = TestRunner::deterministic();
        for path in files {
            let bytes = std::fs::read(&path).unwrap();
            std::fs::remove_file(&path).unwrap();
            for _ in 0..400 {
                let (at, bit) = (0..bytes.len(), 0..8_u8).new_tree(&mut runner).unwrap().current();
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                std::fs::write(&path, damaged).unwrap();
                read();
            }
            std::fs::write(&path, bytes).unwrap();
        }
        assert_eq!(read(), all);
    }
}
