//! What is removed or replaced can be brought back, and is lost at no moment.

use std::path::{Path, PathBuf};

use loopmem::repos::Forgetting;
use loopmem::undo::Removal;
use loopmem::{ErrorKind, ItemsBackend, Options, Store};
use serde_json::{Value, json};

use crate::file_systems::{Fault, Faulty, Recording, fault_rotation, tries_all_faults};
use crate::operations::{call, wait_together};
use crate::simulated_disk::SimulatedDisk;
use crate::{TestHome, crash_trial, repo};

fn options(home: &TestHome) -> Options {
    Options::at(home.root()).codex_home(crate::codex_of(&home.root())).clock("2026-01-31T12:00:00Z").keep_replaced(true)
}

fn open(home: &TestHome) -> Store {
    loopmem::testing::open_on(options(home), home.fs(), []).unwrap()
}

/// A folder without items of its own, which is no repository.
const WORKSPACE: &str = "/";

/// Of the repository of these tests, of items and of jobs.
fn removals(store: &Store) -> Vec<Removal> {
    let mut all = store.undo().list(&store.repo_at(&repo())).unwrap();
    all.extend(store.undo().list(&store.repo(WORKSPACE).unwrap()).unwrap());
    all
}

fn entry(store: &Store, preview: &str) -> Value {
    json!({ "id": removals(store).iter().find(|it| it.preview.contains(preview)).unwrap().id })
}

fn of_repo(params: Value) -> Value {
    let mut params = params;
    params["repoHash"] = json!(repo());
    params
}

fn note(store: &Store, id: &str, content: &str) {
    let params = of_repo(json!({ "note": { "id": id, "content": content } }));
    call(store, "memory.upsertNote", &params).unwrap();
}

/// A change that takes a record away, of a home with a record in each room.
struct Loss {
    name: &'static str,
    method: &'static str,
    params: fn(&Store) -> Value,
}

/// Every kind of change that takes a record from where it is.
const LOSSES: &[Loss] = &[
    Loss { name: "a removal", method: "memory.remove", params: |_| of_repo(json!({ "id": "kept" })) },
    Loss {
        name: "a replacement",
        method: "memory.upsertNote",
        params: |_| of_repo(json!({ "note": { "id": "kept", "content": "of another" } })),
    },
    Loss { name: "a restoration of another version", method: "undo.restore", params: |store| entry(store, "before") },
    Loss { name: "a restoration", method: "undo.restore", params: |store| entry(store, "gone note") },
    Loss { name: "a removal of summaries", method: "summary.remove", params: |_| of_repo(json!({ "runId": "kept" })) },
    Loss { name: "a restoration of a summary", method: "undo.restore", params: |store| entry(store, "gone step") },
    Loss {
        name: "a removal of an item",
        method: "items.remove",
        params: |_| json!({ "workspace": WORKSPACE, "id": "kept" }),
    },
    Loss {
        name: "a removal of items",
        method: "items.remove",
        params: |_| json!({ "workspace": WORKSPACE, "tag": "some" }),
    },
    Loss {
        name: "an update of an item",
        method: "items.update",
        params: |_| json!({ "workspace": WORKSPACE, "id": "kept", "patch": { "content": "of another" } }),
    },
    Loss {
        name: "an import of an item",
        method: "items.import",
        params: |_| {
            json!({
                "workspace": WORKSPACE, "scope": "global", "onConflict": "replace",
                "items": [{ "id": "kept", "content": "of another" }],
            })
        },
    },
    Loss { name: "a restoration of an item", method: "undo.restore", params: |store| entry(store, "gone item") },
    Loss { name: "forgetting the repository", method: "repo.forget", params: |_| of_repo(json!({ "all": true })) },
    Loss { name: "a deletion of a job", method: "working.deleteScope", params: |_| json!({ "scopeId": "kept" }) },
    Loss { name: "a restoration of a job", method: "undo.restore", params: |store| entry(store, "gone job") },
];

/// The texts that no loss may lose.
const TEXTS: &[&str] = &[
    "precious note",
    "before",
    "gone note",
    "precious step",
    "gone step",
    "precious item",
    "gone item",
    "precious job",
    "gone job",
];

