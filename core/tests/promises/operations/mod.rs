//! Every kind of write as one table. A room adds its rows, and what a reader sees of its files, in one file of its own;
//! the harnesses of crashes, faults, commits and repairs run over all rows.
//!
//! Each row is a module with a test for each promise, so that a test is called as what it holds:
//! `operations::summary::an_append::survives_a_crash_anywhere`.

pub(crate) mod files;
pub(crate) mod items;
pub(crate) mod key;
pub(crate) mod memory;
pub(crate) mod repo;
pub(crate) mod summary;
pub(crate) mod working;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use loopmem::RepoHash;
use loopmem::doctor::Fault;
use loopmem::methods::{dispatch, submit};
use loopmem::testing::disk::{Cancel, Fs, Open};
use loopmem::{CallOptions, Options, Result, Store};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::crash_trial::{hash_of, tree_of};
use crate::file_systems::Step;
use crate::{TestHome, hold_on};

/// So many summaries are kept, and so many checkpoints.
const MOST: u32 = 3;
/// What a torn line of a home holds: no write and no repair may lose it.
pub(crate) const TORN: &str = "never fin";

/// The rooms that write files.
pub(crate) const ROOMS: &[&Room] =
    &[&memory::ROOM, &summary::ROOM, &repo::ROOM, &key::ROOM, &working::ROOM, &items::ROOM, &files::ROOM];

/// What a room keeps in files.
pub(crate) struct Room {
    pub(crate) operations: &'static [&'static Operation],
    pub(crate) damages: &'static [&'static Damage],
    /// Adds what a reader sees.
    pub(crate) read: fn(&Store, &mut View),
}

/// Fills a home.
pub(crate) type Prepare = fn(&TestHome);
/// Whether a step is one of those that are meant.
pub(crate) type IsStep = fn(&Step) -> bool;
/// A method and its params.
pub(crate) type Call = (&'static str, Value);

/// A kind of write.
pub(crate) struct Operation {
    /// What is called. The word goes into what is written, so that two writes of a kind can be distinguished. `None`
    /// when there is nothing to do it to.
    pub(crate) call: fn(&Store, &str) -> Result<Option<Call>>,
    /// Homes that it changes, each of another kind; the first is the most common one.
    pub(crate) homes: &'static [Prepare],
    /// The file or folder whose lock it takes first.
    pub(crate) locked: fn(&Store) -> PathBuf,
    /// So many of it wait for the lock at once, and are committed together.
    pub(crate) writers: usize,
    /// Whether a crash may leave some of these and not the others.
    pub(crate) is_separable: bool,
    /// The names of the files that it writes one after the other, each of which commits a part. Empty: there is one
    /// commit.
    pub(crate) parts: &'static [&'static str],
    /// Whether the last part may fail without failing the write; the next write makes up for it.
    pub(crate) is_last_part_optional: bool,
    /// Whether it fails where no file can be renamed onto another one.
    pub(crate) is_by_rename: bool,
    /// Homes, and steps that may not be left out there.
    pub(crate) needs: &'static [(Prepare, IsStep)],
    /// What it costs, of an operation of which any number can wait and none replaces what another one wrote.
    pub(crate) syncs: Option<Syncs>,
}

/// How often an operation syncs a file or a folder.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Syncs {
    /// When it is not the first one and nobody else waits.
    pub(crate) alone: usize,
    /// When sixty-four of it wait.
    pub(crate) together: usize,
}

impl Operation {
    /// What most rows are: one commit by one writer.
    pub(crate) const fn new(
        call: fn(&Store, &str) -> Result<Option<Call>>,
        locked: fn(&Store) -> PathBuf,
        homes: &'static [Prepare],
    ) -> Self {
        Operation {
            call,
            homes,
            locked,
            writers: 1,
            is_separable: false,
            parts: &[],
            is_last_part_optional: false,
            is_by_rename: false,
            needs: &[],
            syncs: None,
        }
    }

    /// Does it; the answers are in the order of the calls.
    pub(crate) fn answers(&self, store: &Store, word: &str) -> Result<Vec<String>> {
        if self.writers == 1 {
            let call = (self.call)(store, word)?;
            return call.iter().map(|(method, params)| dispatch(store, method, &params.to_string())).collect();
        }
        let words: Vec<_> = (0..self.writers).map(|number| format!("{word} {number}")).collect();
        self.together(store, &words, || {}).into_iter().collect()
    }

    pub(crate) fn write(&self, store: &Store, word: &str) -> Result<()> {
        self.answers(store, word).map(drop)
    }

    /// Does it once for each word, all of which wait for the lock; `when_all_wait` is done just before they get it.
    pub(crate) fn together(
        &self,
        store: &Store,
        words: &[String],
        when_all_wait: impl FnOnce(),
    ) -> Vec<Result<String>> {
        let calls: Vec<_> = words.iter().filter_map(|word| (self.call)(store, word).unwrap()).collect();
        wait_together(store, &[(self.locked)(store)], &calls, &[], when_all_wait)
    }
}

