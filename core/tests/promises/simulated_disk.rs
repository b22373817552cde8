//! A disk that keeps only what was synced, fed with recorded steps; it enumerates every state that a crash may leave.
//!
//! The model is weaker than any file system in use. What holds here holds on all of them.
//!
//! - **Inodes, not paths.** A file keeps its contents when it is renamed; a step names the path under which its file
//!   was opened. The tree as processes see it is exact; only a crash shows what was not synced.
//! - **Contents.** Synced contents are kept. Each write since then may be absent, torn (a prefix of it is there),
//!   zeroed (it has its length, with zeros for a part of it) or whole. A write behind an absent one leaves zeros in the
//!   gap. A file that was opened to be written over may or may not have been emptied, whatever of the writes is there.
//! - **Folders.** A folder keeps the entries that it had when it was synced. Each change since then, a name put or a
//!   name dropped, may or may not have reached the disk, in any combination. A rename puts the new name and drops the
//!   old one: the target is the old inode or the new one and never nothing, and the old name may stay. That is fine for
//!   replacing a file, but not for moving one away: no file can be moved durably if a rename may lose both names, and
//!   [`states_with_whole_renames`](SimulatedDisk::states_with_whole_renames) omits those states.
//! - **A name is its folder's.** Syncing a file makes its contents durable and not its name; a folder that was made is
//!   an entry of its parent.
//! - Modes are no part of it. Nor is what is not recorded: the holder's note in a lock file.
//!
//! Combinations of entries are all tried. Contents are all combined as long as they are few; otherwise the contents of
//! one file at a time vary, while the other files have all of theirs or only what was synced.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use loopmem::testing::disk::Open;

use crate::file_systems::Step;
use crate::torture::Rng;

/// Files with their bytes, and folders (`None`), by their paths below the top.
pub(crate) type Tree = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// More combinations of contents than this are not all tried.
const MOST_CONTENTS: usize = 256;
/// More changes of entries than this are not all combined.
const MOST_ENTRIES: usize = 12;

#[derive(Debug, Clone)]
pub(crate) struct SimulatedDisk {
    /// The first is the top folder.
    inodes: Vec<Inode>,
    /// Which inode the steps mean that name this path.
    opened: HashMap<PathBuf, usize>,
    /// The names that renames put into a folder, each followed by the name that it dropped there, since the last sync.
    renames: Vec<Change>,
}

#[derive(Debug, Clone)]
enum Inode {
    File(File),
    Folder(Folder),
}

#[derive(Debug, Clone, Default)]
struct File {
    synced: Vec<u8>,
    /// Since the last sync.
    writes: Vec<Written>,
}

#[derive(Debug, Clone)]
enum Written {
    /// All that was there is gone.
    Emptied,
    /// Where, and what.
    At(usize, Vec<u8>),
}

type Entries = BTreeMap<OsString, usize>;

#[derive(Debug, Clone, Default)]
struct Folder {
    synced: Entries,
    /// Since the last sync: a name and its inode, or `None` when the name was dropped.
    changes: Vec<(OsString, Option<usize>)>,
}

/// A change of entries: the folder, and its place there.
type Change = (usize, usize);
type Contents = HashMap<usize, Vec<u8>>;

impl SimulatedDisk {
    /// A disk on which all of `tree` is durable.
    pub(crate) fn holding(tree: &Tree) -> Self {
        let mut disk = SimulatedDisk {
            inodes: vec![Inode::Folder(Folder::default())],
            opened: HashMap::new(),
            renames: Vec::new(),
        };
        for (path, bytes) in tree {
            let inode = match bytes {
                Some(bytes) => Inode::File(File { synced: bytes.clone(), writes: Vec::new() }),
                None => Inode::Folder(Folder::default()),
            };
            disk.add(path, inode);
        }
        for inode in &mut disk.inodes {
            inode.sync();
        }
        disk
    }

