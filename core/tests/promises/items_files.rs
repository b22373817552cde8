//! Items in files that people, git and other programs write too.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use loopmem::items::{Filter, Import, ItemDraft, ItemPatch, ItemType, Items, RecallQuery, Scope};
use loopmem::testing::disk::{Fields, RealFs};
use loopmem::testing::sqlite::rusqlite;
use loopmem::{CallOptions, Cancel, ErrorKind, ItemsBackend, Options, Redactions, Store};
use serde_json::json;

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Place(tempfile::tempdir().unwrap());
        std::fs::create_dir(place.workspace()).unwrap();
        place
    }

    fn workspace(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap().join("workspace")
    }

    fn memory(&self) -> PathBuf {
        self.workspace().join(".codex/memory")
    }

    fn options(&self) -> Options {
        Options::at(self.0.path().join("home")).codex_home(self.0.path().join("codex"))
    }

    fn store(&self, options: Options, environment: &[(&str, &Path)]) -> Store {
        let environment = environment.iter().map(|(name, path)| ((*name).into(), path.as_os_str().to_owned()));
        loopmem::testing::open_on(options, Arc::new(RealFs), environment).unwrap()
    }

    fn items(&self, backend: ItemsBackend) -> Items {
        self.store(self.options().items_backend(backend), &[]).items(self.workspace())
    }

    fn put(&self, text: &str) {
        std::fs::create_dir_all(self.memory()).unwrap();
        std::fs::write(self.memory().join("items.jsonl"), text).unwrap();
    }
}

fn line(id: &str, content: &str, more: &str) -> String {
    format!(
        "{{\"id\":\"{id}\",\"created_at\":\"2025-01-01T00:00:00Z\",\"updated_at\":\"2025-01-01T00:00:00Z\",\
         \"scope\":\"repo\",\"status\":\"active\",\"type\":\"note\",\"content\":\"{content}\"{more}}}"
    )
}

fn note(content: &str) -> ItemDraft {
    ItemDraft::new(Scope::Repo, ItemType::Note, content)
}

fn contents(items: &Items) -> Vec<String> {
    items.list(&Filter::all()).unwrap().iter().map(|item| item.content.clone()).collect()
}

#[test]
fn git_is_offered_only_the_items_in_either_backend() {
    for backend in [ItemsBackend::Jsonl, ItemsBackend::Sqlite] {
        let place = Place::new();
        let git = |args: &[&str]| {
            let run = std::process::Command::new("git").args(args).current_dir(place.workspace()).output().unwrap();
            String::from_utf8(run.stdout).unwrap()
        };
        git(&["init", "-q"]);
        assert_eq!(place.items(backend).archive("none").unwrap_err().kind(), ErrorKind::NotFound);
        assert!(!place.memory().join(".gitignore").exists(), "a change that fails creates nothing");
        place.items(backend).add(note("one")).unwrap();
        let offered = git(&["status", "--porcelain", "--untracked-files=all"]);
        let expected = if backend == ItemsBackend::Jsonl { "?? .codex/memory/items.jsonl\n" } else { "" };
        assert_eq!(offered, expected);
    }
}

#[test]
fn beside_a_file_that_the_environment_names_nothing_is_hidden_from_git() {
    let place = Place::new();
    let file = place.workspace().join("memory.jsonl");
    let store = place.store(place.options(), &[("CODEX_MEMORY_REPO_JSONL", &file)]);
    store.items(place.workspace()).add(note("one")).unwrap();
    assert!(file.exists());
    assert!(!place.workspace().join(".gitignore").exists());
}

#[test]
fn a_migration_copies_each_place_to_the_same_place() {
    let place = Place::new();
    let sub = place.workspace().join("sub");
    std::fs::create_dir_all(sub.join(".codex/memory")).unwrap();
    std::process::Command::new("git").args(["init", "-q"]).current_dir(place.workspace()).status().unwrap();
    // In JSON lines, the items of the repository and those of the folder are in one file.
    let file = sub.join(".codex/memory/items.jsonl");
    let items = |backend| {
        let options = place.options().items_backend(backend);
        place.store(options, &[("CODEX_MEMORY_REPO_JSONL", &file)]).items(sub.as_path())
    };
    items(ItemsBackend::Jsonl).add(note("of the repository")).unwrap();
    items(ItemsBackend::Jsonl).add(ItemDraft::new(Scope::Global, ItemType::Note, "global")).unwrap();
    items(ItemsBackend::Jsonl).migrate(ItemsBackend::Sqlite).unwrap();
    assert!(place.memory().join("items.sqlite").exists());
    assert!(!sub.join(".codex/memory/items.sqlite").exists(), "the global items do not belong to the folder");
    assert!(place.0.path().join("codex/memory/items.sqlite").exists());
}

