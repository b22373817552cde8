//! The last commits of a repository and the files that each of them changed (feature `history`). Nothing is written.

#[cfg(feature = "history")]
use std::collections::{BTreeMap, BinaryHeap, HashSet};
use std::path::Path;

#[cfg(feature = "history")]
use super::objects::{ObjectId, ObjectKind, ObjectLimits, ObjectStore};
use crate::error::Result;

/// A commit that changes more files says nothing about which of them belong together; nor does one that changes more folders.
#[cfg(feature = "history")]
const MAX_CHANGED: usize = 50;
#[cfg(feature = "history")]
const MAX_FOLDERS: usize = 1_000;
/// The largest commit or folder that is read, and all of them, in bytes. A few objects of a repository can stand for any number of
/// files: the history ends where the work does.
#[cfg(feature = "history")]
const LIMITS: ObjectLimits = ObjectLimits { object: 16 << 20, work: 256 << 20 };
/// The most commits that are looked for: one may name any number of parents.
#[cfg(feature = "history")]
const MAX_COMMITS: usize = 10_000;
/// The longest path, in bytes.
#[cfg(feature = "history")]
const MAX_PATH: usize = 4_096;
/// The bits of a mode that tell its kind, and the kinds that are no files.
#[cfg(feature = "history")]
const KIND: u32 = 0o170_000;
#[cfg(feature = "history")]
const FOLDER: u32 = 0o040_000;
#[cfg(feature = "history")]
const SUBMODULE: u32 = 0o160_000;

/// The id of a commit, in hex.
pub(crate) type CommitId = String;

/// What one commit changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) commit: CommitId,
    /// The paths that it added, changed or removed, sorted; none for a merge, a first commit or one that changed very many.
    pub(crate) paths: Vec<Vec<u8>>,
}

/// No commits: reading them is the feature `history`.
///
/// # Errors
/// None.
#[cfg(not(feature = "history"))]
pub(crate) fn recent_changes(
    _common_dir: &Path,
    _head: &str,
    _limit: usize,
    _known: &dyn Fn(&str) -> Option<Vec<Vec<u8>>>,
    _check: &dyn Fn() -> Result<()>,
) -> Result<Option<Vec<Change>>> {
    Ok(None)
}

/// The last commits that lead to `head`, the newest first, at most `limit`; `None` if they cannot be read. The objects are in
/// `common_dir`. The paths of a commit that `known` has are not looked up again.
///
/// # Errors
/// Those of `check`, which is called for each object.
#[cfg(feature = "history")]
pub(crate) fn recent_changes(
    common_dir: &Path,
    head: &str,
    limit: usize,
    known: &dyn Fn(&str) -> Option<Vec<Vec<u8>>>,
    check: &dyn Fn() -> Result<()>,
) -> Result<Option<Vec<Change>>> {
    let mut objects = ObjectStore::open(&common_dir.join("objects"), LIMITS, check);
    let Some(head) = id_of(head.as_bytes()) else { return Ok(None) };
    let Some(first) = commit(&mut objects, &head)? else { return Ok(None) };
    // The latest first; of equal times, in an order that depends on the commits alone.
    let mut ahead = BinaryHeap::from([(first.seconds, head)]);
    let mut read = BTreeMap::from([(head, first)]);
    let mut seen = HashSet::from([head]);
    let mut changes = Vec::new();
    while let Some((_, id)) = ahead.pop().filter(|_| changes.len() < limit) {
        let Some(Commit { tree, parents, .. }) = read.remove(&id) else { continue };
        for parent in &parents {
            // What a shallow or damaged repository lacks is left out.
            if seen.len() < MAX_COMMITS
                && seen.insert(*parent)
                && let Some(found) = commit(&mut objects, parent)?
            {
                ahead.push((found.seconds, *parent));
                read.insert(*parent, found);
            }
        }
        let name = hex(&id);
        let paths = match (known(&name), &*parents) {
            (Some(known), _) => known,
            (None, [parent]) => match read.get(parent).map(|parent| parent.tree) {
                Some(before) => changed(&mut objects, before, tree)?.unwrap_or_default(),
                None => match commit(&mut objects, parent)? {
                    Some(before) => changed(&mut objects, before.tree, tree)?.unwrap_or_default(),
                    None => Vec::new(),
                },
            },
            (None, _) => Vec::new(),
        };
        changes.push(Change { commit: name, paths });
    }
    Ok(Some(changes))
}