    /// Does what a process did; the paths in `step` are below the top. A step that failed changes nothing here either.
    pub(crate) fn apply(&mut self, step: &Step) {
        match step {
            Step::Create(path, how) => {
                let opened = match self.find(path) {
                    Some(_) if *how == Open::CreateNew => None,
                    Some(inode) => Some(inode),
                    None => self.add(path, Inode::File(File::default())),
                };
                if let Some(inode) = opened {
                    self.opened.insert(path.clone(), inode);
                    if let (Inode::File(file), Open::Overwrite) = (&mut self.inodes[inode], how) {
                        file.writes.push(Written::Emptied);
                    }
                }
            }
            Step::Write(path, bytes) => {
                if let Some(Inode::File(file)) = self.opened(path) {
                    file.writes.push(Written::At(file.contents().len(), bytes.clone()));
                }
            }
            Step::Sync(path, _) => self.opened(path).into_iter().for_each(Inode::sync),
            Step::SyncFolder(path) => {
                if let Some(inode) = self.find(path) {
                    self.inodes[inode].sync();
                    self.renames.retain(|(folder, _)| *folder != inode);
                }
            }
            Step::Rename(from, to) => {
                if let Some(inode) = self.find(from) {
                    let put = self.change(to, Some(inode));
                    let dropped = self.change(from, None);
                    // Of two folders either may reach the disk first.
                    self.renames.extend(put.filter(|(folder, _)| dropped.is_some_and(|it| it.0 == *folder)));
                }
            }
            Step::Remove(path) => {
                if self.find(path).is_some() {
                    self.change(path, None);
                }
            }
            Step::CreateFolder(path) => {
                if self.find(path).is_none() {
                    self.add(path, Inode::Folder(Folder::default()));
                }
            }
            Step::SetMode(..) => {}
        }
    }

    /// What processes see: all of it, synced or not.
    pub(crate) fn live(&self) -> Tree {
        self.tree(&self.changes().into_iter().collect(), &Contents::new())
    }

    /// Every state that a crash may leave now.
    pub(crate) fn states(&self) -> BTreeSet<Tree> {
        self.states_of(|_| true)
    }

    /// Those of them in which no rename within a folder has dropped the old name and not put the new one.
    pub(crate) fn states_with_whole_renames(&self) -> BTreeSet<Tree> {
        let is_whole =
            |kept: &BTreeSet<Change>, put: &Change| kept.contains(put) || !kept.contains(&(put.0, put.1 + 1));
        self.states_of(|kept| self.renames.iter().all(|put| is_whole(kept, put)))
    }

    fn states_of(&self, is_possible: impl Fn(&BTreeSet<Change>) -> bool) -> BTreeSet<Tree> {
        let changes = self.changes();
        assert!(changes.len() <= MOST_ENTRIES, "{} changes of entries are too many to combine", changes.len());
        let mut states = BTreeSet::new();
        for mask in 0..1_usize << changes.len() {
            let kept =
                changes.iter().enumerate().filter(|(place, _)| mask >> place & 1 == 1).map(|(_, it)| *it).collect();
            if !is_possible(&kept) {
                continue;
            }
            states.extend(self.all_contents(&kept).into_iter().map(|contents| self.tree(&kept, &contents)));
        }
        states
    }

    /// One of the states that a crash may leave now.
    pub(crate) fn any_state(&self, rng: &mut Rng) -> Tree {
        // Mostly nothing or everything of a kind, as disks do; sometimes any mixture.
        let odds = *rng.pick(&[0, 1, 2, 3, 4]);
        let kept = self.changes().into_iter().filter(|_| rng.below(4) < odds).collect();
        let unsynced = self.unsynced(&kept);
        let contents = unsynced.into_iter().map(|(inode, file)| (inode, rng.pick(&file.possible()).clone())).collect();
        self.tree(&kept, &contents)
    }

    fn find(&self, path: &Path) -> Option<usize> {
        path.iter().try_fold(0, |folder, name| match &self.inodes[folder] {
            Inode::Folder(folder) => folder.entries(|_| true).get(name).copied(),
            Inode::File(_) => None,
        })
    }

    fn opened(&mut self, path: &Path) -> Option<&mut Inode> {
        let inode = self.opened.get(path).copied().or_else(|| self.find(path))?;
        Some(&mut self.inodes[inode])
    }

    /// `None` when there is no such folder.
    fn add(&mut self, path: &Path, inode: Inode) -> Option<usize> {
        let number = self.inodes.len();
        self.change(path, Some(number))?;
        self.inodes.push(inode);
        Some(number)
    }

    fn change(&mut self, path: &Path, inode: Option<usize>) -> Option<Change> {
        let number = self.find(path.parent()?)?;
        let Inode::Folder(folder) = &mut self.inodes[number] else { return None };
        folder.changes.push((path.file_name()?.to_owned(), inode));
        Some((number, folder.changes.len() - 1))
    }

    fn changes(&self) -> Vec<Change> {
        let of = |(number, inode): (usize, &Inode)| match inode {
            Inode::Folder(folder) => (0..folder.changes.len()).map(|place| (number, place)).collect(),
            Inode::File(_) => Vec::new(),
        };
        self.inodes.iter().enumerate().flat_map(of).collect()
    }