#[test]
fn counts_are_neither_doubled_nor_lost_by_migrations_and_imports() {
    let place = Place::new();
    let (jsonl, sqlite) = (place.items(ItemsBackend::Jsonl), place.items(ItemsBackend::Sqlite));
    let id = jsonl.add(note("counted")).unwrap().id.clone();
    let used = |items: &Items| items.get(&id).unwrap().counters.used_count;
    jsonl.used(&[&id]).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| place.items(ItemsBackend::Jsonl).migrate(ItemsBackend::Sqlite).unwrap());
        }
    });
    assert_eq!(used(&sqlite), 1);
    for _ in 0..5 {
        sqlite.used(&[&id]).unwrap();
    }
    let back = sqlite.migrate(ItemsBackend::Jsonl).unwrap();
    assert_eq!((back.copied, back.present, back.skipped), (0, 1, 1));
    assert_eq!(used(&jsonl), 6);
    let exported: Vec<Fields> = jsonl
        .export(&Filter::all())
        .unwrap()
        .iter()
        .map(|item| serde_json::from_str(item.json().get()).unwrap())
        .collect();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| place.items(ItemsBackend::Jsonl).import(&Import::new(), &exported).unwrap());
        }
    });
    assert_eq!(used(&jsonl), 6);
}

#[test]
fn of_versions_that_were_changed_at_once_the_last_line_counts_even_when_lines_are_swapped() {
    let place = Place::new();
    let items = place.items(ItemsBackend::Jsonl);
    let (one, other) = (line("a", "one", ""), line("a", "other", ""));
    place.put(&format!("{one}\n{other}\n"));
    assert_eq!(contents(&items), ["other"]);
    place.put(&format!("{other}\n{one}\n"));
    assert_eq!(contents(&items), ["one"]);
}

#[test]
fn blank_lines_of_a_file_with_carriage_returns_are_not_damaged() {
    let place = Place::new();
    place.put(&format!("{}\r\n\r\n{}\r\n", line("a", "one", ""), line("b", "two", "")));
    let items = place.items(ItemsBackend::Jsonl);
    assert_eq!(contents(&items), ["one", "two"]);
    assert_eq!(items.stats().unwrap().damaged, 0);
    items.archive("b").unwrap();
    let text = std::fs::read_to_string(place.memory().join("items.jsonl")).unwrap();
    assert!(text.starts_with(&format!("{}\r\n\r\n", line("a", "one", ""))), "{text}");
}

#[test]
fn a_change_that_changes_nothing_is_not_stored() {
    for backend in [ItemsBackend::Jsonl, ItemsBackend::Sqlite] {
        let place = Place::new();
        let at = |clock: &str| {
            let options = place.options().items_backend(backend).clock(clock);
            place.store(options, &[]).items(place.workspace())
        };
        let added = at("2026-01-01T00:00:00Z").add(note("same")).unwrap();
        let later = at("2026-02-01T00:00:00Z");
        let updated = later.update(&added.id, ItemPatch::new().content("same")).unwrap();
        assert_eq!(updated.updated_at, "2026-01-01T00:00:00.000Z");
        let updated = later.update(&added.id, ItemPatch::new().content("other")).unwrap();
        assert_eq!(updated.updated_at, "2026-02-01T00:00:00.000Z");
    }
}

#[test]
fn only_what_is_stored_is_reported_as_redacted() {
    let place = Place::new();
    let redactions = Redactions::new();
    let store = place.store(place.options(), &[]).with(CallOptions::new().redactions(&redactions));
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let source =
        json!({"id": "a", "updated_at": "2026-01-01T00:00:00Z", "content": "c", "later": format!("token {secret}")});
    let sources: Vec<Fields> = vec![serde_json::from_value(source).unwrap()];
    let import = Import::new().force(true);
    let imported = store.items(place.workspace()).import(&import, &sources).unwrap();
    assert_eq!((imported.added, redactions.take().len()), (1, 1));
    let again = store.items(place.workspace()).import(&import, &sources).unwrap();
    assert_eq!((again.unchanged, redactions.take().len()), (1, 0));
}

#[test]
fn a_temporary_store_exports_nothing_and_creates_no_file() {
    let place = Place::new();
    let items = place.store(place.options().temporary(true), &[]).items(place.workspace());
    let path = place.0.path().join("out.jsonl");
    assert_eq!(items.export_to(&Filter::all(), &path).unwrap_err().kind(), ErrorKind::Unsupported);
    assert!(!path.exists());
    // Not even the repository is looked for.
    std::fs::write(place.workspace().join(".git"), "broken").unwrap();
    assert_eq!(items.recall(&RecallQuery::new("p")).unwrap().considered, 0);
}

