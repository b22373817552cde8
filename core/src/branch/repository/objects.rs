//! Contents, folders and commits in the repository beside a memory, read and written with libgit2. No network, no work
//! tree.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use git2::{
    ErrorCode, FileMode, ObjectType, OdbLookupFlags, Oid, Repository, RepositoryOpenFlags, Signature, Time,
    TreeWalkMode, TreeWalkResult,
};
use serde::{Deserialize, Serialize};

use crate::branch::tree::names::is_inside;

use crate::error::{Error, ErrorKind, Result};
use crate::git::user;
use crate::home::Home;
use crate::repo::git_files;
use crate::safety::GeneratedId;

/// The largest content that is read, in bytes.
const MAX_CONTENT_BYTES: usize = 256 << 20;

/// The folder of the packs in the repository.
pub(crate) const PACKS: &str = "objects/pack";
/// The priority of what is in memory: before what is in files.
const IN_MEMORY: i32 = 1_000;
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
    repository: Repository,
    path: PathBuf,
    /// The objects that are stored in memory only.
    pending: RefCell<Vec<Oid>>,
    /// The files of packs that are not known to be durable.
    written: RefCell<Vec<PathBuf>>,
}

impl Objects {
    /// Opens the repository at `path`; `None` if there is none.
    pub(crate) fn open(path: &Path) -> Result<Option<Objects>> {
        let flags = RepositoryOpenFlags::NO_SEARCH | RepositoryOpenFlags::NO_DOTGIT | RepositoryOpenFlags::BARE;
        let none: [&Path; 0] = [];
        match Repository::open_ext(path, flags, none) {
            Ok(repository) => {
                // New objects stay in memory until `write_out`.
                let in_memory = repository.odb().and_then(|odb| odb.add_new_mempack_backend(IN_MEMORY).map(drop));
                in_memory.map_err(|cause| failed_at(path, &cause))?;
                Ok(Some(Objects {
                    repository,
                    path: path.to_owned(),
                    pending: RefCell::default(),
                    written: RefCell::default(),
                }))
            }
            Err(cause) if cause.code() == ErrorCode::NotFound => Ok(None),
            Err(cause) => Err(failed_at(path, &cause)),
        }
    }

    fn failed(&self, cause: &git2::Error) -> Error {
        failed_at(&self.path, cause)
    }

    /// Its git directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// `None` for an object that does not exist.
    fn found<T>(&self, result: std::result::Result<T, git2::Error>) -> Result<Option<T>> {
        match result {
            Ok(found) => Ok(Some(found)),
            Err(cause) if cause.code() == ErrorCode::NotFound => Ok(None),
            Err(cause) => Err(self.failed(&cause)),
        }
    }