    /// The files that have a name when only `kept` reached the disk, and that have writes that were not synced.
    fn unsynced(&self, kept: &BTreeSet<Change>) -> BTreeMap<usize, &File> {
        let mut found = BTreeMap::new();
        self.walk(kept, |_, number, inode| {
            if let Inode::File(file) = inode
                && !file.writes.is_empty()
            {
                found.insert(number, file);
            }
        });
        found
    }

    fn all_contents(&self, kept: &BTreeSet<Change>) -> Vec<Contents> {
        let unsynced = self.unsynced(kept);
        let possible: BTreeMap<usize, _> = unsynced.iter().map(|(number, file)| (*number, file.possible())).collect();
        if possible.values().map(Vec::len).product::<usize>() <= MOST_CONTENTS {
            return possible.iter().fold(vec![Contents::new()], |all, (number, possible)| {
                let with = |one: &Contents, bytes: &Vec<u8>| {
                    one.iter()
                        .map(|(number, bytes)| (*number, bytes.clone()))
                        .chain([(*number, bytes.clone())])
                        .collect()
                };
                all.iter().flat_map(|one| possible.iter().map(move |bytes| with(one, bytes))).collect()
            });
        }
        let mut all = Vec::new();
        for others in [File::contents, |file: &File| file.synced.clone()] {
            let others: Contents = unsynced.iter().map(|(number, file)| (*number, others(file))).collect();
            for (number, possible) in &possible {
                all.extend(possible.iter().map(|bytes| {
                    let mut contents = others.clone();
                    contents.insert(*number, bytes.clone());
                    contents
                }));
            }
        }
        all
    }

    /// The tree if only the changes `kept` reached the disk; files that are not in `contents` have all of theirs.
    fn tree(&self, kept: &BTreeSet<Change>, contents: &Contents) -> Tree {
        let mut tree = Tree::new();
        self.walk(kept, |path, number, inode| {
            let bytes = match inode {
                Inode::File(file) => Some(contents.get(&number).cloned().unwrap_or_else(|| file.contents())),
                Inode::Folder(_) => None,
            };
            tree.insert(path, bytes);
        });
        tree
    }

    fn walk<'d>(&'d self, kept: &BTreeSet<Change>, mut visit: impl FnMut(PathBuf, usize, &'d Inode)) {
        let mut folders = vec![(PathBuf::new(), 0)];
        while let Some((path, number)) = folders.pop() {
            let Inode::Folder(folder) = &self.inodes[number] else { continue };
            for (name, inode) in folder.entries(|place| kept.contains(&(number, place))) {
                let path = path.join(name);
                visit(path.clone(), inode, &self.inodes[inode]);
                folders.push((path, inode));
            }
        }
    }
}

impl Inode {
    fn sync(&mut self) {
        match self {
            Inode::File(file) => *file = File { synced: file.contents(), writes: Vec::new() },
            Inode::Folder(folder) => *folder = Folder { synced: folder.entries(|_| true), changes: Vec::new() },
        }
    }
}

impl Folder {
    fn entries(&self, kept: impl Fn(usize) -> bool) -> Entries {
        let mut entries = self.synced.clone();
        for (_, (name, inode)) in self.changes.iter().enumerate().filter(|(place, _)| kept(*place)) {
            match inode {
                Some(inode) => entries.insert(name.clone(), *inode),
                None => entries.remove(name),
            };
        }
        entries
    }
}

impl File {
    fn contents(&self) -> Vec<u8> {
        self.writes.iter().fold(self.synced.clone(), |bytes, written| written.put(&bytes))
    }

    /// Everything that a crash may leave in it.
    fn possible(&self) -> Vec<Vec<u8>> {
        let mut possible = BTreeSet::from([self.synced.clone()]);
        for (place, written) in self.writes.iter().enumerate() {
            let parts = match written {
                // Of many writes only the last one is taken apart.
                Written::At(at, bytes) if place + 2 >= self.writes.len() => {
                    parts(bytes).into_iter().map(|part| Written::At(*at, part)).collect()
                }
                whole => vec![whole.clone()],
            };
            let with: Vec<_> =
                possible.iter().flat_map(|bytes| parts.iter().map(move |part| part.put(bytes))).collect();
            possible.extend(with);
        }
        possible.into_iter().collect()
    }
}

