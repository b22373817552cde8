//! What must hold of a home after a crash: the judge of the states that `simulated_disk` tells.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use loopmem::methods::dispatch;
use loopmem::testing::disk::{Fs, RealFs, Recording, Step};
use loopmem::testing::working::{Scope, rebuild};
use loopmem::{Options, Result, Store};
use serde_json::{Value, json};

use crate::TestHome;
use crate::simulated_disk::{SimulatedDisk, Tree};
use crate::torture::Rng;

/// The files that hold data, in each repository's folder.
const DATA: [&str; 3] = ["memory.json", "summaries.jsonl", "repo.json"];
/// What a crash long ago left behind the last whole line.
pub(crate) const TORN: &str = r#"{"runId":"run","stepId":"to"#;
/// So many summaries are kept, and so many checkpoints.
const MOST: u32 = 3;

/// Fills a home.
pub(crate) type Prepare = fn(&TestHome);
/// A write; the word goes into what is written, so that two of a kind can be told apart.
pub(crate) type Write = fn(&Store, &str) -> Result<()>;

pub(crate) fn call(store: &Store, method: &str, params: &Value) -> Result<String> {
    dispatch(store, method, &params.to_string())
}

/// The clock stands still, so that the same write makes the same bytes.
pub(crate) fn open(root: &Path, fs: Arc<dyn Fs>) -> Store {
    let options = Options::at(root).clock("2026-01-31T12:00:00Z").adapter("file");
    let options = options.summaries_max_entries(MOST).checkpoints_max_entries(MOST);
    loopmem::testing::open_on(options, fs, []).unwrap()
}

/// What a home was at some time, or would have become.
#[derive(Debug, Clone)]
pub(crate) struct Version {
    tree: Tree,
    view: View,
}

