//! What must hold for a home after a crash: checks the states that `simulated_disk` reports.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use loopmem::testing::disk::{Fs, Kind};
use loopmem::{Result, Store};

use crate::TestHome;
use crate::file_systems::{Faulty, FsLimitation, Recording, Step, TestClock};
use crate::operations::{Operation, Prepare, TORN, View, open, reopen, view, view_of};
use crate::simulated_disk::{SimulatedDisk, Tree};
use crate::torture::Rng;

/// The contents of a home before or after an operation.
#[derive(Debug, Clone)]
pub(crate) struct Version {
    tree: Tree,
    view: View,
}

impl Version {
    pub(crate) fn of(home: &TestHome) -> Self {
        Version { tree: tree_of(home), view: view_of(home).unwrap() }
    }

    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The files, and the folders of scopes, that say something else in `other`.
    pub(crate) fn differing<'v>(&'v self, other: &'v Version) -> BTreeSet<&'v PathBuf> {
        let names = self.view.keys().chain(other.view.keys());
        names.filter(|path| self.view.get(*path) != other.view.get(*path)).collect()
    }
}

/// Checks what a crash left behind.
pub(crate) struct Judge {
    /// Each file is as in one of these, and as in the last one when that was acknowledged.
    pub(crate) versions: Vec<Version>,
    /// The write that must work after the crash.
    pub(crate) next: &'static Operation,
    /// Whether the states are put on the real file system.
    pub(crate) is_real: bool,
    /// Whether locks are files after the crash, which those who take them must tidy up.
    pub(crate) are_locks_files: bool,
    /// Whether there were torn bytes before.
    was_torn: bool,
    /// What it makes of a home that had no crash, by the versions that the files have there.
    expected: RefCell<BTreeMap<BTreeMap<PathBuf, usize>, View>>,
}

impl Judge {
    pub(crate) fn new(versions: Vec<Version>, next: &'static Operation) -> Self {
        let was_torn = versions[0].tree.values().flatten().any(|bytes| holds_torn_bytes(bytes));
        Judge { versions, next, is_real: false, are_locks_files: false, was_torn, expected: RefCell::default() }
    }

    /// A state reads without damage; each file says what it says in one of the versions, in the last one if it is
    /// `sure`; no torn byte of before is lost; and the next write works, makes of the home what it would have made of
    /// one that had no crash, and leaves no litter beside the file that it wrote. How long all of it waited for locks
    /// that are files.
    pub(crate) fn judge(&self, state: &Tree, sure: impl Fn(&Path) -> bool) -> Result<Duration, String> {
        let home = home_of(state, self.is_real);
        let fs = if self.are_locks_files { unlocked(home.fs()) } else { home.fs() };
        let store = open(&home.root(), Arc::clone(&fs));
        let found = view(&store)?;
        let files: BTreeSet<_> = self.versions.iter().flat_map(|it| it.view.keys()).chain(found.keys()).collect();
        let mut ages = BTreeMap::new();
        for path in files {
            let allowed: Vec<_> = self.versions.iter().map(|it| it.view.get(path)).collect();
            let age = allowed.iter().rposition(|it| *it == found.get(path));
            match age {
                Some(age) if age + 1 == allowed.len() || !sure(path) => ages.insert(path.clone(), age),
                _ => return Err(format!("{} says {:?}, of {allowed:#?}", path.display(), found.get(path))),
            };
        }
        self.check_torn_bytes(&home)?;
        self.next.write(&store, "next").map_err(|failed| format!("the next write fails: {failed:?}"))?;
        let (then, expected) = (view_of(&home)?, self.expected_after(ages));
        if then != expected {
            return Err(format!("the next write leaves {then:#?}\ninstead of {expected:#?}"));
        }
        self.check_torn_bytes(&home)?;
        let entries = home.entries();
        for path in then.keys().filter(|path| found.get(*path) != then.get(*path)) {
            let whole = home.top().join(path);
            if let Some(litter) = entries.iter().find(|it| self.is_litter(&whole, it)) {
                return Err(format!("the next write leaves litter: {}", litter.display()));
            }
        }
        // A clock that leaps stands still otherwise.
        Ok(if self.are_locks_files { fs.elapsed() } else { Duration::ZERO })
    }

    /// Whether somebody who wrote the file or the scope at `written` should have removed the file at `path`.
    fn is_litter(&self, written: &Path, path: &Path) -> bool {
        let name = path.to_string_lossy();
        if !path.starts_with(written) && !name.starts_with(&format!("{}.", written.display())) {
            return false;
        }
        if name.contains(".lock.") && name.contains("/working/") && !self.are_locks_files {
            // What the lock of a folder left where locks are files is looked for only by those for whom they are.
            return false;
        }
        let is_lock_file = self.are_locks_files && name.ends_with(".lock.owner");
        // What is left of a deleted scope is no litter of the next one.
        is_lock_file || (name.ends_with(".tmp") && !name.contains(".deleted-"))
    }