/// The part of a commit that counts here.
#[cfg(feature = "history")]
pub(super) struct Commit {
    tree: ObjectId,
    pub(super) parents: Vec<ObjectId>,
    pub(super) seconds: i64,
}

/// A commit; `None` if it cannot be read.
#[cfg(feature = "history")]
pub(super) fn commit(objects: &mut ObjectStore<'_>, id: &ObjectId) -> Result<Option<Commit>> {
    let Some((ObjectKind::Commit, text)) = objects.read(id)? else { return Ok(None) };
    let lines = || text.split(|byte| *byte == b'\n').take_while(|line| !line.is_empty());
    let tree = lines().find_map(|line| id_of(line.strip_prefix(b"tree ")?));
    let parents = lines().filter_map(|line| id_of(line.strip_prefix(b"parent ")?)).collect();
    let committer = lines().find_map(|line| line.strip_prefix(b"committer "));
    let seconds = committer.and_then(|line| std::str::from_utf8(line.rsplit(|byte| *byte == b' ').nth(1)?).ok());
    let seconds = seconds.and_then(|seconds| seconds.parse().ok()).unwrap_or_default();
    Ok(tree.map(|tree| Commit { tree, parents, seconds }))
}

/// The paths that differ between two folders, sorted; `None` if these are too many, or the folders cannot be read.
#[cfg(feature = "history")]
fn changed(objects: &mut ObjectStore<'_>, before: ObjectId, after: ObjectId) -> Result<Option<Vec<Vec<u8>>>> {
    let (mut paths, mut visited) = (Vec::new(), 0);
    let mut folders = vec![(Vec::new(), Some(before), Some(after))];
    while let Some((folder, before, after)) = folders.pop() {
        visited += 1;
        let Some(mut old) = entries(objects, before)? else { return Ok(None) };
        let Some(new) = entries(objects, after)? else { return Ok(None) };
        let mut differing = Vec::new();
        for (name, entry) in new {
            let old = old.remove(&name);
            if old != Some(entry) {
                differing.push((name, old, Some(entry)));
            }
        }
        differing.extend(old.into_iter().map(|(name, old)| (name, Some(old), None)));
        for (name, old, new) in differing {
            let path = [&*folder, &*name].concat();
            if path.len() > MAX_PATH {
                return Ok(None);
            }
            let of = |entry: Option<(u32, ObjectId)>, is: fn(u32) -> bool| entry.filter(|(mode, _)| is(*mode));
            let is_folder = |mode: u32| mode & KIND == FOLDER;
            let is_file = |mode: u32| ![FOLDER, SUBMODULE].contains(&(mode & KIND));
            if of(old, is_file) != of(new, is_file) {
                paths.push(path.clone());
            }
            let (old, new) = (of(old, is_folder), of(new, is_folder));
            if old != new {
                let id = |entry: Option<(u32, ObjectId)>| entry.map(|(_, id)| id);
                folders.push(([&*path, b"/"].concat(), id(old), id(new)));
            }
            if paths.len() > MAX_CHANGED || visited + folders.len() > MAX_FOLDERS {
                return Ok(None);
            }
        }
    }
    paths.sort_unstable();
    Ok(Some(paths))
}

/// The modes and ids of the entries of a folder, by name.
#[cfg(feature = "history")]
type Entries = BTreeMap<Vec<u8>, (u32, ObjectId)>;

/// The entries of a folder, or of none; `None` if it cannot be read.
#[cfg(feature = "history")]
fn entries(objects: &mut ObjectStore<'_>, id: Option<ObjectId>) -> Result<Option<Entries>> {
    let Some(id) = id else { return Ok(Some(BTreeMap::new())) };
    let Some((ObjectKind::Tree, bytes)) = objects.read(&id)? else { return Ok(None) };
    Ok(parsed(&bytes))
}

