//! Items of several processes: none that was acknowledged is lost, whatever happens to the process, the database or the index.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use loopmem::items::{Filter, ItemDraft, ItemType, Items, MemoryStore as _, RecallQuery, Scope};
use loopmem::items::{JsonlMemoryStore, RecallContext, SqliteMemoryStore, factory, migrate, recall_for};
use loopmem::testing::sqlite::rusqlite::Connection;
use loopmem::{ErrorKind, ItemsBackend, Options, Store};

use crate::{TestHome, start, started_on};

/// The items of a workspace beside a home.
fn items(home: &Path, backend: ItemsBackend) -> Items {
    let workspace = home.join("workspace");
    std::fs::create_dir_all(&workspace).unwrap();
    let options = Options::at(home.join("home")).codex_home(home.join("codex")).items_backend(backend);
    Store::open(options).unwrap().items(workspace)
}

fn note(content: impl Into<String>) -> ItemDraft {
    ItemDraft::new(Scope::Repo, ItemType::Note, content)
}

fn contents(items: &Items) -> Vec<String> {
    let mut contents: Vec<_> = items.list(&Filter::all()).unwrap().iter().map(|item| item.content.clone()).collect();
    contents.sort();
    contents
}

/// The process that is killed.
#[test]
#[ignore = "the part of another process"]
fn adds_items_until_it_is_killed() {
    let Some(home) = started_on() else { return };
    let backend = if home.join("in-sqlite").exists() { ItemsBackend::Sqlite } else { ItemsBackend::Jsonl };
    let items = items(&home, backend);
    for number in 0.. {
        let content = format!("process {} added item {number}", std::process::id());
        items.add(note(&content)).unwrap();
        println!("stored {content}");
        if number % 3 == 2 {
            items.recall(&RecallQuery::new("which process added it?")).unwrap();
        }
    }
}

#[test]
fn every_acknowledged_item_survives_kill_9_and_is_recalled() {
    for backend in [ItemsBackend::Jsonl, ItemsBackend::Sqlite] {
        let home = TestHome::new();
        if backend == ItemsBackend::Sqlite {
            std::fs::create_dir_all(home.root()).unwrap();
            std::fs::write(home.root().join("in-sqlite"), "").unwrap();
        }
        let mut acknowledged = Vec::new();
        for wanted in [1, 4, 9] {
            let (mut child, mut said) = start("items_processes::adds_items_until_it_is_killed", &home.root());
            while acknowledged.len() < wanted {
                let line = said.next().unwrap().unwrap();
                acknowledged.extend(line.strip_prefix("stored ").map(str::to_owned));
            }
            child.kill().unwrap();
            child.wait().unwrap();
            acknowledged
                .extend(said.map_while(Result::ok).filter_map(|it| Some(it.strip_prefix("stored ")?.to_owned())));
        }
        let items = items(&home.root(), backend);
        let stored = contents(&items);
        for content in &acknowledged {
            assert!(stored.contains(content), "{backend:?}: {content}");
            let recall = items.recall(&RecallQuery::new(content)).unwrap();
            assert_eq!(&recall.items[0].item.content, content, "{backend:?}");
        }
    }
}

/// One of two processes that migrate at once.
#[test]
#[ignore = "the part of another process"]
fn migrates() {
    let Some(home) = started_on() else { return };
    println!("copied {}", items(&home, ItemsBackend::Jsonl).migrate(ItemsBackend::Sqlite).unwrap().copied);
}

#[test]
fn two_processes_that_migrate_at_once_copy_each_item_once() {
    let home = TestHome::new();
    let source = items(&home.root(), ItemsBackend::Jsonl);
    for number in 0..50 {
        source.add(note(format!("item {number}"))).unwrap();
    }
    let children = [(); 2].map(|()| start("items_processes::migrates", &home.root()));
    let mut copied = 0;
    for (mut child, said) in children {
        copied += said
            .map_while(Result::ok)
            .filter_map(|line| line.strip_prefix("copied ")?.parse::<usize>().ok())
            .sum::<usize>();
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(copied, 50);
    assert_eq!(contents(&items(&home.root(), ItemsBackend::Sqlite)), contents(&source));
}

#[test]
fn a_damaged_database_of_items_is_an_error_and_stays_as_it_is() {
    let home = TestHome::new();
    let stored = items(&home.root(), ItemsBackend::Sqlite);
    let file = home.root().join("workspace/.codex/memory/items.sqlite");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let bytes = "not a database, but somebody's text\n".repeat(40);
    std::fs::write(&file, &bytes).unwrap();
    for error in [stored.add(note("x")).unwrap_err(), stored.recall(&RecallQuery::new("x")).unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::Parse, "{error}");
        assert!(error.to_string().contains("items.sqlite"), "{error}");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), bytes);
}