    /// The commit of this id; `None` if the repository lacks it.
    fn commit_of(&self, id: &CommitId) -> Result<Option<git2::Commit<'_>>> {
        self.found(Oid::from_str(id.as_str()).and_then(|id| self.repository.find_commit(id)))
    }

    /// The commit that a ref names; `None` if there is none.
    pub(crate) fn reference(&self, name: &str) -> Result<Option<CommitId>> {
        self.found(self.repository.refname_to_id(name))?.map(CommitId::of).transpose()
    }

    /// The folder of a commit; `None` if the repository lacks it.
    ///
    /// # Errors
    /// `GitError` for a path that could lead out of a folder, or is not UTF-8; for a damaged repository.
    pub(crate) fn tree(&self, commit: &CommitId) -> Result<Option<Tree>> {
        let Some(tree) = self.commit_of(commit)?.map(|commit| commit.tree()) else { return Ok(None) };
        let Some(tree) = self.found(tree)? else { return Ok(None) };
        let mut found = Tree::new();
        let mut hostile = None;
        let walked = tree.walk(TreeWalkMode::PreOrder, |folder, entry| {
            // The name of the folder before was checked when it was met.
            let name = std::str::from_utf8(entry.name_bytes()).ok().filter(|name| is_inside(name));
            let Some(name) = name else {
                hostile = Some(format!("{folder}{}", String::from_utf8_lossy(entry.name_bytes())));
                return TreeWalkResult::Abort;
            };
            if entry.kind() != Some(ObjectType::Tree) {
                found.insert(format!("{folder}{name}"), Item { id: entry.id(), mode: entry.filemode() });
            }
            TreeWalkResult::Ok
        });
        match (hostile, walked) {
            (Some(path), _) => {
                let message =
                    format!("the commit {commit} has the path {path:?}, which no folder can hold; remove it with git");
                Err(Error::new(ErrorKind::Git, message).about(commit.as_str()))
            }
            (None, Err(cause)) => Err(self.failed(&cause)),
            (None, Ok(())) => Ok(Some(found)),
        }
    }

    /// The folder of a commit that was fetched.
    pub(crate) fn fetched_tree(&self, commit: &CommitId) -> Result<Tree> {
        self.tree(commit)?.ok_or_else(|| {
            let message = format!("git fetched the commit {commit}, but the repository does not have it; try again");
            Error::new(ErrorKind::Git, message).about(commit.as_str()).mark_retryable()
        })
    }

    /// The content of a file.
    pub(crate) fn content(&self, id: Oid) -> Result<Vec<u8>> {
        let blob = self.repository.find_blob(id).map_err(|cause| self.failed(&cause))?;
        if blob.size() > MAX_CONTENT_BYTES {
            let message =
                format!("a file on the branch has {} bytes; at most {MAX_CONTENT_BYTES} are read", blob.size());
            return Err(Error::new(ErrorKind::Git, message).about(id.to_string()));
        }
        Ok(blob.content().to_vec())
    }

    /// The size of a file, in bytes.
    pub(crate) fn size(&self, item: &Item) -> Result<u64> {
        let header = self.repository.odb().and_then(|odb| odb.read_header(item.id));
        header.map(|(size, _)| size as u64).map_err(|cause| self.failed(&cause))
    }

    /// Returns whether a content is stored, as far as that is known without looking for new packs.
    pub(crate) fn has(&self, id: Oid) -> bool {
        self.repository.odb().is_ok_and(|odb| odb.exists_ext(id, OdbLookupFlags::NO_REFRESH))
    }

    /// Stores a content.
    pub(crate) fn write(&self, content: &[u8]) -> Result<Oid> {
        let stored = self.repository.blob(content).map(|id| self.noted(id));
        stored.map_err(|cause| self.failed(&cause))
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
        let commit = || {
            let tree = self.repository.find_tree(self.write_folder(&paths)?)?;
            let parent =
                parent.map(|parent| self.repository.find_commit(Oid::from_str(parent.as_str())?)).transpose()?;
            let time = Time::new(author.seconds, 0);
            let signature = Signature::new(&author.name, &author.email, &time)?;
            let parents: Vec<_> = parent.iter().collect();
            self.repository.commit(None, &signature, &signature, message, &tree, &parents).map(|id| self.noted(id))
        };
        commit().map_err(|cause| self.failed(&cause)).and_then(CommitId::of)
    }

    /// Stores a tag of a commit, and returns its id.
    pub(crate) fn tag(&self, name: &str, commit: &CommitId, author: &Author, message: &str) -> Result<CommitId> {
        let tag = || {
            let target = self.repository.find_object(Oid::from_str(commit.as_str())?, Some(ObjectType::Commit))?;
            let tagger = Signature::new(&author.name, &author.email, &Time::new(author.seconds, 0))?;
            self.repository.tag_annotation_create(name, &target, &tagger, message).map(|id| self.noted(id))
        };
        tag().map_err(|cause| self.failed(&cause)).and_then(CommitId::of)
    }

    /// The tags of snapshots that were fetched.
    pub(crate) fn tags(&self) -> Result<Vec<Tag>> {
        let failed = |cause: git2::Error| self.failed(&cause);
        let mut tags = Vec::new();
        for reference in self.repository.references_glob(&format!("{TAGS}*")).map_err(failed)? {
            let reference = reference.map_err(failed)?;
            let name = String::from_utf8_lossy(reference.name_bytes()).into_owned();
            let Some(name) = name.strip_prefix(TAGS) else { continue };
            // Another program may have tagged something else.
            let Ok(commit) = reference.peel_to_commit() else { continue };
            let tagged =
                reference.peel_to_tag().ok().and_then(|tag| tag.tagger().map(|tagger| tagger.when().seconds()));
            let seconds = tagged.unwrap_or_else(|| commit.time().seconds());
            let Some(id) = reference.target() else { continue };
            tags.push(Tag {
                name: name.to_owned(),
                id: CommitId::of(id)?,
                commit: CommitId::of(commit.id())?,
                seconds,
            });
        }
        Ok(tags)
    }

    /// Writes what was stored in memory, as one pack: git sees nothing of it before.
    pub(crate) fn write_out(&self) -> Result<()> {
        let mut pending = self.pending.borrow_mut();
        if pending.is_empty() {
            return Ok(());
        }
        let folder = self.path.join(PACKS);
        let write = || {
            let mut pack = self.repository.packbuilder()?;
            pack.set_threads(1);
            pending.iter().try_for_each(|id| pack.insert_object(*id, None))?;
            pack.write(&folder, 0)?;
            Ok(format!("pack-{}", pack.name()?.unwrap_or_default()))
        };
        let name = write().map_err(|cause| self.failed(&cause))?;
        pending.clear();
        let files = ["pack", "idx"].map(|extension| folder.join(&name).with_extension(extension));
        self.written.borrow_mut().extend(files);
        Ok(())
    }

    /// Writes what was stored in memory. Returns the files that are not known to be durable, and were not returned
    /// before.
    pub(crate) fn written_files(&self) -> Result<Vec<PathBuf>> {
        self.write_out()?;
        Ok(self.written.take())
    }

    /// Stores a folder with these paths, which are sorted, and those below it.
    fn write_folder(&self, paths: &[(&str, Item)]) -> std::result::Result<Oid, git2::Error> {
        let mut builder = self.repository.treebuilder(None)?;
        let mut rest = paths;
        while let [(path, item), ..] = rest {
            let Some((name, _)) = path.split_once('/') else {
                builder.insert(path, item.id, item.mode)?;
                rest = rest.get(1..).unwrap_or_default();
                continue;
            };
            let below = |path: &str| path.strip_prefix(name).and_then(|path| path.strip_prefix('/')).is_some();
            let count = rest.iter().take_while(|(path, _)| below(path)).count();
            let (within, behind) = rest.split_at(count);
            let within: Vec<(&str, Item)> =
                within.iter().map(|(path, item)| (path.get(name.len() + 1..).unwrap_or_default(), *item)).collect();
            builder.insert(name, self.write_folder(&within)?, FileMode::Tree.into())?;
            rest = behind;
        }
        builder.write().map(|id| self.noted(id))
    }

    fn noted(&self, id: Oid) -> Oid {
        self.pending.borrow_mut().push(id);
        id
    }

    /// The first parent and the message of a commit; `None` if the repository lacks it.
    pub(crate) fn details(&self, commit: &CommitId) -> Result<Option<(Option<CommitId>, String)>> {
        let Some(commit) = self.commit_of(commit)? else { return Ok(None) };
        let message = String::from_utf8_lossy(commit.message_bytes()).into_owned();
        // From the header: libgit2 leaves out the parents of commits that were shallow when it opened the repository.
        let header = String::from_utf8_lossy(commit.raw_header_bytes()).into_owned();
        let parent = header.lines().find_map(|line| line.strip_prefix("parent "));
        Ok(Some((parent.map(CommitId::parse).transpose()?, message)))
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