fn step(store: &Store, run: &str, text: &str) {
    let params = of_repo(json!({ "runId": run, "stepId": "s", "summary": text, "tags": ["t"] }));
    call(store, "summary.append", &params).unwrap();
}

fn item(id: &str, content: &str) -> String {
    let item = json!({
        "id": id, "created_at": "2025-01-01T00:00:00Z", "updated_at": "2025-01-01T00:00:00Z", "scope": "global",
        "status": "active", "type": "note", "content": content, "tags": ["some"],
    });
    format!("{item}\n")
}

fn job(store: &Store, id: &str, text: &str) {
    let params = json!({ "scopeId": id, "patch": { "text": text } });
    call(store, "working.updateContext", &params).unwrap();
}

fn filled() -> TestHome {
    let home = TestHome::in_memory();
    let store = open(&home);
    note(&store, "kept", "before");
    note(&store, "kept", "precious note");
    note(&store, "removed", "gone note");
    step(&store, "kept", "precious step");
    step(&store, "removed", "gone step");
    home.create_folders(&home.codex().join("memory"));
    home.write(&home.codex().join("memory/items.jsonl"), item("kept", "precious item") + &item("removed", "gone item"));
    job(&store, "kept", "precious job");
    job(&store, "removed", "gone job");
    for (method, params) in [
        ("memory.remove", of_repo(json!({ "id": "removed" }))),
        ("summary.remove", of_repo(json!({ "runId": "removed" }))),
        ("items.remove", json!({ "workspace": WORKSPACE, "id": "removed" })),
        ("working.deleteScope", json!({ "scopeId": "removed" })),
    ] {
        assert_eq!(call(&store, method, &params).unwrap()["removed"], true, "{method}");
    }
    home
}

/// What is stored in every room.
fn stored(store: &Store) -> String {
    let mut all = call(store, "memory.get", &of_repo(json!({}))).unwrap().to_string();
    all.push_str(&call(store, "items.list", &json!({ "workspace": WORKSPACE })).unwrap().to_string());
    for scope in store.working().list_scopes().unwrap() {
        all.push_str(store.working().get_context(&scope).unwrap().json().get());
    }
    all
}

/// Each text is in its room or in the trash.
#[track_caller]
fn assert_nothing_lost(home: &TestHome, at: &str) {
    let store = open(home);
    let stored = stored(&store);
    let trash = removals(&store).iter().map(|it| it.record.get().to_owned()).collect::<String>();
    for text in TEXTS {
        assert!(stored.contains(text) || trash.contains(text), "{at}: {text} is lost; {stored} {trash}");
    }
}

#[test]
fn a_record_is_in_its_place_or_in_the_trash_whichever_call_fails() {
    for (number, loss) in LOSSES.iter().enumerate() {
        let fault = [Fault::Stop, Fault::DiskFull][number % 2];
        let filled = filled();
        let params = (loss.params)(&open(&filled));
        // Every third call, others with each commit.
        let step = if tries_all_faults() { 1 } else { 3 };
        for nth in (1 + fault_rotation() % step..).step_by(step) {
            let (home, faulty) = (filled.copy(), Faulty::default());
            let store = loopmem::testing::open_on(options(&home), faulty.on(home.fs()), []).unwrap();
            faulty.arm(nth, fault);
            let outcome = call(&store, loss.method, &params);
            let has_struck = faulty.disarm();
            let at = format!("{}, {fault:?} in call {nth}: {outcome:?}", loss.name);
            assert_nothing_lost(&home, &at);
            // The same process tries again, and is content or finds that it was done.
            if outcome.is_err() {
                let again = call(&store, loss.method, &params);
                let is_done = again.as_ref().map_or_else(|error| error.kind() == ErrorKind::NotFound, |_| true);
                assert!(is_done, "{at}, and then {again:?}");
                assert_nothing_lost(&home, &at);
            }
            if !has_struck {
                assert!(outcome.is_ok() && nth > 8, "{at}");
                break;
            }
        }
    }
}