/// Submits `calls` while another process holds the locks beside the files `locked`, and lets them go when each call
/// waits for one of them; those with the numbers `cancelled` are cancelled before that. The answers are in the order of
/// the calls.
pub(crate) fn wait_together(
    store: &Store,
    locked: &[PathBuf],
    calls: &[Call],
    cancelled: &[usize],
    when_all_wait: impl FnOnce(),
) -> Vec<Result<String>> {
    // What was read once is not read again behind the lock.
    view(store).unwrap();
    let fs = loopmem::testing::home(store).disk().fs();
    let held: Vec<_> = locked.iter().map(|file| hold_on(&**fs, file)).collect();
    let (asked, asks) = channel();
    let (done, outcomes) = channel();
    let mut cancels = Vec::new();
    for (number, (method, params)) in calls.iter().enumerate() {
        let (asked, done) = (asked.clone(), done.clone());
        let cancel = Cancel::polling(move || {
            let _ = asked.send(number);
            false
        });
        cancels.push(cancel.clone());
        let store = store.with(CallOptions::new().timeout(Duration::from_millis(600_000)).cancel(&cancel));
        submit(&store, (*method).to_owned(), params.to_string(), move |outcome| done.send((number, outcome)).unwrap());
    }
    let mut waiting = vec![false; calls.len()];
    while waiting.contains(&false) {
        waiting[asks.recv().unwrap()] = true;
    }
    let mut answers = BTreeMap::new();
    for number in cancelled {
        cancels[*number].cancel();
        answers.extend(outcomes.recv());
    }
    when_all_wait();
    drop(held);
    while answers.len() < calls.len() {
        answers.extend(outcomes.recv());
    }
    answers.into_values().map(|it| it.map(loopmem::methods::JsonText::into_string)).collect()
}

/// The operations of a room, each as a module with its row and the promises that are held of it.
macro_rules! operations {
    ($($(#[$about:meta])* $name:ident = $row:expr;)*) => {
        pub(crate) const OPERATIONS: &[&crate::operations::Operation] = &[$(&$name::ROW),*];
        $($(#[$about])* pub(crate) mod $name {
            use super::*;

            pub(crate) static ROW: crate::operations::Operation = $row;

            // A write of many steps takes some seconds: a test repeats it for every call, or for every state of the disk.
            #[test]
            fn survives_a_crash_anywhere() {
                crate::crash_states::survives_a_crash(&ROW);
            }

            #[test]
            fn survives_a_crash_anywhere_with_a_lock_that_is_a_file() {
                crate::crash_fallback::survives_a_crash(&ROW);
            }

            #[test]
            fn survives_a_power_cut_after_a_kill_whatever_the_killed_process_left_undone() {
                crate::crash_sequences::kill_everywhere(&ROW, 2);
            }

            #[test]
            fn survives_a_crash_in_the_write_after_a_crash() {
                crate::crash_sequences::crash_everywhere(&ROW, 2);
            }

            #[test]
            fn survives_a_failure_of_any_system_call() {
                crate::faults::survives_a_failure(&ROW, module_path!());
            }

            #[test]
            fn is_committed_once_for_all_who_wait_each_with_its_own_answer() {
                crate::commits::is_committed_together(&ROW);
            }
        })*
    };
}
use operations;

/// A way in which a file is damaged, and what the doctor says to it.
pub(crate) struct Damage {
    pub(crate) home: Prepare,
    /// The file, below the home.
    pub(crate) file: &'static str,
    /// What becomes of its bytes; `None` when it is removed.
    pub(crate) bytes: fn(Vec<u8>) -> Option<Vec<u8>>,
    /// What a look finds of the file. Nothing else is wrong with the home.
    pub(crate) faults: &'static [Fault],
    /// What a fix mends besides, by the name of the file.
    pub(crate) besides: &'static [(&'static str, Fault)],
}