#[test]
fn the_doctor_names_older_versions_and_values_that_cannot_be_read() {
    let place = Place::new();
    let lines = [
        line("a", "one", ""),
        line("b", "two", ",\"expiry\":\"soon\""),
        line("a", "newer", "").replace("2025-01-01T00:00:00Z\",\"scope", "2025-02-01T00:00:00Z\",\"scope"),
        line("hidden\u{200b}", "four", ""),
    ];
    place.put(&format!("{}\n", lines.join("\n")));
    let global = place.0.path().join("codex/memory");
    std::fs::create_dir_all(&global).unwrap();
    std::fs::rename(place.memory().join("items.jsonl"), global.join("items.jsonl")).unwrap();
    let checked = place.store(place.options(), &[]).doctor().check().unwrap();
    let found: Vec<&str> = checked.findings.iter().map(|finding| finding.detail.as_str()).collect();
    assert_eq!(
        found,
        [
            "line 1 is an older version of the item on line 3, which is used; remove what is not needed",
            "line 2: the expiry cannot be read, so the item never expires; set it again with items.update",
            "line 4: the id has characters that nobody sees or that control a terminal",
        ]
    );
}

#[test]
fn the_index_has_no_word_of_a_secret_that_somebody_wrote_into_the_file() {
    let place = Place::new();
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let lines: String =
        (0..600).map(|it| line(&it.to_string(), &format!("token {secret} of proxy"), "") + "\n").collect();
    place.put(&lines);
    let items = place.items(ItemsBackend::Jsonl);
    assert_eq!(items.recall(&RecallQuery::new("proxy")).unwrap().considered, 600);
    let home = place.0.path().join("home/items");
    let index = std::fs::read_dir(home).unwrap().next().unwrap().unwrap().path().join("index");
    let bytes = std::fs::read(index).unwrap().to_ascii_lowercase();
    assert!(!bytes.windows(8).any(|part| part == b"ghp_a1b2" || part == b"ghpa1b2a"));
}

#[test]
fn many_versions_of_an_item_take_no_longer_than_many_items() {
    // If each of them were compared with all others, this would take minutes.
    let place = Place::new();
    let versions: Vec<String> = (0..30_000).map(|number| line("repeated", &format!("version {number}"), "")).collect();
    place.put(&versions.join("\n"));
    let items = place.items(ItemsBackend::Jsonl);
    assert_eq!(items.get("repeated").unwrap().content, "version 29999");
    assert_eq!(items.stats().unwrap().duplicates, 29_999);
    assert!(items.remove("repeated").unwrap());
    assert_eq!(items.list(&Filter::all()).unwrap().len(), 0);
}

#[test]
fn reading_a_large_file_of_items_is_cancelled() {
    let place = Place::new();
    place.items(ItemsBackend::Jsonl).add(ItemDraft::new(Scope::Global, ItemType::Note, "a note")).unwrap();
    place.put(&"not an item\n".repeat(400_000));
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    // Later than the lock is acquired: the first questions are those of the wait for it.
    let cancel = Cancel::polling(move || counted.fetch_add(1, Ordering::Relaxed) > 2);
    let named = place.memory().join("items.jsonl");
    let store = place.store(place.options(), &[("CODEX_MEMORY_REPO_JSONL", &named)]);
    let store = store.with(CallOptions::new().cancel(&cancel));
    let items = store.items(place.workspace());
    assert_eq!(items.list(&Filter::all()).unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(store.doctor().check().unwrap_err().kind(), ErrorKind::Cancelled);
}

/// The first version of the database had an index of the texts, which nothing asked.
#[test]
fn a_database_of_the_first_version_is_read_and_upgraded_by_the_next_write() {
    let place = Place::new();
    let items = place.items(ItemsBackend::Sqlite);
    items.add(note("the proxy listens on port 8443")).unwrap();
    let file = place.memory().join("items.sqlite");
    let connection = rusqlite::Connection::open(&file).unwrap();
    let text_index = "CREATE VIRTUAL TABLE item_text USING fts5 (content, tags, content = 'item', content_rowid = 'position', \
                      tokenize = 'porter'); INSERT INTO item_text (item_text) VALUES ('rebuild'); PRAGMA user_version = 1";
    connection.execute_batch(text_index).unwrap();
    let has_index = || {
        let sql = "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'item_text%'";
        connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap() > 0
    };
    let items = place.items(ItemsBackend::Sqlite);
    assert_eq!(contents(&items).len(), 1);
    assert_eq!(items.recall(&RecallQuery::new("which port?").preview(true)).unwrap().items.len(), 1);
    assert!(has_index(), "reading changes nothing");
    let added = items.add(note("the cache is warm")).unwrap();
    assert!(!has_index());
    items.update(&added.id, ItemPatch::new().content("the cache is cold")).unwrap();
    items.remove(&added.id).unwrap();
    assert_eq!(contents(&items), ["the proxy listens on port 8443"]);
}