#[test]
fn a_record_is_in_its_place_or_in_the_trash_after_a_power_cut_at_any_moment() {
    for loss in LOSSES {
        let home = filled();
        let params = (loss.params)(&open(&home));
        let mut disk = SimulatedDisk::holding(&crash_trial::tree_of(&home));
        let recording = Recording::default();
        let store = loopmem::testing::open_on(options(&home), recording.on(home.fs()), []).unwrap();
        call(&store, loss.method, &params).unwrap();
        for step in recording.take() {
            disk.apply(&step);
            for state in disk.states() {
                assert_nothing_lost(&crash_trial::home_of(&state, false), loss.name);
            }
        }
    }
}

#[test]
fn what_was_removed_comes_back_in_every_room_and_in_its_order() {
    let home = filled();
    let store = open(&home);
    step(&store, "later", "the last step");
    let removals_of = ["a removal", "a removal of summaries", "a removal of an item", "a deletion of a job"];
    for loss in LOSSES.iter().filter(|loss| removals_of.contains(&loss.name)) {
        call(&store, loss.method, &(loss.params)(&store)).unwrap();
    }
    for preview in TEXTS.iter().filter(|text| **text != "before") {
        let found = removals(&store).into_iter().find(|it| it.preview.contains(*preview));
        let id = found.unwrap_or_else(|| panic!("{preview} is not in the trash")).id;
        let restored = call(&store, "undo.restore", &json!({ "id": id })).unwrap();
        assert!(restored["record"].to_string().contains(preview), "{restored}");
    }
    let stored = stored(&store);
    for text in TEXTS.iter().filter(|text| **text != "before") {
        assert!(stored.contains(text), "{text}: {stored}");
    }
    let steps = store.repo_at(&repo()).summaries().list(loopmem::summary::Filter::all()).unwrap();
    assert_eq!(steps.len(), 3);
    // Its history can be told again, and the doctor finds nothing.
    assert_eq!(call(&store, "working.history", &json!({ "scopeId": "kept" })).unwrap().as_array().unwrap().len(), 1);
    assert_eq!(crate::look(&store, false).unwrap().findings, []);
}

#[test]
fn a_damaged_trash_is_found_and_repaired_in_every_room() {
    let home = filled();
    let store = open(&home);
    let layout = loopmem::testing::home(&store).layout().clone();
    let items =
        home.entries().into_iter().find(|it| it.starts_with(layout.all_items_state()) && it.ends_with("trash.jsonl"));
    let places = [layout.trash(&repo()), layout.working_trash(), items.unwrap()];
    for path in &places {
        let bytes = [&home.read(path).unwrap()[..], b"of nobody's business\n{\"id\":1}\n"].concat();
        home.write(path, bytes);
    }
    let before = removals(&open(&home)).len();
    let store = open(&home);
    let found = crate::look(&store, false).unwrap().findings;
    assert_eq!(
        found.iter().filter(|it| it.fault == loopmem::doctor::Fault::Damaged).count(),
        places.len(),
        "{found:#?}"
    );
    crate::look(&store, true).unwrap();
    assert_eq!(removals(&open(&home)).len(), before);
}

#[test]
fn a_record_comes_back_byte_for_byte_whatever_fields_and_white_space_it_has() {
    let home = TestHome::new();
    let record = "{\"id\":\"n\",\"content\":\"c\",\"source\":\"agent\",\"createdAt\":\"2025\",\"updatedAt\":\"2025\",\"far\":[1e400,1.50]}";
    let spread = record.replace(",\"far", ",\n  \"far");
    let file = home.folder().join("memory.json");
    std::fs::create_dir_all(home.folder()).unwrap();
    let before = format!("{{\"schemaVersion\":1,\"notes\":[{spread}]}}");
    std::fs::write(&file, before).unwrap();
    let store = open(&home);
    assert!(store.repo_at(&repo()).memory().remove("n").unwrap());
    let [removal] = &removals(&store)[..] else { panic!("one entry") };
    assert_eq!(removal.record.get(), record);
    // A line of its own, whatever the file was like.
    let trash = std::fs::read_to_string(home.folder().join("trash.jsonl")).unwrap();
    assert_eq!(trash.lines().count(), 1);
    store.undo().restore(&removal.id[..8]).unwrap();
    assert!(std::fs::read_to_string(&file).unwrap().contains(record));
    // A crash before the entry was taken out: it is there already.
    std::fs::write(home.folder().join("trash.jsonl"), trash).unwrap();
    let store = open(&home);
    store.undo().restore(&removals(&store)[0].id).unwrap();
    assert_eq!(removals(&store).len(), 0);
}