impl Version {
    pub(crate) fn of(home: &TestHome) -> Self {
        Version { tree: tree_of(home), view: view(home).unwrap() }
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

/// Judges what a crash left.
pub(crate) struct Judge {
    /// Each file is as in one of these, and as in the last one when that was acknowledged.
    pub(crate) versions: Vec<Version>,
    /// The write that must work after the crash.
    pub(crate) next: Write,
    /// What it makes of a home that had no crash, by the versions that the files have there.
    expected: RefCell<BTreeMap<BTreeMap<PathBuf, usize>, View>>,
}

impl Judge {
    pub(crate) fn new(versions: Vec<Version>, next: Write) -> Self {
        Judge { versions, next, expected: RefCell::default() }
    }

    /// A state reads without damage; each file says what it says in one of the versions, in the last one if it is
    /// `sure`; no torn byte of before is lost; and the next write works, makes of the home what it would have made of one
    /// that had no crash, and leaves no litter beside the file that it wrote.
    pub(crate) fn judge(&self, state: &Tree, sure: impl Fn(&Path) -> bool) -> Result<(), String> {
        let home = home_of(state);
        let found = view(&home)?;
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
        let store = open(&home.root(), Arc::new(RealFs));
        (self.next)(&store, "next").map_err(|failed| format!("the next write fails: {failed:?}"))?;
        let (then, expected) = (view(&home)?, self.expected_after(ages));
        if then != expected {
            return Err(format!("the next write leaves {then:#?}\ninstead of {expected:#?}"));
        }
        self.check_torn_bytes(&home)?;
        for path in then.keys().filter(|path| found.get(*path) != then.get(*path)) {
            let whole = home.0.path().join(path);
            let beside = format!("{}.", whole.display());
            // What the lock of a folder left where locks are files is looked for only by those for whom they are; what is
            // left of a deleted one is no litter of the next.
            let is_left = |it: &Path| {
                it.to_string_lossy().contains("/working/")
                    && [".lock.", ".deleted-"].iter().any(|left| it.to_string_lossy().contains(left))
            };
            let is_its =
                |it: &Path| (it.to_string_lossy().starts_with(&beside) && !is_left(it)) || it.starts_with(&whole);
            let is_litter = |it: &&PathBuf| is_its(it) && it.extension() == Some("tmp".as_ref());
            if let Some(litter) = home.entries().iter().find(is_litter) {
                return Err(format!("the next write leaves litter: {}", litter.display()));
            }
        }
        Ok(())
    }

    fn check_torn_bytes(&self, home: &TestHome) -> Result<(), String> {
        let is_torn = |bytes: &Option<Vec<u8>>| bytes.as_ref().is_some_and(|it| it.ends_with(TORN.as_bytes()));
        let was_torn = self.versions[0].tree.values().any(is_torn);
        let files = [home.summaries(), PathBuf::from(format!("{}.torn", home.summaries().display()))];
        let holds = |file: &PathBuf| String::from_utf8_lossy(&std::fs::read(file).unwrap_or_default()).contains(TORN);
        if !was_torn || files.iter().any(holds) { Ok(()) } else { Err("the torn bytes are lost".to_owned()) }
    }

    fn expected_after(&self, ages: BTreeMap<PathBuf, usize>) -> View {
        let made = |ages: &BTreeMap<PathBuf, usize>| {
            let mut tree = Tree::new();
            for (path, age) in ages {
                // Of a scope, everything in its folder.
                for (path, bytes) in self.versions[*age].tree.iter().filter(|(it, _)| it.starts_with(path)) {
                    let folders = path.ancestors().skip(1).filter(|it| !it.as_os_str().is_empty());
                    tree.extend(folders.map(|folder| (folder.to_owned(), None)));
                    tree.insert(path.clone(), bytes.clone());
                }
            }
            let home = home_of(&tree);
            (self.next)(&open(&home.root(), Arc::new(RealFs)), "next").unwrap();
            view(&home).unwrap()
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
    /// Of `write` on a home that `prepare` filled, all of it durable; the next write is of the same kind.
    pub(crate) fn new(prepare: Prepare, write: Write) -> Self {
        Trial::on(Recording::default(), prepare, write)
    }

    /// As [`new`](Self::new), recorded by `recording`.
    pub(crate) fn on(recording: Recording, prepare: Prepare, write: Write) -> Self {
        let home = TestHome::in_memory();
        prepare(&home);
        let before = Version::of(&home);
        let disk = SimulatedDisk::holding(&before.tree);
        let steps = record(&home, &recording, |store| write(store, "in flight"));
        let after = Version::of(&home);
        assert!(!before.differing(&after).is_empty(), "the operation changes something");
        Trial { disk, steps, judge: Judge::new(vec![before, after], write) }
    }

    /// Judges every state that a crash may leave before, between and behind the steps; how many there are.
    pub(crate) fn run(&self) -> Result<usize, String> {
        self.run_some(usize::MAX, &mut Rng::new(0))
    }

    /// As [`run`](Self::run), of at most so many states at each point.
    pub(crate) fn run_some(&self, most: usize, rng: &mut Rng) -> Result<usize, String> {
        let mut disk = self.disk.clone();
        let mut judged = BTreeSet::new();
        let [.., before, after] = &self.judge.versions[..] else { panic!("a trial has two versions") };
        let written = before.differing(after);
        for done in 0..=self.steps.len() {
            let acknowledged = done == self.steps.len();
            // What the operation found as it was to be is not its own: it did not write that.
            let own = |path: &Path| written.contains(&path.to_owned());
            let mut states: Vec<_> = disk.states().into_iter().collect();
            while states.len() > most {
                states.swap_remove(rng.below(states.len()));
            }
            for state in states {
                if judged.insert((state.clone(), acknowledged)) {
                    let verdict = self.judge.judge(&state, |path| acknowledged && own(path));
                    verdict.map_err(|fault| tell(&fault, &self.steps[..done], &state))?;
                }
            }
            if let Some(step) = self.steps.get(done) {
                disk.apply(step);
            }
        }
        Ok(judged.len())
    }
}

/// A fault, and how to see it again.
pub(crate) fn tell(fault: &str, done: &[Step], state: &Tree) -> String {
    let mut told = format!("{fault}\nafter these steps:\n");
    for step in done {
        writeln!(told, "  {step:?}").unwrap();
    }
    told.push_str("a crash left:\n");
    for (path, bytes) in state {
        let bytes = bytes.as_deref().map(|it| it.escape_ascii().to_string());
        writeln!(told, "  {} {}", path.display(), bytes.unwrap_or_default()).unwrap();
    }
    told
}

/// Every file and folder of the home, and the one folder above it that loopmem makes.
pub(crate) fn tree_of(home: &TestHome) -> Tree {
    fn collect(top: &Path, folder: &Path, tree: &mut Tree) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let bytes = if path.is_dir() {
                collect(top, &path, tree);
                None
            } else {
                Some(std::fs::read(&path).unwrap())
            };
            tree.insert(path.strip_prefix(top).unwrap().to_owned(), bytes);
        }
    }
    let mut tree = Tree::new();
    collect(home.0.path(), home.0.path(), &mut tree);
    tree
}

pub(crate) fn home_of(tree: &Tree) -> TestHome {
    let home = TestHome::in_memory();
    for (path, bytes) in tree {
        let path = home.0.path().join(path);
        match bytes {
            Some(bytes) => std::fs::write(path, bytes).unwrap(),
            None => std::fs::create_dir(path).unwrap(),
        }
    }
    home
}

/// The steps of `write`, with paths below the home's top.
pub(crate) fn record(home: &TestHome, recording: &Recording, write: impl FnOnce(&Store) -> Result<()>) -> Vec<Step> {
    write(&open(&home.root(), recording.fs())).unwrap();
    let below = |path: &PathBuf| path.strip_prefix(home.0.path()).ok().map(Path::to_owned);
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

/// What a file says, file by file, by their paths below the top; what a scope says, by the path of its folder. What says
/// nothing is left out.
pub(crate) type View = BTreeMap<PathBuf, String>;

/// What a new process reads, through loopmem.
pub(crate) fn view(home: &TestHome) -> Result<View, String> {
    let store = open(&home.root(), Arc::new(RealFs));
    let mut view = View::new();
    let repos = home.root().join("repos");
    for entry in std::fs::read_dir(&repos).into_iter().flatten() {
        let hash = entry.unwrap().file_name().into_string().unwrap();
        let folder = Path::new("user/home/repos").join(&hash);
        let said = call(&store, "memory.get", &json!({ "repoHash": hash })).map_err(|damage| format!("{damage:?}"))?;
        let mut said: Value = serde_json::from_str(&said).unwrap();
        let summaries = said["summaries"].take();
        let records = said.as_object().unwrap().values().any(|kind| kind.as_array().is_some_and(|it| !it.is_empty()));
        if records {
            view.insert(folder.join(DATA[0]), said.to_string());
        }
        if summaries.as_array().is_some_and(|it| !it.is_empty()) {
            view.insert(folder.join(DATA[1]), summaries.to_string());
        }
        // One that is damaged only makes its repository nameless: so its bytes are looked at.
        if let Ok(bytes) = std::fs::read(repos.join(&hash).join(DATA[2])) {
            view.insert(folder.join(DATA[2]), String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    for scope in store.working().list_scopes().map_err(|damage| format!("{damage:?}"))? {
        let said = scope_view(&store, &scope).map_err(|damage| format!("{scope}: {damage}"))?;
        view.extend(said.map(|said| (Path::new("user/home/working").join(&scope), said)));
    }
    Ok(view)
}

/// Everything that a scope says, if it says something. Its context must be what its trail leads to, and each checkpoint must be there.
fn scope_view(store: &Store, scope: &str) -> Result<Option<String>, String> {
    let damaged = |damage: loopmem::Error| format!("{damage:?}");
    let working = store.working();
    let context = working.get_context(scope).map_err(damaged)?;
    let trail = working.history(scope, None).map_err(damaged)?;
    let of = Scope::admit(store.safety(), "scopeId", scope).map_err(damaged)?;
    let rebuilt = json!(rebuild(&of, &trail).map_err(damaged)?);
    let mut said = serde_json::from_str(context.json().get()).unwrap();
    if rebuilt != said {
        return Err(format!("the context is {said}, and its trail leads to {rebuilt}"));
    }
    said = json!({ "context": said, "trail": trail });
    // Each entry has an id of its own, which is another each time.
    said["trail"].as_array_mut().unwrap().iter_mut().for_each(|entry| entry["id"] = Value::Null);
    said["logs"] = json!(working.get_logs(scope, loopmem::working::Range::default()).map_err(damaged)?);
    let is_nothing = |said: &Value| said == &json!({ "context": {}, "trail": [], "logs": [] });
    for timestamp in working.list_checkpoints(scope).map_err(damaged)? {
        let file =
            loopmem::testing::home(store).layout().scope(scope).join("checkpoints").join(format!("{timestamp}.json"));
        let saved = std::fs::read_to_string(file).map_err(|missing| format!("checkpoint {timestamp}: {missing}"))?;
        said["checkpoints"][timestamp.to_string()] = serde_json::from_str(&saved).map_err(|it| it.to_string())?;
    }
    Ok((!is_nothing(&said)).then(|| said.to_string()))
}

/// A program that leaves out the steps that `struck` names is caught.
#[track_caller]
pub(crate) fn is_caught_without(prepare: Prepare, write: Write, struck: impl Fn(&Step) -> bool) {
    let mut trial = Trial::new(prepare, write);
    let whole = trial.steps.len();
    trial.steps.retain(|step| !struck(step));
    assert!(trial.steps.len() < whole, "there is no such step in {:?}", trial.steps);
    trial.run().expect_err("a crash may leave neither the old state nor the new one");
}