    fn check_torn_bytes(&self, home: &TestHome) -> Result<(), String> {
        if !self.was_torn || has_torn_bytes(home) { Ok(()) } else { Err("the torn bytes are lost".to_owned()) }
    }

    fn expected_after(&self, ages: BTreeMap<PathBuf, usize>) -> View {
        let made = |ages: &BTreeMap<PathBuf, usize>| {
            let mut tree = Tree::new();
            for (path, age) in ages {
                // Of a scope, everything in its folder; of a file, also what it says while it is copied over.
                let copying = PathBuf::from(format!("{}.copying", path.display()));
                let is_its = |it: &Path| it.starts_with(path) || it == copying;
                for (path, bytes) in self.versions[*age].tree.iter().filter(|(it, _)| is_its(it)) {
                    let folders = path.ancestors().skip(1).filter(|it| !it.as_os_str().is_empty());
                    tree.extend(folders.map(|folder| (folder.to_owned(), None)));
                    tree.insert(path.clone(), bytes.clone());
                }
            }
            let home = home_of(&tree, self.is_real);
            self.next.write(&reopen(&home), "next").unwrap();
            view_of(&home).unwrap()
        };
        self.expected.borrow_mut().entry(ages).or_insert_with_key(made).clone()
    }
}

/// An operation, step by step, on a disk that keeps only what was synced.
pub(crate) struct Trial {
    pub(crate) disk: SimulatedDisk,
    pub(crate) steps: Vec<Step>,
    pub(crate) judge: Judge,
}

impl Trial {
    /// Of `operation` on a home that `prepare` filled, all of it durable; the next write is of the same kind.
    pub(crate) fn new(prepare: Prepare, operation: &'static Operation) -> Self {
        let home = TestHome::in_memory();
        prepare(&home);
        Trial::on(&Recording::default(), &|fs| fs, &home, operation)
    }

    /// As [`new`](Self::new), of a home that is filled, through `wrap` of what is recorded.
    pub(crate) fn on(
        recording: &Recording,
        wrap: &dyn Fn(Arc<dyn Fs>) -> Arc<dyn Fs>,
        prepared: &TestHome,
        operation: &'static Operation,
    ) -> Self {
        let home = prepared.copy();
        let before = Version::of(&home);
        let disk = SimulatedDisk::holding(&before.tree);
        let steps = record_on(&home, recording, wrap, |store| operation.write(store, "in flight"));
        let after = Version::of(&home);
        assert!(!before.differing(&after).is_empty(), "the operation changes something");
        let mut versions = vec![before];
        // One for each choice of the writers, but for none and all of them.
        for left in (1..(1_u32 << operation.writers) - 1).filter(|_| operation.is_separable) {
            let home = prepared.copy();
            let (store, one) = (reopen(&home), Operation { writers: 1, ..*operation });
            for number in (0..operation.writers).filter(|number| left & (1 << number) != 0) {
                one.write(&store, &format!("in flight {number}")).unwrap();
            }
            versions.push(Version::of(&home));
        }
        versions.push(after);
        let judge = Judge { is_real: home.is_real(), ..Judge::new(versions, operation) };
        Trial { disk, steps, judge }
    }

    /// Judges every state that a crash may leave before, between and behind the steps; how many there are.
    pub(crate) fn run(&self) -> Result<usize, String> {
        self.run_some(usize::MAX, &mut Rng::new(0))
    }

    /// As [`run`](Self::run), of at most so many states at each point.
    pub(crate) fn run_some(&self, most: usize, rng: &mut Rng) -> Result<usize, String> {
        self.judge_each(|disk| {
            let mut states: Vec<_> = disk.states().into_iter().collect();
            while states.len() > most {
                states.swap_remove(rng.below(states.len()));
            }
            states
        })
    }

    /// As [`run`](Self::run), of so many states at each point that are drawn by lot, of too many to make all of them.
    pub(crate) fn run_any(&self, most: usize, rng: &mut Rng) -> Result<usize, String> {
        self.judge_each(|disk| (0..most).map(|_| disk.any_state(rng)).collect())
    }