#[test]
fn records_that_many_remove_at_once_are_all_in_the_trash() {
    let home = TestHome::in_memory();
    let store = open(&home);
    let ids: Vec<String> = (0..20).map(|number| format!("n{number}")).collect();
    ids.iter().for_each(|id| note(&store, id, id));
    let calls: Vec<_> = ids.iter().map(|id| ("memory.remove", of_repo(json!({ "id": id })))).collect();
    let locked: PathBuf = loopmem::testing::home(&store).layout().memory(&repo());
    for answer in wait_together(&store, &[locked], &calls, &[], || {}) {
        assert_eq!(answer.unwrap(), r#"{"removed":true}"#);
    }
    let mut removed: Vec<_> = removals(&store).into_iter().map(|it| it.record_id).collect();
    removed.sort_by_key(|id| id[1..].parse::<usize>().unwrap());
    assert_eq!(removed, ids);
}

#[test]
fn entries_expire_and_are_dropped_by_the_next_removal() {
    let home = TestHome::in_memory();
    let store = open(&home);
    note(&store, "first", "1");
    note(&store, "second", "2");
    store.repo_at(&repo()).memory().remove("first").unwrap();
    let at = |clock: &str| loopmem::testing::open_on(options(&home).clock(clock), home.fs(), []).unwrap();
    assert_eq!(removals(&at("2026-03-02T11:59:59Z")).len(), 1);
    let later = at("2026-03-02T12:00:00Z");
    assert_eq!(removals(&later).len(), 0);
    later.repo_at(&repo()).memory().remove("second").unwrap();
    // Not even for one whose clock is wrong.
    assert_eq!(removals(&store).iter().map(|it| &*it.record_id).collect::<Vec<_>>(), ["second"]);
    let kept = Options::trash_keep_days(options(&home).clock("2027-01-01T00:00:00Z"), 400);
    assert_eq!(removals(&loopmem::testing::open_on(kept, home.fs(), []).unwrap()).len(), 1);
}

#[test]
fn a_trash_that_is_damaged_elsewhere_prevents_no_restoration() {
    let home = TestHome::in_memory();
    let store = open(&home);
    note(&store, "n", "c");
    store.repo_at(&repo()).memory().remove("n").unwrap();
    let other = loopmem::testing::home(&store).layout().trash(&crate::operations::other_repo());
    home.create_folders(other.parent().unwrap());
    home.write(&other, b"{\"v\":2}\n");
    let missing = store.undo().restore("ffffffff").unwrap_err();
    assert_eq!((missing.kind(), missing.path()), (ErrorKind::FormatTooNew, Some(&*other)), "it may be there");
    store.undo().restore(&removals(&store)[0].id).unwrap();
}

/// What must be found nowhere.
const MARKER: &str = "quokkamarker";

/// The files of a home that contain the marker.
fn traces(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(traces(&path));
        } else if String::from_utf8_lossy(&std::fs::read(&path).unwrap()).contains(MARKER) {
            found.push(path);
        }
    }
    found
}

/// A home and a workspace on the real file system.
struct Marked {
    folder: tempfile::TempDir,
    backend: ItemsBackend,
}