impl Written {
    /// `bytes` with this done to them, and zeros in a gap between.
    fn put(&self, bytes: &[u8]) -> Vec<u8> {
        let Written::At(at, written) = self else { return Vec::new() };
        let mut bytes = bytes.to_vec();
        bytes.resize(bytes.len().max(at + written.len()), 0);
        bytes[*at..at + written.len()].copy_from_slice(written);
        bytes
    }
}

/// What may be there of a write that was not synced, when anything is.
fn parts(written: &[u8]) -> Vec<Vec<u8>> {
    let length = written.len();
    let torn = [1, length / 2, length.saturating_sub(1)].map(|end| written[..end.min(length)].to_vec());
    let zeroed = [(0, length), (0, length / 2), (length / 2, length), (0, length.saturating_sub(1)), (1, 2)].map(
        |(start, end)| {
            let mut bytes = written.to_vec();
            bytes[start.min(length)..end.min(length)].fill(0);
            bytes
        },
    );
    torn.into_iter().chain(zeroed).chain([written.to_vec()]).collect()
}

#[cfg(test)]
mod tests {
    use loopmem::testing::disk::Sync;

    use super::*;

    fn step(disk: &mut SimulatedDisk, steps: &[Step]) {
        steps.iter().for_each(|step| disk.apply(step));
    }

    fn file<'t>(tree: &'t Tree, path: &str) -> Option<&'t [u8]> {
        tree.get(Path::new(path)).and_then(Option::as_deref)
    }

    #[test]
    fn a_rename_leaves_the_old_inode_or_the_new_one_and_a_sync_of_the_folder_settles_it() {
        let mut disk = SimulatedDisk::holding(&Tree::from([("a".into(), Some(b"old".to_vec()))]));
        let [a, b] = ["a", "b"].map(PathBuf::from);
        step(&mut disk, &[Step::Create(b.clone(), Open::CreateNew), Step::Write(b.clone(), b"newer".to_vec())]);
        step(&mut disk, &[Step::Sync(b.clone(), Sync::All), Step::Rename(b, a)]);
        let states = disk.states();
        let seen: BTreeSet<_> = states.iter().map(|tree| (file(tree, "a"), file(tree, "b"))).collect();
        let (old, new) = (Some(&b"old"[..]), Some(&b"newer"[..]));
        assert_eq!(seen, BTreeSet::from([(old, None), (old, new), (new, None), (new, new)]));
        step(&mut disk, &[Step::SyncFolder(PathBuf::new())]);
        assert_eq!(disk.states(), BTreeSet::from([disk.live()]));
        assert_eq!(file(&disk.live(), "a"), new);
    }

    #[test]
    fn a_write_is_absent_torn_zeroed_or_whole_until_it_is_synced() {
        let path = PathBuf::from("a");
        let mut disk = SimulatedDisk::holding(&Tree::from([(path.clone(), Some(b"1\n".to_vec()))]));
        step(&mut disk, &[Step::Create(path.clone(), Open::Append), Step::Write(path.clone(), b"2345\n".to_vec())]);
        let states = disk.states();
        for left in
            [&b"1\n"[..], b"1\n23", b"1\n2345", b"1\n\0\0\0\0\0", b"1\n\0\0\0\0\n", b"1\n\0\x0045\n", b"1\n2345\n"]
        {
            assert!(states.iter().any(|tree| file(tree, "a") == Some(left)), "{}", left.escape_ascii());
        }
        assert!(states.iter().all(|tree| file(tree, "a").is_some_and(|bytes| bytes.starts_with(b"1\n"))));
        step(&mut disk, &[Step::Sync(path, Sync::Data)]);
        assert_eq!(disk.states().len(), 1);
    }

    #[test]
    fn a_folder_whose_parent_was_not_synced_is_lost_with_its_contents() {
        let mut disk = SimulatedDisk::holding(&Tree::new());
        let (folder, path) = (PathBuf::from("f"), PathBuf::from("f/a"));
        step(&mut disk, &[Step::CreateFolder(folder.clone()), Step::Create(path.clone(), Open::Append)]);
        step(
            &mut disk,
            &[Step::Write(path.clone(), b"1".to_vec()), Step::Sync(path, Sync::Data), Step::SyncFolder(folder)],
        );
        assert_eq!(disk.states(), BTreeSet::from([Tree::new(), disk.live()]));
        step(&mut disk, &[Step::SyncFolder(PathBuf::new())]);
        assert_eq!(disk.states(), BTreeSet::from([disk.live()]));
    }
}