/// The damages of a room, each as a module with its row and the promises that are held of it.
macro_rules! damages {
    ($($(#[$about:meta])* $name:ident = $row:expr;)*) => {
        pub(crate) const DAMAGES: &[&crate::operations::Damage] = &[$(&$name::ROW),*];
        $($(#[$about])* pub(crate) mod $name {
            use super::*;

            pub(crate) static ROW: crate::operations::Damage = $row;

            #[test]
            fn is_found_without_its_text_and_repaired_once_and_for_all() {
                crate::doctor_table::is_found_and_repaired(&ROW);
            }

            // A repair of many steps takes some seconds: it is repeated for every call, and for every state of the disk.
            #[test]
            fn loses_nothing_when_its_repair_is_stopped_anywhere() {
                crate::doctor_table::survives_a_failure(&ROW, crate::TestHome::in_memory());
            }

            #[test]
            fn loses_nothing_when_its_repair_crashes_anywhere() {
                crate::doctor_table::survives_a_crash(&ROW, crate::TestHome::in_memory());
            }
        })*
    };
}
use damages;

/// What a file says, file by file, and what a scope says, by the path of its folder; an error of one that is damaged.
/// What says nothing is left out.
pub(crate) type View = BTreeMap<PathBuf, Result<String, String>>;

/// What a reader sees of the home of `store`: nothing may be damaged.
pub(crate) fn view(store: &Store) -> Result<View, String> {
    whole(view_of_damaged(store))
}

fn whole(view: View) -> Result<View, String> {
    match view.iter().find_map(|(path, said)| Some((path, said.as_ref().err()?))) {
        Some((path, damage)) => Err(format!("{}: {damage}", path.display())),
        None => Ok(view),
    }
}

/// As [`view`], of a home in which something may be damaged.
pub(crate) fn view_of_damaged(store: &Store) -> View {
    let mut view = View::new();
    ROOMS.iter().for_each(|room| (room.read)(store, &mut view));
    // By their paths below the folder in which a test has its home.
    let top = loopmem::testing::home(store).layout().root().ancestors().nth(2).unwrap();
    let below = |path: PathBuf| path.strip_prefix(top).unwrap().to_owned();
    view.into_iter().map(|(path, said)| (below(path), said)).collect()
}

/// What another process sees of `home`: nothing may be damaged.
pub(crate) fn view_of(home: &TestHome) -> Result<View, String> {
    whole(view_of_damaged_home(home))
}

/// As [`view_of`], of a home in which something may be damaged.
///
/// A process that has just started knows nothing but the files, so the same files are looked at only once: most failures
/// and most crashes leave one of a few states.
pub(crate) fn view_of_damaged_home(home: &TestHome) -> View {
    thread_local! {
        static SEEN: RefCell<HashMap<u64, View>> = RefCell::default();
    }
    let state = state_of(home);
    let seen = SEEN.with_borrow(|seen| seen.get(&state).cloned());
    seen.unwrap_or_else(|| {
        let view = view_of_damaged(&reopen(home));
        SEEN.with_borrow_mut(|seen| seen.insert(state, view.clone()));
        view
    })
}

/// A hash of everything below the top of `home`.
pub(crate) fn state_of(home: &TestHome) -> u64 {
    hash_of(&tree_of(home))
}

/// Calls a method.
pub(crate) fn call(store: &Store, method: &str, params: &Value) -> Result<Value> {
    dispatch(store, method, &params.to_string()).map(|answer| serde_json::from_str(&answer).unwrap())
}

/// The members of what a method returns, as they are written: numbers may be larger than any of Rust.
fn members(store: &Store, method: &str, params: &Value) -> Result<BTreeMap<String, Box<RawValue>>> {
    dispatch(store, method, &params.to_string()).map(|answer| serde_json::from_str(&answer).unwrap())
}

/// The clock stands still, so that the same write makes the same bytes.
pub(crate) fn open(root: &Path, fs: Arc<dyn Fs>) -> Store {
    let options = Options::at(root)
        .codex_home(crate::codex_of(root))
        .clock("2026-01-31T12:00:00Z")
        .adapter("file")
        .summaries_max_entries(MOST)
        .checkpoints_max_entries(MOST)
        .lock_stale_after(std::time::Duration::from_millis(100))
        .append_timeout(std::time::Duration::from_millis(5_000));
    loopmem::testing::open_on(options, fs, []).unwrap()
}

/// As another process would open it.
pub(crate) fn reopen(home: &TestHome) -> Store {
    open(&home.root(), home.fs())
}

/// Another repository than [`repo`](crate::repo).
pub(crate) fn other_repo() -> RepoHash {
    RepoHash::parse(&"0a".repeat(32)).unwrap()
}

/// The repositories that have a folder.
fn repos(store: &Store) -> Vec<RepoHash> {
    let home = loopmem::testing::home(store);
    let folders = home.disk().entries(&home.layout().repos()).unwrap_or_default();
    folders.iter().filter_map(|(name, _)| RepoHash::parse(name.to_str()?).ok()).collect()
}

/// Not even the folder above the home is there.
pub(crate) fn nothing(_: &TestHome) {}

/// Nothing is stored, but the folder above the home is there.
pub(crate) fn empty(home: &TestHome) {
    home.create_folders(home.root().parent().unwrap());
}

/// Appends to a file of the home.
pub(crate) fn append_to(home: &TestHome, file: &str, bytes: impl AsRef<[u8]>) {
    home.write_as(&home.root().join(file), Open::Append, bytes.as_ref());
}

/// Half of what each of these files says is copied over it when its writer dies; all of it stands beside it.
pub(crate) fn half_copy(home: &TestHome, files: &[&str]) {
    for file in files {
        let file = home.root().join(file);
        let whole = home.read(&file).unwrap();
        home.write(Path::new(&format!("{}.copying", file.display())), &whole);
        home.write(&file, &whole[..whole.len() / 2]);
    }
}

/// Whether a step syncs a folder with this path below the top.
pub(crate) fn syncs_folder(step: &Step, folder: impl AsRef<Path>) -> bool {
    matches!(step, Step::SyncFolder(path) if path == folder.as_ref())
}

/// Whether a step syncs a file whose name begins so.
pub(crate) fn syncs_file(step: &Step, name: &str) -> bool {
    matches!(step, Step::Sync(path, _) if path.file_name().is_some_and(|it| it.as_encoded_bytes().starts_with(name.as_bytes())))
}