#[test]
fn a_database_that_another_program_is_writing_to_is_busy_and_not_skipped() {
    let home = TestHome::new();
    let options = Options::at(home.root().join("home")).codex_home(home.root().join("codex"));
    let options = options
        .items_backend(ItemsBackend::Sqlite)
        .lock_timeout(Duration::from_millis(100))
        .append_timeout(Duration::from_millis(100));
    let workspace = home.root().join("workspace");
    std::fs::create_dir_all(&workspace).unwrap();
    let stored = Store::open(options).unwrap().items(workspace.as_path());
    stored.add(note("the first")).unwrap();
    let other = Connection::open(workspace.join(".codex/memory/items.sqlite")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let busy = stored.add(note("the second")).unwrap_err();
    assert!(busy.retryable(), "{busy:?}");
    assert_eq!(stored.recall(&RecallQuery::new("first")).unwrap().items.len(), 1);
    other.execute_batch("COMMIT").unwrap();
    stored.add(note("the second")).unwrap();
    assert_eq!(contents(&stored), ["the first", "the second"]);
}

/// Calls the functions that the specification names; they find the home in the environment.
#[test]
#[ignore = "the part of another process"]
fn uses_the_names_of_the_specification() {
    let Some(home) = started_on() else { return };
    let root = home.join("workspace");
    std::fs::create_dir_all(&root).unwrap();
    assert_eq!(factory::choose_backend_from_env().unwrap(), ItemsBackend::Jsonl);
    let repo = factory::open_repo_store(&root).unwrap();
    repo.add(note("The proxy listens on port 8443.")).unwrap();
    let global = factory::open_global_store().unwrap();
    global.add(ItemDraft::new(Scope::Global, ItemType::Pref, "Answer in German.")).unwrap();
    let recall = recall_for("which port has the proxy?", &RecallContext::in_workspace(root.as_path())).unwrap();
    assert_eq!(
        recall.items.iter().map(|it| it.item.content.as_str()).collect::<Vec<_>>(),
        ["The proxy listens on port 8443."]
    );
    let (lines, database) = (root.join(".codex/memory/items.jsonl"), home.join("copy.sqlite"));
    assert_eq!(migrate::migrate_jsonl_to_sqlite(&lines, &database).unwrap().copied, 1);
    let copies = SqliteMemoryStore::open(&database).unwrap().list(&Filter::all()).unwrap();
    let originals = JsonlMemoryStore::open(&lines).unwrap().list(&Filter::all()).unwrap();
    assert_eq!(copies[0].id, originals[0].id);
    println!("done");
}

#[test]
fn the_names_of_the_specification_are_there_for_rust() {
    let home = TestHome::new();
    let part = ["--exact", "items_processes::uses_the_names_of_the_specification", "--ignored", "--nocapture"];
    let output = Command::new(std::env::current_exe().unwrap())
        .args(part)
        .env(crate::HOME, home.root())
        .env("LOOPMEM_HOME", home.root().join("home"))
        .env("CODEX_HOME", home.root().join("codex"))
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("done"), "{output:?}");
}

#[test]
fn a_counter_of_changes_at_its_maximum_does_not_stop_changes() {
    let home = TestHome::new();
    let items = items(&home.root(), ItemsBackend::Sqlite);
    items.add(note("first")).unwrap();
    for value in ["9223372036854775807", "9.3e18", "'text'"] {
        let sql = format!("UPDATE meta SET value = {value} WHERE name = 'generation'");
        Connection::open(home.root().join("workspace/.codex/memory/items.sqlite"))
            .unwrap()
            .execute_batch(&sql)
            .unwrap();
        for _ in 0..2 {
            let added = items.add(note(value)).unwrap();
            assert_eq!(items.get(&added.id).unwrap().content, value);
        }
    }
    assert_eq!(items.list(&Filter::all()).unwrap().len(), 7);
}

#[test]
fn the_doctor_finds_a_counter_of_changes_that_is_no_count_and_repairs_it() {
    let home = TestHome::new();
    let workspace = home.root().join("workspace");
    std::fs::create_dir_all(&workspace).unwrap();
    let options = Options::at(home.root().join("home")).codex_home(home.root().join("codex"));
    let store = Store::open(options.items_backend(ItemsBackend::Sqlite)).unwrap();
    let add = || store.items(&workspace).add(ItemDraft::new(Scope::Global, ItemType::Note, "a note")).unwrap();
    let first = add().id.clone();
    let sql = "UPDATE meta SET value = 9223372036854775807 WHERE name = 'generation'";
    Connection::open(home.root().join("codex/memory/items.sqlite")).unwrap().execute_batch(sql).unwrap();
    assert!(!store.doctor().check().unwrap().findings.is_empty());
    store.doctor().fix().unwrap();
    assert!(store.doctor().check().unwrap().findings.iter().all(|it| it.fault != loopmem::doctor::Fault::Damaged));
    let second = add().id.clone();
    for id in [first, second] {
        assert_eq!(store.items(&workspace).get(&id).unwrap().content, "a note");
    }
}