#[cfg(feature = "history")]
fn parsed(mut bytes: &[u8]) -> Option<Entries> {
    let mut entries = BTreeMap::new();
    while !bytes.is_empty() {
        let (mode, rest) = bytes.split_at_checked(memchr::memchr(b' ', bytes)?)?;
        let mode = u32::from_str_radix(std::str::from_utf8(mode).ok()?, 8).ok()?;
        let (name, rest) = rest.get(1..)?.split_at_checked(memchr::memchr(0, rest.get(1..)?)?)?;
        let (id, rest) = rest.get(1..)?.split_first_chunk()?;
        entries.insert(name.to_vec(), (mode, *id));
        bytes = rest;
    }
    Some(entries)
}

/// The hex digits of an id.
#[cfg(feature = "history")]
pub(super) fn hex(id: &ObjectId) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An id in hex.
#[cfg(feature = "history")]
pub(super) fn id_of(hex: &[u8]) -> Option<ObjectId> {
    let mut id = ObjectId::default();
    let (pairs, rest) = hex.as_chunks::<2>();
    if pairs.len() != id.len() || !rest.is_empty() {
        return None;
    }
    for (byte, pair) in id.iter_mut().zip(pairs) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(id)
}

#[cfg(feature = "history")]
#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "the test runs git in a folder of its own")]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// A repository, and the second in which the next commit is made.
    struct Folder(tempfile::TempDir, Cell<u32>);

    impl Folder {
        fn git(&self, args: &[&str]) -> String {
            let who = ["-c", "user.name=t", "-c", "user.email=t@localhost"];
            let git =
                std::process::Command::new("git").args(who).args(args).current_dir(self.0.path()).output().unwrap();
            assert!(git.status.success(), "{args:?}");
            String::from_utf8(git.stdout).unwrap().trim().to_owned()
        }

        fn commit(&self, paths: &[&str]) -> String {
            for path in paths {
                let text = std::fs::read_to_string(self.0.path().join(path)).unwrap_or_default();
                std::fs::write(self.0.path().join(path), text + "more\n").unwrap();
            }
            self.1.set(self.1.get() + 1);
            self.git(&["add", "-A"]);
            self.git(&["commit", "-qm", "one more"]);
            self.git(&["rev-parse", "HEAD"])
        }

        fn changes(
            &self,
            head: &str,
            limit: usize,
            known: &dyn Fn(&str) -> Option<Vec<Vec<u8>>>,
        ) -> Option<Vec<Change>> {
            recent_changes(&self.0.path().join(".git"), head, limit, known, &|| Ok(())).unwrap()
        }

        /// Stores a folder with these entries, and returns its id.
        fn tree(&self, entries: &str) -> String {
            let path = self.0.path().join("entries");
            std::fs::write(&path, entries).unwrap();
            let mut git = std::process::Command::new("git");
            let git = git.arg("mktree").current_dir(self.0.path()).stdin(std::fs::File::open(path).unwrap());
            let git = git.output().unwrap();
            String::from_utf8(git.stdout).unwrap().trim().to_owned()
        }
    }

    /// A folder of folders without a file, ten thousand times a billion times a billion of them in twelve objects.
    fn bomb(folder: &Folder, seed: &str) -> String {
        (0..12).fold(folder.tree(seed), |below, _| {
            let entries: String = (0..100).map(|name| format!("040000 tree {below}\td{name:02}\n")).collect();
            folder.tree(&entries)
        })
    }

    #[test]
    fn a_few_objects_that_stand_for_any_number_of_folders_take_bounded_work() {
        let folder = Folder(tempfile::tempdir().unwrap(), Cell::default());
        folder.git(&["init", "-q", "-b", "main"]);
        let empty = folder.tree("");
        let seeds =
            [String::new(), format!("040000 tree {empty}\tx\n"), format!("160000 commit {}\tx\n", "1".repeat(40))];
        let mut head = folder.git(&["commit-tree", "-m", "first", &bomb(&folder, &seeds[0])]);
        let mut commits = vec![head.clone()];
        for seed in seeds.iter().skip(1) {
            head = folder.git(&["commit-tree", "-m", "next", "-p", &head, &bomb(&folder, seed)]);
            commits.push(head.clone());
        }
        let calls = Cell::new(0);
        let count = || {
            calls.set(calls.get() + 1);
            Ok(())
        };
        let changes = recent_changes(&folder.0.path().join(".git"), &head, 10, &|_| None, &count).unwrap().unwrap();
        assert_eq!(changes.len(), 3);
        assert!(changes.iter().all(|change| change.paths.is_empty()), "{changes:?}");
        assert!(calls.get() < 10 * MAX_FOLDERS, "{}", calls.get());
    }

    #[test]
    fn a_commit_of_any_number_of_parents_takes_bounded_work() {
        let folder = Folder(tempfile::tempdir().unwrap(), Cell::default());
        folder.git(&["init", "-q", "-b", "main"]);
        let parent = folder.commit(&["a"]);
        let missing = (0..3 * MAX_COMMITS).map(|number| format!("parent {number:040x}\n")).collect::<String>();
        let tree = folder.git(&["rev-parse", "HEAD^{tree}"]);
        let who = "t <t@localhost> 1 +0000";
        let text = format!("tree {tree}\nparent {parent}\n{missing}author {who}\ncommitter {who}\n\nmany\n");
        std::fs::write(folder.0.path().join("commit"), text).unwrap();
        let head = folder.git(&["hash-object", "-t", "commit", "-w", "commit"]);
        let calls = Cell::new(0);
        let count = || {
            calls.set(calls.get() + 1);
            Ok(())
        };
        let changes = recent_changes(&folder.0.path().join(".git"), &head, 10, &|_| None, &count).unwrap().unwrap();
        assert_eq!(changes.len(), 2);
        assert!(calls.get() < 2 * MAX_COMMITS, "{}", calls.get());
    }

    #[test]
    fn a_history_that_is_read_can_be_cancelled_before_each_object() {
        let folder = Folder(tempfile::tempdir().unwrap(), Cell::default());
        folder.git(&["init", "-q", "-b", "main"]);
        folder.commit(&["a"]);
        let head = folder.commit(&["sub/a", "b"].map(|path| path.rsplit('/').next().unwrap()));
        for most in 0.. {
            let left = Cell::new(most);
            let check = || match left.get() {
                0 => Err(crate::error::Error::new(crate::error::ErrorKind::Cancelled, "cancelled")),
                _ => {
                    left.set(left.get() - 1);
                    Ok(())
                }
            };
            if recent_changes(&folder.0.path().join(".git"), &head, 10, &|_| None, &check).is_ok() {
                assert!(most > 3, "{most}");
                break;
            }
        }
    }

    #[test]
    fn the_last_commits_are_listed_with_what_they_changed() {
        let folder = Folder(tempfile::tempdir().unwrap(), Cell::default());
        folder.git(&["init", "-q", "-b", "main"]);
        let first = folder.commit(&["a", "b"]);
        let second = folder.commit(&["b", "c"]);
        folder.git(&["mv", "a", "d"]);
        let third = folder.commit(&[]);
        let change = |commit: &str, paths: &[&[u8]]| Change {
            commit: commit.to_owned(),
            paths: paths.iter().map(|path| path.to_vec()).collect(),
        };
        let expected = [change(&third, &[b"a", b"d"]), change(&second, &[b"b", b"c"]), change(&first, &[])];
        assert_eq!(folder.changes(&third, 10, &|_| None).unwrap(), expected);
        assert_eq!(folder.changes(&third, 1, &|_| None).unwrap(), expected[..1]);
        let known = |commit: &str| (commit == second).then(|| vec![b"known".to_vec()]);
        assert_eq!(folder.changes(&second, 1, &known).unwrap()[0].paths, [b"known".to_vec()]);
        assert_eq!(folder.changes(&"0".repeat(40), 10, &|_| None), None);
        assert_eq!(folder.changes("no commit", 10, &|_| None), None);
    }

    #[test]
    fn a_folder_without_a_repository_has_no_history() {
        let folder = Folder(tempfile::tempdir().unwrap(), Cell::default());
        assert_eq!(folder.changes(&"0".repeat(40), 10, &|_| None), None);
    }
}