impl Marked {
    fn new(backend: ItemsBackend) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("workspace")).unwrap();
        std::fs::write(folder.path().join("workspace/lib.rs"), format!("pub fn {MARKER}() {{}}\n")).unwrap();
        Marked { folder, backend }
    }

    fn workspace(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("workspace")
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn open(&self) -> Store {
        let adapter = if self.backend == ItemsBackend::Sqlite { "sqlite" } else { "file" };
        let options = Options::at(self.home()).codex_home(self.folder.path().join("home/codex"));
        let options = options.items_backend(self.backend).adapter(adapter).keep_replaced(true);
        loopmem::testing::open_on(options, std::sync::Arc::new(loopmem::testing::disk::RealFs), []).unwrap()
    }

    /// Fills every room with records that have the marker, in several versions, some of which are in the trash.
    fn fill(&self, store: &Store) {
        let here = json!(self.workspace());
        let of_here = |params: Value| {
            let mut params = params;
            params["workspace"] = here.clone();
            params
        };
        for text in ["the first", "the second"] {
            let text = format!("{text} {MARKER}");
            for (method, draft) in [
                ("memory.upsertConvention", json!({ "convention": { "id": "c", "title": text, "content": "c" } })),
                ("memory.upsertDecision", json!({ "decision": { "id": "d", "summary": "d", "rationale": text } })),
                (
                    "memory.upsertNote",
                    json!({ "note": { "id": "n", "content": text, "extra": { "mine": { MARKER: 1 } } } }),
                ),
                ("summary.append", json!({ "runId": "r", "stepId": "s", "summary": text })),
                (
                    "items.import",
                    json!({
                        "scope": "global", "onConflict": "replace",
                        "items": [{ "id": format!("{MARKER} id"), "content": text, "tags": ["marked"] }],
                    }),
                ),
                ("items.recall", json!({ "prompt": MARKER })),
            ] {
                call(store, method, &of_here(draft)).unwrap();
            }
            job(store, "job", &text);
            call(store, "working.addLog", &json!({ "scopeId": "job", "entry": { "content": text } })).unwrap();
            call(store, "working.saveCheckpoint", &json!({ "jobId": "job" })).unwrap();
            call(store, "working.deleteScope", &json!({ "scopeId": "job" })).unwrap();
            job(store, "job", &text);
        }
        call(store, "index.map", &of_here(json!({ "maxChars": 1_000, "prompt": MARKER }))).unwrap();
        // What repairs left of damage.
        for file in self.files() {
            let name = file.file_name().unwrap().to_str().unwrap();
            let is_data = [".json", ".jsonl"].iter().any(|end| name.ends_with(end));
            for suffix in
                ["torn", "damaged", "damaged-2", "a1.tmp"].iter().filter(|_| is_data && name != "repo-map.json")
            {
                std::fs::write(file.with_file_name(format!("{name}.{suffix}")), MARKER).unwrap();
            }
            // And damage that no repair has seen.
            if ["trash.jsonl", "summaries.jsonl"].contains(&name) {
                let damaged =
                    [&std::fs::read(&file).unwrap()[..], MARKER.as_bytes(), b"\n{\"torn\": \"", MARKER.as_bytes()];
                std::fs::write(&file, damaged.concat()).unwrap();
            }
        }
    }

    /// All files of the home.
    fn files(&self) -> Vec<PathBuf> {
        fn below(folder: &Path) -> Vec<PathBuf> {
            let entries = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
            entries.flat_map(|path| if path.is_dir() { below(&path) } else { vec![path] }).collect()
        }
        below(&self.home())
    }
}

#[test]
fn a_purge_leaves_no_byte_of_a_record_in_the_home() {
    for backend in [ItemsBackend::Jsonl, ItemsBackend::Sqlite] {
        let marked = Marked::new(backend);
        let store = marked.open();
        marked.fill(&store);
        let repo = store.repo(marked.workspace()).unwrap();
        assert!(!traces(&marked.home()).is_empty());
        for id in ["c", "d", "n"] {
            assert!(repo.memory().purge(id).unwrap());
        }
        assert_eq!(repo.summaries().purge(loopmem::summary::Which::default().run("r")).unwrap(), 2);
        let items = store.items(marked.workspace());
        assert_eq!(items.purge_matching(&loopmem::items::Filter::all().tag("marked".to_owned())).unwrap(), 1);
        assert!(store.working().purge_scope("job").unwrap());
        // The index and the names of the repository are not of a record.
        let is_of_record =
            |path: &PathBuf| !["indexes", "repo.json"].iter().any(|it| path.to_str().unwrap().contains(it));
        let left: Vec<_> = traces(&marked.home()).into_iter().filter(is_of_record).collect();
        assert_eq!(left, Vec::<PathBuf>::new());
        // The file in the repository is not part of it.
        let forgotten = store.repos().forget(&repo, Forgetting::default().purge(true)).unwrap();
        assert_eq!((forgotten.identities.len(), forgotten.removed.total()), (1, 0));
        assert_eq!(traces(&marked.home()), Vec::<PathBuf>::new());
        assert_eq!(crate::look(&store, false).unwrap().findings, []);
    }
}