    fn judge_each(&self, mut states_of: impl FnMut(&SimulatedDisk) -> Vec<Tree>) -> Result<usize, String> {
        let mut disk = self.disk.clone();
        let mut judged = HashSet::new();
        let [.., before, after] = &self.judge.versions[..] else { panic!("a trial has two versions") };
        let written = before.differing(after);
        for done in 0..=self.steps.len() {
            let acknowledged = done == self.steps.len();
            // What the operation found as it was to be is not its own: it did not write that.
            let own = |path: &Path| written.contains(&path.to_owned());
            for state in states_of(&disk) {
                if judged.insert((hash_of(&state), acknowledged)) {
                    let verdict = self.judge.judge(&state, |path| acknowledged && own(path));
                    verdict.map_err(|fault| describe(&fault, &self.steps[..done], &state))?;
                }
            }
            if let Some(step) = self.steps.get(done) {
                disk.apply(step);
            }
        }
        Ok(judged.len())
    }
}

/// A fault, and how to reproduce it.
pub(crate) fn describe(fault: &str, done: &[Step], state: &Tree) -> String {
    let mut text = format!("{fault}\nafter these steps:\n");
    for step in done {
        writeln!(text, "  {step:?}").unwrap();
    }
    text.push_str("a crash left:\n");
    for (path, bytes) in state {
        let bytes = bytes.as_deref().map(|it| it.escape_ascii().to_string());
        writeln!(text, "  {} {}", path.display(), bytes.unwrap_or_default()).unwrap();
    }
    text
}

/// A hash of a tree: comparing trees path by path is slower.
pub(crate) fn hash_of(tree: &Tree) -> u64 {
    let mut hasher = DefaultHasher::new();
    tree.hash(&mut hasher);
    hasher.finish()
}

/// Every file and folder of the home, and the folder above it that loopmem creates.
pub(crate) fn tree_of(home: &TestHome) -> Tree {
    let fs = home.fs();
    let entry = |path: PathBuf| {
        let is_file = fs.stat_path(&path).unwrap().kind == Kind::File;
        let bytes = is_file.then(|| home.read(&path).unwrap());
        (path.strip_prefix(home.top()).unwrap().to_owned(), bytes)
    };
    home.entries_below(home.top()).into_iter().map(entry).collect()
}

/// A home with these files, in memory or on the real file system.
pub(crate) fn home_of(tree: &Tree, is_real: bool) -> TestHome {
    let home = if is_real { TestHome::on_tmpfs() } else { TestHome::in_memory() };
    let fs = home.fs();
    for (path, bytes) in tree {
        let path = home.top().join(path);
        match bytes {
            Some(bytes) => home.write(&path, bytes),
            None => fs.create_folder(&path).unwrap(),
        }
    }
    home
}

/// `fs` without locks, on which waits take no time.
pub(crate) fn unlocked(fs: Arc<dyn Fs>) -> Arc<dyn Fs> {
    TestClock::leaping(Faulty::with_limitation(FsLimitation::NoLocks).on(fs), || {})
}

/// The steps of `write`, with paths below the home's top.
pub(crate) fn record(home: &TestHome, write: impl FnOnce(&Store) -> Result<()>) -> Vec<Step> {
    record_on(home, &Recording::default(), &|fs| fs, write)
}

/// As [`record`], through `wrap` of what is recorded.
pub(crate) fn record_on(
    home: &TestHome,
    recording: &Recording,
    wrap: &dyn Fn(Arc<dyn Fs>) -> Arc<dyn Fs>,
    write: impl FnOnce(&Store) -> Result<()>,
) -> Vec<Step> {
    write(&open(&home.root(), wrap(recording.on(home.fs())))).unwrap();
    let below = |path: &PathBuf| path.strip_prefix(home.top()).ok().map(Path::to_owned);
    let step = |step: &Step| {
        Some(match step {
            Step::Create(path, how) => Step::Create(below(path)?, *how),
            Step::Write(path, bytes) => Step::Write(below(path)?, bytes.clone()),
            Step::Sync(path, what) => Step::Sync(below(path)?, *what),
            Step::SyncFolder(path) => Step::SyncFolder(below(path)?),
            Step::SetMode(path, mode) => Step::SetMode(below(path)?, *mode),
            Step::Rename(from, to) => Step::Rename(below(from)?, below(to)?),
            Step::Remove(path) => Step::Remove(below(path)?),
            Step::CreateFolder(path) => Step::CreateFolder(below(path)?),
        })
    };
    // A step above the top is about folders that were there before.
    recording.take().iter().filter_map(step).collect()
}

/// Whether the torn bytes of a home are in one of its files.
pub(crate) fn has_torn_bytes(home: &TestHome) -> bool {
    home.entries().iter().any(|path| home.read(path).is_ok_and(|bytes| holds_torn_bytes(&bytes)))
}

pub(crate) fn holds_torn_bytes(bytes: &[u8]) -> bool {
    bytes.windows(TORN.len()).any(|part| part == TORN.as_bytes())
}