#[test]
fn forgetting_a_repository_for_good_leaves_no_byte_of_it_and_nothing_else_is_lost() {
    let marked = Marked::new(ItemsBackend::Jsonl);
    let store = marked.open();
    marked.fill(&store);
    note(&store, "of another", "repository");
    let repo = store.repo(marked.workspace()).unwrap();
    // Damage does not keep it.
    std::fs::write(marked.home().join(format!("repos/{}/memory.json", repo.hash())), format!("{{{MARKER}")).unwrap();
    let unreadable = store.repos().forget(&repo, Forgetting::default()).unwrap_err();
    assert_eq!(unreadable.kind(), ErrorKind::Parse);
    let forgotten = store.repos().forget(&repo, Forgetting::default().purge(true)).unwrap();
    assert_eq!(forgotten.removed.of("summaries"), 2);
    let folder = marked.home().join("repos").join(repo.hash().as_str());
    assert!(traces(&folder).is_empty() && traces(&marked.home().join("indexes")).is_empty());
    let left: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    assert!(
        left.iter().all(|name| name == "indexes" || name.ends_with(".lock") || name.ends_with(".gate")),
        "{left:?}"
    );
    let names: Vec<_> = store.repos().list().unwrap().into_iter().map(|known| known.repo_hash).collect();
    assert_eq!(names, [crate::repo()]);
    // The index is made again, and so is the memory.
    let params = json!({ "workspace": marked.workspace(), "maxChars": 1_000 });
    assert!(call(&store, "index.map", &params).unwrap()["text"].as_str().unwrap().contains(MARKER));
    repo.memory().upsert(loopmem::memory::Note::draft("again")).unwrap();
}

#[test]
fn forgetting_a_repository_is_undone_record_by_record_and_a_trash_that_is_too_small_refuses_it() {
    let home = TestHome::in_memory();
    let store = open(&home);
    (0..5).for_each(|number| note(&store, &format!("n{number}"), "c"));
    step(&store, "r", "what it did");
    let repo = store.repo_at(&repo());
    let before = stored(&store);
    let dry = store.repos().forget(&repo, Forgetting::default().dry_run(true)).unwrap();
    assert_eq!((dry.removed.of("notes"), dry.removed.of("summaries")), (5, 1));
    assert_eq!(stored(&store), before);
    assert_eq!(store.repos().forget(&repo, Forgetting::default()).unwrap(), dry);
    // It is listed as long as something can be brought back.
    assert_eq!((store.repos().list().unwrap().len(), removals(&store).len()), (1, 6));
    for removal in removals(&store).into_iter().rev() {
        store.undo().restore(&removal.id).unwrap();
    }
    assert_eq!(stored(&store), before);
    // More than a trash keeps.
    let note = |number| {
        format!(
            "{{\"id\":\"n{number}\",\"content\":\"c\",\"source\":\"agent\",\"createdAt\":\"2025\",\"updatedAt\":\"2025\"}}"
        )
    };
    let notes: Vec<String> = (0..10_001).map(note).collect();
    let layout = loopmem::testing::home(&store).layout().clone();
    home.write(&layout.memory(repo.hash()), format!("{{\"schemaVersion\":1,\"notes\":[{}]}}", notes.join(",")));
    let store = open(&home);
    let repo = store.repo_at(repo.hash());
    let refused = store.repos().forget(&repo, Forgetting::default()).unwrap_err();
    assert!(refused.message().contains("With purge"), "{refused}");
    assert_eq!(repo.memory().get().unwrap().notes().unwrap().len(), 10_001);
    assert_eq!(store.repos().forget(&repo, Forgetting::default().purge(true)).unwrap().removed.of("notes"), 10_001);
}
